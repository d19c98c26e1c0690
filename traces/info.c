// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "traces/info.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/rng.h"
#include "traces/popular.h"
#include "traces/sample.h"
#include "traces/trace.h"

#define COUNTERS 65536 /* of the most used keys, when not all can be counted */
#define AHEAD 32       /* operations whose slots are fetched before they are looked at */

/*
 * Windows double in length when there would be too many. Whether a use is its key's first in a
 * window depends on the window's length alone: it is when the times of this use and the one before,
 * as binary numbers, differ in a bit that counts windows. So uses are counted by the highest bit
 * in which these times differ, and windows can be joined without knowing their keys.
 */
struct window {
	uint64_t new_keys;
	uint64_t uses[64]; /* by that bit */
};

struct info_pass {
	struct trace_info info; /* its plain counts */
	struct trace_digest *digest;
	struct sample sample;
	struct popular popular; /* in use when the sample no longer has all keys */
	uint64_t *distances;    /* uses by distance, in keys of the sample; keys_max + 1 */
	uint64_t first_uses;    /* what was counted as such */
	uint64_t cpu_words[MAP_CPUS_MAX / 64];
	unsigned int window_shift; /* a window is 2^window_shift operations */
	struct window windows[INFO_WINDOWS_MAX];
};

int info_pass_create(size_t keys_max, struct info_pass **pass)
{
	struct info_pass *new = calloc(1, sizeof(*new));
	int err = new ? 0 : -ENOMEM;

	*pass = NULL;
	if (!err)
		err = trace_digest_create(&new->digest);
	if (!err)
		err = sample_init(&new->sample, keys_max);
	if (!err) {
		new->distances = calloc(keys_max + 1, sizeof(*new->distances));
		err = new->distances ? 0 : -ENOMEM;
	}
	if (err) {
		info_pass_destroy(new);
		return err;
	}
	*pass = new;
	return 0;
}

void info_pass_destroy(struct info_pass *pass)
{
	if (!pass)
		return;
	trace_digest_destroy(pass->digest);
	sample_deinit(&pass->sample);
	popular_deinit(&pass->popular);
	free(pass->distances);
	free(pass);
}

/*
 * Keys that are the same in a map with long enough keys are the same here: zeroes at the end do not
 * count, and up to 8 bytes are the integer. Integers have different hashes.
 */
static uint64_t key_hash(const struct op_batch *batch, const struct map_op *op)
{
	uint64_t key = op->key;
	uint32_t count = op->key_bytes;

	if (count) {
		const uint8_t *bytes = batch->arena + key;

		while (count && !bytes[count - 1])
			count--;
		if (count > sizeof(key))
			return XXH3_64bits(bytes, count);
		key = 0;
		for (uint32_t i = 0; i < count; i++)
			key |= (uint64_t)bytes[i] << (8 * i);
	}
	return rng_splitmix(&key);
}

/* Joins windows by twos. */
static void windows_join(struct info_pass *pass)
{
	for (unsigned int i = 0; i < INFO_WINDOWS_MAX; i++) {
		struct window pair = {0};

		for (unsigned int n = 2 * i; i < INFO_WINDOWS_MAX / 2 && n < 2 * i + 2; n++) {
			pair.new_keys += pass->windows[n].new_keys;
			for (unsigned int bit = 0; bit < 64; bit++)
				pair.uses[bit] += pass->windows[n].uses[bit];
		}
		pass->windows[i] = pair;
	}
	pass->window_shift++;
}

/* The sample has too many keys: fewer are taken, and distances are in such as there are now. */
static int pass_halve(struct info_pass *pass)
{
	size_t keys_max = pass->sample.keys_max;
	int err = 0;

	if (!pass->sample.shift) {
		err = popular_init(&pass->popular, COUNTERS);
		if (!err)
			err = popular_begin(&pass->popular, &pass->sample);
	}
	if (!err)
		err = sample_halve(&pass->sample);
	for (size_t i = 0; i <= keys_max; i++) {
		uint64_t uses = pass->distances[i];

		pass->distances[i] = 0;
		pass->distances[i / 2] += uses;
	}
	return err;
}

/* Counts a use of a key in operation number time. */
static int pass_use(struct info_pass *pass, uint64_t hash, uint64_t time)
{
	struct window *window = &pass->windows[time >> pass->window_shift];
	uint64_t weight = 1ULL << pass->sample.shift;
	struct sample_use use;
	int err;

	if (pass->sample.shift)
		popular_use(&pass->popular, hash);
	if (!sample_takes(&pass->sample, hash))
		return 0;
	err = sample_use(&pass->sample, hash, time, &use);
	if (err)
		return err;
	if (use.is_first) {
		pass->first_uses += weight;
		window->new_keys += weight;
	} else {
		pass->distances[use.distance] += weight;
		window->uses[63 - __builtin_clzll(use.last_use ^ time)] += weight;
	}
	while (!err && pass->sample.keys > pass->sample.keys_max)
		err = pass_halve(pass);
	return err;
}

