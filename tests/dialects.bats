# The formats of the providers: what is read, and what is removed together.

load helper

# Checks the dialect that ctx-count finds in file $2 is $1.
dialect_is() {
	local found
	found=$(ctx-count --json "$2" | jq -r .dialect)
	[ "$found" = "$1" ] || fail "$2: $found, not $1"
}

@test "one message that only one dialect writes decides the dialect" {
	echo '{"role":"user","content":[{"type":"input_text","text":"a"}]}' > r
	dialect_is openai-responses r
	echo '{"type":"function_call","call_id":"c","name":"f","arguments":"{}"}' > r
	dialect_is openai-responses r
	for rest in '"id":"m","status":"completed","content":[{"type":"refusal","refusal":"No."}]' \
	    '"content":[{"type":"refusal","refusal":"No."}]' \
	    '"id":"m","status":"in_progress","content":[]'; do
		echo "{\"type\":\"message\",\"role\":\"assistant\",$rest}" > r
		dialect_is openai-responses r
		# It is not another's in the midst of them.
		{
			echo '{"role":"user","content":"hi"}'
			cat r
			echo '{"type":"message","role":"user","content":[{"type":"input_text","text":"a"}]}'
		} > all
		ctx-check all > out 2>&1 || [ $? -eq 1 ]
		run ! grep -q dialects out
	done
	# Others have types and refusals, too.
	echo '{"role":"assistant","content":[{"type":"refusal","refusal":"No."}]}' > c
	dialect_is openai-chat c
	echo '{"type":"message","id":"m","role":"assistant","stop_reason":null,"content":[]}' > a
	dialect_is anthropic a
	echo '{"role":"user","content":[{"text":"a"}]}' > b
	dialect_is bedrock b
	echo '{"parts":[{"text":"a"}]}' > g
	dialect_is gemini g
	echo '{"role":"user","parts":["a"]}' > g
	dialect_is gemini g
	echo '{"role":"model","parts":[{"function_call":{"name":"f","args":{}}}]}' > g
	dialect_is gemini g
	for block in '{"type":"tool_use","id":"t","name":"f","input":{}}' \
	    '{"type":"text","text":"a","cache_control":{"type":"ephemeral"}}' \
	    '{"type":"image","source":{"type":"url","url":"u"}}' \
	    '{"type":"web_fetch_tool_result","tool_use_id":"s","content":{}}'; do
		echo "{\"role\":\"assistant\",\"content\":[$block]}" > a
		dialect_is anthropic a
	done
	echo '{"role":"user","content":[{"type":"text","text":"a"}]}' > x
	dialect_is generic x
}

@test "tool_calls, role tool and a first system message decide against cache_control" {
	local hint='"cache_control":{"type":"ephemeral"}'
	local user="{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"Weather?\",$hint}]}"
	local call='{"role":"assistant","content":null,"tool_calls":[{"id":"call_a","type":"function","function":{"name":"wx","arguments":"{}"}}]}'
	local tool='{"role":"tool","tool_call_id":"call_a","content":"4C"}'
	local answer='{"role":"assistant","content":"4."}'
	local next='{"role":"user","content":"And Rome?"}'

	printf '%s\n' "$user" "$call" "$tool" "$answer" "$next" > lines
	jq -sc '{messages: .}' lines > record
	for f in lines record; do
		dialect_is openai-chat $f
		ctx-check $f
		# A result is never kept without its call.
		ctx-prune -b 25 -k 1 -t 0 $f > out || [ $? -eq 1 ]
		run ! grep -q call_a out
	done
	# A first system message decides, too, without another sign.
	printf '%s\n' '{"role":"system","content":"Be brief."}' "$user" > lines
	jq -sc '{messages: .}' lines > record
	dialect_is openai-chat lines
	dialect_is openai-chat record
	# Results of an unknown call are a tool's.
	printf '%s\n' "$user" '{"role":"tool","content":"4C"}' | jq -sc . > record
	dialect_is openai-chat record
	# Alone it is Anthropic's, unless what is around it says more.
	echo "{\"messages\":[$user]}" > record
	dialect_is anthropic record
	echo "{\"body\":{\"messages\":[$user]}}" > record
	dialect_is openai-chat record
	# A system message and a block of Anthropic's are Anthropic's.
	printf '%s\n' '{"role":"system","content":"s"}' "$user" \
	    '{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"f","input":{}}]}' > lines
	jq -sc '{messages: .}' lines > record
	dialect_is anthropic record
	ctx-count -v lines 2>&1 | grep "dialect anthropic"
	run ! grep "its own dialect" <(ctx-count -v lines 2>&1)
}

@test "anthropic: every strategy keeps the summary of the provider (compaction)" {
	jq -nc 'range(9) | {role: "user", content: "Question \(.)"},
	    {role: "assistant", content: [if . == 2 then {type: "compaction",
	    content: "Summary"} else empty end, {type: "text", text: "Answer"}]}' > in
	for strategy in $("$BATS_TEST_DIRNAME/strategies"); do
		[ "$strategy" = window ] && set -- --window-turns 1 || set -- -b 60
		ctx-prune -s "$strategy" -k 1 -t 1 "$@" in > out
		[ "$(wc -l < out)" -lt 18 ]
		grep -q '"compaction"' out || fail "$strategy"
	done
}

