# Which reasoning counts: that of earlier turns is not billed for some models

load helper

# Base64 of $1 bytes.
base64_of() {
	head -c "$1" /dev/zero | tr '\0' A
}

# A request in OpenAI's Responses to a model: $1.  Its first turn has reasoning
# of $2 bytes; its last turn has reasoning of $3 bytes.
responses() {
	jq -nc --arg model "$1" --arg old "$(base64_of "$2")" \
	    --arg new "$(base64_of "$3")" '
	    def item($role; $text): {type: "message", role: $role, content: $text};
	    def thought($sealed): select($sealed != "") | {type: "reasoning",
		summary: [], encrypted_content: $sealed};
	    def called($id): {type: "function_call", call_id: $id, name: "ls",
		arguments: "{}"}, {type: "function_call_output", call_id: $id,
		output: "a b c"};
	    {model: $model, input: [item("user"; "What is here?"),
		thought($old), called("c1"), item("assistant"; "Three files."),
		item("user"; "And now?"), thought($new), called("c2")]}'
}

# A request to Claude, as responses; $4 is a text in the last user message,
# which has a tool result.
claude() {
	jq -nc --arg model "$1" --arg old "$(words "$2")" \
	    --arg new "$(words "$3")" --arg more "$4" '
	    def thought($text): select($text != "") | {type: "thinking",
		thinking: $text, signature: "c2ln"};
	    {model: $model, messages: [{role: "user", content: "What is here?"},
		{role: "assistant", content: [thought($old),
		    {type: "text", text: "Three files."}]},
		{role: "user", content: "And now?"},
		{role: "assistant", content: [thought($new),
		    {type: "tool_use", id: "t", name: "ls", input: {}}]},
		{role: "user", content: [{type: "tool_result", tool_use_id: "t",
		    content: "a b c"}, ($more | select(. != "") |
		    {type: "text", text: .})]}]}'
}

@test "OpenAI up to GPT-5.5: reasoning before the last user message counts as nothing" {
	for model in gpt-5 gpt-5-nano-2025-08-07 gpt-5.5 openai/o4-mini; do
		responses $model 8000 0 > with
		responses $model 0 0 > without
		[ "$(tokens with)" -eq "$(tokens without)" ] || fail "$model"
	done
	# From GPT-5.6 on it counts, as it does if the model is not known.
	for model in gpt-5.6-sol gpt-6-astra gpt-5.9 grok-4.3 house; do
		responses $model 8000 0 > with
		responses $model 0 0 > without
		[ "$(tokens with)" -gt $(($(tokens without) + 800)) ] ||
			fail "$model"
	done
}

@test "encrypted reasoning of the last turn of GPT-5 counts 153 tokens per 1,000 bytes after 920" {
	responses gpt-5 0 920 > nothing
	for n in 920 1920 10920; do
		responses gpt-5 3000 $n > with
		[ $(($(tokens with) - $(tokens nothing))) -eq \
		    $(((n - 920) * 153 / 1000)) ] || fail "$n"
	done
	[ "$(tokens with)" -eq $(($(tokens nothing) + 1530)) ]
	# GPT-5.6 and later have 280 bytes more that are not reasoning.
	for model in gpt-5.6-sol gpt-6; do
		responses $model 0 1200 > nothing
		responses $model 0 2200 > with
		[ $(($(tokens with) - $(tokens nothing))) -eq 153 ] ||
			fail "$model"
		responses $model 0 920 > least
		[ "$(tokens least)" -eq "$(tokens nothing)" ] || fail "$model"
	done
	# All bytes of Grok's are reasoning.
	responses grok-4.3 0 1000 > less
	responses grok-4.3 0 2000 > more
	[ $(($(tokens more) - $(tokens less))) -eq 163 ]
}

# A session of pi with reasoning of the model $1: $2 is its readable text, $3
# its signature; $4 is more JSON of its block.
pi_session() {
	jq -nc --arg model "$1" --arg text "$2" --arg sealed "$3" \
	    --argjson more "${4:-{\}}" '
	    {type: "session", version: 3, id: "s", cwd: "/w"},
	    ({type: "message", id: "a", parentId: null, message: {role: "user",
		content: "What is here?"}}),
	    {type: "message", id: "b", parentId: "a", message: {
		role: "assistant", model: $model, stopReason: "toolUse",
		content: [{type: "thinking", thinking: $text} + $more +
		    (if $sealed == "" then {}
		    else {thinkingSignature: $sealed} end),
		{type: "toolCall", id: "c", name: "ls", arguments: {}}]}}'
}

