// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Every key as likely as any other. */
#include "traces/gen.h"

static void uniform_fill(struct generator *gen, struct map_op *ops, size_t count)
{
	uint64_t range = gen_number(gen, GEN_RANGE);

	for (size_t i = 0; i < count; i++)
		ops[i].key = rng_below(&gen->rng, range);
}

const struct gen_kind gen_uniform = {
	.name = "uniform",
	.summary = "every key as likely as any other",
	.range_max = UINT64_MAX,
	.fill = uniform_fill,
};
