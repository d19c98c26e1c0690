// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "model/kernels.h"
#include "model/tunables.h"
#include "tools/options.h"

/* A run's config, and whether a kernel was named. */
struct tunables_command {
	struct run_config config;
	bool is_kernel_given;
	enum output_format format;
};

static const struct cli_option kernel_table[] = {
	{"kernel", 'k', "RELEASE", "the values of this release alone"},
};

static int set_kernel_option(void *state, const struct cli_option *option, const char *value,
			     struct error *error)
{
	struct tunables_command *command = state;

	(void)option;
	command->is_kernel_given = true;
	return config_set(&command->config, "--kernel", value, error);
}

static const struct cli_group kernel_group = {kernel_table, 1, set_kernel_option};

static void format_range(enum tunable_id id, char *text, size_t bytes)
{
	const struct tunable *tunable = tunable_get(id);
	size_t used = 0;

	if (!tunable_choice(id, 0))
		used = (size_t)snprintf(text, bytes, "%" PRIu64 "..%" PRIu64, tunable->min,
					tunable->max);
	for (uint64_t n = 0; tunable_choice(id, n); n++)
		used += (size_t)snprintf(text + used, bytes - used, "%s%s", n ? "|" : "",
					 tunable_choice(id, n));
	if (tunable->auto_name)
		snprintf(text + used, bytes - used, "|%s", tunable->auto_name);
}

/* Whether a step sets a tunable: others may have come with the same release. */
static bool step_sets(const struct kernel_step *step, enum tunable_id id)
{
	for (int i = 0; i < KERNEL_SETTINGS_MAX && step->settings[i].name; i++) {
		if (!strcmp(step->settings[i].name, tunable_get(id)->name))
			return true;
	}
	return false;
}

/* "16; 4.12: 4": the first value, then each release that changed it, mainline and stable. */
static void format_defaults(enum tunable_id id, char *text, size_t bytes)
{
	struct kernel_release release = kernel_oldest();
	struct tunables tunables;
	char value[TUNABLE_TEXT_BYTES], since[80];
	const struct kernel_step *steps;
	unsigned int count;
	uint64_t last;
	size_t used;

	kernel_tunables(&release, &tunables);
	last = tunable_value(&tunables, id);
	used = (size_t)snprintf(text, bytes, "%s", tunable_format(id, last, value));
	steps = kernel_steps(&count);
	for (unsigned int i = 0; i < count; i++) {
		kernel_tunables(&steps[i].since, &tunables);
		if (!step_sets(&steps[i], id) || tunable_value(&tunables, id) == last)
			continue;
		last = tunable_value(&tunables, id);
		kernel_step_since(&steps[i], since, sizeof(since));
		used += (size_t)snprintf(text + used, bytes - used, "; %s: %s", since,
					 tunable_format(id, last, value));
	}
}

static void add_tunable(const struct tunables_command *state, enum tunable_id id,
			struct record *record)
{
	char text[256];

	record_add_text(record, "name", tunable_get(id)->name);
	format_range(id, text, sizeof(text));
	record_add_text(record, "range", text);
	if (state->is_kernel_given)
		tunable_format(id, tunable_value(&state->config.map.tunables, id), text);
	else
		format_defaults(id, text, sizeof(text));
	record_add_text(record, "default", text);
	record_add_text(record, "meaning", tunable_get(id)->summary);
}

/* All tunables, a row each. */
static int print_tunables(const struct tunables_command *state)
{
	static const char *const columns[] = {"name", "range", "default", "meaning", NULL};
	struct output_rows *rows = output_rows_begin(state->format, columns);
	int err = rows ? 0 : -ENOMEM;

	for (int id = 0; !err && id < TUNABLES; id++) {
		struct record record = {0};

		add_tunable(state, (enum tunable_id)id, &record);
		err = record.failed ? -ENOMEM : output_rows_add(rows, &record);
		record_deinit(&record);
	}
	return rows && output_rows_end(rows) ? -ENOMEM : err;
}

/* One tunable: its row, or for a choice its values. */
static int print_tunable(const struct tunables_command *state, enum tunable_id id)
{
	static const char *const choice_columns[] = {"value", "meaning", NULL};
	static const char *const columns[] = {"name", "range", "default", "meaning", NULL};
	bool is_choice = tunable_choice_summary(id, 0);
	struct output_rows *rows =
		output_rows_begin(state->format, is_choice ? choice_columns : columns);
	uint64_t count = 1;
	int err = rows ? 0 : -ENOMEM;

	while (is_choice && tunable_choice(id, count))
		count++;
	for (uint64_t n = 0; !err && n < count; n++) {
		struct record record = {0};

		if (is_choice) {
			record_add_text(&record, "value", tunable_choice(id, n));
			record_add_text(&record, "meaning", tunable_choice_summary(id, n));
		} else {
			add_tunable(state, id, &record);
		}
		err = record.failed ? -ENOMEM : output_rows_add(rows, &record);
		record_deinit(&record);
	}
	return rows && output_rows_end(rows) ? -ENOMEM : err;
}

static int run_tunables(const struct command *command, int argc, char **argv)
{
	struct tunables_command state = {.format = OUTPUT_TABLE};
	struct error error = {.text = "out of memory"};
	bool is_quiet; /* always: there is nothing to be quiet about */
	void *states[] = {&state, &state.format, &is_quiet};
	int status, first, err, id = -1;

	config_init(&state.config);
	first = command_parse(command, argc, argv, states, &status);
	if (first < 0)
		return status;
	if (argc - first > 1)
		return fail(error_set(&error, -EINVAL, "tunables takes one NAME at most"), &error);
	if (first < argc) {
		id = tunable_find(argv[first], &error);
		if (id < 0)
			return fail(id, &error);
	}
	config_finish(&state.config);
	err = id < 0 ? print_tunables(&state) : print_tunable(&state, (enum tunable_id)id);
	return err ? fail(err, &error) : EXIT_FINE;
}

const struct command command_tunables = {
	.name = "tunables",
	.arguments = "[NAME]",
	.summary = "what -s can set: ranges, defaults, meanings",
	.description =
		"Lists the tunables; the default column tells the value in 3.19, then each\n"
		"release that changed it. With the NAME of one that chooses a policy, lists the\n"
		"policies.",
	.groups = {&kernel_group, &format_group, &quiet_group},
	.run = run_tunables,
};
