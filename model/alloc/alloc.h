/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The seam for element allocation in maps without LRU: pop an element, push it back. A policy is a
 * file and a line in alloc.c's table.
 */
#ifndef MODEL_ALLOC_H
#define MODEL_ALLOC_H

#include "model/map.h"

/* Called for each free element a policy holds. Returns 0 to go on. */
typedef int alloc_visit_fn(void *arg, const struct elem *elem);

struct alloc_policy {
	struct policy policy;
	bool preallocates; /* takes map->elems; else elements come and go, and are counted */

	/* Sets map->alloc up, over all of map->elems when preallocating. 0 or -ENOMEM. */
	int (*init)(struct map *map);
	void (*deinit)(struct map *map);

	/* An element that is on no list, or NULL. May be called with a bucket lock held. */
	struct elem *(*pop)(struct map *map, struct map_ctx *ctx);
	/* Takes an element back. Never fails. */
	void (*push)(struct map *map, struct map_ctx *ctx, struct elem *elem);
	/*
	 * What the CPU does at interrupt time, for which pops and pushes have asked: called when it
	 * holds no lock, at the end of an operation. NULL: nothing.
	 */
	void (*work)(struct map *map, struct map_ctx *ctx);

	void (*lists)(const struct map *map, map_list_fn *fn, void *arg);
	/* Visits all free elements; returns what a visit did, or -EUCLEAN for a wrong count. */
	int (*walk)(const struct map *map, alloc_visit_fn *visit, void *arg, struct error *error);
	/* Fills in what the policy knows; all is 0 before, but kernel_bytes_max. */
	void (*stats)(const struct map *map, struct map_alloc_stats *stats);
	uint64_t (*model_bytes)(const struct map *map);
};

extern const struct alloc_policy *const alloc_policies[]; /* NULL-terminated; the index is the id */

extern const struct alloc_policy alloc_freelist, alloc_kmalloc, alloc_ida, alloc_bitmap,
	alloc_locked, alloc_bpfmem;

/*
 * For policies over the general allocator, map->slab. Its objects are elements, each with a per-CPU
 * value where the map has them.
 */
int alloc_prepare_elem(void *map, void *elem, uint64_t number); /* a slab_prepare_fn */
int alloc_walk_slab(const struct map *map, alloc_visit_fn *visit, void *arg, struct error *error);
void alloc_slab_stats(const struct map *map, struct map_alloc_stats *stats);

/* A stack of elements by free_next. */
static inline void elem_push(struct elem **first, struct elem *elem)
{
	elem->free_next = *first;
	*first = elem;
}

static inline struct elem *elem_pop(struct elem **first)
{
	struct elem *elem = *first;

	if (elem)
		*first = elem->free_next;
	return elem;
}

/*
 * A preallocated element by its number, taken out, and the number of one that was: a division
 * otherwise.
 */
static inline struct elem *elem_take_number(const struct map *map, uint64_t number)
{
	struct elem *elem = map_elem(map, number);

	elem->policy_word = (uint32_t)number;
	return elem;
}

static inline uint64_t elem_number(const struct elem *elem)
{
	return elem->policy_word;
}

#endif
