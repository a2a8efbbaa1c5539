/* edit_message.c - adds the edits of a message when a conversation is pruned:
 * blocks of the message are removed or shortened */
#include <stdlib.h>

#include "dialect/result_content.h"
#include "stream/stream.h"

/* Returns true if block i of a message will be removed. edit: what is planned
 * for the message. */
static bool
is_removed(const struct ctx_message *message, size_t i,
    const struct ctx_message_edit *edit)
{
	const struct ctx_block *block = &message->blocks[i];
	bool result =
	    block->kind == CTX_BLOCK_TOOL_RESULT || block->result_index != 0;

	if ((edit->rest & CTX_MARK_DROP_INSERTION) &&
	    edit->insertion_index == i + 1)
		return true;
	if ((result ? edit->results : edit->rest) & CTX_MARK_DROP)
		return true;
	return block->kind == CTX_BLOCK_REASONING &&
	    (edit->rest & CTX_MARK_STRIP);
}

/* Returns true if block i is a tool result inside the JSON of its tool call,
 * and this tool call will be removed. */
static bool
is_removed_with_call(const struct ctx_message *message, size_t i,
    const struct ctx_message_edit *edit)
{
	const struct ctx_block *result = &message->blocks[i],
			       *call = result - 1;

	return i > 0 && call->kind == CTX_BLOCK_TOOL_CALL &&
	    call->removable != 0 && is_removed(message, i - 1, edit) &&
	    result->payload > call->removable &&
	    result->payload < message->json->nodes[call->removable].next;
}

/* Adds the edits that remove children of the JSON array or object at the node
 * "parent".  The caller must pass all children that will be removed in one
 * call, because the commas between them are removed, too. removed: for each
 * JSON node of the message, true if the node is removed; set to false for these
 * children. */
static int
remove_from_container(struct ctx_edits *edits,
    const struct ctx_message *message, uint32_t parent, bool *removed,
    struct ctx_err *err)
{
	const struct ctx_node *nodes = message->json->nodes;
	bool object = nodes[parent].kind == CTX_JSON_OBJECT;
	size_t n = ctx_json_count(message->json, parent), i = 0;
	bool *drop;
	int rc;

	drop = calloc(n > 0 ? n : 1, sizeof *drop);
	if (drop == NULL)
		return ctx_err_nomem(err);
	for (uint32_t child = parent + 1; child < nodes[parent].next;
	     child = nodes[object ? child + 1 : child].next, i++) {
		if (removed[child - message->node] && object)
			ctx_edits_mark_member(message->json, parent, child,
			    drop);
		else if (removed[child - message->node])
			drop[i] = true;
		removed[child - message->node] = false;
	}
	rc = ctx_edits_remove(edits, message->json, parent, drop, err);
	free(drop);
	return rc;
}

int
ctx_edits_remove_nodes(struct ctx_edits *edits,
    const struct ctx_message *message, bool *removed, struct ctx_err *err)
{
	for (size_t i = 0; i < message->n; i++) {
		const struct ctx_block *block = &message->blocks[i];

		if (block->removable != 0 &&
		    removed[block->removable - message->node] &&
		    remove_from_container(edits, message, block->container,
			removed, err) < 0)
			return -1;
	}
	return 0;
}

int
ctx_edits_remove_blocks(struct ctx_edits *edits,
    const struct ctx_message *message, const bool *removed, struct ctx_err *err)
{
	size_t n = message->json->nodes[message->node].next - message->node;
	bool *nodes = calloc(n, sizeof *nodes);
	int rc;

	if (nodes == NULL)
		return ctx_err_nomem(err);
	for (size_t i = 0; i < message->n; i++)
		if (removed[i] && message->blocks[i].removable != 0)
			nodes[message->blocks[i].removable - message->node] =
			    true;
	rc = ctx_edits_remove_nodes(edits, message, nodes, err);
	free(nodes);
	return rc;
}

/* Adds the edits that remove those blocks of a message that *edit marks for
 * removal. */
static int
remove_blocks(struct ctx_edits *edits, const struct ctx_message *message,
    const struct ctx_message_edit *edit, struct ctx_err *err)
{
	bool *removed = calloc(message->n, sizeof *removed);
	int rc;

	if (removed == NULL)
		return ctx_err_nomem(err);
	for (size_t i = 0; i < message->n; i++)
		removed[i] = message->blocks[i].result_index == 0 &&
		    is_removed(message, i, edit);
	rc = ctx_edits_remove_blocks(edits, message, removed, err);
	free(removed);
	return rc;
}

static int
clear_results(struct ctx_edits *edits, const struct ctx_message *message,
    const struct ctx_message_edit *edit, struct ctx_counter *counter,
    struct ctx_err *err)
{
	struct ctx_buf body = {0};
	struct ctx_str left;
	size_t result = 0;
	uint64_t saved;
	int rc = -1;

	for (size_t i = 0; i < message->n; i++) {
		if (message->blocks[i].kind != CTX_BLOCK_TOOL_RESULT)
			continue;
		if ((edit->spared != NULL && edit->spared[result++]) ||
		    is_removed_with_call(message, i, edit))
			continue;
		if (ctx_count_clear_savings(counter, message, i, &left, &saved,
			err) < 0)
			goto out;
		if (saved == 0)
			continue;
		body.n = 0;
		if (ctx_result_content_add(&body,
			ctx_result_content_form(message->json,
			    message->blocks[i].payload, message->dialect),
			left.p, left.n, err) < 0 ||
		    ctx_edits_replace(edits,
			ctx_json_str(message->json, message->blocks[i].payload),
			body.p, body.n, err) < 0)
			goto out;
	}
	rc = 0;
out:
	ctx_buf_release(&body);
	return rc;
}

/* Removes the id of an item, by which it is linked to removed reasoning. */
static int
remove_id(struct ctx_edits *edits, const struct ctx_message *message,
    struct ctx_err *err)
{
	size_t n = message->json->nodes[message->node].next - message->node;
	bool *removed = calloc(n, sizeof *removed);
	int rc;

	if (removed == NULL)
		return ctx_err_nomem(err);
	removed[message->id_key - message->node] = true;
	rc = remove_from_container(edits, message, message->id_owner, removed,
	    err);
	free(removed);
	return rc;
}

int
ctx_edit_message(struct ctx_edits *edits, const struct ctx_message *message,
    const struct ctx_message_edit *edit, struct ctx_counter *counter,
    bool *empty, struct ctx_err *err)
{
	*empty = true;
	for (size_t i = 0; i < message->n && *empty; i++)
		*empty = is_removed(message, i, edit);
	if (*empty)
		return 0;
	if (remove_blocks(edits, message, edit, err) < 0 ||
	    ((edit->rest & CTX_MARK_UNLINK) && message->id_key != 0 &&
		remove_id(edits, message, err) < 0))
		return -1;
	if (!(edit->results & CTX_MARK_CLEAR))
		return 0;
	return clear_results(edits, message, edit, counter, err);
}
