/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * From which NUMA nodes the memory of a run comes: that of the thread which touches it first
 * (local), all in turn (interleave), or one (node:N).
 */
#ifndef SIM_PLACEMENT_H
#define SIM_PLACEMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct topology;

enum mem_kind { MEM_LOCAL, MEM_INTERLEAVE, MEM_NODE };

#define MEM_TEXT_BYTES 24

/* Zeroed it is local. */
struct mem_config {
	enum mem_kind kind;
	uint32_t node; /* MEM_NODE */
};

/* Reads local, interleave or node:N. 0, or -EINVAL with error; mem is unchanged then. */
int mem_config_parse(const char *text, struct mem_config *mem, struct error *error);

/* Writes what mem_config_parse() reads. Returns text. */
const char *mem_config_format(const struct mem_config *mem, char text[MEM_TEXT_BYTES]);

/* 0, or -EINVAL with error: no such node; told as missing (error.h) where the host lacks it. */
int mem_config_check(const struct mem_config *mem, const struct topology *topology,
		     struct error *error);

/* Whether memory is placed on a node, by the system's number; of local that is not said. */
bool mem_config_has_node(const struct mem_config *mem, unsigned int node);

#define PLACEMENT_NODES_MAX 4096

/* A thread's policy as it was. */
struct placement {
	bool is_changed;
	int mode;
	unsigned long nodes[PLACEMENT_NODES_MAX / (8 * sizeof(unsigned long))];
};

/*
 * From here on, what the calling thread touches first comes from there, until placement_end() by
 * the same thread. topology is the host's. 0; what mem_config_check() refuses; or what the system
 * says, with error. Where it has no such calls, all memory is local, and nothing else can be asked
 * for.
 */
int placement_begin(struct placement *placement, const struct mem_config *mem,
		    const struct topology *topology, struct error *error);
void placement_end(const struct placement *placement);

#endif
