// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A variant of the common LRU: steals before it shrinks. A CPU whose local FREE list is empty
 * flushes, rotates and takes from the global FREE list, up to the free target. Only when that list
 * is empty does it look further: a node of another CPU's local FREE list; when there is none
 * either, it shrinks for the free target; at last it steals what others have pending, as the kernel
 * does. Where the kernel shrinks for the rest when the global FREE list gives less than the target,
 * this takes what there is.
 *
 * Invariant: unless a lock failed, a CPU only evicts when no list has a free node. It then evicts
 * up to a free target of them, so all but the first of these are premature, as in the kernel.
 */
#include "model/lru/kernel_common.h"

static void steal_first_refill(struct map *map, struct map_ctx *ctx, struct lru_local *local)
{
	struct lru_common *common = map->lru;

	if (!lru_common_begin(map, ctx, local))
		return;
	lru_common_take(map, local, common->free_target);
	lru_common_end(map, ctx);
}

static struct elem *take_free(struct map *map, struct map_ctx *ctx, struct lru_local *local)
{
	(void)map;
	(void)ctx;
	return lru_local_pop_free(local);
}

/* Shrinks the global lists. Under the local lock. */
static void shrink(struct map *map, struct map_ctx *ctx, struct lru_local *local)
{
	struct lru_common *common = map->lru;

	if (env_lock(&common->list.lock, ctx, RANK_LRU, map->lru_lock))
		return;
	lru_common_shrink(map, ctx, local, common->free_target);
	lru_common_end(map, ctx);
}

static struct elem *steal_first_steal(struct map *map, struct map_ctx *ctx)
{
	struct lru_local *local = lru_local_of(map, ctx->cpu);
	struct elem *elem = lru_common_round(map, ctx, take_free);

	if (elem) {
		map_counters(map, ctx)->steals++;
		return elem;
	}
	if (!lru_local_lock(map, ctx, local)) {
		shrink(map, ctx, local);
		elem = lru_local_pop_free(local);
		lru_local_unlock(map, ctx, local);
	}
	return elem ? elem : lru_common_steal(map, ctx);
}

static int steal_first_init(struct map *map)
{
	static const struct lru_variant variant = {steal_first_refill, steal_first_steal};

	return lru_common_init(map, &variant);
}

static const struct lru_ops steal_first_ops = {
	.init = steal_first_init,
	LRU_COMMON_CALLS,
};

const struct lru_policy lru_steal_first = {
	.policy = {"steal-first",
		   "the kernel's, stealing free nodes of other CPUs before it evicts"},
	.common = &steal_first_ops,
};
