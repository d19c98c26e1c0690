// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "tools/cmd_trace.h"
#include "tools/progress.h"

static const struct cli_option convert_table[] = {
	{"to", 0, "FORMAT",
	 "format to write: text, keys, binary, oracle (default:\n"
	 "binary where OUT ends with .bin or .bin.zst, else text)"},
	{"zstd", 0, "LEVEL",
	 "compress what is written, 1 (fast) to 22; 3 where OUT ends\n"
	 "with .zst"},
	{"count", 'n', "N", "operations that head prints (default 10)"},
	{"windows", 0, NULL, "info: a row for each of up to 64 parts of the trace"},
	{"output", 'o', "FORMAT", "info: table (default), csv or json"},
};

/* Which parts of the command take the options, by their place in the table. */
static const char *const convert_verbs[][2] = {
	{"gen", "convert"}, {"gen", "convert"}, {"head"}, {"info"}, {"info"},
};

static int set_level(struct trace_command *command, const char *value, struct error *error)
{
	uint64_t level;

	if (number_parse(value, 1, TRACE_ZSTD_LEVEL_MAX, &level))
		return error_set(error, -EINVAL, "--zstd %.40s: expected a number 1..%d", value,
				 TRACE_ZSTD_LEVEL_MAX);
	command->zstd_level = (int)level;
	return 0;
}

static int set_convert_option(void *state, const struct cli_option *option, const char *value,
			      struct error *error)
{
	struct trace_command *command = state;

	command->given |= 1u << (option - convert_table);
	if (!strcmp(option->name, "to"))
		command->format = value;
	else if (!strcmp(option->name, "output"))
		command->output_text = value;
	else if (!strcmp(option->name, "windows"))
		command->is_windows = true;
	else if (!strcmp(option->name, "zstd"))
		return set_level(command, value, error);
	else if (number_parse(value, 0, UINT64_MAX, &command->operations))
		return error_set(error, -EINVAL, "-n %.40s: expected a number", value);
	return 0;
}

static const struct cli_group convert_group = {convert_table,
					       sizeof(convert_table) / sizeof(convert_table[0]),
					       set_convert_option};

int trace_command_open(const struct run_config *config, const char *spec,
		       struct trace_reader **reader, struct error *error)
{
	/* Without -c any CPU may be in a trace, and keys go to the first. */
	struct trace_options options = {
		.cpus = config->map.cpus ? config->map.cpus : 1,
		.cpu_limit = config->map.cpus ? config->map.cpus : MAP_CPUS_MAX,
		.stop = &stop_requested,
		.program = config->program,
		.spread = config->spread,
		.spread_block = config->spread_block,
		.seed = config->seed,
	};

	return trace_open(spec, &options, reader, error);
}

int trace_command_read(struct trace_reader *reader, bool with_all, trace_take_fn *take, void *arg,
		       bool is_quiet, struct error *error)
{
	struct op_batch batch, view;
	struct progress progress;
	uint64_t done = 0;
	int err = op_batch_init(&batch, TRACE_BATCH_OPERATIONS, with_all, with_all);

	if (err)
		return error_set(error, err, "out of memory");
	progress_init(&progress, "operations", is_quiet);
	do {
		err = trace_view(reader, &batch, &view, error);
		if (!err && view.count)
			err = take(arg, &view, error);
		if (!err && stop_requested)
			err = -EINTR;
		done += view.count;
		progress_update(&progress, done, trace_operations(reader));
	} while (!err && view.count);
	progress_end(&progress);
	op_batch_deinit(&batch);
	return err;
}

static int take_copy(void *writer, const struct op_batch *view, struct error *error)
{
	return trace_write(writer, view, error);
}

