/*
 * stream.c - reads records, and returns events: conversations, messages,
 * records
 *
 * The stream is a state machine.  Each call makes one step, and returns one
 * event.
 */
#include <stdlib.h>
#include <string.h>

#include "io/second_pass.h"
#include "stream/count_ahead.h"
#include "stream/detect_format.h"

enum {
	NEXT_RECORD,
	/* The next step begins a conversation in the record.
	 * stream->conversation is the JSON node of this conversation.  If there
	 * is no further conversation, it is the node after the list of
	 * conversations. */
	NEXT_CONVERSATION,
	/* The next step returns a message of the conversation. stream->message
	 * is the JSON node of this message.  If there is no further message, it
	 * is the node after the array of messages. */
	NEXT_MESSAGE,
	RECORD_OVER,
};

static int
emit_event(const struct ctx_stream *stream, struct ctx_event *event,
    enum ctx_event_kind kind, uint32_t node)
{
	memset(event, 0, sizeof *event);
	event->kind = kind;
	event->record = &stream->record;
	event->layout = &stream->layout;
	event->node = node;
	event->line = stream->line;
	if (kind == CTX_EVENT_MESSAGE)
		event->message = &stream->parsed;
	return 1;
}

/* Returns an event of the conversation inside the record: its beginning, a
 * message, or its end. */
static int
emit_inner_event(const struct ctx_stream *stream, struct ctx_event *event,
    enum ctx_event_kind kind, uint32_t node)
{
	emit_event(stream, event, kind, node);
	event->layout = &stream->inner;
	event->inside = true;
	return 1;
}

static int
enter_conversation(struct ctx_stream *stream, struct ctx_event *event)
{
	const struct ctx_dialect *dialect = stream->inner.dialect;

	stream->message =
	    stream->inner.messages + !stream->inner.is_single_message;
	stream->first = dialect->first_visible == NULL
	    ? 0
	    : dialect->first_visible(stream->record.json,
		  stream->inner.messages);
	stream->last_user = 0;
	stream->user_searched = false;
	stream->state = NEXT_MESSAGE;
	if (stream->inner.is_response ||
	    stream->message <
		stream->record.json->nodes[stream->inner.messages].next)
		stream->found.has_message = true;
	ctx_stream_record_detection(stream, &stream->inner);
	return emit_inner_event(stream, event, CTX_EVENT_BEGIN, 0);
}

static int
next_conversation(struct ctx_stream *stream, struct ctx_event *event)
{
	const struct ctx_node *nodes = stream->record.json->nodes;

	while (stream->conversation < nodes[stream->layout.list].next) {
		ctx_stream_find_layout(stream, stream->conversation,
		    &stream->inner);
		stream->conversation = nodes[stream->conversation].next;
		if (stream->inner.kind == CTX_LAYOUT_CONVERSATION)
			return enter_conversation(stream, event);
	}
	stream->state = NEXT_RECORD;
	return emit_event(stream, event, CTX_EVENT_RECORD, 0);
}

/* ---- transcripts ---- */

/* If a record is not JSON, counts it, and stores the error of the first such
 * record. err: the error of this record. */
static void
record_bad(struct ctx_stream *stream, const struct ctx_record *record,
    const struct ctx_err *err)
{
	if (record->kind == CTX_RECORD_BAD && stream->bad++ == 0)
		stream->first_bad = *err;
}

/* Reads a line of a session file for the second time.  Fails if the file has
 * changed since the first time, because it may then be wrong which lines are
 * active (sent to the model). */
static int
reread_line(struct ctx_stream *stream, struct ctx_err *err)
{
	struct ctx_record record;
	const char *file = stream->record.file;
	int rc = ctx_reader_next_in_file(stream->reader, &record, err);

	if (rc > 0 &&
	    ctx_transcript_is_same(stream->transcript, stream->line + 1,
		record.text)) {
		stream->record = record;
		stream->line++;
		if (stream->line == stream->transcript->orphan)
			stream->orphan = record;
		return 1;
	}
	if (rc >= 0 || err->code == CTX_EINPUT)
		ctx_reader_fail_changed(file, rc > 0 ? record.line : 0, err);
	ctx_reader_close_file(stream->reader);
	stream->line = stream->last_line = 0;
	return -1;
}

