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
	const struct text_segments *pieces;
	enum ctx_size unit;
	uint64_t total, head_room, tail_room;
	size_t at;       /* the place reached, and */
	uint64_t before; /* bytes, characters or lines ended before it */
	struct cut_range span;
	bool tail_found;
};

struct ctx_str
ctx_text_segment_text(const struct text_segments *pieces,
    const struct text_segment *piece)
{
	return (struct ctx_str){pieces->text.p + piece->from,
	    piece->to - piece->from};
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
go_on(struct walk *w, size_t at)
{
	const char *p = w->pieces->text.p + w->at;
	size_t n = at - w->at;

	w->before += w->unit == CTX_SIZE_CHARS ? ctx_utf8_count(p, n)
	    : w->unit == CTX_SIZE_LINES        ? ctx_cut_line_feeds(p, n)
					       : n;
	w->at = at;
}

/* Goes on behind a piece, which ends its last line; false if it had to. */
static bool
leave(struct walk *w, const struct text_segment *piece)
{
	struct ctx_str text = ctx_text_segment_text(w->pieces, piece);

	go_on(w, piece->to);
	if (w->unit != CTX_SIZE_LINES || text.n == 0 ||
	    text.p[text.n - 1] == '\n')
		return true;
	w->before++;
	return false;
}

/* Could the head end here, or the tail begin?  begun: something of this
 * piece's line is before. */
static void
consider(struct walk *w, size_t piece, bool begun)
{
	/* A line that has begun is a line of the head. */
	uint64_t head =
	    w->before + (w->unit == CTX_SIZE_LINES && begun ? 1 : 0);

	/* The end of a text is a better place than the start of the next. */
	if (head <= w->head_room &&
	    (head > w->span.head.size || piece == w->span.head.piece))
		w->span.head = (struct cut_point){piece, w->at, head};
	if (!w->tail_found && w->total - w->before <= w->tail_room) {
		w->span.tail = (struct cut_point){piece, w->at, w->before};
		w->tail_found = true;
	}
}

/* Is this place inside an atom? */
static bool
is_inside(const struct text_segments *pieces, size_t at)
{
	size_t low = 0, high = pieces->n_atoms, middle;

	/* The first atom that ends behind it. */
	while (low < high) {
		middle = low + (high - low) / 2;
		if (pieces->atoms[middle].to <= at)
			low = middle + 1;
		else
			high = middle;
	}
	return low < pieces->n_atoms && pieces->atoms[low].from < at;
}

/* The first place of a piece, from the one reached on, that has so much
 * before it, or its end. */
static size_t
place_behind(const struct walk *w, const struct text_segment *piece,
    uint64_t size)
{
	const char *p = w->pieces->text.p, *feed;
	size_t left = piece->to - w->at, at = w->at;

	size = size > w->before ? size - w->before : 0;
	if (w->unit == CTX_SIZE_CHARS)
		return at + ctx_utf8_skip(p + at, left, size);
	if (w->unit == CTX_SIZE_BYTES)
		return at + (size < left ? (size_t)size : left);
	for (; size > 0 && at < piece->to; size--) {
		feed = memchr(p + at, '\n', piece->to - at);
		at = feed == NULL ? piece->to : (size_t)(feed + 1 - p);
	}
	return at;
}

/* The last place before another that is one whatever stands ahead of it, or
 * the start of the piece. */
static size_t
sure_place(const struct text_segments *pieces, const struct text_segment *piece,
    size_t at)
{
	const char *text = pieces->text.p;
	uint32_t first, second;
	size_t ahead;

	if (at > piece->from)
		at = ctx_utf8_back(text, at);
	for (; at > piece->from; at = ahead) {
		ahead = ctx_utf8_back(text, at);
		(void)ctx_utf8_next(text + ahead, at - ahead, &first);
		(void)ctx_utf8_next(text + at, piece->to - at, &second);
		if (ctx_grapheme_is_break(first, second) &&
		    !is_inside(pieces, at))
			break;
	}
	return at;
}

/* Considers the places from the last sure one before another to the first
 * that is not before it. */
static void
walk_around(struct walk *w, size_t i, size_t goal)
{
	const struct text_segment *piece = &w->pieces->list[i];
	size_t at = sure_place(w->pieces, piece, goal), next;
	struct ctx_grapheme grapheme = {0};
	uint32_t cp;

	if (at < w->at)
		at = w->at; /* which was considered: it is one, too */
	for (; at < piece->to; at = next) {
		next = at +
		    ctx_utf8_next(w->pieces->text.p + at, piece->to - at, &cp);
		if (!ctx_grapheme_next(&grapheme, cp) ||
		    is_inside(w->pieces, at))
			continue;
		go_on(w, at);
		consider(w, i, at > piece->from);
		if (at >= goal)
			break;
	}
}

/* What is before a place only grows, and both rooms together are no more
 * than all: where the one is full, and then where the other is no longer
 * exceeded, is all that need be looked at. */
static void
walk_text(struct walk *w, size_t i)
{
	const struct text_segment *piece = &w->pieces->list[i];

	walk_around(w, i, place_behind(w, piece, w->head_room));
	walk_around(w, i, place_behind(w, piece, w->total - w->tail_room));
	consider(w, i, leave(w, piece) && piece->to > piece->from);
}

/* The text that holds the mark: the one that is cut, else one beside it. */
static size_t
host_of(const struct text_segments *pieces, const struct cut_point *head)
{
	size_t i = head->piece;

	if (i == pieces->n)
		return i;
	while (i > 0 && pieces->list[i].literal.n == 0)
		i--;
	while (pieces->list[i].literal.n == 0)
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
shed_tail(struct cut_range *span, const struct walk *w)
{
	struct cut_point *tail = &span->tail;
	const struct text_segment *piece;
	struct walk rest = *w;

	if (tail->piece == w->pieces->n || tail->piece == span->host)
		return;
	piece = &w->pieces->list[tail->piece];
	if (tail->at == piece->to ||
	    !ctx_cut_is_blank(w->pieces->text.p + tail->at,
		piece->to - tail->at))
		return;
	rest.at = tail->at;
	rest.before = tail->size;
	(void)leave(&rest, piece);
	tail->at = piece->to;
	tail->size = rest.before;
}

void
ctx_cut_find_points(struct cut_range *span, const struct text_segments *pieces,
    enum ctx_size unit, uint64_t total, uint64_t head_room, uint64_t tail_room)
{
	struct walk w = {.pieces = pieces,
	    .unit = unit,
	    .total = total,
	    .head_room = head_room,
	    .tail_room = tail_room};
	size_t i;

	for (i = 0; i < pieces->n; i++) {
		if (pieces->list[i].literal.n > 0) {
			walk_text(&w, i);
			continue;
		}
		consider(&w, i, false);
		(void)leave(&w, &pieces->list[i]);
	}
	consider(&w, pieces->n, false);
	*span = w.span;
	span->host = host_of(pieces, &span->head);
	shed_tail(span, &w);
}
