# ctx-prune: fit the budget

load helper

@test "a stream within the budget passes byte for byte" {
	ctx-prune -b 1M "$agent" | cmp - "$agent"
	ctx-prune -b 1M < "$chat" | cmp - "$chat"
	printf '' | ctx-prune -b 100 | cmp - /dev/null
}

@test "CRLF, BOM, blank lines and a missing last newline are kept" {
	printf '\357\273\277\r\n{"role":"user","content":"a"}\r\n\n \t\n{ "role" : "assistant","content":"b" }' > odd
	ctx-prune -b 100 odd | cmp - odd
}

@test "every budget of a ladder is met, and calls keep their results" {
	for b in 100k 60k 30k 16k 8k 5k; do
		for s in pinned-fifo fifo middle-out; do
			for l in light balanced aggressive; do
				ctx-prune -b $b -s $s -l $l "$agent" > out
				ctx-count -q --max $b out ||
					fail "$s $l -b $b: $(ctx-count out)"
				is_paired out || fail "$s $l -b $b: unpaired"
			done
		done
	done
}

@test "level light removes whole messages and edits none" {
	for b in 60k 20k 5k; do
		ctx-prune -l light -b $b "$agent" > out
		is_subsequence out "$agent"
		[ "$(wc -l < out)" -lt 306 ]
	done
}

@test "the output starts with the system prompt and a user message" {
	for b in 60k 20k 8k 5k; do
		ctx-prune -b $b "$agent" > out
		[ "$(head -n 1 out)" = "$(head -n 1 "$agent")" ]
		[ "$(sed -n 2p out | jq -r .role)" = user ]
		[ "$(tail -n 1 out)" = "$(tail -n 1 "$agent")" ]
	done
	ctx-prune -s fifo -t 0 -k 1 -b 3k "$agent" > out
	[ "$(head -n 1 out | jq -r .role)" = user ]
}

@test "pruning twice equals pruning once" {
	for b in 60k 20k 8k; do
		for s in pinned-fifo fifo middle-out window; do
			for l in light balanced aggressive; do
				ctx-prune -b $b -s $s -l $l "$agent" > once || [ $? -eq 1 ]
				ctx-prune -b $b -s $s -l $l once > twice || [ $? -eq 1 ]
				[ -s once ]
				cmp once twice
			done
		done
	done
}

@test "a larger budget never keeps fewer tokens" {
	last=0
	for b in 3k 4k 6k 9k 14k 20k 33k 50k 90k; do
		now=$(ctx-prune -b $b "$agent" | tokens)
		[ "$now" -ge "$last" ]
		last=$now
	done
}

@test "input that arrives byte by byte gives the same output" {
	head -n 60 "$agent" > part
	ctx-prune -b 5k part > whole
	perl -e '$| = 1; local $/; $_ = <STDIN>; print for split //' < part |
	    ctx-prune -b 5k > split
	cmp whole split
}

@test "--join: several files are one stream" {
	head -n 100 "$agent" > a
	tail -n +101 "$agent" > b
	ctx-prune -b 20k --join a b > two
	ctx-prune -b 20k --join -n a b | head -n 2 | cmp - <(printf '%s\n' a b)
	ctx-prune -b 20k "$agent" | cmp - two
	printf '{"role":"user","content":"x"}' > cut
	printf '{"role":"user","content":"x"}\n' > whole
	for join in "" --join; do
		# shellcheck disable=SC2086 # an option or none
		ctx-prune -b 1k $join cut cut > out
		cat whole cut | cmp - out
	done
	run -2 ctx-prune -b 20k --join -i a b
	[[ $output == *"--join makes one conversation of all files, so --in-place "* ]]
}

@test "several files are pruned each by itself" {
	head -n 100 "$agent" > a
	tail -n +101 "$agent" > b
	for f in a b; do
		ctx-prune -b 20k -l light --archive $f.archive $f > $f.out
		ctx-prune -b 20k -l light -n $f
	done > plans
	ctx-prune -b 20k -l light --archive archive a b > out
	cat a.out b.out | cmp - out
	cat a.archive b.archive | cmp - archive
	ctx-prune -b 20k -l light -n a b | cmp - plans
	ctx-prune -b 20k -l light - b < a | cmp - out
	# Each may be of another dialect, and the highest status counts.
	cp "$BATS_TEST_DIRNAME/corpus/claude-code/session.jsonl" session
	ctx-prune -b 300 -k 1 -t 1 session > session.out || [ $? -eq 1 ]
	ctx-prune -b 20k a session > out
	cat <(ctx-prune -b 20k a) <(ctx-prune -b 20k session) | cmp - out
	run -1 ctx-prune -b 500 a session
	# A byte order mark stays at the beginning, and only there.
	printf '\xef\xbb\xbf' | cat - a > marked
	ctx-prune -b 20k -l light marked marked > out
	{
		ctx-prune -b 20k -l light marked
		cat a.out
	} | cmp - out
}

