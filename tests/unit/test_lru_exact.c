// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The exact LRU against its definition: an array of the keys in order of use, whose last one goes
 * when there is no room. An update takes its node first, and so evicts before it looks.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/attr.h"
#include "tests/unit/test_map.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define CPUS 3
#define KEYS_MAX 256

/* Keys, the one used last first. */
struct order {
	uint64_t keys[KEYS_MAX];
	size_t count, capacity;
};

/* One order, or one per CPU: a key belongs to that of the CPU that inserted it. */
struct reference {
	struct order orders[CPUS];
	size_t orders_count;
	bool is_percpu;
	uint64_t evictions;
};

static bool order_find(const struct order *order, uint64_t key, size_t *at)
{
	for (*at = 0; *at < order->count; (*at)++) {
		if (order->keys[*at] == key)
			return true;
	}
	return false;
}

static void order_remove(struct order *order, size_t at)
{
	order->count--;
	memmove(&order->keys[at], &order->keys[at + 1],
		(order->count - at) * sizeof(order->keys[0]));
}

static void order_add(struct order *order, uint64_t key)
{
	memmove(&order->keys[1], &order->keys[0], order->count * sizeof(order->keys[0]));
	order->keys[0] = key;
	order->count++;
}

/* The order that has the key, or NULL. */
static struct order *reference_find(struct reference *reference, uint64_t key, size_t *at)
{
	for (size_t i = 0; i < reference->orders_count; i++) {
		if (order_find(&reference->orders[i], key, at))
			return &reference->orders[i];
	}
	return NULL;
}

static bool reference_use(struct reference *reference, uint64_t key)
{
	size_t at;
	struct order *order = reference_find(reference, key, &at);

	if (!order)
		return false;
	order_remove(order, at);
	order_add(order, key);
	return true;
}

static bool reference_delete(struct reference *reference, uint64_t key)
{
	size_t at;
	struct order *order = reference_find(reference, key, &at);

	if (order)
		order_remove(order, at);
	return order;
}

/* Replacing gives the key the new node, of this CPU's list, except with per-CPU values. */
static int reference_update(struct reference *reference, const struct map_op *op, uint64_t flags)
{
	struct order *mine = &reference->orders[reference->orders_count == 1 ? 0 : op->cpu];
	bool takes_node = !reference->is_percpu || flags != 2;
	struct order *old;
	size_t at;

	if (takes_node && mine->count == mine->capacity) {
		mine->count--;
		reference->evictions++;
	}
	old = reference_find(reference, op->key, &at);
	if (old && flags == 1)
		return -EEXIST;
	if (!old && flags == 2)
		return -ENOENT;
	if (old && reference->is_percpu) {
		reference_use(reference, op->key);
		return 0;
	}
	if (old)
		order_remove(old, at);
	order_add(mine, op->key);
	return 0;
}

static int reference_op(struct reference *reference, const struct map_op *op)
{
	bool is_call = op->context == OP_SYSCALL;
	size_t at;

	switch ((enum op_code)op->code) {
	case OP_LOOKUP:
		if (is_call)
			return reference_find(reference, op->key, &at) ? 0 : -ENOENT;
		return reference_use(reference, op->key) ? 0 : -ENOENT;
	case OP_UPDATE:
		return reference_update(reference, op, 0);
	case OP_UPDATE_NOEXIST:
		return reference_update(reference, op, 1);
	case OP_UPDATE_EXIST:
		return reference_update(reference, op, 2);
	case OP_DELETE:
		return reference_delete(reference, op->key) ? 0 : -ENOENT;
	case OP_ACCESS:
		if (reference_use(reference, op->key))
			return 0;
		return reference_update(reference, op, 0) ? -ENOMEM : 1;
	default:
		abort();
	}
}

static void reference_init(struct reference *reference, const struct map_attr *attr)
{
	bool has_lists = attr->flags & MAP_NO_COMMON_LRU;

	memset(reference, 0, sizeof(*reference));
	reference->is_percpu = map_type_is_percpu(attr->type);
	reference->orders_count = has_lists ? CPUS : 1;
	for (size_t i = 0; i < reference->orders_count; i++)
		reference->orders[i].capacity =
			map_attr_entries(attr, CPUS) / reference->orders_count;
}

static void compare_contents(struct map *map, const struct reference *reference)
{
	struct map_ctx ctx = {.context = OP_SYSCALL};
	uint64_t entries = 0;

	for (size_t i = 0; i < reference->orders_count; i++) {
		const struct order *order = &reference->orders[i];

		entries += order->count;
		for (size_t n = 0; n < order->count; n++)
			CU_ASSERT_EQUAL(test_ops->lookup(map, &ctx, &order->keys[n], NULL), 0);
	}
	CU_ASSERT_EQUAL(test_map_entries(map), entries);
}

static void compare_run(enum map_type type, uint32_t flags, uint32_t entries, const char *codes,
			struct rng *rng)
{
	struct test_map wanted = {{type, 8, 8, entries, flags, 0, false},
				  NULL,
				  CPUS,
				  "rotation=lru"};
	struct test_trace trace = {codes, entries + entries / 2 + 2, CPUS, 0};
	struct map *map = test_map_create(&wanted);
	struct reference reference;
	struct map_counters total;
	struct op_batch batch;
	int32_t returns[2000];
	const struct map_run run = {.batch = &batch, .returns = returns};
	size_t wrong = 0;

	reference_init(&reference, &wanted.attr);
	CU_ASSERT_EQUAL_FATAL(op_batch_init(&batch, COUNT(returns), false, false), 0);
	test_trace_fill(&trace, rng, &batch, COUNT(returns));
	test_ops->run(map, &run);
	for (size_t i = 0; i < batch.count; i++)
		wrong += returns[i] != reference_op(&reference, &batch.ops[i]);
	if (wrong)
		test_fail(__FILE__, __LINE__, "%s, flags %u, %u entries, %s: %zu returns differ",
			  map_type_names[type], flags, entries, codes, wrong);
	test_map_counters(map, CPUS, &total);
	CU_ASSERT_EQUAL(total.evictions, reference.evictions);
	compare_contents(map, &reference);
	op_batch_deinit(&batch);
	test_map_destroy(map);
}

static void compare_type(enum map_type type)
{
	static const uint32_t sizes[] = {1, 2, 3, 10, 60};
	static const char *const codes[] = {"TTTTL", "UuL", "LTUNEDluned"};
	struct rng rng;

	rng_init(&rng, 4);
	for (size_t i = 0; i < COUNT(sizes); i++) {
		for (size_t n = 0; n < COUNT(codes); n++) {
			compare_run(type, 0, sizes[i], codes[n], &rng);
			compare_run(type, MAP_NO_COMMON_LRU, sizes[i], codes[n], &rng);
		}
	}
}

static void test_lru_hash(void)
{
	compare_type(MAP_LRU_HASH);
}

static void test_lru_percpu_hash(void)
{
	compare_type(MAP_LRU_PERCPU_HASH);
}

CU_TestInfo lru_exact_tests[] = {
	{"lru_hash", test_lru_hash},
	{"lru_percpu_hash", test_lru_percpu_hash},
	CU_TEST_INFO_NULL,
};
