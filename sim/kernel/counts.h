/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What happened in a map that cannot be asked, from what its operations returned. What does not
 * follow from that for certain is COUNT_UNKNOWN.
 */
#ifndef SIM_KERNEL_COUNTS_H
#define SIM_KERNEL_COUNTS_H

#include "model/model.h"

struct return_counts {
	uint64_t operations, hits, misses, deletes, batch_elements;
	uint64_t inserted; /* by updates that only add, and after a look-up that missed */
	uint64_t replaced; /* by updates that only replace */
	uint64_t inserted_or_replaced; /* by the others */
	uint64_t errors[MAP_ERRORS];
};

/* Counts an operation that returned ret; detail is a batch's count. */
void return_counts_add(struct return_counts *counts, const struct map_op *op, int32_t ret,
		       uint64_t detail);

/* Adds from to counts. */
void return_counts_sum(struct return_counts *counts, const struct return_counts *from);

/* What one CPU's operations did. evictions are known of maps that never evict. */
void return_counts_cpu(const struct return_counts *counts, bool is_lru,
		       struct map_counters *counters);

/* What all operations together did on a map that was empty, and has entries now. */
void return_counts_total(const struct return_counts *sum, bool is_lru, uint64_t entries,
			 struct map_counters *counters);

#endif
