# ctx-truncate: what was already sent, and signed reasoning after a change

load helper
load truncate

# ---- what was not sent yet ----

# prefix FILE: its lines up to the last message of the assistant.
prefix() {
	awk '{ line[NR] = $0 }
		/"role":"(assistant|model)"|"type":"(function_call|reasoning)"/ {
			last = NR }
		END { for (i = 1; i <= last; i++) print line[i] }' "$1"
}

@test "--unsent truncates only what is after the last assistant message" {
	messages "user:$(words 50)" "assistant:$(words 50)" > in
	called a run '{}' "$(words 90)" >> in
	cp in open
	ctx-truncate -l 60 --message-limit 60 --args 1 --unsent open > out
	cmp <(head -n 3 in) <(head -n 3 out)
	run -1 cmp -s in out
	ctx-truncate -l 60 --message-limit 60 --args 1 --unsent out | cmp - out
	messages "assistant:Done." >> in
	ctx-truncate -l 60 --message-limit 60 --unsent in | cmp - in
	# The same in a record that holds the conversation.
	jq -sc '{model: "gpt-4o", messages: .}' open |
	    ctx-truncate -l 60 --message-limit 60 --args 1 --unsent |
	    jq -c '.messages[]' | cmp - out
	# Without an assistant all is new.
	messages "user:$(words 50)" | ctx-truncate --message-limit 60 --unsent |
	    grep -q truncated
}

@test "--unsent keeps the bytes that were already sent, in every dialect and with --media" {
	for d in openai-chat generic openai-responses anthropic bedrock gemini; do
		changed=0
		for seed in $(seq "${CHECK_LONG:-8}"); do
			"$B/gen-tools/convo" --dialect $d --seed "$seed" \
			    --messages $((9 + seed)) | jq -sc . |
			    jq -c --arg to $d -f "$BATS_TEST_DIRNAME/media.jq" |
			    jq -c 'until(.[-1].role
				| IN("assistant", "model") | not; .[:-1])
				| .[]' > in
			ctx-truncate -d $d -l 9 --message-limit 9 --args 1 \
			    --media 1 --unsent in > out
			prefix in > sent
			head -c "$(wc -c < sent)" out | cmp - sent
			cmp -s in out || changed=$((changed + 1))
			ctx-truncate -d $d -l 9 --message-limit 9 --args 1 \
			    --media 1 --unsent out | cmp - out
		done
		[ "$changed" -gt 0 ] || fail "$d: nothing was cut"
	done
}

@test "--unsent: reports name exactly the messages that are truncated" {
	messages "user:$(words 50)" "assistant:Yes." "user:$(words 40)" > in
	ctx-truncate --message-limit 60 --unsent --explain why --archive gone \
	    in > out
	[ "$(jq -c '[.line, .index]' why)" = '[3,2]' ]
	cmp gone <(tail -n 1 in)
	ctx-truncate --message-limit 60 --unsent -n in | grep -q '1 messages'
	# Tools are known by calls that passed before.
	messages "user:Go." > in
	called a run '{}' "$(words 90)" >> in
	ctx-truncate -l 60 --unsent --tool other in | cmp - in
	ctx-truncate -l 60 --unsent --tool run in | grep -q truncated
}

@test "--unsent loses nothing after an invalid record and holds bounded memory" {
	messages "user:$(words 50)" > in
	echo 'broken' >> in
	# An assistant's message may have followed: nothing is cut.
	run -2 --separate-stderr ctx-truncate --message-limit 60 --unsent in
	[ "$output" = "$(head -n 1 in)" ]
	for _ in 1 2 3 4 5 6 7 8 9 10; do cat "$agent"; done > some
	for _ in 1 2 3 4 5 6 7 8; do cat some; done > many
	(limit_memory 65536 && ctx-truncate -l 100 --unsent --media 3 many > /dev/null)
}

# ---- bound reasoning ----

