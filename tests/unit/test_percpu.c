// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Values per CPU: a program has its own copy, a system call all of them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/attr.h"
#include "tests/unit/test_map.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct map_attr kinds[] = {
	{.type = MAP_PERCPU_HASH, .key_size = 8, .max_entries = 6},
	{.type = MAP_PERCPU_HASH, .key_size = 8, .max_entries = 6, .flags = MAP_NO_PREALLOC},
	{.type = MAP_LRU_PERCPU_HASH, .key_size = 8, .max_entries = 6},
	{.type = MAP_LRU_PERCPU_HASH, .key_size = 8, .max_entries = 6, .flags = MAP_NO_COMMON_LRU},
};

static struct map *kind_create(size_t kind, uint32_t value_size)
{
	struct test_map wanted = {.attr = kinds[kind], .cpus = 3, .set = "free_target=1"};

	wanted.attr.value_size = value_size;
	return test_map_create(&wanted);
}

/* By a program; values have 4 or 8 bytes. */
static int update(struct map *map, uint32_t cpu, uint64_t key, uint64_t value)
{
	struct map_ctx ctx = {.cpu = cpu, .context = OP_PROGRAM};

	return test_ops->update(map, &ctx, &key, &value, 0);
}

/* What a program on that CPU finds, or the errno. */
static int64_t lookup(struct map *map, uint32_t cpu, uint64_t key)
{
	struct map_ctx ctx = {.cpu = cpu, .context = OP_PROGRAM};
	uint64_t value = 0;
	int err = test_ops->lookup(map, &ctx, &key, &value);

	return err ? err : (int64_t)value;
}

static void test_own_copies(void)
{
	for (size_t kind = 0; kind < COUNT(kinds); kind++) {
		struct map *map = kind_create(kind, 4);

		CU_ASSERT_EQUAL(update(map, 1, 7, 11), 0);
		CU_ASSERT_EQUAL(lookup(map, 0, 7), 0);
		CU_ASSERT_EQUAL(lookup(map, 1, 7), 11);
		CU_ASSERT_EQUAL(lookup(map, 2, 7), 0);
		CU_ASSERT_EQUAL(update(map, 2, 7, 22), 0);
		CU_ASSERT_EQUAL(update(map, 1, 7, 12), 0);
		CU_ASSERT_EQUAL(lookup(map, 0, 7), 0);
		CU_ASSERT_EQUAL(lookup(map, 1, 7), 12);
		CU_ASSERT_EQUAL(lookup(map, 2, 7), 22);
		CU_ASSERT_EQUAL(lookup(map, 2, 8), -ENOENT);
		test_map_destroy(map);
	}
}

/* Each copy takes a multiple of 8 bytes, what is behind a value is 0. */
static void test_system_calls(void)
{
	for (size_t kind = 0; kind < COUNT(kinds); kind++) {
		struct map *map = kind_create(kind, 4);
		struct map_ctx ctx = {.context = OP_SYSCALL};
		uint64_t key = 7, values[4] = {1, 2, 3, 99}, found[4] = {0, 0, 0, 98};

		CU_ASSERT_EQUAL(test_ops->update(map, &ctx, &key, values, 0), 0);
		CU_ASSERT_EQUAL(test_ops->lookup(map, &ctx, &key, found), 0);
		CU_ASSERT(found[0] == 1 && found[1] == 2 && found[2] == 3 && found[3] == 98);
		CU_ASSERT_EQUAL(lookup(map, 0, 7), 1);
		CU_ASSERT_EQUAL(lookup(map, 2, 7), 3);
		CU_ASSERT_EQUAL(update(map, 1, 7, 22), 0);
		CU_ASSERT_EQUAL(test_ops->lookup_and_delete(map, &ctx, &key, found), 0);
		CU_ASSERT(found[0] == 1 && found[1] == 22 && found[2] == 3 && found[3] == 98);
		CU_ASSERT_EQUAL(test_map_entries(map), 0);
		test_map_destroy(map);
	}
}

/* A program's look-and-delete takes its own copy. */
static void test_program_deletes(void)
{
	struct map *map = kind_create(0, 8);
	struct map_ctx call = {.context = OP_SYSCALL}, program = {.cpu = 2, .context = OP_PROGRAM};
	uint64_t key = 7, values[3] = {1, 2, 3}, found[2] = {0, 98};

	CU_ASSERT_EQUAL(test_ops->update(map, &call, &key, values, 0), 0);
	CU_ASSERT_EQUAL(test_ops->lookup_and_delete(map, &program, &key, found), 0);
	CU_ASSERT(found[0] == 3 && found[1] == 98);
	test_map_destroy(map);
}

