/* string.c - decodes, encodes, compares and measures JSON strings */
#include <string.h>

#include "base/vector.h"
#include "json/json.h"
#include "string_end.h"

#define STEP  ((ptrdiff_t)sizeof(PLAIN_VECTOR))
#define BLOCK 64

/* For each byte that may follow a backslash, such as n: the character that the
 * escape stands for. */
static const char meaning[256] = {['"'] = '"',
    ['\\'] = '\\',
    ['/'] = '/',
    ['b'] = '\b',
    ['f'] = '\f',
    ['n'] = '\n',
    ['r'] = '\r',
    ['t'] = '\t'};

/* Returns the bytes between the quotes of a JSON string literal. */
static struct ctx_str
strip_quotes(struct ctx_str literal)
{
	return (struct ctx_str){literal.p + 1, literal.n - 2};
}

/* Returns the address of the first backslash in the bytes from p up to, but not
 * including, end; returns end if there is none. */
static const char *
find_backslash(const char *p, const char *end)
{
	const char *found = memchr(p, '\\', (size_t)(end - p));

	return found == NULL ? end : found;
}

/* Returns the value of a hex digit.  A letter has bit 6 set in ASCII, and its
 * value is its low four bits plus nine. */
static uint32_t
hex_value(char c)
{
	unsigned u = (unsigned char)c;

	return (u & 15) + (u >> 6) * 9;
}

static uint32_t
parse_hex4(const char *p)
{
	return hex_value(p[0]) << 12 | hex_value(p[1]) << 8 |
	    hex_value(p[2]) << 4 | hex_value(p[3]);
}

/* Decodes the escape at p, and sets *cp to its character.  Returns the length
 * of the escape in bytes, which is 12 for a surrogate pair.  A single surrogate
 * gives U+FFFD. */
static size_t
parse_escape(const char *p, const char *end, uint32_t *cp)
{
	if (p[1] != 'u') {
		*cp = (unsigned char)meaning[(unsigned char)p[1]];
		return 2;
	}
	*cp = parse_hex4(p + 2);
	if (*cp < 0xd800 || *cp > 0xdfff)
		return 6;
	if (*cp < 0xdc00 && end - p >= 12 && p[6] == '\\' && p[7] == 'u') {
		uint32_t low = parse_hex4(p + 8);

		if (low >= 0xdc00 && low <= 0xdfff) {
			*cp = 0x10000 + ((*cp - 0xd800) << 10 | (low - 0xdc00));
			return 12;
		}
	}
	*cp = 0xfffd;
	return 6;
}

/* Decodes the escape at *p and writes its character to *to.  Moves *p to the
 * end of the escape, and *to to the end of the character. */
INLINE void
decode_escape(const char **p, const char *end, char **to)
{
	uint32_t cp;

	*p += parse_escape(*p, end, &cp);
	if (cp < 0x80)
		*(*to)++ = (char)cp;
	else
		*to += ctx_utf8_put(*to, cp);
}

/*
 * Decodes the contents of a JSON string, the bytes from p up to end, and writes
 * the text to "to".  Returns the end of the text.  The caller must provide as
 * many bytes of memory at "to" as there are from p to end.  This is enough,
 * because no escape is shorter than its character.  A whole SIMD vector may be
 * copied even if the vector contains an escape: the bytes from the escape on
 * are overwritten later.
 */
static char *
decode_escapes(char *to, const char *p, const char *end)
{
	PLAIN_VECTOR v;
	uint64_t found;

	while (end - p >= STEP) {
		v = PLAIN(load)(p);
		memcpy(to, p, sizeof v);
		found = PLAIN(bits)(PLAIN(equal)(v, '\\'));
		if (found == 0) {
			p += STEP;
			to += STEP;
			continue;
		}
		p += __builtin_ctzll(found);
		to += __builtin_ctzll(found);
		decode_escape(&p, end, &to);
	}
	while (p < end) {
		if (*p == '\\')
			decode_escape(&p, end, &to);
		else
			*to++ = *p++;
	}
	return to;
}

int
ctx_json_string_decode(struct ctx_buf *out, struct ctx_str literal,
    struct ctx_err *err)
{
	struct ctx_str text = strip_quotes(literal);
	char *to;

	if (ctx_buf_reserve(out, text.n, err) < 0)
		return -1;
	to = decode_escapes(out->p + out->n, text.p, text.p + text.n);
	out->n = (size_t)(to - out->p);
	return 0;
}

/* Returns the letter of the short escape of a byte (n for a line feed, as in
 * \n), or 'u' if the byte can only be written as \u00XX, or 0 if the byte needs
 * no escape. */
static char
escape_letter(unsigned char c)
{
	static const char of[] = "uuuuuuuubtnufruuuuuuuuuuuuuuuuuu";

	return c < 0x20 ? of[c] : c == '"' || c == '\\' ? (char)c : '\0';
}

/* Writes the escape of a byte to out and returns its length in bytes, or 0 if
 * the byte needs no escape. */
