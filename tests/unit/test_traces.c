// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Reading traces: formats, detection, errors, pipes, batching, digests. */
#include <CUnit/CUnit.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "traces/trace.h"

static const struct trace_options options = {.cpus = 4, .spread_block = 1};

/* A file of these bytes; the name is the caller's to free, with file_remove(). */
static char *file_make(const void *bytes, size_t count)
{
	const char *directory = getenv("TMPDIR");
	char *path;
	int fd;

	if (asprintf(&path, "%s/mapsim-test-XXXXXX", directory ? directory : "/tmp") < 0)
		abort();
	fd = mkstemp(path);
	CU_ASSERT_FATAL(fd >= 0);
	CU_ASSERT_FATAL(write(fd, bytes, count) == (ssize_t)count);
	close(fd);
	return path;
}

static void file_remove(char *path)
{
	unlink(path);
	free(path);
}

/* All that a trace gives before it ends or fails. */
struct all {
	struct op_batch batch;
	int err;
	struct error error;
	uint64_t operations;
	bool is_keys;
};

static void all_append(struct all *all, const struct op_batch *batch)
{
	for (size_t i = 0; i < batch->count; i++) {
		size_t at = all->batch.count;

		CU_ASSERT_FATAL(at < all->batch.capacity);
		all->batch.ops[at] = batch->ops[i];
		all->batch.times_ns[at] = batch->times_ns[i];
		all->batch.values[at] = batch->values[i];
		if (batch->ops[i].key_bytes)
			all->batch.ops[at].key =
				(uint64_t)op_batch_add_bytes(&all->batch,
							     batch->arena + batch->ops[i].key,
							     batch->ops[i].key_bytes);
		all->batch.count++;
	}
}

/* Reads a trace of at most 4096 operations in batches of that many. */
static struct all all_read(const char *spec, const struct trace_options *opts, size_t capacity)
{
	struct all all = {.error.text = ""};
	struct trace_reader *reader;
	struct op_batch batch;

	CU_ASSERT_FATAL(!op_batch_init(&all.batch, 4096, 1, 1));
	CU_ASSERT_FATAL(!op_batch_init(&batch, capacity, 1, 1));
	all.err = trace_open(spec, opts, &reader, &all.error);
	if (!all.err) {
		all.operations = trace_operations(reader);
		all.is_keys = trace_is_keys(reader);
		do {
			all.err = trace_read(reader, &batch, &all.error);
			all_append(&all, &batch);
		} while (!all.err && batch.count);
	}
	if (all.err && reader) {
		/* The error stays, and nothing comes behind it. */
		CU_ASSERT_EQUAL(trace_read(reader, &batch, NULL), all.err);
		CU_ASSERT_EQUAL(batch.count, 0);
	}
	trace_close(reader);
	op_batch_deinit(&batch);
	return all;
}

static void all_free(struct all *all)
{
	op_batch_deinit(&all->batch);
}

static uint64_t batch_digest(const struct op_batch *batch)
{
	struct trace_digest *digest;
	uint64_t value;

	CU_ASSERT_FATAL(!trace_digest_create(&digest));
	trace_digest_update(digest, batch);
	value = trace_digest_value(digest);
	trace_digest_destroy(digest);
	return value;
}

static void assert_op(const struct op_batch *batch, size_t i, unsigned int cpu, enum op_code code,
		      enum op_context context, uint64_t key)
{
	CU_ASSERT_EQUAL(batch->ops[i].cpu, cpu);
	CU_ASSERT_EQUAL(batch->ops[i].code, code);
	CU_ASSERT_EQUAL(batch->ops[i].context, context);
	CU_ASSERT_EQUAL(batch->ops[i].key_bytes, 0);
	CU_ASSERT_EQUAL(batch->ops[i].key, key);
}

/* Reads text, checks its message (behind the file's name) and how many operations came before. */
static void assert_text_error(const char *prefix, const struct trace_options *opts,
			      const char *text, const char *message, size_t before)
{
	char *path = file_make(text, strlen(text));
	char *spec;
	char *expected;
	struct all all;

	if (asprintf(&spec, "%s%s", prefix, path) < 0 ||
	    asprintf(&expected, "%s:%s", path, message) < 0)
		abort();
	all = all_read(spec, opts, 100);
	CU_ASSERT_EQUAL(all.err, -EINVAL);
	CU_ASSERT_STRING_EQUAL(all.error.text, expected);
	CU_ASSERT_EQUAL(all.batch.count, before);
	if (strcmp(all.error.text, expected) != 0)
		fprintf(stderr, "\n  have %s\n  want %s\n", all.error.text, expected);
	all_free(&all);
	free(expected);
	free(spec);
	file_remove(path);
}

