// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Conservation: it holds whatever is done to a map, and what breaks it is found. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "model/htab.h"
#include "tests/unit/test_map.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define CPUS 4

/* Random operations by everyone, checked now and then. */
static void check_often(const struct test_map *wanted, struct rng *rng)
{
	struct test_trace trace = {"LTUNEDlunedpPkbrSTUNR", 2 * wanted->attr.max_entries, CPUS, 0};
	struct map *map = test_map_create(wanted);
	struct error error = {.text = ""};
	struct op_batch batch;
	const struct map_run run = {.batch = &batch};

	CU_ASSERT_EQUAL_FATAL(op_batch_init(&batch, 150, false, false), 0);
	for (int round = 0; round < 8; round++) {
		test_trace_fill(&trace, rng, &batch, 150);
		for (size_t i = 0; i < 150; i += 5)
			batch.ops[i].context = (uint8_t)rng_below(rng, OP_CONTEXTS);
		test_ops->run(map, &run);
		if (test_ops->check(map, &error))
			test_fail(__FILE__, __LINE__, "%s, flags %u, %u entries, kernel %s, %s: %s",
				  map_type_names[wanted->attr.type], wanted->attr.flags,
				  wanted->attr.max_entries, wanted->kernel,
				  wanted->set ? wanted->set : "", error.text);
	}
	op_batch_deinit(&batch);
	test_map_destroy(map);
}

static void check_sizes(enum map_type type, uint32_t flags, const char *kernel, const char *set)
{
	static const uint32_t sizes[] = {1, 3, 30, 200};
	struct rng rng;

	rng_init(&rng, 7);
	for (size_t i = 0; i < COUNT(sizes); i++) {
		struct test_map wanted = {{type, 8, 8, sizes[i], flags, 0, false},
					  kernel,
					  CPUS,
					  set};

		check_often(&wanted, &rng);
	}
}

static void test_hash_holds(void)
{
	static const char *const kernels[] = {"4.6", "5.10", "5.14", "6.0",
					      "6.1", "6.12", "6.15", "7.3"};
	static const char *const sets[] = {"alloc=freelist", "alloc=kmalloc",
					   "alloc=bpfmem",   "spares=0",
					   "lock=map",       "cache_low=1 cache_high=3"};

	check_sizes(MAP_HASH, 0, "3.19", NULL);
	for (size_t i = 0; i < COUNT(kernels); i++) {
		check_sizes(MAP_HASH, 0, kernels[i], NULL);
		check_sizes(MAP_HASH, MAP_NO_PREALLOC, kernels[i], NULL);
		check_sizes(MAP_PERCPU_HASH, 0, kernels[i], NULL);
		check_sizes(MAP_PERCPU_HASH, MAP_NO_PREALLOC, kernels[i], NULL);
	}
	for (size_t i = 0; i < COUNT(sets); i++) {
		check_sizes(MAP_HASH, 0, "7.3", sets[i]);
		check_sizes(MAP_PERCPU_HASH, MAP_NO_PREALLOC, "7.3", sets[i]);
	}
}

static void test_lru_holds(void)
{
	static const char *const kernels[] = {"4.10", "5.1", "5.11", "6.12", "6.15", "6.16", "7.3"};
	static const char *const sets[] = {"rotation=lru",
					   "free_target=1",
					   "free_target=1000",
					   "nr_scans=1",
					   "nr_scans=3 free_target=7",
					   "lock=map"};

	for (int flags = 0; flags < 2; flags++) {
		uint32_t flag = flags ? MAP_NO_COMMON_LRU : 0;

		for (size_t i = 0; i < COUNT(kernels); i++) {
			check_sizes(MAP_LRU_HASH, flag, kernels[i], NULL);
			check_sizes(MAP_LRU_PERCPU_HASH, flag, kernels[i], NULL);
		}
		for (size_t i = 0; i < COUNT(sets); i++) {
			check_sizes(MAP_LRU_HASH, flag, "7.3", sets[i]);
			check_sizes(MAP_LRU_PERCPU_HASH, flag, "7.3", sets[i]);
		}
	}
}

