/*
 * read_chars.c - reads the characters of a unit (a part of a text), for
 * Claude's encodings
 *
 * The characters are normalized (NFC), some are removed, and some are replaced.
 * Where normalization changes a part of the unit, the characters of its normal
 * form are read instead.
 */
#include <string.h>

#include "tokenizer/claude/chars.h"
#include "tokenizer/claude/claude.h"
#include "tokenizer/unicode.h"

#define UNKNOWN 0xfffd /* replaces a byte that is not UTF-8 */
/* NIKHAHIT and SARA_AA together are read as SARA_AM */
#define NIKHAHIT      0x0e4d
#define SARA_AA       0x0e32
#define SARA_AM       0x0e33
#define FIRST_PRIVATE 0xe000

/* The characters that were read so far. */
struct char_reader {
	uint32_t *chars;
	size_t n;
	bool folds; /* see the member "folds_quotes" of struct ctx_claude */
	/* True if the last character is NIKHAHIT, and no removed private-use
	 * character is after it. */
	bool nikhahit;
};

/* Returns the character that a character is read as. */
static uint32_t
replace_char(uint32_t cp, bool folds)
{
	if ((ctx_char_properties(ctx_char_make(cp)) & CTX_CHAR_BLANK) != 0)
		return ' ';
	if (folds && (cp == 0x2018 || cp == 0x2019))
		return '\'';
	return folds && (cp == 0x201c || cp == 0x201d) ? '"' : cp;
}

/* Adds a character of the normalized text.  The array must have room for it,
 * even if the character is removed. */
static inline void
add_char(struct char_reader *r, uint32_t cp)
{
	uint32_t c = ctx_char_make(cp);
	unsigned properties = ctx_char_properties(c);
	bool removed = (properties & CTX_CHAR_REMOVED) != 0;

	if (cp == SARA_AA && r->nikhahit) {
		r->chars[r->n - 1] = ctx_char_make(SARA_AM);
		r->nikhahit = false;
		return;
	}
	if ((properties & CTX_CHAR_BLANK) != 0 || cp - 0x2018 < 6)
		c = ctx_char_make(replace_char(cp, r->folds));
	r->chars[r->n] = c;
	r->n += !removed;
	/* Removed control characters may be between NIKHAHIT and SARA_AA. */
	r->nikhahit =
	    (removed & r->nikhahit & (cp < FIRST_PRIVATE)) | (cp == NIKHAHIT);
}

/* Decodes the first character of at least 4 bytes.  There is no branch for the
 * length, because the processor could not predict it in many texts. */
static inline size_t
decode_char(const char *p, uint32_t *cp)
{
	/* The indices of these tables are lengths; 0 means that no character
	 * begins with the byte. lengths: by the first 5 bits of the byte.
	 * tails: the bits that are 0 if the bytes after the first are
	 * continuation bytes. least: the first code point of this length. */
	static const uint8_t lengths[] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
	    1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 2, 2, 2, 2, 3, 3, 4, 0};
	static const uint8_t leads[] = {0, 0x7f, 0x1f, 0xf, 7};
	static const uint8_t shifts[] = {0, 18, 12, 6, 0};
	static const uint32_t tails[] = {0, 0, 0xc00000, 0xc0c000, 0xc0c0c0};
	static const uint32_t least[] = {UINT32_MAX, 0, 0x80, 0x800, 0x10000};
	const unsigned char *s = (const unsigned char *)p;
	uint32_t word = (uint32_t)s[0] << 24 | (uint32_t)s[1] << 16 |
	    (uint32_t)s[2] << 8 | s[3];
	size_t length = lengths[s[0] >> 3];
	uint32_t c =
	    ((uint32_t)(s[0] & leads[length]) << 18 | (word >> 4 & 0x3f000) |
		(word >> 2 & 0xfc0) | (word & 0x3f)) >>
	    shifts[length];
	bool bad = (((word ^ 0x808080) & tails[length]) != 0) |
	    (c < least[length]) | (c >> 11 == 0xd800 >> 11) | (c >= 0x110000);

	*cp = bad ? UNKNOWN : c;
	return bad ? 1 : length;
}

