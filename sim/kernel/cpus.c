// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sim/kernel/cpus.h"

#include <ctype.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/op.h"

#define CPUS_MAX (2 * MAP_CPUS_MAX)

/* A number below CPUS_MAX at *text, which moves behind it; or -1. */
static long take_cpu(const char **text)
{
	char *end;
	unsigned long cpu;

	if (!isdigit((unsigned char)**text))
		return -1;
	cpu = strtoul(*text, &end, 10);
	*text = end;
	return cpu < CPUS_MAX ? (long)cpu : -1;
}

uint32_t cpu_list_end(const char *text)
{
	long last = -1;

	do {
		long from = take_cpu(&text), to = from;

		if (*text == '-') {
			text++;
			to = take_cpu(&text);
		}
		if (from < 0 || to < from)
			return 0;
		if (to > last)
			last = to;
	} while (*text == ',' && *++text);
	return *text && *text != '\n' ? 0 : (uint32_t)last + 1;
}

uint32_t cpus_possible(void)
{
	FILE *file = fopen("/sys/devices/system/cpu/possible", "re");
	char line[4096];
	uint32_t count = 0;

	if (file && fgets(line, sizeof(line), file))
		count = cpu_list_end(line);
	if (file)
		fclose(file);
	/* Where /sys is not mounted: those that are there; more could only be added later. */
	return count ? count : (uint32_t)sysconf(_SC_NPROCESSORS_CONF);
}

int cpus_usable(bool *is_usable, uint32_t count)
{
	size_t bytes = CPU_ALLOC_SIZE(CPUS_MAX);
	cpu_set_t *set = CPU_ALLOC(CPUS_MAX);
	int err = set ? 0 : -ENOMEM;

	if (!err) {
		CPU_ZERO_S(bytes, set);
		err = sched_getaffinity(0, bytes, set) ? -errno : 0;
	}
	for (uint32_t cpu = 0; !err && cpu < count; cpu++)
		is_usable[cpu] = cpu < CPUS_MAX && CPU_ISSET_S(cpu, bytes, set);
	CPU_FREE(set);
	return err;
}

uint32_t cpus_usable_count(void)
{
	bool is_usable[CPUS_MAX] = {false};
	uint32_t count = 0;

	if (cpus_usable(is_usable, CPUS_MAX))
		return 1;
	for (uint32_t cpu = 0; cpu < CPUS_MAX; cpu++)
		count += is_usable[cpu];
	return count;
}

const char *cpu_ranges(const bool *is_member, uint32_t count, char *text, size_t bytes)
{
	size_t used = 0;

	text[0] = '\0';
	for (uint32_t cpu = 0; cpu < count; cpu++) {
		uint32_t first = cpu;

		if (!is_member[cpu])
			continue;
		while (cpu + 1 < count && is_member[cpu + 1])
			cpu++;
		if (used < bytes)
			used += (size_t)snprintf(text + used, bytes - used,
						 cpu > first ? "%s%u-%u" : "%s%u", used ? "," : "",
						 first, cpu);
	}
	return text;
}
