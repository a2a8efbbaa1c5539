# What the tools of a request cost

load helper

# tools MODEL TOOLS [MORE]: what the tools of a request cost; MORE are members
# of the request
tools() {
	printf '{"model":"%s","messages":[{"role":"user","content":"hi"}]%s}' \
	    "$1" "$3" > without
	printf '{"model":"%s","messages":[{"role":"user","content":"hi"}],"tools":%s%s}' \
	    "$1" "$2" "$3" > with
	echo $(($(tokens with) - $(tokens without)))
}

@test "tools cost what API calls of the OpenAI cookbook reported" {
	# "How to count tokens with tiktoken": 105 for gpt-4, 101 for gpt-4o.
	cat > request <<'X'
{"messages": [
 {"role": "system",
  "content": "You are a helpful assistant that can answer to questions about the weather."},
 {"role": "user", "content": "What's the weather like in San Francisco?"}],
 "tools": [{"type": "function", "function": {
  "name": "get_current_weather",
  "description": "Get the current weather in a given location",
  "parameters": {"type": "object", "properties": {
   "location": {"type": "string",
    "description": "The city and state, e.g. San Francisco, CA"},
   "unit": {"type": "string",
    "description": "The unit of temperature to return",
    "enum": ["celsius", "fahrenheit"]}},
   "required": ["location"]}}}]}
X
	[ "$(tokens -m gpt-4 request)" -eq 105 ]
	[ "$(tokens -m gpt-4o request)" -eq 101 ]
	ctx-count --json -m gpt-4o request | jq -e '.exact | not'
	jq -c . request > compact
	[ "$(tokens -m gpt-4o compact)" -eq 101 ]
	# The same in the shape of Responses, which was billed 2 tokens less in
	# recorded requests.
	jq -c '{input: .messages, tools: [.tools[].function + {type: "function"}]}' \
	    request > responses
	[ "$(tokens -m gpt-4o responses)" -eq 99 ]
}

@test "tools cost more with GPT-5, by name, and without a system message" {
	weather='[{"type":"function","function":{"name":"wx","description":"Weather","parameters":{"type":"object","properties":{"city":{"type":"string"}}}}}]'
	in_chat() { # model, more members
		jq -nc --arg model "$1" --argjson tools "$weather" \
		    "{model: \$model, messages: [{role: \"system\",
		    content: \"Be brief\"}, {role: \"user\", content: \"hi\"}],
		    tools: \$tools} $2" > request
		tokens request
	}
	local base
	base=$(in_chat gpt-4o)
	[ "$(in_chat gpt-5)" -eq $((base + 85 - 1)) ]
	[ "$(in_chat o3)" -eq $((base + 4 - 1)) ]
	[ "$(in_chat gpt-4o '+ {tool_choice: {type: "function",
	    function: {name: "wx"}}}')" -eq $((base + 9)) ]
	# The system message has 3 + 1 + 2 tokens.  Without it, the tools are a
	# message of 4 tokens more.
	[ "$(in_chat gpt-4o '| .messages |= .[1:]')" -eq $((base - 6 + 4)) ]
	[ "$(in_chat gpt-4o '| .messages |= reverse')" -eq "$base" ]
	[ "$(in_chat gpt-4o '| .messages[0].role = "developer"')" -eq "$base" ]
}

@test "openai: the input of a custom tool is counted with its white space" {
	local tight='{"a":1,"b":2}' wide='{"a": 1,   "b":   2}'
	of_input() { # TYPE KEY TEXT
		jq -nc --arg type "$1" --arg key "$2" --arg text "$3" '{model: "gpt-5",
		    input: [{type: $type, call_id: "c1", name: "run", ($key): $text},
		    {type: "\($type)_output", call_id: "c1", output: "ok"}]}' | tokens
	}
	[ "$(of_input function_call arguments "$wide")" -eq \
	    "$(of_input function_call arguments "$tight")" ]
	[ "$(of_input custom_tool_call input "$wide")" -eq $((
	    $(of_input custom_tool_call input "$tight") +
	    $(printf %s "$wide" | tokens --text -e o200k_base) -
	    $(printf %s "$tight" | tokens --text -e o200k_base))) ]
}

@test "members of a record around a request are not parts of its tools" {
	local model bare tools
	for model in gpt-4 gpt-4o gemini-3-pro claude-sonnet-4-5 llama-3.1-8b; do
		bare=$(jq -nc --arg model $model '{model: $model, messages:
		    [{role: "user", content: "hi"}]}')
		tools=$(jq -c '.tools = [{type: "function",
		    function: {name: "f"}}]' <<< "$bare")
		# The tool has no schema.
		for member in properties json jsonSchema; do
			[ "$(jq -c ".$member = {city: {}}" <<< "$tools" | tokens)" -eq \
			    "$(tokens <<< "$tools")" ] || fail "$model $member"
		done
		# The request has no tools, and no thinking.
		for member in tools thinking; do
			[ "$(jq -c "{$member: {tools: [{name: \"f\"}],
			    thinking: {type: \"enabled\"}}.$member, body: .}" \
			    <<< "$bare" | tokens)" -eq \
			    "$(tokens <<< "$bare")" ] || fail "$model $member"
		done
	done
}

@test "openai: schemas that refer to each other several times are counted in time" {
	jq -nc '{messages: [], tools: [{type: "function", function: {name: "f",
	    parameters: {type: "object", properties: {a: {"$ref": "#/$defs/d0"}},
	    "$defs": ([range(40) | {key: "d\(.)", value: {type: "object",
		properties: ([range(3) as $k | {key: "p\($k)", value:
		    {"$ref": "#/$defs/d\(. + 1)"}}] | from_entries)}}] |
		from_entries)}}}]}' > in
	# A long list of required members is not read again for each reference.
	jq -c '.tools[].function.parameters["$defs"].d30.required =
	    [range(20000) | "r\(.)"]' in > required
	for model in gpt-4 gpt-4o gpt-5; do
		[ "$(timeout 60 ctx-count --json -m "$model" in | jq .tokens)" \
		    -gt 40000 ] || fail "$model"
		timeout 60 ctx-count --json -m "$model" required > out ||
			fail "required: $model"
	done
}

