#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Reads the sources with what linters there are: clang-format, clang-tidy, cppcheck, shellcheck and
# mandoc. $CPPFLAGS is what the sources are compiled with. Exit 1 when one complained.
set -eu

cd "$(dirname "${BASH_SOURCE[0]}")/.."
shopt -s nullglob globstar
read -r -a cppflags <<<"${CPPFLAGS--D_GNU_SOURCE -I.}"
flavours=(model/env/*/)
flavours=("${flavours[@]#model/env/}")
flavours=("${flavours[@]%/}")
failed=()

# lint PROGRAM NAME COMMAND...: runs the command if there is the program.
lint() {
	local program=$1 name=$2

	shift 2
	if ! command -v "$program" >/dev/null; then
		echo "$name: skipped, there is no $program"
		return
	fi
	echo "$name"
	"$@" || failed+=("$name")
}

# tidy FLAVOUR FILE...: as seen by that flavour of the model.
tidy() {
	local flavour=$1

	shift
	printf '%s\0' "$@" | xargs -0 -P "$(nproc)" -I FILE clang-tidy --quiet FILE -- -std=gnu11 \
		-Iinclude -Imodel/env/"$flavour" "${cppflags[@]}" 2>/dev/null
}

# Once per flavour; the headers of libraries are not read.
check_c() {
	local flavour

	for flavour in "${flavours[@]}"; do
		cppcheck --quiet --std=c11 --enable=warning,performance,portability \
			--inline-suppr --suppress=missingInclude --suppress=missingIncludeSystem \
			--suppress=unknownMacro -j "$(nproc)" --error-exitcode=1 -D_GNU_SOURCE \
			-I. -Iinclude -Imodel/env/"$flavour" base lib model sim traces tools || return
	done
}

lint clang-format "clang-format" clang-format --dry-run -Werror \
	{base,examples,include,lib,model,sim,traces,tools,tests}/**/*.{c,cc,h}
lint clang-tidy "clang-tidy" tidy seq {base,examples/lib,lib,sim,traces,tools}/**/*.c
for flavour in "${flavours[@]}"; do
	lint clang-tidy "clang-tidy, $flavour" tidy "$flavour" model/*.c model/{alloc,lru}/*.c \
		model/env/"$flavour"/*.c
done
lint clang-tidy "clang-tidy, tests" tidy check tests/{unit,fuzz,lib}/*.c
lint cppcheck "cppcheck" check_c
lint shellcheck "shellcheck" shellcheck -x .ci/run tools/{check,demo} tests/cli/run \
	tests/bench/{replay,rotations} tests/fuzz/run {tools,tests}/**/*.sh
lint shellcheck "shellcheck, completion" shellcheck -s bash tools/mapsim.bash-completion
lint mandoc "mandoc" mandoc -T lint -W warning man/*.[1-9]
if [ "${#failed[@]}" -gt 0 ]; then
	printf 'complaints of: %s\n' "$(IFS=';' && echo "${failed[*]}")" >&2
	exit 1
fi
