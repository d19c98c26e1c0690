/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The environment of the sequential flavour: one operation after another, whatever CPU each says
 * it runs on. Locks, memory order and preemption vanish; what is left is the result, at the speed
 * of this machine's memory.
 */
#ifndef MODEL_ENV_H
#define MODEL_ENV_H

#define ENV_NS(name) seq_##name
#include "model/ns.h"

#include "model/env/alone.h"
#include "model/env/memory.h"
#include "model/fault.h"
#include "model/lock_kinds.h"
#include "model/model.h"

#define ENV_NAME "seq"

enum {
	ENV_LOCKS = 0,     /* whether locks are taken at all */
	ENV_PARALLEL = 0,  /* whether CPUs run at the same time, as threads */
	ENV_CENSUS = 1,    /* whether entries can be counted in one place, exactly at any time */
	ENV_SHORTCUTS = 1, /* whether invariants may stand for walks: nothing runs meanwhile */
	ENV_LOOKAHEAD = 1, /* whether prefetching for operations to come pays */
	ENV_FAULTS = 0,    /* whether tests can plant faults, and make locks fail */
};

/* Takes no room: a bucket is half as large as the kernel's. */
struct env_lock {
};

/* Volatile: gcc takes a function that only prefetches for one without effects, and drops calls. */
static inline void env_prefetch(const void *address)
{
	__builtin_prefetch(address, 1);
	__asm__ volatile("" : : "r"(address));
}

/* Whether a test has planted this fault: never here. */
static inline bool env_fault(enum fault fault)
{
	(void)fault;
	return false;
}

/* 0, or -EBUSY, -EDEADLK, -ETIMEDOUT from kinds that can fail. */
static inline int env_lock(struct env_lock *lock, struct map_ctx *ctx, enum lock_rank rank,
			   enum lock_kind kind)
{
	(void)lock;
	(void)ctx;
	(void)rank;
	(void)kind;
	return 0;
}

static inline int env_trylock(struct env_lock *lock, struct map_ctx *ctx, enum lock_rank rank,
			      enum lock_kind kind)
{
	return env_lock(lock, ctx, rank, kind);
}

static inline void env_unlock(struct env_lock *lock, struct map_ctx *ctx, enum lock_rank rank,
			      enum lock_kind kind)
{
	(void)lock;
	(void)ctx;
	(void)rank;
	(void)kind;
}

static inline void env_lock_bit(uintptr_t *word, uintptr_t bit, struct map_ctx *ctx,
				enum lock_rank rank)
{
	(void)word;
	(void)bit;
	(void)ctx;
	(void)rank;
}

static inline void env_unlock_bit(uintptr_t *word, uintptr_t bit, struct map_ctx *ctx,
				  enum lock_rank rank)
{
	(void)word;
	(void)bit;
	(void)ctx;
	(void)rank;
}

#endif
