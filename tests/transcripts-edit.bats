# What pruning and truncating leave of the transcripts of agents

load helper
load transcripts

# A transcript without what links its lines, a line each.
unlinked() {
	sed -E 's/"(parentUuid|parentId|leafUuid|firstKeptEntryId|targetId)" *: *("[^"]*"|null)//g' "$@"
}

# The lines of FILE whose numbers are in (or with -v not in) a JSON array.
pick() { # [-v] ARRAY FILE
	local invert=false
	[ "$1" != -v ] || { invert=true; shift; }
	awk -v list="${1//[^0-9,]/}" -v invert=$invert '
		BEGIN { n = split(list, a, ","); while (n) want[a[n--]] = 1 }
		(NR in want) == (invert == "false")' "$2"
}

# Every line that FILE's lines name is there, if it was in OLD.
links_hold() { # FILE OLD
	jq -n --slurpfile new "$1" --slurpfile old "$2" '
		def ids: map(.uuid // .id // empty) | unique;
		($new | ids) as $left
		| (($old | ids) - $left) as $gone
		| [$new[] | (.parentUuid, .parentId, .leafUuid,
			.firstKeptEntryId, .targetId) | select(.)]
		| . - (. - $gone) | if . == [] then empty else error(tostring) end'
}

prunes_well() { # DIALECT FILE
	local before dead after budget rc
	before=$(live "$1" "$2")
	for budget in 1 400; do
		rc=0
		ctx-prune -l light -k 6 -t 3 -b $budget "$2" > out 2> err ||
		    rc=$?
		[ $rc -le 1 ] || fail "$(cat err)"
		after=$(live "$1" out)
		[ "$after" = "$(counted out)" ] || fail "-b $budget: $after"
		# What the agent finds live was live, in the same order.
		unlinked <(pick "$after" out) > kept
		unlinked <(pick "$before" "$2") > all
		is_subsequence kept all || fail "-b $budget: revived"
		# Nothing else was taken out or changed.
		unlinked out > rest
		unlinked "$2" > whole
		is_subsequence rest whole || fail "-b $budget: changed"
		links_hold out "$2" || fail "-b $budget"
		dead=$(unlinked <(pick -v "$after" out) | wc -l)
		[ "$1" = gemini-cli ] ||
		[ "$dead" -eq "$(pick -v "$before" "$2" | wc -l)" ] ||
			fail "-b $budget: $dead dead lines"
		[ $rc -eq 1 ] || [ "$(tokens out)" -le $budget ] ||
			fail "-b $budget: too many tokens"
		ctx-prune -l light -k 6 -t 3 -b $budget out > again 2> err ||
		    [ $rc -eq 1 ]
		cmp out again || fail "-b $budget: twice"
	done
}

@test "the corpus after pruning is read by its agent as pruned" {
	every_file prunes_well
}

@test "random trees and logs after pruning are read by their agent as pruned" {
	for d in claude-code pi gemini-cli codex; do
		for ((i = 1; i <= ${CHECK_LONG:-1}; i++)); do
			random $d $i 60 > random.jsonl
			echo "# $d, seed $i"
			prunes_well $d random.jsonl
		done
	done
}

@test "a transcript within its budget passes byte for byte" {
	every_file untouched
}
untouched() {
	ctx-prune -b 1M "$2" > out
	cmp "$2" out
	sed 's/$/\r/' "$2" > crlf
	ctx-prune -b 1M crlf > out
	cmp crlf out
}

@test "levels edit reasoning and results of active lines only" {
	every_file levels
}
levels() {
	for level in balanced aggressive; do
		ctx-prune -l $level -k 4 -t 3 -b 100 "$2" > out || [ $? -eq 1 ]
		[ "$(live "$1" out)" = "$(counted out)" ]
		links_hold out "$2"
		ctx-prune -l $level -k 4 -t 3 -b 100 out > again ||
		    [ $? -eq 1 ]
		cmp out again
	done
}

@test "ctx-truncate passes inactive lines unchanged and truncates active ones" {
	f=$BATS_TEST_DIRNAME/corpus/pi/branches.jsonl
	for _ in 1 2 3 4 5 6 7 8 9; do cat "$f" "$f" "$f" "$f"; done > big
	ctx-truncate -l 1M big > out
	cmp big out
	ctx-truncate -l 200 "$f" > out
	before=$(live pi "$f")
	cmp <(pick -v "$before" "$f") <(pick -v "$before" out)
	[ "$(wc -c < out)" -lt "$(wc -c < "$f")" ]
}

@test "a compaction and its summary are kept, so that old messages remain inactive" {
	for f in claude-code/compacted codex/compacted gemini-cli/checkpoint \
	    pi/compacted; do
		f=$BATS_TEST_DIRNAME/corpus/$f.jsonl
		ctx-prune -k 1 -t 0 -b 1 "$f" > out || [ $? -eq 1 ]
		[ "$(counted out | jq length)" -lt "$(counted "$f" | jq length)" ]
		grep -qe isCompactSummary -e '"compacted"' \
		    -e state_snapshot -e '"compaction"' out
	done
}

@test "codex: a summary that is kept does not keep the questions before it" {
	f=$BATS_TEST_DIRNAME/corpus/codex/rolled-back.jsonl
	for s in pinned-fifo fifo heuristic salient; do
		ctx-prune -b 60 -s $s "$f" > out
		[ "$(ctx-count --json out | jq .tokens)" -le 60 ]
		[ "$(counted out | jq length)" -eq 3 ]
		grep -q '"compacted"' out
		ctx-prune -b 60 -s $s out | cmp - out
	done
}

@test "claude-code: a first message that no person wrote is kept" {
	local up=null i
	line() { # ROLE CONTENT [MEMBERS]
		echo "{\"parentUuid\":$up,\"uuid\":\"u$i$1\",\"type\":\"$1\",${3-}\"message\":{\"role\":\"$1\",\"content\":$2}}"
		up="\"u$i$1\""
	}
	line user '"The nightly run starts."' '"isMeta":true,' > in
	for i in 1 2 3 4 5 6; do
		line assistant '[{"type":"tool_use","id":"t'$i'","name":"f","input":{}}]'
		line user '[{"type":"tool_result","tool_use_id":"t'$i'","content":"a file and a file and a file and a file"}]'
	done >> in
	ctx-check in
	for s in pinned-fifo fifo middle-out heuristic; do
		ctx-prune -s $s -b 130 -k 1 -t 0 in > out
		[ "$(wc -l < out)" -lt "$(wc -l < in)" ]
		[ "$(head -n 1 out)" = "$(head -n 1 in)" ]
		ctx-check out
	done
}

@test "claude-code: calls of parallel responses are removed with all their results" {
	fill=$(words 60)
	jq -nc --arg fill "$fill" '
	    def line($id; $up; $role; $content): {type: $role, uuid: $id,
		parentUuid: $up, message: ({role: $role, content: $content} +
		if $role == "assistant" then {id: $id[:2]} else {} end)};
	    def call($id): [{type: "tool_use", id: $id, name: "f", input: {}}];
	    def result($id): {type: "tool_result", tool_use_id: $id, content: $fill};
	    line("u1"; null; "user"; "Oslo and Rome?"),
	    line("m1a"; "u1"; "assistant"; call("a")),
	    line("m1b"; "m1a"; "assistant"; call("b")),
	    line("r1"; "m1a"; "user"; [result("a"), {type: "text", text: "And Nice?"}]),
	    line("r2"; "m1b"; "user"; [result("b")]),
	    line("m2"; "r2"; "assistant"; [{type: "text", text: "Nice is nice."}])' > in
	ctx-check in
	for s in pinned-fifo fifo heuristic recall salient; do
		ctx-prune -s $s -b 40 -k 1 -t 0 in > out
		ctx-check out
		# What leaves is what an agent reads.
		[ "$(live claude-code out)" = "$(seq -s, "$(wc -l < out)" |
		    sed 's/.*/[&]/')" ] || fail "$s: $(cat out)"
		[ "$(wc -l < out)" -ge 2 ]
	done
}

@test "claude-code: a line of reasoning of an old turn is removed before its answer" {
	jq -nc --arg fill "$(words 40)" '
	    def line($id; $up; $role; $content): {type: $role, uuid: $id,
		parentUuid: $up, message: ({role: $role, content: $content} +
		if $role == "assistant" then {id: $id[:2]} else {} end)};
	    def think: [{type: "thinking", thinking: $fill, signature: "c2ln"}];
	    line("u1"; null; "user"; "List it."),
	    line("m1a"; "u1"; "assistant"; think),
	    line("m1b"; "m1a"; "assistant";
		[{type: "tool_use", id: "t", name: "ls", input: {}}]),
	    line("r1"; "m1b"; "user"; [{type: "tool_result", tool_use_id: "t",
		content: "src"}]),
	    line("u2"; "r1"; "user"; "And now?"),
	    line("m2a"; "u2"; "assistant"; think),
	    line("m2b"; "m2a"; "assistant"; [{type: "text", text: "Done."}])' > in
	n=$(tokens -m claude-opus-4-5 in)
	for s in pinned-fifo heuristic salient; do
		ctx-prune -m claude-opus-4-5 -s $s --quantum 0 -k 1 -t 1 -b $((n - 20)) in > out
		# Nothing else is removed, and the newest turn keeps its reasoning.
		[ "$(jq -r .uuid out | xargs)" = "u1 m1b r1 u2 m2a m2b" ] ||
			fail "$s: $(jq -r .uuid out | xargs)"
		[ "$(tokens -m claude-opus-4-5 out)" -le $((n - 20)) ]
		ctx-check out
		[ "$(live claude-code out)" = "[1,2,3,4,5,6]" ]
	done
	ctx-prune -m claude-opus-4-5 -s pinned-fifo -l light -k 1 -t 1 -b $((n - 20)) in > out
	[ "$(jq -r .uuid out | xargs)" = "u2 m2a m2b" ]
}

@test "a kept line whose parent is removed gets the nearest kept ancestor; others are unchanged" {
	cat > t.jsonl <<-'EOF'
	{"type":"summary","summary":"s","leafUuid":"b"}
	{"parentUuid":null,"type":"user","uuid":"a","message":{"role":"user","content":"one two three"}}
	{"parentUuid":"a","type":"assistant","uuid":"b","message":{"role":"assistant","id":"m1","content":"four five six"}}
	{"parentUuid":"b","type":"progress","uuid":"p"}
	{"parentUuid":"p","type":"user","uuid":"c","message":{"role":"user","content":"seven"}}
	{"parentUuid" : "b" , "type":"user","uuid":"x","message":{"role":"user","content":"a branch"}}
	{"parentUuid":"c","type":"assistant","uuid":"d","message":{"role":"assistant","id":"m2","content":"eight"}}
	{"type":"user","uuid":"e","message":{"role":"user","content":"nine"},"parentUuid":"d"}
	EOF
	ctx-prune -k 1 -t 0 -b 9 t.jsonl > out
	cat > want <<-'EOF'
	{"type":"summary","summary":"s","leafUuid":"p"}
	{"parentUuid":null,"type":"progress","uuid":"p"}
	{"parentUuid" : null , "type":"user","uuid":"x","message":{"role":"user","content":"a branch"}}
	{"type":"user","uuid":"e","message":{"role":"user","content":"nine"},"parentUuid":"p"}
	EOF
	cmp want out
}

@test "removed and changed lines are archived unchanged and explained" {
	every_file archived
}
archived() {
	local budget
	for budget in 1 300; do
		rm -f archive
		ctx-prune -l aggressive -k 1 -t 0 -b $budget --archive archive \
		    --explain log "$2" > out || [ $? -eq 1 ]
		# In each of both: what the other does not have, once a line.
		sort "$2" > before
		sort out > after
		sort archive > kept
		comm -23 before after | cmp - kept || fail "-b $budget"
		[ "$(wc -l < log)" -eq "$(wc -l < archive)" ]
		# The log names the lines by their places and their bytes.
		jq -r '"\(.line) \(.sha256)"' log | while read -r line sum; do
			[ "$(sed -n "${line}p" "$2" | sha256sum)" = "$sum  -" ] ||
				fail "-b $budget: line $line"
		done
		jq -r .action log >> actions
	done
}

@test "a line that is edited and gets a new parent is reported once" {
	jq -nc --arg w "$(words 60)" '
	    def line($id; $up; $role; $content): {parentUuid: $up, sessionId: "s",
		type: $role, message: {role: $role, content: $content}, uuid: $id};
	    {type: "thinking", thinking: $w, signature: "s"} as $thought |
	    line("u1"; null; "user"; "first question"),
	    line("a1"; "u1"; "assistant"; [$thought, {type: "tool_use", id: "t",
		name: "f", input: {}}]),
	    line("r1"; "a1"; "user"; [{type: "tool_result", tool_use_id: "t",
		content: $w}]),
	    line("a2"; "r1"; "assistant"; [$thought, {type: "text", text: "done"}]),
	    line("u2"; "a2"; "user"; "second question"),
	    line("a3"; "u2"; "assistant"; [{type: "text", text: "ok"}])' > t.jsonl
	ctx-prune -l balanced -b 40 -k 1 -t 2 --explain why t.jsonl > out
	[ "$(jq -r '"\(.uuid) \(.parentUuid) \(.message.content | length)"' out |
	    paste -sd ' ')" = "u1 null 14 a2 u1 1 u2 a2 15 a3 u2 1" ]
	[ "$(jq -r '"\(.line) \(.action)"' why | paste -sd ' ')" = \
	    "2 drop 3 drop 4 edit" ]
}

@test "a line that only gets a new parent is reported" {
	cat > t.jsonl <<-'EOF'
	{"parentUuid":null,"type":"user","uuid":"a","message":{"role":"user","content":"one two three"}}
	{"parentUuid":"a","type":"assistant","uuid":"b","message":{"role":"assistant","id":"m1","content":"four five six"}}
	{"parentUuid":"b","type":"system","uuid":"s"}
	{"type":"user","uuid":"e","message":{"role":"user","content":"nine"},"parentUuid":"b"}
	EOF
	ctx-prune -s pinned-fifo -k 1 -t 0 -b 9 --archive archive --explain log t.jsonl > out
	cmp archive t.jsonl
	[ "$(jq -r '[.line, .role, .rule, .action, .before, .after] | join(" ")' log)" = \
	    "$(printf '%s\n' '1 user pinned-fifo drop 5 0' \
		'2 assistant pinned-fifo drop 5 0' '3  links relink  ' \
		'4 user links relink 4 4')" ]
	ctx-prune -s pinned-fifo -n -k 1 -t 0 -b 9 t.jsonl > plan
	# Tables for people have other words.
	grep -q '^  edit   link to removed line  *1 messages  *0 tokens$' plan
	grep -q '^  edit   link to removed line  *1 lines$' plan
}

@test "an earlier version of a message is removed with the later one" {
	cat > g.jsonl <<-'EOF'
	{"sessionId":"s","projectHash":"h"}
	{"id":"1","timestamp":"t","type":"user","content":"a question"}
	{"id":"2","timestamp":"t","type":"gemini","content":"half"}
	{"id":"2","timestamp":"t","type":"gemini","content":"half an answer, whole"}
	{"id":"3","timestamp":"t","type":"user","content":"thanks"}
	EOF
	ctx-prune -s pinned-fifo -k 1 -t 0 -b 4 g.jsonl > out
	printf '%s\n' '{"sessionId":"s","projectHash":"h"}' \
	    '{"id":"3","timestamp":"t","type":"user","content":"thanks"}' > want
	cmp want out
}

@test "gemini-cli: all versions of a rewritten message are removed together" {
	say() { # id, type, text
		printf '{"id":"%s","timestamp":"2026-11-10T09:00:00Z","type":"%s","content":"%s"}\n' \
		    "$@"
	}
	{
		echo '{"sessionId":"s","projectHash":"x","startTime":"2026-11-10T09:00:00Z","kind":"main"}'
		say m1 user "the first question"
		say m2 gemini one
		say m2 gemini "one two"
		say m2 gemini "one two three"
		say m3 user "the second question"
		say m4 gemini four
	} > in
	[ "$(ctx-count --json in | jq .messages)" -eq 4 ]
	ctx-prune -s fifo -k 2 -t 1 -b 5 -e o200k_base in > out || [ $? -eq 1 ]
	[ "$(grep -c '"m[34]"' out)" -eq 2 ]
	run ! grep '"m[12]"' out
}

@test "claude-stream: messages whose lines alternate are removed together" {
	said() { # id text
		jq -nc --arg i "$1" --arg t "$2" '{type: "assistant",
		    message: {id: $i, type: "message", role: "assistant",
		    content: [{type: "text", text: $t}]}, session_id: "s"}'
	}
	asked() {
		jq -nc --arg t "$1" '{type: "user", message: {role: "user",
		    content: [{type: "text", text: $t}]}, session_id: "s"}'
	}
	{
		asked "begin"
		said m1 "one thing"
		said m2 "another thing altogether"
		said m1 "and more of it"
		said m2 "a kite"
		asked "go on"
		said m3 "very well"
		asked "and now?"
		said m4 "so be it"
	} > in
	n=$(tokens in)
	for b in $(seq 15 "$n"); do
		ctx-prune -s recall --query kite -k 1 -t 1 -b "$b" \
		    --explain why -v in > out 2> err || continue
		jq -se 'map(.line) | [2, 3] - . == ([4, 5] - . | map(. - 2))' \
		    why || fail "$b: $(cat why)"
		# What is said to be left is.
		[[ $(cat err) == *" $((n - $(tokens out))) of $n tokens"* ]] ||
			[ "$b" -eq "$n" ] || fail "$b: $(cat err)"
	done
}