/* Decodes the character at the offset "at".  Returns its length. */
static inline size_t
decode_next(struct ctx_str text, size_t at, uint32_t *cp)
{
	size_t length;

	if (text.n - at >= 4)
		return decode_char(text.p + at, cp);
	length = ctx_char_next(text.p + at, text.n - at, cp);
	if (*cp == CTX_CHAR_BAD)
		*cp = UNKNOWN;
	return length;
}

static int
reserve_chars(struct ctx_marked_text *m, size_t n, struct ctx_err *err)
{
	return n <= m->cap ? 0 : CTX_GROW(m->chars, m->cap, n, err);
}

static bool
is_ascii(struct ctx_str text)
{
	uint64_t all = 0, word;
	size_t i = 0;

	for (; text.n - i >= sizeof word; i += sizeof word) {
		memcpy(&word, text.p + i, sizeof word);
		all |= word;
	}
	for (; i < text.n; i++)
		all |= (unsigned char)text.p[i];
	return (all & 0x8080808080808080u) == 0;
}

/* Adds the characters of an ASCII text. */
static void
add_ascii(struct char_reader *r, struct ctx_str text)
{
	uint32_t c;
	size_t i;

	for (i = 0; i < text.n; i++) {
		c = ctx_char_make(
		    text.p[i] == '\0' ? ' ' : (unsigned char)text.p[i]);
		r->chars[r->n] = c;
		r->n += (ctx_char_properties(c) & CTX_CHAR_REMOVED) == 0;
	}
}

/* Adds the characters of a text in NFC. */
static void
add_normal(struct char_reader *r, struct ctx_str text)
{
	size_t at = 0;
	uint32_t cp;

	while (at < text.n) {
		at += decode_next(text, at, &cp);
		add_char(r, cp);
	}
}

/* Adds characters from the offset "at" on, up to the first character that NFC
 * may change, or that may change the character before it.  Returns the offset
 * up to which characters were added, at which the text can be cut (see nfc.h).
 */
static size_t
add_safe(struct char_reader *r, struct ctx_str text, size_t at)
{
	struct char_reader before = *r;
	size_t begin = at, length;
	uint32_t cp;

	for (; at < text.n; at += length) {
		length = decode_next(text, at, &cp);
		if (ctx_nfc_kind_of(&ctx_nfc_15, cp) >= CTX_NFC_SAFE) {
			*r = before;
			return begin;
		}
		before = *r;
		begin = at;
		add_char(r, cp);
	}
	return at;
}

/* Adds the characters of a text, which need not be in NFC.  This is a separate
 * function so that the code for ASCII texts remains fast. */
static __attribute__((noinline)) int
add_mixed(struct ctx_marked_text *m, struct char_reader *r, struct ctx_str text,
    struct ctx_err *err)
{
	struct ctx_nfc *nfc = &m->normalizer;
	size_t done = 0, at, end;
	int rc;

	while ((at = done = add_safe(r, text, done)) < text.n) {
		rc = ctx_nfc_find(nfc, text.p, text.n, &at, &end, err);
		add_normal(r, (struct ctx_str){text.p + done, at - done});
		if (rc <= 0)
			return rc;
		if (reserve_chars(m, r->n + nfc->out.n + text.n - end, err) < 0)
			return -1;
		r->chars = m->chars;
		add_normal(r, ctx_buf_str(&nfc->out));
		done = end;
	}
	return 0;
}

int
ctx_marked_text_read(struct ctx_marked_text *m, struct ctx_str text,
    struct ctx_err *err)
{
	struct char_reader r;

	if (reserve_chars(m, text.n, err) < 0)
		return -1;
	r = (struct char_reader){m->chars, 0, m->claude->folds_quotes, false};
	if (is_ascii(text))
		add_ascii(&r, text);
	else if (add_mixed(m, &r, text, err) < 0)
		return -1;
	m->n = r.n;
	return 0;
}