@test "--keep-last and --keep-turns keep exactly that many" {
	ctx-prune -b 2k -k 20 -t 0 "$agent" > out 2> err || [ $? -eq 1 ]
	tail -n 20 out > newest
	tail -n 20 "$agent" | cmp - newest
	ctx-prune -l light -b 1 -k 0 -t 2 "$agent" > out 2> err || [ $? -eq 1 ]
	jq -r 'select(.role == "user").content' out > kept
	jq -r 'select(.role == "user").content' "$agent" > all
	n=$(jq -s '[.[] | select(.role == "user")] | length' out)
	[ "$n" -ge 2 ]
	tail -n 1 all > a
	tail -n 1 kept | cmp - a
}

@test "window keeps its turns and exits 1 if they do not fit" {
	ctx-prune -s window --window-turns 2 "$agent" > out
	[ "$(jq -s '[.[] | select(.role == "user")] | length' out)" -le 3 ]
	is_paired out
	is_subsequence out "$agent"
	run -1 ctx-prune -s window --window-turns 2 -b 1k "$agent"
}

@test "middle-out keeps head and tail" {
	ctx-prune -s middle-out --keep-first 4 -l light -b 12k "$agent" > out
	head -n 3 "$agent" > head
	head -n 3 out | cmp - head
	tail -n 1 out > last
	tail -n 1 "$agent" | cmp - last
	is_paired out
}

@test "nothing is removed up to --trigger, then down to --target" {
	n=$(tokens "$agent")
	ctx-prune -b $((n + 10)) --trigger $n --target 10k "$agent" |
	    cmp - "$agent"
	ctx-prune -b $n --trigger $((n - 1)) --target 10k "$agent" > out
	[ "$(tokens out)" -le 10000 ]
	ctx-prune -b 200k --trigger 30% --target 10% "$agent" > out
	[ "$(tokens out)" -le 20000 ]
	run -2 ctx-prune -b 10k --target 20k "$agent"
	[[ $output == *"target"*"trigger"* ]]
	run -2 ctx-prune -b 10k --trigger 20k "$agent"
	[[ $output == *"trigger"*"budget"* ]]
}

@test "every level fills the budget; aggressive first clears results" {
	local l s
	for l in light balanced aggressive; do
		for s in salient heuristic pinned-fifo fifo; do
			ctx-prune -s $s -l $l -b 40k --quantum 0 "$agent" > out.$s
			[ "$(tokens out.$s)" -le 40000 ]
			[ "$(tokens out.$s)" -gt 36000 ] || fail "$s $l"
		done
	done
	[ "$(jq -s 'map(select(.content == "[cleared]")) | length' out.fifo)" -gt 50 ]
	is_paired out.fifo
}

@test "no more results are cleared than needed" {
	{
		for n in 30 5 300 31; do
			jq -nc --arg id "call_$n" --arg w "$(words $n)" '
			    {role: "assistant", content: null, tool_calls: [{id: $id,
				type: "function", function: {name: "read",
				arguments: "{}"}}]},
			    {role: "tool", tool_call_id: $id, content: $w}'
		done
		messages "assistant:Done."
	} > in
	ctx-prune -s pinned-fifo -l aggressive -k 1 -b $(($(tokens in) - 150)) in |
	    jq -r 'select(.role == "tool").content | length' > out
	# The result of 300 words saves more than the first two did.
	printf '%s\n' 150 25 9 155 | cmp - out
}

@test "level balanced removes reasoning of earlier turns and edits nothing else" {
	n=$(tokens "$agent")
	ctx-prune -m gpt-4o -s pinned-fifo -b $((n - 10)) "$agent" > out
	[ "$(wc -l < out)" -eq 306 ]
	jq -S 'del(.reasoning_content, .reasoning, .reasoning_details)' \
	    "$agent" > a
	jq -S 'del(.reasoning_content, .reasoning, .reasoning_details)' \
	    out | cmp - a
	[ "$(jq -s 'map(select(.reasoning_content)) | length' out)" -lt \
	    "$(jq -s 'map(select(.reasoning_content)) | length' "$agent")" ]
}

@test "reasoning of earlier turns is kept if a provider could refuse a request without it" {
	local n model
	n=$(tokens "$agent")
	for model in deepseek-v4-pro kimi-k2.6 mimo-v2.5 glm-5.1 ""; do
		ctx-prune ${model:+-m "$model"} -s pinned-fifo -b $((n / 2)) "$agent" > out
		[ "$(wc -l < out)" -lt 306 ]
		is_subsequence out "$agent" || fail "$model"
	done
	# In the format of one provider only the model decides.
	jq -nc 'range(4) | {role: "user", content: "Question"}, {role: "assistant",
	    content: [{type: "thinking", thinking: ("hm " * 50), signature: "Eq=="},
	    {type: "text", text: "Answer"}]}' > in
	ctx-prune -d anthropic -s pinned-fifo -b 200 in > out
	run ! is_subsequence out in
	ctx-prune -d anthropic -m deepseek-v4-pro -s pinned-fifo -b 200 in > out
	is_subsequence out in
	mkdir -p config/ctx
	echo '{"house": {"wants_reasoning": true, "binds": false}}' > config/ctx/models.json
	XDG_CONFIG_HOME=$PWD/config ctx-prune -d anthropic -m house -s pinned-fifo \
	    -b 200 in > out
	is_subsequence out in
}

