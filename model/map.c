// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Creating and destroying maps, and the door through which everything else reaches them. */
#include "model/alloc/alloc.h"
#include "model/htab.h"

static void choose_policies(struct map *map)
{
	const char *alloc = map_attr_alloc(&map->attr, &map->tunables);

	map->lock_policy = lock_policies[map_tunable(map, TUNE_LOCK)];
	for (uint64_t id = 0; alloc_policies[id]; id++) {
		if (!strcmp(alloc_policies[id]->policy.name, alloc))
			map->alloc_policy = alloc_policies[id];
	}
}

static int lru_choose(struct map *map, struct error *error)
{
	const struct lru_policy *policy = lru_policies[map_tunable(map, TUNE_ROTATION)];

	map->lru_ops = map->attr.flags & MAP_NO_COMMON_LRU ? policy->percpu : policy->common;
	if (!map->lru_ops)
		return error_set(error, -EINVAL,
				 "rotation=%s has no per-CPU form: it does not go with "
				 "no_common_lru",
				 policy->policy.name);
	map->sys_lookup_marks |= policy->needs_future;
	map->has_spares = map->lru_ops->swap && !map->is_percpu;
	map->elem_total += map->has_spares ? map->cpus : 0;
	return 0;
}

/* Everything that follows from what was asked, before any large allocation. */
static void map_fill(struct map *map, const struct map_attr *attr, const struct tunables *tunables,
		     uint32_t cpus)
{
	map->attr = *attr;
	map->tunables = *tunables;
	map->cpus = cpus;
	map->key_size = attr->key_size;
	map->value_size = attr->value_size;
	map->value_offset = (uint32_t)(sizeof(struct elem) + round_up_8(attr->key_size));
	map->is_lru = map_type_is_lru(attr->type);
	map->is_percpu = map_type_is_percpu(attr->type);
	map->max_entries = map_attr_entries(attr, cpus);
	map->bucket_mask = map_attr_buckets(map->max_entries) - 1;
	map->hash_init = (uint32_t)(map_tunable(map, TUNE_HASH_INIT) + attr->key_size +
				    map_tunable(map, TUNE_SEED));
	map->elem_bytes = map_attr_elem_bytes(attr);
	map->sys_lookup_marks = map_tunable(map, TUNE_SYS_LOOKUP_MARKS);
	map->sys_lookup_and_delete = map_tunable(map, TUNE_SYS_LOOKUP_AND_DELETE);
	map->has_batch = map_tunable(map, TUNE_BATCH);
	map->lookahead = (uint32_t)map_tunable(map, TUNE_LOOKAHEAD);
	map->lock_classes = (uint32_t)map_tunable(map, TUNE_LOCK_CLASSES);
	map->lock_timeout_ns = map_tunable(map, TUNE_LOCK_TIMEOUT_NS);
	map->nmi_trylock = map_tunable(map, TUNE_NMI_TRYLOCK);
	map->free_list_lock = map_tunable(map, TUNE_FREE_LIST_LOCK) == LIST_LOCK_RESILIENT
				      ? LOCK_RESILIENT
				      : LOCK_RAW;
	map->lru_lock =
		map_tunable(map, TUNE_LRU_LOCK) == LIST_LOCK_RESILIENT ? LOCK_RESILIENT : LOCK_RAW;
	choose_policies(map);
	map->bucket_shift =
		map->lock_policy->is_elsewhere ? BUCKET_SHIFT_ONE_WORD : BUCKET_SHIFT_WITH_LOCK;
	map->scratch_bytes = (map_scratch_value(map) + map->value_size + 63) & ~(size_t)63;
	map->preallocates = map->is_lru || map->alloc_policy->preallocates;
	map->has_spares =
		attr->type == MAP_HASH && map->preallocates && map_tunable(map, TUNE_SPARES);
	if (map->preallocates)
		map->elem_total = (uint64_t)map->max_entries + (map->has_spares ? cpus : 0);
}

static size_t bucket_bytes(const struct map *map)
{
	return (size_t)((uintptr_t)map_bucket(map, map->bucket_mask) - (uintptr_t)map->buckets +
			((uintptr_t)map_bucket(map, 1) - (uintptr_t)map->buckets));
}

static size_t scratch_bytes(const struct map *map)
{
	return (ENV_SHORTCUTS ? 1 : map->cpus) * map->scratch_bytes;
}

