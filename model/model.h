/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The model as its users see it: the same for every flavour (seq, threads, virtual).
 *
 * A map is created from an attr and tunables for a number of simulated CPUs. Every operation names
 * the CPU and the context it runs in by a map_ctx; results are the kernel's: 0 or a negative errno.
 * A flavour says itself whether operations may run at the same time: seq's may not, on one map;
 * different maps never share anything.
 */
#ifndef MODEL_MODEL_H
#define MODEL_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/op.h"
#include "model/lock_kinds.h"
#include "model/tunables.h"

enum map_type { MAP_HASH, MAP_PERCPU_HASH, MAP_LRU_HASH, MAP_LRU_PERCPU_HASH, MAP_TYPES };
extern const char *const map_type_names[MAP_TYPES];

enum map_flags {
	MAP_NO_PREALLOC = 1u << 0,   /* BPF_F_NO_PREALLOC */
	MAP_NO_COMMON_LRU = 1u << 1, /* BPF_F_NO_COMMON_LRU */
	MAP_NUMA_NODE = 1u << 2,     /* BPF_F_NUMA_NODE: numa_node holds */
};

/* What bpf(2) is asked for. */
struct map_attr {
	enum map_type type;
	uint32_t key_size;   /* bytes */
	uint32_t value_size; /* bytes */
	uint32_t max_entries;
	uint32_t flags; /* enum map_flags */
	uint32_t numa_node;
	bool numa_node_online; /* whether the machine has that node; the caller knows */
};

/* Who runs an operation. One per CPU and flow of control; the caller's, reused between calls. */
struct map_ctx {
	uint32_t cpu;
	uint8_t context;       /* enum op_context */
	uint32_t ranks_held;   /* check flavour: lock ranks held, lock_kinds.h */
	uint32_t fail_lock_in; /* check flavour: the n-th lock from now fails; 0: none does */
	uint64_t next_use;     /* as in map_run, of this operation; for rotations that need it */
	/* threads flavour */
	uint64_t lock_timeout_ns;        /* the map's, of resilient locks; set by each operation */
	uint64_t lock_waits[LOCK_RANKS]; /* locks, by rank, that were not free at once */
	void (*delay)(struct map_ctx *ctx); /* NULL, or called where others may come in between */
	uint64_t delay_state;               /* delay()'s */
};

/* Returns whose counts are kept apart; ERROR_OTHER for any other errno. */
enum map_error {
	ERROR_ENOENT,
	ERROR_EEXIST,
	ERROR_E2BIG,
	ERROR_ENOMEM,
	ERROR_EINVAL,
	ERROR_ENOSPC,
	ERROR_EBUSY,
	ERROR_EDEADLK,
	ERROR_ETIMEDOUT,
	ERROR_ENOTSUPP,
	ERROR_OTHER,
	MAP_ERRORS
};
extern const int map_error_errnos[MAP_ERRORS]; /* positive; ERROR_OTHER has 0 */

/* What happened, per CPU. */
struct map_counters {
	uint64_t operations;
	uint64_t hits;     /* look-ups that found the key, of every kind */
	uint64_t misses;   /* look-ups that did not */
	uint64_t inserts;  /* updates that added a key */
	uint64_t replaced; /* updates of a key that was there */
	uint64_t deletes;
	uint64_t evictions;
	uint64_t premature_evictions; /* while the map held fewer than max_entries */
	uint64_t steals;              /* nodes or elements taken from another CPU's list */
	uint64_t scans;               /* nodes looked at by rotations and shrinks */
	uint64_t rotations;
	uint64_t shrinks;
	uint64_t forced_shrinks; /* shrinks that freed none and took one whatever its bit */
	uint64_t flushes;        /* trips to the global lists */
	uint64_t batch_elements; /* elements copied by batches */
	uint64_t errors[MAP_ERRORS];
};

/* How full the map was. Without has_census only entries is known, and only while nothing runs. */
struct map_census {
	uint64_t entries;
	uint64_t entries_max;
	uint64_t first_premature_entries; /* entries at the first premature eviction; else 0 */
};

/* Bytes as the kernel's map_mem_usage counts them, and what the model itself holds. */
struct map_memory {
	uint64_t kernel_bytes;
	uint64_t model_bytes;
};

/* What allocation did in a map without LRU, since it was made; 0 where a policy has no such thing.
 */
struct map_alloc_stats {
	uint64_t refills;           /* times that a CPU's cache was filled */
	uint64_t global_trips;      /* times that it was with, or emptied to, what all CPUs share */
	uint64_t grace_waiting_max; /* most elements that waited for a grace period, CPUs summed */
	uint64_t kernel_bytes_max;  /* kernel_bytes with all elements ever allocated at a time */
};

/* One list's length; cpu is -1 for lists that are not a CPU's. */
typedef void map_list_fn(void *arg, const char *list, int cpu, uint64_t nodes);

