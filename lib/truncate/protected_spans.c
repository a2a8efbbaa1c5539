/*
 * protected_spans.c - what no cut may fall into
 *
 * Base64 tells nobody anything in pieces, so a long payload becomes a
 * placeholder before anything else goes.  A mark or a placeholder that is
 * there already stays whole or goes whole.
 */
#include <stdlib.h>
#include <string.h>

#include "base/vector.h"
#include "truncate/text_segments.h"

#define PAYLOAD 256 /* characters, with upper and lower case and digits */
#define WIDTH   40  /* the least that lines of a payload have */
#define DENT    32  /* the most white space before one */

#define OPEN  "[\xe2\x80\xa6 "
#define CLOSE " \xe2\x80\xa6]"

/* ---- marks ---- */

/* "[... 12 lines truncated ...]" with one-character ellipses; the bytes of
 * it, or 0. */
static size_t
match_mark(const char *p, size_t n)
{
	const size_t open = sizeof OPEN - 1, close = sizeof CLOSE - 1;
	size_t at = open;

	if (n < open || memcmp(p, OPEN, open) != 0 || at == n || p[at] < '0' ||
	    p[at] > '9')
		return 0;
	for (; at < n && at < open + 60; at++) {
		if (n - at >= close && memcmp(p + at, CLOSE, close) == 0)
			return at + close;
		if (p[at] != ' ' && (p[at] < '0' || p[at] > '9') &&
		    (p[at] < 'a' || p[at] > 'z'))
			break;
	}
	return 0;
}

/* ---- base64 ---- */

enum { UPPER = 1, LOWER = 2, DIGIT = 4, SIGN = 8, ALL = 7 };

/* Every character of every text that is cut is looked up. */
static const unsigned char kinds_of[256] = {['A'] = UPPER,
    UPPER,
    UPPER,
    UPPER,
    UPPER,
    UPPER,
    UPPER,
    UPPER,
    UPPER,
    UPPER,
    UPPER,
    UPPER,
    UPPER,
    UPPER,
    UPPER,
    UPPER,
    UPPER,
    UPPER,
    UPPER,
    UPPER,
    UPPER,
    UPPER,
    UPPER,
    UPPER,
    UPPER,
    UPPER,
    ['a'] = LOWER,
    LOWER,
    LOWER,
    LOWER,
    LOWER,
    LOWER,
    LOWER,
    LOWER,
    LOWER,
    LOWER,
    LOWER,
    LOWER,
    LOWER,
    LOWER,
    LOWER,
    LOWER,
    LOWER,
    LOWER,
    LOWER,
    LOWER,
    LOWER,
    LOWER,
    LOWER,
    LOWER,
    LOWER,
    LOWER,
    ['0'] = DIGIT,
    DIGIT,
    DIGIT,
    DIGIT,
    DIGIT,
    DIGIT,
    DIGIT,
    DIGIT,
    DIGIT,
    DIGIT,
    ['+'] = SIGN,
    ['/'] = SIGN,
    ['='] = SIGN,
    ['-'] = SIGN,
    ['_'] = SIGN};

static unsigned
classify_byte(char c)
{
	return kinds_of[(unsigned char)c];
}

/* The end of the run of base64 from at on; its kinds are added. */
static size_t
find_base64_end(const char *p, size_t n, size_t at, unsigned *kinds)
{
	unsigned kind;

	for (; at < n && (kind = classify_byte(p[at])) != 0; at++)
		*kinds |= kind;
	return at;
}

/* Behind a line break, which may be written as in JSON, and the white space
 * of the next line; or 0. */
static size_t
skip_line_break(const char *p, size_t n, size_t at)
{
	size_t from = at, dent;

	if (at < n && p[at] == '\r')
		at++;
	else if (n - at >= 2 && memcmp(p + at, "\\r", 2) == 0)
		at += 2;
	if (at < n && p[at] == '\n')
		at++;
	else if (n - at >= 2 && memcmp(p + at, "\\n", 2) == 0)
		at += 2;
	else
		return 0;
	for (dent = 0; at < n && dent < DENT && (p[at] == ' ' || p[at] == '\t');
	     dent++)
		at++;
	return at > from && at < n && classify_byte(p[at]) != 0 ? at : 0;
}

/* May a line that is not full end a payload here?  A word of a sentence does
 * not. */
static bool
may_end_line(const char *p, size_t n, size_t at)
{
	return at == n || strchr("\r\n\"'\\<`,;)]}", p[at]) != NULL;
}

/*
 * The end of the payload from at on, which may go over lines of equal length
 * and a shorter last one; or at.  linked: it stands in a data: URL.
 */
