// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * How early does an LRU map evict? 31 CPUs insert a key each, the last one inserts the rest, on
 * the kernel releases named (default: 6.12 6.16).
 *
 *     cc evictions.c $(pkg-config --cflags --libs mapsim) -o evictions
 */
#include <stdio.h>
#include <stdlib.h>

#include <mapsim/mapsim.h>

#define CPUS 32
#define KEYS 2176

static void fail(const char *what)
{
	fprintf(stderr, "%s: %s\n", what, mapsim_error());
	exit(1);
}

static void print_list(void *arg, const char *list, int cpu, uint64_t nodes)
{
	(void)arg;
	if (cpu == CPUS - 1 && nodes)
		printf("  CPU %d: %llu on %s\n", cpu, (unsigned long long)nodes, list);
}

static void try_release(const char *release)
{
	struct mapsim_map_create_opts opts = {.sz = sizeof(opts)};
	struct mapsim_map_counters counters = {.sz = sizeof(counters)};
	struct mapsim_map_info info = {.sz = sizeof(info)};
	struct mapsim_map *map;
	uint64_t key;

	opts.kernel = release;
	opts.cpus = CPUS;
	map = mapsim_map_create("type=lru_hash,max_entries=4096", &opts);
	if (!map)
		fail(release);
	for (key = 0; key < KEYS; key++) {
		uint32_t cpu = key < CPUS - 1 ? (uint32_t)key : CPUS - 1;

		if (mapsim_map_update_elem(map, cpu, MAPSIM_PROGRAM, &key, &key, MAPSIM_ANY))
			fail("update");
	}
	if (mapsim_map_get_counters(map, MAPSIM_ALL_CPUS, &counters) ||
	    mapsim_map_get_info(map, &info) || mapsim_map_check(map))
		fail(release);
	printf("%s: %llu inserted, %llu evicted, %llu of %u left\n", info.kernel,
	       (unsigned long long)counters.inserts, (unsigned long long)counters.evictions,
	       (unsigned long long)info.entries, info.max_entries);
	mapsim_map_for_each_list(map, print_list, NULL);
	mapsim_map_destroy(map);
}

int main(int argc, char **argv)
{
	int i;

	if (argc < 2) {
		try_release("6.12");
		try_release("6.16");
	}
	for (i = 1; i < argc; i++)
		try_release(argv[i]);
	return 0;
}
