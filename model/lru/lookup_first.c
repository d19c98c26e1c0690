// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A variant of the kernel's LRU, common and per-CPU (proposed on the mailing list in 2026): an
 * update looks its key up before it takes a node. A key that is there goes to this CPU's spare
 * node, which takes the old one's place in the bucket and in the rotation, with its bit set; the
 * old one is the new spare. So it evicts nothing. The spares' nodes are extra ones beyond
 * max_entries, one for each possible CPU. Maps with per-CPU values are written in place and need
 * none.
 *
 * Locks: the list's and, inside it, the bucket's, both before anything changes; when the list's
 * fails the update does, with ENOMEM, as one that gets no node.
 */
#include "model/lru/kernel_common.h"
#include "model/lru/kernel_percpu.h"

/* The spare stands where the old node stood, on whatever doubly linked list. */
static void swap_nodes(struct elem *old, struct elem *spare)
{
	list_replace(&old->lru.list, &spare->lru.list);
	env_store(&spare->lru.cpu, old->lru.cpu);
	env_store(&spare->lru.type, old->lru.type);
	env_store(&spare->lru.ref, 1);
}

static void swap_in_list(struct lru_list *list, struct elem *old, struct elem *spare)
{
	swap_nodes(old, spare);
	if (list->cursor == &old->lru.list)
		list->cursor = &spare->lru.list;
}

/* A node that is pending can be flushed while its lock is taken, and so on. */
static struct env_lock *common_hold(struct map *map, struct map_ctx *ctx, struct elem *elem)
{
	struct lru_common *common = map->lru;

	for (;;) {
		uint16_t cpu = env_load(&elem->lru.cpu);
		struct lru_local *local = lru_local_of(map, cpu);

		if (env_load(&elem->lru.type) >= LRU_LISTS) {
			if (lru_local_lock(map, ctx, local))
				return NULL;
			if (env_load(&elem->lru.type) >= LRU_LISTS &&
			    env_load(&elem->lru.cpu) == cpu)
				return &local->lock;
			lru_local_unlock(map, ctx, local);
		} else {
			if (env_lock(&common->list.lock, ctx, RANK_LRU, map->lru_lock))
				return NULL;
			if (env_load(&elem->lru.type) < LRU_LISTS)
				return &common->list.lock;
			env_unlock(&common->list.lock, ctx, RANK_LRU, map->lru_lock);
		}
	}
}

static void common_swap(struct map *map, struct elem *old, struct elem *spare)
{
	struct lru_common *common = map->lru;

	if (old->lru.type < LRU_LISTS)
		swap_in_list(&common->list, old, spare);
	else
		swap_nodes(old, spare);
}

static void common_release(struct map *map, struct map_ctx *ctx, struct env_lock *lock)
{
	struct lru_common *common = map->lru;
	bool is_global = lock == &common->list.lock;

	env_unlock(lock, ctx, is_global ? RANK_LRU : RANK_LOCAL_LRU, map->lru_lock);
}

static int common_init(struct map *map)
{
	static const struct lru_variant variant = {lru_common_refill, lru_common_steal};

	return lru_common_init(map, &variant);
}

/* A spare can have come to another CPU's list while that one's lock was taken. */
static struct env_lock *percpu_hold(struct map *map, struct map_ctx *ctx, struct elem *elem)
{
	struct lru_percpu *lru = map->lru;

	for (;;) {
		uint16_t cpu = env_load(&elem->lru.cpu);
		struct lru_list *list = &lru->lists[cpu];

		if (env_lock(&list->lock, ctx, RANK_LRU, map->lru_lock))
			return NULL;
		if (env_load(&elem->lru.cpu) == cpu)
			return &list->lock;
		env_unlock(&list->lock, ctx, RANK_LRU, map->lru_lock);
	}
}

static void percpu_swap(struct map *map, struct elem *old, struct elem *spare)
{
	struct lru_percpu *lru = map->lru;

	swap_in_list(&lru->lists[old->lru.cpu], old, spare);
}

static void percpu_release(struct map *map, struct map_ctx *ctx, struct env_lock *lock)
{
	env_unlock(lock, ctx, RANK_LRU, map->lru_lock);
}

static const struct lru_ops lookup_first_common = {
	.init = common_init,
	LRU_COMMON_CALLS,
	.hold = common_hold,
	.swap = common_swap,
	.release = common_release,
};

static const struct lru_ops lookup_first_percpu = {
	.init = lru_percpu_init,
	.deinit = lru_percpu_deinit,
	.pop = lru_percpu_pop,
	.give_back = lru_percpu_give_back,
	.hold = percpu_hold,
	.swap = percpu_swap,
	.release = percpu_release,
	.lists = lru_percpu_lists,
	.walk = lru_percpu_walk,
	.model_bytes = lru_percpu_model_bytes,
};

const struct lru_policy lru_lookup_first = {
	.policy = {"lookup-first",
		   "the kernel's, but an update of a key that is there evicts nothing"},
	.common = &lookup_first_common,
	.percpu = &lookup_first_percpu,
};
