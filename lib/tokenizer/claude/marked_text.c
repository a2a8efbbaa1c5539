/*
 * marked_text.c - counts the tokens of a unit (a part of a text), for Claude's
 * encodings
 *
 * The unit is first normalized, and some of its characters are removed.
 * Consecutive characters of the same class form a run (chars.h).  Marker bytes
 * are then written into the text.  A word is written between two markers, for
 * its beginning and its end.  The word is written in small letters if a marker
 * can say where its capital letters were.  A marker is also written between
 * punctuation and a space.  A single space between two markers is left out.
 */
#include <stdlib.h>

#include "tokenizer/claude/chars.h"
#include "tokenizer/claude/claude.h"

/* capital letter U+1E9E; a word with it is written without changes */
#define SHARP_S 0x1e9e
/* a capital letter without a small letter in this encoding */
#define DOTTED_I 0x0130

void
ctx_marked_text_init(struct ctx_marked_text *m, const struct ctx_claude *claude,
    const void *automaton)
{
	m->claude = claude;
	m->normalizer.tables = &ctx_nfc_15;
	ctx_pieces_view(&m->pieces, automaton);
}

void
ctx_marked_text_release(struct ctx_marked_text *m)
{
	ctx_nfc_release(&m->normalizer);
	free(m->chars);
}

/* ---- runs ---------------------------------------------------------------- */

/* Consecutive characters of the same class.  The properties are those of
 * chars.h. */
struct run {
	/* indices of the run's first character, and of the character after its
	 * last one */
	size_t at, end;
	unsigned class;
	/* properties of the first and of the last character of the run */
	unsigned first, last;
	/* properties that some character of the run has, and those that all of
	 * them have */
	unsigned any, all;
};

/* The rewritten text of a unit (a part of a text with independent tokens). */
struct stream {
	const struct ctx_claude *claude;
	const uint32_t *chars; /* of the unit */
	size_t n;
	unsigned edges;
	/* the last run that was read; the members at and end are 0 if there is
	 * none */
	struct run before;
	/* True if the last run is an apostrophe after which a word can be the
	 * end of a contraction. */
	bool contracts;
	/* true if the last byte that was written is the marker for the end of a
	 * word */
	bool closed;
	/* True if a space was read but not yet written.  The space is left out
	 * if the next byte is a marker for the beginning of a word. */
	bool space;
	struct ctx_tiling *tiling;
	uint8_t *lone; /* see struct ctx_marked_text */
};

/* Finds the run that begins at the index "at".  A run of the class CTX_RUN_HARD
 * consists of variation selectors and of characters that agree in two
 * properties, CTX_CHAR_BORDER and CTX_CHAR_NUMBER. */
static struct run
find_run(const struct stream *s, size_t at)
{
	unsigned first = ctx_char_properties(s->chars[at]), next;
	unsigned class = first & CTX_RUN_MASK;
	unsigned same = CTX_RUN_MASK, joins = 0;
	struct run run = {at, at + 1, class, first, first, first, first};

	if (class == CTX_RUN_HARD) {
		same |= CTX_CHAR_BORDER | CTX_CHAR_NUMBER;
		joins = CTX_CHAR_SELECTOR;
	} else if (class == CTX_RUN_WORD && (first & CTX_CHAR_STRAY) != 0) {
		same |= CTX_CHAR_STRAY;
		run.class = CTX_RUN_MARK;
	}
	for (; run.end < s->n; run.end++) {
		next = ctx_char_properties(s->chars[run.end]);
		if (((next ^ first) & same) != 0 && (next & joins) == 0)
			break;
		run.last = next;
		run.any |= next;
		run.all &= next;
	}
	return run;
}

static bool
is_apostrophe(const struct stream *s, const struct run *run)
{
	return run->end - run->at == 1 &&
	    ctx_char_point(s->chars[run->at]) == '\'';
}

/* Returns true if a run is an apostrophe directly before a word. */
static bool
opens_quote(const struct stream *s, const struct run *run)
{
	return is_apostrophe(s, run) && run->end < s->n &&
	    (ctx_char_properties(s->chars[run->end]) & CTX_RUN_MASK) ==
	    CTX_RUN_WORD;
}

/* Returns true if there is a space before a run.  A marker at the end of the
 * frame (the tokens before a text) counts as a space. */
static bool
follows_space(const struct stream *s, const struct run *run)
{
	if (run->at == 0)
		return (s->edges & CTX_UNIT_HEAD) != 0 && s->claude->opens_word;
	return ctx_char_point(s->chars[run->at - 1]) == ' ';
}

