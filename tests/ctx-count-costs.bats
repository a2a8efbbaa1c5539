# ctx-count: what messages, calls, images and PDFs cost

load helper

@test "framing is that of the OpenAI cookbook: 3 tokens per message, 1 per name, 3 per conversation" {
	messages user:hi > one
	# role 1, content 1, framing 3, priming 3
	[ "$(tokens -m gpt-4o one)" -eq 8 ]
	messages system:hi user:hi > two
	[ "$(tokens -m gpt-4o two)" -eq 13 ]
	echo '{"role":"user","name":"bob","content":"hi"}' > named
	[ "$(tokens -m gpt-4o named)" -eq 10 ]
}

@test "the example of the OpenAI cookbook costs what its API call reported" {
	# "How to count tokens with tiktoken": 129 for gpt-4, 124 for gpt-4o.
	messages \
	    "system:You are a helpful, pattern-following assistant that translates corporate jargon into plain English." \
	    > cookbook
	cat >> cookbook <<'X'
{"role":"system","name":"example_user","content":"New synergies will help drive top-line growth."}
{"role":"system","name":"example_assistant","content":"Things working well together will increase revenue."}
{"role":"system","name":"example_user","content":"Let's circle back when we have more bandwidth to touch base on opportunities for increased leverage."}
{"role":"system","name":"example_assistant","content":"Let's talk later when we're less busy about how to do better."}
{"role":"user","content":"This late pivot means we don't have time to boil the ocean for the client deliverable."}
X
	[ "$(tokens -m gpt-4 cookbook)" -eq 129 ]
	[ "$(tokens -m gpt-4o cookbook)" -eq 124 ]
}

@test "a tool call costs its name, its arguments and the measured tokens around it" {
	echo '{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"wx","arguments":"{\"city\":\"Oslo\"}"}}]}' > call
	printf '{"city":"Oslo"}' > arguments
	args=$(tokens -e o200k_base --text arguments)
	# The call and its result name the function.
	printf functions.wx > name
	name=$(tokens -e o200k_base --text name)
	[ "$(tokens -m gpt-4o call)" -eq $((3 + 3 + 1 + args + 2 * name + 3)) ]
	[ "$(tokens -m o3 call)" -eq $((2 + 3 + 1 + args + 2 * name + 9)) ]
	[ "$(tokens -m gpt-5 call)" -eq $((2 + 3 + 1 + args + 2 * name + 9)) ]
	# White space in arguments has no tokens, but characters.
	jq -c '.tool_calls[0].function.arguments |= sub(":"; ": ")' call > spaced
	for model in gpt-4o gpt-5; do
		[ "$(cat call spaced | ctx-count --per message --json -m $model |
		    jq -sc '[.[1].tokens - .[0].tokens, .[1].chars - .[0].chars]')" = \
		    '[0,1]' ] || fail "$model"
	done
	# Arguments that are not JSON are counted as they are.
	printf '{"city": "Oslo"' > broken
	[ "$(jq -c --rawfile a broken '.tool_calls[0].function.arguments = $a' call |
	    tokens -m gpt-4o)" -eq $((3 + 3 + 1 + 2 * name + 3 +
	    $(tokens -e o200k_base --text broken))) ]
	# That is an estimate.
	ctx-count --json -m gpt-4o call | jq -e '.exact == false'
	# Several calls in one message are one JSON text.
	jq -c '.tool_calls += .tool_calls' call > two
	[ "$(tokens -m gpt-4o two)" -eq \
	    $((3 + 3 + 1 + 2 * (args + name + 2) + 27)) ]
}

