// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Keys and values that tell whose they are: what torture sees by them. */
#include <CUnit/CUnit.h>

#include "sim/torture/content.h"
#include "tests/unit/unit.h"

#define BYTES 24

static void test_keys(void)
{
	uint8_t key[20];
	uint64_t id;

	for (size_t bytes = 2; bytes <= sizeof(key); bytes++) {
		content_write_key(key, bytes, 300);
		CU_ASSERT(content_read_key(key, bytes, &id));
		CU_ASSERT_EQUAL(id, 300);
	}
	key[19]++;
	CU_ASSERT_FALSE(content_read_key(key, sizeof(key), &id));
}

static void test_values(void)
{
	uint8_t value[BYTES], other[BYTES], nonce;

	content_write_value(value, BYTES, 7, 3);
	CU_ASSERT(content_is_own(value, BYTES, 7, true, &nonce));
	CU_ASSERT_EQUAL(nonce, 3);
	CU_ASSERT_FALSE(content_is_own(value, BYTES, 8, true, &nonce));
	CU_ASSERT_FALSE(content_is_own(value, BYTES, 8, false, &nonce));
	/* One unit of another key's. */
	content_write_value(other, BYTES, 8, 3);
	memcpy(value + 8, other + 8, 4);
	CU_ASSERT_FALSE(content_is_own(value, BYTES, 7, false, &nonce));
}

/* Of two writings of the same key: right only where that can be. */
static void test_torn_values(void)
{
	uint8_t value[BYTES], other[BYTES], nonce;

	content_write_value(value, BYTES, 7, 3);
	content_write_value(other, BYTES, 7, 4);
	memcpy(value + 16, other + 16, 8);
	CU_ASSERT_FALSE(content_is_own(value, BYTES, 7, true, &nonce));
	CU_ASSERT(content_is_own(value, BYTES, 7, false, &nonce));
	memset(value + 16, 0, 8);
	CU_ASSERT_FALSE(content_is_own(value, BYTES, 7, true, &nonce));
	CU_ASSERT(content_is_own(value, BYTES, 7, false, &nonce));
}

CU_TestInfo torture_tests[] = {
	{"keys", test_keys},
	{"values", test_values},
	{"torn values", test_torn_values},
	CU_TEST_INFO_NULL,
};
