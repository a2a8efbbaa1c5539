/*
 * token_ref.h - encoding in a slow and simple way
 *
 * Used by tests and fuzzers to check the library.  It shares no code and no
 * table with the library.  Patterns are lists of elements for a matcher with
 * backtracking.  Classes of characters come from the Unicode data file.
 * Merging searches again and again for the two neighbours whose bytes together
 * have the lowest rank.
 */
#ifndef TOKEN_REF_H
#define TOKEN_REF_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tokenizer/open.h"
#include "tokenizer/tokenizer.h"

/* Classes of characters as bits.  Names in lower case stand for single
 * characters. */
enum {
	REF_U = 1 << 0, /* categories Lu Lt Lm Lo M */
	REF_O = 1 << 1, /* categories Ll Lm Lo M */
	REF_L = 1 << 2,
	REF_N = 1 << 3,
	REF_S = 1 << 4,
	REF_P = 1 << 5,      /* class [^\s\p{L}\p{N}] */
	REF_PREFIX = 1 << 6, /* class [^\r\n\p{L}\p{N}] */
	REF_CRLF = 1 << 7,
	REF_CRLF_SLASH = 1 << 8,
	REF_BLANK = 1 << 9, /* the space character */
};

struct ref_char {
	/* code point, or UINT32_MAX for a byte that is not UTF-8 */
	uint32_t cp;
	unsigned classes;
	size_t at; /* offset in bytes */
};

enum ref_kind {
	REF_END,
	REF_RUN,        /* element set{min,max}, greedy */
	REF_NOT_BEFORE, /* element (?!\S) */
	REF_CONTRACTION,
	REF_CONTRACTION_FOLDED,
	REF_MAYBE_CONTRACTION_FOLDED,
};

struct ref_element {
	enum ref_kind kind;
	unsigned set;
	size_t min, max;
};

#define REF_MANY SIZE_MAX
#define REF_STAR(set)                     \
	{                                 \
		REF_RUN, set, 0, REF_MANY \
	}
#define REF_PLUS(set)                     \
	{                                 \
		REF_RUN, set, 1, REF_MANY \
	}
#define REF_MAYBE(set)             \
	{                          \
		REF_RUN, set, 0, 1 \
	}
#define REF_UP_TO(set, n)          \
	{                          \
		REF_RUN, set, 1, n \
	}

static const struct ref_element ref_r50k[][6] = {
    {{REF_CONTRACTION, 0, 0, 0}},
    {REF_MAYBE(REF_BLANK), REF_PLUS(REF_L)},
    {REF_MAYBE(REF_BLANK), REF_PLUS(REF_N)},
    {REF_MAYBE(REF_BLANK), REF_PLUS(REF_P)},
    {REF_PLUS(REF_S), {REF_NOT_BEFORE, 0, 0, 0}},
    {REF_PLUS(REF_S)},
    {{REF_END, 0, 0, 0}},
};
static const struct ref_element ref_cl100k[][6] = {
    {{REF_CONTRACTION_FOLDED, 0, 0, 0}},
    {REF_MAYBE(REF_PREFIX), REF_PLUS(REF_L)},
    {REF_UP_TO(REF_N, 3)},
    {REF_MAYBE(REF_BLANK), REF_PLUS(REF_P), REF_STAR(REF_CRLF)},
    {REF_STAR(REF_S), REF_PLUS(REF_CRLF)},
    {REF_PLUS(REF_S), {REF_NOT_BEFORE, 0, 0, 0}},
    {REF_PLUS(REF_S)},
    {{REF_END, 0, 0, 0}},
};
static const struct ref_element ref_o200k[][6] = {
    {REF_MAYBE(REF_PREFIX), REF_STAR(REF_U), REF_PLUS(REF_O),
	{REF_MAYBE_CONTRACTION_FOLDED, 0, 0, 0}},
    {REF_MAYBE(REF_PREFIX), REF_PLUS(REF_U), REF_STAR(REF_O),
	{REF_MAYBE_CONTRACTION_FOLDED, 0, 0, 0}},
    {REF_UP_TO(REF_N, 3)},
    {REF_MAYBE(REF_BLANK), REF_PLUS(REF_P), REF_STAR(REF_CRLF_SLASH)},
    {REF_STAR(REF_S), REF_PLUS(REF_CRLF)},
    {REF_PLUS(REF_S), {REF_NOT_BEFORE, 0, 0, 0}},
    {REF_PLUS(REF_S)},
    {{REF_END, 0, 0, 0}},
};

