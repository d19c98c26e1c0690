// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A case is a map and some phases of operations. Each phase draws codes from one mix, keys from one
 * pattern, and CPUs from one pattern, so that maps are filled, emptied, iterated and churned at
 * length, and all of it also happens mixed.
 */
#include "sim/fuzz.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "model/attr.h"

#define OPERATIONS_MAX 8192 /* beside what fills the map */
#define SMALL_OPERATIONS_MAX 128
#define SMALL_ENTRIES_MAX 24
#define ENTRIES_MAX 4096 /* max_entries */
#define VALUE_SIZE_MAX 8192
#define PERCPU_BYTES_MAX (64u << 10) /* of one CPU's values that are allocated while it runs */
#define ALL_BYTES_MAX (64u << 20)    /* of all CPUs' values */
#define KEYS_BYTES_MAX (1 << 18)     /* of all of a case's keys */

/* A key as operations have it. */
struct fuzz_key {
	uint64_t key;
	uint32_t bytes;
};

enum key_pattern { KEYS_SEQUENCE, KEYS_BACKWARDS, KEYS_ANY, KEYS_HOT, KEYS_SKEWED, KEY_PATTERNS };
enum cpu_pattern { CPUS_STAY, CPUS_BURSTS, CPUS_ALTERNATE, CPUS_RANDOM };

struct phase {
	const char *codes; /* letters of a text trace, drawn evenly */
	enum key_pattern keys;
	enum cpu_pattern cpus;
	uint32_t burst; /* the longest */
	uint64_t hot, hot_count;
	uint64_t length;
};

struct fuzzer {
	struct fuzz_case *made;
	struct rng rng;
	uint32_t cpus;
	struct fuzz_key *keys;
	uint64_t key_count;
	uint64_t next_key; /* of sequences, which go on from phase to phase */
	uint32_t cpu, burst_left;
	uint64_t batch_budget; /* elements that batches may still ask for */
};

