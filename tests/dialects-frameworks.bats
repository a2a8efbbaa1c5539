# The formats of frameworks and applications: what is read, and what is
# removed together.

load helper

FRAMEWORKS="langchain-dict langchain-lc langchain-dump vercel-model vercel-ui
opencode ollama goose sharegpt"

# Checks that the dialect ctx-count finds in file $2 is $1.
dialect_is() {
	local found
	found=$(ctx-count --json "$2" | jq -r .dialect | sort -u)
	[ "$found" = "$1" ] || fail "$2: $found, not $1"
}

# The message on standard input is of dialect $1, has role $2, and of these
# kinds of parts, in the order of ctx-count, costs anything: $3.
reads() {
	local is
	cat > one
	dialect_is "$1" one
	is=$(ctx-count --json --per message one | jq -r .role)
	[ "$is" = "$2" ] || fail "role $is, not $2"
	is=$(ctx-count --json --per kind one |
	    jq -rs 'map(.kind) - ["framing"] | sort | join(" ")')
	[ "$is" = "$3" ] || fail "parts $is, not $3"
}

@test "otel-genai: parts with a content are read, and are not taken for vercel-ui" {
	reads otel-genai user text <<< \
	    '{"role":"user","parts":[{"type":"text","content":"hi"}]}'
	reads otel-genai assistant "call reasoning text" <<< \
	    '{"role":"assistant","parts":[{"type":"reasoning","content":"so"},{"type":"text","content":"hi"},{"type":"tool_call","id":"c","name":"f","arguments":{"a":1}}],"finish_reason":"tool_call"}'
	for key in response result; do
		reads otel-genai tool result <<< \
		    '{"role":"tool","parts":[{"type":"tool_call_response","id":"c","'$key'":"4C"}]}'
	done
	reads otel-genai user media <<< \
	    '{"role":"user","parts":[{"type":"uri","modality":"image","uri":"https://example.org/a.png"}]}'
	reads vercel-ui user text <<< \
	    '{"role":"user","parts":[{"type":"text","text":"hi"}]}'
}

@test "otel-genai: a list, a record and attributes are read; output alone is a response" {
	local list='[{"role":"user","parts":[{"type":"text","content":"hi"}]}]'

	for record in "$list" "{\"gen_ai.input.messages\":$list}" \
	    "{\"attributes\":{\"gen_ai.input.messages\":$list}}" \
	    "{\"attributes\":{\"gen_ai.output.messages\":$list}}"; do
		echo "$record" > in
		dialect_is otel-genai in
		[ "$(ctx-count --json in | jq .messages)" -eq 1 ]
	done
	ctx-prune -b 1 in | cmp - in
	# Instructions beside the messages count; the model is named there.
	echo "{\"gen_ai.request.model\":\"gpt-4o\",\"gen_ai.input.messages\":$list}" > bare
	jq -c '. + {"gen_ai.system_instructions":
	    [{type: "text", content: "Be brief."}]}' bare > told
	[ "$(ctx-count --json told | jq .tokens)" -gt \
	    "$(ctx-count --json bare | jq .tokens)" ]
	[ "$(ctx-count --json bare | jq -r .model)" = gpt-4o ]
}

@test "parts and types that no dialect has are not messages, and a line says so" {
	echo '{"role":"user","parts":[{"type":"speech","words":"hi"}]}' > in
	run -0 ctx-count in
	[[ $output == *"no messages were found"* ]]
	echo '{"type":"wind.message","data":{"content":"hi"},"id":"1","timestamp":"t","parentId":null}' > in
	run -0 ctx-count in
	[[ $output == *"no messages were found"* ]]
	ctx-prune -b 1 in | cmp - in
}

@test "atif: a step may have text, reasoning, calls and results" {
	local call='"tool_calls":[{"tool_call_id":"c","function_name":"f","arguments":{"a":1}}]'

	reads atif assistant "call reasoning result text" <<< \
	    '{"step_id":1,"source":"agent","message":"hi","reasoning_content":"so",'"$call"',"observation":{"results":[{"source_call_id":"c","content":"4C"}]}}'
	reads atif user "media text" <<< \
	    '{"step_id":1,"source":"user","message":[{"type":"text","text":"hi"},{"type":"image","source":{"media_type":"image/png","path":"a.png"}}]}'
	# What answers no call is what the environment says.
	reads atif assistant text <<< \
	    '{"step_id":1,"source":"agent","message":"","observation":{"results":[{"source_call_id":null,"content":"$ "}]}}'
	echo '{"step_id":1,"source":"agent","message":"hi",'"$call"'}' > in
	run -1 ctx-check in
	[[ $output == *orphan-call* ]]
}

@test "atif: the steps that are kept are numbered from 1" {
	f=$BATS_TEST_DIRNAME/corpus/atif/trajectory.json
	dialect_is atif "$f"
	[ "$(ctx-count --json "$f" | jq -r .model)" = gpt-4o ]
	ctx-prune -b 60 -k 1 -t 0 "$f" > out
	[ "$(jq '.steps | length' out)" -lt 7 ]
	jq -e '[.steps[].step_id] == [range(1; (.steps | length) + 1)]' out
	jq -e --slurpfile was "$f" '.final_metrics == $was[0].final_metrics' out
	ctx-prune -b 60 -k 1 -t 0 out | cmp - out
}

