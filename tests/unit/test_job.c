// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <CUnit/CUnit.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sim/job.h"
#include "tests/unit/unit.h"

static int read_text(const char *text, struct job *job, struct error *error)
{
	FILE *file = fmemopen((void *)text, strlen(text), "r");
	int err;

	CU_ASSERT_PTR_NOT_NULL_FATAL(file);
	err = job_read(file, "a/job", job, error);
	fclose(file);
	return err;
}

static void check_entry(const struct job_entry *entry, const char *section, const char *name,
			const char *value, unsigned int line)
{
	CU_ASSERT_STRING_EQUAL(entry->section, section);
	CU_ASSERT_STRING_EQUAL(entry->name, name);
	CU_ASSERT_STRING_EQUAL(entry->value, value);
	CU_ASSERT_EQUAL(entry->line, line);
}

static void test_read(void)
{
	struct error error = {.text = ""};
	struct job job;

	CU_ASSERT_EQUAL_FATAL(read_text("[vary]\n--seed = 1, 2\n\t3,\n\n  4\n[traces]\r\ntrace=a "
					"b\r\n gen:zipf,count=1\ntrace = c\n[run]\n--cpus: 4",
					&job, &error),
			      0);
	CU_ASSERT_EQUAL_FATAL(job.count, 5);
	check_entry(&job.entries[0], "vary", "--seed", "1,2,3,4", 2);
	check_entry(&job.entries[1], "traces", "trace", "a b", 7);
	check_entry(&job.entries[2], "traces", "trace", "gen:zipf,count=1", 8);
	check_entry(&job.entries[3], "traces", "trace", "c", 9);
	check_entry(&job.entries[4], "run", "cpus", "4", 11);
	job_deinit(&job);
	job_deinit(&job);
}

/* Behind a blank, # and ; begin one; within a word they do not. */
static void test_comments(void)
{
	struct error error = {.text = ""};
	struct job job;

	CU_ASSERT_EQUAL_FATAL(
		read_text("# one\n ; two\n[map] # three\nkey_size = 16 # bytes; really\n"
			  "value_size = 8 ; # bytes\n[traces]\ntrace = a#b;c\n  d\t# e\n"
			  "  # f\n  g #",
			  &job, &error),
		0);
	CU_ASSERT_EQUAL_FATAL(job.count, 5);
	check_entry(&job.entries[0], "map", "key_size", "16", 4);
	check_entry(&job.entries[1], "map", "value_size", "8", 5);
	check_entry(&job.entries[2], "traces", "trace", "a#b;c", 7);
	check_entry(&job.entries[3], "traces", "trace", "d", 8);
	check_entry(&job.entries[4], "traces", "trace", "g", 10);
	job_deinit(&job);
}

static int count_other(void *arg, const struct job_entry *entry, struct error *error)
{
	unsigned int *count = arg;

	(*count)++;
	return strcmp(entry->value, "wrong") ? 0 : error_set(error, -EINVAL, "is wrong");
}

/* All that config_set() knows is taken, and nothing else. */
static void test_apply(void)
{
	struct error error = {.text = ""};
	struct run_config config;
	unsigned int others = 0;
	struct job job;

	config_init(&config);
	CU_ASSERT_EQUAL_FATAL(read_text("[map]\nmax_entries = 7\nflags = no_common_lru\n[run]\n"
					"cpus = 4\ncheck = yes\n[tunables]\nseed = 3\n[vary]\nx = "
					"y\n[traces]\ntrace = t\n[output]\nq = wrong\n",
					&job, &error),
			      0);
	CU_ASSERT_EQUAL(job_apply(&job, &config, count_other, &others, &error), -EINVAL);
	CU_ASSERT_STRING_EQUAL(error.text, "a/job:14: is wrong");
	CU_ASSERT_EQUAL(others, 4);
	CU_ASSERT_EQUAL(config.map.attr.max_entries, 7);
	CU_ASSERT_EQUAL(config.map.attr.flags, MAP_NO_COMMON_LRU);
	CU_ASSERT_EQUAL(config.map.cpus, 4);
	CU_ASSERT_TRUE(config.map.is_overridden[TUNE_SEED]);
	CU_ASSERT_EQUAL(config.seed, 1);
	job_deinit(&job);
}

static void check_trace(const struct job *job, const char *spec, const char *expected)
{
	char *trace = job_trace(job, spec);

	CU_ASSERT_STRING_EQUAL(trace, expected);
	free(trace);
}

static void test_traces(void)
{
	struct job job = {.path = (char *)"a/b/job"}, here = {.path = (char *)"job"};

	check_trace(&job, "t", "a/b/t");
	check_trace(&job, "keys:../t", "keys:a/b/../t");
	check_trace(&job, "/t", "/t");
	check_trace(&job, "-", "-");
	check_trace(&job, "text:-", "text:-");
	check_trace(&job, "gen:zipf", "gen:zipf");
	check_trace(&here, "t", "t");
}

static void check_refused(const char *text, const char *expected)
{
	struct error error = {.text = ""};
	struct job job;

	CU_ASSERT_EQUAL(read_text(text, &job, &error), -EINVAL);
	CU_ASSERT_STRING_EQUAL(error.text, expected);
}

static void test_errors(void)
{
	check_refused("[run]\ncpus=1\n[map]\n[run]\n--cpus=1\n",
		      "a/job:5: \"cpus\" of [run] is given twice, first in line 2");
	check_refused("[run]\n cpus = 1\n seed = 2\n",
		      "a/job:3: is indented, and so goes on with \"cpus\" of line 2, which is no "
		      "list");
	check_refused("[runs]", "a/job:1: no section [runs]; there are [map], [run], [tunables], "
				"[vary], [traces], [output]");
	check_refused("x", "a/job:1: expected [section], name = value, or a comment behind # or ;");
}

CU_TestInfo job_tests[] = {
	{"reading", test_read},      {"applying", test_apply}, {"paths of traces", test_traces},
	{"comments", test_comments}, {"errors", test_errors},  CU_TEST_INFO_NULL,
};
