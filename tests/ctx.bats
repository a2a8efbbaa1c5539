# ctx: runs the commands by their short names.

load helper

@test "ctx lists every command, with the purpose that ctx(1) gives" {
	local c name purpose
	run -0 ctx
	[ "${#lines[@]}" -le 24 ]
	awk 'length > 80 { exit 1 }' <<< "$output" || fail "$output"
	for c in $(cd "$B" && ls ctx-*); do
		name=${c#ctx-}
		purpose=$(printf '%s\n' "${lines[@]}" | sed -n "s/^  $name  *//p")
		[ -n "$purpose" ] || fail "ctx does not list $name"
		grep -qxF "$purpose" "$BATS_TEST_DIRNAME/../man/ctx.1" ||
			fail "ctx.1 says something else of $name than: $purpose"
	done
	cmp <(ctx) <(ctx --help)
	cmp <(ctx) <(ctx -h)
}

@test "ctx COMMAND gives the arguments, the input and the status to ctx-COMMAND" {
	local sample=$BATS_TEST_DIRNAME/sample/agent.jsonl
	cmp <(ctx prune -m gpt-4o -b 16k < "$sample") \
	    <(ctx-prune -m gpt-4o -b 16k < "$sample")
	run -1 ctx count -q --max 10 -e bytes/4 "$sample"
	run -2 ctx count --no-such-option
	[[ $output == ctx-count:* ]] || fail "$output"
}

@test "ctx finds the commands of its own directory before those of PATH" {
	mkdir here there
	cp "$B/ctx" here
	printf '#!/bin/sh\necho here "$@"\n' > here/ctx-count
	printf '#!/bin/sh\necho there\n' > there/ctx-count
	chmod +x here/ctx-count there/ctx-count
	PATH=$PWD/there:$PATH run -0 here/ctx count 'a b' c
	[ "$output" = "here a b c" ]
	rm here/ctx-count
	PATH=$PWD/there:$PATH run -0 here/ctx count
	[ "$output" = there ]
}

@test "ctx help COMMAND opens the manual page of the command" {
	mkdir bin
	printf '#!/bin/sh\necho "man $*"\n' > bin/man
	chmod +x bin/man
	PATH=$PWD/bin:$PATH run -0 ctx help prune
	[ "$output" = "man 1 ctx-prune" ]
	PATH=$PWD/bin:$PATH run -0 ctx help
	[ "$output" = "man 1 ctx" ]
	# The other pages of the manual are opened, too.
	for page in "$BATS_TEST_DIRNAME"/../man/*.[57]; do
		page=${page##*/} name=${page%.*}
		PATH=$PWD/bin:$PATH run -0 ctx help "${name#ctx-}"
		[ "$output" = "man ${page##*.} $name" ]
	done
	run -2 ctx help prunes
	PATH=/nowhere run -2 "$B/ctx" help prune
	[[ $output == "ctx: cannot run man: "*"; ctx prune --help prints the options" ]] ||
		fail "$output"
}

@test "ctx refuses a name that is no command, and says where it looked" {
	run -2 ctx prnue
	[ "$output" = "ctx: there is no command 'prnue'; did you mean 'prune'?" ] ||
		fail "$output"
	run -2 ctx ctx-prune
	[ "$output" = "ctx: there is no command 'ctx-prune'; did you mean 'prune'?" ]
	run -2 ctx trunc
	[ "$output" = "ctx: there is no command 'trunc'; did you mean 'truncate'?" ]
	run -2 ctx shrink
	[ "$output" = "ctx: there is no command 'shrink'; ctx without arguments lists the commands" ]
	cp "$B/ctx" .
	PATH=/nowhere run -2 ./ctx count
	[[ $output == "ctx: cannot run ctx-count: "* ]] || fail "$output"
	run -0 ctx --version
	[ "$output" = "$(ctx-count --version | sed -n '1s/^ctx-count/ctx/p')" ]
}

@test "ctx exits 2 if its list cannot be written" {
	[ -c /dev/full ] || skip "no /dev/full"
	run -2 bash -c 'ctx > /dev/full'
	[[ $output == "ctx: cannot write standard output: "* ]] || fail "$output"
	run -2 bash -c 'ctx -V > /dev/full'
	[[ $output == "ctx: cannot write standard output: "* ]] || fail "$output"
}