static size_t
write_escape(unsigned char c, char out[6])
{
	static const char hex[] = "0123456789abcdef";

	memcpy(out, "\\u00", 4);
	out[1] = escape_letter(c);
	out[4] = hex[c >> 4];
	out[5] = hex[c & 15];
	return out[1] == '\0' ? 0 : out[1] == 'u' ? 6 : 2;
}

/* Returns the address of the first byte that must be escaped in a JSON string,
 * in the bytes from p up to end; returns end if there is none. */
static const char *
find_special(const char *p, const char *end)
{
	PLAIN_VECTOR v, special;
	uint64_t found;

	for (; end - p >= STEP; p += STEP) {
		v = PLAIN(load)(p);
		special = PLAIN(stops)(v) | PLAIN(equal)(v, '\\');
		found = PLAIN(bits)(special);
		if (found != 0)
			return p + __builtin_ctzll(found);
	}
	while (p < end && escape_letter((unsigned char)*p) == '\0')
		p++;
	return p;
}

int
ctx_json_string_encode(struct ctx_buf *out, const char *p, size_t n,
    struct ctx_err *err)
{
	const char *end, *special;
	char written[6];

	if (n == 0)
		p = ""; /* p may be NULL if n is 0 */
	end = p + n;
	if (ctx_buf_add(out, "\"", 1, err) < 0)
		return -1;
	for (;; p = special + 1) {
		special = find_special(p, end);
		if (ctx_buf_add(out, p, (size_t)(special - p), err) < 0)
			return -1;
		if (special == end)
			break;
		if (ctx_buf_add(out, written,
			write_escape((unsigned char)*special, written),
			err) < 0)
			return -1;
	}
	return ctx_buf_add(out, "\"", 1, err);
}

bool
ctx_json_string_is_normalized(struct ctx_str literal)
{
	struct ctx_str text = strip_quotes(literal);
	const char *p = text.p, *end = p + text.n;
	char written[6];
	uint32_t cp;
	size_t n;

	/* The literal is valid, so every byte that must be escaped is escaped.
	 * The loop checks each escape: it must be needed, and must be the
	 * escape that write_escape writes for the character. */
	while ((p = find_backslash(p, end)) != end) {
		if (p[1] != 'u' && p[1] != '/') {
			/* Short escapes except \/ need no check, because
			 * write_escape writes the same escapes. */
			p += 2;
			continue;
		}
		n = parse_escape(p, end, &cp);
		if (cp >= 0x80 ||
		    n != write_escape((unsigned char)cp, written) ||
		    memcmp(p, written, n) != 0)
			return false;
		p += n;
	}
	return true;
}

int
ctx_json_string_normalize(struct ctx_buf *out, struct ctx_str literal,
    struct ctx_err *err)
{
	const char *p = literal.p, *end = p + literal.n - 1, *next;
	char written[6];
	uint32_t cp;
	size_t n;

	while ((next = find_backslash(p, end)) != end) {
		if (ctx_buf_add(out, p, (size_t)(next - p), err) < 0)
			return -1;
		p = next + parse_escape(next, end, &cp);
		n = cp < 0x80 ? write_escape((unsigned char)cp, written) : 0;
		if (n == 0)
			n = ctx_utf8_put(written, cp);
		if (ctx_buf_add(out, written, n, err) < 0)
			return -1;
	}
	return ctx_buf_add(out, p, (size_t)(end - p) + 1, err);
}

/* Compares BLOCK bytes at p with the byte c.  Returns a mask in which bit i is
 * set if byte i is equal to c. */
static uint64_t
find_byte_positions(const char *p, char c)
{
	uint64_t found = 0;

	for (size_t i = 0; i < BLOCK; i += (size_t)STEP)
		found |= PLAIN(bits)(PLAIN(equal)(PLAIN(load)(p + i), c)) << i;
	return found;
}

/* How much longer the escapes of a JSON string are than the decoded characters,
 * in bytes and in characters.  For example, \n is one byte and one character
 * longer than a line feed. */
struct excess {
	const char *end; /* end of the last \u escape that was counted */
	size_t bytes, chars;
};

/* Adds to *excess how much longer \u escapes are than their characters.  Does
 * not add one byte and one character per escape, which find_excess adds for
 * every escape.  Bit i of the mask u is set if p[i] is the u of a \u escape. */
static void
add_long_escapes(struct excess *excess, const char *p, uint64_t u,
    const char *end)
{
	const char *at;
	char utf8[4];
	uint32_t cp;
	size_t len, beyond;

	for (; u != 0; u &= u - 1) {
		at = p + __builtin_ctzll(u) - 1;
		/* An escape before excess->end is the second escape of a
		 * surrogate pair, and was counted with the first escape of the
		 * pair. */
		if (at < excess->end)
			continue;
		len = parse_escape(at, end, &cp);
		beyond = len - len / 6;
		excess->end = at + len;
		excess->chars += beyond - 1;
		excess->bytes += beyond - ctx_utf8_put(utf8, cp);
	}
}

/* Returns the number of bits of a number that are 1.  On processors without an
 * instruction for this count, the compiler's library function would take twice
 * as long. */
