// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The hash, and that maps put keys where it says. */
#include <stdlib.h>
#include <string.h>

#include "model/jhash.h"
#include "tests/unit/test_map.h"

#define INIT 0xdeadbeef

static uint32_t rotate(uint32_t x, int bits)
{
	return x << bits | x >> (32 - bits);
}

static void mix(uint32_t *a, uint32_t *b, uint32_t *c)
{
	*a = (*a - *c) ^ rotate(*c, 4), *c += *b;
	*b = (*b - *a) ^ rotate(*a, 6), *a += *c;
	*c = (*c - *b) ^ rotate(*b, 8), *b += *a;
	*a = (*a - *c) ^ rotate(*c, 16), *c += *b;
	*b = (*b - *a) ^ rotate(*a, 19), *a += *c;
	*c = (*c - *b) ^ rotate(*b, 4), *b += *a;
}

static uint32_t finish(uint32_t a, uint32_t b, uint32_t c)
{
	c ^= b, c -= rotate(b, 14);
	a ^= c, a -= rotate(c, 11);
	b ^= a, b -= rotate(a, 25);
	c ^= b, c -= rotate(b, 16);
	a ^= c, a -= rotate(c, 4);
	b ^= a, b -= rotate(a, 14);
	return (c ^ b) - rotate(b, 24);
}

/* Jenkins' lookup3 byte by byte, as it was published. */
static uint32_t hash_bytes(const uint8_t *key, size_t bytes, uint32_t seed)
{
	uint32_t a = INIT + (uint32_t)bytes + seed, b = a, c = a;

	for (; bytes > 12; bytes -= 12, key += 12) {
		for (int i = 0; i < 4; i++) {
			a += (uint32_t)key[i] << 8 * i;
			b += (uint32_t)key[4 + i] << 8 * i;
			c += (uint32_t)key[8 + i] << 8 * i;
		}
		mix(&a, &b, &c);
	}
	for (size_t i = 0; i < bytes; i++)
		*(i < 4 ? &a : i < 8 ? &b : &c) += (uint32_t)key[i] << 8 * (i % 4);
	return finish(a, b, c);
}

/* The same over words, for keys of whole words. */
static uint32_t hash_words(const uint32_t *key, size_t words, uint32_t seed)
{
	uint32_t a = INIT + 4 * (uint32_t)words + seed, b = a, c = a;

	for (; words > 3; words -= 3, key += 3) {
		a += key[0];
		b += key[1];
		c += key[2];
		mix(&a, &b, &c);
	}
	c += words > 2 ? key[2] : 0;
	b += words > 1 ? key[1] : 0;
	a += key[0];
	return finish(a, b, c);
}

static void test_published(void)
{
	static const char text[] = "Four score and seven years ago";

	CU_ASSERT_EQUAL(jhash(text, 30, INIT + 30), 0x17770551);
	CU_ASSERT_EQUAL(jhash(text, 30, INIT + 30 + 1), 0xcd628161);
}

/* Of the bytes 1, 8, 15, ... with the seeds 0 and 0x12345678, computed apart. */
static void test_known(void)
{
	static const uint32_t known[][3] = {
		{1, 0x04ec883b, 0x40158784},   {2, 0x022bc7fb, 0x36a5ab8f},
		{3, 0x96c2fd10, 0xd8f0e5df},   {4, 0x46f8eec9, 0xf7e6ac94},
		{5, 0xb21735c1, 0x236bf5cd},   {6, 0x2779a0dd, 0xf3a160da},
		{7, 0x098fbe6f, 0xacd73b78},   {8, 0x9afdb1b3, 0xdc12b871},
		{9, 0xdd6e13f5, 0xf8093a99},   {11, 0x75299b1b, 0x832a600e},
		{12, 0x38919c27, 0xe8f4c145},  {13, 0xe1f0cbae, 0xa2fbe119},
		{16, 0xedfec516, 0xc75586b5},  {20, 0x98d5bdd4, 0x737ade31},
		{24, 0xff0cb32c, 0x56fa96df},  {25, 0x0abb8113, 0xe5fc355e},
		{36, 0x6508c67b, 0xedcc0c42},  {64, 0x88ea27e0, 0xf325cd04},
		{512, 0x29dcfdc9, 0x8fe4f232},
	};
	uint8_t key[512];

	for (size_t i = 0; i < sizeof(key); i++)
		key[i] = (uint8_t)(7 * i + 1);
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		uint32_t bytes = known[i][0];

		CU_ASSERT_EQUAL(jhash(key, bytes, INIT + bytes), known[i][1]);
		CU_ASSERT_EQUAL(jhash(key, bytes, INIT + bytes + 0x12345678), known[i][2]);
	}
}

