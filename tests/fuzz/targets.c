// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <string.h>

#include "tests/fuzz/fuzz.h"

const struct fuzz_target fuzz_targets[] = {
	{"job", fuzz_job},       {"text", fuzz_text}, {"keys", fuzz_keys}, {"oracle", fuzz_oracle},
	{"binary", fuzz_binary}, {"zstd", fuzz_zstd}, {NULL, NULL},
};

const struct fuzz_target *fuzz_target_find(const char *name)
{
	const struct fuzz_target *target = fuzz_targets;

	while (target->name && strcmp(target->name, name) != 0)
		target++;
	return target->name ? target : NULL;
}