@test "models of Mistral: pruning leaves no user message directly after a tool result" {
	mkdir -p config/ctx
	echo '{"house": {"answers_results": true}}' > config/ctx/models.json
	jq -nc 'range(10) as $i | {role: "user", content: "Question \($i)"},
	    {role: "assistant", content: "", tool_calls: [{id: "abcdefg0\($i)",
	    type: "function", function: {name: "read", arguments: "{}"}}]},
	    {role: "tool", tool_call_id: "abcdefg0\($i)", content: "src/x\($i).c"},
	    {role: "assistant", content: ("ok then " * 20)}' > in
	for strategy in $("$BATS_TEST_DIRNAME/strategies"); do
		for budget in 150 300 500 700; do
			for model in mistral-large-latest house; do
				XDG_CONFIG_HOME=$PWD/config ctx-prune -m $model \
				    -s "$strategy" -b $budget -k 1 -t 1 in > out || continue
				ctx-check --provider mistral out || fail "$model $strategy $budget"
			done
		done
	done
}

@test "mistral: thinking in chunks is read as reasoning of openai-chat" {
	local think='{"type":"thinking","thinking":[{"type":"text","text":"Let me see."}]}'

	echo "{\"role\":\"assistant\",\"content\":[$think,{\"type\":\"text\",\"text\":\"4.\"}]}" > m
	dialect_is openai-chat m
	ctx-count --per kind m | grep reasoning
	# A string is Anthropic's thinking, but not beside tool calls.
	echo '{"role":"assistant","content":[{"type":"thinking","thinking":"a","signature":"s"}]}' > a
	dialect_is anthropic a
	echo '{"role":"assistant","content":[{"type":"thinking","thinking":"a"}],"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]}' > c
	dialect_is openai-chat c
}

# What -v says of file $1 about its dialect.
said_of() {
	ctx-truncate -v "$1" 2>&1 > /dev/null | grep -v -e "truncated 0" | paste -sd '|'
}

@test "-v prints the dialect, its evidence and place; mixed streams print one line" {
	messages user:a assistant:b > m
	[ "$(said_of m)" = "ctx-truncate: dialect generic, detected by role and content (m:1)" ]
	echo '{"role":"user","content":[{"type":"input_text","text":"a"}]}' >> m
	[ "$(said_of m)" = "ctx-truncate: dialect openai-responses, detected by input_text (m:3)" ]
	for _ in 1 2 3; do
		echo '{"role":"user","content":[{"text":"a"}]}'
		echo '{"role":"user","parts":[{"text":"a"}]}'
	done >> m
	[ "$(said_of m)" = "ctx-truncate: m:4: a message of dialect bedrock follows messages of openai-responses; each is read in its own dialect, unless --dialect names one for all|ctx-truncate: dialect openai-responses, detected by input_text (m:3); later records have other dialects" ]
	[ "$(ctx-truncate m 2>&1 > /dev/null | wc -l)" -eq 1 ]
	echo '{"a":1}' > n
	[ "$(said_of n)" = "ctx-truncate: n:1: no messages were found; ctx-stream(5) lists the formats that ctx reads" ]
	echo '{"system":"s","messages":[{"role":"user","content":"a"}]}' >> n
	[ "$(said_of n)" = "ctx-truncate: dialect anthropic, detected by system (n:2)" ]
	run -0 sh -c 'ctx-truncate -v -d gemini m 2>&1 > /dev/null'
	[[ $output == *"dialect gemini, chosen by --dialect"* ]]
}

@test "a message that only another dialect has than --dialect says is named once" {
	for c in ctx-count ctx-check "ctx-prune -b 900" ctx-truncate; do
		run --separate-stderr $c -d anthropic "$agent"
		[ "$(grep -c 'shows dialect' <<< "$stderr")" -eq 1 ] || fail "$c: $stderr"
		[[ $stderr == *"$agent:3: tool_calls shows dialect openai-chat, but --dialect says anthropic; without --dialect each message is read in its own dialect"* ]] ||
			fail "$c: $stderr"
		run --separate-stderr $c -d openai-chat "$agent"
		[[ $stderr != *"shows dialect"* ]] || fail "$c: $stderr"
	done
	# Plain messages are possible in every dialect.
	messages user:a assistant:b > m
	run --separate-stderr ctx-count -d gemini m
	[ -z "$stderr" ]
}

# The calls that have no response, and the responses that answer nothing.
unpaired() {
	ctx-check --json "$1" | jq -r '.rule | select(startswith("orphan") or
	    . == "result-order")'
}

