// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The future of a trace's keys, against its definition. */
#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "sim/future.h"

#define OPERATIONS 3000

/* Whether two operations have the same key in a map of 2-byte keys. */
static bool same_key(const struct op_batch *trace, size_t a, size_t b)
{
	uint16_t keys[2] = {0};
	size_t index[2] = {a, b};

	for (int i = 0; i < 2; i++) {
		const struct map_op *op = &trace->ops[index[i]];

		if (op->key_bytes)
			memcpy(&keys[i], trace->arena + op->key,
			       op->key_bytes < 2 ? op->key_bytes : 2);
		else
			memcpy(&keys[i], &op->key, 2);
	}
	return keys[0] == keys[1];
}

static bool has_key(const struct map_op *op)
{
	return op->code != OP_NEXT_KEY && op->code != OP_BATCH_LOOKUP &&
	       op->code != OP_BATCH_LOOKUP_AND_DELETE;
}

static uint64_t next_use(const struct op_batch *trace, size_t i)
{
	for (size_t n = i + 1; n < trace->count && has_key(&trace->ops[i]); n++) {
		if (has_key(&trace->ops[n]) && same_key(trace, i, n))
			return trace->ops[n].code == OP_DELETE ? UINT64_MAX : n;
	}
	return UINT64_MAX;
}

/* Integers, of which 2 bytes count, and bytes: 1 to 3. */
static void fill(struct op_batch *trace, struct rng *rng, uint64_t range)
{
	for (size_t i = 0; i < OPERATIONS; i++) {
		struct map_op *op = &trace->ops[trace->count++];

		*op = (struct map_op){.code = (uint8_t)rng_below(rng, OP_CODES),
				      .key = rng_below(rng, range) | (rng_below(rng, 2) << 40)};
		if (rng_below(rng, 2)) {
			op->key_bytes = (uint32_t)(1 + rng_below(rng, 3));
			op->key = (uint64_t)op_batch_add_bytes(trace, &op->key, op->key_bytes);
		}
	}
}

static void check_parts(uint64_t range, size_t parts)
{
	struct op_batch trace, cut[3] = {{0}};
	uint64_t *found = NULL;
	struct error error;
	size_t wrong = 0;
	struct rng rng;

	rng_init(&rng, range);
	CU_ASSERT_EQUAL_FATAL(op_batch_init(&trace, OPERATIONS, 0, 0), 0);
	fill(&trace, &rng, range);
	for (size_t i = 0; i < parts; i++) {
		cut[i] = trace;
		cut[i].ops += i * OPERATIONS / parts;
		cut[i].count = OPERATIONS / parts;
	}
	CU_ASSERT_EQUAL_FATAL(trace_next_use(cut, parts, 2, &found, &error), 0);
	for (size_t i = 0; i < OPERATIONS; i++)
		wrong += found[i] != next_use(&trace, i);
	CU_ASSERT_EQUAL(wrong, 0);
	free(found);
	op_batch_deinit(&trace);
}

static void test_next_use(void)
{
	check_parts(1, 1);
	check_parts(20, 1);
	check_parts(300, 3);
	check_parts(70000, 2); /* the table grows */
}

static void test_nothing(void)
{
	struct op_batch none = {0};
	uint64_t *found = NULL;
	struct error error;

	CU_ASSERT_EQUAL(trace_next_use(&none, 1, 8, &found, &error), 0);
	free(found);
	found = NULL;
	CU_ASSERT_EQUAL(trace_next_use(&none, 0, 8, &found, &error), 0);
	free(found);
}

CU_TestInfo future_tests[] = {
	{"next uses", test_next_use},
	{"nothing", test_nothing},
	CU_TEST_INFO_NULL,
};
