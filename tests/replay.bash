# replay.bash - what the files that test ctx-replay share

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

# Adds thinkingMetadata to the questions of the requests with these numbers.
thinks() {
	jq -c --arg n "$*" 'if .type == "user" and
	    (.uuid[1:] | IN($n | splits(" "))) then
	    .thinkingMetadata = {maxThinkingTokens: 31999} else . end'
}

# Checks that a policy that removes nothing has the row of no pruning.
costs_nothing_less() {
	ctx-replay --json -p "all=-b 1M" "$1" > rows
	jq -es 'map(del(.policy)) | .[0] == .[1] and .[1].sent == 100' rows ||
		fail "$(cat rows)"
}
