/* head_tail.c - shortens the texts of a message to their beginning and end */
#include "prune/held_conversation.h"
#include "truncate/text_segments.h"

static int
shorten_segments(struct prune *run, struct ctx_edits *edits,
    struct ctx_err *err)
{
	bool done;

	if (run->text_segments.n == 0)
		return 0;
	return ctx_shorten(&run->shortener, edits, &run->text_segments,
	    CTX_HEAD_TAIL_CHARS, &done, err);
}

int
ctx_head_tail_edit(struct prune *run, struct ctx_edits *edits,
    const struct ctx_message *message, const struct ctx_message_edit *edit,
    struct ctx_err *err)
{
	struct found_insertion inserted;
	size_t result = 0;

	run->shortener.unit = CTX_SIZE_CHARS;
	run->shortener.keep = CTX_KEEP_ENDS;
	run->shortener.head = 3;
	run->shortener.tail = 1;
	for (size_t i = 0;
	     (edit->results & CTX_MARK_HEAD_TAIL) && i < message->n; i++) {
		if (message->blocks[i].kind != CTX_BLOCK_TOOL_RESULT ||
		    (edit->spared != NULL && edit->spared[result++]))
			continue;
		if (ctx_text_segments_result(&run->text_segments, message, i,
			err) < 0 ||
		    shorten_segments(run, edits, err) < 0)
			return -1;
	}
	if (!(edit->rest & CTX_MARK_HEAD_TAIL))
		return 0;
	ctx_insertion_find(run->options, message, &inserted);
	/* Text that ctx has inserted as a summary or notice (text about removed
	 * messages) is not shortened.  User text in the same JSON string is not
	 * shortened, either. */
	if (ctx_text_segments_texts(&run->text_segments, message,
		inserted.summary || inserted.notice ? inserted.block
						    : message->n,
		err) < 0)
		return -1;
	return shorten_segments(run, edits, err);
}

int
ctx_head_tail_edit_copy(struct prune *run, struct ctx_edits *edits,
    size_t first, const struct ctx_message *message, bool clear,
    struct ctx_err *err)
{
	static const char list[] = "[\"" CTX_CLEARED "\"]";
	static const struct ctx_str cleared_list = {list, sizeof list - 1},
				    cleared = {list + 1, sizeof list - 3};
	const struct ctx_json *json = message->json;
	size_t result = ctx_result_copied(message);
	uint32_t node = 0;
	struct ctx_str text;

	if (result == message->n || message->blocks[result].payload == 0 ||
	    !ctx_edits_touch(edits, first,
		ctx_json_str(json, message->blocks[result].payload)))
		return 0;
	while ((node = ctx_result_copy_next(message, node)) != 0) {
		if (ctx_result_copy_chars(message, node) <= CTX_HEAD_TAIL_CHARS)
			continue;
		text = json->nodes[node].kind == CTX_JSON_STRING ? cleared
								 : cleared_list;
		if (clear ? ctx_edits_replace(edits, ctx_json_str(json, node),
				text.p, text.n, err) < 0
			  : ctx_text_segments_string(&run->text_segments,
				message, node, err) < 0 ||
			    shorten_segments(run, edits, err) < 0)
			return -1;
	}
	return 0;
}

int
ctx_prune_edit_savings(struct prune *run, struct ctx_edited_message edited,
    uint32_t *saved, struct ctx_err *err)
{
	struct ctx_cost before;
	uint64_t after;
	int rc;

	*saved = 0;
	if (run->message_edits.n == 0)
		return 0;
	edited.first = 0;
	edited.n = run->message_edits.n;
	rc = ctx_rewrite_count_edited(&run->rewrite, &edited,
	    &run->message_edits, &after, err);
	if (rc <= 0)
		return rc;
	if (ctx_count_message(edited.counter, edited.message, &before, err) < 0)
		return -1;
	if (after < before.tokens)
		*saved = ctx_limit_tokens(before.tokens - after);
	return 0;
}

int
ctx_head_tail_savings(struct prune *run,
    const struct ctx_edited_message *edited,
    const struct ctx_message_edit *edit, uint32_t *saved, struct ctx_err *err)
{
	const struct ctx_message *message = edited->message;
	struct ctx_str raw = ctx_json_str(message->json, message->node);

	*saved = 0;
	if (raw.n <= CTX_HEAD_TAIL_CHARS ||
	    (message->flags & CTX_MESSAGE_HIDDEN))
		return 0;
	ctx_edits_reset(&run->message_edits);
	if (ctx_head_tail_edit(run, &run->message_edits, message, edit, err) <
	    0)
		return -1;
	return ctx_prune_edit_savings(run, *edited, saved, err);
}
