// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/number.h"
#include "sim/hunt.h"
#include "sim/kernel/cpus.h"
#include "sim/verify.h"
#include "tools/cmd_verify.h"
#include "tools/options.h"

#define SEED_NOT_GIVEN UINT64_MAX

static const struct cli_option verify_table[] = {
	{"against", 0, "ENGINE", "the engine to compare with (default kernel)"},
	{"fuzz", 0, "SECONDS",
	 "make random maps and traces as long as that, and the first\n"
	 "that differs small; --seed makes the same ones again"},
	{"cases", 0, "N", "with --fuzz: end after N maps"},
	{"jobs", 'j', "N", "with --fuzz: maps at the same time (default: all CPUs)"},
	{"save", 0, "PATH",
	 "with --fuzz: the file, or the folder of the file, that gets\n"
	 "the trace that differs (default verify-SEED-CASE.txt)"},
	{"torture", 0, "SECONDS",
	 "run random operations on real threads as long as that, with\n"
	 "all policies of locks, allocation and rotation but those\n"
	 "that -s sets, and check that nothing is lost"},
	{"operations", 0, "N", "with --torture: end when each pair of policies has done N"},
	{"concurrent", 0, NULL,
	 "all CPUs at the same time, by default on threads: compare the\n"
	 "totals with those of interleavings of the trace"},
	{"own", 0, NULL, "with --torture: only the release's own policies"},
};

static int set_number(const struct cli_option *option, const char *value, uint64_t max,
		      uint64_t *number, struct error *error)
{
	if (number_parse(value, 1, max, number))
		return error_set(error, -EINVAL, "--%s %.40s: expected a number 1..%" PRIu64,
				 option->name, value, max);
	return 0;
}

static int set_verify_option(void *state, const struct cli_option *option, const char *value,
			     struct error *error)
{
	struct verify_command *command = state;

	if (!strcmp(option->name, "fuzz"))
		return set_number(option, value, UINT32_MAX, &command->fuzz_seconds, error);
	if (!strcmp(option->name, "cases"))
		return set_number(option, value, UINT64_MAX, &command->cases_max, error);
	if (!strcmp(option->name, "jobs"))
		return set_number(option, value, 1024, &command->jobs, error);
	if (!strcmp(option->name, "torture"))
		return set_number(option, value, UINT32_MAX, &command->torture_seconds, error);
	if (!strcmp(option->name, "operations"))
		return set_number(option, value, UINT64_MAX, &command->operations, error);
	if (!strcmp(option->name, "concurrent")) {
		command->is_concurrent = true;
		return 0;
	}
	if (!strcmp(option->name, "own")) {
		command->own_pairs_only = true;
		return 0;
	}
	if (!strcmp(option->name, "save")) {
		command->save_path = value;
		return 0;
	}
	command->against = engine_find(value, error);
	return command->against ? 0 : -EINVAL;
}

static const struct cli_group verify_group = {verify_table,
					      sizeof(verify_table) / sizeof(verify_table[0]),
					      set_verify_option};

static void show_operations(void *arg, uint64_t done, uint64_t total)
{
	struct verify_command *command = arg;

	progress_update(&command->progress, done, total);
}

static void show_hunt(void *arg, uint64_t cases, uint64_t operations)
{
	(void)cases;
	show_operations(arg, operations, 0);
}

/* Who is compared: "seq (6.18.44), kernel". */
static const char *pair_text(const struct verify_command *command, char *text, size_t bytes)
{
	char kernel[KERNEL_NAME_BYTES];

	snprintf(text, bytes, "%s (%s) and %s", command->config.engine->name,
		 kernel_name(&command->config.map.kernel, kernel), command->against->name);
	return text;
}

/* A difference: with the result for people, beside it when that is for programs. */
static void print_difference(const struct verify_command *command,
			     const struct compare_difference *difference)
{
	const struct engine *const pair[] = {command->config.engine, command->against};
	FILE *out = command->format == OUTPUT_TABLE ? stdout : stderr;
	char text[512];

	compare_describe(difference, pair, text, sizeof(text));
	fprintf(out, "%s\n%s", text, difference->text ? difference->text : "");
}

static int print_record(const struct verify_command *command, struct record *record)
{
	static const struct output_list none = {.name = "per_cpu"};
	struct error error = {.text = "out of memory"};
	int err = record->failed ? -ENOMEM
				 : output_record(command->format, record, record->count, &none);

	record_deinit(record);
	return err ? fail(err, &error) : EXIT_FINE;
}

static int print_verified(const struct verify_command *command, const struct verify_result *result)
{
	bool is_different = result->difference.kind != COMPARE_SAME;
	char text[128];
	int status = EXIT_FINE;

	if (command->format != OUTPUT_TABLE) {
		struct record record = {0};

		config_record(&command->config, &record);
		verify_record(result, command->against, &record);
		status = print_record(command, &record);
	} else if (!is_different) {
		printf("%" PRIu64 " operations, %" PRIu64 " entries: no difference between %s\n",
		       result->operations, result->entries, pair_text(command, text, sizeof(text)));
	}
	if (is_different)
		print_difference(command, &result->difference);
	return is_different && !status ? EXIT_DIFFERENT : status;
}

