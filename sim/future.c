// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sim/future.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/system.h"

#define TABLE_ENTRIES_FIRST 4096 /* a power of two */

/* An operation of a trace, with what its key may be in. */
struct place {
	const struct map_op *op; /* NULL: empty */
	const uint8_t *arena;
	uint64_t index; /* in the run, or UINT64_MAX when it is no use */
};

/* The keys seen so far, from the end: each by its first operation there. Open addressing. */
struct future {
	uint32_t key_size;
	struct place *table;
	uint64_t mask, used;
};

/* A key's bytes in the map, without the zeroes at its end. */
struct key_text {
	const void *bytes;
	size_t count;
};

static struct key_text key_text(const struct map_op *op, const uint8_t *arena, uint32_t key_size)
{
	const uint8_t *bytes = op->key_bytes ? arena + op->key : (const uint8_t *)&op->key;
	size_t count = op->key_bytes ? op->key_bytes : sizeof(op->key);

	if (count > key_size)
		count = key_size;
	while (count && !bytes[count - 1])
		count--;
	return (struct key_text){bytes, count};
}

/* Where a key stands, or would. */
static struct place *future_find(const struct future *future, struct key_text key)
{
	uint64_t at = XXH3_64bits(key.bytes, key.count) & future->mask;

	for (;; at = (at + 1) & future->mask) {
		struct place *place = &future->table[at];
		struct key_text other;

		if (!place->op)
			return place;
		other = key_text(place->op, place->arena, future->key_size);
		if (other.count == key.count && !memcmp(other.bytes, key.bytes, key.count))
			return place;
	}
}

/* Doubles the table. */
static int future_grow(struct future *future, struct error *error)
{
	uint64_t entries = future->table ? 2 * (future->mask + 1) : TABLE_ENTRIES_FIRST;
	struct place *old = future->table, *table = NULL;
	uint64_t old_entries = old ? future->mask + 1 : 0;

	if (entries * sizeof(*old) <= system_memory_available())
		table = calloc(entries, sizeof(*old));
	if (!table) {
		error_set(error, -ENOMEM, "no memory for the trace's keys");
		return -ENOMEM;
	}
	future->table = table;
	future->mask = entries - 1;
	for (uint64_t i = 0; i < old_entries; i++) {
		if (old[i].op)
			*future_find(future, key_text(old[i].op, old[i].arena, future->key_size)) =
				old[i];
	}
	free(old);
	return 0;
}

static bool has_key(const struct map_op *op)
{
	return op->code != OP_NEXT_KEY && op->code != OP_BATCH_LOOKUP &&
	       op->code != OP_BATCH_LOOKUP_AND_DELETE;
}

/* Looks at the operation before those seen. */
static int future_add(struct future *future, const struct op_batch *trace, size_t i, uint64_t index,
		      uint64_t *next_use, struct error *error)
{
	const struct map_op *op = &trace->ops[i];
	struct place *place;

	*next_use = UINT64_MAX;
	if (!has_key(op))
		return 0;
	if (2 * future->used >= future->mask) {
		int err = future_grow(future, error);

		if (err)
			return err;
	}
	place = future_find(future, key_text(op, trace->arena, future->key_size));
	if (place->op)
		*next_use = place->index;
	else
		future->used++;
	*place = (struct place){op, trace->arena, op->code == OP_DELETE ? UINT64_MAX : index};
	return 0;
}

int trace_next_use(const struct op_batch *traces, size_t count, uint32_t key_size,
		   uint64_t **next_use, struct error *error)
{
	struct future future = {.key_size = key_size};
	uint64_t index = 0;
	int err;

	for (size_t i = 0; i < count; i++)
		index += traces[i].count;
	*next_use = reallocarray(NULL, index ? index : 1, sizeof(**next_use));
	if (!*next_use)
		return error_set(error, -ENOMEM, "no memory for the trace's future");
	err = future_grow(&future, error);
	for (size_t n = count; !err && n-- > 0;) {
		for (size_t i = traces[n].count; !err && i-- > 0;) {
			index--;
			err = future_add(&future, &traces[n], i, index, &(*next_use)[index], error);
		}
	}
	free(future.table);
	return err;
}
