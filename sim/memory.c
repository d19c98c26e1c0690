// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sim/memory.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>

#include "base/system.h"
#include "sim/map_config.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t released = PTHREAD_COND_INITIALIZER;
static uint64_t reserved;  /* by all maps that there are */
static uint64_t available; /* when there was no map last */

/* Under the lock. */
static bool fits(uint64_t bytes)
{
	if (!reserved)
		available = system_memory_available();
	return reserved <= available && bytes <= available - reserved;
}

int memory_reserve(uint64_t bytes, struct error *error)
{
	bool has_room;

	if (!bytes)
		return 0;

	pthread_mutex_lock(&lock);
	while (!(has_room = fits(bytes)) && reserved)
		pthread_cond_wait(&released, &lock);
	if (has_room)
		reserved += bytes;
	pthread_mutex_unlock(&lock);
	if (has_room)
		return 0;
	return map_config_refuse_memory(bytes, available, error);
}

void memory_release(uint64_t bytes)
{
	if (!bytes)
		return;
	pthread_mutex_lock(&lock);
	reserved -= bytes;
	pthread_cond_broadcast(&released);
	pthread_mutex_unlock(&lock);
}
