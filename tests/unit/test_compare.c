// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Two engines side by side: the model, and the model with a fault. */
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/fault.h"
#include "sim/compare.h"
#include "sim/engine_model.h"
#include "sim/hunt.h"
#include "sim/verify.h"

extern const struct model_ops check_model_ops;
extern enum fault check_fault_planted;

static const struct engine engine_check = {
	.name = "check",
	.model = &check_model_ops,
	ENGINE_MODEL_RUN_CALLS,
	ENGINE_MODEL_CALLS,
};

static const struct engine *const both[] = {&engine_seq, &engine_check};

/* Operations from "0U1 1l2": CPU, letter, key, of one digit each. */
static void make_ops(struct op_batch *batch, const char *text)
{
	CU_ASSERT_EQUAL(op_batch_init(batch, strlen(text) + 1, false, false), 0);
	for (; strlen(text) >= 3; text += text[3] ? 4 : 3) {
		struct map_op *op = &batch->ops[batch->count++];

		memset(op, 0, sizeof(*op));
		op->cpu = (uint16_t)(text[0] - '0');
		CU_ASSERT_EQUAL(op_from_letter(text[1], &op->code, &op->context), 0);
		op->key = (uint64_t)(text[2] - '0');
	}
}

/* Half of the keys of some buckets are updated again, and move to their heads. */
#define UPDATES "0U0 0U1 0U2 0U3 0U4 0U5 0U6 0U7 0U0 0U1 0U2 0U3"

/* What differs in a map, with a fault. */
static int compare_ops(const char *map, enum fault fault, const char *text,
		       struct compare_difference *difference)
{
	struct compare *compare;
	struct run_config config;
	struct op_batch batch;
	struct error error = {.text = ""};
	int ret;

	config_init(&config);
	config.map.cpus = 2;
	CU_ASSERT_EQUAL(config_set_map(&config, map, &error), 0);
	config_finish(&config);
	make_ops(&batch, text);
	memset(difference, 0, sizeof(*difference));
	CU_ASSERT_EQUAL_FATAL(compare_create(both[0], both[1], &compare), 0);
	check_fault_planted = fault;
	ret = compare_all(compare, &config, &batch, difference, &error);
	check_fault_planted = FAULT_NONE;
	compare_destroy(compare);
	op_batch_deinit(&batch);
	return ret;
}

static void check_described(const struct compare_difference *difference, const char *wanted)
{
	char text[256];

	compare_describe(difference, both, text, sizeof(text));
	CU_ASSERT_STRING_EQUAL(text, wanted);
}

static void test_same(void)
{
	struct compare_difference difference;

	CU_ASSERT_EQUAL(compare_ops("hash,max_entries=2", FAULT_NONE,
				    "0U1 1U2 0U3 0L1 1k1 0b9 0D1 1p2 1l2", &difference),
			0);
	CU_ASSERT_EQUAL(difference.kind, COMPARE_SAME);
	CU_ASSERT_PTR_NULL(difference.text);
}

static void test_return(void)
{
	struct compare_difference difference;

	CU_ASSERT_EQUAL(compare_ops("hash,max_entries=1,no_prealloc", FAULT_ONE_TOO_MANY,
				    "0U1 1l1 0U2 0L2 0L1 0L2 0L1", &difference),
			1);
	CU_ASSERT_EQUAL(difference.kind, COMPARE_RETURN);
	CU_ASSERT_EQUAL(difference.index, 2);
	check_described(&difference, "operation 2: seq returned -7 (E2BIG), check 0");
	CU_ASSERT_STRING_EQUAL(difference.text, "--- seq\n"
						"+++ check\n"
						"         0  0 U 1                     0\n"
						"         1  1 l 1                     0\n"
						"-        2  0 U 2                     -E2BIG\n"
						"+        2  0 U 2                     0\n"
						"-        3  0 L 2                     -ENOENT\n"
						"+        3  0 L 2                     0 read=2\n"
						"         4  0 L 1                     0\n"
						"-        5  0 L 2                     -ENOENT\n"
						"+        5  0 L 2                     0 read=2\n");
	compare_difference_deinit(&difference);
}

