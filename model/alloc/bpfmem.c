// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The BPF allocator (6.1, for BPF_F_NO_PREALLOC): a cache of free objects per CPU between two
 * watermarks. Below the low one an interrupt-time worker adds a batch; above the high one it gives
 * objects back down to the middle.
 *
 * Deviations: the worker runs as soon as the pop or push that called for it is done, and objects
 * given back can be had again at once instead of after a grace period. Both only show when
 * operations run at the same time.
 */
#include "model/alloc/alloc.h"

struct cache {
	struct elem *first;
	uint64_t count;
} __attribute__((aligned(64)));

struct bpfmem {
	uint64_t low, high, batch;
	struct cache caches[];
};

static size_t bpfmem_bytes(const struct map *map)
{
	return sizeof(struct bpfmem) + 64 + map->cpus * sizeof(struct cache);
}

static bool cache_add(struct map *map, struct map_ctx *ctx, struct cache *cache)
{
	struct elem *elem = elem_from_slab(map, ctx);

	if (!elem)
		return false;
	elem->free_next = cache->first;
	cache->first = elem;
	cache->count++;
	return true;
}

static struct elem *cache_take(struct cache *cache)
{
	struct elem *elem = cache->first;

	if (elem) {
		cache->first = elem->free_next;
		cache->count--;
	}
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
	struct map_ctx creator = {.cpu = 0};
	struct bpfmem *bpfmem = env_alloc(bpfmem_bytes(map), -1);

	if (!bpfmem)
		return -ENOMEM;
	map->alloc = bpfmem;
	bpfmem_watermarks(map, bpfmem);
	if (map->elem_bytes > map_tunable(map, TUNE_CACHE_OBJECT_BYTES))
		prefill = 1;
	for (uint32_t cpu = 0; cpu < map->cpus; cpu++) {
		for (uint64_t i = 0; i < prefill; i++) {
			if (!cache_add(map, &creator, &bpfmem->caches[cpu]))
				return -ENOMEM;
		}
	}
	return 0;
}

static void bpfmem_deinit(struct map *map)
{
	env_free(map->alloc, bpfmem_bytes(map));
}

/* What the interrupt-time worker does. */
static void bpfmem_work(struct map *map, struct map_ctx *ctx, struct cache *cache)
{
	const struct bpfmem *bpfmem = map->alloc;

	if (cache->count < bpfmem->low) {
		for (uint64_t i = 0; i < bpfmem->batch && cache_add(map, ctx, cache); i++)
			;
	} else if (cache->count > bpfmem->high) {
		uint64_t middle = (bpfmem->low + bpfmem->high) / 2;

		while (cache->count > middle)
			elem_to_slab(map, ctx, cache_take(cache));
	}
}

static struct elem *bpfmem_pop(struct map *map, struct map_ctx *ctx)
{
	struct bpfmem *bpfmem = map->alloc;
	struct cache *cache = &bpfmem->caches[ctx->cpu];
	struct elem *elem = cache_take(cache);

	bpfmem_work(map, ctx, cache);
	return elem;
}

static void bpfmem_push(struct map *map, struct map_ctx *ctx, struct elem *elem)
{
	struct bpfmem *bpfmem = map->alloc;
	struct cache *cache = &bpfmem->caches[ctx->cpu];

	elem->free_next = cache->first;
	cache->first = elem;
	cache->count++;
	bpfmem_work(map, ctx, cache);
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
	int err = alloc_kmalloc.walk(map, visit, arg, error);

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

static uint64_t bpfmem_model_bytes(const struct map *map)
{
	return bpfmem_bytes(map);
}

const struct alloc_policy alloc_bpfmem = {
	.policy = {"bpfmem", "per-CPU caches between watermarks, refilled at interrupt time"},
	.init = bpfmem_init,
	.deinit = bpfmem_deinit,
	.pop = bpfmem_pop,
	.push = bpfmem_push,
	.lists = bpfmem_lists,
	.walk = bpfmem_walk,
	.model_bytes = bpfmem_model_bytes,
};
