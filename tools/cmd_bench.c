// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/bench.h"
#include "sim/engine.h"
#include "tools/options.h"
#include "tools/progress.h"

struct bench_command {
	bool per_cpu;
	enum output_format format;
	bool is_quiet;
};

static const struct cli_option per_cpu_table[] = {
	{"per-cpu", 0, NULL, "what each CPU did, too"},
};

static int set_per_cpu(void *state, const struct cli_option *option, const char *value,
		       struct error *error)
{
	struct bench_command *bench = state;

	(void)option;
	(void)value;
	(void)error;
	bench->per_cpu = true;
	return 0;
}

static const struct cli_group per_cpu_group = {per_cpu_table, 1, set_per_cpu};

static void show_progress(void *progress, uint64_t done, uint64_t total)
{
	progress_update(progress, done, total);
}

/* The figures that are shown even when they are 0: all up to fairness. */
static size_t core_fields(const struct record *record)
{
	const struct field *last = record_find(record, "fairness");

	return last ? (size_t)(last - record->fields) + 1 : record->count;
}

static int print_result(const struct run_config *config, const struct bench_result *result,
			const struct bench_command *bench)
{
	uint32_t count = bench->per_cpu && result->median.cpus ? result->cpus : 0;
	struct record *cpus = calloc(count + 1, sizeof(*cpus));
	struct output_list list = {"per_cpu", cpus, count};
	struct record record = {0};
	int err;

	if (!cpus)
		return -ENOMEM;
	if (count && bench->format == OUTPUT_CSV)
		record_add_text(&record, "cpu", "all");
	config_record(config, &record);
	bench_record(result, &record);
	for (uint32_t cpu = 0; cpu < count; cpu++)
		bench_record_cpu(result, cpu, &cpus[cpu]);
	err = record.failed ? -ENOMEM
			    : output_record(bench->format, &record, core_fields(&record), &list);
	for (uint32_t cpu = 0; cpu < count; cpu++)
		record_deinit(&cpus[cpu]);
	free(cpus);
	record_deinit(&record);
	return err;
}

static int finish(struct run_config *config, const struct bench_command *bench, int argc,
		  char **argv, struct error *error)
{
	if (config->workload.kind == WORKLOAD_UNSET)
		return error_set(error, -EINVAL,
				 "no workload given: -w WORKLOAD; mapsim bench --help has all");
	options_finish_bench(config, bench->is_quiet, argc, argv);
	return options_check_places(config, error);
}

static int run_bench(const struct command *command, int argc, char **argv)
{
	struct bench_command bench = {.per_cpu = false};
	struct bench_options options = {.stop = &stop_requested};
	struct bench_result result;
	struct run_config config;
	struct progress progress;
	struct error error = {.text = ""};
	void *states[] = {&config, &config,       &config,        &config,
			  &bench,  &bench.format, &bench.is_quiet};
	int status, first, err;

	config_init(&config);
	first = command_parse(command, argc, argv, states, &status);
	if (first < 0)
		return status;
	err = finish(&config, &bench, argc - first, argv + first, &error);
	if (err)
		return fail(err, &error);
	progress_init(&progress, "runs", bench.is_quiet);
	options.progress = show_progress;
	options.progress_arg = &progress;
	err = bench_run(&config, &options, &result, &error);
	progress_end(&progress);
	if (!err || err == -EUCLEAN) {
		int print_err = print_result(&config, &result, &bench);

		if (print_err)
			err = error_set(&error, print_err, "out of memory");
	}
	bench_result_deinit(&result);
	return err ? fail(err, &error) : EXIT_FINE;
}

const struct command command_bench = {
	.name = "bench",
	.arguments = "[TRACE...]",
	.summary = "measure how fast a map does a workload",
	.description = "Measures closed loops: each CPU that works does the operations of a "
		       "workload, one\n"
		       "after another, in the same map. The workload replay takes traces.",
	.groups = {&bench_group, &bench_map_group, &run_trace_group, &pin_group, &per_cpu_group,
		   &format_group, &quiet_group},
	.print_more = bench_print_workloads,
	.run = run_bench,
};
