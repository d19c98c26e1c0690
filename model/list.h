/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The two kinds of list the maps are made of: doubly linked rings through a head (LRU lists), and
 * "nulls" lists (buckets): singly linked with a back pointer, whose end names the bucket so that a
 * reader without the lock notices when it was led to another one.
 */
#ifndef MODEL_LIST_H
#define MODEL_LIST_H

#include <stdbool.h>
#include <stdint.h>

struct list_node {
	struct list_node *next, *prev;
};

static inline void list_init(struct list_node *head)
{
	head->next = head;
	head->prev = head;
}

static inline bool list_is_empty(const struct list_node *head)
{
	return head->next == head;
}

/* Adds after head: "the head" of a list is its young end. */
static inline void list_add(struct list_node *node, struct list_node *head)
{
	struct list_node *first = head->next;

	node->next = first;
	node->prev = head;
	first->prev = node;
	head->next = node;
}

static inline void list_del(struct list_node *node)
{
	node->next->prev = node->prev;
	node->prev->next = node->next;
}

/* Puts a node where another one was. */
static inline void list_replace(struct list_node *old, struct list_node *node)
{
	node->next = old->next;
	node->prev = old->prev;
	node->next->prev = node;
	node->prev->next = node;
}

/* A link of a nulls list: the address of a nulls_node, or an odd end mark. */
struct nulls_node {
	uintptr_t next;
	uintptr_t *pprev; /* what points here */
};

static inline bool nulls_is_end(uintptr_t link)
{
	return link & 1;
}

/*
 * The end mark names its bucket by its address, of a multiple of 8, plus 1: so that what follows
 * links without looking whether they end (look-ahead) reads something that is there, and near.
 */
static inline uintptr_t nulls_end(const void *bucket)
{
	return (uintptr_t)bucket | 1;
}

#endif
