# ctx-truncate: no single item too large

load helper
load truncate

# How large results are, one a line, in the unit $1.  Of a result that no mark
# fits, an ellipsis is left, whatever its size.
sizes() {
	jq --arg unit "$1" 'select(.role == "tool") | .content
	    | if type == "string" then [.] else map(.text // empty) end
	    | map(select(. != "…") | if $unit == "chars" then length
		elif $unit == "bytes" then utf8bytelength
		else split("\n") | if last == "" then length - 1
		    else length end
		end)
	    | add // 0'
}

@test "a stream within the limits passes byte for byte, however it is written" {
	ctx-truncate -l 40k --args 10k --message-limit 40k "$agent" |
	    cmp - "$agent"
	ctx-truncate < "$chat" | cmp - "$chat"
	printf '' | ctx-truncate | cmp - /dev/null
	printf '\357\273\277\r\n{"role":"tool","content":"\\u0061\\/"}\r\n\n[1e400]\n{ "role" : "user","content":"b" }' > odd
	ctx-truncate -l 2 odd | cmp - odd
}

@test "no result exceeds the limit in any unit, and all else is unchanged" {
	sed -n '1,40p; 255,270p' "$agent" > some
	jq -c 'select(.role != "tool")' some > rest
	for unit in chars bytes lines; do
		for keep in ends head tail; do
			for l in 1 2 36 400; do
				ctx-truncate --unit $unit --keep $keep -l $l \
				    some > out
				over=$(sizes $unit < out |
				    awk -v l=$l '$1 > l' | wc -l)
				[ "$over" -eq 0 ] ||
					fail "$unit $keep $l: $over over"
				jq -c 'select(.role != "tool")' out |
				    cmp - rest
				ctx-truncate --unit $unit --keep $keep -l $l \
				    out | cmp - out
			done
		done
	done
}

@test "--unit lines: no limit is exceeded by a mark at the beginning of a later text" {
	jq -nc '[range(9)] | join("\n") as $text | {role: "user", content: [
	    {type: "tool_result", tool_use_id: "a", content: [
	    {type: "text", text: "a"}, {type: "search_result", title: "b"},
	    {type: "text", text: $text}]}, {type: "tool_result",
	    tool_use_id: "b", content: [{type: "text", text: "\n"},
	    {type: "text", text: $text}]}]}' > in
	for l in 1 2 3 4 5; do
		for keep in ends head tail; do
			ctx-truncate --unit lines --keep $keep -l $l in > out
			jq -e --argjson l $l '.content[].content | map((.text //
			    "b") | rtrimstr("\n") + "x" | split("\n") |
			    length) | add <= $l' out || fail "$keep $l: $(cat out)"
			ctx-truncate --unit lines --keep $keep -l $l out |
			    cmp - out
		done
	done
}

@test "a message keeps some visible text, however small the limit" {
	local text='{"role":"user","content":[{"type":"text","text":"%s"}]}\n'
	local two='{"role":"user","content":[{"type":"text","text":"%s"},'
	two+='{"type":"text","text":"%s"}]}\n'
	# shellcheck disable=SC2059 # the formats are constant
	{
		printf "$text" "日本語日本語" "  hello there" "a\\n\\nbc" \
		    "\\t\\t\\t\\t日"
		printf "$two" 日本語日本語 日本語日本語 日a bc "  日本語" "b c" \
		    日本語日本語 "日本語日本語\\n\\n  \\n  \\n\\n"
		printf '{"role":"assistant","content":"%s"}\n' 日本語 " \\n\\n x"
	} > some
	ctx-check -d anthropic --allow-pending -q some
	for unit in chars bytes lines tokens; do
		for keep in ends head tail; do
			for l in 1 2 3 4 7 9; do
				ctx-truncate -d anthropic --unit $unit \
				    --keep $keep --message-limit $l some > out
				ctx-check -d anthropic out ||
					fail "$unit $keep $l"
				ctx-truncate -d anthropic --unit $unit \
				    --keep $keep --message-limit $l out |
				    cmp - out
			done
		done
	done
	# A text that is no longer than the mark is kept.
	printf "$text" é | ctx-truncate --unit bytes --message-limit 1 > out
	[ "$(jq -r '.content[].text' out)" = é ]
	printf "$text" éé | ctx-truncate --unit bytes --message-limit 1 > out
	[ "$(jq -r '.content[].text' out)" = … ]
}

