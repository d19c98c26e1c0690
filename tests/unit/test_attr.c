// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Which maps are refused, with which errno, and how large the others are. */
#include "model/attr.h"

#include <errno.h>
#include <string.h>

#include "tests/unit/test_map.h"

#define NPRE MAP_NO_PREALLOC
#define NCOM MAP_NO_COMMON_LRU
#define NODE MAP_NUMA_NODE

#define OTHER_NODE 1u      /* only node 0 is online */
#define NO_NODE UINT32_MAX /* as without the flag */

/* What a kernel 6.18 with 2 possible CPUs answered. */
struct refusal {
	enum map_type type;
	uint32_t max_entries, key_size, value_size, flags, numa_node;
	int err;
};

static const struct refusal refusals[] = {
	/* Nothing may be 0. */
	{MAP_HASH, 0, 4, 8, 0, 0, -EINVAL},
	{MAP_HASH, 1, 0, 8, 0, 0, -EINVAL},
	{MAP_HASH, 1, 4, 0, 0, 0, -EINVAL},
	{MAP_HASH, 0, 0, 0, 0, 0, -EINVAL},
	{MAP_PERCPU_HASH, 0, 4, 8, 0, 0, -EINVAL},
	{MAP_PERCPU_HASH, 1, 0, 8, 0, 0, -EINVAL},
	{MAP_PERCPU_HASH, 1, 4, 0, 0, 0, -EINVAL},
	{MAP_LRU_HASH, 0, 4, 8, 0, 0, -EINVAL},
	{MAP_LRU_HASH, 1, 0, 8, 0, 0, -EINVAL},
	{MAP_LRU_HASH, 1, 4, 0, 0, 0, -EINVAL},
	{MAP_LRU_PERCPU_HASH, 0, 4, 8, 0, 0, -EINVAL},
	{MAP_LRU_PERCPU_HASH, 1, 0, 8, 0, 0, -EINVAL},
	{MAP_LRU_PERCPU_HASH, 1, 4, 0, 0, 0, -EINVAL},
	/* Keys have any size: the sum with the value counts. */
	{MAP_HASH, 1, 1, 8, 0, 0, 0},
	{MAP_HASH, 1, 513, 8, 0, 0, 0},
	{MAP_LRU_PERCPU_HASH, 1, 65536, 8, 0, 0, 0},
	{MAP_HASH, 1, 8, 4194247, 0, 0, 0},
	{MAP_HASH, 1, 8, 4194248, 0, 0, -E2BIG},
	{MAP_HASH, 1, 4194247, 8, 0, 0, 0},
	{MAP_HASH, 1, 4194248, 8, 0, 0, -E2BIG},
	{MAP_HASH, 1, 4194247, 8, NPRE, 0, 0},
	{MAP_HASH, 1, 4194248, 8, NPRE, 0, -E2BIG},
	{MAP_PERCPU_HASH, 1, 4194247, 8, 0, 0, 0},
	{MAP_PERCPU_HASH, 1, 4194248, 8, 0, 0, -E2BIG},
	{MAP_LRU_HASH, 1, 8, 4194247, 0, 0, 0},
	{MAP_LRU_HASH, 1, 8, 4194248, 0, 0, -E2BIG},
	{MAP_LRU_PERCPU_HASH, 1, 4194247, 8, 0, 0, 0},
	{MAP_LRU_PERCPU_HASH, 1, 4194248, 8, 0, 0, -E2BIG},
	{MAP_HASH, 1, UINT32_MAX, 8, 0, 0, -E2BIG},
	{MAP_HASH, 1, 8, UINT32_MAX, 0, 0, -E2BIG},
	{MAP_LRU_HASH, 1, UINT32_MAX, UINT32_MAX, 0, 0, -E2BIG},
	/* Per-CPU values, as they are rounded up. */
	{MAP_PERCPU_HASH, 1, 4, 32761, 0, 0, 0},
	{MAP_PERCPU_HASH, 1, 4, 32768, 0, 0, 0},
	{MAP_PERCPU_HASH, 1, 4, 32769, 0, 0, -E2BIG},
	{MAP_PERCPU_HASH, 1, 4, 32768, NPRE, 0, 0},
	{MAP_PERCPU_HASH, 1, 4, 32769, NPRE, 0, -E2BIG},
	{MAP_PERCPU_HASH, 1, 4, 4294967289u, 0, 0, -E2BIG},
	{MAP_LRU_PERCPU_HASH, 1, 4, 32768, 0, 0, 0},
	{MAP_LRU_PERCPU_HASH, 1, 4, 32769, 0, 0, -E2BIG},
	{MAP_LRU_PERCPU_HASH, 1, 4, UINT32_MAX, 0, 0, -E2BIG},
	/* Flags and their combinations. */
	{MAP_HASH, 100, 4, 8, NCOM, 0, -EINVAL},
	{MAP_HASH, 100, 4, 8, NPRE, 0, 0},
	{MAP_HASH, 100, 4, 8, NCOM | NPRE, 0, -EINVAL},
	{MAP_HASH, 100, 4, 8, NODE, 0, 0},
	{MAP_HASH, 100, 4, 8, NODE, OTHER_NODE, -EINVAL},
	{MAP_HASH, 100, 4, 8, NODE, NO_NODE, 0},
	{MAP_HASH, 100, 4, 8, NCOM | NODE, 0, -EINVAL},
	{MAP_HASH, 100, 4, 8, NPRE | NODE, 0, 0},
	{MAP_HASH, 100, 4, 8, NPRE | NODE, OTHER_NODE, -EINVAL},
	{MAP_PERCPU_HASH, 100, 4, 8, NCOM, 0, -EINVAL},
	{MAP_PERCPU_HASH, 100, 4, 8, NPRE, 0, 0},
	{MAP_PERCPU_HASH, 100, 4, 8, NODE, 0, -EINVAL},
	{MAP_PERCPU_HASH, 100, 4, 8, NODE, NO_NODE, 0},
	{MAP_PERCPU_HASH, 100, 4, 8, NPRE | NODE, 0, -EINVAL},
	{MAP_LRU_HASH, 100, 4, 8, NCOM, 0, 0},
	{MAP_LRU_HASH, 100, 4, 8, NPRE, 0, -ENOTSUPP},
	{MAP_LRU_HASH, 100, 4, 8, NCOM | NPRE, 0, -ENOTSUPP},
	{MAP_LRU_HASH, 100, 4, 8, NODE, 0, 0},
	{MAP_LRU_HASH, 100, 4, 8, NODE, OTHER_NODE, -EINVAL},
	{MAP_LRU_HASH, 100, 4, 8, NCOM | NODE, 0, -EINVAL},
	{MAP_LRU_HASH, 100, 4, 8, NPRE | NODE, 0, -ENOTSUPP},
	{MAP_LRU_HASH, 100, 4, 8, NPRE | NODE, OTHER_NODE, -EINVAL},
	{MAP_LRU_HASH, 100, 4, 8, NPRE | NCOM | NODE, 0, -ENOTSUPP},
	{MAP_LRU_PERCPU_HASH, 100, 4, 8, NCOM, 0, 0},
	{MAP_LRU_PERCPU_HASH, 100, 4, 8, NPRE, 0, -ENOTSUPP},
	{MAP_LRU_PERCPU_HASH, 100, 4, 8, NODE, 0, -EINVAL},
	{MAP_LRU_PERCPU_HASH, 100, 4, 8, NCOM | NODE, 0, -EINVAL},
	{MAP_LRU_PERCPU_HASH, 100, 4, 8, NPRE | NODE, 0, -ENOTSUPP},
	/* Entries: accepted ones of this size are in the next table. */
	{MAP_HASH, 134217729, 4, 8, NPRE, 0, -E2BIG},
	{MAP_HASH, 134217729, 4, 4, 0, 0, -E2BIG},
	{MAP_HASH, 2147483648u, 4, 4, 0, 0, -E2BIG},
	{MAP_HASH, 2147483649u, 4, 4, 0, 0, -E2BIG},
	{MAP_HASH, UINT32_MAX, 4, 4, 0, 0, -E2BIG},
	{MAP_PERCPU_HASH, 134217729, 4, 8, NPRE, 0, -E2BIG},
	{MAP_LRU_HASH, 134217729, 4, 4, 0, 0, -E2BIG},
	{MAP_LRU_HASH, 134217729, 4, 4, NCOM, 0, -E2BIG},
	{MAP_LRU_HASH, UINT32_MAX, 4, 4, NCOM, 0, -E2BIG},
	{MAP_LRU_PERCPU_HASH, UINT32_MAX - 1, 4, 4, NCOM, 0, -E2BIG},
	/* What is looked at first. */
	{MAP_HASH, 0, 4, 8, NCOM, 0, -EINVAL},
	{MAP_HASH, 0, 4, 8, NPRE, 0, -EINVAL},
	{MAP_LRU_HASH, 0, 4, 8, NPRE, 0, -ENOTSUPP},
	{MAP_LRU_HASH, 0, 0, 0, NPRE, 0, -ENOTSUPP},
	{MAP_LRU_HASH, 1, 0, 8, NPRE, 0, -ENOTSUPP},
	{MAP_LRU_HASH, 1, 4, 4194304, NPRE, 0, -ENOTSUPP},
	{MAP_LRU_HASH, 1, 4, 8, NPRE | NODE, OTHER_NODE, -EINVAL},
	{MAP_LRU_HASH, 0, 4, 8, NODE, OTHER_NODE, -EINVAL},
	{MAP_LRU_PERCPU_HASH, 0, 4, 8, NPRE, 0, -ENOTSUPP},
	{MAP_LRU_PERCPU_HASH, 0, 4, 32769, 0, 0, -EINVAL},
	{MAP_LRU_PERCPU_HASH, 1, 4, 32769, NPRE, 0, -ENOTSUPP},
	{MAP_LRU_PERCPU_HASH, 1, 4, 32769, NCOM | NODE, 0, -EINVAL},
	{MAP_PERCPU_HASH, 0, 4, 32769, 0, 0, -EINVAL},
	{MAP_PERCPU_HASH, 1, 0, 32769, 0, 0, -EINVAL},
	{MAP_PERCPU_HASH, 1, 4, 32769, NCOM, 0, -EINVAL},
	{MAP_PERCPU_HASH, UINT32_MAX, 4, 32769, NPRE, 0, -E2BIG},
	{MAP_PERCPU_HASH, UINT32_MAX, 0, 8, NPRE, 0, -EINVAL},
	{MAP_HASH, 1, 4, 4194304, NCOM, 0, -EINVAL},
	{MAP_HASH, 0, 4, 4194304, 0, 0, -EINVAL},
	{MAP_HASH, UINT32_MAX, 4, 4194304, 0, 0, -E2BIG},
	{MAP_HASH, UINT32_MAX, 4, 8, NODE, OTHER_NODE, -EINVAL},
};

