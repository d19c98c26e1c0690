// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/options.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/engine.h"
#include "sim/kernel/cpus.h"
#include "sim/trace_store.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char map_help[] = "type=TYPE,max_entries=N[,key_size=BYTES][,value_size=BYTES]\n"
			       "[,flags=FLAG+...]; types hash, percpu_hash, lru_hash\n"
			       "(default), lru_percpu_hash; sizes 8 by default; flags\n"
			       "no_common_lru, no_prealloc, numa_node=N";
static const char set_help[] = "set a tunable; may be repeated (see mapsim tunables)";
static const char engine_help[] = "where the map runs: seq (default), threads, or kernel, the\n"
				  "running kernel itself, which needs root and BPF";

static const struct cli_option map_table[] = {
	{"map", 'm', "MAP", map_help},
	{"kernel", 'k', "RELEASE",
	 "behave like this release: 6.12, 6.12.107, or host\n"
	 "(default: the newest known; host with -e kernel)"},
	{"set", 's', "NAME=VALUE", set_help},
	{"engine", 'e', "ENGINE", engine_help},
	{"check", 0, NULL, "check afterwards that no node was lost; exit 1 if one was"},
	{"preload", 0, NULL,
	 "read each trace into memory first; the clock never counts\n"
	 "reading, but what reads also uses the caches"},
};

static const struct cli_option verify_engine_table[] = {
	{"map", 'm', "MAP", map_help},
	{"kernel", 'k', "RELEASE",
	 "behave like this release: 6.12, 6.12.107, or host\n"
	 "(default; without the running kernel the newest known)"},
	{"set", 's', "NAME=VALUE", set_help},
	{"engine", 'e', "ENGINE", engine_help},
};

static const char program_help[] = "what a key of a key-only trace does: access (default),\n"
				   "dist, update";
static const char spread_help[] = "how a key-only trace is dealt to the CPUs: round-robin\n"
				  "(default), random, block[:N] (N operations each,\n"
				  "default 1024), hash";

static const char seed_help[] = "seed of whatever is random (default 1)";

static const struct cli_option trace_table[] = {
	{"cpus", 'c', "N", "possible CPUs, 1 to 4096 (default 1)"},
	{"program", 'p', "PROGRAM", program_help},
	{"spread", 0, "HOW", spread_help},
	{"seed", 0, "N", seed_help},
};

static const struct cli_option run_trace_table[] = {
	{"cpus", 'c', "N",
	 "possible CPUs, 1 to 4096 (default 1); with -e kernel\n"
	 "those that the trace uses (default: the machine's)"},
	{"program", 'p', "PROGRAM", program_help},
	{"spread", 0, "HOW", spread_help},
	{"seed", 0, "N", seed_help},
};

static const struct cli_option verify_trace_table[] = {
	{"cpus", 'c', "N",
	 "possible CPUs (default, and with the running kernel\n"
	 "nothing else: all of the machine; without it 1)"},
	{"program", 'p', "PROGRAM", program_help},
	{"spread", 0, "HOW", spread_help},
	{"seed", 0, "N",
	 "seed of whatever is random (default 1; with --fuzz\n"
	 "another each time)"},
};

/* "NAME=VALUE": a tunable, and nothing else that config_set() knows. */
static int set_tunable_option(struct run_config *config, const char *value, struct error *error)
{
	const char *equals = strchr(value, '=');
	char *name;
	int err;

	if (!equals)
		return error_set(error, -EINVAL, "-s %.40s: expected NAME=VALUE", value);
	name = strndup(value, (size_t)(equals - value));
	if (!name)
		return error_set(error, -ENOMEM, "out of memory");
	err = tunable_find(name, error);
	if (err >= 0)
		err = config_set(config, name, equals + 1, error);
	free(name);
	return err;
}

static int set_run_option(void *state, const struct cli_option *option, const char *value,
			  struct error *error)
{
	struct run_config *config = state;
	char name[32];

	if (!strcmp(option->name, "map"))
		return config_set_map(config, value, error);
	if (!strcmp(option->name, "set"))
		return set_tunable_option(config, value, error);
	if (!strcmp(option->name, "preload")) {
		config->preload = true;
		return 0;
	}
	if (!strcmp(option->name, "check")) {
		config->check = true;
		return 0;
	}
	if (!strcmp(option->name, "oversubscribe")) {
		config->oversubscribe = true;
		return 0;
	}
	snprintf(name, sizeof(name), "--%s", option->name);
	return config_set(config, name, value, error);
}

