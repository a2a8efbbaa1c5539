# ctx-prune -s summarize: one message replaces the removed ones

load helper
load summary

@test "summarize replaces removed messages by one summary of limited length" {
	ctx-prune -s summarize -b 40k "$agent" > out
	summary_of out > text
	head -n 1 out | cmp - <(head -n 1 "$agent")
	[ "$(tokens out)" -le 40000 ]
	grep -q 'ticket 2291' text
	for label in User Assistant Called Changed Ran; do
		grep -q "^\(\[Earlier.*\]: \)\?$label: " text || fail "no $label"
	done
	for n in 40 120 1000; do
		ctx-prune -s summarize --summary-tokens $n -b 40k "$agent" > out
		summary_of out > text
		sed -i '1s/^\[Earlier conversation summary\]: //' text
		[ "$(tokens --text text)" -le $((n + 1)) ]
	done
}

@test "a summary obeys --summary-tokens with a vocabulary of single bytes" {
	perl -MMIME::Base64 -e 'print encode_base64(chr, ""), " $_\n" for 0..255' \
	    > r50k_bytes.tiktoken
	for n in 20 30 50 90 150 400; do
		ctx-prune -s summarize -e r50k_bytes.tiktoken --compact \
		    --summary-tokens $n "$agent" > out
		summary_of out > text || continue
		sed -i '1s/^\[Earlier conversation summary\]: //' text
		[ "$(wc -c < text)" -le $((n + 1)) ]
	done
	[ "$(wc -c < text)" -gt 150 ]
}

@test "gemini: a summary obeys --summary-tokens and the budget, whatever it consists of" {
	for text in '8f3a 1724 ' '1\n' '漢字 ' '😀' 'plain words '; do
		for n in 20 60 300; do
			ctx-prune -s summarize -m gemini-3-pro -b 40k \
			    --summary-tokens $n \
			    --summarizer "printf '%.0s$text' \$(seq 250)" "$agent" > out
			[ "$(tokens -m gemini-3-pro out)" -le 40000 ]
			summary_of out | sed '1s/^\[Earlier conversation summary\]: //' > text
			[ "$(tokens -m gemini-3-pro --text text)" -le $((n + 2)) ] ||
				fail "$text: $n: $(tokens -m gemini-3-pro --text text)"
			[ "$(tokens -m gemini-3-pro --text text)" -ge $((n / 3)) ] ||
				fail "$text: $n: $(tokens -m gemini-3-pro --text text)"
		done
	done
}

@test "the newest messages that fit beside the summary are kept, and older ones if one does not fit" {
	for b in 12000 40000 90000; do
		ctx-prune -s summarize -l light -t 1 -b $b "$agent" > out
		[ "$(tokens out)" -le $b ]
		[ "$(tokens out)" -gt $((b * 49 / 50)) ]
		n=$(wc -l < out)
		is_subsequence <(tail -n $((n - 2)) out) "$agent"
		tail -n $((n / 2)) out | cmp - <(tail -n $((n / 2)) "$agent")
	done
}

@test "a built-in summary uses the tokens that the kept messages leave" {
	for b in 12000 40000 90000; do
		ctx-prune -s summarize -b $b "$agent" > out
		summary_of out > text
		[ "$(tokens out)" -le $b ]
		[ "$(tokens out)" -gt $((b * 49 / 50)) ]
		[ "$(tokens --text text)" -gt 1000 ]
	done
	# The summary of a command has a twentieth of the target.
	ctx-prune -s summarize --summarizer 'seq 9999' -b 40k "$agent" > out
	summary_of out > text
	[ "$(tokens --text text)" -gt 1900 ]
	[ "$(tokens --text text)" -le 2010 ]
}

@test "with --compact a built-in summary has a twentieth of the tokens ever removed, at least 300" {
	removed() { # of the first N messages of the agent's conversation
		echo $(($(tokens first) - $(tokens <(tail -n 20 first))))
	}
	head -n 200 "$agent" > first
	ctx-prune --compact first > out
	summary_of out > text
	[ "$(tokens --text text)" -le $(($(removed) / 20 + 1)) ]
	[ "$(tokens --text text)" -gt $(($(removed) / 25)) ]
	cat out <(tail -n +201 "$agent") > more
	cp "$agent" first
	ctx-prune --compact more > out
	summary_of out > text
	[ "$(tokens --text text)" -le $(($(removed) / 20 + 20)) ]
	[ "$(tokens --text text)" -gt $(($(removed) / 25)) ]
	ctx-prune --compact "$chat" > out
	summary_of out > text
	[ "$(tokens --text text)" -gt 200 ]
	[ "$(tokens --text text)" -le 301 ]
}