@test "a truncated assistant message does not end in a line feed that ctx inserted" {
	text="I shall $(times 300 'mend it ')now"
	jq -nc --arg t "$text" '{role: "user", content: "Go."},
	    {role: "assistant", content: $t}, {role: "user", content: "And?"},
	    {role: "assistant", content: [{type: "text", text: $t},
		{type: "text", text: "\n"}, {type: "text", text: ("  " * 200)}]},
	    {role: "assistant", content: [{type: "text", text: "So, "},
		{type: "text", text: $t}]}' > in
	for unit in chars bytes tokens lines; do
		for keep in head ends tail; do
			for n in 1 3 20 40 60 90 200 500; do
				ctx-truncate -u --unit $unit --keep $keep \
				    --message-limit $n -l 0 in > out
				jq -e '.content | if type == "string" then .
				    else last.text end |
				    test("[^\\s]\\z|\\A *\\z")' out > said ||
					fail "$unit $keep $n: $(cat out)"
				ctx-truncate -u --unit $unit --keep $keep \
				    --message-limit $n -l 0 out | cmp - out
			done
		done
	done
	[ "$(wc -l < said)" -eq 5 ]
	# The limit is used up, and the mark is the last.
	ctx-truncate --keep head --message-limit 100 -l 0 \
	    <(sed -n 2p in) > out
	[ "$(text_of out | jq -Rs length)" -eq 100 ]
	[[ $(text_of out; echo .) == *"characters truncated …]." ]]
}

