/*
 * cache.c - the rules of providers about cache breakpoints
 *
 * Error messages: "A maximum of 4 blocks with cache_control may be provided";
 * "cache_control cannot be set for empty text blocks"; "Cache point cannot be
 * inserted after reasoning block".
 */
#include <string.h>

#include "conversation.h"

static size_t
in_blocks(struct conversation *t, size_t at, const char *key,
    const json_t *blocks)
{
	const json_t *block, *before = NULL;
	size_t i, n = 0;

	json_array_foreach(blocks, i, block) {
		if (has(block, key)) {
			n++;
			if (is(block, "type", "thinking") ||
			    is(block, "type", "redacted_thinking") ||
			    has(before, "reasoningContent"))
				refuse(t, at, "cache-place",
				    "a breakpoint on reasoning");
			if (has(block, "text") && blank(text(block, "text")))
				refuse(t, at, "cache-place",
				    "a breakpoint on an empty text");
			if (has(block, "cachePoint") && i == 0)
				refuse(t, at, "cache-place",
				    "a breakpoint on nothing");
			if (is(json_object_get(before, "document"), "format",
				"md"))
				refuse(t, at, "cache-place",
				    "a breakpoint on a document");
		}
		before = block;
		n += in_blocks(t, at, key, json_object_get(block, "content"));
		n += in_blocks(t, at, key,
		    json_object_get(json_object_get(block, "toolResult"),
			"content"));
	}
	return n;
}

/* request: the object that contains the messages, or NULL */
void
check_cache(struct conversation *t, const char *dialect, const json_t *request)
{
	const char *key = "prompt_cache_breakpoint";
	size_t i, n = 0, one, last = 0;
	const json_t *m;

	if (strcmp(dialect, "anthropic") == 0 ||
	    strcmp(dialect, "generic") == 0)
		key = "cache_control";
	else if (strcmp(dialect, "bedrock") == 0)
		key = "cachePoint";
	json_array_foreach(t->message, i, m) {
		one = in_blocks(t, i, key, json_object_get(m, "content"));
		one += in_blocks(t, i, key, json_object_get(m, "output"));
		if (one > 0 && key[0] == 'p' && is(m, "role", "assistant"))
			refuse(t, i, "cache-place",
			    "a breakpoint on an answer");
		if (one > 0)
			last = i;
		n += one;
	}
	n += in_blocks(t, 0, key, json_object_get(request, "system"));
	n += in_blocks(t, 0, key, json_object_get(request, "tools"));
	n += in_blocks(t, 0, key,
	    json_object_get(json_object_get(request, "toolConfig"), "tools"));
	n += has(request, key);
	if (n > 4)
		refuse(t, last, "cache-breakpoints",
		    "%zu breakpoints, at most 4", n);
}
