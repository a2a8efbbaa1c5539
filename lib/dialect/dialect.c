/*
 * dialect.c - the table of dialects (message formats)
 *
 * The dialect of a message is the first row of the table whose function
 * "matches" claims the message.  So rows that demand more of a message come
 * before rows that demand less; "generic" is last.
 */
#include <string.h>

#include "dialect/read.h"

/* Template of a message with this role that ctx inserts, such as a summary or a
 * notice. */
#define INSERTED_MESSAGE(role) "{\"role\":\"" role "\",\"content\":$text}"
#define LEAD(before, after)    before "\"" CTX_NO_START "\"" after
#define LEAD_PLAIN             LEAD("{\"role\":\"user\",\"content\":", "}")

/* For formats in which ctx inserts a notice and a summary with the same
 * template. */
#define INSERTED(template) .summary = template, .notice = template

/* For formats in which ctx writes a summary or notice into the user's next
 * message: as the first block of the message.  If the content of the message is
 * a string, the text is written at the beginning of the string. type: the type
 * of the block. */
#define INSERTED_BLOCK(type)                                         \
	.insertion_block = "{\"type\":\"" type "\",\"text\":$text}", \
	.inserts_in_string = true

/* The part of a text block's JSON before the text.  The part after the text is
 * "}". */
#define TEXT_BLOCK "{\"type\":\"text\",\"text\":"
#define TEXT_PART  "{\"text\":"

/* How to count the tokens of a request that are not in its texts.  MEDIA: how
 * to count images and tools if the model is not in the table of models; see
 * lib/cost/image_tokens.c and lib/cost/request_overhead.c.  FRAMING: 3 tokens
 * per message and 3 per conversation, as in Chat Completions.  NAMES: like
 * FRAMING, and 1 token for each name of a sender.
 *
 * ANTHROPIC and GOOGLE also say which model a conversation without a model is
 * counted like.  Bedrock has models of other vendors, too.  Their tokens are
 * then counted too high, so that a budget is met. */
#define FRAMING .per_message = 3, .priming = 3
#define OPENAI_MEDIA                               \
	.image = {CTX_IMAGE_TILES, 85, 170, 2048}, \
	.tools = {CTX_TOOLS_OPENAI, 0, 0}
#define AS_OPENAI       FRAMING, OPENAI_MEDIA
#define AS_OPENAI_NAMES AS_OPENAI, .per_name = 1
#define AS_ANTHROPIC                                          \
	FRAMING, .counts_like = "claude",                     \
		 .image = {CTX_IMAGE_SQUARES, 3, 1568, 1568}, \
		 .tools = {CTX_TOOLS_CLAUDE_5, 286, 406}
#define AS_GOOGLE                                             \
	.counts_like = "gemini", .counts_strings_only = true, \
	.image = {CTX_IMAGE_CROPS, 258, 258, 768},            \
	.tools = {CTX_TOOLS_TEXTS, 0, 0}

/* Template of a tool result that ctx inserts, as an item of OpenAI Responses.
 * type: the type of the item. */
#define ANSWER_ITEM(type) \
	"{\"type\":\"" type "\",\"call_id\":$id,\"output\":$text}"

/* Templates of tool results that ctx inserts into LangChain messages.
 * LangChain writes messages in three ways; MESSAGE is the macro for one way.
 * Nothing is inserted for a server_tool_call, because the provider runs the
 * tool. */
#define LANGCHAIN_ANSWERS(MESSAGE)                                            \
	{"server_tool_call", ""},                                             \
	    {NULL,                                                            \
		MESSAGE("ToolMessage", "tool",                                \
		    ",\"name\":$name,"                                        \
		    "\"tool_call_id\":$id,\"status\":\"error\"")},            \
	    {NULL,                                                            \
		MESSAGE("ToolMessage", "tool",                                \
		    ",\"tool_call_id\":$id,\"status\":\"error\"")},           \
	{                                                                     \
		NULL,                                                         \
		    MESSAGE("FunctionMessage", "function", ",\"name\":$name") \
	}

/* Paths to the numbers of input tokens in a usage object of Anthropic, whose
 * input_tokens do not include the prompt cache.  OpenAI's usage objects have
 * only the first of these members, and its value includes the cache. */
#define ANTHROPIC_INPUT(object)                                                \
	{                                                                      \
		object "/input_tokens", object "/cache_creation_input_tokens", \
		    object "/cache_read_input_tokens"                          \
	}
#define ANTHROPIC_PARTS(object)                                             \
	.read = object "/cache_read_input_tokens",                          \
	.written = object "/cache_creation_input_tokens",                   \
	.written_hour = object "/cache_creation/ephemeral_1h_input_tokens", \
	.output = object "/output_tokens"

