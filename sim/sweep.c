// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sim/sweep.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/number.h"
#include "base/system.h"
#include "model/attr.h"
#include "sim/bench.h"
#include "sim/engine.h"
#include "sim/kernel/cpus.h"
#include "sim/replay.h"

enum run_state { RUN_WAITING, RUN_DONE, RUN_FAILED };

struct sweep_slot {
	struct record record;
	enum run_state state;
};

/* Of the runs that failed and were not interrupted, the first in order. */
struct sweep_failure {
	uint64_t run;
	int err; /* 0: none */
	struct error error;
};

struct sweep_pool {
	const struct sweep *sweep;
	struct sweep_slot *slots;  /* from the first run on */
	struct trace_store *store; /* NULL where no two runs read the same */
	uint64_t total;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	uint64_t next;  /* the next run to begin */
	uint64_t given; /* slots before this one are given */
	uint64_t done;
	unsigned int working;
	int row_err;
	struct error row_error;
	bool failed; /* a run failed: begin no more */
	struct sweep_failure failure;
};

uint64_t sweep_runs(const struct sweep *sweep)
{
	uint64_t runs = sweep->each_trace ? sweep->base->trace_count : 1;

	for (size_t i = 0; i < sweep->vary_count; i++) {
		if (__builtin_mul_overflow(runs, sweep->vary[i].count, &runs))
			return 0;
	}
	return runs;
}

/* The config of one run; values[i] gets the value of the i-th varied setting. */
static int sweep_config(const struct sweep *sweep, uint64_t run, struct run_config *config,
			const char **values, struct error *error)
{
	int err = 0;

	*config = *sweep->base;
	for (size_t i = sweep->vary_count; i-- > 0;) {
		const struct vary *vary = &sweep->vary[i];

		values[i] = vary->values[run % vary->count];
		run /= vary->count;
	}
	for (size_t i = 0; !err && i < sweep->vary_count; i++)
		err = config_set(config, sweep->vary[i].name, values[i], error);
	if (sweep->each_trace) {
		config->traces += run;
		config->trace_count = 1;
	}
	config_finish(config);
	return err;
}

static void name_values(const struct sweep *sweep, const char *const *values, char *text,
			size_t bytes)
{
	text[0] = '\0';
	for (size_t i = 0; i < sweep->vary_count; i++) {
		size_t used = strlen(text);

		snprintf(text + used, bytes - used, "%s%s=%s", used ? " " : "", sweep->vary[i].name,
			 values[i]);
	}
	if (!text[0])
		snprintf(text, bytes, "of the trace");
}

void sweep_name_run(const struct sweep *sweep, uint64_t run, char *text, size_t bytes)
{
	const char *values[SWEEP_VARY_MAX];

	for (size_t i = sweep->vary_count; i-- > 0;) {
		values[i] = sweep->vary[i].values[run % sweep->vary[i].count];
		run /= sweep->vary[i].count;
	}
	name_values(sweep, values, text, bytes);
}

/* Prefixes a run's error with what was varied. */
static void name_error(const struct sweep *sweep, const char *const *values, struct error *error)
{
	char name[256];
	struct error text = *error;

	name_values(sweep, values, name, sizeof(name));
	snprintf(error->text, sizeof(error->text), "run %s: %.600s", name, text.text);
}

bool sweep_is_bench(const struct sweep *sweep)
{
	bool is_bench = sweep->base->workload.kind != WORKLOAD_UNSET;

	for (size_t i = 0; i < sweep->vary_count; i++)
		is_bench |= !strcmp(sweep_column(&sweep->vary[i]), "workload");
	return is_bench;
}

const char *sweep_column(const struct vary *vary)
{
	bool is_option = !strncmp(vary->name, "--", 2);
	const char *name = vary->name + (is_option ? 2 : 0);
	const char *field = workload_config_field(name);

	if (field)
		return field;
	return !is_option && !strcmp(name, "seed") ? "set_seed" : name;
}

/*
 * What was varied comes first, unless it stands in the record under that name anyway. There are no
 * figures without a result; they are moved.
 */
static void record_run(const struct sweep *sweep, const struct run_config *config,
		       const char *const *values, struct record *figures, const char *error,
		       struct record *record)
{
	struct record rest = {0};

