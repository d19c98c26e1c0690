/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What tests want of <bpf/libbpf.h> is in the other one. */
#include <bpf/bpf.h>
