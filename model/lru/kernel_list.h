/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The lists that both kinds of kernel LRU rotate and shrink (bpf_lru_list): ACTIVE, INACTIVE and
 * FREE, with a cursor on INACTIVE.
 */
#ifndef MODEL_LRU_KERNEL_LIST_H
#define MODEL_LRU_KERNEL_LIST_H

#include "model/lru/lru.h"

/* Which list a node is on; LOCAL ones are the common LRU's. */
enum lru_list_type {
	LRU_ACTIVE,
	LRU_INACTIVE,
	LRU_FREE,
	LRU_LISTS,
	LRU_LOCAL_FREE,
	LRU_LOCAL_PENDING
};

/*
 * Looking ahead: lists are walked from known places (both tails, the cursor), one node's address
 * only being known from the last one's. So between rotations each pop fetches one more node of each
 * walk, and what evicting it will touch. Only hints: nodes may move meanwhile.
 */
struct lru_ahead {
	const struct list_node *active, *inactive, *cursor;
	uint32_t left; /* steps until the next rotation will have caught up */
};

struct lru_list {
	struct list_node heads[LRU_LISTS];
	uint64_t counts[LRU_LISTS];
	struct list_node *cursor; /* next_inactive_rotation: a node of INACTIVE, or its head */
	struct env_lock lock;
	uint32_t nr_scans;
	struct lru_ahead ahead;
} __attribute__((aligned(64)));

void lru_list_init(struct lru_list *list, uint32_t nr_scans);

/* All below need the list's lock. */

/* Moves a node of this list to the head of one of its lists, clearing its bit. */
void lru_list_move(struct lru_list *list, struct elem *elem, enum lru_list_type type);

/* Takes a node off the list altogether. */
void lru_list_take(struct lru_list *list, struct elem *elem);

/* Adds a node that is on no list to the head of one, clearing its bit. */
static inline void lru_list_add(struct lru_list *list, struct elem *elem, enum lru_list_type type)
{
	env_store(&elem->lru.type, (uint8_t)type);
	if (!env_fault(FAULT_BIT_STAYS))
		env_store(&elem->lru.ref, 0);
	list->counts[type]++;
	list_add(&elem->lru.list, &list->heads[type]);
}

/* Kernel-maps 4.5. */
void lru_list_rotate(struct map *map, struct map_ctx *ctx, struct lru_list *list);

/*
 * Kernel-maps 4.6: frees up to wanted nodes, giving each, off the list, to freed(arg). Returns how
 * many.
 */
typedef void lru_freed_fn(void *arg, struct elem *elem);
uint32_t lru_list_shrink(struct map *map, struct map_ctx *ctx, struct lru_list *list,
			 uint32_t wanted, lru_freed_fn *freed, void *arg);

/* For reports and checks. */
void lru_list_report(const struct lru_list *list, int cpu, map_list_fn *fn, void *arg);
int lru_list_walk(const struct lru_list *list, lru_visit_fn *visit, void *arg, struct error *error);

/* Begins looking ahead from the tails and the cursor, to the depth of the next rotation. */
void lru_ahead_restart(struct lru_list *list);
void lru_ahead_step(const struct map *map, struct lru_ahead *ahead);

#endif
