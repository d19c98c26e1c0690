// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sim/config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "sim/engine.h"
#include "sim/kernel/cpus.h"

typedef int config_setter(struct run_config *config, const char *value, struct error *error);

struct config_name {
	const char *name;
	config_setter *set;
};

void config_init(struct run_config *config)
{
	memset(config, 0, sizeof(*config));
	map_config_init(&config->map);
	config->engine = engines[0];
	config->program = TRACE_ACCESS;
	config->spread = SPREAD_ROUND_ROBIN;
	config->spread_block = 1024;
	config->seed = 1;
	workload_config_init(&config->workload);
}

static int set_kernel(struct run_config *config, const char *value, struct error *error)
{
	config->is_kernel_implied = false;
	config->is_kernel_given = strcmp(value, "host") != 0;
	return map_config_set_kernel(&config->map, value, error);
}

static int set_cpus(struct run_config *config, const char *value, struct error *error)
{
	int err = map_config_set_cpus(&config->map, value, error);

	if (err)
		return err;
	config->cpus_given = config->map.cpus;
	config->is_cpus_implied = false;
	return 0;
}

static int set_engine(struct run_config *config, const char *value, struct error *error)
{
	const struct engine *engine = engine_find(value, error);

	if (!engine)
		return -EINVAL;
	config->engine = engine;
	return 0;
}

static int set_program(struct run_config *config, const char *value, struct error *error)
{
	int program =
		config_find_name("program", value, trace_program_names, TRACE_PROGRAMS, error);

	if (program < 0)
		return program;
	config->program = (enum trace_program)program;
	return 0;
}

/* "block" takes a length: block:4096. */
static int set_spread(struct run_config *config, const char *value, struct error *error)
{
	int spread;

	if (!strncmp(value, "block:", 6)) {
		config->spread = SPREAD_BLOCK;
		return config_set_u32(&config->spread_block, "block length", value + 6, 1,
				      UINT32_MAX, error);
	}
	spread = config_find_name("spread", value, trace_spread_names, TRACE_SPREADS, error);
	if (spread < 0)
		return spread;
	config->spread = (enum trace_spread)spread;
	return 0;
}

static int set_seed(struct run_config *config, const char *value, struct error *error)
{
	if (number_parse(value, 0, UINT64_MAX - 1, &config->seed))
		return config_refuse_number("seed", value, 0, UINT64_MAX - 1, error);
	return 0;
}

static int set_pin(struct run_config *config, const char *value, struct error *error)
{
	int err = pin_config_parse(value, &config->pin, error);

	if (!err)
		config->is_pin_given = true;
	return err;
}

static int set_mem(struct run_config *config, const char *value, struct error *error)
{
	return mem_config_parse(value, &config->mem, error);
}

