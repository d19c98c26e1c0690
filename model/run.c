// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Executing a batch of operations in order, looking ahead.
 *
 * The operations to come are known, so while one executes, the bucket of a far one, the first
 * element of a nearer one and the next element of a near one are fetched (after Chen et al.,
 * "Improving Hash Join Performance through Prefetching", 2004). Results are those of one-by-one
 * execution: what is fetched is only ever read again when the operation's turn has come.
 */
#include "model/htab.h"

#define ALWAYS_INLINE inline __attribute__((always_inline))
#define RING 256 /* a power of two above any look-ahead */

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "integer keys are used in place");

/* What is known of an operation to come. */
struct ahead {
	uint32_t hash;
	uintptr_t link; /* where its key may be: an element, or an end mark */
};

#define CHAIN_STEPS 3
#define STEPS (CHAIN_STEPS + 2) /* from the far step to the execution */

struct runner {
	struct map *map;
	const struct map_run *run;
	uint8_t *key;	/* key_size bytes, zero from key_used on */
	uint8_t *value; /* one copy of a value; the same for all CPUs */
	uint8_t *next_key;
	size_t key_used;
	size_t value_used;
	struct ahead ahead[RING];
};

/* The key of an operation in the map's size, where it cannot be used in place. */
static const void *op_key_copied(struct runner *runner, const struct map_op *op)
{
	size_t key_size = runner->map->key_size, used = op->key_bytes;
	const void *from = &op->key;

	if (used)
		from = runner->run->batch->arena + op->key;
	else
		used = sizeof(op->key);
	if (used > key_size)
		used = key_size;
	memcpy(runner->key, from, used);
	if (used < runner->key_used)
		memset(runner->key + used, 0, runner->key_used - used);
	runner->key_used = used;
	return runner->key;
}

/* The key of an operation, key_size bytes, valid until the next call. */
static ALWAYS_INLINE const void *op_key(struct runner *runner, const struct map_op *op,
					uint32_t key_size)
{
	if (key_size <= sizeof(op->key) && !op->key_bytes)
		return &op->key;
	return op_key_copied(runner, op);
}

/* An element that is nowhere, so that the end of a chain can be looked at like any other place. */
static const struct elem nowhere;

/* What a link points to; chosen without a branch, which could not be predicted. */
static ALWAYS_INLINE const struct elem *link_target(uintptr_t link)
{
	bool is_end = __builtin_expect_with_probability(nulls_is_end(link), 1, 0.5);

	return is_end ? &nowhere : elem_of_link(link);
}

/* The far step: hashes the key, and fetches its bucket. */
static ALWAYS_INLINE void ahead_bucket(struct runner *runner, size_t i, uint32_t key_size)
{
	const struct map *map = runner->map;
	const void *key = op_key(runner, &runner->run->batch->ops[i], key_size);
	uint32_t hash = htab_hash_sized(map, key, key_size);

	runner->ahead[i % RING].hash = hash;
	env_prefetch(&map->buckets[hash & map->bucket_mask]);
}

/* The next step: fetches the first element. */
static ALWAYS_INLINE void ahead_first(struct runner *runner, size_t i)
{
	const struct map *map = runner->map;
	struct ahead *ahead = &runner->ahead[i % RING];

	ahead->link = map->buckets[ahead->hash & map->bucket_mask].first;
	env_prefetch(link_target(ahead->link));
}

/*
 * The steps after it: each goes one element further, until the hash is met or the chain ends. An
 * element that was freed meanwhile has no next one either.
 */
static ALWAYS_INLINE void ahead_chain(struct runner *runner, size_t i)
{
	struct ahead *ahead = &runner->ahead[i % RING];
	const struct elem *elem = link_target(ahead->link);
	bool is_last = (elem->hash == ahead->hash) | !elem->hash_node.pprev;

	is_last = __builtin_expect_with_probability(is_last, 1, 0.5);
	ahead->link = is_last ? ahead->link : elem->hash_node.next;
	env_prefetch(link_target(ahead->link));
}

