// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sim/job.h"

#include <ctype.h>
#include <errno.h>
#include <ini.h>
#include <stdlib.h>
#include <string.h>

#include "sim/trace_store.h"

static const char *const sections[] = {"map", "run", "tunables", "vary", "traces", "output"};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* A job being read; err is the first error's. */
struct job_parser {
	FILE *file;
	struct job *job;
	char *line;
	size_t line_bytes;
	unsigned int number; /* of the line */
	int err;
	struct error *error;
};

int job_error(const struct job *job, unsigned int line, int err, struct error *error)
{
	char text[sizeof(error->text)];

	if (!error)
		return err;
	snprintf(text, sizeof(text), "%s", error->text);
	return error_set(error, err, "%.200s:%u: %.800s", job->path, line, text);
}

static void parser_fail(struct job_parser *parser, const char *expected)
{
	if (parser->err)
		return;
	parser->err = error_set(parser->error, -EINVAL, "%.200s:%u: %.800s", parser->job->path,
				parser->number, expected);
}

static bool is_section(const char *name)
{
	for (size_t i = 0; i < COUNT(sections); i++) {
		if (!strcmp(sections[i], name))
			return true;
	}
	return false;
}

/* A section that nothing stands in has to be known, too. */
static void check_section(struct job_parser *parser, const char *line)
{
	const char *end = strchr(line, ']');
	char name[64], text[200];

	if (line[0] != '[')
		return;
	if (!end) {
		parser_fail(parser, "expected \"]\" behind the name of the section");
		return;
	}
	snprintf(name, sizeof(name), "%.*s", (int)(end - line - 1), line + 1);
	if (is_section(name))
		return;
	snprintf(text, sizeof(text),
		 "no section [%.40s]; there are [map], [run], [tunables], [vary], [traces], "
		 "[output]",
		 name);
	parser_fail(parser, text);
}

/*
 * Cuts a comment behind # and a blank, as inih does behind ; and a blank: what begins a comment
 * within a line is a choice of when the library was built.
 */
static void cut_comment(char *line)
{
	for (char *p = line; *p; p++) {
		if (*p != '#' || p == line || !isspace((unsigned char)p[-1]))
			continue;
		strcpy(p, "\n");
		return;
	}
}

/* Called by inih for each line, with its buffer. */
static char *read_line(char *text, int bytes, void *arg)
{
	struct job_parser *parser = arg;
	ssize_t length = getline(&parser->line, &parser->line_bytes, parser->file);
	char expected[80];

	if (length < 0 || parser->err)
		return NULL;
	parser->number++;
	if (strlen(parser->line) != (size_t)length) {
		parser_fail(parser, "expected text, found a byte 0");
		return NULL;
	}
	if (length >= bytes) {
		snprintf(expected, sizeof(expected),
			 "expected at most %d bytes a line; an indented line goes on", bytes - 2);
		parser_fail(parser, expected);
		return NULL;
	}
	memcpy(text, parser->line, (size_t)length + 1);
	cut_comment(text);
	check_section(parser, text);
	return text;
}

/* Names without the dashes of the command line, where all that are there are options. */
static const char *plain_name(const char *section, const char *name)
{
	bool is_option = !strcmp(section, "run") || !strcmp(section, "output");

	return is_option && !strncmp(name, "--", 2) ? name + 2 : name;
}

static bool is_trace(const char *section, const char *name)
{
	return !strcmp(section, "traces") && !strcmp(name, "trace");
}

static bool is_list(const char *section, const char *name)
{
	return !strcmp(section, "vary") || (!strcmp(section, "output") && !strcmp(name, "columns"));
}

/* Lists have no blanks on the command line, and are easier to read with some. */
static void remove_blanks(char *text)
{
	char *to = text;

	for (; *text; text++) {
		if (!isspace((unsigned char)*text))
			*to++ = *text;
	}
	*to = '\0';
}

static int add_entry(struct job *job, const char *section, const char *name, const char *value,
		     unsigned int line)
{
	struct job_entry *entries =
		reallocarray(job->entries, job->count + 1, sizeof(*job->entries));
	struct job_entry *entry;

	if (!entries)
		return -ENOMEM;
	job->entries = entries;
	entry = &entries[job->count];
	entry->section = strdup(section);
	entry->name = strdup(name);
	entry->value = strdup(value);
	entry->line = line;
	job->count++;
	if (!entry->section || !entry->name || !entry->value)
		return -ENOMEM;
	if (is_list(section, name))
		remove_blanks(entry->value);
	return 0;
}

/* An indented line goes on with a list. */
static int continue_entry(struct job_parser *parser, const char *value)
{
	struct job_entry *entry = &parser->job->entries[parser->job->count - 1];
	size_t length = strlen(entry->value);
	char text[160], *longer;

	if (is_trace(entry->section, entry->name))
		return add_entry(parser->job, entry->section, entry->name, value, parser->number);
	if (!is_list(entry->section, entry->name)) {
		snprintf(text, sizeof(text),
			 "is indented, and so goes on with \"%.40s\" of line %u, which is no list",
			 entry->name, entry->line);
		parser_fail(parser, text);
		return 0;
	}
	longer = realloc(entry->value, length + strlen(value) + 2);
	if (!longer)
		return -ENOMEM;
	entry->value = longer;
	if (length && longer[length - 1] != ',')
		longer[length++] = ',';
	strcpy(longer + length, value);
	remove_blanks(longer);
	return 0;
}