@test "gemini: pruning keeps a row of calls with all their responses" {
	t=$(words 30) short=0
	turn() {
		cat <<-X
		{"role":"user","parts":[{"text":"ask $1"}]}
		{"role":"model","parts":[{"text":"both"},{"functionCall":{"name":"f","args":{}}}]}
		{"role":"model","parts":[{"functionCall":{"name":"f","args":{}}},{"functionCall":{"name":"g","args":{}}}]}
		{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"output":"$t"}}}]}
		{"role":"user","parts":[{"functionResponse":{"name":"g","response":{"output":"$t"}}}]}
		{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"output":"$t"}}}]}
		{"role":"user","parts":[{"text":"more $1"}]}
		{"role":"model","parts":[{"text":"done $1"}]}
		X
	}
	for n in 1 2 3; do turn $n; done > g
	[ -z "$(unpaired g)" ]
	for s in pinned-fifo fifo middle-out heuristic; do
		for b in 40 130 200 260 320 380; do
			ctx-prune -s $s -k 1 -t 0 -b $b g > out || [ $? -eq 1 ]
			[ "$(grep -o functionCall out | wc -l)" -eq \
			    "$(grep -o functionResponse out | wc -l)" ] ||
				fail "$s $b: $(cut -c 1-60 out)"
			[ -z "$(unpaired out)" ] || fail "$s $b: $(unpaired out)"
			short=$((short + $(cmp -s out g; echo $?)))
		done
	done
	[ $short -gt 10 ]
}

@test "gemini: a call and a response pair if only one has an id; a call without a response is an orphan" {
	t=$(words 30)
	cat > g <<-X
	{"role":"user","parts":[{"text":"a"}]}
	{"role":"model","parts":[{"functionCall":{"name":"f","args":{}}}]}
	{"role":"user","parts":[{"functionResponse":{"id":"1","name":"f","response":{"output":"$t"}}}]}
	{"role":"model","parts":[{"functionCall":{"id":"2","name":"f","args":{}}}]}
	{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"output":"$t"}}}]}
	{"role":"model","parts":[{"text":"b"}]}
	{"role":"user","parts":[{"text":"c"}]}
	{"role":"model","parts":[{"text":"d"}]}
	X
	[ -z "$(ctx-check g)" ]
	for b in 10 50 80 100; do
		ctx-prune -k 1 -t 0 -b $b g > out || [ $? -eq 1 ]
		[ "$(grep -c functionCall out)" -eq "$(grep -c functionResponse out)" ]
		[ -z "$(ctx-check out)" ]
	done
	# The call of a turn that broke off takes no later response.
	cat > g <<-X
	{"role":"user","parts":[{"text":"a"}]}
	{"role":"model","parts":[{"functionCall":{"name":"f","args":{}}}]}
	{"role":"user","parts":[{"text":"again"}]}
	{"role":"model","parts":[{"functionCall":{"name":"f","args":{}}}]}
	{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"output":"$t"}}}]}
	{"role":"model","parts":[{"text":"b"}]}
	X
	[ "$(ctx-check g | cut -d : -f 2,3)" = "2: orphan-call" ]
	ctx-prune -e o200k_base -k 1 -t 1 -b 36 --quantum 0 g | cmp - <(sed 1,2d g)
}

@test "responses: reasoning is kept or removed with its call" {
	t=$(words 60)
	cat > r <<-X
	{"role":"user","content":[{"type":"input_text","text":"$t"}]}
	{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"$t"}]}
	{"type":"function_call","call_id":"c1","name":"f","arguments":"{}"}
	{"type":"function_call","call_id":"c2","name":"f","arguments":"{}"}
	{"type":"function_call_output","call_id":"c2","output":"$t"}
	{"type":"function_call_output","call_id":"c1","output":"$t"}
	{"type":"reasoning","id":"rs_2","summary":[{"type":"summary_text","text":"$t"}]}
	{"type":"message","role":"assistant","content":[{"type":"output_text","text":"$t"}]}
	{"role":"user","content":"next"}
	{"role":"assistant","content":"done"}
	X
	sed -n '1p;7,10p' r > want
	ctx-prune -s pinned-fifo -k 1 -t 0 -b 300 r | cmp - want
	sed -n '9,10p' r > want
	ctx-prune -s pinned-fifo -k 1 -t 0 -b 100 r | cmp - want
	ctx-prune -s pinned-fifo -l aggressive -k 1 -t 0 -b 350 --target 340 r > out
	[ "$(jq -r 'select(.output) | .output' out | sort -u)" = '[cleared]' ]
	[ "$(jq -r .type out | grep -c reasoning)" -eq 2 ]
}

@test "responses: an opaque item costs the same as a line and inside a request" {
	item='{"type":"web_search_call","id":"ws_7","action":{"type":"search"}}'
	echo "$item" > line
	echo "{\"input\":[$item]}" > inside
	for f in line inside; do
		[ "$(ctx-count -d openai-responses --json --per kind $f |
			jq -r 'select(.kind == "opaque").tokens')" -gt 2 ]
	done
	[ "$(tokens -d openai-responses line)" -eq \
	    "$(tokens -d openai-responses inside)" ]
}

