// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/number.h"
#include "base/words.h"
#include "sim/engine.h"
#include "sim/job.h"
#include "sim/kernel/cpus.h"
#include "sim/replay.h"
#include "sim/resume.h"
#include "sim/sweep.h"
#include "tools/options.h"
#include "tools/progress.h"

#define COLUMNS_MAX 128

/* Not given: CSV with --resume, else a table. */
#define FORMAT_UNSET ((enum output_format) - 1)

enum option_group {
	GROUP_MAP,
	GROUP_TRACE,
	GROUP_PIN,
	GROUP_BENCH,
	GROUP_SWEEP,
	GROUP_FORMAT,
	GROUP_QUIET,
	GROUPS
};

struct sweep_command {
	struct run_config config;
	struct sweep sweep;
	struct vary vary[SWEEP_VARY_MAX];
	bool is_vary_of_job[SWEEP_VARY_MAX]; /* so that the command line replaces it */
	char *columns_text;                  /* of --columns, cut at the commas */
	const char *columns[COLUMNS_MAX + 1];
	const char *job_path, *resume_path;
	enum output_format format;
	bool is_quiet;

	struct job job;
	char **traces; /* of the job */
	unsigned int *trace_lines;
	size_t trace_count;

	struct record names; /* of all columns that there are */
	struct output_rows *rows;
	struct resume resume;
	uint64_t bad_rows; /* those with an error */
	struct error first_bad;
	uint64_t next_row;
	struct progress progress;
};

static const struct cli_option sweep_table[] = {
	{"vary", 0, "NAME=VALUES",
	 "a tunable, a field of the map or --OPTION, and its\n"
	 "values: A,B,... FIRST..LAST FIRST..LAST:STEP\n"
	 "FIRST..LAST:xFACTOR; may be repeated: all combinations"},
	{"jobs", 'j', "N", "runs at the same time (default: all CPUs; 1 with -w)"},
	{"each-trace", 0, NULL,
	 "runs of their own for each trace, instead of one after\n"
	 "the other in the same map"},
	{"job", 0, "FILE", "an experiment as an INI file; options here override it"},
	{"resume", 0, "FILE",
	 "append the rows to FILE as CSV, going on where it ends\n"
	 "when it has rows of this sweep"},
	{"columns", 0, "NAME,...",
	 "the columns, in all formats (default: all; in a table\n"
	 "what is varied and the main figures)"},
};

/* Where a --vary goes: in place of the job's of the same name, else behind all. */
static size_t vary_place(const struct sweep_command *command, const struct vary *vary)
{
	for (size_t i = 0; i < command->sweep.vary_count; i++) {
		if (command->is_vary_of_job[i] &&
		    !strcmp(sweep_column(&command->vary[i]), sweep_column(vary)))
			return i;
	}
	return command->sweep.vary_count;
}

static int add_vary(struct sweep_command *command, const char *value, bool is_of_job,
		    struct error *error)
{
	struct sweep *sweep = &command->sweep;
	struct vary vary;
	int err = vary_parse(value, &vary, error);
	size_t place;

