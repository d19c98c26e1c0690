// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Runs of operations: what they return, and that looking ahead changes nothing. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/test_map.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define OPERATIONS 1200
#define CPUS 3

/* All that can be seen of a run. */
struct outcome {
	int32_t returns[OPERATIONS];
	uint64_t details[OPERATIONS];
	uint64_t order[OPERATIONS];
	size_t entries;
	struct map_counters counters;
};

static void outcome_read(struct outcome *outcome, struct map *map)
{
	struct map_ctx ctx = {.context = OP_SYSCALL};
	uint8_t key[64] = {0};
	size_t n = 0;

	for (; !test_ops->next_key(map, &ctx, n ? key : NULL, key) && n < OPERATIONS; n++)
		memcpy(&outcome->order[n], key, test_ops->key_size(map) < 8 ? 4 : 8);
	outcome->entries = n;
}

/* Runs the batch in pieces of that many operations. */
static void run_pieces(struct map *map, struct op_batch *batch, size_t piece, uint64_t *reads,
		       struct outcome *outcome)
{
	memset(outcome, 0, sizeof(*outcome));
	for (size_t at = 0; at < batch->count; at += piece) {
		struct op_batch part = *batch;
		struct map_run run = {&part, at, outcome->returns + at, outcome->details + at};

		run.reads = reads ? reads + at : NULL;
		part.ops += at;
		part.count = batch->count - at < piece ? batch->count - at : piece;
		test_ops->run(map, &run);
	}
	test_map_counters(map, CPUS, &outcome->counters);
	outcome_read(outcome, map);
}

struct variant {
	const char *set;
	size_t piece;
	bool reads; /* asks what was read, too */
};

/* The first one is what all others must be like. */
static const struct variant variants[] = {
	{"lookahead=0", OPERATIONS},   {"lookahead=5", OPERATIONS}, {"lookahead=24", OPERATIONS},
	{"lookahead=192", OPERATIONS}, {"lookahead=24", 1},         {"lookahead=24", 7},
	{"lookahead=24", 100},         {"lookahead=192", 191},      {NULL, OPERATIONS},
	{NULL, OPERATIONS, true},
};

static void compare_variants(const struct test_map *kind, const struct test_trace *trace,
			     struct rng *rng)
{
	static struct outcome first, outcome;
	static uint64_t reads[OPERATIONS];
	struct op_batch batch;

	CU_ASSERT_EQUAL_FATAL(op_batch_init(&batch, OPERATIONS, false, false), 0);
	test_trace_fill(trace, rng, &batch, OPERATIONS);
	for (size_t i = 0; i < COUNT(variants); i++) {
		struct test_map wanted = *kind;
		struct map *map;
		char set[128];

		snprintf(set, sizeof(set), "%s %s", kind->set ? kind->set : "",
			 variants[i].set ? variants[i].set : "");
		wanted.set = set;
		map = test_map_create(&wanted);
		run_pieces(map, &batch, variants[i].piece, variants[i].reads ? reads : NULL,
			   i ? &outcome : &first);
		if (i && memcmp(&outcome, &first, sizeof(first)) != 0)
			test_fail(__FILE__, __LINE__,
				  "%s, flags %u, %u entries, keys of %u: %s in %zu",
				  map_type_names[kind->attr.type], kind->attr.flags,
				  kind->attr.max_entries, kind->attr.key_size, set,
				  variants[i].piece);
		test_map_destroy(map);
	}
	op_batch_deinit(&batch);
}

static void compare_kind(enum map_type type, uint32_t flags, const char *set)
{
	static const uint32_t key_sizes[] = {4, 6, 8, 13, 64}, sizes[] = {1, 40, 200};
	static const char *const codes[] = {"T", "LTUNEDlunedpPkbrST"};
	struct rng rng;

	rng_init(&rng, 5);
	for (size_t i = 0; i < COUNT(key_sizes) * COUNT(sizes) * COUNT(codes) * 2; i++) {
		uint32_t key_size = key_sizes[i % COUNT(key_sizes)];
		uint32_t entries = sizes[i / 5 % COUNT(sizes)];
		struct test_map kind = {{type, key_size, 8, entries, flags, 0, false},
					"7.3",
					CPUS,
					set};
		struct test_trace trace = {codes[i / 15 % 2], 2 * entries, CPUS,
					   i >= 30 ? key_size : 0};

		compare_variants(&kind, &trace, &rng);
	}
}

