# ctx-prune: what stands and falls together, by every strategy

load helper

# Two people who both write as the user, 40 messages of about 20 tokens.
conversation() {
	for i in $(seq 20); do
		jq -nc --arg i "$i" '{role: "user", name: "ann", content:
		    "How is the garden, week \($i)? Did the beans come up?"},
		    {role: "user", name: "bob", content:
		    "In week \($i) they are \($i) inches high, and green."}'
	done
	jq -nc '{role: "user", name: "ann",
	    content: "How high were the beans in week 7?"}'
}

@test "every strategy cuts a chat of two named users between their messages" {
	conversation > in
	[ "$(ctx-count --json in | jq .turns)" = 41 ]
	for s in pinned-fifo fifo middle-out heuristic summarize recall salient; do
		for b in 150 300 600; do
			ctx-prune -s $s -b $b in > out
			[ "$(tokens out)" -le $b ]
			tail -n 1 in | cmp - <(tail -n 1 out)
			ctx-check out
			ctx-prune -s $s -b $b out | cmp out -
		done
	done
	ctx-prune -s recall -k 1 -t 1 -b 150 in > out
	grep -q 'In week 7 they' out
	ctx-prune -s window --window-turns 5 in > out
	tail -n 5 in | cmp - out
	# in other shapes of it, too
	jq -c '{type: "human", data: {content, name, type: "human"}}' in > lc
	ctx-prune -b 300 lc > out
	[ "$(tokens out)" -le 300 ]
	jq -sc '{model: "gpt-4o", messages: .}' in > request
	ctx-prune -b 300 request > out
	[ "$(tokens out)" -le 300 ]
}

@test "users of one name or none are one turn, which is cut between messages" {
	conversation | jq -c '.name = "ann"' > one
	conversation | jq -c 'del(.name)' > none
	for f in one none; do
		[ "$(ctx-count --json $f | jq .turns)" = 1 ]
		for b in 150 300 600; do
			ctx-prune -s pinned-fifo -b $b $f > out
			[ "$(tokens out)" -le $b ]
			[ "$(tokens out)" -ge $((b * 3 / 4)) ]
			head -n 1 $f | cmp - <(head -n 1 out)
			tail -n 4 $f | cmp - <(tail -n 4 out)
			ctx-prune -s pinned-fifo -b $b out | cmp out -
		done
	done
}

@test "recall distinguishes the user who asks from the one asked about" {
	conversation > member
	jq -c '{role: (if .name == "ann" then "user" else "assistant" end),
	    content: "\(.name): \(.content)"}' member > prefix
	for f in member prefix; do
		ctx-prune -s recall -k 1 -t 1 -b 130 $f > out
		grep -q 'In week 7 they' out
	done
	# a topic before the question is part of it
	{
		messages "user:hi" "assistant:The weather is fine today." \
		    "user:ok" "assistant:My roses need water in May." \
		    "user:ok" "assistant:My mother bakes a cake in May." \
		    "user:ok" "assistant:We saw a film in May." \
		    "user:roses: what do they need?"
	} > in
	ctx-prune -s recall -k 1 -t 1 -b 40 in > out
	grep -q 'roses need' out
}

# lonely FILE: the calls that programs which are not in it made
lonely() {
	jq -rs '[.. | objects | select(.type == "server_tool_use").id,
	    select(.type == "program").call_id,
	    select(.type == "tool-call" and .providerExecuted).toolCallId] as $programs |
	    .. | objects | .caller? // empty | (.tool_id, .toolId, .caller_id) |
	    select(. != null) | select(IN($programs[]) | not)' "$1"
}

@test "calls of a program are removed with it, and partial results with their call" {
	runs=0 short=0
	for f in anthropic/programs openai-responses/programs \
	    vercel-model/programs gemini/continued; do
		f=$BATS_TEST_DIRNAME/corpus/$f.jsonl
		for s in pinned-fifo fifo heuristic middle-out recall salient; do
			for b in 100 350 450 600 1000; do
				for k in 0 4; do
					ctx-prune -b $b -s $s -k $k -t 1 "$f" > out 2> err ||
					    [ $? -eq 1 ]
					ctx-check out || fail "$s $b $k $f"
					[ -z "$(lonely out)" ] ||
					    fail "$s $b $k $f: $(lonely out)"
					runs=$((runs + 1))
					short=$((short + $(cmp -s out "$f" || echo 1)))
				done
			done
		done
	done
	[ $short -eq $runs ]
	# One without a name was called by nobody.
	sed 's/"tool_id":"[^"]*"/"tool_id":""/' \
	    "$BATS_TEST_DIRNAME/corpus/anthropic/programs.jsonl" > nameless
	ctx-prune -b 380 -k 1 -t 1 nameless > out
	run -1 ctx-check nameless
	[[ $output == *orphan-caller* ]]
	# It can fail.
	sed 4d "$BATS_TEST_DIRNAME/corpus/anthropic/programs.jsonl" > broken
	[ -n "$(lonely broken)" ]
	run -1 ctx-check broken
	[[ $output == *"broken:5: orphan-caller: "* ]]
}

