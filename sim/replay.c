// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sim/replay.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/output_file.h"
#include "base/system.h"
#include "sim/engine.h"
#include "sim/future.h"
#include "sim/metrics.h"

#define BATCH_OPERATIONS 4096 /* where the engine does not care */

/* A replay under way. */
struct replay {
	const struct run_config *config;
	const struct replay_options *options;
	void *engine;
	uint64_t total; /* of the trace, or 0 */
	struct trace_digest *digest;
	struct output_file results, dump;
	int32_t *returns;
	uint64_t *details;
	uint64_t index; /* of the next operation */
	double seconds;
	const uint64_t *next_use; /* of the run's operations; NULL: not asked for */
	struct error *error;
};

/* Whether an operation answers with more than its return: a key that was found, a count. */
static bool op_has_detail(uint8_t code, int32_t ret)
{
	return (code == OP_NEXT_KEY && !ret) || code == OP_BATCH_LOOKUP ||
	       code == OP_BATCH_LOOKUP_AND_DELETE;
}

/* "r INDEX RETURN", and a third field for operations that answer with a key or a count. */
static void write_results(struct replay *replay, const struct op_batch *batch)
{
	FILE *out = replay->results.stream;
	char line[4 * NUMBER_BYTES];

	for (size_t i = 0; i < batch->count; i++) {
		int32_t ret = replay->returns[i];
		char *end = number_print(stpcpy(line, "r "), replay->index + i);

		end = stpcpy(end, ret < 0 ? " -" : " ");
		end = number_print(end, (uint64_t)(ret < 0 ? -(int64_t)ret : ret));
		if (op_has_detail(batch->ops[i].code, ret)) {
			*end++ = ' ';
			end = number_print(end, replay->details[i]);
		}
		*end++ = '\n';
		fwrite_unlocked(line, 1, (size_t)(end - line), out);
	}
}

static int replay_stopped(const struct replay *replay)
{
	const atomic_int *stop = replay->options->stop;

	if (!stop || !atomic_load(stop))
		return 0;
	return error_set(replay->error, -EINTR, "interrupted");
}

static void report_progress(const struct replay *replay)
{
	uint64_t total = replay->total;

	if (!replay->options->progress)
		return;
	/* With more traces to come the whole is not known. */
	if (replay->config->trace_count > 1)
		total = 0;
	replay->options->progress(replay->options->progress_arg, replay->index, total);
}

static int replay_batch(struct replay *replay, const struct op_batch *batch)
{
	struct map_run run = {.batch = batch,
			      .first_index = replay->index,
			      .returns = replay->returns,
			      .details = replay->details,
			      .next_use =
				      replay->next_use ? replay->next_use + replay->index : NULL};
	double begin;
	int err;

	trace_digest_update(replay->digest, batch);
	begin = system_seconds();
	err = replay->config->engine->run(replay->engine, &run, replay->error);
	replay->seconds += system_seconds() - begin;
	if (err)
		return err;
	if (replay->results.stream)
		write_results(replay, batch);
	replay->index += batch->count;
	report_progress(replay);
	return replay_stopped(replay);
}

static struct trace_options replay_trace_options(const struct replay *replay)
{
	struct trace_options options = config_trace_options(replay->config);

	options.stop = replay->options->stop;
	return options;
}

static size_t replay_batch_operations(const struct replay *replay)
{
	uint32_t wanted = replay->config->engine->batch_operations;

	return wanted ? wanted : BATCH_OPERATIONS;
}

/* Reads and runs a trace batch by batch. */
static int replay_batches(struct replay *replay, struct trace_reader *reader,
			  struct op_batch *batch)
{
	struct op_batch view;
	int err = 0;

	do {
		int read_err = trace_view(reader, batch, &view, replay->error);
		struct error kept = *replay->error;

		/* What stands before a broken place is run, as if the trace ended there. */
		if (view.count)
			err = replay_batch(replay, &view);
		if (!err && read_err) {
			*replay->error = kept;
			err = read_err;
		}
	} while (!err && view.count);
	return err;
}