@test "langchain: the three ways to write a message are read" {
	reads langchain-dict user text <<< \
	    '{"type":"human","data":{"content":"hi","type":"human"}}'
	reads langchain-lc system text <<< \
	    '{"lc":1,"type":"constructor","id":["langchain","schema","messages","SystemMessage"],"kwargs":{"content":"hi"}}'
	reads langchain-lc assistant "call text" <<< \
	    '{"lc":1,"type":"constructor","id":["langchain_core","messages","ai","AIMessageChunk"],"kwargs":{"content":"hi","type":"AIMessageChunk","tool_calls":[{"name":"f","args":{},"id":"c"}]}}'
	reads langchain-dump assistant "reasoning text" <<< \
	    '{"type":"ai","content":"hi","additional_kwargs":{"reasoning_content":"so"}}'
	reads langchain-dump tool result <<< \
	    '{"type":"tool","content":"4C","tool_call_id":"c"}'
	reads langchain-dict user "media text" <<< \
	    '{"type":"human","data":{"content":["see",{"type":"image","base64":"AAAA","mime_type":"image/png"}]}}'
	reads langchain-dict assistant text <<< \
	    '{"type":"chat","data":{"content":"hi","role":"assistant"}}'
	reads langchain-dict tool result <<< \
	    '{"type":"function","data":{"content":"4C","name":"f"}}'
}

@test "langchain: a type that other formats have, too, needs a member of LangChain" {
	for type in system tool function chat; do
		printf '{"type":"%s","content":"hi"}\n' $type > in
		[ "$(ctx-count --json in | jq .messages)" -eq 0 ] || fail $type
		ctx-prune -b 1 in | cmp - in
		printf '{"type":"%s","content":"hi","response_metadata":{}}\n' \
		    $type > in
		[ "$(ctx-count --json in | jq -r '"\(.messages) \(.dialect)"')" = \
		    "1 langchain-dump" ] || fail $type
	done
	# Only one whose role is free has a member that names it.
	reads langchain-dump assistant text <<< \
	    '{"type":"chat","role":"assistant","content":"hi","response_metadata":{}}'
	reads generic user text <<< \
	    '{"type":"human","role":"user","content":"hi"}'
}

@test "langchain: blocks of calls, of results and of providers are read" {
	reads langchain-dict assistant "call result" <<< \
	    '{"type":"ai","data":{"content":[{"type":"server_tool_call","id":"s","name":"web","args":{}},{"type":"server_tool_result","tool_call_id":"s","output":"4C"}]}}'
	reads langchain-dict user result <<< \
	    '{"type":"human","data":{"content":[{"type":"tool_result","tool_use_id":"c","content":[{"type":"text","text":"4C"}]}]}}'
	reads langchain-dict assistant "opaque text" <<< \
	    '{"type":"ai","data":{"content":[{"summary":[{"text":"so"}],"id":"rs_1"},{"type":"text","text":"hi"}]}}'
	reads langchain-dict assistant "opaque text" <<< \
	    '{"type":"ai","data":{"content":[{"encrypted_content":"c28="},"hi"]}}'
}

@test "langchain: a call that is written twice counts once" {
	call='"tool_calls":[{"name":"wx","args":{"city":"Oslo"},"id":"c1"}]'
	echo "{\"type\":\"ai\",\"data\":{\"content\":\"\",$call}}" > once
	echo "{\"type\":\"ai\",\"data\":{\"content\":[{\"type\":\"tool_use\",\"id\":\"c1\",\"name\":\"wx\",\"input\":{\"city\":\"Oslo\"}}],$call,\"additional_kwargs\":{\"tool_calls\":[{\"id\":\"c1\",\"function\":{\"name\":\"wx\",\"arguments\":\"{}\"}}]}}}" > twice
	[ "$(tokens once)" -eq "$(tokens twice)" ]
	reads langchain-dict assistant call < twice
	# Alone, what the provider wrote is the call.
	reads langchain-dict assistant call <<< \
	    '{"type":"ai","data":{"content":"","additional_kwargs":{"function_call":{"name":"f","arguments":"{}"}}}}'
	reads langchain-dict assistant call <<< \
	    '{"type":"ai","data":{"content":"","tool_calls":[],"invalid_tool_calls":[{"name":"f","args":"{","id":"c"}]}}'
}

@test "langchain: a remove message is not a message, and a LangSmith run is read" {
	echo '{"type":"remove","data":{"content":"","id":"x"}}' > remove
	[ "$(ctx-count --json remove | jq -s 'map(.messages) | add // 0')" -eq 0 ]
	one='{"type":"human","data":{"content":"hi","type":"human"}}'
	t=$(words 100)
	old="{\"type\":\"human\",\"data\":{\"content\":\"$t\"}},{\"type\":\"ai\",\"data\":{\"content\":\"$t\"}}"
	echo "{\"id\":\"r\",\"inputs\":{\"messages\":[[$old, $one]]},\"outputs\":{\"generations\":[[{\"text\":\"$t\"}]]}}" > run
	dialect_is langchain-dict run
	ctx-prune -b 30 -k 1 -t 0 run > out
	[ "$(jq -c .inputs.messages out)" = "[[$one]]" ]
	cmp <(jq .outputs run) <(jq .outputs out)
	echo "[[$one],[$one,$one]]" > lists
	[ "$(ctx-count --json lists | jq -c .messages | paste -sd,)" = "1,2" ]
}

@test "vercel-model: tool messages and the parts of an assistant message are read" {
	reads vercel-model tool result <<< \
	    '{"role":"tool","content":[{"type":"tool-result","toolCallId":"c","toolName":"f","output":{"type":"text","value":"4C"}}]}'
	reads vercel-model assistant "call reasoning text" <<< \
	    '{"role":"assistant","content":[{"type":"reasoning","text":"so"},{"type":"text","text":"hi"},{"type":"tool-call","toolCallId":"c","toolName":"f","input":{}}]}'
	reads vercel-model user media <<< \
	    '{"role":"user","content":[{"type":"file","data":"AAAA","mediaType":"image/png"}]}'
	# What a result says is what it costs, however it is wrapped.
	for out in '{"type":"text","value":"4C"}' \
	    '{"type":"content","value":[{"type":"text","text":"4C"}]}' '"4C"'; do
		echo "{\"role\":\"tool\",\"content\":[{\"type\":\"tool-result\",\"toolCallId\":\"c\",\"toolName\":\"f\",\"output\":$out}]}" > r
		[ "$(ctx-count --json --per kind r |
		    jq 'select(.kind == "result").tokens')" -eq 2 ]
	done
}

