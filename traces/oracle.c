// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * oracleGeneral, the block and object traces of cache research: packed little-endian records of a
 * time in seconds, an object, its size, and which access to the same object comes next. Accesses
 * are numbered from 1; -1 says that none comes.
 */
#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/rng.h"
#include "traces/format.h"

struct oracle_record {
	uint32_t time_seconds;
	uint64_t key;
	uint32_t size_bytes;
	int64_t next;
} __attribute__((packed));

_Static_assert(sizeof(struct oracle_record) == 24, "as on disk");

#define NS_PER_SECOND 1000000000ULL
#define ACCESSES_MAX (INT64_C(1) << 48) /* no trace has as many */
#define BLOCK_RECORDS 8192              /* that the second pass reads and writes at once */
#define TABLE_SLOTS 1024                /* to begin with */

/*
 * Binary data are taken for records when the number of the next access makes sense in all of them;
 * compressed files and other formats do not get that far.
 */
static bool oracle_detect(const struct trace_sample *sample)
{
	const struct oracle_record *record = (const void *)sample->head;

	if (!sample->binary)
		return false;
	for (size_t i = 0; i < sample->bytes / sizeof(*record); i++) {
		int64_t next = (int64_t)le64toh((uint64_t)record[i].next);

		if (next < -1 || (next > ACCESSES_MAX && next != INT64_MAX))
			return false;
	}
	return true;
}

static int oracle_truncated(const struct trace_reader *reader, uint64_t offset, uint64_t bytes,
			    struct error *error)
{
	return error_set(error, -EINVAL,
			 "%s: byte %" PRIu64 ": expected a record of %zu bytes, found the end "
			 "of the file after %" PRIu64,
			 reader->name, offset, sizeof(struct oracle_record), bytes);
}

static int oracle_open(struct trace_reader *reader, struct error *error)
{
	uint64_t bytes = reader->input.file_bytes;
	uint64_t rest = bytes % sizeof(struct oracle_record);

	if (rest)
		return oracle_truncated(reader, bytes - rest, rest, error);
	reader->operations = bytes / sizeof(struct oracle_record);
	return 0;
}

static int oracle_read(struct trace_reader *reader, struct op_batch *batch, struct error *error)
{
	struct input *input = &reader->input;

	while (batch->count < batch->capacity) {
		const struct oracle_record *record;
		size_t count;
		int err = input_peek(input, sizeof(*record), error);

		if (err)
			return err;
		if (input->available < sizeof(*record)) {
			if (!input->available)
				return 0;
			return oracle_truncated(reader, input->offset, input->available, error);
		}
		record = (const void *)input->data;
		count = input->available / sizeof(*record);
		if (count > batch->capacity - batch->count)
			count = batch->capacity - batch->count;
		for (size_t i = 0; i < count; i++)
			batch->ops[batch->count + i].key = le64toh(record[i].key);
		for (size_t i = 0; batch->times_ns && i < count; i++)
			batch->times_ns[batch->count + i] =
				le32toh(record[i].time_seconds) * NS_PER_SECOND;
		batch->count += count;
		input_consume(input, count * sizeof(*record));
	}
	return 0;
}

static int oracle_write(struct trace_writer *writer, const struct op_batch *batch,
			struct error *error)
{
	FILE *file = writer->output.stream;

	for (size_t i = 0; i < batch->count && !ferror_unlocked(file); i++) {
		struct oracle_record record = {.size_bytes = htole32(1)};
		uint64_t seconds = batch->times_ns ? batch->times_ns[i] / NS_PER_SECOND : 0;
		uint64_t key;
		int err = writer_key(writer, batch, i, &key, error);

		if (err)
			return err;
		if (seconds > UINT32_MAX)
			return error_set(error, -ERANGE,
					 "%s: operation %" PRIu64 ": a time of %" PRIu64
					 " s does not fit 32 bits",
					 writer->output.name, writer->index + i, seconds);
		record.time_seconds = htole32((uint32_t)seconds);
		record.key = htole64(key);
		fwrite_unlocked(&record, sizeof(record), 1, file);
	}
	return output_check(&writer->output, error);
}

