# ctx-check: what providers have accepted or refused in recorded requests

load helper
load check

# judged DIALECT LINE:RULE... -- MESSAGE...
judged() {
	local dialect=$1 want=()
	shift
	while [ "$1" != -- ]; do
		want+=("$1")
		shift
	done
	shift
	printf '%s\n' "$@" > in
	[ "$(finds -d "$dialect" in)" = "${want[*]}" ] ||
		fail "$(finds -d "$dialect" in), not ${want[*]}"
}

@test "openai accepts empty texts" {
	judged openai-chat -- "$U" '{"role":"assistant","content":""}' "$CALL" "$RA" "$RB"
	judged openai-responses -- '{"role":"user","content":[{"type":"input_text","text":"a"}]}' \
	    '{"role":"assistant","content":""}' \
	    '{"type":"message","role":"assistant","content":[{"type":"output_text","text":""}]}' \
	    '{"role":"user","content":""}'
	printf '%s\n' "$U" '{"role":"assistant","content":""}' "$U" > in
	[ "$(finds -d openai-chat --provider anthropic in)" = 2:empty-message ]
}

@test "anthropic accepts a repeated id in a later turn, not in one message" {
	local call='{"type":"tool_use","id":"a","name":"f","input":{}}'
	local got='{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"1"}]}'
	judged anthropic -- "$U" "{\"role\":\"assistant\",\"content\":[$call]}" "$got" \
	    "{\"role\":\"assistant\",\"content\":[$call]}" "$got"
	judged anthropic 2:duplicate-id 2:orphan-call -- "$U" \
	    "{\"role\":\"assistant\",\"content\":[$call,$call]}" "$got"
}

@test "anthropic: a server tool may be left open in a message with a client's tool, and at a pause" {
	local own='{"type":"server_tool_use","id":"s","name":"web_search","input":{}}'
	local call='{"type":"tool_use","id":"a","name":"f","input":{}}'
	local got='{"type":"tool_result","tool_use_id":"a","content":"1"}'
	local both="{\"role\":\"assistant\",\"content\":[$own,$call]}"
	judged anthropic -- "$U" "$both" "{\"role\":\"user\",\"content\":[$got]}"
	judged anthropic -- "$U" "{\"role\":\"assistant\",\"content\":[$own]}"
	judged anthropic 2:orphan-call -- "$U" "$both" \
	    "{\"role\":\"user\",\"content\":[$got,{\"type\":\"text\",\"text\":\"and?\"}]}"
	judged anthropic 2:orphan-call -- "$U" "$both" \
	    "{\"role\":\"user\",\"content\":[$got]}" "$U"
	# A program that waits for the results of its calls has not ended,
	local programs=$BATS_TEST_DIRNAME/corpus/anthropic/programs.jsonl
	[ -z "$(finds <(head -n 5 "$programs"))" ]
	[ -z "$(finds <(head -n 7 "$programs"))" ]
	# unless the user speaks before it calls again.
	[ "$(finds <(sed -n '4p;5s/}\]}$/},{"type":"text","text":"and?"}]}/p;6,7p' "$programs"))" = 1:orphan-call ]
}

@test "anthropic accepts white space next to a text or a call, not alone" {
	local text='{"type":"text","text":"%s"}' call='{"type":"tool_use","id":"a","name":"f","input":{}}'
	local got='{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"1"}]}'
	# shellcheck disable=SC2059 # the format is constant
	says() { printf "{\"role\":\"$1\",\"content\":[$text,%s]}" "$2" "$3"; }
	judged anthropic -- "$(says user ' ' '{"type":"text","text":"a"}')" \
	    "$(says assistant ' ' "$call")" "$got"
	judged anthropic 1:empty-text -- "$(says user '' '{"type":"text","text":"a"}')"
	judged anthropic 2:empty-text 2:reasoning-only -- "$U" "$(says assistant ' ' \
	    '{"type":"thinking","thinking":"x","signature":"s"}')" "$U"
	judged anthropic 2:empty-text -- "$U" "$(says assistant ' ' \
	    '{"type":"server_tool_use","id":"s","name":"web_search","input":{}},{"type":"web_search_tool_result","tool_use_id":"s","content":[]}')" "$U"
	echo '{"role":"user","content":[{"text":" "},{"text":"a"}]}' > in
	[ -z "$(finds -d bedrock in)" ]
	echo '{"role":"user","content":[{"text":" "}]}' > in
	[ "$(finds -d bedrock in)" = 1:empty-text ]
}

@test "bedrock accepts the ids of Kimi models" {
	use() {
		printf '{"role":"user","content":[{"text":"a"}]}\n'
		printf '{"role":"assistant","content":[{"toolUse":{"toolUseId":"%s","name":"f","input":{}}}]}\n' "$1"
		printf '{"role":"user","content":[{"toolResult":{"toolUseId":"%s","content":[{"text":"1"}]}}]}\n' "$1"
	}
	[ -z "$(finds <(use functions.f:0))" ]
	[ "$(finds <(use 'a|b'))" = 2:bad-id ]
}

