// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "model/percpu.h"

/* A unit of at most 32 KiB per CPU: what the kernel's first chunk offers (PCPU_MIN_UNIT_SIZE). */
#define UNIT_BYTES (32u << 10)
/* Chunks of all units are kept small, since their last one is seldom full. */
#define CHUNK_BYTES (512u << 10)

static size_t table_bytes(uint64_t slots)
{
	return (slots + 1) * sizeof(uint8_t *);
}

int percpu_init(struct percpu *percpu, uint32_t cpus, uint32_t stride, uint64_t values_max)
{
	memset(percpu, 0, sizeof(*percpu));
	percpu->cpus = cpus;
	percpu->stride = stride;
	while ((2ULL << percpu->shift) * stride <= UNIT_BYTES &&
	       (2ULL << percpu->shift) * stride * cpus <= CHUNK_BYTES)
		percpu->shift++;
	percpu->chunk_bytes = ((size_t)stride << percpu->shift) * cpus;
	percpu->chunk_slots = (values_max >> percpu->shift) + 1;
	percpu->chunks = env_alloc(table_bytes(percpu->chunk_slots), -1);
	return percpu->chunks ? 0 : -ENOMEM;
}

/* A table that was outgrown has at its end a pointer to the one before it. */
static void percpu_free_tables(struct percpu *percpu)
{
	uint8_t **chunks = percpu->chunks;
	uint64_t slots = percpu->chunk_slots;

	while (chunks) {
		uint8_t **outgrown = (uint8_t **)chunks[slots];

		env_free(chunks, table_bytes(slots));
		chunks = outgrown;
		slots /= 2;
	}
}

void percpu_deinit(struct percpu *percpu)
{
	for (uint64_t i = 0; i < percpu->chunk_count; i++)
		env_free(percpu->chunks[i], percpu->chunk_bytes);
	percpu_free_tables(percpu);
	memset(percpu, 0, sizeof(*percpu));
}

/* Twice as many chunk pointers. Readers may still use the table before. 0 or -ENOMEM. */
static int percpu_add_slots(struct percpu *percpu)
{
	uint64_t slots = percpu->chunk_slots;
	uint8_t **chunks = env_alloc(table_bytes(2 * slots), -1);

	if (!chunks)
		return -ENOMEM;
	memcpy(chunks, percpu->chunks, slots * sizeof(*chunks));
	chunks[2 * slots] = (uint8_t *)percpu->chunks;
	env_store_release(&percpu->chunks, chunks);
	percpu->chunk_slots = 2 * slots;
	return 0;
}

int percpu_reserve(struct percpu *percpu, uint64_t count)
{
	while (percpu->chunk_count << percpu->shift < count) {
		uint8_t *chunk;

		if (percpu->chunk_count == percpu->chunk_slots && percpu_add_slots(percpu))
			return -ENOMEM;
		chunk = env_alloc(percpu->chunk_bytes, -1);
		if (!chunk)
			return -ENOMEM;
		env_store_release(&percpu->chunks[percpu->chunk_count], chunk);
		percpu->chunk_count++;
	}
	return 0;
}
