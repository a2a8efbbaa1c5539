/* recorded_session.c - reads a recorded session: its messages, and, with
 * session_requests.c, the requests to which the model's messages are the
 * responses */
#include <stdlib.h>
#include <string.h>

#include "prune/held_conversation.h"
#include "replay/session_reading.h"

/* ---- messages ---- */

/* Computes a hash of everything in a message that is sent to the model.  Equal
 * messages of two prompts have the same hash. */
static int
hash_message(struct session_reading *reading, const struct ctx_message *message,
    uint64_t *hash, struct ctx_err *err)
{
	struct ctx_buf *text = &reading->text;
	const char role = (char)message->role;

	text->n = 0;
	if (ctx_buf_add(text, &role, 1, err) < 0)
		return -1;
	for (size_t i = 0; i < message->n; i++) {
		const struct ctx_block *block = &message->blocks[i];
		const uint32_t nodes[] = {block->payload, block->id,
		    block->name};
		const char head[] = {(char)block->kind,
		    block->result_index != 0};

		if (ctx_buf_add(text, head, sizeof head, err) < 0)
			return -1;
		for (size_t k = 0; k < CTX_LENGTH(nodes); k++) {
			if (nodes[k] != 0 &&
			    ctx_buf_add_str(text,
				ctx_json_str(message->json, nodes[k]), err) < 0)
				return -1;
			if (ctx_buf_add(text, "", 1, err) < 0)
				return -1;
		}
	}
	*hash = ctx_hash(&reading->key, text->p, text->n);
	return 0;
}

/* Sets *time to the timestamp of a message, in milliseconds since 1970;
 * INT64_MIN if the message has none. */
static int
read_time(struct session_reading *reading, const struct ctx_message *message,
    int64_t *time, struct ctx_err *err)
{
	struct ctx_str text;

	*time = INT64_MIN;
	if (message->time == 0)
		return 0;
	reading->text.n = 0;
	if (ctx_json_text(message->json, message->time, &reading->text, &text,
		err) < 0)
		return -1;
	if (!ctx_time_parse(text.p, text.n, time))
		*time = INT64_MIN;
	return 0;
}

/* Sets open->model to the model that wrote a response: the model that the
 * message names.  If it names none, the model that the session has named
 * last. */
static int
find_response_model(struct session_reading *reading, struct open_session *open,
    const struct ctx_json *json, uint32_t node, struct ctx_err *err)
{
	struct ctx_str name;

	if (!ctx_json_is_string(json, node))
		return 0;
	name = ctx_json_str(json, node);
	if (open->model != NULL && reading->literal.n == name.n &&
	    memcmp(reading->literal.p, name.p, name.n) == 0)
		return 0;
	reading->literal.n = 0;
	if (ctx_buf_add_str(&reading->literal, name, err) < 0)
		return -1;
	return ctx_model_counters_model(reading->counters, name, &open->model,
	    err);
}

/* Appends an empty message to the session.  Returns this message, or NULL with
 * *err. */
static struct replay_message *
add_message(struct ctx_replay_session *session, struct ctx_err *err)
{
	if (CTX_GROW(session->messages, session->cap, session->n + 1, err) < 0)
		return NULL;
	memset(&session->messages[session->n], 0, sizeof *session->messages);
	session->messages[session->n].sent.number = (uint32_t)session->n;
	return &session->messages[session->n++];
}

/* ---- events ---- */

static void
forget_messages(struct ctx_replay_session *session)
{
	for (size_t i = 0; i < session->n; i++) {
		free(session->messages[i].text);
		free(session->messages[i].cost);
	}
	session->n = 0;
}

/* If messages are kept for ctx_replay_pruned: copies the bytes, dialect
 * (format) and token counts of a message, so that it can be parsed again. */
static int
keep_message(struct session_reading *reading, const struct ctx_event *event,
    struct replay_message *message, const struct ctx_cost *cost,
    struct ctx_err *err)
{
	struct ctx_str text = ctx_json_str(event->record->json, event->node);

