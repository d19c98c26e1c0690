// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sim/workload.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/rng.h"
#include "sim/config.h"
#include "sim/trace_store.h"
#include "traces/zipf.h"

#define OPERATIONS_DEFAULT 1000000
#define RANKS (1u << 16) /* drawn beforehand, and gone round */

const struct workload_info workload_infos[WORKLOADS] = {
	[WORKLOAD_UPDATE_RANDOM] = {"update-random", "updates of random 32-bit keys, all fresh",
				    "an update",
				    "type=lru_hash,max_entries=10000,key_size=4,no_common_lru", 1,
				    100, 0},
	[WORKLOAD_UPDATE_LOOKUP_DELETE] = {"update-lookup-delete",
					   "updates, looks up and deletes keys of its own",
					   "an update, a look-up and a delete",
					   "type=hash,max_entries=1000", 3, 0, 0},
	[WORKLOAD_FULL_UPDATE] = {"full-update", "updates of new keys in a map that is full",
				  "an update, which fails", "type=hash,max_entries=10000", 1, 100,
				  0},
	[WORKLOAD_LOOKUP] = {"lookup", "look-ups that all hit", "a look-up",
			     "type=hash,max_entries=65536,key_size=4", 1, 100, 1},
	[WORKLOAD_LOOKUP_HIT_MISS] = {"lookup-hit-miss", "look-ups, of which --hits percent hit",
				      "a look-up", "type=hash,max_entries=65536", 1, 50, 1},
	[WORKLOAD_CONNTRACK] = {"conntrack", "packets of flows by Zipf; new flows end old ones",
				"a packet (look-up, or update if missing), a start or an end",
				"type=lru_hash,max_entries=65536", 1, 50, 1},
	[WORKLOAD_START_DONE] = {"start-done", "requests: an update, later a look-up and a delete",
				 "an update, a look-up and a delete", "type=hash,max_entries=10240",
				 3, 0, 0},
	[WORKLOAD_REPLAY] = {"replay", "the operations of traces, split by CPU, over and over",
			     "an operation of the trace", "type=lru_hash,max_entries=65536", 1, 0,
			     0},
};

typedef int workload_setter(struct workload_config *config, const char *value, struct error *error);

void workload_config_init(struct workload_config *config)
{
	*config = (struct workload_config){
		.kind = WORKLOAD_UNSET,
		.warmup = 10,
		.repeat = 3,
		.fill = WORKLOAD_UNSET,
		.hits = 50,
		.new_flows = 1,
		.theta = 1,
	};
}

static int set_workload(struct workload_config *config, const char *value, struct error *error)
{
	const char *names[WORKLOADS];
	int kind;

	for (int i = 0; i < WORKLOADS; i++)
		names[i] = workload_infos[i].name;
	kind = config_find_name("workload", value, names, WORKLOADS, error);
	if (kind < 0)
		return kind;
	config->kind = (uint32_t)kind;
	return 0;
}

static int set_running(struct workload_config *config, const char *value, struct error *error)
{
	return config_set_u32(&config->running, "running", value, 1, MAP_CPUS_MAX, error);
}

static int set_operations(struct workload_config *config, const char *value, struct error *error)
{
	if (number_parse(value, 1, UINT64_MAX / 2, &config->operations))
		return config_refuse_number("operations", value, 1, UINT64_MAX / 2, error);
	return 0;
}

/* A fraction, in a range that is told in whole numbers. */
static int set_fraction(double *fraction, const char *name, const char *value, double min,
			double max, struct error *error)
{
	if (number_parse_double(value, min, max, fraction))
		return error_set(error, -EINVAL, "%s=%.40s: expected a number %g..%g", name, value,
				 min, max);
	return 0;
}

static int set_seconds(struct workload_config *config, const char *value, struct error *error)
{
	return set_fraction(&config->seconds, "seconds", value, 0.001, 86400, error);
}

static int set_warmup(struct workload_config *config, const char *value, struct error *error)
{
	return config_set_u32(&config->warmup, "warmup", value, 0, 1000, error);
}

static int set_repeat(struct workload_config *config, const char *value, struct error *error)
{
	return config_set_u32(&config->repeat, "repeat", value, 1, 1000, error);
}

