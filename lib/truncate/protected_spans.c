/*
 * protected_spans.c - finds the parts of a text that must not be cut
 *
 * These parts are base64 payloads, and texts that an earlier run of ctx has
 * written: marks for removed text, and the short texts that replace payloads.
 * A part of a base64 payload is useless, so a long payload is replaced by a
 * short text before anything else is removed.
 */
#include <string.h>

#include "base/vector.h"
#include "truncate/text_segments.h"

/* Minimum number of base64 characters that are recognised as a payload outside
 * of a URL.  The characters must include upper case, lower case and digits. */
#define MIN_PAYLOAD 256
#define MIN_WIDTH   40 /* minimum characters in a payload's line */
/* Maximum number of spaces and tabs at the beginning of a line of a base64
 * payload. */
#define MAX_INDENT 32

#define MARK_OPEN  "[\xe2\x80\xa6 "
#define MARK_CLOSE " \xe2\x80\xa6]"

/* ---- marks ---- */

/* Returns the length in bytes of the mark for removed text at p, such as "[...
 * 12 lines truncated ...]" with U+2026 for the dots.  Returns 0 if there is no
 * mark. */
static size_t
match_mark(const char *p, size_t n)
{
	const size_t open = sizeof MARK_OPEN - 1, close = sizeof MARK_CLOSE - 1;
	size_t at = open;

	if (n < open || memcmp(p, MARK_OPEN, open) != 0 || at == n ||
	    !ctx_is_digit(p[at]))
		return 0;
	for (; at < n && at < open + 60; at++) {
		if (n - at >= close && memcmp(p + at, MARK_CLOSE, close) == 0)
			return at + close;
		if (p[at] != ' ' && !ctx_is_digit(p[at]) &&
		    (p[at] < 'a' || p[at] > 'z'))
			break;
	}
	return 0;
}

/* ---- base64 ---- */

enum { UPPER = 1, LOWER = 2, DIGIT = 4, SIGN = 8, ALL = 7 };

/* For each byte: the class of the base64 character (upper case, lower case,
 * digit, sign), or 0 if it is not base64.  This is a table, because every byte
 * of every text is looked up, and a table is fast. */
/* clang-format off */
static const unsigned char byte_classes[256] = {
    ['A'] = UPPER, UPPER, UPPER, UPPER, UPPER, UPPER, UPPER, UPPER, UPPER,
    UPPER, UPPER, UPPER, UPPER, UPPER, UPPER, UPPER, UPPER, UPPER, UPPER,
    UPPER, UPPER, UPPER, UPPER, UPPER, UPPER, UPPER,
    ['a'] = LOWER, LOWER, LOWER, LOWER, LOWER, LOWER, LOWER, LOWER, LOWER,
    LOWER, LOWER, LOWER, LOWER, LOWER, LOWER, LOWER, LOWER, LOWER, LOWER,
    LOWER, LOWER, LOWER, LOWER, LOWER, LOWER, LOWER,
    ['0'] = DIGIT, DIGIT, DIGIT, DIGIT, DIGIT, DIGIT, DIGIT, DIGIT, DIGIT,
    DIGIT,
    ['+'] = SIGN, ['/'] = SIGN, ['='] = SIGN, ['-'] = SIGN, ['_'] = SIGN};
/* clang-format on */

static unsigned
classify_byte(char c)
{
	return byte_classes[(unsigned char)c];
}

/* Returns the offset of the first byte, from the offset "at" on, that is not
 * base64.  Adds to *kinds the classes (upper case, lower case, digit, sign) of
 * the base64 characters before that byte. */
static size_t
find_base64_end(const char *p, size_t n, size_t at, unsigned *kinds)
{
	unsigned kind;

	for (; at < n && (kind = classify_byte(p[at])) != 0; at++)
		*kinds |= kind;
	return at;
}

/* If base64 data continues on the next line, returns the offset at which it
 * continues, otherwise 0.  At the given offset there must be a line break (a
 * line feed or its JSON escape), then an optional indentation, then base64. */
static size_t
skip_line_break(const char *p, size_t n, size_t at)
{
	size_t from = at;

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
	for (size_t indent = 0;
	     at < n && indent < MAX_INDENT && (p[at] == ' ' || p[at] == '\t');
	     indent++)
		at++;
	return at > from && at < n && classify_byte(p[at]) != 0 ? at : 0;
}

/* Returns true if a base64 payload may end at this offset, in a last line that
 * is shorter than its other lines.  A space or a full stop must not come after
 * the offset: the last line is then probably a word of a sentence. */
static bool
may_end_line(const char *p, size_t n, size_t at)
{
	return at == n || strchr("\r\n\"'\\<`,;)]}", p[at]) != NULL;
}

/* Finds the base64 payload that begins at the offset "at".  A payload may
 * consist of lines of equal width and a shorter last line.  Returns the offset
 * of the end of the payload, or "at" if no payload begins there. in_url: true
 * inside a URL with the scheme "data".  Sets *next to the offset at which the
 * caller must continue the search. */
