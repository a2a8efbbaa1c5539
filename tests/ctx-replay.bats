# ctx-replay: what recorded sessions cost, by the records and by the rules of
# the provider's prompt cache

load helper
load replay

@test "for a session of Claude Code the billed tokens are printed beside the replayed ones" {
	# The second and third request read what the one before has stored:
	# 12,000 and 15,000 tokens.  Before the fourth, 5 minutes have passed.
	# The fifth should have read the 19,000 of the fourth.
	claude 0:0:12000:10 60:12000:3000:10 120:15000:2000:10 \
	    720:0:19000:10 780:12000:8000:10 > session.jsonl
	ctx-replay session.jsonl > out
	# Of the price of Claude Sonnet 4.5: $3, $0.30 read, $3.75 written, $15.
	# 39,000 x 0.3 + 44,000 x 3.75 + 50 x 3 + 1,000 x 15 = 191,850, and
	# 46,000 x 0.3 + 37,000 x 3.75 + 50 x 3 + 1,000 x 15 = 167,700.
	cat > want <<'X'
session.jsonl: 5 requests to claude-sonnet-4-5
                    read      written        fresh       output    dollars
  recorded        39,000       44,000           50        1,000       0.19
  replayed        46,000       37,000           50        1,000       0.17
  3 of 4 cache reads (69.2 % of their tokens) are equal within 2 %
      1 shorter     -7,000 tokens: less was read than expected; did messages change?
X
	cmp out want
	# The first example of the manual shows the beginning.
	sed -n '/^\.Bd -literal/,/^\.Ed/p; /^\.Ed/q' \
	    "$BATS_TEST_DIRNAME/../man/ctx-replay.1" | sed '1d;$d' |
		cmp - <(head -n 5 want)
	replayed session.jsonl .recorded.dollars 0.19185
	replayed session.jsonl .replayed.dollars 0.1677
	replayed session.jsonl .reasons.shorter.tokens -7000
	# The reads that are compared: 12,000, 15,000, 0 and 12,000 tokens.
	replayed session.jsonl .compared_tokens 39000
	replayed session.jsonl .equal_tokens 27000
}

@test "cache writes are stored for an hour if the session or --ttl says so" {
	# 50 minutes apart; the price of writing for an hour is $6.
	claude 0:0:12000:10:12000 3000:12000:3000:10:3000 > hour.jsonl
	replayed hour.jsonl .equal 1
	replayed hour.jsonl .replayed.written_hour 15000
	replayed hour.jsonl .replayed.dollars 0.09966
	claude 0:0:12000:10:12000 9:12000:3000:10:3000 3700:15000:9:10:9 > longer.jsonl
	replayed longer.jsonl '.reasons["kept-longer"].requests' 1
	claude 0:0:12000:10 3000:0:15000:10 > minutes.jsonl
	replayed minutes.jsonl .equal 1
	# Without a usage only --ttl says it.
	jq -c 'del(.message.usage)' minutes.jsonl |
	    jq -c '(.message | select(.role == "user")).content = "word " * 5000' \
	    > bare.jsonl
	ctx-replay --json bare.jsonl | jq -e '.all.read == 0'
	ctx-replay --json --ttl 1h bare.jsonl | jq -e '.all.read > 4000'
}

@test "the tokens shared with other sessions are those that the first request read" {
	# After 10 minutes only that is found.
	claude 0:9000:3000:10 60:12000:1000:10 700:9000:5000:10 > shared.jsonl
	replayed shared.jsonl .equal 2
	replayed shared.jsonl .shared 9000
	# How much it is by then is not in the file.
	claude 0:9000:3000:10 60:12000:1000:10 700:5000:9000:10 > other.jsonl
	replayed other.jsonl .reasons.expired.requests 1
}

