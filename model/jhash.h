/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Bob Jenkins' lookup3 ("hashlittle"), 2006, as the kernel seeds it. Its word form (used by the
 * maps since 6.4 for keys of whole words) and its byte form give the same on little-endian
 * machines, so one function stands for both.
 */
#ifndef MODEL_JHASH_H
#define MODEL_JHASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint32_t jhash_rotate(uint32_t x, int bits)
{
	return x << bits | x >> (32 - bits);
}

static inline uint32_t jhash_word(const uint8_t *bytes)
{
	uint32_t word;

	memcpy(&word, bytes, sizeof(word));
	return word;
}

static inline uint32_t jhash_final(uint32_t a, uint32_t b, uint32_t c)
{
	c = (c ^ b) - jhash_rotate(b, 14);
	a = (a ^ c) - jhash_rotate(c, 11);
	b = (b ^ a) - jhash_rotate(a, 25);
	c = (c ^ b) - jhash_rotate(b, 16);
	a = (a ^ c) - jhash_rotate(c, 4);
	b = (b ^ a) - jhash_rotate(a, 14);
	return (c ^ b) - jhash_rotate(b, 24);
}

static inline void jhash_mix(uint32_t s[3])
{
	static const int shifts[6] = {4, 6, 8, 16, 19, 4};

	for (int i = 0; i < 6; i++) {
		uint32_t *x = &s[i % 3], *y = &s[(i + 1) % 3], *z = &s[(i + 2) % 3];

		*x = (*x - *z) ^ jhash_rotate(*z, shifts[i]);
		*z += *y;
	}
}

/* Hashes bytes > 0 bytes; init is 0xdeadbeef + bytes + the map's seed. */
static inline uint32_t jhash(const void *key, size_t bytes, uint32_t init)
{
	const uint8_t *k = key;
	uint8_t tail[12] = {0};
	uint32_t s[3] = {init, init, init};

	while (bytes > 12) {
		for (int i = 0; i < 3; i++)
			s[i] += jhash_word(k + 4 * i);
		jhash_mix(s);
		k += 12;
		bytes -= 12;
	}
	memcpy(tail, k, bytes);
	return jhash_final(s[0] + jhash_word(tail), s[1] + jhash_word(tail + 4),
			   s[2] + jhash_word(tail + 8));
}

/* The same for keys of 4 and 8 bytes, most maps' sizes. */
static inline uint32_t jhash_4(uint32_t key, uint32_t init)
{
	return jhash_final(init + key, init, init);
}

static inline uint32_t jhash_8(uint64_t key, uint32_t init)
{
	return jhash_final(init + (uint32_t)key, init + (uint32_t)(key >> 32), init);
}

/* Four keys of 8 bytes at once, in the vector registers. */
typedef uint32_t jhash_vector __attribute__((vector_size(16)));

#define JHASH_STEP(x, y, bits) (((x) ^ (y)) - ((y) << (bits) | (y) >> (32 - (bits))))

static inline void jhash_8_four(const uint64_t keys[4], uint32_t init, uint32_t hashes[4])
{
	jhash_vector low = {(uint32_t)keys[0], (uint32_t)keys[1], (uint32_t)keys[2],
			    (uint32_t)keys[3]};
	jhash_vector high = {(uint32_t)(keys[0] >> 32), (uint32_t)(keys[1] >> 32),
			     (uint32_t)(keys[2] >> 32), (uint32_t)(keys[3] >> 32)};
	jhash_vector a = low + init, b = high + init, c = {init, init, init, init};

	c = JHASH_STEP(c, b, 14);
	a = JHASH_STEP(a, c, 11);
	b = JHASH_STEP(b, a, 25);
	c = JHASH_STEP(c, b, 16);
	a = JHASH_STEP(a, c, 4);
	b = JHASH_STEP(b, a, 14);
	c = JHASH_STEP(c, b, 24);
	memcpy(hashes, &c, sizeof(c));
}

#endif
