// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The BPF allocator (6.1, for BPF_F_NO_PREALLOC): a cache of free objects per CPU between two
 * watermarks. Below the low one an interrupt-time worker adds a batch; above the high one it gives
 * objects back down to the middle. These wait for a grace period before they return to the general
 * allocator, and until then a refill takes them first. An empty cache has nothing to give until the
 * worker has run, which is when the CPU holds no lock any more.
 */
#include "model/alloc/alloc.h"
#include "model/defer.h"

struct cache {
	struct elem *first;
	uint64_t count;
	uint64_t refills, global_trips;
} __attribute__((aligned(64)));

struct bpfmem {
	uint64_t low, high, batch;
	struct defer defer;
	struct cache caches[];
};

static size_t bpfmem_bytes(const struct map *map)
{
	return sizeof(struct bpfmem) + 64 + map->cpus * sizeof(struct cache);
}

static bool cache_add(struct map *map, struct map_ctx *ctx, struct cache *cache)
{
	struct bpfmem *bpfmem = map->alloc;
	struct elem *elem = defer_take_any(&bpfmem->defer, ctx->cpu);

	if (!elem) {
		elem = slab_alloc(&map->slab, ctx);
		cache->global_trips++;
	}
	if (!elem)
		return false;
	elem_push(&cache->first, elem);
	cache->count++;
	return true;
}

static struct elem *cache_take(struct cache *cache)
{
	struct elem *elem = elem_pop(&cache->first);

	cache->count -= elem != NULL;
	return elem;
}

/* Watermarks hold up to a size; above it they shrink in proportion, to at least 1 and 3. */
static void bpfmem_watermarks(const struct map *map, struct bpfmem *bpfmem)
{
	uint64_t low = map_tunable(map, TUNE_CACHE_LOW), high = map_tunable(map, TUNE_CACHE_HIGH);
	uint64_t bytes = map_tunable(map, TUNE_CACHE_OBJECT_BYTES);

	if (map->elem_bytes > bytes) {
		low = low * bytes / map->elem_bytes;
		high = high * bytes / map->elem_bytes;
	}
	bpfmem->low = low > 1 ? low : 1;
	bpfmem->high = high > 3 ? high : 3;
	if (bpfmem->high < bpfmem->low)
		bpfmem->high = bpfmem->low;
	bpfmem->batch = (bpfmem->high - bpfmem->low) / 4 * 3;
	if (!bpfmem->batch)
		bpfmem->batch = 1;
}

static int bpfmem_init(struct map *map)
{
	uint64_t prefill = map_tunable(map, TUNE_CACHE_PREFILL);
	struct bpfmem *bpfmem = env_alloc(bpfmem_bytes(map), -1);

	if (!bpfmem)
		return -ENOMEM;
	map->alloc = bpfmem;
	if (defer_init(&bpfmem->defer, map->cpus))
		return -ENOMEM;
	bpfmem_watermarks(map, bpfmem);
	if (map->elem_bytes > map_tunable(map, TUNE_CACHE_OBJECT_BYTES))
		prefill = 1;
	for (uint32_t cpu = 0; cpu < map->cpus; cpu++) {
		struct map_ctx creator = {.cpu = cpu};

		for (uint64_t i = 0; i < prefill; i++) {
			if (!cache_add(map, &creator, &bpfmem->caches[cpu]))
				return -ENOMEM;
		}
	}
	return 0;
}

static void bpfmem_deinit(struct map *map)
{
	struct bpfmem *bpfmem = map->alloc;

	defer_deinit(&bpfmem->defer);
	env_free(bpfmem, bpfmem_bytes(map));
}

/*
 * Gives back to the general allocator what has waited long enough: a few at each operation, as
 * kmalloc does. What is left can still be taken by a refill.
 */
static void give_back(struct map *map, struct map_ctx *ctx, struct bpfmem *bpfmem,
		      struct cache *cache)
{
	struct elem *elem;

