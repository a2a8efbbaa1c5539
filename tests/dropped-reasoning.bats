# Reasoning items that OpenAI drops after a changed message (GPT-6.2 and later)

load helper

# A request in OpenAI's Responses to the model $1: four responses, each of
# reasoning, a tool call and its result.  The second call is an item of type $2
# (default: function_call).
request() {
	jq -nc --arg model "$1" --arg type "${2:-function_call}" '
	    ("A" * 4000) as $sealed | ("four degrees and rain\n" * 50) as $text |
	    def called($i): if $i == 1 and $type != "function_call"
		then {type: $type, id: "ws_1", status: "completed",
		    action: {type: "search", query: "weather"}}
		else {type: "function_call", id: "fc_\($i)",
		    call_id: "c\($i)", name: "wx", arguments: "{}"},
		    {type: "function_call_output", call_id: "c\($i)",
			output: $text} end;
	    {model: $model, input: [{role: "user", content: "Weather in Oslo?"},
		(range(4) | {type: "reasoning", id: "rs_\(.)", summary: [],
		    encrypted_content: $sealed}, called(.)),
		{type: "message", role: "assistant", id: "msg_1",
		    status: "completed", content: [{type: "output_text",
			text: "Four degrees.", annotations: []}]},
		{role: "user", content: "And Rome?"}]}'
}

# Prints the ids of a request's items, or their types.
items() {
	jq -r '[.input[] | .id // .type // .role] | join(" ")' "$1"
}

@test "ctx-prune removes reasoning items after a change, with the ids that refer to them" {
	request gpt-6.2-sol > in
	whole=$(tokens in)
	for strategy in salient heuristic fifo pinned-fifo recall; do
		ctx-prune -s $strategy -b $((whole - 1500)) --explain log --archive old in > out 2> err
		[ ! -s err ] || fail "$strategy: $(cat err)"
		[ "$(jq '[.input[] | select(.type == "reasoning")] | length' out)" -eq 0 ] ||
			fail "$strategy: $(items out)"
		[[ " $(items out) " != *" fc_"* ]] || fail "$strategy: $(items out)"
		ctx-check out
		# Nothing is left that OpenAI would drop.
		run ctx-check --after in out
		[[ $output != *bound-reasoning* ]] || fail "$strategy: $output"
	done
	# A message after reasoning has its id; one after a result keeps it.
	[[ " $(items out) " == *" msg_1 "* ]]
	ctx-prune -s fifo -b $((whole - 600)) --explain log in > out
	[ "$(jq -c 'select(.action == "edit") | [.rule, .before == .after]' log | sort -u)" = '["bound reasoning",true]' ]
}

@test "ctx-prune: the budget is spent on what the model is shown" {
	request gpt-6.2-sol > in
	request gpt-6.1-sol > old
	set -- -s fifo -b 1500
	ctx-prune "$@" in > new.out
	ctx-prune "$@" old > old.out
	results() {
		jq '[.input[] | select(.type == "function_call_output")] | length' "$1"
	}
	[ "$(results new.out)" -gt "$(results old.out)" ]
	# Within the budget nothing changes.
	ctx-prune -b "$(tokens in)" in | cmp - in
	# JSON lines, and a version that is not known yet.
	jq -c '.input[]' in > lines
	for model in gpt-6.2-sol gpt-6.2-astra openai/gpt-6.3-sol gpt-7; do
		ctx-prune -m $model "$@" lines > out
		! grep -q '"reasoning"\|"fc_' out || fail "$model"
	done
	ctx-prune -m gpt-6-astra "$@" lines > out
	grep -q '"reasoning"' out
}

@test "ctx-prune keeps reasoning before an item that cannot be without its id" {
	request gpt-6.2-sol web_search_call > in
	ctx-prune -s fifo -t 0 -k 9 -b 1500 in > out || [ $? -eq 1 ]
	[[ " $(items out) " == *" rs_1 ws_1 "* ]] || fail "$(items out)"
	[ "$(jq '[.input[] | select(.type == "reasoning")] | length' out)" -eq 1 ]
	ctx-check out
}

