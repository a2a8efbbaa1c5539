/*
 * cut_points.c - finds the two places between which the middle of a text that
 * is too long is removed
 *
 * All texts of a message are searched as if they were one text.  The first
 * place is the last one before which the text has at most the size head_room.
 * The second place is the first one after which the text has at most the size
 * tail_room.  A place is between two grapheme clusters, and not inside a
 * protected span (a part that must not be cut, such as base64 data).  Grapheme
 * clusters are computed only near these two places, from a character on at
 * which a cluster begins whatever comes before it.
 */
#include <string.h>

#include "truncate/cut_points.h"

/* State of the search for the two places between which text is removed: the end
 * of the kept beginning, and the beginning of the kept end. */
struct cut_search {
	const struct text_segments *segments;
	enum ctx_size unit;
	uint64_t total, head_room, tail_room;
	size_t at; /* offset in bytes of the current place */
	/* Size of all text before the current place, in the unit of the limit:
	 * bytes, characters or complete lines. */
	uint64_t size_before;
	struct cut_range range;
	bool tail_found;
};

/* Returns the number of line feeds in a text. */
static uint64_t
count_line_feeds(const char *p, size_t n)
{
	const char *end = p + n, *feed;
	uint64_t feeds = 0;

	for (; (feed = memchr(p, '\n', (size_t)(end - p))) != NULL; feeds++)
		p = feed + 1;
	return feeds;
}

/* Returns the number of lines in a text.  A last line without a line feed is
 * counted, too. */
static uint64_t
count_lines(const char *p, size_t n)
{
	return count_line_feeds(p, n) + (n > 0 && p[n - 1] != '\n');
}

int
ctx_shorten_measure(struct shortener *shortener, const char *p, size_t n,
    uint64_t *size, struct ctx_err *err)
{
	switch (shortener->unit) {
	case CTX_SIZE_CHARS:
		*size = ctx_utf8_count(p, n);
		return 0;
	case CTX_SIZE_BYTES:
		*size = n;
		return 0;
	case CTX_SIZE_LINES:
		*size = count_lines(p, n);
		return 0;
	case CTX_SIZE_TOKENS:
		break;
	}
	if (ctx_token_count(shortener->counter->tokens, p, n, size, err) < 0)
		return -1;
	*size = ctx_text_to_model(shortener->counter, p, n, *size);
	return 0;
}

static void
advance_search(struct cut_search *search, size_t at)
{
	const char *p = search->segments->text.p + search->at;
	size_t n = at - search->at;

	search->size_before += search->unit == CTX_SIZE_CHARS
	    ? ctx_utf8_count(p, n)
	    : search->unit == CTX_SIZE_LINES ? count_line_feeds(p, n)
					     : n;
	search->at = at;
}

/* Moves the search to the end of a text.  If sizes are numbers of lines, a last
 * line without a line feed is counted, too, and the function returns false.  In
 * all other cases it returns true. */
static bool
finish_segment(struct cut_search *search, const struct text_segment *segment)
{
	struct ctx_str text = ctx_text_segment_text(search->segments, segment);

	advance_search(search, segment->to);
	if (search->unit != CTX_SIZE_LINES || text.n == 0 ||
	    text.p[text.n - 1] == '\n')
		return true;
	search->size_before++;
	return false;
}

/* Tests whether text can be cut at the current place of the search.  This place
 * becomes the end of the kept beginning, unless the kept beginning would be too
 * large.  If this is the first place after which the remaining text is not too
 * large, it becomes the beginning of the kept end. line_begun: true if the
 * place is inside a line that search->size_before does not include; a place
 * after a line feed counts as inside the next line. */
static void
consider_cut_point(struct cut_search *search, size_t segment_index,
    bool line_begun)
{
	/* If sizes are numbers of lines, a line that is cut is counted as a
	 * line of the kept beginning. */
	uint64_t head = search->size_before +
	    (search->unit == CTX_SIZE_LINES && line_begun ? 1 : 0);

	/* The end of one text and the beginning of the next text have the same
	 * text before them.  If both places are possible, the end is used. */
	if (head <= search->head_room &&
	    (head > search->range.head.size_before ||
		segment_index == search->range.head.segment))
		search->range.head =
		    (struct cut_point){segment_index, search->at, head};
	if (!search->tail_found &&
	    search->total - search->size_before <= search->tail_room) {
		search->range.tail = (struct cut_point){segment_index,
		    search->at, search->size_before};
		search->tail_found = true;
	}
}

/* Returns true if an offset is inside a protected span, a part of the text that
 * must not be cut. */
static bool
is_in_protected_span(const struct text_segments *segments, size_t at)
{
	size_t low = 0, high = segments->n_spans, middle;

	/* Finds the first protected span (a part of the text that must not be
	 * cut) that ends after the offset. */
	while (low < high) {
		middle = low + (high - low) / 2;
		if (segments->spans[middle].to <= at)
			low = middle + 1;
		else
			high = middle;
	}
	return low < segments->n_spans && segments->spans[low].from < at;
}

/* Returns the first place in a text before which all texts together have the
 * given size, from the current place of the search on.  Returns the end of the
 * text if there is no such place. */
static size_t
find_place_of_size(const struct cut_search *search,
    const struct text_segment *segment, uint64_t size)
{
	const char *p = search->segments->text.p, *feed;
	size_t left = segment->to - search->at, at = search->at;

	size = size > search->size_before ? size - search->size_before : 0;
	if (search->unit == CTX_SIZE_CHARS)
		return at + ctx_utf8_skip(p + at, left, size);
	if (search->unit == CTX_SIZE_BYTES)
		return at + (size < left ? (size_t)size : left);
	for (; size > 0 && at < segment->to; size--) {
		feed = memchr(p + at, '\n', segment->to - at);
		at = feed == NULL ? segment->to : (size_t)(feed + 1 - p);
	}
	return at;
}

