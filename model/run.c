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

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "integer keys are used in place");

/* What is known of an operation to come. */
struct ahead {
	uintptr_t link; /* where its key may be: an element, or an end mark */
	uint32_t hash;
};

/*
 * Operations go ahead in groups. Each round does one step for each of several groups in flight: the
 * youngest group's buckets are fetched, the next one's first elements, and so on; the oldest group
 * is executed.
 */
#define CACHE_LINE 64
#define CHAIN_STEPS 3
#define STEPS (CHAIN_STEPS + 2) /* before a group is executed */
#define GROUP_MAX 40

struct group {
	size_t first; /* operation of the batch */
	size_t count;
	struct ahead ahead[GROUP_MAX];
	/* The operations whose chains go on behind what was looked at, by their place in ahead. */
	size_t open_count;
	uint8_t open[GROUP_MAX];
};

struct runner {
	struct map *map;
	const struct map_run *run;
	struct map_ctx *ctx;
	uint8_t *key;   /* key_size bytes, zero from key_used on */
	uint8_t *value; /* one copy of a value; the same for all CPUs */
	uint8_t *next_key;
	size_t key_used;
	uint32_t value_used;
	bool hits_mark_bits; /* what a program's look-up does to an element is setting its bit */
	struct group groups[STEPS + 1]; /* a ring: the youngest is at round % (STEPS + 1) */
};

/* What a batch's keys allow to be decided once: integers of the map's 8 bytes, or anything. */
enum key_kind { KEYS_ANY, KEYS_8_IN_PLACE };

/* The key of an operation, cut or filled with zeroes to the map's size. */
static const void *op_key_sized(struct runner *runner, const struct map_op *op)
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

/* The key of an operation, key_size bytes, valid until the next call. */
static ALWAYS_INLINE const void *op_key(struct runner *runner, const struct map_op *op,
					enum key_kind kind)
{
	return kind == KEYS_8_IN_PLACE ? &op->key : op_key_sized(runner, op);
}

static ALWAYS_INLINE uint32_t op_hash(const struct runner *runner, const void *key,
				      enum key_kind kind)
{
	return htab_hash_sized(runner->map, key,
			       kind == KEYS_8_IN_PLACE ? 8 : runner->map->key_size);
}

/* The first step: hashes the keys, and fetches their buckets. */
static ALWAYS_INLINE void ahead_buckets(struct runner *runner, struct group *group,
					enum key_kind kind)
{
	const struct map_op *op = &runner->run->batch->ops[group->first];
	const struct map *map = runner->map;
	size_t i = 0;

	for (; kind == KEYS_8_IN_PLACE && i + 4 <= group->count; i += 4, op += 4) {
		uint64_t keys[4] = {op[0].key, op[1].key, op[2].key, op[3].key};
		uint32_t hashes[4];

		jhash_8_four(keys, map->hash_init, hashes);
		for (size_t n = 0; n < 4; n++) {
			group->ahead[i + n].hash = hashes[n];
			env_prefetch(map_bucket(map, hashes[n] & map->bucket_mask));
		}
	}
	for (; i < group->count; i++, op++) {
		uint32_t hash = op_hash(runner, op_key(runner, op, kind), kind);

		group->ahead[i].hash = hash;
		env_prefetch(map_bucket(map, hash & map->bucket_mask));
	}
}

/* The second: fetches the buckets' first elements. */
static void ahead_first(const struct runner *runner, struct group *group)
{
	const struct map *map = runner->map;

	for (size_t i = 0; i < group->count; i++) {
		struct ahead *ahead = &group->ahead[i];

		ahead->link = link_load(&map_bucket(map, ahead->hash & map->bucket_mask)->first);
		env_prefetch((const void *)ahead->link);
	}
}

/*
 * Goes one element further, until the hash is met or the chain ends. True when it may go on. An
 * element that was freed meanwhile still has a link in next (struct elem): a detour, no harm.
 * Chains end unpredictably, so there are no branches: at an end mark the bucket's own line, which
 * has come, is looked at as if an element stood there, and then disregarded.
 */
