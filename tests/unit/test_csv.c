// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <CUnit/CUnit.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "tests/unit/unit.h"

static void test_write(void)
{
	struct record header = {0}, record = {0};
	char *text;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	CU_ASSERT_PTR_NOT_NULL_FATAL(out);
	record_add_text(&header, "a", "");
	record_add_text(&header, "b,c", "");
	record_add_text(&header, "d", "");
	record_add_text(&record, "d", "say \"no\",\nor not");
	record_add_u64(&record, "a", 7);
	csv_write_header(out, &header);
	csv_write_row(out, &header, &record);
	fclose(out);
	CU_ASSERT_STRING_EQUAL(text, "a,\"b,c\",d\n7,,\"say \"\"no\"\",\nor not\"\n");
	free(text);
	record_deinit(&header);
	record_deinit(&record);
}

static void test_scan(void)
{
	const char *text = "7,,\"say \"\"no\"\",\nor not\"\n8\n";
	struct csv_row row;

	CU_ASSERT_TRUE_FATAL(csv_scan_row(text, strlen(text), &row));
	CU_ASSERT_EQUAL(row.bytes, strlen(text) - 2);
	CU_ASSERT_EQUAL(row.fields, 3);
	CU_ASSERT_EQUAL(row.last_size, 20);
	CU_ASSERT_TRUE(csv_scan_row("1,\n", 3, &row));
	CU_ASSERT_EQUAL(row.last_size, 0);
	CU_ASSERT_TRUE(csv_scan_row("\n", 1, &row));
	CU_ASSERT_EQUAL(row.fields, 1);
}

static void test_field(void)
{
	CU_ASSERT_EQUAL(csv_field_size("7,8\n"), 1);
	CU_ASSERT_EQUAL(csv_field_size(",8\n"), 0);
	CU_ASSERT_EQUAL(csv_field_size("\n"), 0);
	CU_ASSERT_EQUAL(csv_field_size("\"a\"\",\n\",8\n"), 7);
}

/* No beginning of a row is one. */
static void test_torn(void)
{
	const char *text = "7,,\"say \"\"no\"\",\nor not\"\n";
	struct csv_row row;

	for (size_t bytes = 0; bytes < strlen(text); bytes++)
		CU_ASSERT_FALSE(csv_scan_row(text, bytes, &row));
}

CU_TestInfo csv_tests[] = {
	{"writing", test_write},  {"rows", test_scan}, {"fields", test_field},
	{"torn rows", test_torn}, CU_TEST_INFO_NULL,
};