@test "--quantum cuts at multiples counted from the start" {
	ctx-prune -b 30k -l light --quantum 10k -k 1 -t 0 --explain reasons "$agent" > out
	is_subsequence out "$agent"
	[ "$(tokens out)" -le 30000 ]
	jq -e '.action == "drop"' reasons > /dev/null
}

@test "messages are removed in steps of a third of the target, without --quantum" {
	local o
	for o in "-b 25k" "-b 25k -s middle-out" "-b 25k -l light" \
	    "-b 25k -s salient" "-b 25k -s heuristic" "-b 50k --target 50%"; do
		# shellcheck disable=SC2086
		ctx-prune $o "$agent" > steps
		# shellcheck disable=SC2086
		ctx-prune $o --quantum 33% "$agent" | cmp - steps
		# shellcheck disable=SC2086
		ctx-prune $o --quantum 8250 "$agent" | cmp - steps
		# shellcheck disable=SC2086
		ctx-prune $o --quantum 0 "$agent" > filled
		[ "$(tokens steps)" -lt "$(tokens filled)" ] || fail "$o"
	done
}

@test "at level aggressive there are no steps without --quantum" {
	ctx-prune -s pinned-fifo -b 30k -l aggressive "$agent" > out
	ctx-prune -s pinned-fifo -b 30k -l aggressive --quantum 0 "$agent" | cmp - out
	grep -q '\[cleared\]' out
	ctx-prune -s pinned-fifo -b 30k -l aggressive --quantum 20% "$agent" > steps
	run -1 grep '\[cleared\]' steps
}

@test "--quantum: reasoning is removed from the section that meets the budget to its end" {
	local n
	n=$(tokens "$agent")
	ctx-prune -m gpt-4o -s pinned-fifo -b $((n - 10)) --quantum 0 --explain needed "$agent" > out
	ctx-prune -m gpt-4o -s pinned-fifo -b $((n - 10)) --quantum 50% --explain steps "$agent" > out
	run -1 grep -v '"action":"edit"' needed
	run -1 grep -v '"action":"edit"' steps
	[ "$(wc -l < needed)" -lt "$(wc -l < steps)" ]
	# Reasoning after the first half of the tokens is kept.
	grep -q reasoning_content out
}

@test "an option that has no effect with the strategy or the level is refused" {
	local n=0
	while IFS='|' read -r options needed; do
		# shellcheck disable=SC2086 # options
		run -2 ctx-prune $options "$agent"
		[[ $output == "ctx-prune: --"*" needs $needed" ]] ||
			fail "$options: $output"
		n=$((n + 1))
	done <<-'END'
		-b 90k -s window --quantum 9k|--strategy salient, heuristic, middle-out, fifo or pinned-fifo
		-b 90k -s recall --quantum 50%|--strategy salient, heuristic, middle-out, fifo or pinned-fifo
		-b 90k -s summarize --quantum 0|--strategy salient, heuristic, middle-out, fifo or pinned-fifo
		-b 90k -s fifo --no-pin-system|--strategy other than fifo
		-b 90k -s recall --tool x|--level aggressive
		-b 90k -l light --not-tool x|--level balanced or aggressive
		-b 90k -s window -l aggressive --tool x|--strategy other than window
		-b 16k --window 20k|--budget in percent, or no --budget
		-s window --window 20k|--budget in percent
	END
	[ $n -eq 9 ]
	for options in "-s heuristic -l light --tool x" "--not-tool x"; do
		# shellcheck disable=SC2086 # options
		ctx-prune -b 90k $options "$agent" > out
	done
}

@test "--quantum above the target prints a warning, since little would be kept" {
	run -0 --separate-stderr ctx-prune -s pinned-fifo -b 20k --quantum 21k "$agent"
	[ "$stderr" = "ctx-prune: $agent: --quantum 21k is above the target of 20k tokens, so one step may remove nearly all messages; lower --quantum" ]
	run -0 --separate-stderr ctx-prune -s pinned-fifo -b 20k --target 25% --quantum 6k "$agent"
	[[ $stderr == *"above the target of 5.0k tokens"* ]]
	# Once, whatever the number of conversations.
	jq -cs '{model: "gpt-4o", messages: .}' "$agent" > r
	cat r r > two
	run -0 --separate-stderr ctx-prune -s pinned-fifo -b 20% --quantum 50k two
	[ "${#stderr_lines[@]}" -eq 1 ]
	[[ $stderr == *"--quantum 50k is above the target of 26k tokens"* ]]
	# Not where it cuts nothing, or has no say.
	run -0 --separate-stderr ctx-prune -s pinned-fifo -b 200k --quantum 300k "$agent"
	[ -z "$stderr" ]
	run -0 --separate-stderr ctx-prune -s pinned-fifo -b 20k --quantum 20k "$agent"
	[ -z "$stderr" ]
}