static size_t
find_payload_end(const char *p, size_t n, size_t at, bool linked,
    size_t *behind)
{
	unsigned kinds = 0, more;
	size_t end = find_base64_end(p, n, at, &kinds), chars = end - at;
	size_t width = linked ? 0 : chars, line, stop, full = end;

	while ((width == 0 || (width >= WIDTH && width % 4 == 0)) &&
	    end == full && (line = skip_line_break(p, n, end)) != 0) {
		more = 0;
		stop = find_base64_end(p, n, line, &more);
		if (width == 0)
			width = stop - line;
		if (width < WIDTH || width % 4 != 0 || stop - line > width ||
		    (stop - line < width &&
			((stop - line) % 4 != 0 || !may_end_line(p, n, stop))))
			break;
		kinds |= more;
		chars += stop - line;
		end = stop;
		if (stop - line == width)
			full = stop;
	}
	/* What they lack each later one of these lines lacks, too. */
	*behind = full;
	if (!linked && (chars < PAYLOAD || (kinds & ALL) != ALL))
		return at;
	*behind = end;
	return end;
}

/* ---- where they are ---- */

/* From at on, passes by what does not begin and end, so far behind, with
 * these bytes; the end of a text is left to the caller. */
static size_t
skip_to_candidate(const char *p, size_t n, size_t at, char first, char last,
    size_t behind)
{
	const size_t step = sizeof(PLAIN_VECTOR);
	uint64_t found;

	for (; n - at >= step + behind; at += step) {
		found = PLAIN(bits)(PLAIN(equal)(PLAIN(load)(p + at), first)) &
		    PLAIN(bits)(
			PLAIN(equal)(PLAIN(load)(p + at + behind), last));
		if (found != 0)
			return at + (size_t)__builtin_ctzll(found);
	}
	return at;
}

/* The first place from at on where this stands, or n. */
static size_t
find_text(const char *p, size_t n, size_t at, const char *what, size_t length)
{
	const char first = what[0], last = what[length - 1];

	for (;; at++) {
		at = skip_to_candidate(p, n, at, first, last, length - 1);
		if (n - at < length)
			return n;
		if (memcmp(p + at, what, length) == 0)
			return at;
	}
}

static size_t
find_mark(const char *p, size_t n, size_t at)
{
	while ((at = find_text(p, n, at, OPEN, sizeof OPEN - 1)) < n &&
	    match_mark(p + at, n - at) == 0)
		at++;
	return at;
}

/* The first payload of a data: URL. */
static size_t
find_data_url(const char *p, size_t n, size_t at)
{
	static const char head[] = ";base64,";

	while ((at = find_text(p, n, at, head, sizeof head - 1)) < n) {
		at += sizeof head - 1;
		if (at < n && classify_byte(p[at]) != 0)
			break;
	}
	return at;
}

/*
 * The first run long enough for a line of a payload.  Words are shorter, so
 * what is looked at are the ends of stretches of WIDTH: a run that fills none
 * of them begins behind the last character of it that is not base64.
 */
static size_t
find_base64_run(const char *p, size_t n, size_t at)
{
	size_t from;

	for (; n - at >= WIDTH; at = from) {
		from = at + WIDTH;
		while (from > at && classify_byte(p[from - 1]) != 0)
			from--;
		if (from > at)
			continue;
		/* The letter of an escape of JSON belongs to no payload. */
		if (at == 0 || p[at - 1] != '\\')
			return at;
		from++;
	}
	return n;
}

void
ctx_protected_spans_begin(struct protected_span_walk *walk, const char *p,
    size_t n)
{
	*walk = (struct protected_span_walk){.p = p, .n = n};
	walk->mark = find_mark(p, n, 0);
	walk->linked = find_data_url(p, n, 0);
	walk->run = find_base64_run(p, n, 0);
}

/* Goes on to a place, and looks only for what was before it. */
static void
advance_search(struct protected_span_walk *walk, size_t at)
{
	if (walk->mark < at)
		walk->mark = find_mark(walk->p, walk->n, at);
	if (walk->linked < at)
		walk->linked = find_data_url(walk->p, walk->n, at);
	if (walk->run < at)
		walk->run = find_base64_run(walk->p, walk->n, at);
}

bool
ctx_protected_span_next(struct protected_span_walk *walk,
    struct protected_span *span)
{
	const char *p = walk->p;
	size_t n = walk->n, from, to, behind;
	bool linked;

