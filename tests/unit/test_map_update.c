// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Updates, deletes and values of all types, where nothing is evicted. */
#include <errno.h>
#include <string.h>

#include "tests/unit/test_map.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Every kind of map, for what is the same in all. */
static const struct test_map kinds[] = {
	{{.type = MAP_HASH, .max_entries = 64}, .cpus = 2},
	{{.type = MAP_HASH, .max_entries = 64, .flags = MAP_NO_PREALLOC}, .cpus = 2},
	{{.type = MAP_PERCPU_HASH, .max_entries = 64}, .cpus = 2},
	{{.type = MAP_PERCPU_HASH, .max_entries = 64, .flags = MAP_NO_PREALLOC}, .cpus = 2},
	{{.type = MAP_LRU_HASH, .max_entries = 64}, .cpus = 2},
	{{.type = MAP_LRU_HASH, .max_entries = 64, .flags = MAP_NO_COMMON_LRU}, .cpus = 2},
	{{.type = MAP_LRU_PERCPU_HASH, .max_entries = 64}, .cpus = 2},
	{{.type = MAP_LRU_PERCPU_HASH, .max_entries = 64, .flags = MAP_NO_COMMON_LRU}, .cpus = 2},
	{{.type = MAP_LRU_HASH, .max_entries = 64}, .cpus = 2, .set = "rotation=lru"},
	{{.type = MAP_HASH, .max_entries = 64}, .cpus = 2, .kernel = "3.19"},
	{{.type = MAP_HASH, .max_entries = 64, .flags = MAP_NO_PREALLOC},
	 .cpus = 2,
	 .kernel = "4.6"},
	{{.type = MAP_PERCPU_HASH, .max_entries = 64}, .cpus = 2, .kernel = "5.10"},
	{{.type = MAP_LRU_HASH, .max_entries = 64},
	 .cpus = 2,
	 .kernel = "4.10",
	 .set = "free_target=1"},
};

static void test_flags(void)
{
	for (size_t i = 0; i < COUNT(kinds); i++) {
		struct map *map = test_map_create(&kinds[i]);

		test_map_run(map, "0E1 0N1 0N1 0E1 0U1 1N1 1E1", "ENOENT 0 EEXIST 0 0 EEXIST 0");
		test_map_run(map, "1e2 1n2 0n2 0e2 0u2 0u2", "ENOENT 0 EEXIST 0 0 0");
		test_map_keys(map, "1 2");
		test_map_run(map, "1D1 0D1 0d2 1d2 0E1 0N1", "0 ENOENT 0 ENOENT ENOENT 0");
		test_map_keys(map, "1");
		test_map_destroy(map);
	}
}

/* An update with flags that are not known leaves all as it was. */
static void test_unknown_flags(void)
{
	static const uint64_t flags[] = {3, 4, 1ULL << 32, UINT64_MAX};
	struct map_ctx ctx = {.context = OP_PROGRAM};
	uint64_t key = 7, values[2] = {1, 2};

	for (size_t i = 0; i < COUNT(kinds); i++) {
		struct map *map = test_map_create(&kinds[i]);

		for (size_t n = 0; n < COUNT(flags); n++)
			CU_ASSERT_EQUAL(test_ops->update(map, &ctx, &key, values, flags[n]),
					-EINVAL);
		CU_ASSERT_EQUAL(test_map_entries(map), 0);
		test_map_destroy(map);
	}
}

static void test_found_and_missing(void)
{
	for (size_t i = 0; i < COUNT(kinds); i++) {
		struct map *map = test_map_create(&kinds[i]);

		test_map_run(map, "0L1 0l1 0U1 0L1 1l1 1L2 0D1 0L1",
			     "ENOENT ENOENT 0 0 0 ENOENT 0 ENOENT");
		test_map_run(map, "0T5 1T5 0T5 0D5 1T5", "1 0 0 0 1");
		test_map_run(map, "0S6 1S6 0s6", "1 0 0");
		test_map_keys(map, "5 6");
		test_map_destroy(map);
	}
}

