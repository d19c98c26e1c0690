// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Iteration and batches. What runs of operations are to return was recorded in a kernel 6.18: 8
 * keys in 8 buckets, iterated as 7 4 2 6 3 8 5 1, of which 7 and 4 share the first bucket in use.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/attr.h"
#include "tests/unit/test_map.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct map *create_8(enum map_type type, uint32_t flags)
{
	struct test_map wanted = {{.type = type, .max_entries = 8, .flags = flags},
				  .kernel = "6.18",
				  .cpus = 2,
				  .set = map_type_is_lru(type) ? "free_target=1" : NULL};

	return test_map_create(&wanted);
}

static void insert_8(struct map *map)
{
	test_map_run(map, "0U1 0U2 0U3 0U4 0U5 0U6 0U7 0U8", "0 0 0 0 0 0 0 0");
}

static void test_next_key(void)
{
	for (int type = 0; type < MAP_TYPES; type++) {
		struct map *map = create_8((enum map_type)type, 0);

		test_map_run(map, "0k5 1K5", "ENOENT ENOENT");
		insert_8(map);
		test_map_run(map, "0k99 0k7 0k4 0k2 0k6 1k3 1K8 1K5 1K1",
			     "0:7 0:4 0:2 0:6 0:3 0:8 0:5 0:1 ENOENT");
		/* A key that was deleted is one that is not there. */
		test_map_run(map, "0D6 0k6 0k2 0D1 0k5 0k1", "0 0:7 0:3 0 ENOENT 0:7");
		test_map_destroy(map);
	}
}

static void test_next_key_calls(void)
{
	struct map *map = create_8(MAP_HASH, 0);
	struct map_ctx ctx = {.context = OP_SYSCALL};
	uint64_t key = 0, next = 0;

	CU_ASSERT_EQUAL(test_ops->next_key(map, &ctx, NULL, &next), -ENOENT);
	insert_8(map);
	CU_ASSERT_EQUAL(test_ops->next_key(map, &ctx, NULL, &next), 0);
	CU_ASSERT_EQUAL(next, 7);
	key = 4;
	CU_ASSERT_EQUAL(test_ops->next_key(map, &ctx, &key, &key), 0);
	CU_ASSERT_EQUAL(key, 2);
	key = 1;
	CU_ASSERT_EQUAL(test_ops->next_key(map, &ctx, &key, &key), -ENOENT);
	CU_ASSERT_EQUAL(key, 1);
	test_map_destroy(map);
}

/* A CPU's batches in a trace go on where its last one ended. */
static void test_batches(void)
{
	static const char *const runs[][2] = {
		/* Nothing asked; no room for a bucket; what fits; to the end; and again. */
		{"0b0 0b1 0b2 0b1 0b5 0b100 0b100",
		 "0:0 ENOSPC:0 0:2 0:1 ENOENT:5 ENOENT:8 ENOENT:8"},
		{"0b1 0b1 0b2", "ENOSPC:0 ENOSPC:0 0:2"},
		{"1b3 0b2 1b3 1b3 1b3", "0:3 0:2 0:3 ENOENT:2 0:3"},
		/* The same by a program, which has none: by system call all the same. */
		{"0B3 1B8", "0:3 ENOENT:8"},
	};

	for (int type = 0; type < MAP_TYPES; type++) {
		for (size_t i = 0; i < COUNT(runs); i++) {
			struct map *map = create_8((enum map_type)type, 0);

			insert_8(map);
			test_map_run(map, runs[i][0], runs[i][1]);
			test_map_order(map, "7 4 2 6 3 8 5 1");
			test_map_destroy(map);
		}
	}
}

static void test_deleting_batches(void)
{
	static const struct map_attr attrs[] = {
		{.type = MAP_HASH},        {.type = MAP_HASH, .flags = MAP_NO_PREALLOC},
		{.type = MAP_PERCPU_HASH}, {.type = MAP_PERCPU_HASH, .flags = MAP_NO_PREALLOC},
		{.type = MAP_LRU_HASH},    {.type = MAP_LRU_PERCPU_HASH},
	};

	for (size_t i = 0; i < COUNT(attrs); i++) {
		struct map *map = create_8(attrs[i].type, attrs[i].flags);
		struct map_counters total;

		test_map_run(map, "0b5 0b0 0r5 0U1 0r5 0b5",
			     "ENOENT:0 0:0 ENOENT:0 0 ENOENT:1 ENOENT:0");
		insert_8(map);
		test_map_run(map, "0b2 0r2", "0:2 0:1");
		test_map_order(map, "7 4 6 3 8 5 1");
		test_map_run(map, "0b8 0b8", "ENOENT:5 ENOENT:7");
		test_map_run(map, "0r1 0r2 0r3 0r100 0r100 0b3",
			     "ENOSPC:0 0:2 0:3 ENOENT:2 ENOENT:0 ENOENT:0");
		test_map_counters(map, 2, &total);
		CU_ASSERT_EQUAL(total.deletes, 9);
		/* What was deleted can be had again. */
		insert_8(map);
		test_map_order(map, "7 4 2 6 3 8 5 1");
		test_map_destroy(map);
	}
}

