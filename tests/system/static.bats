# Fully static commands, with musl.

load helper

setup_file() {
	export ROOT=${BATS_TEST_DIRNAME%/tests/system}
	"$BATS_TEST_DIRNAME/musl" all units > "$BATS_FILE_TMPDIR/log" 2>&1 || {
		tail "$BATS_FILE_TMPDIR/log" >&2
		return 1
	}
}

@test "musl: the commands need no shared library" {
	for command in "$ROOT"/build/musl/ctx-*; do
		[ -x "$command" ] || continue
		run ! ldd "$command"
	done
	file "$ROOT/build/musl/ctx-count" | grep -q 'statically linked'
}

@test "musl: the tests of the commands pass" {
	# bats in bats needs a clean environment.
	env -i PATH="${PATH##*libexec/bats-core:}" HOME="$HOME" B="$ROOT/build/musl" \
	    "$ROOT/tests/run" "$ROOT"/tests/c*.bats > log ||
		{ tail -n 20 log >&2; return 1; }
	grep -q '^[1-9][0-9]* passed, 0 failed' log
}
