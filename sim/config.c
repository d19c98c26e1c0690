// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sim/config.h"

#include <errno.h>
#include <inttypes.h>
#include <numa.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/rng.h"
#include "sim/engine.h"

typedef int config_setter(struct run_config *config, const char *value, struct error *error);

struct config_name {
	const char *name;
	config_setter *set;
};

void config_init(struct run_config *config)
{
	memset(config, 0, sizeof(*config));
	config->attr.type = MAP_LRU_HASH;
	config->attr.key_size = 8;
	config->attr.value_size = 8;
	config->kernel = kernel_newest();
	config->cpus = 1;
	config->engine = engines[0];
	config->program = TRACE_ACCESS;
	config->spread = SPREAD_ROUND_ROBIN;
	config->spread_block = 1024;
	config->seed = 1;
}

static int refuse_number(const char *name, const char *value, uint64_t min, uint64_t max,
			 struct error *error)
{
	return error_set(error, -EINVAL, "%s=%.40s: expected a number %" PRIu64 "..%" PRIu64, name,
			 value, min, max);
}

static int set_u32(uint32_t *number, const char *name, const char *value, uint64_t min,
		   uint64_t max, struct error *error)
{
	uint64_t parsed;

	if (number_parse(value, min, max, &parsed))
		return refuse_number(name, value, min, max, error);
	*number = (uint32_t)parsed;
	return 0;
}

/* The index of value among count names, or -EINVAL with error naming them. */
static int find_name(const char *what, const char *value, const char *const *names, int count,
		     struct error *error)
{
	char all[200] = "";

	for (int i = 0; i < count; i++) {
		size_t used = strlen(all);

		if (!strcmp(names[i], value))
			return i;
		snprintf(all + used, sizeof(all) - used, "%s%s", i ? ", " : "", names[i]);
	}
	return error_set(error, -EINVAL, "%s=%.40s: expected one of %s", what, value, all);
}

static int set_type(struct run_config *config, const char *value, struct error *error)
{
	int type = find_name("type", value, map_type_names, MAP_TYPES, error);

	if (type < 0)
		return type;
	config->attr.type = (enum map_type)type;
	return 0;
}

/* 0 is a number here: that the kernel refuses it is for map_attr_check() to say. */
static int set_max_entries(struct run_config *config, const char *value, struct error *error)
{
	return set_u32(&config->attr.max_entries, "max_entries", value, 0, UINT32_MAX, error);
}

static int set_key_size(struct run_config *config, const char *value, struct error *error)
{
	return set_u32(&config->attr.key_size, "key_size", value, 0, UINT32_MAX, error);
}

static int set_value_size(struct run_config *config, const char *value, struct error *error)
{
	return set_u32(&config->attr.value_size, "value_size", value, 0, UINT32_MAX, error);
}

static int set_numa_node(struct run_config *config, const char *value, struct error *error)
{
	int err = set_u32(&config->attr.numa_node, "numa_node", value, 0, UINT32_MAX, error);

	if (err)
		return err;
	config->attr.flags |= MAP_NUMA_NODE;
	/* Without NUMA support the system has node 0 alone. */
	/* (libnuma says so also where the system call is not allowed.) */
	if (numa_available() < 0)
		config->attr.numa_node_online = config->attr.numa_node == 0;
	else
		config->attr.numa_node_online =
			config->attr.numa_node <= (uint32_t)numa_max_node() &&
			numa_bitmask_isbitset(numa_all_nodes_ptr, config->attr.numa_node);
	return 0;
}

/* One flag: a word, or numa_node=N. */
static int add_flag(struct run_config *config, const char *flag, struct error *error)
{
	if (!strcmp(flag, "no_common_lru"))
		config->attr.flags |= MAP_NO_COMMON_LRU;
	else if (!strcmp(flag, "no_prealloc"))
		config->attr.flags |= MAP_NO_PREALLOC;
	else if (!strncmp(flag, "numa_node=", 10))
		return set_numa_node(config, flag + 10, error);
	else if (strcmp(flag, "none") != 0)
		return error_set(error, -EINVAL,
				 "no flag \"%.32s\"; there are none, no_common_lru, no_prealloc, "
				 "numa_node=N",
				 flag);
	return 0;
}

