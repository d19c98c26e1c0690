// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A machine as a tree, a line for each object or for several that are alike. Objects that are the
 * only ones in the one above share its line.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/cmd_topo.h"

#define SIZE_BYTES 32

/* Objects that stand in a line together: the same place of trees that are alike. */
struct line {
	const hwloc_obj_t *objects;
	size_t count;
	unsigned int each; /* how many of them are in the one above */
	int depth;
};

/* "32 KiB", "1.25 MiB". */
static const char *format_size(uint64_t bytes, char text[SIZE_BYTES])
{
	static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB"};
	unsigned int unit = 0;

	while (unit < 5 && bytes >> (10 * (unit + 1)))
		unit++;
	if (bytes & ((1ULL << (10 * unit)) - 1))
		snprintf(text, SIZE_BYTES, "%.4g %s", (double)bytes / (double)(1ULL << (10 * unit)),
			 units[unit]);
	else
		snprintf(text, SIZE_BYTES, "%" PRIu64 " %s", bytes >> (10 * unit), units[unit]);
	return text;
}

/* An object by itself, without its number. */
static void format_object(hwloc_obj_t object, char *text, size_t bytes)
{
	char type[TOPO_TYPE_BYTES], size[SIZE_BYTES];

	if (hwloc_obj_type_is_cache(object->type))
		snprintf(text, bytes, "%s %s", topo_type(object, type),
			 format_size(object->attr->cache.size, size));
	else if (object->type == HWLOC_OBJ_PU)
		snprintf(text, bytes, "PU");
	else
		snprintf(text, bytes, "%s", topo_type(object, type));
}

/* Whether two nodes are drawn alike, but for their numbers. */
static bool is_same_node(const struct topo_view *view, hwloc_obj_t a, hwloc_obj_t b)
{
	char sizes[2][SIZE_BYTES];

	return a->type == b->type &&
	       mem_config_has_node(view->mem, a->os_index) ==
		       mem_config_has_node(view->mem, b->os_index) &&
	       !strcmp(format_size(a->total_memory, sizes[0]),
		       format_size(b->total_memory, sizes[1]));
}

/* NOLINTBEGIN(misc-no-recursion): as deep as the tree, a dozen levels */

/* Whether two trees are drawn alike, but for numbers; trees that have CPUs are drawn each. */
static bool is_same(const struct topo_view *view, hwloc_obj_t a, hwloc_obj_t b)
{
	char texts[2][64];
	hwloc_obj_t node = a->memory_first_child, other = b->memory_first_child;

	if (hwloc_bitmap_intersects(a->cpuset, view->taken) ||
	    hwloc_bitmap_intersects(b->cpuset, view->taken) || a->arity != b->arity)
		return false;
	format_object(a, texts[0], sizeof(texts[0]));
	format_object(b, texts[1], sizeof(texts[1]));
	if (strcmp(texts[0], texts[1]) != 0)
		return false;
	for (; node && other; node = node->next_sibling, other = other->next_sibling) {
		if (!is_same_node(view, node, other))
			return false;
	}
	if (node || other)
		return false;
	for (unsigned int i = 0; i < a->arity; i++) {
		if (!is_same(view, a->children[i], b->children[i]))
			return false;
	}
	return true;
}

/* NOLINTEND(misc-no-recursion) */

/* Prints a set behind a blank. */
static int print_set(hwloc_const_bitmap_t set)
{
	char *text;

	if (hwloc_bitmap_list_asprintf(&text, set) < 0)
		return -ENOMEM;
	printf(" %s", text);
	free(text);
	return 0;
}

/* The numbers of the objects, where the system gives some. */
static int print_numbers(const struct line *line)
{
	hwloc_bitmap_t set = hwloc_bitmap_alloc();
	int err = set ? 0 : -ENOMEM;

	for (size_t i = 0; !err && i < line->count; i++) {
		if (line->objects[i]->os_index != HWLOC_UNKNOWN_INDEX &&
		    hwloc_bitmap_set(set, line->objects[i]->os_index))
			err = -ENOMEM;
	}
	if (!err && !hwloc_bitmap_iszero(set))
		err = print_set(set);
	hwloc_bitmap_free(set);
	return err;
}

