/*
 * write.c - random numbers, words, and JSON in many styles
 *
 * Each record has its own style: spaces, order of keys, and how characters are
 * escaped.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen.h"
#include "words.h"

enum { MAX_KEYS = 14 };

/* ---- numbers and memory -------------------------------------------------- */

void
die(const char *what)
{
	fprintf(stderr, "convo: %s\n", what);
	exit(2);
}

/* Returns the next random number (xorshift64*, Vigna 2014). */
static uint64_t
next(struct gen *g)
{
	g->state ^= g->state >> 12;
	g->state ^= g->state << 25;
	g->state ^= g->state >> 27;
	return g->state * 0x2545f4914f6cdd1dULL;
}

/* Begins a sequence of random numbers.  Each seed, even 0, has its own
 * sequence. */
void
begin(struct gen *g, unsigned long long seed)
{
	size_t i;

	g->state = (seed + 1) * 0x9e3779b97f4a7c15ULL;
	if (g->state == 0)
		g->state = 1;
	for (i = 0; i < 8; i++)
		next(g);
}

size_t
below(struct gen *g, size_t n)
{
	return (size_t)((next(g) >> 11) % n);
}

/* Returns true in one of n cases, by chance. */
bool
once_in(struct gen *g, size_t n)
{
	return below(g, n) == 0;
}

static char *
room(struct gen *g, size_t n)
{
	struct block *block = malloc(sizeof *block + n + 1);

	if (block == NULL)
		die("out of memory");
	block->next = g->blocks;
	g->blocks = block;
	block->bytes[n] = '\0';
	return block->bytes;
}

const char *
fmt(struct gen *g, const char *format, ...)
{
	va_list ap, again;
	char *p;
	int n;

	va_start(ap, format);
	va_copy(again, ap);
	n = vsnprintf(NULL, 0, format, ap);
	va_end(ap);
	if (n < 0)
		die("cannot format");
	p = room(g, (size_t)n);
	vsnprintf(p, (size_t)n + 1, format, again);
	va_end(again);
	return p;
}

void
add(struct list *list, const char *item)
{
	const char **grown;

	if (list->n == list->cap) {
		list->cap = list->cap * 2 + 16;
		grown = realloc(list->item, list->cap * sizeof *grown);
		if (grown == NULL)
			die("out of memory");
		list->item = grown;
	}
	list->item[list->n++] = item;
}

static const char *
join(struct gen *g, const char *const *item, size_t n)
{
	size_t i, len = 0;
	char *p, *q;

	for (i = 0; i < n; i++)
		len += strlen(item[i]);
	q = p = room(g, len);
	for (i = 0; i < n; i++) {
		memcpy(q, item[i], strlen(item[i]));
		q += strlen(item[i]);
	}
	return p;
}

void
swap(const char **a, const char **b)
{
	const char *t = *a;

	*a = *b;
	*b = t;
}

void
finish(struct gen *g)
{
	struct block *block;

	while ((block = g->blocks) != NULL) {
		g->blocks = block->next;
		free(block);
	}
	g->lines.n = g->late.n = 0;
}

/* ---- JSON ---------------------------------------------------------------- */

void
new_style(struct gen *g)
{
	memset(&g->style, 0, sizeof g->style);
	if (g->plain || once_in(g, 2))
		return;
	g->style.spaces = (unsigned)below(g, 3);
	g->style.escapes = (unsigned)below(g, 3);
	g->style.upper = once_in(g, 2);
	g->style.shuffled = once_in(g, 3);
}

static const char *
space(struct gen *g, bool after)
{
	static const char *const odd[] = {"", "", "", " ", "  ", "\t", " \t "};

	if (g->style.spaces == 2)
		return odd[below(g, sizeof odd / sizeof odd[0])];
	return g->style.spaces == 1 && after ? " " : "";
}

static size_t
utf8(const unsigned char *p, uint32_t *c)
{
	size_t n = *p < 0x80 ? 1 : *p < 0xe0 ? 2 : *p < 0xf0 ? 3 : 4;
	size_t i;

	*c = n == 1 ? *p : *p & (0x7fU >> n);
	for (i = 1; i < n; i++)
		*c = *c << 6 | (p[i] & 0x3fU);
	return n;
}

/* Returns true if a character is escaped although it need not be. */
static bool
wants_escape(struct gen *g, uint32_t c)
{
	switch (g->style.escapes) {
	case 0:
		return false;
	case 1:
		return c >= 0x80;
	default:
		return once_in(g, c >= 0x80 ? 2 : 40);
	}
}

