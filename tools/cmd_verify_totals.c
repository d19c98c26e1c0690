// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* mapsim verify --concurrent */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "sim/engine.h"
#include "sim/verify_totals.h"
#include "tools/cmd_verify.h"
#include "tools/command.h"

static int print_table(const struct verify_command *command, const struct totals_result *result,
		       const struct record *counts)
{
	static const char *const columns[] = {"count",           "least",        "most",
					      "seen_lowest",     "seen_highest", "against_lowest",
					      "against_highest", "verdict",      NULL};
	struct output_rows *rows = output_rows_begin(OUTPUT_TABLE, columns);
	int err = rows ? 0 : -ENOMEM;

	for (int i = 0; i < TOTALS_COUNTS && !err; i++)
		err = output_rows_add(rows, &counts[i]);
	if (rows && output_rows_end(rows))
		err = -ENOMEM;
	if (!err)
		printf("%" PRIu64 " operations on %" PRIu32 " CPUs: totals of %s and %s are %s\n",
		       result->operations, result->cpus, command->config.engine->name,
		       command->against->name,
		       result->is_different ? "out of the range of interleavings"
					    : "within the range of interleavings");
	return err;
}

static int print_result(const struct verify_command *command, const struct totals_result *result)
{
	struct record record = {0}, counts[TOTALS_COUNTS] = {0};
	struct output_list list = {"counts", counts, TOTALS_COUNTS};
	int err;

	totals_record(&command->config, command->against, result, &record, counts);
	if (command->format == OUTPUT_TABLE)
		err = print_table(command, result, counts);
	else
		err = output_record(command->format, &record, record.count, &list);
	for (int i = 0; i < TOTALS_COUNTS; i++)
		record_deinit(&counts[i]);
	record_deinit(&record);
	return err;
}

int verify_totals(struct verify_command *command)
{
	struct error error = {.text = ""};
	struct totals_result result;
	int err = 0;

	if (!command->config.map.attr.max_entries && !command->config.is_map_given)
		err = error_set(&error, -EINVAL, "no map given: -m max_entries=N,...");
	if (!err)
		err = totals_run(&command->config, command->against, &stop_requested, &result,
				 &error);
	if (!err && print_result(command, &result))
		err = error_set(&error, -ENOMEM, "out of memory");
	if (err)
		return fail(err, &error);
	return result.is_different ? EXIT_DIFFERENT : EXIT_FINE;
}
