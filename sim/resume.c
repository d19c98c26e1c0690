// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sim/resume.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/csv.h"
#include "base/output_file.h"
#include "sim/trace_store.h"

#define CHUNK_BYTES ((size_t)256 << 10)

/* Text that is there already, mapped. */
struct old_text {
	const char *text;
	size_t bytes;
};

static int fail_system(const char *path, int err, struct error *error)
{
	return error_set_output(error, -err, "%s: %s", path, strerror(err));
}

static int text_map(struct old_text *old, const char *path, int fd, struct error *error)
{
	struct stat status;
	void *map;

	*old = (struct old_text){.text = ""};
	if (fstat(fd, &status))
		return fail_system(path, errno, error);
	if (!S_ISREG(status.st_mode))
		return error_set(error, -EINVAL, "--resume %s: expected a regular file", path);
	if (!status.st_size)
		return 0;
	map = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (map == MAP_FAILED)
		return fail_system(path, errno, error);
	old->text = map;
	old->bytes = (size_t)status.st_size;
	return 0;
}

static void text_unmap(struct old_text *old)
{
	if (old->bytes)
		munmap((void *)old->text, old->bytes);
	*old = (struct old_text){0};
}

/* What a file holds, as a line; a trace that changed makes other rows. */
static int describe_file(FILE *out, const char *path, struct error *error)
{
	XXH3_state_t *state = XXH3_createState();
	char *chunk = malloc(CHUNK_BYTES);
	FILE *file = fopen(path, "re");
	uint64_t bytes = 0;
	size_t got;
	int err = 0;

	if (!file || !state || !chunk || XXH3_64bits_reset(state) == XXH_ERROR)
		err = error_set(error, file ? -ENOMEM : -errno, "%s: %s", path,
				strerror(file ? ENOMEM : errno));
	while (!err && (got = fread(chunk, 1, CHUNK_BYTES, file))) {
		XXH3_64bits_update(state, chunk, got);
		bytes += got;
	}
	if (!err && ferror(file))
		err = error_set(error, -EIO, "%s: cannot be read", path);
	if (!err)
		fprintf(out, "content of %s = %" PRIu64 " bytes, xxh3 %016" PRIx64 "\n", path,
			bytes, (uint64_t)XXH3_64bits_digest(state));
	if (file)
		fclose(file);
	free(chunk);
	XXH3_freeState(state);
	return err;
}

static void describe_vary(FILE *out, const struct vary *vary)
{
	fprintf(out, "vary %s =", vary->name);
	for (size_t i = 0; i < vary->count; i++)
		fprintf(out, "%c%s", i ? ',' : ' ', vary->values[i]);
	putc('\n', out);
}

static int describe_all(FILE *out, const struct sweep *sweep, const struct record *header,
			struct error *error)
{
	const struct run_config *base = sweep->base;
	struct record record = {0};
	int err = 0;

	config_record(base, &record);
	for (size_t i = 0; i < record.count; i++)
		fprintf(out, "%s = %s\n", record.fields[i].name, record.fields[i].text);
	fprintf(out, "check = %s\neach-trace = %s\n", base->check ? "yes" : "no",
		sweep->each_trace ? "yes" : "no");
	for (size_t i = 0; i < sweep->vary_count; i++)
		describe_vary(out, &sweep->vary[i]);
	fputs("columns = ", out);
	csv_write_header(out, header);
	for (size_t i = 0; !err && i < base->trace_count; i++) {
		const char *path = trace_path(base->traces[i]);

		if (trace_is_stdin(base->traces[i]))
			err = error_set(error, -EINVAL,
					"-: standard input cannot be read again by --resume");
		else if (path && output_file_is_special(path))
			err = error_set(error, -EINVAL,
					"%s: is no regular file, and cannot be read again by "
					"--resume",
					path);
		else if (path)
			err = describe_file(out, path, error);
	}
	if (!err && record.failed)
		err = error_set(error, -ENOMEM, "out of memory");
	record_deinit(&record);
	return err;
}

/* What the sweep is, in lines; the caller's to free. */
static int describe(const struct sweep *sweep, const struct record *header, char **text,
		    struct error *error)
{
	size_t bytes;
	FILE *out = open_memstream(text, &bytes);
	int err;

	if (!out)
		return error_set(error, -ENOMEM, "out of memory");
	err = describe_all(out, sweep, header, error);
	if (fclose(out) && !err)
		err = error_set(error, -ENOMEM, "out of memory");
	return err;
}

