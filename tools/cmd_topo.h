/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the parts of the command topo share. */
#ifndef TOOLS_CMD_TOPO_H
#define TOOLS_CMD_TOPO_H

#include "sim/pin.h"
#include "sim/placement.h"
#include "sim/topology.h"

/* A machine, and what is where on it. */
struct topo_view {
	const struct topology *topology;
	const struct pin_config *pin;
	const struct mem_config *mem;
	const struct pin_plan *plan; /* NULL: no CPUs were asked for */
	hwloc_const_bitmap_t taken;  /* PUs that have CPUs */
};

#define TOPO_TYPE_BYTES 16

/* What an object is called: machine, package, die, group, node, L3, L2, L1d, core, pu. */
const char *topo_type(hwloc_obj_t object, char text[TOPO_TYPE_BYTES]);

/* The simulated CPUs of a PU; the caller frees the set. NULL: no memory. */
hwloc_bitmap_t topo_cpus(const struct topo_view *view, unsigned int pu);

/* Print the view. 0, or -ENOMEM when it could not be printed whole. */
int topo_draw(const struct topo_view *view);
int topo_print_json(const struct topo_view *view);

#endif
