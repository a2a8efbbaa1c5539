# What people see: the output of commands on a terminal

load helper

# Runs a shell command on a terminal of its own, of $2 columns (80). What it
# prints there is in tty.
on_terminal() {
	command -v script > /dev/null || fail "no script(1) here"
	TERM=xterm script -qec "stty cols ${2:-80}; $1" raw < /dev/null |
	    tr -d '\r' > tty
}

# Lines of Claude Code with one answer, which was billed 12,345 tokens.
billed_session() {
	cat << 'X'
{"type":"user","uuid":"1","parentUuid":null,"message":{"role":"user","content":"Oslo?"}}
{"type":"assistant","uuid":"2","parentUuid":"1","message":{"id":"m","role":"assistant","model":"claude-opus-4-8","content":[{"type":"text","text":"4C."}],"usage":{"input_tokens":345,"cache_read_input_tokens":12000,"output_tokens":5}}}
X
}

@test "ctx-count prints a header, groups of three digits and what ~ means" {
	on_terminal "ctx-count $agent" 120
	[ "$(head -n 1 tty | xargs)" = "tokens messages chars name" ]
	want=$(ctx-count --json "$agent" | jq -r '"\(.tokens) \(.messages) \(.chars)"')
	[ "$(sed -n 2p tty | tr -d ',~' | awk '{ print $1, $2, $3 }')" = "$want" ]
	grep -q '^~110,302  *306  336,729  ' tty
	grep -q '^~ is an estimate: ' tty
	# Numbers stand below the ends of their heads.
	head -n 1 tty | grep -q '^  tokens  messages    chars  name$'
	on_terminal "ctx-count --per kind $agent" 120
	[ "$(head -n 1 tty | xargs)" = "tokens messages kind" ]
	on_terminal "ctx-count -m gpt-4o $chat"
	run ! grep -q '~' tty
	on_terminal "ctx-count -m gpt-4o $agent"
	[ "$(head -n 1 tty | xargs)" = "tokens messages chars window used left name" ]
	[ "$(sed -n 2p tty | awk '{ print $1, $4, $5, $6 }')" = "~110,302 128,000 86.2% 17,698" ]
	# A negative number, and none.
	on_terminal "ctx-count -m gpt-4o --window 1 $agent"
	grep -q ' -110,301  ' tty
	: > none
	on_terminal "ctx-count none"
	[ "$(sed -n 2p tty | awk '{ print $1, $2, $3, $4 }')" = "0 0 0 none" ]
}

@test "ctx-count: a terminal shows what was billed, a pipe of the same command does not" {
	billed_session > s.jsonl
	on_terminal "ctx-count s.jsonl" 120
	[ "$(head -n 1 tty | xargs)" = \
	    "tokens messages chars window used left billed after name" ]
	left=$(ctx-count --json s.jsonl | jq .billed_left)
	[ "$(sed -n 2p tty | tr -d , | awk '{ print $5, $6, $7, $9 }')" = \
	    "1.2% $left 12345 s.jsonl" ] || fail "$(cat tty)"
	grep -q '^used and left are computed from billed (the input of the last request' tty
	on_terminal "ctx-count s.jsonl" 40
	[ "$(head -n 1 tty | xargs)" = "tokens used billed name" ]
	grep -q '^used and left are computed' tty
	on_terminal "ctx-count s.jsonl | cat"
	ctx-count s.jsonl | cmp - tty
	on_terminal "ctx-count --billed never s.jsonl" 120
	[ "$(head -n 1 tty | xargs)" = "tokens messages chars window used left name" ]
	# Nothing is new where nothing is known.
	cp "$chat" chat
	on_terminal "ctx-count chat"
	run ! grep -q 'billed\|after' tty
	# Nor does a gate depend on where the output goes.
	on_terminal "ctx-count --max 100 s.jsonl; echo status \$?"
	grep -qx 'status 0' tty
	on_terminal "ctx-count --billed always --max 100 s.jsonl; echo status \$?"
	grep -qx 'status 1' tty
	on_terminal "ctx-count --per message s.jsonl"
	grep -q ' 12,345  s.jsonl:2 assistant$' tty
}

@test "ctx-count: no line is wider than the terminal; tokens and the name are always there" {
	billed_session > "a file with a name that is longer than forty columns.jsonl"
	cp "$agent" agent.jsonl
	for width in 24 30 40 60 80 120 200; do
		for option in "" "--per tool" "--per role" "--per message" "--top 3"; do
			on_terminal "ctx-count $option *.jsonl" "$width"
			awk -v w="$width" 'length > w { exit 1 }' tty ||
				fail "$width $option: $(awk -v w="$width" 'length > w' tty)"
			[[ $(head -n 1 tty) == *tokens* ]]
		done
	done
	on_terminal "ctx-count --per tool *.jsonl" 40
	head -n 1 tty | grep -q 'tool  *file$'
	grep -q '^~59,191  *run  *.*nt.jsonl$' tty
	grep -q '^~59,191  *run  *total$' tty || fail "$(cat tty)"
	# Rows after those that are held until then.
	for n in {1..2500}; do
		echo "{\"messages\":[{\"role\":\"user\",\"content\":\"$n\"}]}"
	done > many
	on_terminal "ctx-count many"
	[ "$(grep -c 'many:' tty)" -eq 2500 ]
	[ "$(grep -c 'tokens  ' tty)" -eq 1 ]
	tail -n 4 tty | grep -q ' total$'
}

