// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The sequential engine: the model's seq flavour, one operation after another. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/attr.h"
#include "sim/engine.h"
#include "sim/memory.h"

struct seq_run {
	struct map *map;
	uint32_t cpus;
	uint64_t bytes; /* reserved */
};

static const struct model_ops *const ops = &seq_model_ops;

static int seq_open(const struct run_config *config, void **state, struct error *error)
{
	struct seq_run *run;
	int err = map_config_check(&config->map, error);

	if (err)
		return err;
	run = calloc(1, sizeof(*run));
	if (!run)
		return error_set(error, -ENOMEM, "out of memory");
	run->cpus = config->map.cpus;
	run->bytes = map_config_bytes(&config->map);
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

static void seq_close(void *state)
{
	struct seq_run *run = state;

	ops->map_destroy(run->map);
	memory_release(run->bytes);
	free(run);
}

static int seq_run(void *state, const struct map_run *run, struct error *error)
{
	struct seq_run *seq = state;

	(void)error;
	ops->run(seq->map, run);
	return 0;
}

static void seq_counters(void *state, uint32_t cpu, struct map_counters *counters)
{
	ops->counters(((struct seq_run *)state)->map, cpu, counters);
}

static void seq_census(void *state, struct map_census *census)
{
	ops->census(((struct seq_run *)state)->map, census);
}

static void seq_memory(void *state, struct map_memory *memory)
{
	ops->memory(((struct seq_run *)state)->map, memory);
}

static void seq_lists(void *state, map_list_fn *fn, void *arg)
{
	ops->lists(((struct seq_run *)state)->map, fn, arg);
}

static uint32_t seq_max_entries(void *state)
{
	return ops->max_entries(((struct seq_run *)state)->map);
}

/* Iterates as a reader by system call would. */
static int seq_dump(void *state, engine_key_fn *fn, void *arg, struct error *error)
{
	struct seq_run *run = state;
	struct map_ctx ctx = {.cpu = 0, .context = OP_SYSCALL};
	uint32_t key_size = ops->key_size(run->map);
	uint8_t *key = calloc(1, key_size);
	bool is_first = true;

	if (!key)
		return error_set(error, -ENOMEM, "out of memory");
	while (!ops->next_key(run->map, &ctx, is_first ? NULL : key, key)) {
		uint64_t number = 0;

		memcpy(&number, key, key_size < 8 ? key_size : 8);
		fn(arg, number);
		is_first = false;
	}
	free(key);
	return 0;
}

static int seq_check(void *state, struct error *error)
{
	return ops->check(((struct seq_run *)state)->map, error);
}

const struct engine engine_seq = {
	.name = "seq",
	.summary = "the model, one operation after another",
	.model = &seq_model_ops,
	.open = seq_open,
	.close = seq_close,
	.run = seq_run,
	.counters = seq_counters,
	.census = seq_census,
	.memory = seq_memory,
	.lists = seq_lists,
	.max_entries = seq_max_entries,
	.dump = seq_dump,
	.check = seq_check,
};
