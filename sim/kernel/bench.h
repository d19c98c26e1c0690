/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Benchmarks in the running kernel's map, by a BPF program on each CPU. See bench.bpf.c. */
#ifndef SIM_KERNEL_BENCH_H
#define SIM_KERNEL_BENCH_H

#include "sim/bench.h"
#include "sim/kernel/counts.h"
#include "sim/kernel/load.h"
#include "sim/kernel/syscalls.h"

/* A zeroed one has no program yet. */
struct kernel_bench {
	struct kernel_object object;
	uint32_t kind;          /* of workload that the program is for */
	uint32_t cpu_count;     /* possible CPUs */
	struct bench_cpu *cpus; /* the program's, by the machine's numbers */
	uint32_t *places;       /* the machine's CPU of each worker */
};

/*
 * Does a phase on the first CPUs that this process may use, and counts what became of each worker's
 * operations. Returns 0, -EINTR, -ENXIO with error where there are not enough CPUs, or another
 * negative errno with error.
 */
int kernel_bench_phase(struct kernel_bench *bench, const struct kernel_map *map,
		       const struct bench_phase *phase, struct return_counts *counts,
		       struct error *error);

void kernel_bench_deinit(struct kernel_bench *bench);

#endif