static int verify_traces(struct verify_command *command)
{
	struct replay_options options = {.progress = show_operations,
					 .progress_arg = command,
					 .stop = &stop_requested};
	struct verify_result result;
	struct error error = {.text = ""};
	int err, status;

	if (!command->config.map.attr.max_entries && !command->config.is_map_given)
		return fail(error_set(&error, -EINVAL, "no map given: -m max_entries=N,..."),
			    &error);
	if (command->config.seed == SEED_NOT_GIVEN)
		command->config.seed = 1;
	progress_init(&command->progress, "operations", command->is_quiet);
	err = verify_run(&command->config, command->against, &options, &result, &error);
	progress_end(&command->progress);
	status = err ? fail(err, &error) : print_verified(command, &result);
	verify_result_deinit(&result);
	return status;
}

/* Where the case goes: as --save says, a name of its own in a folder. */
static int case_path(const struct verify_command *command, const struct hunt_result *result,
		     char *path, size_t bytes, struct error *error)
{
	const char *given = command->save_path;
	bool is_folder = !given;
	struct stat status;
	int used;

	if (given && !stat(given, &status))
		is_folder = S_ISDIR(status.st_mode);
	if (is_folder)
		used = snprintf(path, bytes, "%s%sverify-%" PRIu64 "-%" PRIu64 ".txt",
				given ? given : "", given ? "/" : "", command->config.seed,
				result->case_number);
	else
		used = snprintf(path, bytes, "%s", given);
	if ((size_t)used >= bytes)
		return error_set(error, -ENAMETOOLONG, "--save %.60s...: too long", path);
	/* It stands in a comment of the file. */
	for (const char *c = path; *c; c++) {
		if (iscntrl((unsigned char)*c))
			return error_set(error, -EINVAL,
					 "--save: expected a name without control characters");
	}
	return 0;
}

static int print_hunted(const struct verify_command *command, const struct hunt_options *options,
			const struct hunt_result *result, const char *path)
{
	char text[1024], *hunted;

	if (command->format != OUTPUT_TABLE) {
		struct record record = {0};

		hunt_record(options, result, path, &record);
		if (result->is_found)
			print_difference(command, &result->difference);
		return print_record(command, &record);
	}
	if (result->is_found) {
		print_difference(command, &result->difference);
		if (!result->is_repeatable)
			printf("case %" PRIu64 " did not differ again\n", result->case_number);
		hunted = hunt_command(options, result, path ? path : "TRACE");
		printf("case %" PRIu64 ", %zu of %" PRIu64 " operations: %s\n", result->case_number,
		       result->fuzz.ops.count, result->case_operations, hunted ? hunted : "");
		free(hunted);
	}
	printf("%" PRIu64 " cases, %" PRIu64
	       " operations, %.1f seconds: %s difference between %s, seed %" PRIu64 "\n",
	       result->cases, result->operations, result->seconds, result->is_found ? "1" : "no",
	       pair_text(command, text, sizeof(text)), command->config.seed);
	if (result->shortages)
		printf("%" PRIu64 " cases were compared again: an allocator was out of memory\n",
		       result->shortages);
	return EXIT_FINE;
}

static int finish_hunt(const struct verify_command *command, const struct hunt_options *options,
		       const struct hunt_result *result, struct error *error)
{
	char path[4096] = "";
	int err = 0, status;

	if (result->is_found) {
		err = case_path(command, result, path, sizeof(path), error);
		if (!err)
			err = hunt_write(options, result, path, error);
	}
	status = print_hunted(command, options, result, err || !path[0] ? NULL : path);
	if (err)
		return fail(err, error);
	return result->is_found ? EXIT_DIFFERENT : status;
}

/* Without --seed, random ones: said, to be given again. */
static void choose_seed(struct verify_command *command)
{
	uint32_t seed = 0;

	if (command->config.seed != SEED_NOT_GIVEN)
		return;
	if (getrandom(&seed, sizeof(seed), 0) != sizeof(seed))
		seed = 1;
	command->config.seed = seed;
	if (!command->is_quiet)
		fprintf(stderr, "mapsim: --seed %" PRIu32 "\n", seed);
}

static int hunt(struct verify_command *command)
{
	struct hunt_options options = {
		.engines = {command->config.engine, command->against},
		.config = &command->config,
		.seconds = (double)command->fuzz_seconds,
		.cases_max = command->cases_max,
		.jobs = (uint32_t)(command->jobs ? command->jobs : cpus_usable_count()),
		.progress = show_hunt,
		.progress_arg = command,
		.stop = &stop_requested,
	};
	struct error error = {.text = ""};
	struct hunt_result result;
	int err, status = EXIT_FINE;

	options.cpus = hunt_cpus(&command->config, options.engines, &error);
	if (!options.cpus)
		return fail(-ENXIO, &error);
	choose_seed(command);
	options.seed = command->config.seed;
	progress_init(&command->progress, "operations", command->is_quiet);
	err = hunt_run(&options, &result, &error);
	progress_end(&command->progress);
	if (!err || err == -EINTR)
		status = finish_hunt(command, &options, &result, &error);
	if (err)
		status = fail(err, &error);
	hunt_result_deinit(&result);
	return status;
}

