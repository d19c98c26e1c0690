// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Opening and reading traces of every kind. */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "traces/format.h"
#include "traces/gen.h"

#define CONTENT_BYTES 256

static bool options_valid(const struct trace_options *options)
{
	return options->cpus >= 1 && options->cpus <= MAP_CPUS_MAX &&
	       options->cpu_limit <= MAP_CPUS_MAX && options->spread_block >= 1 &&
	       (unsigned int)options->program < TRACE_PROGRAMS &&
	       (unsigned int)options->spread < TRACE_SPREADS;
}

/* Refuses a file of no bytes, saying what was expected. */
static int reader_check_empty(struct trace_reader *reader, const struct trace_format *format,
			      struct error *error)
{
	const char *contents[FORMATS_MAX + 1] = {NULL};
	char text[CONTENT_BYTES];
	int err;

	err = input_peek(&reader->input, 1, error);
	if (err || reader->input.available)
		return err;
	if (format) {
		contents[0] = format->content;
	} else {
		for (size_t i = 0; trace_format_table[i]; i++)
			contents[i] = trace_format_table[i]->content;
	}
	names_list(contents, text, sizeof(text));
	return error_set(error, -EINVAL, "%s: is empty, expected %s", reader->name, text);
}

/* The file behind "FORMAT:", or all of the spec; *format is NULL when it names none. */
static const char *spec_file(const char *spec, const struct trace_format **format)
{
	const char *colon = strchr(spec, ':');

	*format = colon ? format_find(spec, (size_t)(colon - spec)) : NULL;
	return *format ? colon + 1 : spec;
}

static bool spec_is_made(const char *spec)
{
	return !strncmp(spec, "gen:", 4);
}

bool trace_is_stdin(const char *spec)
{
	const struct trace_format *format;

	return !spec_is_made(spec) && !strcmp(spec_file(spec, &format), "-");
}

const char *trace_path(const char *spec)
{
	const struct trace_format *format;

	return spec_is_made(spec) || trace_is_stdin(spec) ? NULL : spec_file(spec, &format);
}

/* Opens the file that a spec names, and finds its format. */
static int reader_open_file(struct trace_reader *reader, const char *spec, struct error *error)
{
	const struct trace_format *format;
	int err;

	spec = spec_file(spec, &format);
	err = input_open(&reader->input, spec, error);
	if (err == -ENOENT && gen_is_spec(spec))
		return error_set(error, err, "%s: %s; gen:%s is the generator", spec,
				 strerror(ENOENT), spec);
	if (err)
		return err;
	reader->name = strdup(reader->input.name);
	if (!reader->name)
		return error_set(error, -ENOMEM, "%s: %s", spec, strerror(ENOMEM));
	reader->input.name = reader->name;
	err = reader_check_empty(reader, format, error);
	if (!err)
		err = format ? format_skip_mark(format, reader, error)
			     : format_detect(reader, &format, error);
	if (err)
		return err;
	reader->gives = format->gives;
	reader->format = format;
	return format->open ? format->open(reader, error) : 0;
}

static int reader_open_gen(struct trace_reader *reader, const char *spec, struct error *error)
{
	reader->name = strdup(spec);
	if (!reader->name)
		return error_set(error, -ENOMEM, "%s: %s", spec, strerror(ENOMEM));
	reader->format = &gen_format;
	return gen_format.open(reader, error);
}

int trace_open(const char *spec, const struct trace_options *options, struct trace_reader **reader,
	       struct error *error)
{
	struct trace_reader *new;
	int err;

	*reader = NULL;
	if (!options_valid(options))
		return error_set(error, -EINVAL, "%s: CPUs, program or spread out of range", spec);
	new = calloc(1, sizeof(*new));
	if (!new)
		return error_set(error, -ENOMEM, "%s: %s", spec, strerror(ENOMEM));
	new->input.fd = -1;
	new->options = *options;
	if (!options->cpu_limit)
		new->options.cpu_limit = options->cpus;
	spread_init(&new->spread, options->spread, options->cpus, options->spread_block,
		    options->seed);
	if (spec_is_made(spec))
		err = reader_open_gen(new, spec, error);
	else
		err = reader_open_file(new, spec, error);
	if (err) {
		trace_close(new);
		return err;
	}
	*reader = new;
	return 0;
}

