# Anthropic's signed reasoning as other formats write it down.  Its models refuse
# it after a change, whatever format a gateway or a library has carried it in.

load helper

# Writes a Chat conversation: a call, its result, and an answer with the members
# $1 and this content $2 (JSON).
chat_talk() {
	messages user:weather
	called a f '{}' "$(words 60)"
	printf '{"role":"assistant",%s,"content":%s}\n' "$1" "$2"
}

# The same of LangChain: the answer's content $1, its additional_kwargs $2.
langchain_talk() {
	echo '{"type":"human","content":"weather","additional_kwargs":{}}'
	echo '{"type":"ai","content":"","tool_calls":[{"id":"a","name":"f","args":{}}]}'
	printf '{"type":"tool","tool_call_id":"a","content":"%s"}\n' "$(words 60)"
	printf '{"type":"ai","content":%s,"additional_kwargs":{%s}}\n' "$1" "$2"
}

# The same of the AI SDK: model messages, and UI messages.
vercel_talk() {
	cat <<-X
	{"role":"user","content":[{"type":"text","text":"weather"}]}
	{"role":"assistant","content":[{"type":"tool-call","toolCallId":"a","toolName":"f","input":{}}]}
	{"role":"tool","content":[{"type":"tool-result","toolCallId":"a","toolName":"f","output":{"type":"text","value":"$(words 60)"}}]}
	{"role":"assistant","content":[$1,{"type":"text","text":"mild"}]}
	X
}

vercel_ui_talk() {
	cat <<-X
	{"id":"1","role":"user","parts":[{"type":"text","text":"weather"}]}
	{"id":"2","role":"assistant","parts":[{"type":"tool-f","toolCallId":"a","state":"output-available","input":{},"output":"$(words 60)"}]}
	{"id":"3","role":"user","parts":[{"type":"text","text":"so?"}]}
	{"id":"4","role":"assistant","parts":[$1,{"type":"text","text":"mild"}]}
	X
}

# Checks that conversation t, whose last message has a signed copy, loses it
# after an edit by any command, and only where the model binds.  $1 says which
# copy it is.
is_bound() {
	local command model
	for command in "ctx-truncate -l 20" "ctx-age -k 0 -o 20 -S spool" \
	    "ctx-prune -l light -k 1 -t 0 -b 30"; do
		for model in claude-opus-5-5 claude-opus-4-8; do
			rm -rf spool
			$command -m $model t > out 2> err || [ $? -eq 1 ]
			run ! cmp -s out t
			if [ $model = claude-opus-5-5 ]; then
				grep -q -e 'Eq==' -e hmhm out || continue
				fail "$1: $command"
			else
				tail -n 1 out | cmp - <(tail -n 1 t) ||
					fail "$1: $command -m $model"
			fi
		done
		rc=0
		$command -m claude-opus-5-5 --reasoning fail t > out 2> err ||
			rc=$?
		[ $rc -eq 1 ] || fail "$1: $command --reasoning fail: $rc"
		cmp out t
	done
	ctx-age -k 0 -o 20 -S spool -m claude-opus-5-5 t > out
	ctx-restore -S spool out | cmp - t || fail "$1: not restored"
}

@test "signed reasoning of LiteLLM and OpenRouter in Chat messages is bound" {
	local signed='{"type":"thinking","thinking":"hmhm","signature":"Eq=="}'
	local hidden='{"type":"redacted_thinking","data":"Eq=="}'

	for block in "$signed" "$hidden" "$signed,$hidden"; do
		chat_talk "\"thinking_blocks\":[$block]" '"mild"' > t
		is_bound "thinking_blocks $block"
		chat_talk '"reasoning_content":"hmhm","thinking_blocks":'"[$block]" '"mild"' > t
		is_bound "thinking_blocks with their text"
		chat_talk '"refusal":null' "[$block,{\"type\":\"text\",\"text\":\"mild\"}]" > t
		is_bound "blocks of the content"
	done
	chat_talk '"reasoning":"hmhm","reasoning_details":[{"type":"reasoning.text","text":"hmhm","signature":"Eq==","format":"anthropic-claude-v1"}]' '"mild"' > t
	is_bound "reasoning.text"
	chat_talk '"reasoning_details":[{"type":"reasoning.encrypted","data":"Eq==","format":"anthropic-claude-v1"}]' '"mild"' > t
	is_bound "reasoning.encrypted"
	# OpenAI's and Gemini's are not bound to what stands before them.
	chat_talk '"reasoning_details":[{"type":"reasoning.encrypted","data":"Eq==","format":"openai-responses-v1"}]' '"mild"' > t
	ctx-truncate -l 20 t | tail -n 1 | cmp - <(tail -n 1 t)
}

