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
 * Takes bytes for all maps of a run, until memory_release(); 0 bytes always fit. Waits while other
 * runs leave too little; a run that has some must not ask for more, or two would wait for each
 * other. Returns 0, or -ENOMEM with error when they would not fit even by themselves.
 */
int memory_reserve(uint64_t bytes, struct error *error);
void memory_release(uint64_t bytes);

#endif
