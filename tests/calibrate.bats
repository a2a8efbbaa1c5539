# ctx-count --calibrate: what providers billed against what is counted

load helper

@test "--calibrate finds the factor and the tokens sent with every request" {
	# Billed: 1.3 for each token, and 5,000 with every call.
	jq -c 'if .role == "assistant" then .model = "claude-opus-4-8"
	    else . end | .content = [{type: "text", text: .content}]' \
	    "$chat" > in
	ctx-count --json --per message -d anthropic -e o200k_base in |
	    jq .tokens > each
	jq -c -n --rawfile each each '($each | split("\n")) as $n |
	    foreach inputs as $m ({i: 0, sum: 0, roles: 0};
	    .before = .sum | .at = .i |
	    .sum += ($n[.i] | tonumber) - 4 | .i += 1;
	    $m + if $m.role == "assistant" then {usage: {
		input_tokens: 10,
		cache_read_input_tokens: (4990 + .at * 4 + .before * 1.3
		    | round), output_tokens: 5}} else {} end)' in > billed
	run -0 ctx-count -d anthropic -e o200k_base --calibrate --json billed
	jq -e '.model == "claude-opus-4-8" and .calls == 20 and
	    (.factor - 1.3 | fabs) < 0.002 and (.beside - 5000 | fabs) < 5 and
	    .error < 0.001 and .spread < 0.02 and .upper >= .factor' \
	    <<< "$output"
	run -0 ctx-count -d anthropic -e o200k_base --calibrate billed
	[[ $output == *'{"claude-opus-4-8":{"encoding":"o200k_base","exact":false,"factor":1.3}}' ]]
	# Nothing is calibrated unasked, and the line does what it says.
	[ "$(tokens -d anthropic billed)" -eq "$(tokens -d anthropic in)" ]
	mkdir -p config/ctx
	sed -n 's/^  models.json //p' <<< "$output" > config/ctx/models.json
	[ "$(tokens -m claude-opus-4-8 --text in)" -eq \
	    $((($(tokens -e o200k_base --text in) * 130 + 50) / 100)) ]
	run -1 ctx-count --calibrate "$chat"
	[[ $output == *"no request with billed tokens; give sessions"* ]]
}

@test "--calibrate: the spread of each measured vendor is that of the table of errors" {
	awk -F'|' '/^\| *\| Gemini/ {
		for (i = 3; i < NF; i++) {
			gsub(/ /, "", $i)
			name[i] = $i
		}
		getline; n = 0
		while ((getline) > 0 && /^\|/) {
			for (i = 3; i < NF; i++)
				sum[i] += log(1 + $i / 100) ^ 2
			n++
		}
		vendor["Llama"] = "meta"; vendor["DeepSeek"] = "deepseek"
		vendor["Qwen3"] = vendor["Qwen3.5"] = "alibaba"
		vendor["GLM"] = "zhipu"; vendor["MiniMax"] = "minimax"
		vendor["Nemo"] = "mistral"
		for (i in name) {
			v = vendor[name[i]]; spread = sqrt(sum[i] / n)
			if (v != "" && spread > most[v])
				most[v] = spread
		}
		for (v in most)
			printf "\"%s\", \"o200k_base\", 0, %.2f\n", v, most[v]
	}' "$BATS_TEST_DIRNAME/../lib/cost/NOTES.md" | sort > measured
	[ "$(wc -l < measured)" -eq 6 ]
	sed -n 's/^ *{\(".*", 0, [0-9.]*\)},$/\1/p' \
	    "$BATS_TEST_DIRNAME/../lib/cost/calibration.c" | sort > used
	diff measured used
}

