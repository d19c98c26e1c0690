// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Operations are left out by delta debugging (Zeller and Hildebrandt, "Simplifying and Isolating
 * Failure-Inducing Input", 2002: ddmin, by complements): large pieces first, then ever smaller ones
 * until no single operation can go. Then CPUs, keys, sizes and flags are made plainer one by one,
 * and all begins again as long as something gave.
 */
#include "sim/shrink.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/attr.h"

struct shrinker {
	struct fuzz_case *best;     /* fails */
	struct fuzz_case candidate; /* ops of its own; the arena is best's */
	shrink_test_fn *test;
	void *arg;
	bool has_changed;
};

/* Begins a candidate as a copy of the best. */
static struct fuzz_case *shrinker_begin(struct shrinker *shrinker)
{
	struct map_op *ops = shrinker->candidate.ops.ops;
	const struct fuzz_case *best = shrinker->best;

	memcpy(ops, best->ops.ops, best->ops.count * sizeof(*ops));
	shrinker->candidate = *best;
	shrinker->candidate.ops.ops = ops;
	return &shrinker->candidate;
}

static bool has_byte_keys(const struct fuzz_case *fuzz)
{
	for (size_t i = 0; i < fuzz->ops.count; i++) {
		if (fuzz->ops.ops[i].key_bytes)
			return true;
	}
	return false;
}

/* Takes the candidate for the best if it fails. Returns as the test does. */
static int shrinker_try(struct shrinker *shrinker)
{
	struct fuzz_case *candidate = &shrinker->candidate;
	struct map_op *ops = candidate->ops.ops;
	int ret;

	if (!has_byte_keys(candidate))
		candidate->ops.arena_bytes = 0;
	ret = shrinker->test(shrinker->arg, candidate);
	if (ret <= 0)
		return ret;
	candidate->ops.ops = shrinker->best->ops.ops;
	shrinker->best->attr = candidate->attr;
	shrinker->best->ops.ops = ops;
	shrinker->best->ops.count = candidate->ops.count;
	shrinker->best->ops.arena_bytes = candidate->ops.arena_bytes;
	shrinker->has_changed = true;
	return 1;
}

/* Leaves count operations out, from the at-th on. */
static int try_without(struct shrinker *shrinker, size_t at, size_t count)
{
	struct op_batch *ops = &shrinker_begin(shrinker)->ops;

	if (count > ops->count - at)
		count = ops->count - at;
	memmove(ops->ops + at, ops->ops + at + count,
		(ops->count - at - count) * sizeof(*ops->ops));
	ops->count -= count;
	return shrinker_try(shrinker);
}

static int shrink_ops(struct shrinker *shrinker)
{
	const struct op_batch *ops = &shrinker->best->ops;
	size_t size = (ops->count + 1) / 2;

	while (size && ops->count) {
		bool is_reduced = false;
		size_t at = 0;

		while (at < ops->count) {
			int ret = try_without(shrinker, at, size);

			if (ret < 0)
				return ret;
			is_reduced |= ret > 0;
			at += ret ? 0 : size;
		}
		if (!is_reduced || size > ops->count)
			size /= 2;
	}
	return 0;
}

static int try_cpu(struct shrinker *shrinker, size_t first, size_t end, uint16_t cpu)
{
	struct op_batch *ops = &shrinker_begin(shrinker)->ops;
	bool is_other = false;

	for (size_t i = first; i < end; i++) {
		is_other |= ops->ops[i].cpu != cpu;
		ops->ops[i].cpu = cpu;
	}
	return is_other ? shrinker_try(shrinker) : 0;
}

/* All on CPU 0, or as few changes of CPU as can be. */
static int shrink_cpus(struct shrinker *shrinker)
{
	const struct op_batch *ops = &shrinker->best->ops;
	int ret = try_cpu(shrinker, 0, ops->count, 0);

	for (size_t i = 0; !ret && i < ops->count; i++) {
		uint16_t before = i ? ops->ops[i - 1].cpu : 0, after;

		after = i + 1 < ops->count ? ops->ops[i + 1].cpu : before;
		/* Toward fewer changes only, or it would go on for ever. */
		if (ops->ops[i].cpu != before && (after == before || i + 1 == ops->count))
			ret = try_cpu(shrinker, i, i + 1, before);
		ret = ret > 0 ? 0 : ret;
	}
	return ret < 0 ? ret : 0;
}

static bool op_has_key(const struct map_op *op)
{
	return op->code != OP_BATCH_LOOKUP && op->code != OP_BATCH_LOOKUP_AND_DELETE;
}

/* The byte of an operation's key in the map's key. */
static uint8_t key_byte(const struct op_batch *ops, const struct map_op *op, uint32_t i)
{
	if (op->key_bytes)
		return i < op->key_bytes ? ops->arena[op->key + i] : 0;
	return i < 8 ? (uint8_t)(op->key >> 8 * i) : 0;
}

