// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tests/unit/lru_reference_kernel.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define OWN_HEAD SIZE_MAX
#define TARGET_MAX 128

static size_t at_most(size_t value, size_t most)
{
	return value < most ? value : most;
}

static size_t within_bounds(size_t target)
{
	return target < 1 ? 1 : at_most(target, TARGET_MAX);
}

static struct kernel_reference_node list_remove(struct kernel_reference_list *list, size_t at)
{
	struct kernel_reference_node node = list->nodes[at];

	list->count--;
	memmove(&list->nodes[at], &list->nodes[at + 1],
		(list->count - at) * sizeof(list->nodes[0]));
	return node;
}

/* To the head, as every move: without the bit. */
static void list_add(struct kernel_reference_list *list, struct kernel_reference_node node)
{
	node.bit = false;
	list->nodes[list->count++] = node;
}

/* A cursor on a node that goes steps to the one before it, on the head's side. */
static struct kernel_reference_node inactive_remove(struct kernel_reference_set *set, size_t at)
{
	struct kernel_reference_node node = list_remove(&set->inactive, at);

	if (set->cursor == OWN_HEAD)
		return node;
	if (set->cursor > at)
		set->cursor--;
	if (set->cursor == set->inactive.count)
		set->cursor = OWN_HEAD;
	return node;
}

static size_t free_target(const struct kernel_reference *reference)
{
	const struct kernel_reference_config *config = &reference->config;

	if (config->free_target)
		return config->free_target;
	if (config->no_common_lru)
		return config->nr_scans;
	if (config->has_fixed_target)
		return TARGET_MAX;
	return within_bounds(config->entries / config->cpus / 2);
}

/* From ACTIVE's tail, each node once: used ones stay young, the others become inactive. */
static void rotate_active(struct kernel_reference *reference, struct kernel_reference_set *set)
{
	size_t looks = at_most(set->active.count, reference->config.nr_scans);

	while (looks--) {
		struct kernel_reference_node node = list_remove(&set->active, 0);

		list_add(node.bit ? &set->active : &set->inactive, node);
	}
}

/* From the cursor towards the head and round, each node once: used ones become active. */
static void rotate_inactive(struct kernel_reference *reference, struct kernel_reference_set *set)
{
	size_t looks = at_most(set->inactive.count, reference->config.nr_scans);

	while (looks--) {
		if (set->cursor == OWN_HEAD)
			set->cursor = 0;
		if (set->inactive.nodes[set->cursor].bit)
			list_add(&set->active, inactive_remove(set, set->cursor));
		else if (++set->cursor == set->inactive.count)
			set->cursor = OWN_HEAD;
	}
}

static void rotate(struct kernel_reference *reference, struct kernel_reference_set *set)
{
	if (set->inactive.count < set->active.count)
		rotate_active(reference, set);
	rotate_inactive(reference, set);
}

/* The last node of INACTIVE, or of ACTIVE when there is none, whatever its bit. */
static size_t shrink_forced(struct kernel_reference *reference, struct kernel_reference_set *set)
{
	if (set->inactive.count)
		inactive_remove(set, 0);
	else if (set->active.count)
		list_remove(&set->active, 0);
	else
		return 0;
	reference->evictions++;
	return 1;
}

/* Evicts up to so many nodes from INACTIVE's tail. Returns how many. */
static size_t shrink(struct kernel_reference *reference, struct kernel_reference_set *set,
		     size_t wanted)
{
	size_t looks = at_most(set->inactive.count, reference->config.nr_scans), freed = 0;

	while (looks-- && freed < wanted) {
		struct kernel_reference_node node = inactive_remove(set, 0);

		if (node.bit)
			list_add(&set->active, node);
		else
			freed++;
	}
	reference->evictions += freed;
	return freed ? freed : shrink_forced(reference, set);
}

static void flush(struct kernel_reference_set *set, struct kernel_reference_local *local)
{
	while (local->pending.count) {
		struct kernel_reference_node node = list_remove(&local->pending, 0);

		list_add(node.bit ? &set->active : &set->inactive, node);
	}
}

/* A target that was met doubles, one that took a shrink halves. */
static void watermark_adapt(struct kernel_reference_local *local, bool is_met)
{
	local->free_target =
		within_bounds(is_met ? local->free_target * 2 : local->free_target / 2);
}

/* An empty local FREE list: flush, rotate, take, shrink for the rest. */
static void refill(struct kernel_reference *reference, struct kernel_reference_local *local)
{
	struct kernel_reference_set *set = &reference->sets[0];
	size_t target = local->free_target, taken;

	flush(set, local);
	rotate(reference, set);
	taken = at_most(set->free, target);
	set->free -= taken;
	local->free = taken;
	if (taken < target && reference->config.variant != VARIANT_STEAL_FIRST)
		local->free += shrink(reference, set, target - taken);
	if (reference->config.variant == VARIANT_WATERMARK)
		watermark_adapt(local, taken == target);
}

