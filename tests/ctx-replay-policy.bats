# ctx-replay --policy: what pruning would have cost

load helper
load replay

# A chat of $1 turns, of which each has about 60 tokens.
talk() {
	local n
	for n in $(seq "$1"); do
		messages "user:Question $n. $(words 25)" \
		    "assistant:Answer $n. $(words 25)"
	done
}

# The input tokens of all requests of chat.jsonl, each pruned by ctx-prune with
# the options $2...; $1 is "whole" or "fed".
prune_by_hand() {
	local how=$1 sum=0 n total
	shift
	total=$(wc -l < chat.jsonl)
	: > history
	for n in $(seq 1 2 "$total"); do
		# The prompt ends before the answer, line n + 1.
		if [ "$how" = whole ]; then
			head -n "$n" chat.jsonl > prompt
		else
			[ "$n" -eq 1 ] || sed -n "$((n - 1))p" chat.jsonl >> history
			sed -n "${n}p" chat.jsonl >> history
			cp history prompt
		fi
		ctx-prune -m gpt-4o "$@" prompt > pruned
		cp pruned history
		sum=$((sum + $(tokens -m gpt-4o pruned)))
	done
	echo "$sum"
}

@test "with --policy the tokens sent are those that ctx-prune leaves of each prompt" {
	talk 12 > chat.jsonl
	for options in "-b 300" "-b 300 --quantum 100" "-b 300 --target 50%" \
	    "-b 300 -s middle-out" "-b 300 -s recall" \
	    "-b 300 -s middle-out --keep-first 3" "-b 300 --pin Answer.2" \
	    "-b 300 -s recall --query Question.4" \
	    "-s window --window-turns 2" "-b 500 --pin-role user -k 1 -t 0" \
	    "-b 500 -s summarize" "-b 600 -s summarize --target 80%" \
	    "-b 600 -s summarize --summary-tokens 60" "--compact -k 4 --window 1M" \
	    "-b 1k -s summarize --trigger-messages 8 -k 3"; do
		ctx-replay --json -m gpt-4o -p "$options" \
		    -p "fed-back=$options --feed-back" chat.jsonl 2> err > rows
		# shellcheck disable=SC2086 # several words
		[ "$(jq -s '.[1] | .read + .uncached' rows)" = \
		    "$(prune_by_hand whole $options)" ] || fail "$options"
		# shellcheck disable=SC2086 # several words
		[ "$(jq -s '.[2] | .read + .uncached' rows)" = \
		    "$(prune_by_hand fed $options)" ] || fail "fed: $options"
		jq -es '.[1].pruned > 0 and .[2].pruned > 0' rows || fail "$options"
	done
}

@test "with --policy parts of messages are sent as ctx-prune leaves them" {
	local n options
	{
		messages "user:Begin with src/first.c."
		for n in 1 2 3 4 5 6 7 8; do
			jq -nc --arg n "$n" '{role: "assistant", content: [{type:
			    "tool_use", id: $n, name: "list", input: {}}]}'
			jq -nc --arg n "$n" --arg pad "$(words $((n * 20)) | fold -w 60)" '
			    {role: "user", content: [{type: "tool_result",
				tool_use_id: $n, content: ("src/in_\($n).c\n\($pad)\n" +
				"REQ-\($n)00000\n\($pad)\nID-77777\($n)\n\($pad)")},
				{type: "text", text: "See lib/text\($n).c. \($pad)"}]}'
		done
		messages "assistant:It is read."
	} > chat.jsonl
	for options in "-b 1k" "-b 1k --quantum 0" "-b 700 --quantum 0 -k 1 -t 1" \
	    "-b 1k --quantum 0 -l light" "-b 1k -s heuristic --quantum 0" \
	    "-b 1k -s pinned-fifo"; do
		ctx-replay --json -m gpt-4o -p "$options" chat.jsonl 2> err > rows
		# shellcheck disable=SC2086 # several words
		[ "$(jq -s '.[1] | .read + .uncached' rows)" = \
		    "$(prune_by_hand whole $options)" ] || fail "$options"
		jq -es '.[1].pruned > 0' rows || fail "$options"
	done
}

