/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a sweep varies: a setting's name and the list of its values. */
#ifndef SIM_VARY_H
#define SIM_VARY_H

#include <stddef.h>

#include "base/error.h"

#define VARY_VALUES_MAX 1000000

struct vary {
	char *name;
	char **values;
	size_t count;
};

/*
 * From "NAME=ITEM,ITEM,...", an item being a value, or a range of numbers A..B, A..B:STEP,
 * A..B:+STEP or A..B:xFACTOR, both ends included when the steps meet them. Returns 0, -ENOMEM, or
 * -EINVAL with error. The name is not looked at here.
 */
int vary_parse(const char *text, struct vary *vary, struct error *error);
void vary_deinit(struct vary *vary);

#endif
