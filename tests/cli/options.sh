#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The program, its manual pages, its completion and README.md have to tell of the same commands,
# options, settings and fields.
#
# $MAPSIM names the program under test (default: build/mapsim of the source tree), $srcdir the top of
# the source tree. Prints lines of the Test Anything Protocol. Exit 0: all agree; 1: some do not; 2:
# no program.
#
# What is read: "--help" of mapsim and of every command; man/mapsim.1, which has what commands share,
# and man/mapsim-COMMAND.1, where an option is described by ".It Fl x , Fl -name" and Va marks
# tunables and fields alone; what _mapsim of tools/mapsim.bash-completion answers.
set -eu

src=$(cd "${srcdir:-$(dirname "${BASH_SOURCE[0]}")/../..}" && pwd)
# shellcheck source=tests/tap.sh
. "$src/tests/tap.sh"
mapsim=${MAPSIM:-$src/build/mapsim}
man=$src/man
completion=$src/tools/mapsim.bash-completion
export LC_ALL=C

if [ ! -x "$mapsim" ]; then
	echo "$mapsim: no such program: build it, or set MAPSIM" >&2
	exit 2
fi
tmp=$(mktemp -d "${TMPDIR:-/tmp}/mapsim-options.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT TERM
mkdir "$tmp/bin"
ln -s "$(realpath "$mapsim")" "$tmp/bin/mapsim"
export PATH="$tmp/bin:$PATH"

# Each word of the first list, a word a line, has to be in the second; says those that are not.
lacking() {
	sed '/^$/d' <<<"$1" | grep -vxF -f <(sed '/^$/d' <<<"$2") | sed "s/\$/: $3/" || true
}

# same TITLE NAME LIST NAME LIST: both lists have the same words.
same() {
	report "$1" "$(lacking "$3" "$5" "in $2, not in $4" && lacking "$5" "$3" "in $4, not in $2")"
}

# The help of a command ("": of mapsim), and its options: "-m --map MAP", a line each.
help_of() {
	mapsim ${1:+"$1"} --help
}

options_of() {
	help_of "$1" | sed -n '/^options:/,/^$/s/^  \(-.\)\{0,1\},\{0,1\} *\(--[a-z][a-z-]*\)\( [A-Z][^ ]*\)\{0,1\}.*/\1 \2\3/p' |
		sed 's/^ //'
}

# The dashed words of such lines.
dashed() {
	tr ' ' '\n' | grep -x -e '-.' -e '--[a-z-]*' | sort -u || true
}

# What stands in the man pages behind a macro, a word a line; or in those named behind it.
man_words() {
	local macro=$1

	shift
	[ $# -gt 0 ] || set -- "$man"/mapsim*.1
	grep -h '^\.[A-Z]' "$@" | grep -oE "\\b$macro [^ ]+" | sed "s/^$macro //" | sort -u
}

# The page of a command ("": of mapsim).
page_of() {
	echo "$man/mapsim${1:+-$1}.1"
}

# The options that a command has in the synopsis; with their letters where they have one.
synopsis_of() {
	awk -v command="$1" '
		/^\.Sh / { in_synopsis = $2 == "SYNOPSIS" }
		in_synopsis && /^\.Nm/ { getline; mine = $0 == ".Cm " command }
		in_synopsis && mine && /^\.Op Fl / { print "-" $3 }' "$(page_of "$1")" | sort -u
}

# The options that pages describe: "-m --map ARGUMENT", a line each.
described_in() {
	sed -nE 's/^\.It (Fl (.) , )?Fl -([a-z-]+)( (Ar|Cm) .*)?$/-\2 --\3\4/p' "$@" |
		sed -E 's/^- //; s/ (Ar|Cm) .*/ ARGUMENT/' | sort -u
}

# What the completion offers behind a line.
completed() (
	set +eu
	# shellcheck source=/dev/null
	. "$completion"
	cd "$tmp" || exit
	COMP_LINE=$1
	COMP_POINT=${#COMP_LINE}
	COMPREPLY=()
	_mapsim
	printf '%s\n' "${COMPREPLY[@]}"
)

# values_taken LINE BEFORE ARGUMENT...: mapsim has to take what is completed behind the line, put
# after BEFORE as its last argument. Words that want to go on are left out; what this machine lacks
# (77: the running kernel may be out of reach) is taken.
values_taken() {
	local value status tried=0 complaints=

	while IFS= read -r value; do
		[[ -n $value && $value != *[=:] ]] || continue
		tried=$((tried + 1))
		status=0
		mapsim "${@:3}" "$2$value" >/dev/null 2>"$tmp/err" || status=$?
		[ "$status" = 0 ] || [ "$status" = 77 ] ||
			complaints+="$value: $(head -n 1 "$tmp/err")"$'\n'
	done < <(completed "$1")
	[ "$tried" -gt 0 ] || complaints="nothing is completed"
	report "values are taken: ${1#mapsim }" "$complaints"
}

if ! bash -n "$completion" 2>"$tmp/err"; then
	report "the completion is bash" "$(cat "$tmp/err")"
	finish
fi
commands=$(help_of '' | sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
report "there are commands" "$([ -n "$commands" ] || echo "none in mapsim --help")"

# Commands

same "commands have man pages" "mapsim --help" "$commands" "the man pages" \
	"$(cd "$man" && printf '%s\n' mapsim-*.1 | sed 's/^mapsim-//; s/\.1$//')"
report "help names the man pages" "$(for command in '' $commands; do
	help_of "$command" | grep -qE "man mapsim${command:+-$command}[,. ]" || echo "mapsim $command"
done)"
same "commands are described in mapsim.1" "mapsim --help" "$commands" "DESCRIPTION" \
	"$(sed -n '/^\.Sh DESCRIPTION/,/^\.S[hs] O/s/^\.It Cm \([a-z]*\).*/\1/p' "$(page_of '')" |
		grep -vx help)"
same "commands are completed" "mapsim --help" "$commands" "completion" \
	"$(completed 'mapsim ' | grep -vx help)"
report "commands are in README.md" "$(for command in $commands; do
	grep -qE "mapsim $command( |\$|\`)" "$src/README.md" || echo "mapsim $command"
done)"

# Options

: >"$tmp/options"
for command in '' $commands; do
	options=$(options_of "$command")
	title=mapsim${command:+ $command}
	report "$title has options" "$(grep -q -e '--help' <<<"$options" || echo "none in --help")"
	printf '%s\n' "$options" >>"$tmp/options"
	sed -E 's/ [A-Z].*$/ ARGUMENT/' <<<"$options" | sort -u >"$tmp/options-${command:-mapsim}"
	same "options are completed: $title" "--help" "$(dashed <<<"$options")" "completion" \
		"$(completed "$title -" | sort)"
	[ -n "$command" ] || continue
	# The synopsis has the letter where there is one.
	same "options are in the synopsis: $title" "--help" "$(cut -d ' ' -f 1 <<<"$options")" \
		"SYNOPSIS" "$(synopsis_of "$command")"
	mine=$(described_in "$(page_of "$command")")
	shared=$(described_in "$(page_of '')")
	report "options are described: $title" "$(
		lacking "$(cat "$tmp/options-$command")" "$mine"$'\n'"$shared" "not in the man pages"
		lacking "$mine" "$(cat "$tmp/options-$command")" "not in --help"
	)"