/* Each PU of a set, with its CPUs. */
static int print_taken(const struct topo_view *view, hwloc_const_bitmap_t set)
{
	const char *between = "";
	int err = 0, pu;

	for (pu = hwloc_bitmap_first(set); !err && pu >= 0; pu = hwloc_bitmap_next(set, pu)) {
		hwloc_bitmap_t cpus = topo_cpus(view, (unsigned int)pu);

		printf("%sPU %d", between, pu);
		if (cpus && !hwloc_bitmap_iszero(cpus)) {
			fputs(" = CPU", stdout);
			err = print_set(cpus);
		}
		if (!cpus)
			err = -ENOMEM;
		hwloc_bitmap_free(cpus);
		between = ", ";
	}
	return err;
}

/* The PUs of all objects. */
static int print_pus(const struct topo_view *view, const struct line *line)
{
	hwloc_bitmap_t set = hwloc_bitmap_alloc();
	int err = set ? 0 : -ENOMEM;

	for (size_t i = 0; !err && i < line->count; i++)
		err = hwloc_bitmap_or(set, set, line->objects[i]->cpuset) ? -ENOMEM : 0;
	if (!err && hwloc_bitmap_intersects(set, view->taken)) {
		err = print_taken(view, set);
	} else if (!err) {
		fputs("PU", stdout);
		err = print_set(set);
	}
	if (!err)
		err = hwloc_bitmap_andnot(set, set, view->topology->usable) ? -ENOMEM : 0;
	if (!err && !hwloc_bitmap_iszero(set)) {
		fputs(" (not usable:", stdout);
		err = print_set(set);
		putchar(')');
	}
	hwloc_bitmap_free(set);
	return err;
}

static void print_begin(const struct line *line)
{
	printf("%*s", 2 * line->depth, "");
	if (line->each > 1)
		printf("%u x ", line->each);
}

/* A line of nodes. */
static int draw_nodes(const struct topo_view *view, const struct line *line)
{
	uint64_t bytes = line->objects[0]->total_memory;
	char size[SIZE_BYTES];
	int err;

	print_begin(line);
	fputs("node", stdout);
	err = print_numbers(line);
	if (bytes)
		printf(", %s%s", format_size(bytes, size), line->count > 1 ? " each" : "");
	if (mem_config_has_node(view->mem, line->objects[0]->os_index))
		fputs(", memory of the run", stdout);
	putchar('\n');
	return err;
}

/* Below the objects of a line, those from a place on that are alike, in a line together. */
static struct line line_below(const struct line *above, const hwloc_obj_t *first, unsigned int each,
			      bool is_memory, hwloc_obj_t *objects)
{
	struct line line = {objects, 0, each, above->depth + 1};

	for (size_t i = 0; i < above->count; i++) {
		hwloc_obj_t child = is_memory ? above->objects[i]->memory_first_child
					      : above->objects[i]->first_child;
		unsigned int rank = (*first)->sibling_rank;

		while (child && child->sibling_rank != rank)
			child = child->next_sibling;
		for (unsigned int n = 0; child && n < each; n++, child = child->next_sibling)
			objects[line.count++] = child;
	}
	return line;
}

/* How many from a place on are alike. */
static unsigned int count_same(const struct topo_view *view, hwloc_obj_t first, bool is_memory)
{
	unsigned int count = 1;

	for (hwloc_obj_t next = first->next_sibling; next; next = next->next_sibling) {
		if (is_memory ? !is_same_node(view, first, next) : !is_same(view, first, next))
			break;
		count++;
	}
	return count;
}

static bool has_only_pus(hwloc_obj_t object)
{
	return object->arity && object->first_child->type == HWLOC_OBJ_PU &&
	       object->last_child->type == HWLOC_OBJ_PU && !object->memory_arity;
}

