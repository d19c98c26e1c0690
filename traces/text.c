// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Native text: one operation a line, "CPU CODE KEY [time=NS] [value=N] [ctx=CONTEXT]". Blanks or
 * tabs separate fields, # starts a comment. An integer key is decimal; 0x starts the key's bytes,
 * two hex digits each, in order.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "traces/format.h"
#include "traces/scan.h"

/* A batch ends early when its keys take this much, so that memory does not grow with the trace. */
#define ARENA_BYTES_MAX ((size_t)64 << 20)

static const char *const context_names[OP_CONTEXTS] = {
	[OP_PROGRAM] = "program",
	[OP_SYSCALL] = "syscall",
	[OP_IRQ] = "irq",
	[OP_NMI] = "nmi",
};

/* What a letter means. */
struct text_code {
	bool valid;
	uint8_t code;
	uint8_t context;
};

struct text_state {
	struct text_code codes[256];
	/* Written once; messages about codes and CPUs show them. */
	char expected_code[96];
	char expected_cpu[40];
};

/* The optional fields of a line. */
struct text_fields {
	bool has_time, has_value, has_context;
	uint64_t time_ns;
	uint64_t value;
};

static bool text_detect(const struct trace_sample *sample)
{
	return !sample->binary && sample->fields >= 3;
}

static int text_open(struct trace_reader *reader, struct error *error)
{
	struct text_state *state = calloc(1, sizeof(*state));
	char letters[2 * OP_CODES + 2];
	size_t used = 0;

	if (!state)
		return error_set(error, -ENOMEM, "%s: %s", reader->name, strerror(ENOMEM));
	for (int i = 0; i < 256; i++) {
		struct text_code *code = &state->codes[i];

		code->valid = !op_from_letter((char)i, &code->code, &code->context);
	}
	for (int code = 0; code < OP_CODES; code++)
		letters[used++] = op_letter((uint8_t)code, OP_PROGRAM);
	letters[used++] = ' ';
	for (int code = 0; code < OP_CODES; code++)
		letters[used++] = op_letter((uint8_t)code, OP_SYSCALL);
	letters[used] = '\0';
	snprintf(state->expected_code, sizeof(state->expected_code), "a code (one of %s)", letters);
	snprintf(state->expected_cpu, sizeof(state->expected_cpu), "a CPU below %u (-c)",
		 reader->options.cpu_limit);
	reader->state = state;
	return 0;
}

static void text_close(struct trace_reader *reader)
{
	free(reader->state);
}

static __attribute__((noinline, cold)) int text_error(const struct trace_reader *reader,
						      const char *expected, const uint8_t *p,
						      struct error *error)
{
	return scan_error(reader->name, reader->line, expected, p, error);
}

