# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Lines of the Test Anything Protocol, for scripts that are tests. To be sourced; ends with
#
#   finish    the plan; exits with 1 when a case failed

number=0
failed=0

# report TITLE COMPLAINTS: passed when there are none.
report() {
	number=$((number + 1))
	if [ -z "$2" ]; then
		echo "ok $number - $1"
		return
	fi
	failed=$((failed + 1))
	echo "not ok $number - $1"
	printf '%s\n' "$2" | sed 's/^/# /'
}

# skip TITLE WHY: one case.
skip() {
	number=$((number + 1))
	echo "ok $number - $1 # SKIP $2"
}

# skip_all WHY: no case can run.
skip_all() {
	echo "1..0 # SKIP $1"
	exit 0
}

finish() {
	echo "1..$number"
	[ "$failed" = 0 ]
	exit
}
