// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "base/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUFFER_BYTES ((size_t)256 << 10)

static int fail(struct output_file *file, const char *path, int err, struct error *error)
{
	free(file->path);
	free(file->temporary);
	memset(file, 0, sizeof(*file));
	return error_set_output(error, -err, "%s: %s", path, strerror(err));
}

bool output_file_is_special(const char *path)
{
	struct stat status;

	if (!strcmp(path, "-"))
		return true;
	return !stat(path, &status) && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

/* What is to be replaced: for a symbolic link the file it leads to, if there is one. */
static char *find_target(const char *path)
{
	struct stat status;
	char *target = NULL;

	if (!lstat(path, &status) && S_ISLNK(status.st_mode))
		target = realpath(path, NULL);
	return target ? target : strdup(path);
}

/* A new file beside the target, with the permissions of any new file. Returns 0 or an errno. */
static int open_temporary(struct output_file *file)
{
	mode_t mask = umask(0);
	int fd, err;

	umask(mask);
	if (asprintf(&file->temporary, "%s.XXXXXX", file->path) < 0) {
		file->temporary = NULL;
		return ENOMEM;
	}
	fd = mkostemp(file->temporary, O_CLOEXEC);
	if (fd < 0)
		return errno;
	if (!fchmod(fd, 0666 & ~mask))
		file->stream = fdopen(fd, "w+");
	if (file->stream)
		return 0;
	err = errno;
	close(fd);
	unlink(file->temporary);
	return err;
}

int output_file_open(struct output_file *file, const char *path, struct error *error)
{
	struct stat status;
	int err;

	memset(file, 0, sizeof(*file));
	if (strcmp(path, "-") != 0 && !stat(path, &status) && S_ISDIR(status.st_mode))
		return error_set_output(error, -EISDIR,
					"%s: is a directory, expected a file to write", path);
	file->path = find_target(path);
	if (!file->path)
		return fail(file, path, ENOMEM, error);
	if (!strcmp(path, "-")) {
		file->stream = stdout;
		return 0;
	}
	if (output_file_is_special(path)) {
		file->stream = fopen(path, "we");
		err = file->stream ? 0 : errno;
	} else {
		err = open_temporary(file);
	}
	if (err)
		return fail(file, path, err, error);
	setvbuf(file->stream, NULL, _IOFBF, BUFFER_BYTES);
	return 0;
}

int output_file_finish(struct output_file *file, struct error *error)
{
	int err = 0;

	if (!file->stream)
		return 0;
	errno = 0;
	if (fflush(file->stream) || ferror(file->stream))
		err = errno ? errno : EIO;
	if (file->stream != stdout && fclose(file->stream) && !err)
		err = errno;
	file->stream = NULL;
	return err ? error_set_output(error, -err, "%s: %s", file->path, strerror(err)) : 0;
}

int output_file_close(struct output_file *file, bool commit, struct error *error)
{
	int err;

	if (!file->path)
		return 0;
	err = output_file_finish(file, commit ? error : NULL);
	if (file->temporary && commit && !err && rename(file->temporary, file->path))
		err = error_set_output(error, -errno, "%s: %s", file->path, strerror(errno));
	if (file->temporary && (err || !commit))
		unlink(file->temporary);
	free(file->path);
	free(file->temporary);
	memset(file, 0, sizeof(*file));
	return commit ? err : 0;
}