@test "two transcripts in a row are one stream, each with its own active branch" {
	f=$BATS_TEST_DIRNAME/corpus/claude-code/session.jsonl
	g=$BATS_TEST_DIRNAME/corpus/claude-code/branches.jsonl
	ctx-prune --join -b 1M "$f" "$g" > out
	cat "$f" "$g" | cmp - out
	a=$(ctx-prune --join -v -b 1M "$f" "$g" 2>&1 > /dev/null)
	n=$(($(ctx-count --json "$f" | jq .messages) +
	    $(ctx-count --json "$g" | jq .messages)))
	[[ $a == *" $n "* ]] || fail "$a, not $n"
}

@test "invalid lines are refused with their place, and pass with --lenient" {
	f=$BATS_TEST_DIRNAME/corpus/pi/session.jsonl
	{ head -n 5 "$f"; echo '{"type":'; tail -n +6 "$f"; } > bad
	run -2 ctx-prune -b 300 bad
	[[ $output == *"bad:6:"* ]]
	ctx-prune --lenient -b 300 bad > out 2> err || [ $? -eq 1 ]
	grep -qx '{"type":' out
	ctx-prune -b 300 "$f" | cmp - <(grep -vx '{"type":' out)
}

@test "pi: an inserted line before a first line without a parent becomes its parent" {
	cat > pi.jsonl <<-EOF
	{"type":"session","version":3,"id":"s","timestamp":"t","cwd":"/"}
	{"type":"message","id":"1","message":{"role":"user","content":"one"}}
	{"type":"message","id":"2","parentId":"1","message":{"role":"assistant","content":[{"type":"text","text":"$(words 90)"}]}}
	{"type":"message","id":"3","parentId":"2","message":{"role":"assistant","content":[{"type":"text","text":"three"}]}}
	EOF
	ctx-prune --compact --summarizer 'echo short' -b 90 -k 1 -t 1 \
	    pi.jsonl > out
	[ "$(counted out)" = "[2,3,4]" ]
	jq -se '.[1].content == "[Earlier conversation summary]: short" and
	    .[2].parentId == .[1].id and .[3].parentId == "1"' out
	jq -c 'if .id == "1" then del(.parentId) else . end' out |
		sed -n 3p | cmp - <(sed -n 2p pi.jsonl)
}

