/*
 * dialect.c - the table of message formats
 *
 * A record belongs to the first row that claims it, so a row that asks for
 * more stands before one that asks for less, and generic stands last.
 */
#include <string.h>

#include "dialect/dialect.h"

/* A result body that is just a string. */
#define BODY_STRING {"", ""}
/* 3 tokens a message and once, 1 a name, as Chat Completions; without names,
 * as formats that have none. */
#define FRAMING .per_message = 3, .priming = 3
#define FRAMING_NAMES FRAMING, .per_name = 1

#define OURS_SYSTEM {"{\"role\":\"system\",\"content\":", "}"}

/* Blocks with a string in it; what stands before and behind that. */
#define BODY_TEXT_BLOCK {"[{\"type\":\"text\",\"text\":", "}]"}

/* A result that is an item of this type. */
#define ANSWER_ITEM(type)                                                    \
	"{\"type\":\"" type "\",\"call_id\":$id,\"output\":$text}"

static const struct ctx_dialect dialects[] = {
    {
	.name = "codex",
	.about = "Codex rollouts",
	.is = ctx_codex_is,
	.read = ctx_codex_read,
	.history = CTX_HISTORY_LOG,
	.line = ctx_codex_line,
	.rules = CTX_JOINS_ANSWERS,
	FRAMING_NAMES,
	.body = BODY_STRING,
    },
    {
	.name = "gemini-cli",
	.about = "Gemini CLI chats",
	.is = ctx_gemini_cli_is,
	.read = ctx_gemini_cli_read,
	.history = CTX_HISTORY_LOG,
	.line = ctx_gemini_cli_line,
	.rules = CTX_FIRST_USER,
	.body = BODY_STRING,
    },
    {
	.name = "pi",
	.about = "pi coding agent sessions",
	.is = ctx_pi_is,
	.read = ctx_pi_read,
	.history = CTX_HISTORY_LAST,
	.line = ctx_pi_line,
	/* Whatever provider it is sent to: framing as Chat Completions. */
	FRAMING_NAMES,
	.body = BODY_TEXT_BLOCK,
    },
    {
	.name = "claude-stream",
	.about = "Claude Code, --output-format stream-json",
	.is = ctx_claude_stream_is,
	.read = ctx_claude_stream_read,
	.history = CTX_HISTORY_LOG,
	.line = ctx_claude_stream_line,
	.rules = CTX_FIRST_USER,
	FRAMING,
	.body = BODY_STRING,
    },
    {
	.name = "claude-code",
	.about = "Claude Code sessions",
	.is = ctx_claude_code_is,
	.read = ctx_claude_code_read,
	.history = CTX_HISTORY_TIP,
	.line = ctx_claude_code_line,
	.rules = CTX_FIRST_USER,
	FRAMING,
	.body = BODY_STRING,
    },
    /* These speak to many providers: framing as Chat Completions. */
    {
	.name = "langchain-lc",
	.about = "LangChain, as dumps writes it",
	.is = ctx_langchain_lc_is,
	.read = ctx_langchain_lc_read,
	.rules = CTX_PAIR_BY_NAME | CTX_PAIR_EITHER,
	FRAMING_NAMES,
	.body = BODY_STRING,
	.ours = {"{\"lc\":1,\"type\":\"constructor\",\"id\":[\"langchain\",\"schema\","
	    "\"messages\",\"SystemMessage\"],\"kwargs\":{\"content\":",
	    ",\"type\":\"system\"}}"},
    },
    {
	.name = "langchain-dict",
	.about = "LangChain, as messages_to_dict writes it",
	.is = ctx_langchain_dict_is,
	.read = ctx_langchain_dict_read,
	.rules = CTX_PAIR_BY_NAME | CTX_PAIR_EITHER,
	FRAMING_NAMES,
	.body = BODY_STRING,
	.ours = {"{\"type\":\"system\",\"data\":{\"content\":",
	    ",\"type\":\"system\"}}"},
    },
    {
	.name = "langchain-dump",
	.about = "LangChain, as model_dump writes it",
	.is = ctx_langchain_dump_is,
	.read = ctx_langchain_dump_read,
	.rules = CTX_PAIR_BY_NAME | CTX_PAIR_EITHER,
	FRAMING_NAMES,
	.body = BODY_STRING,
	.ours = {"{\"type\":\"system\",\"content\":",
	    ",\"additional_kwargs\":{},\"response_metadata\":{}}"},
    },
    {
	.name = "opencode",
	.about = "messages of an opencode export",
	.is = ctx_opencode_is,
	.read = ctx_opencode_read,
	.first = ctx_opencode_first,
	FRAMING,
	.body = BODY_STRING,
    },
    {
	.name = "goose",
	.about = "messages of a goose session",
	.is = ctx_goose_is,
	.read = ctx_goose_read,
	FRAMING,
	.body = BODY_TEXT_BLOCK,
	.ours = {"{\"role\":\"user\",\"created\":0,\"content\":["
	    "{\"type\":\"text\",\"text\":",
	    "}],\"metadata\":{\"userVisible\":false,\"agentVisible\":true}}"},
    },
    {
	.name = "llm-logs",
	.about = "rows of llm logs --json, a turn each",
	.is = ctx_llm_logs_is,
	.read = ctx_llm_logs_read,
	.rules = CTX_PAIR_BY_NAME,
	/* Two messages and their roles. */
	.per_message = 8,
	.body = BODY_STRING,
    },
    {
	.name = "vercel-ui",
	.about = "UIMessage of the Vercel AI SDK",
	.is = ctx_vercel_ui_is,
	.read = ctx_vercel_ui_read,
	FRAMING,
	.body = BODY_STRING,
	.ours = {"{\"id\":\"ctx\",\"role\":\"system\",\"parts\":["
	    "{\"type\":\"text\",\"text\":",
	    "}]}"},
    },
    {
	.name = "vercel-model",
	.about = "ModelMessage of the Vercel AI SDK",
	.is = ctx_vercel_model_is,
	.read = ctx_vercel_model_read,
	FRAMING,
	.body = {"{\"type\":\"text\",\"value\":", "}"},
	.ours = OURS_SYSTEM,
    },
    {
	.name = "sharegpt",
	.about = "from and value, of training sets",
	.is = ctx_sharegpt_is,
	.read = ctx_sharegpt_read,
	.rules = CTX_PAIR_BY_NAME | CTX_FIRST_USER | CTX_ALTERNATES,
	FRAMING,
	.body = BODY_STRING,
    },
    {
	.name = "ollama",
	.about = "Ollama and chat templates",
	.is = ctx_ollama_is,
	.read = ctx_ollama_read,
	.rules = CTX_PAIR_BY_NAME | CTX_PAIR_EITHER,
	FRAMING_NAMES,
	.body = BODY_STRING,
	.ours = OURS_SYSTEM,
    },
    {
	.name = "openai-responses",
	.about = "OpenAI Responses items",
	.is = ctx_openai_responses_is,
	.read = ctx_openai_responses_read,
	.rules = CTX_JOINS_ANSWERS | CTX_NO_EMPTY_TEXT | CTX_NEEDS_IDS |
	    CTX_ARGUMENTS_TEXT | CTX_REASONING_LEADS,
	/* As Chat Completions; nothing better is published. */
	FRAMING_NAMES,
	.body = BODY_STRING,
	.ours = OURS_SYSTEM,
	.answers = {
	    {"function_call", ANSWER_ITEM("function_call_output")},
	    {"custom_tool_call", ANSWER_ITEM("custom_tool_call_output")},
	    /* So does Codex, whose tool this is. */
	    {"local_shell_call", ANSWER_ITEM("function_call_output")},
	},
    },
    {
	.name = "bedrock",
	.about = "AWS Bedrock Converse messages",
	.is = ctx_bedrock_is,
	.read = ctx_bedrock_read,
	.rules = CTX_FIRST_USER | CTX_ALTERNATES | CTX_RESULTS_NEXT |
	    CTX_PLAIN_IDS | CTX_NO_BLANK_TEXT | CTX_MUST_SPEAK |
	    CTX_NO_SYSTEM | CTX_RESULTS_TOGETHER | CTX_NEEDS_IDS |
	    CTX_ARGUMENTS_OBJECT | CTX_NEEDS_BODY | CTX_SIGNED |
	    CTX_KNOWN_ROLES | CTX_NO_TOOL_ROLE,
	/* An estimate: that of Anthropic, whose models are mostly meant. */
	FRAMING,
	.body = {"[{\"text\":", "}]"},
	.answers = {
	    {NULL, "{\"toolResult\":{\"toolUseId\":$id,\"content\":"
		   "[{\"text\":$text}],\"status\":\"error\"}}"},
	},
	.around = {"{\"role\":\"user\",\"content\":[", "]}"},
    },
    {
	.name = "gemini",
	.about = "Google Gemini contents",
	.is = ctx_gemini_is,
	.read = ctx_gemini_read,
	.rules = CTX_PAIR_BY_NAME | CTX_PAIR_EITHER | CTX_FIRST_USER |
	    CTX_ALTERNATES | CTX_RESULTS_NEXT | CTX_NO_EMPTY_TEXT | CTX_MUST_SPEAK |
	    CTX_NO_SYSTEM | CTX_RESULTS_TOGETHER | CTX_ARGUMENTS_OBJECT |
	    CTX_KNOWN_ROLES,
	/* No framing: the local tokenizer of google-genai has none. */
	.body = {"{\"output\":", "}"},
	.answers = {
	    {NULL, "{\"functionResponse\":{\"id\":$id,\"name\":$name,"
		   "\"response\":{\"error\":$text}}}"},
	    {NULL, "{\"functionResponse\":{\"name\":$name,"
		   "\"response\":{\"error\":$text}}}"},
	},
	.around = {"{\"role\":\"user\",\"parts\":[", "]}"},
    },
    {
	.name = "anthropic",
	.about = "Anthropic Messages",
	.is = ctx_anthropic_is,
	.read = ctx_anthropic_read,
	.rules = CTX_FIRST_USER | CTX_RESULTS_NEXT | CTX_UNIQUE_IDS |
	    CTX_PLAIN_IDS | CTX_NO_BLANK_TEXT | CTX_LAST_MAY_BE_EMPTY |
	    CTX_MUST_SPEAK | CTX_SYSTEM_BETWEEN | CTX_MERGES |
	    CTX_RESULTS_FIRST | CTX_NEEDS_IDS | CTX_ARGUMENTS_OBJECT |
	    CTX_SIGNED | CTX_KNOWN_ROLES | CTX_NO_TOOL_ROLE,
	/* An estimate: 7 tokens of framing were measured around a request
	 * of one message (ctoc, 2026), the role's own being one of them. */
	FRAMING,
	.body = BODY_STRING,
	/* Two messages of the user in a row count as one. */
	.ours = {"{\"role\":\"user\",\"content\":", "}"},
	/* A tool of the provider's has no result that we could write. */
	.answers = {
	    {"tool_use", "{\"type\":\"tool_result\",\"tool_use_id\":$id,"
			 "\"content\":$text,\"is_error\":true}"},
	},
	.around = {"{\"role\":\"user\",\"content\":[", "]}"},
    },
    {
	.name = "openai-chat",
	.about = "OpenAI Chat Completions messages",
	.is = ctx_openai_chat_is,
	.read = ctx_openai_chat_read,
	.rules = CTX_PAIR_BY_NAME | CTX_RESULTS_NEXT | CTX_MUST_SPEAK |
	    CTX_NEEDS_IDS | CTX_ARGUMENTS_TEXT | CTX_NO_EMPTY_CALLS |
	    CTX_NEEDS_BODY | CTX_KNOWN_ROLES,
	FRAMING_NAMES,
	.body = BODY_STRING,
	.ours = OURS_SYSTEM,
	.answers = {
	    {NULL, "{\"role\":\"tool\",\"tool_call_id\":$id,"
		   "\"content\":$text}"},
	    {NULL, "{\"role\":\"function\",\"name\":$name,"
		   "\"content\":$text}"},
	},
    },
    {
	.name = "generic",
	.about = "role and content, no more",
	.is = ctx_generic_is,
	.read = ctx_generic_read,
	.rules = CTX_PAIR_BY_NAME,
	FRAMING_NAMES,
	.body = BODY_STRING,
	.ours = OURS_SYSTEM,
    },
};

const struct ctx_dialect *
ctx_dialect_at(size_t i)
{
	return i < sizeof dialects / sizeof dialects[0] ? &dialects[i] : NULL;
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
