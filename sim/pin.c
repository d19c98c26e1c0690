// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sim/pin.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "sim/topology.h"

/* Numbers of CPUs below this; systems have some thousand. */
#define PU_NUMBERS (1u << 16)

static const char expected[] = "expected compact, scatter, node:N, none or a list of CPUs like "
			       "0-3,8 or 0-31:2";

/* A decimal number below PU_NUMBERS at *text, which moves behind it; or -1. */
static long take_number(const char **text)
{
	long number = 0;

	if (**text < '0' || **text > '9')
		return -1;
	for (; **text >= '0' && **text <= '9'; ++*text) {
		number = 10 * number + (**text - '0');
		if (number >= (long)PU_NUMBERS)
			return -1;
	}
	return number;
}

/* "FROM", "FROM-TO" or "FROM-TO:STEP" at *text, which moves behind it. */
static bool take_range(const char **text, long *from, long *to, long *step)
{
	*from = *to = take_number(text);
	*step = 1;
	if (**text == '-') {
		++*text;
		*to = take_number(text);
		if (**text == ':') {
			++*text;
			*step = take_number(text);
		}
	}
	return *from >= 0 && *to >= *from && *step > 0;
}

/*
 * What a list names, in its order, into pus where that is not NULL. Their number; or 0 when it is
 * no list, or names one twice, which is *twice then and else -1.
 */
static uint32_t list_expand(const char *text, uint32_t *pus, long *twice)
{
	bool seen[PU_NUMBERS] = {false};
	uint32_t count = 0;
	long from, to, step;

	*twice = -1;
	do {
		if (!take_range(&text, &from, &to, &step))
			return 0;
		for (; from <= to; from += step) {
			if (seen[from]) {
				*twice = from;
				return 0;
			}
			seen[from] = true;
			if (pus)
				pus[count] = (uint32_t)from;
			count++;
		}
	} while (*text++ == ',');
	return text[-1] ? 0 : count;
}

static int parse_node(const char *text, struct pin_config *pin, struct error *error)
{
	uint64_t node;

	if (number_parse(text + strlen("node:"), 0, INT32_MAX, &node))
		return error_set(error, -EINVAL, "pin=%.40s: expected a number behind node:", text);
	*pin = (struct pin_config){.kind = PIN_NODE, .node = (uint32_t)node};
	return 0;
}

static int parse_list(const char *text, struct pin_config *pin, struct error *error)
{
	long twice;

	if (strlen(text) >= sizeof(pin->list))
		return error_set(error, -EINVAL, "pin=%.40s...: a list of at most %zu characters",
				 text, sizeof(pin->list) - 1);
	if (!list_expand(text, NULL, &twice)) {
		if (twice >= 0)
			return error_set(error, -EINVAL, "pin=%.80s: CPU %ld stands there twice",
					 text, twice);
		return error_set(error, -EINVAL, "pin=%.80s: %s", text, expected);
	}
	*pin = (struct pin_config){.kind = PIN_LIST};
	snprintf(pin->list, sizeof(pin->list), "%s", text);
	return 0;
}

/* By enum pin_kind; the others are not words. */
static const char *const words[] =
	{[PIN_SCATTER] = "scatter", [PIN_COMPACT] = "compact", [PIN_NONE] = "none"};

int pin_config_parse(const char *text, struct pin_config *pin, struct error *error)
{
	for (int kind = 0; kind <= PIN_NONE; kind++) {
		if (!words[kind] || strcmp(words[kind], text) != 0)
			continue;
		*pin = (struct pin_config){.kind = (enum pin_kind)kind};
		return 0;
	}
	if (!strncmp(text, "node:", 5))
		return parse_node(text, pin, error);
	return parse_list(text, pin, error);
}

const char *pin_config_format(const struct pin_config *pin, char text[PIN_TEXT_BYTES])
{
	if (pin->kind == PIN_NODE)
		snprintf(text, PIN_TEXT_BYTES, "node:%u", pin->node);
	else
		snprintf(text, PIN_TEXT_BYTES, "%s",
			 pin->kind == PIN_LIST ? pin->list : words[pin->kind]);
	return text;
}

/* What a topology does not have is missing where it is the host's. Returns err. */
static int lacks(const struct topology *topology, struct error *error, int err)
{
	if (error)
		error->is_missing = topology->source == TOPOLOGY_HOST;
	return err;
}

/* Adds the PUs of a set in hwloc's order, which is that of the tree. */
static void order_compact(struct pin_plan *plan, hwloc_const_bitmap_t set)
{
	hwloc_obj_t pu = NULL;

	while ((pu = hwloc_get_next_obj_by_type(plan->topology->hwloc, HWLOC_OBJ_PU, pu))) {
		if (hwloc_bitmap_isset(set, pu->os_index))
			plan->pus[plan->pu_count++] = pu->os_index;
	}
}

/* Of an object of hwloc's tree: how many PUs below it wait in this pass, and are taken already. */
struct scatter_count {
	uint32_t waiting, taken;
};

/* The counts of all objects, level by level. */
struct scatter {
	struct scatter_count *counts;
	size_t *levels; /* where each level begins */
};

