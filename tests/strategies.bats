# ctx-prune -s heuristic and -s recall

load helper

# A call of a tool and its result: id, tool, arguments, result
call() {
	jq -nc --arg i "$1" --arg t "$2" --arg a "$3" '{role: "assistant",
	    content: null, tool_calls: [{id: $i, type: "function",
	    function: {name: $t, arguments: $a}}]}'
	jq -nc --arg i "$1" --arg r "$4" \
	    '{role: "tool", tool_call_id: $i, content: $r}'
}

words() {
	local i
	for i in $(seq "$1"); do printf 'word%s ' "$i"; done
}

# A run in which files are read again and calls fail.
run_of_calls() {
	messages "system:Be brief." "user:Mend the parser."
	call a read_file '{"path":"p.c"}' "old text $(words 60)"
	call b run '{"command":"make"}' "Error: no rule $(words 60)"
	messages "assistant:Hm."
	call c list_dir '{"path":"."}' "p.c q.c $(words 60)"
	call d run '{"command":"make all"}' "exit: 0 $(words 60)"
	call e read_file '{ "path": "p.c" }' "new text $(words 60)"
	messages "assistant:$(words 80)" "user:And now?" "assistant:Done." \
	    "user:Thanks. One more thing." "assistant:Yes?" \
	    "user:Show it." "assistant:Here."
}

@test "heuristic: superseded, then failed, then old results, short answers" {
	run_of_calls > in
	n=$(tokens in)
	ctx-prune -s heuristic -t 1 -k 1 -b $((n - 10)) --explain why in > out
	[ "$(jq -r .rule why | sort -u)" = superseded ]
	grep -q 'new text' out
	run -1 grep -q 'old text' out
	ctx-prune -s heuristic -t 1 -k 1 -b $((n - 200)) --explain why in > out
	[ "$(jq -r .rule why | uniq | tr '\n' ,)" = 'superseded,failed, made good later,' ]
	ctx-prune -s heuristic -t 1 -k 1 -b $((n - 400)) --explain why in > out
	jq -r .rule why | grep -q 'old result'
	jq -e '.score >= 0' why > /dev/null
	ctx-prune -s heuristic -t 1 -k 1 -b 150 --explain why in > out
	jq -r .rule why | grep -q 'short answer'
}

@test "heuristic: the newest call counts only if its result is good" {
	{
		messages user:a
		call a read_file '{"path":"p.c"}' "the text $(words 60)"
		call b read_file '{"path":"p.c"}' "Error: no such thing"
		messages assistant:b user:c assistant:d
	} > in
	n=$(tokens in)
	ctx-prune -s heuristic -t 1 -k 1 -b $((n - 5)) --explain why in > out
	run -1 grep -q superseded why
	# part of a file does not stand for all of it, but all for a part
	{
		messages user:a
		call a read_file '{"path":"p.c","from":1}' "part $(words 60)"
		call b read_file '{"path":"p.c"}' "whole $(words 60)"
		call c read_file '{"path":"p.c","from":9}' "part two $(words 60)"
		messages assistant:b user:c assistant:d
	} > in
	n=$(tokens in)
	ctx-prune -s heuristic -t 1 -k 1 -b $((n - 5)) --explain why in > out
	[ "$(jq -s 'map(.line)' why | jq -c .)" = '[2,3]' ]
	[ "$(jq -r .rule why | sort -u)" = superseded ]
}

@test "heuristic: what was cut or failed supersedes nothing, whoever says so" {
	for newer in "[cleared]" \
	    "new text [… 900 characters truncated …] end" \
	    "[1000 characters in .ctx/spool/read_file-ab.md]"; do
		{
			messages user:a
			call a read_file '{"path":"p.c"}' "the text $(words 60)"
			call b read_file '{"path":"p.c"}' "$newer"
			messages assistant:b user:c assistant:d
		} > in
		n=$(tokens in)
		ctx-prune -s heuristic -t 1 -k 1 -b $((n - 5)) --explain why in > out
		run -1 grep -q superseded why
	done
	# Anthropic and Bedrock say of a result that it is an error.
	jq -nc --arg w "$(words 60)" '
	    def call($i): {role: "assistant", content: [{type: "tool_use",
		id: $i, name: "read_file", input: {path: "p.c"}}]};
	    def result($i; $t; $bad): {role: "user", content: [{type:
		"tool_result", tool_use_id: $i, content: [{type: "text",
		text: $t}], is_error: $bad}]};
	    {role: "user", content: "a"}, call("a"), result("a"; "old " + $w;
	    false), call("b"), result("b"; "new " + $w; $ARGS.named.w == ""),
	    {role: "assistant", content: "b"}, {role: "user", content: "c"},
	    {role: "assistant", content: "d"}' > good
	sed '5s/"is_error":false/"is_error":true/' good > bad
	n=$(tokens good)
	ctx-prune -s heuristic -t 1 -k 1 -b $((n - 5)) --explain why good > out
	[ "$(jq -r .rule why | sort -u)" = superseded ]
	ctx-prune -s heuristic -t 1 -k 1 -b $((n - 5)) --explain why bad > out
	run -1 grep -q superseded why
}

