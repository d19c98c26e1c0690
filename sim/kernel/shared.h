/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the engine and its BPF program say to each other, in maps that the engine maps into its
 * memory. Without includes: the BPF compiler has its own names for the integers.
 */
#ifndef SIM_KERNEL_SHARED_H
#define SIM_KERNEL_SHARED_H

/* What the program does in a step. */
enum slot_step {
	STEP_LOOKUP,
	STEP_UPDATE, /* with flags */
	STEP_DELETE,
	STEP_LOOKUP_OR_UPDATE, /* look up; when missing, update with flags */
};

/* One operation of the program. */
struct kernel_slot {
	unsigned long long value; /* in: the first 8 bytes of what updates write */
	unsigned long long read;  /* out: what it read, folded; only with folds */
	unsigned int step;        /* in: enum slot_step */
	unsigned int flags;       /* in: of the update */
	int ret; /* out: 0, 1 when a look-up missed and the update inserted, -errno */
};

/* Which slots are next. */
struct kernel_control {
	unsigned int next; /* in and out: the first that is not done */
	unsigned int end;  /* in: behind the last to do */
};

/* What is constant once the program is loaded, so that the verifier can reckon with it. */
struct kernel_settings {
	unsigned int value_bytes;
	unsigned int folds; /* whether slots get what was read */
};

/* Steps of one run of the bounded loop. */
#define KERNEL_BOUNDED_STEPS 64

/* Steps of a benchmark in one call, where the kernel has bpf_loop(). */
#define KERNEL_BENCH_TURNS 8192

#endif
