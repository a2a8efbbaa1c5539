/*
 * atoms.c - what no cut may fall into
 *
 * Base64 tells nobody anything in pieces, so a long payload becomes a
 * placeholder before anything else goes.  A mark or a placeholder that is
 * there already stays whole or goes whole.
 */
#include <stdlib.h>
#include <string.h>

#include "convo/pieces.h"

#define PAYLOAD 256 /* characters, with upper and lower case and digits */
#define WIDTH	40  /* the least that lines of a payload have */
#define DENT	32  /* the most white space before one */

#define OPEN  "[\xe2\x80\xa6 "
#define CLOSE " \xe2\x80\xa6]"

/* ---- marks ---- */

/* "[... 12 lines truncated ...]" with one-character ellipses; the bytes of
 * it, or 0. */
static size_t
mark_at(const char *p, size_t n)
{
	const size_t open = sizeof OPEN - 1, close = sizeof CLOSE - 1;
	size_t at = open;

	if (n < open || memcmp(p, OPEN, open) != 0 || at == n ||
	    p[at] < '0' || p[at] > '9')
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
static const unsigned char kinds_of[256] = {
    ['A'] = UPPER, UPPER, UPPER, UPPER, UPPER, UPPER, UPPER, UPPER, UPPER,
    UPPER, UPPER, UPPER, UPPER, UPPER, UPPER, UPPER, UPPER, UPPER, UPPER,
    UPPER, UPPER, UPPER, UPPER, UPPER, UPPER, UPPER,
    ['a'] = LOWER, LOWER, LOWER, LOWER, LOWER, LOWER, LOWER, LOWER, LOWER,
    LOWER, LOWER, LOWER, LOWER, LOWER, LOWER, LOWER, LOWER, LOWER, LOWER,
    LOWER, LOWER, LOWER, LOWER, LOWER, LOWER, LOWER,
    ['0'] = DIGIT, DIGIT, DIGIT, DIGIT, DIGIT, DIGIT, DIGIT, DIGIT, DIGIT,
    DIGIT,
    ['+'] = SIGN, ['/'] = SIGN, ['='] = SIGN, ['-'] = SIGN, ['_'] = SIGN};

static unsigned
kind_of(char c)
{
	return kinds_of[(unsigned char)c];
}

/* The end of the run of base64 from at on; its kinds are added. */
static size_t
run_end(const char *p, size_t n, size_t at, unsigned *kinds)
{
	unsigned kind;

	for (; at < n && (kind = kind_of(p[at])) != 0; at++)
		*kinds |= kind;
	return at;
}

/* Behind a line break, which may be written as in JSON, and the white space
 * of the next line; or 0. */
static size_t
next_line(const char *p, size_t n, size_t at)
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
	return at > from && at < n && kind_of(p[at]) != 0 ? at : 0;
}

/* May a line that is not full end a payload here?  A word of a sentence does
 * not. */
static bool
ends_line(const char *p, size_t n, size_t at)
{
	return at == n || strchr("\r\n\"'\\<`,;)]}", p[at]) != NULL;
}

/*
 * The end of the payload from at on, which may go over lines of equal length
 * and a shorter last one; or at.  linked: it stands in a data: URL.
 */