@test "pi: a reasoning item of OpenAI counts as its encrypted content, not as its summary" {
	item() {
		jq -nc --arg sealed "$(base64_of "$1")" '{id: "rs_1",
		    type: "reasoning", encrypted_content: $sealed,
		    summary: [{type: "summary_text", text: "\"Look.\""}]}'
	}
	pi_session gpt-5 "$(words 500)" "$(item 920)" > nothing
	pi_session gpt-5 "" "$(item 1920)" > with
	[ $(($(tokens with) - $(tokens nothing))) -eq 153 ]
	# An item without encrypted content, a signature of another provider, or
	# the name of a member: the text counts.
	for sealed in '{"id":"rs_1","summary":[]}' c2ln reasoning_content ""; do
		pi_session gpt-5 "$(words 500)" "$sealed" > text
		[ "$(tokens text)" -gt $(($(tokens nothing) + 450)) ] ||
			fail "$sealed"
	done
}

@test "pi: redacted reasoning and reasoning without a text count as their signature" {
	pi_session claude-opus-5 "" "$(base64_of 1000)" > signed
	pi_session claude-opus-5 "" "" > nothing
	# 300 tokens per 1,000 bytes after 245
	[ $(($(tokens signed) - $(tokens nothing))) -eq 226 ]
	pi_session claude-opus-5 "[Reasoning redacted]" "$(base64_of 1000)" \
	    '{"redacted":true}' > redacted
	[ "$(tokens redacted)" -eq "$(tokens signed)" ]
}

