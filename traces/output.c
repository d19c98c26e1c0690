// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "traces/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int output_fail(const struct output *output, int err, struct error *error)
{
	return error_set_output(error, err, "%s: %s", output->name, strerror(-err));
}

int output_open(struct output *output, const char *path, bool seeks, struct error *error)
{
	const char *name = strcmp(path, "-") != 0 ? path : "<stdout>";
	int err;

	memset(output, 0, sizeof(*output));
	if (seeks && output_file_is_special(path))
		return error_set(error, -ESPIPE,
				 "%s: this format can only be written to a regular file", name);
	output->name = strdup(name);
	if (!output->name)
		return error_set(error, -ENOMEM, "%s: %s", path, strerror(ENOMEM));
	err = output_file_open(&output->file, path, error);
	if (err) {
		free(output->name);
		output->name = NULL;
	}
	return err;
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
