// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The options of a benchmark, which bench and sweep share. */
#include <stdio.h>
#include <string.h>

#include "tools/options.h"

static const struct cli_option bench_table[] = {
	{"workload", 'w', "WORKLOAD", "what the CPUs do over and over; see below"},
	{"running", 0, "N", "CPUs that work (default: all of -c)"},
	{"operations", 0, "N", "measured operations of each CPU (default 1000000)"},
	{"seconds", 0, "S", "measure for so long, or until --operations are done"},
	{"warmup", 0, "PERCENT", "of that, done before and not measured (default 10)"},
	{"repeat", 0, "N", "runs, each in a new map, whose median counts (default 3)"},
	{"fill", 0, "PERCENT", "of max_entries that are there when a run begins"},
	{"hits", 0, "PERCENT", "lookup-hit-miss: look-ups that hit (default 50)"},
	{"new-flows", 0, "PERCENT", "conntrack: operations that begin a flow (default 1)"},
	{"theta", 0, "THETA", "conntrack: Zipf's exponent of the flows (default 1)"},
	{"think", 0, "NS", "start-done: work behind each start (default 0)"},
};

static int set_bench_option(void *state, const struct cli_option *option, const char *value,
			    struct error *error)
{
	struct run_config *config = state;

	return workload_config_set(&config->workload, option->name, value, error);
}

const struct cli_group bench_group = {bench_table, sizeof(bench_table) / sizeof(bench_table[0]),
				      set_bench_option};

void bench_print_workloads(void)
{
	puts("\nworkloads, what they count as an operation, and the map where none is given:");
	for (int i = 0; i < WORKLOADS; i++) {
		const struct workload_info *info = &workload_infos[i];

		printf("  %-22s %s\n  %-22s %s\n  %-22s %s; --fill %u\n", info->name, info->summary,
		       "", info->operation, "", info->map, info->fill);
	}
}