/* Runs a trace that is in memory. */
static int replay_loaded(struct replay *replay, const struct op_batch *all)
{
	int err = 0;

	size_t most = replay_batch_operations(replay);

	for (size_t at = 0; !err && at < all->count; at += most) {
		size_t left = all->count - at;
		struct op_batch part = {
			.ops = all->ops + at,
			.values = all->values ? all->values + at : NULL,
			.count = left < most ? left : most,
			.arena = all->arena,
			.arena_bytes = all->arena_bytes,
		};

		err = replay_batch(replay, &part);
	}
	return err;
}

/* Runs a trace of the store's, or returns -EFBIG when it does not fit there. */
static int replay_stored(struct replay *replay, const char *spec)
{
	struct trace_options options = replay_trace_options(replay);
	struct trace_store *store = replay->options->store;
	const struct op_batch *all;
	int err =
		trace_store_get(store, spec, &options, replay->options->stop, &all, replay->error);

	if (err)
		return err;
	replay->total = all->count;
	err = replay_loaded(replay, all);
	trace_store_put(store, all);
	return err;
}

static int replay_preloaded(struct replay *replay, const char *spec)
{
	struct trace_options options = replay_trace_options(replay);
	struct op_batch all;
	int err =
		trace_load(spec, &options, replay->options->stop, NULL, NULL, &all, replay->error);

	replay->total = all.count;
	if (!err)
		err = replay_loaded(replay, &all);
	op_batch_deinit(&all);
	return err;
}

static int replay_streamed(struct replay *replay, const char *spec)
{
	struct trace_options options = replay_trace_options(replay);
	struct trace_reader *reader;
	struct op_batch batch;
	int err = trace_open(spec, &options, &reader, replay->error);

	if (err)
		return err;
	replay->total = trace_operations(reader);
	err = op_batch_init(&batch, replay_batch_operations(replay), false,
			    trace_has_values(reader));
	if (err)
		error_set(replay->error, err, "out of memory");
	else
		err = replay_batches(replay, reader, &batch);
	op_batch_deinit(&batch);
	trace_close(reader);
	return err;
}

static int replay_trace(struct replay *replay, const char *spec)
{
	int err = -EFBIG;

	if (replay->options->store)
		err = replay_stored(replay, spec);
	if (err != -EFBIG)
		return err;
	if (replay->options->store && trace_is_stdin(spec))
		return error_set(replay->error, -EFBIG,
				 "%s: can be read once, and does not fit in memory for all runs",
				 spec);
	return replay->config->preload ? replay_preloaded(replay, spec)
				       : replay_streamed(replay, spec);
}

/* What loading traces for their future may take, and has taken. */
struct foreseen {
	uint64_t available, charged;
};

/* An operation's next use takes half of what the operation takes. */
static bool charge_foreseen(void *arg, uint64_t bytes)
{
	struct foreseen *foreseen = arg;
	uint64_t left = foreseen->available - foreseen->charged;

	if (bytes > left || bytes / 2 > left - bytes)
		return false;
	foreseen->charged += bytes + bytes / 2;
	return true;
}

/* A trace in memory: the store's, or loaded here. */
struct foreseen_trace {
	struct op_batch batch;
	const struct op_batch *lent;
};

static int load_trace(struct replay *replay, const char *spec, struct foreseen *foreseen,
		      struct foreseen_trace *trace)
{
	struct trace_options options = replay_trace_options(replay);
	const struct replay_options *run = replay->options;
	int err;

	if (run->store) {
		err = trace_store_get(run->store, spec, &options, run->stop, &trace->lent,
				      replay->error);
		if (!err)
			trace->batch = *trace->lent;
		if (err != -EFBIG || trace_is_stdin(spec))
			return err;
	}
	return trace_load(spec, &options, run->stop, charge_foreseen, foreseen, &trace->batch,
			  replay->error);
}

static void unload_trace(struct replay *replay, struct foreseen_trace *trace)
{
	if (trace->lent)
		trace_store_put(replay->options->store, trace->lent);
	else
		op_batch_deinit(&trace->batch);
}