@test "the budget is the model's window minus the reserve" {
	run -2 ctx-prune "$agent"
	[[ $output == *"give a budget, a model or a window"* ]]
	ctx-prune -m gpt-4 "$agent" > out
	[ "$(tokens -m gpt-4 out)" -le $((8192 - 512)) ]
	ctx-prune --window 9000 --reserve 1000 "$agent" > out
	[ "$(tokens out)" -le 8000 ]
	ctx-prune --window 10000 -b 50% "$agent" > out
	[ "$(tokens out)" -le 5000 ]
	CTX_MODEL=gpt-4 ctx-prune "$agent" > out
	[ "$(tokens -m gpt-4 out)" -le $((8192 - 512)) ]
	run -2 ctx-prune -b 50% "$agent"
	[[ $output == *"needs a window"* ]]
	for reserve in 8000 9k; do
		run -2 ctx-prune --window 8000 --reserve $reserve "$agent"
		[[ $output == *"leaves nothing of the context window of 8000"* ]]
	done
}

@test "the environment sets encoding and model, and options override it" {
	ctx-prune -e bytes/4 -b 9k --quantum 0 "$agent" > want
	ctx-prune -b 9k --quantum 0 "$agent" > other
	run -1 cmp -s want other
	CTX_ENCODING=bytes/4 ctx-prune -b 9k --quantum 0 "$agent" | cmp - want
	CTX_ENCODING=bytes/4 ctx-prune -e o200k_base -b 9k --quantum 0 "$agent" |
	    cmp - other
	CTX_ENCODING=nope run -2 ctx-prune -b 9k --quantum 0 "$agent"
	ctx-prune -m gpt-4 "$agent" > want
	CTX_MODEL=gpt-4o ctx-prune -m gpt-4 "$agent" | cmp - want
	jq -nc '{model: "gpt-4", messages: [inputs]}' "$agent" > record
	CTX_MODEL=gpt-4o ctx-prune record | tokens > n
	[ "$(cat n)" -le 7680 ]
}

@test "a tool whose pattern takes too many steps is not edited" {
	name=$(head -c 60 /dev/zero | tr '\0' a)!
	jq -nc --arg name "$name" '{role: "user", content: "hi"},
	    {role: "assistant", tool_calls: [{id: "1", type: "function",
	    function: {name: $name, arguments: "{}"}}]},
	    {role: "tool", tool_call_id: "1", content: ("word " * 2000)},
	    ({role: "assistant", content: "done"}, {role: "user",
	    content: "next"})' > in
	ctx-prune -s pinned-fifo -l aggressive -t 1 -k 1 -b 2000 --tool a in | grep -F '[cleared]'
	for option in --tool --not-tool; do
		ctx-prune -s pinned-fifo -l aggressive -t 1 -k 1 -b 2000 $option '(a+)+$' in > out 2> err
		grep -q "^ctx-prune: $option: matching took too many steps" err
		run ! grep -F '[cleared]' out
	done
}

@test "--pin, --pin-tool and --pin-role keep the whole group of a match" {
	ctx-prune -b 12k --pin 'ticket 2291 \(tickets' "$agent" > out
	grep -q 'ticket 2291 (tickets' out
	ctx-prune -b 12k --pin-tool '^list_dir$' "$agent" > out
	grep -q '"name":"list_dir"' out
	is_paired out
	ctx-prune -b 20k --pin-role user "$agent" > out
	[ "$(jq -s '[.[] | select(.role == "user")] | length' out)" -eq 14 ]
	run -2 ctx-prune -b 1k --pin '(' "$agent"
	[[ $output == *"--pin: pattern"* ]]
	run -2 ctx-prune -b 1k --pin-role king "$agent"
}

@test "results of calls that only the provider stores are kept" {
	jq -nc '{role: "user", content: "q"}, (range(12) as $i |
	    {type: "item_reference", id: "rs_\($i)"},
	    {type: "item_reference", id: "fc_\($i)"},
	    {type: "function_call_output", call_id: "call_\($i)",
		output: ("word " * 20)}, {role: "user", content: "more"},
	    {role: "assistant", content: "so"}, {role: "user", content: "on"})' > in
	jq -c 'select(.type)' in > theirs
	for s in pinned-fifo fifo middle-out heuristic recall salient; do
		run -1 --separate-stderr ctx-prune -b 300 -s $s in
		[[ $stderr == *"pinned "* ]]
		jq -c 'select(.type)' <<< "$output" | cmp - theirs
		[ "${#lines[@]}" -lt "$(wc -l < in)" ] || fail "$s: nothing was removed"
	done
	for before in previous_response_id conversation; do
		jq -sc --arg before $before '{($before): "r", input: map(
		    select(.type == "function_call_output"))}' in > request
		ctx-prune -b 40 -k 1 -t 0 request 2> err > out || [ $? -eq 1 ]
		cmp request out
		grep -q 'pinned ' err
	done
}

