/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Keys and values that tell whose they are. A key is known by a number, its id. A value is made of
 * units of 4 bytes: 24 bits that belong to the id and the unit's place, and a nonce that tells one
 * value of a key from the next.
 */
#ifndef SIM_TORTURE_CONTENT_H
#define SIM_TORTURE_CONTENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define CONTENT_UNIT_BYTES 4
#define CONTENT_NONCE_MASK 0xffu /* 0 is no nonce: zeroes are nobody's value */

static inline uint32_t content_unit(uint64_t id, size_t place)
{
	uint64_t x = (id + 1) * 0x9e3779b97f4a7c15ULL + place * 0xd1b54a32d192ed03ULL;

	x ^= x >> 32;
	x *= 0xda942042e4dd58b5ULL;
	return (uint32_t)(x >> 32) & ~CONTENT_NONCE_MASK;
}

/* Writes the key of an id that its bytes can hold. */
static inline void content_write_key(uint8_t *key, size_t bytes, uint64_t id)
{
	size_t used = bytes < sizeof(id) ? bytes : sizeof(id);

	memcpy(key, &id, used);
	memset(key + used, (int)(id % 251), bytes - used);
}

/* The id of a key; false when no id has it. */
static inline bool content_read_key(const uint8_t *key, size_t bytes, uint64_t *id)
{
	size_t used = bytes < sizeof(*id) ? bytes : sizeof(*id);

	*id = 0;
	memcpy(id, key, used);
	for (; used < bytes; used++) {
		if (key[used] != *id % 251)
			return false;
	}
	return true;
}

/* bytes is a multiple of CONTENT_UNIT_BYTES here and below. */
static inline void content_write_value(uint8_t *value, size_t bytes, uint64_t id, uint8_t nonce)
{
	for (size_t i = 0; i < bytes / CONTENT_UNIT_BYTES; i++) {
		uint32_t unit = content_unit(id, i) | nonce;

		memcpy(value + i * CONTENT_UNIT_BYTES, &unit, sizeof(unit));
	}
}

/*
 * Whether a value is the id's; *nonce is then that of its first unit, or 0. A whole one is of one
 * writing; otherwise units may be of several, or zero: not written yet.
 */
static inline bool content_is_own(const uint8_t *value, size_t bytes, uint64_t id, bool is_whole,
				  uint8_t *nonce)
{
	*nonce = 0;
	for (size_t i = 0; i < bytes / CONTENT_UNIT_BYTES; i++) {
		uint32_t unit;

		memcpy(&unit, value + i * CONTENT_UNIT_BYTES, sizeof(unit));
		if (!i)
			*nonce = unit & CONTENT_NONCE_MASK;
		if (is_whole ? unit != (content_unit(id, i) | *nonce)
			     : (unit & ~CONTENT_NONCE_MASK) != content_unit(id, i) && unit)
			return false;
	}
	return true;
}

#endif
