// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What is said of a trace: against plain counting, and estimates against what is exact. */
#include <CUnit/CUnit.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "traces/info.h"
#include "traces/trace.h"

static void info_of(const char *spec, size_t keys_max, struct trace_info *info)
{
	const struct trace_options options = {.cpus = 4, .spread_block = 1, .seed = 1};
	struct trace_reader *reader;
	struct info_pass *pass;
	struct op_batch batch;
	struct error error;

	CU_ASSERT_FATAL(!info_pass_create(keys_max, &pass));
	CU_ASSERT_FATAL(!op_batch_init(&batch, 1000, 0, 0));
	CU_ASSERT_FATAL(!trace_open(spec, &options, &reader, &error));
	do {
		CU_ASSERT_EQUAL_FATAL(trace_read(reader, &batch, &error), 0);
		CU_ASSERT_EQUAL_FATAL(info_pass_add(pass, &batch), 0);
	} while (batch.count);
	CU_ASSERT_EQUAL(info_pass_end(pass, info), 0);
	trace_close(reader);
	op_batch_deinit(&batch);
	info_pass_destroy(pass);
}

static void info_of_batch(const struct op_batch *batch, struct trace_info *info)
{
	struct info_pass *pass;

	CU_ASSERT_FATAL(!info_pass_create(4096, &pass));
	CU_ASSERT_EQUAL(info_pass_add(pass, batch), 0);
	CU_ASSERT_EQUAL(info_pass_end(pass, info), 0);
	info_pass_destroy(pass);
}

static void test_counts(void)
{
	struct trace_info info;
	struct op_batch batch;

	CU_ASSERT_FATAL(!op_batch_init(&batch, 8, 0, 0));
	batch.count = 8;
	memset(batch.ops, 0, 8 * sizeof(*batch.ops));
	batch.ops[1] = (struct map_op){.key = 7, .cpu = 4095, .code = OP_UPDATE};
	batch.ops[2] = (struct map_op){.key = 7, .code = OP_BATCH_LOOKUP, .context = OP_SYSCALL};
	/* The integer 7, as bytes; and long keys, which are the same but for zeroes at the end. */
	batch.ops[3].key_bytes = 3;
	batch.ops[3].key = (uint64_t)op_batch_add_bytes(&batch, "\7\0\0", 3);
	batch.ops[4].key_bytes = 12;
	batch.ops[4].key = (uint64_t)op_batch_add_bytes(&batch, "0123456789ab", 12);
	batch.ops[5].key_bytes = 13;
	batch.ops[5].key = (uint64_t)op_batch_add_bytes(&batch, "0123456789ab\0", 13);
	info_of_batch(&batch, &info);
	CU_ASSERT_EQUAL(info.operations, 8);
	CU_ASSERT_EQUAL(info.key_operations, 7);
	CU_ASSERT_EQUAL(info.codes[OP_LOOKUP], 6);
	CU_ASSERT_EQUAL(info.codes[OP_UPDATE], 1);
	CU_ASSERT_EQUAL(info.contexts[OP_PROGRAM], 7);
	CU_ASSERT_EQUAL(info.contexts[OP_SYSCALL], 1);
	CU_ASSERT_EQUAL(info.cpus, 2);
	CU_ASSERT_EQUAL(info.cpu_max, 4095);
	CU_ASSERT_EQUAL(info.byte_keys, 3);
	CU_ASSERT_EQUAL(info.longest_key_bytes, 13);
	CU_ASSERT_EQUAL(info.distinct_keys.value, 3);
	CU_ASSERT_EQUAL(info.distinct_keys.error, 0);
	CU_ASSERT_EQUAL(info.tops[TOP_1].value, 3.0 / 7);
	CU_ASSERT_EQUAL(info.tops[TOP_10].value, 1);
	op_batch_deinit(&batch);
}

enum { USES = 5000, KEYS = 300 };

/* How many distinct keys are among uses from first to before end. */
static unsigned int distinct(const uint64_t *keys, size_t first, size_t end)
{
	bool seen[KEYS] = {false};
	unsigned int count = 0;

	for (size_t i = first; i < end; i++) {
		count += !seen[keys[i]];
		seen[keys[i]] = true;
	}
	return count;
}

static int compare(const void *a, const void *b)
{
	unsigned int left = *(const unsigned int *)a, right = *(const unsigned int *)b;

	return (left > right) - (left < right);
}

