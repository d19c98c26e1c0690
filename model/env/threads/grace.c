// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Grace periods by liburcu (the QSBR flavour: readers say when they are quiet, and pay nothing
 * else). Who wants to free asks for a grace period and looks later whether it is over, as the
 * kernel's start_poll_synchronize_rcu(); a thread of its own waits for them, one after another,
 * each for all who asked before it began.
 */
#include <env.h>
#include <pthread.h>
#include <signal.h>
#include <urcu-qsbr.h>

/* Grace periods are numbered from 1. */
static struct {
	pthread_mutex_t mutex;
	pthread_cond_t wanted;
	bool is_begun;    /* under the mutex */
	uint64_t asked;   /* the last one that somebody wants; under the mutex when it grows */
	uint64_t started; /* the last one that began */
	uint64_t over;    /* the last one that ended */
} grace = {.mutex = PTHREAD_MUTEX_INITIALIZER, .wanted = PTHREAD_COND_INITIALIZER};

static void *grace_run(void *arg)
{
	(void)arg;
	for (;;) {
		pthread_mutex_lock(&grace.mutex);
		while (grace.asked <= grace.started)
			pthread_cond_wait(&grace.wanted, &grace.mutex);
		pthread_mutex_unlock(&grace.mutex);
		__atomic_store_n(&grace.started, grace.started + 1, __ATOMIC_SEQ_CST);
		synchronize_rcu();
		env_store_release(&grace.over, grace.started);
	}
	return NULL;
}

/* Signals are for the threads of the program. */
int env_grace_begin(void)
{
	sigset_t all, old;
	pthread_t thread;
	int err = 0;

	pthread_mutex_lock(&grace.mutex);
	if (!grace.is_begun) {
		sigfillset(&all);
		pthread_sigmask(SIG_SETMASK, &all, &old);
		err = -pthread_create(&thread, NULL, grace_run, NULL);
		pthread_sigmask(SIG_SETMASK, &old, NULL);
		grace.is_begun = !err;
		if (!err)
			pthread_detach(thread);
	}
	pthread_mutex_unlock(&grace.mutex);
	return err;
}

uint64_t env_grace_ask(void)
{
	uint64_t ticket;

	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	ticket = __atomic_load_n(&grace.started, __ATOMIC_SEQ_CST) + 1;
	if (env_load(&grace.asked) >= ticket)
		return ticket;
	pthread_mutex_lock(&grace.mutex);
	if (grace.asked < ticket) {
		env_store(&grace.asked, ticket);
		pthread_cond_signal(&grace.wanted);
	}
	pthread_mutex_unlock(&grace.mutex);
	return ticket;
}

bool env_grace_is_over(uint64_t ticket)
{
	return env_load_acquire(&grace.over) >= ticket;
}

/* Whether this thread has begun: one that runs a batch without is no reader, and not to be one. */
static __thread bool is_begun;

void env_thread_begin(struct map_ctx *ctx)
{
	(void)ctx;
	rcu_register_thread();
	is_begun = true;
}

void env_thread_end(struct map_ctx *ctx)
{
	(void)ctx;
	rcu_unregister_thread();
	is_begun = false;
}

void env_thread_quiet(struct map_ctx *ctx)
{
	(void)ctx;
	if (is_begun)
		rcu_quiescent_state();
}
