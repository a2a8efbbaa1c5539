# ctx-count: how full is the context, and with what

load helper

@test "framing is that of the OpenAI cookbook: 3 tokens per message, 1 per name, 3 per conversation" {
	messages user:hi > one
	# role 1, content 1, framing 3, priming 3
	[ "$(tokens -m gpt-4o one)" -eq 8 ]
	messages system:hi user:hi > two
	[ "$(tokens -m gpt-4o two)" -eq 13 ]
	echo '{"role":"user","name":"bob","content":"hi"}' > named
	[ "$(tokens -m gpt-4o named)" -eq 10 ]
}

@test "the example of the OpenAI cookbook costs what its API call reported" {
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

@test "a tool call costs its name, its arguments and the measured tokens around it" {
	echo '{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"wx","arguments":"{\"city\":\"Oslo\"}"}}]}' > call
	printf '{"city":"Oslo"}' > arguments
	args=$(tokens -e o200k_base --text arguments)
	printf wx > name
	name=$(tokens -e o200k_base --text name)
	[ "$(tokens -m gpt-4o call)" -eq $((3 + 3 + 1 + args + name + 8)) ]
	[ "$(tokens -m o3 call)" -eq $((2 + 3 + 1 + args + name + 12)) ]
	[ "$(tokens -m gpt-5 call)" -eq $((2 + 3 + 1 + args + name + 14)) ]
	# That is an estimate.
	ctx-count --json -m gpt-4o call | jq -e '.exact == false'
	# Several calls in one message cost 12 tokens more.
	jq -c '.tool_calls += .tool_calls' call > two
	[ "$(tokens -m gpt-4o two)" -eq \
	    $((3 + 3 + 1 + 2 * (args + name + 8) + 12)) ]
}

@test "claude: a call costs the names and values of its arguments, and tags around them" {
	echo '{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"wx","input":{"city":"a\nb"}}]}' > one
	jq -c '.content[0].input.days = 3' one > two
	text() {
		printf "$1" > text
		tokens -e "$2" --text text
	}
	for version in claude-opus-4-5:claude-3:7:40:14 \
	    claude-opus-4-8:claude-4.8:6:27:17; do
		IFS=: read -r model encoding frame call argument <<< "$version"
		want=$((frame + call + argument + $(text wx $encoding) +
		    $(text city $encoding) + $(text 'a\nb' $encoding)))
		[ "$(tokens -m $model one)" -eq "$want" ] || fail "$model"
		[ "$(tokens -m $model two)" -eq $((want + argument +
		    $(text days $encoding) + $(text 3 $encoding))) ] ||
			fail "$model: two arguments"
	done
}

@test "gpt-5: a request costs a token less, an earlier answer 2 more" {
	messages user:hi > one
	messages user:hi assistant:yes user:hi > three
	[ "$(tokens -m gpt-5 one)" -eq $(($(tokens -m gpt-4o one) - 1)) ]
	[ "$(tokens -m o3 three)" -eq $(($(tokens -m gpt-4o three) - 1)) ]
	[ "$(tokens -m gpt-5 three)" -eq $(($(tokens -m gpt-4o three) + 1)) ]
	ctx-count --json -m gpt-5 three | jq -e .exact
}

@test "gemini: a signature on a tool call is counted, one on a text is not" {
	signed() { # parts before the signature
		printf '{"contents":[{"role":"user","parts":[{"text":"hi"}]},{"role":"model","parts":[{%s}]}]}' \
		    "$1" > in
		tokens -m gemini-3-pro in
	}
	local call='"functionCall":{"name":"f","args":{}}' signature
	signature=$(printf '"thoughtSignature":"%01000d"' 0)
	[ "$(signed "$call,$signature")" -eq $(($(signed "$call") + 210)) ]
	[ "$(signed '"text":"a",'"$signature")" -eq "$(signed '"text":"a"')" ]
}

@test "escapes count as the characters that they stand for" {
	printf '{"role":"user","content":"\\u00e9\\n\\ud83d\\ude00"}\n' > escaped
	printf '{"role":"user","content":"é\\n😀"}\n' > plain
	[ "$(tokens escaped)" -eq "$(tokens plain)" ]
}

@test "the columns are tokens, messages, characters and name, as with wc" {
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

@test "a file without messages has a line, as with wc" {
	: > nothing
	echo '{"a":1}' > other
	messages user:hi > one
	[ "$(ctx-count nothing)" = "       0        0        0 nothing" ]
	run -0 --separate-stderr ctx-count nothing other one
	[ "${#lines[@]}" -eq 4 ]
	[ "$stderr" = "ctx-count: other:1: no messages were found; ctx-stream(5) lists the formats that ctx reads" ]
	ctx-count --json -m gpt-4o nothing | jq -e '.tokens == 0 and
	    .messages == 0 and .exact and .left == .window'
	run -0 ctx-count --max 10 nothing
}

@test "--max: a file in which no messages were found exits 2" {
	echo '{"a":1}' > other
	printf '{"attributes":{"gen_ai.input.messages":%s}}\n' \
	    "$(jq -nc '[{role: "user", parts: []}] | tojson')" > span
	for f in other span; do
		run -2 --separate-stderr ctx-count -q --max 10 "$f"
		[[ $stderr = *"$f:1: no messages were found"* ]]
		run -2 ctx-count -q --max 10 "$chat" "$f"
		run -0 ctx-count -q "$f"
	done
}

@test "a file may be a pipe" {
	for c in ctx-count "ctx-prune -b 800"; do
		$c "$chat" > file
		$c <(cat "$chat") | sed "s,/dev/fd/[0-9]*,$chat," | cmp - file
	done
}

@test "an estimate is marked with ~, an exact or a reconstructed count is not" {
	run -0 ctx-count "$chat"
	[[ $output == *"~"* ]]
	run -0 ctx-count -m gemini-3-pro "$chat"
	[[ $output == *"~"* ]]
	run -0 ctx-count -m claude-opus-4-5 "$chat"
	[[ $output != *"~"* ]]
	run -0 ctx-count -m gpt-4o "$chat"
	[[ $output != *"~"* ]]
}

@test "--json and --models say exact, reconstructed or estimated" {
	basis() {
		ctx-count --json "$@" | jq -r '"\(.basis) \(.exact)"'
	}
	[ "$(basis -m gpt-4o "$chat")" = "exact true" ]
	[ "$(basis -m claude-opus-4-8 "$chat")" = "reconstructed false" ]
	[ "$(basis -e claude-3 "$chat")" = "reconstructed false" ]
	# An encoding that is not the model's own is an estimate.
	[ "$(basis -m gpt-4o -e claude-3 "$chat")" = "estimated false" ]
	[ "$(basis -m claude-opus-4-8 -e o200k_base "$chat")" = "estimated false" ]
	[ "$(basis -m claude-opus-4-8 -e claude-4.8 "$chat")" = "reconstructed false" ]
	[ "$(basis -m gpt-4o -e cl100k_base "$chat")" = "estimated false" ]
	[ "$(basis -m gpt-4o -e o200k_base "$chat")" = "exact true" ]
	[ "$(basis -m qwen3-8b -e o200k_base "$chat")" = "estimated false" ]
	[ "$(basis -m my-own -e o200k_base "$chat")" = "exact true" ]
	[ "$(basis -m gemini-3-pro "$chat")" = "estimated false" ]
	[ "$(basis -e bytes/4 --text "$chat")" = "estimated false" ]
	[ "$(basis -m claude-opus-4-8 --text "$chat")" = "reconstructed false" ]
	# An image is always estimated.
	jq -nc '{role: "user", content: [{type: "text", text: "look"},
	    {type: "image", source: {type: "url", url: "http://a/b"}}]}' > image
	[ "$(basis -m claude-opus-4-8 image)" = "estimated false" ]
	ctx-count --json -m claude-opus-4-8 --per kind image |
	    jq -se 'map({(.kind): .basis}) | add == {"text": "reconstructed",
	        "media": "estimated", "framing": "reconstructed"}'
	ctx-count --models | awk '
		$1 == "gpt-4o" { n += $7 == "o200k_base" && $8 == "exact" }
		$1 == "claude-opus-4-6" {
			n += $7 == "claude-3" && $8 == "reconstructed" }
		$1 == "claude-opus-4-7" {
			n += $7 == "claude-4.7" && $8 == "reconstructed" }
		$1 == "claude-opus-5" {
			n += $7 == "claude-4.8" && $8 == "reconstructed" }
		$1 == "gemini-3" { n += $7 ~ /^~/ && $8 == "estimated" }
		END { exit n != 5 }'
	run -0 --separate-stderr ctx-count -v -m claude-opus-4-8 "$chat"
	[[ $stderr == *"claude-opus-4-8 is counted with claude-4.8, an encoding reconstructed"* ]]
	run -0 --separate-stderr ctx-count -v -e claude-3 --text "$chat"
	[[ $stderr == *"claude-3 is reconstructed from the provider's counts"* ]]
	run -0 --separate-stderr ctx-count -v -m claude-opus-4-8 -e o200k_base "$chat"
	[[ $stderr == *"tokens of claude-opus-4-8 are estimated with o200k_base; the model's own encoding is claude-4.8"* ]]
	run -0 --separate-stderr ctx-count -v -m gpt-4o -e o200k_base "$chat"
	[[ $stderr != *" is "* ]]
}

