/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the system has. */
#ifndef BASE_SYSTEM_H
#define BASE_SYSTEM_H

#include <stdint.h>

/*
 * Bytes of memory that can be had without swapping, or UINT64_MAX when the system does not say. It
 * grants more than it has and kills who uses it, so large needs are checked against this first.
 */
uint64_t system_memory_available(void);

/* Seconds that pass, from some moment on. */
double system_seconds(void);

#endif
