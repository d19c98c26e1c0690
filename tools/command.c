// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/command.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "base/words.h"

atomic_int stop_requested;

void complain(const struct error *error)
{
	fprintf(stderr, "mapsim: %s\n", error->text[0] ? error->text : "failed");
}

int fail(int err, const struct error *error)
{
	if (err == -EINTR)
		return 128 + stop_requested;
	/* As before `| head`: who no longer reads need not be told. */
	if (err != -EPIPE)
		complain(error);
	if (error->is_missing)
		return EXIT_MISSING;
	return err == -EUCLEAN || error->is_output ? EXIT_DIFFERENT : EXIT_USAGE;
}

#define OPTIONS_MAX 64
#define FIRST_LONG 256 /* getopt's value of the first option: above all letters */

static const struct cli_option help_option = {"help", 'h', NULL, "this text"};

/* An option and its group, by getopt's value. */
struct parsed_option {
	const struct cli_option *option;
	int group; /* -1: --help */
};

struct parser {
	struct option longs[OPTIONS_MAX + 1];
	char shorts[2 * OPTIONS_MAX + 2];
	struct parsed_option options[OPTIONS_MAX];
	int count;
};

static void parser_add(struct parser *parser, const struct cli_option *option, int group)
{
	char *shorts = parser->shorts + strlen(parser->shorts);

	parser->options[parser->count] = (struct parsed_option){option, group};
	parser->longs[parser->count] =
		(struct option){option->name, option->argument ? required_argument : no_argument,
				NULL, FIRST_LONG + parser->count};
	parser->count++;
	if (!option->letter)
		return;
	*shorts++ = option->letter;
	if (option->argument)
		*shorts++ = ':';
	*shorts = '\0';
}

static void parser_init(struct parser *parser, const struct command *command)
{
	memset(parser, 0, sizeof(*parser));
	parser->shorts[0] = ':';
	for (int i = 0; i < CLI_GROUPS_MAX && command->groups[i]; i++) {
		for (size_t n = 0; n < command->groups[i]->count; n++)
			parser_add(parser, &command->groups[i]->options[n], i);
	}
	parser_add(parser, &help_option, -1);
}

static const struct parsed_option *parser_find(const struct parser *parser, int value)
{
	if (value >= FIRST_LONG)
		return &parser->options[value - FIRST_LONG];
	for (int i = 0; i < parser->count; i++) {
		if (parser->options[i].option->letter == value)
			return &parser->options[i];
	}
	return NULL;
}

/* The option that "--word" or "--word=value" was meant to be; or NULL. */
static const char *guess_option(const struct parser *parser, const char *word)
{
	struct word_guess guess;
	char name[WORD_MAX];

	if (strncmp(word, "--", 2) != 0)
		return NULL;
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(word + 2, "="), word + 2);
	word_guess_init(&guess, name);
	for (int i = 0; i < parser->count; i++)
		word_guess_offer(&guess, parser->options[i].option->name);
	return guess.name;
}

/* What getopt did not take: an unknown option, or one without its argument. */
static void explain(const struct command *command, const struct parser *parser, int value,
		    const char *word)
{
	const char *guess = guess_option(parser, word);
	struct error error = {.text = ""};

	if (value == ':')
		error_set(&error, 0, "%s: option %s needs an argument", command->name, word);
	else if (guess)
		error_set(&error, 0, "%s: no option %.80s; did you mean --%s?", command->name, word,
			  guess);
	else
		error_set(&error, 0, "%s: no option %s; see mapsim %s --help", command->name, word,
			  command->name);
	complain(&error);
}

static void explain_getopt(const struct command *command, const struct parser *parser, int value,
			   char **argv)
{
	char letter[3] = {'-', (char)optopt, '\0'};

	explain(command, parser, value, optopt && optopt < FIRST_LONG ? letter : argv[optind - 1]);
}

int command_parse(const struct command *command, int argc, char **argv, void *const *states,
		  int *status)
{
	const struct parsed_option *parsed;
	struct parser parser;
	struct error error = {.text = ""};
	int value;

	parser_init(&parser, command);
	*status = EXIT_USAGE;
	opterr = 0;
	optind = 0;
	while ((value = getopt_long(argc, argv, parser.shorts, parser.longs, NULL)) != -1) {
		if (value == '?' || value == ':') {
			explain_getopt(command, &parser, value, argv);
			return -1;
		}
		parsed = parser_find(&parser, value);
		if (parsed->group < 0) {
			command_help(command);
			*status = EXIT_FINE;
			return -1;
		}
		if (command->groups[parsed->group]->set(states[parsed->group], parsed->option,
							optarg, &error)) {
			complain(&error);
			return -1;
		}
	}
	return optind;
}

int command_refuse_argument(const struct command *command, const char *argument, const char *hint)
{
	struct error error;

	return fail(error_set(&error, -EINVAL, "%s: unexpected \"%.80s\"; %s", command->name,
			      argument, hint),
		    &error);
}

/* "  -m, --map MAP        text", following lines of the text below the first. */
static void print_option(const struct cli_option *option)
{
	const char *text = option->help, *end;
	char left[40];

	snprintf(left, sizeof(left), "%c%c%c --%s%s%s", option->letter ? '-' : ' ',
		 option->letter ? option->letter : ' ', option->letter ? ',' : ' ', option->name,
		 option->argument ? " " : "", option->argument ? option->argument : "");
	while ((end = strchr(text, '\n'))) {
		printf("  %-24s %.*s\n", left, (int)(end - text), text);
		left[0] = '\0';
		text = end + 1;
	}
	printf("  %-24s %s\n", left, text);
}

void command_help(const struct command *command)
{
	printf("usage: mapsim %s [OPTION]...%s%s\n%s\n\noptions:\n", command->name,
	       command->arguments[0] ? " " : "", command->arguments, command->description);
	for (int i = 0; i < CLI_GROUPS_MAX && command->groups[i]; i++) {
		for (size_t n = 0; n < command->groups[i]->count; n++)
			print_option(&command->groups[i]->options[n]);
	}
	print_option(&help_option);
	if (command->print_more)
		command->print_more();
	printf("\nThe manual: man mapsim-%s, and man mapsim for what commands share.\n",
	       command->name);
}
