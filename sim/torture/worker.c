// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sim/torture/worker.h"

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/op.h"
#include "model/attr.h"
#include "sim/torture/content.h"

#define BATCH_MAX 64
#define REPEATS_MAX 10000 /* of a look-up that read a wrong value */
#define STEPS_EACH 256    /* operations between looking at stop */
#define SHORTAGE_REPEATS_MAX 100000

int worker_init(struct worker *worker, struct slice *slice, struct map *map, uint32_t number,
		uint8_t *nonces)
{
	const struct map_attr *attr = &slice->map->attr;

	worker->slice = slice;
	worker->map = map;
	worker->number = number;
	worker->ctx.cpu = number;
	worker->ctx.next_use = UINT64_MAX;
	worker->nonces = nonces;
	worker->is_lru = map_type_is_lru(attr->type);
	worker->is_percpu = map_type_is_percpu(attr->type);
	worker->keeps = !worker->is_lru && !strpbrk(slice->mix, "b");
	worker->key_bytes = attr->key_size;
	worker->value_bytes = attr->value_size;
	worker->sys_value_bytes = map_sys_value_bytes(attr, slice->map->cpus);
	worker->value_stride = round_up_8(attr->value_size);
	worker->batch_values_bytes = BATCH_MAX * worker->sys_value_bytes;
	rng_init(&worker->rng, slice->seed * 1000003 + number);
	worker->key = malloc(worker->key_bytes);
	worker->value = malloc(worker->sys_value_bytes);
	worker->batch_keys = malloc(BATCH_MAX * worker->key_bytes);
	worker->batch_values = malloc(worker->batch_values_bytes);
	return worker->key && worker->value && worker->batch_keys && worker->batch_values ? 0
											  : -ENOMEM;
}

void worker_deinit(struct worker *worker)
{
	free(worker->key);
	free(worker->value);
	free(worker->batch_keys);
	free(worker->batch_values);
}

static bool is_own(const struct worker *worker, uint64_t id)
{
	const struct slice *slice = worker->slice;

	return id >= slice->shared_ids && id % slice->threads == worker->number;
}

/* A shared key, or one of this thread's own. */
static uint64_t draw_id(struct worker *worker)
{
	const struct slice *slice = worker->slice;
	uint64_t id = rng_below(&worker->rng, slice->ids);

	if (id < slice->shared_ids)
		return id;
	id = id - id % slice->threads + worker->number;
	return id >= slice->shared_ids && id < slice->ids
		       ? id
		       : rng_below(&worker->rng, slice->shared_ids);
}

static int fault(const struct worker *worker, char code, uint64_t id, const char *what, int ret,
		 struct error *error)
{
	const char *name = ret ? errno_name(ret) : "0";
	char number[16];

	snprintf(number, sizeof(number), "%d", ret);
	return error_set(error, -EUCLEAN, "CPU %u, %c of %s key %" PRIu64 ": %s%s%s",
			 worker->number, code, is_own(worker, id) ? "its own" : "shared", id, what,
			 what[0] ? ", " : "", name ? name : number);
}

/*
 * One copy of a value: whether it can be this key's, and the last one where that is known. A value
 * that is not per-CPU is written before it can be found, and so whole.
 */
static bool is_right_copy(const struct worker *worker, const uint8_t *copy, uint64_t id,
			  bool is_own_copy)
{
	uint8_t nonce;

	if (!content_is_own(copy, worker->value_bytes, id, !worker->is_percpu, &nonce))
		return false;
	return !is_own_copy || !is_own(worker, id) || nonce == worker->nonces[id];
}

static bool is_right_value(const struct worker *worker, const uint8_t *value, uint64_t id,
			   bool is_sys)
{
	if (!worker->is_percpu || !is_sys)
		return is_right_copy(worker, value, id, true);
	for (uint32_t cpu = 0; cpu < worker->slice->map->cpus; cpu++) {
		if (!is_right_copy(worker, value + cpu * worker->value_stride, id,
				   cpu == worker->number))
			return false;
	}
	return true;
}

static int lookup(struct worker *worker, uint64_t id)
{
	content_write_key(worker->key, worker->key_bytes, id);
	return worker->slice->ops->lookup(worker->map, &worker->ctx, worker->key, worker->value);
}

