// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The bytes that the kernel reports for a map (memlock in fdinfo). */
#include <stdio.h>

#include "tests/unit/test_map.h"

#define NPRE MAP_NO_PREALLOC
#define NCOM MAP_NO_COMMON_LRU

/* Read in a kernel 6.18 with 2 possible CPUs: of the new map, and with 100 keys in it. */
struct usage {
	enum map_type type;
	uint32_t max_entries, key_size, value_size, flags;
	uint64_t empty_bytes, bytes;
};

static const struct usage usages[] = {
	{MAP_HASH, 32768, 8, 8, 0, 2622480, 2622480},
	{MAP_HASH, 1000, 4, 4, NPRE, 17280, 24480},
	{MAP_HASH, 1, 13, 896, 0, 3808, 3808},
	{MAP_HASH, 513, 8, 896, NPRE, 17280, 113280},
	{MAP_HASH, 7, 4, 8, 0, 1616, 1616},
	{MAP_HASH, 1, 4, 4, NPRE, 912, 984},
	{MAP_PERCPU_HASH, 32768, 13, 896, 0, 61604736, 61604736},
	{MAP_PERCPU_HASH, 1000, 8, 8, NPRE, 17280, 27680},
	{MAP_PERCPU_HASH, 33, 13, 4, NPRE, 1920, 5616},
	{MAP_PERCPU_HASH, 1, 4, 4, 0, 992, 992},
	{MAP_PERCPU_HASH, 100, 8, 896, 0, 188544, 188544},
	{MAP_LRU_HASH, 32768, 8, 8, 0, 2622336, 2622336},
	{MAP_LRU_HASH, 513, 4, 896, NCOM, 506608, 506608},
	{MAP_LRU_HASH, 1, 13, 8, NCOM, 1072, 1072},
	{MAP_LRU_HASH, 7, 8, 4, 0, 1472, 1472},
	{MAP_LRU_PERCPU_HASH, 1000, 8, 8, 0, 97280, 97280},
	{MAP_LRU_PERCPU_HASH, 33, 4, 896, NCOM, 65024, 65024},
	{MAP_LRU_PERCPU_HASH, 513, 13, 896, NCOM, 975376, 975376},
	{MAP_LRU_PERCPU_HASH, 100, 13, 4, 0, 11744, 11744},
};

static uint64_t kernel_bytes(const struct map *map)
{
	struct map_memory memory;

	test_ops->memory(map, &memory);
	CU_ASSERT(memory.model_bytes > 0);
	return memory.kernel_bytes;
}

/* Puts keys in by system call. */
static void insert_keys(struct map *map, uint32_t count)
{
	static const uint8_t value[2 * 896];
	struct map_ctx ctx = {.context = OP_SYSCALL};
	uint8_t key[16] = {0};

	for (uint32_t i = 0; i < count; i++) {
		key[0] = (uint8_t)i;
		CU_ASSERT_EQUAL(test_ops->update(map, &ctx, key, value, 0), 0);
	}
}

static void test_real_usages(void)
{
	for (size_t i = 0; i < sizeof(usages) / sizeof(usages[0]); i++) {
		const struct usage *usage = &usages[i];
		uint32_t keys = usage->max_entries < 100 ? usage->max_entries : 100;
		struct test_map wanted = {{usage->type, usage->key_size, usage->value_size,
					   usage->max_entries, usage->flags, 0, false},
					  "6.18",
					  2,
					  NULL};
		struct map *map = test_map_create(&wanted);
		uint64_t empty_bytes = kernel_bytes(map), bytes;

		insert_keys(map, keys);
		bytes = kernel_bytes(map);
		if (empty_bytes != usage->empty_bytes || bytes != usage->bytes)
			test_fail(__FILE__, __LINE__,
				  "usage %zu: %llu and %llu bytes, expected %llu and %llu", i,
				  (unsigned long long)empty_bytes, (unsigned long long)bytes,
				  (unsigned long long)usage->empty_bytes,
				  (unsigned long long)usage->bytes);
		test_map_destroy(map);
	}
}

/* 32768 entries on 4 CPUs, as published in 2025: per-CPU counts of held locks are there too. */
static void test_published(void)
{
	struct test_map wanted = {{MAP_HASH, 4, 896, 32768, 0, 0, false}, "6.12", 4, NULL};
	struct map *map = test_map_create(&wanted);

	CU_ASSERT_EQUAL(kernel_bytes(map), 31724288);
	test_map_destroy(map);
	wanted.attr.key_size = 8;
	wanted.attr.value_size = 4;
	map = test_map_create(&wanted);
	CU_ASSERT_EQUAL(kernel_bytes(map), 2622752);
	test_map_destroy(map);
	wanted.attr.flags = NPRE;
	map = test_map_create(&wanted);
	CU_ASSERT_EQUAL(kernel_bytes(map), 525312);
	test_map_destroy(map);
}

/* What was deleted is not counted any more. */
static void test_deleted(void)
{
	struct test_map wanted = {{MAP_HASH, 8, 8, 100, NPRE, 0, false}, "6.18", 2, NULL};
	struct map *map = test_map_create(&wanted);
	uint64_t empty_bytes = kernel_bytes(map);

	test_map_run(map, "0U1 0U2 0U1", "0 0 0");
	CU_ASSERT_EQUAL(kernel_bytes(map), empty_bytes + 2 * 72);
	test_map_run(map, "1D1 1P2", "0 0");
	CU_ASSERT_EQUAL(kernel_bytes(map), empty_bytes);
	test_map_destroy(map);
}

/* Policies that are no release's: their tags and words on top of what the free list's map has. */
static void test_policies(void)
{
	static const struct {
		const char *set;
		uint64_t more_bytes;
	} policies[] = {
		{"alloc=locked", 0},
		{"alloc=ida", (uint64_t)4 * (1002 + 2 * 48)},
		{"alloc=ida ida_size=5", (uint64_t)4 * (1002 + 2 * 5)},
		{"alloc=bitmap bitmap_aligned=0", 16 * 8 + 2 * 4},
		{"alloc=bitmap bitmap_aligned=1", 16 * 64 + 2 * 4},
	};
	struct test_map wanted = {{.type = MAP_HASH, .max_entries = 1000}, .cpus = 2};
	struct map *map = test_map_create(&wanted);
	uint64_t bytes = kernel_bytes(map);

	test_map_destroy(map);
	for (size_t i = 0; i < sizeof(policies) / sizeof(policies[0]); i++) {
		wanted.set = policies[i].set;
		map = test_map_create(&wanted);
		CU_ASSERT_EQUAL(kernel_bytes(map), bytes + policies[i].more_bytes);
		test_map_destroy(map);
	}
}

CU_TestInfo attr_memory_tests[] = {
	{"as real kernels report it", test_real_usages},
	{"as published", test_published},
	{"after deletes", test_deleted},
	{"policies", test_policies},
	CU_TEST_INFO_NULL,
};
