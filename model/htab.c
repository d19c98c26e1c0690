// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Look-up, update and delete (kernel/bpf/hashtab.c: htab_map_update_elem,
 * htab_lru_map_update_elem, __htab_percpu_map_update_elem, __htab_lru_percpu_map_update_elem).
 *
 * Invariants: an element is linked in the bucket of its hash, exactly when is_hashed is set, and
 * counted in the census then. Locks: changes to a bucket under its lock; elements of maps without
 * LRU are popped and pushed under it, LRU nodes before and after it. Memory order: an element is
 * whole before it is linked (release), readers follow links with acquire.
 */
#include "model/htab.h"

#include "model/alloc/alloc.h"

void htab_link(struct map *map, struct elem *elem, uint32_t bucket)
{
	uintptr_t *first = &map_bucket(map, bucket)->first, link = link_load(first);

	env_store(&elem->hash_node.next, link);
	elem->hash_node.pprev = first;
	env_store(&elem->lru.is_hashed, 1);
	link_store(first, (uintptr_t)&elem->hash_node);
	if (!nulls_is_end(link))
		elem_of_link(link)->hash_node.pprev = &elem->hash_node.next;
}

void htab_unlink(struct elem *elem)
{
	uintptr_t link = elem->hash_node.next;

	link_store(elem->hash_node.pprev, link);
	if (!nulls_is_end(link))
		elem_of_link(link)->hash_node.pprev = elem->hash_node.pprev;
	env_store(&elem->lru.is_hashed, 0);
}

void htab_count_entry(struct map *map, const struct map_ctx *ctx, int change)
{
	if (!ENV_CENSUS) {
		env_cpu_add(&map_cpu(map, ctx->cpu)->entries, (uint64_t)change);
		return;
	}
	map->census.entries += (uint64_t)change;
	if (map->census.entries > map->census.entries_max)
		map->census.entries_max = map->census.entries;
}

uint64_t map_entries(const struct map *map)
{
	uint64_t entries = map->census.entries;

	for (uint32_t cpu = 0; !ENV_CENSUS && cpu < map->cpus; cpu++)
		entries += env_load(&map_cpu(map, cpu)->entries);
	return entries;
}

/* An eviction is premature while the map holds fewer entries than it may. */
static void count_eviction(struct map *map, const struct map_ctx *ctx)
{
	struct map_counters *counters = map_counters(map, ctx);

	counters->evictions++;
	if (!ENV_CENSUS || map->census.entries == map->max_entries)
		return;
	counters->premature_evictions++;
	if (!map->census.first_premature_entries)
		map->census.first_premature_entries = map->census.entries;
}

int htab_count_error(struct map *map, const struct map_ctx *ctx, int err)
{
	struct map_counters *counters = map_counters(map, ctx);
	int i;

	for (i = 0; i < ERROR_OTHER && map_error_errnos[i] != -err; i++)
		;
	counters->errors[i]++;
	return err;
}

/* Whether an element is in a bucket: a node may be taken and not linked yet, or deleted already. */
static bool is_linked(const struct map *map, const struct elem *elem, uint32_t bucket)
{
	uintptr_t link;

	if (ENV_SHORTCUTS)
		return elem_is_hashed(elem);
	link = link_load(&map_bucket(map, bucket)->first);
	while (!nulls_is_end(link) && elem_of_link(link) != elem)
		link = elem_of_link(link)->hash_node.next;
	return !nulls_is_end(link);
}

bool htab_evict(struct map *map, struct map_ctx *ctx, struct elem *elem)
{
	uint32_t bucket = env_load(&elem->hash) & map->bucket_mask;

	if (bucket_lock(map, ctx, bucket))
		return false;
	if (!is_linked(map, elem, bucket)) {
		bucket_unlock(map, ctx, bucket);
		return false;
	}
	count_eviction(map, ctx);
	htab_count_entry(map, ctx, -1);
	htab_unlink(elem);
	bucket_unlock(map, ctx, bucket);
	return true;
}

/* What an update may not do to a key that is there or is not. */
static int check_flags(const struct elem *old, uint32_t flags)
{
	if (old && flags == UPDATE_NOEXIST)
		return -EEXIST;
	if (!old && flags == UPDATE_EXIST)
		return -ENOENT;
	return 0;
}

