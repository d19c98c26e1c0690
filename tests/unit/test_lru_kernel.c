// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The kernel's rotation and its variants against a plain reference, operation by operation. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/attr.h"
#include "tests/unit/lru_reference_kernel.h"
#include "tests/unit/test_map.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define OPERATIONS 2000
#define PART 40

static const char *const rotations[VARIANTS] = {
	"kernel", "steal-first", "steal-half", "watermark", "lookup-first",
};

static const struct kernel {
	const char *name;
	bool has_fixed_target, syscall_marks;
	size_t percpu_nr_scans;
} kernels[] = {{"6.12", true, false, 4}, {"7.3", false, false, 4}, {"4.10", true, true, 16}};

static const struct setting {
	size_t nr_scans, free_target; /* 0: the default */
} settings[] = {{0, 0}, {0, 0}, {3, 5}, {1, 2}, {7, 0}, {0, 1}, {2, 40}};

static const char *const codes[] = {"TTTTL", "TTTTTTtD", "UuLl", "LLTTTTUNEDltuned", "UUUUL"};

static const uint32_t cpu_counts[] = {1, 2, 5};

/* Small ones, and ones beyond the default free target and scans. */
static const uint32_t sizes[] = {1, 2, 3, 10, 33, 140, 300, 700};

struct trial {
	struct kernel_reference reference;
	struct op_batch batch;
	int32_t returns[OPERATIONS];
	char name[160], set[80];
	bool has_failed;
};

static void compare_list(void *arg, const char *list, int cpu, uint64_t nodes)
{
	struct trial *trial = arg;
	size_t expected = kernel_reference_nodes(&trial->reference, list, cpu);

	if (nodes == expected || trial->has_failed)
		return;
	trial->has_failed = true;
	test_fail(__FILE__, __LINE__, "%s: %s of %d: %llu nodes, expected %zu", trial->name, list,
		  cpu, (unsigned long long)nodes, expected);
}

/* Runs a part of the trace on both: the same returns, and lists of the same lengths. */
static void compare_part(struct trial *trial, struct map *map, size_t at)
{
	struct op_batch part = {.ops = trial->batch.ops + at, .count = PART};
	const struct map_run run = {.batch = &part, .returns = trial->returns + at};

	test_ops->run(map, &run);
	for (size_t i = at; i < at + PART && !trial->has_failed; i++) {
		const struct map_op *op = &trial->batch.ops[i];
		int expected = kernel_reference_op(&trial->reference, op);

		if (trial->returns[i] == expected)
			continue;
		trial->has_failed = true;
		test_fail(__FILE__, __LINE__, "%s: operation %zu, %u%c%llu: %d, expected %d",
			  trial->name, i, op->cpu, op_letter(op->code, op->context),
			  (unsigned long long)op->key, trial->returns[i], expected);
	}
	if (!trial->has_failed)
		test_ops->lists(map, compare_list, trial);
}

static void fill(struct trial *trial, const char *letters, struct rng *rng)
{
	const struct kernel_reference_config *config = &trial->reference.config;
	struct test_trace trace = {letters, config->entries + config->entries / 3 + 2, config->cpus,
				   0};

	CU_ASSERT_EQUAL_FATAL(op_batch_init(&trial->batch, OPERATIONS, false, false), 0);
	test_trace_fill(&trace, rng, &trial->batch, OPERATIONS);
	for (size_t i = 0; i < OPERATIONS; i++) {
		struct map_op *op = &trial->batch.ops[i];

		/* Half of it with some keys often. */
		if (i % 400 < 200)
			op->key = rng_below(rng, op->key + 1);
		/* At times one CPU has nearly all of it, and others what they once took. */
		if (i % 800 < 500 && rng_below(rng, 16))
			op->cpu = (uint16_t)(i / 100 % config->cpus);
	}
}

