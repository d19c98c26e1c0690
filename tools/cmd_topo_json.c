// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A machine as JSON; man/mapsim-topo.1 tells the fields, which are a contract. */
#include <errno.h>
#include <json-c/json.h>

#include "tools/cmd_topo.h"
#include "tools/output.h"

/* What finds no memory adds null, as json-c does. */
static void add_number(struct json_object *to, const char *name, uint64_t number)
{
	json_object_object_add(to, name, json_object_new_uint64(number));
}

static void add_text(struct json_object *to, const char *name, const char *text)
{
	json_object_object_add(to, name, output_json_text(text));
}

static void add_index(struct json_object *to, const char *name, hwloc_obj_t object)
{
	if (object && object->os_index != HWLOC_UNKNOWN_INDEX)
		add_number(to, name, object->os_index);
}

static struct json_object *json_set(hwloc_const_bitmap_t set)
{
	struct json_object *array = json_object_new_array();
	int i;

	for (i = set ? hwloc_bitmap_first(set) : -1; array && i >= 0; i = hwloc_bitmap_next(set, i))
		json_object_array_add(array, json_object_new_int(i));
	return array;
}

static void add_pu(const struct topo_view *view, struct json_object *to, hwloc_obj_t pu)
{
	hwloc_bitmap_t cpus = topo_cpus(view, pu->os_index);

	json_object_object_add(to, "is_usable",
			       json_object_new_boolean(
				       hwloc_bitmap_isset(view->topology->usable, pu->os_index)));
	if (view->plan)
		json_object_object_add(to, "cpus", json_set(cpus));
	hwloc_bitmap_free(cpus);
}

/* An object without what is below it. */
static struct json_object *json_alone(const struct topo_view *view, hwloc_obj_t object)
{
	struct json_object *json = json_object_new_object();
	char type[TOPO_TYPE_BYTES];

	if (!json)
		return NULL;
	add_text(json, "type", topo_type(object, type));
	if (object->type != HWLOC_OBJ_MACHINE)
		add_index(json, "number", object);
	if (hwloc_obj_type_is_cache(object->type))
		add_number(json, "bytes", object->attr->cache.size);
	if (object->type == HWLOC_OBJ_NUMANODE) {
		add_number(json, "bytes", object->total_memory);
		json_object_object_add(json, "is_memory_of_run",
				       json_object_new_boolean(
					       mem_config_has_node(view->mem, object->os_index)));
	}
	if (object->type == HWLOC_OBJ_PU)
		add_pu(view, json, object);
	return json;
}

/* NOLINTBEGIN(misc-no-recursion): as deep as the tree, a dozen levels */

static struct json_object *json_tree(const struct topo_view *view, hwloc_obj_t object);

static void add_siblings(const struct topo_view *view, struct json_object *to, const char *name,
			 hwloc_obj_t first)
{
	struct json_object *array = first ? json_object_new_array() : NULL;

	for (hwloc_obj_t child = first; array && child; child = child->next_sibling)
		json_object_array_add(array, json_tree(view, child));
	if (array)
		json_object_object_add(to, name, array);
}

static struct json_object *json_tree(const struct topo_view *view, hwloc_obj_t object)
{
	struct json_object *json = json_alone(view, object);

	if (json) {
		add_siblings(view, json, "memory", object->memory_first_child);
		add_siblings(view, json, "children", object->first_child);
	}
	return json;
}

/* NOLINTEND(misc-no-recursion) */

static struct json_object *json_place(const struct topo_view *view, uint32_t cpu)
{
	struct json_object *json = json_object_new_object();
	int number = pin_plan_pu(view->plan, cpu), node = pin_plan_node(view->plan, cpu);
	hwloc_obj_t pu;

	if (!json)
		return NULL;
	add_number(json, "cpu", cpu);
	if (number < 0)
		return json;
	pu = topology_pu(view->topology, (unsigned int)number);
	add_number(json, "pu", (uint64_t)number);
	if (node >= 0)
		add_number(json, "node", (uint64_t)node);
	add_index(json, "package",
		  hwloc_get_ancestor_obj_by_type(view->topology->hwloc, HWLOC_OBJ_PACKAGE, pu));
	return json;
}

static void add_places(const struct topo_view *view, struct json_object *to)
{
	struct json_object *array = json_object_new_array();
	char pin[PIN_TEXT_BYTES];

	add_text(to, "pin", pin_config_format(view->pin, pin));
	add_number(to, "cpus", view->plan->cpus);
	for (uint32_t cpu = 0; array && cpu < view->plan->cpus; cpu++)
		json_object_array_add(array, json_place(view, cpu));
	json_object_object_add(to, "places", array);
}

int topo_print_json(const struct topo_view *view)
{
	static const struct {
		const char *name;
		hwloc_obj_type_t type;
	} counts[] = {{"packages", HWLOC_OBJ_PACKAGE},
		      {"nodes", HWLOC_OBJ_NUMANODE},
		      {"cores", HWLOC_OBJ_CORE},
		      {"pus", HWLOC_OBJ_PU}};
	hwloc_topology_t hwloc = view->topology->hwloc;
	struct json_object *json = json_object_new_object();
	char mem[MEM_TEXT_BYTES];

	if (!json)
		return -ENOMEM;
	add_text(json, "version", VERSION);
	add_text(json, "source", topology_source_names[view->topology->source]);
	if (view->topology->source != TOPOLOGY_HOST)
		add_text(json, "machine", view->topology->text);
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		int count = hwloc_get_nbobjs_by_type(hwloc, counts[i].type);

		add_number(json, counts[i].name, count > 0 ? (uint64_t)count : 0);
	}
	add_number(json, "memory_bytes", hwloc_get_root_obj(hwloc)->total_memory);
	add_text(json, "mem", mem_config_format(view->mem, mem));
	if (view->plan)
		add_places(view, json);
	json_object_object_add(json, "tree", json_tree(view, hwloc_get_root_obj(hwloc)));
	output_json_print(json);
	json_object_put(json);
	return 0;
}
