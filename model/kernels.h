/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Kernel releases: their names, their order, and what each changed in the hash maps. */
#ifndef MODEL_KERNELS_H
#define MODEL_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "model/tunables.h"

/* A release as far as it is known: mainline 6.12 is 6.12.0. */
struct kernel_release {
	uint16_t major, minor, patch;
};

/* A tunable that a release set, as the user would write it. */
struct kernel_setting {
	const char *name;
	const char *value;
};

#define KERNEL_BACKPORTS_MAX 4
#define KERNEL_SETTINGS_MAX 4

/*
 * One change of behaviour: the mainline release that brought it, the stable releases that carry it
 * back (each holds for the rest of its series), and what it sets.
 */
struct kernel_step {
	struct kernel_release since;
	struct kernel_release backports[KERNEL_BACKPORTS_MAX];
	const char *summary;
	struct kernel_setting settings[KERNEL_SETTINGS_MAX];
};

/* All steps, oldest first; *count gets their number. */
const struct kernel_step *kernel_steps(unsigned int *count);

/* Since when a step holds, with the stable releases that carry it back: "6.1 (5.10.156+, 6.0.10+)"
 */
void kernel_step_since(const struct kernel_step *step, char *text, size_t bytes);

/* Whether a release behaves as the step says. */
int kernel_has_step(const struct kernel_release *release, const struct kernel_step *step);

struct kernel_release kernel_oldest(void);
struct kernel_release kernel_newest(void);

/* Negative, 0 or positive as a is older than, the same as, or newer than b. */
int kernel_compare(const struct kernel_release *a, const struct kernel_release *b);

/*
 * A release from "6.12", "v6.12.107" or a name with a distribution's suffix, which is ignored.
 * Returns 0, or -EINVAL with error naming the releases known: malformed, never released, older
 * than the first or newer than the newest known.
 */
int kernel_parse(const char *text, struct kernel_release *release, struct error *error);

/*
 * The running kernel's release: from /proc/version_signature (Ubuntu), from the package version in
 * /proc/version (Debian), else from uname(2). A kernel newer than the newest known is taken as
 * that one. note gets one line saying what was taken and from where. Returns 0 or -EINVAL.
 */
int kernel_host(struct kernel_release *release, char *note, unsigned int note_bytes,
		struct error *error);

/* Writes "6.12" or "6.12.107"; name needs KERNEL_NAME_BYTES. Returns name. */
#define KERNEL_NAME_BYTES 20
const char *kernel_name(const struct kernel_release *release, char *name);

/* Sets every tunable to what it is in a release. */
void kernel_tunables(const struct kernel_release *release, struct tunables *tunables);

#endif
