// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Some keys are shared by all threads; each other one is one thread's own, which therefore knows
 * what has become of it. A look-up takes no lock: where elements are reused at once, as in the
 * kernel's preallocated maps, it can read an element that is another key's by then. So a wrong
 * value is looked up again, and is a fault when it stays.
 */
#include "sim/torture/slice.h"

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpu.h"
#include "base/rng.h"
#include "model/attr.h"
#include "sim/team.h"
#include "sim/torture/content.h"
#include "sim/torture/worker.h"

#define DELAY_ONE_IN 16
#define DELAY_PAUSES_MAX 128
#define YIELD_ONE_IN 1024

bool slice_can_have(const struct map_attr *attr)
{
	return attr->value_size % (map_type_is_percpu(attr->type) ? 8 : CONTENT_UNIT_BYTES) == 0 &&
	       attr->key_size >= 2;
}

/* At a preemption point: mostly nothing, now and then a while, seldom somebody else's turn. */
static void delay_randomly(struct map_ctx *ctx)
{
	uint64_t draw = rng_splitmix(&ctx->delay_state);

	if (draw % YIELD_ONE_IN == 0)
		sched_yield();
	if (draw % DELAY_ONE_IN)
		return;
	for (uint64_t i = draw >> 32; i % DELAY_PAUSES_MAX; i--)
		cpu_pause();
}

struct crew {
	struct slice *slice;
	struct map *map;
	struct worker *workers;
};

static int crew_work(void *arg, uint32_t member, struct error *error)
{
	struct crew *crew = arg;

	return worker_run(&crew->workers[member], error);
}

static int crew_init(struct crew *crew, uint8_t *nonces, struct error *error)
{
	struct slice *slice = crew->slice;

	crew->workers = calloc(slice->threads, sizeof(*crew->workers));
	if (!crew->workers)
		return error_set(error, -ENOMEM, "out of memory");
	for (uint32_t i = 0; i < slice->threads; i++) {
		struct worker *worker = &crew->workers[i];

		worker->ctx.delay = slice->has_delays ? delay_randomly : NULL;
		worker->ctx.delay_state = slice->seed + i;
		if (worker_init(worker, slice, crew->map, i, nonces))
			return error_set(error, -ENOMEM, "out of memory");
	}
	return 0;
}

static void crew_deinit(struct crew *crew)
{
	struct slice *slice = crew->slice;

	for (uint32_t i = 0; crew->workers && i < slice->threads; i++) {
		struct worker *worker = &crew->workers[i];

		slice->done += worker->done;
		slice->reused += worker->reused;
		slice->timeouts += worker->timeouts;
		slice->shortages += worker->shortages;
		for (int rank = 0; rank < LOCK_RANKS; rank++)
			slice->waits += worker->ctx.lock_waits[rank];
		worker_deinit(worker);
	}
	free(crew->workers);
}

/* What was added less what went is what is there. */
static int check_counters(const struct crew *crew, struct error *error)
{
	const struct model_ops *ops = crew->slice->ops;
	struct map_census census;
	uint64_t added = 0, gone = 0;

	for (uint32_t cpu = 0; cpu < crew->slice->map->cpus; cpu++) {
		struct map_counters counters;

		ops->counters(crew->map, cpu, &counters);
		added += counters.inserts;
		gone += counters.deletes + counters.evictions;
	}
	ops->census(crew->map, &census);
	if (added - gone == census.entries)
		return 0;
	return error_set(error, -EUCLEAN,
			 "%" PRIu64 " keys were added and %" PRIu64 " went, but there are %" PRIu64,
			 added, gone, census.entries);
}

static int check_after(struct crew *crew, struct error *error)
{
	struct worker *first = &crew->workers[0];
	const struct slice *slice = crew->slice;
	int err = slice->ops->check(crew->map, error);

	first->ctx.delay = NULL;
	if (!err)
		err = check_counters(crew, error);
	for (uint32_t i = 0; !err && i < slice->threads; i++)
		err = worker_check_own(&crew->workers[i], error);
	if (!err)
		err = worker_check_all(first, error);
	if (!err)
		err = worker_empty(first, error);
	if (!err)
		err = slice->ops->check(crew->map, error);
	if (!err)
		err = worker_refill(first, error);
	if (!err)
		err = slice->ops->check(crew->map, error);
	return err;
}

int slice_run(struct slice *slice, struct error *error)
{
	struct crew crew = {.slice = slice};
	struct team team = {.work = crew_work, .arg = &crew};
	uint8_t *nonces = calloc(slice->ids, 1);
	int err;

	if (!nonces)
		return error_set(error, -ENOMEM, "out of memory");
	err = slice->ops->map_create(&slice->map->attr, &slice->map->tunables, slice->map->cpus,
				     &crew.map, error);
	if (err) {
		free(nonces);
		return err;
	}
	err = crew_init(&crew, nonces, error);
	if (!err)
		err = team_run(&team, slice->threads, error);
	if (!err) {
		slice->ops->thread_begin(&crew.workers[0].ctx);
		err = check_after(&crew, error);
		slice->ops->thread_end(&crew.workers[0].ctx);
	}
	crew_deinit(&crew);
	slice->ops->map_destroy(crew.map);
	free(nonces);
	return err;
}
