# ctx-check: rules for ids, arguments, cache markers and block types

load helper
load check

@test "lone-surrogate finds half of a surrogate pair, and --repair writes U+FFFD" {
	cat > in <<-'X'
	{"role":"user","content":"a\uD83D b \ud83d\uDE00 \udc00"}
	{"role":"assistant","content":null,"tool_calls":[{"id":"a\ud800","type":"function","function":{"name":"f","arguments":"{\"x\":\"\\ud83d\\n \\ud83d\\ude00 \\\\ud83d \ud801\"}"}}]}
	{"role":"tool","tool_call_id":"a\ud800","content":"1 \\ud83d"}
	X
	cat > want <<-'X'
	{"role":"user","content":"a\ufffd b \ud83d\uDE00 \ufffd"}
	{"role":"assistant","content":null,"tool_calls":[{"id":"a\ufffd","type":"function","function":{"name":"f","arguments":"{\"x\":\"\\ufffd\\n \\ud83d\\ude00 \\\\ud83d \ufffd\"}"}}]}
	{"role":"tool","tool_call_id":"a\ufffd","content":"1 \\ud83d"}
	X
	run -1 ctx-check in
	[ "${#lines[@]}" -eq 4 ]
	[ "${lines[0]}" = "in:1: lone-surrogate: a text has half of a surrogate pair" ]
	repaired in want
	# A result that is put in has the id that the call has then.
	head -n 2 in > cut
	ctx-check --repair cut > out
	grep -q '^{"role":"tool","tool_call_id":"a.ufffd",' out
	ctx-check out
	# Arguments in which only the outer JSON has half of a pair.
	sed 's/\(arguments":"{\).*}"}}/\1\\"x\\":\\"\\ud801\\"}"}}/; s/a.ud800/a/; 1d' in > outer
	grep -q 'arguments":"{."x.":."\\ud801."}"' outer
	repaired outer <(sed 's/\\ud801/\\ufffd/' outer)
}

