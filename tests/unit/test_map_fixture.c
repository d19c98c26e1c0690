// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/attr.h"
#include "model/kernels.h"
#include "tests/unit/test_map.h"

#define OPS_MAX 512
#define TEXT_BYTES 8192

void test_fail(const char *file, unsigned int line, const char *format, ...)
{
	char text[2 * TEXT_BYTES + 128];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	CU_assertImplementation(CU_FALSE, line, text, file, "", CU_FALSE);
}

static void compare_text(const char *what, const char *found, const char *expected,
			 const char *file, unsigned int line)
{
	if (strcmp(found, expected) != 0)
		test_fail(file, line, "%s: found \"%s\", expected \"%s\"", what, found, expected);
	else
		CU_PASS("");
}

static void set_tunable(struct tunables *tunables, char *setting)
{
	char *value = strchr(setting, '=');
	struct error error;
	int id;

	*value++ = '\0';
	id = tunable_find(setting, &error);
	if (id < 0 || tunable_set(tunables, (enum tunable_id)id, value, &error)) {
		fprintf(stderr, "%s\n", error.text);
		abort();
	}
}

void test_tunables_init(struct tunables *tunables, const char *kernel, const char *set)
{
	struct kernel_release release = kernel_newest();
	char *copy = strdup(set ? set : ""), *rest = copy, *setting;

	if (kernel && kernel_parse(kernel, &release, NULL))
		abort();
	kernel_tunables(&release, tunables);
	while ((setting = strsep(&rest, " "))) {
		if (*setting)
			set_tunable(tunables, setting);
	}
	free(copy);
}

int test_map_try(const struct test_map *wanted, struct map **map, struct error *error)
{
	struct tunables tunables;

	test_tunables_init(&tunables, wanted->kernel, wanted->set);
	return test_ops->map_create(&wanted->attr, &tunables, wanted->cpus ? wanted->cpus : 1, map,
				    error);
}

struct map *test_map_create(const struct test_map *wanted)
{
	struct test_map whole = *wanted;
	struct error error = {.text = ""};
	struct map *map = NULL;

	if (!whole.attr.key_size)
		whole.attr.key_size = 8;
	if (!whole.attr.value_size)
		whole.attr.value_size = 8;
	if (test_map_try(&whole, &map, &error))
		test_fail(__FILE__, __LINE__, "the map is refused: %s", error.text);
	CU_ASSERT_PTR_NOT_NULL_FATAL(map);
	return map;
}

void test_map_destroy(struct map *map)
{
	struct error error = {.text = ""};

	if (test_ops->check(map, &error))
		test_fail(__FILE__, __LINE__, "the map is broken: %s", error.text);
	test_ops->map_destroy(map);
}

/* Reads "0U1"; false at the end of the text. */
static bool parse_op(const char **text, struct map_op *op)
{
	char *at;

	while (**text == ' ')
		(*text)++;
	if (!**text)
		return false;
	*op = (struct map_op){.cpu = (uint16_t)strtoul(*text, &at, 10)};
	if (op_from_letter(*at, &op->code, &op->context))
		abort();
	op->key = strtoull(at + 1, &at, 10);
	*text = at;
	return true;
}

static size_t append_return(char *text, size_t used, const struct map_op *op, int32_t ret,
			    uint64_t detail)
{
	bool has_detail = (op->code == OP_NEXT_KEY && !ret) || op->code == OP_BATCH_LOOKUP ||
			  op->code == OP_BATCH_LOOKUP_AND_DELETE;

	if (used)
		text[used++] = ' ';
	if (ret < 0)
		used += (size_t)sprintf(text + used, "%s", errno_name(ret));
	else
		used += (size_t)sprintf(text + used, "%d", ret);
	if (has_detail)
		used += (size_t)sprintf(text + used, ":%llu", (unsigned long long)detail);
	return used;
}

/* Runs operations written as text, at most OPS_MAX, put in list. Returns their number. */
static size_t run_text(struct map *map, const char *ops, struct map_op *list,
		       const struct map_run *outputs)
{
	struct op_batch batch = {.ops = list};
	struct map_run run = *outputs;

	while (batch.count < OPS_MAX && parse_op(&ops, &list[batch.count]))
		batch.count++;
	run.batch = &batch;
	test_ops->run(map, &run);
	return batch.count;
}

void test_map_do(struct map *map, const char *ops)
{
	static const struct map_run no_outputs;
	struct map_op list[OPS_MAX];

	run_text(map, ops, list, &no_outputs);
}

void test_map_run_at(struct map *map, const char *ops, const char *returns, const char *file,
		     unsigned int line)
{
	struct map_op list[OPS_MAX];
	int32_t rets[OPS_MAX];
	uint64_t details[OPS_MAX];
	const struct map_run outputs = {.returns = rets, .details = details};
	char found[TEXT_BYTES] = "";
	size_t used = 0, count = run_text(map, ops, list, &outputs);

	for (size_t i = 0; i < count; i++)
		used = append_return(found, used, &list[i], rets[i], details[i]);
	compare_text(ops, found, returns, file, line);
}

