# ctx-check: would the provider take it

load helper

U='{"role":"user","content":"hi"}'
A='{"role":"assistant","content":"yes"}'
CALL='{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}},{"id":"b","type":"function","function":{"name":"g","arguments":"{}"}}]}'
RA='{"role":"tool","tool_call_id":"a","content":"1"}'
RB='{"role":"tool","tool_call_id":"b","content":"2"}'

# What --repair puts in for call $1.
none() {
	printf '{"role":"tool","tool_call_id":"%s","content":"[no result: the call was interrupted]"}' "$1"
}

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

# repaired INPUT EXPECTED, both files; a second repair changes nothing
repaired() {
	ctx-check --repair "$1" > out
	cmp out "$2"
	ctx-check out
	ctx-check --repair out | cmp - out
}

@test "valid conversations pass silently" {
	run -0 ctx-check "$agent" "$chat"
	[ -z "$output" ]
	run -0 ctx-check < "$agent"
	run -0 ctx-check < /dev/null
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

@test "each file is a conversation by itself" {
	printf '%s\n' "$U" "$CALL" > a
	printf '%s\n' "$RA" "$RB" > b
	run -1 ctx-check a b
	[ "${#lines[@]}" -eq 4 ]
	[[ ${lines[0]} == "a:2: orphan-call: "* ]]
	[[ ${lines[2]} == "b:1: orphan-result: "* ]]
}

# What ctx-check "$@" finds, as "LINE:RULE ...".
finds() {
	ctx-check "$@" | sed -E 's/.*:([0-9]+): ([a-z-]+): .*/\1:\2/' | paste -sd ' '
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
	# Without the last line it is the second that has nothing to say.
	head -n 2 in > short
	[ "$(finds --provider gemini short)" = 2:reasoning-only ]
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
	[[ $output == *"--provider: 'nobody' is unknown"* ]]
}

@test "names from the input are masked and shortened" {
	printf '{"role":"tool","tool_call_id":"\\u001b[31m%s","content":"x"}\n' \
	    "$(printf 'x%.0s' {1..100})" > in
	run -1 ctx-check in
	[[ $output == *'"?[31mxxx'*'x..."'* ]]
	[ "${#output}" -lt 120 ]
}

@test "--repair writes a valid conversation byte for byte" {
	ctx-check --repair "$agent" | cmp - "$agent"
	ctx-check --repair < "$chat" | cmp - "$chat"
	printf '\357\273\277\r\n{"role":"user","content":"a"}\r\n\n \t\n{"x":1}\n{ "role" : "assistant","content":"b" }' > odd
	ctx-check --repair odd | cmp - odd
	printf '%s\n' "$U" "$CALL" "$RA" "$RB" | jq -s '{messages: .}' > doc
	ctx-check --repair doc | cmp - doc
}

@test "--repair inserts a result directly after a call without one" {
	printf '%s\n' "$U" "$CALL" "$RA" "$U" "$CALL" > in
	printf '%s\n' "$U" "$CALL" "$(none b)" "$RA" "$U" "$CALL" \
	    "$(none a)" "$(none b)" > want
	repaired in want
	printf '{"messages": [%s, %s ]}\n' "$U" "$CALL" > in
	printf '{"messages": [%s, %s,%s,%s ]}\n' "$U" "$CALL" "$(none a)" \
	    "$(none b)" > want
	repaired in want
	F='{"role":"assistant","content":null,"function_call":{"name":"f","arguments":"{}"}}'
	printf '%s\n' "$F" "$U" > in
	printf '%s\n' "$F" '{"role":"function","name":"f","content":"[no result: the call was interrupted]"}' "$U" > want
	repaired in want
}

NONE='"[no result: the call was interrupted]"'

# said MESSAGE...: a repair puts WANT[i] after message i, as lines, as lines
# of another system and inside a record, and nothing else
said() {
	local i=0 one all=() whole=()
	for one; do
		all+=("$one")
		whole+=("$one")
		[ -z "${WANT[i]}" ] || whole+=("${WANT[i]}")
		i=$((i + 1))
	done
	printf '%s\n' "${all[@]}" > in
	printf '%s\n' "${whole[@]}" > want
	repaired in want
	sed 's/$/\r/' in > in2
	sed 's/$/\r/' want > want2
	repaired in2 want2
	for one in in want; do
		{ printf '{"%s":[' "${KEY:-messages}"
		  paste -sd , $one | tr -d '\n'; echo ']}'; } > $one.record
	done
	repaired in.record want.record
}

@test "--repair writes an inserted result in the form of the framework" {
	WANT=([1]='{"type":"tool","data":{"content":'$NONE',"type":"tool","name":"f","tool_call_id":"a","status":"error"}}')
	said '{"type":"human","data":{"content":"hi","type":"human"}}' \
	    '{"type":"ai","data":{"content":"","type":"ai","tool_calls":[{"name":"f","args":{},"id":"a","type":"tool_call"},{"name":"g","args":{},"id":"b","type":"tool_call"}]}}' \
	    '{"type":"tool","data":{"content":"1","type":"tool","tool_call_id":"b"}}' \
	    '{"type":"ai","data":{"content":"ok","type":"ai"}}'
	WANT=([1]='{"type":"function","data":{"content":'$NONE',"type":"function","name":"f"}}')
	said '{"type":"human","data":{"content":"hi","type":"human"}}' \
	    '{"type":"ai","data":{"content":"","type":"ai","additional_kwargs":{"function_call":{"name":"f","arguments":"{}"}}}}'
	WANT=([1]='{"type":"tool","content":'$NONE',"additional_kwargs":{},"response_metadata":{},"tool_call_id":"a","status":"error"}')
	said '{"type":"human","content":"hi","additional_kwargs":{}}' \
	    '{"type":"ai","content":"","additional_kwargs":{},"invalid_tool_calls":[{"name":null,"args":"{","id":"a","error":"x","type":"invalid_tool_call"}]}' \
	    '{"type":"human","content":"go on","additional_kwargs":{}}'
	lc='{"lc":1,"type":"constructor","id":["langchain","schema","messages","%s"],"kwargs":{%s}}'
	# shellcheck disable=SC2059 # the format is constant
	lc() { printf "$lc" "$@"; }
	WANT=([1]="$(lc ToolMessage '"content":'"$NONE"',"type":"tool","name":"f","tool_call_id":"a","status":"error"')")
	said "$(lc HumanMessage '"content":"hi","type":"human"')" \
	    "$(lc AIMessage '"content":"","type":"ai","tool_calls":[{"name":"f","args":{},"id":"a"}]')"
	WANT=([1]='{"role":"user","created":7,"content":[{"type":"toolResponse","id":"a","toolResult":{"status":"error","error":'$NONE'}}]}')
	KEY=conversation said \
	    '{"role":"user","created":6,"content":[{"type":"text","text":"hi"}]}' \
	    '{"role":"assistant","created":7,"content":[{"type":"toolRequest","id":"a","toolCall":{"status":"success","value":{"name":"f","arguments":{}}}}]}' \
	    '{"role":"user","created":8,"content":[{"type":"toolResponse","id":"a","toolResult":{"status":"success","value":{"content":[]}}}],"metadata":{"userVisible":true,"agentVisible":false}}' \
	    '{"role":"assistant","created":9,"content":[{"type":"text","text":"ok"}]}'
	WANT=([1]='{"role":"user","created":null,"content":[{"type":"toolResponse","id":"a","toolResult":{"status":"error","error":'$NONE'}}]}')
	KEY=conversation said \
	    '{"role":"user","content":[{"type":"text","text":"hi"}]}' \
	    '{"role":"assistant","content":[{"type":"toolRequest","id":"a","toolCall":{"status":"success","value":{"name":"f","arguments":{}}}}]}'
	WANT=([1]='{"role":"tool","content":'$NONE',"tool_name":"f"}')
	said '{"role":"user","content":"hi"}' \
	    '{"role":"assistant","content":"","tool_calls":[{"function":{"name":"f","arguments":{}}}]}' \
	    '{"role":"assistant","content":"ok"}'
	WANT=([1]='{"role":"tool","content":'$NONE',"tool_name":"f","tool_call_id":"a"}')
	said '{"role":"user","content":"hi"}' \
	    '{"role":"assistant","content":"","tool_calls":[{"id":"a","function":{"name":"f","arguments":{}}}]}'
}

@test "--repair writes the results of the Vercel AI SDK into one message" {
	result() {
		printf '{"type":"tool-result","toolCallId":"%s","toolName":"f","output":{"type":"%s","value":%s}}' "$@"
	}
	call='{"role":"assistant","content":[{"type":"tool-call","toolCallId":"a","toolName":"f","input":{}},{"type":"tool-call","toolCallId":"b","toolName":"f","input":{}}]}'
	a=$(result a error-text "$NONE") b=$(result b error-text "$NONE")
	WANT=([1]="{\"role\":\"tool\",\"content\":[$a,$b]}")
	said "$U" "$call" "$A"
	printf '%s\n' "$U" "$call" "{\"role\":\"tool\",\"content\":[$(result b text '"1"')]}" > in
	printf '%s\n' "$U" "$call" "{\"role\":\"tool\",\"content\":[$a,$(result b text '"1"')]}" > want
	repaired in want
	# Nobody has given his consent.
	WANT=([1]="{\"role\":\"tool\",\"content\":[$a,"'{"type":"tool-approval-response","approvalId":"p","approved":false,"reason":'"$NONE}]}")
	said "$U" '{"role":"assistant","content":[{"type":"tool-call","toolCallId":"a","toolName":"f","input":{}},{"type":"tool-approval-request","approvalId":"p","toolCallId":"a"}]}'
}

@test "--repair invents no result of a tool that the provider runs" {
	printf '%s\n' "$U" '{"role":"assistant","content":[{"type":"tool-call","toolCallId":"a","toolName":"f","input":{},"providerExecuted":true}]}' > in
	run -0 --separate-stderr ctx-check --repair in
	[ "$output" = "$(cat in)" ]
	echo '{"type":"ai","data":{"content":[{"type":"server_tool_call","id":"a","name":"f","args":{}}],"type":"ai"}}' > in
	run -1 --separate-stderr ctx-check --repair in
	[ "$output" = "$(cat in)" ]
}

@test "--repair inserts a result before an assistant message with its own result" {
	cat > in <<-'END'
	{"type":"human","content":"go"}
	{"type":"ai","content":"","tool_calls":[{"name":"list","args":{},"id":"c0","type":"tool_call"},{"name":"run","args":{},"type":"tool_call"}]}
	{"type":"ai","content":[{"type":"tool_result","content":"x"},{"type":"text","text":"Well."}]}
	{"type":"human","content":"done?"}
	END
	run -1 ctx-check --provider openai in
	[ "$output" = 'in:2: orphan-call: tool call of run has no result directly after it' ]
	ctx-check --provider openai --repair in > out
	[ "$(jq -r .type out | tr '\n' ,)" = human,ai,function,ai,human, ]
	ctx-check --provider openai out
	ctx-check --provider openai --repair out | cmp - out
}

@test "--repair: an assistant message after results is not merged with the message of their calls" {
	cat > in <<-'END'
	{"role":"user","content":"go"}
	{"role":"assistant","content":"","tool_calls":[{"id":"c3","function":{"name":"read","arguments":{}}}]}
	{"role":"assistant","content":"and","function_call":{"name":"weather","arguments":"{}"}}
	{"role":"tool","tool_name":"read","content":"text"}
	{"role":"assistant","content":null}
	{"role":"assistant","content":"","tool_calls":[{"id":"c5","function":{"name":"edit","arguments":{}}}]}
	END
	ctx-check -d ollama --provider anthropic --repair in > out
	[ "$(jq -r '.tool_name // .role' out | tr '\n' ,)" = \
	    user,assistant,assistant,read,weather,assistant,edit, ]
	ctx-check -d ollama --provider anthropic out
	ctx-check -d ollama --provider anthropic --repair out > again
	cmp out again
}

@test "the result of a program may be in any message of the next response" {
	jq -nc '
	    def by($id): {caller: {type: "code_execution_20250825",
		tool_id: $id}};
	    def program: {type: "server_tool_use", id: ., input: {code: "f()"},
		name: "code_execution"};
	    def gave: {type: "code_execution_tool_result", tool_use_id: .,
		content: {type: "code_execution_result", stdout: "x",
		    stderr: "", return_code: 0, content: []}};
	    def call: {type: "tool_use", id: ., name: "f", input: {}};
	    def result: {type: "tool_result", tool_use_id: ., content: "1"};
	    {role: "user", content: "go"},
	    {role: "assistant", content: [("s1", "s2" | program),
		("a" | call + by("s1")), ("b" | call + by("s2"))]},
	    {role: "user", content: ["a", "b" | result]},
	    {role: "assistant", content: ["s1" | gave]},
	    {role: "assistant", content: [("s2" | gave),
		{type: "text", text: "done"}]},
	    {role: "user", content: "and?"},
	    {role: "assistant", content: "Yes."}' > in
	ctx-check in
	ctx-check --repair in | cmp - in
	# Not after what a user says, nor in the answer after the next.
	sed '5i {"role":"user","content":"wait"}' in > late
	run -1 ctx-check late
	[[ $output == *'late:2: orphan-call: tool call "s2"'* ]]
	sed 5d in > never
	run -1 ctx-check never
	[ "$output" = 'never:2: orphan-call: tool call "s2" of code_execution has no result directly after it' ]
}

@test "a partial result answers its call, with an id or without" {
	for id in '"id":"x",' ''; do
		cat > in <<-END
		{"role":"user","parts":[{"text":"go"}]}
		{"role":"model","parts":[{"text":"I will."}]}
		{"role":"user","parts":[{"functionResponse":{$id"name":"f","willContinue":true,"response":{"output":"1"}}}]}
		{"role":"model","parts":[{"text":"Well."}]}
		{"role":"user","parts":[{"functionResponse":{$id"name":"f","response":{"output":"2"}}}]}
		{"role":"model","parts":[{"text":"Done."}]}
		END
		run -1 ctx-check -d gemini in
		[ "$(cut -d: -f2,3 <<< "$output" | tr '\n' ,)" = \
		    "3: orphan-result,5: orphan-result," ]
	done
}

@test "--repair: a result of the provider's tool leaves no earlier call open" {
	cat > broken <<-'END'
	{"role":"user","content":[{"text":"go"}]}
	{"role":"assistant","content":[{"toolUse":{"toolUseId":"a","name":"q","input":{}}}]}
	{"role":"assistant","content":[{"toolUse":{"toolUseId":"b","name":"nova_grounding","input":{},"type":"server_tool_use"}},{"toolResult":{"toolUseId":"b","type":"nova_grounding_result","content":[{"text":"found"}]}},{"text":"Done."}]}
	END
	run --separate-stderr ctx-check --repair broken
	[ "$status" -eq 0 ]
	[ "$(jq -r .role <<< "$output" | tr '\n' ' ')" = \
	    "user assistant user assistant " ]
	[ "$(jq -r '.content[].toolResult.toolUseId // empty' \
	    <<< "$output" | tr '\n' ' ')" = "a b " ]
	ctx-check <<< "$output"
}

@test "--repair inserts a result without an id after the existing ones" {
	WANT=([2]='{"role":"tool","content":'$NONE',"tool_name":"f"}')
	said "$U" '{"role":"assistant","content":"","tool_calls":[{"function":{"name":"f","arguments":{"n":1}}},{"function":{"name":"f","arguments":{"n":2}}}]}' \
	    '{"role":"tool","tool_name":"f","content":"1"}' "$A"
}

# mended LINE...: ctx-check finds errors in these lines, and none once repaired
mended() {
	printf '%s\n' "$@" > in
	run -1 ctx-check in
	[ -n "$output" ]
	run -0 --separate-stderr ctx-check --repair in
	[ -z "$stderr" ]
	echo "$output" > out
	ctx-check out
}

@test "--repair checks the repaired conversation, not the input" {
	local call='{"role":"assistant","content":[{"toolUse":{"toolUseId":"%s","name":"f","input":{}}}]}'
	local hi='{"role":"user","content":[{"text":"hi"}]}'
	local says='{"role":"assistant","content":[{"text":"ok"}]}'
	local result='{"role":"user","content":[{"toolResult":{"toolUseId":"%s","content":[{"text":"x"}]}}]}'
	# shellcheck disable=SC2059 # the formats are constant
	call() { printf "$call" "$1"; }
	# shellcheck disable=SC2059
	result() { printf "$result" "$1"; }
	# A result that we put in stands between two that speak.
	mended "$hi" "$(call a)" "$says" "$hi"
	mended "$hi" "$(call a)" "$(call b)" "$(result b)"
	mended '{"role":"user","parts":[{"text":"hi"}]}' \
	    '{"role":"model","parts":[{"functionCall":{"name":"f","args":{}}}]}' \
	    '{"role":"model","parts":[{"text":"ok"}]}'
	mended '{"from":"human","value":"hi"}' \
	    '{"from":"function_call","value":"{}"}' \
	    '{"from":"gpt","value":"ok"}'
	mended '{"from":"human","value":"hi"}' \
	    '{"from":"gpt","value":"<tool_call>{}</tool_call>"}'
	# At the end it is the user's side that speaks last.
	printf '%s\n' "$hi" "$(call a)" > in
	run -0 ctx-check --repair --provider bedrock in
	# Of two calls with one id the first gets its result before the other.
	mended '{"type":"message","role":"user","content":[{"type":"input_text","text":"hi"}]}' \
	    '{"type":"function_call","call_id":"a","name":"f","arguments":"{}"}' \
	    '{"type":"function_call","call_id":"a","name":"f","arguments":"{}"}' \
	    '{"type":"function_call_output","call_id":"a","output":"1"}'
	# A removed result needs no content, and belongs to no other call.
	mended "$U" "${RA/\"1\"/null}"
	mended "$hi" "$(call a)" "$(result b)" "$(result a)" "$says" "$hi"
	# A system message after a call stands after its result.
	mended "$U" '{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}}]}' \
	    '{"role":"system","content":"s"}' "$A"
}

@test "--repair checks the order of roles after messages are removed" {
	mute='{"role":"assistant","content":[]}'
	block='{"role":"user","content":[{"type":"text","text":"hi"}]}'
	mended "$mute" "$block"
	# Without it two of the user's are neighbours.
	printf '%s\n' "$block" "$mute" "$block" > in
	run -1 --separate-stderr ctx-check -d anthropic --provider bedrock \
	    --repair in
	[[ $stderr == "in:3: alternation: "* ]]
	# Nothing is left of a stream.
	echo '{"type":"reasoning","id":"r","summary":[{"type":"summary_text","text":"x"}]}' > in
	run -1 --separate-stderr ctx-check --repair in
	[ -z "$output" ]
	[[ $stderr == "in:1: no-message: "* ]]
}

@test "--repair inserts no result that would be a finding itself" {
	printf '%s\n' '{"from":"human","value":"hi"}' \
	    '{"from":"function_call","value":"{}"}' \
	    '{"from":"human","value":"ok"}' > in
	run -1 --separate-stderr ctx-check --repair in
	[ "$output" = "$(cat in)" ]
	[[ $stderr == "in:2: orphan-call: "* ]]
	printf '%s\n' "$U" "$CALL" "$U" > in
	run -1 --separate-stderr ctx-check --repair --provider bedrock in
	[ "$output" = "$(cat in)" ]
}

@test "a program may call tools several times, and a call may have several results" {
	corpus=$BATS_TEST_DIRNAME/corpus
	for f in anthropic/programs gemini/continued; do
		ctx-check "$corpus/$f.jsonl"
		ctx-check --repair "$corpus/$f.jsonl" | cmp - "$corpus/$f.jsonl"
	done
	# The code's result is missed all the same,
	sed '8s/{"type":"code_execution_tool_result".*}},//' \
	    "$corpus/anthropic/programs.jsonl" > in
	run -1 ctx-check in
	[ "$output" = 'in:4: orphan-call: tool call "srvtoolu_0" of code_execution has no result directly after it' ]
	# also where something else is said before,
	sed '6s/,"caller":{[^}]*}//' "$corpus/anthropic/programs.jsonl" > in
	run -1 ctx-check in
	[[ ${lines[0]} == 'in:4: orphan-call: tool call "srvtoolu_0" '* ]]
	# and a program that is nowhere.
	sed '6s/"tool_id":"srvtoolu_0"/"tool_id":"srvtoolu_9"/' \
	    "$corpus/anthropic/programs.jsonl" > in
	run -1 ctx-check in
	[[ $output == *'in:6: orphan-caller: tool call "toolu_b0" of query was made by'* ]]
	# One that has ended calls nothing.
	sed -n 6p "$corpus/anthropic/programs.jsonl" |
	    sed 's/toolu_b0/toolu_late/g' > late
	run -1 ctx-check "$corpus/anthropic/programs.jsonl" late
	[[ $output == *'late:1: orphan-caller: tool call "toolu_late" of query was made by a program that is not running'* ]]
	# Without ids a result cannot be assigned to one of several calls.
	sed 's/"id":"call_[0-9]*",//' "$corpus/gemini/continued.jsonl" > in
	ctx-check in
	ctx-check --repair in | cmp - in
	# Nothing comes after the last result.
	sed '5s/"willContinue":true/"willContinue":false/' \
	    "$corpus/gemini/continued.jsonl" > in
	run -1 ctx-check in
	[ "$output" = 'in:7: duplicate-result: tool result "call_0" of watch is not the first for its tool call' ]
}

@test "results of calls that only the provider stores are not orphans" {
	result='{"type":"function_call_output","call_id":"call_9","output":"x"}'
	echo "$result" > alone
	run -1 ctx-check alone
	[[ $output == *orphan-result* ]]
	for before in '"previous_response_id":"resp_1"' '"conversation":"conv_1"' \
	    '"conversation":{"id":"conv_1"}'; do
		printf '{"model":"gpt-5",%s,"input":[%s]}\n' "$before" "$result" > in
		ctx-check in
		ctx-check --repair in | cmp - in
	done
	for before in '"previous_response_id":null' '"conversation":null'; do
		printf '{"model":"gpt-5",%s,"input":[%s]}\n' "$before" "$result" > in
		run -1 ctx-check in
	done
	# Only a request of the Responses API may continue an earlier one.
	for f in 'messages":[{"role":"tool","tool_call_id":"x","content":"y"}' \
	    'messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"x","content":"y"}]}'; do
		printf '{"conversation":"c","%s]}\n' "$f" > in
		run -1 ctx-check in
		[[ $output == *orphan-result* ]]
	done
	# It holds for one record only.
	printf '{"previous_response_id":"r","input":[%s]}\n{"input":[%s]}\n' \
	    "$result" "$result" > in
	run -1 ctx-check in
	[[ $output == "in:2: orphan-result: "* ]]
	{
		echo '{"role":"user","content":"q"}'
		echo '{"type":"item_reference","id":"fc_1"}'
		echo "$result"
	} > in
	ctx-check in
	ctx-check --repair in | cmp - in
}

@test "two open calls with one id are reported, with or without results" {
	item() {
		printf '{"type":"function_call%s","call_id":"a",%s}\n' "$@"
	}
	hi='{"type":"message","role":"user","content":[{"type":"input_text","text":"hi"}]}'
	{ echo "$hi"; item '' '"name":"f","arguments":"{}"'
	  item '' '"name":"f","arguments":"{}"'; } > in
	[ "$(finds --allow-pending in)" = 3:duplicate-id ]
	[ "$(finds in)" = "2:orphan-call 3:duplicate-id 3:orphan-call" ]
	item _output '"output":"1"' >> in
	item _output '"output":"2"' >> in
	[ "$(finds in)" = 3:duplicate-id ]
	run -1 --separate-stderr ctx-check --repair in
	[ "$output" = "$(cat in)" ]
	[[ $stderr == 'in:3: duplicate-id: two tool calls without a result have the same id: "a" of f' ]]
}

@test "results after a call of any role answer it" {
	printf '%s\n' '{"role":"user","parts":[{"text":"q"}]}' \
	    '{"role":"user","parts":[{"functionCall":{"name":"f","args":{}}}]}' \
	    '{"role":"user","parts":[{"functionResponse":{"name":"f","response":{}}}]}' > in
	[ -z "$(finds in)" ]
	sed -i '2s/"functionCall":{"name":"f"/"functionCall":{"name":"g"/' in
	[ "$(finds in)" = "3:orphan-result 2:orphan-call" ]
}

@test "--repair answers the calls of neighbouring messages in their order" {
	local id call='{"role":"assistant","content":[{"type":"tool_use","id":"%s","name":"f","input":{}}]}'
	local none='{"type":"tool_result","tool_use_id":"%s","content":"[no result: the call was interrupted]","is_error":true}'
	echo "$U" > in
	for id in a b c; do
		# shellcheck disable=SC2059 # a template
		printf "$call\n" $id >> in
	done
	cp in want
	{
		printf '{"role":"user","content":['
		# shellcheck disable=SC2059 # a template
		printf "$none,$none,$none" a b c
		echo ']}'
	} >> want
	repaired in want
	# What is answered is not answered again.
	echo '{"role":"user","content":[{"type":"tool_result","tool_use_id":"b","content":"x"}]}' >> in
	ctx-check --repair in > out
	[ "$(tail -n 1 out | jq -c '[.content[].tool_use_id]')" = '["a","c","b"]' ]
}

@test "--repair inserts results before an empty last message" {
	local call='{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}}]}'
	local mute='{"role":"assistant","content":[]}'
	local none='{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"[no result: the call was interrupted]","is_error":true}]}'
	printf '%s\n' "$U" "$call" "$mute" > in
	printf '%s\n' "$U" "$call" "$none" "$mute" > want
	repaired in want
	printf '{"max_tokens":1,"system":"x","messages":[%s,%s,%s]}\n' "$U" "$call" "$mute" > in
	printf '{"max_tokens":1,"system":"x","messages":[%s,%s,%s,%s]}\n' "$U" "$call" "$none" "$mute" > want
	repaired in want
}

@test "--repair: an inserted line ends as the line before it" {
	printf '%s\r\n' "$U" "$CALL" "$RA" > in
	printf '%s\r\n' "$U" "$CALL" "$(none b)" "$RA" > want
	repaired in want
	printf '%s\n%s' "$U" "${CALL/,\{\"id\":\"b\"*/]\}}" > in
	printf '%s\n%s\n%s' "$U" "${CALL/,\{\"id\":\"b\"*/]\}}" "$(none a)" \
	    > want
	repaired in want
}

@test "a message of empty texts has a finding for each text, not one for the message" {
	echo '{"role":"user","content":[{"type":"text","text":""},{"type":"text","text":""}]}' > in
	run -1 ctx-check -d anthropic in
	[ "$(grep -c empty-text <<< "$output")" -ge 1 ]
	run ! grep -q empty-message <<< "$output"
}

@test "--repair removes orphan results, empty messages and empty tool_calls" {
	printf '%s\n' "$RA" "$U" '{"role":"user","content":[]}' "" "$CALL" \
	    "$RA" "$RA" '{"role":"assistant","content":null}' "$RB" \
	    "${A/\}/,\"tool_calls\":[]\}}" \
	    "${A/\}/,\"tool_calls\":[1],\"tool_calls\":[]\}}" \
	    '{"role":"assistant","content":null,"reasoning_content":"x"}' > in
	printf '%s\n' "$U" "$CALL" "$RA" "$RB" "$A" "$A" > want
	repaired in want
	jq -cs '{messages: map(select(. != null))}' in > in2
	jq -cs '{messages: .}' want > want2
	repaired in2 want2
}

@test "--repair: a finding that cannot be repaired is named, with exit status 1" {
	printf '%s\n' "$U" "${CALL/\"b\"/\"a\"}" "$RA" "$RA" > in
	run -1 --separate-stderr ctx-check --repair in
	[[ $stderr == "in:2: duplicate-id: "* ]]
	ctx-check -q --repair in > out || [ $? -eq 1 ]
	cmp in out
}

@test "--repair inserts no result for two calls with one id" {
	cat > in <<-'EOF'
	{"role":"user","content":"go"}
	{"role":"assistant","content":"","tool_calls":[{"id":"c","function":{"name":"list","arguments":{}}},{"id":"c","function":{"name":"test","arguments":{}}}]}
	{"role":"tool","tool_name":"test","content":"ok"}
	EOF
	run -1 --separate-stderr ctx-check --repair -d ollama in
	cmp in <(echo "$output")
	[[ $stderr == *"duplicate-id"*"orphan-call: tool call \"c\" of list has"* ]]
	ctx-check -d ollama in > want || [ $? -eq 1 ]
	cmp want <(echo "$stderr")
	cat > in <<-'EOF'
	{"role":"user","content":"go"}
	{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}},{"type":"tool_use","id":"a","name":"g","input":{}}]}
	EOF
	run -1 --separate-stderr ctx-check --repair in
	cmp in <(echo "$output")
	# Two messages that are one to the provider.
	cat > in <<-'EOF'
	{"role":"user","content":"go"}
	{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}}]}
	{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"g","input":{}}]}
	{"role":"user","content":"stop"}
	EOF
	run -1 --separate-stderr ctx-check --repair in
	cmp in <(echo "$output")
}

