# The programs that make and judge the conversations of the other tests: they
# agree with each other, and each rule of the judge is broken once on purpose.

bats_require_minimum_version 1.5.0

DIALECTS="openai-chat generic openai-responses anthropic bedrock gemini"

setup() {
	PATH=${B:?}/gen-tools:$PATH
	cd "$BATS_TEST_TMPDIR" || return
	sample=$BATS_TEST_DIRNAME/sample
}

# refused DIALECT "LINE:RULE..." RECORD...: just this is found, in this order
refused() {
	local dialect=$1 what=$2
	shift 2
	printf '%s\n' "$@" > in
	run -1 valid "$dialect" < in
	[ "$(cut -d: -f1,2 <<< "$output" | tr -d ' ' | paste -sd' ')" = "$what" ]
}

# accepted DIALECT RECORD...
accepted() {
	local dialect=$1
	shift
	printf '%s\n' "$@" > in
	run -0 valid "$dialect" < in
	[ -z "$output" ]
}

@test "convo makes valid conversations, as lines and as records" {
	local n=${CHECK_LONG:-100}
	for d in $DIALECTS; do
		convo --dialect "$d" --count "$n" --wrap > wrap
		valid "$d" --wrap --allow-pending < wrap
		[ "$(wc -l < wrap)" -eq "$n" ]
		for seed in 0 1 2 3 4 5; do
			convo --dialect "$d" --seed "$seed" --count 5 > lines
			valid "$d" --allow-pending < lines
		done
	done
}

@test "convo makes equal bytes for equal seeds and others for other seeds" {
	convo --dialect anthropic --seed 7 > a
	convo --dialect anthropic --seed 7 > b
	convo --dialect anthropic --seed 8 > c
	cmp a b
	run -1 cmp -s a c
}

@test "convo leaves some calls open, which only valid --allow-pending accepts" {
	for d in openai-chat openai-responses anthropic bedrock gemini; do
		convo --dialect "$d" --count 40 --wrap > a
		valid "$d" --wrap --allow-pending < a
		run -1 valid "$d" --wrap < a
		printf '%s\n' "${lines[@]}" > found
		run -1 grep -v ': unanswered-call: ' found
		n=$(cut -d: -f1 found | sort -u | wc -l)
		[ "$n" -ge 2 ] && [ "$n" -le 20 ]
	done
}

@test "convo --broken makes conversations of which most are invalid" {
	for d in openai-chat openai-responses anthropic bedrock gemini; do
		convo --dialect "$d" --count 100 --broken --wrap > a
		run -1 valid "$d" --wrap --allow-pending < a
		printf '%s\n' "${lines[@]}" | cut -d: -f1 | sort -u > b
		[ "$(wc -l < b)" -ge 30 ]
	done
}

@test "convo --messages makes longer conversations, --crlf ends lines with CRLF" {
	convo --seed 3 --messages 400 > a
	[ "$(wc -l < a)" -gt 40 ]
	convo --seed 3 --messages 400 --crlf > b
	[ "$(grep -c $'\r$' b)" -eq "$(wc -l < a)" ]
	sed 's/\r$//' b | cmp - a
	valid openai-chat --allow-pending < b
}

@test "convo --blanks writes blanks before and after records" {
	convo --seed 3 > a
	convo --seed 3 --blanks > b
	grep -q '^ {.*}$' b
	grep -q '^{.*} $' b
	sed 's/^[ \t\r]*//; s/[ \t\r]*$//' b | cmp - a
}

@test "convo makes parallel calls, mixed order, custom tools and several scripts" {
	convo --seed 1 --count 200 > a
	grep -Eq '"id":"[^"]*","type":"function".*"id":"[^"]*","type":"function"' a
	for s in '"custom"' reasoning_content function_call developer image_url \
	    input_audio 'テスト' 'परीक्षण' '\\ud83d' '\\uD83D' '[^\\]\\/' 'E+2' \
	    '18446744073709551616' '"content":null' '👨‍👩‍👧‍👦'; do
		grep -Eq -- "$s" a || { echo "no $s"; return 1; }
	done
}

@test "valid accepts the samples" {
	valid openai-chat < "$sample/agent.jsonl"
	valid generic < "$sample/chat.jsonl"
	valid openai-chat < "$sample/chat.jsonl"
}

U='{"role":"user","content":"hi"}'
A='{"role":"assistant","content":"yes"}'
CALL='{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}},{"id":"b","type":"function","function":{"name":"f","arguments":"{}"}}]}'
RA='{"role":"tool","tool_call_id":"a","content":"1"}'
RB='{"role":"tool","tool_call_id":"b","content":"2"}'

