# ctx-count: the billed input of the last request beside the own count

load helper

C=$BATS_TEST_DIRNAME/corpus

# The members of --json about billed input, of each conversation.
billed() {
	ctx-count --json "$@" |
	    jq -c '[.billed, .billed_after, .not_in_file, .compacted]'
}

# A message of a dialect. $1 user or assistant, $2 its text, $3 its usage.
line() {
	jq -nc --arg role "$1" --arg text "$2" --argjson usage "${3:-null}" \
	    --arg id "${4:-$2}" --arg parent "${5:-}" '
	    def used(o): if $usage == null then o else o * $usage end;
	    def block: [{type: "text", text: $text}];
	    {"claude-code": used({type: $role, uuid: $id, parentUuid:
		(if $parent == "" then null else $parent end),
		message: {id: $id, role: $role, content: block}}),
	     "claude-stream": used({type: $role, session_id: "s", message:
		{id: $id, role: $role, content: block}}),
	     "gemini-cli": used({id: $id, timestamp: "t", content: $text,
		type: (if $role == "user" then "user" else "gemini" end)}),
	     "pi": used({type: "message", id: $id, parentId:
		(if $parent == "" then null else $parent end),
		message: {role: $role, content: block}}),
	     "opencode": used({info: {id: $id, role: $role}, parts: block}),
	     "anthropic": used({role: $role, content: block}),
	     "langchain-dict": used({type: (if $role == "user" then "human"
		else "ai" end), data: {content: $text}}),
	     "langchain-dump": used({content: $text, additional_kwargs: {},
		type: (if $role == "user" then "human" else "ai" end)}),
	     "langchain-lc": used({lc: 1, type: "constructor", id:
		["langchain", "schema", "messages", (if $role == "user" then
		"HumanMessage" else "AIMessage" end)],
		kwargs: {content: $text}})}["'"$dialect"'"]'
}

# Three turns of one, whose answers report $1 and then $2.
conversation() {
	line user One
	line assistant two "$1" two One
	line user Three "" Three two
	line assistant four "$2" four Three
	line user Five "" Five four
}

# Each dialect, where its messages report usage, with 130 input tokens: 100
# fresh, 20 read from the cache and 10 written to it, or 130 with all of them.
usages() {
	cat << 'X'
claude-code {"message":{"usage":{"input_tokens":100,"cache_read_input_tokens":20,"cache_creation_input_tokens":10,"output_tokens":7}}}
claude-stream {"message":{"usage":{"input_tokens":100,"cache_read_input_tokens":20,"cache_creation_input_tokens":10,"output_tokens":7}}}
anthropic {"usage":{"input_tokens":100,"cache_read_input_tokens":20,"cache_creation_input_tokens":10,"output_tokens":7}}
gemini-cli {"tokens":{"input":130,"cached":20,"output":7,"total":137}}
pi {"message":{"usage":{"input":100,"cacheRead":20,"cacheWrite":10,"output":7,"totalTokens":137}}}
opencode {"info":{"tokens":{"input":100,"output":7,"cache":{"read":20,"write":10}}}}
langchain-dict {"data":{"usage_metadata":{"input_tokens":130,"input_token_details":{"cache_read":20},"output_tokens":7}}}
langchain-dump {"usage_metadata":{"input_tokens":130,"input_token_details":{"cache_read":20},"output_tokens":7}}
langchain-lc {"kwargs":{"usage_metadata":{"input_tokens":130,"input_token_details":{"cache_read":20},"output_tokens":7}}}
X
}

@test "the last request's billed input is fresh and cached tokens, in every dialect whose messages report it" {
	while read -r dialect usage; do
		small=$(sed 's/100/1/; s/130/31/' <<< "$usage")
		conversation "$small" "$usage" > in
		all=$(tokens -d "$dialect" in)
		before=$(head -n 3 in | tokens -d "$dialect")
		want="[130,$((all - before)),$((130 - before)),null]"
		[ "$(billed -d "$dialect" in)" = "$want" ] ||
		    fail "$dialect: $(billed -d "$dialect" in), not $want"
		# The answer alone is after its request.
		after=$(($(head -n 4 in | tokens -d "$dialect") - before))
		[ "$(head -n 4 in | billed -d "$dialect")" = \
		    "[130,$after,$((130 - before)),null]" ] || fail "$dialect"
		# An array of messages is read as its lines are.
		case $dialect in
		opencode | anthropic | langchain-*)
			[ "$(jq -s . in | billed -d "$dialect")" = "$want" ] ||
			    fail "$dialect: array"
			;;
		esac
		# Of what is not known nothing is shown.
		conversation | billed -d "$dialect" |
		    grep -qxF '[null,null,null,null]' || fail "$dialect: none"
	done < <(usages)
}

