// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sim/verify.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/system.h"
#include "sim/kernel/cpus.h"

/* Verifying under way. */
struct verify {
	const struct run_config *config;
	const struct replay_options *options;
	struct verify_result *result;
	struct compare *compare;
	struct trace_digest *digest;
	uint64_t total; /* operations, 0 when that is not known */
	struct error *error;
};

static int verify_batch(struct verify *verify, const struct op_batch *batch)
{
	const struct replay_options *options = verify->options;
	struct verify_result *result = verify->result;
	double begin = system_seconds();
	int ret = compare_batch(verify->compare, batch, &result->difference, verify->error);

	result->seconds += system_seconds() - begin;
	if (ret < 0)
		return ret;
	trace_digest_update(verify->digest, batch);
	result->operations += batch->count;
	if (options->progress)
		options->progress(options->progress_arg, result->operations, verify->total);
	if (!ret && options->stop && *options->stop)
		return error_set(verify->error, -EINTR, "interrupted");
	return ret;
}

/* Reads and compares until a trace ends or is broken, or a difference shows (1). */
static int verify_reader(struct verify *verify, struct trace_reader *reader, struct op_batch *batch)
{
	int ret = 0;

	do {
		int read_err = trace_read(reader, batch, verify->error);
		struct error kept = *verify->error;

		/* As in a replay, what stands before a broken place counts. */
		if (batch->count)
			ret = verify_batch(verify, batch);
		if (!ret && read_err)
			ret = error_copy(verify->error, read_err, &kept);
	} while (!ret && batch->count);
	return ret;
}

static int verify_trace(struct verify *verify, const char *spec)
{
	const struct run_config *config = verify->config;
	struct trace_options options = config_trace_options(config);
	struct trace_reader *reader;
	struct op_batch batch;
	int ret;

	options.stop = verify->options->stop;
	ret = trace_open(spec, &options, &reader, verify->error);
	if (ret)
		return ret;
	verify->total = config->trace_count == 1 ? trace_operations(reader) : 0;
	ret = op_batch_init(&batch, COMPARE_BATCH, false, trace_has_values(reader));
	if (ret)
		error_set(verify->error, ret, "out of memory");
	else
		ret = verify_reader(verify, reader, &batch);
	op_batch_deinit(&batch);
	trace_close(reader);
	return ret;
}

int verify_run(const struct run_config *config, const struct engine *against,
	       const struct replay_options *options, struct verify_result *result,
	       struct error *error)
{
	struct verify verify = {.config = config,
				.options = options,
				.result = result,
				.error = error};
	int ret;

	memset(result, 0, sizeof(*result));
	ret = compare_create(config->engine, against, &verify.compare);
	if (!ret && trace_digest_create(&verify.digest))
		ret = -ENOMEM;
	if (ret)
		error_set(error, ret, "out of memory");
	else
		ret = compare_begin(verify.compare, config, error);
	for (size_t i = 0; !ret && i < config->trace_count; i++)
		ret = verify_trace(&verify, config->traces[i]);
	if (!ret)
		ret = compare_order(verify.compare, &result->entries, &result->difference, error);
	if (verify.digest) {
		result->trace_digest = trace_digest_value(verify.digest);
		trace_digest_destroy(verify.digest);
	}
	compare_destroy(verify.compare);
	return ret < 0 ? ret : 0;
}

void verify_result_deinit(struct verify_result *result)
{
	compare_difference_deinit(&result->difference);
}

/* Operations are compared as they come. */
static int check_future(const struct run_config *config, const struct engine *against,
			struct error *error)
{
	const struct engine *pair[2] = {config->engine, against};

	for (int i = 0; i < 2; i++) {
		const struct model_ops *model = pair[i]->model;

		if (model && model->needs_future(&config->map.attr, &config->map.tunables))
			return error_set(error, -EINVAL,
					 "verify: this rotation needs to know all operations to "
					 "come");
	}
	return 0;
}

int verify_finish_config(struct run_config *config, const struct engine *against,
			 struct error *error)
{
	bool is_kernel = config->engine->is_running_kernel || against->is_running_kernel;
	uint32_t possible = is_kernel ? cpus_possible() : 1;

	/* More CPUs are for the engine to refuse, as what the machine lacks. */
	if (config->cpus_given && config->cpus_given < possible)
		return error_set(error, -EINVAL,
				 "verify: the kernel's map has %" PRIu32
				 " CPUs: leave out -c or give -c %" PRIu32,
				 possible, possible);
	if (is_kernel && !config->is_kernel_given) {
		int err = config_set(config, "--kernel", "host", error);

		if (err)
			return err;
	}
	if (!config->cpus_given && config->engine->pins && !is_kernel)
		config->map.cpus = cpus_usable_count();
	else if (!config->cpus_given)
		config->map.cpus = possible ? possible : 1;
	config_finish(config);
	return check_future(config, against, error);
}

int verify_check_order(const struct run_config *config, const struct engine *against,
		       struct error *error)
{
	const struct engine *const pair[2] = {config->engine, against};

	for (int i = 0; i < 2; i++) {
		if (pair[i]->pins && config->map.cpus > 1)
			return error_set(error, -EINVAL,
					 "-e %s: what %" PRIu32 " CPUs do at the same time has no "
					 "order to compare; -c 1, or --concurrent for totals",
					 pair[i]->name, config->map.cpus);
	}
	return 0;
}

static void add_number(struct record *record, const char *name, bool is_known, uint64_t value)
{
	if (is_known)
		record_add_u64(record, name, value);
	else
		record_add_unknown(record, name);
}

/* What one side answered; unknown where the difference is none of answers. */
static void record_answer(const struct compare_difference *difference, int side,
			  const char *const names[3], struct record *record)
{
	const struct compare_answer *answer = &difference->answers[side];
	bool is_known = difference->kind != COMPARE_SAME && difference->kind != COMPARE_ORDER;
	char read[20];

	if (is_known)
		record_add_double(record, names[0], answer->ret, 0);
	else
		record_add_unknown(record, names[0]);
	add_number(record, names[1], is_known, answer->detail);
	snprintf(read, sizeof(read), "%016" PRIx64, answer->read);
	record_add_text(record, names[2], is_known ? read : "");
}

void verify_record_difference(const struct compare_difference *difference, struct record *record)
{
	static const char *const names[2][3] = {
		{"return", "detail", "read"},
		{"against_return", "against_detail", "against_read"},
	};
	bool is_order = difference->kind == COMPARE_ORDER;

	record_add_u64(record, "differences", difference->kind != COMPARE_SAME);
	record_add_text(record, "difference", compare_kind_names[difference->kind]);
	add_number(record, "difference_index", difference->kind != COMPARE_SAME, difference->index);
	record_answer(difference, 0, names[0], record);
	record_answer(difference, 1, names[1], record);
	add_number(record, "order_entries", is_order, difference->entries[0]);
	add_number(record, "against_order_entries", is_order, difference->entries[1]);
}

void verify_record(const struct verify_result *result, const struct engine *against,
		   struct record *record)
{
	char digest[32];

	snprintf(digest, sizeof(digest), "%016" PRIx64, result->trace_digest);
	record_add_text(record, "trace_digest", digest);
	record_add_text(record, "against", against->name);
	record_add_u64(record, "operations", result->operations);
	record_add_u64(record, "entries", result->entries);
	verify_record_difference(&result->difference, record);
	record_add_double(record, "seconds", result->seconds, 3);
}
