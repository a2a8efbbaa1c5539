# ctx-replay: what recorded sessions cost, by the records and by the rules of
# the provider's prompt cache

load helper

# A session file of Claude Code.  Each argument is a request:
#   SECOND:READ:WRITTEN:FRESH[:HOUR]
# Its prompt ends with a user's message at this second, and is answered a second
# later.  Answers have a tool call unless TURNS is set.
claude() {
	local id=0 parent=null one
	for one in "$@"; do
		IFS=: read -r second read written fresh hour <<< "$one"
		id=$((id + 1))
		jq -nc --argjson id "$id" --argjson parent "$parent" \
		    --argjson s "$second" --argjson r "$read" \
		    --argjson w "$written" --argjson f "$fresh" \
		    --argjson h "${hour:-0}" --arg m "${MODEL:-claude-sonnet-4-5}" \
		    --arg turns "${TURNS:-}" '
		    def line($n; $up; $at): {parentUuid: $up, uuid: $n,
			sessionId: "s", isSidechain: false, version: "2.0.0",
			timestamp: (1764000000 + $at | todate)};
		    line("u\($id)"; $parent; $s) + {type: "user", message:
			{role: "user", content: "Question \($id)?"}},
		    line("a\($id)"; "u\($id)"; $s + 1) + {type: "assistant",
			message: {id: "m\($id)", role: "assistant", model: $m,
			content: [{type: "text", text: "Answer \($id)."},
			    if $turns == "" then {type: "tool_use", name: "Go",
				id: "t\($id)", input: {}} else empty end],
			usage: {input_tokens: $f, output_tokens: 200,
			cache_creation_input_tokens: $w,
			cache_read_input_tokens: $r, cache_creation:
			{ephemeral_5m_input_tokens: ($w - $h),
			 ephemeral_1h_input_tokens: $h}}}}'
		parent="\"a$id\""
	done
}

# Checks a member of the report as JSON: replayed FILE JQ VALUE.
replayed() {
	ctx-replay --json "$1" > report || fail "status $?"
	[ "$(jq -r "$2" report)" = "$3" ] ||
		fail "$2 is $(jq -r "$2" report), not $3"
}

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
  3 of 4 cache reads are equal within 2 %
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

# Adds thinkingMetadata to the questions of the requests with these numbers.
thinks() {
	jq -c --arg n "$*" 'if .type == "user" and
	    (.uuid[1:] | IN($n | splits(" "))) then
	    .thinkingMetadata = {maxThinkingTokens: 31999} else . end'
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

# A rollout of Codex.  Each argument is a request: SECOND:INPUT:CACHED.
codex() {
	local one n=0
	jq -nc --arg m "${MODEL:-gpt-5.1-codex}" '{timestamp: "2026-11-02T09:00:00Z", type: "session_meta", payload:
	    {id: "i", cwd: "/w", cli_version: "0.98.0", originator: "codex"}},
	    {timestamp: "2026-11-02T09:00:00Z", type: "turn_context",
	    payload: {model: $m, cwd: "/w"}}'
	for one in "$@"; do
		IFS=: read -r second input cached <<< "$one"
		n=$((n + 1))
		jq -nc --argjson s "$second" --argjson i "$input" \
		    --argjson c "$cached" --argjson n "$n" '
		    def line($t; $at): {timestamp: (1764000000 + $at | todate),
			type: $t};
		    line("response_item"; $s) + {payload: {type: "message",
			role: "user", content: [{type: "input_text",
			text: "Question \($n)?"}]}},
		    line("response_item"; $s + 1) + {payload: {type: "message",
			role: "assistant", content: [{type: "output_text",
			text: "Answer \($n)."}]}},
		    line("event_msg"; $s + 1) + {payload: {type: "token_count",
			info: {last_token_usage: {input_tokens: $i,
			cached_input_tokens: $c, output_tokens: 50,
			reasoning_output_tokens: 0, total_tokens: ($i + 50)},
			total_token_usage: {input_tokens: ($i * $n)}}}}'
	done
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

# Checks that a policy that removes nothing has the row of no pruning.
costs_nothing_less() {
	ctx-replay --json -p "all=-b 1M" "$1" > rows
	jq -es 'map(del(.policy)) | .[0] == .[1] and .[1].sent == 100' rows ||
		fail "$(cat rows)"
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