@test "if recorded and replayed cache reads differ by over 2 %, the reason is printed" {
	claude 0:9000:3000:10 60:9000:4000:10 > beginning.jsonl
	replayed beginning.jsonl '.reasons | keys[0]' beginning
	claude 0:9000:3000:10 60:11000:2000:10 > shorter.jsonl
	replayed shorter.jsonl '.reasons | keys[0]' shorter
	claude 0:9000:3000:10 60:15000:2000:10 > longer.jsonl
	replayed longer.jsonl '.reasons | keys[0]' longer
	claude 0:9000:3000:10 9:12000:1000:10 400:13000:9:10 > kept.jsonl
	replayed kept.jsonl '.reasons | keys[0]' kept-longer
	# 2 % of 12,000 are 240.
	claude 0:9000:3000:10 60:11760:2000:10 > near.jsonl
	replayed near.jsonl .equal 1
	claude 0:9000:3000:10 60:11759:2000:10 > far.jsonl
	replayed far.jsonl .equal 0
}

@test "a request on another branch finds the messages that both branches share in the cache" {
	# The third request takes the place of the second.
	claude 0:0:12000:10 60:12000:3000:10 > session.jsonl
	claude 0:0:12000:10 60:12000:3000:10 90:12000:3000:10 |
	    tail -n 2 | jq -c 'if .type == "user" then .parentUuid = "a1"
	    else . end' >> session.jsonl
	replayed session.jsonl .equal 2
	replayed session.jsonl .requests 3
}

@test "a request before a compaction is replayed with the messages that were active then" {
	claude 0:0:12000:10 60:12000:3000:10 > session.jsonl
	jq -nc '{parentUuid: null, logicalParentUuid: "a2", uuid: "c", type:
	    "system", subtype: "compact_boundary", sessionId: "s", version: "2.0.0",
	    content: "Conversation compacted", timestamp: "2025-11-24T16:02:00Z"},
	    {parentUuid: "c", uuid: "d", type: "user", isCompactSummary: true,
	    sessionId: "s", version: "2.0.0", timestamp: "2025-11-24T16:02:01Z",
	    message: {role: "user", content: "Summary of it all."}}' >> session.jsonl
	claude 0:0:1:1 0:0:1:1 130:12000:500:10 | tail -n 2 |
	    jq -c 'if .type == "user" then .parentUuid = "d" else . end' \
	    >> session.jsonl
	# 12,010 minus the first question are outside the messages.
	replayed session.jsonl .requests 3
	replayed session.jsonl .equal 2
	ctx-replay --requests --tsv session.jsonl > rows
	[ "$(cut -f 4 rows | tail -n 1)" = 12000 ]
}

@test "a response of Claude Code that is only reasoning is billed, but never sent" {
	local only='if .uuid == "a1" then .message.content = [{type:
	    "thinking", thinking: ("word " * $n), signature: "c2ln"}]
	    else del(.message.usage) end'
	for n in 1 2000; do
		claude 0:0:9000:10 60:0:1:1 | jq -c --argjson n $n "$only" > $n
		# The same after a compaction
		jq -c '., (select(.uuid == "a2") | .type = "user" | .uuid = "c" |
		    .parentUuid = null | .isCompactSummary = true |
		    .message = {role: "user", content: "Summary"})' $n > old$n
	done
	for name in "" old; do
		input=$(ctx-replay --json ${name}1 2> err | jq .all.input)
		replayed ${name}2000 .all.input "$input"
		replayed ${name}2000 .requests 2
	done
}

@test "after a change of the model nothing that the other model stored is found" {
	{
		claude 0:0:12000:10
		MODEL=claude-opus-4-5 claude 0:0:1:1 60:0:15000:10 |
		    tail -n 2
	} > session.jsonl
	replayed session.jsonl .equal 1
	replayed session.jsonl .replayed.read 0
}

@test "after another model, a model finds again what it has stored" {
	{
		claude 0:0:12000:10
		MODEL=claude-opus-4-5 claude 0:0:1:1 60:0:15000:10 |
		    tail -n 2
		claude 0:0:1:1 0:0:1:1 90:12000:4000:10 | tail -n 2
	} > session.jsonl
	replayed session.jsonl .equal 2
	replayed session.jsonl .replayed.read 12000
}

