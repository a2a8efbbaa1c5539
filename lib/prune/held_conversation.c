/* held_conversation.c - a conversation while it is held */
#include <stdlib.h>
#include <string.h>

#include "prune/held_conversation.h"

struct held_message *
ctx_held_conversation_entry(struct held_conversation *convo,
    struct ctx_err *err)
{
	struct held_message *entries, *entry;

	entries = ctx_grow(convo->entries, &convo->cap, convo->n + 1,
	    sizeof *entries, err);
	if (entries == NULL)
		return NULL;
	convo->entries = entries;
	entry = &entries[convo->n++];
	memset(entry, 0, sizeof *entry);
	return entry;
}

void
ctx_held_conversation_clear(struct held_conversation *convo)
{
	size_t i;

	for (i = 0; i < convo->n; i++) {
		free(convo->entries[i].text);
		free(convo->entries[i].spared);
		free(convo->entries[i].told);
	}
	convo->n = 0;
	convo->bytes = 0;
	convo->look_at = 0;
	convo->gone = 0;
	convo->n_notes = 0;
	convo->ours.n = 0;
	convo->unnoted = convo->priced = NULL;
	if (convo->scorer != NULL)
		ctx_scorer_reset(convo->scorer);
	convo->open = convo->told = false;
	ctx_groups_reset(&convo->groups);
}

void
ctx_held_conversation_release(struct held_conversation *convo)
{
	if (convo->groups.calls != NULL)
		ctx_held_conversation_clear(convo);
	free(convo->entries);
	free(convo->notes);
	ctx_buf_release(&convo->ours);
	ctx_groups_release(&convo->groups);
	ctx_plan_release(&convo->plan);
	ctx_scorer_close(convo->scorer);
	memset(convo, 0, sizeof *convo);
}
