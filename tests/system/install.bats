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

# Prints the functions that the header declares.
declared() {
	sed -n 's/^CTX_API .*[ *]\(ctx_[a-z0-9_]*\)(.*/\1/p' \
	    "$PREFIX/include/ctx.h" | sort | grep .
}

@test "the shared library exports exactly what ctx.h declares" {
	nm -D --defined-only "$PREFIX/lib/libctx.so" | awk '{ print $3 }' |
		sed 's/@.*//' | sort > shown
	declared > names
	diff names shown
	readelf -d "$PREFIX/lib/libctx.so" |
		grep -q "SONAME.*libctx\.so\.$(abi)\]"
}

# Prints the number of the binary interface that the header declares.
abi() {
	sed -n 's/^#define CTX_ABI *//p' "$PREFIX/include/ctx.h"
}

# Prints the members of structs in a recorded interface: struct, member, offset,
# size of the struct, in bits.
members() { # FILE
	awk -v quote="'" 'function attribute(name) {
			if (!match($0, name "=" quote "[^" quote "]*"))
				return ""
			return substr($0, RSTART + length(name) + 2,
			    RLENGTH - length(name) - 2)
		}
		/<class-decl / {
			struct = attribute(" name")
			size = attribute(" size-in-bits")
		}
		/<data-member / { offset = attribute("offset-in-bits") }
		/<var-decl / && offset != "" {
			print struct, attribute(" name"), offset, size
			offset = ""
		}' "$1"
}

# Prints the members that the interface AFTER has inside of a struct of BEFORE.
padded() { # BEFORE AFTER
	members "$1" > old
	members "$2" > new
	[ -s old ] && awk 'NR == FNR { had[$1, $2]; size[$1] = $4; next }
		$1 in size && !(($1, $2) in had) && $3 < size[$1]' old new
}

@test "a member that is added in padding is found" {
	record() { # MEMBERS
		echo "struct s { unsigned long size; $1 }; int f(struct s *s) { return s != 0; }" |
			${CC:-cc} -g -shared -fPIC -x c -o lib.so -
		abidw --exported-interfaces-only lib.so
	}
	record '_Bool a;' > before
	record '_Bool a; _Bool b;' > inside
	record '_Bool a; unsigned long b;' > appended
	[ "$(padded before inside)" = "s b 72 128" ]
	[ -z "$(padded before appended)" ]
}

# abidiff compares names, types, sizes and offsets, which it reads from debug
# information; libctx.abi has been recorded by the same command.  ABI=write
# records it anew.
@test "the binary interface is the recorded one" {
	local recorded=$BATS_TEST_DIRNAME/libctx.abi
	local root=${BATS_TEST_DIRNAME%/tests/system} library
	library=build/abi/libctx.so.$(abi)
	make -s -C "$root" TREE=abi CFLAGS="-O1 -g" "$library" > log 2>&1 ||
		fail "$(tail log)"
	{
		echo "<!-- CTX_ABI $(abi) -->"
		abidw --exported-interfaces-only --drop-private-types \
		    --headers-dir "$PREFIX/include" --no-show-locs \
		    --no-comp-dir-path --no-corpus-path --no-architecture \
		    "$root/$library"
	} > now
	sed 1d now > now.abi
	if [ "${ABI-}" = write ] && [ ! -e "$recorded" ]; then
		cp now "$recorded"
	fi
	sed 1d "$recorded" > then.abi
	if [ "${ABI-}" = write ]; then
		# Bit 8: programs that were compiled before would break.
		abidiff then.abi now.abi > changes || [ $(($? & 8)) -eq 0 ] ||
			! grep -q "CTX_ABI $(abi) " "$recorded" ||
			fail "raise CTX_ABI first: $(cat changes)"
		padded then.abi now.abi > changes
		[ ! -s changes ] || fail "in padding: $(cat changes)"
		cp now "$recorded"
		cp now.abi then.abi
	fi
	grep -q "CTX_ABI $(abi) " "$recorded"
	abidiff then.abi now.abi > changes || fail "$(cat changes)"
}