/* Against the definitions: windows and reuse distances, with keys whose places are dealt anew. */
static void test_plainly(void)
{
	static unsigned int distances[USES];
	static uint64_t keys[USES];
	struct trace_info info;
	struct op_batch batch;
	struct rng rng;
	size_t reuses = 0, middle;

	rng_init(&rng, 3);
	CU_ASSERT_FATAL(!op_batch_init(&batch, USES, 0, 0));
	batch.count = USES;
	for (size_t i = 0; i < USES; i++) {
		keys[i] = rng_below(&rng, 1 + rng_below(&rng, KEYS));
		batch.ops[i] = (struct map_op){.key = keys[i]};
		for (size_t before = i; before-- > 0;) {
			if (keys[before] != keys[i])
				continue;
			distances[reuses++] = distinct(keys, before + 1, i);
			break;
		}
	}
	info_of_batch(&batch, &info);
	qsort(distances, reuses, sizeof(distances[0]), compare);
	middle = (reuses + 1) / 2 - 1;
	CU_ASSERT_EQUAL(info.reuse[REUSE_P50].value, distances[middle]);
	CU_ASSERT_EQUAL(info.reuse[REUSE_P99].value,
			distances[(size_t)ceil(0.99 * (double)reuses) - 1]);
	CU_ASSERT_EQUAL(info.distinct_keys.value, distinct(keys, 0, USES));
	CU_ASSERT_EQUAL(info.window_count, 40);
	for (unsigned int i = 0; i < info.window_count; i++) {
		const struct info_window *window = &info.windows[i];
		size_t first = (size_t)window->first, end = first + (size_t)window->operations;

		CU_ASSERT_EQUAL(first, (size_t)i * 128);
		CU_ASSERT_EQUAL(end, i == 39 ? USES : first + 128);
		CU_ASSERT_EQUAL(window->distinct_keys.value, distinct(keys, first, end));
		CU_ASSERT_EQUAL(window->new_keys.value,
				distinct(keys, 0, end) - distinct(keys, 0, first));
	}
	op_batch_deinit(&batch);
}

/* An estimate is within four standard errors of what is exact. */
static void assert_near(struct estimate estimate, struct estimate exact)
{
	CU_ASSERT_EQUAL(exact.error, 0);
	CU_ASSERT(fabs(estimate.value - exact.value) <= 4 * estimate.error);
	if (!(fabs(estimate.value - exact.value) <= 4 * estimate.error))
		fprintf(stderr, "\n  %g +- %g, exactly %g\n", estimate.value, estimate.error,
			exact.value);
}

static void test_estimates(void)
{
	static const char *const specs[] = {
		"gen:zipf,range=100000,count=400000",
		"gen:zipf,range=300000,count=400000,theta=0.6",
		"gen:zipf,range=100000,count=400000,theta=1.3,scatter=1",
		"gen:uniform,range=50000,count=300000",
		"gen:churn,range=1000,count=400000,rate=0.2",
		"gen:scan,range=50000,count=200000",
	};

	for (size_t i = 0; i < sizeof(specs) / sizeof(specs[0]); i++) {
		struct trace_info exact, estimate;

		info_of(specs[i], TRACE_INFO_KEYS, &exact);
		info_of(specs[i], 8192, &estimate);
		CU_ASSERT_EQUAL(exact.trace_digest, estimate.trace_digest);
		CU_ASSERT(estimate.distinct_keys.error > 0);
		CU_ASSERT(estimate.distinct_keys.error < 0.02 * exact.distinct_keys.value);
		assert_near(estimate.distinct_keys, exact.distinct_keys);
		assert_near(estimate.first_uses, exact.first_uses);
		for (int n = 0; n < INFO_TOPS; n++)
			assert_near(estimate.tops[n], exact.tops[n]);
		for (int n = 0; n < INFO_QUANTILES; n++)
			assert_near(estimate.reuse[n], exact.reuse[n]);
		CU_ASSERT_EQUAL(estimate.window_count, exact.window_count);
		for (unsigned int n = 0; n < exact.window_count; n++)
			assert_near(estimate.windows[n].distinct_keys,
				    exact.windows[n].distinct_keys);
		CU_ASSERT(fabs(estimate.zipf_theta - exact.zipf_theta) < 0.1);
	}
}

static void test_zipf(void)
{
	struct trace_info info;

	info_of("gen:zipf,range=100000,count=1000000", TRACE_INFO_KEYS, &info);
	CU_ASSERT(fabs(info.zipf_theta - 1) < 0.02);
	info_of("gen:fio-zipf,range=100000,theta=1.2", TRACE_INFO_KEYS, &info);
	CU_ASSERT(fabs(info.zipf_theta - 1.2) < 0.05);
	info_of("gen:scan,range=1000", TRACE_INFO_KEYS, &info);
	CU_ASSERT_EQUAL(info.zipf_theta, 0);
	CU_ASSERT_EQUAL(info.reuse[REUSE_P50].value, 999);
	info_of("gen:scan,range=10,count=10", TRACE_INFO_KEYS, &info);
	CU_ASSERT_EQUAL(info.first_uses.value, 1);
	CU_ASSERT_EQUAL(info.reuse[REUSE_P99].value, 0);
}

CU_TestInfo traces_info_tests[] = {
	{"counts", test_counts},
	{"by definition", test_plainly},
	{"estimates", test_estimates},
	{"Zipf's exponent", test_zipf},
	CU_TEST_INFO_NULL,
};
