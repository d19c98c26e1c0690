/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The unit tests. A file test_NAME.c defines `CU_TestInfo NAME_tests[]`, ended by
 * CU_TEST_INFO_NULL, and has a line in suites_model.c, when it tests a map through test_ops
 * (flavour.h), or else in suites_base.c. main.c runs one of these tables.
 */
#ifndef TESTS_UNIT_UNIT_H
#define TESTS_UNIT_UNIT_H

#include <CUnit/CUnit.h>

struct unit_suite {
	const char *name;
	CU_TestInfo *tests;
};

/* The suites of this program, ended by a NULL name. */
extern const struct unit_suite unit_suites[];

#endif
