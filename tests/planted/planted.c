// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Plants each fault of model/fault.h in the checking flavour, and wants it found by random cases
 * and made small; and nothing found without a fault, in as many cases as the longest search took.
 *
 * usage: planted [--tap] [--against ENGINE] [FAULT...]
 *
 * The model is compared with ENGINE: seq by default. Prints lines of the Test Anything Protocol.
 * Exit 0: all is as wanted, or --tap says what is not; 1: something is not; 2: usage; 77: the
 * engine cannot run here.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/fault.h"
#include "sim/engine_model.h"
#include "sim/hunt.h"
#include "sim/verify.h"

#define SEED 1
#define CASES_MAX 20000 /* a fault that takes more is as good as not found */
#define SECONDS_MAX 60
#define CASES_NONE 300    /* at least, without a fault */
#define OPERATIONS_MAX 40 /* of a small case */

/* The checking flavour's. */
extern const struct model_ops check_model_ops;
extern enum fault check_fault_planted;

static const struct engine engine_check = {
	.name = "check",
	.summary = "the model, its locks checked and faults planted",
	.model = &check_model_ops,
	ENGINE_MODEL_RUN_CALLS,
	ENGINE_MODEL_CALLS,
};

/* Where a fault shows. */
struct planted_fault {
	const char *name;
	const char *kernel; /* NULL: any; else the running kernel may have no such release */
	uint32_t cpus;      /* 0: 2 */
};

static const struct planted_fault faults[FAULTS] = {
	[FAULT_ROTATE_ONE_MORE] = {.name = "rotate_one_more"},
	[FAULT_ROTATE_WHEN_SAME] = {.name = "rotate_when_same"},
	[FAULT_CURSOR_STAYS] = {.name = "cursor_stays"},
	[FAULT_SHRINK_ONE_MORE] = {.name = "shrink_one_more"},
	[FAULT_SHRINK_USED] = {.name = "shrink_used"},
	[FAULT_BIT_STAYS] = {.name = "bit_stays"},
	[FAULT_TARGET_ONE_MORE] = {.name = "target_one_more"},
	[FAULT_FLUSH_FROM_HEAD] = {.name = "flush_from_head"},
	[FAULT_STEAL_FROM_HEAD] = {"steal_from_head", "6.12", 4},
	[FAULT_STEAL_AT_SELF] = {"steal_at_self", "6.12", 4},
	[FAULT_GIVE_BACK_TO_OWN] = {.name = "give_back_to_own"},
	[FAULT_PERCPU_OWN_LIST] = {.name = "percpu_own_list"},
	[FAULT_LOOKUP_UNMARKED] = {.name = "lookup_unmarked"},
	[FAULT_SYSCALL_MARKS] = {.name = "syscall_marks"},
	[FAULT_UPDATE_UNMARKED] = {.name = "update_unmarked"},
	[FAULT_NOEXIST_KEEPS] = {.name = "noexist_keeps"},
	[FAULT_EXIST_TAKES_NODE] = {.name = "exist_takes_node"},
	[FAULT_UPDATE_IN_PLACE] = {.name = "update_in_place"},
	[FAULT_SPARE_UNUSED] = {.name = "spare_unused"},
	[FAULT_ONE_TOO_MANY] = {.name = "one_too_many"},
	[FAULT_VALUES_LEFT] = {.name = "values_left"},
	[FAULT_NEXT_OF_MISSING] = {.name = "next_of_missing"},
	[FAULT_BATCH_ROOM] = {.name = "batch_room"},
	[FAULT_BATCH_CURSOR] = {.name = "batch_cursor"},
};

struct planted {
	struct run_config config;
	struct hunt_options options;
	uint64_t cases_most; /* that a fault took */
	unsigned int number, failed;
};

static void report(struct planted *planted, bool is_good, const char *what, const char *detail)
{
	planted->failed += !is_good;
	printf("%sok %u - %s%s%s\n", is_good ? "" : "not ", ++planted->number, what,
	       detail[0] ? ": " : "", detail);
	fflush(stdout);
}

static void print_comment(const char *text)
{
	while (text && *text) {
		size_t length = strcspn(text, "\n");

		printf("# %.*s\n", (int)length, text);
		text += length + (text[length] == '\n');
	}
}

static void print_difference(const struct planted *planted, const struct hunt_result *result)
{
	char *command = hunt_command(&planted->options, result, "TRACE"), text[1024];

	print_comment(command);
	free(command);
	compare_describe(&result->difference, planted->options.engines, text, sizeof(text));
	print_comment(text);
	print_comment(result->difference.text);
}

