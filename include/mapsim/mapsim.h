/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * libmapsim: the Linux kernel's BPF hash maps in user space, as a given kernel release has them.
 *
 * A map is created from the same strings as the mapsim command takes. Its functions are called and
 * answer like libbpf's bpf_map_*, with a map in place of the file descriptor, and two arguments
 * more for what the kernel takes from its surroundings: which CPU runs, and in which context.
 *
 * Returns. 0 or a negative errno, which is also put into errno; functions that return a pointer
 * return NULL and set errno. What the kernel would refuse has the kernel's errno. After success
 * errno says nothing. Every function that takes a map, a CPU and a context returns, before anything
 * is done,
 *
 *   -EBADF	map is NULL;
 *   -EINVAL	cpu is not below the map's number of CPUs, or context is none of those below;
 *   -EFAULT	a pointer that is read from is NULL.
 *
 * NULL where something is to be written is -EFAULT as well, once there is something to write, as in
 * the kernel; batches say so at once.
 *
 * Keys are key_size bytes. A value is value_size bytes, but in system calls on maps with per-CPU
 * values: there it is a copy for every CPU, in their order, each rounded up to 8 bytes
 * (value_bytes of struct mapsim_map_info says how many that are). A program reads and writes its
 * CPU's copy alone, value_size bytes.
 *
 * Threads. A map may be used by one thread at a time; whoever shares one locks it. Different maps
 * share nothing, so different threads can use and create them at the same time. The text of
 * mapsim_error() is each thread's own. Nothing here starts threads, handles signals or prints, and
 * nothing is safe to call in a signal handler.
 *
 * Structures that begin with sz grow at their end: the caller sets sz to the sizeof that it was
 * compiled with, and the library reads or writes that much.
 */
#ifndef MAPSIM_MAPSIM_H
#define MAPSIM_MAPSIM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif

struct mapsim_map;

/* Where a call runs. All but a system call are programs: they mark what they look up. */
enum mapsim_context {
	MAPSIM_PROGRAM = 0, /* a BPF program, in no interrupt */
	MAPSIM_SYSCALL = 1, /* bpf(2) */
	MAPSIM_IRQ = 2,     /* a program in an interrupt */
	MAPSIM_NMI = 3      /* a program in a non-maskable interrupt */
};

/* Flags of updates, as BPF_ANY, BPF_NOEXIST and BPF_EXIST. */
enum mapsim_update_flags { MAPSIM_ANY = 0, MAPSIM_NOEXIST = 1, MAPSIM_EXIST = 2 };

/* Types of maps, as enum bpf_map_type has them. */
enum mapsim_map_type {
	MAPSIM_HASH = 1,
	MAPSIM_PERCPU_HASH = 5,
	MAPSIM_LRU_HASH = 9,
	MAPSIM_LRU_PERCPU_HASH = 10
};

/* Flags of maps, as BPF_F_NO_PREALLOC, BPF_F_NO_COMMON_LRU and BPF_F_NUMA_NODE. */
enum mapsim_map_flags {
	MAPSIM_F_NO_PREALLOC = 1,
	MAPSIM_F_NO_COMMON_LRU = 2,
	MAPSIM_F_NUMA_NODE = 4
};

/* The library's version, "0.1.0". Never fails. */
const char *mapsim_version(void);

/*
 * What went wrong, in one line, the last time that a function failed in this thread because of its
 * arguments, in mapsim_map_create() or in mapsim_map_check(); "" if none did. What maps answer to
 * operations (ENOENT, E2BIG, ...) is not told here. Valid until this thread's next such failure.
 */
const char *mapsim_error(void);

/* "ENOENT" for ENOENT or -ENOENT, also for the kernel's own ENOTSUPP (524); NULL if unknown. */
const char *mapsim_errno_name(int err);

/* Creating */

/* How a map is to behave. What is zero or NULL has the default. */
struct mapsim_map_create_opts {
	size_t sz;
	/* A release: "6.12", "6.12.107", or "host", the running one. Default: the newest known. */
	const char *kernel;
	/* Tunables as `mapsim tunables` lists them: "nr_scans=4,free_target=1". Default: none. */
	const char *tunables;
	/* Number of possible CPUs, 1..4096; they are numbered from 0. Default: 1. */
	uint32_t cpus;
	uint32_t reserved; /* 0 */
	/* What seed=random, a tunable, draws the seed of the map's hash from. */
	uint64_t seed;
};

