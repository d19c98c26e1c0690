// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "base/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int fail(struct output_file *file, const char *path, int err, struct error *error)
{
	free(file->path);
	free(file->temporary);
	memset(file, 0, sizeof(*file));
	return error_set(error, -err, "%s: %s", path, strerror(err));
}

/* Devices and pipes cannot be replaced by a rename: they are written to. */
static bool is_special(const char *path)
{
	struct stat st;

	return !stat(path, &st) && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

int output_file_open(struct output_file *file, const char *path, struct error *error)
{
	mode_t mask;
	int fd;

	memset(file, 0, sizeof(*file));
	file->path = strdup(path);
	if (!file->path)
		return fail(file, path, ENOMEM, error);
	if (!strcmp(path, "-")) {
		file->stream = stdout;
		return 0;
	}
	if (is_special(path)) {
		file->stream = fopen(path, "we");
		return file->stream ? 0 : fail(file, path, errno, error);
	}
	if (asprintf(&file->temporary, "%s.XXXXXX", path) < 0) {
		file->temporary = NULL;
		return fail(file, path, ENOMEM, error);
	}
	fd = mkostemp(file->temporary, O_CLOEXEC);
	if (fd < 0)
		return fail(file, path, errno, error);
	mask = umask(0);
	umask(mask);
	fchmod(fd, 0666 & ~mask);
	file->stream = fdopen(fd, "w");
	if (!file->stream) {
		int err = errno;

		close(fd);
		unlink(file->temporary);
		return fail(file, path, err, error);
	}
	return 0;
}

int output_file_close(struct output_file *file, bool commit, struct error *error)
{
	int err = 0;

	if (!file->stream)
		return 0;
	errno = 0;
	if (fflush(file->stream) || ferror(file->stream))
		err = errno ? errno : EIO;
	if (file->stream != stdout && fclose(file->stream) && !err)
		err = errno;
	if (file->temporary && commit && !err && rename(file->temporary, file->path))
		err = errno;
	if (file->temporary && (err || !commit))
		unlink(file->temporary);
	if (err && commit)
		error_set(error, -err, "%s: %s", file->path, strerror(err));
	free(file->path);
	free(file->temporary);
	memset(file, 0, sizeof(*file));
	return commit ? -err : 0;
}
