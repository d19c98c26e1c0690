// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "traces/scan.h"

#include <inttypes.h>
#include <stdio.h>

#define FOUND_MAX 40 /* bytes of a field that a message shows */

/* Quotes a field; what does not print on every terminal is escaped. text needs 4 bytes a byte. */
static void field_quote(const uint8_t *field, size_t bytes, char *text)
{
	bool cut = bytes > FOUND_MAX;

	if (cut)
		bytes = FOUND_MAX;
	*text++ = '"';
	for (size_t i = 0; i < bytes; i++) {
		if (field[i] == '"' || field[i] == '\\')
			text += sprintf(text, "\\%c", field[i]);
		else if (field[i] >= ' ' && field[i] <= '~')
			*text++ = (char)field[i];
		else
			text += sprintf(text, "\\x%02x", field[i]);
	}
	strcpy(text, cut ? "\"..." : "\"");
}

int scan_error(const char *name, uint64_t line, const char *expected, const uint8_t *p,
	       struct error *error)
{
	char found[4 * FOUND_MAX + 8];

	if (scan_at_end(p))
		strcpy(found, "the end of the line");
	else
		field_quote(p, (size_t)(scan_field(p) - p), found);
	return error_set(error, -EINVAL, "%s:%" PRIu64 ": expected %s, found %s", name, line,
			 expected, found);
}