old_parts() { # how many of these names are in a conversation
	grep -o 'old_part_[0-9]*' "$1" | sort -u | wc -l
}

@test "names in an earlier summary are kept above the target if the newest messages leave no tokens of it" {
	{
		messages "user:Look at these: $(printf 'old_part_%d ' $(seq 80))" \
		    "assistant:$(words 400)"
		for i in $(seq 12); do
			messages "user:more $i" "assistant:$(words 150)"
		done
	} > in
	ctx-prune -s summarize -k 1 -t 1 -b 2400 --target 2000 in > once
	[ "$(old_parts once)" = 80 ]
	{
		cat once
		messages "user:Read this. $(words 2000)" "assistant:$(words 100)"
	} > more
	ctx-prune -s summarize -k 2 -t 1 -b 2900 --target 2000 more > out
	[ "$(tokens out)" -le 2900 ]
	grep -q 'Read this' out
	[ "$(old_parts out)" = 80 ]
	# The budget is not exceeded for them.
	ctx-prune -s summarize -k 2 -t 1 -b 2300 --target 2000 more > out
	[ "$(tokens out)" -le 2300 ]
	[ "$(old_parts out)" -lt 60 ]
}

@test "if the built-in summary needs less than its share, more messages are kept" {
	for i in $(seq 30); do
		messages "user:$i, or not" "assistant:$(words 40)"
	done > in
	ctx-prune -s summarize -k 1 -t 1 -b 1500 in > out
	[ "$(tokens out)" -le 1500 ]
	[ "$(tokens out)" -gt 1350 ]
	[ "$(summary_of out | wc -w)" -lt 150 ]
	ctx-prune -s summarize -k 1 -t 1 -b 1500 out | cmp - out
}

@test "--compact and --trigger-messages keep the newest 20, or fewer if they do not fit" {
	for o in --compact "-s summarize --trigger-messages 100"; do
		# shellcheck disable=SC2086 # options
		ctx-prune $o -l light -b 100k "$agent" > out
		tail -n 20 out | cmp - <(tail -n 20 "$agent")
		[ "$(wc -l < out)" -le 40 ]
		# shellcheck disable=SC2086
		ctx-prune $o -l light -b 5k "$agent" > small
		[ "$(wc -l < small)" -lt "$(wc -l < out)" ]
		[ "$(tokens small)" -le 5000 ]
	done
}

@test "a summary uses only tokens that the budget leaves; without any, none is made" {
	for d in openai-chat/support bedrock/agent gemini/agent; do
		f=$BATS_TEST_DIRNAME/corpus/$d.jsonl
		run -1 --separate-stderr ctx-prune -b 1 -k 1 -t 1 "$f"
		echo "$output" > floors
		n=$(tokens floors)
		for b in $(seq "$n" 3 $((n + 40))); do
			ctx-prune -s summarize -k 1 -t 1 -b "$b" "$f" > out
			[ "$(tokens out)" -le "$b" ]
			ctx-prune -s summarize -k 1 -t 1 -b "$b" --summarizer \
			    'seq -s " " 90' "$f" > out
			[ "$(tokens out)" -le "$b" ]
		done
		grep -q 'summary\]: 1 2 3 4' out
		# Where nothing but the floors has room the command is not run.
		for b in "$n" $((n + 5)); do
			ctx-prune -s summarize -k 1 -t 1 -b "$b" "$f" |
			    cmp - floors
			ctx-prune -s summarize -k 1 -t 1 -b "$b" \
			    --summarizer 'touch ran; echo short' "$f" |
			    cmp - floors
			[ ! -e ran ]
		done
		# Where they have none they leave alone, and are named.
		ctx-prune -k 1 -t 1 -b $((n - 1)) "$f" 2> owners > out || [ $? -eq 1 ]
		run -1 --separate-stderr ctx-prune -s summarize -k 1 -t 1 \
		    -b $((n - 1)) "$f"
		cmp floors <(echo "$output")
		[ "$stderr" = "$(cat owners)" ]
	done
}

