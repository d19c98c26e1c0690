/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Per-CPU values. All of a map's have one size, so a value is a number; its copies lie as the
 * kernel's per-CPU allocator lays them: neighbours on one CPU side by side, one value's copies a
 * unit apart.
 */
#ifndef MODEL_PERCPU_H
#define MODEL_PERCPU_H

#include <env.h>

struct percpu {
	uint8_t **chunks;
	uint64_t chunk_slots; /* how many chunk pointers there is room for */
	uint32_t cpus;
	uint32_t stride; /* bytes of one copy, a multiple of 8 */
	uint32_t shift;  /* a chunk holds 1 << shift values */
	uint64_t chunk_count;
	size_t chunk_bytes;
};

/* For values of stride bytes, values_max expected. Allocates none yet. Returns 0 or -ENOMEM. */
int percpu_init(struct percpu *percpu, uint32_t cpus, uint32_t stride, uint64_t values_max);
void percpu_deinit(struct percpu *percpu);

/* Makes values 0..count-1 exist. Returns 0 or -ENOMEM. Needs whoever else reserves kept out. */
int percpu_reserve(struct percpu *percpu, uint64_t count);

static inline uint8_t *percpu_value(const struct percpu *percpu, uint64_t value, uint32_t cpu)
{
	uint64_t index = value & ((1ULL << percpu->shift) - 1);
	uint64_t unit = (uint64_t)cpu << percpu->shift;

	return env_load_acquire(&env_load_acquire(&percpu->chunks)[value >> percpu->shift]) +
	       (unit + index) * percpu->stride;
}

static inline uint64_t percpu_bytes(const struct percpu *percpu)
{
	return percpu->chunk_count * percpu->chunk_bytes +
	       percpu->chunk_slots * sizeof(*percpu->chunks);
}

#endif
