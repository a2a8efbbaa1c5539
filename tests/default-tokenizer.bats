#!/usr/bin/env bats
# How tokens are counted if no model is named: the format decides.

load helper

corpus=$BATS_TEST_DIRNAME/corpus

CALL='{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"f","input":{}}]}'
RESULT='{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"found"}]}'

# A text that has more tokens for Claude than with o200k_base.
text() {
	for i in $(seq "$1"); do
		printf 'The function parse_header%d() returned 0x%x. ' "$i" "$i"
	done
}

# A user message with such a text, in no format of its own.
plain() {
	jq -nc --arg t "$(text "$1")" '{role: "user", content: $t}'
}

# A conversation of Claude without a model. Only its last turn shows the format.
conversation() {
	for i in 1 2 3 4 5 6; do
		echo '{"role":"user","content":"continue"}'
		plain "$((20 + i))" | jq -c '.role = "assistant"'
	done
	plain 3
	echo "$CALL"
	echo "$RESULT"
}

@test "without a model, formats of Claude and Gemini are counted as for their newest model" {
	for format in anthropic:claude bedrock:claude claude-code:claude \
	    claude-stream:claude gemini:gemini gemini-cli:gemini; do
		for file in "$corpus/${format%:*}"/*; do
			jq -c 'walk(if type == "object"
			    then del(.model, .modelVersion, .modelId) else . end)' \
			    "$file" > in
			ctx-count --json in > out
			jq -e --arg m "${format#*:}" '.counted_like == $m and
			    .basis == "estimated" and .model == null' out
			[ "$(jq .tokens out)" -eq "$(tokens -m "${format#*:}" in)" ] ||
				fail "$file"
			[ "$(jq .tokens out)" -gt "$(tokens -e o200k_base in)" ]
		done
	done
}

@test "without a model, other formats are counted with o200k_base" {
	plain 20 > in
	for format in $(ctx-count --list-options |
	    awk -F "\t" '$2 == "dialect" { print $5 }'); do
		case $format in
		anthropic | bedrock | claude-* | gemini*) continue ;;
		esac
		ctx-count -d "$format" --json in > out
		jq -e 'has("counted_like") | not' out
		[ "$(jq .tokens out)" -eq "$(tokens -d "$format" -m no-such in)" ] ||
			fail "$format"
	done
	[ "$(tokens -d anthropic in)" -eq "$(tokens -d anthropic -m claude in)" ]
}

@test "a message that shows the format also decides for the messages before it" {
	conversation > in
	all=$(tokens -m claude in)
	[ "$all" -gt $(($(tokens -e o200k_base in) * 11 / 10)) ]
	[ "$(tokens in)" -eq "$all" ]
	[ "$(tokens < <(cat in))" -eq "$all" ]
	[ "$(tokens -j 3 in)" -eq "$all" ]
	[ "$(jq -s -c . in | tokens)" -eq "$(jq -s -c . in | tokens -m claude)" ]
	ctx-count --json --per message in | jq .tokens > rows
	ctx-count --json --per message -m claude in | jq .tokens | cmp - rows
	# the beginning alone could be of any format
	head -n 12 in > begin
	[ "$(tokens begin)" -eq "$(tokens -m no-such begin)" ]
	{
		head -n 12 in
		echo 'not JSON'
		tail -n 3 in
	} > bad
	[ "$(tokens --lenient bad)" -eq "$all" ]
}

@test "the model that a later message names also decides for the messages before it" {
	plain 40 > begin
	jq -c '{type: "human", content}' begin > dump
	echo '{"type":"ai","content":"ok","response_metadata":{"model_name":"claude-opus-4-1"}}' >> dump
	jq -c '{type, data: .}' dump > dict
	jq -c '{lc: 1, type: "constructor", kwargs: .,
	    id: ["langchain", "schema", "messages",
	        (if .type == "ai" then "AIMessage" else "HumanMessage" end)]}' \
		dump > lc
	echo '{"type":"message","role":"assistant","content":[{"type":"text","text":"ok"}],"model":"claude-opus-4-1","stop_reason":"end_turn","usage":{"output_tokens":4}}' |
		cat begin - > anthropic
	for file in dump dict lc anthropic; do
		jq -sc . $file > array
		for form in $file array; do
			ctx-count --json $form | jq -e '.model == "claude-opus-4-1"'
			[ "$(tokens $form)" -eq "$(tokens -m claude-opus-4-1 $form)" ]
			[ "$(tokens $form)" -gt "$(tokens -e o200k_base $form)" ]
		done
		ctx-count --json -m gpt-4o $file | jq -e '.model == "gpt-4o"'
	done
	# an empty name is none
	echo '{"model":"","messages":[{"role":"user","content":"hi"}]}' |
		ctx-count --json - | jq -e 'has("model") or has("window") | not'
	sed 's/claude-opus-4-1//' dump | cat - dump | ctx-count --json - |
		jq -e '.model == "claude-opus-4-1"'
	# the first of several models
	sed 's/opus-4-1/haiku-4-5/' dump | cat dump - | ctx-count --json - |
		jq -e '.model == "claude-opus-4-1"'
}

@test "ctx-prune meets the budget as Claude counts" {
	conversation > in
	jq -sc '{messages: ., system: "be brief"}' in > request
	for file in in request; do
		[ "$(tokens -e o200k_base $file)" -le 1900 ]
		[ "$(tokens -m claude $file)" -gt 1900 ]
		for strategy in $STRATEGIES; do
			# keeps a number of turns, whatever they cost
			[ "$strategy" != window ] || continue
			set -- -s "$strategy" -k 2 -t 1 -b 1900 $file
			ctx-prune "$@" > out
			[ "$(tokens -m claude out)" -le 1900 ] || fail "$*"
			ctx-prune -m claude "$@" | cmp - out
			ctx-prune -j 3 "$@" | cmp - out
			cat $file | ctx-prune "${@:1:$#-1}" | cmp - out
		done
	done
	ctx-prune -n -s recall -k 2 -t 1 -b 1700 in > plan
	ctx-prune -n -s recall -k 2 -t 1 -b 1700 -m claude in | cmp - plan
}

@test "ctx-prune counts again when a later file shows the format" {
	conversation > in
	head -n 12 in > begin
	tail -n 3 in > end
	ctx-prune --join -s recall -k 2 -t 1 -b 1700 begin end > out
	ctx-prune --join -s recall -k 2 -t 1 -b 1700 -m claude begin end | cmp - out
	ctx-prune --join -s recall -k 2 -t 1 -b 1700 -j 3 begin end | cmp - out
	ctx-prune --join -s recall -k 2 -t 1 -b 1700 -e o200k_base begin end |
		cmp -s - out && fail "the encoding makes no difference"
	# a beginning of more than 1 MiB
	text 24000 | jq -Rc '{role: "user", content: .}' > long
	cat in >> long
	ctx-prune -s recall -k 2 -t 1 -b 1700 long > out
	ctx-prune -s recall -k 2 -t 1 -b 1700 -m claude long | cmp - out
}

@test "ctx-prune counts again after it has freed messages early" {
	text 600 | jq -Rc '{role: "user", content: .}' > one
	for i in $(seq 20); do
		cat one
	done > begin
	printf '%s\n' "$CALL" "$RESULT" > end
	for strategy in fifo pinned-fifo; do
		for threads in 1 3; do
			set -- -s "$strategy" -b 80k -j "$threads"
			ctx-prune --join "$@" begin end > out
			[ "$(tokens -e o200k_base out)" -gt 20000 ]
			[ "$(tokens -m claude out)" -le 80000 ]
			ctx-prune "$@" out | cmp - out
		done
	done
}

@test "ctx-prune plans with new counts as if it had counted so from the beginning" {
	{
		for i in $(seq 6); do
			plain 30 | jq -c '.role = "system"'
			plain 30
			plain 30 | jq -c '.role = "assistant" | .tool_calls = [{
			    id: "c", type: "function",
			    function: {name: "f", arguments: "{}"}}]'
			echo '{"role":"tool","tool_call_id":"c","content":"x"}'
		done
		printf '%s\n' "$CALL" "$RESULT"
	} > in
	ctx-prune -n -s fifo -k 1 -t 1 -b 7k in > plan
	ctx-prune -n -s fifo -k 1 -t 1 -b 7k -m claude in | cmp - plan
}

@test "a format that is only likely does not overrule the one that a message shows" {
	jq -nc --arg t "$(text 40)" '{role: "user", content: [{type: "text",
	    text: $t, cache_control: {type: "ephemeral"}}]}' > likely
	jq -nc --arg t "$(text 40)" '{role: "assistant", content: $t,
	    tool_calls: [{id: "c", type: "function",
	    function: {name: "f", arguments: "{}"}}]}' > sure
	cat likely sure > in
	all=$(tokens -e o200k_base in)
	[ "$(tokens -m claude in)" -gt "$all" ]
	[ "$(tokens in)" -eq "$all" ]
	[ "$(tokens -j 3 in)" -eq "$all" ]
	[ "$(jq -sc . in | tokens)" -eq "$all" ]
	# without looking ahead: from the message that shows it on
	{
		ctx-count --annotate -m claude likely
		ctx-count --annotate -e o200k_base sure
	} | jq .ctx_tokens > expected
	ctx-count --annotate in | jq .ctx_tokens | cmp - expected
}

@test "ctx-truncate, ctx-age and --annotate count as Claude from the message that shows the format on" {
	jq -nc --arg t "$(text 400)" '{role: "user", content: [{type:
	    "tool_result", tool_use_id: "t", content: $t}]}' > result
	{
		plain 3
		echo "$CALL"
		cat result
	} > in
	ctx-truncate --unit tokens -l 500 in > out
	ctx-truncate --unit tokens -l 500 -m claude in | cmp - out
	ctx-truncate --unit tokens -l 500 < <(cat in) | cmp - out
	ctx-truncate --unit tokens -l 500 -e o200k_base in | cmp -s - out &&
		fail "the encoding makes no difference"
	ctx-count --annotate in > out
	ctx-count --annotate -m claude in > claude
	tail -n 2 claude | cmp - <(tail -n 2 out)
	ctx-count --annotate -m no-such in | head -n 1 | cmp - <(head -n 1 out)
	ctx-age -k 0 -S spool --explain aged in > out
	ctx-age -k 0 -S spool --explain aged2 -m claude in | cmp - out
	cmp aged aged2
}

@test "a model or encoding that is named overrules the format" {
	conversation > in
	[ "$(tokens -e o200k_base in)" -eq "$(CTX_ENCODING=o200k_base tokens in)" ]
	[ "$(CTX_MODEL=gpt-4o tokens in)" -eq "$(tokens -m gpt-4o in)" ]
	ctx-count -e o200k_base --json in | jq -e 'has("counted_like") | not'
	CTX_MODEL=gpt-4o ctx-count --json in | jq -e '.model == "gpt-4o" and
	    (has("counted_like") | not)'
	# each conversation by itself
	jq -sc '{messages: .}, {model: "claude-3-opus", messages: .}' in > requests
	ctx-count --json requests > out
	jq -se 'map(.counted_like) == ["claude", null] and
	    map(.model) == [null, "claude-3-opus"]' out
	[ "$(jq -s '.[1].tokens' out)" -eq \
	    "$(jq -sc '{messages: .}' in | tokens -m claude-3-opus)" ]
}

@test "the format decides no window, no price and no rule of a model" {
	conversation > in
	run -2 ctx-prune -b 50% in
	run -2 ctx-prune in
	run -2 ctx-count --max 50% in
	ctx-count --json in | jq -e '(has("window") or has("model")) | not'
	# Gemini 3 demands signatures of tool calls
	echo '[{"role":"user","parts":[{"text":"hi"}]},{"role":"model","parts":[{"functionCall":{"name":"f","args":{}}}]},{"role":"user","parts":[{"functionResponse":{"name":"f","response":{}}}]}]' > call
	ctx-check call
	run -1 ctx-check -m gemini-3-pro call
}

@test "-v says how tokens are counted, and why" {
	conversation > in
	for command in ctx-count "ctx-prune -b 10k"; do
		run -0 --separate-stderr $command -v in
		[[ $stderr == *": no model: token counts of texts are estimated (claude-4.8); the format anthropic suggests claude; --model names another model"* ]]
		[[ $stderr != *"(o200k_base)"* ]]
	done
	run -0 --separate-stderr ctx-count -v <(head -n 2 in)
	[[ $stderr == *"no model: token counts of texts are estimated (o200k_base)"* ]]
}

@test "with a model or encoding nothing is read ahead to find the format" {
	mkfifo pipe
	for choice in CTX_MODEL=claude CTX_ENCODING=o200k_base; do
		env "$choice" ctx-count --per message pipe > out &
		exec 4> pipe
		# more rows than the output buffers, in less than 1 MiB
		yes '{"role":"user","content":"x"}' | head -n 9000 >&4
		for _ in $(seq 100); do
			[ -s out ] && break
			sleep 0.1
		done
		# The pipe is still open.
		[ -s out ]
		exec 4>&-
		wait $!
	done
}

@test "with -u nothing is read ahead to find the format" {
	mkfifo pipe
	ctx-count -u --per message pipe > out &
	exec 4> pipe
	plain 1 >&4
	for _ in $(seq 100); do
		[ -s out ] && break
		sleep 0.1
	done
	# The pipe is still open.
	[ "$(wc -l < out)" -eq 1 ]
	exec 4>&-
	wait $!
}
