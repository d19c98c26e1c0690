// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * usage: fuzz_replay [--tap]
 *
 * Gives each target the files of its folder, tests/fuzz/corpus/NAME of the source tree $srcdir.
 * Prints lines of the Test Anything Protocol; a target that finds a fault aborts.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"

#define FILE_BYTES_MAX ((size_t)1 << 20)

static void run_file(const struct fuzz_target *target, const char *path)
{
	uint8_t *bytes = malloc(FILE_BYTES_MAX);
	FILE *file = fopen(path, "re");
	size_t count;

	if (!bytes || !file) {
		printf("Bail out! %s: cannot be read\n", path);
		exit(1);
	}
	count = fread(bytes, 1, FILE_BYTES_MAX, file);
	fclose(file);
	/* In memory of just its size, so that sanitizers see what goes beyond. */
	bytes = realloc(bytes, count ? count : 1);
	target->run(bytes, count);
	free(bytes);
}

/* Returns how many files there were. */
static int run_folder(const struct fuzz_target *target, const char *folder)
{
	struct dirent **entries;
	int found = scandir(folder, &entries, NULL, alphasort), files = 0;
	char path[4096];

	for (int i = 0; i < found; i++) {
		if (entries[i]->d_name[0] != '.') {
			snprintf(path, sizeof(path), "%s/%s", folder, entries[i]->d_name);
			run_file(target, path);
			files++;
		}
		free(entries[i]);
	}
	if (found >= 0)
		free(entries);
	return files;
}

int main(void)
{
	const char *source = getenv("srcdir");
	int number = 0, failed = 0;
	char folder[2048];

	setvbuf(stdout, NULL, _IOLBF, 0);
	for (const struct fuzz_target *target = fuzz_targets; target->name; target++) {
		int files;

		snprintf(folder, sizeof(folder), "%s/tests/fuzz/corpus/%s", source ? source : ".",
			 target->name);
		files = run_folder(target, folder);
		failed += !files;
		printf("%s %d - %s: %d files\n", files ? "ok" : "not ok", ++number, target->name,
		       files);
	}
	printf("1..%d\n", number);
	return failed != 0;
}
