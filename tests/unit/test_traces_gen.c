// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Generated traces: fio's numbers, determinism, distributions, errors. */
#include <CUnit/CUnit.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "traces/trace.h"

static const struct trace_options options = {.cpus = 4, .spread_block = 1, .seed = 1};

/* All operations of a generator, read in batches of capacity; the caller's to deinit. */
static struct op_batch gen_read(const char *spec, size_t capacity)
{
	struct trace_reader *reader = NULL;
	struct error error = {.text = ""};
	struct op_batch all;
	struct op_batch batch;
	uint64_t count;
	size_t wrong = 0;

	CU_ASSERT_EQUAL(trace_open(spec, &options, &reader, &error), 0);
	CU_ASSERT_STRING_EQUAL(error.text, "");
	CU_ASSERT_PTR_NOT_NULL_FATAL(reader);
	count = trace_operations(reader);
	CU_ASSERT_FATAL(!op_batch_init(&all, count, 0, 0));
	CU_ASSERT_FATAL(!op_batch_init(&batch, capacity, 1, 1));
	do {
		CU_ASSERT_EQUAL(trace_read(reader, &batch, &error), 0);
		CU_ASSERT_FATAL(all.count + batch.count <= count);
		memcpy(all.ops + all.count, batch.ops, batch.count * sizeof(*batch.ops));
		for (size_t i = 0; i < batch.count; i++)
			wrong += batch.values[i] != all.count + i || batch.times_ns[i];
		all.count += batch.count;
	} while (batch.count);
	CU_ASSERT_EQUAL(all.count, count);
	CU_ASSERT_EQUAL(wrong, 0);
	op_batch_deinit(&batch);
	trace_close(reader);
	return all;
}

static uint64_t gen_digest(const char *spec, size_t capacity)
{
	struct op_batch all = gen_read(spec, capacity);
	struct trace_digest *digest;
	uint64_t value;

	CU_ASSERT_FATAL(!trace_digest_create(&digest));
	trace_digest_update(digest, &all);
	value = trace_digest_value(digest);
	trace_digest_destroy(digest);
	op_batch_deinit(&all);
	return value;
}

/* How often each key below range comes; the caller's to free. */
static uint32_t *gen_histogram(const char *spec, uint64_t range)
{
	struct op_batch all = gen_read(spec, 4096);
	uint32_t *counts = calloc(range, sizeof(*counts));
	size_t beyond = 0;

	for (size_t i = 0; i < all.count; i++) {
		if (all.ops[i].key < range)
			counts[all.ops[i].key]++;
		else
			beyond++;
	}
	CU_ASSERT_EQUAL(beyond, 0);
	op_batch_deinit(&all);
	return counts;
}

/* The streams behind the figures of 2016 and 2017, as fio made them. */
static void test_fio(void)
{
	static const struct {
		const char *spec;
		uint64_t first[5], last[5], sum, digest;
	} cases[] = {
		{"gen:fio-zipf,theta=1.01,range=100000,count=100000,seed=1",
		 {77964, 28019, 69848, 47825, 31348},
		 {15474, 59523, 90035, 93451, 70120},
		 5032947627,
		 0x79c2c41bf63c2b2a},
		{"gen:fio-zipf,theta=0.01,count=100000",
		 {537, 80893, 76360, 85652, 18603},
		 {31718, 87787, 81899, 72883, 50676},
		 4994926440,
		 0xbd80236b27530bf1},
	};

	for (size_t i = 0; i < 2; i++) {
		struct op_batch all = gen_read(cases[i].spec, 1000);
		uint64_t sum = 0;

		for (size_t j = 0; j < all.count; j++)
			sum += all.ops[j].key;
		for (size_t j = 0; j < 5; j++) {
			CU_ASSERT_EQUAL(all.ops[j].key, cases[i].first[j]);
			CU_ASSERT_EQUAL(all.ops[99995 + j].key, cases[i].last[j]);
		}
		CU_ASSERT_EQUAL(sum, cases[i].sum);
		op_batch_deinit(&all);
		CU_ASSERT_EQUAL(gen_digest(cases[i].spec, 4096), cases[i].digest);
	}
}

