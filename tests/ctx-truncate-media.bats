# ctx-truncate: base64 in texts, and --media

load helper
load truncate

@test "base64 is never cut, but replaced by a placeholder first of all" {
	payload=$(head -c 3000 "$agent" | base64 -w 0)
	result "Here: data:image/png;base64,$payload and that was it." > image
	text=$(ctx-truncate -l 3000 image | text_of)
	[ "$text" = "Here: data:image/png;base64,[… 4000 characters of base64 …] and that was it." ]
	result "$(times 30 'some words. ')$payload$(times 30 ' more words')" > mixed
	for unit in chars bytes tokens; do
		for l in 100 200 400; do
			ctx-truncate --unit $unit -l $l mixed > out
			run ! grep -q "${payload:0:20}\|${payload: -20}" out
			ctx-truncate --unit $unit -l $l out | cmp - out
		done
	done
	# The mark counts the characters as they were in the input.
	text=$(ctx-truncate -l 36 image | text_of)
	[ "$text" = $'He\n[… 4042 characters truncated …]\n.' ]
	# A run of one kind of letter is no payload.
	result "$(times 5000 =)" > equals
	[ "$(ctx-truncate -l 100 equals | text_of | wc -m)" -ge 100 ]
	# Nor is one that fits touched.
	ctx-truncate -l 5000 image | cmp - image
}

@test "base64 in lines is found, as MIME, PEM and JSON write it" {
	head -c 3000 "$agent" > raw
	for w in 64 76; do
		base64 -w $w raw > lines
		n=$(wc -m < lines)
		{ echo "Subject: x"; echo; cat lines; echo "--boundary--"; } > mime
		result "$(cat mime)" | ctx-truncate -l 500 > out
		[ "$(text_of out)" = "Subject: x

[… $((n - 1)) characters of base64 …]
--boundary--" ]
		# With CRLF, indented, and escaped once more.
		sed 's/$/\r/' mime > crlf
		sed 's/^/    /' mime > dented
		jq -Rs '{body: .}' mime > json
		for f in crlf dented json; do
			result "$(cat $f)" | ctx-truncate -l 500 > out
			[[ $(text_of out) == *"Subject: x"*"characters of base64 …]"*"--boundary--"* ]]
		done
		# In lines the placeholder is one.
		result "$(cat mime)" | ctx-truncate --unit lines -l 10 > out
		[ "$(text_of out | grep -c '')" -eq 4 ]
	done
	# Words that come in lines of one length are none.
	result "$(for _ in $(seq 200); do echo "$(times 12 word)"; done)" |
	    ctx-truncate -l 500 | text_of > text
	run ! grep -q base64 text
	result "$(for i in $(seq 200); do sha256sum <<< "$i" | cut -c -64; done)" |
	    ctx-truncate -l 500 | text_of > text
	run ! grep -q base64 text
	# A short payload of a data: URL is none to be cut either.
	url="data:text/plain;base64,$(times 10 QUJD)"
	for l in $(seq 40 4 90); do
		result "see $url $(times 100 'and so on ')" |
		    ctx-truncate -l "$l" --keep head | text_of > text
		run ! grep -q 'base64,Q[A-Z]*$' text ||
			grep -qF "$url" text
	done
}

png=iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==

# shots N: a question and N calls, each answered with an image, for Anthropic.
shots() {
	jq -nc --argjson n "$1" --arg p "$png" '
	    def shot: {type: "image", source: {type: "base64",
		media_type: "image/png", data: $p}};
	    {role: "user", content: [shot + {cache_control:
		{type: "ephemeral"}}]},
	    (range($n) | {role: "assistant", content: [{type: "tool_use",
		id: "t\(.)", name: "shot", input: {}}]},
		{role: "user", content: [{type: "tool_result",
		tool_use_id: "t\(.)", content: [shot]}]})'
}

@test "--media replaces all but the newest media by texts in their place" {
	shots 3 > in
	ctx-truncate -l 0 --media 2 in > out
	diff <(sed -n 4,7p in) <(sed -n 4,7p out)
	[ "$(sed -n 1p out)" = '{"role":"user","content":[{"type":"text","text":"[image removed: 1x1 png, 70 bytes]","cache_control":{"type":"ephemeral"}}]}' ]
	[ "$(sed -n 3p out)" = '{"role":"user","content":[{"type":"tool_result","tool_use_id":"t0","content":[{"type":"text","text":"[image removed: 1x1 png, 70 bytes]"}]}]}' ]
	for n in 0 1 3 4 5; do
		ctx-truncate -l 0 --media $n in > out
		[ "$(grep -c "$png" out)" -eq $((n < 4 ? n : 4)) ]
		ctx-truncate -l 0 --media $n out | cmp - out
		jq -sc . in | ctx-truncate -l 0 --media $n | jq -c '.[]' |
		    cmp - out
	done
	# What was removed is counted among the newest.
	ctx-truncate -l 0 --media 1 in > out
	shots 1 | tail -n 2 >> out
	ctx-truncate -l 0 --media 2 out | grep -c "$png" | grep -qx 2
}

@test "--media: the placeholder names type, size and name of the media" {
	said() {
		jq -nc "{role: \"user\", content: [$1]}" |
		    ctx-truncate -d "${2:-openai-chat}" -l 0 --media 0 |
		    jq -r '.content[0].text'
	}
	[ "$(said '{type: "file", file: {filename: "a b.pdf", file_data:
	    "data:application/pdf;base64,JVBERi0xLjQKJcOkw7zDtsOfCg=="}}')" = \
	    "[document removed: a b.pdf, pdf, 19 bytes]" ]
	[ "$(said '{type: "file", file: {file_id: "file-7"}}')" = \
	    "[file removed: file-7]" ]
	[ "$(said '{type: "image_url", image_url: {url: "https://x.org/a?b=1"}}')" = \
	    "[image removed: https://x.org/a?b=1]" ]
	[ "$(said '{type: "image_url", image_url: {url: "https://x.org/]a"}}')" = \
	    "[image removed]" ]
	for name in 'a\nb' 'a\u007fb'; do
		[ "$(said '{type: "file", file: {filename: "'$name'",
		    file_id: "[f]"}}')" = "[file removed]" ]
	done
	[ "$(said '{type: "input_audio", input_audio: {data: "????", format: "wav"}}')" = \
	    "[audio removed]" ]
	[ "$(said '{type: "image_url", image_url: {url: ("data:image/png;base64," + ("iVBORw0KGgoAAAANSUhEUgAABiAAAASY" | . + ("A" * 4000)))}}')" = \
	    "[image removed: 1568x1176 png, 3,024 bytes]" ]
}