# Copies an agent's messages, each with the system messages left out, to the
# formats in which a summary becomes a message, the start of a string, or a
# block of the next message of the user.
write_formats() {
	mkdir -p in
	grep -v '^{"role": "system"' "$agent" | head -n 120 > in/openai-chat
	jq -c 'if .role == "tool" then {role: "user", content: [{type:
		"tool_result", tool_use_id: .tool_call_id, content}]}
	    elif .role == "user" then {role, content}
	    else {role, content: ([{type: "text", text: (.content // "-")}] +
		[.tool_calls[]? | {type: "tool_use", id, name: .function.name,
		input: (.function.arguments | fromjson)}])} end' \
	    in/openai-chat > in/anthropic
	jq -c 'if .role == "user" and (.content | type) == "string" then
	    .content = [{type: "text", text: .content}] else . end' \
	    in/anthropic > in/blocks
	jq -nc 'foreach inputs as $m (0; . + 1; {parentUuid: (if . == 1 then null
	    else "u\(. - 1)" end), uuid: "u\(.)", type: $m.role, sessionId: "s",
	    isSidechain: false, version: "2.0.0", message: $m})' \
	    in/anthropic > in/claude-code
}

@test "-s summarize: a summary is sent where ctx-prune inserts it, and is in the next prompt" {
	local d last n sum
	write_formats
	for d in openai-chat anthropic blocks claude-code; do
		cp in/$d chat
		ctx-replay --json -m claude-sonnet-4-5 \
		    -p "-b 9k -s summarize --target 60%" \
		    -p "-b 9k -s summarize --target 60% -l aggressive --feed-back" \
		    chat 2> err > rows
		sum=0 last=1
		: > history
		while read -r n; do
			head -n $((n - 1)) chat | ctx-prune -m claude-sonnet-4-5 -b 9k \
			    -s summarize --target 60% > pruned
			sum=$((sum + $(tokens -m claude-sonnet-4-5 pruned)))
			sed -n "$last,$((n - 1))p" chat >> history
			ctx-prune -m claude-sonnet-4-5 -b 9k -s summarize \
			    --target 60% -l aggressive history > fed
			tokens -m claude-sonnet-4-5 fed >> "$d.fed"
			cp fed history
			last=$n
		done < <(jq -r '.role // .type' chat | sed -n /assistant/=)
		[ "$(jq -s '.[1] | .read + .uncached' rows)" = $sum ] || fail "$d: $sum"
		[ "$(jq -s '.[2] | .read + .uncached' rows)" = \
		    "$(jq -s add "$d.fed")" ] || fail "$d fed: $(cat rows)"
		jq -es '.[1].pruned > .[2].pruned and .[2].pruned > 1' rows
	done
	# The beginning of a prompt with a summary is read from the cache until
	# the next one is written; a summary that is new each time is not.
	jq -es '.[2].uncached < .[1].uncached / 2' rows || fail "$(cat rows)"
}

@test "--policy keeps the summary that an agent has inserted, as ctx-prune does" {
	local n sum=0
	{
		messages "user:Summary. $(words 60)" assistant:Ok
		talk 8
	} | jq -nc 'foreach inputs as $m (0; . + 1; {parentUuid: (if . == 1 then
	    null else "u\(. - 1)" end), uuid: "u\(.)", type: $m.role,
	    sessionId: "s", isSidechain: false, version: "2.0.0", message: $m} +
	    if . == 1 then {isCompactSummary: true} else {} end)' > chat.jsonl
	for n in $(seq 1 2 17); do
		head -n "$n" chat.jsonl |
			ctx-prune -m claude-sonnet-4-5 -b 300 -s fifo > pruned
		head -n 1 chat.jsonl | cmp - <(head -n 1 pruned)
		sum=$((sum + $(tokens -m claude-sonnet-4-5 pruned)))
	done
	ctx-replay --json -m claude-sonnet-4-5 -p "-b 300 -s fifo" chat.jsonl \
	    2> err > rows
	[ "$(jq -s '.[1] | .read + .uncached' rows)" = $sum ] || fail "$sum: $(cat rows)"
}

@test "-s summarize: where no summary can be inserted, the dialect is named" {
	run -2 ctx-replay -m gpt-4o -p "-b 200 -k 1 -t 0 -s summarize" \
	    "$BATS_TEST_DIRNAME/corpus/atif/trajectory.json"
	[[ $output == *"trajectory.json:1: no summary can be inserted"*atif* ]] ||
		fail "$output"
}

