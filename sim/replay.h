/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Replaying traces, one after the other, in one map. */
#ifndef SIM_REPLAY_H
#define SIM_REPLAY_H

#include <stdatomic.h>

#include "base/record.h"
#include "sim/config.h"
#include "sim/trace_store.h"

/* Lists that nodes and elements can be on, by the names the model reports. */
enum node_list {
	NODES_ACTIVE,
	NODES_INACTIVE,
	NODES_USED,
	NODES_FREE,
	NODES_LOCAL_FREE,
	NODES_LOCAL_PENDING,
	NODES_SPARE,
	NODES_EXTRA_FREE,
	NODES_SMALL,
	NODES_MAIN,
	NODES_GHOST, /* no nodes: hashes of keys that were evicted */
	NODE_LISTS
};
extern const char *const node_list_names[NODE_LISTS];

struct cpu_result {
	struct map_counters counters;
	uint64_t nodes[NODE_LISTS];
};

struct replay_result {
	struct map_counters total;
	struct map_census census;
	struct map_memory memory;
	struct map_alloc_stats alloc;
	uint64_t nodes[NODE_LISTS]; /* over all CPUs */
	uint32_t max_entries;       /* as the map has it */
	uint32_t cpus;
	struct cpu_result *cpu_results;
	uint64_t trace_digest;
	const char *check; /* what checking found: "passed", "failed", or "" when not asked for */
	double seconds;    /* in the engine: reading and writing are not in it */
};

/* Called now and then; total is 0 when it is not known. */
typedef void replay_progress_fn(void *arg, uint64_t done, uint64_t total);

struct replay_options {
	const char *results_path; /* a line per operation; NULL: none */
	const char *dump_path;    /* the final contents in order; NULL: none */
	replay_progress_fn *progress;
	void *progress_arg;
	const atomic_int *stop;    /* set from outside to end the run with -EINTR; or NULL */
	struct trace_store *store; /* has the traces; NULL: each is read, or made, here */
};

/*
 * Replays config's traces. Returns 0, or a negative errno with error: of a broken trace, a map that
 * is refused, an output that cannot be written; -EUCLEAN when config->check found a fault; -EINTR.
 * Outputs appear only when all went well, except that -EUCLEAN keeps them.
 */
int replay_run(const struct run_config *config, const struct replay_options *options,
	       struct replay_result *result, struct error *error);
void replay_result_deinit(struct replay_result *result);

/* Adds the result's figures in their fixed order. */
void replay_record(const struct replay_result *result, struct record *record);

/* Whether a figure tells how long a run took, so that it differs from time to time. */
bool replay_is_timing(const char *name);

/* Adds one CPU's. */
void replay_record_cpu(const struct replay_result *result, uint32_t cpu, struct record *record);

#endif
