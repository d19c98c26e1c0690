/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What processors offer beyond C. */
#ifndef BASE_CPU_H
#define BASE_CPU_H

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