static bool same_key(const struct fuzz_case *fuzz, const struct map_op *a, const struct map_op *b)
{
	uint32_t i = 0;

	if (a->key_bytes == b->key_bytes && a->key == b->key)
		return true;
	while (i < fuzz->attr.key_size && key_byte(&fuzz->ops, a, i) == key_byte(&fuzz->ops, b, i))
		i++;
	return i == fuzz->attr.key_size;
}

/* The first operation with the same key, or the operation itself. */
static size_t key_first(const struct fuzz_case *fuzz, size_t at)
{
	const struct map_op *ops = fuzz->ops.ops;

	for (size_t i = 0; i < at; i++) {
		if (op_has_key(&ops[i]) && same_key(fuzz, &ops[i], &ops[at]))
			return i;
	}
	return at;
}

size_t shrink_count_keys(const struct fuzz_case *fuzz)
{
	size_t count = 0;

	for (size_t i = 0; i < fuzz->ops.count; i++)
		count += op_has_key(&fuzz->ops.ops[i]) && key_first(fuzz, i) == i;
	return count;
}

/* Keys 0, 1, 2, ... in the order of their first use, of that size. */
static int try_numbers(struct shrinker *shrinker, uint32_t key_size)
{
	struct fuzz_case *candidate = shrinker_begin(shrinker);
	const struct fuzz_case *best = shrinker->best;
	struct map_op *ops = candidate->ops.ops;
	bool is_other = key_size != best->attr.key_size;
	uint64_t next = 0;

	for (size_t i = 0; i < best->ops.count; i++) {
		size_t first = op_has_key(&ops[i]) ? key_first(best, i) : i;

		if (!op_has_key(&ops[i]))
			continue;
		ops[i].key = first == i ? next++ : ops[first].key;
		ops[i].key_bytes = 0;
		is_other |= ops[i].key != best->ops.ops[i].key || best->ops.ops[i].key_bytes;
	}
	candidate->attr.key_size = key_size;
	return is_other ? shrinker_try(shrinker) : 0;
}

/* The key of one operation becomes that of another, wherever it stands. */
static int try_merge(struct shrinker *shrinker, size_t key, size_t other)
{
	struct map_op *ops = shrinker_begin(shrinker)->ops.ops;
	const struct fuzz_case *best = shrinker->best;

	for (size_t i = key; i < best->ops.count; i++) {
		if (!op_has_key(&ops[i]) || !same_key(best, &best->ops.ops[i], &best->ops.ops[key]))
			continue;
		ops[i].key = best->ops.ops[other].key;
		ops[i].key_bytes = best->ops.ops[other].key_bytes;
	}
	return shrinker_try(shrinker);
}

static int shrink_keys(struct shrinker *shrinker)
{
	const struct fuzz_case *best = shrinker->best;
	uint32_t size = best->attr.key_size;
	int ret = 0;

	for (size_t i = 1; i < best->ops.count; i++) {
		size_t last = i;

		if (!op_has_key(&best->ops.ops[i]) || key_first(best, i) != i)
			continue;
		while (last && !op_has_key(&best->ops.ops[last - 1]))
			last--;
		if (last)
			ret = try_merge(shrinker, i, last - 1);
		if (ret < 0)
			return ret;
	}
	ret = size == 8 ? 0 : try_numbers(shrinker, 8);
	if (!ret && size != 4 && size != 8)
		ret = try_numbers(shrinker, 4);
	if (!ret)
		ret = try_numbers(shrinker, size);
	return ret < 0 ? ret : 0;
}

/*
 * The number of each operation's key, in the order of first use; SIZE_MAX where it has none.
 * Returns how many there are.
 */
static size_t number_keys(const struct fuzz_case *fuzz, size_t *numbers)
{
	const struct map_op *ops = fuzz->ops.ops;
	size_t next = 0;

	for (size_t i = 0; i < fuzz->ops.count; i++) {
		size_t first = op_has_key(&ops[i]) ? key_first(fuzz, i) : SIZE_MAX;

		if (first == i)
			numbers[i] = next++;
		else
			numbers[i] = first == SIZE_MAX ? SIZE_MAX : numbers[first];
	}
	return next;
}

/* Of count operations, forgets those on some keys, as they were left out. */
static void forget_keys(size_t *numbers, size_t count, size_t at, size_t keys)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		size_t number = numbers[i];

		if (number == SIZE_MAX || number < at)
			numbers[kept++] = number;
		else if (number >= at + keys)
			numbers[kept++] = number - keys;
	}
}

/* Leaves out all operations on count keys, from the at-th on, and makes the map smaller by less. */
static int try_without_keys(struct shrinker *shrinker, const size_t *numbers, size_t at,
			    size_t count, uint32_t less)
{
	struct fuzz_case *candidate = shrinker_begin(shrinker);
	struct map_op *ops = candidate->ops.ops;
	size_t kept = 0;

	for (size_t i = 0; i < candidate->ops.count; i++) {
		if (numbers[i] == SIZE_MAX || numbers[i] - at >= count)
			ops[kept++] = ops[i];
	}
	if (kept == candidate->ops.count)
		return 0;
	candidate->ops.count = kept;
	candidate->attr.max_entries -= less;
	return shrinker_try(shrinker);
}

