/*
 * shorten.c - shortens texts to their limit
 *
 * The limit is shared by the mark and the rooms for head and tail.  Rooms in
 * tokens are converted to bytes, and the tokens of the outcome are checked.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dialect/result_content.h"
#include "store/reference.h"
#include "stream/edit_message.h"
#include "truncate/cut_points.h"
#include "truncate/text_segments.h"

/* the shortest mark, 3 bytes */
#define ELLIPSIS "\xe2\x80\xa6"

/* ---- sizes ---- */

/* Sets segments->size. */
static int
measure_segments(struct shortener *shortener, struct text_segments *segments,
    struct ctx_err *err)
{
	struct ctx_str text;
	uint64_t size;
	size_t i;

	segments->size = 0;
	for (i = 0; i < segments->n; i++) {
		text = ctx_text_segment_text(segments, &segments->list[i]);
		if (ctx_shorten_measure(shortener, text.p, text.n, &size, err) <
		    0)
			return -1;
		segments->size += size;
	}
	return 0;
}

/* ---- the outcome ---- */

/* The change of a segment: the text between from and to is removed, and the
 * mark is inserted there if marked is true. */
struct segment_change {
	enum { KEPT, REMOVED, CHANGED } action;
	size_t from, to;
	bool has_mark;
};

/* Returns the end of a segment's text, with the bytes that are not cut. */
static size_t
find_segment_end(const struct text_segments *segments,
    const struct text_segment *segment)
{
	return segment->to + (segments->n == 1 ? segments->uncut_bytes : 0);
}

static struct segment_change
find_segment_change(const struct text_segments *segments,
    const struct cut_range *range, size_t i)
{
	const struct text_segment *segment = &segments->list[i];
	const struct cut_point *head = &range->head, *tail = &range->tail;
	const size_t begin = segment->from,
		     end = find_segment_end(segments, segment);
	struct segment_change change = {.action = CHANGED,
	    .from = begin,
	    .to = begin};

	if (segment->literal.n == 0) {
		change.action =
		    i >= head->segment && i < tail->segment ? REMOVED : KEPT;
		return change;
	}
	if (i <= head->segment)
		change.from = i < head->segment ? end : head->at;
	if (i <= tail->segment)
		change.to = i < tail->segment ? end : tail->at;
	change.has_mark = i == range->mark_segment;
	if (change.has_mark)
		return change;
	if (change.from == change.to)
		change.action = segment->has_placeholders ? CHANGED : KEPT;
	else if (change.from == begin && change.to == end)
		change.action = REMOVED;
	return change;
}

/* Returns the text that marks the removed part ("[... 12 characters
 * truncated ...]"), without quotes; "" if this text gets none. */
static struct ctx_str
get_mark_text(const struct shortener *shortener,
    const struct segment_change *change)
{
	if (!change->has_mark)
		return (struct ctx_str){"", 0};
	return (struct ctx_str){shortener->mark.p + 1, shortener->mark.n - 2};
}

/* Sets *total to the size of the texts after the change. */
static int
measure_outcome(struct shortener *shortener,
    const struct text_segments *segments, const struct cut_range *range,
    uint64_t *total, struct ctx_err *err)
{
	const struct ctx_str mark = {shortener->mark.p, shortener->mark.n};
	const char *p = segments->text.p;
	const struct text_segment *segment;
	struct segment_change change;
	struct ctx_str text;
	uint64_t size;
	size_t i;

	*total = 0;
	for (i = 0; i < segments->n; i++) {
		segment = &segments->list[i];
		change = find_segment_change(segments, range, i);
		if (change.action == REMOVED)
			continue;
		text = ctx_text_segment_text(segments, segment);
		if (segment->literal.n > 0) {
			shortener->text.n = 0;
			if (ctx_buf_add(&shortener->text, p + segment->from,
				change.from - segment->from, err) < 0 ||
			    (change.has_mark &&
				ctx_json_string_decode(&shortener->text, mark,
				    err) < 0) ||
			    ctx_buf_add(&shortener->text, p + change.to,
				find_segment_end(segments, segment) - change.to,
				err) < 0)
				return -1;
			text = (struct ctx_str){shortener->text.p,
			    shortener->text.n};
		}
		if (ctx_shorten_measure(shortener, text.p, text.n, &size, err) <
		    0)
			return -1;
		*total += size;
	}
	return 0;
}

