// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sim/topology.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

const char *const topology_source_names[] = {"host", "xml", "synthetic"};

/* Four times as many as a map can have CPUs; more is a slip. */
#define SYNTHETIC_PUS_MAX (1u << 14)
/* hwloc's time goes with the square of how many objects another one has. */
#define PROBE_SECONDS 10
#define XML_BYTES_MAX (64u << 20)

/* What a topology is made of. */
struct topology_input {
	enum topology_source source;
	const char *text; /* of a synthetic one */
	char *xml;
	size_t xml_bytes; /* with the zero at its end */
};

/* hwloc's topology, or NULL. */
static hwloc_topology_t input_load(const struct topology_input *input)
{
	hwloc_topology_t hwloc;
	int err = 0;

	if (hwloc_topology_init(&hwloc))
		return NULL;
	if (input->source == TOPOLOGY_XML)
		err = hwloc_topology_set_xmlbuffer(hwloc, input->xml, (int)input->xml_bytes);
	else if (input->source == TOPOLOGY_SYNTHETIC)
		err = hwloc_topology_set_synthetic(hwloc, input->text);
	if (!err && !hwloc_topology_load(hwloc))
		return hwloc;
	hwloc_topology_destroy(hwloc);
	return NULL;
}

/*
 * The child: whether it can be loaded, and is whole; it says nothing, whatever the libraries do
 * when they give up. hwloc_topology_check() asserts.
 */
static _Noreturn void probe(const struct topology_input *input)
{
	const struct rlimit no_core = {0, 0}, seconds = {PROBE_SECONDS, PROBE_SECONDS + 1};
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	hwloc_topology_t hwloc;

	setrlimit(RLIMIT_CORE, &no_core);
	setrlimit(RLIMIT_CPU, &seconds);
	if (null < 0 || dup2(null, STDOUT_FILENO) < 0 || dup2(null, STDERR_FILENO) < 0)
		_exit(1);
	hwloc = input_load(input);
	if (hwloc)
		hwloc_topology_check(hwloc);
	_exit(hwloc ? 0 : 1);
}

/*
 * 0 when a child has loaded the topology, -EINVAL when it could not, -ETIME when it took too long,
 * or why there is no child.
 */
