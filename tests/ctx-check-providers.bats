# Which rules of a provider apply: those that --provider names, those that the
# model and the format of a request show, and those that depend on the model.

load helper
load check

CLAUDE=claude-opus-4-8

# A request: model $1, then the members of the object, then the messages.
request() {
	local model=$1 members=$2 IFS=,
	shift 2
	printf '{"model":"%s",%s"messages":[%s]}\n' "$model" "$members" "$*"
}

anthropic() {
	request "$1" '"max_tokens":9,' "${@:2}"
}

# rules WANT [OPTION...]: what ctx-check finds in the file in.
rules() {
	local want=$1 have
	shift
	have=$(finds "$@" in)
	[ "$have" = "$want" ] || fail "$*: $have, not $want: $(cat in)"
}

@test "a last message of the assistant is found for models that refuse it" {
	for model in claude-opus-4-6 claude-sonnet-4-6 $CLAUDE claude-haiku-5-5; do
		anthropic "$model" "$U" "$A" > in
		rules 1:last-message
		rules 1:last-message --provider anthropic
		printf '{"modelId":"us.anthropic.%s-v1:0","messages":[%s,%s]}\n' "$model" \
		    '{"role":"user","content":[{"text":"a"}]}' \
		    '{"role":"assistant","content":[{"text":"b"}]}' > in
		rules 1:last-message
		rules 1:last-message --provider bedrock
	done
	for model in claude-sonnet-4-5 claude-haiku-4-5 claude-3-haiku; do
		anthropic "$model" "$U" "$A" > in
		rules ''
		rules '' --provider anthropic
		sed 's/"model"/"modelId"/; s/"content":"\([a-z]*\)"/"content":[{"text":"\1"}]/g' in > b
		finds b --provider bedrock > found
		[ -z "$(cat found)" ]
	done
}

@test "only in a whole request the model decides that the user must be last" {
	# A conversation that was stored, not sent.
	request $CLAUDE '' "$U" "$A" > in
	rules ''
	rules 1:last-message --provider anthropic
	printf '%s\n%s\n' "$U" "$A" > in
	rules '' -m $CLAUDE
	rules 2:last-message -m $CLAUDE --provider anthropic
	rules 2:last-message --provider anthropic
	rules '' -m claude-sonnet-4-5 --provider anthropic
}

@test "a turn that ends in a call of Anthropic's own tools was paused, and may be last" {
	anthropic $CLAUDE "$U" '{"role":"assistant","content":[{"type":"text","text":"t"},{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{}}]}' > in
	rules ''
	rules '' --provider anthropic
	# A call of the client has its own finding.
	anthropic $CLAUDE "$U" '{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}}]}' > in
	rules 1:orphan-call
	rules '' --allow-pending
}

@test "the last message of Anthropic's assistant may be empty, others may not" {
	for empty in '""' '[]'; do
		anthropic claude-sonnet-4-5 "$U" "{\"role\":\"assistant\",\"content\":$empty}" > in
		rules ''
		rules '' --provider anthropic
		anthropic claude-sonnet-4-5 "$U" "{\"role\":\"assistant\",\"content\":$empty}" "$U" > in
		rules 1:empty-message
		ctx-check --repair in > out
		[ "$(jq '.messages | length' out)" -eq 2 ]
	done
	anthropic claude-sonnet-4-5 "$U" '{"role":"assistant","content":" "}' > in
	rules 1:empty-message
}

@test "Anthropic takes the results of parallel calls in several messages" {
	use='{"type":"tool_use","id":"a","name":"f","input":{}}'
	anthropic $CLAUDE "$U" "{\"role\":\"assistant\",\"content\":[$use,${use/\"a\"/\"b\"}]}" \
	    '{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"1"}]}' \
	    '{"role":"user","content":[{"type":"tool_result","tool_use_id":"b","content":"2"}]}' > in
	rules ''
	rules '' --provider anthropic
}

@test "a first system message is refused in a request of Anthropic, and otherwise lifted" {
	anthropic $CLAUDE '{"role":"system","content":"s"}' "$U" > in
	rules '1:system-place 1:system-place' --provider anthropic
	# A gateway may take Chat Completions for Claude.
	rules ''
	printf '%s\n%s\n' '{"role":"system","content":"s"}' "$U" > in
	rules '' --provider anthropic
}