@test "recall does not add the words of a question to the answer after it" {
	local n
	for n in $(seq 16); do
		messages "user:What is topic$((n % 4))? $(words 25)" \
		    "assistant:It is number $n. $(words $((10 + 7 * (n % 5))))"
	done > chat.jsonl
	ctx-replay --json -m gpt-4o -p "-b 200 -s recall" chat.jsonl 2> err > rows
	[ "$(jq -s '.[1] | .read + .uncached' rows)" = \
	    "$(prune_by_hand whole -b 200 -s recall)" ]
}

@test "recall keeps turns whole where ctx-prune does: with tool calls, and in bedrock" {
	local d n sum
	{
		messages "user:Look."
		called a run '{"command":"ls"}' "a.c b.c"
		for n in $(seq 16); do
			messages "assistant:It is number $n. $(words $((10 + 7 * (n % 5))))" \
			    "user:What is topic$((n % 4))? $(words 25)"
		done
	} > openai-chat
	jq -c 'select(.tool_calls or .role == "tool" | not) |
	    .content |= [{text: .}]' openai-chat > bedrock
	for d in openai-chat bedrock; do
		sum=0
		# A prompt ends before each answer.
		while read -r n; do
			head -n $((n - 1)) $d | ctx-prune -d $d -m gpt-4o \
			    -b 200 -s recall > pruned
			sum=$((sum + $(tokens -d $d -m gpt-4o pruned)))
		done < <(jq -r .role $d | sed -n /assistant/=)
		ctx-replay --json -d $d -m gpt-4o -p "-b 200 -s recall" $d 2> err > rows
		[ "$(jq -s '.[1] | .read + .uncached' rows)" = $sum ] || fail "$d: $sum"
	done
}

@test "a policy that removes nothing costs as much as no pruning" {
	claude 0:0:12000:0 60:12000:3000:0 120:15000:2000:0 > session.jsonl
	ctx-replay --json -p "all=-b 1M" session.jsonl > rows
	jq -es '.[0].policy == "no pruning" and .[1].policy == "all" and
	    (.[0] | del(.policy)) == (.[1] | del(.policy)) and
	    .[1].pruned == 0 and .[1].sent == 100' rows
	# 12,000 and 15,000 are read; 12,000, 3,000 and 2,000 are written.
	jq -es '.[0].read == 27000 and .[0].uncached == 17000' rows
}

# Rows of llm's log: each has a question and its answer.
log_rows() {
	local n
	for n in $(seq "$1"); do
		jq -nc --arg n "$n" --arg q "Question $n. $(words 25)" \
		    --arg a "Answer $n. $(words 60)" '{id: ("r" + $n),
		    model: "gpt-4o", prompt: $q, system: null, response: $a,
		    conversation_id: "c", response_json: null, options_json: {},
		    datetime_utc: ("2026-11-02T10:00:\($n | tonumber + 10).1+00:00")}'
	done
}

@test "the answer in a row of llm-logs is sent with the next request, not with its own" {
	local sum=0 n
	log_rows 30 > chat.jsonl
	costs_nothing_less chat.jsonl
	: > history
	for n in $(seq 30); do
		sed -n "${n}p" chat.jsonl | jq -c '.response = ""' > question
		head -n $((n - 1)) chat.jsonl | cat - question |
			ctx-prune -m gpt-4o -b 800 > pruned
		sum=$((sum + $(tokens -m gpt-4o pruned)))
		cat history question | ctx-prune -m gpt-4o -b 800 --target 50% > fed
		tokens -m gpt-4o fed >> fed-tokens
		# The next request has the answer.
		sed '$d' fed > history
		sed -n "${n}p" chat.jsonl >> history
	done
	ctx-replay --json -p "-b 800" -p "fed=-b 800 --target 50% --feed-back" \
	    chat.jsonl > rows
	[ "$(jq -s '.[1] | .read + .uncached' rows)" = $sum ] || fail "$sum: $(cat rows)"
	[ "$(jq -s '.[2] | .read + .uncached' rows)" = "$(jq -s add fed-tokens)" ] ||
		fail "$(jq -s add fed-tokens): $(cat rows)"
}