@test "references to schemas are found by hash, and repeat a limited number of values" {
	# Each searched in the list of definitions, this took minutes.
	jq -nc '{messages: [], tools: [{type: "function", function: {name: "f",
	    parameters: ([range(200000) | {key: "d\(.)", value: {type: "string"}}] |
		from_entries | {"$defs": ., properties: with_entries(.value =
		    {"$ref": "#/$defs/\(.key)"})})}}]}' > in
	for model in gpt-5 gemini-2.5-pro; do
		[ "$(timeout 60 ctx-count --json -m $model in | jq .tokens)" \
		    -gt 600000 ] || fail $model
	done
	# Each reference could repeat all values.
	jq -nc '{messages: [], tools: [{type: "function", function: {name: "f",
	    parameters: {"$defs": {e: {enum: [range(2000)]}}, properties:
		([range(2000) | {key: "p\(.)", value: {"$ref": "#/$defs/e"}}] |
		from_entries)}}}]}' > in
	for model in gpt-5 gemini-2.5-pro; do
		ctx-count --json -m $model in | jq -e '.tokens < 2000000' || fail $model
	done
}

@test "openai: a schema inside itself is of any type" {
	for properties in '{left: $n, right: $n}' '{child: {items: $n, type: "array"}}' \
	    '{next: {anyOf: [$n, {type: "null"}]}}'; do
		node='{type: "object", properties: '$properties'}'
		of() { # schema in place of the reference
			jq -nc --argjson n "$1" '{messages: [], tools: [{type: "function",
			    function: {name: "f", parameters: {type: "object",
			    properties: {a: '"$node"'}, "$defs": {n: '"$node"'}}}}]}'
		}
		of '{"$ref":"#/$defs/n"}' |
		    jq -c '.tools[].function.parameters.properties.a = {"$ref": "#/$defs/n"}' > in
		of '{}' > any
		for model in gpt-4 gpt-4o gpt-5; do
			[ "$(tokens -m "$model" in)" -eq \
			    "$(tokens -m "$model" any)" ] || fail "$model $node"
		done
	done
}

