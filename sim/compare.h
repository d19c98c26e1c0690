/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Two engines side by side: the same operations in a map of the same config each, and every answer
 * compared. Nothing here knows which engines they are.
 */
#ifndef SIM_COMPARE_H
#define SIM_COMPARE_H

#include "sim/engine.h"

#define COMPARE_BATCH 4096 /* operations of one call of compare_batch() at most */

/* How two engines can differ. */
enum compare_kind {
	COMPARE_SAME,
	COMPARE_RETURN,
	COMPARE_DETAIL, /* a batch's count, or next_key's key */
	COMPARE_READ,   /* what was read, folded: values, and the keys of batches */
	COMPARE_ORDER,  /* of iteration, at the end */
	COMPARE_KINDS
};
extern const char *const compare_kind_names[COMPARE_KINDS]; /* "none", "return", ... */

struct compare_answer {
	int32_t ret;
	uint64_t detail;
	uint64_t read;
};

/* The first place where two engines differ. */
struct compare_difference {
	enum compare_kind kind;
	uint64_t index; /* of the operation in the run, or the place in the order; from 0 */
	struct compare_answer answers[2];
	uint64_t entries[2]; /* of COMPARE_ORDER: how many keys each has */
	uint64_t keys[2];    /* likewise: what stands at index, where it is below entries */
	char *text;          /* lines that show it with what is around; the difference's */
};

void compare_difference_deinit(struct compare_difference *difference);

/* A line without a newline saying what the difference is. Returns its length as snprintf does. */
int compare_describe(const struct compare_difference *difference,
		     const struct engine *const pair[2], char *text, size_t bytes);

struct compare;

/* For two engines; they may be the same. Returns 0 or -ENOMEM. */
int compare_create(const struct engine *first, const struct engine *second,
		   struct compare **compare);
void compare_destroy(struct compare *compare); /* NULL, too; ends what was begun */

/*
 * Makes both maps; the config's engine is disregarded, and by the running kernel also its release
 * and tunables. Returns 0, -ENOMEM when both do not fit in memory, or what an engine that refuses
 * says, with error. On an error nothing is begun.
 */
int compare_begin(struct compare *compare, const struct run_config *config, struct error *error);

/*
 * Runs a batch in both. Returns 0, a negative errno of an engine, or 1 with a difference, which is
 * the caller's to deinit; after that only compare_end() may follow.
 */
int compare_batch(struct compare *compare, const struct op_batch *batch,
		  struct compare_difference *difference, struct error *error);

/* Compares the order of iteration; returns as above. *entries gets how many keys there are. */
int compare_order(struct compare *compare, uint64_t *entries, struct compare_difference *difference,
		  struct error *error);

/* Closes both maps. */
void compare_end(struct compare *compare);

/* Begins, runs all of a batch of any size, compares the order and ends. Returns as above. */
int compare_all(struct compare *compare, const struct run_config *config,
		const struct op_batch *batch, struct compare_difference *difference,
		struct error *error);

#endif
