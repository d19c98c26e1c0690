/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a run is made of: map, kernel, tunables, CPUs, engine, traces. Every part can be set by name
 * from text, whether it comes from an option, a sweep or a file.
 */
#ifndef SIM_CONFIG_H
#define SIM_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/record.h"
#include "sim/map_config.h"
#include "sim/pin.h"
#include "sim/placement.h"
#include "sim/workload.h"
#include "traces/trace.h"

struct engine;

struct run_config {
	struct map_config map;  /* with kernel, tunables and CPUs */
	bool is_kernel_given;   /* a release, and not host */
	bool is_kernel_implied; /* host, because the engine is the running kernel */
	uint32_t cpus_given;    /* that a trace may use; 0: all of the map's */
	bool is_cpus_implied;   /* the map's are the machine's, because the engine is */
	const struct engine *engine;
	enum trace_program program;
	enum trace_spread spread;
	uint32_t spread_block;
	uint64_t seed;
	struct pin_config pin; /* of engines that pin */
	bool is_pin_given;     /* else the command or the engine may choose */
	bool oversubscribe;    /* more CPUs than PUs may be asked for */
	struct mem_config mem; /* of engines that pin */
	bool is_map_given;
	bool preload;              /* read the traces into memory before the clock starts */
	bool check;                /* check conservation after the run */
	bool has_memory;           /* who opens the engine has reserved the map's (sim/memory.h) */
	const char *const *traces; /* the caller's */
	size_t trace_count;
	struct workload_config workload; /* of a benchmark; of a replay there is none */
};

/* The newest kernel, one CPU, seq, an LRU hash of 8-byte keys and values without max_entries. */
void config_init(struct run_config *config);

/*
 * Sets one part by its name: a tunable, a field of the map (type, max_entries, key_size,
 * value_size, flags, numa_node), or an option by its long name (kernel, cpus, engine, program,
 * spread, seed, pin, mem, and those of workload_config_set()), which may begin with "--" and then
 * is not a tunable of the same name. Returns 0, or -EINVAL with error naming what is valid.
 */
int config_set(struct run_config *config, const char *name, const char *value, struct error *error);

/* Whether config_set() knows the name. */
bool config_has(const char *name);

/* A map as map_config_set_map() reads it. */
int config_set_map(struct run_config *config, const char *text, struct error *error);

/*
 * Resolves the kernel and the CPUs, which are the host's where the running kernel is the engine (a
 * smaller number that was set is the trace's only), the map's fields that were not given, which are
 * the workload's, and the tunables: the kernel's, then what was set. Call once all is set.
 */
void config_finish(struct run_config *config);

/* For an engine that is the running kernel: a release and tunables are for others. */
void config_take_kernel_as_it_is(struct run_config *config);

/* The tunables that were set, as they can be set again. Returns text. */
#define CONFIG_TUNABLES_BYTES (TUNABLES * (TUNABLE_TEXT_BYTES + 32))
const char *config_format_tunables(const struct run_config *config,
				   char text[CONFIG_TUNABLES_BYTES]);

/* How the run reads its traces; known when config_finish() was called. */
struct trace_options config_trace_options(const struct run_config *config);

/* Adds what a result must state to be repeated: version, engine, kernel, map, ... */
void config_record(const struct run_config *config, struct record *record);

#endif
