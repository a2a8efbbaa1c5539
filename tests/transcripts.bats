# What is active in the transcripts of agents. live.jq finds independently which
# lines an agent would send.

load helper
load transcripts

same_lines() { # DIALECT FILE
	[ "$(live "$1" "$2")" = "$(counted "$2")" ] ||
		fail "live $(live "$1" "$2"), counted $(counted "$2")"
}

@test "the corpus counts as what the agent would send" {
	every_file same_lines
}

@test "random trees and logs count as what the agent would send" {
	for d in claude-code pi gemini-cli codex; do
		for ((i = 1; i <= ${CHECK_LONG:-6}; i++)); do
			random $d $i $((i % 5 * 12 + 4)) > random.jsonl
			echo "# $d, seed $i"
			same_lines $d random.jsonl
		done
	done
}

@test "each transcript is detected by its first line" {
	every_file known
}
known() {
	run -0 sh -c "ctx-count -v '$2' 2>&1 > /dev/null"
	[[ $output == "ctx-count: dialect $1, detected by "* ]]
}

@test "the lines of one response are one message, and their usage counts once" {
	f=$BATS_TEST_DIRNAME/corpus/claude-code/session.jsonl
	responses=$(jq -r 'select(.type == "assistant") | .message.id' "$f" |
		sort -u | wc -l)
	[ "$(ctx-count --per role --json "$f" |
		jq 'select(.role == "assistant") | .messages')" -eq "$responses" ]
	# Split in lines or not, a response costs the same.
	head -n 6 "$f" | tail -n 1 > one
	jq -c '.message.content = "a"' one > a
	jq -c '.uuid = "n" | .parentUuid = "p" | .type = "assistant" |
		.message = {id: "m", role: "assistant", content: [
		{type: "text", text: "one"}, {type: "text", text: "two"}]}' a > whole
	{
		jq -c '.message.content |= .[:1]' whole
		jq -c '.uuid = "o" | .parentUuid = "n" |
			.message.content |= .[1:]' whole
	} > split
	[ "$(tokens whole)" -eq "$(tokens split)" ]
	[ "$(ctx-count --json split | jq .messages)" -eq 1 ]
}

@test "claude-code: attachments that are sent count, and what the user typed is the user's" {
	f=$BATS_TEST_DIRNAME/corpus/claude-code/attachments.jsonl
	run -0 sh -c "ctx-count --per message --json '$f' | jq -c '[.line, .role]' |
		grep -c user"
	[ "$output" -eq 13 ]
	# None of them begins a turn.
	[ "$(ctx-count --json "$f" | jq .turns)" -eq 2 ]
	# Of two members with the same text, the one that is sent counts.
	head -n 2 "$f" > two
	jq -c '.attachment.content = "\("long " * 900)"' two > longer
	[ "$(tokens two)" -eq "$(tokens longer)" ]
	jq -c 'if .rendered then .rendered[0].content = [{type: "text",
		text: "a b"}, {type: "text", text: "c"}] else . end' two > blocks
	jq -c 'if .rendered then .rendered = [{content: "a b"}, {content: "c"}]
		else . end' two > elements
	[ "$(tokens blocks)" -eq "$(tokens elements)" ]
	[ "$(tokens blocks)" -lt "$(tokens two)" ]
	for edit in 'del(.rendered)' '.rendered = []' '.rendered = null'; do
		[ "$(jq -c "$edit" two | ctx-count --json | jq .messages)" -eq 1 ]
	done
	# Without "rendered", only queued prompts are known.  They may have images.
	run -0 sh -c "ctx-count --per kind --json '$f' | jq -r .kind"
	[[ $output == *media* ]]
	# The newest message of a person is the prompt, not the date after it.
	head -n 19 "$f" > open
	ctx-prune -b 120 open > out || [ $? -eq 1 ]
	grep -q "Write it down in the manual" out
}

@test "claude-code: a summary has what the user typed meanwhile, and no counts of tokens" {
	f=$BATS_TEST_DIRNAME/corpus/claude-code/attachments.jsonl
	ctx-prune -s summarize -b 520 "$f" > out
	jq -r 'select(.isCompactSummary) | .message.content' out > text
	grep -q "User: And refuse values above 3600.\|user's message \"And refuse values above 3600." text
	grep -q "PROXY_IDLE in src/proxy.c" text
	run ! grep -E "98[0-9]{4}" text
}

