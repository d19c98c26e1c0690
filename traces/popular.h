/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The most used keys of a trace, in bounded memory: counters for some keys; a key without one has
 * been used at most `missed` times. When the counters run out, those of the less used half are
 * given up, and missed becomes what the most used of them may have had. Space-Saving (A. Metwally
 * and others, "Efficient computation of frequent and top-k elements in data streams", 2005) with
 * the purging in bulk of D. Anderson and others, "A high-performance algorithm for identifying
 * frequent items in data streams", 2017.
 */
#ifndef TRACES_POPULAR_H
#define TRACES_POPULAR_H

#include <stddef.h>
#include <stdint.h>

#include "traces/sample.h"

struct popular_key {
	uint64_t hash;
	uint64_t count;  /* of uses since it has this counter; 0: a free slot */
	uint64_t missed; /* it may have had as many before */
};

struct popular {
	struct popular_key *slots; /* open addressing */
	size_t slots_mask;         /* twice as many slots as counters */
	size_t keys;
	uint64_t missed; /* by a key without a counter, at most */
};

/* counters is a power of two, at least 4096. Returns 0 or -ENOMEM. */
int popular_init(struct popular *popular, size_t counters);
void popular_deinit(struct popular *popular);

/* Begins with the counts of a sample that has all keys. Returns 0 or -ENOMEM. */
int popular_begin(struct popular *popular, const struct sample *sample);

/* Counts a use. */
void popular_use(struct popular *popular, uint64_t hash);

/* The counter of a key, or NULL. */
const struct popular_key *popular_find(const struct popular *popular, uint64_t hash);

#endif