@test "claude: a call costs the names and values of its arguments, and tags around them" {
	echo '{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"wx","input":{"city":"a\nb"}}]}' > one
	jq -c '.content[0].input.days = 3' one > two
	text() {
		printf "$1" > text
		tokens -e "$2" --text text
	}
	for version in claude-opus-4-5:claude-3:7:40:14 \
	    claude-opus-4-7:claude-4.7:11:43:19 \
	    claude-opus-4-8:claude-4.8:6:25:19; do
		IFS=: read -r model encoding frame call argument <<< "$version"
		want=$((frame + call + argument + $(text wx $encoding) +
		    $(text city $encoding) + $(text 'a\nb' $encoding)))
		[ "$(tokens -m $model one)" -eq "$want" ] || fail "$model"
		[ "$(tokens -m $model two)" -eq $((want + argument +
		    $(text days $encoding) + $(text 3 $encoding))) ] ||
			fail "$model: two arguments"
	done
}

@test "gpt-5: a request costs a token less, an earlier answer 2 more" {
	messages user:hi > one
	messages user:hi assistant:yes user:hi > three
	[ "$(tokens -m gpt-5 one)" -eq $(($(tokens -m gpt-4o one) - 1)) ]
	[ "$(tokens -m o3 three)" -eq $(($(tokens -m gpt-4o three) - 1)) ]
	[ "$(tokens -m gpt-5 three)" -eq $(($(tokens -m gpt-4o three) + 1)) ]
	ctx-count --json -m gpt-5 three | jq -e .exact
}

@test "gemini: a signature on a tool call is counted, one on a text is not" {
	signed() { # parts before the signature
		printf '{"contents":[{"role":"user","parts":[{"text":"hi"}]},{"role":"model","parts":[{%s}]}]}' \
		    "$1" > in
		tokens -m gemini-3-pro in
	}
	local call='"functionCall":{"name":"f","args":{}}' signature
	# base64 whose first byte is 0x12: a form that is billed
	signature=$(printf '"thoughtSignature":"Eg%0998d"' 0)
	[ "$(signed "$call,$signature")" -eq $(($(signed "$call") + 184)) ]
	[ "$(signed '"text":"a",'"$signature")" -eq "$(signed '"text":"a"')" ]
}

@test "escapes count as the characters that they stand for" {
	printf '{"role":"user","content":"\\u00e9\\n\\ud83d\\ude00"}\n' > escaped
	printf '{"role":"user","content":"é\\n😀"}\n' > plain
	[ "$(tokens escaped)" -eq "$(tokens plain)" ]
}

@test "a request of one message costs Claude its text and the frame of the version" {
	jq -nc '{messages: [{role: "user", content: "hello, world"}]}' > in
	[ "$(tokens -m claude-opus-4-5 in)" -eq 10 ]
	[ "$(tokens -m claude-opus-4-7 in)" -eq 15 ]
	[ "$(tokens -m claude-opus-4-8 in)" -eq 10 ]
	# A second message costs 2 tokens and its text.
	jq -c '.messages += [{role: "assistant", content: "hello, world"}]' \
	    in > two
	[ "$(tokens -m claude-opus-4-8 two)" -eq 16 ]
	# So does an item without a role, which here is a call of 25 tokens, and
	# each of prompt and response, which have no frame of a request.
	jq -nc '{type: "function_call", call_id: "c", name: "hello",
	    arguments: ", world"}' > item
	[ "$(tokens -m claude-opus-4-8 -d openai-responses item)" -eq \
	    $((4 + 2 + 25 + $(tokens -e claude-4.8 --text <(printf hello)) +
		$(tokens -e claude-4.8 --text <(printf ', world')))) ]
	jq -nc '[{id: "x", conversation_id: "c", model: "m",
	    prompt: "hello, world", response: "hello, world"}]' > row
	[ "$(tokens -m claude-opus-4-8 -d llm-logs row)" -eq 12 ]
}

@test "gemini: calls and results cost their keys and texts" {
	echo '{"role":"model","parts":[{"functionCall":{"name":"wx","args":{"city":"Oslo","days":12345678}}}]}' > call
	# wx, city, days, Oslo
	[ "$(tokens -e o200k_base call)" -eq 5 ]
	echo '{"role":"user","parts":[{"functionResponse":{"name":"wx","response":{"output":["hi","hi"]}}}]}' > result
	[ "$(tokens -e o200k_base result)" -eq 4 ]
}

