// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Writing traces: round trips, what formats refuse, and that failures leave nothing. */
#include <CUnit/CUnit.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "traces/trace.h"

static const struct trace_options options = {.cpus = 4, .spread_block = 1};

/* A directory of its own for each test, and a path in it. */
static char directory[256];
static char path[512];

static void directory_make(void)
{
	const char *parent = getenv("TMPDIR");

	snprintf(directory, sizeof(directory), "%s/mapsim-test-XXXXXX", parent ? parent : "/tmp");
	CU_ASSERT_FATAL(mkdtemp(directory) != NULL);
	snprintf(path, sizeof(path), "%s/trace", directory);
}

static unsigned int directory_files(void)
{
	DIR *dir = opendir(directory);
	unsigned int files = 0;

	CU_ASSERT_FATAL(dir != NULL);
	for (struct dirent *entry; (entry = readdir(dir));)
		files += entry->d_name[0] != '.';
	closedir(dir);
	return files;
}

static void directory_remove(void)
{
	unlink(path);
	CU_ASSERT_EQUAL(rmdir(directory), 0);
}

/* Operations of every sort that keys and text can both hold. */
static void batch_make(struct op_batch *batch, uint64_t count)
{
	CU_ASSERT_FATAL(!op_batch_init(batch, count, 1, 1));
	for (uint64_t i = 0; i < count; i++) {
		batch->ops[i] = (struct map_op){.key = i % 7 * 0x0123456789abcdefULL,
						.cpu = (uint16_t)(i % 4),
						.code = OP_ACCESS};
		batch->times_ns[i] = i * 1000000000;
		batch->values[i] = i;
	}
	batch->count = count;
}

static int batch_write(const char *format, const struct op_batch *batch, bool commit,
		       struct error *error)
{
	struct trace_writer *writer;
	int err = trace_writer_open(format, path, 0, &writer, error);

	if (err)
		return err;
	err = trace_write(writer, batch, error);
	if (err) {
		/* The error stays, and closing says it again. */
		CU_ASSERT_EQUAL(trace_write(writer, batch, NULL), err);
		CU_ASSERT_EQUAL(trace_writer_close(writer, true, error), err);
		return err;
	}
	return trace_writer_close(writer, commit, error);
}

static void batch_read(const char *spec, struct op_batch *batch, size_t capacity)
{
	struct trace_reader *reader;
	struct error error;

	CU_ASSERT_FATAL(!op_batch_init(batch, capacity, 1, 1));
	CU_ASSERT_FATAL(!trace_open(spec, &options, &reader, &error));
	CU_ASSERT_EQUAL(trace_read(reader, batch, &error), 0);
	trace_close(reader);
}

static void test_round_trips(void)
{
	static const char *const formats[] = {"text", "keys", "binary", "oracle"};
	struct op_batch batch;
	struct op_batch back;
	struct error error;

	batch_make(&batch, 20000);
	for (size_t i = 0; i < 4; i++) {
		directory_make();
		CU_ASSERT_EQUAL(batch_write(formats[i], &batch, true, &error), 0);
		CU_ASSERT_EQUAL(directory_files(), 1);
		batch_read(path, &back, batch.count + 1);
		CU_ASSERT_EQUAL(back.count, batch.count);
		CU_ASSERT(!memcmp(back.ops, batch.ops, batch.count * sizeof(*batch.ops)));
		CU_ASSERT(!memcmp(back.values, batch.values, batch.count * 8));
		if (strcmp(formats[i], "keys") != 0)
			CU_ASSERT(!memcmp(back.times_ns, batch.times_ns, batch.count * 8));
		op_batch_deinit(&back);
		directory_remove();
	}
	op_batch_deinit(&batch);
}

/* All that native text can say, and the exact bytes of it. */
static void test_text_round_trip(void)
{
	static const char text[] = "0 L 1 time=7 value=9\n"
				   "3 u 0x00ff10\n"
				   "1 D 18446744073709551615 ctx=irq\n"
				   "2 S 5 time=1 ctx=nmi\n"
				   "2 s 5 value=0\n"
				   "2 r 10\n"
				   "2 K 0\n";
	char bytes[sizeof(text)] = "";
	struct op_batch batch;
	struct op_batch back;
	struct error error;
	FILE *file;

	directory_make();
	file = fopen(path, "w");
	CU_ASSERT_FATAL(file != NULL);
	fputs(text, file);
	fclose(file);
	batch_read(path, &batch, 100);
	CU_ASSERT_EQUAL(batch_write("text", &batch, true, &error), 0);
	file = fopen(path, "r");
	CU_ASSERT_EQUAL(fread(bytes, 1, sizeof(bytes), file), strlen(text));
	fclose(file);
	CU_ASSERT_STRING_EQUAL(bytes, text);
	batch_read(path, &back, 100);
	CU_ASSERT_EQUAL(back.count, 7);
	op_batch_deinit(&back);
	op_batch_deinit(&batch);
	directory_remove();
}

