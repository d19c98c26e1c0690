// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* In place of the kernel engine where it could not be built: says why. */
#include <errno.h>

#include "sim/engine.h"

static int absent_open(const struct run_config *config, void **state, struct error *error)
{
	(void)config;
	(void)state;
	return error_set_missing(error, -ENOSYS,
				 "-e kernel is not in this program: when it was built, there was "
				 "no " KERNEL_ENGINE_LACKED);
}

static int absent_bench(void *state, const struct bench_phase *phase, struct error *error)
{
	(void)state;
	(void)phase;
	return absent_open(NULL, NULL, error);
}

const struct engine engine_kernel = {
	.name = "kernel",
	.summary = "the running kernel's own map (not in this program)",
	.is_running_kernel = true,
	.open = absent_open,
	.bench = absent_bench,
};
