/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Words as users write them: blanks around them, and slips in them. */
#ifndef BASE_WORDS_H
#define BASE_WORDS_H

#include <stddef.h>

/* Cuts blanks at both ends of a text, in place. Returns where it begins now. */
char *word_trim(char *text);

/* Looks among names for the one that a word was meant to be. */
struct word_guess {
	const char *word;
	const char *name;      /* the nearest so far; NULL: none is near */
	unsigned int distance; /* of it, or one more than is near */
};

/* word must live as long as the guess. */
void word_guess_init(struct word_guess *guess, const char *word);

/* Offers a name, which must live as long. The first of those that are equally near stays. */
void word_guess_offer(struct word_guess *guess, const char *name);

/*
 * Edits that make one word of the other: a byte more, less or other, or two neighbours exchanged
 * (optimal string alignment, the restricted Damerau-Levenshtein distance). Words of WORD_MAX bytes
 * or more are as far from all others as can be.
 */
#define WORD_MAX 64
unsigned int word_distance(const char *a, const char *b);

#endif
