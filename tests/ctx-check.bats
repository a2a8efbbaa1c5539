# ctx-check: would the provider take it

load helper
load check

# found LINE:RULE... -- RECORD...: exactly these findings, and what
# --repair cannot put right, and only that, is left afterwards
found() {
	local want=() one
	while [ "$1" != -- ]; do
		want+=("$1")
		shift
	done
	shift
	printf '%s\n' "$@" > in
	run ctx-check -d openai-chat in
	[ "$status" -eq $((${#want[@]} > 0)) ]
	[ "${#lines[@]}" -eq "${#want[@]}" ] || fail "$output"
	for one in "${!want[@]}"; do
		[[ ${lines[one]} == "in:${want[one]/:/: }: "* ]] ||
			fail "${lines[one]}, not ${want[one]}"
	done
}

@test "valid conversations pass silently" {
	run -0 ctx-check "$agent" "$chat"
	[ -z "$output" ]
	run -0 ctx-check < "$agent"
	found -- "$U" "$CALL" "$RB" "$RA" "$A" "$CALL" "$RA" "$RB"
}

@test "a finding has file, line, rule and text, and the exit status is 1" {
	found 2:orphan-call -- "$U" "$CALL" "$RA" "$U"
	[ "${lines[0]}" = 'in:2: orphan-call: tool call "b" of g has no result directly after it' ]
	found 2:orphan-call 2:orphan-call -- "$U" "$CALL"
	found 2:orphan-result -- "$U" "$RA"
	found 2:orphan-call 5:result-order -- "$U" "$CALL" "$RA" "$U" "$RB"
	found 4:duplicate-result -- "$U" "$CALL" "$RA" "$RA" "$RB"
	found 2:duplicate-id -- "$U" "${CALL/\"b\"/\"a\"}" "$RA" "$RA"
	found 3:empty-result -- "$U" "$CALL" "${RA/\"1\"/null}" "$RB"
	found 2:bad-arguments -- "$U" "${CALL/\"\{\}\"/\"\{\"}" "$RA" "$RB"
	found 2:bad-arguments -- "$U" "${CALL/\"g\",\"arguments\":\"\{\}\"/\"g\",\"arguments\":\{\}}" \
	    "$RA" "$RB"
	found 2:empty-tool-calls -- "$U" "${A/\}/,\"tool_calls\":[]\}}"
	ctx-check -d openai-chat --provider mistral in
	found 2:empty-message -- "$U" '{"role":"user"}' "$U"
	found 2:reasoning-only -- "$U" \
	    '{"role":"assistant","content":null,"reasoning_content":"hm"}'
	found 2:bad-role -- "$U" "${U/user/oracle}"
}

@test "a tool call id with escapes equals the one without" {
	found -- "$U" "${CALL/\"a\"/\"\\u0061\"}" "$RA" "$RB"
}

@test "--allow-pending accepts open tool calls at the end, and no others" {
	printf '%s\n' "$U" "$CALL" "$RA" > in
	run -1 ctx-check in
	run -0 ctx-check --allow-pending in
	printf '%s\n' "$U" "$CALL" "$RA" "$U" > in
	run -1 ctx-check --allow-pending in
	ctx-check --allow-pending --repair "$agent" | cmp - "$agent"
	printf '%s\n' "$U" "$CALL" > in
	ctx-check --allow-pending --repair in | cmp - in
}

@test "each record with a conversation is checked by itself" {
	printf '{"messages":[%s,%s,%s,%s]}\n' "$U" "$CALL" "$RA" "$RB" \
	    "$U" "$CALL" "$RB" "$U" > in
	echo '{"messages":[]}' >> in
	echo '{"messages":[1,{"role":"user","content":"x"}]}' >> in
	run -1 ctx-check in
	[ "${#lines[@]}" -eq 3 ]
	[ "${lines[0]}" = 'in:2: orphan-call: tool call "a" of f has no result directly after it (message 1)' ]
	[[ ${lines[1]} == "in:3: no-message: "* ]]
	[[ ${lines[2]} == "in:4: no-message: "* ]]
}

@test "in a pretty-printed document a finding has the line of the message" {
	printf '%s\n' "$U" "$CALL" "$RA" "$U" | jq -s '{messages: .}' > in
	run -1 ctx-check in
	n=${lines[0]#in:}
	sed -n "${n%%:*}p" in | grep -q '^    {'
	[ "$(sed -n "$((${n%%:*} + 1))p" in | jq -R .)" = \
	    "$(jq -n '"      \"role\": \"assistant\","')" ]
}

@test "a file without messages is not a conversation" {
	echo '{"a":1}' > in
	run -2 --separate-stderr ctx-check in
	[[ $output == "in:1: no-message: "* ]]
}

@test "an empty input exits 2, because nothing was checked; --repair copies it" {
	: > empty
	for o in "" -q --json --allow-pending; do
		run -2 --separate-stderr ctx-check $o empty
		[ -z "$output" ]
		[ "$stderr" = "ctx-check: empty: the input is empty, so nothing was checked" ]
	done
	printf '\n\n' > blank
	run -2 ctx-check blank
	run -2 --separate-stderr ctx-check "$chat" < /dev/null empty
	[ "${#stderr_lines[@]}" -eq 1 ]
	run -0 ctx-check --repair empty
	[ -z "$output" ]
}

@test "an empty list of messages is one finding" {
	echo '{"messages":[]}' > in
	run -1 ctx-check in
	[ "$output" = "in:1: no-message: the conversation has no messages" ]
}

@test "each file is a conversation by itself" {
	printf '%s\n' "$U" "$CALL" > a
	printf '%s\n' "$RA" "$RB" > b
	run -1 ctx-check a b
	[ "${#lines[@]}" -eq 4 ]
	[[ ${lines[0]} == "a:2: orphan-call: "* ]]
	[[ ${lines[2]} == "b:1: orphan-result: "* ]]
}

@test "the corpus has no findings" {
	for f in "$BATS_TEST_DIRNAME"/corpus/*/*; do
		[ -z "$(finds --allow-pending "$f")" ] ||
			fail "$f: $(finds --allow-pending "$f")"
		ctx-check --allow-pending --repair "$f" | cmp - "$f"
	done
}

@test "a message in an envelope is checked, at the line of the envelope" {
	corpus=$BATS_TEST_DIRNAME/corpus
	# A result that names no call, in the form of each dialect.
	while read -r file id want; do
		sed -E "0,/($id\": *\")[^\"]*/s//\1nobody/" "$corpus/$file" > in
		[ "$(finds in)" = "$want" ] || fail "$file: $(finds in)"
	done <<-'X'
	claude-code/branches.jsonl "tool_use_id 4:orphan-result 3:orphan-call
	claude-stream/plain.jsonl "tool_use_id 5:orphan-result 4:orphan-call
	codex/rollout.jsonl "function_call_output".*"call_id 13:orphan-result 11:orphan-call
	pi/session.jsonl "toolResult".*"toolCallId 6:orphan-result 5:orphan-call
	langchain-dict/coding.jsonl tool_call_id 4:orphan-result 3:orphan-call
	langchain-lc/coding.jsonl tool_call_id 4:orphan-result 3:orphan-call
	langchain-dump/coding.jsonl tool_call_id 4:orphan-result 3:orphan-call
	vercel-model/coding.jsonl tool-result".*"toolCallId 4:orphan-result 3:orphan-call
	goose/coding.jsonl toolResponse".*"id 4:orphan-result 3:orphan-call
	X
	# In a batch of requests, and in a document that is laid out.
	printf '{"custom_id":"%d","method":"POST","url":"/v1/chat/completions","body":{"model":"gpt-4o","messages":[%s]}}\n' \
	    1 "$U,$CALL,$RA,$RB" 2 "$U,$RA" > in
	[ "$(finds in)" = 2:orphan-result ]
	jq -s . in > doc
	n=$(finds doc)
	[[ $n == *:orphan-result ]]
	[ "$(sed -n "${n%%:*}p;$((${n%%:*} + 1))p" doc | tr -d ' \n')" = \
	    '{"role":"tool",' ]
	# Text blocks without text are refused by Anthropic, in a session too.
	f=$corpus/claude-code/session.jsonl
	[ -z "$(finds --provider anthropic "$f" | sed 's/ *35:last-message//')" ]
	n=$(grep -n '"role":"assistant".*"type":"text"' "$f" | head -n 1 |
	    cut -d : -f 1)
	sed "$n"'s/"type":"text","text":"[^"]*"/"type":"text","text":" "/' "$f" > in
	[[ $(finds --provider anthropic in) == "$n:empty-"* ]]
}

@test "--provider: lines of one response count as one message, and leading system messages are allowed" {
	# Lines of one response; the last alone says something.
	printf '%s\n' \
	    '{"type":"user","uuid":"1","parentUuid":null,"message":{"role":"user","content":"a"}}' \
	    '{"type":"assistant","uuid":"2","parentUuid":"1","message":{"role":"assistant","id":"m","content":[{"type":"thinking","thinking":"x","signature":"s"}]}}' \
	    '{"type":"assistant","uuid":"3","parentUuid":"2","message":{"role":"assistant","id":"m","content":[{"type":"text","text":"b"}]}}' > in
	[ -z "$(finds --provider gemini in)" ]
	sed 's/"text":"b"/"text":""/' in > mute
	[ -z "$(finds --provider gemini mute)" ]
	[ "$(finds --provider bedrock mute | cut -d ' ' -f 1)" = 3:empty-text ]
	# Without the last line the response has only reasoning, which Claude
	# Code does not send again.
	head -n 2 in > short
	[ -z "$(finds --provider gemini short)" ]
	# A system prompt moves to where the provider wants it.
	printf '%s\n' '{"role":"system","content":"s"}' "$U" "$A" "$U" > in
	for p in anthropic bedrock gemini; do
		[ -z "$(finds -d openai-chat --provider $p in)" ]
	done
	printf '%s\n' "$U" '{"role":"system","content":"s"}' > late
	[ "$(finds -d openai-chat --provider bedrock late)" = 2:bad-role ]
	# One who reasons and then speaks, item by item.
	printf '%s\n' '{"role":"user","content":"a"}' \
	    '{"type":"reasoning","id":"r","summary":[]}' \
	    '{"type":"reasoning","id":"r","summary":[{"type":"summary_text","text":"x"}]}' \
	    '{"type":"message","role":"assistant","content":[{"type":"output_text","text":"b"}]}' > in
	[ -z "$(finds in)" ]
	[ "$(finds --provider bedrock in)" = 4:last-message ]
	# Lines of one response that all say something.
	printf '%s\n' \
	    '{"type":"user","uuid":"1","parentUuid":null,"message":{"role":"user","content":"a"}}' \
	    '{"type":"assistant","uuid":"2","parentUuid":"1","message":{"role":"assistant","id":"m","content":[{"type":"text","text":"b"}]}}' \
	    '{"type":"assistant","uuid":"3","parentUuid":"2","message":{"role":"assistant","id":"m","content":[{"type":"text","text":"c"}]}}' \
	    '{"type":"user","uuid":"4","parentUuid":"3","message":{"role":"user","content":"d"}}' > in
	[ -z "$(finds --provider bedrock in)" ]
	[ "$(sed '3s/"m"/"n"/' in | finds --provider bedrock)" = 3:alternation ]
	# A result in an assistant message becomes a message after it.
	printf '%s\n' "$U" '{"role":"assistant","content":[{"type":"tool-call","toolCallId":"a","toolName":"f","input":{},"providerExecuted":true},{"type":"tool-result","toolCallId":"a","toolName":"f","output":{"type":"text","value":"x"}}]}' \
	    "$A" "$U" > in
	[ -z "$(finds -d vercel-model --provider bedrock in)" ]
	# A reference to an item that the provider has stored is not empty.
	printf '%s\n' '{"type":"item_reference","id":"msg_1"}' "$U" > in
	[ -z "$(finds -d openai-responses --provider anthropic in)" ]
	# Reasoning that is removed leaves the last message what it is.
	printf '%s\n' "$U" '{"type":"reasoning","id":"r","summary":[]}' \
	    '{"type":"message","role":"assistant","content":[]}' > in
	run -1 --separate-stderr ctx-check -d openai-responses --provider anthropic --repair in
	[ "${stderr_lines[0]}" = "in:3: last-message: the last message must be from the user or a tool" ]
}

@test "responses of a provider are not checked as requests" {
	printf '%s\n' '{"choices":[{"message":{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]}},{"message":{"role":"assistant","content":"b"}}]}' > in
	run -0 ctx-check in
	[ -z "$output" ]
	ctx-check --repair in | cmp - in
	echo '{"choices":[]}' > in
	run -0 ctx-check in
}

@test "claude accepts a first message of the assistant, gemini does not" {
	f=$BATS_TEST_DIRNAME/corpus/claude-stream/plain.jsonl
	[ -z "$(finds <(grep -v '"role":"user","content":"' "$f"))" ]
	echo '{"type":"assistant","uuid":"1","parentUuid":null,"message":{"role":"assistant","id":"m","content":"a"}}' > in
	[ -z "$(finds in)" ]
	[ "$(finds --provider gemini in)" = 1:first-message ]
}

@test "gemini accepts neighbours of one role and empty texts" {
	cat > in <<-'EOF'
	{"role":"user","parts":[{"text":""}]}
	{"role":"model","parts":[{"text":""},{"functionCall":{"name":"f","args":{}}}]}
	{"role":"model","parts":[{"functionCall":{"name":"f","args":{}}}]}
	{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"output":"r"}}},{"functionResponse":{"name":"f","response":{"output":"r"}}}]}
	{"role":"user","parts":[{"text":"Both."}]}
	{"role":"user","parts":[{"text":"Now?"}]}
	{"role":"model","parts":[{"text":""}]}
	{"role":"user","parts":[{"text":"Well?"}]}
	EOF
	[ -z "$(finds -d gemini in)" ]
	ctx-check -d gemini --repair in | cmp - in
	"$B/gen-tools/valid" gemini < in
	# A content without parts is refused.
	sed '7s/{"text":""}//' in > empty
	[ "$(finds -d gemini empty)" = 7:empty-message ]
	# One response is missing: each call of the row waits for its own.
	sed '4s/,{"functionResponse.*/]}/' in > short
	[ "$(finds -d gemini short)" = 3:orphan-call ]
	# Vertex and Gemini 3 refuse results of one content's calls in several.
	sed '2s/\(,{"functionCall[^]]*\)\]}/\1\1]}/; 3d; 4{
	    s/,{"functionResponse.*/]}/p; }' in > split
	[ "$(finds -d gemini split)" = 4:split-results ]
}

@test "--repair inserts a missing gemini response after its row of calls" {
	cat > in <<-'EOF'
	{"role":"user","parts":[{"text":"go"}]}
	{"role":"model","parts":[{"functionCall":{"name":"f","args":{},"id":"a"}}]}
	{"role":"model","parts":[{"functionCall":{"name":"f","args":{},"id":"b"}}]}
	{"role":"user","parts":[{"text":"Never mind."}]}
	EOF
	ctx-check -d gemini --repair in > out
	cmp in <(sed 4d out)
	[ "$(sed -n 4p out | jq -c '[.parts[].functionResponse.id]')" = '["a","b"]' ]
	[ -z "$(finds -d gemini out)" ]
	"$B/gen-tools/valid" gemini < out
}

@test "an assistant message may consist of audio alone" {
	found -- "$U" '{"role":"assistant","audio":{"id":"audio_1"}}' "$U" \
	    '{"role":"assistant","content":null,"audio":{"id":"audio_2"}}'
}

@test "-q prints nothing and sets the exit status" {
	run -0 ctx-check -q "$agent"
	[ -z "$output" ]
	printf '%s\n' "$RA" > in
	run -1 ctx-check -q in
	[ -z "$output" ]
}

@test "--json prints one object per finding" {
	printf '%s\n' "$U" "$RA" "$RB" > in
	run -1 ctx-check --json in
	[ "${#lines[@]}" -eq 2 ]
	[ "$(jq -r '[.file, .line, .index, .rule] | join(" ")' \
	    <<< "${lines[1]}")" = "in 3 2 orphan-result" ]
	jq -e '.what | contains("\"b\"")' <<< "${lines[1]}"
}

@test "--sarif prints version 2.1.0 with rule, text and place of each result" {
	printf '%s\n' "$U" "$RA" "$RB" > 'in %1.jsonl'
	run -1 ctx-check --sarif 'in %1.jsonl'
	jq -e '.version == "2.1.0" and (.runs | length == 1) and
	    .runs[0].tool.driver.name == "ctx-check" and
	    (.runs[0] as $r | $r.results | length == 2 and all(
		.ruleId == $r.tool.driver.rules[.ruleIndex].id and
		(.message.text | length > 0) and
		.locations[0].physicalLocation.region.startLine >= 2 and
		.locations[0].physicalLocation.artifactLocation.uri ==
		    "in%20%251.jsonl")) and
	    .runs[0].invocations[0].executionSuccessful' <<< "$output"
	jq -e '.runs[0].results == []' <<< "$(ctx-check --sarif "$agent")"
	echo '{' > bad
	run -2 --separate-stderr ctx-check --sarif bad
	jq -e '.runs[0].invocations[0].executionSuccessful | not' \
	    <<< "$output"
}

@test "--sarif output is valid for the OASIS schema" {
	printf '%s\n' "$U" "$RA" "$RB" '{"role":"x\u001b","content":"1"}' > in
	ctx-check --sarif in - < in > findings || [ $? -eq 1 ]
	ctx-check --sarif "$agent" > none
	ctx-check --sarif no-such-file > failed 2> err || [ $? -eq 2 ]
	for f in findings none failed; do
		jq -r -f "$BATS_TEST_DIRNAME/sarif.jq" $f > wrong
		[ ! -s wrong ] || fail "$f: $(cat wrong)"
	done
	# The check can fail.
	for edit in '.runs[0].results[0].rule = "x"' 'del(.version)' \
	    'del(.runs[0].tool.driver.name)' '.runs[0].results[0].level = "bad"' \
	    '.runs[0].results[0].locations[0].physicalLocation.region.startLine = 0' \
	    '.runs[0].invocations = {}'; do
		jq "$edit" findings | jq -r -f "$BATS_TEST_DIRNAME/sarif.jq" \
		    > wrong
		[ -s wrong ] || fail "$edit"
	done
}

@test "--list-rules prints every rule with its source" {
	run -0 ctx-check --list-rules
	for rule in orphan-call orphan-result result-order duplicate-id \
	    first-message alternation empty-message reasoning-only bad-id \
	    bad-arguments empty-tool-calls cut-reasoning results-first \
	    last-message split-results; do
		grep -qx "$rule" <<< "$output"
	done
	[ "$(grep -c '^    source: .' <<< "$output")" -eq \
	    "$(grep -c '^[a-z]' <<< "$output")" ]
}

@test "--provider adds the provider's rules, and an unknown provider is named" {
	id=$(printf '%070d' 1)
	printf '%s\n' "$U" "${CALL//\"a\"/\"$id\"}" "${RA//\"a\"/\"$id\"}" \
	    "$RB" > in
	run -0 ctx-check in
	run -1 ctx-check --provider openai in
	[[ $output == in:2:\ bad-id:* ]]
	run -2 ctx-check --provider nobody in
	[[ $output == *"'nobody' is not one of openai, responses, anthropic,"* ]]
}

@test "names from the input are masked and shortened" {
	printf '{"role":"tool","tool_call_id":"\\u001b[31m%s","content":"x"}\n' \
	    "$(printf 'x%.0s' {1..100})" > in
	run -1 ctx-check in
	[[ $output == *'"?[31mxxx'*'x..."'* ]]
	[ "${#output}" -lt 120 ]
}

@test "options that exclude each other exit 2" {
	run -2 ctx-check --json --sarif "$agent"
	run -2 ctx-check --repair --json "$agent"
	run -2 ctx-check --annotations github --sarif "$agent"
	run -2 ctx-check --annotations github --json "$agent"
	run -2 ctx-check --annotations github --repair "$agent"
	run -2 ctx-check --annotations github --after "$agent" "$agent"
	run -2 ctx-check --repair "$agent" "$agent"
	run -2 ctx-check --explain x "$agent"
	run -2 ctx-check --repair --explain - "$agent"
	run -2 ctx-check --repair --explain no/where "$agent"
}

@test "--archive saves what --repair changes or removes before it is changed" {
	printf '%s\n' "$U" "$CALL" "$RA" "$RB" "$RB" \
	    '{"role":"user","content":"\ud800"}' '{"role":"assistant","content":null}' "$A" > in
	ctx-check --repair --archive gone in > out
	cmp gone <(sed -n '5,7p' in)
	ctx-check out
	# Again: nothing is.
	rm gone
	ctx-check --repair --archive gone out | cmp - out
	[ ! -s gone ]
	run -2 ctx-check --archive gone in
	[[ $output == *"--archive needs --repair"* ]]
	run -2 ctx-check --repair --archive in in
}

@test "-v: the figures of each file are its own" {
	printf '{"role":"tool","tool_call_id":"a","content":"b"}\n' > one
	messages user:hi >> one
	cp one two
	run -1 ctx-check -v one two
	for f in one two; do
		[[ $output == *"$f: 2 messages, 0 findings repaired, 1 not repaired"* ]] ||
			fail "$output"
	done
	run -0 ctx-check -v --repair -i one two
	for f in one two; do
		[[ $output == *"$f: 2 messages, 1 findings repaired, 0 not repaired"* ]] ||
			fail "$output"
	done
}
