#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Replays what real kernels were given, and compares with what they did.
#
# usage: check.sh [VECTORS]
#
# VECTORS (default: beside this script) is a folder with an index.tsv: a heading, then per run
# possible CPUs, kernel release, map type, max_entries, key size, flags or "-", trace, and expected
# output: the results ("r INDEX RETURN"), then the dump ("k KEY", "entries N").
# Prints one line of the Test Anything Protocol per run. $MAPSIM names the program under test
# (default: build/mapsim of this source tree). Exit 0: all are the same; 1: some differ.
set -eu

src=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
mapsim=${MAPSIM:-$src/build/mapsim}
vectors=${1:-$src/tests/golden}
export LC_ALL=C

if [ ! -x "$mapsim" ]; then
	echo "$mapsim: no such program: build it, or set MAPSIM" >&2
	exit 2
fi
if [ ! -f "$vectors/index.tsv" ]; then
	echo "1..0 # SKIP no vectors: $vectors/index.tsv is not there"
	exit 0
fi
tmp=$(mktemp -d "${TMPDIR:-/tmp}/mapsim-golden.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT TERM

# Runs the vector of number $1; the rest is its line of the index.
run_vector() {
	local number=$1 cpus=$2 kernel=$3 type=$4 max_entries=$5 key_size=$6 flags=$7 trace=$8
	local expected=$9 dir=$tmp/$1 map title code=0

	map=type=$type,max_entries=$max_entries,key_size=$key_size,value_size=8
	[ "$flags" = - ] || map=$map,flags=$flags
	title="$trace on $kernel: $map"
	mkdir "$dir"
	"$mapsim" replay -q -e seq -m "$map" -k "$kernel" -c "$cpus" -s seed=0 --results "$dir/r" \
		--dump "$dir/k" "$vectors/$trace" >"$dir/out" 2>"$dir/err" || code=$?
	if [ "$code" != 0 ]; then
		echo "not ok $number - $title"
		echo "# exit $code"
		sed 's/^/# /' "$dir/err"
	elif cat "$dir/r" "$dir/k" | cmp -s - "$vectors/$expected"; then
		echo "ok $number - $title"
	else
		echo "not ok $number - $title"
		cat "$dir/r" "$dir/k" | diff -U 1 --label "$expected" --label "mapsim" \
			"$vectors/$expected" - | head -n 12 | sed 's/^/# /' || true
	fi
	rm -rf "$dir"
}

count=0
jobs=$(nproc)
{
	read -r _
	while IFS=$'\t' read -r -a row; do
		count=$((count + 1))
		[ "$count" -le "$jobs" ] || wait -n
		run_vector "$count" "${row[@]}" >"$tmp/$count.tap" &
	done
} <"$vectors/index.tsv"
wait
for ((i = 1; i <= count; i++)); do
	cat "$tmp/$i.tap"
done
echo "1..$count"
! grep -q '^not ok' "$tmp"/*.tap
