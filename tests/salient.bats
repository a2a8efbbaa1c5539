# ctx-prune -s salient --quantum 0: rare names are kept, each once

load helper

# A run that reads thirty files, two of which hold something rare.
run_of_reads() {
	messages "system:Be brief." "user:Mend the parser."
	for i in $(seq 30); do
		text="nothing of note in here, $(words 30)"
		[ "$i" -ne 7 ] || text="set retry_limit_ms in conf/queue.toml $(words 30)"
		[ "$i" -ne 12 ] || text="conf/queue.toml $(words 34)"
		called "c$i" read_file "{\"path\":\"f.c\",\"from\":$i}" "$text"
	done
	messages "assistant:Done so far." "user:Go on."
}

@test "salient keeps groups with rare names, and of the others the newest" {
	run_of_reads > in
	ctx-prune -s salient --quantum 0 -k 1 -t 1 -b 250 --explain why in > out
	[ "$(tokens out)" -le 250 ]
	is_subsequence out in
	grep -q retry_limit_ms out
	# recency alone loses it
	ctx-prune -s pinned-fifo -k 1 -t 1 -b 250 in > fifo
	run -1 grep -q retry_limit_ms fifo
	# The name in the other file is kept already, so that file is worth no
	# more than the rest, of which the newest stay.
	run -1 grep -q '"c12"' out
	grep -q '"c30"' out
	[ "$(jq -r .rule why | sort -u)" = "no rare name" ]
	jq -se 'all(.score >= 0 and .score < 1)' why > /dev/null
	jq -se 'map(select(.role == "tool") | .score) | . == sort' why > /dev/null
}

# Prunes a conversation with two reads of the texts $1 and $2 to so few tokens
# that one of these texts is removed.  $3 and $4 are messages of the assistant
# before and after the reads.
keep_one() {
	messages "system:Be brief." "user:Mend the parser." > in
	{
		messages "assistant:${3:-Reading.}"
		called a read_file '{"path":"f"}' "$1 $(words 40)"
		called b read_file '{"path":"f"}' "$2 $(words 40)"
		for i in $(seq 8); do
			called "c$i" read_file '{"path":"f"}' "$(words 40)"
		done
		messages "assistant:${4:-Done.}" "user:Continue."
	} >> in
	ctx-prune -s salient --quantum 0 -k 1 -t 1 -b 150 in
}

@test "salient prefers names to numbers, and dates to other numbers" {
	keep_one "set retry_limit in it" "set 4831.5 in it" > out
	grep -q retry_limit out
	run -1 grep -q 4831.5 out
	keep_one "on 2026-05-14 it was" "on 20260514 it was" > out
	grep -q 2026-05-14 out
	run -1 grep -q 20260514 out
}

@test "salient prefers names that the assistant did not write first" {
	keep_one "set retry_limit in it" "set delay_limit in it" \
	    "I add delay_limit. $(words 90)" "I saw retry_limit. $(words 90)" > out
	grep -q 'set retry_limit' out
	run -1 grep -q 'set delay_limit' out
}

@test "salient keeps smaller groups if the group with most rare names does not fit" {
	{
		messages "user:Mend it."
		called a run '{"command":"env"}' "host_a17 $(numbered 400)"
		called b run '{"command":"host"}' "host_a17 $(words 40)"
		called c run '{"command":"true"}' "nothing $(words 40)"
		messages "assistant:Well." "user:And now?"
	} > in
	ctx-prune -l light --quantum 0 -k 1 -t 1 -b 130 --explain why in > out
	[ "$(tokens out)" -le 130 ]
	[ "$(jq -r '.tool_call_id // empty' out)" = b ]
	jq -se 'map(select(.line == 2)) | .[0] | .rule == "few rare names" and .score > 1' \
	    why > /dev/null
}

@test "salient ignores names that are also in a message that must be kept" {
	{
		messages "user:Mend it."
		called a run '{"command":"ls"}' "src/lexer.c $(words 30)"
		called b run '{"command":"ls"}' "src/other.c $(words 30)"
		called c run '{"command":"ls"}' "plain $(words 30)"
		messages "assistant:I see." "user:What of src/lexer.c?"
	} > in
	n=$(tokens in)
	ctx-prune -s salient --quantum 0 -k 1 -t 1 -b $((n - 60)) in > out
	grep -q src/other.c out
	run -1 grep -q '"a"' out
}

