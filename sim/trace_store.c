// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sim/trace_store.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define BATCH_OPERATIONS ((size_t)32768)

enum entry_state { ENTRY_LOADING, ENTRY_READY, ENTRY_FAILED };

/* The first member is what is lent. */
struct store_entry {
	struct op_batch batch;
	struct store_entry *next; /* used more recently */
	struct trace_store *store;
	char *spec;
	struct trace_options options;
	enum entry_state state;
	unsigned int users;
	uint64_t bytes;
	bool is_too_big; /* for the store, whatever else is in it */
	int err;
	struct error error;
};

struct trace_store {
	pthread_mutex_t lock;
	pthread_cond_t loaded;
	struct store_entry *entries; /* the one used longest ago first */
	uint64_t limit_bytes, bytes;
};

/* Reading a trace into memory. */
struct load {
	struct op_batch *all;
	trace_charge_fn *charge;
	void *arg;
	struct error *error;
};

static int load_charge(const struct load *load, uint64_t bytes)
{
	if (!load->charge || load->charge(load->arg, bytes))
		return 0;
	return error_set(load->error, -EFBIG, "the trace does not fit in memory");
}

static uint64_t op_bytes(const struct op_batch *batch)
{
	return sizeof(*batch->ops) + (batch->values ? sizeof(*batch->values) : 0);
}

/* Grows the batch so that another read fits behind what it has. */
static int load_grow(const struct load *load, size_t capacity)
{
	struct op_batch *batch = load->all;
	int err = load_charge(load, (capacity - batch->capacity) * op_bytes(batch));
	struct map_op *ops;
	uint64_t *values = NULL;

	if (err)
		return err;
	ops = reallocarray(batch->ops, capacity, sizeof(*ops));
	if (ops)
		batch->ops = ops;
	if (ops && batch->values) {
		values = reallocarray(batch->values, capacity, sizeof(*values));
		if (values)
			batch->values = values;
	}
	if (!ops || (batch->values && !values))
		return error_set(load->error, -ENOMEM, "no memory to load the trace");
	batch->capacity = capacity;
	return 0;
}

/* Appends part, moving the arena offsets of byte keys. */
static int load_append(const struct load *load, const struct op_batch *part)
{
	struct op_batch *all = load->all;
	int err = part->arena_bytes ? load_charge(load, part->arena_bytes) : 0;
	int64_t base;

	if (!err && all->count + part->count > all->capacity)
		err = load_grow(load, 2 * all->capacity + part->count);
	if (err)
		return err;
	base = op_batch_add_bytes(all, part->arena, part->arena_bytes);
	if (base < 0)
		return error_set(load->error, (int)base, "no memory to load the trace");
	memcpy(all->ops + all->count, part->ops, part->count * sizeof(*part->ops));
	if (part->values)
		memcpy(all->values + all->count, part->values, part->count * sizeof(*part->values));
	for (size_t i = 0; base && i < part->count; i++) {
		if (part->ops[i].key_bytes)
			all->ops[all->count + i].key += (uint64_t)base;
	}
	all->count += part->count;
	return 0;
}

static int load_all(const struct load *load, struct trace_reader *reader, const atomic_int *stop)
{
	bool has_values = trace_has_values(reader);
	uint64_t operations = trace_operations(reader);
	struct op_batch part;
	int err = op_batch_init(&part, BATCH_OPERATIONS, false, has_values);

	if (!err)
		err = op_batch_init(load->all, BATCH_OPERATIONS, false, has_values);
	if (err)
		error_set(load->error, err, "no memory to load the trace");
	else
		err = load_charge(load, BATCH_OPERATIONS * op_bytes(load->all));
	/* What is known not to fit need not be tried. */
	if (!err && operations > BATCH_OPERATIONS)
		err = operations > SIZE_MAX / 64 ? load_charge(load, UINT64_MAX)
						 : load_grow(load, operations);
	while (!err) {
		err = trace_read(reader, &part, load->error);
		if (!err && !part.count)
			break;
		if (!err)
			err = load_append(load, &part);
		if (!err && stop && atomic_load(stop))
			err = error_set(load->error, -EINTR, "interrupted");
	}
	op_batch_deinit(&part);
	return err;
}

int trace_load(const char *spec, const struct trace_options *options, const atomic_int *stop,
	       trace_charge_fn *charge, void *arg, struct op_batch *all, struct error *error)
{
	struct load load = {.all = all, .charge = charge, .arg = arg, .error = error};
	struct trace_reader *reader;
	int err = trace_open(spec, options, &reader, error);

	memset(all, 0, sizeof(*all));
	if (err)
		return err;
	err = load_all(&load, reader, stop);
	trace_close(reader);
	return err;
}

struct trace_store *trace_store_create(uint64_t limit_bytes)
{
	struct trace_store *store = calloc(1, sizeof(*store));

	if (!store)
		return NULL;
	pthread_mutex_init(&store->lock, NULL);
	pthread_cond_init(&store->loaded, NULL);
	store->limit_bytes = limit_bytes;
	return store;
}

static void entry_destroy(struct store_entry *entry)
{
	op_batch_deinit(&entry->batch);
	free(entry->spec);
	free(entry);
}

