/*
 * detect_format.c - detects the dialect (format) of a stream's messages
 *
 * A message that is possible in several dialects takes the dialect of the
 * stream's other messages.  A command that needs whole conversations looks
 * ahead for a message that names the model, which decides how tokens are
 * counted, and for one that identifies the dialect, which decides this if no
 * model is named.
 */
#include "stream/detect_format.h"

/* Maximum number of bytes, at the beginning of the first file, in which
 * ctx_stream_look_ahead looks for the dialect and the model. */
#define LOOK_AHEAD ((size_t)1 << 20)

void
ctx_stream_find_layout(struct ctx_stream *stream, uint32_t node,
    struct ctx_record_layout *layout)
{
	const struct ctx_json *json = stream->record.json;

	ctx_detect(json, node, node == 0 ? stream->dialect : NULL, layout);
	if (stream->forced == NULL || layout->kind == CTX_LAYOUT_LIST)
		return;
	if (layout->kind == CTX_LAYOUT_OTHER) {
		if (json->nodes[node].kind != CTX_JSON_OBJECT)
			return;
		layout->kind = CTX_LAYOUT_MESSAGE;
	}
	if (layout->decisive && layout->dialect != stream->forced &&
	    stream->overruled.dialect == NULL) {
		stream->overruled.dialect = layout->dialect;
		stream->overruled.why = layout->why;
		stream->overruled.file = stream->record.file;
		stream->overruled.line = stream->record.line;
	}
	layout->dialect = stream->forced;
	layout->decisive = true;
	layout->why = "choice";
}

void
ctx_stream_record_detection(struct ctx_stream *stream,
    const struct ctx_record_layout *layout)
{
	struct ctx_found *found = &stream->found;

	if (found->decisive && layout->decisive &&
	    layout->dialect != found->dialect)
		found->others = true;
	if (found->decisive ||
	    (found->dialect != NULL && !layout->decisive &&
		(found->likely || !layout->likely)))
		return;
	found->dialect = layout->dialect;
	found->likely = layout->likely;
	found->why = layout->why;
	found->decisive = layout->decisive;
	found->file = stream->record.file;
	found->line = stream->record.line;
}

int
ctx_stream_suggest_path(struct ctx_stream *stream, struct ctx_err *err)
{
	struct ctx_found *found = &stream->found;

	if (found->dialect != NULL || found->suggested_path.path[0] != '\0' ||
	    stream->record.kind != CTX_RECORD_JSON)
		return 0;
	if (ctx_suggest_path(stream->record.json, &found->suggested_path, err) <
	    0)
		return -1;
	if (found->file != NULL && found->suggested_path.path[0] == '\0')
		return 0;
	found->file = stream->record.file;
	found->line = stream->record.line;
	return 0;
}

/* Chooses the dialect (format) of a message that is possible in every dialect.
 * Does nothing unless this or an earlier message makes a dialect likely.  If
 * this or an earlier message has a tool call or the role tool, or if the first
 * message of the stream is a system message, the dialect is Chat Completions.
 * Otherwise it is the likely one. */
static void
apply_likely_dialect(struct ctx_stream *stream,
    struct ctx_record_layout *layout)
{
	const struct ctx_json *json = stream->record.json;

	if (stream->chat == NULL)
		stream->chat = ctx_detect_chat(json, 0, false);
	if (!stream->begun)
		stream->system_first = ctx_detect_chat(json, 0, true) != NULL;
	if (layout->likely && stream->likely == NULL)
		stream->likely = stream->system_first
		    ? ctx_dialect_find("openai-chat")
		    : layout->dialect;
	if (stream->likely == NULL)
		return;
	layout->dialect = stream->likely;
	if (stream->chat == NULL)
		return;
	layout->dialect = ctx_dialect_find("openai-chat");
	layout->why = stream->chat;
	layout->decisive = true;
}