	if (err)
		return err;
	place = is_of_job ? sweep->vary_count : vary_place(command, &vary);
	if (place == SWEEP_VARY_MAX) {
		vary_deinit(&vary);
		return error_set(error, -EINVAL, "at most %d --vary", SWEEP_VARY_MAX);
	}
	if (place < sweep->vary_count)
		vary_deinit(&command->vary[place]);
	else
		sweep->vary_count++;
	command->vary[place] = vary;
	command->is_vary_of_job[place] = is_of_job;
	return 0;
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
		command->columns[count++] = word_trim(name);
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
		return add_vary(command, value, false, error);
	if (!strcmp(option->name, "columns"))
		return set_columns(command, value, error);
	if (!strcmp(option->name, "job")) {
		command->job_path = value;
		return 0;
	}
	if (!strcmp(option->name, "resume")) {
		command->resume_path = value;
		return 0;
	}
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
static void choose_main_columns(struct sweep_command *command)
{
	static const char *const replay_figures[] = {
		"operations",
		"misses",
		"miss_ratio",
		"evictions",
		"premature_evictions",
		"first_premature_fullness",
		"entries",
		"operations_per_second",
		"error",
		NULL,
	};
	static const char *const bench_figures[] = {
		"operations_per_second",
		"rate_spread",
		"operation_ns",
		"call_ns_p50",
		"call_ns_p99",
		"call_ns_p999",
		"fairness",
		"error",
		NULL,
	};
	const char *const *figures =
		sweep_is_bench(&command->sweep) ? bench_figures : replay_figures;
	size_t count = 0;

	if (command->sweep.each_trace)
		command->columns[count++] = "traces";
	for (size_t i = 0; i < command->sweep.vary_count; i++)
		command->columns[count++] = sweep_column(&command->vary[i]);
	for (size_t i = 0; figures[i]; i++)
		command->columns[count++] = figures[i];
	command->columns[count] = NULL;
}

/* All; but what differs from time to time only where rows need not be the same. */
static int choose_all_columns(struct sweep_command *command, struct error *error)
{
	const struct record *names = &command->names;
	size_t count = 0;

	for (size_t i = 0; i < names->count; i++) {
		if (command->resume_path && replay_is_timing(names->fields[i].name))
			continue;
		if (count == COLUMNS_MAX)
			return error_set(error, -EINVAL, "more than %d columns", COLUMNS_MAX);
		command->columns[count++] = names->fields[i].name;
	}
	command->columns[count] = NULL;
	return 0;
}

static void note_bad(struct sweep_command *command, const struct record *record)
{
	const struct field *field = record_find(record, "error");
	char name[256];

	if (!field || !field->text[0])
		return;
	if (!command->bad_rows++) {
		sweep_name_run(&command->sweep, command->next_row, name, sizeof(name));
		error_set(&command->first_bad, 0, "run %s: %.600s", name, field->text);
	}
}

static int print_row(void *arg, const struct record *record, struct error *error)
{
	struct sweep_command *command = arg;

	note_bad(command, record);
	command->next_row++;
	if (command->resume_path)
		return resume_add(&command->resume, record, error);
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

/* A name that no row will have is told before the first run. */
static int choose_columns(struct sweep_command *command, struct error *error)
{
	sweep_record_names(&command->sweep, &command->names);
	if (command->names.failed)
		return error_set(error, -ENOMEM, "out of memory");
	for (size_t i = 0; command->columns[i]; i++) {
		if (!record_find(&command->names, command->columns[i]))
			return error_set(error, -EINVAL,
					 "--columns: no column \"%.40s\"; -o csv has them all in "
					 "its first line",
					 command->columns[i]);
	}
	if (command->columns[0])
		return 0;
	if (command->format != OUTPUT_TABLE)
		return choose_all_columns(command, error);
	choose_main_columns(command);
	return 0;
}

static int choose_format(struct sweep_command *command, struct error *error)
{
	if (command->format == FORMAT_UNSET)
		command->format = command->resume_path ? OUTPUT_CSV : OUTPUT_TABLE;
	if (command->resume_path && command->format != OUTPUT_CSV)
		return error_set(error, -EINVAL,
				 "--resume appends rows, which only CSV allows: expected -o csv");
	if (command->resume_path && sweep_is_bench(&command->sweep))
		return error_set(error, -EINVAL,
				 "--resume is for rows that come again: a benchmark's do not");
	return 0;
}

static int begin_rows(struct sweep_command *command, struct error *error)
{
	int err = choose_format(command, error);

	if (!err)
		err = choose_columns(command, error);
	if (err)
		return err;
	if (command->resume_path) {
		err = resume_open(&command->resume, command->resume_path, &command->sweep,
				  command->columns, error);
		if (err)
			return err;
		command->sweep.first = command->next_row = command->resume.rows;
		command->bad_rows = 0;
		if (command->resume.rows && !command->is_quiet)
			fprintf(stderr, "mapsim: %s: %llu of %llu rows are there\n",
				command->resume_path, (unsigned long long)command->resume.rows,
				(unsigned long long)sweep_runs(&command->sweep));
		return 0;
	}
	command->rows = output_rows_begin(command->format, command->columns);
	if (!command->rows)
		return error_set(error, -ENOMEM, "out of memory");
	output_rows_hide_empty(command->rows, "error");
	return 0;
}

/* What the rows say, too, so that it is seen where they are not. */
static int conclude(const struct sweep_command *command)
{
	uint64_t kept = command->resume_path ? command->resume.bad_rows : command->bad_rows;
	struct error error = {.text = ""};

	if (!kept)
		return EXIT_FINE;
	if (command->bad_rows)
		complain(&command->first_bad);
	error_set(&error, 0, "%llu of %llu runs have an error", (unsigned long long)kept,
		  (unsigned long long)sweep_runs(&command->sweep));
	complain(&error);
	return EXIT_DIFFERENT;
}

static int sweep_and_print(struct sweep_command *command)
{
	struct error error = {.text = "out of memory"}, end_error = {.text = "out of memory"};
	int err = begin_rows(command, &error), end_err = 0, status;

	if (err)
		return fail(err, &error);
	progress_init(&command->progress, "runs", command->is_quiet);
	err = sweep_run(&command->sweep, &error);
	progress_end(&command->progress);
	status = err ? 0 : conclude(command);
	if (command->rows)
		end_err = output_rows_end(command->rows);
	else
		end_err = resume_close(&command->resume, &end_error);
	if (err)
		return fail(err, &error);
	return end_err ? fail(end_err, &end_error) : status;
}

/* [traces]: files are looked for when it is clear that the command line has none. */
static int take_trace(struct sweep_command *command, const struct job_entry *entry,
		      struct error *error)
{
	size_t count = command->trace_count + 1;
	char **traces = reallocarray(command->traces, count, sizeof(*traces));
	unsigned int *lines;

	if (traces)
		command->traces = traces;
	lines = reallocarray(command->trace_lines, count, sizeof(*lines));
	if (lines)
		command->trace_lines = lines;
	if (!traces || !lines)
		return error_set(error, -ENOMEM, "out of memory");
	traces[count - 1] = job_trace(&command->job, entry->value);
	if (!traces[count - 1])
		return error_set(error, -ENOMEM, "out of memory");
	lines[count - 1] = entry->line;
	command->trace_count = count;
	return 0;
}

static int take_vary(struct sweep_command *command, const struct job_entry *entry,
		     struct error *error)
{
	char *text;
	int err;

	if (asprintf(&text, "%s=%s", entry->name, entry->value) < 0)
		return error_set(error, -ENOMEM, "out of memory");
	err = add_vary(command, text, true, error);
	free(text);
	if (err)
		return err;
	return sweep_check_vary(&command->config, &command->vary[command->sweep.vary_count - 1],
				error);
}

/* The section of a job that an option stands in; NULL: it has another form there, or none. */
static const char *option_section(const struct cli_option *option)
{
	static const char *const none[] = {"map", "set", "vary", "job", "resume"};
	static const char *const output[] = {"output", "columns", "quiet"};

	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
		if (!strcmp(option->name, none[i]))
			return NULL;
	}
	for (size_t i = 0; i < sizeof(output) / sizeof(output[0]); i++) {
		if (!strcmp(option->name, output[i]))
			return "output";
	}
	return !strcmp(option->name, "each-trace") ? "traces" : "run";
}

static void *group_state(struct sweep_command *command, int group)
{
	switch ((enum option_group)group) {
	case GROUP_MAP:
	case GROUP_TRACE:
	case GROUP_PIN:
	case GROUP_BENCH:
		return &command->config;
	case GROUP_SWEEP:
		return command;
	case GROUP_FORMAT:
		return &command->format;
	case GROUP_QUIET:
		return &command->is_quiet;
	case GROUPS:
		break;
	}
	return NULL;
}

static int set_from_job(struct sweep_command *command, int group, const struct cli_option *option,
			const struct job_entry *entry, struct error *error)
{
	const struct cli_group *options = command_sweep.groups[group];
	bool is_yes = !strcmp(entry->value, "yes");

	if (option->argument)
		return options->set(group_state(command, group), option, entry->value, error);
	if (!is_yes && strcmp(entry->value, "no") != 0)
		return error_set(error, -EINVAL, "%s=%.40s: expected yes or no", entry->name,
				 entry->value);
	return is_yes ? options->set(group_state(command, group), option, NULL, error) : 0;
}

/* Any option of the command, in its section. */
static int take_option(struct sweep_command *command, const struct job_entry *entry,
		       struct error *error)
{
	char all[400] = "";