done
sort -u "$tmp/options" >"$tmp/all-options"

# What several commands have stands in mapsim.1, and what one has in its page.
shared=$(cat "$tmp"/options-* | sort | uniq -d)
same "options of several commands are described in mapsim.1" "--help" \
	"$shared"$'\n'"$(cat "$tmp/options-mapsim")" "the man page" "$(described_in "$(page_of '')")"
report "options named in the man pages exist" "$(lacking "$(man_words Fl | sed 's/^/-/')" \
	"$(dashed <"$tmp/all-options")" "not in any --help")"
report "options that take an argument are completed as such" "$(
	set +eu
	# shellcheck source=/dev/null
	. "$completion"
	for command in $commands; do
		while read -r line; do
			for word in $(dashed <<<"$line"); do
				if _mapsim_takes_argument "$word" "$command"; then
					[[ $line == *' '[[:upper:]]* ]] || echo "$command: $word takes none"
				else
					[[ $line != *' '[[:upper:]]* ]] || echo "$command: $word takes one"
				fi
			done
		done <"$tmp/options-$command"
	done
)"

# Settings and fields

tunables=$(mapsim tunables -o csv | sed '1d; s/,.*//')
replay=(replay -q -o csv -c 2 -m max_entries=8)
fields=$(mapsim "${replay[@]}" gen:scan,count=9 | sed -n '1s/,/\n/gp')
per_cpu=$(mapsim "${replay[@]}" --per-cpu gen:scan,count=9 | sed -n '1s/,/\n/gp')
output=$(sed -n '/^\.Sh OUTPUT/,/^\.Sh RES/p' "$(page_of replay)" | sed -n 's/^\.It Va //p' | sed 's/ , Va /\n/g')
# Each with its error under the same name, which need not be told again.
info=$(mapsim trace info -o csv gen:scan,count=9 | sed -n '1s/,/\n/gp' | sed 's/_error$//' | sort -u)
same "fields of trace info are in the man page" "trace info -o csv" "$info" "WHAT INFO TELLS" \
	"$(sed -n '/^\.Sh WHAT INFO/,/^\.Sh EXIT/s/^\.It Li //p' "$(page_of trace)" |
		sed 's/ , /\n/g' | sed 's/_error$//' | sort -u)"