#define SHOWN_BYTES 300  /* of a line, in a message */
#define BEFORE_BYTES 100 /* of these, before what differs */

/* A part of a line, in a message: all of it, or what is around a place. */
struct excerpt {
	const char *before, *text, *after;
	int bytes;
};

/* Parts of UTF-8 are not shown. */
static size_t skip_back(const char *line, size_t at)
{
	while (at && (line[at] & 0xc0) == 0x80)
		at--;
	return at;
}

static struct excerpt excerpt_of(const char *line, size_t bytes, size_t begin)
{
	size_t end = bytes - begin <= SHOWN_BYTES ? bytes : skip_back(line, begin + SHOWN_BYTES);

	return (struct excerpt){
		.before = begin ? "..." : "",
		.text = line + begin,
		.after = end < bytes ? "..." : "",
		.bytes = (int)(end - begin),
	};
}

/* Where excerpts of two lines begin, so that what differs is in both. */
static size_t excerpt_begin(const char *a, size_t a_bytes, const char *b, size_t b_bytes)
{
	size_t same = 0;

	if (a_bytes <= SHOWN_BYTES && b_bytes <= SHOWN_BYTES)
		return 0;
	while (same < a_bytes && same < b_bytes && a[same] == b[same])
		same++;
	if (same <= BEFORE_BYTES)
		return 0;
	/* Up to there both are the same, so that either tells where characters begin. */
	return skip_back(a, same - BEFORE_BYTES);
}

static size_t line_length(const char *text, size_t bytes)
{
	const char *end = memchr(text, '\n', bytes);

	return end ? (size_t)(end - text) : bytes;
}

/* Names the first line that differs. */
static int compare_description(const char *path, const struct old_text *old, const char *text,
			       struct error *error)
{
	size_t bytes = strlen(text), at = 0, begin, old_line, line;
	struct excerpt found, expected;
	unsigned int number = 1;

	if (bytes == old->bytes && !memcmp(old->text, text, bytes))
		return 0;
	while (at < bytes && at < old->bytes) {
		line = line_length(text + at, bytes - at);
		old_line = line_length(old->text + at, old->bytes - at);
		if (line != old_line || memcmp(text + at, old->text + at, line) != 0)
			break;
		at += line + 1;
		number++;
	}
	if (at > bytes || at > old->bytes)
		at = bytes < old->bytes ? bytes : old->bytes;
	line = line_length(text + at, bytes - at);
	old_line = line_length(old->text + at, old->bytes - at);
	begin = excerpt_begin(old->text + at, old_line, text + at, line);
	found = excerpt_of(old->text + at, old_line, begin);
	expected = excerpt_of(text + at, line, begin);
	return error_set(error, -EINVAL,
			 "%s:%u: the file is of another sweep: it has \"%s%.*s%s\", expected "
			 "\"%s%.*s%s\"",
			 path, number, found.before, found.bytes, found.text, found.after,
			 expected.before, expected.bytes, expected.text, expected.after);
}

/* The description beside a file that has rows has to be that of this sweep. */
static int check_description(const char *path, const char *description_path, const char *text,
			     struct error *error)
{
	int fd = open(description_path, O_RDONLY | O_CLOEXEC), err;
	struct old_text old = {.text = ""};

	if (fd < 0)
		return error_set(error, -EINVAL,
				 "--resume %s: cannot be continued, as %s, which says what it is "
				 "of, cannot be read: %s",
				 path, description_path, strerror(errno));
	err = text_map(&old, description_path, fd, error);
	close(fd);
	if (!err)
		err = compare_description(description_path, &old, text, error);
	text_unmap(&old);
	return err;
}

static int write_description(const char *path, const char *text, struct error *error)
{
	struct output_file file;
	int err = output_file_open(&file, path, error);

	if (err)
		return err;
	fputs(text, file.stream);
	return output_file_close(&file, true, error);
}

/* A row is not that of the next run, as one of its fields tells. */
static int refuse_row(const struct resume *resume, const struct sweep *sweep, unsigned int line,
		      const char *name, const char *const fields[2], const size_t sizes[2],
		      struct error *error)
{
	char run[256];

	sweep_name_run(sweep, resume->rows, run, sizeof(run));
	return error_set(error, -EINVAL,
			 "%s:%u: expected the row of run %s: %s should be \"%.*s\", found "
			 "\"%.*s\"; "
			 "cut the file before this line to go on from there",
			 resume->path, line, run, name, sizes[1] < 100 ? (int)sizes[1] : 100,
			 fields[1], sizes[0] < 100 ? (int)sizes[0] : 100, fields[0]);
}

