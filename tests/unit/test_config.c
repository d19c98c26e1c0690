// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What a run is made of, set by name. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "sim/engine.h"
#include "sim/kernel/cpus.h"
#include "tests/unit/unit.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void report(const char *name, const char *value)
{
	char text[2048];

	snprintf(text, sizeof(text), "%s=%s", name, value);
	CU_assertImplementation(CU_FALSE, 0, text, __FILE__, "", CU_FALSE);
}

static void set(struct run_config *config, const char *name, const char *value)
{
	struct error error = {.text = ""};

	if (config_set(config, name, value, &error))
		report(name, error.text);
}

static void test_defaults(void)
{
	struct run_config config;
	struct kernel_release newest = kernel_newest();
	char text[160];

	memset(&config, 0x55, sizeof(config));
	config_init(&config);
	map_config_format(&config.map, text, sizeof(text));
	CU_ASSERT_STRING_EQUAL(text, "type=lru_hash,max_entries=0,key_size=8,value_size=8");
	CU_ASSERT_EQUAL(kernel_compare(&config.map.kernel, &newest), 0);
	CU_ASSERT(config.map.cpus == 1 && config.seed == 1 && !config.preload && !config.check);
	CU_ASSERT(config.program == TRACE_ACCESS && config.spread == SPREAD_ROUND_ROBIN);
	CU_ASSERT_STRING_EQUAL(config.engine->name, "seq");
	CU_ASSERT_STRING_EQUAL(config.map.kernel_note, "");
}

static void test_map_fields(void)
{
	struct run_config config;

	config_init(&config);
	set(&config, "type", "percpu_hash");
	set(&config, "max_entries", "10k");
	set(&config, "key_size", "13");
	set(&config, "value_size", "0x20");
	set(&config, "flags", "no_prealloc");
	CU_ASSERT_EQUAL(config.map.attr.type, MAP_PERCPU_HASH);
	CU_ASSERT_EQUAL(config.map.attr.max_entries, 10240);
	CU_ASSERT_EQUAL(config.map.attr.key_size, 13);
	CU_ASSERT_EQUAL(config.map.attr.value_size, 32);
	CU_ASSERT_EQUAL(config.map.attr.flags, MAP_NO_PREALLOC);
	set(&config, "max_entries", "4294967295");
	CU_ASSERT_EQUAL(config.map.attr.max_entries, UINT32_MAX);
	for (int type = 0; type < MAP_TYPES; type++) {
		set(&config, "type", map_type_names[type]);
		CU_ASSERT_EQUAL((int)config.map.attr.type, type);
	}
}

/* Flags are given anew each time. */
static void test_flags(void)
{
	struct run_config config;

	config_init(&config);
	set(&config, "flags", "no_common_lru+no_prealloc");
	CU_ASSERT_EQUAL(config.map.attr.flags, MAP_NO_COMMON_LRU | MAP_NO_PREALLOC);
	set(&config, "flags", "no_common_lru|no_prealloc");
	CU_ASSERT_EQUAL(config.map.attr.flags, MAP_NO_COMMON_LRU | MAP_NO_PREALLOC);
	set(&config, "flags", "no_common_lru");
	CU_ASSERT_EQUAL(config.map.attr.flags, MAP_NO_COMMON_LRU);
	set(&config, "flags", "numa_node=0");
	CU_ASSERT_EQUAL(config.map.attr.flags, MAP_NUMA_NODE);
	CU_ASSERT(config.map.attr.numa_node == 0 && config.map.attr.numa_node_online);
	set(&config, "flags", "none");
	CU_ASSERT_EQUAL(config.map.attr.flags, 0);
	set(&config, "numa_node", "99999");
	CU_ASSERT(config.map.attr.flags == MAP_NUMA_NODE && !config.map.attr.numa_node_online);
}