@test "--repair --explain prints one line per repair" {
	printf '%s\n' "$U" "$CALL" "$RA" "$U" "$RB" > in
	ctx-check --repair --explain log in > out
	[ "$(jq -r '[.line, .rule, .action, .role] | join(" ")' log)" = \
	    "$(printf '%s\n' '2 orphan-call insert assistant' \
		'5 duplicate-result drop tool')" ]
	[ "$(sed -n 2p log | jq -r .sha256)" = \
	    "$(printf %s "$RB" | sha256sum | cut -d ' ' -f 1)" ]
}

@test "--repair -u writes records as soon as they are certain" {
	mkfifo pipe
	exec 4<> pipe
	ctx-check -u --repair pipe > out 3>&- 4>&- &
	printf '%s\n' "$U" "$CALL" "$RA" "$RB" >&4
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		[ "$(wc -l < out)" -eq 4 ] && break
		sleep 0.2
	done
	n=$(wc -l < out)
	exec 4>&-
	wait
	[ "$n" -eq 4 ]
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

DIALECTS="openai-chat generic openai-responses anthropic bedrock gemini"

# The lines that a judge's report names, once each.
lines_of() {
	cut -d : -f "$1" | sort -u
}

@test "generated conversations pass, and the tests' independent judge accepts what --repair makes of them" {
	local n=${CHECK_LONG:-200}
	PATH=$B/gen-tools:$PATH
	for d in $DIALECTS; do
		convo --dialect "$d" --count "$n" --wrap > all
		ctx-check -d "$d" --allow-pending all
		ctx-check -d "$d" --allow-pending --repair all | cmp - all
		ctx-check -d "$d" --repair all > out
		valid "$d" --wrap < out
		ctx-check -d "$d" out
	done
}

@test "every record that the tests' independent judge refuses has a finding" {
	local n=${CHECK_LONG:-200}
	PATH=$B/gen-tools:$PATH
	for d in $DIALECTS; do
		convo --dialect "$d" --count "$n" --broken --wrap > all
		valid "$d" --wrap < all | lines_of 1 > v
		ctx-check -d "$d" all | lines_of 2 > c
		[ -z "$(comm -23 v c)" ] || fail "$d: $(comm -23 v c)"
		[ "$(wc -l < c)" -le $(($(wc -l < v) * 21 / 20 + 2)) ]
	done
}

@test "--repair: a second run changes nothing, and findings that remain are named" {
	local n=${CHECK_LONG:-200}
	PATH=$B/gen-tools:$PATH
	for d in $DIALECTS; do
		convo --dialect "$d" --count "$n" --broken --wrap > all
		ctx-check -q -d "$d" --repair all > out || [ $? -eq 1 ]
		valid "$d" --wrap < out | lines_of 1 > v
		ctx-check -d "$d" out | lines_of 2 > c
		[ -z "$(comm -23 v c)" ] || fail "$d: $(comm -23 v c)"
		ctx-check -q -d "$d" --repair out > again || [ $? -eq 1 ]
		cmp out again
	done
}

@test "--repair repairs lines and a record with the same messages alike" {
	PATH=$B/gen-tools:$PATH
	for d in $DIALECTS; do
		for seed in 1 2 3 4 5 6; do
			convo --dialect "$d" --seed "$seed" --messages 40 \
			    --broken > lines
			ctx-check -q -d "$d" --repair lines > a ||
				[ $? -eq 1 ]
			key=messages
			[ "$d" != gemini ] || key=contents
			[ "$d" != openai-responses ] || key=input
			{ printf '{"model":"x","%s":[' $key
			  paste -sd , lines | tr -d '\n'; echo ']}'; } > record
			ctx-check -q -d "$d" --repair record > b ||
				[ $? -eq 1 ]
			{ printf '{"model":"x","%s":[' $key
			  paste -sd , a | tr -d '\n'; echo ']}'; } > want
			cmp b want || fail "$d, seed $seed"
		done
	done
}

@test "--repair reports a conversation that loses all its messages" {
	empty='{"role":"user","content":""}'
	echo "{\"messages\":[$empty,$empty]}" > in
	run ctx-check -d anthropic --repair in
	[ "$status" -eq 1 ]
	[ "${lines[1]}" = '{"messages":[]}' ] || [ "${lines[0]}" = '{"messages":[]}' ]
	[[ "$output" == *"no-message: the conversation has no messages"* ]]
	echo "$empty" > in
	run ctx-check -d anthropic --repair in
	[ "$status" -eq 1 ]
	[[ "$output" == *"no-message: the file has no messages" ]]
}

@test "a row of reasoning without a response is one finding, and --repair removes all of it" {
	reasoning='{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"gAAA"}'
	printf '%s\n' '{"type":"message","role":"user","content":"hi"}' \
	    "$reasoning" "$reasoning" > in
	run ctx-check -d openai-responses in
	[ "$status" -eq 1 ] && [ "${#lines[@]}" -eq 2 ]
	[[ "${lines[0]}" == in:2:\ lone-reasoning:* ]]
	ctx-check -q -d openai-responses --repair in > out
	head -n 1 in | cmp out
}

@test "--repair inserts no result between two messages that the provider merges" {
	call() {
		echo '{"role":"assistant","content":[{"type":"tool_use",' \
		    "\"id\":\"$1\",\"name\":\"read\",\"input\":{}}]}"
	}
	{
		echo '{"role":"user","content":"Compare."}'
		call t1
		call t2
		echo '{"role":"user","content":[{"type":"tool_result",' \
		    '"tool_use_id":"t2","content":"x"}]}'
		echo '{"role":"assistant","content":"Equal."}'
	} > in
	ctx-check --repair in > out 2> err
	ctx-check out
	head -n 3 in > want
	head -n 3 out | cmp want
	grep -q '"t1".*"t2"' <(sed -n 4p out)
	# Nor where results are messages of their own, if the provider is one
	# that takes both for one.
	cat > in <<-'EOF'
	{"role":"user","content":"go"}
	{"role":"assistant","content":"","tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}},{"id":"c2","type":"function","function":{"name":"g","arguments":"{}"}}]}
	{"role":"assistant","content":"","tool_calls":[{"id":"c3","type":"function","function":{"name":"h","arguments":"{}"}}]}
	{"role":"tool","tool_call_id":"c1","content":"x"}
	{"role":"user","content":"thanks"}
	EOF
	ctx-check -d openai-chat --provider anthropic --repair in > out
	ctx-check -d openai-chat --provider anthropic out
	head -n 3 in | cmp - <(head -n 3 out)
	[ "$(grep -c '"role":"tool"' out)" -eq 3 ]
}

# same DIALECT [OPTION...]: what --repair mends in the file "in" is no longer
# found, other findings are unchanged, and a second repair changes nothing.
same() {
	local rc=0
	ctx-check -d "$@" --repair in > out 2> err || rc=$?
	ctx-check -d "$@" out > left || [ $? -eq $rc ]
	diff <(sed 's/^in:[0-9]*: //' err) <(sed 's/^out:[0-9]*: //' left)
	ctx-check -d "$@" --repair out 2> /dev/null | cmp - out
}

@test "--repair: an empty message that is removed separates no neighbours" {
	# The system's message waits for the assistant after it.
	cat > in <<-'EOF'
	{"role":"system","content":"s"}
	{"role":"assistant","content":[]}
	{"role":"user","content":"u"}
	EOF
	same anthropic
	grep -q '^in:1: system-place: the next message must be from the assistant' err
	# Calls wait for their results.
	cat > in <<-'EOF'
	{"role":"user","content":"u"}
	{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}},{"type":"tool_use","id":"b","name":"f","input":{}}]}
	{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"r"}]}
	{"role":"assistant","content":[]}
	{"role":"user","content":[{"type":"tool_result","tool_use_id":"b","content":"r"}]}
	EOF
	ctx-check -d anthropic --repair in > out
	cmp out <(sed 4d in)
}