/* Takes free nodes of a CPU: one, or half of them. Returns how many. */
static size_t steal_free(const struct kernel_reference *reference,
			 struct kernel_reference_local *local)
{
	size_t count = at_most(local->free, 1);

	if (reference->config.variant == VARIANT_STEAL_HALF)
		count = (local->free + 1) / 2;
	local->free -= count;
	return count;
}

/* The oldest pending node without the bit, else the oldest. */
static size_t steal_pending(struct kernel_reference *reference,
			    struct kernel_reference_local *local)
{
	size_t at = 0;

	if (!local->pending.count)
		return 0;
	while (at < local->pending.count && local->pending.nodes[at].bit)
		at++;
	list_remove(&local->pending, at == local->pending.count ? 0 : at);
	reference->evictions++;
	return 1;
}

/* Round the CPUs from the cursor on, which is left behind the last one tried. */
static size_t steal_round(struct kernel_reference *reference, struct kernel_reference_local *thief,
			  bool takes_pending)
{
	size_t stolen = 0;

	for (uint32_t tries = 0; tries < reference->config.cpus && !stolen; tries++) {
		struct kernel_reference_local *local = &reference->locals[thief->next_steal];

		stolen = steal_free(reference, local);
		if (!stolen && takes_pending)
			stolen = steal_pending(reference, local);
		thief->next_steal = (thief->next_steal + 1) % reference->config.cpus;
	}
	return stolen;
}

/* Puts what it got on the CPU's local FREE list. */
static void steal(struct kernel_reference *reference, struct kernel_reference_local *thief)
{
	if (reference->config.variant == VARIANT_STEAL_FIRST) {
		thief->free = steal_round(reference, thief, false);
		if (!thief->free)
			thief->free = shrink(reference, &reference->sets[0], thief->free_target);
	}
	if (!thief->free)
		thief->free = steal_round(reference, thief, true);
}

static struct kernel_reference_list *common_pop(struct kernel_reference *reference, uint32_t cpu)
{
	struct kernel_reference_local *local = &reference->locals[cpu];

	if (!local->free)
		refill(reference, local);
	if (!local->free)
		steal(reference, local);
	if (!local->free)
		abort();
	local->free--;
	return &local->pending;
}

static struct kernel_reference_list *percpu_pop(struct kernel_reference *reference, uint32_t cpu)
{
	struct kernel_reference_set *set = &reference->sets[cpu];

	rotate(reference, set);
	if (!set->free)
		set->free = shrink(reference, set, free_target(reference));
	if (!set->free)
		abort();
	set->free--;
	return &set->inactive;
}

/* Gets a node for a key: its id. */
static uint64_t pop(struct kernel_reference *reference, uint32_t cpu, uint64_t key)
{
	struct kernel_reference_node node = {.key = key, .id = ++reference->next_id};

	list_add(reference->config.no_common_lru ? percpu_pop(reference, cpu)
						 : common_pop(reference, cpu),
		 node);
	return node.id;
}

/* Where a node is. */
struct place {
	struct kernel_reference_list *list;
	size_t at;
	struct kernel_reference_set *set;     /* when it is on one of its lists */
	struct kernel_reference_local *local; /* when it is pending */
};

/* Looks for a key, but not in the node of that id; or, without a key, for the id. */
static bool list_find(struct kernel_reference_list *list, const uint64_t *key, uint64_t id,
		      struct place *place)
{
	for (size_t at = 0; at < list->count; at++) {
		const struct kernel_reference_node *node = &list->nodes[at];

		if (key ? node->key != *key || node->id == id : node->id != id)
			continue;
		place->list = list;
		place->at = at;
		return true;
	}
	return false;
}

static bool find(struct kernel_reference *reference, const uint64_t *key, uint64_t id,
		 struct place *place)
{
	for (uint32_t cpu = 0; cpu < reference->config.cpus; cpu++) {
		struct kernel_reference_set *set = &reference->sets[cpu];
		struct kernel_reference_local *local = &reference->locals[cpu];

		*place = (struct place){.set = set};
		if (list_find(&set->active, key, id, place) ||
		    list_find(&set->inactive, key, id, place))
			return true;
		*place = (struct place){.local = local};
		if (list_find(&local->pending, key, id, place))
			return true;
	}
	return false;
}

static void mark(const struct place *place)
{
	place->list->nodes[place->at].bit = true;
}

/* A pending node becomes free on its CPU, others in their set. */
static void give_back_at(struct place *place)
{
	if (place->local) {
		list_remove(place->list, place->at);
		place->local->free++;
		return;
	}
	if (place->list == &place->set->inactive)
		inactive_remove(place->set, place->at);
	else
		list_remove(place->list, place->at);
	place->set->free++;
}

