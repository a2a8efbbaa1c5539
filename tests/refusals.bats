# What providers refuse: the table in lib/dialect/NOTES.md, row by row.  Each
# row has a request here that gets its message.

load helper

NOTES=$BATS_TEST_DIRNAME/../lib/dialect/NOTES.md

# The rows of the table as lines "who|message|thread|rule|repair".
rows() {
	sed -n '/^## What providers refuse/,$ s/^| \(.*\) |$/\1/p' "$NOTES" |
	    sed -e 's/ | /|/g' -e '/^who|/d' -e '/^---/d'
}

# ---- requests ----

# A request of Anthropic's, Chat's or Responses' that holds these messages.
messages() {
	local IFS=,
	printf '{"model":"m","max_tokens":9,"messages":[%s]}\n' "$*"
}

items() {
	local IFS=,
	printf '{"model":"m","input":[%s]}\n' "$*"
}

contents() {
	local IFS=,
	printf '{"contents":[%s]}\n' "$*"
}

converse() {
	local IFS=,
	printf '{"modelId":"m","toolConfig":{"tools":[]},"messages":[%s]}\n' "$*"
}

# A message: role $1, content $2, JSON.
say() {
	printf '{"role":"%s","content":%s}' "$1" "$2"
}

# $1 copies of $2 with commas between them.
copies() {
	printf "${2//%/%%},%.0s" $(seq "$1") | sed 's/,$//'
}

# The base64 of the start of a PNG of $1 times $2 pixels.
png() {
	printf '\211PNG\r\n\032\n\0\0\0\rIHDR%b\b\2\0\0\0' "$(
		printf '\\x%02x' $(($1 >> 24)) $(($1 >> 16 & 255)) \
		    $(($1 >> 8 & 255)) $(($1 & 255)) $(($2 >> 24)) \
		    $(($2 >> 16 & 255)) $(($2 >> 8 & 255)) $(($2 & 255)))" |
	    base64 -w 0
}

image() {
	printf '{"type":"image","source":{"type":"base64","media_type":"image/png","data":"%s"}}' "$1"
}

HI='{"role":"user","content":"hi"}'
TEXT='{"type":"text","text":"a"}'
USE='{"type":"tool_use","id":"a","name":"f","input":{}}'
CALL='{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}'
CALLS='{"role":"assistant","content":null,"tool_calls":['$CALL']}'
TOOL='{"role":"tool","tool_call_id":"a","content":"1"}'
ITEM='{"type":"function_call","call_id":"a","name":"f","arguments":"{}"}'
PART='{"role":"user","parts":[{"text":"hi"}]}'
FCALL='{"role":"model","parts":[{"functionCall":{"name":"f","args":{}}}]}'
BHI='{"role":"user","content":[{"text":"hi"}]}'
BUSE='{"toolUse":{"toolUseId":"a","name":"f","input":{}}}'

# A result of Anthropic's with this content, after its call.
result() {
	messages "$HI" "$(say assistant "[$USE]")" \
	    "$(say user '[{"type":"tool_result","tool_use_id":"a",'"$1"'}]')"
}

# Chat messages in which the id of the call is $1.
with_id() {
	messages "$HI" "${CALLS/\"a\"/\"$1\"}" "${TOOL/\"a\"/\"$1\"}"
}

# A call whose arguments are $1, JSON, and its result.
with_arguments() {
	messages "$HI" "${CALLS/\"\{\}\"/$1}" "$TOOL"
}

# A result of Bedrock's with this content, after its call.
bedrock_result() {
	converse "$BHI" "$(say assistant "[$BUSE]")" \
	    "$(say user '[{"toolResult":{"toolUseId":"a",'"$1"'}}]')"
}

