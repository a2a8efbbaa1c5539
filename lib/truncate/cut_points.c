/*
 * cut_points.c - where long texts are cut
 *
 * The concatenated text segments are searched for the two ends of the removed
 * middle: the last place with at most head_room before it, and the first place
 * with at most tail_room after it.  Places are between grapheme clusters and
 * outside of protected spans.  Clusters are computed only near these two
 * places, from a place on that is a cluster's start for certain.
 */
#include <string.h>

#include "truncate/cut_points.h"

struct walk {
	const struct text_segments *text_segments;
	enum ctx_size unit;
	uint64_t total, head_room, tail_room;
	size_t at;       /* the current place, in bytes */
	uint64_t before; /* bytes, characters or complete lines before it */
	struct cut_range range;
	bool tail_found;
};

struct ctx_str
ctx_text_segment_text(const struct text_segments *text_segments,
    const struct text_segment *segment)
{
	return (struct ctx_str){text_segments->text.p + segment->from,
	    segment->to - segment->from};
}

uint64_t
ctx_cut_line_feeds(const char *p, size_t n)
{
	const char *end = p + n, *feed;
	uint64_t feeds = 0;

	for (; (feed = memchr(p, '\n', (size_t)(end - p))) != NULL; feeds++)
		p = feed + 1;
	return feeds;
}

static void
advance_cut(struct walk *w, size_t at)
{
	const char *p = w->text_segments->text.p + w->at;
	size_t n = at - w->at;

	w->before += w->unit == CTX_SIZE_CHARS ? ctx_utf8_count(p, n)
	    : w->unit == CTX_SIZE_LINES        ? ctx_cut_line_feeds(p, n)
					       : n;
	w->at = at;
}

/* Moves to the end of a segment, which also ends its last line.  Returns false
 * if that line has no line feed. */
static bool
end_segment_line(struct walk *w, const struct text_segment *segment)
{
	struct ctx_str text = ctx_text_segment_text(w->text_segments, segment);

	advance_cut(w, segment->to);
	if (w->unit != CTX_SIZE_LINES || text.n == 0 ||
	    text.p[text.n - 1] == '\n')
		return true;
	w->before++;
	return false;
}

/* Takes the current place as the head's end or the tail's start, if it fits.
 * begun: part of this segment's line is before it. */
static void
consider_cut_point(struct walk *w, size_t piece, bool begun)
{
	/* The incomplete line counts as a line of the head. */
	uint64_t head =
	    w->before + (w->unit == CTX_SIZE_LINES && begun ? 1 : 0);

	/* At equal size, the end of a text is better than the next one's start.
	 */
	if (head <= w->head_room &&
	    (head > w->range.head.size || piece == w->range.head.piece))
		w->range.head = (struct cut_point){piece, w->at, head};
	if (!w->tail_found && w->total - w->before <= w->tail_room) {
		w->range.tail = (struct cut_point){piece, w->at, w->before};
		w->tail_found = true;
	}
}

/* Returns true if this place is inside a protected span. */
static bool
is_in_protected_span(const struct text_segments *text_segments, size_t at)
{
	size_t low = 0, high = text_segments->n_atoms, middle;

	/* Find the first span that ends after the place. */
	while (low < high) {
		middle = low + (high - low) / 2;
		if (text_segments->atoms[middle].to <= at)
			low = middle + 1;
		else
			high = middle;
	}
	return low < text_segments->n_atoms &&
	    text_segments->atoms[low].from < at;
}

/* Returns the first place of a segment, from the current one on, with size
 * before it, or the segment's end. */
static size_t
find_place_of_size(const struct walk *w, const struct text_segment *segment,
    uint64_t size)
{
	const char *p = w->text_segments->text.p, *feed;
	size_t left = segment->to - w->at, at = w->at;

	size = size > w->before ? size - w->before : 0;
	if (w->unit == CTX_SIZE_CHARS)
		return at + ctx_utf8_skip(p + at, left, size);
	if (w->unit == CTX_SIZE_BYTES)
		return at + (size < left ? (size_t)size : left);
	for (; size > 0 && at < segment->to; size--) {
		feed = memchr(p + at, '\n', segment->to - at);
		at = feed == NULL ? segment->to : (size_t)(feed + 1 - p);
	}
	return at;
}

/* Returns the last place before at that is a cluster's start whatever precedes
 * it, or the segment's start. */
