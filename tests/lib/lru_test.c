// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A test of hash maps as one writes them with libbpf: what becomes of keys when maps are full, two
 * CPUs, reference bits, steals, batches, per-CPU lists and values. Compiled against libbpf it asks
 * the running kernel, compiled against the shim it asks libmapsim; both have to print the same.
 *
 * Prints lines of the Test Anything Protocol, with what was seen as comments. Exit 0: all passed;
 * 1: some failed; 77: this kernel or user may not.
 */
#include <errno.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "program.h"

#define CPUS_MAX 512

static int test_number, failures;
static uint32_t cpus;
static uint64_t value[CPUS_MAX]; /* of one call: a copy for each CPU, where values are per CPU */

static void check(bool is_good, const char *title)
{
	failures += !is_good;
	printf("%sok %d - %s\n", is_good ? "" : "not ", ++test_number, title);
}

static int create(enum bpf_map_type type, uint32_t max_entries, uint32_t flags)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = flags | BPF_F_ZERO_SEED);
	int fd = bpf_map_create(type, "test", 8, 8, max_entries, &opts);

	if (fd < 0) {
		fprintf(stderr, "a map cannot be created: %s\n", strerror(errno));
		exit(errno == EPERM || errno == ENOSYS ? 77 : 1);
	}
	return fd;
}

static void on_cpu(uint32_t cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set)) {
		fprintf(stderr, "CPU %u cannot be had\n", cpu);
		exit(77);
	}
}

static int update(int fd, uint64_t key, uint64_t flags)
{
	for (uint32_t cpu = 0; cpu < cpus; cpu++)
		value[cpu] = key * 10 + cpu;
	return bpf_map_update_elem(fd, &key, value, flags);
}

static bool has(int fd, uint64_t key)
{
	return !bpf_map_lookup_elem(fd, &key, value);
}

static uint64_t insert_range(int fd, uint64_t from, uint64_t to)
{
	uint64_t done = 0;

	for (uint64_t key = from; key <= to; key++)
		done += !update(fd, key, BPF_NOEXIST);
	return done;
}

static uint64_t count_range(int fd, uint64_t from, uint64_t to)
{
	uint64_t found = 0;

	for (uint64_t key = from; key <= to; key++)
		found += has(fd, key);
	return found;
}

/* Prints all keys in their order, as a number; returns how many there are. */
static uint64_t show(int fd, const char *what)
{
	uint64_t key, sum = 0, count = 0;
	int err = bpf_map_get_next_key(fd, NULL, &key);

	for (; !err; err = bpf_map_get_next_key(fd, &key, &key)) {
		sum = sum * 0x9e3779b97f4a7c15u + key;
		count++;
	}
	printf("# %s: %d, %llu keys, %016llx\n", what, err, (unsigned long long)count,
	       (unsigned long long)sum);
	return count;
}