/* Whether a field is what is known of the run. A map may have rounded max_entries up. */
static bool is_expected(const char *name, const char *const fields[2], const size_t sizes[2],
			uint32_t entries)
{
	char rounded[16];

	if (sizes[0] == sizes[1] && !memcmp(fields[0], fields[1], sizes[0]))
		return true;
	if (strcmp(name, "max_entries") != 0)
		return false;
	snprintf(rounded, sizeof(rounded), "%" PRIu32, entries);
	return strlen(rounded) == sizes[0] && !memcmp(fields[0], rounded, sizes[0]);
}

/* Compares a row with one that has what is known of the run before it is run. */
static int compare_row(const struct resume *resume, const struct sweep *sweep, unsigned int line,
		       const struct record *known, const char *const rows[2], uint32_t entries,
		       struct error *error)
{
	const char *fields[2] = {rows[0], rows[1]};

	for (size_t i = 0; i < resume->header.count; i++) {
		const char *name = resume->header.fields[i].name;
		const size_t sizes[2] = {csv_field_size(fields[0]), csv_field_size(fields[1])};

		/* "error" is a result. */
		if (i + 1 < resume->header.count && record_find(known, name) &&
		    !is_expected(name, fields, sizes, entries))
			return refuse_row(resume, sweep, line, name, fields, sizes, error);
		fields[0] += sizes[0] + 1;
		fields[1] += sizes[1] + 1;
	}
	return 0;
}

/* A whole row has to be that of the run that is next. */
static int check_row(const struct resume *resume, const struct sweep *sweep, unsigned int line,
		     const char *row, struct error *error)
{
	struct record known = {0};
	char *text = NULL;
	uint32_t entries = 0;
	size_t bytes;
	int err = sweep_record_run(sweep, resume->rows, &known, &entries, error);
	FILE *out = err ? NULL : open_memstream(&text, &bytes);

	if (out) {
		csv_write_row(out, &resume->header, &known);
		if (fclose(out))
			err = -ENOMEM;
	} else if (!err) {
		err = -ENOMEM;
	}
	if (!err)
		err = compare_row(resume, sweep, line, &known, (const char *[]){row, text}, entries,
				  error);
	else if (err == -ENOMEM)
		error_set(error, err, "out of memory");
	free(text);
	record_deinit(&known);
	return err;
}

/* Counts whole rows, which have to be the sweep's; *end is behind the last. */
static int scan_rows(struct resume *resume, const struct old_text *old, const struct sweep *sweep,
		     size_t *end, struct error *error)
{
	uint64_t runs = sweep_runs(sweep);
	unsigned int line = 2;
	int err;
	struct csv_row row;

	while (csv_scan_row(old->text + *end, old->bytes - *end, &row)) {
		if (row.fields != resume->header.count)
			return error_set(error, -EINVAL,
					 "%s:%u: expected %zu fields, found %zu; cut the file "
					 "before this line to go on from there",
					 resume->path, line, resume->header.count, row.fields);
		if (resume->rows == runs)
			return error_set(error, -EINVAL,
					 "%s:%u: expected the %" PRIu64
					 " rows of this sweep, found more",
					 resume->path, line, runs);
		err = check_row(resume, sweep, line, old->text + *end, error);
		if (err)
			return err;
		resume->rows++;
		resume->bad_rows += row.last_size > 0;
		*end += row.bytes;
		line++;
	}
	return 0;
}

/* Finds where to go on: *end is behind the last whole row, or 0 when there is no header. */
static int scan_file(struct resume *resume, const struct old_text *old, const char *header,
		     const struct sweep *sweep, size_t *end, struct error *error)
{
	size_t bytes = strlen(header);

	*end = 0;
	/* A torn header. */
	if (old->bytes < bytes && !memcmp(old->text, header, old->bytes))
		return 0;
	if (old->bytes < bytes || memcmp(old->text, header, bytes) != 0)
		return error_set(error, -EINVAL,
				 "%s:1: the header is of another sweep: expected \"%.*s\"",
				 resume->path, bytes > 400 ? 400 : (int)bytes - 1, header);
	*end = bytes;
	return scan_rows(resume, old, sweep, end, error);
}

