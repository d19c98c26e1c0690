/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A slice of torture: a map, threads that do random operations on it at the same time, and what has
 * to hold then.
 */
#ifndef SIM_TORTURE_SLICE_H
#define SIM_TORTURE_SLICE_H

#include <stdatomic.h>

#include "base/error.h"
#include "sim/map_config.h"

struct slice {
	const struct model_ops *ops;
	const struct map_config *map; /* finished; threads are its first CPUs */
	uint32_t threads;
	uint64_t operations; /* of each thread */
	uint64_t seed;
	const char *mix; /* letters of text traces, drawn evenly: L l U u N n E e D d T t k b p */
	uint64_t ids;    /* keys are 0..ids-1 */
	uint64_t shared_ids;  /* those below are every thread's, each other is one thread's own */
	bool has_delays;      /* at preemption points */
	bool waits_for_grace; /* nobody ever reads an element that was reused */
	atomic_uint_fast64_t *steps; /* counts on while the threads do */
	const atomic_int *stop;      /* or NULL */

	/* What happened. */
	uint64_t done;
	uint64_t reused; /* look-ups that read an element being reused, and were right when repeated
			  */
	uint64_t timeouts;  /* locks given up */
	uint64_t shortages; /* updates that got no element */
	uint64_t waits;     /* locks that were not free at once */
};

/* The bytes of a value that a slice can have: all, or with per-CPU values a multiple of 8. */
bool slice_can_have(const struct map_attr *attr);

/*
 * Runs the slice and checks: every return was possible, and the only possible one where a key is a
 * thread's own and the map keeps it; every value read was written for its key, by its thread last
 * where that is the only one; conservation; entries are what the counters say; all max_entries
 * elements can be had again. Returns 0; -EUCLEAN with error saying what is wrong; or another
 * negative errno with error when it could not run.
 */
int slice_run(struct slice *slice, struct error *error);

#endif
