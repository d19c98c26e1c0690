// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The kernel engine: the map is the running kernel's own.
 *
 * The map is made by libbpf for all possible CPUs. What programs do is done by a BPF program
 * (sim/kernel/run.bpf.c), what is done by system call by bpf(2); both by a thread on the
 * operation's CPU. Operations stay in the trace's order: one thread works at a time, does what
 * follows for its CPU, and hands over. What the kernel does not tell is COUNT_UNKNOWN.
 *
 * The test of 2017 marked by system call, as kernels before 5.2 did. A program's look-up marks in
 * all kernels, so OP_DIST looks up by the program in either context, and only its update goes by
 * context.
 */
#include <bpf/bpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "model/attr.h"
#include "sim/engine.h"
#include "sim/kernel/bench.h"
#include "sim/kernel/counts.h"
#include "sim/kernel/cpus.h"
#include "sim/kernel/program.h"
#include "sim/kernel/relay.h"
#include "sim/kernel/syscalls.h"

struct kernel_cpu {
	struct return_counts counts;
	struct batch_cursor cursor;
};

struct kernel_run {
	struct kernel_map map;
	struct kernel_program program;
	struct kernel_bench bench;
	struct relay *relay;
	struct kernel_cpu *cpus; /* config's */
	bool *is_usable;
	uint32_t cpu_count;
	uint64_t nanoseconds; /* in operations */

	/* The batch that is run: written by the caller, then by whose turn it is. */
	const struct map_run *run;
	const struct map_op *ops; /* of slot 0 */
	size_t first;             /* of slot 0, in the batch */
	uint32_t count, next;     /* slots, and the next to do */
	int err;
};

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* What a run may not ask of the running kernel. */
static int check_config(const struct run_config *config, struct error *error)
{
	uint32_t possible = cpus_possible();
	struct kernel_release release;
	char note[sizeof(config->map.kernel_note)];
	int err;

	if (config->is_kernel_given)
		return error_set(error, -EINVAL,
				 "-e kernel is the running kernel: it takes no -k but host");
	err = kernel_host(&release, note, sizeof(note), error);
	if (err)
		return err;
	for (int id = 0; id < TUNABLES; id++) {
		if (!config->map.is_overridden[id] ||
		    (id == TUNE_SEED && !config->map.tunables.values[id]))
			continue;
		if (id == TUNE_SEED)
			return error_set(error, -EINVAL,
					 "-e kernel: the kernel takes no seed but 0: -s seed=0");
		return error_set(error, -EINVAL,
				 "-e kernel: tunables are the model's, the running kernel has "
				 "none: -s %s",
				 tunable_get((enum tunable_id)id)->name);
	}
	if (config->map.cpus > possible)
		return error_set_missing(error, -ENXIO,
					 "-e kernel: %u CPUs are asked for, this machine has %u",
					 config->map.cpus, possible);
	return 0;
}

static uint32_t kernel_flags(const struct map_attr *attr)
{
	uint32_t flags = BPF_F_ZERO_SEED;

	if (attr->flags & MAP_NO_PREALLOC)
		flags |= BPF_F_NO_PREALLOC;
	if (attr->flags & MAP_NO_COMMON_LRU)
		flags |= BPF_F_NO_COMMON_LRU;
	if (attr->flags & MAP_NUMA_NODE)
		flags |= BPF_F_NUMA_NODE;
	return flags;
}

static const enum bpf_map_type kernel_types[MAP_TYPES] = {
	[MAP_HASH] = BPF_MAP_TYPE_HASH,
	[MAP_PERCPU_HASH] = BPF_MAP_TYPE_PERCPU_HASH,
	[MAP_LRU_HASH] = BPF_MAP_TYPE_LRU_HASH,
	[MAP_LRU_PERCPU_HASH] = BPF_MAP_TYPE_LRU_PERCPU_HASH,
};

/* Says that the kernel would not have the map; why, where the model refuses it likewise. */
static int explain_refusal(const struct run_config *config, int err, struct error *error)
{
	const char *name = errno_name(err);
	struct error reason = {.text = ""};

	if (err == -EPERM)
		return error_set_missing(error, err,
					 "the kernel lets this user make no map with a zero "
					 "seed (EPERM): root or CAP_SYS_ADMIN is needed");
	if (err == -ENOSYS)
		return error_set_missing(error, err, "the running kernel has no bpf(2) (ENOSYS)");
	if (map_attr_check(&config->map.attr, &config->map.tunables, cpus_possible(), &reason) !=
	    err)
		return error_set(error, err, "the running kernel refuses the map with %s",
				 name ? name : "an unknown error");
	return error_set(error, err, "the running kernel refuses the map with %s: %.300s", name,
			 reason.text);
}