static int set_fill(struct workload_config *config, const char *value, struct error *error)
{
	return config_set_u32(&config->fill, "fill", value, 0, 100, error);
}

static int set_hits(struct workload_config *config, const char *value, struct error *error)
{
	return set_fraction(&config->hits, "hits", value, 0, 100, error);
}

static int set_new_flows(struct workload_config *config, const char *value, struct error *error)
{
	return set_fraction(&config->new_flows, "new-flows", value, 0, 100, error);
}

static int set_theta(struct workload_config *config, const char *value, struct error *error)
{
	return set_fraction(&config->theta, "theta", value, 0, ZIPF_THETA_MAX, error);
}

static int set_think(struct workload_config *config, const char *value, struct error *error)
{
	if (number_parse(value, 0, 1000000000, &config->think_ns))
		return config_refuse_number("think", value, 0, 1000000000, error);
	return 0;
}

static const struct setting {
	const char *name;
	const char *field; /* of workload_record() */
	workload_setter *set;
} settings[] = {
	{"workload", "workload", set_workload},
	{"running", "running", set_running},
	{"operations", "operations_asked", set_operations},
	{"seconds", "seconds_asked", set_seconds},
	{"warmup", "warmup", set_warmup},
	{"repeat", "repeat", set_repeat},
	{"fill", "fill", set_fill},
	{"hits", "hits_asked", set_hits},
	{"new-flows", "new_flows", set_new_flows},
	{"theta", "theta", set_theta},
	{"think", "think_ns", set_think},
};

static const struct setting *find_setting(const char *name)
{
	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
		if (!strcmp(settings[i].name, name))
			return &settings[i];
	}
	return NULL;
}

bool workload_config_has(const char *name)
{
	return find_setting(name);
}

const char *workload_config_field(const char *name)
{
	const struct setting *setting = find_setting(name);

	return setting ? setting->field : NULL;
}

int workload_config_set(struct workload_config *config, const char *name, const char *value,
			struct error *error)
{
	const struct setting *setting = find_setting(name);

	if (!setting)
		return error_set(error, -EINVAL, "no setting \"%.32s\" of a workload", name);
	return setting->set(config, value, error);
}

uint32_t workload_running(const struct run_config *config)
{
	if (config->workload.running)
		return config->workload.running;
	return config->cpus_given ? config->cpus_given : config->map.cpus;
}

uint32_t workload_fill(const struct workload_config *config)
{
	return config->fill == WORKLOAD_UNSET ? workload_infos[config->kind].fill : config->fill;
}

uint64_t workload_operations(const struct workload_config *config)
{
	if (config->operations)
		return config->operations;
	return config->seconds > 0 ? UINT64_MAX : OPERATIONS_DEFAULT;
}

void workload_record(const struct run_config *config, struct record *record)
{
	const struct workload_config *workload = &config->workload;
	uint64_t operations = workload_operations(workload);

	record_add_text(record, "workload", workload_infos[workload->kind].name);
	record_add_u64(record, "running", workload_running(config));
	if (operations == UINT64_MAX)
		record_add_unknown(record, "operations_asked");
	else
		record_add_u64(record, "operations_asked", operations);
	record_add_double(record, "seconds_asked", workload->seconds, 3);
	record_add_u64(record, "warmup", workload->warmup);
	record_add_u64(record, "repeat", workload->repeat);
	record_add_u64(record, "fill", workload_fill(workload));
	record_add_double(record, "hits_asked", workload->hits, 3);
	record_add_double(record, "new_flows", workload->new_flows, 3);
	record_add_double(record, "theta", workload->theta, 3);
	record_add_u64(record, "think_ns", workload->think_ns);
}

/* A percentage as a share of 2^32. */
static unsigned int share_of(double percent)
{
	double share = percent / 100 * 0x1p32;

	return share >= 0x1p32 ? UINT32_MAX : (unsigned int)share;
}

static int refuse_running(const struct run_config *config, struct error *error)
{
	return error_set(error, -EINVAL, "--running %u: expected a number 1..%u, the map's CPUs",
			 config->workload.running, config->map.cpus);
}

