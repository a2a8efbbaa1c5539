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
#define OURS_SYSTEM {"{\"role\":\"system\",\"content\":", "}"}

/* Blocks with a string in it; what stands before and behind that. */
#define BODY_TEXT_BLOCK {"[{\"type\":\"text\",\"text\":", "}]"}

static const struct ctx_dialect dialects[] = {
    {
	.name = "gemini-cli",
	.about = "Gemini CLI chats",
	.is = ctx_gemini_cli_is,
	.read = ctx_gemini_cli_read,
	.history = CTX_HISTORY_LOG,
	.line = ctx_gemini_cli_line,
	.rules = CTX_FIRST_USER,
	.per_message = 3,
	.per_name = 1,
	.priming = 3,
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
	.per_message = 3,
	.per_name = 1,
	.priming = 3,
	.body = BODY_TEXT_BLOCK,
    },
    {
	.name = "openai-chat",
	.about = "OpenAI Chat Completions messages",
	.is = ctx_openai_chat_is,
	.read = ctx_openai_chat_read,
	.rules = CTX_PAIR_BY_NAME,
	.per_message = 3,
	.per_name = 1,
	.priming = 3,
	.body = BODY_STRING,
	.ours = OURS_SYSTEM,
    },
    {
	.name = "generic",
	.about = "role and content, no more",
	.is = ctx_generic_is,
	.read = ctx_generic_read,
	.rules = CTX_PAIR_BY_NAME,
	.per_message = 3,
	.per_name = 1,
	.priming = 3,
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