@test "vercel-model: an image part alone identifies the dialect" {
	echo '{"role":"user","content":[{"type":"image","image":"AAAA"}]}' > in
	dialect_is vercel-model in
	# Another writes it with a source.
	echo '{"role":"user","content":[{"type":"image","source":"AAAA"}]}' > in
	run ! dialect_is vercel-model in
}

@test "vercel: a cleared result keeps its form" {
	t=$(words 60)
	cat > v <<-X
	{"role":"user","content":[{"type":"text","text":"a"}]}
	{"role":"assistant","content":[{"type":"tool-call","toolCallId":"c","toolName":"f","input":{}}]}
	{"role":"tool","content":[{"type":"tool-result","toolCallId":"c","toolName":"f","output":{"type":"content","value":[{"type":"text","text":"$t"}]}}]}
	{"role":"assistant","content":"b"}
	X
	ctx-prune -s pinned-fifo -l aggressive -k 1 -b 50 --target 45 v > out
	[ "$(jq -c 'select(.role == "tool").content[0].output' out)" = \
	    '{"type":"text","value":"[cleared]"}' ]
	cmp <(sed 3d v) <(sed 3d out)
	cat > u <<-X
	{"id":"1","role":"user","parts":[{"type":"text","text":"a"}]}
	{"id":"2","role":"assistant","parts":[{"type":"step-start"},{"type":"tool-f","toolCallId":"c","state":"output-available","input":{},"output":["$t"]},{"type":"step-start"},{"type":"text","text":"b"}]}
	{"id":"3","role":"user","parts":[{"type":"text","text":"c"}]}
	X
	ctx-prune -s pinned-fifo -l aggressive -k 1 -b 50 --target 45 u > out
	sed "s/\\[\"$t\"\\]/\"[cleared]\"/" u | cmp - out
}

@test "vercel-model: an approval request and its response are kept or removed together" {
	t=$(words 40)
	cat > v <<-X
	{"role":"user","content":"rm it"}
	{"role":"assistant","content":[{"type":"tool-call","toolCallId":"c","toolName":"rm","input":{"p":"$t"}},{"type":"tool-approval-request","approvalId":"p1","toolCallId":"c"}]}
	{"role":"tool","content":[{"type":"tool-approval-response","approvalId":"p1","approved":true}]}
	{"role":"tool","content":[{"type":"tool-result","toolCallId":"c","toolName":"rm","output":{"type":"json","value":{"ok":true}}}]}
	{"role":"assistant","content":"done"}
	{"role":"user","content":"thanks"}
	X
	for b in $(seq 10 10 100); do
		ctx-prune -k 1 -t 0 -b "$b" v > out || [ $? -eq 1 ]
		[ "$(grep -c 'tool' out || true)" -ne 1 ]
		[ "$(grep -c 'tool' out || true)" -ne 2 ]
	done
	ctx-prune -k 1 -t 0 -b 30 v | cmp - <(sed '2,4d' v)
}

@test "vercel-ui: only the parts that the model is shown are read" {
	reads vercel-ui assistant text <<< \
	    '{"id":"m","role":"assistant","parts":[{"type":"step-start"},{"type":"data-weather","data":{"a":"b"}},{"type":"source-url","url":"u"},{"type":"text","text":"hi"}]}'
	reads vercel-ui assistant "call result" <<< \
	    '{"id":"m","role":"assistant","parts":[{"type":"dynamic-tool","toolName":"f","toolCallId":"c","state":"output-error","input":{},"errorText":"no"}]}'
	reads vercel-ui assistant "call result" <<< \
	    '{"id":"m","role":"assistant","parts":[{"type":"tool-invocation","toolInvocation":{"state":"result","toolCallId":"c","toolName":"f","args":{},"result":"x"}}]}'
	reads vercel-ui assistant call <<< \
	    '{"id":"m","role":"assistant","parts":[{"type":"tool-f","toolCallId":"c","state":"input-available","input":{}}]}'
	# Stripped of its reasoning it would be steps without content.
	t=$(words 60)
	cat > u <<-X
	{"id":"1","role":"user","parts":[{"type":"text","text":"a"}]}
	{"id":"2","role":"assistant","parts":[{"type":"step-start"},{"type":"reasoning","text":"$t"},{"type":"step-start"},{"type":"text","text":"b"}]}
	{"id":"3","role":"user","parts":[{"type":"text","text":"c"}]}
	X
	ctx-prune -m gpt-4o -k 1 -b 50 u | jq -c '[.parts[].type]' | sed -n 2p > types
	[ "$(cat types)" = '["step-start","step-start","text"]' ]
}

