# ctx-prune: what leaves is at most the budget, as ctx-count counts it, and
# what grows keeps its prefix

load helper

# Prunes FILE within the budget after the options; says 1 if it is not met,
# and checks that it says so exactly then, and before anything is cut.
within() { # BUDGET FILE OPTION...
	local b=$1 f=$2 rc=0 left
	shift 2
	ctx-prune -b "$b" "$@" "$f" > out 2> err || rc=$?
	left=$(tokens out)
	if [ $rc -eq 0 ]; then
		[ "$left" -le "$b" ] || fail "$f $b $*: $left left, status 0"
	else
		[ $rc -eq 1 ] || fail "$f $b $*: $(cat err)"
		[ "$left" -gt "$b" ] || fail "$f $b $*: fits, status 1"
		grep -q "$f: cannot fit .* must be kept ([a-z]" err || fail "$f $b $*"
	fi
	run ctx-prune -n -b "$b" "$@" "$f"
	[ "$status" -eq $rc ] || fail "$f $b $*: --dry-run said $status"
}

@test "every strategy, level, notice and summary meets the budget or exits 1" {
	for s in $STRATEGIES; do
		for l in light balanced aggressive; do
			within 30000 "$agent" -s $s -l $l
			within 3000 "$agent" -s $s -l $l --notice "(left out)"
			within 700 "$chat" -s $s -l $l -k 1 -t 0 \
			    --notice "(left out)"
		done
	done
}

@test "pins, newest messages or a system prompt larger than the budget exit 1 and are named" {
	within 2000 "$agent" --pin-role user
	within 9000 "$agent" --pin-tool . -s heuristic -l aggressive
	within 2000 "$agent" -k 40 --notice "(left out)"
	within 400 "$agent" -s summarize
	within 1 "$agent" -s recall -k 0 -t 0
	run -1 ctx-prune -b 2k --pin-role user "$agent"
	grep -q 'pinned messages and summaries [0-9]' <<< "$output"
}

@test "pins, a percentage, several files and --window work together" {
	head -n 150 "$agent" > a
	tail -n +151 "$agent" > b
	ctx-prune --window 50k -b 40% --trigger 90% --target 50% -s middle-out \
	    --keep-first 3 --pin 'ticket 2291' --pin-role system \
	    --notice "(left out)" --join a b > out
	[ "$(tokens out)" -le 20000 ]
	grep -q 'ticket 2291' out
	head -n 1 a | cmp - <(head -n 1 out)
	ctx-prune --window 50k -b 40% --trigger 90% --target 50% -s middle-out \
	    --keep-first 3 --pin 'ticket 2291' --pin-role system \
	    --notice "(left out)" out | cmp - out
}

@test "each conversation of a stream gets the budget of its own model" {
	jq -nc '{model: "gpt-4", messages: [inputs]}' "$agent" > one
	jq -nc '{messages: [inputs]}' "$chat" >> one
	jq -nc '{model: "gpt-4o", messages: [inputs]}' "$agent" >> one
	ctx-prune -b 5k -s summarize -l light --notice x one > out
	for i in 1 2 3; do
		sed -n ${i}p out > record
		[ "$(tokens record)" -le 5000 ]
	done
	cmp <(sed -n 2p one) <(sed -n 2p out)
	head -n 1 one | ctx-prune > out
	[ "$(tokens out)" -le 7680 ]
	tail -n 1 one | ctx-prune | cmp - <(tail -n 1 one)
	# the worst status wins, and each is named with its line
	run -1 ctx-prune -k 4 -t 3 -b 700 one
	[[ $output == *"one:1: "*"one:3: "* ]]
	[[ $output != *"one:2: "* ]]
}

@test "a larger budget never keeps fewer tokens" {
	for o in "-s pinned-fifo -l light" "-s fifo -k 1 -t 0" \
	    "-s middle-out -l aggressive" "-s pinned-fifo -l balanced"; do
		last=0
		for b in 2k 2500 3k 4k 5k 7k 10k 14k 20k 28k 40k 57k 80k 110k; do
			# shellcheck disable=SC2086 # options
			now=$(ctx-prune $o -b $b "$agent" 2> /dev/null | tokens) ||
			    true
			[ "$now" -ge $last ] || fail "$o -b $b: $now < $last"
			last=$now
		done
	done
}

# Prunes FILE as it grows, from message $1 to $2, and counts the steps whose
# output does not begin with all of the last one and the cuts that moved.
grow() { # FROM TO FILE OPTION...
	local i last=0 cut edited before_edited=
	local from=$1 to=$2 f=$3
	shift 3
	: > before
	broken=0 moved=0
	for ((i = from; i <= to; i++)); do
		head -n "$i" "$f" | ctx-prune -s pinned-fifo --explain why "$@" > after \
		    2> /dev/null || [ $? -eq 1 ]
		# the last line that was removed
		cut=$(sed -n '/"action":"drop"/s/.*"line":\([0-9]*\).*/\1/p' why |
		    tail -n 1)
		cut=${cut:-0}
		[ "$cut" -ge $last ] || fail "$*: the cut moved back at $i"
		# the last message whose reasoning was removed
		edited=$(sed -n '/"action":"edit"/s/.*"line":\([0-9]*\).*/\1/p' \
		    why | tail -n 1)
		if ! head -c "$(stat -c %s before)" after | cmp -s - before; then
			broken=$((broken + 1))
			[ "$cut" -gt $last ] || [ "$edited" != "$before_edited" ] ||
				fail "$*: prefix broken without a cut at $i"
		fi
		[ "$cut" -eq $last ] || moved=$((moved + 1))
		last=$cut before_edited=$edited
		mv after before
	done
}

