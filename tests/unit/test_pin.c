// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Where simulated CPUs and memory are put: texts, and plans on machines that are lines of text. */
#include <errno.h>
#include <numaif.h>
#include <stdio.h>
#include <string.h>

#include "sim/config.h"
#include "sim/pin.h"
#include "sim/placement.h"
#include "sim/topology.h"
#include "tests/unit/unit.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Two packages of two cores of two siblings. */
#define SMALL "pack:2 [numa(memory=1GiB)] core:2 pu:2"

static void test_pin_texts(void)
{
	static const char *const good[] = {"compact", "scatter", "none",         "node:0",
					   "node:31", "0",       "0-3,8",        "3,1,2",
					   "0-31:2",  "7-7",     "0-2:9,1,65535"};
	static const char *const bad[] = {"",       "fast",    "Compact", "compact ", "node:",
					  "node:x", "node:-1", "node:4G", ",",        "0,",
					  ",0",     "0,,1",    "-1",      "1-",       "3-1",
					  "0-3:0",  "0-3:",    "0:2",     "0 1",      "0-3-5",
					  "65536",  "0,0",     "0-3,2",   "0x1",      "1k",
					  "none,0"};
	struct pin_config pin = {.kind = PIN_COMPACT};
	char text[PIN_TEXT_BYTES], list[2 * PIN_TEXT_BYTES] = "0";

	for (size_t i = 0; i < COUNT(good); i++) {
		CU_ASSERT_EQUAL(pin_config_parse(good[i], &pin, NULL), 0);
		CU_ASSERT_STRING_EQUAL(pin_config_format(&pin, text), good[i]);
	}
	pin = (struct pin_config){.kind = PIN_COMPACT};
	for (size_t i = 0; i < COUNT(bad); i++) {
		struct error error = {.text = ""};

		CU_ASSERT_EQUAL(pin_config_parse(bad[i], &pin, &error), -EINVAL);
		CU_ASSERT(strstr(error.text, "pin=") == error.text);
		CU_ASSERT_EQUAL(pin.kind, PIN_COMPACT);
	}
	for (int i = 1; i < 400; i++)
		snprintf(list + strlen(list), sizeof(list) - strlen(list), ",%d", i);
	CU_ASSERT_EQUAL(pin_config_parse(list, &pin, NULL), -EINVAL);
	/* Zeroed it is the default. */
	memset(&pin, 0, sizeof(pin));
	CU_ASSERT_STRING_EQUAL(pin_config_format(&pin, text), "scatter");
}

static void test_mem_texts(void)
{
	static const char *const good[] = {"local", "interleave", "node:0", "node:4095"};
	static const char *const bad[] = {"", "node", "node:", "node:4096", "node:x", "0", "Local"};
	struct mem_config mem = {.kind = MEM_LOCAL};
	char text[MEM_TEXT_BYTES];

	for (size_t i = 0; i < COUNT(good); i++) {
		CU_ASSERT_EQUAL(mem_config_parse(good[i], &mem, NULL), 0);
		CU_ASSERT_STRING_EQUAL(mem_config_format(&mem, text), good[i]);
	}
	CU_ASSERT(mem_config_has_node(&mem, 4095) && !mem_config_has_node(&mem, 0));
	for (size_t i = 0; i < COUNT(bad); i++) {
		struct error error = {.text = ""};

		CU_ASSERT_EQUAL(mem_config_parse(bad[i], &mem, &error), -EINVAL);
		CU_ASSERT(strstr(error.text, "mem=") == error.text);
		CU_ASSERT_EQUAL(mem.node, 4095);
	}
}

/* Plans, and writes "PU/NODE PU/NODE ...", or the error. */
static void plan_text(const char *machine, const char *pin_text, uint32_t cpus, bool oversubscribe,
		      char *text, size_t bytes)
{
	struct error error = {.text = ""};
	struct topology topology;
	struct pin_config pin;
	struct pin_plan plan;
	size_t used = 0;

	CU_ASSERT_EQUAL_FATAL(topology_init(&topology, TOPOLOGY_SYNTHETIC, machine, &error), 0);
	CU_ASSERT_EQUAL_FATAL(pin_config_parse(pin_text, &pin, &error), 0);
	text[0] = '\0';
	if (pin_plan_init(&plan, &topology, &pin, cpus, oversubscribe, &error)) {
		CU_ASSERT(!error.is_missing);
		snprintf(text, bytes, "%s", error.text);
	} else {
		for (uint32_t cpu = 0; cpu < plan.cpus; cpu++)
			used += (size_t)snprintf(text + used, bytes - used, "%s%d/%d",
						 cpu ? " " : "", pin_plan_pu(&plan, cpu),
						 pin_plan_node(&plan, cpu));
		pin_plan_deinit(&plan);
	}
	topology_deinit(&topology);
}

static void expect_plan(const char *machine, const char *pin, uint32_t cpus, const char *expected)
{
	char text[1024];

	plan_text(machine, pin, cpus, false, text, sizeof(text));
	CU_ASSERT_STRING_EQUAL(text, expected);
	if (strcmp(text, expected) != 0)
		fprintf(stderr, "%s, %s: \"%s\", expected \"%s\"\n", machine, pin, text, expected);
}

