// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Jobs: whatever is read either is refused with a line that says where, or has entries in the order
 * of their lines, in sections that there are.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/job.h"
#include "sim/vary.h"
#include "tests/fuzz/fuzz.h"

static void check(int is_right)
{
	if (!is_right)
		abort();
}

static int take_other(void *arg, const struct job_entry *entry, struct error *error)
{
	const struct job *job = arg;
	char text[256], *trace;
	struct vary vary;

	check(strcmp(entry->section, "map") && strcmp(entry->section, "tunables"));
	if (!strcmp(entry->section, "traces")) {
		trace = job_trace(job, entry->value);
		check(trace && strlen(trace) >= strlen(entry->value));
		free(trace);
	}
	/* Ranges can be long and are told elsewhere. */
	if (strcmp(entry->section, "vary") != 0 || strstr(entry->value, ".."))
		return 0;
	snprintf(text, sizeof(text), "%s=%s", entry->name, entry->value);
	if (!vary_parse(text, &vary, error)) {
		check(vary.count > 0);
		vary_deinit(&vary);
	}
	return 0;
}

void fuzz_job(const uint8_t *bytes, size_t count)
{
	FILE *file = fmemopen((void *)bytes, count, "r");
	struct error error = {.text = ""};
	struct run_config config;
	unsigned int line = 1;
	struct job job;

	if (!file)
		return;
	if (job_read(file, "folder/job", &job, &error)) {
		check(!strncmp(error.text, "folder/job:", 11));
		fclose(file);
		return;
	}
	fclose(file);
	for (size_t i = 0; i < job.count; i++) {
		check(job.entries[i].line >= line);
		line = job.entries[i].line;
	}
	config_init(&config);
	if (job_apply(&job, &config, take_other, &job, &error))
		check(!strncmp(error.text, "folder/job:", 11));
	else
		config_finish(&config);
	job_deinit(&job);
}
