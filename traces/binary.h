/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * mapsim's own binary format as it is stored; doc/trace-format.md is its contract. All is
 * little-endian, and everything begins at a multiple of 64 bytes.
 */
#ifndef TRACES_BINARY_H
#define TRACES_BINARY_H

#include <stdint.h>

#include "base/op.h"
#include "traces/format.h"

#define BINARY_MAGIC "\x89mapops\n" /* the file's first bytes, without the NUL */
#define BINARY_BLOCK_MAGIC "MOPB"
#define BINARY_END_MAGIC "MOPE"
#define BINARY_MAJOR 1
#define BINARY_MINOR 0
#define BINARY_ALIGN 64

/* What a reader takes; a file that has more is damaged or not meant for it. */
#define BINARY_HEADER_BYTES_MAX 4096u
#define BINARY_OPERATIONS_MAX 65536u
#define BINARY_KEY_BYTES_MAX (16u << 20)
#define BINARY_PAYLOAD_BYTES_MAX (64u << 20)

/* Of features and sections, the lower half must be known to who reads, the upper need not be. */
#define BINARY_MUST_KNOW 0xffffu

enum binary_section {
	BINARY_TIMES = 1u << 0,
	BINARY_VALUES = 1u << 1,
};
#define BINARY_SECTIONS (BINARY_TIMES | BINARY_VALUES)

struct binary_header {
	uint8_t magic[8];
	uint16_t major, minor;
	uint32_t header_bytes; /* where the first block begins */
	uint32_t features;     /* none yet */
	uint32_t reserved[9];
	uint64_t digest; /* of what stands before it */
};

/* Before the payload: records, times, values, bytes of keys, each if there is any; filled up. */
struct binary_block {
	uint8_t magic[4];
	uint32_t operations;
	uint64_t first;         /* number of its first operation in the trace, from 0 */
	uint32_t sections;      /* enum binary_section */
	uint32_t key_bytes;     /* of all keys that are given as bytes */
	uint64_t payload_bytes; /* a multiple of BINARY_ALIGN */
	uint64_t reserved[2];
	uint64_t payload_digest;
	uint64_t digest; /* of what stands before it */
};

/* The last thing in a file. */
struct binary_end {
	uint8_t magic[4];
	uint32_t cpus; /* the highest CPU and 1 */
	uint64_t operations;
	uint64_t file_bytes; /* with this */
	uint64_t blocks;
	uint32_t longest_key_bytes; /* of those given as bytes; 0: none is */
	uint32_t reserved[5];
	uint64_t digest; /* of what stands before it */
};

_Static_assert(sizeof(struct binary_header) == 64, "as stored");
_Static_assert(sizeof(struct binary_block) == 64, "as stored");
_Static_assert(sizeof(struct binary_end) == 64, "as stored");

/* The digest of one of the three: of all its bytes but the last 8. */
uint64_t binary_digest(const void *header);

/* A payload's size: sections that are known, filled up. */
uint64_t binary_payload_bytes(uint64_t operations, uint32_t sections, uint64_t key_bytes);

/* Writing, for the format's table. */
int binary_write_open(struct trace_writer *writer, struct error *error);
int binary_write(struct trace_writer *writer, const struct op_batch *batch, struct error *error);
int binary_write_end(struct trace_writer *writer, struct error *error);
void binary_write_close(struct trace_writer *writer);

#endif