verify=$(for run in "-m max_entries=8 gen:scan,count=9" "--fuzz 9 --cases 1"; do
	# shellcheck disable=SC2086
	mapsim verify -q --against seq -k 6.18 -c 2 -o csv $run | sed -n '1s/,/\n/gp'
done
mapsim verify -q --against seq -k 7.3 --concurrent -c 1 -o csv -m max_entries=9 gen:scan,count=9 2>/dev/null |
	sed -n '1s/,/\n/gp'
mapsim verify -q --torture 9 --operations 1 -c 2 -s lock=map -s alloc=freelist -o csv 2>/dev/null |
	sed -n '1s/,/\n/gp')
verify=$(sort -u <<<"$verify")
bench=$(mapsim bench -q -o csv --per-cpu -w lookup --repeat 1 --operations 9 | sed -n '1s/,/\n/gp')
fold=$(mapsim fold -o csv --items 2 -c 2 --tables 2 --repeat 1 | sed -n '1s/,/\n/gp')
same "fields of fold are in the man page" "fold -o csv" "$fold" "OUTPUT" \
	"$(sed -n '/^\.Sh OUTPUT/,/^\.Sh EXIT/s/^\.It Li //p' "$(page_of fold)" | sed 's/ , /\n/g')"
orders=$(help_of fold | sed -n '/^orders:/,/^$/s/^  \([a-z]*\)  *[^ ].*/\1/p')
same "orders are in the man page" "fold --help" "$orders" "the man page" \
	"$(sed -n '/^\.Sh ORDERS/,/^\.Sh OUTPUT/s/^\.It Cm //p' "$(page_of fold)")"
same "orders are completed" "fold --help" "$orders"$'\nall' "completion" \
	"$(completed 'mapsim fold --order ')"
report "there are tunables and fields" \
	"$([ -n "$tunables" ] && [ -n "$fields" ] && [ -n "$per_cpu" ] || echo "none")"
same "fields of a result are in mapsim-replay.1" "replay -o csv" "$fields" "OUTPUT" "$output"
report "fields of a CPU are in mapsim-replay.1" \
	"$(lacking "$per_cpu" "$(man_words Va "$(page_of replay)")" "not in the man page")"
report "fields of a comparison are in the man pages" \
	"$(lacking "$verify" "$(man_words Va "$(page_of replay)" "$(page_of verify)")" "not there")"
report "fields of a benchmark are in the man pages" \
	"$(lacking "$bench" "$(man_words Va "$(page_of replay)" "$(page_of bench)")" "not there")"
report "tunables and fields named in the man pages exist" "$(lacking "$(man_words Va)" \
	"$tunables"$'\n'"$per_cpu"$'\n'"$verify"$'\n'"$bench"$'\nper_cpu\npairs\ncounts\nerror' \
	"no tunable or field")"
report "tunables described in the man page exist" "$(lacking \
	"$(sed -n '/^\.Sh TUNABLES/,/^\.Sh EXIT/s/^\.It Va //p' "$(page_of tunables)")" "$tunables" "no tunable")"
same "tunables are completed" "mapsim tunables" "$tunables" "completion" \
	"$(completed 'mapsim replay -s ' | tr -d =)"
same "columns are completed" "sweep -o csv" "$fields"$'\nerror' "completion" \
	"$(completed 'mapsim sweep --columns ')"