/* NOLINTBEGIN(misc-no-recursion): as deep as the tree, a dozen levels */

static int draw_line(const struct topo_view *view, struct line line);

/* All lines below the objects of one. */
static int draw_below(const struct topo_view *view, const struct line *above, bool is_memory)
{
	hwloc_obj_t child =
		is_memory ? above->objects[0]->memory_first_child : above->objects[0]->first_child;
	int err = 0;

	while (!err && child) {
		unsigned int each = count_same(view, child, is_memory);
		hwloc_obj_t *objects = calloc(above->count * each, sizeof(hwloc_obj_t));
		struct line line;

		if (!objects)
			return -ENOMEM;
		line = line_below(above, &child, each, is_memory, objects);
		err = is_memory ? draw_nodes(view, &line) : draw_line(view, line);
		free(objects);
		while (each-- && child)
			child = child->next_sibling;
	}
	return err;
}

/* The objects of a line, whatever shares it, and all below. */
static int draw_line(const struct topo_view *view, struct line line)
{
	hwloc_obj_t *objects = calloc(line.count, sizeof(hwloc_obj_t));
	bool is_pu = line.objects[0]->type == HWLOC_OBJ_PU;
	char text[64];
	int err = 0;

	if (!objects)
		return -ENOMEM;
	memcpy(objects, line.objects, line.count * sizeof(hwloc_obj_t));
	line.objects = objects;
	print_begin(&line);
	for (bool is_first = true; !is_pu && !err; is_first = false) {
		format_object(objects[0], text, sizeof(text));
		printf("%s%s", is_first ? "" : " + ", text);
		if (objects[0]->type == HWLOC_OBJ_PACKAGE)
			err = print_numbers(&line);
		if (objects[0]->arity != 1 || objects[0]->memory_arity || has_only_pus(objects[0]))
			break;
		for (size_t i = 0; i < line.count; i++)
			objects[i] = objects[i]->first_child;
	}
	if (!err && (is_pu || has_only_pus(objects[0]))) {
		fputs(is_pu ? "" : ": ", stdout);
		err = print_pus(view, &line);
		putchar('\n');
	} else if (!err) {
		putchar('\n');
		err = draw_below(view, &line, true);
		if (!err)
			err = draw_below(view, &line, false);
	}
	free(objects);
	return err;
}

/* NOLINTEND(misc-no-recursion) */

static void print_count(const struct topo_view *view, hwloc_obj_type_t type, const char *name)
{
	int count = hwloc_get_nbobjs_by_type(view->topology->hwloc, type);

	if (count > 0)
		printf(", %d %s%s", count, name, count == 1 ? "" : "s");
}

static void draw_places(const struct topo_view *view)
{
	char pin[PIN_TEXT_BYTES];

	if (view->plan->cpus == 1)
		fputs("CPU 0", stdout);
	else
		printf("CPUs 0-%u", view->plan->cpus - 1);
	if (view->plan->pus)
		printf(" by pin=%s\n", pin_config_format(view->pin, pin));
	else
		puts(" wherever the system puts them: pin=none");
}

int topo_draw(const struct topo_view *view)
{
	hwloc_obj_t root = hwloc_get_root_obj(view->topology->hwloc);
	struct line line = {&root, 1, 1, 0};
	char text[SIZE_BYTES];
	int err;

	fputs("machine", stdout);
	if (root->total_memory)
		printf(", %s", format_size(root->total_memory, text));
	print_count(view, HWLOC_OBJ_PACKAGE, "package");
	print_count(view, HWLOC_OBJ_NUMANODE, "node");
	print_count(view, HWLOC_OBJ_CORE, "core");
	print_count(view, HWLOC_OBJ_PU, "PU");
	putchar('\n');
	err = draw_below(view, &line, true);
	if (!err)
		err = draw_below(view, &line, false);
	if (!err && view->plan)
		draw_places(view);
	return err;
}
