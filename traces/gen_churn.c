// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A hot set whose members are replaced: with probability rate an operation brings a key never seen
 * before, which takes the place, and the popularity, of a random member.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/system.h"
#include "traces/gen.h"
#include "traces/zipf.h"

enum { CHURN_RATE = GEN_OWN, CHURN_THETA };

static const struct gen_parameter parameters[] = {
	{"rate", "of new keys", true, {.fraction = 0}, {.fraction = 1}, {.fraction = 0.01}},
	{"theta",
	 "skew of the hot set",
	 true,
	 {.fraction = 0},
	 {.fraction = ZIPF_THETA_MAX},
	 {.fraction = 1}},
	{0},
};

struct gen_churn {
	struct zipf zipf;
	uint64_t *hot; /* the keys, most popular first */
	uint64_t next; /* key never seen */
};

static int churn_init(struct generator *gen, struct error *error)
{
	struct gen_churn *churn = gen->state;
	uint64_t range = gen_number(gen, GEN_RANGE), available = system_memory_available();
	int err = 0;

	if (range > available / sizeof(*churn->hot))
		return error_set(error, -ENOMEM,
				 "%s: the hot set would take %.1f GiB, and %.1f GiB are available",
				 gen->name, (double)range * sizeof(*churn->hot) / (1 << 30),
				 (double)available / (1 << 30));
	zipf_init(&churn->zipf, range, gen_fraction(gen, CHURN_THETA));
	churn->hot = malloc(range * sizeof(*churn->hot));
	if (!churn->hot)
		return error_set(error, -ENOMEM, "%s: %s", gen->name, strerror(ENOMEM));
	for (uint64_t i = 0; i < range && !err; i++) {
		churn->hot[i] = i;
		err = gen_check_stop(gen, i, error);
	}
	churn->next = range;
	return err;
}

static void churn_fill(struct generator *gen, struct map_op *ops, size_t count)
{
	struct gen_churn *churn = gen->state;
	uint64_t range = gen_number(gen, GEN_RANGE);
	double rate = gen_fraction(gen, CHURN_RATE);

	for (size_t i = 0; i < count; i++) {
		if (rng_double(&gen->rng) < rate) {
			ops[i].key = churn->next++;
			churn->hot[rng_below(&gen->rng, range)] = ops[i].key;
		} else {
			ops[i].key = churn->hot[zipf_draw(&churn->zipf, &gen->rng)];
		}
	}
}

static void churn_deinit(struct generator *gen)
{
	struct gen_churn *churn = gen->state;

	free(churn->hot);
}

const struct gen_kind gen_churn = {
	.name = "churn",
	.summary = "new keys at a rate, each replacing a random one of a hot set",
	.own = parameters,
	.range_meaning = "keys of the hot set",
	.range_max = UINT32_MAX,
	.state_bytes = sizeof(struct gen_churn),
	.init = churn_init,
	.fill = churn_fill,
	.deinit = churn_deinit,
};
