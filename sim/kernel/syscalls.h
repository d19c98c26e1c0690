/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The system-call side of the kernel engine: bpf(2) on one map, and memory for what it reads. */
#ifndef SIM_KERNEL_SYSCALLS_H
#define SIM_KERNEL_SYSCALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/op.h"

struct kernel_map {
	int fd;
	bool is_lru, is_percpu;
	uint32_t key_size, value_size;
	uint32_t max_entries; /* as the kernel has rounded it */
	uint32_t copies;      /* of a value in system-call form: possible CPUs, or 1 */
	size_t copy_bytes;    /* from one copy to the next */
	uint8_t *value;       /* copies * copy_bytes */
	uint8_t *next_key;

	/* For batches; NULL until there is one. */
	uint8_t *keys, *values;
	size_t keys_bytes, values_bytes;
};

/* Memory for the map's sizes, which are set. 0 or -ENOMEM. */
int kernel_map_init(struct kernel_map *map);
/* Frees it, and closes the map. */
void kernel_map_deinit(struct kernel_map *map);

/* A CPU's place in the map: its batches go on where the last one ended. */
struct batch_cursor {
	bool is_set;
	uint32_t bucket;
};

/* What one operation gives. */
struct kernel_answer {
	int32_t ret;
	uint64_t detail; /* as in struct map_run */
	uint64_t read;   /* likewise; only with folds */
};

/*
 * Does an operation by system call, with the key's key_size bytes and the first 8 bytes of the
 * value that an update writes. Sets answer as struct map_run says. Returns 0; -ENOMEM when there is
 * no memory for a batch.
 */
int kernel_map_call(struct kernel_map *map, const struct map_op *op, const void *key,
		    uint64_t value, bool folds, struct batch_cursor *cursor,
		    struct kernel_answer *answer);

/* Folds the value of a key, each CPU's copy; 0 when it is not there. By system call. */
uint64_t kernel_map_fold(struct kernel_map *map, const void *key);

/* As update by system call; flags are the kernel's. */
int kernel_map_update(struct kernel_map *map, const void *key, uint64_t value, uint64_t flags);

#endif
