/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The file that a trace is written to: it appears when it is complete, or not at all. It may be
 * compressed on the way.
 */
#ifndef TRACES_OUTPUT_H
#define TRACES_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "base/number.h"
#include "base/output_file.h"

struct output {
	struct output_file file;
	FILE *stream;   /* what formats write to: the file's, or one that gets there compressed */
	char *name;     /* in messages */
	int zstd_level; /* 0: not compressed */
	bool is_staged; /* the stream is a temporary file, to be compressed when it is whole */
};

/*
 * Opens the output; "-" is standard output. zstd_level is 1..ENCODER_LEVEL_MAX, or 0 to write as it
 * is. seeks asks for a stream that can be read back and written anywhere: -ESPIPE when the output
 * is no regular file. A symbolic link stays, and what it points to is replaced. Returns 0, -EISDIR,
 * or the system's errno; error names the file.
 */
int output_open(struct output *output, const char *path, bool seeks, int zstd_level,
		struct error *error);

/*
 * Whether everything was written so far: 0, or a negative errno with error. To be called right
 * after the write that may have failed, while errno is that write's.
 */
int output_check(const struct output *output, struct error *error);

/*
 * Puts a complete file in its place when commit is true, removes it otherwise. Returns 0, or a
 * negative errno with error when it could not be completed; then nothing is left of it.
 */
int output_close(struct output *output, bool commit, struct error *error);

#endif
