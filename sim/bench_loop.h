/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The closed loop of a benchmark over a flavour of the model. Inlined, so that each engine has it
 * for its number of CPUs in a thread, and each workload without the others.
 */
#ifndef SIM_BENCH_LOOP_H
#define SIM_BENCH_LOOP_H

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/ticks.h"
#include "sim/bench.h"

#define BENCH_CHUNK 1024 /* steps of each CPU between looks at the clock */

_Static_assert(BENCH_CHUNK / BENCH_SAMPLE_EVERY < BENCH_SAMPLES, "samples of a chunk have room");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "integers are keys as they are");

/* A flavour's map and a phase in it. */
struct bench_loop {
	const struct model_ops *ops;
	struct map *map;
	const struct bench_phase *phase;
	uint64_t begin_ticks, ticks; /* when the phase began, and after how long it ends */
};

WORKLOAD_INLINE bool bench_is_stopped(const struct bench_loop *loop)
{
	const atomic_int *stop = loop->phase->stop;

	return stop && atomic_load_explicit(stop, memory_order_relaxed);
}

WORKLOAD_INLINE bool bench_is_over(const struct bench_loop *loop)
{
	return bench_is_stopped(loop) || ticks_now() - loop->begin_ticks >= loop->ticks;
}

/* The map counts what became of it. */
WORKLOAD_INLINE void bench_call(const struct bench_loop *loop, struct map_ctx *ctx,
				unsigned int call, const uint8_t *key)
{
	switch ((enum workload_call)call) {
	case CALL_LOOKUP:
		loop->ops->lookup_in_place(loop->map, ctx, key);
		break;
	case CALL_UPDATE:
		loop->ops->update(loop->map, ctx, key, loop->phase->value, 0);
		break;
	case CALL_UPDATE_NOEXIST:
		loop->ops->update(loop->map, ctx, key, loop->phase->value, 1);
		break;
	case CALL_UPDATE_EXIST:
		loop->ops->update(loop->map, ctx, key, loop->phase->value, 2);
		break;
	case CALL_DELETE:
		loop->ops->del(loop->map, ctx, key);
		break;
	case CALL_ACCESS:
		if (!loop->ops->lookup_in_place(loop->map, ctx, key))
			loop->ops->update(loop->map, ctx, key, loop->phase->value, 0);
		break;
	case WORKLOAD_CALLS:
		break;
	}
}

/* Works for so long, or until the phase is over. */
WORKLOAD_INLINE void bench_think(const struct bench_loop *loop, unsigned long long think_ns)
{
	uint64_t begin = ticks_now(), ticks = (uint64_t)((double)think_ns / ticks_ns());

	while (ticks_now() - begin < ticks && !bench_is_over(loop))
		;
}

static inline void bench_add_sample(struct bench_cpu *cpu, uint64_t ticks)
{
	uint64_t cost = ticks_cost();

	ticks = ticks > cost ? ticks - cost : 0;
	cpu->samples[cpu->sample_count++] = ticks > UINT32_MAX ? UINT32_MAX : (unsigned int)ticks;
	cpu->until_sample = BENCH_SAMPLE_EVERY;
}

/* Whether it took so long that the phase is over by now. */
WORKLOAD_INLINE bool bench_step(const struct bench_loop *loop, struct map_ctx *ctx,
				struct bench_worker *worker, const struct workload_params *params)
{
	static const struct workload_drawn nothing;
	const struct workload_drawn *drawn = &nothing;
	struct bench_cpu *cpu = &worker->cpu;
	struct workload_step step;
	uint64_t begin;

	if (params->kind == WORKLOAD_CONNTRACK || params->kind == WORKLOAD_REPLAY)
		drawn = &loop->phase->workload->drawn[workload_place(&cpu->workload, params)];
	step = workload_next(&cpu->workload, params, drawn);
	memcpy(worker->key, &step.key, sizeof(step.key));
	if (__builtin_expect(!--cpu->until_sample, 0)) {
		begin = ticks_now();
		bench_call(loop, ctx, step.call, worker->key);
		bench_add_sample(cpu, ticks_now() - begin);
	} else {
		bench_call(loop, ctx, step.call, worker->key);
	}
	cpu->calls++;
	cpu->operations += step.completes;
	if (!step.thinks || !params->think_ns)
		return false;
	bench_think(loop, params->think_ns);
	loop->ops->thread_quiet(ctx);
	return bench_is_over(loop);
}