@test "--calibrate masks a model's name and cuts it between characters" {
	named() {
		jq -nc --arg m "$1" 'range(3) | {role: "user", content: "go"},
		    {role: "assistant", model: $m, content: [{type: "text",
		    text: "x"}], usage: {input_tokens: (. * 10 + 12),
		    output_tokens: 5}}'
	}
	run -0 --separate-stderr ctx-count -d anthropic --calibrate \
	    <(named $'a\xc2\x9b31m\xe2\x80\xae')
	grep -qF '  models.json {"a\u009b31m\u202e":{' <<< "$output" ||
	    fail "$output"
	LC_ALL=C run ! grep -q $'\xc2\x9b\|\xe2\x80' <<< "$output"
	for name in $'\xc3\xa9' $'x\xc3\xa9'; do
		name=$(printf "$name%.0s" {1..200})
		run -0 --separate-stderr ctx-count -d anthropic --calibrate \
		    --json <(named "$name")
		jq -e --arg n "$name" '.model as $m | ($m | length > 90) and
		    ($n | startswith($m))' <<< "$output"
	done
}

@test "--calibrate prints one line per model, in the order of their first requests" {
	call() { # MODEL TOKENS
		printf '{"role":"user","content":"go"}\n'
		printf '{"role":"assistant","model":"%s","content":[{"type":"text","text":"x"}],"usage":{"input_tokens":%d,"output_tokens":5}}\n' "$@"
	}
	for i in 1 2 3 4 5; do
		call b $((i * 100))
		call a $((i * 300))
		call c $((i * 200))
	done > in
	run -0 --separate-stderr ctx-count -d anthropic -e o200k_base --calibrate \
	    --json in
	jq -sc 'map([.model, .calls])' <<< "$output" |
	    grep -qxF '[["b",5],["a",5],["c",5]]'
	jq -se '(map({(.model): .factor}) | add) as $f |
	    $f.a > 2.5 * $f.b and $f.c > 1.8 * $f.b' <<< "$output"
}

@test "--calibrate reads Codex usage that is logged after each response, each only once" {
	line='def line(t; p): {timestamp: "2026-11-10T09:00:00.000Z", type: t,
	    payload: p};
	    def item($m): line("response_item"; {type: "message", role: $m.role,
		content: [{type: (if $m.role == "assistant" then "output_text"
		    else "input_text" end), text: $m.content}]});
	    def told($n): line("event_msg"; {type: "token_count", info:
		(if $n == 0 then null else {total_token_usage: {input_tokens:
		    ($n * 7)}, last_token_usage: {input_tokens: $n,
		    cached_input_tokens: ($n - 9), output_tokens: 3}} end)});'
	grep -v '"system"' "$chat" > in
	jq -c "$line"'item(.)' in > items
	ctx-count --json --per message -d codex -m gpt-5-codex items |
	    jq .tokens > each
	# an answer of two items; its usage is recorded before and after it
	jq -c -n --rawfile each each "$line"'($each | split("\n")) as $n |
	    line("turn_context"; {model: "gpt-5.3-codex"}),
	    foreach inputs as $m ({i: 0, sum: 0, last: 0, frames: 0};
	    .before = .sum | .around = .frames | .was = .last |
	    (if $m.role == "assistant" then 6 else 4 end) as $frame |
	    .sum += ($n[.i] | tonumber) - $frame | .frames += $frame |
	    .i += 1 |
	    if $m.role == "assistant" then .last = (5000 + .around +
		.before * 1.3 | round) else . end;
	    if $m.role == "assistant"
	    then told(.was), item($m), told(.last)
	    else item($m), told(.was), told(0) end)' in > rollout
	run -0 ctx-count --calibrate -e o200k_base --json rollout
	jq -e --argjson n "$(grep -c '"assistant"' in)" \
	    '.model == "gpt-5.3-codex" and .calls == $n and
	    (.factor - 1.3 | fabs) < 0.05 and (.beside - 5000 | fabs) < 50 and
	    .error < 0.005' <<< "$output"
	# an answer that was taken back is of no call that counts
	{
		cat rollout
		jq -nc "$line"'item({role: "user", content: "Well?"}),
		    item({role: "assistant", content: "No."}),
		    line("event_msg"; {type: "thread_rolled_back",
			num_turns: 1}), told(999999)'
	} > back
	[ "$(ctx-count --calibrate -e o200k_base --json back)" = "$output" ]
	# items in a row are one answer, billed once for what is before it
	{
		jq -nc "$line"'item({role: "user", content: "Count to ten."}),
		    line("response_item"; {type: "reasoning", summary: [
			{type: "summary_text", text: "One, two, three."}]}),
		    line("response_item"; {type: "function_call", name: "count",
			arguments: "{}", call_id: "c1"}), told(500),
		    line("response_item"; {type: "function_call_output",
			call_id: "c1", output: "ten"})'
	} > call
	run -0 ctx-count --calibrate --json call
	jq -e '.calls == 1' <<< "$output"
	n=$(ctx-count --json --per message call | jq -s '.[0].tokens - 4')
	jq -e --argjson n "$n" '(.beside + .factor * $n - 496 | fabs) < 1' <<< "$output"
	# Since 0.140 the usage is after the results of the response's calls.
	sed -n '4{h;d};5G;p' call > later
	[ "$(ctx-count --calibrate --json later)" = "$output" ]
	# The next response does not get this usage.
	jq -nc "$line"'item({role: "assistant", content: "Ten."}), told(600)' \
	    >> later
	[ "$(ctx-count --json --per message later | jq -c '[.index, .billed]' |
	    paste -sd ' ')" = "[0,null] [1,500] [2,null] [3,null] [4,600]" ]
	# Nor does the usage after a message of the user belong to a response
	# before this message.
	{
		head -n 3 call
		jq -nc "$line"'item({role: "user", content: "Well?"}), told(700),
		    item({role: "assistant", content: "Ten."})'
	} > before
	[ "$(ctx-count --json --per message before | jq -c '.billed' |
	    paste -sd ' ')" = "null null null null 700" ]
}

