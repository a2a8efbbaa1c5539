/*
 * provider_limits.c - a table of the maximum sizes and numbers that providers
 * accept
 *
 * Anthropic: "API errors" and "Vision", platform.claude.com, 2026 (32 MB; 256
 * MB are for batches).  Bedrock: the body of InvokeModel in its API reference;
 * Converse states no limit.  Gemini: 100 MB inline since January 2026, 20 MB
 * before; "Image understanding", ai.google.dev, 2026 (3,600 images).  OpenAI:
 * "Images and vision", developers.openai.com, 2026 (512 MB, 1,500 images).
 */
#include <string.h>

#include "check/check.h"

#define MB ((uint64_t)1 << 20)

static const struct ctx_provider_limits table[] = {
    {
	.provider = "anthropic",
	.request = 32 * MB,
	.side = 8000,
	.many = 20,
	.many_side = 2000,
	.image = 5 * MB,
	.encoded = true,
	.images = 600,
	.few_window = 200000,
	.few_images = 100,
    },
    {
	.provider = "bedrock",
	.request = 25000000,
	.side = 8000,
	.image = 15 * MB / 4,
	.in_message = 20,
    },
    {.provider = "gemini", .request = 100 * MB, .images = 3600},
    {.provider = "openai", .request = 512 * MB, .images = 1500},
    {.provider = "responses", .request = 512 * MB, .images = 1500},
};

uint32_t
ctx_provider_limits_images(const struct ctx_provider_limits *limits,
    uint64_t window)
{
	return window > 0 && window <= limits->few_window ? limits->few_images
							  : limits->images;
}

const struct ctx_provider_limits *
ctx_provider_limits_of(const struct ctx_provider *provider,
    const struct ctx_dialect *dialect)
{
	const struct ctx_provider *row;
	size_t i, k;

	for (i = 0; i < CTX_LENGTH(table); i++) {
		if (provider != NULL &&
		    strcmp(table[i].provider, provider->name) == 0)
			return &table[i];
		for (k = 0; provider == NULL && dialect != NULL &&
		     (row = ctx_provider_at(k)) != NULL;
		     k++)
			if (strcmp(row->name, table[i].provider) == 0 &&
			    strcmp(row->dialect, dialect->name) == 0)
				return &table[i];
	}
	return NULL;
}