@test "split-results does not count a partial result that a later one completes" {
	cat > in <<-'EOF'
	{"role":"user","parts":[{"text":"u"}]}
	{"role":"model","parts":[{"functionCall":{"name":"f","args":{},"id":"a"}},{"functionCall":{"name":"f","args":{},"id":"b"}}]}
	{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"output":"r"},"id":"a","willContinue":true}}]}
	{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"output":"r"},"id":"a"}}]}
	EOF
	same gemini
	[ "$(grep -c split-results err)" -eq 0 ]
	sed -i 's/"id":"a"}}\]}$/"id":"b"}}]}/' in
	same gemini
	grep -q '^in:4: split-results' err
}

@test "--repair gives a result without an id to no older call" {
	# It has one, and its own result comes after the inserted one.
	cat > in <<-'EOF'
	{"role":"user","parts":[{"text":"u"}]}
	{"role":"model","parts":[{"functionCall":{"name":"f","args":{},"id":"a"}},{"functionCall":{"name":"f","args":{}}}]}
	{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"output":"r"},"id":"a"}}]}
	EOF
	same gemini
	cmp in out
	# A result that names the continued call does not answer another.
	sed -i '$s/"id":"a"/"id":"a","willContinue":true/' in
	sed -n '$s/,"willContinue":true//p' in >> in
	same gemini
	grep -q '^in:2: orphan-call: tool call of f' err
	# Nor if that comes late.
	cat > in <<-'EOF'
	{"role":"user","content":"u"}
	{"role":"assistant","content":"","tool_calls":[{"function":{"name":"f","arguments":{}}},{"function":{"name":"g","arguments":{}}}]}
	{"role":"assistant","content":"","tool_calls":[{"function":{"name":"f","arguments":{}}}]}
	{"role":"assistant","content":"wait"}
	{"role":"tool","content":"r"}
	{"role":"tool","tool_name":"g","content":"r"}
	EOF
	same ollama
	grep -q '^in:3: orphan-call: tool call of f' err
	# Where nothing is in doubt it gets one.
	sed -i 4d in
	same ollama
	[ ! -s err ]
}

@test "orphan-caller is the only finding for a program that was abandoned" {
	cat > in <<-'EOF'
	{"role":"user","content":"u"}
	{"role":"assistant","content":[{"type":"server_tool_use","id":"p","name":"code_execution","input":{}},{"type":"tool_use","id":"a","name":"f","input":{}}]}
	{"role":"user","content":"u"}
	{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"f","input":{},"caller":{"type":"code_execution_20260120","tool_id":"p"}}]}
	EOF
	same anthropic
	grep -q '^in:2: orphan-call: tool call "p"' err
	[ "$(grep -c orphan-caller err)" -eq 0 ]
}

@test "--repair removes reasoning whose only response is an empty message" {
	local last="out:%d: last-message: the last message must be from the user or a tool\n"
	cat > in <<-'EOF'
	{"role":"user","content":[{"type":"input_text","text":"go"}]}
	{"type":"reasoning","id":"rs_1","summary":[]}
	{"role":"assistant","content":[]}
	EOF
	fix() {
		ctx-check -d openai-responses --provider anthropic "$@"
	}
	fix --repair in > out || [ $? -eq 1 ]
	cmp out <(sed -n '1p;3p' in)
	cmp <(fix out) <(printf "$last" 2)
	echo '{"role":"user","content":"well?"}' >> in
	fix --repair in > out
	cmp out <(sed -n '1p;4p' in)
	# Nor is it left alone where a result before that answer is removed.
	cat > in <<-'EOF'
	{"role":"user","content":[{"type":"input_text","text":"go"}]}
	{"type":"function_call","name":"f","arguments":"{}","call_id":"c1"}
	{"type":"reasoning","id":"rs_1","summary":[]}
	{"role":"assistant","content":[]}
	EOF
	fix --repair in > out || [ $? -eq 1 ]
	cmp <(fix out) <(printf "$last" 4)
	cmp <(sed '3d' out) <(sed '3d' in)
	grep -q '"function_call_output","call_id":"c1"' <(sed -n 3p out)
}

