// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "model/attr.h"

#include <errno.h>
#include <string.h>

#include "model/tunables.h"

const char *const map_type_names[MAP_TYPES] = {
	[MAP_HASH] = "hash",
	[MAP_PERCPU_HASH] = "percpu_hash",
	[MAP_LRU_HASH] = "lru_hash",
	[MAP_LRU_PERCPU_HASH] = "lru_percpu_hash",
};

const int map_error_errnos[MAP_ERRORS] = {
	[ERROR_ENOENT] = ENOENT,     [ERROR_EEXIST] = EEXIST,   [ERROR_E2BIG] = E2BIG,
	[ERROR_ENOMEM] = ENOMEM,     [ERROR_EINVAL] = EINVAL,   [ERROR_ENOSPC] = ENOSPC,
	[ERROR_EBUSY] = EBUSY,       [ERROR_EDEADLK] = EDEADLK, [ERROR_ETIMEDOUT] = ETIMEDOUT,
	[ERROR_ENOTSUPP] = ENOTSUPP,
};

#define NUMA_NO_NODE UINT32_MAX /* "any node", as in the kernel */
#define ELEM_HEADER_BYTES 48
#define BUCKET_BYTES 16
#define BUCKET_BYTES_ONE_WORD 8 /* where its lock is elsewhere, or in its link */
#define LINE_BYTES 64
/* struct bpf_htab; measured with fdinfo's memlock on 6.18. */
#define MAP_BYTES 896
/* What the BPF allocator puts before an object, and before and with a per-CPU one. */
#define OBJECT_HEADER_BYTES 8
#define PERCPU_OBJECT_HEADER_BYTES 16

static enum map_types_choice type_since(enum map_type type)
{
	if (map_type_is_lru(type))
		return MAP_TYPES_LRU;
	return map_type_is_percpu(type) ? MAP_TYPES_PERCPU : MAP_TYPES_HASH;
}

static int check_flags(const struct map_attr *attr, const struct tunables *tunables,
		       struct error *error)
{
	bool is_lru = map_type_is_lru(attr->type);

	bool has_node = attr->flags & MAP_NUMA_NODE && attr->numa_node != NUMA_NO_NODE;

	if (attr->flags & MAP_NUMA_NODE) {
		if (!tunable_value(tunables, TUNE_NUMA_NODE))
			return error_set(error, -EINVAL, "this release has no flag numa_node");
		if (has_node && !attr->numa_node_online)
			return error_set(error, -EINVAL, "numa_node=%u: no such node is online",
					 attr->numa_node);
	}
	if (type_since(attr->type) > tunable_value(tunables, TUNE_MAP_TYPES))
		return error_set(error, -EINVAL, "this release has no map type %s",
				 map_type_names[attr->type]);
	if (attr->flags & MAP_NO_PREALLOC && !tunable_value(tunables, TUNE_NO_PREALLOC))
		return error_set(error, -EINVAL, "this release has no flag no_prealloc");
	if (attr->flags & MAP_NO_COMMON_LRU && !is_lru)
		return error_set(error, -EINVAL, "no_common_lru is for LRU maps only");
	if (attr->flags & MAP_NO_PREALLOC && is_lru)
		return error_set(error, -ENOTSUPP, "LRU maps are always preallocated");
	if (has_node && (map_type_is_percpu(attr->type) || attr->flags & MAP_NO_COMMON_LRU))
		return error_set(error, -EINVAL,
				 "numa_node goes neither with per-CPU values nor no_common_lru");
	return 0;
}

int map_attr_check(const struct map_attr *attr, const struct tunables *tunables, uint32_t cpus,
		   struct error *error)
{
	uint64_t bytes = (uint64_t)attr->key_size + attr->value_size;
	uint64_t bytes_max = tunable_value(tunables, TUNE_ELEM_LIMIT_BYTES) - ELEM_HEADER_BYTES;
	uint64_t percpu_max = tunable_value(tunables, TUNE_PERCPU_VALUE_LIMIT_BYTES);
	uint64_t entries_max = tunable_value(tunables, TUNE_MAX_ENTRIES_LIMIT);
	int err = check_flags(attr, tunables, error);

	if (err)
		return err;
	if (!attr->max_entries || !attr->key_size || !attr->value_size)
		return error_set(error, -EINVAL, "%s must not be 0",
				 !attr->max_entries ? "max_entries"
				 : !attr->key_size  ? "key_size"
						    : "value_size");
	if (bytes >= bytes_max)
		return error_set(error, -E2BIG,
				 "key_size and value_size together must be below %llu",
				 (unsigned long long)bytes_max);
	if (map_type_is_percpu(attr->type) && round_up_8(attr->value_size) > percpu_max)
		return error_set(error, -E2BIG, "per-CPU values can have at most %llu bytes",
				 (unsigned long long)percpu_max);
	if (map_attr_entries(attr, cpus) > entries_max)
		return error_set(error, -E2BIG, "max_entries can be at most %llu",
				 (unsigned long long)entries_max);
	return 0;
}

