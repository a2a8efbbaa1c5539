# What tools cost that a tool search loads (defer_loading)

load helper

# The deferred tools get_0 to get_19, as jq builds them for Anthropic and for
# OpenAI.
deferred='[range(20) | {name: "get_\(.)", description: "Gets the thing \(.)",
    defer_loading: true, input_schema: {type: "object", properties:
    {place: {type: "string", description: "Where to look for it"}}}}]'
functions="$deferred"' | map({type: "function", name, description,
    defer_loading, parameters: .input_schema})'

# claude MESSAGES [MODEL]: tokens of a request with deferred tools; both
# arguments are for jq; an empty list of tools for comparison in $tools
claude() {
	jq -nc "{model: \"${2:-claude-sonnet-4-5}\", tools: ([{name: \"search\",
	    description: \"Finds tools\", input_schema: {type: \"object\"}}] +
	    (${tools:-$deferred})), messages: ([{role: \"user\", content:
	    \"hi\"}] + ($1))}" | tokens
}

# found BLOCKS: messages in which a search returns BLOCKS
found() {
	echo '[{role: "assistant", content: [{type: "tool_use", id: "s1",
	    name: "search", input: {query: "get"}}]}, {role: "user", content:
	    [{type: "tool_result", tool_use_id: "s1", content: ('"$1"')}]}]'
}

# responses TOOLS [INPUT]: tokens of a request to OpenAI
responses() {
	jq -nc "{model: \"gpt-5.6\", tools: ($1), input: ([{role: \"user\",
	    content: \"hi\"}] + (${2:-[]}))}" | tokens
}

# near A B: A and B differ by 2 tokens at most (counts are rounded)
near() {
	[ $(($1 - $2)) -le 2 ] && [ $(($2 - $1)) -le 2 ]
}

@test "anthropic: a deferred tool costs nothing until a result refers to it" {
	local loaded='([range(20) | {name: "get_\(.)", description:
	    "Gets the thing \(.)", input_schema: {type: "object", properties:
	    {place: {type: "string", description: "Where to look for it"}}}}])'
	local none one two whole plain
	plain=$(tools='[]' claude '[]')
	[ "$(claude '[]')" -eq "$plain" ]
	# Models from Opus 4.8 on are billed 91 tokens for deferral itself.
	[ "$(claude '[]' claude-opus-5)" -eq \
	    $(($(tools='[]' claude '[]' claude-opus-5) + 91)) ]
	whole=$(tools="$loaded" claude '[]')
	[ "$whole" -gt $((plain + 1000)) ]

	ref() { echo '[{type: "tool_reference", tool_name: "'"$1"'"}]'; }
	none=$(claude "$(found "$(ref get_x)")")
	one=$(claude "$(found "$(ref get_7)")")
	near $((one - none)) $(((whole - plain) / 20))
	two=$(claude "$(found "$(ref get_7) + $(ref get_8)")")
	[ "$two" -gt $((one + (whole - plain) / 20)) ]
	# A tool that is not deferred is in the prompt anyway.
	near "$(tools="$loaded" claude "$(found "$(ref get_7)")")" \
	    $((whole + none - plain))
}

@test "anthropic: searches of the API and tool_addition load deferred tools, too" {
	local server='[{role: "assistant", content: [{type: "server_tool_use",
	    id: "s1", name: "tool_search_tool_regex", input: {query: "get"}},
	    {type: "tool_search_tool_result", tool_use_id: "s1", content: {type:
	    "tool_search_tool_search_result", tool_references: [{type:
	    "tool_reference", tool_name: "get_7"}]}}]}, {role: "user",
	    content: "go on"}]'
	local added='[{role: "system", content: [{type: "tool_addition", tool:
	    {type: "tool_reference", name: "get_7"}}]}]'
	local messages
	for messages in "$server" "$added"; do
		[ "$(claude "$messages")" -gt \
		    $(($(claude "${messages/get_7/get_x}") + 50)) ]
	done
}