@test "installed binaries are hardened" {
	for file in "$PREFIX"/bin/ctx-* "$PREFIX"/lib/ctx/*.so \
	    "$PREFIX/lib/libctx.so"; do
		readelf -hldW "$file" > parts
		grep -q 'Type: *DYN' parts
		grep -q 'GNU_RELRO' parts
		grep -q 'BIND_NOW' parts
		grep -q 'GNU_STACK.* RW  *0x' parts
		case $file in
		*.so)
			nm -D "$file" > names
			grep -q '__stack_chk_fail' names
			grep -q '__memcpy_chk\|__fprintf_chk\|__snprintf_chk' names ;;
		esac
	done
}

@test "without debug information the commands and the library are small" {
	for file in "$PREFIX"/bin/ctx-*; do
		strip -o stripped "$file"
		[ "$(stat -c %s stripped)" -le 200000 ] || fail "$file"
	done
	strip -o stripped "$PREFIX/lib/libctx.so"
	[ "$(stat -c %s stripped)" -le 1555000 ]
}

@test "the installed commands run after their prefix was moved" {
	mkdir other
	cp -R "$PREFIX" other
	cd other/usr/bin
	for command in ctx-*; do
		run -0 "./$command" --version
	done
	run -0 ./ctx-count -e cl100k_base "$chat"
	[ "$output" = "$("$B/ctx-count" -e cl100k_base "$chat")" ]
	# Neither beside the command nor where they were installed.
	rm ../share/ctx/encodings
	mv "$PREFIX/share/ctx/encodings" "$BATS_TEST_TMPDIR"
	run -2 ./ctx-count -e cl100k_base "$chat"
	mv "$BATS_TEST_TMPDIR/encodings" "$PREFIX/share/ctx"
	[[ $output == *"/encodings: No such file or directory; install ctx again"* ]]
}

@test "an installed command opens its library without a search" {
	for command in "$PREFIX"/bin/ctx-*; do
		LD_DEBUG=libs "$command" --version 2> log
		grep -q 'find library=libjansson' log
		grep -q "calling init: .*/lib/ctx/libctx-commands-" log
		run ! grep 'find library=.*libctx-commands-' log
	done
}

# Compiles a program, by its path or its name in programs/, with the flags of
# pkg-config; more flags may follow.
build() { # PROGRAM OUT [FLAG...]
	local source=$1 out=$2
	[ -e "$source" ] || source=$BATS_TEST_DIRNAME/programs/$1
	local compile="${CC:-cc} -std=c11"
	shift 2
	export PKG_CONFIG_PATH=$PREFIX/lib/pkgconfig
	[ "${source%.cpp}" = "$source" ] || compile="${CXX:-c++} -std=c++11"
	# shellcheck disable=SC2046,SC2086 # words are wanted
	$compile -Wall -Wextra -Wpedantic -Werror -o "$out" "$source" "$@" \
	    $(pkg-config --cflags --libs libctx) -Wl,-rpath,"$PREFIX/lib"
}

@test "a C program counts a session by tool: shared, static, collected, all static" {
	[ "$(PKG_CONFIG_PATH=$PREFIX/lib/pkgconfig \
	    pkg-config --modversion libctx)" = \
	    "$(ctx-count -V | sed -n '1s/.* //p')" ]
	build count_tools.c shared
	link() { # OUT [FLAG...]
		# shellcheck disable=SC2046 # words are wanted
		${CC:-cc} -std=c11 -s -o "$@" -I "$PREFIX/include" \
		    "$BATS_TEST_DIRNAME/programs/count_tools.c" \
		    "$PREFIX/lib/libctx.a" $(PKG_CONFIG_PATH=$PREFIX/lib/pkgconfig \
		    pkg-config --static --libs libctx | sed 's/-lctx//')
	}
	link static
	link collected -Wl,--gc-sections
	link all-static -static -Wl,--gc-sections
	[ "$(stat -c %s collected)" -lt $(($(stat -c %s static) * 97 / 100)) ]
	# The static programs look for the vocabularies beside themselves.
	ln -s "$PREFIX/share" share
	ctx-count -m gpt-4o --per message --json "$agent" |
		jq -rs 'group_by(.tool)[] |
		    [(.[0].tool | if . == "" then "-" else . // "-" end), length, (map(.tokens) | add)] | @tsv' |
		sort > expected
	for program in ./shared ./collected ./static ./all-static; do
		$program gpt-4o "$agent" | sort > out
		[ "$(awk '{ n += $2 } END { print n }' out)" = \
		    "$(wc -l < "$agent")" ]
		[ -s expected ] && diff expected out
	done
	ldd shared | grep -q "libctx\.so\.$(abi)"
	run ! grep -q 'libctx\.so' <(ldd static)
	run ! ldd all-static
	jq -nc 'range(1100) | {role: "assistant", tool_calls: [{id: "c\(.)",
	    type: "function", function: {name: "t\(.)", arguments: "{}"}}]}' |
	    ./shared gpt-4o - > out
	[ "$(wc -l < out)" -eq 1000 ]
	grep -qP '^other tools\t101\t' out
}

