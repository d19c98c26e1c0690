// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sim/kernel/program.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <string.h>

#define SLOTS_MAX 4096
#define KEYS_BYTES_MAX ((size_t)64 << 20)

/* run.bpf.c, compiled. */
static const unsigned char object_bytes[] __attribute__((aligned(8))) = {
#include "sim/kernel/run.bpf.inc"
};

static const char *const program_names[] = {"run_loop", "run_bounded", "run_repeat", NULL};

static size_t round_up(size_t bytes, size_t unit)
{
	return (bytes + unit - 1) / unit * unit;
}

/* What the object's maps go by. */
struct sizes {
	struct kernel_program *program;
	int map_fd;
	uint32_t value_size;
};

/* Gives the object the sizes of the map. 0, or a negative errno. */
static int prepare(void *arg, struct bpf_object *object)
{
	const struct sizes *sizes = arg;
	const struct kernel_program *program = sizes->program;
	struct kernel_settings settings = {sizes->value_size, program->folds};
	struct bpf_map *slots = bpf_object__find_map_by_name(object, "slots");
	struct bpf_map *keys = bpf_object__find_map_by_name(object, "keys");
	int err;

	err = bpf_map__reuse_fd(bpf_object__find_map_by_name(object, "tested"), sizes->map_fd);
	if (!err)
		err = bpf_map__set_max_entries(slots, program->slot_count);
	if (!err)
		err = bpf_map__set_max_entries(keys, program->slot_count);
	if (!err)
		err = bpf_map__set_value_size(keys, (uint32_t)program->key_stride);
	if (!err)
		err = bpf_map__set_value_size(bpf_object__find_map_by_name(object, "values"),
					      (uint32_t)round_up(sizes->value_size, 8));
	if (!err)
		err = bpf_map__set_initial_value(bpf_object__find_map_by_name(object,
									      ".rodata.settings"),
						 &settings, sizeof(settings));
	return err;
}

static int share_memory(struct kernel_program *program)
{
	program->control = kernel_object_share(&program->object, "control");
	program->slots = kernel_object_share(&program->object, "slots");
	program->keys = kernel_object_share(&program->object, "keys");
	return program->control && program->slots && program->keys ? 0 : -errno;
}

int kernel_program_init(struct kernel_program *program, int map_fd, uint32_t key_size,
			uint32_t value_size, bool folds, struct error *error)
{
	struct sizes sizes = {program, map_fd, value_size};
	struct kernel_source source = {object_bytes, sizeof(object_bytes), program_names, prepare,
				       &sizes};
	int err;

	memset(program, 0, sizeof(*program));
	program->folds = folds;
	program->key_stride = round_up(key_size, 8);
	program->slot_count = SLOTS_MAX;
	if (program->key_stride * SLOTS_MAX > KEYS_BYTES_MAX)
		program->slot_count = (uint32_t)(KEYS_BYTES_MAX / program->key_stride);
	err = kernel_object_load(&source, &program->object, error);
	if (err)
		return err;
	err = share_memory(program);
	return err ? error_set(error, err, "what the BPF program does cannot be seen: %s",
			       strerror(-err))
		   : 0;
}

void kernel_program_deinit(struct kernel_program *program)
{
	kernel_object_unshare(&program->object, "control", (void *)program->control);
	kernel_object_unshare(&program->object, "slots", program->slots);
	kernel_object_unshare(&program->object, "keys", program->keys);
	kernel_object_close(&program->object);
	memset(program, 0, sizeof(*program));
}

int kernel_program_run(struct kernel_program *program, uint32_t first, uint32_t end)
{
	program->control->next = first;
	program->control->end = end;
	for (uint32_t next = first; next < end; next = program->control->next) {
		int err = kernel_object_run(&program->object, end - next);

		/* A signal ends repetitions: they go on from where they were. */
		if (err && err != -EINTR)
			return err;
		if (!err && program->control->next == next)
			return -EIO;
	}
	return 0;
}