@test "findings about the place of a message wait until the message is known to be kept" {
	local first='first-message: the first message is not from the user'
	# What says nothing, and is not the last ...
	echo '{"role":"assistant","content":[]}' > in
	echo '{"role":"user","content":"well?"}' >> in
	ctx-check -d anthropic --provider gemini in > out || [ $? -eq 1 ]
	[ "$(cat out)" = "$(printf '%s\n' \
	    'in:1: empty-message: the message is empty and not the last' \
	    "in:1: $first")" ]
	ctx-check -d anthropic --repair in | cmp - <(tail -n 1 in)
	# ... and reasoning that may lead to nothing.
	echo '{"type":"reasoning","id":"rs_1","summary":[]}' > in
	cp in stays
	echo '{"role":"assistant","id":"msg_1","content":"Yes."}' >> stays
	echo '{"role":"user","content":"well?"}' | tee -a in >> stays
	ctx-check -d openai-responses --provider gemini --repair in |
	    cmp - <(tail -n 1 in)
	run -1 ctx-check -d openai-responses --provider gemini stays
	[ "$output" = "stays:1: $first" ]
	ctx-check -d openai-responses --provider gemini --repair stays > out
	cmp stays <(tail -n +2 out)
	[ "$(head -n 1 out | jq -r .role)" = user ]
}

@test "--repair: a call after an orphan result opens after the turn before it ends" {
	cat > in <<-'EOF'
	{"role":"user","content":[{"toolUse":{"toolUseId":"a","name":"f","input":{}}}]}
	{"role":"user","content":[{"toolResult":{"toolUseId":"x","content":[]}},{"toolUse":{"toolUseId":"a","name":"f","input":{}}}]}
	EOF
	ctx-check -d bedrock --repair in > out 2> said || [ $? -eq 1 ]
	ctx-check -d bedrock out > again || [ $? -eq 1 ]
	[ "$(cut -d : -f 3- said)" = "$(cut -d : -f 3- again)" ]
}

@test "--repair inserts no result without an id while another call is open" {
	cat > in <<-'EOF'
	{"role":"user","content":"go"}
	{"role":"assistant","content":"","tool_calls":[{"id":"c","function":{"name":"f","arguments":{}}},{"id":"c","function":{"name":"f","arguments":{}}}]}
	{"role":"assistant","content":"","tool_calls":[{"function":{"name":"f","arguments":{}}}]}
	EOF
	run -1 --separate-stderr ctx-check --repair -d ollama in
	cmp in <(echo "$output")
}

@test "--repair names unrepairable findings first, and how many more there are" {
	{
		echo '{"role":"user","content":[{"text":"go"}]}'
		for i in {1..15}; do
			echo '{"role":"assistant","content":[{"text":"'$i'"}]}'
		done
	} > in
	run -1 --separate-stderr ctx-check -d bedrock --repair in
	[ "${#stderr_lines[@]}" -eq 11 ]
	[ "${stderr_lines[10]}" = "ctx-check: 4 more findings" ]
	run -1 --separate-stderr ctx-check -d bedrock --repair -q in
	[ -z "$stderr" ]
}

@test "--repair inserts no result for a call whose id is empty" {
	local call='{"role":"assistant","content":[{"type":"tool_use",%s"name":'
	call+='"t","input":{}}]}\n'
	# shellcheck disable=SC2059 # the format is constant
	{
		echo '{"role":"user","content":"go"}'
		printf "$call" '' '"id":"",'
		echo '{"role":"user","content":"stop"}'
	} > calls
	run -1 ctx-check -d anthropic calls
	[[ $output == *"calls:2: orphan-call"* ]]
	run -1 --separate-stderr ctx-check -d anthropic --repair calls
	[ "$output" = "$(cat calls)" ]
}

@test "--repair inserts no result for a call whose name is not a string" {
	cat > in <<-'X'
	{"type":"human","content":"hi","additional_kwargs":{}}
	{"type":"ai","content":"","tool_calls":[{"name":"f","args":{},"id":"a"},{"name":{},"args":{}}]}
	X
	run -1 --separate-stderr ctx-check -d langchain-dump --repair in
	[ "${#lines[@]}" -eq 3 ]
	[[ ${lines[2]} == *'"name":"f","tool_call_id":"a"'* ]]
	[[ $stderr == *"call of {} has no result"* ]]
	[ "${#stderr_lines[@]}" -eq 1 ]
}

@test "--repair keeps what remains of an llm-logs row or a compaction valid" {
	cat > in <<-'END'
	{"model":"gpt-4o","prompt":"u","response":"","conversation_id":"c","tool_calls":[{"name":"f","arguments":{},"tool_call_id":"a"}]}
	{"model":"gpt-4o","prompt":"","response":"a","conversation_id":"c","tool_results":[{"name":"f","output":"r","tool_call_id":"b"}]}
	END
	run -0 ctx-check -d llm-logs --allow-pending --repair in
	echo "$output" > out
	[[ $(tail -n 1 out) = *'"response":"a"'*'"tool_results":[]'* ]]
	ctx-check -d llm-logs --allow-pending out

	cat > in <<-'END'
	[{"info":{"id":"k","role":"user"},"parts":[{"type":"compaction","auto":true}]},{"info":{"id":"l","role":"assistant","summary":true,"finish":"stop","parentID":"k"},"parts":[{"type":"text","text":"summary"}]},{"info":{"id":"m","role":"user"},"parts":[{"type":"text","text":"u"}]}]
	END
	ctx-check -d opencode --provider anthropic in
	ctx-check -d opencode --provider anthropic --repair in | cmp - in
}

@test "lone-surrogate finds half of a surrogate pair, and --repair writes U+FFFD" {
	cat > in <<-'X'
	{"role":"user","content":"a\ud83d b \ud83d\ude00 \udc00"}
	{"role":"assistant","content":null,"tool_calls":[{"id":"a\ud800","type":"function","function":{"name":"f","arguments":"{\"x\":\"\\ud83d\\n \\ud83d\\ude00 \\\\ud83d \ud801\"}"}}]}
	{"role":"tool","tool_call_id":"a\ud800","content":"1 \\ud83d"}
	X
	cat > want <<-'X'
	{"role":"user","content":"a\ufffd b \ud83d\ude00 \ufffd"}
	{"role":"assistant","content":null,"tool_calls":[{"id":"a\ufffd","type":"function","function":{"name":"f","arguments":"{\"x\":\"\\ufffd\\n \\ud83d\\ude00 \\\\ud83d \ufffd\"}"}}]}
	{"role":"tool","tool_call_id":"a\ufffd","content":"1 \\ud83d"}
	X
	run -1 ctx-check in
	[ "${#lines[@]}" -eq 4 ]
	[ "${lines[0]}" = "in:1: lone-surrogate: a text has half of a surrogate pair" ]
	repaired in want
	# A result that is put in has the id that the call has then.
	head -n 2 in > cut
	ctx-check --repair cut > out
	grep -q '^{"role":"tool","tool_call_id":"a.ufffd",' out
	ctx-check out
}

