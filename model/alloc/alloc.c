// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "model/alloc/alloc.h"

const struct alloc_policy *const alloc_policies[] =
	{&alloc_freelist, &alloc_kmalloc, &alloc_ida, &alloc_bitmap,
	 &alloc_locked,   &alloc_bpfmem,  NULL};

int alloc_prepare_elem(void *map, void *elem, uint64_t number)
{
	struct map *of = map;

	if (!of->is_percpu)
		return 0;
	elem_percpu_slot(of, elem)->value = (uint32_t)number;
	return percpu_reserve(&of->percpu, number + 1);
}

struct slab_visit {
	alloc_visit_fn *visit;
	void *arg;
};

static int visit_object(void *arg, const void *object)
{
	const struct slab_visit *visit = arg;

	return visit->visit(visit->arg, object);
}

int alloc_walk_slab(const struct map *map, alloc_visit_fn *visit, void *arg, struct error *error)
{
	struct slab_visit each = {visit, arg};

	return slab_walk(&map->slab, visit_object, &each, error);
}

void alloc_slab_stats(const struct map *map, struct map_alloc_stats *stats)
{
	for (uint32_t cpu = 0; cpu < map->cpus; cpu++) {
		stats->refills += map->slab.cpu_slabs[cpu].refills;
		stats->global_trips += map->slab.cpu_slabs[cpu].global_trips;
	}
}
