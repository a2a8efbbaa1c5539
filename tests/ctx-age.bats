# ctx-age: old tool results are moved to disk

load helper
load age

@test "results that are old and long become a head and a reference; all else is unchanged" {
	ctx-age "$agent" > out
	[ "$(wc -l < out)" -eq 306 ]
	cmp <(tail -n 10 out) <(tail -n 10 "$agent")
	[ "$(aged out)" -eq "$(find .ctx/spool -name '*.md' | wc -l)" ]
	# In a changed record only the body differs.
	cmp <(jq -c 'del(.content)' out) <(jq -c 'del(.content)' "$agent")
	jq -e -s 'map(select(.role == "tool" and (.content | type == "string"
	    and test("characters in"))) | .content | length <= 1200) | all' out
	[ "$(tokens out)" -lt "$(tokens "$agent")" ]
}

@test "the reference is the last line and has characters, path and digits of the sha256" {
	{ call a read_file "$(long 900)"; call b f x; } > in
	ctx-age -k 2 in > out
	text=$(sed -n 2p out | jq -r .content)
	[ "$(head -c 1000 <<< "$text")" = "$(long 900 | head -c 1000)" ]
	last=$(tail -n 1 <<< "$text")
	[[ $last =~ ^\[8999\ characters\ in\ (\.ctx/spool/read_file-([0-9a-f]{32})\.md)\]$ ]]
	cmp "${BASH_REMATCH[1]}" <(printf %s "$(long 900)")
	[ "$(sha256sum < "${BASH_REMATCH[1]}" | cut -c -32)" = "${BASH_REMATCH[2]}" ]
}

@test "aging twice equals aging once, and equal input gives equal bytes and file names" {
	for o in "" "-k 3 -o 300" "--keep-results 4 -o 300" "--step 7 -o 500" \
	    "--at-least 5k -o 300" "--mask -o 300"; do
		# shellcheck disable=SC2086 # options
		ctx-age $o "$agent" > out
		# shellcheck disable=SC2086
		ctx-age $o out | cmp - out
		ls -R .ctx > names 2> /dev/null || :
		# shellcheck disable=SC2086
		ctx-age $o < "$agent" | cmp - out
		ls -R .ctx 2> /dev/null | cmp - names
	done
}

@test "files are created with mode 0600, directories with 0700" {
	(umask 0 && ctx-age -S a/b "$agent" > /dev/null)
	[ "$(stat -c %a a a/b | sort -u)" = 700 ]
	[ "$(stat -c %a a/b/* | sort -u)" = 600 ]
}