/* Members that the three formats of LangChain have in common.  LangChain sends
 * messages to many providers.  The tokens of a message for its role and
 * delimiters are an estimate: the number of Chat Completions. object: path to
 * the object with the usage. */
#define LANGCHAIN(MESSAGE, object)                                      \
	.rules = CTX_PAIR_BY_NAME | CTX_PAIR_EITHER | CTX_NAMES_USERS | \
	    CTX_WANTS_REASONING,                                        \
	.usage = {.message = {object "/input_tokens"},                  \
	    .read = object "/input_token_details/cache_read",           \
	    .written = object "/input_token_details/cache_creation",    \
	    .output = object "/output_tokens"},                         \
	.find_model = ctx_langchain_model, AS_OPENAI_NAMES,             \
	.text_block = TEXT_BLOCK,                                       \
	.summary = MESSAGE("HumanMessage", "human", ""),                \
	INSERTED_BLOCK("text"),                                         \
	.synthetic_results = {LANGCHAIN_ANSWERS(MESSAGE)}

/* Templates of messages that ctx inserts, for formats whose messages have
 * members besides role and content. */
#define CLAUDE_CODE(flag)                                                  \
	"{\"parentUuid\":$parent,\"isSidechain\":$isSidechain,"            \
	"\"userType\":$userType,\"cwd\":$cwd,\"sessionId\":$sessionId,"    \
	"\"version\":$version,\"gitBranch\":$gitBranch,\"type\":\"user\"," \
	"\"message\":" INSERTED_MESSAGE("user") ",\"" flag                 \
						"\":true,\"uuid\":$uuid,"  \
						"\"timestamp\":$timestamp}"
#define LANGCHAIN_LC(class, type, more)                                   \
	"{\"lc\":1,\"type\":\"constructor\",\"id\":[\"langchain\","       \
	"\"schema\",\"messages\",\"" class "\"],\"kwargs\":"              \
					   "{\"content\":$text,\"type\":" \
					   "\"" type "\"" more "}}"
#define LANGCHAIN_DICT(class, type, more)  \
	"{\"type\":\"" type "\",\"data\":" \
	"{\"content\":$text,\"type\":\"" type "\"" more "}}"
#define LANGCHAIN_DUMP(class, type, more)           \
	"{\"type\":\"" type "\",\"content\":$text," \
	"\"additional_kwargs\":{},\"response_metadata\":{}" more "}"
#define OTEL_GENAI_INSERTED(role)            \
	"{\"role\":\"" role "\",\"parts\":[" \
	"{\"type\":\"text\",\"content\":$text}]}"
#define VERCEL_UI(role)                                   \
	"{\"id\":$uuid,\"role\":\"" role "\",\"parts\":[" \
	"{\"type\":\"text\",\"text\":$text}]}"

/*
 * The types of content blocks that a tool result may contain.
 *
 * Sources: ToolResultBlockParam of anthropic-sdk-python; ToolResultContentBlock
 * of the Bedrock API reference; August 2026.
 */
static const char *const anthropic_results[] = {"text", "image", "document",
    "search_result", "tool_reference", NULL};
static const char *const responses_results[] = {"input_text", "input_image",
    "input_file", "scoped_content", "encrypted_content", NULL};
static const char *const bedrock_results[] = {"text", "json", "image",
    "document", "video", "audio", "searchResult", "cachePoint", NULL};

/* "Please use a valid role: user, model" (the API of Gemini, in openagent
 * #1666, October 2025); function is older. */
static const char *const gemini_roles[] = {"user", "model", "function", NULL};