@test "a summary that has more tokens inside its message than alone is shortened to fit" {
	perl -MMIME::Base64 -e 'print encode_base64($_, ""), " ", $i++, "\n"
	    for (map { chr } 0..255), " x", "xy", "xyz"' > r50k_xyz.tiktoken
	{
		messages "user:what is it" "assistant:$(words 60)"
		messages "user:and now" "assistant:this"
	} > in
	run -1 --separate-stderr ctx-prune -e r50k_xyz.tiktoken -b 1 -k 1 \
	    -t 1 in
	n=$(tokens -e r50k_xyz.tiktoken <(echo "$output"))
	for b in $(seq $((n + 80)) $((n + 90))); do
		ctx-prune -e r50k_xyz.tiktoken -b "$b" -k 1 -t 1 -s summarize \
		    --summarizer "echo xyz; seq 90" in > out
		[ "$(tokens -e r50k_xyz.tiktoken out)" -eq "$b" ]
	done
	[[ $(summary_of out) == *": xyz"* ]]
}

@test "a conversation within the budget, --trigger and --trigger-messages is not changed" {
	n=$(tokens "$chat")
	ctx-prune -s summarize -b "$n" "$chat" | cmp - "$chat"
	ctx-prune -s summarize -b $((n - 1)) "$chat" > out
	summary_of out > /dev/null
	ctx-prune -s summarize -b "$n" --trigger 90% "$chat" > out
	summary_of out > /dev/null
	tail -n 121 "$agent" > more
	ctx-prune -s summarize -b 10M more | cmp - more
	ctx-prune -s summarize -b 10M --trigger-messages 100 more > out
	summary_of out > /dev/null
	ctx-prune -s summarize -b 10M --trigger-messages 200 more | cmp - more
}

@test "a second run on the output changes nothing, with and without --compact" {
	for o in "-s summarize -b 40k" "--compact -b 40k" "--compact -b 6k"; do
		# shellcheck disable=SC2086 # options
		ctx-prune $o "$agent" > once
		# shellcheck disable=SC2086
		ctx-prune $o once > twice
		cmp once twice
	done
	# The summary of the first run must not lower -t in the second run.
	jq -nc 'range(8) | {role: "user", content: ("ask \(.) " * 60)},
	    {role: "assistant", content: ("answer \(.) " * 60)}' > chat
	for b in 1500 2000 2500; do
		ctx-prune --compact -k 1 -b $b chat > once
		ctx-prune --compact -k 1 -b $b once | cmp - once
	done
}

steps() { # one turn of an agent, in a form where the roles must alternate
	local i
	jq -nc "$2" --arg text "find ticket 2291, please" --arg role user
	for i in 1 2 3 4 5 6; do
		text="step $i, because $(yes "word$i" | head -n $((i * 7)) |
		    paste -sd ' ')"
		jq -nc "$1" --arg text "$text" --arg id "c$i"
		jq -nc "$3" --arg text "found $text" --arg id "c$i"
	done
	jq -nc "$2" --arg text "it is found" --arg role "$4"
}

@test "with a summary inside a user message the output fits, and a second run changes nothing" {
	steps '{role: "assistant", content: [{text: $text},
	    {toolUse: {toolUseId: $id, name: "run", input: {}}}]}' \
	    '{role: $role, content: [{text: $text}]}' \
	    '{role: "user", content: [{toolResult: {toolUseId: $id,
	    content: [{text: $text}]}}]}' assistant > bedrock
	steps '{role: "model", parts: [{text: $text},
	    {functionCall: {id: $id, name: "run", args: {}}}]}' \
	    '{role: $role, parts: [{text: $text}]}' \
	    '{role: "user", parts: [{functionResponse: {id: $id, name: "run",
	    response: {output: $text}}}]}' model > gemini
	for f in bedrock gemini; do
		for b in $(seq 560 17 1000); do
			ctx-prune --compact -t 0 -b "$b" $f > once
			[ "$(tokens once)" -le "$b" ]
			ctx-prune --compact -t 0 -b "$b" once > twice
			cmp once twice || fail "$f, -b $b"
		done
		# An earlier summary that does not fit is shortened, or
		# displaces messages.
		ctx-prune --compact -t 0 -b 800 $f > once
		n=$(wc -l < once)
		[ "$n" -gt 2 ]
		sed "1s/summary]: /&$(yes long | head -n 600 | paste -sd ' ') /" \
		    once > long
		ctx-prune --compact -t 0 -b 800 long > out
		[ "$(tokens out)" -le 800 ]
		[ "$(wc -l < out)" -le "$n" ]
		[ "$(summary_of out | wc -w)" -lt 600 ]
	done
}

