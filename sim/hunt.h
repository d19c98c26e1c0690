/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Hunting for differences between two engines with random cases (sim/fuzz.h), and making the first
 * one that is found small.
 */
#ifndef SIM_HUNT_H
#define SIM_HUNT_H

#include <stdatomic.h>

#include "sim/compare.h"
#include "sim/fuzz.h"

/* Called now and then, by one thread at a time. */
typedef void hunt_progress_fn(void *arg, uint64_t cases, uint64_t operations);

struct hunt_options {
	const struct engine *engines[2];
	const struct run_config *config; /* all but the map and the traces */
	uint32_t cpus;                   /* operations are on CPUs below; at most the config's */
	uint64_t seed;
	double seconds;     /* begins no case after that */
	uint64_t cases_max; /* nor more than these */
	uint32_t jobs;      /* threads; at least 1 */
	hunt_progress_fn *progress;
	void *progress_arg;
	const atomic_int *stop; /* set from outside to end; or NULL */
};

struct hunt_result {
	uint64_t cases, operations; /* that were compared, without those of shrinking */
	uint64_t shortages;         /* cases that were compared again because memory was short */
	double seconds;
	bool is_found; /* then all below holds */
	uint64_t case_number;
	uint64_t case_operations; /* before shrinking */
	bool is_repeatable;       /* it failed again; only then it was made small */
	struct fuzz_case fuzz;
	struct compare_difference difference; /* of the small case */
};

/*
 * How many of the config's CPUs, from 0 on, operations can be on in both engines: all, or those
 * that the process may use where one is the running kernel. 0 with error when there is none.
 */
uint32_t hunt_cpus(const struct run_config *config, const struct engine *const pair[2],
		   struct error *error);

/*
 * Compares case after case until time, number or stop end it, or a case differs: of those, the one
 * of the lowest number, whatever the number of jobs. Returns 0, also when one was found; -EINTR
 * when stopped, with the counts so far; or a negative errno with error. The result is the caller's
 * to deinit in any case.
 */
int hunt_run(const struct hunt_options *options, struct hunt_result *result, struct error *error);
void hunt_result_deinit(struct hunt_result *result);

/*
 * Adds what was run and what came of it in a fixed order; path is where the case was written, or
 * NULL.
 */
void hunt_record(const struct hunt_options *options, const struct hunt_result *result,
		 const char *path, struct record *record);

/*
 * Writes the case as a text trace, headed by comments: what differs, and the command that compares
 * it again. Returns 0, or a negative errno with error.
 */
int hunt_write(const struct hunt_options *options, const struct hunt_result *result,
	       const char *path, struct error *error);

/* The command for a shell that compares the case in a file again: the caller's to free, or NULL. */
char *hunt_command(const struct hunt_options *options, const struct hunt_result *result,
		   const char *path);

#endif
