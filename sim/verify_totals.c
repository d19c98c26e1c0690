// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Interleavings are drawn between the extremes: one CPU after the other in both orders, in turns,
 * and in bursts of every length. The drawn ones are not all there are, so half of their range is
 * allowed on both sides, and a thousandth of the operations. What CPUs do at the same time need not
 * be any interleaving of whole calls, either: each CPU can have one call under way, and with it one
 * of the map's max_entries elements, so this share of the operations is allowed, too. Where it were
 * large nothing could be told, and the map is refused. One CPU's totals have to be the same.
 */
#include "sim/verify_totals.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "base/system.h"
#include "model/attr.h"
#include "sim/bench.h"
#include "sim/engine_model.h"

#define ENTRIES_OF_CPU 16

/* A total's place in struct map_counters. */
static const struct {
	const char *name;
	size_t offset;
} wanted[TOTALS_COUNTS] = {
	{"hits", offsetof(struct map_counters, hits)},
	{"misses", offsetof(struct map_counters, misses)},
	{"inserts", offsetof(struct map_counters, inserts)},
	{"replaced", offsetof(struct map_counters, replaced)},
	{"deletes", offsetof(struct map_counters, deletes)},
	{"errors_EEXIST", offsetof(struct map_counters, errors[ERROR_EEXIST])},
	{"errors_E2BIG", offsetof(struct map_counters, errors[ERROR_E2BIG])},
	{"errors_ENOMEM", offsetof(struct map_counters, errors[ERROR_ENOMEM])},
};

struct lane;

struct totals {
	const struct run_config *config;
	const struct engine *against;
	const atomic_int *stop;
	struct totals_result *result;
	struct error *error;
	struct workload workload; /* the operations, CPU by CPU */
	uint32_t each;            /* of a CPU */
	struct lane *lanes;       /* of each CPU */
	uint8_t *value;           /* what updates write */
	uint8_t *key;             /* of the call under way: at least 8 bytes */
};

/* A CPU in an interleaving: an access can stand between its look-up and its update. */
struct lane {
	struct map_ctx ctx;
	uint32_t done;
	bool missed;
};

static bool is_stopped(const struct totals *totals)
{
	return totals->stop && atomic_load_explicit(totals->stop, memory_order_relaxed);
}

static uint64_t count_of(const struct map_counters *counters, int i)
{
	uint64_t count;

	memcpy(&count, (const char *)counters + wanted[i].offset, sizeof(count));
	return count;
}

/* Which CPU goes on, and for how many operations, in the n-th interleaving. */
struct schedule {
	struct rng rng;
	uint32_t burst_max; /* 0: to the end */
	uint32_t cpu, left;
	bool is_backwards, is_in_turn;
};

static void schedule_init(struct schedule *schedule, uint64_t seed, uint32_t n, uint32_t cpus,
			  uint32_t each)
{
	memset(schedule, 0, sizeof(*schedule));
	rng_init(&schedule->rng, seed + n);
	schedule->is_backwards = n % 2;
	schedule->is_in_turn = n < 4;
	schedule->burst_max = n < 2 ? 0 : n < 4 ? 1 : 1u << (n / 2 % 20);
	if (schedule->burst_max > each)
		schedule->burst_max = each;
	schedule->cpu = schedule->is_backwards ? 0 : cpus - 1;
}

/* The CPU that makes the next call, of those that have one left. */
static uint32_t schedule_next(struct schedule *schedule, const struct lane *lanes, uint32_t cpus,
			      uint32_t each)
{
	uint32_t step = schedule->is_backwards ? cpus - 1 : 1;

	if (schedule->left && lanes[schedule->cpu].done < each) {
		schedule->left--;
		return schedule->cpu;
	}
	if (!schedule->is_in_turn)
		schedule->cpu = (uint32_t)rng_below(&schedule->rng, cpus);
	do {
		schedule->cpu += step;
		schedule->cpu -= schedule->cpu < cpus ? 0 : cpus;
	} while (lanes[schedule->cpu].done == each);
	schedule->left = UINT32_MAX;
	if (schedule->burst_max)
		schedule->left = (uint32_t)rng_below(&schedule->rng, schedule->burst_max);
	return schedule->cpu;
}

