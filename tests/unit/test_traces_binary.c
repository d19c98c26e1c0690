// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The binary format: its bytes, damage of every kind, and what other versions may bring. */
#include <CUnit/CUnit.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "tests/unit/files.h"
#include "traces/binary.h"
#include "traces/trace.h"

static const struct trace_options options = {.cpus = 4, .spread_block = 1};
static char path[256];

static void path_make(void)
{
	const char *directory = getenv("TMPDIR");
	int fd;

	snprintf(path, sizeof(path), "%s/mapsim-test-XXXXXX", directory ? directory : "/tmp");
	fd = mkstemp(path);
	CU_ASSERT_FATAL(fd >= 0);
	close(fd);
}

/* Operations of all sorts, with times and values here and there, and keys that come again. */
static void batch_make(struct op_batch *batch, size_t count)
{
	CU_ASSERT_FATAL(!op_batch_init(batch, count, 1, 1));
	for (size_t i = 0; i < count; i++) {
		batch->ops[i] = (struct map_op){.key = i * i,
						.cpu = (uint16_t)(i % 4),
						.code = (uint8_t)(i % OP_CODES),
						.context = (uint8_t)(i % OP_CONTEXTS)};
		batch->times_ns[i] = i % 5 == 2 && i < 5000 ? i : 0;
		batch->values[i] = i % 7 == 3 ? 9 : i;
		if (i % 3 || batch->ops[i].code == OP_BATCH_LOOKUP ||
		    batch->ops[i].code == OP_BATCH_LOOKUP_AND_DELETE)
			continue;
		batch->ops[i].key_bytes = (uint32_t)(1 + i % 20);
		batch->ops[i].key =
			(uint64_t)op_batch_add_bytes(batch,
						     &"0123456789012345678901234567890"[i % 4],
						     1 + i % 20);
	}
	batch->count = count;
}

/* Writes the batch in parts of that many operations. */
static void batch_write(const struct op_batch *batch, size_t part_count)
{
	struct trace_writer *writer;
	struct error error;

	CU_ASSERT_FATAL(!trace_writer_open("binary", path, 0, &writer, &error));
	for (size_t i = 0; i < batch->count; i += part_count) {
		struct op_batch part = *batch;

		part.ops += i;
		part.times_ns += i;
		part.values += i;
		part.count = batch->count - i < part_count ? batch->count - i : part_count;
		CU_ASSERT_EQUAL(trace_write(writer, &part, &error), 0);
	}
	CU_ASSERT_EQUAL(trace_writer_close(writer, true, &error), 0);
}

static void assert_same_op(const struct op_batch *a, size_t i, const struct op_batch *b, size_t n,
			   uint64_t position)
{
	const struct map_op *left = &a->ops[i], *right = &b->ops[n];

	CU_ASSERT_EQUAL(left->cpu, right->cpu);
	CU_ASSERT_EQUAL(left->code, right->code);
	CU_ASSERT_EQUAL(left->context, right->context);
	CU_ASSERT_EQUAL_FATAL(left->key_bytes, right->key_bytes);
	if (left->key_bytes) {
		CU_ASSERT(!memcmp(a->arena + left->key, b->arena + right->key, left->key_bytes));
	} else {
		CU_ASSERT_EQUAL(left->key, right->key);
	}
	CU_ASSERT_EQUAL(a->times_ns[i], b->times_ns ? b->times_ns[n] : 0);
	CU_ASSERT_EQUAL(a->values[i], b->values ? b->values[n] : position);
}

static void read_back(const struct op_batch *all, size_t capacity, bool is_view)
{
	struct trace_reader *reader;
	struct op_batch batch, view;
	struct error error;
	size_t at = 0;

	CU_ASSERT_FATAL(!op_batch_init(&batch, capacity, !is_view, !is_view));
	CU_ASSERT_FATAL(!trace_open(path, &options, &reader, &error));
	CU_ASSERT_EQUAL(trace_operations(reader), all->count);
	do {
		int err = is_view ? trace_view(reader, &batch, &view, &error)
				  : trace_read(reader, &batch, &error);

		CU_ASSERT_EQUAL_FATAL(err, 0);
		if (!is_view)
			view = batch;
		for (size_t i = 0; i < view.count; i++, at++)
			assert_same_op(all, at, &view, i, at);
	} while (view.count);
	CU_ASSERT_EQUAL(at, all->count);
	trace_close(reader);
	op_batch_deinit(&batch);
}