@test "openai: tools and tool calls cost what recorded requests were billed" {
	# Billed input tokens of requests in public test suites, 2025 and 2026.
	billed() { # model, tokens, request without its model
		[ "$(printf '%s' "$3" | tokens -m "$1")" -eq "$2" ] || fail "$1 $2"
	}
	of() { # format, name, description, properties, more members
		jq -nc --arg name "$2" --arg description "$3" --argjson p "$4" '
		    {name: $name, description: $description, parameters: {
		    type: "object", properties: $p}} |
		    '"${5:-.}"' | [if "'"$1"'" == "chat"
		    then {type: "function", function: .}
		    else {type: "function"} + . end]'
	}
	city='{"city":{"type":"string"}}'
	# members without comments are on one line
	billed gpt-4o 38 '{"messages":[{"role":"user","content":"What is the model name?"}],"tools":'"$(of chat get_model_name '' '{}')"'}'
	billed gpt-4.1-mini 50 '{"messages":[{"role":"system","content":"You are a helpful assistant."},{"role":"user","content":"What is the temperature in Tokyo?"}],"tools":'"$(of chat get_temperature '' "$city" '.parameters.required = ["city"]')"'}'
	billed gpt-5-mini 132 '{"messages":[{"role":"user","content":"What'"'"'s the weather in Paris?"}],"tools":'"$(of chat get_weather 'Get the current weather for a city.' "$city" '.parameters.required = ["city"]')"'}'
	billed gpt-5-mini 48 '{"input":[{"role":"user","content":"What'"'"'s the weather in Paris?"}],"tools":'"$(of responses get_weather 'Get weather for a city' "$city" '.parameters.required = ["city"]')"'}'
	# a title, and that of the schema
	billed gpt-4.1 72 '{"instructions":"You get the weather for a city using the get_weather tool.","input":[{"role":"user","content":"What is the weather in London?"}],"tools":'"$(of responses get_weather 'Gets the current weather for a specified city.' '{"city":{"title":"City","type":"string"}}' '.parameters += {required: ["city"], title: "get_weather_args"}')"'}'
	# members of members are not indented
	billed gpt-5-nano 91 '{"input":[{"role":"user","content":"Call the object params tool with window start 2025-01-01 and end 2025-01-02 and include the result."}],"tools":'"$(of responses object_params 'Uses params DSL object support' '{"window":{"type":"object","properties":{"start":{"type":"string","description":"ISO start"},"end":{"type":"string","description":"ISO end"}},"required":["start","end"],"description":"Time window to schedule"}}' '.parameters.required = ["window"]')"'}'
	# lines of a description have no white space around them
	billed gpt-5.6-terra 72 '{"input":[{"role":"user","content":"Give me a weather update for London and Chicago"}],"tools":'"$(of responses get_weather $'\n    Report on weather conditions in multiple cities. For efficiency, request\n    all weather updates using a single tool call\n  ' '{"cities":{"type":"array","description":"City names","items":{"type":"string","description":""}}}' '.parameters.required = ["cities"]')"'}'
	# the older form
	billed gpt-4 67 '{"messages":[{"role":"user","content":"What'"'"'s the weather like in Boston?"}],"tools":'"$(of chat get_current_weather 'Get the current weather' '{"location":{"type":"string","description":"The city and state, e.g. San Francisco, CA"}}' '.parameters.required = ["location"]')"'}'
	# calls: by the name of a function, and without white space
	billed gpt-4.1 43 '{"input":[{"role":"user","content":"What is the weather like in Paris today?"},{"type":"function_call","id":"fc_1","call_id":"a","name":"get_weather","arguments":"{\"location\":\"Paris, France\"}"},{"type":"function_call_output","call_id":"a","output":"Rainy"}]}'
	billed gpt-4o 74 '{"messages":[{"role":"user","content":"What is the weather in Paris? Use the tool."},{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"get_weather","arguments":"{\"city\":\"Paris\"}"}}]},{"role":"tool","tool_call_id":"a","content":"sunny in Paris"}],"tools":'"$(of chat get_weather '' "$city" '.parameters.required = ["city"]')"'}'
	billed gpt-5-mini 167 '{"messages":[{"role":"user","content":"What'"'"'s the weather in Paris?"},{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"get_weather","arguments":"{\"city\":\"Paris\"}"}}]},{"role":"tool","tool_call_id":"a","content":"Sunny, 22C in Paris"}],"tools":'"$(of chat get_weather 'Get the current weather for a city.' "$city" '.parameters.required = ["city"]')"'}'
	billed gpt-4o-mini 87 '{"messages":[{"role":"user","content":"What is 1231 * 2331?"},{"role":"assistant","content":""},{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"multiply","arguments":"{\"a\": 1231, \"b\": 2331}"}}]},{"role":"tool","tool_call_id":"a","content":"2869461"}],"tools":'"$(of chat multiply 'Multiply two numbers.' '{"a":{"type":"integer"},"b":{"type":"integer"}}' '.parameters.required = ["a", "b"]')"'}'
	billed gpt-5.4 97 '{"input":[{"role":"system","content":"Always use a tool to help you answer. Reply with '"'It is ____.'"'."},{"role":"user","content":"What'"'"'s the current date in YYYY-MM-DD format?"},{"type":"function_call","call_id":"a","name":"get_date","arguments":"{}"},{"type":"function_call_output","call_id":"a","output":"2024-01-01"}],"tools":'"$(of responses get_date 'Gets the current date' '{}')"'}'
	# Several calls of a message: billed 266.
	two='{"a":{"type":"integer","description":"first number"},"b":{"type":"integer","description":"second number"}}'
	both=$(jq -nc --argjson a "$(of chat add 'Add two numbers' "$two" '.parameters.required = ["a", "b"]')" --argjson b "$(of chat multiply 'Multiply two numbers' "$two" '.parameters.required = ["a", "b"]')" '$a + $b')
	jq -nc --argjson tools "$both" '{tools: $tools, messages: [
	    {role: "system", content: "You are a helpful assistant. CRITICAL: Always use both add and multiply at the same time ALWAYS."},
	    {role: "user", content: "Add and multiply the number 2 and 3"},
	    {role: "assistant", tool_calls: [("add", "multiply") | {id: .,
	    type: "function", function: {name: ., arguments: "{\"a\": 2, \"b\": 3}"}}]},
	    {role: "tool", tool_call_id: "add", content: "5"},
	    {role: "tool", tool_call_id: "multiply", content: "6"}]}' > parallel
	[ "$(tokens -m gpt-5 parallel)" -eq 267 ]
	# The names of tool results are not counted again.
	jq -c '.messages |= map(if .role == "tool"
	    then .name = .tool_call_id else . end)' parallel > named
	[ "$(tokens -m gpt-5 named)" -eq 267 ]
}

@test "openai: calls in Responses cost 3 tokens more from GPT-5.2 on, or with an id" {
	echo '{"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"w\u0078","arguments":"{\"a\": [1, 2]}"}}]},{"role":"tool","tool_call_id":"a","content":"ok"}]}' > chat
	echo '{"input":[{"role":"user","content":"hi"},{"type":"function_call","call_id":"a","name":"wx","arguments":"{\"a\": [1, 2]}"},{"type":"function_call_output","call_id":"a","output":"ok"}]}' > responses
	sed 's/"function_call",/&"id":"fc_1",/' responses > identified
	[ "$(tokens -m gpt-5.2 chat)" -eq "$(tokens -m gpt-5 chat)" ]
	[ "$(tokens -m gpt-5.2 responses)" -eq \
	    $(($(tokens -m gpt-5 responses) + 3)) ]
	[ "$(tokens -m gpt-4o identified)" -eq \
	    $(($(tokens -m gpt-4o responses) + 3)) ]
	[ "$(tokens -m gpt-5 identified)" -eq "$(tokens -m gpt-5 responses)" ]
	# the characters of a call are those of the message, for each model
	sed 's/\\u0078/x/' chat > plain
	for model in gpt-4o claude-opus-4-5; do
		for file in chat plain responses; do
			ctx-count --json -m "$model" $file | jq -e '.chars == 19'
		done
		[ "$(tokens -m "$model" chat)" -eq "$(tokens -m "$model" plain)" ]
	done
}