	if (!reading->keeps_messages)
		return 0;
	message->cost = malloc(sizeof *message->cost);
	message->text = malloc(text.n + 1);
	if (message->cost == NULL || message->text == NULL)
		return ctx_err_nomem(err);
	*message->cost = *cost;
	memcpy(message->text, text.p, text.n);
	message->length = text.n;
	message->dialect = event->message->dialect;
	return 0;
}

static int
begin_session(struct session_reading *reading, struct open_session *open,
    const struct ctx_event *event, struct ctx_err *err)
{
	struct ctx_replay_session *session = &open->session;
	struct ctx_model_counter model_counter;
	struct ctx_request_overhead overhead;

	if (ctx_stream_measure(reading->stream, event, reading->counters,
		&model_counter, err) < 0 ||
	    ctx_count_request_overhead(model_counter.counter,
		event->record->json, event->layout, &overhead, err) < 0)
		return -1;
	session->file = event->record->file;
	session->line = event->inside ? event->record->line : 0;
	session->overhead = overhead.tokens;
	forget_messages(session);
	session->n_requests = 0;
	session->counter = model_counter.counter;
	session->simd = reading->counters->simd;
	open->model = model_counter.model;
	open->begun = true;
	open->answers = false;
	open->time = INT64_MIN;
	open->waiting = (struct ctx_billed_usage){0};
	open->is_reported = true;
	open->last_report = 0;
	reading->literal.n = 0;
	return 0;
}

/* Some formats have a prompt and its answer in one record, which is read as one
 * message.  Makes this message the prompt, and appends the answer as a second
 * message. */
static int
split_turn(struct replay_message *prompt, struct ctx_replay_session *session,
    const struct ctx_cost *cost, struct ctx_err *err)
{
	struct prompt_message sent = prompt->sent;
	struct replay_message *answer;

	prompt->sent.tokens = cost->prompt_tokens;
	answer = add_message(session, err);
	if (answer == NULL)
		return -1;
	answer->sent = sent;
	answer->sent.hash++;
	answer->sent.number = (uint32_t)(session->n - 1);
	answer->sent.tokens -= cost->prompt_tokens;
	answer->line = answer[-1].line;
	answer->is_never_sent = answer[-1].is_never_sent;
	return 0;
}

/* Stores that the newest message is a response to a request. number: index of
 * the request, plus 1.  If, in a session file, the previous message is a part
 * of the same response, marks both as parts of one message. */
static void
join_response(struct ctx_replay_session *session, uint32_t number)
{
	struct replay_message *message = &session->messages[session->n - 1];

	message->answers = number;
	if (session->n < 2 || message->line == 0 ||
	    message[-1].answers != number)
		return;
	message[-1].flags |= CTX_MESSAGE_IS_CONTINUED;
	message->flags |= CTX_MESSAGE_CONTINUES;
}

static int
add_answer(struct session_reading *reading, struct open_session *open,
    const struct ctx_event *event, const struct ctx_cost *cost,
    struct ctx_err *err)
{
	struct ctx_replay_session *session = &open->session;
	struct replay_request *request;
	uint32_t number;

	if (find_response_model(reading, open, event->record->json,
		event->message->model, err) < 0 ||
	    ctx_replay_find_request(reading, open, event, &number, err) < 0)
		return -1;
	join_response(session, number);
	request = &session->requests[number - 1];
	request->response_tokens +=
	    cost->tokens - cost->prompt_tokens - cost->results;
	request->end_time = open->answer_time;
	if (ctx_message_has(event->message, CTX_BLOCK_TOOL_CALL))
		request->is_resent = false;
	ctx_replay_note_usage(request, event);
	if (ctx_message_has(event->message, CTX_BLOCK_REASONING))
		ctx_replay_note_reasoning(open);
	return 0;
}

