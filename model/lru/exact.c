// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Exact least-recently-used order: one list in order of use, every use moves a node to its head,
 * and the tail is evicted. No kernel does this, since every look-up would write a shared list; it
 * is the yardstick (Mattson et al., 1970). With no_common_lru, a list per CPU.
 *
 * Locks: the set's, also for look-ups. A node that cannot be unhashed is passed over.
 */
#include "model/lru/sets.h"

static int exact_init(struct map *map)
{
	static const char *const names[SET_LISTS] = {"free", "used"};

	return lru_sets_init(map, names);
}

static struct elem *exact_evict(struct map *map, struct map_ctx *ctx, struct lru_set *set)
{
	struct list_node *head = &set->heads[SET_USED], *node;

	for (node = head->prev; node != head; node = node->prev) {
		map_counters(map, ctx)->scans++;
		if (htab_evict(map, ctx, elem_of_lru(node)))
			return elem_of_lru(node);
	}
	return NULL;
}

static void exact_place(struct map *map, struct lru_set *set, struct elem *elem)
{
	(void)map;
	lru_set_move(set, elem, SET_USED);
}

static struct elem *exact_pop(struct map *map, struct map_ctx *ctx, uint32_t hash)
{
	return lru_set_pop(map, ctx, hash, exact_evict, exact_place);
}

static void exact_mark_used(struct map *map, struct map_ctx *ctx, struct elem *elem)
{
	struct lru_set *set = lru_set_of(map, elem);

	if (lru_set_lock(map, ctx, set))
		return;
	if (elem->lru.type == SET_USED)
		lru_set_move(set, elem, SET_USED);
	lru_set_unlock(map, ctx, set);
}

static const struct lru_ops exact_ops = {
	.init = exact_init,
	.deinit = lru_sets_deinit,
	.pop = exact_pop,
	.give_back = lru_sets_give_back,
	.mark_used = exact_mark_used,
	.lists = lru_sets_report,
	.walk = lru_sets_walk,
	.model_bytes = lru_sets_model_bytes,
};

const struct lru_policy lru_exact = {
	.policy = {"lru", "exact least-recently-used order, moved at every use"},
	.common = &exact_ops,
	.percpu = &exact_ops,
};