@test "salient ignores names in a demonstration" {
	{
		messages "user:Look at lib/demo_17.c
--- END OF DEMONSTRATION ---" "user:Mend lib/task.c." \
		    "assistant:It is in lib/scan.c, $(words 40)." \
		    "assistant:Or so. $(words 40)" "user:Well?"
	} > in
	ctx-prune -s salient --quantum 0 -k 1 -t 1 -b 80 in > out
	run -1 grep -q demo_17 out
	grep -q lib/scan.c out
}

@test "salient ignores the base64 of encrypted reasoning" {
	sealed=$(seq 200 | sha512sum | cut -c 1-60)
	jq -nc --arg data "$sealed+/$sealed+$sealed==" --arg pad "$(words 40)" '
	    {role: "user", content: "Mend the parser."},
	    {role: "assistant", content: [{type: "redacted_thinking", data: $data},
		{type: "text", text: "Looking."}]},
	    {role: "user", content: "And?"},
	    {role: "assistant", content: [{type: "text", text: ("In lib/scan.c. " + $pad)}]},
	    {role: "user", content: "Go on."}, {role: "assistant", content: "Well."},
	    {role: "user", content: "Now?"}' > in
	ctx-prune -d anthropic -s salient --quantum 0 -k 1 -t 1 -b 30 --explain why in > out ||
		[ $? -eq 1 ]
	jq -se 'map(select(.line == 2) | .score) | length == 1 and .[0] < 1' why
	jq -se 'map(select(.line == 4) | .score) | .[0] > 1' why
}

@test "salient keeps the same group in Chat Completions and in Anthropic's format" {
	run_of_reads > in
	n=$(tokens in)
	ctx-prune -s salient --quantum 0 -k 1 -t 1 -b 400 in | jq -r '.tool_call_id // empty' > want
	jq -c '
	    if .role == "tool" then {role: "user", content: [{type:
		"tool_result", tool_use_id: .tool_call_id, content}]}
	    elif .tool_calls then {role, content: [.tool_calls[] | {type:
		"tool_use", id, name: .function.name, input:
		(.function.arguments | fromjson)}]}
	    else . end' in > anthropic
	ctx-prune -d anthropic -s salient --quantum 0 -k 1 -t 1 -b 420 anthropic > out
	jq -r 'select(.content | arrays) | .content[0].tool_use_id // empty' \
	    out > got
	grep -qx c7 want
	grep -qx c7 got
	ctx-check out
}

@test "a step that keeps more than the budget is given up" {
	# Before the last message, the newest two messages are of two turns: the
	# long question is kept with the first of them.
	messages user:q assistant:x "user:$(printf 'word %.0s' {1..700})" \
	    assistant:a assistant:a assistant:a user:u user:u > in
	ctx-prune -e o200k_base -k 2 -t 1 -b 60 in > out
	messages user:q user:u user:u > want
	[ "$(tail -n 2 out)" = "$(tail -n 2 want)" ]
	run ! grep word out
	ctx-prune -e o200k_base -k 2 -t 1 -b 60 out | cmp - out
}

@test "salient keeps what the user said must be done or has decided" {
	{
		messages "user:Hello, this is about the till." assistant:Hello. \
		    "user:Never round half up in the till." "assistant:I see."
		for i in $(seq 20); do
			messages "user:Go on." "assistant:$(words 20)"
		done
	} > in
	ctx-prune -e o200k_base --quantum 0 -k 1 -t 1 -b 200 in > out
	grep -q 'Never round half up' out
	run ! grep -q 'about the till' out
	for decided in "We go with half even here." "I decided for half even." \
	    "Let’s use half even in the till." "We'll use half even."; do
		sed "s/Never round half up in the till\./$decided/" in > decision
		ctx-prune -e o200k_base --quantum 0 -k 1 -t 1 -b 200 decision > out
		grep -q 'half even' out || fail "$decided"
	done
	# A reminder of the agent is not the user's.
	sed 's/Never round half up in the till\./<system-reminder>&<\/system-reminder>/' \
	    in > reminder
	ctx-prune -e o200k_base --quantum 0 -k 1 -t 1 -b 200 reminder > out
	run ! grep -q 'Never round half up' out
}

