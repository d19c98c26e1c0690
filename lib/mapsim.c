// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The library's maps: creating them, single operations, and asking; mapsim.h has the contracts. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/system.h"
#include "lib/map.h"

#define SIZE_THROUGH(type, field) (offsetof(type, field) + sizeof(((type *)0)->field))

_Static_assert((int)MAPSIM_PROGRAM == OP_PROGRAM && (int)MAPSIM_SYSCALL == OP_SYSCALL &&
		       (int)MAPSIM_IRQ == OP_IRQ && (int)MAPSIM_NMI == OP_NMI,
	       "contexts are passed on as they are");
_Static_assert((int)MAPSIM_F_NO_PREALLOC == MAP_NO_PREALLOC &&
		       (int)MAPSIM_F_NO_COMMON_LRU == MAP_NO_COMMON_LRU &&
		       (int)MAPSIM_F_NUMA_NODE == MAP_NUMA_NODE,
	       "flags are reported as they are");

static _Thread_local struct error last_error;

const char *mapsim_version(void)
{
	return VERSION;
}

const char *mapsim_error(void)
{
	return last_error.text;
}

const char *mapsim_errno_name(int err)
{
	return errno_name(err);
}

int lib_fail(int err)
{
	errno = -err;
	return err;
}

int lib_refuse(int err, const char *format, ...)
{
	char text[sizeof(last_error.text)];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return lib_fail(error_set(&last_error, err, "%s", text));
}

int lib_check_call(const struct mapsim_map *map, uint32_t cpu, enum mapsim_context context)
{
	if (!map)
		return lib_refuse(-EBADF, "no map");
	if (cpu >= map->cpus)
		return lib_refuse(-EINVAL, "CPU %u: the map has %u", cpu, map->cpus);
	if ((unsigned int)context >= OP_CONTEXTS)
		return lib_refuse(-EINVAL, "no context %u", (unsigned int)context);
	return 0;
}

int lib_copy_opts(void *own, size_t own_bytes, size_t min_bytes, const void *given)
{
	const uint8_t *bytes = given;
	size_t size;

	memcpy(&size, given, sizeof(size));
	if (size < min_bytes)
		return lib_refuse(-EINVAL, "sz=%zu: expected at least %zu", size, min_bytes);
	for (size_t i = own_bytes; i < size; i++) {
		if (bytes[i])
			return lib_refuse(-EINVAL,
					  "this library knows %zu bytes of options, of "
					  "%zu that are given",
					  own_bytes, size);
	}
	memset(own, 0, own_bytes);
	memcpy(own, given, size < own_bytes ? size : own_bytes);
	return 0;
}

int lib_fill(void *wanted, const void *own, size_t own_bytes)
{
	size_t size;

	memcpy(&size, wanted, sizeof(size));
	if (size < sizeof(size))
		return lib_refuse(-EINVAL, "sz=%zu: expected the structure's size", size);
	memset(wanted, 0, size);
	memcpy(wanted, own, size < own_bytes ? size : own_bytes);
	memcpy(wanted, &size, sizeof(size));
	return 0;
}

/* Creating */

/* A map of this many bytes fits on any system. */
#define SMALL_MAP_BYTES (16u << 20)

/*
 * The system grants more memory than it has and kills who uses it, so a map that cannot fit is
 * refused before it is touched.
 */
static int check_fits(const struct map_config *config)
{
	uint64_t bytes = map_config_bytes(config), available;

	if (bytes <= SMALL_MAP_BYTES)
		return 0;
	available = system_memory_available();
	if (bytes <= available)
		return 0;
	return map_config_refuse_memory(bytes, available, &last_error);
}

static int read_config(struct map_config *config, const char *text,
		       const struct mapsim_map_create_opts *opts)
{
	int err;

	map_config_init(config);
	err = map_config_set_map(config, text, &last_error);
	if (!err && opts->kernel)
		err = map_config_set_kernel(config, opts->kernel, &last_error);
	if (!err && opts->tunables)
		err = map_config_set_tunables(config, opts->tunables, &last_error);
	if (!err && opts->cpus > MAP_CPUS_MAX)
		err = error_set(&last_error, -EINVAL, "cpus=%u: expected a number 1..%u",
				opts->cpus, MAP_CPUS_MAX);
	if (!err && opts->reserved)
		err = error_set(&last_error, -EINVAL, "reserved must be 0");
	if (err)
		return err;
	if (opts->cpus)
		config->cpus = opts->cpus;
	map_config_finish(config, opts->seed);
	err = map_config_check(config, &last_error);
	/* Here calls come one by one. */
	if (!err && seq_model_ops.needs_future(&config->attr, &config->tunables))
		err = error_set(&last_error, -EINVAL,
				"this rotation needs to know all calls to come");
	return err ? err : check_fits(config);
}

