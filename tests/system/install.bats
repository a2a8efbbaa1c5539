# make install and uninstall, and a program built against what is installed.

load helper

@test "installed commands run from their prefix" {
	[ "$(command -v ctx-prune)" = "$PREFIX/bin/ctx-prune" ]
	for command in "$PREFIX"/bin/ctx-*; do
		run -0 "$command" --version
		[ "$output" = "$("$B/${command##*/}" -V)" ]
	done
	ctx-prune -b 20k "$agent" > installed
	"$B/ctx-prune" -b 20k "$agent" > built
	cmp installed built
}

@test "the shared library exports exactly what ctx.h declares" {
	nm -D --defined-only "$PREFIX/lib/libctx.so" | awk '{ print $3 }' |
		sed 's/@.*//' | sort > shown
	sed -n -e "/^typedef/d; s/^[a-z].*[ *]\\(ctx_[a-z0-9_]*\\)(.*/\\1/p" \
	    -e "s/^extern .*[ *]\\(ctx_[a-z0-9_]*\\)[[;].*/\\1/p" \
	    "$PREFIX/include/ctx.h" | sort > declared
	[ -s declared ]
	diff declared shown
	readelf -d "$PREFIX/lib/libctx.so" | grep -q 'SONAME.*libctx\.so\.[0-9]*\]'
}

@test "installed binaries are hardened" {
	for file in "$PREFIX"/bin/ctx-* "$PREFIX/lib/libctx.so"; do
		readelf -hldW "$file" > parts
		grep -q 'Type: *DYN' parts
		grep -q 'GNU_RELRO' parts
		grep -q 'BIND_NOW' parts
		grep -q 'GNU_STACK.* RW  *0x' parts
		nm -D "$file" > names
		grep -q '__stack_chk_fail' names
	done
	grep -q '__memcpy_chk\|__fprintf_chk\|__snprintf_chk' names
}

@test "a program builds and runs with pkg-config, shared and static" {
	export PKG_CONFIG_PATH=$PREFIX/lib/pkgconfig
	[ "$(pkg-config --modversion libctx)" = \
	    "$(ctx-count -V | sed -n '1s/.* //p')" ]
	# shellcheck disable=SC2046 # words are wanted
	${CC:-cc} -std=c11 -Wall -Wextra -Werror -o shared \
	    "$BATS_TEST_DIRNAME/consumer.c" \
	    $(pkg-config --cflags --libs libctx) -Wl,-rpath,"$PREFIX/lib"
	# shellcheck disable=SC2046
	${CC:-cc} -std=c11 -Wall -Wextra -Werror -o static \
	    "$BATS_TEST_DIRNAME/consumer.c" $(pkg-config --cflags libctx) \
	    "$PREFIX/lib/libctx.a" \
	    $(pkg-config --static --libs libctx | sed 's/-lctx//')
	for program in ./shared ./static; do
		$program < "$chat" > out 2> err
		[ "$(cat err)" = "2 tokens" ]
		ctx-prune -e o200k_base -b 2000 "$chat" | cmp - out
	done
	ldd shared | grep -q 'libctx\.so'
	run ! grep -q 'libctx\.so' <(ldd static)
}

@test "manual pages and completions are installed where they are searched" {
	for page in "$ROOT"/man/*.[0-9]; do
		page=${page##*/}
		cmp "$ROOT/man/$page" \
		    "$PREFIX/share/man/man${page##*.}/$page"
	done
	man -M "$PREFIX/share/man" -w ctx-strategy
	for command in "$PREFIX"/bin/ctx-*; do
		command=${command##*/}
		[ -f "$PREFIX/share/bash-completion/completions/$command" ]
		[ -f "$PREFIX/share/fish/vendor_completions.d/$command.fish" ]
	done
	[ -f "$PREFIX/share/zsh/site-functions/_ctx" ]
}

@test "DESTDIR stages an installation, and uninstall leaves nothing" {
	make -s -C "$ROOT" TREE="${B##*/}" DESTDIR="$PWD/stage" \
	    PREFIX=/opt/ctx install > log
	"$PWD/stage/opt/ctx/bin/ctx-count" "$chat"
	grep -qx 'prefix=/opt/ctx' stage/opt/ctx/lib/pkgconfig/libctx.pc
	make -s -C "$ROOT" TREE="${B##*/}" DESTDIR="$PWD/stage" \
	    PREFIX=/opt/ctx uninstall > log
	[ -z "$(find stage ! -type d)" ]
}

@test "the manual pages become web pages" {
	make -s -C "$ROOT" TREE="${B##*/}" html > log
	for page in "$ROOT"/man/*.[0-9]; do
		grep -q '</html>' "$B/html/${page##*/}.html"
	done
}

@test "man-db shows every manual page at 80 columns without a warning" {
	make -s -C "$ROOT" TREE="${B##*/}" "build/${B##*/}/man/libctx.3"
	for page in "$ROOT"/man/*.[0-9] "$B/man/libctx.3"; do
		# Not LC_ALL=C: some pages show the character U+2026, which ASCII lacks.
		LC_ALL=C.UTF-8 MANWIDTH=80 man --warnings=w -l "$page" > shown 2> warnings
		[ ! -s warnings ] || fail "$page: $(cat warnings)"
		grep -q '^NAME' shown
	done
}

@test "make dist contains the files of git, and builds" {
	make -s -C "$ROOT" dist
	tar -xzf "$ROOT"/build/ctx-?.?.?.tar.gz
	cd ctx-*/
	make -s -j2 > log 2>&1 || { tail log >&2; return 1; }
	build/release/ctx-count "$chat"
}
