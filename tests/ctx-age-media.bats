# ctx-age --media, and copies of results in session files

load helper
load age

# An image whose header says 1568 by 1176 pixels.
png=iVBORw0KGgoAAAANSUhEUgAABiAAAASYCAYAAAAAAAAA

# shots N: a question with an image and N calls, each answered with one.
shots() {
	jq -nc --argjson n "$1" --arg p "$png" '
	    def shot: {type: "image", source: {type: "base64",
		media_type: "image/png", data: ($p + "AAA\(.)")}};
	    {role: "user", content: [9 | shot + {cache_control:
		{type: "ephemeral"}}]},
	    (range($n) | {role: "assistant", content: [{type: "tool_use",
		id: "t\(.)", name: "shot", input: {}}]},
		{role: "user", content: [{type: "tool_result",
		tool_use_id: "t\(.)", content: [shot]}]})'
}

@test "--media stores all but the newest media as files, and ctx-restore puts them back" {
	shots 3 > in
	ctx-age --media 2 in > out
	diff <(sed -n 4,7p in) <(sed -n 4,7p out)
	jq -c '.content[0] | del(.text)' out | sed -n 1p |
	    grep -qx '{"type":"text","cache_control":{"type":"ephemeral"}}'
	text=$(sed -n 1p out | jq -r '.content[0].text')
	[ "$(head -n 1 <<< "$text")" = '[image removed: 1568x1176 png]' ]
	last=$(tail -n 1 <<< "$text")
	[[ $last =~ ^\[36\ bytes\ in\ (\.ctx/spool/image-([0-9a-f]{32})\.png)\]$ ]]
	file=${BASH_REMATCH[1]}
	digits=${BASH_REMATCH[2]}
	printf '%s' "${png}AAA9" | base64 -d | cmp - "$file"
	cmp <(sed -n 1p in | jq -c '.content[0]') "$file.json"
	[ "$(sha256sum < "$file.json" | cut -c 1-32)" = "$digits" ]
	[ "$(find .ctx/spool -type f | wc -l)" -eq 4 ]
	ctx-age --media 2 out | cmp - out
	ctx-restore out | cmp - in
	[ "$(ctx-restore --list out | cut -f 1,2 | sort -u)" = $'whole\t36' ]
	ctx-restore --gc out | cmp - /dev/null
	for n in 0 1 3 4 5; do
		ctx-age --media $n in > out
		[ "$(grep -c "$png" out)" -eq $((n < 4 ? n : 4)) ]
		ctx-restore out | cmp - in
		jq -sc . in | ctx-age --media $n | jq -c '.[]' | cmp - out
	done
}