/* Whether the owner of a key knows that it must be there, or must not. */
static bool must_be_there(const struct worker *worker, uint64_t id)
{
	return worker->keeps && is_own(worker, id) && worker->nonces[id];
}

static bool must_be_missing(const struct worker *worker, uint64_t id)
{
	return is_own(worker, id) && !worker->nonces[id];
}

static int do_lookup(struct worker *worker, char code, uint64_t id, struct error *error)
{
	bool is_sys = worker->ctx.context == OP_SYSCALL;

	for (uint32_t repeat = 0; repeat < REPEATS_MAX; repeat++) {
		int ret = lookup(worker, id);

		if (ret == -ENOENT && !must_be_there(worker, id))
			return 0;
		if (ret)
			return fault(worker, code, id, "it must be there", ret, error);
		if (must_be_missing(worker, id))
			return fault(worker, code, id, "it must be missing", ret, error);
		if (is_right_value(worker, worker->value, id, is_sys))
			return 0;
		if (worker->slice->waits_for_grace)
			return fault(worker, code, id, "the value is not its own", ret, error);
		worker->reused += !repeat;
		worker->slice->ops->thread_quiet(&worker->ctx);
		sched_yield();
	}
	return fault(worker, code, id, "the value stays another's", 0, error);
}

/* A new value for the key, every CPU's where the caller writes all. */
static uint8_t write_value(struct worker *worker, uint64_t id)
{
	uint8_t nonce = (uint8_t)(1 + rng_below(&worker->rng, CONTENT_NONCE_MASK));
	uint32_t copies = worker->is_percpu && worker->ctx.context == OP_SYSCALL
				  ? worker->slice->map->cpus
				  : 1;

	for (uint32_t i = 0; i < copies; i++)
		content_write_value(worker->value + i * worker->value_stride, worker->value_bytes,
				    id, nonce);
	return nonce;
}

static int do_update(struct worker *worker, char code, uint64_t id, uint64_t flags,
		     struct error *error)
{
	uint8_t nonce = write_value(worker, id);
	int ret;

	content_write_key(worker->key, worker->key_bytes, id);
	ret = worker->slice->ops->update(worker->map, &worker->ctx, worker->key, worker->value,
					 flags);
	switch (ret) {
	case 0:
		if (flags == 1 && must_be_there(worker, id))
			return fault(worker, code, id, "it was there", ret, error);
		if (flags == 2 && must_be_missing(worker, id))
			return fault(worker, code, id, "it was missing", ret, error);
		if (is_own(worker, id))
			worker->nonces[id] = nonce;
		return 0;
	case -EEXIST:
		if (flags == 1 && !must_be_missing(worker, id))
			return 0;
		break;
	case -ENOENT:
		if (flags == 2 && !must_be_there(worker, id))
			return 0;
		break;
	case -E2BIG:
	case -ENOMEM:
		worker->shortages++;
		return 0;
	case -ETIMEDOUT:
		worker->timeouts++;
		return 0;
	default:
		break;
	}
	return fault(worker, code, id, "", ret, error);
}

/* Of a look-up and delete the value is read under the lock. */
static int do_delete(struct worker *worker, char code, uint64_t id, struct error *error)
{
	bool reads = code == 'T' || code == 't';
	const struct model_ops *ops = worker->slice->ops;
	int ret;

	content_write_key(worker->key, worker->key_bytes, id);
	ret = reads ? ops->lookup_and_delete(worker->map, &worker->ctx, worker->key, worker->value)
		    : ops->del(worker->map, &worker->ctx, worker->key);
	if (ret == -ETIMEDOUT) {
		worker->timeouts++;
		return 0;
	}
	if ((ret == -ENOENT && !must_be_there(worker, id)) || (reads && ret == -ENOTSUPP))
		return 0;
	if (ret || must_be_missing(worker, id))
		return fault(worker, code, id, "", ret, error);
	if (reads && !is_right_value(worker, worker->value, id, worker->ctx.context == OP_SYSCALL))
		return fault(worker, code, id, "the value is not its own", ret, error);
	if (is_own(worker, id))
		worker->nonces[id] = 0;
	return 0;
}