@test "codex: the usage of the last answer is in an event after it, and includes cached tokens" {
	item() {
		jq -nc --arg r "$1" --arg t "$2" '{type: "response_item", payload:
		    {type: "message", role: $r, content: [{type: (if $r == "user"
		    then "input_text" else "output_text" end), text: $t}]}}'
	}
	count() {
		jq -nc --argjson n "$1" '{type: "event_msg", payload: {type:
		    "token_count", info: {total_token_usage: {input_tokens: 9999},
		    last_token_usage: {input_tokens: $n, cached_input_tokens: 90}}}}'
	}
	{
		item user One
		item assistant two
		count 100
		item user Three
		item assistant four
		item assistant "and five"
		count 130
		item user Six
	} > in
	all=$(tokens in)
	before=$(head -n 4 in | tokens)
	[ "$(billed in)" = "[130,$((all - before)),$((130 - before)),null]" ]
	# Codex repeats a report when its rate limits change.
	{
		head -n 4 in
		item assistant four
	} > once
	{
		head -n 4 in
		count 100
		item assistant four
	} > repeated
	[ "$(billed repeated)" = "$(billed once)" ]
	# Turns that were rolled back are not sent again, so their request is not
	# the last one.
	{
		cat in
		echo '{"type":"event_msg","payload":{"type":"thread_rolled_back","num_turns":2}}'
	} > back
	[ "$(billed back | jq '.[0]')" = 100 ]
	# Neither is one before a compaction.
	{
		cat in
		jq -nc '{type: "compacted", payload: {message: "", replacement_history:
		    [{type: "message", role: "user", content: [{type: "input_text",
		    text: "Sum."}]}]}}'
	} > compacted
	[ "$(billed compacted)" = "[null,null,null,true]" ]
	{
		cat compacted
		item assistant seven
		count 55
	} > again
	[ "$(billed again | jq -c '[.[0], .[3]]')" = "[55,null]" ]
}

@test "llm-logs, atif: a record reports the usage of the request for its answer" {
	jq -nc '{conversation_id: "c", model: "gpt-4o", response: "4C", prompt:
	    ("Oslo?", "Rome?")}' | jq -c '. + {input_tokens: (if .prompt == "Rome?"
	    then 130 else 99 end)}' > rows
	all=$(tokens rows)
	answer=$(printf 4C | tokens -m gpt-4o --text)
	# The framing of the row is before its answer.
	[ "$(billed rows)" = "[130,$answer,$((130 - all + answer)),null]" ] ||
	    fail "$(billed rows)"
	[ "$(jq -s . rows | billed)" = "$(billed rows)" ]
	jq -e '[.steps[].metrics.prompt_tokens // empty][-1] == 600' \
	    "$C/atif/trajectory.json"
	billed "$C/atif/trajectory.json" | jq -e '.[0] == 600'
}

@test "requests, responses and exports: the usage around the messages is read in the form of any provider" {
	while read -r dialect usage; do
		jq -nc --argjson u "$usage" '{messages: [{role: "user",
		    content: "One"}, {role: "assistant", content: "two"}]} + $u' > in
		before=$(jq -c '.messages |= .[:1]' in | tokens)
		after=$(($(tokens in) - before))
		[ "$(billed in)" = "[130,$after,$((130 - before)),null]" ] ||
		    fail "$dialect: $(billed in)"
		before=$(tokens <<< '{"messages":[{"role":"user","content":"One"}]}')
		[ "$(jq -c '.messages |= .[:1]' in | billed)" = \
		    "[130,0,$((130 - before)),null]" ] || fail "$dialect"
	done << 'X'
