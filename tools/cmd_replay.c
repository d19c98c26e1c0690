// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/replay.h"
#include "tools/options.h"
#include "tools/progress.h"

struct replay_command {
	struct replay_options options;
	bool per_cpu;
	enum output_format format;
	bool is_quiet;
};

static const struct cli_option replay_table[] = {
	{"results", 0, "FILE", "write \"r INDEX RETURN\" per operation"},
	{"dump", 0, "FILE",
	 "write \"k KEY\" per element in the order of iteration,\n"
	 "then \"entries N\""},
	{"per-cpu", 0, NULL, "counts and list lengths of each CPU, too"},
};

static int set_replay_option(void *state, const struct cli_option *option, const char *value,
			     struct error *error)
{
	struct replay_command *replay = state;

	(void)error;
	if (!strcmp(option->name, "results"))
		replay->options.results_path = value;
	else if (!strcmp(option->name, "dump"))
		replay->options.dump_path = value;
	else
		replay->per_cpu = true;
	return 0;
}

static const struct cli_group replay_group = {replay_table,
					      sizeof(replay_table) / sizeof(replay_table[0]),
					      set_replay_option};

static void show_progress(void *progress, uint64_t done, uint64_t total)
{
	progress_update(progress, done, total);
}

/* The figures that are shown even when they are 0: all up to max_entries. */
static size_t core_fields(const struct record *record)
{
	const struct field *last = record_find(record, "max_entries");

	return last ? (size_t)(last - record->fields) + 1 : record->count;
}

static int print_result(const struct run_config *config, const struct replay_result *result,
			enum output_format format, bool per_cpu)
{
	struct output_list list = {.name = "per_cpu", .count = per_cpu ? result->cpus : 0};
	struct record *cpus = calloc(result->cpus, sizeof(*cpus));
	struct record record = {0};
	int err;

	if (!cpus)
		return -ENOMEM;
	list.records = cpus;
	if (per_cpu && format == OUTPUT_CSV)
		record_add_text(&record, "cpu", "all");
	config_record(config, &record);
	replay_record(result, &record);
	for (uint32_t cpu = 0; per_cpu && cpu < result->cpus; cpu++)
		replay_record_cpu(result, cpu, &cpus[cpu]);
	err = record.failed ? -ENOMEM : output_record(format, &record, core_fields(&record), &list);
	for (uint32_t cpu = 0; cpu < result->cpus; cpu++)
		record_deinit(&cpus[cpu]);
	free(cpus);
	record_deinit(&record);
	return err;
}

static bool is_stdout(const char *path)
{
	return path && !strcmp(path, "-");
}

/* Outputs may not get in each other's way, nor replace what is read. */
static int check_outputs(const struct replay_command *replay, const struct run_config *config,
			 struct error *error)
{
	const char *outputs[] = {replay->options.results_path, replay->options.dump_path};

	for (int i = 0; i < 2; i++) {
		if (is_stdout(outputs[i]) && replay->format != OUTPUT_TABLE)
			return error_set(error, -EINVAL,
					 "standard output has the result: give --results and "
					 "--dump a "
					 "file with -o csv or json");
		for (size_t n = 0; outputs[i] && n < config->trace_count; n++) {
			if (options_is_input(config->traces[n], outputs[i]))
				return error_set(error, -EINVAL, "%s: is a trace and an output",
						 outputs[i]);
		}
	}
	return 0;
}

static int run_replay(const struct command *command, int argc, char **argv)
{
	struct replay_command replay = {.options.stop = &stop_requested};
	struct replay_result result;
	struct run_config config;
	struct progress progress;
	struct error error = {.text = ""};
	void *states[] = {&config, &config, &config, &replay, &replay.format, &replay.is_quiet};
	int status, first, err;

	config_init(&config);
	first = command_parse(command, argc, argv, states, &status);
	if (first < 0)
		return status;
	err = options_finish_run(&config, replay.is_quiet, argc - first, argv + first, &error);
	if (!err)
		err = options_check_places(&config, &error);
	if (!err && !config.map.attr.max_entries && !config.is_map_given)
		err = error_set(&error, -EINVAL, "no map given: -m max_entries=N,...");
	if (!err)
		err = check_outputs(&replay, &config, &error);
	if (err)
		return fail(err, &error);
	progress_init(&progress, "operations", replay.is_quiet);
	replay.options.progress = show_progress;
	replay.options.progress_arg = &progress;
	err = replay_run(&config, &replay.options, &result, &error);
	progress_end(&progress);
	if (!err || err == -EUCLEAN) {
		int print_err = print_result(&config, &result, replay.format, replay.per_cpu);

		if (print_err)
			err = error_set(&error, print_err, "out of memory");
	}
	replay_result_deinit(&result);
	return err ? fail(err, &error) : EXIT_FINE;
}

const struct command command_replay = {
	.name = "replay",
	.arguments = "TRACE...",
	.summary = "replay traces and count what became of them",
	.description = "Replays traces, one after the other, in one map. A trace is a file, - for "
		       "standard\n"
		       "input, or gen:KIND,name=value,... (see mapsim trace --help).",
	.groups = {&map_group, &run_trace_group, &pin_group, &replay_group, &format_group,
		   &quiet_group},
	.run = run_replay,
};
