/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Traces as a whole in memory, and the future of their keys. */
#ifndef SIM_LOAD_H
#define SIM_LOAD_H

#include <signal.h>

#include "traces/trace.h"

/*
 * Reads what is left of a trace into all, which is the caller's to deinit, also after an error.
 * Returns 0, or a negative errno with error: the trace's; -ENOMEM; -EINTR once *stop is set (stop
 * may be NULL).
 */
int load_trace(struct trace_reader *reader, struct op_batch *all, const volatile sig_atomic_t *stop,
	       struct error *error);

/* Bytes that an operation takes once it is loaded, and its next use known. */
#define LOAD_OP_BYTES (sizeof(struct map_op) + sizeof(uint64_t))

/*
 * For each operation of count traces, run one after the other: the index in the run of the next one
 * that looks up or updates the same key, or UINT64_MAX: none does, or only after a delete. Keys are
 * cut or filled with zeroes to key_size bytes, as in the map. Operations by cursor, and those that
 * ask for the next key, neither have a next use nor are one. *next_use is the caller's to free.
 * Returns 0 or -ENOMEM with error.
 */
int load_next_use(const struct op_batch *traces, size_t count, uint32_t key_size,
		  uint64_t **next_use, struct error *error);

#endif