openai {"usage":{"prompt_tokens":130,"prompt_tokens_details":{"cached_tokens":64}}}
responses {"usage":{"input_tokens":130,"input_tokens_details":{"cached_tokens":64}}}
anthropic {"usage":{"input_tokens":100,"cache_read_input_tokens":20,"cache_creation_input_tokens":10}}
bedrock {"usage":{"inputTokens":100,"cacheReadInputTokens":20,"cacheWriteInputTokens":10}}
gemini {"usageMetadata":{"promptTokenCount":130,"cachedContentTokenCount":64}}
ollama {"prompt_eval_count":130}
goose {"input_tokens":130,"accumulated_input_tokens":900}
otel {"gen_ai.usage.input_tokens":130}
X
	# Of a response nothing is known that was sent, so all is not in the file.
	# Its encrypted reasoning has fewer bytes than the first token takes.
	billed "$C/batches/out.jsonl" > got
	printf '%s\n' '[61,14,61,null]' '[60,14,60,null]' '[55,8,55,null]' \
	    '[null,null,null,null]' '[null,null,null,null]' | diff - got
	jq -c '. + {input_tokens: 700}' "$C/goose/export.json" | billed |
	    jq -e '.[0] == 700 and .[1] > 0'
}

@test "subagents, side chains, failed answers and branches that were left do not count" {
	dialect=claude-code
	usage=$(usages | sed -n 's/^claude-code //p')
	other=$(sed 's/100/7000/' <<< "$usage")
	conversation "$usage" "$usage" > in
	want=$(billed in)
	{
		cat in
		line assistant side "$other" | jq -c '.isSidechain = true'
		line assistant team "$other" | jq -c '.teamName = "t"'
	} > side
	[ "$(billed side)" = "$want" ]
	# An answer of another branch, and the branch that is active.
	{
		head -n 3 in
		line assistant left "$other" left Three
		tail -n 2 in
	} > branch
	[ "$(billed branch)" = "$want" ]
	# What the API did not answer has zeros.
	{
		cat in
		line assistant oops "$(jq -c 'walk(if type == "number" then 0 else . end)' \
		    <<< "$usage")" oops Five
	} > failed
	[ "$(billed failed | jq '.[0]')" = 130 ]
	dialect=claude-stream
	conversation "$usage" "$usage" > in
	want=$(billed in)
	{
		cat in
		line assistant sub "$other" | jq -c '.parent_tool_use_id = "t"'
		echo '{"type":"result","session_id":"s","usage":{"input_tokens":9999}}'
	} > sub
	[ "$(billed sub)" = "$want" ]
}

@test "the lines of one response count as one answer, also with results between them" {
	dialect=claude-code
	usage=$(usages | sed -n 's/^claude-code //p')
	block() { # UUID PARENT CONTENT
		jq -nc --arg id "$1" --arg p "$2" --argjson c "$3" \
		    --argjson u "$usage" '{type: "assistant", uuid: $id,
		    parentUuid: $p, message: {id: "m1", role: "assistant",
		    content: [$c]}} * $u'
	}
	result() { # UUID PARENT ID
		jq -nc --arg id "$1" --arg p "$2" --arg t "$3" '{type: "user",
		    uuid: $id, parentUuid: $p, message: {role: "user", content:
		    [{type: "tool_result", tool_use_id: $t, content: "ok"}]}}'
	}
	{
		line user One
		block a One '{"type":"tool_use","id":"t1","name":"x","input":{}}'
		result b a t1
		block c a '{"type":"tool_use","id":"t2","name":"y","input":{}}'
		result d c t2
	} > in
	before=$(head -n 1 in | tokens)
	all=$(tokens in)
	[ "$(billed in)" = "[130,$((all - before)),$((130 - before)),null]" ] ||
	    fail "$(billed in)"
}

