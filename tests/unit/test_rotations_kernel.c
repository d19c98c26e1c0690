// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Variants of the kernel's rotation: what each does otherwise, and that the rest is the same. */
#include <string.h>

#include "tests/unit/test_map.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define CPUS 3
#define OPERATIONS 1500

static struct map *create(const char *set, uint32_t cpus, uint32_t entries, enum map_type type,
			  uint32_t flags)
{
	struct test_map wanted = {{type, 8, 8, entries, flags, 0, false}, NULL, cpus, set};

	return test_map_create(&wanted);
}

/* Runs the same with the kernel's rotation and a variant: the same returns, the same counters. */
static void compare_with_kernel(const char *variant, uint32_t cpus, uint32_t entries,
				uint32_t flags, const char *codes)
{
	struct test_trace trace = {codes, entries + entries / 2 + 2, cpus, 0};
	int32_t returns[2][OPERATIONS];
	struct map_counters totals[2];
	struct op_batch batch;
	struct rng rng;

	rng_init(&rng, entries);
	CU_ASSERT_EQUAL_FATAL(op_batch_init(&batch, OPERATIONS, false, false), 0);
	test_trace_fill(&trace, &rng, &batch, OPERATIONS);
	for (int i = 0; i < 2; i++) {
		struct map *map =
			create(i ? variant : "rotation=kernel", cpus, entries, MAP_LRU_HASH, flags);
		const struct map_run run = {.batch = &batch, .returns = returns[i]};

		test_ops->run(map, &run);
		test_map_counters(map, cpus, &totals[i]);
		test_map_destroy(map);
	}
	if (memcmp(returns[0], returns[1], sizeof(returns[0])) != 0 ||
	    memcmp(&totals[0], &totals[1], sizeof(totals[0])) != 0)
		test_fail(__FILE__, __LINE__, "%s, %u CPUs, %u entries, %s: not as the kernel's",
			  variant, cpus, entries, codes);
	op_batch_deinit(&batch);
}

/* Where no key is updated that is there, looking it up first changes nothing. */
static void test_lookup_first_as_kernel(void)
{
	static const uint32_t sizes[] = {1, 3, 30, 300};

	for (size_t i = 0; i < COUNT(sizes); i++) {
		compare_with_kernel("rotation=lookup-first", CPUS, sizes[i], 0, "TTTTLDlS");
		compare_with_kernel("rotation=lookup-first", CPUS, sizes[i], MAP_NO_COMMON_LRU,
				    "TTTTLDlS");
	}
}

/* Alone there is no one to steal from. */
static void test_steal_half_as_kernel(void)
{
	compare_with_kernel("rotation=steal-half", 1, 30, 0, "TTTUNEDLlued");
	compare_with_kernel("rotation=steal-half", 1, 300, 0, "TTTUNEDLlued");
}

static uint64_t count_evictions(struct map *map, uint32_t cpus)
{
	struct map_counters total;

	test_map_counters(map, cpus, &total);
	return total.evictions;
}

/* A full map's keys are updated many times by every CPU: none goes, each gets its value. */
static void update_present(enum map_type type, uint32_t flags)
{
	struct map *map = create("rotation=lookup-first free_target=1", CPUS, 9, type, flags);
	uint64_t value[CPUS] = {0}, found[CPUS], evictions;
	struct map_ctx ctx = {.context = OP_SYSCALL};

	for (uint64_t key = 0; key < 9; key++) {
		ctx.cpu = (uint32_t)(key % CPUS);
		CU_ASSERT_EQUAL(test_ops->update(map, &ctx, &key, value, 0), 0);
	}
	evictions = count_evictions(map, CPUS);
	CU_ASSERT_EQUAL(test_map_entries(map), 9);
	for (uint64_t i = 0; i < 200; i++) {
		uint64_t key = i % 9, flag = i % 3 ? 0 : 2;

		ctx.cpu = (uint32_t)(i / 5 % CPUS);
		value[0] = value[1] = value[2] = i;
		CU_ASSERT_EQUAL(test_ops->update(map, &ctx, &key, value, flag), 0);
		CU_ASSERT_EQUAL(test_ops->lookup(map, &ctx, &key, found), 0);
		CU_ASSERT_EQUAL(found[0], i);
		CU_ASSERT_EQUAL(test_ops->check(map, NULL), 0);
	}
	CU_ASSERT_EQUAL(count_evictions(map, CPUS), evictions);
	test_map_keys(map, "0 1 2 3 4 5 6 7 8");
	test_map_destroy(map);
}

static void test_lookup_first_updates(void)
{
	for (int flags = 0; flags < 2; flags++) {
		update_present(MAP_LRU_HASH, flags ? MAP_NO_COMMON_LRU : 0);
		update_present(MAP_LRU_PERCPU_HASH, flags ? MAP_NO_COMMON_LRU : 0);
	}
}