/* In a kernel 6.18 with 8 keys in 8 buckets; 4 and 7 share one. */
static void test_move_to_head(void)
{
	static const char insert[] = "0U1 0U2 0U3 0U4 0U5 0U6 0U7 0U8", zeros[] = "0 0 0 0 0 0 0 0";
	struct test_map wanted = {{.type = MAP_HASH, .max_entries = 8},
				  .kernel = "6.18",
				  .cpus = 2};
	struct map *map;

	for (int flags = 0; flags < 2; flags++) {
		wanted.attr.flags = flags ? MAP_NO_PREALLOC : 0;
		map = test_map_create(&wanted);
		test_map_run(map, insert, zeros);
		test_map_order(map, "7 4 2 6 3 8 5 1");
		test_map_run(map, "0U6 0E4 0u1 0N1", "0 0 0 EEXIST");
		test_map_order(map, "4 7 2 6 3 8 5 1");
		test_map_run(map, "0L7 0N7 1u7", "0 EEXIST 0");
		test_map_order(map, "7 4 2 6 3 8 5 1");
		test_map_destroy(map);
	}
	/* Per-CPU values are written where they are. */
	wanted.attr.type = MAP_PERCPU_HASH;
	map = test_map_create(&wanted);
	test_map_run(map, insert, zeros);
	test_map_run(map, "0U4 0E4 1u4", "0 0 0");
	test_map_order(map, "7 4 2 6 3 8 5 1");
	test_map_destroy(map);
}

static void test_move_to_head_lru(void)
{
	struct test_map wanted = {{.type = MAP_LRU_HASH, .max_entries = 8},
				  .kernel = "6.18",
				  .cpus = 2,
				  .set = "free_target=1"};
	struct map *map = test_map_create(&wanted);

	test_map_run(map, "0U4 0U7", "0 0");
	test_map_order(map, "7 4");
	test_map_run(map, "0E4", "0");
	test_map_order(map, "4 7");
	test_map_destroy(map);
	wanted.attr.type = MAP_LRU_PERCPU_HASH;
	map = test_map_create(&wanted);
	test_map_run(map, "0U4 0U7 0E4 0U4", "0 0 0 0");
	test_map_order(map, "7 4");
	test_map_destroy(map);
}

/* Any CPU can have the last element, no one can have more; replacing always works. */
static void test_full(void)
{
	for (size_t i = 0; i < COUNT(kinds); i++) {
		struct test_map wanted = kinds[i];
		struct map_census census;
		struct map *map;

		if (wanted.attr.type != MAP_HASH && wanted.attr.type != MAP_PERCPU_HASH)
			continue;
		wanted.attr.max_entries = 4;
		map = test_map_create(&wanted);
		test_map_run(map, "0U1 0U2 0U3 0U4 0U5 1U5 1N5 1N1",
			     "0 0 0 0 E2BIG E2BIG E2BIG EEXIST");
		test_map_run(map, "0U1 1U1 0E2 1E2 0u3 1u3 1u3 1U4", "0 0 0 0 0 0 0 0");
		test_map_run(map, "1E5 1D5 0D1 1U5 0U1 0T1 1T2", "ENOENT ENOENT 0 0 E2BIG E2BIG 0");
		test_map_keys(map, "2 3 4 5");
		test_ops->census(map, &census);
		CU_ASSERT_EQUAL(census.entries, 4);
		CU_ASSERT_EQUAL(census.entries_max, test_ops->has_census ? 4 : 0);
		test_map_destroy(map);
	}
}

