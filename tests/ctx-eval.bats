# ctx-eval: splits recorded sessions, and measures what policies keep of them.

load helper

# A session of Chat Completions, 16 messages.  The split point at 70 % is before message
# 12, so messages 8 to 11 are those that every policy keeps.  Needed after it:
#   src/first.c   in message 3 only; message 12 opens it
#   ticket_4711   in message 1 (the user); message 12 writes it
#   build-7f3a-99 in message 5 only; message 14 names it
# Not needed, although calls after the split point have them:
#   made_up.c     in no message before
#   src/often.c   in messages 2, 3, 4 and 5: four messages
#   own_idea.c    first in message 4, which the assistant wrote
#   src/again.c   shown again in message 13, before message 14 uses it
#   src/newest.c  in message 11, which is always kept
#   short         has only five letters
session() {
	local call='{id: $id, type: "function", function: {name: "run",
		arguments: ({text: $text} | tojson)}}'
	user() { jq -nc --arg t "$1" '{role: "user", content: $t}'; }
	said() { jq -nc --arg t "$1" '{role: "assistant", content: $t}'; }
	calls() {
		jq -nc --arg id "$1" --arg text "$2" \
		    '{role: "assistant", content: "", tool_calls: ['"$call"']}'
	}
	result() {
		jq -nc --arg id "$1" --arg t "$2" \
		    '{role: "tool", tool_call_id: $id, content: $t}'
	}
	jq -nc '{role: "system", content: "You help."}'                # 0
	user "Please close ticket_4711."                               # 1
	calls a "ls src/often.c"                                       # 2
	local pad
	pad=$(printf 'and so on %.0s' {1..60})
	result a "src/first.c src/again.c src/often.c $pad"            # 3
	calls b "src/often.c own_idea.c"                               # 4
	result b "build-7f3a-99 src/often.c own_idea.c $pad"           # 5
	said "Found it."                                               # 6
	user "Good."                                                   # 7
	calls c "date"                                                 # 8
	result c "Monday"                                              # 9
	calls d "ls"                                                   # 10
	result d "src/newest.c"                                        # 11
	calls e "edit src/first.c ticket_4711 src/often.c own_idea.c made_up.c src/newest.c short" # 12
	result e "src/again.c"                                         # 13
	calls f "src/again.c build-7f3a-99"                            # 14
	result f "done"                                                # 15
}

# ctx-eval on the session, split once.
eval_session() {
	ctx-eval --split 70% --least 0 -e bytes/4 "$@" session
}

# The members $2 of the row of policy $1 in the file rows, separated by blanks.
row() {
	jq -r --arg p "$1" "select(.policy == \$p) | [$2] | map(tostring) | join(\" \")" rows
}

# The setup of every test, and the session.
eval "shared_$(declare -f setup)"
setup() {
	shared_setup
	session > session
}

@test "--needed prints the strings that later tool calls use, as counted by hand" {
	run -0 --separate-stderr eval_session --needed
	[ "$(cut -f 3 <<< "$output" | sort | paste -sd ' ')" = \
	    "build-7f3a-99 src/first.c ticket_4711" ] || fail "$output"
	[ "$(cut -f 1,2 <<< "$output" | sort -u)" = $'session\t70' ]
	run -0 eval_session --needed --json
	[ "$(jq -r .needed <<< "$output" | wc -l)" -eq 3 ]
	[ "$(jq -sc '.[0] | [.file, .split]' <<< "$output")" = '["session",70]' ]
}

@test "of the strings that later tool calls use, a policy keeps those in unchanged messages and loses those in removed ones" {
	# Message 1 and the four messages 2 to 5 are removed.
	eval_session --json -b 50% -p cat -p 'user=sed 2d' \
	    -p 'results=sed 3,6d' > rows
	[ "$(row cat .kept,.saved,.lost,.failed)" = "100 0 0 0" ] ||
		fail "$(cat rows)"
	[ "$(row user .kept,.lost)" = "66.7 33.3" ]
	[ "$(row results .kept,.lost)" = "33.3 66.7" ]
}