/* The keys that are there at the start, and those that a CPU has of its own. */
static int set_keys(struct workload *workload, const struct run_config *config,
		    uint32_t max_entries, struct error *error)
{
	const struct workload_info *info = &workload_infos[config->workload.kind];
	struct workload_params *params = &workload->params;
	uint32_t share = max_entries / params->running;

	params->filled = (uint32_t)((uint64_t)max_entries * workload_fill(&config->workload) / 100);
	params->span = share ? share : 1;
	if (params->kind == WORKLOAD_CONNTRACK) {
		params->span = params->filled / params->running;
		params->filled = params->span * params->running;
	}
	if (params->filled >= info->least_keys * params->running)
		return 0;
	return error_set(error, -EINVAL,
			 "%s: --fill %u of %u entries: %u keys; expected one for each CPU that "
			 "works, %u",
			 info->name, workload_fill(&config->workload), max_entries, params->filled,
			 params->running);
}

static int draw_ranks(struct workload *workload, const struct run_config *config,
		      struct error *error)
{
	struct zipf zipf;
	struct rng rng;

	workload->drawn = calloc(RANKS, sizeof(*workload->drawn));
	if (!workload->drawn)
		return error_set(error, -ENOMEM, "out of memory");
	workload->drawn_count = RANKS;
	workload->params.rank_mask = RANKS - 1;
	zipf_init(&zipf, workload->params.span, config->workload.theta);
	rng_init(&rng, config->seed);
	for (uint32_t i = 0; i < RANKS; i++)
		workload->drawn[i].key = zipf_draw(&zipf, &rng);
	/* Each CPU goes its own way round. */
	for (uint32_t cpu = 0; cpu < workload->params.running; cpu++)
		workload->starts[cpu].place = (unsigned int)rng_below(&rng, RANKS);
	return 0;
}

/* What a program does for a code; -1: it cannot. */
static int call_of_code(const struct map_op *op)
{
	switch ((enum op_code)op->code) {
	case OP_LOOKUP:
		return CALL_LOOKUP;
	case OP_UPDATE:
		return CALL_UPDATE;
	case OP_UPDATE_NOEXIST:
		return CALL_UPDATE_NOEXIST;
	case OP_UPDATE_EXIST:
		return CALL_UPDATE_EXIST;
	case OP_DELETE:
		return CALL_DELETE;
	case OP_ACCESS:
		return CALL_ACCESS;
	default:
		return -1;
	}
}

/* A step of every operation of a trace, dealt to the CPUs; next[cpu] is where its next one goes. */
static int deal_ops(struct workload *workload, const struct op_batch *ops, const char *trace,
		    uint32_t *next, struct error *error)
{
	for (size_t i = 0; i < ops->count; i++) {
		const struct map_op *op = &ops->ops[i];
		int call = op->context == OP_PROGRAM ? call_of_code(op) : -1;

		if (call < 0)
			return error_set(error, -EINVAL,
					 "%.400s: operation %zu is %c: a benchmark replays what a "
					 "program does (L U N E D T)",
					 trace, i, op_letter(op->code, op->context));
		if (op->key_bytes)
			return error_set(error, -EINVAL,
					 "%.400s: operation %zu: a benchmark replays keys that are "
					 "integers",
					 trace, i);
		workload->drawn[next[op->cpu]++] =
			(struct workload_drawn){op->key, (unsigned int)call, 0};
	}
	return 0;
}

/* Where each CPU's part begins. Each has to have one: an operation has to follow another. */
static int cut_parts(struct workload *workload, const struct op_batch *traces, size_t count,
		     uint32_t *next, struct error *error)
{
	uint32_t running = workload->params.running;

	for (size_t n = 0; n < count; n++) {
		for (size_t i = 0; i < traces[n].count; i++)
			workload->starts[traces[n].ops[i].cpu].length++;
	}
	for (uint32_t cpu = 0, first = 0; cpu < running; cpu++) {
		struct workload_state *state = &workload->starts[cpu];

		if (!state->length)
			return error_set(error, -EINVAL,
					 "replay: the traces have no operation on CPU %u; expected "
					 "one on each CPU that works, 0 to %u",
					 cpu, running - 1);
		state->first = next[cpu] = first;
		first += state->length;
	}
	return 0;
}