static void fill_random(void *key, size_t bytes, struct rng *rng)
{
	for (size_t i = 0; i < bytes; i++)
		((uint8_t *)key)[i] = (uint8_t)rng_next(rng);
}

static void compare_hashes(uint32_t bytes, struct rng *rng)
{
	uint32_t words[128], seed = (uint32_t)rng_next(rng), found, expected;
	const uint8_t *key = (const uint8_t *)words;
	uint64_t both;

	fill_random(words, sizeof(words), rng);
	memcpy(&both, words, sizeof(both));
	found = jhash(key, bytes, INIT + bytes + seed);
	expected = hash_bytes(key, bytes, seed);
	CU_ASSERT_EQUAL(found, expected);
	if (bytes % 4 == 0)
		CU_ASSERT_EQUAL(found, hash_words(words, bytes / 4, seed));
	if (bytes == 4)
		CU_ASSERT_EQUAL(found, jhash_4(words[0], INIT + 4 + seed));
	if (bytes == 8)
		CU_ASSERT_EQUAL(found, jhash_8(both, INIT + 8 + seed));
}

static void test_words_and_bytes(void)
{
	struct rng rng;

	rng_init(&rng, 1);
	for (uint32_t bytes = 1; bytes <= 64; bytes++) {
		for (int i = 0; i < 20; i++)
			compare_hashes(bytes, &rng);
	}
	compare_hashes(512, &rng);
}

/* Iteration goes from bucket to bucket, so it shows where keys are. */
static void check_buckets(uint32_t key_size, uint32_t seed, const char *set, struct rng *rng)
{
	struct test_map wanted = {{MAP_HASH, key_size, 8, 100, 0, 0, false}, NULL, 1, set};
	struct map *map = test_map_create(&wanted);
	struct map_ctx ctx = {.context = OP_SYSCALL};
	uint64_t value = 0, count = 0;
	uint32_t last = 0, bucket;
	uint8_t key[512];

	for (int i = 0; i < 100; i++) {
		fill_random(key, key_size, rng);
		CU_ASSERT_EQUAL(test_ops->update(map, &ctx, key, &value, 0), 0);
	}
	while (!test_ops->next_key(map, &ctx, count ? key : NULL, key)) {
		bucket = hash_bytes(key, key_size, seed) & 127;
		CU_ASSERT(bucket >= last);
		last = bucket;
		count++;
	}
	CU_ASSERT_EQUAL(count, test_map_entries(map));
	CU_ASSERT(count > (key_size > 1 ? 95 : 60));
	test_map_destroy(map);
}

static void test_buckets(void)
{
	struct rng rng;

	rng_init(&rng, 2);
	for (uint32_t key_size = 1; key_size <= 64; key_size++)
		check_buckets(key_size, 0, NULL, &rng);
	check_buckets(512, 0, NULL, &rng);
	check_buckets(8, 4000000000u, "seed=4000000000", &rng);
	check_buckets(13, 77, "seed=77", &rng);
	/* Another initial value does what a seed does. */
	check_buckets(4, 1u - INIT, "hash_init=1", &rng);
}

/* As a kernel 6.18 iterated: the same order in every type of map. */
static void test_real_order(void)
{
	for (int type = 0; type < MAP_TYPES; type++) {
		struct test_map wanted = {{(enum map_type)type, 8, 8, 64, 0, 0, false},
					  "6.18",
					  1,
					  NULL};
		struct map *map = test_map_create(&wanted);

		test_map_run(map, "0U0 0U1 0U2 0U3 0U4 0U5 0U6 0U7 0U8 0U9", "0 0 0 0 0 0 0 0 0 0");
		test_map_order(map, "7 8 5 3 4 9 2 6 1 0");
		test_map_destroy(map);
	}
}

CU_TestInfo hash_tests[] = {
	{"published values", test_published},
	{"known values", test_known},
	{"words and bytes", test_words_and_bytes},
	{"buckets", test_buckets},
	{"the order in a real kernel", test_real_order},
	CU_TEST_INFO_NULL,
};
