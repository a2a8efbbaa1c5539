# ctx-cache: where breakpoints are set, and what is reported about them

load helper
load cache

# Where the breakpoints of the request in file $1 stand: system.0, tools.1,
# messages.3.content.0; a cachePoint is where the block before it is.
places() {
	jq -r 'def at: map(tostring) | join(".");
	    def breakpoint: has("cache_control") or has("prompt_cache_breakpoint") or
	        has("cachePoint");
	    paths(type == "object" and breakpoint) as $p |
	    if getpath($p) | has("cachePoint")
	    then $p[:-1] + [$p[-1] - 1] else $p end | at' "$1" | sort | paste -sd ' '
}

# How many breakpoints there are; those in what a call was given are data.
breakpoints='[.. | objects | select(has("cache_control") or has("cachePoint") or
    has("prompt_cache_breakpoint"))] | length'

# Feeds $1 to ctx-cache with the options $3... and looks for breakpoints at $2.
marks() {
	printf '%s\n' "$1" > case
	ctx-cache "${@:3}" case > out 2> err || fail "$(cat err): $1"
	places out > got
	[ "$(cat got)" = "$2" ] || fail "breakpoints at $(cat got), not $2: $1"
	ctx-cache "${@:3}" out 2> /dev/null | cmp - out || fail "twice: $1"
	ctx-cache --strip out | places /dev/stdin > got
	[ -z "$(cat got)" ] || fail "left by --strip: $(cat got)"
}

