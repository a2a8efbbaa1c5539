/* head_tail.c - a message cut to its ends */
#include "prune/held_conversation.h"
#include "truncate/text_segments.h"

static int
shorten_segments(struct prune *p, struct ctx_edits *edits,
    const struct ctx_dialect *dialect, struct ctx_err *err)
{
	bool done;

	if (p->text_segments.n == 0)
		return 0;
	return ctx_shorten(&p->cut, edits, &p->view, dialect, &p->text_segments,
	    CTX_HEAD_TAIL_CHARS, &done, err);
}

int
ctx_head_tail_note(struct prune *p, struct ctx_edits *edits,
    const struct ctx_dialect *dialect, bool results, bool texts,
    const bool *spared, struct ctx_err *err)
{
	const struct ctx_message *message = &p->view;
	struct found_insertion own;
	size_t i, result = 0;

	p->cut.unit = CTX_SIZE_CHARS;
	p->cut.keep = CTX_KEEP_ENDS;
	p->cut.head = 3;
	p->cut.tail = 1;
	for (i = 0; results && i < message->n; i++) {
		if (message->blocks[i].kind != CTX_BLOCK_TOOL_RESULT ||
		    (spared != NULL && spared[result++]))
			continue;
		if (ctx_text_segments_result(&p->text_segments, message,
			dialect, i, err) < 0 ||
		    shorten_segments(p, edits, dialect, err) < 0)
			return -1;
	}
	if (!texts)
		return 0;
	ctx_insertion_find(p->options, dialect, message, &own);
	/* A string that begins with a note is kept whole. */
	if (ctx_text_segments_texts(&p->text_segments, message,
		own.summary || own.notice ? own.part : message->n, err) < 0)
		return -1;
	return shorten_segments(p, edits, dialect, err);
}

int
ctx_head_tail_save(struct prune *p, const struct ctx_dialect *dialect,
    const struct ctx_message *message, struct ctx_counter *counter,
    bool results, bool texts, const bool *spared, uint64_t *saved,
    struct ctx_err *err)
{
	struct ctx_str raw = ctx_json_str(message->json, message->node);
	struct ctx_cost before, after;
	size_t used;

	*saved = 0;
	if (raw.n <= CTX_HEAD_TAIL_CHARS ||
	    (message->flags & CTX_MESSAGE_HIDDEN))
		return 0;
	ctx_edits_reset(&p->one);
	p->message.n = 0;
	if (ctx_dialect_read_message(dialect, message->json, message->node,
		&p->view, err) < 0 ||
	    ctx_head_tail_note(p, &p->one, dialect, results, texts, spared,
		err) < 0)
		return -1;
	if (p->one.n == 0)
		return 0;
	if (ctx_edits_apply(&p->one, raw, &p->message, err) < 0 ||
	    ctx_json_scan(&p->json, p->message.p, p->message.n, &used, err) <
		0 ||
	    ctx_count_message(counter, message, &before, err) < 0 ||
	    ctx_dialect_read_message(dialect, &p->json, 0, &p->view, err) < 0)
		return -1;
	p->view.flags = message->flags;
	if (ctx_count_message(counter, &p->view, &after, err) < 0)
		return -1;
	if (after.tokens < before.tokens)
		*saved = before.tokens - after.tokens;
	ctx_buf_reset(&p->message);
	return 0;
}
