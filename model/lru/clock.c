// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * CLOCK (Corbato, "A Paging Experiment with the Multics System", 1968), or second chance: first in,
 * first out, but a node whose reference bit is set loses the bit instead, and is passed over for a
 * turn. With no_common_lru, a ring per CPU.
 *
 * The list is a ring with a hand; nodes do not move, and a new one comes behind the hand, which is
 * where an evicted one is. Locks: the set's; a look-up only sets the bit.
 */
#include "model/lru/sets.h"

static int clock_init(struct map *map)
{
	static const char *const names[SET_LISTS] = {"free", "used"};

	return lru_sets_init(map, names);
}

static struct elem *clock_evict(struct map *map, struct map_ctx *ctx, struct lru_set *set)
{
	return lru_hand_evict(map, ctx, set, HAND_OF_RING, true);
}

static void clock_place(struct map *map, struct lru_set *set, struct elem *elem)
{
	(void)map;
	if (elem->lru.type == SET_FREE)
		lru_set_move_behind(set, elem, SET_USED, set->hand);
}

static struct elem *clock_pop(struct map *map, struct map_ctx *ctx, uint32_t hash)
{
	return lru_set_pop(map, ctx, hash, clock_evict, clock_place);
}

static const struct lru_ops clock_ops = {
	.init = clock_init,
	.deinit = lru_sets_deinit,
	.pop = clock_pop,
	.give_back = lru_sets_give_back,
	.lists = lru_sets_report,
	.walk = lru_sets_walk,
	.model_bytes = lru_sets_model_bytes,
};

const struct lru_policy lru_clock = {
	.policy = {"clock",
		   "a ring with a hand that passes over what was used since its last turn"},
	.common = &clock_ops,
	.percpu = &clock_ops,
};
