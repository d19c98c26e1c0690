/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What went wrong, for people: layers below tools/ fill one of these and return a negative errno.
 */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include <stdbool.h>

struct error {
	bool is_refusal; /* the kernel would refuse what was asked for: that is the answer */
	bool is_output;  /* an output could not be written, rather than input being wrong */
	bool is_missing; /* the machine lacks what was asked for: root, BPF, CPUs */
	char text[1024]; /* one line without a newline; empty when nothing was said */
};

/* Writes the text (cut to fit) and returns err, so that callers can return it. error may be NULL.
 */
int error_set(struct error *error, int err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The same for an output that cannot be written. */
int error_set_output(struct error *error, int err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The same for what this machine lacks. */
int error_set_missing(struct error *error, int err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The same for what the kernel would refuse. */
int error_set_refusal(struct error *error, int err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Says again what was said: error, which may be NULL, becomes from. Returns err. */
int error_copy(struct error *error, int err, const struct error *from);

/* The kernel's own errno, which the C library does not know. */
#define ENOTSUPP 524

/* "ENOENT" for ENOENT or -ENOENT; "E<number>" never: unknown numbers give NULL. */
const char *errno_name(int err);

#endif