@test "--pin does not match reasoning, which pruning may remove, so that twice is once" {
	jq -nc 'range(30) | {role: "user", content: [{text: "Question"}]},
	    {role: "assistant", content: [{reasoningContent: {reasoningText: {
	    text: (if . == 8 then "remember" else "hm" end),
	    signature: "Eq=="}}}, {text: ("Answer" * 9)}]}' > in
	ctx-prune -d bedrock --compact -k 1 -t 0 --pin remember in > out
	[ "$(wc -l < out)" -lt 60 ]
	ctx-prune -d bedrock --compact -k 1 -t 0 --pin remember out | cmp - out
	ctx-prune -d bedrock --compact -k 1 -t 0 in | cmp - out
}

@test "--pin keeps a message whose pattern runs out of time" {
	printf '{"role":"user","content":"%s!"}\n' "$(printf 'a%.0s' $(seq 5000))" > evil
	messages assistant:b user:c assistant:d user:e assistant:f >> evil
	timeout 20 ctx-prune -k 1 -t 1 -b 20 --pin '^(a+)+$' evil > out 2> err || [ $? -eq 1 ]
	head -n 1 evil > first
	head -n 1 out | cmp - first
}

@test "--explain prints a line for each changed message" {
	ctx-prune -l light -b 20k --explain reasons "$agent" > out
	[ "$(wc -l < reasons)" -eq $((306 - $(wc -l < out))) ]
	jq -e '.file and .line > 0 and .index >= 0 and .role and .rule and
	    .action == "drop" and .before > 0 and .after == 0 and
	    (.sha256 | length == 64)' reasons > /dev/null
	line=$(head -n 1 reasons | jq .line)
	want=$(sed -n "${line}p" "$agent" | sha256sum | cut -d ' ' -f 1)
	[ "$(head -n 1 reasons | jq -r .sha256)" = "$want" ]
	gone=$(jq -s 'map(.before) | add' reasons)
	[ $(($(tokens out) + gone)) -eq "$(tokens "$agent")" ]
}

@test "--dry-run prints the plan instead of the stream, with the same exit status" {
	run -0 ctx-prune -s pinned-fifo -b 20k -n "$agent"
	[[ $output == *"pinned-fifo"*"left"*"budget"* ]]
	run -1 ctx-prune -s pinned-fifo -b 500 -n --archive arch "$agent"
	[ ! -e arch ]
	ctx-prune -s pinned-fifo -b 20k -n --explain - "$agent" | jq -e .sha256 > /dev/null
	run -2 ctx-prune -s pinned-fifo -b 20k --explain - "$agent"
}

@test "--archive holds the removed records byte for byte, with mode 0600" {
	ctx-prune -l light -b 20k --archive arch "$agent" > out
	[ "$(stat -c %a arch)" = 600 ]
	sort out arch > both
	sort "$agent" | cmp - both
	ctx-prune -l light -b 10k --archive arch out > out2
	sort out2 arch > both
	sort "$agent" | cmp - both
	run -2 ctx-prune -b 10k --archive /nowhere/a "$agent"
	[[ $output == *"/nowhere/a"* ]]
}

# The lines of $1 that stand in none of the other files.
lost() {
	local in=$1
	shift
	comm -23 <(sort "$in") <(cat "$@" | sort)
}

@test "every strategy archives all that it removes or changes" {
	head -n 150 "$agent" | jq -c . > in
	jq -nc '{messages: [inputs]}' in > record
	for s in $STRATEGIES; do
		[ $s != window ] || s="window --window-turns 2"
		for l in light aggressive; do
			rm -f arch arch2
			# shellcheck disable=SC2086 # a strategy and its option
			ctx-prune -s $s -l $l -b 12k \
			    --notice omitted --archive arch in > out || [ $? -eq 1 ]
			run -1 cmp -s in out
			[ -z "$(lost in out arch)" ] || fail "$s $l"
			# shellcheck disable=SC2086
			ctx-prune -s $s -l $l -b 12k \
			    --notice omitted --archive arch2 record > out ||
			    [ $? -eq 1 ]
			[ -z "$(lost in <(jq -c '.messages[]' out) arch2)" ] ||
				fail "$s $l, record"
		done
	done
	# messages that cannot be archived are kept
	run -2 ctx-prune -b 12k --archive /dev/full in
	[[ $output == *"/dev/full"* ]] || [[ $output == *"No space"* ]]
}

