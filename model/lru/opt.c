// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Belady's optimum ("A Study of Replacement Algorithms for a Virtual-Storage Computer", 1966; MIN;
 * Mattson et al., 1970: OPT): evicts the node that will be used last, or never again. It is told
 * the future (map_ctx.next_use), so it is no strategy but a bound. An access always inserts: no key
 * is passed by.
 *
 * A use is a look-up or an update, by a program or by system call. A key that is deleted before it
 * is used again has no next use. Updates look the key up first and go through spares, or they would
 * evict for nothing. The bound is on operations that do not find their key: no rotation has fewer,
 * where each of them inserts (accesses, updates); a bare look-up that fails does not, and might be
 * worth more than an access that comes sooner. Keys that batches delete are not foreseen.
 *
 * Nodes in use are in a heap, the next victim first; policy_word is a node's place in it. Of nodes
 * that are never used again, the first in memory goes first. No per-CPU form: a choice among one
 * CPU's nodes would bound nothing.
 *
 * Locks: the set's, also for look-ups. When a lock fails a node can keep a next use that has
 * passed; so it stays longer than it should. Given back without the lock, a node waits for the next
 * pop. In place of a node that cannot be unhashed the next one in the heap's array is tried.
 */
#include "model/lru/sets.h"

struct opt_entry {
	uint64_t next_use;
	struct elem *elem;
};

struct opt {
	uint64_t count;
	struct opt_entry heap[];
};

static struct opt *opt_of(const struct map *map)
{
	const struct lru_sets *sets = map->lru;

	return sets->own;
}

static struct lru_set *opt_set(const struct map *map)
{
	return lru_set_of_cpu(map, 0);
}

static size_t opt_bytes(const struct map *map)
{
	return sizeof(struct opt) + map->max_entries * sizeof(struct opt_entry);
}

static int opt_init(struct map *map)
{
	static const char *const names[SET_LISTS] = {"free", "used"};
	int err = lru_sets_init(map, names);
	struct lru_sets *sets = map->lru;

	if (err)
		return err;
	sets->own = env_alloc(opt_bytes(map), -1);
	return sets->own ? 0 : -ENOMEM;
}

static void opt_deinit(struct map *map)
{
	env_free(opt_of(map), opt_bytes(map));
	lru_sets_deinit(map);
}

/* Elements stand in one array: their addresses compare as their numbers. */
static bool goes_before(const struct opt_entry *a, const struct opt_entry *b)
{
	return a->next_use != b->next_use ? a->next_use > b->next_use : a->elem < b->elem;
}

static void heap_put(struct opt *opt, uint64_t place, struct opt_entry entry)
{
	opt->heap[place] = entry;
	entry.elem->policy_word = (uint32_t)place;
}

/* Puts an entry where one is missing, or below or above it. */
static void heap_settle(struct opt *opt, uint64_t place, struct opt_entry entry)
{
	while (place && goes_before(&entry, &opt->heap[(place - 1) / 2])) {
		heap_put(opt, place, opt->heap[(place - 1) / 2]);
		place = (place - 1) / 2;
	}
	for (;;) {
		uint64_t child = 2 * place + 1;

		if (child + 1 < opt->count && goes_before(&opt->heap[child + 1], &opt->heap[child]))
			child++;
		if (child >= opt->count || !goes_before(&opt->heap[child], &entry))
			break;
		heap_put(opt, place, opt->heap[child]);
		place = child;
	}
	heap_put(opt, place, entry);
}

static void heap_remove(struct opt *opt, uint64_t place)
{
	struct opt_entry last = opt->heap[--opt->count];

	if (place < opt->count)
		heap_settle(opt, place, last);
}

static void opt_free(struct map *map, struct elem *elem)
{
	if (elem->lru.type != SET_USED)
		return;
	heap_remove(opt_of(map), elem->policy_word);
	lru_set_move(opt_set(map), elem, SET_FREE);
}

/* Frees what is pending free: spares have mixed the nodes, so it may be any. */
static void opt_reclaim(struct map *map)
{
	env_store(&opt_set(map)->pending, 0);
	for (uint64_t i = 0; i < map->elem_total; i++) {
		struct elem *elem = map_elem(map, i);

		if (!env_load(&elem->lru.pending_free))
			continue;
		env_store(&elem->lru.pending_free, 0);
		opt_free(map, elem);
	}
}

static struct elem *opt_evict(struct map *map, struct map_ctx *ctx)
{
	struct opt *opt = opt_of(map);

	map_counters(map, ctx)->shrinks++;
	for (uint64_t place = 0; place < opt->count; place++) {
		struct elem *elem = opt->heap[place].elem;

		map_counters(map, ctx)->scans++;
		if (htab_evict(map, ctx, elem))
			return elem;
	}
	return NULL;
}

