/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Scanning lines of text. Every line ends with a newline, where all of these stop: none needs to
 * know where the text ends.
 */
#ifndef TRACES_SCAN_H
#define TRACES_SCAN_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/error.h"

static inline const uint8_t *scan_blanks(const uint8_t *p)
{
	while (*p == ' ' || *p == '\t')
		p++;
	return p;
}

/* At the end of what a line says: its newline, a comment, or the CR of a CRLF. */
static inline bool scan_at_end(const uint8_t *p)
{
	return *p == '\n' || *p == '#' || (*p == '\r' && p[1] == '\n');
}

/* Behind the last byte of a field. */
static inline bool scan_at_field_end(const uint8_t *p)
{
	return *p == ' ' || *p == '\t' || scan_at_end(p);
}

/* The start of the next line. */
static inline const uint8_t *scan_next_line(const uint8_t *p)
{
	return *p == '\n' ? p + 1 : (const uint8_t *)rawmemchr(p, '\n') + 1;
}

/* The first byte behind the field that starts at p. */
static inline const uint8_t *scan_field(const uint8_t *p)
{
	while (!scan_at_field_end(p))
		p++;
	return p;
}

/*
 * A decimal number that takes a whole field. Returns the first byte behind it, or NULL when it is
 * not one or is 2^64 or more.
 */
static inline const uint8_t *scan_number(const uint8_t *p, uint64_t *number)
{
	const uint8_t *start = p;
	uint64_t sum = 0;
	unsigned int digit;

	while ((digit = *p - '0') <= 9) {
		if (sum >= UINT64_MAX / 10 && (sum > UINT64_MAX / 10 || digit > UINT64_MAX % 10))
			return NULL;
		sum = sum * 10 + digit;
		p++;
	}
	if (p == start || !scan_at_field_end(p))
		return NULL;
	*number = sum;
	return p;
}

/*
 * Says that the field at p, in a line of the file name, is not what was expected. Returns -EINVAL.
 */
int scan_error(const char *name, uint64_t line, const char *expected, const uint8_t *p,
	       struct error *error);

#endif