# A run that lists long results; line 80 of the first has a rare name.
run_of_lists() {
	local i rare
	messages "user:Mend the parser."
	for i in 1 2 3; do
		rare=
		[ "$i" -ne 1 ] || rare="set retry_limit_ms in conf/queue.toml"
		called "c$i" list "{\"from\":$i}" "$(for n in $(seq 150); do
			[ "$n" -ne 80 ] || echo "$rare"
			echo "nothing of note in here"
		done)"
	done
	messages "assistant:Done so far." "user:Go on."
}

@test "salient keeps the lines of long tool results that have rare names" {
	run_of_lists > in
	ctx-prune -e o200k_base --quantum 0 -k 1 -t 1 -b 200 --explain why in > out
	[ "$(tokens out)" -le 200 ]
	ctx-check out
	jq -r 'select(.tool_call_id == "c1") | .content' out > result
	grep -qx 'set retry_limit_ms in conf/queue.toml' result
	# The first mark has the size of what it replaces.
	[ "$(grep -x '\[…\( [0-9]* characters truncated …\)*\]' result)" = \
	    "[… $(jq -rs '[.[] | select(.tool_call_id == "c1").content |
		split("set retry")[0] | length][0]' in) characters truncated …]
[…]" ]
	[ "$(wc -l < result)" -lt 15 ]
	jq -se 'any(.line == 3 and .action == "edit" and .rule == "passages")' why
	# The other members of the record are as before.
	[ "$(jq -c 'select(.tool_call_id == "c1") | del(.content)' out)" = \
	    "$(jq -c 'select(.tool_call_id == "c1") | del(.content)' in)" ]
	ctx-prune -e o200k_base --quantum 0 -k 1 -t 1 -b 200 out | cmp - out
}

@test "salient cuts JSON in a string between its members" {
	local blank
	for blank in "" " "; do
		{
			messages "user:Find a flight."
			called c1 find "{}" "$(jq -cn '[range(40) | {city: "New York",
			    number: "HAT\(. + 100)", seats: {economy: 4, business: 0}}]' |
			    sed "s/[:,]/&$blank/g")"
			messages "assistant:Found." "user:Book it."
		} > in
		ctx-prune -e o200k_base --quantum 0 -k 1 -t 1 -b 300 in > out
		ctx-check out
		[ "$(grep -o HAT out | wc -l)" -ge 5 ]
		jq -se '[.[] | select(.tool_call_id).content |
		    splits("\\s*\\[…[^]]*\\]\\s*") | select(. != "")] |
		    length > 0 and all(test("^[\"{\\[].*[,\\]]$"))' out
	done
}

@test "salient keeps more names in few results with their calls than a line of each result" {
	{
		messages "user:Look for the fault, please."
		for i in $(seq 12); do
			called "c$i" run "{\"command\":\"$(words 60)\"}" \
			    "$(for k in $(seq 20); do echo "the value of item_${i}_$k is set here, and nothing else is known about it"; done)"
		done
		messages "user:And?"
	} > in
	ctx-prune -s salient --quantum 0 -k 1 -t 1 -b 1000 in > out
	[ "$(tokens out)" -le 1000 ]
	[ "$(grep -o 'item_[0-9_]*' out | wc -l)" -ge 36 ]
}

@test "salient cuts no results at level light, of excluded tools, or if all fits" {
	run_of_lists > in
	local options
	for options in "-l light" "--not-tool li" "--tool other"; do
		# shellcheck disable=SC2086 # several words
		ctx-prune -e o200k_base --quantum 0 -k 1 -t 1 -b 200 $options in > out
		run ! grep -q truncated out
		is_subsequence out in
	done
	ctx-prune -e o200k_base -k 1 -t 1 -b 100k in | cmp - in
	# No more is cut than needed: the second of the three results fits.
	ctx-prune -e o200k_base --quantum 0 -k 1 -t 1 -b "$(($(tokens in) - 900))" \
	    in > out
	[ "$(grep -c truncated out)" -eq 2 ]
}

