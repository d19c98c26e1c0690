// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tests/unit/flavour.h"

#include <env.h>

extern const struct model_ops model_ops_table;

const struct model_ops *const test_ops = &model_ops_table;
