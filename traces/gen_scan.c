// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The keys in order, again and again. */
#include "traces/gen.h"

enum { SCAN_STRIDE = GEN_OWN };

static const struct gen_parameter parameters[] = {
	{"stride", "from key to key", false, {1}, {UINT64_MAX}, {1}},
	{0},
};

struct gen_scan {
	uint64_t key; /* the next */
};

static void scan_fill(struct generator *gen, struct map_op *ops, size_t count)
{
	struct gen_scan *scan = gen->state;
	uint64_t range = gen_number(gen, GEN_RANGE);
	uint64_t stride = gen_number(gen, SCAN_STRIDE) % range;

	for (size_t i = 0; i < count; i++) {
		ops[i].key = scan->key;
		/* Adds modulo range without passing 2^64. */
		if (scan->key >= range - stride)
			scan->key -= range - stride;
		else
			scan->key += stride;
	}
}

const struct gen_kind gen_scan = {
	.name = "scan",
	.summary = "0, stride, 2 * stride, ... modulo range",
	.own = parameters,
	.range_meaning = "keys are below it",
	.range_max = UINT64_MAX,
	.state_bytes = sizeof(struct gen_scan),
	.fill = scan_fill,
};