const struct cli_group map_group = {map_table, COUNT(map_table), set_run_option};
const struct cli_group bench_map_group = {map_table, COUNT(map_table) - 1, set_run_option};
const struct cli_group trace_group = {trace_table, COUNT(trace_table), set_run_option};
const struct cli_group run_trace_group = {run_trace_table, COUNT(run_trace_table), set_run_option};
const struct cli_group verify_engine_group = {verify_engine_table, COUNT(verify_engine_table),
					      set_run_option};
const struct cli_group verify_trace_group = {verify_trace_table, COUNT(verify_trace_table),
					     set_run_option};

static const struct cli_option pin_table[] = {
	{"pin", 0, "PLACES",
	 "the machine's CPU of each simulated one: scatter (default),\n"
	 "compact, node:N, none, or a list such as 0-3,8 or 0-31:2"},
	{"mem", 0, "PLACES", "where memory comes from: local (default), interleave, node:N"},
	{"oversubscribe", 0, NULL, "let CPUs share, where there are fewer"},
};

const struct cli_group pin_group = {pin_table, COUNT(pin_table), set_run_option};

static const struct cli_option format_table[] = {
	{"output", 'o', "FORMAT", "table (default), csv or json"},
};

static int set_format(void *state, const struct cli_option *option, const char *value,
		      struct error *error)
{
	(void)option;
	return output_format_parse(value, state, error);
}

const struct cli_group format_group = {format_table, COUNT(format_table), set_format};

static const struct cli_option quiet_table[] = {
	{"quiet", 'q', NULL, "no progress and no notes on standard error"},
};

static int set_quiet(void *state, const struct cli_option *option, const char *value,
		     struct error *error)
{
	(void)option;
	(void)value;
	(void)error;
	*(bool *)state = true;
	return 0;
}

const struct cli_group quiet_group = {quiet_table, COUNT(quiet_table), set_quiet};

bool options_is_input(const char *trace, const char *path)
{
	const char *input = trace_path(trace);
	struct stat in, out;

	if (!strcmp(path, "-") || stat(path, &out) || !S_ISREG(out.st_mode))
		return false;
	if (trace_is_stdin(trace) ? fstat(STDIN_FILENO, &in) : !input || stat(input, &in))
		return false;
	return in.st_dev == out.st_dev && in.st_ino == out.st_ino;
}

void options_note_cpus(const struct run_config *config)
{
	uint32_t possible = cpus_possible();

	if (config->cpus_given && config->cpus_given < possible)
		fprintf(stderr,
			"mapsim: the kernel's map has %" PRIu32 " CPUs; -c %" PRIu32
			" is those that %s\n",
			possible, config->cpus_given,
			config->workload.kind == WORKLOAD_UNSET ? "the trace uses" : "work");
}

int options_finish_run(struct run_config *config, bool is_quiet, int argc, char **argv,
		       struct error *error)
{
	if (!argc)
		return error_set(error, -EINVAL,
				 "no trace given: a file, - or gen:KIND,name=value,...");
	options_finish_bench(config, is_quiet, argc, argv);
	return 0;
}

int options_check_places(const struct run_config *config, struct error *error)
{
	bool is_placed =
		config->is_pin_given || config->oversubscribe || config->mem.kind != MEM_LOCAL;

	if (config->engine->pins || !is_placed)
		return 0;
	return error_set(error, -EINVAL,
			 "-e %s: --pin, --mem and --oversubscribe are for engines whose CPUs are "
			 "threads",
			 config->engine->name);
}

void options_finish_bench(struct run_config *config, bool is_quiet, int argc, char **argv)
{
	config->traces = (const char *const *)argv;
	config->trace_count = (size_t)argc;
	config_finish(config);
	if (config->map.kernel_note[0] && !is_quiet)
		fprintf(stderr, "mapsim: %s\n", config->map.kernel_note);
	if (config->engine->is_running_kernel && !is_quiet)
		options_note_cpus(config);
}
