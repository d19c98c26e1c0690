// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "base/number.h"

#include <bsd/libutil.h>
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>

int number_parse(const char *text, uint64_t min, uint64_t max, uint64_t *value)
{
	uint64_t number;
	char *suffix;

	/*
	 * expand_number() would take a sign, leading blanks, octal, what follows a suffix and, in
	 * some versions, what does not fit.
	 */
	if (!isdigit((unsigned char)text[0]))
		return -EINVAL;
	while (text[0] == '0' && isdigit((unsigned char)text[1]))
		text++;
	errno = 0;
	strtoull(text, &suffix, 0);
	if (suffix[0] && suffix[1])
		return -EINVAL;
	if (errno == ERANGE)
		return -ERANGE;
	if (expand_number(text, &number))
		return errno == ERANGE ? -ERANGE : -EINVAL;
	if (number < min || number > max)
		return -ERANGE;
	*value = number;
	return 0;
}

const char *number_hint(const char *text)
{
	uint64_t number;

	if (!isdigit((unsigned char)text[0]) ||
	    number_parse(text, 0, UINT64_MAX, &number) != -EINVAL)
		return "";
	return "; whole, with k, M or G for powers of 1024";
}

int number_parse_double(const char *text, double min, double max, double *value)
{
	char *end;
	double number;

	errno = 0;
	number = strtod(text, &end);
	if (end == text || *end || !isfinite(number))
		return -EINVAL;
	if (number < min || number > max)
		return -ERANGE;
	*value = number;
	return 0;
}

char *number_print(char *p, uint64_t number)
{
	char digits[NUMBER_BYTES];
	size_t count = 0;

	do {
		digits[count++] = (char)('0' + number % 10);
		number /= 10;
	} while (number);
	while (count)
		*p++ = digits[--count];
	return p;
}