static struct map_attr refusal_attr(const struct refusal *refusal)
{
	return (struct map_attr){
		.type = refusal->type,
		.max_entries = refusal->max_entries,
		.key_size = refusal->key_size,
		.value_size = refusal->value_size,
		.flags = refusal->flags,
		.numa_node = refusal->numa_node,
		.numa_node_online = refusal->numa_node == 0,
	};
}

static void test_refusals(void)
{
	for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
		struct test_map wanted = {refusal_attr(&refusals[i]), "6.18", 2, NULL};
		struct error error = {.text = ""};
		struct map *map = NULL;
		int err = test_map_try(&wanted, &map, &error);

		if (err != refusals[i].err)
			test_fail(__FILE__, __LINE__, "refusal %zu: %s, expected %s (%s)", i,
				  err ? errno_name(err) : "0",
				  refusals[i].err ? errno_name(refusals[i].err) : "0", error.text);
		CU_ASSERT_EQUAL(!err, !error.text[0]);
		if (!err)
			test_map_destroy(map);
	}
}

/* Checked without making them: their buckets alone take 2 GiB. */
static void test_entries_limit(void)
{
	struct map_attr attr = {.type = MAP_HASH, .key_size = 4, .value_size = 8, .flags = NPRE};
	struct tunables tunables;
	struct error error;

	test_tunables_init(&tunables, "6.18", NULL);
	attr.max_entries = 134217728;
	CU_ASSERT_EQUAL(map_attr_check(&attr, &tunables, 2, &error), 0);
	attr.max_entries++;
	CU_ASSERT_EQUAL(map_attr_check(&attr, &tunables, 2, &error), -E2BIG);
	CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "134217728"));

	test_tunables_init(&tunables, "6.18", "max_entries_limit=2G");
	attr.max_entries = 2147483648u;
	CU_ASSERT_EQUAL(map_attr_check(&attr, &tunables, 2, &error), 0);
	attr.max_entries++;
	CU_ASSERT_EQUAL(map_attr_check(&attr, &tunables, 2, &error), -E2BIG);

	/* Half as much memory per bucket before there was a lock in it. */
	test_tunables_init(&tunables, "4.5", NULL);
	attr.flags = 0;
	attr.max_entries = 268435456;
	CU_ASSERT_EQUAL(map_attr_check(&attr, &tunables, 2, &error), 0);
	attr.max_entries++;
	CU_ASSERT_EQUAL(map_attr_check(&attr, &tunables, 2, &error), -E2BIG);
}

