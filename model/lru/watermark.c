// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A variant of the common LRU: every CPU has a free target of its own. When filling its local FREE
 * list took a shrink, free nodes are scarce, and the target halves, so that less is evicted for one
 * insertion; when the global FREE list had enough, it doubles, for fewer trips there. The bounds
 * are the tunables free_target_min and free_target_max, the upper one being the stronger; the first
 * target is the kernel's.
 */
#include "model/lru/kernel_common.h"

static uint32_t within_bounds(const struct map *map, uint64_t target)
{
	uint64_t least = map_tunable(map, TUNE_FREE_TARGET_MIN);
	uint64_t most = map_tunable(map, TUNE_FREE_TARGET_MAX);

	if (target < least)
		target = least;
	return (uint32_t)(target < most ? target : most);
}

static void watermark_refill(struct map *map, struct map_ctx *ctx, struct lru_local *local)
{
	uint32_t target = local->free_target, missing;

	if (!lru_common_begin(map, ctx, local))
		return;
	missing = target - lru_common_take(map, local, target);
	lru_common_shrink(map, ctx, local, missing);
	local->free_target = within_bounds(map, missing ? target / 2 : 2ULL * target);
	lru_common_end(map, ctx);
}

static int watermark_init(struct map *map)
{
	static const struct lru_variant variant = {watermark_refill, lru_common_steal};
	int err = lru_common_init(map, &variant);

	for (uint32_t cpu = 0; !err && cpu < map->cpus; cpu++) {
		struct lru_local *local = lru_local_of(map, cpu);

		local->free_target = within_bounds(map, local->free_target);
	}
	return err;
}

static const struct lru_ops watermark_ops = {
	.init = watermark_init,
	LRU_COMMON_CALLS,
};

const struct lru_policy lru_watermark = {
	.policy = {"watermark", "the kernel's, with a free target per CPU that doubles and halves"},
	.common = &watermark_ops,
};