@test "valid checks OpenAI Chat Completions" {
	accepted openai-chat "$U" "$CALL" "$RB" "$RA" "$A" "$CALL" "$RA" "$RB"
	refused openai-chat 3:json "$U" "$A" '{"role":'
	refused openai-chat 2:json "$U" '["role"]'
	refused openai-chat 2:role "$U" '{"content":"x"}'
	refused openai-chat 2:unanswered-call "$U" "$CALL" "$RA" "$U"
	refused openai-chat 2:unanswered-call "$U" "$CALL" "$RB"
	refused openai-chat "2:unanswered-call 5:orphan-result" \
	    "$U" "$CALL" "$RA" "$U" "$RB"
	refused openai-chat 2:orphan-result "$U" "$RA"
	refused openai-chat 6:orphan-result "$U" "$CALL" "$RA" "$RB" "$A" "$RA"
	refused openai-chat 4:duplicate-result "$U" "$CALL" "$RA" "$RA" "$RB"
	refused openai-chat 2:empty-calls "$U" \
	    '{"role":"assistant","content":"x","tool_calls":[]}'
	refused openai-chat 2:duplicate-id "$U" "${CALL/\"b\"/\"a\"}" "$RA"
	refused openai-chat 2:empty "$U" '{"role":"assistant","content":null}'
	refused openai-chat 2:empty "$U" '{"role":"assistant","content":[]}'
	refused openai-chat 1:empty '{"role":"user"}'
	accepted openai-chat "$U" '{"role":"assistant","content":""}'
	refused openai-chat 2:reasoning-only "$U" \
	    '{"role":"assistant","content":null,"reasoning_content":"hm"}'
	refused openai-chat 2:id-form "$U" '{"role":"assistant","tool_calls":[{}]}' \
	    '{"role":"tool","content":"x"}'
}

@test "valid --templates accepts a system message only as the first" {
	for d in openai-chat generic; do
		printf '{"role":"%s","content":"a"}\n' system user assistant |
		    valid $d --templates
		printf '{"role":"%s","content":"a"}\n' system system user > in
		valid $d < in
		run -1 valid $d --templates < in
		[[ $output == "2: late-system: "* ]]
	done
}

@test "valid checks the legacy function calls of OpenAI Chat Completions" {
	F='{"role":"assistant","content":null,"function_call":{"name":"f","arguments":"{}"}}'
	accepted openai-chat "$U" "$F" '{"role":"function","name":"f","content":"1"}'
	refused openai-chat 2:orphan-result "$U" \
	    '{"role":"function","name":"f","content":"1"}'
	refused openai-chat 3:orphan-result "$U" "$F" \
	    '{"role":"function","name":"g","content":"1"}'
}

@test "valid checks plain messages of role and content" {
	accepted generic "$A" "$U" "$U"
	refused generic 1:role '{"content":"x"}'
	refused generic 1:empty '{"role":"user"}'
	accepted generic '{"role":"assistant","content":""}'
}

@test "valid checks OpenAI Responses" {
	R='{"type":"reasoning","id":"rs_1","summary":[]}'
	C='{"type":"function_call","call_id":"a","name":"f","arguments":"{}"}'
	O='{"type":"function_call_output","call_id":"a","output":"1"}'
	accepted openai-responses "$U" "$R" "$C" "$A" "$O" "${R/rs_1/rs_2}" \
	    "${A/\{/\{\"id\":\"msg_1\",}"
	refused openai-responses 2:reasoning-alone "$U" "$R" "$A"
	accepted openai-responses "$U" "${R/\"id\":\"rs_1\",/}" "$A"
	accepted openai-responses "$U" "$C" "$O" "$C" "$O"
	refused openai-responses 2:unanswered-call "$U" "$C" "$A" "$U"
	refused openai-responses 2:orphan-result "$U" "$O"
	refused openai-responses 4:duplicate-result "$U" "$C" "$O" "$O"
	refused openai-responses 3:duplicate-id "$U" "$C" "$C" "$O"
	refused openai-responses 2:orphan-result "$U" "${O/function/custom_tool}"
	refused openai-responses 2:reasoning-alone "$U" "$R" "$U"
	refused openai-responses 3:reasoning-alone "$U" "$C" "$R" "$O"
	refused openai-responses 2:reasoning-alone "$U" "$R"
	refused openai-responses 1:empty '{"role":"user","content":[]}'
	accepted openai-responses '{"role":"user","content":""}'
	accepted openai-responses \
	    '{"role":"user","content":[{"type":"input_text","text":""}]}'
	refused openai-responses 1:role '{"type":"message","content":"x"}'
	refused openai-responses 5:duplicate-item "$U" "$R" "$C" "$O" "$R" "$C" "$O"
	refused openai-responses 1:trigger-place '{"type":"compaction_trigger"}' "$U"
}