@test "lone-surrogate also checks the members of a request outside its messages" {
	printf '%s\n' '{"model":"m","system":"\ud800","messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"q","content":"\ud811"},{"type":"text","text":"\ude00x"}]}],"tools":[{"name":"\udbff"}]}' > in
	run -1 ctx-check -d anthropic --json in
	[ "${#lines[@]}" -eq 5 ]
	[ "$(jq -c 'select(.index == null) | .rule' <<< "$output")" = '"lone-surrogate"
"lone-surrogate"' ]
	run -1 ctx-check -d anthropic in
	[ "${lines[4]}" = "in:1: lone-surrogate: a text has half of a surrogate pair (beside the messages)" ]
	# A text in a block that is removed is not edited.
	run -0 ctx-check -d anthropic --repair --explain log in
	[ "$output" = '{"model":"m","system":"\ufffd","messages":[{"role":"user","content":[{"type":"text","text":"\ufffdx"}]}],"tools":[{"name":"\ufffd"}]}' ]
	[ "$(jq -r .action log | sort | uniq -c | tr -s ' \n' ' ')" = " 1 drop 4 edit " ]
}

@test "lone-surrogate checks what a transcript sends, and --repair leaves it unchanged" {
	printf '%s\n' '{"type":"user","uuid":"1","parentUuid":null,"sessionId":"s","message":{"role":"user","content":"a"},"note":"\ud800"}' \
	    '{"type":"user","uuid":"2","parentUuid":"1","sessionId":"s","message":{"role":"user","content":"b\ud800"}}' > in
	run -1 ctx-check -d claude-code in
	[ "${#lines[@]}" -eq 1 ]
	run -1 --separate-stderr ctx-check -d claude-code --repair in
	[ "$output" = "$(cat in)" ]
}

@test "--repair gives an id of the wrong form the right form, in call and result" {
	printf '%s\n' "$U" "$CALL" "$RA" "$RB" > in
	run -1 ctx-check --provider mistral in
	[ "${lines[0]}" = 'in:2: bad-id: id of tool call "a" of f is not 9 of A-Z a-z 0-9' ]
	[ "${#lines[@]}" -eq 2 ]
	ctx-check --provider mistral --repair in > out
	ctx-check --provider mistral out
	ctx-check --provider mistral --repair out | cmp - out
	[ "$(jq -r '.tool_calls[]?.id, .tool_call_id | strings' out | sort | uniq -c |
	    grep -cE '^ *2 [A-Za-z0-9]{9}$')" -eq 2 ]
	# So does a result that is put in, and all but the id is as it was.
	head -n 3 in > cut
	ctx-check --provider mistral --repair cut > out2
	ctx-check --provider mistral out2
	cmp <(head -n 2 out) <(head -n 2 out2)
	cmp <(jq -c 'del(.tool_calls[]?.id, .tool_call_id)' in) \
	    <(jq -c 'del(.tool_calls[]?.id, .tool_call_id)' out)
	# Ids of nine letters and digits are kept.
	sed -e 's/"a"/"abcDEF123"/' -e 's/"b"/"\\u0041bcdef12"/' in > nine
	run -1 ctx-check --provider mistral nine
	[ "${#lines[@]}" -eq 1 ]
	[[ $output == *'"Abcdef12" of g'* ]]
}

@test "--repair shortens ids of more than 64 characters and replaces forbidden ones" {
	local long
	long=$(printf '%065d' 1)
	printf '%s\n' "$U" "${CALL/\"a\"/\"$long\"}" "${RA/\"a\"/\"$long\"}" "$RB" > in
	ctx-check --provider openai --repair in > out
	ctx-check --provider openai out
	grep -q '"id":"call_[0-9a-f]*"' out
	printf '%s\n' '{"role":"user","content":"hi"}' \
	    '{"role":"assistant","content":[{"type":"tool_use","id":"f.0:1","name":"f","input":{}},{"type":"tool_use","id":"","name":"f","input":{}}]}' \
	    '{"role":"user","content":[{"type":"tool_result","tool_use_id":"f.0:1","content":"1"},{"type":"tool_result","tool_use_id":"","content":"1"}]}' > in
	run -1 --separate-stderr ctx-check -d anthropic --repair in
	# An empty id names nothing that could be renamed.
	[ "${stderr_lines[0]}" = 'in:2: bad-id: id of tool call "" of f is not 1 to 64 of A-Z a-z 0-9 _ and -' ]
	[ "$(jq -r '.content[]? | .id?, .tool_use_id? | strings' <<< "$output" | sort |
	    uniq -c | tr -s ' \n' ' ' | sed 's/call_[0-9a-f]*/C/')" = " 2 2 C " ]
}

@test "--repair wraps arguments that are not an object into one, without loss" {
	local call='{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":%s}}]}\n'
	local was want
	# shellcheck disable=SC2059 # the format is constant
	while IFS='|' read -r was want; do
		{
			printf "$call" "$was"
			echo "$RA"
		} > in
		run -1 ctx-check -d openai-chat in
		[[ ${lines[-1]} == "in:1: bad-arguments: "* ]]
		ctx-check -d openai-chat --repair in > out
		[ "$(jq -r '.tool_calls[]?.function.arguments' out)" = "$want" ]
		ctx-check -d openai-chat out
	done <<-'X'
	"{\"a\": \"b"|{"arguments":"{\"a\": \"b"}
	"[1, 2]"|{"arguments":[1,2]}
	"\"x\""|{"arguments":"x"}
	" "|{}
	"null"|{}
	null|{}
	{"a" : "\ud800"}|{"a":"�"}
	7|{"arguments":7}
	X
}

@test "--repair turns an object that is written as a string into an object" {
	local call='{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":%s}]}\n'
	local was want
	# shellcheck disable=SC2059 # the format is constant
	while IFS='|' read -r was want; do
		{
			echo '{"role":"user","content":"hi"}'
			printf "$call" "$was"
			echo '{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"1"}]}'
		} > in
		run -1 ctx-check -d anthropic in
		[[ $output == 'in:2: bad-arguments: arguments of tool call "a" of f are not an object' ]]
		ctx-check -d anthropic --repair in > out
		[ "$(jq -c '.content[0].input? // empty' out)" = "$want" ]
		ctx-check -d anthropic out
	done <<-'X'
	"{\"a\": \"\\ud83d\"}"|{"a":"�"}
	"{\"a"|{"arguments":"{\"a"}
	""|{}
	null|{}
	[]|{"arguments":[]}
	X
}

# A message of Anthropic's with the text $1, and a cache marker if there is $2.
marked() {
	printf '{"role":"%s","content":[{"type":"text","text":"%s"%s}]}' \
	    "$(if (($1 % 2)); then echo user; else echo assistant; fi)" "$1" \
	    "${2:+,\"cache_control\":{\"type\":\"ephemeral\"\}}"
}

@test "many-markers: of more than four cache markers the oldest are removed" {
	local i
	for i in 1 2 3 4 5 6 7; do
		marked $i "$((i == 4 ? 0 : 1))"
		echo
	done | sed 's/"type":"ephemeral"}}]}$/&/' > in
	run -1 ctx-check -d anthropic in
	[ "${lines[0]}" = "in:1: many-markers: more than 4 cache breakpoints; this breakpoint is not among the newest" ]
	[ "${#lines[@]}" -eq 3 ]
	ctx-check -d anthropic --repair --explain log in > out
	ctx-check -d anthropic out
	[ "$(grep -c cache_control out)" -eq 4 ]
	cmp <(head -n 3 out) <(for i in 1 2 3; do marked $i; echo; done)
	cmp <(tail -n 4 out) <(tail -n 4 in)
	[ "$(jq -r .action log | sort -u)" = edit ]
	# As a record, tools and system prompt first.
	{
		printf '{"model":"m","tools":[{"name":"a","cache_control":{"type":"ephemeral"}}],"system":[{"type":"text","text":"s","cache_control":{"type":"ephemeral"}}],"messages":['
		head -n 3 in | paste -sd,
		echo ']}'
	} | tr -d '\n' > request
	run -1 ctx-check -d anthropic request
	[ "$output" = "request:1: many-markers: more than 4 cache breakpoints; this breakpoint is not among the newest (beside the messages)" ]
	ctx-check -d anthropic --repair request > out
	cmp out <(sed 's/"a","cache_control":{"type":"ephemeral"}/"a"/' request)
	# Chat Completions, for who passes them on.
	sed 's/^/ /' in > chat
	ctx-check -d openai-chat chat
	ctx-check -d openai-chat --provider anthropic --repair --explain log chat > out
	[ "$(grep -c many-markers log)" -eq 3 ]
	[ "$(grep -c cache_control out)" -eq 4 ]
}

@test "--repair removes the fifth cache marker of a message with other faults" {
	local text='{"type":"text","text":"x","cache_control":{"type":"ephemeral"}}'
	printf '{"role":"user","content":[%s,%s,%s,%s,%s,{"type":"text","text":"\\ud800"}]}\n' \
	    "$text" "$text" "$text" "$text" "$text" > in
	ctx-check -d anthropic --repair in > out
	sed -e 's/,"cache_control":{"type":"ephemeral"}//' \
	    -e 's/\\ud800/\\ufffd/' in | cmp - out
}

@test "--repair removes cache markers next to empty texts" {
	local p='{"cachePoint":{"type":"default"}}' e='{"text":""}' parts
	for parts in "$e,$p" "$p,$e" "$e,$p,$e" "$p,$e,$p,$e"; do
		printf '{"role":"user","content":[%s,{"text":"x"},%s]}\n' \
		    "$parts" "$p,$p,$p,$p" > in
		printf '{"role":"user","content":[{"text":"x"},%s]}\n' \
		    "$p,$p,$p,$p" > want
		ctx-check -d bedrock --repair in | cmp - want
		for file in in want; do
			printf '{"messages":[%s]}\n' "$(cat $file)" > $file.record
		done
		ctx-check -d bedrock --repair in.record | cmp - want.record
	done
}

@test "many-markers counts cachePoint blocks of bedrock" {
	local p='{"cachePoint":{"type":"default"}}'
	printf '%s\n' '{"modelId":"m","toolConfig":{"tools":['"$p"',{"toolSpec":{"name":"a"}},'"$p"']},"system":[{"text":"s"},'"$p"'],"messages":[{"role":"user","content":[{"text":"u"},'"$p,$p,$p"']}]}' > in
	run -1 ctx-check -d bedrock in
	[ "${#lines[@]}" -eq 2 ]
	run -0 ctx-check -d bedrock --repair in
	[ "$output" = '{"modelId":"m","toolConfig":{"tools":[{"toolSpec":{"name":"a"}}]},"system":[{"text":"s"},'"$p"'],"messages":[{"role":"user","content":[{"text":"u"},'"$p,$p,$p"']}]}' ]
}

@test "bad-marker finds cache markers on or after reasoning" {
	printf '%s\n' '{"role":"user","content":"hi"}' \
	    '{"role":"assistant","content":[{"type":"thinking","thinking":"t","signature":"s","cache_control":{"type":"ephemeral"}},{"type":"text","text":"a"}]}' \
	    '{"role":"user","content":"hi"}' > in
	run -1 ctx-check -d anthropic in
	[ "$output" = "in:2: bad-marker: a cache breakpoint is on reasoning" ]
	run -0 ctx-check -d anthropic --repair in
	[[ ${lines[1]} == *'"signature":"s"},{"type":"text"'* ]]
	printf '%s\n' '{"role":"user","content":[{"text":"hi"}]}' \
	    '{"role":"assistant","content":[{"text":"a"},{"reasoningContent":{"reasoningText":{"text":"t","signature":"s"}}},{"cachePoint":{"type":"default"}}]}' \
	    '{"role":"user","content":[{"text":"hi"},{"cachePoint":{"type":"default"}}]}' > in
	run -1 ctx-check -d bedrock in
	[ "$output" = "in:2: bad-marker: a cache breakpoint directly follows reasoning" ]
	run -0 ctx-check -d bedrock --repair in
	[[ ${lines[1]} == *'"signature":"s"}}}]}' ]]
	[[ ${lines[2]} == *cachePoint* ]]
}

@test "bad-marker: a cachePoint next after a document must follow a PDF" {
	local point='{"cachePoint":{"type":"default"}}' format
	document() { # FORMAT
		printf '{"document":{"format":"%s","name":"n","source":{"bytes":"QQ=="}}}' "$1"
	}
	for format in md txt csv; do
		printf '{"role":"user","content":[{"text":"t"},%s,%s]}\n' \
		    "$(document $format)" "$point" > in
		run -1 ctx-check -d bedrock in
		[ "$output" = "in:1: bad-marker: a cache breakpoint directly follows a document that is not a PDF" ]
		ctx-check -d bedrock --repair in > out
		sed "s/,$point//" in | cmp - out
	done
	printf '{"role":"user","content":[{"text":"t"},%s,%s]}\n' \
	    "$(document pdf)" "$point" > in
	ctx-check -d bedrock in
	printf '{"role":"user","content":[%s,{"text":"t"},%s]}\n' \
	    "$(document md)" "$point" > in
	ctx-check -d bedrock in
	# Text with a breakpoint may follow reasoning.
	printf '%s\n' '{"role":"user","content":"hi"}' \
	    '{"role":"assistant","content":[{"type":"thinking","thinking":"t","signature":"s"},{"type":"text","text":"a","cache_control":{"type":"ephemeral"}}]}' \
	    '{"role":"user","content":"hi"}' > in
	ctx-check -d anthropic in
}

@test "a request of role and content only is checked by the rules of its model's vendor" {
	local text='"messages":[{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":""}]}]'
	printf '{%s}\n' "$text" > in
	run -0 --separate-stderr ctx-check in
	[ -z "$output" ]
	run -1 --separate-stderr ctx-check -m claude-opus-5-5 in
	[ "$output" = "in:1: empty-text: a text is empty (message 0)" ]
	run -0 --separate-stderr ctx-check -m qwen3-32b in
	[ -z "$output" ]
	printf '{"model":"claude-opus-5-5",%s}\n' "$text" > in
	run -1 --separate-stderr ctx-check in
	[ "$output" = "in:1: empty-text: a text is empty (message 0)" ]
	[ "$(ctx-check --repair in 2> /dev/null | jq -c '.messages[0].content')" = \
	    '[{"type":"text","text":"a"}]' ]
	# The limits are those of the vendor, too: 32 MB for Anthropic.
	{
		printf '{"model":"claude-opus-5-5","messages":[{"role":"user","content":"'
		head -c 33600000 /dev/zero | tr '\0' x
		printf '"}]}\n'
	} > big
	run -1 --separate-stderr ctx-check big
	[[ $output == "big:1: big-request: the request has 336000"* ]]
	# --provider has priority over the model.
	run -0 --separate-stderr ctx-check --provider openai in
	[ -z "$output" ]
}

@test "empty-text also checks the system prompt of a request" {
	local m='"messages":[{"role":"user","content":"u"}]'
	printf '%s\n' '{"system":[{"type":"text","text":""},{"type":"text","text":" "},{"type":"text","text":"s"},{"type":"text","text":"\n"}],'"$m}" > in
	run -1 ctx-check -d anthropic in
	[ "${lines[0]}" = "in:1: empty-text: a text of the system prompt is empty (beside the messages)" ]
	[ "${#lines[@]}" -eq 3 ]
	run -0 ctx-check -d anthropic --repair in
	[ "$output" = '{"system":[{"type":"text","text":"s"}],'"$m}" ]
	run -0 ctx-check -d anthropic <<< '{"model":"claude","system":"",'"$m}"
}

@test "no-tools: bedrock needs definitions of the tools that messages call" {
	local m='"messages":[{"role":"user","content":[{"text":"u"}]},{"role":"assistant","content":[{"toolUse":{"toolUseId":"a","name":"f","input":{}}}]},{"role":"user","content":[{"toolResult":{"toolUseId":"a","content":[{"text":"1"}]}}]}]'
	run -1 ctx-check <<< '{"modelId":"m",'"$m}"
	[[ $output == "-:1: no-tools: "*" (beside the messages)" ]]
	run -0 ctx-check <<< '{"modelId":"m","toolConfig":{"tools":[]},'"$m}"
	# Messages alone are no whole request.
	run -0 ctx-check <<< "{$m}"
}

@test "big-request finds requests over the provider's byte limit" {
	local start='{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"u"}]}]'
	printf "%s%$((33554432 - ${#start} - 1))s}\n" "$start" '' > in
	run -0 ctx-check -d anthropic in
	sed 's/^{/{ /' in > big
	run -1 ctx-check -d anthropic big
	[ "$output" = "big:1: big-request: the request has 33554433 bytes, more than 33554432 (beside the messages)" ]
	run -1 --separate-stderr ctx-check -d anthropic --repair big
	cmp <(echo "$output") big
}

# ---- --after: is a request an earlier one with messages appended ----

# The file one is a request, two the same with an answer and a question.
two_requests() {
	cat > one <<'X'
{"model":"claude-opus-5-5","system":"Be brief.","messages":[{"role":"user","content":"Weather in Oslo?"},{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"Eq1="},{"type":"tool_use","id":"a","name":"wx","input":{"city":"Oslo"}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"4C and rain","cache_control":{"type":"ephemeral"}}]}]}
X
	jq -c '.messages += [{"role":"assistant","content":[{"type":"thinking","thinking":"ok","signature":"Eq2="},{"type":"text","text":"4C"}]},{"role":"user","content":"And Rome?"}]' one > two
}

@test "--after accepts a request with messages appended, whatever its cache markers" {
	two_requests
	ctx-check --after one two > out
	[ ! -s out ]
	jq '.messages[0].content = [{"type":"text","text":"Weather in Oslo?"}]
	    | del(.messages[2].content[0].cache_control)' two > three
	ctx-check --after one three > out
	[ ! -s out ]
	[ "$(ctx-check --json --after one three | jq -c '[.appended,.messages,.lost,.changed,.refused]')" = '[true,3,0,null,null]' ]
}

@test "--after names the first changed byte, refused reasoning and tokens lost from the cache" {
	two_requests
	jq -c '.messages[2].content[0].content = "4C and sun"' two > three
	run -1 --separate-stderr ctx-check --after one three
	[ "${#lines[@]}" -eq 3 ]
	at=$(sed -n 's/sun.*//p' three | tr -d '\n' | wc -c)
	[[ ${lines[0]} == "three:1:$((at + 1)): message 2 (user) changed here, after 2 unchanged messages: it was "*"rain"*", it is "*"sun"* ]]
	[[ ${lines[1]} == "three:1: bound-reasoning: message 3 (assistant) "* ]]
	[[ ${lines[2]} == "three: of "*" tokens in the prompt cache "*" are lost" ]]
	run -1 ctx-check --json --after one three
	[ "$(jq -c '[.appended,.changed.index,.changed.column,.refused.index]' <<< "$output")" = "[false,2,$((at + 1)),3]" ]
	run -1 ctx-check -q --after one three
	[ -z "$output" ]
	# Reasoning of an older model is not bound.
	ctx-check -m claude-opus-4-8 --after one three > out
	[ "$(wc -l < out)" -eq 2 ]
}

