# --repair: a tool result that comes after another message is moved to its call.

load helper
load check

# The text of a result that must not be lost.
LATE='{"role":"tool","tool_call_id":"a","content":"real"}'

# moved INPUT EXPECTED, both files; the repaired conversation has no findings.
moved() {
	repaired "$1" "$2"
	ctx-check --repair -n "$1" > plan
	grep -q '^ *move *result-order' plan || grep -q '^ *move *orphan-result' plan
	! grep -q duplicate-result plan
}

@test "Chat: a result after another message takes the place of the inserted one" {
	for between in "$U" '{"role":"system","content":"s"}' "$A"; do
		printf '%s\n' "$U" "$CALL" "$RB" "$between" "$LATE" "$U" > in
		printf '%s\n' "$U" "$CALL" "$LATE" "$RB" "$between" "$U" > want
		moved in want
		jq -nc '{model: "gpt-4o", messages: [inputs]}' in > record
		ctx-check --repair record | jq -c '.messages[]' > out
		[ "$(jq -c . out)" = "$(jq -c . want)" ]
	done
	ctx-check --repair --explain log in > out
	[ "$(jq -r '[.line, .rule, .action] | join(" ")' log)" = \
	    $'2 orphan-call insert\n5 result-order move' ]
	[ "$(sed -n 2p log | jq -r .sha256)" = \
	    "$(printf %s "$LATE" | sha256sum | cut -d ' ' -f 1)" ]
}

@test "Chat: all results may be late, and have an id that is replaced, or half a character" {
	printf '%s\n' "$U" "$CALL" "$U" "$RB" "$A" "$LATE" > in
	printf '%s\n' "$U" "$CALL" "$LATE" "$RB" "$U" "$A" > want
	moved in want
	id=$(printf 'x%.0s' {1..70})
	printf '%s\n' "$U" "${CALL//\"a\"/\"$id\"}" "$RB" "$U" \
	    "{\"role\":\"tool\",\"tool_call_id\":\"$id\",\"content\":\"real\\ud800\"}" |
		jq -Rc . | jq -rs '"{\"model\":\"gpt-4o\",\"messages\":[" + join(",") + "]}"' > in
	ctx-check --repair in > out
	ctx-check out
	jq -e '.messages[2].content == "real\ufffd"' out
	[ "$(jq -r '.messages[2].tool_call_id' out)" = "$(jq -r '.messages[1].tool_calls[0].id' out)" ]
}

@test "Anthropic, Bedrock, Responses: a late result is moved, its message is kept if it has more" {
	use='{"type":"tool_use","id":"a","name":"f","input":{}}'
	result='{"type":"tool_result","tool_use_id":"a","content":"real"}'
	text='{"type":"text","text":"t"}'
	printf '%s\n' "$U" "{\"role\":\"assistant\",\"content\":[$use]}" "$U" \
	    "{\"role\":\"user\",\"content\":[$result]}" > in
	printf '%s\n' "$U" "{\"role\":\"assistant\",\"content\":[$use]}" \
	    "{\"role\":\"user\",\"content\":[$result]}" "$U" > want
	moved in want
	printf '%s\n' "$U" "{\"role\":\"assistant\",\"content\":[$use,${use/\"a\"/\"b\"}]}" \
	    "{\"role\":\"user\",\"content\":[${result/\"a\"/\"b\"}]}" "$A" \
	    "{\"role\":\"user\",\"content\":[$result,$text]}" > in
	printf '%s\n' "$U" "{\"role\":\"assistant\",\"content\":[$use,${use/\"a\"/\"b\"}]}" \
	    "{\"role\":\"user\",\"content\":[$result,${result/\"a\"/\"b\"}]}" "$A" \
	    "{\"role\":\"user\",\"content\":[$text]}" > want
	moved in want
	buse='{"toolUse":{"toolUseId":"a","name":"f","input":{}}}'
	bresult='{"toolResult":{"toolUseId":"a","content":[{"text":"real"}]}}'
	says() { printf '{"role":"%s","content":[%s]}' "$1" "$2"; }
	printf '%s\n' "$(says user '{"text":"q"}')" "$(says assistant "$buse")" \
	    "$(says user '{"text":"wait"}')" "$(says assistant '{"text":"b"}')" \
	    "$(says user "$bresult,"'{"text":"c"}')" > in
	printf '%s\n' "$(says user '{"text":"q"}')" "$(says assistant "$buse")" \
	    "$(says user "$bresult,"'{"text":"wait"}')" "$(says assistant '{"text":"b"}')" \
	    "$(says user '{"text":"c"}')" > want
	moved in want
	call='{"type":"function_call","call_id":"a","name":"f","arguments":"{}"}'
	printf '{"model":"gpt-5","input":[%s,%s,%s,%s]}\n' "$U" "$call" "$U" \
	    "${call/function_call/function_call_output}" > in
	sed -i 's/output","call_id":"a","name":"f","arguments":"{}"/output","call_id":"a","output":"real"/' in
	# Responses takes a result at any later place.
	ctx-check in
}

