# ctx-prune: what must be kept, and budgets that it exceeds

load helper

@test "floors larger than the budget exit 1 and are named" {
	run -1 ctx-prune -b 500 "$agent"
	[[ $output == *"agent.jsonl: cannot fit 500 tokens: "*" must be kept (system "*"last messages "* ]]
	run -1 ctx-prune -m gpt-4o -b 1000 -k 60 "$agent"
	[[ $output =~ "cannot fit 1,000 tokens: "[0-9]+,[0-9]{3}" must be kept (system 518, last messages "[0-9]+,[0-9]{3}, ]]
	ctx-prune -b 500 -k 4 "$agent" 2> err > out || [ $? -eq 1 ]
	grep -q 'system 5' err
	grep -q 'last messages' err
	[ "$(wc -l < err)" -eq 1 ]
	is_paired out
	tail -n 4 "$agent" > tail
	tail -n 4 out | cmp - tail
}

@test "the default numbers of newest messages and turns are lowered for a small budget" {
	{
		messages "system:Be brief."
		for i in 1 2 3 4 5 6 7 8; do
			messages "user:question $i" "assistant:$(words 50)"
		done
		messages "user:question 9"
	} > in
	least=$(sed -n '1p;$p' in | tokens)
	for s in pinned-fifo heuristic salient; do
		# Everything that the defaults keep takes 260 tokens.
		run -1 ctx-prune -s $s -k 4 -t 3 -b $((least + 100)) in
		ctx-prune -s $s -b $((least + 100)) in > out
		[ "$(tokens out)" -le $((least + 100)) ]
		[ "$(sed -n '1p;$p' out)" = "$(sed -n '1p;$p' in)" ]
		# What was asked for is not lowered, ...
		run -1 ctx-prune -s $s -k 3 -b $((least + 50)) in
		tail -n 3 in | cmp - <(tail -n 3 <<< "$output")
		# ... and what is always kept is more than too small a budget.
		run -1 ctx-prune -s $s -b $((least - 1)) in
		[ "${#lines[@]}" -eq 3 ]
	done
}

@test "a small budget gives up the first user message of the newest turn, not the last" {
	local s
	{
		messages "system:Be brief." "user:Rules: $(words 100)" \
		    "user:Fix the parser."
		for i in 1 2 3 4 5 6 7 8 9 10; do
			messages "assistant:step $i $(words 50)"
		done
	} > in
	for s in salient pinned-fifo heuristic middle-out recall summarize; do
		ctx-prune -s $s -b 150 in > out
		[ "$(tokens out)" -le 150 ]
		grep -q 'Fix the parser' out
		run -1 grep -q 'Rules' out
		# It is kept if it takes less than a quarter, or if -t demands it.
		ctx-prune -s $s -b $(($(tokens in) - 10)) in > out
		grep -q 'Rules' out
		run -1 ctx-prune -s $s -t 1 -b 150 in
		[[ $output == *Rules* ]]
	done
}

@test "a small budget lowers the default of --keep-first, not what was given" {
	{
		messages "user:first $(words 100)" "assistant:second $(words 100)"
		for i in 3 4 5 6 7 8 9 10; do
			messages "user:message $i $(words 90)" "assistant:answer $i"
		done
	} > in
	ctx-prune -s middle-out -b 200 in > out
	[ "$(tokens out)" -le 200 ]
	run -1 grep -E 'first|second' out
	run -1 ctx-prune -s middle-out -b 200 --keep-first 2 in
	[[ $output == *first*second* ]]
	ctx-prune -s middle-out --quantum 0 -b $(($(tokens in) - 10)) in > out
	grep -q first out
}

@test "the tokens that must be kept are the sum of those listed" {
	run -1 --separate-stderr ctx-prune -m gpt-4o -b 500 "$agent"
	[[ $stderr == *": cannot fit 500 tokens: 586 must be kept (system 518, last messages 24, last turns 41, framing 3); "* ]] ||
		fail "$stderr"
}

@test "a budget that fits a conversation also fits if it is larger" {
	{
		messages "system:Be brief."
		for i in $(seq 12); do
			messages "user:question $i $(words 20)" "assistant:answer $i"
		done
	} > in
	for s in $STRATEGIES; do
		# window has no budget; what recall keeps must begin with a question
		case $s in window | recall) continue ;; esac
		fits=false
		for budget in $(seq 40 3 160); do
			if ctx-prune -s "$s" -b "$budget" in > out 2> err; then
				fits=true
				[ "$(tokens out)" -le "$budget" ]
			else
				[ "$fits" = false ] || fail "$s $budget"
			fi
		done
		[ "$fits" = true ]
	done
}

