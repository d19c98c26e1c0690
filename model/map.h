/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The inside of a map: buckets, elements, per-CPU areas, and the policies behind the three seams
 * (rotation, element allocation, bucket locks).
 *
 * Sizes are the kernel's: a bucket takes 16 bytes where locks are taken (8 with lock=bit, or where
 * none are), a lock 4, an element 48 before its key; so elements of 8-byte keys and values are a
 * cache line each, and false sharing is the kernel's.
 */
#ifndef MODEL_MAP_H
#define MODEL_MAP_H

#include <env.h>

#include "model/attr.h"
#include "model/count.h"
#include "model/list.h"
#include "model/percpu.h"
#include "model/slab.h"

struct lru_ops;
struct alloc_policy;
struct lock_policy;

/* Cut off behind first where the lock is a bit of that, or none is taken: see map_bucket(). */
struct bucket {
	uintptr_t first; /* see link_load() */
	struct env_lock lock;
};

_Static_assert(sizeof(struct bucket) == (ENV_LOCKS ? 16 : 8), "as in the kernel, but for no lock");

enum { BUCKET_SHIFT_ONE_WORD = 3, BUCKET_SHIFT_WITH_LOCK = 4 };

/* The bit of a bucket's first link that is its lock (lock=bit). */
#define LINK_LOCKED ((uintptr_t)2)

/* An element's place in the rotation: which list, whose, and whether it was used. */
struct lru_node {
	struct list_node list;
	uint16_t cpu;
	uint8_t type; /* which list: the policy's own numbering */
	uint8_t ref;
	uint8_t pending_free; /* 7.3: given back while its list could not be locked */
	uint8_t is_hashed;    /* linked in its bucket; under the bucket lock */
};

struct elem {
	union {
		struct nulls_node hash_node;
		/*
		 * While free, over pprev: a reader without the lock that stands on a freed element
		 * still finds a link in next, which leads it to some bucket's end mark.
		 */
		struct {
			uintptr_t stale_next;
			struct elem *free_next;
		};
	};
	struct lru_node lru;
	uint32_t hash;
	uint32_t policy_word; /* the rotation's, or the allocation's own */
	uint8_t key[];        /* then, 8-byte aligned, the value or the per-CPU value's slot */
};

_Static_assert(offsetof(struct elem, key) == 48, "as in the kernel");
_Static_assert(offsetof(struct elem, free_next) == offsetof(struct slab_object, next) &&
		       offsetof(struct elem, policy_word) == offsetof(struct slab_object, index) &&
		       sizeof(struct elem) == sizeof(struct slab_object),
	       "an element is an object of the general allocator");

#define LOCK_CLASSES_MAX 64

/* What belongs to one CPU. */
struct map_cpu {
	struct map_counters counters;
	struct elem *spare;
	uint64_t entries; /* added less removed on this CPU, where there is no exact census */
	uint32_t locks_held[LOCK_CLASSES_MAX]; /* by lock class (5.11) */
	uint32_t batch_cursor; /* of a trace's batch operations; 0: from the first bucket */
} __attribute__((aligned(64)));

struct map { /* NOLINT(clang-analyzer-optin.performance.Padding): by who reads it */
	/* What every operation reads. */
	struct bucket *buckets;
	uint32_t bucket_mask;
	uint32_t bucket_shift;
	uint32_t hash_init; /* with the key size and the seed added */
	uint32_t key_size;
	uint32_t value_size;
	uint32_t value_offset; /* in an element */
	bool is_lru;
	bool is_percpu;
	bool preallocates;
	bool sys_lookup_marks;
	bool has_spares;
	struct map_cpu *cpu_areas;
	const struct lru_ops *lru_ops;
	const struct alloc_policy *alloc_policy;
	const struct lock_policy *lock_policy;
	void *lru;   /* the rotation policy's state */
	void *alloc; /* the allocation policy's state */

	uint32_t cpus;
	uint32_t max_entries;
	uint32_t lookahead;
	uint32_t lock_classes;
	struct map_census census;
	struct env_lock lock; /* of the whole map (3.19) */
	uint8_t *scratch;     /* two keys and a value of map_run, for each CPU */
	size_t scratch_bytes; /* of one CPU */
	uint64_t lock_timeout_ns;
	bool nmi_trylock;
	enum lock_kind free_list_lock, lru_lock;