@test "--calibrate reads Codex 0.40 usage that is logged before its response" {
	line='def line(t; p): {timestamp: "2025-10-29T00:59:38.317Z", type: t,
	    payload: p};
	    def item($m): line("response_item"; {type: "message", role: $m.role,
		content: [{type: (if $m.role == "assistant" then "output_text"
		    else "input_text" end), text: $m.content}]});
	    def told($n): line("event_msg"; {type: "token_count", info:
		{total_token_usage: {input_tokens: ($n * 7)}, last_token_usage:
		{input_tokens: $n, output_tokens: 3}}});'
	grep -v '"system"' "$chat" > in
	jq -c "$line"'item(.)' in > items
	ctx-count --json --per message -d codex -m gpt-5-codex items |
	    jq .tokens > each
	jq -c -n --rawfile each each "$line"'($each | split("\n")) as $n |
	    line("turn_context"; {model: "gpt-5-codex"}),
	    foreach inputs as $m ({i: 0, sum: 0, frames: 0};
	    .before = .sum | .around = .frames |
	    (if $m.role == "assistant" then 6 else 4 end) as $frame |
	    .sum += ($n[.i] | tonumber) - $frame | .frames += $frame |
	    .i += 1;
	    if $m.role == "assistant"
	    then told(5000 + .around + .before * 1.3 | round),
	        line("event_msg"; {type: "agent_message", message: "x"})
	    else empty end, item($m))' in > rollout
	run -0 --separate-stderr ctx-count --calibrate -e o200k_base --json \
	    rollout
	jq -e --argjson n "$(grep -c '"assistant"' in)" \
	    '.model == "gpt-5-codex" and .calls == $n and
	    (.factor - 1.3 | fabs) < 0.05 and (.beside - 5000 | fabs) < 50 and
	    .error < 0.005' <<< "$output"
}

@test "--calibrate prints no models.json line from fewer than three requests or with an impossible factor" {
	call() { # TEXT TOKENS
		jq -nc --arg t "$1" --argjson n "$2" '{model: "house", messages:
		    [{role: "user", content: $t}], usage: {prompt_tokens: $n}}'
	}
	call hello 12686 > one
	run -0 --separate-stderr ctx-count --calibrate one
	[[ $output == *"models.json no line: fewer than three requests have billed usage"* ]]
	ctx-count --calibrate --json one 2> /dev/null | jq -e '.models == null'
	for n in 5 10 20 40; do
		call "$(words $n)" $((n * 40))
	done > many
	run -0 --separate-stderr ctx-count --calibrate many
	[[ $output == *"models.json no line: no tokenizer has such a factor"* ]]
	ctx-count --calibrate --json many 2> /dev/null | jq -e '.models == null'
}