static void test_round_trip(void)
{
	static const size_t parts[] = {20000, 4096, 4095, 1, 777};
	struct op_batch batch;
	uint8_t *first = NULL;
	size_t first_count = 0;

	path_make();
	batch_make(&batch, 20000);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		size_t count;
		uint8_t *bytes;

		batch_write(&batch, parts[i]);
		bytes = test_file_read(path, &count);
		CU_ASSERT_EQUAL(count % 64, 0);
		if (!first) {
			first = bytes;
			first_count = count;
			continue;
		}
		CU_ASSERT_EQUAL_FATAL(count, first_count);
		CU_ASSERT(!memcmp(bytes, first, count));
		free(bytes);
	}
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		read_back(&batch, parts[i], false);
		read_back(&batch, parts[i], true);
	}
	free(first);
	op_batch_deinit(&batch);
	unlink(path);
}

/* What doc/trace-format.md says of where things stand. */
static void test_layout(void)
{
	struct op_batch batch;
	uint8_t *bytes;
	size_t count;

	path_make();
	CU_ASSERT_FATAL(!op_batch_init(&batch, 3, 1, 1));
	batch.count = 3;
	batch.ops[0] = (struct map_op){.key = 0x0807060504030201, .cpu = 3, .code = OP_DIST};
	batch.ops[1] = (struct map_op){.key_bytes = 5, .context = OP_NMI};
	batch.ops[1].key = (uint64_t)op_batch_add_bytes(&batch, "abcde", 5);
	batch.ops[2] = batch.ops[1];
	memcpy(batch.times_ns, (uint64_t[]){0, 0, 7}, 24);
	memcpy(batch.values, (uint64_t[]){0, 8, 2}, 24);
	batch_write(&batch, 3);
	bytes = test_file_read(path, &count);
	CU_ASSERT_EQUAL_FATAL(count, 64 + 64 + 128 + 64);
	CU_ASSERT(!memcmp(bytes, "\x89mapops\n\1\0\0\0\x40\0\0\0\0\0\0\0", 20));
	CU_ASSERT_EQUAL(XXH3_64bits(bytes, 56), *(uint64_t *)(bytes + 56));
	CU_ASSERT(!memcmp(bytes + 64, "MOPB\3\0\0\0\0\0\0\0\0\0\0\0\3\0\0\0\5\0\0\0\x80", 25));
	CU_ASSERT_EQUAL(XXH3_64bits(bytes + 128, 128), *(uint64_t *)(bytes + 112));
	CU_ASSERT_EQUAL(XXH3_64bits(bytes + 64, 56), *(uint64_t *)(bytes + 120));
	CU_ASSERT(!memcmp(bytes + 128, "\1\2\3\4\5\6\7\x8\0\0\0\0\3\0\xa\0", 16));
	CU_ASSERT(!memcmp(bytes + 144, "\0\0\0\0\0\0\0\0\5\0\0\0\0\0\0\3", 16));
	CU_ASSERT(!memcmp(bytes + 160, bytes + 144, 16));
	CU_ASSERT_EQUAL(bytes[176 + 16], 7);
	CU_ASSERT_EQUAL(bytes[200 + 8], 8);
	CU_ASSERT(!memcmp(bytes + 224, "abcde\0\0", 7));
	CU_ASSERT(!memcmp(bytes + 256, "MOPE\4\0\0\0\3\0\0\0\0\0\0\0\x40\1\0\0\0\0\0\0\1", 25));
	CU_ASSERT_EQUAL(bytes[256 + 32], 5);
	CU_ASSERT_EQUAL(XXH3_64bits(bytes + 256, 56), *(uint64_t *)(bytes + 312));
	free(bytes);
	op_batch_deinit(&batch);
	unlink(path);
}

/* Reads a trace to where it ends or fails. */
static int outcome_of(const char *spec, uint64_t *operations, struct error *error)
{
	struct trace_reader *reader;
	struct op_batch batch, view;
	int err = trace_open(spec, &options, &reader, error);

	*operations = 0;
	CU_ASSERT_FATAL(!op_batch_init(&batch, 1000, 0, 0));
	while (!err) {
		err = trace_view(reader, &batch, &view, error);
		*operations += view.count;
		if (!view.count)
			break;
	}
	trace_close(reader);
	op_batch_deinit(&batch);
	return err;
}

