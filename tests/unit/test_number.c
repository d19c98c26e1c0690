// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Numbers as users write them. */
#include <errno.h>
#include <float.h>
#include <string.h>

#include "base/number.h"
#include "tests/unit/unit.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define UNTOUCHED 4242

static void test_good(void)
{
	static const struct {
		const char *text;
		uint64_t value;
	} numbers[] = {
		{"0", 0},
		{"00", 0},
		{"1", 1},
		{"4096", 4096},
		{"18446744073709551615", UINT64_MAX},
		/* Powers of 1024, in either case. */
		{"1k", 1024},
		{"10K", 10240},
		{"0k", 0},
		{"3m", 3 << 20},
		{"3M", 3 << 20},
		{"2g", 2ULL << 30},
		{"2G", 2ULL << 30},
		{"1t", 1ULL << 40},
		{"16777215T", 16777215ULL << 40},
		/* Hex, also with a suffix. */
		{"0x10", 16},
		{"0X1f", 31},
		{"0xDEADBEEF", 0xdeadbeef},
		{"0xffffffffffffffff", UINT64_MAX},
		{"0x10k", 16384},
		{"0x1b", 27},
		/* There is no octal. */
		{"010", 10},
		{"08", 8},
		{"007k", 7168},
		{"000123", 123},
	};

	for (size_t i = 0; i < COUNT(numbers); i++) {
		uint64_t value = UNTOUCHED;

		CU_ASSERT_EQUAL(number_parse(numbers[i].text, 0, UINT64_MAX, &value), 0);
		CU_ASSERT_EQUAL(value, numbers[i].value);
	}
}

static void test_bad(void)
{
	static const char *const texts[] = {"",    " ",     "-1",  "+1",    " 1",   "1 ",  "\t1",
					    "1\n", "k",     "x10", "0x",    "0xg",  "0xk", "1.5",
					    "1,5", "12abc", "1 k", "1_000", "--1",  "a",   "1kk",
					    "1k1", "1e3",   "1MM", "1k ",   "10x10"};

	for (size_t i = 0; i < COUNT(texts); i++) {
		uint64_t value = UNTOUCHED;
		int err = number_parse(texts[i], 0, UINT64_MAX, &value);

		if (err != -EINVAL)
			CU_assertImplementation(CU_FALSE, __LINE__, texts[i], __FILE__, "",
						CU_FALSE);
		CU_ASSERT_EQUAL(value, UNTOUCHED);
	}
}

/* Too large for 64 bits, before or after the suffix. */
static void test_overflow(void)
{
	static const char *const texts[] = {"18446744073709551616", "99999999999999999999999",
					    "0x10000000000000000",  "16777216T",
					    "17179869184G",         "18446744073709551615k",
					    "18446744073709551616k"};

	for (size_t i = 0; i < COUNT(texts); i++) {
		uint64_t value = UNTOUCHED;
		int err = number_parse(texts[i], 0, UINT64_MAX, &value);

		if (err != -ERANGE)
			CU_assertImplementation(CU_FALSE, __LINE__, texts[i], __FILE__, "",
						CU_FALSE);
		CU_ASSERT_EQUAL(value, UNTOUCHED);
	}
}

static void test_range(void)
{
	uint64_t value = UNTOUCHED;

	CU_ASSERT_EQUAL(number_parse("9", 10, 20, &value), -ERANGE);
	CU_ASSERT_EQUAL(number_parse("21", 10, 20, &value), -ERANGE);
	CU_ASSERT_EQUAL(number_parse("1k", 10, 20, &value), -ERANGE);
	CU_ASSERT_EQUAL(value, UNTOUCHED);
	CU_ASSERT_EQUAL(number_parse("10", 10, 20, &value), 0);
	CU_ASSERT_EQUAL(value, 10);
	CU_ASSERT_EQUAL(number_parse("0x14", 10, 20, &value), 0);
	CU_ASSERT_EQUAL(value, 20);
	CU_ASSERT_EQUAL(number_parse("7", 7, 7, &value), 0);
	CU_ASSERT_EQUAL(number_parse("0", 1, UINT64_MAX, &value), -ERANGE);
}

static void test_hint(void)
{
	CU_ASSERT_STRING_EQUAL(number_hint("1e6"), "; whole, with k, M or G for powers of 1024");
	CU_ASSERT_STRING_EQUAL(number_hint("1.5k"), number_hint("1e6"));
	CU_ASSERT_STRING_EQUAL(number_hint("10"), "");
	CU_ASSERT_STRING_EQUAL(number_hint("99999999999999999999999"), "");
	CU_ASSERT_STRING_EQUAL(number_hint("ten"), "");
	CU_ASSERT_STRING_EQUAL(number_hint(""), "");
}

static void test_fractions(void)
{
	double value = UNTOUCHED;

	CU_ASSERT_EQUAL(number_parse_double("1.5", 0, 10, &value), 0);
	CU_ASSERT(value == 1.5);
	CU_ASSERT_EQUAL(number_parse_double("0", 0, 10, &value), 0);
	CU_ASSERT(value == 0);
	CU_ASSERT_EQUAL(number_parse_double("10", 0, 10, &value), 0);
	CU_ASSERT_EQUAL(number_parse_double("-2.25", -3, 10, &value), 0);
	CU_ASSERT(value == -2.25);
	CU_ASSERT_EQUAL(number_parse_double("1e-3", 0, 10, &value), 0);
	CU_ASSERT(value > 0.00099 && value < 0.00101);
}

static void test_bad_fractions(void)
{
	static const char *const texts[] = {"",     " ",        ".",     "x",      "1x",
					    "1 ",   "1,5",      "1.5.5", "nan",    "inf",
					    "-inf", "infinity", "1e400", "-1e400", "1k"};
	double value = UNTOUCHED;

	for (size_t i = 0; i < COUNT(texts); i++)
		CU_ASSERT_EQUAL(number_parse_double(texts[i], -DBL_MAX, DBL_MAX, &value), -EINVAL);
	CU_ASSERT_EQUAL(number_parse_double("-0.1", 0, 10, &value), -ERANGE);
	CU_ASSERT_EQUAL(number_parse_double("10.1", 0, 10, &value), -ERANGE);
	CU_ASSERT(value == UNTOUCHED);
}

CU_TestInfo number_tests[] = {
	{"good ones", test_good},
	{"bad ones", test_bad},
	{"overflow", test_overflow},
	{"range", test_range},
	{"hint", test_hint},
	{"fractions", test_fractions},
	{"bad fractions", test_bad_fractions},
	CU_TEST_INFO_NULL,
};