static size_t
payload_end(const char *p, size_t n, size_t at, bool linked, size_t *behind)
{
	unsigned kinds = 0, more;
	size_t end = run_end(p, n, at, &kinds), chars = end - at;
	size_t width = linked ? 0 : chars, line, stop, full = end;

	while ((width == 0 || (width >= WIDTH && width % 4 == 0)) &&
	    end == full && (line = next_line(p, n, end)) != 0) {
		more = 0;
		stop = run_end(p, n, line, &more);
		if (width == 0)
			width = stop - line;
		if (width < WIDTH || width % 4 != 0 || stop - line > width ||
		    (stop - line < width &&
			((stop - line) % 4 != 0 || !ends_line(p, n, stop))))
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

/* Does a payload of a data: URL begin here? */
static bool
is_linked(const char *p, size_t at)
{
	static const char head[] = ";base64,";

	return at >= sizeof head - 1 &&
	    memcmp(p + at - (sizeof head - 1), head, sizeof head - 1) == 0;
}

bool
ctx_atom_next(const char *p, size_t n, size_t *at, struct atom *atom)
{
	size_t i = *at, end, behind;

	while (i < n) {
		if (p[i] == '[' && (end = mark_at(p + i, n - i)) > 0) {
			*atom = (struct atom){.from = i, .to = i + end};
			*at = atom->to;
			return true;
		}
		/* The letter of an escape of JSON belongs to no payload. */
		if (kind_of(p[i]) == 0 || (i > 0 && p[i - 1] == '\\')) {
			i++;
			continue;
		}
		end = payload_end(p, n, i, is_linked(p, i), &behind);
		/* A character beside it may make one with its end. */
		if (end > i && end < n && (unsigned char)p[end] >= 0x80)
			end--;
		if (end > i && i > 0 && (unsigned char)p[i - 1] >= 0x80)
			i++;
		if (end > i) {
			*atom = (struct atom){.from = i, .to = end,
			    .payload = true};
			*at = behind;
			return true;
		}
		i = behind;
	}
	return false;
}

/* ---- in the pieces of an item ---- */

static struct atom *
add_atom(struct pieces *pieces, struct ctx_err *err)
{
	struct atom *grown;

	grown = ctx_grow(pieces->atoms, &pieces->atoms_cap,
	    pieces->n_atoms + 1, sizeof *grown, err);
	if (grown == NULL)
		return NULL;
	pieces->atoms = grown;
	return &grown[pieces->n_atoms++];
}

/* Makes the placeholder of a payload, a literal; *less is what it saves, 0
 * if it is not worth it. */
static int
make_placeholder(struct cut *cut, const char *p, size_t n, uint64_t *less,
    struct ctx_err *err)
{
	uint64_t before, after;

	cut->out.n = cut->mark.n = 0;
	if (ctx_buf_printf(&cut->out, err, OPEN "%zu characters of base64"
		CLOSE, ctx_utf8_count(p, n)) < 0 ||
	    ctx_text_encode(&cut->mark, cut->out.p, cut->out.n, err) < 0 ||
	    ctx_cut_measure(cut, p, n, &before, err) < 0 ||
	    ctx_cut_measure(cut, cut->out.p, cut->out.n, &after, err) < 0)
		return -1;
	*less = before > after ? before - after : 0;
	return 0;
}

/* Offsets into a literal and into its text that stand for one place. */
struct place {
	size_t at, bytes;
};

static void
move_to(struct ctx_str literal, struct place *place, size_t bytes)
{
	char utf8[4];
	uint32_t cp;

	while (place->bytes < bytes &&
	    ctx_text_next(literal, &place->at, &cp))
		place->bytes += ctx_utf8_put(utf8, cp);
}

/* Finds the atoms of piece i, whose text is in cut->text, and puts it into
 * pieces->plain with its payloads replaced. */
static int
plain_piece(struct pieces *pieces, struct cut *cut, size_t i,
    struct ctx_err *err)
{
	struct piece *piece = &pieces->list[i];
	struct ctx_buf *plain = &pieces->plain;
	struct place place = {1, 0};
	size_t start = plain->n, done = 0, at = 0, end = piece->end;
	struct atom found, *atom;

	while (ctx_atom_next(cut->text.p, cut->text.n, &at, &found)) {
		if ((atom = add_atom(pieces, err)) == NULL)
			return -1;
		atom->piece = i;
		atom->extra = 0;
		if (found.payload && make_placeholder(cut, cut->text.p +
			found.from, found.to - found.from, &atom->extra,
			err) < 0)
			return -1;
		move_to(piece->literal, &place, found.from);
		atom->from = place.at - done + (plain->n - start);
		if (atom->extra > 0 &&
		    (ctx_buf_add(plain, piece->literal.p + done,
			 place.at - done, err) < 0 ||
			ctx_buf_add(plain, cut->mark.p + 1, cut->mark.n - 2,
			    err) < 0))
			return -1;
		move_to(piece->literal, &place, found.to);
		if (atom->extra > 0)
			done = place.at;
		atom->to = place.at - done + (plain->n - start);
	}
	if (done == 0)
		return 0;
	piece->plain = true;
	piece->end = end - done + (plain->n - start);
	if (ctx_buf_add(plain, piece->literal.p + done,
		piece->literal.n - done, err) < 0)
		return -1;
	/* Where it lies is known when the buffer has stopped growing. */
	piece->literal.n = plain->n - start;
	return 0;
}

int
ctx_pieces_plain(struct pieces *pieces, struct cut *cut, struct ctx_err *err)
{
	struct piece *piece;
	size_t i, at = 0;

	pieces->n_atoms = 0;
	pieces->plain.n = 0;
	for (i = 0; i < pieces->n; i++) {
		piece = &pieces->list[i];
		cut->text.n = 0;
		if (piece->literal.n > 0 &&
		    (ctx_text_decode(&cut->text,
			 (struct ctx_str){piece->literal.p, piece->end + 1},
			 err) < 0 ||
			plain_piece(pieces, cut, i, err) < 0))
			return -1;
	}
	for (i = 0; i < pieces->n; i++) {
		if (!pieces->list[i].plain)
			continue;
		pieces->list[i].literal.p = pieces->plain.p + at;
		at += pieces->list[i].literal.n;
	}
	return 0;
}
