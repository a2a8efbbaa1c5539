# ctx-count: how full is the context, and with what

load helper

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

@test "--max: a request whose list of messages is empty exits 2" {
	for list in '"messages":[]' '"contents":[]' '"model":"gpt-4o","input":[]'; do
		echo "{$list}" > none
		run -2 --separate-stderr ctx-count -q --max 10 none
		[ "$stderr" = "ctx-count: none:1: the list of messages is empty" ]
		run -1 ctx-check -q none
		run -0 ctx-count -q none
		# Another request of the file has messages.
		echo '{"messages":[{"role":"user","content":"a"}]}' >> none
		run -0 ctx-count -q -m gpt-4o --max 100 none
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
}

@test "-v says once for every model whether its counts are exact" {
	say() { # LINE OPTION...
		run -0 --separate-stderr ctx-count -v "${@:2}" "$chat"
		[ "$(grep -c "token counts of texts are" <<< "$stderr")" -eq 1 ] &&
			[[ $stderr == *"ctx-count: $1"* ]] || fail "$stderr"
	}
	say "gpt-4o: token counts of texts are exact (o200k_base)" -m gpt-4o
	say "gpt-4o: token counts of texts are exact (o200k_base)" -m gpt-4o -e o200k_base
	say "claude-opus-4-8: token counts of texts are reconstructed (claude-4.8); see" \
	    -m claude-opus-4-8
	say "claude-opus-5: token counts of texts are reconstructed (claude-4.8); white space at the end of a message is counted, but not billed by Opus 5; see" \
	    -m claude-opus-5
	say "claude-opus-4-8: token counts of texts are estimated (o200k_base); the model's own encoding is claude-4.8" \
	    -m claude-opus-4-8 -e o200k_base
	say "kimi-k2: token counts of texts are estimated (o200k_base)" -m kimi-k2
	say "unknown model: token counts of texts are estimated (o200k_base)" -m house
	say "no model: token counts of texts are estimated (o200k_base)"
	say "no model: token counts of texts are reconstructed (claude-3); see" -e claude-3
	# one line per model of the input
	for m in gpt-4o kimi-k2 gpt-4o kimi-k2; do
		echo "{\"model\":\"$m\",\"messages\":[{\"role\":\"user\",\"content\":\"x\"}]}"
	done > models
	run -0 --separate-stderr ctx-count -v models
	[ "$(grep -c "token counts of texts are" <<< "$stderr")" -eq 2 ]
	for m in exact estimated; do
		grep -q "token counts of texts are $m" <<< "$stderr"
	done
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
		chars=$(ctx-count --json "$file" | jq .chars)
		for per in role tool turn kind; do
			ctx-count --json --per $per "$file" > out
			jq -se --argjson all "$all" \
			    '(map(.tokens) | add) == $all' out
			jq -e ".$per" out > /dev/null
			# Characters are not counted by kind.
			[ $per = kind ] || jq -se --argjson chars "$chars" \
			    '(map(.chars) | add) == $chars' out
		done
	done
	jq -se 'map(.kind) | sort == ["framing", "text", "tools"]' out
	ctx-count --json --per role request > out
	jq -se 'map({(.role): .exact}) | add == {"tools": false,
	    "system": true, "user": true, "priming": true}' out
	ctx-count --json --per kind "$agent" > out
	jq -se 'map(.kind) | contains(["text", "call", "result"])' out
	# A number that was not counted is not printed as 0.
	jq -se 'all(has("chars") or has("bytes") | not)' out
	ctx-count --json --per tool "$agent" | jq -se 'all(has("bytes") | not)'
	ctx-count --per kind "$agent" | awk '$3 != "-" { exit 1 }'
	ctx-count --tsv --per kind "$agent" | awk -F'\t' 'NR > 1 && $3 != "" { exit 1 }'
	ctx-count --json --per turn "$agent" > out
	jq -se 'map(.turn | tonumber) | . == sort and .[0] == 0' out
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
	# If both numbers would be rounded to the same, one is exact.
	run -1 --separate-stderr ctx-count -m gpt-4o --max 110k "$agent"
	[ "$stderr" = "ctx-count: $agent: 110302 tokens, over 110k" ]
	run -1 --separate-stderr ctx-count -m gpt-4o --window 220k --max 50% "$agent"
	[ "$stderr" = "ctx-count: $agent: 110302 tokens, over 50 % of 220k" ]
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
	[[ $output == *"--annotate writes the conversation; remove options for other output, such as --json, "* ]]
}

@test "--annotate reports and archives the records that it changes" {
	jq -sc '{messages: .}' "$chat" > request
	for f in "$agent" request; do
		n=$(wc -l < "$f")
		ctx-count --annotate -n --archive gone "$f" > plan
		[ "$(cat plan)" = "$f
  edit   annotate                 $(printf %10d "$n") members" ]
		[ ! -e gone ]
		ctx-count --annotate -n --json "$f" |
		    jq -e ".rules[0].members == $n"
		ctx-count --annotate --archive gone --explain told "$f" > out
		cmp gone "$f"
		jq -es --arg f "$f" 'length == '"$n"' and (to_entries | all(
		    .key + 1 == .value.line)) and all(.file == $f and
		    .member == "ctx_tokens" and .rule == "annotate" and
		    .action == "edit" and .archive == "gone")' told
		[ "$(jq -r .sha256 told | tail -n 1)" = \
		    "$(tail -n 1 "$f" | sha256sum | cut -d ' ' -f 1)" ]
		ctx-count --annotate -n --explain - "$f" |
		    cmp - <(sed 's/,"archive":"gone"//' told)
		# Annotated once more, nothing changes.
		rm gone
		ctx-count --annotate --archive gone --explain told out |
		    cmp - out
		[ ! -s gone ]
		[ ! -s told ]
		[ -z "$(ctx-count --annotate -n out)" ]
		rm gone
	done
	# Only the record with another number.
	ctx-count --annotate --key n "$agent" > out
	sed -i '5s/"n":[0-9]*}$/"n":0}/' out
	ctx-count --annotate --key n --archive gone out > same
	sed -n 5p out | cmp - gone
}

@test "a missing file is skipped, with status 2" {
	echo '{"role":"user","content":"one"}' | tee a > b
	run -2 --separate-stderr ctx-count --json a none b
	[ "$(jq -r .file <<< "$output" | paste -sd ' ')" = 'a b' ]
	[ "$stderr" = "ctx-count: none: cannot open: No such file or directory" ]
	run -2 ctx-count --text none a
	[[ ${lines[1]} == *" a" ]]
	run -2 ctx-count -q --max 1 a none
	# After another error, the files that follow are not read.
	run -2 --separate-stderr ctx-count --json a/none b
	[ -z "$output" ]
	[ "$stderr" = "ctx-count: a/none: cannot open: Not a directory" ]
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
