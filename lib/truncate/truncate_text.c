/*
 * truncate_text.c - shortens a plain text as if it were a tool result
 *
 * The text becomes the content of a message, so that it is cut exactly as a
 * tool result of a conversation.
 */
#include <string.h>

#include "truncate/text_segments.h"

#define MESSAGE "{\"role\":\"tool\",\"tool_call_id\":\"\",\"content\":"

/* A message that ctx has made around a plain text, so that the text can be
 * shortened like one of a message. */
struct text_message {
	struct ctx_buf record; /* its JSON */
	struct ctx_json json;
	struct ctx_message message;
};

/* Appends the text to out.  Bytes that are not UTF-8 become U+FFFD. */
static int
append_valid(struct ctx_buf *out, struct ctx_str text, struct ctx_err *err)
{
	static const char replacement[] = "\xef\xbf\xbd";
	size_t n;

	for (;;) {
		n = ctx_utf8_valid(text.p, text.n, CTX_SIMD_BEST);
		if (ctx_buf_add(out, text.p, n, err) < 0)
			return -1;
		if (n == text.n)
			return 0;
		if (ctx_buf_add(out, replacement, 3, err) < 0)
			return -1;
		text.p += n + 1;
		text.n -= n + 1;
	}
}

/* Makes a user message in Chat Completions with the text, as the rest of
 * ctx-truncate needs one, and sets *segments to the text in it. */
static int
make_message(struct text_message *made, struct text_segments *segments,
    struct ctx_str text, struct ctx_err *err)
{
	const struct ctx_dialect *chat = ctx_dialect_find("openai-chat");
	struct ctx_buf valid = {0}, *record = &made->record;
	int rc = append_valid(&valid, text, err);

	if (rc == 0)
		rc = ctx_buf_add(record, MESSAGE, strlen(MESSAGE), err);
	if (rc == 0)
		rc = ctx_json_string_encode(record, valid.p, valid.n, err);
	if (rc == 0)
		rc = ctx_buf_add(record, "}", 1, err);
	ctx_buf_release(&valid);
	if (rc < 0 ||
	    ctx_dialect_read_text(chat, (struct ctx_str){record->p, record->n},
		&made->json, 0, &made->message, err) < 0)
		return -1;
	return ctx_text_segments_result(segments, &made->message, 0, err);
}

/* Appends the content of the message, with the edits applied, to out. */
static int
append_content(const struct text_message *made, struct ctx_edits *edits,
    struct ctx_buf *out, struct ctx_err *err)
{
	const struct ctx_str record = {made->record.p, made->record.n};
	const size_t before = strlen(MESSAGE);
	struct ctx_buf edited = {0};
	int rc = ctx_edits_apply(edits, record, &edited, err);

	if (rc == 0)
		rc = ctx_json_string_decode(out,
		    (struct ctx_str){edited.p + before, edited.n - before - 1},
		    err);
	ctx_buf_release(&edited);
	return rc;
}

int
ctx_truncate_text(const struct ctx_truncate_config *options,
    struct ctx_counter *counter, struct ctx_str text, struct ctx_buf *out,
    struct ctx_err *err)
{
	struct shortener shortener = {.unit = options->unit,
	    .keep = options->keep,
	    .head = options->head,
	    .tail = options->tail,
	    .counter = counter};
	struct text_message made = {0};
	struct text_segments segments = {0};
	struct ctx_edits edits = {0};
	bool done = false;
	int rc = 0;

	ctx_json_init(&made.json, CTX_SIMD_BEST);
	/* The size of a text in any unit is at most its number of bytes, so a
	 * text with no more bytes than the limit is not shortened. */
	if (options->limit > 0 && text.n > options->limit &&
	    (rc = make_message(&made, &segments, text, err)) == 0)
		rc = ctx_shorten(&shortener, &edits, &segments, options->limit,
		    &done, err);
	if (rc == 0)
		rc = done ? append_content(&made, &edits, out, err)
			  : ctx_buf_add(out, text.p, text.n, err);
	ctx_edits_release(&edits);
	ctx_shorten_release(&shortener);
	ctx_text_segments_release(&segments);
	ctx_message_release(&made.message);
	ctx_json_release(&made.json);
	ctx_buf_release(&made.record);
	return rc;
}