void trace_close(struct trace_reader *reader)
{
	if (!reader)
		return;
	if (reader->format && reader->format->close)
		reader->format->close(reader);
	input_close(&reader->input);
	free(reader->name);
	free(reader);
}

/* Adds to the operations of a batch what the format does not say. */
static void reader_complete(struct trace_reader *reader, struct op_batch *batch)
{
	if (!(reader->gives & GIVES_CODES))
		program_run(reader->options.program, batch->ops, batch->count);
	if (!(reader->gives & GIVES_CPUS))
		spread_run(&reader->spread, batch->ops, batch->count);
	if (batch->times_ns && !(reader->gives & GIVES_TIMES))
		memset(batch->times_ns, 0, batch->count * sizeof(*batch->times_ns));
	if (batch->values && !(reader->gives & GIVES_VALUES)) {
		for (size_t i = 0; i < batch->count; i++)
			batch->values[i] = reader->index + i;
	}
}

/* Counts what was read. Returns what reading says. */
static int reader_advance(struct trace_reader *reader, size_t count, size_t capacity,
			  struct error *error)
{
	reader->index += count;
	if (!reader->failed && !reader->index && capacity)
		reader->failed =
			error_set(&reader->failure, -EINVAL, "%s: has no operations, expected %s",
				  reader->name, reader->format->content);
	if (reader->failed)
		error_copy(error, reader->failed, &reader->failure);
	return reader->failed;
}

int trace_read(struct trace_reader *reader, struct op_batch *batch, struct error *error)
{
	op_batch_reset(batch);
	if (!reader->failed) {
		reader->failed = reader->format->read(reader, batch, &reader->failure);
		reader_complete(reader, batch);
	}
	return reader_advance(reader, batch->count, batch->capacity, error);
}

int trace_view(struct trace_reader *reader, struct op_batch *batch, struct op_batch *view,
	       struct error *error)
{
	int err = 0;

	if (!reader->format->view || reader->failed) {
		err = trace_read(reader, batch, error);
		*view = *batch;
		return err;
	}
	memset(view, 0, sizeof(*view));
	reader->failed = reader->format->view(reader, batch->capacity, view, &reader->failure);
	return reader_advance(reader, view->count, batch->capacity, error);
}

const char *trace_format_name(const struct trace_reader *reader)
{
	return reader->format->name;
}

bool trace_is_compressed(const struct trace_reader *reader)
{
	return reader->input.decoder != NULL;
}

uint64_t trace_operations(const struct trace_reader *reader)
{
	return reader->operations;
}

bool trace_has_values(const struct trace_reader *reader)
{
	return reader->gives & GIVES_VALUES;
}

bool trace_is_keys(const struct trace_reader *reader)
{
	return !(reader->gives & GIVES_CODES);
}

int reader_lines(struct trace_reader *reader, const uint8_t **lines, const uint8_t **end,
		 struct error *error)
{
	size_t bytes;
	int ret = input_lines(&reader->input, lines, &bytes, error);

	if (ret == -E2BIG)
		return error_set(error, -EINVAL,
				 "%s:%" PRIu64 ": expected a line of at most %u bytes, found a "
				 "longer one",
				 reader->name, reader->line + 1, INPUT_LINE_MAX);
	if (ret > 0)
		*end = *lines + bytes;
	return ret;
}

static struct trace_kind kinds[FORMATS_MAX + 1];

static void kinds_init(void)
{
	for (size_t i = 0; trace_format_table[i]; i++) {
		const struct trace_format *format = trace_format_table[i];

		kinds[i].name = format->name;
		kinds[i].parameters = format->write ? "read, write" : "read";
		kinds[i].summary = format->summary;
	}
}

const struct trace_kind *trace_formats(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, kinds_init);
	return kinds;
}