static const struct config_name option_names[] = {
	{"kernel", set_kernel},   {"cpus", set_cpus},     {"engine", set_engine},
	{"program", set_program}, {"spread", set_spread}, {"seed", set_seed},
	{"pin", set_pin},         {"mem", set_mem},
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static config_setter *find_option(const char *name)
{
	for (size_t i = 0; i < COUNT(option_names); i++) {
		if (!strcmp(option_names[i].name, name))
			return option_names[i].set;
	}
	return NULL;
}

bool config_has(const char *name)
{
	if (!strncmp(name, "--", 2))
		return find_option(name + 2) || workload_config_has(name + 2);
	return tunable_find(name, NULL) >= 0 || map_config_has_field(name) || find_option(name) ||
	       workload_config_has(name);
}

int config_set(struct run_config *config, const char *name, const char *value, struct error *error)
{
	bool is_option = !strncmp(name, "--", 2);
	config_setter *set;
	int id;

	if (is_option)
		name += 2;
	id = is_option ? -ENOENT : tunable_find(name, error);
	if (id >= 0)
		return map_config_set_tunable(&config->map, (enum tunable_id)id, value, error);
	if (!is_option && map_config_has_field(name))
		return map_config_set_field(&config->map, name, value, error);
	if (workload_config_has(name))
		return workload_config_set(&config->workload, name, value, error);
	set = find_option(name);
	if (set)
		return set(config, value, error);
	if (is_option)
		return error_set(error, -EINVAL,
				 "no setting \"--%.32s\"; there are --kernel, --cpus, --engine, "
				 "--program, --spread, --seed, --pin, --mem, --workload and its "
				 "settings",
				 name);
	return -EINVAL;
}

int config_set_map(struct run_config *config, const char *text, struct error *error)
{
	config->is_map_given = true;
	return map_config_set_map(&config->map, text, error);
}

/* The running kernel behaves like itself; should that not be known, its engine says so. */
static void imply_kernel(struct run_config *config)
{
	if (config->is_kernel_implied && !config->engine->is_running_kernel) {
		config->map.kernel = kernel_newest();
		config->map.kernel_note[0] = '\0';
		config->is_kernel_implied = false;
	}
	if (config->engine->is_running_kernel && !config->is_kernel_given &&
	    !config->map.kernel_note[0])
		config->is_kernel_implied =
			!kernel_host(&config->map.kernel, config->map.kernel_note,
				     sizeof(config->map.kernel_note), NULL);
}

/* A map of the running kernel has all CPUs of the machine, whatever was set. */
static void imply_cpus(struct run_config *config)
{
	uint32_t possible;

	if (config->is_cpus_implied) {
		config->map.cpus = config->cpus_given ? config->cpus_given : 1;
		config->is_cpus_implied = false;
	}
	if (!config->engine->is_running_kernel)
		return;
	possible = cpus_possible();
	if (config->map.cpus >= possible)
		return;
	config->map.cpus = possible;
	config->is_cpus_implied = true;
}

void config_finish(struct run_config *config)
{
	imply_kernel(config);
	imply_cpus(config);
	if (config->workload.kind != WORKLOAD_UNSET)
		map_config_default(&config->map, workload_infos[config->workload.kind].map);
	map_config_finish(&config->map, config->seed);
}

struct trace_options config_trace_options(const struct run_config *config)
{
	return (struct trace_options){
		.cpus = config->cpus_given ? config->cpus_given : config->map.cpus,
		.key_size = config->map.attr.key_size,
		.program = config->program,
		.spread = config->spread,
		.spread_block = config->spread_block,
		.seed = config->seed,
	};
}

static void record_traces(const struct run_config *config, struct record *record)
{
	size_t bytes = 1;
	char *all;

	for (size_t i = 0; i < config->trace_count; i++)
		bytes += strlen(config->traces[i]) + 1;
	all = calloc(1, bytes);
	if (!all) {
		record->failed = true;
		return;
	}
	for (size_t i = 0; i < config->trace_count; i++) {
		if (i)
			strcat(all, " ");
		strcat(all, config->traces[i]);
	}
	record_add_text(record, "traces", all);
	free(all);
}

const char *config_format_tunables(const struct run_config *config,
				   char text[CONFIG_TUNABLES_BYTES])
{
	char value[TUNABLE_TEXT_BYTES];
	size_t used = 0;

	text[0] = 0;
	for (int id = 0; id < TUNABLES; id++) {
		if (!config->map.is_overridden[id])
			continue;
		used += (size_t)snprintf(text + used, CONFIG_TUNABLES_BYTES - used, "%s%s=%s",
					 used ? " " : "", tunable_get((enum tunable_id)id)->name,
					 tunable_format((enum tunable_id)id,
							config->map.tunables.values[id], value));
	}
	return text;
}

static void record_tunables(const struct run_config *config, struct record *record)
{
	char all[CONFIG_TUNABLES_BYTES];

	record_add_text(record, "tunables", config_format_tunables(config, all));
}

void config_take_kernel_as_it_is(struct run_config *config)
{
	config->is_kernel_given = false;
	memset(config->map.is_overridden, 0, sizeof(config->map.is_overridden));
}

/* Where CPUs and memory were, on this machine. */
static void record_places(const struct run_config *config, struct record *record)
{
	char pin[PIN_TEXT_BYTES], mem[MEM_TEXT_BYTES];

	record_add_text(record, "pin", pin_config_format(&config->pin, pin));
	record_add_text(record, "mem", mem_config_format(&config->mem, mem));
}

void config_record(const struct run_config *config, struct record *record)
{
	char text[MAP_CONFIG_TEXT_BYTES];

	record_add_text(record, "version", VERSION);
	record_add_text(record, "engine", config->engine->name);
	record_add_text(record, "kernel", kernel_name(&config->map.kernel, text));
	map_config_format(&config->map, text, sizeof(text));
	record_add_text(record, "map", text);
	record_add_u64(record, "cpus", config->map.cpus);
	if (config->engine->pins)
		record_places(config, record);
	record_tunables(config, record);
	if (config->workload.kind != WORKLOAD_UNSET)
		workload_record(config, record);
	record_add_text(record, "program", trace_program_names[config->program]);
	if (config->spread == SPREAD_BLOCK)
		snprintf(text, sizeof(text), "block:%u", config->spread_block);
	else
		snprintf(text, sizeof(text), "%s", trace_spread_names[config->spread]);
	record_add_text(record, "spread", text);
	record_add_u64(record, "seed", config->seed);
	record_traces(config, record);
}