	config_record(config, &rest);
	if (figures)
		record_move(&rest, figures);
	record_add_text(&rest, "error", error);
	for (size_t i = 0; i < sweep->vary_count; i++) {
		const char *column = sweep_column(&sweep->vary[i]);
		uint64_t number;

		if (record_find(&rest, column))
			continue;
		if (number_parse(values[i], 0, UINT64_MAX, &number))
			record_add_text(record, column, values[i]);
		else
			record_add_u64(record, column, number);
	}
	record_move(record, &rest);
}

void sweep_record_names(const struct sweep *sweep, struct record *record)
{
	struct replay_result replayed = {.max_entries = 1};
	struct bench_result measured = {0};
	struct record figures = {0};
	struct run_config config = *sweep->base;
	const char *values[SWEEP_VARY_MAX];

	for (size_t i = 0; i < sweep->vary_count; i++)
		values[i] = "";
	if (sweep_is_bench(sweep)) {
		config.workload.kind = 0;
		bench_record(&measured, &figures);
	} else {
		replay_record(&replayed, &figures);
	}
	record_run(sweep, &config, values, &figures, "", record);
}

int sweep_record_run(const struct sweep *sweep, uint64_t run, struct record *record,
		     uint32_t *entries, struct error *error)
{
	const char *values[SWEEP_VARY_MAX];
	struct run_config config;
	int err = sweep_config(sweep, run, &config, values, error);

	if (err)
		return err;
	record_run(sweep, &config, values, NULL, "", record);
	*entries = map_attr_entries(&config.map.attr, config.map.cpus);
	return record->failed ? error_set(error, -ENOMEM, "out of memory") : 0;
}

static int replay_one(const struct sweep_pool *pool, const struct run_config *config,
		      struct record *figures, struct error *error)
{
	struct replay_options options = {.stop = pool->sweep->stop, .store = pool->store};
	struct replay_result result;
	int err = replay_run(config, &options, &result, error);

	if (!err || err == -EUCLEAN)
		replay_record(&result, figures);
	replay_result_deinit(&result);
	return err;
}

static int bench_one(const struct sweep_pool *pool, const struct run_config *config,
		     struct record *figures, struct error *error)
{
	struct bench_options options = {.stop = pool->sweep->stop};
	struct bench_result result;
	int err = bench_run(config, &options, &result, error);

	if (!err || err == -EUCLEAN)
		bench_record(&result, figures);
	bench_result_deinit(&result);
	return err;
}

/* A map that is refused, or that fails its check, is an answer; other errors end the sweep. */
static int sweep_one(const struct sweep_pool *pool, uint64_t run, struct record *record,
		     struct error *error)
{
	const struct sweep *sweep = pool->sweep;
	const char *values[SWEEP_VARY_MAX];
	struct record figures = {0};
	struct run_config config;
	int err = sweep_config(sweep, run, &config, values, error);

	if (!err) {
		err = sweep_is_bench(sweep) ? bench_one(pool, &config, &figures, error)
					    : replay_one(pool, &config, &figures, error);
		if (err && error->is_refusal)
			record_run(sweep, &config, values, NULL, error->text, record);
		else if (!err || err == -EUCLEAN)
			record_run(sweep, &config, values, &figures, err ? error->text : "",
				   record);
		record_deinit(&figures);
		if (record->count)
			err = 0;
	}
	if (!err && record->failed)
		err = error_set(error, -ENOMEM, "out of memory");
	if (err && err != -EINTR)
		name_error(sweep, values, error);
	return err;
}

static bool sweep_stopped(const struct sweep_pool *pool)
{
	return pool->failed || pool->row_err ||
	       (pool->sweep->stop && atomic_load(pool->sweep->stop));
}

/* Gives what is whole from the first not given on. Under the lock. */
static void give_in_order(struct sweep_pool *pool)
{
	for (; pool->given < pool->total; pool->given++) {
		struct sweep_slot *slot = &pool->slots[pool->given - pool->sweep->first];

		if (slot->state != RUN_DONE || pool->row_err)
			return;
		pool->row_err = pool->sweep->row(pool->sweep->arg, &slot->record, &pool->row_error);
		record_deinit(&slot->record);
	}
}

/* Under the lock. */
static void note_failure(struct sweep_pool *pool, uint64_t run, int err, const struct error *error)
{
	struct sweep_failure *failure = &pool->failure;

	pool->failed = true;
	if (err == -EINTR || (failure->err && failure->run < run))
		return;
	failure->run = run;
	failure->err = error_copy(&failure->error, err, error);
}

