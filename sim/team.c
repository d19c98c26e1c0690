// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sim/team.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Times that a member looks whether all are there before it lets others run in between. */
#define LOOK_OUTS 10000

struct start {
	atomic_uint waiting; /* members that are not there yet */
	atomic_bool is_off;  /* someone failed: nobody works */
};

struct member {
	const struct team *team;
	struct start *start;
	pthread_t thread;
	uint32_t number;
	int err;
	struct error error;
};

/* Waits until all are there. False when there is nothing to do. */
static bool wait_for_all(struct start *start, bool is_ready)
{
	if (!is_ready)
		atomic_store(&start->is_off, true);
	atomic_fetch_sub(&start->waiting, 1);
	for (unsigned int i = 0; atomic_load(&start->waiting); i++) {
		/* Others may have to run here before they are there. */
		if (i > LOOK_OUTS)
			sched_yield();
	}
	return !atomic_load(&start->is_off);
}

static void *member_main(void *arg)
{
	struct member *member = arg;
	const struct team *team = member->team;

	if (team->bind)
		member->err = team->bind(team->arg, member->number, &member->error);
	if (wait_for_all(member->start, !member->err))
		member->err = team->work(team->arg, member->number, &member->error);
	return NULL;
}

/* Starts what threads can be had; those that cannot count as there, and turn the start off. */
static uint32_t start_members(struct member *members, uint32_t count, int *err)
{
	sigset_t all, old;
	uint32_t started = 0;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	while (started < count && !*err) {
		*err = -pthread_create(&members[started].thread, NULL, member_main,
				       &members[started]);
		started += !*err;
	}
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return started;
}

int team_run(const struct team *team, uint32_t members, struct error *error)
{
	struct member *all = calloc(members, sizeof(*all));
	struct start start;
	uint32_t started, failed;
	int err = 0;

	if (!all)
		return error_set(error, -ENOMEM, "out of memory");
	atomic_init(&start.waiting, members);
	atomic_init(&start.is_off, false);
	for (uint32_t i = 0; i < members; i++) {
		all[i].team = team;
		all[i].start = &start;
		all[i].number = i;
	}
	started = start_members(all, members, &err);
	if (err) {
		atomic_store(&start.is_off, true);
		atomic_fetch_sub(&start.waiting, members - started);
		error_set(error, err, "thread %u of %u could not be started: %s", started + 1,
			  members, strerror(-err));
	}
	for (uint32_t i = 0; i < started; i++)
		pthread_join(all[i].thread, NULL);
	for (failed = 0; failed < started && !all[failed].err;)
		failed++;
	if (!err && failed < started)
		err = error_copy(error, all[failed].err, &all[failed].error);
	free(all);
	return err;
}