@test "--compact works without a budget and implies summarize" {
	ctx-prune --compact "$agent" > out
	summary_of out > /dev/null
	tail -n 20 out | cmp - <(tail -n 20 "$agent")
	ctx-prune --compact out | cmp - out
	ctx-prune -s summarize --compact "$agent" | cmp - out
	run -2 ctx-prune -s window --compact "$agent"
	[[ $output == *"--compact implies"*"not window"* ]]
}

@test "--compact keeps the newest N messages of -k, and says if nothing was to summarize" {
	for k in 6 30; do
		ctx-prune --compact -k $k -t 0 "$chat" > out 2> err
		[ ! -s err ]
		# The summary is in the first user message that is kept.
		tail -n $((k - 1)) "$chat" | cmp - <(tail -n +2 out)
	done
	run -0 --separate-stderr ctx-prune --compact -k 40 "$chat"
	[ "$stderr" = "ctx-prune: $chat: --compact summarized nothing, because all 40 messages are kept: the newest 40, and those that other options keep" ]
	[ "$output" = "$(cat "$chat")" ]
	# With several files once.
	head -n 5 "$chat" > few
	run -0 ctx-prune --compact -n few few
	[ "$(grep -c "few: --compact summarized nothing, because all 5 .* newest 20," <<< "$output")" -eq 1 ]
	export SUMMARIZATION_KEEP_TOKENS=9000
	run -0 ctx-prune --compact -n few
	[[ $output == *": the newest 9000 tokens, and"* ]]
}

@test "other strategies keep an earlier summary at the beginning or remove all of it" {
	{
		messages "user:[Earlier conversation summary]: the task is long" \
		    "assistant:going on with it, step by step"
		for i in $(seq 9); do
			messages "user:question $i" "assistant:answer $i"
		done
		jq -nc '{role: "user", content: [{type: "text", text: "last",
		    cache_control: {type: "ephemeral"}}]}'
	} > in
	for b in 20 40 60 80 100; do
		for s in fifo "pinned-fifo --no-pin-system" heuristic recall \
		    salient; do
			# shellcheck disable=SC2086 # a strategy and an option
			ctx-prune -s $s -l light -k 1 -t 0 -b $b in > out ||
			    [ $? -eq 1 ]
			"$B/gen-tools/valid" anthropic --allow-pending < out
		done
	done
	ctx-prune -l light -k 1 -t 0 -b 60 in | head -n 1 | cmp - <(head -n 1 in)
}

@test "other strategies keep a message that begins with an earlier summary" {
	for i in $(seq 30); do
		messages "user:question $i, of what we know of ticket $i" \
		    "assistant:answer $i, which is that $(words 20)"
	done > chat
	jq -c '{role: (if .role == "user" then "user" else "model" end),
	    parts: [{text: .content}]}' chat > gemini
	for f in chat gemini; do
		ctx-prune -s summarize -k 1 -t 0 -b 700 --summary-tokens 200 \
		    "$f" > one
		grep -c 'Earlier conversation' one | grep -qx 1
		for s in pinned-fifo heuristic recall middle-out salient; do
			ctx-prune -s $s -k 1 -t 0 -b 400 one > out
			[ "$(tokens out)" -le 400 ]
			[ "$(grep 'Earlier conversation' one)" = \
			    "$(grep 'Earlier conversation' out)" ] || fail "$f $s"
			ctx-prune -s $s -k 1 -t 0 -b 400 out | cmp - out
			[ "$f" = chat ] || "$B/gen-tools/valid" gemini < out
		done
		ctx-prune --no-pin-system -k 1 -t 0 -b 100 one > out
		run ! grep 'Earlier conversation' out
	done
}

@test "an earlier summary that is a system message is merged into the new one" {
	{
		messages "system:Be brief." \
		    "system:[Earlier conversation summary]: the kite is lost"
		tail -n +2 "$chat"
	} > in
	ctx-prune -s summarize -k 1 -t 0 -b 1500 --summarizer 'tee told' in > out
	grep -q 'the kite is lost' told
	run ! grep 'Earlier conversation' told
	[ "$(jq -r 'select(.role == "system") | .content' out)" = "Be brief." ]
	[[ $(summary_of out) == *"the kite is lost"* ]]
}

