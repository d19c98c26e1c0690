// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Memory for tables: zeroed, aligned, and on the node that is wished. */
#include <numaif.h>

#include "model/map.h"
#include "tests/unit/unit.h"

static void test_alloc(void)
{
	static const size_t sizes[] = {1,
				       64,
				       65,
				       ENV_MMAP_BYTES - 1,
				       ENV_MMAP_BYTES,
				       ENV_HUGE_FROM_BYTES,
				       ENV_HUGE_BYTES + 1};
	/* Nodes that are there, are not, and cannot be. */
	static const int nodes[] = {-1, 0, ENV_NODES_MAX - 1, ENV_NODES_MAX, INT32_MAX};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		for (size_t n = 0; n < sizeof(nodes) / sizeof(nodes[0]); n++) {
			uint8_t *memory = env_alloc(sizes[i], nodes[n]);

			CU_ASSERT_PTR_NOT_NULL_FATAL(memory);
			CU_ASSERT_EQUAL((uintptr_t)memory % 64, 0);
			CU_ASSERT(!memory[0] && !memory[sizes[i] - 1]);
			memory[sizes[i] - 1] = 1;
			env_free(memory, sizes[i]);
		}
	}
}

/* As the kernel has it: preferred, not forced. */
static void test_node(void)
{
	unsigned long nodes[ENV_NODES_MAX / (8 * sizeof(unsigned long))] = {0};
	uint8_t *memory = env_alloc(ENV_MMAP_BYTES, 0), *other = env_alloc(ENV_MMAP_BYTES, -1);
	int mode;

	CU_ASSERT_FATAL(memory && other);
	/* Where the system does not take the call, the wish is not heard. */
	if (!mbind(other, ENV_MMAP_BYTES, MPOL_PREFERRED, (unsigned long[]){1}, 2, 0)) {
		CU_ASSERT(!get_mempolicy(&mode, nodes, ENV_NODES_MAX + 1, memory, MPOL_F_ADDR));
		CU_ASSERT(mode == MPOL_PREFERRED && nodes[0] == 1);
	}
	env_free(other, ENV_MMAP_BYTES);
	env_free(memory, ENV_MMAP_BYTES);
	memory = env_alloc(ENV_MMAP_BYTES, -1);
	CU_ASSERT_PTR_NOT_NULL_FATAL(memory);
	if (!get_mempolicy(&mode, NULL, 0, memory, MPOL_F_ADDR))
		CU_ASSERT_EQUAL(mode, MPOL_DEFAULT);
	env_free(memory, ENV_MMAP_BYTES);
}

/* numa_node holds with its flag alone. */
static void test_map_node(void)
{
	struct map map = {.attr = {.numa_node = 3}};

	CU_ASSERT_EQUAL(map_node(&map), -1);
	map.attr.flags = MAP_NUMA_NODE;
	CU_ASSERT_EQUAL(map_node(&map), 3);
	map.attr.numa_node = UINT32_MAX;
	CU_ASSERT_EQUAL(map_node(&map), -1);
}

CU_TestInfo env_memory_tests[] = {
	{"zeroed and aligned", test_alloc},
	{"on a node", test_node},
	{"of a map", test_map_node},
	CU_TEST_INFO_NULL,
};
