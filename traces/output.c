// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "traces/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUFFER_BYTES ((size_t)256 << 10)
#define SUFFIX_LENGTH 6
#define TEMPORARY_TRIES 100

static int output_fail(const struct output *output, int err, struct error *error)
{
	return error_set(error, err, "%s: %s", output->name, strerror(-err));
}

/*
 * Creates output->temporary beside output->path. open(2) applies the umask, which mkstemp(3) would
 * not. Returns a descriptor or a negative errno.
 */
static int temporary_create(struct output *output)
{
	static const char letters[32] = "abcdefghijklmnopqrstuvwxyz234567";
	size_t length = strlen(output->path);
	unsigned char random[SUFFIX_LENGTH];
	char *suffix;
	int fd;

	output->temporary = malloc(length + 1 + SUFFIX_LENGTH + 1);
	if (!output->temporary)
		return -ENOMEM;
	suffix = stpcpy(stpcpy(output->temporary, output->path), ".");
	suffix[SUFFIX_LENGTH] = '\0';
	for (int i = 0; i < TEMPORARY_TRIES; i++) {
		if (getrandom(random, sizeof(random), 0) != sizeof(random))
			break;
		for (int j = 0; j < SUFFIX_LENGTH; j++)
			suffix[j] = letters[random[j] % 32];
		fd = open(output->temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (fd >= 0)
			return fd;
		if (errno != EEXIST)
			break;
	}
	fd = -errno;
	free(output->temporary);
	output->temporary = NULL;
	return fd;
}

/* Returns a descriptor to write to, or a negative errno with error. */
static int output_descriptor(struct output *output, const char *path, bool seeks,
			     struct error *error)
{
	struct stat status;
	bool standard = !strcmp(path, "-");
	bool exists = !standard && !stat(path, &status);
	int fd;

	if (exists && S_ISDIR(status.st_mode))
		return error_set(error, -EISDIR, "%s: is a directory, expected a file to write",
				 output->name);
	if (standard || (exists && !S_ISREG(status.st_mode))) {
		if (seeks)
			return error_set(error, -ESPIPE,
					 "%s: this format can only be written to a regular file",
					 output->name);
		fd = standard ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0)
			      : open(path, O_WRONLY | O_CLOEXEC);
		return fd < 0 ? output_fail(output, -errno, error) : fd;
	}
	/* A symbolic link stays, and the file behind it is replaced. */
	output->path = exists ? realpath(path, NULL) : strdup(path);
	if (!output->path)
		return output_fail(output, -errno, error);
	fd = temporary_create(output);
	return fd < 0 ? output_fail(output, fd, error) : fd;
}

int output_open(struct output *output, const char *path, bool seeks, struct error *error)
{
	int fd;

	memset(output, 0, sizeof(*output));
	output->name = strdup(strcmp(path, "-") ? path : "<stdout>");
	if (!output->name)
		return error_set(error, -ENOMEM, "%s: %s", path, strerror(ENOMEM));
	fd = output_descriptor(output, path, seeks, error);
	if (fd >= 0) {
		output->file = fdopen(fd, output->path ? "w+" : "w");
		if (output->file) {
			setvbuf(output->file, NULL, _IOFBF, BUFFER_BYTES);
			return 0;
		}
		fd = output_fail(output, -errno, error);
	}
	output_close(output, false, NULL);
	return fd;
}

int output_check(struct output *output, struct error *error)
{
	if (!ferror(output->file))
		return 0;
	return output_fail(output, errno ? -errno : -EIO, error);
}

int output_close(struct output *output, bool commit, struct error *error)
{
	int err = 0;

	if (output->file) {
		if (commit && fflush(output->file))
			err = output_fail(output, -errno, error);
		if (fclose(output->file) && commit && !err)
			err = output_fail(output, -errno, error);
	}
	if (output->temporary) {
		if (commit && !err && rename(output->temporary, output->path))
			err = output_fail(output, -errno, error);
		if (!commit || err)
			unlink(output->temporary);
	}
	free(output->name);
	free(output->path);
	free(output->temporary);
	memset(output, 0, sizeof(*output));
	return err;
}

char *number_print(char *p, uint64_t number)
{
	char digits[NUMBER_BYTES];
	size_t count = 0;

	do {
		digits[count++] = (char)('0' + number % 10);
		number /= 10;
	} while (number);
	while (count)
		*p++ = digits[--count];
	return p;
}