@test "the program at the top of ctx.h compiles as C and C++, and prunes" {
	sed -n 's/^ \*     //p' "$PREFIX/include/ctx.h" > example.c
	# A program may also include it as it includes headers of C.
	sed 's/^#include <ctx.h>/extern "C" {\n&\n}/' example.c > example.cpp
	# 100,000 is more than the sample has.
	sed -i 's/= 100000;/= 20000;/' example.c example.cpp
	run ! cmp example.c <(sed -n 's/^ \*     //p' "$PREFIX/include/ctx.h")
	for language in c cpp; do
		build "$PWD/example.$language" "$language"
		"./$language" < "$agent" > out
		ctx-prune -b 20000 "$agent" | cmp - out
		run -2 "./$language" <<< '{'
		[[ $output == "unexpected end of input; get the rest of "* ]] || fail "$output"
	done
}

@test "a C++ program prunes a request in memory before it is sent" {
	build prune_request.cpp program
	jq -cs '{model: "gpt-4o", messages: .}' "$agent" > request
	./program 20000 < request > out 2> report
	ctx-prune -b 20000 request | cmp - out
	grep -q '^message [0-9]* (.*): drop, ' report
	run -2 ./program 20000 <<< '{"messages":[}'
	run -1 ./program 100 < request
	[ "${lines[-1]}" = "prune_request: does not fit" ]
}

@test "a Python program checks a conversation and repairs it, by ctypes" {
	local program=$BATS_TEST_DIRNAME/programs/repair.py
	sed 4d "$agent" > broken
	run -1 ctx-check broken
	python3 "$program" "$PREFIX/lib/libctx.so" broken > out 2> report
	ctx-check out
	ctx-check --repair broken 2> /dev/null | cmp - out
	grep -q ' 0 not repaired$' report
	run -2 python3 "$program" "$PREFIX/lib/libctx.so" /nonexistent
}

# The header as it was before two members were added, and as it will be after
# another one is added.
@test "a program compiled before or after a member was added still runs" {
	build prune_request.cpp now
	mkdir before after
	sed -e '/bool unpin_system;/d' -e '/bool always;/d' \
	    "$PREFIX/include/ctx.h" > before/ctx.h
	sed 's/bool always; .*/bool always; uint64_t more[4];/' \
	    "$PREFIX/include/ctx.h" > after/ctx.h
	jq -cs '{model: "gpt-4o", messages: .}' "$agent" > request
	./now 20000 < request > expected 2> /dev/null
	for time in before after; do
		run ! cmp "$time/ctx.h" "$PREFIX/include/ctx.h"
		build prune_request.cpp "$time/program" -I "$time"
		"$time/program" 20000 < request 2> /dev/null | cmp - expected
	done
}