/* One element per CPU is put aside at creation, taken by CPU 0; replacing swaps with it. */
static void test_spares(void)
{
	struct test_map wanted = {{.type = MAP_HASH, .max_entries = 2}, .cpus = 3};
	struct map *map = test_map_create(&wanted);

	test_map_lists(map, "free1=1 free2=1 spare0=1 spare1=1 spare2=1");
	test_map_run(map, "2U1 2U2 0U3", "0 0 E2BIG");
	test_map_lists(map, "spare0=1 spare1=1 spare2=1");
	test_map_run(map, "0U1 1U1 2U2 0U2 0U3", "0 0 0 0 E2BIG");
	test_map_lists(map, "spare0=1 spare1=1 spare2=1");
	test_map_run(map, "1D1", "0");
	test_map_lists(map, "free1=1 spare0=1 spare1=1 spare2=1");
	test_map_destroy(map);
}

/* Without spares the free list gives, and a map that is full has none left. */
static void test_no_spares(void)
{
	struct test_map wanted = {{.type = MAP_HASH, .max_entries = 2},
				  .cpus = 2,
				  .set = "spares=0"};
	struct map *map = test_map_create(&wanted);

	test_map_lists(map, "free0=1 free1=1");
	test_map_run(map, "0U1 0U1 1U1", "0 0 0");
	test_map_run(map, "0U2 0U1 1E2 0D1 0U2", "0 E2BIG E2BIG 0 0");
	test_map_destroy(map);
	/* Nor are there any with per-CPU values, which are written in place. */
	wanted.attr.type = MAP_PERCPU_HASH;
	wanted.set = NULL;
	map = test_map_create(&wanted);
	test_map_lists(map, "free0=1 free1=1");
	test_map_run(map, "0U1 0U2 1U2 1U1 0U3", "0 0 0 0 E2BIG");
	test_map_destroy(map);
}

/* A look-up gives what the last update brought, all of it. */
static void check_values(enum map_type type, uint32_t flags, uint32_t value_size)
{
	struct test_map wanted = {{type, 4, value_size, 16, flags, 0, false}, NULL, 1, NULL};
	struct map *map = test_map_create(&wanted);
	struct map_ctx ctx = {.context = OP_PROGRAM};
	uint8_t value[64], found[64];
	uint32_t key;

	for (int round = 0; round < 20; round++) {
		key = (uint32_t)round % 5;
		memset(value, round + 1, sizeof(value));
		CU_ASSERT_EQUAL(test_ops->update(map, &ctx, &key, value, 0), 0);
		memset(found, 0xee, sizeof(found));
		CU_ASSERT_EQUAL(test_ops->lookup(map, &ctx, &key, found), 0);
		CU_ASSERT_EQUAL(memcmp(found, value, value_size), 0);
		CU_ASSERT_EQUAL(found[value_size], 0xee);
	}
	for (key = 0; key < 5; key++) {
		CU_ASSERT_EQUAL(test_ops->lookup(map, &ctx, &key, found), 0);
		CU_ASSERT_EQUAL(found[0], 16 + key);
		CU_ASSERT_EQUAL(test_ops->lookup(map, &ctx, &key, NULL), 0);
	}
	CU_ASSERT_EQUAL(test_ops->lookup(map, &ctx, &key, found), -ENOENT);
	test_map_destroy(map);
}

static void test_values(void)
{
	static const uint32_t sizes[] = {1, 3, 4, 7, 8, 9, 13, 16, 63};

	for (size_t i = 0; i < COUNT(kinds); i++) {
		if (kinds[i].kernel)
			continue;
		for (size_t n = 0; n < COUNT(sizes); n++)
			check_values(kinds[i].attr.type, kinds[i].attr.flags, sizes[n]);
	}
}

static void test_lookup_and_delete(void)
{
	for (size_t i = 0; i < COUNT(kinds); i++) {
		struct test_map wanted = kinds[i];
		struct map *map;

		if (wanted.kernel && !strcmp(wanted.kernel, "3.19"))
			continue;
		wanted.kernel = "5.14";
		map = test_map_create(&wanted);
		test_map_run(map, "0p1 0U1 1p1 0p1 0U2 0P2 0P2", "ENOENT 0 0 ENOENT 0 0 ENOENT");
		CU_ASSERT_EQUAL(test_map_entries(map), 0);
		test_map_destroy(map);
		wanted.kernel = "5.13";
		map = test_map_create(&wanted);
		test_map_run(map, "0U1 0p1 0p2", "0 ENOTSUPP ENOTSUPP");
		test_map_keys(map, "1");
		test_map_destroy(map);
	}
}

