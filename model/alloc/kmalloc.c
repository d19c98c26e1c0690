// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The general allocator (3.19, and for BPF_F_NO_PREALLOC until 6.0): every element is allocated
 * and freed on its own (model/slab.h), and freed only after a grace period, so that no look-up
 * ever reads one that has become another key's.
 *
 * Deviation: the kernel frees what waited in a soft interrupt; here each operation does at its end,
 * without locks, up to FREES_PER_OPERATION, and so does not have to stop for many.
 */
#include "model/alloc/alloc.h"
#include "model/defer.h"

#define FREES_PER_OPERATION 4

static int kmalloc_init(struct map *map)
{
	struct defer *defer = env_alloc(sizeof(*defer), -1);

	if (!defer)
		return -ENOMEM;
	map->alloc = defer;
	return defer_init(defer, map->cpus);
}

static void kmalloc_deinit(struct map *map)
{
	struct defer *defer = map->alloc;

	defer_deinit(defer);
	env_free(defer, sizeof(*defer));
}

static void kmalloc_push(struct map *map, struct map_ctx *ctx, struct elem *elem)
{
	defer_add(map->alloc, ctx->cpu, elem);
}

static void kmalloc_work(struct map *map, struct map_ctx *ctx)
{
	struct defer *defer = map->alloc;
	struct elem *elem;

	if (!defer_advance(defer, ctx->cpu))
		return;
	for (int i = 0; i < FREES_PER_OPERATION; i++) {
		elem = defer_take_over(defer, ctx->cpu);
		if (!elem)
			break;
		slab_free(&map->slab, ctx, elem);
	}
}

static struct elem *kmalloc_pop(struct map *map, struct map_ctx *ctx)
{
	return slab_alloc(&map->slab, ctx);
}

static void kmalloc_lists(const struct map *map, map_list_fn *fn, void *arg)
{
	(void)map;
	(void)fn;
	(void)arg;
}

static int kmalloc_walk(const struct map *map, alloc_visit_fn *visit, void *arg,
			struct error *error)
{
	int err = defer_walk(map->alloc, visit, arg, error);

	return err ? err : alloc_walk_slab(map, visit, arg, error);
}

static void kmalloc_stats(const struct map *map, struct map_alloc_stats *stats)
{
	alloc_slab_stats(map, stats);
	stats->grace_waiting_max = defer_most(map->alloc);
}

static uint64_t kmalloc_model_bytes(const struct map *map)
{
	return sizeof(struct defer) + map->cpus * sizeof(struct defer_cpu);
}

const struct alloc_policy alloc_kmalloc = {
	.policy = {"kmalloc",
		   "the general allocator, element by element, freed after a grace period",
		   .waits_for_grace = true},
	.init = kmalloc_init,
	.deinit = kmalloc_deinit,
	.pop = kmalloc_pop,
	.push = kmalloc_push,
	.work = kmalloc_work,
	.lists = kmalloc_lists,
	.walk = kmalloc_walk,
	.stats = kmalloc_stats,
	.model_bytes = kmalloc_model_bytes,
};
