/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The seam for rotation: pop a node (evicting if need be), give one back, mark one used. A strategy
 * is a file and a line in lru.c's table.
 *
 * What every strategy promises: exactly max_entries nodes, which are map->elems' first ones, none
 * lost; NULL from pop only when nothing can be evicted, or a lock failed; any number of CPUs; nodes
 * given back in any order. What stands behind them in map->elems are spares (see hold).
 */
#ifndef MODEL_LRU_H
#define MODEL_LRU_H

#include "model/map.h"

/* Called for each node on a strategy's lists; free: on one of free nodes. Returns 0 to go on. */
typedef int lru_visit_fn(void *arg, const struct elem *elem, bool is_free);

struct lru_ops {
	/* Sets map->lru up over the first max_entries of map->elems. 0 or -ENOMEM. */
	int (*init)(struct map *map);
	void (*deinit)(struct map *map);

	/*
	 * A node for a key of this hash, unhashed, not marked, on the strategy's list for nodes in
	 * use. Evicts by htab_evict(). NULL: nothing can be had. Called without locks.
	 */
	struct elem *(*pop)(struct map *map, struct map_ctx *ctx, uint32_t hash);
	/* Takes back a node that is not hashed (any more). Never fails. Called without locks. */
	void (*give_back)(struct map *map, struct map_ctx *ctx, struct elem *elem);
	/*
	 * The node's key was used; the node may be anywhere by now. NULL: the kernel's reference
	 * bit is all there is to set. Called without locks.
	 */
	void (*mark_used)(struct map *map, struct map_ctx *ctx, struct elem *elem);

	/*
	 * Of strategies whose updates look the key up first, and so evict nothing when it is there;
	 * NULL for others. Hold locks the list a node is on: the lock, or NULL when it failed.
	 * Under it and the bucket's lock, swap gives the node's place in the rotation to a spare,
	 * which is marked, and leaves the node on no list. Release unlocks.
	 */
	struct env_lock *(*hold)(struct map *map, struct map_ctx *ctx, struct elem *elem);
	void (*swap)(struct map *map, struct elem *old, struct elem *spare);
	void (*release)(struct map *map, struct map_ctx *ctx, struct env_lock *lock);

	void (*lists)(const struct map *map, map_list_fn *fn, void *arg);
	/* Visits every node on every list; what a visit returned, or -EUCLEAN for a wrong count. */
	int (*walk)(const struct map *map, lru_visit_fn *visit, void *arg, struct error *error);
	uint64_t (*model_bytes)(const struct map *map);
};

struct lru_policy {
	struct policy policy;
	const struct lru_ops *common;
	const struct lru_ops *percpu; /* with no_common_lru; NULL: refused */
	/*
	 * Whether it goes by what is to come: map_run.next_use, and by it map_ctx.next_use. Every
	 * look-up marks then, whatever its context.
	 */
	bool needs_future;
};

extern const struct lru_policy *const lru_policies[]; /* NULL-terminated; the index is the id */

extern const struct lru_ops lru_kernel_common, lru_kernel_percpu;
extern const struct lru_policy lru_steal_first, lru_steal_half, lru_watermark, lru_lookup_first;
extern const struct lru_policy lru_exact, lru_fifo, lru_clock, lru_sieve, lru_s3fifo, lru_random;
extern const struct lru_policy lru_opt;

/*
 * For strategies: takes a node's key out of the map (kernel-maps: unhash). False when it is not in
 * it, or its bucket cannot be locked. Called with LRU locks held.
 */
bool htab_evict(struct map *map, struct map_ctx *ctx, struct elem *elem);

/*
 * As htab_evict(), also for a node whose give-back could not lock its list: that one is out of the
 * map already. Leaves the node on its list.
 */
static inline bool lru_unhash(struct map *map, struct map_ctx *ctx, struct elem *elem)
{
	if (env_load(&elem->lru.pending_free)) {
		env_store(&elem->lru.pending_free, 0);
		return true;
	}
	return htab_evict(map, ctx, elem);
}

/*
 * Fetches what unhashing a node will write: what points to it, and what it points to. The node may
 * be a list's head.
 */
static inline void lru_fetch_unhash(const struct map *map, const struct list_node *node)
{
	const struct elem *elem = elem_of_lru((struct list_node *)node);
	size_t offset = (uintptr_t)elem - (uintptr_t)map->elems;
	uintptr_t next;

	if (offset >= map->elem_total * map->elem_bytes)
		return;
	next = elem->hash_node.next;
	env_prefetch(elem->hash_node.pprev);
	env_prefetch(nulls_is_end(next) ? NULL : (const void *)next);
}

/* Marking in two halves, for updates: the bit is set under the bucket lock, ... */
static inline void lru_mark_bit(struct map *map, struct elem *elem)
{
	if (!map->lru_ops->mark_used && !env_load(&elem->lru.ref))
		env_store(&elem->lru.ref, 1);
}

/* ... and what a strategy does instead, which may take its own locks, is done after it. */
static inline void lru_mark_moved(struct map *map, struct map_ctx *ctx, struct elem *elem)
{
	if (map->lru_ops->mark_used)
		map->lru_ops->mark_used(map, ctx, elem);
}

/* Marks a node used. Called without locks. */
static inline void lru_mark_used(struct map *map, struct map_ctx *ctx, struct elem *elem)
{
	lru_mark_bit(map, elem);
	lru_mark_moved(map, ctx, elem);
}

static inline bool elem_is_hashed(const struct elem *elem)
{
	return env_load(&elem->lru.is_hashed);
}

#endif