static int create_map(struct kernel_run *run, const struct run_config *config, struct error *error)
{
	const struct map_attr *attr = &config->map.attr;
	LIBBPF_OPTS(bpf_map_create_opts, options, .map_flags = kernel_flags(attr),
		    .numa_node = attr->numa_node);
	struct bpf_map_info info = {0};
	__u32 info_bytes = sizeof(info);
	struct kernel_map *map = &run->map;
	int err;

	map->fd = bpf_map_create(kernel_types[attr->type], "mapsim", attr->key_size,
				 attr->value_size, attr->max_entries, &options);
	if (map->fd < 0)
		return explain_refusal(config, map->fd, error);
	err = bpf_obj_get_info_by_fd(map->fd, &info, &info_bytes);
	if (err)
		return error_set(error, err, "the kernel says nothing of the map");
	map->is_lru = attr->type == MAP_LRU_HASH || attr->type == MAP_LRU_PERCPU_HASH;
	map->is_percpu = attr->type == MAP_PERCPU_HASH || attr->type == MAP_LRU_PERCPU_HASH;
	map->key_size = attr->key_size;
	map->value_size = attr->value_size;
	map->max_entries = info.max_entries;
	map->copies = map->is_percpu ? cpus_possible() : 1;
	map->copy_bytes = ((size_t)attr->value_size + 7) / 8 * 8;
	err = kernel_map_init(map);
	return err ? error_set(error, err, "out of memory") : 0;
}

static int64_t kernel_work(void *arg, uint32_t cpu);

static void kernel_close(void *state)
{
	struct kernel_run *run = state;

	relay_destroy(run->relay);
	kernel_program_deinit(&run->program);
	kernel_bench_deinit(&run->bench);
	kernel_map_deinit(&run->map);
	free(run->cpus);
	free(run->is_usable);
	free(run);
}

static int kernel_open(const struct run_config *config, void **state, struct error *error)
{
	struct kernel_run *run;
	int err = check_config(config, error);

	if (err)
		return err;
	run = calloc(1, sizeof(*run));
	if (!run)
		return error_set(error, -ENOMEM, "out of memory");
	run->map.fd = -1;
	run->cpu_count = config->map.cpus;
	run->cpus = calloc(config->map.cpus, sizeof(*run->cpus));
	run->is_usable = calloc(config->map.cpus, sizeof(*run->is_usable));
	if (!run->cpus || !run->is_usable || cpus_usable(run->is_usable, config->map.cpus) ||
	    relay_create(config->map.cpus, kernel_work, run, &run->relay))
		err = error_set(error, -ENOMEM, "out of memory");
	if (!err)
		err = create_map(run, config, error);
	if (!err)
		err = kernel_program_init(&run->program, run->map.fd, run->map.key_size,
					  run->map.value_size, false, error);
	if (err) {
		kernel_close(run);
		return err;
	}
	*state = run;
	return 0;
}

/* Whether the program does an operation; the others go by system call. */
static bool is_for_program(const struct map_op *op)
{
	if (op->context == OP_SYSCALL)
		return false;
	switch ((enum op_code)op->code) {
	case OP_LOOKUP:
	case OP_UPDATE:
	case OP_UPDATE_NOEXIST:
	case OP_UPDATE_EXIST:
	case OP_DELETE:
	case OP_ACCESS:
	case OP_DIST:
		return true;
	default:
		return false;
	}
}

/* What the program does for each code. */
static const struct {
	enum slot_step step;
	unsigned int flags;
} code_steps[OP_CODES] = {
	[OP_LOOKUP] = {STEP_LOOKUP, 0},
	[OP_UPDATE] = {STEP_UPDATE, BPF_ANY},
	[OP_UPDATE_NOEXIST] = {STEP_UPDATE, BPF_NOEXIST},
	[OP_UPDATE_EXIST] = {STEP_UPDATE, BPF_EXIST},
	[OP_DELETE] = {STEP_DELETE, 0},
	[OP_ACCESS] = {STEP_LOOKUP_OR_UPDATE, BPF_ANY},
	[OP_DIST] = {STEP_LOOKUP_OR_UPDATE, BPF_NOEXIST},
};