static int write_all(struct resume *resume, const char *text, size_t bytes, struct error *error)
{
	off_t begin = lseek(resume->fd, 0, SEEK_CUR);
	int err;

	while (bytes) {
		ssize_t done = write(resume->fd, text, bytes);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0) {
			err = fail_system(resume->path, errno, error);
			/* Half a row is taken away now, or else when the file is opened again. */
			if (ftruncate(resume->fd, begin) || lseek(resume->fd, begin, SEEK_SET) < 0)
				return err;
			return err;
		}
		text += done;
		bytes -= (size_t)done;
	}
	return 0;
}

/* Cuts off what is torn, and begins the file if there is nothing. */
static int begin_file(struct resume *resume, size_t end, const char *header, struct error *error)
{
	if (ftruncate(resume->fd, (off_t)end) || lseek(resume->fd, (off_t)end, SEEK_SET) < 0)
		return fail_system(resume->path, errno, error);
	return end ? 0 : write_all(resume, header, strlen(header), error);
}

static int header_text(const struct resume *resume, char **text)
{
	size_t bytes;
	FILE *out = open_memstream(text, &bytes);

	if (!out)
		return -ENOMEM;
	csv_write_header(out, &resume->header);
	return fclose(out) ? -ENOMEM : 0;
}

/* Opens and locks, so that two sweeps do not write the same file. */
static int open_file(struct resume *resume, struct error *error)
{
	resume->fd = open(resume->path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (resume->fd < 0)
		return fail_system(resume->path, errno, error);
	if (!flock(resume->fd, LOCK_EX | LOCK_NB) || errno != EWOULDBLOCK)
		return 0;
	return error_set(error, -EBUSY, "%s: another sweep is writing it", resume->path);
}

static int set_header(struct resume *resume, const char *const *columns)
{
	for (size_t i = 0; columns[i]; i++) {
		if (strcmp(columns[i], "error") != 0)
			record_add_text(&resume->header, columns[i], "");
	}
	/* Last, where scan_rows() looks for it. */
	record_add_text(&resume->header, "error", "");
	return resume->header.failed ? -ENOMEM : 0;
}

static int open_with_text(struct resume *resume, const struct sweep *sweep, const char *header,
			  const char *description, struct error *error)
{
	char *description_path;
	struct old_text old = {.text = ""};
	size_t end = 0;
	bool is_new;
	int err;

	if (asprintf(&description_path, "%s.experiment", resume->path) < 0)
		return error_set(error, -ENOMEM, "out of memory");
	err = open_file(resume, error);
	if (!err)
		err = text_map(&old, resume->path, resume->fd, error);
	is_new = !old.bytes;
	if (!err && !is_new)
		err = check_description(resume->path, description_path, description, error);
	if (!err && !is_new)
		err = scan_file(resume, &old, header, sweep, &end, error);
	text_unmap(&old);
	if (!err && is_new)
		err = write_description(description_path, description, error);
	if (!err)
		err = begin_file(resume, end, header, error);
	free(description_path);
	return err;
}

int resume_open(struct resume *resume, const char *path, const struct sweep *sweep,
		const char *const *columns, struct error *error)
{
	char *header = NULL, *description = NULL;
	int err = 0;

	memset(resume, 0, sizeof(*resume));
	resume->fd = -1;
	if (output_file_is_special(path))
		return error_set(error, -EINVAL, "--resume %s: expected a regular file", path);
	resume->path = strdup(path);
	if (!resume->path || set_header(resume, columns) || header_text(resume, &header) ||
	    !header) {
		err = error_set(error, -ENOMEM, "out of memory");
	} else {
		err = describe(sweep, &resume->header, &description, error);
		if (!err)
			err = open_with_text(resume, sweep, header, description, error);
	}
	free(header);
	free(description);
	if (err)
		resume_close(resume, NULL);
	return err;
}

int resume_add(struct resume *resume, const struct record *record, struct error *error)
{
	char *text;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);
	int err = 0;

	if (!out)
		return error_set(error, -ENOMEM, "out of memory");
	csv_write_row(out, &resume->header, record);
	if (fclose(out))
		err = error_set(error, -ENOMEM, "out of memory");
	else
		err = write_all(resume, text, bytes, error);
	free(text);
	if (!err) {
		const struct field *bad = record_find(record, "error");

		resume->rows++;
		resume->bad_rows += bad && bad->text[0];
	}
	return err;
}

int resume_close(struct resume *resume, struct error *error)
{
	int err = 0;

	if (resume->path && resume->fd >= 0 && close(resume->fd))
		err = fail_system(resume->path, errno, error);
	free(resume->path);
	record_deinit(&resume->header);
	memset(resume, 0, sizeof(*resume));
	return err;
}