@test "claude-code: the text that is sent is cut, and a prompt with a sent copy is kept" {
	f=$BATS_TEST_DIRNAME/corpus/claude-code/attachments.jsonl
	ctx-truncate --message-limit 40 "$f" > out
	jq -c 'select(.type == "attachment") | .rendered[0].content' "$f" > before
	jq -c 'select(.type == "attachment") | .rendered[0].content' out > after
	[ "$(diff before after | grep -c '^>')" -ge 3 ]
	cmp <(sed -n 11p "$f") <(sed -n 11p out)
	run ! cmp -s <(sed -n 15p "$f") <(sed -n 15p out)
	# The other copy of the text is not changed.
	jq -c 'select(.rendered) | .attachment' "$f" > before
	jq -c 'select(.rendered) | .attachment' out > after
	cmp before after
}

@test "claude-code: reasoning before a prompt typed meanwhile is of the newest turn" {
	f=$BATS_TEST_DIRNAME/corpus/claude-code/attachments.jsonl
	head -n 17 "$f" | jq -c --arg text "$(words 200)" '
	    if .type == "assistant" then .message.model = "claude-sonnet-4-5"
		| if .message.content[0].type == "text" then
		    .message.content = [{type: "thinking", thinking: $text,
			signature: "c2ln"}] else . end
	    else . end' > in
	run -0 sh -c "ctx-count --per message --json in |
		jq 'select(.line == 6) | .tokens'"
	[ "$output" -gt 150 ]
	# A message of the user that is not typed meanwhile begins a turn.
	jq -c 'if .attachment.commandMode == "prompt" then .type = "user" |
		.message = {role: "user", content: "more"} else . end' in > next
	run -0 sh -c "ctx-count --per message --json next |
		jq 'select(.line == 6) | .tokens'"
	[ "$output" -lt 20 ]
}

@test "claude-code: attachments stay with the message before them, which remains the newest" {
	f=$BATS_TEST_DIRNAME/corpus/claude-code/attachments.jsonl
	# The last result, a prompt that was typed meanwhile, and reminders.
	head -n 17 "$f" | sed '13s/has been updated/'"$(words 200)"'/' > in
	for s in $("$BATS_TEST_DIRNAME/strategies"); do
		ctx-prune -s "$s" -b 150 -k 1 -t 1 -l light in > out 2> err ||
			[ $? -eq 1 ]
		grep -q '"tool_use_id":"toolu_01att2"' out || fail "$s"
		[ "$(ctx-count --json out | jq .messages)" -ge 6 ] || fail "$s"
	done
}

@test "claude-code: an attachment between call and result is sent after the result" {
	f=$BATS_TEST_DIRNAME/corpus/claude-code/attachments.jsonl
	jq -sc '.[6] as $call | .[4] as $left | .[:7]
		+ [$left + {uuid: "x", parentUuid: $call.uuid}]
		+ [.[7:][] | if .parentUuid == $call.uuid then .parentUuid = "x"
		    else . end] | .[]' "$f" > between
	[ "$(wc -l < between)" -eq 22 ]
	run -1 ctx-check --provider anthropic between
	[[ $output != *:* || $output == *last-message* ]]
	[ "${#lines[@]}" -eq 1 ]
	jq -c 'if .toolUseResult then .message.content = "no" else . end' \
	    between > lost
	run -1 ctx-check --provider anthropic lost
	[[ $output == *orphan-call* ]]
}

@test "claude-code: a response that is only reasoning is not counted, and is kept as it is" {
	jq -nc --arg fill "$(words 300)" '
	    def line($id; $up; $role; $content): {type: $role, uuid: $id,
		parentUuid: $up, sessionId: "s", message: ({role: $role,
		content: $content} + if $role == "assistant"
		then {id: $id[:2]} else {} end)};
	    def think: [{type: "thinking", thinking: $fill, signature: "c2ln"}];
	    line("u1"; null; "user"; "List it."),
	    line("m1a"; "u1"; "assistant"; think),
	    line("m1b"; "m1a"; "assistant"; [{type: "redacted_thinking", data: "c2ln"}]),
	    line("u2"; "m1b"; "user"; "Go on."),
	    line("m2a"; "u2"; "assistant"; think),
	    line("m2b"; "m2a"; "assistant"; [{type: "text", text: "Done."}]),
	    line("u3"; "m2b"; "user"; "Thanks.")' > in
	same_lines claude-code in
	[ "$(counted in)" = "[1,4,5,6,7]" ]
	jq -c 'select(.message.id != "m1") |
	    (.parentUuid | select(. == "m1b")) = "u1"' in > without
	[ "$(tokens in)" -eq "$(tokens without)" ]
	ctx-check in
	ctx-prune -b "$(tokens without)" in | cmp in
	# If the messages around it are removed, it is not.
	ctx-prune -s fifo -k 1 -t 1 -b 20 in > out
	[ "$(jq -r .uuid out | xargs)" = "m1a m1b u3" ]
	cmp <(sed -n 3p in) <(sed -n 2p out)
}

