/* keep_passages.c - removes from the text of a message the passages (a few
 * lines each) that the strategy does not keep, and counts the tokens that this
 * saves */
#include "prune/held_conversation.h"
#include "prune/plan.h"

/* Returns true if the first passage of a segment (message or part of one) must
 * be kept, because a notice (text that says that messages were removed) may be
 * inserted directly before it: in the same string, or in a block that the
 * provider joins with the text.  A token may then contain the end of the notice
 * and the beginning of the passage; the tokens of the notice were counted with
 * this beginning. */
static bool
keeps_start(const struct held_conversation *conversation,
    const struct ctx_message *message, size_t segment)
{
	return conversation->groups.segments[segment].notice_tokens > 0 &&
	    (ctx_insertion_is_string_content(message, 0) ||
		ctx_counter_joins_texts(conversation->model_counter.counter,
		    message->dialect));
}

/* Sets run->text_segments to the texts of a message of which passages are
 * removed: of its only tool result or, if it has none, of the message. */
static int
find_texts(struct prune *run, const struct ctx_message *message,
    struct ctx_err *err)
{
	if (message->blocks[0].kind == CTX_BLOCK_TOOL_RESULT)
		return ctx_text_segments_result(&run->text_segments, message, 0,
		    err);
	return ctx_text_segments_texts(&run->text_segments, message, message->n,
	    err);
}

int
ctx_prune_remove_passages(struct prune *run,
    struct held_conversation *conversation, struct ctx_edits *edits,
    const struct ctx_message *message, size_t segment, struct ctx_err *err)
{
	struct passages removed;

	if (ctx_scorer_find_removed(conversation->scorer, segment, &removed,
		err) < 0)
		return -1;
	if (removed.n == 0)
		return 0;
	if (find_texts(run, message, err) < 0)
		return -1;
	return ctx_passages_remove(&run->shortener, edits, &run->text_segments,
	    &removed, keeps_start(conversation, message, segment), err);
}

int
ctx_prune_count_passage_savings(struct prune *run,
    struct held_conversation *conversation, const struct prune_entry *entry,
    size_t i, struct ctx_err *err)
{
	const struct ctx_message *message = &run->rewrite.message;
	const struct ctx_edited_message edited = {.message = message,
	    .node = entry->held.node,
	    .counter = conversation->model_counter.counter};
	struct passages removed;

	conversation->groups.segments[i].passage_savings = 0;
	if (ctx_scorer_find_removed(conversation->scorer, i, &removed, err) < 0)
		return -1;
	if (removed.n == 0 ||
	    (entry->excluded_results != NULL && entry->excluded_results[0]))
		return 0;
	ctx_edits_reset(&run->message_edits);
	if (ctx_prune_reread(run, entry, err) < 0 ||
	    ctx_prune_remove_passages(run, conversation, &run->message_edits,
		message, i, err) < 0)
		return -1;
	return ctx_prune_edit_savings(run, edited,
	    &conversation->groups.segments[i].passage_savings, err);
}

int
ctx_prune_count_passages(struct prune *run,
    struct held_conversation *conversation, struct ctx_err *err)
{
	size_t i, first = 0;

	for (i = 0; i < conversation->entries->end; i++) {
		const struct prune_entry *entry =
		    ctx_prune_entry_at(conversation, i);

		if (entry->n_segments == 1 &&
		    ctx_prune_count_passage_savings(run, conversation, entry,
			first, err) < 0)
			return -1;
		first += entry->n_segments;
	}
	return 0;
}