@test "in a conversation without user messages the summary becomes a user message" {
	for i in $(seq 9); do
		jq -nc --arg i "$i" '{role: "assistant", content: "step \($i)",
		    tool_calls: [{id: $i, type: "function", function:
		    {name: "f", arguments: "{}"}}]}, {role: "tool",
		    tool_call_id: $i, content: ("found " * 40)}'
	done > in
	set -- -d openai-chat -s summarize -k 1 -t 0 -b 300 \
	    --summarizer 'echo eight steps'
	ctx-prune "$@" in > out
	[ "$(head -n 1 out | jq -r '.role, .content')" = \
	    $'user\n[Earlier conversation summary]: eight steps' ]
	sed 1d out | cmp - <(tail -n 2 in)
	ctx-prune "$@" out | cmp - out
}

@test "an earlier summary is merged into the new one, never nested" {
	head -n 200 "$agent" > first
	ctx-prune -s summarize -b 30k first > one
	tail -n +201 "$agent" >> one
	ctx-prune -s summarize -b 30k one > two
	summary_of two > text
	[ "$(grep -c 'Earlier conversation summary' text)" -eq 1 ]
	grep -q 'ticket 2291' text
	ctx-prune -s summarize -b 30k --summarizer 'tee seen | wc -c' one > two
	grep -q 'ticket 2291' seen
	run -1 grep -q "Earlier conversation summary" seen
}

@test "two runs on equal input write equal summaries" {
	ctx-prune -s summarize -b 40k "$agent" > a
	LC_ALL=C.UTF-8 TZ=Asia/Tokyo ctx-prune -s summarize -b 40k "$agent" | cmp - a
}

forms() {
	local f d
	for f in "$BATS_TEST_DIRNAME"/corpus/*/*.json*; do
		d=$(basename "$(dirname "$f")")
		case $d in
		batches | requests) continue ;;
		esac
		"$@" "$d" "$f"
	done
}

has_form() { # DIALECT FILE
	local rc=0 n
	SUMMARIZATION_KEEP_TOKENS=30 ctx-prune --compact -k 2 -t 1 -b 1M \
	    --summary-tokens 40 "$2" > out 2> err || rc=$?
	if [ $rc -eq 2 ]; then
		case $1 in
		sharegpt) grep -q 'sharegpt that has a system message' err ;;
		atif) grep -q 'no summary can be inserted' err ;;
		*) fail "$2: $(cat err)" ;;
		esac
		return 0
	fi
	# Without the removed messages the format, which decides how tokens are
	# counted, may not show.
	SUMMARIZATION_KEEP_TOKENS=30 ctx-prune -d "$1" --compact -k 2 -t 1 \
	    -b 1M --summary-tokens 40 out > again
	cmp out again || fail "$2: not idempotent"
	[ "$(tokens out | tail -n 1)" -le "$(tokens "$2" | tail -n 1)" ]
	[ "$(ctx-check "$2" 2>&1 | wc -l)" -ge "$(ctx-check out 2>&1 | wc -l)" ] ||
		fail "$2: $(ctx-check out)"
	grep -q 'Earlier conversation summary' out || return 0
	echo "$1" >> seen
	case $1 in
	claude-code | codex | gemini-cli | pi | claude-stream) ;;
	*) return 0 ;;
	esac
	# Its agent reads the summary where it stands, and all that is left.
	n=$(grep -n 'Earlier conversation summary' out | cut -d : -f 1)
	jq -sc --arg dialect "$1" -f "$BATS_TEST_DIRNAME/live.jq" out > live
	jq -e --argjson n "$n" 'index($n) != null' live > /dev/null ||
		fail "$2: line $n of $(cat live)"
	[ "$(cat live)" = "$(ctx-count --per message --json out |
	    jq -sc 'map(.line)')" ] || fail "$2: live $(cat live)"
}

@test "in each format the summary is written as messages of this format are" {
	: > seen
	forms has_form
	for d in "$BATS_TEST_DIRNAME"/corpus/*/; do
		d=$(basename "$d")
		case $d in
		batches | requests | atif) continue ;;
		esac
		grep -qx "$d" seen || fail "no summary in $d"
	done
}