/* A value is left out where it is the operation's index in the trace, not in the batch. */
static void test_print_op(void)
{
	struct op_batch batch;
	char line[256];
	FILE *file;

	CU_ASSERT_FATAL(!op_batch_init(&batch, 2, 1, 1));
	batch.count = 1;
	batch.ops[0] = (struct map_op){.key = 5, .cpu = 4095, .code = OP_UPDATE};
	batch.times_ns[0] = 0;
	batch.values[0] = 1000;
	file = fmemopen(line, sizeof(line), "w");
	trace_print_op(file, &batch, 0, 1000);
	trace_print_op(file, &batch, 0, 0);
	fclose(file);
	CU_ASSERT_STRING_EQUAL(line, "4095 U 5\n4095 U 5 value=1000\n");
	op_batch_deinit(&batch);
}

static int64_t oracle_next(const uint8_t *record)
{
	int64_t next;

	memcpy(&next, record + 16, sizeof(next));
	return next;
}

static void test_oracle_next(void)
{
	static const int64_t expected[] = {3, 4, 5, -1, -1};
	uint8_t bytes[6 * 24];
	struct op_batch batch;
	struct error error;
	FILE *file;

	directory_make();
	batch_make(&batch, 5);
	for (size_t i = 0; i < 5; i++)
		batch.ops[i].key = i % 2;
	CU_ASSERT_EQUAL(batch_write("oracle", &batch, true, &error), 0);
	file = fopen(path, "r");
	CU_ASSERT_FATAL(file != NULL);
	CU_ASSERT_EQUAL(fread(bytes, 1, sizeof(bytes), file), sizeof(bytes) - 24);
	fclose(file);
	for (size_t i = 0; i < 5; i++) {
		CU_ASSERT_EQUAL(oracle_next(bytes + 24 * i), expected[i]);
		CU_ASSERT_EQUAL(bytes[24 * i], i);
		CU_ASSERT_EQUAL(bytes[24 * i + 12], 1);
	}
	op_batch_deinit(&batch);
	directory_remove();
}

/* Many keys, many times, over several blocks of the second pass. */
static void test_oracle_next_long(void)
{
	enum { COUNT = 30000, KEYS = 5000 };
	uint8_t *bytes = malloc((size_t)COUNT * 24);
	struct op_batch batch;
	struct error error;
	unsigned int wrong = 0;
	FILE *file;

	directory_make();
	batch_make(&batch, COUNT);
	for (uint64_t i = 0; i < COUNT; i++)
		batch.ops[i].key = i * 7 % KEYS;
	CU_ASSERT_EQUAL(batch_write("oracle", &batch, true, &error), 0);
	file = fopen(path, "r");
	CU_ASSERT_FATAL(file != NULL);
	CU_ASSERT_EQUAL(fread(bytes, 24, COUNT, file), COUNT);
	fclose(file);
	for (int64_t i = 0; i < COUNT; i++)
		wrong += oracle_next(bytes + 24 * i) !=
			 (i + KEYS < COUNT ? i + KEYS + 1 : (int64_t)-1);
	CU_ASSERT_EQUAL(wrong, 0);
	op_batch_deinit(&batch);
	directory_remove();
	free(bytes);
}

static void assert_refused(const char *format, const struct op_batch *batch, int err,
			   const char *message)
{
	struct error error;
	char expected[768];

	snprintf(expected, sizeof(expected), "%s: %s", path, message);
	CU_ASSERT_EQUAL(batch_write(format, batch, true, &error), err);
	CU_ASSERT_STRING_EQUAL(error.text, expected);
	CU_ASSERT_EQUAL(directory_files(), 0);
}

static void test_refused(void)
{
	struct op_batch batch;

	directory_make();
	batch_make(&batch, 3);
	batch.ops[1].key = (uint64_t)op_batch_add_bytes(&batch, "123456789", 9);
	batch.ops[1].key_bytes = 9;
	assert_refused("keys", &batch, -EINVAL,
		       "operation 1: a key of 9 bytes does not fit keys, which holds integers of "
		       "8");
	assert_refused("oracle", &batch, -EINVAL,
		       "operation 1: a key of 9 bytes does not fit oracle, which holds integers of "
		       "8");
	batch.ops[1].key_bytes = 0;
	batch.ops[1].code = OP_BATCH_LOOKUP;
	assert_refused("keys", &batch, -EINVAL,
		       "operation 1: batch_lookup has no key, and keys holds only keys");
	batch.ops[1].code = OP_LOOKUP;
	batch.times_ns[2] = UINT64_C(1000000000) << 32;
	assert_refused("oracle", &batch, -ERANGE,
		       "operation 2: a time of 4294967296 s does not fit 32 bits");
	op_batch_deinit(&batch);
	directory_remove();
}

/* Bytes that fit are an integer, little-endian. */
static void test_keys_of_bytes(void)
{
	struct op_batch batch;
	struct op_batch back;
	struct error error;

	directory_make();
	batch_make(&batch, 1);
	batch.ops[0].key = (uint64_t)op_batch_add_bytes(&batch, "\1\2\xff", 3);
	batch.ops[0].key_bytes = 3;
	CU_ASSERT_EQUAL(batch_write("keys", &batch, true, &error), 0);
	batch_read(path, &back, 10);
	CU_ASSERT_EQUAL(back.ops[0].key, 0xff0201);
	op_batch_deinit(&back);
	op_batch_deinit(&batch);
	directory_remove();
}