@test "heuristic: at aggressive what is kept is cut to its ends first" {
	long=$(words 400)
	{
		messages "system:Be brief. $long" "user:Mend it. $long end of it"
		call a read_file '{"path":"p.c"}' "the text $long the end"
		messages "assistant:I think $long so be it" "user:And?" \
		    "assistant:Done." "user:Thanks, $long" "assistant:Yes."
	} > in
	ctx-prune -s heuristic -l aggressive -k 2 -t 1 -b 10k \
	    --trigger 4k --target 3k --explain why in > out
	[ "$(wc -l < out)" -eq "$(wc -l < in)" ]
	[ "$(jq -r .rule why | sort -u)" = ends ]
	[ "$(jq -s 'map(.line) | sort | tostring' why)" = '"[2,4,5]"' ]
	for i in 2 4 5; do
		sed -n ${i}p out | jq -e '.content | length <= 1000 and
		    contains("characters truncated")' > /dev/null
	done
	sed -n 4p out | jq -r .content | head -c 8 | grep -qx 'the text'
	sed -n 4p out | jq -r .content | tail -n 1 | grep -q 'the end$'
	# the system prompt and the newest messages are verbatim
	cmp <(sed -n '1p;8,9p' in) <(sed -n '1p;8,9p' out)
	n=$(tokens out)
	[ "$(jq -s 'map(.after) | add' why)" -lt $n ]
	[ $(($(tokens in) - $(jq -s 'map(.before - .after) | add' why))) -eq $n ]
	ctx-prune -s heuristic -l aggressive -k 2 -t 1 -b 10k \
	    --trigger 4k --target 3k out | cmp - out
	# what must shrink more loses groups as well
	ctx-prune -s heuristic -l aggressive -k 2 -t 1 -b 2k in > out
	[ "$(tokens out)" -le 2000 ]
	# the other levels cut nothing
	ctx-prune -s heuristic -l balanced -k 2 -t 1 -b 3500 in > out
	run -1 grep -q truncated out
	# in a record the same is done
	jq -nc '{messages: [inputs]}' in > record
	ctx-prune -s heuristic -l aggressive -k 2 -t 1 -b 10k \
	    --trigger 4k --target 3k record | jq -c '.messages[]' > a
	ctx-prune -s heuristic -l aggressive -k 2 -t 1 -b 10k \
	    --trigger 4k --target 3k in | cmp - a
}

@test "--tool and --not-tool: only such results are edited, groups go anyway" {
	{
		messages "user:Go."
		for i in 1 2 3; do
			call "a$i" read_file '{}' "text $(words 60)"
			call "b$i" run '{}' "output $(words 60)"
		done
		messages "assistant:Done." "user:And now?" "assistant:Nothing."
	} > in
	n=$(tokens in)
	cleared() { # names of the tools whose results were cleared
		jq -rs '[.[].tool_calls // [] | .[]] as $calls | .[] |
		    select(.content == "[cleared]") | .tool_call_id as $i |
		    $calls[] | select(.id == $i) | .function.name' "$1" |
		    sort | uniq -c | tr -s ' \n' ' '
	}
	for s in pinned-fifo heuristic; do
		l=aggressive
		[ $s = pinned-fifo ] || l=light
		ctx-prune -s $s -l $l -k 1 -t 1 -b $((n - 10)) \
		    --target $((n - 20)) in > out
		[ "$(cleared out)" = " 3 read_file 3 run " ]
		ctx-prune -s $s -l $l -k 1 -t 1 -b $((n - 10)) \
		    --target $((n - 20)) --tool '^read' in > out
		[ "$(cleared out)" = " 3 read_file " ]
		ctx-prune -s $s -l $l -k 1 -t 1 -b $((n - 10)) \
		    --target $((n - 20)) --not-tool '^read' in > out
		[ "$(cleared out)" = " 3 run " ]
		ctx-prune -s $s -l $l -k 1 -t 1 -b $((n - 10)) \
		    --target $((n - 20)) --tool nope --tool run in > out
		[ "$(cleared out)" = " 3 run " ]
		ctx-prune -s $s -l $l -k 1 -t 1 -b 100 --tool nope in > out
		[ "$(tokens out)" -le 100 ]
	done
	# several results of one message, each by the tool that it comes from
	jq -nc --arg w "$(words 60)" '
	    {role: "user", content: "go"},
	    {role: "assistant", content: [{type: "tool_use", id: "a", name:
		"read_file", input: {}}, {type: "tool_use", id: "b", name:
		"run", input: {}}]},
	    {role: "user", content: [{type: "tool_result", tool_use_id: "a",
		content: $w}, {type: "tool_result", tool_use_id: "b",
		content: $w}]},
	    {role: "assistant", content: "done"}, {role: "user", content:
	    "and"}, {role: "assistant", content: "no"}' > in
	n=$(tokens in)
	ctx-prune -l aggressive -k 1 -t 1 -b $((n - 1)) --target $((n - 2)) \
	    --not-tool run in > out
	[ "$(sed -n 3p out | jq -c '[.content[].content == "[cleared]"]')" = \
	    '[true,false]' ]
	ctx-prune -l aggressive -k 1 -t 1 -b $((n - 1)) --target $((n - 2)) \
	    --not-tool run out | cmp - out
}

