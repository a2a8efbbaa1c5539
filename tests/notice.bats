# ctx-prune --notice: a message in place of removed ones

load helper

N='[earlier messages omitted]'

# A chat of $1 turns, then its lines numbered.
chat_of() {
	local i
	messages "system:Be brief."
	for i in $(seq "$1"); do
		messages "user:question $i, and some words to fill it up" \
		    "assistant:answer $i, which has some more words in it"
	done
}

# The messages of FILE that are a notice, or begin with one.
notices() {
	jq -c --arg n "$N" 'select(.content | strings |
	    . == $n or startswith($n + "\n\n"))' "$1" | wc -l
}

# FILE without its notices.
unnoted() {
	jq -c --arg n "$N" 'select(.content != $n) |
	    .content |= (strings |= ltrimstr($n + "\n\n"))' "$1"
}

@test "--notice inserts one notice at the start of the first kept turn" {
	chat_of 20 > in
	ctx-prune -k 1 -t 0 -l light -b 200 --notice "$N" in > out
	[ "$(tokens out)" -le 200 ]
	[ "$(notices out)" -eq 1 ]
	head -n 1 in | cmp - <(head -n 1 out)
	[[ $(sed -n 2p out | jq -r .content) == "$N"$'\n\n'question* ]]
	# without a notice the same messages are kept, or one more turn
	ctx-prune -k 1 -t 0 -l light -b 200 in > without
	is_subsequence <(unnoted out) without
}

# The messages of a chat in the form that $2 makes of role and text.
in_form() { # TURNS FILTER
	chat_of "$1" | jq -c "def of(role; text): $2; of(.role; .content)"
}

@test "no notice and no summary is a system message or a second user message in a row" {
	local filter d
	while read -r d filter; do
		in_form 20 "$filter" > in
		for o in --notice="$N" --strategy=summarize; do
			set -- -d "$d" -k 1 -t 0 -l light -b 240 "$o"
			[ "$o" = --strategy=summarize ] ||
				set -- "$@" --quantum 20%
			ctx-prune "$@" in > out
			n=$(ctx-count -d "$d" --json out | jq .tokens)
			[ "$n" -le 240 ]
			[ "$(ctx-prune -n --json "$@" in | jq .left.tokens)" -eq \
			    "$n" ]
			# All but one are messages of the input, and that is one
			# with a text before its own.
			[ "$(grep -c -F -e "$N" -e "[Earlier conv" out)" -eq 1 ]
			grep -v -F -e "$N" -e "[Earlier conv" out > rest
			is_subsequence rest in
			[ -z "$(jq -r '.role // .type' out | uniq -d)" ] ||
				fail "$d $o: $(cat out)"
			ctx-prune "$@" out | cmp - out
		done
	done <<-'EOF'
	openai-chat {role: role, content: text}
	openai-chat {role: role, content: [{type: "text", text: text}]}
	generic {role: role, content: text}
	ollama {role: role, content: text}
	openai-responses {role: role, content: text}
	openai-responses {role: role, content: [{type: (if role == "assistant" then "output_text" else "input_text" end), text: text}]}
	vercel-model {role: role, content: text}
	vercel-model {role: role, content: (if role == "system" then text else [{type: "text", text: text}] end)}
	vercel-ui {id: "x", role: role, parts: [{type: "text", text: text}]}
	langchain-dump {type: {system: "system", user: "human", assistant: "ai"}[role], content: text, additional_kwargs: {}, response_metadata: {}}
	EOF
}

@test "a text-only request for Claude gets no system message among its messages" {
	chat_of 20 | sed 1d | jq -sc '{model: "claude-sonnet-5-5",
	    max_tokens: 9, messages: .}' > in
	for o in --notice="$N" --strategy=summarize; do
		ctx-prune -k 1 -t 0 -l light -b 200 "$o" in > out
		jq -e '[.messages[].role] | index("system") == null and
		    .[0] == "user"' out > /dev/null
		jq -c '.messages[]' out | "$B/gen-tools/valid" anthropic
	done
}

@test "--notice refuses an empty text and bytes that are not UTF-8" {
	for text in "" $'\xff'; do
		run -2 ctx-prune -b 2000 --notice "$text" "$agent"
		[[ $output == *"--notice: must be UTF-8 and not empty"* ]]
	done
}

