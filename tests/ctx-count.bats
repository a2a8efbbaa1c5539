# ctx-count: how full is the context, and with what

load helper

@test "the cookbook's framing: 3 a message, 1 a name, 3 once" {
	messages user:hi > one
	# role 1, content 1, framing 3, priming 3
	[ "$(tokens -m gpt-4o one)" -eq 8 ]
	messages system:hi user:hi > two
	[ "$(tokens -m gpt-4o two)" -eq 13 ]
	echo '{"role":"user","name":"bob","content":"hi"}' > named
	[ "$(tokens -m gpt-4o named)" -eq 10 ]
}

@test "the cookbook's example costs what its API call reported" {
	# "How to count tokens with tiktoken": 129 for gpt-4, 124 for gpt-4o.
	messages \
	    "system:You are a helpful, pattern-following assistant that translates corporate jargon into plain English." \
	    > cookbook
	cat >> cookbook <<'X'
{"role":"system","name":"example_user","content":"New synergies will help drive top-line growth."}
{"role":"system","name":"example_assistant","content":"Things working well together will increase revenue."}
{"role":"system","name":"example_user","content":"Let's circle back when we have more bandwidth to touch base on opportunities for increased leverage."}
{"role":"system","name":"example_assistant","content":"Let's talk later when we're less busy about how to do better."}
{"role":"user","content":"This late pivot means we don't have time to boil the ocean for the client deliverable."}
X
	[ "$(tokens -m gpt-4 cookbook)" -eq 129 ]
	[ "$(tokens -m gpt-4o cookbook)" -eq 124 ]
}

@test "a call costs its name and arguments, escapes are text" {
	echo '{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"wx","arguments":"{\"city\":\"Oslo\"}"}}]}' > call
	printf '{"city":"Oslo"}' > arguments
	args=$(tokens -e o200k_base --text arguments)
	printf wx > name
	name=$(tokens -e o200k_base --text name)
	[ "$(tokens -m gpt-4o call)" -eq $((3 + 3 + 1 + args + name)) ]
	printf '{"role":"user","content":"\\u00e9\\n\\ud83d\\ude00"}\n' > escaped
	printf '{"role":"user","content":"é\\n😀"}\n' > plain
	[ "$(tokens escaped)" -eq "$(tokens plain)" ]
}

@test "columns are tokens, messages, characters and name, like wc" {
	run -0 ctx-count -e o200k_base "$chat"
	read -r tokens messages chars name <<< "$output"
	[ "$messages" -eq 40 ]
	[ "$chars" -eq "$(jq -j .content "$chat" | LC_ALL=C.UTF-8 wc -m)" ]
	[ "$name" = "$chat" ]
	[ "$tokens" -gt 1000 ]
	run -0 ctx-count "$chat" "$agent"
	[ "${#lines[@]}" -eq 3 ]
	[[ ${lines[2]} == *" total" ]]
	a=$(tokens "$chat")
	b=$(tokens "$agent")
	[[ ${lines[2]} == *"~$((a + b)) "* ]]
}

@test "an estimate is marked with ~, an exact count is not" {
	run -0 ctx-count "$chat"
	[[ $output == *"~"* ]]
	run -0 ctx-count -m claude-opus-4-5 "$chat"
	[[ $output == *"~"* ]]
	run -0 ctx-count -m gpt-4o "$chat"
	[[ $output != *"~"* ]]
}

@test "a model adds its window, the share used and what is left" {
	run -0 ctx-count -m openai/gpt-4o-2024-08-06 --reserve 1000 "$chat"
	read -r tokens _ _ window used left _ <<< "$output"
	[ "$window" -eq 128000 ]
	[ "$left" -eq $((128000 - 1000 - tokens)) ]
	[ "$used" = "$(awk -v t="$tokens" 'BEGIN { printf "%.1f%%", t / 1280 }')" ]
	run -0 ctx-count -m no-such-model "$chat"
	[[ $output == *" 32000 "* ]]
	CTX_MODEL=gpt-4 run -0 ctx-count "$chat"
	[[ $output == *" 8192 "* ]]
}

@test "--json has the documented keys" {
	ctx-count --json "$agent" > out
	jq -e '.file and .dialect == "openai-chat" and .messages == 306 and
	    .turns > 5 and .tokens > 50000 and .exact == false and
	    .chars > 1000 and .bytes == 417332' out
	ctx-count --json -m gpt-4o "$agent" > out
	jq -e '.model == "gpt-4o" and .window == 128000 and .exact and
	    .left == .window - .tokens and
	    (.used - 100 * .tokens / .window | fabs) <= 0.05001' out
	ctx-count --json --per message "$agent" > out
	[ "$(wc -l < out)" -eq 306 ]
	jq -se --argjson all "$(ctx-count --json "$agent" | jq .tokens)" \
	    '(map(.tokens) | add) == $all - 3' out
	jq -se '.[3] | .line == 4 and .index == 3 and .role == "tool" and
	    .tool == "list_dir"' out
}