@test "heuristic: at light the bodies of old results go before any group" {
	run_of_calls > in
	n=$(tokens in)
	ctx-prune -s heuristic -l light -b $((n - 10)) in > out
	[ "$(wc -l < out)" -eq "$(wc -l < in)" ]
	grep -q '"content":"\[cleared\]"' out
}

@test "heuristic: reasoning goes before its message is cut to its ends" {
	{
		messages "user:Mend it."
		jq -nc --arg t "I think $(words 400) so be it" \
		    '{role: "assistant", content: [
			{type: "thinking", thinking: "hm hm hm", signature: "Eq=="},
			{type: "text", text: $t}]}'
		messages "user:And?" "assistant:Done." "user:Thanks." \
		    "assistant:Yes."
	} > in
	ctx-prune -d anthropic -s heuristic -l aggressive -k 2 -t 1 -b 10k \
	    --trigger 700 --target 600 --explain why in > out
	[ "$(jq -r '"\(.line) \(.rule)"' why)" = "2 reasoning and ends" ]
	cmp <(sed 2d in) <(sed 2d out)
	sed -n 2p out | jq -e '.content | length == 1 and (.[0].text |
	    length <= 1000 and startswith("I think") and endswith("so be it"))'
}

@test "heuristic: a notice is no part of what is cut to its ends" {
	said() {
		jq -nc '{role: $ARGS.positional[0], parts: [$ARGS.positional[1:][] |
		    {text: .}]}' --args "$@"
	}
	long="b $(words 400)end"
	notice="more $(words 200)"
	# Does the mark say how much is missing of the text?
	cut_right() {
		jq -e --arg t "$long" 'capture(
		    "^(?<a>.*)\n\\[. (?<n>[0-9]+) characters truncated .\\]\n(?<z>.*)$") |
		    .a as $a | .z as $z | (.n | tonumber) as $n |
		    ($t | startswith($a) and endswith($z)) and
		    $n == ($t | length) - ($a + $z | length) and
		    $n < ($t | length) - 950'
	}
	{
		for i in 1 2 3 4 5 6; do
			said user "one two three $i"
			said model "four five six $i"
		done
	} > before
	prune() {
		ctx-prune -s heuristic -l aggressive -k 1 -t 1 \
		    --notice "$notice" "$@"
	}
	{
		cat before
		said user q
		said user "$notice" "$long"
		said model c
	} > in
	prune -b 1k in > out
	jq -c '.parts[].text | select(startswith("b "))' out | cut_right
	[ "$(grep -c "$notice" out)" -eq 1 ]
	prune -b 1k out | cmp - out
	# and no token is taken off twice
	run -1 prune -b 90 in
	[[ $output != *844674* ]]
}

@test "recall: what the question asks for stays, in order, with its turn" {
	{
		for i in $(seq 60); do
			messages "user:Tell me about topic $i, $(words 20)" \
			    "assistant:Topic $i is dull. $(words 20)"
			[ "$i" -ne 17 ] || messages \
			    "user:By the way, my sister Ottilie moved to Bergen." \
			    "assistant:How nice, Bergen is rainy."
		done
		messages "user:Where does my sister live now?"
	} > in
	ctx-prune -s recall -k 1 -t 1 -b 700 in > out
	[ "$(tokens out)" -le 700 ]
	grep -q Ottilie out
	is_subsequence out in
	[ "$(tail -n 1 out)" = "$(tail -n 1 in)" ]
	# recency alone would have lost it
	ctx-prune -k 1 -t 1 -b 700 in > fifo
	run -1 grep -q Ottilie fifo
	ctx-prune -s recall --query "topic 5" -k 1 -t 1 -b 700 in > out
	grep -q 'topic 5,' out
}

@test "recall: words are made of every letter and digit" {
	for w in aaaa zzzz AAAA ZZZZ 0000 9999; do
		{
			messages "user:Once I said $w." "assistant:You did."
			for i in $(seq 30); do
				messages "user:Tell me about it, mmm$i" \
				    "assistant:It is kept dull, $(words 5)"
			done
		} > in
		ctx-prune -s recall --query "$w" -k 1 -t 1 -b 200 in > out
		[ "$(head -n 1 out)" = "$(head -n 1 in)" ] || fail "$w"
	done
}