static int compare_numbers(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* The first 8 bytes of every key, in order; the caller's to free. */
static uint64_t *list_keys(struct map *map, size_t *count)
{
	struct map_ctx ctx = {.context = OP_SYSCALL};
	size_t key_size = test_ops->key_size(map), bytes = key_size < 8 ? key_size : 8;
	uint64_t *keys = calloc(test_map_entries(map) + 1, sizeof(*keys));
	uint8_t *key = calloc(1, key_size);

	*count = 0;
	while (!test_ops->next_key(map, &ctx, *count ? key : NULL, key)) {
		if (*count == test_map_entries(map)) {
			test_fail(__FILE__, __LINE__, "more keys than entries");
			break;
		}
		memcpy(&keys[(*count)++], key, bytes);
	}
	free(key);
	return keys;
}

void test_map_keys_at(struct map *map, const char *keys, bool is_sorted, const char *file,
		      unsigned int line)
{
	char found[TEXT_BYTES] = "";
	size_t count, used = 0;
	uint64_t *list = list_keys(map, &count);

	if (is_sorted)
		qsort(list, count, sizeof(*list), compare_numbers);
	for (size_t i = 0; i < count && used < sizeof(found) - 32; i++)
		used += (size_t)sprintf(found + used, "%s%llu", i ? " " : "",
					(unsigned long long)list[i]);
	compare_text("keys", found, keys, file, line);
	free(list);
}

static void append_list(void *arg, const char *list, int cpu, uint64_t nodes)
{
	char *text = (char *)arg + strlen(arg);

	if (!nodes || strlen(arg) > TEXT_BYTES - 64)
		return;
	text += sprintf(text, "%s%s", text == arg ? "" : " ", list);
	if (cpu >= 0)
		text += sprintf(text, "%d", cpu);
	sprintf(text, "=%llu", (unsigned long long)nodes);
}

void test_map_lists_at(struct map *map, const char *lists, const char *file, unsigned int line)
{
	char found[TEXT_BYTES] = "";

	test_ops->lists(map, append_list, found);
	compare_text("lists", found, lists, file, line);
}

struct wanted_list {
	const char *list;
	int cpu;
	uint64_t nodes;
};

static void find_list(void *arg, const char *list, int cpu, uint64_t nodes)
{
	struct wanted_list *wanted = arg;

	if (!strcmp(list, wanted->list) && cpu == wanted->cpu)
		wanted->nodes = nodes;
}

uint64_t test_map_nodes(struct map *map, const char *list, int cpu)
{
	struct wanted_list wanted = {list, cpu, UINT64_MAX};

	test_ops->lists(map, find_list, &wanted);
	CU_ASSERT_NOT_EQUAL(wanted.nodes, UINT64_MAX);
	return wanted.nodes;
}

uint64_t test_map_entries(struct map *map)
{
	struct map_census census;

	test_ops->census(map, &census);
	return census.entries;
}

void test_map_counters(struct map *map, uint32_t cpus, struct map_counters *total)
{
	uint64_t sums[sizeof(*total) / sizeof(uint64_t)] = {0},
				       more[sizeof(sums) / sizeof(sums[0])];
	struct map_counters counters;

	for (uint32_t cpu = 0; cpu < cpus; cpu++) {
		test_ops->counters(map, cpu, &counters);
		memcpy(more, &counters, sizeof(more));
		for (size_t i = 0; i < sizeof(sums) / sizeof(sums[0]); i++)
			sums[i] += more[i];
	}
	memcpy(total, sums, sizeof(*total));
}

/* Bytes that begin with the number, so that few numbers give few keys. */
static void fill_key_bytes(struct op_batch *batch, struct map_op *op, uint64_t number,
			   uint32_t key_bytes)
{
	uint8_t bytes[256];
	uint32_t used = 1 + (uint32_t)(number % key_bytes);
	int64_t offset;

	memset(bytes, (int)(number * 7 % 251), sizeof(bytes));
	memcpy(bytes, &number, used < 8 ? used : 8);
	offset = op_batch_add_bytes(batch, bytes, used);
	if (offset < 0)
		abort();
	op->key = (uint64_t)offset;
	op->key_bytes = used;
}

void test_trace_fill(const struct test_trace *trace, struct rng *rng, struct op_batch *batch,
		     size_t count)
{
	size_t codes = strlen(trace->codes);

	op_batch_reset(batch);
	for (size_t i = 0; i < count; i++) {
		struct map_op *op = &batch->ops[batch->count++];

		*op = (struct map_op){.cpu = (uint16_t)rng_below(rng, trace->cpus)};
		op_from_letter(trace->codes[rng_below(rng, codes)], &op->code, &op->context);
		op->key = rng_below(rng, trace->range);
		if (trace->key_bytes && op->code != OP_BATCH_LOOKUP &&
		    op->code != OP_BATCH_LOOKUP_AND_DELETE)
			fill_key_bytes(batch, op, op->key, trace->key_bytes);
	}
}
