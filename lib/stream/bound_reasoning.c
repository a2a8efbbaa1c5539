/*
 * bound_reasoning.c - signed reasoning after a change
 *
 * Claude models that bind their reasoning refuse a request if anything before a
 * signed block was changed (platform.claude.com, "Prefix checks on thinking
 * blocks", November 2026).  Signed reasoning after a change must therefore be
 * removed.
 */
#include <stdlib.h>
#include <string.h>

#include "stream/bound_reasoning.h"
#include "stream/edit_message.h"

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

bool
ctx_bound_after(const struct ctx_message *message, size_t from)
{
	size_t i;

	for (i = 0; i < message->n; i++)
		if (ctx_bound_block_after(message, i, from))
			return true;
	return false;
}

/* Returns the block that a text block must replace because no block of the
 * message would be left, or message->n. */
static size_t
find_replaced_block(const struct ctx_message *message, size_t from)
{
	const struct ctx_node *nodes = message->json->nodes;
	size_t i, first = message->n;

	if (message->flags & (CTX_MESSAGE_IS_CONTINUED | CTX_MESSAGE_CONTINUES))
		return message->n;
	for (i = 0; i < message->n; i++) {
		if (!ctx_bound_block_after(message, i, from))
			return message->n;
		if (first == message->n &&
		    message->dialect->text_block != NULL &&
		    nodes[message->blocks[i].container].kind == CTX_JSON_ARRAY)
			first = i;
	}
	return first;
}

/* Adds an edit that replaces a block by the text block CTX_REASONING_REMOVED.
 */
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

int
ctx_bound_remove(struct ctx_edits *edits, const struct ctx_message *message,
    size_t from, struct ctx_err *err)
{
	size_t nodes = message->json->nodes[message->node].next - message->node,
	       i;
	size_t kept = find_replaced_block(message, from);
	bool *gone;
	int rc = 0;

	gone = calloc(nodes, sizeof *gone);
	if (gone == NULL)
		return ctx_err_nomem(err);
	for (i = 0; i < message->n; i++)
		if (i != kept && ctx_bound_block_after(message, i, from))
			gone[message->blocks[i].removable - message->node] =
			    true;
	rc = ctx_edits_remove_nodes(edits, message, gone, err);
	free(gone);
	if (rc < 0 || kept == message->n)
		return rc;
	return replace_block(edits, message, message->blocks[kept].removable,
	    err);
}