@test "--dry-run prints what is removed, why, and whether the rest fits" {
	ctx-prune -n -s heuristic -l aggressive -b 20k "$agent" > plan
	grep -qE '^  drop   no rare name  *.* messages -  .* tokens$' plan
	grep -qE '^  edit   long texts ' plan
	ctx-prune -s heuristic -l aggressive -b 20k "$agent" > out
	read -r _ left _ after _ < <(grep '^  left' plan)
	[ "$left" -eq "$(wc -l < out)" ]
	[ "$after" -eq "$(tokens out)" ]
	# "now", minus the removed and plus the added tokens, is "left"
	awk '$1 == "now" { n = $4 } $1 == "left" { left = $4 }
	    $1 == "drop" || $1 == "edit" { n -= $(NF - 1) }
	    $1 == "add" { n += $(NF - 1) }
	    END { exit n != left }' plan
	ctx-prune -n -s summarize -b 60k "$agent" > plan
	grep -qE '^  add    summary  .* 0 messages \+' plan
	awk '$1 == "now" { n = $4 } $1 == "left" { left = $4 }
	    $1 == "drop" || $1 == "edit" { n -= $(NF - 1) }
	    $1 == "add" { n += $(NF - 1) } END { exit n != left }' plan
	# The first change is an edit, but rows of removed messages are first.
	[[ $(ctx-prune -n -m gpt-4o -b 50% --json "$agent" | jq -r '.rules[0].action') == edit ]]
	ctx-prune -n -m gpt-4o -b 50% "$agent" | awk '{ print $1 }' | uniq > rows
	[ "$(sed -n '2,5p' rows | xargs)" = "now drop edit left" ]
	run -1 ctx-prune -n -b 400 "$agent"
	[[ $output == *"budget"*"400 tokens, which is not met"* ]]
}

@test "--dry-run says how many tokens of the budget are unused, and why" {
	while IFS='|' read -r options why; do
		# shellcheck disable=SC2086 # options
		ctx-prune -n $options "$agent" > plan || [ $? -eq 1 ]
		read -r _ _ _ left _ < <(grep '^  left' plan)
		read -r _ budget _ < <(grep '^  budget' plan)
		read -r _ unused _ < <(grep '^  unused' plan)
		[ "$unused" -eq $((budget - left)) ]
		grep -q "^  unused  .* tokens: $why\$" plan ||
			fail "$options: $(cat plan)"
		# shellcheck disable=SC2086
		ctx-prune -n --json $options "$agent" |
		    jq -e '.unused == .budget - .left.tokens and
			.target <= .budget'
	done <<-'END'
		-b 17k --quantum 0|only whole groups are removed
		-b 200k|nothing had to be removed
		-b 16k --target 50% --quantum 0|the target is 8000; only whole groups are removed
		-b 40k --quantum 9k|messages are removed in steps of 9000 tokens (--quantum)
		-b 16k -s fifo --quantum 20%|messages are removed in steps of 3200 tokens (--quantum), and in whole groups
		-b 1900 --target 500|the target is 500; the floors exceed the target
		-b 90k -s window|the strategy keeps a number of turns
		-b 40k -s summarize --target 40k --trigger 40k|all but the newest messages are summarized
	END
	# What is not met, and what has no budget, leaves nothing unused.
	for options in "-b 500" "-s window"; do
		# shellcheck disable=SC2086
		ctx-prune -n $options "$agent" > plan || [ $? -eq 1 ]
		run -1 grep unused plan
	done
	ctx-prune -n --json -b 500 "$agent" | jq -e '.unused == 0' ||
		[ "${PIPESTATUS[0]}" -eq 1 ]
	bound_talk result > in
	run -1 ctx-prune -n -m claude-opus-5-5 -d anthropic -b 90 --target 30 \
	    --trigger 30 -k 1 -t 1 --reasoning fail in
	[[ $output == *"tokens: nothing was removed"* ]]
}

@test "records with conversations are pruned one by one, other members are unchanged" {
	jq -nc '{x: 1.10, messages: [inputs], big: 1e400}' "$agent" 2> /dev/null |
	    sed 's/1.7976931348623157e+308/1e400/' > one
	cat one one > two
	ctx-prune -b 20k two > out
	[ "$(wc -l < out)" -eq 2 ]
	jq -c '.messages[]' out > kept
	[ "$(head -n 1 out | jq -c .x)" = 1.10 ] ||
		grep -q '"x":1.1' out
	head -n 1 out > first
	[ "$(tokens first)" -le 20000 ]
	jq -c '.messages[]' first > kept
	is_paired kept
	tail -n 1 out | cmp - first
	run -0 ctx-prune -b 20k first
	[ "$(tail -c 12 out)" = "$(tail -c 12 two)" ]
}

@test "a pretty-printed document and an array keep their layout" {
	head -n 40 "$agent" | jq . > pretty
	ctx-prune -b 1M pretty | cmp - pretty
	jq -s . "$agent" > array
	ctx-prune -l light -b 20k array > out
	jq -c '.[]' out > kept
	is_paired kept
	grep -q '^  {$' out
	jq -nc '[{messages: [inputs]}]' "$agent" > nested
	ctx-prune -b 20k nested | jq -e '.[0].messages | length < 306' > /dev/null
}

