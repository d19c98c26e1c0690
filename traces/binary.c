// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * mapsim's own binary format, read. A block is looked at as a whole: its digest, then every record,
 * in loops without branches. What is right is handed out where it stands in the input's buffer.
 */
#include "traces/binary.h"

#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* The codes and contexts are stored by number: new ones come behind the old. */
_Static_assert(OP_DIST == 10 && OP_CODES == 11 && OP_NMI == 3 && OP_CONTEXTS == 4, "as stored");
_Static_assert(offsetof(struct map_op, key_bytes) == 8 && offsetof(struct map_op, cpu) == 12 &&
		       offsetof(struct map_op, code) == 14 &&
		       offsetof(struct map_op, context) == 15,
	       "as stored");

struct binary_reader {
	struct op_batch block;  /* the operations of the block that is handed out, in the buffer */
	struct op_batch native; /* where the host's byte order needs a copy: has that */
	size_t next;            /* of the block */
	size_t fault;           /* the first record that is wrong; block.count: none is */
	size_t stored_bytes;    /* of the block in the window, its header included */
	uint64_t blocks;
	bool has_ended;
};

uint64_t binary_digest(const void *header)
{
	return XXH3_64bits(header, sizeof(struct binary_header) - sizeof(uint64_t));
}

uint64_t binary_payload_bytes(uint64_t operations, uint32_t sections, uint64_t key_bytes)
{
	uint64_t bytes = operations * sizeof(struct map_op) + key_bytes;

	if (sections & BINARY_TIMES)
		bytes += operations * sizeof(uint64_t);
	if (sections & BINARY_VALUES)
		bytes += operations * sizeof(uint64_t);
	return (bytes + BINARY_ALIGN - 1) & ~(uint64_t)(BINARY_ALIGN - 1);
}

static bool binary_detect(const struct trace_sample *sample)
{
	return sample->binary && sample->bytes >= sizeof(BINARY_MAGIC) - 1 &&
	       !memcmp(sample->head, BINARY_MAGIC, sizeof(BINARY_MAGIC) - 1);
}

/* Says that at an offset of the file stands not what was expected. Returns -EINVAL. */
static int __attribute__((format(printf, 4, 5), cold))
binary_error(const struct trace_reader *reader, uint64_t offset, struct error *error,
	     const char *format, ...)
{
	char text[256];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return error_set(error, -EINVAL, "%s: byte %" PRIu64 ": expected %s", reader->name, offset,
			 text);
}

/* Makes bytes from the start of the window on available; what is what they are part of. */
static int binary_need(struct trace_reader *reader, size_t bytes, const char *what,
		       struct error *error)
{
	struct input *input = &reader->input;
	int err = input_peek(input, bytes, error);

	if (err || input->available >= bytes)
		return err;
	return binary_error(reader, input->offset, error,
			    "%s of %zu bytes, found the end of the file after %zu", what, bytes,
			    input->available);
}

/* Checks the digest of a header, a block's or the end. */
static int check_digest(const struct trace_reader *reader, const void *header, uint64_t offset,
			const char *what, struct error *error)
{
	const struct binary_header *any = header;
	uint64_t digest = binary_digest(header);

	if (digest == le64toh(any->digest))
		return 0;
	return binary_error(reader, offset, error,
			    "%s with the digest %016" PRIx64 ", found %016" PRIx64
			    ": it is damaged",
			    what, (uint64_t)le64toh(any->digest), digest);
}

static int check_header(struct trace_reader *reader, struct error *error)
{
	struct binary_header header;
	uint32_t bytes, features;
	int err = binary_need(reader, sizeof(header), "a header", error);

	if (err)
		return err;
	memcpy(&header, reader->input.data, sizeof(header));
	bytes = le32toh(header.header_bytes);
	features = le32toh(header.features) & BINARY_MUST_KNOW;
	if (memcmp(header.magic, BINARY_MAGIC, sizeof(header.magic)) != 0)
		return binary_error(reader, 0, error, "the magic of a binary trace, found another");
	/* Before the digest, which another version may have elsewhere. */
	if (le16toh(header.major) != BINARY_MAJOR)
		return binary_error(reader, offsetof(struct binary_header, major), error,
				    "version %d of the format, found %u", BINARY_MAJOR,
				    le16toh(header.major));
	err = check_digest(reader, &header, 0, "a header", error);
	if (err)
		return err;
	if (features)
		return binary_error(reader, offsetof(struct binary_header, features), error,
				    "no features that must be known, found %#x", features);
	if (bytes < sizeof(header) || bytes > BINARY_HEADER_BYTES_MAX || bytes % BINARY_ALIGN)
		return binary_error(reader, offsetof(struct binary_header, header_bytes), error,
				    "a header of 64 to %u bytes, in steps of 64, found %u",
				    BINARY_HEADER_BYTES_MAX, bytes);
	err = binary_need(reader, bytes, "a header", error);
	if (!err)
		input_consume(&reader->input, bytes);
	return err;
}

