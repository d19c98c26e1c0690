// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "model/kernels.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

/*
 * The table of releases: what each changed. To add one, add a line, and raise last_minors below.
 * Stable series carry changes back: a backport holds from that point release to its series' end.
 */
static const struct kernel_step steps[] = {
	{{3, 19, 0},
	 {},
	 "hash maps: one lock, elements from the general allocator, a shared count",
	 {{"lock", "map"}, {"map_types", "hash"}, {"no_prealloc_flag", "0"}, {"count", "atomic"}}},
	{{4, 6, 0},
	 {},
	 "preallocation over per-CPU free lists, BPF_F_NO_PREALLOC, percpu_hash",
	 {{"map_types", "percpu"}, {"no_prealloc_flag", "1"}}},
	{{4, 6, 0},
	 {},
	 "a raw spin lock in every bucket, which doubles the bucket's size",
	 {{"lock", "bucket"}, {"max_entries_limit", "134217728"}}},
	{{4, 10, 0},
	 {},
	 "LRU maps, with a common list or one per CPU (PERCPU_NR_SCANS 16)",
	 {{"map_types", "lru"}, {"percpu_nr_scans", "16"}}},
	{{4, 12, 0}, {}, "PERCPU_NR_SCANS 4", {{"percpu_nr_scans", "4"}}},
	{{4, 14, 0}, {}, "BPF_F_NUMA_NODE", {{"numa_node_flag", "1"}}},
	{{4, 20, 0}, {}, "a random hash seed per map (here 0 unless seed= says otherwise)", {}},
	{{5, 0, 0}, {}, "BPF_F_ZERO_SEED", {}},
	{{5, 2, 0},
	 {},
	 "look-ups by system call no longer set the reference bit",
	 {{"sys_lookup_marks", "0"}}},
	{{5, 6, 0}, {}, "batch operations", {{"batch", "1"}}},
	{{5, 10, 0}, {}, "free-list locks are only tried in NMI", {{"nmi_trylock", "1"}}},
	{{5, 11, 0},
	 {},
	 "a CPU that already holds a bucket lock of the same class gets EBUSY",
	 {{"lock", "held-count"}}},
	{{5, 14, 0}, {}, "look-up-and-delete on hash maps", {{"lookup_and_delete", "1"}}},
	{{6, 0, 0}, {}, "empty free lists are skipped without their lock", {{"skip_empty", "1"}}},
	{{6, 1, 0},
	 {{5, 10, 156}, {6, 0, 10}},
	 "elements are dealt evenly to the free lists",
	 {{"populate", "even"}}},
	{{6, 1, 0},
	 {},
	 "BPF allocator and per-CPU element counter for maps without preallocation",
	 {{"count", "adaptive"}}},
	{{6, 4, 0}, {}, "keys of whole words are hashed by words, with the same result", {}},
	{{6, 15, 0},
	 {},
	 "resilient queued spin locks for buckets and free lists: EDEADLK, ETIMEDOUT",
	 {{"lock", "resilient"}, {"free_list_lock", "resilient"}, {"nmi_trylock", "0"}}},
	{{6, 16, 0},
	 {{6, 12, 39}},
	 "the common LRU's free target goes by map size and CPUs, at most 128",
	 {{"free_target_rule", "by-size"}}},
	{{7, 3, 0},
	 {},
	 "LRU locks can fail, nodes wait as pending free, local free lists without a lock",
	 {{"lru_lock", "resilient"}}},
};

#define STEPS (sizeof(steps) / sizeof(steps[0]))

