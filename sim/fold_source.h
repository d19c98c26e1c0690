/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Per-CPU counters that can be folded in any order (model/fold.h), filled with known numbers:
 * tables of the per-CPU allocator, or the values of a percpu_hash map, an entry for each table.
 */
#ifndef SIM_FOLD_SOURCE_H
#define SIM_FOLD_SOURCE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "model/fold.h"
#include "model/model.h"

struct fold_size {
	uint32_t items; /* counters of a table, 1..FOLD_ITEMS_MAX */
	uint32_t cpus;  /* 1..MAP_CPUS_MAX */
	uint32_t tables;
};

struct fold_source {
	const char *name; /* "tables", "map" */
	struct fold_size size;
	struct fold_rows rows;
	uint64_t **firsts; /* CPU 0's row of each table; of a map by key */
	uint64_t *totals;  /* what each counter of each table adds up to, before anyone writes */
	struct fold_tables tables;
	struct map *map; /* NULL: it is the tables */
	size_t *offsets; /* rows.offsets of a map */
};

/* Bytes that a source takes, at least; UINT64_MAX for a map that there cannot be. */
uint64_t fold_source_bytes(const struct fold_size *size, bool is_map);

/*
 * Makes and fills one. nodes as in fold_tables_init(); a map's values lie where the model puts
 * them. 0, -ENOMEM, -EINTR after a stop (stop may be NULL), or what a map is refused with; with
 * error. The source is the caller's to deinit, also after an error.
 */
int fold_source_init(struct fold_source *source, const struct fold_size *size, bool is_map,
		     const int *nodes, const atomic_int *stop, struct error *error);

/* Takes a zeroed one, too. */
void fold_source_deinit(struct fold_source *source);

/*
 * Reads all tables into sums, items of them, one after another: tables in the order of memory, a
 * map's entries as next_key has them, each with its look-up. Others may write meanwhile. 0, or
 * -EINTR.
 */
int fold_source_read(const struct fold_source *source, const struct fold_order *order,
		     uint64_t *sums, const atomic_int *stop);

/*
 * Compares an order's sums with totals, while nobody writes. 0, -EINTR, or -EUCLEAN with error
 * naming the first counter that is wrong.
 */
int fold_source_check(const struct fold_source *source, const struct fold_order *order,
		      uint64_t *sums, const atomic_int *stop, struct error *error);

/* Cache lines that reading all tables touches; one that neighbours share counts once. */
uint64_t fold_source_lines(const struct fold_source *source);

/* How often that goes on to another line. */
uint64_t fold_source_line_visits(const struct fold_source *source, const struct fold_order *order);

#endif