/* A copy of this CPU's may be other than zero from here on. */
static void elem_note_writer(const struct map *map, const struct map_ctx *ctx, struct elem *elem)
{
	struct percpu_slot *slot = elem_percpu_slot(map, elem);

	if (slot->writer == WRITER_NONE)
		slot->writer = WRITER_CPU(ctx->cpu);
	else if (slot->writer != WRITER_CPU(ctx->cpu))
		slot->writer = WRITER_ANY;
}

void *elem_own_value(const struct map *map, const struct map_ctx *ctx, struct elem *elem)
{
	if (!map->is_percpu)
		return elem_value(map, elem);
	if (ENV_SHORTCUTS)
		elem_note_writer(map, ctx, elem);
	return elem_percpu_value(map, elem, ctx->cpu);
}

static void write_percpu_value(struct map *map, const struct map_ctx *ctx, struct elem *elem,
			       const struct update *update)
{
	if (ctx->context != OP_SYSCALL) {
		env_copy_in(elem_own_value(map, ctx, elem), update->value, map->value_size);
		return;
	}
	if (ENV_SHORTCUTS)
		elem_percpu_slot(map, elem)->writer = WRITER_ANY;
	for (uint32_t cpu = 0; cpu < map->cpus; cpu++)
		env_copy_in(elem_percpu_value(map, elem, cpu),
			    update->value + cpu * update->value_stride, map->value_size);
}

/* A new element's value: what a program does not write on the other CPUs is zero. */
static void init_percpu_value(struct map *map, const struct map_ctx *ctx, struct elem *elem,
			      const struct update *update)
{
	uint32_t cpu = 0, end = map->cpus, writer;

	writer = ENV_SHORTCUTS ? elem_percpu_slot(map, elem)->writer : WRITER_ANY;
	if (writer != WRITER_ANY) {
		cpu = writer == WRITER_NONE ? end : writer - 1;
		end = writer == WRITER_NONE ? end : writer;
	}
	if (env_fault(FAULT_VALUES_LEFT))
		end = cpu;
	for (; ctx->context != OP_SYSCALL && cpu < end; cpu++) {
		if (cpu != ctx->cpu)
			env_clear(elem_percpu_value(map, elem, cpu), map->value_size);
	}
	if (ENV_SHORTCUTS)
		elem_percpu_slot(map, elem)->writer = WRITER_NONE;
	write_percpu_value(map, ctx, elem, update);
}

/* Makes an element that is on no list the key's. */
static void fill_elem(struct map *map, const struct map_ctx *ctx, struct elem *elem,
		      const struct update *update)
{
	env_store(&elem->hash, update->hash);
	env_copy_in(elem->key, update->key, map->key_size);
	if (!map->is_percpu)
		env_copy_in(elem_value(map, elem), update->value, map->value_size);
	else if (!map->is_lru)
		init_percpu_value(map, ctx, elem, update);
}

/*
 * An element for a key in a map without LRU, old being what it replaces. Replacing swaps with this
 * CPU's spare when preallocated; otherwise it is allowed even when the map is full, since the old
 * one goes at once. Returns 0, -E2BIG or -ENOMEM.
 */
static int take_elem(struct map *map, struct map_ctx *ctx, struct elem *old, struct elem **taken)
{
	struct map_cpu *cpu = map_cpu(map, ctx->cpu);

	if (map->preallocates) {
		if (old && map->has_spares && !env_fault(FAULT_SPARE_UNUSED)) {
			*taken = cpu->spare;
			return 0;
		}
		*taken = map->alloc_policy->pop(map, ctx);
		return *taken ? 0 : -E2BIG;
	}
	if (!elem_count_take(&map->count, ctx,
			     map->max_entries + (int64_t)env_fault(FAULT_ONE_TOO_MANY), old))
		return -E2BIG;
	*taken = map->alloc_policy->pop(map, ctx);
	if (*taken)
		return 0;
	elem_count_put(&map->count, ctx);
	return -ENOMEM;
}

void htab_end_alloc(struct map *map, struct map_ctx *ctx)
{
	if (map->alloc_policy->work)
		map->alloc_policy->work(map, ctx);
}

