// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sim/bench.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpu.h"
#include "base/ticks.h"
#include "sim/engine.h"
#include "sim/metrics.h"

/* A benchmark with all its runs. */
struct bench {
	const struct run_config *config;
	const struct bench_options *options;
	struct error *error;
	struct workload workload;
	uint32_t max_entries; /* 0: no map was made yet */

	struct bench_worker *workers;
	uint8_t *keys, *value;
	struct map_counters *before; /* of each CPU that works, when the measured part begins */
	uint64_t (*waits_before)[LOCK_RANKS];

	void *engine; /* of the run */
};

void bench_take_samples(struct bench_cpu *cpu, double unit_ns, struct histogram *latency)
{
	for (unsigned int i = 0; i < cpu->sample_count && i < BENCH_SAMPLES; i++)
		histogram_add(latency, (uint64_t)((double)cpu->samples[i] * unit_ns + 0.5));
	cpu->sample_count = 0;
}

static void bench_deinit(struct bench *bench)
{
	workload_deinit(&bench->workload);
	free(bench->workers);
	free(bench->keys);
	free(bench->value);
	free(bench->before);
	free(bench->waits_before);
}

/* What depends on how large the map became. */
static int bench_init(struct bench *bench)
{
	const struct map_attr *attr = &bench->config->map.attr;
	size_t key_bytes = cpu_round_up_to_lines(attr->key_size);
	uint32_t running;
	int err;

	if (attr->key_size < 4)
		return error_set(bench->error, -EINVAL,
				 "key_size=%u: a benchmark's keys are numbers, of 4 bytes or more",
				 attr->key_size);
	err = workload_init(&bench->workload, bench->config, bench->max_entries,
			    bench->options->stop, bench->error);
	if (err)
		return err;
	running = bench->workload.params.running;
	bench->workers = cpu_alloc_lines(running * sizeof(*bench->workers));
	bench->keys = cpu_alloc_lines(running * key_bytes);
	bench->value = cpu_alloc_lines((size_t)attr->value_size + 8);
	bench->before = calloc(running, sizeof(*bench->before));
	bench->waits_before = calloc(running, sizeof(*bench->waits_before));
	if (!bench->workers || !bench->keys || !bench->value || !bench->before ||
	    !bench->waits_before)
		return error_set(bench->error, -ENOMEM, "out of memory");
	for (uint32_t cpu = 0; cpu < running; cpu++)
		bench->workers[cpu].key = bench->keys + cpu * key_bytes;
	return 0;
}

static void begin_phase(struct bench_worker *worker, uint64_t limit)
{
	memset(&worker->latency, 0, sizeof(worker->latency));
	worker->cpu.operations = 0;
	worker->cpu.calls = 0;
	worker->cpu.limit = limit;
	worker->cpu.until_sample = BENCH_SAMPLE_EVERY;
	worker->cpu.sample_count = 0;
}

static int run_phase(struct bench *bench, uint32_t kind, double seconds)
{
	struct bench_phase phase = {
		.workload = &bench->workload,
		.kind = kind,
		.seconds = seconds,
		.workers = bench->workers,
		.value = bench->value,
		.stop = bench->options->stop,
	};

	return bench->config->engine->bench(bench->engine, &phase, bench->error);
}

static int fill(struct bench *bench)
{
	if (!bench->workload.params.filled)
		return 0;
	for (uint32_t cpu = 0; cpu < bench->workload.params.running; cpu++) {
		struct bench_worker *worker = &bench->workers[cpu];

		worker->cpu.workload = (struct workload_state){.cpu = cpu};
		begin_phase(worker, workload_fill_operations(&bench->workload, cpu));
	}
	return run_phase(bench, WORKLOAD_FILL, 0);
}

/* Does the workload for so many percent of what is to be measured. */
static int work(struct bench *bench, uint32_t percent)
{
	const struct workload_config *config = &bench->config->workload;
	uint64_t operations = workload_operations(config);
	uint64_t limit = operations == UINT64_MAX
				 ? operations
				 : (uint64_t)((unsigned __int128)operations * percent / 100);

	if (!limit || !percent)
		return 0;
	for (uint32_t cpu = 0; cpu < bench->workload.params.running; cpu++)
		begin_phase(&bench->workers[cpu], limit);
	return run_phase(bench, config->kind, config->seconds * percent / 100);
}

static void get_lock_waits(const struct bench *bench, uint32_t cpu, uint64_t waits[LOCK_RANKS])
{
	const struct engine *engine = bench->config->engine;

	if (engine->lock_waits)
		engine->lock_waits(bench->engine, cpu, waits);
	else
		memset(waits, 0xff, LOCK_RANKS * sizeof(*waits));
}

static void note_before(struct bench *bench)
{
	for (uint32_t cpu = 0; cpu < bench->workload.params.running; cpu++) {
		bench->config->engine->counters(bench->engine, cpu, &bench->before[cpu]);
		get_lock_waits(bench, cpu, bench->waits_before[cpu]);
	}
}

/* Arrays of counts, of which some may be unknown. */
static void counts_add(uint64_t *counts, const uint64_t *more, size_t count, bool subtract)
{
	for (size_t i = 0; i < count; i++) {
		if (counts[i] == COUNT_UNKNOWN || more[i] == COUNT_UNKNOWN)
			counts[i] = COUNT_UNKNOWN;
		else
			counts[i] = subtract ? counts[i] - more[i] : counts[i] + more[i];
	}
}

static void counters_add(struct map_counters *counters, const struct map_counters *more,
			 bool subtract)
{
	uint64_t counts[2][sizeof(*counters) / sizeof(uint64_t)];

	memcpy(counts[0], counters, sizeof(*counters));
	memcpy(counts[1], more, sizeof(*more));
	counts_add(counts[0], counts[1], sizeof(counts[0]) / sizeof(uint64_t), subtract);
	memcpy(counters, counts[0], sizeof(*counters));
}