@test "opencode and the AI SDK: encrypted reasoning counts, not its summary" {
	# A response of the dialect $1 with reasoning: $2 is its readable text, $3
	# the properties for providers.
	answer() {
		jq -nc --arg text "$2" --argjson more "$3" '{opencode: {
		    info: {role: "assistant", modelID: "gpt-5"}, parts: [{
			type: "reasoning", text: $text, metadata: $more}]},
		"vercel-ui": {role: "assistant", parts: [{type: "reasoning",
		    text: $text, providerMetadata: $more}]},
		"vercel-model": {role: "assistant", content: [{type: "reasoning",
		    text: $text, providerOptions: $more}]}}[$dialect]' \
		    --arg dialect "$1" > answer
		ctx-count -m gpt-5 -d "$1" --json answer | jq .tokens
	}
	long=$(words 500)
	for d in opencode vercel-ui vercel-model; do
		# OpenAI counts 153 tokens per 1,000 bytes after 920.
		sealed() {
			jq -nc --arg s "$(base64_of "$1")" '{openai: {itemId: "r",
			    reasoningEncryptedContent: $s}}'
		}
		none=$(answer $d "$long" "$(sealed 920)")
		[ $(($(answer $d "" "$(sealed 1920)") - none)) -eq 153 ] ||
			fail "$d"
		for more in '{}' '[]' '{"openai":{"itemId":"r"}}' \
		    '{"openai":{"reasoningEncryptedContent":null}}' \
		    '{"anthropic":{"signature":"c2ln"}}'; do
			[ "$(answer $d "$long" "$more")" -gt $((none + 450)) ] ||
				fail "$d $more"
		done
		# Reasoning without a text counts as its signature, as redacted
		# reasoning does.
		for key in signature redactedData; do
			[ $(($(answer $d "" "$(sealed 1920 | jq -c \
			    "{anthropic: {$key: .openai.reasoningEncryptedContent}}"
			    )") - none)) -eq 153 ] || fail "$d $key"
		done
	done
}

@test "Claude up to Sonnet 4.5: thinking before the last user text counts as nothing" {
	for model in claude-sonnet-4-5-20250929 claude-opus-4-1 \
	    us.anthropic.claude-3-7-sonnet-20250219-v1:0; do
		claude $model 500 0 > with
		claude $model 0 0 > without
		[ "$(tokens with)" -eq "$(tokens without)" ] || fail "$model"
		# A tool result does not begin a turn, a text after it does.
		claude $model 0 500 > with
		[ "$(tokens with)" -gt $(($(tokens without) + 450)) ] ||
			fail "$model"
		claude $model 0 500 'Be brief.' > with
		claude $model 0 0 'Be brief.' > without
		[ "$(tokens with)" -eq "$(tokens without)" ] || fail "$model"
	done
	for model in claude-opus-4-5 claude-sonnet-4-6 claude-opus-5-5; do
		claude $model 500 0 > with
		claude $model 0 0 > without
		[ "$(tokens with)" -gt $(($(tokens without) + 450)) ] ||
			fail "$model"
	done
}

@test "Claude: summarized reasoning counts as what its signature contains, in each format" {
	# Tokens of a response to the model $2 in the format $1; its reasoning
	# has 50 words and a signature of $3 bytes.
	answer() {
		pi_session "$2" "$(words 50)" "$(base64_of "$3")" > pi
		jq -c 'select(.type == "message").message' pi | jq -sc --arg s \
		    "$(base64_of "$3")" --arg d "$1" '.[1].content[0].thinking as $t |
		    {pi: ., anthropic: {role: "assistant", content: [
			{type: "thinking", thinking: $t, signature: $s}]},
		    bedrock: {role: "assistant", content: [{reasoningContent:
			{reasoningText: {text: $t, signature: $s}}}]},
		    opencode: {info: {role: "assistant"}, parts: [{text: $t,
			type: "reasoning", metadata: {anthropic: {signature: $s}}}]},
		    "vercel-model": {role: "assistant", content: [{text: $t,
			type: "reasoning", providerOptions: {anthropic:
			    {signature: $s}, gateway: {cost: "1"}}}]}}[$d]' > other
		if [ "$1" = pi ]; then
			ctx-count -m "$2" --json pi | jq .tokens
		else
			ctx-count -m "$2" -d "$1" --json other | jq .tokens
		fi
	}
	for d in pi anthropic bedrock opencode vercel-model; do
		# The text has more tokens than the reasoning in the signature.
		text=$(answer $d claude-opus-5 0)
		[ "$(answer $d claude-opus-5 300)" -eq "$text" ] || fail "$d"
		# 300 tokens per 1,000 bytes after 245
		at=$(answer $d claude-opus-5 10245)
		[ "$at" -gt $((text + 2800)) ] || fail "$d $at $text"
		[ $(($(answer $d claude-opus-5 11245) - at)) -eq 300 ] ||
			fail "$d"
		at=$(answer $d claude-opus-4-7 10228)
		[ $(($(answer $d claude-opus-4-7 11228) - at)) -eq 290 ] ||
			fail "$d"
		at=$(answer $d claude-opus-4-6 10204)
		[ $(($(answer $d claude-opus-4-6 11204) - at)) -eq 230 ] ||
			fail "$d"
		# Of other models only the text counts.
		[ "$(answer $d grok-4.3 10245)" -eq "$(answer $d grok-4.3 0)" ] ||
			fail "$d"
	done
	answer anthropic claude-opus-5 10245 > all
	ctx-count --per kind -m claude-opus-5 -d anthropic --json other |
	    jq -se 'map(select(.kind == "reasoning" and .tokens == 3000 and
		.basis == "estimated")) | length == 1'
}

@test "a request that turns thinking on counts more on Bedrock, too, but not if it is adaptive" {
	on='{"type":"enabled","budget_tokens":1024}'
	claude claude-sonnet-4-5 0 0 > off
	jq -c ".thinking = $on" off > on
	[ "$(tokens on)" -eq $(($(tokens off) + 29)) ]
	jq -c '.thinking = {type: "adaptive"}' off > adaptive
	[ "$(tokens adaptive)" -eq "$(tokens off)" ]
	jq -nc '{messages: [{role: "user", content: [{text: "hi"}]}]}' > off
	jq -c ".additionalModelRequestFields = {thinking: $on}" off > on
	[ "$(tokens -d bedrock -m claude-sonnet-4-5 on)" -eq \
	    $(($(tokens -d bedrock -m claude-sonnet-4-5 off) + 29)) ]
}

