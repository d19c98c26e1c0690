/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A result as an ordered list of named fields, so that tables, CSV and JSON show the same names and
 * digits. The names are a contract with those who read the output by program.
 */
#ifndef BASE_RECORD_H
#define BASE_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* FIELD_UNKNOWN: a number that is not known; its text is empty. */
enum field_kind { FIELD_TEXT, FIELD_NUMBER, FIELD_UNKNOWN };

struct field {
	const char *name; /* lives as long as the record's user says: usually a literal */
	char *text;       /* the value as it is printed; the record's */
	enum field_kind kind;
};

struct record {
	struct field *fields;
	size_t count, capacity;
	bool failed; /* some field found no memory: the record is not whole */
};

/* A zeroed record is empty. Adding copies the value; lack of memory is remembered in failed. */
void record_deinit(struct record *record);
void record_add_text(struct record *record, const char *name, const char *text);
void record_add_u64(struct record *record, const char *name, uint64_t value);

/* A field that results of this kind have, and this one does not know. */
void record_add_unknown(struct record *record, const char *name);

/* decimals digits after the point, always. */
void record_add_double(struct record *record, const char *name, double value, int decimals);

/* Adds a copy of a field of another record, whose name must live as long as this record. */
void record_add_field(struct record *record, const struct field *field);

/* Moves all fields of from to the end of record; from is empty afterwards. */
void record_move(struct record *record, struct record *from);

/* The field of a name, or NULL. */
const struct field *record_find(const struct record *record, const char *name);

#endif
