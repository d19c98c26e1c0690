#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The same sources are compiled once per flavour of the model, so that several live in one program.
# That works when each global of a flavour has its prefix, and no source asks which flavour it is.
#
# Run where libmodel_FLAVOUR.a are, or libtool's folder .libs with them, for each FLAVOUR of
# $MODEL_FLAVOURS. Prints lines of the Test Anything Protocol.
set -eu

src=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=tests/tap.sh
. "$src/tests/tap.sh"
read -r -a nm <<<"${NM:-nm}"

# The globals of a library without the prefix; address sanitizers add some of their own.
unprefixed() {
	local library=libmodel_$1.a

	[ -e "$library" ] || library=.libs/$library
	"${nm[@]}" -A -P --defined-only --extern-only "$library" |
		awk -v prefix="$1_" '
			$2 ~ /^__(odr_)?asan/ { next }
			index($2, prefix) != 1 { print $1 " " $2 ": does not begin with " prefix }
			{ symbols++ }
			END { if (!symbols) print "no symbols: is the library there?" }'
}

for flavour in ${MODEL_FLAVOURS-seq check}; do
	report "globals of libmodel_$flavour.a begin with ${flavour}_" "$(unprefixed "$flavour")"
done
report "no source of the model is compiled conditionally" \
	"$(cd "$src" && find model -name '*.c' -exec grep -nHE '^[[:space:]]*#[[:space:]]*(if|elif)' {} +)"
finish