# The library as it will be when each struct with a size has more members.
@test "programs compiled before run with a library that has more members" {
	build count_tools.c count_tools
	build prune_request.cpp prune_request
	jq -cs '{model: "gpt-4o", messages: .}' "$agent" > request
	sed 4d "$agent" > broken
	results() { # LIBRARY
		./count_tools gpt-4o "$agent"
		./prune_request 20000 < request 2>&1
		python3 "$BATS_TEST_DIRNAME/programs/repair.py" "$1" broken 2>&1
	}
	results "$PREFIX/lib/libctx.so" > expected || :
	mkdir later
	awk '/^struct .*{$/ { sized = 0 }
	    /size_t size;$/ { sized = 1 }
	    /^};/ && sized { print "\tuint64_t more[4];" }
	    { print }' "$PREFIX/include/ctx.h" > later/ctx.h
	[ "$(grep -c 'more\[4\]' later/ctx.h)" -gt 15 ]
	# shellcheck disable=SC2046 # words are wanted
	(cd later && ${CC:-cc} -std=c11 -D_POSIX_C_SOURCE=200809L -fPIC -c \
	    -fvisibility=hidden -I . -I "$ROOT/lib" -I "$B/gen" "$ROOT"/lib/api/*.c)
	# shellcheck disable=SC2046 # words are wanted
	${CC:-cc} -shared -Wl,-soname,"libctx.so.$(abi)" \
	    -o "later/libctx.so.$(abi)" later/*.o "$B/libctx.a" \
	    $(PKG_CONFIG_PATH=$PREFIX/lib/pkgconfig \
	    pkg-config --static --libs libctx | sed 's/-lctx//')
	ln -s "$PREFIX/share" share
	export LD_LIBRARY_PATH=$PWD/later
	ldd count_tools | grep -q 'later/libctx'
	results "later/libctx.so.$(abi)" > out || :
	cmp out expected
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

@test "the examples that the manual names are installed, scripts executable" {
	local file name
	for file in "$ROOT"/man/examples/*; do
		name=${file##*/}
		cmp "$file" "$PREFIX/share/doc/ctx/examples/$name"
		[ ! -x "$file" ] || [ -x "$PREFIX/share/doc/ctx/examples/$name" ]
		grep -q "$name" "$ROOT"/man/*.7 || fail "no page names $name"
	done
}

@test "libctx(3) documents every function and has the example programs" {
	local page=$PREFIX/share/man/man3/libctx.3
	declared > names
	# Each function and struct has a section that begins with it.
	awk '/^\.Sh EXAMPLES/ { exit }
	    /^\.S[hs]/ { section = $0; n = 0 }
	    /^typedef/ { next }
	    /^(struct|enum) .*[{;]$/ && $3 !~ /\(/ && section != ".Ss " $1 " " substr($2, 1, length($2) - /;$/)
	    match($0, /^[a-z].*[ *]ctx_[a-z_]*\(/) {
		name = substr($0, 1, RLENGTH - 1)
		sub(/.*[ *]/, "", name)
		print section == ".Ss " name && n++ == 0 ? name : $0 " in " section
	    }' "$page" | sort | diff names -
	sed -n '/^\.Sh DESCRIPTION/{n;p;}' "$page" | grep -q '^libctx reads'
	while read -r name; do
		man -M "$PREFIX/share/man" 3 "$name" | grep -q '^LIBCTX(3)' ||
			fail "man(1) does not show $name"
	done < names
	LC_ALL=C.UTF-8 man -l "$page" | sed 's/^[ \t]*//' > shown
	for program in "$BATS_TEST_DIRNAME"/programs/*; do
		grep -qx "${program##*/}" shown
		sed 's/^[ \t]*//' "$program" | grep -vxFf shown > missing || :
		[ ! -s missing ] || fail "$program: $(cat missing)"
	done
}

@test "DESTDIR stages an installation, and uninstall leaves nothing" {
	make -s -C "$ROOT" TREE="${B##*/}" DESTDIR="$PWD/stage" \
	    PREFIX=/opt/ctx install > log
	run ! grep -q '^Installed' log
	"$PWD/stage/opt/ctx/bin/ctx-count" "$chat"
	grep -qx 'prefix=/opt/ctx' stage/opt/ctx/lib/pkgconfig/libctx.pc
	make -s -C "$ROOT" TREE="${B##*/}" DESTDIR="$PWD/stage" \
	    PREFIX=/opt/ctx uninstall > log
	[ -z "$(find stage ! -type d)" ]
}

@test "install ends with what to do next, and says if PATH lacks the commands" {
	p=$PWD/own
	make -s -C "$ROOT" TREE="${B##*/}" PREFIX="$p" install > log
	[ "$(tail -n 1 log)" = \
	    "Installed in $p. Add $p/bin to PATH, then try: ctx help" ]
	PATH="$PATH:$p/bin" make -s -C "$ROOT" TREE="${B##*/}" PREFIX="$p" \
	    install > log
	[ "$(tail -n 1 log)" = "Installed in $p. Try: ctx help" ]
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

@test "mandoc shows every manual page at 80 columns without a warning" {
	for page in "$ROOT"/man/*.[0-9] "$B/man/libctx.3"; do
		mandoc -T lint -W warning "$page"
		mandoc -T ascii "$page" | col -b | expand > shown
		run ! grep -E '^.{81}' shown
	done
}

@test "make dist contains the files of git, and builds" {
	make -s -C "$ROOT" dist
	tar -xzf "$ROOT"/build/ctx-?.?.?.tar.gz
	cd ctx-*/
	make -s -j2 > log 2>&1 || { tail log >&2; return 1; }
	build/release/ctx-count "$chat"
}
