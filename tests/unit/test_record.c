// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Records: ordered lists of named fields. */
#include <stdio.h>
#include <string.h>

#include "base/record.h"
#include "tests/unit/unit.h"

static void expect_field(const struct record *record, size_t index, const char *name,
			 const char *text, enum field_kind kind)
{
	CU_ASSERT_FATAL(index < record->count);
	CU_ASSERT_STRING_EQUAL(record->fields[index].name, name);
	CU_ASSERT_STRING_EQUAL(record->fields[index].text, text);
	CU_ASSERT_EQUAL(record->fields[index].kind, kind);
}

static void test_add(void)
{
	struct record record = {0};
	char text[] = "abc";

	record_add_text(&record, "text", text);
	text[0] = 'x';
	record_add_text(&record, "empty", "");
	record_add_u64(&record, "zero", 0);
	record_add_u64(&record, "most", UINT64_MAX);
	record_add_double(&record, "six", 2.0 / 3, 6);
	record_add_double(&record, "none", 1e12, 0);
	record_add_double(&record, "two", 0, 2);
	CU_ASSERT_EQUAL(record.count, 7);
	CU_ASSERT(!record.failed);
	expect_field(&record, 0, "text", "abc", FIELD_TEXT);
	expect_field(&record, 1, "empty", "", FIELD_TEXT);
	expect_field(&record, 2, "zero", "0", FIELD_NUMBER);
	expect_field(&record, 3, "most", "18446744073709551615", FIELD_NUMBER);
	expect_field(&record, 4, "six", "0.666667", FIELD_NUMBER);
	expect_field(&record, 5, "none", "1000000000000", FIELD_NUMBER);
	expect_field(&record, 6, "two", "0.00", FIELD_NUMBER);
	record_deinit(&record);
	CU_ASSERT(!record.count && !record.fields);
	record_deinit(&record);
}

static void test_find(void)
{
	struct record record = {0};

	CU_ASSERT_PTR_NULL(record_find(&record, "a"));
	record_add_u64(&record, "a", 1);
	record_add_u64(&record, "b", 2);
	record_add_u64(&record, "b", 3);
	CU_ASSERT_PTR_EQUAL(record_find(&record, "b"), &record.fields[1]);
	CU_ASSERT_PTR_NULL(record_find(&record, "c"));
	CU_ASSERT_PTR_NULL(record_find(&record, ""));
	record_deinit(&record);
}

/* More than fit at first. */
static void test_growth(void)
{
	struct record record = {0};
	char text[24];

	for (uint64_t i = 0; i < 1000; i++)
		record_add_u64(&record, "n", i);
	CU_ASSERT_EQUAL(record.count, 1000);
	for (size_t i = 0; i < 1000; i++) {
		snprintf(text, sizeof(text), "%zu", i);
		expect_field(&record, i, "n", text, FIELD_NUMBER);
	}
	record_deinit(&record);
}

static void test_move(void)
{
	struct record record = {0}, from = {0}, empty = {0};

	record_add_text(&record, "a", "1");
	record_add_text(&from, "b", "2");
	record_add_u64(&from, "c", 3);
	record_move(&record, &from);
	CU_ASSERT(!from.count && !from.fields && !from.failed);
	record_move(&record, &empty);
	CU_ASSERT_EQUAL(record.count, 3);
	expect_field(&record, 0, "a", "1", FIELD_TEXT);
	expect_field(&record, 1, "b", "2", FIELD_TEXT);
	expect_field(&record, 2, "c", "3", FIELD_NUMBER);
	/* That something is missing moves, too. */
	from.failed = true;
	record_move(&record, &from);
	CU_ASSERT(record.failed && !from.failed);
	record_deinit(&record);
	record_deinit(&from);
}

CU_TestInfo record_tests[] = {
	{"adding", test_add},  {"finding", test_find}, {"growth", test_growth},
	{"moving", test_move}, CU_TEST_INFO_NULL,
};