static void check_twice(struct job_parser *parser, const char *section, const char *name)
{
	char text[160];

	for (size_t i = 0; i < parser->job->count && !is_trace(section, name); i++) {
		const struct job_entry *entry = &parser->job->entries[i];

		if (strcmp(entry->section, section) != 0 || strcmp(entry->name, name) != 0)
			continue;
		snprintf(text, sizeof(text), "\"%.40s\" of [%s] is given twice, first in line %u",
			 name, section, entry->line);
		parser_fail(parser, text);
	}
}

/* Called by inih for each "name = value", and for each line that goes on. 1: all is well. */
static int take_entry(void *arg, const char *section, const char *name, const char *value)
{
	struct job_parser *parser = arg;
	bool goes_on = parser->job->count && isspace((unsigned char)parser->line[0]) &&
		       !strcmp(parser->job->entries[parser->job->count - 1].section, section) &&
		       !strcmp(parser->job->entries[parser->job->count - 1].name,
			       plain_name(section, name));
	int err = 0;

	if (parser->err)
		return 1;
	if (!is_section(section))
		parser_fail(parser, "expected a section first, such as [map]");
	name = plain_name(section, name);
	if (!parser->err && !goes_on)
		check_twice(parser, section, name);
	if (!parser->err)
		err = goes_on ? continue_entry(parser, value)
			      : add_entry(parser->job, section, name, value, parser->number);
	if (err)
		parser->err = error_set(parser->error, err, "out of memory");
	return 1;
}

int job_read(FILE *file, const char *path, struct job *job, struct error *error)
{
	struct job_parser parser = {.file = file, .job = job, .error = error};
	int line;

	memset(job, 0, sizeof(*job));
	job->path = strdup(path);
	if (!job->path)
		return error_set(error, -ENOMEM, "out of memory");
	line = ini_parse_stream(read_line, &parser, take_entry, &parser);
	if (!parser.err && ferror(file))
		parser.err = error_set(error, -EIO, "%.200s: cannot be read", path);
	if (!parser.err && line) {
		parser.number = (unsigned int)line;
		parser_fail(&parser,
			    "expected [section], name = value, or a comment behind # or ;");
	}
	free(parser.line);
	if (parser.err)
		job_deinit(job);
	return parser.err;
}

int job_open(const char *path, struct job *job, struct error *error)
{
	FILE *file = strcmp(path, "-") != 0 ? fopen(path, "re") : stdin;
	int err;

	if (!file)
		return error_set(error, -errno, "%.200s: %s", path, strerror(errno));
	err = job_read(file, path, job, error);
	if (file != stdin)
		fclose(file);
	return err;
}

void job_deinit(struct job *job)
{
	for (size_t i = 0; i < job->count; i++) {
		free(job->entries[i].section);
		free(job->entries[i].name);
		free(job->entries[i].value);
	}
	free(job->entries);
	free(job->path);
	memset(job, 0, sizeof(*job));
}

/* A field of the map, or a flag that is one by itself. */
static int apply_map(struct run_config *config, const struct job_entry *entry, struct error *error)
{
	char text[512];

	snprintf(text, sizeof(text), "%s=%s", entry->name, entry->value);
	if (strchr(text, ','))
		return error_set(error, -EINVAL, "%.40s: expected one value, found \"%.80s\"",
				 entry->name, entry->value);
	return config_set_map(config, text, error);
}

static int apply_tunable(struct run_config *config, const struct job_entry *entry,
			 struct error *error)
{
	int id = tunable_find(entry->name, error);

	return id < 0 ? id : config_set(config, entry->name, entry->value, error);
}

static int apply_entry(struct run_config *config, const struct job_entry *entry,
		       job_entry_fn *other, void *arg, struct error *error)
{
	char name[64];

	if (!strcmp(entry->section, "map"))
		return apply_map(config, entry, error);
	if (!strcmp(entry->section, "tunables"))
		return apply_tunable(config, entry, error);
	snprintf(name, sizeof(name), "--%.60s", entry->name);
	if (!strcmp(entry->section, "run") && config_has(name))
		return config_set(config, name, entry->value, error);
	return other(arg, entry, error);
}

int job_apply(const struct job *job, struct run_config *config, job_entry_fn *other, void *arg,
	      struct error *error)
{
	for (size_t i = 0; i < job->count; i++) {
		int err = apply_entry(config, &job->entries[i], other, arg, error);

		if (err)
			return job_error(job, job->entries[i].line, err, error);
	}
	return 0;
}

char *job_trace(const struct job *job, const char *spec)
{
	const char *path = trace_path(spec), *slash = strrchr(job->path, '/');
	char *joined;

	if (!path || path[0] == '/' || !slash)
		return strdup(spec);
	if (asprintf(&joined, "%.*s%.*s%s", (int)(path - spec), spec, (int)(slash + 1 - job->path),
		     job->path, path) < 0)
		return NULL;
	return joined;
}
