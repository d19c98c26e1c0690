// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Blanks around words, and slips in them. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "tests/unit/unit.h"

static void check_trim(const char *text, const char *expected)
{
	char *copy = strdup(text);

	CU_ASSERT_STRING_EQUAL(word_trim(copy), expected);
	free(copy);
}

static void test_trim(void)
{
	check_trim("", "");
	check_trim(" \t ", "");
	check_trim("a", "a");
	check_trim("  a b\t\n", "a b");
}

static void check_distance(const char *a, const char *b, unsigned int expected)
{
	CU_ASSERT_EQUAL(word_distance(a, b), expected);
	CU_ASSERT_EQUAL(word_distance(b, a), expected);
}

static void test_distance(void)
{
	char longer[WORD_MAX + 1];

	check_distance("", "", 0);
	check_distance("", "abc", 3);
	check_distance("replay", "replay", 0);
	check_distance("reply", "replay", 1);
	check_distance("repaly", "replay", 1);
	check_distance("swep", "sweep", 1);
	check_distance("kitten", "sitting", 3);
	/* No edit between what was exchanged. */
	check_distance("ca", "abc", 3);
	memset(longer, 'a', WORD_MAX);
	longer[WORD_MAX] = '\0';
	check_distance(longer, longer, UINT_MAX);
	check_distance(longer, "a", UINT_MAX);
	longer[WORD_MAX - 1] = '\0';
	check_distance(longer, longer, 0);
	check_distance(longer, "", WORD_MAX - 1);
}

static const char *guess_among(const char *word)
{
	static const char *const names[] = {"nr_scans", "nr_skips", "seed", "lock"};
	struct word_guess guess;

	word_guess_init(&guess, word);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		word_guess_offer(&guess, names[i]);
	return guess.name;
}

static void test_guess(void)
{
	CU_ASSERT_STRING_EQUAL(guess_among("nr_scan"), "nr_scans");
	CU_ASSERT_STRING_EQUAL(guess_among("nr_skip"), "nr_skips");
	CU_ASSERT_STRING_EQUAL(guess_among("sede"), "seed");
	CU_ASSERT_STRING_EQUAL(guess_among("loc"), "lock");
	CU_ASSERT_PTR_NULL(guess_among("lo"));
	CU_ASSERT_PTR_NULL(guess_among("x"));
	CU_ASSERT_PTR_NULL(guess_among(""));
	CU_ASSERT_PTR_NULL(guess_among("colour"));
}

CU_TestInfo words_tests[] = {
	{"blanks are cut", test_trim},
	{"distance", test_distance},
	{"guesses", test_guess},
	CU_TEST_INFO_NULL,
};