static int scatter_init(struct scatter *scatter, hwloc_topology_t hwloc)
{
	int depth = hwloc_topology_get_depth(hwloc);
	size_t count = 1; /* the root is always there */

	scatter->levels = calloc((size_t)depth, sizeof(*scatter->levels));
	for (int i = 1; scatter->levels && i < depth; i++) {
		scatter->levels[i] = count;
		count += hwloc_get_nbobjs_by_depth(hwloc, i);
	}
	scatter->counts = calloc(count, sizeof(*scatter->counts));
	return scatter->levels && scatter->counts ? 0 : -ENOMEM;
}

static void scatter_deinit(struct scatter *scatter)
{
	free(scatter->counts);
	free(scatter->levels);
}

static struct scatter_count *scatter_count(const struct scatter *scatter, hwloc_obj_t object)
{
	return &scatter->counts[scatter->levels[object->depth] + object->logical_index];
}

/* Lets the first PU that is left of each core wait. Whether there was one. */
static bool scatter_begin_pass(const struct pin_plan *plan, const struct scatter *scatter,
			       hwloc_const_bitmap_t set)
{
	hwloc_topology_t hwloc = plan->topology->hwloc;
	hwloc_obj_t pu = NULL;
	bool is_any = false;

	while ((pu = hwloc_get_next_obj_by_type(hwloc, HWLOC_OBJ_PU, pu))) {
		hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(hwloc, HWLOC_OBJ_CORE, pu);

		if (!hwloc_bitmap_isset(set, pu->os_index) || scatter_count(scatter, pu)->taken ||
		    (core && scatter_count(scatter, core)->waiting))
			continue;
		for (hwloc_obj_t object = pu; object; object = object->parent)
			scatter_count(scatter, object)->waiting++;
		is_any = true;
	}
	return is_any;
}

/* Takes the PU that is found by going to the child of which the fewest are taken. */
static void scatter_take(struct pin_plan *plan, const struct scatter *scatter)
{
	hwloc_obj_t object = hwloc_get_root_obj(plan->topology->hwloc);

	while (object && object->type != HWLOC_OBJ_PU) {
		hwloc_obj_t best = NULL;

		for (hwloc_obj_t child = object->first_child; child; child = child->next_sibling) {
			const struct scatter_count *count = scatter_count(scatter, child);

			if (count->waiting &&
			    (!best || count->taken < scatter_count(scatter, best)->taken))
				best = child;
		}
		object = best;
	}
	if (object)
		plan->pus[plan->pu_count++] = object->os_index;
	for (; object; object = object->parent) {
		scatter_count(scatter, object)->waiting--;
		scatter_count(scatter, object)->taken++;
	}
}

/* Adds the PUs of a set, each as far from the others as can be. */
static int order_scatter(struct pin_plan *plan, hwloc_const_bitmap_t set)
{
	hwloc_obj_t root = hwloc_get_root_obj(plan->topology->hwloc);
	struct scatter scatter;
	int err = scatter_init(&scatter, plan->topology->hwloc);

	while (!err && scatter_begin_pass(plan, &scatter, set)) {
		while (scatter_count(&scatter, root)->waiting)
			scatter_take(plan, &scatter);
	}
	scatter_deinit(&scatter);
	return err;
}

static int order_node(struct pin_plan *plan, uint32_t number, struct error *error)
{
	const struct topology *topology = plan->topology;
	char ranges[TOPOLOGY_TEXT_BYTES], name[TOPOLOGY_TEXT_BYTES];
	hwloc_bitmap_t set;
	int err, pu;

	if (!hwloc_get_numanode_obj_by_os_index(topology->hwloc, number))
		return lacks(topology, error,
			     error_set(error, -EINVAL,
				       "pin=node:%u: %s has no such node; it has %s", number,
				       topology_name(topology, name),
				       topology_ranges(hwloc_topology_get_topology_nodeset(
							       topology->hwloc),
						       ranges)));
	if (!hwloc_bitmap_isset(topology->cpu_nodes, number))
		return lacks(topology, error,
			     error_set(error, -EINVAL,
				       "pin=node:%u: that node has no CPUs to be used; these have: "
				       "%s",
				       number, topology_ranges(topology->cpu_nodes, ranges)));
	set = hwloc_bitmap_alloc();
	if (!set)
		return -ENOMEM;
	for (pu = hwloc_bitmap_first(topology->usable); pu >= 0;
	     pu = hwloc_bitmap_next(topology->usable, pu)) {
		if (topology_pu_node(topology, (unsigned int)pu) == (int)number)
			hwloc_bitmap_set(set, (unsigned int)pu);
	}
	err = order_scatter(plan, set);
	hwloc_bitmap_free(set);
	return err;
}

