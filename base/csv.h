/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Records as rows of CSV (RFC 4180, but that lines end in a newline alone). */
#ifndef BASE_CSV_H
#define BASE_CSV_H

#include <stdio.h>

#include "base/record.h"

/* The names of the fields. Errors are left in ferror(out), here and below. */
void csv_write_header(FILE *out, const struct record *header);

/* The fields of record under the columns of header: what it lacks stays empty. */
void csv_write_row(FILE *out, const struct record *header, const struct record *record);

/* A row as it was found in text. */
struct csv_row {
	size_t bytes;     /* with its newline */
	size_t fields;    /* at least 1 */
	size_t last_size; /* bytes of the last field, with its quotes */
};

/* Reads the row at the start of text. False when it is torn: there is no newline that ends it. */
bool csv_scan_row(const char *text, size_t bytes, struct csv_row *row);

/* The bytes of the field at the start of a whole row, with its quotes, without what ends it. */
size_t csv_field_size(const char *row);

#endif
