# ctx-check: rules for the places, types and ids of blocks and items

load helper
load check

@test "bad-block: anthropic accepts calls only from the assistant, results only from the user" {
	local use='{"type":"tool_use","id":"a","name":"f","input":{}}'
	local result='{"type":"tool_result","tool_use_id":"a","content":"1"}'
	printf '%s\n' "$U" '{"role":"assistant","content":['"$use"']}' \
	    '{"role":"user","content":['"$result"']}' "$A" > in
	ctx-check -d anthropic in
	printf '%s\n' "$U" '{"role":"assistant","content":['"$use,$result"']}' "$U" > in
	run -1 ctx-check -d anthropic in
	[ "$output" = "in:2: bad-block: a tool_result block is not in a user message" ]
	printf '%s\n' "$U" "$A" '{"role":"user","content":['"$use"']}' \
	    '{"role":"user","content":['"$result"']}' > in
	run -1 ctx-check -d anthropic in
	[ "${lines[0]}" = "in:3: bad-block: a tool_use block is not in an assistant message" ]
}

@test "anthropic: an image of the assistant is refused and replaced by a text" {
	local image='{"type":"image","source":{"type":"url","url":"https://x.org/a.png"}}'
	printf '%s\n' '{"role":"user","content":['"$image"']}' \
	    '{"role":"assistant","content":['"$image"',{"type":"text","text":"t"}]}' "$U" > in
	run -1 ctx-check -d anthropic in
	[ "$output" = "in:2: assistant-media: an assistant message has an image" ]
	sed '2s/{"type":"image".*"}},/{"type":"text","text":"[image removed: https:\/\/x.org\/a.png]"},/' in > want
	ctx-check -d anthropic --repair in | cmp - want
}

@test "empty-result: anthropic refuses a failed call's result without content" {
	local fails=',"is_error":true' body
	for body in '' ',"content":""' ',"content":[]'; do
		printf '%s\n' "$U" '{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}}]}' \
		    '{"role":"user","content":[{"type":"tool_result","tool_use_id":"a"'"$body}]}" > in
		ctx-check -d anthropic in
		sed "3s/}]}/$fails&/" in > failed
		run -1 ctx-check -d anthropic failed
		[ "$output" = 'failed:3: empty-result: tool result "a" has no content' ]
	done
}

@test "bad-role: Claude before Opus 4.8 refuses a system message between others" {
	printf '{"model":"claude-opus-4-8","max_tokens":9,"messages":[%s,{"role":"system","content":"s"},%s,%s]}\n' "$U" "$A" "$U" > in
	ctx-check in
	sed 's/opus-4-8/opus-4-7/' in > old
	run -1 ctx-check old
	[ "$output" = "old:1: bad-role: the system prompt cannot be a message here (message 1)" ]
	# Before all others it is the system prompt for gateways, but not for
	# Anthropic itself.
	printf '{"model":"claude-opus-4-7","max_tokens":9,"messages":[{"role":"system","content":"s"},%s]}\n' "$U" > in
	ctx-check in
	run -1 ctx-check -d anthropic in
}

@test "no-type, bad-id: openai needs the type of blocks and calls, and the id of a result's call" {
	local call='{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}'
	printf '%s\n' '{"role":"user","content":[{"type":"text","text":"a"}]}' \
	    '{"role":"assistant","content":null,"tool_calls":['"$call"']}' "$RA" > good
	ctx-check -d openai-chat --provider openai good
	sed -e 's/"type":"function",//' -e 's/"type":"text",//' good > in
	ctx-check -d openai-chat in
	run -1 --separate-stderr ctx-check -d openai-chat --provider openai in
	[ "${lines[0]}" = "in:1: no-type: a content block has no type" ]
	[ "${lines[1]}" = "in:2: no-type: a tool call has no type" ]
	ctx-check -d openai-chat --provider openai --repair in |
	    jq -cS . | cmp - <(jq -cS . good)
	# The type of other blocks is not known.
	sed '1s/"text":"a"/"x":1/' in > other
	run -1 ctx-check -d openai-chat --provider openai --repair other
	[[ $output == *'{"x":1}'* ]]
	sed 's/"tool_call_id":"a",//' good > in
	ctx-check -d openai-chat in
	run -1 ctx-check -d openai-chat --provider openai in
	[ "$output" = "in:3: bad-id: the tool result has no tool_call_id" ]
}

@test "responses: openai accepts no input_text of the assistant, no role tool" {
	request() {
		local IFS=,
		printf '{"model":"%s","input":[%s,%s]}\n' "$1" "$U" "$2"
	}
	local says='{"role":"assistant","content":[{"type":"input_text","text":"a"}]}'
	request gpt-5.5 "$says" > in
	run -1 ctx-check in
	[ "$output" = "in:1: bad-block: an input_text block is in an assistant message (message 1)" ]
	repaired in <(sed 's/input_text/output_text/' in)
	# Servers of others accept it.
	request grok-4.3 "$says" > other
	ctx-check other
	run -1 ctx-check --provider responses other
	request gpt-5.5 '{"role":"assistant","content":[{"type":"input_image","image_url":"https://x.org/a.png"}]}' > in
	run -1 ctx-check in
	[ "$output" = "in:1: bad-block: an input_image block is in an assistant message (message 1)" ]
	request gpt-5.5 '{"type":"function_call","call_id":"a","name":"f","arguments":"{}"},{"type":"function_call_output","call_id":"a","output":"1"}' > in
	ctx-check in
	request gpt-5.5 '{"role":"tool","content":[{"type":"input_text","text":"a"}]}' > in
	run -1 ctx-check in
	[ "$output" = "in:1: bad-role: tool results must be items of the type function_call_output (message 1)" ]
}

@test "duplicate-item: --repair removes the id that an earlier item has" {
	local say='{"type":"message","id":"msg_1","role":"assistant","content":[{"type":"output_text","text":"a"}]}'
	local think='{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"x"}'
	request() {
		local IFS=,
		printf '{"model":"gpt-5.5","input":[%s]}\n' "$*"
	}
	request "$U" "$think" "$say" "$U" "$think" "$say" > in
	run -1 ctx-check in
	[ "${lines[0]}" = "in:1: duplicate-item: an earlier item has the same id (message 4)" ]
	[ "${#lines[@]}" -eq 2 ]
	request "$U" "$think" "$say" "$U" "${think/\"id\":\"rs_1\",/}" "${say/\"id\":\"msg_1\",/}" > want
	repaired in want
	# Reasoning that the provider has stored needs its id; so does the
	# message after other reasoning.
	request "$U" "${think/x/}" "$say" "$U" "${think%,*}}" "$say" > in
	sed -i 's/rs_1/rs_2/2' in
	run -1 --separate-stderr ctx-check --repair in
	[ "$output" = "$(cat in)" ]
	# xAI repeats ids of its own; references are no items.
	request "$U" "$say" "$U" "$say" > in
	sed 's/gpt-5.5/grok-4.3/' in > other
	ctx-check other
	request "$say" "$U" '{"type":"item_reference","id":"msg_1"}' "$U" > in
	ctx-check in
}