static void *sweep_worker(void *arg)
{
	struct sweep_pool *pool = arg;

	pthread_mutex_lock(&pool->lock);
	while (pool->next < pool->total && !sweep_stopped(pool)) {
		struct sweep_slot *slot = &pool->slots[pool->next - pool->sweep->first];
		struct error error = {.text = ""};
		uint64_t run = pool->next++;
		int err;

		pthread_mutex_unlock(&pool->lock);
		err = sweep_one(pool, run, &slot->record, &error);
		pthread_mutex_lock(&pool->lock);
		slot->state = err ? RUN_FAILED : RUN_DONE;
		if (err)
			note_failure(pool, run, err, &error);
		pool->done++;
		give_in_order(pool);
		pthread_cond_signal(&pool->changed);
	}
	pool->working--;
	pthread_cond_signal(&pool->changed);
	pthread_mutex_unlock(&pool->lock);
	return NULL;
}

/* Reports while the workers work. */
static void sweep_watch(struct sweep_pool *pool)
{
	pthread_mutex_lock(&pool->lock);
	while (pool->working) {
		struct timespec until;

		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += 200000000;
		if (until.tv_nsec >= 1000000000) {
			until.tv_nsec -= 1000000000;
			until.tv_sec++;
		}
		pthread_cond_timedwait(&pool->changed, &pool->lock, &until);
		if (pool->sweep->progress)
			pool->sweep->progress(pool->sweep->arg, pool->done, pool->total);
	}
	pthread_mutex_unlock(&pool->lock);
}

static int sweep_work(struct sweep_pool *pool, struct error *error)
{
	unsigned int jobs = pool->sweep->jobs, begun = 0;
	pthread_t *threads;

	if (!jobs)
		jobs = sweep_is_bench(pool->sweep) ? 1 : cpus_usable_count();
	if (jobs > pool->total - pool->next)
		jobs = (unsigned int)(pool->total - pool->next);
	threads = calloc(jobs + 1, sizeof(*threads));
	if (!threads)
		return error_set(error, -ENOMEM, "out of memory");
	pool->working = jobs;
	while (begun < jobs && !pthread_create(&threads[begun], NULL, sweep_worker, pool))
		begun++;
	pthread_mutex_lock(&pool->lock);
	pool->working -= jobs - begun;
	pthread_mutex_unlock(&pool->lock);
	sweep_watch(pool);
	for (unsigned int i = 0; i < begun; i++)
		pthread_join(threads[i], NULL);
	free(threads);
	return begun ? 0 : error_set(error, -EAGAIN, "no thread could be started");
}

/*
 * What was given is all up to the first run that is not whole, so that it depends neither on which
 * run was quicker nor, but for its length, on when it was stopped.
 */
static int sweep_conclude(struct sweep_pool *pool, struct error *error)
{
	if (pool->failure.err)
		return error_copy(error, pool->failure.err, &pool->failure.error);
	if (pool->row_err) {
		*error = pool->row_error;
		return pool->row_err;
	}
	return sweep_stopped(pool) ? -EINTR : 0;
}

int sweep_check_vary(const struct run_config *base, const struct vary *vary, struct error *error)
{
	struct run_config config = *base;
	int err = 0;

	if (!config_has(vary->name))
		return error_set(error, -EINVAL,
				 "--vary %.32s: no such setting; there are type, max_entries, "
				 "key_size, value_size, flags, numa_node, --kernel, --cpus, "
				 "--engine, --program, --spread, --seed, --pin, --mem, the "
				 "tunables, and of benchmarks --workload and what it is set by",
				 vary->name);
	for (size_t n = 0; !err && n < vary->count; n++)
		err = config_set(&config, vary->name, vary->values[n], error);
	return err;
}

/* Whether a setting changes how traces are read. */
static bool varies_traces(const struct run_config *base, const struct vary *vary)
{
	struct run_config config = *base;
	struct trace_options first = {0}, other;

	for (size_t n = 0; n < vary->count; n++) {
		if (config_set(&config, vary->name, vary->values[n], NULL))
			return true;
		other = config_trace_options(&config);
		if (!n)
			first = other;
		if (!trace_options_equal(&first, &other))
			return true;
	}
	return false;
}

