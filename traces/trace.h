/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Traces: opening, reading, making and writing them.
 *
 * A trace is named by a file, by "-" for standard input, or by "gen:KIND,name=value,...". The
 * format of a file is told by its content; "FORMAT:FILE" (say "keys:FILE", "text:-") forces one.
 * Readers stream or map their input: memory does not grow with the trace. Formats that hold keys
 * only become operations by a program, and are spread over the CPUs.
 */
#ifndef TRACES_TRACE_H
#define TRACES_TRACE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "base/op.h"

/* What a key of a key-only trace does. */
enum trace_program {
	TRACE_ACCESS, /* OP_ACCESS by a program */
	TRACE_DIST,   /* OP_DIST by system call */
	TRACE_UPDATE, /* OP_UPDATE by a program */
	TRACE_PROGRAMS
};
extern const char *const trace_program_names[TRACE_PROGRAMS];

/* How a key-only trace is dealt to the CPUs. */
enum trace_spread {
	SPREAD_ROUND_ROBIN,
	SPREAD_RANDOM, /* uniform, from the seed */
	SPREAD_BLOCK,  /* spread_block consecutive operations each, round-robin */
	SPREAD_HASH,   /* by key: a key always comes from the same CPU */
	TRACE_SPREADS
};
extern const char *const trace_spread_names[TRACE_SPREADS];

struct trace_options {
	uint32_t cpus;      /* that keys without CPUs are spread over; 1..MAP_CPUS_MAX */
	uint32_t cpu_limit; /* operations on this CPU or above are an error; 0: cpus */
	uint32_t key_size;  /* longer byte keys are an error; 0: any length up to TRACE_KEY_MAX */
	enum trace_program program;
	enum trace_spread spread;
	uint32_t spread_block;  /* at least 1 */
	uint64_t seed;          /* for SPREAD_RANDOM, and for generators without seed= */
	const atomic_int *stop; /* set from outside, opening ends with -EINTR; or NULL */
};

#define TRACE_KEY_MAX (4u << 20) /* bytes */

struct trace_reader;

/*
 * Opens a trace; *reader is the caller's to close. Returns 0, or a negative errno with error
 * naming the trace, the place and what was expected: -ENOENT, -EISDIR, -EACCES as the system says,
 * -EINVAL for an empty or malformed file or a bad generator.
 */
int trace_open(const char *spec, const struct trace_options *options, struct trace_reader **reader,
	       struct error *error);

/*
 * Resets the batch and fills it with up to its capacity of operations, and its times and values
 * where it has such arrays (an operation without a time or value gets 0 and its index in the
 * trace). Returns 0, with batch->count 0 only at the end, or a negative errno with error; then
 * operations before the broken place are in the batch, and nothing of the broken place is. Every
 * later call returns the same error with an empty batch. A trace without any operation is an error.
 */
int trace_read(struct trace_reader *reader, struct op_batch *batch, struct error *error);

/*
 * The same, without copying where the trace is stored as operations are in memory: view shows up to
 * batch->capacity of them, which must not be changed and are valid until the next call, and times
 * and values only where the trace has some, else NULL. Other traces are read into batch, which view
 * then shows. view has no memory of its own. Returns as trace_read() does.
 */
int trace_view(struct trace_reader *reader, struct op_batch *batch, struct op_batch *view,
	       struct error *error);

void trace_close(struct trace_reader *reader);

/* The file that a trace is, within the spec; or NULL: it is made, or standard input. */
const char *trace_path(const char *spec);

/* Whether a trace is standard input, which can be read once. */
bool trace_is_stdin(const char *spec);

/* What a trace is stored as: a format's name, or "gen". */
const char *trace_format_name(const struct trace_reader *reader);

/* Whether it is compressed. */
bool trace_is_compressed(const struct trace_reader *reader);

/* How many operations there are in all, or 0 when that is not known before reading. */
uint64_t trace_operations(const struct trace_reader *reader);

/* Whether operations can have values of their own; without, a batch need not hold any. */
bool trace_has_values(const struct trace_reader *reader);

/*
 * True when the trace gives keys without codes, so that the program applies. The spread applies to
 * whatever does not give CPUs: files of keys, and generators without cpus= (bursts always gives
 * them).
 */
bool trace_is_keys(const struct trace_reader *reader);

/*
 * An order-sensitive 64-bit digest (XXH3) of operations: CPU, code, context, key. The same for a
 * trace however it is stored or cut in batches.
 */
struct trace_digest;
int trace_digest_create(struct trace_digest **digest);
void trace_digest_update(struct trace_digest *digest, const struct op_batch *batch);
uint64_t trace_digest_value(const struct trace_digest *digest);
void trace_digest_destroy(struct trace_digest *digest);

/*
 * Writing. Keys and oracle keep only the keys (oracle: and the times, in seconds); they refuse keys
 * longer than 8 bytes and batch operations, which have none. path "-" is standard output, which
 * oracle refuses. A file appears under its name when the writer is closed, replacing what was
 * there; devices and pipes are written as they are. error names the file and what is wrong.
 */
struct trace_writer;

#define TRACE_ZSTD_BY_NAME 0
#define TRACE_ZSTD_LEVEL_MAX 22

/*
 * zstd_level is 1..TRACE_ZSTD_LEVEL_MAX, or TRACE_ZSTD_BY_NAME: a file whose name ends with .zst is
 * compressed. Returns 0, -EINVAL for an unknown format, or a negative errno. *writer is the
 * caller's.
 */
int trace_writer_open(const char *format, const char *path, int zstd_level,
		      struct trace_writer **writer, struct error *error);

/* Returns 0 or a negative errno, which every later call repeats. */
int trace_write(struct trace_writer *writer, const struct op_batch *batch, struct error *error);

/*
 * Completes the file under its name and frees the writer. After an error, or with commit false,
 * nothing is left of it. Returns 0, or a negative errno when the trace was to be kept and is not.
 */
int trace_writer_close(struct trace_writer *writer, bool commit, struct error *error);

/*
 * One operation as a line of native text, with its newline. position is the operation's index in
 * the trace: a value equal to it is what a reader assumes, and is left out, as is a time of 0.
 * Errors are left in ferror(out).
 */
void trace_print_op(FILE *out, const struct op_batch *batch, size_t index, uint64_t position);

/*
 * Tables for help and completion, ended by a NULL name. parameters are a generator's, as
 * "name=DEFAULT (range: meaning), ..."; of a format they are "read" or "read, write".
 */
struct trace_kind {
	const char *name;
	const char *parameters;
	const char *summary;
};
/* Both from any thread. */
const struct trace_kind *trace_formats(void);
const struct trace_kind *trace_generators(void); /* gen: kinds */

/* The format that a file's name asks for by how it ends (but for .zst), or NULL: any. */
const char *trace_format_of_file(const char *name);

#endif
