// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tests/unit/lru_reference.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct reference_kind {
	const char *name;
	void (*evict)(struct lru_reference *reference);
	void (*insert)(struct lru_reference *reference, uint64_t key);
	void (*use)(struct lru_reference *reference, struct reference_queue *queue, size_t at);
	bool looks_up_first; /* and every look-up is a use */
};

static struct reference_entry queue_remove(struct reference_queue *queue, size_t at)
{
	struct reference_entry entry = queue->entries[at];

	queue->count--;
	memmove(&queue->entries[at], &queue->entries[at + 1],
		(queue->count - at) * sizeof(queue->entries[0]));
	return entry;
}

static void queue_add(struct reference_queue *queue, struct reference_entry entry)
{
	queue->entries[queue->count++] = entry;
}

static void insert_youngest(struct lru_reference *reference, uint64_t key)
{
	queue_add(&reference->queue,
		  (struct reference_entry){.key = key, .id = reference->next_id});
}

static void use_counts(struct lru_reference *reference, struct reference_queue *queue, size_t at)
{
	(void)reference;
	queue->entries[at].uses++;
}

static void fifo_evict(struct lru_reference *reference)
{
	queue_remove(&reference->queue, 0);
}

static void lru_use(struct lru_reference *reference, struct reference_queue *queue, size_t at)
{
	(void)reference;
	queue_add(queue, queue_remove(queue, at));
}

/* As second chance: what was used goes to the young end, unused. */
static void clock_evict(struct lru_reference *reference)
{
	struct reference_queue *queue = &reference->queue;

	while (queue->entries[0].uses) {
		queue->entries[0].uses = 0;
		queue_add(queue, queue_remove(queue, 0));
	}
	queue_remove(queue, 0);
}

/* The hand is an index, for which the entry that follows a removed one moves up. */
static void sieve_evict(struct lru_reference *reference)
{
	struct reference_queue *queue = &reference->queue;
	size_t hand = reference->hand < 0 ? 0 : (size_t)reference->hand;

	while (queue->entries[hand].uses) {
		queue->entries[hand].uses = 0;
		hand = hand + 1 == queue->count ? 0 : hand + 1;
	}
	queue_remove(queue, hand);
	reference->hand = hand == queue->count ? -1 : (int64_t)hand;
}

static size_t small_target(const struct lru_reference *reference)
{
	return reference->capacity < 10 ? 1 : reference->capacity / 10;
}

static size_t main_target(const struct lru_reference *reference)
{
	return reference->capacity - small_target(reference);
}

static void ghost_add(struct lru_reference *reference, uint64_t key)
{
	if (!main_target(reference))
		return;
	if (reference->ghost_count == main_target(reference)) {
		reference->ghost_count--;
		memmove(&reference->ghost[0], &reference->ghost[1],
			reference->ghost_count * sizeof(reference->ghost[0]));
	}
	reference->ghost[reference->ghost_count++] = key;
}

static bool ghost_take(struct lru_reference *reference, uint64_t key)
{
	for (size_t i = 0; i < reference->ghost_count; i++) {
		if (reference->ghost[i] != key)
			continue;
		reference->ghost[i] = UINT64_MAX;
		return true;
	}
	return false;
}

static bool s3fifo_evict_main(struct lru_reference *reference)
{
	struct reference_queue *main = &reference->main;

	while (main->count && main->entries[0].uses) {
		struct reference_entry entry = queue_remove(main, 0);

		entry.uses = (entry.uses > 3 ? 3 : entry.uses) - 1;
		queue_add(main, entry);
	}
	if (!main->count)
		return false;
	queue_remove(main, 0);
	return true;
}

static bool s3fifo_evict_small(struct lru_reference *reference)
{
	while (reference->queue.count) {
		struct reference_entry entry = queue_remove(&reference->queue, 0);

		if (entry.uses < 2) {
			ghost_add(reference, entry.key);
			return true;
		}
		entry.uses = 0;
		queue_add(&reference->main, entry);
		if (reference->main.count > main_target(reference))
			return s3fifo_evict_main(reference);
	}
	return false;
}

