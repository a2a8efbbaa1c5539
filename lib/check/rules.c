/*
 * rules.c - the table of rules that say what providers refuse
 *
 * A rule applies to a conversation if its dialect (format) or its provider has
 * one of the bits in the rule's row, or if the row has no bits.  The other
 * files of this directory check the rules.
 */
#include <string.h>

#include "check/check.h"

static const struct ctx_rule rules[CTX_RULES] = {
    [CTX_RULE_ORPHAN_CALL] = {"orphan-call",
	"a tool call has no result at the place where one is required",
	"OpenAI: \"must be followed by tool messages responding to each "
	"'tool_call_id'\" (litellm #10696); Anthropic: \"`tool_use` ids were "
	"found without `tool_result` blocks immediately after\" "
	"(claude-code #3086)",
	0, CTX_FIX_ADD_RESULT},
    [CTX_RULE_ORPHAN_CALLER] = {"orphan-caller",
	"the program that made a tool call is missing, or ended before the "
	"call",
	"Anthropic: \"source tool not found for tool use block\" (vercel/ai "
	"#12504)",
	CTX_NAMES_CALLERS, CTX_FIX_NONE},
    [CTX_RULE_ORPHAN_RESULT] = {"orphan-result", "a tool result has no call",
	"OpenAI: \"messages with role 'tool' must be a response to a "
	"preceeding message with 'tool_calls'\" (OpenManus #744); Anthropic: "
	"\"unexpected `tool_use_id` found\" (CLIProxyAPI #497)",
	0, CTX_FIX_MOVE_RESULT},
    [CTX_RULE_RESULT_ORDER] = {"result-order",
	"another message is between a tool call and its result",
	"the texts quoted for orphan-call; AI SDK: MissingToolResultsError",
	CTX_RESULTS_NEXT | CTX_RESULTS_BY_USER, CTX_FIX_MOVE_RESULT},
    [CTX_RULE_DUPLICATE_RESULT] = {"duplicate-result",
	"a tool call has more than one result",
	"Anthropic: \"each tool_use must have a single result\"", 0,
	CTX_FIX_REMOVE_BLOCK},
    [CTX_RULE_SPLIT_RESULTS] = {"split-results",
	"the results of the calls in one message are in several messages",
	"Bedrock: verifiers #1522; Gemini: \"number of function response "
	"parts\" (eino-ext #571, November 2025; docker-agent #2958, June "
	"2026), but accepted by 2.5 Flash (crewAI, recorded February 2026)",
	CTX_ASKS_TOGETHER, CTX_FIX_NONE},
    [CTX_RULE_RESULTS_FIRST] = {"results-first",
	"a tool result follows other content in its message",
	"Anthropic, \"Handle tool calls\": results come first in content",
	CTX_RESULTS_FIRST, CTX_FIX_NONE},
    [CTX_RULE_EMPTY_RESULT] = {"empty-result", "a tool result has no content",
	"OpenAI: content is required in a tool message; Bedrock: "
	"ToolResultBlock needs content; Anthropic: \"content cannot be empty "
	"if "
	"`is_error` is true\" (markform #153, February 2026)",
	CTX_NEEDS_BODY | CTX_ERRORS_TEXT, CTX_FIX_NONE},
    [CTX_RULE_DUPLICATE_ID] = {"duplicate-id",
	"two tool calls have the same id",
	"Anthropic: \"`tool_use` ids must be unique\" in a message, accepted "
	"in a later one (pydantic-ai, recorded 2026); elsewhere two calls "
	"with one id, both without a result, cannot be told apart",
	0, CTX_FIX_NONE},
    [CTX_RULE_BAD_ID] = {"bad-id",
	"the id of a tool call or result is missing, or has a form that is "
	"refused",
	"OpenAI: \"string too long\" (autogen #6377, openclaw #875), \"Missing "
	"parameter 'tool_call_id'\" (langchain #22600); "
	"Anthropic: ^[a-zA-Z0-9_-]+$; Bedrock: [a-zA-Z0-9_.:-]+, at most 64 "
	"(bifrost #6300, August 2026); Mistral: \"must be a-z, A-Z, 0-9, with "
	"a length of 9\" (openclaw #57672, March 2026)",
	CTX_NEEDS_IDS | CTX_PLAIN_IDS | CTX_SHORT_IDS | CTX_NINE_IDS |
	    CTX_TYPED_BLOCKS,
	CTX_FIX_REPLACE_TEXT},
    [CTX_RULE_BAD_ARGUMENTS] = {"bad-arguments",
	"arguments of a tool call are not JSON in a string, or not an object",
	"OpenAI: function.arguments is a string; servers of others parse it "
	"(vllm #48922, #48006, July 2026; llama.cpp: OpenHands/"
	"software-agent-sdk #2887, June 2026; agno #8343); Anthropic: \"Input "
	"should be a "
	"valid dictionary\" (claude-code #6696); Bedrock, Gemini: an object",
	CTX_ARGUMENTS_TEXT | CTX_ARGUMENTS_PARSED | CTX_ARGUMENTS_OBJECT,
	CTX_FIX_REPLACE_TEXT},
    [CTX_RULE_EMPTY_TOOL_CALLS] = {"empty-tool-calls",
	"tool_calls is an empty array",
	"OpenAI: \"Expected an array with minimum length 1\" (openai-node "
	"#1341); accepted by Mistral (pydantic-ai, recorded 2026)",
	CTX_NO_EMPTY_CALLS, CTX_FIX_REMOVE_MEMBER},
    [CTX_RULE_EMPTY_MESSAGE] = {"empty-message", "a message has no content",
	"every provider; OpenAI: content is required unless there are "
	"tool_calls, and may be \"\" (llm, recorded 2025)",
	0, CTX_FIX_REMOVE_MESSAGE},
    [CTX_RULE_EMPTY_TEXT] = {"empty-text", "a text block of a message is empty",
	"Anthropic: \"text content blocks must be non-empty\", and white "
	"space only beside others (LibreChat-AI/agents #124, April 2026); "
	"Bedrock: \"The text field in the ContentBlock object is blank\"",
	CTX_NO_BLANK_TEXT, CTX_FIX_REMOVE_BLOCK},
    [CTX_RULE_EMPTY_PART] = {"empty-part", "a part of a message has no data",
	"Gemini: \"required oneof field 'data' must have one initialized "
	"field\" (genkit #3816, November 2025; CLIProxyAPI #1292, January "
	"2026)",
	CTX_NEEDS_DATA, CTX_FIX_REMOVE_BLOCK},
    [CTX_RULE_REASONING_ONLY] = {"reasoning-only",
	"a message of the assistant has only reasoning",
	"OpenAI: content is required unless there are tool_calls; Anthropic: "
	"as last-reasoning",
	CTX_MUST_SPEAK, CTX_FIX_REMOVE_MESSAGE},
    [CTX_RULE_LAST_REASONING] = {"last-reasoning",
	"the last block of an assistant message is reasoning",
	"Anthropic: \"The final block in an assistant message cannot be "
	"`thinking`\" (forgecode #2107, December 2025; hermes-agent #16921, "
	"April 2026)",
	CTX_SPEAKS_LAST, CTX_FIX_REMOVE_BLOCK},
    [CTX_RULE_CUT_REASONING] = {"cut-reasoning",
	"reasoning lacks its signature or data",
	"Anthropic: \"Invalid signature in thinking block\" (hermes-agent "
	"#24107)",
	CTX_SIGNED, CTX_FIX_REMOVE_BLOCK},
    [CTX_RULE_LONE_REASONING] = {"lone-reasoning",
	"reasoning is not followed by the text or tool call that belongs to it",
	"OpenAI: \"of type 'reasoning' was provided without its required "
	"following item\" (vercel/ai #7099), also before a message without id "
	"(pydantic-ai, recorded September 2025)",
	CTX_REASONING_LEADS, CTX_FIX_REMOVE_MESSAGE},
    [CTX_RULE_FIRST_MESSAGE] = {"first-message",
	"the first message is not from the user",
	"Bedrock: \"A conversation must start with a user message\", but for "
	"Claude and Qwen (pydantic-ai, August 2026); Gemini: \"function call "
	"turn comes immediately after a user turn\" (gemini-cli #11814, "
	"archestra #6258, July 2026); Anthropic accepts it (recorded 2025 and "
	"2026)",
	CTX_ASKS_FIRST, CTX_FIX_ADD_FIRST},
    [CTX_RULE_LAST_MESSAGE] = {"last-message",
	"the last message is from the assistant",
	"Bedrock: semantic-kernel #10281; Claude 4.6 and later, Haiku 5.5: "
	"\"This model does not support assistant message prefill\" "
	"(deepagents #1585, bedrock-access-gateway #219, February 2026; Haiku "
	"5.5 migration guide, platform.claude.com, October 2026)",
	CTX_LAST_USER, CTX_FIX_NONE},
    [CTX_RULE_ALTERNATION] = {"alternation",
	"two messages in a row are from the user, or from the assistant",
	"Bedrock: \"must alternate between user and assistant roles\" "
	"(langchain-aws #130); Gemini accepts it (adk-go #1218, July 2026)",
	CTX_ASKS_TURNS, CTX_FIX_NONE},
    [CTX_RULE_SYSTEM_PLACE] = {"system-place",
	"a system message is at a place where the provider refuses it",
	"Anthropic: \"role 'system' must precede an 'assistant' message or end "
	"the array\" (claude-code #73821, July 2026), \"use the top-level "
	"'system' parameter for the initial system prompt\" (gproxy #209, "
	"September 2026)",
	CTX_SYSTEM_BETWEEN, CTX_FIX_NONE},
    [CTX_RULE_BAD_ROLE] = {"bad-role",
	"a message has a role that the provider does not accept",
	"the message types of each provider; Gemini: \"Please use a valid "
	"role: user, model\" (openagent #1666, October 2025); Responses: "
	"\"Invalid value: 'tool'\" (openai-python #2677); Claude before Opus "
	"4.8: \"role 'system' is not supported on this model\" (claude-code "
	"#61242, May 2026)",
	CTX_KNOWN_ROLES | CTX_NO_SYSTEM | CTX_NO_TOOL_ROLE | CTX_ITEM_FORM |
	    CTX_SYSTEM_BETWEEN,
	CTX_FIX_NONE},
    [CTX_RULE_NO_MESSAGE] = {"no-message",
	"an element of the list of messages is not a message, or a "
	"conversation or file has no messages",
	"every provider; OpenAI: \"[] is too short - 'messages'\"", 0,
	CTX_FIX_NONE},
    [CTX_RULE_LONE_SURROGATE] = {"lone-surrogate",
	"a text contains half of a surrogate pair",
	"Anthropic: \"not valid JSON: no low surrogate in string\" "
	"(claude-code #60394); SDKs in Python: \"surrogates not allowed\" "
	"(hermes-agent #68254)",
	0, CTX_FIX_REPLACE_TEXT},
    [CTX_RULE_MANY_MARKERS] = {"many-markers",
	"a request has more than four cache breakpoints",
	"Anthropic: \"A maximum of 4 blocks with cache_control may be "
	"provided\" (Anthropic.SDK #50, opencode-claude-auth #121, April "
	"2026), \"no slots left for automatic caching\" (Prompt caching, "
	"platform.claude.com); "
	"Bedrock: prompt caching, 4 checkpoints",
	CTX_FEW_BREAKPOINTS, CTX_FIX_REMOVE_BREAKPOINT},
    [CTX_RULE_BAD_MARKER] = {"bad-marker",
	"a cache breakpoint is at a place where the provider refuses it",
	"Anthropic: \"thinking.cache_control: Extra inputs are not permitted\" "
	"(gproxy #67, April 2026); Bedrock: \"Cache point cannot be inserted "
	"after reasoning block\" (opencode #36517), \"content.3.type: Field "
	"required\" after a document (harness-sdk #1966, March 2026); "
	"Anthropic: \"a ttl='1h' cache_control block must not come after a "
	"ttl='5m' cache_control block\" (headroom #2939, August 2026); "
	"automatic caching with another ttl than the last block (Prompt "
	"caching, platform.claude.com, November 2026)",
	CTX_FEW_BREAKPOINTS, CTX_FIX_REPLACE_TEXT},
    [CTX_RULE_BIG_REQUEST] = {"big-request",
	"a request has more bytes than the provider accepts",
	"Anthropic: \"Request exceeds the maximum allowed number of bytes\", "
	"32 MB (API errors, June 2026); Bedrock: InvokeModel, 25,000,000; "
	"Gemini: 100 MB (January 2026); OpenAI: Images and vision, 512 MB",
	CTX_SMALL_REQUEST, CTX_FIX_NONE},
    [CTX_RULE_NO_TOOLS] = {"no-tools",
	"messages call tools, but the request defines none",
	"Bedrock: \"The toolConfig field must be defined when using toolUse "
	"and toolResult content blocks\" (pentagi #196, zot #18, June 2026)",
	CTX_NEEDS_TOOLS, CTX_FIX_NONE},
    [CTX_RULE_BIG_IMAGE] = {"big-image",
	"an image has more pixels or bytes than the provider accepts",
	"Anthropic: \"image exceeds 5 MB maximum\" (pi #824), \"image "
	"dimensions exceed max allowed size for many-image requests: 2000 "
	"pixels\" (claude-code #17513, #49720, April 2026); Bedrock: Message",
	CTX_IMAGE_LIMITS, CTX_FIX_REPLACE_IMAGE},
    [CTX_RULE_MANY_IMAGES] = {"many-images",
	"there are more images than the provider accepts",
	"Anthropic: Vision, 600 a request, 100 if the window is 200,000 tokens "
	"(2026; claude-code #23392); Bedrock: Message, 20; Gemini: Image "
	"understanding, 3,600; OpenAI: Images and vision, 1,500",
	CTX_IMAGE_LIMITS, CTX_FIX_REPLACE_IMAGE},
    [CTX_RULE_BAD_RESULT] = {"bad-result",
	"a tool result contains a block that the provider refuses in results",
	"Anthropic: \"all content must be type `text` if `is_error` is true\" "
	"(vellum-assistant #18387, March 2026); Mistral: \"Input should be "
	"'text'\" (LibreChat-AI/agents #344, July 2026); Gemini: a Struct "
	"(AstrBot #7216, March 2026); Responses: \"Invalid value: "
	"'output_text'\" (querymt #953, September 2026)",
	CTX_RESULTS_TEXT | CTX_ERRORS_TEXT | CTX_RESULT_OBJECT |
	    CTX_RESULT_TYPES | CTX_RESULT_STRING,
	CTX_FIX_REPLACE_TEXT},
    [CTX_RULE_USER_AFTER_RESULT] = {"user-after-result",
	"a message of the user directly follows a tool result",
	"Mistral: \"Unexpected role 'user' after role 'tool'\" (hermes-agent "
	"#20154, #84944, August 2026)",
	CTX_ANSWERS_RESULTS, CTX_FIX_NONE},
    [CTX_RULE_CALL_SCHEMA] = {"call-schema",
	"arguments of a tool call do not match the schema of the tool",
	"no provider refuses that in a history; found with --schema only",
	CTX_CALLS_FIT, CTX_FIX_NONE},
    [CTX_RULE_ASSISTANT_MEDIA] = {"assistant-media",
	"a message of the assistant or system contains an image, a file or "
	"audio",
	"OpenAI: \"Image URLs are only allowed for messages with role 'user', "
	"but this message with role 'assistant' contains an image URL\" "
	"(openai-node #1030; for 'system', community.openai.com 745769); "
	"Anthropic: \"'image' blocks are not permitted within assistant "
	"turns\" "
	"(Semoss #2323, April 2026), and a document block directly in the "
	"message, since API version 2026-10-21",
	CTX_SAYS_TEXT | CTX_PLACES_BLOCKS, CTX_FIX_REPLACE_TEXT},
    [CTX_RULE_USER_CITATIONS] = {"user-citations",
	"a text of a user message has citations",
	"Anthropic: refused since API version 2026-10-21 (\"Versions\", "
	"platform.claude.com, October 2026)",
	CTX_PLACES_BLOCKS, CTX_FIX_REPLACE_TEXT},
    [CTX_RULE_UNSIGNED_CALL] = {"unsigned-call",
	"a tool call of the newest turn has lost its thought signature",
	"Gemini 3 and later, if the model is known: \"Function call is missing "
	"a thought_signature in functionCall parts\" (5ire #405; \"Thought "
	"signatures\", ai.google.dev, November 2026)",
	CTX_SIGNS_CALLS, CTX_FIX_NONE},
    [CTX_RULE_BOUND_REASONING] = {"bound-reasoning",
	"signed reasoning follows a change",
	"Anthropic: \"The block is bound to a different conversation\" (Prefix "
	"checks on thinking blocks, November 2026); found after a repair, and "
	"with --after",
	CTX_SIGNED, CTX_FIX_REMOVE_BLOCK},
    [CTX_RULE_BAD_BLOCK] = {"bad-block",
	"a message contains a block that only messages of another role may "
	"contain",
	"Anthropic: \"`tool_use` blocks can only be in `assistant` messages\" "
	"(agent-framework #4328), \"`tool_result` blocks can only be in `user` "
	"messages\" (Anthropic.SDK #128, August 2025); Responses: \"Invalid "
	"value: 'input_text'.  Supported values are: 'output_text' and "
	"'refusal'\" (ai-dial-adapter-openai #511, July 2026)",
	CTX_PLACES_BLOCKS | CTX_ITEM_FORM, CTX_FIX_REPLACE_TEXT},
    [CTX_RULE_NO_TYPE] = {"no-type", "a content block or tool call has no type",
	"OpenAI: \"Missing required parameter: 'messages[2].content[0].type'\" "
	"(neuron-ai #292, September 2025), "
	"\"'messages[2].tool_calls[0].type'\" "
	"(langchain-azure #35)",
	CTX_TYPED_BLOCKS, CTX_FIX_REPLACE_TEXT},
    [CTX_RULE_DUPLICATE_ITEM] = {"duplicate-item", "two items have the same id",
	"Responses: \"Duplicate item found with id msg_1\" (pi #5165, May "
	"2026; "
	"continue #10723, February 2026)",
	CTX_ITEM_FORM, CTX_FIX_REMOVE_MEMBER},
};