/* A cursor that the caller keeps: values and keys come in the order of iteration. */
static void test_batch_calls(void)
{
	struct map *map = create_8(MAP_HASH, 0);
	struct map_ctx ctx = {.context = OP_SYSCALL};
	uint64_t keys[9] = {0}, values[9] = {0};
	uint32_t cursor = 99, count = 3;

	insert_8(map);
	CU_ASSERT_EQUAL(test_ops->batch(map, &ctx, NULL, &cursor, keys, values, &count, false), 0);
	CU_ASSERT_EQUAL(count, 3);
	CU_ASSERT(keys[0] == 7 && keys[1] == 4 && keys[2] == 2 && !keys[3]);
	/* The values of a run without values are the numbers of its operations. */
	CU_ASSERT(values[0] == 6 && values[1] == 3 && values[2] == 1 && !values[3]);
	count = 9;
	CU_ASSERT_EQUAL(test_ops->batch(map, &ctx, &cursor, &cursor, keys, values, &count, true),
			-ENOENT);
	CU_ASSERT_EQUAL(count, 5);
	CU_ASSERT(keys[0] == 6 && keys[4] == 1 && values[4] == 0);
	CU_ASSERT_EQUAL(cursor, 8);
	test_map_order(map, "7 4 2");
	test_map_destroy(map);
}

/* Both outputs may be left out; the cursor stays where there was no room. */
static void test_batch_without_output(void)
{
	struct map *map = create_8(MAP_LRU_PERCPU_HASH, 0);
	struct map_ctx ctx = {.context = OP_PROGRAM};
	uint32_t cursor = 99, at, count = 1;

	insert_8(map);
	CU_ASSERT_EQUAL(test_ops->batch(map, &ctx, NULL, &cursor, NULL, NULL, &count, false),
			-ENOSPC);
	CU_ASSERT_EQUAL(count, 0);
	at = cursor;
	count = 2;
	CU_ASSERT_EQUAL(test_ops->batch(map, &ctx, &at, &cursor, NULL, NULL, &count, true), 0);
	CU_ASSERT_EQUAL(count, 2);
	CU_ASSERT(cursor > at);
	test_map_keys(map, "1 2 3 5 6 8");
	test_map_destroy(map);
}

static void test_cursor_past_the_end(void)
{
	static const uint32_t past[] = {8, 9, UINT32_MAX};
	struct map *map = create_8(MAP_HASH, 0);
	struct map_ctx ctx = {.context = OP_SYSCALL};
	uint32_t cursor, count;

	insert_8(map);
	for (size_t i = 0; i < COUNT(past); i++) {
		cursor = past[i];
		count = 5;
		CU_ASSERT_EQUAL(test_ops->batch(map, &ctx, &cursor, &cursor, NULL, NULL, &count,
						false),
				-ENOENT);
		CU_ASSERT_EQUAL(count, 0);
		count = 0;
		CU_ASSERT_EQUAL(test_ops->batch(map, &ctx, &cursor, &cursor, NULL, NULL, &count,
						false),
				0);
	}
	test_map_destroy(map);
}

/* All possible CPUs' values, whoever asks. */
static void test_batch_of_percpu_values(void)
{
	struct map *map = create_8(MAP_PERCPU_HASH, 0);
	struct map_ctx ctx = {.cpu = 1, .context = OP_PROGRAM};
	uint64_t keys[2], values[4] = {0}, value = 5;
	uint32_t cursor, count = 2;

	keys[0] = 3;
	CU_ASSERT_EQUAL(test_ops->update(map, &ctx, &keys[0], &value, 0), 0);
	CU_ASSERT_EQUAL(test_ops->batch(map, &ctx, NULL, &cursor, keys, values, &count, true),
			-ENOENT);
	CU_ASSERT_EQUAL(count, 1);
	CU_ASSERT(values[0] == 0 && values[1] == 5 && values[2] == 0);
	CU_ASSERT_EQUAL(test_map_entries(map), 0);
	test_map_destroy(map);
}

static void test_releases(void)
{
	struct test_map wanted = {{.type = MAP_HASH, .max_entries = 8}, .kernel = "5.5"};
	struct map *map = test_map_create(&wanted);

	test_map_run(map, "0U1 0b8 0r8 0b0", "0 EINVAL:8 EINVAL:8 EINVAL:0");
	test_map_keys(map, "1");
	test_map_destroy(map);
	wanted.kernel = "5.6";
	map = test_map_create(&wanted);
	test_map_run(map, "0U1 0b8 0r8 0b0", "0 ENOENT:1 ENOENT:1 0:0");
	test_map_keys(map, "");
	test_map_destroy(map);
}

CU_TestInfo iter_tests[] = {
	{"next_key", test_next_key},
	{"next_key, called", test_next_key_calls},
	{"batches", test_batches},
	{"deleting batches", test_deleting_batches},
	{"batches, called", test_batch_calls},
	{"batches without output", test_batch_without_output},
	{"cursors past the end", test_cursor_past_the_end},
	{"batches of per-CPU values", test_batch_of_percpu_values},
	{"releases", test_releases},
	CU_TEST_INFO_NULL,
};
