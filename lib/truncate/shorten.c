/*
 * shorten.c - shortens texts to a limit by removing a part, usually the middle
 *
 * The kept beginning, the kept end, and the mark that replaces the removed part
 * must not exceed the limit together.  If the limit is in tokens, the text is
 * cut by counting tokens, and the tokens of the result are counted again.
 */
#include <stdio.h>
#include <string.h>

#include "store/store.h"
#include "truncate/cut_points.h"

/* ---- sizes ---- */

/* Computes segments->size, the size of all texts. */
static int
measure_segments(struct shortener *shortener, struct text_segments *segments,
    struct ctx_err *err)
{
	struct ctx_str text;
	uint64_t size;

	segments->size = 0;
	for (size_t i = 0; i < segments->n; i++) {
		text = ctx_text_segment_text(segments, &segments->list[i]);
		if (ctx_shorten_measure(shortener, text.p, text.n, &size, err) <
		    0)
			return -1;
		segments->size += size;
	}
	return 0;
}

/* ---- head, tail and mark ---- */

/* Maximum size of the kept beginning (head) and of the kept end (tail) of a
 * text, in the unit of the limit. */
struct kept_room {
	uint64_t head, tail;
};

/* Divides the size that may be kept of a text between its beginning and its
 * end, in the ratio that the options set. room: size that may be kept, in the
 * unit of the limit. */
static struct kept_room
split_room(const struct shortener *shortener, uint64_t room)
{
	uint64_t all = shortener->head + shortener->tail;
	uint64_t head = shortener->keep == CTX_KEEP_TAIL ? 0 : room;

	if (shortener->keep == CTX_KEEP_ENDS && all > 0)
		head = room / all * shortener->head +
		    room % all * shortener->head / all;
	if (shortener->unit == CTX_SIZE_LINES &&
	    shortener->keep == CTX_KEEP_ENDS && head == 0 && room > 0)
		head = 1;
	return (struct kept_room){head,
	    shortener->keep == CTX_KEEP_HEAD ? 0 : room - head};
}

/* Reduces the sizes of the kept beginning and the kept end of a text, because
 * the result exceeds the limit. size: size of the result.  Reduces the
 * beginning by the excess and, once nothing of it is left, the end.  But if the
 * counter corrects token counts by the kinds of characters, the excess may be
 * large.  Then both sizes are first reduced in proportion. */
static void
shrink_room(const struct shortener *shortener, struct kept_room *room,
    uint64_t size, uint64_t limit)
{
	uint64_t excess = size - limit, head;
	double share = (double)limit / (double)size;

	if (shortener->counter->corrects && excess > limit / 16) {
		excess = 1;
		room->head = (uint64_t)((double)room->head * share);
		room->tail = (uint64_t)((double)room->tail * share);
	}
	head = excess < room->head ? excess : room->head;

	room->head -= head;
	excess -= head;
	room->tail -= excess < room->tail ? excess : room->tail;
}

/* Finds the range of the text that is removed if the kept beginning and end may
 * have the numbers of tokens in *room.  Sets *kept to the number of tokens that
 * the kept beginning and end have together. */
static int
find_token_range(struct shortener *shortener,
    const struct text_segments *segments, const struct kept_room *room,
    struct cut_range *range, uint64_t *kept, struct ctx_err *err)
{
	const struct ctx_counter *counter = shortener->counter;
	const struct ctx_buf *text = &segments->text;
	size_t head_at, tail_at;
	uint64_t tokens;

	if (ctx_token_index_head(&shortener->index,
		ctx_tokens_to_encoding(counter, room->head), &head_at, kept,
		err) < 0 ||
	    ctx_token_index_tail(&shortener->index,
		ctx_tokens_to_encoding(counter, room->tail), &tail_at, &tokens,
		err) < 0)
		return -1;
	*kept = ctx_correct_tokens(counter, *kept + tokens,
	    ctx_text_correction(counter, text->p, head_at) +
		ctx_text_correction(counter, text->p + tail_at,
		    text->n - tail_at));
	ctx_cut_find_points(range, segments, CTX_SIZE_BYTES, text->n, head_at,
	    tail_at > head_at ? text->n - tail_at : 0);
	return 0;
}