@test "anthropic: tools of an MCP server may be deferred by default_config" {
	local set='{type: "mcp_toolset", mcp_server_name: "files",
	    default_config: {defer_loading: true}}'
	[ "$(tools="[$set]" claude '[]')" -eq "$(tools='[]' claude '[]')" ]
	[ "$(tools="[$set | .default_config.defer_loading = false]" claude '[]')" \
	    -gt "$(tools='[]' claude '[]')" ]
}

@test "anthropic: a tool search costs what requests with it were billed" {
	local type
	for type in regex bm25; do
		[ "$(tools="[{type: \"tool_search_tool_${type}_20251119\",
		    name: \"tool_search_tool_$type\"}] + $deferred" claude '[]')" \
		    -eq $(($(claude '[]') + 220)) ]
	done
}

@test "deferred tools: a stream of messages has no definitions to count" {
	jq -nc "$(found '[{type: "tool_reference", tool_name: "get_7"}]') | .[]" \
	    > stream
	[ "$(tokens -m claude-sonnet-4-5 stream)" -lt 150 ]
}

@test "openai: of a deferred function, name and description are in the prompt" {
	local search='[{type: "tool_search"}] +'
	[ "$(responses "$search ($functions)")" -eq "$(responses "$search
	    ($functions | map(del(.parameters)))")" ]
	[ "$(responses "$search ($functions)")" -lt "$(responses "$search
	    ($functions | map(del(.defer_loading)))")" ]
	# Functions of a search that the client runs: see recorded requests.
	[ "$(responses '[{type: "tool_search", execution: "client",
	    description: "Finds tools", parameters: {type: "object"}}]')" -eq \
	    "$(responses '[{type: "function", name: "tool_search",
	    description: "Finds tools", parameters: {type: "object"}}]')" ]
}

@test "openai: of deferred functions in a namespace, nothing is in the prompt" {
	local space='[{type: "tool_search"}, {type: "namespace", name: "crm",
	    description: "Customers", tools: ('
	local plain
	plain=$(responses "$space [])}]")
	[ "$(responses "$space $functions)}]")" -eq "$plain" ]
	[ "$(responses "$space $functions | .[0].defer_loading = false)}]")" \
	    -gt $((plain + 20)) ]
	[ "$(responses '[{type: "tool_search"}, {type: "mcp", defer_loading: true,
	    server_label: "crm", server_description: "Customers",
	    server_url: "https://crm.example.com/mcp", allowed_tools: ["a", "b"],
	    require_approval: "never"}]')" -eq "$plain" ]
}

@test "openai: a search result counts the definitions that it contains" {
	local input='[{type: "tool_search_call", call_id: "s1", execution: "client",
	    arguments: {}}, {type: "tool_search_output", call_id: "s1",
	    execution: "client", tools: '
	[ "$(responses "$functions" "$input ($functions)}]")" -gt \
	    $(($(responses "$functions" "$input []}]") + 500)) ]
}