@test "reasoning at the end of a message of Anthropic's assistant is refused, and removed" {
	thinking='{"type":"thinking","thinking":"t","signature":"s"}'
	text='{"type":"text","text":"a"}'
	anthropic claude-sonnet-4-5 "$U" "{\"role\":\"assistant\",\"content\":[$text,$thinking,$thinking]}" "$U" > in
	rules '1:last-reasoning 1:last-reasoning'
	anthropic claude-sonnet-4-5 "$U" "{\"role\":\"assistant\",\"content\":[$text]}" "$U" > want
	repaired in want
	anthropic claude-sonnet-4-5 "$U" "{\"role\":\"assistant\",\"content\":[$thinking,$text]}" "$U" > in
	rules ''
	anthropic claude-sonnet-4-5 "$U" "{\"role\":\"assistant\",\"content\":[$thinking]}" "$U" > in
	rules 1:reasoning-only
}

@test "a request of a GPT model whose format is unclear is one of Chat Completions" {
	request gpt-4o '' "$U" '{"role":"assistant","content":"x","tool_calls":[]}' "$U" > in
	rules 1:empty-tool-calls
	rules 1:empty-tool-calls --provider openai
	rules '' --provider mistral
	request gpt-4o '' '{"role":"human","content":"x"}' > in
	rules 1:bad-role
	rules 1:bad-role --provider openai
	# Traces write arguments as an object, and so does Ollama.
	request gpt-4o '' "$U" "${CALL//\"arguments\":\"\{\}\"/\"arguments\":\{\}}" "$RA" "$RB" > in
	rules ''
	rules '1:bad-arguments 1:bad-arguments' --provider openai
	sed 's/gpt-4o/gpt-oss:20b/' in > oss
	[ -z "$(finds oss)" ]
	# Of a conversation that is no request, the format may still be translated.
	jq -c '.messages[]' in > lines
	[ -z "$(finds lines --provider openai)" ]
}

@test "OpenAI takes any string as arguments, servers that parse it do not" {
	for arguments in '' '{\"x\":' '[1]'; do
		request gpt-4o '' "$U" "${CALL/\"\{\}\"/\"$arguments\"}" "$RA" "$RB" > in
		rules ''
		rules '' --provider openai
		sed 's/gpt-4o/gpt-oss-120b/' in > oss
		[ "$(finds oss)" = 1:bad-arguments ]
		[ -z "$(finds oss --provider openai)" ]
		jq -c '.messages[]' in > lines
		[ "$(finds lines)" = 2:bad-arguments ]
		[ -z "$(finds lines --provider openai)" ]
		items='{"type":"function_call","call_id":"a","name":"f","arguments":"'$arguments'"},{"type":"function_call_output","call_id":"a","output":"1"}'
		printf '{"model":"gpt-5","input":[%s,%s]}\n' "$U" "$items" > in
		rules ''
	done
}

@test "the limits of OpenAI apply to a request of its models" {
	id=$(printf 'a%.0s' {1..65})
	request gpt-4o '' "$U" "${CALL/\"a\"/\"$id\"}" "${RA/\"a\"/\"$id\"}" "$RB" > in
	rules 1:bad-id
	sed 's/gpt-4o/qwen3/' in > other
	[ -z "$(finds other)" ]
}

@test "Gemini refuses roles of other providers, and parts without data" {
	contents() {
		printf '{"contents":[{"role":"user","parts":[{"text":"a"}]},%s,{"role":"user","parts":[{"text":"b"}]}]}\n' "$1" > in
	}
	for how in "" "--provider gemini" "-d gemini"; do
		for role in assistant tool ai; do
			contents "{\"role\":\"$role\",\"parts\":[{\"text\":\"x\"}]}"
			# shellcheck disable=SC2086
			rules 1:bad-role $how
		done
		contents '{"role":"function","parts":[{"text":"x"}]}'
		# shellcheck disable=SC2086
		rules '' $how
		for part in '{}' '{"thought":true}'; do
			contents "{\"role\":\"model\",\"parts\":[{\"text\":\"x\"},$part]}"
			# shellcheck disable=SC2086
			rules 1:empty-part $how
			ctx-check --repair in > out
			[ "$(jq -c '.contents[1].parts' out)" = '[{"text":"x"}]' ]
		done
	done
	contents '{"role":"model","parts":[{}]}'
	ctx-check --repair in > out
	[ "$(jq '.contents | length' out)" -eq 2 ]
	contents '{"role":"model","parts":[{"text":""},{"thought":true,"thoughtSignature":"s"},{"new":1}]}'
	rules ''
}
