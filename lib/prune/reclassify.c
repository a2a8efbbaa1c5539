/*
 * reclassify.c - reads messages again when their dialect (format) becomes known
 *
 * Messages with only role and content do not identify a dialect.  Until a
 * message does, they are read as generic.  That says neither where a system
 * message must be kept nor in which form a summary can be inserted.
 */
#include <stdlib.h>

#include "prune/held_conversation.h"

struct reclassifying {
	struct prune *run;
	struct held_conversation *conversation;
	const struct ctx_dialect *dialect; /* the dialect that became known */
	struct ctx_json json;
	struct ctx_message message;
};

/* Reads job->message from job->json in the new dialect.  If the new dialect
 * does not find as many blocks as the old one, reads the message in the old
 * dialect.  Sets *cost to the tokens of the message in the old dialect. */
static int
reread_message(struct reclassifying *job, struct held_message *held,
    struct ctx_cost *cost, struct ctx_err *err)
{
	struct ctx_message *message = &job->message;
	size_t blocks;
	int rc;

	if (ctx_dialect_read_message(held->dialect, &job->json, 0, message,
		err) < 0 ||
	    ctx_count_message(job->conversation->model_counter.counter, message,
		cost, err) < 0)
		return -1;
	blocks = message->n;
	rc =
	    ctx_dialect_read_message(job->dialect, &job->json, 0, message, err);
	if (rc > 0 && message->n == blocks)
		held->dialect = job->dialect;
	else if (rc >= 0)
		rc = ctx_dialect_read_message(held->dialect, &job->json, 0,
		    message, err);
	return rc < 0 ? -1 : 0;
}

static int
reclassify_message(struct reclassifying *job, struct held_message *held,
    struct ctx_err *err)
{
	struct ctx_cost cost = {0};
	const struct ctx_event event = {.kind = CTX_EVENT_MESSAGE,
	    .message = &job->message,
	    .cost = &cost};
	size_t used;

	if (held->dialect == NULL)
		return ctx_prune_hold_unknown(job->conversation, held, err);
	free(held->excluded_results);
	held->excluded_results = NULL;
	if (ctx_json_scan(&job->json, held->text, held->n, &used, err) < 0 ||
	    reread_message(job, held, &cost, err) < 0)
		return -1;
	return ctx_prune_hold_message(job->run, job->conversation, held, &event,
	    err);
}

int
ctx_prune_reclassify(struct prune *run, struct held_conversation *conversation,
    const struct ctx_dialect *dialect, struct ctx_err *err)
{
	struct reclassifying job = {.run = run,
	    .conversation = conversation,
	    .dialect = dialect};
	size_t i;
	int rc = 0;

	ctx_groups_reset(&conversation->groups);
	if (conversation->scorer != NULL)
		ctx_scorer_reset(conversation->scorer);
	conversation->notice_cost_dialect = conversation->notice_unsupported =
	    NULL;
	ctx_json_init(&job.json, run->counters->simd);
	for (i = 0; i < conversation->n && rc == 0; i++)
		rc = reclassify_message(&job, &conversation->messages[i], err);
	ctx_message_release(&job.message);
	ctx_json_release(&job.json);
	return rc;
}
