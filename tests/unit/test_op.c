// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Operations: their letters and words, and batches of them. */
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/op.h"
#include "tests/unit/unit.h"

static void test_letters(void)
{
	uint8_t code, context;

	for (int i = 0; i < OP_CODES; i++) {
		char letter = op_letter((uint8_t)i, OP_PROGRAM);

		CU_ASSERT_EQUAL(op_from_letter(letter, &code, &context), 0);
		CU_ASSERT(code == i && context == OP_PROGRAM);
		CU_ASSERT_EQUAL(op_letter((uint8_t)i, OP_IRQ), letter);
		CU_ASSERT_EQUAL(op_letter((uint8_t)i, OP_NMI), letter);
		letter = op_letter((uint8_t)i, OP_SYSCALL);
		CU_ASSERT_EQUAL(op_from_letter(letter, &code, &context), 0);
		CU_ASSERT(code == i && context == OP_SYSCALL);
	}
	/* Those of the vectors are for ever. */
	CU_ASSERT(!op_from_letter('L', &code, &context) && code == OP_LOOKUP);
	CU_ASSERT(!op_from_letter('u', &code, &context) && code == OP_UPDATE);
	CU_ASSERT(!op_from_letter('N', &code, &context) && code == OP_UPDATE_NOEXIST);
	CU_ASSERT(!op_from_letter('e', &code, &context) && code == OP_UPDATE_EXIST);
	CU_ASSERT(!op_from_letter('D', &code, &context) && code == OP_DELETE);
	CU_ASSERT(!op_from_letter('T', &code, &context) && code == OP_ACCESS);
}

static void test_other_letters(void)
{
	uint8_t code = 99, context = 99;
	int known = 0;

	for (int c = -128; c < 256; c++)
		known += !op_from_letter((char)c, &code, &context);
	/* Each twice: as a program and by system call; -128..-1 are 128..255 again. */
	CU_ASSERT_EQUAL(known, 2 * OP_CODES);
	code = context = 99;
	CU_ASSERT_EQUAL(op_from_letter('X', &code, &context), -EINVAL);
	CU_ASSERT_EQUAL(op_from_letter('\0', &code, &context), -EINVAL);
	CU_ASSERT_EQUAL(op_from_letter(' ', &code, &context), -EINVAL);
	CU_ASSERT(code == 99 && context == 99);
}

static void test_names(void)
{
	for (int i = 0; i < OP_CODES; i++) {
		CU_ASSERT(op_names[i].letter >= 'A' && op_names[i].letter <= 'Z');
		for (int n = 0; n < i; n++) {
			CU_ASSERT_NOT_EQUAL(op_names[i].letter, op_names[n].letter);
			CU_ASSERT_STRING_NOT_EQUAL(op_names[i].word, op_names[n].word);
		}
	}
}

static void test_batch(void)
{
	struct op_batch batch = {0};

	op_batch_deinit(&batch);
	CU_ASSERT_EQUAL(op_batch_init(&batch, 10, false, false), 0);
	CU_ASSERT(batch.ops && !batch.times_ns && !batch.values && !batch.count);
	CU_ASSERT_EQUAL(batch.capacity, 10);
	op_batch_deinit(&batch);
	CU_ASSERT_EQUAL(op_batch_init(&batch, 10, true, true), 0);
	CU_ASSERT(batch.ops && batch.times_ns && batch.values);
	op_batch_deinit(&batch);
	CU_ASSERT(!batch.ops && !batch.times_ns && !batch.values && !batch.capacity);
	op_batch_deinit(&batch);
}

static void test_arena(void)
{
	struct op_batch batch;
	uint8_t bytes[1000];

	CU_ASSERT_EQUAL_FATAL(op_batch_init(&batch, 1, false, false), 0);
	CU_ASSERT_EQUAL(op_batch_add_bytes(&batch, NULL, 0), 0);
	for (int i = 0; i < 100; i++) {
		memset(bytes, i, sizeof(bytes));
		CU_ASSERT_EQUAL(op_batch_add_bytes(&batch, bytes, sizeof(bytes)), 1000 * i);
	}
	CU_ASSERT_EQUAL(batch.arena_bytes, 100000);
	for (int i = 0; i < 100; i++)
		CU_ASSERT(batch.arena[1000 * i] == i && batch.arena[1000 * i + 999] == i);
	CU_ASSERT_EQUAL(op_batch_add_bytes(&batch, bytes, 0), 100000);
	batch.count = 1;
	op_batch_reset(&batch);
	CU_ASSERT(!batch.count && !batch.arena_bytes && batch.arena);
	CU_ASSERT_EQUAL(op_batch_add_bytes(&batch, "x", 1), 0);
	op_batch_deinit(&batch);
}

CU_TestInfo op_tests[] = {
	{"letters", test_letters}, {"other letters", test_other_letters},
	{"names", test_names},     {"batches", test_batch},
	{"arenas", test_arena},    CU_TEST_INFO_NULL,
};
