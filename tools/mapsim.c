// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* mapsim: the table of commands, and what they share on the way in and out. */
#include <errno.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/words.h"
#include "tools/command.h"

const struct command *const commands[] = {
	&command_replay,  &command_sweep,    &command_bench, &command_verify, &command_trace,
	&command_kernels, &command_tunables, &command_topo,  &command_fold,   NULL,
};

/*
 * A signal asks for an orderly end, which leaves nothing half written. Another one, a second or
 * more later (some senders send twice), ends at once.
 */
static void request_stop(int signal)
{
	static time_t asked;
	int saved_errno = errno;
	time_t now = time(NULL);

	if (stop_requested && now > asked + 1)
		_exit(128 + signal);
	if (!stop_requested)
		asked = now;
	stop_requested = signal;
	errno = saved_errno;
}

static void catch_signals(void)
{
	struct sigaction action = {.sa_handler = request_stop};

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
	/* A reader that went away, and a file too large, are outputs that cannot be written. */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
}

static void print_usage(FILE *out)
{
	fputs("usage: mapsim COMMAND [OPTION]... [ARGUMENT]...\n"
	      "A laboratory for the kernel's BPF hash maps.\n\ncommands:\n",
	      out);
	for (int i = 0; commands[i]; i++)
		fprintf(out, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
	fputs("\noptions:\n"
	      "  -h, --help     this text; `mapsim help COMMAND` tells of a command\n"
	      "  -V, --version  the version\n"
	      "\nThe manual: man mapsim.\n",
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

/* A word where a command was expected. */
static int refuse_command(const char *name)
{
	struct word_guess guess;

	word_guess_init(&guess, name);
	for (int i = 0; commands[i]; i++)
		word_guess_offer(&guess, commands[i]->name);
	if (guess.name) {
		fprintf(stderr, "mapsim: no command \"%s\"; did you mean %s?\n", name, guess.name);
		return EXIT_USAGE;
	}
	fprintf(stderr, "mapsim: no command \"%s\"\n", name);
	print_usage(stderr);
	return EXIT_USAGE;
}

/* An option where a command was expected; the command may stand behind it. */
static int refuse_option(int argc, char **argv)
{
	const char *name = "COMMAND";

	for (int i = 2; i < argc; i++) {
		const struct command *command = command_find(argv[i]);

		if (!command)
			continue;
		name = command->name;
		break;
	}
	fprintf(stderr, "mapsim: %s: options come after the command: mapsim %s %s ...\n", argv[1],
		name, argv[1]);
	return EXIT_USAGE;
}

static bool reader_is_gone(void)
{
	struct pollfd output = {.fd = STDOUT_FILENO};

	return poll(&output, 1, 0) > 0 && output.revents & POLLERR;
}

/* What was printed must have arrived. */
static int finish_output(int status)
{
	bool is_lost;

	errno = 0;
	is_lost = fflush(stdout) || ferror(stdout);
	if (!is_lost || status)
		return status;
	/* An error of before has left no errno. */
	if (!errno && reader_is_gone())
		errno = EPIPE;
	/* As after `mapsim ... | head`: who no longer reads need not be told. */
	if (errno != EPIPE)
		fprintf(stderr, "mapsim: standard output: %s\n",
			errno ? strerror(errno) : "not all could be written");
	return EXIT_DIFFERENT;
}

static int run_help(int argc, char **argv)
{
	const struct command *command = argc > 2 ? command_find(argv[2]) : NULL;

	if (argc > 2 && (!strcmp(argv[2], "-h") || !strcmp(argv[2], "--help")))
		argc = 2;

	if (argc > 3) {
		fprintf(stderr, "mapsim: help takes one command, not \"%s\" too\n", argv[3]);
		return EXIT_USAGE;
	}
	if (command) {
		command_help(command);
		return EXIT_FINE;
	}
	if (argc > 2)
		return refuse_command(argv[2]);
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
	if (!command)
		return argv[1][0] == '-' ? refuse_option(argc, argv) : refuse_command(argv[1]);
	catch_signals();
	return command->run(command, argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
	return finish_output(run(argc, argv));
}
