/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Whole files, for tests that write and read some. */
#ifndef TESTS_UNIT_FILES_H
#define TESTS_UNIT_FILES_H

#include <CUnit/CUnit.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define TEST_FILE_BYTES_MAX (1 << 20)

/* mode is fopen()'s: "w", "a". */
static inline void test_file_write(const char *path, const void *bytes, size_t count,
				   const char *mode)
{
	FILE *file = fopen(path, mode);

	CU_ASSERT_FATAL(file != NULL);
	CU_ASSERT_EQUAL_FATAL(fwrite(bytes, 1, count, file), count);
	fclose(file);
}

/* Up to TEST_FILE_BYTES_MAX bytes; the caller's to free. */
static inline uint8_t *test_file_read(const char *path, size_t *count)
{
	uint8_t *bytes = malloc(TEST_FILE_BYTES_MAX);
	FILE *file = fopen(path, "r");

	CU_ASSERT_FATAL(bytes && file);
	*count = fread(bytes, 1, TEST_FILE_BYTES_MAX, file);
	fclose(file);
	return bytes;
}

#endif
