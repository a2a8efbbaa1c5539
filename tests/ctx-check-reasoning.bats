# ctx-check --reasoning: signed reasoning after a repair

load helper
load check

THINK='{"type":"thinking","thinking":"hm","signature":"c2ln"}'

# The number of signed blocks in file $1.
signed() {
	grep -o '"signature"' "$1" | wc -l
}

# A stream whose call in message 1 has no result, and reasoning around it.
unanswered() {
	printf '%s\n' "$U" \
	    '{"role":"assistant","content":['"$THINK"',{"type":"tool_use","id":"t","name":"f","input":{}}]}' \
	    "$U" \
	    '{"role":"assistant","content":['"$THINK"',{"type":"text","text":"yes"}]}' \
	    "$U"
}

@test "--reasoning: bound reasoning after a repair is removed and named" {
	unanswered > in
	jq -cs '{model:"claude-opus-5-5",messages:.}' in > request
	for file in in request; do
		rm -f archive
		run --separate-stderr -0 ctx-check -v --repair --explain log \
		    --archive archive $file
		echo "$output" > out
		[ "$(signed out)" -eq 1 ]
		[[ $stderr == *", 2 findings repaired, 0 not repaired"* ]]
		[[ $stderr == *"removed signed reasoning from 1 messages after the first changed message"* ]]
		[ "$(jq -c 'select(.rule == "bound-reasoning") |
		    [.index, .role, .action]' log)" = \
		    '[3,"assistant","drop"]' ]
		[ "$(jq -r 'select(.rule == "bound-reasoning").sha256' log)" = \
		    "$(printf %s "$THINK" | sha256sum | cut -d ' ' -f 1)" ]
		cmp archive <(sed -n 4p in)
		ctx-check --repair out | cmp - out
		# The reasoning before the call is as it was.
		ctx-check --after $file --json out |
		    jq -e '.refused == null' > /dev/null
	done
	run --separate-stderr -0 ctx-check --repair -m claude-opus-5 in
	[ "$(grep -o '"signature"' <<< "$output" | wc -l)" -eq 2 ]
}

@test "--reasoning keep: bound reasoning is kept, and standard error says so" {
	unanswered > in
	ctx-check --repair -m claude-opus-5 in > want
	run --separate-stderr -0 ctx-check --repair --reasoning keep in
	cmp want <(echo "$output")
	[[ $stderr == *"kept the signed reasoning of 1 messages that follow a changed message"* ]]
	run --separate-stderr -0 ctx-check -q --repair --reasoning keep in
	[ -z "$stderr" ]
}

@test "--reasoning fail: requests after a message keep their line numbers" {
	echo '{"role":"user","content":"hi"}' > in
	for _ in 1 2 3; do
		echo '{"model":"claude-opus-5-5","messages":[{"role":"user","content":"hi"},{"role":"assistant","content":[{"type":"thinking","thinking":"t","signature":"abc"},{"type":"text","text":"x"}]}]}'
	done >> in
	echo '{"model":"claude-opus-5-5","messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"x"}]}]}' >> in
	run --separate-stderr -1 ctx-check --repair --reasoning fail \
	    -m claude-opus-5-5 in
	[[ $stderr == *in:5:* ]]
}

@test "--reasoning fail: when the archive is full, whole records are written" {
	[ -e /dev/full ] || skip "no /dev/full here"
	long=$(words 300)
	for i in 1 2 3 4 5 6; do
		echo '{"role":"user","content":"'"$i $long"'"}'
		echo '{"role":"assistant","content":[{"type":"thinking","thinking":"t","signature":"abc"},{"type":"text","text":"'"$i $long"'"}]}'
	done > in
	cat >> in <<-'X'
		{"role":"user","content":"go on"}
		{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"t","input":{}}]}
		{"role":"user","content":[{"type":"tool_result","tool_use_id":"b","content":"x"}]}
		{"role":"assistant","content":"z"}
		{"role":"user","content":"end"}
	X
	ctx-check --repair --reasoning fail -m claude-opus-5-5 \
	    --archive /dev/full in > out 2> err || [ $? -eq 2 ]
	[ -s out ]
	head -n "$(wc -l < out)" in | cmp - out
}

