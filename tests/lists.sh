#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# A file that Makefile.am does not list is not built, not run and not in the tarball, and nobody
# would notice. Prints lines of the Test Anything Protocol.
set -eu

src=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=tests/tap.sh
. "$src/tests/tap.sh"

# check TITLE FILE...: each is in Makefile.am as a word.
check() {
	local title=$1 file missing=

	shift
	for file in "$@"; do
		[ -e "$file" ] || continue
		grep -qE "(^|[[:space:]])${file//./\\.}([[:space:]]|\$)" Makefile.am ||
			missing+="$file is not in Makefile.am"$'\n'
	done
	report "$title" "${missing%$'\n'}"
}

cd "$src"
shopt -s nullglob globstar
check "sources are listed" {base,include,lib,model,sim,traces,tools}/**/*.[ch]
check "unit tests are listed" tests/unit/*.[ch]
check "fuzzing targets are listed" tests/fuzz/*.[ch]
check "tests of commands are listed" tests/cli/*.test
check "manual pages are listed" man/*.[1-9]
check "examples are listed" examples/*
finish
