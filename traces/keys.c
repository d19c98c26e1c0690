// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* One integer key a line; # starts a comment. */
#include "traces/format.h"
#include "traces/scan.h"

static bool keys_detect(const struct trace_sample *sample)
{
	return !sample->binary && sample->fields == 1;
}

/* Parses lines until they end or the batch is full. */
static int keys_parse(struct trace_reader *reader, const uint8_t **cursor, const uint8_t *end,
		      struct op_batch *batch, struct error *error)
{
	const uint8_t *p = *cursor;
	int err = 0;

	while (p < end && batch->count < batch->capacity) {
		const uint8_t *behind;

		reader->line++;
		p = scan_blanks(p);
		if (scan_at_end(p)) {
			p = scan_next_line(p);
			continue;
		}
		behind = scan_number(p, &batch->ops[batch->count].key);
		if (!behind) {
			err = scan_error(reader->name, reader->line,
					 "a key (an integer below 2^64)", p, error);
			break;
		}
		p = scan_blanks(behind);
		if (!scan_at_end(p)) {
			err = scan_error(reader->name, reader->line, "one key a line", p, error);
			break;
		}
		p = scan_next_line(p);
		batch->count++;
	}
	*cursor = p;
	return err;
}

static int keys_read(struct trace_reader *reader, struct op_batch *batch, struct error *error)
{
	while (batch->count < batch->capacity) {
		const uint8_t *lines;
		const uint8_t *p;
		const uint8_t *end;
		int ret = reader_lines(reader, &lines, &end, error);

		if (ret <= 0)
			return ret;
		p = lines;
		ret = keys_parse(reader, &p, end, batch, error);
		input_consume(&reader->input, (size_t)(p - lines));
		if (ret)
			return ret;
	}
	return 0;
}

static int keys_write(struct trace_writer *writer, const struct op_batch *batch,
		      struct error *error)
{
	FILE *file = writer->output.stream;
	char line[NUMBER_BYTES + 1];
	uint64_t key;

	for (size_t i = 0; i < batch->count && !ferror_unlocked(file); i++) {
		char *end;
		int err = writer_key(writer, batch, i, &key, error);

		if (err)
			return err;
		end = number_print(line, key);
		*end = '\n';
		fwrite_unlocked(line, 1, (size_t)(end + 1 - line), file);
	}
	return output_check(&writer->output, error);
}

const struct trace_format keys_format = {
	.name = "keys",
	.summary = "one integer key a line",
	.content = "one integer a line",
	.extension = "keys",
	.detect = keys_detect,
	.read = keys_read,
	.write = keys_write,
};