@test "no result exceeds a limit in tokens as ctx-count counts them" {
	sed -n '1,40p; 255,270p' "$agent" > some
	for l in 1 5 20 100; do
		ctx-truncate --unit tokens -l $l some > out
		ctx-truncate --unit tokens -l $l out | cmp - out
		# A block is counted by itself: sum them.
		jq -r 'select(.role == "tool") | .content
		    | if type == "string" then . else
			map(.text // empty) | join("") end
		    | @base64' out > texts
		sort -u texts | while read -r text; do
			base64 -d <<< "$text" | ctx-count --text -q \
			    --max $((l + 2)) || fail "-l $l: $text"
		done
	done
}

# Truncates the file long to $1 tokens of the model $2: most of them are used,
# and a second run changes nothing.
fits_limit() {
	ctx-truncate --unit tokens -l "$1" -m "$2" long > out
	text_of out | ctx-count --text -q -m "$2" --max "$1"
	run -1 ctx-count --text -q -m "$2" --max $(($1 * 3 / 4)) <(text_of out)
	ctx-truncate --unit tokens -l "$1" -m "$2" out | cmp - out
}

@test "a limit in tokens means model tokens if the model has a factor" {
	sed -n '1,40p; 255,270p' "$agent" > some
	result "$(times 300 'one two three ')" > long
	for l in 20 100 300; do
		fits_limit $l gemini-3-pro
	done
	ctx-count --models |
	    grep -q '^gemini-3-pro .*o200k_base *estimated *1\.[0-9]'
}

@test "gemini: a limit in tokens holds for texts whose count is corrected" {
	for text in '12345 6789 ' $'1\n' 'a_b_c ' '6f1c94e0731' $'\n\n\n \t'; do
		result "$(times 400 "$text")x" > long
		for l in 40 100 300; do
			fits_limit $l gemini-3-pro
		done
	done
	# Wide characters count less than the cut assumes, so that less is kept.
	result "$(times 300 '漢字😀')" > long
	for l in 40 100 300; do
		ctx-truncate --unit tokens -l $l -m gemini-3-pro long > out
		text_of out | ctx-count --text -q -m gemini-3-pro --max $l
		run -1 ctx-count --text -q -m gemini-3-pro --max $((l / 4)) \
		    <(text_of out)
	done
}

@test "a limit in tokens cuts by the tokens of Claude" {
	result "$(times 300 'one two three, 4567 漢字')" > long
	for m in claude-sonnet-4-5 claude-opus-4-7 claude-opus-4-8; do
		for l in 20 100 300; do
			fits_limit $l $m
		done
	done
}

@test "the truncation mark says how much was removed, between head and tail 3 to 1" {
	result "$(times 500 0123456789)" > long
	ctx-truncate -l 433 long > out
	text_of out > text
	{
		times 30 0123456789
		printf '\n[… 4600 characters truncated …]\n'
		times 10 0123456789
	} > want
	cmp text want
	ctx-truncate -l 433 --keep head long > out
	[[ $(text_of out) == *"9"$'\n'"[… 4600 characters truncated …]" ]]
	ctx-truncate -l 433 --keep tail long > out
	[[ $(text_of out) == $'\n'"[… 4600 characters truncated …]"* ]]
	ctx-truncate -l 433 --ratio 1:3 long > out
	[[ $(text_of out) == "$(times 10 0123456789)"$'\n'"[…"* ]]
}

@test "if the mark does not fit, an ellipsis replaces it, then nothing" {
	result "$(times 500 0123456789)" > long
	[ "$(ctx-truncate -l 5 long | text_of)" = 012…9 ]
	[ "$(ctx-truncate -l 1 long | text_of)" = … ]
	[ "$(ctx-truncate --unit bytes -l 2 --keep head long | text_of)" = 01 ]
}

@test "a limit of 0 means no limit" {
	result "$(times 5000 0123456789)" > long
	ctx-truncate -l 0 long | cmp - long
	TOOL_RESULT_LIMIT=0 ctx-truncate long | cmp - long
}

@test "no cut is inside a grapheme cluster" {
	result "$(times 60 👩‍👩‍👧)" > family
	for l in $(seq 37 3 80); do
		left=$(ctx-truncate -l "$l" family | text_of |
		    sed 's/\[….*…\]//' | tr -d '\n' | jq -Rs length)
		[ $((left % 5)) -eq 0 ] || fail "-l $l leaves $left"
	done
	result "$(times 200 $'\r\n')" > lines
	for l in $(seq 37 50); do
		ctx-truncate -l "$l" --keep head lines > out
		jq -e '.content | sub("\n\\[.*"; "") | test("\r$") | not' \
		    out > /dev/null
	done
}

@test "no cut is inside an escape, and kept text keeps its spelling" {
	{
		printf '{"role":"tool","tool_call_id":"a","content":"'
		times 100 '\ud83d\ude00\u00e9\/\n\t'
		printf '"}\n'
	} > escaped
	for l in $(seq 1 4 60); do
		ctx-truncate -l "$l" escaped > out
		jq -e --argjson l "$l" '.content | length <= $l and
		    (explode | all(. != 65533))' out > /dev/null
	done
	grep -q '"content":"\\ud83d\\ude00\\u00e9\\/' out
}

@test "a lone surrogate counts as one character and is kept as written" {
	{
		printf '{"role":"tool","tool_call_id":"a","content":"'
		times 100 '\ud83d'
		printf '"}\n'
	} > lone
	ctx-truncate -l 40 lone > out
	grep -q '"content":"\(\\ud83d\)\{6\}\\n\[… 92 characters' out
	ctx-truncate -l 100 lone | cmp - lone
}

@test "no cut is inside an earlier truncation mark" {
	result "$(times 2000 '0123456789 ')" > long
	ctx-truncate -l 500 long > once
	for l in $(seq 40 7 499); do
		ctx-truncate -l "$l" once > out
		text=$(text_of out)
		# Each mark is whole: as many beginnings as ends.
		[ "$(grep -o '\[…' <<< "$text" | wc -l)" -eq \
		    "$(grep -oE '\[… [0-9]+ characters truncated …\]' <<< "$text" | wc -l)" ]
	done
}

@test "the blocks of a result share one limit; empty text blocks are removed, media is kept" {
	jq -nc '{role: "tool", tool_call_id: "a", content: [
	    {type: "text", text: ("a" * 100)},
	    {type: "text", text: ("b" * 100)},
	    {type: "image_url", image_url: {url: ("data:;base64," +
	    "Aa0" * 900)}},
	    {type: "text", text: ("c" * 100)},
	    {type: "text", text: ("d" * 100)}]}' > blocks
	ctx-truncate -l 400 blocks | cmp - blocks
	ctx-truncate -l 280 blocks > out
	jq -e '.content | map(.text // "" | gsub("\n.*\n"; "|"))
	    == ["a" * 100, "b" * 86 + "|", "", "d" * 62]' out
	jq -e '.content | map(.text // "") | add | length == 280' out
	ctx-truncate -l 60 blocks > out
	jq -e '.content | map(.type) == ["text", "image_url", "text"]' out
	jq -e '.content | map(.text // "") | add | length <= 60' out
	# A block that is no text, before the first text that is kept
	jq -nc '{role: "user", content: [{type: "tool_result", tool_use_id: "a",
	    content: [{type: "search_result", title: ("a" * 300)},
	    {type: "text", text: ("b" * 300)}]}]}' | ctx-truncate -l 60 > out
	jq -e '.content[0].content | map(.type) == ["text"]' out
	# One value differs where one text is cut.
	ctx-truncate -l 399 blocks > out
	cmp <(sed 's/\[….*…\]//; s/a*//g; s/b*//g; s/c*//g' out | wc -l) \
	    <(echo 1)
}

