// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "traces/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define BUFFER_BYTES ((size_t)256 << 10)

static int output_fail(const struct output *output, int err, struct error *error)
{
	return error_set(error, err, "%s: %s", output->name, strerror(-err));
}

/* Refuses what could not become, or be used as, the file asked for. */
static int output_examine(const struct output *output, const char *path, bool seeks,
			  struct error *error)
{
	struct stat status;
	bool special = !strcmp(path, "-");

	if (!special && !stat(path, &status)) {
		if (S_ISDIR(status.st_mode))
			return error_set(error, -EISDIR,
					 "%s: is a directory, expected a file to write",
					 output->name);
		special = !S_ISREG(status.st_mode);
	}
	if (special && seeks)
		return error_set(error, -ESPIPE,
				 "%s: this format can only be written to a regular file",
				 output->name);
	return 0;
}

/* Opens what a symbolic link points to: renaming a file over the link would replace the link. */
static int output_open_file(struct output *output, const char *path, struct error *error)
{
	struct stat status;
	char *behind = NULL;
	int err;

	if (!lstat(path, &status) && S_ISLNK(status.st_mode))
		behind = realpath(path, NULL);
	err = output_file_open(&output->file, behind ? behind : path, error);
	free(behind);
	return err;
}

int output_open(struct output *output, const char *path, bool seeks, struct error *error)
{
	int err;

	memset(output, 0, sizeof(*output));
	output->name = strdup(strcmp(path, "-") != 0 ? path : "<stdout>");
	if (!output->name)
		return error_set(error, -ENOMEM, "%s: %s", path, strerror(ENOMEM));
	err = output_examine(output, path, seeks, error);
	if (!err)
		err = output_open_file(output, path, error);
	if (err) {
		free(output->name);
		output->name = NULL;
		return err;
	}
	if (output->file.stream != stdout)
		setvbuf(output->file.stream, NULL, _IOFBF, BUFFER_BYTES);
	return 0;
}

int output_check(const struct output *output, struct error *error)
{
	if (!ferror(output->file.stream))
		return 0;
	return output_fail(output, errno ? -errno : -EIO, error);
}

int output_close(struct output *output, bool commit, struct error *error)
{
	int err = output_file_close(&output->file, commit, NULL);

	if (err)
		output_fail(output, err, error);
	free(output->name);
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
