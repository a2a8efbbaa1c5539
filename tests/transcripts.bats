# What is live in the transcripts of agents, and what pruning leaves of them.
# live.jq finds independently which lines an agent would send.

load helper

AGENTS="claude-code claude-stream codex copilot-cli gemini-cli pi"

live() { # DIALECT FILE
	jq -sc --arg dialect "$1" -f "$BATS_TEST_DIRNAME/live.jq" "$2"
}

counted() { # FILE
	ctx-count --per message --json "$1" | jq -sc 'map(.line)'
}

# Calls "$@" DIALECT FILE for every file of the corpus.
every_file() {
	local d f
	for d in $AGENTS; do
		for f in "$BATS_TEST_DIRNAME"/corpus/"$d"/*.jsonl; do
			echo "# $d $f"
			"$@" "$d" "$f"
		done
	done
}

same_lines() { # DIALECT FILE
	[ "$(live "$1" "$2")" = "$(counted "$2")" ] ||
		fail "live $(live "$1" "$2"), counted $(counted "$2")"
}

# A random transcript: awk program DIALECT, seed, lines.
random() {
	awk -v seed="$2" -v n="$3" '
	function r(k) { return int(rand() * k) }
	function id(i) { return sprintf("\"%08x\"", i * 7919 + 17) }
	function some() { return r(12) == 0 ? "null" : id(r(12) ? r(i) : 9999) }
	function up() { return i && r(5) ? id(i - 1) : i ? some() : "null" }
	function text() { return "\"text " r(1000) "\"" }
	function claude(   t, p) {
		p = up()
		t = r(9)
		printf "{\"parentUuid\":%s,\"uuid\":%s,\"sessionId\":\"s\"", p, id(i)
		if (!r(12)) printf ",\"isSidechain\":true"
		if (!r(12)) printf ",\"isMeta\":true"
		if (!r(30)) printf ",\"isApiErrorMessage\":true"
		if (t < 5 && (p in open)) {
			printf ",\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":%s,\"content\":%s}]}}\n", p, text()
			delete open[p]
		} else if (t < 3)
			printf ",\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":%s}}\n", text()
		else if (t < 7) {
			said += r(3) == 0
			open[id(i)]
			printf ",\"type\":\"assistant\",\"message\":{\"role\":\"assistant\",\"id\":\"m%d\",\"content\":[{\"type\":\"tool_use\",\"id\":%s,\"name\":\"f\",\"input\":{}}]}}\n", said, id(i)
		} else
			printf ",\"type\":\"%s\"}\n", r(2) ? "progress" : "system"
	}
	function pi(   t) {
		t = r(14)
		printf "{\"id\":%s,\"parentId\":%s,\"timestamp\":\"t\"", id(i), up()
		if (t < 11)
			printf ",\"type\":\"message\",\"message\":{\"role\":\"%s\",\"content\":%s%s}}\n", t < 6 ? "user" : "assistant", text(), t == 10 ? ",\"stopReason\":\"error\"" : ""
		else if (t == 11)
			printf ",\"type\":\"compaction\",\"summary\":%s,\"firstKeptEntryId\":%s}\n", text(), id(r(i))
		else
			printf ",\"type\":\"%s\"}\n", t == 12 ? "label" : "model_change"
	}
	function gemini(   t) {
		t = r(16)
		if (t == 0)
			printf "{\"$rewindTo\":%s}\n", some() == "null" ? "\"no\"" : id(r(i))
		else if (t == 1)
			printf "{\"$set\":{\"lastUpdated\":%s}}\n", text()
		else if (t == 2 && !r(3))
			printf "{\"$set\":{\"messages\":[{\"id\":\"k\",\"type\":\"user\",\"content\":%s}]}}\n", text()
		else
			printf "{\"id\":%s,\"timestamp\":\"t\",\"type\":\"%s\",\"content\":[{\"text\":%s}]}\n", id(r(5) ? i : r(i)), t < 8 ? "user" : t < 15 ? "gemini" : "info", text()
	}
	function codex(   t) {
		t = r(16)
		printf "{\"timestamp\":\"t\",\"type\":\"%s\",\"payload\":", t < 13 ? "response_item" : t < 15 ? "event_msg" : "compacted"
		if (t < 5)
			printf "{\"type\":\"message\",\"role\":\"user\",\"content\":[{\"type\":\"input_text\",\"text\":%s}]}}\n", r(4) ? text() : "\"<environment_context>x\""
		else if (t < 13)
			printf "{\"type\":\"message\",\"role\":\"%s\",\"content\":[{\"type\":\"%s_text\",\"text\":%s}]}}\n", t < 11 ? "assistant" : "developer", t < 11 ? "output" : "input", text()
		else if (t < 15)
			printf "{\"type\":\"thread_rolled_back\",\"num_turns\":%d}}\n", r(3)
		else if (!r(3))
			printf "{\"message\":\"\",\"replacement_history\":[]}}\n"
		else
			printf "{\"message\":%s}}\n", text()
	}
	BEGIN {
		srand(seed)
		if ("'"$1"'" == "pi")
			print "{\"type\":\"session\",\"id\":\"s\",\"cwd\":\"/\"}"
		for (i = 0; i < n; i++)
			if ("'"$1"'" == "claude-code") claude()
			else if ("'"$1"'" == "pi") pi()
			else if ("'"$1"'" == "codex") codex()
			else gemini()
	}' < /dev/null
}

@test "the corpus counts as what the agent would send" {
	every_file same_lines
}

@test "random trees and logs count as what the agent would send" {
	for d in claude-code pi gemini-cli codex; do
		for ((i = 1; i <= ${CHECK_LONG:-6}; i++)); do
			random $d $i $((i % 5 * 12 + 4)) > random.jsonl
			echo "# $d, seed $i"
			same_lines $d random.jsonl
		done
	done
}

@test "each transcript is detected by its first line" {
	every_file known
}
known() {
	run -0 sh -c "ctx-count -v '$2' 2>&1 > /dev/null"
	[[ $output == "ctx-count: dialect $1, detected by "* ]]
}

@test "the lines of one response are one message, and their usage counts once" {
	f=$BATS_TEST_DIRNAME/corpus/claude-code/session.jsonl
	responses=$(jq -r 'select(.type == "assistant") | .message.id' "$f" |
		sort -u | wc -l)
	[ "$(ctx-count --per role --json "$f" |
		jq 'select(.role == "assistant") | .messages')" -eq "$responses" ]
	# Split in lines or not, a response costs the same.
	head -n 6 "$f" | tail -n 1 > one
	jq -c '.message.content = "a"' one > a
	jq -c '.uuid = "n" | .parentUuid = "p" | .type = "assistant" |
		.message = {id: "m", role: "assistant", content: [
		{type: "text", text: "one"}, {type: "text", text: "two"}]}' a > whole
	{
		jq -c '.message.content |= .[:1]' whole
		jq -c '.uuid = "o" | .parentUuid = "n" |
			.message.content |= .[1:]' whole
	} > split
	[ "$(tokens whole)" -eq "$(tokens split)" ]
	[ "$(ctx-count --json split | jq .messages)" -eq 1 ]
}

@test "the model named in a transcript sets window and encoding" {
	[ "$(ctx-count --json "$BATS_TEST_DIRNAME"/corpus/codex/rollout.jsonl |
		jq .window)" -gt 200000 ]
	f=$BATS_TEST_DIRNAME/corpus/pi/session.jsonl
	[[ $(ctx-count --json "$f" | jq -r .model) == claude* ]]
	# Without -b the budget is that window.
	ctx-prune "$f" > out
	cmp "$f" out
	# What Claude Code says itself is of none.
	for id in '"sessionId":"s"' '"session_id":"s"'; do
		sed "s/ID/$id/" > in <<-'X'
			{"type":"user","uuid":"a",ID,"message":{"role":"user","content":"go"}}
			{"type":"assistant","uuid":"b","parentUuid":"a",ID,"message":{"id":"m","role":"assistant","model":"claude-sonnet-4-5","content":[{"type":"text","text":"so"}]}}
			{"type":"assistant","uuid":"c","parentUuid":"b",ID,"message":{"id":"n","role":"assistant","model":"<synthetic>","content":[{"type":"text","text":"No response requested."}]}}
		X
		[ "$(ctx-count --json in | jq -c '[.messages, .model, .window]')" = \
		    '[3,"claude-sonnet-4-5",200000]' ] || fail "$id"
	done
}

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
	    "$(printf '%s\n' '1 user pinned-fifo drop 7 0' \
		'2 assistant pinned-fifo drop 7 0' '3  links relink  ' \
		'4 user links relink 5 5')" ]
	ctx-prune -s pinned-fifo -n -k 1 -t 0 -b 9 t.jsonl > plan
	grep -q '^  relink links  *1 messages  *0 tokens$' plan
	grep -q '^  relink links  *1 lines$' plan
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

# Runs a command over the file in, as standard input and through a pipe.
# Output, reports, messages and status must be equal.
same_in_passes() { # COMMAND...
	local from
	for from in file pipe; do
		rm -rf spool explain
		case $from in
		file) "$@" < in > out-$from 2> err-$from ;;
		pipe) cat in | "$@" > out-$from 2> err-$from ;;
		esac || echo "status $?" >> err-$from
		[ ! -e explain ] || cat explain >> out-$from
	done
	cmp out-file out-pipe || fail "$*: output"
	cmp err-file err-pipe || fail "$*: messages"
}

# Every command over the file in, with the options "$@".
every_command_in_passes() {
	same_in_passes ctx-count "$@" --per message --json
	same_in_passes ctx-count "$@" --annotate -j 2
	same_in_passes ctx-check "$@" --repair
	same_in_passes ctx-prune "$@" -b 300 -k 1 -t 1 --explain explain
	same_in_passes ctx-prune "$@" -b 300 -s recall --query a -j 2
	same_in_passes ctx-truncate "$@" -l 20 --media 1 --explain explain
	same_in_passes ctx-age "$@" -S spool -k 1 -o 10
	same_in_passes ctx-restore "$@"
	same_in_passes ctx-cache "$@" --provider anthropic
}

@test "every command gives the same for a file and for a pipe" {
	for d in $AGENTS; do
		cp "$(ls "$BATS_TEST_DIRNAME/corpus/$d"/*.jsonl | tail -n 1)" $d.jsonl
	done
	random claude-code 7 40 > random-tree.jsonl
	random codex 8 40 > random-log.jsonl
	for f in *.jsonl; do
		echo "# $f"
		cp "$f" in
		every_command_in_passes
		# A byte order mark, blank lines, CRLF and no last line feed.
		awk -v mark="$(printf '\357\273\277')" '
			NR == 1 { printf "%s\r\n", mark }
			{ printf "%s%s", (NR > 1 ? "\r\n" : ""), $0 }
			NR % 5 == 0 { printf "\r\n  \r" }' "$f" > in
		every_command_in_passes
		# A line that is not JSON, and a last one that was cut off.
		awk 'NR == 4 { print "{\"type\":" } { print }' "$f" |
			head -c -20 > in
		every_command_in_passes
		every_command_in_passes --lenient
		# Values that continue on the next line.
		jq . "$f" > in
		every_command_in_passes
	done
}

@test "several transcripts give the same for files and for pipes" {
	for d in $AGENTS; do
		f=$(ls "$BATS_TEST_DIRNAME/corpus/$d"/*.jsonl | head -n 1)
		# The last line of the first file has no line feed.
		printf %s "$(cat "$f")" > one
		for options in "ctx-prune -b 300 -k 1 -t 1" "ctx-truncate -l 9" \
		    "ctx-count --annotate -j 3" "ctx-age --mask -k 1 -o 9"; do
			echo "# $d: $options"
			# shellcheck disable=SC2086 # words
			{
				$options one "$f" "$chat" - < "$f" > files || :
				cat "$f" | $options <(cat one) <(cat "$f") \
				    <(cat "$chat") - > pipes || :
			}
			cmp files pipes
			[ -s files ]
		done
	done
}

# 10,000 messages.
long_session() {
	awk 'BEGIN {
		for (i = 0; i < 10000; i++)
			printf "{\"type\":\"user\",\"uuid\":\"%05d\",\"parentUuid\":%s,\"sessionId\":\"s\",\"message\":{\"role\":\"user\",\"content\":\"text %05d\"}}\n", i, i ? sprintf("\"%05d\"", i - 1) : "null", i
	}' < /dev/null
}

# Changes the file session by "$@" once the first line of the second pass was
# read; it cannot continue before its output is read, which is then in out.
change_while_read() {
	rm -f pipe
	mkfifo pipe
	${reader:-ctx-truncate -l 0} session > pipe 2> err &
	pid=$!
	exec 8< pipe
	head -c 1 <&8 > out
	"$@"
	cat <&8 >> out
	exec 8<&-
	rc=0
	wait $pid || rc=$?
}
write_session() {
	cat new > session
}
append_session() {
	head -n 1 new >> session
}

@test "a transcript that is changed while it is read is refused" {
	long_session > old
	for edit in 's/text 09999/text 00000/' '9999d' '9999s/$/ /' 's/text/test/' \
	    '9000,$d' '9999s/^.//'; do
		cp old session
		sed "$edit" old > new
		change_while_read write_session
		[ $rc -eq 2 ]
		grep -q "^ctx-truncate: session:[0-9:]* the file changed while" err ||
			fail "$edit: $(cat err)"
		# The lines before the change are written.
		cmp -n "$(wc -c < out)" old out
		[ "$(wc -l < out)" -gt 1 ]
		[ "$(wc -l < out)" -lt 10000 ]
	done
}

# A rollout of Codex: $1 turns, each with an event of $2 bytes.
rollout() {
	awk -v turns="$1" -v bytes="$2" 'BEGIN {
		pad = sprintf("%*s", bytes, "")
		gsub(" ", "x", pad)
		for (i = 0; i < turns; i++) {
			printf "{\"timestamp\":\"2026-11-10T09:00:07.542Z\",\"type\":\"event_msg\",\"payload\":{\"type\":\"agent_message\",\"message\":\"%d %s\"}}\n", i, pad
			printf "{\"timestamp\":\"2026-11-10T09:00:07.542Z\",\"type\":\"response_item\",\"payload\":{\"type\":\"message\",\"role\":\"user\",\"content\":[{\"type\":\"input_text\",\"text\":\"Please find out why %d.\"}]}}\n", i
			printf "{\"timestamp\":\"2026-11-10T09:00:07.542Z\",\"type\":\"response_item\",\"payload\":{\"type\":\"message\",\"role\":\"assistant\",\"content\":[{\"type\":\"output_text\",\"text\":\"All pass now %d.\"}]}}\n", i
		}
	}' < /dev/null
}

@test "ctx-prune holds no lines of a transcript that are not messages" {
	rollout 30000 2000 > session
	limit=60000
	(ulimit -v $limit && ctx-prune -V > /dev/null 2>&1) || limit=unlimited
	[ $limit = 60000 ] || [[ $B != */release ]]
	(ulimit -v $limit && ctx-prune -s pinned-fifo -b 2000 session > out)
	[ "$(grep -c response_item out)" -lt 1000 ]
	cmp <(grep event_msg session) <(grep event_msg out)
	cmp <(tail -n 101 session) <(tail -n 101 out)
}

