#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The library as its users have it: installed into a temporary folder, found by pkg-config, shared
# and static, from C and C++; what names it has; and a test written for libbpf, run on it and, where
# BPF may be used, in the kernel, which have to agree.
#
# Run in the build directory. $MAKE, $CC, $CXX, $SANITIZE_CFLAGS, $NM and $PKG_CONFIG are what to
# use. Prints lines of the Test Anything Protocol.
set -eu

src=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=tests/tap.sh
. "$src/tests/tap.sh"
read -r -a cc <<<"${CC:-gcc} ${SANITIZE_CFLAGS-}"
read -r -a cxx <<<"${CXX:-g++} ${SANITIZE_CFLAGS-}"
read -r -a nm <<<"${NM:-nm}"
export LC_ALL=C
unset MAKEFLAGS MFLAGS MAKELEVEL DESTDIR

tmp=$(mktemp -d "${TMPDIR:-/tmp}/mapsim-lib.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT TERM

# passes TITLE COMMAND...: what it says, when it fails, or says something to standard error.
passes() {
	local title=$1 code=0

	shift
	"$@" >"$tmp/out" 2>"$tmp/err" || code=$?
	report "$title" "$(
		[ "$code" = 0 ] || echo "exit $code of $*"
		cat "$tmp/err"
	)"
}

if ! "${MAKE:-make}" install DESTDIR="$tmp/dest" >"$tmp/log" 2>&1; then
	report "make install" "$(tail -n 20 "$tmp/log")"
	finish
fi
pc=$(find "$tmp/dest" -name mapsim.pc)
libdir=$(find "$tmp/dest" \( -name 'libmapsim.so' -o -name libmapsim.a \) -printf '%h\n' | head -n 1)
report "make install" "$(if [ -z "$pc" ] || [ -z "$libdir" ]; then cat "$tmp/log"; fi)"

# What pkg-config says of the installed tree, in the array flags.
export PKG_CONFIG_PATH=${pc%/*}${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}
export PKG_CONFIG_SYSROOT_DIR=$tmp/dest
export PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1 PKG_CONFIG_ALLOW_SYSTEM_LIBS=1
flags_of() {
	read -r -a flags <<<"$("${PKG_CONFIG:-pkg-config}" "$@" mapsim)"
}

# The header

flags_of --cflags
cat >"$tmp/use.c" <<'END'
#include <mapsim/mapsim.h>
int main(void)
{
	return mapsim_version() == 0;
}
END
cp "$tmp/use.c" "$tmp/use.cc"
for standard in c89 c99 c11; do
	passes "the header is $standard" "${cc[@]}" "-std=$standard" -pedantic -Wall -Wextra \
		-Werror "${flags[@]}" -c "$tmp/use.c" -o "$tmp/use.o"
done
if command -v "${cxx[0]}" >/dev/null; then
	for standard in c++98 c++17; do
		passes "the header is $standard" "${cxx[@]}" "-std=$standard" -pedantic -Wall -Wextra \
			-Werror "${flags[@]}" -c "$tmp/use.cc" -o "$tmp/use.o"
	done
else
	skip "the header is C++" "there is no ${cxx[0]}: apt install g++"
fi

# Names

# The functions that the header declares.
declared=$(sed '/^typedef/d; /^ \*/d' "$src/include/mapsim/mapsim.h" | grep -oE '\bmapsim_[a-z_]+\(' |
	tr -d '(' | sort -u)

# names_of TITLE NM-ARGUMENT...: what a library shows has to be what the header declares. What
# compilers' sanitizers add is not ours.
names_of() {
	local title=$1

	shift
	"${nm[@]}" -P --defined-only "$@" | awk '$2 ~ /^[A-Z]$/ && $2 != "A" { print $1 }' |
		sed 's/@.*//' | grep -vE '^__(odr_)?asan|^__start_|^__stop_' | sort -u >"$tmp/names" || true
	report "$title" "$(diff <(echo "$declared") "$tmp/names" | grep '^[<>]' |
		sed 's/^</only declared:/; s/^>/only defined:/' || true)"
}

if [ -e "$libdir/libmapsim.so" ]; then
	names_of "names of the shared library" -D "$libdir/libmapsim.so"
	report "the shared library has a version" "$(
		[ "$(basename "$(readlink -f "$libdir/libmapsim.so.0")")" = libmapsim.so.0.0.0 ] ||
			ls "$libdir"
	)"
else
	skip "names of the shared library" "it is not built"