@test "vercel-ui: the type tool-NAME gives the name of the tool" {
	t=$(words 40)
	for type in tool-wx '\u0074ool-w\u0078'; do
		cat > u <<-X
		{"id":"1","role":"user","parts":[{"type":"text","text":"a"}]}
		{"id":"2","role":"assistant","parts":[{"type":"$type","toolCallId":"c","state":"output-available","input":{},"output":"$t"},{"type":"text","text":"b"}]}
		{"id":"3","role":"user","parts":[{"type":"text","text":"$t"}]}
		{"id":"4","role":"assistant","parts":[{"type":"text","text":"b"}]}
		X
		[ "$(ctx-count --per tool --json u | jq -r .tool | sort |
		    paste -sd ' ')" = "- wx" ]
		run ! cmp -s u <(ctx-truncate -l 20 --tool '^wx$' u)
		ctx-truncate -l 20 --not-tool '^wx$' u | cmp - u
		ctx-prune -k 1 -t 0 -b 80 --pin-tool '^wx$' u > out 2> err ||
		    [ $? -eq 1 ]
		grep -q toolCallId out
		ctx-prune -k 1 -t 0 -b 80 --pin-tool tool u > out
		run ! grep -q toolCallId out
		ctx-age --mask -k 0 -o 20 --not-tool '^wx$' u | cmp - u
		ctx-age -k 0 -o 20 --head 5 -S spool u > out
		grep -q '"output":".*spool/wx-[0-9a-f]*\.md\]"' out
		sed 's/"output-available"/"input-available"/' u > open
		run -1 ctx-check open
		[[ $output == *'tool call "c" of wx has no result'* ]]
		sed "s/\"type\":\"tool-wx\"/\"type\":\"dynamic-tool\",\"toolName\":\"wx\"/" u > dynamic
		[ "$type" != tool-wx ] || [ "$(tokens u)" -eq "$(tokens dynamic)" ]
	done
}

@test "ollama: arguments, names, images and thinking are read" {
	reads ollama assistant "call reasoning" <<< \
	    '{"role":"assistant","content":"","thinking":"so","tool_calls":[{"function":{"name":"f","arguments":{}}}]}'
	reads ollama tool result <<< \
	    '{"role":"tool","tool_name":"f","content":"4C"}'
	reads ollama user "media text" <<< \
	    '{"role":"user","content":"see","images":["AAAA"]}'
	echo '{"messages":[{"role":"user","content":[{"type":"image"},{"type":"text","text":"see"}]},{"role":"tool","tool_name":"f","content":""}]}' > o
	dialect_is ollama o
	[ "$(tokens o)" -gt 765 ]
	# A result may name its call, as those of Chat Completions do.
	u='{"role":"user","content":"a"}'
	c='{"role":"assistant","content":"","tool_calls":[{"id":"c1","function":{"name":"f","arguments":{}}},{"id":"c2","function":{"name":"g","arguments":{}}}]}'
	r='{"role":"tool","tool_call_id":"c2","content":"4C"}
	{"role":"tool","tool_call_id":"c1","content":"19C"}'
	printf '%s\n' "$u" "$c" "$r" > o
	run -0 --separate-stderr ctx-count --per message --json o
	[ -z "$stderr" ] || fail "$stderr"
	[ "$(jq -r '"\(.dialect) \(.tool)"' <<< "$output" | tail -n 2 |
	    paste -sd ,)" = "ollama g,ollama f" ]
	printf '%s\n' "$u" "$r" > o
	dialect_is openai-chat o
	printf '%s\n' "$u" "${c//\{\}/\"\{\}\"}" "$r" > o
	run -0 --separate-stderr ctx-count --json o
	[ -z "$stderr" ] || fail "$stderr"
	dialect_is openai-chat o
	reads openai-chat assistant call <<< \
	    '{"role":"assistant","content":"","thinking":"","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]}'
}

@test "ollama: results without ids are kept or removed with their calls" {
	t=$(words 40)
	for id in '' '"id":"call_1",'; do
		cat > o <<-X
		{"role":"user","content":"a"}
		{"role":"assistant","content":"","tool_calls":[{${id}"function":{"name":"f","arguments":{}}},{"function":{"name":"g","arguments":{}}}]}
		{"role":"tool","content":"$t"}
		{"role":"tool","tool_name":"g","content":"$t"}
		{"role":"assistant","content":"b"}
		{"role":"user","content":"c"}
		X
		ctx-prune -l light -k 1 -t 0 -b 50 o | cmp - <(sed 2,4d o)
		[ "$(ctx-count --json --per message o |
		    jq -r 'select(.role == "tool").tool' | paste -sd,)" = f,g ]
	done
}

@test "sharegpt: lines, records and both kinds of calls are read" {
	reads sharegpt user text <<< '{"from":"human","value":"hi"}'
	reads sharegpt assistant text <<< '{"from":"gpt","value":"hi"}'
	reads sharegpt assistant call <<< '{"from":"function_call","value":"{}"}'
	reads sharegpt tool result <<< '{"from":"observation","value":"{}"}'
	t=$(words 40)
	for call in '"function_call","value":"{}"' \
	    '"gpt","value":"<tool_call>\n{}\n</tool_call>"'; do
		head='{"conversations": [{"from":"human","value":"a"}, '
		old="{\"from\":$call}, {\"from\":\"tool\",\"value\":\"$t\"}, "
		tail='{"from":"gpt","value":"b"}, {"from":"human","value":"c"}, {"from":"gpt","value":"d"}], "system":"s"}'
		echo "$head$old$tail" > s
		dialect_is sharegpt s
		echo "$head$tail" > want
		ctx-prune -l light -k 1 -t 1 -b 40 --quantum 0 s | cmp - want
	done
}

@test "goose: what the agent does not send costs nothing" {
	reads goose assistant call <<< \
	    '{"role":"assistant","created":1,"content":[{"type":"toolRequest","id":"t","toolCall":{"status":"success","value":{"name":"f","arguments":{}}}}]}'
	for value in '{"status":"success","value":{"content":[{"type":"text","text":"4C"}]}}' \
	    '{"status":"success","value":[{"type":"text","text":"4C"}]}' \
	    '{"status":"error","error":"4C"}'; do
		reads goose user result <<< \
		    "{\"role\":\"user\",\"created\":1,\"content\":[{\"type\":\"toolResponse\",\"id\":\"t\",\"toolResult\":$value}]}"
	done
	seen='"created":1,"metadata":{"userVisible":true,"agentVisible":'
	for visible in true false; do
		echo "{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"hi\"}],$seen$visible}}"
	done > g
	[ "$(ctx-count --json --per message g | jq -c .tokens)" = 5 ]
	# Nor is it removed with its turn.
	{ cat g; sed 1q g | sed 's/"user"/"assistant"/'; sed 1q g; } > four
	ctx-prune -k 1 -t 0 -b 8 four | cmp - <(sed -n '2p;4p' four)
}

