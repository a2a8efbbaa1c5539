# ctx-age: what was already sent, and signed reasoning after a change

load helper
load age

# ---- what was not sent yet ----

@test "--unsent ages only results after the last assistant message" {
	call a run "$(long 900)" > in
	call b run "$(long 800)" >> in
	ctx-age --unsent in > out
	cmp <(head -n 3 in) <(head -n 3 out)
	[ "$(aged out)" -eq 1 ]
	ctx-age --unsent out | cmp - out
	ctx-restore out | cmp - in
	jq -sc '{model: "gpt-4o", messages: .}' in | ctx-age --unsent |
	    jq -c '.messages[]' | cmp - out
	ctx-age --unsent -k 1 in | cmp - in
	ctx-age --unsent --keep-results 1 in | cmp - in
	ctx-age --unsent --at-least 100k in | cmp - in
	ctx-age --unsent --at-least 1k in | cmp - out
	ctx-age --unsent --explain why --archive gone in > /dev/null
	[ "$(jq -c '[.line, .index, .tool]' why)" = '[4,3,"run"]' ]
	cmp gone <(tail -n 1 in)
	jq -nc '{role: "assistant", content: "Done."}' >> in
	ctx-age --unsent in | cmp - in
	ctx-age --unsent -n in | cmp - /dev/null
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
			awk '{ line[NR] = $0 }
			    /"role":"(assistant|model)"|"type":"(function_call|reasoning)"/ {
				last = NR }
			    END { for (i = 1; i <= last; i++) print line[i] }' \
			    in > sent
			for how in "-o 20 --head 5" "--media 0"; do
				# shellcheck disable=SC2086 # options
				ctx-age -d $d $how --unsent in > out
				head -c "$(wc -c < sent)" out | cmp - sent
				cmp -s in out || changed=$((changed + 1))
				# shellcheck disable=SC2086
				ctx-age -d $d $how --unsent out | cmp - out
				ctx-restore -d $d out | cmp - in
			done
		done
		[ "$changed" -gt 0 ] || fail "$d: nothing has aged"
	done
}

@test "--unsent works before an invalid record and with events between messages" {
	call a run "$(long 900)" > in
	echo '{"event":1}' >> in
	ctx-age -d openai-chat --unsent in > out
	[ "$(tail -n 1 out)" = '{"event":1}' ]
	[ "$(aged out)" -eq 1 ]
	jq -nc '{role: "assistant", content: "Yes."}' >> in
	ctx-age -d openai-chat --unsent in | cmp - in
	call a run "$(long 900)" > in
	echo broken >> in
	# An assistant's message may have followed: nothing ages.
	run -2 --separate-stderr ctx-age --unsent in
	[ "$output" = "$(head -n 2 in)" ]
}

# ---- bound reasoning ----

@test "signed reasoning after an aged result is stored in the spool and restored" {
	bound_talk "$(printf 'rain %.0s' {1..100})" > t
	set -- -d anthropic -k 1 -o 40 -S spool
	ctx-age "$@" --explain log t > out
	head -n 2 t | cmp - <(head -n 2 out)
	[ "$(sed -n 4p out)" = '{"role":"assistant","content":[{"type":"text","text":"ok"}]}' ]
	[ "$(sed -n 6p out)" = '{"role":"assistant","content":[{"type":"text","text":"[reasoning removed]"}]}' ]
	[ "$(jq -c '[.index, .rule]' log | tr '\n' ' ')" = '[2,"age"] [3,"bound reasoning"] [5,"bound reasoning"] [7,"bound reasoning"] ' ]
	[ "$(find spool -name 'reasoning-*.json' | wc -l)" -eq 3 ]
	ctx-restore -d anthropic -S spool out | cmp - t
	ctx-age "$@" out | cmp - out
	[ "$(ctx-restore -d anthropic -S spool --list out | grep -c '^whole.*reasoning-')" -eq 3 ]
	[ -z "$(ctx-restore -d anthropic -S spool --gc out)" ]
	[ "$(ctx-restore -d anthropic -S spool --gc <(head -n 1 t) | grep -c reasoning-)" -eq 3 ]
}