static int
fetch_record(struct ctx_stream *stream, struct ctx_err *err)
{
	int rc;

	if (stream->line < stream->last_line)
		return reread_line(stream, err);
	stream->line = stream->last_line = 0;
	rc = ctx_reader_next(stream->reader, &stream->record, err);
	if (rc > 0)
		record_bad(stream, &stream->record, err);
	return rc;
}

static int
open_transcript(struct ctx_stream *stream, struct ctx_err *err)
{
	if (stream->transcript != NULL)
		return 0;
	stream->transcript = calloc(1, sizeof *stream->transcript);
	if (stream->transcript == NULL)
		return ctx_err_nomem(err);
	return 0;
}

/* Reads a session file from stream->record to its end, and decides which lines
 * are active (sent to the model).  The next record that is read will be the
 * first line of the file again. */
static int
scan_transcript(struct ctx_stream *stream, struct ctx_err *err)
{
	struct ctx_record record = stream->record;
	int rc = 1;

	if (open_transcript(stream, err) < 0 ||
	    ctx_reader_mark(stream->reader, &record, err) < 0)
		return -1;
	ctx_transcript_begin(stream->transcript, stream->layout.dialect,
	    !stream->track_links);
	stream->line = (uint32_t)stream->transcript->n;
	while (rc > 0) {
		if (ctx_transcript_add(stream->transcript, &record, err) < 0)
			return -1;
		rc = ctx_reader_next_in_file(stream->reader, &record, err);
		if (rc > 0)
			record_bad(stream, &record, err);
	}
	if (rc < 0 || ctx_transcript_decide(stream->transcript, err) < 0)
		return -1;
	stream->last_line = (uint32_t)stream->transcript->n;
	ctx_reader_rewind(stream->reader);
	return 0;
}

/* Parses a message into stream->parsed.  The message is a record, or an element
 * of an array in a record.  Returns 1 if the message must be returned to the
 * caller, 0 if not, or -1 with *err.  Messages that are not sent to the model
 * are returned only if include_hidden is true. */
static int
read_stream_message(struct ctx_stream *stream,
    const struct ctx_dialect *dialect, uint32_t node, bool shown,
    struct ctx_err *err)
{
	unsigned flags = 0;
	int rc;

	if (stream->line != 0 && dialect->history != CTX_HISTORY_NONE &&
	    !ctx_transcript_is_active(stream->transcript, stream->line, &flags))
		shown = false;
	if (!shown && !stream->include_hidden)
		return 0;
	rc = ctx_dialect_read_message(dialect, stream->record.json, node,
	    &stream->parsed, err);
	if (rc <= 0)
		return rc;
	stream->parsed.flags |= flags;
	if (!shown && !(stream->parsed.flags & CTX_MESSAGE_HIDDEN))
		stream->parsed.flags |=
		    CTX_MESSAGE_HIDDEN | CTX_MESSAGE_INACTIVE;
	if (stream->line != 0)
		stream->parsed.billed = ctx_line_value(stream->transcript,
		    CTX_VALUE_BILLED, stream->line);
	return stream->include_hidden ||
	    !(stream->parsed.flags & CTX_MESSAGE_HIDDEN);
}

/* ---- records ---- */

/* If the request of a record is JSON in a string, makes this request the value
 * of the record. */
static int
enter_coded_request(struct ctx_stream *stream, struct ctx_err *err)
{
	struct ctx_record *record = &stream->record;
	struct ctx_coded_value *coded = &stream->coded;
	uint32_t string;
	int rc = ctx_read_coded_request(record->json, coded, &string, err);

	if (rc <= 0)
		return rc;
	record->coded = ctx_json_str(record->json, string);
	record->value = ctx_buf_str(&coded->text);
	record->json = coded->json;
	return 0;
}

/* Reads a record, and finds where its messages are.  Returns 1, or 0 at the end
 * of the stream, or -1 with *err. */
static int
read_record(struct ctx_stream *stream, struct ctx_err *err)
{
	int rc = fetch_record(stream, err);

	if (rc <= 0)
		return rc;
	memset(&stream->layout, 0, sizeof stream->layout);
	if (stream->record.kind == CTX_RECORD_JSON && stream->line == 0 &&
	    enter_coded_request(stream, err) < 0)
		return -1;
	if (stream->record.kind == CTX_RECORD_JSON)
		ctx_stream_find_layout(stream, 0, &stream->layout);
	if (stream->layout.kind == CTX_LAYOUT_MESSAGE)
		ctx_stream_decide_dialect(stream);
	return 1;
}

