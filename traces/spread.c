// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "traces/spread.h"

const char *const trace_program_names[TRACE_PROGRAMS] = {
	[TRACE_ACCESS] = "access",
	[TRACE_DIST] = "dist",
	[TRACE_UPDATE] = "update",
};

const char *const trace_spread_names[TRACE_SPREADS] = {
	[SPREAD_ROUND_ROBIN] = "round-robin",
	[SPREAD_RANDOM] = "random",
	[SPREAD_BLOCK] = "block",
	[SPREAD_HASH] = "hash",
};

/* Keeps the CPUs drawn apart from the keys that a generator draws from the same seed. */
#define SPREAD_SEED 0x7370726561640000ULL

void spread_init(struct spread *spread, enum trace_spread kind, uint32_t cpus, uint64_t block,
		 uint64_t seed)
{
	spread->kind = kind;
	spread->cpus = cpus;
	spread->cpu = 0;
	spread->block = kind == SPREAD_BLOCK ? block : 1;
	spread->block_left = spread->block;
	rng_init(&spread->rng, seed ^ SPREAD_SEED);
}

static void spread_in_turn(struct spread *spread, struct map_op *ops, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		ops[i].cpu = (uint16_t)spread->cpu;
		if (--spread->block_left)
			continue;
		spread->block_left = spread->block;
		if (++spread->cpu == spread->cpus)
			spread->cpu = 0;
	}
}

static void spread_by_key(const struct spread *spread, struct map_op *ops, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t key = ops[i].key;

		ops[i].cpu = (uint16_t)(((rng_splitmix(&key) >> 32) * spread->cpus) >> 32);
	}
}

void spread_run(struct spread *spread, struct map_op *ops, size_t count)
{
	switch (spread->kind) {
	case SPREAD_RANDOM:
		for (size_t i = 0; i < count; i++)
			ops[i].cpu = (uint16_t)rng_below(&spread->rng, spread->cpus);
		break;
	case SPREAD_HASH:
		spread_by_key(spread, ops, count);
		break;
	default:
		spread_in_turn(spread, ops, count);
		break;
	}
}

void program_run(enum trace_program program, struct map_op *ops, size_t count)
{
	static const uint8_t codes[TRACE_PROGRAMS] = {
		[TRACE_ACCESS] = OP_ACCESS,
		[TRACE_DIST] = OP_DIST,
		[TRACE_UPDATE] = OP_UPDATE,
	};
	uint8_t context = program == TRACE_DIST ? OP_SYSCALL : OP_PROGRAM;

	for (size_t i = 0; i < count; i++) {
		ops[i].key_bytes = 0;
		ops[i].code = codes[program];
		ops[i].context = context;
	}
}