@test "the model named in a transcript sets window and encoding" {
	[ "$(ctx-count --json "$BATS_TEST_DIRNAME"/corpus/codex/rollout.jsonl |
		jq .window)" -gt 200000 ]
	f=$BATS_TEST_DIRNAME/corpus/pi/session.jsonl
	[[ $(ctx-count --json "$f" | jq -r .model) == claude* ]]
	# Without -b the budget is that window.
	ctx-prune "$f" > out
	cmp "$f" out
	# What Claude Code says itself is of none.
	for id in '"sessionId":"s"' '"session_id":"s"'; do
		sed "s/ID/$id/" > in <<-'X'
			{"type":"user","uuid":"a",ID,"message":{"role":"user","content":"go"}}
			{"type":"assistant","uuid":"b","parentUuid":"a",ID,"message":{"id":"m","role":"assistant","model":"claude-sonnet-4-5","content":[{"type":"text","text":"so"}]}}
			{"type":"assistant","uuid":"c","parentUuid":"b",ID,"message":{"id":"n","role":"assistant","model":"<synthetic>","content":[{"type":"text","text":"No response requested."}]}}
		X
		[ "$(ctx-count --json in | jq -c '[.messages, .model, .window]')" = \
		    '[3,"claude-sonnet-4-5",200000]' ] || fail "$id"
	done
}

@test "the model of a subagent is not the model of its session" {
	cat > claude-code <<-'X'
		{"type":"user","uuid":"a","parentUuid":null,"sessionId":"s","message":{"role":"user","content":"go"}}
		{"type":"assistant","uuid":"b","parentUuid":"a","sessionId":"s","message":{"id":"m","role":"assistant","model":"claude-opus-5","content":[{"type":"tool_use","id":"t","name":"Task","input":{}}]}}
		{"type":"user","uuid":"c","parentUuid":null,"isSidechain":true,"sessionId":"s","message":{"role":"user","content":"look"}}
		{"type":"assistant","uuid":"d","parentUuid":"c","isSidechain":true,"sessionId":"s","message":{"id":"n","role":"assistant","model":"claude-haiku-4-5","content":[{"type":"text","text":"so"}]}}
	X
	cat > claude-stream <<-'X'
		{"type":"user","session_id":"s","parent_tool_use_id":null,"message":{"role":"user","content":"go"}}
		{"type":"assistant","session_id":"s","parent_tool_use_id":null,"message":{"id":"m","role":"assistant","model":"claude-opus-5","content":[{"type":"tool_use","id":"t","name":"Task","input":{}}]}}
		{"type":"assistant","session_id":"s","parent_tool_use_id":"t","message":{"id":"n","role":"assistant","model":"claude-haiku-4-5","content":[{"type":"text","text":"so"}]}}
	X
	cat > copilot-cli <<-'X'
		{"type":"session.model_change","id":"a","parentId":null,"timestamp":"2026-09-09T14:54:07.000Z","data":{"newModel":"claude-opus-5"}}
		{"type":"user.message","id":"b","parentId":"a","timestamp":"2026-09-09T14:54:08.000Z","data":{"content":"go"}}
		{"type":"assistant.message","id":"c","parentId":"b","agentId":"x","timestamp":"2026-09-09T14:54:09.000Z","data":{"messageId":"m","model":"claude-haiku-4-5","content":"so"}}
	X
	for d in claude-code claude-stream copilot-cli; do
		[ "$(ctx-count --json $d | jq -c '[.dialect, .model]')" = \
		    "[\"$d\",\"claude-opus-5\"]" ] || fail "$d"
	done
	# The session file of a subagent
	sed 1,2d claude-code > subagent
	[ "$(ctx-count --json subagent | jq -r .model)" = claude-haiku-4-5 ]
	# The agent has answered after the subagent.
	sed -n '3,4p; 1,2p' claude-code > both
	[ "$(ctx-count --json both | jq -r .model)" = claude-opus-5 ]
}