void htab_free_elem(struct map *map, struct map_ctx *ctx, struct elem *elem)
{
	if (map->is_lru) {
		map->lru_ops->give_back(map, ctx, elem);
		return;
	}
	if (!map->preallocates)
		elem_count_put(&map->count, ctx);
	map->alloc_policy->push(map, ctx, elem);
}

/* Gives elem the place of old in its bucket: a test has planted that fault. */
static void replace_in_place(struct elem *elem, struct elem *old)
{
	uintptr_t next = old->hash_node.next;

	elem->hash_node = old->hash_node;
	elem->lru.is_hashed = 1;
	link_store(elem->hash_node.pprev, (uintptr_t)&elem->hash_node);
	if (!nulls_is_end(next))
		elem_of_link(next)->hash_node.pprev = &elem->hash_node.next;
	old->lru.is_hashed = 0;
}

/* Links elem, then unlinks old, of the same key: for a reader one of them is always there. */
static void replace_elem(struct map *map, struct elem *elem, struct elem *old)
{
	if (env_fault(FAULT_UPDATE_IN_PLACE)) {
		replace_in_place(elem, old);
		return;
	}
	htab_link(map, elem, elem->hash & map->bucket_mask);
	htab_unlink(old);
}

/* Links the element of a key that is new. */
static void insert_elem(struct map *map, const struct map_ctx *ctx, struct elem *elem)
{
	htab_link(map, elem, elem->hash & map->bucket_mask);
	htab_count_entry(map, ctx, 1);
}

/* Under the bucket lock. The element moves to the head of its bucket also when it was there. */
static int update_hash_locked(struct map *map, struct map_ctx *ctx, const struct update *update,
			      struct elem *old)
{
	struct elem *elem;
	int err = take_elem(map, ctx, old, &elem);

	if (err)
		return err;
	fill_elem(map, ctx, elem, update);
	if (!old) {
		insert_elem(map, ctx, elem);
		return 0;
	}
	replace_elem(map, elem, old);
	if (map->preallocates && map->has_spares && !env_fault(FAULT_SPARE_UNUSED))
		map_cpu(map, ctx->cpu)->spare = old;
	else
		htab_free_elem(map, ctx, old);
	return 0;
}

/* The element that has the key of an update, or NULL. */
static struct elem *find_old(const struct map *map, const struct update *update)
{
	if (ENV_SHORTCUTS && update->is_absent)
		return NULL;
	return htab_find(map, update->key, update->hash);
}

/* HASH and PERCPU_HASH (kernel-maps 2). */
static int update_plain(struct map *map, struct map_ctx *ctx, const struct update *update)
{
	uint32_t bucket = update->hash & map->bucket_mask;
	struct elem *old;
	int err = bucket_lock(map, ctx, bucket);

	if (err)
		return err;
	old = find_old(map, update);
	err = check_flags(old, update->flags);
	if (!err) {
		if (old && map->is_percpu)
			write_percpu_value(map, ctx, old, update);
		else
			err = update_hash_locked(map, ctx, update, old);
		map_counters(map, ctx)->inserts += !old && !err;
		map_counters(map, ctx)->replaced += old && !err;
	}
	bucket_unlock(map, ctx, bucket);
	htab_end_alloc(map, ctx);
	return err;
}

/*
 * A key's update through this CPU's spare, which takes the place of the old element. Under the
 * bucket lock and the old element's list lock.
 */
static void replace_by_spare(struct map *map, struct map_ctx *ctx, const struct update *update,
			     struct elem *old)
{
	struct map_cpu *cpu = map_cpu(map, ctx->cpu);
	struct elem *spare = cpu->spare;

	fill_elem(map, ctx, spare, update);
	map->lru_ops->swap(map, old, spare);
	replace_elem(map, spare, old);
	cpu->spare = old;
	map_counters(map, ctx)->replaced++;
}

/*
 * The update of a key that is there, where the rotation looks up first: nothing is evicted. False
 * when the key is not there (any more); otherwise *err is the update's return.
 */
