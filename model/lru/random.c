// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Evicts a node at random, all being equally likely. The numbers are the map's seed's (and the
 * CPU's, with no_common_lru: each CPU has nodes of its own), so a run can be repeated. They are
 * drawn some evictions in advance, for the nodes to be fetched meanwhile; that changes none.
 *
 * Locks: the set's; a look-up takes none. In place of a node that cannot be unhashed the next one
 * in memory is tried.
 */
#include "base/rng.h"
#include "model/lru/sets.h"

enum { DRAWS = 8 }; /* a power of two */

/* Numbers drawn for a set, the next one at next % DRAWS. */
struct draws {
	struct rng rng;
	uint32_t next;
	uint32_t numbers[DRAWS];
};

static int random_init(struct map *map)
{
	static const char *const names[SET_LISTS] = {"free", "used"};
	int err = lru_sets_init(map, names);
	struct lru_sets *sets = map->lru;
	struct draws *draws;

	if (err)
		return err;
	draws = env_alloc(sets->count * sizeof(*draws), -1);
	if (!draws)
		return -ENOMEM;
	sets->own = draws;
	for (uint32_t i = 0; i < sets->count; i++) {
		rng_init(&draws[i].rng, map_tunable(map, TUNE_SEED) + ((uint64_t)i << 32));
		for (int n = 0; n < DRAWS; n++)
			draws[i].numbers[n] =
				(uint32_t)rng_below(&draws[i].rng, sets->sets[i].nodes);
	}
	return 0;
}

static void random_deinit(struct map *map)
{
	struct lru_sets *sets = map->lru;

	env_free(sets->own, sets->count * sizeof(struct draws));
	lru_sets_deinit(map);
}

static uint32_t draw(const struct map *map, const struct lru_set *set)
{
	const struct lru_sets *sets = map->lru;
	struct draws *draws = (struct draws *)sets->own + (set - sets->sets);
	uint32_t *number = &draws->numbers[draws->next % DRAWS], drawn = *number;

	*number = (uint32_t)rng_below(&draws->rng, set->nodes);
	draws->next++;
	if (ENV_LOOKAHEAD) {
		uint32_t half = draws->numbers[(draws->next + DRAWS / 2) % DRAWS];

		env_prefetch(map_elem(map, set->first + *number));
		lru_fetch_unhash(map, &map_elem(map, set->first + half)->lru.list);
	}
	return drawn;
}

static struct elem *random_evict(struct map *map, struct map_ctx *ctx, struct lru_set *set)
{
	uint64_t place = draw(map, set);

	for (uint64_t scans = 0; scans < set->nodes; scans++) {
		struct elem *elem = map_elem(map, set->first + place);

		map_counters(map, ctx)->scans++;
		if (htab_evict(map, ctx, elem))
			return elem;
		place = place + 1 == set->nodes ? 0 : place + 1;
	}
	return NULL;
}

static void random_place(struct map *map, struct lru_set *set, struct elem *elem)
{
	(void)map;
	if (elem->lru.type == SET_FREE)
		lru_set_move(set, elem, SET_USED);
}

static struct elem *random_pop(struct map *map, struct map_ctx *ctx, uint32_t hash)
{
	return lru_set_pop(map, ctx, hash, random_evict, random_place);
}

static uint64_t random_model_bytes(const struct map *map)
{
	const struct lru_sets *sets = map->lru;

	return lru_sets_model_bytes(map) + sets->count * sizeof(struct draws);
}

static const struct lru_ops random_ops = {
	.init = random_init,
	.deinit = random_deinit,
	.pop = random_pop,
	.give_back = lru_sets_give_back,
	.lists = lru_sets_report,
	.walk = lru_sets_walk,
	.model_bytes = random_model_bytes,
};

const struct lru_policy lru_random = {
	.policy = {"random", "any node, by random numbers of the map's seed"},
	.common = &random_ops,
	.percpu = &random_ops,
};
