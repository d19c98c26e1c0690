/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A job: an experiment as an INI file. Sections [map], [run], [tunables], [vary], [traces] and
 * [output] hold lines of "name = value" under the names of the command line. What config_set()
 * knows is known here, too; what only a command knows is handed to it.
 */
#ifndef SIM_JOB_H
#define SIM_JOB_H

#include <stdio.h>

#include "base/error.h"
#include "sim/config.h"

struct job_entry {
	char *section, *name, *value; /* no blanks around them */
	unsigned int line;
};

struct job {
	char *path; /* as errors name it */
	struct job_entry *entries;
	size_t count;
};

/*
 * Reads a job. Lines that are indented go on with the values of [vary], columns and trace; a
 * repeated trace is one more. Returns 0, -ENOMEM, -EINVAL for what is no job, or what the system
 * says, with error naming file, line and what was expected. job is the caller's to deinit only
 * after 0.
 */
int job_open(const char *path, struct job *job, struct error *error);
int job_read(FILE *file, const char *path, struct job *job, struct error *error);
void job_deinit(struct job *job);

/* Takes what config_set() does not know. 0, or a negative errno with error. */
typedef int job_entry_fn(void *arg, const struct job_entry *entry, struct error *error);

/* Sets config from [map], [tunables] and [run], and hands the rest over. Returns as job_open(). */
int job_apply(const struct job *job, struct run_config *config, job_entry_fn *other, void *arg,
	      struct error *error);

/* Puts file and line before the text of an error. Returns err. */
int job_error(const struct job *job, unsigned int line, int err, struct error *error);

/* A trace as a job names it: files are beside the job. NULL without memory; the caller's to free.
 */
char *job_trace(const struct job *job, const char *spec);

#endif
