/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which CPUs, caches and memory a machine has, and how they are near each other: the host, or a
 * machine of which there is only a description. hwloc knows; names are its names.
 */
#ifndef SIM_TOPOLOGY_H
#define SIM_TOPOLOGY_H

#include <hwloc.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

enum topology_source {
	TOPOLOGY_HOST,
	TOPOLOGY_XML,       /* a file that lstopo wrote, or "-" for standard input */
	TOPOLOGY_SYNTHETIC, /* a line like "pack:2 core:8 pu:2" */
	TOPOLOGY_SOURCES
};

/* "host", "xml", "synthetic". */
extern const char *const topology_source_names[TOPOLOGY_SOURCES];

struct topology {
	enum topology_source source;
	const char *text; /* the caller's: path or line; "" of the host */
	hwloc_topology_t hwloc;
	hwloc_bitmap_t usable;    /* PUs where this process may run, by the system's numbers */
	hwloc_bitmap_t cpu_nodes; /* NUMA nodes of such PUs */
};

/*
 * Reads a topology; text must live as long as it does. 0, or -ENOMEM, -EINVAL or what the file
 * system says, with error. What a library of others may not survive is read by a child process
 * first, so that it is an error here.
 */
int topology_init(struct topology *topology, enum topology_source source, const char *text,
		  struct error *error);
void topology_deinit(struct topology *topology);

/* Whether threads of this process can be bound there. */
bool topology_is_this_machine(const struct topology *topology);

/* For messages: "this machine" or the caller's text, cut to fit. */
#define TOPOLOGY_TEXT_BYTES 160
const char *topology_name(const struct topology *topology, char text[TOPOLOGY_TEXT_BYTES]);

/* A set as ranges, "0-3,8"; cut to fit, with "..." at its end then. */
const char *topology_ranges(hwloc_const_bitmap_t set, char text[TOPOLOGY_TEXT_BYTES]);

/* The PU of a number of the system's; or NULL. */
hwloc_obj_t topology_pu(const struct topology *topology, unsigned int os_index);

/*
 * The NUMA node of a PU, where its memory comes from when nothing else is said; by the system's
 * number. Of several, those that fewest CPUs share, and of these the first.
 */
int topology_pu_node(const struct topology *topology, unsigned int os_index);

#endif