@test "responses accepts arguments of any JSON type" {
	printf '%s\n' '{"type":"function_call","call_id":"a","name":"f","arguments":"[]"}' \
	    '{"type":"function_call_output","call_id":"a","output":"1"}' > in
	[ -z "$(finds in)" ]
	sed 's/\[\]/[/' in > cut
	[ "$(finds cut)" = 1:bad-arguments ]
}

@test "responses: a tool search that the provider runs is paired with nothing" {
	cat > in <<-'END'
	{"role":"user","content":[{"type":"input_text","text":"a"}]}
	{"type":"tool_search_call","id":"tsc_1","call_id":null,"execution":"server","arguments":{},"status":"completed"}
	{"type":"tool_search_output","id":"tso_1","call_id":null,"execution":"server","tools":[],"status":"completed"}
	{"type":"tool_search_call","id":"tsc_2","call_id":"tsc_2","execution":"server","arguments":{},"status":"completed"}
	END
	[ -z "$(finds in)" ]
	sed 's/"server"/"client"/; s/null/"c"/' in > client
	[ "$(finds client)" = 4:orphan-call ]
}

@test "responses: reasoning with an id needs a message with an id after it" {
	local reasons='{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"x"}'
	local q='{"role":"user","content":[{"type":"input_text","text":"a"}]}'
	judged openai-responses 2:lone-reasoning -- "$q" "$reasons" '{"role":"assistant","content":"b"}' "$q"
	judged openai-responses -- "$q" "$reasons" '{"role":"assistant","id":"msg_1","content":"b"}' "$q"
	judged openai-responses -- "$q" "${reasons/\"id\":\"rs_1\",/}" '{"role":"assistant","content":"b"}' "$q"
	judged openai-responses -- "$q" "$reasons" '{"type":"function_call","call_id":"a","name":"f","arguments":"{}"}' \
	    '{"type":"function_call_output","call_id":"a","output":"1"}'
}

@test "vercel-model: a result after the next question is found and repaired" {
	cat > in <<-'END'
	{"role":"user","content":"a"}
	{"role":"assistant","content":[{"type":"tool-call","toolCallId":"a","toolName":"f","input":{}}]}
	{"role":"user","content":"well?"}
	{"role":"tool","content":[{"type":"tool-result","toolCallId":"a","toolName":"f","output":{"type":"text","value":"1"}}]}
	{"role":"assistant","content":"b"}
	END
	[ "$(finds in)" = "2:orphan-call 4:result-order" ]
	ctx-check --repair in > out
	[ "$(jq -r .role out | paste -sd ' ')" = "user assistant tool user assistant" ]
	[ -z "$(finds out)" ]
	# What the provider runs, or the user is asked about, may wait.
	sed 's/"input":{}/&,"providerExecuted":true/' in > theirs
	[ -z "$(finds theirs)" ]
	sed 's/"input":{}}/&,{"type":"tool-approval-request","approvalId":"p","toolCallId":"a"}/' in |
	    sed '$a{"role":"tool","content":[{"type":"tool-approval-response","approvalId":"p","approved":true}]}' > asked
	[ -z "$(finds asked)" ]
}

@test "--repair moves responses results after the run of their calls" {
	call() {
		printf '{"type":"function_call","call_id":"%s","name":"f","arguments":"{}"}\n' "$1"
	}
	got() {
		printf '{"type":"function_call_output","call_id":"%s","output":"%s"}\n' "$@"
	}
	none='[no result: the call was interrupted]'
	{ call a; call b; call c; got b 1; call d; } > in
	{ call a; call b; call c; got a "$none"; got c "$none"; got b 1
	  call d; got d "$none"; } > want
	repaired in want
	jq -cs '{input: .}' in > in2
	jq -cs '{input: .}' want > want2
	repaired in2 want2
}

@test "--repair inserts a user message before a first message of another role" {
	local none='[earlier messages are missing]'
	printf '%s\n' '{"role":"user","content":[{"toolResult":{"toolUseId":"a","content":[{"text":"1"}]}}]}' \
	    '{"role":"assistant","content":[{"text":"b"}]}' '{"role":"user","content":[{"text":"c"}]}' > in
	{ echo '{"role":"user","content":[{"text":"'"$none"'"}]}'; tail -n 2 in; } > want
	repaired in want
	jq -cs '{messages: .}' in > in2
	jq -cs '{messages: .}' want > want2
	repaired in2 want2
	ctx-check --repair --explain log in > out
	[ "$(jq -r 'select(.rule == "first-message") | .action, .sha256' log)" = \
	    "insert
$(printf %s "$(head -n 1 want)" | sha256sum | cut -d ' ' -f 1)" ]
	printf '%s\r\n' '{"role":"model","parts":[{"text":"b"}]}' > in
	printf '%s\r\n' '{"role":"user","parts":[{"text":"'"$none"'"}]}' \
	    '{"role":"model","parts":[{"text":"b"}]}' > want
	repaired in want
	printf '%s\n' "$A" "$U" > in
	ctx-check -d openai-chat --provider bedrock --repair in > out
	[ "$(jq -r .content out | head -n 1)" = "$none" ]
}
