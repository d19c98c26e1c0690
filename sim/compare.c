// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sim/compare.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/attr.h"
#include "sim/engine.h"
#include "sim/memory.h"
#include "traces/trace.h"

/* How much is shown around a difference. */
#define LINES_BEFORE 6
#define LINES_AFTER 3

const char *const compare_kind_names[COMPARE_KINDS] = {
	[COMPARE_SAME] = "none", [COMPARE_RETURN] = "return", [COMPARE_DETAIL] = "detail",
	[COMPARE_READ] = "read", [COMPARE_ORDER] = "order",
};

/* Keys in the order of iteration, by their first 8 bytes. */
struct order {
	uint64_t *keys;
	size_t count, capacity;
	bool failed; /* no memory for all of them */
};

struct side {
	const struct engine *engine;
	void *state;
	int32_t returns[COMPARE_BATCH];
	uint64_t details[COMPARE_BATCH], reads[COMPARE_BATCH];
	struct order order;
};

struct compare {
	struct side sides[2];
	bool is_begun;
	uint64_t bytes; /* reserved for both maps */
	uint64_t index; /* of the next operation */
	/* The end of the last batch, should the next one's first operations differ. */
	char *tail;
	size_t tail_bytes;
};

void compare_difference_deinit(struct compare_difference *difference)
{
	free(difference->text);
	memset(difference, 0, sizeof(*difference));
}

int compare_create(const struct engine *first, const struct engine *second,
		   struct compare **compare)
{
	struct compare *created = calloc(1, sizeof(*created));

	if (!created)
		return -ENOMEM;
	created->sides[0].engine = first;
	created->sides[1].engine = second;
	*compare = created;
	return 0;
}

void compare_destroy(struct compare *compare)
{
	if (!compare)
		return;
	compare_end(compare);
	for (int i = 0; i < 2; i++)
		free(compare->sides[i].order.keys);
	free(compare->tail);
	free(compare);
}

/* The memory of both maps at once: see memory_reserve(). A refused map will take none. */
static int reserve_both(struct compare *compare, const struct run_config *config,
			struct error *error)
{
	const struct map_config *map = &config->map;

	compare->bytes = 0;
	if (map_attr_check(&map->attr, &map->tunables, map->cpus, NULL))
		return 0;
	for (int i = 0; i < 2; i++)
		compare->bytes += compare->sides[i].engine->model ? map_config_bytes(map) : 0;
	return memory_reserve(compare->bytes, error);
}

int compare_begin(struct compare *compare, const struct run_config *config, struct error *error)
{
	int err = reserve_both(compare, config, error);

	if (err)
		return err;
	for (int i = 0; !err && i < 2; i++) {
		struct side *side = &compare->sides[i];
		struct run_config own = *config;

		own.engine = side->engine;
		own.has_memory = true;
		if (side->engine->is_running_kernel)
			config_take_kernel_as_it_is(&own);
		err = side->engine->open(&own, &side->state, error);
	}
	if (err && compare->sides[0].state) {
		compare->sides[0].engine->close(compare->sides[0].state);
		compare->sides[0].state = NULL;
	}
	if (err) {
		memory_release(compare->bytes);
		return err;
	}
	compare->is_begun = true;
	compare->index = 0;
	compare->tail_bytes = 0;
	return 0;
}

void compare_end(struct compare *compare)
{
	for (int i = 0; compare->is_begun && i < 2; i++) {
		struct side *side = &compare->sides[i];

		side->engine->close(side->state);
		side->state = NULL;
	}
	if (compare->is_begun)
		memory_release(compare->bytes);
	compare->is_begun = false;
}

static struct compare_answer side_answer(const struct side *side, size_t i)
{
	return (struct compare_answer){side->returns[i], side->details[i], side->reads[i]};
}

/* What of two answers differs, the plainest first. */
static enum compare_kind answers_differ(const struct compare_answer *a,
					const struct compare_answer *b)
{
	if (a->ret != b->ret)
		return COMPARE_RETURN;
	if (a->detail != b->detail)
		return COMPARE_DETAIL;
	return a->read != b->read ? COMPARE_READ : COMPARE_SAME;
}

static void print_answer(FILE *out, const struct compare_answer *answer)
{
	const char *name = answer->ret < 0 ? errno_name(answer->ret) : NULL;

	if (name)
		fprintf(out, "-%s", name);
	else
		fprintf(out, "%" PRId32, answer->ret);
	if (answer->detail)
		fprintf(out, " %" PRIu64, answer->detail);
	if (answer->read)
		fprintf(out, " read=%" PRIx64, answer->read);
	fputc('\n', out);
}

/* An operation as a line of a text trace, then its answer. */
static void print_row(FILE *out, char mark, uint64_t index, const char *op,
		      const struct compare_answer *answer)
{
	fprintf(out, "%c %8" PRIu64 "  %-24s  ", mark, index, op);
	print_answer(out, answer);
}