@test "ctx-prune --reasoning keep says that reasoning is dropped; fail changes nothing" {
	request gpt-6.2-sol > in
	set -- -s fifo -b $(($(tokens in) - 1000))
	ctx-prune --reasoning keep "$@" in > out 2> err
	grep -q '"rs_3"' out
	[ "$(cat err)" = "ctx-prune: in: kept reasoning after a change; the provider drops it" ]
	run -1 --separate-stderr ctx-prune --reasoning fail "$@" in
	[ "$output" = "$(cat in)" ]
	[[ $stderr == *"the provider would drop the reasoning after the first changed message"* ]]
}

@test "a Codex session loses its reasoning items after a change" {
	request gpt-6.2-sol > in
	jq -c '{type: "session_meta", payload: {id: "s", cwd: "/w"}},
	    {type: "turn_context", payload: {cwd: "/w", model: .model}},
	    (.input[] | {type: "response_item", payload: (if .role == "user" then
		{type: "message", role, content: [{type: "input_text",
		    text: .content}]} else . end)})' in > rollout.jsonl
	ctx-prune -s fifo -b 1500 rollout.jsonl > out
	[ "$(wc -l < out)" -gt 5 ]
	[ "$(grep -c '"reasoning"\|"fc_' out)" -eq 0 ]
	ctx-check out
}

@test "ctx-truncate, ctx-age and ctx-check --repair keep these items, and -v counts them" {
	request gpt-6.2-sol > in
	said="the provider will drop 3 reasoning items, which follow the first changed message"
	ctx-truncate -v -l 100 in > out 2> err
	grep -q "$said" err
	[ "$(jq '[.input[] | select(.type == "reasoning")] | length' out)" -eq 4 ]
	ctx-age -v --mask -k 1 -o 40 in > out 2> err
	grep -q "$said" err || fail "$(cat err)"
	# The missing result is inserted after the second call.
	jq -c 'del(.input[3])' in > unanswered
	run -0 --separate-stderr ctx-check -v --repair unanswered
	[[ $stderr == *"${said/3/2}"* ]] || fail "$stderr"
	[[ $output == *'"rs_3"'* ]]
	for command in "ctx-truncate -l 100" "ctx-age --mask -k 1 -o 40"; do
		run -1 --separate-stderr $command --reasoning fail in
		[ "$output" = "$(cat in)" ]
		[[ $stderr == *"1 conversations are unchanged: the provider would refuse or drop reasoning"* ]]
	done
	run -1 --separate-stderr ctx-check --repair --reasoning fail unanswered
	[[ $stderr == *"the provider would refuse or drop reasoning after the repair"* ]]
	# An earlier model keeps them.
	ctx-truncate -v -m gpt-6.1-sol -l 100 in > out 2> err
	[ "$(grep -c 'will drop' err)" -eq 0 ]
}

@test "ctx-check --after names reasoning that is dropped, with status 0" {
	request gpt-6.2-sol > in
	jq -c '.input[3].output = "four degrees"' in > changed
	run -0 --separate-stderr ctx-check --after in changed
	[ "${lines[1]}" = "changed:1: bound-reasoning: message 4 (assistant) is reasoning after the change, which the provider drops" ]
	[ "$(ctx-check --json --after in changed | jq -c '[.refused, .dropped.index]')" = '[null,4]' ]
	run -0 --separate-stderr ctx-check -m gpt-6.1-sol --after in changed
	[[ $output != *bound-reasoning* ]]
}

@test "ctx-check --after: GPT-6.2 reads the instructions after the input" {
	request gpt-6.2-sol | jq -c '.instructions = "Be brief."' > in
	jq -c '.instructions = "Be long."' in > changed
	run -0 ctx-check --after in changed
	[ -z "$output" ]
	jq -c '.tools = [{type: "function", name: "wx", parameters: {}}]' in > changed
	run -0 ctx-check --after in changed
	[[ $output == *bound-reasoning* ]]
	sed 's/6\.2/6.1/' in > old
	jq -c '.instructions = "Be long."' old > changed
	run -0 ctx-check --after old changed
	[[ $output == *"instructions changed here"* ]]
}
