# The Debian packages: built, judged, installed, run, purged.

load helper

setup_file() {
	export ROOT=${BATS_TEST_DIRNAME%/tests/system}
	# A package is built with the distribution's own compiler flags.
	env -u CC -u CFLAGS DEB_BUILD_OPTIONS="nocheck parallel=2" \
	    "$BATS_TEST_DIRNAME/deb" > "$BATS_FILE_TMPDIR/log" 2>&1 || {
		tail "$BATS_FILE_TMPDIR/log" >&2
		return 1
	}
}

as_root() {
	if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo -n "$@"; fi
}

teardown_file() {
	if dpkg -s libctx2 > /dev/null 2>&1; then
		as_root dpkg --purge ctx-tools libctx-dev libctx2 ctx-data
	fi
}

@test "deb: lintian accepts the packages" {
	lintian --allow-root --fail-on error,warning --suppress-tags \
	    bogus-mail-host,initial-upload-closes-no-bugs \
	    "$ROOT"/build/deb/*.changes
}

@test "deb: the packages install, run, and leave nothing after removal" {
	as_root dpkg -i "$ROOT"/build/deb/ctx-data_*.deb \
	    "$ROOT"/build/deb/libctx2_*.deb \
	    "$ROOT"/build/deb/ctx-tools_*.deb \
	    "$ROOT"/build/deb/libctx-dev_*.deb > log
	/usr/bin/ctx-prune -b 20k "$agent" > out
	"$B/ctx-prune" -b 20k "$agent" | cmp - out
	man -w ctx-strategy
	cc -std=c11 -o count_tools "$BATS_TEST_DIRNAME/programs/count_tools.c" \
	    -lctx
	./count_tools gpt-4o "$agent" > out
	[ -s out ]
	as_root dpkg --purge ctx-tools libctx-dev libctx2 ctx-data > log
	[ ! -e /usr/bin/ctx-prune ]
	[ ! -e /usr/include/ctx.h ]
	run ! grep -q libctx <(ldconfig -p)
	run ! dpkg -s libctx2
}
