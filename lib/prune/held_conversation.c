/* held_conversation.c - keeps the messages of a conversation in memory until
 * it is decided which are removed */
#include <stdlib.h>
#include <string.h>

#include "prune/held_conversation.h"

struct held_message *
ctx_held_conversation_add(struct held_conversation *conversation,
    struct ctx_err *err)
{
	struct held_message *messages, *held;

	messages = ctx_grow(conversation->messages, &conversation->cap,
	    conversation->n + 1, sizeof *messages, err);
	if (messages == NULL)
		return NULL;
	conversation->messages = messages;
	held = &messages[conversation->n++];
	memset(held, 0, sizeof *held);
	return held;
}

void
ctx_held_conversation_clear(struct held_conversation *conversation)
{
	size_t i;

	for (i = 0; i < conversation->n; i++) {
		free(conversation->messages[i].text);
		free(conversation->messages[i].excluded_results);
		free(conversation->messages[i].pending);
	}
	conversation->n = 0;
	conversation->bytes = 0;
	conversation->compact_at = 0;
	conversation->n_removed = 0;
	conversation->n_insertions = 0;
	conversation->inserted_json.n = 0;
	conversation->notice_unsupported = conversation->notice_cost_dialect =
	    NULL;
	if (conversation->scorer != NULL)
		ctx_scorer_reset(conversation->scorer);
	conversation->open = conversation->format_known = false;
	ctx_groups_reset(&conversation->groups);
}

void
ctx_held_conversation_release(struct held_conversation *conversation)
{
	if (conversation->groups.calls != NULL)
		ctx_held_conversation_clear(conversation);
	free(conversation->messages);
	free(conversation->insertions);
	ctx_buf_release(&conversation->inserted_json);
	ctx_groups_release(&conversation->groups);
	ctx_plan_release(&conversation->plan);
	ctx_scorer_close(conversation->scorer);
	memset(conversation, 0, sizeof *conversation);
}

int
ctx_prune_reread(struct prune *run, const struct held_message *held,
    struct ctx_err *err)
{
	const struct ctx_json *json = run->source;
	size_t used;

	if (held->text != NULL) {
		json = &run->json;
		if (ctx_json_scan(&run->json, held->text, held->n, &used, err) <
		    0)
			return -1;
	}
	return ctx_dialect_read_message(held->dialect, json, held->node,
	    &run->message, err);
}

struct ctx_str
ctx_held_message_bytes(const struct prune *run, const struct held_message *held)
{
	if (held->text == NULL)
		return ctx_json_str(run->source, held->node);
	return (struct ctx_str){held->text, held->n};
}

bool
ctx_held_message_is_removed(const struct prune *run,
    const struct held_message *held)
{
	return held->is_removed &&
	    (held->transcript_line == 0 ||
		!ctx_transcript_message_is_kept(run->rewrite.stream->transcript,
		    held->transcript_line));
}

bool
ctx_held_message_is_reported(const struct prune *run,
    const struct held_message *held)
{
	return held->transcript_line != 0 &&
	    !ctx_transcript_first_of_message(run->rewrite.stream->transcript,
		held->transcript_line);
}

char *
ctx_prune_apply_edits(struct prune *run, struct ctx_str text, size_t *n,
    struct ctx_err *err)
{
	struct ctx_buf out = {0};

	if (ctx_buf_reserve(&out, text.n + run->rewrite.edits.store.n + 1,
		err) < 0 ||
	    ctx_edits_apply(&run->rewrite.edits, text, &out, err) < 0) {
		ctx_buf_release(&out);
		return NULL;
	}
	ctx_edits_reset(&run->rewrite.edits);
	*n = out.n;
	return ctx_buf_take(&out);
}

int
ctx_held_message_apply_edits(struct prune *run,
    struct held_conversation *conversation, struct held_message *held,
    struct ctx_err *err)
{
	size_t n;
	char *text = ctx_prune_apply_edits(run,
	    ctx_held_message_bytes(run, held), &n, err);

	if (text == NULL)
		return -1;
	free(held->text);
	held->text = text;
	conversation->bytes -= held->n;
	held->n = n;
	conversation->bytes += held->n;
	return 0;
}
