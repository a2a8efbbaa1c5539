/*
 * repair_finding.c - makes the repair for a finding (a violation of a rule)
 *
 * A finding may be about a message before the current message.  If the earlier
 * message is inside a record, its parsed JSON is still in memory.  If it is a
 * record, its JSON is scanned again, because earlier repairs may have changed
 * the bytes.
 */
#include <string.h>

#include "check/repair.h"
#include "check/validator.h"

bool
ctx_repair_is_linked(const struct ctx_repair_entry *entry, bool inside)
{
	return entry->held.dialect->history != CTX_HISTORY_NONE && !inside;
}

/* Returns the bytes of a block in the input.  If the block can be removed only
 * together with its message, returns the bytes of the message. */
static struct ctx_str
get_block_bytes(const struct ctx_message *message,
    const struct ctx_block *block)
{
	return ctx_json_str(message->json,
	    block->removable != 0 ? block->removable : message->node);
}

/* Returns true if the repair changes only a cache breakpoint, so that what is
 * sent to the model remains the same. */
static bool
is_breakpoint_fix(const struct ctx_finding *finding)
{
	return finding->id == CTX_RULE_MANY_MARKERS ||
	    finding->id == CTX_RULE_BAD_MARKER;
}

/* Adds the edit that replaces bytes of a message.  If entry is NULL, the bytes
 * are in a part of the request outside its messages, such as the system
 * prompt. */
static int
apply_text_fix(struct ctx_repair *repair, struct ctx_repair_entry *entry,
    struct ctx_change *fix, struct ctx_err *err)
{
	const struct ctx_finding *finding = fix->finding;

	if (finding->old.p == NULL)
		return 0;
	fix->action = "edit";
	fix->bytes = finding->old;
	repair->renamed |= finding->id == CTX_RULE_BAD_ID;
	if (entry == NULL)
		repair->inner.changed |= !is_breakpoint_fix(finding);
	else if (!is_breakpoint_fix(finding))
		ctx_repair_note_change(entry,
		    (size_t)(finding->old.p -
			ctx_repair_text(repair, entry).p));
	return ctx_edits_replace(&repair->rewrite->edits, finding->old,
		   finding->replacement.p, finding->replacement.n, err) < 0
	    ? -1
	    : 1;
}

/* ---- messages that were checked before ---- */

/* The first cache breakpoint of a message. node is 0 if the message has no
 * breakpoint. */
struct first {
	uint32_t container, node;
};

static int
record_first_marker(void *user, const struct ctx_json *json, uint32_t container,
    uint32_t node, uint32_t marked, struct ctx_err *err)
{
	struct first *first = user;

	(void)json;
	(void)marked;
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

/* Removes the first cache breakpoint of a message that is a record.  Returns 1
 * and sets *old to the removed bytes; or 0 if there is no breakpoint; or -1
 * with *err. */
static int
remove_first_breakpoint(struct ctx_repair *repair,
    struct ctx_repair_entry *entry, struct ctx_str *old, struct ctx_err *err)
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

/* Replaces an image by a text, in a message that is a record. ordinal: index of
 * the image, counting only images that a text can replace.  Returns 1 and sets
 * *old to the replaced bytes; or 0 if there is no such image; or -1 with
 * *err. */
static int
replace_image(struct ctx_repair *repair, struct ctx_repair_entry *entry,
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

/* ---- the fix of a finding ---- */

/* Notes down that a user message must be inserted before a message in the
 * queue.  Does nothing if ctx has no template of such a message for this
 * format. */
static int
mark_leading_message(struct ctx_repair_entry *entry, struct ctx_change *fix)
{
	const char *text = entry->held.dialect->lead;

	if (text == NULL)
		return 0;
	entry->lead_before = true;
	fix->action = "insert";
	fix->bytes = (struct ctx_str){text, strlen(text)};
	return 1;
}

/* Makes the repair for fix->finding (a violation of a rule).  The message of
 * the finding is still in memory: it was not written yet. */
static int
apply_fix(struct ctx_repair *repair, struct ctx_repair_entry *entry,
    const struct ctx_message *message, struct ctx_change *fix,
    struct ctx_err *err)
{
	const struct ctx_finding *finding = fix->finding;
	enum ctx_fix_kind remedy = ctx_rule_at(finding->id)->remedy;
	int rc;

	if (remedy == CTX_FIX_NONE ||
	    (remedy == CTX_FIX_REMOVE_MEMBER && finding->node == 0))
		return 0;
	/* CTX_FIX_ADD_RESULT and CTX_FIX_ADD_FIRST insert a message, and do not
	 * change this message.  So the original of this message need not be
	 * archived. */
	if (remedy != CTX_FIX_ADD_RESULT && remedy != CTX_FIX_ADD_FIRST &&
	    ctx_repair_archive(repair, entry, err) < 0)
		return -1;
	switch (remedy) {
	case CTX_FIX_ADD_RESULT:
		rc =
		    ctx_repair_mark_result(repair, entry, message != NULL, fix);
		if (rc > 0 &&
		    ctx_repair_note_filled(repair, entry, finding, err) < 0)
			return -1;
		return rc;
	case CTX_FIX_MOVE_RESULT:
		fix->bytes = get_block_bytes(message,
		    &message->blocks[finding->block - 1]);
		rc = ctx_repair_take_late(repair, message, fix, err);
		return rc == 0 && finding->id == CTX_RULE_ORPHAN_RESULT ? 1
									: rc;
	case CTX_FIX_REMOVE_BLOCK:
		fix->bytes = get_block_bytes(message,
		    &message->blocks[finding->block - 1]);
		return 1;
	case CTX_FIX_REMOVE_MEMBER:
		repair->removed_member = finding->node;
		fix->bytes = ctx_json_str(message->json, finding->node + 1);
		return 1;
	case CTX_FIX_REMOVE_MESSAGE:
		entry->removed = true;
		repair->run_known = false;
		return 1;
	case CTX_FIX_ADD_FIRST:
		return mark_leading_message(entry, fix);
	case CTX_FIX_REPLACE_TEXT:
		return apply_text_fix(repair, entry, fix, err);
	case CTX_FIX_REMOVE_BREAKPOINT:
		if (finding->old.p != NULL)
			return apply_text_fix(repair, entry, fix, err);
		fix->action = "edit";
		return remove_first_breakpoint(repair, entry, &fix->bytes, err);
	case CTX_FIX_REPLACE_IMAGE:
		if (finding->old.p != NULL || finding->block == 0)
			return apply_text_fix(repair, entry, fix, err);
		fix->action = "edit";
		return replace_image(repair, entry, finding->block - 1,
		    &fix->bytes, err);
	default:
		return 0;
	}
}

int
ctx_repair_finding(struct ctx_repair *repair, const struct ctx_finding *finding,
    const struct ctx_message *message, struct ctx_change *fix,
    struct ctx_err *err)
{
	struct ctx_repair_entry *entry =
	    ctx_repair_find_entry(ctx_rewrite_queue(repair->rewrite,
				      finding->place.inside),
		finding->place.message);

	fix->finding = finding;
	repair->lost_result = false;
	if (finding->in_request) {
		fix->role = CTX_ROLE_OTHER;
		return apply_text_fix(repair, NULL, fix, err);
	}
	/* A message that was already written is not in the queue any more, so
	 * it cannot be repaired. */
	if (entry == NULL || ctx_repair_is_linked(entry, finding->place.inside))
		return 0;
	fix->role = entry->role;
	fix->bytes = ctx_repair_text(repair, entry);
	fix->action = "drop";
	return apply_fix(repair, entry, message, fix, err);
}
