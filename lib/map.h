/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The inside of the library: what its sources share. None of it is exported. */
#ifndef LIB_MAP_H
#define LIB_MAP_H

#include <mapsim/mapsim.h>

#include "sim/map_config.h"

struct mapsim_map {
	const struct model_ops *ops;
	struct map *map;
	uint32_t cpus;
	uint32_t key_size;
	uint64_t value_bytes; /* in a system call */
	struct map_config config;
	char text[MAP_CONFIG_TEXT_BYTES];
	char kernel[KERNEL_NAME_BYTES];
	uint8_t scratch_key[]; /* for callers who want no key */
};

/* Sets errno; returns err. */
int lib_fail(int err);

/* Also notes the text for mapsim_error(). */
int lib_refuse(int err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* What every call that runs somewhere refuses. Returns 0 or as lib_refuse(). */
int lib_check_call(const struct mapsim_map *map, uint32_t cpu, enum mapsim_context context);

/*
 * Copies what the caller's structure of given bytes has, up to own bytes, and zeroes what it has
 * not. Returns 0, or as lib_refuse() when it has fewer than min bytes, or more than the library
 * knows that are not zero.
 */
int lib_copy_opts(void *own, size_t own_bytes, size_t min_bytes, const void *given);

/* Fills the caller's structure, which begins with its size, from own. Returns as above. */
int lib_fill(void *wanted, const void *own, size_t own_bytes);

#endif
