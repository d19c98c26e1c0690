/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the parts of the command trace share. */
#ifndef TOOLS_CMD_TRACE_H
#define TOOLS_CMD_TRACE_H

#include "tools/options.h"
#include "traces/trace.h"

#define TRACE_BATCH_OPERATIONS 32768

struct trace_command {
	unsigned int given;      /* the options that were, by their place in the table */
	const char *format;      /* --to; NULL: by the name of the file */
	uint64_t operations;     /* -n */
	int zstd_level;          /* --zstd, or TRACE_ZSTD_BY_NAME */
	bool is_windows;         /* --windows */
	const char *output_text; /* -o, not parsed yet; or NULL */
	enum output_format output;
};

/* Opens a trace with the options of the command; *reader is the caller's. As trace_open(). */
int trace_command_open(const struct run_config *config, const char *spec,
		       struct trace_reader **reader, struct error *error);

/*
 * Reads a trace to its end, showing progress, and gives each part to take(), which returns 0 or a
 * negative errno with error. with_all: times and values, too. 0, -EINTR, or a negative errno with
 * error.
 */
typedef int trace_take_fn(void *arg, const struct op_batch *view, struct error *error);
int trace_command_read(struct trace_reader *reader, bool with_all, trace_take_fn *take, void *arg,
		       bool is_quiet, struct error *error);

/* info TRACE...: reads each, and prints what is in it. 0 or a negative errno with error. */
int trace_command_info(const struct trace_command *command, const struct run_config *config,
		       int count, char **specs, bool is_quiet, struct error *error);

#endif
