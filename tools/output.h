/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Records on standard output, as a table for people, or CSV or JSON for programs. */
#ifndef TOOLS_OUTPUT_H
#define TOOLS_OUTPUT_H

#include "base/error.h"
#include "base/record.h"

enum output_format { OUTPUT_TABLE, OUTPUT_CSV, OUTPUT_JSON };

int output_format_parse(const char *text, enum output_format *format, struct error *error);

/*
 * One record, with a list of others that belong to it (in JSON under list_name; in CSV as rows
 * below, under the first one's header; count 0: none). In a table, numbers that are 0 and not among
 * the first core_count are left out.
 */
struct output_list {
	const char *name;
	const struct record *records;
	size_t count;
};
int output_record(enum output_format format, const struct record *record, size_t core_count,
		  const struct output_list *list);

/*
 * Rows that come one by one: in CSV and JSON each is written at once. columns is a NULL-terminated
 * list; in CSV and JSON it may also be NULL or empty, for all fields.
 */
struct output_rows;
struct output_rows *output_rows_begin(enum output_format format, const char *const *columns);
int output_rows_add(struct output_rows *rows, const struct record *record);

/*
 * In a table, leaves a column out if it is empty in all rows; for up to 8 columns. The name lives
 * as long as the rows.
 */
void output_rows_hide_empty(struct output_rows *rows, const char *column);

int output_rows_end(struct output_rows *rows);

/* For what is no record: a text as JSON takes it, and a whole document. json-c's. */
struct json_object;
struct json_object *output_json_text(const char *text);
void output_json_print(struct json_object *object);

#endif