static int create(const struct map_config *config, struct mapsim_map **created)
{
	struct mapsim_map *map = calloc(1, sizeof(*map) + config->attr.key_size);
	int err;

	if (!map)
		return error_set(&last_error, -ENOMEM, "out of memory");
	map->ops = &seq_model_ops;
	map->config = *config;
	map->cpus = config->cpus;
	map->key_size = config->attr.key_size;
	map->value_bytes = map_sys_value_bytes(&config->attr, config->cpus);
	map_config_format(config, map->text, sizeof(map->text));
	kernel_name(&config->kernel, map->kernel);
	err = map->ops->map_create(&config->attr, &config->tunables, config->cpus, &map->map,
				   &last_error);
	if (err) {
		free(map);
		return err;
	}
	*created = map;
	return 0;
}

struct mapsim_map *mapsim_map_create(const char *text, const struct mapsim_map_create_opts *opts)
{
	struct mapsim_map_create_opts own = {0};
	struct mapsim_map *map = NULL;
	struct map_config config;
	int err;

	if (!text) {
		lib_refuse(-EFAULT, "no text of a map");
		return NULL;
	}
	if (opts && lib_copy_opts(&own, sizeof(own),
				  SIZE_THROUGH(struct mapsim_map_create_opts, seed), opts))
		return NULL;
	err = read_config(&config, text, &own);
	if (!err)
		err = create(&config, &map);
	if (err)
		lib_fail(err);
	return map;
}

void mapsim_map_destroy(struct mapsim_map *map)
{
	if (!map)
		return;
	map->ops->map_destroy(map->map);
	free(map);
}

/* Single elements */

/* What a call with a key refuses. */
static int check_key(const struct mapsim_map *map, uint32_t cpu, enum mapsim_context context,
		     const void *key)
{
	int err = lib_check_call(map, cpu, context);

	if (!err && !key)
		err = lib_refuse(-EFAULT, "no key");
	return err;
}

static struct map_ctx ctx_of(uint32_t cpu, enum mapsim_context context)
{
	return (struct map_ctx){.cpu = cpu, .context = (uint8_t)context};
}

/* What a look-up returns that had nowhere to put its value. */
static int answer(int err, const void *where)
{
	if (err)
		return lib_fail(err);
	return where ? 0 : lib_refuse(-EFAULT, "nowhere to copy to");
}

int mapsim_map_lookup_elem(struct mapsim_map *map, uint32_t cpu, enum mapsim_context context,
			   const void *key, void *value)
{
	struct map_ctx ctx = ctx_of(cpu, context);
	int err = check_key(map, cpu, context, key);

	return err ? err : answer(map->ops->lookup(map->map, &ctx, key, value), value);
}

void *mapsim_map_lookup_ptr(struct mapsim_map *map, uint32_t cpu, enum mapsim_context context,
			    const void *key)
{
	struct map_ctx ctx = ctx_of(cpu, context);
	void *value;

	if (check_key(map, cpu, context, key))
		return NULL;
	if (context == MAPSIM_SYSCALL) {
		lib_refuse(-EINVAL, "system calls get no pointers to values");
		return NULL;
	}
	value = map->ops->lookup_in_place(map->map, &ctx, key);
	if (!value)
		lib_fail(-ENOENT);
	/* cppcheck-suppress returnDanglingLifetime ; the value is the map's */
	return value;
}

int mapsim_map_update_elem(struct mapsim_map *map, uint32_t cpu, enum mapsim_context context,
			   const void *key, const void *value, uint64_t flags)
{
	struct map_ctx ctx = ctx_of(cpu, context);
	int err = check_key(map, cpu, context, key);

	if (err)
		return err;
	if (!value)
		return lib_refuse(-EFAULT, "no value");
	err = map->ops->update(map->map, &ctx, key, value, flags);
	return err ? lib_fail(err) : 0;
}

int mapsim_map_delete_elem(struct mapsim_map *map, uint32_t cpu, enum mapsim_context context,
			   const void *key)
{
	struct map_ctx ctx = ctx_of(cpu, context);
	int err = check_key(map, cpu, context, key);

	if (err)
		return err;
	err = map->ops->del(map->map, &ctx, key);
	return err ? lib_fail(err) : 0;
}

int mapsim_map_lookup_and_delete_elem(struct mapsim_map *map, uint32_t cpu,
				      enum mapsim_context context, const void *key, void *value)
{
	struct map_ctx ctx = ctx_of(cpu, context);
	int err = check_key(map, cpu, context, key);

	return err ? err : answer(map->ops->lookup_and_delete(map->map, &ctx, key, value), value);
}

int mapsim_map_get_next_key(struct mapsim_map *map, uint32_t cpu, enum mapsim_context context,
			    const void *cur_key, void *next_key)
{
	struct map_ctx ctx = ctx_of(cpu, context);
	int err = lib_check_call(map, cpu, context);
	void *next;

	if (err)
		return err;
	next = next_key ? next_key : map->scratch_key;
	return answer(map->ops->next_key(map->map, &ctx, cur_key, next), next_key);
}

