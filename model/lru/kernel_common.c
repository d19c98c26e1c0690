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
 * the head.
 */
#include "model/lru/kernel_list.h"

#define RECENT 128      /* how many pending nodes are remembered: a power of two */
#define RECENT_AHEAD 16 /* how far ahead a flush fetches them */

struct lru_local {
	struct list_node *free; /* a stack through next */
	struct list_node pending;
	uint64_t free_count, pending_count;
	uint32_t next_steal;
	struct env_lock lock;
	/* Looking ahead: the nodes that became pending last, so that a flush need not chase them.
	 */
	uint64_t recent_count;
	const struct elem *recent[ENV_LOOKAHEAD ? RECENT : 1];
} __attribute__((aligned(64)));

struct lru_common {
	struct lru_list list;
	uint32_t free_target;
	struct lru_local locals[];
};

static size_t common_bytes(const struct map *map)
{
	return sizeof(struct lru_common) + map->cpus * sizeof(struct lru_local);
}

static int local_lock(struct map *map, struct map_ctx *ctx, struct lru_local *local)
{
	return env_lock(&local->lock, ctx, RANK_LOCAL_LRU, map->lru_lock);
}

static void local_unlock(struct map *map, struct map_ctx *ctx, struct lru_local *local)
{
	env_unlock(&local->lock, ctx, RANK_LOCAL_LRU, map->lru_lock);
}

static void local_push_free(struct lru_local *local, struct elem *elem)
{
	env_store(&elem->lru.type, LRU_LOCAL_FREE);
	env_store(&elem->lru.ref, 0);
	elem->lru.list.next = local->free;
	local->free = &elem->lru.list;
	local->free_count++;
}

static struct elem *local_pop_free(struct lru_local *local)
{
	struct list_node *node = local->free;

	if (!node)
		return NULL;
	local->free = node->next;
	local->free_count--;
	env_prefetch(node->next);
	return elem_of_lru(node);
}

static void local_add_pending(struct lru_local *local, struct elem *elem, uint32_t cpu,
			      uint32_t hash)
{
	elem->hash = hash;
	elem->lru.cpu = (uint16_t)cpu;
	env_store(&elem->lru.type, LRU_LOCAL_PENDING);
	env_store(&elem->lru.ref, 0);
	list_add(&elem->lru.list, &local->pending);
	local->pending_count++;
	if (ENV_LOOKAHEAD)
		local->recent[local->recent_count++ % RECENT] = elem;
}

