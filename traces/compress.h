/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * zstd, on the way in and out: frames one after the other, as `zstd` and `cat` make them; skippable
 * frames are skipped.
 */
#ifndef TRACES_COMPRESS_H
#define TRACES_COMPRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

#define DECODER_HEAD_BYTES 4
#define ENCODER_LEVEL_MAX 22
#define ENCODER_LEVEL_DEFAULT 3

struct decoder;

/* Reads up to bytes, none only at the end, into to. Returns 0 or a negative errno with error. */
typedef int decoder_source_fn(void *arg, void *to, size_t bytes, size_t *got, struct error *error);

/* Whether a file that begins with these DECODER_HEAD_BYTES bytes is compressed. */
bool decoder_knows(const uint8_t *head);

/*
 * Decompresses head, what has been read already, and then what source(arg, ...) gives. name stands
 * in messages and must live as long. Returns 0 or -ENOMEM.
 */
int decoder_create(struct decoder **decoder, const char *name, decoder_source_fn *source, void *arg,
		   const void *head, size_t head_bytes);
void decoder_destroy(struct decoder *decoder);

/*
 * Decompresses up to room bytes, none only at the end. Returns 0, or a negative errno with error:
 * -EINVAL for what zstd did not write, or that ends too early.
 */
int decoder_read(struct decoder *decoder, void *to, size_t room, size_t *got, struct error *error);

/*
 * A stream that compresses what is written to it and writes that to another one, which stays the
 * caller's. level is 1..ENCODER_LEVEL_MAX. fclose() completes the frame: it fails, with errno, when
 * the other stream did not take all. NULL with errno when there is no memory.
 */
FILE *encoder_open(FILE *to, int level);

#endif