/* A CPU's next call: its next operation, or the other half of an access. */
static void lane_step(const struct totals *totals, struct map *map, struct lane *lane)
{
	const struct workload *workload = &totals->workload;
	const struct workload_drawn *drawn =
		&workload->drawn[workload->starts[lane->ctx.cpu].first + lane->done];
	unsigned int call = lane->missed ? CALL_UPDATE : drawn->call;
	const struct model_ops *ops = &seq_model_ops;

	memcpy(totals->key, &drawn->key, sizeof(drawn->key));
	lane->missed = false;
	switch ((enum workload_call)call) {
	case CALL_LOOKUP:
		ops->lookup(map, &lane->ctx, totals->key, NULL);
		break;
	case CALL_ACCESS:
		lane->missed = ops->lookup(map, &lane->ctx, totals->key, NULL) != 0;
		break;
	case CALL_DELETE:
		ops->del(map, &lane->ctx, totals->key);
		break;
	case CALL_UPDATE:
	case CALL_UPDATE_NOEXIST:
	case CALL_UPDATE_EXIST:
	case WORKLOAD_CALLS:
		ops->update(map, &lane->ctx, totals->key, totals->value, call - CALL_UPDATE);
		break;
	}
	lane->done += !lane->missed;
}

static void interleave(const struct totals *totals, struct map *map, uint32_t n)
{
	uint32_t cpus = totals->workload.params.running;
	struct schedule schedule;

	schedule_init(&schedule, totals->config->seed, n, cpus, totals->each);
	for (uint32_t cpu = 0; cpu < cpus; cpu++)
		totals->lanes[cpu] = (struct lane){
			.ctx = {.cpu = cpu, .context = OP_PROGRAM, .next_use = UINT64_MAX}};
	for (uint64_t left = totals->result->operations; left && !is_stopped(totals);) {
		struct lane *lane =
			&totals->lanes[schedule_next(&schedule, totals->lanes, cpus, totals->each)];

		lane_step(totals, map, lane);
		left -= !lane->missed;
	}
}

static void sum_counters(const struct engine *engine, void *state, uint32_t cpus,
			 uint64_t sums[TOTALS_COUNTS])
{
	memset(sums, 0, TOTALS_COUNTS * sizeof(*sums));
	for (uint32_t cpu = 0; cpu < cpus; cpu++) {
		struct map_counters counters;

		engine->counters(state, cpu, &counters);
		for (int i = 0; i < TOTALS_COUNTS; i++)
			sums[i] += count_of(&counters, i);
	}
}

/* The n-th interleaving, one operation after another. */
static int run_interleaved(struct totals *totals, uint32_t n)
{
	struct run_config config = *totals->config;
	uint64_t sums[TOTALS_COUNTS];
	void *state;
	int err;

	config.engine = &engine_seq;
	err = engine_seq.open(&config, &state, totals->error);
	if (err)
		return err;
	interleave(totals, ((struct model_run *)state)->map, n);
	sum_counters(&engine_seq, state, config.map.cpus, sums);
	engine_seq.close(state);
	for (int i = 0; i < TOTALS_COUNTS; i++) {
		struct totals_count *count = &totals->result->counts[i];

		count->lowest = !n || sums[i] < count->lowest ? sums[i] : count->lowest;
		count->highest = sums[i] > count->highest ? sums[i] : count->highest;
	}
	return 0;
}

static void allow(const struct totals *totals, struct totals_count *count)
{
	const struct totals_result *result = totals->result;
	uint64_t slack = (count->highest - count->lowest + 1) / 2 + result->operations / 1000 +
			 result->operations * result->cpus / totals->config->map.attr.max_entries +
			 1;

	if (result->cpus == 1)
		slack = 0;
	count->least = count->lowest > slack ? count->lowest - slack : 0;
	count->most = count->highest + slack;
}

static void judge(struct totals *totals, int side, const struct map_counters *counters,
		  bool is_first)
{
	for (int i = 0; i < TOTALS_COUNTS; i++) {
		struct totals_count *count = &totals->result->counts[i];
		uint64_t seen = count_of(counters, i), *range = count->seen[side];

		if (seen == COUNT_UNKNOWN) {
			range[0] = range[1] = COUNT_UNKNOWN;
			continue;
		}
		range[0] = is_first || seen < range[0] ? seen : range[0];
		range[1] = is_first || seen > range[1] ? seen : range[1];
		count->is_wrong[side] |= seen < count->least || seen > count->most;
		totals->result->is_different |= count->is_wrong[side];
	}
}

/* All CPUs at the same time, some times over. */
static int run_engine(struct totals *totals, const struct engine *engine, int side)
{
	struct run_config config = *totals->config;
	struct bench_options options = {.stop = totals->stop};
	int err = 0;

	config.engine = engine;
	config.workload.operations = totals->each;
	if (engine->is_running_kernel)
		config_take_kernel_as_it_is(&config);
	for (int n = 0; n < TOTALS_RUNS && !err; n++) {
		struct bench_result result;

		err = bench_run(&config, &options, &result, totals->error);
		if (!err)
			judge(totals, side, &result.median.total, !n);
		bench_result_deinit(&result);
	}
	return err;
}