# The rules that a stream breaks.
rules() {
	ctx-check --json | jq -r .rule | sort -u
}

# What every strategy leaves of a valid conversation is valid: FILE BUDGET...
# The last calls may be open where $open says so to ctx-check.
stays_valid() {
	local in=$1 s b t
	shift
	ctx-check ${open:-} "$in"
	for s in pinned-fifo fifo heuristic middle-out recall summarize window \
	    salient; do
		for b in "$@"; do
			for t in 0 1 2 3; do
				ctx-prune -b "$b" -s $s -k $((t % 2)) -t $t \
				    "$in" > out 2> err || [ $? -eq 1 ]
				ctx-check ${open:-} out ||
				    fail "$s $b $t: $(cat out)"
			done
		done
	done
}

@test "a result that arrives while another topic is discussed separates no turn" {
	jq -nc --arg w "$(numbered 20)" '
	    def says($role; $part): {role: $role, parts: [$part]};
	    def result($more): says("user"; {functionResponse: {id: "w",
		name: "watch", willContinue: $more, response: {output: $w}}});
	    says("user"; {text: "keep me posted"}),
	    says("model"; {functionCall: {id: "w", name: "watch", args: {}}}),
	    result(true), says("model"; {text: "I am watching."}),
	    says("user"; {text: "and what is two and two?"}),
	    says("model"; {text: "Four."}), result(true),
	    says("model"; {text: "It goes on."}),
	    says("user"; {text: "and three?"}), says("model"; {text: "Six."}),
	    result(false), says("model"; {text: "It is done."}),
	    says("user"; {text: "Thanks."}), says("model"; {text: "Welcome."})' > in
	stays_valid in 10 30 60 100
	ctx-prune -b 10 -k 1 -t 1 in > out
	[ "$(wc -l < out)" -eq 2 ]
}

@test "a turn whose first message has results is kept as long as their calls" {
	jq -nc --arg w "$(numbered 20)" '
	    def says($role; $content): {role: $role, content: $content};
	    def text: {text: .};
	    def call: {toolUse: {toolUseId: ., name: "f", input: {}}};
	    def result: {toolResult: {toolUseId: ., content: [{text: $w}]}};
	    says("user"; ["Where is the manifest?" | text]),
	    says("assistant"; ["a" | call]), says("user"; ["a" | result]),
	    says("assistant"; [("The manifest is here." | text), ("b" | call)]),
	    says("user"; [("b" | result), ("Something else." | text)]),
	    says("assistant"; ["Yes?" | text]),
	    says("user"; ["And what of the weather?" | text]),
	    says("assistant"; ["c" | call]),
	    says("user"; [("c" | result), ("Once more." | text)]),
	    says("assistant"; [("The manifest." | text), ("d" | call)]),
	    says("user"; [("d" | result), ("Less of it." | text)]),
	    says("assistant"; ["Good." | text]),
	    says("user"; ["So what of the manifest?" | text]),
	    says("assistant"; ["All is in it." | text])' > in
	stays_valid in 20 40 60 80 100 120 140 160 180
}