static void s3fifo_evict(struct lru_reference *reference)
{
	if (reference->queue.count < small_target(reference) || !s3fifo_evict_small(reference))
		s3fifo_evict_main(reference);
}

static void s3fifo_insert(struct lru_reference *reference, uint64_t key)
{
	struct reference_entry entry = {.key = key, .id = reference->next_id};

	queue_add(ghost_take(reference, key) ? &reference->main : &reference->queue, entry);
}

/* A use of main's is counted up to 3 at once: what it lost there, it can have again. */
static void s3fifo_use(struct lru_reference *reference, struct reference_queue *queue, size_t at)
{
	(void)reference;
	if (queue->entries[at].uses < 3)
		queue->entries[at].uses++;
}

static void random_evict(struct lru_reference *reference)
{
	size_t frame = rng_below(&reference->rng, reference->capacity);

	for (size_t i = 0; i < reference->queue.count; i++) {
		if (reference->queue.entries[i].frame != frame)
			continue;
		queue_remove(&reference->queue, i);
		reference->free[reference->free_count++] = frame;
		return;
	}
	abort();
}

static void random_insert(struct lru_reference *reference, uint64_t key)
{
	struct reference_entry entry = {.key = key, .id = reference->next_id};

	entry.frame = reference->free[--reference->free_count];
	queue_add(&reference->queue, entry);
}

/* How far the next use of a key is: never, if a delete comes before it. */
static size_t next_use(const struct lru_reference *reference, uint64_t key)
{
	for (size_t i = reference->now + 1; i < reference->batch->count; i++) {
		if (reference->batch->ops[i].key == key)
			return reference->batch->ops[i].code == OP_DELETE ? SIZE_MAX : i;
	}
	return SIZE_MAX;
}

static void opt_evict(struct lru_reference *reference)
{
	struct reference_queue *queue = &reference->queue;
	size_t victim = 0;

	for (size_t i = 1; i < queue->count; i++) {
		if (next_use(reference, queue->entries[i].key) >
		    next_use(reference, queue->entries[victim].key))
			victim = i;
	}
	queue_remove(queue, victim);
}

static const struct reference_kind kinds[] = {
	{"fifo", fifo_evict, insert_youngest, use_counts, false},
	{"clock", clock_evict, insert_youngest, use_counts, false},
	{"sieve", sieve_evict, insert_youngest, use_counts, false},
	{"s3fifo", s3fifo_evict, s3fifo_insert, s3fifo_use, false},
	{"random", random_evict, random_insert, use_counts, false},
	{"lru", fifo_evict, insert_youngest, lru_use, false},
	{"opt", opt_evict, insert_youngest, use_counts, true},
};

void lru_reference_init(struct lru_reference *reference, const char *kind, size_t capacity,
			bool is_percpu, const struct op_batch *batch)
{
	memset(reference, 0, sizeof(*reference));
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (!strcmp(kinds[i].name, kind))
			reference->kind = &kinds[i];
	}
	if (!reference->kind || capacity > REFERENCE_ENTRIES_MAX)
		abort();
	reference->capacity = capacity;
	reference->is_percpu = is_percpu;
	reference->batch = batch;
	reference->hand = -1;
	rng_init(&reference->rng, 0);
	for (size_t frame = capacity; frame-- > 0;)
		reference->free[reference->free_count++] = frame;
}

/* The queue that has a key, or that id, and where; or NULL. */
static struct reference_queue *find(struct lru_reference *reference, uint64_t key, uint64_t id,
				    size_t *at)
{
	struct reference_queue *queues[] = {&reference->queue, &reference->main};

	for (int i = 0; i < 2; i++) {
		for (*at = 0; *at < queues[i]->count; (*at)++) {
			const struct reference_entry *entry = &queues[i]->entries[*at];

			if (id ? entry->id == id : entry->key == key)
				return queues[i];
		}
	}
	return NULL;
}

