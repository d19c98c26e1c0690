// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Generated traces: parsing "gen:KIND,name=value,...", and the format that runs the kinds. */
#include "traces/gen.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "traces/format.h"

#define KINDS_MAX 16

static const struct gen_kind *const gen_kinds[KINDS_MAX + 1] = {
	&gen_fio_zipf, &gen_zipf, &gen_uniform, &gen_scan, &gen_churn, &gen_pairs, &gen_bursts,
};

static const struct gen_parameter common[GEN_OWN] = {
	[GEN_RANGE] = {"range", "distinct keys", false, {1}, {UINT64_MAX}, {100000}},
	[GEN_COUNT] = {"count", "operations", false, {1}, {UINT64_MAX}, {1000000}},
	[GEN_SEED] = {"seed", "of the random numbers", false, {0}, {UINT64_MAX}, {0}},
	[GEN_CPUS] = {"cpus", "each operation on a random one", false, {1}, {MAP_CPUS_MAX}, {0}},
};

/* The parameter of a number as the kind has it; false behind the last. */
static bool kind_parameter(const struct gen_kind *kind, unsigned int i,
			   struct gen_parameter *parameter)
{
	if (i >= GEN_OWN) {
		if (!kind->own || !kind->own[i - GEN_OWN].name)
			return false;
		*parameter = kind->own[i - GEN_OWN];
		return true;
	}
	*parameter = common[i];
	if (i == GEN_RANGE) {
		parameter->max.number = kind->range_max;
		if (kind->range_meaning)
			parameter->meaning = kind->range_meaning;
	}
	if (i == GEN_SEED && kind->seed_max)
		parameter->max.number = kind->seed_max;
	return true;
}

static const struct gen_kind *kind_find(const char *name)
{
	const struct gen_kind *const *kind = gen_kinds;

	while (*kind && strcmp((*kind)->name, name) != 0)
		kind++;
	return *kind;
}

bool gen_is_spec(const char *name)
{
	size_t bytes = strcspn(name, ",");
	const struct gen_kind *const *kind = gen_kinds;

	while (*kind && (strncmp((*kind)->name, name, bytes) != 0 || (*kind)->name[bytes]))
		kind++;
	return *kind != NULL;
}

static int kind_unknown(const struct generator *gen, const char *name, struct error *error)
{
	const char *names[KINDS_MAX + 1] = {NULL};
	char text[192];

	for (size_t i = 0; gen_kinds[i]; i++)
		names[i] = gen_kinds[i]->name;
	names_list(names, text, sizeof(text));
	return error_set(error, -EINVAL, "%s: unknown kind \"%s\", expected %s", gen->name, name,
			 text);
}

static int parameter_unknown(const struct generator *gen, const char *name, struct error *error)
{
	const char *names[GEN_OWN + GEN_OWN_MAX + 1] = {NULL};
	struct gen_parameter parameter;
	char text[192];

	for (unsigned int i = 0; kind_parameter(gen->kind, i, &parameter); i++)
		names[i] = parameter.name;
	names_list(names, text, sizeof(text));
	return error_set(error, -EINVAL, "%s: unknown parameter \"%s\", expected %s", gen->name,
			 name, text);
}

/* Writes "1..100" as the user would write it. */
static const char *range_format(const struct gen_parameter *parameter, char *text, size_t bytes)
{
	if (parameter->is_fraction)
		snprintf(text, bytes, "%g..%g", parameter->min.fraction, parameter->max.fraction);
	else
		snprintf(text, bytes, "%" PRIu64 "..%" PRIu64, parameter->min.number,
			 parameter->max.number);
	return text;
}

static int value_parse(const struct generator *gen, const struct gen_parameter *parameter,
		       const char *text, union gen_value *value, struct error *error)
{
	char range[64];
	int err;

	if (parameter->is_fraction)
		err = number_parse_double(text, parameter->min.fraction, parameter->max.fraction,
					  &value->fraction);
	else
		err = number_parse(text, parameter->min.number, parameter->max.number,
				   &value->number);
	if (!err)
		return 0;
	return error_set(error, -EINVAL, "%s: %s: expected %s in %s, found \"%s\"", gen->name,
			 parameter->name, parameter->is_fraction ? "a number" : "an integer",
			 range_format(parameter, range, sizeof(range)), text);
}

/* Parses one "name=value", which it cuts apart. */
static int setting_parse(struct generator *gen, char *setting, struct error *error)
{
	struct gen_parameter parameter;
	char *equals = strchr(setting, '=');

	if (!equals)
		return error_set(error, -EINVAL, "%s: expected name=value, found \"%s\"", gen->name,
				 setting);
	*equals = '\0';
	for (unsigned int i = 0; kind_parameter(gen->kind, i, &parameter); i++) {
		if (strcmp(parameter.name, setting) != 0)
			continue;
		if (gen->given[i])
			return error_set(error, -EINVAL, "%s: %s is given twice", gen->name,
					 parameter.name);
		gen->given[i] = true;
		return value_parse(gen, &parameter, equals + 1, &gen->values[i], error);
	}
	return parameter_unknown(gen, setting, error);
}

