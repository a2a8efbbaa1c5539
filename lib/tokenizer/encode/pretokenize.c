/*
 * pretokenize.c - finds the first pretoken of a text, character by character
 *
 * A pretokenizer pattern is a list of alternatives, which are tried in order at
 * each place.  A match is a pretoken; the next one begins after it.  This file
 * has the patterns of the three families as functions.  (L is a letter, N a
 * number, W white space, P any other character.  U and O are the letters that
 * may begin and end a word in o200k.)
 *
 * r50k    '(s|d|m|t|ll|ve|re)   ' '?L+   ' '?N+   ' '?P+   W+(?!\S)   W+
 * cl100k  contraction in any case   [^\r\nLN]?L+   N{1,3}   ' '?P+[\r\n]*
 *         W*[\r\n]+   W+(?!\S)   W+
 * o200k   [^\r\nLN]?U*O+contraction?   [^\r\nLN]?U+O*contraction?  N{1,3}
 *         ' '?P+[\r\n/]*   W*[\r\n]+   W+(?!\S)   W+
 *
 * simd/pretokenize_block.h finds the boundaries in 64 bytes at once, and uses
 * this file where a boundary is not certain.
 */
#include <stdbool.h>

#include "tokenizer/encode/pretokenize.h"
#include "tokenizer/unicode.h"

struct text {
	const char *p;
	size_t n;
};

#define BIT(class)   (1u << CTX_CLASS_##class)
#define LETTERS      (BIT(UPPER) | BIT(LOWER) | BIT(LETTER))
#define BEGIN_LETTER (BIT(UPPER) | BIT(LETTER) | BIT(MARK))
#define END_LETTER   (BIT(LOWER) | BIT(LETTER) | BIT(MARK))
#define SYMBOLS      (BIT(OTHER) | BIT(MARK))

/* Returns the offset of the first character, at or after offset i, whose class
 * is not in the set "classes". */
static size_t
find_run_end(struct text t, size_t i, unsigned classes)
{
	enum ctx_class class;
	size_t length;

	while (i < t.n) {
		length = ctx_char_class(t.p + i, t.n - i, &class);
		if ((classes >> class & 1) == 0)
			break;
		i += length;
	}
	return i;
}

/* Returns true if the class of the character at offset i is in the set
 * "classes". */
static bool
is_class_at(struct text t, size_t i, unsigned classes)
{
	enum ctx_class class;

	if (i >= t.n)
		return false;
	(void)ctx_char_class(t.p + i, t.n - i, &class);
	return (classes >> class & 1) != 0;
}

static bool
is_line_break(char c)
{
	return c == '\r' || c == '\n';
}

/* Returns the byte at offset i; 0 after the end of the text.  If any_case is
 * true, returns the small letter for an ASCII capital. */
static int
fold_letter(struct text t, size_t i, bool any_case)
{
	int c = i < t.n ? (unsigned char)t.p[i] : 0;

	return any_case && c >= 'A' && c <= 'Z' ? c + 32 : c;
}

/* If a contraction ('s 't 'm 'd 're 've 'll) begins at offset i, returns its
 * end; otherwise returns i.  If any_case is true, the letters of the
 * contraction may also be capitals, and U+017F counts as s (Unicode,
 * CaseFolding.txt). */
static size_t
match_contraction(struct text t, size_t i, bool any_case)
{
	int a = fold_letter(t, i + 1, any_case),
	    b = fold_letter(t, i + 2, any_case);

	if (i >= t.n || t.p[i] != '\'')
		return i;
	if (a == 's' || a == 't' || a == 'm' || a == 'd')
		return i + 2;
	if ((a == 'r' && b == 'e') || (a == 'v' && b == 'e') ||
	    (a == 'l' && b == 'l'))
		return i + 3;
	if (any_case && a == 0xc5 && b == 0xbf)
		return i + 3;
	return i;
}

/* Returns the end of a pretoken (piece of text that is encoded by itself) of
 * white space that begins at offset i.  If breaks is true and the white space
 * contains a line break, the pretoken ends after its last line break
 * (W*[\r\n]+).  Otherwise the last white space character belongs to the next
 * pretoken (W+(?!\S)), except at the end of the text, or if the white space is
 * only one character (W+). */
static size_t
match_space(struct text t, size_t i, bool breaks)
{
	size_t begin = i, last = i, after_break = i, length;
	enum ctx_class class;

	while (i < t.n) {
		length = ctx_char_class(t.p + i, t.n - i, &class);
		if (class != CTX_CLASS_SPACE)
			break;
		last = i;
		i += length;
		if (is_line_break(t.p[last]))
			after_break = i;
	}
	if (breaks && after_break > begin)
		return after_break;
	return i == t.n || last == begin ? i : last;
}

/* Matches symbols at offset i, with an optional blank before them (' '?P+).
 * breaks: true if line breaks after the symbols are also matched. slashes: true
 * if slashes among these line breaks are also matched.  Returns the end of the
 * match, or i if nothing matches. */