/* Counts what needs no key. */
static void count_op(struct info_pass *pass, const struct map_op *op)
{
	struct trace_info *info = &pass->info;

	info->codes[op->code]++;
	info->contexts[op->context]++;
	pass->cpu_words[op->cpu / 64] |= 1ULL << op->cpu % 64;
	info->byte_keys += op->key_bytes != 0;
	if (op->key_bytes > info->longest_key_bytes)
		info->longest_key_bytes = op->key_bytes;
}

int info_pass_add(struct info_pass *pass, const struct op_batch *batch)
{
	struct trace_info *info = &pass->info;

	trace_digest_update(pass->digest, batch);
	for (size_t at = 0; at < batch->count; at += AHEAD) {
		size_t count = batch->count - at < AHEAD ? batch->count - at : AHEAD;
		uint64_t hashes[AHEAD];

		for (size_t i = 0; i < count; i++) {
			hashes[i] = key_hash(batch, &batch->ops[at + i]);
			sample_prefetch(&pass->sample, hashes[i]);
		}
		for (size_t i = 0; i < count; i++) {
			const struct map_op *op = &batch->ops[at + i];
			uint64_t time = info->operations++;
			int err;

			if (time >> pass->window_shift == INFO_WINDOWS_MAX)
				windows_join(pass);
			count_op(pass, op);
			if (op->code == OP_BATCH_LOOKUP || op->code == OP_BATCH_LOOKUP_AND_DELETE)
				continue;
			info->key_operations++;
			err = pass_use(pass, hashes[i], time);
			if (err)
				return err;
		}
	}
	return 0;
}

/* How far an estimate of so many keys is off, by the sample. */
static double keys_error(const struct info_pass *pass, double keys)
{
	return sqrt(keys * (ldexp(1, (int)pass->sample.shift) - 1));
}

static void tell_windows(const struct info_pass *pass, struct trace_info *info)
{
	uint64_t length = 1ULL << pass->window_shift;

	for (uint64_t first = 0; first < info->operations; first += length) {
		const struct window *from = &pass->windows[first / length];
		struct info_window *to = &info->windows[info->window_count++];
		uint64_t keys = from->new_keys, left = info->operations - first;

		for (unsigned int bit = pass->window_shift; bit < 64; bit++)
			keys += from->uses[bit];
		to->first = first;
		to->operations = left < length ? left : length;
		to->distinct_keys.value = (double)keys;
		to->distinct_keys.error = keys_error(pass, (double)keys);
		to->new_keys.value = (double)from->new_keys;
		to->new_keys.error = keys_error(pass, (double)from->new_keys);
	}
}

/*
 * Reuse distances. The uses that are counted stand for all of them only on average: the difference
 * is put where popular keys are, at 0, as SHARDS does.
 */
static void tell_reuse(const struct info_pass *pass, struct trace_info *info)
{
	static const double shares[INFO_QUANTILES] = {0.5, 0.9, 0.99};
	double first_uses = info->distinct_keys.value, total = 0, sum = 0, adjust;
	unsigned int next = 0;

	for (size_t i = 0; i <= pass->sample.keys_max; i++)
		total += (double)pass->distances[i];
	adjust = pass->sample.shift ? (double)info->key_operations - first_uses - total : 0;
	total += adjust;
	sum = adjust;
	for (size_t i = 0; i <= pass->sample.keys_max && total > 0; i++) {
		sum += (double)pass->distances[i];
		for (; next < INFO_QUANTILES && sum > 0 && sum >= shares[next] * total; next++) {
			double keys = ldexp((double)i, (int)pass->sample.shift);

			info->reuse[next].value = keys;
			info->reuse[next].error =
				keys_error(pass, keys + ldexp(1, (int)pass->sample.shift));
		}
	}
}

/* Some keys of about the same popularity. */
struct rank {
	double uses; /* of each */
	double keys; /* how many */
	double missed;
	bool is_sampled;
};

static int ranks_compare(const void *a, const void *b)
{
	const struct rank *left = a, *right = b;

	return (left->uses < right->uses) - (left->uses > right->uses);
}

/* Uses that a key surely had put it above all that have no counter. */
static bool is_counted(const struct info_pass *pass, const struct popular_key *key)
{
	return key && key->count > pass->popular.missed;
}

/*
 * All keys by their popularity: the most used ones by their counters, the others by the sample,
 * each key of which stands for 2^shift. The others' uses are scaled to what is known to be left.
 */