@test "parts of the count add up without the reasoning of earlier turns, with threads, too" {
	responses gpt-5 8000 2000 > request
	for per in turn role kind; do
		ctx-count --json --per $per request |
		    jq -es --argjson all "$(tokens request)" \
			'map(.tokens) | add == $all' || fail "$per"
	done
	cat request request request request > many
	ctx-count --json many > one
	ctx-count --json -j 4 many > four
	cmp one four
	# An item with nothing but such reasoning has no tokens at all.
	ctx-count --json --per message request |
	    jq -es 'map(.tokens) | .[1] == 0 and .[6] > 100'
}

@test "ctx-prune counts as ctx-count: reasoning that is not billed needs no budget" {
	# Four turns; the first three have reasoning.
	responses gpt-5 20000 0 | jq -c '.input |= ([range(3) as $i |
	    .[:5][] | if .call_id then .call_id += "-\($i)" else . end] +
	    .[5:])' > request
	all=$(tokens request)
	[ "$all" -lt 400 ]
	ctx-prune -b "$all" request > out
	cmp request out
	for strategy in $STRATEGIES; do
		[ "$strategy" != window ] || continue # without a budget
		case $strategy in
		recall | summarize) set -- ;;
		*) set -- --quantum 20% ;;
		esac
		ctx-prune -s "$strategy" -b $((all - 40)) -k 0 -t 0 "$@" request > out
		[ "$(tokens out)" -le $((all - 40)) ] || fail "$strategy"
		# A summary needs more room than the turns that it replaces.
		[ "$strategy" = summarize ] ||
			jq -e 'any(.input[]; .type == "reasoning")' out ||
			fail "$strategy removes all"
	done
}

@test "codex: reasoning before the last user message of the session counts as nothing" {
	{
		jq -nc '{type: "turn_context", payload: {model: "gpt-5.3-codex"}}'
		responses gpt-5 8000 0 | jq -c '.input[] |
		    {type: "response_item", payload: .}'
	} > with
	jq -c 'select(.payload.type != "reasoning")' with > without
	[ "$(tokens with)" -eq "$(tokens without)" ]
	# A message that Codex has written is not the user's.
	{
		cat with
		responses gpt-5 0 0 | jq -c '{type: "response_item",
		    payload: {type: "reasoning", summary: [],
		    encrypted_content: $sealed}}' --arg sealed "$(base64_of 5000)"
		jq -nc '{type: "response_item", payload: {type: "message",
		    role: "user", content: [{type: "input_text",
		    text: "<environment_context>\n</environment_context>"}]}}'
	} > newer
	[ "$(tokens newer)" -gt $(($(tokens without) + 500)) ]
	sed 's/gpt-5.3-codex/gpt-5.6-sol/' with > later
	[ "$(tokens later)" -gt $(($(tokens without) + 500)) ]
}

@test "reasoning counts if each message is a record, because later records are not known" {
	responses gpt-5 8000 0 | jq -c '.input[]' > lines
	jq -c 'select(.type != "reasoning")' lines > without
	[ "$(tokens -m gpt-5 lines)" -gt $(($(tokens -m gpt-5 without) + 500)) ]
}

@test "models.json decides whether the reasoning of earlier turns counts" {
	mkdir -p config/ctx
	responses gpt-5 8000 0 > gpt
	responses house 8000 0 > house
	without=$(tokens gpt)
	[ "$(tokens house)" -gt $((without + 500)) ]
	echo '{"gpt-5": {"drops_reasoning": false},
	    "house": {"drops_reasoning": true}}' > config/ctx/models.json
	[ "$(tokens gpt)" -gt $((without + 500)) ]
	[ "$(tokens house)" -lt $((without + 50)) ]
	echo '{"house": {"drops_reasoning": 1}}' > config/ctx/models.json
	run -2 ctx-count house
	[[ $output = *"'house': the value of 'drops_reasoning' must be"* ]]
}

@test "llm-logs: the reasoning of the last row counts, as that of the last turn" {
	row() { # REASONING
		jq -nc --arg r "$1" '{id: "1", model: "gpt-5", prompt: "Go.",
		    reasoning: $r, response: "Gone.", conversation_id: "c"}'
	}
	{ row "some words" && row "some words"; } | jq -sc . > both
	{ row "" && row "some words"; } | jq -sc . > last
	{ row "" && row ""; } | jq -sc . > none
	[ "$(tokens both)" -eq "$(tokens last)" ]
	[ "$(tokens both)" -gt "$(tokens none)" ]
}
