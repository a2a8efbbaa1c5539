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

static int
measure_segments(struct shortener *cut,
    const struct text_segments *text_segments, uint64_t *total,
    struct ctx_err *err)
{
	struct ctx_str text;
	uint64_t size;
	size_t i;

	*total = 0;
	for (i = 0; i < text_segments->n; i++) {
		text = ctx_text_segment_text(text_segments,
		    &text_segments->list[i]);
		if (ctx_shorten_measure(cut, text.p, text.n, &size, err) < 0)
			return -1;
		*total += size;
	}
	return 0;
}

/* ---- the outcome ---- */

/* The change of a segment: the text between from and to is removed, and the
 * mark is inserted there if marked is true. */
struct change {
	enum { STAYS, GOES, CHANGES } fate;
	size_t from, to;
	bool marked;
};

/* Returns the end of a segment's text, with the bytes that are not cut. */
static size_t
find_segment_end(const struct text_segments *text_segments,
    const struct text_segment *segment)
{
	return segment->to +
	    (text_segments->n == 1 ? text_segments->spared : 0);
}

static struct change
find_change(const struct text_segments *text_segments,
    const struct cut_range *range, size_t i)
{
	const struct text_segment *segment = &text_segments->list[i];
	const struct cut_point *head = &range->head, *tail = &range->tail;
	const size_t begin = segment->from,
		     end = find_segment_end(text_segments, segment);
	struct change change = {.fate = CHANGES, .from = begin, .to = begin};

	if (segment->literal.n == 0) {
		change.fate =
		    i >= head->piece && i < tail->piece ? GOES : STAYS;
		return change;
	}
	if (i <= head->piece)
		change.from = i < head->piece ? end : head->at;
	if (i <= tail->piece)
		change.to = i < tail->piece ? end : tail->at;
	change.marked = i == range->host;
	if (change.marked)
		return change;
	if (change.from == change.to)
		change.fate = segment->plain ? CHANGES : STAYS;
	else if (change.from == begin && change.to == end)
		change.fate = GOES;
	return change;
}

/* Returns the text that marks the removed part ("[... 12 characters
 * truncated ...]"), without quotes; "" if this text gets none. */
static struct ctx_str
get_mark_text(const struct shortener *cut, const struct change *change)
{
	if (!change->marked)
		return (struct ctx_str){"", 0};
	return (struct ctx_str){cut->mark.p + 1, cut->mark.n - 2};
}

/* Sets *total to the size of the texts after the change. */
static int
measure_outcome(struct shortener *cut,
    const struct text_segments *text_segments, const struct cut_range *range,
    uint64_t *total, struct ctx_err *err)
{
	const struct ctx_str mark = {cut->mark.p, cut->mark.n};
	const char *p = text_segments->text.p;
	const struct text_segment *segment;
	struct change change;
	struct ctx_str text;
	uint64_t size;
	size_t i;

	*total = 0;
	for (i = 0; i < text_segments->n; i++) {
		segment = &text_segments->list[i];
		change = find_change(text_segments, range, i);
		if (change.fate == GOES)
			continue;
		text = ctx_text_segment_text(text_segments, segment);
		if (segment->literal.n > 0) {
			cut->text.n = 0;
			if (ctx_buf_add(&cut->text, p + segment->from,
				change.from - segment->from, err) < 0 ||
			    (change.marked &&
				ctx_json_string_decode(&cut->text, mark, err) <
				    0) ||
			    ctx_buf_add(&cut->text, p + change.to,
				find_segment_end(text_segments, segment) -
				    change.to,
				err) < 0)
				return -1;
			text = (struct ctx_str){cut->text.p, cut->text.n};
		}
		if (ctx_shorten_measure(cut, text.p, text.n, &size, err) < 0)
			return -1;
		*total += size;
	}
	return 0;
}