/* Finds the range of the text that is removed if the limit is in tokens.
 * Reduces the kept text until the result does not exceed the limit.  Several
 * steps may be needed, because the number of tokens of a text is not the sum of
 * the tokens of its parts. */
static int
fit_tokens(struct shortener *shortener, const struct text_segments *segments,
    uint64_t limit, struct kept_room room, struct cut_range *range,
    struct ctx_err *err)
{
	uint64_t total = segments->size, kept, size;

	/* The index of token counts is built only once, although several places
	 * to cut are tried. */
	ctx_token_index_reset(&shortener->index);
	if (ctx_token_index_append(&shortener->index,
		shortener->counter->tokens, ctx_buf_str(&segments->text),
		err) < 0)
		return -1;
	for (;;) {
		if (find_token_range(shortener, segments, &room, range, &kept,
			err) < 0 ||
		    ctx_cut_update_mark(shortener, segments, range,
			total > kept ? total - kept : 1, err) < 0 ||
		    ctx_cut_measure_outcome(shortener, segments, range, &size,
			err) < 0)
			return -1;
		if (size <= limit || (room.head == 0 && room.tail == 0))
			return 0;
		shrink_room(shortener, &room, size, limit);
	}
}

/* Finds the range of the text that is removed, and writes the size of the
 * removed text into the mark that replaces it. */
static int
find_range(struct shortener *shortener, const struct text_segments *segments,
    uint64_t limit, struct kept_room room, struct cut_range *range,
    struct ctx_err *err)
{
	if (shortener->unit == CTX_SIZE_TOKENS)
		return fit_tokens(shortener, segments, limit, room, range, err);
	ctx_cut_find_points(range, segments, shortener->unit, segments->size,
	    room.head, room.tail);
	return ctx_cut_update_mark(shortener, segments, range,
	    range->tail.size_before - range->head.size_before, err);
}

/*
 * Protects the reference at the end of a text from being cut.  (ctx-age
 * replaces a long tool result by its beginning and a reference to the file with
 * the full result.)  Sets *reference_size to the size of the reference.  Sets
 * it to 0 if there is no reference, or if the reference alone is as large as
 * the limit or larger.
 */
static int
protect_reference(struct shortener *shortener, struct text_segments *segments,
    uint64_t limit, uint64_t *reference_size, struct ctx_err *err)
{
	struct text_segment *segment = &segments->list[0];
	struct ctx_buf *text = &segments->text;
	struct ctx_reference ref;
	size_t from;

	*reference_size = 0;
	if (segments->n > 1 || segment->literal.n == 0 || segment->is_json ||
	    segment->literal.p[segment->literal.n - 2] != ']' ||
	    !ctx_reference_find(text->p, text->n, &ref))
		return 0;
	from = ref.at + (shortener->unit == CTX_SIZE_LINES && ref.at > 0);
	if (ctx_shorten_measure(shortener, text->p + from, text->n - from,
		reference_size, err) < 0)
		return -1;
	if (*reference_size >= limit) {
		*reference_size = 0;
		return 0;
	}
	ctx_text_segments_exclude_end(segments, text->n - ref.at);
	return 0;
}

/* Replaces the base64 payloads in the text by short texts.  Sets *extra to the
 * size of the payloads minus the size of the short texts.  Sets *fits to true
 * if the text then does not exceed the limit. */
static int
replace_payloads(struct shortener *shortener, struct text_segments *segments,
    uint64_t limit, uint64_t *extra, bool *fits, struct ctx_err *err)
{
	const struct cut_range all = {.tail.at = SIZE_MAX};
	size_t uncut_bytes = segments->uncut_bytes;

	*fits = false;
	if (ctx_text_segments_protect(segments, shortener, err) < 0)
		return -1;
	*extra = ctx_cut_payload_excess(segments, &all);
	if (*extra == 0)
		return 0;
	segments->uncut_bytes = 0;
	if (ctx_text_segments_read(segments, err) < 0 ||
	    measure_segments(shortener, segments, err) < 0)
		return -1;
	*fits = segments->size <= limit;
	ctx_text_segments_exclude_end(segments, uncut_bytes);
	return 0;
}

