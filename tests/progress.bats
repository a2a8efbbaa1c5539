# --progress: how far a command is, on standard error

load helper

# Runs a shell command on a terminal of its own; what that shows is in tty,
# one state a line.
on_terminal() {
	command -v script > /dev/null || fail "no script(1) here"
	TERM=xterm script -qec "stty cols ${2:-80}; $1" raw < /dev/null > tty
	tr '\r' '\n' < tty | sed '/^$/d' > states
}

# A stream of more than one read, in two files.
setup_files() {
	for _ in 1 2; do cat "$agent"; done > one
	cp "$agent" two
}

@test "--progress draws one line over itself and erases it at the end" {
	setup_files
	all=$(cat one two | wc -c)
	while read -r c; do
		on_terminal "$c --progress one two > out 2> /dev/tty"
		grep -q "^ctx-[a-z]*:  *[0-9]*% \[=*> *\] .* of 1.[0-9] MB" states ||
			fail "$c: $(cat states)"
		# The last state is all of it, and then there is nothing.
		[[ $(grep % states | tail -n 1) == *" 100% "* ]] ||
			fail "$c: $(cat states)"
		[ "$(tail -c 4 tty)" = $'\r\033[K' ] || fail "$c: $(cat -v tty)"
		# Whole lines never follow each other.
		run ! grep -q '%.*%' states
		# The output is what it is without.
		$c one two > plain || [ $? -eq 1 ]
		cmp plain out
	done <<-X
		ctx-prune -b 1M
		ctx-truncate -l 1000
		ctx-age --mask
		ctx-restore
		ctx-cache --provider anthropic
		ctx-count
		ctx-eval --needed --least 0
		ctx-check
	X
	[ "$all" -gt 1000000 ]
}

@test "with --progress, messages and output start on a line of their own" {
	setup_files
	printf '{"role":\n' >> two
	on_terminal "ctx-truncate --progress one two > out 2> /dev/tty || :"
	# Nothing of the state is left in front of it.
	grep -q $'^\033\[Kctx-truncate: two:307:9: ' states || fail "$(cat -v tty)"
	on_terminal "ctx-count --progress one two || :"
	grep -q $'^\033\[K *tokens .* name$' states || fail "$(cat -v states)"
	# What was counted is printed before the message.
	sed -n '/ name$/,$p' states | sed -n 2p | grep -q ' one$'
	on_terminal "ctx-check --progress one"
	run ! grep -q '%.*one' states
	run ! grep -q 'B.*one' states
}

@test "--progress draws no line wider than the terminal, and no bar on a narrow one" {
	setup_files
	for width in 12 30 60 200; do
		on_terminal "ctx-prune -b 1M --progress one > out 2> /dev/tty" $width
		sed 's/\x1b\[K//' states | awk -v w=$width 'length >= w { exit 1 }' ||
			fail "$width: $(cat states)"
	done
	on_terminal "ctx-prune -b 1M --progress one > out 2> /dev/tty" 40
	run ! grep -q '\[=' states
	# A terminal that does not say has 80 columns.
	on_terminal "ctx-prune -b 1M --progress one > out 2> /dev/tty" 0
	grep -q '\[=' states
	sed 's/\x1b\[K//' states | awk 'length >= 80 { exit 1 }'
}

@test "without --progress nothing is drawn at once, in pipelines, for files or on the terminal of the stream" {
	setup_files
	on_terminal "ctx-prune -b 1M one > out 2> /dev/tty"
	[ ! -s states ]
	ctx-prune -b 1M one > out 2> err
	[ ! -s err ]
	summarize="ctx-prune -s summarize -b 20k --summarizer 'sleep 1.2; echo s'"
	jq -sc '{messages: .}' "$agent" > record
	cat record record > records
	# What lasts a second is drawn ...
	on_terminal "$summarize records > out 2> /dev/tty"
	grep -q '^ctx-prune: .*% .* of .*, .*/s' states || fail "$(cat states)"
	[ "$(tail -c 4 tty)" = $'\r\033[K' ]
	# ... but not for a pipe, a terminal that gets the stream, a dumb one.
	on_terminal "cat records | $summarize > out 2> /dev/tty"
	[ ! -s states ]
	on_terminal "$summarize records 2> /dev/tty | cat > out"
	[ ! -s states ]
	on_terminal "TERM=dumb $summarize records > out 2> /dev/tty"
	[ ! -s states ]
	on_terminal "ctx-count -q --progress one"
	[ ! -s states ]
	on_terminal "$summarize records"
	run ! grep -q '^ctx-prune: ' states
}

@test "--progress without a terminal prints a line from time to time" {
	setup_files
	ctx-prune -b 1M --progress one > out 2> err
	[[ $(head -n 1 err) =~ ^ctx-prune:\ +[0-9]+%\ [0-9.]+\ kB\ of\ [0-9.]+\ kB ]]
	[[ $(tail -n 1 err) == "ctx-prune: 100% "* ]]
	run ! grep -q $'[\r\033]' err
	# Of a pipe nobody knows how long it is.
	ctx-prune -b 1M --progress < one > again 2> err
	[[ $(tail -n 1 err) == "ctx-prune: 100% "* ]]
	cmp out again
	cat one | ctx-prune -b 1M --progress > again 2> err
	[[ $(head -n 1 err) =~ ^ctx-prune:\ [0-9.]+\ kB ]]
	run ! grep -q % err
	cmp out again
}

@test "--progress never shows more than 100 % of a file that grows" {
	setup_files
	cp one grown
	cat two >> grown
	cp one a
	cp one b
	# The output waits in the pipe until the second file has grown.
	ctx-truncate -l 0 --progress a b 2> err | {
		dd bs=1 count=1 2> /dev/null
		cat two >> b
		cat
	} > out
	cat one grown | cmp - out
	[[ $(tail -n 1 err) == "ctx-truncate: 100% "* ]]
	awk '{ sub(/%/, "", $2); if ($2 + 0 > 100) exit 1 }' err
}

@test "--progress shows a remaining time of hours as hours" {
	setup_files
	printf '}' > more
	truncate -s 8T more
	# Terabytes are to come, megabytes have been read in a second or more.
	timeout 4 ctx-truncate -l 0 --progress one more 2> err | {
		dd bs=1 count=1 2> /dev/null
		sleep 1.2
		cat
	} > out || true
	cmp out one
	grep -qE '^ctx-truncate: +0% .* [0-9]+:[0-9]{2}:[0-9]{2} left$' err
}

@test "--progress counts the file of --diff, too" {
	head -n 40 "$agent" > old
	ctx-cache --provider anthropic --diff old --progress "$agent" > out 2> err
	all=$((($(cat old "$agent" | wc -c) + 500) / 1000))
	[ "$all" -gt $((($(wc -c < "$agent") + 500) / 1000)) ]
	[[ $(tail -n 1 err) == "ctx-cache: 100% $all kB of $all kB"* ]] ||
		fail "$(cat err)"
}