@test "recall: scripts without spaces are found, too" {
	{
		for i in $(seq 40); do
			messages "user:第$i回の話は普通です。天気もよかった。" "assistant:そうですか。"
		done
		messages "user:合言葉は青い鯨です。" "assistant:覚えました。"
		for i in $(seq 40); do
			messages "user:第$i回の続きも普通です。天気もよかった。" "assistant:そうですか。"
		done
		messages "user:青い鯨とは何でしたか？"
	} > in
	ctx-prune -s recall -k 1 -t 1 -b 400 in > out
	grep -q '合言葉' out
}

# A long talk about nothing, in which the given lines stand at one place.
talk_around() {
	local i
	for i in $(seq 40); do
		messages "user:Ann: The weather is fine on day $i here." \
		    "assistant:Bob: So it is, and number $i was fine."
		[ "$i" -ne 11 ] || messages "$@"
	done
}

@test "recall: of a very long text every word counts" {
	for thing in xylophone piano; do
		messages "user:What do you see?"
		jq -nc --arg t "My $thing is blue. " \
		    '{role: "assistant", content: ($t + "la " * 70000)}'
	done > in
	messages "user:And where is it?" "assistant:In the hall." >> in
	n=$(tokens <(sed -n 2p in))
	for thing in xylophone piano; do
		ctx-prune -s recall -k 1 -t 1 -b $((n * 3 / 2)) \
		    --query $thing in > out
		[ "$(jq -r '.content | select(length > 1000) |
		    split(" ")[1]' out)" = $thing ]
	done
}

@test "recall: forms of a word meet, and the answer beside the words stays" {
	{
		talk_around "user:Ann: I am thinking of adopting a greyhound." \
		    "assistant:Bob: Which?" "user:Ann: Zazu, with three legs."
		messages "user:What about the adoption?"
	} > in
	ctx-prune -s recall -k 1 -t 1 -b 150 in > out
	grep -q adopting out
	grep -q Zazu out
	{
		talk_around "user:Ann: My canoe was bought from old Tibor."
		messages "user:From whom did she buy it?"
	} > in
	ctx-prune -s recall -k 1 -t 1 -b 150 in > out
	grep -q Tibor out
}

@test "recall: capital letters of Greek and Cyrillic are found in small ones" {
	for pair in ЁЛКА:ёлка ЂАК:ђак ΣΑΛΟΝΙ:σαλονι ÄRGER:ärger ŠKODA:škoda; do
		{
			for i in $(seq 8); do
				messages "user:$i $(words 6)" "assistant:$i"
			done
			messages "user:x ${pair%:*} y" "assistant:there"
			for i in $(seq 8); do
				messages "user:$i $(words 6)" "assistant:$i"
			done
			messages "user:${pair#*:}"
		} > in
		ctx-prune -s recall -k 1 -t 1 -b 60 in > out
		grep -q "${pair%:*}" out || fail "$pair"
	done
}

@test "recall: who is asked about counts, by name, prefix or dated prefix" {
	local a b n
	for form in plain dated member; do
		case $form in
		plain) a='Ann: ' b='Bob: ' n=70 ;;
		dated) a='[9:15 on 3 May] Ann: ' b='[9:16 on 3 May] Bob: '
			n=130 ;;
		member) a='' b='' n=70 ;;
		esac
		for i in $(seq 60); do
			messages "user:${a}day $i was fine." \
			    "assistant:${b}number $i, too."
			[ "$i" -ne 20 ] ||
				messages "user:${a}my boat is called Kestrel."
			[ "$i" -ne 30 ] || messages "user:${a}I see." \
			    "assistant:${b}my boat is called Petrel."
		done |
		    if [ $form = member ]; then
			jq -c '.name = {user: "Ann", assistant: "Bob"}[.role]'
		    else
			cat
		    fi > in
		ctx-prune -s recall -k 1 -t 1 -b $n \
		    --query "What is Ann's boat called?" in > out
		grep -q Kestrel out
		run -1 grep Petrel out
		ctx-prune -s recall -k 1 -t 1 -b $n \
		    --query "What is Bob's boat called?" in > out
		grep -q Petrel out
		run -1 grep Kestrel out
	done
}

@test "recall: what is too large leaves room for what fits" {
	{
		messages "user:Read the notes."
		call a read_file '{"path":"notes"}' "the password $(words 300)"
		messages "user:The password is on the door."
		for i in $(seq 40); do
			messages "user:thing $i" "assistant:done $i"
		done
		messages "user:Which password?"
	} > in
	ctx-prune -s recall -k 1 -t 1 -b 120 in > out
	ctx-count -q --max 120 out
	grep -q 'on the door' out
	# the room is filled, but for less than one of the small ones
	[ "$(tokens out)" -ge 105 ]
}

@test "recall: a word among very many is found" {
	{
		for word in quokka wombat; do
			messages "user:Go on."
			seq 70000 | tr '\n' ' ' | sed "s/69990/$word $word/" |
				jq -Rc '{role: "assistant", content: .}'
		done
		messages "user:Where is the quokka?"
	} > in
	n=$(tokens in)
	ctx-prune -s recall -k 1 -t 1 -b $((n * 6 / 10)) in > out
	grep -q 'quokka quokka' out
	run ! grep -q wombat out
}

