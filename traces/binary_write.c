// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * mapsim's own binary format, written. Blocks are cut by what the trace has, not by how it comes in
 * batches: the same trace gives the same file. A key that is given as bytes is stored once a block.
 */
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "traces/binary.h"

#define BLOCK_OPERATIONS 4096
#define BLOCK_KEY_BYTES ((size_t)1 << 20) /* a block with more has one key alone */
#define KEY_SLOTS ((size_t)2 * BLOCK_OPERATIONS)

/* A key in the block's arena; a slot of no bytes is free. */
struct stored_key {
	uint64_t hash;
	uint32_t offset, bytes;
};

struct binary_writer {
	struct op_batch block;
	uint32_t sections;
	struct stored_key *keys; /* KEY_SLOTS, open addressing */
	uint64_t blocks, bytes;  /* written */
	uint32_t cpus, longest_key_bytes;
};

static int binary_fail(const struct trace_writer *writer, int err, struct error *error)
{
	return error_set(error, err, "%s: %s", writer->output.name, strerror(-err));
}

/* Writes bytes; failures are found by output_check(). */
static void put(struct trace_writer *writer, const void *bytes, size_t count)
{
	struct binary_writer *state = writer->state;

	state->bytes += fwrite_unlocked(bytes, 1, count, writer->output.stream);
}

int binary_write_open(struct trace_writer *writer, struct error *error)
{
	struct binary_writer *state = calloc(1, sizeof(*state));
	struct binary_header header = {
		.major = htole16(BINARY_MAJOR),
		.minor = htole16(BINARY_MINOR),
		.header_bytes = htole32(sizeof(header)),
	};

	writer->state = state;
	if (state)
		state->keys = calloc(KEY_SLOTS, sizeof(*state->keys));
	if (!state || !state->keys || op_batch_init(&state->block, BLOCK_OPERATIONS, 1, 1)) {
		binary_write_close(writer);
		return binary_fail(writer, -ENOMEM, error);
	}
	memcpy(header.magic, BINARY_MAGIC, sizeof(header.magic));
	header.digest = htole64(binary_digest(&header));
	put(writer, &header, sizeof(header));
	return 0;
}

void binary_write_close(struct trace_writer *writer)
{
	struct binary_writer *state = writer->state;

	if (!state)
		return;
	op_batch_deinit(&state->block);
	free(state->keys);
	free(state);
	writer->state = NULL;
}

/* In place, to little-endian. */
static void block_swap(struct op_batch *block)
{
	for (size_t i = 0; i < block->count; i++) {
		struct map_op *op = &block->ops[i];

		op->key = htole64(op->key);
		op->key_bytes = htole32(op->key_bytes);
		op->cpu = htole16(op->cpu);
		block->times_ns[i] = htole64(block->times_ns[i]);
		block->values[i] = htole64(block->values[i]);
	}
}

/* Hashes the parts of a payload, or writes them; the digest is known before anything is written. */
static void payload_part(struct trace_writer *writer, XXH3_state_t *digest, const void *bytes,
			 size_t count)
{
	if (digest)
		XXH3_64bits_update(digest, bytes, count);
	else
		put(writer, bytes, count);
}

static void payload_parts(struct trace_writer *writer, XXH3_state_t *digest)
{
	static const uint8_t fill[BINARY_ALIGN];
	const struct binary_writer *state = writer->state;
	const struct op_batch *block = &state->block;
	uint64_t used = block->count * sizeof(*block->ops) + block->arena_bytes;

	payload_part(writer, digest, block->ops, block->count * sizeof(*block->ops));
	if (state->sections & BINARY_TIMES) {
		payload_part(writer, digest, block->times_ns, block->count * sizeof(uint64_t));
		used += block->count * sizeof(uint64_t);
	}
	if (state->sections & BINARY_VALUES) {
		payload_part(writer, digest, block->values, block->count * sizeof(uint64_t));
		used += block->count * sizeof(uint64_t);
	}
	if (block->arena_bytes)
		payload_part(writer, digest, block->arena, block->arena_bytes);
	payload_part(writer, digest, fill, (size_t)(-used % BINARY_ALIGN));
}

/* Writes the block, if there is any of it, and begins another. */
static int block_flush(struct trace_writer *writer, uint64_t end, struct error *error)
{
	struct binary_writer *state = writer->state;
	struct op_batch *block = &state->block;
	struct binary_block header = {
		.operations = htole32((uint32_t)block->count),
		.first = htole64(end - block->count),
		.sections = htole32(state->sections),
		.key_bytes = htole32((uint32_t)block->arena_bytes),
		.payload_bytes = htole64(
			binary_payload_bytes(block->count, state->sections, block->arena_bytes)),
	};
	XXH3_state_t *digest;

	if (!block->count)
		return 0;
	digest = XXH3_createState();
	if (!digest)
		return binary_fail(writer, -ENOMEM, error);
	XXH3_64bits_reset(digest);
	if (BYTE_ORDER != LITTLE_ENDIAN)
		block_swap(block);
	payload_parts(writer, digest);
	memcpy(header.magic, BINARY_BLOCK_MAGIC, sizeof(header.magic));
	header.payload_digest = htole64(XXH3_64bits_digest(digest));
	header.digest = htole64(binary_digest(&header));
	XXH3_freeState(digest);
	put(writer, &header, sizeof(header));
	payload_parts(writer, NULL);
	state->blocks++;
	state->sections = 0;
	if (block->arena_bytes)
		memset(state->keys, 0, KEY_SLOTS * sizeof(*state->keys));
	op_batch_reset(block);
	return output_check(&writer->output, error);
}

