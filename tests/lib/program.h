/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a BPF program does to a map of 8-byte keys, on the CPU that runs: in the kernel by real
 * programs, with the shim by calls.
 */
#ifndef TESTS_LIB_PROGRAM_H
#define TESTS_LIB_PROGRAM_H

#include <bpf/bpf.h>
#include <stdint.h>
#include <string.h>

/* Both return 0 or a negative errno; values are of 8 bytes, of which the lower 4 are read. */
#ifdef SHIM_BPF_BPF_H

static inline int program_lookup(int fd, uint64_t key, uint32_t *value)
{
	const void *place = mapsim_map_lookup_ptr(shim_map(fd), shim_cpu, MAPSIM_PROGRAM, &key);

	if (!place)
		return -errno;
	memcpy(value, place, sizeof(*value));
	return 0;
}

static inline int program_update(int fd, uint64_t key, uint64_t value, uint64_t flags)
{
	return mapsim_map_update_elem(shim_map(fd), shim_cpu, MAPSIM_PROGRAM, &key, &value, flags);
}

#else

/* The registers' contents in comments are those behind the instruction. */
#define INSN(op, d, s, o, i)                                                                       \
	{                                                                                          \
		.code = (op), .dst_reg = (d), .src_reg = (s), .off = (o), .imm = (i)               \
	}

/* Runs instructions; *returned gets what they return. 0, or -1 with a text to standard error. */
static inline int program_run(const struct bpf_insn *insns, size_t count, uint32_t *returned)
{
	uint64_t packet[8] = {0};
	LIBBPF_OPTS(bpf_test_run_opts, run, .data_in = packet, .data_size_in = sizeof(packet));
	int fd = bpf_prog_load(BPF_PROG_TYPE_XDP, "mapsim_test", "GPL", insns, count, NULL);
	int err;

	if (fd < 0) {
		fprintf(stderr, "a program cannot be loaded: %s\n", strerror(errno));
		return -1;
	}
	err = bpf_prog_test_run_opts(fd, &run);
	if (err)
		fprintf(stderr, "a program cannot be run: %s\n", strerror(errno));
	close(fd);
	*returned = run.retval;
	return err ? -1 : 0;
}

static inline int program_lookup(int fd, uint64_t key, uint32_t *value)
{
	const struct bpf_insn insns[] = {
		INSN(BPF_LD | BPF_DW | BPF_IMM, 2, 0, 0, (int32_t)key), /* r2: key */
		INSN(0, 0, 0, 0, (int32_t)(key >> 32)),
		INSN(BPF_STX | BPF_MEM | BPF_DW, 10, 2, -8, 0),
		INSN(BPF_ALU64 | BPF_MOV | BPF_X, 2, 10, 0, 0),
		INSN(BPF_ALU64 | BPF_ADD | BPF_K, 2, 0, 0, -8), /* r2: the key's address */
		INSN(BPF_LD | BPF_DW | BPF_IMM, 1, BPF_PSEUDO_MAP_FD, 0, fd), /* r1: the map */
		INSN(0, 0, 0, 0, 0),
		INSN(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_map_lookup_elem),
		INSN(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 2, 0),
		INSN(BPF_LDX | BPF_MEM | BPF_W, 0, 0, 0, 0), /* r0: the value */
		INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0),
		INSN(BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, -1),
		INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0),
	};

	if (program_run(insns, sizeof(insns) / sizeof(insns[0]), value))
		return -EIO;
	return *value == UINT32_MAX ? -ENOENT : 0;
}

static inline int program_update(int fd, uint64_t key, uint64_t value, uint64_t flags)
{
	const struct bpf_insn insns[] = {
		INSN(BPF_LD | BPF_DW | BPF_IMM, 2, 0, 0, (int32_t)key), /* r2: key */
		INSN(0, 0, 0, 0, (int32_t)(key >> 32)),
		INSN(BPF_STX | BPF_MEM | BPF_DW, 10, 2, -8, 0),
		INSN(BPF_LD | BPF_DW | BPF_IMM, 3, 0, 0, (int32_t)value), /* r3: value */
		INSN(0, 0, 0, 0, (int32_t)(value >> 32)),
		INSN(BPF_STX | BPF_MEM | BPF_DW, 10, 3, -16, 0),
		INSN(BPF_ALU64 | BPF_MOV | BPF_X, 2, 10, 0, 0),
		INSN(BPF_ALU64 | BPF_ADD | BPF_K, 2, 0, 0, -8), /* r2: the key's address */
		INSN(BPF_ALU64 | BPF_MOV | BPF_X, 3, 10, 0, 0),
		INSN(BPF_ALU64 | BPF_ADD | BPF_K, 3, 0, 0, -16), /* r3: the value's address */
		INSN(BPF_ALU64 | BPF_MOV | BPF_K, 4, 0, 0, (int32_t)flags),   /* r4: flags */
		INSN(BPF_LD | BPF_DW | BPF_IMM, 1, BPF_PSEUDO_MAP_FD, 0, fd), /* r1: the map */
		INSN(0, 0, 0, 0, 0),
		INSN(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_map_update_elem),
		INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0),
	};
	uint32_t returned;

	if (program_run(insns, sizeof(insns) / sizeof(insns[0]), &returned))
		return -EIO;
	return (int)returned;
}

#endif

#endif
