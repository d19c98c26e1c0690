// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "traces/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "traces/compress.h"

#define COPY_BYTES ((size_t)64 << 10)

static int output_fail(const struct output *output, int err, struct error *error)
{
	return error_set_output(error, err, "%s: %s", output->name, strerror(-err));
}

/* A file without a name, where the output will be: there is room for it, if anywhere. */
static FILE *stage_open(const char *path)
{
	FILE *stream = NULL;
	char *name;
	int fd;

	if (asprintf(&name, "%s.XXXXXX", path) < 0)
		return NULL;
	fd = mkostemp(name, O_CLOEXEC);
	if (fd >= 0) {
		unlink(name);
		stream = fdopen(fd, "w+");
		if (!stream)
			close(fd);
	}
	free(name);
	return stream;
}

/* The stream that formats write to. Returns 0 or a negative errno. */
static int stream_open(struct output *output, bool seeks)
{
	output->stream = output->file.stream;
	if (!output->zstd_level)
		return 0;
	output->is_staged = seeks;
	if (seeks)
		output->stream = stage_open(output->file.path);
	else
		output->stream = encoder_open(output->file.stream, output->zstd_level);
	return output->stream ? 0 : -errno;
}

int output_open(struct output *output, const char *path, bool seeks, int zstd_level,
		struct error *error)
{
	const char *name = strcmp(path, "-") != 0 ? path : "<stdout>";
	int err;

	memset(output, 0, sizeof(*output));
	if (seeks && output_file_is_special(path))
		return error_set(error, -ESPIPE,
				 "%s: this format can only be written to a regular file", name);
	output->zstd_level = zstd_level;
	output->name = strdup(name);
	if (!output->name)
		return error_set(error, -ENOMEM, "%s: %s", path, strerror(ENOMEM));
	err = output_file_open(&output->file, path, error);
	if (!err) {
		err = stream_open(output, seeks);
		if (err) {
			output_fail(output, err, error);
			output_file_close(&output->file, false, NULL);
		}
	}
	if (err) {
		free(output->name);
		output->name = NULL;
	}
	return err;
}

int output_check(const struct output *output, struct error *error)
{
	if (!ferror(output->stream))
		return 0;
	return output_fail(output, errno ? -errno : -EIO, error);
}

/* Compresses the whole temporary file. Returns 0 or an errno. */
static int stage_compress(struct output *output)
{
	FILE *to = encoder_open(output->file.stream, output->zstd_level);
	char *block = malloc(COPY_BYTES);
	int err = to && block ? 0 : ENOMEM;
	size_t got = 0;

	if (!err && fseeko(output->stream, 0, SEEK_SET))
		err = errno;
	errno = 0;
	while (!err && (got = fread(block, 1, COPY_BYTES, output->stream))) {
		if (fwrite(block, 1, got, to) != got)
			err = errno ? errno : EIO;
	}
	if (!err && ferror(output->stream))
		err = errno ? errno : EIO;
	if (to && fclose(to) && !err)
		err = errno;
	free(block);
	return err;
}

/* Completes what stands between the format and the file. Returns 0 or a negative errno. */
static int stream_close(struct output *output, bool commit)
{
	int err = 0;

	if (output->stream == output->file.stream)
		return 0;
	if (commit && output->is_staged)
		err = stage_compress(output);
	errno = 0;
	if (fclose(output->stream) && !err)
		err = errno ? errno : EIO;
	return commit ? -err : 0;
}

int output_close(struct output *output, bool commit, struct error *error)
{
	int err = stream_close(output, commit), close_err;

	close_err = output_file_close(&output->file, commit && !err, NULL);
	if (!err)
		err = close_err;
	if (err)
		output_fail(output, err, error);
	free(output->name);
	memset(output, 0, sizeof(*output));
	return err;
}