@test "the columns tokens, unused and over agree with counts of ctx-count" {
	eval_session --per sample --json -b 50% -p cat -p 'head -n 2' > rows
	head -n 12 session > before
	all=$(ctx-count -e bytes/4 --json before | jq .tokens)
	system=$(head -n 1 session | ctx-count -e bytes/4 --json | jq .tokens)
	[ "$(row cat .tokens,.before)" = "$all $all" ]
	[ "$(row cat .limit)" -eq $((system + (all - system) / 2)) ]
	[ "$(row cat .needed,.kept)" = "3 3" ]
	eval_session --json -b 50% -p cat -p 'head -n 2' > rows
	[ "$(row cat .over,.unused)" = "100 0" ]
	two=$(head -n 2 session | ctx-count -e bytes/4 --json | jq .tokens)
	[ "$(row 'head -n 2' .tokens,.over)" = "$two 0" ]
	limit=$((system + (all - system) / 2))
	[ "$(row 'head -n 2' '(.unused + 0.5 | floor)')" -eq \
	    $(((200 * (limit - two) + limit) / (2 * limit))) ]
}

@test "a policy that exceeds the budget is below those that meet it" {
	run -1 --separate-stderr eval_session -b 50% -p cat -p 'head=head -n 2' \
	    -p no=false -p 'user=sed 2d'
	[ "$(awk '/ms$/ { on = 1; next } on { print $1 }' <<< "$output" |
	    paste -sd ' ')" = "head cat user no" ] || fail "$output"
}

@test "the interval needs two sessions" {
	run -0 --separate-stderr eval_session -b 50% -p 'head=head -n 2'
	[[ $output == *"head"*" 33.3           -   0.0"* ]] || fail "$output"
	run -0 --separate-stderr eval_session --tsv -b 50% -p 'head=head -n 2'
	[[ ${lines[1]} == *$'\t33.3\t\t\t0.0\t'* ]] || fail "$output"
	eval_session --json -b 50% -p 'head=head -n 2' > rows
	[ "$(row head .low,.high)" = "null null" ]
	run -0 --separate-stderr eval_session --tsv -b 50% -p 'head=head -n 2' session
	[[ ${lines[1]} == *$'\t33.3\t33.3\t33.3\t0.0\t'* ]] || fail "$output"
}

@test "a command that fails is counted as failed, with its reason and without a share" {
	run -1 --separate-stderr eval_session --json -b 50% -p false -p true -p cat \
	    -p 'no-such-command x' -p 'echo no JSON' -p 'kill -9 $$' -p 'cat; exit 3'
	printf '%s\n' "$output" > rows
	[ "$(row cat .kept,.failed)" = "100 0" ]
	for policy in false true 'no-such-command x' 'echo no JSON' \
	    'kill -9 $$' 'cat; exit 3'; do
		[ "$(row "$policy" .runs,.failed,.kept)" = "1 1 null" ] ||
			fail "$policy: $output"
		[[ $stderr == *"policy $policy: the command failed in 1 of 1 runs, first for the session session, divided after 70 % of its messages: "* ]] ||
			fail "$policy: $stderr"
	done
	[ "$(row false .failure)" = "ended with status 1" ]
	[ "$(row true .failure)" = "its output has no message" ]
	[ "$(row 'cat; exit 3' .failure)" = "ended with status 3" ]
	[ "$(row 'kill -9 $$' .failure)" = "was killed by a signal" ]
	[[ $(row 'echo no JSON' .failure) == "line 1 of its output: "* ]]
	[[ $(row 'no-such-command x' .failure) == "cannot run the command: "* ]]
	run -1 --separate-stderr eval_session --tsv -b 50% -p false
	[ "${lines[1]}" = $'false\t50\t1\t1\t\t\t\t\t\t\t\t\t\t' ]
	run -1 --separate-stderr eval_session -b 50% -p false
	[[ $output == *"false "*" -  "* ]] || fail "$output"
}

@test "after --timeout a command and the processes it started are killed" {
	run -1 --separate-stderr eval_session --json --timeout 1 -b 50% \
	    -p 'cat; sleep 50 & sleep 50'
	[ "$(jq -r .failure <<< "$output")" = "did not end in time" ]
	run ! pgrep -x -f 'sleep 50'
}

@test "when ctx-eval is killed, the running command is killed, too" {
	ctx-eval --split 70% --least 0 -p 'sleep 51' session > out 2>&1 3>&- &
	for ((i = 0; i < 100; i++)); do
		! pgrep -x -f 'sleep 51' > /dev/null || break
		sleep 0.1
	done
	pgrep -x -f 'sleep 51' > /dev/null
	kill -KILL $!
	for ((i = 0; i < 100; i++)); do
		pgrep -x -f 'sleep 51' > /dev/null || break
		sleep 0.1
	done
	run ! pgrep -x -f 'sleep 51'
}

