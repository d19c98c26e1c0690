// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Reading per-CPU counters in all orders: what is counted, and that wrong sums are found. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sim/bandwidth.h"
#include "sim/folding.h"
#include "tests/unit/unit.h"

static const struct fold_size sizes[] = {{36, 5, 20}, {1, 1, 1},  {7, 3, 113},
					 {9, 64, 4},  {64, 2, 9}, {4096, 2, 3}};

#define SIZES (sizeof(sizes) / sizeof(sizes[0]))

static void check_source(const struct fold_size *size, bool is_map)
{
	uint64_t *sums = calloc(size->items, sizeof(*sums));
	struct error error = {.text = ""};
	struct fold_source source;

	CU_ASSERT_EQUAL(fold_source_init(&source, size, is_map, NULL, NULL, &error), 0);
	CU_ASSERT_STRING_EQUAL(error.text, "");
	for (const struct fold_order *order = fold_orders; order->name; order++) {
		CU_ASSERT_EQUAL(fold_source_check(&source, order, sums, NULL, &error), 0);
		CU_ASSERT_EQUAL(fold_source_read(&source, order, sums, NULL), 0);
	}
	/* The last counter of the last CPU is one that is read. */
	fold_row(&source.rows, source.firsts[size->tables - 1], size->cpus - 1)[size->items - 1]++;
	for (const struct fold_order *order = fold_orders; order->name; order++)
		CU_ASSERT_EQUAL(fold_source_check(&source, order, sums, NULL, &error), -EUCLEAN);
	CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "order ahead: table "));
	fold_source_deinit(&source);
	free(sums);
}

static void test_sums_of_tables(void)
{
	for (size_t i = 0; i < SIZES; i++)
		check_source(&sizes[i], false);
}

static void test_sums_of_a_map(void)
{
	for (size_t i = 0; i < SIZES; i++)
		check_source(&sizes[i], true);
}

/* A line that two tables share is counted once; visits are each table's own. */
static void test_lines_of_neighbours(void)
{
	const struct fold_size size = {.items = 36, .cpus = 3, .tables = 4};
	struct error error = {.text = ""};
	struct fold_source source;

	CU_ASSERT_EQUAL_FATAL(fold_source_init(&source, &size, false, NULL, NULL, &error), 0);
	CU_ASSERT_EQUAL(fold_source_lines(&source), 3 * 4 * 288 / 64);
	CU_ASSERT_EQUAL(fold_source_line_visits(&source, fold_order_find("cpu")), 3 * 4 * 5);
	CU_ASSERT_EQUAL(fold_source_line_visits(&source, fold_order_find("item")), 3 * 4 * 36);
	fold_source_deinit(&source);
}

static void test_a_stop_ends_it(void)
{
	const struct folding_config config = {.size = {36, 4, 10}, .repeat = 3};
	struct error error = {.text = ""};
	struct folding_result result;
	atomic_int stop = 15;

	CU_ASSERT_EQUAL(folding_run(&config, &stop, &result, &error), -EINTR);
}

static void test_with_writers(void)
{
	const struct folding_config config = {.size = {36, 4, 50},
					      .writers = 2,
					      .repeat = 2,
					      .has_map = true};
	struct error error = {.text = ""};
	struct folding_result result;

	CU_ASSERT_EQUAL(folding_run(&config, NULL, &result, &error), 0);
	CU_ASSERT_STRING_EQUAL(error.text, "");
	CU_ASSERT_EQUAL(result.count, 2);
	for (uint32_t i = 0; i < result.count; i++) {
		const struct folding_part *part = &result.parts[i];

		CU_ASSERT_EQUAL(part->count, FOLD_ORDERS);
		CU_ASSERT(part->bandwidth_bytes_per_second > 0);
		CU_ASSERT(part->times[0].ns_min <= part->times[0].ns);
		CU_ASSERT(part->times[0].ns <= part->times[0].ns_max);
	}
}

static void test_one_order(void)
{
	const struct folding_config config = {.size = {5, 2, 3},
					      .repeat = 1,
					      .order = fold_order_find("cpu")};
	struct error error = {.text = ""};
	struct folding_result result;
	struct record record = {0};

	CU_ASSERT_EQUAL(folding_run(&config, NULL, &result, &error), 0);
	CU_ASSERT_EQUAL(result.parts[0].count, 1);
	folding_record(&config, &result.parts[0], 0, &record);
	CU_ASSERT_STRING_EQUAL(record_find(&record, "order")->text, "cpu");
	CU_ASSERT_EQUAL(record_find(&record, "ratio_to_item")->kind, FIELD_UNKNOWN);
	record_deinit(&record);
}

static void test_what_is_refused(void)
{
	struct folding_config config = {.size = {36, 4, 10}, .writers = 5, .repeat = 1};
	struct error error = {.text = ""};
	struct folding_result result;

	CU_ASSERT_EQUAL(folding_run(&config, NULL, &result, &error), -EINVAL);
	CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "writers=5: there are 4 CPUs"));
	config = (struct folding_config){.size = {4096, 4096, UINT32_MAX}, .repeat = 1};
	CU_ASSERT_EQUAL(folding_run(&config, NULL, &result, &error), -ENOMEM);
	CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "4294967295 tables of 4096 items"));
}

static void test_bandwidth(void)
{
	struct error error = {.text = ""};
	struct bandwidth bandwidth;

	CU_ASSERT_EQUAL(bandwidth_bytes(0), 64u << 20);
	CU_ASSERT_EQUAL(bandwidth_bytes(32u << 20), 128u << 20);
	CU_ASSERT_EQUAL(bandwidth_bytes(UINT64_MAX), 1u << 30);
	CU_ASSERT_EQUAL_FATAL(bandwidth_init(&bandwidth, 0, &error), 0);
	CU_ASSERT(bandwidth_read(&bandwidth) > 1e6);
	bandwidth_deinit(&bandwidth);
	bandwidth_deinit(&bandwidth);
}

CU_TestInfo folding_tests[] = {
	{"sums of tables", test_sums_of_tables},
	{"sums of a map", test_sums_of_a_map},
	{"lines of neighbours", test_lines_of_neighbours},
	{"a stop ends it", test_a_stop_ends_it},
	{"with writers", test_with_writers},
	{"one order", test_one_order},
	{"what is refused", test_what_is_refused},
	{"bandwidth", test_bandwidth},
	CU_TEST_INFO_NULL,
};
