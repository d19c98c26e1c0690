/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The machinery of the common LRU, which the kernel's own policy and its variants share. A variant
 * is a struct lru_variant: how a CPU whose local FREE list is empty gets nodes.
 */
#ifndef MODEL_LRU_KERNEL_COMMON_H
#define MODEL_LRU_KERNEL_COMMON_H

#include "model/lru/kernel_list.h"

#define LRU_RECENT 128 /* how many pending nodes are remembered: a power of two */

/* What belongs to one CPU. */
struct lru_local {
	struct list_node *free; /* a stack through next */
	struct list_node pending;
	uint64_t free_count, pending_count;
	uint32_t next_steal;
	uint32_t free_target; /* of this CPU, where a variant has one for each */
	struct env_lock lock;
	bool is_lockless; /* the FREE stack is pushed to without the lock (7.3) */
	/* Looking ahead: the nodes that became pending last, so that a flush need not chase them.
	 */
	uint64_t recent_count;
	const struct elem *recent[ENV_LOOKAHEAD ? LRU_RECENT : 1];
} __attribute__((aligned(64)));

struct lru_common {
	struct lru_list list;
	uint32_t free_target;
	const struct lru_variant *variant;
	struct lru_local locals[];
};

struct lru_variant {
	/*
	 * Fills this CPU's empty local FREE list, if it can. Under its local lock;
	 * lru_common_begin() and _end() lock the global lists.
	 */
	void (*refill)(struct map *map, struct map_ctx *ctx, struct lru_local *local);
	/*
	 * When that list still is empty: a node that is on no list, or NULL. Without locks; may
	 * add others to this CPU's local FREE list.
	 */
	struct elem *(*steal)(struct map *map, struct map_ctx *ctx);
};

/* What struct lru_ops asks for; init is the variant's, by way of lru_common_init(). */
int lru_common_init(struct map *map, const struct lru_variant *variant);
void lru_common_deinit(struct map *map);
struct elem *lru_common_pop(struct map *map, struct map_ctx *ctx, uint32_t hash);
void lru_common_give_back(struct map *map, struct map_ctx *ctx, struct elem *elem);
void lru_common_lists(const struct map *map, map_list_fn *fn, void *arg);
int lru_common_walk(const struct map *map, lru_visit_fn *visit, void *arg, struct error *error);
uint64_t lru_common_model_bytes(const struct map *map);

/* clang-format off */
#define LRU_COMMON_CALLS \
	.deinit = lru_common_deinit, \
	.pop = lru_common_pop, \
	.give_back = lru_common_give_back, \
	.lists = lru_common_lists, \
	.walk = lru_common_walk, \
	.model_bytes = lru_common_model_bytes
/* clang-format on */

/* The kernel's own way. */
void lru_common_refill(struct map *map, struct map_ctx *ctx, struct lru_local *local);
struct elem *lru_common_steal(struct map *map, struct map_ctx *ctx);

/*
 * The parts of refilling, in their order. Begin locks the global lists, flushes this CPU's pending
 * nodes and rotates; false when the lock fails. Take moves up to wanted nodes from the global FREE
 * list to the local one, and shrink evicts up to wanted to it (none when wanted is 0). Each returns
 * how many. End unlocks.
 */
bool lru_common_begin(struct map *map, struct map_ctx *ctx, struct lru_local *local);
uint32_t lru_common_take(struct map *map, struct lru_local *local, uint32_t wanted);
uint32_t lru_common_shrink(struct map *map, struct map_ctx *ctx, struct lru_local *local,
			   uint32_t wanted);
void lru_common_end(struct map *map, struct map_ctx *ctx);

/*
 * What a steal takes from a CPU's lists, given the local lock: a node that is on no list, and as
 * many more as are to be this CPU's, chained by next behind it, or NULL.
 */
typedef struct elem *lru_take_fn(struct map *map, struct map_ctx *ctx, struct lru_local *local);

/*
 * Goes round the CPUs from this one's steal cursor, itself included, until take gives something.
 * Counts nothing. The cursor is left at the CPU after the last one asked.
 */
struct elem *lru_common_round(struct map *map, struct map_ctx *ctx, lru_take_fn *take);

/* The oldest pending node that can be unhashed: unused ones first. Under the local lock. */
struct elem *lru_local_take_pending(struct map *map, struct map_ctx *ctx, struct lru_local *local);

static inline struct lru_local *lru_local_of(const struct map *map, uint32_t cpu)
{
	struct lru_common *common = map->lru;

	return &common->locals[cpu];
}

static inline int lru_local_lock(struct map *map, struct map_ctx *ctx, struct lru_local *local)
{
	return env_lock(&local->lock, ctx, RANK_LOCAL_LRU, map->lru_lock);
}

static inline void lru_local_unlock(struct map *map, struct map_ctx *ctx, struct lru_local *local)
{
	env_unlock(&local->lock, ctx, RANK_LOCAL_LRU, map->lru_lock);
}

/* Pushes a node that is on no list. Under the local lock, unless the stack is lockless. */
static inline void lru_local_push_free(struct lru_local *local, struct elem *elem)
{
	struct list_node *first = env_load(&local->free);

	env_store(&elem->lru.type, LRU_LOCAL_FREE);
	env_store(&elem->lru.ref, 0);
	if (ENV_LOCKS && local->is_lockless) {
		env_add(&local->free_count, 1);
		do {
			elem->lru.list.next = first;
		} while (!env_cmpxchg(&local->free, &first, &elem->lru.list));
		return;
	}
	elem->lru.list.next = first;
	local->free = &elem->lru.list;
	local->free_count++;
}

/*
 * The first free node, now on no list, or NULL. Under the local lock: so no other pop can take a
 * node and push it back while this one looks at it.
 */
static inline struct elem *lru_local_pop_free(struct lru_local *local)
{
	struct list_node *node = env_load_acquire(&local->free);

	if (ENV_LOCKS && local->is_lockless) {
		while (node && !env_cmpxchg(&local->free, &node, node->next))
			;
		if (node)
			env_add(&local->free_count, (uint64_t)-1);
		return node ? elem_of_lru(node) : NULL;
	}
	if (!node)
		return NULL;
	local->free = node->next;
	local->free_count--;
	env_prefetch(node->next);
	return elem_of_lru(node);
}

#endif