@test "a command that ends with status 1 has not failed if it has written messages" {
	eval_session --json -b 50% -p 'cat; exit 1' > rows
	[ "$(row 'cat; exit 1' .kept,.failed)" = "100 0" ]
	# So ctx-prune reports floors that exceed the budget.
	eval_session --json -b 1% -p all='-k 99 -s fifo' > rows
	[ "$(row all .failed,.over)" = "0 100" ]
}

@test "{budget} and {dialect} are replaced; a command without {budget} runs once for all budgets" {
	printf '#!/bin/sh\necho "$@" >> args\ncat\n' > count
	chmod +x count
	eval_session --json -b 25%,50% -p './count {budget} x{dialect}' \
	    -p "./count 'none'" > rows
	sort args > sorted
	limits=$(eval_session --per sample --json -b 25%,50% -p cat |
		jq -r '"\(.limit) xopenai-chat"')
	printf '%s\n' "$limits" none | sort | cmp - sorted
	[ "$(jq -c '[.policy[8:9], .budget, .kept]' rows | sort -u | wc -l)" -eq 4 ]
}

@test "a policy that is options runs ctx-prune with the budget, the encoding and the dialect" {
	eval_session --per sample --json -b 50% -p '-s fifo' -d openai-chat > rows
	head -n 12 session |
	    ctx-prune -s fifo -e bytes/4 -d openai-chat -b "$(row '-s fifo' .limit)" \
	    > pruned || [ $? -eq 1 ]
	[ "$(row '-s fifo' .tokens)" -eq \
	    "$(ctx-count -e bytes/4 --json pruned | jq .tokens)" ]
	eval_session --per sample --json -b 50% \
	    -p "q=-s recall --query 'the first file'" \
	    -p 'target=-s fifo --target {budget}' > rows
	[ "$(row q '.failure == null')" = true ]
	[ "$(row target '.failure == null')" = true ]
}

@test "a policy that is options runs the ctx-prune of the same version, wherever that is" {
	printf '#!/bin/sh\nexit 2\n' > ctx-prune
	chmod +x ctx-prune
	PATH="$PWD:$PATH" eval_session --per sample --json -b 50% -p '-s fifo' > rows
	[ "$(row '-s fifo' .failure)" = null ]
	eval_session --per sample --json -b 50% -p all='-s fifo --dialect none' \
	    > rows || [ $? -eq 1 ]
	[ "$(row all .failure)" = "ended with status 2" ]
}

