// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The common LRU (4.10; bpf_common_lru): global lists under one lock, and for every CPU a local
 * FREE stack and a local pending list under a local lock, so that most pops touch only the CPU's
 * own lines.
 *
 * Invariants: a node is on one global list, one local list, or in flight in one pop. Lock order:
 * local, global, bucket; a stealing CPU holds one local lock at a time. 7.3: locks can fail; a
 * give-back that cannot lock leaves its node where it is, marked pending free.
 * Deviation: local FREE lists are singly linked in all releases; they are only pushed and popped at
 * the head. Variants (struct lru_variant) differ in how an empty local FREE list is filled.
 */
#include "model/lru/kernel_common.h"

#define RECENT_AHEAD 16 /* how far ahead a flush fetches the nodes it remembers */

static size_t common_bytes(const struct map *map)
{
	return sizeof(struct lru_common) + map->cpus * sizeof(struct lru_local);
}

static void local_add_pending(struct lru_local *local, struct elem *elem, uint32_t cpu,
			      uint32_t hash)
{
	env_store(&elem->hash, hash);
	env_store(&elem->lru.cpu, (uint16_t)cpu);
	env_store(&elem->lru.type, LRU_LOCAL_PENDING);
	env_store(&elem->lru.ref, 0);
	list_add(&elem->lru.list, &local->pending);
	local->pending_count++;
	if (ENV_LOOKAHEAD)
		local->recent[local->recent_count++ % LRU_RECENT] = elem;
}

static void local_del_pending(struct lru_local *local, struct elem *elem)
{
	list_del(&elem->lru.list);
	local->pending_count--;
}

/* Pending nodes from the tail; from the head where a test has planted that fault. */
static struct list_node *pending_oldest(const struct lru_local *local, enum fault fault)
{
	return env_fault(fault) ? local->pending.next : local->pending.prev;
}

static struct list_node *pending_younger(const struct list_node *node, enum fault fault)
{
	return env_fault(fault) ? node->next : node->prev;
}

/* Kernel-maps 4.2: fixed until 6.16, then half of a CPU's share, within bounds. */
static uint32_t common_free_target(const struct map *map)
{
	uint64_t target = map_tunable(map, TUNE_FREE_TARGET);
	uint64_t least = map_tunable(map, TUNE_FREE_TARGET_MIN);
	uint64_t most = map_tunable(map, TUNE_FREE_TARGET_MAX);

	if (target != TUNABLE_AUTO)
		return (uint32_t)target;
	if (map_tunable(map, TUNE_FREE_TARGET_RULE) == FREE_TARGET_FIXED)
		return (uint32_t)most;
	target = map->max_entries / map->cpus / 2;
	if (target < least)
		target = least;
	return (uint32_t)(target < most ? target : most);
}

int lru_common_init(struct map *map, const struct lru_variant *variant)
{
	uint64_t nr_scans = map_tunable(map, TUNE_NR_SCANS);
	struct lru_common *common = env_alloc(common_bytes(map), -1);

	if (!common)
		return -ENOMEM;
	if (nr_scans == TUNABLE_AUTO)
		nr_scans = map_tunable(map, TUNE_COMMON_NR_SCANS);
	map->lru = common;
	lru_list_init(&common->list, (uint32_t)nr_scans);
	common->free_target = common_free_target(map) + env_fault(FAULT_TARGET_ONE_MORE);
	common->variant = variant;
	for (uint32_t cpu = 0; cpu < map->cpus; cpu++) {
		list_init(&common->locals[cpu].pending);
		common->locals[cpu].next_steal = cpu;
		common->locals[cpu].free_target = common->free_target;
		common->locals[cpu].is_lockless = map->lru_lock == LOCK_RESILIENT;
	}
	for (uint64_t i = 0; i < map->max_entries; i++)
		lru_list_add(&common->list, map_elem(map, i), LRU_FREE);
	return 0;
}

void lru_common_deinit(struct map *map)
{
	env_free(map->lru, common_bytes(map));
}

/* Fetches count of the remembered nodes, the first being the n-th ever. */
static void local_fetch_recent(const struct lru_local *local, uint64_t n, uint64_t count)
{
	for (uint64_t end = n + count; n < end; n++)
		env_prefetch(local->recent[n % LRU_RECENT]);
}