static void test_detail(void)
{
	struct compare_difference difference;

	CU_ASSERT_EQUAL(compare_ops("hash,max_entries=1", FAULT_BATCH_ROOM, "0U1 0b1", &difference),
			1);
	CU_ASSERT_EQUAL(difference.kind, COMPARE_RETURN);
	compare_difference_deinit(&difference);
	CU_ASSERT_EQUAL(compare_ops("hash,max_entries=8", FAULT_UPDATE_IN_PLACE,
				    UPDATES " 0k0 0k1 0k2 0k3 0k4 0k5 0k6 0k7", &difference),
			1);
	CU_ASSERT(difference.index >= 12);
	CU_ASSERT_EQUAL(difference.kind, COMPARE_DETAIL);
	CU_ASSERT_EQUAL(difference.answers[0].ret, 0);
	CU_ASSERT_EQUAL(difference.answers[1].ret, 0);
	CU_ASSERT_NOT_EQUAL(difference.answers[0].detail, difference.answers[1].detail);
	compare_difference_deinit(&difference);
}

static void test_read(void)
{
	struct compare_difference difference;

	CU_ASSERT_EQUAL(compare_ops("percpu_hash,max_entries=1", FAULT_VALUES_LEFT,
				    "0U1 0D1 1U1 0L1", &difference),
			0);
	CU_ASSERT_EQUAL(compare_ops("percpu_hash,max_entries=1", FAULT_VALUES_LEFT,
				    "0L1 0U1 0D1 1U2 0L2", &difference),
			1);
	CU_ASSERT_EQUAL(difference.kind, COMPARE_READ);
	CU_ASSERT_EQUAL(difference.index, 4);
	check_described(&difference, "operation 4: what seq read folds to 0, what check read to 1");
	compare_difference_deinit(&difference);
}

static void test_order(void)
{
	struct compare_difference difference;

	CU_ASSERT_EQUAL(compare_ops("hash,max_entries=8", FAULT_UPDATE_IN_PLACE, UPDATES,
				    &difference),
			1);
	CU_ASSERT_EQUAL(difference.kind, COMPARE_ORDER);
	CU_ASSERT_EQUAL(difference.entries[0], difference.entries[1]);
	CU_ASSERT_NOT_EQUAL(difference.keys[0], difference.keys[1]);
	CU_ASSERT_PTR_NOT_NULL_FATAL(difference.text);
	CU_ASSERT_PTR_NOT_NULL(strstr(difference.text, "- entries "));
	compare_difference_deinit(&difference);
	/* One has keys that the other has not. */
	CU_ASSERT_EQUAL(compare_ops("hash,max_entries=4", FAULT_BATCH_CURSOR, "0U1", &difference),
			0);
}

/* The first operation of a batch differs: what was before it is shown. */
static void test_tail(void)
{
	char text[4 * (COMPARE_BATCH + 1) + 1] = "";
	struct compare_difference difference;

	for (size_t i = 0; i < COMPARE_BATCH; i++)
		memcpy(text + 4 * i, "0U1 ", 4);
	memcpy(text + 4 * (size_t)COMPARE_BATCH, "1U2", 4);
	CU_ASSERT_EQUAL(compare_ops("hash,max_entries=1,no_prealloc", FAULT_ONE_TOO_MANY, text,
				    &difference),
			1);
	CU_ASSERT_EQUAL(difference.index, COMPARE_BATCH);
	CU_ASSERT_PTR_NOT_NULL_FATAL(difference.text);
	CU_ASSERT_PTR_NOT_NULL(strstr(difference.text, "      4095  0 U 1  "));
	CU_ASSERT_PTR_NOT_NULL(strstr(difference.text, "-     4096  1 U 2  "));
	compare_difference_deinit(&difference);
}

static void test_refused(void)
{
	struct compare_difference difference;

	CU_ASSERT(compare_ops("hash,max_entries=0", FAULT_NONE, "0U1", &difference) < 0);
}

