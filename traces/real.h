/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * exp() and log() that are the same everywhere: C libraries differ in the last bit, between
 * versions and even between processors, and a generator's rare rounding would show it. These use
 * only IEEE additions, multiplications and divisions, whose results are defined. (Compilers must
 * not fuse them, which is -ffp-contract=off.) Errors are a few units in the last place.
 */
#ifndef TRACES_REAL_H
#define TRACES_REAL_H

#include <stdint.h>
#include <string.h>

/* log 2 in two parts; the first has few enough bits that its small multiples are exact. */
#define REAL_LN2_HIGH 0x1.62e42fee00000p-1
#define REAL_LN2_LOW 0x1.a39ef35793c76p-33
#define REAL_LN2 0x1.62e42fefa39efp-1

static inline uint64_t real_bits(double x)
{
	uint64_t bits;

	memcpy(&bits, &x, sizeof(bits));
	return bits;
}

static inline double real_from_bits(uint64_t bits)
{
	double x;

	memcpy(&x, &bits, sizeof(x));
	return x;
}

/* exp(r) - 1 for |r| <= 0.35: Taylor's series, even and odd powers apart for speed. */
static inline double real_expm1_small(double r)
{
	double s = r * r;
	double odd = 1.0 / 6 +
		     s * (1.0 / 120 +
			  s * (1.0 / 5040 +
			       s * (1.0 / 362880 + s * (1.0 / 39916800 + s * (1.0 / 6227020800)))));
	double even =
		1.0 / 24 +
		s * (1.0 / 720 + s * (1.0 / 40320 + s * (1.0 / 3628800 + s * (1.0 / 479001600))));

	return r + s * (0.5 + r * odd + s * even);
}

/* exp(x); x is cut to -700..700. */
static inline double real_exp(double x)
{
	int64_t k;
	double r;

	if (x > 700.0)
		x = 700.0;
	if (x < -700.0)
		x = -700.0;
	k = (int64_t)(x * (1.0 / REAL_LN2) + (x < 0 ? -0.5 : 0.5));
	r = (x - (double)k * REAL_LN2_HIGH) - (double)k * REAL_LN2_LOW;
	return (1.0 + real_expm1_small(r)) * real_from_bits((uint64_t)(k + 1023) << 52);
}

/* exp(x) - 1, exact for small x too. */
static inline double real_expm1(double x)
{
	if (x > -0.35 && x < 0.35)
		return real_expm1_small(x);
	return real_exp(x) - 1.0;
}

/* log(1 + x), exact for small x too; for x <= -1 it is about log of the smallest number. */
static inline double real_log1p(double x)
{
	double y = 1.0 + x;
	int64_t k;
	double f, s, t, low, high;

	if (y < 0x1p-1022)
		y = 0x1p-1022;
	/* y = 2^k * (1 + f) with 1 + f between the roots of a half and of two. */
	k = (int64_t)((real_bits(y) - 0x3fe6a09e667f3bcdULL) >> 52);
	if (k >= 0x800)
		k -= 0x1000;
	f = k ? real_from_bits(real_bits(y) - ((uint64_t)k << 52)) - 1.0 : x;
	/* log(1 + f) = 2 atanh(s), by its series in two halves. */
	s = f / (2.0 + f);
	t = s * s;
	low = 2.0 / 3 + t * (2.0 / 5 + t * (2.0 / 7 + t * (2.0 / 9 + t * (2.0 / 11))));
	high = 2.0 / 13 + t * (2.0 / 15 + t * (2.0 / 17 + t * (2.0 / 19 + t * (2.0 / 21))));
	t = t * (low + (t * t) * (t * t) * t * high);
	return (double)k * REAL_LN2_HIGH + ((double)k * REAL_LN2_LOW + (2.0 * s + s * t));
}

/* log(x) for x > 0. */
static inline double real_log(double x)
{
	return real_log1p(x - 1.0);
}

#endif
