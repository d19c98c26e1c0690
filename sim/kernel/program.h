/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The program side of the kernel engine: a BPF program that does operations from slots, and the
 * maps through which it gets them. See run.bpf.c.
 */
#ifndef SIM_KERNEL_PROGRAM_H
#define SIM_KERNEL_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "sim/kernel/load.h"
#include "sim/kernel/shared.h"

struct kernel_program {
	struct kernel_object object;
	uint32_t slot_count;
	size_t key_stride; /* bytes from key to key */
	bool folds;

	/* Shared with the program. */
	volatile struct kernel_control *control;
	struct kernel_slot *slots;
	uint8_t *keys; /* key_size bytes each, and zeroes up to key_stride */
};

/*
 * Loads the newest program that the running kernel takes, for a map; folds: whether slots get what
 * was read. $MAPSIM_KERNEL_PROGRAM (run_loop, run_bounded, run_repeat) chooses for tests. Returns
 * 0, or a negative errno with error: -EPERM etc. with what is missing. The program is deinit's
 * afterwards, also after an error.
 */
int kernel_program_init(struct kernel_program *program, int map_fd, uint32_t key_size,
			uint32_t value_size, bool folds, struct error *error);

/* Also takes a zeroed program. */
void kernel_program_deinit(struct kernel_program *program);

/* Does the slots first..end-1, on the CPU that the caller runs on. 0, or a negative errno. */
int kernel_program_run(struct kernel_program *program, uint32_t first, uint32_t end);

#endif