	for (int group = 0; group < GROUPS; group++) {
		const struct cli_group *options = command_sweep.groups[group];

		for (size_t i = 0; i < options->count; i++) {
			const struct cli_option *option = &options->options[i];
			const char *section = option_section(option);
			size_t used = strlen(all);

			if (!section || strcmp(section, entry->section) != 0)
				continue;
			if (!strcmp(option->name, entry->name))
				return set_from_job(command, group, option, entry, error);
			snprintf(all + used, sizeof(all) - used, ", %s", option->name);
		}
	}
	return error_set(error, -EINVAL, "no \"%.40s\" in [%s]; there are %s%s", entry->name,
			 entry->section, all + 2,
			 strcmp(entry->section, "traces") ? "" : ", trace");
}

static int take_entry(void *arg, const struct job_entry *entry, struct error *error)
{
	if (!strcmp(entry->section, "vary"))
		return take_vary(arg, entry, error);
	if (!strcmp(entry->section, "traces") && !strcmp(entry->name, "trace"))
		return take_trace(arg, entry, error);
	return take_option(arg, entry, error);
}

static int read_job(struct sweep_command *command, const char *path, struct error *error)
{
	int err = job_open(path, &command->job, error);

	return err ? err : job_apply(&command->job, &command->config, take_entry, command, error);
}

/* The traces of the job, of which files have to be there. */
static int use_job_traces(struct sweep_command *command, struct error *error)
{
	for (size_t i = 0; i < command->trace_count; i++) {
		const char *path = trace_path(command->traces[i]);

		if (!path || !access(path, R_OK))
			continue;
		error_set(error, 0, "trace %.400s: %s; expected a file, - or gen:KIND,...", path,
			  strerror(errno));
		return job_error(&command->job, command->trace_lines[i], -EINVAL, error);
	}
	if (!command->trace_count && !sweep_is_bench(&command->sweep))
		return error_set(error, -EINVAL,
				 "%.400s: no traces: expected \"trace = ...\" in [traces], or "
				 "traces "
				 "on the command line",
				 command->job.path);
	return 0;
}

static void sweep_command_init(struct sweep_command *command)
{
	memset(command, 0, sizeof(*command));
	config_init(&command->config);
	command->format = FORMAT_UNSET;
	command->sweep = (struct sweep){
		.base = &command->config,
		.vary = command->vary,
		.row = print_row,
		.progress = show_progress,
		.arg = command,
		.stop = &stop_requested,
	};
}

static void sweep_command_deinit(struct sweep_command *command)
{
	for (size_t i = 0; i < command->sweep.vary_count; i++)
		vary_deinit(&command->vary[i]);
	for (size_t i = 0; i < command->trace_count; i++)
		free(command->traces[i]);
	free(command->traces);
	free(command->trace_lines);
	free(command->columns_text);
	record_deinit(&command->names);
	job_deinit(&command->job);
}

static int parse(struct sweep_command *command, int argc, char **argv, int *status)
{
	void *states[GROUPS];

	for (int group = 0; group < GROUPS; group++)
		states[group] = group_state(command, group);
	return command_parse(&command_sweep, argc, argv, states, status);
}

/*
 * The command line is read twice when it names a job: once for the job, and once more for what
 * overrides it. Returns as command_parse().
 */
static int parse_with_job(struct sweep_command *command, int argc, char **argv, int *status)
{
	struct error error = {.text = ""};
	const char *path;
	int first = parse(command, argc, argv, status), err;

	if (first < 0 || !command->job_path)
		return first;
	path = command->job_path;
	sweep_command_deinit(command);
	sweep_command_init(command);
	err = read_job(command, path, &error);
	if (!err)
		first = parse(command, argc, argv, status);
	if (!err && first == argc)
		err = use_job_traces(command, &error);
	if (!err)
		return first;
	*status = fail(err, &error);
	return -1;
}

/* The settings of the --vary of a column, or NULL. */
static const struct vary *find_vary(const struct sweep_command *command, const char *column)
{
	for (size_t i = 0; i < command->sweep.vary_count; i++) {
		if (!strcmp(sweep_column(&command->vary[i]), column))
			return &command->vary[i];
	}
	return NULL;
}

/* How many of the engines are the running kernel; *count: of how many. */
static size_t kernel_engines(const struct sweep_command *command, size_t *count)
{
	const struct vary *vary = find_vary(command, "engine");
	size_t kernels = 0;

	*count = vary ? vary->count : 1;
	if (!vary)
		return command->config.engine->is_running_kernel;
	for (size_t i = 0; i < vary->count; i++) {
		const struct engine *engine = engine_find(vary->values[i], NULL);

		kernels += engine && engine->is_running_kernel;
	}
	return kernels;
}

/* Rows that say the same CPUs of different runs would tell nothing. */
static int check_varied_cpus(const struct vary *vary, uint32_t possible, struct error *error)
{
	for (size_t i = 0; i < vary->count; i++) {
		uint64_t cpus;

		if (!number_parse(vary->values[i], 1, MAP_CPUS_MAX, &cpus) && cpus < possible)
			return error_set(error, -EINVAL,
					 "--vary %.32s: the kernel's map always has %u CPUs",
					 vary->name, possible);
	}
	return 0;
}

/* Runs of the model beside those of the running kernel should be of the same map. */
static int match_engines(struct sweep_command *command, struct error *error)
{
	struct run_config *config = &command->config;
	const struct vary *cpus = find_vary(command, "cpus");
	size_t count, kernels = kernel_engines(command, &count);
	uint32_t possible = kernels ? cpus_possible() : 0;
	char text[KERNEL_NAME_BYTES];

	if (!possible)
		return 0;
	if (cpus)
		return check_varied_cpus(cpus, possible, error);
	if (kernels == count)
		return 0;
	if (!config->cpus_given) {
		snprintf(text, sizeof(text), "%u", possible);
		if (config_set(config, "--cpus", text, error))
			return -EINVAL;
	} else if (!command->is_quiet && !config->engine->is_running_kernel) {
		options_note_cpus(config);
	}
	if (!command->is_quiet && !config->is_kernel_given && !config->map.kernel_note[0] &&
	    !find_vary(command, "kernel"))
		fprintf(stderr,
			"mapsim: the other engines are kernel %s, the running one is the host's: "
			"-k host compares the same\n",
			kernel_name(&config->map.kernel, text));
	return 0;
}

/* What a map is made of has to be said somewhere. */
static int check_map(const struct sweep_command *command, int argc, char **argv,
		     struct error *error)
{
	const struct run_config *config = &command->config;
	const char *end = argc == 1 ? strrchr(argv[0], '.') : NULL;