/* Ranges so small that fio's formula has nothing to compute. */
static void test_fio_small(void)
{
	uint32_t *counts = gen_histogram("gen:fio-zipf,range=1,count=1000", 1);

	CU_ASSERT_EQUAL(counts[0], 1000);
	free(counts);
	counts = gen_histogram("gen:fio-zipf,range=2,count=10000", 2);
	CU_ASSERT(counts[0] > 3000 && counts[0] < 7000);
	free(counts);
}

/*
 * What each kind gives is fixed: a trace named in a report can be made again, by any later version
 * and on any machine.
 */
static void test_fixed(void)
{
	static const struct {
		const char *spec;
		uint64_t digest;
	} cases[] = {
		{"gen:zipf,range=1000,count=100000", 0xf9b1c7aade4ce286},
		{"gen:zipf,theta=0.7,range=1000,count=100000", 0x8510087c6229c0df},
		{"gen:zipf,theta=1.5,scatter=1,range=1000,count=100000", 0x46425c91c3c92810},
		{"gen:uniform,range=1000,count=100000", 0xf0dcbbc99aa6943f},
		{"gen:scan,stride=7,range=1000,count=100000", 0xd1d3acf58d1e1bb1},
		{"gen:churn,range=1000,count=100000", 0x380d0e7764a36b0d},
		{"gen:churn,theta=0.8,rate=0.1,range=1000,count=100000", 0x7530d9c7b89ffabc},
		{"gen:pairs,range=1000,count=100000", 0x95efb9a60b54f75e},
		{"gen:pairs,delete=1,range=1000,count=100000", 0x27298b65919ad6d9},
		{"gen:bursts,range=1000,count=100000", 0x4040a0af5c1b70da},
		{"gen:bursts,cpus=2,burst=5,range=1000,count=100000", 0x26787e5d5a92229e},
		{"gen:uniform,cpus=3,range=1000,count=100000", 0x998e6e606f0eedf8},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		CU_ASSERT_EQUAL(gen_digest(cases[i].spec, 4096), cases[i].digest);
		CU_ASSERT_EQUAL(gen_digest(cases[i].spec, 7), cases[i].digest);
		if (gen_digest(cases[i].spec, 4096) != cases[i].digest)
			fprintf(stderr, "\n{\"%s\", 0x%016llxULL},\n", cases[i].spec,
				(unsigned long long)gen_digest(cases[i].spec, 4096));
	}
}

/* The most popular keys come as often as they should, within 1 %, and the tail does. */
static void test_zipf(void)
{
	static const double thetas[] = {0, 0.5, 0.99, 1, 1.01, 2, 10};
	enum { RANGE = 100, COUNT = 2000000 };

	for (size_t i = 0; i < sizeof(thetas) / sizeof(thetas[0]); i++) {
		char spec[64];
		uint32_t *counts;
		double zeta = 0;
		double chi2 = 0;

		snprintf(spec, sizeof(spec), "gen:zipf,range=%d,count=%d,theta=%g", RANGE, COUNT,
			 thetas[i]);
		counts = gen_histogram(spec, RANGE);
		for (int k = RANGE; k >= 1; k--)
			zeta += pow(k, -thetas[i]);
		for (int k = 1; k <= RANGE; k++) {
			double expected = COUNT * pow(k, -thetas[i]) / zeta;

			if (expected > 100000)
				CU_ASSERT_DOUBLE_EQUAL(counts[k - 1] / expected, 1, 0.01);
			if (expected > 10)
				chi2 += pow(counts[k - 1] - expected, 2) / expected;
		}
		/* About 99 degrees of freedom: 99.99 % are below. */
		CU_ASSERT(chi2 < 160);
		free(counts);
	}
}

