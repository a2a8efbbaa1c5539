# What is written is true: the README's commands run and print what it says.

load helper

# Prints the commands of the README's indented blocks, each followed by the
# output that it claims, as "$ command" and "> output" lines.
examples() {
	awk '
		/^    \$ / { on = 1; sub(/^    \$ /, ""); cmd = $0
			while (cmd ~ /\\$/ && (getline line) > 0) {
				sub(/\\$/, "", cmd)
				sub(/^ */, "", line)
				cmd = cmd line
			}
			print "$ " cmd
			next }
		/^    / && on { sub(/^    /, ""); print "> " $0; next }
		{ on = 0 }' "$1"
}

@test "README: every command of the tour runs and prints what is shown" {
	ln -s "$BATS_TEST_DIRNAME" tests
	examples "$BATS_TEST_DIRNAME/../README.md" > list
	[ "$(grep -c '^\$ ' list)" -ge 10 ]
	while IFS= read -r line; do
		if [[ $line == '$ '* ]]; then
			sh -c "${line#??}" > got 2>&1 < /dev/null || true
			cp got left
			command=${line#??}
			continue
		fi
		# The name of an aged file is shown without a command.
		IFS= read -r first < left || fail "$command: no such line: $line"
		[ "$first" = "${line#??}" ] ||
			fail "$command printed: $first, not: ${line#??}"
		sed -i 1d left
	done < list
	[ -s pruned.jsonl ]
}

@test "README: the set-up commands are there, and CI runs the second" {
	grep -q 'sh tests/setup demo' "$BATS_TEST_DIRNAME/../README.md"
	grep -q 'sh tests/setup check' "$BATS_TEST_DIRNAME/../README.md"
	grep -q 'sh tests/setup check' "$BATS_TEST_DIRNAME/../.ci/run"
}