/* Writes the body of a result that becomes a text, with its change. */
static int
make_body(const char *const *form, struct ctx_str text, size_t from, size_t to,
    struct ctx_str mark, struct ctx_buf *out, struct ctx_err *err)
{
	size_t at;

	if (ctx_buf_printf(out, err, "%s", form[0]) < 0 ||
	    ctx_json_string_encode(out, text.p, from, err) < 0)
		return -1;
	/* Remove the quotes between the literals. */
	out->n--;
	if (ctx_buf_add(out, mark.p, mark.n, err) < 0)
		return -1;
	at = out->n;
	if (ctx_json_string_encode(out, text.p + to, text.n - to, err) < 0)
		return -1;
	memmove(out->p + at, out->p + at + 1, --out->n - at);
	return ctx_buf_printf(out, err, "%s", form[1]);
}

static int
edit_segment(const struct shortener *cut, struct ctx_edits *edits,
    const struct text_segments *text_segments,
    const struct ctx_dialect *dialect, const struct text_segment *segment,
    const struct change *change, struct ctx_err *err)
{
	struct ctx_str mark = get_mark_text(cut, change),
		       text = segment->literal;
	struct ctx_buf *out = &edits->store;
	size_t stored = out->n, from, to;

	from = ctx_text_segment_seek(segment, !segment->made,
	    change->from - segment->from);
	to = ctx_text_segment_seek(segment, from, change->to - change->from);
	if (!segment->made && !segment->plain)
		return ctx_edits_replace(edits,
		    (struct ctx_str){text.p + from, to - from}, mark.p, mark.n,
		    err);
	if (segment->made
		? make_body(ctx_result_content_form(text_segments->item.json,
				segment->node, dialect),
		      text, from, to, mark, out, err) < 0
		: ctx_buf_add(out, text.p, from, err) < 0 ||
		    ctx_buf_add(out, mark.p, mark.n, err) < 0 ||
		    ctx_buf_add(out, text.p + to, text.n - to, err) < 0)
		return -1;
	return ctx_edits_replace_stored(edits,
	    ctx_json_str(text_segments->item.json, segment->node), stored, err);
}

static int
replace_range(struct shortener *cut, struct ctx_edits *edits,
    const struct ctx_dialect *dialect,
    const struct text_segments *text_segments, const struct cut_range *range,
    struct ctx_err *err)
{
	/* item has only the blocks of this result; the message may have very
	 * many. */
	const struct ctx_message *item = &text_segments->item;
	size_t nodes = item->json->nodes[item->node].next - item->node, i;
	const struct text_segment *segment;
	struct change change;
	int rc = -1;
	bool *gone;

	gone = calloc(nodes, sizeof *gone);
	if (gone == NULL)
		return ctx_err_nomem(err);
	for (i = 0; i < text_segments->n; i++) {
		segment = &text_segments->list[i];
		change = find_change(text_segments, range, i);
		if (change.fate == GOES && segment->child != 0)
			gone[segment->child - item->node] = true;
		else if (change.fate != STAYS &&
		    edit_segment(cut, edits, text_segments, dialect, segment,
			&change, err) < 0)
			goto out;
	}
	rc = ctx_edits_remove_nodes(edits, item, gone, err);
out:
	free(gone);
	return rc;
}

/* ---- head, tail and mark ---- */

/* Returns how much larger the removed payloads were than their placeholders. */
static uint64_t
sum_payload_excess(const struct text_segments *text_segments,
    const struct cut_range *range)
{
	uint64_t extra = 0;
	size_t i;

	for (i = 0; i < text_segments->n_atoms; i++) {
		const struct protected_span *atom = &text_segments->atoms[i];

		if (atom->from >= range->head.at && atom->to <= range->tail.at)
			extra += atom->extra;
	}
	return extra;
}

/* Returns true if the mark is at the end of a message's own text. */
static bool
is_mark_last(const struct text_segments *text_segments,
    const struct cut_range *range)
{
	return text_segments->speaks && range->tail.at == text_segments->text.n;
}