@test "at most four breakpoints are set, in order of importance" {
	# The newest, the system prompt, the message before, the last tool.
	marks "$(request 3)" \
	    "messages.1.content.0 messages.2.content.0 system.1 tools.1"
	marks "$(request 16)" \
	    "messages.14.content.0 messages.15.content.0 system.1 tools.1"
	# With more than 15 blocks between, one 15 before the newest: no room
	# for the tools, which the system prompt covers.
	marks "$(request 17)" \
	    "messages.1.content.0 messages.15.content.0 messages.16.content.0 system.1"
	marks "$(request 40)" \
	    "messages.24.content.0 messages.38.content.0 messages.39.content.0 system.1"
	# Without a system prompt the tools have room again.
	marks "$(request 40 | jq -c 'del(.system)')" \
	    "messages.24.content.0 messages.38.content.0 messages.39.content.0 tools.1"
	marks "$(request 1)" "messages.0.content.0 system.1 tools.1"
	# The 15th block before the newest ends the message before: one breakpoint.
	long='.messages = [{role: "user", content: [range(2) |
	    {type: "text", text: "a\(.)"}]}, {role: "assistant", content:
	    [range(15) | {type: "text", text: "b\(.)"}]}]'
	marks "$(request 1 | jq -c "$long")" \
	    "messages.0.content.1 messages.1.content.14 system.1 tools.1"
	# Where it can carry none, the next one does.
	marks "$(request 1 | jq -c "$long | .messages |= [.[0],
	    {role: \"user\", content: [{type: \"text\", text: \"\"},
	    {type: \"text\", text: \" \"}, {type: \"text\"}]}, .[1]]")" \
	    "messages.0.content.1 messages.2.content.0 messages.2.content.14 system.1"
	marks "$(request 0 | jq -c '.messages = []')" "system.1 tools.1"
}

# The rules of Anthropic: OPTIONS, jq program on a request of four messages,
# where breakpoints are then.
anthropic_cases() {
	cat <<'X'
.messages[3].content = [{type:"thinking",thinking:"t",signature:"s"}]|messages.1.content.0 messages.2.content.0
.messages[3].content = [{type:"text",text:"a"},{type:"redacted_thinking",data:"d"}]|messages.2.content.0 messages.3.content.0
.messages[3].content = [{type:"text",text:"a"},{type:"text",text:""}]|messages.2.content.0 messages.3.content.0
.messages[3].content = [{type:"text",text:" \n"}]|messages.1.content.0 messages.2.content.0
.messages[3].content = ""|messages.1.content.0 messages.2.content.0
.messages[3].content = "a"|messages.2.content.0 messages.3.content.0
.messages[3].content = [{type:"tool_use",id:"i",name:"x",input:{}}]|messages.2.content.0 messages.3.content.0
.messages[3].content = [{type:"server_tool_use",id:"i",name:"web_search",input:{}},{type:"web_search_tool_result",tool_use_id:"i",content:[]}]|messages.2.content.0 messages.3.content.1
.messages[2].content = [{type:"tool_result",tool_use_id:"i",content:"r"}]|messages.2.content.0 messages.3.content.0
.messages[2].content = [{type:"tool_result",tool_use_id:"i",content:""}]|messages.2.content.0 messages.3.content.0
.messages[2].content = [{type:"image",source:{type:"base64",media_type:"image/png",data:"AAAA"}}]|messages.2.content.0 messages.3.content.0
.messages[2].content = [{type:"document",source:{type:"url",url:"u"}}]|messages.2.content.0 messages.3.content.0
.messages[2].content = [{type:"search_result",source:"s",title:"t",content:[]}]|messages.2.content.0 messages.3.content.0
.messages[2].content = [{type:"mid_conv_system",content:[{type:"text",text:"s"}]}]|messages.2.content.0 messages.3.content.0
.messages[2].content = [{type:"compaction",content:"c"}]|messages.2.content.0 messages.3.content.0
.messages[2].content = [{type:"mcp_tool_use",id:"i",name:"x",server_name:"s",input:{}}]|messages.2.content.0 messages.3.content.0
.messages[2].content = [{type:"mcp_tool_result",tool_use_id:"i",content:[]}]|messages.2.content.0 messages.3.content.0
.messages[2].content = [{type:"container_upload",file_id:"f"}]|messages.2.content.0 messages.3.content.0
.messages[2].content = [{type:"something_else",text:"x"}]|messages.1.content.0 messages.3.content.0
.messages[2:4] = [{role:"user",content:[{type:"thinking",thinking:"t",signature:"s"}]},{role:"assistant",content:[{type:"text",text:""}]}]|messages.0.content.0 messages.1.content.0
X
}

@test "anthropic: no breakpoint on reasoning or empty text, but on every other block" {
	while IFS='|' read -r program want; do
		marks "$(request 4 | jq -c "del(.system, .tools) | $program")" \
		    "$want" -d anthropic
	done < <(anthropic_cases)
}

@test "anthropic: system prompts and tools get breakpoints" {
	marks "$(request 1 | jq -c '.system = "s"')" \
	    "messages.0.content.0 system.0 tools.1"
	jq -e '.system == [{type: "text", text: "s",
	    cache_control: {type: "ephemeral"}}]' out
	marks "$(request 1 | jq -c '.system = ""')" \
	    "messages.0.content.0 tools.1"
	marks "$(request 1 | jq -c '.system[1].text = " "')" \
	    "messages.0.content.0 system.0 tools.1"
	# A tool that is loaded later must have none.
	marks "$(request 1 | jq -c '.tools[1].defer_loading = true')" \
	    "messages.0.content.0 system.1 tools.0"
	marks "$(request 1 | jq -c '.tools[1].defer_loading = false')" \
	    "messages.0.content.0 system.1 tools.1"
	marks "$(request 1 | jq -c '.tools |= map(.defer_loading = true)')" \
	    "messages.0.content.0 system.1"
}

@test "earlier breakpoints are removed everywhere, but not from arguments and schemas" {
	request 20 | jq -c '.cache_control = {type: "ephemeral"} |
	    .messages[].content[0].cache_control = {type: "ephemeral", ttl: "1h"} |
	    .messages[2].content = [{type: "tool_result", tool_use_id: "i",
	        content: [{type: "text", text: "r",
	            cache_control: {type: "ephemeral"}}]}] |
	    .messages[1].content = [{type: "tool_use", id: "i", name: "x",
	        input: {cache_control: {type: "kept"}}}] |
	    .tools[0] += {cache_control: {type: "ephemeral"}, input_schema:
	        {properties: {cache_control: {type: "string"}}}}' > full
	ctx-cache full > out 2> err
	[ "$(places out | wc -w)" -eq 6 ] # two of them are data
	jq -e '.messages[1].content[0].input.cache_control.type == "kept" and
	    .tools[0].input_schema.properties.cache_control.type == "string" and
	    (.tools[0] | has("cache_control") | not) and
	    (has("cache_control") | not) and
	    (.messages[2].content[0].content[0] | has("cache_control") | not) and
	    .system[1].cache_control == {type: "ephemeral"} and
	    .messages[19].content[0].cache_control == {type: "ephemeral"}' out
	"$B/gen-tools/valid" anthropic --wrap --cache < out
	[ "$("$B/gen-tools/valid" anthropic --wrap --cache < full | grep -c cache-breakpoints)" -eq 1 ]
	ctx-cache --strip full > bare
	jq -c 'del(.cache_control, .messages[2].content[0].content[0].cache_control,
	    .tools[0].cache_control) |
	    del(.messages[].content[0].cache_control)' full | cmp - bare
}

