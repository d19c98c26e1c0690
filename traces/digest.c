// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The digest is XXH3 over the operations' 16-byte little-endian records; a key given as bytes is
 * hashed as 0 in the record and follows it.
 */
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <xxhash.h>

#include "traces/trace.h"

struct trace_digest {
	XXH3_state_t *state;
};

int trace_digest_create(struct trace_digest **digest)
{
	struct trace_digest *new = malloc(sizeof(*new));

	*digest = NULL;
	if (!new)
		return -ENOMEM;
	new->state = XXH3_createState();
	if (!new->state) {
		free(new);
		return -ENOMEM;
	}
	XXH3_64bits_reset(new->state);
	*digest = new;
	return 0;
}

void trace_digest_update(struct trace_digest *digest, const struct op_batch *batch)
{
	/* Without bytes of keys the array is what is hashed. */
	if (!batch->arena_bytes && BYTE_ORDER == LITTLE_ENDIAN) {
		XXH3_64bits_update(digest->state, batch->ops, batch->count * sizeof(*batch->ops));
		return;
	}
	for (size_t i = 0; i < batch->count; i++) {
		const struct map_op *op = &batch->ops[i];
		struct map_op record = {
			.key = htole64(op->key_bytes ? 0 : op->key),
			.key_bytes = htole32(op->key_bytes),
			.cpu = htole16(op->cpu),
			.code = op->code,
			.context = op->context,
		};

		XXH3_64bits_update(digest->state, &record, sizeof(record));
		if (op->key_bytes)
			XXH3_64bits_update(digest->state, batch->arena + op->key, op->key_bytes);
	}
}

uint64_t trace_digest_value(const struct trace_digest *digest)
{
	return XXH3_64bits_digest(digest->state);
}

void trace_digest_destroy(struct trace_digest *digest)
{
	if (!digest)
		return;
	XXH3_freeState(digest->state);
	free(digest);
}
