/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What simple strategies share: nodes in a set under one lock, or with no_common_lru in a set for
 * each CPU, dealt out in equal runs for ever. A set has a list of free nodes and one or two of
 * nodes in use. "The head" of a list is its young end. A strategy says how a node is evicted, and
 * on which list a taken one comes.
 */
#ifndef MODEL_LRU_SETS_H
#define MODEL_LRU_SETS_H

#include "model/lru/lru.h"

enum lru_set_list { SET_FREE, SET_USED, SET_MAIN, SET_LISTS, SET_SMALL = SET_USED };

enum { HAND_LEAD = 16 }; /* how many nodes are fetched ahead of a hand */

struct lru_set {
	struct list_node heads[SET_LISTS];
	uint64_t counts[SET_LISTS];
	/* A node in use or its list's head: never on a node that leaves its place. */
	struct list_node *hand;
	struct env_lock lock;
	uint32_t pending; /* whether nodes may be pending free: given back without the lock */
	/* Looking ahead: a node that the hand will come to, and how far it is. Only a hint. */
	const struct list_node *scout;
	uint32_t scout_lead;
	uint64_t first; /* of its elements */
	uint64_t nodes;
} __attribute__((aligned(64)));

struct lru_sets {
	const char *const *names; /* of the lists, as reported; NULL: not used */
	void *own;                /* the strategy's */
	uint32_t count;           /* 1, or one per CPU */
	struct lru_set sets[];
};

/* Sets map->lru up, all nodes free. names are SET_LISTS. 0 or -ENOMEM. */
int lru_sets_init(struct map *map, const char *const *names);
void lru_sets_deinit(struct map *map);
void lru_sets_give_back(struct map *map, struct map_ctx *ctx, struct elem *elem);
/* Frees what is pending free. Under the lock. */
void lru_set_reclaim(struct map *map, struct lru_set *set);
void lru_sets_report(const struct map *map, map_list_fn *fn, void *arg);
int lru_sets_walk(const struct map *map, lru_visit_fn *visit, void *arg, struct error *error);
uint64_t lru_sets_model_bytes(const struct map *map);

/* The set a node belongs to. */
static inline struct lru_set *lru_set_of(const struct map *map, const struct elem *elem)
{
	struct lru_sets *sets = map->lru;

	return &sets->sets[sets->count == 1 ? 0 : env_load(&elem->lru.cpu)];
}

/* The set a CPU takes nodes from. */
static inline struct lru_set *lru_set_of_cpu(const struct map *map, uint32_t cpu)
{
	struct lru_sets *sets = map->lru;

	return &sets->sets[sets->count == 1 ? 0 : cpu];
}

static inline int lru_set_lock(struct map *map, struct map_ctx *ctx, struct lru_set *set)
{
	return env_lock(&set->lock, ctx, RANK_LRU, map->lru_lock);
}

static inline void lru_set_unlock(struct map *map, struct map_ctx *ctx, struct lru_set *set)
{
	env_unlock(&set->lock, ctx, RANK_LRU, map->lru_lock);
}

/* Moves a node from its list to behind a node of another, or its head. Under the lock. */
static inline void lru_set_move_behind(struct lru_set *set, struct elem *elem,
				       enum lru_set_list type, struct list_node *behind)
{
	struct list_node *node = &elem->lru.list;

	if (behind == node)
		return;
	if (set->hand == node)
		set->hand = node->prev;
	set->counts[elem->lru.type]--;
	list_del(node);
	list_add(node, behind);
	set->counts[type]++;
	env_store(&elem->lru.type, (uint8_t)type);
}

/* Moves a node to the head of a list. Under the lock. */
static inline void lru_set_move(struct lru_set *set, struct elem *elem, enum lru_set_list type)
{
	lru_set_move_behind(set, elem, type, &set->heads[type]);
}

/*
 * Under the lock: evict chooses a node, unhashes it by htab_evict() and returns it, still on its
 * list, or NULL when none can be; place puts a node, evicted or free, on a list in use.
 */
