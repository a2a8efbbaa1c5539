/* usage_paths.h - where each format reports the billed tokens of a request
 * (struct ctx_usage); used in the table of dialects */
#ifndef CTX_DIALECT_USAGE_PATHS_H
#define CTX_DIALECT_USAGE_PATHS_H

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
#define LANGCHAIN_USAGE(object)                                          \
	{                                                                \
		.message = {object "/input_tokens"},                     \
		.read = object "/input_token_details/cache_read",        \
		.written = object "/input_token_details/cache_creation", \
		.output = object "/output_tokens"                        \
	}

#define CODEX_USAGE                                                          \
	{                                                                    \
		.line = {"payload/info/last_token_usage/input_tokens"},      \
		.read = "payload/info/last_token_usage/cached_input_tokens", \
		.output = "payload/info/last_token_usage/output_tokens"      \
	}
#define GEMINI_CLI_USAGE                                              \
	{                                                             \
		.message = {"tokens/input"}, .read = "tokens/cached", \
		.output = "tokens/output"                             \
	}
#define PI_USAGE                                                              \
	{                                                                     \
		.message = {"message/usage/input", "message/usage/cacheRead", \
		    "message/usage/cacheWrite"},                              \
		.read = "message/usage/cacheRead",                            \
		.written = "message/usage/cacheWrite",                        \
		.output = "message/usage/output"                              \
	}
/* Paths to the usage (billed tokens) in session files of Claude Code, and in
 * the output of "claude -p". */
#define CLAUDE_CODE_USAGE                                    \
	{                                                    \
		.message = ANTHROPIC_INPUT("message/usage"), \
		ANTHROPIC_PARTS("message/usage")             \
	}
#define OPENCODE_USAGE                                                     \
	{                                                                  \
		.message = {"info/tokens/input", "info/tokens/cache/read", \
		    "info/tokens/cache/write"},                            \
		.read = "info/tokens/cache/read",                          \
		.written = "info/tokens/cache/write",                      \
		.output = "info/tokens/output"                             \
	}
#define GOOSE_USAGE                           \
	{                                     \
		.request = { "input_tokens" } \
	}
#define LLM_LOGS_USAGE                        \
	{                                     \
		.message = { "input_tokens" } \
	}
#define ATIF_USAGE                                    \
	{                                             \
		.message = {"metrics/prompt_tokens"}, \
		.read = "metrics/cached_tokens",      \
		.output = "metrics/completion_tokens" \
	}
#define OTEL_GENAI_USAGE                                   \
	{                                                  \
		.request = { "gen_ai.usage.input_tokens" } \
	}
#define OLLAMA_USAGE                               \
	{                                          \
		.request = { "prompt_eval_count" } \
	}
#define OPENAI_RESPONSES_USAGE                                      \
	{                                                           \
		.request = ANTHROPIC_INPUT("usage"),                \
		.read = "usage/input_tokens_details/cached_tokens", \
		.output = "usage/output_tokens"                     \
	}
#define BEDROCK_USAGE                                                          \
	{                                                                      \
		.request = {"usage/inputTokens", "usage/cacheReadInputTokens", \
		    "usage/cacheWriteInputTokens"},                            \
		.read = "usage/cacheReadInputTokens",                          \
		.written = "usage/cacheWriteInputTokens",                      \
		.output = "usage/outputTokens"                                 \
	}
#define GEMINI_USAGE                                             \
	{                                                        \
		.request = {"usageMetadata/promptTokenCount"},   \
		.read = "usageMetadata/cachedContentTokenCount", \
		.output = "usageMetadata/candidatesTokenCount"   \
	}
#define ANTHROPIC_USAGE                                                       \
	{                                                                     \
		.message = ANTHROPIC_INPUT("usage"),                          \
		.request = ANTHROPIC_INPUT("usage"), ANTHROPIC_PARTS("usage") \
	}
#define OPENAI_CHAT_USAGE                                            \
	{                                                            \
		.request = {"usage/prompt_tokens"},                  \
		.read = "usage/prompt_tokens_details/cached_tokens", \
		.output = "usage/completion_tokens"                  \
	}

#endif