/* A chunk of every CPU, a step of each in turn. False when all have reached their limits. */
WORKLOAD_INLINE bool bench_chunk(const struct bench_loop *loop, struct bench_worker *workers,
				 uint32_t count, unsigned int kind)
{
	struct workload_params params = loop->phase->workload->params;
	bool is_busy = false;

	params.kind = kind;
	for (unsigned int i = 0; i < BENCH_CHUNK; i++) {
		for (uint32_t n = 0; n < count; n++) {
			struct bench_worker *worker = &workers[n];

			if (worker->cpu.operations >= worker->cpu.limit)
				continue;
			is_busy = true;
			if (bench_step(loop, &worker->ctx, worker, &params))
				return is_busy;
		}
	}
	return is_busy;
}

/* The same with what a workload does known at compile time. */
WORKLOAD_INLINE bool bench_chunk_of_kind(const struct bench_loop *loop,
					 struct bench_worker *workers, uint32_t count)
{
	switch ((enum workload_kind)loop->phase->kind) {
	case WORKLOAD_UPDATE_RANDOM:
		return bench_chunk(loop, workers, count, WORKLOAD_UPDATE_RANDOM);
	case WORKLOAD_UPDATE_LOOKUP_DELETE:
		return bench_chunk(loop, workers, count, WORKLOAD_UPDATE_LOOKUP_DELETE);
	case WORKLOAD_FULL_UPDATE:
		return bench_chunk(loop, workers, count, WORKLOAD_FULL_UPDATE);
	case WORKLOAD_LOOKUP:
		return bench_chunk(loop, workers, count, WORKLOAD_LOOKUP);
	case WORKLOAD_LOOKUP_HIT_MISS:
		return bench_chunk(loop, workers, count, WORKLOAD_LOOKUP_HIT_MISS);
	case WORKLOAD_CONNTRACK:
		return bench_chunk(loop, workers, count, WORKLOAD_CONNTRACK);
	case WORKLOAD_START_DONE:
		return bench_chunk(loop, workers, count, WORKLOAD_START_DONE);
	case WORKLOAD_REPLAY:
		return bench_chunk(loop, workers, count, WORKLOAD_REPLAY);
	case WORKLOAD_FILL:
		return bench_chunk(loop, workers, count, WORKLOAD_FILL);
	}
	return false;
}

/*
 * Does a phase for count of its workers on the thread that calls: with several of them, a step of
 * each in turn. ops is a constant of the caller. Returns 0, or -EINTR after a stop.
 */
WORKLOAD_INLINE int bench_loop_run(const struct model_ops *ops, struct map *map,
				   const struct bench_phase *phase, struct bench_worker *workers,
				   uint32_t count)
{
	const struct bench_loop loop = {
		.ops = ops,
		.map = map,
		.phase = phase,
		.begin_ticks = ticks_now(),
		.ticks = phase->seconds > 0 ? (uint64_t)(phase->seconds * 1e9 / ticks_ns())
					    : UINT64_MAX,
	};
	bool is_busy = true;

	while (is_busy && !bench_is_over(&loop)) {
		is_busy = bench_chunk_of_kind(&loop, workers, count);
		for (uint32_t n = 0; n < count; n++)
			bench_take_samples(&workers[n].cpu, ticks_ns(), &workers[n].latency);
		ops->thread_quiet(&workers[0].ctx);
	}
	for (uint32_t n = 0; n < count; n++) {
		workers[n].begin_ticks = loop.begin_ticks;
		workers[n].end_ticks = ticks_now();
	}
	return bench_is_stopped(&loop) ? -EINTR : 0;
}

#endif