@test "no reasoning is restored after a result whose file is missing" {
	bound_talk "$(printf 'rain %.0s' {1..100})" > t
	ctx-age -d anthropic -k 1 -o 40 -S spool t > out
	# The provider would refuse reasoning that was signed with the result.
	find spool -name '*.json' ! -name 'reasoning-*' -delete
	find spool -type f ! -name 'reasoning-*' ! -name '.*' -delete
	run -1 --separate-stderr ctx-restore -d anthropic -S spool out
	[ "$output" = "$(cat out)" ]
	[ "$(ctx-restore -d anthropic -S spool --list out | grep -c '^whole.*reasoning-')" -eq 3 ]
	[ -z "$(ctx-restore -d anthropic -S spool --gc out)" ]
}

@test "reasoning is restored in a conversation that grew and was aged again" {
	bound_talk "$(printf 'rain %.0s' {1..100})" > t
	long=$(printf 'sun %.0s' {1..100})
	{
		cat t
		echo '{"role":"user","content":"Once more."}'
		echo '{"role":"assistant","content":[{"type":"thinking","thinking":"five","signature":"Eq5="},{"type":"tool_use","id":"b","name":"wx","input":{}}]}'
		echo "{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"b\",\"content\":\"$long\"}]}"
		echo '{"role":"assistant","content":[{"type":"thinking","thinking":"six","signature":"Eq6="},{"type":"text","text":"ok"}]}'
	} > more
	ctx-age -d anthropic -k 1 -o 40 -S spool t > first
	{ cat first; tail -n 4 more; } > second
	ctx-age -d anthropic -k 1 -o 40 -S spool second > third
	# The reasoning before the second change is kept.
	grep -q five third
	run ! grep -q six third
	ctx-restore -d anthropic -S spool third | cmp - more
}

@test "reasoning is not restored into a changed message, nor from a forged file" {
	bound_talk "$(printf 'rain %.0s' {1..100})" > t
	ctx-age -d anthropic -k 1 -o 40 -S spool t > out
	sed '4s/"ok"/"no"/' out > changed
	ctx-restore -d anthropic -S spool changed > back
	# A model that binds would refuse it after the changed text, too.
	sed '1,3d' changed | cmp - <(sed '1,3d' back)
	head -n 3 t | cmp - <(head -n 3 back)
	for file in spool/reasoning-*; do
		sed -i 's/"text":"ok"/"text":"forged"/' "$file"
	done
	run -1 --separate-stderr ctx-restore -d anthropic -S spool out
	[ "${lines[3]}" = "$(sed -n 4p out)" ]
	[ "${lines[5]}" = "$(sed -n 6p t)" ]
}

@test "reasoning is not restored into an equal message of another conversation" {
	bound_talk "$(printf 'rain %.0s' {1..100})" > t
	sed -e 's/"a"/"b"/; s/rain/snow/g' \
	    -e '/Eq2/s/{"type":"thinking"[^}]*},//' t > u
	for file in t u; do
		ctx-age -d anthropic -k 1 -o 40 -S spool $file > $file.aged
	done
	# Both begin with the same question and answer "ok" after a result.
	[ "$(sed -n 4p t.aged)" = "$(sed -n 4p u.aged)" ]
	for file in t u; do
		ctx-restore -d anthropic -S spool $file.aged | cmp - $file
	done
}