static const struct ctx_dialect dialects[] = {
    {
	.name = "codex",
	.about = "Codex rollouts",
	.matches = ctx_codex_is,
	.read = ctx_codex_read,
	.history = CTX_HISTORY_LOG,
	.read_line = ctx_codex_line,
	.rules = CTX_JOINS_ANSWERS,
	AS_OPENAI_NAMES,
	.usage = {.line = {"payload/info/last_token_usage/input_tokens"},
	    .read = "payload/info/last_token_usage/cached_input_tokens",
	    .output = "payload/info/last_token_usage/output_tokens"},
	.text_block = "{\"type\":\"input_text\",\"text\":",
	/* The template is a user message, because Codex keeps only user
	 * messages when it compacts a conversation. */
	INSERTED(
	    "{\"timestamp\":$timestamp,\"type\":\"response_item\",\"payload\":"
	    "{\"type\":\"message\",\"role\":\"user\",\"content\":"
	    "[{\"type\":\"input_text\",\"text\":$text}]}}"),
    },
    {
	.name = "gemini-cli",
	.about = "Gemini CLI chats",
	.matches = ctx_gemini_cli_is,
	.read = ctx_gemini_cli_read,
	.history = CTX_HISTORY_LOG,
	.read_line = ctx_gemini_cli_line,
	.rules = CTX_FIRST_USER | CTX_ASKS_FIRST,
	AS_GOOGLE,
	.usage = {.message = {"tokens/input"},
	    .read = "tokens/cached",
	    .output = "tokens/output"},
	.text_block = TEXT_PART,
	INSERTED("{\"id\":$uuid,\"timestamp\":$timestamp,\"type\":\"user\","
		 "\"content\":[{\"text\":$text}]}"),
    },
    {
	.name = "copilot-cli",
	.about = "GitHub Copilot CLI sessions",
	.matches = ctx_copilot_cli_is,
	.read = ctx_copilot_cli_read,
	.history = CTX_HISTORY_LOG,
	.read_line = ctx_copilot_cli_line,
	AS_OPENAI_NAMES,
	INSERTED("{\"type\":\"user.message\",\"data\":{\"content\":$text,"
		 "\"source\":\"ctx\"},\"id\":$uuid,\"timestamp\":$timestamp,"
		 "\"parentId\":$parent}"),
    },
    {
	.name = "pi",
	.about = "pi coding agent sessions",
	.matches = ctx_pi_is,
	.read = ctx_pi_read,
	.history = CTX_HISTORY_LAST,
	.read_line = ctx_pi_line,
	.rules = CTX_WANTS_REASONING,
	/* pi sends messages to many providers.  The tokens of a message for its
	 * role and delimiters are an estimate: the number of Chat
	 * Completions. */
	AS_OPENAI_NAMES,
	.usage = {.message = {"message/usage/input", "message/usage/cacheRead",
		      "message/usage/cacheWrite"},
	    .read = "message/usage/cacheRead",
	    .written = "message/usage/cacheWrite",
	    .output = "message/usage/output"},
	.text_result_form = {"[{\"type\":\"text\",\"text\":", "}]"},
	.text_block = TEXT_BLOCK,
	INSERTED(
	    "{\"type\":\"custom_message\",\"id\":$hex,\"parentId\":$parent,"
	    "\"timestamp\":$timestamp,\"customType\":\"ctx\",\"content\":$text,"
	    "\"display\":true}"),
    },
    {
	.name = "claude-stream",
	.about = "Claude Code, --output-format stream-json",
	.matches = ctx_claude_stream_is,
	.read = ctx_claude_stream_read,
	.history = CTX_HISTORY_LOG,
	.read_line = ctx_claude_stream_line,
	/* The rule CTX_FIRST_USER (begin with a user message) is not set: the
	 * prompt was on the command line of Claude Code, and is not in its
	 * output. */
	AS_ANTHROPIC,
	.usage = {.message = ANTHROPIC_INPUT("message/usage"),
	    ANTHROPIC_PARTS("message/usage")},
	.result_copy = "tool_use_result",
	.text_block = TEXT_BLOCK,
	INSERTED("{\"type\":\"user\",\"message\":" INSERTED_MESSAGE(
	    "user") ",\"parent_tool_use_id\":null,\"session_id\":$session_id,"
		    "\"uuid\":$uuid}"),
    },
    {
	.name = "claude-code",
	.about = "Claude Code sessions",
	.matches = ctx_claude_code_is,
	.read = ctx_claude_code_read,
	.history = CTX_HISTORY_TIP,
	.read_line = ctx_claude_code_line,
	.resends = true,
	.rules = CTX_FIRST_USER,
	AS_ANTHROPIC,
	.usage = {.message = ANTHROPIC_INPUT("message/usage"),
	    ANTHROPIC_PARTS("message/usage")},
	.result_copy = "toolUseResult",
	.text_block = TEXT_BLOCK,
	/* A summary that ctx inserts looks like Claude Code's own compaction,
	 * because programs that read a session begin at such a line. */
	.summary = CLAUDE_CODE("isCompactSummary\":true,"
			       "\"isVisibleInTranscriptOnly"),
	.notice = CLAUDE_CODE("isMeta"),
    },
    {
	.name = "langchain-lc",
	.about = "LangChain, as dumps writes it",
	.matches = ctx_langchain_lc_is,
	.read = ctx_langchain_lc_read,
	LANGCHAIN(LANGCHAIN_LC, "kwargs/usage_metadata"),
    },
    {
	.name = "langchain-dict",
	.about = "LangChain, as messages_to_dict writes it",
	.matches = ctx_langchain_dict_is,
	.read = ctx_langchain_dict_read,
	LANGCHAIN(LANGCHAIN_DICT, "data/usage_metadata"),
    },
    {
	.name = "langchain-dump",
	.about = "LangChain, as model_dump writes it",
	.matches = ctx_langchain_dump_is,
	.read = ctx_langchain_dump_read,
	LANGCHAIN(LANGCHAIN_DUMP, "usage_metadata"),
    },
    {
	.name = "opencode",
	.about = "messages of an opencode export",
	.matches = ctx_opencode_is,
	.read = ctx_opencode_read,
	.history = CTX_HISTORY_LOG,
	.read_line = ctx_opencode_line,
	.first_visible = ctx_opencode_first,
	.rules = CTX_WANTS_REASONING,
	AS_OPENAI,
	.usage = {.message = {"info/tokens/input", "info/tokens/cache/read",
		      "info/tokens/cache/write"},
	    .read = "info/tokens/cache/read",
	    .written = "info/tokens/cache/write",
	    .output = "info/tokens/output"},
	.find_model = ctx_opencode_model,
	.text_block = TEXT_BLOCK,
	INSERTED("{\"info\":{\"id\":$uuid,\"sessionID\":$info/sessionID,"
		 "\"role\":\"user\",\"time\":$info/time,\"agent\":$info/agent,"
		 "\"model\":$info/model},\"parts\":[{\"id\":$uuid,"
		 "\"messageID\":$uuid,\"sessionID\":$info/sessionID,"
		 "\"type\":\"text\",\"text\":$text,\"synthetic\":true}]}"),
    },
    {
	.name = "goose",
	.about = "messages of a goose session",
	.matches = ctx_goose_is,
	.read = ctx_goose_read,
	.rules = CTX_WANTS_REASONING,
	AS_OPENAI,
	.usage = {.request = {"input_tokens"}},
	.text_result_form = {"[{\"type\":\"text\",\"text\":", "}]"},
	.text_block = TEXT_BLOCK,
	.failed = {"", ""},
	INSERTED("{\"role\":\"user\",\"created\":$created,\"content\":["
		 "{\"type\":\"text\",\"text\":$text}],\"metadata\":"
		 "{\"userVisible\":false,\"agentVisible\":true}}"),
	.synthetic_results =
	    {
		{NULL,
		    "{\"type\":\"toolResponse\",\"id\":$id,\"toolResult\":"
		    "{\"status\":\"error\",\"error\":$text}}"},
	    },
	.result_wrapper = {"{\"role\":\"user\",\"created\":$time,\"content\":[",
	    "]}"},
    },
    {
	.name = "llm-logs",
	.about = "rows of llm logs --json, each a turn",
	.matches = ctx_llm_logs_is,
	.read = ctx_llm_logs_read,
	.rules = CTX_PAIR_BY_NAME | CTX_WANTS_REASONING,
	/* A row in the logs of the program llm stands for two messages, prompt
	 * and response.  So it costs twice the tokens of a message for role and
	 * delimiters. */
	.per_message = 8,
	OPENAI_MEDIA,
	.usage = {.message = {"input_tokens"}},
	.find_model = ctx_find_model,
	INSERTED(
	    "{\"id\":$uuid,\"model\":$model,\"prompt\":$text,\"system\":null,"
	    "\"response\":\"\",\"conversation_id\":$conversation_id,"
	    "\"datetime_utc\":$datetime_utc}"),
    },
    {
	.name = "atif",
	.about = "steps of Harbor's ATIF trajectories",
	.matches = ctx_atif_is,
	.read = ctx_atif_read,
	AS_OPENAI,
	.usage = {.message = {"metrics/prompt_tokens"},
	    .read = "metrics/cached_tokens",
	    .output = "metrics/completion_tokens"},
	.text_block = TEXT_BLOCK,
	/* The steps of a trajectory are numbered, so ctx cannot insert a
	 * summary or notice between two of them. */
	.ordinal = "step_id",
    },
    {
	.name = "otel-genai",
	.about = "OpenTelemetry GenAI messages",
	.matches = ctx_otel_genai_is,
	.read = ctx_otel_genai_read,
	.rules = CTX_PAIR_BY_NAME | CTX_PAIR_EITHER | CTX_NAMES_USERS,
	AS_OPENAI_NAMES,
	.usage = {.request = {"gen_ai.usage.input_tokens"}},
	.text_block = "{\"type\":\"text\",\"content\":",
	.summary = OTEL_GENAI_INSERTED("system"),
	.notice = OTEL_GENAI_INSERTED("user"),
	.synthetic_results =
	    {
		{NULL,
		    "{\"role\":\"tool\",\"parts\":[{\"type\":"
		    "\"tool_call_response\",\"id\":$id,"
		    "\"response\":$text}]}"},
	    },
    },
    {
	.name = "vercel-ui",
	.about = "UIMessage of the Vercel AI SDK",
	.matches = ctx_vercel_ui_is,
	.read = ctx_vercel_ui_read,
	.rules = CTX_WANTS_REASONING,
	AS_OPENAI,
	.text_block = TEXT_BLOCK,
	.summary = VERCEL_UI("user"),
	INSERTED_BLOCK("text"),
    },
    {
	.name = "vercel-model",
	.about = "ModelMessage of the Vercel AI SDK",
	.matches = ctx_vercel_model_is,
	.read = ctx_vercel_model_read,
	/* If a tool result is missing, the Vercel AI SDK throws
	 * MissingToolResultsError (vercel/ai,
	 * convert-to-language-model-prompt.ts, August 2026). */
	.rules = CTX_RESULTS_BY_USER | CTX_WANTS_REASONING,
	AS_OPENAI,
	.text_result_form = {"{\"type\":\"text\",\"value\":", "}"},
	.text_block = TEXT_BLOCK,
	.failed = {"{\"type\":\"error-text\",\"value\":", "}"},
	.failures = {"error-text", "error-json", "execution-denied"},
	.summary = INSERTED_MESSAGE("user"),
	INSERTED_BLOCK("text"),
	.synthetic_results =
	    {
		{"tool-call",
		    "{\"type\":\"tool-result\",\"toolCallId\":$id,"
		    "\"toolName\":$name,\"output\":"
		    "{\"type\":\"error-text\",\"value\":$text}}"},
		{"tool-approval-request",
		    "{\"type\":\"tool-approval-response\",\"approvalId\":$id,"
		    "\"approved\":false,\"reason\":$text}"},
	    },
	.result_wrapper = {"{\"role\":\"tool\",\"content\":[", "]}"},
	.provider_executed_key = "providerExecuted",
	.lead = LEAD_PLAIN,
    },
    {
	.name = "sharegpt",
	.about = "from and value, of training sets",
	.matches = ctx_sharegpt_is,
	.read = ctx_sharegpt_read,
	.rules = CTX_PAIR_BY_NAME | CTX_FIRST_USER | CTX_ALTERNATES |
	    CTX_ASKS_FIRST | CTX_ASKS_TURNS | CTX_ONE_SYSTEM | CTX_RESULTS_NEXT,
	AS_OPENAI,
	/* There is no template for a notice: the roles of messages must
	 * alternate, so no message can be inserted between two turns. */
	.summary = "{\"from\":\"system\",\"value\":$text}",
	/* The role of a tool result depends on the role of the message with the
	 * tool call: "tool" after a gpt message, "observation" after a
	 * function_call message. */
	.synthetic_results =
	    {
		{"function_call", "{\"from\":\"observation\",\"value\":$text}"},
		{NULL, "{\"from\":\"tool\",\"value\":$text}"},
	    },
	.lead = LEAD("{\"from\":\"human\",\"value\":", "}"),
    },
    {
	.name = "ollama",
	.about = "Ollama and chat templates",
	.matches = ctx_ollama_is,
	.matches_expected = ctx_ollama_also,
	.read = ctx_ollama_read,
	.rules = CTX_PAIR_BY_NAME | CTX_PAIR_EITHER | CTX_NAMES_USERS,
	AS_OPENAI_NAMES,
	.usage = {.request = {"prompt_eval_count"}},
	.text_block = TEXT_BLOCK,
	.summary = INSERTED_MESSAGE("user"),
	INSERTED_BLOCK("text"),
	.synthetic_results =
	    {
		{NULL,
		    "{\"role\":\"tool\",\"content\":$text,"
		    "\"tool_name\":$name,\"tool_call_id\":$id}"},
		{NULL,
		    "{\"role\":\"tool\",\"content\":$text,"
		    "\"tool_name\":$name}"},
	    },
	.lead = LEAD_PLAIN,
    },
    {
	.name = "openai-responses",
	.about = "OpenAI Responses items",
	.matches = ctx_openai_responses_is,
	.read = ctx_openai_responses_read,
	.rules = CTX_JOINS_ANSWERS | CTX_NEEDS_IDS | CTX_ARGUMENTS_TEXT |
	    CTX_ARGUMENTS_PARSED | CTX_REASONING_LEADS | CTX_SMALL_REQUEST |
	    CTX_IMAGE_LIMITS | CTX_RESULT_TYPES | CTX_RESULT_STRING,
	/* The tokens of a message for its role and delimiters are an estimate:
	 * the number of Chat Completions, because OpenAI does not publish the
	 * number for Responses. */
	AS_OPENAI_NAMES,
	.usage = {.request = ANTHROPIC_INPUT("usage"),
	    .read = "usage/input_tokens_details/cached_tokens",
	    .output = "usage/output_tokens"},
	.text_block = "{\"type\":\"input_text\",\"text\":",
	.result_types = responses_results,
	.summary = INSERTED_MESSAGE("user"),
	INSERTED_BLOCK("input_text"),
	.synthetic_results =
	    {
		{"function_call", ANSWER_ITEM("function_call_output")},
		{"custom_tool_call", ANSWER_ITEM("custom_tool_call_output")},
		/* Codex, which defines the tool local_shell, writes the results
		 * of this tool as items of the type function_call_output. */
		{"local_shell_call", ANSWER_ITEM("function_call_output")},
	    },
	.lead = LEAD_PLAIN,
    },
    {
	.name = "bedrock",
	.about = "AWS Bedrock Converse messages",
	.matches = ctx_bedrock_is,
	.read = ctx_bedrock_read,
	.rules = CTX_FIRST_USER | CTX_ALTERNATES | CTX_ASKS_FIRST |
	    CTX_ASKS_TURNS | CTX_RESULTS_NEXT | CTX_PLAIN_IDS | CTX_DOTTED_IDS |
	    CTX_NO_BLANK_TEXT | CTX_MUST_SPEAK | CTX_NO_SYSTEM |
	    CTX_RESULTS_TOGETHER | CTX_ASKS_TOGETHER | CTX_NEEDS_IDS |
	    CTX_ARGUMENTS_OBJECT | CTX_NEEDS_BODY | CTX_SIGNED |
	    CTX_KNOWN_ROLES | CTX_NO_TOOL_ROLE | CTX_FEW_BREAKPOINTS |
	    CTX_SMALL_REQUEST | CTX_NEEDS_TOOLS | CTX_IMAGE_LIMITS |
	    CTX_RESULT_TYPES,
	/* The tokens of a message for its role and delimiters are an estimate:
	 * as many as in Anthropic's own format, because most models that are
	 * used on Bedrock are Claude. */
	AS_ANTHROPIC,
	.usage = {.request = {"usage/inputTokens", "usage/cacheReadInputTokens",
		      "usage/cacheWriteInputTokens"},
	    .read = "usage/cacheReadInputTokens",
	    .written = "usage/cacheWriteInputTokens",
	    .output = "usage/outputTokens"},
	.text_result_form = {"[{\"text\":", "}]"},
	.text_block = TEXT_PART,
	.result_types = bedrock_results,
	.insertion_block = "{\"text\":$text}",
	.synthetic_results =
	    {
		{NULL,
		    "{\"toolResult\":{\"toolUseId\":$id,\"content\":"
		    "[{\"text\":$text}],\"status\":\"error\"}}"},
	    },
	.result_wrapper = {"{\"role\":\"user\",\"content\":[", "]}"},
	.lead = LEAD("{\"role\":\"user\",\"content\":[{\"text\":", "}]}"),
    },
    {
	.name = "gemini",
	.about = "Google Gemini contents",
	.matches = ctx_gemini_is,
	.read = ctx_gemini_read,
	.rules = CTX_PAIR_BY_NAME | CTX_PAIR_EITHER | CTX_FIRST_USER |
	    CTX_ALTERNATES | CTX_ASKS_FIRST | CTX_TAKES_ROWS |
	    CTX_RESULTS_NEXT | CTX_MUST_SPEAK | CTX_NO_SYSTEM |
	    CTX_RESULTS_TOGETHER | CTX_ASKS_TOGETHER | CTX_ARGUMENTS_OBJECT |
	    CTX_KNOWN_ROLES | CTX_SMALL_REQUEST | CTX_IMAGE_LIMITS |
	    CTX_RESULT_OBJECT | CTX_SIGNS_CALLS | CTX_NEEDS_DATA,
	/* No tokens are counted for the role and delimiters of a message,
	 * because the local tokenizer of google-genai counts none. */
	AS_GOOGLE,
	.usage = {.request = {"usageMetadata/promptTokenCount"},
	    .read = "usageMetadata/cachedContentTokenCount",
	    .output = "usageMetadata/candidatesTokenCount"},
	.text_result_form = {"{\"output\":", "}"},
	.text_block = TEXT_PART,
	.roles = gemini_roles,
	.insertion_block = "{\"text\":$text}",
	.synthetic_results =
	    {
		{NULL,
		    "{\"functionResponse\":{\"id\":$id,\"name\":$name,"
		    "\"response\":{\"error\":$text}}}"},
		{NULL,
		    "{\"functionResponse\":{\"name\":$name,"
		    "\"response\":{\"error\":$text}}}"},
	    },
	.result_wrapper = {"{\"role\":\"user\",\"parts\":[", "]}"},
	.lead = LEAD("{\"role\":\"user\",\"parts\":[{\"text\":", "}]}"),
    },
    {
	.name = "anthropic",
	.about = "Anthropic Messages",
	.matches = ctx_anthropic_is,
	.likely = ctx_anthropic_likely,
	.find_model = ctx_find_model,
	.read = ctx_anthropic_read,
	.rules = CTX_FIRST_USER | CTX_RESULTS_NEXT | CTX_NAMES_CALLERS |
	    CTX_PLAIN_IDS | CTX_NO_BLANK_TEXT | CTX_LAST_MAY_BE_EMPTY |
	    CTX_MUST_SPEAK | CTX_SYSTEM_BETWEEN | CTX_MERGES |
	    CTX_RESULTS_FIRST | CTX_NEEDS_IDS | CTX_ARGUMENTS_OBJECT |
	    CTX_SIGNED | CTX_KNOWN_ROLES | CTX_NO_TOOL_ROLE |
	    CTX_FEW_BREAKPOINTS | CTX_SMALL_REQUEST | CTX_IMAGE_LIMITS |
	    CTX_ERRORS_TEXT | CTX_RESULT_TYPES | CTX_PLACES_BLOCKS |
	    CTX_SPEAKS_LAST,
	/* The tokens per message are an estimate.  A request with one message
	 * was measured to have 7 tokens besides its text (ctoc, 2026); 1 of
	 * these 7 tokens is counted for the role. */
	AS_ANTHROPIC,
	.usage = {.message = ANTHROPIC_INPUT("usage"),
	    .request = ANTHROPIC_INPUT("usage"),
	    ANTHROPIC_PARTS("usage")},
	.text_block = TEXT_BLOCK,
	.result_types = anthropic_results,
	/* In this format ctx inserts a summary or notice as a separate user
	 * message, because the API merges consecutive user messages. */
	INSERTED(INSERTED_MESSAGE("user")),
	/* Templates of missing tool results exist only for tool_use blocks,
	 * because ctx cannot make the result of a tool that the provider
	 * runs. */
	.synthetic_results =
	    {
		{"tool_use",
		    "{\"type\":\"tool_result\",\"tool_use_id\":$id,"
		    "\"content\":$text,\"is_error\":true}"},
	    },
	.result_wrapper = {"{\"role\":\"user\",\"content\":[", "]}"},
	.lead = LEAD_PLAIN,
    },
    {
	.name = "openai-chat",
	.about = "OpenAI Chat Completions messages",
	.matches = ctx_openai_chat_is,
	.read = ctx_openai_chat_read,
	.rules = CTX_PAIR_BY_NAME | CTX_NAMES_USERS | CTX_RESULTS_NEXT |
	    CTX_MUST_SPEAK | CTX_NEEDS_IDS | CTX_ARGUMENTS_TEXT |
	    CTX_ARGUMENTS_PARSED | CTX_NO_EMPTY_CALLS | CTX_NEEDS_BODY |
	    CTX_KNOWN_ROLES | CTX_WANTS_REASONING,
	AS_OPENAI_NAMES,
	.usage = {.request = {"usage/prompt_tokens"},
	    .read = "usage/prompt_tokens_details/cached_tokens",
	    .output = "usage/completion_tokens"},
	.text_block = TEXT_BLOCK,
	.summary = INSERTED_MESSAGE("user"),
	INSERTED_BLOCK("text"),
	.synthetic_results =
	    {
		{NULL,
		    "{\"role\":\"tool\",\"tool_call_id\":$id,"
		    "\"content\":$text}"},
		{NULL,
		    "{\"role\":\"function\",\"name\":$name,"
		    "\"content\":$text}"},
	    },
	.lead = LEAD_PLAIN,
    },
    {
	.name = "generic",
	.about = "role and content, no more",
	.matches = ctx_generic_is,
	.read = ctx_openai_chat_read,
	.rules = CTX_PAIR_BY_NAME | CTX_NAMES_USERS | CTX_MODEL_DECIDES |
	    CTX_WANTS_REASONING,
	AS_OPENAI_NAMES,
	.text_block = TEXT_BLOCK,
	.summary = INSERTED_MESSAGE("user"),
	INSERTED_BLOCK("text"),
	.lead = LEAD_PLAIN,
    },
};