# session: a request whose first message has a search that loads get_0
session() {
	jq -nc "{model: \"claude-sonnet-4-5\", tools: ([{type:
	    \"tool_search_tool_regex_20251119\", name: \"tool_search_tool_regex\"}]
	    + ($deferred | .[].description = \"word \" * 800)), messages:
	    ([{role: \"user\", content: \"begin\"},
	    {role: \"assistant\", content: [{type: \"server_tool_use\", id: \"s1\",
	    name: \"tool_search_tool_regex\", input: {query: \"get\"}},
	    {type: \"tool_search_tool_result\", tool_use_id: \"s1\", content:
	    {type: \"tool_search_tool_search_result\", tool_references:
	    [{type: \"tool_reference\", tool_name: \"get_0\"}]}}]}] +
	    [range(30) | {role: \"user\", content: \"question \(.)\"},
	    {role: \"assistant\", content: [{type: \"tool_use\", id: \"c\(.)\",
	    name: \"get_0\", input: {place: \"p\(.)\"}}]}, {role: \"user\",
	    content: [{type: \"tool_result\", tool_use_id: \"c\(.)\",
	    content: (\"text \(.) \" * 60)}]}])}"
}

@test "ctx-prune: deferred tools take no part of the budget until they are loaded" {
	session > request
	local all strategy
	# 20 definitions of 800 words exceed the budget.
	all=$(tokens request)
	[ "$all" -lt 12000 ]
	for strategy in fifo salient; do
		ctx-prune -b 4k -s $strategy --quantum 0 request > out
		[ "$(tokens out)" -le 4000 ]
		[ "$(tokens out)" -gt 2500 ]
		ctx-check out
		ctx-prune -b 4k -s $strategy --quantum 0 out | cmp - out
	done
	# The removed search result counted with the definition that it loads.
	ctx-prune -n -b 4k -s fifo --explain=- request |
	    jq -se 'map(select(.before > 800)) | length == 1'
}

@test "ctx-prune: --pin-tool tool_search keeps the results that load tools" {
	session > request
	ctx-prune -b 4k -s fifo request > out
	run ! grep -q tool_reference out
	ctx-prune -b 4k -s fifo --pin-tool tool_search request > out
	grep -q tool_reference out
	[ "$(tokens out)" -le 4000 ]
	local execution
	for execution in client server; do
		jq -nc --arg run $execution "{model: \"gpt-5.6\", tools: [{type:
		    \"tool_search\"}], input: ([{role: \"user\", content: \"a\"},
		    {type: \"tool_search_call\", call_id: \"s1\", execution: \$run,
		    arguments: {}}, {type: \"tool_search_output\", call_id: \"s1\",
		    execution: \$run, tools: ($functions)}] + [range(60) |
		    {role: \"user\", content: (\"b \" * 100)}, {role: \"assistant\",
		    content: \"c\"}])}" > request
		ctx-prune -b 4k -s fifo request > out
		run ! grep -q tool_search_output out
		ctx-prune -b 4k -s fifo --pin-tool tool_search request |
		    grep -q tool_search_output
	done
}

@test "ctx-truncate: a shortened message still counts the tool that it loads" {
	session | jq -c '.messages[1:3] |= [{role: "assistant", content: [{type:
	    "tool_use", id: "s1", name: "search", input: {}}, {type: "tool_use",
	    id: "s2", name: "read", input: {}}]}, {role: "user", content: [{type:
	    "tool_result", tool_use_id: "s1", content: [{type: "tool_reference",
	    tool_name: "get_0"}]}, {type: "tool_result", tool_use_id: "s2",
	    content: ("some lines\n" * 300)}]}]' > request
	ctx-truncate -l 200 --explain=changes request > out
	jq -se --argjson saved $(($(tokens request) - $(tokens out))) \
	    'map(select(.before > 800)) | length == 1 and .[0].after > 800' changes
	jq -se --argjson saved $(($(tokens request) - $(tokens out))) \
	    'map(.before - .after) | add == $saved' changes
}

@test "ctx-cache: deferred tools do not make a prompt long enough to be cached" {
	session | jq -c '.messages |= .[:1]' > request
	ctx-cache request 2> err > out
	grep -q 'too few to be cached' err
	jq -c '.tools[].defer_loading |= false' request > loaded
	ctx-cache loaded 2> err > out
	run ! grep -q 'too few to be cached' err
}

@test "ctx-count: --max compares without the definitions of deferred tools" {
	session > request
	ctx-count --max 12000 request
	jq -c '.tools[].defer_loading |= false' request > loaded
	run -1 ctx-count --max 12000 loaded
}

@test "deferred tools: the counts are the same with several threads" {
	session > one
	for _ in $(seq 40); do cat one; done > many
	cmp <(ctx-count --json -j 1 many) <(ctx-count --json -j 4 many)
}
