/*
 * stream.c - records, conversations, messages
 *
 * A small machine: each call does what the state says is due and gives out
 * the next event.
 */
#include <string.h>

#include "ctx.h"

enum {
	NEXT_RECORD,
	NEXT_CONVERSATION, /* of a list: stream->conversation, or the end */
	NEXT_MESSAGE,      /* of an array: stream->message, or the end */
	RECORD_OVER,
};

static void
find_shape(const struct ctx_stream *stream, uint32_t node,
    struct ctx_shape *shape)
{
	const struct ctx_json *json = stream->record.json;

	ctx_detect(json, node, node == 0 ? stream->dialect : NULL, shape);
	if (stream->forced == NULL || shape->kind == CTX_SHAPE_LIST)
		return;
	if (shape->kind == CTX_SHAPE_OTHER) {
		if (json->nodes[node].kind != CTX_JSON_OBJECT)
			return;
		shape->kind = CTX_SHAPE_MESSAGE;
	}
	shape->dialect = stream->forced;
	shape->decisive = true;
	shape->why = "asked for";
}

/* The dialect of a message that is a record, which may settle others'. */
static void
settle_dialect(struct ctx_stream *stream)
{
	struct ctx_shape *shape = &stream->shape;

	if (!shape->decisive) {
		if (stream->dialect != NULL)
			shape->dialect = stream->dialect;
	} else if (stream->dialect == NULL) {
		stream->dialect = shape->dialect;
		stream->why = shape->why;
	} else if (stream->dialect != shape->dialect) {
		stream->mixed = true;
	}
}

static int
give(const struct ctx_stream *stream, struct ctx_event *event,
    enum ctx_event_kind kind, uint32_t node)
{
	memset(event, 0, sizeof *event);
	event->kind = kind;
	event->record = &stream->record;
	event->shape = &stream->shape;
	event->node = node;
	if (kind == CTX_EVENT_MESSAGE)
		event->view = &stream->view;
	return 1;
}

/* The same for what is inside a record's conversation. */
static int
give_inner(const struct ctx_stream *stream, struct ctx_event *event,
    enum ctx_event_kind kind, uint32_t node)
{
	give(stream, event, kind, node);
	event->shape = &stream->inner;
	event->inside = true;
	return 1;
}

static int
enter_conversation(struct ctx_stream *stream, struct ctx_event *event)
{
	stream->message = stream->inner.messages + !stream->inner.single;
	stream->state = NEXT_MESSAGE;
	if (stream->why == NULL)
		stream->why = stream->inner.why;
	return give_inner(stream, event, CTX_EVENT_BEGIN, 0);
}

static int
next_conversation(struct ctx_stream *stream, struct ctx_event *event)
{
	const struct ctx_node *nodes = stream->record.json->nodes;

	while (stream->conversation < nodes[stream->shape.list].next) {
		find_shape(stream, stream->conversation, &stream->inner);
		stream->conversation = nodes[stream->conversation].next;
		if (stream->inner.kind == CTX_SHAPE_CONVERSATION)
			return enter_conversation(stream, event);
	}
	stream->state = NEXT_RECORD;
	return give(stream, event, CTX_EVENT_RECORD, 0);
}

static int
next_record(struct ctx_stream *stream, struct ctx_event *event,
    struct ctx_err *err)
{
	const struct ctx_json *json;
	int rc = ctx_reader_next(stream->reader, &stream->record, err);

	if (rc <= 0)
		return rc;
	memset(&stream->shape, 0, sizeof stream->shape);
	json = stream->record.json;
	if (stream->record.kind == CTX_RECORD_JSON)
		find_shape(stream, 0, &stream->shape);
	if (stream->record.kind == CTX_RECORD_BAD && stream->bad++ == 0)
		stream->first_bad = *err;
	switch (stream->shape.kind) {
	case CTX_SHAPE_MESSAGE:
		settle_dialect(stream);
		rc = stream->shape.dialect->read(json, 0, &stream->view, err);
		if (rc < 0)
			return -1;
		if (rc > 0) {
			stream->state = RECORD_OVER;
			return give(stream, event, CTX_EVENT_MESSAGE, 0);
		}
		stream->shape.kind = CTX_SHAPE_OTHER;
		break;
	case CTX_SHAPE_CONVERSATION:
		stream->conversation = json->nodes[0].next;
		stream->inner = stream->shape;
		return enter_conversation(stream, event);
	case CTX_SHAPE_LIST:
		stream->conversation = stream->shape.list + 1;
		return next_conversation(stream, event);
	default:
		break;
	}
	return give(stream, event, CTX_EVENT_RECORD, 0);
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
		return give_inner(stream, event, CTX_EVENT_END, 0);
	}
	stream->message = nodes[node].next;
	if (stream->inner.element != NULL &&
	    (message = ctx_json_find(json, node, stream->inner.element)) == 0)
		return give_inner(stream, event, CTX_EVENT_UNKNOWN, node);
	rc = stream->inner.dialect->read(json, message, &stream->view, err);
	if (rc < 0)
		return -1;
	return give_inner(stream, event,
	    rc > 0 ? CTX_EVENT_MESSAGE : CTX_EVENT_UNKNOWN, message);
}

int
ctx_stream_next(struct ctx_stream *stream, struct ctx_event *event,
    struct ctx_err *err)
{
	switch (stream->state) {
	case NEXT_CONVERSATION:
		return next_conversation(stream, event);
	case NEXT_MESSAGE:
		return next_message(stream, event, err);
	case RECORD_OVER:
		stream->state = NEXT_RECORD;
		return give(stream, event, CTX_EVENT_RECORD, 0);
	default:
		return next_record(stream, event, err);
	}
}

int
ctx_stream_fail(const struct ctx_stream *stream, struct ctx_err *err)
{
	if (err->line == 0) {
		err->file = stream->record.file;
		err->line = stream->record.line;
	}
	return -1;
}

void
ctx_stream_release(struct ctx_stream *stream)
{
	ctx_view_release(&stream->view);
}
