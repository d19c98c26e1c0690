/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a slice of torture is made of: beside what was asked for, by a draw. */
#ifndef SIM_TORTURE_PLAN_H
#define SIM_TORTURE_PLAN_H

#include "base/rng.h"
#include "sim/torture/slice.h"
#include "sim/torture/torture.h"

/* Threads that are drawn at most for a CPU of the machine: queues of preempted ones take for ever.
 */
#define PLAN_THREADS_PER_CPU 8

struct plan {
	struct run_config config;
	struct slice slice;
	char text[PLAN_TEXT_BYTES]; /* the same for people, to be made again */
};

/* Draws a slice for a pair of policies. The plan stays where it is: parts of it point to others. */
void plan_make(const struct torture_options *options, const struct torture_pair *pair,
	       struct plan *plan, struct rng *rng);

/* Not every rotation has a per-CPU form: whether there was one to take back. */
bool plan_use_common_lru(struct plan *plan);

/* Whether a release has these types of maps, and those before them. */
bool release_has_types(const struct kernel_release *release, enum map_types_choice least);

#endif