/* Returns true if there is exactly one space after the run. */
static bool
precedes_space(const struct stream *s, const struct run *run)
{
	return run->end < s->n && ctx_char_point(s->chars[run->end]) == ' ' &&
	    (run->end + 1 == s->n ||
		ctx_char_point(s->chars[run->end + 1]) != ' ');
}

static bool
has_border(unsigned properties)
{
	return (properties & (CTX_CHAR_SELECTOR | CTX_CHAR_BORDER)) != 0;
}

/* Returns true if all characters of the run are decimal digits (Unicode
 * category Nd), or all are other numerals (No).  No character is both. */
static bool
has_digits(const struct run *run)
{
	return (run->all & (CTX_CHAR_DECIMAL | CTX_CHAR_NUMERAL)) != 0;
}

/* Return true if a marker is written between a run of numbers and a space: a
 * space before the run (opens_number), or a space after it (closes_number). */
static bool
opens_number(const struct run *run)
{
	return has_digits(run) && (run->first & CTX_CHAR_NUMBER) != 0;
}
static bool
closes_number(const struct run *run)
{
	return has_digits(run) && (run->last & CTX_CHAR_NUMBER) != 0;
}

/* Returns true if the marker for the beginning of a word is written between a
 * space and this run of characters. */
static bool
opens_itself(const struct stream *s, const struct run *run)
{
	if (run->class == CTX_RUN_PUNCT || has_border(run->first))
		return !opens_quote(s, run);
	return opens_number(run);
}

/* Returns true if the marker for the end of a word is written between this run
 * of characters and a space after the run. */
static bool
closes_itself(const struct run *run)
{
	return run->class == CTX_RUN_PUNCT || has_border(run->last) ||
	    ((run->class == CTX_RUN_DIGIT || run->class == CTX_RUN_HARD) &&
		closes_number(run));
}

/* Returns true if the word is the end of a contraction, such as the s in
 * "it's".  In this case no marker is written between the apostrophe and the
 * word. */
static bool
is_contraction(const struct stream *s, const struct run *word)
{
	static const char ends[][3] = {"s", "t", "d", "m", "ll", "re", "ve"};
	const uint32_t *c = s->chars + word->at;
	size_t n = word->end - word->at, i;

	if (n > 2 || !s->contracts)
		return false;
	for (i = 0; i < sizeof ends / sizeof ends[0]; i++)
		if (ctx_char_point(c[0]) == (uint32_t)ends[i][0] &&
		    (n == 1 ? 0 : ctx_char_point(c[1])) == (uint32_t)ends[i][1])
			return true;
	return false;
}

/* ---- writing ------------------------------------------------------------- */

static void
write_space(struct stream *s)
{
	if (s->space)
		ctx_tiling_put(s->tiling, ' ');
	s->space = false;
}

/* Writes the marker for the beginning of a word. capitals: a marker that is
 * written before it, and says where the word has capital letters; 0 if there is
 * none. */
static void
write_begin(struct stream *s, unsigned capitals)
{
	s->space = false;
	if (capitals != 0)
		ctx_tiling_put(s->tiling, (unsigned char)capitals);
	ctx_tiling_put(s->tiling, CTX_PIECE_BOW);
}

static void
write_end(struct stream *s)
{
	ctx_tiling_put(s->tiling, CTX_PIECE_EOW);
	s->closed = true;
}

static void
write_chars(struct stream *s, const struct run *run)
{
	size_t i;

	write_space(s);
	for (i = run->at; i < run->end; i++)
		ctx_tiling_put_char(s->tiling, ctx_char_point(s->chars[i]));
	s->closed = false;
}

/* Which letters of a word are capital letters. */
struct capitals {
	bool sharp_s, dotted_i;
	/* true if the word has a letter without case, such as an Arabic one */
	bool caseless;
	/* true if the word has a small letter */
	bool lower;
	/* numbers of capital letters, not counting DOTTED_I */
	size_t upper, upper_after_first;
};