@test "ctx-prune writes the same for a large transcript and for a pipe" {
	{
		rollout 3000 100
		# blank lines, after an event and after a message
		rollout 1000 200 | sed '3~9s/$/\n  /; 4~9s/$/\n/'
		tail -n +2 "$BATS_TEST_DIRNAME/corpus/codex/rollout.jsonl"
		rollout 2000 10 | sed '1~3p'
	} > in
	for strategy in pinned-fifo middle-out window recall salient heuristic \
	    summarize; do
		rm -f archive
		same_in_passes ctx-prune -s $strategy -b 3000 -k 2 -t 2
		same_in_passes ctx-prune -s $strategy -b 900 --notice gone
		same_in_passes ctx-prune -s $strategy -b 900 -l aggressive \
		    --explain explain --archive archive
	done
	ctx-prune -b 900 in > out
	[ "$(wc -c < in)" -gt 1000000 ]
	[ "$(grep -c . out)" -gt 6000 ]
}

@test "a line that is not a message must not change before it is written" {
	rollout 4000 2000 > old
	for edit in '9001s/x/y/' '9001s/x//' '9001,$d'; do
		cp old session
		sed "$edit" old > new
		reader="ctx-prune -b 900" change_while_read write_session
		[ $rc -eq 2 ]
		grep -q "^ctx-prune: session:[0-9:]* the file changed" err ||
			fail "$edit: $(cat err)"
		cmp -n "$(wc -c < out)" <(grep event_msg old) out
		[ "$(wc -l < out)" -eq 3000 ]
	done
}

