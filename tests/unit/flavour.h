/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The flavour of the model under test. The tests of the model are built once per flavour, with its
 * env.h in reach: most need no more than test_ops; those that look inside include the model's
 * headers, and get the flavour's names by env.h.
 */
#ifndef TESTS_UNIT_FLAVOUR_H
#define TESTS_UNIT_FLAVOUR_H

#include "model/model.h"

extern const struct model_ops *const test_ops;

#endif