/* A case that was found after hours should not be lost for want of a folder. */
static int check_save_path(const char *path, struct error *error)
{
	const char *slash = strrchr(path, '/');
	char folder[4096] = ".";
	struct stat status;

	if (slash)
		snprintf(folder, sizeof(folder), "%.*s", (int)(slash - path + 1), path);
	if (!stat(path, &status) && S_ISDIR(status.st_mode))
		snprintf(folder, sizeof(folder), "%s", path);
	if (access(folder, W_OK | X_OK))
		return error_set(error, -errno, "--save %s: %s", path, strerror(errno));
	return 0;
}

static int check_torture(const struct verify_command *command, int argc, char **argv,
			 struct error *error)
{
	const struct run_config *config = &command->config;

	if (command->torture_seconds && (argc || config->is_map_given || command->fuzz_seconds))
		return error_set(error, -EINVAL, "--torture makes its own maps and operations: %s",
				 argc                   ? argv[0]
				 : config->is_map_given ? "-m"
							: "--fuzz");
	if (command->torture_seconds && command->config.engine != &engine_threads)
		return error_set(error, -EINVAL, "--torture is for -e threads");
	if (command->is_concurrent && (command->fuzz_seconds || command->torture_seconds))
		return error_set(error, -EINVAL, "--concurrent is for traces");
	if (!command->torture_seconds &&
	    (command->operations != UINT64_MAX || command->own_pairs_only))
		return error_set(error, -EINVAL, "--operations and --own are for --torture");
	return 0;
}

/* What does not go together. */
static int check_command(struct verify_command *command, int argc, char **argv, struct error *error)
{
	struct run_config *config = &command->config;
	int err;

	config->traces = (const char *const *)argv;
	config->trace_count = (size_t)argc;
	if (command->fuzz_seconds && (argc || config->is_map_given))
		return error_set(error, -EINVAL, "--fuzz makes its own maps and traces: %s",
				 argc ? argv[0] : "-m");
	err = check_torture(command, argc, argv, error);
	if (err)
		return err;
	if (!command->fuzz_seconds && !command->torture_seconds && !argc)
		return error_set(error, -EINVAL,
				 "no trace given: a file, - or gen:KIND,name=value,...; or --fuzz "
				 "or --torture");
	if (!command->fuzz_seconds &&
	    (command->cases_max != UINT64_MAX || command->jobs || command->save_path))
		return error_set(error, -EINVAL, "--cases, -j and --save are for --fuzz");
	if (command->fuzz_seconds)
		return check_save_path(command->save_path ? command->save_path : ".", error);
	return 0;
}

static int run_verify(const struct command *cli, int argc, char **argv)
{
	struct verify_command command = {.cases_max = UINT64_MAX, .operations = UINT64_MAX};
	struct error error = {.text = ""};
	struct run_config *config = &command.config;
	void *states[] = {config, config, &command, &command.format, &command.is_quiet};
	int status, first, err;

	config_init(config);
	config->engine = NULL;
	config->seed = SEED_NOT_GIVEN;
	first = command_parse(cli, argc, argv, states, &status);
	if (first < 0)
		return status;
	if (!command.against)
		command.against = &engine_kernel;
	if (!config->engine)
		config->engine = command.is_concurrent || command.torture_seconds ? &engine_threads
										  : &engine_seq;
	err = check_command(&command, argc - first, argv + first, &error);
	if (!err && command.torture_seconds) {
		choose_seed(&command);
		return verify_torture(&command);
	}
	if (!err)
		err = verify_finish_config(config, command.against, &error);
	if (!err && !command.is_concurrent)
		err = verify_check_order(config, command.against, &error);
	if (err)
		return fail(err, &error);
	if (config->map.kernel_note[0] && !command.is_quiet)
		fprintf(stderr, "mapsim: %s\n", config->map.kernel_note);
	if (command.is_concurrent) {
		if (config->seed == SEED_NOT_GIVEN)
			config->seed = 1;
		return verify_totals(&command);
	}
	return command.fuzz_seconds ? hunt(&command) : verify_traces(&command);
}

const struct command command_verify = {
	.name = "verify",
	.arguments = "TRACE... | --fuzz SECONDS | --torture SECONDS",
	.summary = "compare the model with the running kernel, answer by answer",
	.description =
		"Replays traces in two engines, by default the model as the running release and\n"
		"the running kernel's own map, and compares what each operation returns and "
		"reads,\n"
		"and the order of iteration at the end. Shows the first difference.\n"
		"With --torture the model alone runs, on threads, and has to lose nothing.",
	.groups = {&verify_engine_group, &verify_trace_group, &verify_group, &format_group,
		   &quiet_group},
	.run = run_verify,
};
