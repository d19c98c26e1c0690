/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Benchmarks: closed loops of a workload in a map. A run makes the map, fills it, warms up,
 * measures, and asks what became of it; of several such runs the median counts.
 *
 * An engine does the phases of a run (struct engine, bench): each CPU that works does its steps of
 * workload_step.h until its limit or until the time is over.
 */
#ifndef SIM_BENCH_H
#define SIM_BENCH_H

#include <stdatomic.h>

#include "base/histogram.h"
#include "base/record.h"
#include "model/lock_kinds.h"
#include "model/model.h"
#include "sim/workload.h"

/* A CPU that works, from one phase to the next. */
struct bench_worker {
	struct bench_cpu cpu;
	struct map_ctx ctx;       /* of the model; its CPU is cpu.workload's */
	uint8_t *key;             /* key_size bytes, at least 8, zeroed: its own lines */
	struct histogram latency; /* ns that single calls took, without reading the clock */
	uint64_t begin_ticks, end_ticks;
};

/* What an engine is asked to do. */
struct bench_phase {
	const struct workload *workload;
	uint32_t kind;  /* enum workload_kind: the workload's, or WORKLOAD_FILL */
	double seconds; /* after which it ends, whatever the limits; 0: they alone count */
	struct bench_worker *workers; /* params.running, whose cpu.limit is set */
	const uint8_t *value;         /* what updates write: one copy, zeroed */
	const atomic_int *stop;       /* or NULL */
};

struct bench_cpu_result {
	uint64_t operations, calls;
	double seconds;
	struct map_counters counters;
	uint64_t lock_waits[LOCK_RANKS]; /* by enum lock_rank, or COUNT_UNKNOWN */
	struct histogram latency;
};

/* One run; the figures are those of the part that was measured. */
struct bench_measured {
	uint64_t operations, calls;
	double seconds; /* from the first CPU's begin to the last one's end */
	double rate;    /* operations a second, of all CPUs */
	struct map_counters total;
	uint64_t lock_waits[LOCK_RANKS];
	struct histogram latency;
	struct bench_cpu_result *cpus;
	struct map_census census;
	struct map_memory memory;
	struct map_alloc_stats alloc; /* since the map was made */
	const char *check;            /* as in struct replay_result */
};

struct bench_result {
	struct bench_measured median;
	uint32_t cpus;    /* that work */
	uint32_t threads; /* that they work on */
	uint32_t max_entries;
	uint32_t runs;
	double rate_min, rate_max; /* of all runs */
};

struct bench_options {
	/* Called before each run; or NULL. */
	void (*progress)(void *arg, uint64_t done, uint64_t total);
	void *progress_arg;
	const atomic_int *stop; /* set from outside to end with -EINTR; or NULL */
};

/*
 * Runs a finished config's workload. result is the caller's to deinit, also after an error. Returns
 * 0, or a negative errno with error: the engine has no benchmarks, a map that is refused, a
 * workload that does not fit, -EUCLEAN when config->check found a fault, -EINTR.
 */
int bench_run(const struct run_config *config, const struct bench_options *options,
	      struct bench_result *result, struct error *error);
void bench_result_deinit(struct bench_result *result);

/* Adds the result's figures in their fixed order; what a CPU did. */
void bench_record(const struct bench_result *result, struct record *record);
void bench_record_cpu(const struct bench_result *result, uint32_t cpu, struct record *record);

/* Puts the samples that a CPU has, which are in units of so many ns, into a histogram. */
void bench_take_samples(struct bench_cpu *cpu, double unit_ns, struct histogram *latency);

#endif
