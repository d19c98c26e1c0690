/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Verifying what operations at the same time come to: each CPU does its operations of the traces
 * while others do theirs, in two engines, and the totals have to lie where the model's lie when the
 * same operations follow each other, interleaved in many ways.
 */
#ifndef SIM_VERIFY_TOTALS_H
#define SIM_VERIFY_TOTALS_H

#include <stdatomic.h>

#include "base/record.h"
#include "sim/config.h"

enum {
	TOTALS_INTERLEAVINGS = 32,
	TOTALS_RUNS = 5, /* of each engine */
	TOTALS_COUNTS = 8
};

/* A count over all CPUs. */
struct totals_count {
	const char *name;
	uint64_t lowest, highest; /* of all interleavings */
	uint64_t least, most;     /* that are taken for right */
	uint64_t seen[2][2];      /* in each engine: lowest and highest; or COUNT_UNKNOWN */
	bool is_wrong[2];
};

struct totals_result {
	struct totals_count counts[TOTALS_COUNTS];
	uint64_t operations; /* of each run */
	uint32_t cpus;       /* that did them */
	double seconds;
	bool is_different;
};

/*
 * Runs the finished config's traces in its engine and in against, which both must have benchmarks
 * (struct engine, bench); operations are those that programs have, as many of each CPU as of the
 * one with the fewest. Returns 0, also when totals are wrong; or a negative errno with error.
 */
int totals_run(const struct run_config *config, const struct engine *against,
	       const atomic_int *stop, struct totals_result *result, struct error *error);

/* Adds what was run; and for each count a record to counts, TOTALS_COUNTS of them. */
void totals_record(const struct run_config *config, const struct engine *against,
		   const struct totals_result *result, struct record *record,
		   struct record *counts);

#endif
