// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "base/error.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Control characters, of names say, would break the line that a text is. */
static void escape_controls(char *text)
{
	for (; *text; text++) {
		if (iscntrl((unsigned char)*text))
			*text = '?';
	}
}

static __attribute__((format(printf, 3, 0))) int set(struct error *error, int err,
						     const char *format, va_list args)
{
	if (error) {
		error->is_refusal = false;
		error->is_output = false;
		vsnprintf(error->text, sizeof(error->text), format, args);
		escape_controls(error->text);
		error->is_missing = false;
	}
	return err;
}

int error_set(struct error *error, int err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	err = set(error, err, format, args);
	va_end(args);
	return err;
}

int error_set_output(struct error *error, int err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	err = set(error, err, format, args);
	va_end(args);
	if (error)
		error->is_output = true;
	return err;
}

int error_set_missing(struct error *error, int err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	err = set(error, err, format, args);
	va_end(args);
	if (error)
		error->is_missing = true;
	return err;
}

int error_set_refusal(struct error *error, int err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	err = set(error, err, format, args);
	va_end(args);
	if (error)
		error->is_refusal = true;
	return err;
}

int error_copy(struct error *error, int err, const struct error *from)
{
	if (error)
		*error = *from;
	return err;
}

const char *errno_name(int err)
{
	err = abs(err);
	return err == ENOTSUPP ? "ENOTSUPP" : strerrorname_np(err);
}
