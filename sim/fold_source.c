// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sim/fold_source.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "sim/map_config.h"

static bool is_stopped(const atomic_int *stop)
{
	return stop && atomic_load_explicit(stop, memory_order_relaxed);
}

/* The map that has an entry for each table. */
static int configure_map(const struct fold_size *size, struct map_config *config,
			 struct error *error)
{
	char text[96];
	int err;

	map_config_init(config);
	config->cpus = size->cpus;
	snprintf(text, sizeof(text), "type=percpu_hash,max_entries=%u,value_size=%zu", size->tables,
		 size->items * sizeof(uint64_t));
	err = map_config_set_map(config, text, error);
	if (err)
		return err;
	map_config_finish(config, 1);
	return map_config_check(config, error);
}

static uint64_t total_count(const struct fold_size *size)
{
	return (uint64_t)size->tables * size->items;
}

uint64_t fold_source_bytes(const struct fold_size *size, bool is_map)
{
	uint64_t bytes =
		total_count(size) * sizeof(uint64_t) + (uint64_t)size->tables * sizeof(uint64_t *);
	struct map_config config;

	if (!is_map)
		return bytes + fold_tables_bytes(size->items, size->cpus, size->tables);
	if (configure_map(size, &config, NULL))
		return UINT64_MAX;
	/* With a value that is written from. */
	return bytes + map_config_bytes(&config) +
	       (uint64_t)size->cpus * size->items * sizeof(uint64_t);
}

static int no_memory(struct error *error)
{
	return error_set(error, -ENOMEM, "out of memory");
}

static int make_tables(struct fold_source *source, const int *nodes, struct error *error)
{
	const struct fold_size *size = &source->size;

	if (fold_tables_init(&source->tables, size->items, size->cpus, size->tables, nodes))
		return no_memory(error);
	source->rows = source->tables.rows;
	for (uint32_t table = 0; table < size->tables; table++)
		source->firsts[table] = fold_tables_first(&source->tables, table);
	return 0;
}

/* A CPU's copy of an entry's value; keys are the tables' numbers. */
static uint64_t *find_row(const struct fold_source *source, uint64_t key, uint32_t cpu)
{
	struct map_ctx ctx = {.cpu = cpu, .context = OP_PROGRAM};

	/* cppcheck-suppress returnDanglingLifetime ; it points into the map */
	return seq_model_ops.lookup_in_place(source->map, &ctx, &key);
}

/* Entries whose counters are zeroes. */
static int add_entries(const struct fold_source *source, const atomic_int *stop,
		       struct error *error)
{
	struct map_ctx ctx = {.cpu = 0, .context = OP_SYSCALL};
	uint64_t *value = calloc((size_t)source->size.cpus * source->size.items, sizeof(*value));
	int err = value ? 0 : no_memory(error);

	for (uint64_t key = 0; !err && key < source->size.tables; key++) {
		err = seq_model_ops.update(source->map, &ctx, &key, value, 0);
		if (err)
			error_set(error, err, "the map takes no entry %llu: %s",
				  (unsigned long long)key, strerror(-err));
		else if (is_stopped(stop))
			err = -EINTR;
	}
	free(value);
	return err;
}

static int make_map(struct fold_source *source, const atomic_int *stop, struct error *error)
{
	struct map_config config;
	int err = configure_map(&source->size, &config, error);

	if (!err)
		err = seq_model_ops.map_create(&config.attr, &config.tunables, config.cpus,
					       &source->map, error);
	if (!err)
		err = add_entries(source, stop, error);
	if (err)
		return err;
	source->offsets = calloc(source->size.cpus, sizeof(*source->offsets));
	if (!source->offsets)
		return no_memory(error);
	for (uint32_t table = 0; table < source->size.tables; table++)
		source->firsts[table] = find_row(source, table, 0);
	for (uint32_t cpu = 1; cpu < source->size.cpus; cpu++)
		source->offsets[cpu] =
			(size_t)((char *)find_row(source, 0, cpu) - (char *)source->firsts[0]);
	source->rows = (struct fold_rows){.items = source->size.items,
					  .cpus = source->size.cpus,
					  .offsets = source->offsets};
	return 0;
}