@test "a message that is kept must not change before it is written" {
	rollout 4000 2000 > old
	cp old session
	sed '11999s/Please/please/' old > new
	reader="ctx-prune -b 900" change_while_read write_session
	[ $rc -eq 2 ]
	grep -q "^ctx-prune: session:11999: the file changed while" err ||
		fail "$(cat err)"
	[ "$(grep -c response_item out)" -lt 100 ]
	run ! grep -q "out 3999" out
	# A message that was removed is not read again.
	cp old session
	sed '2s/Please/please/' old > new
	reader="ctx-prune -b 900" change_while_read write_session
	[ $rc -eq 0 ]
	ctx-prune -b 900 old | cmp - out
}

@test "lines appended to a transcript while it is read are not read" {
	long_session > session
	cp session new
	change_while_read append_session
	[ $rc -eq 0 ]
	cmp new out
	[ "$(wc -l < session)" -eq 10001 ]
}

@test "a transcript before a file that cannot be read is written" {
	f=$BATS_TEST_DIRNAME/corpus/codex/rollout.jsonl
	for before in "$f" "$chat"; do
		run -2 ctx-truncate -l 0 "$before" missing
		[[ ${lines[-1]} == "ctx-truncate: missing: cannot open: "* ]]
		ctx-truncate -l 0 "$before" missing 2> err | cmp - "$before"
	done
}