static void test_places(void)
{
	struct trace_writer *writer;
	struct op_batch batch;
	struct error error;
	struct stat status;
	char link[600];

	directory_make();
	batch_make(&batch, 3);
	CU_ASSERT_EQUAL(trace_writer_open("foo", path, 0, &writer, &error), -EINVAL);
	CU_ASSERT_STRING_EQUAL(error.text,
			       "unknown format \"foo\", expected text, keys, binary or oracle");
	CU_ASSERT_PTR_NULL(writer);
	CU_ASSERT_EQUAL(trace_writer_open("text", "/", 0, &writer, &error), -EISDIR);
	CU_ASSERT_STRING_EQUAL(error.text, "/: is a directory, expected a file to write");
	CU_ASSERT_EQUAL(trace_writer_open("text", "/nonexistent/x", 0, &writer, &error), -ENOENT);
	CU_ASSERT_STRING_EQUAL(error.text, "/nonexistent/x: No such file or directory");
	CU_ASSERT_EQUAL(trace_writer_open("oracle", "-", 0, &writer, &error), -ESPIPE);
	CU_ASSERT_STRING_EQUAL(error.text,
			       "<stdout>: this format can only be written to a regular file");
	CU_ASSERT_EQUAL(trace_writer_open("oracle", "/dev/null", 0, &writer, &error), -ESPIPE);

	/* Not kept. */
	CU_ASSERT_EQUAL(batch_write("text", &batch, false, &error), 0);
	CU_ASSERT_EQUAL(directory_files(), 0);

	/* The umask applies; a link to the file stays one. */
	umask(027);
	CU_ASSERT_EQUAL(batch_write("text", &batch, true, &error), 0);
	umask(022);
	CU_ASSERT_EQUAL(stat(path, &status), 0);
	CU_ASSERT_EQUAL(status.st_mode & 0777, 0640);
	snprintf(link, sizeof(link), "%s/link", directory);
	CU_ASSERT_EQUAL(symlink("trace", link), 0);
	CU_ASSERT_EQUAL(trace_writer_open("text", link, 0, &writer, &error), 0);
	CU_ASSERT_EQUAL(trace_writer_close(writer, true, &error), 0);
	CU_ASSERT_EQUAL(lstat(link, &status), 0);
	CU_ASSERT(S_ISLNK(status.st_mode));
	CU_ASSERT_EQUAL(stat(path, &status), 0);
	CU_ASSERT_EQUAL(status.st_size, 0);
	unlink(link);
	CU_ASSERT_EQUAL(directory_files(), 1);
	op_batch_deinit(&batch);
	directory_remove();
}

static void test_disk_full(void)
{
	static const char *const formats[] = {"text", "keys", "binary", "oracle"};
	struct rlimit limit;
	struct rlimit old;
	struct op_batch batch;
	struct error error;
	struct trace_writer *writer;
	void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);

	directory_make();
	batch_make(&batch, 100000);
	getrlimit(RLIMIT_FSIZE, &old);
	limit = old;
	for (size_t i = 0; i < 4; i++) {
		int err;

		limit.rlim_cur = i == 3 ? 1000000 : 100000;
		setrlimit(RLIMIT_FSIZE, &limit);
		err = batch_write(formats[i], &batch, true, &error);
		setrlimit(RLIMIT_FSIZE, &old);
		CU_ASSERT_EQUAL(err, -EFBIG);
		CU_ASSERT(!strncmp(error.text, path, strlen(path)));
		CU_ASSERT_STRING_EQUAL(error.text + strlen(path), ": File too large");
		CU_ASSERT_EQUAL(directory_files(), 0);
	}
	signal(SIGXFSZ, handler);
	if (!access("/dev/full", W_OK)) {
		/* What the buffer holds fails only when the file is closed. */
		batch.count = 3;
		CU_ASSERT_EQUAL(trace_writer_open("text", "/dev/full", 0, &writer, &error), 0);
		CU_ASSERT_EQUAL(trace_write(writer, &batch, &error), 0);
		CU_ASSERT_EQUAL(trace_writer_close(writer, true, &error), -ENOSPC);
		CU_ASSERT_STRING_EQUAL(error.text, "/dev/full: No space left on device");
	}
	op_batch_deinit(&batch);
	directory_remove();
}

CU_TestInfo traces_write_tests[] = {
	{"round trips", test_round_trips},
	{"all of native text", test_text_round_trip},
	{"printing an operation", test_print_op},
	{"next accesses", test_oracle_next},
	{"many next accesses", test_oracle_next_long},
	{"what formats refuse", test_refused},
	{"keys of bytes", test_keys_of_bytes},
	{"where traces are written", test_places},
	{"full disks", test_disk_full},
	CU_TEST_INFO_NULL,
};