static ALWAYS_INLINE bool ahead_next(struct ahead *ahead)
{
	uintptr_t link = ahead->link, next;
	const struct elem *elem = elem_of_link(link & ~(-(link & 1) & (CACHE_LINE - 1)));
	bool is_open = !nulls_is_end(link) & (elem->hash != ahead->hash);

	next = elem->hash_node.next;
	link = is_open ? next : link;
	__asm__("" : "+r"(link)); /* or gcc makes two branches of the choice */
	ahead->link = link;
	env_prefetch((const void *)link);
	return is_open;
}

/* The third: fetches second elements where the first is another key's. */
static void ahead_second(struct group *group)
{
	size_t open_count = 0;

	for (size_t i = 0; i < group->count; i++) {
		group->open[open_count] = (uint8_t)i;
		open_count += ahead_next(&group->ahead[i]);
	}
	group->open_count = open_count;
}

/* The others: one element further where the chain goes on. */
static void ahead_further(struct group *group)
{
	size_t open_count = 0;

	for (size_t i = 0; i < group->open_count; i++) {
		uint8_t place = group->open[i];

		group->open[open_count] = place;
		open_count += ahead_next(&group->ahead[place]);
	}
	group->open_count = open_count;
}

/*
 * The element of an operation's key, or NULL. An element that was met ahead and still is in the map
 * with this key is the one, wherever it stands by now: keys are unique.
 */
static ALWAYS_INLINE struct elem *find_ahead(const struct runner *runner, const void *key,
					     const struct ahead *ahead)
{
	struct elem *elem;

	if (!ENV_SHORTCUTS || nulls_is_end(ahead->link))
		return htab_find(runner->map, key, ahead->hash);
	elem = elem_of_link(ahead->link);
	if (elem->hash == ahead->hash && elem_is_hashed(elem) &&
	    elem_has_key(elem, key, runner->map->key_size))
		return elem;
	return htab_find(runner->map, key, ahead->hash);
}

/* Updates with the trace's value, or else the operation's number. */
static int run_update(struct runner *runner, const void *key, uint32_t hash, size_t i,
		      uint32_t flags, bool is_absent)
{
	const uint64_t *values = runner->run->batch->values;
	uint64_t value = values ? values[i] : runner->run->first_index + i;
	struct update update = {key, hash, flags, runner->value, 0, is_absent};

	env_copy_in(runner->value, &value, runner->value_used);
	return htab_update(runner->map, runner->ctx, &update);
}

/* Notes what a look-up that found elem (NULL: nothing) reads. */
static ALWAYS_INLINE void note_read(struct runner *runner, struct elem *elem, size_t i)
{
	if (runner->run->reads && elem)
		runner->run->reads[i] = elem_fold_value(runner->map, runner->ctx, elem, 0);
}

static int run_lookup(struct runner *runner, const void *key, const struct ahead *ahead, size_t i)
{
	struct elem *elem = find_ahead(runner, key, ahead);

	note_read(runner, elem, i);
	return htab_lookup(runner->map, runner->ctx, elem);
}

static ALWAYS_INLINE int run_access(struct runner *runner, const void *key,
				    const struct ahead *ahead, size_t i)
{
	struct elem *elem = find_ahead(runner, key, ahead);
	int err;

	note_read(runner, elem, i);
	if (!htab_lookup(runner->map, runner->ctx, elem))
		return 0;
	err = run_update(runner, key, ahead->hash, i, UPDATE_ANY, true);
	return err ? err : 1;
}

/* The test of 2017: a look-up that marks, by system call, as those did before 5.2. */
static int run_dist(struct runner *runner, const void *key, const struct ahead *ahead, size_t i)
{
	struct elem *elem = find_ahead(runner, key, ahead);
	struct map *map = runner->map;
	int err;

	note_read(runner, elem, i);
	if (!htab_lookup(map, runner->ctx, elem)) {
		if (map->is_lru)
			lru_mark_used(map, runner->ctx, elem);
		return 0;
	}
	err = run_update(runner, key, ahead->hash, i, UPDATE_NOEXIST, true);
	return err ? err : 1;
}