/* What the same calls return for any type. */
static void test_returns(enum bpf_map_type type, const char *name)
{
	int fd = create(type, 16, 0);
	uint64_t key = 1, next = 0;
	char title[80];
	int failed = failures;

	printf("# %s\n", name);
	check(bpf_map_get_next_key(fd, NULL, &next) == -ENOENT && errno == ENOENT,
	      "an empty map has no key");
	check(update(fd, 1, BPF_EXIST) == -ENOENT, "EXIST: no such key");
	check(update(fd, 1, BPF_NOEXIST) == 0, "NOEXIST: a new key");
	errno = 0;
	check(update(fd, 1, BPF_NOEXIST) == -EEXIST && errno == EEXIST,
	      "NOEXIST: the key is there");
	check(update(fd, 1, BPF_EXIST) == 0, "EXIST: the key is there");
	check(update(fd, 1, 3) == -EINVAL && update(fd, 1, BPF_F_LOCK) == -EINVAL, "wrong flags");
	check(bpf_map_update_elem(fd, NULL, value, 3) == -EFAULT &&
		      bpf_map_update_elem(fd, &key, NULL, 0) == -EFAULT &&
		      bpf_map_lookup_elem(fd, NULL, value) == -EFAULT &&
		      bpf_map_lookup_elem(fd, &key, NULL) == -EFAULT &&
		      bpf_map_delete_elem(fd, NULL) == -EFAULT,
	      "NULL is a bad address");
	check(bpf_map_lookup_elem(-1, &key, value) == -EBADF, "-1 is no map");
	check(has(fd, 1) && value[0] == 10, "the value is there");
	check(bpf_map_get_next_key(fd, NULL, &next) == 0 && next == 1, "the first key");
	check(bpf_map_get_next_key(fd, &key, &next) == -ENOENT, "no key after it");
	key = 2;
	check(bpf_map_get_next_key(fd, &key, &next) == 0 && next == 1, "a missing key: the first");
	check(!has(fd, 2) && errno == ENOENT, "a missing key is not found");
	check(bpf_map_delete_elem(fd, &key) == -ENOENT, "nor deleted");
	check(bpf_map_lookup_and_delete_elem(fd, &key, value) == -ENOENT, "nor both");
	key = 1;
	memset(value, 0, sizeof(value));
	check(bpf_map_lookup_and_delete_elem(fd, &key, value) == 0 && value[0] == 10 && !has(fd, 1),
	      "look up and delete");
	close(fd);
	snprintf(title, sizeof(title), "returns of %s", name);
	check(failures == failed, title);
}

static void test_full(void)
{
	int hash = create(BPF_MAP_TYPE_HASH, 100, 0), lru = create(BPF_MAP_TYPE_LRU_HASH, 100, 0);
	uint64_t key = 50;

	check(insert_range(hash, 1, 100) == 100, "a hash takes as many as it may");
	check(update(hash, 101, BPF_ANY) == -E2BIG && errno == E2BIG, "and no more");
	check(update(hash, 50, BPF_ANY) == 0, "but the same again");
	check(bpf_map_delete_elem(hash, &key) == 0 && update(hash, 101, BPF_ANY) == 0,
	      "and another for one that goes");
	check(insert_range(lru, 1, 300) == 300, "an LRU hash takes all");
	check(show(lru, "300 keys in 100") <= 100 && has(lru, 300), "and gives up others");
	show(hash, "hash");
	close(hash);
	close(lru);
}

enum use { USE_NONE, USE_BY_CALL, USE_BY_PROGRAM };

/* Fills a map, uses its oldest 64 keys, and inserts one more, which evicts. How many of them stay.
 */
static uint64_t survivors(enum bpf_map_type type, uint32_t flags, enum use use, uint32_t size)
{
	int fd = create(type, size, flags);
	uint32_t got;
	uint64_t left;

	on_cpu(0);
	insert_range(fd, 1, size);
	for (uint64_t key = 1; key <= 64; key++) {
		if (use == USE_BY_CALL)
			has(fd, key);
		else if (use == USE_BY_PROGRAM && program_lookup(fd, key, &got))
			printf("# program: no key %llu\n", (unsigned long long)key);
	}
	insert_range(fd, size + 1, size + 64);
	show(fd, "after eviction");
	left = count_range(fd, 1, 64);
	close(fd);
	return left;
}

/* The size is one at which a trip to the global lists is 128 nodes in all releases. */
static void test_reference_bits(enum bpf_map_type type)
{
	uint32_t size = 256 * cpus;

	check(survivors(type, 0, USE_NONE, size) == 0, "old keys that nobody used go first");
	check(survivors(type, 0, USE_BY_CALL, size) == 0, "a system call's look-up is no use");
	check(survivors(type, 0, USE_BY_PROGRAM, size) == 64, "a program's is");
}

/* A single node, and two CPUs that want it. */
static void test_steal(enum bpf_map_type type)
{
	int fd = create(type, 1, 0);

	on_cpu(0);
	check(update(fd, 1, BPF_NOEXIST) == 0, "one CPU has the only node");
	on_cpu(1);
	check(update(fd, 2, BPF_NOEXIST) == 0, "the other takes it away");
	check(!has(fd, 1) && has(fd, 2), "with its key");
	on_cpu(0);
	check(update(fd, 3, BPF_NOEXIST) == 0 && has(fd, 3), "and the first takes it back");
	show(fd, "one node");
	close(fd);
}

