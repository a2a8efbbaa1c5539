# ctx-cache --diff: what a change costs

load helper
load cache

# Figure $1 of the bill that the other arguments ask for.
bill() {
	ctx-cache --json "${@:2}" > bill.json 2> err || [ $? -eq 1 ] ||
		fail "$(cat err)"
	jq -c "$1" bill.json
}

@test "--diff: a conversation that grew is read from the cache, the new part is written" {
	request 20 > old
	request 22 > new
	run -0 ctx-cache --diff old new --price 10,50,1,12.5 --ttl 5m
	[[ $output == *"20 of 22 messages"* ]]
	[[ $output == *"added      new:1 message 21, user"* ]]
	[[ $output != *"pays back"* ]]
	# Below the model's minimum nothing is kept.
	[ "$(bill '[.read, .written, .fresh > 0]' --diff old new)" = "[0,0,true]" ]
	[ "$(bill '.fresh == 0 and .read + .written > 0 and .shared.messages == 20 and .grown' \
	    -m claude --diff old new)" = false ]
	jq -c '.model = "claude-x"' old > o
	jq -c '.model = "claude-x"' new > n
	echo '{"claude-x": {"cache_least": 1}}' > models.json
	mkdir -p config/ctx && mv models.json config/ctx
	[ "$(bill '.fresh == 0 and .read > 100 and .written > 0 and .grown' --diff o n)" = true ]
	# Hints, their texts as blocks, white space and escapes change nothing.
	ctx-cache o > marked 2> err
	[ "$(bill '.shared.messages' --diff marked n)" = 20 ]
	jq '.messages[3].content = .messages[3].content[0].text' n > spaced
	[ "$(bill '.grown' --diff o spaced)" = true ]
	sed 's/"m7"/"\\u006d7"/' n > escaped
	[ "$(bill '.grown' --diff o escaped)" = true ]
	sed 's/"m7"/"m8"/' n > changed
	[ "$(bill '[.grown, .changed.index, .changed.role]' --diff o changed)" = '[false,7,"assistant"]' ]
	run -1 ctx-cache --diff o changed
}

@test "--diff: after a change, a session of Claude is written to the cache, one of GPT-5 is fresh" {
	jq -nc '{type: "user", message: {role: "user", content: ("word " * 3000)},
	    uuid: "a", parentUuid: null}, {type: "assistant", uuid: "b",
	    parentUuid: "a", message: {id: "m", role: "assistant",
	    model: "claude-opus-5-5", content: [{type: "text", text: "ok"}]}},
	    {type: "user", uuid: "c", parentUuid: "b", message: {role: "user",
	    content: "more"}}' > session
	sed '3s/more/less/' session > changed
	[ "$(bill '[.fresh, .written > 0, .read > 3000]' -d claude-code --diff session changed)" = '[0,true,true]' ]
	sed 's/claude-opus-5-5/gpt-5/' session > session2
	sed 's/claude-opus-5-5/gpt-5/' changed > changed2
	[ "$(bill '[.written, .fresh > 0]' -d claude-code --diff session2 changed2)" = '[0,true]' ]
}

# A conversation in lines of a transcript, with line $2 changed.
changed() { # file, line
	jq -c --argjson at "$2" 'def longer: if type == "string" then . + "x"
	    else .[0].x = 1 end;
	    if input_line_number != $at then .
	    elif has("message") then .message.content |= longer
	    else .content |= longer end' "$1"
}

