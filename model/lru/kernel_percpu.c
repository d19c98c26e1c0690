// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The per-CPU LRU (4.10, BPF_F_NO_COMMON_LRU; bpf_lru with percpu lists): every CPU rotates and
 * shrinks lists of its own, an equal run of the elements each.
 *
 * Invariant: a node is on the lists of the CPU it was dealt to, for ever. Locks: that CPU's; others
 * take it to give a node back.
 */
#include "model/lru/kernel_percpu.h"

static size_t percpu_lists_bytes(const struct map *map)
{
	return sizeof(struct lru_percpu) + 64 + map->cpus * sizeof(struct lru_list);
}

int lru_percpu_init(struct map *map)
{
	uint64_t nr_scans = map_tunable(map, TUNE_NR_SCANS);
	uint64_t target = map_tunable(map, TUNE_FREE_TARGET);
	struct lru_percpu *lru = env_alloc(percpu_lists_bytes(map), -1);
	uint64_t share = map->max_entries / map->cpus;

	if (!lru)
		return -ENOMEM;
	if (nr_scans == TUNABLE_AUTO)
		nr_scans = map_tunable(map, TUNE_PERCPU_NR_SCANS);
	map->lru = lru;
	lru->free_target = (uint32_t)(target == TUNABLE_AUTO ? nr_scans : target);
	for (uint32_t cpu = 0; cpu < map->cpus; cpu++) {
		lru_list_init(&lru->lists[cpu], (uint32_t)nr_scans);
		for (uint64_t i = 0; i < share; i++) {
			struct elem *elem = map_elem(map, cpu * share + i);

			env_store(&elem->lru.cpu, (uint16_t)cpu);
			lru_list_add(&lru->lists[cpu], elem, LRU_FREE);
		}
	}
	return 0;
}

void lru_percpu_deinit(struct map *map)
{
	env_free(map->lru, percpu_lists_bytes(map));
}

static void percpu_freed(void *list, struct elem *elem)
{
	lru_list_add(list, elem, LRU_FREE);
}

struct elem *lru_percpu_pop(struct map *map, struct map_ctx *ctx, uint32_t hash)
{
	struct lru_percpu *lru = map->lru;
	struct lru_list *list = &lru->lists[ctx->cpu];
	struct list_node *free = &list->heads[LRU_FREE];
	struct elem *elem = NULL;

	if (env_lock(&list->lock, ctx, RANK_LRU, map->lru_lock))
		return NULL;
	lru_list_rotate(map, ctx, list);
	if (list_is_empty(free))
		lru_list_shrink(map, ctx, list, lru->free_target, percpu_freed, list);
	if (!list_is_empty(free)) {
		elem = elem_of_lru(free->next);
		env_store(&elem->hash, hash);
		lru_list_move(list, elem, LRU_INACTIVE);
	}
	if (ENV_LOOKAHEAD && map->lookahead) {
		lru_ahead_restart(list);
		lru_ahead_step(map, &list->ahead);
	}
	env_unlock(&list->lock, ctx, RANK_LRU, map->lru_lock);
	return elem;
}

void lru_percpu_give_back(struct map *map, struct map_ctx *ctx, struct elem *elem)
{
	struct lru_percpu *lru = map->lru;
	struct lru_list *list = &lru->lists[env_load(&elem->lru.cpu)];

	if (env_lock(&list->lock, ctx, RANK_LRU, map->lru_lock)) {
		env_store(&elem->lru.pending_free, 1);
		return;
	}
	if (env_fault(FAULT_PERCPU_OWN_LIST)) {
		lru_list_take(list, elem);
		env_store(&elem->lru.cpu, (uint16_t)ctx->cpu);
		lru_list_add(&lru->lists[ctx->cpu], elem, LRU_FREE);
	} else {
		lru_list_move(list, elem, LRU_FREE);
	}
	env_unlock(&list->lock, ctx, RANK_LRU, map->lru_lock);
}

void lru_percpu_lists(const struct map *map, map_list_fn *fn, void *arg)
{
	const struct lru_percpu *lru = map->lru;

	for (uint32_t cpu = 0; cpu < map->cpus; cpu++)
		lru_list_report(&lru->lists[cpu], (int)cpu, fn, arg);
}

int lru_percpu_walk(const struct map *map, lru_visit_fn *visit, void *arg, struct error *error)
{
	const struct lru_percpu *lru = map->lru;
	int err = 0;

	for (uint32_t cpu = 0; !err && cpu < map->cpus; cpu++)
		err = lru_list_walk(&lru->lists[cpu], visit, arg, error);
	return err;
}

uint64_t lru_percpu_model_bytes(const struct map *map)
{
	return percpu_lists_bytes(map);
}

const struct lru_ops lru_kernel_percpu = {
	.init = lru_percpu_init,
	.deinit = lru_percpu_deinit,
	.pop = lru_percpu_pop,
	.give_back = lru_percpu_give_back,
	.lists = lru_percpu_lists,
	.walk = lru_percpu_walk,
	.model_bytes = lru_percpu_model_bytes,
};