@test "a system prompt beside the messages costs what a system message costs" {
	jq -nc '{model: "gpt-4o", instructions: "Be brief",
	    input: [{role: "user", content: "hi"}]}' > beside
	jq -c '{model, input: ([{role: "system", content: .instructions}] +
	    .input)}' beside > within
	[ "$(tokens beside)" -eq "$(tokens within)" ]
	ctx-count --json beside | jq -e .exact
}

@test "openai: texts that follow each other in a message are counted as one text" {
	message() { # TEXT...
		jq -nc '{role: "user", content: [$ARGS.positional[] |
		    {type: "text", text: .}]}' --args "$@"
	}
	chat() {
		tokens -d openai-chat -m gpt-4.1
	}
	# as many as were billed
	[ "$(jq -nc '{input: [{role: "user", content: [{type: "input_text",
	    text: "Tell me a fun fact about Ruby programming."},
	    {type: "input_text", text: "Now explain why that\u0027s interesting."}]}]}' |
	    tokens -m gpt-4.1)" -eq 21 ]
	for text in 'a.' $'\u00e9\u4e2d' "$(words 300)" $'one\n' 'un' ''; do
		for next in Please 'able' $'\u4e2d\u6587' "$(words 300)" ' x' ''; do
			[ "$(message "$text" "$next" b ' c' | chat)" -eq \
			    "$(message "$text${next}b c" | chat)" ]
		done
	done
	two=$(message a. Please | chat)
	# Reasoning between them is counted by itself.
	jq -nc '{role: "assistant", content: [{type: "text", text: "a."},
	    {type: "thinking", thinking: [{type: "text", text: "hm"}]},
	    {type: "text", text: "Please"}]}' > apart
	[ "$(chat < apart)" -eq $((two + 1)) ]
	# The texts are not joined if an image is between them, or if the model
	# is of another provider.
	between='{role: "user", content: [{type: "text", text: "a."}, $m,
	    {type: "text", text: "Please"}]}'
	image='{"type":"image_url","image_url":{"url":"https://x/y.png"}}'
	[ "$(jq -nc --argjson m "$image" "$between" | chat)" -eq \
	    $((two + 1 + 765)) ]
	[ "$(message a. Please | tokens -m qwen3-max)" -gt \
	    "$(message a.Please | tokens -m qwen3-max)" ]
	# The blocks add up to the message.
	[ "$(message a. Please | ctx-count --json --per kind -d openai-chat \
	    -m gpt-4.1 | jq -s 'map(.tokens) | add')" -eq "$two" ]
}

@test "openai: what was billed otherwise in recorded requests is not called exact" {
	exact() { # MODEL
		echo '{"messages":[{"role":"user","content":"hi"}]}' |
		    ctx-count --json -d openai-chat -m "$1" | jq .exact
	}
	[ "$(exact gpt-4o)" = true ]
	[ "$(exact gpt-4o-2024-08-06)" = true ]
	[ "$(exact gpt-4o-search-preview)" = false ]
	[ "$(exact gpt-4o-mini-search-preview-2025-03-11)" = false ]
	[ "$(exact o1-mini)" = false ]
	# nor GPT-4 in Responses
	for model in gpt-4o gpt-4; do
		echo '{"input":[{"role":"user","content":"hi"}]}' |
		    ctx-count --json -m $model | jq .exact
	done > found
	[ "$(paste -sd ' ' found)" = "true false" ]
	# nor an item of which only the JSON is known
	jq -nc '{model: "gpt-5.6", input: [{role: "user", content: "hi"},
	    {type: "additional_tools", role: "developer", tools: [{
	    type: "function", name: "f", parameters: {}}]}]}' |
	    ctx-count --json | jq -e '.exact | not'
}

@test "openai: a name that is the role costs one token" {
	named() {
		echo '{"role":"user","name":"'"$1"'","content":"hi"}' |
		    tokens -d openai-chat -m gpt-4o
	}
	[ "$(named user)" -eq $(($(named bob) - 1)) ]
	echo '{"role":"user","content":"hi"}' | tokens -d openai-chat -m gpt-4o \
	    > plain
	[ "$(named user)" -eq $(($(cat plain) + 1)) ]
}

@test "claude: a request that turns thinking on costs the prompt for it" {
	think() { # model, type of thinking
		jq -nc --arg model "$1" --arg type "$2" '{model: $model,
		    max_tokens: 9, thinking: {type: $type}, messages:
		    [{role: "user", content: "hi"}]}' > request
		tokens request
	}
	[ "$(think claude-sonnet-4-5 enabled)" -eq \
	    $(($(think claude-sonnet-4-5 disabled) + 29)) ]
	[ "$(think claude-opus-4-6 enabled)" -eq \
	    $(($(think claude-opus-4-6 disabled) + 28)) ]
	[ "$(think claude-opus-4-6 adaptive)" -eq \
	    "$(think claude-opus-4-6 disabled)" ]
	[ "$(think claude-sonnet-5 adaptive)" -eq \
	    "$(think claude-sonnet-5 disabled)" ]
}

