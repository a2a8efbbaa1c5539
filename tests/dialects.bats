# The formats of the providers: what is read, and what goes together.

load helper

# Checks the dialect that ctx-count finds in file $2 is $1.
dialect_is() {
	local found
	found=$(ctx-count --json "$2" | jq -r .dialect)
	[ "$found" = "$1" ] || fail "$2: $found, not $1"
}

# A sentence of $1 words, to make messages of known weight.
words() {
	printf 'word %.0s' $(seq "$1")
}

@test "one decisive record tells the provider" {
	echo '{"role":"user","content":[{"type":"input_text","text":"a"}]}' > r
	dialect_is openai-responses r
	echo '{"type":"function_call","call_id":"c","name":"f","arguments":"{}"}' > r
	dialect_is openai-responses r
	echo '{"role":"user","content":[{"text":"a"}]}' > b
	dialect_is bedrock b
	echo '{"parts":[{"text":"a"}]}' > g
	dialect_is gemini g
	echo '{"role":"model","parts":[{"function_call":{"name":"f","args":{}}}]}' > g
	dialect_is gemini g
	for block in '{"type":"tool_use","id":"t","name":"f","input":{}}' \
	    '{"type":"text","text":"a","cache_control":{"type":"ephemeral"}}' \
	    '{"type":"image","source":{"type":"url","url":"u"}}' \
	    '{"type":"web_fetch_tool_result","tool_use_id":"s","content":{}}'; do
		echo "{\"role\":\"assistant\",\"content\":[$block]}" > a
		dialect_is anthropic a
	done
	echo '{"role":"user","content":[{"type":"text","text":"a"}]}' > x
	dialect_is generic x
}

@test "responses: reasoning stays with its call, and never goes alone" {
	t=$(words 60)
	cat > r <<-X
	{"role":"user","content":[{"type":"input_text","text":"$t"}]}
	{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"$t"}]}
	{"type":"function_call","call_id":"c1","name":"f","arguments":"{}"}
	{"type":"function_call","call_id":"c2","name":"f","arguments":"{}"}
	{"type":"function_call_output","call_id":"c2","output":"$t"}
	{"type":"function_call_output","call_id":"c1","output":"$t"}
	{"type":"reasoning","id":"rs_2","summary":[{"type":"summary_text","text":"$t"}]}
	{"type":"message","role":"assistant","content":[{"type":"output_text","text":"$t"}]}
	{"role":"user","content":"next"}
	{"role":"assistant","content":"done"}
	X
	sed -n '1p;7,10p' r > want
	ctx-prune -k 1 -t 0 -b 300 r | cmp - want
	sed -n '9,10p' r > want
	ctx-prune -k 1 -t 0 -b 100 r | cmp - want
	ctx-prune -l aggressive -k 1 -t 0 -b 350 --target 340 r > out
	[ "$(jq -r 'select(.output) | .output' out | sort -u)" = '[cleared]' ]
	[ "$(jq -r .type out | grep -c reasoning)" -eq 2 ]
}

@test "responses: what only looks like text is not cleared" {
	t=$(words 200)
	cat > r <<-X
	{"role":"user","content":[{"type":"input_text","text":"a"}]}
	{"type":"shell_call","call_id":"c1","action":{"commands":["ls"]}}
	{"type":"shell_call_output","call_id":"c1","output":[{"stdout":"$t","stderr":"","outcome":{"type":"exit","exit_code":0}}]}
	{"type":"computer_call","id":"cu","call_id":"c2","action":{"type":"screenshot"}}
	{"type":"computer_call_output","call_id":"c2","output":{"type":"computer_screenshot","image_url":"data:image/png;base64,AAAA"}}
	{"type":"apply_patch_call","call_id":"c3","operation":{"type":"delete_file","path":"a"}}
	{"type":"apply_patch_call_output","call_id":"c3","status":"completed","output":"$t"}
	{"role":"assistant","content":"b"}
	{"role":"user","content":"c"}
	X
	ctx-prune -l aggressive -k 1 -t 2 -b 1230 --target 1220 r > out
	cmp <(sed '7d' r) <(sed '7d' out)
	[ "$(sed -n 7p out | jq -r .output)" = '[cleared]' ]
}

