// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "traces/zipf.h"

#include "traces/real.h"

/* x^-theta, the hat. */
static double zipf_density(const struct zipf *zipf, double x)
{
	return real_exp(-zipf->theta * real_log(x));
}

/* The hat's integral from 1 to x: (x^(1-theta) - 1) / (1-theta), or log x. */
static double zipf_area(const struct zipf *zipf, double x)
{
	double log_x = real_log(x);

	if (zipf->power == 0.0)
		return log_x;
	return real_expm1(zipf->power * log_x) * zipf->power_inverse;
}

/* The x of an area. */
static inline double zipf_area_inverse(const struct zipf *zipf, double area)
{
	if (zipf->power == 0.0)
		return real_exp(area);
	return real_exp(real_log1p(area * zipf->power) * zipf->power_inverse);
}

void zipf_init(struct zipf *zipf, uint64_t range, double theta)
{
	zipf->range = (double)range;
	zipf->theta = theta;
	zipf->power = 1.0 - theta;
	zipf->power_inverse = zipf->power == 0.0 ? 0.0 : 1.0 / zipf->power;
	/* Rank 1 gets exactly its density, 1; the others get all of the hat over k-1/2..k+1/2. */
	zipf->area_first = zipf_area(zipf, 1.5) - 1.0;
	zipf->area_last = zipf_area(zipf, zipf->range + 0.5);
	zipf->squeeze =
		2.0 - zipf_area_inverse(zipf, zipf_area(zipf, 2.5) - zipf_density(zipf, 2.0));
}

uint64_t zipf_draw(const struct zipf *zipf, struct rng *rng)
{
	for (;;) {
		double area =
			zipf->area_last + rng_double(rng) * (zipf->area_first - zipf->area_last);
		double x = zipf_area_inverse(zipf, area);
		double rank = x < zipf->range ? (double)(uint64_t)(x + 0.5) : zipf->range;

		if (rank < 1.0)
			rank = 1.0;
		if (rank - x <= zipf->squeeze ||
		    area >= zipf_area(zipf, rank + 0.5) - zipf_density(zipf, rank))
			return (uint64_t)rank - 1;
	}
}