#define MB ((uint64_t)1 << 20)

/*
 * The table of providers.  Sources of their limits:
 *
 * Anthropic: "API errors" and "Vision", platform.claude.com, 2026 (32 MB; 256
 * MB are for batches).  Bedrock: the body of InvokeModel in its API reference;
 * Converse states no limit.  Gemini: 100 MB inline since January 2026, 20 MB
 * before; "Image understanding", ai.google.dev, 2026 (3,600 images).  OpenAI:
 * "Images and vision", developers.openai.com, 2026 (512 MB, 1,500 images).
 */
static const struct ctx_provider providers[] = {
    {.name = "openai",
	.about = "OpenAI Chat Completions",
	.dialect = "openai-chat",
	.vendor = "openai",
	.open_models = "gpt-oss",
	.plain = {"generic", "ollama"},
	.more = CTX_SHORT_IDS | CTX_SMALL_REQUEST | CTX_IMAGE_LIMITS |
	    CTX_SAYS_TEXT | CTX_TYPED_BLOCKS,
	.less = CTX_ARGUMENTS_PARSED,
	.limits = {.request = 512 * MB, .images = 1500}},
    {.name = "responses",
	.about = "OpenAI Responses",
	.dialect = "openai-responses",
	.vendor = "openai",
	.open_models = "gpt-oss",
	.plain = {"generic"},
	.more = CTX_SHORT_IDS | CTX_ITEM_FORM,
	.less = CTX_ARGUMENTS_PARSED,
	.limits = {.request = 512 * MB, .images = 1500}},
    {.name = "anthropic",
	.about = "Anthropic Messages",
	.dialect = "anthropic",
	.vendor = "anthropic",
	.member = "max_tokens",
	.plain = {"generic"},
	.served_by_others = true,
	.more = CTX_LAST_USER,
	.limits = {.request = 32 * MB,
	    .side = 8000,
	    .many = 20,
	    .many_side = 2000,
	    .image = 5 * MB,
	    .encoded = true,
	    .images = 600,
	    .few_window = 200000,
	    .few_images = 100}},
    /* Its models are of many vendors; those of Anthropic have rules. */
    {.name = "bedrock",
	.about = "AWS Bedrock Converse",
	.dialect = "bedrock",
	.vendor = "anthropic",
	.member = "modelId",
	.more = CTX_LAST_USER,
	.limits = {.request = 25000000,
	    .side = 8000,
	    .image = 15 * MB / 4,
	    .in_message = 20}},
    {.name = "gemini",
	.about = "Google Gemini",
	.dialect = "gemini",
	.limits = {.request = 100 * MB, .images = 3600}},
    {.name = "mistral",
	.about = "Mistral Chat Completions",
	.dialect = "openai-chat",
	.plain = {"generic", "ollama"},
	.more = CTX_NINE_IDS | CTX_RESULTS_TEXT | CTX_ANSWERS_RESULTS,
	.less = CTX_NO_EMPTY_CALLS},
};

const struct ctx_rule *
ctx_rule_at(size_t i)
{
	return i < CTX_RULES ? &rules[i] : NULL;
}

const struct ctx_provider *
ctx_provider_at(size_t i)
{
	return i < CTX_LENGTH(providers) ? &providers[i] : NULL;
}

const struct ctx_provider *
ctx_provider_find(const char *name)
{
	const struct ctx_provider *row;
	size_t i;

	for (i = 0; (row = ctx_provider_at(i)) != NULL; i++)
		if (strcmp(row->name, name) == 0)
			return row;
	return NULL;
}

const struct ctx_provider_limits *
ctx_provider_limits_of(const struct ctx_provider *provider,
    const struct ctx_dialect *dialect)
{
	size_t i;

	for (i = 0;
	     provider == NULL && dialect != NULL && i < CTX_LENGTH(providers);
	     i++)
		if (strcmp(providers[i].dialect, dialect->name) == 0)
			provider = &providers[i];
	return provider == NULL || provider->limits.request == 0
	    ? NULL
	    : &provider->limits;
}

uint32_t
ctx_provider_limits_images(const struct ctx_provider_limits *limits,
    uint64_t window)
{
	return window > 0 && window <= limits->few_window ? limits->few_images
							  : limits->images;
}