@test "unknown records cost nothing, unknown blocks cost their text" {
	cp "$chat" mixed
	echo '{"type":"session_meta","id":1}' >> mixed
	[ "$(tokens mixed)" -eq "$(tokens "$chat")" ]
	echo '{"role":"user","content":[{"type":"hologram","data":"some words"}]}' > odd
	[ "$(tokens odd)" -gt 10 ]
}

@test "JSON costs the same however it is laid out and escaped" {
	value='{"wo":["北京/東京","😀\n\"",1.50],"où":{}}'
	tools='[{"name":"wx","description":"météo / 天気","input_schema":
	    {"type":"object","properties":{"où":{"type":"string",
	    "enum":["à","/"]}}}}]'
	jq -nc --argjson v "$value" '
	    {role: "assistant", content: [{type: "tool_use", id: "a",
		name: "wx", input: $v}]},
	    {role: "assistant", content: [{toolUse: {toolUseId: "b",
		name: "wx", input: $v}}]},
	    {role: "assistant", tool_calls: [{id: "c", function: {name: "wx",
		arguments: $v}}]},
	    {role: "tool", tool_call_id: "c", content: {x: $v}}' > plain
	for m in gpt-4o claude-sonnet-4-5; do
		jq -nc --arg m $m --argjson t "$tools" '{model: $m, tools: $t,
		    messages: [{role: "user", content: "x"}]}'
	done >> plain
	jq -ac . plain | sed 's|/|\\/|g; s|:"wx"|: "w\\u0078"|' > escaped
	jq --indent 5 . plain > spread
	ctx-count --json --per kind plain > want
	[ "$(wc -l < want)" -eq 5 ]
	for file in escaped spread; do
		for j in 1 3; do
			ctx-count -j $j --json --per kind $file |
			    sed "s/\"$file/\"plain/" | cmp - want ||
			    fail "$file -j $j"
		done
	done
	# as in budgets and limits
	for file in plain escaped; do
		{
			messages user:x
			sed -n 3,4p $file
			messages assistant:z user:y
		} > $file.chat
	done
	n=$(tokens plain.chat)
	ctx-prune -b "$n" -k 1 -t 0 escaped.chat | cmp - escaped.chat
	ctx-prune -b $((n - 1)) -k 1 -t 0 escaped.chat > out
	run ! cmp -s out escaped.chat
	sed -n 3,4p escaped > two
	n=$(ctx-count --per kind two | sed -n 's/ *~\([0-9]*\) .* result/\1/p')
	ctx-truncate --unit tokens -l "$n" --args "$n" two | cmp - two
	ctx-truncate --unit tokens -l $((n - 1)) two > out
	run ! cmp -s two out
	ctx-truncate --args 36 two | cmp - two
	ctx-truncate --args 35 two | grep -q '"arguments":{"…":0}'
}

@test "an image makes only the kind media an estimate" {
	printf '{"role":"user","content":[{"type":"text","text":"see"},{"type":"image_url","image_url":{"url":"https://example.org/a.png"}}]}' > image
	ctx-count -m gpt-4o --json --per kind image > out
	jq -se 'map({(.kind): .exact}) | add == {"media": false,
	    "text": true, "framing": true}' out
}