static int set_flags(struct run_config *config, const char *value, struct error *error)
{
	char *copy = strdup(value), *rest = copy, *flag;
	int err = 0;

	if (!copy)
		return error_set(error, -ENOMEM, "out of memory");
	config->attr.flags = 0;
	while (!err && (flag = strsep(&rest, "+|")))
		err = add_flag(config, flag, error);
	free(copy);
	return err;
}

static int set_kernel(struct run_config *config, const char *value, struct error *error)
{
	config->kernel_note[0] = '\0';
	config->is_kernel_implied = false;
	config->is_kernel_given = strcmp(value, "host") != 0;
	if (!config->is_kernel_given)
		return kernel_host(&config->kernel, config->kernel_note,
				   sizeof(config->kernel_note), error);
	return kernel_parse(value, &config->kernel, error);
}

static int set_cpus(struct run_config *config, const char *value, struct error *error)
{
	return set_u32(&config->cpus, "cpus", value, 1, MAP_CPUS_MAX, error);
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
	int program = find_name("program", value, trace_program_names, TRACE_PROGRAMS, error);

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
		return set_u32(&config->spread_block, "block length", value + 6, 1, UINT32_MAX,
			       error);
	}
	spread = find_name("spread", value, trace_spread_names, TRACE_SPREADS, error);
	if (spread < 0)
		return spread;
	config->spread = (enum trace_spread)spread;
	return 0;
}

static int set_seed(struct run_config *config, const char *value, struct error *error)
{
	if (number_parse(value, 0, UINT64_MAX - 1, &config->seed))
		return refuse_number("seed", value, 0, UINT64_MAX - 1, error);
	return 0;
}

static const struct config_name map_names[] = {
	{"type", set_type},         {"max_entries", set_max_entries},
	{"key_size", set_key_size}, {"value_size", set_value_size},
	{"flags", set_flags},       {"numa_node", set_numa_node},
};

static const struct config_name option_names[] = {
	{"kernel", set_kernel},   {"cpus", set_cpus},     {"engine", set_engine},
	{"program", set_program}, {"spread", set_spread}, {"seed", set_seed},
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static config_setter *find_setter(const struct config_name *names, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++) {
		if (!strcmp(names[i].name, name))
			return names[i].set;
	}
	return NULL;
}

bool config_has(const char *name)
{
	if (!strncmp(name, "--", 2))
		return find_setter(option_names, COUNT(option_names), name + 2);
	return tunable_find(name, NULL) >= 0 || find_setter(map_names, COUNT(map_names), name) ||
	       find_setter(option_names, COUNT(option_names), name);
}

static int set_tunable(struct run_config *config, int id, const char *value, struct error *error)
{
	struct tunables parsed;
	int err = tunable_set(&parsed, (enum tunable_id)id, value, error);

	if (err)
		return err;
	config->overrides[id] = parsed.values[id];
	config->is_overridden[id] = true;
	return 0;
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
		return set_tunable(config, id, value, error);
	set = is_option ? NULL : find_setter(map_names, COUNT(map_names), name);
	if (!set)
		set = find_setter(option_names, COUNT(option_names), name);
	if (set)
		return set(config, value, error);
	if (is_option)
		return error_set(error, -EINVAL,
				 "no setting \"--%.32s\"; there are --kernel, --cpus, --engine, "
				 "--program, --spread, --seed",
				 name);
	return -EINVAL;
}

/* One "name=value" of a map, or a type or a flag by itself. */
static int set_map_item(struct run_config *config, char *item, struct error *error)
{
	char *value = strchr(item, '=');
	config_setter *set;

	if (!value && !set_type(config, item, NULL))
		return 0;
	if (!value && !add_flag(config, item, NULL))
		return 0;
	if (!value)
		return error_set(error, -EINVAL,
				 "map: \"%.32s\": expected NAME=VALUE, a type or a flag", item);
	*value++ = '\0';
	set = find_setter(map_names, COUNT(map_names), item);
	if (set)
		return set(config, value, error);
	return error_set(error, -EINVAL,
			 "map: no field \"%.32s\"; there are type, max_entries, key_size, "
			 "value_size, flags, numa_node",
			 item);
}

