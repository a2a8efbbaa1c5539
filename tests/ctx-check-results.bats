# ctx-check: calls and their results

load helper
load check

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
