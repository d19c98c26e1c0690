// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/output.h"

#include <errno.h>
#include <iconv.h>
#include <inttypes.h>
#include <json-c/json.h>
#include <libsmartcols/libsmartcols.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"

int output_format_parse(const char *text, enum output_format *format, struct error *error)
{
	static const char *const names[] = {"table", "csv", "json"};

	for (int i = 0; i < 3; i++) {
		if (strcmp(names[i], text) != 0)
			continue;
		*format = (enum output_format)i;
		return 0;
	}
	return error_set(error, -EINVAL, "-o %.32s: expected table, csv or json", text);
}

/* Replaces what is not UTF-8: names of files can be any bytes, JSON cannot. */
static void clean_utf8(char *text)
{
	iconv_t check = iconv_open("UTF-8", "UTF-8");
	size_t left = strlen(text);

	while (check != (iconv_t)-1 && left) {
		char thrown[256], *out = thrown;
		size_t room = sizeof(thrown);

		if (iconv(check, &text, &left, &out, &room) == (size_t)-1 && errno != E2BIG) {
			*text++ = '?';
			left--;
		}
	}
	if (check != (iconv_t)-1)
		iconv_close(check);
}

struct json_object *output_json_text(const char *text)
{
	struct json_object *object = NULL;
	char *copy = strdup(text);

	if (copy) {
		clean_utf8(copy);
		object = json_object_new_string(copy);
	}
	free(copy);
	return object;
}

static struct json_object *json_field(const struct field *field)
{
	if (field->kind == FIELD_TEXT)
		return output_json_text(field->text);
	if (strchr(field->text, '.'))
		return json_object_new_double_s(strtod(field->text, NULL), field->text);
	if (field->text[0] == '-')
		return json_object_new_int64(strtoll(field->text, NULL, 10));
	return json_object_new_uint64(strtoull(field->text, NULL, 10));
}

static struct json_object *json_record(const struct record *record)
{
	struct json_object *object = json_object_new_object();

	for (size_t i = 0; object && i < record->count; i++) {
		if (record->fields[i].kind != FIELD_UNKNOWN)
			json_object_object_add(object, record->fields[i].name,
					       json_field(&record->fields[i]));
	}
	return object;
}

static void json_print(struct json_object *object)
{
	fputs(json_object_to_json_string_ext(object, JSON_C_TO_STRING_PRETTY |
							     JSON_C_TO_STRING_NOSLASHESCAPE),
	      stdout);
}

void output_json_print(struct json_object *object)
{
	json_print(object);
	putchar('\n');
}

static struct libscols_table *table_new(void)
{
	struct libscols_table *table = scols_new_table();

	if (table) {
		scols_table_enable_maxout(table, 0);
		scols_table_set_column_separator(table, "  ");
	}
	return table;
}

static int table_column(struct libscols_table *table, const char *name, bool is_number)
{
	return scols_table_new_column(table, name, 0, is_number ? SCOLS_FL_RIGHT : 0) ? 0 : -ENOMEM;
}

/* Name and value, line by line. */
static int table_record(const struct record *record, size_t core_count)
{
	struct libscols_table *table = table_new();
	int err = table ? 0 : -ENOMEM;

	if (!err)
		err = table_column(table, "name", false) || table_column(table, "value", false);
	if (!err)
		scols_table_enable_noheadings(table, 1);
	for (size_t i = 0; !err && i < record->count; i++) {
		const struct field *field = &record->fields[i];
		struct libscols_line *line;

		if (i >= core_count && field->kind == FIELD_NUMBER && !strtod(field->text, NULL))
			continue;
		if (field->kind != FIELD_NUMBER && !field->text[0])
			continue;
		line = scols_table_new_line(table, NULL);
		err = !line || scols_line_set_data(line, 0, field->name) ||
		      scols_line_set_data(line, 1, field->text);
	}
	if (!err)
		err = scols_print_table(table);
	scols_unref_table(table);
	return err ? -ENOMEM : 0;
}

static int table_add(struct libscols_table *table, const char *const *columns,
		     const struct record *record)
{
	struct libscols_line *line = scols_table_new_line(table, NULL);

	for (size_t i = 0; line && columns[i]; i++) {
		const struct field *field = record_find(record, columns[i]);

		if (scols_line_set_data(line, i, field ? field->text : ""))
			return -ENOMEM;
	}
	return line ? 0 : -ENOMEM;
}

static bool is_number_column(const struct record *record, const char *name)
{
	const struct field *field = record_find(record, name);

	/* A row may lack figures, and nothing else. */
	return !field || field->kind != FIELD_TEXT;
}

/* Whether some record has more than 0 there. */
static bool has_values(const struct output_list *list, const char *name)
{
	for (size_t i = 0; i < list->count; i++) {
		const struct field *field = record_find(&list->records[i], name);

		if (field && strtod(field->text, NULL) != 0)
			return true;
	}
	return false;
}

/* The list's records as rows, without columns that are 0 all the way down. */
static int table_list(const struct output_list *list)
{
	const struct record *first = &list->records[0];
	const char **columns = calloc(first->count + 1, sizeof(*columns));
	struct libscols_table *table = table_new();
	size_t count = 0;
	int err = table && columns ? 0 : -ENOMEM;

	for (size_t i = 0; !err && i < first->count; i++) {
		if (i && !has_values(list, first->fields[i].name))
			continue;
		columns[count++] = first->fields[i].name;
		err = table_column(table, first->fields[i].name, true);
	}
	for (size_t i = 0; !err && i < list->count; i++)
		err = table_add(table, columns, &list->records[i]);
	if (!err) {
		putchar('\n');
		err = scols_print_table(table);
	}
	scols_unref_table(table);
	free(columns);
	return err ? -ENOMEM : 0;
}

