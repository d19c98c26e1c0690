/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A file that appears under its name only when it is whole: written under a temporary name beside
 * it, and renamed. Whatever goes wrong, what stood there before still does.
 */
#ifndef BASE_OUTPUT_FILE_H
#define BASE_OUTPUT_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"

struct output_file {
	FILE *stream;
	char *path, *temporary;
};

/* Whether a path is written to directly, as devices, pipes and "-" are: a rename would lose them.
 */
bool output_file_is_special(const char *path);

/*
 * Begins a file; "-" is standard output. A symbolic link stays, and what it leads to is replaced.
 * The stream of a regular file can be read back, too. Returns 0, or a negative errno with error:
 * -EISDIR, or what the system says.
 */
int output_file_open(struct output_file *file, const char *path, struct error *error);

/*
 * Completes what is written, not yet under its name, so that several files can be completed before
 * any is put in its place. Returns 0, or a negative errno with error: a full disk, say.
 */
int output_file_finish(struct output_file *file, struct error *error);

/*
 * Ends it: with commit under its name, otherwise leaving nothing. Takes a zeroed file too. Returns
 * 0, or a negative errno with error (a full disk is found out here at the latest); then nothing is
 * left.
 */
int output_file_close(struct output_file *file, bool commit, struct error *error);

#endif
