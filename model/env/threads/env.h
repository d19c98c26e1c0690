/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The environment of real threads: a simulated CPU is a thread, which alone runs operations that
 * name that CPU. Shared words are C11 atomics, locks are queued spin locks of 4 bytes, as the
 * kernel's, and grace periods come from liburcu.
 *
 * What look-ups read without a lock (links, hashes, keys, values) others may be writing, by the
 * kernel's own design: an element is reused while a reader stands on it, who notices by the key or
 * by the end mark, or reads the new key's value. Here such bytes are read and written as relaxed
 * atomic words, so that these races are defined, and no others exist.
 */
#ifndef MODEL_ENV_H
#define MODEL_ENV_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define ENV_NS(name) threads_##name
#include "model/ns.h"

#include "model/env/memory.h"
#include "model/fault.h"
#include "model/lock_kinds.h"
#include "model/model.h"

#define ENV_NAME "threads"

enum {
	ENV_LOCKS = 1,
	ENV_PARALLEL = 1, /* whether CPUs run at the same time, as threads */
	ENV_CENSUS = 0,
	ENV_SHORTCUTS = 0,
	ENV_LOOKAHEAD = 0,
	ENV_FAULTS = 0, /* whether tests can plant faults, and make locks fail */
};

/* Shared words: see env/alone.h. */
#define env_load(address) __atomic_load_n(address, __ATOMIC_RELAXED)
#define env_load_acquire(address) __atomic_load_n(address, __ATOMIC_ACQUIRE)
#define env_store(address, value) __atomic_store_n(address, value, __ATOMIC_RELAXED)
#define env_store_release(address, value) __atomic_store_n(address, value, __ATOMIC_RELEASE)
#define env_add(address, value) __atomic_add_fetch(address, value, __ATOMIC_ACQ_REL)
#define env_cpu_add(address, value)                                                                \
	__extension__({                                                                            \
		__auto_type env_sum = env_load(address) + (value);                                 \
		env_store(address, env_sum);                                                       \
		env_sum;                                                                           \
	})

#define env_cmpxchg(address, expected, desired)                                                    \
	__atomic_compare_exchange_n(address, expected, desired, false, __ATOMIC_ACQ_REL,           \
				    __ATOMIC_ACQUIRE)

static inline uint64_t env_fetch_or(uint64_t *address, uint64_t bits)
{
	return __atomic_fetch_or(address, bits, __ATOMIC_ACQ_REL);
}

static inline uint64_t env_fetch_and(uint64_t *address, uint64_t bits)
{
	return __atomic_fetch_and(address, bits, __ATOMIC_ACQ_REL);
}

static inline void env_copy_in(void *shared, const void *from, size_t bytes)
{
	uint8_t *to = __builtin_assume_aligned(shared, 8);
	const uint8_t *bytes_left = from;
	uint64_t word;

	for (; bytes >= 8; bytes -= 8, to += 8, bytes_left += 8) {
		memcpy(&word, bytes_left, 8);
		env_store((uint64_t *)to, word);
	}
	for (; bytes; bytes--)
		env_store(to++, *bytes_left++);
}

static inline void env_copy_out(void *to, const void *shared, size_t bytes)
{
	const uint8_t *from = __builtin_assume_aligned(shared, 8);
	uint8_t *bytes_left = to;
	uint64_t word;

	for (; bytes >= 8; bytes -= 8, from += 8, bytes_left += 8) {
		word = env_load((const uint64_t *)from);
		memcpy(bytes_left, &word, 8);
	}
	for (; bytes; bytes--)
		*bytes_left++ = env_load(from++);
}

static inline void env_clear(void *shared, size_t bytes)
{
	uint8_t *to = __builtin_assume_aligned(shared, 8);

	for (; bytes >= 8; bytes -= 8, to += 8)
		env_store((uint64_t *)to, 0);
	for (; bytes; bytes--)
		env_store(to++, 0);
}

static inline bool env_equal(const void *shared, const void *other, size_t bytes)
{
	const uint8_t *a = __builtin_assume_aligned(shared, 8), *b = other;
	uint64_t word;

	for (; bytes >= 8; bytes -= 8, a += 8, b += 8) {
		memcpy(&word, b, 8);
		if (env_load((const uint64_t *)a) != word)
			return false;
	}
	for (; bytes; bytes--) {
		if (env_load(a++) != *b++)
			return false;
	}
	return true;
}

