// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* usage: fuzz TARGET [libFuzzer's arguments]: gives one target what libFuzzer makes. */
#include <stdio.h>
#include <stdlib.h>

#include "tests/fuzz/fuzz.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static const struct fuzz_target *target;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const char *name = *argc > 1 ? (*argv)[1] : "";

	target = fuzz_target_find(name);
	if (!target) {
		fprintf(stderr, "fuzz: no target \"%s\"; there are", name);
		for (target = fuzz_targets; target->name; target++)
			fprintf(stderr, " %s", target->name);
		fputc('\n', stderr);
		exit(2);
	}
	/* libFuzzer is not to see the name, which it would take for a folder. */
	(*argv)[1] = (*argv)[0];
	(*argv)++;
	(*argc)--;
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
	target->run(bytes, count);
	return 0;
}