@test "--total adds up turns, roles, tools and kinds of all files, in a pipe only if asked for" {
	for per in role tool kind turn; do
		ctx-count --per $per "$agent" "$chat" > plain
		ctx-count --per $per --total "$agent" "$chat" > with
		n=$(wc -l < plain)
		head -n "$n" with | cmp - plain
		tail -n +$((n + 1)) with > totals
		[ "$(wc -l < totals)" -gt 0 ]
		run ! grep -qv ' total$' totals
		sum() { tr -d '~' | awk '{ n += $1; m += $2 } END { print n, m }'; }
		[ "$(sum < totals)" = "$(sum < plain)" ]
		ctx-count --per $per --total --json "$agent" "$chat" |
		    jq -c "select(.file == \"total\") | [.$per, .tokens]" > got
		ctx-count --per $per --json "$agent" "$chat" | jq -s -c "
		    group_by(.$per) | map([.[0].$per, (map(.tokens) | add)])[]" |
		    sort | diff - <(sort got)
		ctx-count --per $per --total --tsv "$agent" "$chat" |
		    awk -F '\t' '$7 == "total"' | wc -l | grep -qx "$(wc -l < totals)"
	done
	# Models have windows of their own; of all together none is said.
	run -0 ctx-count -m gpt-4o --per role --total --json "$agent" "$chat"
	jq -se 'all(.file != "total" or .window == null)' <<< "$output"
	on_terminal "ctx-count --per role $chat $agent"
	grep -q ' total$' tty
	on_terminal "ctx-count --per role $chat"
	run ! grep -q 'total$' tty
	# All conversations together, in JSON and TSV only if asked for.
	all=$(ctx-count "$agent" "$chat" | tail -n 1 | awk '{ print $1 }')
	[ "~$(ctx-count --json --total "$agent" "$chat" | jq -s '.[2].tokens')" = "$all" ]
	ctx-count --json "$agent" "$chat" | jq -se 'length == 2'
	ctx-count --tsv --total "$agent" "$chat" | tail -n 1 | grep -q "^$all	.*	total$"
	[ "$(ctx-count --tsv "$agent" "$chat" | wc -l)" -eq 3 ]
	[ "$(ctx-count --total "$chat")" = "$(ctx-count "$chat")" ]
}

@test "ctx-count prints the rows that it holds before an error" {
	echo '{"role":"user",}' > bad
	on_terminal "ctx-count $chat bad"
	[ "$(sed -n 1p tty | xargs)" = "tokens messages chars name" ]
	[[ $(sed -n 2p tty) == *chat.jsonl ]]
	[[ $(sed -n 3p tty) == "ctx-count: bad:1:"* ]]
	[ "$(wc -l < tty)" -eq 3 ]
}

@test "--explain=- prints a table for people on a terminal, and JSON in a pipe" {
	cp "$agent" agent.jsonl
	on_terminal "ctx-prune -m gpt-4o -b 90k -n --explain=- agent.jsonl"
	[ "$(head -n 1 tty | xargs)" = "where role tool tokens why" ]
	ctx-prune -m gpt-4o -b 90k -n --explain=- agent.jsonl > lines
	jq -r '"\(.file):\(.line) \(.role) \(.tool) \(.before) -> \(.after) \(.action) \(.rule)"' \
	    lines | tr -s ' ' > want
	[ "$(wc -l < want)" -gt 10 ]
	tail -n +2 tty | tr -d , | tr -s ' ' | diff want -
	grep -qE ' [0-9]+,[0-9]{3} -> [0-9]+ ' tty
	on_terminal "ctx-prune -m gpt-4o -b 90k -n --explain=- agent.jsonl | cat"
	cmp lines tty
	for width in 24 40 72 80 99 100 200; do
		on_terminal "ctx-prune -m gpt-4o -b 90k -n --explain=- agent.jsonl
		    ctx-age -n --explain=- agent.jsonl" "$width"
		awk -v w="$width" 'length > w { exit 1 }' tty ||
			[ "$width" -lt 40 ] || fail "$width: $(cat tty)"
		grep -q '  why$' tty
	done
	on_terminal "sed 40d agent.jsonl > orphan; ctx-check --repair -n --explain=- orphan"
	[ "$(sed -n 2p tty | xargs)" = "orphan:39 assistant insert orphan-call" ]
	printf '%s\n' '{"parentUuid":null,"type":"user","uuid":"a","message":{"role":"user","content":"one two three"}}' \
	    '{"parentUuid":"a","type":"user","uuid":"b","message":{"role":"user","content":"four"}}' > linked
	on_terminal "ctx-prune -s pinned-fifo -k 1 -t 0 -b 5 -n --explain=- linked" 100
	[ "$(sed -n 3p tty | xargs)" = "linked:2 user 3 -> 3 edit link to removed line" ] ||
		fail "$(cat tty)"
	# A reason that is too long for its column continues on the next line.
	for width in 24 60 80 200; do
		on_terminal "ctx-prune -s pinned-fifo -k 1 -t 0 -b 5 -n --explain=- linked" $width
		[[ $(tr -s '\n ' ' ' < tty) == *" edit link to removed line "* ]] ||
			fail "$width: $(cat tty)"
	done
	# A member of a request, and escapes in the names of tools.
	jq -nc '{role: "user", content: "go"}, {role: "assistant", content: null,
	    tool_calls: [{id: "a", type: "function", function: {name: "\u001b[31m",
	    arguments: "{}"}}]}, {role: "tool", tool_call_id: "a", content:
	    ("word " * 500)}, {role: "user", content: "so"}' > evil
	on_terminal "ctx-prune -b 20 -k 0 -t 1 -n --explain=- evil"
	grep -q '?\[31m' tty || fail "$(cat -v tty)"
	run ! grep -q $'\033' tty
	on_terminal "ctx-prune -b 20 -k 0 -t 1 -n --json --explain=- evil"
	run ! grep -q '^where' tty
}

