// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sim/kernel/syscalls.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int kernel_map_init(struct kernel_map *map)
{
	map->value = calloc(map->copies, map->copy_bytes);
	map->next_key = calloc(1, map->key_size);
	return map->value && map->next_key ? 0 : -ENOMEM;
}

void kernel_map_deinit(struct kernel_map *map)
{
	free(map->value);
	free(map->next_key);
	if (map->keys)
		munmap(map->keys, map->keys_bytes);
	if (map->values)
		munmap(map->values, map->values_bytes);
	if (map->fd >= 0)
		close(map->fd);
}

/* The value in map->value, copy by copy. */
static uint64_t fold_value(const struct kernel_map *map, const uint8_t *value, uint64_t fold)
{
	for (uint32_t copy = 0; copy < map->copies; copy++)
		fold = op_fold_bytes(fold, value + copy * map->copy_bytes, map->value_size);
	return fold;
}

uint64_t kernel_map_fold(struct kernel_map *map, const void *key)
{
	if (bpf_map_lookup_elem(map->fd, key, map->value))
		return 0;
	return fold_value(map, map->value, 0);
}

int kernel_map_update(struct kernel_map *map, const void *key, uint64_t value, uint64_t flags)
{
	size_t used = map->value_size < sizeof(value) ? map->value_size : sizeof(value);

	memset(map->value, 0, map->copies * map->copy_bytes);
	for (uint32_t copy = 0; copy < map->copies; copy++)
		memcpy(map->value + copy * map->copy_bytes, &value, used);
	return bpf_map_update_elem(map->fd, key, map->value, flags);
}

static int32_t call_lookup(struct kernel_map *map, const void *key, bool folds,
			   struct kernel_answer *answer)
{
	int err = bpf_map_lookup_elem(map->fd, key, map->value);

	if (!err && folds)
		answer->read = fold_value(map, map->value, 0);
	return err;
}

static int32_t call_lookup_or_update(struct kernel_map *map, const void *key, uint64_t value,
				     bool folds, struct kernel_answer *answer)
{
	int err = call_lookup(map, key, folds, answer);

	if (err != -ENOENT)
		return err;
	err = kernel_map_update(map, key, value, BPF_ANY);
	return err ? err : 1;
}

/* There is none but the system call; a program, where one is asked for, reads its CPU's copy. */
static int32_t call_lookup_and_delete(struct kernel_map *map, const struct map_op *op,
				      const void *key, bool folds, struct kernel_answer *answer)
{
	int err = bpf_map_lookup_and_delete_elem(map->fd, key, map->value);

	if (err || !folds)
		return err;
	if (map->is_percpu && op->context != OP_SYSCALL)
		answer->read =
			op_fold_bytes(0, map->value + op->cpu * map->copy_bytes, map->value_size);
	else
		answer->read = fold_value(map, map->value, 0);
	return 0;
}

static int32_t call_next_key(struct kernel_map *map, const void *key, bool folds,
			     struct kernel_answer *answer)
{
	size_t used =
		map->key_size < sizeof(answer->detail) ? map->key_size : sizeof(answer->detail);
	int err = bpf_map_get_next_key(map->fd, key, map->next_key);

	if (err)
		return err;
	memcpy(&answer->detail, map->next_key, used);
	if (folds)
		answer->read = op_fold_bytes(0, map->next_key, map->key_size);
	return 0;
}

/* Memory that is only taken where it is written: a batch may ask for more than there is. */
static int grow(uint8_t **memory, size_t *has_bytes, size_t bytes)
{
	void *grown;

	if (*has_bytes >= bytes)
		return 0;
	grown = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (grown == MAP_FAILED)
		return -ENOMEM;
	if (*memory)
		munmap(*memory, *has_bytes);
	*memory = grown;
	*has_bytes = bytes;
	return 0;
}