@test "a tool schema counts as a type, with unions, lists and objects" {
	jq -nc '{model: "gpt-4o", messages: [{role: "user", content: "hi"}],
	    tools: [{type: "function", function: {name: "f", parameters: {
	    type: "object", required: ["a"], "$defs": {K: {type: "integer"}},
	    properties: {
	    k: {"$ref": "#/$defs/K", title: "Key", default: "x y"},
	    l: {"$ref": "#/$defs/Q", description: ""},
	    a: {enum: ["x", 1, null]},
	    b: {anyOf: [{type: "string"}, {type: "integer"}]},
	    c: {type: ["string", "null"]},
	    d: {type: "array"},
	    e: {type: "array", items: {type: "boolean"}},
	    f: {type: "object", properties: {
		g: {type: "number", description: "how many"}}},
	    h: {type: "odd"}, i: {}, j: {type: "object"}}}}}]}' > in
	# Of GPT-4, in the older form; of later models, without the indentation,
	# and a default without quotes.  After them come four tokens of a message.
	printf '%s' ' Tools

## functions

namespace functions {

type f = (_: {
// Key
k?: number, // default: "x y"
l?: any,
a: "x" | 1 | null,
b?: string | number,
c?: string | null,
d?: any[],
e?: boolean[],
f?: {
  // how many
  g?: number,
},
h?: any,
i?: any,
j?: object,
}) => any;

} // namespace functions' > shown
	sed 's/^  //; s/"x y"/x y/' shown > later
	in_tools() { # model
		ctx-count --per role --json -m "$1" in |
		    jq 'select(.role == "tools") | .tokens - 4'
	}
	[ "$(in_tools gpt-4)" -eq "$(tokens -m gpt-4 --text shown)" ]
	[ "$(in_tools gpt-4o)" -eq "$(tokens -m gpt-4o --text later)" ]
	[ "$(tokens -m gpt-4o --text later)" -lt \
	    "$(tokens -m gpt-4o --text shown)" ]
	# An object is on one line if its members have no comment (a title or
	# description) and no default.  A title of what is referred to is a
	# comment, and so is each line of a description that is not empty.
	jq -nc '{model: "gpt-4o", messages: [{role: "user", content: "hi"}],
	    tools: [{type: "function", function: {name: "f",
	    description: "  one\n\n \ttwo \r\n", parameters: {type: "object",
	    title: "All", "$defs": {K: {type: "object", title: "Ki",
	    properties: {a: {type: "string"}, b: {type: "null"}}}},
	    properties: {k: {"$ref": "#/$defs/K"},
	    m: {type: "object", properties: {c: {title: "Ci"}, e: {title: "Ei"}}},
	    n: {type: "object", properties: {d: {default: 1}}}}}}}]}' > in
	printf '%s' ' Tools

## functions

namespace functions {

// one
// two
type f = (_: // All
{ k?: // Ki
{ a?: string, b?: null }, m?: {
// Ci
c?: any,
// Ei
e?: any,
}, n?: {
d?: any, // default: 1
} }) => any;

} // namespace functions' > shown
	[ "$(in_tools gpt-4o)" -eq "$(tokens -m gpt-4o --text shown)" ]
}

@test "a response schema counts like that of a tool" {
	schema='{"type":"object","properties":{"a":{"type":"string","description":"say \"it is\" here"}}}'
	of() { # model, request
		jq -nc --arg model "$1" --argjson s "$schema" "$2" |
		    ctx-count --per role --json |
		    jq -s 'map(select(.role == "tools") | .tokens) | add // 0'
	}
	chat='{model: $model, messages: [{role: "user", content: "hi"}]}'
	answer='{response_format: {type: "json_schema",
	    json_schema: {name: "x", schema: $s}}}'
	gemini='{model: $model, contents: [{role: "user", parts: [{text: "hi"}]}]}'
	for model in gpt-4o claude-opus-4-5 gemini-2.0-flash; do
		[ "$(of $model "$chat")" -eq 0 ]
		[ "$(of $model "$chat + $answer")" -gt 5 ] || fail $model
	done
	[ "$(of gemini-2.0-flash "$gemini")" -eq 0 ]
	[ "$(of gemini-2.0-flash "$gemini + {generationConfig:
	    {responseSchema: \$s}}")" -gt 5 ]
	# White space between its tokens is not shown, what it says is.
	schema=$(jq . <<< "$schema")
	pretty=$(of gpt-4o "$chat + $answer")
	schema=$(jq -c . <<< "$schema")
	[ "$pretty" -eq "$(of gpt-4o "$chat + $answer")" ]
}