static int run_next_key(struct runner *runner, const void *key, size_t i)
{
	size_t bytes = runner->map->key_size < 8 ? runner->map->key_size : 8;
	int err = htab_next_key(runner->map, runner->ctx, key, runner->next_key);

	if (!err && runner->run->details)
		memcpy(&runner->run->details[i], runner->next_key, bytes);
	if (!err && runner->run->reads)
		runner->run->reads[i] = op_fold_bytes(0, runner->next_key, runner->map->key_size);
	return err;
}

/* Each CPU's batches go on where its last one ended, and begin again after the end. */
static int run_batch(struct runner *runner, const struct map_op *op, size_t i)
{
	struct map_cpu *cpu = map_cpu(runner->map, op->cpu);
	uint32_t count = op->key > UINT32_MAX ? UINT32_MAX : (uint32_t)op->key;
	uint32_t next = cpu->batch_cursor;
	struct batch_output output = {.fold = runner->run->reads ? &runner->run->reads[i] : NULL};
	int err = htab_batch(runner->map, runner->ctx, &cpu->batch_cursor, &next, &output, &count,
			     op->code == OP_BATCH_LOOKUP_AND_DELETE);

	cpu->batch_cursor = err == -ENOENT ? 0 : next;
	if (runner->run->details)
		runner->run->details[i] = count;
	return err;
}

static int run_code(struct runner *runner, const void *key, const struct ahead *ahead, size_t i)
{
	const struct map_op *op = &runner->run->batch->ops[i];
	struct map_ctx *ctx = runner->ctx;
	struct map *map = runner->map;
	uint32_t hash = ahead->hash;

	switch ((enum op_code)op->code) {
	case OP_ACCESS:
		return run_access(runner, key, ahead, i);
	case OP_LOOKUP:
		return run_lookup(runner, key, ahead, i);
	case OP_UPDATE:
		return run_update(runner, key, hash, i, UPDATE_ANY, false);
	case OP_UPDATE_NOEXIST:
		return run_update(runner, key, hash, i, UPDATE_NOEXIST, false);
	case OP_UPDATE_EXIST:
		return run_update(runner, key, hash, i, UPDATE_EXIST, false);
	case OP_DELETE:
		return htab_delete(map, ctx, key, hash);
	case OP_LOOKUP_AND_DELETE:
		return htab_lookup_and_delete(map, ctx, key, hash, NULL,
					      runner->run->reads ? &runner->run->reads[i] : NULL);
	case OP_NEXT_KEY:
		return run_next_key(runner, key, i);
	case OP_BATCH_LOOKUP:
	case OP_BATCH_LOOKUP_AND_DELETE:
		return run_batch(runner, op, i);
	case OP_DIST:
		return run_dist(runner, key, ahead, i);
	case OP_CODES:
		break;
	}
	return -EINVAL;
}

static ALWAYS_INLINE void run_op(struct runner *runner, size_t i, const struct ahead *ahead,
				 enum key_kind kind)
{
	const struct map_op *op = &runner->run->batch->ops[i];
	const void *key = op_key(runner, op, kind);
	int ret;

	runner->ctx->cpu = op->cpu;
	runner->ctx->context = op->context;
	if (runner->run->next_use)
		runner->ctx->next_use = runner->run->next_use[i];
	map_counters(runner->map, runner->ctx)->operations++;
	ret = run_code(runner, key, ahead, i);
	if (ret < 0)
		htab_count_error(runner->map, runner->ctx, ret);
	if (runner->run->returns)
		runner->run->returns[i] = ret;
}

/*
 * The commonest case in few instructions: a program finds its key in the element that was met
 * ahead, and only the reference bit is to be set. True when that was so, and is done.
 */
static ALWAYS_INLINE bool run_hit(const struct runner *runner, const struct map_op *op,
				  const struct ahead *ahead)
{
	struct elem *elem = elem_of_link(ahead->link);
	struct map_counters *counters;

	if (op->code != OP_ACCESS || op->context == OP_SYSCALL || nulls_is_end(ahead->link) ||
	    !elem_has_key(elem, &op->key, 8) || !elem_is_hashed(elem))
		return false;
	elem->lru.ref = 1;
	counters = &runner->map->cpu_areas[op->cpu].counters;
	counters->operations++;
	counters->hits++;
	return true;
}

