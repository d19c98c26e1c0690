// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Engines over flavours of the model. */
#include "sim/engine_model.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/memory.h"

int engine_model_open(const struct run_config *config, void **state, struct error *error)
{
	const struct model_ops *ops = config->engine->model;
	struct model_run *run;
	int err = map_config_check(&config->map, error);

	if (err)
		return err;
	run = calloc(1, sizeof(*run));
	if (!run)
		return error_set(error, -ENOMEM, "out of memory");
	run->ops = ops;
	run->bytes = config->has_memory ? 0 : map_config_bytes(&config->map);
	err = memory_reserve(run->bytes, error);
	if (err) {
		free(run);
		return err;
	}
	err = ops->map_create(&config->map.attr, &config->map.tunables, config->map.cpus, &run->map,
			      error);
	if (err) {
		memory_release(run->bytes);
		free(run);
		return err;
	}
	*state = run;
	return 0;
}

void engine_model_close(void *state)
{
	struct model_run *run = state;

	run->ops->map_destroy(run->map);
	memory_release(run->bytes);
	free(run);
}

int engine_model_run(void *state, const struct map_run *run, struct error *error)
{
	struct model_run *model = state;

	(void)error;
	model->ops->run(model->map, run);
	return 0;
}

void engine_model_counters(void *state, uint32_t cpu, struct map_counters *counters)
{
	const struct model_run *run = state;

	run->ops->counters(run->map, cpu, counters);
	if (!run->ops->has_census)
		counters->premature_evictions = COUNT_UNKNOWN;
}

void engine_model_census(void *state, struct map_census *census)
{
	const struct model_run *run = state;

	run->ops->census(run->map, census);
	if (run->ops->has_census)
		return;
	census->entries_max = COUNT_UNKNOWN;
	census->first_premature_entries = COUNT_UNKNOWN;
}

void engine_model_memory(void *state, struct map_memory *memory)
{
	const struct model_run *run = state;

	run->ops->memory(run->map, memory);
}

void engine_model_alloc_stats(void *state, struct map_alloc_stats *stats)
{
	const struct model_run *run = state;

	run->ops->alloc_stats(run->map, stats);
}

void engine_model_lists(void *state, map_list_fn *fn, void *arg)
{
	const struct model_run *run = state;

	run->ops->lists(run->map, fn, arg);
}

uint32_t engine_model_max_entries(void *state)
{
	const struct model_run *run = state;

	return run->ops->max_entries(run->map);
}

/* Iterates as a reader by system call would. */
int engine_model_dump(void *state, engine_key_fn *fn, void *arg, struct error *error)
{
	const struct model_run *run = state;
	struct map_ctx ctx = {.cpu = 0, .context = OP_SYSCALL};
	uint32_t key_size = run->ops->key_size(run->map);
	uint8_t *key = calloc(1, key_size);
	bool is_first = true;

	if (!key)
		return error_set(error, -ENOMEM, "out of memory");
	while (!run->ops->next_key(run->map, &ctx, is_first ? NULL : key, key)) {
		uint64_t number = 0;

		memcpy(&number, key, key_size < 8 ? key_size : 8);
		fn(arg, number);
		is_first = false;
	}
	free(key);
	return 0;
}

int engine_model_check(void *state, struct error *error)
{
	const struct model_run *run = state;

	return run->ops->check(run->map, error);
}