@test "ctx-eval prunes as ctx-prune does, with every strategy and level" {
	local policies=(-p '-s middle-out --keep-first 1 -k 3'
	    -p '-s fifo --quantum 0 --target 60%' -p '--compact -t 1'
	    -p '-s recall --query errors' -p '--no-pin-system --pin-role user')
	local commands=()
	for strategy in $STRATEGIES; do
		for level in light balanced aggressive; do
			policies+=(-p "-s $strategy -l $level")
		done
	done
	# A command with the same options runs ctx-prune as a process.
	for ((i = 1; i < ${#policies[@]}; i += 2)); do
		commands+=(-p "p$i=ctx-prune -b {budget} ${policies[i]}")
		policies[i]="p$i=${policies[i]}"
	done
	for list in policies commands; do
		local -n each=$list
		ctx-eval --per sample --json -b 10%,40% "${each[@]}" "$agent" |
			jq -c 'del(.ms)' > $list
	done
	[ "$(wc -l < policies)" -gt 200 ]
	cmp policies commands
}

@test "without --policy all strategies of ctx-prune, oracle and random are compared" {
	eval_session --tsv -b 50% > rows
	echo "policy oracle random $STRATEGIES" |
		tr ' ' '\n' | sort > want
	cut -f 1 rows | sort | diff - want
}

@test "summarize and recall run the commands in CTX_SUMMARIZER and CTX_EMBEDDER" {
	CTX_SUMMARIZER="cat > '$PWD/asked'; echo shorter" \
	    CTX_EMBEDDER="tee '$PWD/texts' | sed 's/.*/[1, 0]/'" \
	    ctx-eval -b 25% --split 50% -p '-s summarize' -p '-s recall' --tsv \
	    "$agent" > out
	[ "$(cut -f 4 out | sort -u | tr '\n' ' ')" = "0 failed " ]
	[ -s asked ]
	[ -s texts ]
}

@test "strings in files that a command saves in {dir} count as saved, and {dir} is removed" {
	mkdir made
	export TMPDIR=$PWD/made
	# Messages 3 and 5 have two of the three strings.
	eval_session --json -b 50% -p 'saved=sed -n "4w {dir}/a
		6w {dir}/b
		4d
		6d
		p"' -p 'age=ctx-age -k 0 -o 0 -S {dir}/spool' \
	    -p 'archive=-s fifo --archive {dir}/archive' > rows || [ $? -eq 1 ]
	[ "$(row saved .kept,.saved,.lost)" = "33.3 66.7 0" ] || fail "$(cat rows)"
	[ "$(row age .kept,.saved,.lost)" = "33.3 66.7 0" ] || fail "$(cat rows)"
	[ "$(row archive .lost)" = 0 ] || fail "$(cat rows)"
	[ -z "$(ls made)" ]
}

@test "files in {dir} are read, and {dir} is removed, at any depth of directories" {
	mkdir made
	echo "not removed" > outside
	export TMPDIR=$PWD/made OUTSIDE=$PWD/outside
	# Message 3 is saved 200 directories deep, message 5 below directories
	# that must not be changed.
	eval_session --json -b 50% -p 'deep=d={dir} l={dir}/1
		for i in $(seq 200); do d=$d/d; done
		mkdir -p $d $l/1
		ln -s $OUTSIDE $d/link
		sed -n "4w $d/a
			6w $l/1/b
			4d
			6d
			p"
		chmod 500 $l $l/1' > rows
	[ "$(row deep .kept,.saved,.lost)" = "33.3 66.7 0" ] || fail "$(cat rows)"
	[ -z "$(ls made)" ]
	[ "$(cat outside)" = "not removed" ]
}

@test "oracle, recency and random keep whole groups within the budget" {
	# The groups are 0, 1, 2-3, 4-5, 6, 7, 8-9, 10-11.  Kept are 0 and 7 to 11.
	eval_session --per sample --json -b 80% -p oracle -p recency -p random \
	    > rows
	for policy in oracle recency random; do
		[ "$(row $policy '.tokens <= .limit, .failure')" = "true null" ] ||
			fail "$(cat rows)"
	done
	[ "$(row oracle .kept)" -ge "$(row recency .kept)" ]
	[ "$(row oracle .kept)" -ge "$(row random .kept)" ]
	# The padded results do not fit, the message of the user does.
	eval_session --per sample --json -b 40% -p oracle -p recency > rows
	[ "$(row oracle .kept)" -eq 1 ] || fail "$(cat rows)"
	[ "$(row recency .kept)" -eq 1 ]
	eval_session --per sample --json -b 99% -p oracle > rows
	[ "$(row oracle .kept)" -eq 3 ]
}

@test "oracle, recency and random leave out newest messages that do not fit" {
	eval_session --per sample --json -b 5% -p oracle -p recency -p random \
	    > rows
	[ "$(jq -s 'all(.tokens <= .limit)' rows)" = true ] || fail "$(cat rows)"
	[ "$(row oracle .kept)" -eq 1 ]
	[ "$(row recency .kept)" -eq 0 ]
	# Some of the random choices keep message 1.
	[ "$(row random '.kept > 0 and .kept < 1')" = true ] ||
		fail "$(cat rows)"
}

@test "an output is counted as invalid only if the messages before the split point are valid" {
	# Without message 2 the result in message 3 has no call.
	eval_session --json -b 50% -p cat -p 'orphan=sed 3d' > rows
	[ "$(row cat .invalid)" = 0 ]
	[ "$(row orphan .invalid)" = 100 ]
	sed -i 3d session
	eval_session --json -b 50% -p cat > rows
	[ "$(row cat .invalid)" = 0 ]
}

@test "a record that contains a conversation is a session by itself, and can be split" {
	for _ in 1 2; do
		jq -sc '{model: "gpt-4o", messages: .}' session
	done > requests
	run -0 --separate-stderr ctx-eval --split 70% --least 0 -e bytes/4 --needed \
	    requests
	[ "$(cut -f 1 <<< "$output" | sort | uniq -c | tr -s ' ' | paste -sd ,)" = \
	    ' 3 requests:1, 3 requests:2' ] || fail "$output"
	ctx-eval --split 70% --least 0 -e bytes/4 --json -b 50% -p cat \
	    -p 'jq -c ".messages |= del(.[1])"' requests > rows
	[ "$(row cat .runs,.kept,.invalid)" = "2 100 0" ]
	[ "$(row 'jq -c ".messages |= del(.[1])"' .kept)" = 66.7 ]
	jq -c '.messages |= map(if .role == "tool" then {role: "user", content: [
	    {type: "tool_result", tool_use_id: .tool_call_id, content}]}
	    elif .tool_calls then {role, content: [.tool_calls[] | {type: "tool_use",
	    id, name: .function.name, input: (.function.arguments | fromjson)}]}
	    else . end)' requests > claude
	[ "$(ctx-count --json claude | jq -r .dialect | sort -u)" = anthropic ]
	ctx-eval --split 70% --least 0 -e bytes/4 --json -b 50% -p cat claude > rows
	[ "$(row cat .runs,.kept,.invalid)" = "2 100 0" ]
	jq -c '[., .]' requests | head -n 1 > several
	run -1 --separate-stderr ctx-eval --least 0 several
	[[ $stderr == *"1 records are left out, because they have several"* ]] ||
		fail "$stderr"
}