static ALWAYS_INLINE void run_group(struct runner *runner, const struct group *group,
				    enum key_kind kind)
{
	const struct map_op *op = &runner->run->batch->ops[group->first];
	int32_t *returns = runner->run->returns;

	for (size_t i = 0; i < group->count; i++, op++) {
		if (kind != KEYS_8_IN_PLACE || !runner->hits_mark_bits ||
		    !run_hit(runner, op, &group->ahead[i]))
			run_op(runner, group->first + i, &group->ahead[i], kind);
		else if (returns)
			returns[group->first + i] = 0;
	}
}

static ALWAYS_INLINE void run_ahead(struct runner *runner, size_t size, enum key_kind kind)
{
	size_t count = runner->run->batch->count, rounds = (count + size - 1) / size + STEPS;

	for (size_t round = 0; round < rounds; round++) {
		struct group *group = &runner->groups[round % (STEPS + 1)];
		size_t first = round * size;

		group->first = first;
		group->count = first >= count ? 0 : count - first < size ? count - first : size;
		ahead_buckets(runner, group, kind);
		ahead_first(runner, &runner->groups[(round + STEPS) % (STEPS + 1)]);
		ahead_second(&runner->groups[(round + STEPS - 1) % (STEPS + 1)]);
		for (size_t step = 3; step < STEPS; step++)
			ahead_further(&runner->groups[(round + STEPS + 1 - step) % (STEPS + 1)]);
		run_group(runner, &runner->groups[(round + 1) % (STEPS + 1)], kind);
	}
}

/* One after another: all, or those of one CPU while others execute theirs. */
static void run_plainly(struct runner *runner)
{
	const struct op_batch *batch = runner->run->batch;
	const struct map_ctx *own = runner->run->ctx;

	for (size_t i = 0; i < batch->count; i++) {
		struct ahead ahead = {.link = nulls_end(runner->map->buckets)};
		const void *key;

		if (own && batch->ops[i].cpu != own->cpu)
			continue;
		env_thread_quiet(runner->ctx);
		if (runner->run->details)
			runner->run->details[i] = 0;
		if (runner->run->reads)
			runner->run->reads[i] = 0;
		key = op_key(runner, &batch->ops[i], KEYS_ANY);
		ahead.hash = op_hash(runner, key, KEYS_ANY);
		run_op(runner, i, &ahead, KEYS_ANY);
	}
}

/* Groups of operations at a time; what an operation does not read or tell is 0. */
static void run_looking_ahead(struct runner *runner)
{
	const struct map_run *run = runner->run;
	const struct map *map = runner->map;

	if (run->details)
		memset(run->details, 0, run->batch->count * sizeof(*run->details));
	if (run->reads)
		memset(run->reads, 0, run->batch->count * sizeof(*run->reads));
	if (map->key_size == 8 && !run->batch->arena_bytes)
		run_ahead(runner, map->lookahead / STEPS, KEYS_8_IN_PLACE);
	else
		run_ahead(runner, map->lookahead / STEPS, KEYS_ANY);
}

void map_run(struct map *map, const struct map_run *run)
{
	struct map_ctx all = {.next_use = UINT64_MAX};
	struct runner runner = {.map = map, .run = run, .ctx = run->ctx ? run->ctx : &all};

	runner.ctx->lock_timeout_ns = map->lock_timeout_ns;
	runner.key = map->scratch + (ENV_SHORTCUTS ? 0 : runner.ctx->cpu) * map->scratch_bytes;
	runner.next_key = runner.key + map->key_size;
	runner.value = runner.key + map_scratch_value(map);
	runner.key_used = map->key_size;
	runner.value_used = map->value_size < 8 ? map->value_size : 8;
	runner.hits_mark_bits =
		ENV_SHORTCUTS && map->is_lru && !map->lru_ops->mark_used && !run->reads;
	memset(runner.value, 0, map->value_size);
	if (!ENV_LOOKAHEAD || map->lookahead < STEPS || run->ctx)
		run_plainly(&runner);
	else
		run_looking_ahead(&runner);
}