@test "responses: outputs that only look like text are not cleared" {
	t=$(words 200)
	cat > r <<-X
	{"role":"user","content":[{"type":"input_text","text":"a"}]}
	{"type":"shell_call","call_id":"c1","action":{"commands":["ls"]}}
	{"type":"shell_call_output","call_id":"c1","output":[{"stdout":"$t","stderr":"","outcome":{"type":"exit","exit_code":0}}]}
	{"type":"computer_call","id":"cu","call_id":"c2","action":{"type":"screenshot"}}
	{"type":"computer_call_output","call_id":"c2","output":{"type":"computer_screenshot","image_url":"data:image/png;base64,AAAA"}}
	{"type":"apply_patch_call","call_id":"c3","operation":{"type":"delete_file","path":"a"}}
	{"type":"apply_patch_call_output","call_id":"c3","status":"completed","output":"$t"}
	{"role":"assistant","content":"b"}
	{"role":"user","content":"c"}
	X
	ctx-prune -s pinned-fifo -l aggressive -k 1 -t 2 -b 1230 --target 1220 r > out
	cmp <(sed '7d' r) <(sed '7d' out)
	[ "$(sed -n 7p out | jq -r .output)" = '[cleared]' ]
}

@test "anthropic: a call and its result are removed from between other blocks" {
	t=$(words 60)
	cat > a <<-X
	{"role":"user","content":"$t"}
	{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"f","input":{"a":1}}]}
	{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"$t"}, {"type":"text","text":"and now?"}]}
	{"role":"assistant","content":[{"type":"thinking","thinking":"$t","signature":"x"},{"type":"text","text":"so"}]}
	{"role":"user","content":"bye"}
	{"role":"assistant","content":"bye"}
	X
	ctx-prune -k 1 -t 0 -b 70 a > out
	cat > want <<-'X'
	{"role":"user","content":[ {"type":"text","text":"and now?"}]}
	{"role":"assistant","content":[{"type":"text","text":"so"}]}
	{"role":"user","content":"bye"}
	{"role":"assistant","content":"bye"}
	X
	jq -c . want > a1
	jq -c . out | cmp - a1
}

@test "anthropic: server tools and a system message between others are kept or removed whole" {
	t=$(words 60)
	cat > a <<-X
	{"role":"user","content":"$t"}
	{"role":"assistant","content":[{"type":"server_tool_use","id":"s1","name":"web_search","input":{}},{"type":"web_search_tool_result","tool_use_id":"s1","content":[{"type":"web_search_result","title":"$t","encrypted_content":"AA"}]},{"type":"text","text":"found"}]}
	{"role":"user","content":"one"}
	{"role":"system","content":"mind this"}
	{"role":"assistant","content":"$t"}
	{"role":"user","content":"bye"}
	{"role":"assistant","content":"bye"}
	X
	ctx-prune -s fifo -l aggressive -k 1 -t 0 -b 130 --target 120 a > out
	sed -n '3,7p' a | cmp - out
	ctx-prune -s fifo -l aggressive -k 1 -t 0 -b 60 --target 50 a > out
	sed -n '6,7p' a | cmp - out
}

@test "bedrock and gemini: cleared results keep their form" {
	t=$(words 60)
	cat > b <<-X
	{"role":"user","content":[{"text":"a"},{"cachePoint":{"type":"default"}}]}
	{"role":"assistant","content":[{"toolUse":{"toolUseId":"t1","name":"f","input":{}}}]}
	{"role":"user","content":[{"toolResult":{"toolUseId":"t1","content":[{"text":"$t"},{"json":{"a":1}}],"status":"success"}},{"cachePoint":{"type":"default"}}]}
	{"role":"assistant","content":[{"text":"b"}]}
	{"role":"user","content":[{"text":"c"}]}
	X
	ctx-prune -s pinned-fifo -l aggressive -k 1 -t 2 -b 60 --target 60 b > out
	cmp <(sed 3d b) <(sed 3d out)
	[ "$(sed -n 3p out | jq -c .content[0].toolResult.content)" = \
	    '[{"text":"[cleared]"}]' ]
	[ "$(ctx-count --json b | jq .turns)" -eq 2 ]
	cat > g <<-X
	{"role":"user","parts":[{"text":"a"}]}
	{"role":"model","parts":[{"functionCall":{"name":"f","args":{}},"thoughtSignature":"AA"}]}
	{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"output":"$t"}}}]}
	{"role":"model","parts":[{"thought":true,"text":"$t"},{"text":"b","thoughtSignature":"AA"}]}
	{"role":"user","parts":[{"text":"c"}]}
	X
	ctx-prune -s pinned-fifo -l aggressive -k 1 -t 2 -b 40 --target 40 g > out
	cmp <(sed '3,4d' g) <(sed '3,4d' out)
	[ "$(sed -n 3p out | jq -c .parts[0].functionResponse.response)" = \
	    '{"output":"[cleared]"}' ]
	[ "$(sed -n 4p out)" = \
	    '{"role":"model","parts":[{"text":"b","thoughtSignature":"AA"}]}' ]
}

@test "a message of reasoning alone does not lose it" {
	t=$(words 60)
	cat > b <<-X
	{"role":"user","content":[{"text":"a"}]}
	{"role":"assistant","content":[{"reasoningContent":{"reasoningText":{"text":"$t"}}}]}
	{"role":"user","content":[{"text":"c"}]}
	X
	ctx-prune -k 1 -t 2 -b 40 b > out 2> err || [ $? -eq 1 ]
	cmp out b
}

