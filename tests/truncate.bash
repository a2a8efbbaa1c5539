# truncate.bash - what the bats files of ctx-truncate share

# result TEXT: a message that answers a call with it.
result() {
	jq -nc --arg t "$1" \
	    '{role: "tool", tool_call_id: "call_1", content: $t}'
}

# times N TEXT
times() {
	awk -v n="$1" -v t="${2//\\/\\\\}" 'BEGIN { while (n-- > 0) printf "%s", t }'
}

# text_of FILE: the text of the only message, all blocks of it.
text_of() {
	jq -rj '.content | if type == "string" then . else
	    [.[] | .text // ""] | add end' "$@"
}