static const char *const fills[] = {"U", "T", "N", "u", "n", "t", "UT", "Tt", "Nn"};
static const char *const mixes[] = {
	"T",
	"TTTL",
	"Tt",
	"UL",
	"Uu",
	"UUUD",
	"UD",
	"LlTU",
	"NnEe",
	"NED",
	"ned",
	"EeL",
	"NL",
	"UuNn",
	"D",
	"d",
	"Dd",
	"p",
	"Upl",
	"k",
	"kkkU",
	"kD",
	"kkTd",
	"b",
	"bbUD",
	"r",
	"brk",
	"rUUUU",
	"L",
	"Ll",
	"uled",
	"TTTTTTTTTTD",
	"LUEDT",
	"lundpkbr",
	"S",
	"sTt",
	"SsLlD",
	"LlUuNnEeDdTtSs",
	"LlUuNnEeDdTtSspkbr",
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static uint64_t pick(struct fuzzer *fuzzer, uint64_t count)
{
	return rng_below(&fuzzer->rng, count);
}

static bool chance(struct fuzzer *fuzzer, uint32_t percent)
{
	return pick(fuzzer, 100) < percent;
}

/* 1..most, each power of two as likely as the next. */
static uint64_t pick_size(struct fuzzer *fuzzer, uint64_t most)
{
	uint64_t bits = 64 - (uint64_t)__builtin_clzll(most);
	uint64_t low = 1ULL << pick(fuzzer, bits), size = low + pick(fuzzer, low);

	return size < most ? size : most;
}

static uint32_t pick_key_size(struct fuzzer *fuzzer)
{
	uint64_t roll = pick(fuzzer, 100);

	if (roll < 35)
		return 8;
	if (roll < 60)
		return 4;
	if (roll < 88)
		return 1 + (uint32_t)pick(fuzzer, 16);
	return 1 + (uint32_t)pick(fuzzer, 512);
}

static uint32_t pick_value_size(struct fuzzer *fuzzer)
{
	uint64_t roll = pick(fuzzer, 100);

	if (roll < 45)
		return 8;
	if (roll < 60)
		return 4;
	if (roll < 90)
		return 1 + (uint32_t)pick(fuzzer, 24);
	if (roll < 98)
		return 1 + (uint32_t)pick(fuzzer, 512);
	return (uint32_t)pick_size(fuzzer, VALUE_SIZE_MAX);
}

static uint32_t pick_entries(struct fuzzer *fuzzer)
{
	uint64_t roll = pick(fuzzer, 100);

	if (roll < 10)
		return 1 + (uint32_t)pick(fuzzer, 3);
	if (roll < 45)
		return (uint32_t)pick_size(fuzzer, 40);
	if (roll < 90)
		return (uint32_t)pick_size(fuzzer, 700);
	return (uint32_t)pick_size(fuzzer, ENTRIES_MAX);
}

/*
 * The kernel's per-CPU allocator has a few pages in reserve, and gets more behind an insertion's
 * back: maps that allocate there while they run are kept small, or all would see is its ENOMEM.
 * With many CPUs all per-CPU maps are.
 */
static void limit_percpu(struct map_attr *attr, uint32_t cpus)
{
	uint32_t value_bytes = attr->value_size + 8;
	uint32_t most = attr->flags & MAP_NO_PREALLOC ? PERCPU_BYTES_MAX / value_bytes
						      : ALL_BYTES_MAX / value_bytes / cpus;

	if (map_type_is_percpu(attr->type) && attr->max_entries > most)
		attr->max_entries = most ? most : 1;
}

static void make_map(struct fuzzer *fuzzer)
{
	struct map_attr *attr = &fuzzer->made->attr;

	attr->type = (enum map_type)pick(fuzzer, MAP_TYPES);
	attr->key_size = pick_key_size(fuzzer);
	attr->value_size = pick_value_size(fuzzer);
	attr->max_entries = pick_entries(fuzzer);
	if (map_type_is_lru(attr->type) && chance(fuzzer, 45))
		attr->flags |= MAP_NO_COMMON_LRU;
	if (!map_type_is_lru(attr->type) && chance(fuzzer, 35))
		attr->flags |= MAP_NO_PREALLOC;
	limit_percpu(attr, fuzzer->cpus);
	if (!map_type_is_percpu(attr->type) && !(attr->flags & MAP_NO_COMMON_LRU) &&
	    chance(fuzzer, 5)) {
		attr->flags |= MAP_NUMA_NODE;
		attr->numa_node_online = true;
	}
}

/* Keys as bytes: all random, or different in few places, which hash functions must not mind. */
static int make_byte_key(struct fuzzer *fuzzer, uint64_t number, bool is_sparse,
			 struct fuzz_key *key)
{
	uint8_t bytes[512] = {0};
	uint32_t size = fuzzer->made->attr.key_size, used = size < 8 ? size : 8;
	int64_t offset;

	if (is_sparse)
		memcpy(bytes + size - used, &number, used);
	for (uint32_t i = 0; !is_sparse && i < size; i++)
		bytes[i] = (uint8_t)rng_next(&fuzzer->rng);
	offset = op_batch_add_bytes(&fuzzer->made->ops, bytes, size);
	if (offset < 0)
		return (int)offset;
	*key = (struct fuzz_key){(uint64_t)offset, size};
	return 0;
}

/* The keys that the case uses: about as many as the map holds, or some times as many. */
static int make_keys(struct fuzzer *fuzzer)
{
	uint64_t most = fuzzer->made->attr.max_entries * (1ULL + pick(fuzzer, 4)) + 2;
	uint32_t key_size = fuzzer->made->attr.key_size;
	uint64_t mask = key_size < 8 ? (1ULL << 8 * key_size) - 1 : UINT64_MAX;
	bool has_bytes = key_size > 8 ? !chance(fuzzer, 15) : chance(fuzzer, 15);
	bool is_plain = chance(fuzzer, 60);
	int err = 0;

	if (most > KEYS_BYTES_MAX / key_size)
		most = KEYS_BYTES_MAX / key_size;
	fuzzer->key_count = most;
	fuzzer->keys = calloc(most, sizeof(*fuzzer->keys));
	if (!fuzzer->keys)
		return -ENOMEM;
	for (uint64_t i = 0; !err && i < most; i++) {
		if (has_bytes)
			err = make_byte_key(fuzzer, i, is_plain, &fuzzer->keys[i]);
		else
			fuzzer->keys[i].key = (is_plain ? i : rng_next(&fuzzer->rng)) & mask;
	}
	return err;
}

static void make_phase(struct fuzzer *fuzzer, bool is_first, uint64_t left, struct phase *phase)
{
	static const enum cpu_pattern cpu_patterns[] = {
		CPUS_STAY,   CPUS_STAY,   CPUS_STAY,   CPUS_STAY,      CPUS_BURSTS,
		CPUS_BURSTS, CPUS_BURSTS, CPUS_BURSTS, CPUS_ALTERNATE, CPUS_RANDOM,
	};
	bool is_fill = chance(fuzzer, is_first ? 80 : 20);

	phase->codes =
		is_fill ? fills[pick(fuzzer, COUNT(fills))] : mixes[pick(fuzzer, COUNT(mixes))];
	phase->keys = (enum key_pattern)pick(fuzzer, is_fill ? KEYS_HOT : KEY_PATTERNS);
	phase->cpus = cpu_patterns[pick(fuzzer, COUNT(cpu_patterns))];
	phase->burst = (uint32_t)pick_size(fuzzer, 200);
	phase->hot = pick(fuzzer, fuzzer->key_count);
	phase->hot_count = pick_size(fuzzer, 16);
	phase->length = is_fill ? pick(fuzzer, 2 * fuzzer->key_count) + 1
				: pick_size(fuzzer, 2 * fuzzer->key_count + 64);
	/* Where each operation changes the CPU, a kernel is slow. */
	if (phase->cpus >= CPUS_ALTERNATE && phase->length > 128)
		phase->length = 128;
	if (phase->length > left)
		phase->length = left;
	fuzzer->cpu = (uint32_t)pick(fuzzer, fuzzer->cpus);
	fuzzer->burst_left = phase->burst;
}

static uint32_t next_cpu(struct fuzzer *fuzzer, const struct phase *phase)
{
	switch (phase->cpus) {
	case CPUS_STAY:
		break;
	case CPUS_BURSTS:
		if (fuzzer->burst_left--)
			break;
		fuzzer->cpu = (uint32_t)pick(fuzzer, fuzzer->cpus);
		fuzzer->burst_left = (uint32_t)pick(fuzzer, phase->burst);
		break;
	case CPUS_ALTERNATE:
		fuzzer->cpu = (fuzzer->cpu + 1) % fuzzer->cpus;
		break;
	case CPUS_RANDOM:
		fuzzer->cpu = (uint32_t)pick(fuzzer, fuzzer->cpus);
		break;
	}
	return fuzzer->cpu;
}

static const struct fuzz_key *next_key(struct fuzzer *fuzzer, const struct phase *phase)
{
	uint64_t count = fuzzer->key_count, at = 0;

	switch (phase->keys) {
	case KEYS_SEQUENCE:
		at = fuzzer->next_key++ % count;
		break;
	case KEYS_BACKWARDS:
		at = fuzzer->next_key-- % count;
		break;
	case KEYS_ANY:
		at = pick(fuzzer, count);
		break;
	case KEYS_HOT:
		at = (phase->hot + pick(fuzzer, phase->hot_count)) % count;
		break;
	case KEYS_SKEWED:
		at = pick_size(fuzzer, count) - 1;
		break;
	case KEY_PATTERNS:
		break;
	}
	return &fuzzer->keys[at];
}

/* How many elements a batch asks for, as long as the case can afford it. */
static uint64_t next_batch_count(struct fuzzer *fuzzer)
{
	uint64_t entries = fuzzer->made->attr.max_entries, count;

	count = chance(fuzzer, 70) ? pick_size(fuzzer, 16) : pick_size(fuzzer, 2 * entries);
	if (chance(fuzzer, 2))
		count = 0;
	if (count > fuzzer->batch_budget)
		count = pick(fuzzer, 4);
	else
		fuzzer->batch_budget -= count;
	return count;
}

static void make_op(struct fuzzer *fuzzer, const struct phase *phase)
{
	struct op_batch *ops = &fuzzer->made->ops;
	struct map_op *op = &ops->ops[ops->count++];
	char letter = phase->codes[pick(fuzzer, strlen(phase->codes))];

	memset(op, 0, sizeof(*op));
	op_from_letter(letter, &op->code, &op->context);
	op->cpu = (uint16_t)next_cpu(fuzzer, phase);
	if (op->code == OP_BATCH_LOOKUP || op->code == OP_BATCH_LOOKUP_AND_DELETE) {
		op->key = next_batch_count(fuzzer);
	} else {
		const struct fuzz_key *key = next_key(fuzzer, phase);

		op->key = key->key;
		op->key_bytes = key->bytes;
	}
}

/* Two batches read the whole map at the end: the first one ends what another has begun. */
static void make_finale(struct fuzzer *fuzzer)
{
	struct op_batch *ops = &fuzzer->made->ops;

	for (int i = 0; i < 2; i++)
		ops->ops[ops->count++] = (struct map_op){
			.code = OP_BATCH_LOOKUP,
			.context = OP_SYSCALL,
			.key = fuzzer->made->attr.max_entries + fuzzer->cpus,
		};
}

static void make_ops(struct fuzzer *fuzzer, uint64_t count)
{
	struct op_batch *ops = &fuzzer->made->ops;
	struct phase phase;

	while (ops->count < count) {
		make_phase(fuzzer, !ops->count, count - ops->count, &phase);
		for (uint64_t i = 0; i < phase.length; i++)
			make_op(fuzzer, &phase);
	}
	make_finale(fuzzer);
}

static void fuzzer_init(struct fuzzer *fuzzer, struct fuzz_case *made, uint64_t seed,
			uint64_t number, uint32_t cpus)
{
	memset(made, 0, sizeof(*made));
	memset(fuzzer, 0, sizeof(*fuzzer));
	fuzzer->made = made;
	fuzzer->cpus = cpus;
	rng_init(&fuzzer->rng, rng_splitmix(&seed) + number);
}

/* Keys, then count operations, for the map that was made. Ends the fuzzer; 0 or -ENOMEM. */
static int fuzzer_finish(struct fuzzer *fuzzer, uint64_t count)
{
	struct fuzz_case *fuzz = fuzzer->made;
	int err = make_keys(fuzzer);

	fuzzer->batch_budget = 2 * count;
	if (!err) {
		struct op_batch keys = fuzz->ops;

		err = op_batch_init(&fuzz->ops, count + 2, false, false);
		fuzz->ops.arena = keys.arena;
		fuzz->ops.arena_bytes = keys.arena_bytes;
		fuzz->ops.arena_capacity = keys.arena_capacity;
	}
	if (!err)
		make_ops(fuzzer, count);
	free(fuzzer->keys);
	if (err)
		fuzz_case_deinit(fuzz);
	return err;
}

int fuzz_case_init(struct fuzz_case *fuzz, uint64_t seed, uint64_t number, uint32_t cpus)
{
	struct fuzzer fuzzer;
	uint64_t count;

	fuzzer_init(&fuzzer, fuzz, seed, number, cpus);
	make_map(&fuzzer);
	count = pick_size(&fuzzer, OPERATIONS_MAX) + pick(&fuzzer, 3) * fuzz->attr.max_entries;
	return fuzzer_finish(&fuzzer, count);
}

int fuzz_case_init_small(struct fuzz_case *fuzz, const struct map_attr *like, uint64_t seed,
			 uint64_t number, uint32_t cpus)
{
	struct fuzzer fuzzer;

	fuzzer_init(&fuzzer, fuzz, seed, number, cpus);
	fuzz->attr = *like;
	fuzz->attr.key_size = 8;
	fuzz->attr.value_size = 8;
	fuzz->attr.max_entries = 1 + (uint32_t)pick(&fuzzer, SMALL_ENTRIES_MAX);
	return fuzzer_finish(&fuzzer, 1 + pick(&fuzzer, SMALL_OPERATIONS_MAX));
}

void fuzz_case_deinit(struct fuzz_case *fuzz)
{
	op_batch_deinit(&fuzz->ops);
}

int fuzz_case_copy(struct fuzz_case *copy, const struct fuzz_case *from, size_t count)
{
	int err = op_batch_init(&copy->ops, count ? count : 1, false, false);

	copy->attr = from->attr;
	if (err)
		return err;
	memcpy(copy->ops.ops, from->ops.ops, count * sizeof(*from->ops.ops));
	copy->ops.count = count;
	if (op_batch_add_bytes(&copy->ops, from->ops.arena, from->ops.arena_bytes) >= 0)
		return 0;
	fuzz_case_deinit(copy);
	return -ENOMEM;
}

void fuzz_case_configure(const struct fuzz_case *fuzz, struct run_config *config)
{
	config->map.attr = fuzz->attr;
	config->is_map_given = true;
}
