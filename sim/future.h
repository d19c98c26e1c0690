/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The future of a trace's keys. */
#ifndef SIM_FUTURE_H
#define SIM_FUTURE_H

#include "base/error.h"
#include "base/op.h"

/*
 * For each operation of count traces, run one after the other: the index in the run of the next one
 * that looks up or updates the same key, or UINT64_MAX: none does, or only after a delete. Keys are
 * cut or filled with zeroes to key_size bytes, as in the map. Operations by cursor, and those that
 * ask for the next key, neither have a next use nor are one. *next_use is the caller's to free.
 * Returns 0 or -ENOMEM with error.
 */
int trace_next_use(const struct op_batch *traces, size_t count, uint32_t key_size,
		   uint64_t **next_use, struct error *error);

#endif