# A conversation of $1 turns of the role/content kind, as an array.
turns() {
	jq -nc --arg t "$(words 20)" "[range($1) | {role: \"user\",
	    content: \"\\(.) \\(\$t)\"}, {role: \"assistant\", content: \$t}]"
}

@test "each request in a record is pruned by itself, and all around it is unchanged" {
	turns 8 > m
	jq -c '{custom_id: "r1", method: "POST", url: "/v1/chat/completions",
	    body: {model: "gpt-4o", messages: ., n: 1.50}}' m > w
	jq -c '{custom_id: "r2", params: {max_tokens: 5, messages: .}}' m >> w
	jq -c '{input: {messages: ., tools: []}, preferred_output: .,
	    non_preferred_output: .}' m >> w
	jq -c '{model: "gpt-4o", instructions: "x", input: .}' m >> w
	jq -c '{system: "x", messages: ., max_tokens: 5}' m >> w
	jq -c 'map({role: (if .role == "user" then "user" else "model" end),
	    parts: [{text: .content}]}) | {key: "k", request: {contents: .}}' m >> w
	jq -c 'map({role, content: [{text: .content}]}) |
	    {recordId: "1", modelInput: {messages: ., inferenceConfig: {}}}' m >> w
	ctx-prune -e o200k_base -s pinned-fifo -k 1 -t 1 -b 130 w > out
	[ "$(wc -l < out)" -eq 7 ]
	jq -c '[.. | arrays | select(.[0].role? != null) | length]' out > n
	cat > want <<-X
	[4]
	[4]
	[4,16,16]
	[4]
	[4]
	[6]
	[4]
	X
	cmp n want
	# What is around the messages is the same, to the byte.
	sed 's/"\(messages\|contents\)":\[.*\]/"\1":[]/' w > a
	sed 's/"\(messages\|contents\)":\[.*\]/"\1":[]/' out > b
	cmp <(sed '3,4d' a) <(sed '3,4d' b)
	ctx-prune -e o200k_base -s pinned-fifo -k 1 -t 1 -b 130 out | cmp - out
	jq -s . w > doc
	ctx-prune -e o200k_base -s pinned-fifo -k 1 -t 1 -b 130 doc | jq -c '.[]' > c
	jq -c . out | cmp - c
	jq -nc --slurpfile m m '{requests: [{custom_id: "a",
	    params: {messages: $m[0]}}, {custom_id: "b",
	    params: {messages: $m[0]}}], x: 1}' > list
	ctx-prune -s pinned-fifo -k 1 -t 1 -b 130 list |
	    jq -c '[.requests[].params.messages | length]' > n
	[ "$(cat n)" = '[4,4]' ]
}

@test "the members around messages decide the dialect if the messages do not" {
	m='"messages":[{"role":"user","content":"a"}]'
	echo "{\"model\":\"x\",$m}" > w && dialect_is generic w
	echo "{\"custom_id\":\"1\",\"params\":{$m}}" > w && dialect_is anthropic w
	echo "{\"custom_id\":\"1\",\"body\":{$m}}" > w && dialect_is openai-chat w
	echo "{\"system\":\"s\",$m}" > w && dialect_is anthropic w
	echo "{\"modelId\":\"s\",$m}" > w && dialect_is bedrock w
	echo '{"contents":[{"parts":[]}]}' > w && dialect_is gemini w
	echo '{"model":"x","input":[{"role":"user","content":"a"}]}' > w
	dialect_is openai-responses w
}

@test "responses: an input that is a string is one message for every command" {
	local o text
	text="how are you, $(words 40)"
	jq -nc --arg t "$text" '{model: "gpt-5", input: $t}' > in
	jq -nc --arg t "$text" '{model: "gpt-5", input: [{role: "user",
	    content: $t}]}' > items
	jq -nc --arg t "$text" '{custom_id: "1", method: "POST",
	    url: "/v1/responses", body: {model: "gpt-5", input: $t}}' > batch
	# The role is not written down, so it costs nothing.
	n=$(($(tokens items) - 1))
	for f in in batch; do
		dialect_is openai-responses $f
		[ "$(ctx-count --json $f | jq -c '[.messages, .tokens]')" = \
		    "[1,$n]" ]
		ctx-count -q --max $((n - 1)) $f && fail "$f: --max"
		ctx-count -q --max "$n" $f
		ctx-check $f
		ctx-check --repair $f | cmp - $f
		for o in "" "--notice x" "-s summarize" \
		    "-s heuristic -l aggressive"; do
			# shellcheck disable=SC2086 # options
			run -1 --separate-stderr ctx-prune -b 9 $o $f
			[ "$output" = "$(cat $f)" ] || fail "$f $o"
			[[ $stderr == *"last messages"* ]]
		done
		ctx-cache --strip $f | cmp - $f
		ctx-cache -m gpt-5.6 $f 2> /dev/null | cmp - $f
		ctx-age -k 0 -o 3 -S spool $f | cmp - $f
		ctx-truncate --message-limit 8 $f > out
		jq -e '(.body // .).input | length == 8 and startswith("how")' \
		    out
	done
	# Those of other kinds are none.
	for o in '"model":"text-embedding-3-small"' '"model":"tts-1"' \
	    '"model":"gpt-4o-mini-tts","voice":"alloy"' \
	    '"model":"omni-moderation-latest"' '"instruction":"sum up"' \
	    '"model":"gpt-4o","output":"fine"' \
	    '"model":"x","type":"custom_tool_call"'; do
		echo "{$o,\"input\":\"a text\"}" > other
		[ -z "$(ctx-count --json other 2> /dev/null |
		    jq 'select(.messages > 0)')" ] || fail "$o"
	done
}