/*
 * The element of the i-th operation's key, or NULL. An element that was met ahead and still is in
 * the map with this key is the one, wherever it stands by now: keys are unique.
 */
static ALWAYS_INLINE struct elem *find_ahead(const struct runner *runner, const void *key, size_t i)
{
	const struct ahead *ahead = &runner->ahead[i % RING];
	struct elem *elem = elem_of_link(ahead->link);

	if (ENV_SHORTCUTS && !nulls_is_end(ahead->link) && elem->hash == ahead->hash &&
	    elem_is_hashed(elem) && elem_has_key(elem, key, runner->map->key_size))
		return elem;
	return htab_find(runner->map, key, ahead->hash);
}

/* What the i-th operation of the batch writes: the trace's value, or the operation's number. */
static struct value_source op_value(struct runner *runner, size_t i)
{
	const uint64_t *values = runner->run->batch->values;
	uint64_t value = values ? values[i] : runner->run->first_index + i;

	memcpy(runner->value, &value, runner->value_used);
	return (struct value_source){runner->value, 0};
}

static int run_update(struct runner *runner, struct map_ctx *ctx, const void *key, size_t i,
		      uint64_t flags)
{
	struct value_source value = op_value(runner, i);

	return htab_update(runner->map, ctx, key, runner->ahead[i % RING].hash, &value, flags);
}

static ALWAYS_INLINE int run_access(struct runner *runner, struct map_ctx *ctx, const void *key,
				    size_t i)
{
	int err;

	if (!htab_lookup(runner->map, ctx, find_ahead(runner, key, i)))
		return 0;
	err = run_update(runner, ctx, key, i, UPDATE_ANY);
	return err ? err : 1;
}

/* The test of 2017: a look-up that marks, by system call, as those did before 5.2. */
static int run_dist(struct runner *runner, struct map_ctx *ctx, const void *key, size_t i)
{
	struct elem *elem = find_ahead(runner, key, i);
	struct map *map = runner->map;
	int err;

	if (!htab_lookup(map, ctx, elem)) {
		if (map->is_lru)
			lru_mark_used(map, ctx, elem);
		return 0;
	}
	err = run_update(runner, ctx, key, i, UPDATE_NOEXIST);
	return err ? err : 1;
}

static int run_next_key(struct runner *runner, struct map_ctx *ctx, const void *key, size_t i)
{
	size_t bytes = runner->map->key_size < 8 ? runner->map->key_size : 8;
	int err = htab_next_key(runner->map, ctx, key, runner->next_key);

	if (!err && runner->run->details)
		memcpy(&runner->run->details[i], runner->next_key, bytes);
	return err;
}

/* Each CPU's batches go on where its last one ended, and begin again after the end. */
static int run_batch(struct runner *runner, struct map_ctx *ctx, const struct map_op *op, size_t i)
{
	struct map_cpu *cpu = map_cpu(runner->map, ctx->cpu);
	uint32_t count = op->key > UINT32_MAX ? UINT32_MAX : (uint32_t)op->key;
	uint32_t next = cpu->batch_cursor;
	int err = htab_batch(runner->map, ctx, &cpu->batch_cursor, &next, NULL, NULL, &count,
			     op->code == OP_BATCH_LOOKUP_AND_DELETE);

	cpu->batch_cursor = err == -ENOENT ? 0 : next;
	if (runner->run->details)
		runner->run->details[i] = count;
	return err;
}