/* An operation with its answers: one line when they agree, two as in a diff when not. */
static void print_op(const struct compare *compare, FILE *out, const struct op_batch *batch,
		     size_t i)
{
	struct compare_answer a = side_answer(&compare->sides[0], i);
	struct compare_answer b = side_answer(&compare->sides[1], i);
	uint64_t index = compare->index + i;
	char *op = NULL;
	size_t bytes;
	FILE *line = open_memstream(&op, &bytes);

	if (!line)
		return;
	trace_print_op(line, batch, i, index);
	if (!fclose(line)) {
		op[strcspn(op, "\n")] = '\0';
		if (answers_differ(&a, &b)) {
			print_row(out, '-', index, op, &a);
			print_row(out, '+', index, op, &b);
		} else {
			print_row(out, ' ', index, op, &a);
		}
	}
	free(op);
}

static void print_sides(const struct compare *compare, FILE *out)
{
	fprintf(out, "--- %s\n+++ %s\n", compare->sides[0].engine->name,
		compare->sides[1].engine->name);
}

/* The difference at an operation of the batch, with those before and after it. */
static char *show_batch(const struct compare *compare, const struct op_batch *batch, size_t at)
{
	size_t i = at < LINES_BEFORE ? 0 : at - LINES_BEFORE;
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	if (!out)
		return NULL;
	print_sides(compare, out);
	if (at < LINES_BEFORE && compare->tail_bytes)
		fwrite(compare->tail, 1, compare->tail_bytes, out);
	for (; i < batch->count && i <= at + LINES_AFTER; i++)
		print_op(compare, out, batch, i);
	if (!fclose(out))
		return text;
	free(text);
	return NULL;
}

/* Keeps the batch's last operations, for a difference at the beginning of the next. */
static void keep_tail(struct compare *compare, const struct op_batch *batch)
{
	size_t i = batch->count < LINES_BEFORE ? 0 : batch->count - LINES_BEFORE;
	FILE *out;

	free(compare->tail);
	compare->tail = NULL;
	out = open_memstream(&compare->tail, &compare->tail_bytes);
	for (; out && i < batch->count; i++)
		print_op(compare, out, batch, i);
	if (!out || fclose(out))
		compare->tail_bytes = 0;
}

static int run_side(struct compare *compare, struct side *side, const struct op_batch *batch,
		    struct error *error)
{
	struct map_run run = {.batch = batch,
			      .first_index = compare->index,
			      .returns = side->returns,
			      .details = side->details,
			      .reads = side->reads};

	return side->engine->run(side->state, &run, error);
}

static bool sides_agree(const struct compare *compare, size_t count)
{
	const struct side *a = &compare->sides[0], *b = &compare->sides[1];

	return !memcmp(a->returns, b->returns, count * sizeof(a->returns[0])) &&
	       !memcmp(a->details, b->details, count * sizeof(a->details[0])) &&
	       !memcmp(a->reads, b->reads, count * sizeof(a->reads[0]));
}

static void find_difference(const struct compare *compare, const struct op_batch *batch,
			    struct compare_difference *difference)
{
	memset(difference, 0, sizeof(*difference));
	for (size_t i = 0; i < batch->count; i++) {
		difference->answers[0] = side_answer(&compare->sides[0], i);
		difference->answers[1] = side_answer(&compare->sides[1], i);
		difference->kind = answers_differ(&difference->answers[0], &difference->answers[1]);
		if (!difference->kind)
			continue;
		difference->index = compare->index + i;
		difference->text = show_batch(compare, batch, i);
		return;
	}
}

int compare_batch(struct compare *compare, const struct op_batch *batch,
		  struct compare_difference *difference, struct error *error)
{
	int err = run_side(compare, &compare->sides[0], batch, error);

	if (!err)
		err = run_side(compare, &compare->sides[1], batch, error);
	if (err)
		return err;
	if (!sides_agree(compare, batch->count)) {
		find_difference(compare, batch, difference);
		return 1;
	}
	keep_tail(compare, batch);
	compare->index += batch->count;
	return 0;
}

static void order_add(void *arg, uint64_t key)
{
	struct order *order = arg;

	if (order->count == order->capacity) {
		size_t capacity = 2 * order->capacity + 1024;
		uint64_t *keys = reallocarray(order->keys, capacity, sizeof(*keys));

		if (!keys) {
			order->failed = true;
			return;
		}
		order->keys = keys;
		order->capacity = capacity;
	}
	order->keys[order->count++] = key;
}

static int read_order(struct side *side, struct error *error)
{
	int err;

	side->order.count = 0;
	side->order.failed = false;
	err = side->engine->dump(side->state, order_add, &side->order, error);
	if (!err && side->order.failed)
		err = error_set(error, -ENOMEM, "out of memory");
	return err;
}

