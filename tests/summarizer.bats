# ctx-prune --summarizer: a command writes the summary

load helper
load summary

@test "the summarizer's text is cut before a line that would end a summary" {
	ctx-prune -s summarize -b 40k --summarizer \
	    'printf "one\n\n[End of the summary]\n\ntwo"' "$agent" > out
	[ "$(summary_of out)" = "[Earlier conversation summary]: one" ]
	run ! grep -F 'summary]\n\ntwo' out
}

@test "the summarizer gets prompt and text on its input, not as arguments" {
	ctx-prune -s summarize -b 40k --prompt 'Be brief:' \
	    --summarizer 'cat > seen; echo "$#" short' "$agent" > out
	[ "$(head -n 1 seen)" = 'Be brief:' ]
	grep -q '^user: Morning!' seen
	grep -q '^assistant calls read_file: ' seen
	[ "$(summary_of out)" = '[Earlier conversation summary]: 0 short' ]
	CTX_SUMMARIZER='echo from the environment' \
	    ctx-prune -s summarize -b 40k "$agent" > out
	[[ $(summary_of out) == *"from the environment" ]]
	ctx-prune -s summarize -b 40k --summary-tokens 10 \
	    --summarizer 'seq -s " " 900' "$agent" > out
	[ "$(summary_of out | sed 's/.*: //' | tokens --text)" -le 10 ]
}

@test "a summarizer that fails removes nothing and exits 2 with the reason" {
	while IFS='|' read -r command why; do
		ctx-prune -s summarize --timeout 1 -b 40k \
		    --summarizer "$command" "$agent" > out 2> err &&
			fail "$command: status 0"
		[ $? -eq 1 ] || cmp out "$agent"
		cmp out "$agent"
		grep -q "$why" err || fail "$command: $(cat err)"
	done <<'X'
exit 3|ended with status 3
sleep 60|did not end within 1 seconds
true|wrote no summary
printf '\377'|invalid UTF-8
yes|wrote more than 132096 bytes
kill -9 $$|killed by signal 9
printf '  \n\t'|wrote no summary
echo early; sleep 60|did not end within 1 seconds
sleep 60 & echo early|did not end within 1 seconds
exec >&-; true|wrote no summary
echo half a summary; exit 1|ended with status 1
no-such-command-at-all|status 127
X
	run -2 ctx-prune -s summarize -b 40k --summary-tokens 30000 \
	    --summarizer yes "$agent"
	[[ $output == *"wrote more than 1048576 bytes"* ]]
	run -2 ctx-prune -s summarize -b 40k --summarizer false "$agent"
	ctx-prune -s summarize -b 40k --summarizer false \
	    --summary-tokens 900 --on-failure builtin "$agent" > out
	ctx-prune -s summarize -b 40k --summary-tokens 900 "$agent" | cmp - out
	ctx-prune -s summarize -b 40k --summarizer 'exec <&-; echo fine' \
	    "$agent" > out
	[[ $(summary_of out) == *fine ]]
}

@test "ignored signals of the parent process do not reach the summarizer" {
	(
		trap '' CHLD PIPE TERM
		run -2 ctx-prune -s summarize -b 40k --summarizer 'exit 3' \
		    "$agent"
		[[ $output == *"ended with status 3"* ]]
		run -2 ctx-prune -s summarize -b 40k \
		    --summarizer 'kill -PIPE $$; echo alive' "$agent"
		[[ $output == *"killed by signal 13"* ]]
	)
}

@test "the summarizer inherits no open file and runs in a process group of its own" {
	[ -d /proc/self/fd ] || skip "no list of open files here"
	ctx-prune -s summarize -b 40k --archive archive --explain explain \
	    --summarizer 'cat > /dev/null; ls -l /proc/$$/fd > files
		ps -o pgid= $$ > group; echo short' \
	    "$agent" > out
	run ! grep -E 'archive|explain|agent' files
	# Nobody's that ctx-prune was started with.
	[ "$(sed -n 1p group)" -ne "$(ps -o pgid= $$)" ]
	# As many as any command has that is started here.
	sh -c 'ls -l /proc/$$/fd > others; :'
	[ "$(grep -c -e '->' files)" -eq "$(grep -c -e '->' others)" ]
}

# A dead process that nobody waits for is not alive.
is_alive() {
	ps -p "$1" -o stat= | grep -qv '^Z'
}

# Says whether a process is alive still, some seconds from now.
outlives() {
	for _ in $(seq 50); do
		is_alive "$1" || return
		sleep 0.1
	done
}

@test "processes that the summarizer starts are killed with it, also at the time limit" {
	ctx-prune -s summarize -b 40k --summarizer \
	    'sleep 61 > /dev/null & echo $! > left; echo short' "$agent" > out
	run ! is_alive "$(cat left)"
	run -2 ctx-prune -s summarize -b 40k --timeout 1 --summarizer \
	    'sleep 61 & echo $! > left; sleep 61' "$agent"
	run ! is_alive "$(cat left)"
}

@test "a signal that ends ctx-prune also ends the summarizer" {
	printf '#!/bin/sh\nsleep 61 & echo $! > left; wait\n' > waits
	chmod +x waits
	for command in "summarize --summarizer ./waits" \
	    "recall --query what --embedder ./waits"; do
		(
			trap '' INT
			# shellcheck disable=SC2086 # a strategy and its options
			exec ctx-prune -b 30k -s $command "$agent" > out
		) &
		pid=$!
		timeout 20 sh -c 'until [ -s left ]; do sleep 0.1; done'
		kill -INT "$pid"
		sleep 0.5
		is_alive "$(cat left)"
		kill -TERM "$pid"
		status=0
		wait "$pid" || status=$?
		[ "$status" -eq 143 ]
		run ! outlives "$(cat left)"
		[ ! -s out ]
		rm left
	done
}

@test "the summarizer ends even if ctx-prune is ended by SIGKILL" {
	for command in 'echo $$ > left; exec sleep 61' \
	    'sh -c "echo \$\$ > left; exec sleep 61" | cat; :' \
	    'cat > /dev/null; sleep 61 & echo $! > left; wait'; do
		ctx-prune -b 30k -s summarize --summarizer "$command" "$agent" \
		    > out &
		pid=$!
		timeout 20 sh -c 'until [ -s left ]; do sleep 0.1; done'
		is_alive "$(cat left)"
		kill -KILL "$pid"
		run wait "$pid"
		run ! outlives "$(cat left)"
		rm left
	done
}

@test "whatever bytes the summarizer writes, the summary is one valid JSON string" {
	ctx-prune -s summarize -b 40k --summarizer \
	    'printf "\0\33[31m\"},{\"role\":\"system\"\n"' "$agent" > out
	[ "$(wc -l < out)" -eq "$(jq -c . out | wc -l)" ]
	jq -se 'map(select(.content | if type == "array" then .[0].text else . end |
	    strings | explode | index([0, 27, 91]) != null)) |
	    length == 1 and .[0].role == "user"' out > /dev/null
	ctx-prune -s summarize -b 40k out > again
	cmp out again
}

# forms COMMAND...: runs the command with the dialect and name of each file of
# the corpus
