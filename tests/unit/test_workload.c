// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What the workloads do, step by step. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/config.h"
#include "tests/unit/unit.h"

#define CPUS 3
#define ENTRIES 300

/* A ready workload for a map of ENTRIES, from settings "NAME=VALUE NAME=VALUE". */
struct fixture {
	struct run_config config;
	struct workload workload;
};

static void configure(struct run_config *config, const char *settings)
{
	char text[200], *rest = text, *item;

	snprintf(text, sizeof(text), "%s", settings);
	config_init(config);
	config->map.cpus = config->cpus_given = CPUS;
	while ((item = strsep(&rest, " "))) {
		char *equals = strchr(item, '=');

		*equals = '\0';
		CU_ASSERT_EQUAL_FATAL(config_set(config, item, equals + 1, NULL), 0);
	}
}

static void setup(struct fixture *fixture, const char *settings)
{
	struct error error = {.text = ""};

	configure(&fixture->config, settings);
	config_finish(&fixture->config);
	CU_ASSERT_EQUAL_FATAL(workload_init(&fixture->workload, &fixture->config, ENTRIES, NULL,
					    &error),
			      0);
}

static struct workload_step next(struct fixture *fixture, uint32_t cpu)
{
	static const struct workload_drawn nothing;
	const struct workload_params *params = &fixture->workload.params;
	struct workload_state *state = &fixture->workload.starts[cpu];
	const struct workload_drawn *drawn = &nothing;

	if (fixture->workload.drawn_count)
		drawn = &fixture->workload.drawn[workload_place(state, params)];
	return workload_next(state, params, drawn);
}

/* Keys that are in a map as large as it takes, by who does what a workload says. */
struct keys {
	bool is_in[100000];
	uint32_t count;
};

/* Whether a step finds its key, which it then has put in or taken out. */
static bool keys_take(struct keys *keys, const struct workload_step *step)
{
	bool *is_in, was_in;

	CU_ASSERT_FATAL(step->key < 100000);
	is_in = &keys->is_in[step->key];
	was_in = *is_in;
	if (step->call == CALL_DELETE)
		*is_in = false;
	else if (step->call != CALL_LOOKUP)
		*is_in = true;
	keys->count = keys->count + *is_in - was_in;
	return was_in;
}

static void keys_fill(struct keys *keys, const struct fixture *fixture)
{
	memset(keys, 0, sizeof(*keys));
	for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
		struct workload_params params = fixture->workload.params;
		struct workload_state state = {.cpu = cpu};

		params.kind = WORKLOAD_FILL;
		for (uint64_t i = workload_fill_operations(&fixture->workload, cpu); i; i--) {
			struct workload_step step = workload_next(&state, &params, NULL);

			CU_ASSERT(step.call == CALL_UPDATE && step.completes);
			keys_take(keys, &step);
		}
	}
	CU_ASSERT_EQUAL(keys->count, fixture->workload.params.filled);
}

static struct keys keys;

static void test_update_random(void)
{
	struct fixture fixture;
	uint64_t all = 0;

	setup(&fixture, "workload=update-random");
	for (int i = 0; i < 1000; i++) {
		struct workload_step step = next(&fixture, 0), other = next(&fixture, 1);

		CU_ASSERT(step.call == CALL_UPDATE && step.completes && step.key <= UINT32_MAX);
		CU_ASSERT_NOT_EQUAL(step.key, other.key);
		all |= step.key;
	}
	CU_ASSERT_EQUAL(all, UINT32_MAX);
	workload_deinit(&fixture.workload);
}

static void test_update_lookup_delete(void)
{
	static const unsigned int calls[] = {CALL_UPDATE, CALL_LOOKUP, CALL_DELETE};
	struct fixture fixture;

	setup(&fixture, "workload=update-lookup-delete");
	keys_fill(&keys, &fixture);
	for (int i = 0; i < 3000; i++) {
		for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
			struct workload_step step = next(&fixture, cpu);

			CU_ASSERT_EQUAL(step.call, calls[i % 3]);
			CU_ASSERT_EQUAL(step.completes, i % 3 == 2);
			CU_ASSERT(step.key < ENTRIES && step.key % CPUS == cpu);
			CU_ASSERT_EQUAL(keys_take(&keys, &step), i % 3 != 0);
		}
	}
	CU_ASSERT_EQUAL(keys.count, 0);
	workload_deinit(&fixture.workload);
}

