# Other ways to build: fully static with musl, and without assertions.

load helper

setup_file() {
	export ROOT=${BATS_TEST_DIRNAME%/tests/system}
	"$BATS_TEST_DIRNAME/musl" all units > "$BATS_FILE_TMPDIR/log" 2>&1 || {
		tail "$BATS_FILE_TMPDIR/log" >&2
		return 1
	}
}

# Runs these tests with a build tree; bats in bats needs a clean environment.
tests_pass() { # TREE TEST...
	local tree=$ROOT/build/$1
	shift
	env -i PATH="${PATH##*libexec/bats-core:}" HOME="$HOME" B="$tree" \
	    "$ROOT/tests/run" "$@" > log || { tail -n 20 log >&2; return 1; }
	grep -q '^[1-9][0-9]* passed, 0 failed' log
}

@test "clang builds the library, the commands and the unit programs without a warning" {
	cd "$ROOT"
	run make -j2 CC=clang TREE=clang CFLAGS=-O0 all units
	[ "$status" -eq 0 ] || fail "$(grep -B 1 -A 3 'error:' <<< "$output")"
	build/clang/ctx-count "$ROOT"/tests/sample/chat.jsonl
}

@test "musl: the commands need no shared library" {
	for command in "$ROOT"/build/musl/ctx-*; do
		[ -x "$command" ] || continue
		run ! ldd "$command"
	done
	file "$ROOT/build/musl/ctx-count" | grep -q 'statically linked'
}

@test "musl: the tests of the commands pass" {
	tests_pass musl "$ROOT"/tests/c*.bats
}

@test "musl: a C program counts a session by tool with libctx.a" {
	local deps=$ROOT/build/musl-deps program=$ROOT/tests/system/programs
	mkdir include
	cp "$ROOT/lib/ctx.h" include
	# shellcheck disable=SC2046 # words are wanted
	musl-gcc -std=c11 -Wall -Wextra -Wpedantic -Werror -static -I include \
	    -Wl,--gc-sections -o program "$program/count_tools.c" \
	    "$ROOT/build/musl/libctx.a" \
	    $(PKG_CONFIG_LIBDIR=$deps/lib/pkgconfig pkg-config --static --libs \
	    jansson libpcre2-8 libmd) -lm -pthread
	file program | grep -q 'statically linked'
	ctx-count -m gpt-4o --per message --json "$agent" |
		jq -rs 'group_by(.tool // "")[] | [(.[0].tool // "" |
		    if . == "" then "-" else . end), length,
		    (map(.tokens) | add)] | @tsv' | sort > expected
	[ "$(wc -l < expected)" -gt 5 ]
	./program gpt-4o "$agent" | sort | diff expected -
}

@test "make dist-static: an archive with one program that is every command" {
	local command
	make -s -C "$ROOT" dist-static > log 2>&1 || fail "$(tail log)"
	tar -xzf "$ROOT"/build/ctx-*-static.tar.gz
	cd ctx-*-static
	run ! ldd bin/ctx
	for command in "$B"/ctx-*; do
		[ -x "$command" ] || continue
		cmp <("bin/${command##*/}" --help) <("$command" --help)
		[ -f "share/man/man1/${command##*/}.1" ]
	done
	cmp <(bin/ctx prune -b 16k -m gpt-4o < "$agent") \
	    <("$B/ctx-prune" -b 16k -m gpt-4o < "$agent")
	[ -f LICENSE ] && [ -f share/zsh/site-functions/_ctx ]
	[ ! -e share/man/man3 ]
	# Everything that the program contains has its licence beside it.
	for name in jansson pcre2 libmd musl data; do
		grep -qi 'copyright' "licenses/$name"
	done
}
