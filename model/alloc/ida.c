// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Preallocated elements by tags, as percpu_ida kept them (proposed in 2015): each CPU has a cache
 * of free tags, of limited size, over a stack that all share. An empty CPU takes a batch from that,
 * or else the whole cache of another CPU, each in turn; a full one gives a batch back.
 *
 * Locks: the shared stack's, and under it one CPU's cache's. A CPU fills and empties its own cache
 * in batches under the first alone, since nobody takes from it without that.
 */
#include "model/alloc/alloc.h"

struct ida_cpu {
	struct env_lock lock;
	uint32_t count;
	uint64_t refills, global_trips;
	uint32_t *tags; /* ida->size */
} __attribute__((aligned(64)));

struct ida {
	/* What every CPU reads at each call, apart from what is written under the lock. */
	uint32_t size, batch; /* of a CPU's cache */
	uint32_t *cpu_tags;   /* of all caches, each on lines of its own */

	struct env_lock lock __attribute__((aligned(64)));
	uint32_t steal_next; /* the CPU that is stolen from next, whoever steals */
	uint64_t count;
	uint32_t *tags; /* of the shared stack: map->elem_total */
	struct ida_cpu cpus[];
} __attribute__((aligned(64)));

static size_t ida_bytes(const struct map *map)
{
	return sizeof(struct ida) + map->cpus * sizeof(struct ida_cpu);
}

static size_t shared_bytes(const struct map *map)
{
	return map->elem_total * sizeof(uint32_t);
}

/* Of one cache. */
static size_t cache_bytes(const struct ida *ida)
{
	return (ida->size * sizeof(uint32_t) + 63) & ~(size_t)63;
}

static int ida_init(struct map *map)
{
	struct ida *ida = env_alloc(ida_bytes(map), -1);

	if (!ida)
		return -ENOMEM;
	map->alloc = ida;
	ida->size = (uint32_t)map_tunable(map, TUNE_IDA_SIZE);
	ida->batch = (uint32_t)map_tunable(map, TUNE_IDA_BATCH);
	if (ida->batch > ida->size)
		ida->batch = ida->size;
	ida->tags = env_alloc(shared_bytes(map), -1);
	ida->cpu_tags = env_alloc(map->cpus * cache_bytes(ida), -1);
	if (!ida->tags || !ida->cpu_tags)
		return -ENOMEM;
	for (uint32_t cpu = 0; cpu < map->cpus; cpu++)
		ida->cpus[cpu].tags =
			(uint32_t *)((uint8_t *)ida->cpu_tags + cpu * cache_bytes(ida));
	/* The first tag is taken first. */
	while (ida->count < map->elem_total) {
		ida->tags[ida->count] = (uint32_t)(map->elem_total - 1 - ida->count);
		ida->count++;
	}
	return 0;
}

static void ida_deinit(struct map *map)
{
	struct ida *ida = map->alloc;

	env_free(ida->tags, shared_bytes(map));
	env_free(ida->cpu_tags, map->cpus * cache_bytes(ida));
	env_free(ida, ida_bytes(map));
}

/* Raw locks are always had in the end. */
static void ida_lock(struct env_lock *lock, struct map_ctx *ctx, enum lock_rank rank)
{
	while (env_lock(lock, ctx, rank, LOCK_RAW))
		;
}

/* A batch from the shared stack. Under its lock. */
static void take_batch(struct ida *ida, struct ida_cpu *mine)
{
	while (ida->count && mine->count < ida->batch)
		mine->tags[mine->count++] = ida->tags[--ida->count];
}

/* The whole cache of the next CPU that has one. Under the shared stack's lock. */
static void steal_cache(struct map *map, struct map_ctx *ctx, struct ida *ida, struct ida_cpu *mine)
{
	for (uint32_t i = 0; i < map->cpus && !mine->count; i++) {
		struct ida_cpu *other = &ida->cpus[ida->steal_next];

		ida->steal_next = map_next_cpu(map, ida->steal_next);
		if (other == mine || !env_load(&other->count))
			continue;
		ida_lock(&other->lock, ctx, RANK_FREE_CACHE);
		memcpy(mine->tags, other->tags, other->count * sizeof(*mine->tags));
		mine->count = other->count;
		map_counters(map, ctx)->steals += other->count;
		env_store(&other->count, 0);
		env_unlock(&other->lock, ctx, RANK_FREE_CACHE, LOCK_RAW);
	}
}