@test "a result without an id is moved, unless it could answer another call" {
	f='{"role":"model","parts":[{"functionCall":{"name":"f","args":{}}}]}'
	text='{"role":"user","parts":[{"text":"t"}]}'
	answer='{"role":"model","parts":[{"text":"a"}]}'
	late='{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"output":"real"}}}]}'
	contents() {
		local IFS=,
		printf '{"contents":[%s]}\n' "$*"
	}
	contents "$text" "$f" "$text" "$answer" "$late" > in
	ctx-check --repair in > out
	ctx-check out
	[ "$(jq -c '.contents[2].parts[0].functionResponse.response' out)" = '{"output":"real"}' ]
	# A later call of the same tool has its own result.
	contents "$text" "$f" "$text" "$f" "$late" "$answer" > in
	ctx-check --repair in > out
	grep -q 'no result' out
	[ "$(jq -c '.contents[-2].parts[0].functionResponse.response' out)" = '{"output":"real"}' ]
}

@test "a result that cannot be moved is reported, and is in the archive" {
	{
		printf '%s\n' "$U" "$CALL" "$RB"
		yes "$U"$'\n'"$A" | head -80
		printf '%s\n' "$LATE" "$U"
	} > in
	run -1 --separate-stderr ctx-check --repair --archive kept in
	echo "$output" > out
	ctx-check out
	[ "$stderr" = 'in:84: result-order: tool result "a" is not next to its tool call; removed, because it cannot be moved' ]
	[ "$(cat kept)" = "$LATE" ]
	run -1 --separate-stderr ctx-check --repair -n in
	[[ $stderr == *"removed, because it cannot be moved" ]]
	[[ $output == *'drop'*'result-order'* ]]
	# In a request, the place of the call is never too far away.
	jq -nc '{model: "gpt-4o", messages: [inputs]}' in > record
	ctx-check --repair record | jq -r '.messages[2].content' > out
	[ "$(cat out)" = real ]
}

@test "of two late results of a call, the first is moved, and the second removed" {
	printf '%s\n' "$U" "$CALL" "$RB" "$U" "$LATE" "${LATE/real/second}" > in
	ctx-check --repair --explain log in > out
	printf '%s\n' "$U" "$CALL" "$LATE" "$RB" "$U" | cmp - out
	[ "$(jq -r '.rule' log | paste -sd ' ')" = "orphan-call result-order duplicate-result" ]
}

@test "a late result is kept if no result could be inserted for its call" {
	# Whether the inserted result answers the first call is not clear.
	printf '%s\n' "$U" '{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}},{"type":"tool_use","id":"a","name":"g","input":{}}]}' \
	    "$U" '{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"real"}]}' > in
	run -1 --separate-stderr ctx-check --repair in
	cmp in <(echo "$output")
	[[ $stderr == *result-order* ]]
}
