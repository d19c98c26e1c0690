// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sim/kernel/load.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* libbpf tells at length what the kernel did not take; what matters is told by the caller. */
static int print_nothing(enum libbpf_print_level level, const char *format, va_list args)
{
	(void)level;
	(void)format;
	(void)args;
	return 0;
}

static size_t round_up(size_t bytes, size_t unit)
{
	return (bytes + unit - 1) / unit * unit;
}

/* Bytes that a map's elements take in the caller's memory. */
static size_t mapped_bytes(const struct bpf_map *map)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	return round_up(round_up(bpf_map__value_size(map), 8) * bpf_map__max_entries(map), page);
}

void *kernel_object_share(const struct kernel_object *object, const char *map)
{
	const struct bpf_map *shared = bpf_object__find_map_by_name(object->object, map);
	void *memory = mmap(NULL, mapped_bytes(shared), PROT_READ | PROT_WRITE, MAP_SHARED,
			    bpf_map__fd(shared), 0);

	return memory == MAP_FAILED ? NULL : memory;
}

void kernel_object_unshare(const struct kernel_object *object, const char *map, void *memory)
{
	if (memory)
		munmap(memory, mapped_bytes(bpf_object__find_map_by_name(object->object, map)));
}

/* What a program's name says behind its first word. */
static const char *way_of(const char *name)
{
	const char *way = strrchr(name, '_');

	return way ? way : name;
}

/* Opens the object anew and loads one of its programs. 0, or a negative errno. */
static int load(const struct kernel_source *source, const char *name, struct kernel_object *object)
{
	LIBBPF_OPTS(bpf_object_open_opts, options, .object_name = "mapsim");
	struct bpf_program *each;
	int err;

	object->object = bpf_object__open_mem(source->bytes, source->byte_count, &options);
	if (!object->object)
		return -errno;
	bpf_object__for_each_program(each, object->object)
	{
		err = bpf_program__set_autoload(each, !strcmp(bpf_program__name(each), name));
		if (err)
			return err;
	}
	err = source->prepare(source->arg, object->object);
	if (!err)
		err = bpf_object__load(object->object);
	if (err)
		return err;
	object->name = name;
	object->repeats = !strcmp(way_of(name), "_repeat");
	object->fd = bpf_program__fd(bpf_object__find_program_by_name(object->object, name));
	return 0;
}

static int explain(int err, struct error *error)
{
	if (err == -EPERM)
		return error_set_missing(error, err,
					 "the kernel lets this user load no BPF program (EPERM): "
					 "root or CAP_SYS_ADMIN is needed");
	if (!errno_name(err))
		return error_set(error, err, "the BPF program cannot be loaded: error %d", -err);
	return error_set_missing(error, err,
				 "the running kernel does not take the BPF program (%s)",
				 errno_name(err));
}

int kernel_object_load(const struct kernel_source *source, struct kernel_object *object,
		       struct error *error)
{
	const char *forced = getenv("MAPSIM_KERNEL_PROGRAM");
	int err = -EINVAL;

	libbpf_set_print(print_nothing);
	memset(object, 0, sizeof(*object));
	for (const char *const *name = source->names; *name; name++) {
		if (forced && strcmp(way_of(forced), way_of(*name)) != 0)
			continue;
		err = load(source, *name, object);
		if (!err)
			return 0;
		kernel_object_close(object);
		/* Without the right to load one, or memory, others fare no better. */
		if (err == -EPERM || err == -ENOMEM)
			break;
	}
	return explain(err, error);
}

void kernel_object_close(struct kernel_object *object)
{
	if (object->object)
		bpf_object__close(object->object);
	memset(object, 0, sizeof(*object));
}

int kernel_object_run(const struct kernel_object *object, uint32_t repeat)
{
	static const unsigned char packet[64]; /* what a socket filter is run on */
	LIBBPF_OPTS(bpf_test_run_opts, options);

	if (object->repeats) {
		options.data_in = packet;
		options.data_size_in = sizeof(packet);
		options.repeat = (int)repeat;
	}
	return bpf_prog_test_run_opts(object->fd, &options);
}
