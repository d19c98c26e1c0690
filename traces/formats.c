// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "traces/format.h"
#include "traces/scan.h"

const struct trace_format *const trace_format_table[FORMATS_MAX + 1] = {
	&text_format,
	&keys_format,
	&binary_format,
	&oracle_format,
};

#define SAMPLE_BYTES 4096 /* where control characters are looked for */
#define ORACLE_RECORD_BYTES 24

const struct trace_format *format_find(const char *name, size_t bytes)
{
	const struct trace_format *const *format = trace_format_table;

	while (*format && (strncmp((*format)->name, name, bytes) != 0 || (*format)->name[bytes]))
		format++;
	return *format;
}

void names_list(const char *const *names, char *text, size_t bytes)
{
	size_t used = 0;

	*text = '\0';
	for (size_t i = 0; names[i] && used < bytes; i++) {
		const char *before = !i ? "" : names[i + 1] ? ", " : " or ";

		used += (size_t)snprintf(text + used, bytes - used, "%s%s", before, names[i]);
	}
}

static bool bytes_are_binary(const uint8_t *p, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++) {
		if (p[i] < '\t' || (p[i] > '\r' && p[i] < ' ') || p[i] == 0x7f)
			return true;
	}
	return false;
}

static unsigned int line_fields(const uint8_t *p)
{
	unsigned int fields = 0;

	for (p = scan_blanks(p); !scan_at_end(p); p = scan_blanks(scan_field(p)))
		fields++;
	return fields;
}

/*
 * Consumes what comes before the first line that says something, and counts the fields of that
 * line. Returns 1, 0 when there is none, or a negative errno.
 */
static int first_line(struct trace_reader *reader, unsigned int *fields, struct error *error)
{
	const uint8_t *p;
	const uint8_t *end;
	int ret;

	*fields = 0;
	while ((ret = reader_lines(reader, &p, &end, error)) > 0) {
		const uint8_t *start = p;

		while (p < end && !(*fields = line_fields(p))) {
			reader->line++;
			p = scan_next_line(p);
		}
		input_consume(&reader->input, (size_t)(p - start));
		if (*fields)
			break;
	}
	return ret;
}

/* What stands behind the last dot of a name, but for .zst; returns how many bytes that are. */
static size_t name_extension(const char *name, const char **extension)
{
	size_t end = strlen(name), start;

	if (end > 4 && !strcmp(name + end - 4, ".zst"))
		end -= 4;
	for (start = end; start > 0 && name[start - 1] != '.'; start--)
		;
	*extension = name + start;
	/* A name that begins with its only dot has none. */
	return start > 1 && name[start - 2] != '/' ? end - start : 0;
}

static bool has_extension(const struct trace_format *format, const char *name)
{
	const char *extension;
	size_t bytes = name_extension(name, &extension);

	return format->extension && strlen(format->extension) == bytes &&
	       !memcmp(format->extension, extension, bytes);
}

const char *trace_format_of_file(const char *name)
{
	for (size_t i = 0; trace_format_table[i]; i++) {
		if (has_extension(trace_format_table[i], name))
			return trace_format_table[i]->name;
	}
	return NULL;
}

/* Among the formats that take a file, the one that its name ends with, else the first. */
static const struct trace_format *format_choose(const struct trace_sample *sample, const char *name)
{
	const struct trace_format *chosen = NULL;

	for (size_t i = 0; trace_format_table[i]; i++) {
		const struct trace_format *format = trace_format_table[i];

		if (!format->detect(sample))
			continue;
		if (has_extension(format, name))
			return format;
		if (!chosen)
			chosen = format;
	}
	return chosen;
}

/* What other programs compress, by how it begins. */
struct compression {
	const char *head;
	const char *name, *command;
};

static const struct compression compressions[] = {
	{"\x1f\x8b\x08", "gzip", "zcat"},
	{"\xfd\x37zXZ", "xz", "xzcat"},
	{"BZh", "bzip2", "bzcat"},
	{"\x04\x22\x4d\x18", "lz4", "lz4cat"},
};

static const struct compression *compression_find(const struct trace_sample *sample)
{
	for (size_t i = 0; i < sizeof(compressions) / sizeof(compressions[0]); i++) {
		size_t bytes = strlen(compressions[i].head);

		if (sample->bytes >= bytes && !memcmp(sample->head, compressions[i].head, bytes))
			return &compressions[i];
	}
	return NULL;
}

/* Binary data that are no trace: says what they are, where that is known. */
static int refuse_binary(const struct trace_reader *reader, const struct trace_sample *sample,
			 struct error *error)
{
	const struct compression *compression = compression_find(sample);

	if (!compression)
		return error_set(error, -EINVAL,
				 "%s: byte 0: expected a trace, found binary data of no known "
				 "format",
				 reader->name);
	return error_set(error, -EINVAL,
			 "%s: is compressed with %s, expected zstd or no compression; try %s FILE "
			 "| mapsim ... -",
			 reader->name, compression->name, compression->command);
}

/* What some editors put before UTF-8. */
static int skip_mark(struct trace_reader *reader, struct error *error)
{
	struct input *input = &reader->input;
	int err = input_peek(input, 3, error);

	if (!err && input->available >= 3 && !memcmp(input->data, "\xef\xbb\xbf", 3))
		input_consume(input, 3);
	return err;
}

int format_skip_mark(const struct trace_format *format, struct trace_reader *reader,
		     struct error *error)
{
	return format == &text_format || format == &keys_format ? skip_mark(reader, error) : 0;
}

int format_detect(struct trace_reader *reader, const struct trace_format **format,
		  struct error *error)
{
	struct input *input = &reader->input;
	struct trace_sample sample = {0};
	int ret;

	ret = input_peek(input, SAMPLE_BYTES, error);
	if (ret)
		return ret;
	sample.head = input->data;
	sample.bytes = input->available < SAMPLE_BYTES ? input->available : SAMPLE_BYTES;
	sample.binary = bytes_are_binary(sample.head, sample.bytes);
	if (!sample.binary) {
		/* Looking at lines moves the window. */
		sample.head = NULL;
		sample.bytes = 0;
		ret = skip_mark(reader, error);
		if (ret)
			return ret;
		ret = first_line(reader, &sample.fields, error);
		if (ret < 0)
			return ret;
		if (!ret)
			return error_set(error, -EINVAL, "%s: has no operations, only comments",
					 reader->name);
	}
	*format = format_choose(&sample, reader->name);
	/* Less than a record of oracleGeneral says nothing against it. */
	if (*format && (!sample.binary || sample.bytes >= ORACLE_RECORD_BYTES ||
			*format != &oracle_format || !compression_find(&sample)))
		return 0;
	if (sample.binary)
		return refuse_binary(reader, &sample, error);
	return error_set(error, -EINVAL,
			 "%s:%" PRIu64 ": expected CPU CODE KEY or a single integer, found %u "
			 "fields",
			 reader->name, reader->line + 1, sample.fields);
}
