// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Locks and grace periods where threads take them at the same time: they keep each other out, say
 * what they refuse, and nobody waits for ever. Only in the flavour of threads.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <env.h>

#include "tests/unit/test_map.h"

#define THREADS 4
#define ROUNDS 20000
#define SHORT_TIMEOUT_NS 20000000u
#define RANK RANK_BUCKET

static bool is_parallel(void)
{
	static bool is_said;

	if (!ENV_PARALLEL && !is_said)
		printf("# skipped: all of env_threads: flavour %s has no threads\n", ENV_NAME);
	is_said = true;
	return ENV_PARALLEL;
}

/* What the threads of a test share. */
struct shared {
	struct env_lock lock, other;
	uintptr_t word;
	enum lock_kind kind;
	bool is_bit, tries;
	uint64_t count; /* under the lock, without an atomic access */
	uint32_t stage;
	int err;
};

static void run_threads(struct shared *shared, void *(*work)(void *), int count)
{
	pthread_t threads[THREADS];

	for (int i = 0; i < count; i++)
		CU_ASSERT_EQUAL_FATAL(pthread_create(&threads[i], NULL, work, shared), 0);
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
}

static void wait_for_stage(struct shared *shared, uint32_t stage)
{
	while (env_load_acquire(&shared->stage) < stage)
		sched_yield();
}

static void *count_work(void *arg)
{
	struct shared *shared = arg;
	struct map_ctx ctx = {.cpu = 0};

	for (int i = 0; i < ROUNDS; i++) {
		if (shared->is_bit) {
			env_lock_bit(&shared->word, 2, &ctx, RANK);
			shared->count++;
			env_unlock_bit(&shared->word, 2, &ctx, RANK);
			continue;
		}
		while (shared->tries && i % 2 ? env_trylock(&shared->lock, &ctx, RANK, shared->kind)
					      : env_lock(&shared->lock, &ctx, RANK, shared->kind))
			sched_yield();
		shared->count++;
		env_unlock(&shared->lock, &ctx, RANK, shared->kind);
	}
	return NULL;
}

static void check_exclusion(enum lock_kind kind, bool is_bit, bool tries)
{
	struct shared shared = {.kind = kind, .is_bit = is_bit, .tries = tries, .word = 5};

	run_threads(&shared, count_work, THREADS);
	CU_ASSERT_EQUAL(shared.count, THREADS * ROUNDS);
	CU_ASSERT_EQUAL(shared.word, 5);
}

static void test_exclusion(void)
{
	if (!is_parallel())
		return;
	for (int tries = 0; tries < 2; tries++) {
		check_exclusion(LOCK_RAW, false, tries);
		check_exclusion(LOCK_RESILIENT, false, tries);
	}
	check_exclusion(LOCK_RAW, true, false);
}

/* Who holds a resilient lock already does not wait for it. */
static void test_self_deadlock(void)
{
	struct shared shared = {.kind = LOCK_RESILIENT};
	struct map_ctx ctx = {.cpu = 0};

	if (!is_parallel())
		return;
	for (int i = 0; i < 3; i++) {
		CU_ASSERT_EQUAL(env_lock(&shared.lock, &ctx, RANK, LOCK_RESILIENT), 0);
		CU_ASSERT_EQUAL(env_lock(&shared.other, &ctx, RANK, LOCK_RESILIENT), 0);
		CU_ASSERT_EQUAL(env_lock(&shared.lock, &ctx, RANK, LOCK_RESILIENT), -EDEADLK);
		CU_ASSERT_EQUAL(env_trylock(&shared.lock, &ctx, RANK, LOCK_RESILIENT), -EBUSY);
		/* In whatever order they are given back. */
		env_unlock(i ? &shared.lock : &shared.other, &ctx, RANK, LOCK_RESILIENT);
		env_unlock(i ? &shared.other : &shared.lock, &ctx, RANK, LOCK_RESILIENT);
	}
}

static void *wait_work(void *arg)
{
	struct shared *shared = arg;
	struct map_ctx ctx = {.cpu = 1, .lock_timeout_ns = SHORT_TIMEOUT_NS};

	if (env_lock(&shared->lock, &ctx, RANK, LOCK_RESILIENT) == -ETIMEDOUT)
		env_add(&shared->count, 1);
	else
		env_unlock(&shared->lock, &ctx, RANK, LOCK_RESILIENT);
	return NULL;
}