/* The place of what was deleted or evicted is used again: nothing of it may be seen. */
static void test_zeroed_after_reuse(void)
{
	for (size_t kind = 0; kind < COUNT(kinds); kind++) {
		struct map *map = kind_create(kind, 4);
		struct map_ctx ctx = {.context = OP_SYSCALL};
		uint64_t values[3] = {91, 92, 93};

		for (uint64_t key = 0; key < 40; key++) {
			CU_ASSERT_EQUAL(test_ops->update(map, &ctx, &key, values, 0), 0);
			if (!map_type_is_lru(kinds[kind].type))
				CU_ASSERT_EQUAL(test_ops->del(map, &ctx, &key), 0);
		}
		for (uint64_t key = 100; key < 106; key++) {
			CU_ASSERT_EQUAL(update(map, (uint32_t)(key % 3), key, 5), 0);
			for (uint32_t cpu = 0; cpu < 3; cpu++)
				CU_ASSERT_EQUAL(lookup(map, cpu, key), cpu == key % 3 ? 5 : 0);
		}
		test_map_destroy(map);
	}
}

/* By system call all copies are new. */
static void test_replaced_by_system_call(void)
{
	for (size_t kind = 0; kind < COUNT(kinds); kind++) {
		struct map *map = kind_create(kind, 8);
		struct map_ctx ctx = {.cpu = 1, .context = OP_SYSCALL};
		uint64_t key = 1, values[3] = {4, 5, 6}, found[3];

		CU_ASSERT_EQUAL(update(map, 2, 1, 77), 0);
		CU_ASSERT_EQUAL(test_ops->update(map, &ctx, &key, values, 2), 0);
		CU_ASSERT_EQUAL(test_ops->lookup(map, &ctx, &key, found), 0);
		CU_ASSERT(found[0] == 4 && found[1] == 5 && found[2] == 6);
		test_map_destroy(map);
	}
}

/* A program writes its copy in place; whoever gets the place next must not see it. */
static void test_in_place(void)
{
	for (size_t kind = 0; kind < COUNT(kinds); kind++) {
		struct map *map = kind_create(kind, 8);
		struct map_ctx ctx = {.cpu = 2, .context = OP_PROGRAM};
		uint64_t key = 1, *value;

		CU_ASSERT_PTR_NULL(test_ops->lookup_in_place(map, &ctx, &key));
		CU_ASSERT_EQUAL(update(map, 1, key, 5), 0);
		value = test_ops->lookup_in_place(map, &ctx, &key);
		CU_ASSERT_PTR_NOT_NULL_FATAL(value);
		CU_ASSERT(*value == 0 && (uintptr_t)value % 8 == 0);
		*value = 9;
		CU_ASSERT(lookup(map, 1, key) == 5 && lookup(map, 2, key) == 9);
		CU_ASSERT_EQUAL(test_ops->del(map, &ctx, &key), 0);
		for (key = 0; key < 20; key++) {
			CU_ASSERT_EQUAL(update(map, 0, key, 1), 0);
			CU_ASSERT_EQUAL(lookup(map, 2, key), 0);
			if (!map_type_is_lru(kinds[kind].type))
				CU_ASSERT_EQUAL(test_ops->del(map, &ctx, &key), 0);
		}
		test_map_destroy(map);
	}
}

/* Interrupts are programs. */
static void test_interrupts(void)
{
	struct map *map = kind_create(0, 4);
	struct map_ctx irq = {.cpu = 1, .context = OP_IRQ}, nmi = {.cpu = 1, .context = OP_NMI};
	uint64_t key = 1;
	uint32_t value = 8, found = 0;

	CU_ASSERT_EQUAL(test_ops->update(map, &irq, &key, &value, 0), 0);
	CU_ASSERT_EQUAL(test_ops->lookup(map, &nmi, &key, &found), 0);
	CU_ASSERT_EQUAL(found, 8);
	CU_ASSERT_EQUAL(lookup(map, 0, 1), 0);
	test_map_destroy(map);
}

#define KEYS 12

/* What the copies of every key should be. */
struct reference {
	bool is_there[KEYS];
	uint64_t copies[KEYS][3];
};

/* An update with numbers of its own in every copy. An LRU map may have evicted the key for it. */
static void random_update(struct map *map, struct reference *reference, uint64_t key,
			  struct map_ctx *ctx, uint64_t number)
{
	uint64_t values[3] = {number, number + 1, number + 2}, *copies = reference->copies[key];
	struct map_counters before, after;

	test_ops->counters(map, ctx->cpu, &before);
	if (test_ops->update(map, ctx, &key, values, 0))
		return;
	test_ops->counters(map, ctx->cpu, &after);
	if (after.inserts != before.inserts)
		memset(copies, 0, sizeof(reference->copies[key]));
	reference->is_there[key] = true;
	if (ctx->context == OP_SYSCALL)
		memcpy(copies, values, sizeof(values));
	else
		copies[ctx->cpu] = number;
}

