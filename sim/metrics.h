/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Figures of results that a replay and a benchmark have in common. */
#ifndef SIM_METRICS_H
#define SIM_METRICS_H

#include "base/record.h"
#include "model/model.h"

/* Adds a count, which may be COUNT_UNKNOWN. */
void metrics_record_count(struct record *record, const char *name, uint64_t count);

/* Adds what operations came to and what work it was: all of a CPU's counters but operations. */
void metrics_record_counters(const struct map_counters *counters, struct record *record);

struct engine;

/* What an engine knows of allocation, and its fields; COUNT_UNKNOWN where it knows nothing. */
void metrics_get_alloc(const struct engine *engine, void *state, struct map_alloc_stats *stats);
void metrics_record_alloc(const struct map_alloc_stats *stats, struct record *record);

#endif