@test "--reasoning fail: what would lose bound reasoning is not repaired" {
	unanswered > in
	jq -cs '{model:"claude-opus-5-5",messages:.}' in > request
	sed 4d in > other
	{ cat request; jq -cs '{model:"claude-opus-5-5",messages:.}' other
	  echo; cat request; } > several
	for file in in request several; do
		rm -f archive
		ctx-check --repair --reasoning fail --explain log \
		    --archive archive $file > out 2> err || [ $? -eq 1 ]
		[ ! -s archive ]
	done
	ctx-check --repair --reasoning fail in > out 2> err || [ $? -eq 1 ]
	cmp in out
	[ "$(sed -n 1p err)" = "in:4: bound-reasoning: not repaired, because the provider would refuse or drop reasoning after the repair" ]
	[[ $(sed -n 2p err) == "in:2: orphan-call: "* ]]
	grep -q "1 conversations are unchanged" err
	ctx-check --repair --reasoning fail several > out 2> err || [ $? -eq 1 ]
	sed 2d several | cmp - <(sed 2d out)
	cmp <(sed -n 2p out) <(sed -n 2p several | ctx-check --repair)
	grep -q "several:1: bound-reasoning: .* (message 3)" err
	grep -q "2 conversations are unchanged" err
	# Records of other kinds and line ends are written unchanged.
	{ echo; sed 's/$/\r/' in; echo '{"x":1}'; cat request; printf '%s' "$U"; } > odd
	ctx-check --repair --reasoning fail odd > out 2> err || [ $? -eq 1 ]
	cmp odd out
	ctx-check --repair other > want
	ctx-check --repair --reasoning fail other | cmp - want
	# A request among the messages is a conversation of its own.
	{ sed 2q other; jq -cs '{model:"claude-opus-4-8",messages:.}' in
	  sed 1,2d other; } > mixed
	ctx-check --repair mixed > want
	! cmp -s mixed want || fail "nothing to repair"
	ctx-check --repair --reasoning fail mixed | cmp - want
	# What comes before an error is written as it was read.
	for file in in other; do
		{ cat $file; echo '{"role":'; } > broken
		ctx-check --repair --reasoning fail broken > out 2> err ||
			[ $? -eq 2 ]
		cmp $file out
	done
}

@test "--reasoning: a removed cache marker is no change" {
	marked='{"role":"user","content":[{"type":"text","text":"a","cache_control":{"type":"ephemeral"}}]}'
	for i in 1 2 3 4 5 6; do
		echo "$marked"
		printf '%s\n' '{"role":"assistant","content":['"$THINK"',{"type":"text","text":"b"}]}'
	done > in
	jq -cs '{model:"claude-opus-5-5",messages:.}' in > request
	for file in in request; do
		ctx-check --repair $file > out
		[ "$(grep -o ephemeral out | wc -l)" -eq 4 ]
		[ "$(signed out)" -eq 6 ]
		ctx-check --repair --reasoning fail $file | cmp - out
	done
	# Markers before a change move it.
	one='{"type":"text","text":"a","cache_control":{"type":"ephemeral"}}'
	half='{"type":"text","text":"\ud800"}'
	n=1
	for parts in "$THINK,$half" "$half,$THINK"; do
		{ echo "$U"
		  echo '{"role":"assistant","content":['"$one,$one,$parts"']}'
		  sed -n 1,8p in; } > moved
		# jq would replace the half of a pair.
		printf '{"model":"claude-opus-5-5","messages":[%s]}\n' \
		    "$(paste -sd , moved)" > request
		for file in moved request; do
			ctx-check --repair $file > out
			[ "$(grep -o ephemeral out | wc -l)" -eq 4 ]
			[ "$(signed out)" -eq $n ]
		done
		n=0
	done
}

@test "--reasoning: a repair of system prompt or tools comes before all messages" {
	printf '{"model":"claude-opus-5-5","messages":[%s,%s,%s],"system":[{"type":"text","text":" "},{"type":"text","text":"x"}]}\n' \
	    "$U" '{"role":"assistant","content":['"$THINK"',{"type":"text","text":"b"}]}' "$U" > in
	ctx-check --repair in > out
	[ "$(signed out)" -eq 0 ]
	run --separate-stderr -1 ctx-check --repair --reasoning fail in
	cmp in <(echo "$output")
}

@test "--reasoning: a message of bound reasoning alone gets a text" {
	printf '%s\n' "$U" \
	    '{"role":"tool","content":[{"type":"tool-result","toolCallId":"x","toolName":"f","output":{"type":"text","value":"1"}}]}' \
	    '{"role":"assistant","content":[{"type":"reasoning","text":"hm","providerOptions":{"anthropic":{"signature":"c2ln"}}}]}' \
	    "$U" > in
	jq -cs '{model:"claude-opus-5-5",messages:.}' in > request
	for file in in request; do
		ctx-check --repair $file > out
		[ "$(jq -c '(.messages // [.])[] | select(.role == "assistant").content' out)" = \
		    '[{"type":"text","text":"[reasoning removed]"}]' ]
		ctx-check --repair out | cmp - out
	done
}

@test "--reasoning is accepted only with --repair" {
	unanswered > in
	run -2 ctx-check --reasoning keep in
	[[ $output == *"--reasoning needs --repair"* ]]
	run -2 ctx-check --reasoning keep --after in in
}

@test "--repair removes signed reasoning after an inserted first message" {
	printf '%s\n' '{"modelId":"anthropic.claude-opus-5-5-v1:0","messages":[{"role":"assistant","content":[{"reasoningContent":{"reasoningText":{"text":"t","signature":"c2ln"}}},{"text":"a"}]},{"role":"user","content":[{"text":"q"}]}]}' > in
	ctx-check --repair in > out
	[ "$(jq -c '.messages | [length, .[1].content]' out)" = '[3,[{"text":"a"}]]' ]
}