@test "anthropic: a call and its result go from among other blocks" {
	t=$(words 60)
	cat > a <<-X
	{"role":"user","content":"$t"}
	{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"f","input":{"a":1}}]}
	{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"$t"}, {"type":"text","text":"and now?"}]}
	{"role":"assistant","content":[{"type":"thinking","thinking":"$t","signature":"x"},{"type":"text","text":"so"}]}
	{"role":"user","content":"bye"}
	{"role":"assistant","content":"bye"}
	X
	ctx-prune -k 1 -t 0 -b 70 a > out
	cat > want <<-'X'
	{"role":"user","content":[ {"type":"text","text":"and now?"}]}
	{"role":"assistant","content":[{"type":"text","text":"so"}]}
	{"role":"user","content":"bye"}
	{"role":"assistant","content":"bye"}
	X
	jq -c . want > a1
	jq -c . out | cmp - a1
}

@test "anthropic: server tools and a system message among others stay whole" {
	t=$(words 60)
	cat > a <<-X
	{"role":"user","content":"$t"}
	{"role":"assistant","content":[{"type":"server_tool_use","id":"s1","name":"web_search","input":{}},{"type":"web_search_tool_result","tool_use_id":"s1","content":[{"type":"web_search_result","title":"$t","encrypted_content":"AA"}]},{"type":"text","text":"found"}]}
	{"role":"user","content":"one"}
	{"role":"system","content":"mind this"}
	{"role":"assistant","content":"$t"}
	{"role":"user","content":"bye"}
	{"role":"assistant","content":"bye"}
	X
	ctx-prune -s fifo -l aggressive -k 1 -t 0 -b 130 --target 120 a > out
	sed -n '3,7p' a | cmp - out
	ctx-prune -s fifo -l aggressive -k 1 -t 0 -b 60 --target 50 a > out
	sed -n '6,7p' a | cmp - out
}

@test "bedrock and gemini: cleared results keep their form" {
	t=$(words 60)
	cat > b <<-X
	{"role":"user","content":[{"text":"a"},{"cachePoint":{"type":"default"}}]}
	{"role":"assistant","content":[{"toolUse":{"toolUseId":"t1","name":"f","input":{}}}]}
	{"role":"user","content":[{"toolResult":{"toolUseId":"t1","content":[{"text":"$t"},{"json":{"a":1}}],"status":"success"}},{"cachePoint":{"type":"default"}}]}
	{"role":"assistant","content":[{"text":"b"}]}
	{"role":"user","content":[{"text":"c"}]}
	X
	ctx-prune -l aggressive -k 1 -t 2 -b 60 --target 60 b > out
	cmp <(sed 3d b) <(sed 3d out)
	[ "$(sed -n 3p out | jq -c .content[0].toolResult.content)" = \
	    '[{"text":"[cleared]"}]' ]
	[ "$(ctx-count --json b | jq .turns)" -eq 2 ]
	cat > g <<-X
	{"role":"user","parts":[{"text":"a"}]}
	{"role":"model","parts":[{"functionCall":{"name":"f","args":{}},"thoughtSignature":"AA"}]}
	{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"output":"$t"}}}]}
	{"role":"model","parts":[{"thought":true,"text":"$t"},{"text":"b","thoughtSignature":"AA"}]}
	{"role":"user","parts":[{"text":"c"}]}
	X
	ctx-prune -l aggressive -k 1 -t 2 -b 40 --target 40 g > out
	cmp <(sed '3,4d' g) <(sed '3,4d' out)
	[ "$(sed -n 3p out | jq -c .parts[0].functionResponse.response)" = \
	    '{"output":"[cleared]"}' ]
	[ "$(sed -n 4p out)" = \
	    '{"role":"model","parts":[{"text":"b","thoughtSignature":"AA"}]}' ]
}

@test "a message that is nothing but reasoning is not emptied" {
	t=$(words 60)
	cat > b <<-X
	{"role":"user","content":[{"text":"a"}]}
	{"role":"assistant","content":[{"reasoningContent":{"reasoningText":{"text":"$t"}}}]}
	{"role":"user","content":[{"text":"c"}]}
	X
	ctx-prune -k 1 -t 2 -b 40 b > out 2> err || true
	cmp out b
}
