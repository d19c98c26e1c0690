// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The kernel's LRU lists: targets, reference bits, flushing, giving back, stealing, surprises. */
#include <errno.h>
#include <string.h>

#include "tests/unit/test_map.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct map *create_lru(const char *kernel, uint32_t cpus, uint32_t entries, uint32_t flags,
			      const char *set)
{
	struct test_map wanted = {{.type = MAP_LRU_HASH, .max_entries = entries, .flags = flags},
				  kernel,
				  cpus,
				  set};

	return test_map_create(&wanted);
}

/* Puts new keys in on one CPU; returns how many there are then. */
static uint64_t insert(struct map *map, uint32_t cpu, uint64_t first, uint64_t count)
{
	struct map_ctx ctx = {.cpu = cpu, .context = OP_PROGRAM};

	for (uint64_t key = first; key < first + count; key++)
		CU_ASSERT_EQUAL(test_ops->update(map, &ctx, &key, &key, 0), 0);
	return test_map_entries(map);
}

/* The first insertion on a CPU takes a target of nodes from the global list. */
static void check_target(const char *kernel, const char *set, uint32_t entries, uint32_t cpus,
			 uint32_t target)
{
	struct map *map = create_lru(kernel, cpus, entries, 0, set);
	uint64_t free;

	insert(map, cpus - 1, 0, 1);
	free = test_map_nodes(map, "local_free", (int)cpus - 1);
	if (free + 1 != (target < entries ? target : entries))
		test_fail(__FILE__, __LINE__, "%s, %u entries, %u CPUs: %llu local nodes, not %u",
			  kernel, entries, cpus, (unsigned long long)free + 1, target);
	CU_ASSERT_EQUAL(test_map_nodes(map, "free", -1), entries - free - 1);
	test_map_destroy(map);
}

static void test_targets(void)
{
	static const uint32_t targets[][3] = {
		{1, 1, 1},       {2, 1, 1},     {3, 1, 1},       {4, 1, 2},        {100, 1, 50},
		{255, 1, 127},   {256, 1, 128}, {300, 1, 128},   {1000, 4, 125},   {4096, 32, 64},
		{10000, 79, 63}, {7, 32, 1},    {4096, 4096, 1}, {100000, 2, 128},
	};

	for (size_t i = 0; i < COUNT(targets); i++) {
		check_target("6.16", NULL, targets[i][0], targets[i][1], targets[i][2]);
		check_target("6.15", NULL, targets[i][0], targets[i][1], 128);
	}
}

static void test_target_releases(void)
{
	static const char *const fixed[] = {"4.10", "6.1.170", "6.12", "6.12.38", "6.15"};
	static const char *const by_size[] = {"6.12.39", "6.12.107", "6.16", "6.18", "7.3"};

	for (size_t i = 0; i < COUNT(fixed); i++) {
		check_target(fixed[i], NULL, 300, 4, 128);
		check_target(by_size[i], NULL, 300, 4, 37);
	}
}

static void test_target_tunables(void)
{
	check_target("6.12", "free_target=5", 300, 4, 5);
	check_target("7.3", "free_target=300", 300, 4, 300);
	check_target("7.3", "free_target=301", 300, 4, 300);
	check_target("7.3", "free_target_min=50", 300, 4, 50);
	check_target("7.3", "free_target_max=20", 300, 4, 20);
	check_target("7.3", "free_target_rule=fixed free_target_max=64", 300, 4, 64);
	check_target("6.12", "free_target_rule=by-size", 300, 4, 37);
}

/* A full per-CPU map gives up its target, but never more than it scans. */
static void test_percpu_targets(void)
{
	static const struct {
		const char *kernel, *set;
		uint64_t evicted;
	} targets[] = {
		{"4.10", NULL, 16},
		{"4.11", NULL, 16},
		{"4.12", NULL, 4},
		{"6.12", NULL, 4},
		{"7.3", NULL, 4},
		{"7.3", "percpu_nr_scans=7", 7},
		{"7.3", "nr_scans=10", 10},
		{"7.3", "common_nr_scans=10", 4},
		{"7.3", "free_target=2", 2},
		{"7.3", "free_target=20", 4},
		{"7.3", "free_target=20 nr_scans=50", 20},
		{"7.3", "free_target_max=1", 4},
	};

	for (size_t i = 0; i < COUNT(targets); i++) {
		struct map *map =
			create_lru(targets[i].kernel, 1, 100, MAP_NO_COMMON_LRU, targets[i].set);

		CU_ASSERT_EQUAL(insert(map, 0, 0, 100), 100);
		CU_ASSERT_EQUAL(insert(map, 0, 100, 1), 101 - targets[i].evicted);
		test_map_destroy(map);
	}
}

