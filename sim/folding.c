// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sim/folding.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "base/system.h"
#include "sim/bandwidth.h"
#include "sim/pin.h"
#include "sim/team.h"
#include "sim/topology.h"

/* Updates between looks at whether all is read. */
#define WRITER_BURST 1024

struct folding {
	const struct folding_config *config;
	const atomic_int *stop;
	struct topology topology;
	struct pin_plan plan;
	int *nodes; /* of each CPU, or NULL where there is one node */
	struct bandwidth bandwidth;
	double *bandwidths; /* read, one before each of ... */
	double *readings;   /* ... these: ns for a table, repeat of each order */
	uint64_t *sums;     /* items */

	/* Of the part that is read. */
	struct fold_source source;
	struct folding_part *part;
	atomic_bool is_read;
	_Atomic uint64_t updates;
};

static int no_memory(struct error *error)
{
	return error_set(error, -ENOMEM, "out of memory");
}

/* Adds 1 to counters of its own CPUs, every writers-th, until all is read. */
static void write_counters(struct folding *folding, uint32_t writer)
{
	const struct fold_source *source = &folding->source;
	const struct fold_rows *rows = &source->rows;
	uint32_t cpu = writer;
	uint64_t updates = 0;
	struct rng rng;

	rng_init(&rng, writer + 1);
	while (!atomic_load_explicit(&folding->is_read, memory_order_relaxed)) {
		for (int i = 0; i < WRITER_BURST; i++) {
			uint64_t *first = source->firsts[rng_below(&rng, source->size.tables)];

			fold_count(&fold_row(rows, first, cpu)[rng_below(&rng, rows->items)], 1);
			cpu += folding->config->writers;
			if (cpu >= rows->cpus)
				cpu = writer;
		}
		updates += WRITER_BURST;
	}
	atomic_fetch_add(&folding->updates, updates);
}

/*
 * Orders take turns. Memory is read before each, for its own sake and so that all begin with the
 * same in the caches, which is nothing of theirs.
 */
static int read_all(struct folding *folding)
{
	const struct folding_part *part = folding->part;
	double *readings = folding->readings, *bandwidths = folding->bandwidths;

	for (uint32_t r = 0; r < folding->config->repeat; r++) {
		for (uint32_t i = 0; i < part->count; i++) {
			double begin;
			int err;

			*bandwidths++ = bandwidth_read(&folding->bandwidth);
			begin = system_seconds();
			err = fold_source_read(&folding->source, part->times[i].order,
					       folding->sums, folding->stop);
			if (err)
				return err;
			readings[(size_t)i * folding->config->repeat + r] =
				(system_seconds() - begin) * 1e9 / folding->config->size.tables;
		}
	}
	return 0;
}

static int member_bind(void *arg, uint32_t member, struct error *error)
{
	struct folding *folding = arg;

	return pin_bind_thread(&folding->plan, member % folding->plan.cpus, error);
}

