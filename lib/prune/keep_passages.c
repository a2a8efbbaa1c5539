/* keep_passages.c - removes from the text of a message the passages (a few
 * lines each) that the strategy does not keep, and counts the tokens that this
 * saves */
#include "prune/held_conversation.h"
#include "prune/plan.h"

/* Returns true if the first passage of a segment (message or part of one) must
 * be kept, because a notice (text that says that messages were removed) may be
 * inserted before it: in the same string, or in a block that the provider joins
 * with the text.  The end of the notice and the beginning of the passage may be
 * one token, so the tokens of the notice were counted together with this
 * passage. */
static bool
keeps_start(const struct held_conversation *conversation,
    const struct ctx_message *message, size_t segment)
{
	return conversation->groups.segments[segment].notice_tokens > 0 &&
	    (ctx_insertion_is_string_content(message, 0) ||
		ctx_counter_joins_texts(conversation->model_counter.counter,
		    message->dialect));
}

/* Sets run->text_segments to the texts from which passages are removed.  If
 * block i is a tool result, these are the texts of this result.  Otherwise they
 * are the texts of the message outside its tool results. */
static int
find_texts(struct prune *run, const struct ctx_message *message, size_t i,
    struct ctx_err *err)
{
	if (message->blocks[i].kind == CTX_BLOCK_TOOL_RESULT)
		return ctx_text_segments_result(&run->text_segments, message, i,
		    err);
	return ctx_text_segments_texts(&run->text_segments, message, message->n,
	    err);
}

/* Removes from the beginning of the list *all the passages that belong to one
 * tool result or tool call, and sets *first to these passages.  Returns false
 * if *all is empty. */
static bool
take_result(struct passages *all, struct passages *first)
{
	*first = *all;
	for (first->n = 0; first->n < all->n &&
	     first->list[first->n].result == first->list->result;)
		first->n++;
	all->list += first->n;
	all->n -= first->n;
	return first->n > 0;
}

/* Cuts the arguments of the tool call that is block i. */
static int
cut_arguments(struct prune *run, struct ctx_edits *edits,
    const struct ctx_message *message, size_t i, struct ctx_err *err)
{
	uint32_t args = message->blocks[i].payload;
	struct ctx_str raw = ctx_json_str(message->json, args);
	size_t chars = ctx_json_is_string(message->json, args)
	    ? ctx_json_string_chars(raw)
	    : ctx_utf8_count(raw.p, raw.n);
	char mark[CTX_ARGUMENT_MARK];

	ctx_argument_mark(mark, chars, "characters");
	return ctx_shorten_arguments(&run->shortener, edits, message->json,
	    args, mark, err);
}

/* Removes passages that belong to one tool result, or to the texts of the
 * message, or cuts the arguments of a tool call. */
static int
remove_from_block(struct prune *run, struct ctx_edits *edits,
    const struct ctx_message *message, const struct passages *removed,
    bool keep_start, struct ctx_err *err)
{
	size_t i = removed->list->result;

	if (removed->list->to == 0)
		return cut_arguments(run, edits, message, i, err);
	if (find_texts(run, message, i, err) < 0)
		return -1;
	return ctx_passages_remove(&run->shortener, edits, &run->text_segments,
	    removed, keep_start, err);
}

int
ctx_prune_remove_passages(struct prune *run,
    struct held_conversation *conversation, struct ctx_edits *edits,
    const struct ctx_message *message, size_t segment, struct ctx_err *err)
{
	bool keep_start = keeps_start(conversation, message, segment);
	struct passages removed, of_result;

	if (ctx_scorer_find_removed(conversation->scorer, segment, &removed,
		err) < 0)
		return -1;
	while (take_result(&removed, &of_result)) {
		if (remove_from_block(run, edits, message, &of_result,
			keep_start, err) < 0)
			return -1;
		keep_start = false;
	}
	return 0;
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
	if (removed.n == 0)
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
	size_t first = 0;

	for (size_t i = 0; i < conversation->entries->end; i++) {
		const struct prune_entry *entry =
		    ctx_prune_entry_at(conversation, i);

		/* If a message has two segments (parts), the first one has the
		 * tool results. */
		if (entry->n_segments > 0 &&
		    ctx_prune_count_passage_savings(run, conversation, entry,
			first, err) < 0)
			return -1;
		first += entry->n_segments;
	}
	return 0;
}