# A response with three calls, whose results must be kept with the newest.
parallel_results() {
	messages "user:Mend the parser."
	called old read_file '{"path":"old.c"}' "$(numbered 60)"
	jq -nc '{role: "assistant", content: null, tool_calls: [range(3) |
	    {id: "p\(.)", type: "function", function:
		{name: "read_file", arguments: "{\"path\":\"f\(.).c\"}"}}]}'
	for i in 0 1 2; do
		jq -nc --arg i "p$i" --arg t "$(numbered 90)
limit_$i = retry_limit_ms
$(numbered 90)" '{role: "tool", tool_call_id: $i, content: $t}'
	done
}

@test "salient cuts results kept with a newer one, if what must be kept exceeds the budget" {
	parallel_results > in
	newest=$(tail -n 1 in | tokens -e o200k_base)
	for strategy in salient heuristic; do
		set -- -e o200k_base -s "$strategy" -b $((newest + 300))
		ctx-prune "$@" --archive "$strategy.gone" in > out
		[ "$(tokens -e o200k_base out)" -le $((newest + 300)) ]
		[ "$(jq -r '.tool_call_id // empty' out | grep -c '^p[012]$')" -eq 3 ]
		tail -n 1 in | cmp - <(tail -n 1 out)
		[ "$(grep '"p[01]"' out | grep -c truncated)" -eq 2 ]
		grep -q limit_0 out
		ctx-check -q out
		ctx-prune "$@" out | cmp - out
		grep -qF "$(sed -n 5p in)" "$strategy.gone"
		# not what was asked to be kept, and not at level light
		run -1 ctx-prune "$@" -k 3 in
		run -1 ctx-prune "$@" -l light in
		run -1 ctx-prune "$@" --not-tool read_file in
		run -1 ctx-prune "$@" --pin 'limit_[01]' in
		run -1 ctx-prune "$@" --pin 'f0[.]c' in
		run -1 ctx-prune "$@" --pin-tool read_file in
		# no more than the newest message can be kept
		run -1 ctx-prune -e o200k_base -s "$strategy" -b "$newest" in
		[[ $output == *"last messages"* ]]
	done
	# if all results fit beside each other, they are kept whole
	ctx-prune -e o200k_base -b "$(($(tokens -e o200k_base in) - 20))" in > out
	for i in 4 5 6; do
		grep -qF "$(sed -n "${i}p" in)" out
	done
}