/* Returns the last place before an offset at which a text can certainly be cut:
 * outside protected spans, and between two characters that are never in the
 * same grapheme cluster.  Returns the beginning of the text if there is no such
 * place. */
static size_t
find_safe_break(const struct text_segments *segments,
    const struct text_segment *segment, size_t at)
{
	const char *text = segments->text.p;
	uint32_t first, second;
	size_t ahead;

	if (at > segment->from)
		at = ctx_utf8_back(text, at);
	for (; at > segment->from; at = ahead) {
		ahead = ctx_utf8_back(text, at);
		(void)ctx_utf8_next(text + ahead, at - ahead, &first);
		(void)ctx_utf8_next(text + at, segment->to - at, &second);
		if (ctx_grapheme_is_break(first, second) &&
		    !is_in_protected_span(segments, at))
			break;
	}
	return at;
}

/* Tests at which places near the offset "target" text i can be cut.  Begins
 * with the last place before target where a cut is certainly allowed.  Ends
 * with the first place at or after target where a cut is allowed. */
static void
consider_near(struct cut_search *search, size_t i, size_t target)
{
	const struct text_segment *segment = &search->segments->list[i];
	size_t at = find_safe_break(search->segments, segment, target), next;
	struct ctx_grapheme grapheme = {0};
	uint32_t cp;

	if (at < search->at)
		/* Places before the current place of the search were already
		 * tested, so continue at the current place. */
		at = search->at;
	for (; at < segment->to; at = next) {
		next = at +
		    ctx_utf8_next(search->segments->text.p + at,
			segment->to - at, &cp);
		if (!ctx_grapheme_next(&grapheme, cp) ||
		    is_in_protected_span(search->segments, at))
			continue;
		advance_search(search, at);
		/* The mark that replaces the removed text begins with a line
		 * feed.  If the mark is at the beginning of a text that is not
		 * the first, this line feed counts as a line. */
		consider_cut_point(search, i, i > 0 || at > segment->from);
		if (at >= target)
			break;
	}
}

/* Searches text i for the two places between which the middle is removed.
 * Tests only places near two offsets: where the kept beginning reaches its
 * maximum size, and where the remaining text becomes small enough to be the
 * kept end. */
static void
search_segment(struct cut_search *search, size_t i)
{
	const struct text_segment *segment = &search->segments->list[i];

	consider_near(search, i,
	    find_place_of_size(search, segment, search->head_room));
	consider_near(search, i,
	    find_place_of_size(search, segment,
		search->total - search->tail_room));
	consider_cut_point(search, i,
	    finish_segment(search, segment) && segment->to > segment->from);
}

/* Returns the index of the text into which the mark for removed text is
 * written: the text in which the kept beginning ends.  If a block without text
 * has this index, returns the index of the nearest text before it.  If there is
 * none, returns that of the nearest text after it. */
static size_t
find_mark_host(const struct text_segments *segments,
    const struct cut_point *head)
{
	size_t i = head->segment;

	if (i == segments->n)
		return i;
	while (i > 0 && segments->list[i].literal.n == 0)
		i--;
	while (segments->list[i].literal.n == 0)
		i++;
	return i;
}

/* Moves the mark for removed text into the first of the texts after the last
 * reasoning of a message if all of them would be removed, so that no reasoning
 * is at the end of the message. */
static void
mark_after_reasoning(struct cut_range *range,
    const struct text_segments *segments)
{
	size_t first = segments->n - segments->n_after_reasoning;

	if (first < segments->n &&
	    range->head.at <= segments->list[first].from &&
	    range->tail.at == segments->list[segments->n - 1].to)
		range->mark_segment = first;
}

bool
ctx_cut_is_blank(const char *p, size_t n)
{
	for (; n > 0 && ctx_utf8_is_space((unsigned char)*p); n--)
		p++;
	return n == 0;
}

/* Removes the kept end of a text if it is blank, because providers refuse a
 * text of only white space.  Does not remove it if the mark for removed text is
 * in the same text. */
static void
drop_blank_tail(struct cut_range *range, const struct cut_search *search)
{
	struct cut_point *tail = &range->tail;
	const struct text_segment *segment;
	struct cut_search rest = *search;

	if (tail->segment == search->segments->n ||
	    tail->segment == range->mark_segment)
		return;
	segment = &search->segments->list[tail->segment];
	if (tail->at == segment->to ||
	    !ctx_cut_is_blank(search->segments->text.p + tail->at,
		segment->to - tail->at))
		return;
	rest.at = tail->at;
	rest.size_before = tail->size_before;
	(void)finish_segment(&rest, segment);
	tail->at = segment->to;
	tail->size_before = rest.size_before;
}

void
ctx_cut_find_points(struct cut_range *range,
    const struct text_segments *segments, enum ctx_size unit, uint64_t total,
    uint64_t head_room, uint64_t tail_room)
{
	struct cut_search search = {.segments = segments,
	    .unit = unit,
	    .total = total,
	    .head_room = head_room,
	    .tail_room = tail_room};

	for (size_t i = 0; i < segments->n; i++) {
		if (segments->list[i].literal.n > 0) {
			search_segment(&search, i);
			continue;
		}
		consider_cut_point(&search, i, false);
		(void)finish_segment(&search, &segments->list[i]);
	}
	consider_cut_point(&search, segments->n, false);
	*range = search.range;
	range->mark_segment = find_mark_host(segments, &range->head);
	drop_blank_tail(range, &search);
	mark_after_reasoning(range, segments);
}
