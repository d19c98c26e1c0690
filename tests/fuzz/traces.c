// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Readers of traces. Each input is read twice, in batches of different lengths, copied and not:
 * both ways give the same operations and end in the same way, and every operation is valid.
 */
#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

#include "tests/fuzz/fuzz.h"
#include "traces/binary.h"
#include "traces/info.h"
#include "traces/trace.h"

#define CPUS 64
#define INFO_KEYS 4096

static void check(int is_right)
{
	if (!is_right)
		abort();
}

static void check_ops(const struct op_batch *batch)
{
	for (size_t i = 0; i < batch->count; i++) {
		const struct map_op *op = &batch->ops[i];

		check(op->cpu < CPUS && op->code < OP_CODES && op->context < OP_CONTEXTS);
		check(!op->key_bytes || op->key + op->key_bytes <= batch->arena_bytes);
	}
}

/* How reading went. */
struct outcome {
	int err;
	uint64_t operations, digest;
	struct error error;
};

/* Reads a whole trace in batches of that many, without copying or with all that can be had. */
static struct outcome read_trace(const char *spec, size_t capacity, int is_view, int is_info)
{
	const struct trace_options options = {.cpus = CPUS, .spread_block = 1};
	struct outcome outcome = {0};
	struct trace_reader *reader;
	struct trace_digest *digest;
	struct info_pass *pass = NULL;
	struct op_batch batch, view;

	check(!op_batch_init(&batch, capacity, !is_view, !is_view));
	check(!trace_digest_create(&digest));
	if (is_info)
		check(!info_pass_create(INFO_KEYS, &pass));
	outcome.err = trace_open(spec, &options, &reader, &outcome.error);
	while (!outcome.err) {
		if (is_view) {
			outcome.err = trace_view(reader, &batch, &view, &outcome.error);
		} else {
			outcome.err = trace_read(reader, &batch, &outcome.error);
			view = batch;
		}
		check(view.count <= capacity);
		check_ops(&view);
		trace_digest_update(digest, &view);
		outcome.operations += view.count;
		if (pass)
			check(!info_pass_add(pass, &view));
		if (outcome.err)
			check(trace_read(reader, &batch, NULL) == outcome.err && !batch.count);
		if (!view.count)
			break;
	}
	check(!outcome.err == !outcome.error.text[0]);
	outcome.digest = trace_digest_value(digest);
	info_pass_destroy(pass);
	trace_digest_destroy(digest);
	trace_close(reader);
	op_batch_deinit(&batch);
	return outcome;
}

/* Reads bytes as a file of a format ("keys:"; "": to be recognized). */
static void fuzz_bytes(const char *prefix, const void *bytes, size_t count)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	struct outcome one, other;
	char spec[64];

	check(fd >= 0 && write(fd, bytes, count) == (ssize_t)count);
	snprintf(spec, sizeof(spec), "%s/proc/self/fd/%d", prefix, fd);
	/* info is slow to begin. */
	one = read_trace(spec, 64, 1, count % 8 == 0);
	other = read_trace(spec, 3, 0, 0);
	check(one.err == other.err && one.operations == other.operations &&
	      one.digest == other.digest && !strcmp(one.error.text, other.error.text));
	close(fd);
}

void fuzz_text(const uint8_t *bytes, size_t count)
{
	fuzz_bytes("text:", bytes, count);
}

void fuzz_keys(const uint8_t *bytes, size_t count)
{
	fuzz_bytes("keys:", bytes, count);
}

void fuzz_oracle(const uint8_t *bytes, size_t count)
{
	fuzz_bytes("oracle:", bytes, count);
}

/* Makes the digests right that a change of some bytes made wrong, and ends the trace. */
static size_t binary_repair(uint8_t *bytes, size_t count)
{
	struct binary_end end = {0};
	struct binary_header header;
	uint64_t operations = 0, blocks = 0;
	size_t at = sizeof(header);

	memcpy(&header, bytes, sizeof(header));
	memcpy(header.magic, BINARY_MAGIC, sizeof(header.magic));
	header.digest = htole64(binary_digest(&header));
	memcpy(bytes, &header, sizeof(header));
	while (count - at >= 2 * sizeof(struct binary_block)) {
		struct binary_block block;
		uint64_t payload;

		memcpy(&block, bytes + at, sizeof(block));
		payload = le64toh(block.payload_bytes);
		if (memcmp(block.magic, BINARY_BLOCK_MAGIC, sizeof(block.magic)) != 0 ||
		    payload > count - at - 2 * sizeof(block))
			break;
		block.first = htole64(operations);
		block.payload_digest =
			htole64(XXH3_64bits(bytes + at + sizeof(block), (size_t)payload));
		block.digest = htole64(binary_digest(&block));
		memcpy(bytes + at, &block, sizeof(block));
		operations += le32toh(block.operations);
		blocks++;
		at += sizeof(block) + (size_t)payload;
	}
	memcpy(end.magic, BINARY_END_MAGIC, sizeof(end.magic));
	end.operations = htole64(operations);
	end.blocks = htole64(blocks);
	end.file_bytes = htole64(at + sizeof(end));
	end.digest = htole64(binary_digest(&end));
	memcpy(bytes + at, &end, sizeof(end));
	return at + sizeof(end);
}

void fuzz_binary(const uint8_t *bytes, size_t count)
{
	uint8_t *copy;

	fuzz_bytes("binary:", bytes, count);
	if (count < sizeof(struct binary_header) + sizeof(struct binary_end))
		return;
	copy = malloc(count);
	check(copy != NULL);
	memcpy(copy, bytes, count);
	fuzz_bytes("binary:", copy, binary_repair(copy, count));
	free(copy);
}

/* A compressed file as it is; and what is in the input compressed, which is read as a stream. */
void fuzz_zstd(const uint8_t *bytes, size_t count)
{
	size_t room = ZSTD_compressBound(count), used;
	uint8_t *packed = malloc(room);

	check(packed != NULL);
	fuzz_bytes("", bytes, count);
	used = ZSTD_compress(packed, room, bytes, count, 1);
	check(!ZSTD_isError(used));
	fuzz_bytes("", packed, used);
	free(packed);
}
