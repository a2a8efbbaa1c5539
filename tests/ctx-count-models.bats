# ctx-count: which model is meant, by what it is counted, and models.json

load helper

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
	[ "$(price gpt-6.2-sol -)" = "2 10 0.1 2.5 -" ]
	[ "$(price gpt-6.2-astra above)" = "16 60 0.8 20 -" ]
	[[ $output == *" days 1-5 hours 1-4,6-10 UTC"* ]]
}

@test "--models says how old its figures are, and how many are over 90 days old" {
	date=$(ctx-count --version | sed -n 's/models of //p')
	limit=$(date -u -d '90 days ago' +%F)
	ctx-count --models 2> err > list
	# Each model with the oldest date of its lines.
	awk 'NR > 1 { d = $6; if ($18 != "-" && $18 < d) d = $18
	    if (!($1 in old) || d < old[$1]) old[$1] = d }
	    END { for (m in old) print old[m] }' list | sort > dates
	old=$(awk -v limit="$limit" '$1 < limit' dates | wc -l)
	[ "$old" -gt 0 ]
	{
		echo "the table of models and prices is dated $date, its oldest" \
		    "figure $(head -n 1 dates); \"-\" means unknown, or none"
		echo "prices and limits of $old of $(wc -l < dates) models were" \
		    "read more than 90 days ago, and may have changed since"
	} | cmp - <(sed 's/^ctx-count: //' err)
}

@test "an alias is the newest model of its family, and -v says which" {
	run -0 --separate-stderr ctx-count -v -m sonnet "$chat"
	[[ $stderr == *"sonnet is assumed to be claude-sonnet-5-5"* ]]
	run -0 --separate-stderr ctx-count -m sonnet "$chat"
	[[ $stderr != *"assumed"* ]]
	for m in kimi:kimi-k3.1-pro minimax:minimax-m3 default:claude-opus-5-5; do
		run -0 --separate-stderr ctx-count -v -m "${m%:*}" "$chat"
		[[ $stderr == *"model ${m%:*} is assumed to be ${m#*:}"* ]]
	done
	# This is also the name of a model, not of the newest of its family.
	run -0 --separate-stderr ctx-count -v -m gpt-5 "$chat"
	[[ $stderr == *": gpt-5: token counts of texts are exact"* ]]
	[ "$(tokens -m 'opus[1m]' "$chat")" -eq "$(tokens -m claude-opus-5-5 "$chat")" ]
	mkdir -p config/ctx
	echo '{"sonnet": {"window": 77}}' > config/ctx/models.json
	run -0 --separate-stderr ctx-count -v -m sonnet --json "$chat"
	[ "$(jq .window <<< "$output")" -eq 77 ]
	[[ $stderr != *"assumed"* ]]
}

@test "--models names the tokenizer file to load, and -v does so for one model" {
	ctx-count --models > list
	for family in llama-3.1:Llama-3 qwen3:Qwen3 deepseek-v3:DeepSeek \
	    mistral-nemo:tekken.json gemma-3:gemma-3 gemini-2.5-pro:gemma-3 \
	    glm-4.5:GLM-4.5/ glm-5.3:GLM-5/ minimax-m2.5:MiniMax-M2/; do
		awk -v m="${family%%:*}" -v f="${family#*:}" '
			$1 == m { found = $7 ~ /^~/ && index($19, f) }
			END { exit !found }' list || fail "$family"
	done
	awk 'NR > 1 && $7 ~ /^[^~]/ && $19 != "-" { exit 1 }' list
	# That of Gemma 3 was measured for all versions of Gemini.
	[ "$(awk '/^gemini/ { print $19 }' list | sort -u)" = \
	    google/gemma-3-4b-it/tokenizer.json ]
	run -0 --separate-stderr ctx-count -v -m qwen3-32b "$chat"
	[[ $stderr == *"Qwen/Qwen3-8B/tokenizer.json"* ]]
	run -0 --separate-stderr ctx-count -v -m qwen3-32b -e o200k_base "$chat"
	[[ $stderr != *"tokenizer"* ]]
}

