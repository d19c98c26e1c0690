// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Runs the unit tests of a program.
 *
 * usage: PROGRAM [--list | --tap] [SUITE...]
 *
 * Without --tap, CUnit's basic mode tells what runs and sums up. Exit 0: all passed; 1: some
 * failed; 2: usage. With --tap, every test function is one line of the Test Anything Protocol, and
 * the exit status is that of a program that could run its tests, passed or not.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <CUnit/Basic.h>
#include <CUnit/CUnit.h>

#include "tests/unit/unit.h"

static unsigned int tap_number;

/* NOLINTBEGIN(misc-misplaced-const): CUnit's types */
static void tap_start(const CU_pTest test, const CU_pSuite suite)
{
	printf("# running %s: %s\n", suite->pName, test->pName);
}

static void tap_complete(const CU_pTest test, const CU_pSuite suite, const CU_pFailureRecord first)
{
	printf("%sok %u - %s: %s\n", first ? "not " : "", ++tap_number, suite->pName, test->pName);
	for (CU_pFailureRecord failure = first; failure; failure = failure->pNext)
		printf("# %s:%u: %s\n", failure->strFileName ? failure->strFileName : "?",
		       failure->uiLineNumber, failure->strCondition ? failure->strCondition : "?");
}

/* NOLINTEND(misc-misplaced-const) */

static bool run_tap(void)
{
	CU_set_test_start_handler(tap_start);
	CU_set_test_complete_handler(tap_complete);
	printf("1..%u\n", CU_get_registry()->uiNumberOfTests);
	return CU_run_all_tests() == CUE_SUCCESS;
}

static bool run_basic(void)
{
	CU_basic_set_mode(CU_BRM_VERBOSE);
	return CU_basic_run_tests() == CUE_SUCCESS && !CU_get_number_of_failures();
}

static void list(void)
{
	for (const struct unit_suite *suite = unit_suites; suite->name; suite++)
		for (const CU_TestInfo *test = suite->tests; test->pName; test++)
			printf("%s: %s\n", suite->name, test->pName);
}

static bool add_suite(const struct unit_suite *from)
{
	CU_pSuite suite = CU_add_suite(from->name, NULL, NULL);

	if (!suite)
		return false;
	for (const CU_TestInfo *test = from->tests; test->pName; test++)
		if (!CU_add_test(suite, test->pName, test->pTestFunc))
			return false;
	return true;
}

/* Registers the suites of these names, or all when there is none. */
static bool add_suites(char **names, int count)
{
	bool is_wanted;

	for (const struct unit_suite *suite = unit_suites; suite->name; suite++) {
		is_wanted = !count;
		for (int i = 0; i < count; i++)
			is_wanted |= !strcmp(names[i], suite->name);
		if (!is_wanted || add_suite(suite))
			continue;
		fprintf(stderr, "suite %s: %s\n", suite->name, CU_get_error_msg());
		return false;
	}
	return true;
}

static bool is_suite(const char *name)
{
	for (const struct unit_suite *suite = unit_suites; suite->name; suite++)
		if (!strcmp(name, suite->name))
			return true;
	return false;
}

static int usage(const char *program)
{
	fprintf(stderr, "usage: %s [--list | --tap] [SUITE...]\nsuites:", program);
	for (const struct unit_suite *suite = unit_suites; suite->name; suite++)
		fprintf(stderr, " %s", suite->name);
	fputc('\n', stderr);
	return 2;
}

int main(int argc, char **argv)
{
	bool is_tap = argc > 1 && !strcmp(argv[1], "--tap");
	int first = 1 + is_tap;
	bool is_good;

	setvbuf(stdout, NULL, _IOLBF, 0); /* a test that crashes is the last one named */
	if (argc == 2 && !strcmp(argv[1], "--list")) {
		list();
		return 0;
	}
	for (int i = first; i < argc; i++)
		if (!is_suite(argv[i]))
			return usage(argv[0]);
	if (CU_initialize_registry() != CUE_SUCCESS) {
		fprintf(stderr, "%s: %s\n", argv[0], CU_get_error_msg());
		return 1;
	}
	is_good = add_suites(argv + first, argc - first) && (is_tap ? run_tap() : run_basic());
	CU_cleanup_registry();
	return is_good ? 0 : 1;
}