@test "a transcript in a file is not kept in memory" {
	# A sanitizer takes all the addresses there are.
	limit=100000
	(ulimit -v $limit && ctx-prune -V > /dev/null 2>&1) || limit=unlimited
	awk 'BEGIN {
		for (x = "word "; length(x) < 1000000;)
			x = x x
		for (i = 0; i < 120; i++)
			printf "{\"timestamp\":\"t\",\"type\":\"response_item\",\"payload\":{\"type\":\"message\",\"role\":\"%s\",\"content\":[{\"type\":\"input_text\",\"text\":\"%s\"}]}}\n", i % 2 ? "assistant" : "user", x
	}' < /dev/null > rollout
	(
		ulimit -v $limit
		ctx-prune -s pinned-fifo -e bytes/4 -b 1M -k 1 -t 1 rollout > out
		for strategy in salient heuristic summarize; do
			ctx-prune -s $strategy -e bytes/4 -b 1M rollout > held
			[ "$(wc -l < held)" -lt 6 ]
		done
		ctx-truncate -l 0 rollout | cmp - rollout
		[ "$(ctx-count -e bytes/4 --json rollout | jq .messages)" -eq 120 ]
		# The limit has an effect.
		[ $limit = unlimited ] || {
			run -2 sh -c "cat rollout | ctx-count -e bytes/4"
			[[ $output == *"out of memory" ]]
		}
	)
	[ "$(wc -l < out)" -gt 1 ]
	[ "$(wc -l < out)" -lt 6 ]
}