@test "recall: a result that comes late holds its turn, and the budget" {
	{
		messages "user:One." "assistant:Yes."
		call a find '{"what":"the heron"}' "heron" | head -n 1
		messages "user:Meanwhile, $(words 200)" "assistant:Well."
		call a find '{"what":"the heron"}' "nothing" | tail -n 1
		for i in $(seq 40); do
			messages "user:thing $i" "assistant:done $i"
		done
		messages "user:Where was the heron?"
	} > in
	for b in 60 100 200 400; do
		ctx-prune -s recall -k 1 -t 1 -b $b in > out
		ctx-count -q --max $b out
		ctx-check -q out
	done
}

@test "recall: an embedder ranks with it, and one that fails keeps all" {
	{
		for i in $(seq 40); do
			messages "user:item $i $(words 10)" "assistant:noted $i"
		done
		messages "user:which one?"
	} > in
	# near to the question: what speaks of item 7
	cat > embed <<'X'
#!/bin/sh
awk '{ print (NR == 1 || /item 7 /) ? "[1,0]" : "[0,1]" }'
X
	chmod +x embed
	ctx-prune -s recall --embedder ./embed -k 1 -t 1 -b 200 in > out
	grep -q 'item 7 ' out
	CTX_EMBEDDER=./embed ctx-prune -s recall -k 1 -t 1 -b 200 in | cmp - out
	# The last line may be without its end.
	ctx-prune -s recall --embedder 'printf %s "$(./embed)"' -k 1 -t 1 \
	    -b 200 in | cmp - out
	# Only where numbers point counts, not how far.
	for far in 1e-200 1e80 1e300; do
		sed "s/\\[1,/[$far,/; s/,1\\]/,$far]/" embed > far
		chmod +x far
		ctx-prune -s recall --embedder ./far -k 1 -t 1 -b 200 in | cmp - out
	done
	# A command, and why its answer is none.
	while IFS='|' read -r bad why; do
		run -2 ctx-prune -s recall --timeout 1 --embedder "$bad" -b 200 in
		ctx-prune -s recall --timeout 1 --embedder "$bad" -b 200 in \
		    > out 2> err || [ $? -eq 2 ]
		cmp out in
		grep -q "nothing was removed: .*$why" err || fail "$bad: $(cat err)"
	done <<-'X'
		false|status 1
		sed "s/.*/x/"|no array of numbers
		sed p|wrote 164 lines for 82
		echo "[1]"|wrote 1 lines for 82
		yes "[]"|the embedder wrote more than 8060928 bytes for 82 texts; have it
		sed "s/.*/[1e999]/"|no array of numbers
		sed "s/.*/[]/"|no array of numbers
		sed "s/.*/[1,\"2\"]/"|no array of numbers
		sed "s/.*/[1,2/"|no array of numbers
		sed "s/.*/[1]/;3s/1/1,2/"|lines of different lengths
		sed "s/.*/[1]/;82d"|wrote 81 lines for 82
		sleep 60|within 1 seconds
	X
	# A line that a reader which recurses would not do with.
	(ulimit -s 128 && run -2 ctx-prune -s recall -b 200 in --embedder \
	    'sed "s/.*/$(printf "[%.0s" $(seq 2000))/"' &&
		[[ $output == *"no array of numbers"* ]])
}

@test "recall: an embedder gets the beginning of a text, whole characters" {
	{
		jq -nc --arg t "x$(printf 'é%.0s' {1..9000})" '{role: "user", content: $t}'
		jq -nc --arg t "$(printf 'é%.0s' {1..9000})" '{role: "user", content: $t}'
		messages "assistant:a" "user:which?"
	} > in
	ctx-prune -s recall --embedder 'tee got | sed "s/.*/[1]/"' -k 1 -t 1 \
	    -b 200 in > out
	[ "$(wc -l < got)" -eq 5 ]
	jq -es '.[1:3] | map(.text | test("^x?é+$") and utf8bytelength > 1000 and
	    utf8bytelength < 9000) | all' got
	# What is no message is a text of nothing.
	jq -sc '{messages: [.[0], {no: "message"}, .[2], 7, .[3]]}' in > record
	ctx-prune -s recall --embedder 'tee got | sed "s/.*/[1]/"' -k 1 -t 1 \
	    -b 200 record > out
	jq -es 'map(.text) | (.[0] | startswith("which?")) and .[2] == "" and
	    .[4] == "" and (.[3] | startswith("a"))' got
}

@test "heuristic and recall meet the budget and are idempotent" {
	for s in heuristic recall; do
		for l in light balanced aggressive; do
			for b in 60k 20k 6k; do
				ctx-prune -s $s -l $l -b $b "$agent" > once
				ctx-count -q --max $b once
				ctx-prune -s $s -l $l -b $b once | cmp - once
				"$B/gen-tools/valid" openai-chat < once
			done
		done
	done
}

