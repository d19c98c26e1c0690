// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "model/defer.h"

#include "model/map.h"

int defer_init(struct defer *defer, uint32_t cpus)
{
	int err = env_grace_begin();

	if (err)
		return err;
	defer->cpus = env_alloc(cpus * sizeof(*defer->cpus), -1);
	defer->count = cpus;
	return defer->cpus ? 0 : -ENOMEM;
}

void defer_deinit(struct defer *defer)
{
	env_free(defer->cpus, defer->count * sizeof(*defer->cpus));
	defer->cpus = NULL;
}

static void list_push(struct defer_list *list, struct elem *elem)
{
	elem->free_next = list->first;
	list->first = elem;
	list->count++;
}

static struct elem *list_pop(struct defer_list *list)
{
	struct elem *elem = list->first;

	if (elem) {
		list->first = elem->free_next;
		list->count--;
	}
	return elem;
}

static void list_move(struct defer_list *to, struct defer_list *from)
{
	*to = *from;
	*from = (struct defer_list){NULL, 0};
}

bool defer_advance(struct defer *defer, uint32_t cpu)
{
	struct defer_cpu *mine = &defer->cpus[cpu];
	uint64_t count;

	if (mine->collected.first && !mine->waiting.first) {
		list_move(&mine->waiting, &mine->collected);
		mine->ticket = env_grace_ask();
	}
	if (mine->waiting.first && !mine->over.first && env_grace_is_over(mine->ticket))
		list_move(&mine->over, &mine->waiting);
	count = mine->collected.count + mine->waiting.count;
	if (count > mine->most)
		mine->most = count;
	return mine->over.first;
}

void defer_add(struct defer *defer, uint32_t cpu, struct elem *elem)
{
	list_push(&defer->cpus[cpu].collected, elem);
}

struct elem *defer_take_over(struct defer *defer, uint32_t cpu)
{
	return list_pop(&defer->cpus[cpu].over);
}

struct elem *defer_take_any(struct defer *defer, uint32_t cpu)
{
	struct defer_cpu *mine = &defer->cpus[cpu];
	struct elem *elem = list_pop(&mine->collected);

	if (!elem)
		elem = list_pop(&mine->waiting);
	return elem ? elem : list_pop(&mine->over);
}

uint64_t defer_most(const struct defer *defer)
{
	uint64_t most = 0;

	for (uint32_t cpu = 0; cpu < defer->count; cpu++)
		most += defer->cpus[cpu].most;
	return most;
}

static int list_walk(const struct defer_list *list,
		     int (*visit)(void *arg, const struct elem *elem), void *arg,
		     struct error *error)
{
	uint64_t count = 0;
	int err = 0;

	for (const struct elem *elem = list->first; elem && !err; elem = elem->free_next, count++)
		err = visit(arg, elem);
	if (err || count == list->count)
		return err;
	return error_set(error, -EUCLEAN, "%llu elements wait for a grace period, counted %llu",
			 (unsigned long long)count, (unsigned long long)list->count);
}

int defer_walk(const struct defer *defer, int (*visit)(void *arg, const struct elem *elem),
	       void *arg, struct error *error)
{
	int err = 0;

	for (uint32_t cpu = 0; cpu < defer->count; cpu++) {
		const struct defer_cpu *mine = &defer->cpus[cpu];
		const struct defer_list *const lists[] = {&mine->collected, &mine->waiting,
							  &mine->over};

		for (int i = 0; i < 3 && !err; i++)
			err = list_walk(lists[i], visit, arg, error);
	}
	return err;
}
