// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sim/kernel/bench.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "base/ticks.h"
#include "sim/kernel/cpus.h"
#include "sim/kernel/shared.h"
#include "sim/team.h"

#define LINE_BYTES 128

/* bench.bpf.c, compiled. */
static const unsigned char object_bytes[] __attribute__((aligned(8))) = {
#include "sim/kernel/bench.bpf.inc"
};

static const char *const program_names[] = {"bench_loop", "bench_bounded", "bench_repeat", NULL};

/* A phase at work. */
struct running {
	struct kernel_bench *bench;
	const struct bench_phase *phase;
};

static uint32_t round_up(size_t bytes, size_t unit)
{
	return (uint32_t)((bytes + unit - 1) / unit * unit);
}

/* What the object's maps go by. */
struct sizes {
	const struct kernel_map *map;
	const struct bench_phase *phase;
	uint32_t cpu_count;
};

static int prepare(void *arg, struct bpf_object *object)
{
	const struct sizes *sizes = arg;
	const struct workload *workload = sizes->phase->workload;
	struct workload_params params = workload->params;
	struct bpf_map *keys = bpf_object__find_map_by_name(object, "keys");
	int err;

	params.kind = sizes->phase->kind;
	err = bpf_map__reuse_fd(bpf_object__find_map_by_name(object, "tested"), sizes->map->fd);
	if (!err)
		err = bpf_map__set_max_entries(bpf_object__find_map_by_name(object, "cpus"),
					       sizes->cpu_count);
	if (!err)
		err = bpf_map__set_max_entries(keys, sizes->cpu_count);
	if (!err)
		err = bpf_map__set_value_size(keys, round_up(sizes->map->key_size, LINE_BYTES));
	if (!err)
		err = bpf_map__set_value_size(bpf_object__find_map_by_name(object, "values"),
					      round_up(sizes->map->value_size, 8));
	if (!err && workload->drawn_count)
		err = bpf_map__set_max_entries(bpf_object__find_map_by_name(object, "drawn"),
					       (uint32_t)workload->drawn_count);
	if (!err)
		err = bpf_map__set_initial_value(bpf_object__find_map_by_name(object,
									      ".rodata.settings"),
						 &params, sizeof(params));
	return err;
}

static void unload(struct kernel_bench *bench)
{
	kernel_object_unshare(&bench->object, "cpus", bench->cpus);
	bench->cpus = NULL;
	kernel_object_close(&bench->object);
}

static int share_memory(struct kernel_bench *bench, const struct workload *workload,
			struct error *error)
{
	struct workload_drawn *drawn;

	bench->cpus = kernel_object_share(&bench->object, "cpus");
	drawn = kernel_object_share(&bench->object, "drawn");
	if (!bench->cpus || !drawn)
		return error_set(error, -errno, "what the BPF program does cannot be seen: %s",
				 strerror(errno));
	if (workload->drawn_count)
		memcpy(drawn, workload->drawn, workload->drawn_count * sizeof(*drawn));
	kernel_object_unshare(&bench->object, "drawn", drawn);
	return 0;
}

/* The program for the phase's kind of steps. */
static int load(struct kernel_bench *bench, const struct kernel_map *map,
		const struct bench_phase *phase, struct error *error)
{
	struct sizes sizes = {map, phase, bench->cpu_count};
	struct kernel_source source = {object_bytes, sizeof(object_bytes), program_names, prepare,
				       &sizes};
	int err;

	if (bench->object.object && bench->kind == phase->kind)
		return 0;
	unload(bench);
	bench->kind = phase->kind;
	err = kernel_object_load(&source, &bench->object, error);
	return err ? err : share_memory(bench, phase->workload, error);
}

/* The first CPUs that there are for so many workers. */
static int choose_places(struct kernel_bench *bench, uint32_t workers, struct error *error)
{
	bool *is_usable;
	char usable[CPU_RANGES_BYTES];
	uint32_t found = 0;
	int err;

	if (bench->places)
		return 0;
	bench->cpu_count = cpus_possible();
	is_usable = calloc(bench->cpu_count, sizeof(*is_usable));
	bench->places = calloc(workers, sizeof(*bench->places));
	err = is_usable && bench->places ? cpus_usable(is_usable, bench->cpu_count) : -ENOMEM;
	for (uint32_t cpu = 0; !err && cpu < bench->cpu_count && found < workers; cpu++) {
		if (is_usable[cpu])
			bench->places[found++] = cpu;
	}
	if (err)
		error_set(error, err, "out of memory");
	else if (found < workers)
		err = error_set_missing(
			error, -ENXIO,
			"-e kernel: %u CPUs are to run, and this process may run on "
			"%u: %s",
			workers, found,
			cpu_ranges(is_usable, bench->cpu_count, usable, sizeof(usable)));
	free(is_usable);
	return err;
}