@test "gemini: messages with partial results of several calls keep the roles valid" {
	jq -nc --arg w "$(numbered 20)" '
	    def says($role; $parts): {role: $role, parts: $parts};
	    def text: {text: .};
	    def call: {functionCall: {id: ., name: "f", args: {}}};
	    def some($more): {functionResponse: {id: ., name: "f",
		willContinue: $more, response: {output: $w}}};
	    def result: some(false);
	    says("user"; ["Where is the manifest?" | text]),
	    says("model"; ["z" | call]), says("user"; ["z" | result]),
	    says("model"; ["a", "b" | call]),
	    says("user"; ["a", "b" | some(true)]),
	    says("model"; ["I look." | text]), says("user"; ["b" | result]),
	    says("model"; ["The manifest, soon." | text]),
	    says("user"; ["Something else." | text]),
	    says("model"; ["c" | call]), says("user"; ["c" | some(true)]),
	    says("model"; ["Yes?" | text]),
	    says("user"; [("a" | some(true)), ("And the weather?" | text)]),
	    says("model"; ["d" | call]), says("user"; ["d" | result]),
	    says("model"; ["Fine." | text]), says("user"; ["c" | result]),
	    says("model"; ["e" | call]),
	    says("user"; [("e", "a" | result), ("Once more." | text)]),
	    says("model"; ["The manifest." | text]),
	    says("user"; ["What of the manifest?" | text]),
	    says("model"; ["All is in it." | text])' > in
	stays_valid in 20 50 80 110 140 170 200 230 260 290
	# Without ids, and with records that are no messages among them.
	jq -c 'del(.parts[][].id?)' in > nameless
	stays_valid nameless 20 90 160 230 300
	sed 'a {"usageMetadata":{"totalTokenCount":30}}' in > between
	stays_valid between 20 90 160 230 300
}

@test "partial results: a stream is pruned as the record of its messages" {
	jq -nc --arg w "$(numbered 9000)" '
	    def says($role; $parts): {role: $role, parts: $parts};
	    def some($more): {functionResponse: {id: "a", name: "f",
		willContinue: $more, response: {output: "x"}}};
	    says("user"; [{text: "watch"}]),
	    says("model"; [{functionCall: {id: "a", name: "f", args: {}}}]),
	    says("user"; [some(true)]), says("model"; [{text: "ok"}]),
	    (range(4) | says("user"; [{text: $w}]),
		says("model"; [{text: "So much."}])),
	    says("user"; [some(false), {text: "what else?"}]),
	    says("model"; [{text: "Nothing."}]),
	    says("user"; [{text: "Thanks."}]),
	    says("model"; [{text: "Welcome."}])' > in
	ctx-check in
	jq -sc '{contents: .}' in > record
	for s in pinned-fifo fifo middle-out window; do
		for o in "--pin watch" "--pin else" ""; do
			# shellcheck disable=SC2086 # options
			ctx-prune -b 30k -s $s -k 1 -t 0 $o in > out 2> err ||
			    [ $? -eq 1 ]
			# shellcheck disable=SC2086 # options
			ctx-prune -b 30k -s $s -k 1 -t 0 $o record > whole \
			    2> err || [ $? -eq 1 ]
			ctx-check out
			jq -c '.contents[]' whole | cmp - out
		done
	done
}

@test "a call with only partial results is kept, whatever its turn" {
	cat > in <<-'END'
	{"role":"user","parts":[{"text":"Watch the log and tell me what comes."}]}
	{"role":"model","parts":[{"functionCall":{"id":"a","name":"watch","args":{}}}]}
	{"role":"user","parts":[{"functionResponse":{"id":"a","name":"watch","willContinue":true,"response":{"output":"started"}}}]}
	{"role":"model","parts":[{"text":"It runs."}]}
	{"role":"user","parts":[{"text":"Meanwhile, what is two and two?"}]}
	{"role":"model","parts":[{"text":"Four."}]}
	END
	echo '{"role":"user","parts":[{"functionResponse":{"id":"a","name":"watch","response":{"output":"ended"}}}]}' > result
	sed 's/"id":"a",//' in > nameless
	sed 's/"id":"a",//' result > its
	for s in pinned-fifo fifo heuristic middle-out recall window salient; do
		run -1 --separate-stderr ctx-prune -b 10 -s $s -k 1 -t 1 in
		[[ $s == middle-out || $stderr == *", open tool calls "* ]]
		cat - result <<< "$output" | ctx-check
		run --separate-stderr ctx-prune -b 10 -s $s -k 1 -t 1 nameless
		cat - its <<< "$output" | ctx-check
	done
	# Once the last result of the call has come, it may be removed.
	(cat in result; sed 's/Four/It ended/;s/Meanwhile.*two?/Thanks/' in |
	    tail -n 1) > ended
	ctx-check ended
	ctx-prune -b 15 -k 1 -t 0 ended > out
	[ "$(grep -c watch out)" -eq 0 ]
}

@test "a repeated line causes no new findings after pruning" {
	broken=0
	for f in anthropic/results openai-chat/support langchain-dict/coding \
	    codex/rollout vercel-model/coding openai-responses/tools \
	    bedrock/steps gemini/agent; do
		f=$BATS_TEST_DIRNAME/corpus/$f.jsonl
		half=$(($(tokens "$f") / 2))
		for ((n = 2; n <= $(wc -l < "$f"); n++)); do
			sed "${n}p" "$f" > in
			rules < in > before
			grep -q duplicate-result before || continue
			broken=$((broken + 1))
			for s in fifo heuristic middle-out; do
				ctx-prune -b "$half" -s $s -k 2 -t 1 in > out 2> err || [ $? -eq 1 ]
				rules < out > after
				[ -z "$(comm -13 before after)" ] ||
				    fail "$f $n $s: $(ctx-check out)"
			done
		done
	done
	[ $broken -gt 20 ]
}