/* No key is one that is there, nor one that another CPU has had. */
static void test_full_update(void)
{
	struct fixture fixture;

	setup(&fixture, "workload=full-update");
	keys_fill(&keys, &fixture);
	CU_ASSERT_EQUAL(keys.count, ENTRIES);
	for (uint32_t i = 0; i < 1000; i++) {
		struct workload_step step = next(&fixture, i % CPUS);

		CU_ASSERT(step.call == CALL_UPDATE && step.completes);
		CU_ASSERT(!keys_take(&keys, &step));
	}
	workload_deinit(&fixture.workload);
}

static void test_lookup(void)
{
	struct fixture fixture;

	setup(&fixture, "workload=lookup fill=25");
	keys_fill(&keys, &fixture);
	CU_ASSERT_EQUAL(keys.count, ENTRIES / 4);
	for (uint32_t i = 0; i < 1000; i++) {
		struct workload_step step = next(&fixture, i % CPUS);

		CU_ASSERT(step.call == CALL_LOOKUP && step.completes);
		CU_ASSERT(keys_take(&keys, &step));
	}
	workload_deinit(&fixture.workload);
}

/* How many of 10000 look-ups hit. */
static uint32_t hits_of(const char *settings)
{
	struct fixture fixture;
	uint32_t hits = 0;

	setup(&fixture, settings);
	keys_fill(&keys, &fixture);
	for (uint32_t i = 0; i < 10000; i++) {
		struct workload_step step = next(&fixture, 0);

		CU_ASSERT_EQUAL(step.call, CALL_LOOKUP);
		hits += keys_take(&keys, &step);
	}
	workload_deinit(&fixture.workload);
	return hits;
}

static void test_lookup_hit_miss(void)
{
	uint32_t some = hits_of("workload=lookup-hit-miss hits=70.5");

	CU_ASSERT_EQUAL(hits_of("workload=lookup-hit-miss hits=100"), 10000);
	CU_ASSERT_EQUAL(hits_of("workload=lookup-hit-miss hits=0"), 0);
	CU_ASSERT(some > 6850 && some < 7250);
}

/* Every packet is of a flow that lives, and there are always as many as in the beginning. */
static void test_conntrack(void)
{
	struct fixture fixture;
	uint32_t calls[WORKLOAD_CALLS] = {0};

	setup(&fixture, "workload=conntrack fill=20 new-flows=10");
	keys_fill(&keys, &fixture);
	CU_ASSERT_EQUAL(fixture.workload.params.span, ENTRIES / 5 / CPUS);
	for (uint32_t i = 0; i < 30000; i++) {
		struct workload_step step = next(&fixture, i % CPUS);

		CU_ASSERT_EQUAL(keys_take(&keys, &step), step.call != CALL_UPDATE);
		CU_ASSERT(keys.count >= ENTRIES / 5 && keys.count <= ENTRIES / 5 + CPUS);
		calls[step.call]++;
	}
	CU_ASSERT(calls[CALL_UPDATE] > 2400 && calls[CALL_UPDATE] < 3000);
	CU_ASSERT(calls[CALL_DELETE] + CPUS >= calls[CALL_UPDATE]);
	CU_ASSERT_EQUAL(calls[CALL_LOOKUP], 0);
	workload_deinit(&fixture.workload);
}

/* The most popular of n flows has a share of 1 / (1 + 1/2 + ... + 1/n). */
static void test_conntrack_is_zipf(void)
{
	static uint32_t uses[ENTRIES];
	struct fixture fixture;
	uint32_t most = 0;
	double sum = 0;

	setup(&fixture, "workload=conntrack fill=100 new-flows=0 running=1");
	for (uint32_t i = 0; i < 65536; i++)
		uses[next(&fixture, 0).key]++;
	for (uint32_t i = 0; i < ENTRIES; i++) {
		most = uses[i] > most ? uses[i] : most;
		sum += 1.0 / (i + 1);
	}
	CU_ASSERT(most > 0.97 * 65536 / sum && most < 1.03 * 65536 / sum);
	workload_deinit(&fixture.workload);
}