@test "salient cuts the arguments of the newest call, if what must be kept exceeds the budget" {
	file=$(numbered 400)
	{
		messages "user:Write the table."
		called a write_file "$(jq -nc --arg t "$file" \
		    '{path: "old.c", content: $t}')" ok
		called b write_file "$(jq -nc --arg t "$file" \
		    '{path: "new.c", content: $t}')" "error: disk /dev/sda2"
	} > in
	jq -nc '[inputs] | {contents: map(
	    if .tool_calls then {role: "model", parts: [{functionCall:
		{name: "write_file", args: (.tool_calls[0].function.arguments |
		    fromjson)}}]}
	    elif .role == "tool" then {role: "user", parts: [{functionResponse:
		{name: "write_file", response: {result: .content}}}]}
	    else {role, parts: [{text: .content}]} end)}' in > gemini
	for strategy in salient heuristic; do
		set -- -e o200k_base -s "$strategy" -b 200
		ctx-prune "$@" --explain why --archive gone in > out
		cmp <(sed -n '1p;5p' in) <(sed -n '1p;3p' out)
		n=$(jq -r 'select(.tool_calls[0]?.id == "b") |
		    .tool_calls[0].function.arguments | length' in)
		[ "$(sed -n 2p out | jq -r '.tool_calls[0].function.arguments')" = \
		    "{\"_ctx_cut\":\"$n characters truncated\"}" ]
		[ "$(jq -r 'select(.line == 4) | .rule' why)" = arguments ]
		grep -qF "$(sed -n 4p in)" gone
		ctx-prune "$@" out | cmp - out
		ctx-check -q out
		# not what was asked to be kept, and not at level light
		run -1 ctx-prune "$@" -k 2 in
		run -1 ctx-prune "$@" -l light in
		run -1 ctx-prune "$@" --tool write_file in
		run -1 ctx-prune "$@" --pin-tool write_file in
		# nor of a call that has no result yet
		run -1 ctx-prune "$@" <(sed 5d in)
		ctx-prune "$@" gemini > out
		jq -e '.contents | map(.parts[].functionCall.args? // empty) |
		    . == [{_ctx_cut: "'"$(jq -c '.contents[3].parts[0] |
			.functionCall.args | tojson | length' gemini)"' characters truncated"}]' out
		ctx-check -q out
	done
	# lines of a result in a message of the assistant are no arguments
	jq -nc --arg t "$file" '{role: "user", content: "look at f_7"},
	    {role: "assistant", content: [{type: "tool-call", toolCallId: "a",
		toolName: "web", input: {q: "x"}, providerExecuted: true},
		{type: "tool-result", toolCallId: "a", toolName: "web",
		providerExecuted: true, output: {type: "text", value: $t}},
		{type: "text", text: "There."}]},
	    {role: "user", content: "and now?"}' > vercel
	ctx-prune "$@" --quantum 0 -b 500 -k 1 -t 1 --explain why vercel > out
	[ "$(jq -r 'select(.line == 2) | .rule' why)" = passages ]
	# if the call fits, its arguments are kept
	ctx-prune -e o200k_base -b "$(sed -n '1p;4,5p' in | tokens -e o200k_base)" \
	    in > out
	cmp <(sed -n '1p;4,5p' in) out
}

@test "salient meets the budget with many results of one response" {
	jq -nc '{role: "user", content: "go"},
	    {role: "assistant", content: null, tool_calls: [range(100) |
		{id: "c\(.)", type: "function", function:
		    {name: "f", arguments: "{}"}}]},
	    (range(100) as $i | {role: "tool", tool_call_id: "c\($i)",
		content: ([range(100) | "line \(.) of file \($i), value \(
		    ($i * 100 + .) * 245489 % 1000003)\n"] | join(""))})' > in
	for model in gpt-4o mistral-7b; do
		for budget in 6k 15k 30k; do
			ctx-prune -m "$model" -b "$budget" in > out
			[ "$(tokens -m "$model" out)" -gt 4000 ]
			ctx-prune -m "$model" -b "$budget" out | cmp - out
		done
	done
}

@test "salient keeps lines of a response with long results at any budget" {
	# Each passage alone has more tokens than inside its text.
	jq -nc '{role: "user", content: "go"},
	    {role: "assistant", content: null, tool_calls: [range(5) |
		{id: "c\(.)", type: "function", function: {name: "read", arguments:
		    ({path: "lib/part\(.)/main.c",
			note: "look at every line of this file"} | tojson)}}]},
	    (range(5) as $i | {role: "tool", tool_call_id: "c\($i)", content:
		([range(600) | "}\n\n\t\tcall_\(. * 7919 % 1000 + $i * 1000)(y);\n"] |
		join(""))}),
	    (range(12) as $i | {role: "assistant", content: null, tool_calls:
		[{id: "d\($i)", type: "function",
		function: {name: "test", arguments: "{}"}}]},
		{role: "tool", tool_call_id: "d\($i)", content:
		    "all tests passed without errors again"})' > in
	for budget in $(seq 500 97 4000); do
		ctx-prune -e o200k_base --quantum 0 -k 1 -t 1 -b "$budget" in > out
		grep -q 'call_[0-9]' out || fail "$budget"
		[ "$(tokens -e o200k_base out)" -le "$budget" ]
	done
}

@test "salient cuts results in the formats of agents, and the copies of results" {
	local n
	run_of_lists > in
	jq -c 'if .role == "tool" then {role: "user", content: [{type:
	    "tool_result", tool_use_id: .tool_call_id,
	    content: [{type: "text", text: .content}]}]}
	    elif .tool_calls then {role, content: [.tool_calls[] | {type:
	    "tool_use", id, name: .function.name,
	    input: (.function.arguments | fromjson)}]}
	    else . end' in > anthropic
	ctx-prune -d anthropic -e o200k_base --quantum 0 -k 1 -t 1 -b 400 \
	    anthropic > out
	grep -q 'truncated.*retry_limit_ms.*\[…\]' out
	ctx-check -d anthropic out
	# Claude Code keeps a second copy of a result beside the message.
	n=0
	while read -r line; do
		n=$((n + 1))
		jq -c --arg n "$n" '{type: .role, uuid: $n, sessionId: "s",
		    parentUuid: (if $n == "1" then null
			else ($n | tonumber - 1 | tostring) end), message: .} +
		    (if (.content | type) == "array" and .content[0].type == "tool_result"
		    then {toolUseResult: {stdout: .content[0].content[0].text}}
		    else {} end)' <<< "$line"
	done < anthropic > session
	ctx-prune -e o200k_base --quantum 0 -k 1 -t 1 -b 400 session > out
	grep -q 'truncated.*retry_limit_ms.*\[…\]' out
	[ "$(jq -r '.toolUseResult.stdout // empty' out | sort -u)" = "[cleared]" ]
}

# As run_of_lists, but one response of the model has all three calls.
run_of_parallel_lists() {
	run_of_lists | jq -cs '[.[] | select(.tool_calls)] as $calls |
	    [.[] | select(.role == "tool")] as $results |
	    .[0], ($calls[0] | .tool_calls = [$calls[].tool_calls[]]),
	    $results[], .[-2:][]'
}

# Changes Chat Completions on standard input to the format $1, with all results
# of a response in one message.  JSON is written with blanks.
with_blocks() {
	jq -cs --arg format "$1" '
	    def result($c): {
		anthropic: {type: "tool_result", tool_use_id: .tool_call_id,
		    content: (if $c then .content else
			[{type: "text", text: .content}, {type: "text", text: "end of list"}]
			end)},
		bedrock: {toolResult: {toolUseId: .tool_call_id,
		    content: [{text: .content}]}},
		gemini: {functionResponse: {name: "list", response: {output: .content}}},
		"vercel-model": {type: "tool-result", toolCallId: .tool_call_id,
		    toolName: "list", output: {type: "text", value: .content}}
	    }[$format];
	    def call: .id as $id | .function | {
		anthropic: {type: "tool_use", id: $id, name, input: (.arguments | fromjson)},
		bedrock: {toolUse: {toolUseId: $id, name, input: (.arguments | fromjson)}},
		gemini: {functionCall: {name, args: (.arguments | fromjson)}},
		"vercel-model": {type: "tool-call", toolCallId: $id, toolName: .name,
		    input: (.arguments | fromjson)}
	    }[$format];
	    def message($role; $blocks): if $format == "gemini"
		then {role: ({assistant: "model"}[$role] // $role), parts: $blocks}
		else {role: $role, content: $blocks} end;
	    def text: if $format | IN("bedrock", "gemini") then {text: .content}
		else {type: "text", text: .content} end;
	    ({"vercel-model": "tool"}[$format] // "user") as $results |
	    [.[] | select(.role == "tool")] as $all | .[] |
	    if .role == "tool" then select(. == $all[0]) |
		message($results; [$all | to_entries[] | .key as $i | .value |
		    result($i == 0)])
	    elif .tool_calls then message(.role; [.tool_calls[] | call])
	    else message(.role; [text]) end' | sed 's/:/: /'
}

@test "salient cuts each of the results of one message, and nothing else in it" {
	local format
	export CTX_ENCODING=o200k_base
	for format in anthropic bedrock gemini vercel-model; do
		run_of_parallel_lists | with_blocks "$format" > in
		ctx-prune -d "$format" -e o200k_base --quantum 0 -k 1 -t 1 -b 420 \
		    --explain why in > out
		[ "$(tokens -d "$format" out)" -le 420 ]
		ctx-check -d "$format" out
		jq -se 'map(.line) == [3] and .[0].rule == "passages"' why
		sed -n 3p out > message
		# Two marks in the result with the name, one in each other.
		[ "$(grep -o 'characters truncated' message | wc -l)" -eq 3 ]
		[ "$(grep -o '\[…\]' message | wc -l)" -eq 1 ]
		grep -q 'truncated.*retry_limit_ms.*\[…\]' message
		# What is beside the long texts is the same byte for byte.
		sed -n 3p in > wanted
		bytes_beside_texts message > got
		bytes_beside_texts wanted | cmp - got
		ctx-prune -d "$format" -e o200k_base --quantum 0 -k 1 -t 1 -b 420 \
		    out | cmp - out
		# The archive has the original, and the tokens add up.
		run -0 "$BATS_TEST_DIRNAME/ledger" in "$format" ctx-prune \
		    -e o200k_base --quantum 0 -k 1 -t 1 -b 420
		[ -z "$output" ] || fail "$output"
	done
}

# Prints a file without the strings that are long lists or were cut.
bytes_beside_texts() {
	perl -pe 's/"(?:[^"\\]|\\.)*(?:nothing of note|truncated)(?:[^"\\]|\\.)*"/""/g' "$1"
}

@test "salient cuts each of several texts of a result, and keeps short ones" {
	run_of_lists | jq -c 'if .role == "tool" then {role: "user", content:
	    [{type: "tool_result", tool_use_id: .tool_call_id, content:
		[.content, "see conf/short.toml", .content, .content |
		{type: "text", text: .}]}]}
	    elif .tool_calls then {role, content: [.tool_calls[] | {type:
		"tool_use", id, name: .function.name, input: {}}]}
	    else . end' > in
	ctx-prune -d anthropic -e o200k_base --quantum 0 -k 1 -t 1 -b 500 in > out
	ctx-check -d anthropic out
	jq -se '[.[] | select(.content | arrays) | .content[] |
	    select(.tool_use_id == "c1") | .content[].text] |
	    length == 4 and .[1] == "see conf/short.toml" and
	    all(.[0, 2, 3]; length < 600 and test("characters truncated"))' out
	# The name is kept once.
	[ "$(grep -o retry_limit_ms out | wc -l)" -eq 1 ]
}

@test "salient cuts the results beside an excluded one, which it keeps or removes whole" {
	run_of_parallel_lists |
	    jq -c 'if .tool_calls then .tool_calls[1].function.name = "show" else . end' |
	    with_blocks anthropic > in
	ctx-prune -d anthropic -e o200k_base --not-tool show --quantum 0 -k 1 -t 1 \
	    -b "$(($(tokens -d anthropic in) - 1300))" in > out
	jq -cs '.[2].content | map(.content | tostring | test("truncated"))' out > got
	[ "$(cat got)" = '[true,false,true]' ]
	jq -c 'select(.content[1].content) | .content[1]' out > got
	jq -c 'select(.content[1].content) | .content[1]' in | cmp - got
}

@test "salient ranks an excluded result as it is, not as if it were cut" {
	{
		messages "user:Mend it."
		called a list '{}' "$(for n in $(seq 150); do
			[ "$n" -ne 80 ] || echo "set retry_limit_ms in conf/queue.toml"
			echo "nothing of note in here"
		done)"
		called b run '{}' "set retry_limit_ms in conf/queue.toml $(words 40)"
		called c run '{}' "plain $(words 40)"
		called d run '{}' "plain $(words 40)"
		messages "assistant:Well." "user:And now?"
	} > in
	ctx-prune -e o200k_base --not-tool list --quantum 0 -k 1 -t 1 -b 150 in > out
	# The names are in a result that does not fit, so b is needed for them.
	[ "$(jq -r '.tool_call_id // empty' out | head -n 1)" = b ]
}

@test "salient counts the tokens of an image for the result, not for its lines" {
	# The header of the image says 1568 by 1176 pixels.
	{
		messages "user:Look at it."
		called a show '{}' "$(for n in $(seq 60); do
			echo "here is the part item_$n of it"
		done)"
		messages "assistant:I see." "user:And now?"
	} | jq -c 'if .role == "tool" then {role: "user", content: [{type:
	    "tool_result", tool_use_id: .tool_call_id, content: [{type: "text", text:
	    .content}, {type: "image", source: {type: "base64", media_type: "image/png",
	    data: "iVBORw0KGgoAAAANSUhEUgAABiAAAASYCAYAAAAAAAAA"}}]}]}
	    elif .tool_calls then {role, content: [.tool_calls[] | {type: "tool_use",
	    id, name: .function.name, input: {}}]} else . end' > in
	local all
	all=$(tokens -d anthropic -e o200k_base in)
	ctx-prune -d anthropic -e o200k_base --quantum 0 -k 1 -t 1 -b $((all - 150)) \
	    in > out
	[ "$(grep -o 'item_[0-9]*' out | wc -l)" -ge 40 ]
	[ "$(tokens -d anthropic -e o200k_base out)" -ge $((all - 200)) ]
}

