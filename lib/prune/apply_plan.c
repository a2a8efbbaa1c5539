/*
 * apply_plan.c - makes the planned changes: removes and edits messages
 *
 * The original bytes of a message are archived before its first change.  A
 * message that is a line of its own is changed in memory at once.  The edits of
 * messages inside a record are collected, and made when the record is
 * written.
 */
#include <stdlib.h>

#include "prune/held_conversation.h"

/* Edits a message, and inserts a summary or notice into it as a block.  Makes
 * the edits in run->message_edits before the insertion, so that the edits
 * cannot shorten the inserted text.  Adds a single edit to run->rewrite.edits,
 * which replaces the whole message. text: JSON of the message.  If replace is
 * true, the new summary or notice replaces the one of an earlier run. */
static int
edit_and_insert(struct prune *run, struct held_conversation *conversation,
    const struct prune_entry *entry, struct ctx_str text, bool replace,
    struct ctx_err *err)
{
	size_t from = run->rewrite.edits.store.n;
	struct ctx_buf edited = {0};
	int rc = ctx_edits_apply(&run->message_edits, text, &edited, err);

	ctx_edits_reset(&run->message_edits);
	if (rc == 0)
		rc = ctx_rewrite_read_text(&run->rewrite, entry->held.dialect,
		    ctx_buf_str(&edited), 0, err);
	if (rc >= 0)
		rc = ctx_insertion_insert_block(run, conversation, entry,
		    &run->rewrite.text_message, replace, err);
	if (rc == 0)
		rc = ctx_edits_apply(&run->message_edits, ctx_buf_str(&edited),
		    &run->rewrite.edits.store, err);
	if (rc == 0)
		rc = ctx_edits_replace_stored(&run->rewrite.edits, text, from,
		    err);
	ctx_buf_release(&edited);
	return rc;
}

/* Adds the edits of a message in memory to run->rewrite.edits.  If a summary or
 * notice is inserted into the message, a single edit replaces the whole
 * message.  Sets *empty to true if the edits would leave no block of the
 * message. */
static int
collect_edits(struct prune *run, struct held_conversation *conversation,
    const struct prune_entry *entry, struct ctx_message_edit *edit, bool *empty,
    struct ctx_err *err)
{
	bool is_block = ctx_insertion_is_block(conversation, entry);
	struct ctx_edits *edits =
	    is_block ? &run->message_edits : &run->rewrite.edits;
	size_t first = run->rewrite.edits.n;
	struct found_insertion earlier;
	const struct ctx_message *message = &run->rewrite.message;
	struct ctx_str text;

	ctx_edits_reset(&run->message_edits);
	if (ctx_prune_reread(run, entry, err) < 0)
		return -1;
	text = ctx_json_str(message->json, message->node);
	if (edit->rest & CTX_MARK_DROP_INSERTION) {
		ctx_insertion_find(run->options, message, &earlier);
		/* Remove the summary or notice (text about removed messages) of
		 * an earlier run, unless a new summary or notice replaces
		 * it. */
		edit->insertion_index = is_block || earlier.user_text_at != 0
		    ? 0
		    : (uint32_t)earlier.block + 1;
		if (!is_block && earlier.user_text_at != 0 &&
		    ctx_insertion_remove(edits, message, &earlier, err) < 0)
			return -1;
	}
	if (ctx_edit_message(edits, message, edit,
		conversation->model_counter.counter, empty, err) < 0)
		return -1;
	if (*empty)
		return 0;
	if (ctx_head_tail_edit(run, edits, message, edit, err) < 0 ||
	    (((edit->rest | edit->results) & CTX_MARK_PASSAGES) &&
		ctx_prune_remove_passages(run, conversation, edits, message,
		    edit->segment, err) < 0))
		return -1;
	/* Some records contain a second copy of a tool result, which must also
	 * be edited.  Formats in which a summary or notice is inserted as a
	 * block have no such copies. */
	return is_block ? edit_and_insert(run, conversation, entry, text,
			      edit->rest & CTX_MARK_DROP_INSERTION, err)
			: ctx_head_tail_edit_copy(run, edits, first, message,
			      !(edit->results & CTX_MARK_HEAD_TAIL), err);
}

static void
remove_message(struct prune *run, struct held_conversation *conversation,
    struct prune_entry *entry)
{
	if (entry->transcript_line != 0)
		ctx_transcript_remove(run->rewrite.stream->transcript,
		    entry->transcript_line);
	ctx_rewrite_free_text(&run->rewrite, &entry->held);
	free(entry->excluded_results);
	entry->excluded_results = NULL;
	entry->is_removed = true;
	conversation->n_removed += ctx_prune_entry_is_removed(run, entry);
}

unsigned
ctx_prune_marks(const struct held_conversation *conversation,
    const struct prune_entry *entry, size_t first,
    struct ctx_message_edit *edit, uint32_t *kept)
{
	unsigned any = 0;

	*edit = (struct ctx_message_edit){.spared = entry->excluded_results,
	    .segment = first};
	*kept = 0;
	for (size_t i = first; i < first + entry->n_segments; i++) {
		unsigned marks =
		    conversation->plan.marks[i] & ~(unsigned)CTX_MARK_NOTICE;
		uint16_t flags = conversation->groups.segments[i].flags;

		any |= marks;
		*kept += !(marks & CTX_MARK_DROP);
		if (!(flags & CTX_SEGMENT_REST))
			edit->results = marks;
		if (!(flags & CTX_SEGMENT_RESULTS))
			edit->rest = marks;
	}
	return any;
}

