// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Histograms of times, and the clock that the times are from. */
#include <time.h>

#include "base/histogram.h"
#include "base/ticks.h"
#include "tests/unit/unit.h"

static void test_empty(void)
{
	static const struct histogram empty;

	CU_ASSERT_EQUAL(histogram_quantile(&empty, 0), 0);
	CU_ASSERT_EQUAL(histogram_quantile(&empty, 1), 0);
}

/* Whatever its size, a value is told to within 1/32 of itself, and never less than it is. */
static void test_precision(void)
{
	for (unsigned int bit = 0; bit < HISTOGRAM_VALUE_BITS - 1; bit++) {
		for (uint64_t step = 0; step < 7; step++) {
			uint64_t value = (UINT64_C(1) << bit) + (step << bit) / 7;
			struct histogram histogram = {0};
			uint64_t told;

			histogram_add(&histogram, value);
			told = histogram_quantile(&histogram, 0.5);
			CU_ASSERT(told >= value && told - value <= value / HISTOGRAM_STEPS);
		}
	}
}

static void test_small_values_are_exact(void)
{
	struct histogram histogram = {0};

	for (uint64_t value = 0; value < 100; value++)
		histogram_add(&histogram, value < HISTOGRAM_STEPS ? value : 0);
	CU_ASSERT_EQUAL(histogram_quantile(&histogram, 0.69), 0);
	CU_ASSERT_EQUAL(histogram_quantile(&histogram, 0.70), 1);
	CU_ASSERT_EQUAL(histogram_quantile(&histogram, 1), HISTOGRAM_STEPS - 1);
}

static void test_large_values_are_kept(void)
{
	struct histogram histogram = {0};

	histogram_add(&histogram, UINT64_MAX);
	CU_ASSERT_EQUAL(histogram_quantile(&histogram, 1), (UINT64_C(1) << 40) - 1);
}

static void test_merge(void)
{
	struct histogram a = {0}, b = {0};

	for (uint64_t i = 0; i < 90; i++)
		histogram_add(&a, 3);
	for (uint64_t i = 0; i < 10; i++)
		histogram_add(&b, 20);
	histogram_merge(&a, &b);
	CU_ASSERT_EQUAL(a.count, 100);
	CU_ASSERT_EQUAL(histogram_quantile(&a, 0.9), 3);
	CU_ASSERT_EQUAL(histogram_quantile(&a, 0.91), 20);
}

static void test_ticks(void)
{
	struct timespec rest = {.tv_nsec = 20000000};
	uint64_t begin;
	double passed_ns;

	ticks_init();
	ticks_init();
	begin = ticks_now();
	nanosleep(&rest, NULL);
	passed_ns = (double)(ticks_now() - begin) * ticks_ns();
	CU_ASSERT(passed_ns >= 19e6 && passed_ns < 10e9);
	CU_ASSERT((double)ticks_cost() * ticks_ns() < 1e6);
}

CU_TestInfo histogram_tests[] = {
	{"empty", test_empty},
	{"precision", test_precision},
	{"small values are exact", test_small_values_are_exact},
	{"large values are kept", test_large_values_are_kept},
	{"merge", test_merge},
	{"ticks", test_ticks},
	CU_TEST_INFO_NULL,
};