static void test_options(void)
{
	struct run_config config;

	config_init(&config);
	set(&config, "kernel", "6.12.39");
	CU_ASSERT(config.map.kernel.major == 6 && config.map.kernel.minor == 12 &&
		  config.map.kernel.patch == 39);
	set(&config, "cpus", "4096");
	CU_ASSERT_EQUAL(config.map.cpus, 4096);
	set(&config, "engine", "seq");
	for (int program = 0; program < TRACE_PROGRAMS; program++) {
		set(&config, "program", trace_program_names[program]);
		CU_ASSERT_EQUAL((int)config.program, program);
	}
	for (int spread = 0; spread < TRACE_SPREADS; spread++) {
		set(&config, "--spread", trace_spread_names[spread]);
		CU_ASSERT_EQUAL((int)config.spread, spread);
	}
	set(&config, "spread", "block:77");
	CU_ASSERT(config.spread == SPREAD_BLOCK && config.spread_block == 77);
	/* A tunable is called seed, too. */
	set(&config, "--seed", "12345678901234567890");
	CU_ASSERT(config.seed == 12345678901234567890ULL && !config.map.is_overridden[TUNE_SEED]);
	set(&config, "seed", "5");
	CU_ASSERT(config.seed == 12345678901234567890ULL && config.map.overrides[TUNE_SEED] == 5);
}

static void test_tunables(void)
{
	struct run_config config;

	config_init(&config);
	set(&config, "kernel", "6.12");
	set(&config, "nr_scans", "7");
	set(&config, "free_target", "auto");
	set(&config, "rotation", "lru");
	config_finish(&config);
	CU_ASSERT_EQUAL(config.map.tunables.values[TUNE_NR_SCANS], 7);
	CU_ASSERT_EQUAL(config.map.tunables.values[TUNE_FREE_TARGET], TUNABLE_AUTO);
	CU_ASSERT_EQUAL(config.map.tunables.values[TUNE_FREE_TARGET_RULE], FREE_TARGET_FIXED);
	/* What was set holds for other kernels, too, in whatever order. */
	set(&config, "kernel", "7.3");
	config_finish(&config);
	CU_ASSERT_EQUAL(config.map.tunables.values[TUNE_NR_SCANS], 7);
	CU_ASSERT_EQUAL(config.map.tunables.values[TUNE_FREE_TARGET_RULE], FREE_TARGET_BY_SIZE);
}

/* The running kernel's map has the CPUs of the machine; what was set is the trace's then. */
static void test_kernel_cpus(void)
{
	uint32_t possible = cpus_possible();
	struct run_config config;

	/* Without /sys nobody says: then there is what was set. */
	if (!possible)
		possible = 1;
	config_init(&config);
	set(&config, "engine", "kernel");
	config_finish(&config);
	CU_ASSERT_EQUAL(config.map.cpus, possible);
	CU_ASSERT_EQUAL(config_trace_options(&config).cpus, possible);
	set(&config, "engine", "seq");
	config_finish(&config);
	CU_ASSERT_EQUAL(config.map.cpus, 1);
	set(&config, "engine", "kernel");
	set(&config, "cpus", "1");
	config_finish(&config);
	config_finish(&config);
	CU_ASSERT_EQUAL(config.map.cpus, possible);
	CU_ASSERT_EQUAL(config_trace_options(&config).cpus, 1);
	set(&config, "engine", "seq");
	set(&config, "cpus", "4096");
	config_finish(&config);
	CU_ASSERT(config.map.cpus == 4096 && config_trace_options(&config).cpus == 4096);
}

/* A random seed of the hash comes from --seed, and is a number in the end. */
static void test_random_seed(void)
{
	struct run_config config;
	uint64_t first;

	config_init(&config);
	set(&config, "seed", "random");
	config_finish(&config);
	first = config.map.tunables.values[TUNE_SEED];
	CU_ASSERT(first && first <= UINT32_MAX);
	config_finish(&config);
	CU_ASSERT_EQUAL(config.map.tunables.values[TUNE_SEED], first);
	set(&config, "--seed", "2");
	config_finish(&config);
	CU_ASSERT_NOT_EQUAL(config.map.tunables.values[TUNE_SEED], first);
	CU_ASSERT(config.map.tunables.values[TUNE_SEED] <= UINT32_MAX);
}