static int load_traces(struct replay *replay, struct foreseen_trace *traces)
{
	struct foreseen foreseen = {.available = system_memory_available()};
	uint64_t rotation = tunable_value(&replay->config->map.tunables, TUNE_ROTATION);
	int err = 0;

	for (size_t i = 0; !err && i < replay->config->trace_count; i++)
		err = load_trace(replay, replay->config->traces[i], &foreseen, &traces[i]);
	if (err != -EFBIG)
		return err;
	return error_set(replay->error, -ENOMEM,
			 "rotation=%s reads all traces into memory first, and they do not fit in "
			 "the %.1f GiB that are available (ENOMEM)",
			 tunable_choice(TUNE_ROTATION, rotation),
			 (double)foreseen.available / (1 << 30));
}

/* For a rotation that goes by the future: reads all traces before any is run. */
static int replay_foreseen(struct replay *replay)
{
	size_t count = replay->config->trace_count;
	struct foreseen_trace *traces = calloc(count, sizeof(*traces));
	struct op_batch *batches = calloc(count, sizeof(*batches));
	uint64_t *next_use = NULL;
	int err = -ENOMEM;

	if (traces && batches)
		err = load_traces(replay, traces);
	else
		error_set(replay->error, err, "out of memory");
	for (size_t i = 0; !err && i < count; i++)
		batches[i] = traces[i].batch;
	if (!err)
		err = trace_next_use(batches, count, replay->config->map.attr.key_size, &next_use,
				     replay->error);
	replay->next_use = next_use;
	for (size_t i = 0; !err && i < count; i++)
		err = replay_loaded(replay, &batches[i]);
	replay->next_use = NULL;
	for (size_t i = 0; traces && i < count; i++)
		unload_trace(replay, &traces[i]);
	free(traces);
	free(batches);
	free(next_use);
	return err;
}

static bool needs_future(const struct run_config *config)
{
	const struct model_ops *model = config->engine->model;

	return model && model->needs_future(&config->map.attr, &config->map.tunables);
}

static int replay_traces(struct replay *replay)
{
	int err = 0;

	if (needs_future(replay->config))
		return replay_foreseen(replay);
	for (size_t i = 0; !err && i < replay->config->trace_count; i++)
		err = replay_trace(replay, replay->config->traces[i]);
	return err;
}

static int open_outputs(struct replay *replay)
{
	const struct replay_options *options = replay->options;
	size_t most = replay_batch_operations(replay);
	int err = 0;

	if (options->results_path && options->dump_path &&
	    strcmp(options->results_path, "-") != 0 &&
	    !strcmp(options->results_path, options->dump_path))
		return error_set(replay->error, -EINVAL, "%s: is both the results and the dump",
				 options->dump_path);
	if (options->results_path) {
		err = output_file_open(&replay->results, options->results_path, replay->error);
		replay->returns = calloc(most, sizeof(*replay->returns));
		replay->details = calloc(most, sizeof(*replay->details));
		if (!err && (!replay->returns || !replay->details))
			err = error_set(replay->error, -ENOMEM, "out of memory");
	}
	if (!err && options->dump_path)
		err = output_file_open(&replay->dump, options->dump_path, replay->error);
	if (!err && trace_digest_create(&replay->digest))
		err = error_set(replay->error, -ENOMEM, "out of memory");
	return err;
}

static int close_outputs(struct replay *replay, int err)
{
	int finish_err = output_file_finish(&replay->results, err ? NULL : replay->error);
	bool commit;
	int results_err, dump_err;

	if (!finish_err)
		finish_err = output_file_finish(&replay->dump, err ? NULL : replay->error);
	if (!err)
		err = finish_err;
	commit = !finish_err && (!err || err == -EUCLEAN);
	results_err = output_file_close(&replay->results, commit, err ? NULL : replay->error);
	dump_err = output_file_close(&replay->dump, commit && !results_err,
				     err || results_err ? NULL : replay->error);

	free(replay->returns);
	free(replay->details);
	trace_digest_destroy(replay->digest);
	if (err)
		return err;
	return results_err ? results_err : dump_err;
}

