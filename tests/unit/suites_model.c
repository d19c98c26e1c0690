// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The tests of the model, run in every flavour. */
#include "tests/unit/unit.h"

#include <stddef.h>

extern CU_TestInfo alloc_tests[];
extern CU_TestInfo alloc_threads_tests[];
extern CU_TestInfo attr_tests[];
extern CU_TestInfo attr_memory_tests[];
extern CU_TestInfo check_tests[];
extern CU_TestInfo env_memory_tests[];
extern CU_TestInfo env_threads_tests[];
extern CU_TestInfo hash_tests[];
extern CU_TestInfo iter_tests[];
extern CU_TestInfo locks_tests[];
extern CU_TestInfo lru_tests[];
extern CU_TestInfo lru_exact_tests[];
extern CU_TestInfo lru_kernel_tests[];
extern CU_TestInfo lru_published_tests[];
extern CU_TestInfo lru_recorded_tests[];
extern CU_TestInfo map_reference_tests[];
extern CU_TestInfo map_run_tests[];
extern CU_TestInfo map_sizes_tests[];
extern CU_TestInfo map_update_tests[];
extern CU_TestInfo percpu_tests[];
extern CU_TestInfo rotations_tests[];
extern CU_TestInfo rotations_kernel_tests[];
extern CU_TestInfo slab_tests[];

const struct unit_suite unit_suites[] = {
	{"alloc", alloc_tests},
	{"alloc_threads", alloc_threads_tests},
	{"attr", attr_tests},
	{"attr_memory", attr_memory_tests},
	{"check", check_tests},
	{"env_memory", env_memory_tests},
	{"env_threads", env_threads_tests},
	{"hash", hash_tests},
	{"iter", iter_tests},
	{"locks", locks_tests},
	{"lru", lru_tests},
	{"lru_exact", lru_exact_tests},
	{"lru_kernel", lru_kernel_tests},
	{"lru_published", lru_published_tests},
	{"lru_recorded", lru_recorded_tests},
	{"map_reference", map_reference_tests},
	{"map_run", map_run_tests},
	{"map_sizes", map_sizes_tests},
	{"map_update", map_update_tests},
	{"percpu", percpu_tests},
	{"rotations", rotations_tests},
	{"rotations_kernel", rotations_kernel_tests},
	{"slab", slab_tests},
	{NULL, NULL},
};