static int deal_traces(struct workload *workload, const struct run_config *config,
		       const struct op_batch *traces, struct error *error)
{
	uint32_t *next;
	size_t total = 0;
	int err;

	for (size_t n = 0; n < config->trace_count; n++)
		total += traces[n].count;
	if (total > UINT32_MAX / 2)
		return error_set(error, -EINVAL, "replay: more than %u operations", UINT32_MAX / 2);
	next = calloc(workload->params.running, sizeof(*next));
	workload->drawn = calloc(total, sizeof(*workload->drawn));
	workload->drawn_count = total;
	if (!workload->drawn || !next) {
		free(next);
		return error_set(error, -ENOMEM, "out of memory");
	}
	err = cut_parts(workload, traces, config->trace_count, next, error);
	for (size_t n = 0; !err && n < config->trace_count; n++)
		err = deal_ops(workload, &traces[n], config->traces[n], next, error);
	free(next);
	return err;
}

static int read_traces(struct workload *workload, const struct run_config *config,
		       const atomic_int *stop, struct error *error)
{
	struct trace_options options = config_trace_options(config);
	struct op_batch *traces;
	int err = 0;

	if (!config->trace_count)
		return error_set(error, -EINVAL,
				 "replay: no trace given: a file, - or gen:KIND,name=value,...");
	traces = calloc(config->trace_count, sizeof(*traces));
	if (!traces)
		return error_set(error, -ENOMEM, "out of memory");
	options.cpus = workload->params.running;
	for (size_t n = 0; !err && n < config->trace_count; n++)
		err = trace_load(config->traces[n], &options, stop, NULL, NULL, &traces[n], error);
	if (!err)
		err = deal_traces(workload, config, traces, error);
	for (size_t n = 0; n < config->trace_count; n++)
		op_batch_deinit(&traces[n]);
	free(traces);
	return err;
}

static int init_starts(struct workload *workload, const struct run_config *config,
		       struct error *error)
{
	struct rng rng;

	workload->starts = calloc(workload->params.running, sizeof(*workload->starts));
	if (!workload->starts)
		return error_set(error, -ENOMEM, "out of memory");
	rng_init(&rng, config->seed);
	for (uint32_t cpu = 0; cpu < workload->params.running; cpu++) {
		struct workload_state *state = &workload->starts[cpu];

		state->cpu = cpu;
		state->random = rng_next(&rng);
		/* The flows that are there from the start. */
		if (workload->params.kind == WORKLOAD_CONNTRACK)
			state->count = workload->params.span;
	}
	return 0;
}

int workload_init(struct workload *workload, const struct run_config *config, uint32_t max_entries,
		  const atomic_int *stop, struct error *error)
{
	const struct workload_config *from = &config->workload;
	struct workload_params *params = &workload->params;
	int err;

	memset(workload, 0, sizeof(*workload));
	params->kind = from->kind;
	params->running = workload_running(config);
	params->think_ns = from->think_ns;
	params->rare =
		share_of(from->kind == WORKLOAD_CONNTRACK ? from->new_flows : 100 - from->hits);
	if (params->running > config->map.cpus)
		return refuse_running(config, error);
	if (config->trace_count && from->kind != WORKLOAD_REPLAY)
		return error_set(error, -EINVAL, "%s takes no traces, as replay does",
				 workload_infos[from->kind].name);
	err = set_keys(workload, config, max_entries, error);
	if (!err)
		err = init_starts(workload, config, error);
	if (!err && from->kind == WORKLOAD_CONNTRACK)
		err = draw_ranks(workload, config, error);
	if (!err && from->kind == WORKLOAD_REPLAY)
		err = read_traces(workload, config, stop, error);
	return err;
}

void workload_deinit(struct workload *workload)
{
	free(workload->starts);
	free(workload->drawn);
	memset(workload, 0, sizeof(*workload));
}

uint64_t workload_fill_operations(const struct workload *workload, uint32_t cpu)
{
	uint32_t filled = workload->params.filled, running = workload->params.running;

	return filled / running + (cpu < filled % running);
}