/* Every byte that changes and every byte that is missing is noticed, in a file and in a stream. */
static void test_damage(void)
{
	struct op_batch batch;
	struct error error;
	uint64_t operations;
	uint8_t *bytes;
	size_t count;
	char spec[300];

	path_make();
	snprintf(spec, sizeof(spec), "binary:%s", path);
	batch_make(&batch, 40);
	batch_write(&batch, 40);
	bytes = test_file_read(path, &count);
	for (size_t i = 0; i < count; i++) {
		bytes[i] ^= (uint8_t)(1 << i % 8);
		test_file_write(path, bytes, count, "w");
		CU_ASSERT_EQUAL(outcome_of(spec, &operations, &error), -EINVAL);
		CU_ASSERT(!strncmp(error.text, path, strlen(path)));
		CU_ASSERT_PTR_NOT_NULL(strstr(error.text, ": byte "));
		bytes[i] ^= (uint8_t)(1 << i % 8);
	}
	for (size_t i = 1; i < count; i++) {
		test_file_write(path, bytes, i, "w");
		CU_ASSERT_EQUAL(outcome_of(spec, &operations, &error), -EINVAL);
		CU_ASSERT_EQUAL(operations, 0);
	}
	bytes[count] = 0;
	test_file_write(path, bytes, count + 1, "w");
	CU_ASSERT_EQUAL(outcome_of(spec, &operations, &error), -EINVAL);
	free(bytes);
	op_batch_deinit(&batch);
	unlink(path);
}

/* A trace of two operations, and its parts. */
struct parts {
	uint8_t *bytes;
	size_t count;
	struct binary_header *header;
	struct binary_block *block;
	struct map_op *ops;
	struct binary_end *end;
};

static struct parts parts_make(void)
{
	struct op_batch batch;
	struct parts parts;

	CU_ASSERT_FATAL(!op_batch_init(&batch, 2, 1, 1));
	batch.count = 2;
	batch.ops[0] = (struct map_op){.code = OP_ACCESS};
	batch.ops[1] = (struct map_op){.key_bytes = 9};
	batch.ops[1].key = (uint64_t)op_batch_add_bytes(&batch, "123456789", 9);
	memset(batch.times_ns, 0, 16);
	memcpy(batch.values, (uint64_t[]){0, 1}, 16);
	batch_write(&batch, 2);
	op_batch_deinit(&batch);
	parts.bytes = test_file_read(path, &parts.count);
	CU_ASSERT_EQUAL_FATAL(parts.count, 4 * 64);
	parts.header = (struct binary_header *)parts.bytes;
	parts.block = (struct binary_block *)(parts.bytes + 64);
	parts.ops = (struct map_op *)(parts.bytes + 128);
	parts.end = (struct binary_end *)(parts.bytes + 192);
	return parts;
}

/* Makes all digests right, and reads what the parts have become. */
static void assert_parts(struct parts *parts, const char *message, uint64_t before)
{
	char expected[600];
	struct error error = {.text = ""};
	uint64_t operations;
	int err;

	parts->block->payload_digest = XXH3_64bits(parts->ops, 64);
	parts->header->digest = binary_digest(parts->header);
	parts->block->digest = binary_digest(parts->block);
	parts->end->digest = binary_digest(parts->end);
	test_file_write(path, parts->bytes, parts->count, "w");
	err = outcome_of(path, &operations, &error);
	CU_ASSERT_EQUAL(err, message ? -EINVAL : 0);
	CU_ASSERT_EQUAL(operations, message ? before : 2);
	snprintf(expected, sizeof(expected), "%s: %s", path, message ? message : "");
	if (message)
		CU_ASSERT_STRING_EQUAL(error.text, expected);
	if (message && strcmp(error.text, expected) != 0)
		fprintf(stderr, "\n  have %s\n  want %s\n", error.text, expected);
	free(parts->bytes);
	*parts = parts_make();
}