@test "pi: sessions of version 1 have no ids, and each line follows the one before" {
	cat > v1.jsonl <<-'EOF'
	{"type":"session","id":"s","timestamp":"t","cwd":"/"}
	{"type":"message","timestamp":"t","message":{"role":"user","content":"one"}}
	{"type":"message","timestamp":"t","message":{"role":"assistant","content":"two"}}
	{"type":"message","timestamp":"t","message":{"role":"user","content":"three"}}
	EOF
	[ "$(counted v1.jsonl)" = "[2,3,4]" ]
	ctx-prune -k 1 -t 0 -b 9 v1.jsonl > out
	sed -n '1p;4p' v1.jsonl | cmp - out
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

@test "codex: a message of another agent is read and opens no turn" {
	codex="$BATS_TEST_DIRNAME"/corpus/codex/rollout.jsonl
	head -n 4 "$codex" > in
	echo '{"timestamp":"2026-11-10T09:01:00Z","type":"inter_agent_communication","payload":{"author":"/root/reader","content":"The third file has no tests."}}' >> in
	head -n 4 "$codex" | ctx-count --json > before
	ctx-count --json in > after
	[ "$(jq .messages after)" -eq $(($(jq .messages before) + 1)) ]
	[ "$(jq .chars after)" -ge $(($(jq .chars before) + 28)) ]
	[ "$(ctx-count --per turn in | wc -l)" -eq \
	    "$(head -n 4 "$codex" | ctx-count --per turn | wc -l)" ]
	ctx-truncate --message-limit 12 in | tail -n 1 > cut
	jq -e '.payload.content | length < 28' cut
}

@test "codex: a compaction counts as its replacement history, item by item" {
	compacted() {
		jq -nc --argjson history "$1" '{timestamp:
		    "2026-11-10T09:00:51Z", type: "compacted", payload:
		    {message: "in short", replacement_history: $history}}' > in
		ctx-count -d codex --json in | jq .tokens
	}
	text='{"type":"message","role":"user","content":[{"type":"input_text","text":"one two three"}]}'
	image='{"type":"message","role":"user","content":[{"type":"input_image","image_url":"x"}]}'
	sealed='{"type":"compaction","encrypted_content":"c28gbXVjaCB0byBrbm93"}'
	other='{"type":"other","of":"a kind that is not known"}'
	was=$(compacted "[$text]")
	[ "$(compacted null)" -ne "$was" ]
	for item in "$text" "$image" "$sealed" "$other"; do
		[ "$(compacted "[$text,$item]")" -gt "$was" ] || fail "$item"
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

@test "gemini-cli: content may be a string, a part, or a list of both" {
	kinds() {
		jq -c '{id: "m", timestamp: "2026-11-10T09:00:51Z"} + .' > in
		ctx-count -d gemini-cli --per kind --json in |
		    jq -rs 'map(.kind) - ["framing"] | sort | join(" ")'
	}
	[ "$(kinds <<< '{"type":"gemini","content":"hi"}')" = text ]
	[ "$(kinds <<< '{"type":"gemini","content":{"text":"hi"}}')" = text ]
	[ "$(kinds <<< '{"type":"user","content":{"functionResponse":
	    {"id":"c","name":"f","response":{"output":"x"}}}}')" = result ]
	[ "$(kinds <<< '{"type":"gemini","content":["hi",{"text":"so","thought":
	    true},{"functionCall":{"id":"c","name":"f","args":{}}},{"inlineData":
	    {"mimeType":"image/png","data":"AAAA"}},{"executableCode":{}}]}')" = \
	    "call media opaque reasoning text" ]
	# A call that was not made has no result.
	[ "$(kinds <<< '{"type":"gemini","content":"","toolCalls":[{"id":"c",
	    "name":"f","args":{},"status":"cancelled","result":null}]}')" = call ]
}

