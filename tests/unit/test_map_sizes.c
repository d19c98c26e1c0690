// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The edges: one entry, long keys, large values, thousands of CPUs. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/attr.h"
#include "tests/unit/test_map.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct map_attr kinds[] = {
	{.type = MAP_HASH},
	{.type = MAP_HASH, .flags = MAP_NO_PREALLOC},
	{.type = MAP_PERCPU_HASH},
	{.type = MAP_PERCPU_HASH, .flags = MAP_NO_PREALLOC},
	{.type = MAP_LRU_HASH},
	{.type = MAP_LRU_HASH, .flags = MAP_NO_COMMON_LRU},
	{.type = MAP_LRU_PERCPU_HASH},
	{.type = MAP_LRU_PERCPU_HASH, .flags = MAP_NO_COMMON_LRU},
};

/* Keys that only differ in their last byte. */
static void check_long_keys(const struct map_attr *kind, uint32_t key_size)
{
	struct test_map wanted = {{kind->type, key_size, 8, 32, kind->flags, 0, false},
				  NULL,
				  1,
				  NULL};
	struct map *map = test_map_create(&wanted);
	struct map_ctx ctx = {.context = OP_PROGRAM};
	uint8_t *key = calloc(1, key_size), *next = calloc(1, key_size);
	uint64_t value, found;

	for (value = 0; value < 10; value++) {
		key[key_size - 1] = (uint8_t)value;
		CU_ASSERT_EQUAL(test_ops->update(map, &ctx, key, &value, 1), 0);
		CU_ASSERT_EQUAL(test_ops->update(map, &ctx, key, &value, 1), -EEXIST);
	}
	for (value = 0; value < 10; value++) {
		key[key_size - 1] = (uint8_t)value;
		CU_ASSERT_EQUAL(test_ops->lookup(map, &ctx, key, &found), 0);
		CU_ASSERT_EQUAL(found, value);
	}
	CU_ASSERT_EQUAL(test_ops->next_key(map, &ctx, NULL, next), 0);
	CU_ASSERT_EQUAL(memcmp(key, next, key_size - 1), 0);
	CU_ASSERT_EQUAL(test_ops->del(map, &ctx, key), 0);
	CU_ASSERT_EQUAL(test_ops->del(map, &ctx, key), -ENOENT);
	key[0] = 1;
	CU_ASSERT_EQUAL(test_ops->lookup(map, &ctx, key, &found), -ENOENT);
	free(key);
	free(next);
	test_map_destroy(map);
}

static void test_long_keys(void)
{
	static const uint32_t key_sizes[] = {512, 513, 4096, 100000, 1000000};

	for (size_t i = 0; i < COUNT(kinds); i++) {
		for (size_t n = 0; n < COUNT(key_sizes); n++)
			check_long_keys(&kinds[i], key_sizes[n]);
	}
}

/* Runs fill the key with zeros behind the integer, whatever stood there. */
static void test_long_keys_in_runs(void)
{
	for (size_t i = 0; i < COUNT(kinds); i++) {
		struct test_map wanted = {{kinds[i].type, 4096, 8, 32, kinds[i].flags, 0, false},
					  NULL,
					  1,
					  NULL};
		struct map *map = test_map_create(&wanted);

		test_map_run(map, "0U1 0U2 0N1 0T2 0k5 0D1 0L1", "0 0 EEXIST 0 0:1 0 ENOENT");
		test_map_keys(map, "2");
		test_map_destroy(map);
	}
}

static void test_large_values(void)
{
	for (size_t i = 0; i < COUNT(kinds); i++) {
		uint32_t value_size = map_type_is_percpu(kinds[i].type) ? 32768 : 1000000;
		struct test_map wanted = {{kinds[i].type, 8, value_size, 4, kinds[i].flags, 0,
					   false},
					  NULL,
					  2,
					  NULL};
		struct map *map = test_map_create(&wanted);
		struct map_ctx ctx = {.cpu = 1, .context = OP_PROGRAM};
		uint8_t *value = malloc(value_size), *found = malloc(value_size);
		uint64_t key = 5;

		memset(value, 7, value_size);
		memset(found, 0, value_size);
		CU_ASSERT_EQUAL(test_ops->update(map, &ctx, &key, value, 0), 0);
		CU_ASSERT_EQUAL(test_ops->lookup(map, &ctx, &key, found), 0);
		CU_ASSERT_EQUAL(memcmp(found, value, value_size), 0);
		test_map_run(map, "1U5 1T6", "0 1");
		CU_ASSERT_EQUAL(test_ops->lookup(map, &ctx, &key, found), 0);
		CU_ASSERT_EQUAL(found[value_size - 1], 0);
		free(value);
		free(found);
		test_map_destroy(map);
	}
}

