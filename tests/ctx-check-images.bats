# ctx-check: limits of images

load helper
load check

@test "big-image: an image over the limit of pixels or bytes gets a placeholder" {
	printf '%s\n' '{"role":"user","content":['"$(image 8000 10),$(image 8001 10)"']}' > in
	run -1 ctx-check in
	[ "$output" = "in:1: big-image: an image has 8001x10 pixels, more than 8000 on a side" ]
	ctx-check --repair --explain log in > out
	cmp out <(printf '%s\n' '{"role":"user","content":['"$(image 8000 10)"',{"type":"text","text":"[image removed: 8001x10 png, 29 bytes]"}]}')
	[ "$(jq -r .sha256 log)" = "$(image 8001 10 | sha256sum | cut -c -64)" ]
	ctx-check out
	# The 5 MB are those of the base64.
	{
		printf '{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"'
		{
			png 10 10 | base64 -d
			head -c 3932131 /dev/zero
		} | base64 -w 0
		printf '"}}]}]}\n'
	} > large
	{
		echo '{"role":"user","content":"u"}'
		echo '{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}}]}'
		cat large
	} > in
	ctx-check in
	sed 's/"iVBO/"AAAAiVBO/' in > more
	run -1 ctx-check more
	[ "$output" = "more:3: big-image: an image has 5242884 bytes of base64, more than 5242880" ]
	ctx-check --repair more > out
	tail -n 1 out | grep -q '"content":\[{"type":"text","text":"\[image removed'
	ctx-check out
}

@test "big-image: with more than 20 images the limit is 2,000 pixels" {
	local i
	for i in {1..20}; do
		printf '{"role":"user","content":[%s]}\n{"role":"assistant","content":"a"}\n' \
		    "$(case $i in 3) image 2001 10 ;; 5) image 10 2001 ;; *) image 9 9 ;; esac)"
	done > in
	ctx-check -d anthropic in
	printf '{"role":"user","content":[%s]}\n' "$(image 9 9)" >> in
	run -1 ctx-check -d anthropic in
	[ "${lines[0]}" = "in:5: big-image: an image has more than 2000 pixels on a side, in a request of more than 20 images" ]
	[[ ${lines[1]} == in:9:* ]]
	[ "${#lines[@]}" -eq 2 ]
	# Without the oldest of them there are 20 again.
	ctx-check -d anthropic --repair --archive gone in > out
	ctx-check -d anthropic out
	[ "$(diff in out | grep -c '^>')" -eq 1 ]
	cmp gone <(sed -n 5p in)
	[ "$(sed -n 5p out)" = '{"role":"user","content":[{"type":"text","text":"[image removed: 2001x10 png, 29 bytes]"}]}' ]
	# The same as a record.
	{
		printf '{"messages":['
		paste -sd, in | tr -d '\n'
		echo ']}'
	} > record
	ctx-check -d anthropic --repair --archive gone2 record > out2
	cmp gone gone2
	cmp <(jq -c '.messages[]' out2) <(jq -c . out)
}

