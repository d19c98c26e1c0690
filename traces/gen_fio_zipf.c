// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * fio's Zipf generator, number for number, for the same range, theta and seed: an approximation of
 * the distribution (Gray and others, "Quickly generating billion-record synthetic databases",
 * 1994) over draws of taus88 (L'Ecuyer, 1996), with the ranks scattered over the keys by Knuth's
 * multiplicative hash and a random offset. fio computes with the C library's pow(), and so does
 * this.
 */
#include <errno.h>
#include <math.h>

#include "traces/gen.h"

enum { FIO_THETA = GEN_OWN };

static const struct gen_parameter parameters[] = {
	{"theta",
	 "skew; above 0 and not 1",
	 true,
	 {.fraction = 0},
	 {.fraction = 10},
	 {.fraction = 1.01}},
	{0},
};

struct taus88 {
	uint32_t s1, s2, s3;
};

struct fio_zipf {
	struct taus88 rng;
	uint64_t range;
	uint32_t offset;
	double zeta;  /* the sum of k^-theta for k in 1..range */
	double zeta2; /* that of 1 and 2 */
	double eta;
	double power; /* 1 / (1 - theta) */
};

static uint32_t taus88_next(struct taus88 *rng)
{
	rng->s1 = ((rng->s1 & 0xfffffffeU) << 12) ^ (((rng->s1 << 13) ^ rng->s1) >> 19);
	rng->s2 = ((rng->s2 & 0xfffffff8U) << 4) ^ (((rng->s2 << 2) ^ rng->s2) >> 25);
	rng->s3 = ((rng->s3 & 0xfffffff0U) << 17) ^ (((rng->s3 << 3) ^ rng->s3) >> 11);
	return rng->s1 ^ rng->s2 ^ rng->s3;
}

/* The next word of the seed, which taus88 needs to be at least min. */
static uint32_t taus88_seed(uint32_t x, uint32_t seed, uint32_t min)
{
	x = x * 69069U ^ seed;
	return x < min ? x + min - 1 : x;
}

static void taus88_init(struct taus88 *rng, uint32_t seed)
{
	rng->s1 = taus88_seed(53, seed, 2);
	rng->s2 = taus88_seed(rng->s1, seed, 8);
	rng->s3 = taus88_seed(rng->s2, seed, 16);
	for (int i = 0; i < 6; i++)
		taus88_next(rng);
}

static int fio_zipf_init(struct generator *gen, struct error *error)
{
	struct fio_zipf *zipf = gen->state;
	double theta = gen_fraction(gen, FIO_THETA);
	double range;
	int err = 0;

	if (theta == 0.0 || theta == 1.0)
		return error_set(error, -EINVAL,
				 "%s: theta: expected a number above 0 other than 1, found %g "
				 "(kind zipf takes any)",
				 gen->name, theta);
	zipf->range = gen_number(gen, GEN_RANGE);
	range = (double)zipf->range;
	zipf->power = 1.0 / (1.0 - theta);
	/* In this order: the sum's rounding is part of fio's numbers. */
	for (uint64_t k = 1; k <= zipf->range && !err; k++) {
		zipf->zeta += pow(1.0 / (double)k, theta);
		err = gen_check_stop(gen, k, error);
	}
	if (err)
		return err;
	zipf->zeta2 = 1.0 + pow(0.5, theta);
	zipf->eta = (1.0 - pow(2.0 / range, 1.0 - theta)) / (1.0 - zipf->zeta2 / zipf->zeta);
	taus88_init(&zipf->rng, (uint32_t)gen_number(gen, GEN_SEED));
	zipf->offset = taus88_next(&zipf->rng);
	return 0;
}

/* A rank from 0. */
static uint64_t fio_zipf_draw(struct fio_zipf *zipf)
{
	double u = taus88_next(&zipf->rng) / (double)UINT32_MAX;
	double z = u * zipf->zeta;

	if (z < 1.0)
		return 0;
	/* With two keys the formula below divides 0 by 0. */
	if (z < zipf->zeta2 || zipf->range <= 2)
		return 1;
	return (uint64_t)((double)zipf->range * pow(zipf->eta * u - zipf->eta + 1.0, zipf->power));
}

static void fio_zipf_fill(struct generator *gen, struct map_op *ops, size_t count)
{
	struct fio_zipf *zipf = gen->state;

	for (size_t i = 0; i < count; i++) {
		uint64_t rank = fio_zipf_draw(zipf);

		ops[i].key = (rank * 0x61c8864680b583ebULL + zipf->offset) % zipf->range;
	}
}

const struct gen_kind gen_fio_zipf = {
	.name = "fio-zipf",
	.summary = "Zipf as fio makes it, number for number",
	.own = parameters,
	.range_max = UINT32_MAX,
	.seed_max = UINT32_MAX,
	.state_bytes = sizeof(struct fio_zipf),
	.init = fio_zipf_init,
	.fill = fio_zipf_fill,
};
