// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A benchmark's closed loop as a BPF program: the steps of workload_step.h on the map that is
 * tested, by the CPU that the program runs on. Three programs do the same, as in run.bpf.c; the
 * engine loads the newest that the kernel takes, anew for each kind of workload, so that the
 * verifier drops the steps of the others.
 */
#include "sim/kernel/common.bpf.h"
#include "sim/kernel/shared.h"
#include "sim/workload_step.h"

const volatile struct workload_params settings SEC(".rodata.settings");

/* The CPUs, by the machine's numbers. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct bench_cpu);
} cpus SEC(".maps");

/* A key of each CPU, on lines of its own. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(key_size, 4);
	__uint(value_size, 128);
} keys SEC(".maps");

/* What updates write: zeroes. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(key_size, 4);
	__uint(value_size, 8);
} values SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct workload_drawn);
} drawn SEC(".maps");

/* Who works, with what. */
struct worker {
	struct bench_cpu *cpu;
	__u64 *key;
	const void *value;
};

static __always_inline void count(struct bench_cpu *cpu, enum workload_call call, long ret)
{
	if (ret) {
		cpu->outcomes[call][OUTCOME_FAILED]++;
		cpu->errors[-ret & (BENCH_ERRNOS - 1)]++;
	} else {
		cpu->outcomes[call][OUTCOME_FINE]++;
	}
}

static __always_inline void do_call(const struct worker *worker, unsigned int call)
{
	struct bench_cpu *cpu = worker->cpu;
	const void *key = worker->key;

	switch (call) {
	case CALL_LOOKUP:
		if (bpf_map_lookup_elem(&tested, key))
			cpu->outcomes[CALL_LOOKUP][OUTCOME_FINE]++;
		else
			cpu->outcomes[CALL_LOOKUP][OUTCOME_MISSED]++;
		break;
	case CALL_UPDATE:
		count(cpu, CALL_UPDATE, bpf_map_update_elem(&tested, key, worker->value, BPF_ANY));
		break;
	case CALL_UPDATE_NOEXIST:
		count(cpu, CALL_UPDATE_NOEXIST,
		      bpf_map_update_elem(&tested, key, worker->value, BPF_NOEXIST));
		break;
	case CALL_UPDATE_EXIST:
		count(cpu, CALL_UPDATE_EXIST,
		      bpf_map_update_elem(&tested, key, worker->value, BPF_EXIST));
		break;
	case CALL_DELETE:
		count(cpu, CALL_DELETE, bpf_map_delete_elem(&tested, key));
		break;
	case CALL_ACCESS:
		if (bpf_map_lookup_elem(&tested, key)) {
			cpu->outcomes[CALL_ACCESS][OUTCOME_FINE]++;
			break;
		}
		cpu->outcomes[CALL_ACCESS][OUTCOME_MISSED]++;
		count(cpu, CALL_UPDATE, bpf_map_update_elem(&tested, key, worker->value, BPF_ANY));
		break;
	}
}

/* The call with the clock beside it, whose own time is the least of two readings. */
static __always_inline void do_timed_call(const struct worker *worker, unsigned int call)
{
	struct bench_cpu *cpu = worker->cpu;
	__u64 before = bpf_ktime_get_ns(), begin = bpf_ktime_get_ns(), passed;
	__u32 cost = (__u32)(begin - before);

	do_call(worker, call);
	passed = bpf_ktime_get_ns() - begin;
	if (!cpu->clock_cost_ns || cost < cpu->clock_cost_ns)
		cpu->clock_cost_ns = cost;
	passed = passed > cpu->clock_cost_ns ? passed - cpu->clock_cost_ns : 0;
	cpu->samples[cpu->sample_count & (BENCH_SAMPLES - 1)] =
		passed > 0xffffffff ? 0xffffffff : (__u32)passed;
	cpu->sample_count++;
	cpu->until_sample = BENCH_SAMPLE_EVERY;
}

/* Parameters that the verifier knows, and the compiler must not: they are set later. */
static __always_inline const struct workload_params *get_params(void)
{
	const struct workload_params *params = (const struct workload_params *)&settings;

	__asm__ volatile("" : "+r"(params));
	return params;
}

/* Whether the CPU is still at work behind a step. */
static __always_inline int is_thinking(struct bench_cpu *cpu)
{
	if (!cpu->wait_until_ns)
		return 0;
	if (bpf_ktime_get_ns() < cpu->wait_until_ns)
		return 1;
	cpu->wait_until_ns = 0;
	return 0;
}

/* A step, or a look at the clock while work is done. 1 when the limit is reached. */
static __always_inline long do_turn(const struct worker *worker)
{
	const struct workload_params *params = get_params();
	struct workload_drawn nothing = {0}, *found = &nothing;
	struct bench_cpu *cpu = worker->cpu;
	struct workload_step step;

	if (params->think_ns && is_thinking(cpu))
		return 0;
	if (cpu->operations >= cpu->limit)
		return 1;
	if (params->kind == WORKLOAD_CONNTRACK || params->kind == WORKLOAD_REPLAY) {
		__u32 place = workload_place(&cpu->workload, params);

		found = bpf_map_lookup_elem(&drawn, &place);
		if (!found)
			return 1;
	}
	step = workload_next(&cpu->workload, params, found);
	*worker->key = step.key;
	if (--cpu->until_sample)
		do_call(worker, step.call);
	else
		do_timed_call(worker, step.call);
	cpu->calls++;
	cpu->operations += step.completes;
	if (params->think_ns && step.thinks)
		cpu->wait_until_ns = bpf_ktime_get_ns() + params->think_ns;
	return 0;
}

static __always_inline int get_worker(struct worker *worker)
{
	__u32 number = bpf_get_smp_processor_id(), zero = 0;

	worker->cpu = bpf_map_lookup_elem(&cpus, &number);
	worker->key = bpf_map_lookup_elem(&keys, &number);
	worker->value = bpf_map_lookup_elem(&values, &zero);
	return worker->cpu && worker->key && worker->value;
}

static long do_turn_in_loop(__u32 turn, struct worker *worker)
{
	(void)turn;
	return do_turn(worker);
}

SEC("syscall")
int bench_loop(void *context)
{
	struct worker worker;

	(void)context;
	if (get_worker(&worker))
		bpf_loop(KERNEL_BENCH_TURNS, do_turn_in_loop, &worker, 0);
	return 0;
}

SEC("syscall")
int bench_bounded(void *context)
{
	struct worker worker;

	(void)context;
	if (!get_worker(&worker))
		return 0;
	for (__u32 i = 0; i < KERNEL_BOUNDED_STEPS; i++) {
		if (do_turn(&worker))
			break;
	}
	return 0;
}

SEC("socket")
int bench_repeat(struct __sk_buff *packet)
{
	struct worker worker;

	(void)packet;
	if (get_worker(&worker))
		do_turn(&worker);
	return 0;
}