@test "lone-surrogate also checks the members of a request outside its messages" {
	printf '%s\n' '{"model":"m","system":"\ud800","messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"q","content":"\ud811"},{"type":"text","text":"\ude00x"}]}],"tools":[{"name":"\udbff"}]}' > in
	run -1 ctx-check -d anthropic --json in
	[ "${#lines[@]}" -eq 5 ]
	[ "$(jq -c 'select(.index == null) | .rule' <<< "$output")" = '"lone-surrogate"
"lone-surrogate"' ]
	run -1 ctx-check -d anthropic in
	[ "${lines[4]}" = "in:1: lone-surrogate: a text has half of a surrogate pair (beside the messages)" ]
	# A text in a block that is removed is not edited.
	run -0 ctx-check -d anthropic --repair --explain log in
	[ "$output" = '{"model":"m","system":"\ufffd","messages":[{"role":"user","content":[{"type":"text","text":"\ufffdx"}]}],"tools":[{"name":"\ufffd"}]}' ]
	[ "$(jq -r .action log | sort | uniq -c | tr -s ' \n' ' ')" = " 1 drop 4 edit " ]
}

@test "lone-surrogate checks what a transcript sends, and --repair leaves it unchanged" {
	printf '%s\n' '{"type":"user","uuid":"1","parentUuid":null,"sessionId":"s","message":{"role":"user","content":"a"},"note":"\ud800"}' \
	    '{"type":"user","uuid":"2","parentUuid":"1","sessionId":"s","message":{"role":"user","content":"b\ud800"}}' > in
	run -1 ctx-check -d claude-code in
	[ "${#lines[@]}" -eq 1 ]
	run -1 --separate-stderr ctx-check -d claude-code --repair in
	[ "$output" = "$(cat in)" ]
}

@test "--repair gives an id of the wrong form the right form, in call and result" {
	printf '%s\n' "$U" "$CALL" "$RA" "$RB" > in
	run -1 ctx-check --provider mistral in
	[ "${lines[0]}" = 'in:2: bad-id: id of tool call "a" of f is not 9 of A-Z a-z 0-9' ]
	[ "${#lines[@]}" -eq 2 ]
	ctx-check --provider mistral --repair in > out
	ctx-check --provider mistral out
	ctx-check --provider mistral --repair out | cmp - out
	[ "$(jq -r '.tool_calls[]?.id, .tool_call_id | strings' out | sort | uniq -c |
	    grep -cE '^ *2 [A-Za-z0-9]{9}$')" -eq 2 ]
	# So does a result that is put in, and all but the id is as it was.
	head -n 3 in > cut
	ctx-check --provider mistral --repair cut > out2
	ctx-check --provider mistral out2
	cmp <(head -n 2 out) <(head -n 2 out2)
	cmp <(jq -c 'del(.tool_calls[]?.id, .tool_call_id)' in) \
	    <(jq -c 'del(.tool_calls[]?.id, .tool_call_id)' out)
	# Ids of nine letters and digits are kept.
	sed -e 's/"a"/"abcDEF123"/' -e 's/"b"/"\\u0041bcdef12"/' in > nine
	run -1 ctx-check --provider mistral nine
	[ "${#lines[@]}" -eq 1 ]
	[[ $output == *'"Abcdef12" of g'* ]]
}

@test "--repair shortens ids of more than 64 characters and replaces forbidden ones" {
	local long
	long=$(printf '%065d' 1)
	printf '%s\n' "$U" "${CALL/\"a\"/\"$long\"}" "${RA/\"a\"/\"$long\"}" "$RB" > in
	ctx-check --provider openai --repair in > out
	ctx-check --provider openai out
	grep -q '"id":"call_[0-9a-f]*"' out
	sed "s/$long/${long:1}/" in | ctx-check --provider openai
	printf '%s\n' "$U" \
	    '{"role":"assistant","content":[{"type":"tool_use","id":"'"$long"'","name":"f","input":{}}]}' \
	    '{"role":"user","content":[{"type":"tool_result","tool_use_id":"'"$long"'","content":"1"}]}' > in
	[ "$(finds -d anthropic in)" = 2:bad-id ]
	sed "s/$long/${long:1}/" in | ctx-check -d anthropic
	printf '%s\n' '{"role":"user","content":"hi"}' \
	    '{"role":"assistant","content":[{"type":"tool_use","id":"f.0:1","name":"f","input":{}},{"type":"tool_use","id":"","name":"f","input":{}}]}' \
	    '{"role":"user","content":[{"type":"tool_result","tool_use_id":"f.0:1","content":"1"},{"type":"tool_result","tool_use_id":"","content":"1"}]}' > in
	run -1 --separate-stderr ctx-check -d anthropic --repair in
	# An empty id names nothing that could be renamed.
	[ "${stderr_lines[0]}" = 'in:2: bad-id: id of tool call "" of f is not 1 to 64 of A-Z a-z 0-9 _ and -' ]
	[ "$(jq -r '.content[]? | .id?, .tool_use_id? | strings' <<< "$output" | sort |
	    uniq -c | tr -s ' \n' ' ' | sed 's/call_[0-9a-f]*/C/')" = " 2 2 C " ]
}

@test "--repair wraps arguments that are not an object into one, without loss" {
	local call='{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":%s}}]}\n'
	local was want
	# shellcheck disable=SC2059 # the format is constant
	while IFS='|' read -r was want; do
		{
			printf "$call" "$was"
			echo "$RA"
		} > in
		run -1 ctx-check -d openai-chat in
		[[ ${lines[-1]} == "in:1: bad-arguments: "* ]]
		ctx-check -d openai-chat --repair in > out
		[ "$(jq -r '.tool_calls[]?.function.arguments' out)" = "$want" ]
		ctx-check -d openai-chat out
	done <<-'X'
	"{\"a\": \"b"|{"arguments":"{\"a\": \"b"}
	"[1, 2]"|{"arguments":[1,2]}
	"\"x\""|{"arguments":"x"}
	" "|{}
	"null"|{}
	null|{}
	{"a" : "\ud800"}|{"a":"�"}
	7|{"arguments":7}
	X
}

@test "--repair turns an object that is written as a string into an object" {
	local call='{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":%s}]}\n'
	local was want
	# shellcheck disable=SC2059 # the format is constant
	while IFS='|' read -r was want; do
		{
			echo '{"role":"user","content":"hi"}'
			printf "$call" "$was"
			echo '{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"1"}]}'
		} > in
		run -1 ctx-check -d anthropic in
		[[ $output == 'in:2: bad-arguments: arguments of tool call "a" of f are not an object' ]]
		ctx-check -d anthropic --repair in > out
		[ "$(jq -c '.content[0].input? // empty' out)" = "$want" ]
		ctx-check -d anthropic out
	done <<-'X'
	"{\"a\": \"\\ud83d\"}"|{"a":"�"}
	"{\"a"|{"arguments":"{\"a"}
	""|{}
	null|{}
	[]|{"arguments":[]}
	X
}

@test "many-markers: of more than four cache markers the oldest are removed" {
	local i
	for i in 1 2 3 4 5 6 7; do
		marked $i "$((i == 4 ? 0 : 1))"
		echo
	done | sed 's/"type":"ephemeral"}}]}$/&/' > in
	run -1 ctx-check -d anthropic in
	[ "${lines[0]}" = "in:1: many-markers: more than 4 cache breakpoints; this breakpoint is not among the newest" ]
	[ "${#lines[@]}" -eq 3 ]
	ctx-check -d anthropic --repair --explain log in > out
	ctx-check -d anthropic out
	[ "$(grep -c cache_control out)" -eq 4 ]
	cmp <(head -n 3 out) <(for i in 1 2 3; do marked $i; echo; done)
	cmp <(tail -n 4 out) <(tail -n 4 in)
	[ "$(jq -r .action log | sort -u)" = edit ]
	# As an array of messages.
	jq -cs . in > array
	run -1 ctx-check -d anthropic array
	[ "${lines[2]}" = "array:1: many-markers: more than 4 cache breakpoints; this breakpoint is not among the newest (message 2)" ]
	ctx-check -d anthropic --repair array | cmp - <(jq -cs . out)
	# As a record, tools and system prompt first.
	{
		printf '{"model":"m","tools":[{"name":"a","cache_control":{"type":"ephemeral"}}],"system":[{"type":"text","text":"s","cache_control":{"type":"ephemeral"}}],"messages":['
		head -n 3 in | paste -sd,
		echo ']}'
	} | tr -d '\n' > request
	run -1 ctx-check -d anthropic request
	[ "$output" = "request:1: many-markers: more than 4 cache breakpoints; this breakpoint is not among the newest (beside the messages)" ]
	ctx-check -d anthropic --repair request > out
	cmp out <(sed 's/"a","cache_control":{"type":"ephemeral"}/"a"/' request)
	# Automatic caching needs one of the four, unless the last message has one.
	{
		printf '{"model":"m","cache_control":{"type":"ephemeral"},"messages":['
		printf '%s,%s,%s,%s,' "$(marked 4 1)" "$(marked 5 1)" "$(marked 6 1)" "$(marked 7 1)"
		echo '{"role":"assistant","content":"a"},{"role":"user","content":"b"}]}'
	} > request
	run -1 ctx-check -d anthropic request
	[ "$output" = "request:1: many-markers: more than 3 cache breakpoints beside automatic caching; the last 3 are kept, not this one (message 0)" ]
	ctx-check -d anthropic --repair request > out
	[ "$(grep -o cache_control out | wc -l)" -eq 4 ]
	ctx-check -d anthropic out
	sed 's/,{"role":"assistant","content":"a"},{"role":"user","content":"b"}//' request |
		ctx-check -d anthropic
	# Chat Completions, for who passes them on.
	sed 's/^/ /' in > chat
	ctx-check -d openai-chat chat
	ctx-check -d openai-chat --provider anthropic --repair --explain log chat > out
	[ "$(grep -c many-markers log)" -eq 3 ]
	[ "$(grep -c cache_control out)" -eq 4 ]
}

@test "bad-marker: a marker of one hour after one of five minutes becomes as short" {
	local short='"cache_control":{"type":"ephemeral"}'
	local long='"cache_control":{"ttl":"1h","type":"ephemeral"}'
	local what="a cache breakpoint of one hour comes after one of five minutes"
	text() { printf '{"role":"user","content":[{"type":"text","text":"x",%s}]}' "$1"; }
	printf '%s\n' "$(text "$long")" "$(text "$short")" "$(text "$long")" > in
	run -1 ctx-check -d anthropic in
	[ "$output" = "in:3: bad-marker: $what" ]
	ctx-check -d anthropic --repair in > out
	sed '3s/1h/5m/' in | cmp - out
	ctx-check -d anthropic out
	head -n 2 in | ctx-check -d anthropic
	# In a request: tools, system prompt, messages.
	printf '{"model":"m","messages":[%s],"system":[{"type":"text","text":"s",%s}],"tools":[{"name":"a",%s}]}\n' \
	    "$(text "$long")" "$long" "$short" > request
	run -1 ctx-check -d anthropic request
	[ "${lines[0]}" = "request:1: bad-marker: $what (beside the messages)" ]
	[ "${#lines[@]}" -eq 2 ]
	ctx-check -d anthropic --repair request > out
	sed 's/1h/5m/g' request | cmp - out
	sed 's/1h/5m/3; s/"name":"a",.*}]/"name":"a"}]/' request | ctx-check -d anthropic
	# Each request is a conversation by itself.
	{
		printf '{"model":"m","messages":[%s]}\n' "$(text "$short")"
		printf '{"model":"m","messages":[%s]}\n' "$(text "$long")"
	} | ctx-check -d anthropic
	local p='{"cachePoint":{"type":"default"}}'
	printf '{"role":"user","content":[{"text":"x"},%s,{"text":"y"},%s]}\n' \
	    "$p" "${p/\"default\"/\"default\",\"ttl\":\"1h\"}" > in
	ctx-check -d bedrock --repair in > out
	sed 's/1h/5m/' in | cmp - out
}

@test "bad-marker: automatic caching is the last marker, and lasts as long as one of the last block" {
	local short='"cache_control":{"type":"ephemeral"}'
	local long='"cache_control":{"type":"ephemeral","ttl":"1h"}'
	local hour="a cache breakpoint of one hour comes after one of five minutes"
	local other="the cache breakpoint of the last block and automatic caching last different times"
	# A request whose system prompt, last block but one and last block have
	# the members $2, $3 and $4, and that itself has the member $1.
	request() {
		printf '{"model":"m",%s,"system":[{"type":"text","text":"s"%s}],"messages":[{"role":"user","content":[{"type":"text","text":"a"%s},{"type":"text","text":"b"%s}]}]}\n' \
		    "$1" "${2:+,$2}" "${3:+,$3}" "${4:+,$4}"
	}
	request "$short" "$long" "" "$short" | ctx-check -d anthropic
	request "$long" "$long" "$long" "$long" | ctx-check -d anthropic
	request "$short" "" "$long" "" | ctx-check -d anthropic
	request '"cache_control":null' "" "" "$long" | ctx-check -d anthropic
	request "$long" "$short" "" "" > in
	run -1 ctx-check -d anthropic in
	[ "$output" = "in:1: bad-marker: $hour (beside the messages)" ]
	ctx-check -d anthropic --repair in > out
	sed 's/1h/5m/' in | cmp - out
	for pair in "$short $long" "$long $short"; do
		request "${pair% *}" "" "" "${pair#* }" > in
		run -1 ctx-check -d anthropic in
		[ "$output" = "in:1: bad-marker: $other (message 0)" ]
		ctx-check -d anthropic --repair in > out
		request "${pair% *}" | cmp - out
	done
	# A marker before the last block leaves one fewer for the others.
	sed 's/.*\("messages"\)/{"model":"m",'"$short"',\1/' in | jq -c \
	    '.cache_control as $c | .messages[0].content = [range(5) |
	    {type: "text", text: "x"} + if . < 4 then {cache_control: $c}
	        else {} end]' > in4
	run -1 ctx-check -d anthropic in4
	[[ $output == *"many-markers: more than 3 cache breakpoints beside automatic caching"* ]]
	# ctx-cache replaces automatic caching by markers of one time.
	request "$short" "$short" "" "$long" | sed 's/"m"/"claude-opus-4-5"/;
	    s/"b"/"'"$(seq -s ' ' 9000)"'"/' | ctx-cache --ttl 1h > out
	ctx-check -d anthropic out
	[ "$(grep -o '"ttl":"1h"' out | wc -l)" -eq 2 ]
	[ "$(jq 'has("cache_control")' out)" = false ]
}