@test "a limit that no mark fits leaves an ellipsis, not an empty text" {
	jq -nc '("word " * 20) as $text | {role: "user", content: [
	    {type: "text", text: $text}, {type: "text", text: $text}]},
	    {role: "assistant", content: [{type: "tool_use", id: "a", name: "f",
	    input: {}}]}, {role: "user", content: [{type: "tool_result",
	    tool_use_id: "a", content: [{type: "text", text: $text},
	    {type: "document", source: {type: "text",
	    media_type: "text/plain", data: $text}}]}]}' > anthropic
	jq -nc '("word " * 20) as $text | {role: "user", content: [
	    {text: $text}]}, {role: "assistant", content: [{toolUse:
	    {toolUseId: "a", name: "f", input: {}}}]}, {role: "user",
	    content: [{toolResult: {toolUseId: "a", content: [
	    {text: $text}]}}]}' > bedrock
	for dialect in anthropic bedrock; do
		for options in "--unit bytes -l 1" "--unit bytes -l 2 --keep head" \
		    "--unit tokens -l 1 --keep tail" "--message-limit 1"; do
			# shellcheck disable=SC2086 # options
			ctx-truncate -d $dialect $options "$dialect" > out
			! grep -E '"(text|data)":""|"content":\[\]' out ||
				fail "$dialect $options"
		done
	done
}

@test "anthropic: reasoning is not left at the end of a message, with signed reasoning, too" {
	jq -nc '("word " * 20) as $text | {role: "user", content: $text},
	    {role: "assistant", content: [
	    {type: "thinking", thinking: "hm", signature: "Eq=="},
	    {type: "text", text: $text},
	    {type: "server_tool_use", id: "s", name: "web_search", input: {}},
	    {type: "web_search_tool_result", tool_use_id: "s", content: []},
	    {type: "redacted_thinking", data: "Em=="},
	    {type: "text", text: $text}]}' > in
	ctx-truncate -m claude-opus-4-5 --message-limit 60 --keep head in > out
	jq -es '.[1].content | map(.type) | length == 6 and last == "text"' out
	ctx-truncate -m claude-opus-4-5 --message-limit 60 --keep head out | cmp - out
	ctx-truncate -m claude-opus-4-5 --message-limit 1 in > out
	jq -es '.[1].content | map(.type) == ["thinking", "server_tool_use",
	    "web_search_tool_result", "redacted_thinking", "text"]' out
	# The model signs its reasoning with the text before it.
	ctx-truncate -m claude-opus-5-5 --message-limit 1 in > out
	jq -es '.[1].content | map(.type) == ["server_tool_use",
	    "web_search_tool_result", "text"]' out
	# Only the reasoning after the text that is truncated is removed.
	jq -nc '("word " * 20) as $text | {role: "user", content: "u"},
	    {role: "assistant", content: [
	    {type: "thinking", thinking: "a", signature: "Eq=="},
	    {type: "text", text: $text},
	    {type: "thinking", thinking: "b", signature: "Eq=="},
	    {type: "text", text: "two"}]}' > in
	ctx-truncate -m claude-opus-5-5 --message-limit 60 in > out
	jq -es '.[1].content | map(.thinking // .type) ==
	    ["a", "text", "text"]' out
	# All texts after the last reasoning would be removed.
	jq -nc '("word " * 20) as $text | {role: "user", content: "u"},
	    {role: "assistant", content: [{type: "text", text: $text},
	    {type: "thinking", thinking: "hm", signature: "Eq=="},
	    {type: "text", text: "one "}, {type: "text", text: "two"}]}' > in
	ctx-truncate -m claude-opus-4-5 --message-limit 60 --keep head in > out
	jq -es '.[1].content | map(.type) == ["text", "thinking", "text"] and
	    (last.text | test("truncated"))' out
	# Where reasoning is not signed, it may be last.
	jq -nc '("word " * 20) as $text | {role: "user", content: "u"},
	    {role: "assistant", content: [{type: "text", text: $text},
	    {type: "reasoning", text: "hm"}, {type: "text", text: $text}]}' > in
	ctx-truncate -d vercel-model --message-limit 60 --keep head in > out
	jq -es '.[1].content | map(.type) == ["text", "reasoning"]' out
}

