#!/usr/bin/env bats
# A request that a record has as JSON in a string, as logs of HTTP requests do.

load helper

setup_file() {
	local dir=$BATS_TEST_DIRNAME/corpus/requests

	cd "$BATS_FILE_TMPDIR" || return 1
	# Requests with texts beyond ASCII, line feeds, quotes and tools.
	cat "$dir"/anthropic.json "$dir"/openai.json "$dir"/mixed.jsonl |
	    jq -c 'select(.messages)' > plain
	jq -nc '{model: "gpt-4o", tools: [{type: "function", function: {name: "f"}}],
	    messages: [range(8) | {role: "user", content: "fräge \(.)\n\"a\\b\" 😀"},
	        {role: "assistant", content: null, tool_calls: [{id: "c\(.)",
	        type: "function", function: {name: "f", arguments: "{\"a\":\"\\n\"}"}}]},
	        {role: "tool", tool_call_id: "c\(.)", content: ("é/" * 300)}]}' >> plain
	# As JavaScript and Python write them: all characters as they are, the
	# string in ASCII, and its text in ASCII.
	jq -c '{ts: 1.50, request_body: tojson, response: {choices: []}}' plain > raw
	jq -ac '{ts: 1.50, request_body: tojson, response: {choices: []}}' plain > ascii
	jq -ac . plain | jq -Rc '{ts: 1.50, request: ., response: "x"}' > inner
	# Records of several lines.
	jq '{ts: 1.50, request: (. | tostring), z: []}' plain > lines
	INPUTS='raw ascii inner lines'
	for f in $INPUTS; do
		jq -r '.request_body // .request' $f > $f.plain
	done
	export INPUTS
}

