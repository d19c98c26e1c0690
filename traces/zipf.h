/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Zipf's distribution, exact for any range and any theta: rank k of 0..range-1 has a probability in
 * proportion to (k + 1)^-theta. Rejection-inversion, after W. Hörmann and G. Derflinger,
 * "Rejection-inversion to generate variates from monotone discrete distributions", 1996: needs no
 * table, and hardly ever more than one random number.
 */
#ifndef TRACES_ZIPF_H
#define TRACES_ZIPF_H

#include <stdint.h>

#include "base/rng.h"

#define ZIPF_RANGE_MAX (UINT64_C(1) << 48)
#define ZIPF_THETA_MAX 10

struct zipf {
	double range;
	double theta;
	double power;         /* 1 - theta */
	double power_inverse; /* unused when power is 0 */
	double area_first;    /* the hat's integral from where rank 1's share starts */
	double area_last;     /* and to where the last rank's ends */
	double squeeze;       /* a draw this close below its rank is good without a test */
};

/* range is 1..ZIPF_RANGE_MAX, theta 0..ZIPF_THETA_MAX. */
void zipf_init(struct zipf *zipf, uint64_t range, double theta);

/* A rank, 0..range-1. */
uint64_t zipf_draw(const struct zipf *zipf, struct rng *rng);

#endif
