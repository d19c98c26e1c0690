// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "base/record.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void record_deinit(struct record *record)
{
	for (size_t i = 0; i < record->count; i++)
		free(record->fields[i].text);
	free(record->fields);
	memset(record, 0, sizeof(*record));
}

/* Takes over the field's text. */
static void record_append(struct record *record, struct field field)
{
	if (field.text && record->count == record->capacity) {
		size_t capacity = record->capacity ? 2 * record->capacity : 64;
		struct field *fields = reallocarray(record->fields, capacity, sizeof(*fields));

		if (!fields) {
			free(field.text);
			field.text = NULL;
		} else {
			record->fields = fields;
			record->capacity = capacity;
		}
	}
	if (field.text)
		record->fields[record->count++] = field;
	else
		record->failed = true;
}

static void record_add(struct record *record, const char *name, const char *text,
		       enum field_kind kind)
{
	record_append(record, (struct field){name, strdup(text), kind});
}

void record_add_field(struct record *record, const struct field *field)
{
	record_add(record, field->name, field->text, field->kind);
}

void record_move(struct record *record, struct record *from)
{
	for (size_t i = 0; i < from->count; i++)
		record_append(record, from->fields[i]);
	record->failed |= from->failed;
	free(from->fields);
	*from = (struct record){0};
}

void record_add_text(struct record *record, const char *name, const char *text)
{
	record_add(record, name, text, FIELD_TEXT);
}

void record_add_u64(struct record *record, const char *name, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	record_add(record, name, text, FIELD_NUMBER);
}

void record_add_unknown(struct record *record, const char *name)
{
	record_add(record, name, "", FIELD_UNKNOWN);
}

void record_add_double(struct record *record, const char *name, double value, int decimals)
{
	char text[64];

	snprintf(text, sizeof(text), "%.*f", decimals, value);
	record_add(record, name, text, FIELD_NUMBER);
}

const struct field *record_find(const struct record *record, const char *name)
{
	for (size_t i = 0; i < record->count; i++) {
		if (!strcmp(record->fields[i].name, name))
			return &record->fields[i];
	}
	return NULL;
}
