// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sim/hunt.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/output_file.h"
#include "base/system.h"
#include "model/attr.h"
#include "sim/kernel/cpus.h"
#include "sim/shrink.h"
#include "sim/verify.h"
#include "traces/trace.h"

/*
 * A small case of more operations than this is too large to understand: small ones are tried, as
 * many as below, and the best of a few that differ is shown.
 */
#define PLAIN_OPERATIONS 30
#define PLAIN_TRIES 1000
#define PLAIN_FINDS 5

/* Between comparisons of a case for which memory was short. */
#define PAUSE_FIRST_MS 20
#define PAUSE_LAST_MS 2560

/* What the threads share. */
struct hunt {
	const struct hunt_options *options;
	struct hunt_result *result;
	double begin;
	pthread_mutex_t lock; /* of all below, the result and calls of progress */
	uint64_t next_case;
	int err; /* of the first thread that failed */
	struct error *error;
};

static bool is_stopped(const struct hunt_options *options)
{
	return options->stop && *options->stop;
}

/* The next case's number; false when there is to be none. */
static bool take_case(struct hunt *hunt, uint64_t *number)
{
	const struct hunt_options *options = hunt->options;
	bool is_wanted;

	pthread_mutex_lock(&hunt->lock);
	is_wanted = !hunt->err && !hunt->result->is_found && !is_stopped(options) &&
		    hunt->next_case < options->cases_max &&
		    system_seconds() - hunt->begin < options->seconds;
	*number = hunt->next_case;
	hunt->next_case += is_wanted;
	pthread_mutex_unlock(&hunt->lock);
	return is_wanted;
}

/* Keeps a case that differs, unless one of a lower number is there. Takes it over. */
static void keep_case(struct hunt_result *result, uint64_t number, struct fuzz_case *fuzz,
		      struct compare_difference *difference)
{
	if (result->is_found && result->case_number < number) {
		fuzz_case_deinit(fuzz);
		compare_difference_deinit(difference);
		return;
	}
	hunt_result_deinit(result);
	result->is_found = true;
	result->case_number = number;
	result->case_operations = fuzz->ops.count;
	result->fuzz = *fuzz;
	result->difference = *difference;
}

static void end_case(struct hunt *hunt, uint64_t number, struct fuzz_case *fuzz, int ret,
		     bool was_short, struct compare_difference *difference,
		     const struct error *error)
{
	struct hunt_result *result = hunt->result;

	pthread_mutex_lock(&hunt->lock);
	if (ret >= 0) {
		result->cases++;
		result->shortages += was_short;
		result->operations += fuzz->ops.count;
	} else if (!hunt->err) {
		hunt->err = error_copy(hunt->error, ret, error);
	}
	if (ret > 0)
		keep_case(result, number, fuzz, difference);
	else
		fuzz_case_deinit(fuzz);
	if (hunt->options->progress)
		hunt->options->progress(hunt->options->progress_arg, result->cases,
					result->operations);
	pthread_mutex_unlock(&hunt->lock);
}

static int compare_case(struct compare *compare, const struct hunt_options *options,
			const struct fuzz_case *fuzz, struct compare_difference *difference,
			struct error *error)
{
	struct run_config config = *options->config;

	fuzz_case_configure(fuzz, &config);
	return compare_all(compare, &config, &fuzz->ops, difference, error);
}

/*
 * Whether one side had no memory for an element of a map that allocates while it runs. The running
 * kernel's allocators refill behind an insertion's back, so a burst of insertions can find them
 * empty for a moment, the sooner the busier the machine is; the per-CPU one soonest.
 */
static bool is_shortage(const struct fuzz_case *fuzz, const struct compare_difference *difference)
{
	const struct compare_answer *answers = difference->answers;

	return fuzz->attr.flags & MAP_NO_PREALLOC && difference->kind == COMPARE_RETURN &&
	       (answers[0].ret == -ENOMEM || answers[1].ret == -ENOMEM);
}