/* Returns true if the record is the first line of a session file. */
static bool
begins_transcript(const struct ctx_stream *stream)
{
	return stream->layout.kind == CTX_LAYOUT_MESSAGE &&
	    stream->layout.dialect->history != CTX_HISTORY_NONE &&
	    stream->line == 0;
}

static int
next_record(struct ctx_stream *stream, struct ctx_event *event,
    struct ctx_err *err)
{
	int rc;

	if (stream->looks_ahead && !stream->at_once &&
	    stream->foreseen == NULL && ctx_stream_look_ahead(stream, err) < 0)
		return -1;
	rc = read_record(stream, err);
	if (rc > 0 && begins_transcript(stream))
		rc = scan_transcript(stream, err) < 0
		    ? -1
		    : read_record(stream, err);
	if (rc <= 0)
		return rc;
	switch (stream->layout.kind) {
	case CTX_LAYOUT_MESSAGE:
		rc = read_stream_message(stream, stream->layout.dialect, 0,
		    true, err);
		if (rc < 0)
			return -1;
		if (rc > 0) {
			stream->state = RECORD_OVER;
			return emit_event(stream, event, CTX_EVENT_MESSAGE, 0);
		}
		stream->layout.kind = CTX_LAYOUT_OTHER;
		break;
	case CTX_LAYOUT_CONVERSATION:
		stream->conversation = stream->record.json->nodes[0].next;
		stream->inner = stream->layout;
		return enter_conversation(stream, event);
	case CTX_LAYOUT_LIST:
		stream->conversation = stream->layout.list + 1;
		return next_conversation(stream, event);
	default:
		if (ctx_stream_suggest_path(stream, err) < 0)
			return -1;
		break;
	}
	return emit_event(stream, event, CTX_EVENT_RECORD, 0);
}

/* Returns true if a message has reasoning, or a signature that stands for
 * reasoning. */
static bool
has_reasoning(const struct ctx_message *message)
{
	for (size_t i = 0; i < message->n; i++)
		if (message->blocks[i].kind == CTX_BLOCK_REASONING ||
		    message->blocks[i].signature != 0)
			return true;
	return false;
}

/* Finds the last message of the user in the conversation inside the record,
 * from the JSON node "node" on.  Called only if the conversation has a message
 * with reasoning, because messages must be parsed, which is slow, and only the
 * tokens of reasoning depend on the result. */
static int
find_last_user(struct ctx_stream *stream, uint32_t node, struct ctx_err *err)
{
	const struct ctx_json *json = stream->record.json;
	uint32_t end = json->nodes[stream->inner.messages].next, message;
	int rc;

	stream->user_searched = true;
	for (; node < end; node = json->nodes[node].next) {
		message = stream->inner.element == NULL
		    ? node
		    : ctx_json_find(json, node, stream->inner.element);
		if (message == 0)
			continue;
		rc = ctx_dialect_is_from_user(stream->inner.dialect, json,
		    message, &stream->ahead, err);
		if (rc < 0)
			return -1;
		if (rc > 0)
			stream->last_user = message;
	}
	return 0;
}

/* Sets the flag CTX_MESSAGE_EARLIER of a message with reasoning, if it is in a
 * conversation inside the record and the user has written a later message.
 * node: JSON node of the message. */
static int
mark_earlier(struct ctx_stream *stream, uint32_t node, struct ctx_err *err)
{
	if (!has_reasoning(&stream->parsed))
		return 0;
	if (!stream->user_searched && !stream->inner.is_single_message &&
	    find_last_user(stream, stream->message, err) < 0)
		return -1;
	if (node < stream->last_user)
		stream->parsed.flags |= CTX_MESSAGE_EARLIER;
	return 0;
}

static int
next_message(struct ctx_stream *stream, struct ctx_event *event,
    struct ctx_err *err)
{
	const struct ctx_json *json = stream->record.json;
	const struct ctx_node *nodes = json->nodes;
	uint32_t node = stream->message, message = node;
	int rc;

	if (node >= nodes[stream->inner.messages].next) {
		stream->state = NEXT_CONVERSATION;
		return emit_inner_event(stream, event, CTX_EVENT_END, 0);
	}
	stream->message = nodes[node].next;
	if (stream->inner.element != NULL &&
	    (message = ctx_json_find(json, node, stream->inner.element)) == 0)
		return emit_inner_event(stream, event, CTX_EVENT_UNKNOWN, node);
	rc = read_stream_message(stream, stream->inner.dialect, message,
	    message >= stream->first, err);
	if (rc < 0 || (rc > 0 && mark_earlier(stream, message, err) < 0))
		return -1;
	stream->parsed.tools = stream->inner.tools;
	return emit_inner_event(stream, event,
	    rc > 0 ? CTX_EVENT_MESSAGE : CTX_EVENT_UNKNOWN, message);
}