/* With a list for each CPU, one that inserts does not evict another's. */
static void test_percpu_lists(enum bpf_map_type type)
{
	int fd = create(type, 32 * cpus, BPF_F_NO_COMMON_LRU);

	on_cpu(1);
	insert_range(fd, 1, 32);
	on_cpu(0);
	check(insert_range(fd, 1001, 1500) == 500, "one CPU inserts many keys");
	check(count_range(fd, 1, 32) == 32, "another's stay");
	check(show(fd, "per-CPU lists") <= 64 && has(fd, 1500), "its own go");
	close(fd);
}

/* Two CPUs insert, look up and delete, keys of a small set more often; all is to be the same. */
static void test_two_cpus(enum bpf_map_type type, uint32_t flags)
{
	int fd = create(type, 300, flags);
	uint64_t state = 1, returns = 0;
	uint32_t got = 0;

	for (int i = 0; i < 3000; i++) {
		uint64_t key, what;
		int err;

		state = state * 6364136223846793005u + 1442695040888963407u;
		key = (state >> 33) % (state >> 62 ? 100 : 1000);
		what = (state >> 40) % 8;
		if (i % 50 == 0)
			on_cpu((uint32_t)(state >> 50) % 2);
		if (what < 3)
			err = update(fd, key, what == 2 ? BPF_NOEXIST : BPF_ANY);
		else if (what < 6)
			err = program_lookup(fd, key, &got);
		else if (what == 6)
			err = bpf_map_delete_elem(fd, &key);
		else
			err = program_update(fd, key, key * 10, BPF_ANY);
		returns = returns * 0x9e3779b97f4a7c15u + (uint64_t)err;
	}
	on_cpu(0);
	printf("# returns %016llx\n", (unsigned long long)returns);
	check(show(fd, "two CPUs") <= 300, "two CPUs mixed, no more keys than may be");
	close(fd);
}

static void test_percpu_values(enum bpf_map_type type)
{
	int fd = create(type, 1024, 0);
	uint64_t key = 7;
	uint32_t got = 0;

	on_cpu(1);
	check(update(fd, 7, BPF_ANY) == 0 && !program_lookup(fd, 7, &got) && got == 71,
	      "a program sees its CPU's copy of what a system call wrote");
	on_cpu(0);
	check(!program_update(fd, 7, 5, BPF_ANY) && has(fd, 7) && value[0] == 5 && value[1] == 71,
	      "and writes its own alone");
	check(!program_update(fd, 8, 6, BPF_NOEXIST) && has(fd, 8) && value[0] == 6 && !value[1],
	      "a key that it adds is zero on others");
	check(program_update(fd, 8, 6, BPF_NOEXIST) == -EEXIST, "once");
	check(!bpf_map_lookup_and_delete_elem(fd, &key, value) && value[0] == 5 && value[1] == 71,
	      "look up and delete reads all");
	close(fd);
}

/* Reads all by batches of at most some elements; returns how many, or -1. */
static int read_batches(int fd, uint32_t some, bool is_deleting)
{
	static uint64_t keys[64], values[64 * CPUS_MAX];
	uint32_t cursor = 0, count;
	bool is_first = true;
	int total = 0, err = 0;

	while (!err) {
		count = some;
		if (is_deleting)
			err = bpf_map_lookup_and_delete_batch(fd, is_first ? NULL : &cursor,
							      &cursor, keys, values, &count, NULL);
		else
			err = bpf_map_lookup_batch(fd, is_first ? NULL : &cursor, &cursor, keys,
						   values, &count, NULL);
		printf("# batch of %u: %d, %u, cursor %u\n", some, err, count, cursor);
		is_first = false;
		total += (int)count;
	}
	return err == -ENOENT ? total : -1;
}

