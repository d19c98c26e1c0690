// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Shrinking, by what is known to be smallest. */
#include "tests/unit/unit.h"

#include <errno.h>
#include <string.h>

#include "sim/shrink.h"

/* A predicate, and how often it was asked. */
struct asked {
	size_t count;
	size_t fail_after; /* then it says -EINTR; 0: never */
};

static bool ask(struct asked *asked)
{
	asked->count++;
	return !asked->fail_after || asked->count <= asked->fail_after;
}

/* A case of many operations: keys 0..96 in turn, of all codes, on three CPUs. */
static void make_case(struct fuzz_case *fuzz, size_t count)
{
	memset(fuzz, 0, sizeof(*fuzz));
	CU_ASSERT_EQUAL(op_batch_init(&fuzz->ops, count, false, false), 0);
	fuzz->attr = (struct map_attr){.type = MAP_PERCPU_HASH,
				       .key_size = 13,
				       .value_size = 24,
				       .max_entries = 500,
				       .flags = MAP_NO_PREALLOC};
	for (size_t i = 0; i < count; i++)
		fuzz->ops.ops[i] = (struct map_op){.key = i % 97,
						   .cpu = (uint16_t)(i % 3),
						   .code = (uint8_t)(i % (OP_DELETE + 1))};
	fuzz->ops.count = count;
}

/* A delete, later an update and a look-up of one key: three operations out of many. */
static int has_sequence(void *arg, const struct fuzz_case *fuzz)
{
	static const uint8_t codes[] = {OP_DELETE, OP_UPDATE, OP_LOOKUP};
	size_t found = 0;
	uint64_t key = 0;

	if (!ask(arg))
		return -EINTR;
	for (size_t i = 0; i < fuzz->ops.count && found < 3; i++) {
		const struct map_op *op = &fuzz->ops.ops[i];

		if (op->code != codes[found] || (found == 2 && op->key != key))
			continue;
		key = op->key;
		found++;
	}
	return found == 3;
}

static void test_sequence(void)
{
	struct asked asked = {0};
	struct fuzz_case fuzz;

	make_case(&fuzz, 3000);
	CU_ASSERT_EQUAL(shrink_case(&fuzz, has_sequence, &asked), 1);
	CU_ASSERT_EQUAL(fuzz.ops.count, 3);
	CU_ASSERT_EQUAL(fuzz.ops.ops[0].code, OP_DELETE);
	CU_ASSERT_EQUAL(fuzz.ops.ops[1].code, OP_UPDATE);
	CU_ASSERT_EQUAL(fuzz.ops.ops[2].code, OP_LOOKUP);
	CU_ASSERT_EQUAL(shrink_count_keys(&fuzz), 1);
	for (int i = 0; i < 3; i++) {
		CU_ASSERT_EQUAL(fuzz.ops.ops[i].cpu, 0);
		CU_ASSERT_EQUAL(fuzz.ops.ops[i].key, 0);
	}
	CU_ASSERT_EQUAL(fuzz.attr.type, MAP_HASH);
	CU_ASSERT_EQUAL(fuzz.attr.flags, 0);
	CU_ASSERT_EQUAL(fuzz.attr.key_size, 8);
	CU_ASSERT_EQUAL(fuzz.attr.value_size, 8);
	CU_ASSERT_EQUAL(fuzz.attr.max_entries, 1);
	CU_ASSERT(asked.count < 2000);
	fuzz_case_deinit(&fuzz);
}

/* A full map of at least 7 elements, and one operation more. */
static int is_overfull(void *arg, const struct fuzz_case *fuzz)
{
	if (!ask(arg))
		return -EINTR;
	return fuzz->attr.max_entries >= 7 && shrink_count_keys(fuzz) > fuzz->attr.max_entries;
}

static void test_full_map(void)
{
	struct asked asked = {0};
	struct fuzz_case fuzz;

	make_case(&fuzz, 1000);
	fuzz.attr.max_entries = 96;
	CU_ASSERT_EQUAL(shrink_case(&fuzz, is_overfull, &asked), 1);
	CU_ASSERT_EQUAL(fuzz.attr.max_entries, 7);
	CU_ASSERT_EQUAL(fuzz.ops.count, 8);
	fuzz_case_deinit(&fuzz);
}