/* clang-format off */
/* All rules of dialects: the enum constants and macros of dialect.h.  A new
 * rule must be added here, too. */
#define EVERY_RULE(RULE) \
	RULE(CTX_PAIR_BY_NAME) RULE(CTX_FIRST_USER) RULE(CTX_ALTERNATES) \
	RULE(CTX_JOINS_ANSWERS) RULE(CTX_PAIR_EITHER) \
	RULE(CTX_LIFTS_SYSTEM) RULE(CTX_ONE_SYSTEM) RULE(CTX_NAMES_USERS) \
	RULE(CTX_RESULTS_NEXT) RULE(CTX_NAMES_CALLERS) RULE(CTX_PLAIN_IDS) \
	RULE(CTX_SHORT_IDS) RULE(CTX_NO_BLANK_TEXT) \
	RULE(CTX_LAST_MAY_BE_EMPTY) RULE(CTX_MUST_SPEAK) \
	RULE(CTX_SYSTEM_BETWEEN) RULE(CTX_NO_SYSTEM) RULE(CTX_LAST_USER) \
	RULE(CTX_MERGES) RULE(CTX_RESULTS_FIRST) \
	RULE(CTX_RESULTS_TOGETHER) RULE(CTX_NEEDS_IDS) \
	RULE(CTX_ARGUMENTS_TEXT) RULE(CTX_ARGUMENTS_OBJECT) \
	RULE(CTX_NO_EMPTY_CALLS) RULE(CTX_NEEDS_BODY) RULE(CTX_SIGNED) \
	RULE(CTX_REASONING_LEADS) RULE(CTX_KNOWN_ROLES) \
	RULE(CTX_NO_TOOL_ROLE) RULE(CTX_NINE_IDS) \
	RULE(CTX_FEW_BREAKPOINTS) RULE(CTX_SMALL_REQUEST) \
	RULE(CTX_NEEDS_TOOLS) RULE(CTX_IMAGE_LIMITS) \
	RULE(CTX_RESULTS_TEXT) RULE(CTX_ERRORS_TEXT) \
	RULE(CTX_ANSWERS_RESULTS) RULE(CTX_CALLS_FIT) RULE(CTX_SAYS_TEXT) \
	RULE(CTX_RESULT_OBJECT) RULE(CTX_RESULT_TYPES) \
	RULE(CTX_RESULT_STRING) RULE(CTX_PLACES_BLOCKS) \
	RULE(CTX_SIGNS_CALLS) RULE(CTX_MODEL_DECIDES) \
	RULE(CTX_ASKS_FIRST) RULE(CTX_ASKS_TURNS) RULE(CTX_ASKS_TOGETHER) \
	RULE(CTX_TAKES_ROWS) RULE(CTX_DOTTED_IDS) \
	RULE(CTX_RESULTS_BY_USER) RULE(CTX_WANTS_REASONING) \
	RULE(CTX_ITEM_FORM) RULE(CTX_TYPED_BLOCKS) \
	RULE(CTX_ARGUMENTS_PARSED) RULE(CTX_SPEAKS_LAST) RULE(CTX_NEEDS_DATA)
