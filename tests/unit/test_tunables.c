// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Tunables: names, ranges, choices, and that what is printed can be set. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "model/kernels.h"
#include "model/tunables.h"
#include "tests/unit/unit.h"

static void report(const char *name)
{
	CU_assertImplementation(CU_FALSE, 0, name, __FILE__, "", CU_FALSE);
}

static void test_names(void)
{
	struct error error;

	for (int id = 0; id < TUNABLES; id++) {
		const struct tunable *tunable = tunable_get((enum tunable_id)id);

		CU_ASSERT_PTR_NOT_NULL_FATAL(tunable->name);
		CU_ASSERT_EQUAL(tunable_find(tunable->name, &error), id);
		CU_ASSERT(tunable->summary && tunable->summary[0]);
		CU_ASSERT_EQUAL(strspn(tunable->name, "abcdefghijklmnopqrstuvwxyz_0123456789"),
				strlen(tunable->name));
	}
}

static void test_unknown_names(void)
{
	static const char *const names[] = {"", "x", "scans", "NR_SCANS", "nr_scans = 4"};
	struct error error;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		CU_ASSERT_EQUAL(tunable_find(names[i], &error), -ENOENT);
		CU_ASSERT_EQUAL(tunable_find(names[i], NULL), -ENOENT);
		/* All are named, to the last. */
		for (int id = 0; id < TUNABLES; id++)
			CU_ASSERT_PTR_NOT_NULL(
				strstr(error.text, tunable_get((enum tunable_id)id)->name));
	}
}

/* A name that is near is named alone. */
static void test_slips(void)
{
	struct error error;

	CU_ASSERT_EQUAL(tunable_find("nr_scan", &error), -ENOENT);
	CU_ASSERT_STRING_EQUAL(error.text, "no tunable \"nr_scan\"; did you mean nr_scans?");
	CU_ASSERT_EQUAL(tunable_find("lru_lokc", &error), -ENOENT);
	CU_ASSERT_STRING_EQUAL(error.text, "no tunable \"lru_lokc\"; did you mean lru_lock?");
}

/* The defaults of every release, printed, set what they are. */
static void test_formatted_defaults(void)
{
	unsigned int count;
	const struct kernel_step *steps = kernel_steps(&count);

	for (unsigned int i = 0; i < count; i++) {
		struct tunables tunables, again;
		char text[TUNABLE_TEXT_BYTES];

		kernel_tunables(&steps[i].since, &tunables);
		memset(&again, 0x55, sizeof(again));
		for (int id = 0; id < TUNABLES; id++) {
			tunable_format((enum tunable_id)id, tunables.values[id], text);
			if (tunable_set(&again, (enum tunable_id)id, text, NULL))
				report(tunable_get((enum tunable_id)id)->name);
		}
		CU_ASSERT_EQUAL(memcmp(&again, &tunables, sizeof(again)), 0);
	}
}

static void expect_set(enum tunable_id id, const char *value, uint64_t expected)
{
	struct tunables tunables = {{0}};
	struct error error = {.text = ""};
	char text[TUNABLE_TEXT_BYTES];

	if (tunable_set(&tunables, id, value, &error))
		report(error.text);
	CU_ASSERT_EQUAL(tunable_value(&tunables, id), expected);
	CU_ASSERT_STRING_EQUAL(tunable_format(id, expected, text), value);
}

static void expect_refused(enum tunable_id id, const char *value)
{
	struct tunables tunables = {{0}};
	const char *name = tunable_get(id)->name;
	struct error error = {.text = ""};

	if (tunable_set(&tunables, id, value, &error) != -EINVAL)
		report(name);
	CU_ASSERT(!strncmp(error.text, name, strlen(name)));
	CU_ASSERT_PTR_NOT_NULL(strstr(error.text, ": expected "));
	CU_ASSERT_EQUAL(tunable_value(&tunables, id), 0);
	CU_ASSERT_EQUAL(tunable_set(&tunables, id, value, NULL), -EINVAL);
}

/* Numbers are taken from the least to the most, and nothing else. */
static void test_numbers(void)
{
	for (int i = 0; i < TUNABLES; i++) {
		enum tunable_id id = (enum tunable_id)i;
		const struct tunable *tunable = tunable_get(id);
		char text[32];

		if (tunable_choice(id, 0))
			continue;
		CU_ASSERT(tunable->min < tunable->max);
		snprintf(text, sizeof(text), "%" PRIu64, tunable->min);
		expect_set(id, text, tunable->min);
		snprintf(text, sizeof(text), "%" PRIu64, tunable->max);
		expect_set(id, text, tunable->max);
		if (tunable->min) {
			snprintf(text, sizeof(text), "%" PRIu64, tunable->min - 1);
			expect_refused(id, text);
		}
		snprintf(text, sizeof(text), "%" PRIu64, tunable->max + 1);
		expect_refused(id, text);
		expect_refused(id, "");
		expect_refused(id, "-1");
		expect_refused(id, "x");
		expect_refused(id, "1.5");
	}
}

static void test_choices(void)
{
	for (int i = 0; i < TUNABLES; i++) {
		enum tunable_id id = (enum tunable_id)i;
		uint64_t count = 0;

		for (; tunable_choice(id, count); count++)
			expect_set(id, tunable_choice(id, count), count);
		if (!count)
			continue;
		CU_ASSERT(count > 1);
		expect_refused(id, "");
		expect_refused(id, "nonsense");
		expect_refused(id, "2");
		expect_refused(id, " 1");
	}
}

static void test_auto(void)
{
	for (int i = 0; i < TUNABLES; i++) {
		enum tunable_id id = (enum tunable_id)i;
		const char *name = tunable_get(id)->auto_name;

		if (name)
			expect_set(id, name, TUNABLE_AUTO);
		else
			expect_refused(id, "auto");
	}
	expect_set(TUNE_SEED, "random", TUNABLE_AUTO);
	expect_set(TUNE_NR_SCANS, "auto", TUNABLE_AUTO);
}

static void test_error_texts(void)
{
	struct tunables tunables;
	struct error error;

	tunable_set(&tunables, TUNE_COUNT_BATCH, "0", &error);
	CU_ASSERT_STRING_EQUAL(error.text, "count_batch=0: expected a number 1..1048576");
	tunable_set(&tunables, TUNE_NR_SCANS, "none", &error);
	CU_ASSERT_STRING_EQUAL(error.text, "nr_scans=none: expected a number 1..4294967295, auto");
	tunable_set(&tunables, TUNE_POPULATE, "odd", &error);
	CU_ASSERT_STRING_EQUAL(error.text, "populate=odd: expected one of old, even");
	tunable_set(&tunables, TUNE_ALLOC, "slab", &error);
	CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "alloc=slab: expected one of freelist, kmalloc"));
}

CU_TestInfo tunables_tests[] = {
	{"names", test_names},     {"unknown names", test_unknown_names},
	{"slips", test_slips},     {"formatted defaults", test_formatted_defaults},
	{"numbers", test_numbers}, {"choices", test_choices},
	{"auto", test_auto},       {"texts of errors", test_error_texts},
	CU_TEST_INFO_NULL,
};