@test "a request of one message costs Claude its text and the frame of the version" {
	jq -nc '{messages: [{role: "user", content: "hello, world"}]}' > in
	[ "$(tokens -m claude-opus-4-5 in)" -eq 10 ]
	[ "$(tokens -m claude-opus-4-7 in)" -eq 15 ]
	[ "$(tokens -m claude-opus-4-8 in)" -eq 10 ]
	# A second message costs 2 tokens and its text.
	jq -c '.messages += [{role: "assistant", content: "hello, world"}]' \
	    in > two
	[ "$(tokens -m claude-opus-4-8 two)" -eq 16 ]
	# So does an item without a role, which here is a call of 27 tokens, and
	# each of prompt and response, which have no frame of a request.
	jq -nc '{type: "function_call", call_id: "c", name: "hello",
	    arguments: ", world"}' > item
	[ "$(tokens -m claude-opus-4-8 -d openai-responses item)" -eq \
	    $((4 + 2 + 27 + $(tokens -e claude-4.8 --text <(printf hello)) +
		$(tokens -e claude-4.8 --text <(printf ', world')))) ]
	jq -nc '[{id: "x", conversation_id: "c", model: "m",
	    prompt: "hello, world", response: "hello, world"}]' > row
	[ "$(tokens -m claude-opus-4-8 -d llm-logs row)" -eq 12 ]
}

@test "-m adds the window, the share used and the tokens left" {
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
	jq -e '.model == "gpt-4o" and .window == 128000 and .exact == false and
	    .left == .window - .tokens and
	    (.used - 100 * .tokens / .window | fabs) <= 0.05001' out
	ctx-count --json --per message "$agent" > out
	[ "$(wc -l < out)" -eq 306 ]
	jq -se --argjson all "$(ctx-count --json "$agent" | jq .tokens)" \
	    '(map(.tokens) | add) == $all - 3' out
	jq -se '.[3] | .line == 4 and .index == 3 and .role == "tool" and
	    .tool == "list_dir"' out
}

@test "--per prints the file next to the role if there are several files" {
	head -n 4 "$chat" > one
	cp one two
	ctx-count --per role one | awk '{ print $4, $5 }' > roles
	[ "$(sort -u roles | wc -l)" -ge 2 ]
	{ sed 's/ *$/ one/' roles; sed 's/ *$/ two/' roles; } > want
	ctx-count --per role one two | awk '$5 ~ /^(one|two)$/ { print $4, $5 }' |
	    cmp - want
}

@test "--per role, tool, turn and kind add up to the total" {
	jq -c '{model: "gpt-4o", instructions: "Be brief.", input: [.],
	    tools: [{type: "function", name: "f", description: "to be called"}]}' \
	    <(messages user:hi) > request
	for file in "$agent" "$chat" request; do
		all=$(ctx-count --json "$file" | jq .tokens)
		for per in role tool turn kind; do
			ctx-count --json --per $per "$file" > out
			jq -se --argjson all "$all" \
			    '(map(.tokens) | add) == $all' out
			jq -e ".$per" out > /dev/null
		done
	done
	jq -se 'map(.kind) | sort == ["framing", "text", "tools"]' out
	ctx-count --json --per role request > out
	jq -se 'map({(.role): .exact}) | add == {"tools": false,
	    "system": true, "user": true, "priming": true}' out
	ctx-count --json --per kind "$agent" > out
	jq -se 'map(.kind) | contains(["text", "call", "result"])' out
	ctx-count --json --per turn "$agent" > out
	jq -se 'map(.turn | tonumber) | . == sort and .[0] == 0' out
}

@test "an image makes only the kind media an estimate" {
	printf '{"role":"user","content":[{"type":"text","text":"see"},{"type":"image_url","image_url":{"url":"https://example.org/a.png"}}]}' > image
	ctx-count -m gpt-4o --json --per kind image > out
	jq -se 'map({(.kind): .exact}) | add == {"media": false,
	    "text": true, "framing": true}' out
}

@test "--top names the largest messages and their places" {
	run -0 ctx-count --top 2 "$agent"
	[ "${#lines[@]}" -eq 2 ]
	[[ ${lines[0]} == *" $agent:"*" tool run" ]]
	line=$(sed 's/.*:\([0-9]*\) tool .*/\1/' <<< "${lines[0]}")
	most=$(ctx-count --json --per message "$agent" |
	    jq -s 'max_by(.tokens).line')
	[ "$line" -eq "$most" ]
}