@test "an image costs by its size and model, and its base64 is never counted as text" {
	# The header of a PNG of 1024 by 1024 pixels, and a megabyte after it.
	{
		printf '{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,'
		printf 'iVBORw0KGgoAAAANSUhEUgAABAAAAAQACAYAAAAA'
		head -c 1000000 /dev/zero | tr '\0' A
		printf '"}}]}\n'
	} > image
	echo '{"role":"user","content":[]}' > none
	image() {
		echo $(($(tokens "$@" image) - $(tokens "$@" none)))
	}
	[ "$(image)" -eq 765 ]
	[ "$(image -m gpt-4o)" -eq 765 ]
	[ "$(image -m gpt-5)" -eq 630 ]
	[ "$(image -m gpt-5.4)" -eq 1229 ]
	[ "$(image -m claude-opus-4-5)" -eq 1372 ]
	[ "$(image -m gemini-2.0-flash)" -eq 1290 ]
	[ "$(image -m gemini-2.5-pro)" -eq 258 ]
	[ "$(image -m gemini-3-pro)" -eq 1089 ]
	ctx-count --json -m gpt-4o image | jq -e '.exact | not'
	ctx-count --json -m gpt-4o none | jq -e .exact
	sed 's/"}}/","detail":"low"}}/' image > low
	[ $(($(tokens -m gpt-4o low) - $(tokens -m gpt-4o none))) -eq 85 ]
	[ "$(image -d openai-chat -m gpt-4o -e cl100k_base)" -eq 765 ]
}

@test "without a model the dialect decides how an image is counted" {
	png=iVBORw0KGgoAAAANSUhEUgAABAAAAAQACAYAAAAA
	source='{"type":"base64","media_type":"image/png","data":"'$png'"}'
	echo '{"role":"user","content":[{"type":"text","text":"a"},{"type":"image","source":'"$source"'}]}' > anthropic
	echo '{"role":"user","content":[{"text":"a"},{"image":{"format":"png","source":{"bytes":"'$png'"}}}]}' > bedrock
	echo '{"role":"user","parts":[{"text":"a"},{"inlineData":{"mimeType":"image/png","data":"'$png'"}}]}' > gemini
	echo '{"role":"user","content":[{"type":"text","text":"a"},{"type":"image_url","image_url":{"url":"data:image/png;base64,'$png'"}}]}' > openai-chat
	media() {
		ctx-count --json --per kind "$@" |
		    jq 'select(.kind == "media").tokens'
	}
	[ "$(media anthropic)" -eq 1372 ]
	[ "$(media bedrock)" -eq 1372 ]
	[ "$(media gemini)" -eq "$(media -m gemini gemini)" ]
	[ "$(media openai-chat)" -eq 765 ]
	# An encoding leaves the image rule to the dialect.
	[ "$(media -e o200k_base anthropic)" -eq 1372 ]
	[ "$(media -e o200k_base bedrock)" -eq 1372 ]
	[ "$(media -e o200k_base gemini)" -eq 1290 ]
	# The model leads, whoever's format it is.
	[ "$(media -m claude-opus-4-5 openai-chat)" -eq 1372 ]
	[ "$(media -m gpt-4o anthropic)" -eq 765 ]
}

@test "a document of plain text costs the tokens of its text" {
	local model text='The first line.\nA second one: 4,000 words, "quoted".'
	# Prints the tokens of a block beside a text of an empty one.
	block() {
		echo '{"role":"user","content":['"$1"']}' > doc
		echo '{"role":"user","content":[]}' > none
		echo $(($(tokens -d "$2" -m "$3" doc) - $(tokens -d "$2" -m "$3" none)))
	}
	base64=$(printf '%b' "$text" | base64 -w 0)
	text='"'${text//\"/\\\"}'"'
	for model in gpt-4o claude-sonnet-4-5 gemini-2.5-flash; do
		n=$(block '{"type":"text","text":'"$text"'}' anthropic $model)
		[ "$n" -gt 10 ]
		# Claude has 38 tokens around a document.
		case $model in claude*) n=$((n + 38)) ;; esac
		[ "$(block '{"type":"document","source":{"type":"text",
		    "media_type":"text/plain","data":'"$text"'}}' \
		    anthropic $model)" -eq "$n" ]
		[ "$(block '{"type":"document","source":{"type":"base64",
		    "media_type":"text/plain","data":"'"$base64"'"}}' \
		    anthropic $model)" -eq "$n" ]
		[ "$(block '{"document":{"format":"txt","name":"a",
		    "source":{"text":'"$text"'}}}' bedrock $model)" -eq "$n" ]
	done
	# Not plain text: a token for 4 bytes.
	base64=$(printf 'PK\3\4\0\0\377\377' | base64 -w 0)
	[ "$(block '{"type":"document","source":{"type":"base64",
	    "media_type":"application/docx","data":"'"$base64"'"}}' \
	    anthropic claude-sonnet-4-5)" -eq 3 ]
}