static size_t
count_bits(uint64_t bits)
{
	const uint64_t pairs = UINT64_C(0x5555555555555555);
	const uint64_t fours = UINT64_C(0x3333333333333333);

	bits -= bits >> 1 & pairs;
	bits = (bits & fours) + (bits >> 2 & fours);
	bits = (bits + (bits >> 4)) & 0x0f * EVERY_BYTE;
	return (size_t)(bits * EVERY_BYTE >> 56);
}

/*
 * Returns how much longer the escapes of a string are than the decoded text.
 * An escape such as \n has two bytes, the backslash and the escaped byte, for
 * one character.  This function counts these two bytes for each escape, and
 * halves the sum. add_long_escapes adds the other bytes of \u escapes.
 */
static struct excess
find_excess(struct ctx_str text)
{
	struct excess excess = {.end = text.p};
	const char *p = text.p, *block, *end = p + text.n;
	uint64_t backslash, escaped, carry = 0;
	size_t bytes = 0;
	char tail[BLOCK];

	for (; p < end; p += BLOCK) {
		block = p;
		if (end - p < BLOCK) {
			memset(tail, 0, BLOCK);
			block = memcpy(tail, p, (size_t)(end - p));
		}
		backslash = find_byte_positions(block, '\\');
		if ((backslash | carry) == 0)
			continue;
		escaped = find_escaped(backslash, &carry);
		bytes += count_bits(backslash | escaped);
		escaped &= ~backslash & find_byte_positions(block, 'u');
		if (escaped != 0)
			add_long_escapes(&excess, p, escaped, end);
	}
	excess.bytes += bytes / 2;
	excess.chars += bytes / 2;
	return excess;
}

void
ctx_json_string_size(struct ctx_str literal, size_t *bytes, size_t *chars)
{
	struct ctx_str text = strip_quotes(literal);
	struct excess excess = find_excess(text);

	*bytes = text.n - excess.bytes;
	*chars = ctx_utf8_count(text.p, text.n) - excess.chars;
}

size_t
ctx_json_string_chars(struct ctx_str literal)
{
	size_t bytes, chars;

	ctx_json_string_size(literal, &bytes, &chars);
	return chars;
}

size_t
ctx_json_string_bytes(struct ctx_str literal)
{
	struct ctx_str text = strip_quotes(literal);

	return text.n - find_excess(text).bytes;
}

int
ctx_json_string_next(struct ctx_str literal, size_t *at, uint32_t *cp)
{
	const char *p = literal.p + *at, *end = literal.p + literal.n - 1;

	if (p == end)
		return 0;
	*at += *p == '\\' ? parse_escape(p, end, cp)
			  : ctx_utf8_next(p, (size_t)(end - p), cp);
	return 1;
}

size_t
ctx_json_string_seek(struct ctx_str literal, size_t at, size_t bytes)
{
	const char *p = literal.p + at, *end = literal.p + literal.n - 1;
	const size_t step = sizeof(PLAIN_VECTOR);
	char utf8[4];
	uint32_t cp;
	uint64_t found;
	size_t run;

	for (; bytes > 0; bytes -= run) {
		if (*p == '\\') {
			p += parse_escape(p, end, &cp);
			run = cp < 0x80 ? 1 : ctx_utf8_put(utf8, cp);
			continue;
		}
		run = 1;
		if (bytes >= step && end - p >= STEP) {
			found = PLAIN(bits)(PLAIN(equal)(PLAIN(load)(p), '\\'));
			run =
			    found == 0 ? step : (size_t)__builtin_ctzll(found);
		}
		p += run;
	}
	return (size_t)(p - literal.p);
}

bool
ctx_json_string_is(struct ctx_str literal, const char *p, size_t n)
{
	struct ctx_str text = strip_quotes(literal);
	const char *q = text.p, *end = q + text.n, *next;
	char utf8[4];
	uint32_t cp;
	size_t len;

	if (n == 0)
		p = ""; /* p may be NULL if n is 0 */
	for (;;) {
		next = find_backslash(q, end);
		len = (size_t)(next - q);
		if (len > n || memcmp(p, q, len) != 0)
			return false;
		p += len;
		n -= len;
		if (next == end)
			return n == 0;
		q = next + parse_escape(next, end, &cp);
		len = ctx_utf8_put(utf8, cp);
		if (len > n || memcmp(p, utf8, len) != 0)
			return false;
		p += len;
		n -= len;
	}
}

bool
ctx_json_strings_equal(struct ctx_str a, struct ctx_str b)
{
	/* i, k: offsets at which the next characters of the two JSON strings
	 * begin.  The first character is after the opening quote, at offset
	 * 1. */
	size_t i = 1, k = 1;
	uint32_t one, other;
	int more;

	do {
		more = ctx_json_string_next(a, &i, &one);
		if (ctx_json_string_next(b, &k, &other) != more)
			return false;
	} while (more && one == other);
	return !more;
}

bool
ctx_json_string_continues(struct ctx_str literal, size_t at, const char *s)
{
	uint32_t cp;

	for (; *s != '\0'; s++)
		if (!ctx_json_string_next(literal, &at, &cp) ||
		    cp != (unsigned char)*s)
			return false;
	return true;
}
