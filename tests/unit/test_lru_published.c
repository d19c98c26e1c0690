// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Evictions from maps that were nearly empty, as published with the smaller free target (2025). */
#include "tests/unit/test_map.h"

static struct map *create_lru(const char *kernel, uint32_t cpus, uint32_t entries)
{
	struct test_map wanted = {{.type = MAP_LRU_HASH, .max_entries = entries},
				  kernel,
				  cpus,
				  NULL};

	return test_map_create(&wanted);
}

static void insert(struct map *map, uint32_t cpu, uint64_t key)
{
	struct map_ctx ctx = {.cpu = cpu, .context = OP_PROGRAM};

	CU_ASSERT_EQUAL(test_ops->update(map, &ctx, &key, &key, 0), 0);
}

/* Free nodes of the first CPUs, and of the global list. */
static uint64_t free_nodes(struct map *map, int cpus)
{
	uint64_t free = test_map_nodes(map, "free", -1);

	for (int cpu = 0; cpu < cpus; cpu++)
		free += test_map_nodes(map, "local_free", cpu);
	return free;
}

/* 79 CPUs take 128 nodes of 10000 each, the last of them 16, and there is none for another. */
static void test_starving(void)
{
	struct map *map = create_lru("6.12", 80, 10000);
	struct map_counters counters;

	for (uint32_t cpu = 0; cpu < 79; cpu++)
		insert(map, cpu, cpu);
	CU_ASSERT_EQUAL(free_nodes(map, 79), 78 * 127 + 15);
	CU_ASSERT_EQUAL(free_nodes(map, 78), 78 * 127);
	/* CPU 79 steals one node, and from then on recycles it. */
	insert(map, 79, 1000);
	test_ops->counters(map, 79, &counters);
	CU_ASSERT_EQUAL(counters.steals, 1);
	CU_ASSERT_EQUAL(counters.evictions, 0);
	for (uint64_t key = 1001; key < 1100; key++)
		insert(map, 79, key);
	test_ops->counters(map, 79, &counters);
	CU_ASSERT_EQUAL(counters.steals, 1);
	CU_ASSERT_EQUAL(counters.evictions, 99);
	CU_ASSERT_EQUAL(counters.premature_evictions, test_ops->has_census ? 99 : 0);
	CU_ASSERT_EQUAL(test_map_entries(map), 80);
	CU_ASSERT_EQUAL(free_nodes(map, 80), 9920);
	test_map_destroy(map);
}

/* With 79 CPUs the last one has 16 nodes to go round in. */
static void test_starving_last(void)
{
	struct map *map = create_lru("6.12", 79, 10000);

	for (uint32_t cpu = 0; cpu < 79; cpu++)
		insert(map, cpu, cpu);
	CU_ASSERT_EQUAL(free_nodes(map, 79), 9921);
	for (uint64_t key = 1001; key <= 1015; key++)
		insert(map, 78, key);
	CU_ASSERT_EQUAL(test_map_entries(map), 94);
	/* A whole round goes at once. */
	insert(map, 78, 1016);
	CU_ASSERT_EQUAL(test_map_entries(map), 79);
	for (uint64_t key = 1017; key <= 1100; key++)
		insert(map, 78, key);
	CU_ASSERT(test_map_entries(map) <= 94);
	CU_ASSERT_EQUAL(free_nodes(map, 78), 78 * 127);
	test_map_destroy(map);

	/* Since 6.16 all have a half of what there is, and the last one all that is left. */
	map = create_lru("6.16", 79, 10000);
	for (uint32_t cpu = 0; cpu < 79; cpu++)
		insert(map, cpu, cpu);
	for (uint64_t key = 1001; key <= 5000; key++)
		insert(map, 78, key);
	CU_ASSERT_EQUAL(test_map_entries(map), 4079);
	test_map_destroy(map);
}

/* 2176 updates on the last of 32 CPUs, when each of the others has made one. */
static uint64_t live_entries(const char *kernel)
{
	struct map *map = create_lru(kernel, 32, 4096);
	uint64_t entries, key = 0;

	for (uint32_t cpu = 0; cpu < 31; cpu++)
		insert(map, cpu, key++);
	while (key < 31 + 2176)
		insert(map, 31, key++);
	entries = test_map_entries(map);
	test_map_destroy(map);
	return entries;
}

static void test_live_entries(void)
{
	/* "Around 150": the last CPU goes round in its 128 nodes. */
	CU_ASSERT_EQUAL(live_entries("6.15"), 31 + 128);
	CU_ASSERT_EQUAL(live_entries("6.12.38"), 31 + 128);
	/* "Around 2100": it has all that the others, with 64 nodes each, have left. */
	CU_ASSERT_EQUAL(live_entries("6.16"), 31 + 4096 - 31 * 64);
	CU_ASSERT_EQUAL(live_entries("6.12.39"), 31 + 4096 - 31 * 64);
}

/* The keys 0 to 4 in maps of a few entries. */
static void test_tiny(void)
{
	static const char *const before[] = {"4", "3 4", "4"}, *const since[] = {"3 4", "2 3 4",
										 "2 3 4"};

	for (uint32_t entries = 2; entries <= 4; entries++) {
		struct map *map = create_lru("6.15", 1, entries);

		test_map_run(map, "0U0 0U1 0U2 0U3 0U4", "0 0 0 0 0");
		test_map_keys(map, before[entries - 2]);
		test_map_destroy(map);
		map = create_lru("6.16", 1, entries);
		test_map_run(map, "0U0 0U1 0U2 0U3 0U4", "0 0 0 0 0");
		test_map_keys(map, since[entries - 2]);
		test_map_destroy(map);
	}
}

CU_TestInfo lru_published_tests[] = {
	{"a CPU without nodes", test_starving},
	{"the last CPU", test_starving_last},
	{"live entries", test_live_entries},
	{"tiny maps", test_tiny},
	CU_TEST_INFO_NULL,
};
