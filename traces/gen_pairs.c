// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Network address translation: a flow is two keys, 2f and 2f + 1, one for each direction. They are
 * inserted together, looked up apart, and end when too many flows are younger.
 */
#include "traces/gen.h"

enum { PAIRS_RATE = GEN_OWN, PAIRS_DELETE };

static const struct gen_parameter parameters[] = {
	{"rate", "of new flows", true, {.fraction = 0}, {.fraction = 1}, {.fraction = 0.05}},
	{"delete", "1 deletes the keys of flows that end", false, {0}, {1}, {0}},
	{0},
};

struct gen_pairs {
	uint64_t oldest; /* flows oldest..next-1 live */
	uint64_t next;
	struct map_op pending[4]; /* last first: what a new flow does */
	unsigned int pending_count;
};

static void pairs_push(struct gen_pairs *pairs, uint8_t code, uint64_t flow)
{
	for (int side = 1; side >= 0; side--) {
		struct map_op op = {.key = 2 * flow + (uint64_t)side, .code = code};

		pairs->pending[pairs->pending_count++] = op;
	}
}

/* Starts a flow; the oldest ends to make room. */
static void pairs_start(struct gen_pairs *pairs, const struct generator *gen)
{
	pairs_push(pairs, OP_UPDATE, pairs->next);
	if (pairs->next - pairs->oldest == gen_number(gen, GEN_RANGE)) {
		if (gen_number(gen, PAIRS_DELETE))
			pairs_push(pairs, OP_DELETE, pairs->oldest);
		pairs->oldest++;
	}
	pairs->next++;
}

static void pairs_fill(struct generator *gen, struct map_op *ops, size_t count)
{
	struct gen_pairs *pairs = gen->state;
	double rate = gen_fraction(gen, PAIRS_RATE);

	for (size_t i = 0; i < count; i++) {
		uint64_t live = pairs->next - pairs->oldest;

		if (!pairs->pending_count && (!live || rng_double(&gen->rng) < rate))
			pairs_start(pairs, gen);
		if (pairs->pending_count) {
			ops[i] = pairs->pending[--pairs->pending_count];
			continue;
		}
		ops[i] = (struct map_op){
			.key = 2 * pairs->oldest + rng_below(&gen->rng, 2 * live),
			.code = OP_LOOKUP,
		};
	}
}

const struct gen_kind gen_pairs = {
	.name = "pairs",
	.summary = "address translation: two keys born together, looked up apart",
	.own = parameters,
	.range_meaning = "flows that live at most",
	.range_max = UINT64_C(1) << 48,
	.gives_codes = true,
	.state_bytes = sizeof(struct gen_pairs),
	.fill = pairs_fill,
};
