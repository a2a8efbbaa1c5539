/* session_requests.c - finds the requests of a session that is being read, and
 * what was billed for each */
#include <string.h>

#include "replay/session_reading.h"

/* Returns the address of the element of reading->request_of_id for a message
 * id, or NULL with *err if there is no memory. */
static uint32_t *
find_request_of_id(struct session_reading *reading, uint32_t id,
    struct ctx_err *err)
{
	size_t known = reading->ids_cap;

	if (CTX_GROW(reading->request_of_id, reading->ids_cap, (size_t)id + 1,
		err) < 0)
		return NULL;
	memset(reading->request_of_id + known, 0,
	    (reading->ids_cap - known) * sizeof *reading->request_of_id);
	return &reading->request_of_id[id];
}

/* Adds a request to the session.  Its response begins with the newest
 * message. */
static int
add_request(struct open_session *open, const struct ctx_event *event,
    struct ctx_err *err)
{
	struct ctx_replay_session *session = &open->session;
	struct replay_request *request;

	if (CTX_GROW(session->requests, session->requests_cap,
		session->n_requests + 1, err) < 0)
		return -1;
	request = &session->requests[session->n_requests++];
	*request = (struct replay_request){
	    .first = session->n - 1,
	    .line = event->inside ? 0 : event->line,
	    .file = event->record->file,
	    .file_line = event->record->line,
	    .model = open->model,
	    .time = open->time,
	    .answer_time = open->answer_time,
	    .is_resent = event->message->dialect->resends,
	    .thinking = open->thinking,
	    .is_rewritten = open->restarts,
	    .begins_turn = open->asks,
	    .has_reads = event->layout->dialect->usage.read != NULL,
	    .recorded = open->waiting,
	};
	open->is_reported = open->waiting.input > 0;
	open->waiting = (struct ctx_billed_usage){0};
	open->restarts = false;
	return 0;
}

int
ctx_replay_find_request(struct session_reading *reading,
    struct open_session *open, const struct ctx_event *event, uint32_t *number,
    struct ctx_err *err)
{
	const struct ctx_message *message = event->message;
	bool continues = (message->flags & CTX_MESSAGE_CONTINUES) ||
	    (open->answers && (message->dialect->rules & CTX_JOINS_ANSWERS));
	uint32_t id = event->inside || event->line == 0
	    ? 0
	    : ctx_line_value(reading->stream->transcript, CTX_VALUE_SAME,
		  event->line);
	uint32_t *known = NULL;

	if (id != 0) {
		known = find_request_of_id(reading, id, err);
		if (known == NULL)
			return -1;
		if (*known != 0) {
			*number = *known;
			return 0;
		}
		continues = false;
	}
	if ((!continues || open->session.n_requests == 0) &&
	    add_request(open, event, err) < 0)
		return -1;
	*number = (uint32_t)open->session.n_requests;
	if (known != NULL)
		*known = *number;
	return 0;
}

void
ctx_replay_note_line(struct open_session *open,
    const struct ctx_line_place *place)
{
	if (place->flags & CTX_LINE_RESTART)
		open->restarts = true;
	if (place->thinking == CTX_THINKING_UNKNOWN)
		return;
	open->next_thinking = place->thinking;
	if (place->thinking >= CTX_THINKING_ON)
		open->thinks = true;
}

void
ctx_replay_note_prompt(struct open_session *open)
{
	if (open->next_thinking == CTX_THINKING_UNKNOWN)
		return;
	open->thinking = open->next_thinking;
	open->next_thinking = CTX_THINKING_UNKNOWN;
	open->thinking_from = open->session.n_requests;
}

void
ctx_replay_note_reasoning(struct open_session *open)
{
	struct ctx_replay_session *session = &open->session;

	if (open->thinking != CTX_THINKING_OFF)
		return;
	open->thinking = CTX_THINKING_ON;
	for (size_t i = open->thinking_from; i < session->n_requests; i++)
		session->requests[i].thinking = CTX_THINKING_ON;
}

void
ctx_replay_note_usage(struct replay_request *request,
    const struct ctx_event *event)
{
	const struct ctx_dialect *row = event->message->dialect;
	struct ctx_billed_usage usage;

	if (ctx_billed_usage_read(event->record->json, event->node,
		row->usage.message, row, &usage))
		request->recorded = usage;
}

void
ctx_replay_note_report(struct open_session *open, const struct ctx_event *event,
    const struct ctx_dialect *row)
{
	struct ctx_replay_session *session = &open->session;
	struct ctx_billed_usage usage;

	if (!ctx_billed_usage_read(event->record->json, 0, row->usage.line, row,
		&usage))
		return;
	if (!open->is_reported)
		session->requests[session->n_requests - 1].recorded = usage;
	else if (usage.input != open->last_report)
		open->waiting = usage;
	open->is_reported = true;
	open->last_report = usage.input;
	open->answers = false;
}