@test "tools, instructions and system prompts are counted in addition to the messages" {
	m='{"role":"user","content":"a"}'
	echo "{\"messages\":[$m]}" > w
	bare=$(ctx-count --json w | jq .tokens)
	for more in '"system":"be brief"' '"tools":[{"name":"f"}]' \
	    '"system":[{"type":"text","text":"be brief"}]' \
	    '"toolConfig":{"tools":[{"toolSpec":{"name":"f"}}]}'; do
		echo "{\"messages\":[$m],$more}" > w
		[ "$(ctx-count --json w | jq .tokens)" -gt "$bare" ]
	done
	g='{"contents":[{"parts":[{"text":"a"}]}]'
	echo "$g,\"systemInstruction\":{\"parts\":[{\"text\":\"be brief\"}]}}" > w
	[ "$(tokens -e o200k_base w)" -eq 3 ]
}

@test "parts that contradict their type are read by their contents" {
	kinds() { # dialect, record
		ctx-count -d "$1" --per kind --json <<< "$2" |
		    jq -rs 'map(.kind) - ["framing", "priming"] | sort | join(" ")'
	}
	document() {
		kinds anthropic "{\"role\":\"user\",\"content\":[{\"type\":\"document\",\"source\":$1}]}"
	}
	[ "$(document '{"type":"text","media_type":"text/plain","data":"a"}')" = text ]
	[ "$(document '{"type":"content","content":[{"type":"text","text":"a"}]}')" = opaque ]
	[ "$(document '{"type":"base64","data":"AAAA"}')" = media ]
	[ "$(document '{"type":"content"}')" = media ]
	[ "$(kinds openai-responses '{"type":"reasoning","id":"r","summary":
	    [{"type":"summary_text","text":"a"}]}')" = reasoning ]
	[ -z "$(kinds openai-responses '{"type":"reasoning","id":"r","summary":7}')" ]
	run -0 ctx-count --per role --json <<< \
	    '{"type":"additional_tools","tools":[{"type":"function","name":"f"}]}'
	[ "$(jq -r 'select(.tokens > 3) | .role' <<< "$output")" = system ]
}

@test "a record that is not an object is not a message of any dialect" {
	printf '%s\n' 7 '"text"' null '{"role":"user","content":"a"}' > in
	for d in openai-chat anthropic gemini claude-code; do
		ctx-truncate -d $d -l 1 in | head -n 3 | cmp - <(head -n 3 in)
	done
	[ "$(ctx-count -d openai-chat --json in | jq .messages)" -eq 1 ]
}

@test "responses are counted and never changed" {
	t=$(words 60)
	image=$(head -c 900 /dev/zero | base64 -w 0)
	cat > w <<-X
	{"custom_id":"1","response":{"status_code":200,"body":{"model":"gpt-4o","choices":[{"index":0,"message":{"role":"assistant","content":"$t"}},{"index":1,"message":{"role":"assistant","content":"$t"}}]}}}
	{"custom_id":"2","response":{"status_code":200,"body":{"model":"gpt-4o","output":[{"type":"reasoning","id":"rs","summary":[]},{"type":"message","role":"assistant","content":[{"type":"output_text","text":"$t"}]}]}}}
	{"custom_id":"3","result":{"type":"succeeded","message":{"type":"message","role":"assistant","content":[{"type":"text","text":"$t"}]}}}
	{"custom_id":"4","result":{"type":"errored","error":{"type":"invalid_request"}}}
	{"key":"5","response":{"candidates":[{"content":{"role":"model","parts":[{"text":"$t"}]}}]}}
	{"candidates":[{"content":{"role":"model","parts":[{"text":"$t"}]},"finishReason":"STOP"}]}
	{"candidates":[{"content":{"role":"model","parts":[{"inlineData":{"mimeType":"image/png","data":"$image"}},{"functionCall":{"name":"f","args":{"a":"$t"}}}]}}]}
	X
	run -1 ctx-prune -k 1 -t 0 -b 50 w
	ctx-prune -k 1 -t 0 -b 50 w 2> err | cmp - w
	ctx-truncate --message-limit 9 --args 9 --media 0 w | cmp - w
	ctx-truncate --message-limit 9 --args 9 --media 1 w | cmp - w
	ctx-age --media 0 w | cmp - w
	ctx-count --json w > n
	[ "$(jq -s 'map(.messages) | add' n)" -eq 8 ]
	[ "$(jq -s 'map(select(.tokens > 50)) | length' n)" -eq 6 ]
}

