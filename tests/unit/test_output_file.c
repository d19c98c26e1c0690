// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Files that appear under their name when they are whole. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/output_file.h"
#include "tests/unit/unit.h"

static char directory[200];

/* Makes an empty directory for a test. */
static void directory_make(void)
{
	const char *parent = getenv("TMPDIR");

	snprintf(directory, sizeof(directory), "%s/mapsim-test-XXXXXX", parent ? parent : "/tmp");
	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(directory));
}

/* A name in it; valid until the next call. */
static const char *path_of(const char *name)
{
	static char path[300];

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	return path;
}

static size_t directory_count(void)
{
	DIR *dir = opendir(directory);
	size_t count = 0;

	CU_ASSERT_PTR_NOT_NULL_FATAL(dir);
	while (readdir(dir))
		count++;
	closedir(dir);
	return count - 2;
}

static void directory_remove(const char *name)
{
	if (name)
		CU_ASSERT_EQUAL(remove(path_of(name)), 0);
	CU_ASSERT_EQUAL(rmdir(directory), 0);
}

static void expect_content(const char *path, const char *expected)
{
	char content[100] = "";
	FILE *file = fopen(path, "r");

	CU_ASSERT_PTR_NOT_NULL_FATAL(file);
	content[fread(content, 1, sizeof(content) - 1, file)] = '\0';
	fclose(file);
	CU_ASSERT_STRING_EQUAL(content, expected);
}

static void write_file(const char *path, const char *content)
{
	FILE *file = fopen(path, "w");

	CU_ASSERT_PTR_NOT_NULL_FATAL(file);
	fputs(content, file);
	fclose(file);
}

static void test_commit(void)
{
	struct output_file file;
	struct error error = {.text = ""};
	struct stat status;
	mode_t mask = umask(027);

	directory_make();
	CU_ASSERT_EQUAL_FATAL(output_file_open(&file, path_of("a"), &error), 0);
	fputs("new\n", file.stream);
	/* Not there yet. */
	CU_ASSERT_EQUAL(access(path_of("a"), F_OK), -1);
	CU_ASSERT_EQUAL(output_file_close(&file, true, &error), 0);
	expect_content(path_of("a"), "new\n");
	CU_ASSERT_EQUAL(stat(path_of("a"), &status), 0);
	CU_ASSERT_EQUAL(status.st_mode & 0777, 0640);
	CU_ASSERT_EQUAL(directory_count(), 1);
	CU_ASSERT(!file.stream && !file.path && !file.temporary);
	CU_ASSERT_STRING_EQUAL(error.text, "");
	umask(mask);
	directory_remove("a");
}

static void test_replace(void)
{
	struct output_file file;
	struct error error = {.text = ""};

	directory_make();
	write_file(path_of("a"), "old\n");
	CU_ASSERT_EQUAL_FATAL(output_file_open(&file, path_of("a"), &error), 0);
	fputs("new\n", file.stream);
	fflush(file.stream);
	expect_content(path_of("a"), "old\n");
	CU_ASSERT_EQUAL(output_file_close(&file, true, &error), 0);
	expect_content(path_of("a"), "new\n");
	CU_ASSERT_EQUAL(directory_count(), 1);
	directory_remove("a");
}

static void test_no_commit(void)
{
	struct output_file file;
	struct error error = {.text = ""};

	directory_make();
	write_file(path_of("a"), "old\n");
	CU_ASSERT_EQUAL_FATAL(output_file_open(&file, path_of("a"), &error), 0);
	fputs("new\n", file.stream);
	CU_ASSERT_EQUAL(output_file_close(&file, false, &error), 0);
	expect_content(path_of("a"), "old\n");
	CU_ASSERT_EQUAL(directory_count(), 1);
	CU_ASSERT_EQUAL_FATAL(output_file_open(&file, path_of("b"), &error), 0);
	CU_ASSERT_EQUAL(output_file_close(&file, false, &error), 0);
	CU_ASSERT_EQUAL(directory_count(), 1);
	directory_remove("a");
}

static void test_unopened(void)
{
	struct output_file file = {0};
	struct error error = {.text = ""};

	CU_ASSERT_EQUAL(output_file_close(&file, true, &error), 0);
	CU_ASSERT_EQUAL(output_file_close(&file, false, NULL), 0);
	CU_ASSERT_STRING_EQUAL(error.text, "");
}