/* A part of a segment's literal, in bytes, and the mark that replaces it. */
struct literal_change {
	size_t from, to;
	struct ctx_str mark; /* without quotes */
};

/* Appends the JSON of a result that becomes a text, with its change.  form is
 * the JSON before and after the string (ctx_result_content_form). */
static int
append_text_result(struct ctx_buf *out, const char *const *form,
    struct ctx_str text, const struct literal_change *change,
    struct ctx_err *err)
{
	size_t at;

	if (ctx_buf_printf(out, err, "%s", form[0]) < 0 ||
	    ctx_json_string_encode(out, text.p, change->from, err) < 0)
		return -1;
	/* Remove the quotes between the literals. */
	out->n--;
	if (ctx_buf_add(out, change->mark.p, change->mark.n, err) < 0)
		return -1;
	at = out->n;
	if (ctx_json_string_encode(out, text.p + change->to,
		text.n - change->to, err) < 0)
		return -1;
	memmove(out->p + at, out->p + at + 1, --out->n - at);
	return ctx_buf_printf(out, err, "%s", form[1]);
}

/* Appends a string literal with its change. */
static int
append_literal(struct ctx_buf *out, struct ctx_str literal,
    const struct literal_change *change, struct ctx_err *err)
{
	if (ctx_buf_add(out, literal.p, change->from, err) < 0 ||
	    ctx_buf_add(out, change->mark.p, change->mark.n, err) < 0)
		return -1;
	return ctx_buf_add(out, literal.p + change->to, literal.n - change->to,
	    err);
}

/* Adds the edit that makes a change of a segment. */
static int
edit_segment(const struct shortener *shortener, struct ctx_edits *edits,
    const struct text_segments *segments, const struct text_segment *segment,
    const struct segment_change *change, struct ctx_err *err)
{
	const struct ctx_message *message = &segments->message;
	struct literal_change part = {.mark = get_mark_text(shortener, change)};
	struct ctx_str literal = segment->literal;
	size_t stored = edits->store.n;

	part.from = ctx_text_segment_seek(segment, !segment->is_json,
	    change->from - segment->from);
	part.to = ctx_text_segment_seek(segment, part.from,
	    change->to - change->from);
	if (!segment->is_json && !segment->has_placeholders)
		return ctx_edits_replace(edits,
		    (struct ctx_str){literal.p + part.from,
			part.to - part.from},
		    part.mark.p, part.mark.n, err);
	if (segment->is_json
		? append_text_result(&edits->store,
		      ctx_result_content_form(message->json, segment->node,
			  message->dialect),
		      literal, &part, err) < 0
		: append_literal(&edits->store, literal, &part, err) < 0)
		return -1;
	return ctx_edits_replace_stored(edits,
	    ctx_json_str(message->json, segment->node), stored, err);
}

static int
remove_range(struct shortener *shortener, struct ctx_edits *edits,
    const struct text_segments *segments, const struct cut_range *range,
    struct ctx_err *err)
{
	/* source has only the blocks of this result; the message may have very
	 * many. */
	const struct ctx_message *source = &segments->message;
	size_t nodes = source->json->nodes[source->node].next - source->node, i;
	const struct text_segment *segment;
	struct segment_change change;
	int rc = -1;
	bool *removed;

	removed = calloc(nodes, sizeof *removed);
	if (removed == NULL)
		return ctx_err_nomem(err);
	for (i = 0; i < segments->n; i++) {
		segment = &segments->list[i];
		change = find_segment_change(segments, range, i);
		if (change.action == REMOVED && segment->removable != 0)
			removed[segment->removable - source->node] = true;
		else if (change.action != KEPT &&
		    edit_segment(shortener, edits, segments, segment, &change,
			err) < 0)
			goto out;
	}
	rc = ctx_edits_remove_nodes(edits, source, removed, err);
out:
	free(removed);
	return rc;
}