	for (uint64_t i = 0; i < bpfmem->batch; i++) {
		elem = defer_take_over(&bpfmem->defer, ctx->cpu);
		if (!elem)
			break;
		slab_free(&map->slab, ctx, elem);
		cache->global_trips++;
	}
}

static void bpfmem_work(struct map *map, struct map_ctx *ctx)
{
	struct bpfmem *bpfmem = map->alloc;
	struct cache *cache = &bpfmem->caches[ctx->cpu];

	if (cache->count < bpfmem->low) {
		cache->refills++;
		for (uint64_t i = 0; i < bpfmem->batch && cache_add(map, ctx, cache); i++)
			;
	} else if (cache->count > bpfmem->high) {
		uint64_t middle = (bpfmem->low + bpfmem->high) / 2;

		while (cache->count > middle)
			defer_add(&bpfmem->defer, ctx->cpu, cache_take(cache));
	}
	if (defer_advance(&bpfmem->defer, ctx->cpu))
		give_back(map, ctx, bpfmem, cache);
}

static struct elem *bpfmem_pop(struct map *map, struct map_ctx *ctx)
{
	struct bpfmem *bpfmem = map->alloc;

	return cache_take(&bpfmem->caches[ctx->cpu]);
}

static void bpfmem_push(struct map *map, struct map_ctx *ctx, struct elem *elem)
{
	struct bpfmem *bpfmem = map->alloc;
	struct cache *cache = &bpfmem->caches[ctx->cpu];

	elem_push(&cache->first, elem);
	cache->count++;
}

static void bpfmem_lists(const struct map *map, map_list_fn *fn, void *arg)
{
	const struct bpfmem *bpfmem = map->alloc;

	for (uint32_t cpu = 0; cpu < map->cpus; cpu++)
		fn(arg, "free", (int)cpu, bpfmem->caches[cpu].count);
}

static int bpfmem_walk(const struct map *map, alloc_visit_fn *visit, void *arg, struct error *error)
{
	const struct bpfmem *bpfmem = map->alloc;
	int err = alloc_walk_slab(map, visit, arg, error);

	if (!err)
		err = defer_walk(&bpfmem->defer, visit, arg, error);
	for (uint32_t cpu = 0; !err && cpu < map->cpus; cpu++) {
		const struct cache *cache = &bpfmem->caches[cpu];
		uint64_t count = 0;

		for (struct elem *elem = cache->first; elem && !err; elem = elem->free_next) {
			err = visit(arg, elem);
			count++;
		}
		if (!err && count != cache->count)
			err = error_set(error, -EUCLEAN, "cache %u: %llu objects, counted %llu",
					cpu, (unsigned long long)count,
					(unsigned long long)cache->count);
	}
	return err;
}

static void bpfmem_stats(const struct map *map, struct map_alloc_stats *stats)
{
	const struct bpfmem *bpfmem = map->alloc;

	for (uint32_t cpu = 0; cpu < map->cpus; cpu++) {
		stats->refills += bpfmem->caches[cpu].refills;
		stats->global_trips += bpfmem->caches[cpu].global_trips;
	}
	stats->grace_waiting_max = defer_most(&bpfmem->defer);
}

static uint64_t bpfmem_model_bytes(const struct map *map)
{
	return bpfmem_bytes(map) + map->cpus * sizeof(struct defer_cpu);
}

const struct alloc_policy alloc_bpfmem = {
	.policy = {"bpfmem", "per-CPU caches between watermarks, refilled at interrupt time"},
	.init = bpfmem_init,
	.deinit = bpfmem_deinit,
	.pop = bpfmem_pop,
	.push = bpfmem_push,
	.work = bpfmem_work,
	.lists = bpfmem_lists,
	.walk = bpfmem_walk,
	.stats = bpfmem_stats,
	.model_bytes = bpfmem_model_bytes,
};
