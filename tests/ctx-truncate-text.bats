# ctx-truncate --text: plain texts

load helper
load truncate

@test "--text: a plain text is cut as the same text in a tool result" {
	local b64 unit keep l
	b64=$(head -c 600 "$agent" | base64 -w 0)
	jq -r 'select(.role == "tool") | .content' "$agent" | head -c 9000 |
	    iconv -c -t UTF-8 > plain
	{ cat plain; printf '{"a":[1,"é\\"]}\n%s\n' "$b64"; cat plain; } > text
	for unit in chars bytes lines tokens; do
		for keep in ends head tail; do
			for l in 1 4 60 900; do
				ctx-truncate --text --unit $unit --keep $keep \
				    -l $l -m gpt-4o text > got
				jq -Rs '{role: "tool", tool_call_id: "c",
				    content: .}' text |
				    ctx-truncate --unit $unit --keep $keep \
					-l $l -m gpt-4o | text_of > want
				cmp got want || fail "$unit $keep $l"
			done
		done
	done
	run ! cmp -s got text
}

@test "--text: a text within the limit, of any bytes, is written as it is" {
	printf 'a\377\0b\n{"role":"tool"' > odd
	ctx-truncate --text odd | cmp - odd
	ctx-truncate --text -l 0 "$agent" | cmp - "$agent"
	ctx-truncate --text < "$chat" | cmp - "$chat"
	printf '' | ctx-truncate --text | cmp - /dev/null
	# Two files are two texts.
	ctx-truncate --text odd "$chat" odd | cmp - <(cat odd "$chat" odd)
	# What is cut is UTF-8.
	printf 'a\377\0b%0100d' 0 | ctx-truncate --text -l 40 > cut
	iconv -f UTF-8 -t UTF-8 cut > /dev/null
	printf 'a\357\277\275\0b' | cmp -n 6 - cut
	[ "$(TOOL_RESULT_LIMIT=50 ctx-truncate --text "$agent" | jq -Rs length)" -le 50 ]
}

@test "--text: options about messages are errors" {
	for o in "--message-limit 9" "--args 9" "--media 1" --unsent "--tool a" \
	    "--not-tool a" -n "--archive f" "--explain f" "-d openai-chat" \
	    --lenient "--reasoning drop"; do
		run -2 ctx-truncate --text $o "$chat"
		[[ $output == *"needs messages, so it cannot be combined with --text" ]]
	done
	cp "$chat" chat
	run -2 ctx-truncate --text -i chat
	cmp chat "$chat"
	run -2 ctx-truncate --text nowhere
	[[ $output == *nowhere* ]]
}
