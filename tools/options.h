/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Options that several commands share. */
#ifndef TOOLS_OPTIONS_H
#define TOOLS_OPTIONS_H

#include "sim/config.h"
#include "tools/command.h"
#include "tools/output.h"

/* -m -k -s -c -e -p --spread --seed --preload --check: state is a struct run_config. */
extern const struct cli_group run_options;

/* -c -p --spread --seed: what a trace alone needs; state is a struct run_config. */
extern const struct cli_group trace_options;

/* -o -q: state is a struct output_options. */
extern const struct cli_group output_group;

struct output_options {
	enum output_format format;
	bool quiet;
};

/*
 * Completes the config of a run with its traces, and says on stderr what "host" was taken as unless
 * quiet. 0, or -EINVAL with error: no map or no trace.
 */
int options_finish_run(struct run_config *config, const struct output_options *output, int argc,
		       char **argv, struct error *error);

#endif