setup() {
	cp "$BATS_FILE_TMPDIR"/* "$BATS_TEST_TMPDIR"
	cd "$BATS_TEST_TMPDIR" || return 1
}

# What a command prints with --json, without the places.
report() {
	"$@" | jq -c 'del(.file, .line)'
}

@test "a request in a string is counted and checked like the request" {
	local f cmd

	for cmd in 'count --json' 'count --per role --json' 'count -j 3 --json' \
	    'check --json' 'check --provider mistral --json'; do
		for f in $INPUTS; do
			report ctx-$cmd $f.plain > want
			report ctx-$cmd $f > got
			cmp want got || fail "$f: $cmd"
			[ -s want ] || [ "$cmd" = 'check --json' ]
		done
	done
}

@test "a request in a string is changed like the request, and nothing outside of the string" {
	local f args

	while read -r args; do
		for f in $INPUTS; do
			rm -rf spool
			eval "$args" < $f.plain > want
			! cmp -s $f.plain want || fail "$args changes nothing"
			rm -rf spool
			eval "$args" < $f > got
			jq -r '.request_body // .request' got | cmp - want ||
			    fail "$f: $args"
			jq -c 'del(.request, .request_body)' got |
			    cmp - <(jq -c 'del(.request, .request_body)' $f)
		done
	done <<- 'EOF'
		ctx-prune -b 1500 -k 1 -t 0
		ctx-prune -b 1500 -k 1 -t 0 -j 3
		ctx-prune -b 1500 -k 1 -t 0 -s summarize
		ctx-prune -b 1500 -k 1 -t 0 -s middle-out --notice 'é "{n}"'
		ctx-truncate -l 50
		ctx-truncate -l 50 --unit tokens
		ctx-age -k 1 -o 200 -S spool
	EOF
}

@test "a request in a string gets and loses cache breakpoints like the request" {
	jq -nc --arg text "$(words 2000)" '{model: "claude-sonnet-5", messages: [
	    {role: "user", content: [{type: "text", text: $text}]},
	    {role: "assistant", content: [{type: "text", text: "é"}]},
	    {role: "user", content: [{type: "text", text: "a"}]}]}' > one
	ctx-cache one > want
	grep -q cache_control want
	jq -ac '{request_body: tojson, a: 1}' one > coded
	ctx-cache coded > got
	jq -r .request_body got | cmp - want
	ctx-cache --strip got | cmp - coded
}

@test "a request in a string is repaired like the request" {
	jq -c '.messages |= (to_entries | map(select(.key % 7 != 2).value))' plain > broken
	ctx-check --repair broken > want || true
	cmp -s broken want && return 1
	jq -ac '{a: 1, request_body: tojson}' broken > coded
	ctx-check --repair coded > got || true
	jq -r .request_body got | cmp - want
}

@test "only the bytes of what is replaced change in the string" {
	printf '{ "ts":1.50 , "request_body":"\\u007b\\"model\\":\\"gpt-4o\\",  \\"messages\\":[{\\"role\\":\\"user\\",\\"content\\":\\"a\\u00e9\\/%s\\"},{\\"role\\":\\"user\\",\\"content\\":\\"b\\\\u00e9\\"}]}" }\r\n' "$(words 100)" > one
	ctx-truncate -l 20 --message-limit 20 --keep head one > got
	want='^{ "ts":1\.50 , "request_body":"\\u007b\\"model\\":\\"gpt-4o\\",  \\"messages\\":\[{\\"role\\":\\"user\\",\\"content\\":\\"a\\u00e9\\/word [^"]*\\"},{\\"role\\":\\"user\\",\\"content\\":\\"b\\\\u00e9\\"}\]}" }'$'\r$'
	grep -q "$want" one
	grep -q "$want" got
	[ "$(wc -c < got)" -lt "$(wc -c < one)" ]
	ctx-prune -b 100000 one | cmp - one
	ctx-prune -b 100000 -j 4 one | cmp - one
}

@test "aged and restored, a request in a string is byte for byte what it was" {
	local f

	for f in $INPUTS; do
		ctx-age -k 1 -o 200 -S spool $f > aged
		cmp -s aged $f && return 1
		ctx-restore -S spool aged | cmp - $f
	done
}

@test "--annotate adds the count to the record, not to the request in its string" {
	ctx-count --annotate raw > got
	ctx-count --annotate -j 3 raw | cmp - got
	jq -c 'del(.ctx_tokens)' got | cmp - <(jq -c . raw)
	jq .ctx_tokens got | cmp - <(ctx-count --annotate plain | jq .ctx_tokens)
}

@test "a place in a request in a string is line and column in the file" {
	jq -c '.messages |= .[0:2]' plain | tail -n 1 > one
	printf '{"a":1,\n\n "request_body":\n%s}\n' "$(jq -c tojson one)" > coded
	ctx-check coded > found && return 1
	grep '^coded:4: orphan-call:' found
	sed 's/fr/xx/' coded > changed
	ctx-check --after coded changed > found || true
	grep -F "changed:4:$(LC_ALL=C awk 'NR == 4 { print index($0, "xx") }' changed):" found
}

@test "ctx-eval and ctx-replay read a request in a string" {
	local cmd

	jq -nc '{model: "gpt-4o", messages: [range(30) | {role: "user", content: "é src/file\(.).c"},
	    {role: "assistant", content: null, tool_calls: [{id: "c\(.)", type: "function",
	    function: {name: "f", arguments: "{\"path\":\"src/file\(if . > 7 then . - 7 else 0 end).c\"}"}}]},
	    {role: "tool", tool_call_id: "c\(.)", content: ("text " * 50)}]}' > session
	for cmd in 'eval --least 100 -p ctx-prune --tsv' 'replay --json'; do
		cp session same && ctx-$cmd same | cut -f 1-13 > want
		jq -ac '{request_body: tojson}' session > same
		ctx-$cmd same | cut -f 1-13 | cmp - want
		[ "$(wc -c < want)" -gt 100 ]
	done
}

@test "a string that is no request, and a record with other messages, are read as before" {
	local one='{"model":"gpt-4o","messages":[{"role":"user","content":"a"}]}'

	echo '{"request_body":"{\"messages\":1}","request":"GET / HTTP/1.1"}' > none
	ctx-count none 2>&1 | grep -q 'no messages were found; ctx-stream(5) lists'
	echo '{"request_body":"{\"choices\":[{\"message\":{\"role\":\"assistant\",\"content\":\"a\"}}]}"}' > answer
	ctx-count answer 2>&1 | grep -q 'no messages were found'
	jq -c '.request_body = tojson | .messages[0].content = "other"' <<< "$one" > both
	ctx-truncate --message-limit 1 both | jq -c .request_body |
	    cmp - <(jq -c .request_body both)
	jq -c '{request: "{", request_body: tojson}' <<< "$one" > second
	[ "$(ctx-count --json second | jq .messages)" -eq 1 ]
	# Of several records in an array none is read; the message helps.
	jq -c '[{request_body: tojson}]' <<< "$one" > list
	ctx-count list 2>&1 | grep -F "as JSON in a string at .[].request_body; to read it: jq -c '.[].request_body | fromjson?'"
}
