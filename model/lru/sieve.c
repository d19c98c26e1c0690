// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * SIEVE (Zhang et al., "SIEVE is Simpler than LRU", NSDI 2024): a list in order of insertion, and a
 * hand that goes from the tail to the head and round again. A node at the hand whose bit is set
 * loses the bit and stays where it is; the first one without is evicted. New nodes come to the
 * head, not to the hand: so what was used sinks to the old end and new nodes are sifted quickly.
 * With no_common_lru, a list per CPU.
 *
 * Locks: the set's; a look-up only sets the bit.
 */
#include "model/lru/sets.h"

static int sieve_init(struct map *map)
{
	static const char *const names[SET_LISTS] = {"free", "used"};

	return lru_sets_init(map, names);
}

static struct elem *sieve_evict(struct map *map, struct map_ctx *ctx, struct lru_set *set)
{
	return lru_hand_evict(map, ctx, set, HAND_OF_LIST, true);
}

static void sieve_place(struct map *map, struct lru_set *set, struct elem *elem)
{
	(void)map;
	lru_set_move(set, elem, SET_USED);
}

static struct elem *sieve_pop(struct map *map, struct map_ctx *ctx, uint32_t hash)
{
	return lru_set_pop(map, ctx, hash, sieve_evict, sieve_place);
}

static const struct lru_ops sieve_ops = {
	.init = sieve_init,
	.deinit = lru_sets_deinit,
	.pop = sieve_pop,
	.give_back = lru_sets_give_back,
	.lists = lru_sets_report,
	.walk = lru_sets_walk,
	.model_bytes = lru_sets_model_bytes,
};

const struct lru_policy lru_sieve = {
	.policy = {"sieve", "CLOCK whose new nodes come to the head, not to the hand (2024)"},
	.common = &sieve_ops,
	.percpu = &sieve_ops,
};