@test "in records each conversation is ranked by itself" {
	run_of_calls > in
	jq -nc '{messages: [inputs]}' in > record
	n=$(tokens in)
	ctx-prune -s heuristic -t 1 -k 1 -b $((n - 10)) in | jq -c . > lines
	ctx-prune -s heuristic -t 1 -k 1 -b $((n - 10)) record |
	    jq -c '.messages[]' | cmp - lines
	cat record record > two
	ctx-prune -s heuristic -t 1 -k 1 -b $((n - 10)) two > out
	head -n 1 out | cmp - <(tail -n 1 out)
}

# Two people who both write as the user, 40 messages of about 20 tokens.
talk() {
	for i in $(seq 20); do
		jq -nc --arg i "$i" '{role: "user", name: "ann", content:
		    "How is the garden, week \($i)? Did the beans come up?"},
		    {role: "user", name: "bob", content:
		    "In week \($i) they are \($i) inches high, and green."}'
	done
	jq -nc '{role: "user", name: "ann",
	    content: "How high were the beans in week 7?"}'
}

@test "a talk of two people by name is cut between them, by every strategy" {
	talk > in
	[ "$(ctx-count --json in | jq .turns)" = 41 ]
	for s in pinned-fifo fifo middle-out heuristic summarize recall; do
		for b in 150 300 600; do
			ctx-prune -s $s -b $b in > out
			[ "$(tokens out)" -le $b ]
			tail -n 1 in | cmp - <(tail -n 1 out)
			ctx-check out
			ctx-prune -s $s -b $b out | cmp out -
		done
	done
	ctx-prune -s recall -k 1 -t 1 -b 150 in > out
	grep -q 'In week 7 they' out
	ctx-prune -s window --window-turns 5 in > out
	tail -n 5 in | cmp - out
	# in other shapes of it, too
	jq -c '{type: "human", data: {content, name, type: "human"}}' in > lc
	ctx-prune -b 300 lc > out
	[ "$(tokens out)" -le 300 ]
	jq -sc '{model: "gpt-4o", messages: .}' in > request
	ctx-prune -b 300 request > out
	[ "$(tokens out)" -le 300 ]
}

@test "users of one name, or of none, still are one turn" {
	talk | jq -c '.name = "ann"' > one
	talk | jq -c 'del(.name)' > none
	for f in one none; do
		[ "$(ctx-count --json $f | jq .turns)" = 1 ]
		run -1 ctx-prune -b 300 $f
		ctx-prune -b 300 $f 2> /dev/null | cmp $f -
	done
}

@test "recall: who asks is not who is asked about" {
	talk > member
	jq -c '{role: (if .name == "ann" then "user" else "assistant" end),
	    content: "\(.name): \(.content)"}' member > prefix
	for f in member prefix; do
		ctx-prune -s recall -k 1 -t 1 -b 130 $f > out
		grep -q 'In week 7 they' out
	done
	# a topic before the question is part of it
	{
		messages "user:hi" "assistant:The weather is fine today." \
		    "user:ok" "assistant:My roses need water in May." \
		    "user:ok" "assistant:My mother bakes a cake in May." \
		    "user:ok" "assistant:We saw a film in May." \
		    "user:roses: what do they need?"
	} > in
	ctx-prune -s recall -k 1 -t 1 -b 40 in > out
	grep -q 'roses need' out
}

@test "recall: who is asked about shows in whom the other side calls" {
	# two such remarks, of which only one fits
	chat() {
		local i
		for i in "$@"; do
			messages "user:Thanks, Ben! $(words 30)$i" \
			    "assistant:Ann, look at that. $(words 30)$i"
		done
	}
	{
		messages "user:Hi Ben! I went swimming in a lake." \
		    "assistant:Nice."
		chat 1 2 3 4
		messages "user:Hm." \
		    "assistant:Well, Ann! I went swimming in the sea."
		chat 5 6
	} > in
	ctx-prune -s recall -k 1 -t 1 -b 40 > out < <(cat in
	    messages "user:Where did Ann go swimming?")
	grep -q 'a lake' out
	run -1 grep -q 'the sea' out
	ctx-prune -s recall -k 1 -t 1 -b 40 > out < <(cat in
	    messages "user:Where did Ben go swimming?")
	grep -q 'the sea' out
	run -1 grep -q 'a lake' out
}

# lonely FILE: the calls that programs which are not in it made
lonely() {
	jq -rs '[.. | objects | select(.type == "server_tool_use").id,
	    select(.type == "program").call_id,
	    select(.type == "tool-call" and .providerExecuted).toolCallId] as $programs |
	    .. | objects | .caller? // empty | (.tool_id, .toolId, .caller_id) |
	    select(. != null) | select(IN($programs[]) | not)' "$1"
}

