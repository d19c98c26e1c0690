/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * An engine is where a map runs. A command asks for one by name and drives it through this door;
 * engines and commands know nothing of each other. One file and a line in engine.c's table.
 */
#ifndef SIM_ENGINE_H
#define SIM_ENGINE_H

#include "sim/bench.h"
#include "sim/config.h"

/* A figure that an engine does not know, and that results leave out. */
#define COUNT_UNKNOWN UINT64_MAX

/* Called with the first 8 bytes of each key, zero-filled, as a little-endian integer. */
typedef void engine_key_fn(void *arg, uint64_t key);

struct engine {
	const char *name;
	const char *summary;
	const struct model_ops *model; /* NULL where the map is not the model's */
	bool is_one_thread;            /* its CPUs take turns, also in a benchmark */
	bool is_running_kernel;        /* runs take the host's release, whatever the default */
	bool pins;                     /* its CPUs are threads, with a place on this machine */
	uint32_t batch_operations;     /* that it wants at a time; 0: as many as are convenient */

	/*
	 * Creates the run's map; the config's engine is this one. -ENOMEM etc. with error; state
	 * is engine's until close.
	 */
	int (*open)(const struct run_config *config, void **state, struct error *error);
	void (*close)(void *state);

	/* Runs a batch to its end. */
	int (*run)(void *state, const struct map_run *run, struct error *error);

	/*
	 * What can be asked after a run. What an engine does not know of it is COUNT_UNKNOWN.
	 * total is NULL where it is the sum of the CPUs' counters, lists where there are none, and
	 * seconds where all of run() is operations.
	 */
	void (*counters)(void *state, uint32_t cpu, struct map_counters *counters);
	void (*total)(void *state, struct map_counters *counters);
	void (*census)(void *state, struct map_census *census);
	void (*memory)(void *state, struct map_memory *memory);
	void (*alloc_stats)(void *state, struct map_alloc_stats *stats); /* NULL: not known */
	void (*lists)(void *state, map_list_fn *fn, void *arg);
	uint32_t (*max_entries)(void *state);
	int (*dump)(void *state, engine_key_fn *fn, void *arg, struct error *error);
	int (*check)(void *state, struct error *error);
	double (*seconds)(void *state);

	/*
	 * Does a phase of a benchmark on all its workers, at the same time where the engine can:
	 * cpu.workload, operations, calls and samples go on, the samples into the histograms, and
	 * the ticks are set. Returns 0, -EINTR after a stop, or a negative errno with error. NULL:
	 * the engine has no benchmarks.
	 */
	int (*bench)(void *state, const struct bench_phase *phase, struct error *error);
	/* Times that a CPU had to wait, by enum lock_rank; NULL where that is not known. */
	void (*lock_waits)(void *state, uint32_t cpu, uint64_t waits[LOCK_RANKS]);
};

extern const struct engine engine_seq, engine_threads;
extern const struct engine engine_kernel; /* where it could not be built, open() says why */

/* NULL-terminated. */
extern const struct engine *const engines[];

/* The engine of a name, or NULL with error naming all. */
const struct engine *engine_find(const char *name, struct error *error);

#endif
