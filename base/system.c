// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "base/system.h"

#include <stdbool.h>
#include <stdio.h>
#include <time.h>

uint64_t system_memory_available(void)
{
	unsigned long long kilobytes = 0;
	char line[128];
	FILE *file = fopen("/proc/meminfo", "re");
	bool is_found = false;

	while (file && !is_found && fgets(line, sizeof(line), file))
		is_found = sscanf(line, "MemAvailable: %llu kB", &kilobytes) == 1;
	if (file)
		fclose(file);
	return is_found ? kilobytes << 10 : UINT64_MAX;
}

double system_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}
