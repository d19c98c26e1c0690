// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "model/alloc/alloc.h"

const struct alloc_policy *const alloc_policies[] = {&alloc_freelist, &alloc_kmalloc, &alloc_bpfmem,
						     NULL};
