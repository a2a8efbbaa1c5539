# ctx-prune -s heuristic, and what it shares with recall and salient

load helper

# A run in which files are read again and calls fail.
run_of_calls() {
	messages "system:Be brief." "user:Mend the parser."
	called a read_file '{"path":"p.c"}' "old text $(numbered 60)"
	called b run '{"command":"make"}' "Error: no rule $(numbered 60)"
	messages "assistant:Hm."
	called c list_dir '{"path":"."}' "p.c q.c $(numbered 60)"
	called d run '{"command":"make all"}' "exit: 0 $(numbered 60)"
	called e read_file '{ "path": "p.c" }' "new text $(numbered 60)"
	messages "assistant:$(numbered 80)" "user:And now?" "assistant:Done." \
	    "user:Thanks. One more thing." "assistant:Yes?" \
	    "user:Show it." "assistant:Here."
}

@test "heuristic removes repeated calls, then failed ones, then those without a rare name" {
	run_of_calls > in
	n=$(tokens in)
	ctx-prune -s heuristic --quantum 0 -t 1 -k 1 -b $((n - 10)) --explain why in > out
	[ "$(jq -r .rule why | sort -u)" = 'repeated later' ]
	grep -q 'new text' out
	run -1 grep -q 'old text' out
	ctx-prune -s heuristic --quantum 0 -t 1 -k 1 -b $((n - 200)) --explain why in > out
	[ "$(jq -r .rule why | uniq | tr '\n' ,)" = 'repeated later,failed, succeeded later,' ]
	ctx-prune -s heuristic --quantum 0 -t 1 -k 1 -b $((n - 400)) --explain why in > out
	jq -r .rule why | grep -qx 'no rare name'
	jq -e '.score >= 0' why > /dev/null
	least=$(ctx-prune -s heuristic --quantum 0 -t 1 -k 1 -b 1 in 2> /dev/null | tokens)
	# What was removed and still fits is kept.
	ctx-prune -s heuristic --quantum 0 -t 1 -k 1 -b $((least + 80)) in > out
	grep -q '"Hm."' out
	# A rare name keeps an old answer longer than newer ones without one.
	sed 's/"Hm\."/"It is in lib\/parse_17.c."/' in > rare
	ctx-prune -s heuristic --quantum 0 -t 1 -k 1 -b $((least + 30)) rare > out
	grep -q parse_17 out
}

@test "heuristic: a newer call supersedes an older one only if its result is good" {
	{
		messages user:a
		called a read_file '{"path":"p.c"}' "the text $(numbered 60)"
		called b read_file '{"path":"p.c"}' "Error: no such thing"
		messages assistant:b user:c assistant:d
	} > in
	n=$(tokens in)
	ctx-prune -s heuristic --quantum 0 -t 1 -k 1 -b $((n - 5)) --explain why in > out
	run -1 grep -q 'repeated later' why
	# part of a file does not stand for all of it, but all for a part
	{
		messages user:a
		called a read_file '{"path":"p.c","from":1}' "part $(numbered 60)"
		called b read_file '{"path":"p.c"}' "whole $(numbered 60)"
		called c read_file '{"path":"p.c","from":9}' "part two $(numbered 60)"
		messages assistant:b user:c assistant:d
	} > in
	n=$(tokens in)
	ctx-prune -s heuristic --quantum 0 -t 1 -k 1 -b $((n - 5)) --explain why in > out
	[ "$(jq -s 'map(.line)' why | jq -c .)" = '[2,3]' ]
	[ "$(jq -r .rule why | sort -u)" = 'repeated later' ]
}

@test "heuristic: a cleared, truncated, aged or failed result supersedes nothing" {
	for newer in "[cleared]" \
	    "new text [… 900 characters truncated …] end" \
	    "[1000 characters in .ctx/spool/read_file-ab.md]"; do
		{
			messages user:a
			called a read_file '{"path":"p.c"}' "the text $(numbered 60)"
			called b read_file '{"path":"p.c"}' "$newer"
			messages assistant:b user:c assistant:d
		} > in
		n=$(tokens in)
		ctx-prune -s heuristic -t 1 -k 1 -b $((n - 5)) --explain why in > out
		run -1 grep -q 'repeated later' why
	done
	# Anthropic and Bedrock say of a result that it is an error.
	jq -nc --arg w "$(numbered 60)" '
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
	[ "$(jq -r .rule why | sort -u)" = 'repeated later' ]
	ctx-prune -s heuristic -t 1 -k 1 -b $((n - 5)) --explain why bad > out
	run -1 grep -q 'repeated later' why
}

