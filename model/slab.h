/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The general allocator under maps that do not preallocate, for objects of one size (after the
 * kernel's SLUB: Lameter, 2007). A slab is a run of objects. Each CPU takes objects from a slab of
 * its own, and frees such as come from there to it. Others are pushed to the slab they belong to,
 * without a lock; one of which nobody has any free object is nobody's, and comes to a shared list
 * of partial slabs with the first that is freed. It holds no more than the most objects ever in
 * use, rounded up to slabs, and returns none to the system.
 */
#ifndef MODEL_SLAB_H
#define MODEL_SLAB_H

#include <env.h>

/* What the allocator sees of a struct elem (map.h), which says what stale_next is for. */
struct slab_object {
	uintptr_t stale_next;
	struct slab_object *next; /* while it is free */
	uint8_t elem[28];
	uint32_t index; /* in its run, for ever */
};

/* In front of its objects. */
struct slab_run {
	struct slab_run *next_partial; /* under the lock */
	struct slab_run *next;         /* of all */
	struct slab_object *freed;     /* by CPUs that do not own it; or SLAB_FULL */
	uint64_t first;                /* its first object's number */
} __attribute__((aligned(64)));

struct slab_cpu {
	struct slab_run *run; /* its own; NULL at first */
	struct slab_object *free;
	uint64_t refills;      /* times that free was filled */
	uint64_t global_trips; /* times that the lock was taken */
} __attribute__((aligned(64)));

/*
 * Called for each object of a new run, with its number, 0 being the first of all. Returns 0 or
 * -ENOMEM. Nobody else prepares meanwhile.
 */
typedef int slab_prepare_fn(void *arg, void *object, uint64_t number);

struct slab {
	/* What every CPU reads at each call, apart from what is written under the lock. */
	struct slab_cpu *cpu_slabs;
	size_t object_bytes;
	uint32_t cpus;
	uint32_t run_objects; /* of a run */
	int numa_node;
	size_t chunk_bytes;
	slab_prepare_fn *prepare; /* or NULL */
	void *arg;

	struct env_lock lock __attribute__((aligned(64)));
	struct slab_run *partial;
	struct slab_run *runs;     /* all, newest first */
	struct slab_chunk *chunks; /* newest first; the newest is being cut */
	uint8_t *cut, *cut_end;
	uint64_t chunk_count;
	uint64_t object_count; /* of all runs */
} __attribute__((aligned(64)));

/*
 * For objects of object_bytes, a multiple of 8 and at least a struct slab_object, of which
 * objects_max are expected, and cpus CPUs; memory from numa_node, if it is not negative. Returns 0
 * or -ENOMEM.
 */
int slab_init(struct slab *slab, size_t object_bytes, uint64_t objects_max, uint32_t cpus,
	      int numa_node, slab_prepare_fn *prepare, void *arg);
void slab_deinit(struct slab *slab);

/* An object, as it was freed or zeroed; NULL when memory ends. Takes the lock now and then. */
void *slab_alloc(struct slab *slab, struct map_ctx *ctx);
void slab_free(struct slab *slab, struct map_ctx *ctx, void *object);

/* The number of an object, as prepare() was told it. */
uint64_t slab_number(const struct slab *slab, const void *object);

/*
 * Visits all free objects, while nothing runs. Returns what a visit did, or -EUCLEAN when a run
 * with free objects is where nobody would find it.
 */
typedef int slab_visit_fn(void *arg, const void *object);
int slab_walk(const struct slab *slab, slab_visit_fn *visit, void *arg, struct error *error);

static inline uint64_t slab_bytes(const struct slab *slab)
{
	return slab->chunk_count * slab->chunk_bytes + slab->cpus * sizeof(*slab->cpu_slabs);
}

#endif