@test "goose: a cleared result is a list, a cleared error a string" {
	t=$(words 60)
	cat > g <<-X
	{"role":"user","created":1,"content":[{"type":"text","text":"a"}]}
	{"role":"assistant","created":2,"content":[{"type":"toolRequest","id":"t","toolCall":{"status":"success","value":{"name":"f","arguments":{}}}},{"type":"toolRequest","id":"u","toolCall":{"status":"success","value":{"name":"f","arguments":{}}}}]}
	{"role":"user","created":3,"content":[{"type":"toolResponse","id":"t","toolResult":{"status":"success","value":{"content":[{"type":"text","text":"$t"}]}}},{"type":"toolResponse","id":"u","toolResult":{"status":"error","error":"$t"}}]}
	{"role":"assistant","created":4,"content":[{"type":"text","text":"b"}]}
	X
	ctx-prune -s pinned-fifo -l aggressive -k 1 -b 120 --target 110 g > out
	sed "s/\"value\":{\"content\":\\[[^]]*/\"value\":{\"content\":[{\"type\":\"text\",\"text\":\"[cleared]\"}/
	    s/\"error\":\"$t/\"error\":\"[cleared]/" g | cmp - out
	cp g lines
	jq -sc '{id: "20261101", working_dir: "/w", conversation: .}' lines > g
	dialect_is goose g
	[ "$(tokens g)" -eq "$(tokens lines)" ]
}

@test "opencode: exports, compacted results and hidden parts are read" {
	reads opencode assistant "call result text" <<< \
	    '{"info":{"id":"m","role":"assistant"},"parts":[{"type":"step-start"},{"type":"tool","tool":"bash","callID":"c","state":{"status":"completed","input":{},"output":"4C"}},{"type":"text","text":"4C"},{"type":"patch","hash":"abc"}]}'
	reads opencode assistant call <<< \
	    '{"info":{"id":"m","role":"assistant"},"parts":[{"type":"tool","tool":"bash","callID":"c","state":{"status":"completed","input":{},"output":"long gone","time":{"compacted":1793527200000}}}]}'
	reads opencode user text <<< \
	    '{"info":{"id":"ses_1","directory":"/w"},"messages":[{"info":{"id":"m","role":"user"},"parts":[{"type":"text","text":"hi"},{"type":"text","text":"not sent","ignored":true}]}]}'
}

@test "opencode: a call without a state has no result" {
	echo '{"info":{"role":"assistant","id":"m"},"parts":[{"type":"tool","tool":"bash","callID":"c"},{"type":"text","text":"so far"}]}' > in
	[ "$(ctx-count -d opencode --per kind --json in |
	    jq -rs 'map(.kind) | sort | join(" ")')" = "call framing text" ]
	ctx-age -d opencode --mask -k 0 -o 0 in | cmp - in
}

@test "opencode: messages before a compaction pass, and the compaction is kept" {
	f=$BATS_TEST_DIRNAME/corpus/opencode/compacted.json
	[ "$(ctx-count --json "$f" | jq .messages)" -eq 7 ]
	for b in 1 90 110; do
		ctx-prune -k 1 -t 0 -b $b "$f" > out || [ $? -eq 1 ]
		# The old messages, the two that stand for them, the last turn.
		[ "$(jq -c '[.messages[].info.id[-2:] | tonumber]' out)" = \
		    "[1,2,3,4,5,6,7,8,12,13]" ]
		cmp <(jq '.messages[:8]' "$f") <(jq '.messages[:8]' out)
	done
	# A summary that was never finished stands for nothing.
	jq 'del(.messages[7].info.finish)' "$f" > half
	[ "$(ctx-count --json half | jq .messages)" -eq 13 ]
	jq '.messages[7].info.parentID = "msg_0001"' "$f" > other
	[ "$(ctx-count --json other | jq .messages)" -eq 13 ]
	# The same of messages that are lines.
	for f in "$f" half other; do
		jq -c '.messages[]' "$f" > lines
		[ "$(ctx-count --json lines | jq .messages)" -eq \
		    "$(ctx-count --json "$f" | jq .messages)" ]
	done
	jq -c '.messages[]' "$BATS_TEST_DIRNAME"/corpus/opencode/compacted.json > lines
	ctx-prune -b 10k lines | cmp lines
	ctx-prune -k 1 -t 0 -b 110 lines > out || [ $? -eq 1 ]
	[ "$(jq -r '.info.id[-2:] | tonumber' out | xargs)" = \
	    "1 2 3 4 5 6 7 8 12 13" ]
}

@test "messages inside LangSmith and TRL records are read" {
	ai='{"lc":1,"type":"constructor","id":["langchain","schema","messages","AIMessage"],"kwargs":{"content":"hi"}}'
	echo "{\"generations\":[[{\"text\":\"hi\",\"message\":$ai}]],\"llm_output\":null}" > g
	dialect_is langchain-lc g
	echo "{\"id\":\"r\",\"outputs\":$(cat g)}" > r
	[ "$(tokens g)" = "$(tokens r)" ]
	ctx-prune -k 1 -t 0 -b 1 r > out || [ $? -eq 1 ]
	cmp out r
	t=$(words 60)
	u='{"role":"user","content":"'$t'"}' a='{"role":"assistant","content":"'$t'"}'
	for rest in "\"completion\":[$a]" "\"chosen\":[$a],\"rejected\":[$a]"; do
		echo "{\"prompt\":[$u,$a,$u],$rest}" > p
		echo "{\"prompt\":[$u],$rest}" > want
		ctx-prune -k 1 -t 0 -b 70 p | cmp - want
	done
	# Texts to complete or to embed are no conversation.
	echo '{"model":"m","prompt":["a","b"]}' > s
	echo '{"custom_id":"1","body":{"model":"m","input":["a","b"]}}' >> s
	[ -z "$(ctx-count --json s | jq 'select(.messages > 0)')" ]
	ctx-prune -b 1 s | cmp - s
}