same "columns are completed with a workload" "bench -o csv" \
	"$(grep -vx cpu <<<"$bench")"$'\nerror' "completion" \
	"$(completed 'mapsim sweep -w lookup --columns ')"
workloads=$(help_of bench | sed -n '/^workloads/,/^$/s/^  \([a-z][a-z-]*\)  *[^ ].*/\1/p')
report "there are workloads" "$([ -n "$workloads" ] || echo "none")"
same "workloads are in the man page" "bench --help" "$workloads" "the man page" \
	"$(sed -n '/^\.Sh WORKLOADS/,/^\.Sh OUTPUT/s/^\.It Cm //p' "$(page_of bench)")"
same "workloads are completed" "bench --help" "$workloads" "completion" \
	"$(completed 'mapsim bench -w ')"
values_taken 'mapsim sweep --vary --workload=f' workload= sweep -q --operations 9 --vary

# Traces

kinds=$(help_of trace | sed -n '/^gen: kinds/,$s/^  \([a-z][a-z-]*\)  *[^ ].*/\1/p')
formats=$(help_of trace | sed -n '/^formats /,/^$/s/^  \([a-z][a-z-]*\)  *[^ ].*/\1/p')
report "there are kinds and formats" "$([ -n "$kinds" ] && [ -n "$formats" ] || echo "none")"
same "kinds of generators are in the man page" "trace --help" "$kinds" "the man page" \
	"$(sed -n '/^\.Ss Generators/,/^\.Sh/s/^\.It Cm //p' "$(page_of trace)")"
same "kinds of generators are completed" "trace --help" "$kinds" "completion" \
	"$(completed 'mapsim trace gen ')"
for kind in $kinds; do
	parameters=$(help_of trace | awk -v kind="$kind" '
		/^gen: kinds/ { in_kinds = 1 }
		/^  [a-z]/ { mine = $1 == kind }
		in_kinds && mine' | grep -oE '\b[a-z]+=' | sort)
	same "parameters are completed: $kind" "trace --help" "$parameters" "completion" \
		"$(completed "mapsim trace gen $kind," | sed 's/.*,//' | sort)"
	report "parameters are in the man page: $kind" "$(for name in $parameters; do
		sed -n '/^\.Ss Generators/,/^\.Sh/p' "$(page_of trace)" |
			grep -qE "Cm ([a-z]+ , )*${name%=}( |\$)" || echo "$name"
	done)"
done
report "formats are in the man page" "$(for format in $formats; do
	grep -qE "Cm $format( |\$)" "$(page_of trace)" || echo "$format"
done)"
same "formats are completed" "trace --help" "$formats" "completion" \
	"$(completed 'mapsim trace --to ')"
letters=$(printf '0 ? 1\n' | mapsim trace head text:- 2>&1 |
	sed -n 's/.*one of \([A-Z]*\) .*/\1/p' | fold -w 1)
same "codes of operations are in the man page" "native text" "$letters" "the man page" \
	"$(sed -nE 's/^\.It Cm ([A-Z]) [a-z] Ta .*/\1/p' "$(page_of trace)")"

# What is completed behind options is what they take.
scan=gen:scan,count=9
values_taken 'mapsim replay -e ' '' replay -q -m max_entries=8 "$scan" -e
values_taken 'mapsim replay -k ' '' replay -q -m type=hash,max_entries=8 "$scan" -k
values_taken 'mapsim replay -p ' '' replay -q -m max_entries=8 "$scan" -p
values_taken 'mapsim replay --spread ' '' replay -q -m max_entries=8 "$scan" --spread
values_taken 'mapsim replay -o ' '' replay -q -m max_entries=8 "$scan" -o
values_taken 'mapsim replay -m type=' type= replay -q -m max_entries=8 "$scan" -m
values_taken 'mapsim replay -m flags=no_c' flags= replay -q -m max_entries=8 "$scan" -m
values_taken 'mapsim replay -m flags=no_p' flags= replay -q -m type=hash,max_entries=8 "$scan" -m
values_taken 'mapsim sweep --vary --kernel=6' kernel= sweep -q -m max_entries=8 "$scan" --vary
for tunable in lock alloc rotation free_target_rule populate count; do
	values_taken "mapsim replay -s $tunable=" "$tunable=" replay -q -m type=hash,max_entries=8 \
		"$scan" -s
done

finish