static uint8_t *slot_key(const struct kernel_run *run, uint32_t slot)
{
	return run->program.keys + slot * run->program.key_stride;
}

/* The operation's key, cut or filled with zeroes to the map's size. */
static void fill_key(const struct kernel_run *run, uint32_t slot)
{
	const struct map_op *op = &run->ops[slot];
	const void *from = &op->key;
	size_t used = sizeof(op->key);
	uint8_t *key = slot_key(run, slot);

	if (op->key_bytes) {
		from = run->run->batch->arena + op->key;
		used = op->key_bytes;
	}
	if (used > run->map.key_size)
		used = run->map.key_size;
	memcpy(key, from, used);
	memset(key + used, 0, run->map.key_size - used);
}

static void fill_slot(const struct kernel_run *run, uint32_t slot)
{
	const struct map_op *op = &run->ops[slot];
	const uint64_t *values = run->run->batch->values;
	size_t i = run->first + slot;
	struct kernel_slot filled = {
		.value = values ? values[i] : run->run->first_index + i,
		.step = code_steps[op->code].step,
		.flags = code_steps[op->code].flags,
	};

	/* By system call it only looks up here: see the head of the file. */
	if (op->code == OP_DIST && op->context == OP_SYSCALL)
		filled.step = STEP_LOOKUP;
	fill_key(run, slot);
	run->program.slots[slot] = filled;
}

/* Gives what an operation answered to who asked for it, and counts it. */
static void take_answer(struct kernel_run *run, uint32_t slot, const struct kernel_answer *answer)
{
	const struct map_op *op = &run->ops[slot];
	const struct map_run *to = run->run;
	size_t i = run->first + slot;

	return_counts_add(&run->cpus[op->cpu].counts, op, answer->ret, answer->detail);
	if (to->returns)
		to->returns[i] = answer->ret;
	if (to->details)
		to->details[i] = answer->detail;
	if (to->reads)
		to->reads[i] = answer->read;
}

/* Does slots by the program, all of the CPU this runs on. */
static int work_by_program(struct kernel_run *run, uint32_t first, uint32_t end)
{
	uint64_t begin = now_ns();
	int err = kernel_program_run(&run->program, first, end);

	run->nanoseconds += now_ns() - begin;
	return err;
}

static int dist_by_call(struct kernel_run *run, uint32_t slot, struct kernel_answer *answer)
{
	const struct kernel_slot *done = &run->program.slots[slot];
	uint64_t begin;
	int err = work_by_program(run, slot, slot + 1);

	if (err)
		return err;
	memset(answer, 0, sizeof(*answer));
	begin = now_ns();
	if (done->ret == -ENOENT) {
		err = kernel_map_update(&run->map, slot_key(run, slot), done->value, BPF_NOEXIST);
		answer->ret = err ? err : 1;
	}
	run->nanoseconds += now_ns() - begin;
	/* The program reads its own CPU's value, a system call all of them. */
	if (!answer->ret && run->run->reads)
		answer->read = kernel_map_fold(&run->map, slot_key(run, slot));
	return 0;
}

static int work_by_call(struct kernel_run *run, uint32_t slot)
{
	const struct map_op *op = &run->ops[slot];
	struct kernel_answer answer;
	uint64_t begin;
	int err;

	if (op->code == OP_DIST) {
		err = dist_by_call(run, slot, &answer);
	} else {
		begin = now_ns();
		err = kernel_map_call(&run->map, op, slot_key(run, slot),
				      run->program.slots[slot].value, run->run->reads != NULL,
				      &run->cpus[op->cpu].cursor, &answer);
		run->nanoseconds += now_ns() - begin;
	}
	if (!err)
		take_answer(run, slot, &answer);
	return err;
}

/* Behind the last of the slots from first on that the program does on a CPU. */
static uint32_t program_end(const struct kernel_run *run, uint32_t first, uint32_t cpu)
{
	uint32_t end = first;

	while (end < run->count && run->ops[end].cpu == cpu && is_for_program(&run->ops[end]))
		end++;
	return end;
}