static struct capitals
count_capitals(const struct stream *s, const struct run *word)
{
	struct capitals found = {0};
	unsigned properties;
	uint32_t cp;
	size_t i;

	for (i = word->at; i < word->end; i++) {
		cp = ctx_char_point(s->chars[i]);
		properties = ctx_char_properties(s->chars[i]);
		found.sharp_s |= cp == SHARP_S;
		found.dotted_i |= cp == DOTTED_I;
		found.lower |= (properties & CTX_CHAR_LOWER) != 0;
		if ((properties & CTX_CHAR_UPPER) == 0) {
			found.caseless |=
			    (properties & (CTX_CHAR_LETTER | CTX_CHAR_LOWER)) ==
			    CTX_CHAR_LETTER;
		} else if (cp != DOTTED_I) {
			found.upper++;
			found.upper_after_first += i > word->at;
		}
	}
	return found;
}

/* Returns the marker that says where the word has capital letters; the word is
 * then written in small letters.  Returns 0 if the word is written without
 * changes. */
static unsigned
find_case(const struct stream *s, const struct run *word)
{
	uint32_t first = s->chars[word->at];
	unsigned least = s->claude->least_caps;
	struct capitals found;

	if ((word->any & CTX_CHAR_UPPER) == 0)
		return 0;
	found = count_capitals(s, word);
	if (found.sharp_s || found.upper == 0)
		return 0;
	if (least > 0 && word->end - word->at >= least && !found.dotted_i &&
	    !found.lower && !found.caseless)
		return CTX_PIECE_CAPS;
	if (ctx_char_point(first) == DOTTED_I || found.upper_after_first > 0 ||
	    (ctx_char_properties(first) & CTX_CHAR_UPPER) == 0)
		return 0;
	return CTX_PIECE_SHIFT;
}

/* Writes a word and its markers.  If combining marks are directly before the
 * word, the marker for its beginning was already written before these marks. */
static void
write_word(struct stream *s, const struct run *word)
{
	unsigned capitals = 0;
	uint32_t cp;
	size_t i;

	if (s->before.class != CTX_RUN_MARK) {
		capitals = find_case(s, word);
		if (!is_contraction(s, word))
			write_begin(s, capitals);
	}
	for (i = word->at; i < word->end; i++) {
		cp = ctx_char_point(s->chars[i]);
		if (capitals != 0 && cp != DOTTED_I)
			cp = ctx_claude_lower_char(cp);
		ctx_tiling_put_char(s->tiling, cp);
	}
	write_end(s);
}

/* Writes combining marks that are not after a letter.  The marks begin a word,
 * to which the letters after the marks belong. */
static void
write_marks(struct stream *s, const struct run *run)
{
	write_begin(s, 0);
	write_chars(s, run);
	if (run->end == s->n ||
	    (ctx_char_properties(s->chars[run->end]) & CTX_RUN_MASK) !=
		CTX_RUN_WORD)
		write_end(s);
}

/* Writes a run of punctuation, digits or characters of the class
 * CTX_RUN_HARD. */
static void
write_bordered(struct stream *s, const struct run *run)
{
	if (follows_space(s, run) && opens_itself(s, run))
		write_begin(s, 0);
	write_chars(s, run);
	if (precedes_space(s, run) && closes_itself(run))
		write_end(s);
}

static void
write_run(struct stream *s, const struct run *run)
{
	if (run->class == CTX_RUN_WORD)
		write_word(s, run);
	else if (run->class == CTX_RUN_MARK)
		write_marks(s, run);
	else if (run->class != CTX_RUN_SPACE)
		write_bordered(s, run);
	else if (s->closed && run->end - run->at == 1 &&
	    ctx_char_point(s->chars[run->at]) == ' ')
		s->space = true;
	else
		write_chars(s, run);
}

/* Called if the frame (the tokens before a text) ends with the marker for the
 * beginning of a word.  Writes this marker, unless the first run begins with a
 * marker or a space.  Before an apostrophe and a word, writes a space
 * instead. */
static void
write_head(struct stream *s, const struct run *first)
{
	if (opens_quote(s, first)) {
		ctx_tiling_put(s->tiling, ' ');
		return;
	}
	if (first->class == CTX_RUN_WORD || first->class == CTX_RUN_PUNCT ||
	    first->class == CTX_RUN_MARK || has_border(first->first) ||
	    opens_number(first) ||
	    (first->class == CTX_RUN_SPACE &&
		ctx_char_point(s->chars[first->at]) == ' '))
		return;
	ctx_tiling_put(s->tiling, CTX_PIECE_BOW);
}

/* Returns true if a run is one character whose tokens depend on nothing else:
 * no piece contains the character, or the markers of the word that it is,
 * together with something beside it, and no marker depends on a space beside
 * it. */
