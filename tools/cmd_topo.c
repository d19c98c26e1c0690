// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/cmd_topo.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "tools/options.h"

struct topo_command {
	struct run_config config;
	enum topology_source source;
	const char *text;
	enum output_format format;
	bool is_quiet;
};

static const struct cli_option topo_table[] = {
	{"input", 0, "FILE",
	 "the machine in a file that lstopo wrote as XML, - for\n"
	 "standard input (default: this machine)"},
	{"synthetic", 0, "LEVELS", "a machine like \"pack:2 [numa] l3:1 core:8 pu:2\""},
	{"cpus", 'c', "N",
	 "place so many simulated CPUs, 1 to 4096 (default: as many\n"
	 "as --pin has, and without it none)"},
};

static int set_machine(struct topo_command *command, enum topology_source source, const char *text,
		       struct error *error)
{
	if (command->source != TOPOLOGY_HOST)
		return error_set(error, -EINVAL, "topo: one --input or --synthetic at a time");
	command->source = source;
	command->text = text;
	return 0;
}

static int set_topo_option(void *state, const struct cli_option *option, const char *value,
			   struct error *error)
{
	struct topo_command *command = state;

	if (!strcmp(option->name, "input"))
		return set_machine(command, TOPOLOGY_XML, value, error);
	if (!strcmp(option->name, "synthetic"))
		return set_machine(command, TOPOLOGY_SYNTHETIC, value, error);
	return config_set(&command->config, "--cpus", value, error);
}

static const struct cli_group topo_group = {topo_table, sizeof(topo_table) / sizeof(topo_table[0]),
					    set_topo_option};

static const struct cli_option topo_format_table[] = {
	{"output", 'o', "FORMAT", "table (default), which is a tree, or json"},
};

static int set_topo_format(void *state, const struct cli_option *option, const char *value,
			   struct error *error)
{
	int err = output_format_parse(value, state, error);

	(void)option;
	if (!err && *(enum output_format *)state == OUTPUT_CSV)
		err = error_set(error, -EINVAL, "topo -o csv: a tree is no table: table or json");
	return err;
}

static const struct cli_group topo_format_group = {topo_format_table, 1, set_topo_format};

const char *topo_type(hwloc_obj_t object, char text[TOPO_TYPE_BYTES])
{
	if (object->type == HWLOC_OBJ_NUMANODE)
		return "node";
	if (hwloc_obj_type_is_cache(object->type)) {
		hwloc_obj_type_snprintf(text, TOPO_TYPE_BYTES, object, 0);
		return text;
	}
	strncpy(text, hwloc_obj_type_string(object->type), TOPO_TYPE_BYTES - 1);
	text[TOPO_TYPE_BYTES - 1] = '\0';
	for (char *p = text; *p; p++)
		*p = (char)tolower((unsigned char)*p);
	return text;
}

hwloc_bitmap_t topo_cpus(const struct topo_view *view, unsigned int pu)
{
	hwloc_bitmap_t cpus = hwloc_bitmap_alloc();
	uint32_t count = view->plan && hwloc_bitmap_isset(view->taken, pu) ? view->plan->cpus : 0;

	for (uint32_t cpu = 0; cpus && cpu < count; cpu++) {
		if (pin_plan_pu(view->plan, cpu) != (int)pu || !hwloc_bitmap_set(cpus, cpu))
			continue;
		hwloc_bitmap_free(cpus);
		cpus = NULL;
	}
	return cpus;
}

static int print_view(struct topo_view *view, enum output_format format, struct error *error)
{
	hwloc_bitmap_t taken = hwloc_bitmap_alloc();
	int err = taken ? 0 : -ENOMEM;

	for (uint32_t cpu = 0; !err && view->plan && cpu < view->plan->cpus; cpu++) {
		int pu = pin_plan_pu(view->plan, cpu);

		if (pu >= 0 && hwloc_bitmap_set(taken, (unsigned int)pu))
			err = -ENOMEM;
	}
	view->taken = taken;
	if (!err)
		err = format == OUTPUT_JSON ? topo_print_json(view) : topo_draw(view);
	hwloc_bitmap_free(taken);
	return err ? error_set(error, err, "out of memory") : 0;
}

/* CPUs are placed when that was asked for; else the tree is the machine's alone. */
static int show(const struct topo_command *command, const struct topology *topology,
		struct error *error)
{
	const struct run_config *config = &command->config;
	struct topo_view view = {.topology = topology, .pin = &config->pin, .mem = &config->mem};
	struct pin_plan plan;
	int err = mem_config_check(&config->mem, topology, error);

	if (err)
		return err;
	if (config->is_pin_given || config->cpus_given) {
		err = pin_plan_init(&plan, topology, &config->pin, config->cpus_given,
				    config->oversubscribe, error);
		if (err)
			return err;
		/* No map has more. */
		if (plan.cpus > MAP_CPUS_MAX)
			plan.cpus = MAP_CPUS_MAX;
		view.plan = &plan;
	}
	err = print_view(&view, command->format, error);
	if (view.plan)
		pin_plan_deinit(&plan);
	return err;
}

static int run_topo(const struct command *command, int argc, char **argv)
{
	struct topo_command topo = {.source = TOPOLOGY_HOST, .text = "", .format = OUTPUT_TABLE};
	void *states[] = {&topo, &topo.config, &topo.format, &topo.is_quiet};
	struct error error = {.text = ""};
	struct topology topology;
	int status, first, err;

	config_init(&topo.config);
	first = command_parse(command, argc, argv, states, &status);
	if (first < 0)
		return status;
	if (first < argc)
		return command_refuse_argument(command, argv[first],
					       "a machine is given by --input or --synthetic");
	err = topology_init(&topology, topo.source, topo.text, &error);
	if (err)
		return fail(err, &error);
	err = show(&topo, &topology, &error);
	topology_deinit(&topology);
	return err ? fail(err, &error) : EXIT_FINE;
}

const struct command command_topo = {
	.name = "topo",
	.arguments = "",
	.summary = "a machine's nodes, caches and cores, and where simulated CPUs are on it",
	.description = "Draws this machine, or one that is described, as a tree. Objects that are "
		       "alike\nshare a line, unless a simulated CPU is placed there.",
	.groups = {&topo_group, &pin_group, &topo_format_group, &quiet_group},
	.run = run_topo,
};