/* Pending nodes go to the global lists: used ones as active. Under both locks. */
static void common_flush(struct lru_list *list, struct lru_local *local)
{
	struct list_node *node, *next;

	if (ENV_LOOKAHEAD)
		local_fetch_recent(local, local->recent_count - local->pending_count, RECENT_AHEAD);
	for (node = pending_oldest(local, FAULT_FLUSH_FROM_HEAD); node != &local->pending;
	     node = next) {
		struct elem *elem = elem_of_lru(node);
		enum lru_list_type type = env_load(&elem->lru.ref) ? LRU_ACTIVE : LRU_INACTIVE;

		if (ENV_LOOKAHEAD)
			local_fetch_recent(local,
					   local->recent_count - local->pending_count +
						   RECENT_AHEAD,
					   1);

		next = pending_younger(node, FAULT_FLUSH_FROM_HEAD);
		if (env_load(&elem->lru.pending_free)) {
			env_store(&elem->lru.pending_free, 0);
			type = LRU_FREE;
		}
		local_del_pending(local, elem);
		lru_list_add(list, elem, type);
	}
}

bool lru_common_begin(struct map *map, struct map_ctx *ctx, struct lru_local *local)
{
	struct lru_common *common = map->lru;

	if (env_lock(&common->list.lock, ctx, RANK_LRU, map->lru_lock))
		return false;
	map_counters(map, ctx)->flushes++;
	common_flush(&common->list, local);
	lru_list_rotate(map, ctx, &common->list);
	return true;
}

uint32_t lru_common_take(struct map *map, struct lru_local *local, uint32_t wanted)
{
	struct lru_common *common = map->lru;
	struct list_node *free = &common->list.heads[LRU_FREE];
	uint32_t count;

	for (count = 0; count < wanted && !list_is_empty(free); count++) {
		struct elem *elem = elem_of_lru(free->next);

		lru_list_take(&common->list, elem);
		lru_local_push_free(local, elem);
	}
	return count;
}

static void common_freed(void *local, struct elem *elem)
{
	lru_local_push_free(local, elem);
}

uint32_t lru_common_shrink(struct map *map, struct map_ctx *ctx, struct lru_local *local,
			   uint32_t wanted)
{
	struct lru_common *common = map->lru;

	if (!wanted)
		return 0;
	return lru_list_shrink(map, ctx, &common->list, wanted, common_freed, local);
}

void lru_common_end(struct map *map, struct map_ctx *ctx)
{
	struct lru_common *common = map->lru;

	if (ENV_LOOKAHEAD && map->lookahead)
		lru_ahead_restart(&common->list);
	env_unlock(&common->list.lock, ctx, RANK_LRU, map->lru_lock);
}

void lru_common_refill(struct map *map, struct map_ctx *ctx, struct lru_local *local)
{
	struct lru_common *common = map->lru;
	uint32_t target = common->free_target;

	if (!lru_common_begin(map, ctx, local))
		return;
	lru_common_shrink(map, ctx, local, target - lru_common_take(map, local, target));
	lru_common_end(map, ctx);
}

struct elem *lru_local_take_pending(struct map *map, struct map_ctx *ctx, struct lru_local *local)
{
	for (int force = 0; force < 2; force++) {
		struct list_node *node = pending_oldest(local, FAULT_STEAL_FROM_HEAD);

		for (; node != &local->pending;
		     node = pending_younger(node, FAULT_STEAL_FROM_HEAD)) {
			struct elem *elem = elem_of_lru(node);

			if (!force && env_load(&elem->lru.ref) &&
			    !env_load(&elem->lru.pending_free))
				continue;
			if (!lru_unhash(map, ctx, elem))
				continue;
			local_del_pending(local, elem);
			return elem;
		}
	}
	return NULL;
}

struct elem *lru_common_round(struct map *map, struct map_ctx *ctx, lru_take_fn *take)
{
	struct lru_local *mine = lru_local_of(map, ctx->cpu);
	uint32_t first = mine->next_steal, cpu = first;
	struct elem *elem = NULL;

	do {
		struct lru_local *local = lru_local_of(map, cpu);

		if (!lru_local_lock(map, ctx, local)) {
			elem = take(map, ctx, local);
			lru_local_unlock(map, ctx, local);
		}
		cpu = map_next_cpu(map, cpu);
	} while (!elem && cpu != first);
	mine->next_steal = env_fault(FAULT_STEAL_AT_SELF) ? ctx->cpu : cpu;
	return elem;
}

static struct elem *common_take_one(struct map *map, struct map_ctx *ctx, struct lru_local *local)
{
	struct elem *elem = lru_local_pop_free(local);

	return elem ? elem : lru_local_take_pending(map, ctx, local);
}

struct elem *lru_common_steal(struct map *map, struct map_ctx *ctx)
{
	struct elem *elem = lru_common_round(map, ctx, common_take_one);

	if (elem)
		map_counters(map, ctx)->steals++;
	return elem;
}

struct elem *lru_common_pop(struct map *map, struct map_ctx *ctx, uint32_t hash)
{
	struct lru_common *common = map->lru;
	struct lru_local *local = &common->locals[ctx->cpu];
	struct elem *elem;

