/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Counting the elements of maps that do not preallocate: one shared word, or since 6.1, for maps
 * large against the number of CPUs, a per-CPU counter that goes to the shared word in batches.
 */
#ifndef MODEL_COUNT_H
#define MODEL_COUNT_H

#include <env.h>

struct elem_count_cpu {
	int64_t count;
} __attribute__((aligned(64)));

struct elem_count {
	int64_t total;
	struct elem_count_cpu *cpu_counts; /* NULL: total is exact */
	uint32_t cpus;
	uint32_t batch;
	bool adds_first;      /* the choice was atomic */
	struct env_lock lock; /* of batches on their way to total, and of sums */
};

/* Chooses between the two by choice and size. Returns 0 or -ENOMEM. */
int elem_count_init(struct elem_count *count, enum count_choice choice, uint32_t batch,
		    uint32_t max_entries, uint32_t cpus);
void elem_count_deinit(struct elem_count *count);

/*
 * Counts one more, or says that there are max already and counts none; what replaces another always
 * passes. The choice atomic adds and looks then, so max holds whatever runs at the same time, and
 * an insert may be refused for another that is refused. Others look and add then, as the kernel
 * since 6.1: CPUs that insert at the same time can each pass max by one.
 */
bool elem_count_take(struct elem_count *count, struct map_ctx *ctx, int64_t max,
		     bool is_replacement);
void elem_count_put(struct elem_count *count, struct map_ctx *ctx);

int64_t elem_count_sum(const struct elem_count *count);

#endif
