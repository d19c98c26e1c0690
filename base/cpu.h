/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What processors offer beyond C. */
#ifndef BASE_CPU_H
#define BASE_CPU_H

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define CPU_LINE_BYTES                                                                             \
	128 /* that no other CPU's data should share: two lines are fetched at a time */

static inline size_t cpu_round_up_to_lines(size_t bytes)
{
	return (bytes + CPU_LINE_BYTES - 1) / CPU_LINE_BYTES * CPU_LINE_BYTES;
}

/* Zeroed memory on lines of its own, to be freed by free(); NULL when there is none. */
static inline void *cpu_alloc_lines(size_t bytes)
{
	void *memory = aligned_alloc(CPU_LINE_BYTES, cpu_round_up_to_lines(bytes));

	if (memory)
		memset(memory, 0, bytes);
	return memory;
}

/* Tells the processor that this thread waits for another one's store. */
static inline void cpu_pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__) || defined(__arm__)
	__asm__ volatile("yield" : : : "memory");
#elif defined(__powerpc64__)
	__asm__ volatile("or 27,27,27" : : : "memory");
#else
	__asm__ volatile("" : : : "memory");
#endif
}

#endif