static void test_known_names(void)
{
	static const char *const names[] = {
		"type",     "max_entries", "key_size", "value_size", "flags",    "numa_node",
		"kernel",   "cpus",        "engine",   "program",    "spread",   "seed",
		"pin",      "mem",         "--pin",    "--mem",      "--kernel", "--cpus",
		"--engine", "--program",   "--spread", "--seed",
	};
	static const char *const unknown[] = {"",        "--",         "x",      "--x",
					      "--type",  "--nr_scans", "Type",   "max entries",
					      "---seed", "check",      "--check"};

	for (size_t i = 0; i < COUNT(names); i++)
		CU_ASSERT(config_has(names[i]));
	for (int id = 0; id < TUNABLES; id++)
		CU_ASSERT(config_has(tunable_get((enum tunable_id)id)->name));
	for (size_t i = 0; i < COUNT(unknown); i++) {
		struct run_config config;
		struct error error = {.text = ""};

		config_init(&config);
		CU_ASSERT(!config_has(unknown[i]));
		CU_ASSERT_EQUAL(config_set(&config, unknown[i], "1", &error), -EINVAL);
		CU_ASSERT(error.text[0]);
		CU_ASSERT_EQUAL(config_set(&config, unknown[i], "1", NULL), -EINVAL);
	}
}

static void test_bad_values(void)
{
	static const char *const bad[][2] = {
		{"type", "array"},
		{"type", ""},
		{"type", "LRU_HASH"},
		{"max_entries", "x"},
		{"max_entries", ""},
		{"max_entries", "-1"},
		{"max_entries", "4G"},
		{"key_size", "4294967296"},
		{"key_size", "1.5"},
		{"value_size", "8 "},
		{"flags", "fast"},
		{"flags", ""},
		{"flags", "no_prealloc+"},
		{"flags", "numa_node="},
		{"flags", "numa_node=x"},
		{"flags", "no_prealloc,no_common_lru"},
		{"numa_node", "-1"},
		{"kernel", "6"},
		{"kernel", "2.6.32"},
		{"kernel", ""},
		{"cpus", "0"},
		{"cpus", "4097"},
		{"cpus", "all"},
		{"engine", "warp"},
		{"engine", ""},
		{"program", "delete"},
		{"program", ""},
		{"spread", "wide"},
		{"spread", "block:"},
		{"spread", "block:0"},
		{"spread", "block:x"},
		{"--seed", "-1"},
		{"--seed", "random"},
		{"seed", "4294967296"},
		{"pin", "near"},
		{"pin", ""},
		{"mem", "near"},
		{"mem", ""},
		{"nr_scans", "0"},
		{"rotation", "arc"},
		{"alloc", "malloc"},
		{"lookahead", "193"},
		{"sys_lookup_marks", "yes"},
	};

	for (size_t i = 0; i < COUNT(bad); i++) {
		struct run_config config;
		struct error error = {.text = ""};

		config_init(&config);
		if (config_set(&config, bad[i][0], bad[i][1], &error) != -EINVAL)
			report(bad[i][0], bad[i][1]);
		CU_ASSERT(error.text[0] && !strchr(error.text, '\n'));
		CU_ASSERT_EQUAL(config_set(&config, bad[i][0], bad[i][1], NULL), -EINVAL);
	}
}

static void test_map_text(void)
{
	static const char *const maps[][2] = {
		{"type=hash,max_entries=16", "type=hash,max_entries=16,key_size=8,value_size=8"},
		{"max_entries=1M,type=lru_percpu_hash,value_size=4,key_size=2",
		 "type=lru_percpu_hash,max_entries=1048576,key_size=2,value_size=4"},
		{"max_entries=5,flags=no_common_lru",
		 "type=lru_hash,max_entries=5,key_size=8,value_size=8,no_common_lru"},
		{"percpu_hash,max_entries=5",
		 "type=percpu_hash,max_entries=5,key_size=8,value_size=8"},
		{"max_entries=5,no_common_lru",
		 "type=lru_hash,max_entries=5,key_size=8,value_size=8,no_common_lru"},
		{"flags=no_prealloc+no_common_lru,max_entries=1",
		 "type=lru_hash,max_entries=1,key_size=8,value_size=8,no_common_lru,no_prealloc"},
		{"max_entries=1,flags=numa_node=0",
		 "type=lru_hash,max_entries=1,key_size=8,value_size=8,numa_node=0"},
		{"max_entries=1,numa_node=0,no_prealloc",
		 "type=lru_hash,max_entries=1,key_size=8,value_size=8,no_prealloc,numa_node=0"},
		{"BPF_MAP_TYPE_PERCPU_HASH,max_entries=5,BPF_F_NO_PREALLOC",
		 "type=percpu_hash,max_entries=5,key_size=8,value_size=8,no_prealloc"},
		{"type=BPF_MAP_TYPE_LRU_HASH,flags=BPF_F_NO_COMMON_LRU|BPF_F_NO_PREALLOC,max_"
		 "entries=5",
		 "type=lru_hash,max_entries=5,key_size=8,value_size=8,no_common_lru,no_prealloc"},
		{"max_entries=1,max_entries=2",
		 "type=lru_hash,max_entries=2,key_size=8,value_size=8"},
	};

	for (size_t i = 0; i < COUNT(maps); i++) {
		struct run_config config;
		struct error error = {.text = ""};
		char text[160];

		config_init(&config);
		CU_ASSERT_EQUAL(config_set_map(&config, maps[i][0], &error), 0);
		map_config_format(&config.map, text, sizeof(text));
		CU_ASSERT_STRING_EQUAL(text, maps[i][1]);
		/* What is written can be read again. */
		config_init(&config);
		CU_ASSERT_EQUAL(config_set_map(&config, text, &error), 0);
		map_config_format(&config.map, text, sizeof(text));
		CU_ASSERT_STRING_EQUAL(text, maps[i][1]);
	}
}

