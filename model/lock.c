// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The kernel's own bucket locks, release by release (kernel names: raw_spinlock_t per bucket,
 * map_locked counts, rqspinlock_t).
 *
 * "bit" was proposed instead of the locks of 4.6: a bit of the list head, so that buckets stay at 8
 * bytes.
 *
 * Invariant: a policy that fails holds nothing. Deviation: queueing and waiting are the
 * environment's business; here is only which word is locked, and what refuses.
 */
#include "model/lock.h"

static int map_lock_lock(struct map *map, struct map_ctx *ctx, uint32_t bucket)
{
	(void)bucket;
	return env_lock(&map->lock, ctx, RANK_BUCKET, LOCK_RAW);
}

static void map_lock_unlock(struct map *map, struct map_ctx *ctx, uint32_t bucket)
{
	(void)bucket;
	env_unlock(&map->lock, ctx, RANK_BUCKET, LOCK_RAW);
}

static int raw_lock(struct map *map, struct map_ctx *ctx, uint32_t bucket)
{
	return env_lock(&map_bucket(map, bucket)->lock, ctx, RANK_BUCKET, LOCK_RAW);
}

static void raw_unlock(struct map *map, struct map_ctx *ctx, uint32_t bucket)
{
	env_unlock(&map_bucket(map, bucket)->lock, ctx, RANK_BUCKET, LOCK_RAW);
}

static int bit_lock(struct map *map, struct map_ctx *ctx, uint32_t bucket)
{
	env_lock_bit(&map_bucket(map, bucket)->first, LINK_LOCKED, ctx, RANK_BUCKET);
	return 0;
}

static void bit_unlock(struct map *map, struct map_ctx *ctx, uint32_t bucket)
{
	env_unlock_bit(&map_bucket(map, bucket)->first, LINK_LOCKED, ctx, RANK_BUCKET);
}

/* 5.11: a CPU that holds a lock of a class already must be in a nested context, and is refused. */
static int held_count_lock(struct map *map, struct map_ctx *ctx, uint32_t bucket)
{
	uint32_t *held = &map_cpu(map, ctx->cpu)->locks_held[bucket % map->lock_classes];

	if (env_cpu_add(held, 1) != 1) {
		env_cpu_add(held, -1);
		return -EBUSY;
	}
	return raw_lock(map, ctx, bucket);
}

static void held_count_unlock(struct map *map, struct map_ctx *ctx, uint32_t bucket)
{
	raw_unlock(map, ctx, bucket);
	env_cpu_add(&map_cpu(map, ctx->cpu)->locks_held[bucket % map->lock_classes], -1);
}

static int resilient_lock(struct map *map, struct map_ctx *ctx, uint32_t bucket)
{
	return env_lock(&map_bucket(map, bucket)->lock, ctx, RANK_BUCKET, LOCK_RESILIENT);
}

static void resilient_unlock(struct map *map, struct map_ctx *ctx, uint32_t bucket)
{
	env_unlock(&map_bucket(map, bucket)->lock, ctx, RANK_BUCKET, LOCK_RESILIENT);
}

static const struct lock_policy lock_map = {{"map", "one lock for the whole map"},
					    map_lock_lock,
					    map_lock_unlock,
					    .is_elsewhere = true};
static const struct lock_policy lock_bucket = {{"bucket", "a raw spin lock per bucket"},
					       raw_lock,
					       raw_unlock};
static const struct lock_policy lock_bit = {{"bit",
					     "a bit of the bucket's list head, test and set"},
					    bit_lock,
					    bit_unlock,
					    .is_elsewhere = true};
static const struct lock_policy lock_held_count =
	{{"held-count", "per bucket; EBUSY when this CPU holds its class already"},
	 held_count_lock,
	 held_count_unlock};
static const struct lock_policy lock_resilient =
	{{"resilient", "per bucket; EDEADLK and ETIMEDOUT instead of waiting for ever"},
	 resilient_lock,
	 resilient_unlock};

const struct lock_policy *const lock_policies[] = {&lock_map,        &lock_bucket,    &lock_bit,
						   &lock_held_count, &lock_resilient, NULL};