static int map_alloc_tables(struct map *map)
{
	uint64_t values = map->preallocates ? map->elem_total : map->max_entries;

	map->buckets = env_alloc(bucket_bytes(map), map_node(map));
	map->cpu_areas = env_alloc(map->cpus * sizeof(struct map_cpu), -1);
	map->scratch = env_alloc(scratch_bytes(map), -1);
	if (!map->buckets || !map->cpu_areas || !map->scratch)
		return -ENOMEM;
	for (uint64_t i = 0; i <= map->bucket_mask; i++)
		map_bucket(map, (uint32_t)i)->first = nulls_end(map_bucket(map, (uint32_t)i));
	if (map->is_percpu &&
	    percpu_init(&map->percpu, map->cpus, (uint32_t)round_up_8(map->value_size),
			values + map->cpus * map_tunable(map, TUNE_CACHE_HIGH)))
		return -ENOMEM;
	if (!map->preallocates) {
		if (slab_init(&map->slab, map->elem_bytes, map->max_entries, map->cpus,
			      map_node(map), alloc_prepare_elem, map))
			return -ENOMEM;
		return elem_count_init(&map->count, (enum count_choice)map_tunable(map, TUNE_COUNT),
				       (uint32_t)map_tunable(map, TUNE_COUNT_BATCH),
				       map->max_entries, map->cpus);
	}
	map->elems = env_alloc(map->elem_total * map->elem_bytes, map_node(map));
	return map->elems ? 0 : -ENOMEM;
}

static int map_populate(struct map *map)
{
	struct map_ctx creator = {.cpu = 0};
	int err = 0;

	if (map->is_percpu && map->preallocates)
		err = percpu_reserve(&map->percpu, map->elem_total);
	for (uint64_t i = 0; !err && map->is_percpu && i < map->elem_total; i++)
		elem_percpu_slot(map, map_elem(map, i))->value = (uint32_t)i;
	if (err)
		return err;
	for (uint32_t cpu = 0; map->is_lru && map->has_spares && cpu < map->cpus; cpu++)
		map_cpu(map, cpu)->spare = map_elem(map, map->max_entries + cpu);
	if (map->is_lru)
		return map->lru_ops->init(map);
	err = map->alloc_policy->init(map);
	for (uint32_t cpu = 0; !err && map->has_spares && cpu < map->cpus; cpu++)
		map_cpu(map, cpu)->spare = map->alloc_policy->pop(map, &creator);
	memset(&map_cpu(map, 0)->counters, 0, sizeof(struct map_counters));
	return err;
}

int map_create(const struct map_attr *attr, const struct tunables *tunables, uint32_t cpus,
	       struct map **created, struct error *error)
{
	struct map *map;
	int err = map_attr_check(attr, tunables, cpus, error);

	if (err)
		return err;
	map = env_alloc(sizeof(*map), -1);
	if (!map)
		return error_set(error, -ENOMEM, "no memory for the map");
	map_fill(map, attr, tunables, cpus);
	if (map->is_lru)
		err = lru_choose(map, error);
	if (!err) {
		err = map_alloc_tables(map);
		if (!err)
			err = map_populate(map);
		if (err)
			error_set(error, err, "no memory for the map's tables");
	}
	if (err) {
		map_destroy(map);
		return err;
	}
	*created = map;
	return 0;
}

void map_destroy(struct map *map)
{
	if (!map)
		return;
	if (map->lru)
		map->lru_ops->deinit(map);
	if (map->alloc)
		map->alloc_policy->deinit(map);
	env_free(map->elems, map->elem_total * map->elem_bytes);
	slab_deinit(&map->slab);
	elem_count_deinit(&map->count);
	percpu_deinit(&map->percpu);
	env_free(map->scratch, scratch_bytes(map));
	env_free(map->cpu_areas, map->cpus * sizeof(struct map_cpu));
	env_free(map->buckets, bucket_bytes(map));
	env_free(map, sizeof(*map));
}

/* An operation of its own begins. */
static void ops_enter(struct map *map, struct map_ctx *ctx)
{
	map_counters(map, ctx)->operations++;
	ctx->lock_timeout_ns = map->lock_timeout_ns;
}

static int ops_lookup(struct map *map, struct map_ctx *ctx, const void *key, void *value)
{
	struct elem *elem;
	int err;

	ops_enter(map, ctx);
	elem = htab_find(map, key, htab_hash(map, key));
	err = htab_lookup(map, ctx, elem);
	if (!err && value)
		elem_read_value(map, ctx, elem, value);
	return err ? htab_count_error(map, ctx, err) : 0;
}

static void *ops_lookup_in_place(struct map *map, struct map_ctx *ctx, const void *key)
{
	struct elem *elem;
	int err;

	ops_enter(map, ctx);
	elem = htab_find(map, key, htab_hash(map, key));
	err = htab_lookup(map, ctx, elem);
	if (!err)
		return elem_own_value(map, ctx, elem);
	htab_count_error(map, ctx, err);
	return NULL;
}

static int ops_update(struct map *map, struct map_ctx *ctx, const void *key, const void *value,
		      uint64_t flags)
{
	struct update update = {
		.key = key,
		.hash = htab_hash(map, key),
		.flags = flags > UINT32_MAX ? UINT32_MAX : (uint32_t)flags,
		.value = value,
		.value_stride = round_up_8(map->value_size),
	};
	int err;

	ops_enter(map, ctx);
	err = htab_update(map, ctx, &update);
	return err ? htab_count_error(map, ctx, err) : 0;
}

static int ops_delete(struct map *map, struct map_ctx *ctx, const void *key)
{
	int err;

	ops_enter(map, ctx);
	err = htab_delete(map, ctx, key, htab_hash(map, key));
	return err ? htab_count_error(map, ctx, err) : 0;
}