void
ctx_stream_decide_dialect(struct ctx_stream *stream)
{
	struct ctx_record_layout *layout = &stream->layout;

	if (!layout->decisive && stream->dialect == NULL)
		apply_likely_dialect(stream, layout);
	stream->begun = true;
	stream->found.has_message = true;
	ctx_stream_record_detection(stream, layout);
	if (!layout->decisive) {
		if (stream->dialect != NULL)
			layout->dialect = stream->dialect;
	} else if (stream->dialect == NULL) {
		stream->dialect = layout->dialect;
	} else if (stream->dialect != layout->dialect &&
	    stream->mixed.dialect == NULL) {
		stream->mixed.file = stream->record.file;
		stream->mixed.line = stream->record.line;
		stream->mixed.dialect = layout->dialect;
	}
}

const struct ctx_dialect *
ctx_stream_dialect(const struct ctx_stream *stream)
{
	if (stream->dialect != NULL)
		return stream->dialect;
	return stream->likely != NULL ? stream->likely
				      : ctx_dialect_find("generic");
}

/* Returns true if a message that is not read yet may say more: the dialect is
 * not certain, or its messages may name the model, and none has. */
static bool
may_learn_more(const struct ctx_stream *ahead)
{
	const struct ctx_dialect *dialect = ahead->dialect;

	return dialect == NULL ||
	    (dialect->find_model != NULL &&
		dialect->history == CTX_HISTORY_NONE &&
		ahead->foreseen_model.n == 0);
}

/* Stores the JSON string with the model's name if the message is the first that
 * names one. */
static int
learn_model(struct ctx_stream *ahead, struct ctx_err *err)
{
	const struct ctx_json *json = ahead->record.json;
	uint32_t model = ctx_find_model_of_messages(json, &ahead->layout);

	if (ahead->foreseen_model.n > 0 || !ctx_json_is_string(json, model) ||
	    ctx_json_is(json, model, ""))
		return 0;
	return ctx_buf_add_str(&ahead->foreseen_model,
	    ctx_json_str(json, model), err);
}

/* Reads messages from a reader until one identifies the dialect, and one names
 * the model if messages of the dialect do.  Returns 0, or -1 with *err. */
static int
find_dialect(struct ctx_stream *ahead, struct ctx_err *err)
{
	struct ctx_record *record = &ahead->record;
	struct ctx_record_layout *layout = &ahead->layout;
	int rc;

	while (may_learn_more(ahead) &&
	    (rc = ctx_reader_next(ahead->reader, record, err)) != 0) {
		if (rc < 0)
			return -1;
		*layout = (struct ctx_record_layout){0};
		if (record->kind == CTX_RECORD_JSON)
			ctx_stream_find_layout(ahead, 0, layout);
		if (layout->kind == CTX_LAYOUT_MESSAGE) {
			ctx_stream_decide_dialect(ahead);
			if (learn_model(ahead, err) < 0)
				return -1;
		} else if (layout->kind != CTX_LAYOUT_OTHER) {
			break;
		}
	}
	return 0;
}

int
ctx_stream_look_ahead(struct ctx_stream *stream, struct ctx_err *err)
{
	struct ctx_read_ahead source = {.reader = stream->reader,
	    .most = LOOK_AHEAD};
	struct ctx_stream ahead = {.forced = stream->forced};
	int rc;

	if (ctx_reader_open_ahead(&ahead.reader, &source, err) < 0)
		return -1;
	rc = find_dialect(&ahead, err);
	if (rc < 0 && source.failed)
		*err = source.err;
	ctx_reader_close(stream->ahead_reader);
	stream->ahead_reader = ahead.reader;
	ctx_buf_release(&stream->foreseen_model);
	stream->foreseen_model = ahead.foreseen_model;
	if (rc == 0) {
		stream->foreseen = ctx_stream_dialect(&ahead);
		stream->foresees_certainly = ahead.dialect != NULL;
	}
	return rc;
}

const struct ctx_dialect *
ctx_stream_counting_dialect(const struct ctx_stream *stream,
    const struct ctx_event *event)
{
	const struct ctx_dialect *dialect = event->layout->dialect;
	bool is_certain = event->layout->decisive;
	bool is_plain = dialect->counts_like == NULL;

	if (event->inside || stream->foreseen == NULL)
		return dialect;
	return (stream->foresees_certainly ? !is_certain || is_plain
					   : !is_certain && is_plain)
	    ? stream->foreseen
	    : dialect;
}