int
ctx_stream_step(struct ctx_stream *stream, struct ctx_event *event,
    struct ctx_err *err)
{
	if (stream->has_peeked) {
		stream->has_peeked = false;
		*event = stream->peeked;
		return 1;
	}
	switch (stream->state) {
	case NEXT_CONVERSATION:
		return next_conversation(stream, event);
	case NEXT_MESSAGE:
		return next_message(stream, event, err);
	case RECORD_OVER:
		stream->state = NEXT_RECORD;
		return emit_event(stream, event, CTX_EVENT_RECORD, 0);
	default:
		return next_record(stream, event, err);
	}
}

/* Returns the JSON string with the name of a conversation's model, or a string
 * of length 0 if there is none.  Any line of a session file may contain the
 * name of its model, which stream->transcript has; any message that is a record
 * of its own may contain it, too. */
static struct ctx_str
find_model_name(const struct ctx_stream *stream, const struct ctx_event *event)
{
	const struct ctx_json *json = event->record->json;
	uint32_t node = event->layout->model;

	if (event->line != 0 && !event->inside &&
	    stream->transcript->model.n > 0)
		return ctx_buf_str(&stream->transcript->model);
	if (node == 0)
		node = ctx_find_model_of_messages(json, event->layout);
	if (ctx_json_is_string(json, node))
		return ctx_json_str(json, node);
	if (event->line == 0 && !event->inside)
		return ctx_buf_str(&stream->foreseen_model);
	return (struct ctx_str){NULL, 0};
}

int
ctx_stream_measure(const struct ctx_stream *stream,
    const struct ctx_event *event, struct ctx_model_counters *counters,
    struct ctx_model_counter *model_counter, struct ctx_err *err)
{
	struct ctx_str literal = find_model_name(stream, event);

	if (ctx_model_counters_find(counters, literal,
		ctx_stream_counting_dialect(stream, event), model_counter,
		err) < 0)
		return -1;
	model_counter->is_likely = !event->layout->decisive;

	/* If each message is a record of its own, the conversation is longer
	 * than this record.  The bytes of the record will not be valid then, so
	 * a name that points to these bytes is replaced by an empty name. */
	if (!event->inside && event->line == 0 && literal.n > 0 &&
	    (model_counter->name.p == literal.p ||
		model_counter->name.p == literal.p + 1))
		model_counter->name = (struct ctx_str){"", 0};
	return 0;
}

int
ctx_stream_update_counter(const struct ctx_stream *stream,
    const struct ctx_event *event, struct ctx_model_counters *counters,
    struct ctx_model_counter *model_counter, struct ctx_err *err)
{
	const struct ctx_dialect *dialect =
	    ctx_stream_counting_dialect(stream, event);
	bool decides = model_counter->is_likely && event->layout->decisive;

	if (model_counter->model != NULL ||
	    (!decides &&
		(model_counter->dialect != NULL ||
		    dialect->counts_like == NULL)))
		return 0;
	if (ctx_model_counters_find(counters, (struct ctx_str){NULL, 0},
		dialect, model_counter, err) < 0)
		return -1;
	model_counter->is_likely = !event->layout->decisive;
	return 0;
}

int
ctx_stream_binds(const struct ctx_stream *stream, const struct ctx_event *event,
    struct ctx_model_counters *counters, enum ctx_binding *binds,
    struct ctx_err *err)
{
	return ctx_model_counters_binds(counters,
	    find_model_name(stream, event), binds, err);
}

int
ctx_stream_model(const struct ctx_stream *stream, const struct ctx_event *event,
    struct ctx_model_counters *counters, const struct ctx_model **model,
    struct ctx_err *err)
{
	return ctx_model_counters_model(counters,
	    find_model_name(stream, event), model, err);
}

int
ctx_stream_cost(const struct ctx_event *event, struct ctx_counter *counter,
    struct ctx_cost *cost, struct ctx_err *err)
{
	if (event->cost == NULL || event->counted_by != counter)
		return ctx_count_message(counter, event->message, cost, err);
	*cost = *event->cost;
	return 0;
}