/* Operations on CPUs 1, 2 and 1, in this order. */
static int has_cpus(void *arg, const struct fuzz_case *fuzz)
{
	static const uint16_t cpus[] = {1, 2, 1};
	size_t found = 0;

	if (!ask(arg))
		return -EINTR;
	for (size_t i = 0; i < fuzz->ops.count && found < 3; i++)
		found += fuzz->ops.ops[i].cpu == cpus[found];
	return found == 3;
}

static void test_cpus(void)
{
	struct asked asked = {0};
	struct fuzz_case fuzz;

	make_case(&fuzz, 500);
	CU_ASSERT_EQUAL(shrink_case(&fuzz, has_cpus, &asked), 1);
	CU_ASSERT_EQUAL(fuzz.ops.count, 3);
	CU_ASSERT_EQUAL(fuzz.ops.ops[1].cpu, 2);
	fuzz_case_deinit(&fuzz);
}

/* Keys as bytes that have to stay: their last byte counts. */
static int has_last_byte(void *arg, const struct fuzz_case *fuzz)
{
	if (!ask(arg))
		return -EINTR;
	for (size_t i = 0; i < fuzz->ops.count; i++) {
		const struct map_op *op = &fuzz->ops.ops[i];

		if (op->key_bytes == 13 && fuzz->ops.arena[op->key + 12] == 42)
			return 1;
	}
	return 0;
}

static void test_byte_keys(void)
{
	struct asked asked = {0};
	struct fuzz_case fuzz;

	make_case(&fuzz, 200);
	for (size_t i = 0; i < fuzz.ops.count; i++) {
		uint8_t key[13] = {0};
		int64_t offset;

		key[12] = (uint8_t)i;
		offset = op_batch_add_bytes(&fuzz.ops, key, sizeof(key));
		CU_ASSERT(offset >= 0);
		fuzz.ops.ops[i].key = (uint64_t)offset;
		fuzz.ops.ops[i].key_bytes = sizeof(key);
	}
	CU_ASSERT_EQUAL(shrink_count_keys(&fuzz), 200);
	CU_ASSERT_EQUAL(shrink_case(&fuzz, has_last_byte, &asked), 1);
	CU_ASSERT_EQUAL(fuzz.ops.count, 1);
	CU_ASSERT_EQUAL(fuzz.ops.ops[0].key_bytes, 13);
	CU_ASSERT_EQUAL(fuzz.attr.key_size, 13);
	fuzz_case_deinit(&fuzz);
}

static int never(void *arg, const struct fuzz_case *fuzz)
{
	(void)fuzz;
	return ask(arg) ? 0 : -EINTR;
}

static int always(void *arg, const struct fuzz_case *fuzz)
{
	(void)fuzz;
	return ask(arg) ? 1 : -EINTR;
}

static void test_ends(void)
{
	struct asked asked = {0};
	struct fuzz_case fuzz;

	make_case(&fuzz, 100);
	CU_ASSERT_EQUAL(shrink_case(&fuzz, never, &asked), 0);
	CU_ASSERT_EQUAL(asked.count, 1);
	CU_ASSERT_EQUAL(fuzz.ops.count, 100);
	CU_ASSERT_EQUAL(shrink_case(&fuzz, always, &asked), 1);
	CU_ASSERT_EQUAL(fuzz.ops.count, 0);
	fuzz_case_deinit(&fuzz);
}

/* However it is ended, what is left still fails. */
static void test_interrupted(void)
{
	for (size_t after = 1; after < 60; after++) {
		struct asked asked = {.fail_after = after}, again = {0};
		struct fuzz_case fuzz;

		make_case(&fuzz, 300);
		CU_ASSERT_EQUAL(shrink_case(&fuzz, has_sequence, &asked), -EINTR);
		CU_ASSERT_EQUAL(has_sequence(&again, &fuzz), 1);
		fuzz_case_deinit(&fuzz);
	}
}

CU_TestInfo shrink_tests[] = {
	{"a sequence", test_sequence},
	{"a full map", test_full_map},
	{"CPUs that matter", test_cpus},
	{"bytes that matter", test_byte_keys},
	{"never and always", test_ends},
	{"interrupted", test_interrupted},
	CU_TEST_INFO_NULL,
};