/* One insertion can cost a whole target of keys, and before the map is full. */
static void test_whole_targets(void)
{
	struct map *map = create_lru("6.12", 1, 1000, 0, NULL);
	struct map_counters counters;
	struct map_census census;

	CU_ASSERT_EQUAL(insert(map, 0, 0, 896), 896);
	/* 104 nodes are left: 24 keys go for the rest of the target. */
	CU_ASSERT_EQUAL(insert(map, 0, 896, 1), 873);
	CU_ASSERT_EQUAL(insert(map, 0, 897, 127), 1000);
	CU_ASSERT_EQUAL(insert(map, 0, 1024, 1), 873);
	test_ops->counters(map, 0, &counters);
	test_ops->census(map, &census);
	CU_ASSERT_EQUAL(counters.evictions, 24 + 128);
	CU_ASSERT_EQUAL(counters.flushes, 9);
	if (test_ops->has_census) {
		/* All but the first of the second time, when the map was full. */
		CU_ASSERT_EQUAL(counters.premature_evictions, 24 + 127);
		CU_ASSERT_EQUAL(census.first_premature_entries, 896);
		CU_ASSERT_EQUAL(census.entries_max, 1000);
	}
	test_map_destroy(map);
}

/* A shrink of the common LRU looks at nr_scans nodes. */
static void test_common_scans(void)
{
	struct map *map = create_lru("6.12", 1, 1000, 0, "nr_scans=10");

	insert(map, 0, 0, 896);
	/* Of the 24 nodes wanted 10 are found. */
	CU_ASSERT_EQUAL(insert(map, 0, 896, 1), 887);
	test_map_lists(map, "inactive=886 local_free0=113 local_pending0=1");
	test_map_destroy(map);
}

/* With 1 marked, it survives where 2 does not. M=2 with per-CPU lists, as in a real kernel. */
static void check_marks(const char *kernel, const char *set, const char *op, const char *keys)
{
	static const enum map_type types[] = {MAP_LRU_HASH, MAP_LRU_PERCPU_HASH};

	for (size_t i = 0; i < COUNT(types); i++) {
		struct test_map wanted = {{.type = types[i],
					   .max_entries = 2,
					   .flags = MAP_NO_COMMON_LRU},
					  kernel,
					  1,
					  set};
		struct map *map = test_map_create(&wanted);

		test_map_run(map, "0U1 0U2", "0 0");
		test_map_run(map, op,
			     strchr(op, 'k')   ? "ENOENT"
			     : strchr(op, 'b') ? "ENOENT:2"
					       : "0");
		test_map_run(map, "0U3", "0");
		test_map_keys(map, keys);
		test_map_destroy(map);
	}
}

static void test_marks(void)
{
	static const char *const kernels[] = {"4.10", "5.1", "5.2", "6.12", "7.3"};

	for (size_t i = 0; i < COUNT(kernels); i++) {
		const char *by_call = i < 2 ? "1 3" : "3";

		check_marks(kernels[i], NULL, "0L1", "1 3");
		check_marks(kernels[i], NULL, "0T1", "1 3");
		check_marks(kernels[i], NULL, "0S1", "1 3");
		check_marks(kernels[i], NULL, "0s1", "1 3");
		check_marks(kernels[i], NULL, "0l1", by_call);
		check_marks(kernels[i], NULL, "0t1", by_call);
		check_marks(kernels[i], NULL, "0k1", "3");
	}
	check_marks("7.3", "sys_lookup_marks=1", "0l1", "1 3");
	check_marks("5.1", "sys_lookup_marks=0", "0l1", "3");
	check_marks("5.1", "sys_lookup_marks=0", "0L1", "1 3");
	check_marks("5.6", NULL, "0b8", "3");
}

