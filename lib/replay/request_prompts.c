/* request_prompts.c - finds which messages each request of a session has
 * sent */
#include "replay/recorded_session.h"

/* Appends the messages of the session with the indexes "first" to "end" - 1 to
 * the prompt that ends at *node.  Sets *node to the last appended message.
 * Leaves out messages that are never sent and, if active is not NULL, lines of
 * the session file that were not active (sent to the model). */
static int
append_messages(struct ctx_replay_session *session, uint32_t *node,
    const struct ctx_transcript *active, size_t first, size_t end,
    struct ctx_err *err)
{
	const struct replay_message *message;
	unsigned flags = 0;

	for (size_t i = first; i < end; i++) {
		message = &session->messages[i];
		if (message->is_never_sent ||
		    (active != NULL && message->line != 0 &&
			!ctx_transcript_is_active(active, message->line,
			    &flags)))
			continue;
		if (ctx_prompt_tree_append(&session->tree, node, &message->sent,
			err) < 0)
			return -1;
	}
	return 0;
}

/* Returns true if the lines of a session file after the line "from", up to the
 * line "to", only append messages.  The prompt then still has all earlier
 * messages. */
static bool
are_appended(const struct ctx_transcript *transcript, uint32_t from,
    uint32_t to)
{
	for (; from < to; to--)
		if (!ctx_transcript_line(transcript, to)->is_appended)
			return false;
	return true;
}

size_t
ctx_replay_response_end(const struct ctx_replay_session *session,
    size_t request)
{
	return request + 1 < session->n_requests
	    ? session->requests[request + 1].first
	    : session->n;
}

int
ctx_replay_append_response(const struct ctx_replay_session *session,
    const struct replay_request *request, struct prompt_tree *tree,
    uint32_t *node, struct ctx_err *err)
{
	uint32_t number = (uint32_t)(request - session->requests) + 1;
	size_t end = ctx_replay_response_end(session, number - 1), i;
	const struct replay_message *message;

	for (i = request->first; i < end; i++) {
		message = &session->messages[i];
		if (message->answers != number)
			continue;
		if (ctx_prompt_tree_append(tree, node, &message->sent, err) < 0)
			return -1;
	}
	return 0;
}

int
ctx_replay_find_prompts(struct ctx_replay_session *session,
    struct ctx_transcript *transcript, struct ctx_err *err)
{
	struct replay_request *request;
	uint32_t node = 0, line = 0;
	size_t done = 0;

	if (ctx_prompt_tree_reset(&session->tree, err) < 0)
		return -1;
	for (size_t i = 0; i < session->n_requests; i++) {
		request = &session->requests[i];
		if (request->line == 0 ||
		    are_appended(transcript, line, request->line)) {
			if (append_messages(session, &node, NULL, done,
				request->first, err) < 0)
				return -1;
		} else {
			node = 0;
			if (ctx_transcript_decide_before(transcript,
				request->line, err) < 0 ||
			    append_messages(session, &node, transcript, 0,
				request->first, err) < 0)
				return -1;
		}
		request->prompt = request->answered = node;
		done = request->first;
		line = request->line;
		if (ctx_replay_append_response(session, request, &session->tree,
			&request->answered, err) < 0)
			return -1;
	}
	return 0;
}
