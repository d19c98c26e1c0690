#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The running kernel against the model of its release: what -e kernel returns and holds is what
# -e seq -k host says, on all CPUs of this machine. Prints lines of the Test Anything Protocol;
# skips, and says why, where there is no root, no BPF, or no libbpf when mapsim was built.
set -eu

src=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=tests/tap.sh
. "$src/tests/tap.sh"
mapsim=${MAPSIM:-$src/build/mapsim}
tmp=$(mktemp -d "${TMPDIR:-/tmp}/mapsim-kernel.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT TERM
export LC_ALL=C

# same TITLE MAP ARGUMENT...: both engines give the same results and dump.
same() {
	local title=$1 map=$2

	shift 2
	"$mapsim" replay -q -e kernel -c "$cpus" -m "$map" --results "$tmp/kernel.r" \
		--dump "$tmp/kernel.k" "$@" >"$tmp/out" 2>&1 || mv "$tmp/out" "$tmp/kernel.r"
	"$mapsim" replay -q -e seq -k host -c "$cpus" -m "$map" --results "$tmp/seq.r" \
		--dump "$tmp/seq.k" "$@" >"$tmp/out" 2>&1 || mv "$tmp/out" "$tmp/seq.r"
	{
		diff -U 1 --label seq --label kernel "$tmp/seq.r" "$tmp/kernel.r" || true
		diff -U 1 --label seq --label kernel "$tmp/seq.k" "$tmp/kernel.k" || true
	} >"$tmp/differences" 2>&1
	report "$title" "$(head -n 12 "$tmp/differences")"
	rm -f "$tmp"/*.[rk]
}

# A trace of every code on all CPUs, from a seed. Awk's own random numbers differ between awks.
trace_all_codes() {
	awk -v seed="$1" -v count="$2" -v cpus="$cpus" '
		function below(n) {
			seed = (seed * 1103 + 12347) % 1000003
			return seed % n
		}
		BEGIN {
			codes = "LUNEDTSPKBRlunedtspkbr"
			for (i = 0; i < count; i++) {
				code = substr(codes, 1 + below(length(codes)), 1)
				key = code ~ /[BbRr]/ ? below(40) : below(300)
				print below(cpus), code, key
			}
		}'
}

said=$("$mapsim" replay -q -e kernel -m max_entries=1 gen:uniform,count=1 2>&1 >/dev/null) ||
	skip_all "${said#mapsim: }"
# The kernel's map is made for all possible CPUs, so the trace has to use CPUs 0 to the last.
read -r possible 2>/dev/null </sys/devices/system/cpu/possible ||
	skip_all "/sys, which tells the possible CPUs, is not mounted"
cpus=$((${possible##*[-,]} + 1))
trace_all_codes 1 4000 >"$tmp/codes.txt"
said=$("$mapsim" replay -q -e kernel -c "$cpus" -m max_entries=1 "$tmp/codes.txt" 2>&1 >/dev/null) ||
	skip_all "${said#mapsim: }"

for type in hash percpu_hash lru_hash lru_percpu_hash; do
	case $type in
	lru*) flag=no_common_lru ;;
	*) flag=no_prealloc ;;
	esac
	for flags in none "$flag"; do
		map=type=$type,flags=$flags
		same "all codes: $map" "$map,max_entries=100,key_size=4" "$tmp/codes.txt"
		same "odd sizes: $map" "$map,max_entries=97,key_size=13,value_size=3" "$tmp/codes.txt"
		same "accesses: $map" "$map,max_entries=500" gen:zipf,count=3000,range=2000
		same "updates: $map" "$map,max_entries=500" -p update gen:zipf,count=3000,range=2000
	done
done
same "the test of 2017" max_entries=500 -p dist gen:zipf,count=3000,range=2000
for program in run_loop run_bounded run_repeat; do
	export MAPSIM_KERNEL_PROGRAM=$program
	same "$program: accesses in blocks" max_entries=500 --spread block:700 \
		gen:zipf,count=9000,range=2000
	same "$program: all codes" max_entries=100,key_size=1024 "$tmp/codes.txt"
done
unset MAPSIM_KERNEL_PROGRAM

finish