@test "--diff and ctx-check --after count a message of several records once" {
	split=0
	for f in "$BATS_TEST_DIRNAME"/corpus/{claude-code,claude-stream,gemini-cli}/*.jsonl; do
		ctx-count --per message --json "$f" | jq -sc . > all
		n=$(ctx-count --json "$f" | jq .messages)
		[ "$(jq length all)" -eq "$n" ] || split=$((split + 1))
		[ "$(bill '[.shared.messages, .messages]' --diff "$f" "$f")" = "[$n,$n]" ]
		[ "$(ctx-check --json --after "$f" "$f" | jq .messages)" -eq "$n" ]
		for line in $(jq '.[].line' all); do
			changed "$f" "$line" > new
			# Of a message that is shared all records are.
			jq -c --argjson at "$line" --argjson n "$n" '
			    [.[].line] as $lines | ($lines | index($at)) as $i |
			    [([.[].index] | unique | length) -
				([.[$i:][].index] | unique | length), .[$i].index,
				$n]' all > want
			bill '[.shared.messages, .changed.index, .messages]' \
			    --diff "$f" new | cmp - want || fail "$f:$line"
			ctx-check --json --after "$f" new > after || :
			jq -c --argjson n "$n" '[.messages, .changed.index, $n]' \
			    after | cmp - want || fail "$f:$line: $(cat after)"
		done
	done
	[ "$split" -gt 2 ]
}

@test "--diff: long texts that differ in the last character are different" {
	request 20 | jq -c '.messages[3].content = ("long " * 20000) + "end"' > old
	jq -c '.messages += [{role: "user", content: "more"}]' old > new
	[ "$(bill '.shared.messages' --diff old new)" = 20 ]
	sed 's/long end"/long \\u0065nd"/' new > escaped
	run ! cmp -s new escaped
	[ "$(bill '.shared.messages' --diff old escaped)" = 20 ]
	sed 's/long end"/long enD"/' new > changed
	[ "$(bill '[.grown, .changed.index]' --diff old changed)" = '[false,3]' ]
}

@test "--diff: a change before the messages makes the whole cache useless" {
	request 20 > old
	for program in '.model = "claude-opus-4-6"' '.tools[0].name = "z"' \
	    '.speed = "fast"' \
	    '.system[0].text = "z"' '.tool_choice = {type: "any"}' \
	    '.thinking = {type: "enabled", budget_tokens: 1024}'; do
		jq -c "$program" old > new
		[ "$(bill '.shared.messages' --diff old new)" = 0 ] || fail "$program"
		[ "$(bill '.changed | has("member")' --diff new old)" = true ] ||
			[ "$(bill '.changed.index' --diff new old)" = 0 ]
	done
	jq -c '.max_tokens = 77' old > new
	[ "$(bill '[.grown, .changed]' --diff old new)" = '[true,null]' ]
	jq -c '.system[0].text = "z"' old > new
	run -1 ctx-cache --provider anthropic --diff old new
	grep -qx 'changed    new:1 system' <<< "$output" || fail "$output"
}

@test "--diff: costs add up, and the break-even is given in requests" {
	head -n 200 "$agent" > old
	head -n 204 "$agent" > now
	ctx-prune -s pinned-fifo -m claude-opus-4-5 -b 16k now > pruned
	ctx-cache --json --provider anthropic -m claude-opus-4-5 --diff old pruned > b || [ $? -eq 1 ]
	# Prices of the table: 5 in, 0.5 read, 6.25 written.
	jq -e '(.cost - (.read * 0.5 + .written * 6.25 + .fresh * 5) / 1e6 | fabs) < 1e-7' b
	jq -e '(.cost_unchanged - (.kept * 0.5 + .added * 6.25) / 1e6 | fabs) < 1e-7' b
	jq -e '.calls as $c | (.cost - .cost_unchanged) /
	    ((.kept + .added - .read - .written - .fresh) * 0.5 / 1e6) |
	    $c >= . and $c < . + 1' b
	run -1 ctx-cache --provider anthropic -m claude-opus-4-5 --diff old pruned
	[[ $output == *"pays back  after $(jq .calls b) more request"* ]]
	[ "$(jq '.kept + .added' b)" -eq "$(ctx-count --json -m claude-opus-4-5 now | jq .tokens)" ]
	# An hour has a price of its own.
	jq '.cost' b > five
	ctx-cache --json --provider anthropic -m claude-opus-4-5 --ttl 1h --diff old pruned > b || [ $? -eq 1 ]
	jq -e '(.cost - (.read * 0.5 + .written * 10) / 1e6 | fabs) < 1e-7' b
	# A provider that caches by itself asks nothing for writing.
	ctx-cache --json -m gpt-4o --diff old pruned > b || [ $? -eq 1 ]
	jq -e '.written == 0 and
	    (.cost - (.read * 1.25 + .fresh * 2.5) / 1e6 | fabs) < 1e-7' b
	# A change that makes nothing smaller never pays.
	sed 's/README/ReadMe/' now > other
	run cmp -s now other
	[ "$status" -eq 1 ]
	run -1 ctx-cache --provider anthropic -m claude-opus-4-5 --diff old other
	[[ $output == *"pays back  never"* ]]
	# Messages removed at the end are paid back by the first call.
	head -n 190 "$agent" > shorter
	run -1 ctx-cache --provider anthropic -m claude-opus-4-5 --diff old shorter
	[[ $output == *"pays back  at once"* ]]
}

@test "--diff: messages after the newest message that is still there are new" {
	request 20 > old
	request 26 > now
	jq -c '.messages |= .[12:15] + .[22:]' now > pruned
	[ "$(bill .added --diff old pruned)" -eq \
	    $(($(ctx-count --json now | jq .tokens) -
		$(jq -c '.messages |= .[:22]' now | ctx-count --json | jq .tokens))) ]
	jq -c '.messages |= .[22:]' now > all-new
	[ "$(bill .added --diff old all-new)" -eq 0 ]
}

@test "--diff: without a known price there is no cost, and a line says so" {
	head -n 20 "$agent" > old
	head -n 24 "$agent" > now
	for o in "-m claude-novel" "-m gpt-6" ""; do
		# shellcheck disable=SC2086 # options
		run -0 --separate-stderr ctx-cache --provider anthropic $o --diff old now
		[[ $output == *"the prices of the model are not known; see --price"* ]]
		[[ $output != *"$"* ]]
		# shellcheck disable=SC2086
		ctx-cache --provider anthropic $o --json --diff old now |
		    jq -e 'has("cost") or has("cost_unchanged") | not'
	done
	run -0 ctx-cache --provider anthropic -m claude-opus-5 --diff old now
	[[ $output == *"$"* && $output != *"not known"* ]]
}

@test "--diff: a request above a number of tokens has the price of its length" {
	head -n 290 "$agent" > old
	head -n 294 "$agent" > now
	ctx-prune -m claude-haiku-5-5 -b 16k now > pruned
	set -- --json --provider anthropic -m claude-haiku-5-5 --diff old
	# What was kept and added is above 100,000 tokens, what is sent is not.
	ctx-cache "$@" pruned > b || [ $? -eq 1 ]
	jq -e '.kept + .added > 100000 and .read + .written + .fresh < 100000' b
	jq -e '(.cost - (.read * 0.01 + .written * 0.125 + .fresh * 0.1) / 1e6 |
	    fabs) < 1e-7' b
	jq -e '(.cost_unchanged - (.kept * 0.05 + .added * 0.625) / 1e6 | fabs) <
	    1e-7' b
	ctx-cache "$@" now > b
	jq -e '(.cost - (.read * 0.05 + .written * 0.625 + .fresh * 0.5) / 1e6 |
	    fabs) < 1e-7' b
	ctx-cache --ttl 1h "$@" now > b
	jq -e '(.cost - (.read * 0.05 + .written * 1 + .fresh * 0.5) / 1e6 |
	    fabs) < 1e-7' b
}

@test "--diff: a version without prices is not billed with those of another version" {
	request 4 > one
	request 6 > two
	run -0 ctx-cache -m claude-opus-4-8 --diff one two
	[[ $output == *'$ '* ]]
	run -0 --separate-stderr ctx-cache -v -m claude-opus-4-9 --diff one two
	[[ $output == *"the prices of the model are not known; see --price"* ]]
	[[ $output != *'$ '* ]]
	[[ $stderr == *"claude-opus-4-9 is not in the table of models: assumed to be like claude-opus-4, with unknown prices"* ]]
	mkdir -p config/ctx
	echo '{"claude-opus-4-9": {"price": [4, 20, 0.4, 5]}}' > config/ctx/models.json
	run -0 ctx-cache -m claude-opus-4-9 --diff one two
	[[ $output == *'$ '* ]]
}

@test "--diff: an unknown price of cache reads is reported, and no cost uses it" {
	head -n 200 "$agent" > old
	head -n 204 "$agent" > now
	ctx-prune -s pinned-fifo -m claude-opus-5-5 -b 16k --quantum 20% now > pruned
	set -- --provider anthropic -m claude-opus-5-5 --diff old pruned
	jq -nc '{"claude-opus-5-5": {price: [4, 20, 0, 5]}}' > models.json
	mkdir -p config/ctx && mv models.json config/ctx
	run -1 ctx-cache "$@"
	[[ $output == *"the price of cache reads is not known; see --price"* ]]
	[[ $output != *"pays back"* ]]
	grep -q '^written .*\$' <<< "$output"
	run ! grep -qE '^unchanged .*\$' <<< "$output"
	ctx-cache --json "$@" > b || [ $? -eq 1 ]
	jq -e 'has("calls") or has("cost_unchanged") | not' b
	rm config/ctx/models.json
	# A model of one's own has a price for an hour if it is given.
	mkdir -p config/ctx
	for hour in "" ", 9"; do
		echo '{"claude-opus-5-5": {"price": [4, 20, 0.2, 5'"$hour"']}}' \
		    > config/ctx/models.json
		ctx-cache --ttl 1h --json "$@" > b || [ $? -eq 1 ]
		jq -e --arg hour "$hour" 'if $hour == "" then has("cost") | not
		    else (.cost - (.read * 0.2 + .written * 9) / 1e6 | fabs) < 1e-7
		    end' b
	done
	rm config/ctx/models.json
	# The table has the price of this model.
	ctx-cache --json "$@" > b || [ $? -eq 1 ]
	jq -e '(.cost_unchanged - (.kept * 0.2 + .added * 5) / 1e6 | fabs) < 1e-7 and
	    .calls > 0' b
}

@test "--diff: an unknown price of cache writes is reported, and no cost uses it" {
	head -n 200 "$agent" > old
	head -n 204 "$agent" > now
	ctx-prune -s pinned-fifo -m claude-opus-5-5 -b 16k now > pruned
	set -- --provider anthropic -m claude-opus-5-5 --diff old
	for o in "" "--ttl 1h"; do
		# shellcheck disable=SC2086 # options
		run -1 ctx-cache --price 4,20,0.2 $o "$@" pruned
		[[ $output == *"the price of cache writes is not known; see --price"* ]]
		[[ $output != *"cache reads"* && $output != *"pays back"* ]]
		grep -q '^read .*\$' <<< "$output"
		run ! grep -qE '^(written|in all|unchanged) .*\$' <<< "$output"
		# shellcheck disable=SC2086
		ctx-cache --json --price 4,20,0.2 $o "$@" pruned > b || [ $? -eq 1 ]
		jq -e 'has("calls") or has("cost") or has("cost_unchanged") | not' b
	done
	run -1 ctx-cache --price 4,20 "$@" pruned
	[[ $output == *"cache reads is not"*"cache writes is not"* ]]
	# What is only read has its cost; what is written has none, also of a
	# conversation that grew.
	run -0 ctx-cache --price 4,20,0.2 "$@" old
	grep -qE '^in all .*\$' <<< "$output"
	run -0 ctx-cache --price 4,20,0.2 "$@" now
	run ! grep -qE '^in all .*\$' <<< "$output"
	# A price that is given counts as it is, for an hour and if it is 0.
	for w in 7 0; do
		ctx-cache --json --ttl 1h --price 4,20,0,$w "$@" pruned > b || [ $? -eq 1 ]
		jq -e --argjson w $w '.written > 0 and
		    (.cost - .written * $w / 1e6 | fabs) < 1e-7 and
		    (.cost_unchanged - .added * $w / 1e6 | fabs) < 1e-7' b
	done
	# A provider that caches by itself asks no other price.
	run -1 ctx-cache --price 2.5,10,1.25 -m gpt-4o --diff old pruned
	[[ $output == *"pays back"* && $output != *"not known"* ]]
}

@test "--diff: the provider's lookback limits what is read from the cache" {
	echo '{"claude-x": {"cache_least": 1}}' > models.json
	mkdir -p config/ctx && mv models.json config/ctx
	jq -c '.model = "claude-x"' <(request 60) > old
	# A change 50 blocks before the end is out of sight from there; the
	# breakpoint of the system prompt is all that is found.
	jq -c '.messages[10].content[0].text = "other"' old > far
	jq -c '.messages[40].content[0].text = "other"' old > near
	[ "$(bill '.shared.messages' --diff old far)" = 10 ]
	system=$(bill '.read' --diff old far)
	[ "$(bill '.shared.tokens' --diff old far)" -gt "$system" ]
	[ "$system" -gt 0 ]
	[ "$(bill '.read == .shared.tokens' --diff old near)" = true ]
	# A breakpoint is at block 45; 20 blocks back from its end, 25 are left.
	jq -c '.messages[25].content[0].text = "other"' old > last
	[ "$(bill '.read == .shared.tokens' --diff old last)" = true ]
	jq -c '.messages[24].content[0].text = "other"' old > out
	[ "$(bill '.read' --diff old out)" -eq "$system" ]
}

@test "--diff: the breakpoints of system prompt and tools are found after a change of a later member" {
	mkdir -p config/ctx
	echo '{"claude-x": {"cache_least": 1}}' > config/ctx/models.json
	jq -c '.model = "claude-x"' <(request 6) > old
	read_after() { # FILE, PROGRAM that changes the request
		jq -c "$2" "$1" > new
		bill '.read' --diff "$1" new
	}
	both=$(read_after old '.messages[0].content[0].text = "z"')
	tools=$(read_after old '.system[0].text = "z"')
	[ "$tools" -gt 0 ]
	[ "$both" -gt "$tools" ]
	# The tools have some tokens less if one of them must be called.
	[ "$(read_after old '.tool_choice = {type: "any"}')" -gt "$tools" ]
	[ "$(read_after old '.thinking = {type: "enabled"}')" -eq "$both" ]
	[ "$(read_after old '.speed = "fast"')" -eq "$tools" ]
	[ "$(read_after old '.tools[1].name = "z"')" -eq 0 ]
	jq -c 'del(.system)' old > short
	[ "$(read_after short '.messages[0].content[0].text = "z"')" -eq "$tools" ]
	# Four breakpoints are set before the tools would get one.
	jq -c '.model = "claude-x"' <(request 60) > long
	[ "$(read_after long '.system[0].text = "z"')" -eq 0 ]
	[ "$(read_after long '.thinking = {type: "enabled"}')" -eq "$both" ]
	# What the earlier request has not written cannot be read.
	[ "$(read_after long '.system[0].text = "z" | .messages |= .[:6]')" -eq 0 ]
}

@test "--diff: contradicting options and wrong files are refused" {
	request 2 > one
	cat one one > two
	run -2 ctx-cache --diff one two
	[[ $output == *"two:2: the file has more than one conversation"* ]]
	{ cat one; echo '{"role":"user","content":"more"}'; } > two
	run -2 ctx-cache --diff one two
	[[ $output == *"two:2: the file has more than one conversation"* ]]
	: > empty
	run -2 ctx-cache --diff empty one
	[[ $output == *"empty: the file has no messages"* ]]
	run -2 ctx-cache --diff nowhere one
	[[ $output == *"nowhere"* ]]
	for price in "" 1,2,3,4,5 a -1 1,,2 1e9 nan; do
		run -2 ctx-cache --diff one one --price "$price"
		[[ $output == *"not a list of dollars"* ]]
	done
	run -2 ctx-cache --price 1 one
	[[ $output == *"--price needs --diff"* ]]
	run -0 ctx-cache --diff one < one
	[[ $output == *"changed    nothing"* ]]
	run -0 ctx-cache --diff - one < one
}

@test "--diff refuses --dry-run, --explain and --archive" {
	request 4 > r
	for o in -n "--explain e" "--archive a"; do
		# shellcheck disable=SC2086 # options
		run -2 ctx-cache $o --diff r r
		[[ $output == *"--diff changes nothing"* ]]
	done
	[ ! -e e ] && [ ! -e a ]
	run -2 ctx-cache --json r
	[[ $output == *"--json needs --dry-run or --diff"* ]]
}

@test "a file name that is not UTF-8 is masked in JSON" {
	request 20 > old
	sed 's/"m7"/"m8"/' old > $'\xff.json'
	run -1 ctx-cache --json --diff old $'\xff.json'
	[ "$(tail -n 1 <<< "$output" | jq -r .changed.file)" = "?.json" ]
	jq -c '.system[0].text = "z"' old > $'\xff.json'
	run -1 ctx-cache --json --diff old $'\xff.json'
	[ "$(tail -n 1 <<< "$output" |
	    jq -r '"\(.changed.file) \(.changed.member)"')" = "?.json system" ]
	ctx-cache -n --explain - $'\xff.json' > e
	jq -es 'length > 2 and all(.file == "?.json")' e
	[ "$(ctx-cache -n --json $'\xff.json' | jq -r .file)" = "?.json" ]
}