@test "heuristic knows how goose and the AI SDK say that a call failed" {
	for way in goose "goose error" vercel-model vercel-ui; do
		d=${way% *}
		for bad in false true; do
			jq -nc --arg w "$(numbered 60)" --arg d "$d" \
			    --arg way "$way" --argjson bad $bad '
			def say($role; $t): {role: $role, created: 1} +
			    ([{type: "text", text: $t}] | if $d == "vercel-ui"
			    then {parts: .} else {content: .} end);
			def read($id; $t; $bad): {path: "p.c"} as $in |
			    if $d == "goose" then
				{role: "assistant", created: 1, content: [
				    {type: "toolRequest", id: $id, toolCall:
				    {status: "success", value: {name:
				    "read_file", arguments: $in}}}]},
				{role: "user", created: 1, content: [
				    {type: "toolResponse", id: $id, toolResult:
				    (if $bad and $way != $d then {status:
				    "error", error: $t} else {status: "success",
				    value: {isError: $bad, content: [{type:
				    "text", text: $t}]}} end)}]}
			    elif $d == "vercel-ui" then
				{role: "assistant", parts: [{type:
				    "tool-read_file", toolCallId: $id, input:
				    $in} + if $bad then {state: "output-error",
				    errorText: $t} else {state:
				    "output-available", output: $t} end]}
			    else
				{role: "assistant", content: [{type:
				    "tool-call", toolCallId: $id, toolName:
				    "read_file", input: $in}]},
				{role: "tool", content: [{type: "tool-result",
				    toolCallId: $id, toolName: "read_file",
				    output: {type: (if $bad then "error-text"
				    else "text" end), value: $t}}]}
			    end;
			say("user"; "a"), read("a"; "old " + $w; false),
			read("b"; "new " + $w; $bad), say("assistant"; "b"),
			say("user"; "c"), say("assistant"; "d")' > in
			n=$(tokens in)
			ctx-prune -d "$d" -s heuristic -t 1 -k 1 \
			    -b $((n - 5)) --explain why in > out
			superseded=$(grep -c 'repeated later' why || true)
			[ $bad = true ] || [ "$superseded" -gt 0 ]
			[ $bad = false ] || [ "$superseded" -eq 0 ]
		done
	done
}

@test "heuristic at aggressive cuts results to passages, and other long texts to head and tail" {
	long=$(numbered 400)
	{
		messages "system:Be brief. $long" "user:Mend it. $long end of it"
		called a read_file '{"path":"p.c"}' "the text $long the end"
		messages "assistant:I think $long so be it" "user:And?" \
		    "assistant:Done." "user:Thanks, $long" "assistant:Yes."
	} > in
	ctx-prune -s heuristic -l aggressive -k 2 -t 1 -b 10k \
	    --trigger 4k --target 3k --explain why in > out
	[ "$(wc -l < out)" -eq "$(wc -l < in)" ]
	# of the result, passages without rare names are removed
	[ "$(jq -sr 'map("\(.line) \(.rule)") | sort | join(",")' why)" = \
	    '2 long texts,4 passages' ]
	sed -n 2p out | jq -e '.content | length <= 1000 and
	    contains("characters truncated")' > /dev/null
	sed -n 2p out | jq -r .content | head -c 7 | grep -qx 'Mend it'
	sed -n 2p out | jq -r .content | tail -n 1 | grep -q 'end of it$'
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
	# the level light cuts nothing
	ctx-prune -s heuristic -l light -k 2 -t 1 -b 3500 in > out
	run -1 grep -q truncated out
	# in a record the same is done
	jq -nc '{messages: [inputs]}' in > record
	ctx-prune -s heuristic -l aggressive -k 2 -t 1 -b 10k \
	    --trigger 4k --target 3k record | jq -c '.messages[]' > a
	ctx-prune -s heuristic -l aggressive -k 2 -t 1 -b 10k \
	    --trigger 4k --target 3k in | cmp - a
}

@test "recall at aggressive archives and cuts long texts, so that more messages are kept" {
	local level d
	for i in $(seq 8); do
		messages "user:Tell me about lake $i." \
		    "assistant:Lake $i is deep. $(numbered 400) So much for lake $i."
	done > in
	messages "user:How deep is lake 3?" >> in
	n=$(($(tokens in) / 2))
	for level in light balanced aggressive; do
		ctx-prune -s recall -l $level --target 100% -k 1 -t 1 -b $n \
		    --archive archive.$level in > out.$level
		ctx-count -q --max $n out.$level
		ctx-prune -s recall -l $level --target 100% -k 1 -t 1 -b $n \
		    out.$level | cmp out.$level -
	done
	run -1 grep -q truncated out.light
	[ "$(grep -c 'is deep' out.light)" -lt 8 ]
	# At balanced, passages of long texts are kept.
	[ "$(grep -c 'is deep.*characters truncated' out.balanced)" -gt 4 ]
	[ "$(grep -c 'is deep.*characters truncated.*So much' out.aggressive)" -gt 4 ]
	[ "$(grep -c 'is deep' out.aggressive)" -eq 8 ]
	awk 'NR == FNR { cut[FNR] = /characters truncated/ } NR != FNR && cut[FNR]' \
	    out.aggressive in | cmp - archive.aggressive
	for d in openai-responses anthropic gemini bedrock; do
		jq -c --arg d $d 'if $d == "gemini" then
		    {role: {user: "user", assistant: "model"}[.role],
		    parts: [{text: .content}]}
		    else .content = [{text: .content} +
		    if $d == "anthropic" then {type: "text"} elif $d == "bedrock"
		    then {} else {type: {user: "input_text",
		    assistant: "output_text"}[.role]} end] end' in > in.$d
		ctx-prune -d $d -s recall -l aggressive --target 100% -k 1 -t 1 \
		    -b $n in.$d > out.$d
		ctx-count -d $d -q --max $n out.$d
		ctx-check -d $d out.$d
		[ "$(grep -c 'is deep.*characters truncated' out.$d)" -gt 4 ]
	done
}

