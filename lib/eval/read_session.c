/*
 * read_session.c - reads the recorded sessions in a file
 *
 * The first lines of a file may look like messages of a wrong dialect.  If
 * later messages show this, the file is read a second time.
 */
#include <stdlib.h>
#include <string.h>

#include "eval/session.h"

/* The state of reading sessions from a file. */
struct session_reader {
	const struct eval_input *input;
	const struct eval_session_taker *taker;
	struct ctx_stream stream;
	/* lines: the session whose messages are lines of their own. record: the
	 * session that is inside the current line. */
	struct eval_session lines, record;
	struct ctx_model_counter lines_counter, record_counter;
	/* offset of the current record in the file, in bytes */
	size_t at;
	unsigned n_in_record; /* number of conversations in the record so far */
	/* true if only the session whose messages are lines of their own is
	 * read */
	bool only_lines;
	/* dialect of the first message that is a line of its own */
	const struct ctx_dialect *first;
};

static void
empty_session(struct eval_session *session)
{
	session->n = session->texts.n = session->arguments.n = 0;
	session->cannot_split = false;
}

/* Begins a conversation: finds its token counter, and counts the tokens outside
 * its messages (system prompt, tool definitions). */
static int
begin_session(struct session_reader *r, const struct ctx_event *event,
    struct ctx_err *err)
{
	struct eval_session *s = event->inside ? &r->record : &r->lines;
	struct ctx_model_counter *counter =
	    event->inside ? &r->record_counter : &r->lines_counter;
	struct ctx_request_overhead overhead;

	if (event->inside && r->n_in_record++ > 0)
		return 0;
	empty_session(s);
	s->file = event->record->file;
	s->line = event->inside ? event->record->line : 0;
	if (ctx_stream_measure(&r->stream, event, r->input->counters, counter,
		err) < 0 ||
	    ctx_count_request_overhead(counter->counter, event->record->json,
		event->layout, &overhead, err) < 0)
		return -1;
	s->overhead = overhead.tokens;
	if (!event->inside)
		return 0;
	s->bytes = event->record->text;
	s->coded = event->record->coded;
	s->value = event->record->value;
	s->json = event->record->json;
	s->array = event->layout->messages;
	s->cannot_split = event->layout->is_single_message ||
	    event->layout->kind != CTX_LAYOUT_CONVERSATION ||
	    s->json->nodes[s->array].kind != CTX_JSON_ARRAY;
	return 0;
}

bool
ctx_message_is_by_user(const struct ctx_message *message)
{
	if (message->role != CTX_ROLE_USER ||
	    (message->flags & CTX_MESSAGE_META))
		return false;
	for (size_t i = 0; i < message->n; i++)
		if (message->blocks[i].kind != CTX_BLOCK_TOOL_RESULT &&
		    message->blocks[i].result_index == 0)
			return true;
	return false;
}

/* Returns the message to which the blocks of an event belong.  If the record
 * has a further part of a message that was split over several records, returns
 * the existing message, otherwise a new one.  Returns NULL with *err after an
 * error. */
static struct eval_message *
get_message(struct session_reader *r, struct eval_session *s,
    const struct ctx_event *event, struct ctx_err *err)
{
	if ((event->message->flags & CTX_MESSAGE_CONTINUES) != 0 && s->n > 0)
		return &s->messages[s->n - 1];
	if (CTX_GROW(s->messages, s->cap, s->n + 1, err) < 0)
		return NULL;
	s->messages[s->n] = (struct eval_message){.texts = s->texts.n,
	    .arguments = s->arguments.n,
	    .role = event->message->role,
	    .node = event->node,
	    .record = r->at};
	return &s->messages[s->n++];
}

static int
add_message(struct session_reader *r, const struct ctx_event *event,
    struct ctx_err *err)
{
	struct eval_session *s = event->inside ? &r->record : &r->lines;
	struct ctx_counter *counter;
	struct eval_message *m;
	struct ctx_cost cost;

	if (event->inside ? r->n_in_record > 1 || r->only_lines
			  : s->file == NULL && begin_session(r, event, err) < 0)
		return event->inside ? 0 : -1;
	counter =
	    (event->inside ? &r->record_counter : &r->lines_counter)->counter;
	m = get_message(r, s, event, err);
	if (m == NULL || ctx_stream_cost(event, counter, &cost, err) < 0 ||
	    ctx_append_message_texts(&s->texts, &s->texts, &s->arguments,
		event->message, err) < 0)
		return -1;
	m->texts_end = s->texts.n;
	m->arguments_end = s->arguments.n;
	m->tokens += cost.tokens;
	m->has_results |=
	    ctx_message_has(event->message, CTX_BLOCK_TOOL_RESULT);
	m->by_user |= ctx_message_is_by_user(event->message);
	return 0;
}

