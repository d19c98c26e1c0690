// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "sim/folding.h"
#include "sim/map_config.h"
#include "tools/options.h"

static const struct cli_option fold_table[] = {
	{"items", 0, "N", "counters of a table, 1 to 4096 (default 36)"},
	{"cpus", 'c', "N", "CPUs that have a copy of each, 1 to 4096 (default 160)"},
	{"tables", 0, "N", "tables, which are read one after another (default 1000)"},
	{"order", 0, "ORDER", "the order of reading, or all (default)"},
	{"writers", 0, "N",
	 "threads that count meanwhile, each for CPUs of its own,\n"
	 "0 to 256 (default 0)"},
	{"map", 0, NULL, "read the entries of a percpu_hash map of that size, too"},
	{"repeat", 0, "N", "readings in each order, whose median counts (default 11)"},
};

static int set_order(struct folding_config *config, const char *value, struct error *error)
{
	char names[80] = "";
	size_t used = 0;

	config->order = fold_order_find(value);
	if (config->order || !strcmp(value, "all"))
		return 0;
	for (const struct fold_order *order = fold_orders; order->name; order++)
		used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s",
					 used ? ", " : "", order->name);
	return error_set(error, -EINVAL, "order=%.40s: expected %s or all", value, names);
}

static int set_fold_option(void *state, const struct cli_option *option, const char *value,
			   struct error *error)
{
	struct folding_config *config = state;
	const struct {
		const char *name;
		uint32_t *number;
		uint32_t min, max;
	} numbers[] = {
		{"items", &config->size.items, 1, FOLD_ITEMS_MAX},
		{"cpus", &config->size.cpus, 1, MAP_CPUS_MAX},
		{"tables", &config->size.tables, 1, UINT32_MAX},
		{"writers", &config->writers, 0, FOLDING_WRITERS_MAX},
		{"repeat", &config->repeat, 1, FOLDING_REPEAT_MAX},
	};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		if (!strcmp(option->name, numbers[i].name))
			return config_set_u32(numbers[i].number, option->name, value,
					      numbers[i].min, numbers[i].max, error);
	}
	if (!strcmp(option->name, "order"))
		return set_order(config, value, error);
	config->has_map = true;
	return 0;
}

static const struct cli_group fold_group = {fold_table, sizeof(fold_table) / sizeof(fold_table[0]),
					    set_fold_option};

static void print_orders(void)
{
	fputs("\norders:\n", stdout);
	for (const struct fold_order *order = fold_orders; order->name; order++)
		printf("  %-10s %s\n", order->name, order->summary);
}

static int print_part(const struct folding_config *config, const struct folding_part *part,
		      struct output_rows *rows)
{
	int err = 0;

	for (uint32_t i = 0; !err && i < part->count; i++) {
		struct record record = {0};

		folding_record(config, part, i, &record);
		err = record.failed ? -ENOMEM : output_rows_add(rows, &record);
		record_deinit(&record);
	}
	return err;
}

static int print_result(const struct folding_config *config, const struct folding_result *result,
			enum output_format format)
{
	static const char *const columns[] = {"source",        "order",
					      "ns_per_table",  "spread",
					      "seconds",       "ratio_to_item",
					      "lines",         "line_visits",
					      "gb_per_second", "memory_gb_per_second",
					      "memory_share",  NULL};
	struct output_rows *rows =
		output_rows_begin(format, format == OUTPUT_TABLE ? columns : NULL);
	int err = 0, end_err;

	if (!rows)
		return -ENOMEM;
	output_rows_hide_empty(rows, "ratio_to_item");
	for (uint32_t i = 0; !err && i < result->count; i++)
		err = print_part(config, &result->parts[i], rows);
	end_err = output_rows_end(rows);
	return err ? err : end_err;
}

static int run_fold(const struct command *command, int argc, char **argv)
{
	struct folding_config config = {.size = {.items = 36, .cpus = 160, .tables = 1000},
					.repeat = 11};
	enum output_format format = OUTPUT_TABLE;
	bool is_quiet = false;
	void *states[] = {&config, &format, &is_quiet};
	struct error error = {.text = ""};
	struct folding_result result;
	int status, first, err;

	first = command_parse(command, argc, argv, states, &status);
	if (first < 0)
		return status;
	if (first < argc)
		return command_refuse_argument(command, argv[first], "it takes options alone");
	err = folding_run(&config, &stop_requested, &result, &error);
	if (err)
		return fail(err, &error);
	err = print_result(&config, &result, format);
	if (err)
		return fail(error_set(&error, err, "out of memory"), &error);
	return EXIT_FINE;
}

const struct command command_fold = {
	.name = "fold",
	.arguments = "",
	.summary = "what reading per-CPU statistics costs, in which order",
	.description = "Adds up tables of counters of which each CPU has a copy, in each order in "
		       "turn, and\ncompares that with how fast memory can be read at all.",
	.groups = {&fold_group, &format_group, &quiet_group},
	.print_more = print_orders,
	.run = run_fold,
};