static int json_with_list(const struct record *record, const struct output_list *list)
{
	struct json_object *object = json_record(record), *array = NULL;

	if (!object)
		return -ENOMEM;
	if (list && list->count) {
		array = json_object_new_array();
		for (size_t i = 0; array && i < list->count; i++)
			json_object_array_add(array, json_record(&list->records[i]));
		json_object_object_add(object, list->name, array);
	}
	output_json_print(object);
	json_object_put(object);
	return 0;
}

int output_record(enum output_format format, const struct record *record, size_t core_count,
		  const struct output_list *list)
{
	int err;

	if (format == OUTPUT_JSON)
		return json_with_list(record, list);
	if (format == OUTPUT_TABLE) {
		err = table_record(record, core_count);
		return err || !list || !list->count ? err : table_list(list);
	}
	csv_write_header(stdout, record);
	csv_write_row(stdout, record, record);
	for (size_t i = 0; list && i < list->count; i++)
		csv_write_row(stdout, record, &list->records[i]);
	return 0;
}

#define OPTIONAL_MAX 8

struct output_rows {
	enum output_format format;
	const char *const *columns;
	struct libscols_table *table;
	struct record header; /* CSV */
	size_t count;
	/* Columns of the table that are shown when they have text. */
	struct {
		const char *column;
		bool is_used;
	} optional[OPTIONAL_MAX];
	size_t optional_count;
};

struct output_rows *output_rows_begin(enum output_format format, const char *const *columns)
{
	struct output_rows *rows = calloc(1, sizeof(*rows));

	if (!rows)
		return NULL;
	rows->format = format;
	rows->columns = columns;
	if (format == OUTPUT_JSON)
		putchar('[');
	if (format == OUTPUT_TABLE) {
		rows->table = table_new();
		if (!rows->table) {
			free(rows);
			return NULL;
		}
	}
	return rows;
}

static int table_row(struct output_rows *rows, const struct record *record)
{
	int err = 0;

	for (size_t i = 0; !rows->count && !err && rows->columns[i]; i++)
		err = table_column(rows->table, rows->columns[i],
				   is_number_column(record, rows->columns[i]));
	for (size_t i = 0; i < rows->optional_count; i++) {
		const struct field *field = record_find(record, rows->optional[i].column);

		rows->optional[i].is_used |= field && field->text[0];
	}
	return err ? err : table_add(rows->table, rows->columns, record);
}

static void choose_columns(const char *const *columns, const struct record *record,
			   struct record *chosen)
{
	for (; *columns; columns++) {
		const struct field *field = record_find(record, *columns);

		if (field)
			record_add_field(chosen, field);
	}
}

/* The columns are those of the list, or all that the first record has. */
static int csv_row(struct output_rows *rows, const struct record *record)
{
	bool has_columns = rows->columns && rows->columns[0];

	if (!rows->count) {
		for (size_t i = 0; has_columns && rows->columns[i]; i++)
			record_add_text(&rows->header, rows->columns[i], "");
		for (size_t i = 0; !has_columns && i < record->count; i++)
			record_add_text(&rows->header, record->fields[i].name, "");
		if (rows->header.failed)
			return -ENOMEM;
		csv_write_header(stdout, &rows->header);
	}
	csv_write_row(stdout, &rows->header, record);
	return 0;
}

int output_rows_add(struct output_rows *rows, const struct record *record)
{
	struct record chosen = {0};
	struct json_object *object;
	int err = 0;

	if (rows->format == OUTPUT_JSON && rows->columns && rows->columns[0]) {
		choose_columns(rows->columns, record, &chosen);
		record = &chosen;
	}
	switch (rows->format) {
	case OUTPUT_TABLE:
		err = table_row(rows, record);
		break;
	case OUTPUT_CSV:
		err = csv_row(rows, record);
		fflush(stdout);
		break;
	case OUTPUT_JSON:
		object = json_record(record);
		err = object ? 0 : -ENOMEM;
		if (err)
			break;
		fputs(rows->count ? ",\n" : "\n", stdout);
		json_print(object);
		json_object_put(object);
		fflush(stdout);
		break;
	}
	rows->count++;
	err = chosen.failed ? -ENOMEM : err;
	record_deinit(&chosen);
	return err;
}

void output_rows_hide_empty(struct output_rows *rows, const char *column)
{
	if (rows->optional_count < OPTIONAL_MAX)
		rows->optional[rows->optional_count++].column = column;
}

static void hide_column(struct output_rows *rows, const char *name)
{
	for (size_t i = 0; rows->columns[i]; i++) {
		struct libscols_column *column = scols_table_get_column(rows->table, i);

		if (column && !strcmp(rows->columns[i], name))
			scols_column_set_flags(column, SCOLS_FL_HIDDEN);
	}
}

int output_rows_end(struct output_rows *rows)
{
	int err = 0;

	if (rows->format == OUTPUT_JSON)
		fputs(rows->count ? "\n]\n" : "]\n", stdout);
	if (rows->format == OUTPUT_TABLE) {
		for (size_t i = 0; i < rows->optional_count; i++) {
			if (!rows->optional[i].is_used)
				hide_column(rows, rows->optional[i].column);
		}
		err = scols_print_table(rows->table) ? -ENOMEM : 0;
		scols_unref_table(rows->table);
	}
	record_deinit(&rows->header);
	free(rows);
	return err;
}