static void test_lookahead_hash(void)
{
	compare_kind(MAP_HASH, 0, NULL);
	compare_kind(MAP_HASH, MAP_NO_PREALLOC, NULL);
	compare_kind(MAP_PERCPU_HASH, 0, NULL);
	compare_kind(MAP_PERCPU_HASH, MAP_NO_PREALLOC, "alloc=kmalloc");
}

static void test_lookahead_lru(void)
{
	compare_kind(MAP_LRU_HASH, 0, NULL);
	compare_kind(MAP_LRU_HASH, MAP_NO_COMMON_LRU, NULL);
	compare_kind(MAP_LRU_HASH, 0, "rotation=lru");
	compare_kind(MAP_LRU_PERCPU_HASH, 0, "free_target=128");
	compare_kind(MAP_LRU_PERCPU_HASH, MAP_NO_COMMON_LRU, NULL);
}

/* Runs are the single operations one after the other. */
static int call_op(struct map *map, const struct map_op *op, uint64_t value)
{
	struct map_ctx ctx = {.cpu = op->cpu, .context = op->context};
	uint64_t values[CPUS] = {value, value, value};

	switch ((enum op_code)op->code) {
	case OP_LOOKUP:
		return test_ops->lookup(map, &ctx, &op->key, NULL);
	case OP_UPDATE:
	case OP_UPDATE_NOEXIST:
	case OP_UPDATE_EXIST:
		return test_ops->update(map, &ctx, &op->key, values,
					(uint64_t)(op->code - OP_UPDATE));
	case OP_DELETE:
		return test_ops->del(map, &ctx, &op->key);
	case OP_LOOKUP_AND_DELETE:
		return test_ops->lookup_and_delete(map, &ctx, &op->key, NULL);
	case OP_ACCESS:
		if (!test_ops->lookup(map, &ctx, &op->key, NULL))
			return 0;
		return test_ops->update(map, &ctx, &op->key, values, 0) ? -ENOMEM : 1;
	default:
		abort();
	}
}

static void compare_calls(enum map_type type, uint32_t flags, struct rng *rng)
{
	static struct outcome outcome, called;
	struct test_map wanted = {{type, 8, 8, 50, flags, 0, false}, NULL, CPUS, NULL};
	struct test_trace trace = {type < MAP_LRU_HASH ? "LUNEDlunedpP" : "LTUNEDlunedpP", 80, CPUS,
				   0};
	struct map *map = test_map_create(&wanted), *other = test_map_create(&wanted);
	struct op_batch batch;

	CU_ASSERT_EQUAL_FATAL(op_batch_init(&batch, OPERATIONS, false, false), 0);
	test_trace_fill(&trace, rng, &batch, OPERATIONS);
	run_pieces(map, &batch, OPERATIONS, NULL, &outcome);
	for (size_t i = 0; i < OPERATIONS; i++)
		CU_ASSERT_EQUAL(call_op(other, &batch.ops[i], i), outcome.returns[i]);
	memset(&called, 0, sizeof(called));
	outcome_read(&called, other);
	CU_ASSERT_EQUAL(called.entries, outcome.entries);
	CU_ASSERT_EQUAL(memcmp(called.order, outcome.order, sizeof(called.order)), 0);
	op_batch_deinit(&batch);
	test_map_destroy(map);
	test_map_destroy(other);
}

static void test_calls(void)
{
	struct rng rng;

	rng_init(&rng, 6);
	for (int type = 0; type < MAP_TYPES; type++) {
		for (uint32_t flags = 0; flags < 2; flags++) {
			uint32_t flag = type < MAP_LRU_HASH ? MAP_NO_PREALLOC : MAP_NO_COMMON_LRU;

			compare_calls((enum map_type)type, flags * flag, &rng);
		}
	}
}

/* An integer is little-endian in the key's bytes, cut or filled with zeros. */
static void check_key(uint32_t key_size, uint64_t number, const uint8_t *bytes)
{
	struct test_map wanted = {{MAP_HASH, key_size, 8, 4, 0, 0, false}, NULL, 1, NULL};
	struct map *map = test_map_create(&wanted);
	struct map_ctx ctx = {.context = OP_SYSCALL};
	struct map_op op = {.key = number, .code = OP_UPDATE};
	struct op_batch batch = {.ops = &op, .count = 1};
	const struct map_run run = {.batch = &batch};
	uint8_t key[32];

	test_ops->run(map, &run);
	memset(key, 0xee, sizeof(key));
	CU_ASSERT_EQUAL(test_ops->next_key(map, &ctx, NULL, key), 0);
	CU_ASSERT_EQUAL(memcmp(key, bytes, key_size), 0);
	CU_ASSERT_EQUAL(key[key_size], 0xee);
	test_map_destroy(map);
}

