/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What there is to know of a trace, in one pass and in bounded memory.
 *
 * Counts of operations are exact. What is said of keys is exact up to TRACE_INFO_KEYS distinct ones
 * and estimated beyond, from a sample of them (sample.h) and the most used ones (popular.h). An
 * estimate stands with its standard error; an error of 0 says exact.
 */
#ifndef TRACES_INFO_H
#define TRACES_INFO_H

#include <stdint.h>

#include "base/op.h"

#define TRACE_INFO_KEYS ((size_t)1 << 20)

struct estimate {
	double value;
	double error; /* standard error; 0: the value is exact */
};

enum info_top { TOP_1, TOP_10, TOP_100, TOP_PERCENT, TOP_10_PERCENT, INFO_TOPS };
enum info_quantile { REUSE_P50, REUSE_P90, REUSE_P99, INFO_QUANTILES };

/* A run of operations of equal length each, but for the last. */
struct info_window {
	uint64_t first; /* number of its first operation */
	uint64_t operations;
	struct estimate distinct_keys;
	struct estimate new_keys; /* never used before */
};

#define INFO_WINDOWS_MAX 64

struct trace_info {
	uint64_t operations;
	uint64_t key_operations; /* all but batches, which have no key */
	uint64_t codes[OP_CODES];
	uint64_t contexts[OP_CONTEXTS];
	uint32_t cpus;      /* that have operations */
	uint32_t cpu_max;   /* the highest */
	uint64_t byte_keys; /* operations whose key is given as bytes */
	uint32_t longest_key_bytes;
	uint64_t trace_digest;
	struct estimate distinct_keys;
	struct estimate tops[INFO_TOPS];       /* share of key_operations */
	double zipf_theta;                     /* 0 also where there is nothing to tell it by */
	struct estimate first_uses;            /* share of key_operations */
	struct estimate reuse[INFO_QUANTILES]; /* other keys used since, of uses but the first */
	struct info_window windows[INFO_WINDOWS_MAX];
	unsigned int window_count; /* over 32, if there are as many operations */
};

struct info_pass;

/* keys_max is how many keys are exact, at least 4096. Returns 0 or -ENOMEM. */
int info_pass_create(size_t keys_max, struct info_pass **pass);
void info_pass_destroy(struct info_pass *pass);

/* Takes the next operations. Returns 0 or -ENOMEM. */
int info_pass_add(struct info_pass *pass, const struct op_batch *batch);

/* Tells of all that was taken. Returns 0 or -ENOMEM. */
int info_pass_end(const struct info_pass *pass, struct trace_info *info);

#endif