@test "--calibrate compares a request's usage with its messages before the response" {
	for n in 3 9 30 70; do
		text=$(words $n)
		counted=$(messages "user:$text" | tokens -e o200k_base)
		messages "user:$text" "assistant:yes" |
		    jq -sc --argjson u $(((counted - 6) * 2 + 6)) \
		    '{model: "house", messages: ., usage: {prompt_tokens: $u}}'
	done > in
	run -0 --separate-stderr ctx-count --calibrate --json in
	jq -e '.calls == 4 and (.factor - 2 | fabs) < 0.1 and .beside < 4' \
	    <<< "$output"
	# What cannot be right is not recommended.
	jq -c '.usage.prompt_tokens = (.messages[0].content | length % 7 * 99)' \
	    in > odd
	run -0 --separate-stderr ctx-count --calibrate odd
	[[ $output == *"no line"* ]]
	ctx-count --calibrate --json odd 2> /dev/null | jq -e '.models == null'
	# Nor is a factor that may as well be none, however small the error.
	jq -c '.usage.prompt_tokens = 6000 + (.messages[0].content | length % 3)' \
	    in > flat
	ctx-count --calibrate --json flat 2> /dev/null |
	    jq -e '.models == null and .error < 0.01'
}

@test "--calibrate: one request decides the overhead, not the factor" {
	request=$(jq -nc --arg t "$(words 50)" '{messages: [{role: "user",
	    content: $t}, {role: "assistant", content: "yes"}],
	    usage: {prompt_tokens: 1000}}')
	factor() { # MODEL [OPTION...]
		jq -c --arg m "$1" '.model = $m' <<< "$request" |
		    ctx-count --calibrate --json "${@:2}" 2> /dev/null |
		    jq '(.factor * 100 | round), .beside > 900' | paste -sd ' '
	}
	for model in house gpt-5 kimi-k2 claude-opus-4-8; do
		[ "$(factor $model)" = "100 true" ] || fail "$model"
	done
	[ "$(factor claude-opus-4-8 -e o200k_base)" = "147 true" ]
	[ "$(factor gemini-3-pro)" = "119 true" ]
	[ "$(factor gemini-3-pro -e cl100k_base)" = "100 true" ]
}