/* clang-format on */
#define PLUS(rule) +(uint64_t)(rule)
#define OR(rule)   | (uint64_t)(rule)
_Static_assert(0 EVERY_RULE(PLUS) == (0 EVERY_RULE(OR)),
    "each rule has a bit of its own");
_Static_assert(sizeof dialects[0].rules == sizeof(uint64_t),
    "ctx_dialect.rules has room for 64 rules");

const struct ctx_dialect *
ctx_dialect_at(size_t i)
{
	return i < CTX_LENGTH(dialects) ? &dialects[i] : NULL;
}

const struct ctx_dialect *
ctx_dialect_find(const char *name)
{
	const struct ctx_dialect *row;
	size_t i;

	for (i = 0; (row = ctx_dialect_at(i)) != NULL; i++)
		if (strcmp(row->name, name) == 0)
			return row;
	return NULL;
}

int
ctx_dialect_read_message(const struct ctx_dialect *dialect,
    const struct ctx_json *json, uint32_t node, struct ctx_message *message,
    struct ctx_err *err)
{
	int rc = dialect->read(json, node, message, err);

	message->dialect = dialect;
	if (rc > 0 && dialect->result_copy != NULL)
		message->result_copy =
		    ctx_json_find(json, node, dialect->result_copy);
	return rc;
}

int
ctx_dialect_is_from_user(const struct ctx_dialect *dialect,
    const struct ctx_json *json, uint32_t node, struct ctx_message *scratch,
    struct ctx_err *err)
{
	int rc = ctx_dialect_read_message(dialect, json, node, scratch, err);

	return rc > 0 ? ctx_message_is_from_user(scratch) : rc;
}