@test "valid --allow-pending accepts open calls at the end only" {
	pending() {
		local dialect=$1
		shift
		printf '%s\n' "$@" > in
		valid "$dialect" --allow-pending < in
	}
	C='{"type":"function_call","call_id":"a","name":"f","arguments":"{}"}'
	USE='{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}},{"type":"tool_use","id":"b","name":"f","input":{}}]}'
	RES='{"role":"user","content":[{"type":"tool_result","tool_use_id":"a"}]}'

	pending openai-chat "$U" "$CALL"
	pending openai-chat "$U" "$CALL" "$RB"
	run -1 pending openai-chat "$U" "$CALL" "$RB" "$U"
	pending openai-responses "$U" "$C"
	run -1 pending openai-responses "$U" "$C" "$U"
	pending anthropic "$U" "$USE"
	run -1 pending anthropic "$U" "$USE" "$RES"
}

@test "valid checks Anthropic messages" {
	C='{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}},{"type":"tool_use","id":"b","name":"f","input":{}}]}'
	RA='{"type":"tool_result","tool_use_id":"a","content":"1"}'
	RB='{"type":"tool_result","tool_use_id":"b"}'
	T='{"type":"text","text":"x"}'
	S='{"role":"system","content":"be brief"}'
	user() { printf '{"role":"user","content":[%s]}' "$1"; }
	said() { printf '{"role":"assistant","content":[%s]}' "$1"; }

	accepted anthropic "$U" "$U" "$C" "$(user "$RB,$RA,$T")" "$A" "$U" "$S" "$A"
	accepted anthropic "$U" "$C" "$(user "$RA")" "$(user "$RB")" "$A"
	accepted anthropic "$A" "$U"
	refused anthropic 2:unanswered-call "$U" "$C" "$(user "$RA")" "$A"
	refused anthropic 2:unanswered-call "$U" "$C" "$(user "$RA")"
	refused anthropic "2:unanswered-call 2:unanswered-call" "$U" "$C"
	refused anthropic "2:unanswered-call 5:orphan-result" \
	    "$U" "$C" "$(user "$RA")" "$A" "$(user "$RB")"
	refused anthropic 4:orphan-result "$U" "$C" "$(user "$RA,$RB")" \
	    "$(user "${RA/\"a\"/\"c\"}")"
	refused anthropic 3:duplicate-result "$U" "$C" "$(user "$RA,$RA,$RB")"
	refused anthropic 3:result-place "$U" "$C" "$(user "$RA,$T,$RB")"
	refused anthropic 4:result-place "$U" "$C" "$(user "$RA,$T")" "$(user "$RB")"
	refused anthropic 2:result-place "$U" "$(said "$RA")"
	refused anthropic 2:empty "$U" "$(said '{"type":"text","text":" "}')" "$U"
	refused anthropic 1:empty '{"role":"user","content":[]}' "$A"
	refused anthropic 2:empty "$U" '{"role":"assistant","content":[]}' "$U"
	accepted anthropic "$U" '{"role":"assistant","content":[]}'
	refused anthropic 2:reasoning-only "$U" \
	    "$(said '{"type":"thinking","thinking":"h","signature":"s"}')" "$U"
	refused anthropic 2:signature "$U" \
	    "$(said '{"type":"thinking","thinking":"h","signature":""},'"$T")"
	refused anthropic 2:signature "$U" \
	    "$(said '{"type":"redacted_thinking"},'"$T")"
	accepted anthropic "$U" "$C" "$(user "$RA,$RB")" \
	    "${C/\"b\"/\"c\"}" "$(user "$RA,${RB/\"b\"/\"c\"}")"
	refused anthropic 2:duplicate-id "$U" "${C/\"b\"/\"a\"}" "$(user "$RA")"
	accepted anthropic "$(user '{"type":"text","text":" "},'"$T")"
	refused anthropic 1:empty "$(user '{"type":"text","text":""},'"$T")"
	refused anthropic 2:role "$U" '{"role":"tool","content":"x"}'
}

