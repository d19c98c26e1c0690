// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sim/placement.h"

#include <errno.h>
#include <numaif.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "sim/topology.h"

#define WORD_BITS (8 * sizeof(unsigned long))

/* What the calls are told: one more than the bits that they read. */
#define MASK_BITS (PLACEMENT_NODES_MAX + 1)

/* By enum mem_kind. */
static const char *const words[] = {"local", "interleave"};

int mem_config_parse(const char *text, struct mem_config *mem, struct error *error)
{
	uint64_t node;

	for (int kind = MEM_LOCAL; kind < MEM_NODE; kind++) {
		if (strcmp(words[kind], text) != 0)
			continue;
		*mem = (struct mem_config){.kind = (enum mem_kind)kind};
		return 0;
	}
	if (strncmp(text, "node:", 5) != 0)
		return error_set(error, -EINVAL, "mem=%.40s: expected local, interleave or node:N",
				 text);
	if (number_parse(text + 5, 0, PLACEMENT_NODES_MAX - 1, &node))
		return error_set(error, -EINVAL,
				 "mem=%.40s: expected a number from 0 to %d behind node:", text,
				 PLACEMENT_NODES_MAX - 1);
	*mem = (struct mem_config){.kind = MEM_NODE, .node = (uint32_t)node};
	return 0;
}

const char *mem_config_format(const struct mem_config *mem, char text[MEM_TEXT_BYTES])
{
	if (mem->kind == MEM_NODE)
		snprintf(text, MEM_TEXT_BYTES, "node:%u", mem->node);
	else
		snprintf(text, MEM_TEXT_BYTES, "%s", words[mem->kind]);
	return text;
}

int mem_config_check(const struct mem_config *mem, const struct topology *topology,
		     struct error *error)
{
	char ranges[TOPOLOGY_TEXT_BYTES], name[TOPOLOGY_TEXT_BYTES];

	if (mem->kind != MEM_NODE || hwloc_get_numanode_obj_by_os_index(topology->hwloc, mem->node))
		return 0;
	error_set(error, -EINVAL, "mem=node:%u: %s has no such node; it has %s", mem->node,
		  topology_name(topology, name),
		  topology_ranges(hwloc_topology_get_topology_nodeset(topology->hwloc), ranges));
	if (error)
		error->is_missing = topology->source == TOPOLOGY_HOST;
	return -EINVAL;
}

bool mem_config_has_node(const struct mem_config *mem, unsigned int node)
{
	return mem->kind == MEM_INTERLEAVE || (mem->kind == MEM_NODE && mem->node == node);
}

/* Sets the bits of nodes that memory comes from; none of them is local. */
static void fill_nodes(const struct mem_config *mem, const struct topology *topology,
		       unsigned long *nodes)
{
	hwloc_obj_t node = NULL;

	while ((node = hwloc_get_next_obj_by_type(topology->hwloc, HWLOC_OBJ_NUMANODE, node))) {
		if (node->os_index < PLACEMENT_NODES_MAX &&
		    mem_config_has_node(mem, node->os_index))
			nodes[node->os_index / WORD_BITS] |= 1UL << node->os_index % WORD_BITS;
	}
}

int placement_begin(struct placement *placement, const struct mem_config *mem,
		    const struct topology *topology, struct error *error)
{
	static const int modes[] = {[MEM_LOCAL] = MPOL_LOCAL,
				    [MEM_INTERLEAVE] = MPOL_INTERLEAVE,
				    [MEM_NODE] = MPOL_BIND};
	unsigned long nodes[sizeof(placement->nodes) / sizeof(placement->nodes[0])] = {0};
	int err = mem_config_check(mem, topology, error);

	memset(placement, 0, sizeof(*placement));
	if (err)
		return err;
	fill_nodes(mem, topology, nodes);
	if (!get_mempolicy(&placement->mode, placement->nodes, MASK_BITS, NULL, 0) &&
	    !set_mempolicy(modes[mem->kind], nodes, MASK_BITS)) {
		placement->is_changed = true;
		return 0;
	}
	if (mem->kind == MEM_LOCAL)
		return 0;
	return error_set_missing(error, -errno, "memory cannot be placed on NUMA nodes: %s",
				 strerror(errno));
}

void placement_end(const struct placement *placement)
{
	if (placement->is_changed)
		set_mempolicy(placement->mode, placement->nodes, MASK_BITS);
}