@test "--after finds changes in a member, a removed block and a changed block" {
	two_requests
	jq '.system = "Be long."' two > three
	run -1 ctx-check --after one three
	[[ ${lines[0]} == "three:3:17: system changed here, after 0 "* ]]
	[[ ${lines[1]} == *"message 1 (assistant)"* ]]
	jq -c 'del(.messages[1].content[0])' two > three
	run -1 ctx-check --after one three
	[[ ${lines[0]} == *"message 1 (assistant) changed"* ]]
	[[ ${lines[1]} == *"message 3 (assistant)"* ]]
	# Reasoning before the change in its message is not refused.
	jq -c '.messages = .messages[:3] | .messages[1].content[1].input.city = "Rome"' two > three
	ctx-check --after one three > out
	[ "$(wc -l < out)" -eq 2 ]
	jq -c '.messages = .messages[:3] | .messages[1].content[0].thinking = "no"' two > three
	run -1 ctx-check --after one three
	[[ ${lines[1]} == *"message 1 (assistant)"* ]]
	jq -c '.messages = .messages[:1]' two > three
	run -0 ctx-check --after one three
	[[ ${lines[0]} == "three: ends after 1 unchanged messages" ]]
}

@test "--after works with long texts, escapes and line streams, and refuses other modes" {
	two_requests
	long=$(printf 'word %.0s' {1..20000})
	jq -c --arg t "$long" '.messages[0].content = $t' two > three
	jq -c --arg t "$long x" '.messages[0].content = $t' two > four
	run -1 ctx-check --after three four
	[[ ${lines[0]} == "four:1:"*" message 0 (user) changed"* ]]
	sed 's/Oslo?/\\u004fslo?/' two > three
	ctx-check --after one three > out
	[ ! -s out ]
	sed 's/Oslo?/\\u004fsla?/' two > three
	run -1 ctx-check --after one three
	at=$(sed -n 's/"Weather in .*//p' three | tr -d '\n' | wc -c)
	[[ ${lines[0]} == "three:1:$((at + 1)): message 0 "* ]]
	jq -c '.messages[]' one > one.jsonl
	jq -c '.messages[]' two > two.jsonl
	ctx-check -d anthropic --after one.jsonl < two.jsonl > out
	[ ! -s out ]
	sed '3s/rain/sun/' two.jsonl > three.jsonl
	run -1 ctx-check -d anthropic --after one.jsonl three.jsonl
	[[ ${lines[0]} == "three.jsonl:3:"*" message 2 (user) changed"* ]]
	[[ ${lines[1]} == "three.jsonl:4: bound-reasoning:"* ]]
	run -2 ctx-check --repair --after one two
	run -2 ctx-check --after one two three
	run -2 ctx-check --after none two
	echo '{}' > none
	run -2 ctx-check --after none two
}

# The base64 of a picture of so many pixels, of which nothing but the head is
# there.
png() {
	# shellcheck disable=SC2059 # bytes
	printf "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR$(printf '\\x%02x\\x%02x\\x%02x\\x%02x' \
	    0 0 $(($1 / 256)) $(($1 % 256)) 0 0 $(($2 / 256)) $(($2 % 256)))\x08\x06\x00\x00\x00" |
		base64 -w 0
}

# An image block of Anthropic's.
image() {
	printf '{"type":"image","source":{"type":"base64","media_type":"image/png","data":"%s"}}' "$(png "$1" "$2")"
}

@test "big-image: an image over the limit of pixels or bytes gets a placeholder" {
	printf '%s\n' '{"role":"user","content":['"$(image 8000 10),$(image 8001 10)"']}' > in
	run -1 ctx-check in
	[ "$output" = "in:1: big-image: an image has 8001x10 pixels, more than 8000 on a side" ]
	ctx-check --repair --explain log in > out
	cmp out <(printf '%s\n' '{"role":"user","content":['"$(image 8000 10)"',{"type":"text","text":"[image removed: 8001x10 png, 29 bytes]"}]}')
	[ "$(jq -r .sha256 log)" = "$(image 8001 10 | sha256sum | cut -c -64)" ]
	ctx-check out
	# The 5 MB are those of the base64.
	{
		printf '{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"'
		{
			png 10 10 | base64 -d
			head -c 3932131 /dev/zero
		} | base64 -w 0
		printf '"}}]}]}\n'
	} > large
	{
		echo '{"role":"user","content":"u"}'
		echo '{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}}]}'
		cat large
	} > in
	ctx-check in
	sed 's/"iVBO/"AAAAiVBO/' in > more
	run -1 ctx-check more
	[ "$output" = "more:3: big-image: an image has 5242884 bytes of base64, more than 5242880" ]
	ctx-check --repair more > out
	tail -n 1 out | grep -q '"content":\[{"type":"text","text":"\[image removed'
	ctx-check out
}

@test "big-image: with more than 20 images the limit is 2,000 pixels" {
	local i
	for i in {1..20}; do
		printf '{"role":"user","content":[%s]}\n{"role":"assistant","content":"a"}\n' \
		    "$(if ((i == 3 || i == 5)); then image 2001 10; else image 9 9; fi)"
	done > in
	ctx-check -d anthropic in
	printf '{"role":"user","content":[%s]}\n' "$(image 9 9)" >> in
	run -1 ctx-check -d anthropic in
	[ "${lines[0]}" = "in:5: big-image: an image has more than 2000 pixels on a side, in a request of more than 20 images" ]
	[[ ${lines[1]} == in:9:* ]]
	[ "${#lines[@]}" -eq 2 ]
	# Without the oldest of them there are 20 again.
	ctx-check -d anthropic --repair --archive gone in > out
	ctx-check -d anthropic out
	[ "$(diff in out | grep -c '^>')" -eq 1 ]
	cmp gone <(sed -n 5p in)
	[ "$(sed -n 5p out)" = '{"role":"user","content":[{"type":"text","text":"[image removed: 2001x10 png, 29 bytes]"}]}' ]
	# The same as a record.
	{
		printf '{"messages":['
		paste -sd, in | tr -d '\n'
		echo ']}'
	} > record
	ctx-check -d anthropic --repair --archive gone2 record > out2
	cmp gone gone2
	cmp <(jq -c '.messages[]' out2) <(jq -c . out)
}