@test "a call with its result in one message opens a turn together with it" {
	jq -nc '
	    def says($role; $parts): {role: $role, parts: $parts};
	    def text: {text: .};
	    says("user"; ["How warm is it in Oslo and in Rome?" | text]),
	    says("model"; ["In Oslo 4 degrees, in Rome 19 degrees." | text]),
	    says("user"; [{functionCall: {name: "weather", args: {}}},
		{functionResponse: {name: "weather",
		    response: {output: "9"}}}]),
	    says("model"; ["Here it is." | text]),
	    says("user"; ["Thanks" | text]),
	    says("model"; ["You are welcome" | text]),
	    says("user"; ["Bye" | text])' > in
	stays_valid in 10 20 30 40
}

@test "a call that a program waits for is removed with the program" {
	jq -nc '
	    def says($role; $content): {role: $role, content: $content};
	    def text: {type: "text", text: "so it goes, and so on"};
	    def call: {type: "tool_use", id: ., name: "f", input: {}};
	    says("user"; [text]),
	    says("assistant"; [{type: "server_tool_use", id: "p",
		name: "code_execution", input: {}}]),
	    says("assistant"; [text]), says("assistant"; ["a" | call]),
	    says("user"; [{type: "tool_result", tool_use_id: "a",
		content: "r"}]),
	    says("assistant"; [("c" | call) + {caller: {tool_id: "p",
		type: "code_execution_20260120"}}])' > in
	open=--allow-pending stays_valid in 10 20 30 40 50
}

# sweagent STEPS: how SWE-agent begins: a demonstration of about 2,800 tokens
# and the task, both as the user, then STEPS calls.
sweagent() {
	jq -nc --argjson steps "$1" --arg w "$(numbered 60)" '
	    {role: "system", content: "You are an agent."},
	    {role: "user", content: ("Here is a demonstration.\n--- DEMONSTRATION ---\n" +
		([range(18) | "Open file_\(.).\n```\nopen file_\(.)\n```\n" + $w] | join("\n")) +
		"\n--- END OF DEMONSTRATION ---\n")},
	    {role: "user", content: "Fix the parser: it drops the last comma."},
	    (range($steps) | {role: "assistant", content: null, tool_calls: [{
		    id: "c\(.)", type: "function", function: {name: "bash",
		    arguments: "{\"command\":\"sed -n \(.)p a.c\"}"}}]},
		{role: "tool", tool_call_id: "c\(.)", content: "\(.) \($w)"})'
}

@test "a demonstration before the task is removed alone, and the task is kept" {
	# The turn that runs begins with the two, or it is an older one.
	sweagent 30 > running
	{
		sweagent 3
		messages "assistant:Done." "user:And now?" "assistant:Nothing."
	} > older
	for f in running older; do
		for s in pinned-fifo fifo middle-out heuristic summarize recall salient; do
			case $s in
			summarize | recall) set -- ;;
			*) set -- --quantum 0 ;;
			esac
			for l in light aggressive; do
				ctx-prune -s $s -l $l -t 1 -b 1800 --trigger 100% --target 100% \
				    "$@" $f > out
				[ "$(tokens out)" -le 1800 ] || fail "$s $l $f"
				grep -q 'Fix the parser' out || fail "$s $l $f"
				# Here long texts are cut to their ends first.
				[[ $s,$l == @(heuristic|recall|salient),aggressive ]] ||
				    run -1 grep -q 'END OF DEMO' out
				case $s,$l,$f in
				*fifo,light,running | recall,light,running)
					[ "$(tokens out)" -ge 1600 ] || fail "$s" ;;
				esac
				ctx-check --allow-pending out
				ctx-prune -s $s -l $l -t 1 -b 1800 \
				    --trigger 100% --target 100% out | cmp out -
			done
		done
	done
	# Alone, or where a text follows its end, it is the task.
	jq -c 'select(.content != "Fix the parser: it drops the last comma.") |
	    if .role == "user" then .content += "Now you." else . end' \
	    running > alone
	run -1 ctx-prune -b 1800 alone
	[[ $output == *"last turns 2,"* ]]
}