/*
 * Compares again, after longer and longer pauses, as long as only memory was short. What differs is
 * at the same operation each time; a shortage that comes and goes is none of the map's.
 */
static int compare_patiently(struct compare *compare, const struct hunt_options *options,
			     const struct fuzz_case *fuzz, struct compare_difference *difference,
			     bool *was_short, struct error *error)
{
	int ret = compare_case(compare, options, fuzz, difference, error);
	uint64_t first = difference->index;
	bool has_moved = false;

	*was_short = false;
	for (unsigned int pause_ms = PAUSE_FIRST_MS;
	     ret > 0 && pause_ms <= PAUSE_LAST_MS && is_shortage(fuzz, difference); pause_ms *= 2) {
		*was_short = true;
		compare_difference_deinit(difference);
		usleep(pause_ms * 1000);
		ret = compare_case(compare, options, fuzz, difference, error);
		has_moved |= ret > 0 && difference->index != first;
	}
	if (ret > 0 && has_moved && is_shortage(fuzz, difference)) {
		compare_difference_deinit(difference);
		ret = 0;
	}
	return ret;
}

static void *hunt_thread(void *arg)
{
	struct hunt *hunt = arg;
	const struct hunt_options *options = hunt->options;
	struct compare *compare = NULL;
	int err = compare_create(options->engines[0], options->engines[1], &compare);
	uint64_t number;

	while (take_case(hunt, &number)) {
		struct compare_difference difference = {0};
		struct error error = {.text = "out of memory"};
		struct fuzz_case fuzz = {0};
		bool was_short = false;

		if (!err)
			err = fuzz_case_init(&fuzz, options->seed, number, options->cpus);
		if (!err)
			err = compare_patiently(compare, options, &fuzz, &difference, &was_short,
						&error);
		end_case(hunt, number, &fuzz, err, was_short, &difference, &error);
		if (err)
			break;
	}
	compare_destroy(compare);
	return NULL;
}

/* The calling thread is the last of the jobs; one that cannot be had is done without. */
static void run_threads(struct hunt *hunt)
{
	uint32_t count = hunt->options->jobs - 1, begun = 0;
	pthread_t *threads = calloc(count + 1, sizeof(*threads));

	while (threads && begun < count &&
	       !pthread_create(&threads[begun], NULL, hunt_thread, hunt))
		begun++;
	hunt_thread(hunt);
	for (uint32_t i = 0; i < begun; i++)
		pthread_join(threads[i], NULL);
	free(threads);
}

/* Shrinking under way. */
struct hunt_shrink {
	const struct hunt_options *options;
	struct compare *compare;
	bool is_shortage; /* what is shrunk is one */
	struct error *error;
};

static int shrink_test(void *arg, const struct fuzz_case *fuzz)
{
	struct hunt_shrink *shrink = arg;
	struct compare_difference difference = {0};
	int ret;

	if (is_stopped(shrink->options))
		return -EINTR;
	ret = compare_case(shrink->compare, shrink->options, fuzz, &difference, shrink->error);
	if (ret > 0 && !shrink->is_shortage && is_shortage(fuzz, &difference))
		ret = 0;
	compare_difference_deinit(&difference);
	return ret;
}

/* Shrinks a small random case, if it fails, and takes it for the result's if it becomes smaller. */
static int try_plainer(struct hunt_shrink *shrink, uint64_t number, struct hunt_result *result)
{
	struct map_attr like = result->fuzz.attr;
	struct fuzz_case fuzz;
	int ret;

	/* Both kinds of LRU rotate alike, but one of them scans few nodes at a time. */
	if (map_type_is_lru(like.type) && number % 2)
		like.flags ^= MAP_NO_COMMON_LRU;
	like.flags &= ~(uint32_t)MAP_NUMA_NODE;
	ret = fuzz_case_init_small(&fuzz, &like, shrink->options->seed, number,
				   shrink->options->cpus);

	if (ret)
		return ret;
	ret = shrink_case(&fuzz, shrink_test, shrink);
	if (ret > 0 && fuzz.ops.count < result->fuzz.ops.count) {
		fuzz_case_deinit(&result->fuzz);
		result->fuzz = fuzz;
	} else {
		fuzz_case_deinit(&fuzz);
	}
	return ret;
}