static void test_text(void)
{
	static const char text[] = "# a comment, \xc3\xa9\n"
				   "0 L 5\n"
				   "\t1\tu  18446744073709551615 # behind\n"
				   "\r\n"
				   "2 N 007\r\n"
				   " 3 e 0 time=12 value=34 ctx=syscall\n"
				   "0 U 1 ctx=irq#c\n"
				   "0 D 1 value=0 ctx=nmi\n"
				   "0 t 9 ctx=program\n"
				   "   \n"
				   "1 B 10";
	char *path = file_make(text, strlen(text));
	struct all all = all_read(path, &options, 3);

	CU_ASSERT_EQUAL(all.err, 0);
	CU_ASSERT_EQUAL(all.is_keys, false);
	CU_ASSERT_EQUAL(all.operations, 0);
	CU_ASSERT_EQUAL_FATAL(all.batch.count, 8);
	assert_op(&all.batch, 0, 0, OP_LOOKUP, OP_PROGRAM, 5);
	assert_op(&all.batch, 1, 1, OP_UPDATE, OP_SYSCALL, UINT64_MAX);
	assert_op(&all.batch, 2, 2, OP_UPDATE_NOEXIST, OP_PROGRAM, 7);
	assert_op(&all.batch, 3, 3, OP_UPDATE_EXIST, OP_SYSCALL, 0);
	assert_op(&all.batch, 4, 0, OP_UPDATE, OP_IRQ, 1);
	assert_op(&all.batch, 5, 0, OP_DELETE, OP_NMI, 1);
	assert_op(&all.batch, 6, 0, OP_ACCESS, OP_PROGRAM, 9);
	assert_op(&all.batch, 7, 1, OP_BATCH_LOOKUP, OP_PROGRAM, 10);
	CU_ASSERT_EQUAL(all.batch.times_ns[2], 0);
	CU_ASSERT_EQUAL(all.batch.times_ns[3], 12);
	CU_ASSERT_EQUAL(all.batch.values[2], 2);
	CU_ASSERT_EQUAL(all.batch.values[3], 34);
	CU_ASSERT_EQUAL(all.batch.values[5], 0);
	CU_ASSERT_EQUAL(all.batch.values[7], 7);
	all_free(&all);
	file_remove(path);
}

static void test_text_codes(void)
{
	char text[OP_CODES * 2 * 8 + 1] = "";
	char *path;
	struct all all;

	for (int i = 0; i < OP_CODES; i++) {
		sprintf(text + strlen(text), "0 %c 1\n", op_letter((uint8_t)i, OP_PROGRAM));
		sprintf(text + strlen(text), "0 %c 1\n", op_letter((uint8_t)i, OP_SYSCALL));
	}
	path = file_make(text, strlen(text));
	all = all_read(path, &options, 100);
	CU_ASSERT_EQUAL_FATAL(all.batch.count, OP_CODES * 2);
	for (int i = 0; i < OP_CODES; i++) {
		assert_op(&all.batch, (size_t)i * 2, 0, (enum op_code)i, OP_PROGRAM, 1);
		assert_op(&all.batch, (size_t)i * 2 + 1, 0, (enum op_code)i, OP_SYSCALL, 1);
	}
	all_free(&all);
	file_remove(path);
}

static void test_text_hex(void)
{
	static const char text[] = "0 L 0x00\n0 L 0xdeadBEEF time=1\n0 L 5\n0 L 0x0102 # x\n";
	char *path = file_make(text, strlen(text));
	struct all all = all_read(path, &options, 100);
	const struct map_op *ops = all.batch.ops;
	const uint8_t *arena = all.batch.arena;

	CU_ASSERT_EQUAL_FATAL(all.batch.count, 4);
	CU_ASSERT_EQUAL(ops[0].key_bytes, 1);
	CU_ASSERT_EQUAL(arena[ops[0].key], 0);
	CU_ASSERT_EQUAL_FATAL(ops[1].key_bytes, 4);
	CU_ASSERT(!memcmp(arena + ops[1].key, "\xde\xad\xbe\xef", 4));
	CU_ASSERT_EQUAL(ops[2].key_bytes, 0);
	CU_ASSERT_EQUAL_FATAL(ops[3].key_bytes, 2);
	CU_ASSERT(!memcmp(arena + ops[3].key, "\1\2", 2));
	all_free(&all);
	file_remove(path);
}