/* Returns true if a message is the model's response to a request of the
 * session.  Returns false for a summary, for a response that Claude Code wrote
 * in place of the model, and for a response that broke off: it is never sent
 * again, but may have been billed. */
static bool
is_response(const struct ctx_message *message)
{
	return ctx_message_was_sent(message) &&
	    !ctx_json_is(message->json, message->model, "<synthetic>") &&
	    (!(message->flags & CTX_MESSAGE_PINNED) ||
		(message->flags & CTX_MESSAGE_REMOTE_STATE));
}

static int
read_message(struct session_reading *reading, const struct ctx_event *event,
    struct ctx_err *err)
{
	struct open_session *open =
	    event->inside ? &reading->record : &reading->lines;
	struct ctx_message as_sent = *event->message, *sent = &as_sent;
	struct replay_message *message;
	struct ctx_line_place place;
	struct ctx_cost cost;
	int64_t time;
	bool answers;

	if (!open->begun && begin_session(reading, open, event, err) < 0)
		return -1;
	/* If a later line of a session file replaced this line, its message was
	 * sent to the model before.  So the message is counted like an active
	 * line (one that is still sent). */
	if (sent->flags & CTX_MESSAGE_INACTIVE)
		sent->flags &= ~(unsigned)(CTX_MESSAGE_INACTIVE |
		    CTX_MESSAGE_HIDDEN | CTX_MESSAGE_EARLIER);
	message = add_message(&open->session, err);
	if (message == NULL ||
	    ctx_count_message(open->session.counter, sent, &cost, err) < 0 ||
	    hash_message(reading, sent, &message->sent.hash, err) < 0 ||
	    read_time(reading, sent, &time, err) < 0)
		return -1;
	message->sent.tokens = cost.tokens;
	message->sent.blocks = (uint32_t)sent->n;
	message->line = event->inside ? 0 : event->line;
	message->is_never_sent = (sent->flags & CTX_MESSAGE_HIDDEN) ||
	    (message->line != 0 &&
		!ctx_transcript_is_message(reading->stream->transcript,
		    message->line));
	if (keep_message(reading, event, message, &cost, err) < 0)
		return -1;
	answers = is_response(sent);
	if (message->is_never_sent &&
	    (!answers ||
		!ctx_billed_input(event->record->json, event->node,
		    sent->dialect->usage.message)))
		return 0;
	if (time != INT64_MIN && (open->time == INT64_MIN || !answers))
		open->time = time;
	open->answer_time = time != INT64_MIN ? time : open->time;
	if (answers && cost.prompt_tokens > 0 &&
	    split_turn(message, &open->session, &cost, err) < 0)
		return -1;
	if (answers && add_answer(reading, open, event, &cost, err) < 0)
		return -1;
	if (answers && time > open->time)
		open->time = time;
	if (!answers) {
		open->waiting = (struct ctx_billed_usage){0};
		if (sent->role != CTX_ROLE_TOOL)
			open->is_reported = true;
		open->asks = ctx_message_is_from_user(sent);
		if (message->line != 0) {
			(void)ctx_transcript_read_line(
			    reading->stream->transcript, message->line,
			    event->record->json, &place);
			ctx_replay_note_line(open, &place);
			if (sent->role == CTX_ROLE_USER)
				ctx_replay_note_prompt(open);
		}
	}
	open->answers = answers;
	return 0;
}

/* Finds what ctx_replay_pruned needs besides the messages. */
static int
prepare_pruning(struct ctx_replay_session *session, struct ctx_err *err)
{
	if (ctx_replay_find_needed(session, err) < 0)
		return -1;
	ctx_hashkey_init(&session->key);
	session->texts = ctx_shared_texts_open(err);
	return session->texts == NULL ? -1 : 0;
}

static int
end_session(struct session_reading *reading, struct open_session *open,
    struct ctx_err *err)
{
	struct ctx_replay_session *session = &open->session;
	int rc;