@test "--tsv prints a header and tabs" {
	run -0 ctx-count --tsv -m gpt-4o "$chat" "$agent"
	[ "${lines[0]}" = $'tokens\tmessages\tchars\twindow\tused\tleft\tname' ]
	[ "${#lines[@]}" -eq 3 ]
	[ "$(awk -F'\t' '{ print NF }' <<< "$output" | sort -u)" = 7 ]
	run -0 ctx-count --tsv --per tool "$chat" "$agent"
	[ "${lines[0]}" = $'tokens\tmessages\tchars\twindow\tused\tleft\tname\ttool' ]
	[[ ${lines[2]} == *$'\t'"$agent"$'\trun' ]]
	run -0 ctx-count --tsv --per message "$agent"
	[ "${lines[0]}" = $'tokens\tmessages\tchars\twindow\tused\tleft\tname\trole\tkind\ttool' ]
	[[ ${lines[4]} == *"$agent:4"$'\ttool\tresult\tlist_dir' ]]
	[ "$(awk -F'\t' '{ print NF }' <<< "$output" | sort -u)" = 10 ]
}

@test "--tsv: each row has the columns of the header, with or without a model" {
	echo '{"messages":[{"role":"user","content":"a"}],"model":"gpt-4o"}' > known
	echo '{"messages":[{"role":"user","content":"a"}]}' > unknown
	for option in "" --total "--per role" "--per message" "--billed always"; do
		for files in "known unknown" "unknown known"; do
			# shellcheck disable=SC2086 # options and files
			ctx-count --tsv $option $files > out
			awk -F '\t' 'NR == 1 { n = NF; next }
			    NF != n { exit 1 }
			    $7 == "" && $9 == "" { exit 1 }' out || fail "$(cat out)"
		done
	done
	ctx-count --tsv known unknown | cut -f 4-7 > got
	printf '%s\t%s\t%s\t%s\n' window used left name \
	    128000 0.0% 127992 known:1 "" "" "" unknown:1 | diff - got
}

@test "--per message prints the kind that most tokens of a message belong to" {
	ctx-count --json --per message "$agent" > out
	jq -se '.[3].kind == "result" and .[0].kind == "text" and
	    (map(.kind) | unique | contains(["call", "result", "text"]))' out
}

@test "--max exits 1 if a conversation has more tokens" {
	n=$(tokens "$chat")
	ctx-count -q --max "$n" "$chat"
	run -1 ctx-count -q --max $((n - 1)) "$chat"
	[ -z "$output" ]
	run -1 --separate-stderr ctx-count --max 1.5k "$chat"
	[ "$stderr" = "ctx-count: $chat: 1.8k tokens, over 1.5k" ]
	run -1 --separate-stderr ctx-count -m gpt-4 --max 20% "$chat"
	[ "$stderr" = "ctx-count: $chat: 1.9k tokens, over 20 % of 8.2k" ]
	run -1 --separate-stderr ctx-count -m gpt-4.1 --max 0.1% "$chat"
	[ "$stderr" = "ctx-count: $chat: 1.8k tokens, over 0.1 % of 1.0M" ]
	for hi in {1..12}; do
		jq -c '{messages: [.]}' <(messages "user:$hi")
	done > twelve
	run -1 --separate-stderr ctx-count --max 5 twelve
	[ "${#stderr_lines[@]}" -eq 11 ]
	[ "${stderr_lines[1]}" = "ctx-count: twelve:2: 8 tokens, over 5" ]
	[ "${stderr_lines[10]}" = "ctx-count: 2 more conversations are over --max" ]
	ctx-count -q -m gpt-4o --max 5% "$chat"
	run -1 ctx-count -q -m gpt-4 --max 5% "$chat"
	run -2 ctx-count --max 5% "$chat"
	[[ $output == *"needs a window"* ]]
	for bad in "" -1 5x 1e9 99999999999999999999 101% %; do
		run -2 ctx-count --max "$bad" "$chat"
	done
	for c in "ctx-count --max" "ctx-prune -b" "ctx-prune --trigger"; do
		# shellcheck disable=SC2086 # a command and its option
		run -2 $c 110% -m gpt-4o "$chat"
		[[ $output == *"'110%' is not a number such as 20k, or a share of up to 100% such as 70%" ]]
	done
	for good in 20000 20k 20K 1.5M 70% 12.5%; do
		run ctx-count -q -m gpt-4o --max "$good" "$chat"
		[ "$status" -le 1 ]
	done
}

@test "--text counts plain text, with special token names as text" {
	printf 'hello <|endoftext|> world' > plain
	[ "$(tokens -e o200k_base --text plain)" -eq 9 ]
	[ "$(printf '' | ctx-count --text --json | jq .tokens)" -eq 0 ]
	run -1 ctx-count --text -q --max 3 plain
}

@test "--text counts input read in pieces as one string" {
	n=700000
	head -c $n /dev/zero | tr '\0' x > run
	head -c $n /dev/zero | tr '\0' ' ' > white
	head -c 500000 /dev/urandom | base64 -w 0 > base64
	yes $'a line of words,\tand 12345 numbers' | head -c $n > lines
	yes '日本語のテキスト、' | head -n 25000 | tr -d '\n' > cjk
	cp "$BATS_TEST_DIRNAME/fuzz/seeds/token_file/json" tokenizer.json
	cat lines run white cjk base64 lines > all
	for f in run white base64 lines cjk all; do
		jq -nc --rawfile text "$f" '{role: "user", content: $text}' > message
		for e in o200k_base r50k_base tokenizer.json bytes/4; do
			ctx-count -e $e --per kind --json message > want
			[ "$(tokens -e $e --text "$f")" -eq \
			    "$(jq 'select(.kind == "text").tokens' want)" ]
		done
		[ "$(ctx-count --text --json "$f" | jq -c '[.chars, .bytes]')" = \
		    "[$(jq '.content | length' message),$(wc -c < "$f")]" ]
	done
	# From a pipe, which gives less at a time.
	[ "$(cat all | ctx-count --text)" = "$(ctx-count --text < all)" ]
}

