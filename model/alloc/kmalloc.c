// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The general allocator (3.19, and for BPF_F_NO_PREALLOC until 6.0): every element is allocated
 * and freed on its own.
 *
 * Deviation: a freed element can be had again at once. The kernel's waits for a grace period, which
 * only shows when operations run at the same time.
 */
#include "model/alloc/alloc.h"

static int kmalloc_init(struct map *map)
{
	(void)map;
	return 0;
}

static void kmalloc_deinit(struct map *map)
{
	(void)map;
}

static void kmalloc_lists(const struct map *map, map_list_fn *fn, void *arg)
{
	(void)map;
	(void)fn;
	(void)arg;
}

static int kmalloc_walk(const struct map *map, alloc_visit_fn *visit, void *arg,
			struct error *error)
{
	const struct slab_object *object = map->slab.free;

	(void)error;
	for (; object; object = object->next) {
		int err = visit(arg, (const struct elem *)object);

		if (err)
			return err;
	}
	return 0;
}

static uint64_t kmalloc_model_bytes(const struct map *map)
{
	(void)map;
	return 0;
}

const struct alloc_policy alloc_kmalloc = {
	.policy = {"kmalloc", "the general allocator, element by element"},
	.init = kmalloc_init,
	.deinit = kmalloc_deinit,
	.pop = elem_from_slab,
	.push = elem_to_slab,
	.lists = kmalloc_lists,
	.walk = kmalloc_walk,
	.model_bytes = kmalloc_model_bytes,
};
