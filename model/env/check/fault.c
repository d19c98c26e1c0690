// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <env.h>

enum fault fault_planted;