/* What holds where no step says otherwise. */
static const struct kernel_setting first_settings[] = {
	{"seed", "0"},
	{"hash_init", "0xdeadbeef"},
	{"alloc", "auto"},
	{"rotation", "kernel"},
	{"nr_scans", "auto"},
	{"common_nr_scans", "128"},
	{"percpu_nr_scans", "16"},
	{"free_target", "auto"},
	{"free_target_rule", "fixed"},
	{"free_target_min", "1"},
	{"free_target_max", "128"},
	{"sys_lookup_marks", "1"},
	{"populate", "old"},
	{"skip_empty", "0"},
	{"spares", "1"},
	{"count_batch", "32"},
	{"ida_size", "48"},
	{"ida_batch", "32"},
	{"bitmap_aligned", "1"},
	{"cache_low", "32"},
	{"cache_high", "96"},
	{"cache_prefill", "4"},
	{"cache_object_bytes", "256"},
	{"lock_classes", "8"},
	{"lock_timeout_ns", "250000000"},
	{"free_list_lock", "raw"},
	{"lru_lock", "raw"},
	{"nmi_trylock", "0"},
	{"elem_limit_bytes", "4194304"},
	{"percpu_value_limit_bytes", "32768"},
	{"max_entries_limit", "268435456"},
	{"numa_node_flag", "0"},
	{"lookup_and_delete", "0"},
	{"batch", "0"},
	{"lookahead", "80"},
};

/* Mainline's last minor per major: what was never released is a slip of the pen. */
static const uint16_t last_minors[] = {[3] = 19, [4] = 20, [5] = 19, [6] = 19, [7] = 3};

const struct kernel_step *kernel_steps(unsigned int *count)
{
	*count = STEPS;
	return steps;
}

struct kernel_release kernel_oldest(void)
{
	return steps[0].since;
}

struct kernel_release kernel_newest(void)
{
	return steps[STEPS - 1].since;
}

int kernel_compare(const struct kernel_release *a, const struct kernel_release *b)
{
	if (a->major != b->major)
		return a->major - b->major;
	if (a->minor != b->minor)
		return a->minor - b->minor;
	return a->patch - b->patch;
}

int kernel_has_step(const struct kernel_release *release, const struct kernel_step *step)
{
	if (kernel_compare(release, &step->since) >= 0)
		return 1;
	for (int i = 0; i < KERNEL_BACKPORTS_MAX && step->backports[i].major; i++) {
		const struct kernel_release *back = &step->backports[i];

		if (release->major == back->major && release->minor == back->minor &&
		    release->patch >= back->patch)
			return 1;
	}
	return 0;
}

static void apply(struct tunables *tunables, const struct kernel_setting *settings, size_t count)
{
	for (size_t i = 0; i < count && settings[i].name; i++) {
		int id = tunable_find(settings[i].name, NULL);

		/* The tables above are part of the program: a slip in them is one of its faults. */
		if (id < 0 || tunable_set(tunables, (enum tunable_id)id, settings[i].value, NULL))
			abort();
	}
}

void kernel_tunables(const struct kernel_release *release, struct tunables *tunables)
{
	apply(tunables, first_settings, sizeof(first_settings) / sizeof(first_settings[0]));
	for (size_t i = 0; i < STEPS; i++) {
		if (kernel_has_step(release, &steps[i]))
			apply(tunables, steps[i].settings, KERNEL_SETTINGS_MAX);
	}
}

const char *kernel_name(const struct kernel_release *release, char *name)
{
	int used = snprintf(name, KERNEL_NAME_BYTES, "%u.%u", release->major, release->minor);

	if (release->patch)
		snprintf(name + used, (size_t)(KERNEL_NAME_BYTES - used), ".%u", release->patch);
	return name;
}

void kernel_step_since(const struct kernel_step *step, char *text, size_t bytes)
{
	char name[KERNEL_NAME_BYTES];
	size_t used = (size_t)snprintf(text, bytes, "%s", kernel_name(&step->since, name));

	for (int i = 0; i < KERNEL_BACKPORTS_MAX && step->backports[i].major; i++)
		used += (size_t)snprintf(text + used, bytes - used, "%s%s+", i ? ", " : " (",
					 kernel_name(&step->backports[i], name));
	if (step->backports[0].major)
		snprintf(text + used, bytes - used, ")");
}

/* Reads digits, of a number up to 65535, and moves *text behind them. False when there are none. */
static bool parse_part(const char **text, uint16_t *part)
{
	unsigned int number = 0, digits = 0;

	for (; isdigit((unsigned char)**text); ++*text, digits++) {
		number = number * 10 + (unsigned int)(**text - '0');
		if (number > UINT16_MAX)
			return false;
	}
	*part = (uint16_t)number;
	return digits;
}