	/* Memory. */
	size_t elem_bytes;
	uint8_t *elems; /* of preallocating maps */
	uint64_t elem_total;
	struct slab slab; /* of others */
	struct percpu percpu;
	struct elem_count count;

	struct map_attr attr;
	struct tunables tunables;
	bool sys_lookup_and_delete, has_batch;
};

static inline uint64_t map_tunable(const struct map *map, enum tunable_id id)
{
	return tunable_value(&map->tunables, id);
}

/* Where in a CPU's scratch the value stands, which is aligned as those of elements. */
static inline size_t map_scratch_value(const struct map *map)
{
	return round_up_8(2ULL * map->key_size);
}

/* The n-th bucket. Without locks the shift is a constant. */
static inline struct bucket *map_bucket(const struct map *map, uint32_t n)
{
	uint32_t shift = ENV_LOCKS ? map->bucket_shift : BUCKET_SHIFT_ONE_WORD;

	return (struct bucket *)((uintptr_t)map->buckets + ((uintptr_t)n << shift));
}

/* A link, which may be a bucket's first. */
static inline uintptr_t link_load(const uintptr_t *link)
{
	return ENV_LOCKS ? env_load_acquire(link) & ~LINK_LOCKED : *link;
}

/* Changes a link, which may be a bucket's first, under that bucket's lock. */
static inline void link_store(uintptr_t *link, uintptr_t to)
{
	if (ENV_LOCKS)
		env_store_release(link, to | (env_load(link) & LINK_LOCKED));
	else
		*link = to;
}

static inline struct map_cpu *map_cpu(const struct map *map, uint32_t cpu)
{
	return &map->cpu_areas[cpu];
}

static inline struct map_counters *map_counters(const struct map *map, const struct map_ctx *ctx)
{
	return &map->cpu_areas[ctx->cpu].counters;
}

/* The NUMA node that the map's memory is wished on; -1: none. */
static inline int map_node(const struct map *map)
{
	return map->attr.flags & MAP_NUMA_NODE ? (int)map->attr.numa_node : -1;
}

/* The CPU after this one, around. */
static inline uint32_t map_next_cpu(const struct map *map, uint32_t cpu)
{
	return cpu + 1 == map->cpus ? 0 : cpu + 1;
}

/* The n-th preallocated element. */
static inline struct elem *map_elem(const struct map *map, uint64_t n)
{
	return (struct elem *)(map->elems + n * map->elem_bytes);
}

static inline struct elem *elem_of_lru(const struct list_node *node)
{
	return (struct elem *)((uintptr_t)node - offsetof(struct elem, lru.list));
}

static inline struct elem *elem_of_link(uintptr_t link)
{
	return (struct elem *)(link - offsetof(struct elem, hash_node));
}

static inline uint8_t *elem_value(const struct map *map, struct elem *elem)
{
	return (uint8_t *)elem + map->value_offset;
}

/*
 * An element's per-CPU value: its number in the area, where the kernel has a pointer, and which
 * copies may be other than zero: none, one CPU's, or any.
 */
#define WRITER_NONE 0
#define WRITER_ANY UINT32_MAX
#define WRITER_CPU(cpu) ((cpu) + 1)

struct percpu_slot {
	uint32_t value;
	uint32_t writer;
};

static inline struct percpu_slot *elem_percpu_slot(const struct map *map, struct elem *elem)
{
	return (struct percpu_slot *)elem_value(map, elem);
}

/* One CPU's copy. */
static inline uint8_t *elem_percpu_value(const struct map *map, struct elem *elem, uint32_t cpu)
{
	return percpu_value(&map->percpu, elem_percpu_slot(map, elem)->value, cpu);
}

int map_create(const struct map_attr *attr, const struct tunables *tunables, uint32_t cpus,
	       struct map **created, struct error *error);
void map_destroy(struct map *map);
void map_run(struct map *map, const struct map_run *run);
int map_check(const struct map *map, struct error *error);

#endif