static int check_end(const struct trace_reader *reader, const struct binary_end *end,
		     uint64_t offset, struct error *error)
{
	int err;

	if (memcmp(end->magic, BINARY_END_MAGIC, sizeof(end->magic)) != 0)
		return binary_error(reader, offset, error,
				    "the end of a trace, found something else: the file is not "
				    "whole");
	err = check_digest(reader, end, offset, "an end", error);
	if (err || le64toh(end->file_bytes) == offset + sizeof(*end))
		return err;
	return binary_error(reader, offset, error,
			    "the end of a file of %" PRIu64 " bytes, found it after %" PRIu64,
			    (uint64_t)le64toh(end->file_bytes), offset + (uint64_t)sizeof(*end));
}

/* In a file whose end can be looked at, a part that is missing is found before anything is read. */
static int look_at_end(struct trace_reader *reader, struct error *error)
{
	uint64_t bytes = reader->input.file_bytes;
	struct binary_end end;
	uint64_t offset = bytes - sizeof(end), most;
	int err;

	if (bytes < sizeof(struct binary_header) + sizeof(end))
		return binary_error(reader, bytes, error,
				    "a header and an end, found the end of the file");
	err = input_read_at(&reader->input, &end, sizeof(end), offset, error);
	if (!err)
		err = check_end(reader, &end, offset, error);
	if (err)
		return err;
	/* Callers allocate by it before they read. */
	most = (offset - sizeof(struct binary_header)) / sizeof(struct map_op);
	if (le64toh(end.operations) > most)
		return binary_error(reader, offset + offsetof(struct binary_end, operations), error,
				    "at most %" PRIu64 " operations in %" PRIu64
				    " bytes, found %" PRIu64,
				    most, bytes, (uint64_t)le64toh(end.operations));
	reader->operations = le64toh(end.operations);
	return 0;
}

static int binary_open(struct trace_reader *reader, struct error *error)
{
	struct binary_reader *state = calloc(1, sizeof(*state));
	int err;

	if (!state)
		return error_set(error, -ENOMEM, "%s: %s", reader->name, strerror(ENOMEM));
	reader->state = state;
	err = check_header(reader, error);
	if (!err && reader->input.file_bytes)
		err = look_at_end(reader, error);
	return err;
}

static void binary_close(struct trace_reader *reader)
{
	struct binary_reader *state = reader->state;

	if (state)
		op_batch_deinit(&state->native);
	free(state);
}

/*
 * Whether all records, without bytes of keys, are right. A record's second half is one word: in
 * each of its fields the sum has the highest bit when the number is too high, or it has it itself.
 */
static bool records_fit(const struct map_op *ops, size_t count, uint32_t cpus)
{
	const uint64_t high = 0x8080800000000000u, key_bytes = UINT32_MAX;
	const uint64_t add = (uint64_t)(0x80 - OP_CONTEXTS) << 56 |
			     (uint64_t)(0x80 - OP_CODES) << 48 | (uint64_t)(0x8000 - cpus) << 32;
	uint64_t seen = 0;

	for (size_t i = 0; i < count; i++) {
		uint64_t word;

		memcpy(&word, (const uint8_t *)&ops[i] + 8, sizeof(word));
		seen |= word | ((word & ~high) + add);
	}
	return !(seen & (high | key_bytes));
}

