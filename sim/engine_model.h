/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * An engine over a flavour of the model. It is a name, a summary, the flavour's model_ops, and the
 * calls below, which know the flavour by the config's engine, but for those it has itself.
 */
#ifndef SIM_ENGINE_MODEL_H
#define SIM_ENGINE_MODEL_H

#include "sim/engine.h"

/* The state of an open one. */
struct model_run {
	const struct model_ops *ops;
	struct map *map;
	uint64_t bytes; /* reserved */
	void *own;      /* the engine's, from its open() to its close() */
};

/* See struct engine. */
int engine_model_open(const struct run_config *config, void **state, struct error *error);
void engine_model_close(void *state);
int engine_model_run(void *state, const struct map_run *run, struct error *error);
void engine_model_counters(void *state, uint32_t cpu, struct map_counters *counters);
void engine_model_census(void *state, struct map_census *census);
void engine_model_memory(void *state, struct map_memory *memory);
void engine_model_alloc_stats(void *state, struct map_alloc_stats *stats);
void engine_model_lists(void *state, map_list_fn *fn, void *arg);
uint32_t engine_model_max_entries(void *state);
int engine_model_dump(void *state, engine_key_fn *fn, void *arg, struct error *error);
int engine_model_check(void *state, struct error *error);

/* clang-format off */
#define ENGINE_MODEL_RUN_CALLS \
	.open = engine_model_open, \
	.close = engine_model_close, \
	.run = engine_model_run

#define ENGINE_MODEL_CALLS \
	.counters = engine_model_counters, \
	.census = engine_model_census, \
	.memory = engine_model_memory, \
	.alloc_stats = engine_model_alloc_stats, \
	.lists = engine_model_lists, \
	.max_entries = engine_model_max_entries, \
	.dump = engine_model_dump, \
	.check = engine_model_check
/* clang-format on */

#endif
