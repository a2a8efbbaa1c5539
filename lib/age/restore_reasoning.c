/* restore_reasoning.c - puts back reasoning that ctx-age has removed */
#include <string.h>

#include "age/restoration.h"
#include "stream/bound_reasoning.h"

/* Returns true if this message or an earlier message may contain a reference to
 * a file.  If none does, ctx-age has not removed reasoning from this message,
 * and the file with its original is not looked for. */
static bool
has_seen_reference(struct restoration *restoration,
    const struct ctx_message *message)
{
	const struct ctx_json *json = message->json;

	for (size_t i = 0; !restoration->seen_reference && i < message->n; i++)
		restoration->seen_reference = message->blocks[i].payload != 0 &&
		    ctx_reference_may_be(
			ctx_json_str(json, message->blocks[i].payload));
	return restoration->seen_reference;
}

/* Reads the original of a message into restoration->unstripped.  The original
 * was stored before the reasoning was removed.  Returns 1, or 0 if no original
 * is stored, or -1 with *err. */
static int
read_reasoning_file(struct restoration *restoration,
    const struct ctx_event *event, struct ctx_err *err)
{
	struct ctx_str message =
	    ctx_json_str(event->message->json, event->node);
	enum ctx_aged_result_state state;
	int rc;

	if (ctx_reasoning_name(&restoration->name, message,
		&restoration->places[event->inside], err) < 0)
		return -1;
	rc = ctx_spool_get(&restoration->spool, restoration->name.p, MAX_FILE,
	    &restoration->unstripped, err);
	if (ctx_restore_check_file(rc, &state, err) < 0)
		return -1;
	return rc > 0;
}

/* Parses restoration->unstripped, a line with a message from the spool
 * (directory of stored results), into rewrite.text_message.  Removes the line
 * feed of the line, and the signed reasoning of the message.  Sets *is to true
 * if the result is equal to the message in the stream: the stored message is
 * then its original. */
static int
check_unstripped_message(struct restoration *restoration,
    const struct ctx_event *event, bool *is, struct ctx_err *err)
{
	struct ctx_str message =
	    ctx_json_str(event->message->json, event->node);
	struct ctx_message *original = &restoration->rewrite.text_message;
	struct ctx_json *json = &restoration->rewrite.text_json;
	struct ctx_buf *unstripped = &restoration->unstripped;
	int rc;

	*is = false;
	ctx_edits_reset(&restoration->strip_edits);
	restoration->stripped.n = 0;
	rc = ctx_restore_scan_line(json, unstripped, err);
	if (rc <= 0)
		return rc;
	unstripped->n--;
	rc = ctx_rewrite_read_scanned(&restoration->rewrite,
	    event->layout->dialect, event->message->flags, err);
	if (rc <= 0)
		return rc;
	if (ctx_bound_remove(&restoration->strip_edits, original, 0, err) < 0 ||
	    ctx_edits_apply(&restoration->strip_edits, ctx_buf_str(unstripped),
		&restoration->stripped, err) < 0)
		return -1;
	*is = restoration->stripped.n == message.n &&
	    memcmp(restoration->stripped.p, message.p, message.n) == 0;
	return 0;
}

/* Calls options->found for the file with the original of a message. is: true if
 * the file is the original of this message.  If false, the file is reported as
 * changed (CTX_AGED_CHANGED). */
static int
report_reasoning(struct restoration *restoration, const struct ctx_event *event,
    bool is, struct ctx_err *err)
{
	struct ctx_found_reference aged = {.file = event->record->file,
	    .line = event->record->line,
	    .state = is ? CTX_AGED_WHOLE : CTX_AGED_CHANGED};
	struct ctx_buf path = {0};
	int rc = 0;

	if (restoration->options->found == NULL)
		return 0;
	if (ctx_buf_printf(&path, err, "%s/%s", restoration->options->spool,
		restoration->name.p) < 0)
		return -1;
	aged.path = ctx_buf_str(&path);
	aged.name = ctx_buf_str(&restoration->name);
	aged.chars = ctx_utf8_count(restoration->unstripped.p,
	    restoration->unstripped.n);
	rc =
	    restoration->options->found(restoration->options->user, &aged, err);
	ctx_buf_release(&path);
	return rc;
}

/* Replaces a message by its original in restoration->unstripped.  First puts
 * moved tool results and media back into the original. first: number of the
 * first edit of this message. */
static int
restore_unstripped_message(struct restoration *restoration,
    const struct ctx_event *event, size_t first, struct ctx_err *err)
{
	struct ctx_event unstripped = *event;
	struct ctx_str text = {restoration->unstripped.p,
	    restoration->unstripped.n};

	unstripped.message = &restoration->rewrite.text_message;
	unstripped.node = 0;
	for (size_t i = 0; i < unstripped.message->n; i++)
		if (ctx_restore_block(restoration, &unstripped, i, first, err) <
		    0)
			return -1;
	restoration->stripped.n = 0;
	if (ctx_edits_apply_some(&restoration->rewrite.edits, first,
		restoration->rewrite.edits.n - first, text,
		&restoration->stripped, err) < 0)
		return -1;
	restoration->rewrite.edits.n = first;
	return ctx_edits_replace(&restoration->rewrite.edits,
	    ctx_json_str(event->message->json, event->node),
	    restoration->stripped.p, restoration->stripped.n, err);
}

int
ctx_restore_reasoning(struct restoration *restoration,
    const struct ctx_event *event, size_t first, struct ctx_err *err)
{
	bool is;
	int rc;

	if (!has_seen_reference(restoration, event->message) ||
	    event->message->role != CTX_ROLE_ASSISTANT)
		return 0;
	if (ctx_restore_open_spool(restoration, err) < 0)
		return -1;
	if (restoration->no_spool)
		return 0;
	rc = read_reasoning_file(restoration, event, err);
	if (rc <= 0)
		return rc;
	if (check_unstripped_message(restoration, event, &is, err) < 0 ||
	    report_reasoning(restoration, event, is, err) < 0)
		return -1;
	if (!is) {
		restoration->has_broken_reference = true;
		return 0;
	}
	if (restoration->keeps_reference[event->inside])
		return 0;
	return restore_unstripped_message(restoration, event, first, err) < 0
	    ? -1
	    : 1;
}