#define CODES "LUNEDPKBRTS lunedpkbrts"

static void test_text_errors(void)
{
	static const struct {
		const char *text;
		const char *message;
		size_t before;
	} cases[] = {
		{"0 L 1\n7 L 1\n", "2: expected a CPU below 4 (-c), found \"7\"", 1},
		{"0 L 1\n4 L 1", "2: expected a CPU below 4 (-c), found \"4\"", 1},
		{"-1 L 1\n", "1: expected a CPU below 4 (-c), found \"-1\"", 0},
		{"x L 1\n", "1: expected a CPU below 4 (-c), found \"x\"", 0},
		{"99999999999999999999 L 1\n",
		 "1: expected a CPU below 4 (-c), found \"99999999999999999999\"", 0},
		{"\n\n0 L 1\n\n0 X 1\n", "5: expected a code (one of " CODES "), found \"X\"", 1},
		{"0 LL 1\n", "1: expected a code (one of " CODES "), found \"LL\"", 0},
		{"0 L 1\n0\n", "2: expected a code (one of " CODES "), found the end of the line",
		 1},
		{"0 L 1\n1 L\r\n",
		 "2: expected a key (an integer below 2^64, or 0x and hex digits), found the end "
		 "of the line",
		 1},
		{"0 L 18446744073709551616\n",
		 "1: expected a key (an integer below 2^64, or 0x and hex digits), found "
		 "\"18446744073709551616\"",
		 0},
		{"0 L -5\n",
		 "1: expected a key (an integer below 2^64, or 0x and hex digits), found \"-5\"",
		 0},
		{"0 L 5x\n",
		 "1: expected a key (an integer below 2^64, or 0x and hex digits), found \"5x\"",
		 0},
		{"0 L a\"\\\001\xff\n",
		 "1: expected a key (an integer below 2^64, or 0x and hex digits), found "
		 "\"a\\\"\\\\\\x01\\xff\"",
		 0},
		{"0 L aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeee\n",
		 "1: expected a key (an integer below 2^64, or 0x and hex digits), found "
		 "\"aaaaaaaaaabbbbbbbbbbccccccccccdddddddddd\"...",
		 0},
		{"0 L 5\r6\n",
		 "1: expected a key (an integer below 2^64, or 0x and hex digits), found "
		 "\"5\\x0d6\"",
		 0},
		{"0 L 0x\n", "1: expected hex digits after 0x, found \"0x\"", 0},
		{"0 L 0x1g\n", "1: expected hex digits after 0x, found \"0x1g\"", 0},
		{"0 L 0x01\n0 L 0x123\n",
		 "2: expected two hex digits for every byte of a key, found \"0x123\"", 1},
		{"0 B 0x12\n", "1: expected a count of elements (an integer), found \"0x12\"", 0},
		{"0 L 1 foo=1\n",
		 "1: expected time=, value=, ctx= or the end of the line, found \"foo=1\"", 0},
		{"0 L 1 2\n", "1: expected time=, value=, ctx= or the end of the line, found \"2\"",
		 0},
		{"0 L 1 time=\n",
		 "1: expected time=NANOSECONDS (an integer below 2^64), found \"time=\"", 0},
		{"0 L 1 value=1.5\n",
		 "1: expected value=N (an integer below 2^64), found \"value=1.5\"", 0},
		{"0 L 1 ctx=softirq\n",
		 "1: expected ctx=program, syscall, irq or nmi, found \"ctx=softirq\"", 0},
		{"0 L 1 time=1 time=2\n", "1: expected every field once, found \"time=2\"", 0},
		{"0 L 1 ctx=irq ctx=irq\n", "1: expected every field once, found \"ctx=irq\"", 0},
	};
	struct trace_options short_keys = options;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_text_error("text:", &options, cases[i].text, cases[i].message,
				  cases[i].before);
	short_keys.key_size = 2;
	assert_text_error("", &short_keys, "0 L 0x0102\n0 L 0x010203\n",
			  "2: expected a key of at most 2 bytes, found \"0x010203\"", 1);
}

