// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "model/count.h"

int elem_count_init(struct elem_count *count, enum count_choice choice, uint32_t batch,
		    uint32_t max_entries, uint32_t cpus)
{
	bool is_large = max_entries / 2 > (uint64_t)cpus * batch;

	memset(count, 0, sizeof(*count));
	count->cpus = cpus;
	count->batch = batch;
	count->adds_first = choice == COUNT_ATOMIC;
	if (choice == COUNT_ATOMIC || (choice == COUNT_ADAPTIVE && !is_large))
		return 0;
	count->cpu_counts = env_alloc(cpus * sizeof(*count->cpu_counts), -1);
	return count->cpu_counts ? 0 : -ENOMEM;
}

void elem_count_deinit(struct elem_count *count)
{
	env_free(count->cpu_counts, count->cpus * sizeof(*count->cpu_counts));
	count->cpu_counts = NULL;
}

/* A raw lock is always had in the end. */
static void count_lock(struct elem_count *count, struct map_ctx *ctx)
{
	while (env_lock(&count->lock, ctx, RANK_FREE_CACHE, LOCK_RAW))
		;
}

static void count_unlock(struct elem_count *count, struct map_ctx *ctx)
{
	env_unlock(&count->lock, ctx, RANK_FREE_CACHE, LOCK_RAW);
}

/* Of a per-CPU counter a batch goes to the total under the lock: a sum has it in one place. */
static void elem_count_add(struct elem_count *count, struct map_ctx *ctx, int64_t change)
{
	struct elem_count_cpu *mine;

	if (!count->cpu_counts) {
		env_add(&count->total, change);
		return;
	}
	mine = &count->cpu_counts[ctx->cpu];
	change += env_load(&mine->count);
	if (change < count->batch && change > -(int64_t)count->batch) {
		env_store(&mine->count, change);
		return;
	}
	count_lock(count, ctx);
	env_add(&count->total, change);
	env_preempt(ctx);
	env_store(&mine->count, 0);
	count_unlock(count, ctx);
}

int64_t elem_count_sum(const struct elem_count *count)
{
	int64_t sum = env_load(&count->total);

	for (uint32_t cpu = 0; count->cpu_counts && cpu < count->cpus; cpu++)
		sum += env_load(&count->cpu_counts[cpu].count);
	return sum;
}

/* Exact while nothing runs, though it sums all CPUs only when it is near. */
static bool elem_count_is_full(struct elem_count *count, struct map_ctx *ctx, int64_t max)
{
	int64_t total = env_load(&count->total);
	int64_t doubt = (int64_t)count->batch * count->cpus;

	if (!count->cpu_counts || total - doubt > max || total + doubt < max)
		return total >= max;
	count_lock(count, ctx);
	total = elem_count_sum(count);
	count_unlock(count, ctx);
	return total >= max;
}

bool elem_count_take(struct elem_count *count, struct map_ctx *ctx, int64_t max,
		     bool is_replacement)
{
	if (count->adds_first) {
		if (env_add(&count->total, 1) <= max || is_replacement)
			return true;
		env_add(&count->total, -1);
		return false;
	}
	if (!is_replacement && elem_count_is_full(count, ctx, max))
		return false;
	elem_count_add(count, ctx, 1);
	return true;
}

void elem_count_put(struct elem_count *count, struct map_ctx *ctx)
{
	elem_count_add(count, ctx, -1);
}