/* All who wait give up, the pending one and those who queue; then the lock is as before. */
static void test_timeout(void)
{
	struct shared shared = {.kind = LOCK_RESILIENT};
	struct map_ctx ctx = {.cpu = 0};

	if (!is_parallel())
		return;
	CU_ASSERT_EQUAL(env_lock(&shared.lock, &ctx, RANK, LOCK_RESILIENT), 0);
	run_threads(&shared, wait_work, THREADS);
	CU_ASSERT_EQUAL(shared.count, THREADS);
	env_unlock(&shared.lock, &ctx, RANK, LOCK_RESILIENT);
	run_threads(&shared, wait_work, THREADS);
	CU_ASSERT_EQUAL(shared.count, THREADS);
	CU_ASSERT_EQUAL(env_lock(&shared.lock, &ctx, RANK, LOCK_RESILIENT), 0);
	env_unlock(&shared.lock, &ctx, RANK, LOCK_RESILIENT);
}

/* Holds other, then wants lock, which the main thread holds while it wants other. */
static void *ab_ba_work(void *arg)
{
	struct shared *shared = arg;
	struct map_ctx ctx = {.cpu = 1};

	shared->err = env_lock(&shared->other, &ctx, RANK, LOCK_RESILIENT);
	env_store_release(&shared->stage, 1);
	wait_for_stage(shared, 2);
	shared->err = env_lock(&shared->lock, &ctx, RANK, LOCK_RESILIENT);
	if (!shared->err)
		env_unlock(&shared->lock, &ctx, RANK, LOCK_RESILIENT);
	env_unlock(&shared->other, &ctx, RANK, LOCK_RESILIENT);
	return NULL;
}

/* One of two who wait for each other finds out, without a timeout. */
static void test_ab_ba(void)
{
	struct shared shared = {.kind = LOCK_RESILIENT};
	struct map_ctx ctx = {.cpu = 0};
	pthread_t thread;
	int err;

	if (!is_parallel())
		return;
	CU_ASSERT_EQUAL_FATAL(pthread_create(&thread, NULL, ab_ba_work, &shared), 0);
	wait_for_stage(&shared, 1);
	CU_ASSERT_EQUAL(env_lock(&shared.lock, &ctx, RANK, LOCK_RESILIENT), 0);
	env_store_release(&shared.stage, 2);
	err = env_lock(&shared.other, &ctx, RANK, LOCK_RESILIENT);
	if (!err)
		env_unlock(&shared.other, &ctx, RANK, LOCK_RESILIENT);
	env_unlock(&shared.lock, &ctx, RANK, LOCK_RESILIENT);
	pthread_join(thread, NULL);
	CU_ASSERT(err == -EDEADLK || shared.err == -EDEADLK);
}

static void *reader_work(void *arg)
{
	struct shared *shared = arg;
	struct map_ctx ctx = {.cpu = 1};

	test_ops->thread_begin(&ctx);
	env_store_release(&shared->stage, 1);
	wait_for_stage(shared, 2);
	test_ops->thread_quiet(&ctx);
	wait_for_stage(shared, 3);
	test_ops->thread_end(&ctx);
	return NULL;
}

/* A grace period is over once every reader was quiet, and not before. */
static void test_grace(void)
{
	struct shared shared = {.stage = 0};
	uint64_t ticket;
	pthread_t thread;

	if (!is_parallel())
		return;
	CU_ASSERT_EQUAL_FATAL(pthread_create(&thread, NULL, reader_work, &shared), 0);
	wait_for_stage(&shared, 1);
	CU_ASSERT_EQUAL(env_grace_begin(), 0);
	ticket = env_grace_ask();
	usleep(20000);
	CU_ASSERT_FALSE(env_grace_is_over(ticket));
	env_store_release(&shared.stage, 2);
	while (!env_grace_is_over(ticket))
		sched_yield();
	env_store_release(&shared.stage, 3);
	pthread_join(thread, NULL);
	/* With no reader left, too. */
	ticket = env_grace_ask();
	while (!env_grace_is_over(ticket))
		sched_yield();
}

CU_TestInfo env_threads_tests[] = {
	{"exclusion", test_exclusion},      {"a lock that is held already", test_self_deadlock},
	{"waiting too long", test_timeout}, {"waiting for each other", test_ab_ba},
	{"grace periods", test_grace},      CU_TEST_INFO_NULL,
};