/* A map with some keys in it, on CPU 0. */
static struct map *create_used(enum map_type type, uint32_t flags)
{
	struct test_map wanted = {{type, 8, 8, 6, flags, 0, false}, "7.3", 2, NULL};
	struct map *map = test_map_create(&wanted);

	test_map_run(map, "0U1 0U2", "0 0");
	return map;
}

/* The first element that is in a bucket. */
static struct elem *first_hashed(const struct map *map)
{
	for (uint32_t bucket = 0; bucket <= map->bucket_mask; bucket++) {
		if (!nulls_is_end(map_bucket(map, bucket)->first))
			return elem_of_link(map_bucket(map, bucket)->first);
	}
	return NULL;
}

static void expect_broken(const struct map *map, const char *what)
{
	struct error error = {.text = ""};
	int err = test_ops->check(map, &error);

	if (err != -EUCLEAN || !strstr(error.text, what))
		test_fail(__FILE__, __LINE__, "%d \"%s\", expected -EUCLEAN and \"%s\"", err,
			  error.text, what);
}

/* Also where nobody asks what is wrong. */
static void test_wrong_census(void)
{
	for (int type = 0; type < MAP_TYPES; type++) {
		struct map *map = create_used((enum map_type)type, 0);

		map->census.entries++;
		expect_broken(map, "2 elements are hashed, counted 3");
		CU_ASSERT_EQUAL(test_ops->check(map, NULL), -EUCLEAN);
		map->census.entries--;
		test_map_destroy(map);
	}
}

static void test_wrong_bucket(void)
{
	for (int type = 0; type < MAP_TYPES; type++) {
		struct map *map = create_used((enum map_type)type, 0);
		struct elem *elem = first_hashed(map);

		elem->hash ^= 1;
		expect_broken(map, "holds an element of hash");
		elem->hash ^= 1;
		elem->key[0] ^= 1;
		expect_broken(map, "holds an element of hash");
		elem->key[0] ^= 1;
		test_map_destroy(map);
	}
}

static void test_broken_links(void)
{
	for (int type = 0; type < MAP_TYPES; type++) {
		struct map *map = create_used((enum map_type)type, 0);
		struct elem *elem = first_hashed(map);
		uintptr_t *pprev = elem->hash_node.pprev, next = elem->hash_node.next;

		elem->hash_node.pprev = &next;
		expect_broken(map, "broken back link");
		elem->hash_node.pprev = pprev;
		elem->hash_node.next = nulls_end(map_bucket(map, map->bucket_mask + 1));
		expect_broken(map, "ends on the mark of another");
		elem->hash_node.next = next;
		test_map_destroy(map);
	}
}

/* A spare that is in a bucket, too, or that is none of the map's elements. */
static void test_wrong_spare(void)
{
	struct map *map = create_used(MAP_HASH, 0);
	struct elem *spare = map_cpu(map, 1)->spare, stranger = {0};

	map_cpu(map, 1)->spare = first_hashed(map);
	expect_broken(map, "is in two places");
	map_cpu(map, 1)->spare = map_cpu(map, 0)->spare;
	expect_broken(map, "is in two places");
	map_cpu(map, 1)->spare = &stranger;
	expect_broken(map, "none of the map's");
	map_cpu(map, 1)->spare = spare;
	test_map_destroy(map);
}