@test "--repair removes the fifth cache marker of a message with other faults" {
	local text='{"type":"text","text":"x","cache_control":{"type":"ephemeral"}}'
	printf '{"role":"user","content":[%s,%s,%s,%s,%s,{"type":"text","text":"\\ud800"}]}\n' \
	    "$text" "$text" "$text" "$text" "$text" > in
	ctx-check -d anthropic --repair in > out
	sed -e 's/,"cache_control":{"type":"ephemeral"}//' \
	    -e 's/\\ud800/\\ufffd/' in | cmp - out
}

@test "--repair removes cache markers next to empty texts" {
	local p='{"cachePoint":{"type":"default"}}' e='{"text":""}' parts
	for parts in "$e,$p" "$p,$e" "$e,$p,$e" "$p,$e,$p,$e" "$p,$p" "$p,$p,$p , $e"; do
		printf '{"role":"user","content":[%s,{"text":"x"},%s]}\n' \
		    "$parts" "$p,$p,$p,$p" > in
		printf '{"role":"user","content":[{"text":"x"},%s]}\n' \
		    "$p,$p,$p,$p" > want
		ctx-check -d bedrock --repair in | cmp - want
		for file in in want; do
			printf '{"messages":[%s]}\n' "$(cat $file)" > $file.record
		done
		ctx-check -d bedrock --repair in.record | cmp - want.record
	done
}