static void test_zipf_wide(void)
{
	struct op_batch all = gen_read("gen:zipf,range=1G,count=1000000", 4096);
	double zeta = log(1024.0 * 1024 * 1024) + 0.5772156649;
	size_t first = 0;
	size_t upper = 0;

	for (size_t i = 0; i < all.count; i++) {
		first += !all.ops[i].key;
		upper += all.ops[i].key >= (512 << 20);
	}
	CU_ASSERT_DOUBLE_EQUAL(first * zeta / 1e6, 1, 0.01);
	CU_ASSERT_DOUBLE_EQUAL(upper * zeta / 1e6 / log(2), 1, 0.02);
	op_batch_deinit(&all);
	/* The extremes of all parameters stay in range. */
	all = gen_read("gen:zipf,range=281474976710656,theta=0,scatter=1,count=1000", 100);
	for (size_t i = 0; i < all.count; i++)
		CU_ASSERT(all.ops[i].key < UINT64_C(1) << 48);
	op_batch_deinit(&all);
	free(gen_histogram("gen:zipf,range=281474976710656,theta=10,count=100000", 1000));
	free(gen_histogram("gen:zipf,range=1,theta=1,count=1000", 1));
	free(gen_histogram("gen:zipf,range=2,theta=0.5,scatter=1,count=1000", 2));
}

/* Scattered keys are the ranks, renamed one to one. */
static void test_zipf_scatter(void)
{
	struct op_batch ranks = gen_read("gen:zipf,range=60,count=10000", 4096);
	struct op_batch keys = gen_read("gen:zipf,range=60,count=10000,scatter=1", 4096);
	uint64_t names[60];
	uint64_t seen = 0;
	size_t wrong = 0;

	memset(names, 0xff, sizeof(names));
	for (size_t i = 0; i < ranks.count; i++) {
		uint64_t *name = &names[ranks.ops[i].key];

		if (*name == UINT64_MAX)
			*name = keys.ops[i].key;
		wrong += *name != keys.ops[i].key;
		seen |= UINT64_C(1) << *name;
	}
	CU_ASSERT_EQUAL(wrong, 0);
	CU_ASSERT_EQUAL(seen, (UINT64_C(1) << 60) - 1);
	CU_ASSERT(labs((long)names[0] - (long)names[1]) > 10);
	op_batch_deinit(&ranks);
	op_batch_deinit(&keys);
}

static void test_uniform(void)
{
	uint32_t *counts = gen_histogram("gen:uniform,range=10,count=1000000", 10);

	for (size_t i = 0; i < 10; i++)
		CU_ASSERT_DOUBLE_EQUAL(counts[i], 100000, 1500);
	free(counts);
}

static void test_scan(void)
{
	static const uint64_t keys[] = {0, 4, 8, 2, 6, 0, 4};
	struct op_batch all = gen_read("gen:scan,range=3,count=7", 2);

	for (size_t i = 0; i < 7; i++) {
		CU_ASSERT_EQUAL(all.ops[i].key, i % 3);
		CU_ASSERT_EQUAL(all.ops[i].cpu, i % 4);
		CU_ASSERT_EQUAL(all.ops[i].code, OP_ACCESS);
	}
	op_batch_deinit(&all);
	all = gen_read("gen:scan,range=10,count=7,stride=14", 2);
	for (size_t i = 0; i < 7; i++)
		CU_ASSERT_EQUAL(all.ops[i].key, keys[i]);
	op_batch_deinit(&all);
}

static void test_churn(void)
{
	struct op_batch all = gen_read("gen:churn,range=100,count=200000,rate=0.02,theta=0", 4096);
	uint64_t next = 100;
	size_t wrong = 0;
	size_t old = 0;

	for (size_t i = 0; i < all.count; i++) {
		wrong += all.ops[i].key > next;
		next += all.ops[i].key == next;
		old += all.ops[i].key < 100;
	}
	CU_ASSERT_EQUAL(wrong, 0);
	CU_ASSERT_DOUBLE_EQUAL(next - 100, 4000, 250);
	/* A member lasts for range / rate operations: the first ones are soon gone. */
	CU_ASSERT_DOUBLE_EQUAL(old, 5000, 1500);
	op_batch_deinit(&all);
}

