// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sim/torture/plan.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "model/attr.h"

#define SLICE_OPERATIONS 50000 /* of each thread */
#define ENTRIES_MAX 4096
#define SYS_VALUE_BYTES_MAX (64u << 10)
#define CPUS_EXTRA 6 /* of a map, beside the threads' */

static const char *const mixes[] = {
	"LU",           "LUD",     "LLLLUT",  "UuLlD",       "NED",        "NnEeDdLl", "UD",
	"LlUuNnEeDdTt", "UUUUDLk", "LUDkkpp", "LLLLLLLUUDb", "UuNnEebkpT", "LLUUDt",   "Up",
};

static const uint32_t key_sizes[] = {8, 8, 8, 4, 4, 3, 12, 16, 20, 64};
static const uint32_t value_sizes[] = {8, 8, 8, 8, 4, 4, 16, 16, 32, 64, 100, 256, 1000};

#define PICK(rng, list) ((list)[rng_below(rng, sizeof(list) / sizeof((list)[0]))])

bool release_has_types(const struct kernel_release *release, enum map_types_choice least)
{
	struct tunables tunables;

	kernel_tunables(release, &tunables);
	return tunable_value(&tunables, TUNE_MAP_TYPES) >= least;
}

/* Any release, unless one was given, or the policies are those of one. */
static void draw_kernel(const struct torture_options *options, struct plan *plan, struct rng *rng)
{
	static const struct kernel_release releases[] = {{4, 10, 0}, {4, 20, 0}, {5, 6, 0},
							 {5, 15, 0}, {6, 1, 0},  {6, 12, 0},
							 {6, 15, 0}, {6, 18, 0}, {7, 3, 0}};

	if (!options->config->is_kernel_given && !options->own_pairs_only)
		plan->config.map.kernel = PICK(rng, releases);
}

static void draw_type(const struct torture_pair *pair, const struct kernel_release *release,
		      struct map_attr *attr, struct rng *rng)
{
	bool is_percpu = rng_below(rng, 3) == 0 && release_has_types(release, MAP_TYPES_PERCPU);

	if (!pair->is_rotation) {
		attr->type = is_percpu ? MAP_PERCPU_HASH : MAP_HASH;
		return;
	}
	attr->type = is_percpu ? MAP_LRU_PERCPU_HASH : MAP_LRU_HASH;
	if (rng_below(rng, 3) == 0)
		attr->flags |= MAP_NO_COMMON_LRU;
}

/* From 1 to the most, half of them below a hundred or so. */
static uint32_t draw_entries(struct rng *rng)
{
	return (uint32_t)(1 + rng_below(rng, rng_below(rng, 2) ? ENTRIES_MAX : 128));
}

/* Mostly as many as really run at the same time; now and then more, which are preempted. */
static uint32_t draw_threads(const struct torture_options *options, struct rng *rng)
{
	uint32_t usable = options->usable_cpus, most = usable * PLAN_THREADS_PER_CPU, many;
	bool is_preempted = !rng_below(rng, 4);

	if (most > options->threads)
		most = options->threads;
	if (most < 2)
		most = 2;
	many = 2 + (uint32_t)rng_below(rng, most - 1);
	if (is_preempted || usable < 2)
		return many;
	return usable < most ? usable : most;
}

/* Tunables of policies, each half of the times; a number between two, or any choice. */
static void draw_tunables(const struct torture_options *options, struct map_config *map,
			  struct rng *rng)
{
	static const struct {
		enum tunable_id id;
		uint64_t min, max; /* 0, 0: a choice */
	} drawn[] = {
		{TUNE_POPULATE, 0, 0},       {TUNE_SKIP_EMPTY, 0, 0},   {TUNE_BITMAP_ALIGNED, 0, 0},
		{TUNE_COUNT, 0, 0},          {TUNE_COUNT_BATCH, 1, 64}, {TUNE_IDA_SIZE, 1, 64},
		{TUNE_IDA_BATCH, 1, 64},     {TUNE_CACHE_LOW, 1, 40},   {TUNE_CACHE_HIGH, 3, 120},
		{TUNE_FREE_LIST_LOCK, 0, 0}, {TUNE_LRU_LOCK, 0, 0},     {TUNE_SPARES, 0, 0},
	};