static void collect_list(void *arg, const char *list, int cpu, uint64_t nodes)
{
	struct replay_result *result = arg;

	for (int i = 0; i < NODE_LISTS; i++) {
		if (strcmp(node_list_names[i], list) != 0)
			continue;
		result->nodes[i] += nodes;
		if (cpu >= 0)
			result->cpu_results[cpu].nodes[i] += nodes;
	}
}

static void collect_lists(const struct replay *replay, struct replay_result *result)
{
	const struct engine *engine = replay->config->engine;

	if (engine->lists) {
		engine->lists(replay->engine, collect_list, result);
		return;
	}
	for (int i = 0; i < NODE_LISTS; i++) {
		result->nodes[i] = COUNT_UNKNOWN;
		for (uint32_t cpu = 0; cpu < result->cpus; cpu++)
			result->cpu_results[cpu].nodes[i] = COUNT_UNKNOWN;
	}
}

static void add_counters(struct map_counters *total, const struct map_counters *counters)
{
	uint64_t sums[sizeof(*total) / sizeof(uint64_t)], more[sizeof(*total) / sizeof(uint64_t)];

	memcpy(sums, total, sizeof(sums));
	memcpy(more, counters, sizeof(more));
	for (size_t i = 0; i < sizeof(sums) / sizeof(sums[0]); i++) {
		bool is_known = sums[i] != COUNT_UNKNOWN && more[i] != COUNT_UNKNOWN;

		sums[i] = is_known ? sums[i] + more[i] : COUNT_UNKNOWN;
	}
	memcpy(total, sums, sizeof(sums));
}

static int collect(struct replay *replay, struct replay_result *result)
{
	const struct engine *engine = replay->config->engine;

	result->cpus = replay->config->map.cpus;
	result->cpu_results = calloc(result->cpus, sizeof(*result->cpu_results));
	if (!result->cpu_results)
		return error_set(replay->error, -ENOMEM, "out of memory");
	for (uint32_t cpu = 0; cpu < result->cpus; cpu++) {
		engine->counters(replay->engine, cpu, &result->cpu_results[cpu].counters);
		add_counters(&result->total, &result->cpu_results[cpu].counters);
	}
	if (engine->total)
		engine->total(replay->engine, &result->total);
	engine->census(replay->engine, &result->census);
	engine->memory(replay->engine, &result->memory);
	metrics_get_alloc(engine, replay->engine, &result->alloc);
	collect_lists(replay, result);
	result->max_entries = engine->max_entries(replay->engine);
	result->seconds = engine->seconds ? engine->seconds(replay->engine) : replay->seconds;
	result->trace_digest = trace_digest_value(replay->digest);
	return 0;
}

static void dump_key(void *stream, uint64_t key)
{
	fprintf(stream, "k %" PRIu64 "\n", key);
}

static int dump(struct replay *replay, const struct replay_result *result)
{
	int err = replay->config->engine->dump(replay->engine, dump_key, replay->dump.stream,
					       replay->error);

	if (!err)
		fprintf(replay->dump.stream, "entries %" PRIu64 "\n", result->census.entries);
	return err;
}

int replay_run(const struct run_config *config, const struct replay_options *options,
	       struct replay_result *result, struct error *error)
{
	struct replay replay = {.config = config, .options = options, .error = error};
	int err = open_outputs(&replay);

	memset(result, 0, sizeof(*result));
	result->check = "";
	if (!err)
		err = config->engine->open(config, &replay.engine, error);
	if (!err)
		err = replay_traces(&replay);
	if (!err)
		err = collect(&replay, result);
	if (!err && replay.dump.stream)
		err = dump(&replay, result);
	if (!err && config->check) {
		err = config->engine->check(replay.engine, error);
		result->check = err ? "failed" : "passed";
	}
	if (replay.engine)
		config->engine->close(replay.engine);
	return close_outputs(&replay, err);
}

void replay_result_deinit(struct replay_result *result)
{
	free(result->cpu_results);
	memset(result, 0, sizeof(*result));
}