@test "records with conversations count one by one, with tools and system prompt" {
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

@test "gemini: calls and results cost their keys and texts" {
	echo '{"role":"model","parts":[{"functionCall":{"name":"wx","args":{"city":"Oslo","days":12345678}}}]}' > call
	# wx, city, days, Oslo
	[ "$(tokens -e o200k_base call)" -eq 5 ]
	echo '{"role":"user","parts":[{"functionResponse":{"name":"wx","response":{"output":["hi","hi"]}}}]}' > result
	[ "$(tokens -e o200k_base result)" -eq 4 ]
}

@test "unknown records cost nothing, unknown blocks cost their text" {
	cp "$chat" mixed
	echo '{"type":"session_meta","id":1}' >> mixed
	[ "$(tokens mixed)" -eq "$(tokens "$chat")" ]
	echo '{"role":"user","content":[{"type":"hologram","data":"some words"}]}' > odd
	[ "$(tokens odd)" -gt 10 ]
}

@test "an image costs by its size and model, and its base64 is never counted as text" {
	# The header of a PNG of 1024 by 1024 pixels, and a megabyte after it.
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
	[ "$(image -m gpt-5.4)" -eq 1229 ]
	[ "$(image -m claude-opus-4-5)" -eq 1369 ]
	[ "$(image -m gemini-2.0-flash)" -eq 1290 ]
	[ "$(image -m gemini-2.5-pro)" -eq 258 ]
	[ "$(image -m gemini-3-pro)" -eq 1089 ]
	ctx-count --json -m gpt-4o image | jq -e '.exact | not'
	ctx-count --json -m gpt-4o none | jq -e .exact
	sed 's/"}}/","detail":"low"}}/' image > low
	[ $(($(tokens -m gpt-4o low) - $(tokens -m gpt-4o none))) -eq 85 ]
	[ "$(image -d openai-chat -m gpt-4o -e cl100k_base)" -eq 765 ]
}

@test "a model in models.json counts images and tools by its members" {
	mkdir -p config/ctx
	cat > config/ctx/models.json <<'X'
	{"ours": {"window": 64000, "output": 900, "encoding": "o200k_base",
	  "exact": false, "image": ["tiles", 11, 7, 2048],
	  "tools": ["types", 30, 80], "cache": "auto"},
	 "plain": {"encoding": "o200k_base", "tools": ["types"]}}
X
	ctx-count --models | grep '^ours .* 64000 .* 900 .* tiles *types *auto'
	# The header of a PNG of 1024 by 1024 pixels: four tiles once it is fit.
	png=iVBORw0KGgoAAAANSUhEUgAABAAAAAQACAYAAAAA
	echo '{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,'$png'"}}]}' > image
	echo '{"role":"user","content":[]}' > none
	[ $(($(tokens -m ours image) - $(tokens -m ours none))) -eq $((11 + 4 * 7)) ]
	request() {
		jq -nc --argjson choice "$1" '{messages: [{role: "user",
		    content: "hi"}], tool_choice: $choice, tools: [{type:
		    "function", function: {name: "f", parameters: {}}}]}' > in
	}
	request '"auto"'
	[ "$(tokens -m ours in)" -eq $(($(tokens -m plain in) + 30)) ]
	request '{"type": "function", "function": {"name": "f"}}'
	[ "$(tokens -m ours in)" -eq $(($(tokens -m plain in) + 80)) ]
}

@test "without a model the dialect decides how an image is counted" {
	png=iVBORw0KGgoAAAANSUhEUgAABAAAAAQACAYAAAAA
	source='{"type":"base64","media_type":"image/png","data":"'$png'"}'
	echo '{"role":"user","content":[{"type":"text","text":"a"},{"type":"image","source":'"$source"'}]}' > anthropic
	echo '{"role":"user","content":[{"text":"a"},{"image":{"format":"png","source":{"bytes":"'$png'"}}}]}' > bedrock
	echo '{"role":"user","parts":[{"text":"a"},{"inlineData":{"mimeType":"image/png","data":"'$png'"}}]}' > gemini
	echo '{"role":"user","content":[{"type":"text","text":"a"},{"type":"image_url","image_url":{"url":"data:image/png;base64,'$png'"}}]}' > openai-chat
	media() {
		ctx-count --json --per kind "$@" |
		    jq 'select(.kind == "media").tokens'
	}
	[ "$(media anthropic)" -eq 1369 ]
	[ "$(media bedrock)" -eq 1369 ]
	[ "$(media gemini)" -eq 1290 ]
	[ "$(media openai-chat)" -eq 765 ]
	# The model leads, whoever's format it is.
	[ "$(media -m claude-opus-4-5 openai-chat)" -eq 1369 ]
	[ "$(media -m gpt-4o anthropic)" -eq 765 ]
}

@test "a PDF costs by its number of pages, wherever the file shows it" {
	pdf=$(printf '%%PDF-1.7\n1 0 obj<</Type /Pages/Count 3>>\n%s\n%s\n%s' \
	    '2 0 obj<</Type/Page>>' '3 0 obj<</Type /Page /X 1>>' \
	    '4 0 obj<</Type  /Page>>' | base64 -w 0)
	echo '{"role":"user","content":[{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"'"$pdf"'"}}]}' > doc
	echo '{"role":"user","content":[]}' > none
	[ $(($(tokens -d anthropic doc) - $(tokens -d anthropic none))) -eq 4845 ]
	ctx-count --json -m claude-opus-4-5 doc | jq -e '.exact | not'
}

# Prints the tokens of a PDF for a model.  Its page has a stream of 400 bytes
# ($1: the dictionary of the stream); a font and an image have others.
pdf_tokens() {
	local model=$2 detail=$3 stream
	stream=$(printf '%400s' '')
	pdf=$(printf '%s\n' '%PDF-1.7' '1 0 obj<</Type/Page>>endobj' \
	    "2 0 obj<<$1>>stream" "${stream:2}" 'endstream endobj' \
	    '3 0 obj<</Length1 9/Filter/FlateDecode>>stream' \
	    "$stream/Type/Page$stream" 'endstream endobj' \
	    '4 0 obj<</Subtype/Image/Filter/DCTDecode>>stream' "$stream" \
	    endstream | base64 -w 0)
	case $model in
	claude*) jq -nc --arg p "$pdf" '{role: "user", content: [{type: "document",
	    source: {type: "base64", media_type: "application/pdf", data: $p}}]}' ;;
	*) jq -nc --arg p "data:application/pdf;base64,$pdf" --arg d "$detail" \
	    '{role: "user", content: [if $d == "chat" then
	        {type: "file", file: {filename: "a.pdf", file_data: $p}}
	    else {type: "input_file", filename: "a.pdf", file_data: $p} +
	        if $d == "" then {} else {detail: $d} end end]}' ;;
	esac > doc
	ctx-count --json --per kind -m "$model" doc |
	    jq 'select(.kind == "media").tokens'
}

@test "a PDF costs OpenAI and Claude the text of its pages, and their images" {
	# 30 tokens, and one for 2 bytes of compressed text or for 5 of other
	[ "$(pdf_tokens /Filter/FlateDecode gpt-5.4)" -eq 230 ]
	[ "$(pdf_tokens /Length gpt-5.4)" -eq 110 ]
	[ "$(pdf_tokens /Length gpt-5.4 low)" -eq 110 ]
	[ "$(pdf_tokens /Length gpt-4o high)" -eq $((110 + 765)) ]
	[ "$(pdf_tokens /Length gpt-5.6 low)" -eq 110 ]
	[ "$(pdf_tokens /Length gpt-5.6)" -gt 2700 ]
	[ "$(pdf_tokens /Length gpt-5.6)" -eq "$(pdf_tokens /Length gpt-5.6 high)" ]
	# Chat Completions: the same for every model
	[ "$(pdf_tokens /Length gpt-4o chat)" -eq $((110 + 982)) ]
	[ "$(pdf_tokens /Length gpt-5.6 chat)" -eq $((110 + 982)) ]
	# Claude: half as many tokens more for a text
	[ "$(pdf_tokens /Length claude-opus-5)" -eq $((1600 + 165)) ]
}

