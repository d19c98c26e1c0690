/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Random maps and random operations for them: what a seed and a number say, and nothing else. */
#ifndef SIM_FUZZ_H
#define SIM_FUZZ_H

#include "model/model.h"
#include "sim/config.h"

/* A map and what is done to it. Keys given as bytes may share their place in the arena. */
struct fuzz_case {
	struct map_attr attr;
	struct op_batch ops; /* without times and values */
};

/*
 * Makes the number-th case of a seed for cpus CPUs; operations are such that a real kernel has
 * them. The caller deinits it. Returns 0 or -ENOMEM; then there is nothing to deinit.
 */
int fuzz_case_init(struct fuzz_case *fuzz, uint64_t seed, uint64_t number, uint32_t cpus);
/*
 * The same, but few operations on a small map of like's type and flags with 8-byte keys: what to
 * look for when a difference is known and should be shown plainly.
 */
int fuzz_case_init_small(struct fuzz_case *fuzz, const struct map_attr *like, uint64_t seed,
			 uint64_t number, uint32_t cpus);

void fuzz_case_deinit(struct fuzz_case *fuzz);

/* A copy of a case's first count operations. Returns as above. */
int fuzz_case_copy(struct fuzz_case *copy, const struct fuzz_case *from, size_t count);

/* Gives the config the case's map. */
void fuzz_case_configure(const struct fuzz_case *fuzz, struct run_config *config);

#endif
