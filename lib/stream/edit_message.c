/* edit_message.c - what a plan means for the bytes of a message */
#include <stdlib.h>
#include <string.h>

#include "dialect/result_content.h"
#include "stream/edit_message.h"
#include "stream/stream.h"

/* Does part i go, given what happens to its message? */
static bool
goes(const struct ctx_message *view, size_t i,
    const struct ctx_message_edit *fate)
{
	const struct ctx_block *part = &view->parts[i];
	bool result = part->kind == CTX_BLOCK_TOOL_RESULT || part->owner != 0;

	if ((fate->rest & CTX_MARK_FOLD) && fate->own == i + 1)
		return true;
	if ((result ? fate->results : fate->rest) & CTX_MARK_DROP)
		return true;
	return part->kind == CTX_BLOCK_REASONING &&
	    (fate->rest & CTX_MARK_STRIP);
}

/* Does the result i stand within its call, and go with that? */
static bool
goes_within(const struct ctx_message *view, size_t i,
    const struct ctx_message_edit *fate)
{
	const struct ctx_block *result = &view->parts[i], *call = result - 1;

	return i > 0 && call->kind == CTX_BLOCK_TOOL_CALL && call->child != 0 &&
	    goes(view, i - 1, fate) && result->value > call->child &&
	    result->value < view->json->nodes[call->child].next;
}

/* Notes what is to be dropped from one container. */
static int
drop_from(struct ctx_edits *edits, const struct ctx_message *view,
    uint32_t parent, const bool *gone, struct ctx_err *err)
{
	const struct ctx_node *nodes = view->json->nodes;
	bool object = nodes[parent].kind == CTX_JSON_OBJECT;
	size_t n = ctx_json_count(view->json, parent), i = 0;
	uint32_t child;
	bool *drop;
	int rc;

	drop = calloc(n > 0 ? n : 1, sizeof *drop);
	if (drop == NULL)
		return ctx_err_nomem(err);
	for (child = parent + 1; child < nodes[parent].next;
	     child = nodes[object ? child + 1 : child].next, i++)
		if (gone[child - view->node] && object)
			ctx_edits_mark_member(view->json, parent, child, drop);
		else if (gone[child - view->node])
			drop[i] = true;
	rc = ctx_edits_remove(edits, view->json, parent, drop, err);
	free(drop);
	return rc;
}

int
ctx_edits_remove_nodes(struct ctx_edits *edits, const struct ctx_message *view,
    const bool *gone, struct ctx_err *err)
{
	size_t nodes = view->json->nodes[view->node].next - view->node, i;
	bool *done; /* of each node of the message */
	int rc = -1;

	done = calloc(nodes, sizeof *done);
	if (done == NULL)
		return ctx_err_nomem(err);
	for (i = 0; i < view->n; i++) {
		const struct ctx_block *part = &view->parts[i];

		if (part->child == 0 || !gone[part->child - view->node] ||
		    done[part->parent - view->node])
			continue;
		done[part->parent - view->node] = true;
		if (drop_from(edits, view, part->parent, gone, err) < 0)
			goto out;
	}
	rc = 0;
out:
	free(done);
	return rc;
}

/* Notes the removal of all parts that go, container by container. */
static int
drop_parts(struct ctx_edits *edits, const struct ctx_message *view,
    const struct ctx_message_edit *fate, struct ctx_err *err)
{
	size_t nodes = view->json->nodes[view->node].next - view->node, i;
	bool *gone;
	int rc;

	gone = calloc(nodes, sizeof *gone);
	if (gone == NULL)
		return ctx_err_nomem(err);
	for (i = 0; i < view->n; i++)
		if (view->parts[i].child != 0 && view->parts[i].owner == 0 &&
		    goes(view, i, fate))
			gone[view->parts[i].child - view->node] = true;
	rc = ctx_edits_remove_nodes(edits, view, gone, err);
	free(gone);
	return rc;
}

static int
clear_results(struct ctx_edits *edits, const struct ctx_message *view,
    const struct ctx_dialect *dialect, const struct ctx_message_edit *fate,
    struct ctx_counter *counter, struct ctx_err *err)
{
	struct ctx_buf body = {0};
	struct ctx_str left;
	size_t i, result = 0;
	uint64_t saved;
	int rc = -1;

	for (i = 0; i < view->n; i++) {
		if (view->parts[i].kind != CTX_BLOCK_TOOL_RESULT)
			continue;
		if ((fate->spared != NULL && fate->spared[result++]) ||
		    goes_within(view, i, fate))
			continue;
		if (ctx_count_clear_savings(counter, dialect, view, i, &left,
			&saved, err) < 0)
			goto out;
		if (saved == 0)
			continue;
		body.n = 0;
		if (ctx_result_content_add(&body,
			ctx_result_content_form(view->json,
			    view->parts[i].value, dialect),
			left.p, left.n, err) < 0 ||
		    ctx_edits_replace(edits,
			ctx_json_str(view->json, view->parts[i].value), body.p,
			body.n, err) < 0)
			goto out;
	}
	rc = 0;
out:
	ctx_buf_release(&body);
	return rc;
}

int
ctx_edit_message(struct ctx_edits *edits, const struct ctx_message *view,
    const struct ctx_dialect *dialect, const struct ctx_message_edit *fate,
    struct ctx_counter *counter, bool *empty, struct ctx_err *err)
{
	size_t i;

	*empty = true;
	for (i = 0; i < view->n && *empty; i++)
		*empty = goes(view, i, fate);
	if (*empty)
		return 0;
	if (drop_parts(edits, view, fate, err) < 0)
		return -1;
	if (!(fate->results & CTX_MARK_CLEAR))
		return 0;
	return clear_results(edits, view, dialect, fate, counter, err);
}