@test "a response that ends a turn of Claude Code is stored, unless the turn before was not" {
	local long='(.message | select(.id == ("m1", "m2")).content[0].text) =
	    "word " * 2000'
	TURNS=1 claude 0:9000:3000:10 60:14000:20:10 | jq -c "$long" > session.jsonl
	replayed session.jsonl .equal 1
	# The lifetime begins with the end of the response.
	jq -c 'if .uuid == "a1" then (., (.uuid = "b1" | .parentUuid = "a1" |
	    .timestamp = "2025-11-24T16:03:20Z"))
	    elif .uuid == "u2" then .parentUuid = "b1" |
	    .timestamp = "2025-11-24T16:06:40Z" else . end' session.jsonl \
	    > slow.jsonl
	replayed slow.jsonl .equal 1
	TURNS=1 claude 0:9000:3000:10 60:12000:2030:10 120:14030:2020:10 |
	    jq -c "$long" > not.jsonl
	replayed not.jsonl .equal 1
	[ "$(ctx-replay --requests --tsv not.jsonl | tail -n 1 | cut -f 5)" = 14030 ]
	# With a tool call, the turn has not ended.
	claude 0:9000:3000:10 60:14000:20:10 | jq -c "$long" > call.jsonl
	replayed call.jsonl .equal 0
}

# Inserts a line of Claude Code, with these members, before the second question.
insert_line() {
	jq -c --argjson line "$1" 'if .uuid == "u2" then
	    (. + {uuid: "l", message: null} + $line, .parentUuid = "l")
	    else . end'
}

@test "after a restart of Claude Code no message is found" {
	claude 0:9000:3000:10 60:9000:4000:10 > session.jsonl
	replayed session.jsonl .equal 0
	insert_line '{"type": "progress", "data": {"hookEvent": "SessionStart",
	    "hookName": "SessionStart:resume"}}' < session.jsonl > resumed.jsonl
	replayed resumed.jsonl .equal 1
	insert_line '{"message": {"role": "user", "content":
	    "<command-name>/exit</command-name>"}}' < session.jsonl > ended.jsonl
	replayed ended.jsonl .equal 1
	# An answer that Claude Code wrote itself belongs to no request.
	insert_line '{"type": "assistant", "message": {"id": "own",
	    "role": "assistant", "model": "<synthetic>", "content": [{"type":
	    "text", "text": "No response."}], "usage": {"input_tokens": 0}}}' \
	    < ended.jsonl > own.jsonl
	replayed own.jsonl .requests 2
	replayed own.jsonl .equal 1
}

@test "if a prompt has fewer tokens than what is stored of it, no message is found" {
	claude 0:9000:3000:10 20:12000:2000:10 40:9000:2500:10 \
	    60:11500:10:10 > session.jsonl
	replayed session.jsonl .equal 3
}

@test "after thinking is switched on or off, only system prompt and tools are found" {
	# The third request is without thinking; the fourth finds what the
	# second has stored.
	claude 0:0:12000:10 20:12000:2000:10 40:12000:3000:10 \
	    60:14000:2000:10 > plain.jsonl
	thinks 1 2 4 < plain.jsonl > session.jsonl
	replayed session.jsonl .equal 3
	# Nothing is known if no question says that the model thinks.
	replayed plain.jsonl .equal 1
	# Thinking is off if the setting says so.
	jq -c 'if .thinkingMetadata then . elif .type == "user" then
	    .thinkingMetadata = {level: "none", disabled: true} else . end' \
	    session.jsonl > off.jsonl
	replayed off.jsonl .equal 3
	# The third answer shows that its request was with thinking.
	jq -c 'if .uuid == "a3" then .message.content |= [{type: "thinking",
	    thinking: "Hm.", signature: "s"}] + . else . end' session.jsonl \
	    > thought.jsonl
	replayed thought.jsonl .equal 1
}

