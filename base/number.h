/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Numbers as users write them. */
#ifndef BASE_NUMBER_H
#define BASE_NUMBER_H

#include <stdint.h>

/*
 * An unsigned number, decimal or 0x hex, with an optional suffix k, M, G, T (powers of 1024, as
 * expand_number(3)). Returns 0, -EINVAL when it is not one, -ERANGE when it is outside min..max.
 */
int number_parse(const char *text, uint64_t min, uint64_t max, uint64_t *value);

/*
 * What to say behind "expected a number" of a text that begins like one, as 1e6 and 1.5 do, and is
 * none: which suffixes there are. Else "".
 */
const char *number_hint(const char *text);

/* A finite decimal fraction in min..max. Returns as above. */
int number_parse_double(const char *text, double min, double max, double *value);

/* Writes a number in decimal, up to NUMBER_BYTES, and returns the byte behind it. */
#define NUMBER_BYTES 20
char *number_print(char *p, uint64_t number);

#endif
