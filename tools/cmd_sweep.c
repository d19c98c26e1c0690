// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "sim/sweep.h"
#include "tools/options.h"
#include "tools/progress.h"

#define COLUMNS_MAX 64

struct sweep_command {
	struct sweep sweep;
	struct vary vary[SWEEP_VARY_MAX];
	char *columns_text; /* of --columns, cut at the commas */
	const char *columns[COLUMNS_MAX + 1];
	enum output_format format;
	bool is_quiet;
	struct output_rows *rows;
	struct progress progress;
};

static const struct cli_option sweep_table[] = {
	{"vary", 0, "NAME=VALUES",
	 "a tunable, a field of the map or --OPTION, and its\n"
	 "values: A,B,... FIRST..LAST FIRST..LAST:STEP\n"
	 "FIRST..LAST:xFACTOR; may be repeated: all combinations"},
	{"jobs", 'j', "N", "runs at the same time (default: all CPUs)"},
	{"each-trace", 0, NULL,
	 "runs of their own for each trace, instead of one after\n"
	 "the other in the same map"},
	{"columns", 0, "NAME,...",
	 "the columns, in all formats (default: all; in a table\n"
	 "what is varied and the main figures)"},
};

static int add_vary(struct sweep_command *command, const char *value, struct error *error)
{
	struct sweep *sweep = &command->sweep;
	int err;

	if (sweep->vary_count == SWEEP_VARY_MAX)
		return error_set(error, -EINVAL, "at most %d --vary", SWEEP_VARY_MAX);
	err = vary_parse(value, &command->vary[sweep->vary_count], error);
	if (!err)
		sweep->vary_count++;
	return err;
}

static int set_columns(struct sweep_command *command, const char *value, struct error *error)
{
	char *rest, *name;
	size_t count = 0;

	free(command->columns_text);
	command->columns_text = rest = strdup(value);
	if (!rest)
		return error_set(error, -ENOMEM, "out of memory");
	while ((name = strsep(&rest, ","))) {
		if (count == COLUMNS_MAX)
			return error_set(error, -EINVAL, "--columns: at most %d", COLUMNS_MAX);
		command->columns[count++] = name;
	}
	command->columns[count] = NULL;
	return 0;
}

static int set_sweep_option(void *state, const struct cli_option *option, const char *value,
			    struct error *error)
{
	struct sweep_command *command = state;
	uint64_t jobs;

	if (!strcmp(option->name, "vary"))
		return add_vary(command, value, error);
	if (!strcmp(option->name, "columns"))
		return set_columns(command, value, error);
	if (!strcmp(option->name, "each-trace")) {
		command->sweep.each_trace = true;
		return 0;
	}
	if (number_parse(value, 1, 1024, &jobs))
		return error_set(error, -EINVAL, "-j %.40s: expected a number 1..1024", value);
	command->sweep.jobs = (unsigned int)jobs;
	return 0;
}

static const struct cli_group sweep_group = {sweep_table,
					     sizeof(sweep_table) / sizeof(sweep_table[0]),
					     set_sweep_option};

/* What is varied, and the figures that most sweeps are about. */
static void default_columns(struct sweep_command *command)
{
	static const char *const figures[] = {"operations",           "misses",
					      "miss_ratio",           "evictions",
					      "premature_evictions",  "entries",
					      "operations_per_second"};
	size_t count = 0;

	if (command->sweep.each_trace)
		command->columns[count++] = "traces";
	for (size_t i = 0; i < command->sweep.vary_count; i++)
		command->columns[count++] = sweep_column(&command->vary[i]);
	for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]); i++)
		command->columns[count++] = figures[i];
	command->columns[count] = NULL;
}

static int print_row(void *arg, const struct record *record, struct error *error)
{
	struct sweep_command *command = arg;

	if (output_rows_add(command->rows, record))
		return error_set(error, -ENOMEM, "out of memory");
	if (ferror(stdout))
		return error_set_output(error, errno ? -errno : -EIO, "standard output: %s",
					strerror(errno));
	return 0;
}

static void show_progress(void *arg, uint64_t done, uint64_t total)
{
	struct sweep_command *command = arg;

	progress_update(&command->progress, done, total);
}

static unsigned int online_cpus(void)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set))
		return 1;
	return (unsigned int)CPU_COUNT(&set);
}

/* A name that no row will have is told before the first run. */
static int check_columns(const struct sweep_command *command, struct error *error)
{
	struct record record = {0};
	int err = 0;

	sweep_record_names(&command->sweep, &record);
	for (size_t i = 0; !err && command->columns[i]; i++) {
		if (!record_find(&record, command->columns[i]))
			err = error_set(error, -EINVAL,
					"--columns: no column \"%.40s\"; -o csv has them all in "
					"its "
					"first line",
					command->columns[i]);
	}
	record_deinit(&record);
	return err;
}

static int sweep_and_print(struct sweep_command *command)
{
	struct error error = {.text = "out of memory"};
	int err = check_columns(command, &error), end_err;

	if (err)
		return fail(err, &error);
	if (!command->columns[0] && command->format == OUTPUT_TABLE)
		default_columns(command);
	command->rows = output_rows_begin(command->format, command->columns);
	if (!command->rows)
		return fail(-ENOMEM, &error);
	progress_init(&command->progress, "runs", command->is_quiet);
	err = sweep_run(&command->sweep, &error);
	progress_end(&command->progress);
	end_err = output_rows_end(command->rows);
	if (!err && end_err)
		err = error_set(&error, end_err, "out of memory");
	return err ? fail(err, &error) : EXIT_FINE;
}

static void sweep_command_deinit(struct sweep_command *command)
{
	for (size_t i = 0; i < command->sweep.vary_count; i++)
		vary_deinit(&command->vary[i]);
	free(command->columns_text);
}

static int run_sweep(const struct command *cli, int argc, char **argv)
{
	struct sweep_command command = {.sweep = {.jobs = online_cpus(), .stop = &stop_requested}};
	struct run_config config;
	struct error error = {.text = ""};
	void *states[] = {&config, &config, &command, &command.format, &command.is_quiet};
	int status, first, err;

	config_init(&config);
	command.sweep.base = &config;
	command.sweep.vary = command.vary;
	command.sweep.row = print_row;
	command.sweep.progress = show_progress;
	command.sweep.arg = &command;
	first = command_parse(cli, argc, argv, states, &status);
	if (first >= 0) {
		err = options_finish_run(&config, command.is_quiet, argc - first, argv + first,
					 &error);
		status = err ? fail(err, &error) : sweep_and_print(&command);
	}
	sweep_command_deinit(&command);
	return status;
}

const struct command command_sweep = {
	.name = "sweep",
	.arguments = "TRACE...",
	.summary = "replay under every combination of varied settings, a row each",
	.description =
		"Replays the traces once for every combination of the varied settings, on all "
		"CPUs,\n"
		"and prints a row for each run, in a fixed order: the last --vary varies fastest.",
	.groups = {&map_group, &trace_group, &sweep_group, &format_group, &quiet_group},
	.run = run_sweep,
};