@test "gemini-cli: a result of several parts is read part by part" {
	result() {
		jq -nc --arg text "$1" '{id: "m", type: "gemini", content: "",
		    timestamp: "2026-11-10T09:00:51Z", toolCalls: [{id: "c",
		    name: "f", args: {}, status: "success", result: [
			{functionResponse: {id: "c", name: "f",
			    response: {error: $text}}},
			{text: "also this"}]}]}' > in
		ctx-count -d gemini-cli --per kind --json in |
		    jq 'select(.kind == "result") | .tokens'
	}
	[ "$(result "$(printf 'no %.0s' {1..200})")" -ge $(($(result x) + 199)) ]
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

@test "codex: a rollback removes the context inserted before its turn, too" {
	local environment='<environment_context>x</environment_context>'
	line() { # role, kind of text, text
		printf '{"timestamp":"t","type":"response_item","payload":{"type":"message","role":"%s","content":[{"type":"%s","text":"%s"}]}}\n' \
		    "$@"
	}
	left() {
		ctx-count -d codex --json in | jq .messages
	}
	{
		line user input_text "$environment"
		line user input_text one
		line assistant output_text two
	} > first
	{
		cat first
		line user input_text "$environment"
		line user input_text three
		line assistant output_text four
		echo '{"timestamp":"t","type":"event_msg","payload":{"type":"thread_rolled_back","num_turns":1}}'
	} > in
	[ "$(left)" -eq 3 ]
	# What stands before the first turn is for all.
	tail -n 1 in >> in
	[ "$(left)" -eq 1 ]
}

