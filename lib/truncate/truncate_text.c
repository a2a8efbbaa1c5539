/*
 * truncate_text.c - shortens a plain text as if it were a tool result
 *
 * The text becomes the content of a message, so that it is cut exactly like a
 * tool result of a conversation.
 */
#include <string.h>

#include "stream/rewrite.h"
#include "truncate/text_segments.h"

#define MESSAGE "{\"role\":\"tool\",\"tool_call_id\":\"\",\"content\":"

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

/* Makes a message of Chat Completions whose tool result is the text, because
 * the functions that shorten texts need a message.  Parses the message into
 * rewrite->text_message, and sets *segments to the text in the message. */
static int
make_message(struct ctx_rewrite *rewrite, struct ctx_buf *record,
    struct text_segments *segments, struct ctx_str text, struct ctx_err *err)
{
	const struct ctx_dialect *chat = ctx_dialect_find("openai-chat");
	struct ctx_buf valid = {0};
	int rc = append_valid(&valid, text, err);

	if (rc == 0)
		rc = ctx_buf_add(record, MESSAGE, strlen(MESSAGE), err);
	if (rc == 0)
		rc = ctx_json_string_encode(record, valid.p, valid.n, err);
	if (rc == 0)
		rc = ctx_buf_add(record, "}", 1, err);
	ctx_buf_release(&valid);
	if (rc < 0 ||
	    ctx_rewrite_read_text(rewrite, chat, ctx_buf_str(record), 0, err) <
		0)
		return -1;
	return ctx_text_segments_result(segments, &rewrite->text_message, 0,
	    err);
}

/* Applies the edits to the message, and appends the content of the edited
 * message to out. */
static int
append_content(struct ctx_rewrite *rewrite, const struct ctx_buf *record,
    struct ctx_buf *out, struct ctx_err *err)
{
	struct ctx_str edited = {record->p, record->n};
	const size_t before = strlen(MESSAGE);

	if (ctx_rewrite_apply_edits(rewrite, &edited, err) < 0)
		return -1;
	edited.p += before;
	edited.n -= before + 1;
	return ctx_json_string_decode(out, edited, err);
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
	struct ctx_rewrite rewrite = {0};
	struct ctx_buf record = {0};
	struct text_segments segments = {0};
	bool done = false;
	int rc = 0;

	ctx_rewrite_init(&rewrite, CTX_SIMD_BEST);
	/* The size of a text in any unit is at most its number of bytes.  So a
	 * text with at most limit bytes is not shortened. */
	if (options->limit > 0 && text.n > options->limit &&
	    (rc = make_message(&rewrite, &record, &segments, text, err)) == 0)
		rc = ctx_shorten(&shortener, &rewrite.edits, &segments,
		    options->limit, &done, err);
	if (rc == 0)
		rc = done ? append_content(&rewrite, &record, out, err)
			  : ctx_buf_add_str(out, text, err);
	ctx_shorten_release(&shortener);
	ctx_text_segments_release(&segments);
	ctx_rewrite_release(&rewrite);
	ctx_buf_release(&record);
	return rc;
}
