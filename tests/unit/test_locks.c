// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Locks that fail (7.3: all of them can). Every operation is made with its first lock failing, then
 * in a new map with its second, and so on until it takes no more: it must succeed or say why not,
 * and nothing may be lost. Only in the flavour that has locks.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "model/htab.h"
#include "tests/unit/test_map.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define CPUS 3
#define ENTRIES 6
#define LOCKS_MAX 200 /* more than any operation here takes */
#define NEW_KEY 1000

/* Says once that it has none. */
static bool has_locks(void)
{
	static bool is_said;

	if (!ENV_FAULTS && !is_said)
		printf("# skipped: all of locks: flavour %s cannot make them fail\n", ENV_NAME);
	is_said = true;
	return ENV_FAULTS;
}

/* What is done to a map before the operation: "" to a new one. */
struct state {
	const char *name;
	const char *ops;
};

static const struct state states[] = {
	{"empty", ""},
	{"one key", "0U1"},
	{"one key of another CPU", "1U1"},
	{"some keys, flushed", "0U1 0U2 0U3 1U4"},
	{"some used", "0U1 0U2 0L1 1U3 1L3 2U4 0L4 0U1"},
	{"full", "0U1 1U2 2U3 0U4 1U5 2U6"},
	{"full of used ones", "0U1 0L1 0U2 0L2 0U3 0L3 1U4 1L4 1U5 1L5 2U6 2L6"},
	{"all on one CPU", "0U1 0U2 0U3 0U4 0U5 0U6 0U7"},
	{"deleted", "0U1 1U2 2U3 0U4 1D1 0D2 2D4"},
};

/* An operation, by any CPU. */
typedef int operation(struct map *map, struct map_ctx *ctx);

static const uint64_t some_key = 1, missing_key = 999, new_value[CPUS] = {77, 77, 77};

static int op_lookup(struct map *map, struct map_ctx *ctx)
{
	return test_ops->lookup(map, ctx, &some_key, NULL);
}

static int op_insert(struct map *map, struct map_ctx *ctx)
{
	return test_ops->update(map, ctx, &missing_key, new_value, UPDATE_ANY);
}

static int op_insert_noexist(struct map *map, struct map_ctx *ctx)
{
	return test_ops->update(map, ctx, &missing_key, new_value, UPDATE_NOEXIST);
}

static int op_replace(struct map *map, struct map_ctx *ctx)
{
	return test_ops->update(map, ctx, &some_key, new_value, UPDATE_ANY);
}

static int op_noexist(struct map *map, struct map_ctx *ctx)
{
	return test_ops->update(map, ctx, &some_key, new_value, UPDATE_NOEXIST);
}

static int op_exist(struct map *map, struct map_ctx *ctx)
{
	return test_ops->update(map, ctx, &some_key, new_value, UPDATE_EXIST);
}

static int op_exist_missing(struct map *map, struct map_ctx *ctx)
{
	return test_ops->update(map, ctx, &missing_key, new_value, UPDATE_EXIST);
}

static int op_delete(struct map *map, struct map_ctx *ctx)
{
	return test_ops->del(map, ctx, &some_key);
}

static int op_lookup_and_delete(struct map *map, struct map_ctx *ctx)
{
	return test_ops->lookup_and_delete(map, ctx, &some_key, NULL);
}

static int op_next_key(struct map *map, struct map_ctx *ctx)
{
	uint64_t next;

	return test_ops->next_key(map, ctx, &some_key, &next);
}

static int op_batch(struct map *map, struct map_ctx *ctx)
{
	uint32_t cursor, count = 100;

	return test_ops->batch(map, ctx, NULL, &cursor, NULL, NULL, &count, false);
}

static int op_batch_delete(struct map *map, struct map_ctx *ctx)
{
	uint32_t cursor, count = 100;

	return test_ops->batch(map, ctx, NULL, &cursor, NULL, NULL, &count, true);
}

static const struct {
	const char *name;
	operation *run;
} operations[] = {
	{"lookup", op_lookup},
	{"insert", op_insert},
	{"insert NOEXIST", op_insert_noexist},
	{"replace", op_replace},
	{"NOEXIST", op_noexist},
	{"EXIST", op_exist},
	{"EXIST, missing", op_exist_missing},
	{"delete", op_delete},
	{"lookup_and_delete", op_lookup_and_delete},
	{"next_key", op_next_key},
	{"batch", op_batch},
	{"deleting batch", op_batch_delete},
};

