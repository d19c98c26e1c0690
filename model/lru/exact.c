// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Exact least-recently-used order: one list in order of use, every use moves a node to its head,
 * and the tail is evicted. No kernel does this, since every look-up would write a shared list; it
 * is the yardstick (Mattson et al., 1970). With no_common_lru, a list per CPU.
 *
 * Locks: the list's, also for look-ups. A node that cannot be unhashed is passed over.
 */
#include "model/lru/lru.h"

enum { EXACT_FREE, EXACT_USED, EXACT_LISTS };

struct exact_list {
	struct list_node heads[EXACT_LISTS];
	uint64_t counts[EXACT_LISTS];
	struct env_lock lock;
} __attribute__((aligned(64)));

struct exact {
	uint32_t lists_count; /* 1, or one per CPU */
	struct exact_list lists[];
};

static size_t exact_bytes(uint32_t lists)
{
	return sizeof(struct exact) + 64 + lists * sizeof(struct exact_list);
}

/* The list a node belongs to for ever. */
static struct exact_list *exact_list_of(const struct map *map, const struct elem *elem)
{
	struct exact *exact = map->lru;

	return &exact->lists[exact->lists_count == 1 ? 0 : elem->lru.cpu];
}

static void exact_move(struct exact_list *list, struct elem *elem, uint8_t type)
{
	list_del(&elem->lru.list);
	list->counts[elem->lru.type]--;
	list_add(&elem->lru.list, &list->heads[type]);
	list->counts[type]++;
	env_store(&elem->lru.type, type);
}

static int exact_init(struct map *map)
{
	uint32_t lists = map->attr.flags & MAP_NO_COMMON_LRU ? map->cpus : 1;
	struct exact *exact = env_alloc(exact_bytes(lists), -1);
	uint64_t share = map->elem_total / lists;

	if (!exact)
		return -ENOMEM;
	map->lru = exact;
	exact->lists_count = lists;
	for (uint32_t i = 0; i < lists; i++) {
		struct exact_list *list = &exact->lists[i];

		for (int type = 0; type < EXACT_LISTS; type++)
			list_init(&list->heads[type]);
		list->counts[EXACT_FREE] = share;
		for (uint64_t n = 0; n < share; n++) {
			struct elem *elem = map_elem(map, i * share + n);

			elem->lru.cpu = (uint16_t)i;
			elem->lru.type = EXACT_FREE;
			list_add(&elem->lru.list, &list->heads[EXACT_FREE]);
		}
	}
	return 0;
}

static void exact_deinit(struct map *map)
{
	struct exact *exact = map->lru;

	if (exact)
		env_free(exact, exact_bytes(exact->lists_count));
}

static struct elem *exact_evict(struct map *map, struct map_ctx *ctx, struct exact_list *list)
{
	struct list_node *head = &list->heads[EXACT_USED], *node;

	map_counters(map, ctx)->shrinks++;
	for (node = head->prev; node != head; node = node->prev) {
		struct elem *elem = elem_of_lru(node);

		map_counters(map, ctx)->scans++;
		if (env_load(&elem->lru.pending_free) || htab_evict(map, ctx, elem)) {
			env_store(&elem->lru.pending_free, 0);
			return elem;
		}
	}
	return NULL;
}

static struct elem *exact_pop(struct map *map, struct map_ctx *ctx, uint32_t hash)
{
	struct exact *exact = map->lru;
	struct exact_list *list = &exact->lists[exact->lists_count == 1 ? 0 : ctx->cpu];
	struct list_node *free = &list->heads[EXACT_FREE];
	struct elem *elem;

	if (env_lock(&list->lock, ctx, RANK_LRU, map->lru_lock))
		return NULL;
	elem = list_is_empty(free) ? exact_evict(map, ctx, list) : elem_of_lru(free->next);
	if (elem) {
		elem->hash = hash;
		exact_move(list, elem, EXACT_USED);
	}
	env_unlock(&list->lock, ctx, RANK_LRU, map->lru_lock);
	return elem;
}

static void exact_give_back(struct map *map, struct map_ctx *ctx, struct elem *elem)
{
	struct exact_list *list = exact_list_of(map, elem);

	if (env_lock(&list->lock, ctx, RANK_LRU, map->lru_lock)) {
		env_store(&elem->lru.pending_free, 1);
		return;
	}
	exact_move(list, elem, EXACT_FREE);
	env_unlock(&list->lock, ctx, RANK_LRU, map->lru_lock);
}

static void exact_mark_used(struct map *map, struct map_ctx *ctx, struct elem *elem)
{
	struct exact_list *list = exact_list_of(map, elem);

	if (env_lock(&list->lock, ctx, RANK_LRU, map->lru_lock))
		return;
	if (elem->lru.type == EXACT_USED)
		exact_move(list, elem, EXACT_USED);
	env_unlock(&list->lock, ctx, RANK_LRU, map->lru_lock);
}

static void exact_report(const struct map *map, map_list_fn *fn, void *arg)
{
	const struct exact *exact = map->lru;

	for (uint32_t i = 0; i < exact->lists_count; i++) {
		int cpu = exact->lists_count == 1 ? -1 : (int)i;

		fn(arg, "used", cpu, exact->lists[i].counts[EXACT_USED]);
		fn(arg, "free", cpu, exact->lists[i].counts[EXACT_FREE]);
	}
}

static int exact_walk(const struct map *map, lru_visit_fn *visit, void *arg, struct error *error)
{
	const struct exact *exact = map->lru;

	for (uint32_t i = 0; i < exact->lists_count * EXACT_LISTS; i++) {
		const struct exact_list *list = &exact->lists[i / EXACT_LISTS];
		const struct list_node *head = &list->heads[i % EXACT_LISTS], *node;
		uint64_t count = 0;
		int err;

		for (node = head->next; node != head; node = node->next, count++) {
			err = visit(arg, elem_of_lru((struct list_node *)node),
				    i % EXACT_LISTS == EXACT_FREE);
			if (err)
				return err;
		}
		if (count != list->counts[i % EXACT_LISTS])
			return error_set(error, -EUCLEAN, "exact LRU: %llu nodes, counted %llu",
					 (unsigned long long)count,
					 (unsigned long long)list->counts[i % EXACT_LISTS]);
	}
	return 0;
}

static uint64_t exact_model_bytes(const struct map *map)
{
	const struct exact *exact = map->lru;

	return exact_bytes(exact->lists_count);
}

static const struct lru_ops exact_ops = {
	.init = exact_init,
	.deinit = exact_deinit,
	.pop = exact_pop,
	.give_back = exact_give_back,
	.mark_used = exact_mark_used,
	.lists = exact_report,
	.walk = exact_walk,
	.model_bytes = exact_model_bytes,
};

const struct lru_policy lru_exact = {{"lru", "exact least-recently-used order, moved at every use"},
				     &exact_ops,
				     &exact_ops};
