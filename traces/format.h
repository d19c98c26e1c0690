/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A format: one file that defines a struct trace_format, and one line in the table of formats.c.
 *
 * Formats fill batches from an input, and write batches to an output. What they do not say
 * themselves (codes, CPUs, times, values) trace_read() adds.
 */
#ifndef TRACES_FORMAT_H
#define TRACES_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "traces/input.h"
#include "traces/output.h"
#include "traces/spread.h"
#include "traces/trace.h"

/* What the first bytes of a file look like. */
struct trace_sample {
	const uint8_t *head; /* binary: its first bytes; else NULL */
	size_t bytes;
	bool binary;         /* a control character that no text has is among them */
	unsigned int fields; /* text: of the first line that says something; else 0 */
};

/* What a trace gives itself. */
enum trace_gives {
	GIVES_CODES = 1u << 0,
	GIVES_CPUS = 1u << 1,
	GIVES_TIMES = 1u << 2,
	GIVES_VALUES = 1u << 3,
};

struct trace_reader {
	const struct trace_format *format;
	char *name; /* in messages */
	struct trace_options options;
	struct input input;
	unsigned int gives;  /* enum trace_gives */
	uint64_t index;      /* of the next operation */
	uint64_t operations; /* in all; 0: not known */
	uint64_t line;       /* text: of the last line read, from 1 */
	struct spread spread;
	void *state; /* the format's */
	int failed;  /* 0, or the errno that reading ended with, and its text */
	struct error failure;
};

struct trace_writer {
	const struct trace_format *format;
	struct output output;
	uint64_t index; /* of the next operation */
	void *state;    /* the format's */
	int failed;     /* 0, or the errno that writing ended with, and its text */
	struct error failure;
};

struct trace_format {
	const char *name;
	const char *summary;
	const char *content;   /* what such a file holds, for messages */
	const char *extension; /* decides between formats that both take a file; or NULL */
	unsigned int gives;    /* enum trace_gives */
	bool seeks;            /* writing needs a regular file */

	/* Whether a file may be of this format. */
	bool (*detect)(const struct trace_sample *sample);

	/* Prepares reading; may be NULL. Returns 0 or a negative errno with error. */
	int (*open)(struct trace_reader *reader, struct error *error);
	/* Adds operations to an empty batch; returns as trace_read(). */
	int (*read)(struct trace_reader *reader, struct op_batch *batch, struct error *error);
	/*
	 * Where operations stand in memory as they are in a batch: the next ones, at most capacity,
	 * without copying. What it returns, and when it is valid, is trace_view()'s. May be NULL.
	 */
	int (*view)(struct trace_reader *reader, size_t capacity, struct op_batch *view,
		    struct error *error);
	/* Frees state; may be NULL. */
	void (*close)(struct trace_reader *reader);

	/* The same for writing; write is NULL where that is not possible. */
	int (*write_open)(struct trace_writer *writer, struct error *error);
	int (*write)(struct trace_writer *writer, const struct op_batch *batch,
		     struct error *error);
	/* Everything is written: completes it. May be NULL. */
	int (*write_end)(struct trace_writer *writer, struct error *error);
	void (*write_close)(struct trace_writer *writer);
};

extern const struct trace_format text_format;
extern const struct trace_format keys_format;
extern const struct trace_format oracle_format;
extern const struct trace_format binary_format;

/* Not in the table: reads no file. Its open takes the spec from reader->name. */
extern const struct trace_format gen_format;

#define FORMATS_MAX 8

/* All formats, NULL at the end. */
extern const struct trace_format *const trace_format_table[FORMATS_MAX + 1];

/* The format of a name of that many bytes, or NULL. */
const struct trace_format *format_find(const char *name, size_t bytes);

/*
 * Skips the byte-order mark that a text file of the format may begin with; detection does, too.
 * Returns 0 or a negative errno with error.
 */
int format_skip_mark(const struct trace_format *format, struct trace_reader *reader,
		     struct error *error);

/*
 * The format of a file by its content. Returns 0, or a negative errno with error saying what was
 * expected.
 */
int format_detect(struct trace_reader *reader, const struct trace_format **format,
		  struct error *error);

/* Writes a list in words, "a, b or c", of names ended by NULL. */
void names_list(const char *const *names, char *text, size_t bytes);

/*
 * The next whole lines: from *lines to *end, behind the last newline. Returns 1, 0 at the end of
 * the file, or a negative errno with error.
 */
int reader_lines(struct trace_reader *reader, const uint8_t **lines, const uint8_t **end,
		 struct error *error);

/*
 * The integer of an operation's key, for formats that hold only integers. Returns 0, or -EINVAL
 * with error for a key of more than 8 bytes or a batch operation.
 */
int writer_key(const struct trace_writer *writer, const struct op_batch *batch, size_t index,
	       uint64_t *key, struct error *error);

#endif
