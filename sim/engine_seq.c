// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sim/bench_loop.h"
#include "sim/engine_model.h"

/* All CPUs on this thread, a step of each in turn. */
static int seq_bench(void *state, const struct bench_phase *phase, struct error *error)
{
	struct map *map = ((struct model_run *)state)->map;
	uint32_t running = phase->workload->params.running;

	(void)error;
	if (running == 1)
		return bench_loop_run(&seq_model_ops, map, phase, phase->workers, 1);
	return bench_loop_run(&seq_model_ops, map, phase, phase->workers, running);
}

const struct engine engine_seq = {
	.name = "seq",
	.summary = "the model, one operation after another",
	.model = &seq_model_ops,
	.is_one_thread = true,
	.bench = seq_bench,
	ENGINE_MODEL_RUN_CALLS,
	ENGINE_MODEL_CALLS,
};
