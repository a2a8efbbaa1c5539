# summary.bash - what the files that test summaries share

summary_of() {
	jq -rs 'map(.content | if type == "array" then .[0].text else . end |
	    strings | select(startswith("[Earlier conversation summary]: "))) |
	    if length == 1 then .[0] / "\n\n[End of the summary]\n\n" | .[0]
	    else error("not one summary") end' "$1"
}

tool() { # ID NAME ARGUMENTS RESULT: a tool call and its result
	jq -nc --arg id "$1" --arg name "$2" --arg args "$3" \
	    --arg result "$4" '{role: "assistant", content: null,
	    tool_calls: [{id: $id, type: "function", function:
	    {name: $name, arguments: $args}}]}, {role: "tool",
	    tool_call_id: $id, content: $result}'
}

# The summary in the output FILE, with the label of its message before each
# sentence, also before those that are only indented.
sentences_of() {
	summary_of "$1" | awk '
	    /^(\[Earlier conversation summary\]: )?(User|Assistant): / {
		label = $0
		sub(/^\[Earlier conversation summary\]: /, "", label)
		sub(/: .*/, ": ", label)
	    }
	    /^[A-Z[]/ && !/(User|Assistant): / { label = "" }
	    /^  / && label != "" { sub(/^  /, label) }
	    { print }'
}

summary_text() { # OPTION...: the summary of the file in, without its prefix
	ctx-prune --compact -k 1 -t 1 "$@" in > out
	summary_of out | sed '1s/^.*summary\]: //' > text
}