@test "reasoning is restored in two conversations that differ only in their images" {
	# The question and the answer are the same.
	for payload in AAAA CCCC; do
		jq -nc --arg p "$payload" '{messages: [
		    {role: "user", content: [{type: "text", text: "What is it?"},
			{type: "image", source: {type: "base64",
			    media_type: "image/png", data: ($p * 400)}}]},
		    {role: "assistant", content: [{type: "thinking",
			thinking: $p, signature: "Eq1="},
			{type: "text", text: "ok"}]},
		    {role: "user", content: "So?"}]}'
	done > t
	ctx-age -d anthropic -S spool --media 0 t > out
	run ! grep -q thinking out
	[ "$(find spool -name 'reasoning-*.json' | wc -l)" -eq 2 ]
	ctx-restore -d anthropic -S spool out | cmp - t
	# Of two images one is moved first: its placeholder counts as the image.
	jq -c '.messages |= . + .' t > two
	ctx-age -d anthropic -S spool --media 1 two > first
	ctx-age -d anthropic -S spool --media 0 first > out
	ctx-restore -d anthropic -S spool out | cmp - two
}

@test "--reasoning keep and fail, --mask and older models leave reasoning in place" {
	bound_talk "$(printf 'rain %.0s' {1..100})" > t
	set -- -d anthropic -k 1 -o 40 -S spool
	ctx-age "$@" --reasoning keep t > out 2> err
	sed '1,3d' t | cmp - <(sed '1,3d' out)
	grep -q 'kept the signed reasoning of 3 messages' err
	ctx-restore -d anthropic -S spool out | cmp - t
	run -1 --separate-stderr ctx-age "$@" --reasoning fail t
	[ "$output" = "$(cat t)" ]
	[[ $stderr = *"1 conversations are unchanged"* ]]
	# Nothing is refused if nothing would change.
	ctx-age "$@" --reasoning fail --at-least 100k t > out
	cmp t out
	jq -cs '{model: "claude-opus-5-5", messages: .}' t > r
	run -1 --separate-stderr ctx-age -k 1 -o 40 -S spool --reasoning fail r
	[ "$output" = "$(cat r)" ]
	head -n 3 t > u
	ctx-age -d anthropic -k 0 -o 40 -S spool --reasoning fail u > out
	grep -q 'characters in' out
	ctx-age "$@" -m claude-opus-4-8 t > out 2> err
	sed '1,3d' t | cmp - <(sed '1,3d' out)
	[ ! -s err ]
	rm -rf spool
	ctx-age -d anthropic -k 1 -o 40 --mask t > out
	run ! grep -q 'Eq[234]' out
	[ ! -e .ctx ]
}

@test "reasoning is restored in a message of several records, which is reported once" {
	# The records with reasoning differ in nothing else.
	jq -nc --arg rain "$(printf 'rain %.0s' {1..100})" '
	    def answer($id; $block): {id: $id, type: "message", role: "assistant",
		model: "claude-opus-5-5", content: [$block]};
	    [{role: "user", content: "Weather?"},
	     answer("m1"; {type: "tool_use", id: "a", name: "wx", input: {}}),
	     {role: "user", content: [{type: "tool_result", tool_use_id: "a",
		content: $rain}]},
	     answer("m2"; {type: "text", text: "so"}),
	     answer("m2"; {type: "thinking", thinking: "one", signature: "Eq1="}),
	     answer("m2"; {type: "thinking", thinking: "two", signature: "Eq2="}),
	     answer("m2"; {type: "text", text: "ok"})] | to_entries[] |
	    {type: .value.role, uuid: "\(.key)", sessionId: "s",
	     parentUuid: (if .key > 0 then "\(.key - 1)" else null end),
	     message: .value}' > t
	set -- -d claude-code -k 1 -o 40 -S spool
	ctx-age "$@" t > out
	run ! grep -q thinking out
	[ "$(find spool -name 'reasoning-*.json' | wc -l)" -eq 2 ]
	ctx-restore -S spool out | cmp - t
	rm -r spool
	ctx-age "$@" -n t > plan
	grep -q 'bound reasoning  *1 messages' plan || fail "$(cat plan)"
}