static bool update_lru_present(struct map *map, struct map_ctx *ctx, const struct update *update,
			       int *err)
{
	uint32_t bucket = update->hash & map->bucket_mask;
	struct elem *old = find_old(map, update), *used = old;
	struct env_lock *lock;

	*err = check_flags(old, update->flags);
	if (!old || *err) {
		if (old)
			lru_mark_moved(map, ctx, old);
		return *err;
	}
	lock = map->lru_ops->hold(map, ctx, old);
	if (!lock) {
		*err = -ENOMEM;
		return true;
	}
	*err = bucket_lock(map, ctx, bucket);
	if (!*err) {
		old = htab_find(map, update->key, update->hash);
		if (old == used) {
			used = map_cpu(map, ctx->cpu)->spare;
			replace_by_spare(map, ctx, update, old);
		} else {
			used = NULL;
		}
		bucket_unlock(map, ctx, bucket);
	}
	map->lru_ops->release(map, ctx, lock);
	if (!*err && used)
		lru_mark_moved(map, ctx, used);
	return *err || used;
}

/* LRU_HASH (kernel-maps 4.8): the node comes first, and may cost any key its place. */
static int update_lru(struct map *map, struct map_ctx *ctx, const struct update *update)
{
	uint32_t bucket = update->hash & map->bucket_mask;
	struct elem *elem, *old = NULL;
	int err;

	if (map->lru_ops->hold && update_lru_present(map, ctx, update, &err))
		return err;
	elem = map->lru_ops->pop(map, ctx, update->hash);
	if (!elem)
		return -ENOMEM;
	fill_elem(map, ctx, elem, update);
	err = bucket_lock(map, ctx, bucket);
	if (!err) {
		old = find_old(map, update);
		err = check_flags(old, update->flags);
		if (!err) {
			if (old) {
				if (!env_fault(FAULT_UPDATE_UNMARKED))
					lru_mark_bit(map, elem);
				replace_elem(map, elem, old);
			} else {
				insert_elem(map, ctx, elem);
			}
			map_counters(map, ctx)->inserts += !old;
			map_counters(map, ctx)->replaced += old != NULL;
		}
		bucket_unlock(map, ctx, bucket);
	}
	if (err) {
		if (!env_fault(FAULT_NOEXIST_KEEPS))
			map->lru_ops->give_back(map, ctx, elem);
	} else if (old) {
		lru_mark_moved(map, ctx, elem);
		map->lru_ops->give_back(map, ctx, old);
	}
	return err;
}

/* With an element for the key at hand, or NULL, which it may turn out to need: -EAGAIN. */
static int update_lru_percpu_with(struct map *map, struct map_ctx *ctx, const struct update *update,
				  struct elem *elem)
{
	uint32_t bucket = update->hash & map->bucket_mask;
	struct elem *old = NULL;
	int err = bucket_lock(map, ctx, bucket);

	if (!err) {
		old = find_old(map, update);
		err = check_flags(old, update->flags);
		if (!err && old) {
			lru_mark_bit(map, old);
			write_percpu_value(map, ctx, old, update);
			map_counters(map, ctx)->replaced++;
		} else if (!err && !elem) {
			err = -EAGAIN;
		} else if (!err) {
			init_percpu_value(map, ctx, elem, update);
			insert_elem(map, ctx, elem);
			elem = NULL;
			map_counters(map, ctx)->inserts++;
		}
		bucket_unlock(map, ctx, bucket);
	}
	if (old && (!err || map->lru_ops->hold))
		lru_mark_moved(map, ctx, old);
	if (elem)
		map->lru_ops->give_back(map, ctx, elem);
	return err;
}

/* LRU_PERCPU_HASH (kernel-maps 4.8): a key that is there is written in place. */
static int update_lru_percpu(struct map *map, struct map_ctx *ctx, const struct update *update)
{
	struct elem *elem;
	int err;

	if ((update->flags == UPDATE_EXIST && !env_fault(FAULT_EXIST_TAKES_NODE)) ||
	    (map->lru_ops->hold && find_old(map, update))) {
		err = update_lru_percpu_with(map, ctx, update, NULL);
		if (err != -EAGAIN)
			return err;
	}
	elem = map->lru_ops->pop(map, ctx, update->hash);
	if (!elem)
		return -ENOMEM;
	fill_elem(map, ctx, elem, update);
	return update_lru_percpu_with(map, ctx, update, elem);
}