static void test_records(void)
{
	struct parts parts;

	path_make();
	parts = parts_make();
	assert_parts(&parts, NULL, 0);
	parts.ops[1].cpu = 4;
	assert_parts(&parts, "byte 144: expected a CPU below 4 (-c), found 4", 1);
	parts.ops[0].code = OP_CODES;
	assert_parts(&parts, "byte 128: expected a code below 11, found 11", 0);
	parts.ops[1].context = 255;
	assert_parts(&parts, "byte 144: expected a context below 4, found 255", 1);
	parts.ops[1].code = OP_BATCH_LOOKUP;
	assert_parts(&parts, "byte 144: expected a count of elements, found a key of 9 bytes", 1);
	parts.ops[1].key_bytes = TRACE_KEY_MAX + 1;
	assert_parts(&parts, "byte 144: expected a key of at most 4194304 bytes, found 4194305", 1);
	parts.ops[1].key = 1;
	assert_parts(&parts,
		     "byte 144: expected a key within the block's 9 bytes of keys, found bytes 1 "
		     "to 10",
		     1);
	parts.ops[1].key = UINT64_MAX - 3;
	assert_parts(&parts,
		     "byte 144: expected a key within the block's 9 bytes of keys, found bytes "
		     "18446744073709551612 to 5",
		     1);
	free(parts.bytes);
	unlink(path);
}

/* In blocks without bytes of keys records are looked at many at once. */
static void test_records_fast(void)
{
	static const struct map_op wrong[] = {
		{.cpu = 4},
		{.cpu = 0x8000},
		{.cpu = UINT16_MAX},
		{.code = OP_CODES},
		{.code = 0x80},
		{.code = 0xff},
		{.context = 4},
		{.context = 0x80},
		{.context = 0xff},
		{.key_bytes = 1},
		{.key_bytes = UINT32_MAX},
	};
	struct trace_writer *writer;
	struct op_batch batch;
	struct error error;
	uint64_t operations;

	path_make();
	CU_ASSERT_FATAL(!op_batch_init(&batch, 100, 0, 0));
	batch.count = 100;
	for (size_t i = 0; i <= sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct parts parts;

		for (size_t n = 0; n < 100; n++)
			batch.ops[n] = (struct map_op){.key = UINT64_MAX,
						       .cpu = 3,
						       .code = OP_CODES - 1,
						       .context = OP_CONTEXTS - 1};
		CU_ASSERT_FATAL(!trace_writer_open("binary", path, 0, &writer, &error));
		CU_ASSERT_EQUAL(trace_write(writer, &batch, &error), 0);
		CU_ASSERT_EQUAL(trace_writer_close(writer, true, &error), 0);
		if (i == sizeof(wrong) / sizeof(wrong[0])) {
			CU_ASSERT_EQUAL(outcome_of(path, &operations, &error), 0);
			CU_ASSERT_EQUAL(operations, 100);
			continue;
		}
		parts.bytes = test_file_read(path, &parts.count);
		parts.block = (struct binary_block *)(parts.bytes + 64);
		parts.ops = (struct map_op *)(parts.bytes + 128);
		parts.ops[61] = wrong[i];
		parts.block->payload_digest = XXH3_64bits(parts.ops, 1600);
		parts.block->digest = binary_digest(parts.block);
		test_file_write(path, parts.bytes, parts.count, "w");
		CU_ASSERT_EQUAL(outcome_of(path, &operations, &error), -EINVAL);
		CU_ASSERT_EQUAL(operations, 61);
		CU_ASSERT_PTR_NOT_NULL(strstr(error.text, ": byte 1104: expected a "));
		free(parts.bytes);
	}
	op_batch_deinit(&batch);
	unlink(path);
}