@test "many-images: the limit is 600 per request, for bedrock 20 per message" {
	local one=',{"type":"image","source":{"type":"url","url":"https://x.org/a.png"}}'
	printf '{"role":"user","content":[%s]}\n' "$(printf "${one//%/%%}%.0s" {1..602} | cut -c 2-)" > in
	run -1 ctx-check -d anthropic in
	[ "$output" = "in:1: many-images: more than 600 images; this image is not among the newest
in:1: many-images: more than 600 images; this image is not among the newest" ]
	ctx-check -d anthropic --repair in > out
	[ "$(jq -c '.content[:3]' out)" = '[{"type":"text","text":"[image removed]"},{"type":"text","text":"[image removed]"}'"$one]" ]
	ctx-check -d anthropic out
	one=',{"image":{"format":"png","source":{"bytes":"'"$(png 1 1)"'"}}}'
	printf '{"role":"user","content":[%s]}\n' "$(printf "$one%.0s" {1..21} | cut -c 2-)" > in
	run -1 ctx-check -d bedrock in
	[ "$output" = "in:1: many-images: more than 20 images in a message; this image is not among the last" ]
	ctx-check -d bedrock --repair in > out
	ctx-check -d bedrock out
	[ "$(jq -c '.content[0]' out)" = '{"text":"[image removed: 1x1 png, 29 bytes]"}' ]
}

@test "many-images: the limit is 100 per request if the window has 200,000 tokens" {
	local one=',{"type":"image","source":{"type":"url","url":"https://x.org/a.png"}}'
	local content
	content=$(printf "${one//%/%%}%.0s" {1..101} | cut -c 2-)
	printf '{"messages":[{"role":"user","content":[%s]}],"model":"%s"}\n' \
	    "$content" claude-haiku-4-5-20251001 > in
	run -1 ctx-check in
	[ "$output" = "in:1: many-images: more than 100 images; this image is not among the newest (message 0)" ]
	ctx-check --repair in > out
	ctx-check out
	[ "$(jq -c '[.messages[0].content[].type] | group_by(.) | map([.[0], length])' out)" = '[["image",100],["text",1]]' ]
	# -m outweighs the request's own model, which has a million tokens.
	sed 's/claude-haiku-4-5-20251001/claude-opus-5-5/' in > large
	ctx-check large
	run -1 ctx-check -m claude-haiku-4-5 large
	ctx-check -m claude-opus-5-5 in
	# A stream of messages names no model.
	printf '{"role":"user","content":[%s]}\n' "$content" > lines
	ctx-check -d anthropic lines
	ctx-check -d anthropic -m a-model-of-my-own lines
	run -1 ctx-check -d anthropic -m claude-sonnet-4-5 lines
	run -1 env CTX_MODEL=claude-sonnet-4-5 ctx-check -d anthropic lines
	ctx-check -d anthropic -m claude-sonnet-4-5 --repair lines > out
	ctx-check -d anthropic -m claude-sonnet-4-5 out
	# In a transcript a later line may name the model.
	printf '%s\n' '{"type":"user","uuid":"1","parentUuid":null,"sessionId":"s","message":{"role":"user","content":['"$content"']}}' \
	    '{"type":"assistant","uuid":"2","parentUuid":"1","sessionId":"s","message":{"id":"m","role":"assistant","model":"claude-haiku-4-5","content":[{"type":"text","text":"a"}]}}' \
	    '{"type":"user","uuid":"3","parentUuid":"2","sessionId":"s","message":{"role":"user","content":"and"}}' > session
	run -1 ctx-check --provider anthropic session
	[ "$output" = "session:1: many-images: more than 100 images; this image is not among the newest" ]
	ctx-check --provider anthropic -m claude-opus-5-5 session
	# A user's own model has the window that its line says.
	mkdir -p config/ctx
	echo '{"mine":{"window":200000}}' > config/ctx/models.json
	run -1 ctx-check -d anthropic -m mine lines
}

@test "many-images: the limit is 1,500 per request for openai, 3,600 for gemini" {
	local one=',{"type":"input_image","image_url":"https://x.org/a.png"}'
	images() {
		printf "${one//%/%%}%.0s" $(seq "$1") | cut -c 2-
	}
	printf '{"type":"message","role":"user","content":[%s]}\n' "$(images 1501)" > in
	run -1 ctx-check in
	[ "$output" = "in:1: many-images: more than 1500 images; this image is not among the newest" ]
	ctx-check --repair in > out
	ctx-check out
	[ "$(jq -c '.content[:2]' out)" = '[{"type":"input_text","text":"[image removed]"},{"type":"input_image","image_url":"https://x.org/a.png"}]' ]
	# Other servers speak Chat Completions, too: only --provider asks.
	one=',{"type":"image_url","image_url":{"url":"https://x.org/a.png"}}'
	printf '{"role":"user","content":[%s]}\n' "$(images 1501)" > in
	ctx-check -d openai-chat in
	run -1 ctx-check -d openai-chat --provider openai in
	[ "$output" = "in:1: many-images: more than 1500 images; this image is not among the newest" ]
	ctx-check -d openai-chat --provider mistral in
	one=',{"fileData":{"mimeType":"image/png","fileUri":"https://x.org/a.png"}}'
	printf '{"role":"user","parts":[%s]}\n' "$(images 3601)" > in
	run -1 ctx-check in
	[ "$output" = "in:1: many-images: more than 3600 images; this image is not among the newest" ]
	ctx-check --repair in > out
	ctx-check out
}

@test "bad-result finds block types that a Responses output must not have" {
	output() {
		printf '%s\n' '{"type":"message","role":"user","content":"u"}' \
		    '{"type":"function_call","call_id":"a","name":"f","arguments":"{}"}' \
		    '{"type":"function_call_output","call_id":"a","output":'"$1"'}' > in
	}
	output '[{"type":"input_text","text":"t"},{"type":"input_image","image_url":"https://x.org/a.png"},{"type":"input_file","file_id":"f"}]'
	ctx-check in
	output '"t"'
	ctx-check in
	output '[{"type":"output_text","text":"a\nb"},{"type":"image","data":"x"}]'
	run -1 ctx-check in
	[ "$output" = 'in:3: bad-result: tool result "a" has a block of a type that no tool result can have
in:3: bad-result: tool result "a" has a block of a type that no tool result can have' ]
	ctx-check --repair in > out
	ctx-check out
	[ "$(jq -c '.output? // empty' out)" = '[{"type":"input_text","text":"a\nb"},{"type":"input_text","text":"{\"type\":\"image\",\"data\":\"x\"}"}]' ]
	output '{"rows": [1, 2]}'
	run -1 ctx-check in
	[ "$output" = 'in:3: bad-result: tool result "a" is neither a string nor a list of blocks' ]
	ctx-check --repair in > out
	ctx-check out
	[ "$(jq -r '.output? // empty' out)" = '{"rows":[1,2]}' ]
	# A screenshot is an object; a text cannot become one.
	printf '%s\n' '{"type":"message","role":"user","content":"u"}' \
	    '{"type":"computer_call","call_id":"a","action":{"type":"screenshot"}}' \
	    '{"type":"computer_call_output","call_id":"a","output":"failed"}' > in
	run -1 ctx-check in
	[ "$output" = 'in:3: bad-result: tool result "a" is not a screenshot' ]
	run -1 --separate-stderr ctx-check --repair in
	cmp <(echo "$output") in
	sed 's|"failed"|{"type":"computer_screenshot","image_url":"https://x.org/a.png"}|' in > shot
	ctx-check shot
	# What a hosted tool gave has a form of its own.
	printf '%s\n' '{"type":"message","role":"user","content":"u"}' \
	    '{"type":"shell_call","call_id":"a","action":{"commands":["ls"]}}' \
	    '{"type":"shell_call_output","call_id":"a","output":[{"stdout":"x","stderr":"","outcome":{"type":"exit","exit_code":0}}]}' > in
	ctx-check in
}

@test "bad-result finds block types that a provider refuses in results" {
	local call='{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}}]}'
	result() {
		printf '%s\n' '{"role":"user","content":"u"}' "$call" \
		    '{"role":"user","content":[{"type":"tool_result","tool_use_id":"a",'"$1"'}]}' > in
	}
	result '"is_error":true,"content":[{"type":"text","text":"t"},'"$(image 1 1)"']'
	run -1 ctx-check in
	[ "$output" = 'in:3: bad-result: tool result "a" of a failed call has blocks other than texts' ]
	ctx-check --repair in > out
	ctx-check out
	[ "$(jq -c '.content[0].content? // empty' out | tail -n 1)" = '[{"type":"text","text":"t"},{"type":"text","text":"[image removed: 1x1 png, 29 bytes]"}]' ]
	result '"is_error":false,"content":[{"type":"text","text":"t"},'"$(image 1 1)"']'
	ctx-check in
	result '"content":[{"type":"resource","uri":"x"},{"type":"search_result","source":"s","title":"t","content":[]}]'
	run -1 ctx-check in
	[ "$output" = 'in:3: bad-result: tool result "a" has a block of a type that no tool result can have' ]
	ctx-check --repair in > out
	ctx-check out
	[ "$(jq -c '.content[0].content[0]?' out | tail -n 1)" = '{"type":"text","text":"{\"type\":\"resource\",\"uri\":\"x\"}"}' ]
	# Gemini: an object.
	printf '%s\n' '{"role":"user","parts":[{"text":"u"}]}' \
	    '{"role":"model","parts":[{"functionCall":{"name":"f","args":{}}}]}' \
	    '{"role":"user","parts":[{"functionResponse":{"name":"f","response":["x"]}}]}' > in
	run -1 ctx-check in
	[ "$output" = 'in:3: bad-result: tool result of f is not an object' ]
	ctx-check --repair in > out
	ctx-check out
	[ "$(jq -c '.parts[0].functionResponse.response? // empty' out)" = '{"output":["x"]}' ]
	# Mistral: texts; other servers take images.
	sed 's/"1"/[{"type":"text","text":"t"},{"type":"image_url","image_url":{"url":"https:\/\/x.org\/a.png"}}]/' <<< "$RA" > ra
	{
		echo "$U"
		echo "${CALL%%,\{\"id\":\"b\"*}]}"
		cat ra
	} | sed 's/"a"/"abcdefghi"/' > in
	ctx-check in
	run -1 ctx-check --provider mistral in
	[ "$output" = 'in:3: bad-result: tool result "abcdefghi" has blocks other than texts' ]
	ctx-check --provider mistral --repair in > out
	ctx-check --provider mistral out
}

@test "user-after-result: mistral needs an assistant message between result and user" {
	printf '%s\n' "$U" "${CALL%%,\{\"id\":\"b\"*}]}" "$RA" "$U" |
	    sed 's/"a"/"abcdefghi"/' > in
	ctx-check in
	run -1 ctx-check --provider mistral in
	[ "$output" = "in:4: user-after-result: a user message is directly after a tool result" ]
}

@test "assistant-media: openai accepts images, files and audio only from users" {
	local blocks='[{"type":"text","text":"t"},{"type":"image_url","image_url":{"url":"https://x.org/a.png"}}]'
	printf '%s\n' "$U" '{"role":"assistant","content":'"$blocks}" \
	    '{"role":"user","content":'"$blocks}" > in
	ctx-check -d openai-chat in
	run -1 ctx-check -d openai-chat --provider openai in
	[ "$output" = "in:2: assistant-media: an assistant message has media" ]
	ctx-check -d openai-chat --provider openai --repair in > out
	ctx-check -d openai-chat --provider openai out
	[ "$(sed -n 2p out | jq -c .content[1])" = '{"type":"text","text":"[image removed]"}' ]
	cmp <(sed -n '1p;3p' in) <(sed -n '1p;3p' out)
	# What was said aloud is taken.
	printf '%s\n' "$U" '{"role":"assistant","content":null,"audio":{"id":"audio_1"}}' "$U" > in
	ctx-check -d openai-chat --provider openai in
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

@test "--schema checks arguments against the schema of their tool" {
	local schema='{"type":"object","properties":{"path":{"type":"string"},"n":{"type":["integer","null"]},"mode":{"enum":["r","w"]},"at":{"type":"array","items":{"type":"object","required":["x"],"properties":{"x":{"type":"number"}}}}},"required":["path"],"additionalProperties":false}'
	local args want d
	while IFS='|' read -r args want; do
		printf '%s\n' '{"model":"m","tools":[{"name":"g"},{"name":"f","input_schema":'"$schema"'}],"messages":[{"role":"user","content":"u"},{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":'"$args"'}]}]}' > anthropic
		printf '%s\n' '{"model":"m","tools":[{"type":"function","function":{"name":"f","parameters":'"$schema"'}}],"messages":[{"role":"user","content":"u"},{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":'"$(jq -c tojson <<< "$args")"'}}]}]}' > openai-chat
		printf '%s\n' '{"model":"m","tools":[{"type":"function","name":"f","parameters":'"$schema"'}],"input":[{"role":"user","content":"u"},{"type":"function_call","call_id":"a","name":"f","arguments":'"$(jq -c tojson <<< "$args")"'}]}' > openai-responses
		printf '%s\n' '{"tools":[{"functionDeclarations":[{"name":"f","parameters":'"$(sed 's/"string"/"STRING"/' <<< "$schema")"'}]}],"contents":[{"role":"user","parts":[{"text":"u"}]},{"role":"model","parts":[{"functionCall":{"id":"a","name":"f","args":'"$args"'}}]}]}' > gemini
		printf '%s\n' '{"modelId":"m","toolConfig":{"tools":[{"toolSpec":{"name":"f","inputSchema":{"json":'"$schema"'}}}]},"messages":[{"role":"user","content":[{"text":"u"}]},{"role":"assistant","content":[{"toolUse":{"toolUseId":"a","name":"f","input":'"$args"'}}]}]}' > bedrock
		for d in anthropic openai-chat openai-responses gemini bedrock; do
			ctx-check -d $d --allow-pending $d
			run ctx-check -d $d --allow-pending --schema $d
			[ "${output#*schema of the tool: }" = "${want:+$want (message 1)}" ] ||
				fail "$d $args: $output"
			[ "$status" -eq "$([ -n "$want" ]; echo $((1 - $?)))" ]
		done
	done <<-'X'
	{"path":"x","n":3,"mode":"w","at":[{"x":1.5}]}|
	{"path":"x","n":null}|
	{}|"path" is missing
	{"path":7}|"path" has another type
	{"path":"x","n":1.5}|"n" has another type
	{"path":"x","n":2.0}|
	{"path":"x","mode":"a"}|"mode" is not one of the allowed values
	{"path":"x","more":1}|"more" is not a member of the schema
	{"path":"x","at":[{"x":1},{"y":2}]}|"x" is missing
	{"path":"x","at":[7]}|a value has another type
	X
}

# ---- what providers have taken, or refused, in recorded requests ----

# judged DIALECT LINE:RULE... -- MESSAGE...
judged() {
	local dialect=$1 want=()
	shift
	while [ "$1" != -- ]; do
		want+=("$1")
		shift
	done
	shift
	printf '%s\n' "$@" > in
	[ "$(finds -d "$dialect" in)" = "${want[*]}" ] ||
		fail "$(finds -d "$dialect" in), not ${want[*]}"
}

@test "openai accepts empty texts" {
	judged openai-chat -- "$U" '{"role":"assistant","content":""}' "$CALL" "$RA" "$RB"
	judged openai-responses -- '{"role":"user","content":[{"type":"input_text","text":"a"}]}' \
	    '{"role":"assistant","content":""}' \
	    '{"type":"message","role":"assistant","content":[{"type":"output_text","text":""}]}' \
	    '{"role":"user","content":""}'
	printf '%s\n' "$U" '{"role":"assistant","content":""}' "$U" > in
	[ "$(finds -d openai-chat --provider anthropic in)" = 2:empty-message ]
}

@test "anthropic accepts a repeated id in a later turn, not in one message" {
	local call='{"type":"tool_use","id":"a","name":"f","input":{}}'
	local got='{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"1"}]}'
	judged anthropic -- "$U" "{\"role\":\"assistant\",\"content\":[$call]}" "$got" \
	    "{\"role\":\"assistant\",\"content\":[$call]}" "$got"
	judged anthropic 2:duplicate-id 2:orphan-call -- "$U" \
	    "{\"role\":\"assistant\",\"content\":[$call,$call]}" "$got"
}

@test "anthropic: a server tool may be left open in a message with a client's tool, and at a pause" {
	local own='{"type":"server_tool_use","id":"s","name":"web_search","input":{}}'
	local call='{"type":"tool_use","id":"a","name":"f","input":{}}'
	local got='{"type":"tool_result","tool_use_id":"a","content":"1"}'
	local both="{\"role\":\"assistant\",\"content\":[$own,$call]}"
	judged anthropic -- "$U" "$both" "{\"role\":\"user\",\"content\":[$got]}"
	judged anthropic -- "$U" "{\"role\":\"assistant\",\"content\":[$own]}"
	judged anthropic 2:orphan-call -- "$U" "$both" \
	    "{\"role\":\"user\",\"content\":[$got,{\"type\":\"text\",\"text\":\"and?\"}]}"
	judged anthropic 2:orphan-call -- "$U" "$both" \
	    "{\"role\":\"user\",\"content\":[$got]}" "$U"
	# A program that waits for the results of its calls has not ended,
	local programs=$BATS_TEST_DIRNAME/corpus/anthropic/programs.jsonl
	[ -z "$(finds <(head -n 5 "$programs"))" ]
	[ -z "$(finds <(head -n 7 "$programs"))" ]
	# unless the user speaks before it calls again.
	[ "$(finds <(sed -n '4p;5s/}\]}$/},{"type":"text","text":"and?"}]}/p;6,7p' "$programs"))" = 1:orphan-call ]
}

@test "anthropic accepts white space next to a text or a call, not alone" {
	local text='{"type":"text","text":"%s"}' call='{"type":"tool_use","id":"a","name":"f","input":{}}'
	local got='{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"1"}]}'
	# shellcheck disable=SC2059 # the format is constant
	says() { printf "{\"role\":\"$1\",\"content\":[$text,%s]}" "$2" "$3"; }
	judged anthropic -- "$(says user ' ' '{"type":"text","text":"a"}')" \
	    "$(says assistant ' ' "$call")" "$got"
	judged anthropic 1:empty-text -- "$(says user '' '{"type":"text","text":"a"}')"
	judged anthropic 2:empty-text 2:reasoning-only -- "$U" "$(says assistant ' ' \
	    '{"type":"thinking","thinking":"x","signature":"s"}')" "$U"
	echo '{"role":"user","content":[{"text":" "},{"text":"a"}]}' > in
	[ -z "$(finds -d bedrock in)" ]
	echo '{"role":"user","content":[{"text":" "}]}' > in
	[ "$(finds -d bedrock in)" = 1:empty-text ]
}

@test "bedrock accepts the ids of Kimi models" {
	use() {
		printf '{"role":"user","content":[{"text":"a"}]}\n'
		printf '{"role":"assistant","content":[{"toolUse":{"toolUseId":"%s","name":"f","input":{}}}]}\n' "$1"
		printf '{"role":"user","content":[{"toolResult":{"toolUseId":"%s","content":[{"text":"1"}]}}]}\n' "$1"
	}
	[ -z "$(finds <(use functions.f:0))" ]
	[ "$(finds <(use 'a|b'))" = 2:bad-id ]
}

@test "responses accepts arguments of any JSON type" {
	printf '%s\n' '{"type":"function_call","call_id":"a","name":"f","arguments":"[]"}' \
	    '{"type":"function_call_output","call_id":"a","output":"1"}' > in
	[ -z "$(finds in)" ]
	sed 's/\[\]/[/' in > cut
	[ "$(finds cut)" = 1:bad-arguments ]
}

@test "responses: a tool search that the provider runs is paired with nothing" {
	cat > in <<-'END'
	{"role":"user","content":[{"type":"input_text","text":"a"}]}
	{"type":"tool_search_call","id":"tsc_1","call_id":null,"execution":"server","arguments":{},"status":"completed"}
	{"type":"tool_search_output","id":"tso_1","call_id":null,"execution":"server","tools":[],"status":"completed"}
	{"type":"tool_search_call","id":"tsc_2","call_id":"tsc_2","execution":"server","arguments":{},"status":"completed"}
	END
	[ -z "$(finds in)" ]
	sed 's/"server"/"client"/; s/null/"c"/' in > client
	[ "$(finds client)" = 4:orphan-call ]
}

@test "responses: reasoning with an id needs a message with an id after it" {
	local reasons='{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"x"}'
	local q='{"role":"user","content":[{"type":"input_text","text":"a"}]}'
	judged openai-responses 2:lone-reasoning -- "$q" "$reasons" '{"role":"assistant","content":"b"}' "$q"
	judged openai-responses -- "$q" "$reasons" '{"role":"assistant","id":"msg_1","content":"b"}' "$q"
	judged openai-responses -- "$q" "${reasons/\"id\":\"rs_1\",/}" '{"role":"assistant","content":"b"}' "$q"
	judged openai-responses -- "$q" "$reasons" '{"type":"function_call","call_id":"a","name":"f","arguments":"{}"}' \
	    '{"type":"function_call_output","call_id":"a","output":"1"}'
}

@test "vercel-model: a result after the next question is found and repaired" {
	cat > in <<-'END'
	{"role":"user","content":"a"}
	{"role":"assistant","content":[{"type":"tool-call","toolCallId":"a","toolName":"f","input":{}}]}
	{"role":"user","content":"well?"}
	{"role":"tool","content":[{"type":"tool-result","toolCallId":"a","toolName":"f","output":{"type":"text","value":"1"}}]}
	{"role":"assistant","content":"b"}
	END
	[ "$(finds in)" = "2:orphan-call 4:result-order" ]
	ctx-check --repair in > out
	[ "$(jq -r .role out | paste -sd ' ')" = "user assistant tool user assistant" ]
	[ -z "$(finds out)" ]
	# What the provider runs, or the user is asked about, may wait.
	sed 's/"input":{}/&,"providerExecuted":true/' in > theirs
	[ -z "$(finds theirs)" ]
	sed 's/"input":{}}/&,{"type":"tool-approval-request","approvalId":"p","toolCallId":"a"}/' in |
	    sed '$a{"role":"tool","content":[{"type":"tool-approval-response","approvalId":"p","approved":true}]}' > asked
	[ -z "$(finds asked)" ]
}

@test "--repair moves responses results after the run of their calls" {
	call() {
		printf '{"type":"function_call","call_id":"%s","name":"f","arguments":"{}"}\n' "$1"
	}
	got() {
		printf '{"type":"function_call_output","call_id":"%s","output":"%s"}\n' "$@"
	}
	none='[no result: the call was interrupted]'
	{ call a; call b; call c; got b 1; call d; } > in
	{ call a; call b; call c; got a "$none"; got c "$none"; got b 1
	  call d; got d "$none"; } > want
	repaired in want
	jq -cs '{input: .}' in > in2
	jq -cs '{input: .}' want > want2
	repaired in2 want2
}

@test "--repair inserts a user message before a first message of another role" {
	local none='[earlier messages are missing]'
	printf '%s\n' '{"role":"user","content":[{"toolResult":{"toolUseId":"a","content":[{"text":"1"}]}}]}' \
	    '{"role":"assistant","content":[{"text":"b"}]}' '{"role":"user","content":[{"text":"c"}]}' > in
	{ echo '{"role":"user","content":[{"text":"'"$none"'"}]}'; tail -n 2 in; } > want
	repaired in want
	jq -cs '{messages: .}' in > in2
	jq -cs '{messages: .}' want > want2
	repaired in2 want2
	ctx-check --repair --explain log in > out
	[ "$(jq -r 'select(.rule == "first-message") | .action, .sha256' log)" = \
	    "insert
$(printf %s "$(head -n 1 want)" | sha256sum | cut -d ' ' -f 1)" ]
	printf '%s\r\n' '{"role":"model","parts":[{"text":"b"}]}' > in
	printf '%s\r\n' '{"role":"user","parts":[{"text":"'"$none"'"}]}' \
	    '{"role":"model","parts":[{"text":"b"}]}' > want
	repaired in want
	printf '%s\n' "$A" "$U" > in
	ctx-check -d openai-chat --provider bedrock --repair in > out
	[ "$(jq -r .content out | head -n 1)" = "$none" ]
}

THINK='{"type":"thinking","thinking":"hm","signature":"c2ln"}'
# The number of signed blocks in file $1.
signed() {
	grep -o '"signature"' "$1" | wc -l
}

# A stream whose call in message 1 has no result, and reasoning around it.
unanswered() {
	printf '%s\n' "$U" \
	    '{"role":"assistant","content":['"$THINK"',{"type":"tool_use","id":"t","name":"f","input":{}}]}' \
	    "$U" \
	    '{"role":"assistant","content":['"$THINK"',{"type":"text","text":"yes"}]}' \
	    "$U"
}

@test "--reasoning: bound reasoning after a repair is removed and named" {
	unanswered > in
	jq -cs '{model:"claude-opus-5-5",messages:.}' in > request
	for file in in request; do
		rm -f archive
		run --separate-stderr -0 ctx-check -v --repair --explain log \
		    --archive archive $file
		echo "$output" > out
		[ "$(signed out)" -eq 1 ]
		[[ $stderr == *", 0 findings, 2 repaired"* ]]
		[[ $stderr == *"removed signed reasoning from 1 messages after the first changed message"* ]]
		[ "$(jq -c 'select(.rule == "bound-reasoning") |
		    [.index, .role, .action]' log)" = \
		    '[3,"assistant","drop"]' ]
		[ "$(jq -r 'select(.rule == "bound-reasoning").sha256' log)" = \
		    "$(printf %s "$THINK" | sha256sum | cut -d ' ' -f 1)" ]
		cmp archive <(sed -n 4p in)
		ctx-check --repair out | cmp - out
		# The reasoning before the call is as it was.
		ctx-check --after $file --json out |
		    jq -e '.refused == null' > /dev/null
	done
	run --separate-stderr -0 ctx-check --repair -m claude-opus-5 in
	[ "$(grep -o '"signature"' <<< "$output" | wc -l)" -eq 2 ]
}

@test "--reasoning keep: bound reasoning is kept, and standard error says so" {
	unanswered > in
	ctx-check --repair -m claude-opus-5 in > want
	run --separate-stderr -0 ctx-check --repair --reasoning keep in
	cmp want <(echo "$output")
	[[ $stderr == *"kept the signed reasoning of 1 messages that follow a changed message"* ]]
	run --separate-stderr -0 ctx-check -q --repair --reasoning keep in
	[ -z "$stderr" ]
}

@test "--reasoning fail: requests after a message keep their line numbers" {
	echo '{"role":"user","content":"hi"}' > in
	for _ in 1 2 3; do
		echo '{"model":"claude-opus-5-5","messages":[{"role":"user","content":"hi"},{"role":"assistant","content":[{"type":"thinking","thinking":"t","signature":"abc"},{"type":"text","text":"x"}]}]}'
	done >> in
	echo '{"model":"claude-opus-5-5","messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"x"}]}]}' >> in
	run --separate-stderr -1 ctx-check --repair --reasoning fail \
	    -m claude-opus-5-5 in
	[[ $stderr == *in:5:* ]]
}

@test "--reasoning fail: when the archive is full, whole records are written" {
	[ -e /dev/full ] || skip "no /dev/full here"
	long=$(words 300)
	for i in 1 2 3 4 5 6; do
		echo '{"role":"user","content":"'"$i $long"'"}'
		echo '{"role":"assistant","content":[{"type":"thinking","thinking":"t","signature":"abc"},{"type":"text","text":"'"$i $long"'"}]}'
	done > in
	cat >> in <<-'X'
		{"role":"user","content":"go on"}
		{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"t","input":{}}]}
		{"role":"user","content":[{"type":"tool_result","tool_use_id":"b","content":"x"}]}
		{"role":"assistant","content":"z"}
		{"role":"user","content":"end"}
	X
	ctx-check --repair --reasoning fail -m claude-opus-5-5 \
	    --archive /dev/full in > out 2> err || [ $? -eq 2 ]
	[ -s out ]
	head -n "$(wc -l < out)" in | cmp - out
}

@test "--reasoning fail: what would lose bound reasoning is not repaired" {
	unanswered > in
	jq -cs '{model:"claude-opus-5-5",messages:.}' in > request
	sed 4d in > other
	{ cat request; jq -cs '{model:"claude-opus-5-5",messages:.}' other
	  echo; cat request; } > several
	for file in in request several; do
		rm -f archive
		ctx-check --repair --reasoning fail --explain log \
		    --archive archive $file > out 2> err || [ $? -eq 1 ]
		[ ! -s archive ]
	done
	ctx-check --repair --reasoning fail in > out 2> err || [ $? -eq 1 ]
	cmp in out
	[ "$(sed -n 1p err)" = "in:4: bound-reasoning: not repaired, because the provider would refuse signed reasoning after the repair" ]
	[[ $(sed -n 2p err) == "in:2: orphan-call: "* ]]
	grep -q "1 conversations are unchanged" err
	ctx-check --repair --reasoning fail several > out 2> err || [ $? -eq 1 ]
	sed 2d several | cmp - <(sed 2d out)
	cmp <(sed -n 2p out) <(sed -n 2p several | ctx-check --repair)
	grep -q "several:1: bound-reasoning: .* (message 3)" err
	grep -q "2 conversations are unchanged" err
	# Records of other kinds and line ends are written unchanged.
	{ echo; sed 's/$/\r/' in; echo '{"x":1}'; cat request; printf '%s' "$U"; } > odd
	ctx-check --repair --reasoning fail odd > out 2> err || [ $? -eq 1 ]
	cmp odd out
	ctx-check --repair other > want
	ctx-check --repair --reasoning fail other | cmp - want
	# A request among the messages is a conversation of its own.
	{ sed 2q other; jq -cs '{model:"claude-opus-4-8",messages:.}' in
	  sed 1,2d other; } > mixed
	ctx-check --repair mixed > want
	! cmp -s mixed want || fail "nothing to repair"
	ctx-check --repair --reasoning fail mixed | cmp - want
	# What comes before an error is written as it was read.
	for file in in other; do
		{ cat $file; echo '{"role":'; } > broken
		ctx-check --repair --reasoning fail broken > out 2> err ||
			[ $? -eq 2 ]
		cmp $file out
	done
}

@test "--reasoning: a removed cache marker is no change" {
	marked='{"role":"user","content":[{"type":"text","text":"a","cache_control":{"type":"ephemeral"}}]}'
	for i in 1 2 3 4 5 6; do
		echo "$marked"
		printf '%s\n' '{"role":"assistant","content":['"$THINK"',{"type":"text","text":"b"}]}'
	done > in
	jq -cs '{model:"claude-opus-5-5",messages:.}' in > request
	for file in in request; do
		ctx-check --repair $file > out
		[ "$(grep -o ephemeral out | wc -l)" -eq 4 ]
		[ "$(signed out)" -eq 6 ]
		ctx-check --repair --reasoning fail $file | cmp - out
	done
	# Markers before a change move it.
	one='{"type":"text","text":"a","cache_control":{"type":"ephemeral"}}'
	half='{"type":"text","text":"\ud800"}'
	n=1
	for parts in "$THINK,$half" "$half,$THINK"; do
		{ echo "$U"
		  echo '{"role":"assistant","content":['"$one,$one,$parts"']}'
		  sed -n 1,8p in; } > moved
		# jq would replace the half of a pair.
		printf '{"model":"claude-opus-5-5","messages":[%s]}\n' \
		    "$(paste -sd , moved)" > request
		for file in moved request; do
			ctx-check --repair $file > out
			[ "$(grep -o ephemeral out | wc -l)" -eq 4 ]
			[ "$(signed out)" -eq $n ]
		done
		n=0
	done
}

@test "--reasoning: a repair of system prompt or tools comes before all messages" {
	printf '{"model":"claude-opus-5-5","messages":[%s,%s,%s],"system":[{"type":"text","text":" "},{"type":"text","text":"x"}]}\n' \
	    "$U" '{"role":"assistant","content":['"$THINK"',{"type":"text","text":"b"}]}' "$U" > in
	ctx-check --repair in > out
	[ "$(signed out)" -eq 0 ]
	run --separate-stderr -1 ctx-check --repair --reasoning fail in
	cmp in <(echo "$output")
}

@test "--reasoning: a message of bound reasoning alone gets a text" {
	printf '%s\n' "$U" \
	    '{"role":"tool","content":[{"type":"tool-result","toolCallId":"x","toolName":"f","output":{"type":"text","value":"1"}}]}' \
	    '{"role":"assistant","content":[{"type":"reasoning","text":"hm","providerOptions":{"anthropic":{"signature":"c2ln"}}}]}' \
	    "$U" > in
	jq -cs '{model:"claude-opus-5-5",messages:.}' in > request
	for file in in request; do
		ctx-check --repair $file > out
		[ "$(jq -c '(.messages // [.])[] | select(.role == "assistant").content' out)" = \
		    '[{"type":"text","text":"[reasoning removed]"}]' ]
		ctx-check --repair out | cmp - out
	done
}

@test "--reasoning is accepted only with --repair" {
	unanswered > in
	run -2 ctx-check --reasoning keep in
	[[ $output == *"--reasoning needs --repair"* ]]
	run -2 ctx-check --reasoning keep --after in in
}

@test "--repair --dry-run writes nothing, and counts the repairs of each rule" {
	tail -n +5 "$agent" > cut
	ctx-check --repair --archive archive --explain lines cut > out
	run -0 --separate-stderr ctx-check --repair -n --archive none cut
	[ "${lines[0]}" = cut ]
	[[ ${lines[1]} =~ ^\ \ drop\ +orphan-result\ +$(wc -l < lines)\ repairs$ ]]
	[ "${#lines[@]}" -eq 2 ]
	[ ! -e none ]
	ctx-check --repair -n --explain - cut | cmp - lines
	# The status and the findings are those of a real run.
	messages user:hi user:ho > alternating
	for n in "" -n; do
		run -1 ctx-check --repair $n --provider bedrock alternating
		grep -c ': alternation: ' <<< "$output"
	done
	run -0 ctx-check --repair -n -q cut
	[ -z "$output" ]
	# Trying a repair first makes no difference.
	bound_talk '' | sed 2d > unanswered
	for reasoning in drop keep fail; do
		run ctx-check --repair --reasoning $reasoning --explain want unanswered
		wanted=$status
		run ctx-check --repair --reasoning $reasoning -n --explain got unanswered
		[ "$status" -eq "$wanted" ]
		cmp got want
	done
	for o in --dry-run --in-place "--explain x" "--archive x"; do
		# shellcheck disable=SC2086 # an option and its value
		run -2 ctx-check $o cut
		[[ $output == *"${o%% *} needs --repair" ]]
	done
}