@test "--media is undone by ctx-restore in every dialect and the corpus, and idempotent" {
	for d in openai-chat generic openai-responses anthropic bedrock gemini; do
		for seed in $(seq "${CHECK_LONG:-3}"); do
			"$B/gen-tools/convo" --dialect $d --seed "$seed" \
			    --count 3 --wrap | jq -c --arg to $d \
			    -f "$BATS_TEST_DIRNAME/media.jq" > in
			"$B/gen-tools/valid" $d --wrap --allow-pending < in \
			    > found || true
			for how in "--media 0" "--media 2 --step 2"; do
				# shellcheck disable=SC2086 # options
				ctx-age -d $d $how in > out
				"$B/gen-tools/valid" $d --wrap --allow-pending \
				    < out > now || true
				cmp found now
				# shellcheck disable=SC2086
				ctx-age -d $d $how out | cmp - out
				ctx-restore -d $d out | cmp - in
			done
			[ "$(grep -c 'bytes in .ctx' out)" -gt 0 ]
		done
	done
	files=0
	for f in "$BATS_TEST_DIRNAME"/corpus/*/*.json*; do
		ctx-age --media 0 "$f" > out
		ctx-age --media 0 out | cmp - out
		ctx-restore out | cmp - "$f"
		cmp -s out "$f" || files=$((files + 1))
		ctx-age --media 100 "$f" | cmp - "$f"
	done
	[ "$files" -gt 7 ]
}

@test "--media is undone by ctx-restore in transcripts of agents" {
	jq -nc --arg p "$png" '
	    {type: "user", uuid: "a", parentUuid: null, sessionId: "s",
		message: {role: "user", content: [{type: "image", source:
		{type: "base64", media_type: "image/png", data: $p}}]}},
	    {type: "assistant", uuid: "b", parentUuid: "a", sessionId: "s",
		message: {role: "assistant", id: "m", content: [{type:
		"tool_use", id: "t", name: "Read", input: {}}]}},
	    {type: "user", uuid: "c", parentUuid: "b", sessionId: "s",
		toolUseResult: {type: "image", file: {base64: $p}}, message:
		{role: "user", content: [{type: "tool_result", tool_use_id:
		"t", content: [{type: "image", source: {type: "base64",
		media_type: "image/png", data: $p}}]}]}}' > claude
	jq -nc --arg u "data:image/png;base64,$png" '
	    {timestamp: "2026-11-10T09:00:30Z", type: "session_meta",
		payload: {id: "s"}},
	    {timestamp: "2026-11-10T09:00:31Z", type: "response_item",
		payload: {type: "message", role: "user", content: [
		{type: "input_image", image_url: $u}]}},
	    {timestamp: "2026-11-10T09:00:32Z", type: "response_item",
		payload: {type: "function_call", call_id: "c", name:
		"view_image", arguments: "{}"}},
	    {timestamp: "2026-11-10T09:00:33Z", type: "response_item",
		payload: {type: "function_call_output", call_id: "c", output:
		[{type: "input_image", image_url: $u}]}}' > codex
	jq -nc --arg p "$png" '
	    {type: "session", version: 3, id: "s", cwd: "/"},
	    {type: "message", id: "a", parentId: null, message: {role:
		"user", content: [{type: "image", data: $p, mimeType:
		"image/png"}]}},
	    {type: "message", id: "b", parentId: "a", message: {role:
		"assistant", content: [{type: "toolCall", id: "t", name:
		"read", arguments: {}}]}},
	    {type: "message", id: "c", parentId: "b", message: {role:
		"toolResult", toolCallId: "t", toolName: "read", content: [
		{type: "image", data: $p, mimeType: "image/png"}]}}' > pi
	jq -nc --arg p "$png" '
	    {sessionId: "s", projectHash: "h"},
	    {id: "a", timestamp: "2026-11-10T09:00:30Z", type: "user",
		content: [{text: "See."}, {inlineData: {mimeType: "image/png",
		data: $p}}]},
	    {id: "b", timestamp: "2026-11-10T09:00:31Z", type: "gemini",
		content: "", toolCalls: [{id: "t", name: "read", args: {},
		result: [{functionResponse: {id: "t", name: "read", response:
		{output: "An image."}}}, {inlineData: {mimeType: "image/png",
		data: $p}}]}]}' > gemini
	for f in claude codex pi gemini; do
		ctx-age --media 0 $f > out
		[ "$(grep -c 'bytes in .ctx' out)" -eq 2 ] || fail "$f"
		ctx-age --media 0 out | cmp - out
		ctx-restore out | cmp - $f
		ctx-truncate -l 0 --media 1 $f > out
		[ "$(grep -c 'removed: 1568x1176 png, 33 bytes' out)" -eq 1 ]
	done
	# A copy that the model does not see is kept.
	ctx-age --media 0 claude | jq -r '.toolUseResult.file.base64 // empty' |
	    grep -qx "$png"
}

repeat() { # NUMBER TEXT
	printf "$2%.0s" $(seq "$1")
}

# Prints the session file $1, and five more answers of the assistant.
answers_after() {
	cat "$1"
	for i in d e f g h; do
		jq -nc --arg i $i '{uuid: $i, parentUuid: "c", sessionId: "s",
		    type: "assistant", message: {role: "assistant", id: $i,
		    content: [{type: "text", text: "Yes."}]}}'
	done
}

# A session of Claude Code in which the result $1 (JSON) has the copy $2, in the
# format $3 (default: claude-code).
copied() {
	jq -nc --argjson result "$1" --argjson copy "$2" --arg d "${3-claude-code}" '
	    def line($id; $up): if $d == "claude-code"
		then {uuid: $id, parentUuid: $up, sessionId: "s"}
		else {session_id: "s"} end;
	    (line("a"; null) + {type: "user", message: {role: "user",
		content: "Read it."}}),
	    (line("b"; "a") + {type: "assistant", message: {role: "assistant",
		id: "m", content: [{type: "tool_use", id: "t", name: "Read",
		input: {}}]}}),
	    ((if $d == "claude-code" then {toolUseResult: $copy}
		else {tool_use_result: $copy} end) + line("c"; "b") +
		{type: "user", message: {role: "user", content: [{type:
		"tool_result", tool_use_id: "t", content: $result}]}})'
}

@test "claude-code: a result and its copy are moved and restored together" {
	local text copy long
	text=$(repeat 300 'a naïve line ')
	long=$(jq -nc --arg t "$text" '$t')
	for copy in "$long" "{\"stdout\":$long,\"stderr\":\"\"}" \
	    "{\"type\":\"text\",\"file\":{\"filePath\":\"/a\",\"content\":$(jq -nc --arg t "$text" '"1 \($t)\n2"')}}" \
	    "[{\"type\":\"text\",\"text\":$long},{\"type\":\"text\",\"text\":\"b\"}]"; do
		for d in claude-code claude-stream; do
			copied "$long" "$copy" $d > plain
			jq -ac . plain > escaped
			for f in plain escaped; do
				ctx-age -o 1000 -k 0 $f > out
				run ! grep -q "$(repeat 100 'a naïve line ')" out
				[ "$(grep -o 'characters in .ctx/spool/' out | wc -l)" -eq 2 ]
				ctx-age -o 1000 -k 0 out | cmp - out
				ctx-restore out | cmp - $f
				# Only texts are replaced.
				cmp <(jq -c '.. |= if type == "string" and length > 100 then "x" else . end' $f) \
				    <(jq -c '.. |= if type == "string" and length > 100 then "x" else . end' out)
				# The copy counts nothing.
				ascii=-ac
				[ $f = escaped ] || ascii=-c
				jq $ascii 'del(.toolUseResult, .tool_use_result)' $f > bare
				cmp <(ctx-age -n --json -o 1000 -k 0 < $f) \
				    <(ctx-age -n --json -o 1000 -k 0 < bare)
				ctx-age --mask -o 1000 -k 0 $f > out
				[ "$(grep -o '\[cleared\]' out | wc -l)" -eq 2 ]
			done
		done
	done
}

@test "claude-code: a copy that is a string is restored if no text is kept before the reference" {
	local text
	text="Error: $(repeat 300 'a naïve line ')"
	for d in claude-code claude-stream; do
		copied "$(jq -nc --arg t "${text#Error: }" '$t')" \
		    "$(jq -nc --arg t "$text" '$t')" $d > in
		for o in "--over 1000 --head 0" "--over 0"; do
			rm -rf .ctx
			# shellcheck disable=SC2086 # options
			ctx-age -k 0 $o in > out
			jq -e 'select(.toolUseResult // .tool_use_result) |
			    (.toolUseResult // .tool_use_result) |
			    startswith("[")' out
			ctx-restore out | cmp - in
			[ "$(ctx-restore --list out | grep -c ^whole)" -eq 2 ]
			run -0 ctx-restore --gc out
			[ -z "$output" ]
			# shellcheck disable=SC2086
			ctx-age -k 0 $o out | cmp - out
		done
	done
}

@test "claude-code: an array of short texts in the copy is one text" {
	local text long copy
	text=$(repeat 300 'a line ')
	long=$(jq -nc --arg t "$text" '$t')
	# What Edit stores, spelled so that it cannot be restored from its texts.
	copy=$(jq -nc --arg t "$text" '{filePath: "/a", oldString: "b", newString: "c",
	    originalFile: $t, structuredPatch: [{oldStart: 1, newStart: 1,
	    lines: [range(200) | "+line \(.) \u00e9"]}], list: ["x", 1]}' | sed 's/é/\\u00e9/; s/","/" , "/3')
	copied "$long" "\"\"" | COPY=$copy perl -pe 's/("toolUseResult":)""/$1$ENV{COPY}/' > in
	grep -q 'line 0 .u00e9"' in
	ctx-age -k 0 -o 1000 --head 0 in > out
	jq -e 'select(.toolUseResult) | .toolUseResult | .list == ["x", 1] and
	    (.structuredPatch[0] | .oldStart == 1 and (.lines | length) == 1)' out
	run ! grep -q '+line 0' out
	grep -q '^+line 0 é$' .ctx/spool/*.md
	ctx-restore out | cmp - in
	[ "$(ctx-restore --list out | grep -c ^whole)" -eq 3 ]
	ctx-age -k 0 -o 1000 --head 0 out | cmp - out
	ctx-truncate -l 1000 in > out
	jq -e 'select(.toolUseResult) | .toolUseResult.structuredPatch[0].lines |
	    .[0] == "+line 0 é" and .[-1] == "+line 199 é" and
	    (add | length <= 1000 and contains("truncated"))' out
	ctx-truncate -l 1000 out | cmp - out
	ctx-age -k 0 -o 1000 --mask in > out
	[ "$(jq -c 'select(.toolUseResult) | .toolUseResult.structuredPatch[0].lines' out)" = \
	    '["[cleared]"]' ]
	answers_after in > more
	ctx-prune -s pinned-fifo -b 200 -l aggressive more > out
	[ "$(jq -c 'select(.toolUseResult) | .toolUseResult.structuredPatch[0].lines' out)" = \
	    '["[cleared]"]' ]
}

@test "claude-code: a copy is kept if its result is kept, if it may be JSON, or if there are several results" {
	local text long
	text=$(repeat 300 'a line ')
	long=$(jq -nc --arg t "$text" '$t')
	copied '"short"' "{\"stdout\":$long}" > in
	ctx-age -o 1000 -k 0 in | cmp - in
	ctx-truncate -l 1000 in | cmp - in
	copied "$long" "$(jq -nc --arg t "$text" '[$t] | tojson')" > in
	ctx-age -o 1000 -k 0 in > out
	cmp <(jq -c .toolUseResult in) <(jq -c .toolUseResult out)
	ctx-restore out | cmp - in
	copied "$long" "{\"stdout\":$long}" |
	    jq -c 'if .toolUseResult then .message.content += [{type:
		"tool_result", tool_use_id: "t2", content: "short"}] else . end' > in
	ctx-age -o 1000 -k 0 in > out
	cmp <(jq -c .toolUseResult in) <(jq -c .toolUseResult out)
	run ! cmp -s in out
	ctx-restore out | cmp - in
}

@test "claude-code: the copy of a shortened or cleared result is shortened or cleared" {
	local text long
	text=$(repeat 800 'a line ')
	long=$(jq -nc --arg t "$text" '$t')
	copied "$long" "{\"stdout\":$long,\"isImage\":false}" > in
	ctx-truncate -l 1000 in > out
	[ "$(jq -c 'select(.toolUseResult) | .toolUseResult.stdout == .message.content[0].content' out)" = true ]
	[ "$(jq 'select(.toolUseResult) | .toolUseResult.stdout | length' out)" -le 1000 ]
	[ "$(jq -c 'select(.toolUseResult) | .toolUseResult | keys' out)" = '["isImage","stdout"]' ]
	ctx-truncate -l 1000 out | cmp - out
	# The result is old enough to be cleared.
	answers_after in > more
	ctx-prune -s pinned-fifo -b 200 -l aggressive more > out
	[ "$(jq -c 'select(.toolUseResult) | [.toolUseResult.stdout, .message.content[0].content]' out)" = \
	    '["[cleared]","[cleared]"]' ]
	[ "$(wc -c < out)" -lt 2000 ]
	ctx-prune -s pinned-fifo -b 200 -l aggressive out | cmp - out
}

@test "--media: media in a result that ages later is restored with it in one run" {
	shots 2 | jq -c 'if .content[0].type == "tool_result"
	    then .content[0].content += [{type: "text", text: ("ab c" * 50)}]
	    else . end' > in
	ctx-age --media 0 in | ctx-age -k 0 -o 60 --head 10 > out
	[ "$(aged out)" -eq 2 ]
	run -1 grep -c 'shot-.*removed' out
	ctx-restore out | cmp - in
	ctx-restore --gc out | cmp - /dev/null
	[ "$(ctx-restore --list out | wc -l)" -eq 5 ]
	# The other way round what is aged has no media to age.
	ctx-age -k 0 -o 60 --head 10 in | ctx-age --media 0 > other
	ctx-restore other | cmp - in
	# A file that is missing leaves all of its record as it is.
	rm .ctx/spool/image-*.json
	run -1 --separate-stderr ctx-restore out
	[ "$output" = "$(cat out)" ]
	[[ $stderr == *"is missing"* ]]
}

@test "--media stores a URL or file id only as the JSON of its block" {
	pad=$(printf 'x%.0s' {1..40})
	jq -nc --arg p "$pad" '
	    {role: "user", content: [
		{type: "file", file: {file_id: "file-7", filename: "a.pdf"}},
		{type: "image_url", image_url: {url: "https://x.org/\($p).png"}}]}' > in
	ctx-age --media 0 in > out
	[ "$(find .ctx/spool -name '*.json' | wc -l)" -eq 2 ]
	[ "$(find .ctx/spool -type f | wc -l)" -eq 2 ]
	jq -r '.content[0].text' out | head -n 1 |
	    grep -qx '\[document removed: a.pdf, file-7\]'
	cat .ctx/spool/document-*.json | cmp - <(jq -c '.content[0]' in)
	ctx-restore out | cmp - in
	ctx-age --media 0 out | cmp - out
}

@test "--media keeps small media, and obeys --mask, --tool and --at-least" {
	shots 2 > in
	# An icon of a few tokens is cheaper than a reference.
	sed 's/AABiAAAASY/AAAEAAAABA/' in > icons
	ctx-age --media 0 icons | cmp - icons
	ctx-age --media 0 --mask --explain why in > out
	[ "$(grep -c '\[image removed: 1568x1176 png, 36 bytes\]' out)" -eq 3 ]
	[ ! -e .ctx ]
	[ "$(jq -r .rule why | sort -u)" = mask ]
	ctx-age --media 0 --tool other in > out
	diff <(tail -n 4 in) <(tail -n 4 out)
	grep -q 'bytes in' out
	ctx-age --media 0 --at-least 100k in | cmp - in
	ctx-age --media 0 --at-least 4k in | grep -c 'bytes in' | grep -qx 3
	ctx-age --media 0 -n in | grep -q 'edit   media  *3 messages'
	ctx-age --media 0 --explain why --archive gone in > out
	[ "$(jq -r '[.rule, .role, .tool] | @tsv' why | tail -n 1)" = \
	    $'media\tuser\tshot' ]
	cmp gone <(jq -c 'select(.role == "user")' in)
	ctx-age --media 0 -v in 2> err > out
	grep -q 'moved 3 blocks of media' err
	for o in "-k 1" "--keep-results 1"; do
		# shellcheck disable=SC2086 # an option and a number
		run -2 ctx-age --media 1 $o in
		[[ $output == *"cannot be combined with -k or"* ]]
	done
	ctx-age --media 0 --path-format 'x-{tool}-{sha256}' in > out
	ctx-restore out | cmp - in
	grep -q 'spool/x-image-[0-9a-f]*.png' out
}

@test "--media: only a placeholder text that ctx-age would write is restored" {
	shots 0 > in
	ctx-age --media 0 in > out
	text=$(jq '.content[0].text' out)
	ctx-restore -S other out 2> err | cmp - out
	grep -q 'references to other directories: 1; ' err
	# Another first line, another size, another text before or after it.
	for change in 's/1568x1176/1568x1177/' 's/36 bytes/37 bytes/'; do
		sed "$change" out > forged
		run -1 --separate-stderr ctx-restore forged
		[ "$output" = "$(cat forged)" ]
		[[ $stderr == *"has changed"* ]]
	done
	for change in 's/"text":"/"text":"See: /' 's/\]","cache/], see.","cache/'; do
		sed "$change" out > forged
		ctx-restore forged | cmp - forged
	done
	# A record that another program has written anew is still read.
	jq . out > pretty
	ctx-restore pretty | jq -c . | cmp - in
	# A file that was changed is not believed.
	for f in .ctx/spool/image-*.json; do
		chmod u+w "$f"
		sed -i 's/ephemeral/something/' "$f"
	done
	run -1 --separate-stderr ctx-restore out
	[ "$output" = "$(cat out)" ]
	# A file of results is no block of media.
	call a run "$(long 900)" > results
	ctx-age -k 0 results > old
	name=$(grep -o 'run-[0-9a-f]*.md' old)
	jq -nc --arg n "$name" '{role: "user", content: [{type: "text", text:
	    "[image removed]\n[8999 bytes in .ctx/spool/\($n)]"}]}' > forged
	run -1 --separate-stderr ctx-restore forged
	[ "$output" = "$(cat forged)" ]
	[ -n "$text" ]
}

@test "ctx-truncate and ctx-prune keep the placeholders of --media whole" {
	shots 3 > in
	ctx-age --media 0 in > out
	ctx-truncate -l 9 --message-limit 9 out | cmp - out
	ctx-prune -b 100k out | cmp - out
	ctx-cache out | ctx-restore | grep -c "$png" | grep -qx 4
}

@test "--media finds media in every place of a message that can be replaced" {
	# A payload that costs more than any reference.
	head -c 200000 /dev/zero | tr '\0' A > payload
	{
		printf iVBORw0KGgoAAAANSUhEUgAABiAAAASYCAYAAAA
		head -c 4001 payload
	} > png
	records() {
		jq -nc --rawfile p payload --rawfile png png "$1" > in
	}
	aged() {
		rm -rf spool
		ctx-age -d "$1" -S spool --media 0 in > out
		ctx-restore -S spool out | cmp - in
	}
	while IFS=$'\t' read -r dialect program; do
		records "$program"
		aged "$dialect"
		run -1 cmp -s in out
		ctx-truncate -d "$dialect" -l 0 --media 0 in > cut
		run -1 cmp -s in cut
	done <<'X'
openai-chat	{role: "user", content: [{type: "input_audio", input_audio: {data: $p, format: "wav"}}]}
openai-chat	{role: "user", content: [{type: "file", file: {filename: "a.pdf", file_data: ("data:application/pdf;base64," + $p)}}]}
openai-responses	{type: "custom_tool_call_output", call_id: "a", output: [{type: "input_image", image_url: ("data:image/png;base64," + $png)}]}
gemini	{role: "user", parts: [{fileData: {mimeType: "image/png", fileUri: "https://example.org/a.png"}}]}
claude-code	{type: "user", uuid: "1", parentUuid: null, sessionId: "s", message: {role: "user", content: [{type: "tool_result", tool_use_id: "t", content: [{type: "image", source: {type: "base64", media_type: "image/png", data: $png}}]}]}}
X
	while IFS=$'\t' read -r dialect program; do
		records "$program"
		aged "$dialect"
		cmp in out
		ctx-truncate -d "$dialect" -l 0 --media 0 in | cmp - in
	done <<'X'
openai-responses	{type: "computer_call_output", call_id: "a", output: {type: "computer_screenshot", image_url: ("data:image/png;base64," + $png)}}
openai-responses	{type: "image_generation_call", id: "a", status: "completed", result: $png}
gemini	{role: "user", parts: [{functionResponse: {name: "f", response: {}, parts: [{inlineData: {mimeType: "image/png", data: $png}}]}}]}
ollama	{role: "user", content: "See.", images: [$png]}
llm-logs	{id: "x", conversation_id: "c", model: "m", prompt: "p", response: "r", attachments: [{id: "i", type: "image/png", content: $png}]}
openai-chat	{role: "assistant", content: null, audio: {id: "audio_1", data: $p}}
X
	# Claude Code stores a copy that the model does not see: ctx keeps it.
	records '{type: "user", uuid: "1", parentUuid: null, sessionId: "s",
	    message: {role: "user", content: [{type: "tool_result",
		tool_use_id: "t", content: [{type: "image", source:
		{type: "base64", media_type: "image/png", data: $png}}]}]},
	    toolUseResult: {type: "image", file: {base64: $png}}}'
	aged claude-code
	cmp <(jq -c .toolUseResult in) <(jq -c .toolUseResult out)
	[ "$(jq -r '.message.content[0].content[0].type' out)" = text ]
}