@test "what was billed before a compaction is not shown, and JSON and the bar say that there was one" {
	dialect=pi
	usage=$(usages | sed -n 's/^pi //p')
	# Answers that a compaction keeps report what was billed before it.
	conversation "$usage" "$usage" > in
	{
		cat in
		echo '{"type":"compaction","id":"c","parentId":"Five","summary":"Sum.","firstKeptEntryId":"Three"}'
	} > compacted
	[ "$(billed compacted)" = "[null,null,null,true]" ]
	COLUMNS=80 run -0 ctx-count --bar --window 1000 compacted
	[[ ${lines[1]} == *" MOSTLY FREE; not billed since compaction" ]]
	# The name of the model is left out before the remark is.
	COLUMNS=80 run -0 ctx-count --bar -m claude-sonnet-4-5 compacted
	[[ ${lines[1]} == *" MOSTLY FREE; not billed since compaction" ]]
	[[ $output != *"not in this file"* ]]
	COLUMNS=40 run -0 ctx-count --bar --window 1000 compacted
	[[ ${lines[1]} == *" MOSTLY FREE" ]]
	COLUMNS=80 run -0 ctx-count --bar --billed never --window 1000 compacted
	[[ ${lines[1]} == *" MOSTLY FREE" ]]
	{
		cat compacted
		line assistant six "$usage" six c
	} > again
	[ "$(billed again | jq -c '[.[0], .[3]]')" = "[130,null]" ]
	# The answer that is the summary reports what was sent for it.
	[ "$(jq -s -c '[.[].messages[].info.tokens.input // empty] | .[-3:]' \
	    "$C/opencode/compacted.json")" = "[910,911,913]" ]
	jq -c '.messages |= .[:8]' "$C/opencode/compacted.json" > summary
	[ "$(jq '.messages[-1].info | [.summary, .tokens.input] == [true, 908]' \
	    summary)" = true ]
	[ "$(billed summary)" = "[null,null,null,true]" ]
}

@test "usage that is no count of tokens is ignored" {
	dialect=claude-code
	usage=$(usages | sed -n 's/^claude-code //p')
	for number in -100 1e308 1e2 100.0 '"100"' null true '[100]' '{}' \
	    1000000000001 99999999999999999999999 -0; do
		# jq would write such a number in another way.
		conversation "" "$usage" | sed "s/:100,/:$number,/" > in
		[ "$(billed in)" = "[null,null,null,null]" ] ||
		    fail "$number: $(billed in)"
		[ "$number" = null ] && continue
		conversation "" "$usage" | sed "s/:20,/:$number,/" > in
		[ "$(billed in)" = "[null,null,null,null]" ] ||
		    fail "$number: $(billed in)"
	done
	# Other members may be missing, or null.
	conversation "" "${usage/20/null}" > in
	[ "$(billed in | jq '.[0]')" = 110 ]
	# A number of zero is that of no request.
	conversation "$usage" "$(jq -c '.message.usage |= map_values(0)' \
	    <<< "$usage")" > in
	[ "$(billed in | jq '.[0]')" = 130 ]
	# The largest number that is read, in each place.
	conversation "" "$(jq -c '.message.usage |= map_values(1000000000000)' \
	    <<< "$usage")" > in
	[ "$(billed in | jq '.[0]')" = 3000000000000 ]
	run -0 ctx-count --bar --billed always in
}

@test "--billed always adds two columns, and used, left and --max are of what was billed" {
	dialect=claude-code
	usage=$(usages | sed -n 's/^claude-code //p')
	conversation "$usage" "$usage" > in
	cp "$chat" chat
	after=$(billed in | jq '.[1]')
	own=$(tokens in)
	run -0 ctx-count --window 1000 --billed always in
	want=$(printf '%8s %8s %8s %8s %5s%% %8s %8s %8s in' "~$own" 5 19 1000 \
	    "$(((130 + after) / 10)).$(((130 + after) % 10))" \
	    $((1000 - 130 - after)) 130 "$after")
	[ "$output" = "$want" ] || fail "$output, not $want"
	# Without a request, and in the total, nothing is known.
	run -0 ctx-count --billed always in chat
	[[ ${lines[0]} == *" 130 "*"$after in" ]]
	[[ ${lines[1]} == *"        -        - chat" ]]
	[[ ${lines[2]} == *"        -        - total" ]]
	ctx-count --billed always --tsv --window 1000 in chat > got
	[ "$(head -n 1 got | tr '\t' ' ')" = \
	    "tokens messages chars window used left billed after name" ]
	[ "$(sed -n 2p got | cut -f 7-9)" = "130	$after	in" ]
	[ "$(sed -n 3p got | cut -f 7-9)" = "		chat" ]
	# If nothing follows the request, that is known: 0 tokens.
	echo '{"messages":[{"role":"user","content":"a"}],"usage":{"prompt_tokens":9}}' > last
	run -0 ctx-count --billed always last
	[[ $output == *"        9        0 last:1" ]] || fail "$output"
	[ "$(ctx-count --billed always --tsv last | tail -n 1 |
	    cut -f 7-)" = $'9\t0\tlast:1' ]
	ctx-count --billed always --per message in > got
	[ "$(awk '{ print $4, $5 }' got | tr '\n' ' ')" = \
	    "- - 130 - - - 130 - - - " ]
	# A gate holds for the count, or where asked for what was billed.
	run -0 ctx-count -q --max 130 in
	run -1 --separate-stderr ctx-count --billed always --max 130 in
	[ "$stderr" = "ctx-count: in: $((130 + after)) tokens, over 130" ]
	run -0 ctx-count -q --billed always --max $((130 + after)) in
	run -1 ctx-count -q --billed always --window 1000 --max 13% in
	run -0 ctx-count -q --window 1000 --max 13% in
	for option in --text --calibrate --annotate; do
		run -2 ctx-count --billed always $option in
		[[ $output == *"--billed cannot be combined with"* ]]
	done
}

