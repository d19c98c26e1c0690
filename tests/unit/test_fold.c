// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Per-CPU tables: how they lie, and that every order gives the same sums. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "model/fold.h"
#include "tests/unit/unit.h"

/* Fills all counters with numbers of their own, and sums with what each of a table's adds up to. */
static void fill(const struct fold_tables *tables, uint64_t *sums)
{
	const struct fold_rows *rows = &tables->rows;
	uint64_t state = 1;

	for (uint32_t table = 0; table < tables->count; table++) {
		uint64_t *first = fold_tables_first(tables, table);

		for (uint32_t i = 0; i < rows->cpus * rows->items; i++) {
			uint64_t number = rng_splitmix(&state);
			uint32_t item = i % rows->items;

			fold_count(&fold_row(rows, first, i / rows->items)[item], number);
			sums[table * rows->items + item] += number;
		}
	}
}

/* All orders' sums of all tables; and nothing behind them is written. */
static bool sums_are_right(const struct fold_tables *tables, const uint64_t *expected)
{
	uint32_t items = tables->rows.items;
	uint64_t *sums = calloc(items + 1, sizeof(*sums));
	bool are_right = true;

	for (const struct fold_order *order = fold_orders; order->name; order++) {
		for (uint32_t table = 0; table < tables->count; table++) {
			memset(sums, 0xa5, (items + 1) * sizeof(*sums));
			order->fold(&tables->rows, fold_tables_first(tables, table), sums);
			if (memcmp(sums, &expected[table * items], items * sizeof(*sums)) != 0)
				are_right = false;
			if (sums[items] != 0xa5a5a5a5a5a5a5a5)
				are_right = false;
		}
	}
	free(sums);
	return are_right;
}

static void check_sums(uint32_t items, uint32_t cpus, uint32_t count, const int *nodes)
{
	uint64_t *expected = calloc((size_t)items * count, sizeof(*expected));
	struct fold_tables tables;

	CU_ASSERT_EQUAL_FATAL(fold_tables_init(&tables, items, cpus, count, nodes), 0);
	fill(&tables, expected);
	CU_ASSERT_TRUE(sums_are_right(&tables, expected));
	fold_tables_deinit(&tables);
	free(expected);
}

static void test_orders_give_the_same_sums(void)
{
	static const uint32_t sizes[][3] = {{36, 160, 9}, {1, 1, 3},    {1, 2, 70},   {7, 3, 11},
					    {8, 4, 5},    {9, 5, 3},    {37, 13, 4},  {90, 6, 50},
					    {3, 7, 2000}, {4096, 2, 3}, {4095, 9, 2}, {5, 11, 1}};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		check_sums(sizes[i][0], sizes[i][1], sizes[i][2], NULL);
}

static void test_one_cpu(void)
{
	for (uint32_t items = 1; items < 20; items++)
		check_sums(items, 1, 3, NULL);
}

static void test_4096_cpus(void)
{
	check_sums(36, 4096, 2, NULL);
}

static void test_layout(void)
{
	struct fold_tables tables;
	uint32_t packed;

	CU_ASSERT_EQUAL_FATAL(fold_tables_init(&tables, 36, 5, 1000, NULL), 0);
	CU_ASSERT(tables.unit_bytes >= 32768);
	packed = (uint32_t)(tables.unit_bytes / 288);
	CU_ASSERT_EQUAL(tables.chunk_tables, packed);
	CU_ASSERT_EQUAL(tables.chunk_count, (1000 + packed - 1) / packed);
	for (uint32_t cpu = 0; cpu < 5; cpu++)
		CU_ASSERT_EQUAL(tables.rows.offsets[cpu], cpu * tables.unit_bytes);
	/* Side by side in a unit, up to the chunk's end. */
	for (uint32_t table = 0; table < 1000; table++) {
		uint8_t *row = (uint8_t *)fold_tables_first(&tables, table);

		CU_ASSERT_EQUAL(row - tables.chunks[table / packed], table % packed * 288);
	}
	fold_tables_deinit(&tables);
}

/* Units of a node's CPUs are neighbours, CPU 0's is the first; a node that is not there is no
 * error.
 */
static void test_units_by_node(void)
{
	static const int nodes[] = {1, 0, 1, 0, -1, 1};
	static const uint32_t units[] = {0, 3, 1, 4, 5, 2};
	struct fold_tables tables;

	CU_ASSERT_EQUAL_FATAL(fold_tables_init(&tables, 9, 6, 4, nodes), 0);
	for (uint32_t cpu = 0; cpu < 6; cpu++)
		CU_ASSERT_EQUAL(tables.rows.offsets[cpu], units[cpu] * tables.unit_bytes);
	fold_tables_deinit(&tables);
	check_sums(9, 6, 4, nodes);
}

static void test_lines(void)
{
	const struct fold_order *item = fold_order_find("item"), *cpu = fold_order_find("cpu");
	struct fold_tables tables;
	const uint64_t *first;

	CU_ASSERT_PTR_NULL(fold_order_find("line"));
	CU_ASSERT_EQUAL_FATAL(fold_tables_init(&tables, 9, 3, 9, NULL), 0);
	/* 72 bytes: a line and a word of the next. */
	first = fold_tables_first(&tables, 0);
	CU_ASSERT_EQUAL(fold_lines(&tables.rows, first), 6);
	CU_ASSERT_EQUAL(fold_line_visits(cpu, &tables.rows, first), 6);
	CU_ASSERT_EQUAL(fold_line_visits(item, &tables.rows, first), 27);
	/* 504 bytes on: the last word of a line and all of the next. */
	first = fold_tables_first(&tables, 7);
	CU_ASSERT_EQUAL(fold_lines(&tables.rows, first), 6);
	CU_ASSERT_EQUAL(fold_lines(&tables.rows, first + 1), 6);
	CU_ASSERT_EQUAL(fold_lines(&tables.rows, first + 2), 6);
	fold_tables_deinit(&tables);
	/* One CPU's counters are side by side in any order. */
	CU_ASSERT_EQUAL_FATAL(fold_tables_init(&tables, 36, 1, 2, NULL), 0);
	first = fold_tables_first(&tables, 1);
	CU_ASSERT_EQUAL(fold_line_visits(item, &tables.rows, first), 5);
	fold_tables_deinit(&tables);
}

static void test_bytes(void)
{
	struct fold_tables tables;
	uint64_t bytes = fold_tables_bytes(36, 7, 1000);

	CU_ASSERT_EQUAL_FATAL(fold_tables_init(&tables, 36, 7, 1000, NULL), 0);
	CU_ASSERT(bytes >= tables.chunk_count * tables.unit_bytes * 7);
	CU_ASSERT(bytes < tables.chunk_count * tables.unit_bytes * 7 + 4096);
	/* Nothing overflows. */
	CU_ASSERT(fold_tables_bytes(4096, 4096, UINT32_MAX) >= (1ULL << 59));
	fold_tables_deinit(&tables);
}

CU_TestInfo fold_tests[] = {
	{"orders give the same sums", test_orders_give_the_same_sums},
	{"one cpu", test_one_cpu},
	{"4096 cpus", test_4096_cpus},
	{"layout", test_layout},
	{"units by node", test_units_by_node},
	{"lines", test_lines},
	{"bytes", test_bytes},
	CU_TEST_INFO_NULL,
};
