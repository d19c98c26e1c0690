// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The per-CPU free list of preallocated maps (4.6; pcpu_freelist): a stack with a lock for every
 * CPU, and one more for contexts that must not spin.
 *
 * Invariant: every element is in one stack, in a bucket, or is some CPU's spare. Locks: a stack's,
 * the innermost rank, so pops and pushes may be made under a bucket lock.
 */
#include "model/alloc/alloc.h"

struct free_stack {
	struct elem *first;
	struct env_lock lock;
	uint64_t count;
} __attribute__((aligned(64)));

/* One stack per CPU, and the extra stack after them. */
static struct free_stack *freelist_stacks(const struct map *map)
{
	return map->alloc;
}

static size_t freelist_bytes(const struct map *map)
{
	return (map->cpus + 1) * sizeof(struct free_stack);
}

static void stack_push(struct free_stack *stack, struct elem *elem)
{
	elem->free_next = stack->first;
	env_store(&stack->first, elem);
	stack->count++;
}

/* Must this context only try? (5.10 to 6.14 in NMI.) */
static bool freelist_tries(const struct map *map, const struct map_ctx *ctx)
{
	return map->nmi_trylock && ctx->context == OP_NMI;
}

static int freelist_lock(struct map *map, struct map_ctx *ctx, struct free_stack *stack)
{
	if (freelist_tries(map, ctx))
		return env_trylock(&stack->lock, ctx, RANK_FREE_LIST, map->free_list_lock);
	return env_lock(&stack->lock, ctx, RANK_FREE_LIST, map->free_list_lock);
}

static void freelist_unlock(struct map *map, struct map_ctx *ctx, struct free_stack *stack)
{
	env_unlock(&stack->lock, ctx, RANK_FREE_LIST, map->free_list_lock);
}

/*
 * Before 6.1 each CPU in turn takes N/P + 1 until none is left, so the last may get none; since,
 * the first N mod P CPUs take one more than the others.
 */
static uint64_t populate_share(enum populate_choice populate, uint64_t elems, uint32_t cpus,
			       uint32_t cpu)
{
	if (populate == POPULATE_OLD)
		return elems / cpus + 1;
	return elems / cpus + (cpu < elems % cpus);
}

static int freelist_init(struct map *map)
{
	enum populate_choice populate = (enum populate_choice)map_tunable(map, TUNE_POPULATE);
	struct free_stack *stacks = env_alloc(freelist_bytes(map), -1);
	uint64_t next = 0;

	if (!stacks)
		return -ENOMEM;
	map->alloc = stacks;
	for (uint32_t cpu = 0; cpu < map->cpus; cpu++) {
		uint64_t share = populate_share(populate, map->elem_total, map->cpus, cpu);

		for (; share && next < map->elem_total; share--)
			stack_push(&stacks[cpu], map_elem(map, next++));
	}
	return 0;
}

static void freelist_deinit(struct map *map)
{
	env_free(map->alloc, freelist_bytes(map));
}

static struct elem *freelist_pop_from(struct map *map, struct map_ctx *ctx,
				      struct free_stack *stack)
{
	struct elem *elem;

	if (map_tunable(map, TUNE_SKIP_EMPTY) && !env_load(&stack->first))
		return NULL;
	if (freelist_lock(map, ctx, stack))
		return NULL;
	elem = stack->first;
	if (elem) {
		env_store(&stack->first, elem->free_next);
		stack->count--;
	}
	freelist_unlock(map, ctx, stack);
	return elem;
}

/* This CPU's stack, the others' around from it, the extra one. */
static struct elem *freelist_pop(struct map *map, struct map_ctx *ctx)
{
	struct free_stack *stacks = freelist_stacks(map);
	uint32_t cpu = ctx->cpu;
	struct elem *elem;

	do {
		elem = freelist_pop_from(map, ctx, &stacks[cpu]);
		if (elem) {
			map_counters(map, ctx)->steals += cpu != ctx->cpu;
			return elem;
		}
		cpu = map_next_cpu(map, cpu);
	} while (cpu != ctx->cpu);
	return freelist_pop_from(map, ctx, &stacks[map->cpus]);
}

/*
 * A push must not fail, or an element is lost: when this CPU's stack cannot be locked, the others
 * around from it and then the extra one are tried, as often as it takes.
 */
static void freelist_push(struct map *map, struct map_ctx *ctx, struct elem *elem)
{
	struct free_stack *stacks = freelist_stacks(map);
	uint32_t cpu = ctx->cpu;

	while (freelist_lock(map, ctx, &stacks[cpu])) {
		if (cpu == map->cpus)
			cpu = ctx->cpu;
		else if (map_next_cpu(map, cpu) == ctx->cpu)
			cpu = map->cpus;
		else
			cpu = map_next_cpu(map, cpu);
	}
	stack_push(&stacks[cpu], elem);
	freelist_unlock(map, ctx, &stacks[cpu]);
}

static void freelist_lists(const struct map *map, map_list_fn *fn, void *arg)
{
	const struct free_stack *stacks = freelist_stacks(map);

	for (uint32_t cpu = 0; cpu < map->cpus; cpu++)
		fn(arg, "free", (int)cpu, stacks[cpu].count);
	fn(arg, "extra_free", -1, stacks[map->cpus].count);
}

static int freelist_walk(const struct map *map, alloc_visit_fn *visit, void *arg,
			 struct error *error)
{
	const struct free_stack *stacks = freelist_stacks(map);
	int err;

	for (uint32_t i = 0; i <= map->cpus; i++) {
		uint64_t count = 0;

		for (struct elem *elem = stacks[i].first; elem; elem = elem->free_next, count++) {
			err = visit(arg, elem);
			if (err)
				return err;
		}
		if (count != stacks[i].count)
			return error_set(error, -EUCLEAN,
					 "free list %u: %llu elements, counted %llu", i,
					 (unsigned long long)count,
					 (unsigned long long)stacks[i].count);
	}
	return 0;
}

static uint64_t freelist_model_bytes(const struct map *map)
{
	return freelist_bytes(map);
}

const struct alloc_policy alloc_freelist = {
	.policy = {"freelist",
		   "preallocated, a stack per CPU that others pop from when theirs is empty"},
	.preallocates = true,
	.init = freelist_init,
	.deinit = freelist_deinit,
	.pop = freelist_pop,
	.push = freelist_push,
	.lists = freelist_lists,
	.walk = freelist_walk,
	.model_bytes = freelist_model_bytes,
};
