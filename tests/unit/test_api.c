// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* libmapsim: creating, single elements, asking, and what is refused. */
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mapsim/mapsim.h>

#include "tests/unit/unit.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define ENOTSUPP 524

/* Whether a call returned an errno both ways. */
#define FAILS_WITH(err, call) (errno = 0, (call) == -(err) && errno == (err))

static struct mapsim_map *create(const char *text, const char *kernel, const char *tunables,
				 uint32_t cpus)
{
	struct mapsim_map_create_opts opts = {.sz = sizeof(opts),
					      .kernel = kernel,
					      .tunables = tunables,
					      .cpus = cpus};

	return mapsim_map_create(text, &opts);
}

static bool is_refused(int err, const char *text, const char *kernel, const char *tunables,
		       uint32_t cpus)
{
	struct mapsim_map *map;

	errno = 0;
	map = create(text, kernel, tunables, cpus);
	if (!map && errno == err && mapsim_error()[0])
		return true;
	mapsim_map_destroy(map);
	return false;
}

static void test_defaults(void)
{
	struct mapsim_map *map = mapsim_map_create("max_entries=16", NULL);
	struct mapsim_map_info info = {.sz = sizeof(info)};

	CU_ASSERT_PTR_NOT_NULL_FATAL(map);
	CU_ASSERT_EQUAL(mapsim_map_get_info(map, &info), 0);
	CU_ASSERT(info.type == MAPSIM_LRU_HASH && info.map_flags == 0 && info.cpus == 1);
	CU_ASSERT(info.key_size == 8 && info.value_size == 8 && info.value_bytes == 8);
	CU_ASSERT(info.max_entries == 16 && info.entries == 0 && info.entries_max == 0);
	CU_ASSERT(info.kernel_bytes > 16 * 64 && info.model_bytes > 16 * 64);
	CU_ASSERT_STRING_EQUAL(info.text, "type=lru_hash,max_entries=16,key_size=8,value_size=8");
	CU_ASSERT_STRING_EQUAL(info.kernel_note, "");
	CU_ASSERT(info.kernel[0] >= '1' && info.kernel[0] <= '9');
	CU_ASSERT_STRING_EQUAL(mapsim_version(), VERSION);
	mapsim_map_destroy(map);
	mapsim_map_destroy(NULL);
}

static void test_texts(void)
{
	struct mapsim_map *map = create("percpu_hash,max_entries=1k,value_size=12,no_prealloc",
					"6.12.107", "free_target=1,nr_scans=4", 3);
	struct mapsim_map_info info = {.sz = sizeof(info)};

	CU_ASSERT_PTR_NOT_NULL_FATAL(map);
	CU_ASSERT_EQUAL(mapsim_map_get_info(map, &info), 0);
	CU_ASSERT(info.type == MAPSIM_PERCPU_HASH && info.map_flags == MAPSIM_F_NO_PREALLOC);
	CU_ASSERT(info.max_entries == 1024 && info.cpus == 3 && info.value_bytes == 48);
	CU_ASSERT_STRING_EQUAL(info.kernel, "6.12.107");
	mapsim_map_destroy(map);
	map = create("max_entries=4", "host", "", 0);
	CU_ASSERT_PTR_NOT_NULL_FATAL(map);
	CU_ASSERT_EQUAL(mapsim_map_get_info(map, &info), 0);
	CU_ASSERT(strstr(info.kernel_note, "host runs") && info.cpus == 1);
	mapsim_map_destroy(map);
}

static void test_bad_texts(void)
{
	static const char *const maps[] = {"",      ",",         "max_entries", "max_entries=x",
					   "array", "key_size=", "x=1",         "max_entries=4,,"};
	static const char *const tunables[] = {",",          "nr_scans",      "nr_scans=",
					       "nr_scans=0", "nr_scans=4,",   "nothing=1",
					       "=",          "max_entries=4", "type=hash",
					       "kernel=6.1", "cpus=2",        "rotation=x"};
	static const char *const kernels[] = {"", "6", "2.6.32", "99.1", "Host", "6.12,"};

	for (size_t i = 0; i < COUNT(maps); i++)
		CU_ASSERT(is_refused(EINVAL, maps[i], NULL, NULL, 1));
	for (size_t i = 0; i < COUNT(tunables); i++)
		CU_ASSERT(is_refused(EINVAL, "max_entries=4", NULL, tunables[i], 1));
	for (size_t i = 0; i < COUNT(kernels); i++)
		CU_ASSERT(is_refused(EINVAL, "max_entries=4", kernels[i], NULL, 1));
	CU_ASSERT(is_refused(EINVAL, "max_entries=4", NULL, NULL, 4097));
	CU_ASSERT(is_refused(EINVAL, "max_entries=4", NULL, NULL, UINT32_MAX));
	CU_ASSERT(is_refused(EFAULT, NULL, NULL, NULL, 1));
}