static void local_del_pending(struct lru_local *local, struct elem *elem)
{
	list_del(&elem->lru.list);
	local->pending_count--;
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

static int common_init(struct map *map)
{
	uint64_t nr_scans = map_tunable(map, TUNE_NR_SCANS);
	struct lru_common *common = env_alloc(common_bytes(map), -1);

	if (!common)
		return -ENOMEM;
	if (nr_scans == TUNABLE_AUTO)
		nr_scans = map_tunable(map, TUNE_COMMON_NR_SCANS);
	map->lru = common;
	lru_list_init(&common->list, (uint32_t)nr_scans);
	common->free_target = common_free_target(map);
	for (uint32_t cpu = 0; cpu < map->cpus; cpu++) {
		list_init(&common->locals[cpu].pending);
		common->locals[cpu].next_steal = cpu;
	}
	for (uint64_t i = 0; i < map->elem_total; i++)
		lru_list_add(&common->list, map_elem(map, i), LRU_FREE);
	return 0;
}

static void common_deinit(struct map *map)
{
	env_free(map->lru, common_bytes(map));
}

/* Fetches count of the remembered nodes, the first being the n-th ever. */
static void local_fetch_recent(const struct lru_local *local, uint64_t n, uint64_t count)
{
	for (uint64_t end = n + count; n < end; n++)
		env_prefetch(local->recent[n % RECENT]);
}

/* Pending nodes go to the global lists: used ones as active. Under both locks. */
static void common_flush(struct lru_list *list, struct lru_local *local)
{
	struct list_node *node, *next;

	if (ENV_LOOKAHEAD)
		local_fetch_recent(local, local->recent_count - local->pending_count, RECENT_AHEAD);
	for (node = local->pending.prev; node != &local->pending; node = next) {
		struct elem *elem = elem_of_lru(node);
		enum lru_list_type type = env_load(&elem->lru.ref) ? LRU_ACTIVE : LRU_INACTIVE;

		if (ENV_LOOKAHEAD)
			local_fetch_recent(local,
					   local->recent_count - local->pending_count +
						   RECENT_AHEAD,
					   1);

		next = node->prev;
		if (env_load(&elem->lru.pending_free)) {
			env_store(&elem->lru.pending_free, 0);
			type = LRU_FREE;
		}
		local_del_pending(local, elem);
		lru_list_add(list, elem, type);
	}
}

static void common_freed(void *local, struct elem *elem)
{
	local_push_free(local, elem);
}

/* Fills this CPU's local FREE from the global lists. Under its local lock. */
static void common_refill(struct map *map, struct map_ctx *ctx, struct lru_common *common,
			  struct lru_local *local)
{
	struct lru_list *list = &common->list;
	uint32_t target = common->free_target, count;

	if (env_lock(&list->lock, ctx, RANK_LRU, map->lru_lock))
		return;
	map_counters(map, ctx)->flushes++;
	common_flush(list, local);
	lru_list_rotate(map, ctx, list);
	for (count = 0; count < target && !list_is_empty(&list->heads[LRU_FREE]); count++) {
		struct elem *elem = elem_of_lru(list->heads[LRU_FREE].next);

		lru_list_take(list, elem);
		local_push_free(local, elem);
	}
	if (count < target)
		lru_list_shrink(map, ctx, list, target - count, common_freed, local);
	if (ENV_LOOKAHEAD && map->lookahead)
		lru_ahead_restart(list);
	env_unlock(&list->lock, ctx, RANK_LRU, map->lru_lock);
}

/* The oldest pending node that can be unhashed: unused ones first. Under the local lock. */
static struct elem *local_take_pending(struct map *map, struct map_ctx *ctx,
				       struct lru_local *local)
{
	for (int force = 0; force < 2; force++) {
		struct list_node *node = local->pending.prev;

		for (; node != &local->pending; node = node->prev) {
			struct elem *elem = elem_of_lru(node);
			bool is_free = env_load(&elem->lru.pending_free);

			if (!is_free && !force && env_load(&elem->lru.ref))
				continue;
			if (!is_free && !htab_evict(map, ctx, elem))
				continue;
			env_store(&elem->lru.pending_free, 0);
			local_del_pending(local, elem);
			return elem;
		}
	}
	return NULL;
}

/* Goes round the CPUs from the steal cursor, itself included. */
static struct elem *common_steal(struct map *map, struct map_ctx *ctx, struct lru_common *common)
{
	struct lru_local *mine = &common->locals[ctx->cpu];
	uint32_t first = mine->next_steal, cpu = first;
	struct elem *elem = NULL;

	do {
		struct lru_local *local = &common->locals[cpu];

		if (!local_lock(map, ctx, local)) {
			elem = local_pop_free(local);
			if (!elem)
				elem = local_take_pending(map, ctx, local);
			local_unlock(map, ctx, local);
		}
		if (elem)
			map_counters(map, ctx)->steals++;
		cpu = map_next_cpu(map, cpu);
	} while (!elem && cpu != first);
	mine->next_steal = cpu;
	return elem;
}

static struct elem *common_pop(struct map *map, struct map_ctx *ctx, uint32_t hash)
{
	struct lru_common *common = map->lru;
	struct lru_local *local = &common->locals[ctx->cpu];
	struct elem *elem;

	if (local_lock(map, ctx, local))
		return NULL;
	elem = local_pop_free(local);
	if (!elem) {
		common_refill(map, ctx, common, local);
		elem = local_pop_free(local);
	}
	if (elem)
		local_add_pending(local, elem, ctx->cpu, hash);
	local_unlock(map, ctx, local);
	if (ENV_LOOKAHEAD && common->list.ahead.left)
		lru_ahead_step(map, &common->list.ahead);
	if (elem)
		return elem;

	elem = common_steal(map, ctx, common);
	if (!elem)
		return NULL;
	if (local_lock(map, ctx, local)) {
		/* In 7.3 the local FREE stack needs no lock: the node is not lost. */
		local_push_free(local, elem);
		return NULL;
	}
	local_add_pending(local, elem, ctx->cpu, hash);
	local_unlock(map, ctx, local);
	return elem;
}

/* To its CPU's local FREE when still pending there. True when that settled it. */
static bool common_give_back_local(struct map *map, struct map_ctx *ctx, struct elem *elem)
{
	struct lru_common *common = map->lru;
	struct lru_local *local = &common->locals[elem->lru.cpu];
	bool is_pending;

	if (local_lock(map, ctx, local)) {
		env_store(&elem->lru.pending_free, 1);
		return true;
	}
	/* It may have been flushed while the lock was being taken. */
	is_pending = env_load(&elem->lru.type) == LRU_LOCAL_PENDING;
	if (is_pending) {
		local_del_pending(local, elem);
		local_push_free(local, elem);
	}
	local_unlock(map, ctx, local);
	return is_pending;
}

static void common_give_back(struct map *map, struct map_ctx *ctx, struct elem *elem)
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

static void common_lists(const struct map *map, map_list_fn *fn, void *arg)
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

static int common_walk(const struct map *map, lru_visit_fn *visit, void *arg, struct error *error)
{
	const struct lru_common *common = map->lru;
	int err = lru_list_walk(&common->list, visit, arg, error);

	for (uint32_t cpu = 0; !err && cpu < map->cpus; cpu++)
		err = local_walk(&common->locals[cpu], visit, arg, error);
	return err;
}

static uint64_t common_model_bytes(const struct map *map)
{
	return common_bytes(map);
}

const struct lru_ops lru_kernel_common = {
	.init = common_init,
	.deinit = common_deinit,
	.pop = common_pop,
	.give_back = common_give_back,
	.lists = common_lists,
	.walk = common_walk,
	.model_bytes = common_model_bytes,
};
