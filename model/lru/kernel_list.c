// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Rotation and shrinking of the kernel's LRU lists (4.10; bpf_lru_list.c: __bpf_lru_list_rotate,
 * __bpf_lru_list_shrink). "The head" is the young end.
 *
 * Invariants: a node is on the list that its type names; counts are right; the cursor is a node of
 * INACTIVE or that list's head. Locks: the caller holds the list's; evicting takes bucket locks.
 * Deviation: FREE is counted too, so that lengths can be told without a walk.
 */
#include "model/lru/kernel_list.h"

void lru_list_init(struct lru_list *list, uint32_t nr_scans)
{
	for (int i = 0; i < LRU_LISTS; i++)
		list_init(&list->heads[i]);
	list->cursor = &list->heads[LRU_INACTIVE];
	list->nr_scans = nr_scans;
	list->ahead.active = list->cursor;
	list->ahead.inactive = list->cursor;
	list->ahead.cursor = list->cursor;
}

/* The cursor never stays on a node that leaves its place. */
void lru_list_take(struct lru_list *list, struct elem *elem)
{
	if (list->cursor == &elem->lru.list)
		list->cursor = elem->lru.list.prev;
	list->counts[elem->lru.type]--;
	list_del(&elem->lru.list);
}

void lru_list_move(struct lru_list *list, struct elem *elem, enum lru_list_type type)
{
	lru_list_take(list, elem);
	lru_list_add(list, elem, type);
}

/* From ACTIVE's tail: what was used stays young, what was not goes to INACTIVE. */
static uint32_t lru_list_rotate_active(struct lru_list *list)
{
	struct list_node *head = &list->heads[LRU_ACTIVE];
	struct list_node *first = head->next, *node = head->prev, *next;
	uint32_t scans = 0;

	while (node != head && scans < list->nr_scans) {
		struct elem *elem = elem_of_lru(node);

		next = node->prev;
		scans++;
		lru_list_move(list, elem, env_load(&elem->lru.ref) ? LRU_ACTIVE : LRU_INACTIVE);
		if (node == first)
			break;
		node = next;
	}
	return scans;
}

/* From the cursor towards the head: what was used goes to ACTIVE, the others stay. */
static uint32_t lru_list_rotate_inactive(struct lru_list *list)
{
	struct list_node *head = &list->heads[LRU_INACTIVE];
	struct list_node *node = list->cursor, *last = node->next, *next = head;
	uint32_t scans = 0;

	if (list_is_empty(head))
		return 0;
	if (last == head)
		last = last->next;
	while (scans < list->nr_scans + env_fault(FAULT_ROTATE_ONE_MORE)) {
		if (node == head) {
			node = node->prev;
			continue;
		}
		next = node->prev;
		scans++;
		if (env_load(&elem_of_lru(node)->lru.ref))
			lru_list_move(list, elem_of_lru(node), LRU_ACTIVE);
		if (node == last)
			break;
		node = next;
	}
	if (!env_fault(FAULT_CURSOR_STAYS))
		list->cursor = next;
	return scans;
}

void lru_list_rotate(struct map *map, struct map_ctx *ctx, struct lru_list *list)
{
	struct map_counters *counters = map_counters(map, ctx);

	counters->rotations++;
	if (list->counts[LRU_INACTIVE] <
	    list->counts[LRU_ACTIVE] + env_fault(FAULT_ROTATE_WHEN_SAME))
		counters->scans += lru_list_rotate_active(list);
	counters->scans += lru_list_rotate_inactive(list);
}

/* When shrinking freed none: the first node that can be had, whatever its bit. */
static uint32_t lru_list_shrink_forced(struct map *map, struct map_ctx *ctx, struct lru_list *list,
				       lru_freed_fn *freed, void *arg)
{
	enum lru_list_type type =
		list_is_empty(&list->heads[LRU_INACTIVE]) ? LRU_ACTIVE : LRU_INACTIVE;
	struct list_node *head = &list->heads[type], *node;

	map_counters(map, ctx)->forced_shrinks++;
	for (node = head->prev; node != head; node = node->prev) {
		struct elem *elem = elem_of_lru(node);

		map_counters(map, ctx)->scans++;
		if (!lru_unhash(map, ctx, elem))
			continue;
		lru_list_take(list, elem);
		freed(arg, elem);
		return 1;
	}
	return 0;
}

uint32_t lru_list_shrink(struct map *map, struct map_ctx *ctx, struct lru_list *list,
			 uint32_t wanted, lru_freed_fn *freed, void *arg)
{
	struct list_node *head = &list->heads[LRU_INACTIVE], *node = head->prev, *next;
	struct map_counters *counters = map_counters(map, ctx);
	uint32_t count = 0, scans = 0;

	counters->shrinks++;
	for (; node != head && count < wanted &&
	       scans < list->nr_scans + env_fault(FAULT_SHRINK_ONE_MORE);
	     node = next, scans++) {
		struct elem *elem = elem_of_lru(node);

		next = node->prev;
		if (env_load(&elem->lru.ref) && !env_fault(FAULT_SHRINK_USED)) {
			lru_list_move(list, elem, LRU_ACTIVE);
		} else if (lru_unhash(map, ctx, elem)) {
			lru_list_take(list, elem);
			freed(arg, elem);
			count++;
		}
	}
	counters->scans += scans;
	if (!count)
		count = lru_list_shrink_forced(map, ctx, list, freed, arg);
	return count;
}

void lru_list_report(const struct lru_list *list, int cpu, map_list_fn *fn, void *arg)
{
	static const char *const names[LRU_LISTS] = {"active", "inactive", "free"};

	for (int i = 0; i < LRU_LISTS; i++)
		fn(arg, names[i], cpu, list->counts[i]);
}

int lru_list_walk(const struct lru_list *list, lru_visit_fn *visit, void *arg, struct error *error)
{
	int err;

	for (int i = 0; i < LRU_LISTS; i++) {
		const struct list_node *head = &list->heads[i], *node;
		uint64_t count = 0;

		for (node = head->next; node != head; node = node->next, count++) {
			if (node->next->prev != node)
				return error_set(error, -EUCLEAN, "list %d: broken link", i);
			if (elem_of_lru(node)->lru.type != i)
				return error_set(error, -EUCLEAN, "list %d: a node of type %u", i,
						 elem_of_lru(node)->lru.type);
			err = visit(arg, elem_of_lru(node), i == LRU_FREE);
			if (err)
				return err;
		}
		if (count != list->counts[i])
			return error_set(error, -EUCLEAN, "list %d: %llu nodes, counted %llu", i,
					 (unsigned long long)count,
					 (unsigned long long)list->counts[i]);
	}
	return 0;
}

void lru_ahead_restart(struct lru_list *list)
{
	struct lru_ahead *ahead = &list->ahead;

	ahead->active = &list->heads[LRU_ACTIVE];
	ahead->inactive = &list->heads[LRU_INACTIVE];
	ahead->cursor = list->cursor;
	ahead->left = list->nr_scans;
}

static const struct list_node *ahead_next(const struct list_node *node)
{
	node = node->prev;
	env_prefetch(node);
	return node;
}

void lru_ahead_step(const struct map *map, struct lru_ahead *ahead)
{
	ahead->left--;
	lru_fetch_unhash(map, ahead->inactive);
	ahead->inactive = ahead_next(ahead->inactive);
	ahead->active = ahead_next(ahead->active);
	ahead->cursor = ahead_next(ahead->cursor);
}
