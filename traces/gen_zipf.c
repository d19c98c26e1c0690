// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Zipf's distribution, exact; the key is the rank, or the rank scattered over the range. */
#include "traces/gen.h"
#include "traces/zipf.h"

enum { ZIPF_THETA = GEN_OWN, ZIPF_SCATTER };

static const struct gen_parameter parameters[] = {
	{"theta", "skew", true, {.fraction = 0}, {.fraction = ZIPF_THETA_MAX}, {.fraction = 1}},
	{"scatter", "1 spreads popular keys over the range", false, {0}, {1}, {0}},
	{0},
};

struct gen_zipf {
	struct zipf zipf;
	uint64_t range;
	uint64_t factor; /* what scatters the ranks; 0: nothing does */
};

static uint64_t greatest_common_divisor(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

static int gen_zipf_init(struct generator *gen, struct error *error)
{
	struct gen_zipf *state = gen->state;

	(void)error;
	state->range = gen_number(gen, GEN_RANGE);
	zipf_init(&state->zipf, state->range, gen_fraction(gen, ZIPF_THETA));
	if (!gen_number(gen, ZIPF_SCATTER))
		return 0;
	/* The golden section puts neighbours far apart; coprime to the range, it is a bijection. */
	state->factor =
		(uint64_t)(((unsigned __int128)state->range * 0x9e3779b97f4a7c15ULL) >> 64) | 1;
	while (greatest_common_divisor(state->factor, state->range) != 1)
		state->factor++;
	return 0;
}

static void gen_zipf_fill(struct generator *gen, struct map_op *ops, size_t count)
{
	const struct gen_zipf *state = gen->state;

	for (size_t i = 0; i < count; i++)
		ops[i].key = zipf_draw(&state->zipf, &gen->rng);
	if (!state->factor)
		return;
	for (size_t i = 0; i < count; i++) {
		unsigned __int128 product = (unsigned __int128)ops[i].key * state->factor;

		/* Dividing 128 bits is slow, and rarely needed. */
		if (product >> 64)
			ops[i].key = (uint64_t)(product % state->range);
		else
			ops[i].key = (uint64_t)product % state->range;
	}
}

const struct gen_kind gen_zipf = {
	.name = "zipf",
	.summary = "Zipf, exact: key k in proportion to (k + 1)^-theta",
	.own = parameters,
	.range_max = ZIPF_RANGE_MAX,
	.state_bytes = sizeof(struct gen_zipf),
	.init = gen_zipf_init,
	.fill = gen_zipf_fill,
};