/* An update marks what is there already, whoever does it. */
static void test_updates_mark(void)
{
	struct test_map wanted = {{.type = MAP_LRU_PERCPU_HASH,
				   .max_entries = 2,
				   .flags = MAP_NO_COMMON_LRU},
				  "7.3",
				  1,
				  NULL};
	static const char *const updates[] = {"0E1", "0e1"};

	for (size_t i = 0; i < COUNT(updates); i++) {
		struct map *map = test_map_create(&wanted);

		test_map_run(map, "0U1 0U2", "0 0");
		test_map_run(map, updates[i], "0");
		test_map_run(map, "0U3", "0");
		test_map_keys(map, "1 3");
		test_map_destroy(map);
	}
	/* In LRU_HASH it is the new node that is marked; as in a real kernel. */
	wanted.attr.type = MAP_LRU_HASH;
	for (int i = 0; i < 2; i++) {
		struct map *map = test_map_create(&wanted);

		test_map_run(map, i ? "0u1 0u1 0u3" : "0U1 0U1 0U3", "0 0 0");
		test_map_keys(map, "1 3");
		test_map_destroy(map);
	}
}

/* An update takes its node first, which can cost it its own key. As in a real kernel. */
static void test_surprises(void)
{
	static const struct {
		const char *ops, *returns, *keys;
	} surprises[] = {
		{"0U5 0N5", "0 0", "5"},
		{"0U5 0E5", "0 ENOENT", ""},
		{"0U5 0E5 0L5 0U6", "0 ENOENT ENOENT 0", "6"},
		{"0U5 0U5 0L5 0U6 0L5 0L6 0D6 0U7", "0 0 0 0 ENOENT 0 0 0", "7"},
	};

	for (size_t i = 0; i < 2 * COUNT(surprises); i++) {
		struct map *map = create_lru("6.18", 1, 1, i % 2 ? MAP_NO_COMMON_LRU : 0, NULL);

		test_map_run(map, surprises[i / 2].ops, surprises[i / 2].returns);
		test_map_keys(map, surprises[i / 2].keys);
		test_map_destroy(map);
	}
}

/* With per-CPU values, EXIST takes no node: nothing can be evicted. */
static void test_exist_takes_none(void)
{
	for (int i = 0; i < 2; i++) {
		struct test_map wanted = {{.type = MAP_LRU_PERCPU_HASH,
					   .max_entries = 1,
					   .flags = i ? MAP_NO_COMMON_LRU : 0},
					  "6.18",
					  1,
					  NULL};
		struct map *map = test_map_create(&wanted);

		test_map_run(map, "0U5 0E5 0E6 0E5 0L5", "0 0 ENOENT 0 0");
		test_map_run(map, "0N5 0N5 0E6", "0 0 ENOENT");
		test_map_keys(map, "5");
		test_map_destroy(map);
	}
}

/* A pending node goes back to the CPU it is pending on, another to the global list. */
static void test_give_back(void)
{
	struct map *map = create_lru("6.12", 2, 4, 0, "free_target=2");

	test_map_lists(map, "free=4");
	test_map_run(map, "0U1", "0");
	test_map_lists(map, "free=2 local_free0=1 local_pending0=1");
	test_map_run(map, "1D1", "0");
	test_map_lists(map, "free=2 local_free0=2");
	test_map_run(map, "0U1 0U2 0N1", "0 0 EEXIST");
	test_map_lists(map, "inactive=2 local_free0=2");
	test_map_destroy(map);

	map = create_lru("6.12", 2, 4, 0, "free_target=2");
	test_map_run(map, "0U1 0U2 0U3", "0 0 0");
	test_map_lists(map, "inactive=2 local_free0=1 local_pending0=1");
	test_map_run(map, "0N3", "EEXIST");
	test_map_lists(map, "inactive=2 local_free0=1 local_pending0=1");
	test_map_run(map, "1D2 1p3", "0 0");
	test_map_lists(map, "inactive=1 free=1 local_free0=2");
	test_map_destroy(map);
}

/* Per-CPU lists never mix: a node goes back to its own CPU's. */
static void test_give_back_percpu(void)
{
	struct map *map = create_lru("6.12", 2, 4, MAP_NO_COMMON_LRU, NULL);

	test_map_lists(map, "free0=2 free1=2");
	test_map_run(map, "0U1 0U2", "0 0");
	test_map_lists(map, "inactive0=2 free1=2");
	test_map_run(map, "1D1 1N2", "0 EEXIST");
	test_map_lists(map, "inactive0=1 free0=1 free1=2");
	/* In a real kernel, too: what is free elsewhere is of no use. */
	test_map_run(map, "0U3 0U4 0U5 1U6", "0 0 0 0");
	test_map_keys(map, "4 5 6");
	test_map_destroy(map);
}