@test "--per role, tool, turn and kind add up" {
	all=$(ctx-count --json "$agent" | jq .tokens)
	for per in role tool turn; do
		ctx-count --json --per $per "$agent" > out
		jq -se --argjson all "$all" '(map(.tokens) | add) == $all - 3' out
		jq -e ".$per" out > /dev/null
	done
	ctx-count --json --per kind "$agent" > out
	jq -se --argjson all "$all" '(map(.tokens) | add) < $all' out
	jq -se 'map(.kind) | contains(["text", "call", "result"])' out
}

@test "--top names the largest messages and where they are" {
	run -0 ctx-count --top 2 "$agent"
	[ "${#lines[@]}" -eq 2 ]
	line=$(sed 's/.*:\([0-9]*\) tool .*/\1/' <<< "${lines[0]}")
	most=$(ctx-count --json --per message "$agent" |
	    jq -s 'max_by(.tokens).line')
	[ "$line" -eq "$most" ]
}

@test "--tsv has a header and tabs" {
	run -0 ctx-count --tsv -m gpt-4o "$chat" "$agent"
	[ "${lines[0]}" = $'tokens\tmessages\tchars\twindow\tused\tleft\tname' ]
	[ "${#lines[@]}" -eq 3 ]
	[ "$(awk -F'\t' '{ print NF }' <<< "$output" | sort -u)" = 7 ]
}

@test "--max is a gate: status 1 when a conversation is over it" {
	n=$(tokens "$chat")
	ctx-count -q --max "$n" "$chat"
	run -1 ctx-count -q --max $((n - 1)) "$chat"
	[ -z "$output" ]
	ctx-count -q -m gpt-4o --max 5% "$chat"
	run -1 ctx-count -q -m gpt-4 --max 5% "$chat"
	run -2 ctx-count --max 5% "$chat"
	[[ $output == *"needs a window"* ]]
	for bad in "" -1 5x 1e9 99999999999999999999 101% %; do
		run -2 ctx-count --max "$bad" "$chat"
	done
	for good in 20000 20k 1.5M 70% 12.5%; do
		run ctx-count -q -m gpt-4o --max "$good" "$chat"
		[ "$status" -le 1 ]
	done
}

@test "--text counts plain text, special names included" {
	printf 'hello <|endoftext|> world' > plain
	[ "$(tokens -e o200k_base --text plain)" -eq 9 ]
	[ "$(printf '' | ctx-count --text --json | jq .tokens)" -eq 0 ]
	run -1 ctx-count --text -q --max 3 plain
}

@test "conversation records count one by one, with tools and system" {
	jq -nc '{model: "gpt-4o", messages: [inputs]}' "$chat" > record
	run -0 ctx-count record
	[[ $output == *"record:1" ]]
	[ "$(tokens record)" -eq "$(tokens -m gpt-4o "$chat")" ]
	cat record record record > three
	run -0 ctx-count three
	[ "${#lines[@]}" -eq 4 ]
	[[ ${lines[2]} == *"three:3" ]]
	jq -c '. + {tools: [{type: "function", function: {name: "f"}}]}' \
	    record > tools
	[ "$(tokens tools)" -gt "$(tokens record)" ]
	jq . record > pretty
	[ "$(tokens pretty)" -eq "$(tokens record)" ]
	jq -s . "$chat" > array
	[ "$(tokens array)" -eq "$(tokens "$chat")" ]
}

@test "unknown records cost nothing, unknown blocks cost their text" {
	cp "$chat" mixed
	echo '{"type":"session_meta","id":1}' >> mixed
	[ "$(tokens mixed)" -eq "$(tokens "$chat")" ]
	echo '{"role":"user","content":[{"type":"hologram","data":"some words"}]}' > odd
	[ "$(tokens odd)" -gt 10 ]
}