static void test_keys(void)
{
	static const char text[] = "# keys\n5\n\n 6 # six\r\n18446744073709551615\n"
				   "00000000000000000000000000007";
	static const uint64_t keys[] = {5, 6, UINT64_MAX, 7};
	char *path = file_make(text, strlen(text));
	struct all all = all_read(path, &options, 2);

	CU_ASSERT_EQUAL(all.err, 0);
	CU_ASSERT_EQUAL(all.is_keys, true);
	CU_ASSERT_EQUAL_FATAL(all.batch.count, 4);
	for (unsigned int i = 0; i < 4; i++) {
		assert_op(&all.batch, i, i, OP_ACCESS, OP_PROGRAM, keys[i]);
		CU_ASSERT_EQUAL(all.batch.times_ns[i], 0);
		CU_ASSERT_EQUAL(all.batch.values[i], i);
	}
	all_free(&all);
	file_remove(path);
}

static void test_keys_errors(void)
{
	static const struct {
		const char *text;
		const char *message;
		size_t before;
	} cases[] = {
		{"1\n2\nx\n", "3: expected a key (an integer below 2^64), found \"x\"", 2},
		{"1\n-2\n", "2: expected a key (an integer below 2^64), found \"-2\"", 1},
		{"1\n0x10\n", "2: expected a key (an integer below 2^64), found \"0x10\"", 1},
		{"1\n1.5\n", "2: expected a key (an integer below 2^64), found \"1.5\"", 1},
		{"1\n18446744073709551616\n",
		 "2: expected a key (an integer below 2^64), found \"18446744073709551616\"", 1},
		{"1\n1 2\n", "2: expected one key a line, found \"2\"", 1},
		{"1 2\n", "1: expected CPU CODE KEY or a single integer, found 2 fields", 0},
		{"#\n\n0 L\n", "3: expected CPU CODE KEY or a single integer, found 2 fields", 0},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_text_error("", &options, cases[i].text, cases[i].message, cases[i].before);
}

static const uint8_t oracle_bytes[72] = {
	7,    0,    0,    0, 9,    0,    0,    0,    0,    0,    0,    0x80, 0,    2,    0,
	0,    3,    0,    0, 0,    0,    0,    0,    0,    8,    0,    0,    0,    5,    0,
	0,    0,    0,    0, 0,    0,    0,    2,    0,    0,    0xff, 0xff, 0xff, 0xff, 0xff,
	0xff, 0xff, 0xff, 9, 0,    0,    0,    9,    0,    0,    0,    0,    0,    0,    0x80,
	0,    2,    0,    0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
};

static void test_oracle(void)
{
	char *path = file_make(oracle_bytes, 72);
	struct all all = all_read(path, &options, 2);

	CU_ASSERT_EQUAL(all.err, 0);
	CU_ASSERT_EQUAL(all.operations, 3);
	CU_ASSERT_EQUAL(all.is_keys, true);
	CU_ASSERT_EQUAL_FATAL(all.batch.count, 3);
	assert_op(&all.batch, 0, 0, OP_ACCESS, OP_PROGRAM, 0x8000000000000009);
	assert_op(&all.batch, 1, 1, OP_ACCESS, OP_PROGRAM, 5);
	CU_ASSERT_EQUAL(all.batch.times_ns[2], 9000000000);
	all_free(&all);
	file_remove(path);
}

static void test_oracle_errors(void)
{
	static const uint8_t junk[48] = {0x29, 0xb5, 0x2f, 0xfd, 0, 0, 1, 2, 3, 4, 5, 6,
					 7,    8,    9,    10,   9, 8, 7, 6, 5, 4, 3, 2};
	char *path = file_make(oracle_bytes, 55);
	char expected[256];
	struct all all = all_read(path, &options, 100);

	sprintf(expected,
		"%s: byte 48: expected a record of 24 bytes, found the end of the file after 7",
		path);
	CU_ASSERT_EQUAL(all.err, -EINVAL);
	CU_ASSERT_STRING_EQUAL(all.error.text, expected);
	all_free(&all);
	file_remove(path);

	path = file_make(junk, sizeof(junk));
	all = all_read(path, &options, 100);
	sprintf(expected, "%s: byte 0: expected a trace, found binary data of no known format",
		path);
	CU_ASSERT_EQUAL(all.err, -EINVAL);
	CU_ASSERT_STRING_EQUAL(all.error.text, expected);
	all_free(&all);
	file_remove(path);
}

/* Checks the error of a spec; "%s" in the message stands for it. */
static void assert_open_error(const char *spec, int err, const char *name, const char *rest)
{
	struct all all = all_read(spec, &options, 100);

	CU_ASSERT_EQUAL(all.err, err);
	CU_ASSERT(!strncmp(all.error.text, name, strlen(name)));
	CU_ASSERT_STRING_EQUAL(all.error.text + strlen(name), rest);
	all_free(&all);
}

static void test_file_errors(void)
{
	char *empty = file_make("", 0);
	char *comments = file_make("# nothing\n\n", 11);
	char *spec;
	struct trace_options none = options;
	struct trace_reader *reader;

	assert_open_error("/nonexistent/trace", -ENOENT, "/nonexistent/trace",
			  ": No such file or directory");
	assert_open_error("/", -EISDIR, "/", ": is a directory, expected a trace file");
	assert_open_error(empty, -EINVAL, empty,
			  ": is empty, expected lines of CPU CODE KEY, one integer a line, a "
			  "binary "
			  "trace or oracleGeneral records");
	if (asprintf(&spec, "keys:%s", empty) < 0)
		abort();
	assert_open_error(spec, -EINVAL, empty, ": is empty, expected one integer a line");
	free(spec);
	assert_open_error(comments, -EINVAL, comments, ": has no operations, only comments");
	if (asprintf(&spec, "text:%s", comments) < 0)
		abort();
	assert_open_error(spec, -EINVAL, comments,
			  ": has no operations, expected lines of CPU CODE KEY");
	free(spec);
	if (geteuid()) {
		chmod(comments, 0);
		assert_open_error(comments, -EACCES, comments, ": Permission denied");
	}
	none.cpus = 0;
	CU_ASSERT_EQUAL(trace_open(empty, &none, &reader, NULL), -EINVAL);
	CU_ASSERT_PTR_NULL(reader);
	trace_close(NULL);
	file_remove(empty);
	file_remove(comments);
}

/* Comments in front may be longer than anything that is looked at in one piece. */
static void test_long_comment(void)
{
	size_t bytes = (size_t)5 << 20;
	char *text = malloc(bytes);
	char *path;
	struct all all;

	for (size_t i = 0; i < bytes; i++)
		text[i] = i % 64 == 63 ? '\n' : '#';
	memcpy(text + bytes - 12, "\n3 L 1\n0 L x", 12);
	path = file_make(text, bytes);
	all = all_read(path, &options, 100);
	CU_ASSERT_EQUAL(all.err, -EINVAL);
	CU_ASSERT_EQUAL(all.batch.count, 1);
	CU_ASSERT_PTR_NOT_NULL(strstr(all.error.text, ":81922: expected a key"));
	all_free(&all);
	file_remove(path);
	free(text);
}

static void test_long_lines(void)
{
	size_t limit = (size_t)16 << 20;
	size_t bytes = limit + 2 * TRACE_KEY_MAX + 64;
	char *text = malloc(bytes);
	char *path;
	struct all all;

	/* The longest key, and a line of just the longest length, without a newline. */
	memset(text, '1', bytes);
	memcpy(text, "0 L 0x", 6);
	text[6 + 2 * TRACE_KEY_MAX] = '\n';
	memcpy(text + 7 + 2 * TRACE_KEY_MAX, "0 L 5 #", 7);
	path = file_make(text, 7 + 2 * TRACE_KEY_MAX + limit);
	all = all_read(path, &options, 100);
	CU_ASSERT_EQUAL(all.err, 0);
	CU_ASSERT_EQUAL_FATAL(all.batch.count, 2);
	CU_ASSERT_EQUAL(all.batch.ops[0].key_bytes, TRACE_KEY_MAX);
	CU_ASSERT_EQUAL(all.batch.ops[1].key, 5);
	all_free(&all);
	file_remove(path);

	/* One byte more of either. */
	memset(text, '1', bytes);
	memcpy(text, "0 L 5\n0 L 5 #", 13);
	path = file_make(text, 6 + limit + 1);
	all = all_read(path, &options, 100);
	CU_ASSERT_EQUAL(all.err, -EINVAL);
	CU_ASSERT_EQUAL(all.batch.count, 1);
	CU_ASSERT_PTR_NOT_NULL(strstr(all.error.text, ":2: expected a line of at most 16777216 "
						      "bytes, found a longer one"));
	all_free(&all);
	file_remove(path);

	memset(text, '1', bytes);
	memcpy(text, "0 L 0x", 6);
	text[6 + 2 * TRACE_KEY_MAX + 2] = '\n';
	path = file_make(text, 6 + 2 * TRACE_KEY_MAX + 3);
	all = all_read(path, &options, 100);
	CU_ASSERT_EQUAL(all.err, -EINVAL);
	CU_ASSERT_PTR_NOT_NULL(strstr(all.error.text, "expected a key of at most 4194304 bytes"));
	all_free(&all);
	file_remove(path);
	free(text);
}

/* What a thread writes into a pipe, in pieces. */
struct dribble {
	int fd;
	const uint8_t *bytes;
	size_t count;
	size_t piece;
};

static void *dribble_run(void *arg)
{
	struct dribble *dribble = arg;
	size_t done = 0;

	while (done < dribble->count) {
		size_t piece = dribble->count - done;
		ssize_t written;

		if (piece > dribble->piece)
			piece = dribble->piece;
		written = write(dribble->fd, dribble->bytes + done, piece);
		if (written < 0)
			break;
		done += (size_t)written;
	}
	close(dribble->fd);
	return NULL;
}

static struct all pipe_read(const char *prefix, const void *bytes, size_t count, size_t piece)
{
	struct dribble dribble = {.bytes = bytes, .count = count, .piece = piece};
	struct all all;
	pthread_t thread;
	char spec[64];
	int fds[2];

	CU_ASSERT_FATAL(!pipe(fds));
	dribble.fd = fds[1];
	CU_ASSERT_FATAL(!pthread_create(&thread, NULL, dribble_run, &dribble));
	sprintf(spec, "%s/dev/fd/%d", prefix, fds[0]);
	all = all_read(spec, &options, 100);
	close(fds[0]);
	pthread_join(thread, NULL);
	return all;
}

static void test_pipes(void)
{
	static const char text[] = "0 L 1\n1 L 22\n# c\n2 L 0x333333\n3 L 4 value=9";
	struct all all;

	for (size_t piece = 1; piece < sizeof(text); piece += 4) {
		all = pipe_read("", text, strlen(text), piece);
		CU_ASSERT_EQUAL(all.err, 0);
		CU_ASSERT_EQUAL_FATAL(all.batch.count, 4);
		CU_ASSERT_EQUAL(all.batch.ops[1].key, 22);
		CU_ASSERT_EQUAL(all.batch.ops[2].key_bytes, 3);
		CU_ASSERT_EQUAL(all.batch.values[3], 9);
		all_free(&all);
		all = pipe_read("", oracle_bytes, 72, piece);
		CU_ASSERT_EQUAL(all.err, 0);
		CU_ASSERT_EQUAL(all.batch.count, 3);
		CU_ASSERT_EQUAL(all.operations, 0);
		all_free(&all);
	}
	all = pipe_read("", "", 0, 1);
	CU_ASSERT_EQUAL(all.err, -EINVAL);
	CU_ASSERT_PTR_NOT_NULL(strstr(all.error.text, ": is empty, expected lines of"));
	all_free(&all);
	all = pipe_read("", oracle_bytes, 50, 7);
	CU_ASSERT_EQUAL(all.err, -EINVAL);
	CU_ASSERT_EQUAL(all.batch.count, 2);
	CU_ASSERT_PTR_NOT_NULL(strstr(all.error.text, ": byte 48: expected a record of 24 bytes, "
						      "found the end of the file after 2"));
	all_free(&all);
}

/* More than a buffer, so that lines are moved to its start. */
static void test_pipe_long(void)
{
	size_t bytes = ((size_t)5 << 20) + 6;
	char *text = malloc(bytes);
	struct all all;

	memset(text, '#', bytes);
	for (size_t i = 0; i + 4000 < bytes; i += 4000)
		memcpy(text + i, "\n2 U 12345 #", 12);
	memcpy(text + bytes - 6, "\n0 L 9", 6);
	all = pipe_read("text:", text, bytes, 1 << 20);
	CU_ASSERT_EQUAL(all.err, 0);
	CU_ASSERT_EQUAL_FATAL(all.batch.count, (bytes - 1) / 4000 + 1);
	for (size_t i = 0; i + 1 < all.batch.count; i++)
		assert_op(&all.batch, i, 2, OP_UPDATE, OP_PROGRAM, 12345);
	assert_op(&all.batch, all.batch.count - 1, 0, OP_LOOKUP, OP_PROGRAM, 9);
	all_free(&all);
	free(text);
}

static void test_forced(void)
{
	char *path = file_make("1\n2\n", 4);
	char *spec;
	struct all all;

	if (asprintf(&spec, "keys:%s", path) < 0)
		abort();
	all = all_read(spec, &options, 100);
	CU_ASSERT_EQUAL(all.batch.count, 2);
	all_free(&all);
	memcpy(spec, "text", 4);
	all = all_read(spec, &options, 100);
	CU_ASSERT_EQUAL(all.err, -EINVAL);
	CU_ASSERT_PTR_NOT_NULL(strstr(all.error.text, ":1: expected a code"));
	all_free(&all);
	free(spec);
	if (asprintf(&spec, "oracle:%s", path) < 0)
		abort();
	all = all_read(spec, &options, 100);
	CU_ASSERT_EQUAL(all.err, -EINVAL);
	CU_ASSERT_PTR_NOT_NULL(strstr(all.error.text, ": byte 0: expected a record of 24 bytes"));
	all_free(&all);
	free(spec);
	file_remove(path);
}

static void test_digest(void)
{
	static const char text[] = "0 L 1\n1 u 0x0102\n2 T 3 time=5\n3 D 0x04 ctx=irq\n0 L 0x01\n";
	static const char same[] = "00  L\t01 # x\r\n1 u 0x0102\n2 T 3\n3 d 0x04 ctx=irq\n0 L 0x01";
	static const char others[][64] = {
		"1 L 1\n1 u 0x0102\n2 T 3\n3 D 0x04 ctx=irq\n0 L 0x01\n",
		"0 U 1\n1 u 0x0102\n2 T 3\n3 D 0x04 ctx=irq\n0 L 0x01\n",
		"0 L 1\n1 U 0x0102\n2 T 3\n3 D 0x04 ctx=irq\n0 L 0x01\n",
		"0 L 1\n1 u 0x0102\n2 T 4\n3 D 0x04 ctx=irq\n0 L 0x01\n",
		"0 L 1\n1 u 0x0103\n2 T 3\n3 D 0x04 ctx=irq\n0 L 0x01\n",
		"0 L 1\n1 u 0x0102\n2 T 3\n3 D 0x04 ctx=irq\n0 L 1\n",
		"1 u 0x0102\n0 L 1\n2 T 3\n3 D 0x04 ctx=irq\n0 L 0x01\n",
	};
	char *path = file_make(text, strlen(text));
	uint64_t digest = 0;
	struct all all;

	for (size_t capacity = 1; capacity <= 8; capacity++) {
		all = all_read(path, &options, capacity);
		CU_ASSERT_EQUAL(all.batch.count, 5);
		if (capacity > 1)
			CU_ASSERT_EQUAL(batch_digest(&all.batch), digest);
		digest = batch_digest(&all.batch);
		all_free(&all);
	}
	file_remove(path);
	path = file_make(same, strlen(same));
	all = all_read(path, &options, 100);
	CU_ASSERT_EQUAL(batch_digest(&all.batch), digest);
	all_free(&all);
	file_remove(path);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		path = file_make(others[i], strlen(others[i]));
		all = all_read(path, &options, 100);
		CU_ASSERT_EQUAL(all.batch.count, 5);
		CU_ASSERT_NOT_EQUAL(batch_digest(&all.batch), digest);
		all_free(&all);
		file_remove(path);
	}
}

