/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A generator of operations: one struct gen_kind, and one line in the table of gen.c.
 *
 * Every kind takes range, count, seed and cpus; what else it takes it declares in a table, from
 * which specs are parsed, checked and documented.
 */
#ifndef TRACES_GEN_H
#define TRACES_GEN_H

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/op.h"
#include "base/rng.h"

union gen_value {
	uint64_t number;
	double fraction;
};

struct gen_parameter {
	const char *name; /* NULL ends a table */
	const char *meaning;
	bool is_fraction; /* says which member of the values counts */
	union gen_value min, max, preset;
};

/* The parameters that all kinds have; a kind's own are numbered from GEN_OWN. */
enum gen_common { GEN_RANGE, GEN_COUNT, GEN_SEED, GEN_CPUS, GEN_OWN };

#define GEN_OWN_MAX 4

struct generator {
	const struct gen_kind *kind;
	const char *name; /* in messages */
	union gen_value values[GEN_OWN + GEN_OWN_MAX];
	bool given[GEN_OWN + GEN_OWN_MAX]; /* in the spec, not by default */
	uint64_t left;                     /* operations to make */
	const atomic_int *stop;            /* of the options */
	struct rng rng;                    /* of the seed */
	void *state;                       /* state_bytes, zeroed, of the kind */
};

struct gen_kind {
	const char *name;
	const char *summary;
	const struct gen_parameter *own; /* at most GEN_OWN_MAX; NULL: none */
	const char *range_meaning;
	uint64_t range_max;
	uint64_t seed_max; /* 0: any */
	bool gives_codes;  /* fills whole operations but the CPU; else only keys */
	bool gives_cpus;   /* always; every kind does when cpus are given */
	size_t state_bytes;

	/*
	 * May be NULL. Asks gen_check_stop() now and then when it may take long. Returns 0 or a
	 * negative errno with error.
	 */
	int (*init)(struct generator *gen, struct error *error);
	/* Makes the next operations, count > 0. */
	void (*fill)(struct generator *gen, struct map_op *ops, size_t count);
	/* Frees what init allocated, not the state itself; may be NULL. */
	void (*deinit)(struct generator *gen);
};

extern const struct gen_kind gen_fio_zipf;
extern const struct gen_kind gen_zipf;
extern const struct gen_kind gen_uniform;
extern const struct gen_kind gen_scan;
extern const struct gen_kind gen_churn;
extern const struct gen_kind gen_pairs;
extern const struct gen_kind gen_bursts;

/* Whether a trace's name would be a generator's, were gen: before it. */
bool gen_is_spec(const char *name);

static inline uint64_t gen_number(const struct generator *gen, unsigned int parameter)
{
	return gen->values[parameter].number;
}

/* Whether the user asked for an end: -EINTR with error, else 0. step is the loop's counter. */
static inline int gen_check_stop(const struct generator *gen, uint64_t step, struct error *error)
{
	if (step % 65536 || !gen->stop || !*gen->stop)
		return 0;
	return error_set(error, -EINTR, "%s: interrupted", gen->name);
}

static inline double gen_fraction(const struct generator *gen, unsigned int parameter)
{
	return gen->values[parameter].fraction;
}

#endif
