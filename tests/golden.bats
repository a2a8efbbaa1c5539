# What the commands print, letter by letter: tests/golden/COMMAND/NAME.args
# holds the arguments (after assignments to the environment), NAME.in what is
# read from standard input, if there is such a file; NAME.out, .err and .rc are
# what is written and the status (no file: nothing, 0).  Paths are from tests/.
#
#     GOLDEN=write bats tests/golden.bats     writes them anew

load helper

# Runs case $1 of command $2; leaves out, err and rc.
golden() {
	local words
	read -ra words < "$1.args"
	local -a environment=()
	while [[ ${words[0]} == [A-Z]*=* ]]; do
		environment+=("${words[0]}")
		words=("${words[@]:1}")
	done
	local in=/dev/null
	[ ! -f "$1.in" ] || in=$1.in
	(
		cd "$BATS_TEST_DIRNAME" &&
			env "${environment[@]}" "ctx-$2" "${words[@]}"
	) < "$in" > out 2> err && rc=0 || rc=$?
}

@test "the commands print exactly the golden files" {
	unset COLUMNS NO_COLOR
	n=0
	for file in "$BATS_TEST_DIRNAME"/golden/*/*.args; do
		one=${file%.args}
		command=$(basename "$(dirname "$file")")
		golden "$one" "$command"
		if [ "${GOLDEN:-}" = write ]; then
			rm -f "$one.out" "$one.err" "$one.rc"
			[ ! -s out ] || cp out "$one.out"
			[ ! -s err ] || cp err "$one.err"
			[ "$rc" -eq 0 ] || echo "$rc" > "$one.rc"
			continue
		fi
		for part in out err; do
			want=/dev/null
			[ ! -f "$one.$part" ] || want=$one.$part
			diff -u "$want" "$part" || fail "$one.$part"
		done
		[ "$rc" -eq "$(cat "$one.rc" 2> /dev/null || echo 0)" ] ||
			fail "$one: status $rc"
		n=$((n + 1))
	done
	[ "${GOLDEN:-}" = write ] || [ "$n" -ge 14 ]
}