@test "codex: a rollback with an invalid number of turns removes nothing" {
	line() { # role, kind of text, text as JSON
		printf '{"timestamp":"t","type":"response_item","payload":{"type":"message","role":"%s","content":[{"type":"%s","text":%s}]}}\n' \
		    "$@"
	}
	back() { # rest of the payload
		{
			cat in
			echo "{\"timestamp\":\"t\",\"type\":\"event_msg\",\"payload\":{\"type\":\"thread_rolled_back\"$1}}"
		} | ctx-count -d codex --json | jq .messages
	}
	{
		line user input_text '"one"'
		line assistant output_text '"two"'
	} > in
	for turns in '' ',"num_turns":"1"' ',"num_turns":0' ',"num_turns":null'; do
		[ "$(back "$turns")" -eq 2 ] || fail "$turns"
	done
	[ "$(back ',"num_turns":1')" -eq 0 ]
	# What only begins as the agent's own texts do is a turn.
	for text in '"<environment"' '" "' 7; do
		line user input_text "$text" > in
		line user input_text '"one"' >> in
		[ "$(back ',"num_turns":1')" -eq 1 ] || fail "$text"
		[ "$(back ',"num_turns":2')" -eq 0 ] || fail "$text"
	done
}

@test "gemini-cli: a result without a response is read by its text" {
	result() { # text
		jq -nc --arg text "$1" '{id: "m", type: "gemini", content: "",
		    timestamp: "t", toolCalls: [{id: "c", name: "f", args: {},
		    status: "success", result: [{text: $text}]}]}' |
		    ctx-count -d gemini-cli --per kind --json |
		    jq 'select(.kind == "result") | .tokens'
	}
	[ "$(result "$(printf 'no %.0s' {1..200})")" -ge $(($(result x) + 199)) ]
}

@test "a line without its message is not a message, but a link between others" {
	{
		echo '{"type":"user","uuid":"a","parentUuid":null,"sessionId":"s","message":{"role":"user","content":"one"}}'
		echo '{"type":"user","uuid":"b","parentUuid":"a","sessionId":"s"}'
		echo '{"type":"user","uuid":"c","parentUuid":"b","sessionId":"s","message":{"role":"user","content":"two"}}'
	} > claude
	{
		echo '{"type":"session","id":"s","cwd":"/"}'
		echo '{"type":"message","id":"a","parentId":null,"message":{"role":"user","content":"one"}}'
		echo '{"type":"message","id":"b","parentId":"a","message":{"content":"x"}}'
		echo '{"type":"message","id":"c","parentId":"b","message":{"role":"user","content":"two"}}'
	} > pi
	# One that says nothing is none, either.
	jq -c 'select(.uuid == "b").message = {}' claude > empty
	for file in claude empty pi; do
		[ "$(ctx-count --json $file | jq .messages)" -eq 2 ]
		ctx-prune -b 1M $file | cmp - $file
	done
}

