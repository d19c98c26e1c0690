// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Random cases: the same for the same seed, all kinds of maps and operations, none that is absurd.
 */
#include "tests/unit/unit.h"

#include <string.h>

#include "model/attr.h"
#include "sim/fuzz.h"
#include "traces/trace.h"

#define CASES 400

static bool same_maps(const struct map_attr *a, const struct map_attr *b)
{
	return a->type == b->type && a->key_size == b->key_size && a->value_size == b->value_size &&
	       a->max_entries == b->max_entries && a->flags == b->flags;
}

static bool same_cases(const struct fuzz_case *a, const struct fuzz_case *b)
{
	return same_maps(&a->attr, &b->attr) && a->ops.count == b->ops.count &&
	       !memcmp(a->ops.ops, b->ops.ops, a->ops.count * sizeof(*a->ops.ops)) &&
	       a->ops.arena_bytes == b->ops.arena_bytes &&
	       (!a->ops.arena_bytes || !memcmp(a->ops.arena, b->ops.arena, a->ops.arena_bytes));
}

static void test_same_seed(void)
{
	struct fuzz_case a, b;

	for (uint64_t number = 0; number < 20; number++) {
		CU_ASSERT_EQUAL(fuzz_case_init(&a, 7, number, 3), 0);
		CU_ASSERT_EQUAL(fuzz_case_init(&b, 7, number, 3), 0);
		CU_ASSERT(same_cases(&a, &b));
		fuzz_case_deinit(&b);
		CU_ASSERT_EQUAL(fuzz_case_init(&b, 8, number, 3), 0);
		CU_ASSERT(!same_cases(&a, &b));
		fuzz_case_deinit(&b);
		CU_ASSERT_EQUAL(fuzz_case_init(&b, 7, number + 1, 3), 0);
		CU_ASSERT(!same_cases(&a, &b));
		fuzz_case_deinit(&b);
		fuzz_case_deinit(&a);
	}
}

/* Whoever changes what a seed makes should know, and change this. */
static void test_known_cases(void)
{
	struct trace_digest *digest;
	struct fuzz_case fuzz;

	CU_ASSERT_EQUAL_FATAL(trace_digest_create(&digest), 0);
	for (uint64_t number = 0; number < 20; number++) {
		CU_ASSERT_EQUAL_FATAL(fuzz_case_init(&fuzz, 1, number, 2), 0);
		trace_digest_update(digest, &fuzz.ops);
		fuzz_case_deinit(&fuzz);
	}
	CU_ASSERT_EQUAL(trace_digest_value(digest), 0xb9e1efb2e8d99eau);
	trace_digest_destroy(digest);
}

/* Every operation is on a CPU that there is, and has its key. */
static bool has_good_ops(const struct fuzz_case *fuzz, uint32_t cpus)
{
	for (size_t i = 0; i < fuzz->ops.count; i++) {
		const struct map_op *op = &fuzz->ops.ops[i];

		if (op->cpu >= cpus || op->code >= OP_CODES || op->context > OP_SYSCALL ||
		    op->key_bytes > fuzz->attr.key_size ||
		    (op->key_bytes && op->key + op->key_bytes > fuzz->ops.arena_bytes))
			return false;
	}
	return fuzz->ops.count > 0;
}

static void test_maps(void)
{
	bool has_type[MAP_TYPES] = {false};
	uint32_t flags = 0, key_most = 0, key_least = UINT32_MAX, entries_most = 0;
	struct tunables tunables;
	struct kernel_release newest = kernel_newest();

	kernel_tunables(&newest, &tunables);
	for (uint64_t number = 0; number < CASES; number++) {
		struct fuzz_case fuzz;

		CU_ASSERT_EQUAL_FATAL(fuzz_case_init(&fuzz, 1, number, 2), 0);
		CU_ASSERT_EQUAL(map_attr_check(&fuzz.attr, &tunables, 2, NULL), 0);
		CU_ASSERT(has_good_ops(&fuzz, 2));
		has_type[fuzz.attr.type] = true;
		flags |= fuzz.attr.flags;
		key_most = fuzz.attr.key_size > key_most ? fuzz.attr.key_size : key_most;
		key_least = fuzz.attr.key_size < key_least ? fuzz.attr.key_size : key_least;
		if (fuzz.attr.max_entries > entries_most)
			entries_most = fuzz.attr.max_entries;
		fuzz_case_deinit(&fuzz);
	}
	for (int type = 0; type < MAP_TYPES; type++)
		CU_ASSERT(has_type[type]);
	CU_ASSERT_EQUAL(flags, MAP_NO_PREALLOC | MAP_NO_COMMON_LRU | MAP_NUMA_NODE);
	CU_ASSERT_EQUAL(key_least, 1);
	CU_ASSERT(key_most > 256 && key_most <= 512);
	CU_ASSERT(entries_most > 1000);
}

