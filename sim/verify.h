/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Verifying: traces through two engines at once, until they differ. */
#ifndef SIM_VERIFY_H
#define SIM_VERIFY_H

#include "sim/compare.h"
#include "sim/replay.h"

struct verify_result {
	uint64_t operations; /* that were compared */
	uint64_t entries;    /* at the end, where nothing differs */
	uint64_t trace_digest;
	double seconds;                       /* in both engines, and comparing */
	struct compare_difference difference; /* kind COMPARE_SAME: none */
};

/*
 * Replays config's traces in config's engine and in against, comparing every answer, and at the end
 * the order of iteration. Of options, progress and stop count. Returns 0, also when they differ; or
 * a negative errno with error: of a broken trace, an engine that refuses, -EINTR. The result is the
 * caller's to deinit in any case.
 */
int verify_run(const struct run_config *config, const struct engine *against,
	       const struct replay_options *options, struct verify_result *result,
	       struct error *error);
void verify_result_deinit(struct verify_result *result);

/*
 * Completes a config for a comparison: where one of both is the running kernel, release and CPUs
 * are its own. Another release may be given, but no fewer CPUs, of which a model would be another
 * map. Returns 0 or -EINVAL with error.
 */
int verify_finish_config(struct run_config *config, const struct engine *against,
			 struct error *error);

/*
 * Whether a finished config's operations have an order: CPUs that are threads meet by chance, and
 * answers cannot be compared one by one. Returns 0 or -EINVAL with error.
 */
int verify_check_order(const struct run_config *config, const struct engine *against,
		       struct error *error);

/* Adds the result's fields in their fixed order, behind config_record()'s. */
void verify_record(const struct verify_result *result, const struct engine *against,
		   struct record *record);

/* Adds what is told of a difference, or the same fields for none. */
void verify_record_difference(const struct compare_difference *difference, struct record *record);

#endif