rolls() { # DIALECT FILE
	local n rc=0
	case $2 in
	*.json) return ;;
	esac
	! grep -qE '"(messages|contents|input)": ?\[' "$2" || return 0
	n=$(wc -l < "$2")
	head -n $((n * 2 / 3)) "$2" > first
	SUMMARIZATION_KEEP_TOKENS=20 ctx-prune --compact -k 1 -t 0 -b 1M \
	    --summarizer 'echo All that came before.' first > one 2> err || return 0
	grep -q 'All that came before' one || return 0
	tail -n +$((n * 2 / 3 + 1)) "$2" >> one
	rm -f told
	SUMMARIZATION_KEEP_TOKENS=20 ctx-prune --compact -k 1 -t 0 -b 1M \
	    --summarizer 'cat > told; echo And later.' one > two 2> err || rc=$?
	[ $rc -ne 2 ] || fail "$2: $(cat err)"
	[ -e told ] || return 0
	grep -q 'All that came before' told || fail "$2: not asked for"
	run -1 grep -q 'Earlier conversation' told
	run -1 grep -q 'All that came before' two
	[ "$(grep -c 'Earlier conversation summary' two)" -eq 1 ]
	echo "$1" >> rolled
}

@test "in each format an earlier summary is merged into the new one" {
	: > rolled
	forms rolls
	for d in claude-code codex gemini-cli pi anthropic bedrock gemini \
	    openai-chat generic langchain-dict opencode ollama; do
		grep -qx $d rolled || fail "$d was not tried"
	done
}