# The request that gets the message of a thread.
request() {
	local mark='"cache_control":{"type":"ephemeral"}'
	local url='{"type":"image","source":{"type":"url","url":"https://x.org/a.png"}}'
	local file='{"fileData":{"mimeType":"image/png","fileUri":"https://x.org/a.png"}}'
	local chat_url='{"type":"image_url","image_url":{"url":"https://x.org/a.png"}}'
	case $1 in
	claude-code#60394) messages "$(say user '"a\ud83d"')" ;;
	hermes-agent#68254) messages "$(say user '"a\udc80b"')" ;;
	Anthropic.SDK#50)
		messages "$(say user "[$(copies 5 '{"type":"text","text":"a",'"$mark"'}')]")" ;;
	headroom#2939)
		messages "$(say user "[{\"type\":\"text\",\"text\":\"a\",$mark},{\"type\":\"text\",\"text\":\"b\",${mark/\}/,\"ttl\":\"1h\"\}}}]")" ;;
	gproxy#67)
		messages "$HI" "$(say assistant '[{"type":"thinking","thinking":"t","signature":"s",'"$mark"'},'"$TEXT"']')" "$HI" ;;
	opencode#36517)
		converse "$BHI" "$(say assistant '[{"reasoningContent":{"reasoningText":{"text":"t","signature":"s"}}},{"cachePoint":{"type":"default"}},{"text":"a"}]')" "$BHI" ;;
	harness-sdk#1966)
		converse "$(say user '[{"text":"t"},{"document":{"format":"md","name":"n","source":{"bytes":"QQ=="}}},{"cachePoint":{"type":"default"}}]')" ;;
	claude-code#55302)
		messages "$(say user '[{"type":"text","text":"",'"$mark"'},'"$TEXT"']')" ;;
	claude-code#59812)
		messages "$(say user '[{"type":"text","text":""},'"$TEXT"']')" ;;
	claude-code#23369)
		messages "$(say user '[{"type":"text","text":" \n"},'"$url"']')" ;;
	open-chat-studio#1969)
		messages "$HI" | sed 's/^{/{"system":[{"type":"text","text":""},'"$TEXT"'],/' ;;
	hermes-agent#55092)
		converse "$(say user '[{"text":""},{"text":"a"}]')" ;;
	aws-sdk-net#4015)
		converse "$BHI" "$(say assistant '[]')" "$BHI" ;;
	claude-code#6774) messages "$HI" "$(say assistant '""')" "$HI" ;;
	chatwise-releases#250)
		contents "$PART" '{"role":"model","parts":[]}' "$PART" ;;
	genkit#3816)
		contents "$PART" '{"role":"model","parts":[{"text":"a"},{}]}' "$PART" ;;
	openagent#1666)
		contents "$PART" '{"role":"assistant","parts":[{"text":"a"}]}' "$PART" ;;
	forgecode#2107)
		messages "$HI" "$(say assistant "[$TEXT,"'{"type":"thinking","thinking":"t","signature":"s"}]')" "$HI" ;;
	pi#824)
		messages "$(say user "[$TEXT,$(image "$({
			png 9 9 | base64 -d
			head -c 3932200 /dev/zero
		} | base64 -w 0)")]")" ;;
	claude-code#17513)
		messages "$(say user "[$(copies 20 "$(image "$(png 9 9)")"),$(image "$(png 2001 9)")]")" ;;
	anthropic-sdk-python#1028)
		messages "$(say user '"'"$(printf '%33554432s' '')"'x"')" ;;
	claude-code#73821)
		messages "$HI" "$(say system '"a"')" "$HI" \
		    "$(say assistant '"c"')" ;;
	claude-code#6696)
		messages "$HI" "$(say assistant "[${USE/\{\}/\"x\"}]")" \
		    "$(say user '[{"type":"tool_result","tool_use_id":"a","content":"1"}]')" ;;
	vm0#30943) with_arguments '"{\"a\":\"b"' ;;
	deer-flow#4445) with_arguments '{"a":1}' ;;
	openclaw#57672) with_id call_1 ;;
	autogen#6377) with_id "$(printf 'a%.0s' {1..65})" ;;
	hermes-agent#20154)
		messages "$HI" "$CALLS" "$TOOL" "$HI" | sed 's/"a"/"abcdefghi"/g' ;;
	php-mistral#57)
		messages "$HI" "${CALLS/$CALL/$CALL,${CALL/\"a\"/\"b\"}}" "$TOOL" ;;
	mistral-inference#135) messages "$HI" "$TOOL" ;;
	rig#1130) messages "$HI" "$(say assistant '"a"')" ;;
	OpenHands#7700)
		messages "$HI" "$CALLS" "${TOOL/\"1\"/[$chat_url]}" ;;
	openai-node#1030)
		messages "$HI" "$(say assistant "[$chat_url]")" "$HI" ;;
	CLIProxyAPI#2368) items "$HI" "$ITEM" "$HI" ;;
	continue#10092)
		items "$HI" '{"type":"function_call_output","call_id":"a","output":"1"}' ;;
	vercel/ai#7099)
		items "$HI" '{"type":"reasoning","id":"rs_1","summary":[]}' "$HI" ;;
	litellm#10696) messages "$HI" "$CALLS" "$HI" ;;
	OpenManus#744)
		messages "$HI" "$(say assistant '"a"')" "$TOOL" ;;
	claude-code#3086) messages "$HI" "$(say assistant "[$USE]")" "$HI" ;;
	CLIProxyAPI#497)
		messages "$HI" "$(say assistant "[$TEXT]")" "$(say user '[{"type":"tool_result","tool_use_id":"a","content":"1"}]')" ;;
	vercel/ai#12504)
		messages "$HI" "$(say assistant "[${USE%\}},\"caller\":{\"type\":\"code_execution_20250825\",\"tool_id\":\"srvtoolu_1\"}}]")" \
		    "$(say user '[{"type":"tool_result","tool_use_id":"a","content":"1"}]')" ;;
	aws-bedrock-js-plugin#664)
		converse "$BHI" "$(say assistant "[$BUSE]")" "$BHI" ;;
	langchainjs#6724) converse "$BHI" "$BHI" ;;
	sample-multi-agent#15)
		bedrock_result '"content":[],"status":"error"' ;;
	zot#18)
		bedrock_result '"content":[{"text":"1"}]' |
		    sed 's/"toolConfig":{"tools":\[\]},//' ;;
	harness-sdk#1223)
		bedrock_result '"content":[{"text":"1"}]' |
		    sed 's/}}\]}\]}$/}},{"text":"and"}]}]}/' ;;
	vellum-assistant#18387)
		result '"is_error":true,"content":['"$TEXT,$url"']' ;;
	gemini-cli#3814)
		contents "$PART" "${FCALL/\}\}\]/\}\},\{\"functionCall\":\{\"name\":\"g\",\"args\":\{\}\}\}]}" \
		    '{"role":"user","parts":[{"functionResponse":{"name":"f","response":{}}}]}' ;;
	AstrBot#7216)
		contents "$PART" "$FCALL" '{"role":"user","parts":[{"functionResponse":{"name":"f","response":[1]}}]}' ;;
	5ire#405)
		contents "$PART" "$FCALL" '{"role":"user","parts":[{"functionResponse":{"name":"f","response":{}}}]}' ;;
	gemini-cli#13972)
		contents "$PART" "${FCALL/\{\"name/\{\"id\":\"a\",\"name}" '{"role":"user","parts":[{"functionResponse":{"id":"a","name":"f","response":{}}}]}' ;;
	claude-code#63333)
		messages "$HI" "$(say assistant '[{"type":"thinking","thinking":"other","signature":"s"},'"$TEXT"']')" "$HI" ;;
	pi#3636) messages "$HI" "$CALLS" "$TOOL" ;;
	llm-exe#503) messages "$HI" "$(say assistant '"a"')" ;;
	forgecode#1872) messages "$HI" "$(say assistant '"a "')" ;;
	claude-code#23392)
		messages "$(say user "[$(copies 101 "$url")]")" |
		    sed 's/"model":"m"/"model":"claude-haiku-4-5"/' ;;
	litellm#23510)
		messages "$HI" "$(say assistant "[$USE,$USE]")" \
		    "$(say user "[$(copies 2 '{"type":"tool_result","tool_use_id":"a","content":"1"}')]")" ;;
	NarratoAI#33)
		contents '{"role":"user","parts":['"$(copies 3601 "$file")"']}' ;;
	querymt#953)
		items "$HI" "$ITEM" '{"type":"function_call_output","call_id":"a","output":[{"type":"output_text","text":"1"}]}' ;;
	stagehand-python#149)
		items "$HI" '{"type":"computer_call","id":"c","call_id":"a","status":"completed","pending_safety_checks":[],"action":{"type":"screenshot"}}' \
		    '{"type":"computer_call_output","call_id":"a","output":"1"}' ;;
	codex#6926)
		items "$HI" '{"type":"web_search_call","status":"completed","action":{"type":"search","query":"q"}}' "$HI" ;;
	Semoss#2323)
		messages "$HI" "$(say assistant "[$url,$TEXT]")" "$HI" ;;
	agent-framework#4328)
		messages "$(say user "[$USE]")" \
		    "$(say assistant '[{"type":"tool_result","tool_use_id":"a","content":"1"}]')" "$HI" ;;
	Anthropic.SDK#128)
		messages "$HI" "$(say assistant '['"$USE"',{"type":"tool_result","tool_use_id":"a","content":"1"}]')" "$HI" ;;
	markform#153) result '"is_error":true,"content":""' ;;
	gproxy#209) messages "$(say system '"a"')" "$HI" ;;
	claude-code#61242) messages "$HI" "$(say system '"a"')" ;;
	langchain#22600)
		messages "$HI" "$CALLS" "${TOOL/\"tool_call_id\":\"a\",/}" ;;
	langchain-azure#35)
		messages "$HI" "${CALLS/\"type\":\"function\",/}" "$TOOL" ;;
	neuron-ai#292) messages "$(say user '[{"text":"a"}]')" ;;
	ai-dial-adapter-openai#511)
		items "$HI" "$(say assistant '[{"type":"input_text","text":"a"}]')" "$HI" ;;
	openai-python#2677) items "$HI" "$(say tool '"a"')" ;;
	pi#5165)
		items "$HI" "$(copies 2 '{"type":"message","id":"msg_1","role":"assistant","content":[{"type":"output_text","text":"a"}]}')" "$HI" ;;
	*) fail "no request for $1" ;;
	esac
}