@test "no notice is inserted if all fits, nor for a gap inside a turn" {
	chat_of 4 > in
	ctx-prune -b 1k --notice "$N" in | cmp - in
	{
		messages "user:go"
		for i in $(seq 30); do
			jq -nc --arg i "$i" '{role: "assistant", content: null,
			    tool_calls: [{id: $i, type: "function",
			    function: {name: "f", arguments: "{}"}}]}'
			jq -nc --arg i "$i" '{role: "tool", tool_call_id: $i,
			    content: "a result of some length"}'
		done
		messages "assistant:done"
	} > run
	ctx-prune -l light -b 300 --notice "$N" run > out
	[ "$(wc -l < out)" -lt 62 ]
	[ "$(notices out)" -eq 0 ]
	[ "$(head -n 1 out)" = "$(head -n 1 run)" ]
}

@test "an earlier notice is recognized: it is not doubled, opens no turn, and is removed with its gap" {
	chat_of 20 > in
	ctx-prune -k 1 -t 0 -l light -b 250 --quantum 20% --notice "$N" in > once
	ctx-prune -k 1 -t 0 -l light -b 250 --quantum 20% --notice "$N" once | cmp - once
	[ "$(notices once)" -eq 1 ]
	# fed back and grown, it has one still, at the new cut
	chat_of 40 | tail -n +42 >> once
	ctx-prune -k 1 -t 0 -l light -b 250 --quantum 20% --notice "$N" once > twice
	[ "$(notices twice)" -eq 1 ]
	[[ $(sed -n 2p twice | jq -r .content) == "$N"$'\n\n'question* ]]
	[ "$(tokens twice)" -le 250 ]
	# of two notices with nothing left between them, messages as earlier
	# versions inserted them, the last one is kept
	unnoted twice > bare
	{
		head -n 1 bare
		messages "system:$N"
		chat_of 20 | tail -n +2
		messages "system:$N"
		tail -n +2 bare
	} > two
	ctx-prune -k 1 -t 0 -l light -b 250 --quantum 20% --notice "$N" --explain log two > out
	[ "$(notices out)" -eq 1 ]
	[ "$(jq -r 'select(.rule == "earlier notice") | "\(.line) \(.action)"' \
	    log)" = "2 drop" ]
	# of the newest four messages it is none
	{
		messages user:a assistant:b user:c assistant:d user:e \
		    assistant:f
		jq -nc --arg n "$N" '{role: "system", content: $n}'
		messages user:g assistant:h
	} > tail
	n=$(tokens <(tail -n 5 tail))
	ctx-prune -l light -k 4 -t 0 -b "$n" --notice "$N" tail > out
	[ "$(jq -r .content out | tr '\n' ' ')" = "e f $N g h " ]
	# and it is removed where the budget has no room for it
	ctx-prune -l light -k 4 -t 0 -b $((n - 1)) --notice "$N" tail > out
	[ "$(jq -r .content out | tr '\n' ' ')" = "e f g h " ]
	jq -nc --arg n "$N" '{role: "user", parts: [{text: "a b c d e f g"}]},
	    {role: "model", parts: [{text: "h"}]},
	    {role: "user", parts: [{text: $n}, {text: "so"}]},
	    {role: "model", parts: [{text: "it is"}]}' > parts
	ctx-prune -d gemini -k 2 -t 0 -b 5 --notice "$N" parts > out
	jq -c 'if .parts[1] then .parts |= .[1:] else . end' parts |
	    tail -n 2 | cmp - out
}

@test "every gap before a turn gets its own notice" {
	{
		for i in $(seq 30); do
			messages "user:question $i about stones and their kinds" \
			    "assistant:answer $i, which goes on for some words"
			[ $((i % 10)) -ne 5 ] ||
				messages "user:the secret number $i" "assistant:noted $i"
		done
	} > in
	ctx-prune -k 1 -t 0 -l light -b 250 --pin secret --notice "$N" in > out
	[ "$(notices out)" -eq 3 ]
	[ "$(grep -c secret out)" -eq 3 ]
	[ "$(grep -F "$N" out | grep -c '"role":"user"')" -eq 3 ]
	[ "$(tokens out)" -le 250 ]
	ctx-prune -k 1 -t 0 -l light -b 250 --pin secret --notice "$N" out |
	    cmp - out
}