/* Does what is next as long as it is this CPU's; says whose turn it is then. */
static int64_t kernel_work(void *arg, uint32_t cpu)
{
	struct kernel_run *run = arg;

	while (!run->err && run->next < run->count) {
		uint32_t first = run->next, end;

		if (run->ops[first].cpu != cpu)
			return run->ops[first].cpu;
		end = program_end(run, first, cpu);
		if (end > first) {
			run->err = work_by_program(run, first, end);
		} else {
			end = first + 1;
			run->err = work_by_call(run, first);
		}
		run->next = end;
	}
	return RELAY_DONE;
}

/* The CPUs of the slots are there, and their threads started. */
static int start_cpus(struct kernel_run *run, struct error *error)
{
	for (uint32_t slot = 0; slot < run->count; slot++) {
		uint32_t cpu = run->ops[slot].cpu;
		int err = run->is_usable[cpu] ? relay_start(run->relay, cpu) : -EINVAL;
		char usable[CPU_RANGES_BYTES];

		if (err == -EINVAL)
			return error_set_missing(error, -ENXIO,
						 "-e kernel: operation %llu is on CPU %u, where "
						 "this process may not run; it may on %s",
						 (unsigned long long)run->run->first_index +
							 run->first + slot,
						 cpu,
						 cpu_ranges(run->is_usable, run->cpu_count, usable,
							    sizeof(usable)));
		if (err)
			return error_set(error, err, "no thread could be started on CPU %u", cpu);
	}
	return 0;
}

static void take_program_answers(struct kernel_run *run)
{
	for (uint32_t slot = 0; slot < run->count; slot++) {
		const struct kernel_slot *done = &run->program.slots[slot];
		struct kernel_answer answer = {.ret = done->ret, .read = done->read};

		if (is_for_program(&run->ops[slot]))
			take_answer(run, slot, &answer);
	}
}

/* Runs as much of a batch as there are slots, from run->first on. */
static int run_slots(struct kernel_run *run, struct error *error)
{
	int err = start_cpus(run, error);

	if (err)
		return err;
	for (uint32_t slot = 0; slot < run->count; slot++)
		fill_slot(run, slot);
	run->next = 0;
	run->err = 0;
	relay_run(run->relay, run->ops[0].cpu);
	if (run->err)
		return error_set(error, run->err, "the kernel did not run operation %llu: %s",
				 (unsigned long long)run->run->first_index + run->first + run->next,
				 strerror(-run->err));
	take_program_answers(run);
	return 0;
}

static int kernel_run(void *state, const struct map_run *map_run, struct error *error)
{
	struct kernel_run *run = state;
	size_t count = map_run->batch->count;
	int err = 0;

	/* A program that folds is loaded when it is first needed: few runs do. */
	if (map_run->reads && !run->program.folds) {
		struct kernel_program folding;

		err = kernel_program_init(&folding, run->map.fd, run->map.key_size,
					  run->map.value_size, true, error);
		if (err) {
			kernel_program_deinit(&folding);
			return err;
		}
		kernel_program_deinit(&run->program);
		run->program = folding;
	}
	run->run = map_run;
	for (run->first = 0; !err && run->first < count; run->first += run->count) {
		size_t left = count - run->first;

		run->ops = map_run->batch->ops + run->first;
		run->count =
			left < run->program.slot_count ? (uint32_t)left : run->program.slot_count;
		err = run_slots(run, error);
	}
	return err;
}

static void kernel_counters(void *state, uint32_t cpu, struct map_counters *counters)
{
	struct kernel_run *run = state;

	return_counts_cpu(&run->cpus[cpu].counts, run->map.is_lru, counters);
}

/* Calls fn with the first 8 bytes of each key, by system call. Returns how many there are. */
static uint64_t walk(struct kernel_run *run, engine_key_fn *fn, void *arg)
{
	struct kernel_map *map = &run->map;
	size_t used = map->key_size < sizeof(uint64_t) ? map->key_size : sizeof(uint64_t);
	const void *key = NULL;
	uint64_t count = 0;

	/* next may be key: the kernel has read one before it writes the other. */
	while (!bpf_map_get_next_key(map->fd, key, map->next_key)) {
		uint64_t number = 0;

		memcpy(&number, map->next_key, used);
		if (fn)
			fn(arg, number);
		key = map->next_key;
		count++;
	}
	return count;
}