/* One case: a map, what was done to it, what is done now, by which CPU, and which lock fails. */
struct lock_case {
	const struct test_map *wanted;
	const struct state *state;
	size_t op;
	uint32_t cpu, lock;
	bool gives_one; /* no more than one key goes for an insertion: the map can be filled */
};

static void case_fail(const struct lock_case *c, unsigned int line, const char *what)
{
	test_fail(__FILE__, line, "%s, flags %u, %s, %s, %s on CPU %u, lock %u fails: %s",
		  map_type_names[c->wanted->attr.type], c->wanted->attr.flags,
		  c->wanted->set ? c->wanted->set : "", c->state->name, operations[c->op].name,
		  c->cpu, c->lock, what);
}

static void case_check(const struct lock_case *c, struct map *map, unsigned int line)
{
	struct error error = {.text = ""};

	if (test_ops->check(map, &error))
		case_fail(c, line, error.text);
}

/* Results that an operation can have with one lock failing. */
static bool is_clean(int err)
{
	return !err || err == -ENOENT || err == -EEXIST || err == -E2BIG || err == -ENOMEM ||
	       err == -ETIMEDOUT || err == -ENOSPC;
}

static void add_free(void *free, const char *list, int cpu, uint64_t nodes)
{
	(void)cpu;
	if (!strcmp(list, "free") || !strcmp(list, "local_free") || !strcmp(list, "spare"))
		*(uint64_t *)free += nodes;
}

/*
 * Nodes that are hashed, free, or known to be given back; any other could never be had again. Not
 * for maps without LRU, whose conservation the check tells wholly.
 */
static void check_nodes(const struct lock_case *c, struct map *map)
{
	uint64_t limbo = 0, free = 0;

	if (!map->is_lru)
		return;
	for (uint64_t i = 0; i < map->elem_total; i++) {
		const struct elem *elem = map_elem(map, i);

		if (elem_is_hashed(elem) && elem->lru.pending_free)
			case_fail(c, __LINE__, "a hashed node is pending free");
		limbo += !elem_is_hashed(elem) && !elem->lru.pending_free;
	}
	test_ops->lists(map, add_free, &free);
	if (free != limbo)
		case_fail(c, __LINE__, "a node is neither hashed nor free nor pending free");
}

/*
 * Each CPU inserts in turn: in the end the map is as full as it can be. At first all keys are used,
 * too: a node on ACTIVE that waits to be freed must wait for ACTIVE to rotate, as any node there.
 */
static void check_capacity(const struct lock_case *c, struct map *map)
{
	uint64_t key = NEW_KEY, capacity = map->max_entries, turns = 10 * capacity;
	int err = 0;

	for (uint64_t i = 0; i < turns && (map->is_lru || !err); i++, key++) {
		struct map_ctx ctx = {.cpu = (uint32_t)(i % CPUS), .context = OP_PROGRAM};

		err = test_ops->update(map, &ctx, &key, new_value, 0);
		if (err && (map->is_lru || err != -E2BIG))
			case_fail(c, __LINE__, "an insertion fails afterwards");
		if (i < turns / 2)
			test_ops->lookup(map, &ctx, &key, NULL);
	}
	if (test_map_entries(map) != capacity)
		case_fail(c, __LINE__, "less than the whole map can be had afterwards");
}

/* Returns false when the operation took fewer locks than that. */
static bool case_run(const struct lock_case *c)
{
	struct map *map = test_map_create(c->wanted);
	struct map_ctx ctx = {.cpu = c->cpu, .context = OP_PROGRAM, .fail_lock_in = c->lock};
	bool did_fail;
	int err;

	test_map_do(map, c->state->ops);
	err = operations[c->op].run(map, &ctx);
	did_fail = !ctx.fail_lock_in;
	if (!is_clean(err))
		case_fail(c, __LINE__, errno_name(err));
	if (ctx.ranks_held)
		case_fail(c, __LINE__, "a lock is still held");
	case_check(c, map, __LINE__);
	check_nodes(c, map);
	if (c->gives_one)
		check_capacity(c, map);
	case_check(c, map, __LINE__);
	test_ops->map_destroy(map);
	return did_fail;
}

static void check_kind(const struct test_map *wanted, bool gives_one)
{
	struct lock_case c = {.wanted = wanted, .gives_one = gives_one};

	for (size_t i = 0; i < COUNT(states); i++) {
		c.state = &states[i];
		for (c.op = 0; c.op < COUNT(operations); c.op++) {
			for (c.cpu = 0; c.cpu < CPUS; c.cpu++) {
				for (c.lock = 1; c.lock < LOCKS_MAX && case_run(&c); c.lock++)
					;
				CU_ASSERT(c.lock < LOCKS_MAX);
			}
		}
	}
}