static size_t
find_payload_end(const char *p, size_t n, size_t at, bool in_url, size_t *next)
{
	unsigned kinds = 0, more;
	size_t end = find_base64_end(p, n, at, &kinds), chars = end - at;
	size_t width = in_url ? 0 : chars, line, stop, full = end;

	while ((width == 0 || (width >= MIN_WIDTH && width % 4 == 0)) &&
	    end == full && (line = skip_line_break(p, n, end)) != 0) {
		more = 0;
		stop = find_base64_end(p, n, line, &more);
		if (width == 0)
			width = stop - line;
		if (width < MIN_WIDTH || width % 4 != 0 ||
		    stop - line > width ||
		    (stop - line < width &&
			((stop - line) % 4 != 0 || !may_end_line(p, n, stop))))
			break;
		kinds |= more;
		chars += stop - line;
		end = stop;
		if (stop - line == width)
			full = stop;
	}
	/* Lines of base64 are not a payload if they have too few characters in
	 * total, or lack upper case, lower case or digits.  Then none of these
	 * lines begins a payload, so *next is set to the end of the last line
	 * of full width. */
	*next = full;
	if (!in_url && (chars < MIN_PAYLOAD || (kinds & ALL) != ALL))
		return at;
	*next = end;
	return end;
}

/* ---- finding them ---- */

/* Finds the next place in a text where a string may begin.  For speed, compares
 * only two bytes of the string, the first and the last, which are "next" bytes
 * apart. at: offset at which the search begins.  Returns the offset of the
 * place.  Near the end of the text, returns an offset from which the caller
 * must search byte by byte. */
static size_t
skip_to_candidate(const char *p, size_t n, size_t at, char first, char last,
    size_t next)
{
	const size_t step = sizeof(PLAIN_VECTOR);
	uint64_t found;

	for (; n - at >= step + next; at += step) {
		found = PLAIN(bits)(PLAIN(equal)(PLAIN(load)(p + at), first)) &
		    PLAIN(bits)(PLAIN(equal)(PLAIN(load)(p + at + next), last));
		if (found != 0)
			return at + (size_t)__builtin_ctzll(found);
	}
	return at;
}

/* Returns the offset of the first occurrence of a string in a text, from the
 * offset "at" on, or the length of the text if there is none. */
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
	while (
	    (at = find_text(p, n, at, MARK_OPEN, sizeof MARK_OPEN - 1)) < n &&
	    match_mark(p + at, n - at) == 0)
		at++;
	return at;
}

/* Returns the offset of the payload of the first URL with the scheme "data" in
 * a text, from the offset "at" on, or the length of the text if there is
 * none. */
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
 * Returns the first offset in a text, from the offset "at" on, at which at
 * least MIN_WIDTH base64 characters follow each other, or n if there is none.
 *
 * The search looks at MIN_WIDTH bytes, beginning with the last of them.  If a
 * byte is not base64, the search continues after this byte.  Most words are
 * shorter than MIN_WIDTH, so most bytes are never looked at.
 */