@test "models with a SentencePiece tokenizer of Mistral count exactly" {
	for m in mixtral-8x7b:v1 mistralai/Mistral-7B-Instruct-v0.3:v3 \
	    mistral:7b:v3 open-mixtral-8x22b-2404:v3 mistral-large-2407:v3 \
	    mistral-large-2411:v7 pixtral-large-2411:v7; do
		run -0 --separate-stderr ctx-count -v -m "${m%:*}" "$chat"
		[[ $stderr == *"counts of texts are exact (mistral-${m##*:})"* ]] ||
			fail "$m: $stderr"
		[ "$(tokens -m "${m%:*}" --text "$chat")" -eq \
		    "$(tokens -e "mistral-${m##*:}" --text "$chat")" ]
	done
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
	ranks) kimi_ranks 163584; return ;;
	*) fail "no form of $1 in tests/corpus/tokenizers.json" ;;
	esac
	jq -c --argjson form "$form" '.normalizer = $form.normalizer |
	    .pre_tokenizer = $form.pre_tokenizer | .model += $form.model' "$base"
}

@test "-v names for no model a tokenizer file that ctx would refuse" {
	echo "the thing" > text
	# The name of some rows is also an alias of another one.
	ctx-count --models > list
	awk 'NR > 1 { print $20 }' list | tr , '\n' | sort -u > aliases
	awk 'NR > 1 { print $1, $19 }' list | sort -u | join -v 1 - aliases > rows
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
		tokenizer_like "$file" > "${file##*/}"
		ctx-count -e "./${file##*/}" --text text || fail "$file"
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
	[[ $stderr == *"; download that file and give it with --encoding"* ]]
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
	# The line is true for a window that the user has given, too.
	run -0 --separate-stderr ctx-count --window 9k record
	[[ $stderr == *": without --window, its context window is assumed "* ]]
}

@test "the message about an unknown model names a similar one" {
	run -0 --separate-stderr ctx-count -m gtp-4o "$chat"
	[[ $stderr == *"unknown model gtp-4o (did you mean gpt-4o?): "* ]]
	run -2 --separate-stderr ctx-prune -m gmini-2.5-pro "$chat"
	[[ $stderr == *"is unknown (did you mean gemini-2.5-pro?), so "* ]] ||
		fail "$stderr"
	run -0 --separate-stderr ctx-count -m no-such "$chat"
	[[ $stderr != *"did you mean"* ]]
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
		[[ $output == "$c: --model: the argument is empty; is a shell variable not set?" ]] || fail "$output"
	done
}

@test "--json has no member model if the model is unknown" {
	ctx-count --json -m no-such "$chat" 2> err |
		jq -e '.window == 32000 and (has("model") | not)'
	ctx-count --json --window 9k "$chat" |
		jq -e '.window == 9000 and (has("model") | not)'
	ctx-count --json -m gpt-4o "$chat" | jq -e '.model == "gpt-4o"'
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
	[ "$(tokens -m qwen3-32b --text "$chat")" -eq \
	    $(((raw * 104 + 50) / 100)) ]
	[ "$(tokens -m gemini-3-pro -e o200k_base --text "$chat")" -eq "$raw" ]
	# A whole conversation follows, message by message.
	[ "$(tokens -m qwen3-32b "$chat")" -gt \
	    $(($(tokens -m qwen3-32b -e o200k_base "$chat") * 102 / 100)) ]
}

# The tokens for Gemini of a text: o200k_base's, corrected by its characters.
gemini_tokens() {
	perl -CSD -0777 -ne 'BEGIN { $t = shift @ARGV }
		$n = 1030 * $t + 500 * tr/0-9_// + 600 * tr/\n\t\r// -
		    170 * (() = /[\x{3000}-\x{ffff}]/g) -
		    820 * (() = /[\x{10000}-\x{10ffff}]/g);
		$n = int(($n + 500) / 1000);
		$half = $t - int($t / 2);
		print $n > $half ? $n : $half' "$(tokens -e o200k_base --text "$1")" "$1"
}