/*
 * A full map stays full with as many keys fewer as it has fewer places, which neither leaving out
 * operations nor a smaller map can do alone.
 */
static int shrink_keys_with_map(struct shrinker *shrinker)
{
	const struct fuzz_case *best = shrinker->best;
	size_t *numbers = calloc(best->ops.count + 1, sizeof(*numbers));
	size_t keys, size;
	int ret = 0;

	if (!numbers)
		return -ENOMEM;
	keys = number_keys(best, numbers);
	for (size = keys / 2; size && ret >= 0; size /= 2) {
		size_t at = 0;

		while (at < keys && size < best->attr.max_entries) {
			size_t count = best->ops.count, taken = keys - at;

			taken = taken < size ? taken : size;
			ret = try_without_keys(shrinker, numbers, at, taken, (uint32_t)taken);
			if (ret < 0)
				break;
			if (ret) {
				forget_keys(numbers, count, at, taken);
				keys -= taken;
			} else {
				at += size;
			}
		}
	}
	free(numbers);
	return ret;
}

static int try_entries(struct shrinker *shrinker, uint32_t entries)
{
	shrinker_begin(shrinker)->attr.max_entries = entries;
	return shrinker_try(shrinker);
}

/* The smallest power of two, then one by one. */
static int shrink_entries(struct shrinker *shrinker)
{
	const struct map_attr *attr = &shrinker->best->attr;
	int ret = 0;

	for (uint64_t entries = 1; !ret && entries < attr->max_entries; entries *= 2)
		ret = try_entries(shrinker, (uint32_t)entries);
	do {
		if (ret >= 0 && attr->max_entries > 1)
			ret = try_entries(shrinker, attr->max_entries - 1);
	} while (ret > 0 && attr->max_entries > 1);
	return ret;
}

/* What most maps are, and fewer flags. */
static int shrink_map(struct shrinker *shrinker)
{
	static const uint32_t flags[] = {MAP_NUMA_NODE, MAP_NO_PREALLOC, MAP_NO_COMMON_LRU};
	const struct map_attr *attr = &shrinker->best->attr;
	int ret = 0;

	for (size_t i = 0; ret >= 0 && i < sizeof(flags) / sizeof(flags[0]); i++) {
		if (!(attr->flags & flags[i]))
			continue;
		shrinker_begin(shrinker)->attr.flags &= ~flags[i];
		ret = shrinker_try(shrinker);
	}
	if (ret >= 0 && attr->value_size != 8) {
		shrinker_begin(shrinker)->attr.value_size = 8;
		ret = shrinker_try(shrinker);
	}
	if (ret >= 0 && map_type_is_percpu(attr->type)) {
		shrinker_begin(shrinker)->attr.type =
			attr->type == MAP_PERCPU_HASH ? MAP_HASH : MAP_LRU_HASH;
		ret = shrinker_try(shrinker);
	}
	return ret;
}

/* Smaller counts of batches. */
static int shrink_counts(struct shrinker *shrinker)
{
	const struct op_batch *ops = &shrinker->best->ops;
	int ret = 0;

	for (size_t i = 0; ret >= 0 && i < ops->count; i++) {
		ret = 0;
		for (uint64_t count = 1;
		     !ret && !op_has_key(&ops->ops[i]) && count < ops->ops[i].key; count *= 2) {
			shrinker_begin(shrinker)->ops.ops[i].key = count;
			ret = shrinker_try(shrinker);
		}
	}
	return ret;
}

int shrink_case(struct fuzz_case *fuzz, shrink_test_fn *test, void *arg)
{
	struct shrinker shrinker = {.best = fuzz, .test = test, .arg = arg};
	int ret = op_batch_init(&shrinker.candidate.ops, fuzz->ops.count + 1, false, false);

	if (ret)
		return ret;
	/* The arrays of both change places: they must be of one size. */
	fuzz->ops.capacity = fuzz->ops.count;
	ret = test(arg, fuzz);
	shrinker.has_changed = ret > 0;
	while (ret >= 0 && shrinker.has_changed) {
		static int (*const steps[])(struct shrinker *) = {
			shrink_ops,     shrink_keys_with_map, shrink_map,    shrink_cpus,
			shrink_entries, shrink_keys,          shrink_counts,
		};

		shrinker.has_changed = false;
		for (size_t i = 0; ret >= 0 && i < sizeof(steps) / sizeof(steps[0]); i++)
			ret = steps[i](&shrinker);
		if (ret >= 0)
			ret = 1;
	}
	free(shrinker.candidate.ops.ops);
	return ret;
}
