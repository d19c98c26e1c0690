// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Invariants: a run is some CPU's own, or on the partial list, or nobody's with SLAB_FULL in freed;
 * who takes that out by freeing an object puts the run on the list. Objects leave freed all at
 * once, and only by the hand of the run's owner, so nobody pops from it what another pushes again.
 * Locks: the slab's, of the innermost rank but one.
 */
#include "model/slab.h"

struct slab_chunk {
	struct slab_chunk *next;
} __attribute__((aligned(64)));

/* Few or small objects come from small chunks, others from huge pages. */
#define SMALL_CHUNK_BYTES (64u << 10)
#define CHUNK_BYTES (4u << 20)

#define RUN_OBJECTS_MAX 64u
#define RUN_BYTES_MAX (32u << 10) /* unless one object is larger */

#define SLAB_FULL ((struct slab_object *)1)

static size_t run_bytes(const struct slab *slab)
{
	size_t bytes = sizeof(struct slab_run) + slab->run_objects * slab->object_bytes;

	return (bytes + 63) & ~(size_t)63;
}

int slab_init(struct slab *slab, size_t object_bytes, uint64_t objects_max, uint32_t cpus,
	      int numa_node, slab_prepare_fn *prepare, void *arg)
{
	bool is_small =
		object_bytes <= SMALL_CHUNK_BYTES / 16 && object_bytes * objects_max < CHUNK_BYTES;
	size_t bytes = is_small ? SMALL_CHUNK_BYTES : CHUNK_BYTES;

	memset(slab, 0, sizeof(*slab));
	slab->object_bytes = object_bytes;
	slab->cpus = cpus;
	slab->numa_node = numa_node;
	slab->prepare = prepare;
	slab->arg = arg;
	slab->run_objects = RUN_OBJECTS_MAX;
	while (slab->run_objects > 1 && slab->run_objects * object_bytes > RUN_BYTES_MAX)
		slab->run_objects /= 2;
	while (bytes < run_bytes(slab) + sizeof(struct slab_chunk))
		bytes *= 2;
	slab->chunk_bytes = bytes;
	slab->cpu_slabs = env_alloc(cpus * sizeof(*slab->cpu_slabs), -1);
	return slab->cpu_slabs ? 0 : -ENOMEM;
}

