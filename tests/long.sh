#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The tests that take longer: make check under sanitizers and with another compiler, make distcheck,
# the linters, and the vectors in the folder $MAPSIM_VECTORS. Run by make check-long, in the build
# directory, which must not be the source tree; what the steps say goes to long/STEP.log there.
# Exit 1 when one failed.
set -eu

src=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$PWD
jobs=$(nproc)
failed=0
unset MAKEFLAGS MFLAGS MAKELEVEL

# step NAME COMMAND...
step() {
	local name=$1 begun=$SECONDS

	shift
	if "$@" >"$build/long/$name.log" 2>&1 </dev/null; then
		echo "passed: $name ($((SECONDS - begun)) s)"
		return
	fi
	failed=1
	echo "FAILED: $name; the end of long/$name.log:"
	tail -n 30 "$build/long/$name.log"
}

skip() {
	echo "skipped: $1: $2"
}

# check_build NAME CONFIGURE-ARGUMENT...: configured anew, for the sources may have moved.
# shellcheck disable=SC2317 # step calls it
check_build() (
	mkdir -p "$build/long/$1" && cd "$build/long/$1" && shift &&
		"$src/configure" "$@" && make -j "$jobs" check
)

mkdir -p long
step sanitizers check_build sanitizers --enable-sanitizers --enable-debug --enable-werror
for compiler in gcc clang; do
	if command -v "$compiler" >/dev/null; then
		step "$compiler" check_build "$compiler" CC="$compiler" --enable-werror
	else
		skip "$compiler" "not here"
	fi
done
step distcheck make -j "$jobs" distcheck
step lint make lint
if "$build/mapsim" verify -q -m max_entries=1 gen:scan,range=1,count=1 >/dev/null 2>&1; then
	step "faults against the running kernel" "$build/planted" --against kernel
	step "random cases against the running kernel" "$build/mapsim" verify --fuzz 60
else
	skip "the running kernel" "$("$build/mapsim" verify -q -m max_entries=1 \
		gen:scan,range=1,count=1 2>&1 || true)"
fi
if [ -n "${MAPSIM_VECTORS-}" ]; then
	step vectors "$src/tests/golden/check.sh" "$MAPSIM_VECTORS"
else
	skip vectors "MAPSIM_VECTORS does not say where they are"
fi
exit "$failed"