@test "valid checks ids, input, system messages and server tools of Anthropic" {
	said() { printf '{"role":"assistant","content":[%s]}' "$1"; }
	use() { said '{"type":"tool_use","id":"'"$1"'","name":"f","input":'"$2"'}'; }
	result() {
		printf '{"role":"user","content":[{"type":"tool_result","tool_use_id":"%s"}]}' "$1"
	}
	S='{"role":"system","content":"be brief"}'
	W='{"type":"server_tool_use","id":"w","name":"web_search","input":{}}'
	WR='{"type":"web_search_tool_result","tool_use_id":"w","content":[]}'

	refused anthropic 2:id-form "$U" "$(use a.b '{}')" "$(result a.b)"
	refused anthropic 2:input "$U" "$(use a '"{}"')" "$(result a)"
	refused anthropic 3:system-place "$U" "$A" "$S"
	refused anthropic 2:system-place "$U" "$S" "$U"
	refused anthropic 2:system-place "$U" "$S" "$S" "$U"
	accepted anthropic "$U" "$S" "$S" "$A"
	refused anthropic \
	    "2:unanswered-call 3:system-place 3:system-place 4:orphan-result" \
	    "$U" "$(use a '{}')" "$S" "$(result a)"
	accepted anthropic "$U" "$(said "$W,$WR")" "$S" "$A"
	refused anthropic 2:orphan-result "$U" "$(said "$WR")"
	refused anthropic 2:unanswered-call "$U" "$(said "$W")" "$U"
	accepted anthropic "$U" "$(said "$W")"
	C='{"type":"tool_use","id":"a","name":"f","input":{}}'
	accepted anthropic "$U" "$(said "$W,$C")" "$(result a)"
	refused anthropic 2:unanswered-call "$U" "$(said "$W,$C")" "$(result a)" "$U"
}

@test "valid checks Bedrock messages" {
	U='{"role":"user","content":[{"text":"hi"}]}'
	A='{"role":"assistant","content":[{"text":"yes"}]}'
	C='{"role":"assistant","content":[{"toolUse":{"toolUseId":"a","name":"f","input":{}}},{"toolUse":{"toolUseId":"b","name":"f","input":{}}}]}'
	RA='{"toolResult":{"toolUseId":"a","content":[{"text":"1"}]}}'
	RB='{"toolResult":{"toolUseId":"b","content":[{"json":{}}]}}'
	user() { printf '{"role":"user","content":[%s]}' "$1"; }
	said() { printf '{"role":"assistant","content":[%s]}' "$1"; }

	accepted bedrock "$U" "$C" "$(user "$RB,$RA")" "$A" "$U"
	refused bedrock 1:first "$A" "$U"
	refused bedrock 2:alternation "$U" "$U"
	refused bedrock 3:alternation "$U" "$A" "$A"
	refused bedrock 2:role "$U" '{"role":"system","content":[{"text":"x"}]}'
	refused bedrock 2:unanswered-call "$U" "$C" "$(user "$RA")" "$A"
	refused bedrock 2:unanswered-call "$U" "$C" "$(user "$RA")"
	refused bedrock "2:unanswered-call 2:unanswered-call" "$U" "$C"
	refused bedrock "2:unanswered-call 5:orphan-result" \
	    "$U" "$C" "$(user "$RA")" "$A" "$(user "$RB")"
	refused bedrock 1:orphan-result "$(user "$RA")" "$A"
	refused bedrock 3:duplicate-result "$U" "$C" "$(user "$RA,$RB,$RA")"
	refused bedrock 2:duplicate-id "$U" "${C/\"b\"/\"a\"}" "$(user "$RA")"
	refused bedrock 2:id-form "$U" \
	    "$(said '{"toolUse":{"toolUseId":"a b","name":"f","input":{}}}')" \
	    "$(user "${RA/\"a\"/\"a b\"}")"
	refused bedrock 2:input "$U" \
	    "$(said '{"toolUse":{"toolUseId":"a","name":"f","input":"{}"}}')" \
	    "$(user "$RA")"
	refused bedrock 1:empty '{"role":"user","content":[]}'
	refused bedrock 1:empty '{"role":"user","content":"hi"}'
	refused bedrock 1:empty "$(user '{"text":" \n"}')"
	accepted bedrock "$(user '{"text":" \n"},{"text":"x"}')"
	refused bedrock 1:empty "$(user '{"cachePoint":{"type":"default"}}')"
	refused bedrock 3:empty "$U" "$C" "$(user \
	    '{"toolResult":{"toolUseId":"a","content":[]}}'",$RB")"
	refused bedrock 2:reasoning-only "$U" "$(said \
	    '{"reasoningContent":{"reasoningText":{"text":"h"}}}')"
	refused bedrock 2:signature "$U" "$(said \
	    '{"reasoningContent":{"reasoningText":{"text":"h","signature":""}}},{"text":"x"}')"
}

