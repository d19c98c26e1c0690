// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What a sweep varies: lists and ranges. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sim/vary.h"
#include "tests/unit/unit.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* The name and values, as "NAME: VALUE VALUE". */
static void expect_values(const char *text, const char *expected)
{
	char found[4096];
	struct error error = {.text = ""};
	struct vary vary;
	size_t used;

	CU_ASSERT_EQUAL_FATAL(vary_parse(text, &vary, &error), 0);
	used = (size_t)snprintf(found, sizeof(found), "%s:", vary.name);
	for (size_t i = 0; i < vary.count; i++)
		used += (size_t)snprintf(found + used, sizeof(found) - used, " %s", vary.values[i]);
	CU_ASSERT_STRING_EQUAL(found, expected);
	CU_ASSERT_STRING_EQUAL(error.text, "");
	vary_deinit(&vary);
	CU_ASSERT(!vary.name && !vary.values && !vary.count);
}

static void test_lists(void)
{
	expect_values("nr_scans=4", "nr_scans: 4");
	expect_values("a=4,16,128", "a: 4 16 128");
	/* A value is a text: what it means is not known here. */
	expect_values("kernel=6.12,7.3,host", "kernel: 6.12 7.3 host");
	expect_values("max_entries=1k,0x10,2M", "max_entries: 1k 0x10 2M");
	expect_values("--seed=1", "--seed: 1");
	expect_values("flags=no_common_lru+numa_node=0,none",
		      "flags: no_common_lru+numa_node=0 none");
	expect_values("spread=block:10,hash", "spread: block:10 hash");
	expect_values("a=4,4", "a: 4 4");
	/* Blanks around names, values and bounds are no part of them. */
	expect_values(" a = 4, 16 ,\t1 .. 3", "a: 4 16 1 2 3");
	expect_values("a=1 .. 9 : x3", "a: 1 3 9");
}

static void test_ranges(void)
{
	expect_values("a=1..5", "a: 1 2 3 4 5");
	expect_values("a=7..7", "a: 7");
	expect_values("a=0..2", "a: 0 1 2");
	expect_values("a=10..30:10", "a: 10 20 30");
	expect_values("a=10..35:+10", "a: 10 20 30");
	expect_values("a=1..100:x10", "a: 1 10 100");
	expect_values("a=1..99:x10", "a: 1 10");
	expect_values("a=5..6:x2", "a: 5");
	expect_values("a=5..6:100", "a: 5");
	expect_values("a=1k..4k:x2", "a: 1024 2048 4096");
	expect_values("a=1..2k:1k", "a: 1 1025");
	expect_values("a=0x10..0x12", "a: 16 17 18");
	expect_values("a=1..3,10,20..40:x2", "a: 1 2 3 10 20 40");
}

/* The last step may not go round. */
static void test_range_ends(void)
{
	expect_values("a=18446744073709551614..18446744073709551615",
		      "a: 18446744073709551614 18446744073709551615");
	expect_values("a=15E..18446744073709551615:x2", "a: 17293822569102704640");
	expect_values("a=1..18446744073709551615:18446744073709551615", "a: 1");
	expect_values("a=9223372036854775808..18446744073709551615:x2", "a: 9223372036854775808");
}

static void test_errors(void)
{
	static const char *const texts[] = {
		"",          "a",         "a=",        "=1",         "=",
		"a=5..4",    "a=1..",     "a=..5",     "a=..",       "a=1..b",
		"a=b..3",    "a=1..5:0",  "a=1..5:+0", "a=1..5:x0",  "a=1..5:x1",
		"a=0..5:x2", "a=1..5:",   "a=1..5:y2", "a=1..5:-1",  "a=1..5:x",
		"a=1..5:+",  "a=1..2..3", "a=-1..3",   "a=1..5:2:3", "a=1..3,5..4",
		"a=1...3",
	};

	for (size_t i = 0; i < COUNT(texts); i++) {
		struct error error = {.text = ""};
		struct vary vary;

		if (vary_parse(texts[i], &vary, &error) != -EINVAL)
			CU_assertImplementation(CU_FALSE, __LINE__, texts[i], __FILE__, "",
						CU_FALSE);
		CU_ASSERT(!strncmp(error.text, "--vary", 6));
		CU_ASSERT_EQUAL(vary_parse(texts[i], &vary, NULL), -EINVAL);
	}
}

static void test_error_texts(void)
{
	struct error error;
	struct vary vary;

	vary_parse("nr_scans", &vary, &error);
	CU_ASSERT_STRING_EQUAL(error.text, "--vary nr_scans: expected NAME=VALUE,... or "
					   "NAME=FIRST..LAST[:STEP]");
	vary_parse("a=1,5..4", &vary, &error);
	CU_ASSERT_STRING_EQUAL(error.text,
			       "--vary a: range \"5..4\": expected A..B, A..B:STEP or "
			       "A..B:xFACTOR with A at most B, STEP at least 1 and FACTOR "
			       "at least 2");
}

static void test_too_many(void)
{
	struct error error = {.text = ""};
	struct vary vary;

	CU_ASSERT_EQUAL(vary_parse("a=1..1000001", &vary, &error), -EINVAL);
	CU_ASSERT_STRING_EQUAL(error.text, "--vary a: more than 1000000 values");
	CU_ASSERT_EQUAL(vary_parse("a=0..18446744073709551615", &vary, &error), -EINVAL);
	CU_ASSERT_EQUAL_FATAL(vary_parse("a=1..1000000", &vary, &error), 0);
	CU_ASSERT_EQUAL(vary.count, 1000000);
	CU_ASSERT_STRING_EQUAL(vary.values[999999], "1000000");
	vary_deinit(&vary);
	vary_deinit(&vary);
}

CU_TestInfo vary_tests[] = {
	{"lists", test_lists},
	{"ranges", test_ranges},
	{"ends of ranges", test_range_ends},
	{"errors", test_errors},
	{"texts of errors", test_error_texts},
	{"too many values", test_too_many},
	CU_TEST_INFO_NULL,
};