/* Sets cut->mark to the literal of mark. */
static int
set_mark(struct shortener *cut, const char *mark, struct ctx_err *err)
{
	cut->mark.n = 0;
	return ctx_json_string_encode(&cut->mark, mark, strlen(mark), err);
}

/* Sets the mark for a removed size of gone.  If last is true, it is the end of
 * a message's own text and has no line feed: Anthropic refuses trailing white
 * space in a last assistant message (langchain #35071). */
static int
set_full_mark(struct shortener *cut, uint64_t gone, bool last,
    struct ctx_err *err)
{
	static const char *const units[] = {"character", "byte", "token",
	    "line"};
	char mark[80];

	(void)snprintf(mark, sizeof mark,
	    "\n[\xe2\x80\xa6 %llu %s%s truncated \xe2\x80\xa6]%s",
	    (unsigned long long)gone, units[cut->unit], gone == 1 ? "" : "s",
	    last ? "" : "\n");
	return set_mark(cut, mark, err);
}

/* Sets *size to the size of the mark. */
static int
measure_mark(struct shortener *cut, uint64_t limit, uint64_t *size,
    struct ctx_err *err)
{
	cut->text.n = 0;
	if (ctx_json_string_decode(&cut->text,
		(struct ctx_str){cut->mark.p, cut->mark.n}, err) < 0 ||
	    ctx_shorten_measure(cut, cut->text.p, cut->text.n, size, err) < 0)
		return -1;
	/* The mark's first line feed ends the line before it. */
	if (cut->unit == CTX_SIZE_LINES && cut->keep != CTX_KEEP_TAIL &&
	    limit > 1 && *size > 1)
		--*size;
	return 0;
}

/* Chooses the longest mark that fits into limit.  Sets *room to the rest of
 * limit, and *full to true if the mark gives the removed size. */
static int
choose_mark(struct shortener *cut, const struct text_segments *text_segments,
    uint64_t total, uint64_t limit, uint64_t *room, bool *full,
    struct ctx_err *err)
{
	uint64_t size;

	*full = true;
	if (set_full_mark(cut, total,
		text_segments->speaks && cut->keep == CTX_KEEP_HEAD, err) < 0 ||
	    measure_mark(cut, limit, &size, err) < 0)
		return -1;
	if (size > limit) {
		*full = false;
		if (set_mark(cut, ELLIPSIS, err) < 0 ||
		    measure_mark(cut, limit, &size, err) < 0)
			return -1;
	}
	if (size > limit) {
		size = 0;
		if (set_mark(cut, "", err) < 0)
			return -1;
	}
	*room = limit - size;
	return 0;
}

/*
 * Makes an ellipsis of a message's own text if no mark fits and the text that
 * is left may be blank: providers refuse blank messages.  The ellipsis may
 * exceed the limit, but sets *done to false if the text is not longer.
 */
static int
keep_shortest_mark(struct shortener *cut,
    const struct text_segments *text_segments, struct cut_range *range,
    bool *done, struct ctx_err *err)
{
	const struct ctx_buf *text = &text_segments->text;

	if (!text_segments->speaks || cut->mark.n > 2 ||
	    (text_segments->n == 1 &&
		!(ctx_cut_is_blank(text->p, range->head.at) &&
		    ctx_cut_is_blank(text->p + range->tail.at,
			text->n - range->tail.at))))
		return 0;
	*done = text->n > strlen(ELLIPSIS);
	ctx_cut_find_points(range, text_segments, CTX_SIZE_BYTES, text->n, 0,
	    0);
	return set_mark(cut, ELLIPSIS, err);
}

