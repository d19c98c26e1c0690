/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What is given bytes that nobody checked: each must take any, and end. A target is a function and
 * a line in the table of targets.c; tests/fuzz/corpus/NAME has files to begin with. replay.c runs
 * all targets over all files as a test, and libfuzzer.c one of them under libFuzzer, for `make
 * fuzz`.
 */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

struct fuzz_target {
	const char *name;
	void (*run)(const uint8_t *bytes, size_t count); /* abort() where something is wrong */
};

/* NULL is the last one's name. */
extern const struct fuzz_target fuzz_targets[];

void fuzz_job(const uint8_t *bytes, size_t count);
void fuzz_text(const uint8_t *bytes, size_t count);
void fuzz_keys(const uint8_t *bytes, size_t count);
void fuzz_oracle(const uint8_t *bytes, size_t count);
void fuzz_binary(const uint8_t *bytes, size_t count);
void fuzz_zstd(const uint8_t *bytes, size_t count);

/* The target of a name, or NULL. */
const struct fuzz_target *fuzz_target_find(const char *name);

#endif
