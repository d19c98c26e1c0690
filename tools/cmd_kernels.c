// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdbool.h>
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

/* The releases asked for: steps that the first has, or that tell two apart. */
struct kernels_asked {
	struct kernel_release releases[2];
	int count;
};

static int parse_releases(int argc, char **argv, struct kernels_asked *asked, struct error *error)
{
	int err = 0;

	if (argc > 2)
		return error_set(error, -EINVAL,
				 "kernels takes two releases at most, not \"%.40s\"", argv[2]);
	for (; !err && asked->count < argc; asked->count++) {
		const char *text = argv[asked->count];
		struct kernel_release *release = &asked->releases[asked->count];
		char note[200];

		err = strcmp(text, "host") ? kernel_parse(text, release, error)
					   : kernel_host(release, note, sizeof(note), error);
	}
	return err;
}

static bool is_asked(const struct kernels_asked *asked, const struct kernel_step *step)
{
	if (!asked->count)
		return true;
	if (asked->count == 1)
		return kernel_has_step(&asked->releases[0], step);
	return kernel_has_step(&asked->releases[0], step) !=
	       kernel_has_step(&asked->releases[1], step);
}

static int run_kernels(const struct command *command, int argc, char **argv)
{
	static const char *const columns[] = {"since", "change", "tunables", NULL};
	enum output_format format = OUTPUT_TABLE;
	struct error error = {.text = "out of memory"};
	struct kernels_asked asked = {0};
	struct output_rows *rows;
	bool is_quiet; /* always: there is nothing to be quiet about */
	void *states[] = {&format, &is_quiet};
	int status, err = 0, first = command_parse(command, argc, argv, states, &status);
	const struct kernel_step *steps;
	unsigned int count;

	if (first < 0)
		return status;
	err = parse_releases(argc - first, argv + first, &asked, &error);
	if (err)
		return fail(err, &error);
	rows = output_rows_begin(format, columns);
	steps = kernel_steps(&count);
	for (unsigned int i = 0; rows && !err && i < count; i++) {
		struct record record = {0};
		char text[256];

		if (!is_asked(&asked, &steps[i]))
			continue;
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
	.arguments = "[RELEASE [RELEASE]]",
	.summary = "what each kernel release changed in the hash maps",
	.description = "Lists what each release changed, with the stable releases that carry it "
		       "back: all,\nthe changes that RELEASE has, or those that one of two has and "
		       "the other has not.",
	.groups = {&format_group, &quiet_group},
	.run = run_kernels,
};
