// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Compressed traces: every format, damage, several frames. */
#include <CUnit/CUnit.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/files.h"
#include "traces/trace.h"

static const struct trace_options options = {.cpus = 4, .spread_block = 1};
static char directory[200];
static char path[256];

static void directory_make(void)
{
	const char *parent = getenv("TMPDIR");

	snprintf(directory, sizeof(directory), "%s/mapsim-test-XXXXXX", parent ? parent : "/tmp");
	CU_ASSERT_FATAL(mkdtemp(directory) != NULL);
	snprintf(path, sizeof(path), "%s/trace.zst", directory);
}

static void directory_remove(void)
{
	unlink(path);
	CU_ASSERT_EQUAL(rmdir(directory), 0);
}

static void trace_make(const char *format, uint64_t count, int level)
{
	struct trace_writer *writer;
	struct op_batch batch;
	struct error error;

	CU_ASSERT_FATAL(!op_batch_init(&batch, count, 0, 0));
	for (uint64_t i = 0; i < count; i++)
		batch.ops[i] = (struct map_op){.key = i * i % 1009,
					       .cpu = (uint16_t)(i % 4),
					       .code = OP_ACCESS};
	batch.count = count;
	CU_ASSERT_FATAL(!trace_writer_open(format, path, level, &writer, &error));
	CU_ASSERT_EQUAL(trace_write(writer, &batch, &error), 0);
	CU_ASSERT_EQUAL(trace_writer_close(writer, true, &error), 0);
	op_batch_deinit(&batch);
}

static int outcome_of(uint64_t *operations, uint64_t *value, struct error *error)
{
	struct trace_reader *reader;
	struct trace_digest *digest;
	struct op_batch batch, view;
	int err = trace_open(path, &options, &reader, error);

	*operations = 0;
	CU_ASSERT_FATAL(!trace_digest_create(&digest));
	CU_ASSERT_FATAL(!op_batch_init(&batch, 1000, 0, 0));
	while (!err) {
		CU_ASSERT(trace_is_compressed(reader));
		err = trace_view(reader, &batch, &view, error);
		trace_digest_update(digest, &view);
		*operations += view.count;
		if (!view.count)
			break;
	}
	*value = trace_digest_value(digest);
	trace_digest_destroy(digest);
	trace_close(reader);
	op_batch_deinit(&batch);
	return err;
}

static void test_formats(void)
{
	static const char *const formats[] = {"text", "keys", "binary", "oracle"};
	uint64_t operations, digest, first = 0;
	struct error error;

	directory_make();
	for (size_t i = 0; i < 4; i++) {
		size_t count;

		trace_make(formats[i], 50000, i == 1 ? 19 : TRACE_ZSTD_BY_NAME);
		free(test_file_read(path, &count));
		CU_ASSERT(count < 500000);
		CU_ASSERT_EQUAL(outcome_of(&operations, &digest, &error), 0);
		CU_ASSERT_EQUAL(operations, 50000);
		if (i)
			CU_ASSERT_EQUAL(digest, first);
		first = digest;
	}
	directory_remove();
}

/* Any length short of the whole is noticed; what was changed is, or does not matter. */
static void test_damage(void)
{
	uint64_t operations, digest, whole;
	struct error error;
	uint8_t *bytes;
	size_t count;

	directory_make();
	trace_make("text", 300, TRACE_ZSTD_BY_NAME);
	CU_ASSERT_EQUAL(outcome_of(&operations, &whole, &error), 0);
	bytes = test_file_read(path, &count);
	for (size_t i = 4; i < count; i++) {
		test_file_write(path, bytes, i, "w");
		CU_ASSERT_EQUAL(outcome_of(&operations, &digest, &error), -EINVAL);
	}
	CU_ASSERT(!strncmp(error.text, path, strlen(path)));
	CU_ASSERT(!strncmp(error.text + strlen(path), ": byte ", 7));
	CU_ASSERT_PTR_NOT_NULL(
		strstr(error.text,
		       ": expected the rest of the zstd data, found the end of the file"));
	for (size_t i = 4; i < count; i++) {
		bytes[i] ^= (uint8_t)(1 << i % 8);
		test_file_write(path, bytes, count, "w");
		CU_ASSERT(outcome_of(&operations, &digest, &error) == -EINVAL || digest == whole);
		bytes[i] ^= (uint8_t)(1 << i % 8);
	}
	test_file_write(path, bytes, count, "w");
	test_file_write(path, (const uint8_t *)"0 T 1\n", 6, "a");
	CU_ASSERT_EQUAL(outcome_of(&operations, &digest, &error), -EINVAL);
	CU_ASSERT_PTR_NOT_NULL(strstr(error.text, ": expected zstd data, found: "));
	free(bytes);
	directory_remove();
}

static void test_frames(void)
{
	static const uint8_t skippable[] = {0x5e, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 'x', 'y', 'z'};
	uint64_t operations, digest;
	struct error error;
	uint8_t *bytes;
	size_t count;

	directory_make();
	trace_make("keys", 1000, TRACE_ZSTD_BY_NAME);
	bytes = test_file_read(path, &count);
	test_file_write(path, skippable, sizeof(skippable), "w");
	test_file_write(path, bytes, count, "a");
	test_file_write(path, skippable, sizeof(skippable), "a");
	test_file_write(path, bytes, count, "a");
	CU_ASSERT_EQUAL(outcome_of(&operations, &digest, &error), 0);
	CU_ASSERT_EQUAL(operations, 2000);
	free(bytes);
	/* Nothing in it. */
	test_file_write(path, skippable, sizeof(skippable), "w");
	CU_ASSERT_EQUAL(outcome_of(&operations, &digest, &error), -EINVAL);
	CU_ASSERT_PTR_NOT_NULL(strstr(error.text, ": is empty, expected lines of CPU CODE KEY"));
	directory_remove();
}

static void test_not_kept(void)
{
	struct trace_writer *writer;
	struct error error;

	directory_make();
	for (int i = 0; i < 2; i++) {
		CU_ASSERT_EQUAL(trace_writer_open(i ? "oracle" : "text", path, 5, &writer, &error),
				0);
		CU_ASSERT_EQUAL(trace_writer_close(writer, false, &error), 0);
	}
	directory_remove();
}

static void test_disk_full(void)
{
	struct trace_writer *writer;
	struct op_batch batch;
	struct error error;

	if (access("/dev/full", W_OK))
		return;
	CU_ASSERT_FATAL(!op_batch_init(&batch, 3, 0, 0));
	memset(batch.ops, 0, 3 * sizeof(*batch.ops));
	batch.count = 3;
	CU_ASSERT_EQUAL(trace_writer_open("binary", "/dev/full", 1, &writer, &error), 0);
	CU_ASSERT_EQUAL(trace_write(writer, &batch, &error), 0);
	CU_ASSERT_EQUAL(trace_writer_close(writer, true, &error), -ENOSPC);
	CU_ASSERT_STRING_EQUAL(error.text, "/dev/full: No space left on device");
	CU_ASSERT_EQUAL(error.is_output, true);
	op_batch_deinit(&batch);
}

CU_TestInfo traces_zstd_tests[] = {
	{"every format", test_formats},  {"damage", test_damage},
	{"several frames", test_frames}, {"nothing is left", test_not_kept},
	{"full disks", test_disk_full},  CU_TEST_INFO_NULL,
};
