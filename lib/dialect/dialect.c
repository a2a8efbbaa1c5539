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

static const struct ctx_dialect dialects[] = {
    {
	.name = "openai-chat",
	.about = "OpenAI Chat Completions messages",
	.is = ctx_openai_chat_is,
	.read = ctx_openai_chat_read,
	.rules = CTX_PAIR_BY_NAME | CTX_RESULTS_NEXT | CTX_MUST_SPEAK |
	    CTX_NEEDS_IDS | CTX_ARGUMENTS_TEXT | CTX_NO_EMPTY_CALLS |
	    CTX_NEEDS_BODY | CTX_KNOWN_ROLES,
	.per_message = 3,
	.per_name = 1,
	.priming = 3,
	.body = BODY_STRING,
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
	.per_message = 3,
	.per_name = 1,
	.priming = 3,
	.body = BODY_STRING,
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