@test "of system prompt and tools the part is found that the first request read" {
	claude 0:9000:3000:10 20:9000:4000:10 | thinks 1 > session.jsonl
	replayed session.jsonl .equal 1
	# A request that read nothing does not change this.  The question of
	# the third request is on a branch of its own.
	claude 0:9000:3000:10 20:0:13000:10 40:9000:500:10 | thinks 1 |
	    jq -c 'if .uuid == "u3" then .parentUuid = null else . end' \
	    > session.jsonl
	replayed session.jsonl .equal 1
	ctx-replay --requests --tsv session.jsonl > rows
	[ "$(cut -f 5 rows | tail -n 1)" = 9000 ]
}

@test "a message whose parent is not in the file follows the line before it" {
	claude 0:0:12000:10 20:12000:3000:10 40:15000:1000:10 > session.jsonl
	ctx-replay --json session.jsonl | jq -S 'del(.file)' > want
	jq -c 'if .uuid == "u2" then .parentUuid = "gone" else . end' \
	    session.jsonl > broken.jsonl
	ctx-replay --json broken.jsonl | jq -S 'del(.file)' | cmp - want
}

@test "a prompt with fewer tokens than the model's minimum is not stored" {
	# 1,024 tokens for Claude Sonnet 4.5, 4,096 for Claude Opus 4.5.
	claude 0:0:1100:10 60:1100:20:10 > session.jsonl
	replayed session.jsonl .replayed.read 1100
	MODEL=claude-opus-4-5 claude 0:0:0:1100 60:0:0:1200 > session.jsonl
	replayed session.jsonl .replayed.read 0
	replayed session.jsonl .replayed.fresh 2300
}

@test "a stored beginning is not found if more than 35 blocks follow it" {
	local n
	for n in 33 40; do
		{
			claude 0:0:12000:10 9:12000:2000:10
			claude 0:0:1:1 9:1:1:1 60:14000:3000:10 | tail -n 2 |
			    jq -c --argjson n $n 'if .type == "user" then
				.message.content = [range($n) | {type: "text",
				text: "Part \(.)"}] else . end'
		} > "$n.jsonl"
	done
	replayed 33.jsonl .equal 2
	replayed 40.jsonl .reasons.longer.requests 1
}

@test "in a rollout of Codex, cache reads are multiples of 128 tokens and writes cost nothing" {
	# Of 10,000 tokens and 50 of the response all but 64 are stored: 78
	# steps, 9,984 tokens.  Of the second 81 steps.
	codex 0:10000:0 20:10500:9984 40:11000:10368 > rollout.jsonl
	replayed rollout.jsonl .equal 2
	replayed rollout.jsonl .replayed.read 20352
	replayed rollout.jsonl .replayed.written 0
	replayed rollout.jsonl .replayed.fresh 11148
	# $1.25, $0.125 read, $10 output: 13,935 + 2,544 + 1,500 millionths.
	replayed rollout.jsonl .replayed.dollars 0.017979
	# 20 minutes later all is stored, 31 minutes later nothing.
	codex 0:10000:0 1200:10500:9984 > later.jsonl
	replayed later.jsonl .equal 1
	codex 0:10000:0 1865:10500:0 > later.jsonl
	replayed later.jsonl .equal 1
	# Below 1,024 tokens nothing is stored.
	codex 0:1000:0 20:1020:0 > short.jsonl
	replayed short.jsonl .equal 1
}