void trace_store_destroy(struct trace_store *store)
{
	struct store_entry *entry, *next;

	if (!store)
		return;
	for (entry = store->entries; entry; entry = next) {
		next = entry->next;
		entry_destroy(entry);
	}
	pthread_cond_destroy(&store->loaded);
	pthread_mutex_destroy(&store->lock);
	free(store);
}

bool trace_options_equal(const struct trace_options *a, const struct trace_options *b)
{
	return a->cpus == b->cpus && a->key_size == b->key_size && a->program == b->program &&
	       a->spread == b->spread && a->spread_block == b->spread_block && a->seed == b->seed;
}

/* Drops the trace that was used longest ago, if one is not used now. Under the lock. */
static bool store_drop_one(struct trace_store *store)
{
	for (struct store_entry **link = &store->entries; *link; link = &(*link)->next) {
		struct store_entry *entry = *link;

		if (entry->state != ENTRY_READY || entry->users)
			continue;
		*link = entry->next;
		store->bytes -= entry->bytes;
		entry_destroy(entry);
		return true;
	}
	return false;
}

static bool store_charge(void *arg, uint64_t bytes)
{
	struct store_entry *entry = arg;
	struct trace_store *store = entry->store;
	bool has_room = false;

	pthread_mutex_lock(&store->lock);
	if (bytes > store->limit_bytes - entry->bytes) {
		/* What never fits must not cost the others their place. */
		entry->is_too_big = true;
	} else {
		while (!(has_room = bytes <= store->limit_bytes - store->bytes) &&
		       store_drop_one(store))
			;
	}
	if (has_room) {
		store->bytes += bytes;
		entry->bytes += bytes;
	}
	pthread_mutex_unlock(&store->lock);
	return has_room;
}

/* Under the lock: the entry, unlinked, so that it can go to the end of the list. */
static struct store_entry *store_take(struct trace_store *store, const char *spec,
				      const struct trace_options *options)
{
	for (struct store_entry **link = &store->entries; *link; link = &(*link)->next) {
		struct store_entry *entry = *link;

		if (strcmp(entry->spec, spec) != 0 ||
		    !trace_options_equal(&entry->options, options))
			continue;
		*link = entry->next;
		return entry;
	}
	return NULL;
}

/* Under the lock. */
static void store_append(struct trace_store *store, struct store_entry *entry)
{
	struct store_entry **link = &store->entries;

	while (*link)
		link = &(*link)->next;
	entry->next = NULL;
	*link = entry;
}

/* An entry to be loaded, or NULL without memory. Under the lock. */
static struct store_entry *store_add(struct trace_store *store, const char *spec,
				     const struct trace_options *options)
{
	struct store_entry *entry = calloc(1, sizeof(*entry));

	if (!entry)
		return NULL;
	entry->spec = strdup(spec);
	if (!entry->spec) {
		free(entry);
		return NULL;
	}
	entry->store = store;
	entry->options = *options;
	entry->state = ENTRY_LOADING;
	store_append(store, entry);
	return entry;
}

/* Loads an entry without the lock, which the caller has before and afterwards. */
static void entry_load(struct store_entry *entry, const atomic_int *stop)
{
	struct trace_store *store = entry->store;
	int err;

	pthread_mutex_unlock(&store->lock);
	err = trace_load(entry->spec, &entry->options, stop, store_charge, entry, &entry->batch,
			 &entry->error);
	if (err)
		op_batch_deinit(&entry->batch);
	pthread_mutex_lock(&store->lock);
	if (err) {
		store->bytes -= entry->bytes;
		entry->bytes = 0;
	}
	entry->err = err == -ENOMEM ? -EFBIG : err;
	entry->state = err ? ENTRY_FAILED : ENTRY_READY;
	pthread_cond_broadcast(&store->loaded);
}

/* Ends the use of what was not loaded. It can fit later, when others are gone. Under the lock. */
static void store_forget(struct trace_store *store, struct store_entry *entry, int err)
{
	entry->users--;
	if (err != -EFBIG || entry->is_too_big || entry->users)
		return;
	store_take(store, entry->spec, &entry->options);
	entry_destroy(entry);
}

int trace_store_get(struct trace_store *store, const char *spec,
		    const struct trace_options *options, const atomic_int *stop,
		    const struct op_batch **batch, struct error *error)
{
	struct store_entry *entry;
	int err;

	*batch = NULL;
	pthread_mutex_lock(&store->lock);
	entry = store_take(store, spec, options);
	if (entry)
		store_append(store, entry);
	else
		entry = store_add(store, spec, options);
	if (!entry) {
		pthread_mutex_unlock(&store->lock);
		return error_set(error, -ENOMEM, "out of memory");
	}
	entry->users++;
	if (entry->state == ENTRY_LOADING && entry->users == 1)
		entry_load(entry, stop);
	while (entry->state == ENTRY_LOADING)
		pthread_cond_wait(&store->loaded, &store->lock);
	err = entry->err;
	if (!err)
		*batch = &entry->batch;
	else
		store_forget(store, entry, error_copy(error, err, &entry->error));
	pthread_mutex_unlock(&store->lock);
	return err;
}

void trace_store_put(struct trace_store *store, const struct op_batch *batch)
{
	struct store_entry *entry = (struct store_entry *)batch;

	pthread_mutex_lock(&store->lock);
	entry->users--;
	pthread_mutex_unlock(&store->lock);
}
