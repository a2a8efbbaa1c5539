/*
 * passages.c - divides a text into passages (a few lines each), and removes
 * passages from a text
 *
 * A passage ends after a line or a sentence, before it has more than the wanted
 * number of bytes.  A sentence that is much longer is divided between members
 * or elements of JSON.  If it has none, it is divided at a blank; if it has no
 * blanks, between two characters.  A passage never ends inside a protected span
 * (a part that must not be cut, such as base64 data or a mark for removed
 * text).
 */
#include <string.h>

#include "truncate/cut_points.h"

/* How good it is to divide a text at a place, from worst to best. */
enum quality { NOWHERE, INSIDE_WORD, AFTER_BLANK, AFTER_SENTENCE };

static bool
ends_with(const char *p, size_t at, const char *end)
{
	size_t n = strlen(end);

	return at >= n && memcmp(p + at - n, end, n) == 0;
}

/* Returns true if a sentence or line ends before an offset.  Looks first at the
 * byte before the offset, because most bytes do not end a sentence. */
static bool
is_after_sentence(const char *p, size_t at)
{
	static const char *const ends[] = {". ", "! ", "? ",
	    "\xe3\x80\x82" /* U+3002 */, "\xef\xbc\x81" /* U+FF01 */,
	    "\xef\xbc\x9f" /* U+FF1F */};

	if (p[at - 1] == '\n')
		return p[at] != '\n';
	if (p[at - 1] != ' ' && p[at - 1] != '\x81' && p[at - 1] != '\x82' &&
	    p[at - 1] != '\x9f')
		return false;
	for (size_t i = 0; i < CTX_LENGTH(ends); i++)
		if (ends_with(p, at, ends[i]))
			return true;
	return false;
}

/* Returns how good it is to divide a text at an offset.  The caller must pass
 * the offset of a character inside the text, not its beginning or end. */
static enum quality
rate_place(const char *p, size_t n, size_t at)
{
	size_t before = ctx_utf8_back(p, at);
	uint32_t first, second;

	(void)ctx_utf8_next(p + before, at - before, &first);
	(void)ctx_utf8_next(p + at, n - at, &second);
	if (!ctx_grapheme_is_break(first, second))
		return NOWHERE;
	if (is_after_sentence(p, at))
		return AFTER_SENTENCE;
	return ctx_utf8_is_space((unsigned char)p[at - 1]) ? AFTER_BLANK
							   : INSIDE_WORD;
}

void
ctx_passages_begin(struct passage_walk *walk, const char *p, size_t n,
    size_t size)
{
	*walk = (struct passage_walk){.p = p, .n = n, .size = size};
	ctx_protected_spans_begin(&walk->spans, p, n);
	if (!ctx_protected_span_next(&walk->spans, &walk->span))
		walk->span.from = walk->span.to = n;
}

/* Moves walk->span to the first protected span (part that must not be cut) that
 * ends after an offset. */
static void
skip_spans(struct passage_walk *walk, size_t at)
{
	while (walk->span.to <= at && walk->span.from < walk->n)
		if (!ctx_protected_span_next(&walk->spans, &walk->span))
			walk->span.from = walk->span.to = walk->n;
}

/* Returns true if a sentence or a line ends at an offset. */
static bool
ends_sentence(const struct passage_walk *walk, size_t at)
{
	/* In UTF-8, a byte 10xxxxxx is not the first byte of a character. */
	return is_after_sentence(walk->p, at) &&
	    ((unsigned char)walk->p[at] & 0xc0) != 0x80 &&
	    rate_place(walk->p, walk->n, at) == AFTER_SENTENCE;
}

/* Returns the greatest offset above "from" and at most "to" at which a sentence
 * or a line ends; 0 if there is none. */
static size_t
find_last_sentence_end(const struct passage_walk *walk, size_t from, size_t to)
{
	for (; to > from; to--)
		if (ends_sentence(walk, to))
			return to;
	return 0;
}

/* Returns the smallest offset above "from" and at most "to" at which a sentence
 * or a line ends; 0 if there is none. */
static size_t
find_first_sentence_end(const struct passage_walk *walk, size_t from, size_t to)
{
	while (from < to)
		if (ends_sentence(walk, ++from))
			return from;
	return 0;
}

/* Returns the greatest offset above "from" and at most "to" at which probably a
 * member of a JSON object or an element of a JSON array ends: after a comma,
 * and a blank if there is one.  Returns 0 if there is none.  A comma before a
 * digit may be inside a number, so the next member or element must begin with
 * '"', '{' or '['. */
static size_t
find_last_member_end(const struct passage_walk *walk, size_t from, size_t to)
{
	for (; to > from + 1; to--) {
		const char *at = walk->p + to;

		if ((*at == '"' || *at == '{' || *at == '[') &&
		    (at[-1] == ',' || (at[-1] == ' ' && at[-2] == ',')))
			return to;
	}
	return 0;
}

/* Returns the offset of the end of the passage that begins at the offset
 * "from". */