/* number of bytes of two \uXXXX, the longest escape of a character */
enum { ESCAPE = 12 };

/* Writes \uXXXX and a NUL byte. */
static void
put_unit(const struct gen *g, char *out, uint32_t unit)
{
	snprintf(out, ESCAPE / 2 + 1, g->style.upper ? "\\u%04X" : "\\u%04x",
	    (unsigned)unit);
}

static size_t
escape(struct gen *g, char *out, uint32_t c)
{
	static const char letter[] = "\"\\/bfnrt", plain[] = "\"\\/\b\f\n\r\t";
	const char *at = c < 0x80 ? strchr(plain, (int)c) : NULL;

	if (at != NULL && (c == '"' || c == '\\' || !once_in(g, 8))) {
		out[0] = '\\';
		out[1] = letter[at - plain];
		return 2;
	}
	if (c < 0x10000) {
		put_unit(g, out, c);
		return ESCAPE / 2;
	}
	c -= 0x10000;
	put_unit(g, out, 0xd800 + (c >> 10));
	put_unit(g, out + ESCAPE / 2, 0xdc00 + (c & 0x3ff));
	return ESCAPE;
}

/* Returns the text s as a JSON string. */
static const char *
str(struct gen *g, const char *s)
{
	char *p = room(g, strlen(s) * 6 + ESCAPE + 2), *q = p;
	uint32_t c;
	size_t n;

	*q++ = '"';
	for (; *s != '\0'; s += n) {
		n = utf8((const unsigned char *)s, &c);
		if (c < 0x20 || c == '"' || c == '\\' || wants_escape(g, c)) {
			q += escape(g, q, c);
		} else {
			memcpy(q, s, n);
			q += n;
		}
	}
	*q++ = '"';
	*q = '\0';
	return p;
}

const char *
enclose(struct gen *g, char bracket, const char *const *item, size_t n)
{
	struct list out = {0};
	const char *text;
	size_t i;

	add(&out, bracket == '{' ? "{" : "[");
	for (i = 0; i < n; i++) {
		add(&out, space(g, false));
		add(&out, item[i]);
		add(&out, space(g, false));
		if (i + 1 < n)
			add(&out, ",");
		if (i + 1 < n)
			add(&out, space(g, true));
	}
	add(&out, bracket == '{' ? "}" : "]");
	text = join(g, out.item, out.n);
	free(out.item);
	return text;
}

/* Returns a value that a client could add to a record.  The SDKs of all
 * providers pass such values on. */
static const char *
unknown(struct gen *g)
{
	static const char *const odd[] = {"1e0", "-0", "0.10", "1E+2", "null",
	    "18446744073709551616", "{}", "[]", "[{\"a\":[1,2.50]},null]",
	    "\"\\u0041\"", "{\"b\":1,\"a\":2,\"b\":3}", "true", "\"\"",
	    "-1.5e-7"};

	return g->plain ? NULL : odd[below(g, sizeof odd / sizeof odd[0])];
}

/* ---- texts of messages ---- */

static const char *
words(struct gen *g, size_t n)
{
	static const char *const between[] = {" ", " ", " ", "", "\n", " "};
	size_t kinds = sizeof vocabulary / sizeof vocabulary[0], i, size;
	const char *const *from = vocabulary[below(g, kinds)];
	struct list out = {0};
	const char *text;

	for (i = 0; i < n; i++) {
		if (once_in(g, 15))
			from = vocabulary[below(g, kinds)];
		for (size = 0; from[size] != NULL; size++)
			continue;
		add(&out, from[below(g, size)]);
		add(&out, between[below(g, 6)]);
	}
	/* A text has always at least one word, because providers refuse blank
	 * text. */
	add(&out, once_in(g, 2) ? "ok" : "終");
	text = join(g, out.item, out.n);
	free(out.item);
	return text;
}

static const char *
speech(struct gen *g)
{
	switch (below(g, 12)) {
	case 0:
		return words(g, 100 + below(g, 400));
	case 1:
	case 2:
		return words(g, 0);
	case 3:
	case 4:
	case 5:
		return words(g, 20 + below(g, 60));
	default:
		return words(g, 1 + below(g, 12));
	}
}

const char *
said(struct gen *g)
{
	return str(g, speech(g));
}

const char *
letters(struct gen *g, size_t n, const char *from)
{
	char *p = room(g, n);
	size_t i;

	for (i = 0; i < n; i++)
		p[i] = from[below(g, strlen(from))];
	return p;
}