/* Splits room between head and tail. */
static void
split_room(const struct shortener *cut, uint64_t room, uint64_t *head,
    uint64_t *tail)
{
	uint64_t all = cut->head + cut->tail;

	*head = cut->keep == CTX_KEEP_TAIL ? 0 : room;
	if (cut->keep == CTX_KEEP_ENDS && all > 0)
		*head = room / all * cut->head + room % all * cut->head / all;
	if (cut->unit == CTX_SIZE_LINES && cut->keep == CTX_KEEP_ENDS &&
	    *head == 0 && room > 0)
		*head = 1;
	*tail = room - *head;
	if (cut->keep == CTX_KEEP_HEAD)
		*tail = 0;
}

/* Finds the range to remove for rooms in tokens; *kept is the tokens of head
 * and tail. */
static int
find_token_range(struct shortener *cut,
    const struct text_segments *text_segments, uint64_t head, uint64_t tail,
    struct cut_range *range, uint64_t *kept, struct ctx_err *err)
{
	const struct ctx_buf *text = &text_segments->text;
	size_t head_at, tail_at;
	uint64_t tokens;

	head = ctx_tokens_to_encoding(cut->counter, head);
	tail = ctx_tokens_to_encoding(cut->counter, tail);
	if (ctx_token_index_head(&cut->index, head, &head_at, kept, err) < 0 ||
	    ctx_token_index_tail(&cut->index, tail, &tail_at, &tokens, err) < 0)
		return -1;
	*kept = ctx_tokens_to_model(cut->counter, *kept + tokens);
	ctx_cut_find_points(range, text_segments, CTX_SIZE_BYTES, text->n,
	    head_at, tail_at > head_at ? text->n - tail_at : 0);
	return 0;
}

/* Finds the range to remove.  Token counts are not additive, so the rooms
 * shrink until the outcome fits. */
static int
cut_tokens(struct shortener *cut, const struct text_segments *text_segments,
    uint64_t total, uint64_t limit, bool full, uint64_t head, uint64_t tail,
    struct cut_range *range, struct ctx_err *err)
{
	uint64_t kept, size, over;

	/* The index is built once for all rooms that are tried. */
	ctx_token_index_reset(&cut->index);
	if (ctx_token_index_append(&cut->index, cut->counter->tokens,
		(struct ctx_str){text_segments->text.p, text_segments->text.n},
		err) < 0)
		return -1;
	for (;;) {
		if (find_token_range(cut, text_segments, head, tail, range,
			&kept, err) < 0 ||
		    (full &&
			set_full_mark(cut,
			    sum_payload_excess(text_segments, range) +
				(total > kept ? total - kept : 1),
			    is_mark_last(text_segments, range), err) < 0) ||
		    measure_outcome(cut, text_segments, range, &size, err) < 0)
			return -1;
		if (size <= limit || (head == 0 && tail == 0))
			return 0;
		over = size - limit;
		if (over <= head) {
			head -= over;
		} else {
			over -= head;
			head = 0;
			tail -= over < tail ? over : tail;
		}
	}
}

/*
 * Excludes the reference at the end of an aged result from the cut.  *less is
 * its size, or 0 if there is none or it exceeds the limit alone.
 */
static int
protect_reference(struct shortener *cut, struct text_segments *text_segments,
    uint64_t limit, uint64_t *less, struct ctx_err *err)
{
	struct text_segment *segment = &text_segments->list[0];
	struct ctx_buf *text = &text_segments->text;
	struct reference ref;
	size_t from;

	*less = 0;
	if (text_segments->n > 1 || segment->literal.n == 0 || segment->made ||
	    segment->literal.p[segment->literal.n - 2] != ']' ||
	    !ctx_reference_find(text->p, text->n, &ref))
		return 0;
	from = ref.at + (cut->unit == CTX_SIZE_LINES && ref.at > 0);
	if (ctx_shorten_measure(cut, text->p + from, text->n - from, less,
		err) < 0)
		return -1;
	if (*less >= limit) {
		*less = 0;
		return 0;
	}
	ctx_text_segments_spare(text_segments, text->n - ref.at);
	return 0;
}