@test "--models prints windows, encodings and prices, with their dates" {
	run -0 --separate-stderr ctx-count --models
	[[ $output == *"gpt-4o "*" 128000 "*" o200k_base "*" tiles "*" openai "* ]]
	[ "${#lines[@]}" -gt 120 ]
	awk 'NR > 1 && (NF < 21 || $3 <= 0 || $6 !~ /^20..-..-..$/) { exit 1 }
	    NR > 1 && $13 != "-" && $18 !~ /^20..-..-..$/ { exit 1 }
	    $13 == "-" && ($14 $15 $16 $17 != "----" || $18 != "-") { exit 1 }' \
	    <<< "$output"
	price() {
		awk -v m="$1" -v when="$2" '$1 == m && $21 == when {
			print $13, $14, $15, $16, $17 }' <<< "$output"
	}
	[ "$(price claude-sonnet-4-5 -)" = "3 15 0.3 3.75 6" ]
	[ "$(price gpt-6 -)" = "- - - - -" ]
	[ "$(price gpt-5.5 -)" = "5 30 0.5 - -" ]
	[ "$(price gpt-5.5 above)" = "10 45 1 - -" ]
	[[ $output == *" days 1-5 hours 1-4,6-10 UTC"* ]]
}

@test "--models says of which day the table is, and if that is over 90 days ago" {
	date=$(ctx-count --version | sed -n 's/models of //p')
	age=$((($(date +%s) - $(date -d "$date"T00:00Z +%s)) / 86400))
	ctx-count --models 2>&1 > /dev/null | sed 's/^ctx-count: //' > err
	{
		echo "the table of models and prices is of $date"
		[ "$age" -le 90 ] || echo "the table is $age days old: models" \
		    "and prices may have changed since; update ctx"
	} | cmp - err
}

@test "an alias is the newest model of its family, and -v says which" {
	run -0 --separate-stderr ctx-count -v -m sonnet "$chat"
	[[ $stderr == *"sonnet is assumed to be claude-sonnet-5-5"* ]]
	run -0 --separate-stderr ctx-count -m sonnet "$chat"
	[[ $stderr != *"taken for"* ]]
	[ "$(tokens -m 'opus[1m]' "$chat")" -eq "$(tokens -m claude-opus-5-5 "$chat")" ]
	mkdir -p config/ctx
	echo '{"sonnet": {"window": 77}}' > config/ctx/models.json
	run -0 --separate-stderr ctx-count -v -m sonnet --json "$chat"
	[ "$(jq .window <<< "$output")" -eq 77 ]
	[[ $stderr != *"taken for"* ]]
}

@test "--models names the tokenizer file to load, and -v does so for one model" {
	ctx-count --models > list
	for family in llama-3.1:Llama-3 qwen3:Qwen3 deepseek-v3:DeepSeek \
	    mistral-nemo:tekken.json gemma-3:gemma-3 gemini-2.5-pro:gemma-3; do
		awk -v m="${family%%:*}" -v f="${family#*:}" '
			$1 == m { found = $7 ~ /^~/ && index($19, f) }
			END { exit !found }' list || fail "$family"
	done
	awk 'NR > 1 && $7 ~ /^[^~]/ && $19 != "-" { exit 1 }' list
	run -0 --separate-stderr ctx-count -v -m qwen3-32b "$chat"
	[[ $stderr == *"Qwen/Qwen3-8B/tokenizer.json"* ]]
	run -0 --separate-stderr ctx-count -v -m qwen3-32b -e o200k_base "$chat"
	[[ $stderr != *"tokenizer"* ]]
}

# A small tokenizer file whose form is that of the file $1 on huggingface.co.
# corpus/tokenizers.json has the forms, and where each was read.
tokenizer_like() {
	seeds=$BATS_TEST_DIRNAME/fuzz/seeds/token_file
	form=$(jq -c --arg file "$1" '.[$file]' \
	    "$BATS_TEST_DIRNAME/corpus/tokenizers.json")
	case $(jq -r .base <<< "$form") in
	bytes) base=$seeds/json ;;
	characters) base=$seeds/chars ;;
	tekken) cat "$seeds/tekken"; return ;;
	*) fail "no form of $1 in tests/corpus/tokenizers.json" ;;
	esac
	jq -c --argjson form "$form" '.normalizer = $form.normalizer |
	    .pre_tokenizer = $form.pre_tokenizer | .model += $form.model' "$base"
}

@test "-v names for no model a tokenizer file that ctx would refuse" {
	echo "the thing" > text
	ctx-count --models | awk 'NR > 1 { print $1, $19 }' | sort -u > rows
	[ "$(wc -l < rows)" -gt 120 ]
	while read -r model file; do
		run -0 --separate-stderr ctx-count -v -m "$model" --text text
		named=$(sed -n 's/.*tokenizer \(is \)*\([^ ]*\) on huggingface.*/\2/p' \
		    <<< "$stderr")
		[ "${named:--}" = "$file" ] || fail "$model: $named, not $file"
		[ "$file" = - ] || echo "$file" >> named
	done < rows
	sort -u named > files
	[ "$(wc -l < files)" -gt 10 ]
	while read -r file; do
		tokenizer_like "$file" > like.json
		ctx-count -e ./like.json --text text || fail "$file"
	done < files
}

@test "gemini is estimated with the tokenizer of gemma, gemma counted exactly" {
	tokenizer_like google/gemma-3-4b-it/tokenizer.json > gemma.json
	count() { ctx-count --json -e ./gemma.json -m "$1" "$chat"; }
	[ "$(count gemini-2.5-pro | jq .exact)" = false ]
	[ "$(count gemma-3-27b-it | jq .exact)" = true ]
	[ "$(count gemini-2.5-pro | jq .tokens)" = \
	    "$(count gemma-3-27b-it | jq .tokens)" ]
	run -0 --separate-stderr ctx-count -v -m gemini-2.5-pro "$chat"
	[[ $stderr == *"a better estimate is given by the tokenizer google/gemma-3-"* ]]
}

@test "an unknown model prints one line with the values used instead" {
	jq -nc --slurpfile m "$chat" '{model: "my/own", messages: $m}' > record
	cat record record > two
	for command in "ctx-count" "ctx-prune -b 100" "ctx-age" \
	    "ctx-truncate --unit tokens"; do
		run --separate-stderr $command two
		[ "$(grep -c "unknown model my/own: .* 32,000" \
		    <<< "$stderr")" -eq 1 ] || fail "$command: $stderr"
	done
	run -0 --separate-stderr ctx-count -m gpt-4o two
	[ -z "$stderr" ]
}

