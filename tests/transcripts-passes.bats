# Transcripts read from a file, twice, and from a pipe: output, memory, changes
# of the file meanwhile

load helper
load transcripts

# Every command over the file in, with the options "$@".
every_command_in_passes() {
	same_from_pipe ctx-count "$@" --per message --json
	same_from_pipe ctx-count "$@" --annotate -j 2
	same_from_pipe ctx-check "$@" --repair
	same_from_pipe ctx-prune "$@" -b 300 -k 1 -t 1 --explain explain
	same_from_pipe ctx-prune "$@" -b 300 -s recall --query a -j 2
	same_from_pipe ctx-truncate "$@" -l 20 --media 1 --explain explain
	same_from_pipe ctx-age "$@" -S spool -k 1 -o 10
	same_from_pipe ctx-restore "$@"
	same_from_pipe ctx-cache "$@" --provider anthropic
}

@test "every command gives the same for a file and for a pipe" {
	for d in $AGENTS; do
		cp "$(ls "$BATS_TEST_DIRNAME/corpus/$d"/*.jsonl | tail -n 1)" $d.jsonl
	done
	random claude-code 7 40 > random-tree.jsonl
	random codex 8 40 > random-log.jsonl
	for f in *.jsonl; do
		echo "# $f"
		cp "$f" in
		every_command_in_passes
		# A byte order mark, blank lines, CRLF and no last line feed.
		awk -v mark="$(printf '\357\273\277')" '
			NR == 1 { printf "%s\r\n", mark }
			{ printf "%s%s", (NR > 1 ? "\r\n" : ""), $0 }
			NR % 5 == 0 { printf "\r\n  \r" }' "$f" > in
		every_command_in_passes
		# A line that is not JSON, and a last one that was cut off.
		awk 'NR == 4 { print "{\"type\":" } { print }' "$f" |
			head -c -20 > in
		every_command_in_passes
		every_command_in_passes --lenient
		# Values that continue on the next line.
		jq . "$f" > in
		every_command_in_passes
	done
}

