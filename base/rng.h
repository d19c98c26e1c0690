/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Random numbers that are the same everywhere: xoshiro256** (Blackman and Vigna, 2018), seeded by
 * SplitMix64 as its authors advise.
 */
#ifndef BASE_RNG_H
#define BASE_RNG_H

#include <stdint.h>

struct rng {
	uint64_t state[4];
};

static inline uint64_t rng_splitmix(uint64_t *x)
{
	uint64_t z = *x += 0x9e3779b97f4a7c15ULL;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

static inline void rng_init(struct rng *rng, uint64_t seed)
{
	for (int i = 0; i < 4; i++)
		rng->state[i] = rng_splitmix(&seed);
}

static inline uint64_t rng_rotate(uint64_t x, int bits)
{
	return (x << bits) | (x >> (64 - bits));
}

static inline uint64_t rng_next(struct rng *rng)
{
	uint64_t *s = rng->state;
	uint64_t result = rng_rotate(s[1] * 5, 7) * 9;
	uint64_t t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rng_rotate(s[3], 45);
	return result;
}

/* A number in 0..range-1, range > 0, without bias worth naming (Lemire's multiplication). */
static inline uint64_t rng_below(struct rng *rng, uint64_t range)
{
	return (uint64_t)(((unsigned __int128)rng_next(rng) * range) >> 64);
}

/* A number in [0, 1). */
static inline double rng_double(struct rng *rng)
{
	return (double)(rng_next(rng) >> 11) * 0x1.0p-53;
}

#endif