@test "an image costs by its size and the model, base64 is never text" {
	# The header of a PNG of 1024 by 1024 pixels, and a megabyte behind it.
	{
		printf '{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,'
		printf 'iVBORw0KGgoAAAANSUhEUgAABAAAAAQACAYAAAAA'
		head -c 1000000 /dev/zero | tr '\0' A
		printf '"}}]}\n'
	} > image
	echo '{"role":"user","content":[]}' > none
	image() {
		echo $(($(tokens "$@" image) - $(tokens "$@" none)))
	}
	[ "$(image)" -eq 765 ]
	[ "$(image -m gpt-4o)" -eq 765 ]
	[ "$(image -m gpt-5)" -eq 630 ]
	[ "$(image -m gpt-5.4)" -eq 1024 ]
	[ "$(image -m claude-opus-4-5)" -eq 1369 ]
	[ "$(image -m gemini-3-pro)" -eq 1120 ]
	ctx-count --json -m gpt-4o image | jq -e '.exact | not'
	ctx-count --json -m gpt-4o none | jq -e .exact
	sed 's/"}}/","detail":"low"}}/' image > low
	[ $(($(tokens -m gpt-4o low) - $(tokens -m gpt-4o none))) -eq 85 ]
	[ "$(image -d openai-chat -m gpt-4o -e cl100k_base)" -eq 765 ]
}

@test "--models lists windows, encodings and prices" {
	run -0 ctx-count --models
	[[ $output == *"gpt-4o "*" 128000 "*" o200k_base "*" tiles "* ]]
	[ "${#lines[@]}" -gt 120 ]
	[ "$(awk 'NR > 1 { print NF }' <<< "$output" | sort -u | tr '\n' ' ')" = \
	    "13 " ]
	price=$(awk '$1 == "claude-sonnet-4-5" { print $10, $11, $12, $13 }' \
	    <<< "$output")
	[ "$price" = "3 15 0.3 3.75" ]
}

@test "a model without a public tokenizer costs the nearest times a factor" {
	raw=$(tokens -e o200k_base --text "$chat")
	[ "$(tokens -m claude-opus-4-5 --text "$chat")" -eq \
	    $(((raw * 118 + 50) / 100)) ]
	[ "$(tokens -m claude-opus-4-8 --text "$chat")" -eq \
	    $(((raw * 153 + 50) / 100)) ]
	[ "$(tokens -m claude-opus-4-8 -e o200k_base --text "$chat")" -eq "$raw" ]
	# A whole conversation follows, message by message.
	[ "$(tokens -m claude-opus-4-8 "$chat")" -gt \
	    $(($(tokens -m claude-opus-4-5 "$chat") * 5 / 4)) ]
}

@test "models.json adds models and overrides them" {
	mkdir -p config/ctx
	cat > config/ctx/models.json <<'X'
	{"house": {"window": 5000, "factor": 2, "price": [1, 2]},
	 "gpt-4o": {"window": 64000, "encoding": "cl100k_base"}}
X
	run -0 ctx-count -m local/house-7b:q4 "$chat"
	[[ $output == *" 5000 "* ]]
	raw=$(tokens -e o200k_base --text "$chat")
	[ "$(tokens -m house --text "$chat")" -eq $((2 * raw)) ]
	run -0 ctx-count -m gpt-4o-2024-11-20 --json "$chat"
	jq -e '.window == 64000 and .exact' <<< "$output"
	[ "$(tokens -m gpt-4o --text "$chat")" -eq \
	    "$(tokens -e cl100k_base --text "$chat")" ]
	run -0 ctx-count --models
	[[ ${lines[1]} == house* ]]
	jq -nc --slurpfile m "$chat" '{model: "house", messages: $m}' > record
	ctx-prune record > out
	[ "$(tokens out)" -le $((5000 - 512)) ]
	[ "$(tokens out)" -gt 2500 ]
	XDG_CONFIG_HOME=none HOME=$PWD ctx-count -m gpt-4o "$chat" > out
	grep -q ' 128000 ' out
}

@test "models.json that is wrong is named, with the place" {
	mkdir -p config/ctx
	bad() {
		printf '%s' "$1" > config/ctx/models.json
		run -2 ctx-count "$chat"
		[[ $output == *"models.json"*"$2"* ]] || fail "$1: $output"
	}
	bad '{"a": {"window": 5,}}' ":1:20:"
	bad '[]' "not an object"
	bad '{"a": 7}' "'a'"
	bad '{"": {}}' "a name"
	bad '{"a": {"window": "5"}}' "'a': window"
	bad '{"a": {"window": 0}}' "'a': window"
	bad '{"a": {"window": -1}}' "'a': window"
	bad '{"a": {"factor": 1e9}}' "'a': factor"
	bad '{"a": {"image": ["nails"]}}' "'a': image"
	bad '{"a": {"price": [1, 2, 3, 4, 5]}}' "'a': price"
	bad '{"a": {"cache": "x"}}' "'a': cache"
	bad '{"a": {"exact": 1}}' "'a': exact"
	bad '{"a": {"colour": 1}}' "'a': colour"
	bad '{"a": {"window": 5, "input": 6}}' "beyond"
}