/* Batches have no padding between values that are not per CPU. */
static size_t batch_value_bytes(const struct kernel_map *map)
{
	return map->is_percpu ? map->copies * map->copy_bytes : map->value_size;
}

/*
 * No batch copies more elements than the map has; without preallocation it can have more than
 * max_entries by what CPUs count apart.
 */
static int grow_batch(struct kernel_map *map, uint32_t asked)
{
	uint64_t most = (uint64_t)map->max_entries + 4096 + 64 * (uint64_t)map->copies;
	uint64_t count = asked < most ? asked : most;
	int err;

	/* A page at least: none would be no memory. */
	err = grow(&map->keys, &map->keys_bytes, count * map->key_size + 4096);
	if (err)
		return err;
	return grow(&map->values, &map->values_bytes, count * batch_value_bytes(map) + 4096);
}

static uint64_t fold_batch(const struct kernel_map *map, uint32_t count)
{
	uint64_t fold = 0;

	for (size_t i = 0; i < count; i++) {
		fold = op_fold_bytes(fold, map->keys + i * map->key_size, map->key_size);
		fold = fold_value(map, map->values + i * batch_value_bytes(map), fold);
	}
	return fold;
}

static int call_batch(struct kernel_map *map, const struct map_op *op, bool folds,
		      struct batch_cursor *cursor, struct kernel_answer *answer)
{
	uint32_t count = op->key > UINT32_MAX ? UINT32_MAX : (uint32_t)op->key;
	/* Not written by a call that fails early. */
	uint32_t next = cursor->bucket;
	uint32_t *from = cursor->is_set ? &cursor->bucket : NULL;
	int err = grow_batch(map, count);

	if (err)
		return err;
	if (op->code == OP_BATCH_LOOKUP)
		answer->ret = bpf_map_lookup_batch(map->fd, from, &next, map->keys, map->values,
						   &count, NULL);
	else
		answer->ret = bpf_map_lookup_and_delete_batch(map->fd, from, &next, map->keys,
							      map->values, &count, NULL);
	cursor->is_set = answer->ret != -ENOENT;
	cursor->bucket = answer->ret == -ENOENT ? 0 : next;
	answer->detail = count;
	if (folds && (!answer->ret || answer->ret == -ENOENT) && op->key)
		answer->read = fold_batch(map, count);
	return 0;
}

int kernel_map_call(struct kernel_map *map, const struct map_op *op, const void *key,
		    uint64_t value, bool folds, struct batch_cursor *cursor,
		    struct kernel_answer *answer)
{
	memset(answer, 0, sizeof(*answer));
	switch ((enum op_code)op->code) {
	case OP_LOOKUP:
		answer->ret = call_lookup(map, key, folds, answer);
		return 0;
	case OP_UPDATE:
		answer->ret = kernel_map_update(map, key, value, BPF_ANY);
		return 0;
	case OP_UPDATE_NOEXIST:
		answer->ret = kernel_map_update(map, key, value, BPF_NOEXIST);
		return 0;
	case OP_UPDATE_EXIST:
		answer->ret = kernel_map_update(map, key, value, BPF_EXIST);
		return 0;
	case OP_DELETE:
		answer->ret = bpf_map_delete_elem(map->fd, key);
		return 0;
	case OP_LOOKUP_AND_DELETE:
		answer->ret = call_lookup_and_delete(map, op, key, folds, answer);
		return 0;
	case OP_NEXT_KEY:
		answer->ret = call_next_key(map, key, folds, answer);
		return 0;
	case OP_BATCH_LOOKUP:
	case OP_BATCH_LOOKUP_AND_DELETE:
		return call_batch(map, op, folds, cursor, answer);
	case OP_ACCESS:
		answer->ret = call_lookup_or_update(map, key, value, folds, answer);
		return 0;
	case OP_DIST: /* needs the program: engine_kernel.c */
	case OP_CODES:
		break;
	}
	answer->ret = -EINVAL;
	return 0;
}
