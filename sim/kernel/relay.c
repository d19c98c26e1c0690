// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sim/kernel/relay.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>

/* Times that a thread looks out for its turn before it goes to sleep: some 20 us. */
#define LOOK_OUTS 4000

struct member {
	struct relay *relay;
	pthread_t thread;
	sem_t turn;
	uint32_t cpu;
	bool is_started;
};

struct relay {
	struct member *members;
	uint32_t cpus;
	relay_work_fn *work;
	void *arg;
	sem_t done;
	bool quits; /* set before turns are given, and read after */
};

static void wait_for(sem_t *turn)
{
	for (int i = 0; i < LOOK_OUTS; i++) {
		if (!sem_trywait(turn))
			return;
	}
	while (sem_wait(turn) && errno == EINTR)
		;
}

static void *member_main(void *arg)
{
	struct member *member = arg;
	struct relay *relay = member->relay;

	for (;;) {
		int64_t next;

		wait_for(&member->turn);
		if (relay->quits)
			return NULL;
		do {
			next = relay->work(relay->arg, member->cpu);
		} while (next == (int64_t)member->cpu);
		sem_post(next == RELAY_DONE ? &relay->done : &relay->members[next].turn);
	}
}

int relay_create(uint32_t cpus, relay_work_fn *work, void *arg, struct relay **relay)
{
	struct relay *created = calloc(1, sizeof(*created));

	if (!created)
		return -ENOMEM;
	created->members = calloc(cpus, sizeof(*created->members));
	if (!created->members) {
		free(created);
		return -ENOMEM;
	}
	created->cpus = cpus;
	created->work = work;
	created->arg = arg;
	sem_init(&created->done, 0, 0);
	*relay = created;
	return 0;
}

void relay_destroy(struct relay *relay)
{
	if (!relay)
		return;
	relay->quits = true;
	for (uint32_t cpu = 0; cpu < relay->cpus; cpu++) {
		struct member *member = &relay->members[cpu];

		if (!member->is_started)
			continue;
		sem_post(&member->turn);
		pthread_join(member->thread, NULL);
		sem_destroy(&member->turn);
	}
	sem_destroy(&relay->done);
	free(relay->members);
	free(relay);
}

/* The thread begins on its CPU, and inherits that signals are blocked. */
static int create_thread(struct member *member, const cpu_set_t *set, size_t bytes)
{
	pthread_attr_t attr;
	sigset_t all, old;
	int err;

	err = pthread_attr_init(&attr);
	if (err)
		return -err;
	err = pthread_attr_setaffinity_np(&attr, bytes, set);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	if (!err)
		err = pthread_create(&member->thread, &attr, member_main, member);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&attr);
	return -err;
}

int relay_start(struct relay *relay, uint32_t cpu)
{
	struct member *member = &relay->members[cpu];
	size_t bytes = CPU_ALLOC_SIZE(cpu + 1);
	cpu_set_t *set;
	int err;

	if (member->is_started)
		return 0;
	set = CPU_ALLOC(cpu + 1);
	if (!set)
		return -ENOMEM;
	CPU_ZERO_S(bytes, set);
	CPU_SET_S(cpu, bytes, set);
	member->relay = relay;
	member->cpu = cpu;
	sem_init(&member->turn, 0, 0);
	err = create_thread(member, set, bytes);
	CPU_FREE(set);
	member->is_started = !err;
	if (err)
		sem_destroy(&member->turn);
	return err;
}

void relay_run(struct relay *relay, uint32_t cpu)
{
	sem_post(&relay->members[cpu].turn);
	wait_for(&relay->done);
}