@test "gemini: tokens of o200k_base are corrected by the characters of a text" {
	printf 'Numbers 3.14159 and snake_case_name.\n\tIndented\r\n' > digits
	printf '%s\n' '漢字かな交じり文と 안녕하세요' '😀👍🏽🚀 ok' > wide
	# so many characters that cost less that half of the tokens remain
	for _ in {1..40}; do printf '👩‍💻🇳🇴🇳🇴🏴'; done > emoji
	cat "$agent" "$agent" "$agent" digits wide > large
	for text in digits wide emoji "$chat" "$agent" large; do
		want=$(gemini_tokens "$text")
		for m in gemini-2.5-pro gemini-3-pro gemma-3-27b-it; do
			[ "$(tokens -m $m --text "$text")" -eq "$want" ] ||
				fail "$m: $text: not $want"
		done
		# A text that arrives in parts has as many tokens.
		[ "$(tokens -m gemini-3-pro --text < <(head -c 70 "$text"
		    sleep 0.1; tail -c +71 "$text"))" -eq "$want" ]
	done
	[ "$(printf '' | tokens -m gemini-3-pro --text)" -eq 0 ]
	# The text of a message: one token for the message is added.
	jq -c -Rs '{model: "gemini-3-pro", contents: [{role: "user", parts: [{text: .}]}]}' \
	    digits > in
	[ "$(tokens in)" -eq $(($(gemini_tokens digits) + 1)) ]
	ctx-count --models | grep -q '^gemini-3-pro .* ~o200k_base *estimated *1\.03+ '
	ctx-count --models | grep -q '^qwen3-32b .* ~o200k_base *estimated *1\.04  '
}

@test "models.json: a factor for a Gemini model replaces the correction too" {
	mkdir -p config/ctx
	echo '{"gemini-3-pro": {"factor": 1.5}, "gemini-2.5-pro": {"window": 9}}' \
	    > config/ctx/models.json
	printf '1 2 3 4 5 6 7 8 9 _ _ _\n' > text
	raw=$(tokens -e o200k_base --text text)
	tokens -m gemini-3-pro --text text > factor
	tokens -m gemini-2.5-pro --text text > window
	[ "$(cat factor)" -eq $(((raw * 150 + 50) / 100)) ]
	[ "$(cat window)" -eq "$(gemini_tokens text)" ]
}

@test "a model name with escapes is decoded if it is short enough" {
	long=$(printf 'x%.0s' {1..300})
	for name in 'gpt\u002d4o' 'g\u0070t-4o' "\\u0078$long"; do
		echo '{"model":"'"$name"'","messages":[{"role":"user","content":"go"}]}'
	done > in
	run -0 --separate-stderr ctx-count --json in
	[ "$(jq -sc 'map(.model)' <<< "$output")" = '["gpt-4o","gpt-4o",null]' ] ||
		fail "$(jq -sc 'map(.model)' <<< "$output")"
	# Many of them, as many as are kept and more.
	for i in {1..4200}; do
		echo '{"model":"gp\u0074-4o-'$i'","messages":[{"role":"user","content":"go"}]}'
	done > many
	ctx-count --json many | jq -e -s 'all(.model == "gpt-4o")' > found
	[ "$(cat found)" = true ]
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
	run -0 --separate-stderr ctx-count --calibrate -e o200k_base in
	[[ $output =~ factor\ +[0-9.]+\ tokens\ for\ one\ of\ o200k_base\ \(95\ %\ confidence:\ [0-9.]+\ to ]]
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
	bad '{"a": {"wants_reasoning": 1}}' "'a': the value of 'wants_reasoning' must be "
	bad '{"a": {"answers_results": 1}}' "'a': the value of 'answers_results' must be "
	bad '{"a": {"signs_calls": 1}}' "'a': the value of 'signs_calls' must be "
	bad '{"a": {"takes_prefill": 1}}' "'a': the value of 'takes_prefill' must be "
	bad '{"a": {"fixes_system": 1}}' "'a': the value of 'fixes_system' must be "
	bad '{"a": {"exact": 1}}' "'a': the value of 'exact' must be "
	bad '{"a": {"tools": ["nails"]}}' "'a': the value of 'tools' must be "
	bad '{"a": {"tools": ["json", -1]}}' "'a': the value of 'tools' must be "
	bad '{"a": {"encoding": 7}}' "'a': the value of 'encoding' must be "
	bad '{"a": {"colour": 1}}' "'a': the member 'colour' is unknown; see FILES in ctx-count(1)"
	bad '{"a": {"window": 5, "input": 6}}' "'input' is larger than 'window'"
}
