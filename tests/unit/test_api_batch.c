// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * libmapsim's batches: counts, cursors, what is refused and in which order; as a kernel 6.18
 * answered libbpf. Its keys 0 to 4 lie in 8 buckets so that two of them make a batch.
 */
#include <errno.h>
#include <string.h>

#include <mapsim/mapsim.h>

#include "tests/unit/unit.h"

#define FAILS_WITH(err, call) (errno = 0, (call) == -(err) && errno == (err))

static uint64_t keys[16], values[16];
static uint32_t count, cursor;

static struct mapsim_map *create(const char *kernel)
{
	struct mapsim_map_create_opts opts = {.sz = sizeof(opts), .kernel = kernel};
	struct mapsim_map *map = mapsim_map_create("type=hash,max_entries=8", &opts);

	CU_ASSERT_PTR_NOT_NULL_FATAL(map);
	for (uint64_t i = 0; i < 16; i++) {
		keys[i] = i;
		values[i] = i * 10;
	}
	return map;
}

static int lookup(struct mapsim_map *map, const void *in, uint32_t asked)
{
	count = asked;
	return mapsim_map_lookup_batch(map, 0, in, &cursor, keys, values, &count, NULL);
}

static int update(struct mapsim_map *map, uint32_t asked)
{
	count = asked;
	return mapsim_map_update_batch(map, 0, keys, values, &count, NULL);
}

static void test_updates(void)
{
	struct mapsim_map *map = create(NULL);

	CU_ASSERT(update(map, 0) == 0 && count == 0);
	CU_ASSERT(update(map, 5) == 0 && count == 5);
	CU_ASSERT(FAILS_WITH(E2BIG, update(map, 16)) && count == 8);
	mapsim_map_destroy(map);
}

static void test_cursors(void)
{
	struct mapsim_map *map = create(NULL);
	uint32_t in;

	update(map, 8);
	cursor = 77;
	CU_ASSERT(FAILS_WITH(ENOENT, lookup(map, NULL, 16)) && count == 8 && cursor == 8);
	CU_ASSERT(lookup(map, NULL, 2) == 0 && count == 2 && cursor == 1);
	CU_ASSERT_EQUAL(lookup(map, NULL, 1), -ENOSPC);
	CU_ASSERT(count == 0 && cursor == 0);
	cursor = 77;
	for (in = 8; in < 10; in++)
		CU_ASSERT(FAILS_WITH(ENOENT, lookup(map, &in, 2)) && !count && cursor == 77);
	CU_ASSERT(lookup(map, &in, 0) == 0 && count == 0 && cursor == 77);
	/* In and out may be one. */
	cursor = 1;
	count = 16;
	CU_ASSERT(FAILS_WITH(ENOENT, mapsim_map_lookup_batch(map, 0, &cursor, &cursor, keys, values,
							     &count, NULL)));
	CU_ASSERT(count == 6 && cursor == 8);
	mapsim_map_destroy(map);
}

static void test_deletions(void)
{
	struct mapsim_map *map = create(NULL);

	update(map, 8);
	keys[0] = 1;
	keys[1] = 99;
	count = 3;
	CU_ASSERT(FAILS_WITH(ENOENT, mapsim_map_delete_batch(map, 0, keys, &count, NULL)));
	CU_ASSERT_EQUAL(count, 1);
	count = 0;
	CU_ASSERT_EQUAL(mapsim_map_delete_batch(map, 0, NULL, &count, NULL), 0);
	count = 16;
	CU_ASSERT(FAILS_WITH(ENOENT, mapsim_map_lookup_and_delete_batch(map, 0, NULL, &cursor, keys,
									values, &count, NULL)));
	CU_ASSERT_EQUAL(count, 7);
	for (uint32_t i = 0; i < count; i++)
		CU_ASSERT_EQUAL(values[i], keys[i] * 10);
	CU_ASSERT(FAILS_WITH(ENOENT, mapsim_map_get_next_key(map, 0, 1, NULL, keys)));
	CU_ASSERT_EQUAL(mapsim_map_check(map), 0);
	mapsim_map_destroy(map);
}

