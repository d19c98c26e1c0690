// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The names under which a replay's figures are reported, in their order. To add one, add a line. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "sim/engine.h"
#include "sim/metrics.h"
#include "sim/replay.h"

const char *const node_list_names[NODE_LISTS] = {
	[NODES_ACTIVE] = "active",
	[NODES_INACTIVE] = "inactive",
	[NODES_USED] = "used",
	[NODES_FREE] = "free",
	[NODES_LOCAL_FREE] = "local_free",
	[NODES_LOCAL_PENDING] = "local_pending",
	[NODES_SPARE] = "spare",
	[NODES_EXTRA_FREE] = "extra_free",
	[NODES_SMALL] = "small",
	[NODES_MAIN] = "main",
	[NODES_GHOST] = "ghost",
};

static const char *const node_metric_names[NODE_LISTS] = {
	[NODES_ACTIVE] = "nodes_active",
	[NODES_INACTIVE] = "nodes_inactive",
	[NODES_USED] = "nodes_used",
	[NODES_FREE] = "nodes_free",
	[NODES_LOCAL_FREE] = "nodes_local_free",
	[NODES_LOCAL_PENDING] = "nodes_local_pending",
	[NODES_SPARE] = "nodes_spare",
	[NODES_EXTRA_FREE] = "nodes_extra_free",
	[NODES_SMALL] = "nodes_small",
	[NODES_MAIN] = "nodes_main",
	[NODES_GHOST] = "ghost_hashes",
};

static const char *const error_metric_names[MAP_ERRORS] = {
	[ERROR_ENOENT] = "errors_ENOENT",       [ERROR_EEXIST] = "errors_EEXIST",
	[ERROR_E2BIG] = "errors_E2BIG",         [ERROR_ENOMEM] = "errors_ENOMEM",
	[ERROR_EINVAL] = "errors_EINVAL",       [ERROR_ENOSPC] = "errors_ENOSPC",
	[ERROR_EBUSY] = "errors_EBUSY",         [ERROR_EDEADLK] = "errors_EDEADLK",
	[ERROR_ETIMEDOUT] = "errors_ETIMEDOUT", [ERROR_ENOTSUPP] = "errors_ENOTSUPP",
	[ERROR_OTHER] = "errors_other",
};

struct counter_metric {
	const char *name;
	size_t offset;
};

#define COUNTER(name)                                                                              \
	{                                                                                          \
#name, offsetof(struct map_counters, name)                                         \
	}

static const struct counter_metric operation_metrics[] = {
	COUNTER(operations), COUNTER(hits),    COUNTER(misses),    COUNTER(inserts),
	COUNTER(replaced),   COUNTER(deletes), COUNTER(evictions), COUNTER(premature_evictions),
};

#define OUTCOME_METRICS (operation_metrics + 1) /* all but operations */

static const struct counter_metric work_metrics[] = {
	COUNTER(steals),         COUNTER(scans),   COUNTER(rotations),      COUNTER(shrinks),
	COUNTER(forced_shrinks), COUNTER(flushes), COUNTER(batch_elements),
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

void metrics_record_count(struct record *record, const char *name, uint64_t count)
{
	if (count == COUNT_UNKNOWN)
		record_add_unknown(record, name);
	else
		record_add_u64(record, name, count);
}

/* A share of a whole, 0 where the whole is. */
static void record_share(struct record *record, const char *name, uint64_t part, uint64_t whole)
{
	if (part == COUNT_UNKNOWN || whole == COUNT_UNKNOWN)
		record_add_unknown(record, name);
	else
		record_add_double(record, name, whole ? (double)part / (double)whole : 0, 6);
}

static void record_counters(const struct map_counters *counters,
			    const struct counter_metric *metrics, size_t count,
			    struct record *record)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t value;

		memcpy(&value, (const char *)counters + metrics[i].offset, sizeof(value));
		metrics_record_count(record, metrics[i].name, value);
	}
}

static void record_work(const struct map_counters *counters, struct record *record)
{
	for (int i = 0; i < MAP_ERRORS; i++)
		metrics_record_count(record, error_metric_names[i], counters->errors[i]);
	record_counters(counters, work_metrics, COUNT(work_metrics), record);
}

void metrics_record_counters(const struct map_counters *counters, struct record *record)
{
	record_counters(counters, OUTCOME_METRICS, COUNT(operation_metrics) - 1, record);
	record_work(counters, record);
}

void metrics_get_alloc(const struct engine *engine, void *state, struct map_alloc_stats *stats)
{
	if (engine->alloc_stats)
		engine->alloc_stats(state, stats);
	else
		memset(stats, 0xff, sizeof(*stats));
}

void metrics_record_alloc(const struct map_alloc_stats *stats, struct record *record)
{
	metrics_record_count(record, "kernel_bytes_max", stats->kernel_bytes_max);
	metrics_record_count(record, "alloc_refills", stats->refills);
	metrics_record_count(record, "alloc_global_trips", stats->global_trips);
	metrics_record_count(record, "grace_waiting_max", stats->grace_waiting_max);
}

static void record_rest(const struct map_counters *counters, const uint64_t *nodes,
			struct record *record)
{
	record_work(counters, record);
	for (int i = 0; i < NODE_LISTS; i++)
		metrics_record_count(record, node_metric_names[i], nodes[i]);
}

void replay_record(const struct replay_result *result, struct record *record)
{
	const struct map_counters *total = &result->total;
	const struct map_census *census = &result->census;
	char digest[20];

	snprintf(digest, sizeof(digest), "%016llx", (unsigned long long)result->trace_digest);
	record_add_text(record, "trace_digest", digest);
	record_counters(total, operation_metrics, COUNT(operation_metrics), record);
	record_share(record, "miss_ratio", total->misses, total->hits + total->misses);
	record_share(record, "first_premature_fullness", census->first_premature_entries,
		     result->max_entries);
	metrics_record_count(record, "entries", census->entries);
	metrics_record_count(record, "entries_max", census->entries_max);
	record_add_u64(record, "max_entries", result->max_entries);
	record_rest(total, result->nodes, record);
	record_add_text(record, "check", result->check ? result->check : "");
	metrics_record_count(record, "kernel_bytes", result->memory.kernel_bytes);
	metrics_record_alloc(&result->alloc, record);
	metrics_record_count(record, "model_bytes", result->memory.model_bytes);
	record_add_double(record, "seconds", result->seconds, 6);
	record_add_double(record, "operations_per_second",
			  result->seconds > 0 ? (double)total->operations / result->seconds : 0, 0);
}

bool replay_is_timing(const char *name)
{
	return !strcmp(name, "seconds") || !strcmp(name, "operations_per_second");
}

void replay_record_cpu(const struct replay_result *result, uint32_t cpu, struct record *record)
{
	const struct cpu_result *mine = &result->cpu_results[cpu];

	record_add_u64(record, "cpu", cpu);
	record_counters(&mine->counters, operation_metrics, COUNT(operation_metrics), record);
	record_rest(&mine->counters, mine->nodes, record);
}
