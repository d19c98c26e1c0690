// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Releases: their names, their order, and what each changed. */
#include <errno.h>
#include <string.h>

#include "model/kernels.h"
#include "tests/unit/unit.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void test_names(void)
{
	static const struct {
		const char *text, *name;
	} names[] = {
		{"3.19", "3.19"},
		{"6.12", "6.12"},
		{"6.12.0", "6.12"},
		{"6.12.107", "6.12.107"},
		{"v6.12", "6.12"},
		{"7.3", "7.3"},
		{"7.3.4", "7.3.4"},
		/* A distribution's suffix says nothing. */
		{"6.1.0-47-amd64", "6.1"},
		{"6.8.0-45-generic", "6.8"},
		{"6.12.38+deb13-amd64", "6.12.38"},
		{"6.12-rc3", "6.12"},
		{"5.15.0-1234.56~20.04.1", "5.15"},
		{"4.18.0-553.el8_10.x86_64", "4.18"},
		{"5.10.0_1", "5.10"},
		{"6.12.10~bpo", "6.12.10"},
	};

	for (size_t i = 0; i < COUNT(names); i++) {
		char name[KERNEL_NAME_BYTES];
		struct kernel_release release;
		struct error error = {.text = ""};

		if (kernel_parse(names[i].text, &release, &error)) {
			CU_assertImplementation(CU_FALSE, __LINE__, names[i].text, __FILE__, "",
						CU_FALSE);
			continue;
		}
		CU_ASSERT_STRING_EQUAL(kernel_name(&release, name), names[i].name);
		CU_ASSERT_STRING_EQUAL(error.text, "");
	}
}

static void test_bad_names(void)
{
	static const char *const texts[] = {
		"",
		"6",
		"6.",
		".12",
		"a",
		"v6",
		"vv6.12",
		"6.12x",
		"6,12",
		"6-12",
		"-6.1",
		"+6.1",
		"6.-1",
		"6.+1",
		" 6.12",
		"6.12 ",
		"6. 12",
		"6.12.",
		"6.12.x",
		/* Never made, older than the oldest or newer than the newest. */
		"3.18",
		"3.20",
		"2.6.32",
		"4.21",
		"5.20",
		"6.20",
		"7.4",
		"8.0",
		"0.0",
		"99.1",
		"9999.9999",
		"6.99999",
		"6.12.99999999",
		"65542.12",
		"6.65548",
		"6.12.-1",
		"6.12.+1",
		"6.12.65536",
		"6.12.99999",
	};

	for (size_t i = 0; i < COUNT(texts); i++) {
		struct kernel_release release;
		struct error error = {.text = ""};

		if (kernel_parse(texts[i], &release, &error) != -EINVAL)
			CU_assertImplementation(CU_FALSE, __LINE__, texts[i], __FILE__, "",
						CU_FALSE);
		else
			CU_ASSERT_PTR_NOT_NULL(
				strstr(error.text, "expected a release 3.19 to 7.3"));
		CU_ASSERT_EQUAL(kernel_parse(texts[i], &release, NULL), -EINVAL);
	}
}

static void test_order(void)
{
	static const char *const names[] = {"3.19",   "4.6",      "4.10",     "4.20",    "5.0",
					    "5.10",   "5.10.155", "5.10.156", "6.0",     "6.0.9",
					    "6.0.10", "6.12",     "6.12.38",  "6.12.39", "6.16",
					    "7.3",    "7.3.4"};
	struct kernel_release a, b;

	for (size_t i = 0; i < COUNT(names); i++) {
		for (size_t n = 0; n < COUNT(names); n++) {
			kernel_parse(names[i], &a, NULL);
			kernel_parse(names[n], &b, NULL);
			if (i < n)
				CU_ASSERT(kernel_compare(&a, &b) < 0);
			if (i == n)
				CU_ASSERT(kernel_compare(&a, &b) == 0);
			if (i > n)
				CU_ASSERT(kernel_compare(&a, &b) > 0);
		}
	}
	a = kernel_oldest();
	b = kernel_newest();
	CU_ASSERT(a.major == 3 && a.minor == 19 && b.major == 7 && b.minor == 3);
}