static void test_lookup_and_delete_value(void)
{
	for (size_t i = 0; i < COUNT(kinds); i++) {
		struct map_ctx ctx = {.context = OP_PROGRAM};
		uint64_t key = 5, value = 42, found = 0;
		struct map *map;

		if (kinds[i].kernel)
			continue;
		map = test_map_create(&kinds[i]);
		CU_ASSERT_EQUAL(test_ops->update(map, &ctx, &key, &value, 0), 0);
		CU_ASSERT_EQUAL(test_ops->lookup_and_delete(map, &ctx, &key, &found), 0);
		CU_ASSERT_EQUAL(found, 42);
		found = 1;
		CU_ASSERT_EQUAL(test_ops->lookup_and_delete(map, &ctx, &key, &found), -ENOENT);
		CU_ASSERT_EQUAL(found, 1);
		test_map_destroy(map);
	}
}

static void test_counters(void)
{
	for (size_t i = 0; i < COUNT(kinds); i++) {
		struct map_counters total, first;
		struct map *map;

		if (kinds[i].kernel)
			continue;
		map = test_map_create(&kinds[i]);
		test_map_run(map, "0U1 0U1 1N1 1E2 0L1 0L2 1T3 1T3 1D1 1D1 0p3 0p3",
			     "0 0 EEXIST ENOENT 0 ENOENT 1 0 0 ENOENT 0 ENOENT");
		test_map_counters(map, 2, &total);
		test_ops->counters(map, 0, &first);
		CU_ASSERT_EQUAL(total.operations, 12);
		CU_ASSERT_EQUAL(first.operations, 6);
		CU_ASSERT_EQUAL(total.inserts, 2);
		CU_ASSERT_EQUAL(first.inserts, 1);
		CU_ASSERT_EQUAL(total.replaced, 1);
		CU_ASSERT_EQUAL(total.hits, 3);
		CU_ASSERT_EQUAL(total.misses, 3);
		CU_ASSERT_EQUAL(total.deletes, 2);
		CU_ASSERT_EQUAL(total.evictions, 0);
		CU_ASSERT_EQUAL(total.errors[ERROR_EEXIST], 1);
		CU_ASSERT_EQUAL(total.errors[ERROR_ENOENT], 4);
		test_map_destroy(map);
	}
}

static void test_census(void)
{
	struct test_map wanted = {{.type = MAP_HASH, .max_entries = 10}, .cpus = 1};
	struct map *map = test_map_create(&wanted);
	struct map_census census;

	test_map_run(map, "0U1 0U2 0U3 0D1 0D2 0U3 0U4", "0 0 0 0 0 0 0");
	test_ops->census(map, &census);
	CU_ASSERT_EQUAL(census.entries, 2);
	CU_ASSERT_EQUAL(census.entries_max, test_ops->has_census ? 3 : 0);
	CU_ASSERT_EQUAL(census.first_premature_entries, 0);
	CU_ASSERT_EQUAL(test_ops->max_entries(map), 10);
	CU_ASSERT_EQUAL(test_ops->key_size(map), 8);
	test_map_destroy(map);
}

CU_TestInfo map_update_tests[] = {
	{"flags", test_flags},
	{"unknown flags", test_unknown_flags},
	{"found and missing", test_found_and_missing},
	{"moving to the head", test_move_to_head},
	{"moving to the head, LRU", test_move_to_head_lru},
	{"full maps", test_full},
	{"spares", test_spares},
	{"no spares", test_no_spares},
	{"values", test_values},
	{"look-up and delete", test_lookup_and_delete},
	{"look-up and delete, values", test_lookup_and_delete_value},
	{"counters", test_counters},
	{"census", test_census},
	CU_TEST_INFO_NULL,
};