/* The end of "expected ..., found NUMBER" of a record; nothing when it is right. */
static void record_fault(const struct trace_reader *reader, const struct map_op *op,
			 const struct op_batch *block, char *text, size_t bytes)
{
	uint32_t limit = reader->options.key_size ? reader->options.key_size : TRACE_KEY_MAX;
	bool is_batch = op->code == OP_BATCH_LOOKUP || op->code == OP_BATCH_LOOKUP_AND_DELETE;

	*text = '\0';
	if (op->cpu >= reader->options.cpu_limit)
		snprintf(text, bytes, "a CPU below %u (-c), found %u", reader->options.cpu_limit,
			 op->cpu);
	else if (op->code >= OP_CODES)
		snprintf(text, bytes, "a code below %d, found %u", OP_CODES, op->code);
	else if (op->context >= OP_CONTEXTS)
		snprintf(text, bytes, "a context below %d, found %u", OP_CONTEXTS, op->context);
	else if (op->key_bytes && is_batch)
		snprintf(text, bytes, "a count of elements, found a key of %u bytes",
			 op->key_bytes);
	else if (op->key_bytes > limit)
		snprintf(text, bytes, "a key of at most %u bytes, found %u", limit, op->key_bytes);
	else if (op->key_bytes &&
		 (op->key > block->arena_bytes || op->key_bytes > block->arena_bytes - op->key))
		snprintf(text, bytes,
			 "a key within the block's %zu bytes of keys, found bytes %" PRIu64
			 " to %" PRIu64,
			 block->arena_bytes, op->key, op->key + op->key_bytes);
}

/* The first record of the block that is wrong; its count when none is. */
static size_t find_fault(const struct trace_reader *reader, const struct op_batch *block)
{
	char text[256];
	size_t i = 0;

	if (!block->arena_bytes && BYTE_ORDER == LITTLE_ENDIAN &&
	    records_fit(block->ops, block->count, reader->options.cpu_limit))
		return block->count;
	for (; i < block->count; i++) {
		record_fault(reader, &block->ops[i], block, text, sizeof(text));
		if (*text)
			break;
	}
	return i;
}

static int fault_error(const struct trace_reader *reader, struct error *error)
{
	const struct binary_reader *state = reader->state;
	size_t offset = sizeof(struct binary_block) + state->fault * sizeof(struct map_op);
	char text[256];

	record_fault(reader, &state->block.ops[state->fault], &state->block, text, sizeof(text));
	return binary_error(reader, reader->input.offset + offset, error, "%s", text);
}

/* Checks what a block's header says, before anything is believed of it. */
static int check_block(const struct trace_reader *reader, const struct binary_block *block,
		       struct error *error)
{
	uint64_t offset = reader->input.offset, payload = le64toh(block->payload_bytes), least;
	uint32_t operations = le32toh(block->operations), sections = le32toh(block->sections);
	uint32_t unknown = sections & BINARY_MUST_KNOW & ~(uint32_t)BINARY_SECTIONS;
	uint32_t key_bytes = le32toh(block->key_bytes);
	int err;

	if (memcmp(block->magic, BINARY_BLOCK_MAGIC, sizeof(block->magic)) != 0)
		return binary_error(reader, offset, error,
				    "a block or the end of the trace, found something else");
	err = check_digest(reader, block, offset, "a block's header", error);
	if (err)
		return err;
	if (unknown)
		return binary_error(reader, offset + offsetof(struct binary_block, sections), error,
				    "sections that are known, found %#x too", unknown);
	if (!operations || operations > BINARY_OPERATIONS_MAX)
		return binary_error(reader, offset + offsetof(struct binary_block, operations),
				    error, "1 to %u operations, found %u", BINARY_OPERATIONS_MAX,
				    operations);
	if (le64toh(block->first) != reader->index)
		return binary_error(reader, offset + offsetof(struct binary_block, first), error,
				    "a block that begins with operation %" PRIu64
				    ", found %" PRIu64,
				    reader->index, (uint64_t)le64toh(block->first));
	if (key_bytes > BINARY_KEY_BYTES_MAX)
		return binary_error(reader, offset + offsetof(struct binary_block, key_bytes),
				    error, "at most %u bytes of keys, found %u",
				    BINARY_KEY_BYTES_MAX, key_bytes);
	least = binary_payload_bytes(operations, sections, key_bytes);
	if (payload < least || payload > BINARY_PAYLOAD_BYTES_MAX || payload % BINARY_ALIGN ||
	    (payload != least && !(sections & ~BINARY_MUST_KNOW)))
		return binary_error(reader, offset + offsetof(struct binary_block, payload_bytes),
				    error, "a payload of %" PRIu64 " bytes, found %" PRIu64, least,
				    payload);
	return 0;
}

