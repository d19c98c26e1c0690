/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A bar on standard error: only on a terminal, only for what takes more than a second. */
#ifndef TOOLS_PROGRESS_H
#define TOOLS_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
	bool is_enabled, is_shown;
	double begin, last; /* seconds */
	const char *unit;
};

void progress_init(struct progress *progress, const char *unit, bool is_quiet);

/* Draws at most ten times a second; total 0: only what is done can be told. */
void progress_update(struct progress *progress, uint64_t done, uint64_t total);

/* Wipes the bar. */
void progress_end(struct progress *progress);

#endif