/* The largest map of one element: nearly 4 MiB. */
static void test_largest_element(void)
{
	struct test_map wanted = {{MAP_HASH, 8, 4194247, 1, 0, 0, false}, "6.18", 1, NULL};
	struct map *map = test_map_create(&wanted);

	test_map_run(map, "0U1 0U1 0U2 0D1 0U2", "0 0 E2BIG 0 0");
	test_map_destroy(map);
	wanted.attr.flags = MAP_NO_PREALLOC;
	map = test_map_create(&wanted);
	test_map_run(map, "0U1 0U1 0U2 0D1 0U2", "0 0 E2BIG 0 0");
	test_map_destroy(map);
}

static void test_one_entry(void)
{
	for (size_t i = 0; i < COUNT(kinds); i++) {
		struct test_map wanted = {{.type = kinds[i].type,
					   .max_entries = 1,
					   .flags = kinds[i].flags},
					  NULL,
					  1,
					  NULL};
		struct map *map = test_map_create(&wanted);
		bool is_lru = map_type_is_lru(kinds[i].type);

		test_map_run(map, "0U1 0L1 0U2 0L1", is_lru ? "0 0 0 ENOENT" : "0 0 E2BIG 0");
		test_map_keys(map, is_lru ? "2" : "1");
		test_map_run(map, "0D1 0D2", is_lru ? "ENOENT 0" : "0 ENOENT");
		test_map_run(map, "0U3 0k9 0k3 0b1 0r1", "0 0:3 ENOENT ENOENT:1 ENOENT:1");
		test_map_destroy(map);
	}
}

#define CPUS 4096
#define STEP 13 /* from CPU to CPU: 316 take part */

/* Each CPU inserts a key of its own: into lists of its own, or until the map is full. */
static void check_many_cpus(const struct map_attr *kind, uint32_t entries)
{
	struct test_map wanted = {{kind->type, 8, 8, entries, kind->flags, 0, false},
				  NULL,
				  CPUS,
				  NULL};
	bool is_lru = map_type_is_lru(kind->type), has_lists = kind->flags & MAP_NO_COMMON_LRU;
	struct map *map = test_map_create(&wanted);
	struct map_counters total;
	uint64_t key = 0;

	for (uint32_t cpu = 0; cpu < CPUS; cpu += STEP, key++) {
		struct map_ctx ctx = {.cpu = cpu, .context = OP_PROGRAM};
		int expected = is_lru || key < entries ? 0 : -E2BIG;

		CU_ASSERT_EQUAL(test_ops->update(map, &ctx, &key, &key, 0), expected);
	}
	test_map_counters(map, CPUS, &total);
	CU_ASSERT_EQUAL(total.inserts, is_lru || entries > key ? key : entries);
	CU_ASSERT_EQUAL(test_map_entries(map), has_lists || entries > key ? key : entries);
	test_map_destroy(map);
}

static void test_many_cpus(void)
{
	for (size_t i = 0; i < COUNT(kinds); i++) {
		check_many_cpus(&kinds[i], 1);
		check_many_cpus(&kinds[i], 100);
		check_many_cpus(&kinds[i], 10000);
	}
}

/* Maps share nothing. */
static void test_two_maps(void)
{
	for (size_t i = 0; i < COUNT(kinds); i++) {
		struct test_map wanted = {{.type = kinds[i].type,
					   .max_entries = 3,
					   .flags = kinds[i].flags},
					  NULL,
					  1,
					  NULL};
		struct map *map = test_map_create(&wanted), *other = test_map_create(&wanted);

		test_map_run(map, "0U1", "0");
		test_map_run(other, "0U2 0L1", "0 ENOENT");
		test_map_destroy(map);
		test_map_keys(other, "2");
		test_map_destroy(other);
	}
	test_ops->map_destroy(NULL);
}

CU_TestInfo map_sizes_tests[] = {
	{"long keys", test_long_keys},       {"long keys in runs", test_long_keys_in_runs},
	{"large values", test_large_values}, {"the largest element", test_largest_element},
	{"one entry", test_one_entry},       {"many CPUs", test_many_cpus},
	{"two maps", test_two_maps},         CU_TEST_INFO_NULL,
};
