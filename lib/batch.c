// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Batches, in the order in which the kernel refuses (kernel/bpf/syscall.c: bpf_map_do_batch;
 * hashtab.c: __htab_map_lookup_and_delete_batch).
 */
#include <errno.h>
#include <string.h>

#include "lib/map.h"

/* No bucket has this number, which says that the model set no cursor. */
#define CURSOR_NONE UINT32_MAX

/* What all batches refuse; *own gets the options. */
static int check_batch(const struct mapsim_map *map, uint32_t cpu, const uint32_t *count,
		       const struct mapsim_map_batch_opts *opts, struct mapsim_map_batch_opts *own)
{
	int err = lib_check_call(map, cpu, MAPSIM_SYSCALL);

	if (err)
		return err;
	if (!count)
		return lib_refuse(-EFAULT, "no count");
	memset(own, 0, sizeof(*own));
	if (opts) {
		err = lib_copy_opts(own, sizeof(*own), sizeof(*own), opts);
		if (err)
			return err;
	}
	if (own->elem_flags)
		return lib_refuse(-EINVAL, "batches have no flags of elements");
	if (!tunable_value(&map->config.tunables, TUNE_BATCH))
		return lib_refuse(-EINVAL, "kernel %s has no batches", map->kernel);
	return 0;
}

static int copy_batch(struct mapsim_map *map, uint32_t cpu, const void *in_batch, void *out_batch,
		      void *keys, void *values, uint32_t *count,
		      const struct mapsim_map_batch_opts *opts, bool del)
{
	struct map_ctx ctx = {.cpu = cpu, .context = OP_SYSCALL};
	uint32_t cursor = 0, next = CURSOR_NONE;
	struct mapsim_map_batch_opts own = {0};
	int err = check_batch(map, cpu, count, opts, &own);

	if (err)
		return err;
	if (own.flags)
		return lib_refuse(-EINVAL, "batches that look up have no flags");
	if (!*count)
		return 0;
	if (!out_batch || !keys || !values) {
		*count = 0;
		return lib_refuse(-EFAULT, "nowhere to copy to");
	}
	if (in_batch)
		memcpy(&cursor, in_batch, sizeof(cursor));
	err = map->ops->batch(map->map, &ctx, &cursor, &next, keys, values, count, del);
	if (next != CURSOR_NONE)
		memcpy(out_batch, &next, sizeof(next));
	return err ? lib_fail(err) : 0;
}

int mapsim_map_lookup_batch(struct mapsim_map *map, uint32_t cpu, const void *in_batch,
			    void *out_batch, void *keys, void *values, uint32_t *count,
			    const struct mapsim_map_batch_opts *opts)
{
	return copy_batch(map, cpu, in_batch, out_batch, keys, values, count, opts, false);
}

int mapsim_map_lookup_and_delete_batch(struct mapsim_map *map, uint32_t cpu, const void *in_batch,
				       void *out_batch, void *keys, void *values, uint32_t *count,
				       const struct mapsim_map_batch_opts *opts)
{
	return copy_batch(map, cpu, in_batch, out_batch, keys, values, count, opts, true);
}

int mapsim_map_update_batch(struct mapsim_map *map, uint32_t cpu, const void *keys,
			    const void *values, uint32_t *count,
			    const struct mapsim_map_batch_opts *opts)
{
	struct map_ctx ctx = {.cpu = cpu, .context = OP_SYSCALL};
	const uint8_t *key = keys, *value = values;
	struct mapsim_map_batch_opts own;
	uint32_t done = 0, asked;
	int err = check_batch(map, cpu, count, opts, &own);

	if (err)
		return err;
	asked = *count;
	if (asked && (!keys || !values)) {
		*count = 0;
		return lib_refuse(-EFAULT, "no keys, or no values");
	}
	for (; done < asked && !err; key += map->key_size, value += map->value_bytes) {
		err = map->ops->update(map->map, &ctx, key, value, MAPSIM_ANY);
		done += !err;
	}
	*count = done;
	return err ? lib_fail(err) : 0;
}

int mapsim_map_delete_batch(struct mapsim_map *map, uint32_t cpu, const void *keys, uint32_t *count,
			    const struct mapsim_map_batch_opts *opts)
{
	struct map_ctx ctx = {.cpu = cpu, .context = OP_SYSCALL};
	struct mapsim_map_batch_opts own;
	const uint8_t *key = keys;
	uint32_t done = 0, asked;
	int err = check_batch(map, cpu, count, opts, &own);

	if (err)
		return err;
	asked = *count;
	if (asked && !keys) {
		*count = 0;
		return lib_refuse(-EFAULT, "no keys");
	}
	for (; done < asked && !err; key += map->key_size) {
		err = map->ops->del(map->map, &ctx, key);
		done += !err;
	}
	*count = done;
	return err ? lib_fail(err) : 0;
}
