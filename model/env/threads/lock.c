// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Queued spin locks of 4 bytes, plain and resilient.
 *
 * After the kernel's (4.2): the word is a byte that says locked, a bit for one waiter who watches
 * that byte (pending), and 16 bits that name the last waiter of a queue, each of whom watches a
 * line of its own (Mellor-Crummey and Scott, "Algorithms for Scalable Synchronization on
 * Shared-Memory Multiprocessors", 1991). Resilient ones (6.15) look their thread's table of held
 * locks up while they wait: a lock it holds itself, or one whose holder waits for a lock it holds,
 * is -EDEADLK; a wait longer than map_ctx.lock_timeout_ns is -ETIMEDOUT. When the head of a queue
 * gives up so do all behind it.
 *
 * Deviation: the kernel's waiters cannot be preempted, these can. So they give the processor up
 * after a while.
 */
#include <env.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>

#include "base/cpu.h"

#define LOCKED 1u
#define PENDING 0x100u
#define TAIL_SHIFT 16
#define TAIL_MASK (~0u << TAIL_SHIFT)

#define SPINS_BEFORE_YIELD 64u
#define SPINS_PER_CHECK 1024u /* of a resilient lock's waiter */
#define HELD_MAX 16           /* more than there are ranks */

enum wait_state { WAITS, IS_HEAD, GIVES_UP };

/* What belongs to a thread: its place in one queue, and the resilient locks it holds. */
struct slot {
	struct slot *next; /* behind it in the queue; of a free slot: another one */
	uint32_t state;    /* enum wait_state */
	const struct env_lock *waits_for;
	uint32_t held_count;
	const struct env_lock *held[HELD_MAX];
} __attribute__((aligned(128)));

/* Number n is named n + 1 in a word. */
#define SLOTS_MAX 8192
static struct slot slots[SLOTS_MAX];
static uint32_t slots_used;
static struct slot *slots_free;
static pthread_mutex_t slots_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_key_t slot_key;
static pthread_once_t slot_key_once = PTHREAD_ONCE_INIT;
static __thread struct slot *own_slot;

/*
 * next is atomic also here: the next owner's place in a queue reaches who stands behind it through
 * a word whose low byte is stored alone, which is more than C's order of memory can follow.
 */
static void slot_put(void *slot)
{
	struct slot *free = slot;

	pthread_mutex_lock(&slots_mutex);
	env_store(&free->next, slots_free);
	slots_free = free;
	pthread_mutex_unlock(&slots_mutex);
}

static void slot_key_make(void)
{
	if (pthread_key_create(&slot_key, slot_put))
		abort();
}

/* A slot until this thread ends. More threads than slots are a mistake of the caller's. */
static struct slot *slot_get(void)
{
	struct slot *slot;

	pthread_once(&slot_key_once, slot_key_make);
	pthread_mutex_lock(&slots_mutex);
	slot = slots_free;
	if (slot)
		slots_free = env_load(&slot->next);
	else if (slots_used < SLOTS_MAX)
		slot = &slots[env_add(&slots_used, 1) - 1];
	pthread_mutex_unlock(&slots_mutex);
	if (!slot || pthread_setspecific(slot_key, slot))
		abort();
	own_slot = slot;
	return slot;
}

static inline struct slot *slot_mine(void)
{
	return __builtin_expect(own_slot != NULL, 1) ? own_slot : slot_get();
}

static uint32_t slot_tail(const struct slot *slot)
{
	return (uint32_t)(slot - slots + 1) << TAIL_SHIFT;
}

static struct slot *slot_of_tail(uint32_t word)
{
	return &slots[(word >> TAIL_SHIFT) - 1];
}

/* A wait: how long it has lasted, and when it has to end. */
struct waiting {
	const struct env_lock *lock;
	const struct map_ctx *ctx;
	enum lock_kind kind;
	uint32_t spins;
	uint64_t since_ns;
};

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static bool slot_holds(const struct slot *slot, const struct env_lock *lock)
{
	uint32_t count = env_load(&slot->held_count);

	for (uint32_t i = 0; i < count && i < HELD_MAX; i++) {
		if (env_load(&slot->held[i]) == lock)
			return true;
	}
	return false;
}

/* Whether somebody holds the lock and waits for one that this thread holds. */
static bool is_ab_ba(const struct env_lock *lock)
{
	uint32_t count = env_load(&slots_used);

	for (uint32_t i = 0; i < count; i++) {
		const struct env_lock *wanted = env_load(&slots[i].waits_for);

		if (&slots[i] != own_slot && wanted && slot_holds(&slots[i], lock) &&
		    slot_holds(own_slot, wanted))
			return true;
	}
	return false;
}

/* Once in a while: 0, or why to wait no longer. */
static int waiting_check(struct waiting *waiting)
{
	uint64_t now = now_ns();

	if (!waiting->since_ns)
		waiting->since_ns = now;
	if (is_ab_ba(waiting->lock))
		return -EDEADLK;
	if (waiting->ctx->lock_timeout_ns &&
	    now - waiting->since_ns > waiting->ctx->lock_timeout_ns)
		return -ETIMEDOUT;
	return 0;
}

static int waiting_spin(struct waiting *waiting)
{
	cpu_pause();
	waiting->spins++;
	if (waiting->spins % SPINS_BEFORE_YIELD == 0)
		sched_yield();
	if (waiting->kind == LOCK_RESILIENT && waiting->spins % SPINS_PER_CHECK == 0)
		return waiting_check(waiting);
	return 0;
}

/* The first waiter, who watches the word: -EAGAIN when it is not the first. */
static int wait_pending(struct env_lock *lock, struct waiting *waiting)
{
	uint32_t word = env_load(&lock->word);
	int err = 0;

	if (word & ~LOCKED)
		return -EAGAIN;
	word = __atomic_fetch_or(&lock->word, PENDING, __ATOMIC_ACQUIRE);
	if (word & ~LOCKED) {
		if (!(word & PENDING))
			__atomic_fetch_and(&lock->word, ~PENDING, __ATOMIC_RELAXED);
		return -EAGAIN;
	}
	while (env_load_acquire(&lock->is_locked) && !err)
		err = waiting_spin(waiting);
	if (err)
		__atomic_fetch_and(&lock->word, ~PENDING, __ATOMIC_RELAXED);
	else
		__atomic_fetch_sub(&lock->word, PENDING - LOCKED, __ATOMIC_ACQUIRE);
	return err;
}

/* Tells who stands behind in the queue; it may still be on its way. */
static void slot_tell_next(struct slot *slot, enum wait_state state)
{
	struct slot *next;

	for (uint32_t spins = 1; !(next = env_load_acquire(&slot->next)); spins++) {
		cpu_pause();
		if (spins % SPINS_BEFORE_YIELD == 0)
			sched_yield();
	}
	env_store_release(&next->state, (uint32_t)state);
}

/* Leaves the queue as its head without the lock; so do all behind. */
static void queue_give_up(struct env_lock *lock, struct slot *slot)
{
	uint32_t word = env_load(&lock->word);

	while ((word & TAIL_MASK) == slot_tail(slot)) {
		if (__atomic_compare_exchange_n(&lock->word, &word, word & ~TAIL_MASK, false,
						__ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			return;
	}
	slot_tell_next(slot, GIVES_UP);
}

/* The head of the queue takes the lock once nobody has it and nobody is pending. */
static int queue_take(struct env_lock *lock, struct slot *slot, struct waiting *waiting)
{
	uint32_t word;
	int err = 0;

	while ((word = env_load_acquire(&lock->word)) & ~TAIL_MASK && !err)
		err = waiting_spin(waiting);
	if (err) {
		queue_give_up(lock, slot);
		return err;
	}
	/* Who tries to be pending may have set that bit, and will take it back. */
	while ((word & TAIL_MASK) == slot_tail(slot)) {
		if (__atomic_compare_exchange_n(&lock->word, &word, (word & ~TAIL_MASK) | LOCKED,
						false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			return 0;
	}
	__atomic_fetch_or(&lock->word, LOCKED, __ATOMIC_ACQUIRE);
	slot_tell_next(slot, IS_HEAD);
	return 0;
}

static int wait_in_queue(struct env_lock *lock, struct waiting *waiting)
{
	struct slot *slot = slot_mine();
	uint32_t word = env_load(&lock->word), state = IS_HEAD;

	env_store(&slot->next, NULL);
	env_store(&slot->state, WAITS);
	while (!__atomic_compare_exchange_n(&lock->word, &word,
					    (word & ~TAIL_MASK) | slot_tail(slot), false,
					    __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		;
	if (word & TAIL_MASK) {
		env_store_release(&slot_of_tail(word)->next, slot);
		while ((state = env_load_acquire(&slot->state)) == WAITS) {
			cpu_pause();
			if (++waiting->spins % SPINS_BEFORE_YIELD == 0)
				sched_yield();
		}
	}
	if (state == GIVES_UP) {
		queue_give_up(lock, slot);
		return -ETIMEDOUT;
	}
	return queue_take(lock, slot, waiting);
}

static int lock_slowly(struct env_lock *lock, struct map_ctx *ctx, enum lock_rank rank,
		       enum lock_kind kind)
{
	struct waiting waiting = {.lock = lock, .ctx = ctx, .kind = kind};
	int err;

	ctx->lock_waits[rank]++;
	err = wait_pending(lock, &waiting);
	return err == -EAGAIN ? wait_in_queue(lock, &waiting) : err;
}

void env_lock_wait(struct env_lock *lock, struct map_ctx *ctx, enum lock_rank rank)
{
	lock_slowly(lock, ctx, rank, LOCK_RAW);
}

static void slot_add_held(struct slot *slot, const struct env_lock *lock)
{
	if (slot->held_count < HELD_MAX)
		env_store(&slot->held[slot->held_count], lock);
	env_store(&slot->held_count, slot->held_count + 1);
}

int env_lock_resilient(struct env_lock *lock, struct map_ctx *ctx, enum lock_rank rank)
{
	struct slot *slot = slot_mine();
	int err;

	if (!lock_is_free(lock)) {
		if (slot_holds(slot, lock))
			return -EDEADLK;
		env_store(&slot->waits_for, lock);
		err = lock_slowly(lock, ctx, rank, LOCK_RESILIENT);
		env_store(&slot->waits_for, NULL);
		if (err)
			return err;
	}
	slot_add_held(slot, lock);
	return 0;
}

int env_trylock_resilient(struct env_lock *lock)
{
	if (!lock_is_free(lock))
		return -EBUSY;
	slot_add_held(slot_mine(), lock);
	return 0;
}

/* Mostly the last one that was taken. */
void env_unlock_resilient(struct env_lock *lock)
{
	struct slot *slot = slot_mine();
	uint32_t last = slot->held_count - 1, i = last;

	while (i && i < HELD_MAX && slot->held[i] != lock)
		i--;
	if (i < last && last < HELD_MAX)
		env_store(&slot->held[i], slot->held[last]);
	env_store(&slot->held_count, last);
}

/* NOLINTNEXTLINE(readability-non-const-parameter): the bit is set in *word */
void env_lock_bit_wait(uintptr_t *word, uintptr_t bit, struct map_ctx *ctx, enum lock_rank rank)
{
	struct waiting waiting = {.ctx = ctx, .kind = LOCK_RAW};

	ctx->lock_waits[rank]++;
	do {
		while (env_load(word) & bit)
			waiting_spin(&waiting);
	} while (__atomic_fetch_or(word, bit, __ATOMIC_ACQUIRE) & bit);
}
