// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sim/map_config.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <numa.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/rng.h"
#include "base/words.h"
#include "model/attr.h"

typedef int map_config_setter(struct map_config *config, const char *value, struct error *error);

typedef int map_config_item_setter(struct map_config *config, char *item, struct error *error);

struct field_name {
	const char *name;
	map_config_setter *set;
};

void map_config_init(struct map_config *config)
{
	memset(config, 0, sizeof(*config));
	config->attr.type = MAP_LRU_HASH;
	config->attr.key_size = 8;
	config->attr.value_size = 8;
	config->kernel = kernel_newest();
	config->cpus = 1;
}

int config_refuse_number(const char *name, const char *value, uint64_t min, uint64_t max,
			 struct error *error)
{
	return error_set(error, -EINVAL, "%s=%.40s: expected a number %" PRIu64 "..%" PRIu64 "%s",
			 name, value, min, max, number_hint(value));
}

int config_set_u32(uint32_t *number, const char *name, const char *value, uint64_t min,
		   uint64_t max, struct error *error)
{
	uint64_t parsed;

	if (number_parse(value, min, max, &parsed))
		return config_refuse_number(name, value, min, max, error);
	*number = (uint32_t)parsed;
	return 0;
}

int config_find_name(const char *what, const char *value, const char *const *names, int count,
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

#define UAPI_NAME_BYTES 40

/* Names as <linux/bpf.h> has them are the same ones in capitals, behind a prefix. */
static const char *from_uapi(const char *prefix, const char *name, char text[UAPI_NAME_BYTES])
{
	size_t skipped = strlen(prefix), used = 0;

	if (strncmp(name, prefix, skipped) != 0 || strlen(name + skipped) >= UAPI_NAME_BYTES)
		return name;
	for (name += skipped; *name; name++)
		text[used++] = (char)tolower((unsigned char)*name);
	text[used] = '\0';
	return text;
}

static int set_type(struct map_config *config, const char *value, struct error *error)
{
	char text[UAPI_NAME_BYTES];
	int type = config_find_name("type", from_uapi("BPF_MAP_TYPE_", value, text), map_type_names,
				    MAP_TYPES, error);

	if (type < 0)
		return type;
	config->attr.type = (enum map_type)type;
	return 0;
}

/* 0 is a number here: that the kernel refuses it is for map_attr_check() to say. */
static int set_max_entries(struct map_config *config, const char *value, struct error *error)
{
	return config_set_u32(&config->attr.max_entries, "max_entries", value, 0, UINT32_MAX,
			      error);
}

static int set_key_size(struct map_config *config, const char *value, struct error *error)
{
	return config_set_u32(&config->attr.key_size, "key_size", value, 0, UINT32_MAX, error);
}

static int set_value_size(struct map_config *config, const char *value, struct error *error)
{
	return config_set_u32(&config->attr.value_size, "value_size", value, 0, UINT32_MAX, error);
}

static int set_numa_node(struct map_config *config, const char *value, struct error *error)
{
	int err = config_set_u32(&config->attr.numa_node, "numa_node", value, 0, UINT32_MAX, error);

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
static int add_flag(struct map_config *config, const char *flag, struct error *error)
{
	char text[UAPI_NAME_BYTES];

	flag = from_uapi("BPF_F_", flag, text);
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

static int set_flags(struct map_config *config, const char *value, struct error *error)
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

int map_config_set_kernel(struct map_config *config, const char *value, struct error *error)
{
	config->kernel_note[0] = '\0';
	if (!strcmp(value, "host"))
		return kernel_host(&config->kernel, config->kernel_note,
				   sizeof(config->kernel_note), error);
	return kernel_parse(value, &config->kernel, error);
}

int map_config_set_cpus(struct map_config *config, const char *value, struct error *error)
{
	return config_set_u32(&config->cpus, "cpus", value, 1, MAP_CPUS_MAX, error);
}

static const struct field_name fields[] = {
	{"type", set_type},         {"max_entries", set_max_entries},
	{"key_size", set_key_size}, {"value_size", set_value_size},
	{"flags", set_flags},       {"numa_node", set_numa_node},
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* The index of a field, or -1. */
static int find_field(const char *name)
{
	for (size_t i = 0; i < COUNT(fields); i++) {
		if (!strcmp(fields[i].name, name))
			return (int)i;
	}
	return -1;
}

bool map_config_has_field(const char *name)
{
	return find_field(name) >= 0;
}

static void note_given(struct map_config *config, const char *name)
{
	config->fields_given |= 1u << find_field(name);
}

static bool is_given(const struct map_config *config, const char *name)
{
	return config->fields_given >> find_field(name) & 1;
}

int map_config_set_field(struct map_config *config, const char *name, const char *value,
			 struct error *error)
{
	int field = find_field(name);
	struct word_guess guess;

	if (field >= 0) {
		note_given(config, name);
		return fields[field].set(config, value, error);
	}
	word_guess_init(&guess, name);
	for (size_t i = 0; i < COUNT(fields); i++)
		word_guess_offer(&guess, fields[i].name);
	if (guess.name)
		return error_set(error, -EINVAL, "map: no field \"%.32s\"; did you mean %s?", name,
				 guess.name);
	return error_set(error, -EINVAL,
			 "map: no field \"%.32s\"; there are type, max_entries, key_size, "
			 "value_size, flags, numa_node",
			 name);
}

/* Cuts "name=value", with blanks or without, behind the name. The value, or NULL: there is none. */
static char *cut_value(char *item)
{
	char *equals = strchr(item, '=');

	if (!equals)
		return NULL;
	*equals = '\0';
	word_trim(item);
	return word_trim(equals + 1);
}

/* One "name=value" of a map, or a type or a flag by itself. */
static int set_map_item(struct map_config *config, char *item, struct error *error)
{
	char *value = cut_value(item);

	if (!value && !set_type(config, item, NULL)) {
		note_given(config, "type");
		return 0;
	}
	if (!value && !add_flag(config, item, NULL)) {
		note_given(config, "flags");
		return 0;
	}
	if (!value)
		return error_set(error, -EINVAL,
				 "map: \"%.32s\": expected NAME=VALUE, a type or a flag", item);
	return map_config_set_field(config, item, value, error);
}

static int set_tunable_item(struct map_config *config, char *item, struct error *error)
{
	char *value = cut_value(item);
	int id;

	if (!value)
		return error_set(error, -EINVAL, "tunables: \"%.32s\": expected NAME=VALUE", item);
	id = tunable_find(item, error);
	if (id < 0)
		return -EINVAL;
	return map_config_set_tunable(config, (enum tunable_id)id, value, error);
}

/* Calls set for each part of a text between commas, without the blanks around it. */
static int set_items(struct map_config *config, const char *text, map_config_item_setter *set,
		     struct error *error)
{
	char *copy = strdup(text), *rest = copy, *item;
	int err = 0;

	if (!copy)
		return error_set(error, -ENOMEM, "out of memory");
	while (!err && (item = strsep(&rest, ",")))
		err = set(config, word_trim(item), error);
	free(copy);
	return err;
}

int map_config_set_map(struct map_config *config, const char *text, struct error *error)
{
	return set_items(config, text, set_map_item, error);
}

void map_config_default(struct map_config *config, const char *text)
{
	struct map_attr *attr = &config->attr;
	struct map_config defaults;

	map_config_init(&defaults);
	if (map_config_set_map(&defaults, text, NULL))
		return;
	if (!is_given(config, "flags"))
		attr->flags &= ~config->flags_implied;
	config->flags_implied = 0;
	if (!is_given(config, "type")) {
		attr->type = defaults.attr.type;
		if (!is_given(config, "flags"))
			config->flags_implied = defaults.attr.flags;
	}
	attr->flags |= config->flags_implied;
	if (!is_given(config, "max_entries"))
		attr->max_entries = defaults.attr.max_entries;
	if (!is_given(config, "key_size"))
		attr->key_size = defaults.attr.key_size;
	if (!is_given(config, "value_size"))
		attr->value_size = defaults.attr.value_size;
}

int map_config_set_tunables(struct map_config *config, const char *text, struct error *error)
{
	return text[0] ? set_items(config, text, set_tunable_item, error) : 0;
}

int map_config_set_tunable(struct map_config *config, enum tunable_id id, const char *value,
			   struct error *error)
{
	struct tunables parsed;
	int err = tunable_set(&parsed, id, value, error);

	if (err)
		return err;
	config->overrides[id] = parsed.values[id];
	config->is_overridden[id] = true;
	return 0;
}

void map_config_finish(struct map_config *config, uint64_t seed)
{
	struct rng rng;

	kernel_tunables(&config->kernel, &config->tunables);
	for (int id = 0; id < TUNABLES; id++) {
		if (config->is_overridden[id])
			config->tunables.values[id] = config->overrides[id];
	}
	if (config->tunables.values[TUNE_SEED] == TUNABLE_AUTO) {
		rng_init(&rng, seed);
		config->tunables.values[TUNE_SEED] = (uint32_t)rng_next(&rng);
	}
}

int map_config_check(const struct map_config *config, struct error *error)
{
	char name[KERNEL_NAME_BYTES];
	struct error reason;
	int err = map_attr_check(&config->attr, &config->tunables, config->cpus, &reason);

	if (!err)
		return 0;
	return error_set_refusal(error, err, "kernel %s refuses the map with %s: %.300s",
				 kernel_name(&config->kernel, name), errno_name(err), reason.text);
}

uint64_t map_config_bytes(const struct map_config *config)
{
	bool preallocates = map_attr_preallocates(&config->attr, &config->tunables);
	uint64_t elems = preallocates ? map_attr_entries(&config->attr, config->cpus) : 0;

	return map_attr_kernel_bytes(&config->attr, &config->tunables, preallocates, config->cpus,
				     elems);
}

int map_config_refuse_memory(uint64_t bytes, uint64_t available, struct error *error)
{
	return error_set(error, -ENOMEM,
			 "the map would take %.1f GiB, and %.1f GiB are available (ENOMEM)",
			 (double)bytes / (1 << 30), (double)available / (1 << 30));
}

void map_config_format(const struct map_config *config, char *text, size_t bytes)
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