static void kernel_census(void *state, struct map_census *census)
{
	struct kernel_run *run = state;

	census->entries = walk(run, NULL, NULL);
	census->entries_max = COUNT_UNKNOWN;
	census->first_premature_entries = run->map.is_lru ? COUNT_UNKNOWN : 0;
}

static void kernel_total(void *state, struct map_counters *counters)
{
	struct kernel_run *run = state;
	struct return_counts sum = {0};

	for (uint32_t cpu = 0; cpu < run->cpu_count; cpu++)
		return_counts_sum(&sum, &run->cpus[cpu].counts);
	return_counts_total(&sum, run->map.is_lru, walk(run, NULL, NULL), counters);
}

/* What the kernel itself says the map takes: map_mem_usage, since 6.4. */
static void kernel_memory(void *state, struct map_memory *memory)
{
	struct kernel_run *run = state;
	unsigned long long bytes;
	char line[128];
	FILE *file;

	memory->kernel_bytes = COUNT_UNKNOWN;
	memory->model_bytes = COUNT_UNKNOWN;
	snprintf(line, sizeof(line), "/proc/self/fdinfo/%d", run->map.fd);
	file = fopen(line, "re");
	while (file && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "memlock: %llu", &bytes) == 1)
			memory->kernel_bytes = bytes;
	}
	if (file)
		fclose(file);
}

static uint32_t kernel_max_entries(void *state)
{
	return ((struct kernel_run *)state)->map.max_entries;
}

static int kernel_dump(void *state, engine_key_fn *fn, void *arg, struct error *error)
{
	(void)error;
	walk(state, fn, arg);
	return 0;
}

/* The elements that batches copy, in one batch after another. */
static int count_by_batches(struct kernel_run *run, uint64_t *count)
{
	struct map_op op = {.code = OP_BATCH_LOOKUP, .context = OP_SYSCALL, .key = UINT32_MAX};
	struct batch_cursor cursor = {0};
	struct kernel_answer answer = {0};
	int err = 0;

	*count = 0;
	while (!err && !answer.ret) {
		err = kernel_map_call(&run->map, &op, NULL, 0, false, &cursor, &answer);
		*count += answer.detail;
	}
	return err ? err : answer.ret;
}

/* A map that cannot be looked into: its two ways of being read agree, and fit its size. */
static int kernel_check(void *state, struct error *error)
{
	struct kernel_run *run = state;
	uint64_t walked = walk(run, NULL, NULL), copied;
	int err;

	if (run->map.is_lru && walked > run->map.max_entries)
		return error_set(error, -EUCLEAN, "the map has %llu elements, and room for %u",
				 (unsigned long long)walked, run->map.max_entries);
	err = count_by_batches(run, &copied);
	if (err != -ENOENT)
		return error_set(error, err,
				 "-e kernel: --check needs batches, which the running kernel does "
				 "not have for the map (%s)",
				 errno_name(err) ? errno_name(err) : "unknown error");
	if (copied != walked)
		return error_set(error, -EUCLEAN,
				 "get_next_key finds %llu elements, batches find %llu",
				 (unsigned long long)walked, (unsigned long long)copied);
	return 0;
}

static double kernel_seconds(void *state)
{
	return (double)((struct kernel_run *)state)->nanoseconds * 1e-9;
}

/* The CPUs of a benchmark are numbered by its workers. */
static int kernel_bench(void *state, const struct bench_phase *phase, struct error *error)
{
	struct kernel_run *run = state;
	uint32_t workers = phase->workload->params.running;
	struct return_counts *counts = calloc(workers, sizeof(*counts));
	int err;

	if (!counts)
		return error_set(error, -ENOMEM, "out of memory");
	err = kernel_bench_phase(&run->bench, &run->map, phase, counts, error);
	for (uint32_t i = 0; i < workers; i++)
		return_counts_sum(&run->cpus[i].counts, &counts[i]);
	free(counts);
	return err;
}

const struct engine engine_kernel = {
	.name = "kernel",
	.summary = "the running kernel's own map",
	.is_running_kernel = true,
	.open = kernel_open,
	.close = kernel_close,
	.run = kernel_run,
	.counters = kernel_counters,
	.total = kernel_total,
	.census = kernel_census,
	.memory = kernel_memory,
	.max_entries = kernel_max_entries,
	.dump = kernel_dump,
	.check = kernel_check,
	.seconds = kernel_seconds,
	.bench = kernel_bench,
};