/* On a big-endian host: a copy of the block in its byte order. */
static int block_swap(struct op_batch *native, struct op_batch *block)
{
	int err = 0;

	if (native->capacity < block->count) {
		op_batch_deinit(native);
		err = op_batch_init(native, block->count, 1, 1);
	}
	for (size_t i = 0; !err && i < block->count; i++) {
		native->ops[i] = (struct map_op){
			.key = le64toh(block->ops[i].key),
			.key_bytes = le32toh(block->ops[i].key_bytes),
			.cpu = le16toh(block->ops[i].cpu),
			.code = block->ops[i].code,
			.context = block->ops[i].context,
		};
		if (block->times_ns)
			native->times_ns[i] = le64toh(block->times_ns[i]);
		if (block->values)
			native->values[i] = le64toh(block->values[i]);
	}
	if (err)
		return err;
	block->ops = native->ops;
	block->times_ns = block->times_ns ? native->times_ns : NULL;
	block->values = block->values ? native->values : NULL;
	return 0;
}

/* Points the reader's batch at the parts of a payload. */
static int block_lay_out(struct binary_reader *state, const struct binary_block *header,
			 uint8_t *payload)
{
	struct op_batch *block = &state->block;
	uint32_t sections = le32toh(header->sections);

	memset(block, 0, sizeof(*block));
	block->count = block->capacity = le32toh(header->operations);
	block->ops = (struct map_op *)payload;
	payload += block->count * sizeof(*block->ops);
	if (sections & BINARY_TIMES) {
		block->times_ns = (uint64_t *)payload;
		payload += block->count * sizeof(*block->times_ns);
	}
	if (sections & BINARY_VALUES) {
		block->values = (uint64_t *)payload;
		payload += block->count * sizeof(*block->values);
	}
	block->arena_bytes = le32toh(header->key_bytes);
	if (block->arena_bytes)
		block->arena = payload;
	return BYTE_ORDER == LITTLE_ENDIAN ? 0 : block_swap(&state->native, block);
}

/* What the end says of all has to be what was read. */
static int take_end(struct trace_reader *reader, const struct binary_end *end, struct error *error)
{
	struct binary_reader *state = reader->state;
	uint64_t offset = reader->input.offset;
	int err = check_end(reader, end, offset, error);

	if (err)
		return err;
	if (le64toh(end->operations) != reader->index || le64toh(end->blocks) != state->blocks)
		return binary_error(reader, offset, error,
				    "the end of %" PRIu64 " operations in %" PRIu64
				    " blocks, found that of %" PRIu64 " in %" PRIu64,
				    reader->index, state->blocks,
				    (uint64_t)le64toh(end->operations),
				    (uint64_t)le64toh(end->blocks));
	input_consume(&reader->input, sizeof(*end));
	err = input_peek(&reader->input, 1, error);
	if (!err && reader->input.available)
		return binary_error(reader, reader->input.offset, error,
				    "the end of the file, found more behind the trace");
	state->has_ended = true;
	return err;
}

/* Reads and checks the next block, or the end. */
static int next_block(struct trace_reader *reader, struct error *error)
{
	struct binary_reader *state = reader->state;
	struct input *input = &reader->input;
	struct binary_block header;
	uint64_t digest;
	int err;

	input_consume(input, state->stored_bytes);
	state->stored_bytes = 0;
	state->next = state->fault = 0;
	state->block.count = 0;
	err = binary_need(reader, sizeof(header), "a block or the end of the trace", error);
	if (err)
		return err;
	memcpy(&header, input->data, sizeof(header));
	if (!memcmp(header.magic, BINARY_END_MAGIC, sizeof(header.magic)))
		return take_end(reader, (const struct binary_end *)&header, error);
	err = check_block(reader, &header, error);
	if (!err)
		err = binary_need(reader, sizeof(header) + le64toh(header.payload_bytes), "a block",
				  error);
	if (err)
		return err;
	digest = XXH3_64bits(input->data + sizeof(header), le64toh(header.payload_bytes));
	if (digest != le64toh(header.payload_digest))
		return binary_error(reader, input->offset + sizeof(header), error,
				    "a payload with the digest %016" PRIx64 ", found %016" PRIx64
				    ": it is damaged",
				    (uint64_t)le64toh(header.payload_digest), digest);
	state->stored_bytes = sizeof(header) + le64toh(header.payload_bytes);
	state->blocks++;
	/* Who gets the operations does not change them. */
	err = block_lay_out(state, &header,
			    input->buffer + (input->data - input->buffer) + sizeof(header));
	if (err)
		return error_set(error, err, "%s: %s", reader->name, strerror(-err));
	state->fault = find_fault(reader, &state->block);
	return 0;
}