static int input_probe(const struct topology_input *input)
{
	pid_t child = fork(), ended;
	int status;

	if (child < 0)
		return -errno;
	if (!child)
		probe(input);
	do {
		ended = waitpid(child, &status, 0);
	} while (ended < 0 && errno == EINTR);
	if (ended == child && WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
		return -ETIME;
	return ended == child && WIFEXITED(status) && !WEXITSTATUS(status) ? 0 : -EINVAL;
}

/* Tries a topology, and tells what was wrong with it: what it is and what was expected. */
static int input_try(const struct topology_input *input, const char *what, const char *expected,
		     struct error *error)
{
	int err = input_probe(input);

	if (err == -ETIME)
		return error_set(error, err, "%s: takes hwloc more than %d seconds", what,
				 PROBE_SECONDS);
	if (err == -EINVAL)
		return error_set(error, err, "%s: hwloc cannot read it; expected %s", what,
				 expected);
	return err ? error_set(error, err, "%s: no process to try it: %s", what, strerror(-err))
		   : 0;
}

/* Reads a stream to its end, and adds a zero. */
static int input_read(struct topology_input *input, FILE *file)
{
	size_t used = 0, size = 0;

	do {
		char *grown;

		size = size ? 2 * size : 64u << 10;
		if (size > XML_BYTES_MAX)
			return -EFBIG;
		grown = realloc(input->xml, size);
		if (!grown)
			return -ENOMEM;
		input->xml = grown;
		errno = 0;
		used += fread(input->xml + used, 1, size - used - 1, file);
		if (ferror(file))
			return errno ? -errno : -EIO;
	} while (used == size - 1);
	input->xml[used] = '\0';
	input->xml_bytes = used + 1;
	return 0;
}

static int input_read_file(struct topology_input *input, const char *path)
{
	bool is_stdin = !strcmp(path, "-");
	FILE *file = is_stdin ? stdin : fopen(path, "re");
	int err;

	if (!file)
		return -errno;
	err = input_read(input, file);
	if (!is_stdin)
		fclose(file);
	return err;
}

static int prepare_xml(struct topology_input *input, const char *path, struct error *error)
{
	int err = input_read_file(input, path);
	const char *text = input->xml;

	if (!err && !text)
		err = -ENOMEM;
	if (err == -EFBIG)
		return error_set(error, err, "%s: larger than %u MiB, which no topology is", path,
				 XML_BYTES_MAX >> 20);
	if (err)
		return error_set(error, err, "%s: %s", path, strerror(-err));
	if (input->xml_bytes == 1)
		return error_set(error, -EINVAL,
				 "%s: is empty; expected a topology as `lstopo FILE.xml` writes it",
				 path);
	if (text[strspn(text, " \t\r\n\xef\xbb\xbf")] != '<')
		return error_set(error, -EINVAL,
				 "%s: is no XML; expected a topology as `lstopo FILE.xml` writes "
				 "it",
				 path);
	return input_try(input, path, "a topology as `lstopo FILE.xml` writes it", error);
}

/*
 * How many PUs a synthetic line asks for, so that none asks for all memory: the product of its
 * numbers but for those in brackets, which are memory, and in parentheses, which are attributes.
 * What is not a line at all is for hwloc to refuse.
 */
static bool synthetic_is_small(const char *text)
{
	unsigned long product = 1;
	unsigned int depth = 0;

	for (const char *p = text; *p; p++) {
		if (*p == '[' || *p == '(')
			depth++;
		else if ((*p == ']' || *p == ')') && depth)
			depth--;
		/* A level is "TYPE:NUMBER" or a number. */
		if (depth || *p < '0' || *p > '9' || (p > text && p[-1] != ':' && p[-1] != ' '))
			continue;
		if (__builtin_mul_overflow(product, strtoul(p, NULL, 0), &product) ||
		    product > SYNTHETIC_PUS_MAX)
			return false;
	}
	return true;
}

static int prepare_synthetic(struct topology_input *input, const char *text, struct error *error)
{
	char what[200];

	input->text = text;
	snprintf(what, sizeof(what), "synthetic \"%.160s\"", text);
	if (!synthetic_is_small(text))
		return error_set(error, -EINVAL, "%s: more than %u PUs", what, SYNTHETIC_PUS_MAX);
	return input_try(input, what,
			 "levels with how many of them the one above has, like \"pack:2 [numa] "
			 "l3:1 "
			 "core:8 pu:2\"",
			 error);
}

/* PUs that are allowed, and of this machine those to which the process is not bound away from. */
static int find_usable(struct topology *topology)
{
	hwloc_bitmap_t bound = hwloc_bitmap_alloc();
	int pu;

	topology->usable = hwloc_bitmap_dup(hwloc_topology_get_allowed_cpuset(topology->hwloc));
	topology->cpu_nodes = hwloc_bitmap_alloc();
	if (!bound || !topology->usable || !topology->cpu_nodes) {
		hwloc_bitmap_free(bound);
		return -ENOMEM;
	}
	hwloc_bitmap_and(topology->usable, topology->usable,
			 hwloc_topology_get_topology_cpuset(topology->hwloc));
	if (topology_is_this_machine(topology) &&
	    !hwloc_get_cpubind(topology->hwloc, bound, HWLOC_CPUBIND_PROCESS))
		hwloc_bitmap_and(topology->usable, topology->usable, bound);
	hwloc_bitmap_free(bound);
	for (pu = hwloc_bitmap_first(topology->usable); pu >= 0;
	     pu = hwloc_bitmap_next(topology->usable, pu)) {
		int node = topology_pu_node(topology, (unsigned int)pu);

		if (node >= 0)
			hwloc_bitmap_set(topology->cpu_nodes, (unsigned int)node);
	}
	return 0;
}

int topology_init(struct topology *topology, enum topology_source source, const char *text,
		  struct error *error)
{
	struct topology_input input = {.source = source};
	int err = 0;

	memset(topology, 0, sizeof(*topology));
	topology->source = source;
	topology->text = text;
	if (source == TOPOLOGY_XML)
		err = prepare_xml(&input, text, error);
	else if (source == TOPOLOGY_SYNTHETIC)
		err = prepare_synthetic(&input, text, error);
	if (!err) {
		topology->hwloc = input_load(&input);
		if (!topology->hwloc)
			err = error_set(error, -EINVAL, "hwloc cannot tell of this machine");
	}
	free(input.xml);
	if (!err && find_usable(topology))
		err = error_set(error, -ENOMEM, "out of memory");
	if (err)
		topology_deinit(topology);
	return err;
}

void topology_deinit(struct topology *topology)
{
	hwloc_bitmap_free(topology->usable);
	hwloc_bitmap_free(topology->cpu_nodes);
	if (topology->hwloc)
		hwloc_topology_destroy(topology->hwloc);
	memset(topology, 0, sizeof(*topology));
}

bool topology_is_this_machine(const struct topology *topology)
{
	return topology->source == TOPOLOGY_HOST && hwloc_topology_is_thissystem(topology->hwloc);
}

const char *topology_name(const struct topology *topology, char text[TOPOLOGY_TEXT_BYTES])
{
	const char *quote = topology->source == TOPOLOGY_SYNTHETIC ? "\"" : "";

	if (topology->source == TOPOLOGY_HOST)
		return "this machine";
	snprintf(text, TOPOLOGY_TEXT_BYTES, "%s%.*s%s", quote, TOPOLOGY_TEXT_BYTES - 3,
		 topology->text, quote);
	return text;
}

const char *topology_ranges(hwloc_const_bitmap_t set, char text[TOPOLOGY_TEXT_BYTES])
{
	char *all = NULL;

	if (hwloc_bitmap_list_asprintf(&all, set) < 0)
		all = NULL;
	snprintf(text, TOPOLOGY_TEXT_BYTES, "%s", all ? all : "?");
	if (all && strlen(all) >= TOPOLOGY_TEXT_BYTES)
		memcpy(text + TOPOLOGY_TEXT_BYTES - 4, "...", 4);
	free(all);
	return text;
}

hwloc_obj_t topology_pu(const struct topology *topology, unsigned int os_index)
{
	return hwloc_get_pu_obj_by_os_index(topology->hwloc, os_index);
}

int topology_pu_node(const struct topology *topology, unsigned int os_index)
{
	hwloc_obj_t node = NULL, best = NULL;

	while ((node = hwloc_get_next_obj_by_type(topology->hwloc, HWLOC_OBJ_NUMANODE, node))) {
		if (hwloc_bitmap_isset(node->cpuset, os_index) &&
		    (!best ||
		     hwloc_bitmap_weight(node->cpuset) < hwloc_bitmap_weight(best->cpuset)))
			best = node;
	}
	return best ? (int)best->os_index : -1;
}
