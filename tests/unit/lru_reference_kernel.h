/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The kernel's rotation and its variants written plainly, from their descriptions
 * (doc/kernel-behaviour.md, doc/policies.md): arrays and linear scans, slow and obvious. Operations
 * run one after the other, so no lock fails and every node on a list can be taken out of the map.
 * Free nodes are all the same, so they are only counted.
 */
#ifndef TESTS_UNIT_LRU_REFERENCE_KERNEL_H
#define TESTS_UNIT_LRU_REFERENCE_KERNEL_H

#include <stdbool.h>

#include "base/op.h"

#define KERNEL_REFERENCE_NODES_MAX 1024
#define KERNEL_REFERENCE_CPUS_MAX 8

enum kernel_variant {
	VARIANT_KERNEL,
	VARIANT_STEAL_FIRST,
	VARIANT_STEAL_HALF,
	VARIANT_WATERMARK,
	VARIANT_LOOKUP_FIRST,
	VARIANTS
};

struct kernel_reference_config {
	enum kernel_variant variant;
	bool is_percpu;         /* the values */
	bool no_common_lru;     /* kernel and lookup-first only */
	bool has_fixed_target;  /* before 6.16 and 6.12.39 */
	bool syscall_marks;     /* before 5.2 */
	uint32_t cpus, entries; /* entries: a multiple of cpus with no_common_lru */
	size_t nr_scans;
	size_t free_target; /* 0: by rule */
};

struct kernel_reference_node {
	uint64_t key;
	uint64_t id; /* of this use of a node: a replaced key's new one is another */
	bool bit;
};

/* The tail first, the head last. */
struct kernel_reference_list {
	struct kernel_reference_node nodes[KERNEL_REFERENCE_NODES_MAX];
	size_t count;
};

struct kernel_reference_set {
	struct kernel_reference_list active, inactive;
	size_t free;
	size_t cursor; /* where in inactive; SIZE_MAX: the list's own head */
};

struct kernel_reference_local {
	struct kernel_reference_list pending;
	size_t free;
	size_t free_target;
	uint32_t next_steal;
};

struct kernel_reference {
	struct kernel_reference_config config;
	struct kernel_reference_set sets[KERNEL_REFERENCE_CPUS_MAX]; /* common LRU: the first */
	struct kernel_reference_local locals[KERNEL_REFERENCE_CPUS_MAX];
	uint64_t next_id;
	uint64_t evictions;
};

/* An empty map; it aborts where there are more nodes or CPUs than the maxima. */
void kernel_reference_init(struct kernel_reference *reference,
			   const struct kernel_reference_config *config);

/* Executes an operation; returns as the map does. Only LTUNED and ltuned. */
int kernel_reference_op(struct kernel_reference *reference, const struct map_op *op);

/* The length of a list by the map's name for it, cpu -1 for one that is not a CPU's. */
size_t kernel_reference_nodes(const struct kernel_reference *reference, const char *list, int cpu);

#endif