static void test_batches(enum bpf_map_type type, uint32_t values_per_key)
{
	LIBBPF_OPTS(bpf_map_batch_opts, with_flags, .elem_flags = BPF_NOEXIST);
	LIBBPF_OPTS(bpf_map_batch_opts, none);
	static uint64_t keys[64], values[64 * CPUS_MAX];
	int fd = create(type, 64, 0);
	uint32_t count = 64, cursor = 77;

	for (uint64_t i = 0; i < 64; i++)
		keys[i] = 100 + i;
	for (uint32_t i = 0; i < 64 * values_per_key; i++)
		values[i] = i;
	check(bpf_map_update_batch(fd, keys, values, &count, &with_flags) == -EINVAL && count == 64,
	      "a batch of updates has no flags");
	count = 0;
	check(bpf_map_update_batch(fd, keys, values, &count, &none) == 0 && count == 0,
	      "nothing to do is done");
	count = 40;
	check(bpf_map_update_batch(fd, keys, values, &count, &none) == 0 && count == 40,
	      "40 updates");
	check(has(fd, 105) && value[0] == 5 * values_per_key, "each has its value");
	check(read_batches(fd, 16, false) == 40, "all are read in pieces");
	count = 1;
	check(bpf_map_lookup_batch(fd, NULL, &cursor, keys + 60, values, &count, &none) <= 0,
	      "a batch of one");
	printf("# %d %u %u\n", errno, count, cursor);
	cursor = 64;
	count = 5;
	check(bpf_map_lookup_batch(fd, &cursor, &cursor, keys + 50, values, &count, &none) ==
			      -ENOENT &&
		      count == 0 && cursor == 64,
	      "nothing is past the end");
	keys[2] = 9999;
	count = 5;
	check(bpf_map_delete_batch(fd, keys, &count, &none) == -ENOENT && count == 2,
	      "deletions stop at a missing key");
	check(show(fd, "after deletions") == 38, "two are gone");
	check(read_batches(fd, 16, true) == 38, "the rest is read and deleted");
	check(show(fd, "after all") == 0, "none is left");
	close(fd);
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	cpus = (uint32_t)libbpf_num_possible_cpus();
	if (cpus < 2 || cpus > CPUS_MAX) {
		fprintf(stderr, "%u possible CPUs; expected 2 to %d\n", cpus, CPUS_MAX);
		return 77;
	}
	on_cpu(1);
	on_cpu(0);
	test_returns(BPF_MAP_TYPE_HASH, "hash");
	test_returns(BPF_MAP_TYPE_PERCPU_HASH, "percpu_hash");
	test_returns(BPF_MAP_TYPE_LRU_HASH, "lru_hash");
	test_returns(BPF_MAP_TYPE_LRU_PERCPU_HASH, "lru_percpu_hash");
	test_full();
	test_reference_bits(BPF_MAP_TYPE_LRU_HASH);
	test_reference_bits(BPF_MAP_TYPE_LRU_PERCPU_HASH);
	test_steal(BPF_MAP_TYPE_LRU_HASH);
	test_steal(BPF_MAP_TYPE_LRU_PERCPU_HASH);
	test_percpu_lists(BPF_MAP_TYPE_LRU_HASH);
	test_percpu_lists(BPF_MAP_TYPE_LRU_PERCPU_HASH);
	test_two_cpus(BPF_MAP_TYPE_LRU_HASH, 0);
	test_two_cpus(BPF_MAP_TYPE_LRU_HASH, BPF_F_NO_COMMON_LRU);
	test_two_cpus(BPF_MAP_TYPE_LRU_PERCPU_HASH, 0);
	test_percpu_values(BPF_MAP_TYPE_PERCPU_HASH);
	test_percpu_values(BPF_MAP_TYPE_LRU_PERCPU_HASH);
	test_batches(BPF_MAP_TYPE_HASH, 1);
	test_batches(BPF_MAP_TYPE_LRU_HASH, 1);
	test_batches(BPF_MAP_TYPE_PERCPU_HASH, cpus);
	test_batches(BPF_MAP_TYPE_LRU_PERCPU_HASH, cpus);
	printf("1..%d\n", test_number);
	return failures ? 1 : 0;
}