@test "the corpus of providers is detected, passes unchanged, and prunes idempotently" {
	for d in openai-chat generic openai-responses anthropic bedrock gemini \
	    requests batches; do
		for f in "$BATS_TEST_DIRNAME/corpus/$d"/*; do
			ctx-prune -b 1M "$f" | cmp - "$f"
			case $d in
			requests | batches) ;;
			*) dialect_is $d "$f" ;;
			esac
			for l in light balanced aggressive; do
				ctx-prune -k 1 -t 0 -l $l -b 300 "$f" > once 2> err ||
					[ $? -eq 1 ]
				ctx-prune -k 1 -t 0 -l $l -b 300 once > twice 2> err ||
					[ $? -eq 1 ]
				cmp once twice || fail "$f: $l"
				jq -c . once > /dev/null
			done
		done
	done
}

@test "the corpus of providers is valid for its provider after pruning" {
	valid=$B/gen-tools/valid
	for d in openai-chat openai-responses anthropic bedrock gemini; do
		for f in "$BATS_TEST_DIRNAME/corpus/$d"/*; do
			"$valid" $d < "$f" > was || [ $? -eq 1 ]
			for s in fifo window middle-out recall heuristic salient; do
				for b in 60 200 700; do
					ctx-prune -d $d -s $s -k 1 -t 0 -b $b "$f" \
					    > out 2> err || [ $? -eq 1 ]
					"$valid" $d < out > now || [ $? -eq 1 ]
					[ "$(wc -l < now)" -le "$(wc -l < was)" ] ||
						fail "$f $s $b: $(head -n 1 now)"
				done
			done
		done
	done
}

@test "gemini: a pinned message keeps the neighbours that alternating roles need" {
	t=$(words 40)
	cat > g <<-X
	{"role":"user","parts":[{"text":"one $t"}]}
	{"role":"model","parts":[{"functionCall":{"name":"f","args":{"x":"PIN"}}}]}
	{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"output":"$t"}}},{"text":"two $t"}]}
	{"role":"model","parts":[{"functionCall":{"name":"f","args":{}}}]}
	{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"output":"$t"}}}]}
	{"role":"model","parts":[{"text":"$t"}]}
	{"role":"user","parts":[{"text":"three $t"}]}
	{"role":"model","parts":[{"text":"$t"}]}
	{"role":"user","parts":[{"text":"four"}]}
	{"role":"model","parts":[{"text":"end"}]}
	X
	# Results and text share a message; the answer to the text must be kept.
	sed -n '1,3p;6p;9,10p' g > want
	ctx-prune -s pinned-fifo -l light -k 1 -t 0 -b 100 --pin PIN g > out 2> err || [ $? -eq 1 ]
	cmp out want
	"$B/gen-tools/valid" gemini < out
	# Without the pin nothing of it is needed.
	ctx-prune -s pinned-fifo -l light -k 1 -t 0 -b 100 g > out
	sed -n '7,10p' g | cmp - out
	# A step from the middle of a turn keeps both its ends.
	sed 's/"x":"PIN"/"x":1/; s/"args":{}/"args":{"x":"PIN"}/' g > h
	ctx-prune -s pinned-fifo -l light -k 1 -t 0 -b 100 --pin PIN h > out 2> err || [ $? -eq 1 ]
	"$B/gen-tools/valid" gemini < out
	[ "$(wc -l < out)" -eq 6 ]
}

@test "values of a wrong type pass unchanged and crash no command" {
	# Each value of each record is replaced or removed.
	for file in "$BATS_TEST_DIRNAME"/corpus/*/*.json*; do
		jq -cn 'limit(12; inputs) as $r |
		    limit(50; $r | paths | select(length <= 8)) as $p |
		    ((null, 7, "x", [], {}) as $v | $r | setpath($p; $v)),
		    ($r | delpaths([$p]))' "$file" > in
		[ "$(wc -l < in)" -gt 30 ]
		ctx-truncate -l 1000000 in > out
		cmp in out
		ctx-prune -b 100000k in > out
		cmp in out
		ctx-count --per tool --json in > out
		for c in "ctx-check -q" "ctx-age --mask -o 20 -k 1" \
		    "ctx-cache --strip" "ctx-prune -b 3000 -s heuristic" \
		    "ctx-prune -b 3000 -s recall --query file"; do
			$c in > out || [ $? -eq 1 ] || fail "$c $file"
			jq -c . out > parsed
		done
	done
}

@test "a dialect that is detected late also applies to the messages read before" {
	for i in $(seq 30); do
		messages "user:question $i, $(words 9)" "system:rule $i" \
		    "assistant:answer $i, $(words 20)"
	done > plain
	cat plain - > anthropic << 'EOF'
{"role":"user","content":"last?"}
{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}}]}
{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"x"}]}
EOF
	cat plain - > openai-chat << 'EOF'
{"role":"user","content":"last?"}
{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]}
{"role":"tool","tool_call_id":"a","content":"x"}
EOF
	for d in anthropic openai-chat; do
		for s in $STRATEGIES; do
			ctx-prune -s $s -b 700 -k 1 -t 1 $d > found ||
				[ $? -eq 1 ]
			ctx-prune -d $d -s $s -b 700 -k 1 -t 1 $d > said ||
				[ $? -eq 1 ]
			cmp found said
		done
	done
	grep -v '"system"' anthropic | ctx-prune -s summarize -b 700 -k 1 > out
	[ "$(head -n 1 out | jq -r .role)" = user ]
	head -n 1 out | grep -q 'Earlier conversation summary'
	jq -cs '{model: "claude-opus-4-8", messages: .}' out |
		ctx-check --allow-pending
}