@test "reasoning is restored after the system prompt was changed" {
	cat > t <<X
{"role":"system","content":"Be brief."}
{"role":"user","content":"Weather?"}
{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"wx","arguments":"{}"}}]}
{"role":"tool","tool_call_id":"a","content":"$(printf 'rain %.0s' {1..100})"}
{"role":"assistant","content":"ok","thinking_blocks":[{"type":"thinking","thinking":"hm","signature":"Eq1="}]}
X
	ctx-age -m claude-opus-5-5 -k 1 -o 40 -S spool t > out
	run ! grep -q thinking out
	sed '1s/brief/kind/' out | ctx-restore -S spool |
	    cmp - <(sed '1s/brief/kind/' t)
}

@test "reasoning whose file cannot be written is kept, with a message" {
	bound_talk "$(printf 'rain %.0s' {1..100})" > t
	set -- -d anthropic -k 1 -o 40 -S spool
	ctx-age "$@" t > good
	name=$(ls spool/reasoning-* | head -n 1)
	rm -rf spool
	mkdir -m 700 spool spool/x
	mv spool/x "$name"
	run -2 --separate-stderr ctx-age "$@" t
	[ "${#stderr_lines[@]}" -eq 2 ]
	[[ ${stderr_lines[0]} == *": $name is not a regular file; the signed reasoning is kept" ]] ||
		fail "$stderr"
	[[ ${stderr_lines[1]} == *"kept the signed reasoning of 1 messages"* ]]
	# If no result can be stored either, nothing changes, and only the
	# results are counted.
	{ bound_talk "$(printf 'rain %.0s' {1..100})"
	  bound_talk "$(printf 'rain %.0s' {1..100})" | sed 's/"a"/"b"/'; } > two
	run -2 --separate-stderr ctx-age "$@" -S /dev/null/spool two
	[ "$output" = "$(cat two)" ]
	[ "${#stderr_lines[@]}" -eq 2 ]
	[[ ${stderr_lines[0]} == *"the tool result is unchanged" ]]
	[[ ${stderr_lines[1]} == *": 2 tool results could not be stored"* ]]
}

@test "if the spool cannot be synced, reasoning is kept; it is bound if an earlier message was changed" {
	command -v strace > /dev/null || fail "no strace here"
	[ "$(uname)" = Linux ] || return 0
	export ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0
	bound_talk "$(printf 'rain %.0s' {1..100})" > t
	jq -cs '{model: "claude-opus-5-5", messages: .}' t > r
	failing() { # NUMBER of the fsync that fails, FILE
		rm -rf spool
		strace -o trace -e trace=fsync -e "inject=fsync:error=EIO:when=$1" \
		    ctx-age -v -k 1 -o 40 -S spool "$2" > out 2> err &&
			fail "no error"
		grep -q INJECTED trace
	}
	# The directory of the spool, its first file, the directory again, the
	# first file with reasoning, and the directory once more.
	failing 5 t
	grep -q ':4: cannot flush spool directory spool .*; the signed reasoning is kept$' err ||
		fail "$(cat err)"
	grep -q 'kept the signed reasoning of 1 messages' err
	grep -q 'removed signed reasoning from 2 messages' err
	[ "$(sed -n 4p out)" = "$(sed -n 4p t)" ]
	run ! grep -q 'Eq[34]' out
	# A record whose files are not on disk does not change, so that nothing
	# is bound.
	failing 6 r
	cmp out r
	grep -q ':1: cannot flush spool directory spool .*; the tool result is unchanged$' err ||
		fail "$(cat err)"
	run ! grep -q 'signed reasoning' err
}

@test "with -i each file has its own message about results that could not be stored" {
	{ call a run "$(long 900)"; call b run "$(long 800)"; } > in
	call c run hello > short
	cp in other
	run -2 --separate-stderr ctx-age -i -k 0 -S /dev/null/spool in short other
	[ "$(grep -c ': 2 tool results could not be stored' <<< "$stderr")" -eq 2 ]
	[ "$(grep -c '^ctx-age: in:2: ' <<< "$stderr")" -eq 1 ]
	[ "$(grep -c '^ctx-age: other:2: ' <<< "$stderr")" -eq 1 ]
}