static void test_bad_map_text(void)
{
	static const char *const texts[] = {"",
					    ",",
					    "max_entries",
					    "max_entries=",
					    "=5",
					    "type",
					    "nr_scans=4",
					    "kernel=6.12",
					    "cpus=4",
					    "array",
					    "type=hash,",
					    ",type=hash",
					    "max_entries=5,fast",
					    "max_entries=5;type=hash"};

	for (size_t i = 0; i < COUNT(texts); i++) {
		struct run_config config;
		struct error error = {.text = ""};

		config_init(&config);
		if (config_set_map(&config, texts[i], &error) != -EINVAL)
			report("map", texts[i]);
		CU_ASSERT(error.text[0]);
	}
}

static void expect_text(const struct record *record, const char *name, const char *expected)
{
	const struct field *field = record_find(record, name);

	CU_ASSERT_PTR_NOT_NULL_FATAL(field);
	CU_ASSERT_STRING_EQUAL(field->text, expected);
}

/* All that it takes to repeat a run. */
static void test_record(void)
{
	static const char *const traces[] = {"a.txt", "gen:scan"};
	struct run_config config;
	struct record record = {0};

	config_init(&config);
	set(&config, "max_entries", "4");
	set(&config, "kernel", "6.12.107");
	set(&config, "cpus", "3");
	set(&config, "spread", "block:9");
	set(&config, "program", "dist");
	set(&config, "nr_scans", "0x10");
	set(&config, "free_target", "auto");
	set(&config, "rotation", "lru");
	config.traces = traces;
	config.trace_count = 2;
	config_finish(&config);
	config_record(&config, &record);
	CU_ASSERT(!record.failed);
	expect_text(&record, "version", VERSION);
	expect_text(&record, "engine", "seq");
	expect_text(&record, "kernel", "6.12.107");
	expect_text(&record, "map", "type=lru_hash,max_entries=4,key_size=8,value_size=8");
	expect_text(&record, "cpus", "3");
	expect_text(&record, "tunables", "rotation=lru nr_scans=16 free_target=auto");
	expect_text(&record, "program", "dist");
	expect_text(&record, "spread", "block:9");
	expect_text(&record, "seed", "1");
	expect_text(&record, "traces", "a.txt gen:scan");
	record_deinit(&record);
}

static void test_engines(void)
{
	struct error error;

	for (int i = 0; engines[i]; i++)
		CU_ASSERT_PTR_EQUAL(engine_find(engines[i]->name, &error), engines[i]);
	CU_ASSERT_PTR_NULL(engine_find("", &error));
	CU_ASSERT_PTR_NULL(engine_find("warp", &error));
	CU_ASSERT_STRING_EQUAL(error.text, "no engine \"warp\"; there are: seq, threads, kernel");
	CU_ASSERT_PTR_NULL(engine_find("warp", NULL));
}

CU_TestInfo config_tests[] = {
	{"defaults", test_defaults},
	{"fields of the map", test_map_fields},
	{"flags", test_flags},
	{"options", test_options},
	{"tunables", test_tunables},
	{"CPUs of the running kernel", test_kernel_cpus},
	{"a random seed", test_random_seed},
	{"known names", test_known_names},
	{"bad values", test_bad_values},
	{"maps as text", test_map_text},
	{"bad maps as text", test_bad_map_text},
	{"records", test_record},
	{"engines", test_engines},
	CU_TEST_INFO_NULL,
};
