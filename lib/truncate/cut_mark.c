/* cut_mark.c - writes the mark that replaces the removed middle of a text, such
 * as "[... 12 lines truncated ...]" */
#include <stdio.h>
#include <string.h>

#include "truncate/cut_points.h"

/* the shortest mark for removed text: U+2026, 3 bytes */
#define ELLIPSIS "\xe2\x80\xa6"

uint64_t
ctx_cut_payload_excess(const struct text_segments *segments,
    const struct cut_range *range)
{
	uint64_t extra = 0;

	for (size_t i = 0; i < segments->n_spans; i++) {
		const struct protected_span *span = &segments->spans[i];

		if (span->from >= range->head.at && span->to <= range->tail.at)
			extra += span->excess;
	}
	return extra;
}

/* Returns true if the text of a message, outside its tool results, ends with
 * the mark for removed text. */
static bool
is_mark_last(const struct text_segments *segments,
    const struct cut_range *range)
{
	return segments->is_message_text && range->tail.at == segments->text.n;
}

/* Sets shortener->mark to the JSON string of a mark for removed text. */
static int
set_mark(struct shortener *shortener, const char *mark, struct ctx_err *err)
{
	shortener->mark.n = 0;
	return ctx_json_string_encode(&shortener->mark, mark, strlen(mark),
	    err);
}

/* Sets shortener->mark to "[... 12 lines truncated ...]", with the size of the
 * removed text. last: true if the mark is at the end of the text of a message,
 * outside its tool results.  Such a mark has no line feed at its end, because
 * Anthropic refuses trailing white space in a last assistant message (langchain
 * #35071). */
static int
set_full_mark(struct shortener *shortener, uint64_t removed, bool last,
    struct ctx_err *err)
{
	static const char *const units[] = {"character", "byte", "token",
	    "line"};
	char mark[80];

	(void)snprintf(mark, sizeof mark,
	    "\n[\xe2\x80\xa6 %llu %s%s truncated \xe2\x80\xa6]%s",
	    (unsigned long long)removed, units[shortener->unit],
	    removed == 1 ? "" : "s", last ? "" : "\n");
	return set_mark(shortener, mark, err);
}

/* Sets *size to the size of the mark for removed text, in the unit of the
 * limit, such as tokens. */
static int
measure_mark(struct shortener *shortener, uint64_t limit, uint64_t *size,
    struct ctx_err *err)
{
	shortener->text.n = 0;
	if (ctx_json_string_decode(&shortener->text,
		ctx_buf_str(&shortener->mark), err) < 0 ||
	    ctx_shorten_measure(shortener, shortener->text.p, shortener->text.n,
		size, err) < 0)
		return -1;
	/* The line feed at the beginning of the mark ends the line of text
	 * before the mark.  So it is not counted as a line of the mark. */
	if (shortener->unit == CTX_SIZE_LINES &&
	    shortener->keep != CTX_KEEP_TAIL && limit > 1 && *size > 1)
		--*size;
	return 0;
}

int
ctx_cut_choose_mark(struct shortener *shortener,
    const struct text_segments *segments, uint64_t removed, uint64_t limit,
    uint64_t *room, struct ctx_err *err)
{
	uint64_t size;

	shortener->mark_has_size = true;
	if (set_full_mark(shortener, removed,
		segments->is_message_text && shortener->keep == CTX_KEEP_HEAD,
		err) < 0 ||
	    measure_mark(shortener, limit, &size, err) < 0)
		return -1;
	if (size > limit) {
		shortener->mark_has_size = false;
		if (set_mark(shortener, ELLIPSIS, err) < 0 ||
		    measure_mark(shortener, limit, &size, err) < 0)
			return -1;
	}
	if (size > limit) {
		size = 0;
		if (set_mark(shortener, "", err) < 0)
			return -1;
	}
	*room = limit - size;
	return 0;
}

int
ctx_cut_update_mark(struct shortener *shortener,
    const struct text_segments *segments, const struct cut_range *range,
    uint64_t removed, struct ctx_err *err)
{
	if (!shortener->mark_has_size)
		return 0;
	return set_full_mark(shortener,
	    ctx_cut_payload_excess(segments, range) + removed,
	    is_mark_last(segments, range), err);
}

int
ctx_cut_repeat_mark(struct shortener *shortener,
    const struct text_segments *segments, const struct cut_range *range,
    struct ctx_err *err)
{
	const struct ctx_buf *text = &segments->text;
	size_t from = range->head.at, to = range->tail.at;
	char mark[16];

	(void)snprintf(mark, sizeof mark, "%s[" ELLIPSIS "]%s",
	    from == 0 || text->p[from - 1] == '\n' ? "" : " ",
	    to == text->n                 ? ""
		: text->p[to - 1] == '\n' ? "\n"
					  : " ");
	return set_mark(shortener, mark, err);
}

int
ctx_cut_ensure_text(struct shortener *shortener,
    const struct text_segments *segments, struct cut_range *range, bool *done,
    struct ctx_err *err)
{
	const struct ctx_buf *text = &segments->text;

	if (shortener->mark.n > 2 ||
	    (segments->n == 1 &&
		!(ctx_cut_is_blank(text->p, range->head.at) &&
		    ctx_cut_is_blank(text->p + range->tail.at,
			text->n - range->tail.at))))
		return 0;
	*done = text->n > strlen(ELLIPSIS);
	ctx_cut_find_points(range, segments, CTX_SIZE_BYTES, text->n, 0, 0);
	return set_mark(shortener, ELLIPSIS, err);
}