/* All operations that a kernel has, by programs and by system call. */
static void test_operations(void)
{
	bool has_op[OP_CODES][OP_CONTEXTS] = {{false}};
	const char *wanted = "LUNEDTlunedtpkbr";
	bool has_one_cpu = false, has_both_cpus = false;

	for (uint64_t number = 0; number < CASES; number++) {
		struct fuzz_case fuzz;
		uint32_t cpus = 0;

		CU_ASSERT_EQUAL_FATAL(fuzz_case_init(&fuzz, 2, number, 2), 0);
		for (size_t i = 0; i < fuzz.ops.count; i++) {
			has_op[fuzz.ops.ops[i].code][fuzz.ops.ops[i].context] = true;
			cpus |= 1u << fuzz.ops.ops[i].cpu;
		}
		has_one_cpu |= cpus == 1;
		has_both_cpus |= cpus == 3;
		fuzz_case_deinit(&fuzz);
	}
	for (size_t i = 0; wanted[i]; i++) {
		uint8_t code, context;

		CU_ASSERT_EQUAL(op_from_letter(wanted[i], &code, &context), 0);
		CU_ASSERT(has_op[code][context]);
	}
	CU_ASSERT(!has_op[OP_NEXT_KEY][OP_PROGRAM]);
	CU_ASSERT(!has_op[OP_BATCH_LOOKUP][OP_PROGRAM]);
	CU_ASSERT(has_one_cpu && has_both_cpus);
}

static void test_small(void)
{
	struct map_attr like = {.type = MAP_LRU_PERCPU_HASH,
				.key_size = 77,
				.value_size = 3,
				.max_entries = 4000,
				.flags = MAP_NO_COMMON_LRU};

	for (uint64_t number = 0; number < 100; number++) {
		struct fuzz_case fuzz;

		CU_ASSERT_EQUAL_FATAL(fuzz_case_init_small(&fuzz, &like, 1, number, 2), 0);
		CU_ASSERT_EQUAL(fuzz.attr.type, like.type);
		CU_ASSERT_EQUAL(fuzz.attr.flags, like.flags);
		CU_ASSERT_EQUAL(fuzz.attr.key_size, 8);
		CU_ASSERT(fuzz.attr.max_entries <= 24);
		CU_ASSERT(fuzz.ops.count <= 130);
		CU_ASSERT(has_good_ops(&fuzz, 2));
		fuzz_case_deinit(&fuzz);
	}
}

static void test_copy(void)
{
	struct fuzz_case fuzz, copy;

	CU_ASSERT_EQUAL_FATAL(fuzz_case_init(&fuzz, 1, 3, 2), 0);
	CU_ASSERT_EQUAL_FATAL(fuzz_case_copy(&copy, &fuzz, fuzz.ops.count), 0);
	CU_ASSERT(same_cases(&fuzz, &copy));
	fuzz_case_deinit(&copy);
	CU_ASSERT_EQUAL_FATAL(fuzz_case_copy(&copy, &fuzz, 0), 0);
	CU_ASSERT_EQUAL(copy.ops.count, 0);
	fuzz_case_deinit(&copy);
	fuzz_case_deinit(&fuzz);
}

CU_TestInfo fuzz_tests[] = {
	{"same seed, same cases", test_same_seed},
	{"known cases", test_known_cases},
	{"all kinds of maps", test_maps},
	{"all kinds of operations", test_operations},
	{"small cases", test_small},
	{"copies", test_copy},
	CU_TEST_INFO_NULL,
};
