// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The names under which a benchmark's figures are reported, in their order. */
#include "sim/bench.h"
#include "sim/metrics.h"

static const char *const lock_wait_names[LOCK_RANKS] = {
	[RANK_LOCAL_LRU] = "lock_waits_local_lru",   [RANK_LRU] = "lock_waits_lru",
	[RANK_BUCKET] = "lock_waits_bucket",         [RANK_FREE_LIST] = "lock_waits_free_list",
	[RANK_FREE_CACHE] = "lock_waits_free_cache",
};

static double per(double part, double whole)
{
	return whole > 0 ? part / whole : 0;
}

static void record_latency(const struct histogram *latency, struct record *record)
{
	record_add_u64(record, "call_ns_p50", histogram_quantile(latency, 0.5));
	record_add_u64(record, "call_ns_p99", histogram_quantile(latency, 0.99));
	record_add_u64(record, "call_ns_p999", histogram_quantile(latency, 0.999));
}

static void record_lock_waits(const uint64_t *waits, struct record *record)
{
	for (int rank = 0; rank < LOCK_RANKS; rank++)
		metrics_record_count(record, lock_wait_names[rank], waits[rank]);
}

static double cpu_rate(const struct bench_cpu_result *cpu)
{
	return per((double)cpu->operations, cpu->seconds);
}

/* The slowest CPU's rate over the fastest one's. */
static double fairness(const struct bench_result *result)
{
	double slowest = 0, fastest = 0;

	for (uint32_t cpu = 0; result->median.cpus && cpu < result->cpus; cpu++) {
		double rate = cpu_rate(&result->median.cpus[cpu]);

		slowest = !cpu || rate < slowest ? rate : slowest;
		fastest = rate > fastest ? rate : fastest;
	}
	return per(slowest, fastest);
}

/* Seconds that CPUs worked: one that has ended early does not wait for the others. */
static double busy_seconds(const struct bench_result *result)
{
	double seconds = result->threads == 1 ? result->median.seconds : 0;

	for (uint32_t cpu = 0; result->threads > 1 && cpu < result->cpus; cpu++)
		seconds += result->median.cpus[cpu].seconds;
	return seconds;
}

/* The mean of the CPUs' rates. */
static double rate_of_cpu(const struct bench_result *result)
{
	double sum = 0;

	for (uint32_t cpu = 0; cpu < result->cpus; cpu++)
		sum += cpu_rate(&result->median.cpus[cpu]);
	return per(sum, result->cpus);
}

void bench_record(const struct bench_result *result, struct record *record)
{
	const struct bench_measured *run = &result->median;
	double operations = (double)run->operations;

	record_add_u64(record, "runs", result->runs);
	record_add_u64(record, "operations", run->operations);
	record_add_u64(record, "calls", run->calls);
	record_add_double(record, "seconds", run->seconds, 6);
	record_add_double(record, "operations_per_second", run->rate, 0);
	record_add_double(record, "operations_per_second_min", result->rate_min, 0);
	record_add_double(record, "operations_per_second_max", result->rate_max, 0);
	record_add_double(record, "rate_spread",
			  per(result->rate_max - result->rate_min, run->rate), 3);
	record_add_double(record, "operations_per_second_cpu", rate_of_cpu(result), 0);
	record_add_double(record, "operation_ns", per(busy_seconds(result) * 1e9, operations), 1);
	record_latency(&run->latency, record);
	record_add_double(record, "fairness", fairness(result), 3);
	record_lock_waits(run->lock_waits, record);
	metrics_record_counters(&run->total, record);
	metrics_record_count(record, "entries", run->census.entries);
	record_add_u64(record, "max_entries", result->max_entries);
	record_add_text(record, "check", run->check ? run->check : "");
	metrics_record_count(record, "kernel_bytes", run->memory.kernel_bytes);
	metrics_record_alloc(&run->alloc, record);
	metrics_record_count(record, "model_bytes", run->memory.model_bytes);
}

void bench_record_cpu(const struct bench_result *result, uint32_t cpu, struct record *record)
{
	const struct bench_cpu_result *mine = &result->median.cpus[cpu];

	record_add_u64(record, "cpu", cpu);
	record_add_u64(record, "operations", mine->operations);
	record_add_u64(record, "calls", mine->calls);
	record_add_double(record, "seconds", mine->seconds, 6);
	record_add_double(record, "operations_per_second", cpu_rate(mine), 0);
	record_add_double(record, "operation_ns",
			  per(mine->seconds * 1e9 * result->threads,
			      (double)mine->operations * result->cpus),
			  1);
	record_latency(&mine->latency, record);
	record_lock_waits(mine->lock_waits, record);
	metrics_record_counters(&mine->counters, record);
}