@test "valid checks Gemini messages" {
	U='{"role":"user","parts":[{"text":"hi"}]}'
	A='{"role":"model","parts":[{"text":"yes"}]}'
	F='{"functionCall":{"name":"f","args":{}}}'
	G='{"functionCall":{"name":"g","args":{}}}'
	RF='{"functionResponse":{"name":"f","response":{}}}'
	RG='{"functionResponse":{"name":"g","response":{}}}'
	user() { printf '{"role":"user","parts":[%s]}' "$1"; }
	model() { printf '{"role":"model","parts":[%s]}' "$1"; }

	accepted gemini "$U" "$(model "$F,$G")" "$(user "$RG,$RF")" "$A"
	accepted gemini '{"parts":[{"text":"hi"}]}' \
	    "$(model '{"function_call":{"name":"f","args":{}}}')" \
	    '{"role":"function","parts":[{"function_response":{"name":"f","response":{}}}]}'
	refused gemini 1:first "$A"
	accepted gemini "$U" "$U" "$(model "$F")" "$(model "$F,$G")" \
	    "$(user "$RG,$RF,$RF")" "$U" "$A" "$A"
	printf '%s\n' "$U" "$U" "$A" "$A" > in
	run -1 valid gemini --templates < in
	[ "$(cut -d : -f 1,2 <<< "$output" | paste -sd ' ')" = \
	    "2: alternation 4: alternation" ]
	refused gemini 1:role '{"role":"assistant","parts":[{"text":"x"}]}' "$A"
	refused gemini 2:unanswered-call "$U" "$(model "$F,$G")" "$(user "$RF")"
	refused gemini 2:unanswered-call "$U" "$(model "$F,$F")" "$(user "$RF")"
	refused gemini 2:unanswered-call "$U" "$(model "$F")"
	refused gemini 3:orphan-result "$U" "$(model "$F")" "$(user "$RF,$RF")"
	refused gemini 1:orphan-result "$(user "$RF")"
	refused gemini 1:empty '{"role":"user","parts":[]}'
	refused gemini 2:empty "$U" "$(model '{}')"
	accepted gemini "$U" "$(model '{"text":""}')"
	refused gemini "2:unanswered-call 4:orphan-result" "$U" \
	    "$(model "$F,$G")" "$(user "$RF")" "$(user "$RG")"
	refused gemini 2:reasoning-only "$U" "$(model '{"text":"h","thought":true}')"
}

@test "valid checks ids and signatures of Gemini" {
	U='{"role":"user","parts":[{"text":"hi"}]}'
	call() { printf '{"role":"model","parts":[{"functionCall":{"name":"f","args":{},"id":"%s"}%s}]}' "$1" "$2"; }
	answer() { printf '{"role":"user","parts":[{"functionResponse":{"name":"f","id":"%s","response":{}}}]}' "$1"; }
	SIG=',"thoughtSignature":"s"'

	accepted gemini "$U" "$(call a)" "$(answer a)"
	refused gemini "3:orphan-result 2:unanswered-call" \
	    "$U" "$(call a)" "$(answer b)"
	refused gemini 4:signature "$U" "$(call a "$SIG")" "$(answer a)" \
	    "$(call b)" "$(answer b)"
	accepted gemini "$U" "$(call b)" "$(answer b)" \
	    '{"role":"model","parts":[{"text":"x"}]}' "$U" "$(call a "$SIG")" \
	    "$(answer a)"
}

@test "valid checks conversations inside records" {
	printf '{"messages":[%s,%s]}\n{"custom_id":"x","body":{"messages":[%s]}}\n' \
	    "$U" "$A" "$RA" > in
	run -1 valid openai-chat --wrap < in
	[ "${#lines[@]}" -eq 1 ] && [[ ${lines[0]} == "2: orphan-result: "* ]]
	echo '{"model":"x"}' > in
	run -1 valid openai-chat --wrap < in
	[[ ${lines[0]} == "1: json: "* ]]
}

@test "subseq accepts a file that only lacks lines of the other" {
	convo --seed 9 --messages 60 --count 5 > a
	subseq a a
	: > b
	subseq a b
	sed '3d;5,9d' a > b
	subseq a b
	sed '4s/$/ /' a > b
	run -1 subseq a b
	[[ $output == 4:* ]]
	{ sed -n 2p a; sed 2d a; } > b
	run -1 subseq a b
	sed '1p' a > b
	run -1 subseq a b
	printf %s "$(cat a)" > b
	run -1 subseq a b
}
