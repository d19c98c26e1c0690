// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* mapsim: the table of commands, and what they share on the way in and out. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/command.h"

const struct command *const commands[] = {
	&command_replay, &command_sweep, &command_trace, &command_kernels, &command_tunables, NULL,
};

volatile sig_atomic_t stop_requested;

static void request_stop(int signal)
{
	(void)signal;
	stop_requested = 1;
}

/* The first signal asks for an orderly end; the second one ends. */
static void catch_signals(void)
{
	struct sigaction action = {.sa_handler = request_stop, .sa_flags = (int)SA_RESETHAND};

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
}

void complain(const struct error *error)
{
	fprintf(stderr, "mapsim: %s\n", error->text[0] ? error->text : "failed");
}

int fail(int err, const struct error *error)
{
	if (err == -EINTR)
		return EXIT_INTERRUPTED;
	complain(error);
	return err == -EUCLEAN || err == -ENOSPC || err == -EIO ? EXIT_DIFFERENT : EXIT_USAGE;
}

static void print_usage(FILE *out)
{
	fputs("usage: mapsim COMMAND [OPTION]... [ARGUMENT]...\n"
	      "A laboratory for the kernel's BPF hash maps.\n\ncommands:\n",
	      out);
	for (int i = 0; commands[i]; i++)
		fprintf(out, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
	fputs("  help       this text, or that of a command\n"
	      "\noptions:\n"
	      "  -h, --help     this text; `mapsim COMMAND --help` tells of a command\n"
	      "  -V, --version  the version\n",
	      out);
}

static const struct command *command_find(const char *name)
{
	for (int i = 0; commands[i]; i++) {
		if (!strcmp(commands[i]->name, name))
			return commands[i];
	}
	return NULL;
}

/* What was printed must have arrived. */
static int finish_output(int status)
{
	if (fflush(stdout) || ferror(stdout)) {
		fprintf(stderr, "mapsim: standard output: %s\n", strerror(errno));
		return status ? status : EXIT_DIFFERENT;
	}
	return status;
}

static int run_help(int argc, char **argv)
{
	const struct command *command = argc > 2 ? command_find(argv[2]) : NULL;

	if (command) {
		command_help(command);
		return EXIT_FINE;
	}
	if (argc > 2) {
		fprintf(stderr, "mapsim: no command \"%s\"\n", argv[2]);
		print_usage(stderr);
		return EXIT_USAGE;
	}
	print_usage(stdout);
	return EXIT_FINE;
}

static int run(int argc, char **argv)
{
	const struct command *command;

	if (argc < 2) {
		print_usage(stderr);
		return EXIT_USAGE;
	}
	if (!strcmp(argv[1], "-h") || !strcmp(argv[1], "--help"))
		return run_help(1, argv);
	if (!strcmp(argv[1], "help"))
		return run_help(argc, argv);
	if (!strcmp(argv[1], "-V") || !strcmp(argv[1], "--version")) {
		puts("mapsim " VERSION);
		return EXIT_FINE;
	}
	command = command_find(argv[1]);
	if (!command) {
		fprintf(stderr, "mapsim: no command \"%s\"\n", argv[1]);
		print_usage(stderr);
		return EXIT_USAGE;
	}
	catch_signals();
	return command->run(command, argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
	return finish_output(run(argc, argv));
}
