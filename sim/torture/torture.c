// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sim/torture/torture.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/rng.h"
#include "base/system.h"
#include "model/attr.h"
#include "sim/engine.h"
#include "sim/torture/plan.h"

#define WATCH_MS 100
#define STUCK_AFTER_MS 60000

static uint64_t policy_count(enum tunable_id id)
{
	uint64_t count = 0;

	while (tunable_choice(id, count))
		count++;
	return count;
}

/* Whether a policy is among those asked for. */
static bool is_wanted(const struct torture_options *options, enum tunable_id id, uint64_t policy)
{
	const struct map_config *map = &options->config->map;

	return !map->is_overridden[id] || map->overrides[id] == policy;
}

/* Whether the release would have it so. */
static bool is_own(const struct torture_options *options, const struct torture_pair *pair)
{
	const struct map_config *map = &options->config->map;
	struct tunables tunables;

	kernel_tunables(&map->kernel, &tunables);
	if (pair->lock != tunable_value(&tunables, TUNE_LOCK))
		return false;
	if (pair->is_rotation)
		return pair->policy == tunable_value(&tunables, TUNE_ROTATION);
	for (int i = 0; i < 2; i++) {
		struct map_attr attr = {.type = MAP_HASH, .flags = i ? MAP_NO_PREALLOC : 0};

		if (!strcmp(map_attr_alloc(&attr, &tunables),
			    tunable_choice(TUNE_ALLOC, pair->policy)))
			return true;
	}
	return false;
}

/* A rotation that needs the future has none here. */
static bool is_possible(const struct torture_pair *pair)
{
	struct tunables tunables = {.values = {[TUNE_ROTATION] = pair->policy}};
	struct map_attr attr = {.type = MAP_LRU_HASH};

	return !pair->is_rotation || !threads_model_ops.needs_future(&attr, &tunables);
}

static void add_pairs(const struct torture_options *options, struct torture_result *result,
		      bool is_rotation)
{
	enum tunable_id id = is_rotation ? TUNE_ROTATION : TUNE_ALLOC;
	uint64_t locks = policy_count(TUNE_LOCK), policies = policy_count(id);

	for (uint64_t i = 0; i < locks * policies; i++) {
		struct torture_pair pair = {.lock = (uint32_t)(i / policies),
					    .policy = (uint32_t)(i % policies),
					    .is_rotation = is_rotation};

		if (is_possible(&pair) && is_wanted(options, TUNE_LOCK, pair.lock) &&
		    is_wanted(options, id, pair.policy) &&
		    (!options->own_pairs_only || is_own(options, &pair)))
			result->pairs[result->pair_count++] = pair;
	}
}

/* Asking for an allocation only leaves rotations out, and the other way round. */
static int make_pairs(const struct torture_options *options, struct torture_result *result,
		      struct error *error)
{
	const bool *is_set = options->config->map.is_overridden;
	uint64_t most =
		policy_count(TUNE_LOCK) * (policy_count(TUNE_ALLOC) + policy_count(TUNE_ROTATION));

	result->pairs = calloc(most + 1, sizeof(*result->pairs));
	if (!result->pairs)
		return error_set(error, -ENOMEM, "out of memory");
	if (is_set[TUNE_ALLOC] || !is_set[TUNE_ROTATION])
		add_pairs(options, result, false);
	if ((is_set[TUNE_ROTATION] || !is_set[TUNE_ALLOC]) &&
	    (!options->config->is_kernel_given ||
	     release_has_types(&options->config->map.kernel, MAP_TYPES_LRU)))
		add_pairs(options, result, true);
	if (result->pair_count)
		return 0;
	return error_set(error, -EINVAL,
			 "no pair of policies is left: the release has none of these, or the "
			 "rotation needs the future");
}

/* Looks whether threads come on, and tells how far. */
struct watch {
	const struct torture_options *options;
	atomic_uint_fast64_t steps;
	atomic_bool is_over;
	pthread_mutex_t mutex; /* of the text */
	char text[PLAN_TEXT_BYTES];
	pthread_t thread;
};

static void watch_stuck(struct watch *watch)
{
	pthread_mutex_lock(&watch->mutex);
	watch->options->stuck(watch->options->arg, watch->text);
	pthread_mutex_unlock(&watch->mutex);
}

static void *watch_main(void *arg)
{
	struct watch *watch = arg;
	uint64_t last = 0;
	unsigned int still_ms = 0;

	while (!atomic_load(&watch->is_over)) {
		uint64_t steps = atomic_load(&watch->steps);

		still_ms = steps == last ? still_ms + WATCH_MS : 0;
		last = steps;
		if (watch->options->progress)
			watch->options->progress(watch->options->arg, steps);
		if (still_ms >= STUCK_AFTER_MS && watch->options->stuck)
			watch_stuck(watch);
		usleep(WATCH_MS * 1000);
	}
	return NULL;
}

static void watch_note(struct watch *watch, const char *text)
{
	pthread_mutex_lock(&watch->mutex);
	snprintf(watch->text, sizeof(watch->text), "%s", text);
	pthread_mutex_unlock(&watch->mutex);
}

