// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sim/vary.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/words.h"

/* A range's steps: by addition, or by multiplication with more than 1. */
struct range {
	uint64_t first, last, step;
	bool is_factor;
};

void vary_deinit(struct vary *vary)
{
	for (size_t i = 0; i < vary->count; i++)
		free(vary->values[i]);
	free(vary->values);
	free(vary->name);
	memset(vary, 0, sizeof(*vary));
}

static int add_value(struct vary *vary, const char *value, struct error *error)
{
	char **values = vary->values;
	char *copy;

	if (vary->count == VARY_VALUES_MAX)
		return error_set(error, -EINVAL, "--vary %s: more than %d values", vary->name,
				 VARY_VALUES_MAX);
	/* Room is doubled whenever the count reaches a power of two. */
	if (!(vary->count & (vary->count - 1)))
		values = reallocarray(values, vary->count ? 2 * vary->count : 1, sizeof(*values));
	copy = strdup(value);
	if (values)
		vary->values = values;
	if (!values || !copy) {
		free(copy);
		return error_set(error, -ENOMEM, "out of memory");
	}
	vary->values[vary->count++] = copy;
	return 0;
}

static int refuse_range(const struct vary *vary, const char *item, struct error *error)
{
	return error_set(error, -EINVAL,
			 "--vary %s: range \"%.40s\": expected A..B, A..B:STEP or A..B:xFACTOR "
			 "with "
			 "A at most B, STEP at least 1 and FACTOR at least 2",
			 vary->name, item);
}

/* Splits item, which is changed, at ".." and ':'. */
static int parse_range(char *item, struct range *range)
{
	char *last = strstr(item, ".."), *step;

	*last = '\0';
	last += 2;
	step = strchr(last, ':');
	range->step = 1;
	if (step) {
		*step++ = '\0';
		step = word_trim(step);
		range->is_factor = *step == 'x';
		if (*step == 'x' || *step == '+')
			step++;
		if (number_parse(step, range->is_factor ? 2 : 1, UINT64_MAX, &range->step))
			return -EINVAL;
	}
	if (number_parse(word_trim(item), 0, UINT64_MAX, &range->first) ||
	    number_parse(word_trim(last), range->first, UINT64_MAX, &range->last))
		return -EINVAL;
	return range->is_factor && !range->first ? -EINVAL : 0;
}

static int add_range(struct vary *vary, const char *item, struct error *error)
{
	struct range range = {0};
	char *copy = strdup(item);
	uint64_t value;
	int err;

	if (!copy)
		return error_set(error, -ENOMEM, "out of memory");
	err = parse_range(copy, &range);
	free(copy);
	if (err)
		return refuse_range(vary, item, error);
	for (value = range.first; !err && value <= range.last;) {
		char text[24];

		snprintf(text, sizeof(text), "%" PRIu64, value);
		err = add_value(vary, text, error);
		if (range.is_factor ? __builtin_mul_overflow(value, range.step, &value)
				    : __builtin_add_overflow(value, range.step, &value))
			break;
	}
	return err;
}

int vary_parse(const char *text, struct vary *vary, struct error *error)
{
	const char *equals;
	char *copy, *rest, *item;
	int err = 0;

	memset(vary, 0, sizeof(*vary));
	text += strspn(text, " \t");
	equals = strchr(text, '=');
	if (!equals || equals == text || !equals[1])
		return error_set(error, -EINVAL,
				 "--vary %.40s: expected NAME=VALUE,... or NAME=FIRST..LAST[:STEP]",
				 text);
	vary->name = strndup(text, (size_t)(equals - text));
	copy = rest = strdup(equals + 1);
	if (!vary->name || !copy)
		err = error_set(error, -ENOMEM, "out of memory");
	else
		word_trim(vary->name);
	while (!err && (item = strsep(&rest, ","))) {
		item = word_trim(item);
		err = strstr(item, "..") ? add_range(vary, item, error)
					 : add_value(vary, item, error);
	}
	free(copy);
	if (err)
		vary_deinit(vary);
	return err;
}