@test "lines whose parents form a circle have no removed line as a parent after pruning" {
	text=$(printf 'word %.0s' {1..30})
	{
		claude_line user a '"b"' "$text"
		claude_line assistant b '"a"' "$text"
		claude_line user c '"b"' "the last one"
		claude_line assistant d '"c"' yes
	} > in
	[ "$(ctx-count --json in | jq .messages)" -eq 4 ]
	timeout 60 ctx-prune -s fifo -k 1 -t 1 -b 40 in > out
	[ "$(jq -r '"\(.uuid) \(.parentUuid)"' out | paste -sd,)" = "c null,d c" ]
}

@test "summary lines of a removed line refer to the next kept line" {
	text=$(printf 'word %.0s' {1..30})
	{
		echo '{"type":"summary","summary":"s","leafUuid":"b"}'
		echo '{"type":"summary","summary":"t","leafUuid":"b"}'
		claude_line user a null "$text"
		claude_line assistant b '"a"' "$text"
		claude_line user c '"b"' "the last one"
		claude_line assistant d '"c"' yes
	} > in
	ctx-prune -s fifo -k 1 -t 1 -b 40 in > out
	[ "$(jq -r .leafUuid out | head -n 2 | paste -sd ' ')" = "c c" ]
	# If all lines of a file are removed, the reference is unchanged.
	head -n 4 in > first
	tail -n 2 in | jq -c 'select(.uuid == "c").parentUuid = null' > second
	ctx-prune -s fifo -k 1 -t 1 -b 40 --join first second > out
	[ "$(jq -r .leafUuid out | head -n 2 | paste -sd ' ')" = "b b" ]
	[ "$(tail -n +3 out)" = "$(cat second)" ]
}