@test "messages inside SWE-agent and tau-bench trajectories are read" {
	jq -n '{environment: "main", trajectory: [{action: "ls"}], history: [
	    {role: "system", content: "s", agent: "main"},
	    {role: "user", content: "u", agent: "main"},
	    {role: "assistant", content: "a", thought: "a", tool_calls: [
		{id: "c", type: "function",
		    function: {name: "f", arguments: "{}"}}]},
	    {role: "tool", content: "r", tool_call_ids: ["c"]}]}' > run.traj
	dialect_is openai-chat run.traj
	[ "$(ctx-count --json run.traj | jq -c '[.messages, .line]')" = \
	    "[4,1]" ]
	run -0 ctx-check run.traj
	jq '.history |= .[1:3]' run.traj > open
	run -1 ctx-check open
	[[ $output == *orphan-call* ]]
	jq -c '[{task_id: 0, traj: .history}, {task_id: 1, traj: .history}]' \
	    run.traj > tau.json
	[ "$(ctx-count --tsv tau.json | wc -l)" -eq 3 ]
	# Pairs of texts are no messages.
	echo '{"instruction":"i","history":[["q","a"]]}' > alpaca
	[ "$(ctx-count alpaca 2>&1)" = "ctx-count: alpaca:1: no messages were found; ctx-stream(5) lists the formats that ctx reads
       0        0        0 alpaca" ]
}

@test "messages in an unknown place are reported with a jq command that extracts them" {
	said() {
		{ ctx-truncate "$@" > /dev/null; } 2>&1
	}
	[ -z "$(said < /dev/null)" ]
	echo '{"run":{"log_1":[{"role":"user","content":"a"}]}}' > one
	[ "$(said one)" = "ctx-truncate: one:1: no messages were found, but there are some at .run.log_1; to read those: jq -c '{messages: .run.log_1}'" ]
	{ echo '{"a":1}'; echo '[{"x":[{"y":[{"role":"user"}]}]}]'; } > two
	[ "$(said two)" = "ctx-truncate: two:2: no messages were found, but there are some at .[].x[].y; to read those: jq -c '.[].x[] | {messages: .y}'" ]
	jq -c '.[].x[] | {messages: .y}' <(tail -n 1 two) | ctx-count --json |
	    jq -e '.messages == 1'
	echo '{"a.b":[{"role":"user"}]}' > three
	[ "$(said three)" = "ctx-truncate: three:1: no messages were found, but there are some at .[\"a.b\"]; to read those: jq -c '{messages: .[\"a.b\"]}'" ]
	# A name with other signs is not shown.
	echo '{"\u001b[1m":[{"role":"user"}]}' > odd
	[ "$(said odd)" = "ctx-truncate: odd:1: no messages were found; ctx-stream(5) lists the formats that ctx reads" ]
	printf '{"%0128d":[{"role":"user"}]}\n' 0 | tr 0 a > long
	[ "$(said long)" = "ctx-truncate: long:1: no messages were found; ctx-stream(5) lists the formats that ctx reads" ]
}

@test "a request in request or request_body of a log is read with its model, system prompt and tools" {
	local chat='"model":"gpt-4o","tools":[{"type":"function","function":{"name":"f"}}]'

	echo "{\"id\":1,\"request\":{$chat,\"messages\":[{\"role\":\"user\",\"content\":\"a\"},{\"role\":\"user\",\"content\":\"b\"}]},\"response\":{\"choices\":[]}}" > log
	jq -c .request log > bare
	[ "$(ctx-count --json log | jq -c '[.tokens, .model, .messages]')" = \
	    "$(ctx-count --json bare | jq -c '[.tokens, .model, .messages]')" ]
	ctx-prune -b 60 -k 1 -t 0 log | jq -c .request > kept || true
	ctx-prune -b 60 -k 1 -t 0 bare | cmp - kept
	jq -c '.request_body = .request | del(.request)' log > body
	[ "$(ctx-count --json body | jq .tokens)" = \
	    "$(ctx-count --json bare | jq .tokens)" ]
	echo '{"request_body":{"contents":[{"parts":[{"text":"hi"}]}]}}' > body
	dialect_is gemini body
	for key in request request_body; do
		echo "{\"$key\":{\"model\":\"gpt-4o\",\"input\":\"hi\"}}" > body
		dialect_is openai-responses body
		[ "$(ctx-count --json body | jq .messages)" -eq 1 ]
	done
	# Messages of the record come before those of a request in it.
	echo '{"messages":[{"role":"user","content":"a"}],"request":{"messages":[]}}' > both
	[ "$(ctx-count --json both | jq .messages)" -eq 1 ]
}