@test "records that need no change are written byte for byte" {
	cat > a <<'X'
{"role": "user", "content": [ {"type":"text", "text":"\u00e9"} ], "x": 1e400}
{ "role":"assistant","content":[{"cache_control" : {"type":"ephemeral"},"type":"text","text":"b"}]}
{"role":"user","content":[{"type":"text","text":"c", "cache_control": { "type": "ephemeral" } } ]}
X
	ctx-cache a > out
	cmp a out
	ctx-cache --ttl 1h a | sed 's/,"ttl":"1h"//g' > out
	[ "$(sed -n 1p out)" = "$(sed -n 1p a)" ]
	[ "$(sed -n 2p out)" = '{ "role":"assistant","content":[{"type":"text","text":"b","cache_control":{"type":"ephemeral"}}]}' ]
	[ "$(sed -n 3p out)" = '{"role":"user","content":[{"type":"text","text":"c","cache_control":{"type":"ephemeral"} } ]}' ]
	ctx-cache --strip a > out
	[ "$(sed -n 2p out)" = '{ "role":"assistant","content":[{"type":"text","text":"b"}]}' ]
	[ "$(sed -n 3p out)" = '{"role":"user","content":[{"type":"text","text":"c" } ]}' ]
	# Nothing to strip: nothing changes, in any format.
	for f in "$BATS_TEST_DIRNAME"/corpus/*/*.json*; do
		ctx-cache --strip "$f" > once
		ctx-cache --strip once | cmp - once
		grep -q 'cache_control\|cachePoint\|prompt_cache_b' "$f" || cmp "$f" once
	done
}

@test "--ttl is written if the provider offers a choice" {
	marks "$(request 1)" "messages.0.content.0 system.1 tools.1" --ttl 1h
	jq -e '[.. | .cache_control? // empty] |
	    length == 3 and all(. == {type: "ephemeral", ttl: "1h"})' out
	echo '{"role":"user","content":[{"text":"a"}]}' > b
	ctx-cache --ttl 1h b > out
	[ "$(cat out)" = '{"role":"user","content":[{"text":"a"},{"cachePoint":{"type":"default","ttl":"1h"}}]}' ]
	messages system:a user:b > c
	run -0 ctx-cache --provider openai -m gpt-5.6 --ttl 1h c
	[[ $output == *"--ttl has no effect: with openai "* ]]
	run -2 ctx-cache --ttl 2h c
	[[ $output == *"not one of 5m, 1h"* ]]
}

@test "bedrock: a breakpoint is a cachePoint block after the block" {
	b='{modelId: "us.anthropic.claude-opus-4-5", system: [{text: "s"}],
	    toolConfig: {tools: [{toolSpec: {name: "x"}}, {toolSpec: {name: "y"}}]},
	    messages: [{role: "user", content: [{text: "a"}]},
	        {role: "assistant", content: [{reasoningContent: {reasoningText:
	            {text: "r", signature: "s"}}}, {text: "b"}]},
	        {role: "user", content: [{text: "c"}]}]}'
	marks "$(jq -nc "$b")" "messages.1.content.1 messages.2.content.0 system.0 toolConfig.tools.1"
	jq -e '.messages[2].content == [{text: "c"}, {cachePoint: {type: "default"}}]
	    and .system[1] == {cachePoint: {type: "default"}}' out
	# Never after reasoning.
	marks "$(jq -nc "$b | .messages[1].content |= reverse")" \
	    "messages.1.content.0 messages.2.content.0 system.0 toolConfig.tools.1"
	marks "$(jq -nc "$b | .messages[1].content |= .[:1]")" \
	    "messages.0.content.0 messages.2.content.0 system.0 toolConfig.tools.1"
	# Nor after a document that is no PDF.
	marks "$(jq -nc "$b | .messages[2].content += [{document: {format: \"md\",
	    name: \"n\", source: {bytes: \"QQ==\"}}}]")" \
	    "messages.1.content.1 messages.2.content.0 system.0 toolConfig.tools.1"
	marks "$(jq -nc "$b | .messages[2].content += [{document: {format: \"pdf\",
	    name: \"n\", source: {bytes: \"QQ==\"}}}]")" \
	    "messages.1.content.1 messages.2.content.1 system.0 toolConfig.tools.1"
	# After calls, results and images.
	for block in '{toolUse: {toolUseId: "i", name: "x", input: {}}}' \
	    '{toolResult: {toolUseId: "i", content: [{text: "r"}]}}' \
	    '{image: {format: "png", source: {bytes: "QQ=="}}}'; do
		marks "$(jq -nc "$b | .messages[2].content += [$block]")" \
		    "messages.1.content.1 messages.2.content.1 system.0 toolConfig.tools.1"
	done
	# Amazon's own models take none on tools.
	marks "$(jq -nc "$b | .modelId = \"amazon.nova-pro-v1:0\"")" \
	    "messages.1.content.1 messages.2.content.0 system.0"
	# Old breakpoints are removed, but not an array that holds nothing else.
	marks "$(jq -nc "$b | .messages[0].content |= [.[0], {cachePoint: {type: \"default\"}}] |
	    .messages[2].content |= [{cachePoint: {type: \"default\"}}] + .")" \
	    "messages.1.content.1 messages.2.content.0 system.0 toolConfig.tools.1"
	echo '{"role":"user","content":[{"cachePoint":{"type":"default"}}]}' > only
	ctx-cache --strip only | cmp - only
}

@test "openai: only models that take breakpoints get them, and the newest message needs none" {
	c='{model: "gpt-5.6", messages: [{role: "system", content: "s"},
	    {role: "user", content: "a"}, {role: "assistant", content: "b",
	    tool_calls: [{id: "i", type: "function", function: {name: "f", arguments: "{}"}}]},
	    {role: "tool", tool_call_id: "i", content: "r"}]}'
	# The end of the newest message is a breakpoint by itself.
	marks "$(jq -nc "$c")" "messages.0.content.0 messages.1.content.0"
	jq -e '.messages[0].content == [{type: "text", text: "s",
	    prompt_cache_breakpoint: {mode: "explicit"}}] and
	    .messages[2].content == "b"' out
	marks "$(jq -nc "$c | .prompt_cache_options.mode = \"implicit\"")" \
	    "messages.0.content.0 messages.1.content.0"
	marks "$(jq -nc "$c | .prompt_cache_options.mode = \"explicit\"")" \
	    "messages.0.content.0 messages.1.content.0 messages.3.content.0"
	# On every part that the API lets carry one, and on no other.
	for part in '{type: "image_url", image_url: {url: "u"}}' \
	    '{type: "input_audio", input_audio: {data: "QQ==", format: "wav"}}' \
	    '{type: "file", file: {file_id: "f"}}'; do
		marks "$(jq -nc "$c | .messages[1].content = [{type: \"text\", text: \"a\"}, $part]")" \
		    "messages.0.content.0 messages.1.content.1"
	done
	marks "$(jq -nc "$c | .messages[1].content = [{type: \"text\", text: \"a\"}, {type: \"other\"}]")" \
	    "messages.0.content.0 messages.1.content.0"
	# Never on an answer of the model; no block is too far back.
	marks "$(jq -nc "$c | .messages += [range(40) | {role: \"user\", content: \"u\"}]")" \
	    "messages.0.content.0 messages.42.content.0"
	marks "$(jq -nc "$c | .messages |= .[:3]")" "messages.0.content.0"
	# Responses have their own names; instructions and tools carry none.
	r='{model: "gpt-5.6", instructions: "i", tools: [{type: "function", name: "f"}],
	    input: [{role: "developer", content: "d"},
	    {role: "user", content: [{type: "input_text", text: "a"}, {type: "input_image", image_url: "u"}]},
	    {type: "reasoning", id: "r", summary: []},
	    {type: "function_call", call_id: "c", name: "f", arguments: "{}"},
	    {type: "function_call_output", call_id: "c", output: "o"}]}'
	marks "$(jq -nc "$r")" "input.0.content.0 input.1.content.1"
	jq -e '.input[0].content[0].type == "input_text"' out
	marks "$(jq -nc "$r | .prompt_cache_options.mode = \"explicit\"")" \
	    "input.0.content.0 input.1.content.1 input.4.output.0"
}

@test "automatic or unknown caching changes nothing and prints one line" {
	same() {
		ctx-cache "${@:3}" "$1" > out 2> err || fail "$(cat err)"
		cmp "$1" out
		[ "$(wc -l < err)" -eq 1 ] || fail "$(cat err)"
		grep -q "$2" err || fail "$(cat err)"
	}
	same "$agent" "prompts of gpt-4o are cached without breakpoints" -m gpt-4o
	same "$agent" "prompt caches of openai need no breakpoints for most models" -d openai-chat
	same "$chat" "gpt-4 probably does not use" --provider openai -m gpt-4
	same "$BATS_TEST_DIRNAME/corpus/gemini/agent.jsonl" "messages of dialect gemini cannot have cache breakpoints"
	same "$BATS_TEST_DIRNAME/corpus/ollama/chat.json" "messages of dialect ollama cannot have"
	same "$BATS_TEST_DIRNAME/corpus/claude-code/session.jsonl" "claude-code cannot have"
	same "$chat" "prompts of deepseek-chat are cached without breakpoints" -m deepseek-chat
	cat "$chat" | jq -sc '{model: "gpt-4o", messages: .}' > one
	cat one one one > three
	same three "prompts of gpt-4o are cached without breakpoints"
}

@test "openai: a message of role function gets no breakpoint, since its content must be a string" {
	local f=$'{"role":"function","name":"f","content":"'
	{
		messages "user:$(words 2900)"
		echo '{"role":"assistant","content":null,"function_call":{"name":"f","arguments":"{}"}}'
		echo "$f$(words 900)\"}"
	} > lines
	for how in "--provider anthropic" "--provider openai -m gpt-5.6"; do
		# shellcheck disable=SC2086 # options
		ctx-cache -d openai-chat $how lines > out
		jq -se '.[2].content | type == "string"' out
		[[ $how == *openai* ]] || grep -q cache_control out
		# shellcheck disable=SC2086
		ctx-cache -d openai-chat $how out | cmp - out
	done
}

@test "a request for a model without breakpoints passes, whatever its provider" {
	echo '{"model":"llama3.2","messages":[{"role":"user","content":"a"}]}' > in
	ctx-cache in > out 2> err
	cmp out in
	grep -q 'llama3.2 uses no cache breakpoints' err
}

@test "records before one that cannot have breakpoints keep their breakpoints" {
	for _ in $(seq 60); do
		messages user:question assistant:answer
	done > lines
	ctx-cache --provider anthropic < lines > want
	for end in '{"input":[{"role":"user","content":"q"}],"instructions":"x"}' \
	    '{"role": oops}'; do
		{ cat lines; printf '%s\n' "$end"; cat lines; } > stream
		ctx-cache --provider anthropic < stream > out 2> err && return 1
		cmp out want
		grep -q '^ctx-cache: -:121:' err
	done
}

@test "a record between lines gets the breakpoints that it gets alone" {
	messages user:q assistant:a user:r assistant:b > lines
	jq -sc '{model: "claude-opus-4-5", system: "s", messages: .}' lines \
	    > record
	{ head -n 2 lines; cat record; tail -n +3 lines; } > stream
	for name in stream lines record; do
		ctx-cache --provider anthropic "$name" > "$name.out" 2> /dev/null
	done
	run ! cmp -s record record.out
	sed -n 3p stream.out | cmp - record.out
	sed 3d stream.out | cmp - lines.out
	ctx-cache --strip stream.out > none
	run ! grep -q cache_control none
	[ "$(wc -l < none)" -eq 5 ]
}

@test "messages of an unknown provider, or that cannot have breakpoints, are refused" {
	run -2 ctx-cache "$chat"
	[[ $output == *"the provider of these messages is not known; give --provider"* ]]
	messages user:a assistant:b user:c > few
	run -2 ctx-cache few
	run -0 ctx-cache -m claude-opus-4-5 few
	[[ ${lines[-1]} == *'"c","cache_control":{"type":"ephemeral"}}]}' ]]
	run -2 ctx-cache --provider bedrock "$agent"
	[[ $output == *":"*": messages of dialect openai-chat cannot have cache breakpoints of bedrock"* ]]
	run -2 ctx-cache --provider gemini few
	[[ $output == *"not one of anthropic, bedrock, openai"* ]]
	run -0 ctx-cache --provider bedrock few
	[[ ${lines[-1]} == '{"role":"user","content":[{"text":"c"},{"cachePoint":{"type":"default"}}]}' ]]
}

@test "langchain: --provider anthropic writes breakpoints that LangChain passes on" {
	for d in lc dict dump; do
		f=$BATS_TEST_DIRNAME/corpus/langchain-$d/coding.jsonl
		ctx-cache "$f" 2> err | cmp - "$f"
		grep -q "langchain-$d get cache breakpoints only with --provider anthropic" err
		ctx-cache --provider anthropic "$f" > out 2> err
		# The system prompt, 15 blocks before, and the newest two; never
		# on reasoning or a call.
		jq -c '(.kwargs // .data // .).content | arrays | .[] |
		    select(has("cache_control")) | .type' out > got
		[ "$(sort got | uniq -c | tr -d ' \n')" = '4"text"' ]
		ctx-cache --provider anthropic out 2> err | cmp - out
		[ "$(ctx-count --json out | jq -c '[.dialect, .tokens]')" = \
		    "$(ctx-count --json "$f" | jq -c '[.dialect, .tokens]')" ]
		run ! grep -q cache_control <(ctx-cache --strip out)
		run -2 ctx-cache --provider openai "$f"
		[[ $output == *"cannot have cache breakpoints of openai"* ]]
	done
}

@test "--provider anthropic writes breakpoints into Chat Completions, for gateways" {
	jq -sc '{model: "anthropic/claude-opus-4-5", tools: [{type: "function",
	    function: {name: "run"}}], messages: .[:40]}' "$agent" > r
	ctx-cache --provider anthropic r > out
	[ "$(places out)" = "messages.0.content.0 messages.24.content.0 messages.37.content.0 messages.39.content.0" ]
	ctx-cache --provider anthropic out | cmp - out
	# Without --provider a gateway is not presumed to accept breakpoints.
	run -0 ctx-cache r
	[[ $output == *"model claude-opus-4-5 probably does not use cache breakpoints of provider openai; --provider chooses another provider"* ]]
	head -n 204 "$agent" > some
	ctx-cache --provider anthropic some > lines 2> err
	[ ! -s err ]
	[ "$(ctx-count --json lines | jq .tokens)" -eq "$(ctx-count --json some | jq .tokens)" ]
}

@test "each model has its minimum length of a cached prefix" {
	request 3 > r
	while read -r least models; do
		for model in $models; do
			jq -c --arg m "$model" '.model = $m' r |
			    ctx-cache > out 2> err
			grep -q " tokens are too few to be cached; $model needs at least $least\$" err ||
				fail "$model: $(cat err)"
		done
	done <<-X
		512 claude-opus-5 claude-fable-5 claude-mythos-5
		1024 claude-opus-4-8 claude-sonnet-5 claude-sonnet-4-6
		1024 claude-sonnet-4-5 claude-sonnet-4 claude-opus-4-1 claude-opus-4
		2048 claude-opus-4-7 claude-3-5-haiku claude-3-haiku
		4096 claude-opus-4-6 claude-opus-4-5 claude-haiku-4-5
	X
}

# The tokens of file $2, in the format of file $1 if that has one.
sum() {
	local -a dialect
	mapfile -t dialect < <(ctx-count --json "$1" 2> err |
	    jq -r .dialect | sort -u)
	# Blocks make these messages those of a provider.
	[ "${dialect[*]}" != generic ] || return 0
	[ "${#dialect[@]}" -eq 1 ] && dialect=(-d "${dialect[0]}") ||
		dialect=()
	ctx-count -e o200k_base "${dialect[@]}" --json "$2" 2> err |
	    jq -s 'map(.tokens) | add'
}

@test "every format: at most four breakpoints, a second run changes nothing, --strip removes all" {
	n=0
	for f in "$BATS_TEST_DIRNAME"/corpus/*/*.json*; do
		for how in "" "--provider anthropic" "--provider bedrock" \
		    "--provider openai -m gpt-5.6"; do
			[[ $how == *-m* ]] || how="$how -m claude-opus-4-5"
			# shellcheck disable=SC2086 # options
			ctx-cache $how "$f" > once 2> err || {
				grep -q 'cannot have cache breakpoints' err ||
					fail "$f: $(cat err)"
				continue
			}
			# Most formats carry none.
			cmp -s "$f" once && continue
			n=$((n + 1))
			# shellcheck disable=SC2086
			ctx-cache $how "$f" 2> err | cmp - once
			# shellcheck disable=SC2086
			ctx-cache $how once 2> err | cmp - once ||
				fail "$f $how: not the same again"
			[ "$(jq -s "$breakpoints" once)" -le \
			    $(($(jq -s 'length' once) * 4)) ]
			[ "$(jq -s 'map(select(type == "object" and has("role"))) |
			    '"$breakpoints" once)" -le 4 ]
			ctx-cache --strip once > bare
			[ "$(jq -s "$breakpoints" bare)" -eq 0 ] || fail "$f $how"
			# The texts are what they were, and cost the same.
			[ "$(sum "$f" once)" = "$(sum "$f" "$f")" ] ||
				fail "$f $how: tokens"
		done
	done
	[ "$n" -gt 30 ]
}

@test "a prefix shorter than the model's minimum gets a warning" {
	request 3 > r
	run -0 ctx-cache r
	[[ $output =~ r:1:\ [0-9]+\ tokens\ are\ too\ few\ to\ be\ cached\;\ claude-opus-4-5\ needs\ at\ least\ 4096 ]]
	ctx-cache -m claude-sonnet-4-5 "$agent" --provider anthropic 2> err > out
	[ ! -s err ]
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12; do cat r; done > many
	ctx-cache many 2> err > out
	[ "$(wc -l < err)" -eq 11 ]
	grep -q "2 more conversations are too short" err
	# As lines it has no line to name.
	messages user:a assistant:b > few
	run -0 ctx-cache -m claude-opus-4-5 few
	[[ $output == *"ctx-cache: few: "*" tokens are too few to be cached; claude-opus-4-5 "* ]]
}

@test "lines, one record and single bytes of input give the same breakpoints" {
	for n in 1 2 3 15 16 17 18 19 33 100; do
		request "$n" | jq -c 'del(.system, .tools)' > whole
		if [ "$n" -eq 17 ]; then
			# The message before the newest gets a breakpoint, even
			# if the newest has many blocks.
			jq -c '.messages[-1].content |= [range(40) as $i |
			    .[0] | .text += "\($i)"]' whole > many
			mv many whole
		fi
		jq -c '.messages[]' whole > part
		ctx-cache -d anthropic whole 2> /dev/null | jq -c '.messages[]' > want
		ctx-cache -d anthropic part 2> /dev/null | cmp - want
		perl -e '$| = 1; local $/; print for split //, <STDIN>' < part |
		    ctx-cache -d anthropic 2> /dev/null | cmp - want
	done
	# Only the last of the leading system messages gets a breakpoint.
	{ messages system:s system:t; jq -c '.messages[]' whole; } > part
	ctx-cache -d anthropic part > out
	[ "$(grep -c cache_control out)" -eq 4 ]
	[[ $(sed -n 2p out) == *cache_control* ]]
	[[ $(sed -n 1p out) != *cache_control* ]]
}

