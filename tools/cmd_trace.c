// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "tools/options.h"
#include "tools/progress.h"

#define BATCH_OPERATIONS 32768

struct trace_command {
	const char *format;  /* --to */
	uint64_t operations; /* -n */
};

static const struct cli_option convert_table[] = {
	{"to", 0, "FORMAT", "format to write: text (default), keys, oracle"},
	{"count", 'n', "N", "operations that head prints (default 10)"},
};

static int set_convert_option(void *state, const struct cli_option *option, const char *value,
			      struct error *error)
{
	struct trace_command *command = state;

	if (!strcmp(option->name, "to"))
		command->format = value;
	else if (number_parse(value, 0, UINT64_MAX, &command->operations))
		return error_set(error, -EINVAL, "-n %.40s: expected a number", value);
	return 0;
}

static const struct cli_group convert_group = {convert_table,
					       sizeof(convert_table) / sizeof(convert_table[0]),
					       set_convert_option};

static int open_trace(const struct run_config *config, const char *spec,
		      struct trace_reader **reader, struct error *error)
{
	struct trace_options options = {
		.cpus = config->cpus,
		.program = config->program,
		.spread = config->spread,
		.spread_block = config->spread_block,
		.seed = config->seed,
	};

	return trace_open(spec, &options, reader, error);
}

/* Copies all operations. */
static int copy_trace(struct trace_reader *reader, struct trace_writer *writer, bool is_quiet,
		      struct error *error)
{
	struct op_batch batch;
	struct progress progress;
	uint64_t done = 0;
	int err = op_batch_init(&batch, BATCH_OPERATIONS, true, true);

	if (err)
		return error_set(error, err, "out of memory");
	progress_init(&progress, "operations", is_quiet);
	do {
		err = trace_read(reader, &batch, error);
		if (!err && batch.count)
			err = trace_write(writer, &batch, error);
		if (!err && stop_requested)
			err = -EINTR;
		done += batch.count;
		progress_update(&progress, done, trace_operations(reader));
	} while (!err && batch.count);
	progress_end(&progress);
	op_batch_deinit(&batch);
	return err;
}

static int convert(const struct trace_command *command, const struct run_config *config,
		   const char *from, const char *to, bool is_quiet, struct error *error)
{
	struct trace_reader *reader;
	struct trace_writer *writer;
	int err = open_trace(config, from, &reader, error), close_err;

	if (err)
		return err;
	err = trace_writer_open(command->format, to, &writer, error);
	if (!err) {
		err = copy_trace(reader, writer, is_quiet, error);
		close_err = trace_writer_close(writer, !err, err ? NULL : error);
		if (!err)
			err = close_err;
	}
	trace_close(reader);
	return err;
}

static int head(const struct trace_command *command, const struct run_config *config,
		const char *spec, struct error *error)
{
	struct trace_reader *reader = NULL;
	struct op_batch batch;
	uint64_t left = command->operations, position = 0;
	int err = op_batch_init(&batch, BATCH_OPERATIONS, true, true);

	if (err)
		return error_set(error, err, "out of memory");
	err = open_trace(config, spec, &reader, error);
	while (!err && left) {
		batch.capacity = left < BATCH_OPERATIONS ? left : BATCH_OPERATIONS;
		err = trace_read(reader, &batch, error);
		for (size_t i = 0; i < batch.count; i++)
			trace_print_op(stdout, &batch, i, position++);
		left -= batch.count;
		if (!err && stop_requested)
			err = -EINTR;
		if (!batch.count || ferror(stdout))
			break;
	}
	trace_close(reader);
	op_batch_deinit(&batch);
	return err;
}

/* gen KIND,name=value,... [OUT] */
static int generate(const struct trace_command *command, const struct run_config *config,
		    const char *spec, const char *to, bool is_quiet, struct error *error)
{
	char text[1024];

	if (!strncmp(spec, "gen:", 4))
		spec += 4;
	if ((size_t)snprintf(text, sizeof(text), "gen:%s", spec) >= sizeof(text))
		return error_set(error, -EINVAL, "gen: more than %zu characters", sizeof(text));
	return convert(command, config, text, to, is_quiet, error);
}

static int dispatch(const struct trace_command *command, const struct run_config *config, int argc,
		    char **argv, bool is_quiet, struct error *error)
{
	const char *verb = argc ? argv[0] : "";

	if (!strcmp(verb, "gen") && (argc == 2 || argc == 3))
		return generate(command, config, argv[1], argc == 3 ? argv[2] : "-", is_quiet,
				error);
	if (!strcmp(verb, "convert") && (argc == 2 || argc == 3))
		return convert(command, config, argv[1], argc == 3 ? argv[2] : "-", is_quiet,
			       error);
	if (!strcmp(verb, "head") && argc == 2)
		return head(command, config, argv[1], error);
	return error_set(error, -EINVAL,
			 "trace: expected gen KIND,... [OUT], convert IN [OUT] or head TRACE");
}

/* Parameters, "name=DEFAULT (range: meaning), ...", as many in a line as fit. */
static void print_parameters(const char *text)
{
	const char *indent = "               ";
	size_t column = 0;

	while (*text) {
		const char *end = strstr(text, "), ");
		size_t length = end ? (size_t)(end - text) + 2 : strlen(text);

		if (column && column + length > 80) {
			putchar('\n');
			column = 0;
		}
		printf("%s%.*s", column ? " " : indent, (int)length, text);
		column += length + 1;
		text += length;
		text += *text == ' ';
	}
	putchar('\n');
}

static void print_kinds(const char *title, const struct trace_kind *kinds)
{
	printf("\n%s:\n", title);
	for (; kinds->name; kinds++) {
		printf("  %-10s %s\n", kinds->name, kinds->summary);
		if (kinds->parameters && kinds->parameters[0])
			print_parameters(kinds->parameters);
	}
}

static void print_formats_and_kinds(void)
{
	print_kinds("formats that are read (FORMAT:FILE names one that is not recognized)",
		    trace_formats());
	print_kinds("gen: kinds, with the parameters and their defaults", trace_generators());
}

static int run_trace(const struct command *cli, int argc, char **argv)
{
	struct trace_command command = {.format = "text", .operations = 10};
	bool is_quiet = false;
	struct run_config config;
	struct error error = {.text = ""};
	void *states[] = {&config, &command, &is_quiet};
	int status, first, err;

	config_init(&config);
	first = command_parse(cli, argc, argv, states, &status);
	if (first < 0)
		return status;
	err = dispatch(&command, &config, argc - first, argv + first, is_quiet, &error);
	return err ? fail(err, &error) : EXIT_FINE;
}

const struct command command_trace = {
	.name = "trace",
	.arguments = "gen KIND,... [OUT] | convert IN [OUT] | head TRACE",
	.summary = "make, convert and look at traces",
	.description =
		"gen makes a trace, convert writes one in another format, head prints its first\n"
		"operations. OUT is a file, or - for standard output (the default).",
	.groups = {&trace_group, &convert_group, &quiet_group},
	.print_more = print_formats_and_kinds,
	.run = run_trace,
};