@test "several transcripts give the same for files and for pipes" {
	for d in $AGENTS; do
		f=$(ls "$BATS_TEST_DIRNAME/corpus/$d"/*.jsonl | head -n 1)
		# The last line of the first file has no line feed.
		printf %s "$(cat "$f")" > one
		for options in "ctx-prune -b 300 -k 1 -t 1" "ctx-truncate -l 9" \
		    "ctx-count --annotate -j 3" "ctx-age --mask -k 1 -o 9"; do
			echo "# $d: $options"
			# shellcheck disable=SC2086 # words
			{
				$options one "$f" "$chat" - < "$f" > files || :
				cat "$f" | $options <(cat one) <(cat "$f") \
				    <(cat "$chat") - > pipes || :
			}
			cmp files pipes
			[ -s files ]
		done
	done
}

# 10,000 messages.
long_session() {
	awk 'BEGIN {
		for (i = 0; i < 10000; i++)
			printf "{\"type\":\"user\",\"uuid\":\"%05d\",\"parentUuid\":%s,\"sessionId\":\"s\",\"message\":{\"role\":\"user\",\"content\":\"text %05d\"}}\n", i, i ? sprintf("\"%05d\"", i - 1) : "null", i
	}' < /dev/null
}

# Changes the file session by "$@" once the first line of the second pass was
# read; it cannot continue before its output is read, which is then in out.
change_while_read() {
	rm -f pipe
	mkfifo pipe
	${reader:-ctx-truncate -l 0} session > pipe 2> err &
	pid=$!
	exec 8< pipe
	head -c 1 <&8 > out
	"$@"
	cat <&8 >> out
	exec 8<&-
	rc=0
	wait $pid || rc=$?
}
write_session() {
	cat new > session
}
append_session() {
	head -n 1 new >> session
}

@test "a transcript that is changed while it is read is refused" {
	long_session > old
	for edit in 's/text 09999/text 00000/' '9999d' '9999s/$/ /' 's/text/test/' \
	    '9000,$d' '9999s/^.//'; do
		cp old session
		sed "$edit" old > new
		change_while_read write_session
		[ $rc -eq 2 ]
		grep -q "^ctx-truncate: session:[0-9:]* the file changed while" err ||
			fail "$edit: $(cat err)"
		# The lines before the change are written.
		cmp -n "$(wc -c < out)" old out
		[ "$(wc -l < out)" -gt 1 ]
		[ "$(wc -l < out)" -lt 10000 ]
	done
}

# A rollout of Codex: $1 turns, each with an event of $2 bytes.
rollout() {
	awk -v turns="$1" -v bytes="$2" 'BEGIN {
		pad = sprintf("%*s", bytes, "")
		gsub(" ", "x", pad)
		for (i = 0; i < turns; i++) {
			printf "{\"timestamp\":\"2026-11-10T09:00:07.542Z\",\"type\":\"event_msg\",\"payload\":{\"type\":\"agent_message\",\"message\":\"%d %s\"}}\n", i, pad
			printf "{\"timestamp\":\"2026-11-10T09:00:07.542Z\",\"type\":\"response_item\",\"payload\":{\"type\":\"message\",\"role\":\"user\",\"content\":[{\"type\":\"input_text\",\"text\":\"Please find out why %d.\"}]}}\n", i
			printf "{\"timestamp\":\"2026-11-10T09:00:07.542Z\",\"type\":\"response_item\",\"payload\":{\"type\":\"message\",\"role\":\"assistant\",\"content\":[{\"type\":\"output_text\",\"text\":\"All pass now %d.\"}]}}\n", i
		}
	}' < /dev/null
}

@test "ctx-prune holds no lines of a transcript that are not messages" {
	rollout 30000 2000 > session
	(limit_memory 60000 && ctx-prune -s pinned-fifo -b 2000 session > out)
	[ "$(grep -c response_item out)" -lt 1000 ]
	cmp <(grep event_msg session) <(grep event_msg out)
	cmp <(tail -n 101 session) <(tail -n 101 out)
}

@test "ctx-prune writes the same for a large transcript and for a pipe" {
	{
		rollout 3000 100
		# blank lines, after an event and after a message
		rollout 1000 200 | sed '3~9s/$/\n  /; 4~9s/$/\n/'
		tail -n +2 "$BATS_TEST_DIRNAME/corpus/codex/rollout.jsonl"
		rollout 2000 10 | sed '1~3p'
	} > in
	for strategy in pinned-fifo middle-out window recall salient heuristic \
	    summarize; do
		rm -f archive
		same_from_pipe ctx-prune -s $strategy -b 3000 -k 2 -t 2
		same_from_pipe ctx-prune -s $strategy -b 900 --notice gone
		same_from_pipe ctx-prune -s $strategy -b 900 -l aggressive \
		    --explain explain --archive archive
	done
	ctx-prune -b 900 in > out
	[ "$(wc -c < in)" -gt 1000000 ]
	[ "$(grep -c . out)" -gt 6000 ]
}

@test "a line that is not a message must not change before it is written" {
	rollout 4000 2000 > old
	for edit in '9001s/x/y/' '9001s/x//' '9001,$d'; do
		cp old session
		sed "$edit" old > new
		reader="ctx-prune -b 900" change_while_read write_session
		[ $rc -eq 2 ]
		grep -q "^ctx-prune: session:[0-9:]* the file changed" err ||
			fail "$edit: $(cat err)"
		grep event_msg out > events
		cmp -n "$(wc -c < events)" <(grep event_msg old) events
		[ "$(wc -l < events)" -eq 3000 ]
	done
}

@test "a message that is kept must not change before it is written" {
	rollout 4000 2000 > old
	cp old session
	sed '11999s/Please/please/' old > new
	reader="ctx-prune -b 900" change_while_read write_session
	[ $rc -eq 2 ]
	grep -q "^ctx-prune: session:11999: the file changed while" err ||
		fail "$(cat err)"
	[ "$(grep -c response_item out)" -lt 100 ]
	run ! grep -q "out 3999" out
	# A message that was removed is not read again.
	cp old session
	sed '2s/Please/please/' old > new
	reader="ctx-prune -b 900" change_while_read write_session
	[ $rc -eq 0 ]
	ctx-prune -b 900 old | cmp - out
}

@test "lines appended to a transcript while it is read are not read" {
	long_session > session
	cp session new
	change_while_read append_session
	[ $rc -eq 0 ]
	cmp new out
	[ "$(wc -l < session)" -eq 10001 ]
}

@test "a transcript before a file that cannot be read is written" {
	f=$BATS_TEST_DIRNAME/corpus/codex/rollout.jsonl
	for before in "$f" "$chat"; do
		run -2 ctx-truncate -l 0 "$before" missing
		[[ ${lines[-1]} == "ctx-truncate: missing: cannot open: "* ]]
		ctx-truncate -l 0 "$before" missing 2> err | cmp - "$before"
	done
}

@test "a transcript in a file is not kept in memory" {
	large_lines '{"timestamp":"t","type":"response_item","payload":{"type":"message","role":"%s","content":[{"type":"input_text","text":"%s"}]}}' > rollout
	(
		limit_memory 100000
		ctx-prune -s pinned-fifo -e bytes/4 -b 1M -k 1 -t 1 rollout > out
		for strategy in salient heuristic summarize; do
			ctx-prune -s $strategy -e bytes/4 -b 1M rollout > held
			[ "$(wc -l < held)" -lt 6 ]
		done
		ctx-truncate -l 0 rollout | cmp - rollout
		[ "$(ctx-count -e bytes/4 --json rollout | jq .messages)" -eq 120 ]
		exceeds_memory "cat rollout | ctx-count -e bytes/4"
	)
	[ "$(wc -l < out)" -gt 1 ]
	[ "$(wc -l < out)" -lt 6 ]
}

# A session of $2 short lines in the dialect $1, codex or claude-code.  All but
# the last ten are before a compaction.
many_lines() {
	awk -v n="$2" -v dialect="$1" 'BEGIN {
		for (i = 1; i <= n; i++) {
			last = i == n - 10
			if (dialect == "codex") {
				if (last)
					print "{\"timestamp\":\"t\",\"type\":\"compacted\",\"payload\":{\"message\":\"\",\"replacement_history\":[]}}"
				else if (i % 2)
					printf "{\"timestamp\":\"t\",\"type\":\"event_msg\",\"payload\":{\"type\":\"agent_message\",\"message\":\"%d\"}}\n", i
				else
					printf "{\"timestamp\":\"t\",\"type\":\"response_item\",\"payload\":{\"type\":\"message\",\"role\":\"user\",\"content\":[{\"type\":\"input_text\",\"text\":\"Why %d?\"}]}}\n", i
			} else {
				id = sprintf("%08x-e90b-4a76-a285-a8c6b73c30c8", i)
				printf "{\"parentUuid\":%s,\"uuid\":\"%s\",\"sessionId\":\"s\",", i == 1 || last ? "null" : "\"" before "\"", id
				if (last)
					print "\"type\":\"system\",\"subtype\":\"compact_boundary\"}"
				else if (i % 2)
					printf "\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":\"Why %d?\"}}\n", i
				else
					printf "\"type\":\"assistant\",\"message\":{\"id\":\"msg_01XFDUDYJgAACzvn%08x\",\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"So.\"}]}}\n", i
				before = id
			}
		}
	}' < /dev/null
}

@test "a line of a transcript takes few bytes of memory" {
	many_lines codex 300000 > rollout
	many_lines claude-code 200000 > session
	while read -r memory file; do
		(
			limit_memory "$memory"
			ctx-prune -e bytes/4 -b 100k "$file" | cmp - "$file"
			ctx-truncate -l 0 "$file" | cmp - "$file"
			[ "$(ctx-count -e bytes/4 --json "$file" | jq .messages)" -le 10 ]
			exceeds_memory "cat $file | ctx-count -e bytes/4"
		)
	done <<- X
		30000 rollout
		55000 session
	X
}