@test "a request in an unknown place is reported with a jq command that keeps model, system prompt and tools" {
	local one='{"model":"gpt-4o","tools":[{"type":"function","function":{"name":"f"}}],"messages":[{"role":"system","content":"s"},{"role":"user","content":"a"}]}'

	echo "{\"http\":{\"body\":$one}}" > plain
	echo "[[{\"x\":{\"y\":$one}}]]" > list
	jq -c '{body: tojson}' <<< "$one" > coded
	jq -c '[{log: {"re-quest": tojson}}]' <<< "$one" > deep
	ctx-count plain 2>&1 | grep -F "plain:1: no messages were found, but there is a request at .http.body; to read it: jq -c '.http.body'"
	ctx-count coded 2>&1 | grep -F "coded:1: no messages were found, but there is a request as JSON in a string at .body; to read it: jq -c '.body | fromjson?'"
	for f in plain list coded deep; do
		ctx-count $f 2> said
		eval "$(sed 's/.*to read it: //' said)" < $f | cmp - \
		    <(echo "$one")
	done
	# A string that begins alike is none.
	echo '{"a":"{\"messages\":1}","b":"{\"role\":\"user\",\"content\":\"a\"}","c":"{x"}' > other
	ctx-count other 2>&1 | grep -q 'no messages were found; ctx-stream(5) lists'
}

@test "messages in a JSON string are reported with a jq command that extracts them" {
	local list='"[{\"role\":\"user\",\"parts\":[{\"type\":\"text\",\"content\":\"Oslo?\"}]}]"'

	# As OpenTelemetry's exporters write them: attributes by name, and OTLP.
	echo '{"attributes":{"n":5,"gen_ai.input.messages":'"$list"'}}' > span
	echo '{"resourceSpans":[{"scopeSpans":[{"spans":[{"attributes":[{"key":"n","value":{"intValue":"5"}},{"key":"gen_ai.request.model","value":{"stringValue":"gpt-4o"}},{"key":"gen_ai.input.messages","value":{"stringValue":'"$list"'}}]}]}]}]}' > otlp
	for f in span otlp; do
		ctx-prune -b 1 $f 2> said | cmp - $f
		grep -q "no messages were found, but there are some as JSON in a string at" said
		eval "$(sed 's/.*to read those: //' said)" < $f > read
		dialect_is otel-genai read
		[ "$(ctx-count --json read | jq .messages)" -eq 1 ]
	done
	[ "$(cat said)" = "ctx-prune: otlp:1: no messages were found, but there are some as JSON in a string at .resourceSpans[].scopeSpans[].spans[].attributes[].value.stringValue; to read those: jq -c '.resourceSpans[].scopeSpans[].spans[].attributes[] | {messages: (.value.stringValue | fromjson?)}'" ]
	# Texts that begin alike are none.
	echo '{"a":"[not JSON","b":"[1]","c":"[{\"role\":\"user\"}] more"}' > other
	ctx-count other 2>&1 | grep -q 'no messages were found; ctx-stream'
}

@test "llm-logs: a row is a turn, and a chain of tool calls is one group" {
	t=$(words 30)
	row() {
		jq -nc --arg p "$1" --arg r "$2" --argjson x "$3" \
		    '{id: "r", model: "gpt-4o", prompt: $p, system: null,
			response: $r, conversation_id: "c"} + $x'
	}
	{
		row "$t" "$t" '{}'
		row "$t" "" '{"tool_calls":[{"name":"f","arguments":{},"tool_call_id":"t1"}]}'
		row "" "$t" '{"tool_results":[{"name":"f","output":"4C","tool_call_id":"t1"}]}'
		row "last" "answer" '{"reasoning":"because"}'
	} > rows
	jq -s . rows > array
	dialect_is llm-logs array
	[ "$(ctx-count --json array | jq -c '[.messages, .turns]')" = "[4,3]" ]
	jq -s '.[1:]' rows > want
	ctx-prune -k 1 -t 1 -b 140 array | jq . | cmp - want
	jq -s '.[3:]' rows > want
	ctx-prune -k 1 -t 1 -b 90 --quantum 20% array | jq . | cmp - want
	ctx-prune -k 1 -t 0 -s window --window-turns 1 array | jq . | cmp - want
	jq -s '.[1:]' rows > want
	ctx-prune -k 1 -t 0 -s window --window-turns 2 array | jq . | cmp - want
}