@test "the text and TSV of a pipe have nothing new, nor has any output without usage" {
	for f in "$C"/{claude-code,codex,pi,opencode,llm-logs}/*.json*; do
		for option in "" --tsv "--top 3" "--per message"; do
			# shellcheck disable=SC2086 # an option and its argument
			ctx-count $option "$f" > got
			# shellcheck disable=SC2086 # an option and its argument
			ctx-count --billed never $option "$f" | cmp - got
		done
		ctx-count --json "$f" | jq -e '.billed > 0'
		ctx-count --json "$f" | jq -c 'del(.billed, .billed_after,
		    .not_in_file, .billed_used, .billed_left)' > got
		ctx-count --json --billed never "$f" | jq -c . | diff - got
	done
	for f in "$chat" "$agent" "$C/goose/coding.jsonl"; do
		for option in --json --bar; do
			ctx-count $option "$f" > out
			ctx-count --billed never $option "$f" | cmp - out
		done
		ctx-count -q --svg with.svg "$f"
		ctx-count -q --svg without.svg --billed never "$f"
		cmp with.svg without.svg
	done
}

@test "--bar is filled with what was billed and what follows, and says what is not in the file" {
	dialect=claude-code
	usage=$(usages | sed -n 's/^claude-code //p' | sed 's/100/873/')
	conversation "$usage" "$usage" > in
	after=$(billed in | jq '.[1]')
	absent=$(billed in | jq '.[2]')
	COLUMNS=102 ctx-count --bar --window 1000 in > got
	[ "$(sed -n 2p got)" = "903 billed + ~$after after of 1.0k tokens, $(((903 + after) / 10)).$(((903 + after) % 10))% NEARLY FULL" ] || fail "$(cat got)"
	grep -q "^N not in this file  *$absent " got
	full=$(sed -n 3p got | tr -d '[].' | wc -m)
	[ $((full - 1)) -eq $(((903 + after + 5) / 10)) ] || fail "$(cat got)"
	# The parts add up to it, but for what no message has.
	sum=$(sed 1,4d got | grep -o '[0-9][0-9]* *[0-9.]*%' | awk '{ n += $1 } END { print n }')
	[ "$sum" -le $((903 + after)) ] && [ "$sum" -ge $((903 + after - 4)) ]
	COLUMNS=40 run -0 ctx-count --bar --window 1000 in
	[[ ${lines[1]} == "~$((903 + after)) of 1.0k tokens, "* ]]
	run -0 ctx-count --bar in
	[ "${lines[1]}" = "903 billed + ~$after after tokens" ] || fail "$output"
	# --max compares counted tokens, so these are shown.
	run -0 ctx-count --bar --max 800 in
	[[ ${lines[1]} != *billed* ]] || fail "$output"
	run -1 ctx-count --bar --billed always --max 800 in
	[ "${lines[2]}" = "903 billed + ~$after after tokens" ] || fail "$output"
	ctx-count -q --svg a.svg --window 1000 in
	grep -q '>not in this file<' a.svg
	# If less was billed than is counted, the bar is as full as was billed.
	usage=$(sed 's/873/1/; s/20/0/; s/10/0/' <<< "$usage")
	conversation "$usage" "$usage" > in
	after=$(billed in | jq '.[1]')
	[ "$(billed in | jq '.[2]')" -eq 0 ]
	COLUMNS=102 ctx-count --bar --window 100 in > got
	full=$(sed -n 3p got | tr -d '[].' | wc -m)
	[ $((full - 1)) -eq $((1 + after)) ] || fail "$(cat got)"
	run ! grep -q 'not in this file' got
}

@test "a session that lacks a parent: -v names the line, and the bar says why tokens are not in the file" {
	dialect=claude-code
	usage=$(usages | sed -n 's/^claude-code //p')
	conversation "$usage" "$usage" > whole
	# The first two messages are missing, and an earlier line is inactive.
	{
		line user Other
		tail -n +3 whole
	} > in
	why="in:2: the parent that this line names is not in the file, so earlier messages are neither counted nor changed"
	COLUMNS=80 run -0 --separate-stderr ctx-count -v --bar --window 1000 in
	[[ $stderr == *"ctx-count: $why"* ]] || fail "$stderr"
	[[ $output == *"N not in file: see -v "* ]] || fail "$output"
	run -0 --separate-stderr ctx-prune -v -b 8k in
	[[ $stderr == *"ctx-prune: $why"* ]] || fail "$stderr"
	run -0 --separate-stderr ctx-count --bar --window 1000 in
	[ -z "$stderr" ]
	# The next file has all its parents, and so has a session after a summary.
	run -0 --separate-stderr ctx-count -v --bar --window 1000 whole
	[[ $stderr != *"the parent that"* ]] || fail "$stderr"
	[[ $output == *"N not in this file "* ]]
	COLUMNS=80 run -0 --separate-stderr ctx-count -v --bar --window 1000 in whole
	[ "$(grep -c "the parent that" <<< "$stderr")" -eq 1 ]
	[[ ${output#*not in file: see -v} == *"not in this file"* ]]
	dialect=pi
	{
		echo '{"type":"compaction","id":"c","parentId":"gone","summary":"Sum."}'
		line user Two "" Two c
	} > in
	run -0 --separate-stderr ctx-count -v in
	[[ $stderr != *"the parent that"* ]] || fail "$stderr"
}

@test "the bar says how much is counted if it is more than was billed" {
	run -0 ctx-count --bar "$BATS_TEST_DIRNAME/corpus/llm-logs/chat.json"
	[[ ${lines[1]} == "84 billed + ~3 after of 128k tokens, "*"; ~967 counted" ]]
	run -0 ctx-count --bar "$BATS_TEST_DIRNAME/corpus/claude-code/session.jsonl"
	[[ ${lines[1]} != *counted* ]]
}

@test "a stored response of each provider has its model and billed tokens" {
	read_as() { # DIALECT MODEL, and the response on standard input
		ctx-count --json 2> /dev/null | jq -e --arg d "$1" --arg m "$2" '
		    .dialect == $d and .billed == 505 and .messages == 1 and
		    .tokens > 0 and .model == (if $m == "" then null else $m end)' ||
			fail "$1"
	}
	read_as anthropic claude-opus-5 <<< '{"id":"msg_1","type":"message","role":"assistant","model":"claude-opus-5","content":[{"type":"text","text":"yo"}],"usage":{"input_tokens":5,"cache_read_input_tokens":500}}'
	read_as openai-chat gpt-5 <<< '{"id":"chatcmpl-1","object":"chat.completion","model":"gpt-5","choices":[{"index":0,"message":{"role":"assistant","content":"yo"}}],"usage":{"prompt_tokens":505}}'
	read_as openai-responses gpt-5 <<< '{"id":"resp_1","object":"response","model":"gpt-5","output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"yo"}]}],"usage":{"input_tokens":505}}'
	read_as gemini gemini-2.5-pro <<< '{"candidates":[{"content":{"parts":[{"text":"yo"}],"role":"model"}}],"usageMetadata":{"promptTokenCount":505},"modelVersion":"gemini-2.5-pro"}'
	read_as ollama llama3.2 <<< '{"model":"llama3.2","message":{"role":"assistant","content":"yo"},"done":true,"prompt_eval_count":505}'
	# The response of Bedrock names no model.
	response='{"output":{"message":{"role":"assistant","content":[{"text":"yo"}]}},"stopReason":"end_turn","usage":{"inputTokens":5,"cacheReadInputTokens":500}}'
	read_as bedrock "" <<< "$response"
	read_as bedrock "" <<< "{\"recordId\":\"r\",\"modelOutput\":$response}"
	run -0 --separate-stderr ctx-count --json \
	    <<< '{"output":{"message":{"role":"assistant","content":"a"}}}'
	jq -e '.messages == 0' <<< "$output"
}