/* Replaces payloads by placeholders.  Sets *extra to how much larger the
 * payloads were, and *fits to true if nothing else needs to be cut. */
static int
replace_payloads(struct shortener *cut, const struct ctx_message *message,
    struct text_segments *text_segments, uint64_t limit, uint64_t *extra,
    bool *fits, struct ctx_err *err)
{
	const struct cut_range all = {.tail.at = SIZE_MAX};
	size_t spared = text_segments->spared;
	uint64_t size;

	*fits = false;
	if (ctx_text_segments_plain(text_segments, cut, err) < 0)
		return -1;
	*extra = sum_payload_excess(text_segments, &all);
	if (*extra == 0)
		return 0;
	text_segments->spared = 0;
	if (ctx_text_segments_read(text_segments, message->json, err) < 0 ||
	    measure_segments(cut, text_segments, &size, err) < 0)
		return -1;
	*fits = size <= limit;
	ctx_text_segments_spare(text_segments, spared);
	return 0;
}

static int
shorten_texts(struct shortener *cut, struct ctx_edits *edits,
    const struct ctx_message *message, const struct ctx_dialect *dialect,
    struct text_segments *text_segments, uint64_t limit, bool *done,
    struct ctx_err *err)
{
	uint64_t total, less, room, extra, head, tail;
	struct cut_range range = {.head.piece = text_segments->n,
	    .tail.piece = text_segments->n,
	    .host = text_segments->n};
	bool full, fits;

	*done = false;
	text_segments->spared = 0;
	if (ctx_text_segments_read(text_segments, message->json, err) < 0 ||
	    measure_segments(cut, text_segments, &total, err) < 0)
		return -1;
	if (total <= limit)
		return 0;
	*done = true;
	if (protect_reference(cut, text_segments, limit, &less, err) < 0 ||
	    replace_payloads(cut, message, text_segments, limit, &extra, &fits,
		err) < 0)
		return -1;
	if (fits)
		return replace_range(cut, edits, dialect, text_segments, &range,
		    err);
	if (((extra > 0 || less > 0) &&
		measure_segments(cut, text_segments, &total, err) < 0) ||
	    choose_mark(cut, text_segments, total + extra, limit - less, &room,
		&full, err) < 0)
		return -1;
	split_room(cut, room, &head, &tail);
	if (cut->unit == CTX_SIZE_TOKENS) {
		if (cut_tokens(cut, text_segments, total, limit, full, head,
			tail, &range, err) < 0)
			return -1;
	} else {
		ctx_cut_find_points(&range, text_segments, cut->unit, total,
		    head, tail);
		if (full &&
		    set_full_mark(cut,
			sum_payload_excess(text_segments, &range) +
			    range.tail.size - range.head.size,
			is_mark_last(text_segments, &range), err) < 0)
			return -1;
	}
	if (keep_shortest_mark(cut, text_segments, &range, done, err) < 0)
		return -1;
	ctx_text_segments_forget(text_segments);
	return *done
	    ? replace_range(cut, edits, dialect, text_segments, &range, err)
	    : 0;
}

int
ctx_shorten(struct shortener *cut, struct ctx_edits *edits,
    const struct ctx_message *message, const struct ctx_dialect *dialect,
    struct text_segments *text_segments, uint64_t limit, bool *done,
    struct ctx_err *err)
{
	int rc = shorten_texts(cut, edits, message, dialect, text_segments,
	    limit, done, err);

	ctx_buf_reset(&text_segments->text);
	ctx_buf_reset(&text_segments->made);
	ctx_buf_reset(&text_segments->plain);
	ctx_buf_reset(&cut->text);
	ctx_buf_reset(&cut->out);
	return rc;
}

void
ctx_shorten_release(struct shortener *cut)
{
	ctx_buf_release(&cut->text);
	ctx_buf_release(&cut->mark);
	ctx_token_index_release(&cut->index);
	ctx_buf_release(&cut->out);
}