/* What was unlinked and given back to no one. */
static void test_lost_element(void)
{
	static const struct map_attr kinds[] = {
		{.type = MAP_HASH},
		{.type = MAP_PERCPU_HASH},
		{.type = MAP_HASH, .flags = MAP_NO_PREALLOC},
		{.type = MAP_PERCPU_HASH, .flags = MAP_NO_PREALLOC},
	};

	for (size_t i = 0; i < COUNT(kinds); i++) {
		struct map *map = create_used(kinds[i].type, kinds[i].flags);
		struct elem *elem = first_hashed(map);
		uint32_t bucket = elem->hash & map->bucket_mask;

		htab_unlink(elem);
		expect_broken(map, "1 elements are hashed");
		htab_link(map, elem, bucket);
		test_map_destroy(map);
	}
}

/* A key twice in a bucket: two inserts that did not see each other. */
static void test_key_twice(void)
{
	for (int type = 0; type < MAP_TYPES; type++) {
		struct test_map wanted = {{(enum map_type)type, 8, 8, 2, 0, 0, false},
					  "7.3",
					  1,
					  NULL};
		struct map *map = test_map_create(&wanted);
		struct elem *elem, *other;
		uint64_t key;

		map->bucket_mask = 0; /* all in one chain */
		test_map_run(map, "0U1 0U2", "0 0");
		elem = first_hashed(map);
		other = elem_of_link(elem->hash_node.next);
		memcpy(&key, other->key, sizeof(key));
		memcpy(other->key, elem->key, sizeof(key));
		other->hash = elem->hash;
		expect_broken(map, "is there twice");
		memcpy(other->key, &key, sizeof(key));
		other->hash = htab_hash(map, other->key);
		test_map_destroy(map);
	}
}

/* Elements of the general allocator have one place each, too: here one is free for ever again. */
static void test_free_twice(void)
{
	struct map *map = create_used(MAP_HASH, MAP_NO_PREALLOC);
	struct slab_object *free = map->slab.cpu_slabs[0].free, *next;

	CU_ASSERT_PTR_NOT_NULL_FATAL(free);
	next = free->next;
	free->next = free;
	expect_broken(map, "is in two places");
	free->next = next;
	test_map_destroy(map);
}

static void test_wrong_count(void)
{
	struct map *map = create_used(MAP_HASH, MAP_NO_PREALLOC);

	map->count.total--;
	expect_broken(map, "2 elements are hashed, counted 1");
	map->count.total++;
	test_map_destroy(map);
}

/* A node of an LRU map that fell out of its list, or whose list is not the one it names. */
static void test_lost_node(void)
{
	static const char *const sets[] = {NULL, "rotation=lru"};

	for (int i = 0; i < 4; i++) {
		struct test_map wanted = {{MAP_LRU_HASH, 8, 8, 6, i % 2 ? MAP_NO_COMMON_LRU : 0, 0,
					   false},
					  "7.3",
					  1,
					  sets[i / 2]};
		struct map *map = test_map_create(&wanted);
		struct list_node *node, *before;

		test_map_run(map, "0U1 0U2", "0 0");
		node = &first_hashed(map)->lru.list;
		before = node->prev;
		list_del(node);
		expect_broken(map, "counted");
		list_add(node, before);
		test_map_destroy(map);
	}
}

static void test_wrong_node_type(void)
{
	struct map *map = create_used(MAP_LRU_HASH, MAP_NO_COMMON_LRU);
	struct elem *elem = first_hashed(map);

	elem->lru.type++;
	expect_broken(map, "a node of type");
	elem->lru.type--;
	test_map_destroy(map);
}

CU_TestInfo check_tests[] = {
	{"holds for hash maps", test_hash_holds},
	{"holds for LRU maps", test_lru_holds},
	{"a wrong census", test_wrong_census},
	{"a wrong bucket", test_wrong_bucket},
	{"broken links", test_broken_links},
	{"a wrong spare", test_wrong_spare},
	{"a lost element", test_lost_element},
	{"a key twice", test_key_twice},
	{"an element that is free twice", test_free_twice},
	{"a wrong count", test_wrong_count},
	{"a lost node", test_lost_node},
	{"a wrong type of node", test_wrong_node_type},
	CU_TEST_INFO_NULL,
};
