# cache.bash - what the bats files of ctx-cache share

# A request of n messages, user and assistant in turn, of one text each.
request() {
	jq -nc --argjson n "$1" '{model: "claude-opus-4-5", max_tokens: 9,
	    system: [{type: "text", text: "a"}, {type: "text", text: "b"}],
	    tools: [{name: "x", input_schema: {}}, {name: "y", input_schema: {}}],
	    messages: [range($n) | {role: ["user", "assistant"][. % 2],
	        content: [{type: "text", text: "m\(.)"}]}]}'
}