/* Rounding up to a multiple of the CPUs can go over the limit, and over 32 bits. */
static void test_rounded_entries(void)
{
	struct map_attr attr = {.type = MAP_LRU_HASH,
				.key_size = 4,
				.value_size = 8,
				.flags = NCOM};
	struct tunables tunables;
	struct error error;

	attr.max_entries = 10;
	CU_ASSERT_EQUAL(map_attr_entries(&attr, 4), 12);
	attr.max_entries = 12;
	CU_ASSERT_EQUAL(map_attr_entries(&attr, 4), 12);
	attr.max_entries = 1;
	CU_ASSERT_EQUAL(map_attr_entries(&attr, 4096), 4096);
	attr.max_entries = UINT32_MAX;
	CU_ASSERT_EQUAL(map_attr_entries(&attr, 2), UINT32_MAX - 1);
	CU_ASSERT_EQUAL(map_attr_entries(&attr, 1), UINT32_MAX);
	attr.max_entries = 134217728;
	test_tunables_init(&tunables, NULL, NULL);
	CU_ASSERT_EQUAL(map_attr_check(&attr, &tunables, 2, &error), 0);
	CU_ASSERT_EQUAL(map_attr_check(&attr, &tunables, 3, &error), -E2BIG);
	attr.flags = 0;
	CU_ASSERT_EQUAL(map_attr_entries(&attr, 3), 134217728);
	CU_ASSERT_EQUAL(map_attr_check(&attr, &tunables, 3, &error), 0);
}