# ---- the table ----

# The options for a row: the dialect of who, and those named after the rule.
options() {
	case $1 in
	Anthropic) echo -n "-d anthropic" ;;
	Bedrock) echo -n "-d bedrock" ;;
	Gemini) echo -n "-d gemini" ;;
	Responses) echo -n "-d openai-responses" ;;
	*) echo -n "-d openai-chat" ;;
	esac
	[[ $2 != *', --'* ]] || echo " --${2#*, --}"
}

# replay WHO THREAD RULE: prints "THREAD RULE REPAIR" as ctx-check has it: the
# rule is the only one found, or "none"; the repair is "mended", or "-".
replay() {
	local rule=none repair=- options
	options=$(options "$1" "$3")
	request "$2" > in
	jq -e . in > json 2>&1 || [[ $2 == *#60394 || $2 == *#68254 ]] ||
		fail "$2: not JSON"
	# shellcheck disable=SC2086
	ctx-check $options --json in > findings || [ $? -eq 1 ]
	if [ -s findings ]; then
		rule=$(jq -r .rule findings | sort -u | tr '\n' ' ')
		# shellcheck disable=SC2086
		! ctx-check -q $options --repair in > out ||
			{ ctx-check $options out > again && repair=mended; }
	fi
	echo "$2 ${rule% } $repair"
}

@test "each provider message in NOTES.md is found by its rule, and repaired if the table says so" {
	rows > table
	while IFS='|' read -r who _ thread rule repair; do
		[[ $rule != none* ]] || rule=none
		echo "$thread ${rule%%,*} $repair" >> want
		replay "$who" "$thread" "$rule" >> have
	done < table
	diff want have
}

@test "the shares in NOTES.md are those of its table and of the requests" {
	local said n found mended
	said=$(sed -n '/^## What providers refuse/,/^| who/p' "$NOTES" | tr '\n' ' ')
	n=$(rows | wc -l)
	found=$(rows | awk -F'|' '$4 !~ /^none/' | wc -l)
	mended=$(rows | grep -c '|mended$')
	[ "$n" -ge 40 ]
	[ "$(rows | cut -d '|' -f 3 | sort -u | wc -l)" -eq "$n" ]
	[[ $said == *" $n messages of status 400 "* ]]
	[[ $said == *"finds $found of $n ($((found * 100 / n)) %), and --repair mends $mended."* ]]
	# There is no request for a row that the table does not have.
	[ "$(declare -f request | grep -cE '^ {8}[^ ]+\)$')" -eq $((n + 1)) ]
}

@test "a row that needs --after is found with the request before it" {
	rows | grep '|none alone; --after finds it|' | cut -d '|' -f 3 > threads
	[ "$(cat threads)" = claude-code#63333 ]
	request claude-code#63333 | sed 's/"model":"m"/"model":"claude-opus-5-5"/' > later
	sed 's/"other"/"as it was"/' later > earlier
	run -1 ctx-check -d anthropic --after earlier later
	[[ $output == *bound-reasoning* ]]
	run -0 ctx-check -d anthropic --after later later
}
