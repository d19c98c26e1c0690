/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Commands and their options, as data: parsing, --help and the agreement of man page and completion
 * with both all come from these tables. A command is one file cmd_NAME.c and a line in mapsim.c.
 */
#ifndef TOOLS_COMMAND_H
#define TOOLS_COMMAND_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* After a signal it is 128 and the signal's number: 130 after Ctrl-C. */
enum exit_status {
	EXIT_FINE = 0,
	EXIT_DIFFERENT = 1, /* the run found a difference, or an output could not be written */
	EXIT_USAGE = 2,     /* usage or bad input */
	EXIT_MISSING = 77,  /* this machine lacks what was asked for: root, BPF, CPUs */
};

struct cli_option {
	const char *name;     /* long, without the dashes */
	char letter;          /* 0: none */
	const char *argument; /* how --help calls it; NULL: takes none */
	const char *help;     /* lines of at most 60 columns */
};

/*
 * A group of options and what takes them. set() gets the state that the command gave for the group;
 * 0, or a negative errno with error.
 */
struct cli_group {
	const struct cli_option *options;
	size_t count;
	int (*set)(void *state, const struct cli_option *option, const char *value,
		   struct error *error);
};

#define CLI_GROUPS_MAX 8

struct command {
	const char *name;
	const char *arguments; /* after the options, in usage */
	const char *summary;
	const char *description; /* for --help; lines of at most 80 columns */
	const struct cli_group *groups[CLI_GROUPS_MAX];
	void (*print_more)(void); /* prints what --help has behind the options; or NULL */
	/* argv[0] is the command's name. Returns an exit status. */
	int (*run)(const struct command *command, int argc, char **argv);
};

extern const struct command command_bench, command_fold, command_kernels, command_replay,
	command_sweep, command_topo, command_trace, command_tunables, command_verify;

/* All, NULL-terminated, in the order of --help. */
extern const struct command *const commands[];

/*
 * Parses argv by the command's groups, giving states[i] to the i-th group. Returns the index of the
 * first argument that is no option; or -1 when the command is to end with *status (--help was
 * printed, or an error was).
 */
int command_parse(const struct command *command, int argc, char **argv, void *const *states,
		  int *status);

void command_help(const struct command *command);

/* Complains of an argument that is no option, and says what the command takes. Returns a status. */
int command_refuse_argument(const struct command *command, const char *argument, const char *hint);

/* 0, or the signal (SIGINT, SIGTERM, SIGHUP) that asked for an end. */
extern atomic_int stop_requested;

/* Prints "mapsim: text" to stderr. */
void complain(const struct error *error);

/* complain(), then the exit status that a negative errno from below stands for. */
int fail(int err, const struct error *error);

#endif