@test "claude-code: a branch that ends in a message that no person wrote is not active" {
	line() { # UUID PARENT TYPE [MEMBERS]
		echo '{"type":"'"$3"'","uuid":"'"$1"'","parentUuid":'"$2"',"sessionId":"s",'"${4-}"'"message":{"role":"'"$3"'","content":"'"$1"'"}}'
	}
	{
		line a null user
		line b '"a"' assistant
		line c '"b"' user
		line d '"c"' assistant
		line e '"b"' user '"isMeta":true,'
	} > in
	[ "$(ctx-count --json in | jq .messages)" -eq 4 ]
	# Every branch ends in such a message.
	line f '"d"' user '"isMeta":true,' >> in
	[ "$(ctx-count --json in | jq .messages)" -eq 5 ]
}

@test "a line without its message is not a message, but a link between others" {
	{
		echo '{"type":"user","uuid":"a","parentUuid":null,"sessionId":"s","message":{"role":"user","content":"one"}}'
		echo '{"type":"user","uuid":"b","parentUuid":"a","sessionId":"s"}'
		echo '{"type":"user","uuid":"c","parentUuid":"b","sessionId":"s","message":{"role":"user","content":"two"}}'
	} > claude
	{
		echo '{"type":"session","id":"s","cwd":"/"}'
		echo '{"type":"message","id":"a","parentId":null,"message":{"role":"user","content":"one"}}'
		echo '{"type":"message","id":"b","parentId":"a","message":{"content":"x"}}'
		echo '{"type":"message","id":"c","parentId":"b","message":{"role":"user","content":"two"}}'
	} > pi
	# One that says nothing is none, either.
	jq -c 'select(.uuid == "b").message = {}' claude > empty
	for file in claude empty pi; do
		[ "$(ctx-count --json $file | jq .messages)" -eq 2 ]
		ctx-prune -b 1M $file | cmp - $file
	done
}

@test "inactive lines that end in one message lead to that message" {
	{
		claude_line user a null one
		claude_line assistant b '"a"' two
		echo '{"type":"progress","uuid":"l","parentUuid":"b","sessionId":"s"}'
		echo '{"type":"progress","uuid":"m","parentUuid":"l","sessionId":"s"}'
		echo '{"type":"progress","uuid":"n","parentUuid":"l","sessionId":"s"}'
	} > in
	[ "$(counted in)" = "[1,2]" ]
	# Of no message at all there is no tip.
	echo '{"type":"session","id":"s","cwd":"/"}' > in
	echo '{"type":"label","id":"x","parentId":null,"timestamp":"t"}' >> in
	[ "$(ctx-count -d pi --json in | jq .messages)" -eq 0 ]
	ctx-prune -d pi -b 10 in | cmp - in
	echo '{"type":"session","id":"s","cwd":"/"}' > in
	[ "$(ctx-count -d pi --json in | jq .messages)" -eq 0 ]
}

@test "pi: sessions of version 1 have no ids, and each line follows the one before" {
	cat > v1.jsonl <<-'EOF'
	{"type":"session","id":"s","timestamp":"t","cwd":"/"}
	{"type":"message","timestamp":"t","message":{"role":"user","content":"one"}}
	{"type":"message","timestamp":"t","message":{"role":"assistant","content":"two"}}
	{"type":"message","timestamp":"t","message":{"role":"user","content":"three"}}
	EOF
	[ "$(counted v1.jsonl)" = "[2,3,4]" ]
	ctx-prune -k 1 -t 0 -b 9 v1.jsonl > out
	sed -n '1p;4p' v1.jsonl | cmp - out
}

@test "codex: a message of another agent is read and opens no turn" {
	codex="$BATS_TEST_DIRNAME"/corpus/codex/rollout.jsonl
	head -n 4 "$codex" > in
	echo '{"timestamp":"2026-11-10T09:01:00Z","type":"inter_agent_communication","payload":{"author":"/root/reader","content":"The third file has no tests."}}' >> in
	head -n 4 "$codex" | ctx-count --json > before
	ctx-count --json in > after
	[ "$(jq .messages after)" -eq $(($(jq .messages before) + 1)) ]
	[ "$(jq .chars after)" -ge $(($(jq .chars before) + 28)) ]
	[ "$(ctx-count --per turn in | wc -l)" -eq \
	    "$(head -n 4 "$codex" | ctx-count --per turn | wc -l)" ]
	ctx-truncate --message-limit 12 in | tail -n 1 > cut
	jq -e '.payload.content | length < 28' cut
}

