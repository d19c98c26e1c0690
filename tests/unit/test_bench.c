// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Benchmarks: what is counted, and when they end. How fast anything is, is not tested. */
#include <errno.h>
#include <string.h>

#include "sim/bench.h"
#include "sim/engine.h"
#include "tests/unit/unit.h"

static void set(struct run_config *config, const char *name, const char *value)
{
	CU_ASSERT_EQUAL_FATAL(config_set(config, name, value, NULL), 0);
}

/* Two CPUs of three work. */
static void configure(struct run_config *config, const char *workload)
{
	config_init(config);
	set(config, "--cpus", "3");
	set(config, "--running", "2");
	set(config, "--workload", workload);
	set(config, "--repeat", "1");
	set(config, "--operations", "5000");
	set(config, "max_entries", "1000");
	config->check = true;
}

static int run(struct run_config *config, struct bench_result *result)
{
	struct bench_options options = {.stop = NULL};
	struct error error = {.text = ""};

	config_finish(config);
	return bench_run(config, &options, result, &error);
}

/* The sum of all counters is what the CPUs have, and each has done what it was asked. */
static void expect_whole(const struct bench_result *result, uint64_t operations, uint64_t calls)
{
	const struct bench_measured *median = &result->median;
	uint64_t samples = 0;

	CU_ASSERT_EQUAL(median->operations, 2 * operations);
	CU_ASSERT_EQUAL(median->calls, 2 * calls);
	for (uint32_t cpu = 0; cpu < 2; cpu++) {
		CU_ASSERT_EQUAL(median->cpus[cpu].operations, operations);
		CU_ASSERT_EQUAL(median->cpus[cpu].calls, calls);
		samples += median->cpus[cpu].latency.count;
	}
	CU_ASSERT_EQUAL(median->latency.count, samples);
	CU_ASSERT_EQUAL(samples, 2 * (calls / BENCH_SAMPLE_EVERY));
	CU_ASSERT(median->seconds > 0 && median->rate > 0);
	CU_ASSERT_EQUAL(median->lock_waits[RANK_BUCKET], COUNT_UNKNOWN);
	CU_ASSERT_STRING_EQUAL(median->check, "passed");
}

static void test_lookup(void)
{
	struct bench_result result;
	struct run_config config;

	configure(&config, "lookup");
	CU_ASSERT_EQUAL(run(&config, &result), 0);
	expect_whole(&result, 5000, 5000);
	CU_ASSERT_EQUAL(result.median.total.hits, 10000);
	CU_ASSERT_EQUAL(result.median.total.misses, 0);
	CU_ASSERT_EQUAL(result.median.census.entries, 1000);
	CU_ASSERT_EQUAL(result.cpus, 2);
	CU_ASSERT_EQUAL(result.threads, 1);
	CU_ASSERT_EQUAL(result.max_entries, 1000);
	bench_result_deinit(&result);
}

/* What was filled in and done to warm up is not counted. */
static void test_full_update(void)
{
	struct bench_result result;
	struct run_config config;

	configure(&config, "full-update");
	CU_ASSERT_EQUAL(run(&config, &result), 0);
	expect_whole(&result, 5000, 5000);
	CU_ASSERT_EQUAL(result.median.total.errors[ERROR_E2BIG], 10000);
	CU_ASSERT_EQUAL(result.median.total.inserts, 0);
	CU_ASSERT_EQUAL(result.median.census.entries, 1000);
	bench_result_deinit(&result);
}

static void test_three_calls(void)
{
	struct bench_result result;
	struct run_config config;

	configure(&config, "update-lookup-delete");
	CU_ASSERT_EQUAL(run(&config, &result), 0);
	expect_whole(&result, 5000, 15000);
	CU_ASSERT_EQUAL(result.median.total.inserts, 10000);
	CU_ASSERT_EQUAL(result.median.total.hits, 10000);
	CU_ASSERT_EQUAL(result.median.total.deletes, 10000);
	CU_ASSERT_EQUAL(result.median.census.entries, 0);
	bench_result_deinit(&result);
}

/* Every workload runs on every type of map, as far as that goes together. */
static void test_all_workloads(void)
{
	static const char *const trace = "gen:zipf,range=2000,count=10000";

	for (int kind = 0; kind < WORKLOADS; kind++) {
		for (int type = 0; type < MAP_TYPES; type++) {
			struct bench_result result;
			struct run_config config;

			configure(&config, workload_infos[kind].name);
			set(&config, "type", map_type_names[type]);
			if (kind == WORKLOAD_REPLAY) {
				config.traces = &trace;
				config.trace_count = 1;
			}
			CU_ASSERT_EQUAL(run(&config, &result), 0);
			CU_ASSERT_EQUAL(result.median.operations, 10000);
			CU_ASSERT_STRING_EQUAL(result.median.check, "passed");
			bench_result_deinit(&result);
		}
	}
}

/* The same counts each time: time is all that differs. */
static void test_runs_are_the_same(void)
{
	struct bench_result first, second;
	struct run_config config;

	configure(&config, "conntrack");
	set(&config, "--repeat", "3");
	CU_ASSERT_EQUAL(run(&config, &first), 0);
	CU_ASSERT_EQUAL(run(&config, &second), 0);
	CU_ASSERT_EQUAL(first.runs, 3);
	CU_ASSERT(first.rate_min <= first.median.rate && first.median.rate <= first.rate_max);
	CU_ASSERT(!memcmp(&first.median.total, &second.median.total, sizeof(first.median.total)));
	bench_result_deinit(&first);
	bench_result_deinit(&second);
}

static void test_time_ends_it(void)
{
	struct bench_result result;
	struct run_config config;

	configure(&config, "lookup");
	set(&config, "--seconds", "0.02");
	set(&config, "--operations", "1T");
	CU_ASSERT_EQUAL(run(&config, &result), 0);
	CU_ASSERT(result.median.seconds >= 0.02);
	CU_ASSERT(result.median.operations > 0);
	bench_result_deinit(&result);
}

static void test_stop_ends_it(void)
{
	const atomic_int stop = 1;
	struct bench_options options = {.stop = &stop};
	struct error error = {.text = ""};
	struct bench_result result;
	struct run_config config;

	configure(&config, "lookup");
	config_finish(&config);
	CU_ASSERT_EQUAL(bench_run(&config, &options, &result, &error), -EINTR);
	bench_result_deinit(&result);
}

static void test_small_keys_are_refused(void)
{
	struct bench_result result;
	struct run_config config;

	configure(&config, "lookup");
	set(&config, "key_size", "3");
	CU_ASSERT_EQUAL(run(&config, &result), -EINVAL);
	bench_result_deinit(&result);
}

/* Keys longer than a number are the number and zeroes, values of any length are written whole. */
static void test_large_keys(void)
{
	struct bench_result result;
	struct run_config config;

	configure(&config, "lookup");
	set(&config, "key_size", "300");
	set(&config, "value_size", "1001");
	CU_ASSERT_EQUAL(run(&config, &result), 0);
	CU_ASSERT_EQUAL(result.median.total.hits, 10000);
	bench_result_deinit(&result);
}

CU_TestInfo bench_tests[] = {
	{"lookup", test_lookup},
	{"full-update", test_full_update},
	{"three calls", test_three_calls},
	{"all workloads", test_all_workloads},
	{"runs are the same", test_runs_are_the_same},
	{"time ends it", test_time_ends_it},
	{"stop ends it", test_stop_ends_it},
	{"small keys are refused", test_small_keys_are_refused},
	{"large keys", test_large_keys},
	CU_TEST_INFO_NULL,
};
