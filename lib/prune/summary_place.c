/* summary_place.c - finds the place in a conversation at which a summary is
 * inserted */
#include "prune/write_summary.h"

/* Finds the place for a summary that becomes a separate message.  Sets *place
 * to the message before which the summary is inserted.  The place is after the
 * system messages and the agent's own summary at the beginning of the
 * conversation.  Exception: if the format allows system messages at any place,
 * the summary may also be inserted before system messages. */
static int
find_message_place(const struct held_conversation *conversation,
    const struct ctx_dialect *dialect, size_t *place, struct ctx_err *err)
{
	unsigned leads =
	    CTX_SEGMENT_SYSTEM | CTX_SEGMENT_UNKNOWN | CTX_SEGMENT_COMPACTED;
	size_t i, first = 0;
	bool system = false;

	if (dialect->rules & CTX_SYSTEM_BETWEEN)
		leads &= ~(unsigned)CTX_SEGMENT_SYSTEM;
	for (i = 0; i < conversation->entries->end;
	     first += ctx_prune_entry_at(conversation, i)->n_segments, i++) {
		const struct ctx_segment *segment =
		    &conversation->groups.segments[first];

		if (ctx_prune_entry_at(conversation, i)->is_removed ||
		    ctx_prune_entry_at(conversation, i)->n_segments == 0 ||
		    (conversation->plan.marks[first] & CTX_MARK_DROP))
			continue;
		system |= segment->role == CTX_ROLE_SYSTEM;
		if (!(segment->flags & leads))
			break;
	}
	*place = i;
	if (i == conversation->entries->end ||
	    (system && (dialect->rules & CTX_ONE_SYSTEM)))
		return ctx_err_set(err, CTX_EARG,
		    "no summary can be inserted into a conversation of dialect "
		    "%s that has a system message; choose another strategy",
		    dialect->name);
	return 0;
}

/* Finds the place for a summary that becomes a block.  Sets *place to the first
 * kept user message that begins a turn.  Returns 1 if there is such a message,
 * 0 if not, or -1 with *err. */
static int
find_block_place(struct prune *run,
    const struct held_conversation *conversation, size_t *place,
    struct ctx_err *err)
{
	size_t k = 0;

	for (size_t i = 0; i < conversation->entries->end; i++)
		for (size_t j = 0;
		     j < ctx_prune_entry_at(conversation, i)->n_segments;
		     j++, k++) {
			if (!(conversation->groups.segments[k].flags &
				CTX_SEGMENT_USER) ||
			    (conversation->plan.marks[k] & CTX_MARK_DROP))
				continue;
			if (ctx_prune_reread(run,
				ctx_prune_entry_at(conversation, i), err) < 0)
				return -1;
			*place = i;
			if (ctx_prune_entry_at(conversation, i)
				    ->held.dialect->insertion_block != NULL &&
			    ctx_insertion_fits(&run->rewrite.message))
				return 1;
		}
	return 0;
}

int
ctx_prune_find_summary_place(struct prune *run,
    const struct held_conversation *conversation,
    const struct ctx_dialect *dialect, struct summary_place *place,
    struct ctx_err *err)
{
	const struct ctx_dialect *there;
	int rc = 0;

	if (dialect->insertion_block != NULL)
		rc = find_block_place(run, conversation, &place->message_index,
		    err);
	if (rc < 0)
		return -1;
	place->is_block = rc > 0;
	if (place->is_block)
		return 0;
	if (dialect->summary == NULL)
		return ctx_err_set(err, CTX_EARG,
		    "no summary can be inserted into a conversation of dialect "
		    "%s that has no user message; choose another strategy",
		    dialect->name);
	if (find_message_place(conversation, dialect, &place->message_index,
		err) < 0)
		return -1;
	there = ctx_prune_entry_at(conversation, place->message_index)
		    ->held.dialect;
	if (there->summary != NULL)
		return 0;
	return ctx_err_set(err, CTX_EARG,
	    "no summary can be inserted before a message of dialect %s; choose "
	    "another strategy",
	    there->name);
}
