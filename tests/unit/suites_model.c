// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The tests of the model, run in every flavour. */
#include "tests/unit/unit.h"

#include <stddef.h>

extern CU_TestInfo attr_tests[];
extern CU_TestInfo attr_memory_tests[];
extern CU_TestInfo hash_tests[];
extern CU_TestInfo map_update_tests[];

const struct unit_suite unit_suites[] = {
	{"attr", attr_tests}, {"attr_memory", attr_memory_tests},
	{"hash", hash_tests}, {"map_update", map_update_tests},
	{NULL, NULL},
};
