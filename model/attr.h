/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What can be known of a map before it exists: whether the kernel would refuse it, and its size. */
#ifndef MODEL_ATTR_H
#define MODEL_ATTR_H

#include "model/model.h"

static inline bool map_type_is_lru(enum map_type type)
{
	return type == MAP_LRU_HASH || type == MAP_LRU_PERCPU_HASH;
}

static inline bool map_type_is_percpu(enum map_type type)
{
	return type == MAP_PERCPU_HASH || type == MAP_LRU_PERCPU_HASH;
}

static inline uint64_t round_up_8(uint64_t bytes)
{
	return (bytes + 7) & ~7ULL;
}

/*
 * Checks in the kernel's order. Returns 0, or its errno with error saying which rule refused:
 * -EINVAL, -ENOTSUPP, -E2BIG. What cannot be allocated is found out by map_create.
 */
int map_attr_check(const struct map_attr *attr, const struct tunables *tunables, uint32_t cpus,
		   struct error *error);

/* max_entries as the map will have it: per-CPU LRU lists are all of one length. */
uint32_t map_attr_entries(const struct map_attr *attr, uint32_t cpus);

/* Buckets: max_entries rounded up to a power of two; max_entries at most 2^31. */
uint32_t map_attr_buckets(uint32_t max_entries);

/* Whether all elements exist from the start: LRU maps', and where the allocator is the free list.
 */
bool map_attr_preallocates(const struct map_attr *attr, const struct tunables *tunables);

/* The allocator by its name: as set, or by the map's flags and the release. */
const char *map_attr_alloc(const struct map_attr *attr, const struct tunables *tunables);

/* Bytes of one element without per-CPU values. */
size_t map_attr_elem_bytes(const struct map_attr *attr);

/*
 * Bytes as the kernel's map_mem_usage counts them (6.4; seen as memlock in fdinfo) for a number of
 * allocated elements, spares included.
 */
uint64_t map_attr_kernel_bytes(const struct map_attr *attr, const struct tunables *tunables,
			       bool preallocates, uint32_t cpus, uint64_t elems);

#endif
