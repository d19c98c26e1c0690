/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How fast one thread reads this machine's memory, as a measure for what else reads much of it: a
 * plain sequential sum over a buffer that no cache holds.
 */
#ifndef SIM_BANDWIDTH_H
#define SIM_BANDWIDTH_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct bandwidth {
	uint64_t *words;
	size_t bytes;
};

/* Bytes that a machine takes whose largest cache has cache_bytes; 0: that is not known. */
uint64_t bandwidth_bytes(uint64_t cache_bytes);

/* Makes and touches the buffer. 0, or -ENOMEM with error. */
int bandwidth_init(struct bandwidth *bandwidth, uint64_t cache_bytes, struct error *error);

/* Takes a zeroed one, too. */
void bandwidth_deinit(struct bandwidth *bandwidth);

/*
 * Reads all of it once, on the calling thread, which takes some 10 ms. Returns bytes a second; of
 * several readings the median counts.
 */
double bandwidth_read(const struct bandwidth *bandwidth);

#endif