static void test_flags(void)
{
	struct mapsim_map_batch_opts none = {.sz = sizeof(none)},
				     elem = {.sz = sizeof(elem), .elem_flags = MAPSIM_NOEXIST},
				     flag = {.sz = sizeof(flag), .flags = 1}, small = {.sz = 2};
	struct mapsim_map *map = create(NULL);

	count = 5;
	CU_ASSERT(FAILS_WITH(EINVAL, mapsim_map_update_batch(map, 0, keys, values, &count, &elem)));
	CU_ASSERT(
		FAILS_WITH(EINVAL, mapsim_map_update_batch(map, 0, keys, values, &count, &small)));
	CU_ASSERT(FAILS_WITH(EINVAL, mapsim_map_delete_batch(map, 0, keys, &count, &elem)));
	CU_ASSERT(FAILS_WITH(EINVAL, mapsim_map_lookup_batch(map, 0, NULL, &cursor, keys, values,
							     &count, &elem)));
	CU_ASSERT(FAILS_WITH(EINVAL, mapsim_map_lookup_batch(map, 0, NULL, &cursor, keys, values,
							     &count, &flag)));
	CU_ASSERT_EQUAL(count, 5);
	CU_ASSERT_EQUAL(mapsim_map_update_batch(map, 0, keys, values, &count, &flag), 0);
	CU_ASSERT_EQUAL(mapsim_map_delete_batch(map, 0, keys, &count, &none), 0);
	/* Flags come before there being nothing to do. */
	count = 0;
	CU_ASSERT(FAILS_WITH(EINVAL, mapsim_map_update_batch(map, 0, keys, values, &count, &elem)));
	CU_ASSERT(FAILS_WITH(EINVAL, mapsim_map_lookup_batch(map, 0, NULL, &cursor, keys, values,
							     &count, &flag)));
	mapsim_map_destroy(map);
}

static void test_arguments(void)
{
	struct mapsim_map *map = create(NULL);

	update(map, 8);
	CU_ASSERT(FAILS_WITH(EBADF, update(NULL, 3)) && count == 3);
	CU_ASSERT(FAILS_WITH(EBADF, lookup(NULL, NULL, 3)) && count == 3);
	CU_ASSERT(FAILS_WITH(EINVAL, mapsim_map_delete_batch(map, 1, keys, &count, NULL)));
	CU_ASSERT(FAILS_WITH(EFAULT, mapsim_map_delete_batch(map, 0, keys, NULL, NULL)));
	CU_ASSERT(FAILS_WITH(EFAULT, mapsim_map_delete_batch(map, 0, NULL, &count, NULL)) &&
		  !count);
	count = 3;
	CU_ASSERT(FAILS_WITH(EFAULT, mapsim_map_update_batch(map, 0, NULL, values, &count, NULL)) &&
		  !count);
	count = 3;
	CU_ASSERT(FAILS_WITH(EFAULT, mapsim_map_update_batch(map, 0, keys, NULL, &count, NULL)) &&
		  !count);
	count = 16;
	CU_ASSERT(FAILS_WITH(EFAULT, mapsim_map_lookup_and_delete_batch(map, 0, NULL, &cursor, NULL,
									values, &count, NULL)));
	count = 16;
	CU_ASSERT(FAILS_WITH(EFAULT, mapsim_map_lookup_and_delete_batch(map, 0, NULL, NULL, keys,
									values, &count, NULL)));
	CU_ASSERT_EQUAL(count, 0);
	CU_ASSERT(FAILS_WITH(ENOENT, lookup(map, NULL, 16)) && count == 8);
	mapsim_map_destroy(map);
}

/* Batches came with 5.6. */
static void test_old_kernels(void)
{
	struct mapsim_map *map = create("5.5");

	CU_ASSERT(FAILS_WITH(EINVAL, update(map, 1)) && count == 1);
	CU_ASSERT(FAILS_WITH(EINVAL, update(map, 0)));
	CU_ASSERT(FAILS_WITH(EINVAL, lookup(map, NULL, 1)) && count == 1);
	CU_ASSERT(FAILS_WITH(EINVAL, mapsim_map_delete_batch(map, 0, keys, &count, NULL)));
	mapsim_map_destroy(map);
}

CU_TestInfo api_batch_tests[] = {
	{"updates", test_updates}, {"cursors", test_cursors},     {"deletions", test_deletions},
	{"flags", test_flags},     {"arguments", test_arguments}, {"old kernels", test_old_kernels},
	CU_TEST_INFO_NULL,
};
