/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The memory of this machine, shared by the runs of this process. Maps touch their memory bit by
 * bit, so what the system says is free has to be compared with what all of them will take.
 */
#ifndef SIM_MEMORY_H
#define SIM_MEMORY_H

#include <stdint.h>

#include "base/error.h"

/*
 * Takes bytes for a map, until memory_release(). Waits while maps of other threads leave too
 * little; a thread that has a map must not ask for a second one. Returns 0, or -ENOMEM with error
 * when the map would not fit even by itself.
 */
int memory_reserve(uint64_t bytes, struct error *error);
void memory_release(uint64_t bytes);

#endif
