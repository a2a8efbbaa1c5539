# age.bash - what the bats files of ctx-age share

# call ID TOOL TEXT: a call and its result.
call() {
	jq -nc --arg id "$1" --arg tool "$2" --arg t "$3" '
	    {role: "assistant", content: null, tool_calls: [{id: $id, type:
		"function", function: {name: $tool, arguments: "{}"}}]},
	    {role: "tool", tool_call_id: $id, content: $t}'
}

# long N: N lines of ten characters.
long() {
	seq -f 'line %04.0f' 0 $(($1 - 1))
}

aged() {
	grep -c ' characters in ' "$@"
}