static size_t
match_symbols(struct text t, size_t i, bool breaks, bool slashes)
{
	size_t begin = i + (t.p[i] == ' '),
	       end = find_run_end(t, begin, SYMBOLS);

	if (end == begin)
		return i;
	while (breaks && end < t.n &&
	    (is_line_break(t.p[end]) || (slashes && t.p[end] == '/')))
		end++;
	return end;
}

/* Matches digits and other characters of the class CTX_CLASS_NUMBER at offset
 * i: at most max of them or, if max is 0, any number.  Returns the end of the
 * match. */
static size_t
match_digits(struct text t, size_t i, unsigned max)
{
	enum ctx_class class;
	size_t length;
	unsigned k;

	if (max == 0)
		return find_run_end(t, i, BIT(NUMBER));
	for (k = 0; k < max && i < t.n; k++) {
		length = ctx_char_class(t.p + i, t.n - i, &class);
		if (class != CTX_CLASS_NUMBER)
			break;
		i += length;
	}
	return i;
}

static size_t
match_r50k(struct ctx_pretokenizer pretokenizer, struct text t)
{
	size_t end =
	    pretokenizer.contractions ? match_contraction(t, 0, false) : 0;
	size_t blank = t.p[0] == ' ';

	if (end > 0)
		return end;
	if (is_class_at(t, blank, LETTERS))
		return find_run_end(t, blank, LETTERS);
	if (is_class_at(t, blank, BIT(NUMBER)))
		return find_run_end(t, blank, BIT(NUMBER));
	end = match_symbols(t, 0, false, false);
	return end > 0 ? end : match_space(t, 0, false);
}

/* Returns the length in bytes of the character before the letters of a word
 * ([^\r\nLN]), such as a blank or a quote, or 0 if there is none. */
static size_t
match_word_prefix(struct text t)
{
	enum ctx_class class;
	size_t length = ctx_char_class(t.p, t.n, &class);

	return is_line_break(t.p[0]) || (((LETTERS | BIT(NUMBER)) >> class) & 1)
	    ? 0
	    : length;
}

static size_t
match_cl100k(struct ctx_pretokenizer pretokenizer, struct text t)
{
	size_t end =
	    pretokenizer.contractions ? match_contraction(t, 0, true) : 0;

	if (end > 0)
		return end;
	if (is_class_at(t, match_word_prefix(t), LETTERS))
		return find_run_end(t, match_word_prefix(t), LETTERS);
	if (is_class_at(t, 0, BIT(NUMBER)))
		return match_digits(t, 0, pretokenizer.digits);
	end = match_symbols(t, 0, true, false);
	return end > 0 ? end : match_space(t, 0, true);
}

/* Matches U*O+ (capital letters, then small ones) at offset i.  Returns the end
 * of the match, or i if nothing matches.  U* is greedy, and gives characters
 * back until O+ matches at least one. */
static size_t
match_ending_word(struct text t, size_t i)
{
	size_t end = i, length;
	enum ctx_class class;

	for (; i < t.n; i += length) {
		length = ctx_char_class(t.p + i, t.n - i, &class);
		if ((BEGIN_LETTER >> class & 1) == 0)
			break;
		if (class != CTX_CLASS_UPPER)
			end = i + length;
	}
	return is_class_at(t, i, END_LETTER) ? find_run_end(t, i, END_LETTER)
					     : end;
}

/* Matches U+O* (one or more capital letters, then any number of small ones) at
 * offset i.  Returns the end of the match, or i if nothing matches. */
static size_t
match_beginning_word(struct text t, size_t i)
{
	size_t upper = find_run_end(t, i, BEGIN_LETTER);

	return upper == i ? i : find_run_end(t, upper, END_LETTER);
}

/* Matches a word by the first two alternatives of the o200k pattern, but
 * without a contraction.  Tries each alternative first with a character such as
 * a blank before the letters, then without such a character.  Returns the end
 * of the match, or 0 if nothing matches. */
static size_t
match_cased_word(struct text t)
{
	size_t begin = match_word_prefix(t), end;

	end = match_ending_word(t, begin);
	if (end > begin)
		return end;
	end = match_ending_word(t, 0);
	if (end > 0)
		return end;
	end = match_beginning_word(t, begin);
	return end > begin ? end : match_beginning_word(t, 0);
}

static size_t
match_o200k(struct ctx_pretokenizer pretokenizer, struct text t)
{
	size_t end = match_cased_word(t);

	if (end > 0)
		return pretokenizer.contractions
		    ? match_contraction(t, end, true)
		    : end;
	if (is_class_at(t, 0, BIT(NUMBER)))
		return match_digits(t, 0, pretokenizer.digits);
	end = match_symbols(t, 0, true, true);
	return end > 0 ? end : match_space(t, 0, true);
}

size_t
ctx_pretoken_next(struct ctx_pretokenizer pretokenizer, const char *p, size_t n)
{
	struct text t = {p, n};

	switch (pretokenizer.family) {
	case CTX_PRETOKENIZER_R50K:
		return match_r50k(pretokenizer, t);
	case CTX_PRETOKENIZER_CL100K:
		return match_cl100k(pretokenizer, t);
	default:
		return match_o200k(pretokenizer, t);
	}
}