static void give_back(struct kernel_reference *reference, uint64_t id)
{
	struct place place;

	if (!find(reference, NULL, id, &place))
		abort();
	give_back_at(&place);
}

/* Without taking a node: what is there keeps its place, used. */
static int update_in_place(struct kernel_reference *reference, uint64_t key, enum op_code code)
{
	struct place place;

	if (!find(reference, &key, 0, &place))
		return -ENOENT;
	if (code == OP_UPDATE_NOEXIST)
		return -EEXIST;
	mark(&place);
	return 0;
}

/* The key is there: in an lru_hash the new node takes over, with the bit. */
static void replace(struct kernel_reference *reference, struct place *old, uint64_t new_id)
{
	struct place new;

	if (reference->config.is_percpu) {
		mark(old);
		give_back(reference, new_id);
		return;
	}
	if (!find(reference, NULL, new_id, &new))
		abort();
	mark(&new);
	give_back_at(old);
}

static int update(struct kernel_reference *reference, uint32_t cpu, uint64_t key, enum op_code code)
{
	bool looks_first = reference->config.variant == VARIANT_LOOKUP_FIRST;
	struct place place;
	uint64_t new_id;
	bool is_present;

	if (code == OP_UPDATE_EXIST && (looks_first || reference->config.is_percpu))
		return update_in_place(reference, key, code);
	if (looks_first && find(reference, &key, 0, &place))
		return update_in_place(reference, key, code);
	new_id = pop(reference, cpu, key);
	is_present = find(reference, &key, new_id, &place);
	if (is_present ? code == OP_UPDATE_NOEXIST : code == OP_UPDATE_EXIST) {
		give_back(reference, new_id);
		return is_present ? -EEXIST : -ENOENT;
	}
	if (is_present)
		replace(reference, &place, new_id);
	return 0;
}

static int lookup(struct kernel_reference *reference, const struct map_op *op)
{
	struct place place;

	if (!find(reference, &op->key, 0, &place))
		return -ENOENT;
	if (op->context == OP_PROGRAM || reference->config.syscall_marks)
		mark(&place);
	return 0;
}

static int delete (struct kernel_reference *reference, uint64_t key)
{
	struct place place;

	if (!find(reference, &key, 0, &place))
		return -ENOENT;
	give_back_at(&place);
	return 0;
}

int kernel_reference_op(struct kernel_reference *reference, const struct map_op *op)
{
	switch ((enum op_code)op->code) {
	case OP_LOOKUP:
		return lookup(reference, op);
	case OP_ACCESS:
		if (!lookup(reference, op))
			return 0;
		update(reference, op->cpu, op->key, OP_UPDATE);
		return 1;
	case OP_UPDATE:
	case OP_UPDATE_NOEXIST:
	case OP_UPDATE_EXIST:
		return update(reference, op->cpu, op->key, (enum op_code)op->code);
	case OP_DELETE:
		return delete (reference, op->key);
	default:
		abort();
	}
}

void kernel_reference_init(struct kernel_reference *reference,
			   const struct kernel_reference_config *config)
{
	if (config->cpus > KERNEL_REFERENCE_CPUS_MAX ||
	    config->entries > KERNEL_REFERENCE_NODES_MAX)
		abort();
	memset(reference, 0, sizeof(*reference));
	reference->config = *config;
	for (uint32_t cpu = 0; cpu < config->cpus; cpu++) {
		reference->sets[cpu].cursor = OWN_HEAD;
		if (config->no_common_lru)
			reference->sets[cpu].free = config->entries / config->cpus;
		reference->locals[cpu].next_steal = cpu;
		reference->locals[cpu].free_target = free_target(reference);
		if (config->variant == VARIANT_WATERMARK)
			reference->locals[cpu].free_target = within_bounds(free_target(reference));
	}
	if (!config->no_common_lru)
		reference->sets[0].free = config->entries;
}

size_t kernel_reference_nodes(const struct kernel_reference *reference, const char *list, int cpu)
{
	const struct kernel_reference_set *set = &reference->sets[cpu < 0 ? 0 : cpu];
	const struct kernel_reference_local *local = &reference->locals[cpu < 0 ? 0 : cpu];

	if (!strcmp(list, "spare"))
		return 1;
	if (!strcmp(list, "active"))
		return set->active.count;
	if (!strcmp(list, "inactive"))
		return set->inactive.count;
	if (!strcmp(list, "free"))
		return set->free;
	if (!strcmp(list, "local_free"))
		return local->free;
	if (!strcmp(list, "local_pending"))
		return local->pending.count;
	abort();
}
