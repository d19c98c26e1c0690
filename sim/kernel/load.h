/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Loading one of several BPF programs that do the same: the newest that the running kernel takes.
 */
#ifndef SIM_KERNEL_LOAD_H
#define SIM_KERNEL_LOAD_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct bpf_object;

struct kernel_object {
	struct bpf_object *object;
	const char *name; /* of the program that was loaded */
	int fd;
	int repeats; /* it is a socket filter, which the test run is to repeat */
};

/* What to load: an object file in memory, its programs and how its maps are sized. */
struct kernel_source {
	const void *bytes;
	size_t byte_count;
	const char *const *names; /* newest first, ended by NULL; the ends of their names say how
				     they go on: loop, bounded, repeat */
	/* Called with each object before it is loaded. 0, or a negative errno. */
	int (*prepare)(void *arg, struct bpf_object *object);
	void *arg;
};

/*
 * Loads it. $MAPSIM_KERNEL_PROGRAM (run_loop, run_bounded, run_repeat) chooses for tests by the end
 * of its name. Returns 0, or a negative errno with error: -EPERM etc. with what is missing.
 */
int kernel_object_load(const struct kernel_source *source, struct kernel_object *object,
		       struct error *error);

/* Also takes a zeroed one. */
void kernel_object_close(struct kernel_object *object);

/* A map's elements in memory, or NULL with errno; and the way back (memory may be NULL). */
void *kernel_object_share(const struct kernel_object *object, const char *map);
void kernel_object_unshare(const struct kernel_object *object, const char *map, void *memory);

/*
 * Runs the program on the CPU that the caller runs on; repeated so often where it repeats. Returns
 * 0, or a negative errno: a signal ends repetitions with -EINTR.
 */
int kernel_object_run(const struct kernel_object *object, uint32_t repeat);

#endif
