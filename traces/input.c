// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "traces/input.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* How much is looked at, read or unmapped at a time. */
#define CHUNK_BYTES ((size_t)1 << 20)

static int input_fail(const struct input *input, int err, struct error *error)
{
	return error_set(error, err, "%s: %s", input->name, strerror(-err));
}

/* Maps a regular file. Where that is not possible, the file is read like a pipe. */
static void input_map(struct input *input, int fd, const struct stat *status)
{
	void *map;

	/* Files of /proc say 0 bytes and have some. */
	if (!S_ISREG(status->st_mode) || status->st_size <= 0 ||
	    (uint64_t)status->st_size > SIZE_MAX / 2 || lseek(fd, 0, SEEK_CUR) != 0)
		return;
	map = mmap(NULL, (size_t)status->st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (map == MAP_FAILED)
		return;
	madvise(map, (size_t)status->st_size, MADV_SEQUENTIAL);
	input->map = map;
	input->map_bytes = (size_t)status->st_size;
	input->data = input->map;
	input->available = input->map_bytes;
	input->mapped = true;
	input->ended = true;
}

int input_open(struct input *input, const char *path, struct error *error)
{
	struct stat status;
	int fd = STDIN_FILENO;
	int err;

	memset(input, 0, sizeof(*input));
	input->fd = -1;
	input->name = path;
	if (!strcmp(path, "-")) {
		input->name = "<stdin>";
	} else {
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			return input_fail(input, -errno, error);
		input->fd = fd;
	}
	if (fstat(fd, &status)) {
		err = input_fail(input, -errno, error);
		input_close(input);
		return err;
	}
	if (S_ISDIR(status.st_mode)) {
		err = error_set(error, -EISDIR, "%s: is a directory, expected a trace file",
				input->name);
		input_close(input);
		return err;
	}
	input_map(input, fd, &status);
	return 0;
}

void input_close(struct input *input)
{
	if (input->mapped)
		munmap(input->map, input->map_bytes);
	if (input->fd >= 0)
		close(input->fd);
	free(input->buffer);
	free(input->last_line);
	memset(input, 0, sizeof(*input));
	input->fd = -1;
}

/* Moves the window to the start of the buffer, and grows the buffer when the window fills it. */
static int input_make_room(struct input *input)
{
	size_t bytes = input->buffer_bytes ? input->buffer_bytes : CHUNK_BYTES;
	uint8_t *buffer;

	if (input->buffer)
		memmove(input->buffer, input->data, input->available);
	input->data = input->buffer;
	if (input->available >= bytes / 2)
		bytes *= 2;
	if (bytes != input->buffer_bytes) {
		/* One byte more, for the newline that a last line may lack. */
		buffer = realloc(input->buffer, bytes + 1);
		if (!buffer)
			return -ENOMEM;
		input->buffer = buffer;
		input->buffer_bytes = bytes;
	}
	input->data = input->buffer;
	return 0;
}

/* Reads once: at least one byte more, or the end. */
static int input_fill(struct input *input, struct error *error)
{
	int fd = input->fd < 0 ? STDIN_FILENO : input->fd;
	struct pollfd wait = {.fd = fd, .events = POLLIN};
	size_t used;
	ssize_t got;

	if (!input->buffer ||
	    input->data + input->available == input->buffer + input->buffer_bytes) {
		if (input_make_room(input))
			return input_fail(input, -ENOMEM, error);
	}
	used = (size_t)(input->data - input->buffer) + input->available;
	for (;;) {
		got = read(fd, input->buffer + used, input->buffer_bytes - used);
		if (got >= 0)
			break;
		/* A signal that is caught asks for an end: the caller decides, not the reader. */
		if (errno != EAGAIN || poll(&wait, 1, -1) < 0)
			return input_fail(input, -errno, error);
	}
	input->available += (size_t)got;
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

/* All that is left is a line without a newline: gives it one. */
static int input_last_line(struct input *input, const uint8_t **lines, size_t *bytes,
			   struct error *error)
{
	uint8_t *line;

	if (!input->available)
		return 0;
	if (input->mapped) {
		free(input->last_line);
		input->last_line = malloc(input->available + 1);
		if (!input->last_line)
			return input_fail(input, -ENOMEM, error);
		line = input->last_line;
		memcpy(line, input->data, input->available);
	} else {
		line = input->buffer + (input->data - input->buffer);
	}
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
			return input_last_line(input, lines, bytes, error);
		err = input_fill(input, error);
		if (err)
			return err;
	}
}

void input_consume(struct input *input, size_t bytes)
{
	size_t done;

	/* The newline added to a last line is not in the window. */
	if (bytes > input->available)
		bytes = input->available;
	input->data += bytes;
	input->available -= bytes;
	input->offset += bytes;
	if (!input->mapped)
		return;
	done = (size_t)input->offset & ~(CHUNK_BYTES - 1);
	if (done >= input->dropped_bytes + 16 * CHUNK_BYTES) {
		madvise(input->map + input->dropped_bytes, done - input->dropped_bytes,
			MADV_DONTNEED);
		input->dropped_bytes = done;
	}
}
