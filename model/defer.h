/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Elements that wait for a grace period before they are really free (the kernel's call_rcu), on
 * lists of the CPU that freed them. Those that came since the last one began wait for the next one
 * together. Only the CPU itself uses its lists, so nothing is locked.
 */
#ifndef MODEL_DEFER_H
#define MODEL_DEFER_H

#include <env.h>

struct elem;

struct defer_list {
	struct elem *first; /* by free_next */
	uint64_t count;
};

struct defer_cpu {
	struct defer_list collected, waiting, over;
	uint64_t ticket; /* of waiting's grace period */
	uint64_t most;   /* that waited when defer_advance() ended, collected ones included */
} __attribute__((aligned(64)));

struct defer {
	struct defer_cpu *cpus;
	uint32_t count;
};

/* Returns 0, -ENOMEM, or -EAGAIN when there is no thread to wait for grace periods. */
int defer_init(struct defer *defer, uint32_t cpus);
void defer_deinit(struct defer *defer);

/* Lets an element wait. May be called with locks held. */
void defer_add(struct defer *defer, uint32_t cpu, struct elem *elem);

/*
 * Asks for a grace period for what was collected, once the last one is over; lets go on what one
 * has passed for. Whether there is any of that. May wake a thread: called without locks.
 */
bool defer_advance(struct defer *defer, uint32_t cpu);

/* An element that one has passed for, or NULL. */
struct elem *defer_take_over(struct defer *defer, uint32_t cpu);

/* An element whatever it waits for, the last to be freed first, or NULL. */
struct elem *defer_take_any(struct defer *defer, uint32_t cpu);

/* The sum of the most that each CPU had waiting, each at its own time; while nothing runs. */
uint64_t defer_most(const struct defer *defer);

/* Visits all. Returns what a visit did, or -EUCLEAN for a wrong count. */
int defer_walk(const struct defer *defer, int (*visit)(void *arg, const struct elem *elem),
	       void *arg, struct error *error);

#endif