@test "a task in the message of its demonstration, or after one of several turns, is kept" {
	# In one message they are kept together, or the budget is not met.
	sweagent 30 | jq -sc '.[1].content as $d | .[2].content as $t | .[0],
	    {role: "user", content: [{type: "text", text: $d},
		{type: "text", text: $t}]}, .[3:][]' > blocks
	sweagent 30 | jq -sc '.[0], {role: "user", content:
	    (.[1].content + .[2].content)}, .[3:][]' > text
	for f in blocks text; do
		ctx-prune -b 4500 $f > out
		grep -q 'END OF DEMO.*Fix the parser' out
		run -1 ctx-prune -b 1800 $f
		[[ $output == *"last turns 2,"* ]]
	done
	# A demonstration of turns is older than the task, marked or not.
	sweagent 30 | jq -sc --arg w "$(numbered 60)" '.[0],
	    (range(12) | {role: "user", is_demo: true, content: "seen \(.) \($w)"},
		{role: "assistant", is_demo: true, content: "done \(.)"}),
	    .[2:][]' > marked
	jq -c 'del(.is_demo)' marked > bare
	for f in marked bare; do
		for s in pinned-fifo fifo middle-out heuristic summarize recall salient; do
			ctx-prune -s $s -t 1 -b 1800 $f > out
			grep -q 'Fix the parser' out || fail "$s $f"
			[ "$(grep -c seen out)" -lt 12 ] || fail "$s $f"
			ctx-check --allow-pending out
		done
	done
}

@test "a task before its demonstration is kept" {
	sweagent 30 | jq -sc '.[0, 2, 1], .[3:][]' > in
	ctx-prune -b 4500 in > out
	grep -q 'Fix the parser' out
	grep -q 'END OF DEMO' out
	run -1 ctx-prune -b 1800 in
	[[ $output == *"last turns 2,"* ]]
}

@test "other user messages before the running turn are kept while they fit" {
	sweagent 30 | jq -sc '.[0], (.[2] | ., (.content = "No new tests."),
	    (.content = "Begin.")), .[3:][]' > in
	for s in pinned-fifo fifo middle-out heuristic summarize recall salient; do
		ctx-prune -s $s -b 1800 in > out
		[ "$(grep -cE 'Fix the parser|No new tests|Begin' out)" = 3 ]
	done
	# It is no floor: the first and the last message are.
	sed -i "s/No new tests/No $(numbered 400 | tr '\n' ' ') tests/" in
	ctx-prune -b 1300 -k 1 -t 1 in > out
	[ "$(grep -cE 'Fix the parser|Begin' out)" = 2 ]
	run -1 grep -q 'tests' out
}

@test "summarize quotes no demonstration as the user's words" {
	sweagent 30 | jq -sc '.[0], {role: "user", content:
	    "You must always use tabs in parser.c, never spaces."},
	    {role: "assistant", content: "Yes, tabs."}, .[1:][]' |
	    sed 's/Open file_3\./I want you to open file_3./' > in
	ctx-prune -s summarize -t 1 -b 2500 --summary-tokens 300 in > out
	grep -q 'summary]: User: You must always use tabs' out
	run -1 grep -q 'file_3' out
	ctx-prune -s summarize -t 1 -b 2500 --summarizer 'grep -c file_3' in > out
	grep -q 'summary]: 2' out
}

@test "every strategy keeps or removes an mcp_call and the approval request that it names together" {
	local s b
	for i in 0 1 2 3 4 5; do
		jq -nc --arg i $i '{role: "user", content: "question \($i) \("word " * 40)"},
		    {type: "mcp_approval_request", id: "mcpr_\($i)", name: "n", server_label: "s", arguments: "{}"},
		    {type: "mcp_approval_response", approval_request_id: "mcpr_\($i)", approve: true},
		    {type: "mcp_call", id: "mcp_\($i)", approval_request_id: "mcpr_\($i)", name: "n",
			server_label: "s", arguments: "{}", output: ("x " * 100)},
		    {type: "message", role: "assistant", content: [{type: "output_text", text: "answer \("text " * 60)"}]}'
	done > in
	for s in $STRATEGIES; do
		for b in 500 600 700 800 900; do
			ctx-prune -d openai-responses -s "$s" -b $b in > out || continue
			[ "$(jq -s '[.[] | select(.type == "mcp_call") | .approval_request_id] -
			    [.[] | select(.type == "mcp_approval_request") | .id] == []' out)" = true ] ||
				fail "$s $b"
		done
	done
}