/* ---- head, tail and mark ---- */

/* Returns how much larger the removed payloads were than their placeholders. */
static uint64_t
sum_payload_excess(const struct text_segments *segments,
    const struct cut_range *range)
{
	uint64_t extra = 0;
	size_t i;

	for (i = 0; i < segments->n_spans; i++) {
		const struct protected_span *span = &segments->spans[i];

		if (span->from >= range->head.at && span->to <= range->tail.at)
			extra += span->excess;
	}
	return extra;
}

/* Returns true if the mark is at the end of a message's own text. */
static bool
is_mark_last(const struct text_segments *segments,
    const struct cut_range *range)
{
	return segments->is_message_text && range->tail.at == segments->text.n;
}

/* Sets cut->mark to the literal of mark. */
static int
set_mark(struct shortener *shortener, const char *mark, struct ctx_err *err)
{
	shortener->mark.n = 0;
	return ctx_json_string_encode(&shortener->mark, mark, strlen(mark),
	    err);
}

/* Sets the mark for a removed size of gone.  If last is true, it is the end of
 * a message's own text and has no line feed: Anthropic refuses trailing white
 * space in a last assistant message (langchain #35071). */
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

/* Sets *size to the size of the mark. */
static int
measure_mark(struct shortener *shortener, uint64_t limit, uint64_t *size,
    struct ctx_err *err)
{
	shortener->text.n = 0;
	if (ctx_json_string_decode(&shortener->text,
		(struct ctx_str){shortener->mark.p, shortener->mark.n},
		err) < 0 ||
	    ctx_shorten_measure(shortener, shortener->text.p, shortener->text.n,
		size, err) < 0)
		return -1;
	/* The mark's first line feed ends the line before it. */
	if (shortener->unit == CTX_SIZE_LINES &&
	    shortener->keep != CTX_KEEP_TAIL && limit > 1 && *size > 1)
		--*size;
	return 0;
}

/* Chooses the longest mark that fits into limit: with the removed size (at most
 * removed), an ellipsis, or none.  Sets *room to the rest of limit. */
static int
choose_mark(struct shortener *shortener, const struct text_segments *segments,
    uint64_t removed, uint64_t limit, uint64_t *room, struct ctx_err *err)
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

/* Writes the removed size into the mark, if the mark gives it.  removed does
 * not include how much larger replaced payloads were. */
static int
update_mark(struct shortener *shortener, const struct text_segments *segments,
    const struct cut_range *range, uint64_t removed, struct ctx_err *err)
{
	if (!shortener->mark_has_size)
		return 0;
	return set_full_mark(shortener,
	    sum_payload_excess(segments, range) + removed,
	    is_mark_last(segments, range), err);
}

/*
 * Makes an ellipsis of a message's own text if no mark fits and the text that
 * is left may be blank: providers refuse blank messages.  The ellipsis may
 * exceed the limit, but sets *done to false if the text is not longer.
 */
static int
ensure_visible_text(struct shortener *shortener,
    const struct text_segments *segments, struct cut_range *range, bool *done,
    struct ctx_err *err)
{
	const struct ctx_buf *text = &segments->text;

	if (!segments->is_message_text || shortener->mark.n > 2 ||
	    (segments->n == 1 &&
		!(ctx_cut_is_blank(text->p, range->head.at) &&
		    ctx_cut_is_blank(text->p + range->tail.at,
			text->n - range->tail.at))))
		return 0;
	*done = text->n > strlen(ELLIPSIS);
	ctx_cut_find_points(range, segments, CTX_SIZE_BYTES, text->n, 0, 0);
	return set_mark(shortener, ELLIPSIS, err);
}

/* The most that head and tail may have together with the mark, in the unit of
 * the limit. */
struct kept_room {
	uint64_t head, tail;
};

/* Splits room between head and tail. */
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

