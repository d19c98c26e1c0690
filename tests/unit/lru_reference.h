/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Rotations written plainly, from their papers: arrays and linear scans, slow and obvious. One
 * shared set of nodes, operations one after the other.
 */
#ifndef TESTS_UNIT_LRU_REFERENCE_H
#define TESTS_UNIT_LRU_REFERENCE_H

#include <stdbool.h>

#include "base/op.h"
#include "base/rng.h"

#define REFERENCE_ENTRIES_MAX 256

/* A key in the map. */
struct reference_entry {
	uint64_t key;
	uint64_t id; /* of this entry: a replaced key's new one is another */
	unsigned int uses;
	size_t frame; /* where it stands in memory, for random */
};

/* Entries from the oldest to the youngest. */
struct reference_queue {
	struct reference_entry entries[REFERENCE_ENTRIES_MAX + 1];
	size_t count;
};

struct lru_reference {
	const struct reference_kind *kind;
	bool is_percpu;
	size_t capacity;
	struct reference_queue queue, main; /* main: S3-FIFO's */
	uint64_t next_id;
	int64_t hand; /* SIEVE: the entry to look at next; -1: begin at the oldest */
	/* S3-FIFO: keys that were evicted from small, the last one last; UINT64_MAX: taken out. */
	uint64_t ghost[REFERENCE_ENTRIES_MAX];
	size_t ghost_count;
	/* Random: free frames, the last one is taken first. */
	size_t free[REFERENCE_ENTRIES_MAX];
	size_t free_count;
	struct rng rng;
	/* OPT: all operations, and the one that runs. */
	const struct op_batch *batch;
	size_t now;
	uint64_t evictions;
};

/* kind: "fifo", "clock", "sieve", "s3fifo", "random", "lru" or "opt". */
void lru_reference_init(struct lru_reference *reference, const char *kind, size_t capacity,
			bool is_percpu, const struct op_batch *batch);

/* Executes the now-th operation of the batch; returns as the map does. Only LTUNED and luned. */
int lru_reference_op(struct lru_reference *reference, size_t now);

#endif