/* Parses the kind and its settings; text is cut apart. */
static int spec_parse(struct generator *gen, char *text, struct error *error)
{
	struct gen_parameter parameter;
	char *rest = text;
	char *word = strsep(&rest, ",");
	int err = 0;

	gen->kind = kind_find(word);
	if (!gen->kind)
		return kind_unknown(gen, word, error);
	for (unsigned int i = 0; kind_parameter(gen->kind, i, &parameter); i++)
		gen->values[i] = parameter.preset;
	while (!err && (word = strsep(&rest, ",")))
		err = setting_parse(gen, word, error);
	return err;
}

/* What is not in the spec comes from the options; a smaller seed of fio's takes the low bits. */
static int gen_apply_options(struct generator *gen, struct trace_reader *reader,
			     struct error *error)
{
	uint64_t seed_max = gen->kind->seed_max ? gen->kind->seed_max : UINT64_MAX;
	uint32_t limit = reader->options.cpu_limit;

	if (!gen->given[GEN_SEED])
		gen->values[GEN_SEED].number = reader->options.seed & seed_max;
	if (!gen->given[GEN_CPUS])
		gen->values[GEN_CPUS].number = reader->options.cpus;
	if (gen_number(gen, GEN_CPUS) > limit)
		return error_set(error, -EINVAL,
				 "%s: cpus: expected at most the %u CPUs of the run, found "
				 "%" PRIu64,
				 gen->name, limit, gen_number(gen, GEN_CPUS));
	if (gen->kind->gives_codes)
		reader->gives |= GIVES_CODES;
	if (gen->kind->gives_cpus)
		reader->gives |= GIVES_CPUS;
	else if (gen->given[GEN_CPUS])
		spread_init(&reader->spread, SPREAD_RANDOM, (uint32_t)gen_number(gen, GEN_CPUS), 1,
			    gen_number(gen, GEN_SEED));
	return 0;
}

static int gen_open(struct trace_reader *reader, struct error *error)
{
	struct generator *gen = calloc(1, sizeof(*gen));
	char *text = strdup(reader->name + strlen("gen:"));
	int err = -ENOMEM;

	reader->state = gen;
	if (!gen || !text) {
		free(text);
		return error_set(error, err, "%s: %s", reader->name, strerror(ENOMEM));
	}
	gen->name = reader->name;
	gen->stop = reader->options.stop;
	err = spec_parse(gen, text, error);
	free(text);
	if (!err)
		err = gen_apply_options(gen, reader, error);
	if (err)
		return err;
	gen->left = gen_number(gen, GEN_COUNT);
	reader->operations = gen->left;
	rng_init(&gen->rng, gen_number(gen, GEN_SEED));
	gen->state = calloc(1, gen->kind->state_bytes + 1);
	if (!gen->state)
		return error_set(error, -ENOMEM, "%s: %s", reader->name, strerror(ENOMEM));
	return gen->kind->init ? gen->kind->init(gen, error) : 0;
}

static int gen_read(struct trace_reader *reader, struct op_batch *batch, struct error *error)
{
	struct generator *gen = reader->state;
	size_t count = batch->capacity;

	(void)error;
	if (count > gen->left)
		count = (size_t)gen->left;
	if (count)
		gen->kind->fill(gen, batch->ops, count);
	batch->count = count;
	gen->left -= count;
	return 0;
}

static void gen_close(struct trace_reader *reader)
{
	struct generator *gen = reader->state;

	if (!gen)
		return;
	if (gen->state && gen->kind->deinit)
		gen->kind->deinit(gen);
	free(gen->state);
	free(gen);
}

const struct trace_format gen_format = {
	.name = "gen",
	.summary = "made from a few parameters",
	.content = "operations",
	.open = gen_open,
	.read = gen_read,
	.close = gen_close,
};

/* Writes "name=DEFAULT (range: meaning)" for every parameter. */
static void parameters_format(const struct gen_kind *kind, char *text, size_t bytes)
{
	struct gen_parameter parameter;
	size_t used = 0;
	char preset[32];
	char range[64];

	for (unsigned int i = 0; used < bytes && kind_parameter(kind, i, &parameter); i++) {
		if (i == GEN_SEED || i == GEN_CPUS)
			strcpy(preset, "N");
		else if (parameter.is_fraction)
			snprintf(preset, sizeof(preset), "%g", parameter.preset.fraction);
		else
			snprintf(preset, sizeof(preset), "%" PRIu64, parameter.preset.number);
		range_format(&parameter, range, sizeof(range));
		used += (size_t)snprintf(text + used, bytes - used, "%s%s=%s (%s: %s)",
					 i ? ", " : "", parameter.name, preset, range,
					 parameter.meaning);
	}
}

static struct trace_kind kinds[KINDS_MAX + 1];

static void kinds_init(void)
{
	static char parameters[KINDS_MAX][768];

	for (size_t i = 0; gen_kinds[i]; i++) {
		parameters_format(gen_kinds[i], parameters[i], sizeof(parameters[i]));
		kinds[i].name = gen_kinds[i]->name;
		kinds[i].parameters = parameters[i];
		kinds[i].summary = gen_kinds[i]->summary;
	}
}

const struct trace_kind *trace_generators(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, kinds_init);
	return kinds;
}