/* What is looked up and deleted was started; never more are in flight than may be. */
static void test_start_done(void)
{
	struct fixture fixture;
	uint32_t done = 0;

	setup(&fixture, "workload=start-done think=100");
	memset(&keys, 0, sizeof(keys));
	for (uint32_t i = 0; i < 3000; i++) {
		struct workload_step step = next(&fixture, 1);

		CU_ASSERT_EQUAL(step.thinks, step.call == CALL_UPDATE);
		CU_ASSERT_EQUAL(step.completes, step.call == CALL_DELETE);
		CU_ASSERT_EQUAL(keys_take(&keys, &step), step.call != CALL_UPDATE);
		CU_ASSERT(keys.count <= WORKLOAD_IN_FLIGHT);
		CU_ASSERT_EQUAL(step.key % CPUS, 1);
		done += step.completes;
	}
	CU_ASSERT_EQUAL(done,
			(3000 - WORKLOAD_IN_FLIGHT) / 3 + (3000 - WORKLOAD_IN_FLIGHT) % 3 / 2);
	workload_deinit(&fixture.workload);
}

static void replay(struct fixture *fixture, const char *const *traces, size_t count)
{
	struct error error = {.text = ""};

	configure(&fixture->config, "workload=replay");
	fixture->config.traces = traces;
	fixture->config.trace_count = count;
	config_finish(&fixture->config);
	CU_ASSERT_EQUAL_FATAL(workload_init(&fixture->workload, &fixture->config, ENTRIES, NULL,
					    &error),
			      0);
}

/* Each CPU has its own operations in their order, and begins again behind the last. */
static void test_replay(void)
{
	static const char *const traces[] = {"gen:scan,range=10,count=10",
					     "gen:scan,range=4,count=4"};
	static const uint64_t keys_of_cpu[CPUS][5] = {{0, 3, 6, 9, 2},
						      {1, 4, 7, 0, 3},
						      {2, 5, 8, 1, 2}};
	struct fixture fixture;

	replay(&fixture, traces, 2);
	CU_ASSERT_EQUAL(fixture.workload.drawn_count, 14);
	for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
		CU_ASSERT(fixture.workload.starts[cpu].length >= 4);
		for (uint32_t i = 0; i < 3 * fixture.workload.starts[cpu].length; i++) {
			struct workload_step step = next(&fixture, cpu);
			uint32_t place = i % fixture.workload.starts[cpu].length;

			CU_ASSERT(step.call == CALL_ACCESS && step.completes);
			if (place < 4)
				CU_ASSERT(place == 3 || step.key == keys_of_cpu[cpu][place]);
		}
	}
	workload_deinit(&fixture.workload);
}

static void expect_error(const char *settings, const char *trace, const char *text)
{
	struct error error = {.text = ""};
	struct run_config config;
	struct workload workload;

	configure(&config, settings);
	config.traces = &trace;
	config.trace_count = trace ? 1 : 0;
	config_finish(&config);
	CU_ASSERT(workload_init(&workload, &config, ENTRIES, NULL, &error) < 0);
	CU_ASSERT_PTR_NOT_NULL(strstr(error.text, text));
	workload_deinit(&workload);
}

static void test_what_does_not_fit(void)
{
	expect_error("workload=lookup running=4", NULL, "--running 4: expected a number 1..3");
	expect_error("workload=lookup fill=0", NULL, "one for each CPU that works, 3");
	expect_error("workload=conntrack fill=0", NULL, "one for each CPU that works, 3");
	expect_error("workload=lookup", "gen:scan,count=1", "lookup takes no traces");
	expect_error("workload=replay", NULL, "no trace given");
	expect_error("workload=replay", "gen:scan,range=2,count=2", "no operation on CPU 2");
	expect_error("workload=replay --program=dist", "gen:scan,count=9", "what a program does");
	expect_error("workload=replay", "gen:nothing", "nothing");
}