@test "--over counts characters, and text blocks of one result are joined by lines" {
	call a f "$(long 100)" > in
	n=$(jq -r 'select(.role == "tool") | .content | length' in)
	ctx-age -k 0 -o "$n" --head 10 in | cmp - in
	[ "$(ctx-age -k 0 -o $((n - 1)) --head 10 in | aged)" -eq 1 ]
	rm -r .ctx
	jq -nc --arg t "$(long 100)" '{role: "user", content: [{type: "tool_result",
	    tool_use_id: "a", content: [{type: "text", text: "one"},
		{type: "image", source: {type: "base64", data: "QUJD"}},
		{type: "text", text: $t}]}]}' > in
	[ "$(ctx-age -d anthropic -k 0 -o 200 in | aged)" -eq 1 ]
	cat .ctx/spool/*.md > text
	{
		echo one
		sed -n 2p text | grep -x '\[media, [0-9]* characters of JSON\]'
		long 100
	} | cmp - <(cat text; echo)
}

@test "-k counts messages and --keep-results counts results, also in one message" {
	for i in 1 2 3 4 5 6; do call c$i f "$(long 500) $i"; done > in
	[ "$(ctx-age -k 0 in | aged)" -eq 6 ]
	[ "$(ctx-age -k 1 in | aged)" -eq 5 ]
	[ "$(ctx-age -k 4 in | aged)" -eq 4 ]
	[ "$(ctx-age -k 12 in | aged || :)" -eq 0 ]
	[ "$(ctx-age --keep-results 2 in | aged)" -eq 4 ]
	[ "$(ctx-age --keep-results 0 in | aged)" -eq 6 ]
	ctx-age --keep-results 2 in | tail -n 4 | cmp - <(tail -n 4 in)
}

@test "--step moves the age boundary N messages at a time" {
	for i in 1 2 3 4 5 6; do call c$i f "$(long 500) $i"; done > in
	[ "$(ctx-age -k 0 --step 5 in | aged)" -eq 5 ]
	[ "$(ctx-age -k 2 --step 4 in | aged)" -eq 4 ]
	[ "$(ctx-age --keep-results 0 --step 4 in | aged)" -eq 4 ]
	# A history that grows keeps its prefix while the boundary stands.
	head -n 9 in | ctx-age -k 0 --step 8 > nine
	head -n 10 in | ctx-age -k 0 --step 8 | head -n 9 | cmp - nine
}

@test "--at-least ages all or nothing, by the tokens saved" {
	for i in 1 2 3; do call c$i f "$(long 500) $i"; done > in
	ctx-age -k 0 -v in > out 2> err
	saved=$(sed -n 's/.*saved \([0-9]*\) tokens/\1/p' err)
	ctx-age -k 0 --at-least "$saved" in | cmp - out
	ctx-age -k 0 --at-least $((saved + 1)) in | cmp - in
	jq -sc '{messages: .}' in > record
	ctx-age -k 0 --at-least $((saved + 1)) record | cmp - record
	ctx-age -k 0 --at-least "$saved" record > out2
	cmp <(jq -c '.messages[]' out2) <(jq -c . out)
	# Of a message with several results, the newest one can be too new.
	jq -nc --arg t "$(long 900)" '{role: "user", content: [("a", "b") |
	    {type: "tool_result", tool_use_id: ., content: $t}]}' > in
	for least in 1 100k; do
		ctx-age -d anthropic --keep-results 1 --at-least $least in > out
		cmp -s in out || echo $least
		# In a request it is the same.
		jq -c '{messages: [.]}' in |
		    ctx-age -d anthropic --keep-results 1 --at-least $least |
		    jq -c '.messages[]' | cmp - out
	done > changed
	[ "$(cat changed)" = 1 ]
}

@test "saved tokens are model tokens if the model has a factor" {
	for m in gpt-4o claude-sonnet-4-5; do
		ctx-age -m $m -o 300 -v -S s "$agent" > out 2> err
		saved=$(sed -n 's/.*saved \([0-9]*\) tokens/\1/p' err)
		[ $(($(tokens -m $m "$agent") - $(tokens -m $m out))) -eq "$saved" ]
		ctx-age -m $m -o 300 -S s --at-least "$saved" "$agent" | cmp - out
		ctx-age -m $m -o 300 -S s --at-least $((saved + 1)) "$agent" |
		    cmp - "$agent"
	done
}

@test "the head ends before base64 and between grapheme clusters" {
	text="$(long 30) $(head -c 9000 "$agent" | base64 -w 76)"
	call a f "$text" > in
	ctx-age -k 0 in | sed -n 2p | jq -r .content > out
	cmp <(head -n -1 out) <(long 30 | sed '$s/$/ /')
	# Right after it is as good a place as any.
	payload=$(head -c 300 "$agent" | base64 -w 0)
	call a f "$payload, $(long 500)" > in
	ctx-age -k 0 --head ${#payload} in | sed -n 2p | jq -r .content |
	    head -n 1 | grep -qx "$payload"
	call a f "$(printf '👩‍👩‍👧%.0s' $(seq 1000))" > in
	for h in 1 4 5 6 99; do
		left=$(ctx-age -k 0 --head $h in | sed -n 2p |
		    jq -r .content | head -n -1 | tr -d '\n' | wc -c)
		[ $((left % 18)) -eq 0 ]
	done
}

@test "--tool and --not-tool match the tool that was called" {
	{ call a read "$(long 500)"; call b run "$(long 501)"; } > in
	[ "$(ctx-age -k 0 --tool '^read$' in | sed -n '2p' | aged)" -eq 1 ]
	[ "$(ctx-age -k 0 --tool '^read$' in | aged)" -eq 1 ]
	[ "$(ctx-age -k 0 --not-tool read in | sed -n '4p' | aged)" -eq 1 ]
	[ "$(ctx-age -k 0 --not-tool 'r' in | aged || :)" -eq 0 ]
}

@test "--mask stores nothing" {
	ctx-age --mask -k 0 -o 300 "$agent" > out
	grep -q '"\[cleared\]"' out
	[ ! -e .ctx ]
}

@test "a result that would not cost fewer tokens is unchanged" {
	call a f "$(printf '=%.0s' $(seq 4001))" > in
	ctx-age -k 0 --head 3900 in > out
	cmp in out
	[ ! -e .ctx ]
	for o in 0 1 5 50 200; do
		ctx-age -k 0 -o $o "$agent" > out
		[ "$(tokens out)" -le "$(tokens "$agent")" ]
	done
}

@test "text that looks like a reference does not exempt a result from aging" {
	ref='[9 characters in .ctx/spool/f-0123456789abcdef0123456789abcdef.md]'
	call a f "$(long 500)"$'\n'"$ref" > in
	[ "$(ctx-age -k 0 in | jq -r .content | tail -n 1)" != "$ref" ]
	# Another spool's is text as well.
	call a f "$(long 300)"$'\n'"${ref/.ctx/other}" > in
	ctx-age -k 0 -o 300 in > out
	run -1 cmp -s in out
}

@test "ctx-truncate keeps the reference of an aged result" {
	ctx-age -o 300 "$agent" > out
	ctx-truncate -l 200 out > cut
	cmp <(grep -o '[0-9]* characters in [^]]*\]' out) \
	    <(grep -o '[0-9]* characters in [^]]*\]' cut)
	ctx-truncate out | cmp - <(ctx-truncate out | ctx-age -o 300)
}

@test "-u: a message is written as soon as enough newer ones have been read" {
	# Of the newest those wait that stand after one with a long result.
	short=$(head -n 60 "$agent" | tail -n 10 | jq -s 'map(.role == "tool"
	    and (.content | utf8bytelength) > 300) | index(true)')
	[ "$short" -ge 1 ]
	[ "$short" -lt 9 ]
	mkfifo pipe
	ctx-age -u -k 10 -o 300 < pipe > out &
	exec 4> pipe
	head -n 60 "$agent" >&4
	for _ in $(seq 100); do
		[ "$(wc -l < out)" -lt $((50 + short)) ] || break
		sleep 0.1
	done
	left=$(wc -l < out)
	exec 4>&-
	wait
	[ "$left" -eq $((50 + short)) ]
	[ "$(wc -l < out)" -eq 60 ]
}

@test "blank lines, CRLF, BOM and other records keep their place" {
	{
		printf '\357\273\277\r\n'
		call a f "$(long 500)" | sed 's/$/\r/'
		printf '\n{"event":1}\n[1,2]\n \n'
		call b f x
		printf '{"role":"user","content":"end"}'
	} > in
	ctx-age -k 1 in > out
	[ "$(aged out)" -eq 1 ]
	cmp <(grep -v tool_call_id in) <(grep -v tool_call_id out)
	ctx-restore out | cmp - in
}

@test "a record with a conversation between lines ages as it does alone" {
	{
		jq -nc '{role: "user", content: "q"}'
		call a f "$(long 100)"
		call b f "$(long 100)"
		jq -nc '{role: "user", content: "end"}'
	} > lines
	jq -sc '{messages: .}' lines > record
	{ head -n 4 lines; cat record; tail -n +5 lines; } > in
	# With -k 2 the first result waits while the record comes.
	for options in "-k 1 -o 50" "-k 1 -o 50 --mask" "-k 2 -o 50" \
	    "-k 2 -o 50 --at-least 1"; do
		# shellcheck disable=SC2086 # options
		for name in in lines record; do
			ctx-age $options "$name" > "$name.out"
		done
		run ! cmp -s record record.out
		sed -n 5p in.out | cmp - record.out
		sed 5d in.out | cmp - lines.out
	done
	for k in 1 2; do
		ctx-age -k $k -o 50 in | ctx-restore | cmp - in
	done
}

@test "contradicting or invalid options are refused" {
	run -2 ctx-age --step 0 "$agent"
	run -2 ctx-age --head 4001 "$agent"
	run -2 ctx-age --tool '(' "$agent"
}

@test "an invalid line exits 2 after the records before it are written" {
	{ head -n 30 "$agent"; echo '{"role":'; } > bad
	run -2 --separate-stderr ctx-age bad
	[[ $stderr == *"bad:31:"* ]]
	[ "${#lines[@]}" -eq 30 ]
}

@test "a reference is kept until its message is removed, by every command" {
	for d in openai-chat anthropic gemini bedrock openai-responses; do
		"$B/gen-tools/convo" --dialect $d --seed 5 --messages 120 > in
		ctx-age -d $d -k 2 -o 80 --head 60 in > aged
		grep -o '[0-9]* characters in [^]]*\]' aged | sort -u > refs
		[ "$(wc -l < refs)" -gt 5 ]
		# A second age, of any options, and a cut.
		for o in "-k 0 -o 10 --head 0" "-o 80 --mask -k 0"; do
			# shellcheck disable=SC2086 # options
			ctx-age -d $d $o aged > again
			grep -o '[0-9]* characters in [^]]*\]' again |
			    sort -u > left
			[ -z "$(comm -23 refs left)" ] || fail "$d $o"
		done
		ctx-truncate -d $d -l 120 aged > again
		grep -o '[0-9]* characters in [^]]*\]' again | sort -u |
		    cmp - refs
		# When ctx-prune clears an aged body, it removes the head and
		# keeps the reference.
		n=$(tokens -d $d aged)
		for most in $(seq $((n - 10)) -200 1); do
			ctx-prune -s pinned-fifo -d $d -l aggressive -t 0 -k 0 -b "$most" \
			    --target "$most" --explain why aged > pruned
			! grep -q "old results" why || break
		done
		grep -q "old results" why
		run ! grep -q '"drop"' why
		grep -o '[0-9]* characters in [^]]*\]' pruned | sort -u |
		    cmp - refs
		ctx-prune -s pinned-fifo -d $d -l aggressive -t 0 -k 0 -b "$most" \
		    --target "$most" pruned | cmp - pruned
		[ "$(tokens -d $d pruned)" -le "$most" ]
		# What is restored from it is what was aged.
		ctx-restore -d $d pruned > back
		ctx-restore -d $d --list back > list
		[ ! -s list ]
		ctx-restore -d $d aged | cmp - in
		# ctx-count takes it as text.
		[ "$(ctx-count -d $d --json aged | jq .exact)" = \
		    "$(ctx-count -d $d --json in | jq .exact)" ]
	done
}

@test "--older-than uses the times in the stream, never the clock" {
	tried=0
	for f in "$BATS_TEST_DIRNAME"/corpus/{claude-code,codex,gemini-cli,pi,goose,opencode}/*.json*; do
		last=$(ctx-age -k 0 -o 20 --head 5 "$f" | aged || :)
		ctx-age -k 0 -o 20 --head 5 --older-than 0s "$f" > now
		for older in 1s 10s 30s 90s 5m 1h 7d; do
			ctx-age -k 0 -o 20 --head 5 --older-than $older "$f" > out
			ctx-age -k 0 -o 20 --head 5 --older-than $older out |
			    cmp - out
			ctx-restore out | cmp - "$f"
			n=$(aged out || :)
			[ "$n" -le "$last" ]
			[ "$n" -eq "$last" ] || tried=$((tried + 1))
			last=$n
		done
		cmp out "$f"
	done
	[ "$tried" -gt 8 ]
}

@test "--older-than ages what is older than the newest message and keeps the rest" {
	# at SECOND ID TEXT: a call and its result, as goose writes them.
	at() {
		jq -nc --argjson t "$1" --arg id "$2" --arg x "$3" '
		    {id: ("m" + $id), role: "assistant", created: $t, content:
			[{type: "toolRequest", id: $id, toolCall: {status:
			"success", value: {name: "f", arguments: {}}}}]},
		    {id: ("r" + $id), role: "user", created: $t, content:
			[{type: "toolResponse", id: $id, toolResult: {status:
			"success", value: {content: [{type: "text", text:
			$x}]}}}]}'
	}
	for i in 0 1 2 3 4 5 6 7 8 9; do
		at $((1793527200 + i * 60)) c$i "$(long 500) $i"
	done > in
	[ "$(ctx-age -k 0 --older-than 4m in | aged)" -eq 5 ]
	[ "$(ctx-age -k 0 --older-than 240s in | aged)" -eq 5 ]
	[ "$(ctx-age -k 0 --older-than 239s in | aged)" -eq 6 ]
	[ "$(ctx-age -k 14 --older-than 4m in | aged)" -eq 3 ]
	[ "$(ctx-age --keep-results 7 --older-than 1s in | aged)" -eq 3 ]
	# In any order, as a record, and message by message.
	{ sed -n '11,20p' in; sed -n '1,10p' in; } > turned
	[ "$(ctx-age -k 0 --older-than 4m turned | aged)" -eq 5 ]
	[ "$(ctx-age -k 0 --older-than 4m --at-least 1 turned | aged)" -eq 5 ]
	# Nothing waits but the first result that may still become old, and what
	# is after it; its call is no result.
	mkfifo pipe
	ctx-age -u -k 0 --older-than 4m < pipe > out &
	exec 4> pipe
	cat in >&4
	for _ in $(seq 100); do
		[ "$(wc -l < out)" -lt 11 ] || break
		sleep 0.1
	done
	left=$(wc -l < out)
	exec 4>&-
	wait
	[ "$left" -eq 11 ]
	ctx-age -k 0 --older-than 4m in | cmp - out
	# Without times nothing is older, and it says so.
	run -0 --separate-stderr ctx-age -k 0 --older-than 1s "$agent"
	[[ $stderr == *"nothing is changed, because no message has a timestamp"* ]]
	for t in 1 2x h 2h30 -1s 1.2345s; do
		run -2 ctx-age --older-than "$t" in
		[[ $output == *"is not a time such as"* ]]
	done
}