@test "a policy that removes nothing costs as much as no pruning after other bills" {
	# After a compaction only 9,000 of 12,000 tokens before all messages
	# are read.
	claude 0:0:12000:10 60:12000:3000:10 > session.jsonl
	jq -nc '{parentUuid: null, logicalParentUuid: "a2", uuid: "c", type:
	    "system", subtype: "compact_boundary", sessionId: "s", version: "2.0.0",
	    content: "Conversation compacted", timestamp: "2025-11-24T16:02:00Z"},
	    {parentUuid: "c", uuid: "d", type: "user", isCompactSummary: true,
	    sessionId: "s", version: "2.0.0", timestamp: "2025-11-24T16:02:01Z",
	    message: {role: "user", content: "Summary of it all."}}' >> session.jsonl
	claude 0:0:1:1 0:0:1:1 130:9000:5000:10 190:14000:2000:10 |
	    tail -n 4 | jq -c 'if .uuid == "u3" then .parentUuid = "d" else . end' \
	    >> session.jsonl
	costs_nothing_less session.jsonl
	# The last tokens of a prompt are not written to the cache, as if the
	# last breakpoint were before them.
	claude 0:0:12000:500 60:12000:3000:900 120:15000:2000:700 > session.jsonl
	costs_nothing_less session.jsonl
	# The second prompt has fewer tokens than are before all messages of the
	# first, because the agent removed a tool.
	claude 0:0:12000:10 60:0:8000:10 120:8000:2000:10 > session.jsonl
	costs_nothing_less session.jsonl
	# The agent has shortened messages; it thinks only in some requests; it
	# sends responses once more.
	claude 0:9000:3000:10 20:12000:2000:10 40:9000:2500:10 \
	    60:11500:10:10 > session.jsonl
	costs_nothing_less session.jsonl
	thinks 1 4 < session.jsonl > thought.jsonl
	costs_nothing_less thought.jsonl
	TURNS=1 claude 0:9000:3000:10 60:14000:20:10 90:14020:90:10 \
	    > session.jsonl
	costs_nothing_less session.jsonl
}

@test "what a provider did not read of a recorded prompt it does not read of a pruned one" {
	local name
	# The last request reads 14,500 of 17,000 tokens, 11,993 of which are
	# before all messages: about half of the others is missing.
	claude 0:0:12000:0 60:12000:3000:0 120:15000:2000:0 180:17000:2000:0 \
	    > whole.jsonl
	claude 0:0:12000:0 60:12000:3000:0 120:15000:2000:0 180:14500:4500:0 \
	    > half.jsonl
	costs_nothing_less half.jsonl
	for name in whole half; do
		ctx-replay --json -p "-b 110 --target 60 --quantum 0 -k 1 -t 0 \
		    -s pinned-fifo --feed-back" $name.jsonl > $name
	done
	jq -es '.[0].read == 12000 + 15000 + 14500' half
	# The last pruned prompt finds 12,293 tokens in the cache, of which 300
	# are those of messages.
	jq -es '.[1].read - .[3].read == 150' whole half || fail "$(cat whole half)"
	# A provider that reads nothing of a prompt reads nothing of a pruned
	# one.
	claude 0:0:12000:0 60:12000:3000:0 120:15000:2000:0 180:0:19000:0 \
	    > half.jsonl
	costs_nothing_less half.jsonl
	ctx-replay --json -p "-b 110 --target 60 --quantum 0 -k 1 -t 0 \
	    -s pinned-fifo --feed-back" half.jsonl > half
	jq -es '.[1].read - .[3].read == 12293' whole half || fail "$(cat whole half)"
}