	for (size_t i = 0; i < sizeof(drawn) / sizeof(drawn[0]); i++) {
		enum tunable_id id = drawn[i].id;
		uint64_t count = drawn[i].max ? drawn[i].max - drawn[i].min + 1 : 0;

		while (!drawn[i].max && tunable_choice(id, count))
			count++;
		count = drawn[i].min + rng_below(rng, count);
		if (rng_below(rng, 2) || map->is_overridden[id] || options->own_pairs_only)
			continue;
		map->is_overridden[id] = true;
		map->overrides[id] = count;
	}
}

static void draw_map(const struct torture_options *options, const struct torture_pair *pair,
		     struct plan *plan, struct rng *rng)
{
	struct map_config *map = &plan->config.map;
	enum tunable_id id = pair->is_rotation ? TUNE_ROTATION : TUNE_ALLOC;

	map->attr = (struct map_attr){.key_size = PICK(rng, key_sizes),
				      .value_size = PICK(rng, value_sizes),
				      .max_entries = draw_entries(rng)};
	draw_kernel(options, plan, rng);
	draw_type(pair, &map->kernel, &map->attr, rng);
	plan->slice.threads = draw_threads(options, rng);
	map->cpus = plan->slice.threads;
	if (rng_below(rng, 2))
		map->cpus += (uint32_t)rng_below(rng, CPUS_EXTRA);
	while (map_type_is_percpu(map->attr.type) &&
	       map_sys_value_bytes(&map->attr, map->cpus) > SYS_VALUE_BYTES_MAX)
		map->attr.value_size /= 2;
	if (map_type_is_percpu(map->attr.type))
		map->attr.value_size = (uint32_t)round_up_8(map->attr.value_size);
	if (map->cpus > MAP_CPUS_MAX)
		map->cpus = MAP_CPUS_MAX;
	draw_tunables(options, map, rng);
	map->is_overridden[TUNE_LOCK] = true;
	map->overrides[TUNE_LOCK] = pair->lock;
	map->is_overridden[id] = true;
	map->overrides[id] = pair->policy;
	map_config_finish(map, plan->slice.seed);
}

static void describe(struct plan *plan)
{
	const struct map_config *map = &plan->config.map;
	char text[MAP_CONFIG_TEXT_BYTES], kernel[KERNEL_NAME_BYTES],
		tunables[CONFIG_TUNABLES_BYTES];

	map_config_format(map, text, sizeof(text));
	config_format_tunables(&plan->config, tunables);
	for (char *c = tunables; *c; c++)
		*c = *c == ' ' ? ',' : *c;
	snprintf(plan->text, sizeof(plan->text),
		 "-m %s -k %s -c %u -s %s, %u threads, operations %s, keys %" PRIu64
		 " of which %" PRIu64 " shared%s, seed %" PRIu64,
		 text, kernel_name(&map->kernel, kernel), map->cpus, tunables, plan->slice.threads,
		 plan->slice.mix, plan->slice.ids, plan->slice.shared_ids,
		 plan->slice.has_delays ? ", delays" : "", plan->slice.seed);
}

bool plan_use_common_lru(struct plan *plan)
{
	if (!(plan->config.map.attr.flags & MAP_NO_COMMON_LRU))
		return false;
	plan->config.map.attr.flags &= ~(uint32_t)MAP_NO_COMMON_LRU;
	describe(plan);
	return true;
}

void plan_make(const struct torture_options *options, const struct torture_pair *pair,
	       struct plan *plan, struct rng *rng)
{
	struct slice *slice = &plan->slice;
	struct map_config *map = &plan->config.map;

	memset(plan, 0, sizeof(*plan));
	plan->config = *options->config;
	slice->seed = rng_next(rng);
	draw_map(options, pair, plan, rng);
	slice->ops = &threads_model_ops;
	slice->map = map;
	slice->operations = SLICE_OPERATIONS;
	slice->mix = PICK(rng, mixes);
	slice->ids =
		1 + rng_below(rng, 2ULL * map_attr_entries(&map->attr, map->cpus)) + slice->threads;
	slice->shared_ids = 1 + rng_below(rng, slice->ids);
	slice->has_delays = !rng_below(rng, 4);
	slice->waits_for_grace =
		!pair->is_rotation && threads_model_ops.alloc(pair->policy)->waits_for_grace;
	slice->stop = options->stop;
	describe(plan);
}
