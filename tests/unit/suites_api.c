// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The tests of the library, through its own functions. */
#include <stddef.h>

#include "tests/unit/unit.h"

extern CU_TestInfo api_tests[];
extern CU_TestInfo api_batch_tests[];

const struct unit_suite unit_suites[] = {
	{"api", api_tests},
	{"api_batch", api_batch_tests},
	{NULL, NULL},
};