/* Whether each PU of a list is there and can be used. */
static int check_list(const struct pin_plan *plan, struct error *error)
{
	const struct topology *topology = plan->topology;
	char ranges[TOPOLOGY_TEXT_BYTES], name[TOPOLOGY_TEXT_BYTES];

	for (uint32_t i = 0; i < plan->pu_count; i++) {
		uint32_t pu = plan->pus[i];

		if (!topology_pu(topology, pu))
			return lacks(topology, error,
				     error_set(error, -EINVAL, "pin: %s has no CPU %u; it has %s",
					       topology_name(topology, name), pu,
					       topology_ranges(hwloc_topology_get_topology_cpuset(
								       topology->hwloc),
							       ranges)));
		if (!hwloc_bitmap_isset(topology->usable, pu))
			return lacks(topology, error,
				     error_set(error, -EINVAL,
					       "pin: CPU %u cannot be used, but these can: %s", pu,
					       topology_ranges(topology->usable, ranges)));
	}
	return 0;
}

static int order_pus(struct pin_plan *plan, const struct pin_config *pin, struct error *error)
{
	const struct topology *topology = plan->topology;
	long twice;

	plan->pus = calloc(PU_NUMBERS, sizeof(*plan->pus));
	if (!plan->pus)
		return -ENOMEM;
	switch (pin->kind) {
	case PIN_SCATTER:
		return order_scatter(plan, topology->usable);
	case PIN_NODE:
		return order_node(plan, pin->node, error);
	case PIN_LIST:
		plan->pu_count = list_expand(pin->list, plan->pus, &twice);
		return check_list(plan, error);
	case PIN_COMPACT:
	case PIN_NONE:
		order_compact(plan, topology->usable);
	}
	return 0;
}

static int refuse_cpus(const struct pin_plan *plan, const struct pin_config *pin, uint32_t cpus,
		       struct error *error)
{
	const struct topology *topology = plan->topology;
	char text[PIN_TEXT_BYTES], name[TOPOLOGY_TEXT_BYTES], ranges[TOPOLOGY_TEXT_BYTES] = "?";
	int there = hwloc_get_nbobjs_by_type(topology->hwloc, HWLOC_OBJ_PU);
	hwloc_bitmap_t set = hwloc_bitmap_alloc();

	for (uint32_t i = 0; set && i < plan->pu_count; i++)
		hwloc_bitmap_set(set, plan->pus[i]);
	if (set)
		topology_ranges(set, ranges);
	hwloc_bitmap_free(set);
	return lacks(topology, error,
		     error_set(error, -EINVAL,
			       "%u CPUs asked for; pin=%.80s of %s has %u: %s%s; --oversubscribe "
			       "lets them share",
			       cpus, pin_config_format(pin, text), topology_name(topology, name),
			       plan->pu_count, ranges,
			       hwloc_bitmap_weight(topology->usable) < there
				       ? " (not all of its CPUs can be used)"
				       : ""));
}

int pin_plan_init(struct pin_plan *plan, const struct topology *topology,
		  const struct pin_config *pin, uint32_t cpus, bool is_oversubscribed,
		  struct error *error)
{
	int err;

	*plan = (struct pin_plan){.topology = topology};
	if (hwloc_bitmap_last(hwloc_topology_get_topology_cpuset(topology->hwloc)) >=
	    (int)PU_NUMBERS)
		return error_set(error, -EINVAL, "a CPU has a number above %u", PU_NUMBERS - 1);
	err = order_pus(plan, pin, error);
	if (err == -ENOMEM)
		error_set(error, err, "out of memory");
	plan->cpus = cpus ? cpus : plan->pu_count;
	if (!err && !plan->pu_count)
		err = lacks(topology, error, error_set(error, -EINVAL, "no CPU can be used"));
	if (!err && cpus > plan->pu_count && !is_oversubscribed)
		err = refuse_cpus(plan, pin, cpus, error);
	if (err) {
		pin_plan_deinit(plan);
	} else if (pin->kind == PIN_NONE) {
		free(plan->pus);
		plan->pus = NULL;
	}
	return err;
}

void pin_plan_deinit(struct pin_plan *plan)
{
	free(plan->pus);
	plan->pus = NULL;
}

int pin_plan_pu(const struct pin_plan *plan, uint32_t cpu)
{
	return plan->pus ? (int)plan->pus[cpu % plan->pu_count] : -1;
}

int pin_plan_node(const struct pin_plan *plan, uint32_t cpu)
{
	int pu = pin_plan_pu(plan, cpu);

	return pu < 0 ? -1 : topology_pu_node(plan->topology, (unsigned int)pu);
}

int pin_bind_thread(const struct pin_plan *plan, uint32_t cpu, struct error *error)
{
	int pu = pin_plan_pu(plan, cpu), err = 0;
	hwloc_bitmap_t set;

	if (pu < 0)
		return 0;
	if (!topology_is_this_machine(plan->topology))
		return error_set(error, -EINVAL, "CPU %d is not one of this machine", pu);
	set = hwloc_bitmap_alloc();
	if (!set)
		return error_set(error, -ENOMEM, "out of memory");
	if (hwloc_bitmap_only(set, (unsigned int)pu) ||
	    hwloc_set_cpubind(plan->topology->hwloc, set, HWLOC_CPUBIND_THREAD))
		err = error_set_missing(error, -errno, "CPU %d: a thread cannot be bound: %s", pu,
					strerror(errno));
	hwloc_bitmap_free(set);
	return err;
}
