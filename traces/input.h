/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The bytes of a trace file. Regular files are mapped, and pages already read are unmapped;
 * everything else is read into a buffer. Users see a window on the bytes not consumed yet.
 * A regular file must not be cut short while it is read: mapped pages behind its end raise SIGBUS.
 */
#ifndef TRACES_INPUT_H
#define TRACES_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define INPUT_LINE_MAX (16u << 20) /* bytes, without the newline */

struct input {
	const char *name;     /* in messages; the caller's */
	const uint8_t *data;  /* the window */
	size_t available;     /* bytes in it */
	uint64_t offset;      /* of the window in the file */
	bool ended;           /* the file has nothing behind the window */
	bool mapped;          /* the window is all of the file */
	int fd;               /* -1 when there is none of its own */
	uint8_t *map;         /* mapped: the file */
	size_t map_bytes;     /* mapped: its size */
	size_t dropped_bytes; /* mapped: unmapped at the start */
	uint8_t *buffer;      /* not mapped: holds the window */
	size_t buffer_bytes;
	uint8_t *last_line; /* mapped: a copy of it, with the newline it lacks */
};

/*
 * Opens a file, or standard input for "-". Returns 0, -EISDIR for a directory, or the system's
 * errno; error names the file. input->name must live as long as the input.
 */
int input_open(struct input *input, const char *path, struct error *error);
void input_close(struct input *input);

/*
 * Makes at least bytes available, fewer only where the file ends. Returns 0 or a negative errno.
 */
int input_peek(struct input *input, size_t bytes, struct error *error);

/*
 * A run of whole lines from the start of the window, each ended by a newline (a last line without
 * one gets it). Returns 1, 0 at the end of the file, -E2BIG without a message when the first line
 * is longer than INPUT_LINE_MAX, or another negative errno.
 */
int input_lines(struct input *input, const uint8_t **lines, size_t *bytes, struct error *error);

/* Moves the window on. */
void input_consume(struct input *input, size_t bytes);

#endif
