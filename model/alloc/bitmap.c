// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Preallocated elements by the bits of a map of words (considered in 2016, after the block layer's
 * tags): a CPU looks for a clear bit from where it found or freed the last one, word after word
 * around, and sets it; who comes second tries the next. Words are a cache line each
 * (bitmap_aligned), or side by side.
 *
 * Takes no lock. Invariant: a bit is set while its element is in a bucket, a spare, or in flight.
 */
#include "model/alloc/alloc.h"

#define WORD_BITS 64

struct bitmap_cpu {
	uint64_t hint;         /* a word */
	uint64_t global_trips; /* words beyond that one that were looked at */
} __attribute__((aligned(64)));

struct bitmap {
	uint64_t words;
	uint32_t stride; /* from word to word, in words */
	uint64_t *bits;
	struct bitmap_cpu cpus[];
};

static size_t bitmap_bytes(const struct map *map)
{
	return sizeof(struct bitmap) + 64 + map->cpus * sizeof(struct bitmap_cpu);
}

static size_t bits_bytes(const struct bitmap *bitmap)
{
	return bitmap->words * bitmap->stride * sizeof(uint64_t);
}

static uint64_t *word_of(const struct bitmap *bitmap, uint64_t n)
{
	return &bitmap->bits[n * bitmap->stride];
}

static int bitmap_init(struct map *map)
{
	struct bitmap *bitmap = env_alloc(bitmap_bytes(map), -1);
	uint64_t left = map->elem_total % WORD_BITS;

	if (!bitmap)
		return -ENOMEM;
	map->alloc = bitmap;
	bitmap->words = (map->elem_total + WORD_BITS - 1) / WORD_BITS;
	bitmap->stride = map_tunable(map, TUNE_BITMAP_ALIGNED) ? 8 : 1;
	bitmap->bits = env_alloc(bits_bytes(bitmap), -1);
	if (!bitmap->bits)
		return -ENOMEM;
	if (left)
		*word_of(bitmap, bitmap->words - 1) = ~0ULL << left;
	/* CPUs begin far from each other. */
	for (uint32_t cpu = 0; cpu < map->cpus; cpu++)
		bitmap->cpus[cpu].hint = bitmap->words * cpu / map->cpus;
	return 0;
}

static void bitmap_deinit(struct map *map)
{
	struct bitmap *bitmap = map->alloc;

	env_free(bitmap->bits, bits_bytes(bitmap));
	env_free(bitmap, bitmap_bytes(map));
}

/* Sets a clear bit of a word: its number, or WORD_BITS when there is none. */
static unsigned int word_take(uint64_t *word)
{
	uint64_t bits = env_load(word);

	while (~bits) {
		unsigned int bit = (unsigned int)__builtin_ctzll(~bits);

		bits = env_fetch_or(word, 1ULL << bit);
		if (!(bits & 1ULL << bit))
			return bit;
	}
	return WORD_BITS;
}

static struct elem *bitmap_pop(struct map *map, struct map_ctx *ctx)
{
	struct bitmap *bitmap = map->alloc;
	struct bitmap_cpu *cpu = &bitmap->cpus[ctx->cpu];
	uint64_t n = cpu->hint;

	for (uint64_t i = 0; i < bitmap->words; i++) {
		unsigned int bit = word_take(word_of(bitmap, n));

		if (bit < WORD_BITS) {
			cpu->hint = n;
			cpu->global_trips += i;
			return elem_take_number(map, n * WORD_BITS + bit);
		}
		n = n + 1 == bitmap->words ? 0 : n + 1;
	}
	cpu->global_trips += bitmap->words;
	return NULL;
}

static void bitmap_push(struct map *map, struct map_ctx *ctx, struct elem *elem)
{
	struct bitmap *bitmap = map->alloc;
	uint64_t number = elem_number(elem);

	env_fetch_and(word_of(bitmap, number / WORD_BITS), ~(1ULL << number % WORD_BITS));
	bitmap->cpus[ctx->cpu].hint = number / WORD_BITS;
}

/* The bits that are clear, one after another. */
static int for_each_clear(const struct map *map, alloc_visit_fn *visit, void *arg)
{
	const struct bitmap *bitmap = map->alloc;
	int err = 0;

	for (uint64_t i = 0; i < map->elem_total && !err; i++) {
		if (!(*word_of(bitmap, i / WORD_BITS) >> i % WORD_BITS & 1))
			err = visit(arg, map_elem(map, i));
	}
	return err;
}

static int count_one(void *arg, const struct elem *elem)
{
	(void)elem;
	++*(uint64_t *)arg;
	return 0;
}

static void bitmap_lists(const struct map *map, map_list_fn *fn, void *arg)
{
	uint64_t count = 0;

	for_each_clear(map, count_one, &count);
	fn(arg, "free", -1, count);
}

static int bitmap_walk(const struct map *map, alloc_visit_fn *visit, void *arg, struct error *error)
{
	(void)error;
	return for_each_clear(map, visit, arg);
}

static void bitmap_stats(const struct map *map, struct map_alloc_stats *stats)
{
	const struct bitmap *bitmap = map->alloc;

	for (uint32_t cpu = 0; cpu < map->cpus; cpu++)
		stats->global_trips += bitmap->cpus[cpu].global_trips;
}

static uint64_t bitmap_model_bytes(const struct map *map)
{
	return bitmap_bytes(map) + bits_bytes(map->alloc);
}

const struct alloc_policy alloc_bitmap = {
	.policy = {"bitmap", "preallocated, a bit each, found from a per-CPU hint"},
	.preallocates = true,
	.init = bitmap_init,
	.deinit = bitmap_deinit,
	.pop = bitmap_pop,
	.push = bitmap_push,
	.lists = bitmap_lists,
	.walk = bitmap_walk,
	.stats = bitmap_stats,
	.model_bytes = bitmap_model_bytes,
};
