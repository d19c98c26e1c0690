/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What reading per-CPU statistics costs: the same tables read in each order in turn, several times,
 * beside how fast memory can be read at all; while others write to them, if asked for.
 */
#ifndef SIM_FOLDING_H
#define SIM_FOLDING_H

#include <stdatomic.h>

#include "base/record.h"
#include "sim/fold_source.h"

struct folding_config {
	struct fold_size size;
	uint32_t writers; /* at most as many as CPUs, each of which has one writer at most */
	uint32_t repeat;  /* readings in each order, at least 1 */
	bool has_map;     /* read a map, too */
	const struct fold_order *order; /* NULL: all */
};

#define FOLDING_WRITERS_MAX 256
#define FOLDING_REPEAT_MAX 10000

/* Of all readings in an order; nanoseconds for a table. */
struct folding_time {
	const struct fold_order *order;
	double ns, ns_min, ns_max; /* ns is the median */
	uint64_t line_visits;
};

/* Of one source. */
struct folding_part {
	const char *source; /* "tables", "map" */
	struct folding_time times[FOLD_ORDERS];
	uint32_t count;
	uint64_t lines;
	uint64_t updates;                  /* by writers, while it was read */
	double bandwidth_bytes_per_second; /* of memory, in the same while; a median */
};

struct folding_result {
	struct folding_part parts[2];
	uint32_t count;
};

/*
 * Measures. The thread that reads, and those that write, are bound to CPUs of the machine in turn,
 * scattered. 0; -EUCLEAN with error when sums were wrong, in any order; -EINVAL or -ENOMEM with
 * error, nothing having been allocated when memory would not do; -EINTR after a stop, which may be
 * NULL.
 */
int folding_run(const struct folding_config *config, const atomic_int *stop,
		struct folding_result *result, struct error *error);

/* A row of a result: the i-th order of a part, with what was asked for. */
void folding_record(const struct folding_config *config, const struct folding_part *part,
		    uint32_t i, struct record *record);

#endif