static int
take_session(struct session_reader *r, struct eval_session *s,
    const struct ctx_dialect *dialect, struct ctx_err *err)
{
	s->dialect = dialect;
	return r->taker->take(r->taker->user, s, err);
}

/* Called at the end of a record.  If the record contained a conversation, all
 * its messages were read, and the conversation is passed on as a session. */
static int
end_record(struct session_reader *r, const struct ctx_event *event,
    struct ctx_err *err)
{
	unsigned n = r->n_in_record;

	r->at += event->record->text.n;
	r->n_in_record = 0;
	if (n == 0 || r->only_lines)
		return 0;
	r->record.cannot_split |= n > 1;
	return take_session(r, &r->record, event->layout->dialect, err);
}

static int
handle_event(struct session_reader *r, const struct ctx_event *event,
    struct ctx_err *err)
{
	if (event->kind == CTX_EVENT_BEGIN)
		return begin_session(r, event, err);
	if (event->kind == CTX_EVENT_RECORD)
		return end_record(r, event, err);
	if (event->kind != CTX_EVENT_MESSAGE)
		return 0;
	if (!event->inside && r->lines.n == 0)
		r->first = event->message->dialect;
	return add_message(r, event, err);
}

static int
read_events(struct session_reader *r, struct ctx_err *err)
{
	struct ctx_event event;
	int rc;

	while ((rc = ctx_stream_next(&r->stream, &event, err)) > 0)
		if (handle_event(r, &event, err) < 0)
			return -1;
	return rc;
}

/* Reads the file once, from its beginning to its end. */
static int
read_once(struct session_reader *r, struct ctx_str bytes,
    const struct ctx_dialect *forced, struct ctx_err *err)
{
	int rc;

	ctx_stream_release(&r->stream);
	memset(&r->stream, 0, sizeof r->stream);
	empty_session(&r->lines);
	r->lines.file = NULL;
	r->lines.line = 0;
	r->lines.bytes = bytes;
	r->at = 0;
	r->stream.forced = forced;
	if (ctx_reader_open_text(&r->stream.reader, r->input->file, bytes,
		err) < 0)
		return -1;
	ctx_reader_set_lenient(r->stream.reader, r->input->lenient);
	rc = read_events(r, err);
	ctx_reader_close(r->stream.reader);
	return rc;
}

static int
read_file(struct session_reader *r, struct ctx_str bytes, struct ctx_err *err)
{
	const struct ctx_dialect *dialect;

	if (read_once(r, bytes, r->input->dialect, err) < 0)
		return -1;
	if (r->lines.n == 0)
		return 0;
	dialect = ctx_stream_dialect(&r->stream);
	r->only_lines = true;
	if (r->first != dialect && read_once(r, bytes, dialect, err) < 0)
		return -1;
	return r->lines.n == 0 ? 0 : take_session(r, &r->lines, dialect, err);
}

static void
release_session(struct eval_session *session)
{
	free(session->messages);
	ctx_buf_release(&session->texts);
	ctx_buf_release(&session->arguments);
}

int
ctx_eval_read_sessions(const struct eval_input *input, struct ctx_str bytes,
    const struct eval_session_taker *taker, struct ctx_err *err)
{
	struct session_reader r = {.input = input, .taker = taker};
	int rc = read_file(&r, bytes, err);

	ctx_stream_release(&r.stream);
	release_session(&r.lines);
	release_session(&r.record);
	return rc;
}

int
ctx_eval_write_before(const struct eval_session *session, size_t split,
    struct ctx_buf *out, struct ctx_err *err)
{
	const struct ctx_json *json = session->json;
	struct ctx_edits edits = {0};
	uint32_t element = 0;
	size_t n = 0;
	bool *drop;
	int rc;

	if (json == NULL)
		return ctx_buf_add(out, session->bytes.p,
		    session->messages[split].record, err);
	drop = calloc(ctx_json_count(json, session->array) + 1, sizeof *drop);
	if (drop == NULL)
		return ctx_err_nomem(err);
	while (ctx_json_next_element(json, session->array, &element))
		drop[n++] = element >= session->messages[split].node;
	rc = ctx_edits_remove(&edits, json, session->array, drop, err);
	if (rc == 0 && session->coded.n > 0)
		rc = ctx_edits_encode(&edits, session->value, session->coded,
		    err);
	if (rc == 0)
		rc = ctx_edits_apply(&edits, session->bytes, out, err);
	ctx_edits_release(&edits);
	free(drop);
	return rc;
}
