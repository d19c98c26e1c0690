// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Conservation: every element is in exactly one place (a rotation's list, a free list, a spare),
 * hashed elements are the entries, and a bucket holds what hashes to it. Run while nothing else
 * does.
 */
#include "model/alloc/alloc.h"
#include "model/htab.h"

enum { SEEN_FREE = 1, SEEN_LRU = 2, SEEN_HASHED = 4 };

struct census {
	const struct map *map;
	uint8_t *seen; /* of all elements that there are, by their numbers */
	uint64_t total;
	uint64_t free, listed, hashed;
	struct error *error;
};

/* Marks an element as seen in one kind of place. */
static int census_mark(struct census *census, const struct elem *elem, uint8_t mark,
		       uint8_t excludes)
{
	const struct map *map = census->map;
	uint64_t offset = (uint64_t)((const uint8_t *)elem - map->elems), number;

	number = map->preallocates ? offset / map->elem_bytes : slab_number(&map->slab, elem);
	if (number >= census->total || (map->preallocates && offset % map->elem_bytes))
		return error_set(census->error, -EUCLEAN, "an element that is none of the map's");
	if (census->seen[number] & (mark | excludes))
		return error_set(census->error, -EUCLEAN, "element %llu is in two places",
				 (unsigned long long)number);
	census->seen[number] |= mark;
	return 0;
}

/* Whether a key stands once in its bucket, whose chain is known to end. */
static int check_unique(struct census *census, uintptr_t link)
{
	const struct map *map = census->map;

	for (; !nulls_is_end(link); link = elem_of_link(link)->hash_node.next) {
		const struct elem *elem = elem_of_link(link), *other;
		uintptr_t behind = elem->hash_node.next;

		for (; !nulls_is_end(behind); behind = other->hash_node.next) {
			other = elem_of_link(behind);
			if (other->hash == elem->hash &&
			    !memcmp(other->key, elem->key, map->key_size))
				return error_set(census->error, -EUCLEAN,
						 "a key of hash %#x is there twice", elem->hash);
		}
	}
	return 0;
}

static int visit_hashed(struct census *census, const struct elem *elem, uint32_t bucket)
{
	const struct map *map = census->map;

	census->hashed++;
	if (!elem_is_hashed(elem))
		return error_set(census->error, -EUCLEAN,
				 "bucket %u holds an element that is not marked as hashed", bucket);
	if ((elem->hash & map->bucket_mask) != bucket || elem->hash != htab_hash(map, elem->key))
		return error_set(census->error, -EUCLEAN, "bucket %u holds an element of hash %#x",
				 bucket, elem->hash);
	return census_mark(census, elem, SEEN_HASHED, 0);
}

static int walk_buckets(struct census *census)
{
	const struct map *map = census->map;

	for (uint64_t bucket = 0; bucket <= map->bucket_mask; bucket++) {
		const struct bucket *head = map_bucket(map, (uint32_t)bucket);
		const uintptr_t *pprev = &head->first;
		uintptr_t link;

		for (link = link_load(pprev); !nulls_is_end(link); link = link_load(pprev)) {
			struct elem *elem = elem_of_link(link);
			int err = visit_hashed(census, elem, (uint32_t)bucket);

			if (err)
				return err;
			if (elem->hash_node.pprev != pprev)
				return error_set(census->error, -EUCLEAN,
						 "bucket %llu: broken back link",
						 (unsigned long long)bucket);
			pprev = &elem->hash_node.next;
		}
		if (link != nulls_end(head))
			return error_set(census->error, -EUCLEAN,
					 "bucket %llu ends on the mark of another",
					 (unsigned long long)bucket);
		if (check_unique(census, link_load(&head->first)))
			return -EUCLEAN;
	}
	return 0;
}

static int visit_lru(void *arg, const struct elem *elem, bool is_free)
{
	struct census *census = arg;

	census->listed++;
	if (elem->lru.pending_free && elem_is_hashed(elem))
		return error_set(census->error, -EUCLEAN, "a node pending free is hashed");
	return census_mark(census, elem, SEEN_LRU, is_free ? SEEN_HASHED : 0);
}

static int visit_free(void *arg, const struct elem *elem)
{
	struct census *census = arg;

	census->free++;
	return census_mark(census, elem, SEEN_FREE, SEEN_HASHED | SEEN_LRU);
}

/* A free element is not hashed; others are, or are spares or given back but not yet taken. */
static int compare_counts(const struct census *census)
{
	const struct map *map = census->map;
	unsigned long long hashed = census->hashed, listed = census->listed;

	if (census->hashed != map_entries(map))
		return error_set(census->error, -EUCLEAN, "%llu elements are hashed, counted %llu",
				 hashed, (unsigned long long)map_entries(map));
	if (map->is_lru && census->listed != map->max_entries)
		return error_set(census->error, -EUCLEAN, "%llu of %llu nodes are on lists", listed,
				 (unsigned long long)map->max_entries);
	if (!map->is_lru && map->preallocates && census->hashed + census->free != map->elem_total)
		return error_set(census->error, -EUCLEAN,
				 "%llu elements are hashed and %llu free, of %llu", hashed,
				 (unsigned long long)census->free,
				 (unsigned long long)map->elem_total);
	if (!map->preallocates && (uint64_t)elem_count_sum(&map->count) != census->hashed)
		return error_set(census->error, -EUCLEAN, "%llu elements are hashed, counted %lld",
				 hashed, (long long)elem_count_sum(&map->count));
	if (!map->preallocates && census->hashed + census->free != map->slab.object_count)
		return error_set(census->error, -EUCLEAN,
				 "%llu elements are hashed and %llu free, of %llu allocated",
				 hashed, (unsigned long long)census->free,
				 (unsigned long long)map->slab.object_count);
	return 0;
}

static int walk_lists(struct census *census)
{
	const struct map *map = census->map;
	int err;

	if (map->is_lru)
		err = map->lru_ops->walk(map, visit_lru, census, census->error);
	else
		err = map->alloc_policy->walk(map, visit_free, census, census->error);
	for (uint32_t cpu = 0; !err && map->has_spares && cpu < map->cpus; cpu++)
		err = visit_free(census, map_cpu(map, cpu)->spare);
	return err;
}

int map_check(const struct map *map, struct error *error)
{
	struct census census = {.map = map, .error = error};
	int err;

	census.total = map->preallocates ? map->elem_total : map->slab.object_count;
	census.seen = env_alloc(census.total + 1, -1);
	if (!census.seen)
		return error_set(error, -ENOMEM, "no memory to check the map");
	err = walk_buckets(&census);
	if (!err)
		err = walk_lists(&census);
	if (!err)
		err = compare_counts(&census);
	env_free(census.seen, census.total + 1);
	return err;
}
