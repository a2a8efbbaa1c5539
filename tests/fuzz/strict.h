/*
 * strict.h - a slow JSON parser, to which the library's scanner is compared.
 * It reads byte by byte, and follows the grammar of RFC 8259.
 */
#ifndef STRICT_H
#define STRICT_H

#include <stdlib.h>
#include <string.h>

#include "json/json.h"

enum strict_verdict {
	STRICT_WHOLE,
	STRICT_CUT,    /* valid so far, but incomplete */
	STRICT_BROKEN, /* invalid at the offset "at" */
	STRICT_DEEP,
};

struct strict {
	const unsigned char *p;
	size_t n, at;
	char *open; /* stack of the open brackets */
	size_t depth;
	size_t values; /* number of values, including keys */
};

static inline bool
strict_is(const struct strict *s, const char *set)
{
	return s->at < s->n && s->p[s->at] != '\0' &&
	    strchr(set, s->p[s->at]) != NULL;
}

static inline void
strict_space(struct strict *s)
{
	while (strict_is(s, " \t\r\n"))
		s->at++;
}

/* Returns true if a byte would change a number or a word before it. */
static inline bool
strict_goes_on(const struct strict *s)
{
	return strict_is(s,
	    "0123456789abcdefghijklmnopqrstuvwxyz"
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZ+-._");
}

/* Reads a character of two bytes or more (RFC 3629, section 4). */
static inline enum strict_verdict
strict_utf8(struct strict *s)
{
	static const struct {
		unsigned char from, to, second_from, second_to;
		size_t more;
	} forms[] = {
	    {0xc2, 0xdf, 0x80, 0xbf, 1},
	    {0xe0, 0xe0, 0xa0, 0xbf, 2},
	    {0xe1, 0xec, 0x80, 0xbf, 2},
	    {0xed, 0xed, 0x80, 0x9f, 2},
	    {0xee, 0xef, 0x80, 0xbf, 2},
	    {0xf0, 0xf0, 0x90, 0xbf, 3},
	    {0xf1, 0xf3, 0x80, 0xbf, 3},
	    {0xf4, 0xf4, 0x80, 0x8f, 3},
	};
	size_t i, k;

	for (i = 0; i < sizeof forms / sizeof forms[0]; i++)
		if (s->p[s->at] >= forms[i].from && s->p[s->at] <= forms[i].to)
			break;
	if (i == sizeof forms / sizeof forms[0])
		return STRICT_BROKEN;
	for (k = 1; k <= forms[i].more; k++) {
		unsigned char from = k == 1 ? forms[i].second_from : 0x80;
		unsigned char to = k == 1 ? forms[i].second_to : 0xbf;

		if (s->at + k == s->n)
			return STRICT_CUT;
		if (s->p[s->at + k] < from || s->p[s->at + k] > to)
			return STRICT_BROKEN;
	}
	s->at += k;
	return STRICT_WHOLE;
}

static inline enum strict_verdict
strict_escape(struct strict *s)
{
	int i;

	s->at++;
	if (s->at == s->n)
		return STRICT_CUT;
	if (strict_is(s, "\"\\/bfnrt")) {
		s->at++;
		return STRICT_WHOLE;
	}
	if (s->p[s->at] != 'u')
		return STRICT_BROKEN;
	s->at++;
	for (i = 0; i < 4; i++, s->at++) {
		if (s->at == s->n)
			return STRICT_CUT;
		if (!strict_is(s, "0123456789abcdefABCDEF"))
			return STRICT_BROKEN;
	}
	return STRICT_WHOLE;
}

static inline enum strict_verdict
strict_string(struct strict *s)
{
	enum strict_verdict verdict = STRICT_WHOLE;

	s->at++;
	while (verdict == STRICT_WHOLE) {
		if (s->at == s->n)
			return STRICT_CUT;
		if (s->p[s->at] == '"') {
			s->at++;
			return STRICT_WHOLE;
		}
		if (s->p[s->at] < 0x20)
			return STRICT_BROKEN;
		if (s->p[s->at] == '\\')
			verdict = strict_escape(s);
		else if (s->p[s->at] >= 0x80)
			verdict = strict_utf8(s);
		else
			s->at++;
	}
	return verdict;
}

static inline enum strict_verdict
strict_digits(struct strict *s)
{
	if (s->at == s->n)
		return STRICT_CUT;
	if (!strict_is(s, "0123456789"))
		return STRICT_BROKEN;
	while (strict_is(s, "0123456789"))
		s->at++;
	return STRICT_WHOLE;
}

static inline enum strict_verdict
strict_number(struct strict *s)
{
	enum strict_verdict verdict = STRICT_WHOLE;

	if (strict_is(s, "-"))
		s->at++;
	if (strict_is(s, "0"))
		s->at++;
	else
		verdict = strict_digits(s);
	if (verdict == STRICT_WHOLE && strict_is(s, ".")) {
		s->at++;
		verdict = strict_digits(s);
	}
	if (verdict == STRICT_WHOLE && strict_is(s, "eE")) {
		s->at++;
		if (strict_is(s, "+-"))
			s->at++;
		verdict = strict_digits(s);
	}
	if (verdict == STRICT_WHOLE && strict_goes_on(s))
		return STRICT_BROKEN;
	return verdict;
}

static inline enum strict_verdict
strict_word(struct strict *s, const char *word)
{
	for (; *word != '\0'; word++, s->at++) {
		if (s->at == s->n)
			return STRICT_CUT;
		if (s->p[s->at] != (unsigned char)*word)
			return STRICT_BROKEN;
	}
	return strict_goes_on(s) ? STRICT_BROKEN : STRICT_WHOLE;
}

/* Reads a value that is not an array or object, or the bracket that opens an
 * array or object. */
static inline enum strict_verdict
strict_begin(struct strict *s)
{
	if (s->at == s->n)
		return STRICT_CUT;
	s->values++;
	switch (s->p[s->at]) {
	case '"':
		return strict_string(s);
	case 't':
		return strict_word(s, "true");
	case 'f':
		return strict_word(s, "false");
	case 'n':
		return strict_word(s, "null");
	case '[':
	case '{':
		if (s->depth == CTX_JSON_DEPTH)
			return STRICT_DEEP;
		s->open[s->depth++] = (char)s->p[s->at++];
		return STRICT_WHOLE;
	default:
		if (!strict_is(s, "-0123456789"))
			return STRICT_BROKEN;
		return strict_number(s);
	}
}

/* Reads a key and its colon. */
static inline enum strict_verdict
strict_key(struct strict *s)
{
	enum strict_verdict verdict;

	if (s->at == s->n)
		return STRICT_CUT;
	if (s->p[s->at] != '"')
		return STRICT_BROKEN;
	s->values++;
	verdict = strict_string(s);
	if (verdict != STRICT_WHOLE)
		return verdict;
	strict_space(s);
	if (s->at == s->n)
		return STRICT_CUT;
	if (s->p[s->at] != ':')
		return STRICT_BROKEN;
	s->at++;
	return STRICT_WHOLE;
}

/* Reads the value at the beginning of a text.  The caller provides n bytes of
 * memory for "open". */
static inline enum strict_verdict
strict_value(struct strict *s)
{
	enum strict_verdict verdict;
	bool begun; /* true directly after an opening bracket */

	do {
		strict_space(s);
		if (s->depth > 0 && s->open[s->depth - 1] == '{') {
			verdict = strict_key(s);
			if (verdict != STRICT_WHOLE)
				return verdict;
			strict_space(s);
		}
		begun = s->at < s->n && strict_is(s, "[{");
		verdict = strict_begin(s);
		if (verdict != STRICT_WHOLE)
			return verdict;
		strict_space(s);
		while (s->depth > 0) {
			char last = s->open[s->depth - 1];

			if (s->at == s->n)
				return STRICT_CUT;
			if (s->p[s->at] == (last == '{' ? '}' : ']')) {
				s->at++;
				s->depth--;
				begun = false;
				strict_space(s);
				continue;
			}
			if (begun)
				break;
			if (s->p[s->at] != ',')
				return STRICT_BROKEN;
			s->at++;
			break;
		}
	} while (s->depth > 0);
	return STRICT_WHOLE;
}

#endif
