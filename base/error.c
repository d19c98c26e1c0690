// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int error_set(struct error *error, int err, const char *format, ...)
{
	va_list args;

	if (error) {
		va_start(args, format);
		vsnprintf(error->text, sizeof(error->text), format, args);
		va_end(args);
	}
	return err;
}

const char *errno_name(int err)
{
	err = abs(err);
	return err == ENOTSUPP ? "ENOTSUPP" : strerrorname_np(err);
}
