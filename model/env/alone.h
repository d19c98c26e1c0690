/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the flavours share in which one operation follows another: words and bytes are read and
 * written as they are, and a grace period is over as soon as it is asked for.
 */
#ifndef MODEL_ENV_ALONE_H
#define MODEL_ENV_ALONE_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "model/model.h"

/*
 * Shared words, of 1 to 8 bytes. Read-modify-writes are acquire and release; env_add gives the new
 * value, the others the old one. env_cpu_add is for words that only this CPU writes.
 */
#define env_load(address) (*(address))
#define env_load_acquire(address) (*(address))
#define env_store(address, value) (*(address) = (value))
#define env_store_release(address, value) (*(address) = (value))
#define env_add(address, value) (*(address) += (value))
#define env_cpu_add(address, value) (*(address) += (value))

/* Stores desired where *expected is, and says so; else *expected gets what is there. */
#define env_cmpxchg(address, expected, desired)                                                    \
	(*(address) == *(expected) ? (*(address) = (desired), true)                                \
				   : (*(expected) = *(address), false))

static inline uint64_t env_fetch_or(uint64_t *address, uint64_t bits)
{
	uint64_t old = *address;

	*address = old | bits;
	return old;
}

static inline uint64_t env_fetch_and(uint64_t *address, uint64_t bits)
{
	uint64_t old = *address;

	*address = old & bits;
	return old;
}

/* Bytes of keys and values, which look-ups read without a lock; shared is 8-byte aligned. */
static inline void env_copy_in(void *shared, const void *from, size_t bytes)
{
	if (bytes == 8)
		memcpy(shared, from, 8);
	else
		memcpy(shared, from, bytes);
}

static inline void env_copy_out(void *to, const void *shared, size_t bytes)
{
	env_copy_in(to, shared, bytes);
}

static inline void env_clear(void *shared, size_t bytes)
{
	memset(shared, 0, bytes);
}

static inline bool env_equal(const void *shared, const void *other, size_t bytes)
{
	uint64_t a, b;

	if (bytes != 8)
		return !memcmp(shared, other, bytes);
	memcpy(&a, shared, 8);
	memcpy(&b, other, 8);
	return a == b;
}

/*
 * Grace periods: what readers without locks may still stand on can be reused once one has passed
 * that was asked for after it was taken away. Asking gives a ticket for one that begins now.
 */
/* Before the first is asked for. 0, or a negative errno. */
static inline int env_grace_begin(void)
{
	return 0;
}

static inline uint64_t env_grace_ask(void)
{
	return 0;
}

static inline bool env_grace_is_over(uint64_t ticket)
{
	(void)ticket;
	return true;
}

static inline void env_thread_begin(struct map_ctx *ctx)
{
	(void)ctx;
}

static inline void env_thread_end(struct map_ctx *ctx)
{
	(void)ctx;
}

static inline void env_thread_quiet(struct map_ctx *ctx)
{
	(void)ctx;
}

static inline void env_touch(const void *address, size_t bytes, bool is_write)
{
	(void)address;
	(void)bytes;
	(void)is_write;
}

static inline void env_preempt(struct map_ctx *ctx)
{
	(void)ctx;
}

#endif