@test "claude-code: a summary is written as a compaction, and is the parent of the line after it" {
	f=$BATS_TEST_DIRNAME/corpus/claude-code/session.jsonl
	SUMMARIZATION_KEEP_TOKENS=300 ctx-prune --compact -k 1 -t 0 -b 1M "$f" > out
	jq -c 'select(.isCompactSummary)' out > summary
	[ "$(wc -l < summary)" -eq 1 ]
	jq -e '.type == "user" and .isVisibleInTranscriptOnly and
	    .sessionId and .cwd and .version and .timestamp and
	    .isSidechain == false and (.message | .role == "user") and
	    (.uuid | test("^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$"))' \
	    summary > /dev/null
	id=$(jq -r .uuid summary)
	[ "$(jq -c --arg id "$id" 'select(.parentUuid == $id)' out | wc -l)" -eq 1 ]
	# from the last message up to the root, through the summary
	jq -se --arg id "$id" '(map(select(.uuid)) | INDEX(.uuid)) as $by |
	    [(map(select(.type == "assistant" or .type == "user")) | last) |
	    recurse($by[.parentUuid // ""] // empty) | .uuid] |
	    index($id) != null' out > /dev/null
}

@test "a summary that would not save tokens is not made" {
	messages user:a assistant:b user:c assistant:d > tiny
	ctx-prune --compact -k 1 -t 1 -b 1k tiny | cmp - tiny
	# If parts of a message are kept, its framing tokens are, too.
	cat > split <<-'EOF'
	{"role":"user","content":[{"toolResult":{"toolUseId":"a","content":[]}},{"text":"Which of them?"}]}
	{"role":"user","content":[{"toolResult":{"toolUseId":"b","content":[]}},{"text":"Which of them?"}]}
	{"role":"assistant","content":[{"text":"Tagged v0.3."}]}
	{"role":"user","content":[{"text":"Which grew most, and what does it cost?"}]}
	{"role":"user","content":[{"toolResult":{"toolUseId":"c","content":[]}},{"text":"Thanks."}]}
	EOF
	ctx-prune -d bedrock -m gpt-4o -s summarize --compact -b 80 -k 1 -t 3 \
	    split | cmp - split
}

@test "in a conversation inside a record the summary is an element with the layout of its neighbours" {
	jq -nc '{messages: [inputs]}' "$agent" > record
	ctx-prune -s summarize -b 40k record > out
	jq -c '.messages[]' out > kept
	summary_of kept > /dev/null
	[ "$(tokens out)" -le 40000 ]
	ctx-prune -s summarize -b 40k out | cmp - out
	jq . record > pretty
	ctx-prune -s summarize -b 40k pretty > out
	jq -e '.messages | length > 10' out > /dev/null
	ctx-prune -d anthropic -s summarize -b 40k pretty > out
	grep -q '^    {"role":"user","content":"\[Earlier' out
}

@test "in a stream with CRLF line ends the summary ends with CRLF, too" {
	sed 's/$/\r/' "$agent" > crlf
	ctx-prune -s summarize -b 40k crlf > out
	[ "$(grep -c $'\r$' out)" -eq "$(wc -l < out)" ]
}

@test "environment variables that set options of summaries are read" {
	SUMMARIZATION_TRIGGER_TOKENS=200000 SUMMARIZATION_TRIGGER_FRACTION=1 \
	    ctx-prune -s summarize --trigger-messages 0 -b 150k "$agent" |
	    cmp - "$agent"
	SUMMARIZATION_TRIGGER_TOKENS=50000 \
	    ctx-prune -s summarize --trigger-messages 0 -b 1M "$agent" > out
	summary_of out > /dev/null
	SUMMARIZATION_KEEP_TOKENS=3000 \
	    ctx-prune -s summarize -l light -b 100k --summary-tokens 300 \
	    "$agent" > out
	[ "$(tokens out)" -le 4500 ]
	# The command line leads.
	SUMMARIZATION_TRIGGER_TOKENS=50000 ctx-prune -s summarize \
	    --trigger 100% --trigger-messages 0 -b 1M "$agent" | cmp - "$agent"
	# As many digits as programs write.
	for share in 0.6 0.60 0.6000000 0.6000000000000001; do
		SUMMARIZATION_TRIGGER_FRACTION=$share \
		    ctx-prune -s summarize -b 20k --dry-run "$agent" > "at-$share"
		cmp "at-$share" at-0.6
	done
	SUMMARIZATION_TRIGGER_FRACTION=7 run -2 ctx-prune -s summarize -b 1k "$chat"
	SUMMARIZATION_KEEP_TOKENS=x run -2 ctx-prune -s summarize -b 1k "$chat"
}

@test "invalid values of the options are refused" {
	for o in "--summary-tokens 0" "--timeout 0" "--timeout x" "--summary-tokens -1" \
	    "--on-failure drop" "--trigger-messages many"; do
		# shellcheck disable=SC2086 # an option and its value
		run -2 ctx-prune -s summarize -b 1k $o "$chat"
	done
}

@test "anthropic: a summary does not separate a system message from the assistant's" {
	n="Please never touch src/main.c. $(seq 400 | tr '\n' ' ')"
	jq -nc --arg n "$n" '{messages: [
		{role: "system", content: "be brief"},
		{role: "assistant", content: "yes"},
		{role: "user", content: $n}, {role: "assistant", content: $n},
		{role: "user", content: "and"}, {role: "assistant", content: "so"}]}' > in
	ctx-prune -d anthropic -s summarize -b 700 -k 1 -t 0 --pin yes in > out
	[ "$(jq -r '[.messages[].role] | join(" ")' out)" = \
	    "user system assistant user assistant" ]
}

@test "if many conversations cannot get a summary, the first ten are reported" {
	jq -nc 'range(30) | {conversations: [{from: "system", value: "s"},
	    (range(20) | {from: (if . % 2 == 0 then "human" else "gpt" end),
	    value: "some words that are to be summed up"})]}' > many
	run -2 --separate-stderr ctx-prune -s summarize -b 200 many
	cmp many <(echo "$output")
	[ "${#stderr_lines[@]}" -eq 11 ]
	[[ ${stderr_lines[9]} == "ctx-prune: many:10: nothing was removed: "* ]]
	[[ ${stderr_lines[10]} == *"nothing was removed from 20 more "* ]]
}

@test "an earlier summary after a pinned message is merged into the new one, without the pinned message" {
	said() {
		jq -nc '{role: $ARGS.positional[0], parts: [$ARGS.positional[1:][] |
		    {text: .}]}' --args "$@"
	}
	{
		said user "the rules"
		said model "I know them"
		said user "x $(yes bla | head -n 80 | paste -sd ' ')"
		said model "y $(yes blu | head -n 80 | paste -sd ' ')"
		said user "[Earlier conversation summary]: a kite was lost" \
		    "so where is my kite"
		said model "in the tree"
		said user "and now"
		said model "take the ladder"
	} > in
	ctx-prune -s summarize -k 2 -t 2 -b 123 --pin rules --explain why in > out
	{
		said user "the rules"
		said model "I know them"
		said user "so where is my kite"
		sed '1,5d' in
	} | cmp - <(jq -c 'if .parts[1] then .parts |= .[1:] else . end' out)
	head -n 1 out | jq -e '.parts[0].text |
	    startswith("[Earlier conversation summary]: ") and
	    endswith("\na kite was lost")'
	[ "$(jq -r 'select(.action == "edit") | "\(.line) \(.rule)"' why |
	    paste -sd ,)" = "1 summary,5 earlier notice" ]
}