/* The same operations give the same digest cut in batches, with and without bytes of keys. */
static void test_digest_batches(void)
{
	struct op_batch whole;
	struct op_batch part;
	struct trace_digest *digest;

	CU_ASSERT_FATAL(!op_batch_init(&whole, 100, 0, 0));
	for (uint64_t i = 0; i < 100; i++)
		whole.ops[i] = (struct map_op){.key = i * i, .cpu = (uint16_t)i};
	whole.ops[50].key = (uint64_t)op_batch_add_bytes(&whole, "12345678", 8);
	whole.ops[50].key_bytes = 8;
	whole.count = 100;
	CU_ASSERT_FATAL(!trace_digest_create(&digest));
	part = whole;
	part.count = 50;
	part.arena_bytes = 0;
	trace_digest_update(digest, &part);
	part.ops += 50;
	part.arena_bytes = whole.arena_bytes;
	trace_digest_update(digest, &part);
	CU_ASSERT_EQUAL(trace_digest_value(digest), batch_digest(&whole));
	trace_digest_destroy(digest);
	trace_digest_destroy(NULL);
	op_batch_deinit(&whole);
}

static void test_spread(void)
{
	static const char text[] = "10\n11\n12\n10\n11\n12\n10\n11\n12\n";
	static const uint16_t block[] = {0, 0, 1, 1, 2, 2, 3, 3, 0};
	char *path = file_make(text, strlen(text));
	struct trace_options opts = options;
	struct all all;

	opts.program = TRACE_DIST;
	opts.spread = SPREAD_BLOCK;
	opts.spread_block = 2;
	all = all_read(path, &opts, 4);
	CU_ASSERT_EQUAL_FATAL(all.batch.count, 9);
	for (size_t i = 0; i < 9; i++)
		assert_op(&all.batch, i, block[i], OP_DIST, OP_SYSCALL, 10 + i % 3);
	all_free(&all);

	opts.program = TRACE_UPDATE;
	opts.spread = SPREAD_HASH;
	opts.cpus = 64;
	all = all_read(path, &opts, 4);
	for (size_t i = 0; i < 9; i++)
		assert_op(&all.batch, i, all.batch.ops[i % 3].cpu, OP_UPDATE, OP_PROGRAM,
			  10 + i % 3);
	CU_ASSERT_NOT_EQUAL(all.batch.ops[0].cpu, all.batch.ops[1].cpu);
	all_free(&all);

	opts.spread = SPREAD_RANDOM;
	opts.cpus = 2;
	all = all_read(path, &opts, 4);
	for (size_t i = 0; i < 9; i++)
		CU_ASSERT(all.batch.ops[i].cpu < 2);
	all_free(&all);
	file_remove(path);
}

