/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the BPF programs of the engine have in common. */
#ifndef SIM_KERNEL_COMMON_BPF_H
#define SIM_KERNEL_COMMON_BPF_H

#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

#define ENOENT 2

char program_license[] SEC("license") = "Dual BSD/GPL";

/* The map that is tested; the engine puts its own in here. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__uint(key_size, 8);
	__uint(value_size, 8);
} tested SEC(".maps");

#endif