static void check_type(enum map_type type, uint32_t flags, const char *set, bool gives_one)
{
	struct test_map wanted = {{type, 8, 8, ENTRIES, flags, 0, false}, "7.3", CPUS, set};

	if (has_locks())
		check_kind(&wanted, gives_one);
}

/* In 6.15 those of buckets and free lists can fail, those of LRU lists cannot. */
static void test_buckets_only(void)
{
	static const struct map_attr kinds[] = {
		{.type = MAP_HASH},
		{.type = MAP_PERCPU_HASH, .flags = MAP_NO_PREALLOC},
		{.type = MAP_LRU_HASH},
		{.type = MAP_LRU_PERCPU_HASH, .flags = MAP_NO_COMMON_LRU},
	};

	for (size_t i = 0; i < COUNT(kinds) && has_locks(); i++) {
		struct test_map wanted = {kinds[i], "6.15", CPUS, "free_target=1"};

		wanted.attr.max_entries = ENTRIES;
		check_kind(&wanted, true);
	}
}

static void test_hash(void)
{
	check_type(MAP_HASH, 0, NULL, true);
	check_type(MAP_HASH, 0, "spares=0 skip_empty=0", true);
	check_type(MAP_PERCPU_HASH, 0, NULL, true);
}

static void test_hash_no_prealloc(void)
{
	check_type(MAP_HASH, MAP_NO_PREALLOC, NULL, true);
	check_type(MAP_PERCPU_HASH, MAP_NO_PREALLOC, "alloc=kmalloc", true);
}

static void test_common_lru(void)
{
	check_type(MAP_LRU_HASH, 0, NULL, true);
	check_type(MAP_LRU_PERCPU_HASH, 0, NULL, true);
	check_type(MAP_LRU_HASH, 0, "free_target=2", false);
	check_type(MAP_LRU_PERCPU_HASH, 0, "free_target=128", false);
}

static void test_percpu_lru(void)
{
	check_type(MAP_LRU_HASH, MAP_NO_COMMON_LRU, "free_target=1", true);
	check_type(MAP_LRU_PERCPU_HASH, MAP_NO_COMMON_LRU, "free_target=1", true);
	check_type(MAP_LRU_HASH, MAP_NO_COMMON_LRU, NULL, false);
}

static void test_exact_lru(void)
{
	check_type(MAP_LRU_HASH, 0, "rotation=lru", true);
	check_type(MAP_LRU_HASH, MAP_NO_COMMON_LRU, "rotation=lru", true);
	check_type(MAP_LRU_PERCPU_HASH, 0, "rotation=lru", true);
}

static void test_kernel_variants(void)
{
	check_type(MAP_LRU_HASH, 0, "rotation=steal-first", true);
	check_type(MAP_LRU_HASH, 0, "rotation=steal-first free_target=3", false);
	check_type(MAP_LRU_HASH, 0, "rotation=steal-half", true);
	check_type(MAP_LRU_HASH, 0, "rotation=steal-half free_target=6", false);
	check_type(MAP_LRU_HASH, 0, "rotation=watermark free_target_max=1", true);
	check_type(MAP_LRU_HASH, 0, "rotation=watermark", false);
	check_type(MAP_LRU_HASH, 0, "rotation=lookup-first", true);
	check_type(MAP_LRU_PERCPU_HASH, 0, "rotation=lookup-first", true);
	check_type(MAP_LRU_HASH, MAP_NO_COMMON_LRU, "rotation=lookup-first free_target=1", true);
}

/* Those with sets share what locks. */
static void test_strategies(void)
{
	check_type(MAP_LRU_HASH, 0, "rotation=fifo", true);
	check_type(MAP_LRU_PERCPU_HASH, 0, "rotation=clock", true);
	check_type(MAP_LRU_HASH, MAP_NO_COMMON_LRU, "rotation=sieve", true);
	check_type(MAP_LRU_HASH, 0, "rotation=s3fifo", true);
	check_type(MAP_LRU_HASH, MAP_NO_COMMON_LRU, "rotation=s3fifo", true);
	check_type(MAP_LRU_HASH, 0, "rotation=random", true);
	check_type(MAP_LRU_HASH, 0, "rotation=opt", true);
	check_type(MAP_LRU_PERCPU_HASH, 0, "rotation=opt", true);
}