static int run_all(struct totals *totals)
{
	struct totals_result *result = totals->result;
	int err = 0;

	for (uint32_t n = 0; n < TOTALS_INTERLEAVINGS && !err; n++) {
		err = run_interleaved(totals, n);
		if (!err && is_stopped(totals))
			err = error_set(totals->error, -EINTR, "interrupted");
	}
	for (int i = 0; i < TOTALS_COUNTS; i++)
		allow(totals, &result->counts[i]);
	if (!err)
		err = run_engine(totals, totals->config->engine, 0);
	if (!err)
		err = run_engine(totals, totals->against, 1);
	return err;
}

/* With few elements for each CPU what is under way is much of what is there. */
static int check_size(const struct run_config *config, struct error *error)
{
	uint32_t cpus = config->map.cpus, least = cpus == 1 ? 1 : ENTRIES_OF_CPU * cpus;

	if (config->map.attr.max_entries >= least)
		return 0;
	return error_set(error, -EINVAL,
			 "max_entries=%" PRIu32 ": what %" PRIu32
			 " CPUs come to cannot be told in a map "
			 "so small; expected %" PRIu32 " or more",
			 config->map.attr.max_entries, cpus, least);
}

int totals_run(const struct run_config *config, const struct engine *against,
	       const atomic_int *stop, struct totals_result *result, struct error *error)
{
	struct run_config replayed = *config;
	struct totals totals = {.config = &replayed,
				.against = against,
				.stop = stop,
				.result = result,
				.error = error};
	double begin = system_seconds();
	int err;

	memset(result, 0, sizeof(*result));
	err = check_size(&replayed, error);
	if (err)
		return err;
	for (int i = 0; i < TOTALS_COUNTS; i++)
		result->counts[i].name = wanted[i].name;
	replayed.workload.kind = WORKLOAD_REPLAY;
	replayed.workload.running = config->cpus_given;
	replayed.workload.warmup = 0;
	replayed.workload.repeat = 1;
	replayed.workload.fill = 0;
	err = workload_init(&totals.workload, &replayed, config->map.attr.max_entries, stop, error);
	if (!err) {
		result->cpus = totals.workload.params.running;
		totals.each = totals.workload.starts[0].length;
		for (uint32_t cpu = 1; cpu < result->cpus; cpu++) {
			if (totals.workload.starts[cpu].length < totals.each)
				totals.each = totals.workload.starts[cpu].length;
		}
		result->operations = (uint64_t)totals.each * result->cpus;
		totals.lanes = calloc(result->cpus, sizeof(*totals.lanes));
		totals.value = calloc(1, map_sys_value_bytes(&config->map.attr, config->map.cpus));
		totals.key = calloc(1, config->map.attr.key_size + sizeof(uint64_t));
		if (!totals.lanes || !totals.value || !totals.key)
			err = error_set(error, -ENOMEM, "out of memory");
	}
	if (!err)
		err = run_all(&totals);
	free(totals.lanes);
	free(totals.value);
	free(totals.key);
	workload_deinit(&totals.workload);
	result->seconds = system_seconds() - begin;
	return err;
}

static void record_number(struct record *record, const char *name, uint64_t number)
{
	if (number == COUNT_UNKNOWN)
		record_add_unknown(record, name);
	else
		record_add_u64(record, name, number);
}

/* A count that neither engine knows is not judged. */
static const char *verdict(const struct totals_count *count, const struct engine *engine,
			   const struct engine *against)
{
	if (count->is_wrong[0])
		return engine->name;
	if (count->is_wrong[1])
		return against->name;
	return count->seen[0][0] == COUNT_UNKNOWN && count->seen[1][0] == COUNT_UNKNOWN ? "unknown"
											: "fine";
}

void totals_record(const struct run_config *config, const struct engine *against,
		   const struct totals_result *result, struct record *record, struct record *counts)
{
	for (int i = 0; i < TOTALS_COUNTS; i++) {
		const struct totals_count *count = &result->counts[i];

		record_add_text(&counts[i], "count", count->name);
		record_add_u64(&counts[i], "lowest", count->lowest);
		record_add_u64(&counts[i], "highest", count->highest);
		record_add_u64(&counts[i], "least", count->least);
		record_add_u64(&counts[i], "most", count->most);
		record_number(&counts[i], "seen_lowest", count->seen[0][0]);
		record_number(&counts[i], "seen_highest", count->seen[0][1]);
		record_number(&counts[i], "against_lowest", count->seen[1][0]);
		record_number(&counts[i], "against_highest", count->seen[1][1]);
		record_add_text(&counts[i], "verdict", verdict(count, config->engine, against));
	}
	config_record(config, record);
	record_add_text(record, "against", against->name);
	record_add_u64(record, "running", result->cpus);
	record_add_u64(record, "operations", result->operations);
	record_add_u64(record, "differences", result->is_different);
	record_add_double(record, "seconds", result->seconds, 3);
	for (size_t i = 0; i < counts[0].count; i++)
		record_add_unknown(record, counts[0].fields[i].name);
}
