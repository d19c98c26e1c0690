/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A clock for short times: the CPU's counter where it runs evenly and is the same on all CPUs, else
 * the system's monotonic clock, in nanoseconds.
 */
#ifndef BASE_TICKS_H
#define BASE_TICKS_H

#include <stdint.h>

/* Now, in ticks, once all before it is done. The same on all CPUs; after ticks_init(). */
uint64_t ticks_now(void);

/*
 * Chooses the clock and measures it, which takes some 20 ms the first time. Any thread; to be
 * called before the others.
 */
void ticks_init(void);

/* Nanoseconds of one tick. */
double ticks_ns(void);

/* What reading the clock takes: the least distance of two readings, in ticks. */
uint64_t ticks_cost(void);

#endif
