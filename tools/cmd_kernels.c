// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "model/kernels.h"
#include "tools/options.h"

static void format_settings(const struct kernel_step *step, char *text, size_t bytes)
{
	size_t used = 0;

	text[0] = '\0';
	for (int i = 0; i < KERNEL_SETTINGS_MAX && step->settings[i].name; i++)
		used += (size_t)snprintf(text + used, bytes - used, "%s%s=%s", i ? " " : "",
					 step->settings[i].name, step->settings[i].value);
}

static int run_kernels(const struct command *command, int argc, char **argv)
{
	static const char *const columns[] = {"since", "change", "tunables", NULL};
	enum output_format format = OUTPUT_TABLE;
	struct error error = {.text = "out of memory"};
	struct output_rows *rows;
	void *states[] = {&format};
	int status, err = 0, first = command_parse(command, argc, argv, states, &status);
	const struct kernel_step *steps;
	unsigned int count;

	if (first < 0)
		return status;
	if (first < argc)
		return fail(error_set(&error, -EINVAL, "kernels takes no argument \"%.40s\"",
				      argv[first]),
			    &error);
	rows = output_rows_begin(format, columns);
	steps = kernel_steps(&count);
	for (unsigned int i = 0; rows && !err && i < count; i++) {
		struct record record = {0};
		char text[256];

		kernel_step_since(&steps[i], text, sizeof(text));
		record_add_text(&record, "since", text);
		record_add_text(&record, "change", steps[i].summary);
		format_settings(&steps[i], text, sizeof(text));
		record_add_text(&record, "tunables", text);
		err = record.failed ? -ENOMEM : output_rows_add(rows, &record);
		record_deinit(&record);
	}
	if (!rows || output_rows_end(rows) || err)
		return fail(-ENOMEM, &error);
	return EXIT_FINE;
}

const struct command command_kernels = {
	.name = "kernels",
	.arguments = "",
	.summary = "what each kernel release changed in the hash maps",
	.description = "Lists what each release changed, with the stable releases that carry it "
		       "back.",
	.groups = {&format_group},
	.run = run_kernels,
};
