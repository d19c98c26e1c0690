// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sim/bandwidth.h"

#include <errno.h>
#include <string.h>

#include "base/system.h"
#include "model/env/memory.h"

#define MIB (1ull << 20)

/* Four of the largest cache, so that what is read again has gone from it. */
#define CACHES 4
#define BYTES_MIN (64 * MIB)
#define BYTES_MAX (1024 * MIB)

/*
 * Read at the same time, a part of the buffer each: one alone leaves a processor waiting where it
 * fetches ahead only within a page. Their beginnings are not a power of two apart, or they would
 * fall into the same sets of the caches.
 */
#define STREAMS 4
#define LINE_WORDS 8

uint64_t bandwidth_bytes(uint64_t cache_bytes)
{
	if (cache_bytes > BYTES_MAX / CACHES)
		return BYTES_MAX;
	return cache_bytes * CACHES < BYTES_MIN ? BYTES_MIN : cache_bytes * CACHES;
}

int bandwidth_init(struct bandwidth *bandwidth, uint64_t cache_bytes, struct error *error)
{
	bandwidth->bytes = bandwidth_bytes(cache_bytes);
	bandwidth->words = env_alloc(bandwidth->bytes, -1);
	if (!bandwidth->words)
		return error_set(error, -ENOMEM, "out of memory");
	/* Not zero: pages that are only read would all be one. */
	memset(bandwidth->words, 1, bandwidth->bytes);
	return 0;
}

void bandwidth_deinit(struct bandwidth *bandwidth)
{
	env_free(bandwidth->words, bandwidth->bytes);
	memset(bandwidth, 0, sizeof(*bandwidth));
}

/* Words of a stream: the buffer's share, less some lines that make it no power of two. */
static size_t stream_words(const struct bandwidth *bandwidth)
{
	size_t lines = bandwidth->bytes / sizeof(uint64_t) / LINE_WORDS / STREAMS;

	return (lines - lines / 128 - 5) * LINE_WORDS;
}

static uint64_t add_all(const uint64_t *words, size_t stream)
{
	uint64_t a = 0, b = 0, c = 0, d = 0;

	for (size_t i = 0; i < stream; i += LINE_WORDS) {
		for (size_t s = 0; s < STREAMS; s++) {
			const uint64_t *line = &words[s * stream + i];

			a += line[0] + line[4];
			b += line[1] + line[5];
			c += line[2] + line[6];
			d += line[3] + line[7];
		}
	}
	return a + b + c + d;
}

double bandwidth_read(const struct bandwidth *bandwidth)
{
	size_t stream = stream_words(bandwidth);
	double begin = system_seconds(), seconds;
	volatile uint64_t sum = add_all(bandwidth->words, stream);

	(void)sum;
	seconds = system_seconds() - begin;
	return seconds > 0 ? (double)(stream * STREAMS * sizeof(uint64_t)) / seconds : 0;
}
