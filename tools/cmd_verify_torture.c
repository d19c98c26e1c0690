// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* mapsim verify --torture */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "sim/kernel/cpus.h"
#include "sim/torture/torture.h"
#include "tools/cmd_verify.h"
#include "tools/command.h"

#define THREADS_MIN 4 /* so that threads are preempted wherever they are */

static void show_operations(void *arg, uint64_t operations)
{
	struct verify_command *command = arg;

	progress_update(&command->progress, operations, 0);
}

/* Where people look for what was found; beside the result when that is for programs. */
static FILE *findings(const struct verify_command *command)
{
	return command->format == OUTPUT_TABLE ? stdout : stderr;
}

/* Its threads cannot be ended any more, nor can what was done be told. */
static void give_up(void *arg, const char *slice)
{
	const struct verify_command *command = arg;

	fprintf(findings(command), "no thread comes on, --seed %" PRIu64 "\n  in: %s\n",
		command->config.seed, slice);
	fflush(NULL);
	_exit(EXIT_DIFFERENT);
}

static void print_pairs(const struct torture_result *result, struct record *pairs)
{
	static const char *const columns[] = {"lock",          "alloc",
					      "rotation",      "slices",
					      "operations",    "lock_waits",
					      "lock_timeouts", "shortages",
					      "reused",        NULL};
	struct output_rows *rows = output_rows_begin(OUTPUT_TABLE, columns);

	if (!rows)
		return;
	output_rows_hide_empty(rows, "alloc");
	output_rows_hide_empty(rows, "rotation");
	for (size_t i = 0; i < result->pair_count; i++) {
		if (result->pairs[i].slices)
			output_rows_add(rows, &pairs[i]);
	}
	output_rows_end(rows);
}

static void print_sum(const struct verify_command *command, const struct torture_result *result)
{
	size_t idle = 0;

	for (size_t i = 0; i < result->pair_count; i++)
		idle += !result->pairs[i].slices;
	printf("%" PRIu64 " slices, %" PRIu64 " operations, %.1f seconds: %s, seed %" PRIu64 "\n",
	       result->slices, result->operations, result->seconds,
	       result->is_faulty ? "a fault" : "nothing lost", command->config.seed);
	if (idle)
		printf("%zu of %zu pairs had no turn\n", idle, result->pair_count);
}

static int print_result(const struct verify_command *command, const struct torture_options *options,
			const struct torture_result *result)
{
	struct record record = {0}, *pairs = calloc(result->pair_count, sizeof(*pairs));
	struct output_list list = {"pairs", pairs, result->pair_count};
	int err = pairs ? 0 : -ENOMEM;

	if (pairs)
		torture_record(options, result, &record, pairs);
	if (!err && command->format != OUTPUT_TABLE) {
		err = output_record(command->format, &record, record.count, &list);
	} else if (!err) {
		print_pairs(result, pairs);
		print_sum(command, result);
	}
	if (result->is_faulty)
		fprintf(findings(command), "%s\n  in: %s\n", result->fault.text, result->slice);
	for (size_t i = 0; pairs && i < result->pair_count; i++)
		record_deinit(&pairs[i]);
	free(pairs);
	record_deinit(&record);
	return err;
}

int verify_torture(struct verify_command *command)
{
	uint32_t usable = cpus_usable_count();
	struct torture_options options = {
		.config = &command->config,
		.threads = command->config.cpus_given,
		.usable_cpus = usable,
		.seconds = (double)command->torture_seconds,
		.operations = command->operations,
		.own_pairs_only = command->own_pairs_only,
		.progress = show_operations,
		.stuck = give_up,
		.arg = command,
		.stop = &stop_requested,
	};
	struct error error = {.text = ""};
	struct torture_result result;
	int err, status = EXIT_FINE;

	if (!options.threads)
		options.threads = usable > THREADS_MIN ? usable : THREADS_MIN;
	if (options.threads < 2)
		return fail(error_set(&error, -EINVAL, "--torture: expected -c 2 or more"), &error);
	progress_init(&command->progress, "operations", command->is_quiet);
	err = torture_run(&options, &result, &error);
	progress_end(&command->progress);
	if (err == -EINTR || !err) {
		if (print_result(command, &options, &result))
			status = fail(error_set(&error, -ENOMEM, "out of memory"), &error);
		else if (result.is_faulty)
			status = EXIT_DIFFERENT;
	}
	if (err)
		status = fail(err, &error);
	torture_result_deinit(&result);
	return status;
}