static inline void env_prefetch(const void *address)
{
	(void)address;
}

static inline bool env_fault(enum fault fault)
{
	(void)fault;
	return false;
}

static inline void env_touch(const void *address, size_t bytes, bool is_write)
{
	(void)address;
	(void)bytes;
	(void)is_write;
}

static inline void env_preempt(struct map_ctx *ctx)
{
	if (__builtin_expect(ctx->delay != NULL, 0))
		ctx->delay(ctx);
}

/*
 * grace.c: see env/alone.h for grace periods. The thread that waits for them has the affinity of
 * the first that begins: who makes maps, which is bound nowhere.
 */
int env_grace_begin(void);
uint64_t env_grace_ask(void);
bool env_grace_is_over(uint64_t ticket);

/*
 * A thread that runs operations begins and ends, on itself; in between it says now and then that it
 * is quiet: it holds no pointer from a look-up. Grace periods wait for all that have begun.
 */
void env_thread_begin(struct map_ctx *ctx);
void env_thread_end(struct map_ctx *ctx);
void env_thread_quiet(struct map_ctx *ctx);

/* The low byte says whether it is locked; the rest, who waits (lock.c). */
struct env_lock {
	union {
		uint32_t word;
		uint8_t is_locked;
	};
};

_Static_assert(sizeof(struct env_lock) == 4, "as in the kernel");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "is_locked is the word's low byte");

/* lock.c: what env_lock() does when a lock is not free at once, and for resilient ones. */
void env_lock_wait(struct env_lock *lock, struct map_ctx *ctx, enum lock_rank rank);
int env_lock_resilient(struct env_lock *lock, struct map_ctx *ctx, enum lock_rank rank);
void env_unlock_resilient(struct env_lock *lock);
int env_trylock_resilient(struct env_lock *lock);
void env_lock_bit_wait(uintptr_t *word, uintptr_t bit, struct map_ctx *ctx, enum lock_rank rank);

static inline bool lock_is_free(struct env_lock *lock)
{
	uint32_t none = 0;

	return __atomic_compare_exchange_n(&lock->word, &none, 1, false, __ATOMIC_ACQUIRE,
					   __ATOMIC_RELAXED);
}

static inline int env_lock(struct env_lock *lock, struct map_ctx *ctx, enum lock_rank rank,
			   enum lock_kind kind)
{
	int err = 0;

	if (kind == LOCK_RESILIENT)
		err = env_lock_resilient(lock, ctx, rank);
	else if (!lock_is_free(lock))
		env_lock_wait(lock, ctx, rank);
	env_preempt(ctx);
	return err;
}

static inline int env_trylock(struct env_lock *lock, struct map_ctx *ctx, enum lock_rank rank,
			      enum lock_kind kind)
{
	(void)ctx;
	(void)rank;
	if (kind == LOCK_RESILIENT)
		return env_trylock_resilient(lock);
	return lock_is_free(lock) ? 0 : -EBUSY;
}

static inline void env_unlock(struct env_lock *lock, struct map_ctx *ctx, enum lock_rank rank,
			      enum lock_kind kind)
{
	(void)rank;
	if (kind == LOCK_RESILIENT)
		env_unlock_resilient(lock);
	__atomic_store_n(&lock->is_locked, 0, __ATOMIC_RELEASE);
	env_preempt(ctx);
}

/* A bit of a shared word as a test-and-set lock. The word's other bits are its holder's. */
static inline void env_lock_bit(uintptr_t *word, uintptr_t bit, struct map_ctx *ctx,
				enum lock_rank rank)
{
	if (__atomic_fetch_or(word, bit, __ATOMIC_ACQUIRE) & bit)
		env_lock_bit_wait(word, bit, ctx, rank);
}

static inline void env_unlock_bit(uintptr_t *word, uintptr_t bit, struct map_ctx *ctx,
				  enum lock_rank rank)
{
	(void)ctx;
	(void)rank;
	__atomic_fetch_and(word, ~bit, __ATOMIC_RELEASE);
}

#endif
