// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Slabs and the elements that wait for a grace period, taken by themselves. */
#include <stdlib.h>
#include <time.h>

#include <env.h>

#include "model/defer.h"
#include "model/map.h"
#include "tests/unit/test_map.h"

#define OBJECTS 1000
#define CPUS 3

static int count_object(void *arg, const void *object)
{
	(void)object;
	++*(uint64_t *)arg;
	return 0;
}

/* All objects that are not in use are free somewhere, once each. */
static void check_slab(const struct slab *slab, uint64_t used)
{
	struct error error = {.text = ""};
	uint64_t free = 0;

	if (slab_walk(slab, count_object, &free, &error))
		test_fail(__FILE__, __LINE__, "%s", error.text);
	CU_ASSERT_EQUAL(free + used, slab->object_count);
}

/* Allocates on one CPU and frees on others, again and again: no more is cut than is in use. */
static void check_sizes(size_t object_bytes)
{
	struct map_ctx ctxs[CPUS] = {{.cpu = 0}, {.cpu = 1}, {.cpu = 2}};
	void *objects[OBJECTS];
	struct slab slab;
	uint64_t cut;

	CU_ASSERT_EQUAL(slab_init(&slab, object_bytes, OBJECTS, CPUS, -1, NULL, NULL), 0);
	for (uint32_t round = 0; round < 4; round++) {
		for (uint32_t i = 0; i < OBJECTS; i++) {
			objects[i] = slab_alloc(&slab, &ctxs[round % CPUS]);
			CU_ASSERT_PTR_NOT_NULL_FATAL(objects[i]);
		}
		check_slab(&slab, OBJECTS);
		cut = slab.object_count;
		for (uint32_t i = 0; i < OBJECTS; i++)
			slab_free(&slab, &ctxs[i % 2 ? round % CPUS : i % CPUS], objects[i]);
		check_slab(&slab, 0);
	}
	CU_ASSERT(cut <= OBJECTS + (uint64_t)CPUS * slab.run_objects);
	CU_ASSERT(slab_bytes(&slab) >= cut * object_bytes);
	slab_deinit(&slab);
}

static void test_sizes(void)
{
	static const size_t sizes[] = {48, 64, 72, 1056, 20000, 100000};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		check_sizes(sizes[i]);
}

static int refuse_once(void *arg, void *object, uint64_t number)
{
	bool *is_refused = arg;

	(void)object;
	if (number == 5 && !*is_refused) {
		*is_refused = true;
		return -ENOMEM;
	}
	return 0;
}

/* A slab whose preparation failed half way is made anew. */
static void test_failed_preparation(void)
{
	struct map_ctx ctx = {.cpu = 0};
	bool is_refused = false;
	struct slab slab;

	CU_ASSERT_EQUAL(slab_init(&slab, 64, OBJECTS, 1, -1, refuse_once, &is_refused), 0);
	CU_ASSERT_PTR_NULL(slab_alloc(&slab, &ctx));
	CU_ASSERT(is_refused);
	check_slab(&slab, 0);
	for (uint64_t i = 0; i < OBJECTS; i++)
		CU_ASSERT_PTR_NOT_NULL(slab_alloc(&slab, &ctx));
	check_slab(&slab, OBJECTS);
	slab_deinit(&slab);
}

