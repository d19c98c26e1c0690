// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "base/csv.h"

#include <string.h>

/* Quotes only where the text needs them. */
static void write_field(FILE *out, const char *text)
{
	if (!strpbrk(text, ",\"\r\n")) {
		fputs(text, out);
		return;
	}
	putc('"', out);
	for (; *text; text++) {
		if (*text == '"')
			putc('"', out);
		putc(*text, out);
	}
	putc('"', out);
}

void csv_write_header(FILE *out, const struct record *header)
{
	for (size_t i = 0; i < header->count; i++) {
		if (i)
			putc(',', out);
		write_field(out, header->fields[i].name);
	}
	putc('\n', out);
}

void csv_write_row(FILE *out, const struct record *header, const struct record *record)
{
	for (size_t i = 0; i < header->count; i++) {
		const struct field *field = record_find(record, header->fields[i].name);

		if (i)
			putc(',', out);
		if (field)
			write_field(out, field->text);
	}
	putc('\n', out);
}

size_t csv_field_size(const char *row)
{
	bool is_quoted = false;
	size_t size = 0;

	for (; is_quoted || (row[size] != ',' && row[size] != '\n'); size++) {
		if (row[size] == '"')
			is_quoted = !is_quoted;
	}
	return size;
}

bool csv_scan_row(const char *text, size_t bytes, struct csv_row *row)
{
	bool is_quoted = false;
	size_t begin = 0;

	row->fields = 1;
	for (size_t i = 0; i < bytes; i++) {
		if (text[i] == '"')
			is_quoted = !is_quoted; /* a doubled quote does so twice */
		if (is_quoted || (text[i] != ',' && text[i] != '\n'))
			continue;
		if (text[i] == '\n') {
			row->bytes = i + 1;
			row->last_size = i - begin;
			return true;
		}
		row->fields++;
		begin = i + 1;
	}
	return false;
}
