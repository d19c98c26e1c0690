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

#define RING 256 /* a power of two above any look-ahead */

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "integer keys are used in place");

struct runner {
	struct map *map;
	const struct map_run *run;
	uint8_t *key;	/* key_size bytes, zero from key_used on */
	uint8_t *value; /* one copy of a value; the same for all CPUs */
	uint8_t *next_key;
	size_t key_used;
	size_t value_used;
	uint32_t hashes[RING];
};

/* The key of an operation, key_size bytes, valid until the next call. */
static const void *op_key(struct runner *runner, const struct map_op *op)
{
	size_t key_size = runner->map->key_size, used = op->key_bytes;
	const void *from = &op->key;

	if (!used && key_size <= sizeof(op->key))
		return from;
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

static void ahead_hash(struct runner *runner, size_t i)
{
	const struct map *map = runner->map;
	uint32_t hash = htab_hash(map, op_key(runner, &runner->run->batch->ops[i]));

	runner->hashes[i % RING] = hash;
	env_prefetch(&map->buckets[hash & map->bucket_mask]);
}

static void ahead_first(const struct runner *runner, size_t i)
{
	const struct map *map = runner->map;
	uintptr_t link = map->buckets[runner->hashes[i % RING] & map->bucket_mask].first;

	if (!nulls_is_end(link))
		env_prefetch(elem_of_link(link));
}

static void ahead_second(const struct runner *runner, size_t i)
{
	const struct map *map = runner->map;
	uint32_t hash = runner->hashes[i % RING];
	uintptr_t link = map->buckets[hash & map->bucket_mask].first;

	if (nulls_is_end(link) || elem_of_link(link)->hash == hash)
		return;
	link = elem_of_link(link)->hash_node.next;
	if (!nulls_is_end(link))
		env_prefetch(elem_of_link(link));
}

/* What the i-th operation of the batch writes: the trace's value, or the operation's number. */
static struct value_source op_value(struct runner *runner, size_t i)
{
	const uint64_t *values = runner->run->batch->values;
	uint64_t value = values ? values[i] : runner->run->first_index + i;

	memcpy(runner->value, &value, runner->value_used);
	return (struct value_source){runner->value, 0};
}

static int run_update(struct runner *runner, struct map_ctx *ctx, const void *key, uint32_t hash,
		      size_t i, uint64_t flags)
{
	struct value_source value = op_value(runner, i);

	return htab_update(runner->map, ctx, key, hash, &value, flags);
}

static int run_access(struct runner *runner, struct map_ctx *ctx, const void *key, uint32_t hash,
		      size_t i)
{
	struct elem *elem;
	int err;

	if (!htab_lookup(runner->map, ctx, key, hash, &elem))
		return 0;
	err = run_update(runner, ctx, key, hash, i, UPDATE_ANY);
	return err ? err : 1;
}

/* The test of 2017: a look-up that marks, by system call, as those did before 5.2. */
static int run_dist(struct runner *runner, struct map_ctx *ctx, const void *key, uint32_t hash,
		    size_t i)
{
	struct map *map = runner->map;
	struct elem *elem;
	int err;

	if (!htab_lookup(map, ctx, key, hash, &elem)) {
		if (map->is_lru)
			lru_mark_used(map, ctx, elem);
		return 0;
	}
	err = run_update(runner, ctx, key, hash, i, UPDATE_NOEXIST);
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

static int run_code(struct runner *runner, struct map_ctx *ctx, size_t i, const void *key,
		    uint32_t hash)
{
	const struct map_op *op = &runner->run->batch->ops[i];
	struct map *map = runner->map;
	struct elem *elem;

	switch ((enum op_code)op->code) {
	case OP_ACCESS:
		return run_access(runner, ctx, key, hash, i);
	case OP_LOOKUP:
		return htab_lookup(map, ctx, key, hash, &elem);
	case OP_UPDATE:
		return run_update(runner, ctx, key, hash, i, UPDATE_ANY);
	case OP_UPDATE_NOEXIST:
		return run_update(runner, ctx, key, hash, i, UPDATE_NOEXIST);
	case OP_UPDATE_EXIST:
		return run_update(runner, ctx, key, hash, i, UPDATE_EXIST);
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
		return run_dist(runner, ctx, key, hash, i);
	case OP_CODES:
		break;
	}
	return -EINVAL;
}

static void run_op(struct runner *runner, size_t i, uint32_t hash)
{
	const struct map_op *op = &runner->run->batch->ops[i];
	struct map_ctx ctx = {.cpu = op->cpu, .context = op->context};
	int ret = run_code(runner, &ctx, i, op_key(runner, op), hash);

	map_counters(runner->map, &ctx)->operations++;
	if (ret < 0)
		htab_count_error(runner->map, &ctx, ret);
	if (runner->run->returns)
		runner->run->returns[i] = ret;
}

static void run_ahead(struct runner *runner)
{
	size_t count = runner->run->batch->count, far = runner->map->lookahead;
	size_t middle = far * 2 / 3, near = far / 3;

	for (size_t i = 0; i < far && i < count; i++)
		ahead_hash(runner, i);
	for (size_t i = 0; i < count; i++) {
		if (i + far < count)
			ahead_hash(runner, i + far);
		if (i + middle < count)
			ahead_first(runner, i + middle);
		if (i + near < count)
			ahead_second(runner, i + near);
		run_op(runner, i, runner->hashes[i % RING]);
	}
}

static void run_plainly(struct runner *runner)
{
	const struct op_batch *batch = runner->run->batch;

	for (size_t i = 0; i < batch->count; i++)
		run_op(runner, i, htab_hash(runner->map, op_key(runner, &batch->ops[i])));
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
	if (ENV_LOOKAHEAD && map->lookahead)
		run_ahead(&runner);
	else
		run_plainly(&runner);
}