static void test_integer_keys(void)
{
	static const uint8_t bytes[16] = {1, 2, 3, 4, 5, 6, 7, 8};

	for (uint32_t key_size = 1; key_size <= 16; key_size++)
		check_key(key_size, 0x0807060504030201, bytes);
}

/* Bytes are taken as they are, cut or filled with zeros. */
static void test_byte_keys(void)
{
	static const uint8_t arena[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
	struct test_map wanted = {{MAP_HASH, 10, 8, 8, 0, 0, false}, NULL, 1, NULL};
	struct map *map = test_map_create(&wanted);
	struct map_ctx ctx = {.context = OP_SYSCALL};
	struct map_op ops[] = {
		{.key = 0, .key_bytes = 12, .code = OP_UPDATE},
		{.key = 3, .key_bytes = 2, .code = OP_UPDATE},
		{.key = 0x0504, .code = OP_LOOKUP},
		{.key = 0, .key_bytes = 10, .code = OP_DELETE},
		{.key = 0x05, .code = OP_LOOKUP},
	};
	struct op_batch batch = {.ops = ops, .count = COUNT(ops), .arena = (uint8_t *)arena};
	int32_t returns[COUNT(ops)];
	const struct map_run run = {.batch = &batch, .returns = returns};
	uint8_t key[10], expected[10] = {4, 5};

	test_ops->run(map, &run);
	CU_ASSERT(!returns[0] && !returns[1] && !returns[2] && !returns[3]);
	CU_ASSERT_EQUAL(returns[4], -ENOENT);
	CU_ASSERT_EQUAL(test_ops->next_key(map, &ctx, NULL, key), 0);
	CU_ASSERT_EQUAL(memcmp(key, expected, 10), 0);
	test_map_destroy(map);
}

/* The value of an update is the trace's, or the operation's number; cut or filled with zeros. */
static void test_values(void)
{
	static const uint32_t sizes[] = {1, 4, 8, 13};
	struct map_op ops[] = {{.key = 1, .code = OP_UPDATE}, {.key = 2, .code = OP_ACCESS}};
	uint64_t values[] = {0x1122334455667788, 3};

	for (size_t i = 0; i < COUNT(sizes); i++) {
		struct test_map wanted = {{MAP_HASH, 8, sizes[i], 4, 0, 0, false}, NULL, 1, NULL};
		struct map *map = test_map_create(&wanted);
		struct map_ctx ctx = {.context = OP_SYSCALL};
		struct op_batch batch = {.ops = ops, .count = 2, .values = values};
		struct map_run run = {.batch = &batch};
		uint64_t key = 1, found[3] = {UINT64_MAX, UINT64_MAX}, wide[2] = {values[0], 0};

		test_ops->run(map, &run);
		CU_ASSERT_EQUAL(test_ops->lookup(map, &ctx, &key, found), 0);
		CU_ASSERT_EQUAL(memcmp(found, wide, sizes[i]), 0);
		batch.values = NULL;
		run.first_index = 99;
		test_ops->run(map, &run);
		CU_ASSERT_EQUAL(test_ops->lookup(map, &ctx, &key, found), 0);
		CU_ASSERT_EQUAL(*(uint8_t *)found, 99);
		key = 2;
		CU_ASSERT_EQUAL(test_ops->lookup(map, &ctx, &key, found), 0);
		CU_ASSERT_EQUAL(*(uint8_t *)found, 3);
		test_map_destroy(map);
	}
}

/* By system call every CPU's copy gets the value. */
static void test_percpu_values(void)
{
	struct test_map wanted = {{.type = MAP_PERCPU_HASH, .max_entries = 4}, NULL, CPUS, NULL};
	struct map *map = test_map_create(&wanted);
	struct map_ctx ctx = {.context = OP_SYSCALL};
	uint64_t key = 1, found[CPUS];

	test_map_run(map, "0u9 0u1 1U1 2U2", "0 0 0 0");
	CU_ASSERT_EQUAL(test_ops->lookup(map, &ctx, &key, found), 0);
	CU_ASSERT(found[0] == 1 && found[1] == 2 && found[2] == 1);
	key = 2;
	CU_ASSERT_EQUAL(test_ops->lookup(map, &ctx, &key, found), 0);
	CU_ASSERT(found[0] == 0 && found[1] == 0 && found[2] == 3);
	test_map_destroy(map);
}

/*
 * What is read: the value's words; by system call every CPU's; a key; keys and values. The values
 * of the first two operations are 0 and 1.
 */
static void check_reads(enum map_type type, const char *letters, const uint64_t *expected)
{
	struct test_map wanted = {{type, 12, 9, 4, 0, 0, false}, NULL, CPUS, NULL};
	struct map *map = test_map_create(&wanted);
	struct map_op ops[16] = {{.key = 1, .code = OP_UPDATE}, {.key = 2, .code = OP_UPDATE}};
	struct op_batch batch = {.ops = ops, .count = 2};
	uint64_t reads[16];
	struct map_run run = {.batch = &batch, .reads = reads};

	for (; *letters; batch.count++, letters++) {
		struct map_op *op = &ops[batch.count];

		op->key = *letters == 'b' || *letters == 'r' ? 4 : 2;
		CU_ASSERT_EQUAL_FATAL(op_from_letter(*letters, &op->code, &op->context), 0);
	}
	test_ops->run(map, &run);
	for (size_t i = 0; i < batch.count; i++) {
		if (reads[i] != expected[i])
			test_fail(__FILE__, __LINE__, "%s, operation %zu: read %llx, expected %llx",
				  map_type_names[type], i, (unsigned long long)reads[i],
				  (unsigned long long)expected[i]);
	}
	test_map_destroy(map);
}

static uint64_t fold_words(const uint64_t *words, size_t count)
{
	return op_fold_bytes(0, words, count * sizeof(*words));
}

static void test_reads(void)
{
	/* Values of 9 bytes and keys of 12 are two words each; key 2 is the first one met. */
	uint64_t value = fold_words((uint64_t[]){1, 0}, 2);
	uint64_t all = fold_words((uint64_t[]){1, 0, 0, 0, 0, 0}, 6);
	uint64_t plain = fold_words((uint64_t[]){2, 0, 1, 0, 1, 0, 0, 0}, 8);
	uint64_t percpu =
		fold_words((uint64_t[]){2, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0}, 16);
	uint64_t last = fold_words((uint64_t[]){1, 0, 0, 0}, 4);
	uint64_t last_percpu = fold_words((uint64_t[]){1, 0, 0, 0, 0, 0, 0, 0}, 8);

	check_reads(MAP_HASH, "LlTbplr",
		    (uint64_t[]){0, 0, value, value, value, plain, value, 0, last});
	check_reads(MAP_LRU_PERCPU_HASH, "LlTbplr",
		    (uint64_t[]){0, 0, value, all, value, percpu, all, 0, last_percpu});
}

/* Nobody need look at what comes of a run, and it may be empty. */
static void test_no_output(void)
{
	struct test_map wanted = {{.type = MAP_LRU_HASH, .max_entries = 4}, NULL, 1, NULL};
	struct map *map = test_map_create(&wanted);
	struct map_op ops[] = {{.key = 1, .code = OP_UPDATE},
			       {.key = 1, .code = OP_NEXT_KEY},
			       {.key = 5, .code = OP_BATCH_LOOKUP},
			       {.code = OP_CODES}};
	struct op_batch batch = {.ops = ops, .count = COUNT(ops)};
	const struct map_run run = {.batch = &batch};
	struct map_counters counters;

	test_ops->run(map, &run);
	batch.count = 0;
	test_ops->run(map, &run);
	test_ops->counters(map, 0, &counters);
	CU_ASSERT_EQUAL(counters.operations, 4);
	CU_ASSERT_EQUAL(counters.errors[ERROR_EINVAL], 1);
	test_map_keys(map, "1");
	test_map_destroy(map);
}

CU_TestInfo map_run_tests[] = {
	{"looking ahead, hash", test_lookahead_hash},
	{"looking ahead, LRU", test_lookahead_lru},
	{"like single calls", test_calls},
	{"integer keys", test_integer_keys},
	{"byte keys", test_byte_keys},
	{"values", test_values},
	{"per-CPU values", test_percpu_values},
	{"reads", test_reads},
	{"no output", test_no_output},
	CU_TEST_INFO_NULL,
};
