/*
 * cut_points.c - where a long item may be cut
 *
 * Its texts, one behind another, are searched for both ends of what goes: the
 * last place that leaves no more before it than the head may have, and the
 * first that leaves no more behind it than the tail may.  Places stand
 * between grapheme clusters and outside of atoms.  Clusters are looked at
 * only around these two, from a place on where one begins for sure.
 */
#include <string.h>

#include "truncate/cut_points.h"

struct walk {
	const struct text_segments *text_segments;
	enum ctx_size unit;
	uint64_t total, head_room, tail_room;
	size_t at;       /* the place reached, and */
	uint64_t before; /* bytes, characters or lines ended before it */
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

/* Goes on behind a piece, which ends its last line; false if it had to. */
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

/* Could the head end here, or the tail begin?  begun: something of this
 * piece's line is before. */
static void
consider_cut_point(struct walk *w, size_t piece, bool begun)
{
	/* A line that has begun is a line of the head. */
	uint64_t head =
	    w->before + (w->unit == CTX_SIZE_LINES && begun ? 1 : 0);

	/* The end of a text is a better place than the start of the next. */
	if (head <= w->head_room &&
	    (head > w->range.head.size || piece == w->range.head.piece))
		w->range.head = (struct cut_point){piece, w->at, head};
	if (!w->tail_found && w->total - w->before <= w->tail_room) {
		w->range.tail = (struct cut_point){piece, w->at, w->before};
		w->tail_found = true;
	}
}

/* Is this place inside an atom? */
static bool
is_in_protected_span(const struct text_segments *text_segments, size_t at)
{
	size_t low = 0, high = text_segments->n_atoms, middle;

	/* The first atom that ends behind it. */
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

/* The first place of a piece, from the one reached on, that has so much
 * before it, or its end. */
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

/* The last place before another that is one whatever stands ahead of it, or
 * the start of the piece. */
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

/* Considers the places from the last sure one before another to the first
 * that is not before it. */
static void
consider_near(struct walk *w, size_t i, size_t goal)
{
	const struct text_segment *segment = &w->text_segments->list[i];
	size_t at = find_safe_break(w->text_segments, segment, goal), next;
	struct ctx_grapheme grapheme = {0};
	uint32_t cp;

	if (at < w->at)
		at = w->at; /* which was considered: it is one, too */
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

/* What is before a place only grows, and both rooms together are no more
 * than all: where the one is full, and then where the other is no longer
 * exceeded, is all that need be looked at. */
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

/* The text that holds the mark: the one that is cut, else one beside it. */
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

/* A tail that is blank in a text beside the mark's goes as well: what is left
 * of each text must say something. */
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