	if (lru_local_lock(map, ctx, local))
		return NULL;
	elem = lru_local_pop_free(local);
	if (!elem) {
		common->variant->refill(map, ctx, local);
		elem = lru_local_pop_free(local);
	}
	if (elem)
		local_add_pending(local, elem, ctx->cpu, hash);
	lru_local_unlock(map, ctx, local);
	if (ENV_LOOKAHEAD && common->list.ahead.left)
		lru_ahead_step(map, &common->list.ahead);
	if (elem)
		return elem;

	elem = common->variant->steal(map, ctx);
	if (!elem)
		return NULL;
	if (lru_local_lock(map, ctx, local)) {
		/* In 7.3 the local FREE stack needs no lock: the node is not lost. */
		lru_local_push_free(local, elem);
		return NULL;
	}
	local_add_pending(local, elem, ctx->cpu, hash);
	lru_local_unlock(map, ctx, local);
	return elem;
}

/* To its CPU's local FREE when still pending there. True when that settled it. */
static bool common_give_back_local(struct map *map, struct map_ctx *ctx, struct elem *elem)
{
	struct lru_common *common = map->lru;
	struct lru_local *local = &common->locals[env_load(&elem->lru.cpu)];
	bool is_pending;

	if (lru_local_lock(map, ctx, local)) {
		env_store(&elem->lru.pending_free, 1);
		return true;
	}
	/* It may have been flushed while the lock was being taken. */
	is_pending = env_load(&elem->lru.type) == LRU_LOCAL_PENDING;
	if (is_pending) {
		local_del_pending(local, elem);
		if (env_fault(FAULT_GIVE_BACK_TO_OWN))
			lru_local_push_free(&common->locals[ctx->cpu], elem);
		else
			lru_local_push_free(local, elem);
	}
	lru_local_unlock(map, ctx, local);
	return is_pending;
}

void lru_common_give_back(struct map *map, struct map_ctx *ctx, struct elem *elem)
{
	struct lru_common *common = map->lru;

	if (env_load(&elem->lru.type) == LRU_LOCAL_PENDING &&
	    common_give_back_local(map, ctx, elem))
		return;
	if (env_lock(&common->list.lock, ctx, RANK_LRU, map->lru_lock)) {
		env_store(&elem->lru.pending_free, 1);
		return;
	}
	lru_list_move(&common->list, elem, LRU_FREE);
	env_unlock(&common->list.lock, ctx, RANK_LRU, map->lru_lock);
}

void lru_common_lists(const struct map *map, map_list_fn *fn, void *arg)
{
	const struct lru_common *common = map->lru;

	lru_list_report(&common->list, -1, fn, arg);
	for (uint32_t cpu = 0; cpu < map->cpus; cpu++) {
		fn(arg, "local_free", (int)cpu, common->locals[cpu].free_count);
		fn(arg, "local_pending", (int)cpu, common->locals[cpu].pending_count);
	}
}

static int local_walk(const struct lru_local *local, lru_visit_fn *visit, void *arg,
		      struct error *error)
{
	uint64_t free_count = 0, pending_count = 0;
	const struct list_node *node;
	int err = 0;

	for (node = local->free; node && !err; node = node->next, free_count++)
		err = visit(arg, elem_of_lru((struct list_node *)node), true);
	for (node = local->pending.next; node != &local->pending && !err; node = node->next) {
		err = visit(arg, elem_of_lru((struct list_node *)node), false);
		pending_count++;
	}
	if (!err && (free_count != local->free_count || pending_count != local->pending_count))
		return error_set(error, -EUCLEAN,
				 "local lists: %llu free and %llu pending nodes, counted %llu and "
				 "%llu",
				 (unsigned long long)free_count, (unsigned long long)pending_count,
				 (unsigned long long)local->free_count,
				 (unsigned long long)local->pending_count);
	return err;
}

int lru_common_walk(const struct map *map, lru_visit_fn *visit, void *arg, struct error *error)
{
	const struct lru_common *common = map->lru;
	int err = lru_list_walk(&common->list, visit, arg, error);

	for (uint32_t cpu = 0; !err && cpu < map->cpus; cpu++)
		err = local_walk(&common->locals[cpu], visit, arg, error);
	return err;
}

uint64_t lru_common_model_bytes(const struct map *map)
{
	return common_bytes(map);
}

static int kernel_init(struct map *map)
{
	static const struct lru_variant variant = {lru_common_refill, lru_common_steal};

	return lru_common_init(map, &variant);
}

const struct lru_ops lru_kernel_common = {
	.init = kernel_init,
	LRU_COMMON_CALLS,
};
