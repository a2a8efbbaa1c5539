# check.bash - what the bats files of ctx-check share

U='{"role":"user","content":"hi"}'

A='{"role":"assistant","content":"yes"}'

CALL='{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}},{"id":"b","type":"function","function":{"name":"g","arguments":"{}"}}]}'

RA='{"role":"tool","tool_call_id":"a","content":"1"}'

RB='{"role":"tool","tool_call_id":"b","content":"2"}'

# What --repair puts in for call $1.
none() {
	printf '{"role":"tool","tool_call_id":"%s","content":"[no result: the call was interrupted]"}' "$1"
}

# repaired INPUT EXPECTED, both files; a second repair changes nothing
repaired() {
	ctx-check --repair "$1" > out
	cmp out "$2"
	ctx-check out
	ctx-check --repair out | cmp - out
}

# What ctx-check "$@" finds, as "LINE:RULE ...".
finds() {
	ctx-check "$@" | sed -E 's/.*:([0-9]+): ([a-z-]+): .*/\1:\2/' | paste -sd ' '
}

# A message of Anthropic's with the text $1, and a cache marker if there is $2.
marked() {
	printf '{"role":"%s","content":[{"type":"text","text":"%s"%s}]}' \
	    "$(if (($1 % 2)); then echo user; else echo assistant; fi)" "$1" \
	    "${2:+,\"cache_control\":{\"type\":\"ephemeral\"\}}"
}

# The base64 of a picture of so many pixels, of which nothing but the head is
# there.
png() {
	# shellcheck disable=SC2059 # bytes
	printf "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR$(printf '\\x%02x\\x%02x\\x%02x\\x%02x' \
	    0 0 $(($1 / 256)) $(($1 % 256)) 0 0 $(($2 / 256)) $(($2 % 256)))\x08\x06\x00\x00\x00" |
		base64 -w 0
}

# An image block of Anthropic's.
image() {
	printf '{"type":"image","source":{"type":"base64","media_type":"image/png","data":"%s"}}' "$(png "$1" "$2")"
}
