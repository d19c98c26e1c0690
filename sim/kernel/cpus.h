/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The CPUs of this machine, as the kernel numbers them. */
#ifndef SIM_KERNEL_CPUS_H
#define SIM_KERNEL_CPUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CPU_RANGES_BYTES 128

/*
 * How many CPUs a list like "0-3,8" needs that begins at 0: the last one's number + 1. 0 when it is
 * no such list.
 */
uint32_t cpu_list_end(const char *text);

/*
 * Possible CPUs, for each of which per-CPU values have a copy: from
 * /sys/devices/system/cpu/possible, or without that those that are configured.
 */
uint32_t cpus_possible(void);

/* Sets is_usable[0..count) to whether the calling thread may run there. 0, or a negative errno. */
int cpus_usable(bool *is_usable, uint32_t count);

/* How many those are; 1 when the system does not say. */
uint32_t cpus_usable_count(void);

/* Writes those that are true as ranges, "0-3,8"; cut to fit. Returns text. */
const char *cpu_ranges(const bool *is_member, uint32_t count, char *text, size_t bytes);

#endif
