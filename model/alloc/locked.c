// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * One stack of preallocated elements under one lock (considered in 2016): what the per-CPU free
 * lists were measured against.
 */
#include "model/alloc/alloc.h"

struct locked {
	struct env_lock lock;
	struct elem *first;
	uint64_t count;
	uint64_t trips; /* times that it was locked */
} __attribute__((aligned(64)));

static int locked_init(struct map *map)
{
	struct locked *stack = env_alloc(sizeof(*stack), -1);

	if (!stack)
		return -ENOMEM;
	map->alloc = stack;
	for (uint64_t i = map->elem_total; i--;)
		elem_push(&stack->first, map_elem(map, i));
	stack->count = map->elem_total;
	return 0;
}

static void locked_deinit(struct map *map)
{
	env_free(map->alloc, sizeof(struct locked));
}

static struct elem *locked_pop(struct map *map, struct map_ctx *ctx)
{
	struct locked *stack = map->alloc;
	struct elem *elem;

	if (env_lock(&stack->lock, ctx, RANK_FREE_LIST, LOCK_RAW))
		return NULL;
	elem = elem_pop(&stack->first);
	stack->count -= elem != NULL;
	stack->trips++;
	env_unlock(&stack->lock, ctx, RANK_FREE_LIST, LOCK_RAW);
	return elem;
}

/* A raw lock is always had in the end. */
static void locked_push(struct map *map, struct map_ctx *ctx, struct elem *elem)
{
	struct locked *stack = map->alloc;

	while (env_lock(&stack->lock, ctx, RANK_FREE_LIST, LOCK_RAW))
		;
	elem_push(&stack->first, elem);
	stack->count++;
	stack->trips++;
	env_unlock(&stack->lock, ctx, RANK_FREE_LIST, LOCK_RAW);
}

static void locked_lists(const struct map *map, map_list_fn *fn, void *arg)
{
	const struct locked *stack = map->alloc;

	fn(arg, "free", -1, stack->count);
}

static int locked_walk(const struct map *map, alloc_visit_fn *visit, void *arg, struct error *error)
{
	const struct locked *stack = map->alloc;
	uint64_t count = 0;
	int err = 0;

	for (const struct elem *elem = stack->first; elem && !err; elem = elem->free_next, count++)
		err = visit(arg, elem);
	if (!err && count != stack->count)
		err = error_set(error, -EUCLEAN, "the free stack: %llu elements, counted %llu",
				(unsigned long long)count, (unsigned long long)stack->count);
	return err;
}

static void locked_stats(const struct map *map, struct map_alloc_stats *stats)
{
	const struct locked *stack = map->alloc;

	stats->global_trips = stack->trips;
}

static uint64_t locked_model_bytes(const struct map *map)
{
	(void)map;
	return sizeof(struct locked);
}

const struct alloc_policy alloc_locked = {
	.policy = {"locked", "preallocated, one stack under one lock"},
	.preallocates = true,
	.init = locked_init,
	.deinit = locked_deinit,
	.pop = locked_pop,
	.push = locked_push,
	.lists = locked_lists,
	.walk = locked_walk,
	.stats = locked_stats,
	.model_bytes = locked_model_bytes,
};
