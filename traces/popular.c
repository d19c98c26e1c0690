// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "traces/popular.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PROBES 1023 /* by which the middle of all counts is estimated */

int popular_init(struct popular *popular, size_t counters)
{
	memset(popular, 0, sizeof(*popular));
	popular->slots = calloc(2 * counters, sizeof(*popular->slots));
	popular->slots_mask = 2 * counters - 1;
	return popular->slots ? 0 : -ENOMEM;
}

void popular_deinit(struct popular *popular)
{
	free(popular->slots);
	memset(popular, 0, sizeof(*popular));
}

/* By other bits than those by which keys are sampled: these are the high ones. */
static struct popular_key *slot_find(const struct popular *popular, uint64_t hash)
{
	size_t i = (size_t)(hash & popular->slots_mask);

	while (popular->slots[i].count && popular->slots[i].hash != hash)
		i = (i + 1) & popular->slots_mask;
	return &popular->slots[i];
}

const struct popular_key *popular_find(const struct popular *popular, uint64_t hash)
{
	const struct popular_key *key = slot_find(popular, hash);

	return key->count ? key : NULL;
}

static int counts_compare(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return (left > right) - (left < right);
}

/* About the middle of what the keys may have been used. */
static uint64_t counts_middle(const struct popular *popular)
{
	uint64_t counts[PROBES];
	size_t found = 0, step = popular->keys / PROBES + 1, skip = 0;

	for (size_t i = 0; i <= popular->slots_mask && found < PROBES; i++) {
		const struct popular_key *key = &popular->slots[i];

		if (!key->count || skip++ % step)
			continue;
		counts[found++] = key->count + key->missed;
	}
	qsort(counts, found, sizeof(counts[0]), counts_compare);
	return counts[found / 2];
}

/* Closes the gap that a removed key leaves: keys behind it may have been meant for its slot. */
static void slot_remove(struct popular *popular, size_t gap)
{
	size_t mask = popular->slots_mask, i = gap;

	for (;;) {
		popular->slots[gap].count = 0;
		for (;;) {
			size_t home;

			i = (i + 1) & mask;
			if (!popular->slots[i].count)
				return;
			home = (size_t)(popular->slots[i].hash & mask);
			if (((i - home) & mask) >= ((i - gap) & mask))
				break;
		}
		popular->slots[gap] = popular->slots[i];
		gap = i;
	}
}

static void popular_purge(struct popular *popular)
{
	uint64_t bound = counts_middle(popular);

	for (size_t i = 0; i <= popular->slots_mask; i++) {
		struct popular_key *key = &popular->slots[i];

		/* What takes the slot of a removed key is looked at in its turn. */
		while (key->count && key->count + key->missed <= bound) {
			slot_remove(popular, i);
			popular->keys--;
		}
	}
	popular->missed = bound;
}

static void key_add(struct popular *popular, uint64_t hash, uint64_t count)
{
	struct popular_key *key = slot_find(popular, hash);

	if (key->count) {
		key->count += count;
		return;
	}
	*key = (struct popular_key){hash, count, popular->missed};
	popular->keys++;
	if (2 * popular->keys > popular->slots_mask)
		popular_purge(popular);
}

void popular_use(struct popular *popular, uint64_t hash)
{
	key_add(popular, hash, 1);
}

int popular_begin(struct popular *popular, const struct sample *sample)
{
	uint64_t *counts = malloc((sample->keys + 1) * sizeof(*counts));
	size_t found = 0, most = (popular->slots_mask + 1) / 4;

	if (!counts)
		return -ENOMEM;
	for (size_t i = 0; i <= sample->slots_mask; i++) {
		if (sample->slots[i].count)
			counts[found++] = sample->slots[i].count;
	}
	qsort(counts, found, sizeof(*counts), counts_compare);
	popular->missed = 0;
	if (found > most)
		popular->missed = counts[found - most - 1];
	free(counts);
	for (size_t i = 0; i <= sample->slots_mask; i++) {
		const struct sampled_key *key = &sample->slots[i];

		if (!key->count || key->count <= popular->missed)
			continue;
		*slot_find(popular, key->hash) = (struct popular_key){key->hash, key->count, 0};
		popular->keys++;
	}
	return 0;
}
