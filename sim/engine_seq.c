// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sim/engine_model.h"

const struct engine engine_seq = {
	.name = "seq",
	.summary = "the model, one operation after another",
	.model = &seq_model_ops,
	ENGINE_MODEL_CALLS,
};