@test "only the last blocks of a stream are held back" {
	request 3000 | jq -c '.messages[]' > part
	{ cat part; sleep 5; } | ctx-cache -u -d anthropic > out 2> /dev/null &
	for _ in $(seq 50); do
		[ "$(wc -l < out)" -ge 2980 ] && break
		sleep 0.1
	done
	got=$(wc -l < out)
	wait
	[ "$got" -ge 2980 ] && [ "$got" -lt 3000 ]
	[ "$(wc -l < out)" -eq 3000 ]
}

@test "an invalid line exits 2 after the lines before it are written" {
	request 30 | jq -c '.messages[]' > part
	echo '{"role":' >> part
	run -2 ctx-cache -d anthropic part
	[[ $output == *"part:31:9: "* ]]
	ctx-cache -d anthropic part 2> /dev/null > out || [ $? -eq 2 ]
	[ "$(wc -l < out)" -eq 30 ]
	run -0 ctx-cache -d anthropic --lenient part
	[ "${lines[-1]}" = '{"role":' ] || [[ $output == *'{"role":'* ]]
}

@test "-v says what a model is counted by, and for which an alias stands" {
	request 4 > one
	run -0 --separate-stderr ctx-cache -v -m opus one
	[[ $stderr == *"opus is assumed to be claude-opus-5-5"* ]]
	[[ $stderr == *"claude-opus-5-5: token counts of texts are reconstructed (claude-4.8)"* ]]
	run -0 --separate-stderr ctx-cache -v -m opus --diff one one
	[[ $stderr == *"opus is assumed to be claude-opus-5-5"* ]]
}