/*
 * Reads "MAJOR.MINOR[.PATCH]", which may begin with a v as tags do, and where a suffix may follow,
 * "-generic" or ".2-WSL2". 0 or -EINVAL.
 */
static int parse_numbers(const char *text, struct kernel_release *release)
{
	struct kernel_release parsed = {0};

	if (text[0] == 'v')
		text++;
	if (!parse_part(&text, &parsed.major) || *text++ != '.' ||
	    !parse_part(&text, &parsed.minor))
		return -EINVAL;
	if (text[0] == '.') {
		text++;
		if (!parse_part(&text, &parsed.patch))
			return -EINVAL;
	}
	if (text[0] && !strchr("-+~_.", text[0]))
		return -EINVAL;
	*release = parsed;
	return 0;
}

static int refuse_release(const char *text, struct error *error)
{
	struct kernel_release oldest = kernel_oldest(), newest = kernel_newest();
	char from[KERNEL_NAME_BYTES], to[KERNEL_NAME_BYTES];

	return error_set(error, -EINVAL,
			 "kernel \"%.40s\" is unknown; expected a release %s to %s such as 6.12 or "
			 "6.12.107, or host",
			 text, kernel_name(&oldest, from), kernel_name(&newest, to));
}

/* Whether a release was ever made, as far as the table goes. */
static int is_known(const struct kernel_release *release)
{
	struct kernel_release oldest = kernel_oldest();

	return kernel_compare(release, &oldest) >= 0 &&
	       release->major < sizeof(last_minors) / sizeof(last_minors[0]) &&
	       release->minor <= last_minors[release->major];
}

int kernel_parse(const char *text, struct kernel_release *release, struct error *error)
{
	if (parse_numbers(text, release) || !is_known(release))
		return refuse_release(text, error);
	return 0;
}

/* The word of a one-line file that a distribution's release stands in; 0 or -ENOENT. */
static int read_line(const char *path, char *line, int bytes)
{
	FILE *file = fopen(path, "re");
	char *got;

	if (!file)
		return -ENOENT;
	got = fgets(line, bytes, file);
	fclose(file);
	return got ? 0 : -ENOENT;
}

/* Where the host's real release stands. source names it. */
static int find_host(struct kernel_release *release, const char **source)
{
	struct utsname name;
	char line[512], *at;

	/* Ubuntu: "Ubuntu 6.8.0-45.45-generic 6.8.12"; the last word is the upstream release. */
	if (!read_line("/proc/version_signature", line, sizeof(line))) {
		line[strcspn(line, "\n")] = '\0';
		at = strrchr(line, ' ');
		*source = "/proc/version_signature";
		if (at && !parse_numbers(at + 1, release))
			return 0;
	}
	/* Debian: "... #1 SMP PREEMPT_DYNAMIC Debian 6.1.170-1 (2026-04-02)". */
	if (!read_line("/proc/version", line, sizeof(line))) {
		at = strstr(line, " Debian ");
		*source = "/proc/version";
		if (at) {
			at += strlen(" Debian ");
			at[strcspn(at, " ")] = '\0';
			if (!parse_numbers(at, release))
				return 0;
		}
	}
	*source = "uname";
	if (uname(&name))
		return -EINVAL;
	return parse_numbers(name.release, release);
}

int kernel_host(struct kernel_release *release, char *note, unsigned int note_bytes,
		struct error *error)
{
	struct kernel_release newest = kernel_newest();
	char name[KERNEL_NAME_BYTES], taken[KERNEL_NAME_BYTES];
	const char *source;

	if (find_host(release, &source))
		return error_set(error, -EINVAL, "the running kernel's release cannot be read");
	kernel_name(release, name);
	if (release->major == newest.major ? release->minor > newest.minor
					   : release->major > newest.major) {
		*release = newest;
		snprintf(note, note_bytes,
			 "host runs %s (%s), newer than any release known; taken as %s", name,
			 source, kernel_name(release, taken));
		return 0;
	}
	if (!is_known(release))
		return refuse_release(name, error);
	snprintf(note, note_bytes, "host runs %s (%s)", name, source);
	return 0;
}
