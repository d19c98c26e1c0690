// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "base/histogram.h"

#include <math.h>

/* Values below HISTOGRAM_STEPS have a slot each; above, a row of slots is a power of two. */
static unsigned int slot_of(uint64_t value)
{
	unsigned int shift;

	if (value >> HISTOGRAM_VALUE_BITS)
		value = (UINT64_C(1) << HISTOGRAM_VALUE_BITS) - 1;
	if (value < HISTOGRAM_STEPS)
		return (unsigned int)value;
	shift = 63u - HISTOGRAM_STEP_BITS - (unsigned int)__builtin_clzll(value);
	return shift * HISTOGRAM_STEPS + (unsigned int)(value >> shift);
}

/* The largest value of a slot. */
static uint64_t slot_end(unsigned int slot)
{
	unsigned int shift;

	if (slot < HISTOGRAM_STEPS)
		return slot;
	shift = slot / HISTOGRAM_STEPS - 1;
	return ((uint64_t)(slot - shift * HISTOGRAM_STEPS + 1) << shift) - 1;
}

void histogram_add(struct histogram *histogram, uint64_t value)
{
	histogram->count++;
	histogram->slots[slot_of(value)]++;
}

void histogram_merge(struct histogram *histogram, const struct histogram *from)
{
	histogram->count += from->count;
	for (unsigned int i = 0; i < HISTOGRAM_SLOTS; i++)
		histogram->slots[i] += from->slots[i];
}

uint64_t histogram_quantile(const struct histogram *histogram, double share)
{
	uint64_t wanted = (uint64_t)ceil(share * (double)histogram->count), seen = 0;

	if (!histogram->count)
		return 0;
	if (!wanted)
		wanted = 1;
	for (unsigned int i = 0; i < HISTOGRAM_SLOTS; i++) {
		seen += histogram->slots[i];
		if (seen >= wanted)
			return slot_end(i);
	}
	return slot_end(HISTOGRAM_SLOTS - 1);
}
