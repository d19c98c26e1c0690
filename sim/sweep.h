/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A sweep: the same replay under every combination of the varied settings, on several threads. The
 * last setting named varies fastest; results come in that order, whatever finished first.
 */
#ifndef SIM_SWEEP_H
#define SIM_SWEEP_H

#include <signal.h>

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
	unsigned int jobs;

	/* Called with each result in order, by one thread at a time. 0 to go on, or an errno. */
	int (*row)(void *arg, const struct record *record, struct error *error);
	/* Called by the thread that began the sweep, several times a second. */
	void (*progress)(void *arg, uint64_t done, uint64_t total);
	void *arg;
	const volatile sig_atomic_t *stop; /* or NULL */
};

/*
 * The column that a varied setting has in the results: its name without dashes; "set_seed" for the
 * tunable seed, as the option's seed has its own. Lives as long as vary.
 */
const char *sweep_column(const struct vary *vary);

/* Adds a field of each name that results have; the values mean nothing. */
void sweep_record_names(const struct sweep *sweep, struct record *record);

/* The number of runs, or 0 when it does not fit a machine word. */
uint64_t sweep_runs(const struct sweep *sweep);

/*
 * Runs it. Checks first that every value is one its setting takes. Returns 0; -EINTR after a stop;
 * or the first failed run's errno with error naming the run. Either way the results up to the first
 * run that did not end well were given.
 */
int sweep_run(const struct sweep *sweep, struct error *error);

#endif