@test "a notice among lines without ids has no id" {
	text=$(printf 'word %.0s' {1..30})
	{
		echo '{"type":"session","id":"s","timestamp":"t","cwd":"/"}'
		for i in 1 2 3 4; do
			echo '{"type":"message","timestamp":"t","message":{"role":"user","content":"'"$i $text"'"}}'
			echo '{"type":"message","timestamp":"t","message":{"role":"assistant","content":[{"type":"text","text":"'"$i"'"}]}}'
		done
	} > in
	ctx-prune -d pi -s fifo -k 1 -t 1 -b 70 --notice "more before" in > out
	jq -e -s 'map(select(tostring | test("more before"))) |
	    length == 1 and .[0].id == null and .[0].parentId == null' out
	[ "$(ctx-count -d pi --json out | jq .messages)" -eq \
	    "$(($(wc -l < out) - 1))" ]
}

@test "copilot-cli: each event names the nearest kept event before it" {
	f=$BATS_TEST_DIRNAME/corpus/copilot-cli/session.jsonl
	for more in "" "--notice <omitted>" "-s summarize"; do
		# shellcheck disable=SC2086 # options
		ctx-prune -b 110 -k 1 -t 0 $more "$f" > out
		[ "$(wc -l < out)" -lt "$(wc -l < "$f")" ]
		jq -se '[.[].id] as $ids | [.[].parentId] ==
		    [null] + $ids[:-1]' out
	done
}