/* What the kernel would not have. */
static void test_refused(void)
{
	CU_ASSERT(is_refused(EINVAL, "type=hash", NULL, NULL, 1));
	CU_ASSERT(is_refused(EINVAL, "max_entries=4,key_size=0", NULL, NULL, 1));
	CU_ASSERT(is_refused(E2BIG, "max_entries=4,key_size=4M", NULL, NULL, 1));
	CU_ASSERT(is_refused(E2BIG, "percpu_hash,max_entries=4,value_size=32769", NULL, NULL, 1));
	CU_ASSERT(is_refused(ENOTSUPP, "max_entries=4,no_prealloc", NULL, NULL, 1));
	CU_ASSERT_PTR_NOT_NULL(strstr(mapsim_error(), "ENOTSUPP"));
	CU_ASSERT(is_refused(EINVAL, "type=lru_hash,max_entries=4", "4.9", NULL, 1));
	CU_ASSERT(is_refused(EINVAL, "max_entries=4", NULL, "rotation=opt", 1));
	CU_ASSERT_PTR_NOT_NULL(strstr(mapsim_error(), "to come"));
	CU_ASSERT(is_refused(ENOMEM, "type=hash,max_entries=128M,value_size=64k", NULL, NULL, 1));
}

static void test_sizes_of_options(void)
{
	struct {
		struct mapsim_map_create_opts known;
		uint64_t unknown;
	} large = {.known = {.sz = sizeof(large), .cpus = 2}};
	struct mapsim_map *map = mapsim_map_create("max_entries=4", &large.known);

	CU_ASSERT_PTR_NOT_NULL(map);
	mapsim_map_destroy(map);
	large.unknown = 1;
	CU_ASSERT(!mapsim_map_create("max_entries=4", &large.known) && errno == EINVAL);
	large.unknown = 0;
	large.known.reserved = 1;
	CU_ASSERT(!mapsim_map_create("max_entries=4", &large.known) && errno == EINVAL);
	large.known.reserved = 0;
	large.known.sz = 0;
	CU_ASSERT(!mapsim_map_create("max_entries=4", &large.known) && errno == EINVAL);
	large.known.sz = sizeof(large.known) - 1;
	CU_ASSERT(!mapsim_map_create("max_entries=4", &large.known) && errno == EINVAL);
}

/* What a newer header has is zeroed, what an older one has not is not written. */
static void test_sizes_of_answers(void)
{
	struct mapsim_map *map = create("max_entries=4", NULL, NULL, 1);
	struct {
		struct mapsim_map_info known;
		uint64_t unknown;
	} large = {.known = {.sz = sizeof(large)}, .unknown = 1};
	struct mapsim_map_counters counters = {.misses = 77};
	uint64_t key = 1;

	CU_ASSERT_EQUAL(mapsim_map_get_info(map, &large.known), 0);
	CU_ASSERT(large.known.sz == sizeof(large) && !large.unknown && large.known.cpus == 1);
	large.known.sz = sizeof(size_t) - 1;
	CU_ASSERT(FAILS_WITH(EINVAL, mapsim_map_get_info(map, &large.known)));
	mapsim_map_update_elem(map, 0, MAPSIM_SYSCALL, &key, &key, MAPSIM_ANY);
	mapsim_map_lookup_elem(map, 0, MAPSIM_SYSCALL, &key, &key);
	counters.sz = offsetof(struct mapsim_map_counters, misses);
	CU_ASSERT_EQUAL(mapsim_map_get_counters(map, 0, &counters), 0);
	CU_ASSERT(counters.operations == 2 && counters.hits == 1 && counters.misses == 77);
	CU_ASSERT_EQUAL(counters.sz, offsetof(struct mapsim_map_counters, misses));
	mapsim_map_destroy(map);
}

