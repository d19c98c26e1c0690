/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The seam for rotation: pop a node (evicting if need be), give one back, mark one used. A strategy
 * is a file and a line in lru.c's table.
 *
 * What every strategy promises: exactly max_entries nodes, none lost; NULL from pop only when
 * nothing can be evicted; any number of CPUs; nodes given back in any order.
 */
#ifndef MODEL_LRU_H
#define MODEL_LRU_H

#include "model/map.h"

/* Called for each node on a strategy's lists; free: on one of free nodes. Returns 0 to go on. */
typedef int lru_visit_fn(void *arg, const struct elem *elem, bool is_free);

struct lru_ops {
	/* Sets map->lru up over all of map->elems. 0 or -ENOMEM. */
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

	void (*lists)(const struct map *map, map_list_fn *fn, void *arg);
	/* Visits every node on every list; what a visit returned, or -EUCLEAN for a wrong count. */
	int (*walk)(const struct map *map, lru_visit_fn *visit, void *arg, struct error *error);
	uint64_t (*model_bytes)(const struct map *map);
};

struct lru_policy {
	struct policy policy;
	const struct lru_ops *common;
	const struct lru_ops *percpu; /* with no_common_lru; NULL: refused */
};

extern const struct lru_policy *const lru_policies[]; /* NULL-terminated; the index is the id */

extern const struct lru_ops lru_kernel_common, lru_kernel_percpu;
extern const struct lru_policy lru_exact;

/*
 * For strategies: takes a node's key out of the map (kernel-maps: unhash). False when it is not in
 * it, or its bucket cannot be locked. Called with LRU locks held.
 */
bool htab_evict(struct map *map, struct map_ctx *ctx, struct elem *elem);

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