int config_set_map(struct run_config *config, const char *text, struct error *error)
{
	char *copy = strdup(text), *rest = copy, *item;
	int err = 0;

	if (!copy)
		return error_set(error, -ENOMEM, "out of memory");
	config->is_map_given = true;
	while (!err && (item = strsep(&rest, ",")))
		err = set_map_item(config, item, error);
	free(copy);
	return err;
}

/* The running kernel behaves like itself; should that not be known, its engine says so. */
static void imply_kernel(struct run_config *config)
{
	if (config->is_kernel_implied && !config->engine->is_running_kernel) {
		config->kernel = kernel_newest();
		config->kernel_note[0] = '\0';
		config->is_kernel_implied = false;
	}
	if (config->engine->is_running_kernel && !config->is_kernel_given &&
	    !config->kernel_note[0])
		config->is_kernel_implied = !kernel_host(&config->kernel, config->kernel_note,
							 sizeof(config->kernel_note), NULL);
}

void config_finish(struct run_config *config)
{
	imply_kernel(config);
	kernel_tunables(&config->kernel, &config->tunables);
	for (int id = 0; id < TUNABLES; id++) {
		if (config->is_overridden[id])
			config->tunables.values[id] = config->overrides[id];
	}
	if (config->tunables.values[TUNE_SEED] == TUNABLE_AUTO) {
		uint64_t state = config->seed;
		struct rng rng;

		rng_init(&rng, state);
		config->tunables.values[TUNE_SEED] = (uint32_t)rng_next(&rng);
	}
}

struct trace_options config_trace_options(const struct run_config *config)
{
	return (struct trace_options){
		.cpus = config->cpus,
		.key_size = config->attr.key_size,
		.program = config->program,
		.spread = config->spread,
		.spread_block = config->spread_block,
		.seed = config->seed,
	};
}

void config_format_map(const struct run_config *config, char *text, size_t bytes)
{
	const struct map_attr *attr = &config->attr;
	int used = snprintf(text, bytes, "type=%s,max_entries=%u,key_size=%u,value_size=%u",
			    map_type_names[attr->type], attr->max_entries, attr->key_size,
			    attr->value_size);

	if (attr->flags & MAP_NO_COMMON_LRU)
		used += snprintf(text + used, bytes - (size_t)used, ",no_common_lru");
	if (attr->flags & MAP_NO_PREALLOC)
		used += snprintf(text + used, bytes - (size_t)used, ",no_prealloc");
	if (attr->flags & MAP_NUMA_NODE)
		snprintf(text + used, bytes - (size_t)used, ",numa_node=%u", attr->numa_node);
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

/* The tunables that were set, as they can be set again. */
static void record_tunables(const struct run_config *config, struct record *record)
{
	char all[TUNABLES * (TUNABLE_TEXT_BYTES + 32)] = "", value[TUNABLE_TEXT_BYTES];
	size_t used = 0;

	for (int id = 0; id < TUNABLES; id++) {
		if (!config->is_overridden[id])
			continue;
		used += (size_t)snprintf(all + used, sizeof(all) - used, "%s%s=%s", used ? " " : "",
					 tunable_get((enum tunable_id)id)->name,
					 tunable_format((enum tunable_id)id,
							config->tunables.values[id], value));
	}
	record_add_text(record, "tunables", all);
}

void config_record(const struct run_config *config, struct record *record)
{
	char text[160];

	record_add_text(record, "version", VERSION);
	record_add_text(record, "engine", config->engine->name);
	record_add_text(record, "kernel", kernel_name(&config->kernel, text));
	config_format_map(config, text, sizeof(text));
	record_add_text(record, "map", text);
	record_add_u64(record, "cpus", config->cpus);
	record_tunables(config, record);
	record_add_text(record, "program", trace_program_names[config->program]);
	if (config->spread == SPREAD_BLOCK)
		snprintf(text, sizeof(text), "block:%u", config->spread_block);
	else
		snprintf(text, sizeof(text), "%s", trace_spread_names[config->spread]);
	record_add_text(record, "spread", text);
	record_add_u64(record, "seed", config->seed);
	record_traces(config, record);
}