@test "signed reasoning after a truncated message is removed, before it is kept" {
	bound_talk "four degrees and rain in the afternoon, sun on the hills" > t
	ctx-truncate -d anthropic -l 40 --explain log --archive gone t > out
	head -n 2 t | cmp - <(head -n 2 out)
	[ "$(sed -n 4p out)" = '{"role":"assistant","content":[{"type":"text","text":"ok"}]}' ]
	# Nothing else was in it: the roles still alternate.
	[ "$(sed -n 6p out)" = '{"role":"assistant","content":[{"type":"text","text":"[reasoning removed]"}]}' ]
	[ "$(jq -c '[.index, .rule]' log | tr '\n' ' ')" = '[2,"results"] [3,"bound reasoning"] [5,"bound reasoning"] [7,"bound reasoning"] ' ]
	sed -n '3p;4p;6p;8p' t | cmp - gone
	ctx-truncate -d anthropic -l 40 out | cmp - out
	ctx-truncate -d anthropic -l 100 t | cmp - t
	ctx-truncate -d anthropic -m claude-opus-4-8 -l 40 t > out
	sed -n '4,$p' t | cmp - <(sed -n '4,$p' out)
}

@test "--reasoning keep prints what the provider refuses, fail changes nothing" {
	bound_talk "four degrees and rain in the afternoon, sun on the hills" > t
	ctx-truncate -d anthropic -l 40 --reasoning keep t > out 2> err
	sed -n '4,$p' t | cmp - <(sed -n '4,$p' out)
	grep -q 'kept the signed reasoning of 3 messages' err
	run -1 --separate-stderr ctx-truncate -d anthropic -l 40 --reasoning fail t
	[ "$output" = "$(cat t)" ]
	[[ $stderr = *"1 conversations are unchanged"* ]]
	jq -cs '{model: "claude-opus-5-5", messages: .}' t > r
	{ cat r; jq -c '.messages = .messages[:3]' r; } > two
	run -1 --separate-stderr ctx-truncate -l 40 --reasoning fail two
	[ "${lines[0]}" = "$(cat r)" ]
	[[ ${lines[1]} = *truncated* ]]
	# Reasoning before the only cut forbids nothing.
	head -n 3 t > u
	ctx-truncate -v -d anthropic -l 40 --reasoning fail u > out 2> err
	ctx-truncate -v -d anthropic -l 40 u 2>&1 > /dev/null | cmp - err
	grep -q truncated out
	ctx-truncate -d anthropic -l 40 --unsent --reasoning fail t | cmp - t
	# A later message, which cannot be read, could forbid the cut.
	{ cat u; echo '{'; } > torn
	run -2 --separate-stderr ctx-truncate -d anthropic -l 40 \
	    --reasoning fail torn
	[ "$output" = "$(cat u)" ]
	# A request among the messages is a conversation of its own.
	{ sed 2q u; jq -cs '{model:"claude-opus-4-8",messages:.}' t
	  echo '{"x":1}'; sed 1,2d u; } > mixed
	ctx-truncate -d anthropic -l 40 mixed > want
	! cmp -s mixed want || fail "nothing to shorten"
	ctx-truncate -d anthropic -l 40 --reasoning fail mixed | cmp - want
}

@test "a claude-code line with only reasoning is kept without blocks when that is removed" {
	cat > t <<'X'
{"type":"user","uuid":"1","parentUuid":null,"sessionId":"s","message":{"role":"user","content":"Weather?"}}
{"type":"assistant","uuid":"2","parentUuid":"1","sessionId":"s","message":{"id":"m1","role":"assistant","model":"claude-opus-5-5","content":[{"type":"tool_use","id":"a","name":"wx","input":{}}]}}
{"type":"user","uuid":"3","parentUuid":"2","sessionId":"s","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"four degrees and rain in the afternoon, sun on the hills"}]}}
{"type":"assistant","uuid":"4","parentUuid":"3","sessionId":"s","message":{"id":"m2","role":"assistant","model":"claude-opus-5-5","content":[{"type":"thinking","thinking":"two","signature":"Eq2="}]}}
{"type":"assistant","uuid":"5","parentUuid":"4","sessionId":"s","message":{"id":"m2","role":"assistant","model":"claude-opus-5-5","content":[{"type":"text","text":"4C"}]}}
X
	ctx-truncate -l 40 t > out
	[ "$(sed -n 4p out | jq -c .message.content)" = '[]' ]
	sed -n 5p t | cmp - <(sed -n 5p out)
	ctx-check out
	[ "$(ctx-count --json out | jq .messages)" -eq 4 ]
}
