/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A thread of a slice of torture, and what it checks; all return as slice_run(). */
#ifndef SIM_TORTURE_WORKER_H
#define SIM_TORTURE_WORKER_H

#include "base/rng.h"
#include "sim/torture/slice.h"

struct worker {
	struct slice *slice;
	struct map *map;
	uint32_t number; /* its CPU */
	struct map_ctx ctx;
	struct rng rng;
	/* By id: the nonce of the value that was written last, 0 when it was deleted. */
	uint8_t *nonces;
	bool is_lru, is_percpu, keeps; /* what was written stays until it is deleted */
	size_t key_bytes, value_bytes, sys_value_bytes, value_stride;
	uint8_t *key, *value, *batch_keys, *batch_values;
	size_t batch_values_bytes;
	uint32_t batch_cursor;

	uint64_t done, reused, timeouts, shortages;
};

/* nonces has slice->ids, of which a worker uses its own keys'. 0 or -ENOMEM. */
int worker_init(struct worker *worker, struct slice *slice, struct map *map, uint32_t number,
		uint8_t *nonces);
void worker_deinit(struct worker *worker);

/* All its operations, on the calling thread. */
int worker_run(struct worker *worker, struct error *error);

/* What follows runs while nothing else does. */

/* Its own keys are there as it left them. */
int worker_check_own(struct worker *worker, struct error *error);
/* Each key there is has a value of its own. */
int worker_check_all(struct worker *worker, struct error *error);
/* Deletes every key. */
int worker_empty(struct worker *worker, struct error *error);
/* Every element of the empty map can be had. */
int worker_refill(struct worker *worker, struct error *error);

#endif