/* The last tag of the cache; false when it is empty. */
static bool take_own(struct map_ctx *ctx, struct ida_cpu *mine, uint32_t *tag)
{
	bool has_tag;

	ida_lock(&mine->lock, ctx, RANK_FREE_CACHE);
	has_tag = mine->count;
	if (has_tag) {
		*tag = mine->tags[mine->count - 1];
		env_store(&mine->count, mine->count - 1);
	}
	env_unlock(&mine->lock, ctx, RANK_FREE_CACHE, LOCK_RAW);
	return has_tag;
}

static struct elem *ida_pop(struct map *map, struct map_ctx *ctx)
{
	struct ida *ida = map->alloc;
	struct ida_cpu *mine = &ida->cpus[ctx->cpu];
	uint32_t tag = 0;
	bool has_tag = take_own(ctx, mine, &tag);

	if (has_tag)
		return elem_take_number(map, tag);
	ida_lock(&ida->lock, ctx, RANK_FREE_LIST);
	take_batch(ida, mine);
	if (!mine->count)
		steal_cache(map, ctx, ida, mine);
	mine->global_trips++;
	has_tag = mine->count;
	mine->refills += has_tag;
	if (has_tag) {
		tag = mine->tags[mine->count - 1];
		env_store(&mine->count, mine->count - 1);
	}
	env_unlock(&ida->lock, ctx, RANK_FREE_LIST, LOCK_RAW);
	return has_tag ? elem_take_number(map, tag) : NULL;
}

static void ida_push(struct map *map, struct map_ctx *ctx, struct elem *elem)
{
	struct ida *ida = map->alloc;
	struct ida_cpu *mine = &ida->cpus[ctx->cpu];
	bool is_full;

	ida_lock(&mine->lock, ctx, RANK_FREE_CACHE);
	mine->tags[mine->count] = (uint32_t)elem_number(elem);
	env_store(&mine->count, mine->count + 1);
	is_full = mine->count == ida->size;
	env_unlock(&mine->lock, ctx, RANK_FREE_CACHE, LOCK_RAW);
	if (!is_full)
		return;
	ida_lock(&ida->lock, ctx, RANK_FREE_LIST);
	mine->global_trips++;
	for (uint32_t i = 0; i < ida->batch && mine->count; i++) {
		ida->tags[ida->count++] = mine->tags[mine->count - 1];
		env_store(&mine->count, mine->count - 1);
	}
	env_unlock(&ida->lock, ctx, RANK_FREE_LIST, LOCK_RAW);
}

static void ida_lists(const struct map *map, map_list_fn *fn, void *arg)
{
	const struct ida *ida = map->alloc;

	for (uint32_t cpu = 0; cpu < map->cpus; cpu++)
		fn(arg, "free", (int)cpu, ida->cpus[cpu].count);
	fn(arg, "extra_free", -1, ida->count);
}

static int ida_walk(const struct map *map, alloc_visit_fn *visit, void *arg, struct error *error)
{
	const struct ida *ida = map->alloc;
	int err = 0;

	(void)error;
	for (uint64_t i = 0; i < ida->count && !err; i++)
		err = visit(arg, map_elem(map, ida->tags[i]));
	for (uint32_t cpu = 0; cpu < map->cpus; cpu++) {
		for (uint32_t i = 0; i < ida->cpus[cpu].count && !err; i++)
			err = visit(arg, map_elem(map, ida->cpus[cpu].tags[i]));
	}
	return err;
}

static void ida_stats(const struct map *map, struct map_alloc_stats *stats)
{
	const struct ida *ida = map->alloc;

	for (uint32_t cpu = 0; cpu < map->cpus; cpu++) {
		stats->refills += ida->cpus[cpu].refills;
		stats->global_trips += ida->cpus[cpu].global_trips;
	}
}

static uint64_t ida_model_bytes(const struct map *map)
{
	return ida_bytes(map) + shared_bytes(map) + map->cpus * cache_bytes(map->alloc);
}

const struct alloc_policy alloc_ida = {
	.policy = {"ida", "preallocated, per-CPU caches of tags over a shared stack"},
	.preallocates = true,
	.init = ida_init,
	.deinit = ida_deinit,
	.pop = ida_pop,
	.push = ida_push,
	.lists = ida_lists,
	.walk = ida_walk,
	.stats = ida_stats,
	.model_bytes = ida_model_bytes,
};
