// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "model/lru/lru.h"

static const struct lru_policy lru_kernel = {
	.policy = {"kernel", "the kernel's active and inactive lists with a reference bit"},
	.common = &lru_kernel_common,
	.percpu = &lru_kernel_percpu,
};

const struct lru_policy *const lru_policies[] = {&lru_kernel,
						 &lru_exact,
						 &lru_steal_first,
						 &lru_steal_half,
						 &lru_watermark,
						 &lru_lookup_first,
						 &lru_fifo,
						 &lru_clock,
						 &lru_sieve,
						 &lru_s3fifo,
						 &lru_random,
						 &lru_opt,
						 NULL};
