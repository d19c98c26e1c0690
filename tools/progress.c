// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "base/system.h"

#define BAR_COLUMNS 30

void progress_init(struct progress *progress, const char *unit, bool is_quiet)
{
	*progress = (struct progress){
		.is_enabled = !is_quiet && isatty(STDERR_FILENO),
		.begin = system_seconds(),
		.unit = unit,
	};
}

static void draw_bar(const struct progress *progress, uint64_t done, uint64_t total, double taken)
{
	double part = (double)done / (double)total;
	int full = (int)(part * BAR_COLUMNS), left = 0;

	if (part > 0)
		left = (int)(taken / part - taken + 0.5);
	fprintf(stderr, "\r[%.*s%.*s] %3.0f%%  %" PRIu64 "/%" PRIu64 " %s  %d:%02d left\033[K",
		full, "##############################", BAR_COLUMNS - full,
		"..............................", part * 100, done, total, progress->unit,
		left / 60, left % 60);
}

void progress_update(struct progress *progress, uint64_t done, uint64_t total)
{
	double now;

	if (!progress->is_enabled)
		return;
	now = system_seconds();
	if (now - progress->begin < 1 || now - progress->last < 0.1)
		return;
	progress->last = now;
	progress->is_shown = true;
	if (total && done <= total)
		draw_bar(progress, done, total, now - progress->begin);
	else
		fprintf(stderr, "\r%" PRIu64 " %s  %.0f s\033[K", done, progress->unit,
			now - progress->begin);
}

void progress_end(struct progress *progress)
{
	if (progress->is_shown)
		fputs("\r\033[K", stderr);
	progress->is_shown = false;
}
