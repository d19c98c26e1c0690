// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "model/slab.h"

struct slab_chunk {
	struct slab_chunk *next;
} __attribute__((aligned(64)));

/* Few or small objects come from small chunks, others from huge pages. */
#define SMALL_CHUNK_BYTES (64u << 10)
#define CHUNK_BYTES (4u << 20)

void slab_init(struct slab *slab, size_t object_bytes, uint64_t objects_max, int numa_node)
{
	bool is_small =
		object_bytes <= SMALL_CHUNK_BYTES / 16 && object_bytes * objects_max < CHUNK_BYTES;
	size_t bytes = is_small ? SMALL_CHUNK_BYTES : CHUNK_BYTES;

	memset(slab, 0, sizeof(*slab));
	slab->object_bytes = object_bytes;
	slab->numa_node = numa_node;
	while (bytes < object_bytes + sizeof(struct slab_chunk))
		bytes *= 2;
	slab->chunk_bytes = bytes;
}

void slab_deinit(struct slab *slab)
{
	while (slab->chunks) {
		struct slab_chunk *chunk = slab->chunks;

		slab->chunks = chunk->next;
		env_free(chunk, slab->chunk_bytes);
	}
}

static bool slab_add_chunk(struct slab *slab)
{
	struct slab_chunk *chunk = env_alloc(slab->chunk_bytes, slab->numa_node);

	if (!chunk)
		return false;
	chunk->next = slab->chunks;
	slab->chunks = chunk;
	slab->chunk_count++;
	slab->cut = (uint8_t *)(chunk + 1);
	slab->cut_end = (uint8_t *)chunk + slab->chunk_bytes;
	return true;
}

void *slab_alloc(struct slab *slab, bool *is_new)
{
	struct slab_object *object = slab->free;

	*is_new = !object;
	if (object) {
		slab->free = object->next;
		return object;
	}
	if ((size_t)(slab->cut_end - slab->cut) < slab->object_bytes && !slab_add_chunk(slab))
		return NULL;
	object = (struct slab_object *)slab->cut;
	slab->cut += slab->object_bytes;
	slab->cut_count++;
	return object;
}

void slab_free(struct slab *slab, void *object)
{
	struct slab_object *free = object;

	free->next = slab->free;
	slab->free = free;
}