static bool
is_lone(const struct stream *s, const struct run *run)
{
	unsigned before = s->before.class, next = CTX_RUN_HARD;

	if (run->end - run->at > 1 ||
	    ctx_char_point(s->chars[run->at]) >= CTX_LONE_CHARS)
		return false;
	if (run->class == CTX_RUN_WORD)
		return before != CTX_RUN_MARK && !s->contracts;
	if (run->end < s->n)
		next = ctx_char_properties(s->chars[run->end]) & CTX_RUN_MASK;
	if (before == CTX_RUN_SPACE || next == CTX_RUN_SPACE ||
	    (run->at == 0 && (s->edges & CTX_UNIT_HEAD) != 0))
		return false;
	if (run->class == CTX_RUN_PUNCT)
		return before != CTX_RUN_HARD && !is_apostrophe(s, run);
	return run->class == CTX_RUN_HARD && next != CTX_RUN_PUNCT &&
	    (run->first & CTX_CHAR_NUMBER) == 0;
}

/* Writes a run that is_lone is true for. */
static void
write_lone(struct stream *s, const struct run *run)
{
	uint8_t *tokens = s->lone + ctx_char_point(s->chars[run->at]);
	uint64_t before;

	if (*tokens == 0) {
		before = ctx_tiling_cost(s->tiling);
		write_run(s, run);
		*tokens = (uint8_t)(ctx_tiling_cost(s->tiling) - before);
		return;
	}
	ctx_tiling_add(s->tiling, *tokens);
	s->space = false;
	s->closed = run->class == CTX_RUN_WORD;
}

static void
write_stream(struct stream *s)
{
	bool head = (s->edges & CTX_UNIT_HEAD) != 0 && s->claude->opens_word;
	struct run run = {0};

	if (s->n == 0 && head && (s->edges & CTX_UNIT_TAIL) != 0)
		ctx_tiling_put(s->tiling, CTX_PIECE_BOW);
	while (run.end < s->n) {
		run = find_run(s, run.end);
		if (run.at == 0 && head)
			write_head(s, &run);
		if (is_lone(s, &run))
			write_lone(s, &run);
		else
			write_run(s, &run);
		s->contracts = is_apostrophe(s, &run) &&
		    (s->before.end == 0 || !closes_itself(&s->before));
		s->before = run;
	}
	/* A space at the end of the unit (part of the text that is counted by
	 * itself) may not be written yet.  Inside a text, a word comes after
	 * the unit, so the space is left out; at the end of a text the space is
	 * written. */
	if ((s->edges & CTX_UNIT_TAIL) != 0)
		write_space(s);
}

/* Removes the line feeds at the end of a text, and returns the number of tokens
 * that they add.  The frame after a text begins with two line feeds, which are
 * one token.  The line feeds of the text and of the frame are divided into
 * pieces together, and then one token is subtracted. */
static uint64_t
count_newlines(struct ctx_marked_text *m)
{
	size_t n = 0, i;

	while (m->n > 0 && ctx_char_point(m->chars[m->n - 1]) == '\n') {
		m->n--;
		n++;
	}
	if (n == 0)
		return 0;
	ctx_tiling_begin(&m->tiling, &m->pieces);
	for (i = 0; i < n + 2; i++)
		ctx_tiling_put(&m->tiling, '\n');
	return ctx_tiling_cost(&m->tiling) - 1;
}

int
ctx_marked_text_count(struct ctx_marked_text *m, struct ctx_str unit,
    unsigned edges, uint64_t *tokens, struct ctx_err *err)
{
	struct stream s = {.claude = m->claude,
	    .edges = edges,
	    .tiling = &m->tiling,
	    .lone = m->lone};
	size_t skip;

	if (ctx_marked_text_read(m, unit, err) < 0)
		return -1;
	if ((edges & CTX_UNIT_TAIL) != 0)
		*tokens += count_newlines(m);
	/* A request has fixed tokens before its text.  The last of them is the
	 * marker for the beginning of a word.  If exactly one space begins the
	 * text, this marker stands for the space, and the space is skipped. */
	skip = (edges & CTX_UNIT_HEAD) != 0 && m->claude->opens_word &&
	    unit.p[0] == ' ' && m->n > 0 &&
	    ctx_char_point(m->chars[0]) == ' ' &&
	    (m->n == 1 || ctx_char_point(m->chars[1]) != ' ');
	s.chars = m->chars + skip;
	s.n = m->n - skip;
	ctx_tiling_begin(&m->tiling, &m->pieces);
	write_stream(&s);
	*tokens += ctx_tiling_cost(&m->tiling);
	return 0;
}
