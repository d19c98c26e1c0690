/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * An operation on a map: what traces produce, engines distribute and the model executes.
 *
 * Records are 16 bytes, four to a cache line, because a replay streams through tens of millions of
 * them. What few traces carry (time, value) stands in arrays beside the records.
 */
#ifndef BASE_OP_H
#define BASE_OP_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define MAP_CPUS_MAX 4096 /* simulated CPUs are numbered 0..MAP_CPUS_MAX-1 */

enum op_code {
	OP_LOOKUP,
	OP_UPDATE, /* BPF_ANY */
	OP_UPDATE_NOEXIST,
	OP_UPDATE_EXIST,
	OP_DELETE,
	OP_LOOKUP_AND_DELETE,
	OP_NEXT_KEY,
	OP_BATCH_LOOKUP,            /* the key is the count asked for */
	OP_BATCH_LOOKUP_AND_DELETE, /* likewise */
	OP_ACCESS,                  /* look up, update with ANY when missing */
	OP_DIST, /* look up marking the element, NOEXIST when missing (2017's test) */
	OP_CODES
};

/* Where an operation runs. Programs see their own CPU's value and mark what they look up. */
enum op_context { OP_PROGRAM, OP_SYSCALL, OP_IRQ, OP_NMI, OP_CONTEXTS };

struct map_op {
	uint64_t key;       /* an integer, or the offset of key_bytes bytes in the batch's arena */
	uint32_t key_bytes; /* 0: the key is an integer, little-endian in the map's key */
	uint16_t cpu;
	uint8_t code;    /* enum op_code */
	uint8_t context; /* enum op_context */
};

_Static_assert(sizeof(struct map_op) == 16, "four operations to a cache line");

/*
 * A run of operations in the caller's memory. The arena holds the bytes of keys that were not
 * given as integers. times_ns and values are NULL or have one entry per operation.
 */
struct op_batch {
	struct map_op *ops;
	uint64_t *times_ns;
	uint64_t *values;
	size_t count;
	size_t capacity;
	uint8_t *arena;
	size_t arena_bytes;
	size_t arena_capacity;
};

/* What a code is called in text traces (a letter; lower case by system call) and in words. */
struct op_name {
	char letter;
	const char *word;
};
extern const struct op_name op_names[OP_CODES];

/* The code and context of a letter. 0, or -EINVAL. */
int op_from_letter(char letter, uint8_t *code, uint8_t *context);

/* The letter of a code in a context; irq and nmi are told apart by a field of their own. */
char op_letter(uint8_t code, uint8_t context);

/*
 * A batch for capacity operations. Returns 0 or -ENOMEM; with_times and with_values allocate the
 * optional arrays. op_batch_deinit() also takes a zeroed batch.
 */
int op_batch_init(struct op_batch *batch, size_t capacity, int with_times, int with_values);
void op_batch_deinit(struct op_batch *batch);

/* Empties the batch, keeping its memory. */
static inline void op_batch_reset(struct op_batch *batch)
{
	batch->count = 0;
	batch->arena_bytes = 0;
}

/*
 * What operations read, as one number: an engine folds all that an operation read, in order, words
 * of 8 bytes, little-endian, the last of each item zero-filled. One word folds to itself.
 */
static inline uint64_t op_fold_word(uint64_t fold, uint64_t word)
{
	return fold * 0x9e3779b97f4a7c15u + word;
}

static inline uint64_t op_fold_bytes(uint64_t fold, const void *bytes, size_t count)
{
	const uint8_t *from = bytes;

	for (; count; from += sizeof(uint64_t)) {
		size_t used = count < sizeof(uint64_t) ? count : sizeof(uint64_t);
		uint64_t word = 0;

		memcpy(&word, from, used);
		fold = op_fold_word(fold, word);
		count -= used;
	}
	return fold;
}

/* Copies bytes into the arena and returns their offset, or -ENOMEM. */
int64_t op_batch_add_bytes(struct op_batch *batch, const void *bytes, size_t count);

#endif
