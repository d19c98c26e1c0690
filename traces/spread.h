/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Keys become operations: what is done with a key, and on which CPU. */
#ifndef TRACES_SPREAD_H
#define TRACES_SPREAD_H

#include <stddef.h>
#include <stdint.h>

#include "base/rng.h"
#include "traces/trace.h"

/* Deals CPUs 0..cpus-1 to the operations of a trace, in order. */
struct spread {
	enum trace_spread kind;
	uint32_t cpus;
	uint32_t cpu;        /* in turn now */
	uint64_t block;      /* operations per turn */
	uint64_t block_left; /* of the turn */
	struct rng rng;
};

/* cpus and block are at least 1. */
void spread_init(struct spread *spread, enum trace_spread kind, uint32_t cpus, uint64_t block,
		 uint64_t seed);

/* Sets the CPUs of the trace's next operations. */
void spread_run(struct spread *spread, struct map_op *ops, size_t count);

/* Makes operations of integer keys; the CPUs stay. */
void program_run(enum trace_program program, struct map_op *ops, size_t count);

#endif
