/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A file being written. A regular file is a temporary beside its place until it is complete;
 * standard output, devices and pipes are written as they are.
 */
#ifndef TRACES_OUTPUT_H
#define TRACES_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

struct output {
	FILE *file;
	char *name;      /* in messages */
	char *path;      /* where the file goes; NULL when it is written in place */
	char *temporary; /* where it is until then */
};

/*
 * Opens the output; "-" is standard output. seeks asks for a regular file, which can then be read
 * back and written anywhere: -ESPIPE when it is none. Returns 0, -EISDIR, or the system's errno;
 * error names the file.
 */
int output_open(struct output *output, const char *path, bool seeks, struct error *error);

/*
 * Whether everything was written so far: 0, or a negative errno with error. To be called right
 * after the write that may have failed, while errno is that write's.
 */
int output_check(struct output *output, struct error *error);

/*
 * Puts a complete file in its place when commit is true, removes it otherwise. Returns 0, or a
 * negative errno with error when it could not be completed; then nothing is left of it. Takes a
 * zeroed output.
 */
int output_close(struct output *output, bool commit, struct error *error);

/* Writes a number in decimal, up to NUMBER_BYTES, and returns the byte behind it. */
#define NUMBER_BYTES 20
char *number_print(char *p, uint64_t number);

#endif