# What ctx makes of file $1, but for how many tokens that are.
made_of() {
	local c
	for c in "ctx-count --json --per message" "ctx-check" \
	    "ctx-check --repair" "ctx-count --calibrate --json" \
	    "ctx-prune -s window -t 1" "ctx-prune -s heuristic -b 100" \
	    "ctx-truncate -l 9 --tool ." \
	    "ctx-age -k 0 -o 9 --mask --older-than 30s"; do
		$c < "$1" 2> err || [ $? -eq 1 ]
	done | sed 's/^-:\([0-9]*\):[0-9]*:/\1:/' | jq -cR '
	    (fromjson? // .) | if type == "object" and has("encoding")
	    then [.model, .calls]
	    elif type == "object" and has("exact")
	    then [.dialect, .line, .index, .turns, .role, .tool, .model]
	    else . end'
}

@test "escaped keys and names mean the same as plain ones" {
	for file in "$BATS_TEST_DIRNAME"/corpus/*/*.json*; do
		jq -c . "$file" > plain
		jq -r -f "$BATS_TEST_DIRNAME/spell.jq" plain > escaped
		run ! cmp -s plain escaped
		made_of plain > want
		made_of escaped > got
		[ "$(wc -l < want)" -gt 4 ]
		cmp want got || fail "$file"
	done
}

@test "escaped values mean the same as plain ones" {
	# s/what/it is/ in a record.
	while IFS='|' read -r what escaped record; do
		echo "$record" > plain
		echo "${record/"$what"/"$escaped"}" > other
		run ! cmp -s plain other
		for f in plain other; do
			ctx-count --json --per kind < "$f" > "$f.is"
			ctx-check < "$f" >> "$f.is" || [ $? -eq 1 ]
		done
		cmp plain.is other.is || fail "$escaped"
	done <<-'X'
	"string","s|"string","\u0073|{"model":"gpt-4o","messages":[{"role":"user","content":"a"}],"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{"c":{"type":["null","string","string"]}}}}}]}
	bash_|\u0062ash_|{"model":"claude-opus-4-5","system":"s","messages":[{"role":"user","content":"a"}],"tools":[{"type":"bash_20250124","name":"bash"}]}
	application/pdf|application\u002f\u0070df|{"role":"user","content":[{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"AAAA"}}]}
	AAAA|\u0041AAA|{"role":"assistant","content":[{"type":"redacted_thinking","data":"AAAABBBBCCCCDDDD"}]}
	<tool_call>|\u003ctool_c\u0061ll\u003e|{"from":"gpt","value":"<\\<tool_call>\n{}\n</tool_call>"}
	X
}

@test "escapes and white space in arguments do not change what is removed or pinned" {
	# Five calls of tools: the third repeats the first, and the path of the
	# second is in no other message.  The arguments of four calls are
	# written in another way.
	jq -nc --arg text "$(seq -s ' ' 40)" '
	    [["src/net/pool.c", 1], ["src/日本/list.c", 2], ["src/net/pool.c", 1],
	        ["src/ui/tree.c", 4], ["src/net/pool.c", 5]] | to_entries[]
	    | (.key | tostring) as $id | {role: "user", content: "next"},
	    {role: "assistant", content: [{type: "tool_use", id: $id,
	        name: "read", input: {path: .value[0], line: .value[1]}}]},
	    {role: "user", content: [{type: "tool_result", tool_use_id: $id,
	        content: $text}, {type: "text", text: "Not src/ui/tree.c"}]}' > plain
	perl -CSD -pe 'next if $. == 2; s!/!\\/!g; s/日/\\u65e5/g;
	    s/"path":/"path" : /; s/"line":/ "line"\t:/' plain > escaped
	[ "$(jq -c . escaped)" = "$(cat plain)" ]
	for options in "-s salient" "-s heuristic" "-s recall --query tree.c" \
	    "-s summarize -b 360" "-s fifo --pin src/日本" "-s fifo --pin line.:2"
	do
		for f in plain escaped; do
			# shellcheck disable=SC2086 # options
			ctx-prune -b 400 -k 1 -t 0 $options --explain - -n $f |
			    jq -c 'del(.file, .sha256)' > $f.told
			# shellcheck disable=SC2086 # options
			ctx-prune -b 400 -k 1 -t 0 $options $f |
			    jq -c . > $f.kept
		done
		[ -s plain.told ] || fail "$options: nothing is removed"
		cmp plain.told escaped.told || fail "$options"
		cmp plain.kept escaped.kept || fail "$options"
	done
	ctx-prune -b 400 -k 1 -t 0 -s fifo --pin src/日本 escaped |
		jq -r '.content[0].input.path?' | grep -q 日本
}