static bool has_copies(struct map *map, const struct reference *reference, uint64_t key)
{
	struct map_ctx ctx = {.context = OP_SYSCALL};
	uint64_t found[3];
	int err = test_ops->lookup(map, &ctx, &key, found);

	if (err || !reference->is_there[key])
		return err == -ENOENT && !reference->is_there[key];
	return !memcmp(found, reference->copies[key], sizeof(found));
}

/* Keys come and go, evicted or deleted, written by programs and system calls on any CPU. */
static void check_random(size_t kind, struct rng *rng)
{
	struct map *map = kind_create(kind, 8);
	struct reference reference = {0};
	uint64_t wrong = 0;

	for (uint64_t i = 0; i < 3000; i++) {
		struct map_ctx ctx = {.cpu = (uint32_t)rng_below(rng, 3),
				      .context = rng_below(rng, 4) ? OP_PROGRAM : OP_SYSCALL};
		uint64_t key = rng_below(rng, KEYS);

		if (rng_below(rng, 3))
			random_update(map, &reference, key, &ctx, 10 * i + 1);
		else if (!test_ops->del(map, &ctx, &key))
			reference.is_there[key] = false;
		/* What an LRU map gave up is not known but by asking. */
		for (key = 0; key < KEYS && map_type_is_lru(kinds[kind].type); key++)
			reference.is_there[key] &= !test_ops->lookup(map, &ctx, &key, NULL);
		for (key = 0; key < KEYS; key++)
			wrong += !has_copies(map, &reference, key);
	}
	CU_ASSERT_EQUAL(wrong, 0);
	test_map_destroy(map);
}

static void test_random(void)
{
	struct rng rng;

	rng_init(&rng, 8);
	for (size_t kind = 0; kind < COUNT(kinds); kind++)
		check_random(kind, &rng);
}

/* Neighbours in the per-CPU area do not touch: every copy of every value is its own. */
static void check_area(enum map_type type, uint32_t flags, uint32_t value_size, uint32_t entries,
		       uint32_t cpus)
{
	struct test_map wanted = {{type, 8, value_size, entries, flags, 0, false},
				  NULL,
				  cpus,
				  "free_target=1"};
	struct map *map = test_map_create(&wanted);
	struct map_ctx ctx = {.context = OP_SYSCALL};
	size_t bytes = map_sys_value_bytes(&wanted.attr, cpus);
	uint8_t *value = calloc(1, bytes), *found = calloc(1, bytes);

	for (uint64_t key = 0; key < entries; key++) {
		for (uint32_t cpu = 0; cpu < cpus; cpu++)
			memset(value + bytes / cpus * cpu, (int)(key * cpus + cpu), value_size);
		CU_ASSERT_EQUAL(test_ops->update(map, &ctx, &key, value, 0), 0);
	}
	for (uint64_t key = 0; key < entries; key++) {
		for (uint32_t cpu = 0; cpu < cpus; cpu++)
			memset(value + bytes / cpus * cpu, (int)(key * cpus + cpu), value_size);
		CU_ASSERT_EQUAL(test_ops->lookup(map, &ctx, &key, found), 0);
		CU_ASSERT_EQUAL(memcmp(found, value, bytes), 0);
	}
	free(value);
	free(found);
	test_map_destroy(map);
}

static void test_areas(void)
{
	check_area(MAP_PERCPU_HASH, 0, 1, 5000, 3);
	check_area(MAP_PERCPU_HASH, MAP_NO_PREALLOC, 8, 5000, 2);
	check_area(MAP_PERCPU_HASH, 0, 32768, 9, 3);
	check_area(MAP_PERCPU_HASH, MAP_NO_PREALLOC, 32768, 9, 2);
	check_area(MAP_PERCPU_HASH, MAP_NO_PREALLOC, 32761, 1, 7);
	check_area(MAP_LRU_PERCPU_HASH, 0, 16392, 5, 3);
	check_area(MAP_LRU_PERCPU_HASH, 0, 24, 1000, 1);
	check_area(MAP_LRU_PERCPU_HASH, 0, 8, 3, 4096);
}

CU_TestInfo percpu_tests[] = {
	{"own copies", test_own_copies},
	{"system calls", test_system_calls},
	{"programs deleting", test_program_deletes},
	{"zeroed after reuse", test_zeroed_after_reuse},
	{"replaced by system call", test_replaced_by_system_call},
	{"values in place", test_in_place},
	{"interrupts", test_interrupts},
	{"random updates", test_random},
	{"areas", test_areas},
	CU_TEST_INFO_NULL,
};