@test "the schema of an answer costs what recorded requests were billed" {
	# Billed input tokens of requests in public test suites, 2025 and 2026.
	billed() { # model, tokens, request without its model
		[ "$(printf '%s' "$3" | tokens -m "$1")" -eq "$2" ] || fail "$1"
	}
	local person='{"type":"object","properties":{"name":{"type":"string"},"age":{"type":"integer"}},"required":["name","age"],"additionalProperties":false}'
	local capital='{"type":"object","title":"Capital","properties":{"city":{"type":"string","title":"City"},"country":{"type":"string","title":"Country"}},"additionalProperties":false,"required":["city","country"]}'
	local user='{"type":"object","properties":{"name":{"type":"string","minLength":2},"email":{"type":"string","format":"email"},"age":{"type":"integer","minimum":18}},"required":["age","email","name"],"additionalProperties":false}'
	billed claude-sonnet-4-6 210 '{"messages":[{"role":"user","content":"What is the capital of France? Respond with the city and country."}],"output_config":{"format":{"type":"json_schema","schema":'"$capital"'}}}'
	billed gpt-5-nano 45 '{"input":[{"role":"user","content":"Generate a person named John who is 30 years old"}],"text":{"format":{"type":"json_schema","name":"response","schema":'"$person"',"strict":true}}}'
	billed gpt-4o 58 '{"input":[{"role":"user","content":"John Smith is 25 years old and his email is john@example.com"}],"text":{"format":{"type":"json_schema","name":"user_data","schema":'"$user"',"strict":true}}}'
	billed gpt-4o-mini 49 '{"messages":[{"role":"user","content":"Return the three primary colors."}],"response_format":{"type":"json_schema","json_schema":{"name":"primary_colors","schema":{"type":"object","properties":{"colors":{"type":"array","items":{"type":"string"}}},"required":["colors"],"additionalProperties":false},"strict":true}}}'
	# Billed 174: one token less than is counted.
	billed claude-haiku-4-5 175 '{"messages":[{"role":"user","content":"Generate a person named Bob"}],"output_config":{"format":{"type":"json_schema","schema":'"$person"'}}}'
	# Bedrock has the schema as a string; only Claude is shown it.
	schema=$(jq -nc --arg s "$person" '{textFormat: {type: "json_schema",
	    structure: {jsonSchema: {name: "response", schema: $s}}}}')
	billed us.anthropic.claude-haiku-4-5-v1:0 175 '{"messages":[{"role":"user","content":[{"text":"Generate a person named Bob"}]}],"outputConfig":'"$schema"'}'
	[ "$(printf '{"messages":[{"role":"user","content":[{"text":"hi"}]}],"outputConfig":%s}' "$schema" | tokens -m nova-lite)" -eq \
	    "$(echo '{"messages":[{"role":"user","content":[{"text":"hi"}]}]}' | tokens -m nova-lite)" ]
}

@test "the schema of an answer may nest to any depth, and need not be one" {
	nested() { # levels, the text of the innermost value
		awk -v n="$1" -v text="$2" 'BEGIN {
			printf "{\"messages\":[],\"output_config\":{\"format\":{" \
			    "\"schema\":"
			for (i = 0; i < n; i++)
				printf "{\"items\":"
			printf "%s", text
			for (i = 0; i < n; i++)
				printf "}"
			print "}}}"
		}' > in
		tokens -m "$3" in
	}
	local model
	for model in claude-sonnet-4-6 gpt-4o; do
		[ "$(nested 64 '[]' $model)" -gt "$(nested 63 '[]' $model)" ]
		(ulimit -s 128 && [ "$(nested 900 '[1]' $model)" -gt \
		    "$(nested 100 '[1]' $model)" ])
		[ "$(nested 1 '"required"' $model)" -gt "$(nested 0 '{}' $model)" ]
		[ "$(nested 0 null $model)" -gt 0 ]
	done
	# Keys that are names are counted, also if they are like keywords.
	[ "$(nested 0 '{"properties":{"format":{}}}' gpt-4o)" -gt \
	    "$(nested 0 '{"properties":{},"format":{}}' gpt-4o)" ]
	[ "$(nested 0 '{"required":["a","b"]}' gpt-4o)" -eq "$(nested 0 '{}' gpt-4o)" ]
}

@test "tools cost what users measured of GPT-3.5" {
	# hmarr/openai-chat-tokens, 2023: nested objects, enumerations, arrays;
	# with a system message of a word and a user's of two.
	measured() {
		printf '{"messages":[{"role":"system","content":"Hello"},{"role":"user","content":"Hi there"}],"functions":[%s]}' \
		    "$1" > request
		tokens -m gpt-3.5-turbo request
	}
	one=$(measured '{"name":"foo","parameters":{"type":"object","properties":{}}}')
	more() {
		[ $(($(measured "$1") - one)) -eq "$2" ]
	}
	more '{"name":"foo","description":"Do a foo","parameters":{"type":"object","properties":{}}}' 5
	more '{"name":"bing_bong","description":"Do a bing bong","parameters":{"type":"object","properties":{"foo":{"type":"string"}}}}' 18
	more '{"name":"bing_bong","description":"Do a bing bong","parameters":{"type":"object","properties":{"foo":{"type":"string"},"bar":{"type":"number","description":"A number"}}}}' 26
	more '{"name":"bing_bong","description":"Do a bing bong","parameters":{"type":"object","properties":{"foo":{"type":"object","properties":{"bar":{"type":"string","enum":["a","b","c"]},"baz":{"type":"boolean"}}}}}}' 37
	more '{"name":"get_recipe","parameters":{"type":"object","required":["ingredients","instructions","time_to_cook"],"properties":{"ingredients":{"type":"array","items":{"type":"object","required":["name","unit","amount"],"properties":{"name":{"type":"string"},"unit":{"enum":["grams","ml","cups","pieces","teaspoons"],"type":"string"},"amount":{"type":"number"}}}},"instructions":{"type":"array","items":{"type":"string"},"description":"Steps to prepare the recipe (no numbering)"},"time_to_cook":{"type":"number","description":"Total time to prepare the recipe in minutes"}}}}' 75
}

