// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Threads that work at the same time. */
#include <errno.h>
#include <stdatomic.h>
#include <string.h>

#include "sim/team.h"
#include "tests/unit/unit.h"

#define MEMBERS 5

struct work {
	atomic_int bound, bound_at_work, worked;
	int fails_to_bind, fails_at_work; /* a member, or -1 */
};

static int bind_member(void *arg, uint32_t member, struct error *error)
{
	struct work *work = arg;

	if ((int)member == work->fails_to_bind)
		return error_set(error, -EPERM, "member %u has no place", member);
	atomic_fetch_add(&work->bound, 1);
	return 0;
}

static int do_work(void *arg, uint32_t member, struct error *error)
{
	struct work *work = arg;

	atomic_fetch_add(&work->worked, 1);
	atomic_fetch_add(&work->bound_at_work, atomic_load(&work->bound) == MEMBERS);
	if ((int)member == work->fails_at_work)
		return error_set(error, -EIO, "member %u failed", member);
	return (int)member == work->fails_at_work + 1 ? -EINTR : 0;
}

static int run(struct work *work, struct error *error)
{
	const struct team team = {bind_member, do_work, work};

	memset(error, 0, sizeof(*error));
	return team_run(&team, MEMBERS, error);
}

static void test_all_work(void)
{
	struct work work = {.fails_to_bind = -1, .fails_at_work = -2};
	struct error error;

	for (int i = 0; i < 20; i++)
		CU_ASSERT_EQUAL(run(&work, &error), 0);
	CU_ASSERT_EQUAL(work.worked, 20 * MEMBERS);
}

/* Nobody begins before all are where they are to run. */
static void test_all_are_bound_first(void)
{
	struct work work = {.fails_to_bind = -1, .fails_at_work = -2};
	struct error error;

	CU_ASSERT_EQUAL(run(&work, &error), 0);
	CU_ASSERT_EQUAL(work.bound_at_work, MEMBERS);
}

static void test_none_works_when_one_is_not_bound(void)
{
	struct work work = {.fails_to_bind = 3, .fails_at_work = -2};
	struct error error;

	CU_ASSERT_EQUAL(run(&work, &error), -EPERM);
	CU_ASSERT_STRING_EQUAL(error.text, "member 3 has no place");
	CU_ASSERT_EQUAL(work.worked, 0);
}

static void test_first_error_is_told(void)
{
	struct work work = {.fails_to_bind = -1, .fails_at_work = 2};
	struct error error;

	CU_ASSERT_EQUAL(run(&work, &error), -EIO);
	CU_ASSERT_STRING_EQUAL(error.text, "member 2 failed");
	CU_ASSERT_EQUAL(work.worked, MEMBERS);
}

static void test_without_bind(void)
{
	struct work work = {.fails_to_bind = -1, .fails_at_work = -2};
	const struct team team = {NULL, do_work, &work};
	struct error error = {.text = ""};

	CU_ASSERT_EQUAL(team_run(&team, 1, &error), 0);
	CU_ASSERT_EQUAL(work.worked, 1);
}

CU_TestInfo team_tests[] = {
	{"all work", test_all_work},
	{"all are bound first", test_all_are_bound_first},
	{"none works when one is not bound", test_none_works_when_one_is_not_bound},
	{"first error is told", test_first_error_is_told},
	{"without bind", test_without_bind},
	CU_TEST_INFO_NULL,
};