@test "gemini-cli: the response inside a result is truncated and keeps its form" {
	local response long
	long=$(printf 'no %.0s' {1..200})
	for response in "{\"output\":\"$long\"}" "{\"error\":\"$long\"}" \
	    "{\"rows\":[1,2],\"text\":\"$long\"}"; do
		jq -nc --argjson response "$response" '{id: "m", type: "gemini",
		    content: "", timestamp: "2026-11-10T09:00:51Z",
		    toolCalls: [{id: "c", name: "f", args: {},
			status: "success", result: [{functionResponse:
			{id: "c", name: "f", response: $response}},
			{text: "also this"}]}]}' > in
		for limit in 8 50 300; do
			ctx-truncate -d gemini-cli -l $limit in > out
			[ "$(wc -c < out)" -lt "$(wc -c < in)" ]
			# As Gemini CLI takes them: parts, or a text.
			jq -e '.toolCalls[0].result | type == "string" or
			    (.[0].functionResponse | .id == "c" and
			     .name == "f" and (.response | length == 1))' out
		done
	done
}

@test "copilot-cli: a result is truncated, its text for display is unchanged" {
	f=$BATS_TEST_DIRNAME/corpus/copilot-cli/session.jsonl
	ctx-truncate -l 20 "$f" > out
	jq -se '[.[].data.result? // empty] | any(.content | contains("exited") | not)
	    and any(.detailedContent == "diff --git a/parse.c b/parse.c")' out
	ctx-check out
}

