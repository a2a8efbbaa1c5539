/*
 * repair_earlier.c - repairs messages that were checked before the current
 * message
 *
 * A finding (violation of a rule) may be about an earlier message.  If the
 * earlier message is inside a record, its parsed JSON is still in memory.  If
 * it is a record, its JSON is scanned again, because earlier repairs may have
 * changed the bytes.
 */

#include "check/validator.h"
#include "check/repair.h"

/* The first cache breakpoint of a message. node is 0 if the message has no
 * breakpoint. */
struct first {
	uint32_t container, node;
};

static int
record_first_marker(void *user, const struct ctx_json *json, uint32_t container,
    uint32_t node, struct ctx_err *err)
{
	struct first *first = user;

	(void)json;
	(void)err;
	if (first->node == 0)
		*first = (struct first){container, node};
	return 0;
}

/* Replaces bytes of a message in the queue. piece: the old bytes; with: the new
 * bytes.  Sets *old to a copy of the old bytes, because the message gets new
 * memory.  Returns 1, or -1 with *err. */
static int
replace_in_entry(struct ctx_repair *repair, struct ctx_repair_entry *entry,
    struct ctx_str piece, struct ctx_str with, struct ctx_str *old,
    struct ctx_err *err)
{
	repair->removed.n = 0;
	if (ctx_buf_add(&repair->removed, piece.p, piece.n, err) < 0 ||
	    ctx_edits_replace(&repair->entry_edits, piece, with.p, with.n,
		err) < 0 ||
	    ctx_rewrite_edit_held(repair->rewrite, &entry->held,
		&repair->entry_edits, err) < 0)
		return -1;
	*old = (struct ctx_str){repair->removed.p, repair->removed.n};
	return 1;
}

int
ctx_repair_breakpoint(struct ctx_repair *repair, struct ctx_repair_entry *entry,
    struct ctx_str *old, struct ctx_err *err)
{
	const struct ctx_breakpoint_format *format =
	    ctx_breakpoint_format_any(entry->held.dialect);
	const struct ctx_json *json = &repair->rewrite->text_json;
	struct ctx_str text = ctx_repair_text(repair, entry), span;
	struct first first = {0, 0};

	if (format == NULL)
		return 0;
	if (ctx_rewrite_read_text(repair->rewrite, entry->held.dialect, text, 0,
		err) < 0 ||
	    ctx_breakpoint_each(format, json,
		ctx_breakpoint_content(format, json, 0), &first,
		record_first_marker, err) < 0)
		return -1;
	if (first.node == 0)
		return 0;
	span = ctx_child_span(json, first.container, first.node, false);
	if (entry->changed_from != SIZE_MAX &&
	    entry->changed_from > (size_t)(span.p - text.p))
		entry->changed_from -= span.n;
	return replace_in_entry(repair, entry, span, (struct ctx_str){"", 0},
	    old, err);
}

int
ctx_repair_image(struct ctx_repair *repair, struct ctx_repair_entry *entry,
    size_t ordinal, struct ctx_str *old, struct ctx_err *err)
{
	const struct ctx_message *message = &repair->rewrite->text_message;
	const struct ctx_json *json = &repair->rewrite->text_json;
	uint32_t block = 0;
	int rc = ctx_rewrite_read_text(repair->rewrite, entry->held.dialect,
	    ctx_repair_text(repair, entry), 0, err);

	if (rc <= 0)
		return rc;
	if (!ctx_image_find(message, ordinal, &repair->spare, &block, err))
		return -1;
	if (block == 0)
		return 0;
	if (ctx_image_replace(&repair->added, &repair->spare,
		entry->held.dialect, json, block, err) < 0)
		return -1;
	ctx_repair_note_change(entry, json->nodes[block].at);
	return replace_in_entry(repair, entry, ctx_json_str(json, block),
	    (struct ctx_str){repair->added.p, repair->added.n}, old, err);
}
