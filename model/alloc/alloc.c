// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "model/alloc/alloc.h"

const struct alloc_policy *const alloc_policies[] = {&alloc_freelist, &alloc_kmalloc, &alloc_bpfmem,
						     NULL};

static struct elem *slab_new_elem(struct map *map)
{
	bool is_new;
	struct elem *elem = slab_alloc(&map->slab, &is_new);

	if (!elem || !is_new || !map->is_percpu)
		return elem;
	elem_percpu_slot(map, elem)->value = (uint32_t)(map->slab.cut_count - 1);
	if (!percpu_reserve(&map->percpu, map->slab.cut_count))
		return elem;
	map->slab.cut -= map->slab.object_bytes;
	map->slab.cut_count--;
	return NULL;
}

struct elem *elem_from_slab(struct map *map, struct map_ctx *ctx)
{
	struct elem *elem;

	if (env_lock(&map->slab.lock, ctx, RANK_FREE_LIST, LOCK_RAW))
		return NULL;
	elem = slab_new_elem(map);
	env_unlock(&map->slab.lock, ctx, RANK_FREE_LIST, LOCK_RAW);
	return elem;
}

/* A raw lock is always had in the end. */
void elem_to_slab(struct map *map, struct map_ctx *ctx, struct elem *elem)
{
	while (env_lock(&map->slab.lock, ctx, RANK_FREE_LIST, LOCK_RAW))
		;
	slab_free(&map->slab, elem);
	env_unlock(&map->slab.lock, ctx, RANK_FREE_LIST, LOCK_RAW);
}