static size_t
find_passage_end(const struct passage_walk *walk, size_t from)
{
	struct passage_walk look = *walk;
	size_t at = from, sentence = 0, blank = 0, end = 0, n = walk->n;
	/* If no line or sentence ends within this number of bytes, the passage
	 * ends between members of JSON, or at a blank. */
	size_t longest = 2 * walk->size;
	enum quality quality;
	uint32_t cp;

	/* If the remaining text is at most a quarter longer than a passage, it
	 * is not divided. */
	if (n - from <= walk->size + walk->size / 4)
		return n;
	/* If no protected span (part that must not be cut) is near, the
	 * functions for sentences find the same place as the loop below, but
	 * faster. */
	if (walk->span.from >= from + walk->size)
		end = find_last_sentence_end(walk, from, from + walk->size);
	if (end == 0 && walk->span.from > from + longest &&
	    n - from > longest + 4 /* a character */) {
		end = find_first_sentence_end(walk, from + walk->size,
		    from + longest);
		if (end == 0)
			end = find_last_member_end(walk, from, from + longest);
	}
	if (end > 0)
		return end;
	for (;;) {
		at += ctx_utf8_next(walk->p + at, n - at, &cp);
		if (at >= n)
			return n;
		if (at - from > walk->size && sentence > 0)
			return sentence;
		skip_spans(&look, at);
		if (look.span.from < at && at < look.span.to) {
			at = look.span.to;
			if (at >= n)
				return n;
		}
		quality = rate_place(walk->p, n, at);
		if (quality == AFTER_SENTENCE)
			sentence = at;
		else if (quality == AFTER_BLANK && at - from <= longest)
			blank = at;
		if (at - from <= longest)
			continue;
		if (sentence > 0 || blank > 0)
			return sentence > 0 ? sentence : blank;
		if (quality != NOWHERE)
			return at;
	}
}

bool
ctx_passages_next(struct passage_walk *walk, struct passage *passage)
{
	passage->from = walk->at;
	if (walk->at >= walk->n)
		return false;
	passage->to = find_passage_end(walk, walk->at);
	walk->at = passage->to;
	skip_spans(walk, walk->at);
	return true;
}

/* The same place in a text and in its JSON string, as offsets. */
struct text_place {
	size_t in_text, in_json;
};

/* State of removing passages from texts, one text after another. */
struct passage_removal {
	struct shortener *shortener;
	struct ctx_edits *edits;
	const struct text_segments *segments;
	const struct passages *removed;
	/* Offset, counted as if all texts were one text.  The bytes before this
	 * offset are kept. */
	size_t kept_start;
	size_t text; /* number of the current text */
	/* true if a part of the current text was replaced by a mark */
	bool has_mark;
	/* Index in removed->list of the passage that is replaced next.  A
	 * passage that continues in the next text remains the next one. */
	size_t next;
	/* the end of the passage that was removed last from the current text */
	struct text_place place;
};

/* Replaces a passage by the mark for removed text.  The caller must pass a
 * passage in the current text that begins at or after removal->place. */
static int
remove_passage(struct passage_removal *removal, const struct passage *removed,
    struct ctx_err *err)
{
	const struct text_segments *segments = removal->segments;
	const struct text_segment *segment = &segments->list[removal->text];
	const struct ctx_buf *mark = &removal->shortener->mark;
	const struct cut_range range = {.head.at = removed->from,
	    .head.segment = removal->text,
	    .tail.at = removed->to,
	    .tail.segment = removal->text};
	size_t n = removed->to - removed->from;
	size_t from = ctx_text_segment_seek(segment, removal->place.in_json,
	    removed->from - removal->place.in_text);

	removal->place.in_json = ctx_text_segment_seek(segment, from, n);
	removal->place.in_text = removed->to;
	if ((removal->has_mark
		    ? ctx_cut_repeat_mark(removal->shortener, segments, &range,
			  err)
		    : ctx_cut_update_mark(removal->shortener, segments, &range,
			  ctx_utf8_count(segments->text.p + removed->from, n),
			  err)) < 0)
		return -1;
	removal->has_mark = true;
	return ctx_edits_replace(removal->edits,
	    (struct ctx_str){segment->literal.p + from,
		removal->place.in_json - from},
	    mark->p + 1, mark->n - 2, err);
}

/* Replaces those parts of the passages that are in the current text by marks
 * for removed text. */
static int
remove_from_text(struct passage_removal *removal, struct ctx_err *err)
{
	const struct passages *removed = removal->removed;
	const struct text_segment *segment =
	    &removal->segments->list[removal->text];
	struct passage part;

	/* A JSON string begins with a quote, so its text begins at offset 1. */
	removal->place =
	    (struct text_place){.in_text = segment->from, .in_json = 1};
	removal->has_mark = false;
	for (; removal->next < removed->n; removal->next++) {
		part = removed->list[removal->next];
		if (part.from < segment->from)
			part.from = segment->from;
		if (part.from < removal->kept_start)
			part.from = removal->kept_start;
		if (part.to > segment->to)
			part.to = segment->to;
		if (part.from < part.to &&
		    remove_passage(removal, &part, err) < 0)
			return -1;
		if (removed->list[removal->next].to > segment->to)
			break;
	}
	return 0;
}

int
ctx_passages_remove(struct shortener *shortener, struct ctx_edits *edits,
    struct text_segments *segments, const struct passages *removed,
    bool keep_start, struct ctx_err *err)
{
	struct passage_removal removal = {.shortener = shortener,
	    .edits = edits,
	    .segments = segments,
	    .removed = removed};
	struct passage_walk walk;
	struct passage start;

	if (ctx_text_segments_read(segments, err) < 0)
		return -1;
	shortener->unit = CTX_SIZE_CHARS;
	shortener->mark_has_size = true;
	ctx_passages_begin(&walk, segments->text.p, segments->text.n,
	    CTX_PASSAGE_BYTES);
	if (keep_start && ctx_passages_next(&walk, &start))
		removal.kept_start = start.to;
	for (; removal.text < segments->n; removal.text++)
		if (remove_from_text(&removal, err) < 0)
			return -1;
	return 0;
}
