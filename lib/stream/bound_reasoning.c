/*
 * bound_reasoning.c - signed reasoning after a change
 *
 * Claude models that bind their reasoning refuse a request if anything before
 * a signed block was changed (platform.claude.com, "Prefix checks on thinking
 * blocks", November 2026).  What a command changes therefore costs the signed
 * reasoning after it.
 */
#include <stdlib.h>
#include <string.h>

#include "stream/bound_reasoning.h"
#include "stream/edit_message.h"

bool
ctx_bound_is_placeholder(const struct ctx_message *view,
    const struct ctx_block *part)
{
	return part->kind == CTX_BLOCK_TEXT && part->value != 0 &&
	    ctx_json_is(view->json, part->value, CTX_REASONING_REMOVED);
}

static bool
is_after(const struct ctx_message *view, size_t i, size_t from)
{
	const struct ctx_block *part = &view->parts[i];

	return ctx_block_is_signed(view->json, part) &&
	    view->json->nodes[part->child].end > from;
}

bool
ctx_bound_after(const struct ctx_message *view, size_t from)
{
	size_t i;

	for (i = 0; i < view->n; i++)
		if (is_after(view, i, from))
			return true;
	return false;
}

/* The part whose block a text block takes the place of, since nothing else is
 * left of the message; or view->n. */
static size_t
find_last_resort(const struct ctx_message *view,
    const struct ctx_dialect *dialect, size_t from)
{
	const struct ctx_node *nodes = view->json->nodes;
	size_t i, first = view->n;

	if (view->flags & (CTX_MESSAGE_IS_CONTINUED | CTX_MESSAGE_CONTINUES))
		return view->n;
	for (i = 0; i < view->n; i++) {
		if (!is_after(view, i, from))
			return view->n;
		if (first == view->n && dialect->text_block != NULL &&
		    nodes[view->parts[i].parent].kind == CTX_JSON_ARRAY)
			first = i;
	}
	return first;
}

/* Notes that a text block takes the place of a block. */
static int
replace_block(struct ctx_edits *edits, const struct ctx_message *view,
    const struct ctx_dialect *dialect, uint32_t block, struct ctx_err *err)
{
	struct ctx_buf text = {0};
	int rc = -1;

	if (ctx_buf_printf(&text, err, "%s\"%s\"}", dialect->text_block,
		CTX_REASONING_REMOVED) == 0)
		rc = ctx_edits_replace(edits, ctx_json_str(view->json, block),
		    text.p, text.n, err);
	ctx_buf_release(&text);
	return rc;
}

int
ctx_bound_remove(struct ctx_edits *edits, const struct ctx_message *view,
    const struct ctx_dialect *dialect, size_t from, struct ctx_err *err)
{
	size_t nodes = view->json->nodes[view->node].next - view->node, i;
	size_t kept = find_last_resort(view, dialect, from);
	bool *gone;
	int rc = 0;

	gone = calloc(nodes, sizeof *gone);
	if (gone == NULL)
		return ctx_err_nomem(err);
	for (i = 0; i < view->n; i++)
		if (i != kept && is_after(view, i, from))
			gone[view->parts[i].child - view->node] = true;
	rc = ctx_edits_remove_nodes(edits, view, gone, err);
	free(gone);
	if (rc < 0 || kept == view->n)
		return rc;
	return replace_block(edits, view, dialect, view->parts[kept].child,
	    err);
}