static size_t
find_safe_break(const struct text_segments *text_segments,
    const struct text_segment *segment, size_t at)
{
	const char *text = text_segments->text.p;
	uint32_t first, second;
	size_t ahead;

	if (at > segment->from)
		at = ctx_utf8_back(text, at);
	for (; at > segment->from; at = ahead) {
		ahead = ctx_utf8_back(text, at);
		(void)ctx_utf8_next(text + ahead, at - ahead, &first);
		(void)ctx_utf8_next(text + at, segment->to - at, &second);
		if (ctx_grapheme_is_break(first, second) &&
		    !is_in_protected_span(text_segments, at))
			break;
	}
	return at;
}

/* Considers the places from the last safe one before goal to the first that is
 * not before goal. */
static void
consider_near(struct walk *w, size_t i, size_t goal)
{
	const struct text_segment *segment = &w->text_segments->list[i];
	size_t at = find_safe_break(w->text_segments, segment, goal), next;
	struct ctx_grapheme grapheme = {0};
	uint32_t cp;

	if (at < w->at)
		at = w->at; /* it was considered, so it is safe, too */
	for (; at < segment->to; at = next) {
		next = at +
		    ctx_utf8_next(w->text_segments->text.p + at,
			segment->to - at, &cp);
		if (!ctx_grapheme_next(&grapheme, cp) ||
		    is_in_protected_span(w->text_segments, at))
			continue;
		advance_cut(w, at);
		consider_cut_point(w, i, at > segment->from);
		if (at >= goal)
			break;
	}
}

/* Considers the places of a segment.  The size before a place only grows, and
 * both rooms together are at most total.  So only two places need a look: where
 * the head is full, and where the rest begins to fit the tail. */
static void
walk_segment(struct walk *w, size_t i)
{
	const struct text_segment *segment = &w->text_segments->list[i];

	consider_near(w, i, find_place_of_size(w, segment, w->head_room));
	consider_near(w, i,
	    find_place_of_size(w, segment, w->total - w->tail_room));
	consider_cut_point(w, i,
	    end_segment_line(w, segment) && segment->to > segment->from);
}

/* Returns the segment that gets the mark: the one in which the head ends, or
 * else a neighbour that has text. */
static size_t
find_mark_host(const struct text_segments *text_segments,
    const struct cut_point *head)
{
	size_t i = head->piece;

	if (i == text_segments->n)
		return i;
	while (i > 0 && text_segments->list[i].literal.n == 0)
		i--;
	while (text_segments->list[i].literal.n == 0)
		i++;
	return i;
}

bool
ctx_cut_is_blank(const char *p, size_t n)
{
	for (; n > 0 && ctx_utf8_is_space((unsigned char)*p); n--)
		p++;
	return n == 0;
}

/* Removes a tail that is blank, unless the mark is in its segment: each text
 * that is left must have more than white space. */
static void
drop_blank_tail(struct cut_range *range, const struct walk *w)
{
	struct cut_point *tail = &range->tail;
	const struct text_segment *segment;
	struct walk rest = *w;

	if (tail->piece == w->text_segments->n || tail->piece == range->host)
		return;
	segment = &w->text_segments->list[tail->piece];
	if (tail->at == segment->to ||
	    !ctx_cut_is_blank(w->text_segments->text.p + tail->at,
		segment->to - tail->at))
		return;
	rest.at = tail->at;
	rest.before = tail->size;
	(void)end_segment_line(&rest, segment);
	tail->at = segment->to;
	tail->size = rest.before;
}

void
ctx_cut_find_points(struct cut_range *range,
    const struct text_segments *text_segments, enum ctx_size unit,
    uint64_t total, uint64_t head_room, uint64_t tail_room)
{
	struct walk w = {.text_segments = text_segments,
	    .unit = unit,
	    .total = total,
	    .head_room = head_room,
	    .tail_room = tail_room};
	size_t i;

	for (i = 0; i < text_segments->n; i++) {
		if (text_segments->list[i].literal.n > 0) {
			walk_segment(&w, i);
			continue;
		}
		consider_cut_point(&w, i, false);
		(void)end_segment_line(&w, &text_segments->list[i]);
	}
	consider_cut_point(&w, text_segments->n, false);
	*range = w.range;
	range->host = find_mark_host(text_segments, &range->head);
	drop_blank_tail(range, &w);
}