static void test_formats(void)
{
	static const char *const names[] = {"text", "keys", "binary", "oracle"};
	const struct trace_kind *formats = trace_formats();

	for (size_t i = 0; i < 4; i++) {
		CU_ASSERT_STRING_EQUAL(formats[i].name, names[i]);
		CU_ASSERT(strlen(formats[i].summary) > 0);
	}
	CU_ASSERT_PTR_NULL(formats[4].name);
}

/* How often a table that should stay as it is was seen to be different. */
static void *formats_watch(void *arg)
{
	struct trace_kind first = trace_formats()[1];
	size_t *changes = arg;

	for (size_t i = 0; i < 1000; i++)
		*changes += memcmp(&trace_formats()[1], &first, sizeof(first)) != 0;
	return NULL;
}

/* Threads may ask for the table at once; ThreadSanitizer sees if they write to it. */
static void test_formats_threads(void)
{
	pthread_t threads[4];
	size_t changes[4] = {0};

	for (size_t i = 0; i < 4; i++)
		CU_ASSERT_FATAL(!pthread_create(&threads[i], NULL, formats_watch, &changes[i]));
	for (size_t i = 0; i < 4; i++) {
		pthread_join(threads[i], NULL);
		CU_ASSERT_EQUAL(changes[i], 0);
	}
}

CU_TestInfo traces_tests[] = {
	{"native text", test_text},
	{"every code", test_text_codes},
	{"keys as bytes", test_text_hex},
	{"errors in text", test_text_errors},
	{"keys", test_keys},
	{"errors in keys", test_keys_errors},
	{"oracleGeneral", test_oracle},
	{"errors in oracleGeneral", test_oracle_errors},
	{"files that cannot be read", test_file_errors},
	{"long comments", test_long_comment},
	{"long lines", test_long_lines},
	{"pipes", test_pipes},
	{"long pipes", test_pipe_long},
	{"formats by name", test_forced},
	{"digests", test_digest},
	{"digests of batches", test_digest_batches},
	{"programs and spreads", test_spread},
	{"table of formats", test_formats},
	{"table of formats, by threads", test_formats_threads},
	CU_TEST_INFO_NULL,
};