	if (!open->begun)
		return 0;
	open->begun = false;
	if (session->n_requests == 0)
		return 0;
	for (size_t i = 0; !open->thinks && i < session->n_requests; i++)
		session->requests[i].thinking = CTX_THINKING_UNKNOWN;
	if (ctx_replay_find_prompts(session, reading->stream->transcript, err) <
		0 ||
	    (reading->keeps_messages && prepare_pruning(session, err) < 0))
		return -1;
	rc = reading->take(reading->user, session, err);
	ctx_shared_texts_close(session->texts);
	session->texts = NULL;
	ctx_intern_release(&session->removals);
	return rc;
}

/* Reads a line of a session file that is not a message.  The line may name the
 * model of the next requests, or report the tokens billed for the last
 * request. */
static int
read_line(struct session_reading *reading, const struct ctx_event *event,
    struct ctx_err *err)
{
	const struct ctx_dialect *row;
	struct open_session *open = &reading->lines;
	struct ctx_line_place place;

	if (event->line == 0 || event->record->kind != CTX_RECORD_JSON)
		return 0;
	row = ctx_transcript_read_line(reading->stream->transcript, event->line,
	    event->record->json, &place);
	if (find_response_model(reading, open, event->record->json, place.model,
		err) < 0)
		return -1;
	if (place.kind != CTX_LINE_MESSAGE)
		ctx_replay_note_line(open, &place);
	if (open->begun && place.kind == CTX_LINE_ASIDE &&
	    row->usage.line[0] != NULL)
		ctx_replay_note_report(open, event, row);
	return 0;
}

static int
read_event(struct session_reading *reading, const struct ctx_event *event,
    struct ctx_err *err)
{
	struct ctx_replay_session *record = &reading->record.session;
	const struct ctx_dialect *row = event->layout->dialect;
	struct replay_request *request;

	switch (event->kind) {
	case CTX_EVENT_BEGIN:
		return begin_session(reading, &reading->record, event, err);
	case CTX_EVENT_MESSAGE:
		return read_message(reading, event, err);
	case CTX_EVENT_END:
		if (record->n_requests > 0) {
			request = &record->requests[record->n_requests - 1];
			if (request->recorded.input == 0)
				(void)ctx_billed_usage_read(event->record->json,
				    event->layout->request, row->usage.request,
				    row, &request->recorded);
		}
		return end_session(reading, &reading->record, err);
	case CTX_EVENT_RECORD:
		return read_line(reading, event, err);
	default:
		return 0;
	}
}

static void
release_session(struct ctx_replay_session *session)
{
	forget_messages(session);
	free(session->messages);
	free(session->requests);
	free(session->savings);
	ctx_prompt_tree_release(&session->tree);
	ctx_needed_names_release(&session->needed);
}

int
ctx_replay_read(struct ctx_stream *stream, struct ctx_model_counters *counters,
    bool keeps_messages, ctx_replay_take *take, void *user, struct ctx_err *err)
{
	struct session_reading reading = {.stream = stream,
	    .counters = counters,
	    .take = take,
	    .user = user,
	    .keeps_messages = keeps_messages};
	struct ctx_event event;
	int rc;

	ctx_hashkey_init(&reading.key);
	counters->keeps_reasoning = true;
	stream->include_hidden = true;
	stream->looks_ahead = ctx_model_counters_ask_dialect(counters);
	while ((rc = ctx_stream_next(stream, &event, err)) > 0)
		if (read_event(&reading, &event, err) < 0) {
			rc = ctx_stream_fail(stream, err);
			break;
		}
	if (rc == 0)
		rc = end_session(&reading, &reading.lines, err);
	release_session(&reading.lines.session);
	release_session(&reading.record.session);
	free(reading.request_of_id);
	ctx_buf_release(&reading.text);
	ctx_buf_release(&reading.literal);
	return rc;
}