@test "an unknown model of -m is an error if its window decides" {
	for c in "ctx-prune" "ctx-prune -b 70%" "ctx-prune -s summarize" \
	    "ctx-count --max 50%"; do
		# shellcheck disable=SC2086 # a command and its options
		run -2 --separate-stderr $c -m no-such "$chat"
		[[ $stderr == *": --model: 'no-such' is unknown, so "*" needs --window; "* ]] ||
			fail "$c: $stderr"
		[ -z "$output" ]
		# shellcheck disable=SC2086
		run -0 $c -m no-such --window 9k "$chat"
	done
	run -0 ctx-prune -m no-such -b 9k "$chat"
	run -0 ctx-prune -m no-such -s window "$chat"
	run -0 ctx-count -m no-such --max 9k "$chat"
	# One that the record names may be a local one.
	jq -nc --slurpfile m "$chat" '{model: "my/own", messages: $m}' > record
	run -0 ctx-prune -n record
	for c in ctx-count ctx-prune ctx-truncate ctx-age ctx-restore ctx-cache \
	    ctx-check ctx-replay ctx-eval; do
		run -2 $c -m "" "$chat"
		[[ $output == "$c: --model: '' is not a name" ]] || fail "$output"
	done
}

@test "the message about an unknown model shortens a long name" {
	jq -nc --slurpfile m "$chat" --arg x "$(printf 'x%.0s' {1..500})" \
	    '{model: $x, messages: $m}' > record
	run --separate-stderr ctx-count record
	[[ $stderr == *"unknown model xxx"* ]]
	[ "${#stderr}" -lt 250 ]
	[ "$(tokens record)" -eq "$(jq -c '.model = "xy"' record | tokens)" ]
}

@test "a model without a public tokenizer costs the nearest encoding times a factor" {
	raw=$(tokens -e o200k_base --text "$chat")
	[ "$(tokens -m gemini-3-pro --text "$chat")" -eq \
	    $(((raw * 119 + 50) / 100)) ]
	[ "$(tokens -m qwen3-32b --text "$chat")" -eq \
	    $(((raw * 104 + 50) / 100)) ]
	[ "$(tokens -m gemini-3-pro -e o200k_base --text "$chat")" -eq "$raw" ]
	# A whole conversation follows, message by message.
	[ "$(tokens -m gemini-3-pro "$chat")" -gt \
	    $(($(tokens -m qwen3-32b "$chat") * 11 / 10)) ]
}

@test "models.json adds models and overrides those of the table" {
	mkdir -p config/ctx
	cat > config/ctx/models.json <<'X'
	{"house": {"window": 5000, "factor": 2, "price": [1, 2]},
	 "steep": {"window": 5000, "factor": 100},
	 "gpt-4o": {"window": 64000, "encoding": "cl100k_base"}}
X
	run -0 ctx-count -m local/house-7b:q4 "$chat"
	[[ $output == *" 5000 "* ]]
	raw=$(tokens -e o200k_base --text "$chat")
	[ "$(tokens -m house --text "$chat")" -eq $((2 * raw)) ]
	# the largest factor that is allowed
	[ "$(tokens -m steep --text "$chat")" -eq $((100 * raw)) ]
	run -0 ctx-count -m gpt-4o-2024-11-20 --json "$chat"
	jq -e '.window == 64000 and .exact' <<< "$output"
	[ "$(tokens -m gpt-4o --text "$chat")" -eq \
	    "$(tokens -e cl100k_base --text "$chat")" ]
	run -0 --separate-stderr ctx-count --models
	[[ ${lines[1]} == house* ]]
	jq -nc --slurpfile m "$chat" '{model: "house", messages: $m}' > record
	ctx-prune record > out
	[ "$(tokens out)" -le $((5000 - 512)) ]
	[ "$(tokens out)" -gt 2500 ]
	XDG_CONFIG_HOME=none HOME=$PWD ctx-count -m gpt-4o "$chat" > out
	grep -q ' 128000 ' out
}

# A vocabulary of bytes alone: a text has as many tokens as bytes.
bytes_vocabulary() {
	perl -MMIME::Base64 -e 'print encode_base64(chr, ""), " $_\n" for 0..255' \
	    > "$1"
}

@test "a model of models.json is exact, reconstructed or estimated by its members" {
	local row want
	mkdir -p config/ctx
	while IFS=$'\t' read -r row want; do
		echo "{\"x\": $row}" > config/ctx/models.json
		[ "$(ctx-count --json -m x "$chat" | jq -r .basis)" = "$want" ] ||
			fail "$row is not $want"
		[ "$(ctx-count --models | awk '$1 == "x"' | grep -ow \
		    'exact\|reconstructed\|estimated')" = "$want" ] ||
			fail "--models: $row is not $want"
	done <<-'END'
	{"encoding": "o200k_base"}	exact
	{"encoding": "o200k_base", "exact": false}	estimated
	{"encoding": "o200k_base", "factor": 1.2}	estimated
	{"encoding": "claude-3"}	reconstructed
	{"encoding": "claude-3", "exact": true}	reconstructed
	{"encoding": "claude-3", "factor": 1.2}	estimated
	{"encoding": "bytes/4", "exact": true}	estimated
	END
	echo '{"claude-opus-4-8": {"factor": 1.47}}' > config/ctx/models.json
	run -2 ctx-count -m claude-opus-4-8 "$chat"
	[[ $output == *"'factor' needs 'encoding', whose tokens it multiplies"* ]] || fail "$output"
	echo '{"claude-opus-4-8": {"encoding": "o200k_base", "factor": 1.5}}' \
	    > config/ctx/models.json
	[ "$(tokens -m claude-opus-4-8 --text "$chat")" -eq \
	    $((($(tokens -e o200k_base --text "$chat") * 150 + 99) / 100)) ]
}

