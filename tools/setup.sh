# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Builds mapsim in build/, from a checkout or a tarball, on Debian or Ubuntu. What is missing for it
# is installed first, where that can be done. To be sourced by a script that then calls
#
#   setup_build FOR    FOR "check": with what the tests need; anything else: without
#
# Says in a line each what it does; what the tools say goes to build/setup.log. Exits with 1 and
# says why when it can't.

setup_top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
setup_log=$setup_top/build/setup.log

setup_die() {
	printf '%s\n' "$@" >&2
	exit 1
}

# Runs a command into the log; when it fails, shows what it said and exits.
setup_run() {
	local said

	said=$(wc -c <"$setup_log")
	printf '$ %s\n' "$*" >>"$setup_log"
	"$@" >>"$setup_log" 2>&1 </dev/null && return
	tail -c "+$((said + 1))" "$setup_log" | tail -n 30 >&2
	setup_die "failed: $* (all it said is in $setup_log)"
}

setup_has_command() {
	command -v "$1" >/dev/null 2>&1
}

setup_has_library() {
	pkg-config --exists "$1" 2>/dev/null && return
	setup_has_command dpkg && dpkg -s "$2" 2>/dev/null | grep -q '^Status: .* installed$'
}

# Prints the packages that are missing, one a line.
setup_missing() {
	local compiler=${CC:-gcc}

	setup_has_command "${compiler%% *}" || echo gcc
	[ -e /usr/include/stdio.h ] || echo libc6-dev
	setup_has_command make || echo make
	setup_has_command autoreconf || echo autoconf
	setup_has_command automake || echo automake
	setup_has_command libtoolize || echo libtool
	setup_has_command pkg-config || echo pkg-config
	setup_has_library libbsd libbsd-dev || echo libbsd-dev
	setup_has_library libxxhash libxxhash-dev || echo libxxhash-dev
	setup_has_library libzstd libzstd-dev || echo libzstd-dev
	setup_has_library json-c libjson-c-dev || echo libjson-c-dev
	setup_has_library smartcols libsmartcols-dev || echo libsmartcols-dev
	setup_has_library numa libnuma-dev || echo libnuma-dev
	setup_has_library hwloc libhwloc-dev || echo libhwloc-dev
	setup_has_library liburcu-qsbr liburcu-dev || echo liburcu-dev
	setup_has_library inih libinih-dev || echo libinih-dev
	if [ "$1" = check ]; then
		setup_has_library cunit libcunit1-dev || echo libcunit1-dev
		setup_has_command mandoc || echo mandoc
		setup_has_command g++ || echo g++
		setup_has_command python3 || echo python3
		setup_has_command zstd || echo zstd
		# For -e kernel. Debian's clang takes some 400 MB, so demo does without.
		setup_has_library libbpf libbpf-dev || echo libbpf-dev
		setup_has_command clang || echo clang
	fi
}

# Whether sudo works; on a terminal it may ask for a password.
setup_may_sudo() {
	setup_has_command sudo || return
	if [ -t 0 ]; then sudo -v; else sudo -n true 2>/dev/null; fi
}

# Installs packages.
setup_install() {
	local -a as_root=()
	local advice="apt-get install $*"

	setup_has_command apt-get || setup_die "missing packages, by the names Debian gives them: $*"
	if [ "$(id -u)" != 0 ]; then
		setup_may_sudo || setup_die "missing packages; as root: $advice"
		as_root=(sudo)
	fi
	echo "installing $*"
	as_root+=(env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=120)
	# Old lists may do, where the network is not there.
	"${as_root[@]}" update >>"$setup_log" 2>&1 </dev/null || true
	setup_run "${as_root[@]}" install -y --no-install-recommends "$@"
}

# Whether build/ was configured here, and with all that is wanted now.
setup_is_configured() {
	[ -e Makefile ] && [ -e config.status ] || return
	grep -qxF "abs_top_srcdir = $setup_top" Makefile || return
	[ "$1" != check ] || grep -qF 'S["HAVE_CUNIT_FALSE"]="#"' config.status
}

# Configures build/, with the options it had before.
setup_configure() {
	local -a options=()

	if [ -e config.status ]; then
		eval "options=($(./config.status --config 2>>"$setup_log"))"
	fi
	setup_run ../configure "${options[@]}"
}

setup_build() {
	local missing jobs

	mkdir -p "$setup_top/build"
	cd "$setup_top/build" || exit
	: >"$setup_log"
	missing=$(setup_missing "$1")
	if [ -n "$missing" ]; then
		# shellcheck disable=SC2086 # one word a package
		setup_install $missing
	fi
	echo "building in $setup_top/build"
	if [ ! -e ../configure ] || [ ../configure.ac -nt ../configure ] ||
		[ ../Makefile.am -nt ../Makefile.in ] || [ ! -e ../Makefile.in ]; then
		setup_run autoreconf -i ..
	fi
	if [ -n "$missing" ] || ! setup_is_configured "$1"; then
		setup_configure
	fi
	jobs=$(nproc)
	setup_run make -j "$jobs"
	cd "$setup_top" || exit
}
