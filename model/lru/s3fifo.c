// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * S3-FIFO (Yang et al., "FIFO Queues are All You Need for Cache Eviction", SOSP 2023): a small
 * queue for a tenth of the nodes, a main queue for the others, and a ghost: the hashes of the last
 * keys that were evicted from the small one, as many as main has nodes. A node has a counter of
 * uses, up to 3. Eviction is from small's tail while small has its tenth: used more than once, a
 * node goes to main's head and its counter to 0; otherwise it is evicted and its hash remembered.
 * From main's tail a node with uses left goes to the head again, for one of them; without, it is
 * evicted. A new key whose hash is in the ghost comes to main, others to small.
 *
 * As in the paper a node goes to main before main is seen to be too long; unlike there, one
 * eviction at a time: when making room in main gave a node, no other is evicted. A hash leaves the
 * ghost when it is found there, or after as many later ones as the ghost holds. With no_common_lru,
 * queues and a ghost per CPU.
 *
 * Locks: the set's; a look-up only counts. A node that cannot be unhashed goes to the head.
 */
#include "model/lru/sets.h"

enum { USES_MAX = 3, USES_TO_STAY = 2, SMALL_PART = 10 };

/* A ring of hashes, each also in a chain of its bucket. Links are a place in the ring plus 1. */
struct ghost {
	uint64_t added;
	uint32_t capacity, mask, count;
	uint32_t *hashes, *next, *heads;
};

struct s3fifo {
	size_t bytes; /* of this and all rings and buckets */
	struct ghost ghosts[];
};

static uint32_t small_target(const struct lru_set *set)
{
	return set->nodes < SMALL_PART ? 1 : (uint32_t)(set->nodes / SMALL_PART);
}

static uint32_t main_target(const struct lru_set *set)
{
	return (uint32_t)set->nodes - small_target(set);
}

static struct ghost *ghost_of(const struct map *map, const struct lru_set *set)
{
	const struct lru_sets *sets = map->lru;
	struct s3fifo *s3fifo = sets->own;

	return &s3fifo->ghosts[set - sets->sets];
}

/* Takes a hash out of its chain; place is that of the ring, or its capacity: any. */
static bool ghost_remove(struct ghost *ghost, uint32_t hash, uint32_t place)
{
	uint32_t *link = &ghost->heads[hash & ghost->mask];

	for (; *link; link = &ghost->next[*link - 1]) {
		uint32_t at = *link - 1;

		if (place == ghost->capacity ? ghost->hashes[at] != hash : at != place)
			continue;
		*link = ghost->next[at];
		ghost->count--;
		return true;
	}
	return false;
}

static void ghost_add(struct ghost *ghost, uint32_t hash)
{
	uint32_t place, *head = &ghost->heads[hash & ghost->mask];

	if (!ghost->capacity)
		return;
	place = (uint32_t)(ghost->added++ % ghost->capacity);
	if (ghost->added > ghost->capacity)
		ghost_remove(ghost, ghost->hashes[place], place);
	ghost->hashes[place] = hash;
	ghost->next[place] = *head;
	*head = place + 1;
	ghost->count++;
}

/* Whether a hash is remembered; if so, no longer. */
static bool ghost_take(struct ghost *ghost, uint32_t hash)
{
	return ghost->capacity && ghost_remove(ghost, hash, ghost->capacity);
}

static int s3fifo_init_ghosts(struct map *map)
{
	struct lru_sets *sets = map->lru;
	uint32_t capacity = main_target(&sets->sets[0]);
	uint32_t buckets = map_attr_buckets(capacity);
	uint64_t words = 2ULL * capacity + buckets;
	size_t heads = sizeof(struct s3fifo) + sets->count * sizeof(struct ghost);
	size_t bytes = heads + sets->count * words * sizeof(uint32_t);
	struct s3fifo *s3fifo = env_alloc(bytes, -1);
	uint32_t *word;

	if (!s3fifo)
		return -ENOMEM;
	sets->own = s3fifo;
	s3fifo->bytes = bytes;
	word = (uint32_t *)((uint8_t *)s3fifo + heads);
	for (uint32_t i = 0; i < sets->count; i++, word += words) {
		struct ghost *ghost = &s3fifo->ghosts[i];

		ghost->capacity = capacity;
		ghost->mask = buckets - 1;
		ghost->hashes = word;
		ghost->next = word + capacity;
		ghost->heads = word + 2ULL * capacity;
	}
	return 0;
}

static int s3fifo_init(struct map *map)
{
	static const char *const names[SET_LISTS] = {"free", "small", "main"};
	int err = lru_sets_init(map, names);

	return err ? err : s3fifo_init_ghosts(map);
}