static void test_elements(void)
{
	struct mapsim_map *map = create("type=hash,max_entries=2", NULL, NULL, 2);
	uint64_t key = 1, value = 10, got = 0;

	CU_ASSERT_EQUAL(mapsim_map_update_elem(map, 0, MAPSIM_PROGRAM, &key, &value, 1), 0);
	CU_ASSERT(FAILS_WITH(EEXIST, mapsim_map_update_elem(map, 1, 1, &key, &value, 1)));
	CU_ASSERT(FAILS_WITH(EINVAL, mapsim_map_update_elem(map, 1, 1, &key, &value, 3)));
	CU_ASSERT(FAILS_WITH(EINVAL, mapsim_map_update_elem(map, 1, 1, &key, &value, 1ull << 32)));
	CU_ASSERT_EQUAL(mapsim_map_lookup_elem(map, 1, MAPSIM_SYSCALL, &key, &got), 0);
	CU_ASSERT_EQUAL(got, 10);
	key = 2;
	CU_ASSERT(FAILS_WITH(ENOENT, mapsim_map_lookup_elem(map, 0, 0, &key, &got)));
	CU_ASSERT(FAILS_WITH(ENOENT, mapsim_map_delete_elem(map, 0, 0, &key)));
	CU_ASSERT(FAILS_WITH(ENOENT, mapsim_map_update_elem(map, 0, 0, &key, &value, 2)));
	CU_ASSERT_EQUAL(mapsim_map_update_elem(map, 0, MAPSIM_NMI, &key, &value, 0), 0);
	key = 3;
	CU_ASSERT(FAILS_WITH(E2BIG, mapsim_map_update_elem(map, 0, 0, &key, &value, 0)));
	key = 1;
	CU_ASSERT_EQUAL(mapsim_map_lookup_and_delete_elem(map, 0, 1, &key, &got), 0);
	CU_ASSERT_EQUAL(mapsim_map_get_next_key(map, 0, 1, NULL, &got), 0);
	CU_ASSERT_EQUAL(got, 2);
	CU_ASSERT(FAILS_WITH(ENOENT, mapsim_map_get_next_key(map, 0, 1, &got, &got)));
	CU_ASSERT_EQUAL(mapsim_map_check(map), 0);
	mapsim_map_destroy(map);
	map = create("type=hash,max_entries=2", "5.13", NULL, 1);
	CU_ASSERT(FAILS_WITH(ENOTSUPP, mapsim_map_lookup_and_delete_elem(map, 0, 1, &key, &got)));
	mapsim_map_destroy(map);
}

static void test_in_place(void)
{
	struct mapsim_map *map = create("type=percpu_hash,max_entries=8", NULL, NULL, 2);
	uint64_t key = 5, value = 1, copies[2] = {0}, *place;

	errno = 0;
	CU_ASSERT(!mapsim_map_lookup_ptr(map, 0, MAPSIM_PROGRAM, &key) && errno == ENOENT);
	CU_ASSERT_EQUAL(mapsim_map_update_elem(map, 1, MAPSIM_IRQ, &key, &value, 0), 0);
	place = mapsim_map_lookup_ptr(map, 1, MAPSIM_IRQ, &key);
	CU_ASSERT_PTR_NOT_NULL_FATAL(place);
	*place += 6;
	CU_ASSERT_EQUAL(mapsim_map_lookup_elem(map, 0, MAPSIM_SYSCALL, &key, copies), 0);
	CU_ASSERT(copies[0] == 0 && copies[1] == 7);
	CU_ASSERT(!mapsim_map_lookup_ptr(map, 0, MAPSIM_SYSCALL, &key) && errno == EINVAL);
	CU_ASSERT(!mapsim_map_lookup_ptr(map, 0, MAPSIM_PROGRAM, NULL) && errno == EFAULT);
	CU_ASSERT(!mapsim_map_lookup_ptr(NULL, 0, MAPSIM_PROGRAM, &key) && errno == EBADF);
	mapsim_map_destroy(map);
}