@test "many-markers counts cachePoint blocks of bedrock" {
	local p='{"cachePoint":{"type":"default"}}'
	printf '%s\n' '{"modelId":"m","toolConfig":{"tools":['"$p"',{"toolSpec":{"name":"a"}},'"$p"']},"system":[{"text":"s"},'"$p"'],"messages":[{"role":"user","content":[{"text":"u"},'"$p,$p,$p"']}]}' > in
	run -1 ctx-check -d bedrock in
	[ "${#lines[@]}" -eq 2 ]
	run -0 ctx-check -d bedrock --repair in
	[ "$output" = '{"modelId":"m","toolConfig":{"tools":[{"toolSpec":{"name":"a"}}]},"system":[{"text":"s"},'"$p"'],"messages":[{"role":"user","content":[{"text":"u"},'"$p,$p,$p"']}]}' ]
}

@test "bad-marker finds cache markers on or after reasoning" {
	printf '%s\n' '{"role":"user","content":"hi"}' \
	    '{"role":"assistant","content":[{"type":"thinking","thinking":"t","signature":"s","cache_control":{"type":"ephemeral"}},{"type":"text","text":"a"}]}' \
	    '{"role":"user","content":"hi"}' > in
	run -1 ctx-check -d anthropic in
	[ "$output" = "in:2: bad-marker: a cache breakpoint is on reasoning" ]
	run -0 ctx-check -d anthropic --repair in
	[[ ${lines[1]} == *'"signature":"s"},{"type":"text"'* ]]
	sed 's/"type":"thinking","thinking":"t","signature":"s"/"type":"redacted_thinking","data":"d"/' in > redacted
	[ "$(finds -d anthropic redacted)" = 2:bad-marker ]
	printf '%s\n' '{"role":"user","content":[{"text":"hi"}]}' \
	    '{"role":"assistant","content":[{"text":"a"},{"reasoningContent":{"reasoningText":{"text":"t","signature":"s"}}},{"cachePoint":{"type":"default"}}]}' \
	    '{"role":"user","content":[{"text":"hi"},{"cachePoint":{"type":"default"}}]}' > in
	run -1 ctx-check -d bedrock in
	[ "$output" = "in:2: bad-marker: a cache breakpoint directly follows reasoning" ]
	run -0 ctx-check -d bedrock --repair in
	[[ ${lines[1]} == *'"signature":"s"}}}]}' ]]
	[[ ${lines[2]} == *cachePoint* ]]
}

@test "bad-marker: a cachePoint next after a document must follow a PDF" {
	local point='{"cachePoint":{"type":"default"}}' format
	document() { # FORMAT
		printf '{"document":{"format":"%s","name":"n","source":{"bytes":"QQ=="}}}' "$1"
	}
	for format in md txt csv; do
		printf '{"role":"user","content":[{"text":"t"},%s,%s]}\n' \
		    "$(document $format)" "$point" > in
		run -1 ctx-check -d bedrock in
		[ "$output" = "in:1: bad-marker: a cache breakpoint directly follows a document that is not a PDF" ]
		ctx-check -d bedrock --repair in > out
		sed "s/,$point//" in | cmp - out
	done
	printf '{"role":"user","content":[{"text":"t"},%s,%s]}\n' \
	    "$(document pdf)" "$point" > in
	ctx-check -d bedrock in
	printf '{"role":"user","content":[%s,{"text":"t"},%s]}\n' \
	    "$(document md)" "$point" > in
	ctx-check -d bedrock in
	# Text with a breakpoint may follow reasoning.
	printf '%s\n' '{"role":"user","content":"hi"}' \
	    '{"role":"assistant","content":[{"type":"thinking","thinking":"t","signature":"s"},{"type":"text","text":"a","cache_control":{"type":"ephemeral"}}]}' \
	    '{"role":"user","content":"hi"}' > in
	ctx-check -d anthropic in
}

