// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* mapsim trace info: what is in traces. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tools/cmd_trace.h"
#include "tools/progress.h"
#include "traces/info.h"

#define SHARE_DECIMALS 6

/* A figure and its error, by the names of both. */
struct estimate_names {
	const char *value, *error;
};

static const struct estimate_names top_names[INFO_TOPS] = {
	[TOP_1] = {"top_1", "top_1_error"},
	[TOP_10] = {"top_10", "top_10_error"},
	[TOP_100] = {"top_100", "top_100_error"},
	[TOP_PERCENT] = {"top_1_percent", "top_1_percent_error"},
	[TOP_10_PERCENT] = {"top_10_percent", "top_10_percent_error"},
};

static const struct estimate_names reuse_names[INFO_QUANTILES] = {
	[REUSE_P50] = {"reuse_p50", "reuse_p50_error"},
	[REUSE_P90] = {"reuse_p90", "reuse_p90_error"},
	[REUSE_P99] = {"reuse_p99", "reuse_p99_error"},
};

static const char *const code_names[OP_CODES] = {
	[OP_LOOKUP] = "op_lookup",
	[OP_UPDATE] = "op_update",
	[OP_UPDATE_NOEXIST] = "op_update_noexist",
	[OP_UPDATE_EXIST] = "op_update_exist",
	[OP_DELETE] = "op_delete",
	[OP_LOOKUP_AND_DELETE] = "op_lookup_and_delete",
	[OP_NEXT_KEY] = "op_next_key",
	[OP_BATCH_LOOKUP] = "op_batch_lookup",
	[OP_BATCH_LOOKUP_AND_DELETE] = "op_batch_lookup_and_delete",
	[OP_ACCESS] = "op_access",
	[OP_DIST] = "op_dist",
};

static const char *const context_names[OP_CONTEXTS] = {
	[OP_PROGRAM] = "ctx_program",
	[OP_SYSCALL] = "ctx_syscall",
	[OP_IRQ] = "ctx_irq",
	[OP_NMI] = "ctx_nmi",
};

static void add_keys(struct record *record, const char *name, const char *error_name,
		     struct estimate estimate)
{
	record_add_u64(record, name, (uint64_t)llround(estimate.value));
	record_add_u64(record, error_name, (uint64_t)llround(ceil(estimate.error)));
}

static void add_share(struct record *record, const char *name, const char *error_name,
		      struct estimate estimate)
{
	record_add_double(record, name, estimate.value, SHARE_DECIMALS);
	record_add_double(record, error_name, estimate.error, SHARE_DECIMALS);
}

static int compare_keys(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;

	return (left > right) - (left < right);
}

/* The working set: over all windows that are whole, or over the only one. */
static void add_windows(struct record *record, const struct trace_info *info)
{
	double keys[INFO_WINDOWS_MAX] = {0};
	double error = 0;
	unsigned int count = 0;

	for (unsigned int i = 0; i < info->window_count; i++) {
		if (info->windows[i].operations == info->windows[0].operations)
			keys[count++] = info->windows[i].distinct_keys.value;
		if (info->windows[i].distinct_keys.error > error)
			error = info->windows[i].distinct_keys.error;
	}
	qsort(keys, count, sizeof(keys[0]), compare_keys);
	record_add_u64(record, "windows", info->window_count);
	record_add_u64(record, "window_operations", info->windows[0].operations);
	record_add_u64(record, "window_keys_min", (uint64_t)llround(keys[0]));
	record_add_u64(record, "window_keys_median", (uint64_t)llround(keys[count / 2]));
	record_add_u64(record, "window_keys_max", (uint64_t)llround(keys[count - 1]));
	record_add_u64(record, "window_keys_error", (uint64_t)llround(ceil(error)));
}