@test "OpenAI's newer models read larger steps, the first of which may be shorter" {
	# The first read shows that the first step is 2,432 % 512 = 384 tokens.
	MODEL=gpt-5.5 codex 0:10000:2432 20:12000:9600 40:12500:11648 > rollout.jsonl
	replayed rollout.jsonl .equal 2
	replayed rollout.jsonl .replayed.read $((2432 + 9600 + 11648))
	# 768 tokens, then steps of 1,024.  80 tokens at the end are not read:
	# 12,100 would be read if all of 12,032 to 12,111 were stored.
	MODEL=gpt-5.6-sol codex 0:10000:0 20:12100:8960 40:12500:11008 > rollout.jsonl
	replayed rollout.jsonl .equal 2
	replayed rollout.jsonl .replayed.read $((8960 + 11008))
	replayed rollout.jsonl .replayed.written 0
	# 256 tokens, then steps of 512.
	MODEL=gpt-5.6-terra codex 0:10000:0 20:12100:9472 40:12500:11520 > rollout.jsonl
	replayed rollout.jsonl .equal 2
	replayed rollout.jsonl .replayed.read $((9472 + 11520))
	MODEL=codex-auto-review codex 0:10000:2432 20:12000:9600 40:12500:11648 > rollout.jsonl
	replayed rollout.jsonl .equal 2
}

@test "a read of what an older prompt had stored is called so without breakpoints" {
	# The third request has stored 19,986 tokens, the second 11,986.
	codex 0:10000:0 20:12000:9984 40:20000:11904 60:25000:11904 > older.jsonl
	replayed older.jsonl .equal 2
	replayed older.jsonl .reasons.older.tokens -8064
	codex 0:10000:0 20:12000:9984 40:20000:11904 60:25000:12160 > shorter.jsonl
	replayed shorter.jsonl .reasons.shorter.requests 1
	claude 0:9000:3000:10 60:12000:3000:10 90:15000:3000:10 120:12000:7000:10 > marked.jsonl
	replayed marked.jsonl .reasons.shorter.requests 1
}

@test "in a rollout of Codex, usage after tool results belongs to the response before them" {
	# Each response calls a tool, and its usage is before the result.
	codex 0:10000:0 20:10500:9984 40:12000:10496 |
	    jq -c 'if .payload.role == "assistant" then .payload =
		{type: "function_call", name: "f", arguments: "{}", call_id: "c"}
	    else . end | ., if .type == "event_msg" then
		.type = "response_item" | .payload =
		{type: "function_call_output", call_id: "c", output: "x"}
	    else empty end' > 0.139.jsonl
	# Codex 0.140 writes the usage after the result.
	jq -c 'if .type == "event_msg" then input, . else . end' 0.139.jsonl \
	    > 0.140.jsonl
	cmp -s 0.139.jsonl 0.140.jsonl && fail "the usage has not moved"
	for part in .equal .recorded.read .recorded.fresh .replayed.read; do
		replayed 0.140.jsonl "$part" \
		    "$(ctx-replay --json 0.139.jsonl | jq "$part")"
	done
	replayed 0.140.jsonl .recorded.fresh 12020
}

@test "if a turn begins with fewer tokens, messages before the last turn's reasoning are found" {
	# The second request is in the turn of the first.
	codex 0:10000:0 20:12000:9984 40:11500:9984 |
	    jq -c 'if .payload.role == "user" and
		.payload.content[0].text == "Question 2?" then .payload =
		{type: "function_call_output", call_id: "c", output: "x"}
	    else . end' > rollout.jsonl
	replayed rollout.jsonl .equal 2
	replayed rollout.jsonl .replayed.read 19968
	costs_nothing_less rollout.jsonl
	# With more tokens than before, all is found.
	codex 0:10000:0 20:12000:9984 40:12500:12032 > all.jsonl
	replayed all.jsonl .equal 2
}

@test "if a prompt becomes shorter in a turn, only system prompt and tools are found" {
	in_a_turn() {
		jq -c 'if .payload.role == "user" and
		    .payload.content[0].text != "Question 1?" then .payload =
		    {type: "function_call_output", call_id: "c", output: "x"}
		    else . end'
	}
	codex 0:10000:0 20:30000:9984 40:20000:9984 60:21000:19968 |
	    in_a_turn > rollout.jsonl
	replayed rollout.jsonl .equal 3
	costs_nothing_less rollout.jsonl
	# The agent has left the first messages as they were.
	codex 0:10000:0 20:30000:9984 40:20000:14976 | in_a_turn > more.jsonl
	replayed more.jsonl '.reasons | keys[0]' changed
	costs_nothing_less more.jsonl
}