@test "--explain names the breakpoint of each message and of members of the request" {
	request 40 | jq -c '.cache_control = {type: "ephemeral"} |
	    .messages[3].content[0].cache_control = {type: "ephemeral"} |
	    .tools[0].cache_control = {type: "ephemeral"}' > r
	ctx-cache --explain e --archive a r > out
	jq -r '[.index // .member, .action, .rule] | join(" ")' e > got
	cat > want <<'X'
3 strip earlier breakpoints
24 mark 15 blocks before
38 mark message before
39 mark newest message
system mark system prompt
tools strip earlier breakpoints
cache_control strip earlier breakpoints
X
	diff want got
	# The archive has what they were, a line each.
	jq -c '(.messages[3, 24, 38, 39], .system, .tools, .cache_control)' r |
	    cmp - a
	jq -e -s 'map(select(has("member")) | has("index") or has("before")) |
	    any | not' e
	# What is right already is not touched.
	ctx-cache -n --explain - out > e
	[ ! -s e ]
	run -0 ctx-cache -n out
	[[ $output != *mark* ]]
	# The order of need holds for a message that gets two.
	jq -c '.messages = [.messages[0] |
	    .content = [range(20) | {type: "text", text: "b\(.)"}]]' r > one
	[ "$(ctx-cache -n --explain - one | jq -r 'select(.index == 0).rule')" = \
	    "newest message" ]
	# With --strip all of them are old.
	ctx-cache --strip -n --explain - out | jq -r .rule | sort -u > got
	[ "$(cat got)" = "earlier breakpoints" ]
	ctx-cache -n --json r |
	    jq -e '.rules | map(select(.rule == "earlier breakpoints") |
	        select(.before == .after) | del(.before, .after)) |
	        . == [{rule: "earlier breakpoints", action: "strip", messages: 1,
	            tokens: 0, members: 2}]'
}

