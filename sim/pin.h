/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which CPU of a machine each simulated CPU has.
 *
 *   compact  near each other: the siblings of a core, then the next core of the same cache, ...
 *   scatter  far from each other: each next CPU in the package, node, cache and core that has the
 *            fewest yet; a core's second sibling only when all cores have one
 *   node:N   those of NUMA node N, scattered
 *   none     wherever the system puts them
 *   LIST     these, in this order: 0-3,8 or 0-31:2
 */
#ifndef SIM_PIN_H
#define SIM_PIN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct topology;

enum pin_kind { PIN_SCATTER, PIN_COMPACT, PIN_NODE, PIN_NONE, PIN_LIST };

#define PIN_TEXT_BYTES 512

/* Zeroed it is scatter. */
struct pin_config {
	enum pin_kind kind;
	uint32_t node;             /* PIN_NODE */
	char list[PIN_TEXT_BYTES]; /* PIN_LIST: as it was given */
};

/* Reads one of the above. 0, or -EINVAL with error; pin is unchanged then. */
int pin_config_parse(const char *text, struct pin_config *pin, struct error *error);

/* Writes what pin_config_parse() reads. Returns text. */
const char *pin_config_format(const struct pin_config *pin, char text[PIN_TEXT_BYTES]);

/* Each simulated CPU's place. */
struct pin_plan {
	const struct topology *topology;
	uint32_t cpus;
	uint32_t
		*pus; /* in the order of the pin, by the system's numbers; NULL: nothing is bound */
	uint32_t pu_count;
};

/*
 * Plans for so many CPUs, or with 0 for as many as the pin has; topology must live as long as the
 * plan. Only PUs that this process may use are taken. With is_oversubscribed CPUs may be more than
 * PUs, which go round then. 0, -ENOMEM, or -EINVAL with error, which says what there is when more
 * is asked for; it is told as missing (error.h) where it is this machine that lacks it.
 */
int pin_plan_init(struct pin_plan *plan, const struct topology *topology,
		  const struct pin_config *pin, uint32_t cpus, bool is_oversubscribed,
		  struct error *error);
void pin_plan_deinit(struct pin_plan *plan);

/* The PU and the NUMA node of a CPU, by the system's numbers; -1 where it is not bound. */
int pin_plan_pu(const struct pin_plan *plan, uint32_t cpu);
int pin_plan_node(const struct pin_plan *plan, uint32_t cpu);

/*
 * Binds the calling thread to the CPU's PU, if it has one. 0; -EINVAL when the plan is not for this
 * machine; or what the system says, with error. Any thread may call it at any time.
 */
int pin_bind_thread(const struct pin_plan *plan, uint32_t cpu, struct error *error);

#endif