# Four tool calls of one turn, each with reasoning ($1: the reasoning as JSON),
# in Anthropic's format.
reasoned_calls() {
	jq -nc --argjson thought "$1" '{role: "user", content: "go"},
	    (range(4) as $i | {role: "assistant", content: [$thought,
		{type: "tool_use", id: "t\($i)", name: "ls", input: {}}]},
	    {role: "user", content: [{type: "tool_result",
		tool_use_id: "t\($i)", content: "src/file_\($i).c"}]})'
}

@test "salient removes signed reasoning of the newest turn, except the newest" {
	reasoned_calls "$(jq -nc --arg w "$(words 60)" \
	    '{type: "thinking", thinking: $w, signature: "Eq=="}')" > in
	set -- -m claude-opus-4-6 -k 1 -t 1 --quantum 0
	jq -c 'del(.content[]? | select(.type == "thinking"))' in > bare
	all=$(tokens -m claude-opus-4-6 in)
	least=$(tokens -m claude-opus-4-6 bare)
	one=$(((all - least) / 4))
	for strategy in salient heuristic; do
		ctx-prune "$@" -s "$strategy" -b $((least + one + 9)) in > out
		cmp <(sed 8d bare) <(sed 8d out)
		cmp <(sed -n 8p in) <(sed -n 8p out)
		ctx-check -q -d anthropic out
		# no more than needed
		ctx-prune "$@" -s "$strategy" -b $((all - one - 1)) in > out
		cmp <(sed 2,4d in) <(sed 2,4d out)
		cmp <(sed -n 2,4p bare) <(sed -n 2,4p out)
	done
	# also if newer messages have none
	{
		cat in
		sed -n 8,9p bare | sed 's/"t3"/"t4"/'
	} > more
	call=$(sed -n 8p in | jq -r '.content[] | select(.type == "tool_use") | .id')
	for room in 5 15 30 45 60; do
		ctx-prune "$@" -b $((least + room)) more > out || [ $? -eq 1 ]
		jq -se --arg call "$call" 'map(select(any(.content[]?;
		    .type? == "tool_use" and .id == $call))) |
		    all(.content[0].type == "thinking")' out
	done
	# not at level light, nor with other strategies, which drop the call
	ctx-prune "$@" -l light -b $((all - one)) in > out
	[ "$(wc -l < out)" -eq 7 ]
	ctx-prune "$@" -s pinned-fifo -b $((all - one)) in > out
	[ "$(wc -l < out)" -eq 7 ]
	# nor without a signature
	sed 's/,"signature":"Eq=="//' in > unsigned
	ctx-prune "$@" -b $((all - one)) unsigned > out
	[ "$(wc -l < out)" -eq 7 ]
}

@test "salient removes reasoning that is a line of its own in a session file" {
	reasoned_calls "$(jq -nc --arg w "$(words 60)" \
	    '{type: "thinking", thinking: $w, signature: "Eq=="}')" |
	    jq -nc '[inputs] | to_entries[] | .key as $i | .value |
		if .role == "user" then . else .id = "m\($i)" |
		    .content = (.content[] | [.]) end' |
	    jq -nc '[inputs] | to_entries[] | {type: .value.role,
		uuid: "u\(.key)", sessionId: "s", parentUuid:
		    (if .key > 0 then "u\(.key - 1)" else null end),
		message: .value}' > in
	set -- -m claude-opus-4-6
	budget=$(($(tokens "$@" in) - 100))
	ctx-prune "$@" --quantum 0 -k 1 -t 1 -b $budget in > out
	[ "$(jq -r .uuid out | paste -sd ' ')" = \
	    "u0 u2 u3 u5 u6 u7 u8 u9 u10 u11 u12" ]
	[ "$(tokens "$@" out)" -le $budget ]
	ctx-check -q out
}