@test "--dry-run fits the terminal and groups digits; a pipe has one layout" {
	cp "$agent" agent.jsonl
	tail -n +5 agent.jsonl > orphan
	long=$(printf 'directory-%d/' {1..12})
	mkdir -p "$long"
	cp agent.jsonl "$long"
	ctx-prune -b 16k -n agent.jsonl > pipe
	for width in 30 40 60 72 73 80 200; do
		on_terminal "ctx-prune -b 16k -n agent.jsonl; ctx-age -n agent.jsonl
		    ctx-truncate -l 4000 -n ${long}agent.jsonl
		    ctx-prune -b 16k -n ${long}agent.jsonl
		    ctx-prune -b 500 -n agent.jsonl 2> err
		    ctx-cache -d anthropic -m claude-opus-4-8 -n agent.jsonl 2> err
		    ctx-check --repair -n orphan" "$width"
		awk -v w="$width" 'length > w { exit 1 }' tty ||
			fail "$width: $(awk -v w="$width" 'length > w' tty)"
		grep -q '^ *drop  *few .*-  *75,160 tokens$' tty ||
			fail "$width: $(cat tty)"
		grep -q '^ *which is not met$' tty
		grep -q '^ *mark  *newe.* 1 messages' tty
		grep -q '^ *drop  *orph.* 2 repairs$' tty
	done
	# The words of a pipe, in lines of their own.
	on_terminal "ctx-prune -b 16k -n agent.jsonl" 200
	tr -d ':,' < pipe | xargs > want
	tr -d ':,' < tty | xargs | diff want -
	on_terminal "ctx-prune -b 16k -n agent.jsonl | cat" 40
	cmp pipe tty
	# Numbers stand below each other.
	[ "$(sed -n 's/ tokens.*//p' pipe | awk '{ print length }' | sort -u)" = 66 ]
}

@test "-i says on a terminal what changed in each file, and where the original is" {
	cp "$agent" one
	cp "$agent" two
	ln -s one link
	read -r tokens messages _ <<< "$(ctx-count one | tr -d '~')"
	ctx-prune -b 20k one > want
	read -r after kept _ <<< "$(ctx-count want | tr -d '~')"
	on_terminal "ctx-prune -b 20k -i.bak link two" 300
	figures="$messages messages, $((tokens / 1000))k tokens -> $kept messages, $((after / 1000))k tokens"
	[ "$(cat tty)" = "ctx-prune: link: $figures; original in $PWD/one.bak
ctx-prune: two: $figures; original in two.bak" ] || fail "$(cat tty)"
	on_terminal "ctx-prune -b 20k -i two"
	[ "$(cat tty)" = "ctx-prune: two: nothing changed: the $kept messages have $((after / 1000))k tokens, and the budget is 20k" ] ||
		fail "$(cat tty)"
	cp "$agent" one
	on_terminal "ctx-age -o 1000 -i one"
	grep -qx 'ctx-age: one: moved [0-9]* tool results to files, saved [0-9]* tokens' tty
	on_terminal "ctx-truncate -l 300 -i one"
	grep -qx 'ctx-truncate: one: [0-9.]* kB -> [0-9.]* kB' tty
	tail -n +5 "$agent" > orphan
	cp orphan again
	on_terminal "ctx-check --repair -i orphan | grep -v :"
	[ "$(tail -n 1 tty)" = "ctx-check: orphan: findings repaired: 2" ] || fail "$(cat tty)"
	on_terminal "ctx-check -q --repair -i again; ctx-truncate -l 300 -i two 2> err"
	[ ! -s tty ] || fail "$(cat tty)"
	[ ! -s err ]
}