/* Class of each code point, from the data file. 0: none of L, N, S, U, O. */
static uint8_t ref_class[0x110000];

static inline unsigned
ref_category(const char *name)
{
	switch (name[0]) {
	case 'L':
		return REF_L | (name[1] == 'l' ? 0 : REF_U) |
		    (name[1] == 'u' || name[1] == 't' ? 0 : REF_O);
	case 'M':
		return REF_U | REF_O;
	default:
		return name[0] == 'N' ? REF_N : 0;
	}
}

static inline int
ref_load_classes(const char *file)
{
	FILE *in = fopen(file, "r");
	char line[200], name[3], white[2];
	unsigned first, last;
	int fields;

	if (in == NULL)
		return -1;
	while (fgets(line, sizeof line, in) != NULL) {
		fields =
		    sscanf(line, "%x %x %2s %1s", &first, &last, name, white);
		if (fields < 3)
			continue;
		for (; first <= last; first++)
			ref_class[first] =
			    (uint8_t)(fields == 4 ? REF_S : ref_category(name));
	}
	return fclose(in);
}

static inline unsigned
ref_classes(uint32_t cp)
{
	unsigned set = cp < 0x110000 ? ref_class[cp] : 0;

	if ((set & (REF_L | REF_N | REF_S)) == 0)
		set |= REF_P;
	if (cp == '\r' || cp == '\n')
		set |= REF_CRLF | REF_CRLF_SLASH;
	else if ((set & (REF_L | REF_N)) == 0)
		set |= REF_PREFIX;
	if (cp == '/')
		set |= REF_CRLF_SLASH;
	if (cp == ' ')
		set |= REF_BLANK;
	return set;
}