/* Finds the range that is removed from texts that exceed the limit, and chooses
 * the mark that replaces this range.  Sets *done to false if nothing can be
 * removed. */
static int
decide_cut(struct shortener *shortener, struct text_segments *segments,
    uint64_t limit, struct cut_range *range, bool *done, struct ctx_err *err)
{
	uint64_t reference_size, room, extra;
	bool fits;

	if (protect_reference(shortener, segments, limit, &reference_size,
		err) < 0 ||
	    replace_payloads(shortener, segments, limit, &extra, &fits, err) <
		0)
		return -1;
	if (fits)
		return 0;
	if (((extra > 0 || reference_size > 0) &&
		measure_segments(shortener, segments, err) < 0) ||
	    ctx_cut_choose_mark(shortener, segments, segments->size + extra,
		limit - reference_size, &room, err) < 0 ||
	    find_range(shortener, segments, limit, split_room(shortener, room),
		range, err) < 0 ||
	    ctx_cut_ensure_text(shortener, segments, range, done, err) < 0)
		return -1;
	ctx_text_segments_free_text(segments);
	return 0;
}

static int
shorten_segments(struct shortener *shortener, struct ctx_edits *edits,
    struct text_segments *segments, uint64_t limit, bool *done,
    struct ctx_err *err)
{
	struct cut_range range = {.head.segment = segments->n,
	    .tail.segment = segments->n,
	    .mark_segment = segments->n};

	*done = false;
	segments->uncut_bytes = 0;
	if (ctx_text_segments_read(segments, err) < 0 ||
	    measure_segments(shortener, segments, err) < 0)
		return -1;
	if (segments->size <= limit)
		return 0;
	*done = true;
	if (decide_cut(shortener, segments, limit, &range, done, err) < 0)
		return -1;
	return *done ? ctx_cut_apply(shortener, edits, segments, &range, err)
		     : 0;
}

int
ctx_shorten(struct shortener *shortener, struct ctx_edits *edits,
    struct text_segments *segments, uint64_t limit, bool *done,
    struct ctx_err *err)
{
	int rc = shorten_segments(shortener, edits, segments, limit, done, err);

	ctx_buf_reset(&segments->text);
	ctx_buf_reset(&segments->json_text);
	ctx_buf_reset(&segments->placeholder_literals);
	ctx_buf_reset(&shortener->text);
	ctx_buf_reset(&shortener->out);
	return rc;
}

void
ctx_argument_mark(char mark[CTX_ARGUMENT_MARK], uint64_t n, const char *unit)
{
	(void)snprintf(mark, CTX_ARGUMENT_MARK,
	    "{\"_ctx_cut\":\"%llu %s truncated\"}", (unsigned long long)n,
	    unit);
}

int
ctx_shorten_arguments(struct shortener *shortener, struct ctx_edits *edits,
    const struct ctx_json *json, uint32_t args, const char *mark,
    struct ctx_err *err)
{
	struct ctx_buf *out = &shortener->out;

	out->n = 0;
	if (ctx_json_is_string(json, args)
		? ctx_json_string_encode(out, mark, strlen(mark), err) < 0
		: ctx_buf_add(out, mark, strlen(mark), err) < 0)
		return -1;
	return ctx_edits_replace(edits, ctx_json_str(json, args), out->p,
	    out->n, err);
}

void
ctx_shorten_release(struct shortener *shortener)
{
	ctx_buf_release(&shortener->text);
	ctx_buf_release(&shortener->mark);
	ctx_token_index_release(&shortener->index);
	ctx_buf_release(&shortener->out);
}
