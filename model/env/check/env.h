/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The environment of the checking flavour, for tests: sequential, but every lock is taken, its
 * rank asserted, and the n-th one fails when a test says so (map_ctx.fail_lock_in). It shows that
 * the model locks what it touches in the right order, and gives back what it holds on failure.
 */
#ifndef MODEL_ENV_H
#define MODEL_ENV_H

#include <assert.h>

#define ENV_NS(name) check_##name
#include "model/ns.h"

#include "model/env/alone.h"
#include "model/env/memory.h"
#include "model/fault.h"
#include "model/lock_kinds.h"
#include "model/model.h"

#define ENV_NAME "check"

enum {
	ENV_LOCKS = 1,
	ENV_PARALLEL = 0, /* whether CPUs run at the same time, as threads */
	ENV_CENSUS = 1,
	ENV_SHORTCUTS = 0, /* whether invariants may stand for walks: nothing runs meanwhile */
	ENV_LOOKAHEAD = 0,
	ENV_FAULTS = 1, /* whether tests can plant faults, and make locks fail */
};

struct env_lock {
	uint32_t word;
};

/* The fault that a test has planted; set while nothing runs. */
extern enum fault fault_planted;

static inline bool env_fault(enum fault fault)
{
	return fault_planted == fault;
}

static inline void env_prefetch(const void *address)
{
	(void)address;
}

static inline int env_lock(struct env_lock *lock, struct map_ctx *ctx, enum lock_rank rank,
			   enum lock_kind kind)
{
	if (ctx->fail_lock_in && kind == LOCK_RESILIENT && --ctx->fail_lock_in == 0)
		return -ETIMEDOUT;
	assert(!lock->word);
	assert(ctx->ranks_held < 1u << rank);
	lock->word = 1;
	ctx->ranks_held |= 1u << rank;
	return 0;
}

static inline int env_trylock(struct env_lock *lock, struct map_ctx *ctx, enum lock_rank rank,
			      enum lock_kind kind)
{
	(void)kind;
	if (ctx->fail_lock_in && --ctx->fail_lock_in == 0)
		return -EBUSY;
	return env_lock(lock, ctx, rank, LOCK_RAW);
}

static inline void env_unlock(struct env_lock *lock, struct map_ctx *ctx, enum lock_rank rank,
			      enum lock_kind kind)
{
	(void)kind;
	assert(lock->word == 1);
	assert(ctx->ranks_held & 1u << rank);
	lock->word = 0;
	ctx->ranks_held &= ~(1u << rank);
}

static inline void env_lock_bit(uintptr_t *word, uintptr_t bit, struct map_ctx *ctx,
				enum lock_rank rank)
{
	assert(!(*word & bit));
	assert(ctx->ranks_held < 1u << rank);
	*word |= bit;
	ctx->ranks_held |= 1u << rank;
}

static inline void env_unlock_bit(uintptr_t *word, uintptr_t bit, struct map_ctx *ctx,
				  enum lock_rank rank)
{
	assert(*word & bit);
	*word &= ~bit;
	ctx->ranks_held &= ~(1u << rank);
}

#endif
