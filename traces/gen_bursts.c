// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Bursts in turn with quieter traffic: a burst is fresh keys on one random CPU, the rest is a hot
 * set over all CPUs.
 */
#include "traces/gen.h"
#include "traces/zipf.h"

enum { BURSTS_BURST = GEN_OWN, BURSTS_QUIET, BURSTS_THETA };

static const struct gen_parameter parameters[] = {
	{"burst", "operations of a burst", false, {1}, {UINT64_MAX}, {1000}},
	{"quiet", "operations between bursts", false, {0}, {UINT64_MAX}, {1000}},
	{"theta",
	 "skew of the hot set",
	 true,
	 {.fraction = 0},
	 {.fraction = ZIPF_THETA_MAX},
	 {.fraction = 1}},
	{0},
};

struct gen_bursts {
	struct zipf zipf;
	uint64_t next; /* key never seen */
	uint64_t left; /* operations of this burst or quiet time */
	bool quiet;
	uint16_t cpu; /* of the burst */
};

static int bursts_init(struct generator *gen, struct error *error)
{
	struct gen_bursts *bursts = gen->state;

	(void)error;
	zipf_init(&bursts->zipf, gen_number(gen, GEN_RANGE), gen_fraction(gen, BURSTS_THETA));
	bursts->next = gen_number(gen, GEN_RANGE);
	bursts->quiet = true;
	return 0;
}

static void bursts_turn(struct gen_bursts *bursts, struct generator *gen)
{
	bursts->quiet = !bursts->quiet && gen_number(gen, BURSTS_QUIET);
	if (bursts->quiet) {
		bursts->left = gen_number(gen, BURSTS_QUIET);
	} else {
		bursts->left = gen_number(gen, BURSTS_BURST);
		bursts->cpu = (uint16_t)rng_below(&gen->rng, gen_number(gen, GEN_CPUS));
	}
}

static void bursts_fill(struct generator *gen, struct map_op *ops, size_t count)
{
	struct gen_bursts *bursts = gen->state;
	uint64_t cpus = gen_number(gen, GEN_CPUS);

	for (size_t i = 0; i < count; i++) {
		if (!bursts->left)
			bursts_turn(bursts, gen);
		bursts->left--;
		if (bursts->quiet) {
			ops[i].key = zipf_draw(&bursts->zipf, &gen->rng);
			ops[i].cpu = (uint16_t)rng_below(&gen->rng, cpus);
		} else {
			ops[i].key = bursts->next++;
			ops[i].cpu = bursts->cpu;
		}
	}
}

const struct gen_kind gen_bursts = {
	.name = "bursts",
	.summary = "bursts of fresh keys on one CPU, and quiet times of a hot set on all",
	.own = parameters,
	.range_meaning = "keys of the hot set",
	.range_max = ZIPF_RANGE_MAX,
	.gives_cpus = true,
	.state_bytes = sizeof(struct gen_bursts),
	.init = bursts_init,
	.fill = bursts_fill,
};