/* Keys around the first place that differs. */
static char *show_order(const struct compare *compare, uint64_t at)
{
	const struct order *a = &compare->sides[0].order, *b = &compare->sides[1].order;
	uint64_t i = at < LINES_BEFORE ? 0 : at - LINES_BEFORE;
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	if (!out)
		return NULL;
	print_sides(compare, out);
	for (; i <= at + LINES_AFTER && (i < a->count || i < b->count); i++) {
		bool is_same = i < a->count && i < b->count && a->keys[i] == b->keys[i];

		if (i < a->count)
			fprintf(out, "%c %8" PRIu64 "  k %" PRIu64 "\n", is_same ? ' ' : '-', i,
				a->keys[i]);
		if (i < b->count && !is_same)
			fprintf(out, "+ %8" PRIu64 "  k %" PRIu64 "\n", i, b->keys[i]);
	}
	fprintf(out, "- entries %zu\n+ entries %zu\n", a->count, b->count);
	if (!fclose(out))
		return text;
	free(text);
	return NULL;
}

int compare_order(struct compare *compare, uint64_t *entries, struct compare_difference *difference,
		  struct error *error)
{
	const struct order *a = &compare->sides[0].order, *b = &compare->sides[1].order;
	int err = read_order(&compare->sides[0], error);
	uint64_t i = 0;

	if (!err)
		err = read_order(&compare->sides[1], error);
	if (err)
		return err;
	*entries = a->count;
	while (i < a->count && i < b->count && a->keys[i] == b->keys[i])
		i++;
	if (i == a->count && i == b->count)
		return 0;
	memset(difference, 0, sizeof(*difference));
	difference->kind = COMPARE_ORDER;
	difference->index = i;
	difference->entries[0] = a->count;
	difference->entries[1] = b->count;
	difference->keys[0] = i < a->count ? a->keys[i] : 0;
	difference->keys[1] = i < b->count ? b->keys[i] : 0;
	difference->text = show_order(compare, i);
	return 1;
}

int compare_all(struct compare *compare, const struct run_config *config,
		const struct op_batch *batch, struct compare_difference *difference,
		struct error *error)
{
	uint64_t entries;
	int ret = compare_begin(compare, config, error);

	if (ret)
		return ret;
	for (size_t at = 0; !ret && at < batch->count; at += COMPARE_BATCH) {
		size_t left = batch->count - at;
		struct op_batch part = *batch;

		part.ops += at;
		part.times_ns = NULL;
		part.values = batch->values ? batch->values + at : NULL;
		part.count = left < COMPARE_BATCH ? left : COMPARE_BATCH;
		ret = compare_batch(compare, &part, difference, error);
	}
	if (!ret)
		ret = compare_order(compare, &entries, difference, error);
	compare_end(compare);
	return ret;
}

static int describe_return(int32_t ret, char *text, size_t bytes)
{
	const char *name = ret < 0 ? errno_name(ret) : NULL;

	return name ? snprintf(text, bytes, "%" PRId32 " (%s)", ret, name)
		    : snprintf(text, bytes, "%" PRId32, ret);
}

int compare_describe(const struct compare_difference *difference,
		     const struct engine *const pair[2], char *text, size_t bytes)
{
	const struct compare_answer *a = &difference->answers[0], *b = &difference->answers[1];
	char returns[2][32];

	switch (difference->kind) {
	case COMPARE_RETURN:
		describe_return(a->ret, returns[0], sizeof(returns[0]));
		describe_return(b->ret, returns[1], sizeof(returns[1]));
		return snprintf(text, bytes, "operation %" PRIu64 ": %s returned %s, %s %s",
				difference->index, pair[0]->name, returns[0], pair[1]->name,
				returns[1]);
	case COMPARE_DETAIL:
		return snprintf(text, bytes,
				"operation %" PRIu64 ": %s answered %" PRIu64 ", %s %" PRIu64,
				difference->index, pair[0]->name, a->detail, pair[1]->name,
				b->detail);
	case COMPARE_READ:
		return snprintf(text, bytes,
				"operation %" PRIu64 ": what %s read folds to %" PRIx64
				", what %s read to %" PRIx64,
				difference->index, pair[0]->name, a->read, pair[1]->name, b->read);
	case COMPARE_ORDER:
		return snprintf(text, bytes,
				"order of iteration, place %" PRIu64 ": %s has %" PRIu64
				" keys, %s %" PRIu64,
				difference->index, pair[0]->name, difference->entries[0],
				pair[1]->name, difference->entries[1]);
	case COMPARE_SAME:
	case COMPARE_KINDS:
		break;
	}
	return snprintf(text, bytes, "no difference");
}