/* Removes a message of which the edits leave no block, because all its blocks
 * are reasoning.  The caller must have parsed the message into
 * run->rewrite.message.  Sets the tokens of the message's segments (the message
 * or its parts) to 0.  Exception: if only the first of several lines of the
 * message in a session file is removed, the tokens for the message's role are
 * counted for the next line. */
static int
drop_empty(struct prune *run, struct held_conversation *conversation,
    struct prune_entry *entry, size_t first, struct ctx_err *err)
{
	struct ctx_segment *segments = &conversation->groups.segments[first];
	struct ctx_cost cost = {0};

	if (entry->transcript_line != 0 &&
	    !(entry->held.flags & CTX_MESSAGE_CONTINUES) &&
	    ctx_count_message(conversation->model_counter.counter,
		&run->rewrite.message, &cost, err) < 0)
		return -1;
	remove_message(run, conversation, entry);
	if (ctx_prune_entry_is_removed(run, entry))
		cost.framing = 0;
	for (size_t i = 0; i < entry->n_segments; i++) {
		if (conversation->plan.marks[first + i] & CTX_MARK_DROP)
			continue;
		conversation->plan.after -=
		    ctx_plan_left(&conversation->plan, first + i);
		segments[i].edited = ctx_limit_tokens(segments[i].edited +
		    segments[i].tokens - (i > 0 ? 0 : cost.framing));
		segments[i].tokens = segments[i].reasoning =
		    segments[i].clearable_tokens =
			segments[i].head_tail_savings =
			    segments[i].passage_savings =
				segments[i].shared_tokens = 0;
		if (i > 0)
			continue;
		segments[i].tokens = cost.framing;
		conversation->plan.after += cost.framing;
	}
	if (entry->pending != NULL)
		entry->pending->change.after = cost.framing;
	return 0;
}

/* Makes the planned changes of a message in memory. first: index of the
 * message's first segment (the message or a part of it). */
static int
apply_message_plan(struct prune *run, struct held_conversation *conversation,
    struct prune_entry *entry, size_t first, struct ctx_err *err)
{
	struct ctx_message_edit edit;
	uint32_t kept;
	unsigned any =
	    ctx_prune_marks(conversation, entry, first, &edit, &kept);
	bool empty = kept == 0;

	if (ctx_insertion_is_block(conversation, entry))
		any |= CTX_MARK_NOTICE;
	if (any == 0 || entry->is_removed) {
		if (entry->pending != NULL && kept == 0 &&
		    entry->n_segments > 0 &&
		    ctx_prune_record_change(run, conversation, entry, first,
			any, err) < 0)
			return -1;
		entry->n_segments = (uint8_t)kept;
		return 0;
	}
	if (!empty &&
	    (ctx_prune_load(run, entry, err) < 0 ||
		collect_edits(run, conversation, entry, &edit, &empty, err) <
		    0))
		return -1;
	if (ctx_prune_record_change(run, conversation, entry, first, any, err) <
	    0)
		return -1;
	if (!empty && entry->held.text != NULL &&
	    ctx_rewrite_edit_held(&run->rewrite, &entry->held,
		&run->rewrite.edits, err) < 0)
		return -1;
	if (empty && kept == 0)
		remove_message(run, conversation, entry);
	else if (empty && drop_empty(run, conversation, entry, first, err) < 0)
		return -1;
	entry->n_segments = (uint8_t)kept;
	return 0;
}

/* If a message is removed that has a summary or notice before it, moves the
 * summary or notice to the next kept message.  (This happens if the removed
 * message has only reasoning.)  If no later message is kept, the summary or
 * notice is not inserted. */
static void
move_insertions(struct held_conversation *conversation)
{
	struct prune_entry *entry;
	uint32_t moved = 0;

	for (size_t i = 0; i < conversation->entries->end; i++) {
		entry = ctx_prune_entry_at(conversation, i);
		if (entry->is_removed && entry->insertion_number != 0) {
			moved = entry->insertion_number;
			entry->insertion_number = 0;
		} else if (moved != 0 && !entry->is_removed &&
		    entry->insertion_number == 0 &&
		    entry->held.dialect != NULL) {
			entry->insertion_number = moved;
			moved = 0;
		}
	}
	if (moved != 0)
		conversation->plan.after -=
		    conversation->insertions[moved - 1].tokens;
}

int
ctx_prune_apply_plan(struct prune *run, struct held_conversation *conversation,
    bool ended, struct ctx_err *err)
{
	size_t n_segments, first = 0;

	ctx_plan_unlink_items(&conversation->plan);
	for (size_t i = 0; i < conversation->entries->end;
	     i++, first += n_segments) {
		n_segments = ctx_prune_entry_at(conversation, i)->n_segments;
		if (apply_message_plan(run, conversation,
			ctx_prune_entry_at(conversation, i), first, err) < 0)
			return -1;
	}
	move_insertions(conversation);
	if (ctx_insertions_compose(run, conversation, err) < 0)
		return -1;
	return ctx_prune_report_changes(run, conversation, ended, err);
}