@test "vercel-ui: an array as tool output is not a list of blocks" {
	jq -nc '{id: "m", role: "assistant", parts: [{type: "text",
	    text: ("x" * 50)}, {type: "tool-f", toolCallId: "c1",
	    state: "output-available", input: {}, output: [("é" * 50),
	    {type: "text", text: ("y" * 50)}]}]}' > array
	ctx-truncate -d vercel-ui -l 40 array > out
	jq -e '.parts | length == 2 and (.[0].text | length) == 50 and
	    (.[1].output | type == "string" and length <= 40)' out
}

@test "each of many results in one message is truncated by itself" {
	jq -nc '[range(50) | {type: "tool_result", tool_use_id: "a\(.)",
	    content: [{type: "text", text: ("h" * 50)},
	    {type: "text", text: ("m" * 50 * (. % 2))},
	    {type: "search_result", title: "x"},
	    {type: "text", text: ("t" * 50)}]}] |
	    {role: "assistant", content: map({type: "tool_use",
	    id: .tool_use_id, name: "f", input: {}})},
	    {role: "user", content: .}' > many
	ctx-truncate -l 60 many > out
	jq -es '.[1].content | length == 50 and all(.[]; .content |
	    map(.type) == ["text", "text"] and
	    (map(.text | length) | add) <= 60 and
	    (.[0].text | startswith("hhh")) and
	    (.[1].text | endswith("ttt")))' out
}

@test "a result without a body is unchanged" {
	echo '{"role":"user","content":[{"type":"tool_result","tool_use_id":"a"}]}' > in
	for unit in chars bytes tokens lines; do
		ctx-truncate -d anthropic --unit $unit -l 1 in | cmp - in
	done
}

@test "a body that is not a text becomes one when it is truncated" {
	jq -nc '{role: "tool", tool_call_id: "a", content: {rows:
	    [range(500)]}}' > object
	ctx-truncate -l 100 object > out
	jq -e '.content | type == "string" and length == 100 and
	    startswith("{\"rows\":[0,1,2")' out
	ctx-truncate -l 100 out | cmp - out
	jq -nc --arg p "$(head -c 3000 "$agent" | base64 -w 0)" '{role: "tool",
	    tool_call_id: "a", content: {image: $p, rows: [range(500)]}}' > image
	ctx-truncate -l 2k image > out
	[ "$(jq -r .content out)" = "{\"image\":\"[… 4000 characters of base64 …]\",$(
		jq -c .content image | sed 's/.*\("rows".*\)/\1/')" ]
	ctx-truncate -l 100 image > out
	jq -e '.content | length == 100 and
	    startswith("{\"image\":\"[… 4000 characters of base64 …]")' out
	jq -nc '{role: "tool", tool_call_id: "a", content: [
	    {type: "text", text: "first"}, {type: "new", data: [range(500)]},
	    {type: "text", text: "last"}]}' > opaque
	ctx-truncate -l 100 opaque > out
	jq -e '.content | map(.type) == ["text", "text"] and
	    (.[0].text | startswith("first\n[… ")) and .[1].text == "last"' out
}

@test "--message-limit truncates texts, not calls and reasoning" {
	jq -nc '{role: "assistant", reasoning_content: ("r" * 500),
	    content: ("t" * 500), tool_calls: [{id: "a", type: "function",
	    function: {name: "f", arguments: ("{\"x\":\"" + "y" * 500 +
	    "\"}")}}]}' > message
	ctx-truncate --message-limit 100 message > out
	jq -e '.content | length == 100' out
	jq -S 'del(.content)' out | cmp - <(jq -S 'del(.content)' message)
	SUPERVISOR_MSG_CHAR_LIMIT=100 ctx-truncate message | cmp - out
	# It holds for results too, if it is the lower one.
	result "$(times 50 0123456789)" > long
	ctx-truncate --message-limit 100 long > out
	jq -e '.content | length == 100' out
}