/* A node for the key of this operation. Under the lock. */
static struct elem *opt_take(struct map *map, struct map_ctx *ctx)
{
	struct lru_set *set = opt_set(map);
	struct list_node *free = &set->heads[SET_FREE];
	struct opt *opt = opt_of(map);
	struct elem *elem;

	if (env_load(&set->pending))
		opt_reclaim(map);
	if (list_is_empty(free)) {
		elem = opt_evict(map, ctx);
		if (elem)
			heap_settle(opt, elem->policy_word,
				    (struct opt_entry){ctx->next_use, elem});
		return elem;
	}
	elem = elem_of_lru(free->next);
	lru_set_move(set, elem, SET_USED);
	opt->count++;
	heap_settle(opt, opt->count - 1, (struct opt_entry){ctx->next_use, elem});
	return elem;
}

static struct elem *opt_pop(struct map *map, struct map_ctx *ctx, uint32_t hash)
{
	struct lru_set *set = opt_set(map);
	struct elem *elem;

	if (lru_set_lock(map, ctx, set))
		return NULL;
	elem = opt_take(map, ctx);
	if (elem)
		env_store(&elem->hash, hash);
	lru_set_unlock(map, ctx, set);
	return elem;
}

static void opt_give_back(struct map *map, struct map_ctx *ctx, struct elem *elem)
{
	struct lru_set *set = opt_set(map);

	if (lru_set_lock(map, ctx, set)) {
		env_store(&elem->lru.pending_free, 1);
		env_store(&set->pending, 1);
		return;
	}
	opt_free(map, elem);
	lru_set_unlock(map, ctx, set);
}

static void opt_mark_used(struct map *map, struct map_ctx *ctx, struct elem *elem)
{
	struct lru_set *set = opt_set(map);

	if (lru_set_lock(map, ctx, set))
		return;
	if (elem->lru.type == SET_USED)
		heap_settle(opt_of(map), elem->policy_word,
			    (struct opt_entry){ctx->next_use, elem});
	lru_set_unlock(map, ctx, set);
}

static struct env_lock *opt_hold(struct map *map, struct map_ctx *ctx, struct elem *elem)
{
	struct lru_set *set = opt_set(map);

	(void)elem;
	return lru_set_lock(map, ctx, set) ? NULL : &set->lock;
}

/* The spare gets its own next use when it is marked. */
static void opt_swap(struct map *map, struct elem *old, struct elem *spare)
{
	list_replace(&old->lru.list, &spare->lru.list);
	env_store(&spare->lru.type, old->lru.type);
	spare->policy_word = old->policy_word;
	opt_of(map)->heap[spare->policy_word].elem = spare;
}

static void opt_release(struct map *map, struct map_ctx *ctx, struct env_lock *lock)
{
	(void)lock;
	lru_set_unlock(map, ctx, opt_set(map));
}

/* Besides the lists, the heap: its order, and that it has the nodes in use. */
static int opt_walk(const struct map *map, lru_visit_fn *visit, void *arg, struct error *error)
{
	const struct opt *opt = opt_of(map);

	if (opt->count != opt_set(map)->counts[SET_USED])
		return error_set(error, -EUCLEAN, "%llu nodes in the heap, counted %llu",
				 (unsigned long long)opt->count,
				 (unsigned long long)opt_set(map)->counts[SET_USED]);
	for (uint64_t i = 0; i < opt->count; i++) {
		const struct opt_entry *entry = &opt->heap[i];

		if (entry->elem->lru.type != SET_USED || entry->elem->policy_word != i)
			return error_set(error, -EUCLEAN, "a node is not at its place in the heap");
		if (i && opt->heap[(i - 1) / 2].next_use < entry->next_use)
			return error_set(error, -EUCLEAN, "the heap is out of order");
	}
	return lru_sets_walk(map, visit, arg, error);
}

static uint64_t opt_model_bytes(const struct map *map)
{
	return lru_sets_model_bytes(map) + opt_bytes(map);
}

static const struct lru_ops opt_ops = {
	.init = opt_init,
	.deinit = opt_deinit,
	.pop = opt_pop,
	.give_back = opt_give_back,
	.mark_used = opt_mark_used,
	.hold = opt_hold,
	.swap = opt_swap,
	.release = opt_release,
	.lists = lru_sets_report,
	.walk = opt_walk,
	.model_bytes = opt_model_bytes,
};

const struct lru_policy lru_opt = {
	.policy = {"opt", "Belady's optimum, the bound: it knows the whole trace"},
	.common = &opt_ops,
	.needs_future = true,
};
