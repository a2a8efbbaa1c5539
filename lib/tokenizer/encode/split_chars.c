/* split_chars.c - splits text for vocabularies whose tokens are merged from
 * characters */
#include "tokenizer/encode/split_chars.h"
#include "tokenizer/unicode.h"
#include "tokenizer/vocabulary/crossing.h"

/* Returns true if the character that begins at p is incomplete at the end of
 * the text. */
static bool
is_cut_off(const char *p, size_t n)
{
	unsigned char lead = (unsigned char)*p;
	size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2, i;

	if (lead < 0xc2 || lead > 0xf4 || n >= length)
		return false;
	for (i = 1; i < n; i++)
		if (((unsigned char)p[i] & 0xc0) != 0x80)
			return false;
	return true;
}

/* Returns true if some token may contain the ASCII character a directly before
 * the ASCII character b. */
static inline bool
is_ascii_crossing(const struct ctx_vocab *v, unsigned char a, unsigned char b)
{
	uint64_t bit = ctx_crossing_bytes(a, b);

	return (v->crossing[bit / 64] >> bit % 64 & 1) != 0;
}

/* Returns the length in bytes of the first pretoken (piece of text that is
 * encoded by itself) of a text. */
static size_t
find_pretoken_end(const struct ctx_vocab *v, const char *p, size_t n)
{
	const unsigned char *s = (const unsigned char *)p;
	uint32_t a, b;
	size_t at = ctx_char_next(p, n, &a), length;

	if (a == CTX_CHAR_BAD)
		return is_cut_off(p, n) ? n : 1;
	while (at < n) {
		if ((s[at - 1] | s[at]) < 0x80) {
			if (!is_ascii_crossing(v, s[at - 1], s[at]))
				return at;
			a = s[at++];
			continue;
		}
		length = ctx_char_next(p + at, n - at, &b);
		if (b == CTX_CHAR_BAD ||
		    !ctx_vocab_crossing(v, a, b, s[at - 1], s[at]))
			return at;
		a = b;
		at += length;
	}
	return at;
}

void
ctx_split_chars(struct ctx_pretokenize *s, const struct ctx_vocab *v,
    unsigned plain, const char *p, size_t n, size_t max)
{
	size_t length;

	s->n = s->listed = s->used = s->alone = 0;
	while (s->n < max && s->used < n && s->used < CTX_PRETOKENIZE_SPAN) {
		length = find_pretoken_end(v, p + s->used, n - s->used);
		if (length > CTX_PRETOKENIZE_SPAN) {
			if (s->n == 0)
				s->used = s->alone = length;
			return;
		}
		s->n++;
		s->start[s->listed] = (uint32_t)s->used;
		s->used += length;
		s->end[s->listed] = (uint32_t)s->used;
		s->listed += length > 1 || (plain & CTX_PLAIN_BYTES) == 0;
	}
}
