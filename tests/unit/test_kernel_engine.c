// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What the kernel engine reckons by itself; and, where BPF may be used, what its operations read.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/engine.h"
#include "sim/kernel/counts.h"
#include "sim/kernel/cpus.h"
#include "tests/unit/unit.h"

static void test_cpu_lists(void)
{
	CU_ASSERT_EQUAL(cpu_list_end("0\n"), 1);
	CU_ASSERT_EQUAL(cpu_list_end("0-3\n"), 4);
	CU_ASSERT_EQUAL(cpu_list_end("0-1,4-7"), 8);
	CU_ASSERT_EQUAL(cpu_list_end("0,2,4\n"), 5);
	CU_ASSERT_EQUAL(cpu_list_end("0-4095"), 4096);
	CU_ASSERT_EQUAL(cpu_list_end(""), 0);
	CU_ASSERT_EQUAL(cpu_list_end("\n"), 0);
	CU_ASSERT_EQUAL(cpu_list_end("3-1"), 0);
	CU_ASSERT_EQUAL(cpu_list_end("0-"), 0);
	CU_ASSERT_EQUAL(cpu_list_end("-1"), 0);
	CU_ASSERT_EQUAL(cpu_list_end("0x"), 0);
	CU_ASSERT_EQUAL(cpu_list_end("0-99999999999999999999"), 0);
}

static void test_cpu_ranges(void)
{
	static const bool some[] = {true, true, false, true, false, true, true, true};
	char text[CPU_RANGES_BYTES], small[5];

	CU_ASSERT_STRING_EQUAL(cpu_ranges(some, 8, text, sizeof(text)), "0-1,3,5-7");
	CU_ASSERT_STRING_EQUAL(cpu_ranges(some, 1, text, sizeof(text)), "0");
	CU_ASSERT_STRING_EQUAL(cpu_ranges(some + 2, 1, text, sizeof(text)), "");
	CU_ASSERT_STRING_EQUAL(cpu_ranges(some, 8, small, sizeof(small)), "0-1,");
}

static void count(struct return_counts *counts, uint8_t code, int32_t ret, uint64_t detail)
{
	struct map_op op = {.code = code};

	return_counts_add(counts, &op, ret, detail);
}

static void test_counts(void)
{
	struct return_counts counts = {0}, sum = {0};
	struct map_counters counters;

	count(&counts, OP_ACCESS, 1, 0);
	count(&counts, OP_ACCESS, 0, 0);
	count(&counts, OP_ACCESS, -ENOMEM, 0);
	count(&counts, OP_LOOKUP, -ENOENT, 0);
	count(&counts, OP_UPDATE_NOEXIST, 0, 0);
	count(&counts, OP_UPDATE_NOEXIST, -EEXIST, 0);
	count(&counts, OP_UPDATE_EXIST, 0, 0);
	count(&counts, OP_DELETE, 0, 0);
	count(&counts, OP_BATCH_LOOKUP, -ENOENT, 1);
	count(&counts, OP_BATCH_LOOKUP_AND_DELETE, -ENOTSUPP, 50);
	count(&counts, OP_NEXT_KEY, -4000, 0);
	return_counts_sum(&sum, &counts);
	return_counts_sum(&sum, &counts);
	return_counts_total(&sum, true, 1, &counters);
	CU_ASSERT(counters.operations == 22 && counters.hits == 2 && counters.misses == 6);
	CU_ASSERT(counters.inserts == 4 && counters.replaced == 2 && counters.deletes == 2);
	CU_ASSERT(counters.evictions == 1 && counters.batch_elements == 2);
	CU_ASSERT_EQUAL(counters.errors[ERROR_ENOENT], 4);
	CU_ASSERT_EQUAL(counters.errors[ERROR_ENOTSUPP], 2);
	CU_ASSERT_EQUAL(counters.errors[ERROR_OTHER], 2);
	CU_ASSERT_EQUAL(counters.premature_evictions, COUNT_UNKNOWN);
	CU_ASSERT_EQUAL(counters.scans, COUNT_UNKNOWN);
	return_counts_cpu(&sum, true, &counters);
	CU_ASSERT_EQUAL(counters.evictions, COUNT_UNKNOWN);
}