@test "codex: a compaction counts as its replacement history, item by item" {
	compacted() {
		jq -nc --argjson history "$1" '{timestamp:
		    "2026-11-10T09:00:51Z", type: "compacted", payload:
		    {message: "in short", replacement_history: $history}}' > in
		ctx-count -d codex --json in | jq .tokens
	}
	text='{"type":"message","role":"user","content":[{"type":"input_text","text":"one two three"}]}'
	image='{"type":"message","role":"user","content":[{"type":"input_image","image_url":"x"}]}'
	sealed='{"type":"compaction","encrypted_content":"c28gbXVjaCB0byBrbm93"}'
	other='{"type":"other","of":"a kind that is not known"}'
	was=$(compacted "[$text]")
	[ "$(compacted null)" -ne "$was" ]
	for item in "$text" "$image" "$sealed" "$other"; do
		[ "$(compacted "[$text,$item]")" -gt "$was" ] || fail "$item"
	done
}

@test "codex: a rollback removes the context inserted before its turn, too" {
	local environment='<environment_context>x</environment_context>'
	line() { # role, kind of text, text
		printf '{"timestamp":"t","type":"response_item","payload":{"type":"message","role":"%s","content":[{"type":"%s","text":"%s"}]}}\n' \
		    "$@"
	}
	left() {
		ctx-count -d codex --json in | jq .messages
	}
	{
		line user input_text "$environment"
		line user input_text one
		line assistant output_text two
	} > first
	{
		cat first
		line user input_text "$environment"
		line user input_text three
		line assistant output_text four
		echo '{"timestamp":"t","type":"event_msg","payload":{"type":"thread_rolled_back","num_turns":1}}'
	} > in
	[ "$(left)" -eq 3 ]
	# What stands before the first turn is for all.
	tail -n 1 in >> in
	[ "$(left)" -eq 1 ]
}

@test "codex: a rollback with an invalid number of turns removes nothing" {
	line() { # role, kind of text, text as JSON
		printf '{"timestamp":"t","type":"response_item","payload":{"type":"message","role":"%s","content":[{"type":"%s","text":%s}]}}\n' \
		    "$@"
	}
	back() { # rest of the payload
		{
			cat in
			echo "{\"timestamp\":\"t\",\"type\":\"event_msg\",\"payload\":{\"type\":\"thread_rolled_back\"$1}}"
		} | ctx-count -d codex --json | jq .messages
	}
	{
		line user input_text '"one"'
		line assistant output_text '"two"'
		line developer input_text '"three"'
	} > in
	for turns in '' ',"num_turns":"1"' ',"num_turns":0' ',"num_turns":null'; do
		[ "$(back "$turns")" -eq 3 ] || fail "$turns"
	done
	[ "$(back ',"num_turns":1')" -eq 0 ]
	# What only begins as the agent's own texts do is a turn.
	for text in '"<environment"' '" "' 7; do
		line user input_text "$text" > in
		line user input_text '"one"' >> in
		[ "$(back ',"num_turns":1')" -eq 1 ] || fail "$text"
		[ "$(back ',"num_turns":2')" -eq 0 ] || fail "$text"
	done
}

@test "gemini-cli: content may be a string, a part, or a list of both" {
	kinds() {
		jq -c '{id: "m", timestamp: "2026-11-10T09:00:51Z"} + .' > in
		ctx-count -d gemini-cli --per kind --json in |
		    jq -rs 'map(.kind) - ["framing"] | sort | join(" ")'
	}
	[ "$(kinds <<< '{"type":"gemini","content":"hi"}')" = text ]
	[ "$(kinds <<< '{"type":"gemini","content":{"text":"hi"}}')" = text ]
	[ "$(kinds <<< '{"type":"user","content":{"functionResponse":
	    {"id":"c","name":"f","response":{"output":"x"}}}}')" = result ]
	[ "$(kinds <<< '{"type":"gemini","content":["hi",{"text":"so","thought":
	    true},{"functionCall":{"id":"c","name":"f","args":{}}},{"inlineData":
	    {"mimeType":"image/png","data":"AAAA"}},{"executableCode":{}}]}')" = \
	    "call media opaque reasoning text" ]
	# A call that was not made has no result.
	[ "$(kinds <<< '{"type":"gemini","content":"","toolCalls":[{"id":"c",
	    "name":"f","args":{},"status":"cancelled","result":null}]}')" = call ]
}

