/*
 * bound_reasoning.c - finds reasoning that the provider does not take, because
 * something before it was changed, and removes it if it would be refused
 *
 * Some Claude models sign each reasoning block together with everything before
 * it.  The provider refuses a request if anything before a signed block was
 * changed (platform.claude.com, "Prefix checks on thinking blocks", November
 * 2026).  So signed reasoning after a change must be removed.
 *
 * From GPT-6.2 on, the Responses API drops reasoning items after a change, and
 * answers the request (developers.openai.com, "Keep the prefix unchanged",
 * November 2026).  So these need not be removed.  Only ctx-prune removes them,
 * because it counts them.
 */
#include <stdlib.h>

#include "stream/bound_reasoning.h"
#include "stream/stream.h"

bool
ctx_bound_is_placeholder(const struct ctx_message *message,
    const struct ctx_block *block)
{
	return block->kind == CTX_BLOCK_TEXT && block->payload != 0 &&
	    ctx_json_is(message->json, block->payload, CTX_REASONING_REMOVED);
}

bool
ctx_bound_block_after(const struct ctx_message *message, size_t i, size_t from)
{
	const struct ctx_block *block = &message->blocks[i];

	return ctx_block_is_signed(message->json, block) &&
	    message->json->nodes[block->removable].end > from;
}

/* Returns true if a message has signed reasoning that ends after the offset
 * "from". */
static bool
is_signed_after(const struct ctx_message *message, size_t from)
{
	for (size_t i = 0; i < message->n; i++)
		if (ctx_bound_block_after(message, i, from))
			return true;
	return false;
}

bool
ctx_bound_after(const struct ctx_message *message, enum ctx_binding binding,
    size_t from)
{
	if (binding == CTX_BINDS_DROPPED)
		return ctx_message_is_bound(message, binding) &&
		    message->json->nodes[message->node].end > from;
	return binding == CTX_BINDS_REFUSED && is_signed_after(message, from);
}

/* Returns true if block i is signed reasoning that ends after the offset "from"
 * in the message.  Also returns true for an unsigned copy of a reasoning block
 * if any signed reasoning of the message ends after this offset. */
static bool
is_bound(const struct ctx_message *message, size_t i, size_t from)
{
	return ctx_bound_block_after(message, i, from) ||
	    (message->blocks[i].is_copy && is_signed_after(message, from));
}

/* If the value of the message's member "content" is null, returns the JSON node
 * of this value, otherwise 0. */
static uint32_t
find_null_content(const struct ctx_message *message)
{
	uint32_t content =
	    ctx_json_find(message->json, message->node, "content");

	return content != 0 &&
		message->json->nodes[content].kind == CTX_JSON_NULL
	    ? content
	    : 0;
}

/* Returns true if a message has no block left when its signed reasoning after
 * the offset "from" is removed. */
static bool
is_all_bound(const struct ctx_message *message, size_t from)
{
	if (message->flags & (CTX_MESSAGE_IS_CONTINUED | CTX_MESSAGE_CONTINUES))
		return false;
	for (size_t i = 0; i < message->n; i++)
		if (!is_bound(message, i, from))
			return false;
	return message->n > 0;
}

/* Returns the index of the first block of a message that may be replaced by a
 * text block, or message->n if there is none. */
static size_t
find_replaceable_block(const struct ctx_message *message)
{
	const struct ctx_node *nodes = message->json->nodes;

	for (size_t i = 0;
	     message->dialect->text_block != NULL && i < message->n; i++)
		if (nodes[message->blocks[i].container].kind == CTX_JSON_ARRAY)
			return i;
	return message->n;
}

/* Adds an edit that replaces a block by a text block with the text
 * CTX_REASONING_REMOVED. */
static int
replace_block(struct ctx_edits *edits, const struct ctx_message *message,
    uint32_t block, struct ctx_err *err)
{
	struct ctx_buf text = {0};
	int rc = -1;

	if (ctx_buf_printf(&text, err, "%s\"%s\"}",
		message->dialect->text_block, CTX_REASONING_REMOVED) == 0)
		rc = ctx_edits_replace(edits,
		    ctx_json_str(message->json, block), text.p, text.n, err);
	ctx_buf_release(&text);
	return rc;
}

/* Writes CTX_REASONING_REMOVED into a message that would be empty without its
 * reasoning.  A text block with this text replaces the block with the index
 * "kept".  If kept is message->n, there is no such block, and the text replaces
 * the null in the member "content". */
static int
add_placeholder(struct ctx_edits *edits, const struct ctx_message *message,
    size_t kept, struct ctx_err *err)
{
	static const char text[] = "\"" CTX_REASONING_REMOVED "\"";
	uint32_t content;

	if (kept < message->n)
		return replace_block(edits, message,
		    message->blocks[kept].removable, err);
	content = find_null_content(message);
	return content == 0
	    ? 0
	    : ctx_edits_replace(edits, ctx_json_str(message->json, content),
		  text, sizeof text - 1, err);
}

int
ctx_bound_remove(struct ctx_edits *edits, const struct ctx_message *message,
    size_t from, struct ctx_err *err)
{
	bool *removed = calloc(message->n + 1, sizeof *removed);
	bool all = is_all_bound(message, from);
	size_t kept = all ? find_replaceable_block(message) : message->n;
	int rc;

	if (removed == NULL)
		return ctx_err_nomem(err);
	for (size_t i = 0; i < message->n; i++)
		removed[i] = i != kept && is_bound(message, i, from);
	rc = ctx_edits_remove_blocks(edits, message, removed, err);
	free(removed);
	if (rc < 0 || !all)
		return rc;
	return add_placeholder(edits, message, kept, err);
}