# A line of Claude Code: type, id, parent as JSON, text.
claude_line() {
	printf '{"type":"%s","uuid":"%s","parentUuid":%s,"sessionId":"s","message":{"role":"%s","content":"%s"}}\n' \
	    "$1" "$2" "$3" "$1" "$4"
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

@test "inactive lines that end in one message lead to that message" {
	{
		claude_line user a null one
		claude_line assistant b '"a"' two
		echo '{"type":"progress","uuid":"l","parentUuid":"b","sessionId":"s"}'
		echo '{"type":"progress","uuid":"m","parentUuid":"l","sessionId":"s"}'
		echo '{"type":"progress","uuid":"n","parentUuid":"l","sessionId":"s"}'
	} > in
	[ "$(counted in)" = "[1,2]" ]
	# Of no message at all there is no tip.
	echo '{"type":"session","id":"s","cwd":"/"}' > in
	echo '{"type":"label","id":"x","parentId":null,"timestamp":"t"}' >> in
	[ "$(ctx-count -d pi --json in | jq .messages)" -eq 0 ]
	ctx-prune -d pi -b 10 in | cmp - in
	echo '{"type":"session","id":"s","cwd":"/"}' > in
	[ "$(ctx-count -d pi --json in | jq .messages)" -eq 0 ]
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

@test "copilot-cli: commands of the user and events of subagents do not count" {
	printf '%s\n' \
	    '{"type":"user.message","data":{"content":"a","transformedContent":"a b c d"},"id":"1","timestamp":"t","parentId":null}' \
	    '{"type":"tool.execution_complete","data":{"toolCallId":"x","isUserRequested":true,"success":true,"result":{"content":"long text"}},"id":"2","timestamp":"t","parentId":"1"}' \
	    '{"type":"assistant.message","agentId":"s","data":{"content":"long text"},"id":"3","timestamp":"t","parentId":"2"}' > in
	ctx-count --json in | jq -e '.messages == 1 and .chars == 7 and
	    .dialect == "copilot-cli"'
	# A content that is no string is not known, and no failure.
	sed 's/"content":"a"/"content":["a",{}]/; s/,"transformedContent":"a b c d"//' in |
	    ctx-count --json | jq -e '.messages == 1'
}

@test "copilot-cli: attached images and images in results are counted" {
	png=$(printf '\211PNG\r\n\032\n\0\0\0\rIHDR\0\0\004\0\0\0\004\0' | base64 -w 0)
	cat > s <<-EOF
	{"type":"session.start","data":{"sessionId":"s","version":1,"producer":"copilot-agent"},"id":"e1","timestamp":"2026-09-09T14:54:06.000Z","parentId":null}
	{"type":"system.message","data":{"content":"Be short."},"id":"e2","timestamp":"2026-09-09T14:54:07.000Z","parentId":"e1"}
	{"type":"user.message","data":{"content":"What is in it?","attachments":[{"type":"blob","data":"$png"},{"type":"file","path":"a.c"}]},"id":"e3","timestamp":"2026-09-09T14:54:08.000Z","parentId":"e2"}
	{"type":"assistant.message","data":{"messageId":"m1","content":"I look.","toolRequests":[{"toolCallId":"t1","name":"view","arguments":{},"type":"function"}]},"id":"e4","timestamp":"2026-09-09T14:54:09.000Z","parentId":"e3"}
	{"type":"tool.execution_complete","data":{"toolCallId":"t1","success":true,"result":{"content":"an image","binaryResultsForLlm":[{"type":"image","data":"$png"}]}},"id":"e5","timestamp":"2026-09-09T14:54:10.000Z","parentId":"e4"}
	EOF
	ctx-count --per message --json s > all
	[ "$(jq -rc '[.role, .kind]' all | tr '\n' ' ')" = '["system","text"] ["user","media"] ["assistant","call"] ["tool","result"] ' ] ||
		fail "$(cat all)"
	sed 's/"attachments":\[[^]]*\]/"attachments":[]/; s/,"binaryResultsForLlm":\[[^]]*\]//' s |
		ctx-count --per message --json > none
	# An image of 1024 by 1024 pixels, in the user's message and in the result.
	[ "$(jq -s '[.[].tokens] | add' none)" -lt 40 ]
	[ "$(jq -s '[.[].tokens | select(. > 700)] | length' all)" -eq 2 ]
}

@test "copilot-cli: a result is truncated, its text for display is unchanged" {
	f=$BATS_TEST_DIRNAME/corpus/copilot-cli/session.jsonl
	ctx-truncate -l 20 "$f" > out
	jq -se '[.[].data.result? // empty] | any(.content | contains("exited") | not)
	    and any(.detailedContent == "diff --git a/parse.c b/parse.c")' out
	ctx-check out
}