/* What a release did not have yet. */
struct release_refusal {
	const char *kernel;
	enum map_type type;
	uint32_t flags;
	int err;
};

static const struct release_refusal release_refusals[] = {
	{"3.19", MAP_HASH, 0, 0},
	{"3.19", MAP_HASH, NPRE, -EINVAL},
	{"3.19", MAP_PERCPU_HASH, 0, -EINVAL},
	{"4.5", MAP_PERCPU_HASH, 0, -EINVAL},
	{"4.6", MAP_PERCPU_HASH, 0, 0},
	{"4.6", MAP_HASH, NPRE, 0},
	{"4.9", MAP_LRU_HASH, 0, -EINVAL},
	{"4.9", MAP_LRU_PERCPU_HASH, 0, -EINVAL},
	{"4.10", MAP_LRU_HASH, 0, 0},
	{"4.10", MAP_LRU_PERCPU_HASH, NCOM, 0},
	{"4.13", MAP_HASH, NODE, -EINVAL},
	{"4.14", MAP_HASH, NODE, 0},
};

static void test_releases(void)
{
	for (size_t i = 0; i < sizeof(release_refusals) / sizeof(release_refusals[0]); i++) {
		const struct release_refusal *refusal = &release_refusals[i];
		struct test_map wanted = {{refusal->type, 4, 4, 10, refusal->flags, 0, true},
					  refusal->kernel,
					  2,
					  NULL};
		struct error error = {.text = ""};
		struct map *map = NULL;
		int err = test_map_try(&wanted, &map, &error);

		if (err != refusal->err)
			test_fail(__FILE__, __LINE__, "%s: %s with flags %#x: %d, expected %d",
				  refusal->kernel, map_type_names[refusal->type], refusal->flags,
				  err, refusal->err);
		if (!err)
			test_map_destroy(map);
	}
}

