/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The general allocator under maps that do not preallocate: objects of one size, cut from large
 * chunks and kept on a stack when free. It holds no more than the most objects ever in use.
 */
#ifndef MODEL_SLAB_H
#define MODEL_SLAB_H

#include <env.h>

struct slab_chunk;
struct slab_object {
	uintptr_t stale_next; /* of an element: see struct elem */
	struct slab_object *next;
};

struct slab {
	struct env_lock lock; /* for the users of the map that owns it to take */
	struct slab_object *free;
	struct slab_chunk *chunks; /* newest first; the newest is being cut */
	uint8_t *cut, *cut_end;
	size_t object_bytes;
	size_t chunk_bytes;
	int numa_node;
	uint64_t chunk_count;
	uint64_t cut_count; /* objects cut so far: numbers 0..cut_count-1 are in use or free */
};

/*
 * For objects of object_bytes, at least 16, at most objects_max expected, on a NUMA node or, with
 * -1, wherever.
 */
void slab_init(struct slab *slab, size_t object_bytes, uint64_t objects_max, int numa_node);
void slab_deinit(struct slab *slab);

/*
 * An object; *is_new tells one never used before, zeroed, whose number is cut_count - 1. NULL when
 * memory ends. Needs other users kept out.
 */
void *slab_alloc(struct slab *slab, bool *is_new);
void slab_free(struct slab *slab, void *object);

static inline uint64_t slab_bytes(const struct slab *slab)
{
	return slab->chunk_count * slab->chunk_bytes;
}

#endif
