// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Maps without LRU against the obvious: an array that says of every key whether it is there, and
 * with what value. Random operations, many of them at the border of what fits.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/attr.h"
#include "tests/unit/test_map.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define KEYS_MAX 2048

struct reference {
	uint64_t entries, max_entries;
	bool is_there[KEYS_MAX];
	uint64_t values[KEYS_MAX];
};

static int reference_update(struct reference *reference, uint64_t key, uint64_t value,
			    uint64_t flags)
{
	if (reference->is_there[key] && flags == 1)
		return -EEXIST;
	if (!reference->is_there[key] && flags == 2)
		return -ENOENT;
	if (!reference->is_there[key] && reference->entries == reference->max_entries)
		return -E2BIG;
	reference->entries += !reference->is_there[key];
	reference->is_there[key] = true;
	reference->values[key] = value;
	return 0;
}

static int reference_delete(struct reference *reference, uint64_t key)
{
	if (!reference->is_there[key])
		return -ENOENT;
	reference->is_there[key] = false;
	reference->entries--;
	return 0;
}

static int reference_op(struct reference *reference, const struct map_op *op, uint64_t value)
{
	switch ((enum op_code)op->code) {
	case OP_LOOKUP:
		return reference->is_there[op->key] ? 0 : -ENOENT;
	case OP_UPDATE:
		return reference_update(reference, op->key, value, 0);
	case OP_UPDATE_NOEXIST:
		return reference_update(reference, op->key, value, 1);
	case OP_UPDATE_EXIST:
		return reference_update(reference, op->key, value, 2);
	case OP_DELETE:
	case OP_LOOKUP_AND_DELETE:
		return reference_delete(reference, op->key);
	case OP_ACCESS:
	case OP_DIST:
		if (reference->is_there[op->key])
			return 0;
		return reference_update(reference, op->key, value, 0) ? -E2BIG : 1;
	default:
		abort();
	}
}

/* Every key that should be there is, with its value, and no other. */
static void compare_contents(struct map *map, const struct reference *reference, bool has_values)
{
	struct map_ctx ctx = {.context = OP_SYSCALL};
	uint64_t key, value[8], found = 0;

	CU_ASSERT_EQUAL(test_map_entries(map), reference->entries);
	while (!test_ops->next_key(map, &ctx, found ? &key : NULL, &key)) {
		CU_ASSERT_FATAL(key < KEYS_MAX && reference->is_there[key]);
		CU_ASSERT_EQUAL(test_ops->lookup(map, &ctx, &key, value), 0);
		CU_ASSERT(!has_values || value[0] == reference->values[key]);
		found++;
	}
	CU_ASSERT_EQUAL(found, reference->entries);
}

static void compare_run(const struct test_map *wanted, const struct test_trace *trace,
			struct rng *rng)
{
	static struct reference reference;
	struct map *map = test_map_create(wanted);
	struct op_batch batch;
	int32_t returns[1500];
	struct map_run run = {.batch = &batch, .returns = returns};
	size_t wrong = 0;

	memset(&reference, 0, sizeof(reference));
	reference.max_entries = wanted->attr.max_entries;
	CU_ASSERT_EQUAL_FATAL(op_batch_init(&batch, COUNT(returns), false, false), 0);
	for (int round = 0; round < 3; round++) {
		test_trace_fill(trace, rng, &batch, COUNT(returns));
		test_ops->run(map, &run);
		for (size_t i = 0; i < batch.count; i++)
			wrong += returns[i] !=
				 reference_op(&reference, &batch.ops[i], run.first_index + i);
		run.first_index += batch.count;
	}
	if (wrong)
		test_fail(__FILE__, __LINE__, "%s on %s, %u entries, %s: %zu returns differ",
			  map_type_names[wanted->attr.type], wanted->kernel,
			  wanted->attr.max_entries, wanted->set ? wanted->set : "", wrong);
	compare_contents(map, &reference, !map_type_is_percpu(wanted->attr.type));
	op_batch_deinit(&batch);
	test_map_destroy(map);
}

static void compare_sizes(enum map_type type, uint32_t flags, const char *kernel, const char *set)
{
	static const uint32_t sizes[] = {1, 2, 7, 64, 130, 1000};
	struct test_trace trace = {.codes = "LTUNEDlunedpPST", .cpus = 3};
	struct rng rng;

	rng_init(&rng, 3);
	for (size_t i = 0; i < COUNT(sizes); i++) {
		struct test_map wanted = {{.type = type, .max_entries = sizes[i], .flags = flags},
					  .kernel = kernel,
					  .cpus = 3,
					  .set = set};

		trace.range = sizes[i] + sizes[i] / 2 + 1;
		compare_run(&wanted, &trace, &rng);
	}
}

static void test_preallocated(void)
{
	static const char *const kernels[] = {"5.14", "6.0", "6.1", "6.12", "6.15", "7.3"};

	for (size_t i = 0; i < COUNT(kernels); i++) {
		compare_sizes(MAP_HASH, 0, kernels[i], NULL);
		compare_sizes(MAP_PERCPU_HASH, 0, kernels[i], NULL);
	}
	compare_sizes(MAP_HASH, 0, "7.3", "lock=map populate=old skip_empty=0");
	compare_sizes(MAP_HASH, 0, "7.3", "lookahead=0");
}

static void test_not_preallocated(void)
{
	static const char *const kernels[] = {"5.14", "6.0", "6.1", "7.3"};

	for (size_t i = 0; i < COUNT(kernels); i++) {
		compare_sizes(MAP_HASH, MAP_NO_PREALLOC, kernels[i], NULL);
		compare_sizes(MAP_PERCPU_HASH, MAP_NO_PREALLOC, kernels[i], NULL);
	}
	compare_sizes(MAP_HASH, 0, "3.19", "lookup_and_delete=1");
}

/* Counts are exact, kept in one word or in batches per CPU. */
static void test_counts(void)
{
	static const char *const counts[] = {"count=atomic",
					     "count=percpu",
					     "count=adaptive",
					     "count=percpu count_batch=1",
					     "count=percpu count_batch=1M",
					     "count=adaptive count_batch=4"};

	for (size_t i = 0; i < COUNT(counts); i++) {
		compare_sizes(MAP_HASH, MAP_NO_PREALLOC, "7.3", counts[i]);
		compare_sizes(MAP_PERCPU_HASH, MAP_NO_PREALLOC, "7.3", counts[i]);
	}
}

CU_TestInfo map_reference_tests[] = {
	{"preallocated", test_preallocated},
	{"not preallocated", test_not_preallocated},
	{"counts", test_counts},
	CU_TEST_INFO_NULL,
};
