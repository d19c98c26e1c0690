/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The seam for bucket locks. A policy is a file (or a few lines of lock.c) and a line in its table.
 *
 * Every lock of the model can fail in some release, so every caller handles an error; in flavours
 * whose locks vanish (ENV_LOCKS 0) the compiler removes that too. Ranks are in lock_kinds.h.
 */
#ifndef MODEL_LOCK_H
#define MODEL_LOCK_H

#include "model/map.h"

struct lock_policy {
	struct policy policy;
	/* Locks the bucket. 0, or -EBUSY, -EDEADLK, -ETIMEDOUT with nothing held. */
	int (*lock)(struct map *map, struct map_ctx *ctx, uint32_t bucket);
	void (*unlock)(struct map *map, struct map_ctx *ctx, uint32_t bucket);
	bool is_elsewhere; /* a bucket has no lock of its own behind its link: it takes 8 bytes */
};

extern const struct lock_policy *const lock_policies[]; /* NULL-terminated; the index is the id */

static inline int bucket_lock(struct map *map, struct map_ctx *ctx, uint32_t bucket)
{
	env_preempt(ctx);
	return ENV_LOCKS ? map->lock_policy->lock(map, ctx, bucket) : 0;
}

static inline void bucket_unlock(struct map *map, struct map_ctx *ctx, uint32_t bucket)
{
	if (ENV_LOCKS)
		map->lock_policy->unlock(map, ctx, bucket);
	env_preempt(ctx);
}

#endif
