// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Sets of nodes under one lock each.
 *
 * Invariants: a node is on the list of its set that its type names; counts are right. Locks: the
 * set's; evicting takes bucket locks inside it. A give-back that cannot lock leaves the node where
 * it is, marked pending free, for the next pop from its set to free.
 */
#include "model/lru/sets.h"

static size_t sets_bytes(uint32_t count)
{
	return sizeof(struct lru_sets) + 64 + count * sizeof(struct lru_set);
}

static void set_init(struct map *map, struct lru_set *set, uint32_t cpu)
{
	for (int type = 0; type < SET_LISTS; type++)
		list_init(&set->heads[type]);
	set->hand = &set->heads[SET_USED];
	set->scout = set->hand;
	/* The first one is to be taken first: memory is walked forwards. */
	for (uint64_t n = set->nodes; n--;) {
		struct elem *elem = map_elem(map, set->first + n);

		env_store(&elem->lru.cpu, (uint16_t)cpu);
		env_store(&elem->lru.type, SET_FREE);
		list_add(&elem->lru.list, &set->heads[SET_FREE]);
	}
	set->counts[SET_FREE] = set->nodes;
}

int lru_sets_init(struct map *map, const char *const *names)
{
	uint32_t count = map->attr.flags & MAP_NO_COMMON_LRU ? map->cpus : 1;
	struct lru_sets *sets = env_alloc(sets_bytes(count), -1);

	if (!sets)
		return -ENOMEM;
	map->lru = sets;
	sets->count = count;
	sets->names = names;
	for (uint32_t i = 0; i < count; i++) {
		sets->sets[i].nodes = map->max_entries / count;
		sets->sets[i].first = i * sets->sets[i].nodes;
		set_init(map, &sets->sets[i], i);
	}
	return 0;
}

void lru_sets_deinit(struct map *map)
{
	struct lru_sets *sets = map->lru;

	env_free(sets, sets_bytes(sets->count));
}

void lru_sets_give_back(struct map *map, struct map_ctx *ctx, struct elem *elem)
{
	struct lru_set *set = lru_set_of(map, elem);

	if (lru_set_lock(map, ctx, set)) {
		env_store(&elem->lru.pending_free, 1);
		env_store(&set->pending, 1);
		return;
	}
	lru_set_move(set, elem, SET_FREE);
	lru_set_unlock(map, ctx, set);
}

void lru_set_reclaim(struct map *map, struct lru_set *set)
{
	env_store(&set->pending, 0);
	for (uint64_t i = 0; i < set->nodes; i++) {
		struct elem *elem = map_elem(map, set->first + i);

		if (!env_load(&elem->lru.pending_free))
			continue;
		env_store(&elem->lru.pending_free, 0);
		lru_set_move(set, elem, SET_FREE);
	}
}

void lru_sets_report(const struct map *map, map_list_fn *fn, void *arg)
{
	const struct lru_sets *sets = map->lru;

	for (uint32_t i = 0; i < sets->count; i++) {
		int cpu = sets->count == 1 ? -1 : (int)i;

		for (int type = SET_USED; type < SET_LISTS; type++) {
			if (sets->names[type])
				fn(arg, sets->names[type], cpu, sets->sets[i].counts[type]);
		}
		fn(arg, sets->names[SET_FREE], cpu, sets->sets[i].counts[SET_FREE]);
	}
}

static int set_walk(const struct lru_set *set, int type, lru_visit_fn *visit, void *arg,
		    struct error *error)
{
	const struct list_node *head = &set->heads[type], *node;
	uint64_t count = 0;

	for (node = head->next; node != head; node = node->next, count++) {
		const struct elem *elem = elem_of_lru((struct list_node *)node);
		int err;

		if (node->next->prev != node)
			return error_set(error, -EUCLEAN, "list %d: broken link", type);
		if (elem->lru.type != type)
			return error_set(error, -EUCLEAN, "list %d: a node of type %u", type,
					 elem->lru.type);
		err = visit(arg, elem, type == SET_FREE);
		if (err)
			return err;
	}
	if (count != set->counts[type])
		return error_set(error, -EUCLEAN, "list %d: %llu nodes, counted %llu", type,
				 (unsigned long long)count, (unsigned long long)set->counts[type]);
	return 0;
}

int lru_sets_walk(const struct map *map, lru_visit_fn *visit, void *arg, struct error *error)
{
	const struct lru_sets *sets = map->lru;
	int err = 0;

	for (uint32_t i = 0; i < sets->count; i++) {
		for (int type = 0; !err && type < SET_LISTS; type++)
			err = set_walk(&sets->sets[i], type, visit, arg, error);
	}
	return err;
}

uint64_t lru_sets_model_bytes(const struct map *map)
{
	const struct lru_sets *sets = map->lru;

	return sets_bytes(sets->count);
}
