// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Per-CPU tables and the orders in which they are added up.
 *
 * What is modelled: alloc_percpu() (mm/percpu.c) and the readers of SNMP tables, which went item by
 * item (snmp_fold_field() for each counter) until 2015 and CPU by CPU since.
 *
 * Layout. A unit has the size of the allocator's smallest, 32 KiB or a page, so a counter's copies
 * are a power of two apart: they fall into the same few sets of a cache, which cannot hold those
 * of many CPUs. The line that brought one counter is gone when the next counter of the same line is
 * asked for; that, and that nothing can be fetched ahead by the processor itself, is what item by
 * item costs. Pages are small, as in all of the kernel's chunks but the first.
 *
 * Order of memory. Each counter is read and written at once, and nothing is promised of several: a
 * sum is of values that each counter had at some moment of the reading.
 *
 * Deviations: the kernel fills holes in chunks by size and grows them as they are used; here tables
 * of one size are packed and none is freed. On most machines its units are larger than the
 * smallest.
 */
#include "model/fold.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "model/env/memory.h"

/* PCPU_MIN_UNIT_SIZE */
#define UNIT_BYTES (32u << 10)

_Static_assert(FOLD_ITEMS_MAX * sizeof(uint64_t) == UNIT_BYTES, "a table fits in a unit");

static inline uint64_t counter_read(const uint64_t *counter)
{
	return __atomic_load_n(counter, __ATOMIC_RELAXED);
}

static inline const uint64_t *row_of(const struct fold_rows *rows, const uint64_t *first,
				     uint32_t cpu)
{
	return (const uint64_t *)((const char *)first + rows->offsets[cpu]);
}

/* For each counter, every CPU. */
static void fold_item(const struct fold_rows *rows, const uint64_t *first, uint64_t *sums)
{
	for (uint32_t item = 0; item < rows->items; item++) {
		uint64_t sum = 0;

		for (uint32_t cpu = 0; cpu < rows->cpus; cpu++)
			sum += counter_read(&row_of(rows, first, cpu)[item]);
		sums[item] = sum;
	}
}

/* Four at a time, so that more rows are in the processor's window. */
static inline void add_row(const uint64_t *row, uint32_t items, uint64_t *sums)
{
	uint32_t item = 0;

	for (; item + 4 <= items; item += 4) {
		sums[item] += counter_read(&row[item]);
		sums[item + 1] += counter_read(&row[item + 1]);
		sums[item + 2] += counter_read(&row[item + 2]);
		sums[item + 3] += counter_read(&row[item + 3]);
	}
	for (; item < items; item++)
		sums[item] += counter_read(&row[item]);
}

/* For each CPU, its whole row into the buffer. */
static void fold_cpu(const struct fold_rows *rows, const uint64_t *first, uint64_t *sums)
{
	memset(sums, 0, rows->items * sizeof(*sums));
	for (uint32_t cpu = 0; cpu < rows->cpus; cpu++)
		add_row(row_of(rows, first, cpu), rows->items, sums);
}

/*
 * CPU by CPU, and what keeps that from the speed of memory taken away. A row is a few lines in a
 * page of its own, too short for the processor to see where it goes on, but CPUs are known: rows
 * are fetched AHEAD before their turn. They go to the second cache, because rows a power of two
 * apart share a set of the first, which has 8 places. And ROWS rows are added at once, since
 * otherwise each counter costs a load and a store of its sum, too.
 */
#define ROWS 4
#define AHEAD 12

/* Inlined, or else a compiler takes a function that only fetches for one without effect. */
static inline __attribute__((always_inline)) void fetch_row(const struct fold_rows *rows,
							    const uint64_t *first, uint32_t cpu)
{
	const char *row, *end;

	if (cpu >= rows->cpus)
		return;
	row = (const char *)row_of(rows, first, cpu);
	end = row + rows->items * sizeof(uint64_t);
	for (row -= (uintptr_t)row % FOLD_LINE_BYTES; row < end; row += FOLD_LINE_BYTES)
		__builtin_prefetch(row, 0, 2);
}

/* ROWS of them. */
static inline void add_rows(const struct fold_rows *rows, const uint64_t *first, uint32_t cpu,
			    uint64_t *sums)
{
	const uint64_t *a = row_of(rows, first, cpu), *b = row_of(rows, first, cpu + 1);
	const uint64_t *c = row_of(rows, first, cpu + 2), *d = row_of(rows, first, cpu + 3);
	uint32_t items = rows->items;

	for (uint32_t item = 0; item < items; item++)
		sums[item] += counter_read(&a[item]) + counter_read(&b[item]) +
			      counter_read(&c[item]) + counter_read(&d[item]);
}

static void fold_ahead(const struct fold_rows *rows, const uint64_t *first, uint64_t *sums)
{
	uint32_t cpu = 0;

	memset(sums, 0, rows->items * sizeof(*sums));
	for (uint32_t i = 0; i < AHEAD; i++)
		fetch_row(rows, first, i);
	for (; cpu + ROWS <= rows->cpus; cpu += ROWS) {
		for (uint32_t i = 0; i < ROWS; i++)
			fetch_row(rows, first, cpu + AHEAD + i);
		add_rows(rows, first, cpu, sums);
	}
	for (; cpu < rows->cpus; cpu++)
		add_row(row_of(rows, first, cpu), rows->items, sums);
}