/* Answers of flags, and the spare, which is beyond max_entries. */
static void test_lookup_first_flags(void)
{
	struct map *map = create("rotation=lookup-first", 2, 2, MAP_LRU_HASH, 0);

	test_map_run(map, "0U1 0U2 0N1 0E3 1E1 1N2 0L1", "0 0 EEXIST ENOENT 0 EEXIST 0");
	test_map_keys(map, "1 2");
	CU_ASSERT_EQUAL(test_map_nodes(map, "spare", 0), 1);
	CU_ASSERT_EQUAL(test_map_nodes(map, "spare", 1), 1);
	test_map_destroy(map);
}

static void add_free(void *free, const char *list, int cpu, uint64_t nodes)
{
	(void)cpu;
	if (!strcmp(list, "free") || !strcmp(list, "local_free"))
		*(uint64_t *)free += nodes;
}

/* Nothing is evicted while there is a free node anywhere. */
static void steal_first(const char *set, uint32_t entries)
{
	struct map *map = create(set, CPUS, entries, MAP_LRU_HASH, 0);
	uint64_t value = 0;
	struct rng rng;

	rng_init(&rng, 3);
	for (int i = 0; i < 3000; i++) {
		struct map_ctx ctx = {.cpu = (uint32_t)rng_below(&rng, CPUS)};
		uint64_t key = rng_below(&rng, 2ULL * entries), free = 0;
		uint64_t evictions = count_evictions(map, CPUS);

		test_ops->lists(map, add_free, &free);
		if (rng_below(&rng, 4))
			test_ops->update(map, &ctx, &key, &value, 0);
		else
			test_ops->del(map, &ctx, &key);
		CU_ASSERT(!free || count_evictions(map, CPUS) == evictions);
		CU_ASSERT_EQUAL(test_ops->check(map, NULL), 0);
	}
	test_map_destroy(map);
}

static void test_steal_first(void)
{
	steal_first("rotation=steal-first", 1);
	steal_first("rotation=steal-first", 40);
	steal_first("rotation=steal-first free_target=128", 40);
	steal_first("rotation=steal-first free_target=3 nr_scans=2", 40);
}

/* One node by one, or half of them, rounded up; a pending one alone. */
static void test_steal_half(void)
{
	struct map *map = create("rotation=kernel free_target=6", 2, 6, MAP_LRU_HASH, 0);

	test_map_do(map, "0U1 1U2");
	test_map_lists(map, "local_free0=4 local_pending0=1 local_pending1=1");
	test_map_destroy(map);
	map = create("rotation=steal-half free_target=6", 2, 6, MAP_LRU_HASH, 0);
	test_map_do(map, "0U1 1U2");
	test_map_lists(map, "local_free0=2 local_pending0=1 local_free1=2 local_pending1=1");
	CU_ASSERT_EQUAL(count_evictions(map, 2), 0);
	test_map_destroy(map);
	map = create("rotation=steal-half free_target=2", 2, 2, MAP_LRU_HASH, 0);
	test_map_do(map, "0U1 0U2 1U3");
	test_map_lists(map, "local_pending0=1 local_pending1=1");
	test_map_keys(map, "2 3");
	test_map_destroy(map);
}

/* What is free locally after each insertion tells the target: 1, 2, 4; when it shrinks, 2, 1. */
static void test_watermark(void)
{
	static const uint64_t free[] = {0, 1, 0, 3, 2, 1, 0, 3, 2, 1, 0, 1, 0, 0};
	struct map *map = create("rotation=watermark free_target=1 free_target_max=4", 1, 10,
				 MAP_LRU_HASH, 0);
	struct map_ctx ctx = {.cpu = 0};
	uint64_t value = 0;

	for (uint64_t key = 0; key < COUNT(free); key++) {
		CU_ASSERT_EQUAL(test_ops->update(map, &ctx, &key, &value, 0), 0);
		if (test_map_nodes(map, "local_free", 0) != free[key])
			test_fail(__FILE__, __LINE__, "%d: %d", (int)key,
				  (int)test_map_nodes(map, "local_free", 0));
	}
	test_map_destroy(map);
	map = create("rotation=watermark free_target=100 free_target_min=3 free_target_max=5", 1,
		     100, MAP_LRU_HASH, 0);
	test_map_do(map, "0U1");
	CU_ASSERT_EQUAL(test_map_nodes(map, "local_free", 0), 4);
	test_map_destroy(map);
}

CU_TestInfo rotations_kernel_tests[] = {
	{"lookup-first without updates", test_lookup_first_as_kernel},
	{"lookup-first: updates", test_lookup_first_updates},
	{"lookup-first: flags", test_lookup_first_flags},
	{"steal-first", test_steal_first},
	{"steal-half alone", test_steal_half_as_kernel},
	{"steal-half", test_steal_half},
	{"watermark", test_watermark},
	CU_TEST_INFO_NULL,
};