@test "many-images: the limit is 600 per request, for bedrock 20 per message" {
	local one=',{"type":"image","source":{"type":"url","url":"https://x.org/a.png"}}'
	printf '{"role":"user","content":[%s]}\n' "$(printf "${one//%/%%}%.0s" {1..602} | cut -c 2-)" > in
	run -1 ctx-check -d anthropic in
	[ "$output" = "in:1: many-images: more than 600 images; this image is not among the newest
in:1: many-images: more than 600 images; this image is not among the newest" ]
	ctx-check -d anthropic --repair in > out
	[ "$(jq -c '.content[:3]' out)" = '[{"type":"text","text":"[image removed: https://x.org/a.png]"},{"type":"text","text":"[image removed: https://x.org/a.png]"}'"$one]" ]
	ctx-check -d anthropic out
	one=',{"image":{"format":"png","source":{"bytes":"'"$(png 1 1)"'"}}}'
	printf '{"role":"user","content":[%s]}\n' "$(printf "$one%.0s" {1..21} | cut -c 2-)" > in
	run -1 ctx-check -d bedrock in
	[ "$output" = "in:1: many-images: more than 20 images in a message; this image is not among the last" ]
	ctx-check -d bedrock --repair in > out
	ctx-check -d bedrock out
	[ "$(jq -c '.content[0]' out)" = '{"text":"[image removed: 1x1 png, 29 bytes]"}' ]
}

@test "many-images: --repair replaces images of a line as it replaces those of a record" {
	local one=',{"type":"image","source":{"type":"url","url":"https://x.org/a.png"}}' images
	images=$(printf "${one//%/%%}%.0s" {1..600})
	{
		# Two images too many, one that is too large and an empty text,
		# which is removed, in one message.
		echo '{"role":"user","content":[{"type":"text","text":""}'"$images,$(image 8001 10)$one$one"',{"type":"text","text":"\ud83d"}]}'
		echo '{"role":"assistant","content":"a"}'
		# Then all images of the first message are too many.
		echo '{"role":"user","content":['"${images:1}"']}'
	} > lines
	{
		printf '{"messages":['
		paste -sd, lines | tr -d '\n'
		echo ']}'
	} > record
	ctx-check -d anthropic --repair --explain log lines > out
	ctx-check -d anthropic out
	[ "$(grep -c '"rule":"many-images"' log)" -eq 602 ]
	ctx-check -d anthropic --repair record > out2
	cmp <(jq -c '.messages[]' out2) <(jq -c . out)
	# With more than 20 images the oldest that are large.
	{
		echo '{"role":"user","content":[{"type":"text","text":""}'"$(for i in {1..24}; do printf ,; if ((i % 6 == 2)); then image 2001 10; else image 9 9; fi; done)"']}'
		echo '{"role":"assistant","content":"a"}'
		echo '{"role":"user","content":['"$(image 2001 10)"']}'
	} > lines
	{
		printf '{"messages":['
		paste -sd, lines | tr -d '\n'
		echo ']}'
	} > record
	ctx-check -d anthropic --repair lines > out
	ctx-check -d anthropic out
	ctx-check -d anthropic --repair record > out2
	cmp <(jq -c '.messages[]' out2) <(jq -c . out)
}

@test "many-images: the limit is 100 per request if the window has 200,000 tokens" {
	local one=',{"type":"image","source":{"type":"url","url":"https://x.org/a.png"}}'
	local content
	content=$(printf "${one//%/%%}%.0s" {1..101} | cut -c 2-)
	printf '{"messages":[{"role":"user","content":[%s]}],"model":"%s"}\n' \
	    "$content" claude-haiku-4-5-20251001 > in
	run -1 ctx-check in
	[ "$output" = "in:1: many-images: more than 100 images; this image is not among the newest (message 0)" ]
	ctx-check --repair in > out
	ctx-check out
	[ "$(jq -c '[.messages[0].content[].type] | group_by(.) | map([.[0], length])' out)" = '[["image",100],["text",1]]' ]
	# -m outweighs the request's own model, which has a million tokens.
	sed 's/claude-haiku-4-5-20251001/claude-opus-5-5/' in > large
	ctx-check large
	run -1 ctx-check -m claude-haiku-4-5 large
	ctx-check -m claude-opus-5-5 in
	# A stream of messages names no model.
	printf '{"role":"user","content":[%s]}\n' "$content" > lines
	ctx-check -d anthropic lines
	ctx-check -d anthropic -m a-model-of-my-own lines
	run -1 ctx-check -d anthropic -m claude-sonnet-4-5 lines
	run -1 env CTX_MODEL=claude-sonnet-4-5 ctx-check -d anthropic lines
	ctx-check -d anthropic -m claude-sonnet-4-5 --repair lines > out
	ctx-check -d anthropic -m claude-sonnet-4-5 out
	# In a transcript a later line may name the model.
	printf '%s\n' '{"type":"user","uuid":"1","parentUuid":null,"sessionId":"s","message":{"role":"user","content":['"$content"']}}' \
	    '{"type":"assistant","uuid":"2","parentUuid":"1","sessionId":"s","message":{"id":"m","role":"assistant","model":"claude-haiku-4-5","content":[{"type":"text","text":"a"}]}}' \
	    '{"type":"user","uuid":"3","parentUuid":"2","sessionId":"s","message":{"role":"user","content":"and"}}' > session
	run -1 ctx-check --provider anthropic session
	[ "$output" = "session:1: many-images: more than 100 images; this image is not among the newest" ]
	ctx-check --provider anthropic -m claude-opus-5-5 session
	# A user's own model has the window that its line says.
	mkdir -p config/ctx
	echo '{"mine":{"window":200000}}' > config/ctx/models.json
	run -1 ctx-check -d anthropic -m mine lines
}

@test "many-images: the limit is 1,500 per request for openai, 3,600 for gemini" {
	local one=',{"type":"input_image","image_url":"https://x.org/a.png"}'
	images() {
		printf "${one//%/%%}%.0s" $(seq "$1") | cut -c 2-
	}
	printf '{"type":"message","role":"user","content":[%s]}\n' "$(images 1501)" > in
	run -1 ctx-check in
	[ "$output" = "in:1: many-images: more than 1500 images; this image is not among the newest" ]
	ctx-check --repair in > out
	ctx-check out
	[ "$(jq -c '.content[:2]' out)" = '[{"type":"input_text","text":"[image removed: https://x.org/a.png]"},{"type":"input_image","image_url":"https://x.org/a.png"}]' ]
	# Other servers speak Chat Completions, too: only --provider asks.
	one=',{"type":"image_url","image_url":{"url":"https://x.org/a.png"}}'
	printf '{"role":"user","content":[%s]}\n' "$(images 1501)" > in
	ctx-check -d openai-chat in
	run -1 ctx-check -d openai-chat --provider openai in
	[ "$output" = "in:1: many-images: more than 1500 images; this image is not among the newest" ]
	ctx-check -d openai-chat --provider mistral in
	one=',{"fileData":{"mimeType":"image/png","fileUri":"https://x.org/a.png"}}'
	printf '{"role":"user","parts":[%s]}\n' "$(images 3601)" > in
	run -1 ctx-check in
	[ "$output" = "in:1: many-images: more than 3600 images; this image is not among the newest" ]
	ctx-check --repair in > out
	ctx-check out
}