@test "a notice costs no more than the messages it replaces, and the budget is met" {
	messages user:a assistant:b "user:a question of some length here" \
	    assistant:d user:e assistant:f > in
	n=$(tokens in)
	long=$(printf 'word %.0s' {1..40})
	ctx-prune -k 1 -t 0 -l light -b $((n - 1)) --notice "$long" in > out
	is_subsequence out in
	chat_of 30 > in
	for b in 75 80 100 120 160 240 400; do
		for s in pinned-fifo fifo middle-out heuristic recall salient; do
			ctx-prune -s $s -k 1 -t 0 -b $b --notice "$long" in > out
			[ "$(tokens out)" -le $b ]
			ctx-prune -s $s -k 1 -t 0 -b $b --notice "$long" out |
			    cmp - out || fail "$s $b"
		done
	done
}

@test "where user messages may not follow each other, a notice is a block of the next one" {
	for i in $(seq 12); do
		jq -nc --arg i "$i" '
		    def words: "some words to fill it up";
		    {role: "user", content: [{text: "question \($i), \(words)"}]},
		    {role: "assistant", content: [{toolUse: {toolUseId: $i,
			name: "look", input: {at: $i}}}]},
		    {role: "user", content: [{toolResult: {toolUseId: $i,
			content: [{text: "result \($i), \(words)"}]}}]},
		    {role: "assistant", content: [{text: "answer \($i)"}]}'
	done > bedrock.in
	for i in $(seq 12); do
		jq -nc --arg i "$i" '
		    def words: "some words to fill it up";
		    {role: "user", parts: [{text: "question \($i), \(words)"}]},
		    {role: "model", parts: [{functionCall: {name: "look",
			args: {at: $i}}}]},
		    {role: "user", parts: [{functionResponse: {name: "look",
			response: {output: "result \($i), \(words)"}}}]},
		    {role: "model", parts: [{text: "answer \($i)"}]}'
	done > gemini.in
	for d in bedrock gemini; do
		ctx-prune -k 1 -t 0 -l light -b 200 --notice "$N" $d.in > out
		[ "$(tokens out)" -le 200 ]
		head -n 1 out | jq -e --arg n "$N" '.role == "user" and
		    ((.content // .parts) | length == 2 and
		    .[0] == {text: $n} and (.[1].text |
		    startswith("question")))' > /dev/null
		[ "$(grep -c -F "$N" out)" -eq 1 ]
		"$B/gen-tools/valid" $d < out
		ctx-prune -k 1 -t 0 -l light -b 200 --notice "$N" out | cmp - out
		# a smaller budget removes the old notice with its message
		ctx-prune -k 1 -t 0 -l light -b 120 --notice "$N" out > deeper
		[ "$(tokens deeper)" -le 120 ]
		[ "$(grep -c -F "$N" deeper)" -eq 1 ]
		head -n 1 deeper | grep -q -F "$N"
		"$B/gen-tools/valid" $d < deeper
		jq -sc '{messages: .}' $d.in > record
		[ $d = bedrock ] || sed -i s/messages/contents/ record
		ctx-prune -k 1 -t 0 -l light -b 200 --notice "$N" record |
		    jq -c '.messages // .contents | .[]' | cmp - out
	done
}

@test "a message that can hold no block gets no notice and no summary" {
	{
		for i in $(seq 8); do
			jq -nc --arg i "$i" '{role: "user", content:
			    [{text: "question \($i), and words to fill it"}]},
			    {role: "assistant", content: [{text: "answer \($i)"}]}'
		done
		# not of this format, but read as its other messages are
		messages "user:the last question, as a string" "assistant:so"
	} > in
	for o in "--notice <omitted>" "--compact --summary-tokens 20"; do
		for b in 20 40 60 90; do
			# shellcheck disable=SC2086 # options
			SUMMARIZATION_KEEP_TOKENS=$b ctx-prune -k 1 -t 0 -b $b \
			    $o in > out 2> err || grep -q 'nothing was removed' err
			[ "$(jq -c . out | wc -l)" -eq "$(wc -l < out)" ]
			# shellcheck disable=SC2086
			SUMMARIZATION_KEEP_TOKENS=$b ctx-prune -k 1 -t 0 -b $b \
			    $o out 2> err | cmp - out
		done
	done
}