@test "cut-reasoning finds reasoning whose signature or data is not a text, and --repair removes it" {
	local part
	says() { # BLOCK
		printf '%s\n' '{"role":"user","content":[{"text":"hi","type":"text"}]}' \
		    '{"role":"assistant","content":['"$1"',{"text":"a","type":"text"}]}'
	}
	for part in '"signature":""' '"signature":null' '"signature":7' '"thinking":"t"'; do
		says '{"type":"thinking","thinking":"t",'"$part"'}' > in
		run -1 ctx-check -d anthropic in
		[ "$output" = "in:2: cut-reasoning: reasoning has no signature" ]
		ctx-check -d anthropic --repair in | cmp - <(says '' | sed 's/\[,/[/')
	done
	for part in '"data":""' '"data":null' '"data":{}'; do
		says '{"type":"redacted_thinking",'"$part"'}' > in
		[ "$(finds -d anthropic in)" = 2:cut-reasoning ]
	done
	says '{"type":"thinking","thinking":"","signature":"s"},{"type":"redacted_thinking","data":"d"}' |
		ctx-check -d anthropic
	# On Bedrock, some models sign nothing.
	for part in '' ',"signature":"s"' ',"signature":null'; do
		says '{"reasoningContent":{"reasoningText":{"text":"t"'"$part"'}}}' |
			ctx-check -d bedrock
	done
	says '{"reasoningContent":{"reasoningText":{"text":"t","signature":""}}}' > in
	[ "$(finds -d bedrock in)" = 2:cut-reasoning ]
}

@test "a request of role and content only is checked by the rules of its model's vendor" {
	local text='"messages":[{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":""}]}]'
	printf '{%s}\n' "$text" > in
	run -0 --separate-stderr ctx-check in
	[ -z "$output" ]
	run -1 --separate-stderr ctx-check -m claude-opus-5-5 in
	[ "$output" = "in:1: empty-text: a text is empty (message 0)" ]
	run -0 --separate-stderr ctx-check -m qwen3-32b in
	[ -z "$output" ]
	printf '{"model":"claude-opus-5-5",%s}\n' "$text" > in
	run -1 --separate-stderr ctx-check in
	[ "$output" = "in:1: empty-text: a text is empty (message 0)" ]
	[ "$(ctx-check --repair in 2> /dev/null | jq -c '.messages[0].content')" = \
	    '[{"type":"text","text":"a"}]' ]
	# The limits are those of the vendor, too: 32 MB for Anthropic.
	{
		printf '{"model":"claude-opus-5-5","messages":[{"role":"user","content":"'
		head -c 33600000 /dev/zero | tr '\0' x
		printf '"}]}\n'
	} > big
	run -1 --separate-stderr ctx-check big
	[[ $output == "big:1: big-request: the request has 336000"* ]]
	# --provider has priority over the model.
	run -0 --separate-stderr ctx-check --provider openai in
	[ -z "$output" ]
}

@test "empty-text also checks the system prompt of a request" {
	local m='"messages":[{"role":"user","content":"u"}]'
	printf '%s\n' '{"system":[{"type":"text","text":""},{"type":"text","text":" "},{"type":"text","text":"s"},{"type":"text","text":"\n"}],'"$m}" > in
	run -1 ctx-check -d anthropic in
	[ "${lines[0]}" = "in:1: empty-text: a text of the system prompt is empty (beside the messages)" ]
	[ "${#lines[@]}" -eq 3 ]
	run -0 ctx-check -d anthropic --repair in
	[ "$output" = '{"system":[{"type":"text","text":"s"}],'"$m}" ]
	run -0 ctx-check -d anthropic <<< '{"model":"claude","system":"",'"$m}"
}

@test "no-tools: bedrock needs definitions of the tools that messages call" {
	local m='"messages":[{"role":"user","content":[{"text":"u"}]},{"role":"assistant","content":[{"toolUse":{"toolUseId":"a","name":"f","input":{}}}]},{"role":"user","content":[{"toolResult":{"toolUseId":"a","content":[{"text":"1"}]}}]}]'
	run -1 ctx-check <<< '{"modelId":"m",'"$m}"
	[[ $output == "-:1: no-tools: "*" (beside the messages)" ]]
	run -0 ctx-check <<< '{"modelId":"m","toolConfig":{"tools":[]},'"$m}"
	# Messages alone are no whole request.
	run -0 ctx-check <<< "{$m}"
}

@test "big-request finds requests over the provider's byte limit" {
	local start='{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"u"}]}]'
	printf "%s%$((33554432 - ${#start} - 1))s}\n" "$start" '' > in
	run -0 ctx-check -d anthropic in
	sed 's/^{/{ /' in > big
	run -1 ctx-check -d anthropic big
	[ "$output" = "big:1: big-request: the request has 33554433 bytes, more than 33554432 (beside the messages)" ]
	run -1 --separate-stderr ctx-check -d anthropic --repair big
	cmp <(echo "$output") big
}

