/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a lock is and where it stands in the order: shared by env.h and lock.h. */
#ifndef MODEL_LOCK_KINDS_H
#define MODEL_LOCK_KINDS_H

enum lock_kind {
	LOCK_RAW,       /* raw spin lock: waits for ever */
	LOCK_RESILIENT, /* resilient queued spin lock (6.15): -EDEADLK, -ETIMEDOUT */
};

/*
 * The order in which one CPU may take locks, lowest first. A free list is popped and pushed under
 * a bucket lock; no LRU lock is ever taken inside one.
 */
enum lock_rank {
	RANK_LOCAL_LRU,
	RANK_LRU,
	RANK_BUCKET,
	RANK_FREE_LIST,
	RANK_FREE_CACHE, /* of one CPU, under what all share */
	LOCK_RANKS
};

#endif
