/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The workloads of a benchmark as users name and set them, and what a run makes of that:
 * parameters, each CPU's state at the start, and what is drawn or read beforehand. What a CPU does
 * in turn is in workload_step.h.
 */
#ifndef SIM_WORKLOAD_H
#define SIM_WORKLOAD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/record.h"
#include "sim/workload_step.h"

struct run_config;

/* To add one: enum workload_kind, its steps, and a line in the table. */
struct workload_info {
	const char *name;
	const char *summary;
	const char *operation;   /* what is counted as one */
	const char *map;         /* as -m takes it: what holds where nothing is given */
	unsigned int calls;      /* on the map, in an operation */
	unsigned int fill;       /* percent of max_entries, where none is given */
	unsigned int least_keys; /* that have to be there, for each CPU */
};

/* By enum workload_kind. */
extern const struct workload_info workload_infos[WORKLOADS];

#define WORKLOAD_UNSET UINT32_MAX

/* What is set of a benchmark. */
struct workload_config {
	uint32_t kind;       /* enum workload_kind, or WORKLOAD_UNSET: no benchmark */
	uint32_t running;    /* CPUs that work; 0: all that there are */
	uint64_t operations; /* of each CPU, in the part that is measured; 0: by time alone */
	double seconds;      /* after which it ends; 0: by operations alone */
	uint32_t warmup;     /* percent of that, which is done before and not measured */
	uint32_t repeat;     /* runs, of which the median counts */
	uint32_t fill;       /* percent of max_entries, or WORKLOAD_UNSET */
	double hits;         /* lookup-hit-miss: percent */
	double new_flows;    /* conntrack: percent of its operations */
	double theta;        /* conntrack: of Zipf's distribution */
	uint64_t think_ns;   /* start-done */
};

/* No workload; 10 % warm-up, 3 runs, no time. */
void workload_config_init(struct workload_config *config);

/*
 * Sets a part by name: workload, running, operations, seconds, warmup, repeat, fill, hits,
 * new-flows, theta, think. Returns 0, or -EINVAL with error saying what is valid.
 */
int workload_config_set(struct workload_config *config, const char *name, const char *value,
			struct error *error);
bool workload_config_has(const char *name);

/* The field of a result that has such a setting, whose own name may be that of a figure; or NULL.
 */
const char *workload_config_field(const char *name);

/* CPUs that work in a finished run. */
uint32_t workload_running(const struct run_config *config);

/* Percent of max_entries that are there when it begins. */
uint32_t workload_fill(const struct workload_config *config);

/* Operations of each CPU in the part that is measured, or UINT64_MAX: only time ends it. */
uint64_t workload_operations(const struct workload_config *config);

/* Adds what a result must state to be repeated. */
void workload_record(const struct run_config *config, struct record *record);

/* A workload that is ready to run in a map. */
struct workload {
	struct workload_params params;
	struct workload_state *starts; /* of each CPU that works, once it was filled */
	struct workload_drawn *drawn;
	size_t drawn_count; /* 0: nothing is drawn beforehand */
};

/*
 * Makes a finished config's workload for a map of max_entries, reading its traces for replay.
 * workload is the caller's to deinit, also after an error. Returns 0, -ENOMEM, -EINTR after a stop
 * (which may be NULL), or -EINVAL etc. with error: what was set does not go together, a trace is
 * broken or has what a program cannot do.
 */
int workload_init(struct workload *workload, const struct run_config *config, uint32_t max_entries,
		  const atomic_int *stop, struct error *error);

/* Also takes a zeroed one. */
void workload_deinit(struct workload *workload);

/* How many of the keys that are there at the start a CPU puts in. */
uint64_t workload_fill_operations(const struct workload *workload, uint32_t cpu);

#endif