/* A flush sends what was used to ACTIVE, the rest to INACTIVE. */
static void test_flush(void)
{
	struct map *map = create_lru("6.12", 1, 6, 0, "free_target=3");

	test_map_run(map, "0U1 0U2 0U3 0L2", "0 0 0 0");
	test_map_lists(map, "free=3 local_pending0=3");
	test_map_run(map, "0U4", "0");
	test_map_lists(map, "active=1 inactive=2 local_free0=2 local_pending0=1");
	test_map_run(map, "0U5 0U6", "0 0");
	/* What shrinks is the oldest of INACTIVE: 1 and 3, then 4. */
	test_map_run(map, "0U7", "0");
	test_map_keys(map, "2 5 6 7");
	test_map_destroy(map);
}

/* Free nodes of another CPU first; then its oldest unused key; then its oldest. */
static void test_steal(void)
{
	static const struct {
		const char *ops, *returns, *keys;
	} steals[] = {
		{"0U1 1U3", "0 0", "1 3"},
		{"0U1 0U2 1U3", "0 0 0", "2 3"},
		{"0U1 0U2 0L1 1U3", "0 0 0 0", "1 3"},
		{"0U1 0U2 0L1 0L2 1U3", "0 0 0 0 0", "2 3"},
	};

	for (size_t i = 0; i < COUNT(steals); i++) {
		struct map *map = create_lru("6.12", 2, 2, 0, NULL);
		struct map_counters counters;

		test_map_run(map, steals[i].ops, steals[i].returns);
		test_map_keys(map, steals[i].keys);
		test_ops->counters(map, 1, &counters);
		CU_ASSERT_EQUAL(counters.steals, 1);
		test_map_destroy(map);
	}
}

/*
 * A CPU's steals go on behind where its last one ended, beginning with itself: 2 ends behind 0, so
 * its second steal begins with 1 and takes 5; beginning with itself again, it would take 4.
 */
static void test_steal_cursor(void)
{
	struct map *map = create_lru("6.12", 3, 2, 0, NULL);
	struct map_counters total;

	test_map_run(map, "0U1 1U2 2U3 0U4", "0 0 0 0");
	test_map_keys(map, "3 4");
	test_map_run(map, "1U5", "0");
	test_map_keys(map, "4 5");
	test_map_run(map, "2U6", "0");
	test_map_keys(map, "4 6");
	test_map_counters(map, 3, &total);
	CU_ASSERT_EQUAL(total.steals, 5);
	CU_ASSERT_EQUAL(total.evictions, 4);
	test_map_destroy(map);
}

/* When all was used, one key goes nevertheless. As in a real kernel. */
static void test_forced_shrink(void)
{
	struct map *map = create_lru("6.18", 1, 2, MAP_NO_COMMON_LRU, NULL);
	struct map_counters counters;

	test_map_run(map, "0U1 0L1 0U2 0L2 0U3", "0 0 0 0 0");
	test_map_keys(map, "2 3");
	test_ops->counters(map, 0, &counters);
	CU_ASSERT_EQUAL(counters.forced_shrinks, 1);
	CU_ASSERT_EQUAL(counters.shrinks, 1);
	CU_ASSERT_EQUAL(counters.evictions, 1);
	test_map_destroy(map);
}

CU_TestInfo lru_tests[] = {
	{"targets", test_targets},
	{"targets by release", test_target_releases},
	{"targets by tunables", test_target_tunables},
	{"targets of per-CPU lists", test_percpu_targets},
	{"a whole target at once", test_whole_targets},
	{"scans of a shrink", test_common_scans},
	{"marks by release", test_marks},
	{"updates mark", test_updates_mark},
	{"surprises", test_surprises},
	{"EXIST takes no node", test_exist_takes_none},
	{"giving back", test_give_back},
	{"giving back to a CPU's lists", test_give_back_percpu},
	{"flushing", test_flush},
	{"stealing", test_steal},
	{"where stealing begins", test_steal_cursor},
	{"forced shrink", test_forced_shrink},
	CU_TEST_INFO_NULL,
};
