// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Where elements of maps without LRU come from: free lists, caches, and how they are counted. */
#include <errno.h>
#include <string.h>

#include "model/map.h"
#include "tests/unit/test_map.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct map *percpu_hash(const char *kernel, uint32_t cpus, uint32_t entries)
{
	struct test_map wanted = {{.type = MAP_PERCPU_HASH, .max_entries = entries},
				  .kernel = kernel,
				  .cpus = cpus};

	return test_map_create(&wanted);
}

/* 256 elements for 32 CPUs, as published in 2022. */
static void test_published_split(void)
{
	struct map *map = percpu_hash("6.0", 32, 256);

	for (int cpu = 0; cpu < 32; cpu++)
		CU_ASSERT_EQUAL(test_map_nodes(map, "free", cpu), cpu < 28 ? 9 : cpu == 28 ? 4 : 0);
	test_map_destroy(map);
	map = percpu_hash("6.1", 32, 256);
	for (int cpu = 0; cpu < 32; cpu++)
		CU_ASSERT_EQUAL(test_map_nodes(map, "free", cpu), 8);
	test_map_destroy(map);
}

static void test_splits(void)
{
	static const struct {
		uint32_t entries, cpus;
		const char *old, *even;
	} splits[] = {
		{1, 1, "free0=1", "free0=1"},
		{10, 1, "free0=10", "free0=10"},
		{1, 3, "free0=1", "free0=1"},
		{2, 4, "free0=1 free1=1", "free0=1 free1=1"},
		{6, 3, "free0=3 free1=3", "free0=2 free1=2 free2=2"},
		{7, 3, "free0=3 free1=3 free2=1", "free0=3 free1=2 free2=2"},
		{8, 3, "free0=3 free1=3 free2=2", "free0=3 free1=3 free2=2"},
	};

	for (size_t i = 0; i < COUNT(splits); i++) {
		struct map *map = percpu_hash("5.15", splits[i].cpus, splits[i].entries);

		test_map_lists(map, splits[i].old);
		test_map_destroy(map);
		map = percpu_hash("6.12", splits[i].cpus, splits[i].entries);
		test_map_lists(map, splits[i].even);
		test_map_destroy(map);
	}
}

static void test_split_releases(void)
{
	static const char *const old[] = {"4.6", "5.10.155", "5.11", "5.19", "6.0", "6.0.9"};
	static const char *const even[] = {"5.10.156", "5.10.200", "6.0.10",
					   "6.1",      "6.1.170",  "7.3"};

	for (size_t i = 0; i < COUNT(old); i++) {
		struct map *map = percpu_hash(old[i], 3, 6);

		test_map_lists(map, "free0=3 free1=3");
		test_map_destroy(map);
		map = percpu_hash(even[i], 3, 6);
		test_map_lists(map, "free0=2 free1=2 free2=2");
		test_map_destroy(map);
	}
}

/* This CPU's list, then the following ones around; a push goes to this CPU's. */
static void test_pop_around(void)
{
	struct map *map = percpu_hash("6.12", 3, 3);
	struct map_counters total;

	test_map_lists(map, "free0=1 free1=1 free2=1");
	test_map_run(map, "1U1", "0");
	test_map_lists(map, "free0=1 free2=1");
	test_map_run(map, "1U2", "0");
	test_map_lists(map, "free0=1");
	test_map_run(map, "1U3 1U4", "0 E2BIG");
	test_map_lists(map, "");
	test_map_counters(map, 3, &total);
	CU_ASSERT_EQUAL(total.steals, 2);
	test_map_run(map, "2D1 2D2 0D3", "0 0 0");
	test_map_lists(map, "free0=1 free2=2");
	test_map_run(map, "1U1 1U2 0U3", "0 0 0");
	test_map_counters(map, 3, &total);
	CU_ASSERT_EQUAL(total.steals, 4);
	test_map_destroy(map);
}

/* Creating 4 objects per CPU; below 32 a batch of 48 comes; above 96 it goes down to 64. */
static void test_cache(void)
{
	struct test_map wanted = {{.type = MAP_HASH, .max_entries = 300, .flags = MAP_NO_PREALLOC},
				  .cpus = 2};
	struct map *map = test_map_create(&wanted);
	struct map_ctx ctx = {.context = OP_PROGRAM};
	uint64_t key;

	test_map_lists(map, "free0=4 free1=4");
	test_map_run(map, "0U1000", "0");
	test_map_lists(map, "free0=51 free1=4");
	for (key = 0; key < 19; key++)
		CU_ASSERT_EQUAL(test_ops->update(map, &ctx, &key, &key, 0), 0);
	test_map_lists(map, "free0=32 free1=4");
	test_map_run(map, "0U1001", "0");
	test_map_lists(map, "free0=79 free1=4");
	for (key = 0; key < 17; key++)
		CU_ASSERT_EQUAL(test_ops->del(map, &ctx, &key), 0);
	test_map_lists(map, "free0=96 free1=4");
	test_map_run(map, "0D17", "0");
	test_map_lists(map, "free0=64 free1=4");
	/* Objects stay with the CPU that freed them. */
	test_map_run(map, "1D1000", "0");
	test_map_lists(map, "free0=64 free1=53");
	test_map_destroy(map);
}

