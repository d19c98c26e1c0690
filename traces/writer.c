// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Writing traces. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "traces/compress.h"
#include "traces/format.h"

static int format_unknown(const char *name, struct error *error)
{
	const char *names[FORMATS_MAX + 1] = {NULL};
	char text[128];
	size_t count = 0;

	for (size_t i = 0; trace_format_table[i]; i++) {
		if (trace_format_table[i]->write)
			names[count++] = trace_format_table[i]->name;
	}
	names_list(names, text, sizeof(text));
	return error_set(error, -EINVAL, "unknown format \"%s\", expected %s", name, text);
}

static bool name_ends_with(const char *name, const char *end)
{
	size_t bytes = strlen(name), end_bytes = strlen(end);

	return bytes > end_bytes && !strcmp(name + bytes - end_bytes, end);
}

int trace_writer_open(const char *format_name, const char *path, int zstd_level,
		      struct trace_writer **writer, struct error *error)
{
	const struct trace_format *format = format_find(format_name, strlen(format_name));
	struct trace_writer *new;
	int err;

	*writer = NULL;
	if (!format || !format->write)
		return format_unknown(format_name, error);
	new = calloc(1, sizeof(*new));
	if (!new)
		return error_set(error, -ENOMEM, "%s: %s", path, strerror(ENOMEM));
	new->format = format;
	if (zstd_level == TRACE_ZSTD_BY_NAME && name_ends_with(path, ".zst"))
		zstd_level = ENCODER_LEVEL_DEFAULT;
	err = output_open(&new->output, path, format->seeks, zstd_level, error);
	if (!err && format->write_open) {
		err = format->write_open(new, error);
		if (err)
			output_close(&new->output, false, NULL);
	}
	if (err) {
		free(new);
		return err;
	}
	*writer = new;
	return 0;
}

int trace_write(struct trace_writer *writer, const struct op_batch *batch, struct error *error)
{
	if (!writer->failed) {
		writer->failed = writer->format->write(writer, batch, &writer->failure);
		writer->index += batch->count;
	}
	if (writer->failed)
		error_copy(error, writer->failed, &writer->failure);
	return writer->failed;
}

int trace_writer_close(struct trace_writer *writer, bool commit, struct error *error)
{
	int err = 0;

	if (commit && writer->failed)
		err = error_copy(error, writer->failed, &writer->failure);
	else if (commit && writer->format->write_end)
		err = writer->format->write_end(writer, error);
	if (writer->format->write_close)
		writer->format->write_close(writer);
	if (err)
		output_close(&writer->output, false, NULL);
	else
		err = output_close(&writer->output, commit, error);
	free(writer);
	return err;
}

int writer_key(const struct trace_writer *writer, const struct op_batch *batch, size_t index,
	       uint64_t *key, struct error *error)
{
	const struct map_op *op = &batch->ops[index];

	if (op->code == OP_BATCH_LOOKUP || op->code == OP_BATCH_LOOKUP_AND_DELETE)
		return error_set(error, -EINVAL,
				 "%s: operation %" PRIu64 ": %s has no key, and %s holds only keys",
				 writer->output.name, writer->index + index,
				 op_names[op->code].word, writer->format->name);
	if (op->key_bytes > sizeof(*key))
		return error_set(error, -EINVAL,
				 "%s: operation %" PRIu64 ": a key of %u bytes does not fit %s, "
				 "which holds integers of 8",
				 writer->output.name, writer->index + index, op->key_bytes,
				 writer->format->name);
	*key = op->key;
	if (op->key_bytes) {
		*key = 0;
		for (uint32_t i = 0; i < op->key_bytes; i++)
			*key |= (uint64_t)batch->arena[op->key + i] << (8 * i);
	}
	return 0;
}