static bool reference_use(struct lru_reference *reference, uint64_t key)
{
	size_t at;
	struct reference_queue *queue = find(reference, key, 0, &at);

	if (queue)
		reference->kind->use(reference, queue, at);
	return queue;
}

static void reference_remove(struct lru_reference *reference, struct reference_queue *queue,
			     size_t at)
{
	struct reference_entry entry = queue_remove(queue, at);

	reference->free[reference->free_count] = entry.frame;
	reference->free_count += !strcmp(reference->kind->name, "random");
	if (queue == &reference->queue && reference->hand > (int64_t)at)
		reference->hand--;
	if (reference->hand == (int64_t)queue->count)
		reference->hand = -1;
}

/* Takes a node for a key: its id. */
static uint64_t reference_pop(struct lru_reference *reference, uint64_t key)
{
	reference->next_id++;
	if (reference->queue.count + reference->main.count == reference->capacity) {
		reference->evictions++;
		reference->kind->evict(reference);
	}
	reference->kind->insert(reference, key);
	return reference->next_id;
}

/* Gives an entry back. */
static void reference_give_back(struct lru_reference *reference, uint64_t id)
{
	size_t at;
	struct reference_queue *queue = find(reference, 0, id, &at);

	reference_remove(reference, queue, at);
}

static int update_present(struct lru_reference *reference, uint64_t key, uint64_t flags)
{
	reference_use(reference, key);
	return flags == 1 ? -EEXIST : 0;
}

/* The key's own entry is found among those that are there before the new one comes. */
static int reference_update(struct lru_reference *reference, uint64_t key, uint64_t flags)
{
	bool takes_node = !reference->is_percpu || flags != 2;
	uint64_t old_id = 0, new_id = 0;
	size_t at;
	struct reference_queue *queue = find(reference, key, 0, &at);

	if (reference->kind->looks_up_first && (queue || flags == 2))
		return queue ? update_present(reference, key, flags) : -ENOENT;
	if (queue)
		old_id = queue->entries[at].id;
	if (takes_node)
		new_id = reference_pop(reference, key);
	if (old_id && !find(reference, 0, old_id, &at))
		old_id = 0;
	if ((old_id && flags == 1) || (!old_id && flags == 2)) {
		if (new_id)
			reference_give_back(reference, new_id);
		return old_id ? -EEXIST : -ENOENT;
	}
	if (!old_id)
		return 0;
	queue = find(reference, 0, reference->is_percpu ? old_id : new_id, &at);
	reference->kind->use(reference, queue, at);
	if (new_id)
		reference_give_back(reference, reference->is_percpu ? new_id : old_id);
	return 0;
}

static int reference_lookup(struct lru_reference *reference, const struct map_op *op)
{
	size_t at;

	if (op->context == OP_SYSCALL && !reference->kind->looks_up_first)
		return find(reference, op->key, 0, &at) ? 0 : -ENOENT;
	return reference_use(reference, op->key) ? 0 : -ENOENT;
}

int lru_reference_op(struct lru_reference *reference, size_t now)
{
	const struct map_op *op = &reference->batch->ops[now];
	struct reference_queue *queue;
	size_t at;

	reference->now = now;
	switch ((enum op_code)op->code) {
	case OP_LOOKUP:
		return reference_lookup(reference, op);
	case OP_ACCESS:
		if (!reference_lookup(reference, op))
			return 0;
		reference_update(reference, op->key, 0);
		return 1;
	case OP_UPDATE:
		return reference_update(reference, op->key, 0);
	case OP_UPDATE_NOEXIST:
		return reference_update(reference, op->key, 1);
	case OP_UPDATE_EXIST:
		return reference_update(reference, op->key, 2);
	case OP_DELETE:
		queue = find(reference, op->key, 0, &at);
		if (queue)
			reference_remove(reference, queue, at);
		return queue ? 0 : -ENOENT;
	default:
		abort();
	}
}