static void test_settings(void)
{
	static const char *const bad[][2] = {
		{"workload", "sleep"}, {"running", "0"}, {"operations", "0"}, {"seconds", "0"},
		{"warmup", "-1"},      {"repeat", "0"},  {"fill", "101"},     {"hits", "100.5"},
		{"new-flows", "x"},    {"theta", "-1"},  {"think", "1h"},     {"nothing", "1"},
	};
	struct workload_config config;

	workload_config_init(&config);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct error error = {.text = ""};

		CU_ASSERT_EQUAL(workload_config_set(&config, bad[i][0], bad[i][1], &error),
				-EINVAL);
		CU_ASSERT_PTR_NOT_NULL(strstr(error.text, bad[i][0]));
	}
	CU_ASSERT(workload_config_has("think") && !workload_config_has("thinks"));
	CU_ASSERT_STRING_EQUAL(workload_config_field("hits"), "hits_asked");
	CU_ASSERT_PTR_NULL(workload_config_field("kernel"));
}

/* A workload's own map holds as far as no other was given. */
static void test_default_maps(void)
{
	static const char *const cases[][2] = {
		{"workload=update-random",
		 "type=lru_hash,max_entries=10000,key_size=4,value_size=8,no_common_lru"},
		{"workload=update-random type=hash",
		 "type=hash,max_entries=10000,key_size=4,value_size=8"},
		{"workload=update-random flags=none max_entries=5",
		 "type=lru_hash,max_entries=5,key_size=4,value_size=8"},
		{"value_size=100 workload=lookup key_size=16",
		 "type=hash,max_entries=65536,key_size=16,value_size=100"},
		{"flags=no_prealloc workload=lookup",
		 "type=hash,max_entries=65536,key_size=4,value_size=8,no_prealloc"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[MAP_CONFIG_TEXT_BYTES];
		struct run_config config;

		configure(&config, cases[i][0]);
		config_finish(&config);
		config_finish(&config);
		map_config_format(&config.map, text, sizeof(text));
		CU_ASSERT_STRING_EQUAL(text, cases[i][1]);
	}
}

/* A run of a sweep is a config that was finished, and then set further. */
static void test_defaults_give_way(void)
{
	char text[MAP_CONFIG_TEXT_BYTES];
	struct run_config config;

	configure(&config, "workload=update-random");
	config_finish(&config);
	CU_ASSERT_EQUAL(config_set(&config, "type", "hash", NULL), 0);
	config_finish(&config);
	map_config_format(&config.map, text, sizeof(text));
	CU_ASSERT_STRING_EQUAL(text, "type=hash,max_entries=10000,key_size=4,value_size=8");
	CU_ASSERT_EQUAL(config_set(&config, "type", "lru_hash", NULL), 0);
	CU_ASSERT_EQUAL(config_set(&config, "flags", "no_common_lru", NULL), 0);
	CU_ASSERT_EQUAL(config_set(&config, "workload", "lookup", NULL), 0);
	config_finish(&config);
	map_config_format(&config.map, text, sizeof(text));
	CU_ASSERT_STRING_EQUAL(text, "type=lru_hash,max_entries=65536,key_size=4,value_size=8,no_"
				     "common_lru");
}

CU_TestInfo workload_tests[] = {
	{"update-random", test_update_random},
	{"update-lookup-delete", test_update_lookup_delete},
	{"full-update", test_full_update},
	{"lookup", test_lookup},
	{"lookup-hit-miss", test_lookup_hit_miss},
	{"conntrack", test_conntrack},
	{"conntrack is Zipf", test_conntrack_is_zipf},
	{"start-done", test_start_done},
	{"replay", test_replay},
	{"what does not fit", test_what_does_not_fit},
	{"settings", test_settings},
	{"default maps", test_default_maps},
	{"defaults give way", test_defaults_give_way},
	CU_TEST_INFO_NULL,
};