@test "nested schemas count to a fixed depth, and each type of a list once" {
	nested() { # levels, a type
		awk -v n="$1" -v type="$2" 'BEGIN {
			printf "{\"model\":\"gpt-4o\",\"messages\":[],\"tools\":[{" \
			    "\"name\":\"f\",\"parameters\":{\"properties\":{\"a\":"
			for (i = 0; i < n; i++)
				printf "{\"type\":%s,\"items\":", type
			printf "{\"type\":\"string\"}"
			for (i = 0; i < n; i++)
				printf "}"
			print "}}}]}"
		}' > request
		tokens request
	}
	local two deep
	two=$(nested 2 '"array"')
	[ "$(nested 1 '"array"')" -lt "$(nested 9 '"array"')" ]
	[ "$(nested 2 '["array","array"]')" -eq "$two" ]
	[ "$(nested 2 '["array","null"]')" -gt "$two" ]
	deep=$(nested 100 '"array"')
	[ "$deep" -gt "$two" ]
	[ "$(nested 100 '["array","array"]')" -eq "$deep" ]
	[ "$(ulimit -s 128 && nested 9000 '"array"')" -eq "$deep" ]
}

@test "claude: tools cost the tool system prompt of the model and tool_choice" {
	weather='[{"name":"get_weather","description":"Get the current weather in a given location","input_schema":{"type":"object","properties":{"location":{"type":"string","description":"The city and state, e.g. San Francisco, CA"}},"required":["location"]}}]'
	# The page on token counting says 403 for this request.
	printf '{"model":"claude-3-7-sonnet","tools":%s,"messages":[{"role":"user","content":"What'"'"'s the weather like in San Francisco?"}]}' \
	    "$weather" > request
	all=$(tokens request)
	[ "$all" -ge 403 ]
	[ "$all" -le 405 ]
	auto=$(tools claude-opus-4-8 "$weather")
	[ "$(tools claude-opus-4-8 "$weather" ',"tool_choice":{"type":"any"}')" \
	    -eq $((auto + 120)) ]
	[ "$(tools claude-opus-4-8 "$weather" ',"tool_choice":{"type":"none"}')" \
	    -eq "$auto" ]
	[ "$(tools claude-opus-4-7 "$weather")" -eq $((auto + 385)) ]
	# What the provider defines costs what it publishes.
	[ "$(tools claude-opus-4-8 '[{"type":"bash_20250124","name":"bash"}]')" \
	    -eq $((290 + 245)) ]
	[ "$(tools claude-opus-4-8 '[]')" -eq 0 ]
}

@test "bedrock and gemini: tools are found in their own members" {
	local schema='{"type":"object","properties":{"city":{"type":"string"}}}'
	echo '{"messages":[{"role":"user","content":[{"text":"hi"}]}],"toolConfig":{"tools":[{"toolSpec":{"name":"wx","description":"weather","inputSchema":{"json":'"$schema"'}}},{"cachePoint":{"type":"default"}}],"toolChoice":{"any":{}}}}' > bedrock
	ctx-count --json --per role bedrock > out
	jq -se '(map(select(.role == "tools").tokens) | add) > 420' out
	# A tool that must be called costs 6 tokens, as in Anthropic's format
	# (recorded requests to Sonnet 4.5 and 4.6).
	any=$(tokens -m claude-sonnet-4-6 bedrock)
	[ "$(sed 's/"any":{}/"tool":{"name":"wx"}/' bedrock |
	    tokens -m claude-sonnet-4-6)" -eq $((any + 6)) ]
	echo '{"contents":[{"role":"user","parts":[{"text":"hi"}]}],"tools":[{"functionDeclarations":[{"name":"wx","description":"weather now","parameters":'"$schema"'}]}]}' > gemini
	# As the local tokenizer of google-genai: the texts wx, weather now, city;
	# and two tokens for the definition.
	[ "$(tokens -e o200k_base gemini)" -eq 7 ]
}

@test "langchain, vercel and sharegpt: tools are found in their own members" {
	d='"Get the weather of a city."'
	s='{"type":"object","properties":{"city":{"type":"string","description":"Its name"}},"required":["city"]}'
	f='{"type":"function","function":{"name":"get_weather","description":'$d',"parameters":'$s'}}'
	want=$(messages user:hi | jq -sc --argjson f "$f" \
	    '{messages: ., tools: [$f]}' | ctx-count --per role --json |
	    jq 'select(.role == "tools").tokens')
	[ "$want" -gt 30 ]
	ui='{"role":"user","parts":[{"type":"text","text":"hi"}]}'
	model='{"role":"assistant","content":[{"type":"tool-call","toolCallId":"c","toolName":"get_weather","input":{}}]}'
	while IFS='|' read -r dialect rest; do
		echo "$rest" > request
		[ "$(ctx-count --json request | jq -r .dialect)" = "$dialect" ] ||
			fail "$dialect: $rest"
		[ "$(ctx-count --per role --json request |
		    jq 'select(.role == "tools").tokens')" = "$want" ] ||
			fail "$dialect: $rest"
	done <<-X
		langchain-dict|{"messages":[{"type":"human","data":{"content":"hi"}}],"tools":[$f]}
		langchain-dump|{"messages":[{"type":"human","content":"hi"}],"tools":[$f]}
		langchain-lc|{"messages":[{"lc":1,"type":"constructor","id":["langchain","schema","messages","HumanMessage"],"kwargs":{"content":"hi"}}],"tools":[$f]}
		langchain-dict|{"messages":[{"type":"human","data":{"content":"hi"}}],"tools":[{"name":"get_weather","description":$d,"input_schema":$s}]}
		vercel-ui|{"messages":[$ui],"tools":{"get_weather":{"description":$d,"inputSchema":$s}}}
		vercel-model|{"messages":[$model],"tools":{"get_weather":{"description":$d,"inputSchema":{"jsonSchema":$s}}}}
		vercel-model|{"messages":[$model],"tools":{"get_weather":{"type":"function","description":$d,"parameters":$s}}}
		vercel-model|{"prompt":[$model],"tools":[{"type":"function","name":"get_weather","description":$d,"inputSchema":$s}]}
	X
	# What a set for training shows of tools is a text.
	echo '{"conversations":[{"from":"human","value":"hi"}],"tools":"one two three"}' |
	    ctx-count --per role --json |
	    jq -es 'any(.role == "tools" and .tokens == 3)'
}

