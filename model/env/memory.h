/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Memory for the model's tables, shared by the flavours that run on real memory. */
#ifndef MODEL_ENV_MEMORY_H
#define MODEL_ENV_MEMORY_H

#include <numaif.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* From here on a mapping of its own, whose pages exist only once touched; ... */
#define ENV_MMAP_BYTES (64u << 10)
/* ... from here on in whole huge pages. What lies between is best cut to fit by its user. */
#define ENV_HUGE_FROM_BYTES (1u << 20)
#define ENV_HUGE_BYTES (2u << 20)

static inline size_t env_mapped_bytes(size_t bytes)
{
	size_t unit = bytes >= ENV_HUGE_FROM_BYTES ? ENV_HUGE_BYTES : 1;

	return (bytes + unit - 1) & ~(unit - 1);
}

static inline void *env_map_pages(size_t bytes)
{
	void *memory =
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

/* A mapping of whole huge pages: maps one more, and gives back what is outside. */
static inline void *env_map_huge(size_t bytes)
{
	size_t size = env_mapped_bytes(bytes), skip;
	uint8_t *memory;

	if (size < bytes)
		return NULL;
	memory = env_map_pages(size + ENV_HUGE_BYTES);
	if (!memory)
		return NULL;
	skip = -(uintptr_t)memory & (ENV_HUGE_BYTES - 1);
	if (skip)
		munmap(memory, skip);
	munmap(memory + skip + size, ENV_HUGE_BYTES - skip);
	madvise(memory + skip, size, MADV_HUGEPAGE);
	return memory + skip;
}

#define ENV_NODES_MAX 1024

/* Wishes pages for a node, of those not touched yet; on a machine that lacks it nothing changes. */
static inline void env_prefer_node(void *memory, size_t bytes, int numa_node)
{
	unsigned long nodes[ENV_NODES_MAX / (8 * sizeof(unsigned long))] = {0};
	size_t bits = 8 * sizeof(nodes[0]), node = (size_t)numa_node;

	if (numa_node < 0 || numa_node >= ENV_NODES_MAX || !memory)
		return;
	nodes[node / bits] = 1UL << node % bits;
	mbind(memory, bytes, MPOL_PREFERRED, nodes, ENV_NODES_MAX + 1, 0);
}

/*
 * Zeroed memory aligned to a cache line, in huge pages where the system gives them: tables larger
 * than the TLB's reach are walked at random. NULL when there is none. numa_node is a wish as it
 * is to the kernel's allocators, for what is a mapping of its own; -1: wherever it is touched.
 */
static inline void *env_alloc(size_t bytes, int numa_node)
{
	void *memory;

	if (bytes >= ENV_MMAP_BYTES) {
		memory = bytes >= ENV_HUGE_FROM_BYTES ? env_map_huge(bytes) : env_map_pages(bytes);
		env_prefer_node(memory, env_mapped_bytes(bytes), numa_node);
		return memory;
	}
	memory = aligned_alloc(64, (bytes + 64) / 64 * 64);
	if (memory)
		memset(memory, 0, bytes);
	return memory;
}

/* Frees env_alloc's memory; bytes as given then. memory may be NULL. */
static inline void env_free(void *memory, size_t bytes)
{
	if (memory && bytes >= ENV_MMAP_BYTES)
		munmap(memory, env_mapped_bytes(bytes));
	else
		free(memory);
}

#endif