@test "records that are not messages pass in their place" {
	{
		echo '{"type":"meta"}'
		cat "$chat"
		echo '[1,2]'
		echo '"text"'
	} > mixed
	ctx-prune -b 200 mixed > out 2> err || [ $? -eq 1 ]
	[ "$(head -n 1 out)" = '{"type":"meta"}' ]
	[ "$(tail -n 1 out)" = '"text"' ]
}

@test "--lenient passes invalid lines; without it nothing is written" {
	{
		head -n 20 "$chat"
		echo '{broken'
		tail -n +21 "$chat"
	} > broken
	run -2 --separate-stderr ctx-prune -b 300 broken
	[ -z "$output" ]
	ctx-prune --lenient -b 1M broken 2> err | cmp - broken
	grep -q 'broken:21' err
	run ! grep -q 'more lines' err
	# Only the first one is named, the others are counted.
	{ cat broken; echo '{broken'; echo '{broken'; } > worse
	ctx-prune --lenient -b 1M worse 2> err | cmp - worse
	[ "$(grep -c 'worse:' err)" -eq 1 ]
	grep -q '^ctx-prune: 2 more lines are left as they are' err
	# What is after the first line is pruned though that was cut short.
	{ echo '{"role":"user",'; cat "$chat"; } > cut
	ctx-prune --lenient -b 1M cut 2> err | cmp - cut
	grep -q 'cut:1' err
	ctx-prune --lenient -b 300 cut > out 2> err
	[ "$(head -n 1 out)" = '{"role":"user",' ]
	[ "$(tail -n +2 out | ctx-count --json | jq .tokens)" -le 300 ]
}

@test "memory use is bounded by the budget on a long stream" {
	for _ in $(seq 40); do tail -n +2 "$agent"; done > long
	ctx-prune -b 20k long > whole
	[ "$(tokens whole)" -le 20000 ]
	(limit_memory 60000 && ctx-prune -b 20k long) | cmp - whole
}

@test "escaped names, equal keys and unusual numbers are kept as written" {
	cat > odd <<'X'
{"\u0072ole":"user","content":"a\/b\u00e9","n":1E2,"n":-0,"z":123456789012345678901234567890}
{"role":"assistant","role":"assistant","content":"b","deep":[[[[{}]]]]}
X
	ctx-prune -b 100 odd | cmp - odd
	[ "$(ctx-count --json odd | jq .messages)" -eq 2 ]
}

# Four messages with signed reasoning in each answer.
signed_talk() {
	{
		messages "user:$(printf 'one %.0s' {1..40})"
		for text in first second; do
			printf '%s%s%s\n' '{"role":"assistant","content":[' \
			    '{"type":"thinking","thinking":"hm hm hm hm","signature":"Eq=="},' \
			    "{\"type\":\"text\",\"text\":\"$text\"}]}"
			messages user:more
		done
	} | head -n 4
}

@test "signed reasoning after a cut is removed if the model binds it" {
	signed_talk > t.jsonl
	all=$(tokens -d anthropic t.jsonl)
	set -- -d anthropic -l light -k 1 -t 0 -b 40 t.jsonl
	# A model that is not known binds, and so does a new version of Claude.
	for model in "" "-m claude-opus-5-5" "-m claude-sonnet-6"; do
		ctx-prune $model --explain log "$@" > out 2> err
		[ ! -s err ]
		[ "$(wc -l < out)" -eq 2 ]
		[ "$(tail -n 1 out)" = '{"role":"assistant","content":[{"type":"text","text":"second"}]}' ]
		[ "$(jq -r 'select(.index == 3) | .rule' log)" = "bound reasoning" ]
	done
	ctx-prune -m claude-opus-4-8 "$@" > out 2> err
	[ ! -s err ]
	tail -n 1 out | cmp - <(tail -n 1 t.jsonl)
	# Within the budget nothing changes.
	ctx-prune -d anthropic -l light -b "$all" t.jsonl | cmp - t.jsonl
}

@test "--explain: reasoning of earlier turns is bound only if its model binds it" {
	signed_talk > signed
	jq -c 'if .role == "assistant" then {role, content: .content[1].text,
	    reasoning_content: "hm hm hm hm"} else . end' signed > plain
	# The file, the treatment, and the rule.
	for run in "plain drop reasoning" "signed keep reasoning" \
	    "signed drop bound reasoning"; do
		read -r file reasoning rule <<< "$run"
		ctx-prune -m claude -s fifo -k 1 -t 0 -b $(($(tokens -m claude "$file") - 1)) \
		    --quantum 0 --reasoning "$reasoning" -n --explain - "$file" |
		    jq -r 'select(.index == 1) | .rule' > got
		[ "$(cat got)" = "$rule" ] || fail "$run: $(cat got)"
	done
}