/* Nothing may have happened where arguments are wrong. */
static void test_arguments(void)
{
	struct mapsim_map *map = create("max_entries=8", NULL, NULL, 2);
	struct mapsim_map_counters counters = {.sz = sizeof(counters)};
	enum mapsim_context bad = (enum mapsim_context)4;
	uint64_t key = 1, value = 2;

	CU_ASSERT(FAILS_WITH(EBADF, mapsim_map_lookup_elem(NULL, 0, 0, &key, &value)));
	CU_ASSERT(FAILS_WITH(EINVAL, mapsim_map_lookup_elem(map, 2, 0, &key, &value)));
	CU_ASSERT_STRING_EQUAL(mapsim_error(), "CPU 2: the map has 2");
	CU_ASSERT(FAILS_WITH(EINVAL, mapsim_map_lookup_elem(map, 0, bad, &key, &value)));
	CU_ASSERT(FAILS_WITH(EFAULT, mapsim_map_lookup_elem(map, 0, 0, NULL, &value)));
	CU_ASSERT(FAILS_WITH(EBADF, mapsim_map_update_elem(NULL, 0, 0, &key, &value, 0)));
	CU_ASSERT(FAILS_WITH(EINVAL, mapsim_map_update_elem(map, UINT32_MAX, 0, &key, &value, 0)));
	CU_ASSERT(FAILS_WITH(EINVAL, mapsim_map_update_elem(map, 0, bad, &key, &value, 0)));
	CU_ASSERT(FAILS_WITH(EFAULT, mapsim_map_update_elem(map, 0, 0, NULL, &value, 0)));
	CU_ASSERT(FAILS_WITH(EFAULT, mapsim_map_update_elem(map, 0, 0, &key, NULL, 0)));
	CU_ASSERT(FAILS_WITH(EBADF, mapsim_map_delete_elem(NULL, 0, 0, &key)));
	CU_ASSERT(FAILS_WITH(EINVAL, mapsim_map_delete_elem(map, 2, 0, &key)));
	CU_ASSERT(FAILS_WITH(EFAULT, mapsim_map_delete_elem(map, 0, 0, NULL)));
	CU_ASSERT(FAILS_WITH(EBADF, mapsim_map_lookup_and_delete_elem(NULL, 0, 1, &key, &value)));
	CU_ASSERT(FAILS_WITH(EFAULT, mapsim_map_lookup_and_delete_elem(map, 0, 1, NULL, &value)));
	CU_ASSERT(FAILS_WITH(EBADF, mapsim_map_get_next_key(NULL, 0, 1, NULL, &key)));
	CU_ASSERT(FAILS_WITH(EINVAL, mapsim_map_get_next_key(map, 2, 1, NULL, &key)));
	CU_ASSERT(FAILS_WITH(EBADF, mapsim_map_get_info(NULL, NULL)));
	CU_ASSERT(FAILS_WITH(EFAULT, mapsim_map_get_info(map, NULL)));
	CU_ASSERT(FAILS_WITH(EBADF, mapsim_map_get_counters(NULL, 0, &counters)));
	CU_ASSERT(FAILS_WITH(EBADF, mapsim_map_get_counters(NULL, MAPSIM_ALL_CPUS, &counters)));
	CU_ASSERT(FAILS_WITH(EINVAL, mapsim_map_get_counters(map, 2, &counters)));
	CU_ASSERT(FAILS_WITH(EFAULT, mapsim_map_get_counters(map, 1, NULL)));
	CU_ASSERT(FAILS_WITH(EBADF, mapsim_map_for_each_list(NULL, NULL, NULL)));
	CU_ASSERT(FAILS_WITH(EFAULT, mapsim_map_for_each_list(map, NULL, NULL)));
	CU_ASSERT(FAILS_WITH(EBADF, mapsim_map_check(NULL)));
	CU_ASSERT_EQUAL(mapsim_map_get_counters(map, MAPSIM_ALL_CPUS, &counters), 0);
	CU_ASSERT_EQUAL(counters.operations, 0);
	mapsim_map_destroy(map);
}

/* Nowhere to write to is found out when there is something, as in the kernel. */
static void test_nowhere(void)
{
	struct mapsim_map *map = create("max_entries=8", NULL, NULL, 1);
	uint64_t key = 1;

	CU_ASSERT(FAILS_WITH(ENOENT, mapsim_map_lookup_elem(map, 0, 1, &key, NULL)));
	CU_ASSERT(FAILS_WITH(ENOENT, mapsim_map_get_next_key(map, 0, 1, NULL, NULL)));
	CU_ASSERT_EQUAL(mapsim_map_update_elem(map, 0, 1, &key, &key, 0), 0);
	CU_ASSERT(FAILS_WITH(EFAULT, mapsim_map_lookup_elem(map, 0, 1, &key, NULL)));
	CU_ASSERT(FAILS_WITH(EFAULT, mapsim_map_get_next_key(map, 0, 1, NULL, NULL)));
	CU_ASSERT(FAILS_WITH(EFAULT, mapsim_map_lookup_and_delete_elem(map, 0, 1, &key, NULL)));
	CU_ASSERT(FAILS_WITH(ENOENT, mapsim_map_lookup_elem(map, 0, 1, &key, NULL)));
	mapsim_map_destroy(map);
}

