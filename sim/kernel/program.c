// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sim/kernel/program.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SLOTS_MAX 4096
#define KEYS_BYTES_MAX ((size_t)64 << 20)

/* run.bpf.c, compiled. */
static const unsigned char object_bytes[] __attribute__((aligned(8))) = {
#include "sim/kernel/run.bpf.inc"
};

/* Newest first. */
static const char *const program_names[] = {"run_loop", "run_bounded", "run_repeat"};

#define PROGRAMS (sizeof(program_names) / sizeof(program_names[0]))

static size_t round_up(size_t bytes, size_t unit)
{
	return (bytes + unit - 1) / unit * unit;
}

/* libbpf tells at length what the kernel did not take; what matters is told by the caller. */
static int print_nothing(enum libbpf_print_level level, const char *format, va_list args)
{
	(void)level;
	(void)format;
	(void)args;
	return 0;
}

/* Bytes that a map's elements take in the caller's memory. */
static size_t mapped_bytes(const struct bpf_map *map)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	return round_up(round_up(bpf_map__value_size(map), 8) * bpf_map__max_entries(map), page);
}

static struct bpf_map *find_map(const struct kernel_program *program, const char *name)
{
	return bpf_object__find_map_by_name(program->object, name);
}

/* A map's elements in memory, or NULL with errno. */
static void *share(const struct kernel_program *program, const char *name)
{
	const struct bpf_map *map = find_map(program, name);
	void *memory = mmap(NULL, mapped_bytes(map), PROT_READ | PROT_WRITE, MAP_SHARED,
			    bpf_map__fd(map), 0);

	return memory == MAP_FAILED ? NULL : memory;
}

static void unshare(const struct kernel_program *program, const char *name, void *memory)
{
	if (memory)
		munmap(memory, mapped_bytes(find_map(program, name)));
}

/* Gives the object the sizes of the map. 0, or a negative errno. */
static int prepare(struct kernel_program *program, const char *name, int map_fd, uint32_t key_size,
		   uint32_t value_size)
{
	struct kernel_settings settings = {value_size, program->folds};
	struct bpf_program *each;
	uint32_t slots = SLOTS_MAX;
	int err;

	program->key_stride = round_up(key_size, 8);
	if (program->key_stride * slots > KEYS_BYTES_MAX)
		slots = (uint32_t)(KEYS_BYTES_MAX / program->key_stride);
	program->slot_count = slots;
	bpf_object__for_each_program(each, program->object)
	{
		err = bpf_program__set_autoload(each, !strcmp(bpf_program__name(each), name));
		if (err)
			return err;
	}
	err = bpf_map__reuse_fd(find_map(program, "tested"), map_fd);
	if (!err)
		err = bpf_map__set_max_entries(find_map(program, "slots"), slots);
	if (!err)
		err = bpf_map__set_max_entries(find_map(program, "keys"), slots);
	if (!err)
		err = bpf_map__set_value_size(find_map(program, "keys"),
					      (uint32_t)program->key_stride);
	if (!err)
		err = bpf_map__set_value_size(find_map(program, "values"),
					      (uint32_t)round_up(value_size, 8));
	if (!err)
		err = bpf_map__set_initial_value(find_map(program, ".rodata.settings"), &settings,
						 sizeof(settings));
	return err;
}

static int map_memory(struct kernel_program *program)
{
	program->control = share(program, "control");
	program->slots = share(program, "slots");
	program->keys = share(program, "keys");
	return program->control && program->slots && program->keys ? 0 : -errno;
}

/* Loads one of the programs. 0, or a negative errno. */
static int load(struct kernel_program *program, const char *name, int map_fd, uint32_t key_size,
		uint32_t value_size)
{
	LIBBPF_OPTS(bpf_object_open_opts, options, .object_name = "mapsim");
	int err;

	program->object = bpf_object__open_mem(object_bytes, sizeof(object_bytes), &options);
	if (!program->object)
		return -errno;
	err = prepare(program, name, map_fd, key_size, value_size);
	if (!err)
		err = bpf_object__load(program->object);
	if (!err)
		err = map_memory(program);
	if (err)
		return err;
	program->name = name;
	program->repeats = !strcmp(name, "run_repeat");
	program->fd = bpf_program__fd(bpf_object__find_program_by_name(program->object, name));
	return 0;
}

int kernel_program_init(struct kernel_program *program, int map_fd, uint32_t key_size,
			uint32_t value_size, bool folds, struct error *error)
{
	const char *forced = getenv("MAPSIM_KERNEL_PROGRAM");
	int err = -EINVAL;

	libbpf_set_print(print_nothing);
	memset(program, 0, sizeof(*program));
	program->folds = folds;
	for (size_t i = 0; i < PROGRAMS; i++) {
		if (forced && strcmp(forced, program_names[i]) != 0)
			continue;
		err = load(program, program_names[i], map_fd, key_size, value_size);
		/* Without the right to load one, or memory, others fare no better. */
		if (!err || err == -EPERM || err == -ENOMEM)
			break;
		kernel_program_deinit(program);
		program->folds = folds;
	}
	if (err == -EPERM)
		return error_set_missing(error, err,
					 "the kernel lets this user load no BPF program (EPERM): "
					 "root or CAP_SYS_ADMIN is needed");
	if (err && !errno_name(err))
		return error_set(error, err, "the BPF program cannot be loaded: error %d", -err);
	return err ? error_set_missing(error, err,
				       "the running kernel does not take the BPF program (%s)",
				       errno_name(err))
		   : 0;
}

void kernel_program_deinit(struct kernel_program *program)
{
	if (program->object) {
		unshare(program, "control", (void *)program->control);
		unshare(program, "slots", program->slots);
		unshare(program, "keys", program->keys);
		bpf_object__close(program->object);
	}
	memset(program, 0, sizeof(*program));
}

int kernel_program_run(struct kernel_program *program, uint32_t first, uint32_t end)
{
	static const unsigned char packet[64]; /* what a socket filter is run on */
	LIBBPF_OPTS(bpf_test_run_opts, options);

	program->control->next = first;
	program->control->end = end;
	for (uint32_t next = first; next < end; next = program->control->next) {
		int err;

		if (program->repeats) {
			options.data_in = packet;
			options.data_size_in = sizeof(packet);
			options.repeat = (int)(end - next);
		}
		err = bpf_prog_test_run_opts(program->fd, &options);
		/* A signal ends repetitions: they go on from where they were. */
		if (err && err != -EINTR)
			return err;
		if (!err && program->control->next == next)
			return -EIO;
	}
	return 0;
}