@test "a long array of messages is divided in linear time" {
	# Counted from its beginning for each message, the array took minutes.
	jq -nc '{model: "gpt-4o", messages: ([{role: "user", content: "go"}] +
	    [range(40000) | {role: "assistant", content: null, tool_calls: [{
		id: "c\(.)", type: "function", function: {name: "read", arguments:
		"{\"path\": \"src/dir\(.)/file\(.).c\"}"}}]},
		{role: "tool", tool_call_id: "c\(.)", content:
		"see src/dir\((. + 9000) % 40000)/file\((. + 9000) % 40000).c"}])}' > in
	timeout 60 ctx-eval --json -b 50% --split 50% -p cat in > rows
	[ "$(row cat .kept)" = 100 ]
}

@test "a conversation has the same strings that later tool calls use as a transcript and as plain messages" {
	jq -sc '{messages: .}' session |
		jq -c --arg to claude-code -f "$BATS_TEST_DIRNAME/rewrite.jq" \
		    > transcript
	run -0 ctx-eval --split 70% --least 0 -e bytes/4 --needed transcript
	[ "$(cut -f 3 <<< "$output" | sort | paste -sd ' ')" = \
	    "build-7f3a-99 src/first.c ticket_4711" ] || fail "$output"
}

@test "a policy that changes nothing keeps all strings that later tool calls use, in every dialect of the corpus" {
	for f in "$BATS_TEST_DIRNAME"/corpus/*/*.json*; do
		case $f in */json/* | */recorded/*) continue ;; esac
		ctx-eval --least 0 -e bytes/4 --json -b 50% -p cat "$f" \
		    > rows 2> err || { [ $? -eq 1 ] && grep -q 'no session' err; } ||
			{ grep -q ':[0-9]*:[0-9]*: ' err && continue; } ||
			fail "$f: $(cat err)"
		[ ! -s rows ] || [ "$(row cat .kept,.failed)" = "100 0" ] ||
			fail "$f: $(cat rows)"
	done
}

@test "the figures do not depend on --jobs" {
	for i in 1 2 3 4 5; do
		sed "s/4711/471$i/g" session > "session$i"
	done
	for j in 1 3 0; do
		ctx-eval --least 0 -e bytes/4 -j $j --tsv -p random -p '-s fifo' \
		    -p cat session? | cut -f 1-13 > rows.$j
	done
	cmp rows.1 rows.3
	cmp rows.1 rows.0
	[ "$(cut -f 3 rows.1 | sort -u | paste -sd ' ')" = "15 runs" ] ||
		fail "$(cat rows.1)"
}

@test "in the table of each budget the policy that keeps most is first" {
	run -0 --separate-stderr eval_session -b 25%,50% -p 'sed 2d' -p cat
	[ "${lines[0]}" = "sessions: 1, split points: 1, strings that later tool calls use: 3" ]
	[[ ${lines[1]} == "budget: 25 % of the tokens that are not pinned" ]]
	[[ ${lines[2]} == "policy "*" kept "*" ms" ]]
	[[ ${lines[3]} == "cat    100.0           -   0.0 "* ]] || fail "$output"
	[[ ${lines[4]} == "sed 2d  66.7           -   0.0 "* ]] || fail "$output"
	[[ ${lines[5]} == "budget: 50 % of the tokens that are not pinned" ]]
}

@test "a split point with fewer tokens than --least before it is left out, which -v reports" {
	run -1 --separate-stderr ctx-eval -p cat session
	[ -z "$output" ]
	[[ $stderr == *"split points (see --split) are left out, because fewer than 5000 tokens are before them; lower --least"* ]]
	[[ $stderr == *"no session was evaluated; give sessions in which tool calls"* ]]
	run -0 --separate-stderr ctx-eval -v --least 400 -e bytes/4 -p cat session
	[[ $stderr == *"split points (see --split) are left out, because fewer than 400 tokens"* ]]
	head -n 2 session > short
	run -1 --separate-stderr ctx-eval --least 0 -p cat short
	: > empty
	run -1 --separate-stderr ctx-eval --least 0 -p cat empty
	[ -z "$output" ]
}

@test "a line that is not JSON is an error; with --lenient it is skipped" {
	sed '2s/^/{/' session > bad
	run -2 --separate-stderr ctx-eval --least 0 -p cat bad
	[[ $stderr == *"bad:2:2: "* ]] || fail "$stderr"
	ctx-eval --split 70% --least 0 --lenient -e bytes/4 --json -b 50% -p cat \
	    bad > rows
	[ "$(row cat .kept,.failed)" = "100 0" ]
	# So it is for ctx-prune, as a process or not.
	ctx-eval --split 70% --least 0 --lenient -e bytes/4 --json -b 50% \
	    -p 'a=-s salient' -p 'b=-s salient --pin x' bad > rows
	[ "$(row a .failed) $(row b .failed)" = "0 0" ]
	run -2 ctx-eval no-such-file
	[[ $output == *"no-such-file"* ]]
}

@test "malformed lists of percentages, policies and numbers are refused" {
	for arg in 0% 100% 10%,10% '10,' x 10%x 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17; do
		run -2 ctx-eval -b "$arg" session
		[[ $output == *"--budget: '$arg' is not a list"* ]] || fail "$output"
		run -2 ctx-eval --split "$arg" session
		[[ $output == *"--split: '$arg' is not a list"* ]] || fail "$output"
	done
	eval_session --tsv -b 50,12.5,25% -p cat > rows
	[ "$(cut -f 2 rows | paste -sd ' ')" = "budget 12.5 25 50" ]
	run -2 ctx-eval -p name= session
	[[ $output == *"the policy 'name=' has no command"* ]]
	run -2 ctx-eval -p 'two words=-s fifo' session
	[[ $output == *"the name of the policy 'two words=-s fifo' has a blank; write the name without blanks" ]]
	run -2 ctx-eval -p '-s none' session
	[[ $output == *"--policy: --strategy: 'none' is not one of "* ]]
	run -2 ctx-eval -p '-s fifo other' session
	[[ $output == *"--policy: 'other' is not an option of ctx-prune" ]]
	# A blank before "=" is also in commands.
	eval_session --json -b 50% -p 'env A=b cat' -p 'env -u B A=-b cat' > rows
	[ "$(row 'env A=b cat' .kept) $(row 'env -u B A=-b cat' .kept)" = "100 100" ]
	run -2 ctx-eval --timeout 0 session
	run -2 ctx-eval --json --tsv session
	run -2 ctx-eval -j 2000 session
}

@test "with a variable that ctx-prune reads, policies start ctx-prune" {
	cmd=$BATS_TEST_DIRNAME/../cmd
	# Without a process, ctx-eval would not read these variables.
	grep -oE '"(CTX_(SUMM|EMB)|SUMMARIZATION_)[A-Z_]*"' "$cmd/ctx-prune.c" |
	    sort -u > read
	[ "$(wc -l < read)" -ge 5 ]
	while IFS= read -r name; do
		grep -qF "$name" "$cmd/eval/prune_policy.c" || fail "$name"
	done < read
}