/*
 * Creates a map from text as `mapsim replay --map` takes it:
 *
 *   type=TYPE,max_entries=N[,key_size=BYTES][,value_size=BYTES][,flags=FLAG+...]
 *
 * with the types hash, percpu_hash, lru_hash (default), lru_percpu_hash, sizes of 8 by default, and
 * the flags no_common_lru, no_prealloc, numa_node=N. The seed of the hash is 0, as with
 * BPF_F_ZERO_SEED, unless the tunable seed says otherwise, so that the order of keys is the same
 * each time. opts may be NULL.
 *
 * Returns the map, which mapsim_map_destroy() frees; or NULL with errno, mapsim_error() saying why:
 *
 *   EFAULT	text is NULL;
 *   EINVAL	text, kernel or tunables cannot be read, cpus is out of range, sz is too small, or
 *		there is something in opts that this library does not know; or the tunable rotation
 *		is one that has to know the future;
 *   EINVAL, E2BIG or 524 (ENOTSUPP)	the kernel release would refuse the map so;
 *   ENOMEM	there is not that much memory.
 */
struct mapsim_map *mapsim_map_create(const char *text, const struct mapsim_map_create_opts *opts);

/* Frees a map and all that was got from it. NULL is nothing. */
void mapsim_map_destroy(struct mapsim_map *map);

/* Single elements; beside the errors below they return those that are named at the top. */

/*
 * bpf_map_lookup_elem(): copies the key's value. A program's look-up marks the key as used, in LRU
 * maps; a system call's only before 5.2. -ENOENT: the key is not there.
 */
int mapsim_map_lookup_elem(struct mapsim_map *map, uint32_t cpu, enum mapsim_context context,
			   const void *key, void *value);

/*
 * The helper of the same name, as programs have it: the value in place, to be read and written,
 * aligned to 8 bytes; in maps with per-CPU values the CPU's copy. Marks as above. The memory can be
 * accessed until the map is destroyed, but it is the key's value only until the key is deleted,
 * replaced or evicted; then it may become another key's.
 *
 * NULL with errno: ENOENT, the key is not there; EINVAL also for MAPSIM_SYSCALL, to which the
 * kernel gives copies alone.
 */
void *mapsim_map_lookup_ptr(struct mapsim_map *map, uint32_t cpu, enum mapsim_context context,
			    const void *key);

/*
 * bpf_map_update_elem(): sets the key's value; flags of enum mapsim_update_flags.
 *
 *   -EINVAL	other flags, and also BPF_F_LOCK;
 *   -EEXIST	MAPSIM_NOEXIST, and the key is there;
 *   -ENOENT	MAPSIM_EXIST, and it is not;
 *   -E2BIG	the map is full (not LRU maps, which evict);
 *   -ENOMEM	no node could be had from any CPU (LRU maps), or the allocator has none ready
 *		(no_prealloc).
 *
 * An update of an LRU map may evict any key, also when it fails, and also the one that it updates.
 */
int mapsim_map_update_elem(struct mapsim_map *map, uint32_t cpu, enum mapsim_context context,
			   const void *key, const void *value, uint64_t flags);

/* bpf_map_delete_elem(). -ENOENT: the key is not there. */
int mapsim_map_delete_elem(struct mapsim_map *map, uint32_t cpu, enum mapsim_context context,
			   const void *key);

/*
 * bpf_map_lookup_and_delete_elem(): copies the value, and deletes the key, also when value is NULL.
 * The kernel offers it to system calls; a program's takes its CPU's copy. -ENOENT: the key is not
 * there; -524 (ENOTSUPP): before 5.14.
 */
int mapsim_map_lookup_and_delete_elem(struct mapsim_map *map, uint32_t cpu,
				      enum mapsim_context context, const void *key, void *value);

/*
 * bpf_map_get_next_key(): copies to next_key the key after cur_key, or the first when cur_key is
 * NULL or is not there. Both may be the same memory. Marks nothing. -ENOENT: there is none.
 */
int mapsim_map_get_next_key(struct mapsim_map *map, uint32_t cpu, enum mapsim_context context,
			    const void *cur_key, void *next_key);

/*
 * Batches. The context is a system call, since programs have none; before 5.6 they are -EINVAL.
 * keys and values are arrays of what single system calls take. *count is how many elements there
 * are, or room for; it gets how many were done, also with an error, but for -EINVAL, -EBADF and a
 * NULL count, which leave it alone. A *count of 0 is success at once. Flags other than 0 are
 * -EINVAL, but for the field flags of updates and deletions, which the kernel does not look at.
 */
struct mapsim_map_batch_opts {
	size_t sz;
	uint64_t elem_flags;
	uint64_t flags;
};

/*
 * bpf_map_lookup_batch(), bpf_map_lookup_and_delete_batch(): copy whole buckets. Cursors are
 * uint32_t: in_batch is NULL to begin with the first bucket, or points to what the last call put to
 * out_batch; they may be the same memory. opts may be NULL.
 *
 *   0		*count elements were copied, as many as there was room for whole buckets;
 *   -ENOENT	the same, and there are no more; out_batch is set, unless in_batch was past the end;
 *   -ENOSPC	there is not room for one bucket; out_batch is that bucket;
 *   -EFAULT	out_batch, keys, values or count is NULL; *count is 0, nothing is deleted.
 */
int mapsim_map_lookup_batch(struct mapsim_map *map, uint32_t cpu, const void *in_batch,
			    void *out_batch, void *keys, void *values, uint32_t *count,
			    const struct mapsim_map_batch_opts *opts);
