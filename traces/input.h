/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The bytes of a trace file, read into a buffer; what zstd compressed is decompressed on the way.
 * Users see a window on the bytes not consumed yet. Files are read and not mapped: that is as fast,
 * since the buffer stays in the cache, and a file cut short meanwhile is an error and no SIGBUS.
 */
#ifndef TRACES_INPUT_H
#define TRACES_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define INPUT_LINE_MAX (16u << 20) /* bytes, without the newline */
#define INPUT_ALIGN 64 /* of the window, while all that is consumed is multiples of it */

struct decoder;

struct input {
	const char *name;    /* in messages; the caller's */
	const uint8_t *data; /* the window */
	size_t available;    /* bytes in it */
	uint64_t offset;     /* of the window in the file; in what is decompressed of it */
	bool ended;          /* the file has nothing behind the window */
	int fd;              /* -1 when there is none of its own */
	uint64_t file_bytes; /* size of a regular file that is not compressed; else 0 */
	uint64_t size_bytes; /* of a regular file when it was opened; else 0 */
	uint64_t read_bytes; /* of the file, as it is stored */
	uint8_t *buffer;     /* holds the window */
	size_t buffer_bytes;
	struct decoder *decoder; /* of a compressed file; else NULL */
};

/*
 * Opens a file, or standard input for "-", and looks whether it is compressed. Returns 0, -EISDIR
 * for a directory, or the system's errno; error names the file. input->name must live as long as
 * the input.
 */
int input_open(struct input *input, const char *path, struct error *error);
void input_close(struct input *input);

/*
 * Makes at least bytes available, fewer only where the file ends. Returns 0 or a negative errno.
 */
int input_peek(struct input *input, size_t bytes, struct error *error);

/*
 * Reads bytes at an offset of a regular file that is not compressed, past the window. Returns 0,
 * or a negative errno with error.
 */
int input_read_at(const struct input *input, void *to, size_t bytes, uint64_t offset,
		  struct error *error);

/*
 * A run of whole lines from the start of the window, each ended by a newline (a last line without
 * one gets it). Returns 1, 0 at the end of the file, -E2BIG without a message when the first line
 * is longer than INPUT_LINE_MAX, or another negative errno.
 */
int input_lines(struct input *input, const uint8_t **lines, size_t *bytes, struct error *error);

/* Moves the window on. */
void input_consume(struct input *input, size_t bytes);

#endif