@test "signed reasoning in LangChain messages is bound" {
	for block in '{"type":"thinking","thinking":"hmhm","signature":"Eq=="}' \
	    '{"type":"redacted_thinking","data":"Eq=="}' \
	    '{"type":"reasoning","reasoning":"hmhm","extras":{"signature":"Eq=="}}' \
	    '{"type":"reasoning","extras":{"redacted_content":"Eq=="}}' \
	    '{"type":"non_standard","value":{"type":"redacted_thinking","data":"Eq=="}}' \
	    '{"type":"reasoning_content","reasoning_content":{"text":"hmhm","signature":"Eq=="}}' \
	    '{"type":"reasoning_content","reasoning_content":{"redacted_content":"Eq=="}}' \
	    '{"type":"reasoning_content","reasoningContent":{"redactedContent":"Eq=="}}'; do
		langchain_talk "[$block,{\"type\":\"text\",\"text\":\"mild\"}]" '' > t
		is_bound "$block"
	done
	langchain_talk '"mild"' '"thinking":{"text":"hmhm","signature":"Eq=="}' > t
	is_bound "additional_kwargs"
}

@test "signed reasoning in messages of the AI SDK is bound" {
	for block in '{"type":"reasoning","text":"hmhm","providerOptions":{"anthropic":{"signature":"Eq=="}}}' \
	    '{"type":"reasoning","text":"","providerOptions":{"anthropic":{"redactedData":"Eq=="}}}' \
	    '{"type":"reasoning","text":"hmhm","providerOptions":{"bedrock":{"signature":"Eq=="}}}' \
	    '{"type":"reasoning","text":"hmhm","signature":"Eq=="}' \
	    '{"type":"redacted-reasoning","data":"Eq=="}'; do
		vercel_talk "$block" > t
		is_bound "$block"
	done
	for block in '{"type":"reasoning","text":"hmhm","providerMetadata":{"anthropic":{"signature":"Eq=="}}}' \
	    '{"type":"reasoning","reasoning":"hmhm","details":[{"type":"text","text":"hmhm","signature":"Eq=="}]}' \
	    '{"type":"reasoning","reasoning":"","details":[{"type":"redacted","data":"Eq=="}]}'; do
		vercel_ui_talk "$block" > t
		is_bound "$block"
	done
}

@test "reasoning that a Chat message repeats counts once" {
	signed='{"type":"thinking","thinking":"'$(words 50)'","signature":"Eq=="}'
	same="\"reasoning_content\":\"$(words 50)\""
	once=$(chat_talk "$same" '"mild"' | tokens -)
	[ "$(chat_talk "\"reasoning\":\"$(words 50)\",$same" '"mild"' | tokens -)" -eq "$once" ]
	[ "$(chat_talk "$same,\"thinking_blocks\":[$signed]" '"mild"' | tokens -)" -eq "$once" ]
	[ "$(chat_talk "\"thinking_blocks\":[$signed]" '"mild"' | tokens -)" -eq "$once" ]
	chat_talk "$same,\"thinking_blocks\":[$signed]" "[$signed,{\"type\":\"text\",\"text\":\"mild\"}]" > t
	[ "$(tokens t)" -eq "$once" ]
}

@test "a Chat answer that was only signed reasoning says that it was removed" {
	chat_talk '"thinking_blocks":[{"type":"redacted_thinking","data":"Eq=="}]' null > t
	messages user:more >> t
	ctx-truncate -m claude-opus-5-5 -l 20 t > out
	[ "$(jq -r 'select(.role == "assistant") | .content' out | tail -n 1)" = "[reasoning removed]" ]
	ctx-check out
}