@test "--media: in every dialect only the media block changes" {
	# Blocks of media, and what stands in for them, are X.
	form='walk(if type == "object" and
	    ((.text | strings | test("^\\[[a-z]* removed")) or
	    (.type | strings | IN("image_url", "input_image", "image",
		"input_audio", "file", "input_file", "document")) or
	    ([.image, .document, .inlineData, .fileData] | any))
	    then "X" else . end)'
	for d in openai-chat generic openai-responses anthropic bedrock gemini; do
		for seed in $(seq "${CHECK_LONG:-3}"); do
			"$B/gen-tools/convo" --dialect $d --seed "$seed" \
			    --count 3 --wrap | jq -c --arg to $d \
			    -f "$BATS_TEST_DIRNAME/media.jq" > in
			"$B/gen-tools/valid" $d --wrap --allow-pending < in \
			    > found || true
			for n in 0 2; do
				ctx-truncate -d $d -l 0 --media $n in > out
				"$B/gen-tools/valid" $d --wrap --allow-pending \
				    < out > now || true
				cmp found now
				ctx-truncate -d $d -l 0 --media $n out |
				    cmp - out
				# Text blocks are the only difference.
				grep -q 'image removed: 1568x1176 png' out ||
					fail "$d $seed: nothing was removed"
				run -1 cmp -s in out
				jq -c "$form" in | cmp - <(jq -c "$form" out)
			done
		done
	done
	files=0
	for f in "$BATS_TEST_DIRNAME"/corpus/*/*.json*; do
		ctx-truncate -l 0 --media 0 "$f" > out
		ctx-truncate -l 0 --media 0 out | cmp - out
		ctx-truncate -l 0 --media 100 "$f" | cmp - "$f"
		cmp -s out "$f" || files=$((files + 1))
		ctx-check --allow-pending --json "$f" | jq -r .rule |
		    sort > found || true
		ctx-check --allow-pending --json out | jq -r .rule | sort > now ||
			true
		[ -z "$(comm -13 found now)" ]
	done
	[ "$files" -gt 12 ]
}

@test "--media replaces media in OpenTelemetry messages and Harbor trajectories" {
	jq -nc '{role: "user", parts: [{type: "blob", modality: "image",
	    mime_type: "image/png", content:
	    ("iVBORw0KGgoAAAANSUhEUgAABiAAAASY" + "A" * 4000)}]},
	    {role: "user", parts: [{type: "uri", modality: "image",
	    uri: "https://x.org/a.png"}]}' > in
	ctx-truncate -l 0 --media 0 in > out
	[ "$(jq -c '.parts[]' out)" = '{"type":"text","content":"[image removed: 1568x1176 png, 3,024 bytes]"}
{"type":"text","content":"[image removed: https://x.org/a.png]"}' ]
	ctx-truncate -l 0 --media 0 out | cmp - out
	ctx-age --media 0 in | ctx-restore | cmp - in
	jq -nc '{step_id: 1, source: "user", message: [{type: "text",
	    text: "See."}, {type: "image", source: {media_type: "image/png",
	    path: "images/a.png"}}]}' > in
	[ "$(ctx-truncate -d atif -l 0 --media 0 in | jq -c '.message[1]')" = \
	    '{"type":"text","text":"[image removed]"}' ]
	ctx-age -d atif --media 0 in | ctx-restore -d atif | cmp - in
}

@test "--media keeps media where the format allows no text" {
	jq -nc --arg p "$png" '
	    {type: "computer_call", call_id: "c", action: {type: "screenshot"}},
	    {type: "computer_call_output", call_id: "c", output:
		{type: "computer_screenshot", image_url: $p}},
	    {type: "image_generation_call", id: "i", result: $p}' > in
	ctx-truncate -l 0 --media 0 in | cmp - in
	jq -nc --arg p "$png" '{role: "user", content: "See.", images: [$p]}' |
	    tee in | ctx-truncate -d ollama -l 0 --media 0 | cmp - in
	echo '{"role":"user","content":[{"type":"image"},{"type":"text","text":"?"}]}' |
	    tee in | ctx-truncate -d ollama -l 0 --media 0 | cmp - in
	echo '{"role":"assistant","content":null,"audio":{"id":"audio_1"}}' |
	    tee in | ctx-truncate -d openai-chat -l 0 --media 0 | cmp - in
}

@test "--media: other limits change nothing on a second run, and placeholders are not truncated" {
	shots 2 | jq -c 'if .content[0].type == "tool_result"
	    then .content[0].content += [{type: "text", text: ("ab c" * 50)}]
	    else . end' > in
	for l in 1 9 40 150; do
		for n in 0 1; do
			ctx-truncate -l $l --message-limit $l --media $n in > out
			ctx-truncate -l $l --message-limit $l --media $n out |
			    cmp - out
			[ "$(grep -c 'image removed: 1x1 png, 70 bytes' out)" \
			    -eq $((3 - n)) ]
		done
	done
	# A text that only begins like a placeholder is truncated.
	echo '{"role":"user","content":"[image removed by hand]"}' |
	    ctx-truncate --message-limit 3 | grep -Fq '"content":"[…]"'
	# A body that is no list becomes text as a whole, its image with it.
	jq -c 'if .content[0].type == "tool_result"
	    then .content[0].content[1] = {type: "search_result", x: ("a b" * 99)}
	    else . end' in > odd
	ctx-truncate -l 50 --media 0 odd > out
	ctx-truncate -l 50 --media 0 out | cmp - out
}

@test "--media obeys --tool in results and is reported by --archive and --explain" {
	shots 2 > in
	ctx-truncate -l 0 --media 0 --tool other --archive gone \
	    --explain why in > out
	diff <(tail -n 4 in) <(tail -n 4 out)
	cmp <(head -n 1 in) gone
	[ "$(jq -r '[.rule, .action, .role, .index] | @tsv' why)" = \
	    $'media\tedit\tuser\t0' ]
	ctx-truncate -n -l 0 --media 0 in > plan
	grep -q 'edit   media  *3 messages' plan
	ctx-truncate -l 0 --media 0 -v in 2> err > out
	grep -q 'removed 3 blocks of media' err
	ctx-truncate -l 8 --media 0 --explain why --message-limit 20 \
	    <(jq -c '.content += [{type: "text", text: ("x y" * 40)}]' in) > out
	jq -r .rule why | sort -u > rules
	grep -qx 'texts and media' rules
}

@test "--media: the lines of a message in memory are reported as one message" {
	local up=null
	line() { # TYPE ID MESSAGE
		echo "{\"parentUuid\":$up,\"uuid\":\"$2\",\"type\":\"$1\",\"sessionId\":\"s\",\"message\":{\"role\":\"$1\",$3}}"
		up="\"$2\""
	}
	call() { # ID
		line assistant "c$1" '"id":"m","content":[{"type":"tool_use","id":"'"$1"'","name":"f","input":{"x":"'"$(times 99 x)"'"}}]'
	}
	{
		line user u1 '"content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgo="}}]'
		call a
		call b
		line user u2 '"content":[{"type":"tool_result","tool_use_id":"a","content":"'"$(times 99 y)"'"}]'
		line user u3 '"content":[{"type":"tool_result","tool_use_id":"b","content":"'"$(times 99 y)"'"}]'
	} > one
	sed 's/"m"/"n"/; s/\("[uc][0-9a-z]\)"/\1x"/g' one > two
	for files in one "one two"; do
		for o in "--explain -" --json; do
			# shellcheck disable=SC2086 # options
			ctx-truncate -l 50 --args 20 -n $o $files > want
			# shellcheck disable=SC2086
			ctx-truncate -l 50 --args 20 -n $o --media 9 $files |
			    cmp - want || fail "$files $o"
		done
		jq -e '.rules[] | select(.rule == "arguments") |
		    .messages == 1' want
	done
}
