/* held_conversation.c - keeps the messages of a conversation in memory until
 * ctx-prune has decided which of them are removed */
#include <stdlib.h>
#include <string.h>

#include "prune/held_conversation.h"

void
ctx_held_conversation_clear(struct held_conversation *conversation)
{
	ctx_held_queue_clear(conversation->entries);
	conversation->compact_at = 0;
	conversation->n_removed = 0;
	conversation->n_insertions = 0;
	conversation->inserted_json.n = 0;
	conversation->notice_unsupported = conversation->notice_cost_dialect =
	    NULL;
	ctx_scorer_reset(conversation->scorer);
	conversation->open = conversation->format_known = false;
	ctx_groups_reset(&conversation->groups);
}

void
ctx_held_conversation_release(struct held_conversation *conversation)
{
	if (conversation->groups.calls != NULL)
		ctx_held_conversation_clear(conversation);
	free(conversation->insertions);
	ctx_buf_release(&conversation->inserted_json);
	ctx_groups_release(&conversation->groups);
	ctx_plan_release(&conversation->plan);
	ctx_scorer_close(conversation->scorer);
	memset(conversation, 0, sizeof *conversation);
}

bool
ctx_prune_entry_is_removed(const struct prune *run,
    const struct prune_entry *entry)
{
	return entry->is_removed &&
	    (entry->transcript_line == 0 ||
		!ctx_transcript_message_is_kept(run->rewrite.stream->transcript,
		    entry->transcript_line));
}

bool
ctx_prune_entry_is_reported(const struct prune *run,
    const struct prune_entry *entry)
{
	return entry->transcript_line != 0 &&
	    !ctx_transcript_first_of_message(run->rewrite.stream->transcript,
		entry->transcript_line);
}

/* Returns true if entry i, a record that is not a message, shares the segment
 * (unit that is kept or removed) of the entry before it.  Both must be lines of
 * a session file that are not messages, and the strategy must decide only at
 * the end: the ranks then do not depend on the number of such lines.  Other
 * strategies free messages early, and need a segment for each entry. */
static bool
shares_segment(const struct prune *run,
    const struct held_conversation *conversation, size_t i)
{
	const struct prune_entry *before;

	if (i == 0 || !run->options->settings.strategy->needs_all ||
	    ctx_prune_entry_at(conversation, i)->transcript_line == 0)
		return false;
	before = ctx_prune_entry_at(conversation, i - 1);
	return before->held.dialect == NULL && before->transcript_line != 0;
}

int
ctx_prune_hold_unknown(const struct prune *run,
    struct held_conversation *conversation, size_t i, struct ctx_err *err)
{
	struct prune_entry *entry = ctx_prune_entry_at(conversation, i);

	entry->held.dialect = NULL;
	entry->n_segments = !shares_segment(run, conversation, i);
	entry->message_index = conversation->groups.messages;
	if (entry->n_segments == 0)
		return 0;
	return ctx_groups_add_unknown(&conversation->groups,
	    entry->transcript_line != 0, err);
}