/* The jobs do not matter: the first case that differs is the same. */
static void test_hunt(void)
{
	uint64_t numbers[2];
	size_t counts[2];

	for (uint32_t jobs = 1; jobs <= 2; jobs++) {
		struct run_config config;
		struct hunt_options options = {.engines = {both[0], both[1]},
					       .config = &config,
					       .cpus = 2,
					       .seed = 3,
					       .seconds = 60,
					       .cases_max = 5000,
					       .jobs = jobs};
		struct hunt_result result;
		struct error error;

		config_init(&config);
		config.map.cpus = 2;
		config_finish(&config);
		check_fault_planted = FAULT_UPDATE_IN_PLACE;
		CU_ASSERT_EQUAL(hunt_run(&options, &result, &error), 0);
		check_fault_planted = FAULT_NONE;
		CU_ASSERT(result.is_found && result.is_repeatable);
		numbers[jobs - 1] = result.case_number;
		counts[jobs - 1] = result.fuzz.ops.count;
		hunt_result_deinit(&result);
	}
	CU_ASSERT_EQUAL(numbers[0], numbers[1]);
	CU_ASSERT_EQUAL(counts[0], counts[1]);
}

/* What was written is a trace that differs, and says how to see it. */
static void test_hunt_write(void)
{
	struct run_config config;
	struct hunt_options options = {.engines = {both[0], both[1]},
				       .config = &config,
				       .seed = 9,
				       .cpus = 2};
	struct hunt_result result = {.is_found = true, .case_number = 5};
	char path[] = "/tmp/mapsim-test-XXXXXX", text[2048] = "", *command;
	struct error error = {.text = ""};
	FILE *file;
	int fd = mkstemp(path);

	CU_ASSERT_FATAL(fd >= 0);
	config_init(&config);
	config.map.cpus = 2;
	CU_ASSERT_EQUAL(config_set(&config, "nr_scans", "3", &error), 0);
	config_finish(&config);
	result.fuzz.attr = (struct map_attr){.type = MAP_HASH,
					     .key_size = 8,
					     .value_size = 8,
					     .max_entries = 3};
	make_ops(&result.fuzz.ops, "0U1 1l2");
	result.difference = (struct compare_difference){.kind = COMPARE_ORDER};
	CU_ASSERT_EQUAL(hunt_write(&options, &result, path, &error), 0);
	file = fdopen(fd, "r");
	CU_ASSERT_PTR_NOT_NULL_FATAL(file);
	fclose(file);
	file = fopen(path, "re");
	CU_ASSERT_PTR_NOT_NULL_FATAL(file);
	CU_ASSERT(fread(text, 1, sizeof(text) - 1, file) > 0);
	fclose(file);
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "\n# mapsim verify -m type=hash,max_entries=3,key_size"
					    "=8,value_size=8 -k "));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, " -s nr_scans=3 -c 2 -e seq --against check /tmp/"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "\n# case 5 of --fuzz with --seed 9\n0 U 1\n1 l 2\n"));
	remove(path);
	/* The command is one for a shell, whatever the file is called, and however long. */
	memset(text, 'x', 2000);
	strcpy(text, "a b's");
	text[5] = 'x';
	text[2000] = '\0';
	command = hunt_command(&options, &result, text);
	CU_ASSERT_PTR_NOT_NULL_FATAL(command);
	CU_ASSERT_PTR_NOT_NULL(strstr(command, " 'a b'\\''sxxx"));
	CU_ASSERT_EQUAL(strspn(strrchr(command, 's') + 1, "x"), 1995);
	CU_ASSERT_STRING_EQUAL(command + strlen(command) - 2, "x'");
	free(command);
	hunt_result_deinit(&result);
}

CU_TestInfo compare_tests[] = {
	{"no difference", test_same},
	{"a return", test_return},
	{"a detail", test_detail},
	{"what was read", test_read},
	{"the order", test_order},
	{"at the beginning of a batch", test_tail},
	{"a map that is refused", test_refused},
	{"hunting with jobs", test_hunt},
	{"a case that is written", test_hunt_write},
	CU_TEST_INFO_NULL,
};