static int ops_lookup_and_delete(struct map *map, struct map_ctx *ctx, const void *key, void *value)
{
	int err;

	ops_enter(map, ctx);
	err = htab_lookup_and_delete(map, ctx, key, htab_hash(map, key), value, NULL);
	return err ? htab_count_error(map, ctx, err) : 0;
}

static int ops_next_key(struct map *map, struct map_ctx *ctx, const void *key, void *next)
{
	int err;

	ops_enter(map, ctx);
	err = htab_next_key(map, ctx, key, next);
	return err ? htab_count_error(map, ctx, err) : 0;
}

static int ops_batch(struct map *map, struct map_ctx *ctx, const uint32_t *cursor,
		     uint32_t *next_cursor, void *keys, void *values, uint32_t *count, bool del)
{
	struct batch_output output = {.keys = keys, .values = values};
	int err;

	ops_enter(map, ctx);
	err = htab_batch(map, ctx, cursor, next_cursor, &output, count, del);
	return err ? htab_count_error(map, ctx, err) : 0;
}

static void ops_thread_begin(struct map_ctx *ctx)
{
	env_thread_begin(ctx);
}

static void ops_thread_end(struct map_ctx *ctx)
{
	env_thread_end(ctx);
}

static void ops_thread_quiet(struct map_ctx *ctx)
{
	env_thread_quiet(ctx);
}

static void ops_counters(const struct map *map, uint32_t cpu, struct map_counters *counters)
{
	*counters = map->cpu_areas[cpu].counters;
}

static void ops_census(const struct map *map, struct map_census *census)
{
	*census = map->census;
	census->entries = map_entries(map);
}

static void ops_memory(const struct map *map, struct map_memory *memory)
{
	uint64_t elems = map->preallocates ? map->elem_total : map_entries(map);

	memory->kernel_bytes = map_attr_kernel_bytes(&map->attr, &map->tunables, map->preallocates,
						     map->cpus, elems);
	memory->model_bytes = sizeof(*map) + bucket_bytes(map) + scratch_bytes(map) +
			      map->cpus * sizeof(struct map_cpu) +
			      map->elem_total * map->elem_bytes + slab_bytes(&map->slab) +
			      percpu_bytes(&map->percpu);
	memory->model_bytes +=
		map->is_lru ? map->lru_ops->model_bytes(map) : map->alloc_policy->model_bytes(map);
}

static void ops_alloc_stats(const struct map *map, struct map_alloc_stats *stats)
{
	uint64_t elems = map->preallocates ? map->elem_total : map->slab.object_count;

	memset(stats, 0, sizeof(*stats));
	stats->kernel_bytes_max = map_attr_kernel_bytes(&map->attr, &map->tunables,
							map->preallocates, map->cpus, elems);
	if (!map->is_lru && map->alloc_policy->stats)
		map->alloc_policy->stats(map, stats);
}

static void ops_lists(const struct map *map, map_list_fn *fn, void *arg)
{
	if (map->is_lru)
		map->lru_ops->lists(map, fn, arg);
	else
		map->alloc_policy->lists(map, fn, arg);
	for (uint32_t cpu = 0; map->has_spares && cpu < map->cpus; cpu++)
		fn(arg, "spare", (int)cpu, 1);
}

static uint32_t ops_max_entries(const struct map *map)
{
	return map->max_entries;
}

static uint32_t ops_key_size(const struct map *map)
{
	return map->key_size;
}

static const struct policy *rotation_policy(uint64_t id)
{
	return lru_policies[id] ? &lru_policies[id]->policy : NULL;
}

static const struct policy *alloc_policy(uint64_t id)
{
	return alloc_policies[id] ? &alloc_policies[id]->policy : NULL;
}

static const struct policy *lock_policy(uint64_t id)
{
	return lock_policies[id] ? &lock_policies[id]->policy : NULL;
}

static bool needs_future(const struct map_attr *attr, const struct tunables *tunables)
{
	return map_type_is_lru(attr->type) &&
	       lru_policies[tunable_value(tunables, TUNE_ROTATION)]->needs_future;
}

const struct model_ops model_ops_table = {
	.name = ENV_NAME,
	.has_census = ENV_CENSUS,
	.rotation = rotation_policy,
	.alloc = alloc_policy,
	.lock = lock_policy,
	.needs_future = needs_future,
	.map_create = map_create,
	.map_destroy = map_destroy,
	.lookup = ops_lookup,
	.lookup_in_place = ops_lookup_in_place,
	.update = ops_update,
	.del = ops_delete,
	.lookup_and_delete = ops_lookup_and_delete,
	.next_key = ops_next_key,
	.batch = ops_batch,
	.run = map_run,
	.thread_begin = ops_thread_begin,
	.thread_end = ops_thread_end,
	.thread_quiet = ops_thread_quiet,
	.counters = ops_counters,
	.census = ops_census,
	.memory = ops_memory,
	.alloc_stats = ops_alloc_stats,
	.lists = ops_lists,
	.max_entries = ops_max_entries,
	.key_size = ops_key_size,
	.check = map_check,
};