static int run_code(struct runner *runner, struct map_ctx *ctx, const void *key, size_t i)
{
	const struct map_op *op = &runner->run->batch->ops[i];
	uint32_t hash = runner->ahead[i % RING].hash;
	struct map *map = runner->map;

	switch ((enum op_code)op->code) {
	case OP_ACCESS:
		return run_access(runner, ctx, key, i);
	case OP_LOOKUP:
		return htab_lookup(map, ctx, find_ahead(runner, key, i));
	case OP_UPDATE:
		return run_update(runner, ctx, key, i, UPDATE_ANY);
	case OP_UPDATE_NOEXIST:
		return run_update(runner, ctx, key, i, UPDATE_NOEXIST);
	case OP_UPDATE_EXIST:
		return run_update(runner, ctx, key, i, UPDATE_EXIST);
	case OP_DELETE:
		return htab_delete(map, ctx, key, hash);
	case OP_LOOKUP_AND_DELETE:
		return htab_lookup_and_delete(map, ctx, key, hash, NULL);
	case OP_NEXT_KEY:
		return run_next_key(runner, ctx, key, i);
	case OP_BATCH_LOOKUP:
	case OP_BATCH_LOOKUP_AND_DELETE:
		return run_batch(runner, ctx, op, i);
	case OP_DIST:
		return run_dist(runner, ctx, key, i);
	case OP_CODES:
		break;
	}
	return -EINVAL;
}

static ALWAYS_INLINE void run_op(struct runner *runner, size_t i, uint32_t key_size)
{
	const struct map_op *op = &runner->run->batch->ops[i];
	struct map_ctx ctx = {.cpu = op->cpu, .context = op->context};
	const void *key = op_key(runner, op, key_size);
	int ret;

	map_counters(runner->map, &ctx)->operations++;
	if (op->code == OP_ACCESS)
		ret = run_access(runner, &ctx, key, i);
	else
		ret = run_code(runner, &ctx, key, i);
	if (ret < 0)
		htab_count_error(runner->map, &ctx, ret);
	if (runner->run->returns)
		runner->run->returns[i] = ret;
}

/*
 * One turn: a step for each of several operations a stride apart, and the nearest is executed.
 * Unless all is true some may lie outside the batch: before its first, where their index is above
 * count, or behind its last.
 */
static ALWAYS_INLINE void run_turn(struct runner *runner, size_t i, size_t stride,
				   uint32_t key_size, bool all)
{
	size_t count = runner->run->batch->count, at = i - STEPS * stride;

	if (all || i < count)
		ahead_bucket(runner, i, key_size);
	if (all || i - stride < count)
		ahead_first(runner, i - stride);
	for (size_t step = CHAIN_STEPS; step; step--) {
		if (all || at + step * stride < count)
			ahead_chain(runner, at + step * stride);
	}
	if (all || at < count)
		run_op(runner, at, key_size);
}

static ALWAYS_INLINE void run_ahead(struct runner *runner, size_t stride, uint32_t key_size)
{
	size_t count = runner->run->batch->count, reach = STEPS * stride, i = 0;

	for (; i < reach; i++)
		run_turn(runner, i, stride, key_size, false);
	for (; i < count; i++)
		run_turn(runner, i, stride, key_size, true);
	for (; i < count + reach; i++)
		run_turn(runner, i, stride, key_size, false);
}

static void run_plainly(struct runner *runner)
{
	const struct op_batch *batch = runner->run->batch;
	uint32_t key_size = runner->map->key_size;

	for (size_t i = 0; i < batch->count; i++) {
		struct ahead *ahead = &runner->ahead[i % RING];

		ahead->hash = htab_hash(runner->map, op_key(runner, &batch->ops[i], key_size));
		ahead->link = nulls_end(0);
		run_op(runner, i, key_size);
	}
}

void map_run(struct map *map, const struct map_run *run)
{
	struct runner runner = {.map = map, .run = run, .key = map->scratch};

	runner.next_key = runner.key + map->key_size;
	runner.value = runner.next_key + map->key_size;
	runner.key_used = map->key_size;
	runner.value_used = map->value_size < 8 ? map->value_size : 8;
	memset(runner.value, 0, map->value_size);
	if (run->details)
		memset(run->details, 0, run->batch->count * sizeof(*run->details));
	if (!ENV_LOOKAHEAD || map->lookahead < STEPS)
		run_plainly(&runner);
	else if (map->key_size == 8)
		run_ahead(&runner, map->lookahead / STEPS, 8);
	else
		run_ahead(&runner, map->lookahead / STEPS, map->key_size);
}