/* Replays flows in order and checks that each operation is one that may come. */
static void assert_pairs(const struct op_batch *all, uint64_t range, bool deletes)
{
	uint64_t oldest = 0;
	uint64_t next = 0;
	uint64_t sides[2] = {0};
	size_t wrong = 0;

	for (size_t i = 0; i < all->count; i++) {
		const struct map_op *op = &all->ops[i];

		wrong += op->context != OP_PROGRAM;
		if (op->code == OP_LOOKUP) {
			sides[op->key & 1]++;
			wrong += op->key / 2 < oldest || op->key / 2 >= next;
			continue;
		}
		wrong += (i + 1 < all->count && op[0].key + 1 != op[1].key) || op->key & 1;
		if (op->code == OP_DELETE) {
			wrong += !deletes || op->key / 2 != oldest || next - oldest != range;
			oldest++;
		} else {
			wrong += op->code != OP_UPDATE || op->key / 2 != next;
			next++;
			if (next - oldest > range) {
				wrong += deletes;
				oldest++;
			}
		}
		i++;
	}
	CU_ASSERT_EQUAL(wrong, 0);
	CU_ASSERT(next > range);
	CU_ASSERT(fabs((double)sides[0] / (double)sides[1] - 1) < 0.05);
}

static void test_pairs(void)
{
	struct op_batch all = gen_read("gen:pairs,range=100,count=50000", 4096);
	struct trace_reader *reader;

	assert_pairs(&all, 100, false);
	op_batch_deinit(&all);
	all = gen_read("gen:pairs,range=100,count=50000,delete=1,rate=0.2", 11);
	assert_pairs(&all, 100, true);
	op_batch_deinit(&all);
	CU_ASSERT_EQUAL_FATAL(trace_open("gen:pairs", &options, &reader, NULL), 0);
	CU_ASSERT(!trace_is_keys(reader));
	trace_close(reader);
}

static void test_bursts(void)
{
	struct op_batch all =
		gen_read("gen:bursts,range=50,count=100000,burst=30,quiet=20,cpus=3,theta=0.5",
			 4096);
	uint64_t next = 50;
	size_t cpus[4] = {0};
	size_t wrong = 0;

	for (size_t i = 0; i < all.count; i++) {
		const struct map_op *op = &all.ops[i];

		cpus[op->cpu]++;
		wrong += op->code != OP_ACCESS;
		if (i % 50 < 30)
			wrong += op->key != next++ || op->cpu != all.ops[i - i % 50].cpu;
		else
			wrong += op->key >= 50;
	}
	CU_ASSERT_EQUAL(wrong, 0);
	for (size_t i = 0; i < 3; i++)
		CU_ASSERT_DOUBLE_EQUAL(cpus[i], 33333, 3000);
	CU_ASSERT_EQUAL(cpus[3], 0);
	op_batch_deinit(&all);
}

/* cpus= deals the CPUs at random, and leaves the keys as they are. */
static void test_cpus(void)
{
	struct op_batch with = gen_read("gen:uniform,count=40000,cpus=2", 4096);
	struct op_batch without = gen_read("gen:uniform,count=40000", 4096);
	size_t cpus[4] = {0};
	size_t different = 0;

	for (size_t i = 0; i < with.count; i++) {
		cpus[with.ops[i].cpu]++;
		different += with.ops[i].key != without.ops[i].key;
	}
	CU_ASSERT_EQUAL(different, 0);
	CU_ASSERT_DOUBLE_EQUAL(cpus[0], 20000, 500);
	CU_ASSERT_EQUAL(cpus[0] + cpus[1], 40000);
	op_batch_deinit(&with);
	op_batch_deinit(&without);
}

static void test_seed(void)
{
	CU_ASSERT_EQUAL(gen_digest("gen:zipf,count=1000", 64),
			gen_digest("gen:zipf,count=1000,seed=1", 64));
	CU_ASSERT_NOT_EQUAL(gen_digest("gen:zipf,count=1000,seed=2", 64),
			    gen_digest("gen:zipf,count=1000,seed=1", 64));
	CU_ASSERT_EQUAL(gen_digest("gen:zipf,count=1k", 64), gen_digest("gen:zipf,count=1024", 64));
}