@test "what a program called goes with it, what goes on with its call" {
	runs=0 short=0
	for f in anthropic/programs openai-responses/programs \
	    vercel-model/programs gemini/continued; do
		f=$BATS_TEST_DIRNAME/corpus/$f.jsonl
		for s in pinned-fifo fifo heuristic middle-out recall; do
			for b in 100 350 450 600 1000; do
				for k in 0 4; do
					ctx-prune -b $b -s $s -k $k -t 1 "$f" > out 2> err ||
					    [ $? -eq 1 ]
					ctx-check out || fail "$s $b $k $f"
					[ -z "$(lonely out)" ] ||
					    fail "$s $b $k $f: $(lonely out)"
					runs=$((runs + 1))
					short=$((short + $(cmp -s out "$f" || echo 1)))
				done
			done
		done
	done
	[ $short -eq $runs ]
	# One without a name was called by nobody.
	sed 's/"tool_id":"[^"]*"/"tool_id":""/' \
	    "$BATS_TEST_DIRNAME/corpus/anthropic/programs.jsonl" > nameless
	ctx-prune -b 300 -k 1 -t 1 nameless > out
	run -1 ctx-check nameless
	[[ $output == *orphan-caller* ]]
	# It can fail.
	sed 4d "$BATS_TEST_DIRNAME/corpus/anthropic/programs.jsonl" > broken
	[ -n "$(lonely broken)" ]
	run -1 ctx-check broken
	[[ $output == *"broken:5: orphan-caller: "* ]]
}

# The rules that a stream breaks.
rules() {
	ctx-check --json | jq -r .rule | sort -u
}

# What every strategy leaves of a valid conversation is valid: FILE BUDGET...
stays_valid() {
	local in=$1 s b t
	shift
	ctx-check "$in"
	for s in pinned-fifo fifo heuristic middle-out recall summarize window; do
		for b in "$@"; do
			for t in 0 1 2 3; do
				ctx-prune -b "$b" -s $s -k $((t % 2)) -t $t \
				    "$in" > out 2> err || [ $? -eq 1 ]
				ctx-check out || fail "$s $b $t: $(cat out)"
			done
		done
	done
}

@test "results that come while something else is spoken of part no turn" {
	jq -nc --arg w "$(words 20)" '
	    def says($role; $part): {role: $role, parts: [$part]};
	    def result($more): says("user"; {functionResponse: {id: "w",
		name: "watch", willContinue: $more, response: {output: $w}}});
	    says("user"; {text: "keep me posted"}),
	    says("model"; {functionCall: {id: "w", name: "watch", args: {}}}),
	    result(true), says("model"; {text: "I am watching."}),
	    says("user"; {text: "and what is two and two?"}),
	    says("model"; {text: "Four."}), result(true),
	    says("model"; {text: "It goes on."}),
	    says("user"; {text: "and three?"}), says("model"; {text: "Six."}),
	    result(false), says("model"; {text: "It is done."}),
	    says("user"; {text: "Thanks."}), says("model"; {text: "Welcome."})' > in
	stays_valid in 10 30 60 100
	ctx-prune -b 10 -k 1 -t 1 in > out
	[ "$(wc -l < out)" -eq 2 ]
}

@test "a turn that begins beside results stays as long as what they answer" {
	jq -nc --arg w "$(words 20)" '
	    def says($role; $content): {role: $role, content: $content};
	    def text: {text: .};
	    def call: {toolUse: {toolUseId: ., name: "f", input: {}}};
	    def result: {toolResult: {toolUseId: ., content: [{text: $w}]}};
	    says("user"; ["Where is the manifest?" | text]),
	    says("assistant"; ["a" | call]), says("user"; ["a" | result]),
	    says("assistant"; [("The manifest is here." | text), ("b" | call)]),
	    says("user"; [("b" | result), ("Something else." | text)]),
	    says("assistant"; ["Yes?" | text]),
	    says("user"; ["And what of the weather?" | text]),
	    says("assistant"; ["c" | call]),
	    says("user"; [("c" | result), ("Once more." | text)]),
	    says("assistant"; [("The manifest." | text), ("d" | call)]),
	    says("user"; [("d" | result), ("Less of it." | text)]),
	    says("assistant"; ["Good." | text]),
	    says("user"; ["So what of the manifest?" | text]),
	    says("assistant"; ["All is in it." | text])' > in
	stays_valid in 20 40 60 80 100 120 140 160 180
}

