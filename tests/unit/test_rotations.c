// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * All rotations there are: against plain references, against their definitions, against each other,
 * and what every one promises.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/attr.h"
#include "tests/unit/lru_reference.h"
#include "tests/unit/test_map.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define CPUS 3
#define OPERATIONS 1500

static const uint32_t sizes[] = {1, 2, 3, 10, 33, 100};

/* A run: a map with a rotation, operations, what they returned. */
struct trial {
	struct test_map wanted;
	char set[64];
	struct op_batch batch;
	int32_t returns[OPERATIONS];
	uint64_t next_use[OPERATIONS];
	struct map_counters total;
	struct map *map;
};

/* The trace's future, from the definition. */
static void foresee(struct trial *trial)
{
	for (size_t i = 0; i < trial->batch.count; i++) {
		const struct map_op *op = &trial->batch.ops[i];
		size_t next = i + 1;

		while (next < trial->batch.count && trial->batch.ops[next].key != op->key)
			next++;
		trial->next_use[i] = next;
		if (next == trial->batch.count || trial->batch.ops[next].code == OP_DELETE)
			trial->next_use[i] = UINT64_MAX;
	}
}

static struct trial *trial_create(enum map_type type, uint32_t entries, const char *codes,
				  struct rng *rng)
{
	struct trial *trial = calloc(1, sizeof(*trial));
	struct test_trace trace = {codes, entries + entries / 2 + 2, CPUS, 0};

	CU_ASSERT_PTR_NOT_NULL_FATAL(trial);
	trial->wanted = (struct test_map){.attr = {type, 8, 8, entries, 0, 0, false}, .cpus = CPUS};
	CU_ASSERT_EQUAL_FATAL(op_batch_init(&trial->batch, OPERATIONS, false, false), 0);
	test_trace_fill(&trace, rng, &trial->batch, OPERATIONS);
	/* Half of it with some keys often. */
	for (size_t i = 0; i < OPERATIONS / 2; i++)
		trial->batch.ops[i].key = rng_below(rng, trial->batch.ops[i].key + 1);
	foresee(trial);
	return trial;
}

static void trial_destroy(struct trial *trial)
{
	op_batch_deinit(&trial->batch);
	free(trial);
}

/* Runs it with a rotation, in parts; the map is left for more. */
static void trial_run(struct trial *trial, const char *rotation, const char *set)
{
	snprintf(trial->set, sizeof(trial->set), "rotation=%s %s", rotation, set);
	trial->wanted.set = trial->set;
	trial->map = test_map_create(&trial->wanted);
	for (size_t at = 0; at < trial->batch.count; at += 100) {
		struct op_batch part = {.ops = trial->batch.ops + at, .count = 100};
		const struct map_run run = {.batch = &part,
					    .first_index = at,
					    .returns = trial->returns + at,
					    .next_use = trial->next_use + at};
		struct error error = {.text = ""};

		test_ops->run(trial->map, &run);
		if (test_ops->check(trial->map, &error))
			test_fail(__FILE__, __LINE__, "%s, %u entries: %s", rotation,
				  trial->wanted.attr.max_entries, error.text);
	}
	test_map_counters(trial->map, CPUS, &trial->total);
}

static void trial_end(struct trial *trial)
{
	test_map_destroy(trial->map);
}

/* The bound leaves open which of the keys that are never used again go: deletes may differ. */
static void compare_reference(const char *rotation, enum map_type type, uint32_t entries,
			      const char *codes, struct rng *rng)
{
	struct trial *trial = trial_create(type, entries, codes, rng);
	struct lru_reference *reference = calloc(1, sizeof(*reference));
	bool is_opt = !strcmp(rotation, "opt");
	size_t wrong = 0, first = 0;

	CU_ASSERT_PTR_NOT_NULL_FATAL(reference);
	lru_reference_init(reference, rotation, entries, map_type_is_percpu(type), &trial->batch);
	trial_run(trial, rotation, "");
	for (size_t i = 0; i < OPERATIONS; i++) {
		int ret = lru_reference_op(reference, i);

		if (ret == trial->returns[i] || (is_opt && trial->batch.ops[i].code == OP_DELETE))
			continue;
		if (!wrong++)
			first = i;
	}
	if (wrong)
		test_fail(__FILE__, __LINE__, "%s, %s, %u entries, %s: %zu differ, first %zu",
			  rotation, map_type_names[type], entries, codes, wrong, first);
	if (!is_opt)
		CU_ASSERT_EQUAL(trial->total.evictions, reference->evictions);
	trial_end(trial);
	trial_destroy(trial);
	free(reference);
}