fi
if [ ! -e "$libdir/libmapsim.a" ]; then
	skip "names of the static library" "it is not built"
elif [ "$("${nm[@]}" -P "$libdir/libmapsim.a" | grep -c ':$')" -gt 1 ]; then
	skip "names of the static library" "objcopy cannot hide what is inside"
else
	names_of "names of the static library" -g "$libdir/libmapsim.a"
fi

# Programs

# program KIND COMPILER SOURCE [FLAG...]: compiles and links $tmp/program; with the static library
# when KIND is static, which is then alone in its folder.
program() {
	local kind=$1 compiler=$2 source=$3
	local -n command=$compiler

	shift 3
	if [ "$kind" = static ]; then
		mkdir -p "$tmp/static"
		cp "$libdir/libmapsim.a" "$tmp/static"
		flags_of --static --cflags --libs
		flags=("-L$tmp/static" "${flags[@]}")
	else
		flags_of --cflags --libs
	fi
	"${command[@]}" -D_GNU_SOURCE -Wall -Wextra -g "$@" "$source" "${flags[@]}" -o "$tmp/program"
}

run() {
	LD_LIBRARY_PATH=$libdir${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} "$@"
}

# example KIND COMPILER NAME FIRST-LINE
example() {
	local title="examples/lib/$3, $1 library" file=libmapsim.so

	[ "$1" = shared ] || file=libmapsim.a
	if [ ! -e "$libdir/$file" ]; then
		skip "$title" "it is not built"
	elif ! program "$1" "$2" "$src/examples/lib/$3" >"$tmp/log" 2>&1; then
		report "$title" "$(cat "$tmp/log")"
	elif ! run "$tmp/program" >"$tmp/out" 2>&1; then
		report "$title" "$(cat "$tmp/out")"
	else
		report "$title" "$(sort "$tmp/out" | grep -qxF "$4" || cat "$tmp/out")"
	fi
}

for kind in shared static; do
	example "$kind" cc evictions.c "6.16: 2176 inserted, 64 evicted, 2112 of 4096 left"
	if command -v "${cxx[0]}" >/dev/null; then
		example "$kind" cxx packets.cc "port 80: 666 packets"
	else
		skip "examples/lib/packets.cc, $kind library" "there is no ${cxx[0]}: apt install g++"
	fi
done

# A test for libbpf

kind=shared
[ -e "$libdir/libmapsim.so" ] || kind=static
if program "$kind" cc "$src/tests/lib/lru_test.c" "-I$src/tests/lib/shim" >"$tmp/log" 2>&1; then
	mv "$tmp/program" "$tmp/shim"
	report "a test for libbpf is compiled with the shim" "$(cat "$tmp/log")"
	for release in 5.15 6.1 6.12 6.18 7.3; do
		SHIM_KERNEL=$release run "$tmp/shim" >"$tmp/out" 2>"$tmp/err" || true
		report "the test passes as kernel $release" \
			"$(grep '^not ok' "$tmp/out" || true
			cat "$tmp/err"
			grep -qx '1\.\.[0-9]*' "$tmp/out" || echo "it does not end")"
	done
else
	report "a test for libbpf is compiled with the shim" "$(cat "$tmp/log")"
fi

# The same in the kernel, which must be one that the model knows.
title="the kernel says the same"
code=0
if ! "${cc[0]}" -D_GNU_SOURCE -Wall -Wextra -g "$src/tests/lib/lru_test.c" -lbpf -o "$tmp/program" \
	>"$tmp/log" 2>&1; then
	skip "$title" "the test is not compiled: apt install libbpf-dev"
elif [ "$(nproc)" -lt 2 ]; then
	skip "$title" "there is one CPU"
else
	"$tmp/program" >"$tmp/kernel" 2>"$tmp/err" || code=$?
	possible=$(sed 's/.*-//' /sys/devices/system/cpu/possible 2>/dev/null) || possible=
	if [ "$code" = 77 ] || [ ! -e "$tmp/shim" ]; then
		skip "$title" "$(head -n 1 "$tmp/err")"
	elif [ -z "$possible" ]; then
		skip "$title" "/sys, which tells the possible CPUs, is not mounted"
	else
		SHIM_KERNEL=host SHIM_CPUS=$((possible + 1)) run "$tmp/shim" >"$tmp/out" 2>&1 || true
		report "$title" "$(
			cat "$tmp/err"
			diff -u --label kernel --label libmapsim "$tmp/kernel" "$tmp/out" || true
		)"
	fi
fi

finish