int htab_update(struct map *map, struct map_ctx *ctx, const struct update *update)
{
	if (update->flags > UPDATE_EXIST)
		return -EINVAL;
	if (!map->is_lru)
		return update_plain(map, ctx, update);
	if (!map->is_percpu)
		return update_lru(map, ctx, update);
	return update_lru_percpu(map, ctx, update);
}

int htab_delete(struct map *map, struct map_ctx *ctx, const void *key, uint32_t hash)
{
	uint32_t bucket = hash & map->bucket_mask;
	struct elem *elem;
	int err = bucket_lock(map, ctx, bucket);

	if (err)
		return err;
	elem = htab_find(map, key, hash);
	if (elem) {
		htab_unlink(elem);
		htab_count_entry(map, ctx, -1);
	}
	if (elem && !map->is_lru)
		htab_free_elem(map, ctx, elem);
	bucket_unlock(map, ctx, bucket);
	if (!elem)
		return -ENOENT;
	map_counters(map, ctx)->deletes++;
	if (map->is_lru)
		htab_free_elem(map, ctx, elem);
	else
		htab_end_alloc(map, ctx);
	return 0;
}

void elem_read_value(const struct map *map, const struct map_ctx *ctx, struct elem *elem,
		     void *value)
{
	uint32_t stride = map->percpu.stride;
	uint8_t *to = value;

	if (!map->is_percpu) {
		env_copy_out(value, elem_value(map, elem), map->value_size);
	} else if (ctx->context != OP_SYSCALL) {
		env_copy_out(value, elem_percpu_value(map, elem, ctx->cpu), map->value_size);
	} else {
		for (uint32_t cpu = 0; cpu < map->cpus; cpu++, to += stride)
			env_copy_out(to, elem_percpu_value(map, elem, cpu), stride);
	}
}

/* Folds bytes that others may be writing. */
static uint64_t fold_shared(uint64_t fold, const uint8_t *from, uint32_t bytes)
{
	for (; bytes; from += sizeof(uint64_t)) {
		uint32_t used = bytes < sizeof(uint64_t) ? bytes : sizeof(uint64_t);
		uint64_t word = 0;

		env_copy_out(&word, from, used);
		fold = op_fold_word(fold, word);
		bytes -= used;
	}
	return fold;
}

uint64_t elem_fold_value(const struct map *map, const struct map_ctx *ctx, struct elem *elem,
			 uint64_t fold)
{
	if (!map->is_percpu)
		return fold_shared(fold, elem_value(map, elem), map->value_size);
	if (ctx->context != OP_SYSCALL)
		return fold_shared(fold, elem_percpu_value(map, elem, ctx->cpu), map->value_size);
	for (uint32_t cpu = 0; cpu < map->cpus; cpu++)
		fold = fold_shared(fold, elem_percpu_value(map, elem, cpu), map->value_size);
	return fold;
}

int htab_lookup_and_delete(struct map *map, struct map_ctx *ctx, const void *key, uint32_t hash,
			   void *value, uint64_t *fold)
{
	uint32_t bucket = hash & map->bucket_mask;
	struct elem *elem;
	int err;

	if (!map->sys_lookup_and_delete)
		return -ENOTSUPP;
	err = bucket_lock(map, ctx, bucket);
	if (err)
		return err;
	elem = htab_find(map, key, hash);
	if (elem) {
		if (value)
			elem_read_value(map, ctx, elem, value);
		if (fold)
			*fold = elem_fold_value(map, ctx, elem, 0);
		htab_unlink(elem);
		htab_count_entry(map, ctx, -1);
		if (!map->is_lru)
			htab_free_elem(map, ctx, elem);
	}
	bucket_unlock(map, ctx, bucket);
	if (!elem) {
		map_counters(map, ctx)->misses++;
		return -ENOENT;
	}
	map_counters(map, ctx)->hits++;
	map_counters(map, ctx)->deletes++;
	if (map->is_lru)
		htab_free_elem(map, ctx, elem);
	else
		htab_end_alloc(map, ctx);
	return 0;
}