void slab_deinit(struct slab *slab)
{
	while (slab->chunks) {
		struct slab_chunk *chunk = slab->chunks;

		slab->chunks = chunk->next;
		env_free(chunk, slab->chunk_bytes);
	}
	env_free(slab->cpu_slabs, slab->cpus * sizeof(*slab->cpu_slabs));
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

/* A run that was never used, all its objects in freed. Under the lock. */
static struct slab_run *slab_cut_run(struct slab *slab)
{
	struct slab_object *free = NULL;
	struct slab_run *run;

	if ((size_t)(slab->cut_end - slab->cut) < run_bytes(slab) && !slab_add_chunk(slab))
		return NULL;
	run = (struct slab_run *)slab->cut;
	for (uint32_t i = slab->run_objects; i--;) {
		struct slab_object *object =
			(struct slab_object *)((uint8_t *)(run + 1) + i * slab->object_bytes);

		if (slab->prepare && slab->prepare(slab->arg, object, slab->object_count + i))
			return NULL;
		object->index = i;
		object->next = free;
		free = object;
	}
	run->freed = free;
	run->first = slab->object_count;
	slab->cut += run_bytes(slab);
	slab->object_count += slab->run_objects;
	run->next = slab->runs;
	slab->runs = run;
	return run;
}

/* A raw lock is always had in the end. */
static void slab_lock(struct slab *slab, struct map_ctx *ctx)
{
	slab->cpu_slabs[ctx->cpu].global_trips++;
	while (env_lock(&slab->lock, ctx, RANK_FREE_LIST, LOCK_RAW))
		;
}

static struct slab_run *slab_take_run(struct slab *slab, struct map_ctx *ctx)
{
	struct slab_run *run;

	slab_lock(slab, ctx);
	run = slab->partial;
	if (run)
		slab->partial = run->next_partial;
	else
		run = slab_cut_run(slab);
	env_unlock(&slab->lock, ctx, RANK_FREE_LIST, LOCK_RAW);
	return run;
}

static struct slab_object *run_take_freed(struct slab_run *run)
{
	struct slab_object *freed = env_load_acquire(&run->freed);

	while (freed && !env_cmpxchg(&run->freed, &freed, NULL))
		;
	return freed;
}

/* What others have freed of this CPU's run, or that of another run; NULL when memory ends. */
static struct slab_object *slab_refill(struct slab *slab, struct map_ctx *ctx, struct slab_cpu *cpu)
{
	struct slab_object *freed = NULL, *none = NULL;

	while (cpu->run && !freed) {
		freed = run_take_freed(cpu->run);
		env_preempt(ctx);
		if (!freed && env_cmpxchg(&cpu->run->freed, &none, SLAB_FULL))
			cpu->run = NULL;
		none = NULL;
	}
	if (!freed) {
		cpu->run = slab_take_run(slab, ctx);
		freed = cpu->run ? run_take_freed(cpu->run) : NULL;
	}
	cpu->refills += freed != NULL;
	return freed;
}

void *slab_alloc(struct slab *slab, struct map_ctx *ctx)
{
	struct slab_cpu *cpu = &slab->cpu_slabs[ctx->cpu];
	struct slab_object *object = cpu->free;

	if (!object)
		object = slab_refill(slab, ctx, cpu);
	if (object)
		cpu->free = object->next;
	return object;
}

static void slab_add_partial(struct slab *slab, struct map_ctx *ctx, struct slab_run *run)
{
	slab_lock(slab, ctx);
	run->next_partial = slab->partial;
	slab->partial = run;
	env_unlock(&slab->lock, ctx, RANK_FREE_LIST, LOCK_RAW);
}

static struct slab_run *run_of(const struct slab *slab, const struct slab_object *object)
{
	const uint8_t *first = (const uint8_t *)object - object->index * slab->object_bytes;

	return (struct slab_run *)((uintptr_t)first - sizeof(struct slab_run));
}

uint64_t slab_number(const struct slab *slab, const void *object)
{
	return run_of(slab, object)->first + ((const struct slab_object *)object)->index;
}

void slab_free(struct slab *slab, struct map_ctx *ctx, void *object)
{
	struct slab_cpu *cpu = &slab->cpu_slabs[ctx->cpu];
	struct slab_object *free = object, *freed;
	struct slab_run *run = run_of(slab, free);

	if (run == cpu->run) {
		free->next = cpu->free;
		cpu->free = free;
		return;
	}
	freed = env_load(&run->freed);
	do {
		free->next = freed == SLAB_FULL ? NULL : freed;
		env_preempt(ctx);
	} while (!env_cmpxchg(&run->freed, &freed, free));
	if (freed == SLAB_FULL) {
		env_preempt(ctx);
		slab_add_partial(slab, ctx, run);
	}
}

static int walk_stack(const struct slab_object *object, slab_visit_fn *visit, void *arg)
{
	int err = 0;

	for (; object && object != SLAB_FULL && !err; object = object->next)
		err = visit(arg, object);
	return err;
}

int slab_walk(const struct slab *slab, slab_visit_fn *visit, void *arg, struct error *error)
{
	uint64_t owned = 0, partial = 0, left = 0;
	int err = 0;

	for (uint32_t cpu = 0; cpu < slab->cpus && !err; cpu++) {
		owned += slab->cpu_slabs[cpu].run != NULL;
		err = walk_stack(slab->cpu_slabs[cpu].free, visit, arg);
	}
	for (const struct slab_run *run = slab->runs; run && !err; run = run->next) {
		left += run->freed != SLAB_FULL;
		err = walk_stack(run->freed, visit, arg);
	}
	for (const struct slab_run *run = slab->partial; run && partial <= left;
	     run = run->next_partial)
		partial++;
	if (err || owned + partial == left)
		return err;
	return error_set(error, -EUCLEAN,
			 "%llu slabs are not full: %llu of CPUs, and %llu on the partial list",
			 (unsigned long long)left, (unsigned long long)owned,
			 (unsigned long long)partial);
}