static void compare_all(const char *rotation)
{
	static const char *const codes[] = {"TTTTL", "TTTTTTD", "UuL", "LTTTTUNEDluned"};
	struct rng rng;

	rng_init(&rng, 5);
	for (size_t i = 0; i < COUNT(sizes) * COUNT(codes); i++) {
		const char *code = codes[i % COUNT(codes)];

		compare_reference(rotation, MAP_LRU_HASH, sizes[i / COUNT(codes)], code, &rng);
		compare_reference(rotation, MAP_LRU_PERCPU_HASH, sizes[i / COUNT(codes)], code,
				  &rng);
	}
}

static void test_lru(void)
{
	compare_all("lru");
}

static void test_fifo(void)
{
	compare_all("fifo");
}

static void test_clock(void)
{
	compare_all("clock");
}

static void test_sieve(void)
{
	compare_all("sieve");
}

static void test_s3fifo(void)
{
	compare_all("s3fifo");
}

static void test_random(void)
{
	compare_all("random");
}

static void test_opt(void)
{
	compare_all("opt");
}

/* LRU by its stack property: a hit if fewer than max_entries other keys came since the last use. */
static void test_lru_distances(void)
{
	struct rng rng;

	rng_init(&rng, 6);
	for (size_t n = 0; n < COUNT(sizes); n++) {
		struct trial *trial = trial_create(MAP_LRU_HASH, sizes[n], "T", &rng);
		const struct map_op *ops = trial->batch.ops;
		size_t wrong = 0;

		trial_run(trial, "lru", "");
		for (size_t i = 0; i < OPERATIONS; i++) {
			size_t last = i, others = 0;

			while (last > 0 && ops[last - 1].key != ops[i].key)
				last--;
			for (size_t k = last; k < i; k++) {
				size_t before = last;

				while (ops[before].key != ops[k].key)
					before++;
				others += before == k;
			}
			wrong += trial->returns[i] != (last == 0 || others >= sizes[n]);
		}
		CU_ASSERT_EQUAL(wrong, 0);
		trial_end(trial);
		trial_destroy(trial);
	}
}

/* NOLINTBEGIN(misc-no-recursion): as deep as there are operations, which are few */
/* The fewest misses of accesses to keys below 16, trying all victims; cached is a set of bits. */
static unsigned int fewest_misses(const struct map_op *ops, size_t count, unsigned int cached,
				  uint32_t entries)
{
	unsigned int best = UINT32_MAX, bit;

	if (!count)
		return 0;
	bit = 1u << ops[0].key;
	if (cached & bit)
		return fewest_misses(ops + 1, count - 1, cached, entries);
	if ((uint32_t)__builtin_popcount(cached) < entries)
		return 1 + fewest_misses(ops + 1, count - 1, cached | bit, entries);
	for (unsigned int key = 0; key < 16; key++) {
		unsigned int misses;

		if (!(cached & 1u << key))
			continue;
		misses = 1 +
			 fewest_misses(ops + 1, count - 1, (cached & ~(1u << key)) | bit, entries);
		best = misses < best ? misses : best;
	}
	return best;
}
/* NOLINTEND(misc-no-recursion) */

static void test_opt_brute_force(void)
{
	struct rng rng;

	rng_init(&rng, 7);
	for (uint32_t entries = 1; entries <= 3; entries++) {
		for (int i = 0; i < 60; i++) {
			struct trial *trial = trial_create(MAP_LRU_HASH, entries, "T", &rng);

			trial->batch.count = 13;
			for (size_t n = 0; n < 13; n++)
				trial->batch.ops[n].key = rng_below(&rng, 5);
			foresee(trial);
			trial->wanted.set = "rotation=opt";
			trial->map = test_map_create(&trial->wanted);
			test_ops->run(trial->map,
				      &(const struct map_run){.batch = &trial->batch,
							      .returns = trial->returns,
							      .next_use = trial->next_use});
			test_map_counters(trial->map, CPUS, &trial->total);
			CU_ASSERT_EQUAL(trial->total.misses,
					fewest_misses(trial->batch.ops, 13, 0, entries));
			trial_end(trial);
			trial_destroy(trial);
		}
	}
}

/* Whether a rotation accepts a map. */
static bool accepts(const char *rotation, uint32_t flags)
{
	static const char *const common_only[] = {"steal-first", "steal-half", "watermark", "opt"};

	for (size_t i = 0; flags && i < COUNT(common_only); i++) {
		if (!strcmp(common_only[i], rotation))
			return false;
	}
	return true;
}