@test "an encoding may be a file, named by -e or by a model in models.json" {
	mkdir -p config/ctx
	bytes_vocabulary config/ctx/r50k_bytes.tiktoken
	echo '{"bytes": {"encoding": "r50k_bytes.tiktoken", "window": 9000},
	    "claude-opus-4-8": {"encoding": "r50k_bytes.tiktoken"}}' \
	    > config/ctx/models.json
	text=$(head -c 20000 /dev/zero | tr '\0' x)
	messages user:hi "assistant:$text" user:more assistant:done > in
	n=$(jq -j '.role, .content' in | wc -c)
	file=config/ctx/r50k_bytes.tiktoken
	for how in "-e $file" "-m bytes" "-m house/bytes-7b:q4"; do
		[ "$(tokens $how in)" -eq $((n + 4 * 3 + 3)) ]
		ctx-count --json $how in | jq -e .exact
	done
	# With another encoding the model's own factor is not applied.
	[ "$(tokens -m claude-opus-4-8 --text in)" -eq "$(wc -c < in)" ]
	ctx-prune -s pinned-fifo -e $file --window 9k -k 1 -t 0 in > want
	for how in "-e $file" "-m bytes"; do
		ctx-prune -s pinned-fifo $how --window 9k -k 1 -t 0 in > out
		cmp want out
		[ "$(wc -l < out)" -eq 2 ]
		ctx-truncate $how --unit tokens --message-limit 1000 in > out
		jq -se '.[1].content | utf8bytelength <= 1000' out
	done
	printf '%s\n' '{"role":"user","content":"go"}' \
	    '{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]}' \
	    '{"role":"tool","tool_call_id":"c","content":"'"$text"'"}' \
	    '{"role":"user","content":"and"}' > in
	for how in "-e $file" "-m bytes"; do
		# The head and the reference cost less than 20,000 bytes.
		ctx-age $how -k 1 --at-least 18k in > out
		jq -se '.[2].content | utf8bytelength < 2000' out
		ctx-age $how -k 1 --at-least 20k in > out
		cmp in out
	done
	# Relative to where it is named, not to where we are.
	mkdir elsewhere
	(cd elsewhere && [ "$(tokens -m bytes --text ../in)" -eq \
	    "$(wc -c < ../in)" ])
	echo '{"x": {"encoding": "none.tiktoken"}}' > config/ctx/models.json
	run -2 ctx-count -m x in
	[[ $output == *"config/ctx/none.tiktoken"* ]]
	echo "{\"x\": {\"encoding\": \"$PWD/none.tiktoken\"}}" \
	    > config/ctx/models.json
	run -2 ctx-count -m x in
	[[ $output == *" $PWD/none.tiktoken"* ]]
}

@test "--calibrate --bound upper gives a factor that underestimates no request" {
	for n in 3 9 30 70 200; do
		text=$(words $n)
		messages "user:$text" | jq -sc --argjson u $((n * 2 + n % 4)) \
		    '{model: "house", messages: ., usage: {prompt_tokens: $u}}'
	done > in
	ctx-count --calibrate --bound upper --json in > out 2> /dev/null
	jq -e '.models.house.factor == .upper and .upper > .factor' out
	mkdir -p config/ctx
	jq -c .models out > config/ctx/models.json
	ctx-count --json in > counts
	paste -d ' ' <(jq .tokens counts) <(jq .usage.prompt_tokens in) |
	    awk '$1 < $2 { exit 1 }'
	# How sure a factor is takes more than one call.
	ctx-count --calibrate -e o200k_base in 2> err |
	    grep -qE 'factor +[0-9.]+ tokens for one of o200k_base \(95 %: [0-9.]+ to'
	head -n 1 in | ctx-count --calibrate -e o200k_base 2> err |
	    grep -q 'factor .*, too few requests for an interval$'
}

@test "--annotate writes the stream with a token count in each record" {
	ctx-count --annotate -m gpt-4o "$agent" > out
	cmp <(jq -c 'del(.ctx_tokens)' out) <(jq -c . "$agent")
	sed 's/,"ctx_tokens":[0-9]*}$/}/' out | cmp - "$agent"
	cmp <(jq .ctx_tokens out) \
	    <(ctx-count --json --per message -m gpt-4o "$agent" | jq .tokens)
	# Once is twice, a number that is there is replaced, where it stands.
	ctx-count --annotate -m gpt-4o out | cmp - out
	printf '{"n": 7 , "role":"user","content":"hi" }\r\n' > in
	for key in '' $'\xff'; do
		run -2 ctx-count --annotate --key "$key" in
		[[ $output == *"--key: must be UTF-8 and not empty"* ]]
	done
	ctx-count --annotate --key n in > out
	printf '{"n": 5 , "role":"user","content":"hi" }\r\n' | cmp - out
	ctx-count --annotate in > out
	printf '{"n": 7 , "role":"user","content":"hi","ctx_tokens":5 }\r\n' |
	    cmp - out
}

