/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the tests of maps share: making a map, giving it operations in a line of text, and saying in
 * a line of text what is to come of them. Failures are reported at the caller's line.
 */
#ifndef TESTS_UNIT_TEST_MAP_H
#define TESTS_UNIT_TEST_MAP_H

#include <CUnit/CUnit.h>

#include "base/rng.h"
#include "tests/unit/flavour.h"

/* A map to make. Left out: the newest kernel, 1 CPU, keys and values of 8 bytes. */
struct test_map { /* NOLINT(clang-analyzer-optin.performance.Padding): in the order of options */
	struct map_attr attr;
	const char *kernel;
	uint32_t cpus;
	const char *set; /* tunables: "NAME=VALUE NAME=VALUE" */
};

/* Returns what map_create did. */
int test_map_try(const struct test_map *wanted, struct map **map, struct error *error);

/* A map that must not be refused. */
struct map *test_map_create(const struct test_map *wanted);

/* Checks the conservation of what is in the map, and destroys it. */
void test_map_destroy(struct map *map);

/* The tunables of a kernel, some set otherwise. NULL, NULL: the newest kernel's. */
void test_tunables_init(struct tunables *tunables, const char *kernel, const char *set);

/*
 * Runs operations written as "0U1 3l2": CPU, letter of a text trace, key. The returns are expected
 * as "0 ENOENT"; what answers with a key or a count has it behind a colon: "0:7".
 */
#define test_map_run(map, ops, returns) test_map_run_at(map, ops, returns, __FILE__, __LINE__)
void test_map_run_at(struct map *map, const char *ops, const char *returns, const char *file,
		     unsigned int line);

/* The same, whatever they return. */
void test_map_do(struct map *map, const char *ops);

/* The keys in the map are these, as "1 2 3": sorted, or in the order of iteration. */
#define test_map_keys(map, keys) test_map_keys_at(map, keys, true, __FILE__, __LINE__)
#define test_map_order(map, keys) test_map_keys_at(map, keys, false, __FILE__, __LINE__)
void test_map_keys_at(struct map *map, const char *keys, bool is_sorted, const char *file,
		      unsigned int line);

/* The lists that are not empty are these, as "active=1 free0=2", 0 being a CPU. */
#define test_map_lists(map, lists) test_map_lists_at(map, lists, __FILE__, __LINE__)
void test_map_lists_at(struct map *map, const char *lists, const char *file, unsigned int line);

/* The length of one list, cpu -1 for one that is not a CPU's. */
uint64_t test_map_nodes(struct map *map, const char *list, int cpu);

uint64_t test_map_entries(struct map *map);

/* The counters, summed over the CPUs. */
void test_map_counters(struct map *map, uint32_t cpus, struct map_counters *total);

/* Random operations: codes are letters to choose from, more often when repeated. */
struct test_trace {
	const char *codes;
	uint64_t range; /* keys 0..range-1; of batches, counts */
	uint32_t cpus;
	uint32_t key_bytes; /* 0: integer keys; else bytes of 1 to this length */
};
void test_trace_fill(const struct test_trace *trace, struct rng *rng, struct op_batch *batch,
		     size_t count);

/* Reports a failure with a text made from what was found. */
void test_fail(const char *file, unsigned int line, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
