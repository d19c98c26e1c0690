// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A variant of the common LRU: whoever steals from a CPU's local FREE list takes half of it,
 * rounded up, instead of one node. The first is used, the others come to the thief's own local FREE
 * list. A pending node, which has to be evicted, is stolen alone, as in the kernel.
 */
#include "model/lru/kernel_common.h"

/* Half of the free nodes, chained by next up to NULL, or one that was pending. */
static struct elem *take_half(struct map *map, struct map_ctx *ctx, struct lru_local *local)
{
	uint64_t count = (env_load(&local->free_count) + 1) / 2;
	struct elem *first = lru_local_pop_free(local), *last = first, *more = first;

	if (!first) {
		first = lru_local_take_pending(map, ctx, local);
		last = first;
	}
	for (; more && count > 1; count--) {
		more = lru_local_pop_free(local);
		if (more) {
			last->lru.list.next = &more->lru.list;
			last = more;
		}
	}
	if (last)
		last->lru.list.next = NULL;
	return first;
}

static struct elem *steal_half_steal(struct map *map, struct map_ctx *ctx)
{
	struct lru_local *local = lru_local_of(map, ctx->cpu);
	struct elem *elem = lru_common_round(map, ctx, take_half);
	struct list_node *node, *next;
	int err;

	if (!elem)
		return NULL;
	map_counters(map, ctx)->steals++;
	if (!elem->lru.list.next)
		return elem;
	/* The local FREE stack needs no lock where locks can fail: no node is lost. */
	err = lru_local_lock(map, ctx, local);
	for (node = elem->lru.list.next; node; node = next) {
		next = node->next;
		lru_local_push_free(local, elem_of_lru(node));
		map_counters(map, ctx)->steals++;
	}
	if (!err)
		lru_local_unlock(map, ctx, local);
	return elem;
}

static int steal_half_init(struct map *map)
{
	static const struct lru_variant variant = {lru_common_refill, steal_half_steal};

	return lru_common_init(map, &variant);
}

static const struct lru_ops steal_half_ops = {
	.init = steal_half_init,
	LRU_COMMON_CALLS,
};

const struct lru_policy lru_steal_half = {
	.policy = {"steal-half",
		   "the kernel's, stealing half of another CPU's free nodes at a time"},
	.common = &steal_half_ops,
};