static int bind_worker(void *arg, uint32_t member, struct error *error)
{
	const struct running *running = arg;
	uint32_t cpu = running->bench->places[member];
	size_t bytes = CPU_ALLOC_SIZE(cpu + 1);
	cpu_set_t *set = CPU_ALLOC(cpu + 1);
	int err = set ? 0 : -ENOMEM;

	if (!err) {
		CPU_ZERO_S(bytes, set);
		CPU_SET_S(cpu, bytes, set);
		err = sched_setaffinity(0, bytes, set) ? -errno : 0;
	}
	CPU_FREE(set);
	return err ? error_set(error, err, "a thread cannot be bound to CPU %u: %s", cpu,
			       strerror(-err))
		   : 0;
}

static int work(void *arg, uint32_t member, struct error *error)
{
	const struct running *running = arg;
	const struct bench_phase *phase = running->phase;
	struct bench_worker *worker = &phase->workers[member];
	struct bench_cpu *cpu = &running->bench->cpus[running->bench->places[member]];
	uint64_t begin = ticks_now(), now = begin;
	uint64_t ticks =
		phase->seconds > 0 ? (uint64_t)(phase->seconds * 1e9 / ticks_ns()) : UINT64_MAX;
	bool is_stopped = false;
	int err = 0;

	while (!err && !is_stopped && cpu->operations < cpu->limit && now - begin < ticks) {
		err = kernel_object_run(&running->bench->object, KERNEL_BENCH_TURNS);
		bench_take_samples(cpu, 1, &worker->latency);
		is_stopped = phase->stop && atomic_load_explicit(phase->stop, memory_order_relaxed);
		now = ticks_now();
	}
	worker->begin_ticks = begin;
	worker->end_ticks = now;
	if (err)
		return error_set(error, err, "the kernel did not run the benchmark: %s",
				 strerror(-err));
	return is_stopped ? -EINTR : 0;
}

/* What the calls of a phase came to. A look-up that misses is an error, too: ENOENT. */
static void count(const struct bench_cpu *cpu, struct return_counts *counts)
{
	const unsigned long long(*outcomes)[BENCH_OUTCOMES] = cpu->outcomes;
	uint64_t missed =
		outcomes[CALL_LOOKUP][OUTCOME_MISSED] + outcomes[CALL_ACCESS][OUTCOME_MISSED];

	counts->operations += cpu->calls;
	counts->hits += outcomes[CALL_LOOKUP][OUTCOME_FINE] + outcomes[CALL_ACCESS][OUTCOME_FINE];
	counts->misses += missed;
	counts->deletes += outcomes[CALL_DELETE][OUTCOME_FINE];
	counts->inserted += outcomes[CALL_UPDATE_NOEXIST][OUTCOME_FINE];
	counts->replaced += outcomes[CALL_UPDATE_EXIST][OUTCOME_FINE];
	counts->inserted_or_replaced += outcomes[CALL_UPDATE][OUTCOME_FINE];
	counts->errors[ERROR_ENOENT] += missed;
	for (int err = 0; err < BENCH_ERRNOS; err++) {
		int i = 0;

		while (i < ERROR_OTHER && map_error_errnos[i] != err)
			i++;
		counts->errors[i] += cpu->errors[err];
	}
}

int kernel_bench_phase(struct kernel_bench *bench, const struct kernel_map *map,
		       const struct bench_phase *phase, struct return_counts *counts,
		       struct error *error)
{
	struct running running = {bench, phase};
	const struct team team = {bind_worker, work, &running};
	uint32_t workers = phase->workload->params.running;
	int err = choose_places(bench, workers, error);

	if (!err)
		err = load(bench, map, phase, error);
	if (err)
		return err;
	for (uint32_t i = 0; i < workers; i++)
		bench->cpus[bench->places[i]] = phase->workers[i].cpu;
	err = team_run(&team, workers, error);
	for (uint32_t i = 0; i < workers; i++) {
		struct bench_cpu *cpu = &phase->workers[i].cpu;

		*cpu = bench->cpus[bench->places[i]];
		count(cpu, &counts[i]);
		memset(cpu->outcomes, 0, sizeof(cpu->outcomes));
		memset(cpu->errors, 0, sizeof(cpu->errors));
	}
	return err;
}

void kernel_bench_deinit(struct kernel_bench *bench)
{
	unload(bench);
	free(bench->places);
	memset(bench, 0, sizeof(*bench));
}