@test "a summary that is not made invalidates no signed reasoning" {
	jq -nc --arg long "$(numbered 400 | tr 0-9 a-j)" --arg last "$(numbered 200 | tr 0-9 a-j)" '
	    def think: {type: "thinking", thinking: ., signature: "c2ln"};
	    def use: {type: "tool_use", id: ., name: "read", input: {}};
	    def result($text): {role: "user", content:
		[{type: "tool_result", tool_use_id: ., content: $text}]};
	    {model: "claude-opus-5-5", messages: [
		{role: "user", content: "look"},
		{role: "assistant", content: [("first" | think), ("t1" | use)]},
		("t1" | result("ok")),
		{role: "assistant", content: [("then" | think), ("t2" | use)]},
		("t2" | result($long)),
		{role: "assistant", content: [{type: "text", text: $last}]}]}' > t
	jq -c '.messages[4].content[0].content = "[cleared]"' t > cleared
	for reasoning in drop keep fail; do
		ctx-prune -s summarize -l aggressive -b 2700 --trigger 70% \
		    -k 1 -t 0 --reasoning $reasoning t > out 2> err
		cmp out cleared
		[ ! -s err ]
	done
	# Without the reasoning the rest is within the budget, with it it is not.
	jq -c '.messages[5].content |= ["'"$(numbered 200 | tr 0-9 a-j)"'" | {type: "thinking",
	    thinking: ., signature: "c2ln"}] + .' t > more
	ctx-prune -s summarize -l light -b 2700 -k 1 -t 0 more > out
	jq -c '.messages[].content |= if type == "array"
	    then map(select(.type != "thinking")) else . end' more | cmp - out
}

@test "--reasoning fail refuses a summary before kept reasoning" {
	"$B/gen-tools/convo" --dialect anthropic --thinking --seed 504 \
	    --count 33 --messages 12 --wrap | tail -n 1 > t
	run -1 ctx-prune -d anthropic -m claude-opus-5-5 -s summarize \
	    -l aggressive -b 4000 -k 1 -t 0 --reasoning fail t
	[[ $output = *"nothing was removed, because the provider would refuse the signed reasoning"* ]]
	ctx-prune -d anthropic -m claude-opus-5-5 -s summarize \
	    -l aggressive -b 4000 -k 1 -t 0 t > out
	"$B/gen-tools/bound" t out
}

@test "a summary for which kept messages leave little room is reported" {
	{
		messages "system:$(numbered 400)" "user:Look at the doors."
		for i in 1 2 3 4 5 6; do
			messages "assistant:door $i $(numbered 200)" "user:and?"
		done
	} > in
	system=$(messages "system:$(numbered 400)" | ctx-count -e o200k_base | awk '{ print $1 }')
	for b in $((system + 100)) $((system + 900)); do
		run --separate-stderr -0 ctx-prune -s summarize -e o200k_base -k 1 -t 1 -b "$b" in
		if [ "$b" -lt $((system + 300)) ]; then
			[[ $stderr == "ctx-prune: in: little room for a summary: messages that must be kept use "*" tokens of the budget; raise -b" ]] ||
				fail "$b: $stderr"
		else
			[ -z "$stderr" ] || fail "$b: $stderr"
		fi
		run --separate-stderr -0 ctx-prune -s fifo -e o200k_base -k 1 -t 1 -b "$b" in
		[ -z "$stderr" ] || fail "fifo $b: $stderr"
	done
	# A target below what must be kept is no reason: the budget has room.
	run --separate-stderr -0 ctx-prune -s summarize -e o200k_base -k 1 -t 1 -b $((system + 900)) --target 100 in
	[ -z "$stderr" ] || fail "target: $stderr"
	for i in {1..12}; do
		cp in "in$i"
	done
	run --separate-stderr -0 ctx-prune -s summarize -e o200k_base -k 1 -t 1 -b $((system + 100)) in*
	[[ $stderr == *"ctx-prune: 3 more conversations have little room for a summary" ]] || fail "$stderr"
}