/* One slice of a pair. 0, also when it was faulty. */
static int run_slice(struct watch *watch, struct torture_pair *pair, struct torture_result *result,
		     struct rng *rng, struct error *error)
{
	struct error fault = {.text = ""};
	struct plan plan;
	int err;

	plan_make(watch->options, pair, &plan, rng);
	plan.slice.steps = &watch->steps;
	watch_note(watch, plan.text);
	err = slice_run(&plan.slice, &fault);
	if (err == -EINVAL && plan_use_common_lru(&plan)) {
		watch_note(watch, plan.text);
		err = slice_run(&plan.slice, &fault);
	}
	pair->slices++;
	pair->operations += plan.slice.done;
	pair->reused += plan.slice.reused;
	pair->timeouts += plan.slice.timeouts;
	pair->shortages += plan.slice.shortages;
	pair->waits += plan.slice.waits;
	result->slices++;
	result->operations += plan.slice.done;
	if (err != -EUCLEAN)
		return err ? error_set(error, err, "%s: %s", plan.text, fault.text) : 0;
	result->is_faulty = true;
	result->fault = fault;
	snprintf(result->slice, sizeof(result->slice), "%s", plan.text);
	return 0;
}

static int run_rounds(struct watch *watch, struct torture_result *result, struct error *error)
{
	const struct torture_options *options = watch->options;
	double begin = system_seconds();
	bool is_done = false;
	struct rng rng;
	int err = 0;

	rng_init(&rng, options->config->seed);
	while (!err && !is_done) {
		is_done = true;
		for (size_t i = 0; i < result->pair_count && !err && !result->is_faulty; i++) {
			struct torture_pair *pair = &result->pairs[i];

			result->seconds = system_seconds() - begin;
			if (options->stop && atomic_load(options->stop))
				return -EINTR;
			if (pair->operations >= options->operations)
				continue;
			if (result->seconds >= options->seconds)
				return 0;
			is_done = false;
			err = run_slice(watch, pair, result, &rng, error);
		}
		is_done |= result->is_faulty;
	}
	result->seconds = system_seconds() - begin;
	return err;
}

int torture_run(const struct torture_options *options, struct torture_result *result,
		struct error *error)
{
	struct watch watch = {.options = options, .mutex = PTHREAD_MUTEX_INITIALIZER};
	int err;

	memset(result, 0, sizeof(*result));
	err = make_pairs(options, result, error);
	if (err)
		return err;
	err = -pthread_create(&watch.thread, NULL, watch_main, &watch);
	if (err)
		return error_set(error, err, "a thread could not be started: %s", strerror(-err));
	err = run_rounds(&watch, result, error);
	atomic_store(&watch.is_over, true);
	pthread_join(watch.thread, NULL);
	return err;
}

void torture_result_deinit(struct torture_result *result)
{
	free(result->pairs);
	memset(result, 0, sizeof(*result));
}

/* What was asked for; maps and the rest are the slices' own. */
static void record_config(const struct torture_options *options, struct record *record)
{
	static const char *const names[] = {"version", "tunables", "seed"};
	struct run_config config = *options->config;
	char kernel[KERNEL_NAME_BYTES];
	struct record all = {0};

	config_finish(&config);
	config_record(&config, &all);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const struct field *field = record_find(&all, names[i]);

		if (field)
			record_add_field(record, field);
	}
	record_add_text(record, "kernel",
			config.is_kernel_given ? kernel_name(&config.map.kernel, kernel) : "");
	record_deinit(&all);
}

static void record_counts(struct record *record, const struct torture_pair *counts)
{
	record_add_u64(record, "slices", counts->slices);
	record_add_u64(record, "operations", counts->operations);
	record_add_u64(record, "lock_waits", counts->waits);
	record_add_u64(record, "lock_timeouts", counts->timeouts);
	record_add_u64(record, "shortages", counts->shortages);
	record_add_u64(record, "reused", counts->reused);
}

void torture_record(const struct torture_options *options, const struct torture_result *result,
		    struct record *record, struct record *pairs)
{
	static const char *const names[] = {"lock", "alloc", "rotation"};
	struct torture_pair sum = {0};

	for (size_t i = 0; i < result->pair_count; i++) {
		const struct torture_pair *pair = &result->pairs[i];

		record_add_text(&pairs[i], "lock", tunable_choice(TUNE_LOCK, pair->lock));
		record_add_text(&pairs[i], "alloc",
				pair->is_rotation ? "" : tunable_choice(TUNE_ALLOC, pair->policy));
		record_add_text(&pairs[i], "rotation",
				pair->is_rotation ? tunable_choice(TUNE_ROTATION, pair->policy)
						  : "");
		record_counts(&pairs[i], pair);
		sum.slices += pair->slices;
		sum.operations += pair->operations;
		sum.waits += pair->waits;
		sum.timeouts += pair->timeouts;
		sum.shortages += pair->shortages;
		sum.reused += pair->reused;
	}
	record_config(options, record);
	record_add_u64(record, "threads", options->threads);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		record_add_text(record, names[i], "");
	record_counts(record, &sum);
	record_add_double(record, "seconds", result->seconds, 6);
	record_add_text(record, "slice", result->slice);
	record_add_text(record, "fault", result->fault.text);
}