@test "what several calls went on with stands or falls as roles demand" {
	jq -nc --arg w "$(words 20)" '
	    def says($role; $parts): {role: $role, parts: $parts};
	    def text: {text: .};
	    def call: {functionCall: {id: ., name: "f", args: {}}};
	    def some($more): {functionResponse: {id: ., name: "f",
		willContinue: $more, response: {output: $w}}};
	    def result: some(false);
	    says("user"; ["Where is the manifest?" | text]),
	    says("model"; ["z" | call]), says("user"; ["z" | result]),
	    says("model"; ["a", "b" | call]),
	    says("user"; ["a", "b" | some(true)]),
	    says("model"; ["I look." | text]), says("user"; ["b" | result]),
	    says("model"; ["The manifest, soon." | text]),
	    says("user"; ["Something else." | text]),
	    says("model"; ["c" | call]), says("user"; ["c" | some(true)]),
	    says("model"; ["Yes?" | text]),
	    says("user"; [("a" | some(true)), ("And the weather?" | text)]),
	    says("model"; ["d" | call]), says("user"; ["d" | result]),
	    says("model"; ["Fine." | text]), says("user"; ["c" | result]),
	    says("model"; ["e" | call]),
	    says("user"; [("e", "a" | result), ("Once more." | text)]),
	    says("model"; ["The manifest." | text]),
	    says("user"; ["What of the manifest?" | text]),
	    says("model"; ["All is in it." | text])' > in
	stays_valid in 20 50 80 110 140 170 200 230 260 290
	# Without ids, and with records that are no messages among them.
	jq -c 'del(.parts[][].id?)' in > nameless
	stays_valid nameless 20 90 160 230 300
	sed 'a {"usageMetadata":{"totalTokenCount":30}}' in > between
	stays_valid between 20 90 160 230 300
}

@test "calls that go on: a stream is cut as the record of its messages is" {
	jq -nc --arg w "$(words 9000)" '
	    def says($role; $parts): {role: $role, parts: $parts};
	    def some($more): {functionResponse: {id: "a", name: "f",
		willContinue: $more, response: {output: "x"}}};
	    says("user"; [{text: "watch"}]),
	    says("model"; [{functionCall: {id: "a", name: "f", args: {}}}]),
	    says("user"; [some(true)]), says("model"; [{text: "ok"}]),
	    (range(4) | says("user"; [{text: $w}]),
		says("model"; [{text: "So much."}])),
	    says("user"; [some(false), {text: "what else?"}]),
	    says("model"; [{text: "Nothing."}]),
	    says("user"; [{text: "Thanks."}]),
	    says("model"; [{text: "Welcome."}])' > in
	ctx-check in
	jq -sc '{contents: .}' in > record
	for s in pinned-fifo fifo middle-out window; do
		for o in "--pin watch" "--pin else" ""; do
			# shellcheck disable=SC2086 # options
			ctx-prune -b 30k -s $s -k 1 -t 0 $o in > out 2> err ||
			    [ $? -eq 1 ]
			# shellcheck disable=SC2086 # options
			ctx-prune -b 30k -s $s -k 1 -t 0 $o record > whole \
			    2> err || [ $? -eq 1 ]
			ctx-check out
			jq -c '.contents[]' whole | cmp - out
		done
	done
}

@test "a call that still goes on stays, whatever turn it is of" {
	cat > in <<-'END'
	{"role":"user","parts":[{"text":"Watch the log and tell me what comes."}]}
	{"role":"model","parts":[{"functionCall":{"id":"a","name":"watch","args":{}}}]}
	{"role":"user","parts":[{"functionResponse":{"id":"a","name":"watch","willContinue":true,"response":{"output":"started"}}}]}
	{"role":"model","parts":[{"text":"It runs."}]}
	{"role":"user","parts":[{"text":"Meanwhile, what is two and two?"}]}
	{"role":"model","parts":[{"text":"Four."}]}
	END
	echo '{"role":"user","parts":[{"functionResponse":{"id":"a","name":"watch","response":{"output":"ended"}}}]}' > result
	sed 's/"id":"a",//' in > nameless
	sed 's/"id":"a",//' result > its
	for s in pinned-fifo fifo heuristic middle-out recall window; do
		run -1 --separate-stderr ctx-prune -b 10 -s $s -k 1 -t 1 in
		[[ $s == middle-out || $stderr == *", open calls "* ]]
		cat - result <<< "$output" | ctx-check
		run --separate-stderr ctx-prune -b 10 -s $s -k 1 -t 1 nameless
		cat - its <<< "$output" | ctx-check
	done
	# Its last result makes it one of those that may go.
	(cat in result; sed 's/Four/It ended/;s/Meanwhile.*two?/Thanks/' in |
	    tail -n 1) > ended
	ctx-check ended
	ctx-prune -b 15 -k 1 -t 0 ended > out
	[ "$(grep -c watch out)" -eq 0 ]
}

@test "a line that is there twice makes nothing worse" {
	broken=0
	for f in anthropic/results openai-chat/support langchain-dict/coding \
	    codex/rollout vercel-model/coding openai-responses/tools \
	    bedrock/steps gemini/agent; do
		f=$BATS_TEST_DIRNAME/corpus/$f.jsonl
		half=$(($(tokens "$f") / 2))
		for ((n = 2; n <= $(wc -l < "$f"); n++)); do
			sed "${n}p" "$f" > in
			rules < in > before
			grep -q duplicate-result before || continue
			broken=$((broken + 1))
			for s in fifo heuristic middle-out; do
				ctx-prune -b "$half" -s $s -k 2 -t 1 in > out 2> err || [ $? -eq 1 ]
				rules < out > after
				[ -z "$(comm -13 before after)" ] ||
				    fail "$f $n $s: $(ctx-check out)"
			done
		done
	done
	[ $broken -gt 20 ]
}