@test "a tool result in the message of its call is not stored with the response" {
	# An opencode export: the second request could read only the 10,000
	# tokens of the first, and its response.
	jq -nc --arg result "$(words 3000)" '
	    def answer($id; $input; $read): {info: {id: $id, role: "assistant",
		modelID: "gpt-5.1-codex", tokens: {input: $input, output: 50,
		reasoning: 0, cache: {read: $read, write: 0}}}, parts: [{type:
		"tool", callID: $id, tool: "read", state: {status: "completed",
		input: {}, output: $result}}]};
	    {info: {id: "s"}, messages: [{info: {id: "u", role: "user"}, parts:
		[{type: "text", text: "Go"}]}, answer("a"; 10000; 0),
		answer("b"; 3100; 9984)]}' > export.json
	ctx-replay --json export.json > report 2> err
	jq -e '.equal == 1 and .replayed.read == 9984' report
}

@test "the usage that a session of pi reports is read" {
	local n
	{
		jq -nc '{type: "session", version: 3, id: "x", cwd: "/w",
		    timestamp: "2026-11-02T09:00:00Z"}'
		for n in 1 2; do
			jq -nc --argjson n "$n" '
			    def line($id; $up): {type: "message", id: $id,
				parentId: $up, timestamp: "2026-11-02T09:0\($n):00Z"};
			    line("u\($n)"; if $n == 1 then null else "a1" end) +
				{message: {role: "user", content: "Question \($n)?"}},
			    line("a\($n)"; "u\($n)") + {message: {role: "assistant",
				provider: "anthropic", model: "claude-sonnet-4-5",
				content: [{type: "text", text: "Answer."}],
				usage: {input: 10, output: 20, cacheRead:
				(if $n == 1 then 0 else 5000 end), cacheWrite:
				(if $n == 1 then 5000 else 700 end)}}}'
		done
	} > session.jsonl
	replayed session.jsonl .equal 1
	replayed session.jsonl .replayed.read 5000
	replayed session.jsonl .replayed.written 5700
	# GPT-5.6 reads whole prompts if the provider reports writes.
	sed s/claude-sonnet-4-5/gpt-5.6-sol/ session.jsonl > writes.jsonl
	replayed writes.jsonl .replayed.read 5000
	replayed writes.jsonl .replayed.written 5700
	# Google reads steps of 8,192 tokens, of which each is billed as 8,600.
	jq -c 'if .id == "a1" then .message.usage |= (.input = 20000 |
	    .cacheRead = 8600 | .cacheWrite = 0) elif .id == "a2" then
	    .message.usage |= (.input = 5000 | .cacheRead = 25800) else . end' session.jsonl |
	    sed s/claude-sonnet-4-5/gemini-3-flash/ > google.jsonl
	replayed google.jsonl .replayed.read $((8600 + 25800))
	replayed google.jsonl .equal 1
	# Another level of thinking finds no message.
	jq -c 'if .type == "session" then .thinkingLevel = "off"
	    elif .id == "u2" then ({type: "thinking_level_change", id: "t",
		parentId, timestamp, thinkingLevel: "high"}, .parentId = "t")
	    else . end' session.jsonl > level.jsonl
	replayed level.jsonl .equal 1
	replayed level.jsonl .replayed.read 5003
	# A level that is chosen after the question holds from the next one on.
	jq -c 'if .type == "thinking_level_change" then .parentId = "u2"
	    elif .id == "u2" then .parentId = "a1"
	    elif .id == "a2" then .parentId = "t" else . end' level.jsonl |
	    jq -sc '.[:3] + [.[4], .[3]] + .[5:] | .[]' > late.jsonl
	replayed late.jsonl .replayed.read 5000
}