/* Standard input is there for one reading, which all runs have to share. */
static int sweep_check_stdin(const struct sweep *sweep, struct error *error)
{
	const struct run_config *base = sweep->base;
	size_t readings = 0;

	for (size_t i = 0; i < base->trace_count; i++)
		readings += trace_is_stdin(base->traces[i]);
	if (readings > 1 || (readings && sweep_is_bench(sweep) && sweep_runs(sweep) != 1))
		return error_set(error, -EINVAL, "-: standard input can be read once");
	for (size_t i = 0; readings && i < sweep->vary_count; i++) {
		if (varies_traces(base, &sweep->vary[i]))
			return error_set(error, -EINVAL,
					 "-: standard input can be read once, and --vary %.32s "
					 "would read it anew",
					 sweep->vary[i].name);
	}
	return 0;
}

/* The settings of the --vary of a column, or NULL. */
static const struct vary *find_vary(const struct sweep *sweep, const char *column)
{
	for (size_t i = 0; i < sweep->vary_count; i++) {
		if (!strcmp(sweep_column(&sweep->vary[i]), column))
			return &sweep->vary[i];
	}
	return NULL;
}

/* Rows of an engine that knows no places would tell of places, and be the same. */
static int check_places(const struct sweep *sweep, struct error *error)
{
	static const char *const columns[] = {"pin", "mem"};
	const struct vary *engine_vary = find_vary(sweep, "engine");

	for (int i = 0; i < 2; i++) {
		const struct vary *vary = find_vary(sweep, columns[i]);

		for (size_t n = 0; vary && n < (engine_vary ? engine_vary->count : 1); n++) {
			const struct engine *engine =
				engine_vary ? engine_find(engine_vary->values[n], NULL)
					    : sweep->base->engine;

			if (engine && !engine->pins)
				return error_set(error, -EINVAL,
						 "--vary %.32s: the engine %s does not place its "
						 "CPUs on those of the machine",
						 vary->name, engine->name);
		}
	}
	return 0;
}

/* Each value is tried in a config of its own, so that a slip is told before hours of runs. */
static int sweep_check(const struct sweep *sweep, struct error *error)
{
	int err = 0;

	for (size_t i = 0; !err && i < sweep->vary_count; i++) {
		for (size_t n = 0; n < i; n++) {
			if (!strcmp(sweep_column(&sweep->vary[n]), sweep_column(&sweep->vary[i])))
				return error_set(error, -EINVAL, "--vary %.32s: given twice",
						 sweep->vary[i].name);
		}
		err = sweep_check_vary(sweep->base, &sweep->vary[i], error);
	}
	if (!err)
		err = check_places(sweep, error);
	if (!err && sweep->jobs > 1 && sweep_is_bench(sweep))
		return error_set(error, -EINVAL,
				 "-j %u: benchmarks run one after another, or they would measure "
				 "each other",
				 sweep->jobs);
	return err ? err : sweep_check_stdin(sweep, error);
}

/*
 * A place for traces, if there are runs that read the same: up to a quarter of the memory, as maps
 * need theirs.
 */
static struct trace_store *sweep_store(const struct sweep *sweep, uint64_t runs)
{
	uint64_t readings = sweep->each_trace ? sweep->base->trace_count : 1;

	/* A benchmark keeps its traces itself. */
	if (sweep_is_bench(sweep))
		return NULL;
	for (size_t i = 0; i < sweep->vary_count; i++) {
		if (varies_traces(sweep->base, &sweep->vary[i]))
			readings *= sweep->vary[i].count;
	}
	return readings < runs ? trace_store_create(system_memory_available() / 4) : NULL;
}

int sweep_run(const struct sweep *sweep, struct error *error)
{
	struct sweep_pool pool = {.sweep = sweep,
				  .lock = PTHREAD_MUTEX_INITIALIZER,
				  .changed = PTHREAD_COND_INITIALIZER,
				  .next = sweep->first,
				  .given = sweep->first,
				  .done = sweep->first};
	int err = sweep_check(sweep, error);

	if (err)
		return err;
	pool.total = sweep_runs(sweep);
	if (pool.total && pool.total <= sweep->first)
		return 0;
	pool.slots = pool.total ? calloc(pool.total - sweep->first, sizeof(*pool.slots)) : NULL;
	if (!pool.slots)
		return error_set(error, -ENOMEM, "too many runs for memory");
	pool.store = sweep_store(sweep, pool.total - sweep->first);
	err = sweep_work(&pool, error);
	if (!err)
		err = sweep_conclude(&pool, error);
	for (uint64_t i = sweep->first; i < pool.next; i++)
		record_deinit(&pool.slots[i - sweep->first].record);
	free(pool.slots);
	trace_store_destroy(pool.store);
	return err;
}
