// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The tests of everything that has no flavour. */
#include "tests/unit/unit.h"

#include <stddef.h>

extern CU_TestInfo traces_tests[];
extern CU_TestInfo traces_gen_tests[];
extern CU_TestInfo traces_write_tests[];

const struct unit_suite unit_suites[] = {
	{"traces", traces_tests},
	{"traces_gen", traces_gen_tests},
	{"traces_write", traces_write_tests},
	{NULL, NULL},
};
