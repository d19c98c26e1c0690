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

	void (*lists)(const struct map *map, map_list_fn *fn, void *arg);
	/* Visits all free elements; returns what a visit did, or -EUCLEAN for a wrong count. */
	int (*walk)(const struct map *map, alloc_visit_fn *visit, void *arg, struct error *error);
	uint64_t (*model_bytes)(const struct map *map);
};

extern const struct alloc_policy *const alloc_policies[]; /* NULL-terminated; the index is the id */

extern const struct alloc_policy alloc_freelist, alloc_kmalloc, alloc_bpfmem;

/*
 * An element from the general allocator, with a per-CPU value where the map has them; NULL when
 * memory ends, or its lock cannot be had.
 */
struct elem *elem_from_slab(struct map *map, struct map_ctx *ctx);
void elem_to_slab(struct map *map, struct map_ctx *ctx, struct elem *elem);

#endif