static int convert(const struct trace_command *command, const struct run_config *config,
		   const char *from, const char *to, bool is_quiet, struct error *error)
{
	const char *format = command->format ? command->format : trace_format_of_file(to);
	struct trace_reader *reader;
	struct trace_writer *writer;
	int err, close_err;

	if (options_is_input(from, to))
		return error_set(error, -EINVAL, "%s: is a trace and an output", to);
	err = trace_command_open(config, from, &reader, error);
	if (err)
		return err;
	err = trace_writer_open(format ? format : "text", to, command->zstd_level, &writer, error);
	if (!err) {
		err = trace_command_read(reader, true, take_copy, writer, is_quiet, error);
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
	int err = op_batch_init(&batch, TRACE_BATCH_OPERATIONS, true, true);

	if (err)
		return error_set(error, err, "out of memory");
	err = trace_command_open(config, spec, &reader, error);
	while (!err && left) {
		batch.capacity = left < TRACE_BATCH_OPERATIONS ? left : TRACE_BATCH_OPERATIONS;
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

/* Whether a word looks like a parameter of a generator, and not like a file. */
static bool is_parameter(const char *word)
{
	const char *start = word;

	while (islower((unsigned char)*word))
		word++;
	return word > start && *word == '=';
}

/*
 * gen KIND,name=value,... [OUT], or convert gen:KIND,... [OUT]. Parameters may be words of their
 * own.
 */
static int generate(const struct trace_command *command, const struct run_config *config, int argc,
		    char **argv, bool is_quiet, struct error *error)
{
	const char *kind = strncmp(argv[0], "gen:", 4) != 0 ? argv[0] : argv[0] + 4;
	char text[1024];
	size_t used = (size_t)snprintf(text, sizeof(text), "gen:%s", kind);
	int next = 1;

	for (; next < argc && is_parameter(argv[next]) && used < sizeof(text); next++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, ",%s", argv[next]);
	if (used >= sizeof(text))
		return error_set(error, -EINVAL, "gen: more than %zu characters", sizeof(text));
	if (argc - next > 1)
		return error_set(error, -EINVAL,
				 "trace gen: expected one file to write, found \"%s\" too",
				 argv[next + 1]);
	return convert(command, config, text, next < argc ? argv[next] : "-", is_quiet, error);
}

/* Options are refused where they would do nothing. */
static int check_options(const struct trace_command *command, const char *verb, struct error *error)
{
	for (size_t i = 0; i < sizeof(convert_table) / sizeof(convert_table[0]); i++) {
		const char *const *takers = convert_verbs[i];
		bool is_output = !strcmp(convert_table[i].name, "output");

		if (!(command->given & 1u << i) || !strcmp(takers[0], verb) ||
		    (takers[1] && !strcmp(takers[1], verb)))
			continue;
		return error_set(error, -EINVAL, "trace %s: --%s is for %s%s%s%s", verb,
				 convert_table[i].name, takers[0], takers[1] ? " and " : "",
				 takers[1] ? takers[1] : "",
				 is_output && strcmp(verb, "head") != 0
					 ? "; the file to write stands last, without an option"
					 : "");
	}
	return 0;
}

static int take_output_format(struct trace_command *command, struct error *error)
{
	if (!command->output_text)
		return 0;
	return output_format_parse(command->output_text, &command->output, error);
}

static bool is_verb(const char *word)
{
	return !strcmp(word, "gen") || !strcmp(word, "convert") || !strcmp(word, "head") ||
	       !strcmp(word, "info");
}

static int dispatch(const struct trace_command *command, const struct run_config *config, int argc,
		    char **argv, bool is_quiet, struct error *error)
{
	const char *verb = argc ? argv[0] : "";

	if (!strcmp(verb, "gen") && argc >= 2)
		return generate(command, config, argc - 1, argv + 1, is_quiet, error);
	if (!strcmp(verb, "convert") && argc >= 2 && !strncmp(argv[1], "gen:", 4))
		return generate(command, config, argc - 1, argv + 1, is_quiet, error);
	if (!strcmp(verb, "convert") && (argc == 2 || argc == 3))
		return convert(command, config, argv[1], argc == 3 ? argv[2] : "-", is_quiet,
			       error);
	if (!strcmp(verb, "head") && argc == 2)
		return head(command, config, argv[1], error);
	if (!strcmp(verb, "info") && argc >= 2)
		return trace_command_info(command, config, argc - 1, argv + 1, is_quiet, error);
	return error_set(error, -EINVAL,
			 "trace: expected gen KIND,... [OUT], convert IN [OUT], head TRACE or "
			 "info TRACE...");
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
	struct trace_command command = {.operations = 10};
	bool is_quiet = false;
	struct run_config config;
	struct error error = {.text = ""};
	void *states[] = {&config, &command, &is_quiet};
	int status, first, err = 0;

	config_init(&config);
	config.map.cpus = 0;
	first = command_parse(cli, argc, argv, states, &status);
	if (first < 0)
		return status;
	if (first < argc && is_verb(argv[first]))
		err = check_options(&command, argv[first], &error);
	if (!err)
		err = take_output_format(&command, &error);
	if (!err)
		err = dispatch(&command, &config, argc - first, argv + first, is_quiet, &error);
	return err ? fail(err, &error) : EXIT_FINE;
}

const struct command command_trace = {
	.name = "trace",
	.arguments = "gen KIND,... [OUT] | convert IN [OUT] | head TRACE | info TRACE...",
	.summary = "make, convert and look at traces",
	.description =
		"gen makes a trace, convert writes one in another format, head prints its first\n"
		"operations, info tells what is in it. OUT is a file, or - for standard output\n"
		"(the default).",
	.groups = {&trace_group, &convert_group, &quiet_group},
	.print_more = print_formats_and_kinds,
	.run = run_trace,
};