uint32_t map_attr_entries(const struct map_attr *attr, uint32_t cpus)
{
	uint64_t entries = attr->max_entries;

	if (!(attr->flags & MAP_NO_COMMON_LRU))
		return attr->max_entries;
	entries = (entries + cpus - 1) / cpus * cpus;
	return entries > UINT32_MAX ? attr->max_entries / cpus * cpus : (uint32_t)entries;
}

uint32_t map_attr_buckets(uint32_t max_entries)
{
	return max_entries <= 1 ? 1 : 1u << (32 - __builtin_clz(max_entries - 1));
}

const char *map_attr_alloc(const struct map_attr *attr, const struct tunables *tunables)
{
	uint64_t alloc = tunable_value(tunables, TUNE_ALLOC);

	if (alloc != TUNABLE_AUTO)
		return tunable_choice(TUNE_ALLOC, alloc);
	if (tunable_value(tunables, TUNE_NO_PREALLOC) && !(attr->flags & MAP_NO_PREALLOC))
		return "freelist";
	/* The BPF allocator came with the adaptive count. */
	return tunable_value(tunables, TUNE_COUNT) == COUNT_ADAPTIVE ? "bpfmem" : "kmalloc";
}

bool map_attr_preallocates(const struct map_attr *attr, const struct tunables *tunables)
{
	const char *alloc = map_attr_alloc(attr, tunables);

	return map_type_is_lru(attr->type) ||
	       (strcmp(alloc, "kmalloc") != 0 && strcmp(alloc, "bpfmem") != 0);
}

size_t map_attr_elem_bytes(const struct map_attr *attr)
{
	return ELEM_HEADER_BYTES + round_up_8(attr->key_size) +
	       (map_type_is_percpu(attr->type) ? sizeof(void *) : round_up_8(attr->value_size));
}

size_t map_sys_value_bytes(const struct map_attr *attr, uint32_t cpus)
{
	if (map_type_is_percpu(attr->type))
		return round_up_8(attr->value_size) * cpus;
	return attr->value_size;
}

/*
 * What allocation policies that no release has would take beside their elements: tags of 4 bytes,
 * on the stack and in each CPU's cache; words of bits, and a hint for each CPU. The kernel does not
 * count the heads of lists.
 */
static uint64_t alloc_bytes(const struct map_attr *attr, const struct tunables *tunables,
			    uint32_t cpus, uint64_t elems)
{
	const char *alloc = map_attr_alloc(attr, tunables);
	uint64_t word_bytes =
		tunable_value(tunables, TUNE_BITMAP_ALIGNED) ? LINE_BYTES : sizeof(uint64_t);

	if (map_type_is_lru(attr->type))
		return 0;
	if (!strcmp(alloc, "ida"))
		return (elems + cpus * tunable_value(tunables, TUNE_IDA_SIZE)) * sizeof(uint32_t);
	if (!strcmp(alloc, "bitmap"))
		return (elems + 63) / 64 * word_bytes + cpus * sizeof(uint32_t);
	return 0;
}

uint64_t map_attr_kernel_bytes(const struct map_attr *attr, const struct tunables *tunables,
			       bool preallocates, uint32_t cpus, uint64_t elems)
{
	uint32_t buckets = map_attr_buckets(map_attr_entries(attr, cpus));
	uint64_t elem_bytes = map_attr_elem_bytes(attr);
	const char *lock = tunable_choice(TUNE_LOCK, tunable_value(tunables, TUNE_LOCK));
	bool is_one_word = !strcmp(lock, "map") || !strcmp(lock, "bit");
	uint64_t bytes = MAP_BYTES +
			 (uint64_t)buckets * (is_one_word ? BUCKET_BYTES_ONE_WORD : BUCKET_BYTES);

	if (!strcmp(lock, "held-count"))
		bytes += tunable_value(tunables, TUNE_LOCK_CLASSES) * sizeof(uint32_t) * cpus;
	if (map_type_is_percpu(attr->type))
		elem_bytes += round_up_8(attr->value_size) * cpus;
	if (!preallocates) {
		elem_bytes += OBJECT_HEADER_BYTES;
		if (map_type_is_percpu(attr->type))
			elem_bytes += PERCPU_OBJECT_HEADER_BYTES;
	} else if (attr->type == MAP_HASH) {
		bytes += sizeof(void *) * cpus;
	}
	return bytes + alloc_bytes(attr, tunables, cpus, elems) + elems * elem_bytes;
}
