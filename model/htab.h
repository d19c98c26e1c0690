/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The hash table: finding, and the operations by hash. All return what the kernel returns.
 */
#ifndef MODEL_HTAB_H
#define MODEL_HTAB_H

#include "model/jhash.h"
#include "model/lock.h"
#include "model/lru/lru.h"

#define UPDATE_ANY 0
#define UPDATE_NOEXIST 1
#define UPDATE_EXIST 2

/* The hash of a key of key_size bytes: the map's, given apart so that it can be a constant. */
static inline uint32_t htab_hash_sized(const struct map *map, const void *key, uint32_t key_size)
{
	uint64_t word;
	uint32_t half;

	if (key_size == 8) {
		memcpy(&word, key, 8);
		return jhash_8(word, map->hash_init);
	}
	if (key_size == 4) {
		memcpy(&half, key, 4);
		return jhash_4(half, map->hash_init);
	}
	return jhash(key, key_size, map->hash_init);
}

static inline uint32_t htab_hash(const struct map *map, const void *key)
{
	return htab_hash_sized(map, key, map->key_size);
}

static inline bool elem_has_key(const struct elem *elem, const void *key, uint32_t key_size)
{
	return env_equal(elem->key, key, key_size);
}

/*
 * The element of a key, or NULL. Takes no lock: a reader that an element's reuse led to another
 * bucket ends on that one's mark, and begins again. Under the bucket lock there is no such end.
 */
static inline struct elem *htab_find(const struct map *map, const void *key, uint32_t hash)
{
	const struct bucket *bucket = map_bucket(map, hash & map->bucket_mask);
	uintptr_t link;

	do {
		link = link_load(&bucket->first);
		while (!nulls_is_end(link)) {
			struct elem *elem = elem_of_link(link);

			env_touch(elem, sizeof(*elem), false);
			if (env_load(&elem->hash) == hash && elem_has_key(elem, key, map->key_size))
				return elem;
			link = env_load_acquire(&elem->hash_node.next);
		}
	} while (link != nulls_end(bucket));
	return NULL;
}

/* Puts an element at the head of its bucket, or takes it out. Under the bucket lock. */
void htab_link(struct map *map, struct elem *elem, uint32_t bucket);
void htab_unlink(struct elem *elem);

/* Counts a key added (1) or removed (-1). */
void htab_count_entry(struct map *map, const struct map_ctx *ctx, int change);

/* Entries: exact, unless CPUs count apart and operations run. */
uint64_t map_entries(const struct map *map);

/*
 * Gives an unlinked element back to where it came from: the rotation, or the allocator. Under no
 * LRU lock.
 */
void htab_free_elem(struct map *map, struct map_ctx *ctx, struct elem *elem);

/* The end of an operation that popped or pushed elements of a map without LRU. Under no lock. */
void htab_end_alloc(struct map *map, struct map_ctx *ctx);

/* Counts a return value; gives it back. */
int htab_count_error(struct map *map, const struct map_ctx *ctx, int err);

/* An update: what bpf_map_update_elem is given, and what is known of it. */
struct update {
	const void *key;
	uint32_t hash;
	uint32_t flags; /* UPDATE_ANY, ... */
	const uint8_t *value;
	size_t value_stride; /* from CPU to CPU in a system call's value; 0: one for all */
	bool is_absent; /* the key is known not to be there; nothing ran since (ENV_SHORTCUTS) */
};

/* Marks the wrong way round: a test has planted that fault. */
static inline int htab_lookup_faulty(struct map *map, struct map_ctx *ctx, struct elem *elem)
{
	if (map->is_lru && ctx->context == OP_SYSCALL)
		lru_mark_used(map, ctx, elem);
	return 0;
}

/* What a look-up that found elem (NULL: nothing) does: it counts, and marks by its context. */
static inline int htab_lookup(struct map *map, struct map_ctx *ctx, struct elem *elem)
{
	env_preempt(ctx);
	if (!elem) {
		map_counters(map, ctx)->misses++;
		return -ENOENT;
	}
	map_counters(map, ctx)->hits++;
	if (env_fault(ctx->context == OP_SYSCALL ? FAULT_SYSCALL_MARKS : FAULT_LOOKUP_UNMARKED))
		return htab_lookup_faulty(map, ctx, elem);
	if (map->is_lru && (ctx->context != OP_SYSCALL || map->sys_lookup_marks))
		lru_mark_used(map, ctx, elem);
	return 0;
}

int htab_update(struct map *map, struct map_ctx *ctx, const struct update *update);
int htab_delete(struct map *map, struct map_ctx *ctx, const void *key, uint32_t hash);

/*
 * value: NULL, or room for what the context reads (see model.h); fold: NULL, or what gets that
 * folded. Both are of the moment of the deletion.
 */
int htab_lookup_and_delete(struct map *map, struct map_ctx *ctx, const void *key, uint32_t hash,
			   void *value, uint64_t *fold);
int htab_next_key(struct map *map, struct map_ctx *ctx, const void *key, void *next);

/* Where a batch puts what it read; each may be NULL. keys and values move on as they are filled. */
struct batch_output {
	uint8_t *keys, *values;
	uint64_t *fold; /* see struct map_run: reads */
};
int htab_batch(struct map *map, struct map_ctx *ctx, const uint32_t *cursor, uint32_t *next_cursor,
	       struct batch_output *output, uint32_t *count, bool del);

/* Copies an element's value to where its reader wants it; bytes of one copy when one is wanted. */
void elem_read_value(const struct map *map, const struct map_ctx *ctx, struct elem *elem,
		     void *value);

/* A program's value in place, which it may write: its CPU's copy. */
void *elem_own_value(const struct map *map, const struct map_ctx *ctx, struct elem *elem);

/* Folds what elem_read_value() would copy, without the padding between per-CPU copies. */
uint64_t elem_fold_value(const struct map *map, const struct map_ctx *ctx, struct elem *elem,
			 uint64_t fold);

#endif
