# ctx-check --repair: what is changed, and in which order

load helper
load check

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
		'5 result-order move tool')" ]
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

@test "--repair counts array elements that are not messages, and removed ones as gone" {
	echo '{"messages":['"$U"',{"x":1},{"role":"tool","tool_call_id":"q","content":"1"},'"$A"']}' > in
	run -1 --separate-stderr ctx-check -d openai-chat --repair in
	[ "$output" = '{"messages":['"$U"',{"x":1},'"$A"']}' ]
	[[ $stderr == "in:1: no-message: an element is not a message"* ]]
	echo '{"type":"reasoning","id":"r","summary":[]}' > in
	run -1 --separate-stderr ctx-check --repair in
	[ -z "$output" ]
	[ "$stderr" = "in:1: no-message: the file has no messages" ]
}
