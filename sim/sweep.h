/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A sweep: the same replay, or benchmark, under every combination of the varied settings. The last
 * setting named varies fastest; results come in that order, whatever finished first. Replays run on
 * several threads, benchmarks one after another.
 */
#ifndef SIM_SWEEP_H
#define SIM_SWEEP_H

#include <stdatomic.h>

#include "base/record.h"
#include "sim/config.h"
#include "sim/vary.h"

#define SWEEP_VARY_MAX 16

struct sweep {
	const struct run_config *base; /* not finished: each run is, on its own */
	const struct vary *vary;
	size_t vary_count;
	bool each_trace; /* the traces are a dimension, the slowest, instead of following each other
			  */
	unsigned int jobs; /* at the same time; 0: as many as there are CPUs, or 1 of benchmarks */
	uint64_t first;    /* the run to begin with: those before it were done before */

	/*
	 * Called with each result in order, by one thread at a time. 0 to go on, or an errno. The
	 * field "error" is empty, or says why the kernel refuses the run's map, in place of
	 * figures, or what was wrong with the map when it was checked.
	 */
	int (*row)(void *arg, const struct record *record, struct error *error);
	/* Called by the thread that began the sweep, several times a second. */
	void (*progress)(void *arg, uint64_t done, uint64_t total);
	void *arg;
	const atomic_int *stop; /* or NULL */
};

/* Whether its runs are benchmarks: it has a workload, or varies it. */
bool sweep_is_bench(const struct sweep *sweep);

/*
 * The column that a varied setting has in the results: its name without dashes; "set_seed" for the
 * tunable seed, as the option's seed has its own; of a workload its field. Lives as long as vary.
 */
const char *sweep_column(const struct vary *vary);

/* Adds a field of each name that results have; the values mean nothing. */
void sweep_record_names(const struct sweep *sweep, struct record *record);

/* The number of runs, or 0 when it does not fit a machine word. */
uint64_t sweep_runs(const struct sweep *sweep);

/*
 * Adds the fields that a run's row has whatever came of it, in the order of a row: what was varied
 * and what a result must state to be repeated. max_entries is there when it is varied, as it was
 * asked for; *entries is what a map makes of it. 0, or a negative errno with error.
 */
int sweep_record_run(const struct sweep *sweep, uint64_t run, struct record *record,
		     uint32_t *entries, struct error *error);

/* What a run is called in messages: what was varied, with blanks between. */
void sweep_name_run(const struct sweep *sweep, uint64_t run, char *text, size_t bytes);

/* Whether a setting exists and takes the values. 0, or -EINVAL with error. */
int sweep_check_vary(const struct run_config *base, const struct vary *vary, struct error *error);

/*
 * Runs it. Checks first that every value is one its setting takes. Returns 0; -EINTR after a stop;
 * or the first failed run's errno with error naming the run. Either way the results up to the first
 * run that did not end were given. A map that the kernel refuses, or whose check fails, is a
 * result.
 */
int sweep_run(const struct sweep *sweep, struct error *error);

#endif
