/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A map as text asks for it: the map itself, the kernel release, tunables, CPUs. The commands'
 * runs are made of one (sim/config.h), and so is what the library creates; neither traces nor
 * engines are known here.
 */
#ifndef SIM_MAP_CONFIG_H
#define SIM_MAP_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "model/kernels.h"
#include "model/model.h"
#include "model/tunables.h"

struct map_config {
	struct map_attr attr;
	uint32_t fields_given;  /* a bit each, by map_config_set_map() and _field() */
	uint32_t flags_implied; /* by map_config_default() */
	struct kernel_release kernel;
	char kernel_note[200]; /* what "host" was taken as; else empty */
	uint32_t cpus;
	bool is_overridden[TUNABLES];
	uint64_t overrides[TUNABLES];

	struct tunables tunables; /* by map_config_finish() */
};

/* The newest kernel, one CPU, an LRU hash of 8-byte keys and values without max_entries. */
void map_config_init(struct map_config *config);

/*
 * These set parts from text. All return 0, or -EINVAL with error naming what is valid; lack of
 * memory is -ENOMEM.
 */

/* A map from "type=lru_hash,max_entries=10k,flags=no_common_lru". */
int map_config_set_map(struct map_config *config, const char *text, struct error *error);

/* A field of the map: type, max_entries, key_size, value_size, flags or numa_node. */
int map_config_set_field(struct map_config *config, const char *name, const char *value,
			 struct error *error);

/*
 * Sets the fields of a map, "type=hash,max_entries=10k", that were not given; a default that flags
 * go with is another type's when a type was given. May be called again with another text.
 */
void map_config_default(struct map_config *config, const char *text);

/* A release: "6.12", "6.12.107", or "host", which fills kernel_note. */
int map_config_set_kernel(struct map_config *config, const char *value, struct error *error);

/* Possible CPUs, 1..MAP_CPUS_MAX. */
int map_config_set_cpus(struct map_config *config, const char *value, struct error *error);

/* A tunable by its id. */
int map_config_set_tunable(struct map_config *config, enum tunable_id id, const char *value,
			   struct error *error);

/* Tunables from "nr_scans=4,free_target=1"; the empty text sets none. */
int map_config_set_tunables(struct map_config *config, const char *text, struct error *error);

/* Whether there is a field of the map of that name. */
bool map_config_has_field(const char *name);

/*
 * Resolves the tunables: the kernel's, then what was set. A random seed of the map's hash comes
 * from seed. Call once all is set.
 */
void map_config_finish(struct map_config *config, uint64_t seed);

/*
 * Whether the kernel would have a finished config's map: returns 0, or the errno with which it
 * would refuse it, negative, with error saying why.
 */
int map_config_check(const struct map_config *config, struct error *error);

/* What the map takes from the start, as the kernel counts it, where the kernel would have it. */
uint64_t map_config_bytes(const struct map_config *config);

/* Says that so many bytes for maps are not available. Returns -ENOMEM. */
int map_config_refuse_memory(uint64_t bytes, uint64_t available, struct error *error);

/* Writes the map as map_config_set_map() reads it; MAP_CONFIG_TEXT_BYTES are enough. */
#define MAP_CONFIG_TEXT_BYTES 160
void map_config_format(const struct map_config *config, char *text, size_t bytes);

/* What other setters of numbers and choices share. */

/* Says that value is no number min..max. Returns -EINVAL. */
int config_refuse_number(const char *name, const char *value, uint64_t min, uint64_t max,
			 struct error *error);

/* Parses a number min..max, at most UINT32_MAX. */
int config_set_u32(uint32_t *number, const char *name, const char *value, uint64_t min,
		   uint64_t max, struct error *error);

/* The index of value among count names, or -EINVAL with error naming them. */
int config_find_name(const char *what, const char *value, const char *const *names, int count,
		     struct error *error);

#endif
