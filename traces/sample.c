// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "traces/sample.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SLOTS_MIN 4096
#define WORD_BITS 64

int sample_init(struct sample *sample, size_t keys_max)
{
	uint32_t places = 4096;

	/* Places run out, and are dealt anew, after three times as many uses as there are keys. */
	while (places / 4 <= keys_max)
		places *= 2;
	memset(sample, 0, sizeof(*sample));
	sample->keys_max = keys_max;
	sample->places = places;
	sample->slots_mask = SLOTS_MIN - 1;
	sample->slots = calloc(SLOTS_MIN, sizeof(*sample->slots));
	sample->marks = calloc(places / WORD_BITS, sizeof(*sample->marks));
	sample->sums = calloc(places / WORD_BITS + 1, sizeof(*sample->sums));
	if (sample->slots && sample->marks && sample->sums)
		return 0;
	sample_deinit(sample);
	return -ENOMEM;
}

void sample_deinit(struct sample *sample)
{
	free(sample->slots);
	free(sample->marks);
	free(sample->sums);
	memset(sample, 0, sizeof(*sample));
}

static struct sampled_key *slot_find(struct sampled_key *slots, size_t mask, uint64_t hash)
{
	size_t i = hash & mask;

	while (slots[i].count && slots[i].hash != hash)
		i = (i + 1) & mask;
	return &slots[i];
}

/* Moves all keys that the sample takes to a new table. */
static int slots_resize(struct sample *sample, size_t mask)
{
	struct sampled_key *slots = calloc(mask + 1, sizeof(*slots));

	if (!slots)
		return -ENOMEM;
	sample->keys = 0;
	for (size_t i = 0; i <= sample->slots_mask; i++) {
		const struct sampled_key *key = &sample->slots[i];

		if (!key->count || !sample_takes(sample, key->hash))
			continue;
		*slot_find(slots, mask, key->hash) = *key;
		sample->keys++;
	}
	free(sample->slots);
	sample->slots = slots;
	sample->slots_mask = mask;
	return 0;
}

static void mark_change(struct sample *sample, uint32_t place, uint32_t by)
{
	uint32_t words = sample->places / WORD_BITS;

	sample->marks[place / WORD_BITS] ^= 1ULL << place % WORD_BITS;
	for (uint32_t i = place / WORD_BITS + 1; i <= words; i += i & -i)
		sample->sums[i] += by;
}

/* How many marks stand before a place. */
static uint32_t marks_before(const struct sample *sample, uint32_t place)
{
	uint64_t below = sample->marks[place / WORD_BITS] & ((1ULL << place % WORD_BITS) - 1);
	uint32_t sum = (uint32_t)__builtin_popcountll(below);

	for (uint32_t i = place / WORD_BITS; i; i -= i & -i)
		sum += sample->sums[i];
	return sum;
}

/* Deals the first places to the keys, in the order of their last uses. */
static void places_deal(struct sample *sample)
{
	uint32_t words = sample->places / WORD_BITS;

	for (size_t i = 0; i <= sample->slots_mask; i++) {
		if (sample->slots[i].count)
			sample->slots[i].place = marks_before(sample, sample->slots[i].place);
	}
	memset(sample->marks, 0, words * sizeof(*sample->marks));
	memset(sample->sums, 0, (words + 1) * sizeof(*sample->sums));
	for (uint32_t place = 0; place < sample->keys; place++)
		mark_change(sample, place, 1);
	sample->next_place = (uint32_t)sample->keys;
}

int sample_use(struct sample *sample, uint64_t hash, uint64_t time, struct sample_use *use)
{
	struct sampled_key *key;
	int err = 0;

	if (sample->next_place == sample->places)
		places_deal(sample);
	if (2 * sample->keys > sample->slots_mask + 1)
		err = slots_resize(sample, 2 * sample->slots_mask + 1);
	if (err)
		return err;
	key = slot_find(sample->slots, sample->slots_mask, hash);
	use->is_first = !key->count;
	if (use->is_first) {
		key->hash = hash;
		sample->keys++;
	} else {
		use->last_use = key->last_use;
		use->distance = sample->keys - 1 - marks_before(sample, key->place);
		mark_change(sample, key->place, (uint32_t)-1);
	}
	key->count++;
	key->last_use = time;
	key->place = sample->next_place++;
	mark_change(sample, key->place, 1);
	return 0;
}

int sample_halve(struct sample *sample)
{
	int err;

	sample->shift++;
	for (size_t i = 0; i <= sample->slots_mask; i++) {
		const struct sampled_key *key = &sample->slots[i];

		if (key->count && !sample_takes(sample, key->hash))
			mark_change(sample, key->place, (uint32_t)-1);
	}
	err = slots_resize(sample, sample->slots_mask);
	if (!err)
		places_deal(sample);
	return err;
}