/*
 * What a large case differs by, shrinking may not bring out of it, since each step has to fail by
 * itself. Small cases often differ by the same.
 */
static int look_for_plainer(struct hunt_shrink *shrink, struct hunt_result *result)
{
	int ret = 0, finds = 0;

	for (uint64_t number = 0; ret >= 0 && number < PLAIN_TRIES && finds < PLAIN_FINDS &&
				  result->fuzz.ops.count > PLAIN_OPERATIONS;
	     number++) {
		ret = try_plainer(shrink, number, result);
		finds += ret > 0;
	}
	return ret;
}

/* Cuts what follows the difference, shrinks, and compares once more for the difference to show. */
static int shrink_found(const struct hunt_options *options, struct hunt_result *result,
			struct error *error)
{
	struct compare_difference difference = {0};
	struct hunt_shrink shrink = {.options = options, .error = error};
	struct fuzz_case *fuzz = &result->fuzz;
	int ret = compare_create(options->engines[0], options->engines[1], &shrink.compare);

	if (ret)
		return error_set(error, ret, "out of memory");
	shrink.is_shortage = is_shortage(fuzz, &result->difference);
	if (result->difference.kind != COMPARE_ORDER)
		fuzz->ops.count = result->difference.index + 1;
	ret = shrink_case(fuzz, shrink_test, &shrink);
	if (ret > 0)
		ret = look_for_plainer(&shrink, result) < 0 ? -EAGAIN : 1;
	/* What is small so far is worth having also when it could become smaller. */
	if (ret)
		ret = compare_case(shrink.compare, options, fuzz, &difference, error);
	if (ret > 0) {
		compare_difference_deinit(&result->difference);
		result->difference = difference;
		result->is_repeatable = true;
	}
	compare_destroy(shrink.compare);
	return ret < 0 ? ret : 0;
}

int hunt_run(const struct hunt_options *options, struct hunt_result *result, struct error *error)
{
	struct hunt hunt = {.options = options,
			    .result = result,
			    .begin = system_seconds(),
			    .lock = PTHREAD_MUTEX_INITIALIZER,
			    .error = error};
	int err;

	memset(result, 0, sizeof(*result));
	run_threads(&hunt);
	pthread_mutex_destroy(&hunt.lock);
	result->seconds = system_seconds() - hunt.begin;
	err = hunt.err;
	/* What was found counts, also when it cannot become smaller or another thread failed. */
	if (result->is_found) {
		shrink_found(options, result, error);
		err = 0;
	}
	if (!err && !result->is_found && is_stopped(options))
		err = -EINTR;
	return err;
}

void hunt_result_deinit(struct hunt_result *result)
{
	fuzz_case_deinit(&result->fuzz);
	compare_difference_deinit(&result->difference);
	result->is_found = false;
}

uint32_t hunt_cpus(const struct run_config *config, const struct engine *const pair[2],
		   struct error *error)
{
	bool is_usable[MAP_CPUS_MAX];
	uint32_t count = 0;

	if (!pair[0]->is_running_kernel && !pair[1]->is_running_kernel)
		return config->map.cpus;
	if (!cpus_usable(is_usable, config->map.cpus)) {
		while (count < config->map.cpus && is_usable[count])
			count++;
	}
	if (!count)
		error_set_missing(error, -ENXIO, "this process may not run on CPU 0");
	return count;
}

/* Of what a run states, what cases do not make themselves; the map is that of the one found. */
static void record_config(const struct hunt_options *options, const struct hunt_result *result,
			  struct record *record)
{
	static const char *const names[] = {"version", "engine",   "kernel", "map",
					    "cpus",    "tunables", "seed"};
	struct run_config config = *options->config;
	struct record all = {0};