static int binary_view(struct trace_reader *reader, size_t capacity, struct op_batch *view,
		       struct error *error)
{
	struct binary_reader *state = reader->state;
	const struct op_batch *block = &state->block;

	while (state->next == state->fault && !state->has_ended && capacity) {
		int err = state->fault < block->count ? fault_error(reader, error)
						      : next_block(reader, error);

		if (err)
			return err;
	}
	*view = *block;
	view->count = state->fault - state->next;
	if (view->count > capacity)
		view->count = capacity;
	if (!view->count)
		return 0;
	view->ops += state->next;
	if (view->times_ns)
		view->times_ns += state->next;
	if (view->values)
		view->values += state->next;
	state->next += view->count;
	return 0;
}

/*
 * The part of its block's arena that the keys of a view lie in, if that is less than all of them
 * one by one: many records may share the bytes of a long key. Returns its size, or 0.
 */
static size_t view_shared(const struct op_batch *view, uint64_t *start)
{
	uint64_t first = UINT64_MAX, end = 0, sum = 0;

	for (size_t i = 0; i < view->count; i++) {
		const struct map_op *op = &view->ops[i];

		if (!op->key_bytes)
			continue;
		first = op->key < first ? op->key : first;
		end = op->key + op->key_bytes > end ? op->key + op->key_bytes : end;
		sum += op->key_bytes;
	}
	*start = first;
	return sum && end - first < sum ? end - first : 0;
}

/*
 * Copies the keys of a view, whose records are the last ones of the batch, and points these at
 * them. Takes at most the size of the block's arena. Returns how many records are complete.
 */
static size_t view_copy_keys(const struct op_batch *view, struct op_batch *batch,
			     struct map_op *ops)
{
	uint64_t start;
	size_t shared = view_shared(view, &start);
	int64_t offset = 0;

	if (shared)
		offset = op_batch_add_bytes(batch, view->arena + start, shared);
	for (size_t i = 0; i < view->count; i++) {
		if (!ops[i].key_bytes)
			continue;
		if (!shared)
			offset = op_batch_add_bytes(batch, view->arena + ops[i].key,
						    ops[i].key_bytes);
		if (offset < 0)
			return i;
		ops[i].key = (uint64_t)offset + (shared ? ops[i].key - start : 0);
	}
	return view->count;
}

/* Copies what is viewed, from operation index of the trace on, to the end of a batch. */
static int view_copy(const struct op_batch *view, struct op_batch *batch, uint64_t index)
{
	size_t at = batch->count;
	size_t count = view->count;

	memcpy(batch->ops + at, view->ops, count * sizeof(*view->ops));
	if (view->arena_bytes)
		count = view_copy_keys(view, batch, batch->ops + at);
	for (size_t i = 0; batch->times_ns && i < count; i++)
		batch->times_ns[at + i] = view->times_ns ? view->times_ns[i] : 0;
	for (size_t i = 0; batch->values && i < count; i++)
		batch->values[at + i] = view->values ? view->values[i] : index + i;
	batch->count += count;
	return count == view->count ? 0 : -ENOMEM;
}

static int binary_read(struct trace_reader *reader, struct op_batch *batch, struct error *error)
{
	struct binary_reader *state = reader->state;

	while (batch->count < batch->capacity && batch->arena_bytes <= BINARY_KEY_BYTES_MAX) {
		struct op_batch view = {0};
		int err;

		/* Blocks are numbered by what was read, of which the reader does not know yet. */
		reader->index += batch->count;
		err = binary_view(reader, batch->capacity - batch->count, &view, error);
		reader->index -= batch->count;
		if (err)
			return err;
		if (view.count)
			err = view_copy(&view, batch, reader->index + batch->count);
		if (err)
			return error_set(error, err, "%s: %s", reader->name, strerror(-err));
		if (state->has_ended)
			break;
	}
	return 0;
}

const struct trace_format binary_format = {
	.name = "binary",
	.summary = "mapsim's own binary records, with digests; as text has them",
	.content = "a binary trace",
	.extension = "bin",
	.gives = GIVES_CODES | GIVES_CPUS | GIVES_TIMES | GIVES_VALUES,
	.detect = binary_detect,
	.open = binary_open,
	.read = binary_read,
	.view = binary_view,
	.close = binary_close,
	.write_open = binary_write_open,
	.write = binary_write,
	.write_end = binary_write_end,
	.write_close = binary_write_close,
};