@test "--args replaces arguments as a whole by valid JSON that is visibly not real" {
	jq -nc '{role: "assistant", content: null, tool_calls: [{id: "a",
	    type: "function", function: {name: "f", arguments:
	    ({x: ("y" * 500)} | tojson)}}]}' > call
	ctx-truncate --args 600 call | cmp - call
	ctx-truncate --args 100 call > out
	jq -e '.tool_calls[0].function.arguments | fromjson
	    == {_ctx_cut: "508 characters truncated"}' out
	ctx-truncate --args 100 out | cmp - out
	ctx-truncate --args 10 call > out
	jq -e '.tool_calls[0].function.arguments == "{\"…\":0}"' out
	ctx-truncate --args 10 out | cmp - out
	ctx-truncate --args 5 call > out
	jq -e '.tool_calls[0].function.arguments == "{}"' out
	ctx-truncate --args 5 out | cmp - out
	ctx-truncate --args 1 out | cmp - out
	# The shortest object is not shorter.
	jq -c '.tool_calls[0].function.arguments = "[]"' call > in
	ctx-truncate --args 1 in | cmp - in
}

@test "the reference of an aged result is kept, the text before it is truncated" {
	ref='[90000 characters in .ctx/spool/read_file-0123456789abcdef0123456789abcdef.md]'
	result "$(times 100 0123456789)"$'\n'"$ref" > aged
	ctx-truncate -l 300 aged > out
	text=$(text_of out)
	jq -e '.content | length <= 300' out
	[[ $text == "0123456789"*"characters truncated …]"*$'\n'"$ref" ]]
	ctx-truncate -l 300 out | cmp - out
	for unit in bytes tokens lines; do
		result "$(times 100 $'one line\n')"$'\n'"$ref" > aged
		l=90
		[ $unit != bytes ] || l=150
		ctx-truncate --unit $unit -l $l aged > out
		[[ $(text_of out) == *truncated*$'\n'"$ref" ]]
		ctx-truncate --unit $unit -l $l out | cmp - out
	done
	# A limit shorter than the reference, or too much before it: just text.
	ctx-truncate -l 60 aged | text_of > text
	[ "$(jq -Rs length text)" -le 60 ]
	for l in $((${#ref} - 1)) ${#ref} $((${#ref} + 1)) $((${#ref} + 2)); do
		ctx-truncate -l "$l" aged > out
		jq -e --argjson l "$l" '.content | length <= $l' out || fail "$l"
		ctx-truncate -l "$l" out | cmp - out
	done
	result "$(times 500 0123456789)"$'\n'"$ref" > forged
	ctx-truncate -l 60 forged | text_of > text
	[ "$(jq -Rs length text)" -le 60 ]
}

@test "conversations in records and documents are truncated in place" {
	jq -sc '{model: "gpt-4o", messages: .}' "$agent" > request
	ctx-truncate -l 100 request > out
	ctx-truncate -l 100 "$agent" > lines
	cmp <(jq -c '.messages[]' out) <(jq -c . lines)
	jq -s . "$agent" > document
	ctx-truncate -l 100 document > out
	cmp <(jq -c '.[]' out) <(jq -c . lines)
}

@test "every dialect: valid input remains valid, and a second run changes nothing" {
	tried=0
	for d in $(ctx-truncate --list-options |
	    awk -F'\t' '$2 == "dialect" { print $5 }'); do
		"$B/gen-tools/convo" --dialect "$d" --count 1 > /dev/null 2>&1 ||
			continue
		for seed in $(seq "${CHECK_LONG:-5}"); do
			"$B/gen-tools/convo" --dialect "$d" --seed "$seed" \
			    --count 3 > in
			for l in 1 40 150; do
				ctx-truncate -d "$d" -l $l --args $l in > out
				"$B/gen-tools/valid" "$d" --allow-pending \
				    < out || fail "$d seed $seed -l $l"
				ctx-truncate -d "$d" -l $l --args $l out |
				    cmp - out
			done
		done
		tried=$((tried + 1))
	done
	[ "$tried" -ge 2 ]
}

@test "transcripts: inactive lines are unchanged, and a second run changes nothing" {
	for f in "$BATS_TEST_DIRNAME"/corpus/*/*.jsonl; do
		for l in 1 40; do
			ctx-truncate -l $l --message-limit 60 "$f" > out
			ctx-truncate -l $l --message-limit 60 out | cmp - out
			jq -c . out > /dev/null
		done
		ctx-truncate "$f" | cmp - "$f"
	done
}

@test "memory use does not grow with the stream" {
	for _ in 1 2 3 4 5 6 7 8 9 10; do cat "$agent"; done > some
	for _ in 1 2 3 4 5 6 7 8; do cat some; done > many
	(limit_memory 65536 && ctx-truncate -l 100 many > /dev/null)
}

@test "invalid ratios, units and numbers are refused" {
	for ratio in 3 3: :3 a:b 0:0 3:1:1 -1:2; do
		run -2 ctx-truncate --ratio=$ratio "$agent"
		[[ $output == *"is not a ratio"* ]]
	done
	run -2 ctx-truncate --unit words "$agent"
	[[ $output == *"chars, bytes, tokens, lines"* ]]
	run -2 env TOOL_RESULT_LIMIT=many ctx-truncate "$agent"
	[[ $output == *TOOL_RESULT_LIMIT* ]]
}

@test "an invalid line exits 2 after the records before it are written" {
	{ head -n 3 "$agent"; echo '{"role":'; tail -n 1 "$agent"; } > bad
	run -2 --separate-stderr ctx-truncate bad
	[[ $stderr == *"bad:4:"* ]]
	[ "${#lines[@]}" -eq 3 ]
	ctx-truncate --lenient bad 2> err | cmp - bad
}

@test "calls and results of the provider's own tools are unchanged" {
	jq -nc --arg w "$(words 30)" '{role: "user", content: [{text: "q"}]},
	    {role: "assistant", content: [{toolUse: {toolUseId: "t", name: "f",
	    input: {q: $w}, type: "server_tool_use"}}, {toolResult: {toolUseId: "t",
	    content: [{text: $w}], status: "success", type: "f_result"}},
	    {text: "a"}]}' > bedrock
	jq -nc --arg w "$(words 30)" '{role: "user", content: "q"},
	    ({type: "server_tool_use", id: "s", name: "web_search", input: {query: $w}},
	    {type: "mcp_tool_use", id: "m", name: "f", server_name: "n", input: {q: $w}} |
	    {role: "assistant", content: [{type: "text", text: "paused"}, .]})' > anthropic
	for f in bedrock anthropic; do
		ctx-truncate -l 10 --args 8 $f | cmp - $f
		ctx-age -S spool -k 0 -o 0 $f | cmp - $f
	done
	ctx-check bedrock
	# Without the type they are the user's.
	jq -c 'del(.content[].toolUse.type?, .content[].toolResult.type?)' bedrock > own
	ctx-truncate -l 10 own > out
	run ! cmp -s own out
	sed 's/"content":\[{"text":"word[^]]*\]/"content":[]/' bedrock > empty
	run -1 ctx-check empty
	[[ $output == "empty:2: empty-result: "* ]]
}

@test "--args keeps arguments of a fixed form, and those of calls that wait for approval" {
	long=$(printf 'word %.0s' {1..40})
	{
		echo '{"role":"user","content":[{"type":"input_text","text":"x"}]}'
		echo '{"type":"local_shell_call","id":"l","call_id":"d","action":{"type":"exec","command":["LONG"],"env":{}},"status":"completed"}'
		echo '{"type":"local_shell_call_output","id":"l","call_id":"d","output":"x"}'
		echo '{"type":"shell_call","call_id":"e","action":{"commands":["LONG"]}}'
		echo '{"type":"shell_call_output","call_id":"e","output":[{"stdout":"x","stderr":"","outcome":{"type":"exit","exit_code":0}}]}'
		echo '{"type":"apply_patch_call","call_id":"g","operation":{"type":"create_file","path":"x","diff":"LONG"},"status":"completed"}'
		echo '{"type":"apply_patch_call_output","call_id":"g","status":"completed","output":"x"}'
		echo '{"type":"computer_call","id":"x","call_id":"f","action":{"type":"type","text":"LONG"},"pending_safety_checks":[],"status":"completed"}'
		echo '{"type":"computer_call_output","call_id":"f","output":{"type":"computer_screenshot","image_url":"data:image/png;base64,AAAA"}}'
		echo '{"type":"mcp_approval_request","id":"r","server_label":"s","name":"n","arguments":"{\"a\":\"LONG\"}"}'
		echo '{"type":"mcp_approval_response","approval_request_id":"r","approve":true}'
	} | sed "s/LONG/$long/" > in
	ctx-check -q in
	ctx-truncate --args 60 in | cmp - in
	jq -c 'if .type then {timestamp: "2026-01-01T00:00:00Z", type: "response_item", payload: .}
	    else {timestamp: "2026-01-01T00:00:00Z", type: "response_item", payload: (. + {type: "message"})} end' in > rollout
	ctx-truncate -d codex --args 60 rollout | cmp - rollout
	call='{"type":"tool-call","toolCallId":"a","toolName":"f","input":{"a":"'"$long"'"}}'
	{
		echo '{"role":"user","content":"x"}'
		echo '{"role":"assistant","content":['"$call"',{"type":"tool-approval-request","approvalId":"p","toolCallId":"a"}]}'
		echo '{"role":"tool","content":[{"type":"tool-approval-response","approvalId":"p","approved":true}]}'
	} > asked
	ctx-truncate -d vercel-model --args 60 asked | cmp - asked
	{
		echo '{"role":"user","content":"x"}'
		echo '{"role":"assistant","content":['"$call"']}'
		echo '{"role":"tool","content":[{"type":"tool-result","toolCallId":"a","toolName":"f","output":{"type":"text","value":"y"}}]}'
	} > run
	run -0 ctx-truncate -d vercel-model --args 60 run
	[ "$(grep -c _ctx_cut <<< "$output")" -eq 1 ]
	for state in approval-requested approval-responded input-available; do
		echo '{"id":"m","role":"assistant","parts":[{"type":"tool-f","toolCallId":"a","state":"'$state'","input":{"a":"'"$long"'"}}]}'
	done > parts
	ctx-truncate -d vercel-ui --args 60 parts | cmp - parts
	run -0 ctx-truncate -d vercel-ui --args 60 \
	    <(sed '1s/approval-requested/output-available/; 1s/}]}$/,"output":"y"&/' parts)
	[ "$(grep -c _ctx_cut <<< "$output")" -eq 1 ]
	# Arguments are of any form.
	echo '{"type":"function_call","call_id":"h","name":"f","arguments":"{\"a\":\"'"$long"'\"}"}' >> in
	run -0 ctx-truncate --args 60 in
	[ "$(grep -c _ctx_cut <<< "$output")" -eq 1 ]
}

@test "goose: an error result keeps its form, and a failed call is unchanged" {
	long=$(printf 'word %.0s' {1..90})
	{
		echo '{"role":"user","created":1,"content":[{"type":"text","text":"x"}]}'
		echo '{"role":"assistant","created":1,"content":[{"type":"toolRequest","id":"a","toolCall":{"status":"error","error":"'"$long"'"}}]}'
		echo '{"role":"user","created":2,"content":[{"type":"toolResponse","id":"a","toolResult":{"status":"error","error":"'"$long"'"}}]}'
		echo '{"role":"assistant","created":3,"content":[{"type":"text","text":"y"}]}'
	} > in
	ctx-truncate -l 60 --args 30 in > out
	[ "$(jq -s '[.[2].content[0].toolResult | .status == "error",
	    (.error | length) <= 60] | all' out)" = true ]
	sed -n 2p out | cmp - <(sed -n 2p in)
	ctx-truncate -l 60 --args 30 out | cmp - out
	ctx-age -k 0 -o 100 in > aged
	grep -q '"status":"error","error":"wo.*450 characters in ' aged
	ctx-age -k 0 -o 100 aged | cmp - aged
	ctx-restore aged | cmp - in
	ctx-age --mask -k 0 -o 100 in |
	    grep -q '"toolResult":{"status":"error","error":"\[cleared\]"}'
}

@test "codex: text that marks a message as not written by a person is not truncated" {
	long=$(printf '%.0sa b ' $(seq 100))
	for text in '<environment_context>' '# AGENTS.md instructions for ' ''; do
		cat <<-END
		{"timestamp":"2026-11-01T10:00:00.000Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"$text$long"}]}}
		END
	done > in
	ctx-truncate --message-limit 40 in > out
	cmp <(head -n 2 in) <(head -n 2 out)
	[ "$(tail -n 1 out | wc -c)" -lt "$(tail -n 1 in | wc -c)" ]
}