/* What kernel_tunables() says, from release to release. */
struct change {
	const char *kernel, *tunable, *value;
};

static const struct change changes[] = {
	{"3.19", "lock", "map"},
	{"4.5", "lock", "map"},
	{"4.6", "lock", "bucket"},
	{"5.10", "lock", "bucket"},
	{"5.11", "lock", "held-count"},
	{"6.14", "lock", "held-count"},
	{"6.15", "lock", "resilient"},
	{"7.3", "lock", "resilient"},
	{"6.14", "free_list_lock", "raw"},
	{"6.15", "free_list_lock", "resilient"},
	{"7.2", "lru_lock", "raw"},
	{"7.3", "lru_lock", "resilient"},
	{"4.10", "percpu_nr_scans", "16"},
	{"4.11", "percpu_nr_scans", "16"},
	{"4.12", "percpu_nr_scans", "4"},
	{"7.3", "percpu_nr_scans", "4"},
	{"4.10", "common_nr_scans", "128"},
	{"7.3", "common_nr_scans", "128"},
	{"5.1", "sys_lookup_marks", "1"},
	{"5.2", "sys_lookup_marks", "0"},
	{"5.9", "nmi_trylock", "0"},
	{"5.10", "nmi_trylock", "1"},
	{"6.14", "nmi_trylock", "1"},
	{"6.15", "nmi_trylock", "0"},
	{"5.19", "skip_empty", "0"},
	{"6.0", "skip_empty", "1"},
	{"5.10.155", "populate", "old"},
	{"5.10.156", "populate", "even"},
	{"5.11", "populate", "old"},
	{"6.0.9", "populate", "old"},
	{"6.0.10", "populate", "even"},
	{"6.1", "populate", "even"},
	{"6.0", "count", "atomic"},
	{"6.0.10", "count", "atomic"},
	{"6.1", "count", "adaptive"},
	{"6.12", "free_target_rule", "fixed"},
	{"6.12.38", "free_target_rule", "fixed"},
	{"6.12.39", "free_target_rule", "by-size"},
	{"6.12.107", "free_target_rule", "by-size"},
	{"6.13", "free_target_rule", "fixed"},
	{"6.1.170", "free_target_rule", "fixed"},
	{"6.15", "free_target_rule", "fixed"},
	{"6.16", "free_target_rule", "by-size"},
	{"7.3", "free_target_max", "128"},
	{"5.5", "batch", "0"},
	{"5.6", "batch", "1"},
	{"5.13", "lookup_and_delete", "0"},
	{"5.14", "lookup_and_delete", "1"},
	{"4.13", "numa_node_flag", "0"},
	{"4.14", "numa_node_flag", "1"},
	{"4.5", "map_types", "hash"},
	{"4.6", "map_types", "percpu"},
	{"4.9", "map_types", "percpu"},
	{"4.10", "map_types", "lru"},
	{"4.5", "no_prealloc_flag", "0"},
	{"4.6", "no_prealloc_flag", "1"},
	{"4.5", "max_entries_limit", "268435456"},
	{"4.6", "max_entries_limit", "134217728"},
	{"7.3", "seed", "0"},
	{"7.3", "hash_init", "3735928559"},
	{"7.3", "rotation", "kernel"},
	{"7.3", "alloc", "auto"},
	{"7.3", "free_target", "auto"},
	{"7.3", "nr_scans", "auto"},
};

static void test_changes(void)
{
	for (size_t i = 0; i < COUNT(changes); i++) {
		int id = tunable_find(changes[i].tunable, NULL);
		char text[TUNABLE_TEXT_BYTES];
		struct kernel_release release;
		struct tunables tunables;

		CU_ASSERT_FATAL(id >= 0);
		CU_ASSERT_EQUAL_FATAL(kernel_parse(changes[i].kernel, &release, NULL), 0);
		kernel_tunables(&release, &tunables);
		tunable_format((enum tunable_id)id, tunables.values[id], text);
		if (strcmp(text, changes[i].value) != 0)
			CU_assertImplementation(CU_FALSE, __LINE__, changes[i].tunable, __FILE__,
						changes[i].kernel, CU_FALSE);
	}
}