@test "without the system message, OpenAI's tools cost more, which the budget includes" {
	{
		messages "system:Be brief." "developer:Be kind."
		for i in $(seq 12); do
			messages "user:question $i $(words 20)" "assistant:answer $i"
		done
	} | jq -sc '{model: "gpt-4o", messages: ., tools: [{type: "function",
	    function: {name: "wx", parameters: {type: "object", properties: {}}}}]}' > in
	removed=0
	for options in "-s fifo" "--no-pin-system --quantum 0"; do
		fits=false
		for budget in $(seq 60 3 340); do
			# shellcheck disable=SC2086 # several words
			if ! ctx-prune -b "$budget" $options in > out 2> err; then
				# what fits a smaller budget also fits this one
				[ "$fits" = false ] || fail "$budget $options"
				continue
			fi
			fits=true
			# shellcheck disable=SC2086 # several words
			left=$(ctx-prune -b "$budget" $options -n --json in |
			    jq .left.tokens)
			[ "$(tokens out)" -eq "$left" ] || fail "$budget $options"
			[ "$left" -le "$budget" ]
			grep -q 'Be ' out || removed=$((removed + 1))
		done
	done
	[ "$removed" -gt 50 ]
}

@test "over the budget, only options that keep messages are named" {
	local options named what
	while IFS='|' read -r options named; do
		# shellcheck disable=SC2086  # several options
		run -1 --separate-stderr ctx-prune -b 530 $options "$agent"
		what=${stderr##*raise -b}
		[ "$what" = "$named" ] || fail "$options: $what"
	done <<- 'end'
		|, or shorten messages with ctx-truncate
		-k 0 -t 0|, or shorten messages with ctx-truncate
		-k 4|, or keep less (-k)
		-t 2 --pin no_such_text|, or keep less (-t)
		-k 2 -t 2 --pin test --pin-tool . --pin-role user|, or keep less (-k, -t, --pin, --pin-tool, --pin-role)
		-s middle-out --keep-first 2|, or keep less (--keep-first)
		-s window|, or keep less (--window-turns)
		--compact|, or keep less (-k)
	end
	# Nothing helps if the system message alone exceeds the budget.
	run -1 --separate-stderr ctx-prune -b 300 -k 4 "$agent"
	[[ $stderr == *"; raise -b" ]]
}

@test "an empty conversation over the budget names its framing" {
	echo '{"messages":[]}' > in
	run -2 --separate-stderr ctx-prune -b 1 in
	[ "${stderr_lines[0]}" = "ctx-prune: in:1: cannot fit 1 tokens: 3 must be kept (framing 3); raise -b" ]
	[ "$output" = '{"messages":[]}' ]
}

@test "with manual thinking of Claude, the newest turn begins with the reasoning that began it" {
	local s
	jq -nc --arg long "$(words 300)" '{model: "claude-sonnet-4-5", max_tokens: 9,
	    thinking: {type: "enabled", budget_tokens: 1024}, messages: [
	    {role: "user", content: "Fix it."},
	    (range(8) | {role: "assistant", content: [
		(select(. == 0) | {type: "thinking", thinking: "look around", signature: "c2ln"}),
		{type: "tool_use", id: "t\(.)", name: "run", input: {}}]},
		{role: "user", content: [{type: "tool_result", tool_use_id: "t\(.)", content: $long}]})]}' > in
	first() {
		jq -r '.messages | map(select(.role == "assistant"))[0].content[0].type' "$1"
	}
	for s in salient pinned-fifo fifo middle-out heuristic recall summarize; do
		ctx-prune -s $s -b 1500 -k 1 in > out
		[ "$(first out)" = thinking ] || fail "$s"
		[ "$(jq '.messages | length' out)" -lt 17 ] || [[ $s =~ salient|heuristic ]]
	done
	# Of interleaved thinking, that of later messages is removed first.
	jq -c '(.messages[] | select(.role == "assistant").content) |=
	    [{type: "thinking", thinking: "why", signature: "c2ln"}, last]' in > all
	for s in salient heuristic fifo; do
		ctx-prune -s $s -b 1500 -k 1 all > out
		[ "$(first out)" = thinking ] || fail "$s"
	done
	# Adaptive thinking demands nothing, and nor do later models.
	sed 's/"enabled","budget_tokens":1024/"adaptive"/; s/sonnet-4-5/opus-4-8/' in > later
	ctx-prune -s fifo -b 1500 -k 1 later > out
	[ "$(first out)" = tool_use ]
	# Without a request the model decides.
	jq -c '.messages[]' in > lines
	ctx-prune -m claude-sonnet-4-5 -s fifo -b 1500 -k 1 lines | jq -sc '{messages: .}' > out
	[ "$(first out)" = thinking ]
}