/* Deletes key 1 by CPU 1, where taking the node back fails. */
static void delete_pending(struct map *map)
{
	struct map_ctx ctx = {.cpu = 1, .context = OP_PROGRAM, .fail_lock_in = 2};
	uint64_t key = 1;

	CU_ASSERT_EQUAL(test_ops->del(map, &ctx, &key), 0);
	CU_ASSERT_EQUAL(ctx.fail_lock_in, 0);
}

static struct map *create_lru(uint32_t flags, uint32_t entries, const char *set)
{
	struct test_map wanted = {{MAP_LRU_HASH, 8, 8, entries, flags, 0, false}, "7.3", 2, set};

	return test_map_create(&wanted);
}

/* A node that waits to be freed is taken by a flush, ... */
static void test_flush_takes(void)
{
	struct map *map;

	if (!has_locks())
		return;
	map = create_lru(0, 3, "free_target=1");
	test_map_run(map, "0U1", "0");
	delete_pending(map);
	test_map_lists(map, "free=2 local_pending0=1");
	test_map_keys(map, "");
	test_map_run(map, "0U2", "0");
	test_map_lists(map, "free=2 local_pending0=1");
	test_map_destroy(map);
}

/* ... by a shrink, ... */
static void test_shrink_takes(void)
{
	struct map_counters total;
	struct map *map;

	if (!has_locks())
		return;
	map = create_lru(MAP_NO_COMMON_LRU, 4, "free_target=1");
	test_map_run(map, "0U1 0U2", "0 0");
	delete_pending(map);
	test_map_lists(map, "inactive0=2 free1=2");
	test_map_run(map, "0U3", "0");
	test_map_keys(map, "2 3");
	test_map_counters(map, 2, &total);
	CU_ASSERT_EQUAL(total.evictions, 0);
	test_map_destroy(map);
}

/* ... and by a CPU that steals. */
static void test_steal_takes(void)
{
	struct map_counters total;
	struct map *map;

	if (!has_locks())
		return;
	map = create_lru(0, 2, "free_target=2");
	test_map_run(map, "0U1 0U2", "0 0");
	delete_pending(map);
	test_map_lists(map, "local_pending0=2");
	test_map_run(map, "1U3", "0");
	test_map_keys(map, "2 3");
	test_map_counters(map, 2, &total);
	CU_ASSERT_EQUAL(total.evictions, 0);
	CU_ASSERT_EQUAL(total.steals, 1);
	test_map_destroy(map);
}

/* A push that finds its lists locked goes to the extra one, from where a pop takes it at last. */
static void check_extra(const char *kernel, uint8_t context, const char *lists)
{
	struct test_map wanted = {{.type = MAP_PERCPU_HASH, .max_entries = 2}, kernel, 1, NULL};
	struct map_ctx ctx = {.context = context, .fail_lock_in = 1};
	struct map *map = test_map_create(&wanted);
	uint64_t key = 1;

	test_map_run(map, "0U1 0U2", "0 0");
	CU_ASSERT_EQUAL(test_ops->del(map, &ctx, &key), 0);
	test_map_lists(map, lists);
	test_map_run(map, "0U3 0U4 0D3", "0 E2BIG 0");
	test_map_lists(map, "free0=1");
	test_map_destroy(map);
}

/* Until 6.14 only non-maskable interrupts try, since 5.10. */
static void test_extra_list(void)
{
	if (!has_locks())
		return;
	check_extra("5.9", OP_NMI, "free0=1");
	check_extra("5.10", OP_NMI, "extra_free=1");
	check_extra("6.14", OP_NMI, "extra_free=1");
	check_extra("6.14", OP_IRQ, "free0=1");
}

CU_TestInfo locks_tests[] = {
	{"hash", test_hash},
	{"hash without preallocation", test_hash_no_prealloc},
	{"common LRU", test_common_lru},
	{"per-CPU LRU", test_percpu_lru},
	{"exact LRU", test_exact_lru},
	{"variants of the kernel's LRU", test_kernel_variants},
	{"other strategies", test_strategies},
	{"buckets only", test_buckets_only},
	{"a flush takes what waits", test_flush_takes},
	{"a shrink takes what waits", test_shrink_takes},
	{"a steal takes what waits", test_steal_takes},
	{"the extra free list", test_extra_list},
	CU_TEST_INFO_NULL,
};
