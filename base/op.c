// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "base/op.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

const struct op_name op_names[OP_CODES] = {
	[OP_LOOKUP] = {'L', "lookup"},
	[OP_UPDATE] = {'U', "update"},
	[OP_UPDATE_NOEXIST] = {'N', "update_noexist"},
	[OP_UPDATE_EXIST] = {'E', "update_exist"},
	[OP_DELETE] = {'D', "delete"},
	[OP_LOOKUP_AND_DELETE] = {'P', "lookup_and_delete"},
	[OP_NEXT_KEY] = {'K', "next_key"},
	[OP_BATCH_LOOKUP] = {'B', "batch_lookup"},
	[OP_BATCH_LOOKUP_AND_DELETE] = {'R', "batch_lookup_and_delete"},
	[OP_ACCESS] = {'T', "access"},
	[OP_DIST] = {'S', "dist"},
};

int op_from_letter(char letter, uint8_t *code, uint8_t *context)
{
	char upper = (char)toupper((unsigned char)letter);

	for (int i = 0; i < OP_CODES; i++) {
		if (op_names[i].letter != upper)
			continue;
		*code = (uint8_t)i;
		*context = letter == upper ? OP_PROGRAM : OP_SYSCALL;
		return 0;
	}
	return -EINVAL;
}

char op_letter(uint8_t code, uint8_t context)
{
	int letter = (unsigned char)op_names[code].letter;

	return (char)(context == OP_SYSCALL ? tolower(letter) : letter);
}

int op_batch_init(struct op_batch *batch, size_t capacity, int with_times, int with_values)
{
	memset(batch, 0, sizeof(*batch));
	batch->capacity = capacity;
	batch->ops = malloc(capacity * sizeof(*batch->ops));
	if (with_times)
		batch->times_ns = malloc(capacity * sizeof(*batch->times_ns));
	if (with_values)
		batch->values = malloc(capacity * sizeof(*batch->values));
	if (!batch->ops || (with_times && !batch->times_ns) || (with_values && !batch->values)) {
		op_batch_deinit(batch);
		return -ENOMEM;
	}
	return 0;
}

void op_batch_deinit(struct op_batch *batch)
{
	free(batch->ops);
	free(batch->times_ns);
	free(batch->values);
	free(batch->arena);
	memset(batch, 0, sizeof(*batch));
}

int64_t op_batch_add_bytes(struct op_batch *batch, const void *bytes, size_t count)
{
	size_t offset = batch->arena_bytes;

	if (count > batch->arena_capacity - offset) {
		size_t capacity = batch->arena_capacity * 2 + count + 4096;
		uint8_t *arena = realloc(batch->arena, capacity);

		if (!arena)
			return -ENOMEM;
		batch->arena = arena;
		batch->arena_capacity = capacity;
	}
	if (count)
		memcpy(batch->arena + offset, bytes, count);
	batch->arena_bytes = offset + count;
	return (int64_t)offset;
}