/* Asking */

static uint32_t type_number(enum map_type type)
{
	static const uint32_t numbers[MAP_TYPES] = {
		[MAP_HASH] = MAPSIM_HASH,
		[MAP_PERCPU_HASH] = MAPSIM_PERCPU_HASH,
		[MAP_LRU_HASH] = MAPSIM_LRU_HASH,
		[MAP_LRU_PERCPU_HASH] = MAPSIM_LRU_PERCPU_HASH,
	};

	return numbers[type];
}

int mapsim_map_get_info(const struct mapsim_map *map, struct mapsim_map_info *info)
{
	struct mapsim_map_info own = {0};
	struct map_census census;
	struct map_memory memory;

	if (!map)
		return lib_refuse(-EBADF, "no map");
	if (!info)
		return lib_refuse(-EFAULT, "nowhere to copy to");
	map->ops->census(map->map, &census);
	map->ops->memory(map->map, &memory);
	own.type = type_number(map->config.attr.type);
	own.map_flags = map->config.attr.flags;
	own.key_size = map->key_size;
	own.value_size = map->config.attr.value_size;
	own.max_entries = map->ops->max_entries(map->map);
	own.cpus = map->cpus;
	own.value_bytes = map->value_bytes;
	own.entries = census.entries;
	own.entries_max = census.entries_max;
	own.first_premature_entries = census.first_premature_entries;
	own.kernel_bytes = memory.kernel_bytes;
	own.model_bytes = memory.model_bytes;
	own.text = map->text;
	own.kernel = map->kernel;
	own.kernel_note = map->config.kernel_note;
	return lib_fill(info, &own, sizeof(own));
}

static void add_counters(struct mapsim_map_counters *sum, const struct map_counters *counters)
{
	const uint64_t *errors = counters->errors;

	sum->operations += counters->operations;
	sum->hits += counters->hits;
	sum->misses += counters->misses;
	sum->inserts += counters->inserts;
	sum->replaced += counters->replaced;
	sum->deletes += counters->deletes;
	sum->evictions += counters->evictions;
	sum->premature_evictions += counters->premature_evictions;
	sum->steals += counters->steals;
	sum->scans += counters->scans;
	sum->rotations += counters->rotations;
	sum->shrinks += counters->shrinks;
	sum->forced_shrinks += counters->forced_shrinks;
	sum->flushes += counters->flushes;
	sum->batch_elements += counters->batch_elements;
	sum->errors_enoent += errors[ERROR_ENOENT];
	sum->errors_eexist += errors[ERROR_EEXIST];
	sum->errors_e2big += errors[ERROR_E2BIG];
	sum->errors_enomem += errors[ERROR_ENOMEM];
	sum->errors_einval += errors[ERROR_EINVAL];
	sum->errors_enospc += errors[ERROR_ENOSPC];
	sum->errors_ebusy += errors[ERROR_EBUSY];
	sum->errors_edeadlk += errors[ERROR_EDEADLK];
	sum->errors_etimedout += errors[ERROR_ETIMEDOUT];
	sum->errors_enotsupp += errors[ERROR_ENOTSUPP];
	sum->errors_other += errors[ERROR_OTHER];
}

int mapsim_map_get_counters(const struct mapsim_map *map, uint32_t cpu,
			    struct mapsim_map_counters *counters)
{
	struct mapsim_map_counters sum = {0};
	uint32_t first = cpu, end = cpu + 1;
	struct map_counters one;
	int err;

	if (!map)
		return lib_refuse(-EBADF, "no map");
	if (cpu == MAPSIM_ALL_CPUS) {
		first = 0;
		end = map->cpus;
	}
	err = lib_check_call(map, first, MAPSIM_SYSCALL);
	if (err)
		return err;
	if (!counters)
		return lib_refuse(-EFAULT, "nowhere to copy to");
	for (cpu = first; cpu < end; cpu++) {
		map->ops->counters(map->map, cpu, &one);
		add_counters(&sum, &one);
	}
	return lib_fill(counters, &sum, sizeof(sum));
}

int mapsim_map_for_each_list(const struct mapsim_map *map, mapsim_list_fn *fn, void *arg)
{
	if (!map)
		return lib_refuse(-EBADF, "no map");
	if (!fn)
		return lib_refuse(-EFAULT, "no function");
	map->ops->lists(map->map, fn, arg);
	return 0;
}

int mapsim_map_check(const struct mapsim_map *map)
{
	int err;

	if (!map)
		return lib_refuse(-EBADF, "no map");
	err = map->ops->check(map->map, &last_error);
	return err ? lib_fail(err) : 0;
}
