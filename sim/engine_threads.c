// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The model on real threads: one for each simulated CPU, bound to a CPU of this machine. Within a
 * batch each thread executes its own CPU's operations in their order; how they fall between those
 * of others is chance. Batches follow each other.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/cpu.h"
#include "sim/bench_loop.h"
#include "sim/engine_model.h"
#include "sim/pin.h"
#include "sim/placement.h"
#include "sim/team.h"
#include "sim/topology.h"

/* So many that starting threads for each batch costs nothing to speak of. */
#define BATCH_OPERATIONS (256u << 10)

/* Where threads are, and what their CPUs carry from one batch or phase to the next. */
struct threads_run {
	struct topology topology;
	bool has_topology;
	struct pin_plan plan;
	uint32_t threads;
	struct thread_cpu *cpus; /* of each thread */
};

/* A CPU's, on its own lines. */
struct thread_cpu {
	struct map_ctx ctx;         /* of batches */
	uint64_t waits[LOCK_RANKS]; /* of benchmarks */
} __attribute__((aligned(CPU_LINE_BYTES)));

static uint32_t thread_count(const struct run_config *config)
{
	return config->workload.kind == WORKLOAD_UNSET ? config->map.cpus
						       : workload_running(config);
}

static void threads_deinit(struct threads_run *threads)
{
	pin_plan_deinit(&threads->plan);
	if (threads->has_topology)
		topology_deinit(&threads->topology);
	free(threads->cpus);
	free(threads);
}

static int threads_init(struct threads_run *threads, const struct run_config *config,
			struct error *error)
{
	int err = topology_init(&threads->topology, TOPOLOGY_HOST, "", error);

	if (err)
		return err;
	threads->has_topology = true;
	threads->threads = thread_count(config);
	threads->cpus = cpu_alloc_lines(threads->threads * sizeof(*threads->cpus));
	if (!threads->cpus)
		return error_set(error, -ENOMEM, "out of memory");
	for (uint32_t cpu = 0; cpu < threads->threads; cpu++)
		threads->cpus[cpu].ctx = (struct map_ctx){.cpu = cpu, .next_use = UINT64_MAX};
	return pin_plan_init(&threads->plan, &threads->topology, &config->pin, threads->threads,
			     config->oversubscribe, error);
}

/* The map is made, and so first touched, under the policy for its memory. */
static int open_placed(const struct run_config *config, const struct threads_run *threads,
		       void **state, struct error *error)
{
	struct placement placement;
	int err = placement_begin(&placement, &config->mem, &threads->topology, error);

	if (err)
		return err;
	err = engine_model_open(config, state, error);
	placement_end(&placement);
	return err;
}

static int threads_open(const struct run_config *config, void **state, struct error *error)
{
	struct threads_run *threads = calloc(1, sizeof(*threads));
	int err;

	if (!threads)
		return error_set(error, -ENOMEM, "out of memory");
	err = threads_init(threads, config, error);
	if (!err)
		err = open_placed(config, threads, state, error);
	if (err)
		threads_deinit(threads);
	else
		((struct model_run *)*state)->own = threads;
	return err;
}

static void threads_close(void *state)
{
	struct threads_run *threads = ((struct model_run *)state)->own;

	engine_model_close(state);
	threads_deinit(threads);
}

/* A batch or a phase: what all threads are given. */
struct work {
	struct model_run *model;
	struct threads_run *threads;
	const struct map_run *run;
	const struct bench_phase *phase;
};

static int bind_member(void *arg, uint32_t member, struct error *error)
{
	const struct work *work = arg;

	return pin_bind_thread(&work->threads->plan, member, error);
}

static int run_member(void *arg, uint32_t member, struct error *error)
{
	const struct work *work = arg;
	struct map_run run = *work->run;

	(void)error;
	run.ctx = &work->threads->cpus[member].ctx;
	threads_model_ops.thread_begin(run.ctx);
	threads_model_ops.run(work->model->map, &run);
	threads_model_ops.thread_end(run.ctx);
	return 0;
}

static int threads_run_batch(void *state, const struct map_run *run, struct error *error)
{
	struct model_run *model = state;
	struct work work = {.model = model, .threads = model->own, .run = run};
	struct team team = {.bind = bind_member, .work = run_member, .arg = &work};

	return team_run(&team, work.threads->threads, error);
}

static int bench_member(void *arg, uint32_t member, struct error *error)
{
	const struct work *work = arg;
	struct bench_worker *worker = &work->phase->workers[member];
	int err;

	(void)error;
	threads_model_ops.thread_begin(&worker->ctx);
	err = bench_loop_run(&threads_model_ops, work->model->map, work->phase, worker, 1);
	threads_model_ops.thread_end(&worker->ctx);
	memcpy(work->threads->cpus[member].waits, worker->ctx.lock_waits,
	       sizeof(worker->ctx.lock_waits));
	return err;
}

static int threads_bench(void *state, const struct bench_phase *phase, struct error *error)
{
	struct model_run *model = state;
	struct work work = {.model = model, .threads = model->own, .phase = phase};
	struct team team = {.bind = bind_member, .work = bench_member, .arg = &work};

	return team_run(&team, phase->workload->params.running, error);
}

static void threads_lock_waits(void *state, uint32_t cpu, uint64_t waits[LOCK_RANKS])
{
	const struct threads_run *threads = ((struct model_run *)state)->own;

	memcpy(waits, threads->cpus[cpu].waits, sizeof(threads->cpus[cpu].waits));
}

const struct engine engine_threads = {
	.name = "threads",
	.summary = "the model on real threads, one for each CPU",
	.model = &threads_model_ops,
	.pins = true,
	.batch_operations = BATCH_OPERATIONS,
	.open = threads_open,
	.close = threads_close,
	.run = threads_run_batch,
	.bench = threads_bench,
	.lock_waits = threads_lock_waits,
	ENGINE_MODEL_CALLS,
};