@test "gemini-cli: a result of several parts is read part by part" {
	result() {
		jq -nc --arg text "$1" '{id: "m", type: "gemini", content: "",
		    timestamp: "2026-11-10T09:00:51Z", toolCalls: [{id: "c",
		    name: "f", args: {}, status: "success", result: [
			{functionResponse: {id: "c", name: "f",
			    response: {error: $text}}},
			{text: "also this"}]}]}' > in
		ctx-count -d gemini-cli --per kind --json in |
		    jq 'select(.kind == "result") | .tokens'
	}
	[ "$(result "$(printf 'no %.0s' {1..200})")" -ge $(($(result x) + 199)) ]
}

@test "gemini-cli: a result without a response is read by its text" {
	result() { # text
		jq -nc --arg text "$1" '{id: "m", type: "gemini", content: "",
		    timestamp: "t", toolCalls: [{id: "c", name: "f", args: {},
		    status: "success", result: [{text: $text}]}]}' |
		    ctx-count -d gemini-cli --per kind --json |
		    jq 'select(.kind == "result") | .tokens'
	}
	[ "$(result "$(printf 'no %.0s' {1..200})")" -ge $(($(result x) + 199)) ]
}

@test "copilot-cli: commands of the user and events of subagents do not count" {
	printf '%s\n' \
	    '{"type":"user.message","data":{"content":"a","transformedContent":"a b c d"},"id":"1","timestamp":"t","parentId":null}' \
	    '{"type":"tool.execution_complete","data":{"toolCallId":"x","isUserRequested":true,"success":true,"result":{"content":"long text"}},"id":"2","timestamp":"t","parentId":"1"}' \
	    '{"type":"assistant.message","agentId":"s","data":{"content":"long text"},"id":"3","timestamp":"t","parentId":"2"}' > in
	ctx-count --json in | jq -e '.messages == 1 and .chars == 7 and
	    .dialect == "copilot-cli"'
	# A content that is no string is not known, and no failure.
	sed 's/"content":"a"/"content":["a",{}]/; s/,"transformedContent":"a b c d"//' in |
	    ctx-count --json | jq -e '.messages == 1'
}

@test "copilot-cli: attached images and images in results are counted" {
	png=$(printf '\211PNG\r\n\032\n\0\0\0\rIHDR\0\0\004\0\0\0\004\0' | base64 -w 0)
	cat > s <<-EOF
	{"type":"session.start","data":{"sessionId":"s","version":1,"producer":"copilot-agent"},"id":"e1","timestamp":"2026-09-09T14:54:06.000Z","parentId":null}
	{"type":"system.message","data":{"content":"Be short."},"id":"e2","timestamp":"2026-09-09T14:54:07.000Z","parentId":"e1"}
	{"type":"user.message","data":{"content":"What is in it?","attachments":[{"type":"blob","data":"$png"},{"type":"file","path":"a.c"}]},"id":"e3","timestamp":"2026-09-09T14:54:08.000Z","parentId":"e2"}
	{"type":"assistant.message","data":{"messageId":"m1","content":"I look.","toolRequests":[{"toolCallId":"t1","name":"view","arguments":{},"type":"function"}]},"id":"e4","timestamp":"2026-09-09T14:54:09.000Z","parentId":"e3"}
	{"type":"tool.execution_complete","data":{"toolCallId":"t1","success":true,"result":{"content":"an image","binaryResultsForLlm":[{"type":"image","data":"$png"}]}},"id":"e5","timestamp":"2026-09-09T14:54:10.000Z","parentId":"e4"}
	EOF
	ctx-count --per message --json s > all
	[ "$(jq -rc '[.role, .kind]' all | tr '\n' ' ')" = '["system","text"] ["user","media"] ["assistant","call"] ["tool","result"] ' ] ||
		fail "$(cat all)"
	sed 's/"attachments":\[[^]]*\]/"attachments":[]/; s/,"binaryResultsForLlm":\[[^]]*\]//' s |
		ctx-count --per message --json > none
	# An image of 1024 by 1024 pixels, in the user's message and in the result.
	[ "$(jq -s '[.[].tokens] | add' none)" -lt 40 ]
	[ "$(jq -s '[.[].tokens | select(. > 700)] | length' all)" -eq 2 ]
}
