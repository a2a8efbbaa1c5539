# media.jq - puts an image into messages of a made-up conversation
#
# Records of tests/gen/convo in the dialect $to (--arg).  Users' messages and
# results get one, except at every third place of the conversation.

# The header of an image of 1568 by 1176 pixels.
def png: "iVBORw0KGgoAAAANSUhEUgAABiAAAASYCAYAAAAAAAAA";
def url: "data:image/png;base64," + png;

def image:
	if $to == "anthropic" then
		{type: "image", source: {type: "base64",
		    media_type: "image/png", data: png}}
	elif $to == "bedrock" then
		{image: {format: "png", source: {bytes: png}}}
	elif $to == "gemini" then
		{inlineData: {mimeType: "image/png", data: png}}
	elif $to == "openai-responses" then
		{type: "input_image", image_url: url, detail: "low"}
	else {type: "image_url", image_url: {url: url}} end;

def text:
	if $to == "bedrock" or $to == "gemini" then {text: .}
	elif $to == "openai-responses" then {type: "input_text", text: .}
	else {type: "text", text: .} end;

# A content, as an array, and the image at its end.
def with_image: (if type == "string" then [text] else . end) + [image];

def add:
	if .type == "function_call_output" then .output |= with_image
	elif $to == "gemini" then .parts |= with_image
	elif ([.content[]? | objects | select(.type == "tool_result")]
	    | length) > 0 then
		.content |= map(if .type == "tool_result" and .content != null
		    then .content |= with_image else . end)
	elif ([.content[]? | objects | select(has("toolResult"))]
	    | length) > 0 then
		.content |= map(if has("toolResult")
		    then .toolResult.content |= with_image else . end)
	elif .role == "tool" and $to != "openai-chat" then .
	elif .content != null then .content |= with_image
	else . end;

def takes: .type == "function_call_output" or .role == "user"
    or .role == "tool";

# Over the messages of a record, or of the stream.
def all: to_entries | map(if (.key % 3) == 0 or (.value | takes | not)
    then .value else (.value | add) end);

if type == "array" then all
else (.. | objects | select(.role == null)
    | (.messages, .contents, .input) | arrays) |= all end
