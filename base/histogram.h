/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A log-linear histogram, after G. Tene's HdrHistogram: every power of two is cut into as many
 * steps of the same width, so that a value is known to within 1/32 of itself whatever its size.
 */
#ifndef BASE_HISTOGRAM_H
#define BASE_HISTOGRAM_H

#include <stdint.h>

#define HISTOGRAM_STEP_BITS 5
#define HISTOGRAM_STEPS (1u << HISTOGRAM_STEP_BITS)
#define HISTOGRAM_VALUE_BITS 40 /* larger values count as the largest */
#define HISTOGRAM_SLOTS ((HISTOGRAM_VALUE_BITS - HISTOGRAM_STEP_BITS + 1) * HISTOGRAM_STEPS)

/* A zeroed one is empty. */
struct histogram {
	uint64_t count;
	uint64_t slots[HISTOGRAM_SLOTS];
};

void histogram_add(struct histogram *histogram, uint64_t value);

/* Adds all of from's values. */
void histogram_merge(struct histogram *histogram, const struct histogram *from);

/*
 * The value that a share (0..1) of all values does not exceed, as the largest of its slot; 0 when
 * there are no values.
 */
uint64_t histogram_quantile(const struct histogram *histogram, double share);

#endif