int mapsim_map_lookup_and_delete_batch(struct mapsim_map *map, uint32_t cpu, const void *in_batch,
				       void *out_batch, void *keys, void *values, uint32_t *count,
				       const struct mapsim_map_batch_opts *opts);

/*
 * bpf_map_update_batch(), bpf_map_delete_batch(): as many single calls, updates with MAPSIM_ANY, up
 * to the first that fails, whose errno is returned; *count gets how many were done before it. opts
 * may be NULL.
 */
int mapsim_map_update_batch(struct mapsim_map *map, uint32_t cpu, const void *keys,
			    const void *values, uint32_t *count,
			    const struct mapsim_map_batch_opts *opts);
int mapsim_map_delete_batch(struct mapsim_map *map, uint32_t cpu, const void *keys, uint32_t *count,
			    const struct mapsim_map_batch_opts *opts);

/* Asking */

/* What a map is, how full, and how large. */
struct mapsim_map_info {
	size_t sz; /* set by the caller */

	uint32_t type;        /* enum mapsim_map_type */
	uint32_t map_flags;   /* enum mapsim_map_flags */
	uint32_t key_size;    /* bytes */
	uint32_t value_size;  /* bytes */
	uint32_t max_entries; /* after rounding */
	uint32_t cpus;
	uint64_t value_bytes; /* of a value in a system call */

	uint64_t entries;                 /* keys that are in the map */
	uint64_t entries_max;             /* the most that ever were */
	uint64_t first_premature_entries; /* when it first evicted without being full; else 0 */

	uint64_t kernel_bytes; /* memory, as the kernel counts it */
	uint64_t model_bytes;  /* memory that the model takes */

	/* Text of the map's, until it is destroyed. */
	const char *text;        /* what mapsim_map_create() makes the same map of */
	const char *kernel;      /* the release: "6.12.107" */
	const char *kernel_note; /* what "host" was taken as, and from where; else "" */
};

/*
 * Fills info up to info->sz; what a newer header has and this library does not is zeroed. -EBADF;
 * -EFAULT: info is NULL; -EINVAL: sz does not even cover itself.
 */
int mapsim_map_get_info(const struct mapsim_map *map, struct mapsim_map_info *info);

/* What happened in a map since it was created. */
struct mapsim_map_counters {
	size_t sz; /* set by the caller */

	uint64_t operations; /* calls that were not refused for their arguments */
	uint64_t hits;       /* look-ups that found the key, of every kind */
	uint64_t misses;     /* look-ups that did not */
	uint64_t inserts;    /* updates that added a key */
	uint64_t replaced;   /* updates of a key that was there */
	uint64_t deletes;
	uint64_t evictions;
	uint64_t premature_evictions; /* while there were fewer keys than max_entries */
	uint64_t steals;              /* nodes or elements taken from another CPU's list */
	uint64_t scans;               /* nodes looked at by rotations and shrinks */
	uint64_t rotations;
	uint64_t shrinks;
	uint64_t forced_shrinks; /* those that freed none and took one whatever its reference bit */
	uint64_t flushes;        /* trips to the global LRU lists */
	uint64_t batch_elements; /* elements copied by batches */

	/* Operations that failed, by errno. */
	uint64_t errors_enoent;
	uint64_t errors_eexist;
	uint64_t errors_e2big;
	uint64_t errors_enomem;
	uint64_t errors_einval;
	uint64_t errors_enospc;
	uint64_t errors_ebusy;
	uint64_t errors_edeadlk;
	uint64_t errors_etimedout;
	uint64_t errors_enotsupp;
	uint64_t errors_other;
};

#define MAPSIM_ALL_CPUS 0xffffffffu

/*
 * Fills counters up to counters->sz, of one CPU or the sums of MAPSIM_ALL_CPUS. -EBADF; -EFAULT:
 * counters is NULL; -EINVAL: no such CPU, or sz does not even cover itself.
 */
int mapsim_map_get_counters(const struct mapsim_map *map, uint32_t cpu,
			    struct mapsim_map_counters *counters);

/*
 * Calls fn for each list of nodes or elements: its name ("active", "inactive", "free",
 * "local_free", "local_pending", "spare", ..., see mapsim-replay(1)), the CPU it belongs to or -1,
 * and how many are on it. fn must not change the map. -EBADF; -EFAULT: fn is NULL.
 */
typedef void mapsim_list_fn(void *arg, const char *list, int cpu, uint64_t nodes);
int mapsim_map_for_each_list(const struct mapsim_map *map, mapsim_list_fn *fn, void *arg);

/*
 * Walks all of the map: every node is on exactly one list, all counts are right. -EUCLEAN: one is
 * lost or counted wrongly, mapsim_error() saying which, and a fault of the library; -ENOMEM;
 * -EBADF. Takes time by the size of the map.
 */
int mapsim_map_check(const struct mapsim_map *map);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif

#endif
