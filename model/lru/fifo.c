// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * First in, first out: the node that was taken longest ago is evicted, however often it was used
 * since. With no_common_lru, a queue per CPU.
 *
 * The list is a ring, with the hand on the oldest node: an evicted node stays where it is, and
 * becomes the youngest by the hand's going on. So an eviction writes no links. Locks: the set's; a
 * look-up takes none. A node that cannot be unhashed is passed over for one turn.
 */
#include "model/lru/sets.h"

static int fifo_init(struct map *map)
{
	static const char *const names[SET_LISTS] = {"free", "used"};

	return lru_sets_init(map, names);
}

static struct elem *fifo_evict(struct map *map, struct map_ctx *ctx, struct lru_set *set)
{
	return lru_hand_evict(map, ctx, set, HAND_OF_RING, false);
}

static void fifo_place(struct map *map, struct lru_set *set, struct elem *elem)
{
	(void)map;
	if (elem->lru.type == SET_FREE)
		lru_set_move_behind(set, elem, SET_USED, set->hand);
}

static struct elem *fifo_pop(struct map *map, struct map_ctx *ctx, uint32_t hash)
{
	return lru_set_pop(map, ctx, hash, fifo_evict, fifo_place);
}

static const struct lru_ops fifo_ops = {
	.init = fifo_init,
	.deinit = lru_sets_deinit,
	.pop = fifo_pop,
	.give_back = lru_sets_give_back,
	.lists = lru_sets_report,
	.walk = lru_sets_walk,
	.model_bytes = lru_sets_model_bytes,
};

const struct lru_policy lru_fifo = {
	.policy = {"fifo", "first in, first out, whatever is used"},
	.common = &fifo_ops,
	.percpu = &fifo_ops,
};