static void test_versions(void)
{
	struct parts parts;

	path_make();
	parts = parts_make();
	/* To be ignored. */
	parts.header->minor = 9;
	parts.header->features = 0xffff0000;
	memset(parts.header->reserved, 0xff, sizeof(parts.header->reserved));
	parts.block->sections = 0x10000;
	parts.block->reserved[1] = 5;
	parts.end->reserved[0] = 5;
	assert_parts(&parts, NULL, 0);
	/* To be refused. */
	parts.header->major = 2;
	assert_parts(&parts, "byte 8: expected version 1 of the format, found 2", 0);
	parts.header->features = 0x8000;
	assert_parts(&parts, "byte 16: expected no features that must be known, found 0x8000", 0);
	parts.block->sections = 4;
	assert_parts(&parts, "byte 80: expected sections that are known, found 0x4 too", 0);
	parts.header->header_bytes = 65;
	assert_parts(&parts,
		     "byte 12: expected a header of 64 to 4096 bytes, in steps of 64, found 65", 0);
	parts.block->operations = 0;
	assert_parts(&parts, "byte 68: expected 1 to 65536 operations, found 0", 0);
	parts.block->first = 1;
	assert_parts(&parts, "byte 72: expected a block that begins with operation 0, found 1", 0);
	parts.block->key_bytes = UINT32_MAX;
	assert_parts(&parts, "byte 84: expected at most 16777216 bytes of keys, found 4294967295",
		     0);
	parts.block->payload_bytes = 128;
	assert_parts(&parts, "byte 88: expected a payload of 64 bytes, found 128", 0);
	parts.end->operations = 3;
	assert_parts(&parts,
		     "byte 192: expected the end of 2 operations in 1 blocks, found that of 3 in 1",
		     2);
	parts.end->operations = 8;
	assert_parts(&parts,
		     "byte 192: expected the end of 2 operations in 1 blocks, found that of 8 in 1",
		     2);
	/* More than records fit into a file of that size: refused before anything is read. */
	parts.end->operations = 9;
	assert_parts(&parts, "byte 200: expected at most 8 operations in 256 bytes, found 9", 0);
	parts.end->operations = 1000000000000;
	assert_parts(&parts,
		     "byte 200: expected at most 8 operations in 256 bytes, found 1000000000000",
		     0);
	parts.end->operations = UINT64_MAX;
	assert_parts(&parts,
		     "byte 200: expected at most 8 operations in 256 bytes, found "
		     "18446744073709551615",
		     0);
	parts.end->file_bytes = 99;
	assert_parts(&parts, "byte 192: expected the end of a file of 99 bytes, found it after 256",
		     0);
	free(parts.bytes);
	unlink(path);
}

/* Longer keys than a block has room for, and none at all. */
static void test_extremes(void)
{
	uint8_t *key = malloc(TRACE_KEY_MAX);
	struct trace_writer *writer;
	struct op_batch batch;
	struct error error;
	uint64_t operations;

	path_make();
	CU_ASSERT_FATAL(!op_batch_init(&batch, 4, 0, 0));
	memset(key, 7, TRACE_KEY_MAX);
	batch.count = 4;
	for (size_t i = 0; i < 4; i++) {
		batch.ops[i] = (struct map_op){.key_bytes = TRACE_KEY_MAX - (uint32_t)i % 2};
		batch.ops[i].key = (uint64_t)op_batch_add_bytes(&batch, key, TRACE_KEY_MAX);
	}
	CU_ASSERT_FATAL(!trace_writer_open("binary", path, 0, &writer, &error));
	CU_ASSERT_EQUAL(trace_write(writer, &batch, &error), 0);
	CU_ASSERT_EQUAL(trace_writer_close(writer, true, &error), 0);
	CU_ASSERT_EQUAL(outcome_of(path, &operations, &error), 0);
	CU_ASSERT_EQUAL(operations, 4);
	batch.count = 0;
	CU_ASSERT_FATAL(!trace_writer_open("binary", path, 0, &writer, &error));
	CU_ASSERT_EQUAL(trace_write(writer, &batch, &error), 0);
	CU_ASSERT_EQUAL(trace_writer_close(writer, true, &error), 0);
	CU_ASSERT_EQUAL(outcome_of(path, &operations, &error), -EINVAL);
	CU_ASSERT_PTR_NOT_NULL(strstr(error.text, ": has no operations, expected a binary trace"));
	op_batch_deinit(&batch);
	free(key);
	unlink(path);
}

/*
 * A block may have a long key that all its records share, or parts of; a batch of them takes no
 * more than that key.
 */