/* The slot of a key in the block, or the free one where it belongs. */
static struct stored_key *key_find(const struct binary_writer *state, uint64_t hash,
				   const uint8_t *bytes, uint32_t count)
{
	size_t i = (size_t)hash % KEY_SLOTS;
	struct stored_key *key = &state->keys[i];

	for (; key->bytes; key = &state->keys[i]) {
		if (key->hash == hash && key->bytes == count &&
		    !memcmp(state->block.arena + key->offset, bytes, count))
			break;
		i = (i + 1) % KEY_SLOTS;
	}
	return key;
}

/* Finds the bytes of a key in the block's arena, or adds them. Returns the offset or -ENOMEM. */
static int64_t key_store(struct binary_writer *state, const uint8_t *bytes, uint32_t count)
{
	uint64_t hash = XXH3_64bits(bytes, count);
	struct stored_key *key = key_find(state, hash, bytes, count);
	int64_t offset;

	if (key->bytes)
		return key->offset;
	offset = op_batch_add_bytes(&state->block, bytes, count);
	if (offset >= 0)
		*key = (struct stored_key){hash, (uint32_t)offset, count};
	return offset;
}

/* Adds one operation, number index of the trace, to the block, which has room. */
static int block_add(struct trace_writer *writer, const struct op_batch *batch, size_t i,
		     uint64_t index)
{
	struct binary_writer *state = writer->state;
	struct op_batch *block = &state->block;
	struct map_op op = batch->ops[i];
	uint64_t time_ns = batch->times_ns ? batch->times_ns[i] : 0;
	uint64_t value = batch->values ? batch->values[i] : index;

	if (op.key_bytes) {
		int64_t offset = key_store(state, batch->arena + op.key, op.key_bytes);

		if (offset < 0)
			return (int)offset;
		op.key = (uint64_t)offset;
		if (op.key_bytes > state->longest_key_bytes)
			state->longest_key_bytes = op.key_bytes;
	}
	if (op.cpu >= state->cpus)
		state->cpus = op.cpu + 1u;
	state->sections |= time_ns ? BINARY_TIMES : 0;
	state->sections |= value != index ? BINARY_VALUES : 0;
	block->ops[block->count] = op;
	block->times_ns[block->count] = time_ns;
	block->values[block->count++] = value;
	return 0;
}

/* Whether the block has room for an operation: a key that it has already takes none. */
static bool block_fits(const struct binary_writer *state, const struct op_batch *batch, size_t i)
{
	const struct op_batch *block = &state->block;
	const struct map_op *op = &batch->ops[i];
	const uint8_t *bytes;

	if (block->count == BLOCK_OPERATIONS)
		return false;
	if (!op->key_bytes || block->arena_bytes + op->key_bytes <= BLOCK_KEY_BYTES)
		return true;
	bytes = batch->arena + op->key;
	return key_find(state, XXH3_64bits(bytes, op->key_bytes), bytes, op->key_bytes)->bytes;
}

int binary_write(struct trace_writer *writer, const struct op_batch *batch, struct error *error)
{
	struct binary_writer *state = writer->state;
	int err = 0;

	for (size_t i = 0; !err && i < batch->count; i++) {
		if (!block_fits(state, batch, i)) {
			err = block_flush(writer, writer->index + i, error);
			if (err)
				return err;
		}
		err = block_add(writer, batch, i, writer->index + i);
		if (err)
			binary_fail(writer, err, error);
	}
	return err;
}

int binary_write_end(struct trace_writer *writer, struct error *error)
{
	struct binary_writer *state = writer->state;
	struct binary_end end = {0};
	int err = block_flush(writer, writer->index, error);

	if (err)
		return err;
	memcpy(end.magic, BINARY_END_MAGIC, sizeof(end.magic));
	end.cpus = htole32(state->cpus);
	end.operations = htole64(writer->index);
	end.file_bytes = htole64(state->bytes + sizeof(end));
	end.blocks = htole64(state->blocks);
	end.longest_key_bytes = htole32(state->longest_key_bytes);
	end.digest = htole64(binary_digest(&end));
	put(writer, &end, sizeof(end));
	return output_check(&writer->output, error);
}
