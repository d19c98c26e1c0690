#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# A sweep with --resume ends with the same bytes whenever, and however often, it was killed.
#
# usage: killed.sh [KILLS [SEED]]
#
# Kills a sweep at KILLS random moments (default 30), starting it again each time and anew when it
# is whole. SEED (default: another each time, and printed) repeats the choice of moments, though not
# what the sweep was doing then. $MAPSIM names the program under test (default: build/mapsim of the
# source tree). Prints lines of the Test Anything Protocol.
set -eu

src=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=tests/tap.sh
. "$src/tests/tap.sh"
mapsim=$(realpath "${MAPSIM:-$src/build/mapsim}")
kills=${1:-30}
seed=${2:-$((RANDOM * 32768 + RANDOM))}
tmp=$(mktemp -d "${TMPDIR:-/tmp}/mapsim-killed.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT TERM
cd "$tmp"

# 60 runs of some milliseconds each; every row has fields with commas and quotes around them.
sweep() {
	exec "$mapsim" sweep -q -j 2 -m max_entries=300 -c 2 --vary nr_scans=1..20 \
		--vary max_entries=200,0,300 --resume "$1" gen:zipf,count=20000,range=2000
}

echo "# seed $seed"
RANDOM=$((seed % 32768))
(sweep whole 2>/dev/null) || true
report "the unbroken run has all rows" "$([ "$(wc -l <whole)" = 61 ] || wc -l whole)"
broken=0
complaints=
for ((i = 0; i < kills; i++)); do
	(sweep part 2>"said") &
	# Up to 0.13 seconds, now and then hardly any, so that the beginning is met, too.
	sleep "0.$(printf '%04d' $((RANDOM % (i % 3 ? 1300 : 60))))"
	kill -9 $! 2>/dev/null || true
	{ wait $! || true; } 2>/dev/null
	[ -e part ] || continue
	# At any moment: the beginning of the whole.
	if ! cmp -s -n "$(stat -c %s part)" part whole; then
		complaints+="after kill $i it is not the beginning of the unbroken run's"$'\n'
		break
	fi
	if ! cmp -s part whole; then
		broken=$((broken + 1))
	elif [ $((i % 2)) = 1 ]; then
		rm part part.experiment
	fi
done
report "what a kill leaves is the beginning of the whole ($broken of $kills ended early)" "$complaints"
status=0
(sweep part 2>/dev/null) || status=$?
report "the same bytes in the end" "$(cmp part whole 2>&1)"
report "the same status: some rows have an error" "$([ $status = 1 ] || echo "status $status")"
finish