@test "a PDF costs by its number of pages, wherever the file shows it" {
	pdf=$(printf '%%PDF-1.7\n1 0 obj<</Type /Pages/Count 3>>\n%s\n%s\n%s' \
	    '2 0 obj<</Type/Page>>' '3 0 obj<</Type /Page /X 1>>' \
	    '4 0 obj<</Type  /Page>>' | base64 -w 0)
	echo '{"role":"user","content":[{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"'"$pdf"'"}}]}' > doc
	echo '{"role":"user","content":[]}' > none
	[ $(($(tokens -d anthropic doc) - $(tokens -d anthropic none))) -eq 4845 ]
	ctx-count --json -m claude-opus-4-5 doc | jq -e '.exact | not'
}

# Prints the tokens of a PDF for a model.  Its page has a stream of 400 bytes
# ($1: the dictionary of the stream); a font and an image have others.
pdf_tokens() {
	local model=$2 detail=$3 stream
	stream=$(printf '%400s' '')
	pdf=$(printf '%s\n' '%PDF-1.7' '1 0 obj<</Type/Page>>endobj' \
	    "2 0 obj<<$1>>stream" "${stream:2}" 'endstream endobj' \
	    '3 0 obj<</Length1 9/Filter/FlateDecode>>stream' \
	    "$stream/Type/Page$stream" 'endstream endobj' \
	    '4 0 obj<</Subtype/Image/Filter/DCTDecode>>stream' "$stream" \
	    endstream | base64 -w 0)
	case $model in
	claude*) jq -nc --arg p "$pdf" '{role: "user", content: [{type: "document",
	    source: {type: "base64", media_type: "application/pdf", data: $p}}]}' ;;
	*) jq -nc --arg p "data:application/pdf;base64,$pdf" --arg d "$detail" \
	    '{role: "user", content: [if $d == "chat" then
	        {type: "file", file: {filename: "a.pdf", file_data: $p}}
	    else {type: "input_file", filename: "a.pdf", file_data: $p} +
	        if $d == "" then {} else {detail: $d} end end]}' ;;
	esac > doc
	ctx-count --json --per kind -m "$model" doc |
	    jq 'select(.kind == "media").tokens'
}

@test "a PDF costs OpenAI and Claude the text of its pages, and their images" {
	# 30 tokens, and one for 2 bytes of compressed text or for 5 of other
	[ "$(pdf_tokens /Filter/FlateDecode gpt-5.4)" -eq 230 ]
	[ "$(pdf_tokens /Length gpt-5.4)" -eq 110 ]
	[ "$(pdf_tokens /Length gpt-5.4 low)" -eq 110 ]
	[ "$(pdf_tokens /Length gpt-4o high)" -eq $((110 + 765)) ]
	[ "$(pdf_tokens /Length gpt-5.6 low)" -eq 110 ]
	[ "$(pdf_tokens /Length gpt-5.6)" -gt 2700 ]
	[ "$(pdf_tokens /Length gpt-5.6)" -eq "$(pdf_tokens /Length gpt-5.6 high)" ]
	# Chat Completions: the same for every model
	[ "$(pdf_tokens /Length gpt-4o chat)" -eq $((110 + 982)) ]
	[ "$(pdf_tokens /Length gpt-5.6 chat)" -eq $((110 + 982)) ]
	# Claude: half as many tokens more for a text
	[ "$(pdf_tokens /Length claude-opus-5)" -eq $((1600 + 165)) ]
}
