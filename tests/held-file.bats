# ctx-prune: messages of a file are read again, not kept in memory

load helper

# A chat of $1 turns (300) with four messages each, one of them a tool result of
# 2000 characters.
make_talk() {
	awk -v turns="${1:-300}" 'BEGIN {
		for (i = 0; i < turns; i++) {
			pad = sprintf("%2000s", "")
			gsub(" ", i % 10, pad)
			printf "{\"role\":\"user\",\"content\":\"question %d\"}\n", i
			printf "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"c%d\",\"type\":\"function\",\"function\":{\"name\":\"read\",\"arguments\":\"{\\\"path\\\":\\\"src/f%d.c\\\"}\"}}]}\n", i, i
			printf "{\"role\":\"tool\",\"tool_call_id\":\"c%d\",\"content\":\"%s\"}\n", i, pad
			printf "{\"role\":\"assistant\",\"content\":\"answer %d\"}\n", i
		}
	}' < /dev/null
}

every_strategy() {
	local s
	for s in salient heuristic recall summarize; do
		same_from_pipe ctx-prune -s $s --archive archive --explain explain "$@"
		[ -e archive ]
		[ -e explain ]
		[ -s out-file ]
	done
}

@test "what ctx-prune writes does not depend on whether its input is a file" {
	make_talk > in
	every_strategy -b 4k
	every_strategy -b 9k -l aggressive --notice gone -j 4
	# blank lines, CRLF, and no line feed at the end
	make_talk | sed '3~7s/$/\r/; 5~11s/$/\n  /' | head -c -1 > in
	every_strategy -b 3k -j 2
	make_talk | jq . > in
	every_strategy -b 3k
	every_strategy -b 1M
}

@test "only the first of several files is read again" {
	make_talk > one
	make_talk | head -c -1 > two
	sed 's/question/request/' one > three
	for j in 1 4; do
		for s in salient recall; do
			ctx-prune --join -j $j -s $s -b 5k one two three > out
			for f in one two three; do
				mkfifo pipe-$f
				cat $f > pipe-$f &
			done
			ctx-prune --join -j $j -s $s -b 5k pipe-one pipe-two pipe-three |
				cmp - out
			rm pipe-*
		done
	done
	[ -s out ]
}

@test "a file whose beginning another program has read is read from there" {
	make_talk > in
	tail -n +5 in | ctx-prune -b 4k > want
	{
		dd bs="$(head -n 4 in | wc -c)" count=1 of=first status=none
		ctx-prune -b 4k
	} < in | cmp - want
	cmp first <(head -n 4 in)
}

@test "a kept message that changes before it is written is an error" {
	make_talk 1500 > in
	sed '6000s/answer/ANSWER/' in > new
	mkfifo pipe
	ctx-prune -b 400k -e bytes/4 < in > pipe 2> err &
	pid=$!
	exec 8< pipe
	head -c 1 <&8 > out
	cat new > in
	cat <&8 >> out
	exec 8<&-
	rc=0
	wait $pid || rc=$?
	[ $rc -eq 2 ]
	grep -q "^ctx-prune: -:6000: the file changed while it was read" err ||
		fail "$(cat err)"
	run ! grep -q ANSWER out
}

@test "the messages of a file are not kept in memory" {
	large_lines '{"role":"%s","content":"%s"}' > in
	(
		limit_memory 100000
		for s in salient heuristic summarize; do
			ctx-prune -s $s -e bytes/4 -b 1M in > out
			[ "$(wc -l < out)" -gt 1 ]
			[ "$(wc -l < out)" -lt 6 ]
		done
		exceeds_memory "cat in | ctx-prune -e bytes/4 -b 1M"
	)
}
