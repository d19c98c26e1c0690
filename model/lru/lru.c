// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "model/lru/lru.h"

static const struct lru_policy lru_kernel =
	{{"kernel", "the kernel's active and inactive lists with a reference bit"},
	 &lru_kernel_common,
	 &lru_kernel_percpu};

const struct lru_policy *const lru_policies[] = {&lru_kernel, &lru_exact, NULL};
