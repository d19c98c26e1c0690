/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Torture: threads doing random operations on maps at the same time, with every lock policy
 * together with every allocation policy (hash maps) and every rotation (LRU maps), slice by slice
 * (slice.h).
 */
#ifndef SIM_TORTURE_TORTURE_H
#define SIM_TORTURE_TORTURE_H

#include <stdatomic.h>

#include "base/record.h"
#include "sim/config.h"

#define PLAN_TEXT_BYTES 4096

/* Two policies, and what has been done with them. */
struct torture_pair {
	uint32_t lock;
	uint32_t policy; /* of allocation, or a rotation */
	bool is_rotation;
	uint64_t slices, operations;
	uint64_t reused, timeouts, shortages, waits; /* see struct slice */
};

struct torture_options {
	const struct run_config *config; /* release, tunables and CPUs hold where they were set */
	uint32_t threads;                /* at most; 2 or more */
	uint32_t usable_cpus;            /* of the machine */
	double seconds;                  /* begins no slice after that */
	uint64_t operations; /* nor of a pair that has done so many; UINT64_MAX: no end */
	bool own_pairs_only; /* the release's own policies, instead of all */
	/* Called now and then, by a thread of its own. */
	void (*progress)(void *arg, uint64_t operations);
	/* Called once when for a minute no thread came on; it does not return. */
	void (*stuck)(void *arg, const char *slice);
	void *arg;
	const atomic_int *stop; /* or NULL */
};

struct torture_result {
	struct torture_pair *pairs;
	size_t pair_count;
	uint64_t slices, operations;
	double seconds;
	bool is_faulty;              /* then: */
	char slice[PLAN_TEXT_BYTES]; /* what ran, as it was made */
	struct error fault;          /* and what was wrong */
};

/*
 * Runs until time, operations or stop end it, or a slice is faulty. Returns 0, also when one is;
 * -EINTR when stopped; or another negative errno with error. The result is the caller's to deinit
 * in any case.
 */
int torture_run(const struct torture_options *options, struct torture_result *result,
		struct error *error);
void torture_result_deinit(struct torture_result *result);

/* Adds the sums, and to pairs (pair_count of them) each pair's figures, in a fixed order. */
void torture_record(const struct torture_options *options, const struct torture_result *result,
		    struct record *record, struct record *pairs);

#endif