static size_t
find_base64_run(const char *p, size_t n, size_t at)
{
	size_t from;

	for (; n - at >= MIN_WIDTH; at = from) {
		from = at + MIN_WIDTH;
		while (from > at && classify_byte(p[from - 1]) != 0)
			from--;
		if (from > at)
			continue;
		/* After a backslash, the first character belongs to an escape
		 * such as \n, not to base64.  So base64 can begin only after
		 * this character. */
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
	walk->url = find_data_url(p, n, 0);
	walk->run = find_base64_run(p, n, 0);
}

/* Finds the next protected span (part of the text that must not be cut) of each
 * kind at or after an offset.  The three kinds are the mark of an earlier cut,
 * a URL with the scheme "data", and a row of base64 characters. Does not search
 * for a kind whose next span is already known. */
static void
advance_search(struct protected_span_walk *walk, size_t at)
{
	if (walk->mark < at)
		walk->mark = find_mark(walk->p, walk->n, at);
	if (walk->url < at)
		walk->url = find_data_url(walk->p, walk->n, at);
	if (walk->run < at)
		walk->run = find_base64_run(walk->p, walk->n, at);
}

bool
ctx_protected_span_next(struct protected_span_walk *walk,
    struct protected_span *span)
{
	const char *p = walk->p;
	size_t n = walk->n, from, to, next;
	bool in_url;

	for (;;) {
		from = walk->url < walk->run ? walk->url : walk->run;
		if (walk->mark < from) {
			from = walk->mark;
			to = from + match_mark(p + from, n - from);
			*span = (struct protected_span){.from = from, .to = to};
			advance_search(walk, to);
			return true;
		}
		if (from == n)
			return false;
		in_url = from == walk->url;
		to = find_payload_end(p, n, from, in_url, &next);
		advance_search(walk, next);
		/* The first and the last character of a payload may form a
		 * grapheme cluster with characters outside the payload.  Then
		 * they are not included in the span. */
		if (to > from && to < n && (unsigned char)p[to] >= 0x80)
			to--;
		if (to > from && from > 0 && (unsigned char)p[from - 1] >= 0x80)
			from++;
		if (to > from) {
			*span = (struct protected_span){.from = from,
			    .to = to,
			    .is_payload = true};
			return true;
		}
	}
}

/* ---- in text segments ---- */

static int
add_protected_span(struct text_segments *segments, size_t from, size_t to,
    uint64_t extra, struct ctx_err *err)
{
	if (CTX_GROW(segments->spans, segments->spans_cap,
		segments->n_spans + 1, err) < 0)
		return -1;
	segments->spans[segments->n_spans++] =
	    (struct protected_span){.from = from, .to = to, .excess = extra};
	return 0;
}

/* Makes the short text that replaces a base64 payload.  Writes it to
 * shortener->out, and as a JSON string to shortener->mark.  Sets *excess to the
 * size of the payload minus the size of the short text, in the unit of the
 * limit, or to 0 if the payload is smaller. */
static int
make_placeholder(struct shortener *shortener, const char *p, size_t n,
    uint64_t *excess, struct ctx_err *err)
{
	uint64_t before, after;

	shortener->out.n = shortener->mark.n = 0;
	if (ctx_buf_printf(&shortener->out, err,
		MARK_OPEN "%zu characters of base64" MARK_CLOSE,
		ctx_utf8_count(p, n)) < 0 ||
	    ctx_json_string_encode(&shortener->mark, shortener->out.p,
		shortener->out.n, err) < 0 ||
	    ctx_shorten_measure(shortener, p, n, &before, err) < 0 ||
	    ctx_shorten_measure(shortener, shortener->out.p, shortener->out.n,
		&after, err) < 0)
		return -1;
	*excess = before > after ? before - after : 0;
	return 0;
}

/* Finds the protected spans of one text (the parts that must not be cut).  If
 * the text has base64 payloads, appends its JSON string, with short texts in
 * place of the payloads, to segments->placeholder_literals. *grown: number of
 * bytes by which all texts have become longer so far.  Usually they have become
 * shorter; *grown is then a negative number modulo 2^64. */
static int
replace_segment_payloads(struct text_segments *segments,
    struct shortener *shortener, struct text_segment *segment, size_t *grown,
    struct ctx_err *err)
{
	struct ctx_buf *plain = &segments->placeholder_literals;
	const struct ctx_str literal = segment->literal;
	const char *text = segments->text.p + segment->from;
	size_t start = plain->n, done = 0, bytes = 0, at, from;
	struct protected_span_walk walk;
	struct protected_span span;

	ctx_protected_spans_begin(&walk, text, segment->to - segment->from);
	while (ctx_protected_span_next(&walk, &span)) {
		from = segment->from + span.from + *grown;
		if (span.is_payload &&
		    make_placeholder(shortener, text + span.from,
			span.to - span.from, &span.excess, err) < 0)
			return -1;
		if (span.excess > 0) {
			at = ctx_text_segment_seek(segment,
			    done > 0 ? done : !segment->is_json,
			    span.from - bytes);
			if (ctx_buf_add(plain, literal.p + done, at - done,
				err) < 0 ||
			    (segment->is_json
				    ? ctx_buf_add(plain, shortener->out.p,
					  shortener->out.n, err)
				    : ctx_buf_add(plain, shortener->mark.p + 1,
					  shortener->mark.n - 2, err)) < 0)
				return -1;
			done = ctx_text_segment_seek(segment, at,
			    span.to - span.from);
			bytes = span.to;
			*grown += shortener->out.n - (span.to - span.from);
		}
		if (add_protected_span(segments, from,
			segment->from + span.to + *grown, span.excess, err) < 0)
			return -1;
	}
	if (done == 0)
		return 0;
	segment->has_placeholders = true;
	if (ctx_buf_add(plain, literal.p + done, literal.n - done, err) < 0)
		return -1;
	/* Only the length of the JSON string is set here, because the buffer
	 * may still move. ctx_text_segments_protect sets the pointer when all
	 * texts are in the buffer. */
	segment->literal.n = plain->n - start;
	return 0;
}

int
ctx_text_segments_protect(struct text_segments *segments,
    struct shortener *shortener, struct ctx_err *err)
{
	struct text_segment *segment;
	size_t at = 0, grown = 0;

	segments->n_spans = 0;
	segments->placeholder_literals.n = 0;
	for (size_t i = 0; i < segments->n; i++) {
		segment = &segments->list[i];
		if (segment->literal.n > 0 &&
		    replace_segment_payloads(segments, shortener, segment,
			&grown, err) < 0)
			return -1;
	}
	for (size_t i = 0; i < segments->n; i++) {
		if (!segments->list[i].has_placeholders)
			continue;
		segments->list[i].literal.p =
		    segments->placeholder_literals.p + at;
		at += segments->list[i].literal.n;
	}
	return 0;
}