/* An update with ANY inserts or replaces: which, is told by the entries where none is evicted. */
static void test_counts_any(void)
{
	struct return_counts counts = {0};
	struct map_counters counters;

	count(&counts, OP_UPDATE, 0, 0);
	count(&counts, OP_UPDATE, 0, 0);
	count(&counts, OP_UPDATE_NOEXIST, 0, 0);
	return_counts_total(&counts, true, 2, &counters);
	CU_ASSERT(counters.inserts == COUNT_UNKNOWN && counters.replaced == COUNT_UNKNOWN);
	CU_ASSERT_EQUAL(counters.evictions, COUNT_UNKNOWN);
	return_counts_total(&counts, false, 2, &counters);
	CU_ASSERT(counters.inserts == 2 && counters.replaced == 1 && !counters.evictions);
}

#define OPS 600

/* All codes, by programs and system calls, on one CPU. */
static void fill_ops(struct map_op *ops)
{
	uint32_t seed = 7;

	for (int i = 0; i < OPS; i++) {
		seed = seed * 1103515245 + 12345;
		ops[i] = (struct map_op){
			.key = (seed >> 8) % 60,
			.code = (uint8_t)((seed >> 16) % OP_CODES),
			.context = seed >> 30 ? OP_PROGRAM : OP_SYSCALL,
		};
	}
}

struct answers {
	int32_t returns[OPS];
	uint64_t details[OPS], reads[OPS];
};

/* The answers of a program, or NULL with error. */
static struct answers *run_on(const char *engine, enum map_type type, uint32_t value_size,
			      struct map_op *ops, struct error *error)
{
	struct op_batch batch = {.ops = ops, .count = OPS};
	struct answers *answers = calloc(1, sizeof(*answers));
	struct run_config config;
	struct map_run run = {.batch = &batch};
	void *state = NULL;
	int err;

	config_init(&config);
	config.map.attr.type = type;
	config.map.attr.max_entries = 30;
	config.map.attr.key_size = 11;
	config.map.attr.value_size = value_size;
	config.map.cpus = cpus_possible();
	err = config_set(&config, "--engine", engine, error);
	if (!err && strcmp(engine, "kernel") != 0)
		err = config_set(&config, "--kernel", "host", error);
	config_finish(&config);
	if (!err)
		err = config.engine->open(&config, &state, error);
	if (answers) {
		run.returns = answers->returns;
		run.details = answers->details;
		run.reads = answers->reads;
	}
	if (!err && answers)
		err = config.engine->run(state, &run, error);
	if (state)
		config.engine->close(state);
	if (err) {
		free(answers);
		return NULL;
	}
	return answers;
}

/* The same folds, whatever reads: programs their CPU's copy, system calls all, batches keys, too.
 */
static void test_reads(void)
{
	static const uint32_t sizes[] = {1, 8, 13, 64};
	struct map_op ops[OPS];

	fill_ops(ops);
	for (int i = 0; i < MAP_TYPES * 4; i++) {
		struct error error = {.text = ""};
		enum map_type type = (enum map_type)(i / 4);
		struct answers *model = run_on("seq", type, sizes[i % 4], ops, &error);
		struct answers *kernel = run_on("kernel", type, sizes[i % 4], ops, &error);

		if (!kernel && error.is_missing) {
			printf("# reads: skipped: %s\n", error.text);
			free(model);
			return;
		}
		CU_ASSERT_PTR_NOT_NULL(model);
		CU_ASSERT_PTR_NOT_NULL(kernel);
		if (model && kernel) {
			CU_ASSERT(!memcmp(model->returns, kernel->returns, sizeof(model->returns)));
			CU_ASSERT(!memcmp(model->details, kernel->details, sizeof(model->details)));
			CU_ASSERT(!memcmp(model->reads, kernel->reads, sizeof(model->reads)));
		}
		free(model);
		free(kernel);
	}
}

CU_TestInfo kernel_engine_tests[] = {
	{"lists of CPUs", test_cpu_lists},
	{"ranges of CPUs", test_cpu_ranges},
	{"counts from returns", test_counts},
	{"counts with ANY", test_counts_any},
	{"reads", test_reads},
	CU_TEST_INFO_NULL,
};