@test "-v counts a message once if its reasoning is removed in several lines" {
	jq -nc '
	    def block($type; $more): {type: $type} + $more;
	    def said($id; $block): {id: $id, role: "assistant",
		model: "claude-opus-5-5", content: [$block]};
	    def thought: block("thinking"; {thinking: "hm", signature: "c2ln"});
	    def answered($id): said("m\($id)"; thought, thought,
		    block("tool_use"; {id: $id, name: "f", input: {}})),
		{role: "user", content: [block("tool_result"; {
		    tool_use_id: $id, content: ("a long result " * 50)})]};
	    [{role: "user", content: "go"}, answered("a"), answered("b"),
		answered("c"), said("end"; thought, block("text"; {text: "ok"}))] |
	    to_entries[] | {type: .value.role, uuid: "u\(.key)",
		parentUuid: (if .key > 0 then "u\(.key - 1)" else null end),
		message: .value}' > in
	# The messages b, c and end are after the first change.
	for command in "ctx-truncate -l 100" "ctx-age -k 0 -o 100"; do
		$command -v in 2> err > out
		grep -q "removed signed reasoning from 3 messages" err ||
			fail "$command: $(cat err)"
		[ "$(grep -c signature out)" -eq 2 ]
		$command --reasoning keep in 2> err > out
		grep -q "kept the signed reasoning of 3 messages" err ||
			fail "$command: $(cat err)"
	done
}