	for (;;) {
		from = walk->linked < walk->run ? walk->linked : walk->run;
		if (walk->mark < from) {
			from = walk->mark;
			to = from + match_mark(p + from, n - from);
			*span = (struct protected_span){.from = from, .to = to};
			advance_search(walk, to);
			return true;
		}
		if (from == n)
			return false;
		linked = from == walk->linked;
		to = find_payload_end(p, n, from, linked, &behind);
		advance_search(walk, behind);
		/* A character beside it may make one with its end. */
		if (to > from && to < n && (unsigned char)p[to] >= 0x80)
			to--;
		if (to > from && from > 0 && (unsigned char)p[from - 1] >= 0x80)
			from++;
		if (to > from) {
			*span = (struct protected_span){.from = from,
			    .to = to,
			    .payload = true};
			return true;
		}
	}
}

/* ---- in the pieces of an item ---- */

static int
add_protected_span(struct text_segments *text_segments, size_t from, size_t to,
    uint64_t extra, struct ctx_err *err)
{
	struct protected_span *grown;

	grown = ctx_grow(text_segments->atoms, &text_segments->atoms_cap,
	    text_segments->n_atoms + 1, sizeof *grown, err);
	if (grown == NULL)
		return -1;
	text_segments->atoms = grown;
	grown[text_segments->n_atoms++] =
	    (struct protected_span){.from = from, .to = to, .extra = extra};
	return 0;
}

/* Makes the placeholder of a payload, in cut->out, and its literal; *less is
 * what it saves, 0 if it is not worth it. */
static int
make_placeholder(struct shortener *cut, const char *p, size_t n, uint64_t *less,
    struct ctx_err *err)
{
	uint64_t before, after;

	cut->out.n = cut->mark.n = 0;
	if (ctx_buf_printf(&cut->out, err,
		OPEN "%zu characters of base64" CLOSE,
		ctx_utf8_count(p, n)) < 0 ||
	    ctx_json_string_encode(&cut->mark, cut->out.p, cut->out.n, err) <
		0 ||
	    ctx_shorten_measure(cut, p, n, &before, err) < 0 ||
	    ctx_shorten_measure(cut, cut->out.p, cut->out.n, &after, err) < 0)
		return -1;
	*less = before > after ? before - after : 0;
	return 0;
}

/*
 * Finds the atoms of a piece, and puts its literal into pieces->plain with
 * its payloads replaced.  *grown is how many bytes longer the texts get; it
 * may wrap around.
 */
static int
replace_segment_payloads(struct text_segments *text_segments,
    struct shortener *cut, struct text_segment *segment, size_t *grown,
    struct ctx_err *err)
{
	struct ctx_buf *plain = &text_segments->plain;
	const struct ctx_str literal = segment->literal;
	const char *text = text_segments->text.p + segment->from;
	size_t start = plain->n, done = 0, bytes = 0, at, from;
	struct protected_span_walk walk;
	struct protected_span span;

	ctx_protected_spans_begin(&walk, text, segment->to - segment->from);
	while (ctx_protected_span_next(&walk, &span)) {
		from = segment->from + span.from + *grown;
		if (span.payload &&
		    make_placeholder(cut, text + span.from, span.to - span.from,
			&span.extra, err) < 0)
			return -1;
		if (span.extra > 0) {
			at = ctx_text_segment_seek(segment,
			    done > 0 ? done : !segment->made,
			    span.from - bytes);
			if (ctx_buf_add(plain, literal.p + done, at - done,
				err) < 0 ||
			    (segment->made ? ctx_buf_add(plain, cut->out.p,
						 cut->out.n, err)
					   : ctx_buf_add(plain, cut->mark.p + 1,
						 cut->mark.n - 2, err)) < 0)
				return -1;
			done = ctx_text_segment_seek(segment, at,
			    span.to - span.from);
			bytes = span.to;
			*grown += cut->out.n - (span.to - span.from);
		}
		if (add_protected_span(text_segments, from,
			segment->from + span.to + *grown, span.extra, err) < 0)
			return -1;
	}
	if (done == 0)
		return 0;
	segment->plain = true;
	if (ctx_buf_add(plain, literal.p + done, literal.n - done, err) < 0)
		return -1;
	/* Where it lies is known when the buffer has stopped growing. */
	segment->literal.n = plain->n - start;
	return 0;
}

int
ctx_text_segments_plain(struct text_segments *text_segments,
    struct shortener *cut, struct ctx_err *err)
{
	struct text_segment *segment;
	size_t i, at = 0, grown = 0;

	text_segments->n_atoms = 0;
	text_segments->plain.n = 0;
	for (i = 0; i < text_segments->n; i++) {
		segment = &text_segments->list[i];
		if (segment->literal.n > 0 &&
		    replace_segment_payloads(text_segments, cut, segment,
			&grown, err) < 0)
			return -1;
	}
	for (i = 0; i < text_segments->n; i++) {
		if (!text_segments->list[i].plain)
			continue;
		text_segments->list[i].literal.p = text_segments->plain.p + at;
		at += text_segments->list[i].literal.n;
	}
	return 0;
}
