/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Every number and choice of the model that a release sets and a user can override.
 *
 * The table in tunables.c describes each: name, range, meaning. A release's defaults come from
 * kernels.c. TUNABLE_AUTO stands for "by the map's type", resolved when a map is created.
 */
#ifndef MODEL_TUNABLES_H
#define MODEL_TUNABLES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

#define TUNABLE_AUTO UINT64_MAX

enum populate_choice { POPULATE_OLD, POPULATE_EVEN };
enum count_choice { COUNT_ATOMIC, COUNT_PERCPU, COUNT_ADAPTIVE };
enum free_target_choice { FREE_TARGET_FIXED, FREE_TARGET_BY_SIZE };
enum list_lock_choice { LIST_LOCK_RAW, LIST_LOCK_RESILIENT };
enum map_types_choice { MAP_TYPES_HASH, MAP_TYPES_PERCPU, MAP_TYPES_LRU };

enum tunable_id {
	TUNE_SEED,
	TUNE_HASH_INIT,
	TUNE_LOCK,
	TUNE_ALLOC,
	TUNE_ROTATION,
	TUNE_NR_SCANS,
	TUNE_COMMON_NR_SCANS,
	TUNE_PERCPU_NR_SCANS,
	TUNE_FREE_TARGET,
	TUNE_FREE_TARGET_RULE,
	TUNE_FREE_TARGET_MIN,
	TUNE_FREE_TARGET_MAX,
	TUNE_SYS_LOOKUP_MARKS,
	TUNE_POPULATE,
	TUNE_SKIP_EMPTY,
	TUNE_SPARES,
	TUNE_COUNT,
	TUNE_COUNT_BATCH,
	TUNE_IDA_SIZE,
	TUNE_IDA_BATCH,
	TUNE_BITMAP_ALIGNED,
	TUNE_CACHE_LOW,
	TUNE_CACHE_HIGH,
	TUNE_CACHE_PREFILL,
	TUNE_CACHE_OBJECT_BYTES,
	TUNE_LOCK_CLASSES,
	TUNE_LOCK_TIMEOUT_NS,
	TUNE_FREE_LIST_LOCK,
	TUNE_LRU_LOCK,
	TUNE_NMI_TRYLOCK,
	TUNE_ELEM_LIMIT_BYTES,
	TUNE_PERCPU_VALUE_LIMIT_BYTES,
	TUNE_MAX_ENTRIES_LIMIT,
	TUNE_MAP_TYPES,
	TUNE_NO_PREALLOC,
	TUNE_NUMA_NODE,
	TUNE_SYS_LOOKUP_AND_DELETE,
	TUNE_BATCH,
	TUNE_LOOKAHEAD,
	TUNABLES
};

/* All values are unsigned numbers; choices hold the index of a name. */
struct tunables {
	uint64_t values[TUNABLES];
};

struct tunable {
	const char *name;
	const char *summary;
	uint64_t min, max;
	const char *const *names; /* of choices, NULL-terminated; NULL for numbers and policies */
	const char *auto_name;    /* the word for TUNABLE_AUTO; NULL where it is no value */
};

const struct tunable *tunable_get(enum tunable_id id);

/*
 * The name of a choice's n-th value: from the table, or of the policies behind a seam. NULL past
 * the last, and for tunables that are numbers.
 */
const char *tunable_choice(enum tunable_id id, uint64_t n);

/* What the n-th policy behind a seam does; NULL past the last, and for other tunables. */
const char *tunable_choice_summary(enum tunable_id id, uint64_t n);

/* The id of a name, or -ENOENT with error naming the one that was meant, or all. */
int tunable_find(const char *name, struct error *error);

/* Parses a value and sets it. Returns 0, or -EINVAL with error naming what is valid. */
int tunable_set(struct tunables *set, enum tunable_id id, const char *value, struct error *error);

/* Writes a value as the user would; text needs TUNABLE_TEXT_BYTES. Returns text. */
#define TUNABLE_TEXT_BYTES 32
const char *tunable_format(enum tunable_id id, uint64_t value, char *text);

static inline uint64_t tunable_value(const struct tunables *tunables, enum tunable_id id)
{
	return tunables->values[id];
}

#endif
