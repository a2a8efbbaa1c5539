/*
 * limits.c - what providers take at most
 *
 * Anthropic: "API errors" and "Vision", platform.claude.com, 2026 (32 MB; 256
 * MB are for batches).  Bedrock: the body of InvokeModel in its API reference;
 * Converse names no figure.  Gemini: 100 MB inline since January 2026, 20 MB
 * before.  OpenAI's figure has changed too often to be one.
 */
#include <string.h>

#include "ctx.h"

#define MB ((uint64_t)1 << 20)

static const struct ctx_bounds table[] = {
    {
	.provider = "anthropic",
	.request = 32 * MB,
	.side = 8000,
	.many = 20,
	.many_side = 2000,
	.image = 5 * MB,
	.encoded = true,
	.images = 600,
    },
    {
	.provider = "bedrock",
	.request = 25000000,
	.side = 8000,
	.image = 15 * MB / 4,
	.in_message = 20,
    },
    {.provider = "gemini", .request = 100 * MB},
};

const struct ctx_bounds *
ctx_bounds_of(const struct ctx_provider *provider,
    const struct ctx_dialect *dialect)
{
	const struct ctx_provider *row;
	size_t i, k;

	for (i = 0; i < sizeof table / sizeof table[0]; i++) {
		if (provider != NULL &&
		    strcmp(table[i].provider, provider->name) == 0)
			return &table[i];
		for (k = 0; provider == NULL && dialect != NULL &&
		    (row = ctx_provider_at(k)) != NULL; k++)
			if (strcmp(row->name, table[i].provider) == 0 &&
			    strcmp(row->dialect, dialect->name) == 0)
				return &table[i];
	}
	return NULL;
}
