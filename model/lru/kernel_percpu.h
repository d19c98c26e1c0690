/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The per-CPU LRU, for variants of it: what struct lru_ops asks for. */
#ifndef MODEL_LRU_KERNEL_PERCPU_H
#define MODEL_LRU_KERNEL_PERCPU_H

#include "model/lru/kernel_list.h"

struct lru_percpu {
	uint32_t free_target;
	struct lru_list lists[];
};

int lru_percpu_init(struct map *map);
void lru_percpu_deinit(struct map *map);
struct elem *lru_percpu_pop(struct map *map, struct map_ctx *ctx, uint32_t hash);
void lru_percpu_give_back(struct map *map, struct map_ctx *ctx, struct elem *elem);
void lru_percpu_lists(const struct map *map, map_list_fn *fn, void *arg);
int lru_percpu_walk(const struct map *map, lru_visit_fn *visit, void *arg, struct error *error);
uint64_t lru_percpu_model_bytes(const struct map *map);

#endif