/* The first member reads, the others write. */
static int member_work(void *arg, uint32_t member, struct error *error)
{
	struct folding *folding = arg;
	int err;

	(void)error;
	if (member) {
		write_counters(folding, member - 1);
		return 0;
	}
	err = read_all(folding);
	atomic_store_explicit(&folding->is_read, true, memory_order_relaxed);
	return err;
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void sort(double *readings, uint32_t count)
{
	qsort(readings, count, sizeof(*readings), compare_doubles);
}

static void summarize(struct folding *folding)
{
	struct folding_part *part = folding->part;
	uint32_t repeat = folding->config->repeat, bandwidths = repeat * part->count;

	sort(folding->bandwidths, bandwidths);
	part->bandwidth_bytes_per_second = folding->bandwidths[bandwidths / 2];
	part->lines = fold_source_lines(&folding->source);
	part->updates = folding->updates;
	for (uint32_t i = 0; i < part->count; i++) {
		struct folding_time *time = &part->times[i];
		double *readings = &folding->readings[(size_t)i * repeat];

		sort(readings, repeat);
		time->ns = readings[repeat / 2];
		time->ns_min = readings[0];
		time->ns_max = readings[repeat - 1];
		time->line_visits = fold_source_line_visits(&folding->source, time->order);
	}
}

static int check_orders(struct folding *folding, struct error *error)
{
	int err = 0;

	for (uint32_t i = 0; !err && i < folding->part->count; i++)
		err = fold_source_check(&folding->source, folding->part->times[i].order,
					folding->sums, folding->stop, error);
	return err;
}

/*
 * After writers: item by item is what the others have to agree with, and all that was added has to
 * be there.
 */
static int check_updates(struct folding *folding, struct error *error)
{
	struct fold_source *source = &folding->source;
	uint64_t updates = folding->updates, added = 0;
	uint32_t items = source->rows.items;

	for (uint32_t table = 0; table < source->size.tables; table++) {
		uint64_t *totals = &source->totals[(size_t)table * items];

		fold_orders[0].fold(&source->rows, source->firsts[table], folding->sums);
		for (uint32_t item = 0; item < items; item++)
			added += folding->sums[item] - totals[item];
		memcpy(totals, folding->sums, items * sizeof(*totals));
	}
	if (added != updates)
		return error_set(error, -EUCLEAN, "%s: writers added %llu, and %llu are there",
				 source->name, (unsigned long long)updates,
				 (unsigned long long)added);
	return check_orders(folding, error);
}

static int run_source(struct folding *folding, struct error *error)
{
	const struct team team = {member_bind, member_work, folding};
	int err = check_orders(folding, error);

	if (err)
		return err;
	atomic_store(&folding->is_read, false);
	atomic_store(&folding->updates, 0);
	err = team_run(&team, 1 + folding->config->writers, error);
	if (!err)
		err = check_updates(folding, error);
	if (!err)
		summarize(folding);
	return err;
}

static int run_part(struct folding *folding, struct folding_part *part, bool is_map,
		    struct error *error)
{
	const struct folding_config *config = folding->config;
	int err;

	memset(part, 0, sizeof(*part));
	folding->part = part;
	for (const struct fold_order *order = fold_orders; order->name; order++) {
		if (!config->order || config->order == order)
			part->times[part->count++].order = order;
	}
	err = fold_source_init(&folding->source, &config->size, is_map, folding->nodes,
			       folding->stop, error);
	part->source = folding->source.name;
	if (!err)
		err = run_source(folding, error);
	fold_source_deinit(&folding->source);
	return err;
}

/* The largest cache of the machine, 0 when it is not known. */
static uint64_t largest_cache_bytes(const struct topology *topology)
{
	uint64_t largest = 0;

	for (int type = HWLOC_OBJ_L1CACHE; type <= HWLOC_OBJ_L5CACHE; type++) {
		hwloc_obj_t cache = NULL;

		while ((cache = hwloc_get_next_obj_by_type(topology->hwloc, (hwloc_obj_type_t)type,
							   cache))) {
			if (cache->attr->cache.size > largest)
				largest = cache->attr->cache.size;
		}
	}
	return largest;
}

static int plan_nodes(struct folding *folding)
{
	uint32_t cpus = folding->config->size.cpus;

	if (hwloc_get_nbobjs_by_type(folding->topology.hwloc, HWLOC_OBJ_NUMANODE) < 2)
		return 0;
	folding->nodes = calloc(cpus, sizeof(*folding->nodes));
	if (!folding->nodes)
		return -ENOMEM;
	for (uint32_t cpu = 0; cpu < cpus; cpu++)
		folding->nodes[cpu] = pin_plan_node(&folding->plan, cpu);
	return 0;
}

static int folding_begin(struct folding *folding, struct error *error)
{
	const struct folding_config *config = folding->config;
	size_t readings = (size_t)config->repeat * FOLD_ORDERS;

	folding->sums = calloc(config->size.items, sizeof(*folding->sums));
	folding->bandwidths = calloc(readings, sizeof(*folding->bandwidths));
	folding->readings = calloc(readings, sizeof(*folding->readings));
	if (!folding->sums || !folding->bandwidths || !folding->readings || plan_nodes(folding))
		return no_memory(error);
	return bandwidth_init(&folding->bandwidth, largest_cache_bytes(&folding->topology), error);
}

static void folding_end(struct folding *folding)
{
	bandwidth_deinit(&folding->bandwidth);
	free(folding->readings);
	free(folding->bandwidths);
	free(folding->sums);
	free(folding->nodes);
}

/* One source is there at a time. */
static int check_memory(const struct folding *folding, struct error *error)
{
	const struct folding_config *config = folding->config;
	uint64_t tables = fold_source_bytes(&config->size, false);
	uint64_t map = config->has_map ? fold_source_bytes(&config->size, true) : 0;
	uint64_t bytes = tables > map ? tables : map, available = system_memory_available();
	uint64_t more = bandwidth_bytes(largest_cache_bytes(&folding->topology));

	/* Such a map is refused for another reason. */
	if (map == UINT64_MAX)
		bytes = tables;
	bytes += more;
	if (bytes <= available)
		return 0;
	return error_set(error, -ENOMEM,
			 "%u %s of %u items for %u CPUs would take %.1f GiB, and %.1f GiB are "
			 "available (ENOMEM)",
			 config->size.tables, map > tables ? "entries" : "tables",
			 config->size.items, config->size.cpus, (double)bytes / (1 << 30),
			 (double)available / (1 << 30));
}

static int run_parts(struct folding *folding, struct folding_result *result, struct error *error)
{
	int err = folding_begin(folding, error);

	if (!err)
		err = run_part(folding, &result->parts[result->count++], false, error);
	if (!err && folding->config->has_map)
		err = run_part(folding, &result->parts[result->count++], true, error);
	folding_end(folding);
	return err;
}

int folding_run(const struct folding_config *config, const atomic_int *stop,
		struct folding_result *result, struct error *error)
{
	struct folding folding = {.config = config, .stop = stop};
	const struct pin_config pin = {.kind = PIN_SCATTER};
	int err;

	memset(result, 0, sizeof(*result));
	if (config->writers > config->size.cpus)
		return error_set(error, -EINVAL,
				 "writers=%u: there are %u CPUs, and a CPU's counters have one "
				 "writer",
				 config->writers, config->size.cpus);
	err = topology_init(&folding.topology, TOPOLOGY_HOST, "", error);
	if (err)
		return err;
	err = check_memory(&folding, error);
	if (!err)
		err = pin_plan_init(&folding.plan, &folding.topology, &pin, config->size.cpus, true,
				    error);
	if (!err) {
		err = run_parts(&folding, result, error);
		pin_plan_deinit(&folding.plan);
	}
	topology_deinit(&folding.topology);
	return err;
}

/* How many times as fast as item by item, where that was measured. */
static void record_ratio(const struct folding_part *part, uint32_t i, struct record *record)
{
	if (part->times[0].order == &fold_orders[0])
		record_add_double(record, "ratio_to_item", part->times[0].ns / part->times[i].ns,
				  2);
	else
		record_add_unknown(record, "ratio_to_item");
}

void folding_record(const struct folding_config *config, const struct folding_part *part,
		    uint32_t i, struct record *record)
{
	const struct folding_time *time = &part->times[i];
	double seconds = time->ns * 1e-9 * config->size.tables;
	double rate = (double)(part->lines * FOLD_LINE_BYTES) / seconds;

	record_add_text(record, "version", VERSION);
	record_add_text(record, "source", part->source);
	record_add_text(record, "order", time->order->name);
	record_add_u64(record, "items", config->size.items);
	record_add_u64(record, "cpus", config->size.cpus);
	record_add_u64(record, "tables", config->size.tables);
	record_add_u64(record, "writers", config->writers);
	record_add_u64(record, "repeat", config->repeat);
	record_add_double(record, "ns_per_table", time->ns, 1);
	record_add_double(record, "ns_per_table_min", time->ns_min, 1);
	record_add_double(record, "ns_per_table_max", time->ns_max, 1);
	record_add_double(record, "spread", (time->ns_max - time->ns_min) / time->ns, 2);
	record_add_double(record, "seconds", seconds, 6);
	record_ratio(part, i, record);
	record_add_u64(record, "lines", part->lines);
	record_add_u64(record, "line_visits", time->line_visits);
	record_add_double(record, "gb_per_second", rate * 1e-9, 3);
	record_add_double(record, "memory_gb_per_second", part->bandwidth_bytes_per_second * 1e-9,
			  3);
	record_add_double(record, "memory_share", rate / part->bandwidth_bytes_per_second, 3);
	record_add_u64(record, "updates", part->updates);
}
