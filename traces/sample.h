/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A sample of the keys of a trace, in bounded memory: all keys while they are few, then those whose
 * hash is below a bound that is halved whenever they become too many. A key that is in the sample
 * has been from its first use, so its counts are exact, and one in 2^shift of all keys is in it
 * whatever their popularity.
 *
 * After C. Waldspurger and others, "Efficient MRC construction with SHARDS", 2015, whose fixed-size
 * sampling takes single keys out by a priority queue; halving needs none. The order of last uses is
 * kept as bits over the sequence of uses, counted by a tree of P. Fenwick, "A new data structure
 * for cumulative frequency tables", 1994.
 */
#ifndef TRACES_SAMPLE_H
#define TRACES_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sampled_key {
	uint64_t hash;
	uint64_t last_use; /* as sample_use() was told */
	uint64_t count;    /* of uses; 0: a free slot */
	uint32_t place;    /* of the last use among all keys' */
};

struct sample {
	struct sampled_key *slots; /* open addressing by the low bits of the hash */
	size_t slots_mask;
	size_t keys, keys_max;
	unsigned int shift; /* one key in 2^shift is in the sample */
	uint64_t *marks;    /* a bit per place: some key's last use */
	uint32_t *sums;     /* of the words of marks, as a Fenwick tree, from 1 */
	uint32_t places, next_place;
};

/* What a use of a key was. */
struct sample_use {
	bool is_first;
	uint64_t last_use; /* the one before */
	uint64_t distance; /* how many other keys of the sample were used since */
};

/* A sample of at most keys_max keys, 1..2^26. Returns 0 or -ENOMEM. */
int sample_init(struct sample *sample, size_t keys_max);
void sample_deinit(struct sample *sample);

/* Whether keys of that hash are in the sample. */
static inline bool sample_takes(const struct sample *sample, uint64_t hash)
{
	return !sample->shift || !(hash >> (64 - sample->shift));
}

/* Brings the slot of a hash near, for a use soon. */
static inline void sample_prefetch(const struct sample *sample, uint64_t hash)
{
	__builtin_prefetch(&sample->slots[hash & sample->slots_mask], 1);
}

/*
 * Counts a use, at that time, of a key that the sample takes; times grow. Returns 0 or -ENOMEM. The
 * sample may then have one key more than keys_max: sample_halve() is due.
 */
int sample_use(struct sample *sample, uint64_t hash, uint64_t time, struct sample_use *use);

/* Takes out one key in two. */
int sample_halve(struct sample *sample);

#endif