@test "--quantum: a growing conversation changes its prefix only when it crosses a multiple" {
	for l in light balanced aggressive; do
		grow 40 90 "$agent" -l $l -b 9k --quantum 3k -k 1 -t 0
		[ $broken -gt 0 ]
		[ $moved -le 9 ] || fail "$l: the cut moved $moved times"
		[ $broken -le $moved ]
	done
	with=$moved
	grow 40 90 "$agent" -l light -b 9k -k 1 -t 0 --quantum 0
	[ $moved -gt $with ] || fail "without it moved $moved times"
}

@test "--quantum works in every provider's format, also with floors after the cut" {
	local d
	for d in anthropic openai-responses gemini bedrock; do
		"$B/gen-tools/convo" --dialect $d --seed 7 --messages 260 > in
		n=$(tokens -d $d in)
		grow 120 160 in -d $d -l balanced -b $((n / 4)) \
		    --quantum $((n / 12)) -k 1 -t 0
		[ $moved -le 6 ] || fail "$d: moved $moved times"
		grow 120 140 in -d $d -l aggressive -b $((n / 3)) \
		    --quantum $((n / 12)) -k 3 -t 1 --notice "(left out)"
		[ $moved -le 8 ] || fail "$d: moved $moved times"
	done
}

# Prunes FILE as it grows, from message $1 to $2, with steps of $3 tokens.  Each
# output begins with the one before, unless the tokens of the messages have
# reached another multiple of $3.
grow_by_steps() { # FROM TO QUANTUM FILE OPTION...
	local i sum before_step=0 from=$1 to=$2 quantum=$3 f=$4
	shift 4
	mapfile -t sum < <(ctx-count --json --per message "${dialect[@]}" "$f" |
	    jq -n '[0] + [foreach (inputs | select(.index)) as $m (0;
		. + $m.tokens)] | .[]')
	steps=0 pruned=0
	: > before
	for ((i = from; i <= to; i++)); do
		head -n "$i" "$f" > in
		ctx-prune --quantum "$quantum" "$@" in > after 2> /dev/null ||
		    fail "$*: over the budget at $i"
		if [ $((sum[i] / quantum)) -ne "$before_step" ]; then
			steps=$((steps + 1))
		elif ! head -c "$(stat -c %s before)" after | cmp -s - before; then
			fail "$*: the beginning changes at $i"
		fi
		cmp -s in after || pruned=$((pruned + 1))
		before_step=$((sum[i] / quantum))
		mv after before
	done
}

@test "salient and heuristic change the beginning only at multiples of --quantum" {
	local d s dialect
	for d in anthropic openai-chat openai-responses gemini bedrock; do
		dialect=(-d "$d")
		"$B/gen-tools/convo" --dialect $d --seed 7 --messages 260 > all
		n=$(tokens -d $d all)
		for s in "salient -b $((n / 3))" \
		    "heuristic -l light -k 1 -t 0 -b $((n / 3))" \
		    "heuristic -l aggressive -b $((n / 2))"; do
			# shellcheck disable=SC2086
			grow_by_steps 115 150 $((n / 20)) all -d $d -s $s
			[ $steps -ge 3 ] && [ $pruned -gt 30 ] ||
			    fail "$d $s: $steps steps, $pruned times pruned"
		done
	done
}

@test "of equal keys in an object the last counts, and removing it removes all" {
	for file in "$BATS_TEST_DIRNAME"/corpus/*/*.json*; do
		d=$(basename "$(dirname "$file")")
		case $d in
		batches | requests) continue ;;
		esac
		# The key twice, but within what a call was given.
		jq -c 'def twice: if type == "object" then [to_entries[] |
				{key: ("@" + .key), value: "earlier"},
				if .key | IN("args", "arguments", "input") then
				.  else .value |= twice end] | from_entries
			elif type == "array" then map(twice) else . end; twice' \
		    "$file" | sed 's/"@/"/g' > in
		fits=()
		for s in $STRATEGIES; do
			rc=0
			ctx-prune -d "$d" -s $s -b 300 -k 0 -t 0 in > out.$s \
			    2> err || rc=$?
			[ $rc -le 1 ] || grep -q 'no summary can' err ||
				fail "$file $s: $(cat err)"
			[ $rc -gt 0 ] || fits+=("out.$s")
		done
		[ ${#fits[@]} -eq 0 ] ||
			ctx-count -d "$d" --json "${fits[@]}" |
			jq -se 'all(.tokens <= 300)' > most ||
			fail "$file: over 300, status 0"
		jq -ne '[inputs | .. | select(. == "earlier")] == []' \
		    out.* > none ||
			fail "$file: an earlier one came to light"
	done
}

@test "window: over the budget, every kept turn is named with its tokens" {
	for i in 1 2 3 4 5 6; do
		messages "user:question $i" "assistant:answer $i, $(words 300)"
	done > in
	run -1 --separate-stderr ctx-prune -s window --window-turns 5 -b 300 in
	total=$(tokens <(echo "$output"))
	[[ $stderr == *": cannot fit 300 tokens: "*" must be kept (last messages "*", other kept turns "* ]]
	# All but what frames the conversation is named.
	named=$(grep -oE '[0-9]+(\.[0-9]+)?k?(, |\))' <<< "${stderr##*(last}" |
	    sed -E 's/[,; )]*$//; s/k$/ * 1000/' | paste -sd + | bc)
	awk -v n="$named" -v t="$total" 'BEGIN { exit !(n > t * 0.95) }'
}