@test "--explain names file and line in a stream, and the tools of results" {
	head -n 100 "$agent" > one
	tail -n +101 "$agent" > two
	ctx-cache --provider anthropic --explain e one two > out
	jq -r '"\(.file):\(.line) \(.index)"' e > got
	n=$(wc -l < "$agent")
	[ "$(sed -n 1p got)" = "one:1 0" ]
	[ "$(tail -n 1 got)" = "two:$((n - 100)) $((n - 1))" ]
	jq -es 'any(.role == "tool" and (.tool | length > 0))' e
	ctx-cache --provider anthropic one two > plain
	cmp plain out
}

@test "--dry-run lists members of requests, too" {
	jq -nc '{model: "claude-opus-4-5", system: "s", tools: [{name: "f",
	    input_schema: {}}], messages: [{role: "user", content: "q"}]}' > in
	run -0 --separate-stderr ctx-cache -n --provider anthropic in
	grep -qE '^ +mark +newest message +1 messages ' <<< "$output"
	grep -qE '^ +mark +system prompt +1 members$' <<< "$output"
	grep -qE '^ +mark +last tool +1 members$' <<< "$output"
}

@test "after a read error no message gets the breakpoint of the newest message" {
	run jq -nc 'range(30) | {role: ("user", "assistant"),
	    content: [{type: "text", text: "\(.)"}]}'
	printf '%s\n' "$output" > chat
	run ctx-cache --provider anthropic chat chat
	[ "$status" -eq 0 ]
	printf '%s\n' "$output" > whole
	mkdir directory
	run --separate-stderr ctx-cache --provider anthropic chat directory
	[ "$status" -eq 2 ]
	[ "$stderr" = "ctx-cache: directory: cannot read: Is a directory; name a file in it" ]
	printf '%s\n' "$output" > part
	[ "$(wc -l < part)" -gt 20 ]
	head -n "$(wc -l < part)" whole | cmp - part
}