	if (config->map.attr.max_entries || config->is_map_given ||
	    find_vary(command, "max_entries") || sweep_is_bench(&command->sweep))
		return 0;
	if (end && !strcmp(end, ".ini") && !command->job_path)
		return error_set(error, -EINVAL,
				 "no map given: -m max_entries=N,...; a job is given as --job "
				 "%.400s",
				 argv[0]);
	return error_set(error, -EINVAL, "no map given: -m max_entries=N,...");
}

/* Where engines vary, one may have places for its CPUs. */
static int check_places(const struct sweep_command *command, struct error *error)
{
	for (size_t i = 0; i < command->sweep.vary_count; i++) {
		const char *name = command->vary[i].name;

		if (!strcmp(name, "engine") || !strcmp(name, "--engine"))
			return 0;
	}
	return options_check_places(&command->config, error);
}

static int finish_sweep(struct sweep_command *command, int argc, char **argv, struct error *error)
{
	bool uses_job = !argc && command->trace_count;
	int count = uses_job ? (int)command->trace_count : argc;
	char **traces = uses_job ? command->traces : argv;
	int err = match_engines(command, error);

	if (!err)
		err = check_places(command, error);
	if (!err && count)
		err = check_map(command, argc, argv, error);
	if (err)
		return err;
	if (!sweep_is_bench(&command->sweep))
		return options_finish_run(&command->config, command->is_quiet, count, traces,
					  error);
	options_finish_bench(&command->config, command->is_quiet, count, traces);
	return 0;
}

static int run_sweep(const struct command *cli, int argc, char **argv)
{
	struct sweep_command command;
	struct error error = {.text = ""};
	int status, first, err;

	(void)cli;
	sweep_command_init(&command);
	first = parse_with_job(&command, argc, argv, &status);
	if (first >= 0) {
		err = finish_sweep(&command, argc - first, argv + first, &error);
		status = err ? fail(err, &error) : sweep_and_print(&command);
	}
	sweep_command_deinit(&command);
	return status;
}

const struct command command_sweep = {
	.name = "sweep",
	.arguments = "[TRACE...]",
	.summary = "replay, or measure, under every combination of varied settings",
	.description =
		"Replays the traces once for every combination of the varied settings, on all "
		"CPUs,\n"
		"and prints a row for each run, in a fixed order: the last --vary varies fastest.\n"
		"With a workload the runs are benchmarks, as by mapsim bench, one after another.",
	.groups = {&map_group, &run_trace_group, &pin_group, &bench_group, &sweep_group,
		   &format_group, &quiet_group},
	.print_more = bench_print_workloads,
	.run = run_sweep,
};
