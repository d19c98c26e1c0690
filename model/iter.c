// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Iteration and batches (kernel/bpf/hashtab.c: htab_map_get_next_key,
 * __htab_map_lookup_and_delete_batch; batches since 5.6).
 *
 * Locks: get_next_key takes none. A batch copies a whole bucket under its lock, and gives deleted
 * elements back after it.
 */
#include "model/htab.h"

/* The first element in a bucket from this one on, or NULL. */
static struct elem *first_elem_from(const struct map *map, uint64_t bucket)
{
	for (; bucket <= map->bucket_mask; bucket++) {
		uintptr_t link = link_load(&map_bucket(map, (uint32_t)bucket)->first);

		if (!nulls_is_end(link))
			return elem_of_link(link);
	}
	return NULL;
}

/* A key that is not in the map, like none, begins at the first element. */
int htab_next_key(struct map *map, struct map_ctx *ctx, const void *key, void *next)
{
	struct elem *elem = NULL;
	uint64_t bucket = 0;
	uint32_t hash;

	(void)ctx;
	if (key) {
		hash = htab_hash(map, key);
		elem = htab_find(map, key, hash);
		if (!elem && env_fault(FAULT_NEXT_OF_MISSING))
			return -ENOENT;
		if (elem) {
			uintptr_t link = env_load_acquire(&elem->hash_node.next);

			bucket = (hash & map->bucket_mask) + 1ULL;
			elem = nulls_is_end(link) ? NULL : elem_of_link(link);
		}
	}
	if (!elem)
		elem = first_elem_from(map, bucket);
	if (!elem)
		return -ENOENT;
	env_copy_out(next, elem->key, map->key_size);
	return 0;
}

static uint32_t bucket_count(const struct map *map, uint32_t bucket)
{
	uintptr_t link = link_load(&map_bucket(map, bucket)->first);
	uint32_t count = 0;

	for (; !nulls_is_end(link); link = elem_of_link(link)->hash_node.next)
		count++;
	return count;
}

/* Values are read in system-call form whoever asks: programs have no batches. */
static void batch_copy(const struct map *map, struct elem *elem, struct batch_output *output)
{
	static const struct map_ctx reader = {.context = OP_SYSCALL};
	size_t value_bytes = map_sys_value_bytes(&map->attr, map->cpus);

	if (output->keys) {
		memcpy(output->keys, elem->key, map->key_size);
		output->keys += map->key_size;
	}
	if (output->values) {
		elem_read_value(map, &reader, elem, output->values);
		output->values += value_bytes;
	}
	if (output->fold) {
		*output->fold = op_fold_bytes(*output->fold, elem->key, map->key_size);
		*output->fold = elem_fold_value(map, &reader, elem, *output->fold);
	}
}

/*
 * Copies one bucket when it fits in room elements; *count gets how many there are. With del the
 * elements are unlinked under the lock, chained through their next links, and freed after it.
 */
static int batch_bucket(struct map *map, struct map_ctx *ctx, uint32_t bucket, uint32_t room,
			struct batch_output *output, uint32_t *count, bool del)
{
	struct elem *freed = NULL;
	uintptr_t *first = &map_bucket(map, bucket)->first, link;
	int err;

	*count = 0;
	if (nulls_is_end(link_load(first)))
		return 0;
	err = bucket_lock(map, ctx, bucket);
	if (err)
		return err;
	*count = bucket_count(map, bucket);
	link = *count <= room ? link_load(first) : nulls_end(first);
	while (!nulls_is_end(link)) {
		struct elem *elem = elem_of_link(link);

		link = elem->hash_node.next;
		batch_copy(map, elem, output);
		if (del) {
			htab_unlink(elem);
			htab_count_entry(map, ctx, -1);
			elem->free_next = freed;
			freed = elem;
			map_counters(map, ctx)->deletes++;
		}
	}
	bucket_unlock(map, ctx, bucket);
	while (freed) {
		struct elem *elem = freed;

		freed = elem->free_next;
		htab_free_elem(map, ctx, elem);
		if (!map->is_lru)
			htab_end_alloc(map, ctx);
	}
	return 0;
}

int htab_batch(struct map *map, struct map_ctx *ctx, const uint32_t *cursor, uint32_t *next_cursor,
	       struct batch_output *output, uint32_t *count, bool del)
{
	uint64_t bucket = cursor ? *cursor : 0;
	uint32_t asked = *count, total = 0, here = 0, room;
	int err = 0;

	if (!map->has_batch)
		return -EINVAL;
	if (!asked)
		return 0;
	*count = 0;
	if (bucket > map->bucket_mask)
		return -ENOENT;
	for (; bucket <= map->bucket_mask; bucket++, total += here) {
		room = asked - total;
		room -= room && env_fault(FAULT_BATCH_ROOM);
		err = batch_bucket(map, ctx, (uint32_t)bucket, room, output, &here, del);
		if (err || here > room)
			break;
	}
	if (bucket > map->bucket_mask)
		err = -ENOENT;
	else if (!err && !total)
		err = -ENOSPC;
	*next_cursor = (uint32_t)bucket + env_fault(FAULT_BATCH_CURSOR);
	*count = total;
	map_counters(map, ctx)->batch_elements += total;
	return err;
}
