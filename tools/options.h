/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Options that several commands share. */
#ifndef TOOLS_OPTIONS_H
#define TOOLS_OPTIONS_H

#include "sim/config.h"
#include "tools/command.h"
#include "tools/output.h"

/* -m -k -s -e --preload --check: state is a struct run_config. */
extern const struct cli_group map_group;

/* -c -p --spread --seed: what a trace alone needs; state is a struct run_config. */
extern const struct cli_group trace_group;

/* The same for a run, with -e. */
extern const struct cli_group run_trace_group;

/* Of these -m -k -s -e, and -c -p --spread --seed, with the defaults that a comparison has. */
extern const struct cli_group verify_engine_group, verify_trace_group;

/* --pin --mem --oversubscribe: where a run is on the machine; state is a struct run_config. */
extern const struct cli_group pin_group;
/* The same as map_group without --preload. */
extern const struct cli_group bench_map_group;

/* -w and what a workload is set by: state is a struct run_config. */
extern const struct cli_group bench_group;

/* Prints the workloads, for --help. */
void bench_print_workloads(void);

/* -o: state is an enum output_format. */
extern const struct cli_group format_group;

/* -q: state is a bool. */
extern const struct cli_group quiet_group;

/*
 * Whether writing the file path would replace what the trace is read from: the same regular file,
 * under whatever name.
 */
bool options_is_input(const char *trace, const char *path);

/*
 * Says on stderr that the map of the running kernel has more CPUs than were given, if that is so.
 */
void options_note_cpus(const struct run_config *config);

/*
 * Completes the config of a run with its traces, and says on stderr what "host" was taken as, and
 * what options_note_cpus() says, unless quiet. 0, or -EINVAL with error: no trace.
 */
int options_finish_run(struct run_config *config, bool is_quiet, int argc, char **argv,
		       struct error *error);

/* The same for a benchmark, whose workload says whether it takes traces. */
void options_finish_bench(struct run_config *config, bool is_quiet, int argc, char **argv);

/* 0, or -EINVAL with error: places were given to an engine that has none. */
int options_check_places(const struct run_config *config, struct error *error);

#endif