/* Decodes a character by the table of RFC 3629, section 4. */
static inline size_t
ref_decode(const unsigned char *s, size_t n, uint32_t *cp)
{
	static const struct {
		unsigned char low, high, second_low, second_high, length;
	} rows[] = {{0x00, 0x7f, 0, 0, 1}, {0xc2, 0xdf, 0x80, 0xbf, 2},
	    {0xe0, 0xe0, 0xa0, 0xbf, 3}, {0xe1, 0xec, 0x80, 0xbf, 3},
	    {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
	    {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4},
	    {0xf4, 0xf4, 0x80, 0x8f, 4}};
	size_t i, k;

	*cp = UINT32_MAX;
	for (i = 0; i < sizeof rows / sizeof rows[0]; i++)
		if (s[0] >= rows[i].low && s[0] <= rows[i].high)
			break;
	if (i == sizeof rows / sizeof rows[0] || n < rows[i].length ||
	    (rows[i].length > 1 &&
		(s[1] < rows[i].second_low || s[1] > rows[i].second_high)))
		return 1;
	for (k = 2; k < rows[i].length; k++)
		if (s[k] < 0x80 || s[k] > 0xbf)
			return 1;
	*cp = rows[i].length == 1 ? s[0] : s[0] & (0x7fu >> rows[i].length);
	for (k = 1; k < rows[i].length; k++)
		*cp = *cp << 6 | (s[k] & 0x3fu);
	return rows[i].length;
}

/* Writes a character as UTF-8.  Returns its length in bytes. */
static inline size_t
ref_put_char(char *out, uint32_t cp)
{
	unsigned char *s = (unsigned char *)out;

	if (cp < 0x80) {
		s[0] = (unsigned char)cp;
		return 1;
	}
	if (cp < 0x800) {
		s[0] = (unsigned char)(0xc0 | cp >> 6);
		s[1] = (unsigned char)(0x80 | (cp & 63));
		return 2;
	}
	if (cp < 0x10000) {
		s[0] = (unsigned char)(0xe0 | cp >> 12);
		s[1] = (unsigned char)(0x80 | (cp >> 6 & 63));
		s[2] = (unsigned char)(0x80 | (cp & 63));
		return 3;
	}
	s[0] = (unsigned char)(0xf0 | cp >> 18);
	s[1] = (unsigned char)(0x80 | (cp >> 12 & 63));
	s[2] = (unsigned char)(0x80 | (cp >> 6 & 63));
	s[3] = (unsigned char)(0x80 | (cp & 63));
	return 4;
}

/* Decodes the characters of a text, and adds an element for its end. */
static inline size_t
ref_chars(const char *p, size_t n, struct ref_char *out)
{
	size_t at = 0, count = 0;

	while (at < n) {
		out[count].at = at;
		at += ref_decode((const unsigned char *)p + at, n - at,
		    &out[count].cp);
		out[count].classes = ref_classes(out[count].cp);
		count++;
	}
	out[count].at = n;
	out[count].cp = 0;
	out[count].classes = 0;
	return count;
}

static inline size_t
ref_contraction(const struct ref_char *c, size_t n, int fold)
{
	static const char *const all[] = {"s", "t", "m", "d", "ll", "ve", "re"};
	size_t i, k, length;
	uint32_t cp;

	if (n == 0 || c[0].cp != '\'')
		return 0;
	for (i = 0; i < sizeof all / sizeof all[0]; i++) {
		length = strlen(all[i]);
		for (k = 0; k < length && k + 1 < n; k++) {
			cp = c[k + 1].cp;
			if (fold && cp == 0x17f)
				cp = 's';
			if (fold && cp >= 'A' && cp <= 'Z')
				cp += 32;
			if (cp != (uint32_t)all[i][k])
				break;
		}
		if (k == length)
			return length + 1;
	}
	return 0;
}

/* Matches elements of a pattern at the character c.  Returns the number of
 * matching characters, or SIZE_MAX if there is no match. */
static inline size_t
ref_match(const struct ref_element *e, const struct ref_char *c, size_t n)
{
	size_t most = 0, rest, k;

	switch (e->kind) {
	case REF_END:
		return 0;
	case REF_NOT_BEFORE:
		return n > 0 && (c[0].classes & REF_S) == 0
		    ? SIZE_MAX
		    : ref_match(e + 1, c, n);
	case REF_CONTRACTION:
	case REF_CONTRACTION_FOLDED:
		most = ref_contraction(c, n, e->kind != REF_CONTRACTION);
		return most > 0 ? most : SIZE_MAX;
	case REF_MAYBE_CONTRACTION_FOLDED:
		return ref_contraction(c, n, 1);
	case REF_RUN:
		while (most < n && most < e->max &&
		    (c[most].classes & e->set) != 0)
			most++;
		for (k = most + 1; k-- > e->min;) {
			rest = ref_match(e + 1, c + k, n - k);
			if (rest != SIZE_MAX)
				return k + rest;
		}
	}
	return SIZE_MAX;
}

/* Returns the length in bytes of the first piece of n characters. */
static inline size_t
ref_piece(const struct ref_element (*pattern)[6], const struct ref_char *c,
    size_t n)
{
	size_t i, length;

	for (i = 0; pattern[i][0].kind != REF_END; i++) {
		length = ref_match(pattern[i], c, n);
		if (length != SIZE_MAX && length > 0)
			return length;
	}
	abort();
}

/* Tokens sorted by their bytes. */
struct ref_token {
	char *p;
	size_t n;
	uint32_t rank;
};

struct ref_vocab {
	struct ref_token *tokens;
	size_t n;
};

static inline int
ref_compare(const void *a, const void *b)
{
	const struct ref_token *x = a, *y = b;
	int order = memcmp(x->p, y->p, x->n < y->n ? x->n : y->n);

	return order != 0 ? order : x->n < y->n ? -1 : x->n > y->n;
}

static inline void
ref_release(struct ref_vocab *v)
{
	size_t i;

	for (i = 0; i < v->n; i++)
		free(v->tokens[i].p);
	free(v->tokens);
	*v = (struct ref_vocab){0};
}

/* Sets *id if the n bytes at p are exactly the name of a special or added
 * token. */
static inline bool
ref_special(const struct ctx_tokenizer *tokenizer, const char *p, size_t n,
    uint32_t *id)
{
	const unsigned all = CTX_NAMES_ASKED | CTX_NAMES_ADDED;

	return n > 0 &&
	    ctx_added_token_at(tokenizer, p, n, all | all * CTX_NAMES_NORMAL,
		id) == n;
}

/* Decodes all tokens of the library except special tokens, in the order of
 * ranks.  The caller must sort them before use.  Returns 0, or -1 if there is
 * no memory. */
static inline int
ref_load(struct ref_vocab *v, const struct ctx_tokenizer *tokenizer)
{
	uint32_t size = tokenizer->vocab.ids_end, id, special;
	struct ctx_buf buf = {0};
	struct ref_token *t;
	struct ctx_err err;
	int rc = 0;

	v->n = 0;
	v->tokens = calloc(size, sizeof *v->tokens);
	for (id = 0; id < size && v->tokens != NULL && rc == 0; id++) {
		buf.n = 0;
		if (ctx_tokenizer_decode(tokenizer, &id, 1, &buf, &err) < 0 ||
		    ref_special(tokenizer, buf.p, buf.n, &special))
			continue;
		t = v->tokens + v->n;
		*t = (struct ref_token){malloc(buf.n), buf.n, id};
		if (t->p == NULL)
			rc = -1;
		else
			memcpy(v->tokens[v->n++].p, buf.p, buf.n);
	}
	ctx_buf_release(&buf);
	return v->tokens == NULL ? -1 : rc;
}

static inline void
ref_sort(struct ref_vocab *v)
{
	qsort(v->tokens, v->n, sizeof *v->tokens, ref_compare);
}

static inline uint32_t
ref_find(const struct ref_vocab *v, const char *p, size_t n)
{
	struct ref_token key = {(char *)(uintptr_t)p, n, 0}, *found;

	found = bsearch(&key, v->tokens, v->n, sizeof key, ref_compare);
	return found == NULL ? UINT32_MAX : found->rank;
}

/* Writes the ids of one piece to out, which must have n elements. */
static inline size_t
ref_encode_piece(const struct ref_vocab *v, const char *p, size_t n,
    uint32_t *out)
{
	size_t *begin = malloc((n + 1) * sizeof *begin), parts = n, i, at;
	uint32_t rank, best;

	out[0] = ref_find(v, p, n);
	if (out[0] != UINT32_MAX) {
		free(begin);
		return 1;
	}
	for (i = 0; i <= n; i++)
		begin[i] = i;
	for (;;) {
		best = UINT32_MAX;
		at = 0;
		for (i = 0; i + 1 < parts; i++) {
			rank =
			    ref_find(v, p + begin[i], begin[i + 2] - begin[i]);
			if (rank < best) {
				best = rank;
				at = i;
			}
		}
		if (best == UINT32_MAX)
			break;
		memmove(begin + at + 1, begin + at + 2,
		    (parts - at - 1) * sizeof *begin);
		parts--;
	}
	for (i = 0; i < parts; i++)
		out[i] = ref_find(v, p + begin[i], begin[i + 1] - begin[i]);
	free(begin);
	return parts;
}

/* Writes the ids of a text to out, which must have n elements. */
static inline size_t
ref_encode(const struct ref_vocab *v, const struct ref_element (*pattern)[6],
    const char *p, size_t n, uint32_t *out)
{
	struct ref_char *c = malloc((n + 1) * sizeof *c);
	size_t count = ref_chars(p, n, c), i, length, ids = 0;

	for (i = 0; i < count; i += length) {
		length = ref_piece(pattern, c + i, count - i);
		ids += ref_encode_piece(v, p + c[i].at,
		    c[i + length].at - c[i].at, out + ids);
	}
	free(c);
	return ids;
}

#endif