/* A key that can be in the map. */
static int check_key(const struct worker *worker, char code, const uint8_t *key, uint64_t *id,
		     struct error *error)
{
	if (content_read_key(key, worker->key_bytes, id) && *id < worker->slice->ids)
		return 0;
	return error_set(error, -EUCLEAN, "CPU %u, %c: a key that nobody wrote, %#" PRIx64,
			 worker->number, code, *id);
}

/* get_next_key copies the key without a lock: it can be torn where keys are more than a word. */
static int do_next_key(struct worker *worker, char code, uint64_t id, struct error *error)
{
	int ret;

	content_write_key(worker->key, worker->key_bytes, id);
	ret = worker->slice->ops->next_key(worker->map, &worker->ctx, worker->key, worker->key);
	if (ret == -ENOENT)
		return 0;
	if (ret)
		return fault(worker, code, id, "", ret, error);
	if (worker->key_bytes > sizeof(id) || worker->key_bytes % 4)
		return 0;
	return check_key(worker, code, worker->key, &id, error);
}

/* What is read under a bucket's lock is right at once; others' copies may be being written. */
static int check_batch(struct worker *worker, char code, uint32_t count, struct error *error)
{
	int err = 0;

	for (uint32_t i = 0; i < count && !err; i++) {
		const uint8_t *value = worker->batch_values + i * worker->sys_value_bytes;
		uint32_t copies = worker->is_percpu ? worker->slice->map->cpus : 1;
		uint64_t id = 0;
		uint8_t nonce;

		err = check_key(worker, code, worker->batch_keys + i * worker->key_bytes, &id,
				error);
		for (uint32_t cpu = 0; cpu < copies && !err; cpu++) {
			if (!content_is_own(value + cpu * worker->value_stride, worker->value_bytes,
					    id, !worker->is_percpu, &nonce))
				err = fault(worker, code, id, "the value is not its own", 0, error);
		}
	}
	return err;
}

static int do_batch(struct worker *worker, char code, struct error *error)
{
	uint32_t count = (uint32_t)(1 + rng_below(&worker->rng, BATCH_MAX));
	uint32_t next = worker->batch_cursor;
	int ret;

	ret = worker->slice->ops->batch(worker->map, &worker->ctx, &worker->batch_cursor, &next,
					worker->batch_keys, worker->batch_values, &count,
					code == 'b');
	if (ret == -EINVAL)
		return 0;
	worker->timeouts += ret == -ETIMEDOUT;
	if (ret && ret != -ENOENT && ret != -ENOSPC && ret != -ETIMEDOUT)
		return fault(worker, code, 0, "", ret, error);
	worker->batch_cursor = ret == -ENOENT ? 0 : next;
	worker->batch_cursor += ret == -ENOSPC; /* a bucket that holds more than was asked for */
	return ret == -ENOSPC ? 0 : check_batch(worker, code, count, error);
}

static int do_operation(struct worker *worker, struct error *error)
{
	const char *mix = worker->slice->mix;
	char code = mix[rng_below(&worker->rng, strlen(mix))];
	uint64_t id = draw_id(worker);

	worker->ctx.context = code >= 'a' ? OP_SYSCALL : OP_PROGRAM;
	switch (code) {
	case 'L':
	case 'l':
		return do_lookup(worker, code, id, error);
	case 'U':
	case 'u':
		return do_update(worker, code, id, 0, error);
	case 'N':
	case 'n':
		return do_update(worker, code, id, 1, error);
	case 'E':
	case 'e':
		return do_update(worker, code, id, 2, error);
	case 'k':
	case 'b':
		return do_batch(worker, code, error);
	case 'p':
		return do_next_key(worker, code, id, error);
	default:
		return do_delete(worker, code, id, error);
	}
}

int worker_run(struct worker *worker, struct error *error)
{
	const struct slice *slice = worker->slice;
	int err = 0;

	slice->ops->thread_begin(&worker->ctx);
	while (!err && worker->done < slice->operations) {
		err = do_operation(worker, error);
		slice->ops->thread_quiet(&worker->ctx);
		worker->done++;
		if (worker->done % STEPS_EACH)
			continue;
		atomic_fetch_add_explicit(slice->steps, STEPS_EACH, memory_order_relaxed);
		if (slice->stop && atomic_load_explicit(slice->stop, memory_order_relaxed))
			break;
	}
	slice->ops->thread_end(&worker->ctx);
	return err;
}

