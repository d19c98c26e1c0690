// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <CUnit/CUnit.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "sim/memory.h"
#include "sim/trace_store.h"
#include "tests/unit/unit.h"

static const struct trace_options one_cpu = {.cpus = 1, .spread_block = 1, .seed = 1};
static const struct trace_options two_cpus = {.cpus = 2, .spread_block = 1, .seed = 1};

/* 40000 operations: 640000 bytes, and 524288 are taken first. */
#define SPEC "gen:uniform,count=40000"

static void test_sharing(void)
{
	struct trace_store *store = trace_store_create(10 << 20);
	struct error error = {.text = ""};
	const struct op_batch *a, *b, *c;

	CU_ASSERT_PTR_NOT_NULL_FATAL(store);
	CU_ASSERT_EQUAL_FATAL(trace_store_get(store, SPEC, &one_cpu, NULL, &a, &error), 0);
	CU_ASSERT_EQUAL_FATAL(trace_store_get(store, SPEC, &one_cpu, NULL, &b, &error), 0);
	CU_ASSERT_EQUAL_FATAL(trace_store_get(store, SPEC, &two_cpus, NULL, &c, &error), 0);
	CU_ASSERT_PTR_EQUAL(a, b);
	CU_ASSERT_PTR_NOT_EQUAL(a, c);
	CU_ASSERT_EQUAL(a->count, 40000);
	CU_ASSERT_EQUAL(c->count, 40000);
	CU_ASSERT_EQUAL(c->ops[1].cpu, 1);
	trace_store_put(store, a);
	trace_store_put(store, b);
	trace_store_put(store, c);
	CU_ASSERT_EQUAL_FATAL(trace_store_get(store, SPEC, &one_cpu, NULL, &b, &error), 0);
	CU_ASSERT_PTR_EQUAL(a, b);
	trace_store_put(store, b);
	trace_store_destroy(store);
}

/* What nobody uses makes room; what is used does not. */
static void test_room(void)
{
	struct trace_store *store = trace_store_create(1000000);
	struct error error = {.text = ""};
	const struct op_batch *a, *b;

	CU_ASSERT_PTR_NOT_NULL_FATAL(store);
	CU_ASSERT_EQUAL_FATAL(trace_store_get(store, SPEC, &one_cpu, NULL, &a, &error), 0);
	CU_ASSERT_EQUAL(trace_store_get(store, SPEC, &two_cpus, NULL, &b, &error), -EFBIG);
	CU_ASSERT_EQUAL(trace_store_get(store, "gen:uniform,count=1G", &one_cpu, NULL, &b, &error),
			-EFBIG);
	trace_store_put(store, a);
	CU_ASSERT_EQUAL_FATAL(trace_store_get(store, SPEC, &two_cpus, NULL, &b, &error), 0);
	trace_store_put(store, b);
	CU_ASSERT_EQUAL(trace_store_get(store, "gen:uniform,count=0", &one_cpu, NULL, &b, &error),
			-EINVAL);
	CU_ASSERT_EQUAL(trace_store_get(store, "gen:uniform,count=0", &one_cpu, NULL, &b, NULL),
			-EINVAL);
	trace_store_destroy(store);
	trace_store_destroy(NULL);
}

static bool refuse(void *arg, uint64_t bytes)
{
	(void)arg;
	(void)bytes;
	return false;
}

static void test_load(void)
{
	struct error error = {.text = ""};
	struct op_batch all;
	atomic_int stop = 1;

	CU_ASSERT_EQUAL(trace_load(SPEC, &one_cpu, NULL, refuse, NULL, &all, &error), -EFBIG);
	op_batch_deinit(&all);
	CU_ASSERT_EQUAL(trace_load(SPEC, &one_cpu, &stop, NULL, NULL, &all, &error), -EINTR);
	op_batch_deinit(&all);
	CU_ASSERT_EQUAL(trace_load("none", &one_cpu, NULL, NULL, NULL, &all, &error), -ENOENT);
	op_batch_deinit(&all);
}

static void test_names(void)
{
	CU_ASSERT_TRUE(trace_is_stdin("-"));
	CU_ASSERT_TRUE(trace_is_stdin("text:-"));
	CU_ASSERT_FALSE(trace_is_stdin("other:-"));
	CU_ASSERT_FALSE(trace_is_stdin("gen:-"));
	CU_ASSERT_PTR_NULL(trace_path("-"));
	CU_ASSERT_PTR_NULL(trace_path("gen:zipf"));
	CU_ASSERT_STRING_EQUAL(trace_path("keys:a:b"), "a:b");
	CU_ASSERT_STRING_EQUAL(trace_path("./text:x"), "./text:x");
}

static void test_memory(void)
{
	struct error error = {.text = ""};

	CU_ASSERT_EQUAL_FATAL(memory_reserve(1, &error), 0);
	CU_ASSERT_EQUAL_FATAL(memory_reserve(1, &error), 0);
	memory_release(2);
	CU_ASSERT_EQUAL(memory_reserve(UINT64_MAX / 2, &error), -ENOMEM);
	CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "(ENOMEM)"));
}

CU_TestInfo trace_store_tests[] = {
	{"sharing", test_sharing}, {"room", test_room},     {"loading", test_load},
	{"names", test_names},     {"memory", test_memory}, CU_TEST_INFO_NULL,
};