static void info_record(const struct trace_info *info, const char *spec,
			const struct trace_reader *reader, struct record *record)
{
	char digest[17];

	snprintf(digest, sizeof(digest), "%016" PRIx64, info->trace_digest);
	record_add_text(record, "trace", spec);
	record_add_text(record, "format", trace_format_name(reader));
	record_add_text(record, "compression", trace_is_compressed(reader) ? "zstd" : "none");
	record_add_text(record, "trace_digest", digest);
	record_add_u64(record, "operations", info->operations);
	record_add_u64(record, "key_operations", info->key_operations);
	record_add_u64(record, "cpus", info->cpus);
	record_add_u64(record, "cpu_max", info->cpu_max);
	for (int code = 0; code < OP_CODES; code++)
		record_add_u64(record, code_names[code], info->codes[code]);
	for (int context = 0; context < OP_CONTEXTS; context++)
		record_add_u64(record, context_names[context], info->contexts[context]);
	record_add_u64(record, "byte_keys", info->byte_keys);
	record_add_u64(record, "longest_key_bytes", info->longest_key_bytes);
	record_add_text(record, "key_figures",
			info->distinct_keys.error > 0 ? "estimated" : "exact");
	add_keys(record, "distinct_keys", "distinct_keys_error", info->distinct_keys);
	for (int i = 0; i < INFO_TOPS; i++)
		add_share(record, top_names[i].value, top_names[i].error, info->tops[i]);
	record_add_double(record, "zipf_theta", info->zipf_theta, 3);
	add_share(record, "first_uses", "first_uses_error", info->first_uses);
	for (int i = 0; i < INFO_QUANTILES; i++)
		add_keys(record, reuse_names[i].value, reuse_names[i].error, info->reuse[i]);
	add_windows(record, info);
}

static void window_record(const struct trace_info *info, const char *spec, unsigned int number,
			  struct record *record)
{
	const struct info_window *window = &info->windows[number];

	record_add_text(record, "trace", spec);
	record_add_u64(record, "window", number);
	record_add_u64(record, "first_operation", window->first);
	record_add_u64(record, "operations", window->operations);
	add_keys(record, "distinct_keys", "distinct_keys_error", window->distinct_keys);
	add_keys(record, "new_keys", "new_keys_error", window->new_keys);
}

static const char *const window_columns[] = {
	"trace",      "window",         "first_operation",
	"operations", "distinct_keys",  "distinct_keys_error",
	"new_keys",   "new_keys_error", NULL,
};

/* What is printed, and where. */
struct printer {
	const struct trace_command *command;
	struct output_rows *rows; /* NULL: a table for each trace */
	bool is_first;
};

static int print_row(struct printer *printer, struct record *record)
{
	int err = 0;

	if (record->failed) {
		err = -ENOMEM;
	} else if (printer->rows) {
		err = output_rows_add(printer->rows, record);
	} else {
		if (!printer->is_first)
			putchar('\n');
		err = output_record(OUTPUT_TABLE, record, 0, NULL);
	}
	printer->is_first = false;
	record_deinit(record);
	return err;
}

static int print_info(struct printer *printer, const struct trace_info *info, const char *spec,
		      const struct trace_reader *reader)
{
	struct record record = {0};
	int err = 0;

	if (!printer->command->is_windows) {
		info_record(info, spec, reader, &record);
		return print_row(printer, &record);
	}
	for (unsigned int i = 0; !err && i < info->window_count; i++) {
		window_record(info, spec, i, &record);
		err = print_row(printer, &record);
	}
	return err;
}

static int take_info(void *pass, const struct op_batch *view, struct error *error)
{
	return info_pass_add(pass, view) ? error_set(error, -ENOMEM, "out of memory") : 0;
}

static int info_one(struct printer *printer, const struct run_config *config, const char *spec,
		    bool is_quiet, struct error *error)
{
	struct trace_reader *reader = NULL;
	struct info_pass *pass = NULL;
	struct trace_info info;
	int err = trace_command_open(config, spec, &reader, error);

	if (err)
		return err;
	if (info_pass_create(TRACE_INFO_KEYS, &pass))
		err = error_set(error, -ENOMEM, "out of memory");
	if (!err)
		err = trace_command_read(reader, false, take_info, pass, is_quiet, error);
	if (!err && (info_pass_end(pass, &info) || print_info(printer, &info, spec, reader)))
		err = error_set(error, -ENOMEM, "out of memory");
	info_pass_destroy(pass);
	trace_close(reader);
	return err;
}

int trace_command_info(const struct trace_command *command, const struct run_config *config,
		       int count, char **specs, bool is_quiet, struct error *error)
{
	struct printer printer = {.command = command, .is_first = true};
	int err = 0;

	if (command->is_windows || command->output != OUTPUT_TABLE) {
		printer.rows = output_rows_begin(command->output,
						 command->is_windows ? window_columns : NULL);
		if (!printer.rows)
			return error_set(error, -ENOMEM, "out of memory");
	}
	for (int i = 0; i < count && !err; i++)
		err = info_one(&printer, config, specs[i], is_quiet, error);
	if (printer.rows && output_rows_end(printer.rows) && !err)
		err = error_set(error, -ENOMEM, "out of memory");
	return err;
}