@test "--annotate gives a request its sum and changes no other record" {
	jq -n --slurpfile m "$chat" '{model: "gpt-4o", messages: $m,
	    tools: [{type: "function", function: {name: "f"}}]}' > request
	ctx-count --annotate request > out
	[ "$(jq .ctx_tokens out)" -eq "$(tokens request)" ]
	grep -v '^  "ctx_tokens"' out | cmp -s - request || {
		jq 'del(.ctx_tokens)' out | cmp - request
	}
	printf '%s\n' '{"type":"session_meta"}' '' '[]' \
	    '[{"role":"user","content":"a"}]' > rest
	ctx-count --annotate rest | cmp - rest
	for d in "$BATS_TEST_DIRNAME"/corpus/*/*.jsonl; do
		ctx-count --annotate "$d" > once
		ctx-count --annotate once | cmp - once || fail "$d"
		cmp <(jq -cS 'del(.ctx_tokens?)' once) <(jq -cS . "$d") ||
			fail "$d: changed"
		cmp <(ctx-count --json once | jq .tokens) \
		    <(ctx-count --json "$d" | jq .tokens) || fail "$d"
	done
	run -2 ctx-count --annotate --json "$chat"
	[[ $output == *"cannot be combined with other output"* ]]
}

@test "--models masks control characters of models.json" {
	mkdir -p config/ctx
	echo '{"a\u001b[31m\u202e": {"window": 9, "vendor": "v\u0007"}}' \
	    > config/ctx/models.json
	ctx-count --models > out
	sed -n 2p out | grep -qE '^a\?\[31m\? +v\? +9 '
	run ! grep -q $'[\033\007]' out
}

@test "an error in models.json is reported with its place" {
	mkdir -p config/ctx
	bad() {
		printf '%s' "$1" > config/ctx/models.json
		run -2 ctx-count "$chat"
		[[ $output == *"models.json"*"$2"* ]] || fail "$1: $output"
	}
	bad '{"a": {"window": 5,}}' ":1:20:"
	bad '[]' "not a JSON object"
	# On a stack that the reader of JSON would not do with.
	deep=$(printf '{"x":%.0s' {1..2000})1$(printf '}%.0s' {1..2000})
	(ulimit -s 128 && bad "$deep" "nested more than 64 deep")
	bad "$(printf '{%01000000d}' 0)" "more than 1000000 bytes"
	bad '{"a": 7}' "'a'"
	bad '{"": {}}' "the name is empty"
	bad '{"a": {"window": "5"}}' "'a': the value of 'window' must be "
	bad '{"a": {"window": 0}}' "'a': the value of 'window' must be "
	bad '{"a": {"window": -1}}' "'a': the value of 'window' must be "
	bad '{"a": {"factor": 1e9}}' "'a': the value of 'factor' must be a number from 0.01 to 100"
	bad '{"a": {"image": ["nails"]}}' "'a': the value of 'image' must be "
	bad '{"a": {"image": ["tiles", "x"]}}' "'a': the value of 'image' must be "
	bad '{"a": {"image": ["tiles", 1, 2, 3, 4]}}' "'a': the value of 'image' must be "
	bad '{"a": {"vendor": 1}}' "'a': the value of 'vendor' must be "
	bad '{"a": {"output": "x"}}' "'a': the value of 'output' must be "
	bad '{"a": {"price": []}}' "'a': the value of 'price' must be "
	bad '{"a": {"price": [1, -1]}}' "'a': the value of 'price' must be "
	bad '{"a": {"cache_least": -1}}' "'a': the value of 'cache_least' must be "
	bad '{"a": {"tools": ["json", 1, 2, 3]}}' "'a': the value of 'tools' must be "
	bad '{"a": {"price": [1, 2, 3, 4, 5, 6]}}' "'a': the value of 'price' must be "
	bad '{"a": {"cache": "x"}}' "'a': the value of 'cache' must be "
	bad '{"a": {"input": "x"}}' "'a': the value of 'input' must be "
	bad '{"a": {"binds": 1}}' "'a': the value of 'binds' must be true or false"
	bad '{"a": {"drops_reasoning": 1}}' "'a': the value of 'drops_reasoning' must be "
	bad '{"a": {"exact": 1}}' "'a': the value of 'exact' must be "
	bad '{"a": {"tools": ["nails"]}}' "'a': the value of 'tools' must be "
	bad '{"a": {"tools": ["json", -1]}}' "'a': the value of 'tools' must be "
	bad '{"a": {"encoding": 7}}' "'a': the value of 'encoding' must be "
	bad '{"a": {"colour": 1}}' "'a': the member 'colour' is unknown; see FILES in ctx-count(1)"
	bad '{"a": {"window": 5, "input": 6}}' "'input' is larger than 'window'"
}

@test "--per tool distinguishes names that differ after a NUL" {
	jq -nc '{role: "assistant", content: null, tool_calls:
	    (["a\u0000b", "a\u0000c", "a"] | to_entries | map({id: "\(.key)",
	    type: "function", function: {name: .value, arguments: "{}"}}))}' > in
	ctx-count --per tool --json in | jq -c .tool | sort > names
	printf '%s\n' '"-"' '"a"' '"a\u0000b"' '"a\u0000c"' | cmp - names
	printf '%s\n' - a 'a?b' 'a?c' > masked
	ctx-count --per tool in | awk '{ print $4 }' | sort | cmp - masked
	ctx-count --per tool --tsv in | sed 1d | cut -f 8 | sort | cmp - masked
}

@test "--per tool distinguishes any number of tools in one message" {
	jq -nc --argjson n 2000 'range(2) as $m | {role: "assistant", tool_calls:
	    [range(2 * $n) | . as $c | (if $m == 0 then . % $n
		else $n - 1 - . % $n end) as $i |
		{id: "c\($m)-\($c)", type: "function",
		 function: {name: "t\(1000 + $i)", arguments: "{}"}}]}' > in
	ctx-count -e bytes/4 --per tool in > rows
	# Two messages call each twice; what frames a message is its first tool's.
	[ "$(grep -c ' t[0-9]*$' rows)" -eq 2000 ]
	[ "$(grep ' t[0-9]*$' rows | awk '{ print $2, $3 }' | uniq -c |
	    awk '{ print $1, $2, $3 }')" = "2000 2 28" ]
	[ "$(tr -d '~' < rows | awk '{ n += $1 } END { print n }')" = \
	    "$(tokens -e bytes/4 in)" ]
}

@test "JSON costs the same however it is laid out and escaped" {
	value='{"wo":["北京/東京","😀\n\"",1.50],"où":{}}'
	tools='[{"name":"wx","description":"météo / 天気","input_schema":
	    {"type":"object","properties":{"où":{"type":"string",
	    "enum":["à","/"]}}}}]'
	jq -nc --argjson v "$value" '
	    {role: "assistant", content: [{type: "tool_use", id: "a",
		name: "wx", input: $v}]},
	    {role: "assistant", content: [{toolUse: {toolUseId: "b",
		name: "wx", input: $v}}]},
	    {role: "assistant", tool_calls: [{id: "c", function: {name: "wx",
		arguments: $v}}]},
	    {role: "tool", tool_call_id: "c", content: {x: $v}}' > plain
	for m in gpt-4o claude-sonnet-4-5; do
		jq -nc --arg m $m --argjson t "$tools" '{model: $m, tools: $t,
		    messages: [{role: "user", content: "x"}]}'
	done >> plain
	jq -ac . plain | sed 's|/|\\/|g; s|:"wx"|: "w\\u0078"|' > escaped
	jq --indent 5 . plain > spread
	ctx-count --json --per kind plain > want
	[ "$(wc -l < want)" -eq 5 ]
	for file in escaped spread; do
		for j in 1 3; do
			ctx-count -j $j --json --per kind $file |
			    sed "s/\"$file/\"plain/" | cmp - want ||
			    fail "$file -j $j"
		done
	done
	# as in budgets and limits
	for file in plain escaped; do
		{
			messages user:x
			sed -n 3,4p $file
			messages assistant:z user:y
		} > $file.chat
	done
	n=$(tokens plain.chat)
	ctx-prune -b "$n" -k 1 -t 0 escaped.chat | cmp - escaped.chat
	ctx-prune -b $((n - 1)) -k 1 -t 0 escaped.chat > out
	run ! cmp -s out escaped.chat
	sed -n 3,4p escaped > two
	n=$(ctx-count --per kind two | sed -n 's/ *~\([0-9]*\) .* result/\1/p')
	ctx-truncate --unit tokens -l "$n" --args "$n" two | cmp - two
	ctx-truncate --unit tokens -l $((n - 1)) two > out
	run ! cmp -s two out
	ctx-truncate --args 36 two | cmp - two
	ctx-truncate --args 35 two | grep -q '"arguments":{"…":0}'
}

@test "a model name with escapes is decoded if it is short enough" {
	long=$(printf 'x%.0s' {1..300})
	for name in 'gpt\u002d4o' 'g\u0070t-4o' "\\u0078$long"; do
		echo '{"model":"'"$name"'","messages":[{"role":"user","content":"go"}]}'
	done > in
	run -0 --separate-stderr ctx-count --json in
	[ "$(jq -sc 'map(.model)' <<< "$output")" = '["gpt-4o","gpt-4o",""]' ] ||
		fail "$(jq -sc 'map(.model)' <<< "$output")"
	# Many of them, as many as are kept and more.
	for i in {1..4200}; do
		echo '{"model":"gp\u0074-4o-'$i'","messages":[{"role":"user","content":"go"}]}'
	done > many
	ctx-count --json many | jq -e -s 'all(.model == "gpt-4o")' > found
	[ "$(cat found)" = true ]
}