/* Whatever else, every value of every release can be set by a user. */
static void test_steps(void)
{
	unsigned int count;
	const struct kernel_step *steps = kernel_steps(&count);
	struct kernel_release last = kernel_oldest();

	CU_ASSERT(count > 10);
	for (unsigned int i = 0; i < count; i++) {
		CU_ASSERT(kernel_compare(&last, &steps[i].since) <= 0);
		CU_ASSERT(kernel_has_step(&steps[i].since, &steps[i]));
		CU_ASSERT(steps[i].summary && steps[i].summary[0]);
		last = steps[i].since;
		for (int n = 0; n < KERNEL_SETTINGS_MAX && steps[i].settings[n].name; n++) {
			const struct kernel_setting *setting = &steps[i].settings[n];
			int id = tunable_find(setting->name, NULL);
			struct tunables tunables;

			CU_ASSERT_FATAL(id >= 0);
			CU_ASSERT_EQUAL(tunable_set(&tunables, (enum tunable_id)id, setting->value,
						    NULL),
					0);
		}
	}
	last = kernel_newest();
	CU_ASSERT_EQUAL(kernel_compare(&last, &steps[count - 1].since), 0);
}

/* Every tunable has a value in every release. */
static void test_all_set(void)
{
	unsigned int count;
	const struct kernel_step *steps = kernel_steps(&count);

	for (unsigned int i = 0; i < count; i++) {
		struct tunables low, high;

		memset(&low, 0, sizeof(low));
		memset(&high, 0x55, sizeof(high));
		kernel_tunables(&steps[i].since, &low);
		kernel_tunables(&steps[i].since, &high);
		CU_ASSERT_EQUAL(memcmp(&low, &high, sizeof(low)), 0);
	}
}

static void test_backports(void)
{
	struct kernel_step step = {.since = {6, 1, 0}, .backports = {{5, 10, 156}, {6, 0, 10}}};
	static const struct {
		struct kernel_release release;
		int has;
	} releases[] = {
		{{5, 10, 155}, 0}, {{5, 10, 156}, 1}, {{5, 10, 999}, 1}, {{5, 11, 200}, 0},
		{{5, 9, 160}, 0},  {{6, 0, 9}, 0},    {{6, 0, 10}, 1},   {{6, 1, 0}, 1},
		{{7, 0, 0}, 1},    {{4, 10, 156}, 0},
	};

	for (size_t i = 0; i < COUNT(releases); i++)
		CU_ASSERT_EQUAL(!!kernel_has_step(&releases[i].release, &step), releases[i].has);
}

/* Whatever this machine runs: a known release is taken, and how it was read is told. */
static void test_host(void)
{
	struct kernel_release release, newest = kernel_newest(), oldest = kernel_oldest();
	struct error error = {.text = ""};
	char note[200] = "";

	if (kernel_host(&release, note, sizeof(note), &error)) {
		printf("# skipped: %s\n", error.text);
		CU_ASSERT(error.text[0]);
		return;
	}
	CU_ASSERT(kernel_compare(&release, &oldest) >= 0);
	CU_ASSERT(release.major < newest.major ||
		  (release.major == newest.major && release.minor <= newest.minor));
	CU_ASSERT(!strncmp(note, "host runs ", 10));
	CU_ASSERT(strstr(note, "uname") || strstr(note, "/proc/version"));
	printf("# %s\n", note);
}

CU_TestInfo kernels_tests[] = {
	{"names", test_names},         {"bad names", test_bad_names}, {"order", test_order},
	{"changes", test_changes},     {"steps", test_steps},         {"all is set", test_all_set},
	{"backports", test_backports}, {"host", test_host},           CU_TEST_INFO_NULL,
};