/* 128 TiB: more than any process can have. */
static void test_no_memory(void)
{
	struct test_map wanted = {{MAP_HASH, 8, (1u << 30) - 100, (1u << 17) + 1, 0, 0, false},
				  NULL,
				  1,
				  "elem_limit_bytes=1G"};
	struct error error = {.text = ""};
	struct map *map = NULL;

	CU_ASSERT_EQUAL(test_map_try(&wanted, &map, &error), -ENOMEM);
	CU_ASSERT_PTR_NULL(map);
	CU_ASSERT_STRING_EQUAL(error.text, "no memory for the map's tables");
	wanted.attr.type = MAP_LRU_HASH;
	CU_ASSERT_EQUAL(test_map_try(&wanted, &map, &error), -ENOMEM);
	/* Nobody need be told. */
	CU_ASSERT_EQUAL(test_map_try(&wanted, &map, NULL), -ENOMEM);
	wanted.attr.key_size = 0;
	CU_ASSERT_EQUAL(test_map_try(&wanted, &map, NULL), -EINVAL);
}

static void test_buckets(void)
{
	static const uint32_t sizes[][2] = {
		{1, 1},
		{2, 2},
		{3, 4},
		{4, 4},
		{5, 8},
		{1000, 1024},
		{1024, 1024},
		{1025, 2048},
		{1u << 30, 1u << 30},
		{(1u << 30) + 1, 1u << 31},
		{1u << 31, 1u << 31},
	};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		CU_ASSERT_EQUAL(map_attr_buckets(sizes[i][0]), sizes[i][1]);
}

static void test_element_sizes(void)
{
	struct map_attr attr = {.type = MAP_HASH, .key_size = 8, .value_size = 8};

	CU_ASSERT_EQUAL(map_attr_elem_bytes(&attr), 64);
	attr.key_size = 1;
	attr.value_size = 9;
	CU_ASSERT_EQUAL(map_attr_elem_bytes(&attr), 72);
	CU_ASSERT_EQUAL(map_sys_value_bytes(&attr, 3), 9);
	attr.type = MAP_LRU_PERCPU_HASH;
	CU_ASSERT_EQUAL(map_attr_elem_bytes(&attr), 64);
	CU_ASSERT_EQUAL(map_sys_value_bytes(&attr, 3), 48);
}

CU_TestInfo attr_tests[] = {
	{"refusals in their order", test_refusals},
	{"most entries", test_entries_limit},
	{"entries of per-CPU LRU maps", test_rounded_entries},
	{"what releases did not have", test_releases},
	{"no memory", test_no_memory},
	{"buckets", test_buckets},
	{"sizes of elements", test_element_sizes},
	CU_TEST_INFO_NULL,
};