@test "every dialect gets a notice, or a message says that it has no place for one" {
	for f in "$BATS_TEST_DIRNAME"/corpus/*/*.json*; do
		d=$(basename "$(dirname "$f")")
		case $d in
		batches | requests) continue ;;
		esac
		n=$(ctx-count --json "$f" | jq -s 'map(.tokens) | max')
		ctx-prune -s recall -l light -k 1 -t 0 -b $((n / 2)) \
		    --notice "$N" "$f" > out 2> err || [ $? -eq 1 ]
		if [ "$d" = sharegpt ] && ! cmp -s out "$f"; then
			grep -q 'no notice was inserted' err || fail "$f"
			run -1 grep -F "$N" out
		fi
		ctx-prune -s recall -l light -k 1 -t 0 -b $((n / 2)) \
		    --notice "$N" out 2> /dev/null | cmp - out ||
			fail "$f: not idempotent"
		[ "$(ctx-check "$f" 2>&1 | wc -l)" -ge \
		    "$(ctx-check out 2>&1 | wc -l)" ] || fail "$f: $(ctx-check out)"
		for share in 90 75 66 50 40 33 25; do
			for s in pinned-fifo recall; do
				! grep -qx "$d" seen 2> /dev/null || continue
				ctx-prune -s $s -l light -k 1 -t 0 --notice "$N" \
				    -b $((n * share / 100)) "$f" > less \
				    2> /dev/null || [ $? -eq 1 ]
				if grep -q -F "$N" less; then echo "$d"; fi >> seen
			done
		done
	done
	sort -u seen > dialects
	for d in claude-code codex gemini-cli pi langchain-dict opencode goose \
	    llm-logs vercel-ui vercel-model ollama openai-chat anthropic \
	    gemini generic; do
		grep -qx $d dialects || fail "no notice in $d"
	done
}

@test "an agent reads the notice where it is inserted in its transcript" {
	for d in claude-code codex gemini-cli pi; do
		for f in "$BATS_TEST_DIRNAME/corpus/$d"/*.jsonl; do
			ctx-prune -s recall -k 1 -t 0 -l light -b 150 \
			    --notice "$N" "$f" > out 2> /dev/null || [ $? -eq 1 ]
			live=$(jq -sc --arg dialect $d \
			    -f "$BATS_TEST_DIRNAME/live.jq" out)
			grep -n -F "$N" out | cut -d : -f 1 > lines || true
			while read -r line; do
				jq -e --argjson l "$line" 'index($l) != null' \
				    <<< "$live" > /dev/null ||
					fail "$f: line $line of $live"
			done < lines
			[ "$live" = "$(ctx-count --per message --json out |
			    jq -sc 'map(.line)')" ]
		done
	done
}

@test "in a record a notice is an element, laid out like its neighbours" {
	chat_of 20 > lines
	jq -n '{messages: [inputs]}' lines > pretty
	set -- -d anthropic -k 1 -t 0 -l light -b 200 --notice "$N"
	ctx-prune "$@" pretty > out
	[ "$(jq --arg n "$N" '[.messages[] | select(.content == $n)] |
	    length' out)" -eq 1 ]
	grep -q '^    {"role":"user","content":"\[earlier' out
	jq -c '.messages[]' out > a
	ctx-prune "$@" lines | cmp - a
	cat pretty pretty > two
	ctx-prune "$@" two | grep -c -F "$N" | grep -qx 2
}

@test "a text that is only the beginning of the notice is not a notice" {
	said() { # text
		printf '{"role":"user","content":"%s"}\n' "$1" a > in
		ctx-prune -b 8 -k 1 -t 1 --notice more in 2>&1 || [ $? -eq 1 ]
	}
	# What is none is a turn, which is kept.
	for text in '\u006dor' 'mo\"e' '\u006d\u006f' mor more!; do
		[[ $(said "$text") == *"last turns"* ]] || fail "$text"
	done
	for text in '\u006dore' more; do
		[[ $(said "$text") != *"last turns"* ]] || fail "$text"
	done
}

@test "a notice between two user messages is kept when more is removed" {
	prune() {
		ctx-prune -d anthropic -s recall -k 1 -t 1 --notice "$N" \
		    --query "colour kite" "$@"
	}
	messages "user:What is the colour of the kite?" \
	    "assistant:It has many, $(yes la | head -n 99 | paste -sd ' ')" \
	    "user:And what is the colour of the boat?" \
	    "assistant:The boat is blue." > in
	prune -b 90 in > out
	sed 2d in > expected
	[ "$(jq -r .content out | sed 2d)" = "$(jq -r .content expected)" ]
	[ "$(jq -r .content out | sed -n 2p)" = "$N" ]
	# The answer between them was removed, so they are one turn.
	messages "user:Well, $(yes so | head -n 60 | paste -sd ' ')" \
	    "assistant:Yes." "user:The colour of the kite?" "assistant:Green." |
	    cat out - > more
	prune -b 90 more > less
	run -1 grep -q so less
	head -n 4 less | cmp - out
	# also where the budget is missed
	prune -b 20 out > once || [ $? -eq 1 ]
	prune -b 20 once > twice || [ $? -eq 1 ]
	cmp once twice
}

@test "--explain reports a notice, and a summary makes it unnecessary" {
	chat_of 20 > in
	ctx-prune -k 1 -t 0 -l light -b 200 --notice "$N" --explain why in > out
	[ "$(jq -c 'select(.rule == "notice") | [.action, .role, .part,
	    .after > .before]' why | tr '\n' ' ')" = '["add","user",true,true] ["edit","user",null,false] ' ]
	went=$(jq -s 'map(.before - .after) | add' why)
	[ $(($(tokens in) - went)) -eq "$(tokens out)" ]
	ctx-prune -d anthropic -k 1 -t 0 -l light -b 200 --notice "$N" \
	    --explain why in > out
	[ "$(jq -c 'select(.action == "add") | [.rule, .role, .before > 0,
	    .after > 0]' why)" = '["notice","user",false,true]' ]
	line=$(jq 'select(.action == "add") | .line' why)
	[ "$(sed -n "${line}p" in)" = "$(sed -n 3p out)" ]
	went=$(jq -s 'map(.before - .after) | add' why)
	[ $(($(tokens -d anthropic in) - went)) -eq \
	    "$(tokens -d anthropic out)" ]
	ctx-prune -s summarize --compact -k 1 -t 0 -b 150 --notice "$N" in > out
	[ "$(notices out)" -eq 0 ]
	grep -q 'Earlier conversation summary' out
}

@test "a notice inside a message is not truncated with the message" {
	"$B/gen-tools/convo" --dialect bedrock --seed 1 --count 50 \
	    --messages 15 --wrap > in
	set -- -d bedrock -s heuristic -l aggressive -b 1000 -k 1 -t 1 \
	    --notice '<omitted>'
	ctx-prune "$@" in > out || [ $? -eq 1 ]
	ctx-prune -n --json "$@" in > plan || [ $? -eq 1 ]
	jq .left.tokens plan > planned
	ctx-count -d bedrock --json out | jq .tokens | cmp - planned
}

@test "a notice that the assistant answered is kept, since the conversation begins with it" {
	messages "user:$N" "assistant:Fine. $(yes la | head -n 30 | paste -sd ' ')" \
	    "user:And now? $(yes so | head -n 60 | paste -sd ' ')" \
	    "assistant:Well, $(yes hm | head -n 60 | paste -sd ' ')" \
	    "user:Then?" "assistant:Then that." "user:Good." > in
	ctx-check --provider anthropic in
	for s in pinned-fifo fifo recall heuristic salient; do
		ctx-prune -d anthropic -s $s -k 1 -t 1 -b 120 \
		    --notice "$N" --pin Fine in > out
		[ "$(head -n 2 out)" = "$(head -n 2 in)" ] || fail "$s"
		! cmp -s in out || fail "$s"
		ctx-check --provider anthropic out || fail "$s: $(cat out)"
	done
	# Nor is it removed where the budget is not met either way.
	run -1 --separate-stderr ctx-prune -d anthropic -k 1 -t 1 -b 10 \
	    --notice "$N" --pin Fine in
	[ "${lines[0]}" = "$(head -n 1 in)" ]
	# Of one before a message that has its own, that is enough.
	jq -nc --arg n "$N" '{role: "user", parts: [{text: "a b c"}]},
	    {role: "model", parts: [{text: ("long " * 90)}]},
	    {role: "user", parts: [{text: $n}]},
	    {role: "user", parts: [{text: $n}, {text: "so"}]},
	    {role: "model", parts: [{text: "it is"}]}' > in
	ctx-prune -d gemini -k 1 -t 1 -b 60 --notice "$N" in > out
	sed '1,3d' in | cmp - out
	# Nor is nothing left, or anything else than the user's said last.
	messages "assistant:$(yes la | head -n 30 | paste -sd ' ')" "user:$N" > in
	run -1 ctx-prune -k 0 -t 0 -b 5 --notice "$N" in
	[[ $output == *'"user"'* && $output != *la* ]]
	messages user:a "assistant:$(yes la | head -n 30 | paste -sd ' ')" \
	    "user:$N" > in
	ctx-prune -k 0 -t 0 -b 20 --notice "$N" in | cmp - <(sed 2d in)
}

@test "a pinned notice is kept even over the budget" {
	messages user:a assistant:b "user:$N" "user:one more question" > in
	run -1 --separate-stderr ctx-prune -k 1 -t 0 -b 5 --notice "$N" \
	    --pin omitted in
	[ "$output" = "$(tail -n 2 in)" ]
}

@test "messages removed while the stream is read count for the notice" {
	words=$(yes word | head -n 300000 | paste -sd ' ')
	for i in 1 2; do
		jq -Rc --arg i "$i" '{role: "user", content: ($i + " " + .)}' \
		    <<< "$words"
		messages "assistant:yes"
	done > in
	ctx-prune -k 1 -t 0 -b 400k --notice "$N" in > out
	unnoted out | cmp <(tail -n 2 in) -
	[ "$(notices out)" -eq 1 ]
}

@test "a message of which a part is removed and a notice inserted does not count as removed" {
	local part='{"role":"user","content":[{"type":"text","text":"'
	part+='tell me of the %s, of its walls, of its floors and of the dust"'
	part+='},{"type":"tool_result","tool_use_id":"%s","content":"tiles"}]}\n'
	# shellcheck disable=SC2059 # the format is constant
	printf "$part" house a cellar b > in
	messages user:stay user:now >> in
	sed "2{h;d;};3G" in > house
	mv house in
	ctx-prune -v -m gpt-4o -b 50 -s recall --pin stay -k 1 -t 0 \
	    --notice "[x]" in 2> said > out
	[ "$(wc -l < out)" -eq 5 ]
	grep -q ': removed 0 of 4 messages, 12 of 57 tokens$' said
}

@test "pretty-printed messages mixed with lines are read" {
	for i in {1..8}; do
		jq -n --arg t "question $i: $(printf 'word %.0s' {1..20})" \
		    '{role: "user", content: $t}'
		jq -n --arg t "answer $i" '{role: "assistant", content: $t}'
	done > in
	# Every other question on a line.
	jq -rs 'to_entries[] | if .key % 4 == 2 then .value | tojson
	    else .value end' in > mixed
	ctx-check -q mixed
	for file in in mixed; do
		for how in "--notice [gone]" "-s summarize" "-b 120"; do
			# shellcheck disable=SC2086 # words
			ctx-prune -b 150 -k 1 -t 1 $how "$file" > out
			run ! cmp -s "$file" out
			ctx-check -q out
			# shellcheck disable=SC2086
			ctx-prune -b 150 -k 1 -t 1 $how out | cmp - out
			[ "$(jq -s length out)" -eq "$(ctx-count --json out |
			    jq .messages)" ]
		done
	done
	printf '{\n"role":"tool","tool_call_id":"z","content":"y"}\n%s\n{\n%s\n' \
	    '{"role":"user","content":"x"}' '"role":"user","content":"x"}' |
	    ctx-check --repair > out
	ctx-check -q out
	[ "$(wc -l < out)" -eq 3 ]
}

@test "a notice costs less than what is removed, also if half a message is" {
	local before
	cat > in <<-'EOF'
	{"role":"assistant","created":1,"content":[{"type":"toolRequest","id":"b","toolCall":{"status":"success","value":{"name":"f","arguments":{}}}}]}
	{"role":"user","created":1,"content":[{"type":"text","text":"u"},{"type":"toolResponse","id":"a","toolResult":{"status":"success","value":[{"type":"text","text":"r"}]}}]}
	{"role":"assistant","created":1,"content":[{"type":"toolRequest","id":"a","toolCall":{"status":"success","value":{"name":"f","arguments":{}}}}]}
	{"role":"assistant","created":1,"content":[{"type":"thinking","thinking":"x","signature":""}]}
	{"role":"user","created":1,"content":[{"type":"text","text":"u"},{"type":"toolResponse","id":"a","toolResult":{"status":"success","value":[{"type":"text","text":"r"}]}}]}
	{"role":"assistant","created":1,"content":[{"type":"toolRequest","id":"a","toolCall":{"status":"success","value":{"name":"f","arguments":{}}}},{"type":"toolRequest","id":"b","toolCall":{"status":"success","value":{"name":"f","arguments":{}}}}]}
	EOF
	before=$(tokens -e o200k_base in)
	ctx-prune -e o200k_base -s window --window-turns 2 -l light -k 4 \
	    -t 2 -b 1000 --notice "[messages were left out]" \
	    --explain why in > out
	[ "$(tokens -e o200k_base out)" -le "$before" ]
	# Tokens that the pieces of a message share are reported once.
	[ "$(jq -s 'map(.before - .after) | add' why)" -eq \
	    $((before - $(tokens -e o200k_base out))) ]
}

@test "a text that becomes a block before others is counted as OpenAI joins them" {
	# The sum of the parts would be wrong: a token has the end of the
	# inserted text and the beginning of the user's.
	jq -nc '[range(12) | {role: "user", content: [
	    {type: "text", text: ">"}, {type: "text", text: ("question \(.), and " +
	    "some words to fill it up. " * 40 + "\n\n" +
	    "A passage about the question. " * 40)}]},
	    {role: "assistant", content: "answer \(.), which has more words"}] |
	    .[12].content |= [{type: "text", text: (map(.text) | add)}] | .[]' \
	    > in
	for options in "-s pinned-fifo" "-s summarize" "-s recall --query passage" \
	    "-s pinned-fifo -l aggressive"; do
		for notice in "<omitted>" "[removed] ["; do
			# shellcheck disable=SC2086 # several options
			set -- $options -d openai-chat -m gpt-4.1 -k 1 -t 0
			[ "$1 $2" = "-s summarize" ] || set -- "$@" --notice "$notice"
			for budget in 3000 1200; do
				ctx-prune "$@" -b $budget in > out || [ $? -eq 1 ]
				[ "$(ctx-prune -n --json "$@" -b $budget in |
				    jq .left.tokens)" -eq \
				    "$(tokens -d openai-chat -m gpt-4.1 out)" ]
			done
			# What the first run inserted is found, and removed or kept.
			ctx-prune "$@" -b 100 out > twice || [ $? -eq 1 ]
			[ "$(ctx-prune -n --json "$@" -b 100 out |
			    jq .left.tokens)" -eq \
			    "$(tokens -d openai-chat -m gpt-4.1 twice)" ]
		done
	done
	grep -q -F "[removed] [" out
}

@test "recall keeps the start of a text that a notice is put before" {
	# Only the middle of each text is about the query.  Without the start the
	# notice would have other tokens than were planned.
	for form in '[{type: "text", text: .}]' .; do
		jq -nc "def form: $form;"' [range(8) | {role: "user", content:
		    ("> item \(.) is here. " * 20 + "\n\n" +
		    "Some zebra walks over item \(.). " * 20 + "\n\n" +
		    "Nothing more of \(.). " * 20 | form)},
		    {role: "assistant", content: "answer \(.)"}] | .[]' > in
		set -- -s recall --query zebra -d openai-chat -m gpt-4.1 -k 1 \
		    -t 0 --notice "[removed] ["
		for budget in 800 1200; do
			ctx-prune "$@" -b $budget in > out
			grep -q -F -e '"[removed] ["},{"type":"text","text":"> item' \
			    -e '"[removed] [\n\n> item' out
			grep -q truncated out
			[ "$(ctx-prune -n --json "$@" -b $budget in |
			    jq .left.tokens)" -eq \
			    "$(tokens -d openai-chat -m gpt-4.1 out)" ]
		done
	done
}

@test "llm-logs: a notice is a row, but no turn" {
	for i in 1 2 3 4 5; do
		echo '{"id":"'$i'","model":"gpt-4o","prompt":"Question '$i'","response":"An answer of some words","conversation_id":"c","datetime_utc":"2026-01-0'$i'T00:00:00"}'
	done > in
	ctx-prune -s fifo -l light -b 65 -k 0 -t 1 --pin 'Question 1' \
	    --notice '[gone]' in > out
	[ "$(jq -r .prompt out | paste -s -d ,)" = \
	    "Question 1,[gone],Question 4,Question 5" ]
	# Without the notice these are three turns.
	run -1 ctx-prune -s fifo -l light -b 40 -k 0 -t 3 --notice '[gone]' out
	[[ $output == *'"Question 1"'*'"Question 4"'*'"Question 5"'* ]]
}