static void test_shared_key(void)
{
	static const uint32_t tails[] = {0, 5, 0, 1};
	const size_t count = 3000, payload = count * sizeof(struct map_op) + TRACE_KEY_MAX;
	const size_t stored = (payload + 63) / 64 * 64, all = 64 + 64 + stored + 64;
	struct parts parts;
	uint8_t *bytes = calloc(1, all);
	struct binary_block *block = (struct binary_block *)(bytes + 64);
	struct map_op *ops = (struct map_op *)(bytes + 128);
	struct binary_end *end = (struct binary_end *)(bytes + all - 64);
	struct trace_reader *reader;
	struct op_batch batch;
	struct error error;
	size_t at = 0;

	path_make();
	parts = parts_make();
	memcpy(bytes, parts.bytes, 128);
	for (size_t i = 0; i < count; i++) {
		ops[i] = (struct map_op){.key = tails[i % 4],
					 .key_bytes = TRACE_KEY_MAX - tails[i % 4]};
		if (i % 5 == 3)
			ops[i] = (struct map_op){.key = i};
	}
	for (size_t i = 0; i < TRACE_KEY_MAX; i++)
		((uint8_t *)&ops[count])[i] = (uint8_t)(i % 251);
	block->operations = (uint32_t)count;
	block->key_bytes = TRACE_KEY_MAX;
	block->payload_bytes = stored;
	block->payload_digest = XXH3_64bits(ops, stored);
	block->digest = binary_digest(block);
	*end = *parts.end;
	end->operations = count;
	end->file_bytes = all;
	end->digest = binary_digest(end);
	test_file_write(path, bytes, all, "w");

	CU_ASSERT_FATAL(!op_batch_init(&batch, 1100, 1, 1));
	CU_ASSERT_FATAL(!trace_open(path, &options, &reader, &error));
	while (!trace_read(reader, &batch, &error) && batch.count) {
		CU_ASSERT_EQUAL(batch.count, count - at < 1100 ? count - at : 1100);
		CU_ASSERT(batch.arena_bytes <= TRACE_KEY_MAX);
		for (size_t i = 0; i < batch.count; i++, at++) {
			CU_ASSERT_EQUAL_FATAL(batch.ops[i].key_bytes, ops[at].key_bytes);
			CU_ASSERT_EQUAL(batch.values[i], at);
			if (!ops[at].key_bytes) {
				CU_ASSERT_EQUAL(batch.ops[i].key, at);
				continue;
			}
			CU_ASSERT_FATAL(batch.ops[i].key + ops[at].key_bytes <= batch.arena_bytes);
			CU_ASSERT_EQUAL(batch.arena[batch.ops[i].key], tails[at % 4]);
			CU_ASSERT_EQUAL(batch.arena[batch.ops[i].key + ops[at].key_bytes - 1],
					(TRACE_KEY_MAX - 1) % 251);
		}
	}
	CU_ASSERT_EQUAL(at, count);
	trace_close(reader);
	op_batch_deinit(&batch);
	free(parts.bytes);
	free(bytes);
	unlink(path);
}

static uint64_t file_size(void)
{
	struct stat status;

	CU_ASSERT_EQUAL_FATAL(stat(path, &status), 0);
	return (uint64_t)status.st_size;
}

/* A key that the block has takes no room, however long it is, whatever comes between. */
static void test_stored_once(void)
{
	static const uint32_t lengths[] = {3u << 20, 1u << 20, (1u << 20) - 2, 1};
	const size_t count = 30;
	struct op_batch batch;
	uint8_t *bytes = calloc(1, lengths[0]);

	path_make();
	CU_ASSERT_FATAL(bytes && !op_batch_init(&batch, count, 1, 1));
	op_batch_add_bytes(&batch, bytes, lengths[0]);
	op_batch_add_bytes(&batch, "12", 2);
	for (size_t n = 0; n < 4; n++) {
		const size_t short_bytes = lengths[n] < 1u << 20 ? 2 : 0;

		for (size_t i = 0; i < count; i++) {
			batch.ops[i] = (struct map_op){.key_bytes = lengths[n]};
			if (short_bytes && i % 3 == 1)
				batch.ops[i] = (struct map_op){.key = lengths[0], .key_bytes = 2};
			batch.times_ns[i] = 0;
			batch.values[i] = i;
		}
		batch.count = count;
		batch_write(&batch, 7);
		/* One block, and the keys once. */
		CU_ASSERT_EQUAL(file_size(),
				3 * 64 + binary_payload_bytes(count, 0, lengths[n] + short_bytes));
	}
	/* Two that do not fit together: a block each. */
	for (size_t i = 0; i < 4; i++)
		batch.ops[i] = (struct map_op){.key_bytes = (2u << 20) + (uint32_t)(i / 2)};
	batch.count = 4;
	batch_write(&batch, 4);
	CU_ASSERT_EQUAL(file_size(), 4 * 64 + binary_payload_bytes(2, 0, 2u << 20) +
					     binary_payload_bytes(2, 0, (2u << 20) + 1));
	read_back(&batch, 4, false);
	op_batch_deinit(&batch);
	free(bytes);
	unlink(path);
}

CU_TestInfo traces_binary_tests[] = {
	{"round trips", test_round_trip},
	{"layout", test_layout},
	{"damage", test_damage},
	{"records", test_records},
	{"records looked at together", test_records_fast},
	{"versions", test_versions},
	{"long keys, and nothing", test_extremes},
	{"a key of many records", test_shared_key},
	{"a key stored once a block", test_stored_once},
	CU_TEST_INFO_NULL,
};