@test "without usage and timestamps ctx counts tokens, and warns that the cache does not expire" {
	messages "user:$(words 3000)" assistant:ok user:more assistant:done > chat.jsonl
	ctx-replay --json -m gpt-4o chat.jsonl > report 2> err
	grep -qx 'ctx-replay: 2 of 2 requests have no timestamp; the prompts that they store in the cache are assumed never to expire' err
	jq -e '.compared == 0 and .recorded.input == 0 and .requests == 2' report
	[ "$(ctx-replay --requests --tsv chat.jsonl 2> err | cut -f 4,6 | sort -u)" = "-	-
recorded	reason" ]
	ctx-replay --requests --json chat.jsonl 2> err |
	    jq -es 'map(select(.request).reason) == [null, null]'
	# The second request has the first and its answer: more than 3,000
	# tokens, of which whole steps of 128 are read.
	jq -e '.all.read % 128 == 0 and .all.read > 2800 and .all.read < 3100' report
	# A model without a price has no cost.
	ctx-replay --json -m some-model chat.jsonl 2> err | jq -e '.all.dollars == null'
	ctx-replay -m some-model chat.jsonl 2> err | grep -q 'not known$'
	ctx-replay chat.jsonl 2> err | grep -q 'requests to an unknown model$'
}

@test "a variant of a model is billed with its own prices, or with none" {
	messages "user:$(words 3000)" assistant:ok > chat.jsonl
	dollars() {
		ctx-replay --json -m "$1" chat.jsonl 2> err | jq .all.dollars
	}
	# Five times the price of o3, and twice that of GPT-4o.
	[ "$(jq -n "$(dollars o3-deep-research) / $(dollars o3) | round")" -eq 5 ]
	[ "$(jq -n "$(dollars gpt-4o-2024-05-13) / $(dollars gpt-4o) * 10 |
	    round")" -eq 20 ]
	[ "$(dollars gpt-4o-2024-11-20)" = "$(dollars gpt-4o)" ]
	[ "$(dollars gpt-4o-turbo)" = null ]
	run -0 --separate-stderr ctx-replay -v -m gpt-4o-turbo chat.jsonl
	[[ $stderr == *"gpt-4o-turbo is not in the table of models: assumed to be like gpt-4o, with unknown prices"* ]]
}

@test "for several sessions the sums are printed after them" {
	claude 0:0:12000:10 60:12000:3000:10 > one.jsonl
	claude 0:0:5000:10 60:5000:3000:10 > two.jsonl
	ctx-replay one.jsonl two.jsonl > out
	grep -qx '2 sessions: 4 requests' out
	grep -q '^  replayed *17,000 *23,000 *40 ' <(tail -n 3 out)
	ctx-replay --tsv one.jsonl two.jsonl > rows
	[ "$(wc -l < rows)" -eq 3 ]
	[ "$(awk -F '\t' 'NF != 20' rows | wc -l)" -eq 0 ]
	ctx-replay --json one.jsonl two.jsonl | jq -es 'length == 2' > /dev/null
}

@test "--requests prints a row for each request, in the order of the session" {
	claude 0:0:12000:10 60:12000:3000:10 120:9000:9000:10 > session.jsonl
	ctx-replay --requests --tsv session.jsonl > rows
	printf '%s\t' request pause input recorded replayed reason > want
	printf 'line\n' >> want
	head -n 1 rows | cmp - want
	[ "$(sed -n 4p rows)" = "$(printf '3\t60\t18010\t9000\t15000\tshorter\tsession.jsonl:6')" ]
	ctx-replay --requests --json session.jsonl | jq -es 'length == 4' > /dev/null
}

@test "input without requests gets a message, and input without messages or with bad JSON is an error" {
	messages user:hello > chat.jsonl
	run -0 ctx-replay chat.jsonl
	[[ $output == *"no request was found"* ]]
	echo '{"a":1}' > other.jsonl
	run -2 ctx-replay other.jsonl
	[[ $output == *"no messages were found"* ]]
	echo '{"role":' > broken.jsonl
	run -2 ctx-replay broken.jsonl
	[[ $output == *broken.jsonl:2:1:* ]]
	run -2 ctx-replay --json --tsv chat.jsonl
}
