// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sim/engine.h"

#include <errno.h>
#include <string.h>

const struct engine *const engines[] = {&engine_seq, &engine_threads, &engine_kernel, NULL};

const struct engine *engine_find(const char *name, struct error *error)
{
	char all[128] = "";

	for (int i = 0; engines[i]; i++) {
		if (!strcmp(engines[i]->name, name))
			return engines[i];
		if (i)
			strcat(all, ", ");
		strcat(all, engines[i]->name);
	}
	error_set(error, -EINVAL, "no engine \"%.32s\"; there are: %s", name, all);
	return NULL;
}
