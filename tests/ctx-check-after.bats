# ctx-check --after: is a request an earlier one with messages appended

load helper
load check

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

@test "--after counts columns from the beginning of the line, also behind another value" {
	echo '{"model":"gpt-4o","messages":[{"role":"user","content":"a"}]}' > one
	{ echo '{'; echo '"x":1}   {"model":"gpt-4o","messages":[{"role":"user","content":"b"}]}'; } > two
	ctx-check --after one two > out
	at=$(sed -n '2s/b".*//p' two | tr -d '\n' | wc -c)
	[[ $(head -n 1 out) == "two:2:$((at + 1)): message 0 (user) changed"* ]] ||
		fail "$(cat out)"
}

@test "--after works with long texts, escapes and line streams, and refuses other modes" {
	two_requests
	long=$(printf 'word %.0s' {1..20000})
	jq -c --arg t "$long" '.messages[0].content = $t' two > three
	jq -c --arg t "$long x" '.messages[0].content = $t' two > four
	run -1 ctx-check --after three four
	at=$(sed 's/word.*//' four | tr -d '\n' | wc -c)
	[ "${lines[0]}" = "four:1:$at: message 0 (user) changed here, after 0 unchanged messages: it was (string of 100000 bytes), it is (string of 100002 bytes)" ] ||
		fail "${lines[0]}"
	# With blocks around the text, and a short one.
	sed 's/"word [^"]*"/[{"type":"text","text":&}]/' four > five
	run -1 ctx-check --after three five
	[[ ${lines[0]} == *"it was (string of 100000 bytes), it is (string of 100002 bytes)" ]]
	run -1 ctx-check --after two five
	[[ ${lines[0]} == *": it was "*"Weather in Oslo?\", it is "*"(string of 100002 bytes)" ]] ||
		fail "${lines[0]}"
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