static void nap(void)
{
	nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

static int count_one(void *arg, const struct elem *elem)
{
	(void)elem;
	++*(uint64_t *)arg;
	return 0;
}

static uint64_t waiting(const struct defer *defer)
{
	struct error error;
	uint64_t count = 0;

	CU_ASSERT_EQUAL(defer_walk(defer, count_one, &count, &error), 0);
	return count;
}

/* What was added is over when all were quiet: at once where nobody else can be. */
static void test_grace(void)
{
	struct map_ctx reader = {.cpu = 0};
	struct elem elems[2];
	struct defer defer;

	memset(elems, 0, sizeof(elems));
	CU_ASSERT_EQUAL(defer_init(&defer, 2), 0);
	test_ops->thread_begin(&reader);
	defer_add(&defer, 1, &elems[0]);
	CU_ASSERT_PTR_NULL(defer_take_over(&defer, 1));
	CU_ASSERT_EQUAL(waiting(&defer), 1);
	if (ENV_PARALLEL) {
		for (int i = 0; i < 20; i++, nap())
			CU_ASSERT_FALSE(defer_advance(&defer, 1));
		CU_ASSERT_EQUAL(defer_most(&defer), 1);
		for (int i = 0; i < 5000 && !defer_advance(&defer, 1); i++, nap())
			test_ops->thread_quiet(&reader);
	}
	CU_ASSERT(defer_advance(&defer, 1));
	CU_ASSERT_EQUAL(defer_most(&defer), ENV_PARALLEL);
	CU_ASSERT_PTR_EQUAL(defer_take_over(&defer, 1), &elems[0]);
	CU_ASSERT_EQUAL(waiting(&defer), 0);
	/* Who may reuse at once takes the newest, however long it has waited. */
	defer_add(&defer, 0, &elems[0]);
	defer_advance(&defer, 0);
	defer_add(&defer, 0, &elems[1]);
	CU_ASSERT_PTR_EQUAL(defer_take_any(&defer, 0), &elems[1]);
	CU_ASSERT_PTR_EQUAL(defer_take_any(&defer, 0), &elems[0]);
	CU_ASSERT_PTR_NULL(defer_take_any(&defer, 0));
	test_ops->thread_end(&reader);
	defer_deinit(&defer);
}

/* An empty CPU takes a batch, then whole caches, each CPU's in turn; a full one gives a batch back.
 */
static void test_ida(void)
{
	struct test_map wanted = {{.type = MAP_PERCPU_HASH, .max_entries = 9},
				  .cpus = 3,
				  .set = "alloc=ida ida_size=4 ida_batch=3"};
	struct map *map = test_map_create(&wanted);
	struct map_counters total;

	test_map_lists(map, "extra_free=9");
	test_map_run(map, "0U1 1U2 2U3", "0 0 0");
	test_map_lists(map, "free0=2 free1=2 free2=2");
	test_map_run(map, "0U4 0U5 0U6", "0 0 0");
	test_map_lists(map, "free0=1 free2=2");
	test_map_run(map, "0U7 0U8", "0 0");
	test_map_lists(map, "free0=1");
	test_map_counters(map, 3, &total);
	CU_ASSERT_EQUAL(total.steals, 4);
	test_map_run(map, "1U9 1U10", "0 E2BIG");
	test_map_lists(map, "");
	test_map_run(map, "2D1 2D2 2D3", "0 0 0");
	test_map_lists(map, "free2=3");
	test_map_run(map, "2D4", "0");
	test_map_lists(map, "free2=1 extra_free=3");
	test_map_destroy(map);
}

/* Preallocating policies have all elements and their spares, and no more. */
static void test_preallocating(void)
{
	static const char *const sets[] = {"alloc=freelist", "alloc=ida", "alloc=locked",
					   "alloc=bitmap bitmap_aligned=0",
					   "alloc=bitmap bitmap_aligned=1"};

	for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++) {
		struct test_map wanted = {{.type = MAP_HASH, .max_entries = 3},
					  .cpus = 2,
					  .set = sets[i]};
		struct map *map = test_map_create(&wanted);

		test_map_run(map, "0U1 1U2 0U3 1U4 0U1 1U1 0E2", "0 0 0 E2BIG 0 0 0");
		test_map_run(map, "1D1 0U4 0D2 0D3 1D4 0U5 1U6 1U7 0U8", "0 0 0 0 0 0 0 0 E2BIG");
		test_map_keys(map, "5 6 7");
		test_map_destroy(map);
	}
}

CU_TestInfo slab_tests[] = {
	{"objects of all sizes", test_sizes},
	{"failed preparation", test_failed_preparation},
	{"grace periods", test_grace},
	{"tags", test_ida},
	{"preallocating policies", test_preallocating},
	CU_TEST_INFO_NULL,
};