int worker_check_own(struct worker *worker, struct error *error)
{
	int err = 0;

	worker->ctx.context = OP_SYSCALL;
	for (uint64_t id = worker->slice->shared_ids; id < worker->slice->ids && !err; id++) {
		if (is_own(worker, id))
			err = do_lookup(worker, 'l', id, error);
	}
	return err;
}

int worker_check_all(struct worker *worker, struct error *error)
{
	bool is_first = true;
	uint64_t id;
	int err = 0;

	worker->ctx.context = OP_SYSCALL;
	while (!err && !worker->slice->ops->next_key(worker->map, &worker->ctx,
						     is_first ? NULL : worker->key, worker->key)) {
		err = check_key(worker, 'p', worker->key, &id, error);
		if (!err && lookup(worker, id))
			err = fault(worker, 'p', id, "it cannot be looked up", -ENOENT, error);
		else if (!err && !is_own(worker, id) && id < worker->slice->shared_ids &&
			 !is_right_value(worker, worker->value, id, true))
			err = fault(worker, 'p', id, "the value is not its own", 0, error);
		is_first = false;
	}
	return err;
}

int worker_empty(struct worker *worker, struct error *error)
{
	const struct model_ops *ops = worker->slice->ops;
	struct map_census census;

	worker->ctx.context = OP_SYSCALL;
	while (!ops->next_key(worker->map, &worker->ctx, NULL, worker->key)) {
		int err = ops->del(worker->map, &worker->ctx, worker->key);

		if (err)
			return error_set(error, -EUCLEAN, "a key that is there: delete gives %s",
					 errno_name(err));
	}
	ops->census(worker->map, &census);
	if (census.entries)
		return error_set(error, -EUCLEAN, "no key is left, but %" PRIu64 " entries are",
				 census.entries);
	return 0;
}

/* An allocator may have to wait for a grace period, or for its worker. */
static int insert_at_last(struct worker *worker, uint64_t id)
{
	const struct model_ops *ops = worker->slice->ops;
	int ret;

	content_write_key(worker->key, worker->key_bytes, id);
	for (uint32_t i = 0; i < SHORTAGE_REPEATS_MAX; i++) {
		write_value(worker, id);
		ret = ops->update(worker->map, &worker->ctx, worker->key, worker->value, 1);
		if (ret != -ENOMEM || worker->is_lru)
			break;
		ops->thread_quiet(&worker->ctx);
		sched_yield();
	}
	return ret;
}

/*
 * As many keys as max_entries go in from whatever CPU, and one more does not; in LRU maps the same
 * number from each CPU, and none for want of a node.
 */
int worker_refill(struct worker *worker, struct error *error)
{
	const struct slice *slice = worker->slice;
	uint64_t most = slice->ops->max_entries(worker->map), id;
	uint64_t room = worker->key_bytes >= 8 ? UINT64_MAX : 1ULL << (8 * worker->key_bytes);
	struct map_census census;
	int ret = 0;

	worker->ctx.context = OP_PROGRAM;
	for (id = 0; id < most && id < room && !ret; id++) {
		worker->ctx.cpu = (uint32_t)(id % slice->map->cpus);
		ret = insert_at_last(worker, id);
	}
	if (ret)
		return error_set(error, -EUCLEAN,
				 "the empty map: insert %" PRIu64 " of %" PRIu64 " gives %s", id,
				 most, errno_name(ret));
	if (id == most && id < room && !worker->is_lru) {
		ret = insert_at_last(worker, id);
		if (ret != -E2BIG)
			return error_set(error, -EUCLEAN,
					 "the full map of %" PRIu64 ": one more insert gives %s",
					 most, ret ? errno_name(ret) : "0");
	}
	slice->ops->census(worker->map, &census);
	if (census.entries > most || (!worker->is_lru && census.entries != id))
		return error_set(error, -EUCLEAN, "%" PRIu64 " entries after %" PRIu64 " inserts",
				 census.entries, id);
	return 0;
}