static size_t ranks_collect(const struct info_pass *pass, struct rank *ranks)
{
	double left = (double)pass->info.key_operations, sampled = 0;
	double weight = ldexp(1, (int)pass->sample.shift);
	size_t count = 0;

	for (size_t i = 0; pass->sample.shift && i <= pass->popular.slots_mask; i++) {
		const struct popular_key *key = &pass->popular.slots[i];

		if (!key->count || !is_counted(pass, key))
			continue;
		ranks[count].keys = 1;
		ranks[count].missed = (double)key->missed / 2;
		ranks[count].uses = (double)key->count + ranks[count].missed;
		left -= ranks[count++].uses;
	}
	for (size_t i = 0; i <= pass->sample.slots_mask; i++) {
		const struct sampled_key *key = &pass->sample.slots[i];

		if (!key->count || (pass->sample.shift &&
				    is_counted(pass, popular_find(&pass->popular, key->hash))))
			continue;
		ranks[count].is_sampled = true;
		ranks[count].keys = weight;
		ranks[count].uses = (double)key->count;
		sampled += ranks[count++].uses * weight;
	}
	for (size_t i = 0; i < count && sampled > 0 && left > 0 && pass->sample.shift; i++) {
		if (ranks[i].is_sampled)
			ranks[i].uses *= left / sampled;
	}
	qsort(ranks, count, sizeof(*ranks), ranks_compare);
	return count;
}

/* The share of uses that the first so many keys, a number that may be off, have. */
static struct estimate top_share(const struct info_pass *pass, const struct rank *ranks,
				 size_t count, double keys, double keys_off)
{
	double weight = ldexp(1, (int)pass->sample.shift);
	double uses = 0, missed = 0, variance = 0, last_uses = 0,
	       total = (double)pass->info.key_operations;

	for (size_t i = 0; i < count && keys > 0; i++) {
		double taken = ranks[i].keys < keys ? ranks[i].keys : keys;

		uses += ranks[i].uses * taken;
		missed += ranks[i].missed;
		if (ranks[i].is_sampled)
			variance += ranks[i].uses * ranks[i].uses * (weight - 1) * taken;
		keys -= taken;
		last_uses = ranks[i].uses;
	}
	return (struct estimate){uses / total,
				 (missed + sqrt(variance) + last_uses * keys_off) / total};
}

/*
 * The exponent of Zipf's law: the slope of the line through the logarithms of uses and rank, at
 * ranks 1, 2, 4, ... as far as a rank was used often enough to be told from its neighbours.
 */
static double zipf_exponent(const struct rank *ranks, size_t count)
{
	double n = 0, x_sum = 0, y_sum = 0, xx_sum = 0, xy_sum = 0, passed = 0, slope;
	uint64_t rank = 1;

	for (size_t i = 0; i < count && ranks[i].uses >= 10; i++) {
		passed += ranks[i].keys;
		for (; (double)rank <= passed; rank *= 2) {
			double x = log((double)rank), y = log(ranks[i].uses);

			n++;
			x_sum += x;
			y_sum += y;
			xx_sum += x * x;
			xy_sum += x * y;
		}
	}
	if (n < 3)
		return 0;
	slope = (n * xy_sum - x_sum * y_sum) / (n * xx_sum - x_sum * x_sum);
	return slope < 0 ? -slope : 0;
}

static int tell_popularity(const struct info_pass *pass, struct trace_info *info)
{
	double all = info->distinct_keys.value;
	const double keys[INFO_TOPS] = {1, 10, 100, ceil(all / 100), ceil(all / 10)};
	double off = info->distinct_keys.error;
	const double keys_off[INFO_TOPS] = {0, 0, 0, off / 100, off / 10};
	struct rank *ranks = calloc(pass->sample.keys + pass->popular.keys + 1, sizeof(*ranks));
	size_t count;

	if (!ranks)
		return -ENOMEM;
	count = ranks_collect(pass, ranks);
	for (int i = 0; i < INFO_TOPS && info->key_operations; i++)
		info->tops[i] = top_share(pass, ranks, count, keys[i], keys_off[i]);
	info->zipf_theta = zipf_exponent(ranks, count);
	free(ranks);
	return 0;
}

int info_pass_end(const struct info_pass *pass, struct trace_info *info)
{
	double keys = ldexp((double)pass->sample.keys, (int)pass->sample.shift);
	double uses = (double)pass->info.key_operations;

	*info = pass->info;
	info->trace_digest = trace_digest_value(pass->digest);
	for (uint32_t cpu = 0; cpu < MAP_CPUS_MAX; cpu++) {
		if (!(pass->cpu_words[cpu / 64] >> cpu % 64 & 1))
			continue;
		info->cpus++;
		info->cpu_max = cpu;
	}
	info->distinct_keys = (struct estimate){keys, keys_error(pass, keys)};
	if (uses > 0)
		info->first_uses = (struct estimate){keys / uses, keys_error(pass, keys) / uses};
	tell_windows(pass, info);
	tell_reuse(pass, info);
	return tell_popularity(pass, info);
}