@test "every framework of the corpus is detected and passes unchanged" {
	for dir in $FRAMEWORKS llm-logs; do
		files=("$BATS_TEST_DIRNAME/corpus/$dir"/*)
		[ "${#files[@]}" -ge 3 ]
		for f in "${files[@]}"; do
			dialect_is "$dir" "$f"
			ctx-prune -b 1M "$f" | cmp - "$f"
			[ "$(ctx-count --json "$f" | jq -s 'map(.messages) | add')" -ge 5 ]
		done
	done
}

# What the judge finds in the conversations that records of $1 stand for.
judge() {
	jq -c '{messages: [.[][].x[]]}' "$1" > back
	valid openai-chat --wrap < back > findings || [ $? -eq 1 ]
	sort findings
}

@test "every framework of the corpus is valid after pruning" {
	PATH=$B/gen-tools:$PATH
	convo --seed 11 --messages 20 --count "${CHECK_LONG:-12}" --wrap |
	    grep -v '"function_call"' > conversations
	for d in $FRAMEWORKS; do
		jq -c --arg to "$d" -f "$BATS_TEST_DIRNAME/rewrite.jq" \
		    conversations > in
		head -n 1 in > one
		dialect_is "$d" one
		ctx-prune -b 10M in | cmp - in
		judge in > before
		for how in "-s pinned-fifo -l balanced -b 900" \
		    "-s fifo -l aggressive -b 400" \
		    "-s middle-out -l light -b 1500" \
		    "-s window --window-turns 2"; do
			# shellcheck disable=SC2086 # options
			ctx-prune -k 1 -t 1 $how in > out 2> err || [ $? -eq 1 ]
			[ "$(wc -c < out)" -lt "$(wc -c < in)" ]
			judge out > after
			[ -z "$(comm -13 before after)" ] ||
				fail "$d $how: $(comm -13 before after)"
			# shellcheck disable=SC2086
			ctx-prune -k 1 -t 1 $how out > again 2> err || [ $? -eq 1 ]
			cmp out again || fail "$d $how: not the same again"
		done
	done
}

@test "vercel-model: a result of several parts, or a failed one, keeps its form when truncated" {
	long=$(printf 'word %.0s' {1..40})
	image=$(printf 'iVBORw0KGgo%.0s' {1..60})
	# An output, the same truncated, and with all its text removed.
	while IFS='|' read -r output cut gone; do
		output=${output//LONG/$long} cut=${cut//IMAGE/$image}
		output=${output//IMAGE/$image} gone=${gone//IMAGE/$image}
		{
			echo '{"role":"user","content":"hi"}'
			echo '{"role":"assistant","content":[{"type":"tool-call","toolCallId":"c","toolName":"f","input":{}}]}'
			echo '{"role":"tool","content":[{"type":"tool-result","toolCallId":"c","toolName":"f","output":'"$output"'}]}'
			echo '{"role":"assistant","content":"done"}'
		} > in
		ctx-truncate -l 60 in > out
		ctx-truncate -l 60 out | cmp - out
		left=$(jq -c '.content | arrays[0].output // empty' out | sed 's/\[… [0-9]* characters truncated …\]/CUT/')
		[ "$left" = "$cut" ] || fail "$output: $left"
		ctx-age --mask -k 0 -o 10 in > out
		[ "$(jq -c '.content | arrays[0].output // empty' out)" = "$gone" ] ||
			fail "$output: $(cat out)"
		ctx-age -k 0 -o 10 in > aged
		ctx-age -k 0 -o 10 aged | cmp - aged
		ctx-restore aged | cmp - in
		ctx-check -q out
		ctx-check -q aged
	done <<-'X'
		{"type":"content","value":[{"type":"text","text":"hello"},{"type":"image-data","data":"IMAGE","mediaType":"image/png"}]}|{"type":"content","value":[{"type":"text","text":"hello"},{"type":"image-data","data":"IMAGE","mediaType":"image/png"}]}|{"type":"text","value":"[cleared]"}
		{"type":"content","value":[{"type":"text","text":"LONG"},{"type":"image-data","data":"IMAGE","mediaType":"image/png"},{"type":"text","text":"LONG"}]}|{"type":"content","value":[{"type":"text","text":"word word word word w\nCUT\n"},{"type":"image-data","data":"IMAGE","mediaType":"image/png"},{"type":"text","text":"d word "}]}|{"type":"text","value":"[cleared]"}
		{"type":"error-text","value":"LONG"}|{"type":"error-text","value":"word word word word w\nCUT\nd word "}|{"type":"error-text","value":"[cleared]"}
		{"type":"error-json","value":{"a":"LONG"}}|{"type":"error-text","value":"{\"a\":\"word word word \nCUT\nword \"}"}|{"type":"error-text","value":"[cleared]"}
		{"type":"json","value":{"a":"LONG"}}|{"type":"text","value":"{\"a\":\"word word word \nCUT\nword \"}"}|{"type":"text","value":"[cleared]"}
		{"type":"text","value":"LONG"}|{"type":"text","value":"word word word word w\nCUT\nd word "}|{"type":"text","value":"[cleared]"}
	X
}

@test "llm-logs and opencode: the model that the messages name is used, of several the last" {
	model() {
		ctx-count --json "$@" | jq -r '"\(.model) \(.window)"'
	}
	row() { # MODEL
		jq -nc --arg m "$1" '{id: "1", model: $m, conversation_id: "c",
		    prompt: "Oslo?", response: "4C"}'
	}
	row gpt-4o > a
	row claude-opus-4-8 > b
	[ "$(jq -s . a b | model)" = "claude-opus-4-8 1000000" ]
	[ "$(jq -s . b a | model)" = "gpt-4o 128000" ]
	# A stream of rows is counted before its last row is known.
	[ "$(cat b a | model)" = "claude-opus-4-8 1000000" ]
	[ "$(cat b a | model -j 2)" = "claude-opus-4-8 1000000" ]
	[ "$(cat b a | model -m gpt-4.1)" = "gpt-4.1 1047576" ]
	[ "$(CTX_MODEL=gpt-4.1 model a)" = "gpt-4o 128000" ]
	# A budget in percent, too, is that of the model.
	run -0 ctx-prune -b 50% a
	# The name may be longer than a name that is stored.
	row "gpt-4o-$(printf 'x%.0s' {1..300})" > long
	[[ $(cat long a | model) == *" 32000" ]]
	row 'gpt-4\u006f' | sed 's/\\\\/\\/' > escaped
	[ "$(cat escaped a | model)" = "gpt-4o 128000" ]

	message() { # ROLE MODEL
		jq -nc --arg r "$1" --arg m "$2" '{info: ({id: $r, role: $r} +
		    if $r == "assistant" then {modelID: $m} else {} end),
		    parts: [{type: "text", text: "Oslo?"}]}'
	}
	{
		message user ""
		message assistant gpt-4o
		message assistant claude-opus-4-5
		message user ""
	} > lines
	[ "$(model lines)" = "claude-opus-4-5 200000" ]
	[ "$(jq -s '{info: {id: "s"}, messages: .}' lines | model)" = \
	    "claude-opus-4-5 200000" ]
	[ "$(jq -c '.info.modelID? = 7' lines | model)" = "null null" ]
	# A user's message names the model that shall answer.
	jq -c '.info |= if .role == "user" then . + {model: {providerID:
	    "openai", modelID: "gpt-4o"}} else . end' lines > chosen
	[ "$(model chosen)" = "gpt-4o 128000" ]
	[ "$(head -n 1 chosen | model)" = "gpt-4o 128000" ]
	[ "$(jq -s '{info: {id: "s"}, messages: .}' chosen | model)" = \
	    "gpt-4o 128000" ]
}
