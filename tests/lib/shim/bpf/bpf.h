/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Just enough of libbpf's <bpf/bpf.h> over libmapsim for tests of maps to be compiled without a
 * change: file descriptors are numbers of maps, and the CPU is the one that sched_setaffinity()
 * asked for. $SHIM_KERNEL is the release (default: the newest known), $SHIM_CPUS the number of
 * possible CPUs (default: 2).
 */
#ifndef SHIM_BPF_BPF_H
#define SHIM_BPF_BPF_H

#include <errno.h>
#include <linux/bpf.h>
#include <mapsim/mapsim.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#define LIBBPF_OPTS(type, name, ...) struct type name = {.sz = sizeof(struct type), __VA_ARGS__}

struct bpf_map_create_opts {
	size_t sz;
	__u32 map_flags;
};

#define bpf_map_batch_opts mapsim_map_batch_opts

static struct mapsim_map *shim_maps[64]; /* 0 to 2 are no maps */
static __u32 shim_cpu;

static inline struct mapsim_map *shim_map(int fd)
{
	return fd > 2 && fd < 64 ? shim_maps[fd] : NULL;
}

static inline int libbpf_num_possible_cpus(void)
{
	const char *cpus = getenv("SHIM_CPUS");

	return cpus ? atoi(cpus) : 2;
}

static inline int shim_setaffinity(const cpu_set_t *set)
{
	for (__u32 cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (CPU_ISSET(cpu, set)) {
			shim_cpu = cpu;
			return 0;
		}
	}
	return -1;
}

#define sched_setaffinity(pid, bytes, set) shim_setaffinity(set)

static inline const char *shim_type(enum bpf_map_type type)
{
	switch (type) {
	case BPF_MAP_TYPE_HASH:
		return "hash";
	case BPF_MAP_TYPE_PERCPU_HASH:
		return "percpu_hash";
	case BPF_MAP_TYPE_LRU_HASH:
		return "lru_hash";
	default:
		return "lru_percpu_hash";
	}
}

/* The seed of the hash is 0 anyway, as BPF_F_ZERO_SEED asks. */
static inline int bpf_map_create(enum bpf_map_type type, const char *name, __u32 key_size,
				 __u32 value_size, __u32 max_entries,
				 const struct bpf_map_create_opts *opts)
{
	struct mapsim_map_create_opts create = {.sz = sizeof(create)};
	__u32 flags = opts ? opts->map_flags : 0;
	char text[200];
	int fd = 3;

	(void)name;
	snprintf(text, sizeof(text), "type=%s,max_entries=%u,key_size=%u,value_size=%u,%s,%s",
		 shim_type(type), max_entries, key_size, value_size,
		 flags & BPF_F_NO_COMMON_LRU ? "no_common_lru" : "none",
		 flags & BPF_F_NO_PREALLOC ? "no_prealloc" : "none");
	create.kernel = getenv("SHIM_KERNEL");
	create.cpus = (__u32)libbpf_num_possible_cpus();
	while (fd < 64 && shim_maps[fd])
		fd++;
	if (fd == 64) {
		errno = EMFILE;
		return -EMFILE;
	}
	shim_maps[fd] = mapsim_map_create(text, &create);
	return shim_maps[fd] ? fd : -errno;
}

static inline int shim_close(int fd)
{
	mapsim_map_destroy(shim_map(fd));
	shim_maps[fd] = NULL;
	return 0;
}

#define close(fd) shim_close(fd)

static inline int bpf_map_update_elem(int fd, const void *key, const void *value, __u64 flags)
{
	return mapsim_map_update_elem(shim_map(fd), shim_cpu, MAPSIM_SYSCALL, key, value, flags);
}

static inline int bpf_map_lookup_elem(int fd, const void *key, void *value)
{
	return mapsim_map_lookup_elem(shim_map(fd), shim_cpu, MAPSIM_SYSCALL, key, value);
}

static inline int bpf_map_lookup_and_delete_elem(int fd, const void *key, void *value)
{
	return mapsim_map_lookup_and_delete_elem(shim_map(fd), shim_cpu, MAPSIM_SYSCALL, key,
						 value);
}

static inline int bpf_map_delete_elem(int fd, const void *key)
{
	return mapsim_map_delete_elem(shim_map(fd), shim_cpu, MAPSIM_SYSCALL, key);
}

static inline int bpf_map_get_next_key(int fd, const void *key, void *next)
{
	return mapsim_map_get_next_key(shim_map(fd), shim_cpu, MAPSIM_SYSCALL, key, next);
}

static inline int bpf_map_lookup_batch(int fd, void *in, void *out, void *keys, void *values,
				       __u32 *count, const struct bpf_map_batch_opts *opts)
{
	return mapsim_map_lookup_batch(shim_map(fd), shim_cpu, in, out, keys, values, count, opts);
}

static inline int bpf_map_lookup_and_delete_batch(int fd, void *in, void *out, void *keys,
						  void *values, __u32 *count,
						  const struct bpf_map_batch_opts *opts)
{
	return mapsim_map_lookup_and_delete_batch(shim_map(fd), shim_cpu, in, out, keys, values,
						  count, opts);
}

static inline int bpf_map_update_batch(int fd, const void *keys, const void *values, __u32 *count,
				       const struct bpf_map_batch_opts *opts)
{
	return mapsim_map_update_batch(shim_map(fd), shim_cpu, keys, values, count, opts);
}

static inline int bpf_map_delete_batch(int fd, const void *keys, __u32 *count,
				       const struct bpf_map_batch_opts *opts)
{
	return mapsim_map_delete_batch(shim_map(fd), shim_cpu, keys, count, opts);
}

#endif