static void s3fifo_deinit(struct map *map)
{
	struct lru_sets *sets = map->lru;
	struct s3fifo *s3fifo = sets->own;

	if (s3fifo)
		env_free(s3fifo, s3fifo->bytes);
	lru_sets_deinit(map);
}

/* Four turns at most: after three no uses are left. */
static struct elem *evict_main(struct map *map, struct map_ctx *ctx, struct lru_set *set)
{
	const struct list_node *head = &set->heads[SET_MAIN];

	for (uint64_t left = (USES_MAX + 1) * set->counts[SET_MAIN]; left; left--) {
		struct elem *elem = elem_of_lru(head->prev);
		uint8_t uses = env_load(&elem->lru.ref);

		map_counters(map, ctx)->scans++;
		env_prefetch(elem->lru.list.prev);
		if (uses && left > set->counts[SET_MAIN])
			env_store(&elem->lru.ref, uses - 1);
		else if (htab_evict(map, ctx, elem))
			return elem;
		lru_set_move(set, elem, SET_MAIN);
	}
	return NULL;
}

static struct elem *evict_small(struct map *map, struct map_ctx *ctx, struct lru_set *set)
{
	const struct list_node *head = &set->heads[SET_SMALL];

	for (uint64_t left = set->counts[SET_SMALL]; left; left--) {
		struct elem *elem = elem_of_lru(head->prev), *other;

		map_counters(map, ctx)->scans++;
		env_prefetch(elem->lru.list.prev);
		if (env_load(&elem->lru.ref) >= USES_TO_STAY) {
			env_store(&elem->lru.ref, 0);
			lru_set_move(set, elem, SET_MAIN);
			other = set->counts[SET_MAIN] > main_target(set) ? evict_main(map, ctx, set)
									 : NULL;
			if (other)
				return other;
		} else if (htab_evict(map, ctx, elem)) {
			ghost_add(ghost_of(map, set), env_load(&elem->hash));
			return elem;
		} else {
			lru_set_move(set, elem, SET_SMALL);
		}
	}
	return NULL;
}

/* When the queue whose turn it is has none to give, the other one is asked. */
static struct elem *s3fifo_evict(struct map *map, struct map_ctx *ctx, struct lru_set *set)
{
	struct elem *elem;

	if (set->counts[SET_SMALL] < small_target(set)) {
		elem = evict_main(map, ctx, set);
		if (elem)
			return elem;
	}
	elem = evict_small(map, ctx, set);
	return elem ? elem : evict_main(map, ctx, set);
}

static void s3fifo_place(struct map *map, struct lru_set *set, struct elem *elem)
{
	bool is_known = ghost_take(ghost_of(map, set), env_load(&elem->hash));

	lru_set_move(set, elem, is_known ? SET_MAIN : SET_SMALL);
}

static struct elem *s3fifo_pop(struct map *map, struct map_ctx *ctx, uint32_t hash)
{
	return lru_set_pop(map, ctx, hash, s3fifo_evict, s3fifo_place);
}

static void s3fifo_mark_used(struct map *map, struct map_ctx *ctx, struct elem *elem)
{
	uint8_t uses = env_load(&elem->lru.ref);

	(void)map;
	(void)ctx;
	if (uses < USES_MAX)
		env_store(&elem->lru.ref, uses + 1);
}

static void s3fifo_lists(const struct map *map, map_list_fn *fn, void *arg)
{
	const struct lru_sets *sets = map->lru;

	lru_sets_report(map, fn, arg);
	for (uint32_t i = 0; i < sets->count; i++)
		fn(arg, "ghost", sets->count == 1 ? -1 : (int)i,
		   ghost_of(map, &sets->sets[i])->count);
}

static uint64_t s3fifo_model_bytes(const struct map *map)
{
	const struct lru_sets *sets = map->lru;
	const struct s3fifo *s3fifo = sets->own;

	return lru_sets_model_bytes(map) + s3fifo->bytes;
}

static const struct lru_ops s3fifo_ops = {
	.init = s3fifo_init,
	.deinit = s3fifo_deinit,
	.pop = s3fifo_pop,
	.give_back = lru_sets_give_back,
	.mark_used = s3fifo_mark_used,
	.lists = s3fifo_lists,
	.walk = lru_sets_walk,
	.model_bytes = s3fifo_model_bytes,
};

const struct lru_policy lru_s3fifo = {
	.policy = {"s3fifo", "a small queue, a main one, and a ghost of evicted hashes (2023)"},
	.common = &s3fifo_ops,
	.percpu = &s3fifo_ops,
};