static void expect_oversubscribed(const char *machine, const char *pin, uint32_t cpus,
				  const char *expected)
{
	char text[1024];

	plan_text(machine, pin, cpus, true, text, sizeof(text));
	CU_ASSERT_STRING_EQUAL(text, expected);
}

static void test_compact(void)
{
	expect_plan(SMALL, "compact", 0, "0/0 1/0 2/0 3/0 4/1 5/1 6/1 7/1");
	expect_plan(SMALL, "compact", 3, "0/0 1/0 2/0");
	/* Siblings that the system numbers far apart, as on most machines. */
	expect_plan("pack:2 [numa] core:2 pu:2(indexes=0,4,1,5,2,6,3,7)", "compact", 0,
		    "0/0 4/0 1/0 5/0 2/1 6/1 3/1 7/1");
}

static void test_scatter(void)
{
	/* Packages, then cores, then siblings. */
	expect_plan(SMALL, "scatter", 0, "0/0 4/1 2/0 6/1 1/0 5/1 3/0 7/1");
	expect_plan("[numa] pu:4", "scatter", 0, "0/0 1/0 2/0 3/0");
	/* Nodes of a package, and caches of a node, too. */
	expect_plan("pack:2 group:2 [numa] core:2 pu:1", "scatter", 0,
		    "0/0 4/2 2/1 6/3 1/0 5/2 3/1 7/3");
	expect_plan("[numa] l3:2 core:2 pu:1", "scatter", 0, "0/0 2/0 1/0 3/0");
	expect_plan("pack:4 [numa] core:1 pu:2", "scatter", 6, "0/0 2/1 4/2 6/3 1/0 3/1");
}

static void test_node(void)
{
	expect_plan(SMALL, "node:1", 0, "4/1 6/1 5/1 7/1");
	expect_plan("pack:2 group:2 [numa] core:2 pu:1", "node:2", 2, "4/2 5/2");
	expect_plan(SMALL, "node:1", 5,
		    "5 CPUs asked for; pin=node:1 of \"" SMALL "\" has 4: 4-7; --oversubscribe "
		    "lets them share");
	/* Memory alone is near CPUs, which are the other node's. */
	expect_plan("[numa] pack:2 [numa] core:1 pu:1", "node:2", 0,
		    "pin=node:2: that node has no CPUs to be used; these have: 0-1");
	expect_plan(SMALL, "node:2", 1, "pin=node:2: \"" SMALL "\" has no such node; it has 0-1");
}

static void test_list(void)
{
	expect_plan(SMALL, "3,0-1,7", 0, "3/0 0/0 1/0 7/1");
	expect_plan(SMALL, "0-7:2", 3, "0/0 2/0 4/1");
	expect_plan(SMALL, "0-7:5", 0, "0/0 5/1");
	expect_plan(SMALL, "0-1", 3,
		    "3 CPUs asked for; pin=0-1 of \"" SMALL "\" has 2: 0-1; --oversubscribe lets "
		    "them share");
	expect_plan(SMALL, "6-9", 1, "pin: \"" SMALL "\" has no CPU 8; it has 0-7");
}

static void test_none(void)
{
	expect_plan(SMALL, "none", 3, "-1/-1 -1/-1 -1/-1");
	expect_plan("pu:2", "none", 3,
		    "3 CPUs asked for; pin=none of \"pu:2\" has 2: 0-1; --oversubscribe lets them "
		    "share");
	expect_oversubscribed("pu:1", "none", 2, "-1/-1 -1/-1");
}

static void test_oversubscribed(void)
{
	expect_oversubscribed("[numa] pu:2", "compact", 5, "0/0 1/0 0/0 1/0 0/0");
	expect_oversubscribed(SMALL, "node:1", 6, "4/1 6/1 5/1 7/1 4/1 6/1");
	expect_oversubscribed(SMALL, "5", 2, "5/1 5/1");
	/* What is not there is not there. */
	expect_oversubscribed(SMALL, "8", 2, "pin: \"" SMALL "\" has no CPU 8; it has 0-7");
}

