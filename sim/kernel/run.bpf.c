// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The program side of the kernel engine: does the operations that stand in slots on the map that is
 * tested, as a program does them. Three programs do the same; the newest that the kernel takes is
 * loaded:
 *
 *   run_loop     type syscall (5.14), bpf_loop() (5.17): a run in one call
 *   run_bounded  type syscall: KERNEL_BOUNDED_STEPS operations in one call
 *   run_repeat   type socket filter: an operation at a time, which the kernel's test run repeats
 *
 * The engine gives the maps their sizes before it loads a program.
 */
#include "sim/kernel/common.bpf.h"
#include "sim/kernel/shared.h"

#define FOLD_FACTOR 0x9e3779b97f4a7c15ULL /* op_fold_word() of base/op.h */

const volatile struct kernel_settings settings SEC(".rodata.settings");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct kernel_control);
} control SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct kernel_slot);
} slots SEC(".maps");

/* The key of each slot, padded to 8 bytes. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__uint(key_size, 4);
	__uint(value_size, 8);
} keys SEC(".maps");

/* The value that updates write: the slot's 8 bytes, then zeroes. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(key_size, 4);
	__uint(value_size, 8);
} values SEC(".maps");

/* Values of up to this many bytes are folded by a loop that the verifier follows to its end. */
#define UNROLLED_BYTES 1024

struct fold {
	const unsigned char *value;
	__u64 fold;
};

static long fold_word(__u32 word, struct fold *fold)
{
	if (word >= settings.value_bytes / 8)
		return 1;
	fold->fold = fold->fold * FOLD_FACTOR + *(const __u64 *)(fold->value + word * 8);
	return 0;
}

/* The bytes behind the last whole word, as a word. */
static __always_inline __u64 fold_rest(const unsigned char *value, __u64 fold)
{
	__u32 whole = settings.value_bytes & ~7u;
	__u64 word = 0;

	if (!(settings.value_bytes & 7))
		return fold;
	for (__u32 i = 0; i < 7; i++) {
		if (i < (settings.value_bytes & 7))
			word |= (__u64)value[whole + i] << (8 * i);
	}
	return fold * FOLD_FACTOR + word;
}

static __always_inline __u64 fold_value(const unsigned char *value, int has_loop)
{
	struct fold fold = {value, 0};

	if (has_loop && settings.value_bytes > UNROLLED_BYTES) {
		bpf_loop(settings.value_bytes / 8, fold_word, &fold, 0);
	} else {
		for (__u32 word = 0; word < settings.value_bytes / 8; word++)
			fold_word(word, &fold);
	}
	return fold_rest(value, fold.fold);
}

static __always_inline long update(const void *key, struct kernel_slot *slot)
{
	__u64 *value;
	__u32 zero = 0;

	value = bpf_map_lookup_elem(&values, &zero);
	if (!value)
		return 0;
	*value = slot->value;
	return bpf_map_update_elem(&tested, key, value, slot->flags);
}

static __always_inline void do_slot(__u32 index, int has_loop)
{
	struct kernel_slot *slot = bpf_map_lookup_elem(&slots, &index);
	const void *key = bpf_map_lookup_elem(&keys, &index);
	const void *found;
	long ret;

	if (!slot || !key)
		return;
	switch (slot->step) {
	case STEP_LOOKUP:
	case STEP_LOOKUP_OR_UPDATE:
		found = bpf_map_lookup_elem(&tested, key);
		if (found) {
			if (settings.folds)
				slot->read = fold_value(found, has_loop);
			slot->ret = 0;
			return;
		}
		if (slot->step == STEP_LOOKUP) {
			slot->ret = -ENOENT;
			return;
		}
		ret = update(key, slot);
		slot->ret = ret ? (int)ret : 1;
		return;
	case STEP_UPDATE:
		slot->ret = (int)update(key, slot);
		return;
	case STEP_DELETE:
		slot->ret = (int)bpf_map_delete_elem(&tested, key);
		return;
	}
}

static __always_inline struct kernel_control *get_control(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&control, &zero);
}

static long do_next_in_loop(__u32 turn, struct kernel_control **state)
{
	struct kernel_control *at = *state;

	(void)turn;
	do_slot(at->next++, 1);
	return 0;
}

SEC("syscall")
int run_loop(void *context)
{
	struct kernel_control *at = get_control();

	(void)context;
	if (at)
		bpf_loop(at->end - at->next, do_next_in_loop, &at, 0);
	return 0;
}

SEC("syscall")
int run_bounded(void *context)
{
	struct kernel_control *at = get_control();

	(void)context;
	if (!at)
		return 0;
	for (__u32 i = 0; i < KERNEL_BOUNDED_STEPS; i++) {
		if (at->next >= at->end)
			break;
		do_slot(at->next++, 0);
	}
	return 0;
}

SEC("socket")
int run_repeat(struct __sk_buff *packet)
{
	struct kernel_control *at = get_control();

	(void)packet;
	if (at && at->next < at->end)
		do_slot(at->next++, 0);
	return 0;
}