const struct fold_order fold_orders[FOLD_ORDERS + 1] = {
	{"item", "for each counter, every CPU", fold_item, false},
	{"cpu", "for each CPU, its whole row", fold_cpu, true},
	{"ahead", "four CPUs' rows at once, the next twelve being fetched", fold_ahead, true},
	{NULL, NULL, NULL, false},
};

const struct fold_order *fold_order_find(const char *name)
{
	for (const struct fold_order *order = fold_orders; order->name; order++) {
		if (!strcmp(order->name, name))
			return order;
	}
	return NULL;
}

uint64_t fold_lines(const struct fold_rows *rows, const uint64_t *first)
{
	size_t bytes = rows->items * sizeof(uint64_t);
	uint64_t lines = 0;

	for (uint32_t cpu = 0; cpu < rows->cpus; cpu++) {
		uintptr_t row = (uintptr_t)row_of(rows, first, cpu);

		lines += (row % FOLD_LINE_BYTES + bytes + FOLD_LINE_BYTES - 1) / FOLD_LINE_BYTES;
	}
	return lines;
}

uint64_t fold_line_visits(const struct fold_order *order, const struct fold_rows *rows,
			  const uint64_t *first)
{
	if (order->is_by_row || rows->cpus == 1)
		return fold_lines(rows, first);
	return (uint64_t)rows->items * rows->cpus;
}

static size_t unit_size(void)
{
	long page_bytes = sysconf(_SC_PAGESIZE);

	return page_bytes > (long)UNIT_BYTES ? (size_t)page_bytes : UNIT_BYTES;
}

static uint32_t tables_of_chunk(uint32_t items)
{
	return (uint32_t)(unit_size() / (items * sizeof(uint64_t)));
}

static uint32_t chunks_of(uint32_t items, uint32_t count)
{
	uint32_t chunk_tables = tables_of_chunk(items);

	return count / chunk_tables + (count % chunk_tables != 0);
}

static size_t chunk_bytes(const struct fold_tables *tables)
{
	return tables->unit_bytes * tables->rows.cpus;
}

/* The node of a CPU, where nodes are known. */
static int node_of(const int *nodes, uint32_t cpu)
{
	return nodes ? nodes[cpu] : -1;
}

/* Units are dealt node by node, in the order in which CPUs name them. */
static void deal_units(struct fold_tables *tables, const int *nodes)
{
	uint32_t cpus = tables->rows.cpus;
	size_t offset = 0;

	for (uint32_t cpu = 0; cpu < cpus; cpu++)
		tables->offsets[cpu] = SIZE_MAX;
	for (uint32_t first = 0; first < cpus; first++) {
		if (tables->offsets[first] != SIZE_MAX)
			continue;
		for (uint32_t cpu = first; cpu < cpus; cpu++) {
			if (tables->offsets[cpu] != SIZE_MAX ||
			    node_of(nodes, cpu) != node_of(nodes, first))
				continue;
			tables->offsets[cpu] = offset;
			offset += tables->unit_bytes;
		}
	}
}

static uint8_t *chunk_create(const struct fold_tables *tables, const int *nodes)
{
	uint8_t *chunk = env_map_pages(chunk_bytes(tables));

	if (!chunk)
		return NULL;
	madvise(chunk, chunk_bytes(tables), MADV_NOHUGEPAGE);
	for (uint32_t cpu = 0; nodes && cpu < tables->rows.cpus; cpu++)
		env_prefer_node(chunk + tables->offsets[cpu], tables->unit_bytes, nodes[cpu]);
	return chunk;
}

int fold_tables_init(struct fold_tables *tables, uint32_t items, uint32_t cpus, uint32_t count,
		     const int *nodes)
{
	*tables = (struct fold_tables){
		.rows = {.items = items, .cpus = cpus},
		.count = count,
		.unit_bytes = unit_size(),
		.chunk_tables = tables_of_chunk(items),
	};
	tables->offsets = calloc(cpus, sizeof(*tables->offsets));
	tables->rows.offsets = tables->offsets;
	tables->chunks = calloc(chunks_of(items, count) + 1, sizeof(*tables->chunks));
	if (!tables->offsets || !tables->chunks)
		goto no_memory;
	deal_units(tables, nodes);
	while (tables->chunk_count < chunks_of(items, count)) {
		uint8_t *chunk = chunk_create(tables, nodes);

		if (!chunk)
			goto no_memory;
		tables->chunks[tables->chunk_count++] = chunk;
	}
	return 0;
no_memory:
	fold_tables_deinit(tables);
	return -ENOMEM;
}

void fold_tables_deinit(struct fold_tables *tables)
{
	for (uint32_t i = 0; tables->chunks && i < tables->chunk_count; i++)
		munmap(tables->chunks[i], chunk_bytes(tables));
	free(tables->chunks);
	free(tables->offsets);
	memset(tables, 0, sizeof(*tables));
}

uint64_t *fold_tables_first(const struct fold_tables *tables, uint32_t table)
{
	uint8_t *chunk = tables->chunks[table / tables->chunk_tables];

	return (uint64_t *)chunk + (size_t)(table % tables->chunk_tables) * tables->rows.items;
}

uint64_t fold_tables_bytes(uint32_t items, uint32_t cpus, uint32_t count)
{
	return chunks_of(items, count) * ((uint64_t)unit_size() * cpus + sizeof(uint8_t *)) +
	       cpus * sizeof(size_t);
}