/* The kernel and the settings, for the reference and in words for the map. */
static void configure(struct trial *trial, const struct kernel *kernel,
		      const struct setting *setting, struct kernel_reference_config config)
{
	char *set = trial->set;

	config.has_fixed_target = kernel->has_fixed_target;
	config.syscall_marks = kernel->syscall_marks;
	config.nr_scans = config.no_common_lru ? kernel->percpu_nr_scans : 128;
	config.free_target = setting->free_target;
	set += sprintf(set, "rotation=%s", rotations[config.variant]);
	if (setting->nr_scans) {
		config.nr_scans = setting->nr_scans;
		set += sprintf(set, " nr_scans=%zu", setting->nr_scans);
	}
	if (setting->free_target)
		sprintf(set, " free_target=%zu", setting->free_target);
	kernel_reference_init(&trial->reference, &config);
}

/* With a kernel, settings and operations by chance. */
static void compare(const struct kernel_reference_config *config, struct rng *rng)
{
	struct trial *trial = calloc(1, sizeof(*trial));
	const struct kernel *kernel = &kernels[rng_below(rng, COUNT(kernels))];
	const char *letters = codes[rng_below(rng, COUNT(codes))];
	uint32_t flags = config->no_common_lru ? MAP_NO_COMMON_LRU : 0;
	enum map_type type = config->is_percpu ? MAP_LRU_PERCPU_HASH : MAP_LRU_HASH;
	struct test_map wanted = {.attr = {type, 8, 8, config->entries, flags, 0, false},
				  .kernel = kernel->name,
				  .cpus = config->cpus};
	struct map_counters total;
	struct map *map;

	CU_ASSERT_PTR_NOT_NULL_FATAL(trial);
	configure(trial, kernel, &settings[rng_below(rng, COUNT(settings))], *config);
	wanted.set = trial->set;
	snprintf(trial->name, sizeof(trial->name), "%s, %s%s, %s, %u CPUs, %u entries, %s",
		 kernel->name, map_type_names[type], flags ? ", no_common_lru" : "", trial->set,
		 config->cpus, config->entries, letters);
	fill(trial, letters, rng);
	map = test_map_create(&wanted);
	for (size_t at = 0; at < OPERATIONS && !trial->has_failed; at += PART)
		compare_part(trial, map, at);
	test_map_counters(map, config->cpus, &total);
	CU_ASSERT(trial->has_failed || total.evictions == trial->reference.evictions);
	test_map_destroy(map);
	op_batch_deinit(&trial->batch);
	free(trial);
}

static void compare_all(enum kernel_variant variant, bool no_common_lru)
{
	struct kernel_reference_config config = {.variant = variant,
						 .no_common_lru = no_common_lru};
	struct rng rng;

	rng_init(&rng, variant);
	for (size_t i = 0; i < COUNT(sizes); i++) {
		for (size_t k = 0; k < COUNT(cpu_counts); k++) {
			config.cpus = cpu_counts[k];
			config.entries = sizes[i];
			if (no_common_lru) /* rounded up as the map's */
				config.entries =
					(sizes[i] + config.cpus - 1) / config.cpus * config.cpus;
			for (size_t m = 0; m < 6; m++) {
				config.is_percpu = m % 3 == 2;
				compare(&config, &rng);
			}
		}
	}
}

static void test_kernel(void)
{
	compare_all(VARIANT_KERNEL, false);
}

static void test_steal_first(void)
{
	compare_all(VARIANT_STEAL_FIRST, false);
}

static void test_steal_half(void)
{
	compare_all(VARIANT_STEAL_HALF, false);
}

static void test_watermark(void)
{
	compare_all(VARIANT_WATERMARK, false);
}

static void test_lookup_first(void)
{
	compare_all(VARIANT_LOOKUP_FIRST, false);
}

static void test_kernel_percpu(void)
{
	compare_all(VARIANT_KERNEL, true);
}

static void test_lookup_first_percpu(void)
{
	compare_all(VARIANT_LOOKUP_FIRST, true);
}

CU_TestInfo lru_kernel_tests[] = {
	{"kernel", test_kernel},
	{"steal-first", test_steal_first},
	{"steal-half", test_steal_half},
	{"watermark", test_watermark},
	{"lookup-first", test_lookup_first},
	{"kernel, no_common_lru", test_kernel_percpu},
	{"lookup-first, no_common_lru", test_lookup_first_percpu},
	CU_TEST_INFO_NULL,
};