static int hex_digit(uint8_t c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/* Reads the hex digits of a field, behind its 0x, into the batch's arena. */
static int text_parse_bytes(struct trace_reader *reader, const uint8_t *field, size_t digits,
			    struct op_batch *batch, struct map_op *op, struct error *error)
{
	uint8_t block[256];
	size_t used = 0;
	int64_t offset = -1;

	for (size_t i = 0; i < digits; i += 2) {
		int high = hex_digit(field[2 + i]);
		int low = hex_digit(field[3 + i]);

		if (high < 0 || low < 0)
			return text_error(reader, "hex digits after 0x", field, error);
		block[used++] = (uint8_t)(high << 4 | low);
		if (used < sizeof(block) && i + 2 < digits)
			continue;
		offset = op_batch_add_bytes(batch, block, used);
		if (offset < 0)
			return error_set(error, -ENOMEM, "%s:%" PRIu64 ": %s", reader->name,
					 reader->line, strerror(ENOMEM));
		used = 0;
	}
	op->key_bytes = (uint32_t)(digits / 2);
	op->key = batch->arena_bytes - op->key_bytes;
	return 0;
}

/* A key given as bytes. What it leaves in the arena on errors, the caller takes back. */
static int text_parse_hex(struct trace_reader *reader, const uint8_t **cursor,
			  struct op_batch *batch, struct map_op *op, struct error *error)
{
	const uint8_t *field = *cursor;
	uint32_t limit = reader->options.key_size;
	size_t digits;

	if (op->code == OP_BATCH_LOOKUP || op->code == OP_BATCH_LOOKUP_AND_DELETE)
		return text_error(reader, "a count of elements (an integer)", field, error);
	*cursor = scan_field(field);
	digits = (size_t)(*cursor - field - 2);
	if (!digits)
		return text_error(reader, "hex digits after 0x", field, error);
	if (digits % 2)
		return text_error(reader, "two hex digits for every byte of a key", field, error);
	if (!limit)
		limit = TRACE_KEY_MAX;
	if (digits / 2 > limit) {
		char expected[64];

		snprintf(expected, sizeof(expected), "a key of at most %u bytes", limit);
		return text_error(reader, expected, field, error);
	}
	return text_parse_bytes(reader, field, digits, batch, op, error);
}

/* The number behind the = of a field, which is given once. */
static int text_parse_value(struct trace_reader *reader, const uint8_t **cursor, size_t name_bytes,
			    bool *given, uint64_t *value, const char *expected, struct error *error)
{
	const uint8_t *end = scan_number(*cursor + name_bytes, value);

	if (!end)
		return text_error(reader, expected, *cursor, error);
	if (*given)
		return text_error(reader, "every field once", *cursor, error);
	*given = true;
	*cursor = end;
	return 0;
}

static int text_parse_context(struct trace_reader *reader, const uint8_t **cursor, bool *given,
			      struct map_op *op, struct error *error)
{
	const uint8_t *field = *cursor;
	const uint8_t *name = field + strlen("ctx=");
	size_t bytes = (size_t)(scan_field(field) - name);
	uint8_t context = 0;

	while (context < OP_CONTEXTS && (strlen(context_names[context]) != bytes ||
					 memcmp(context_names[context], name, bytes) != 0))
		context++;
	if (context == OP_CONTEXTS)
		return text_error(reader, "ctx=program, syscall, irq or nmi", field, error);
	if (*given)
		return text_error(reader, "every field once", field, error);
	*given = true;
	op->context = context;
	*cursor = name + bytes;
	return 0;
}

/* What stands behind the key. ctx= overrides what the case of the code says. */
static int text_parse_fields(struct trace_reader *reader, const uint8_t **cursor, struct map_op *op,
			     struct text_fields *fields, struct error *error)
{
	const uint8_t *p = *cursor;
	int err = 0;

	while (!err) {
		p = scan_blanks(p);
		if (scan_at_end(p))
			break;
		if (!strncmp((const char *)p, "time=", 5))
			err = text_parse_value(reader, &p, 5, &fields->has_time, &fields->time_ns,
					       "time=NANOSECONDS (an integer below 2^64)", error);
		else if (!strncmp((const char *)p, "value=", 6))
			err = text_parse_value(reader, &p, 6, &fields->has_value, &fields->value,
					       "value=N (an integer below 2^64)", error);
		else if (!strncmp((const char *)p, "ctx=", 4))
			err = text_parse_context(reader, &p, &fields->has_context, op, error);
		else
			err = text_error(reader, "time=, value=, ctx= or the end of the line", p,
					 error);
	}
	*cursor = p;
	return err;
}

/* Parses one operation, from the first byte of its line that is not blank, into op. */
static inline int text_parse_op(struct trace_reader *reader, const uint8_t **cursor,
				struct op_batch *batch, struct map_op *op,
				struct text_fields *fields, struct error *error)
{
	const struct text_state *state = reader->state;
	const uint8_t *p = *cursor;
	const uint8_t *end;
	const struct text_code *code;
	uint64_t cpu;
	int err;

	end = scan_number(p, &cpu);
	if (!end || cpu >= reader->options.cpu_limit)
		return text_error(reader, state->expected_cpu, p, error);
	op->cpu = (uint16_t)cpu;

	p = scan_blanks(end);
	code = &state->codes[*p];
	if (!code->valid || !scan_at_field_end(p + 1))
		return text_error(reader, state->expected_code, p, error);
	op->code = code->code;
	op->context = code->context;

	p = scan_blanks(p + 1);
	end = scan_number(p, &op->key);
	if (end) {
		op->key_bytes = 0;
		p = end;
	} else if (p[0] == '0' && p[1] == 'x') {
		err = text_parse_hex(reader, &p, batch, op, error);
		if (err)
			return err;
	} else {
		return text_error(reader, "a key (an integer below 2^64, or 0x and hex digits)", p,
				  error);
	}
	*cursor = p;
	if (*p == '\n')
		return 0;
	return text_parse_fields(reader, cursor, op, fields, error);
}

/* Parses lines until they end or the batch is full. */
static int text_parse(struct trace_reader *reader, const uint8_t **cursor, const uint8_t *end,
		      struct op_batch *batch, struct error *error)
{
	const uint8_t *p = *cursor;
	int err = 0;

	while (p < end && batch->count < batch->capacity && batch->arena_bytes < ARENA_BYTES_MAX) {
		struct text_fields fields = {0};
		struct map_op op;
		size_t arena_bytes = batch->arena_bytes;
		uint64_t index = reader->index + batch->count;

		reader->line++;
		p = scan_blanks(p);
		if (scan_at_end(p)) {
			p = scan_next_line(p);
			continue;
		}
		err = text_parse_op(reader, &p, batch, &op, &fields, error);
		if (err) {
			batch->arena_bytes = arena_bytes;
			break;
		}
		p = scan_next_line(p);
		batch->ops[batch->count] = op;
		if (batch->times_ns)
			batch->times_ns[batch->count] = fields.time_ns;
		if (batch->values)
			batch->values[batch->count] = fields.has_value ? fields.value : index;
		batch->count++;
	}
	*cursor = p;
	return err;
}

static int text_read(struct trace_reader *reader, struct op_batch *batch, struct error *error)
{
	while (batch->count < batch->capacity && batch->arena_bytes < ARENA_BYTES_MAX) {
		const uint8_t *lines;
		const uint8_t *p;
		const uint8_t *end;
		int ret = reader_lines(reader, &lines, &end, error);

		if (ret <= 0)
			return ret;
		p = lines;
		ret = text_parse(reader, &p, end, batch, error);
		input_consume(&reader->input, (size_t)(p - lines));
		if (ret)
			return ret;
	}
	return 0;
}

static void bytes_print(FILE *out, const uint8_t *bytes, size_t count)
{
	static const char hex[] = "0123456789abcdef";
	char block[512];
	size_t used = 0;

	for (size_t i = 0; i < count; i++) {
		block[used++] = hex[bytes[i] >> 4];
		block[used++] = hex[bytes[i] & 15];
		if (used == sizeof(block)) {
			fwrite_unlocked(block, 1, used, out);
			used = 0;
		}
	}
	fwrite_unlocked(block, 1, used, out);
}

void trace_print_op(FILE *out, const struct op_batch *batch, size_t index, uint64_t position)
{
	const struct map_op *op = &batch->ops[index];
	char line[160];
	char *p = number_print(line, op->cpu);

	*p++ = ' ';
	*p++ = op_letter(op->code, op->context);
	*p++ = ' ';
	if (op->key_bytes) {
		p = stpcpy(p, "0x");
		fwrite_unlocked(line, 1, (size_t)(p - line), out);
		bytes_print(out, batch->arena + op->key, op->key_bytes);
		p = line;
	} else {
		p = number_print(p, op->key);
	}
	if (batch->times_ns && batch->times_ns[index])
		p = number_print(stpcpy(p, " time="), batch->times_ns[index]);
	if (batch->values && batch->values[index] != position)
		p = number_print(stpcpy(p, " value="), batch->values[index]);
	if (op->context == OP_IRQ || op->context == OP_NMI)
		p = stpcpy(stpcpy(p, " ctx="), context_names[op->context]);
	*p++ = '\n';
	fwrite_unlocked(line, 1, (size_t)(p - line), out);
}

static int text_write(struct trace_writer *writer, const struct op_batch *batch,
		      struct error *error)
{
	FILE *file = writer->output.stream;

	for (size_t i = 0; i < batch->count && !ferror_unlocked(file); i++)
		trace_print_op(file, batch, i, writer->index + i);
	return output_check(&writer->output, error);
}

const struct trace_format text_format = {
	.name = "text",
	.summary = "native text: CPU CODE KEY, and optional time=, value=, ctx=",
	.content = "lines of CPU CODE KEY",
	.extension = "txt",
	.gives = GIVES_CODES | GIVES_CPUS | GIVES_TIMES | GIVES_VALUES,
	.detect = text_detect,
	.open = text_open,
	.read = text_read,
	.close = text_close,
	.write = text_write,
};