static void sum_nodes(void *arg, const char *list, int cpu, uint64_t nodes)
{
	uint64_t *sum = arg;

	CU_ASSERT(list[0] && cpu >= -1 && cpu < 4);
	*sum += nodes;
}

static void test_asking(void)
{
	struct mapsim_map *map = create("max_entries=64", "6.12", NULL, 4);
	struct mapsim_map_counters all = {.sz = sizeof(all)}, one = {.sz = sizeof(one)};
	struct mapsim_map_info info = {.sz = sizeof(info)};
	uint64_t nodes = 0, operations = 0, evictions = 0;

	for (uint64_t key = 0; key < 500; key++)
		mapsim_map_update_elem(map, key % 4, MAPSIM_PROGRAM, &key, &key, MAPSIM_ANY);
	CU_ASSERT_EQUAL(mapsim_map_get_counters(map, MAPSIM_ALL_CPUS, &all), 0);
	for (uint32_t cpu = 0; cpu < 4; cpu++) {
		CU_ASSERT_EQUAL(mapsim_map_get_counters(map, cpu, &one), 0);
		operations += one.operations;
		evictions += one.evictions;
	}
	CU_ASSERT(all.operations == 500 && operations == 500 && all.inserts == 500);
	CU_ASSERT(all.evictions > 0 && all.evictions == evictions);
	CU_ASSERT_EQUAL(mapsim_map_get_info(map, &info), 0);
	CU_ASSERT(info.entries + all.evictions == 500 && info.entries_max <= 64);
	CU_ASSERT_EQUAL(mapsim_map_for_each_list(map, sum_nodes, &nodes), 0);
	CU_ASSERT_EQUAL(nodes, 64);
	CU_ASSERT_EQUAL(mapsim_map_check(map), 0);
	mapsim_map_destroy(map);
}

static void test_names_of_errors(void)
{
	CU_ASSERT_STRING_EQUAL(mapsim_errno_name(-ENOENT), "ENOENT");
	CU_ASSERT_STRING_EQUAL(mapsim_errno_name(E2BIG), "E2BIG");
	CU_ASSERT_STRING_EQUAL(mapsim_errno_name(-ENOTSUPP), "ENOTSUPP");
	CU_ASSERT_PTR_NULL(mapsim_errno_name(99999));
}

/* Makes a map and fills it; the same in every thread. Returns the evictions, or NULL. */
static void *use_map(void *arg)
{
	struct mapsim_map *map = create("max_entries=100", "host", "nr_scans=4", 2);
	struct mapsim_map_counters counters = {.sz = sizeof(counters)};
	uint64_t key;

	if (!map)
		return NULL;
	for (key = 0; key < 20000; key++) {
		mapsim_map_update_elem(map, key % 2, MAPSIM_PROGRAM, &key, &key, MAPSIM_ANY);
		mapsim_map_lookup_elem(map, 9, MAPSIM_PROGRAM, &key, &key);
	}
	*(bool *)arg = !strcmp(mapsim_error(), "CPU 9: the map has 2") && !mapsim_map_check(map);
	mapsim_map_get_counters(map, MAPSIM_ALL_CPUS, &counters);
	mapsim_map_destroy(map);
	return (void *)(uintptr_t)counters.evictions;
}

static void test_threads(void)
{
	pthread_t threads[4];
	void *evictions[4] = {NULL};
	bool is_good[4] = {false};

	for (int i = 0; i < 4; i++)
		CU_ASSERT_EQUAL(pthread_create(&threads[i], NULL, use_map, &is_good[i]), 0);
	for (int i = 0; i < 4; i++)
		CU_ASSERT_EQUAL(pthread_join(threads[i], &evictions[i]), 0);
	for (int i = 0; i < 4; i++)
		CU_ASSERT(is_good[i] && evictions[i] && evictions[i] == evictions[0]);
}

CU_TestInfo api_tests[] = {
	{"defaults", test_defaults},
	{"texts", test_texts},
	{"bad texts", test_bad_texts},
	{"refused maps", test_refused},
	{"sizes of options", test_sizes_of_options},
	{"sizes of answers", test_sizes_of_answers},
	{"elements", test_elements},
	{"values in place", test_in_place},
	{"arguments", test_arguments},
	{"nowhere to copy to", test_nowhere},
	{"asking", test_asking},
	{"names of errors", test_names_of_errors},
	{"threads", test_threads},
	CU_TEST_INFO_NULL,
};
