// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "base/words.h"

#include <ctype.h>
#include <limits.h>
#include <string.h>

#define NEAR_MAX 2 /* edits that a slip can have */

char *word_trim(char *text)
{
	char *end = text + strlen(text);

	while (isspace((unsigned char)*text))
		text++;
	while (end > text && isspace((unsigned char)end[-1]))
		end--;
	*end = '\0';
	return text;
}

static unsigned int min(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

unsigned int word_distance(const char *a, const char *b)
{
	/* Rows of the table: of this byte of a, the one before, and the one before that. */
	unsigned int rows[3][WORD_MAX + 1];
	size_t a_bytes = strlen(a), b_bytes = strlen(b);

	if (a_bytes >= WORD_MAX || b_bytes >= WORD_MAX)
		return UINT_MAX;
	for (size_t j = 0; j <= b_bytes; j++)
		rows[0][j] = (unsigned int)j;
	for (size_t i = 1; i <= a_bytes; i++) {
		unsigned int *row = rows[i % 3];
		const unsigned int *before = rows[(i + 2) % 3], *second = rows[(i + 1) % 3];

		row[0] = (unsigned int)i;
		for (size_t j = 1; j <= b_bytes; j++) {
			row[j] = min(min(before[j], row[j - 1]) + 1,
				     before[j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				row[j] = min(row[j], second[j - 2] + 1);
		}
	}
	return rows[a_bytes % 3][b_bytes];
}

void word_guess_init(struct word_guess *guess, const char *word)
{
	/* Two edits make any short word of another. */
	size_t most = strlen(word) / 2;

	guess->word = word;
	guess->name = NULL;
	guess->distance = (unsigned int)(most < NEAR_MAX ? most : NEAR_MAX) + 1;
}

void word_guess_offer(struct word_guess *guess, const char *name)
{
	unsigned int distance = word_distance(guess->word, name);

	if (distance >= guess->distance)
		return;
	guess->distance = distance;
	guess->name = name;
}
