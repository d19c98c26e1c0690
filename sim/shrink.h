/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Making a case that fails small: the fewest operations, then the plainest map and keys. */
#ifndef SIM_SHRINK_H
#define SIM_SHRINK_H

#include "sim/fuzz.h"

/* Whether a case fails: 1 or 0, or a negative errno, which ends the shrinking. */
typedef int shrink_test_fn(void *arg, const struct fuzz_case *fuzz);

/*
 * Shrinks a case that fails until no operation can be left out and nothing be simplified; it fails
 * at any time, also after an error. Returns 1, 0 when it did not fail to begin with, or a negative
 * errno: -ENOMEM, or what the test returned.
 */
int shrink_case(struct fuzz_case *fuzz, shrink_test_fn *test, void *arg);

/* How many different keys a case's operations have. */
size_t shrink_count_keys(const struct fuzz_case *fuzz);

#endif
