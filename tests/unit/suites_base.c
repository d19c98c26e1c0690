// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The tests of everything that has no flavour. */
#include "tests/unit/unit.h"

#include <stddef.h>

extern CU_TestInfo bench_tests[];
extern CU_TestInfo compare_tests[];
extern CU_TestInfo config_tests[];
extern CU_TestInfo csv_tests[];
extern CU_TestInfo fold_tests[];
extern CU_TestInfo folding_tests[];
extern CU_TestInfo future_tests[];
extern CU_TestInfo histogram_tests[];
extern CU_TestInfo job_tests[];
extern CU_TestInfo fuzz_tests[];
extern CU_TestInfo kernel_engine_tests[];
extern CU_TestInfo kernels_tests[];
extern CU_TestInfo number_tests[];
extern CU_TestInfo op_tests[];
extern CU_TestInfo output_file_tests[];
extern CU_TestInfo pin_tests[];
extern CU_TestInfo record_tests[];
extern CU_TestInfo torture_tests[];
extern CU_TestInfo trace_store_tests[];
extern CU_TestInfo shrink_tests[];
extern CU_TestInfo team_tests[];
extern CU_TestInfo traces_tests[];
extern CU_TestInfo traces_binary_tests[];
extern CU_TestInfo traces_gen_tests[];
extern CU_TestInfo traces_info_tests[];
extern CU_TestInfo traces_write_tests[];
extern CU_TestInfo traces_zstd_tests[];
extern CU_TestInfo tunables_tests[];
extern CU_TestInfo vary_tests[];
extern CU_TestInfo words_tests[];
extern CU_TestInfo workload_tests[];

const struct unit_suite unit_suites[] = {
	{"bench", bench_tests},
	{"compare", compare_tests},
	{"config", config_tests},
	{"csv", csv_tests},
	{"fold", fold_tests},
	{"folding", folding_tests},
	{"future", future_tests},
	{"histogram", histogram_tests},
	{"job", job_tests},
	{"fuzz", fuzz_tests},
	{"kernel_engine", kernel_engine_tests},
	{"kernels", kernels_tests},
	{"number", number_tests},
	{"op", op_tests},
	{"output_file", output_file_tests},
	{"pin", pin_tests},
	{"record", record_tests},
	{"torture", torture_tests},
	{"trace_store", trace_store_tests},
	{"shrink", shrink_tests},
	{"team", team_tests},
	{"traces", traces_tests},
	{"traces_binary", traces_binary_tests},
	{"traces_gen", traces_gen_tests},
	{"traces_info", traces_info_tests},
	{"traces_write", traces_write_tests},
	{"traces_zstd", traces_zstd_tests},
	{"tunables", tunables_tests},
	{"vary", vary_tests},
	{"words", words_tests},
	{"workload", workload_tests},
	{NULL, NULL},
};