const char *
base64(struct gen *g)
{
	const char *s = letters(g, 4 * (1 + below(g, 60)),
	    "ABCDEFGHIJKLMNOPQRSTU"
	    "VWXYZabcdefghijklmnopqrstuvwxyz0123456789+/");

	return str(g, fmt(g, "%s%s", s, once_in(g, 2) ? "AA==" : ""));
}

const char *
png(struct gen *g)
{
	return str(g,
	    fmt(g, "data:image/png;base64,iVBORw0KGgo%s",
		letters(g, 4 * (1 + below(g, 40)), "ABCDabcd0123+/")));
}

/* ---- patterns ------------------------------------------------------------ */

/* Calls itself once for each level of brackets in a pattern of dialects.c. */
static const char *expand(struct gen *g, const char **at, va_list *ap);

static const char *
expand_value(struct gen *g, const char **at, va_list *ap)
{
	const char *s;

	(*at)++;
	switch (*(*at)++) {
	case 't':
		return said(g);
	case 'b':
		return base64(g);
	case 'u':
		return unknown(g);
	case 's':
		s = va_arg(*ap, const char *);
		return s != NULL ? str(g, s) : NULL;
	default:
		return va_arg(*ap, const char *);
	}
}

static const char *
expand_token(struct gen *g, const char **at)
{
	const char *s = *at;
	size_t n;

	if (*s == '\'') {
		n = strcspn(s + 1, "'");
		*at = s + n + 2;
		return fmt(g, "\"%.*s\"", (int)n, s + 1);
	}
	n = strcspn(s, ",]} ");
	*at = s + n;
	return fmt(g, "%.*s", (int)n, s);
}

static bool
expand_chance(struct gen *g, const char **at)
{
	char *end;
	size_t n;

	if (**at != '?')
		return true;
	n = (size_t)strtoul(*at + 1, &end, 10);
	*at = end + strspn(end, " ");
	return once_in(g, n);
}

/* Expands an object or an array, from its bracket on. */
static const char *
expand_many(struct gen *g, const char **at, va_list *ap)
{
	bool object = **at == '{', kept;
	const char *item[MAX_KEYS], *key = NULL, *value;
	size_t n = 0, i, key_size = 0;

	for ((*at)++; (*at += strspn(*at, ", ")), !strchr("}]", **at);) {
		kept = expand_chance(g, at);
		if (object) {
			key = *at;
			key_size = strcspn(key, ":");
			*at += key_size + 1;
		}
		value = expand(g, at, ap);
		if (!kept || value == NULL || n == MAX_KEYS)
			continue;
		item[n] = value;
		if (object)
			item[n] = fmt(g, "\"%.*s\"%s:%s", (int)key_size, key,
			    space(g, true), value);
		n++;
	}
	(*at)++;
	for (i = n; object && g->style.shuffled && i > 1; i--)
		swap(&item[i - 1], &item[below(g, i)]);
	return enclose(g, object ? '{' : '[', item, n);
}

static const char *
expand(struct gen *g, const char **at, va_list *ap)
{
	*at += strspn(*at, " ");
	if (**at == '{' || **at == '[')
		return expand_many(g, at, ap);
	if (**at == '%')
		return expand_value(g, at, ap);
	return expand_token(g, at);
}

const char *
json(struct gen *g, const char *pattern, ...)
{
	const char *text;
	va_list ap;

	va_start(ap, pattern);
	text = expand(g, &pattern, &ap);
	va_end(ap);
	return text;
}

void
say(struct gen *g, const char *pattern, ...)
{
	va_list ap;

	va_start(ap, pattern);
	add(&g->lines, expand(g, &pattern, &ap));
	va_end(ap);
	new_style(g);
}

const char *
arguments(struct gen *g)
{
	const char *path = paths[below(g, sizeof paths / sizeof paths[0])], *s;

	switch (below(g, 6)) {
	case 0:
		return "{}";
	case 1:
		s = json(g, "{note:%t}");
		s = json(g, "{event:%s}", s);
		return json(g, "{body:%s}", s);
	case 2:
		return json(g,
		    "{limit:1.50e1, deep:[[[{a:{b:[null,true,-0.0]}}]]],"
		    " path:%s}",
		    path);
	case 3:
		return json(g, "{content:%t, path:%s}", path);
	default:
		return json(g, "{path:%s}", path);
	}
}

const char *
tool_name(struct gen *g)
{
	return tools[below(g, sizeof tools / sizeof tools[0])];
}

const char *
new_id(struct gen *g, const char *prefix)
{
	return fmt(g, "%s%llu", prefix, ++g->ids);
}
