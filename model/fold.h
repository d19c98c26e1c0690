/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Per-CPU statistics: tables of 8-byte counters of which each CPU has a copy, as the network stack
 * has them for every device and every namespace. A CPU counts in its own copy without a lock; who
 * reads adds up the copies of all. In which order that goes through memory is what differs.
 *
 * A CPU's copy of a table is its row. Whatever memory rows are in, all tables' rows of a CPU are as
 * far from CPU 0's, as with the kernel's per_cpu_ptr() and __per_cpu_offset[].
 */
#ifndef MODEL_FOLD_H
#define MODEL_FOLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FOLD_LINE_BYTES 64

/* The kernel's per-CPU allocator gives at most its smallest unit at once. */
#define FOLD_ITEMS_MAX 4096

/* Where rows are; a table is known by the address of its first, CPU 0's. */
struct fold_rows {
	uint32_t items;        /* counters of a row, 1..FOLD_ITEMS_MAX */
	uint32_t cpus;         /* at least 1 */
	const size_t *offsets; /* bytes from CPU 0's row to each CPU's; [0] is 0 */
};

static inline uint64_t *fold_row(const struct fold_rows *rows, uint64_t *first, uint32_t cpu)
{
	return (uint64_t *)((char *)first + rows->offsets[cpu]);
}

/*
 * Adds to a counter. A counter has one writer, its CPU, so that no locked instruction is needed;
 * readers may come in between. (The linter does not see that it is written to.)
 */
/* NOLINTNEXTLINE(readability-non-const-parameter) */
static inline void fold_count(uint64_t *counter, uint64_t by)
{
	uint64_t count = __atomic_load_n(counter, __ATOMIC_RELAXED);

	__atomic_store_n(counter, count + by, __ATOMIC_RELAXED);
}

/* An order of reading. All give the same sums; counters may be written meanwhile. */
struct fold_order {
	const char *name;
	const char *summary;

	/* Stores the sum of each counter over all CPUs, modulo 2^64, in sums, items of them. */
	void (*fold)(const struct fold_rows *rows, const uint64_t *first, uint64_t *sums);

	/* Whether all of a row is read before the next one's, so that a line is gone to once. */
	bool is_by_row;
};

/* item, cpu, ahead; the last one's name is NULL. */
#define FOLD_ORDERS 3
extern const struct fold_order fold_orders[FOLD_ORDERS + 1];

/* The order of a name, or NULL. */
const struct fold_order *fold_order_find(const char *name);

/* Cache lines that a table's rows are on, counted for each row by itself. */
uint64_t fold_lines(const struct fold_rows *rows, const uint64_t *first);

/* How often reading a table goes on to another line than the one before. */
uint64_t fold_line_visits(const struct fold_order *order, const struct fold_rows *rows,
			  const uint64_t *first);

/*
 * Tables as the kernel's per-CPU allocator lays them: memory comes in chunks, a chunk has a unit
 * for each CPU, and a table has the same place in every unit of its chunk, behind the table before
 * it.
 */
struct fold_tables {
	struct fold_rows rows;
	uint32_t count;
	size_t unit_bytes;
	uint32_t chunk_tables; /* that a chunk has room for */
	uint32_t chunk_count;
	uint8_t **chunks;
	size_t *offsets; /* rows.offsets */
};

/*
 * Allocates count tables of zeroes, for 1..FOLD_ITEMS_MAX items and at least one CPU. nodes[cpu] is
 * the NUMA node where each CPU's memory is wished, -1 for any; NULL: nothing is known of nodes.
 * CPUs of a node have neighbouring units. Returns 0 or -ENOMEM.
 */
int fold_tables_init(struct fold_tables *tables, uint32_t items, uint32_t cpus, uint32_t count,
		     const int *nodes);

/* Takes zeroed ones, too. */
void fold_tables_deinit(struct fold_tables *tables);

/* CPU 0's row of a table. */
uint64_t *fold_tables_first(const struct fold_tables *tables, uint32_t table);

/* What fold_tables_init() will allocate. */
uint64_t fold_tables_bytes(uint32_t items, uint32_t cpus, uint32_t count);

#endif
