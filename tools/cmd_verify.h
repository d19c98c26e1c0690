/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the files of the command verify share. */
#ifndef TOOLS_CMD_VERIFY_H
#define TOOLS_CMD_VERIFY_H

#include "sim/config.h"
#include "tools/output.h"
#include "tools/progress.h"

struct verify_command {
	struct run_config config;
	const struct engine *against;
	uint64_t fuzz_seconds; /* 0: no fuzzing */
	uint64_t cases_max;
	uint64_t jobs; /* 0: not given */
	const char *save_path;
	uint64_t torture_seconds; /* 0: no torture */
	uint64_t operations;      /* of each of its pairs */
	bool own_pairs_only;
	bool is_concurrent; /* totals of all CPUs at the same time */
	enum output_format format;
	bool is_quiet;
	struct progress progress;
};

/* These run and print. They return an exit status. */
int verify_torture(struct verify_command *command);
int verify_totals(struct verify_command *command);

#endif