/* Where each key is accessed next: open addressing, a power of two of slots, half of them free. */
struct next_access {
	uint64_t key;
	int64_t number; /* 0: the slot is free */
};

struct next_table {
	struct next_access *slots;
	size_t mask;
	size_t used;
};

static struct next_access *next_slot(const struct next_table *table, uint64_t key)
{
	uint64_t mixed = key;
	size_t i = (size_t)rng_splitmix(&mixed) & table->mask;

	while (table->slots[i].number && table->slots[i].key != key)
		i = (i + 1) & table->mask;
	return &table->slots[i];
}

static int next_grow(struct next_table *table)
{
	size_t slots = (table->mask + 1) * 2;
	struct next_table bigger = {calloc(slots, sizeof(*bigger.slots)), slots - 1, table->used};

	if (!bigger.slots)
		return -ENOMEM;
	for (size_t i = 0; i <= table->mask; i++) {
		if (table->slots[i].number)
			*next_slot(&bigger, table->slots[i].key) = table->slots[i];
	}
	free(table->slots);
	*table = bigger;
	return 0;
}

/* Sets the next access of records number first, from 1, and on; goes backwards. */
static int next_set(struct next_table *table, struct oracle_record *records, uint64_t first,
		    size_t count)
{
	for (size_t i = count; i-- > 0;) {
		struct next_access *slot;

		if (table->used > table->mask / 2 && next_grow(table))
			return -ENOMEM;
		slot = next_slot(table, records[i].key);
		records[i].next = (int64_t)htole64((uint64_t)(slot->number ? slot->number : -1));
		table->used += !slot->number;
		slot->key = records[i].key;
		slot->number = (int64_t)(first + i);
	}
	return 0;
}

/* Moves all bytes at an offset of the file; write says which way. Returns 0 or a negative errno. */
static int block_move(int fd, void *block, size_t bytes, off_t offset, bool write)
{
	size_t done = 0;

	while (done < bytes) {
		char *p = (char *)block + done;
		ssize_t moved = write ? pwrite(fd, p, bytes - done, offset + (off_t)done)
				      : pread(fd, p, bytes - done, offset + (off_t)done);

		if (moved < 0 && errno != EINTR)
			return -errno;
		if (!moved)
			return -EIO;
		if (moved > 0)
			done += (size_t)moved;
	}
	return 0;
}

/* Everything but the next accesses is written: a second pass, from the end, fills them in. */
static int oracle_write_end(struct trace_writer *writer, struct error *error)
{
	FILE *file = writer->output.stream;
	struct oracle_record *block = calloc(BLOCK_RECORDS, sizeof(*block));
	struct next_table table = {calloc(TABLE_SLOTS, sizeof(*table.slots)), TABLE_SLOTS - 1, 0};
	uint64_t left = writer->index;
	int fd = fileno(file);
	int err = block && table.slots ? 0 : -ENOMEM;

	if (!err && fflush(file))
		err = -errno;
	while (left && !err) {
		size_t count = left < BLOCK_RECORDS ? (size_t)left : BLOCK_RECORDS;
		off_t offset = (off_t)((left - count) * sizeof(*block));

		err = block_move(fd, block, count * sizeof(*block), offset, false);
		if (!err)
			err = next_set(&table, block, left - count + 1, count);
		if (!err)
			err = block_move(fd, block, count * sizeof(*block), offset, true);
		left -= count;
	}
	free(table.slots);
	free(block);
	if (err)
		return error_set_output(error, err, "%s: %s", writer->output.name, strerror(-err));
	return 0;
}

const struct trace_format oracle_format = {
	.name = "oracle",
	.summary = "oracleGeneral: binary records of time, key, size and next access",
	.content = "oracleGeneral records",
	.extension = "oracleGeneral",
	.gives = GIVES_TIMES,
	.seeks = true,
	.detect = oracle_detect,
	.open = oracle_open,
	.read = oracle_read,
	.write = oracle_write,
	.write_end = oracle_write_end,
};