typedef struct elem *lru_evict_fn(struct map *map, struct map_ctx *ctx, struct lru_set *set);
typedef void lru_place_fn(struct map *map, struct lru_set *set, struct elem *elem);

/* Pop, for a strategy to instantiate with its functions. */
static inline __attribute__((always_inline)) struct elem *
lru_set_pop(struct map *map, struct map_ctx *ctx, uint32_t hash, lru_evict_fn *evict,
	    lru_place_fn *place)
{
	struct lru_set *set = lru_set_of_cpu(map, ctx->cpu);
	struct list_node *free = &set->heads[SET_FREE];
	struct elem *elem;

	if (lru_set_lock(map, ctx, set))
		return NULL;
	if (env_load(&set->pending))
		lru_set_reclaim(map, set);
	if (list_is_empty(free)) {
		map_counters(map, ctx)->shrinks++;
		elem = evict(map, ctx, set);
	} else {
		elem = elem_of_lru(free->next);
	}
	if (elem) {
		env_store(&elem->hash, hash);
		env_store(&elem->lru.ref, 0);
		place(map, set, elem);
	}
	lru_set_unlock(map, ctx, set);
	return elem;
}

/*
 * How a hand's way is fetched ahead. Where nodes stay at their places, they mostly follow each
 * other in memory, as they were dealt out. Otherwise a scout goes ahead of the hand, step by step,
 * each of which waits for the last one's node to come: so two are made per eviction, as far apart
 * as can be.
 */
enum lru_hand_kind { HAND_OF_RING, HAND_OF_LIST };

static inline void lru_hand_step(const struct map *map, struct lru_set *set)
{
	if (!ENV_LOOKAHEAD || !map->lookahead || set->scout_lead >= HAND_LEAD)
		return;
	lru_fetch_unhash(map, set->scout);
	set->scout = set->scout->prev;
	set->scout_lead++;
	env_prefetch(set->scout);
}

/* The hand looks at a node. */
static inline void lru_hand_look(const struct map *map, struct lru_set *set,
				 const struct list_node *node, enum lru_hand_kind kind)
{
	if (!ENV_LOOKAHEAD || !map->lookahead)
		return;
	if (kind == HAND_OF_RING) {
		size_t half = HAND_LEAD / 2 * map->elem_bytes;
		uintptr_t ahead = (uintptr_t)node + half;

		lru_fetch_unhash(map, (const struct list_node *)ahead);
		env_prefetch((const void *)(ahead + half));
	} else if (set->scout_lead) {
		set->scout_lead--;
	} else {
		set->scout = node->prev;
	}
}

/*
 * Evicts by the hand, which goes from node to node towards the head, and round again. With
 * passes_used a node whose bit is set loses it, and is passed over. Three turns at most: the first
 * clears the bits, the third does not look at them, in case they are being set meanwhile. A node
 * that cannot be unhashed is passed over, too.
 */
static inline __attribute__((always_inline)) struct elem *
lru_hand_evict(struct map *map, struct map_ctx *ctx, struct lru_set *set, enum lru_hand_kind kind,
	       bool passes_used)
{
	struct list_node *head = &set->heads[SET_USED];
	struct elem *found = NULL;
	uint64_t scans = 0;

	if (kind == HAND_OF_LIST)
		lru_hand_step(map, set);
	while (!found && scans < 3 * set->nodes) {
		struct list_node *node = set->hand == head ? head->prev : set->hand;
		struct elem *elem = elem_of_lru(node);

		set->hand = node->prev;
		lru_hand_look(map, set, node, kind);
		if (passes_used && env_load(&elem->lru.ref) && scans < 2 * set->nodes)
			env_store(&elem->lru.ref, 0);
		else if (htab_evict(map, ctx, elem))
			found = elem;
		scans++;
	}
	if (kind == HAND_OF_LIST)
		lru_hand_step(map, set);
	map_counters(map, ctx)->scans += scans;
	return found;
}

#endif