@test "the budget includes tools and system prompt, which are named as floors" {
	jq -c '{model: "gpt-4o", instructions: "Be brief, whatever it is.",
	    input: [.], tools: [range(20) | {type: "function",
	    name: "tool_\(.)", description: "does this and that"}]}' \
	    <(messages user:hi) > request
	ctx-count --json --per role request > out
	tools=$(jq 'select(.role == "tools").tokens' out)
	system=$(jq 'select(.role == "system").tokens' out)
	run -1 --separate-stderr ctx-prune -b 100 request
	all=$(tokens request)
	[[ $stderr == "ctx-prune: request:1: cannot fit 100 tokens: $all must be kept (tools $tools, system $system, last messages 5, framing $((all - tools - system - 5))); "* ]]
}

@test "models of other providers cost what recorded requests were billed" {
	# Billed input tokens of requests in public test suites, 2025 and 2026.
	billed() { # tokens, model, messages, more members
		jq -nc --arg m "$2" "{model: \$m, messages: $3} + ${4:-{\}}" > in
		[ "$(tokens in)" -eq "$1" ] || fail "$2: $(tokens in)"
		# The parts add up, and the budget of ctx-prune agrees.
		[ "$(ctx-count --json --per role in | jq -s 'map(.tokens) | add')" -eq \
		    "$1" ] || fail "$2: parts"
		ctx-prune -b "$1" in | cmp - in
	}
	local capital='[{role: "user", content: "What is the capital of France?"}]'
	local five='[{role: "user", content: "What is 2+2? Reply with just the number."}]'
	billed 74 gpt-oss-120b "$capital"
	billed 42 llama3.3-70b "$capital"
	billed 17 llama3 '[{role: "user", content: "What is 2+2?"}]'
	billed 11 deepseek-chat "$capital"
	billed 18 zai-glm-4.7 "$five"
	billed 20 glm-5.3 '[{role: "user", content: "What is 2 + 2?"}]'
	billed 53 nova-2-lite "$capital"
	billed 7 nova-micro "$capital"
	ctx-count --json -m gpt-oss-120b in | jq -e '.exact | not'
	local fetch='{tools: [{type: "function", function: {name: "image_fetch",
	    description: "Fetches the requested image",
	    parameters: {type: "object", properties: {}, required: []}}}]}'
	# A tool adds a text of the provider, which is an estimate.
	for model in grok-4-fast nova-lite llama-4-scout deepseek-chat; do
		jq -nc --arg m $model "{model: \$m, messages: $capital}" > without
		jq -c ". + $fetch" without > with
		[ $(($(tokens with) - $(tokens without))) -gt 170 ] || fail $model
		ctx-count --json --per role with |
		    jq -es 'any(.[]; .role == "tools" and (.exact | not))'
	done
}

@test "claude: the count of a document of plain text is an estimate" {
	basis() { # content block
		jq -nc "{role: \"user\", content: [$1]}" |
		    ctx-count --json -d anthropic -m claude-sonnet-4-5 |
		    jq -r .basis
	}
	# The provider adds a text to the document.
	[ "$(basis '{type: "document", source: {type: "text",
	    media_type: "text/plain", data: "a, b"}}')" = estimated ]
	[ "$(basis '{type: "text", text: "a, b"}')" = reconstructed ]
}

@test "mistral: a document_url counts as the document that it is, not as text" {
	pdf=$(printf '%%PDF-1.4\n1 0 obj <</Type /Page /Parent 2 0 R>> endobj\n%s' \
	    "$(words 3000 | tr 'a-z' 'A-Z')" | base64 -w 0)
	document() { # URL
		jq -nc --arg url "$1" '{role: "user", content: [{type: "text",
		    text: "Read this"}, {type: "document_url",
		    document_url: $url, document_name: "a.pdf"}]}'
	}
	document "data:application/pdf;base64,$pdf" > in
	ctx-count --json --per kind -m mistral-medium-latest in > kinds
	[ "$(jq -r 'select(.kind == "media") | .tokens < 1000' kinds)" = true ]
	[ "$(jq -r .dialect <(ctx-count --json in))" = openai-chat ]
	# A document that is elsewhere has the tokens of a page.
	[ "$(document https://example.org/a | tokens -m mistral-medium-latest)" -gt \
	    3000 ]
	# It is removed as other media are.
	ctx-truncate -l 0 --media 0 in | jq -r '.content[1].text' > text
	[[ $(cat text) == "[document removed: "* ]]
}