static void test_errors(void)
{
	static const struct {
		const char *spec;
		const char *message;
	} cases[] = {
		{"gen:foo", "unknown kind \"foo\", expected fio-zipf, zipf, uniform, scan, churn, "
			    "pairs or bursts"},
		{"gen:", "unknown kind \"\", expected fio-zipf, zipf, uniform, scan, churn, pairs "
			 "or bursts"},
		{"gen:zipf,alpha=1", "unknown parameter \"alpha\", expected range, count, seed, "
				     "cpus, theta or scatter"},
		{"gen:uniform,theta=1",
		 "unknown parameter \"theta\", expected range, count, seed or cpus"},
		{"gen:zipf,theta", "expected name=value, found \"theta\""},
		{"gen:zipf,", "expected name=value, found \"\""},
		{"gen:zipf,theta=x", "theta: expected a number in 0..10, found \"x\""},
		{"gen:zipf,theta=-1", "theta: expected a number in 0..10, found \"-1\""},
		{"gen:zipf,theta=nan", "theta: expected a number in 0..10, found \"nan\""},
		{"gen:zipf,range=0",
		 "range: expected an integer in 1..281474976710656, found \"0\""},
		{"gen:zipf,range=", "range: expected an integer in 1..281474976710656, found \"\""},
		{"gen:zipf,count=0",
		 "count: expected an integer in 1..18446744073709551615, found \"0\""},
		{"gen:zipf,scatter=2", "scatter: expected an integer in 0..1, found \"2\""},
		{"gen:zipf,range=5,range=6", "range is given twice"},
		{"gen:zipf,cpus=5", "cpus: expected at most the 4 CPUs of the run, found 5"},
		{"gen:bursts,cpus=0", "cpus: expected an integer in 1..4096, found \"0\""},
		{"gen:fio-zipf,theta=1", "theta: expected a number above 0 other than 1, found 1 "
					 "(kind zipf takes any)"},
		{"gen:fio-zipf,theta=0", "theta: expected a number above 0 other than 1, found 0 "
					 "(kind zipf takes any)"},
		{"gen:fio-zipf,seed=4G",
		 "seed: expected an integer in 0..4294967295, found \"4G\""},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct trace_reader *reader;
		struct error error = {.text = ""};
		char expected[512];

		snprintf(expected, sizeof(expected), "%s: %s", cases[i].spec, cases[i].message);
		CU_ASSERT_EQUAL(trace_open(cases[i].spec, &options, &reader, &error), -EINVAL);
		CU_ASSERT_STRING_EQUAL(error.text, expected);
		CU_ASSERT_PTR_NULL(reader);
	}
}

static void test_table(void)
{
	const struct trace_kind *kinds = trace_generators();
	size_t count = 0;

	for (; kinds[count].name; count++) {
		char spec[64];
		struct trace_reader *reader;

		CU_ASSERT(strlen(kinds[count].summary) > 0);
		CU_ASSERT_PTR_NOT_NULL(strstr(kinds[count].parameters, "range=100000 (1.."));
		CU_ASSERT_PTR_NULL(strchr(kinds[count].parameters, '\n'));
		snprintf(spec, sizeof(spec), "gen:%s,count=1", kinds[count].name);
		CU_ASSERT_EQUAL(trace_open(spec, &options, &reader, NULL), 0);
		trace_close(reader);
	}
	CU_ASSERT_EQUAL(count, 7);
}

CU_TestInfo traces_gen_tests[] = {
	{"fio's numbers", test_fio},
	{"fio with few keys", test_fio_small},
	{"fixed streams", test_fixed},
	{"zipf", test_zipf},
	{"zipf over wide ranges", test_zipf_wide},
	{"scattered zipf", test_zipf_scatter},
	{"uniform", test_uniform},
	{"scan", test_scan},
	{"churn", test_churn},
	{"pairs", test_pairs},
	{"bursts", test_bursts},
	{"CPUs", test_cpus},
	{"seeds", test_seed},
	{"errors in generators", test_errors},
	{"table of generators", test_table},
	CU_TEST_INFO_NULL,
};
