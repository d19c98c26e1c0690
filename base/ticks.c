// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "base/ticks.h"

#include <pthread.h>
#include <stdbool.h>
#include <time.h>

#if defined(__x86_64__)
#include <cpuid.h>
#include <x86intrin.h>
#endif

#define CALIBRATION_NS 20000000
#define COST_READINGS 1000

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool has_counter;
static double ns_per_tick = 1;
static uint64_t cost;

static uint64_t clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

#if defined(__x86_64__)

/* Whether the time-stamp counter runs at one rate in every state of the CPU (bit 8). */
static bool counter_is_even(void)
{
	unsigned int eax, ebx, ecx, edx;

	return __get_cpuid(0x80000007, &eax, &ebx, &ecx, &edx) && edx & 1u << 8;
}

/* Not before all in front of it is done, or loads that are still waited for would not count. */
static inline uint64_t counter_read(void)
{
	_mm_lfence();
	return __rdtsc();
}

#elif defined(__aarch64__)

static bool counter_is_even(void)
{
	return true;
}

static inline uint64_t counter_read(void)
{
	uint64_t count;

	__asm__ volatile("isb; mrs %0, cntvct_el0" : "=r"(count) : : "memory");
	return count;
}

#else

static bool counter_is_even(void)
{
	return false;
}

static inline uint64_t counter_read(void)
{
	return 0;
}

#endif

uint64_t ticks_now(void)
{
	return has_counter ? counter_read() : clock_ns();
}

static void calibrate(void)
{
	uint64_t begin_ns = clock_ns(), begin = counter_read(), end_ns, end;

	do {
		end_ns = clock_ns();
		end = counter_read();
	} while (end_ns - begin_ns < CALIBRATION_NS);
	if (end > begin)
		ns_per_tick = (double)(end_ns - begin_ns) / (double)(end - begin);
	else
		has_counter = false;
}

static void choose(void)
{
	has_counter = counter_is_even();
	if (has_counter)
		calibrate();
	cost = UINT64_MAX;
	for (int i = 0; i < COST_READINGS; i++) {
		uint64_t begin = ticks_now(), passed = ticks_now() - begin;

		if (passed < cost)
			cost = passed;
	}
}

void ticks_init(void)
{
	pthread_once(&once, choose);
}

double ticks_ns(void)
{
	return ns_per_tick;
}

uint64_t ticks_cost(void)
{
	return cost;
}
