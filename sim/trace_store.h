/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Traces in memory. Runs of a sweep that read a trace under the same options share one copy of it,
 * which is read, or made, once.
 */
#ifndef SIM_TRACE_STORE_H
#define SIM_TRACE_STORE_H

#include <stdatomic.h>

#include "traces/trace.h"

/*
 * Reads a whole trace. all is the caller's to deinit, also after an error. charge, if not NULL, is
 * asked before memory is taken. Returns 0, -EFBIG when charge said no, -EINTR after a stop (which
 * may be NULL), or a negative errno with error, as trace_open() and trace_read().
 */
typedef bool trace_charge_fn(void *arg, uint64_t bytes);
int trace_load(const char *spec, const struct trace_options *options, const atomic_int *stop,
	       trace_charge_fn *charge, void *arg, struct op_batch *all, struct error *error);

/* Whether traces read under these are the same. */
bool trace_options_equal(const struct trace_options *a, const struct trace_options *b);

struct trace_store;

/* A store that takes up to so many bytes; NULL without memory. Destroy it when no trace is lent. */
struct trace_store *trace_store_create(uint64_t limit_bytes);
void trace_store_destroy(struct trace_store *store);

/*
 * Lends a trace to be read until trace_store_put(). Waits while another thread reads it. A trace
 * that nobody has makes room for others. Returns 0; -EFBIG when it does not fit, so that it has to
 * be streamed; or the errno, with error, for which it cannot be read. Any thread.
 */
int trace_store_get(struct trace_store *store, const char *spec,
		    const struct trace_options *options, const atomic_int *stop,
		    const struct op_batch **batch, struct error *error);
void trace_store_put(struct trace_store *store, const struct op_batch *batch);

#endif