@test "--policy prints dollars, shares of tokens and of cost, and marks the best rows" {
	claude 0:0:12000:0 60:12000:3000:0 120:15000:2000:0 > session.jsonl
	ctx-replay -p "all=-b 1M" session.jsonl > out
	# 44,000 tokens sent: 17,000 + 27,000 / 10 are 44.8 %.
	# 27,000 x 0.3 + 17,000 x 3.75 + 600 x 15 = 80,850 millionths.
	cat > want <<'X'
   dollars          read      uncached  sent%  cost% needed%  pruned   over   policy
      0.08        27,000        17,000  100.0   44.8       -       0      0 * no pruning
      0.08        27,000        17,000  100.0   44.8       -       0      0 * all
X
	cmp out want
	# A terminal also shows what the columns are.
	script -qec 'ctx-replay -p "all=-b 1M" session.jsonl' raw > shown
	tr -d '\r' < shown | head -n 3 | cmp - want
	tr -d '\r' < shown | awk 'NF && NR > 4 { print $1 }' > columns
	tr ' ' '\n' << 'X' | cmp - columns
read uncached sent% cost% needed% pruned pruned over *
X
	ctx-replay --tsv -p "all=-b 1M" session.jsonl > rows
	awk -F '\t' 'NF != 10 || (NR > 1 && $6 != "-")' rows | cmp - /dev/null
	# Pruning every prompt anew sends less, but reads nothing from the cache.
	talk 60 > chat.jsonl
	ctx-replay --json -m gpt-4o -p "-b 1500" -p "fed=-b 1500 --target 50% --feed-back" \
	    chat.jsonl 2> err > rows
	jq -es '.[1].uncached > .[0].uncached and .[2].dollars < .[1].dollars and
	    .[0].best and (.[1].over == 0) and .[1].pruned > .[2].pruned' rows
}

@test "a policy can have quoted words, pin by tool, and clear results" {
	ctx-replay --json -m gpt-4o -p "-b 20k" -p "-b 20k --pin-tool read" \
	    -p "-b 20k --pin 'been waiting'" -p '-b 20k --pin "been"" waiting"' \
	    -p "-s fifo -b 20k --quantum 0" -p "-s fifo -b 20k -l aggressive" \
	    "$agent" 2> err > rows
	jq -es 'map(.read + .uncached) | .[2] != .[1] and .[3] != .[1] and
	    .[3] == .[4]' rows || fail "$(cat rows)"
	jq -es '.[6].over == 0 and .[6].read != .[5].read' rows
	messages user:hello assistant:hi > chat.jsonl
	run -2 ctx-replay -p "-b 300 --pin (" chat.jsonl
	run -2 ctx-replay -p "-b 300 -l aggressive" chat.jsonl
	[[ $output == *" -l aggressive, which cuts texts"* ]] || fail "$output"
}

@test "a policy is refused if ctx-replay cannot replay one of its options" {
	messages user:hello assistant:hi > chat.jsonl
	run -2 ctx-replay -p "-b 300 --summarizer cat" chat.jsonl
	[[ $output == *"there is no option --summarizer"* ]] || fail "$output"
	run -2 ctx-replay -p "sed 1d" chat.jsonl
	[[ $output == *"'sed' is not an option of ctx-prune"* ]] || fail "$output"
	run -2 ctx-replay -p "-b 300" --requests chat.jsonl
	[[ $output == *"exclude each other"* ]] || fail "$output"
	# Without a budget the model's window counts.
	run -2 ctx-replay -m some-model -p "" chat.jsonl
	run -2 ctx-replay -m some-model -p "-k 4" chat.jsonl
	[[ $output == *"no budget; give a budget"* ]] || fail "$output"
}

@test "a policy with options that contradict each other or have no effect gets the message of ctx-prune" {
	local options
	messages user:hello assistant:hi > chat.jsonl
	for options in "-s none" "-s recall --quantum 5k" "--query x" \
	    "-s fifo --keep-first 1" "--window-turns 2" "-s fifo --no-pin-system" \
	    "--summary-tokens 9" "--trigger-messages 9" "--window 9k" \
	    "-s summarize --summary-tokens 0" "--reserve 9" "--compact -s fifo" \
	    "--compact --trigger-messages 9"; do
		# shellcheck disable=SC2086 # several words
		run -2 --separate-stderr ctx-prune -b 300 $options chat.jsonl
		said=${stderr#ctx-prune}
		run -2 --separate-stderr ctx-replay -p "-b 300 $options" chat.jsonl
		[ "$stderr" = "ctx-replay: --policy$said" ] || fail "$options: $stderr"
	done
	run -2 ctx-replay -p "-b" chat.jsonl
	[ "$output" = "ctx-replay: --policy: -b needs an argument, N|P%, such as 20k or 70%" ] ||
		fail "$output"
	run -2 ctx-replay -p '-b 100 --help' "$agent"
	[ "$output" = "ctx-replay: --policy: there is no option --help; see ctx-replay --help" ] ||
		fail "$output"
}
