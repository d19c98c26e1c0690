// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Elements taken and given back by several threads at the same time, under each policy: none is
 * lost, none is had twice, and all of the map can be filled again. Only in the flavour of threads.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

#include <env.h>

#include "tests/unit/test_map.h"

#define THREADS 4
#define CPUS 6 /* some never run: what is theirs has to be found */
#define ENTRIES 300
#define ROUNDS 6000
#define RACES 40
#define RACE_ENTRIES 70

/* exact: no insert can pass max_entries, not even while others insert. */
static const struct {
	const char *set;
	bool is_exact;
} policies[] = {
	{"alloc=freelist populate=old skip_empty=0", true},
	{"alloc=freelist populate=even skip_empty=1 free_list_lock=raw", true},
	{"alloc=kmalloc count=atomic", true},
	{"alloc=kmalloc count=percpu", false},
	{"alloc=ida", true},
	{"alloc=ida ida_size=1 ida_batch=1", true},
	{"alloc=ida ida_size=5 ida_batch=9", true},
	{"alloc=bitmap bitmap_aligned=1", true},
	{"alloc=bitmap bitmap_aligned=0", true},
	{"alloc=locked", true},
	{"alloc=bpfmem", false},
	{"alloc=bpfmem cache_low=1 cache_high=3 count=atomic", true},
};

#define POLICIES (sizeof(policies) / sizeof(policies[0]))

struct shared {
	struct map *map;
	pthread_barrier_t begin;
	uint32_t cpus_given;
	uint64_t inserted;
	uint64_t wrong; /* returns that cannot be */
};

static bool is_parallel(void)
{
	static bool is_said;

	if (!ENV_PARALLEL && !is_said)
		printf("# skipped: all of alloc_threads: flavour %s has no threads\n", ENV_NAME);
	is_said = true;
	return ENV_PARALLEL;
}

static void run_threads(struct shared *shared, void *(*work)(void *))
{
	pthread_t threads[THREADS];

	shared->cpus_given = 0;
	pthread_barrier_init(&shared->begin, NULL, THREADS);
	for (int i = 0; i < THREADS; i++)
		CU_ASSERT_EQUAL_FATAL(pthread_create(&threads[i], NULL, work, shared), 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	pthread_barrier_destroy(&shared->begin);
}

static struct map_ctx thread_begin(struct shared *shared)
{
	struct map_ctx ctx = {.cpu = env_add(&shared->cpus_given, 1) - 1, .context = OP_PROGRAM};

	test_ops->thread_begin(&ctx);
	pthread_barrier_wait(&shared->begin);
	return ctx;
}

/* Twice as many keys as have room, so that the map is full now and then. */
static void *mix_work(void *arg)
{
	struct shared *shared = arg;
	struct map_ctx ctx = thread_begin(shared);
	uint64_t value[CPUS] = {0}, state = ctx.cpu;

	for (int i = 0; i < ROUNDS; i++) {
		uint64_t draw = rng_splitmix(&state), key = draw % (2ULL * ENTRIES);
		int err = draw >> 32 & 1 ? test_ops->del(shared->map, &ctx, &key)
					 : test_ops->update(shared->map, &ctx, &key, value, 0);

		if (err && err != -ENOENT && err != -E2BIG)
			env_add(&shared->wrong, 1);
		test_ops->thread_quiet(&ctx);
	}
	test_ops->thread_end(&ctx);
	return NULL;
}

static void *insert_work(void *arg)
{
	struct shared *shared = arg;
	struct map_ctx ctx = thread_begin(shared);
	uint64_t value[CPUS] = {0};

	for (uint64_t i = 0; i < RACE_ENTRIES; i++) {
		uint64_t key = i * THREADS + ctx.cpu;
		int err = test_ops->update(shared->map, &ctx, &key, value, 0);

		if (!err)
			env_add(&shared->inserted, 1);
		else if (err != -E2BIG)
			env_add(&shared->wrong, 1);
		test_ops->thread_quiet(&ctx);
	}
	test_ops->thread_end(&ctx);
	return NULL;
}

static void check_map(struct map *map, const char *set)
{
	struct error error = {.text = ""};

	if (test_ops->check(map, &error))
		test_fail(__FILE__, __LINE__, "%s: %s", set, error.text);
}

/* New keys from one CPU until there is no room: how many the map has then. */
static uint64_t fill_up(struct map *map)
{
	struct map_ctx ctx = {.cpu = 1, .context = OP_PROGRAM};
	uint64_t value[CPUS] = {0}, key = 1000000;

	while (!test_ops->update(map, &ctx, &key, value, 0) && key < 1000000 + 2 * ENTRIES)
		key++;
	return test_map_entries(map);
}

static void check_mix(enum map_type type, size_t policy)
{
	struct test_map wanted = {{.type = type, .max_entries = ENTRIES},
				  .cpus = CPUS,
				  .set = policies[policy].set};
	struct shared shared = {.map = test_map_create(&wanted)};
	uint64_t entries;

	run_threads(&shared, mix_work);
	CU_ASSERT_EQUAL(shared.wrong, 0);
	check_map(shared.map, policies[policy].set);
	entries = fill_up(shared.map);
	if (entries < ENTRIES || entries > ENTRIES + (policies[policy].is_exact ? 0 : THREADS - 1))
		test_fail(__FILE__, __LINE__, "%s: %llu entries in a map of %d",
			  policies[policy].set, (unsigned long long)entries, ENTRIES);
	check_map(shared.map, policies[policy].set);
	test_map_destroy(shared.map);
}

/* After whatever order, all of the map has room for keys. */
static void test_whole_capacity(void)
{
	if (!is_parallel())
		return;
	for (size_t i = 0; i < POLICIES; i++) {
		check_mix(MAP_HASH, i);
		check_mix(MAP_PERCPU_HASH, i);
	}
}

/* Of more inserts than have room, as many succeed as there is room for. */
static void test_race_for_the_last(void)
{
	if (!is_parallel())
		return;
	for (size_t i = 0; i < POLICIES * RACES; i++) {
		const char *set = policies[i % POLICIES].set;
		struct test_map wanted = {{.type = MAP_HASH, .max_entries = RACE_ENTRIES},
					  .cpus = CPUS,
					  .set = set};
		struct shared shared = {.map = test_map_create(&wanted)};
		uint64_t more = policies[i % POLICIES].is_exact ? 0 : THREADS - 1;

		run_threads(&shared, insert_work);
		CU_ASSERT_EQUAL(shared.wrong, 0);
		if (shared.inserted < RACE_ENTRIES || shared.inserted > RACE_ENTRIES + more)
			test_fail(__FILE__, __LINE__, "%s: %llu inserts into a map of %d", set,
				  (unsigned long long)shared.inserted, RACE_ENTRIES);
		CU_ASSERT_EQUAL(test_map_entries(shared.map), shared.inserted);
		test_map_destroy(shared.map);
	}
}

CU_TestInfo alloc_threads_tests[] = {
	{"the whole capacity", test_whole_capacity},
	{"the race for the last", test_race_for_the_last},
	CU_TEST_INFO_NULL,
};