/* Numbers that no two counters share, so that a row in the wrong place is found out. */
static int fill(struct fold_source *source, const atomic_int *stop)
{
	const struct fold_rows *rows = &source->rows;
	uint64_t state = 1;

	for (uint32_t table = 0; table < source->size.tables; table++) {
		uint64_t *totals = &source->totals[(size_t)table * rows->items];

		if (is_stopped(stop))
			return -EINTR;
		for (uint32_t cpu = 0; cpu < rows->cpus; cpu++) {
			uint64_t *row = fold_row(rows, source->firsts[table], cpu);

			for (uint32_t item = 0; item < rows->items; item++) {
				uint64_t number = rng_splitmix(&state);

				fold_count(&row[item], number);
				totals[item] += number;
			}
		}
	}
	return 0;
}

int fold_source_init(struct fold_source *source, const struct fold_size *size, bool is_map,
		     const int *nodes, const atomic_int *stop, struct error *error)
{
	int err;

	memset(source, 0, sizeof(*source));
	source->name = is_map ? "map" : "tables";
	source->size = *size;
	source->firsts = calloc(size->tables, sizeof(*source->firsts));
	source->totals = calloc(total_count(size), sizeof(*source->totals));
	if (!source->firsts || !source->totals)
		return no_memory(error);
	err = is_map ? make_map(source, stop, error) : make_tables(source, nodes, error);
	return err ? err : fill(source, stop);
}

void fold_source_deinit(struct fold_source *source)
{
	if (source->map)
		seq_model_ops.map_destroy(source->map);
	fold_tables_deinit(&source->tables);
	free(source->offsets);
	free(source->totals);
	free(source->firsts);
	memset(source, 0, sizeof(*source));
}

static int read_entries(const struct fold_source *source, const struct fold_order *order,
			uint64_t *sums, const atomic_int *stop)
{
	struct map_ctx ctx = {.cpu = 0, .context = OP_SYSCALL};
	const uint64_t *last = NULL;
	uint64_t key;

	while (!seq_model_ops.next_key(source->map, &ctx, last, &key)) {
		last = &key;
		order->fold(&source->rows, find_row(source, key, 0), sums);
		if (is_stopped(stop))
			return -EINTR;
	}
	return 0;
}

int fold_source_read(const struct fold_source *source, const struct fold_order *order,
		     uint64_t *sums, const atomic_int *stop)
{
	if (source->map)
		return read_entries(source, order, sums, stop);
	for (uint32_t table = 0; table < source->size.tables; table++) {
		order->fold(&source->rows, source->firsts[table], sums);
		if (is_stopped(stop))
			return -EINTR;
	}
	return 0;
}

int fold_source_check(const struct fold_source *source, const struct fold_order *order,
		      uint64_t *sums, const atomic_int *stop, struct error *error)
{
	uint32_t items = source->rows.items;

	for (uint32_t table = 0; table < source->size.tables; table++) {
		const uint64_t *totals = &source->totals[(size_t)table * items];

		if (is_stopped(stop))
			return -EINTR;
		order->fold(&source->rows, source->firsts[table], sums);
		for (uint32_t item = 0; item < items; item++) {
			if (sums[item] != totals[item])
				return error_set(error, -EUCLEAN,
						 "%s, order %s: table %u, item %u adds up to %llu, "
						 "not %llu",
						 source->name, order->name, table, item,
						 (unsigned long long)sums[item],
						 (unsigned long long)totals[item]);
		}
	}
	return 0;
}

/* Of one CPU: tables in the order of memory, each from the line behind its neighbour's last. */
static uint64_t lines_of_cpu(const struct fold_source *source, uint32_t cpu)
{
	size_t bytes = source->rows.items * sizeof(uint64_t);
	uintptr_t last = 0;
	uint64_t lines = 0;

	for (uint32_t table = 0; table < source->size.tables; table++) {
		uintptr_t row = (uintptr_t)fold_row(&source->rows, source->firsts[table], cpu);
		uintptr_t first = row / FOLD_LINE_BYTES;
		bool is_shared = first == last;

		last = (row + bytes - 1) / FOLD_LINE_BYTES;
		lines += last - first + !is_shared;
	}
	return lines;
}

uint64_t fold_source_lines(const struct fold_source *source)
{
	uint64_t lines = 0;

	for (uint32_t cpu = 0; cpu < source->rows.cpus; cpu++)
		lines += lines_of_cpu(source, cpu);
	return lines;
}

uint64_t fold_source_line_visits(const struct fold_source *source, const struct fold_order *order)
{
	uint64_t visits = 0;

	for (uint32_t table = 0; table < source->size.tables; table++)
		visits += fold_line_visits(order, &source->rows, source->firsts[table]);
	return visits;
}