@test "--reasoning keep prints one line and keeps bound reasoning; fail changes nothing" {
	signed_talk > t.jsonl
	set -- -d anthropic -l light -k 1 -t 0 -b 40 t.jsonl
	ctx-prune --reasoning keep "$@" > out 2> err
	tail -n 1 out | cmp - <(tail -n 1 t.jsonl)
	[ "$(grep -c 'kept signed reasoning after a change' err)" -eq 1 ]
	ctx-prune --reasoning keep -m claude-opus-4-8 "$@" > out 2> err
	[ ! -s err ]
	run -1 --separate-stderr ctx-prune --reasoning fail "$@"
	[ "$output" = "$(cat t.jsonl)" ]
	[[ $stderr = *"nothing was removed, because the provider would refuse the signed reasoning"* ]]
	[[ $stderr != *"kept signed reasoning"* ]]
	ctx-prune --reasoning fail -m claude-opus-4-8 "$@" > out
	[ "$(wc -l < out)" -eq 2 ]
	# Gateways take signed blocks in Chat Completions, too.
	ctx-prune -d openai-chat -b 20 -k 1 -t 0 --reasoning keep t.jsonl > out 2> err || [ $? -eq 1 ]
	grep -q 'signed reasoning' err
}

@test "tokens of removed reasoning count for the budget, so that more messages are kept" {
	printf '%s\n' '{"role":"user","content":"a question that is not short at all, in many words"}' \
	    '{"role":"assistant","content":[{"type":"text","text":"a first answer in a few words"}]}' \
	    '{"role":"user","content":"another question"}' \
	    '{"role":"assistant","content":[{"type":"thinking","thinking":"'"$(words 60)"'","signature":"Eq=="},{"type":"text","text":"second"}]}' \
	    '{"role":"user","content":"last"}' > t.jsonl
	# Without its reasoning all of it fits.
	ctx-prune -d anthropic -l light -k 1 -t 1 -b 60 t.jsonl > out
	[ "$(wc -l < out)" -eq 5 ]
	run ! grep -q thinking out
	ctx-prune -d anthropic -l light -k 1 -t 1 -b 60 -m claude-opus-4-8 t.jsonl > out || [ $? -eq 1 ]
	[ "$(wc -l < out)" -lt 5 ]
}

@test "models.json decides whether a model binds its reasoning" {
	signed_talk > t.jsonl
	mkdir -p conf/ctx
	echo '{"claude-opus-5-5":{"binds":false},"house":{"binds":true}}' > conf/ctx/models.json
	export XDG_CONFIG_HOME=$PWD/conf
	set -- -d anthropic -l light -k 1 -t 0 -b 25 t.jsonl
	ctx-prune -m claude-opus-5-5 "$@" | grep -q thinking
	ctx-prune -m house "$@" > out
	run ! grep -q thinking out
	echo '{"house":{"binds":1}}' > conf/ctx/models.json
	run -2 ctx-prune -m house "$@"
	[[ $output = *"'house': the value of 'binds' must be true or false"* ]]
}

@test "a conversation of system messages alone keeps its last message" {
	system='{"role":"system","content":"Be brief with everybody."}'
	echo "{\"messages\":[$system,$system]}" > in
	ctx-prune -s fifo -b 0 -k 0 -t 0 in > out 2> err || [ $? -eq 1 ]
	echo "{\"messages\":[$system]}" | cmp out
}

@test "a request without messages and an empty stream pass unchanged; the request exits 2" {
	echo '{"model":"gpt-4o","messages":[]}' > in
	for s in pinned-fifo "recall --query x" heuristic window middle-out \
	    summarize salient; do
		# shellcheck disable=SC2086 # a strategy and its option
		run -2 --separate-stderr ctx-prune -b 100 -s $s in
		[ "$output" = "$(cat in)" ]
		[ "$stderr" = "ctx-prune: in:1: the list of messages is empty" ]
		# shellcheck disable=SC2086
		ctx-prune -b 100 -s $s < /dev/null > out
		[ ! -s out ]
	done
}

@test "an orphan result is removed together with the message before it" {
	long=$(words 20)
	messages "user:q" | jq -c '.content = [{text: .content}]' > in
	jq -nc --arg long "$long" '
	    {role: "assistant", content: [{text: $long}]},
	    {role: "user", content: [{toolResult: {toolUseId: "z", content: [{text: $long}]}}]},
	    {role: "assistant", content: [{text: "final"}]}' >> in
	run -1 ctx-check -d bedrock in
	[ "${#lines[@]}" -eq 1 ]
	ctx-prune -d bedrock -b 20 -k 1 -t 1 in > out
	[ "$(wc -l < out)" -eq 2 ]
	ctx-check -d bedrock out
	# A function of another name than was called.
	jq -nc --arg long "$long" '{role: "user", parts: [{text: "q"}]},
	    {role: "model", parts: [{functionCall: {name: "wx", args: {}}}]},
	    {role: "user", parts: [{functionResponse: {name: "other",
		response: {output: $long}}}]},
	    {role: "model", parts: [{text: "final"}]}' > in
	ctx-check -d gemini in > before || true
	ctx-prune -d gemini -b 20 -k 1 -t 1 in > out
	ctx-check -d gemini out > after || true
	[ "$(wc -l < after)" -le "$(wc -l < before)" ] || fail "$(cat after)"
}