/* Takes excess off the head, and what is more than the head off the tail. */
static void
shrink_room(struct kept_room *room, uint64_t excess)
{
	uint64_t head = excess < room->head ? excess : room->head;

	room->head -= head;
	excess -= head;
	room->tail -= excess < room->tail ? excess : room->tail;
}

/* Finds the range to remove for rooms in tokens; *kept is the tokens of head
 * and tail. */
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
	*kept = ctx_tokens_to_model(counter, *kept + tokens);
	ctx_cut_find_points(range, segments, CTX_SIZE_BYTES, text->n, head_at,
	    tail_at > head_at ? text->n - tail_at : 0);
	return 0;
}

/* Finds the range to remove if the limit is in tokens.  Token counts are not
 * additive, so the rooms shrink until the outcome fits. */
static int
fit_tokens(struct shortener *shortener, const struct text_segments *segments,
    uint64_t limit, struct kept_room room, struct cut_range *range,
    struct ctx_err *err)
{
	uint64_t total = segments->size, kept, size;

	/* The index is built once for all rooms that are tried. */
	ctx_token_index_reset(&shortener->index);
	if (ctx_token_index_append(&shortener->index,
		shortener->counter->tokens,
		(struct ctx_str){segments->text.p, segments->text.n}, err) < 0)
		return -1;
	for (;;) {
		if (find_token_range(shortener, segments, &room, range, &kept,
			err) < 0 ||
		    update_mark(shortener, segments, range,
			total > kept ? total - kept : 1, err) < 0 ||
		    measure_outcome(shortener, segments, range, &size, err) < 0)
			return -1;
		if (size <= limit || (room.head == 0 && room.tail == 0))
			return 0;
		shrink_room(&room, size - limit);
	}
}

/* Finds the range to remove, and writes its size into the mark. */
static int
find_range(struct shortener *shortener, const struct text_segments *segments,
    uint64_t limit, struct kept_room room, struct cut_range *range,
    struct ctx_err *err)
{
	if (shortener->unit == CTX_SIZE_TOKENS)
		return fit_tokens(shortener, segments, limit, room, range, err);
	ctx_cut_find_points(range, segments, shortener->unit, segments->size,
	    room.head, room.tail);
	return update_mark(shortener, segments, range,
	    range->tail.size_before - range->head.size_before, err);
}

/*
 * Excludes the reference at the end of an aged result from the cut.  *less is
 * its size, or 0 if there is none or it exceeds the limit alone.
 */
static int
protect_reference(struct shortener *shortener, struct text_segments *segments,
    uint64_t limit, uint64_t *reference_size, struct ctx_err *err)
{
	struct text_segment *segment = &segments->list[0];
	struct ctx_buf *text = &segments->text;
	struct reference ref;
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

/* Replaces payloads by placeholders.  Sets *extra to how much larger the
 * payloads were, and *fits to true if nothing else needs to be cut. */
static int
replace_payloads(struct shortener *shortener, struct text_segments *segments,
    uint64_t limit, uint64_t *extra, bool *fits, struct ctx_err *err)
{
	const struct cut_range all = {.tail.at = SIZE_MAX};
	size_t uncut_bytes = segments->uncut_bytes;

	*fits = false;
	if (ctx_text_segments_protect(segments, shortener, err) < 0)
		return -1;
	*extra = sum_payload_excess(segments, &all);
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

/* Finds the range to remove from segments that exceed the limit, and chooses
 * the mark.  Sets *done to false if nothing is to be changed. */
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
	    choose_mark(shortener, segments, segments->size + extra,
		limit - reference_size, &room, err) < 0 ||
	    find_range(shortener, segments, limit, split_room(shortener, room),
		range, err) < 0 ||
	    ensure_visible_text(shortener, segments, range, done, err) < 0)
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
	return *done ? remove_range(shortener, edits, segments, &range, err)
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
ctx_shorten_release(struct shortener *shortener)
{
	ctx_buf_release(&shortener->text);
	ctx_buf_release(&shortener->mark);
	ctx_token_index_release(&shortener->index);
	ctx_buf_release(&shortener->out);
}