@test "bad-result finds block types that a Responses output must not have" {
	output() {
		printf '%s\n' '{"type":"message","role":"user","content":"u"}' \
		    '{"type":"function_call","call_id":"a","name":"f","arguments":"{}"}' \
		    '{"type":"function_call_output","call_id":"a","output":'"$1"'}' > in
	}
	output '[{"type":"input_text","text":"t"},{"type":"input_image","image_url":"https://x.org/a.png"},{"type":"input_file","file_id":"f"}]'
	ctx-check in
	output '"t"'
	ctx-check in
	output '[{"type":"output_text","text":"a\nb"},{"type":"image","data":"x"}]'
	run -1 ctx-check in
	[ "$output" = 'in:3: bad-result: tool result "a" has a block of a type that no tool result can have
in:3: bad-result: tool result "a" has a block of a type that no tool result can have' ]
	ctx-check --repair in > out
	ctx-check out
	[ "$(jq -c '.output? // empty' out)" = '[{"type":"input_text","text":"a\nb"},{"type":"input_text","text":"{\"type\":\"image\",\"data\":\"x\"}"}]' ]
	output '{"rows": [1, 2]}'
	run -1 ctx-check in
	[ "$output" = 'in:3: bad-result: tool result "a" is neither a string nor a list of blocks' ]
	ctx-check --repair in > out
	ctx-check out
	[ "$(jq -r '.output? // empty' out)" = '{"rows":[1,2]}' ]
	# A screenshot is an object; a text cannot become one.
	printf '%s\n' '{"type":"message","role":"user","content":"u"}' \
	    '{"type":"computer_call","call_id":"a","action":{"type":"screenshot"}}' \
	    '{"type":"computer_call_output","call_id":"a","output":"failed"}' > in
	run -1 ctx-check in
	[ "$output" = 'in:3: bad-result: tool result "a" is not a screenshot' ]
	run -1 --separate-stderr ctx-check --repair in
	cmp <(echo "$output") in
	sed 's|"failed"|{"type":"computer_screenshot","image_url":"https://x.org/a.png"}|' in > shot
	ctx-check shot
	# What a hosted tool gave has a form of its own.
	printf '%s\n' '{"type":"message","role":"user","content":"u"}' \
	    '{"type":"shell_call","call_id":"a","action":{"commands":["ls"]}}' \
	    '{"type":"shell_call_output","call_id":"a","output":[{"stdout":"x","stderr":"","outcome":{"type":"exit","exit_code":0}}]}' > in
	ctx-check in
}

@test "bad-result finds block types that a provider refuses in results" {
	local call='{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}}]}'
	result() {
		printf '%s\n' '{"role":"user","content":"u"}' "$call" \
		    '{"role":"user","content":[{"type":"tool_result","tool_use_id":"a",'"$1"'}]}' > in
	}
	result '"is_error":true,"content":[{"type":"text","text":"t"},'"$(image 1 1)"']'
	run -1 ctx-check in
	[ "$output" = 'in:3: bad-result: tool result "a" of a failed call has blocks other than texts' ]
	ctx-check --repair in > out
	ctx-check out
	[ "$(jq -c '.content[0].content? // empty' out | tail -n 1)" = '[{"type":"text","text":"t"},{"type":"text","text":"[image removed: 1x1 png, 29 bytes]"}]' ]
	result '"is_error":false,"content":[{"type":"text","text":"t"},'"$(image 1 1)"']'
	ctx-check in
	result '"content":[{"type":"resource","uri":"x"},{"type":"search_result","source":"s","title":"t","content":[]}]'
	run -1 ctx-check in
	[ "$output" = 'in:3: bad-result: tool result "a" has a block of a type that no tool result can have' ]
	ctx-check --repair in > out
	ctx-check out
	[ "$(jq -c '.content[0].content[0]?' out | tail -n 1)" = '{"type":"text","text":"{\"type\":\"resource\",\"uri\":\"x\"}"}' ]
	# Gemini: an object.
	printf '%s\n' '{"role":"user","parts":[{"text":"u"}]}' \
	    '{"role":"model","parts":[{"functionCall":{"name":"f","args":{}}}]}' \
	    '{"role":"user","parts":[{"functionResponse":{"name":"f","response":["x"]}}]}' > in
	run -1 ctx-check in
	[ "$output" = 'in:3: bad-result: tool result of f is not an object' ]
	ctx-check --repair in > out
	ctx-check out
	[ "$(jq -c '.parts[0].functionResponse.response? // empty' out)" = '{"output":["x"]}' ]
	# Mistral: texts; other servers take images.
	sed 's/"1"/[{"type":"text","text":"t"},{"type":"image_url","image_url":{"url":"https:\/\/x.org\/a.png"}}]/' <<< "$RA" > ra
	{
		echo "$U"
		echo "${CALL%%,\{\"id\":\"b\"*}]}"
		cat ra
	} | sed 's/"a"/"abcdefghi"/' > in
	ctx-check in
	run -1 ctx-check --provider mistral in
	[ "$output" = 'in:3: bad-result: tool result "abcdefghi" has blocks other than texts' ]
	ctx-check --provider mistral --repair in > out
	ctx-check --provider mistral out
}

@test "user-after-result: mistral needs an assistant message between result and user" {
	printf '%s\n' "$U" "${CALL%%,\{\"id\":\"b\"*}]}" "$RA" "$U" |
	    sed 's/"a"/"abcdefghi"/' > in
	ctx-check in
	run -1 ctx-check --provider mistral in
	[ "$output" = "in:4: user-after-result: a user message is directly after a tool result" ]
}

@test "assistant-media: openai accepts images, files and audio only from users" {
	local blocks='[{"type":"text","text":"t"},{"type":"image_url","image_url":{"url":"https://x.org/a.png"}}]'
	printf '%s\n' "$U" '{"role":"assistant","content":'"$blocks}" \
	    '{"role":"user","content":'"$blocks}" > in
	ctx-check -d openai-chat in
	run -1 ctx-check -d openai-chat --provider openai in
	[ "$output" = "in:2: assistant-media: an assistant message has media" ]
	ctx-check -d openai-chat --provider openai --repair in > out
	ctx-check -d openai-chat --provider openai out
	[ "$(sed -n 2p out | jq -c .content[1])" = '{"type":"text","text":"[image removed: https://x.org/a.png]"}' ]
	cmp <(sed -n '1p;3p' in) <(sed -n '1p;3p' out)
	sed '2s/assistant/system/' in > system
	run -1 ctx-check -d openai-chat --provider openai system
	[ "$output" = "system:2: assistant-media: a system message has media" ]
	# What was said aloud is taken.
	printf '%s\n' "$U" '{"role":"assistant","content":null,"audio":{"id":"audio_1"}}' "$U" > in
	ctx-check -d openai-chat --provider openai in
}

@test "anthropic: documents of the assistant and citations of the user are refused and repaired" {
	local cited='{"type":"text","text":"t","citations":[{"type":"char_location","cited_text":"x"}]}'
	local bare='{"type":"text","text":"t","citations":[]}'
	local plain='{"type":"document","source":{"type":"text","media_type":"text/plain","data":"pl\u00e4n"}}'
	local pdf='{"type":"document","source":{"type":"url","url":"https://x.org/a.pdf"}}'
	local found='{"type":"search_result","source":"s","title":"t","citations":{"enabled":true},"content":['$cited']}'
	local call='{"type":"tool_use","id":"a","name":"f","input":{}}' said content
	request() {
		printf '{"model":"m","tools":[{"name":"f"}],"messages":[{"role":"user","content":"u"},{"role":"assistant","content":[%s]},{"role":"user","content":[%s]}]}\n' "$1" "$2"
	}
	result() {
		printf '{"type":"tool_result","tool_use_id":"a","content":[%s]}' "$1"
	}
	while IFS=$'\t' read -r said content; do
		request "$said" "$content" > in
		run -1 ctx-check -d anthropic in
		[ "$output" = "in:1: user-citations: a text of the user has citations (message 2)" ]
		ctx-check -d anthropic --repair in > out
		ctx-check -d anthropic out
		cmp out <(request "$said" "${content/"${cited#*citations\":}"/[]\}}")
	done <<-EOF
		$cited	$cited
		$cited	$found
		$cited,$call	$(result "$found")
	EOF
	# Such texts suggest the format.
	printf '{"messages":[{"role":"user","content":[%s]}]}\n' "$cited" > in
	run -1 ctx-check in
	[ "$output" = "in:1: user-citations: a text of the user has citations (message 0)" ]
	request "$cited,$call" "$(result "$cited"),$plain,$pdf,$bare" > in
	ctx-check -d anthropic in
	request "$plain,$pdf,$bare" "$plain" > in
	run -1 ctx-check -d anthropic in
	[ "${lines[0]}" = "in:1: assistant-media: an assistant message has a document (message 1)" ]
	[ "${#lines[@]}" = 2 ]
	ctx-check -d anthropic --repair in > out
	ctx-check -d anthropic out
	[ "$(jq -c '[.messages[1].content[].text]' out)" = '["plän","[document removed: https://x.org/a.pdf]","t"]' ]
	# Half of a surrogate pair in the document is not copied.
	request "${plain/'\u00e4'/'\ud83d'}" "$plain" > in
	ctx-check -d anthropic --repair in > out
	ctx-check -d anthropic out
	# A document without a text does not get that of the request's members.
	for content in '{"type":"document"}' \
	    '{"type":"document","source":{"type":"text","data":" "}}'; do
		request "$content,$bare" "$bare" | sed 's/^{/{"type":"text","data":"d",/' > in
		ctx-check -d anthropic --repair in > out
		[ "$(jq -r '.messages[1].content[0].text' out)" = "[file removed]" ]
	done
}

@test "unsigned-call: Gemini 3 demands a signature of the first call of each message in the newest turn" {
	local u='{"role":"user","parts":[{"text":"u"}]}'
	local call='{"functionCall":{"name":"f","args":{}}}' signed
	local result='{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"output":"x"}}}]}'
	local both=${result/]\}/,${result#*parts\":[}}
	signed=${call%\}},\"thoughtSignature\":\"abc\"\}
	model() {
		printf '{"role":"model","parts":[%s]}\n' "$1"
	}
	{ printf '%s\n' "$u"; model "$call"; printf '%s\n' "$result"; } > newest
	{ cat newest; model '{"text":"t"}'; printf '%s\n' "$u"; } > older
	{ printf '%s\n' "$u"; model "$signed,$call"; printf '%s\n' "$both"; } > parallel
	{ cat parallel; model "$call,$signed"; printf '%s\n' "$both"; } > second
	run -1 ctx-check -m gemini-3.8-flash newest
	[ "$output" = "newest:2: unsigned-call: the first tool call has no signature" ]
	run -1 ctx-check -m gemini-4-argon second
	[ "$output" = "second:4: unsigned-call: the first tool call has no signature" ]
	ctx-check -m gemini-3.8-flash older parallel
	ctx-check newest
	ctx-check -m gemini-2.5-pro newest
	sed 's/"abc"/""/' parallel > empty
	sed 's/"abc"/null/' parallel > null
	for file in empty null; do
		run -1 ctx-check -m gemini-3.8-flash $file
		[ "$output" = "$file:2: unsigned-call: the first tool call has no signature" ]
	done
	# The next request of a stream is judged alone.
	for file in newest parallel; do
		jq -sc '{model: "gemini-3.8-flash", contents: .,
		    tools: [{functionDeclarations: [{name: "f"}]}]}' $file
	done > requests
	run -1 ctx-check requests
	[ "$output" = "requests:1: unsigned-call: the first tool call has no signature (message 1)" ]
	# A call from another format has no such signature to lose.
	printf '%s\n' '{"role":"user","content":"u"}' '{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]}' \
	    '{"role":"tool","tool_call_id":"a","content":"x"}' > chat
	ctx-check -m gemini-3.8-flash chat
}

@test "--schema checks arguments against the schema of their tool" {
	local schema='{"type":"object","properties":{"path":{"type":"string"},"n":{"type":["integer","null"]},"mode":{"enum":["r","w"]},"k":{"enum":["a",1]},"at":{"type":"array","items":{"type":"object","required":["x"],"properties":{"x":{"type":"number"}}}},"b":{"type":"boolean"},"s":{"type":"string","nullable":true},"o":{"type":"object","properties":{},"patternProperties":{"^x-":{}},"additionalProperties":false}},"required":["path"],"additionalProperties":false}'
	local args want d
	while IFS='|' read -r args want; do
		printf '%s\n' '{"model":"m","tools":[{"name":"g"},{"name":"f","input_schema":'"$schema"'}],"messages":[{"role":"user","content":"u"},{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":'"$args"'}]}]}' > anthropic
		printf '%s\n' '{"model":"m","tools":[{"type":"function","function":{"name":"f","parameters":'"$schema"'}}],"messages":[{"role":"user","content":"u"},{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":'"$(jq -c tojson <<< "$args")"'}}]}]}' > openai-chat
		printf '%s\n' '{"model":"m","tools":[{"type":"function","name":"f","parameters":'"$schema"'}],"input":[{"role":"user","content":"u"},{"type":"function_call","call_id":"a","name":"f","arguments":'"$(jq -c tojson <<< "$args")"'}]}' > openai-responses
		printf '%s\n' '{"tools":[{"functionDeclarations":[{"name":"f","parameters":'"$(sed 's/"string"/"STRING"/' <<< "$schema")"'}]}],"contents":[{"role":"user","parts":[{"text":"u"}]},{"role":"model","parts":[{"functionCall":{"id":"a","name":"f","args":'"$args"'}}]}]}' > gemini
		printf '%s\n' '{"modelId":"m","toolConfig":{"tools":[{"toolSpec":{"name":"f","inputSchema":{"json":'"$schema"'}}}]},"messages":[{"role":"user","content":[{"text":"u"}]},{"role":"assistant","content":[{"toolUse":{"toolUseId":"a","name":"f","input":'"$args"'}}]}]}' > bedrock
		for d in anthropic openai-chat openai-responses gemini bedrock; do
			ctx-check -d $d --allow-pending $d
			run ctx-check -d $d --allow-pending --schema $d
			[ "${output#*schema of the tool: }" = "${want:+$want (message 1)}" ] ||
				fail "$d $args: $output"
			[ "$status" -eq "$([ -n "$want" ]; echo $((1 - $?)))" ]
		done
	done <<-'X'
	{"path":"x","n":3,"mode":"w","at":[{"x":1.5}]}|
	{"path":"x","n":null}|
	{}|"path" is missing
	{"path":7}|"path" has another type
	{"path":"x","n":1.5}|"n" has another type
	{"path":"x","n":2.0}|
	{"path":"x","n":2.5E1}|
	{"path":"x","n":2.5e1}|
	{"path":"x","b":true}|
	{"path":"x","b":false}|
	{"path":"x","b":null}|"b" has another type
	{"path":"x","s":null}|
	{"path":"x","o":{"x-a":1}}|
	{"path":"x","mode":"a"}|"mode" is not one of the allowed values
	{"path":"x","k":1.0}|
	{"path":"x","k":1.5}|"k" is not one of the allowed values
	{"path":"x","more":1}|"more" is not a member of the schema
	{"path":"x","at":[{"x":1},{"y":2}]}|"x" is missing
	{"path":"x","at":[7]}|a value has another type
	X
}

@test "--schema finds tools, properties and allowed values by hash" {
	# Each searched in its list, this took minutes.
	jq -nc '[range(60000) | "p\(.)"] as $names | {model: "claude-opus-4-8",
	    tools: ([$names[] | {name: ., input_schema: {}}] + [{name: "t",
		input_schema: {required: $names, properties:
		    ([$names[] | {key: ., value: {enum: [1]}}] | from_entries |
		    .p59999 = {items: {enum: $names}} |
		    .again = {items: {required: [range(60000) | "a"]}})}}]),
	    messages: [{role: "user", content: "u"}, {role: "assistant",
		content: ([$names[] | {type: "tool_use", id: ., name: ., input: {}}] +
		[{type: "tool_use", id: "c", name: "t", input: ([$names[] |
		    {key: ., value: 1.0}] | from_entries | .p59999 = $names |
		    .again = [$names[] | {a: 1}])}])}]}' > in
	timeout 60 ctx-check --allow-pending --schema in
	sed 's/.*"p59999":\[.*"p59998"/&,"other"/' in > other
	run -1 timeout 60 ctx-check --allow-pending --schema other
	[[ $output == *'"c" of t do not fit the schema of the tool: a value is not one of the allowed values (message 1)' ]]
}
