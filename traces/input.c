// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "traces/input.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "traces/compress.h"

/* What the buffer begins with: fits a second-level cache beside what else a replay uses. */
#define BUFFER_BYTES ((size_t)256 << 10)

/* How much is searched for a newline at a time. */
#define CHUNK_BYTES ((size_t)1 << 20)

static int input_fail(const struct input *input, int err, struct error *error)
{
	return error_set(error, err, "%s: %s", input->name, strerror(-err));
}

static int input_fd(const struct input *input)
{
	return input->fd < 0 ? STDIN_FILENO : input->fd;
}

/* At the end of the file: it must not have become shorter since it was opened. */
static int check_not_cut(const struct input *input, struct error *error)
{
	struct stat status;

	if (input->read_bytes >= input->size_bytes || fstat(input_fd(input), &status) ||
	    (uint64_t)status.st_size >= input->size_bytes)
		return 0;
	return error_set(error, -EINVAL,
			 "%s: byte %" PRIu64 ": expected a file of %" PRIu64
			 " bytes, found its end: it was cut short while it was read",
			 input->name, input->read_bytes, input->size_bytes);
}

/* Reads the file as it is stored: at least one byte, or none at its end. */
static int input_read(void *arg, void *to, size_t bytes, size_t *got, struct error *error)
{
	struct input *input = arg;
	struct pollfd wait = {.fd = input_fd(input), .events = POLLIN};
	ssize_t done;

	for (;;) {
		done = read(wait.fd, to, bytes);
		if (done >= 0)
			break;
		/* A signal that is caught asks for an end: the caller decides, not the reader. */
		if (errno != EAGAIN || poll(&wait, 1, -1) < 0)
			return input_fail(input, -errno, error);
	}
	*got = (size_t)done;
	input->read_bytes += *got;
	return done ? 0 : check_not_cut(input, error);
}

/* A compressed file: what was read of it becomes the decoder's, and the window begins anew. */
static int input_decode(struct input *input, struct error *error)
{
	int err = input_peek(input, DECODER_HEAD_BYTES, error);

	if (err || input->available < DECODER_HEAD_BYTES || !decoder_knows(input->data))
		return err;
	err = decoder_create(&input->decoder, input->name, input_read, input, input->data,
			     input->available);
	if (err)
		return input_fail(input, err, error);
	input->data = input->buffer;
	input->available = 0;
	input->ended = false;
	input->file_bytes = 0;
	return 0;
}

static int input_begin(struct input *input, struct error *error)
{
	struct stat status;
	int fd = input_fd(input);

	if (fstat(fd, &status))
		return input_fail(input, -errno, error);
	if (S_ISDIR(status.st_mode))
		return error_set(error, -EISDIR, "%s: is a directory, expected a trace file",
				 input->name);
	/* Files of /proc say 0 bytes and have some; standard input may be in the middle. */
	if (S_ISREG(status.st_mode) && status.st_size > 0 && lseek(fd, 0, SEEK_CUR) == 0) {
		input->size_bytes = input->file_bytes = (uint64_t)status.st_size;
		posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
	}
	return input_decode(input, error);
}

int input_open(struct input *input, const char *path, struct error *error)
{
	int err;

	memset(input, 0, sizeof(*input));
	input->fd = -1;
	input->name = path;
	if (!strcmp(path, "-")) {
		input->name = "<stdin>";
	} else {
		input->fd = open(path, O_RDONLY | O_CLOEXEC);
		if (input->fd < 0)
			return input_fail(input, -errno, error);
	}
	err = input_begin(input, error);
	if (err)
		input_close(input);
	return err;
}

void input_close(struct input *input)
{
	if (input->fd >= 0)
		close(input->fd);
	decoder_destroy(input->decoder);
	free(input->buffer);
	memset(input, 0, sizeof(*input));
	input->fd = -1;
}

/* Moves the window to the start of the buffer, and grows the buffer when the window fills it. */
static int input_make_room(struct input *input)
{
	size_t bytes = input->buffer_bytes ? input->buffer_bytes : BUFFER_BYTES;
	uint8_t *buffer = input->buffer;

	if (input->available >= bytes / 2)
		bytes *= 2;
	if (bytes != input->buffer_bytes) {
		/* More than asked for: a last line may lack its newline. */
		buffer = aligned_alloc(INPUT_ALIGN, bytes + INPUT_ALIGN);
		if (!buffer)
			return -ENOMEM;
	}
	if (input->buffer)
		memmove(buffer, input->data, input->available);
	if (buffer != input->buffer)
		free(input->buffer);
	input->buffer = buffer;
	input->buffer_bytes = bytes;
	input->data = buffer;
	return 0;
}

/* Reads once: at least one byte more, or the end. */
static int input_fill(struct input *input, struct error *error)
{
	size_t used, room, got = 0;
	int err;

	if (!input->buffer ||
	    input->data + input->available == input->buffer + input->buffer_bytes) {
		if (input_make_room(input))
			return input_fail(input, -ENOMEM, error);
	}
	used = (size_t)(input->data - input->buffer) + input->available;
	room = input->buffer_bytes - used;
	if (input->decoder)
		err = decoder_read(input->decoder, input->buffer + used, room, &got, error);
	else
		err = input_read(input, input->buffer + used, room, &got, error);
	if (err)
		return err;
	input->available += got;
	input->ended = !got;
	return 0;
}

int input_peek(struct input *input, size_t bytes, struct error *error)
{
	while (input->available < bytes && !input->ended) {
		int err = input_fill(input, error);

		if (err)
			return err;
	}
	return 0;
}

int input_read_at(const struct input *input, void *to, size_t bytes, uint64_t offset,
		  struct error *error)
{
	size_t done = 0;

	while (done < bytes) {
		ssize_t got = pread(input_fd(input), (char *)to + done, bytes - done,
				    (off_t)(offset + done));

		if (got < 0)
			return input_fail(input, -errno, error);
		if (!got)
			return error_set(error, -EINVAL,
					 "%s: byte %" PRIu64 ": expected a file of %" PRIu64
					 " bytes, found its end",
					 input->name, offset + done, input->size_bytes);
		done += (size_t)got;
	}
	return 0;
}

/* All that is left is a line without a newline: gives it one. */
static int input_last_line(struct input *input, const uint8_t **lines, size_t *bytes)
{
	uint8_t *line = input->buffer + (input->data - input->buffer);

	if (!input->available)
		return 0;
	line[input->available] = '\n';
	*lines = line;
	*bytes = input->available + 1;
	return 1;
}

int input_lines(struct input *input, const uint8_t **lines, size_t *bytes, struct error *error)
{
	size_t searched = 0;

	for (;;) {
		const uint8_t *newline = NULL;
		size_t window = searched + CHUNK_BYTES;
		int err;

		if (window > INPUT_LINE_MAX + 1)
			window = INPUT_LINE_MAX + 1;
		if (window > input->available)
			window = input->available;
		if (window > searched)
			newline = memrchr(input->data + searched, '\n', window - searched);
		if (newline) {
			*lines = input->data;
			*bytes = (size_t)(newline + 1 - input->data);
			return 1;
		}
		if (window > INPUT_LINE_MAX)
			return -E2BIG;
		searched = window;
		if (window < input->available)
			continue;
		if (input->ended)
			return input_last_line(input, lines, bytes);
		err = input_fill(input, error);
		if (err)
			return err;
	}
}

void input_consume(struct input *input, size_t bytes)
{
	/* The newline added to a last line is not in the window. */
	if (bytes > input->available)
		bytes = input->available;
	input->data += bytes;
	input->available -= bytes;
	input->offset += bytes;
}
