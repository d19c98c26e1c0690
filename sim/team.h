/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Threads that work at the same time: they are started, wait until all are there, begin together,
 * and are waited for.
 */
#ifndef SIM_TEAM_H
#define SIM_TEAM_H

#include <stdint.h>

#include "base/error.h"

/*
 * Both are called on the member's own thread, numbered from 0, and return 0 or a negative errno
 * with error. bind puts the thread where it is to run; NULL leaves it to the system. No member
 * works unless all were bound.
 */
typedef int team_fn(void *arg, uint32_t member, struct error *error);

struct team {
	team_fn *bind, *work;
	void *arg;
};

/*
 * Runs a thread for each member and waits for all of them, which no signal reaches. What they did
 * is seen by the caller. Returns 0, or the error of the first member (by number) that had one, or
 * -EAGAIN or -ENOMEM with error when there is no thread or no memory.
 */
int team_run(const struct team *team, uint32_t members, struct error *error);

#endif