static void test_no_directory(void)
{
	struct output_file file;
	struct error error = {.text = ""};

	directory_make();
	CU_ASSERT_EQUAL(output_file_open(&file, path_of("missing/a"), &error), -ENOENT);
	CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "missing/a: No such file or directory"));
	CU_ASSERT_PTR_NULL(strstr(error.text, "XXXX"));
	CU_ASSERT(!file.stream && !file.path && !file.temporary);
	CU_ASSERT_EQUAL(output_file_open(&file, path_of("missing/a"), NULL), -ENOENT);
	directory_remove(NULL);
}

/* Under the name of a directory no file can appear: it is known at the rename at the latest. */
static void test_directory(void)
{
	struct output_file file;
	struct error error = {.text = ""};
	int err;

	directory_make();
	CU_ASSERT_EQUAL_FATAL(mkdir(path_of("a"), 0777), 0);
	err = output_file_open(&file, path_of("a"), &error);
	if (!err) {
		fputs("new\n", file.stream);
		err = output_file_close(&file, true, &error);
	}
	CU_ASSERT_EQUAL(err, -EISDIR);
	CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "/a: is a directory"));
	CU_ASSERT_EQUAL(directory_count(), 1);
	directory_remove("a");
}

/* A device is written to, not replaced; that it is full is found out when the file is closed. */
static void test_full_device(void)
{
	struct output_file file;
	struct error error = {.text = ""};
	struct stat status;

	if (access("/dev/full", W_OK)) {
		printf("# skipped: there is no /dev/full\n");
		return;
	}
	CU_ASSERT_EQUAL_FATAL(output_file_open(&file, "/dev/full", &error), 0);
	CU_ASSERT_PTR_NULL(file.temporary);
	fputs("new\n", file.stream);
	CU_ASSERT_EQUAL(output_file_close(&file, true, &error), -ENOSPC);
	CU_ASSERT_STRING_EQUAL(error.text, "/dev/full: No space left on device");
	CU_ASSERT_EQUAL(stat("/dev/full", &status), 0);
	CU_ASSERT(S_ISCHR(status.st_mode));
	/* When it is not wanted any more, nobody need know. */
	error.text[0] = '\0';
	CU_ASSERT_EQUAL_FATAL(output_file_open(&file, "/dev/full", &error), 0);
	fputs("new\n", file.stream);
	CU_ASSERT_EQUAL(output_file_close(&file, false, &error), 0);
	CU_ASSERT_STRING_EQUAL(error.text, "");
}

/* The writes fail before the end: more than a buffer holds. */
static void test_full_early(void)
{
	struct output_file file;
	struct error error = {.text = ""};

	if (access("/dev/full", W_OK)) {
		printf("# skipped: there is no /dev/full\n");
		return;
	}
	CU_ASSERT_EQUAL_FATAL(output_file_open(&file, "/dev/full", &error), 0);
	for (int i = 0; i < 100000; i++)
		fputs("0123456789\n", file.stream);
	CU_ASSERT_EQUAL(output_file_close(&file, true, &error), -ENOSPC);
}

static void test_null_device(void)
{
	struct output_file file;
	struct error error = {.text = ""};
	struct stat status;

	CU_ASSERT_EQUAL_FATAL(output_file_open(&file, "/dev/null", &error), 0);
	fputs("new\n", file.stream);
	CU_ASSERT_EQUAL(output_file_close(&file, true, &error), 0);
	CU_ASSERT_EQUAL(stat("/dev/null", &status), 0);
	CU_ASSERT(S_ISCHR(status.st_mode));
}

static void test_standard_output(void)
{
	struct output_file file;
	struct error error = {.text = ""};

	CU_ASSERT_EQUAL_FATAL(output_file_open(&file, "-", &error), 0);
	CU_ASSERT_PTR_EQUAL(file.stream, stdout);
	CU_ASSERT_EQUAL(output_file_close(&file, true, &error), 0);
	/* It is still open. */
	CU_ASSERT(fcntl(STDOUT_FILENO, F_GETFD) >= 0);
}

CU_TestInfo output_file_tests[] = {
	{"committing", test_commit},
	{"replacing", test_replace},
	{"not committing", test_no_commit},
	{"unopened", test_unopened},
	{"no directory", test_no_directory},
	{"a directory", test_directory},
	{"a full device", test_full_device},
	{"a full device, early", test_full_early},
	{"/dev/null", test_null_device},
	{"standard output", test_standard_output},
	CU_TEST_INFO_NULL,
};