/* A thread may be bound on this machine alone, and comes to where it was told. */
static void test_bind(void)
{
	struct error error = {.text = ""};
	struct pin_config pin = {.kind = PIN_COMPACT};
	struct topology topology;
	struct pin_plan plan;
	hwloc_bitmap_t before = hwloc_bitmap_alloc(), set = hwloc_bitmap_alloc();

	CU_ASSERT_EQUAL_FATAL(topology_init(&topology, TOPOLOGY_SYNTHETIC, "pu:1", &error), 0);
	CU_ASSERT_EQUAL_FATAL(pin_plan_init(&plan, &topology, &pin, 1, false, &error), 0);
	CU_ASSERT_EQUAL(pin_bind_thread(&plan, 0, &error), -EINVAL);
	pin_plan_deinit(&plan);
	topology_deinit(&topology);

	CU_ASSERT_EQUAL_FATAL(topology_init(&topology, TOPOLOGY_HOST, "", &error), 0);
	if (topology_is_this_machine(&topology) &&
	    !hwloc_get_cpubind(topology.hwloc, before, HWLOC_CPUBIND_THREAD)) {
		CU_ASSERT_EQUAL_FATAL(pin_plan_init(&plan, &topology, &pin, 0, false, &error), 0);
		for (uint32_t cpu = 0; cpu < plan.cpus; cpu++) {
			CU_ASSERT_EQUAL(pin_bind_thread(&plan, cpu, &error), 0);
			hwloc_get_cpubind(topology.hwloc, set, HWLOC_CPUBIND_THREAD);
			CU_ASSERT_EQUAL(hwloc_bitmap_weight(set), 1);
			CU_ASSERT_EQUAL(hwloc_bitmap_first(set), pin_plan_pu(&plan, cpu));
		}
		hwloc_set_cpubind(topology.hwloc, before, HWLOC_CPUBIND_THREAD);
		pin_plan_deinit(&plan);
		/* More than this machine has is missing here. */
		CU_ASSERT_EQUAL(pin_plan_init(&plan, &topology, &pin, 65536, false, &error),
				-EINVAL);
		CU_ASSERT(error.is_missing);
	}
	topology_deinit(&topology);
	hwloc_bitmap_free(before);
	hwloc_bitmap_free(set);
}

/* The policy is as asked for meanwhile, and afterwards as it was. */
static void test_placement(void)
{
	static const struct mem_config mems[] = {{MEM_LOCAL, 0},
						 {MEM_INTERLEAVE, 0},
						 {MEM_NODE, 0}};
	static const int modes[] = {MPOL_LOCAL, MPOL_INTERLEAVE, MPOL_BIND};
	struct error error = {.text = ""};
	struct placement placement;
	struct topology topology;
	int before, mode;

	CU_ASSERT_EQUAL_FATAL(topology_init(&topology, TOPOLOGY_HOST, "", &error), 0);
	for (size_t i = 0; i < COUNT(mems); i++) {
		bool has_calls = !get_mempolicy(&before, NULL, 0, NULL, 0);

		if (!hwloc_get_numanode_obj_by_os_index(topology.hwloc, 0))
			break;
		if (placement_begin(&placement, &mems[i], &topology, &error)) {
			CU_ASSERT(mems[i].kind != MEM_LOCAL && error.is_missing);
			continue;
		}
		if (!placement.is_changed)
			continue;
		CU_ASSERT(has_calls && !get_mempolicy(&mode, NULL, 0, NULL, 0));
		CU_ASSERT_EQUAL(mode, modes[i]);
		placement_end(&placement);
		CU_ASSERT(!get_mempolicy(&mode, NULL, 0, NULL, 0));
		CU_ASSERT_EQUAL(mode, before);
	}
	CU_ASSERT_EQUAL(placement_begin(&placement, &(struct mem_config){MEM_NODE, 4095}, &topology,
					&error),
			-EINVAL);
	CU_ASSERT(error.is_missing);
	topology_deinit(&topology);
}

/* What nobody checked: an error each, whatever hwloc makes of it. */
static void test_bad_machines(void)
{
	static const char *const lines[] = {"",
					    "x",
					    "pack",
					    "pack:0",
					    "pack:x",
					    "pu:2 pack:2",
					    "pu:70000",
					    "core:300 pu:300",
					    "core:18446744073709551615 pu:2"};

	for (size_t i = 0; i < COUNT(lines); i++) {
		struct error error = {.text = ""};
		struct topology topology;

		CU_ASSERT_EQUAL(topology_init(&topology, TOPOLOGY_SYNTHETIC, lines[i], &error),
				-EINVAL);
		CU_ASSERT(strstr(error.text, "synthetic") == error.text);
	}
}

/* Engines that place nothing do not say where. */
static void test_config(void)
{
	struct record record = {0};
	struct run_config config;

	config_init(&config);
	CU_ASSERT(!config.is_pin_given && !config.oversubscribe);
	CU_ASSERT_EQUAL(config_set(&config, "--pin", "0-1", NULL), 0);
	CU_ASSERT_EQUAL(config_set(&config, "mem", "interleave", NULL), 0);
	CU_ASSERT(config.is_pin_given && config.pin.kind == PIN_LIST);
	CU_ASSERT_EQUAL(config.mem.kind, MEM_INTERLEAVE);
	CU_ASSERT_EQUAL(config_set(&config, "pin", "x", NULL), -EINVAL);
	config_finish(&config);
	config_record(&config, &record);
	CU_ASSERT(!record_find(&record, "pin") && !record_find(&record, "mem"));
	record_deinit(&record);
}

CU_TestInfo pin_tests[] = {
	{"texts of pins", test_pin_texts},
	{"texts of memory", test_mem_texts},
	{"compact", test_compact},
	{"scatter", test_scatter},
	{"node", test_node},
	{"list", test_list},
	{"none", test_none},
	{"oversubscribed", test_oversubscribed},
	{"threads are bound", test_bind},
	{"memory is placed", test_placement},
	{"bad machines", test_bad_machines},
	{"configs", test_config},
	CU_TEST_INFO_NULL,
};