static void collect_cpu(const struct bench *bench, uint32_t cpu, struct bench_cpu_result *result)
{
	const struct bench_worker *worker = &bench->workers[cpu];

	result->operations = worker->cpu.operations;
	result->calls = worker->cpu.calls;
	result->seconds = (double)(worker->end_ticks - worker->begin_ticks) * ticks_ns() * 1e-9;
	result->latency = worker->latency;
	bench->config->engine->counters(bench->engine, cpu, &result->counters);
	counters_add(&result->counters, &bench->before[cpu], true);
	get_lock_waits(bench, cpu, result->lock_waits);
	counts_add(result->lock_waits, bench->waits_before[cpu], LOCK_RANKS, true);
}

static int collect(const struct bench *bench, struct bench_measured *run)
{
	const struct engine *engine = bench->config->engine;
	uint32_t running = bench->workload.params.running;
	uint64_t begin = UINT64_MAX, end = 0;

	run->cpus = calloc(running + 1, sizeof(*run->cpus));
	if (!run->cpus)
		return error_set(bench->error, -ENOMEM, "out of memory");
	for (uint32_t cpu = 0; cpu < running; cpu++) {
		const struct bench_worker *worker = &bench->workers[cpu];
		struct bench_cpu_result *result = &run->cpus[cpu];

		collect_cpu(bench, cpu, result);
		run->operations += result->operations;
		run->calls += result->calls;
		counters_add(&run->total, &result->counters, false);
		counts_add(run->lock_waits, result->lock_waits, LOCK_RANKS, false);
		histogram_merge(&run->latency, &result->latency);
		begin = worker->begin_ticks < begin ? worker->begin_ticks : begin;
		end = worker->end_ticks > end ? worker->end_ticks : end;
	}
	run->seconds = (double)(end - begin) * ticks_ns() * 1e-9;
	run->rate = run->seconds > 0 ? (double)run->operations / run->seconds : 0;
	/* The running kernel would have to walk its map, which takes seconds. */
	if (engine->model)
		engine->census(bench->engine, &run->census);
	else
		memset(&run->census, 0xff, sizeof(run->census));
	engine->memory(bench->engine, &run->memory);
	metrics_get_alloc(engine, bench->engine, &run->alloc);
	return 0;
}

/* One run, from making the map on. */
static int run_once(struct bench *bench, struct bench_measured *run)
{
	const struct run_config *config = bench->config;
	const struct engine *engine = config->engine;
	int err = engine->open(config, &bench->engine, bench->error);

	memset(run, 0, sizeof(*run));
	run->check = "";
	if (err)
		return err;
	if (!bench->max_entries) {
		bench->max_entries = engine->max_entries(bench->engine);
		err = bench_init(bench);
	}
	for (uint32_t cpu = 0; !err && cpu < bench->workload.params.running; cpu++)
		bench->workers[cpu].ctx = (struct map_ctx){.cpu = cpu, .next_use = UINT64_MAX};
	if (!err)
		err = fill(bench);
	for (uint32_t cpu = 0; !err && cpu < bench->workload.params.running; cpu++)
		bench->workers[cpu].cpu.workload = bench->workload.starts[cpu];
	if (!err)
		err = work(bench, config->workload.warmup);
	if (!err) {
		note_before(bench);
		err = work(bench, 100);
	}
	if (!err)
		err = collect(bench, run);
	if (!err && config->check) {
		err = engine->check(bench->engine, bench->error);
		run->check = err ? "failed" : "passed";
	}
	engine->close(bench->engine);
	return err;
}

static int compare_runs(const void *a, const void *b)
{
	double x = ((const struct bench_measured *)a)->rate,
	       y = ((const struct bench_measured *)b)->rate;

	return (x > y) - (x < y);
}

/* The run in the middle by its rate; of an even number the slower of two. */
static void choose_median(struct bench_measured *runs, uint32_t count, struct bench_result *result)
{
	uint32_t middle = (count - 1) / 2;

	qsort(runs, count, sizeof(*runs), compare_runs);
	result->rate_min = runs[0].rate;
	result->rate_max = runs[count - 1].rate;
	result->median = runs[middle];
	runs[middle].cpus = NULL;
}

int bench_run(const struct run_config *config, const struct bench_options *options,
	      struct bench_result *result, struct error *error)
{
	struct bench bench = {.config = config, .options = options, .error = error};
	uint32_t count = config->workload.repeat, done = 0;
	struct bench_measured *runs;
	int err = 0;

	memset(result, 0, sizeof(*result));
	if (!config->engine->bench)
		return error_set(error, -EINVAL, "-e %s has no benchmarks", config->engine->name);
	runs = calloc(count, sizeof(*runs));
	if (!runs)
		return error_set(error, -ENOMEM, "out of memory");
	ticks_init();
	while (!err && done < count) {
		if (options->progress)
			options->progress(options->progress_arg, done, count);
		err = run_once(&bench, &runs[done++]);
	}
	result->cpus = bench.workload.params.running;
	result->threads = config->engine->is_one_thread ? 1 : result->cpus;
	result->max_entries = bench.max_entries;
	result->runs = done;
	/* A map that failed its check is a result. */
	if (!err)
		choose_median(runs, done, result);
	else if (err == -EUCLEAN)
		choose_median(&runs[done - 1], 1, result);
	for (uint32_t i = 0; i < done; i++)
		free(runs[i].cpus);
	free(runs);
	bench_deinit(&bench);
	return err;
}

void bench_result_deinit(struct bench_result *result)
{
	free(result->median.cpus);
	memset(result, 0, sizeof(*result));
}