/* Where all that misses inserts, nothing inserts less than the optimum, on any kind of map. */
static void compare_optimum(enum map_type type, uint32_t entries, const char *codes,
			    struct rng *rng)
{
	struct trial *trial = trial_create(type, entries, codes, rng);
	const struct policy *policy;
	uint64_t fewest;

	trial_run(trial, "opt", "");
	fewest = trial->total.inserts;
	trial_end(trial);
	for (uint64_t id = 0; (policy = test_ops->rotation(id)); id++) {
		trial_run(trial, policy->name, "free_target=1");
		if (trial->total.inserts < fewest)
			test_fail(__FILE__, __LINE__, "%s, %u entries, %s: %llu < %llu",
				  policy->name, entries, codes,
				  (unsigned long long)trial->total.inserts,
				  (unsigned long long)fewest);
		trial_end(trial);
	}
	trial_destroy(trial);
}

static void test_opt_is_least(void)
{
	static const char *const codes[] = {"T", "TTTTTD", "TTTUuNnDs"};
	struct rng rng;

	rng_init(&rng, 8);
	for (size_t i = 0; i < COUNT(sizes) * COUNT(codes); i++) {
		compare_optimum(MAP_LRU_HASH, sizes[i / COUNT(codes)], codes[i % COUNT(codes)],
				&rng);
		compare_optimum(MAP_LRU_PERCPU_HASH, sizes[i / COUNT(codes)],
				codes[i % COUNT(codes)], &rng);
	}
}

/* What each promises: it holds all the time, never more than max_entries, all of them in the end.
 */
static void check_promises(const char *rotation, enum map_type type, uint32_t flags,
			   uint32_t entries, struct rng *rng)
{
	struct trial *trial = trial_create(type, entries, "LTUNEDlunedpPkbrSTUNR", rng);
	uint64_t capacity, key, value[CPUS] = {0}, free = 0;
	struct map_census census;

	trial->wanted.attr.flags = flags;
	trial_run(trial, rotation, "free_target=1");
	capacity = test_ops->max_entries(trial->map);
	for (key = 1000; key < 1000 + 20 * capacity; key++) {
		struct map_ctx ctx = {.cpu = (uint32_t)(key % CPUS), .context = OP_PROGRAM};

		free += test_ops->update(trial->map, &ctx, &key, value, 0) != 0;
	}
	test_ops->census(trial->map, &census);
	if (free || census.entries != capacity || census.entries_max > capacity)
		test_fail(__FILE__, __LINE__,
			  "%s, %s, flags %u, %u entries: %llu failures, %llu of %llu entries",
			  rotation, map_type_names[type], flags, entries, (unsigned long long)free,
			  (unsigned long long)census.entries, (unsigned long long)capacity);
	trial_end(trial);
	trial_destroy(trial);
}

static void test_promises(void)
{
	const struct policy *policy;
	struct rng rng;

	rng_init(&rng, 9);
	for (uint64_t id = 0; (policy = test_ops->rotation(id)); id++) {
		for (size_t i = 0; i < COUNT(sizes); i++) {
			for (uint32_t n = 0; n < 4; n++) {
				uint32_t flags = n % 2 ? MAP_NO_COMMON_LRU : 0;

				if (accepts(policy->name, flags))
					check_promises(policy->name,
						       n / 2 ? MAP_LRU_PERCPU_HASH : MAP_LRU_HASH,
						       flags, sizes[i], &rng);
			}
		}
	}
}

static void test_refusals(void)
{
	const struct policy *policy;

	for (uint64_t id = 0; (policy = test_ops->rotation(id)); id++) {
		char set[64];
		struct test_map wanted = {{MAP_LRU_HASH, 8, 8, 10, MAP_NO_COMMON_LRU, 0, false},
					  NULL,
					  2,
					  set};
		struct error error = {.text = ""};
		struct map *map = NULL;
		int err;

		snprintf(set, sizeof(set), "rotation=%s", policy->name);
		err = test_map_try(&wanted, &map, &error);
		CU_ASSERT_EQUAL(err, accepts(policy->name, MAP_NO_COMMON_LRU) ? 0 : -EINVAL);
		if (!err)
			test_map_destroy(map);
		else
			CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "has no per-CPU form"));
	}
}

CU_TestInfo rotations_tests[] = {
	{"lru", test_lru},
	{"fifo", test_fifo},
	{"clock", test_clock},
	{"sieve", test_sieve},
	{"s3fifo", test_s3fifo},
	{"random", test_random},
	{"opt", test_opt},
	{"lru: reuse distances", test_lru_distances},
	{"opt: all ways tried", test_opt_brute_force},
	{"opt: none is better", test_opt_is_least},
	{"promises", test_promises},
	{"refusals", test_refusals},
	CU_TEST_INFO_NULL,
};