/* A whole batch of operations, executed in order as the operations say; see map_run. */
struct map_run {
	const struct op_batch *batch;
	uint64_t first_index; /* of batch->ops[0] in the run; the value of updates without values */
	int32_t *returns;     /* NULL, or one per operation: 0, 1 (an access inserted), -errno */
	uint64_t *details; /* NULL, or one per operation: a batch's count, next_key's key, or 0 */
	/*
	 * NULL, or one per operation: what it read, folded (base/op.h), or 0. Look-ups that found
	 * their key read the value, by system call each CPU's; next_key reads a key; batches read
	 * each element's key, then its value in system-call form.
	 */
	uint64_t *reads;
	/*
	 * For rotations that need the future; NULL for others. One per operation: the index in the
	 * run of the next one that looks up or updates the same key, or UINT64_MAX when there is
	 * none, or a delete comes before it.
	 */
	const uint64_t *next_use;
	/*
	 * NULL, or who runs: only the operations of its CPU are executed, while other threads
	 * execute those of theirs; each writes its own operations' results.
	 */
	struct map_ctx *ctx;
};

struct map;

/* A policy behind one of the seams. */
struct policy {
	const char *name;
	const char *summary;
	bool waits_for_grace; /* of allocation: nothing that a reader may stand on is reused */
};

struct model_ops {
	const char *name;
	bool has_census; /* whether premature evictions and all of struct map_census are known */

	/* The id-th policy behind each seam; NULL past the last. */
	const struct policy *(*rotation)(uint64_t id);
	const struct policy *(*alloc)(uint64_t id);
	const struct policy *(*lock)(uint64_t id);

	/* Whether a map will have a rotation that goes by map_run.next_use. */
	bool (*needs_future)(const struct map_attr *attr, const struct tunables *tunables);

	/*
	 * Creates a map for cpus possible CPUs, 1..MAP_CPUS_MAX; TUNE_SEED must be a number by now.
	 * Returns 0, or the errno with which the kernel would refuse, negative, with error saying
	 * why. *map is the caller's to destroy.
	 */
	int (*map_create)(const struct map_attr *attr, const struct tunables *tunables,
			  uint32_t cpus, struct map **map, struct error *error);
	void (*map_destroy)(struct map *map);

	/*
	 * Single operations. Keys are key_size bytes. A value is value_size bytes for a program and
	 * for maps without per-CPU values; by system call on per-CPU maps it is one copy per CPU,
	 * each rounded up to 8 bytes. value may be NULL where it would be filled.
	 */
	int (*lookup)(struct map *map, struct map_ctx *ctx, const void *key, void *value);
	/*
	 * A program's look-up: the value in place, its CPU's copy, 8-byte aligned, to be read and
	 * written; NULL when the key is not there. The memory is the map's until it is destroyed,
	 * the value the key's only until it is deleted, replaced or evicted.
	 */
	void *(*lookup_in_place)(struct map *map, struct map_ctx *ctx, const void *key);
	int (*update)(struct map *map, struct map_ctx *ctx, const void *key, const void *value,
		      uint64_t flags);
	int (*del)(struct map *map, struct map_ctx *ctx, const void *key);
	int (*lookup_and_delete)(struct map *map, struct map_ctx *ctx, const void *key,
				 void *value);
	/* key NULL: the first. next may be key. -ENOENT at the end. */
	int (*next_key)(struct map *map, struct map_ctx *ctx, const void *key, void *next);
	/*
	 * Copies whole buckets from *cursor (NULL: from the first) to keys and values, at most
	 * *count elements; sets *count and *next_cursor. Returns as the kernel's batch calls.
	 */
	int (*batch)(struct map *map, struct map_ctx *ctx, const uint32_t *cursor,
		     uint32_t *next_cursor, void *keys, void *values, uint32_t *count, bool del);

	/* Executes a batch; where the flavour can, it looks ahead (TUNE_LOOKAHEAD). */
	void (*run)(struct map *map, const struct map_run *run);

	/*
	 * A thread that runs operations of CPUs of its own, in flavours that let several, begins
	 * and ends, on itself. In between it says now and then that it is quiet: it uses nothing
	 * that an operation gave it a pointer to. What was deleted is reused, where the kernel
	 * waits for that, once all others were quiet.
	 */
	void (*thread_begin)(struct map_ctx *ctx);
	void (*thread_end)(struct map_ctx *ctx);
	void (*thread_quiet)(struct map_ctx *ctx);

	/* What can be asked while nothing runs. */
	void (*counters)(const struct map *map, uint32_t cpu, struct map_counters *counters);
	void (*census)(const struct map *map, struct map_census *census);
	void (*memory)(const struct map *map, struct map_memory *memory);
	void (*alloc_stats)(const struct map *map, struct map_alloc_stats *stats);
	void (*lists)(const struct map *map, map_list_fn *fn, void *arg);
	uint32_t (*max_entries)(const struct map *map); /* after rounding */
	uint32_t (*key_size)(const struct map *map);

	/*
	 * Conservation: every node is on exactly one list, list counts are right, hashed nodes are
	 * the entries. Returns 0, -EUCLEAN with error saying what is wrong, or -ENOMEM.
	 */
	int (*check)(const struct map *map, struct error *error);
};

extern const struct model_ops seq_model_ops, threads_model_ops;

/* Bytes of a value in system-call form. */
size_t map_sys_value_bytes(const struct map_attr *attr, uint32_t cpus);

#endif
