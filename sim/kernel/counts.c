// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sim/kernel/counts.h"

#include <errno.h>
#include <string.h>

#include "sim/engine.h"

static void count_error(struct return_counts *counts, int32_t ret)
{
	int i = 0;

	while (i < ERROR_OTHER && map_error_errnos[i] != -ret)
		i++;
	counts->errors[i]++;
}

static void count_lookup(struct return_counts *counts, int32_t ret)
{
	counts->hits += !ret;
	counts->misses += ret == -ENOENT;
}

/* A look-up, and an update only when it missed. */
static void count_lookup_or_update(struct return_counts *counts, int32_t ret)
{
	counts->hits += !ret;
	counts->misses += ret != 0;
	counts->inserted += ret == 1;
}

/* A batch that was refused copied nothing, whatever its count says. */
static void count_batch(struct return_counts *counts, uint8_t code, int32_t ret, uint64_t copied)
{
	if (ret && ret != -ENOENT)
		return;
	counts->batch_elements += copied;
	if (code == OP_BATCH_LOOKUP_AND_DELETE)
		counts->deletes += copied;
}

void return_counts_add(struct return_counts *counts, const struct map_op *op, int32_t ret,
		       uint64_t detail)
{
	counts->operations++;
	if (ret < 0)
		count_error(counts, ret);
	switch ((enum op_code)op->code) {
	case OP_LOOKUP:
		count_lookup(counts, ret);
		break;
	case OP_ACCESS:
	case OP_DIST:
		count_lookup_or_update(counts, ret);
		break;
	case OP_UPDATE:
		counts->inserted_or_replaced += !ret;
		break;
	case OP_UPDATE_NOEXIST:
		counts->inserted += !ret;
		break;
	case OP_UPDATE_EXIST:
		counts->replaced += !ret;
		break;
	case OP_DELETE:
		counts->deletes += !ret;
		break;
	case OP_LOOKUP_AND_DELETE:
		count_lookup(counts, ret);
		counts->deletes += !ret;
		break;
	case OP_BATCH_LOOKUP_AND_DELETE:
	case OP_BATCH_LOOKUP:
		count_batch(counts, op->code, ret, detail);
		break;
	case OP_NEXT_KEY:
	case OP_CODES:
		break;
	}
}

void return_counts_sum(struct return_counts *counts, const struct return_counts *from)
{
	counts->operations += from->operations;
	counts->hits += from->hits;
	counts->misses += from->misses;
	counts->deletes += from->deletes;
	counts->batch_elements += from->batch_elements;
	counts->inserted += from->inserted;
	counts->replaced += from->replaced;
	counts->inserted_or_replaced += from->inserted_or_replaced;
	for (int i = 0; i < MAP_ERRORS; i++)
		counts->errors[i] += from->errors[i];
}

void return_counts_cpu(const struct return_counts *counts, bool is_lru,
		       struct map_counters *counters)
{
	bool is_split = counts->inserted_or_replaced > 0;

	/* Every byte of what is unknown is set: that is COUNT_UNKNOWN. */
	memset(counters, 0xff, sizeof(*counters));
	counters->operations = counts->operations;
	counters->hits = counts->hits;
	counters->misses = counts->misses;
	counters->deletes = counts->deletes;
	counters->batch_elements = counts->batch_elements;
	memcpy(counters->errors, counts->errors, sizeof(counters->errors));
	if (!is_split) {
		counters->inserts = counts->inserted;
		counters->replaced = counts->replaced;
	}
	if (!is_lru) {
		counters->evictions = 0;
		counters->premature_evictions = 0;
	}
}

void return_counts_total(const struct return_counts *sum, bool is_lru, uint64_t entries,
			 struct map_counters *counters)
{
	uint64_t gone = sum->deletes + entries;

	return_counts_cpu(sum, is_lru, counters);
	/* What came in and was not deleted is still there, or was evicted. */
	if (is_lru && counters->inserts != COUNT_UNKNOWN && counters->inserts >= gone)
		counters->evictions = counters->inserts - gone;
	if (!is_lru) {
		counters->inserts = gone;
		counters->replaced =
			sum->inserted + sum->replaced + sum->inserted_or_replaced - gone;
	}
}