	if (result->is_found)
		fuzz_case_configure(&result->fuzz, &config);
	config_record(&config, &all);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const struct field *field = record_find(&all, names[i]);

		if (!result->is_found && !strcmp(names[i], "map"))
			record_add_text(record, "map", "");
		else if (field)
			record_add_field(record, field);
	}
	record->failed |= all.failed;
	record_deinit(&all);
}

void hunt_record(const struct hunt_options *options, const struct hunt_result *result,
		 const char *path, struct record *record)
{
	static const struct compare_difference none;
	char *command = path ? hunt_command(options, result, path) : NULL;

	record_config(options, result, record);
	record_add_text(record, "against", options->engines[1]->name);
	record_add_u64(record, "cases", result->cases);
	record_add_u64(record, "shortages", result->shortages);
	record_add_u64(record, "operations", result->operations);
	verify_record_difference(result->is_found ? &result->difference : &none, record);
	if (result->is_found) {
		record_add_u64(record, "case", result->case_number);
		record_add_u64(record, "case_operations", result->fuzz.ops.count);
	} else {
		record_add_unknown(record, "case");
		record_add_unknown(record, "case_operations");
	}
	record_add_text(record, "case_file", path ? path : "");
	record_add_text(record, "case_command", command ? command : "");
	record->failed |= path && !command;
	free(command);
	record_add_double(record, "seconds", result->seconds, 3);
	record_add_double(record, "operations_per_second",
			  result->seconds > 0 ? (double)result->operations / result->seconds : 0,
			  0);
}

/* A word as a shell takes it. */
static void print_word(FILE *out, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_./:=,+@%-";

	if (*word && !word[strspn(word, plain)]) {
		fputs(word, out);
		return;
	}
	putc('\'', out);
	for (; *word; word++) {
		if (*word == '\'')
			fputs("'\\''", out);
		else
			putc(*word, out);
	}
	putc('\'', out);
}

static void print_command(FILE *out, const struct hunt_options *options,
			  const struct hunt_result *result, const char *path)
{
	struct run_config config = *options->config;
	char map[MAP_CONFIG_TEXT_BYTES], kernel[KERNEL_NAME_BYTES], value[TUNABLE_TEXT_BYTES];

	fuzz_case_configure(&result->fuzz, &config);
	map_config_format(&config.map, map, sizeof(map));
	fprintf(out, "mapsim verify -m %s -k %s", map, kernel_name(&config.map.kernel, kernel));
	for (int id = 0; id < TUNABLES; id++) {
		if (config.map.is_overridden[id])
			fprintf(out, " -s %s=%s", tunable_get((enum tunable_id)id)->name,
				tunable_format((enum tunable_id)id, config.map.overrides[id],
					       value));
	}
	fprintf(out, " -c %" PRIu32 " -e %s --against %s ", config.map.cpus,
		options->engines[0]->name, options->engines[1]->name);
	print_word(out, path);
}

char *hunt_command(const struct hunt_options *options, const struct hunt_result *result,
		   const char *path)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	if (!out)
		return NULL;
	print_command(out, options, result, path);
	if (!fclose(out))
		return text;
	free(text);
	return NULL;
}

int hunt_write(const struct hunt_options *options, const struct hunt_result *result,
	       const char *path, struct error *error)
{
	const struct op_batch *ops = &result->fuzz.ops;
	struct output_file file = {0};
	char text[1024];
	int err = output_file_open(&file, path, error);

	if (err)
		return err;
	compare_describe(&result->difference, options->engines, text, sizeof(text));
	fprintf(file.stream, "# %s\n", text);
	fputs("# ", file.stream);
	print_command(file.stream, options, result, path);
	fprintf(file.stream, "\n# case %" PRIu64 " of --fuzz with --seed %" PRIu64 "\n",
		result->case_number, options->seed);
	for (size_t i = 0; i < ops->count; i++)
		trace_print_op(file.stream, ops, i, i);
	return output_file_close(&file, true, error);
}