@test "--calibrate counts with the encoding of an exact or reconstructed model" {
	corpus=$BATS_TEST_DIRNAME/corpus/claude-code
	run -0 ctx-count --calibrate --json "$corpus"/*.jsonl
	jq -e '.encoding == "claude-4.8" and (.factor - 1 | fabs) < 0.01 and
	    .beside > 10000 and .error < 0.25 and .models == null' \
	    <<< "$output"
	run -0 ctx-count --calibrate "$corpus/session.jsonl"
	[[ $output == *"models.json no line: the count needs no factor" ]]
	# A factor is printed only if a tokenizer can have it.
	run -0 ctx-count --calibrate --bound upper "$corpus/session.jsonl"
	[[ $output == *"models.json no line: no tokenizer has such a factor" ]]
	run -0 ctx-count --calibrate -e o200k_base "$corpus/session.jsonl"
	[[ $output == *"no line: the requests differ too little to find a factor" ]]
	for m in gpt-4:cl100k_base gpt-5:o200k_base kimi-k2:o200k_base; do
		echo '{"messages":[{"role":"user","content":"x"}],"usage":{"prompt_tokens":9}}' |
		    ctx-count --calibrate --json -m "${m%:*}" |
		    jq -e --arg e "${m#*:}" '.encoding == $e'
	done
	# a factor of the user's is not part of the count
	mkdir -p config/ctx
	echo '{"kimi-k2": {"encoding": "o200k_base", "factor": 3}}' \
	    > config/ctx/models.json
	for n in 100 300 600 900; do
		jq -nc --arg t "$(words $n)" --argjson n $n '{model: "kimi-k2",
		    messages: [{role: "user", content: $t}],
		    usage: {prompt_tokens: ($n * 2)}}'
	done | ctx-count --calibrate --json |
	    jq -e '.factor > 1 and .factor < 2.5'
}

@test "--calibrate counts a row of llm-logs without its response" {
	# Billed: 2 for each token of a text that was sent, rows before and
	# their answers among them, and 300 with every call.
	for n in 3 9 30 70 200; do
		jq -nc --arg p "$(words $n)" --arg r "$(words $((n / 2 + 50)))" \
		    '{model: "house", prompt: $p, response: $r,
		        conversation_id: "c", system: null}'
	done > rows
	jq -r '.prompt, .response' rows | while IFS= read -r text; do
		printf '%s' "$text" | tokens --text -e o200k_base
	done > each
	# The framing of a row is 8.
	jq -c -n --rawfile each each '[$each | split("\n")[:-1][] | tonumber]
	    as $n | foreach inputs as $row ({i: 0, sum: 0};
	    .sum += $n[.i] | .asked = .sum | .sum += $n[.i + 1] | .i += 2;
	    $row + {input_tokens: (300 + .i / 2 * 8 + .asked * 2),
	        output_tokens: 1})' rows > billed
	jq -s . billed > whole
	for f in billed whole; do
		run -0 --separate-stderr ctx-count --calibrate --json "$f"
		jq -e '.model == "house" and .calls == 5 and
		    (.factor - 2 | fabs) < 0.001 and
		    (.beside - 300 | fabs) < 2 and .error < 0.001' \
		    <<< "$output"
	done
	run -0 --separate-stderr ctx-count --calibrate --json \
	    "$BATS_TEST_DIRNAME/corpus/llm-logs/tools.json"
	# Of its six rows one was billed more than its tools and calls cost.
	jq -e '.model == "gpt-4o" and .calls == 1' <<< "$output"
}

@test "--calibrate reads the usage around the messages of a request or response" {
	billed() { # USAGE, as members of the record around a message
		jq -nc --argjson usage "$1" 'range(5) | {messages: [{role: "user",
		    content: ("one two " * (. + 1))}]} + $usage' > in
		ctx-count --calibrate --json in
	}
	for usage in '{"usage":{"prompt_tokens":50}}' '{"input_tokens":50}' \
	    '{"usage":{"input_tokens":50}}' '{"prompt_eval_count":50}' \
	    '{"usage":{"inputTokens":20,"cacheReadInputTokens":30}}' \
	    '{"usage":{"input_tokens":20,"cache_read_input_tokens":20,
	        "cache_creation_input_tokens":10}}' \
	    '{"usageMetadata":{"promptTokenCount":50}}' \
	    '{"gen_ai.usage.input_tokens":50}'; do
		billed "$usage" | jq -e '.calls == 5' || fail "$usage"
		got=$(billed "$usage" | jq -c '[.factor, .beside]')
		[ "$got" = "${first:=$got}" ] || fail "$usage: $got"
	done
	for usage in '{"usage":{"prompt_tokens":-50}}' '{"usage":9}' \
	    '{"usage":{"input_tokens":"50"}}' '{"usage":null}' \
	    '{"usage":{"input_tokens":20,"cache_read_input_tokens":1e308}}'; do
		run -1 billed "$usage"
	done
}

@test "--calibrate reads the usage of every format that records it" {
	for d in claude-code claude-stream codex gemini-cli opencode pi \
	    langchain-dict langchain-dump langchain-lc llm-logs; do
		for f in "$BATS_TEST_DIRNAME"/corpus/$d/*.json*; do
			ctx-count -d $d --calibrate --json "$f" || [ $? -eq 1 ]
		done > out
		jq -es 'map(.calls) | add > 1' out || fail "$d"
	done
}