/* The result in a line, and what it is made of when it is not as it should be. */
static void report_found(struct planted *planted, enum fault fault,
			 const struct hunt_result *result)
{
	char what[64], detail[512];
	bool is_small = result->is_found && result->is_repeatable &&
			result->fuzz.ops.count <= OPERATIONS_MAX;

	snprintf(what, sizeof(what), "%s is found", faults[fault].name);
	if (result->is_found)
		snprintf(detail, sizeof(detail),
			 "%" PRIu64 " cases, %.2f s; %" PRIu64 " operations, made %zu",
			 result->cases, result->seconds, result->case_operations,
			 result->fuzz.ops.count);
	else
		snprintf(detail, sizeof(detail), "not in %" PRIu64 " cases, %.2f s", result->cases,
			 result->seconds);
	report(planted, is_small, what, detail);
	if (result->is_found && !is_small)
		print_difference(planted, result);
}

/*
 * The fault's release and CPUs; the running kernel's own where that is compared with. False when it
 * cannot be had.
 */
static bool configure(struct planted *planted, const struct planted_fault *fault)
{
	const struct engine *against = planted->options.engines[1];
	struct run_config *config = &planted->config;
	struct error error;

	if (against->is_running_kernel && fault->kernel)
		return false;
	config_init(config);
	config->engine = &engine_check;
	config->cpus_given = config->map.cpus = fault->cpus ? fault->cpus : 2;
	if (fault->kernel && config_set(config, "--kernel", fault->kernel, &error))
		return false;
	if (against->is_running_kernel)
		config->cpus_given = 0;
	if (verify_finish_config(config, against, &error))
		return false;
	planted->options.config = config;
	planted->options.cpus = hunt_cpus(config, planted->options.engines, &error);
	return planted->options.cpus > 0;
}

/* 0, or what makes further tests futile. */
static int test_fault(struct planted *planted, enum fault fault)
{
	struct hunt_result result;
	struct error error = {.text = ""};
	int err;

	if (!configure(planted, &faults[fault])) {
		printf("ok %u - %s # SKIP shows on other releases or more CPUs\n",
		       ++planted->number, faults[fault].name);
		return 0;
	}
	check_fault_planted = fault;
	planted->options.cases_max = CASES_MAX;
	err = hunt_run(&planted->options, &result, &error);
	check_fault_planted = FAULT_NONE;
	if (err && error.is_missing)
		printf("1..0 # SKIP %s\n", error.text);
	else if (err)
		report(planted, false, faults[fault].name, error.text);
	else
		report_found(planted, fault, &result);
	if (!err && result.is_found && planted->cases_most < result.cases)
		planted->cases_most = result.cases;
	hunt_result_deinit(&result);
	return error.is_missing ? -ENXIO : err;
}

static void test_none(struct planted *planted)
{
	struct hunt_result result;
	struct error error = {.text = ""};
	char detail[64];
	int err;

	if (!configure(planted, &faults[FAULT_NONE]))
		return;
	planted->options.cases_max =
		planted->cases_most > CASES_NONE ? planted->cases_most : CASES_NONE;
	err = hunt_run(&planted->options, &result, &error);
	snprintf(detail, sizeof(detail), "%" PRIu64 " cases, %" PRIu64 " operations, %.2f s",
		 result.cases, result.operations, result.seconds);
	report(planted, !err && !result.is_found, "nothing is found without a fault",
	       err ? error.text : detail);
	if (result.is_found)
		print_difference(planted, &result);
	hunt_result_deinit(&result);
}

static bool is_wanted(enum fault fault, char **names, int count)
{
	for (int i = 0; i < count; i++) {
		if (!strcmp(names[i], faults[fault].name))
			return true;
	}
	return !count;
}

int main(int argc, char **argv)
{
	struct planted planted = {.options = {.seed = SEED, .seconds = SECONDS_MAX, .jobs = 1}};
	struct error error = {.text = ""};
	const char *against = "seq";
	bool is_tap = argc > 1 && !strcmp(argv[1], "--tap");
	int first = 1 + is_tap, err = 0;

	if (first + 1 < argc && !strcmp(argv[first], "--against")) {
		against = argv[first + 1];
		first += 2;
	}
	planted.options.engines[0] = &engine_check;
	planted.options.engines[1] = engine_find(against, &error);
	if (!planted.options.engines[1]) {
		fprintf(stderr, "%s\n", error.text);
		return 2;
	}
	for (int fault = FAULT_NONE + 1; !err && fault < FAULTS; fault++) {
		if (is_wanted((enum fault)fault, argv + first, argc - first))
			err = test_fault(&planted, (enum fault)fault);
	}
	if (err == -ENXIO)
		return 77;
	if (!err)
		test_none(&planted);
	printf("1..%u\n", planted.number);
	return planted.failed && !is_tap;
}