/* Above 256 bytes the watermarks shrink in proportion, and one object is made per CPU. */
static void test_cache_of_large(void)
{
	static const struct {
		uint32_t value_size;
		const char *created, *inserted; /* then, with 1 element taken */
	} sizes[] = {
		{200, "free0=4", "free0=51"},  /* 256 bytes */
		{201, "free0=1", "free0=45"},  /* 264: 31 and 93, batches of 45 */
		{1000, "free0=1", "free0=12"}, /* 1056: 7 and 23, batches of 12 */
		{4096, "free0=1", "free0=3"},  /* 4152: 1 and 5, batches of 3 */
		{20000, "free0=1", "free0=1"}, /* 1 and 3, batches of 1 */
	};

	for (size_t i = 0; i < COUNT(sizes); i++) {
		struct test_map wanted = {{.type = MAP_HASH,
					   .value_size = sizes[i].value_size,
					   .max_entries = 100,
					   .flags = MAP_NO_PREALLOC},
					  .cpus = 1};
		struct map *map = test_map_create(&wanted);

		test_map_lists(map, sizes[i].created);
		test_map_run(map, "0U1", "0");
		test_map_lists(map, sizes[i].inserted);
		test_map_destroy(map);
	}
}

static void test_cache_tunables(void)
{
	struct test_map wanted = {{.type = MAP_PERCPU_HASH,
				   .max_entries = 50,
				   .flags = MAP_NO_PREALLOC},
				  .cpus = 1,
				  .set = "cache_low=2 cache_high=10 cache_prefill=3"};
	struct map *map = test_map_create(&wanted);

	test_map_lists(map, "free0=3");
	test_map_run(map, "0U1 0U2", "0 0");
	test_map_lists(map, "free0=7");
	test_map_run(map, "0U3 0U4 0U5 0D1 0D2 0D3 0D4", "0 0 0 0 0 0 0");
	test_map_lists(map, "free0=8");
	test_map_destroy(map);
}

/* Whatever the caches hold, there is a place for every per-CPU value. */
static void test_cached_values(void)
{
	static const char *const sets[] = {"cache_prefill=10000", "cache_low=10000 cache_high=3"};

	for (size_t i = 0; i < COUNT(sets); i++) {
		struct test_map wanted = {{.type = MAP_PERCPU_HASH,
					   .max_entries = 2,
					   .flags = MAP_NO_PREALLOC},
					  .cpus = 2,
					  .set = sets[i]};
		struct map *map = test_map_create(&wanted);

		for (int round = 0; round < 10000; round++)
			test_map_do(map, "0U1 0D1");
		CU_ASSERT(map->percpu.chunk_count <= map->percpu.chunk_slots);
		test_map_destroy(map);
	}
}

/* Until 6.0 there are no caches. */
static void test_general_allocator(void)
{
	struct test_map wanted = {{.type = MAP_HASH, .max_entries = 3, .flags = MAP_NO_PREALLOC},
				  .kernel = "6.0",
				  .cpus = 2};
	struct map *map = test_map_create(&wanted);

	test_map_lists(map, "");
	test_map_run(map, "0U1 1U2 0U3 0U4 1D1 0U4 0U5", "0 0 0 E2BIG 0 0 E2BIG");
	test_map_lists(map, "");
	test_map_destroy(map);
}

/* The policy can be chosen whatever the kernel has. */
static void test_choice(void)
{
	static const char *const choices[] = {"alloc=kmalloc", "alloc=bpfmem", "alloc=freelist"};
	static const char *const kernels[] = {"4.6", "5.15", "6.12", "7.3"};

	for (size_t i = 0; i < COUNT(choices); i++) {
		for (size_t n = 0; n < 2 * COUNT(kernels); n++) {
			struct test_map wanted = {{.type = MAP_HASH,
						   .max_entries = 2,
						   .flags = n % 2 ? MAP_NO_PREALLOC : 0},
						  .kernel = kernels[n / 2],
						  .cpus = 2,
						  .set = choices[i]};
			struct map *map = test_map_create(&wanted);

			test_map_run(map, "0U1 1U2 0U3 1U1 0D2 0U3", "0 0 E2BIG 0 0 0");
			test_map_destroy(map);
		}
	}
}

CU_TestInfo alloc_tests[] = {
	{"the published split", test_published_split},
	{"splits", test_splits},
	{"splits by release", test_split_releases},
	{"popping around", test_pop_around},
	{"caches", test_cache},
	{"caches of large objects", test_cache_of_large},
	{"tunables of caches", test_cache_tunables},
	{"per-CPU values in caches", test_cached_values},
	{"the general allocator", test_general_allocator},
	{"choices", test_choice},
	CU_TEST_INFO_NULL,
};