@test "--tool and --not-tool limit which results are edited, not which groups are removed" {
	{
		messages "user:Go."
		for i in 1 2 3; do
			called "a$i" read_file '{}' "text $(numbered 60)"
			called "b$i" run '{}' "output $(numbered 60)"
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
	# The tokens that are left when the results of these tools are cleared.
	without() {
		jq -c --arg t "$1" 'if .role == "tool" and (.content |
		    startswith($t)) then .content = "[cleared]" else . end' in |
		    tokens
	}
	all=$(jq -c 'if .role == "tool" then .content = "[cleared]" else . end' \
	    in | tokens)
	for s in pinned-fifo heuristic; do
		l=aggressive
		[ $s = pinned-fifo ] || l=light
		prune() { # target, options
			ctx-prune -s $s -l $l -k 1 -t 1 -b $((n - 10)) \
			    --quantum 0 --target "$@" in > out
		}
		prune "$all"
		[ "$(cleared out)" = " 3 read_file 3 run " ]
		prune "$(without text)" --tool '^read'
		[ "$(cleared out)" = " 3 read_file " ]
		prune "$(without output)" --not-tool '^read'
		[ "$(cleared out)" = " 3 run " ]
		prune "$(without output)" --tool nope --tool run
		[ "$(cleared out)" = " 3 run " ]
		# no more than needed, the oldest first
		prune $((n - 20))
		[ "$(cleared out)" = " 1 read_file " ]
		prune $((n - (n - all) / 6 - 20))
		[ "$(cleared out)" = " 1 read_file 1 run " ]
		ctx-prune -s $s -l $l -k 1 -t 1 -b 100 --quantum 0 \
		    --tool nope in > out
		[ "$(tokens out)" -le 100 ]
	done
	# several results of one message, each by the tool that it comes from
	jq -nc --arg w "$(numbered 60)" '
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
	ctx-prune -s pinned-fifo -l aggressive -k 1 -t 1 -b $((n - 1)) \
	    --target $((n - 2)) \
	    --not-tool run in > out
	[ "$(sed -n 3p out | jq -c '[.content[].content == "[cleared]"]')" = \
	    '[true,false]' ]
	ctx-prune -s pinned-fifo -l aggressive -k 1 -t 1 -b $((n - 1)) \
	    --target $((n - 2)) \
	    --not-tool run out | cmp - out
}

@test "heuristic at light clears old results before it removes groups" {
	run_of_calls > in
	n=$(tokens in)
	ctx-prune -s heuristic -l light -b $((n - 10)) in > out
	[ "$(wc -l < out)" -eq "$(wc -l < in)" ]
	grep -q '"content":"\[cleared\]"' out
}

@test "heuristic removes the reasoning of a message before it truncates the message" {
	{
		messages "user:Mend it."
		jq -nc --arg t "I think $(numbered 400) so be it" \
		    '{role: "assistant", content: [
			{type: "thinking", thinking: "hm hm hm", signature: "Eq=="},
			{type: "text", text: $t}]}'
		messages "user:And?" "assistant:Done." "user:Thanks." \
		    "assistant:Yes."
	} > in
	ctx-prune -d anthropic -s heuristic -l aggressive -k 2 -t 1 -b 10k \
	    --trigger 700 --target 600 --explain why in > out
	[ "$(jq -r '"\(.line) \(.rule)"' why)" = "2 reasoning, texts" ]
	cmp <(sed 2d in) <(sed 2d out)
	sed -n 2p out | jq -e '.content | length == 1 and (.[0].text |
	    length <= 1000 and startswith("I think") and endswith("so be it"))'
}

@test "heuristic truncates the text of a message, not the notice in it" {
	said() {
		jq -nc '{role: $ARGS.positional[0], parts: [$ARGS.positional[1:][] |
		    {text: .}]}' --args "$@"
	}
	long="b $(numbered 400)end"
	notice="more $(numbered 200)"
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
		ctx-prune -e o200k_base -s heuristic -l aggressive -k 1 -t 1 \
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

@test "heuristic, recall and salient meet the budget, and a second run changes nothing" {
	for s in heuristic recall salient; do
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

@test "each conversation in a record is ranked by itself" {
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
