/*
 * nfc.c - converts text to Unicode Normalization Form C (NFC)
 *
 * Nearly all texts are already in NFC, so the code first checks as fast as
 * possible whether a text is in NFC.  Most scripts have no combining marks;
 * their bytes are checked 64 at a time, and all other characters one by one, by
 * their kinds.  If a mark may change an earlier character, a short part of the
 * text (a stretch) is decomposed and composed (UAX #15), and the result is
 * compared with the original.  A stretch begins and ends at places where the
 * text can be cut without changing its normal form (see nfc.h).
 */
#include <stdlib.h>
#include <string.h>

#include "tokenizer/encode/nfc.h"
#include "tokenizer/unicode.h"

#define BELOW_0300 0xcc /* greater than all bytes of U+0000 to U+02FF */
#define AT_ONCE    64
/* Number of characters that are checked one by one before the next block of
 * AT_ONCE bytes is tried. */
#define ROW 16
/* Maximum number of times that ROW is doubled: once for each consecutive block
 * that may not be in NFC. */
#define TRIES 5
#define FEW   24 /* maximum number of marks that are sorted by insertion */
/* Number of low bits in which the code point of a mark is stored.  Its
 * combining class is in the bits above. */
#define MARK_BITS 21
/* NO_BYTE + b stands for a byte b that is not UTF-8 */
#define NO_BYTE 0x110000

void
ctx_nfc_release(struct ctx_nfc *nfc)
{
	ctx_buf_release(&nfc->out);
	free(nfc->marks);
	free(nfc->sorted);
	memset(nfc, 0, sizeof *nfc);
}

static const struct ctx_nfc_tables *
nfc_tables(const struct ctx_nfc *nfc)
{
	return nfc->tables == NULL ? &ctx_nfc_9 : nfc->tables;
}

static unsigned
nfc_kind_of(const struct ctx_nfc_tables *t, uint32_t cp)
{
	return cp >= NO_BYTE ? CTX_NFC_INERT : ctx_nfc_kind_of(t, cp);
}

/* Decodes the next character.  Sets *cp to its code point or, for a byte that
 * is not UTF-8, to NO_BYTE plus this byte.  Returns the length in bytes. */
static size_t
next_char(const char *p, size_t n, uint32_t *cp)
{
	size_t length = ctx_char_next(p, n, cp);

	if (*cp == CTX_CHAR_BAD)
		*cp = NO_BYTE + (unsigned char)*p;
	return length;
}

/* ---- characters ---------------------------------------------------------- */

/* Returns the full decomposition of a character that has one.  The loop of this
 * binary search has no branch for the direction, because the processor could
 * not predict it. */
static const uint32_t *
decompose_char(const struct ctx_nfc_tables *t, uint32_t cp)
{
	const struct ctx_nfc_apart *low = t->apart;
	size_t n, half;

	for (n = t->n_apart; n > 1; n -= half) {
		half = n / 2;
		low += half * (low[half].from <= cp);
	}
	return low->to;
}

/* Returns the Hangul syllable of which a and b are the parts, or 0 if there is
 * none. */
static uint32_t
compose_hangul(uint32_t a, uint32_t b)
{
	uint32_t l = a - CTX_NFC_L, v = b - CTX_NFC_V;
	uint32_t s = a - CTX_NFC_S, t = b - CTX_NFC_T;

	if (l < CTX_NFC_L_COUNT && v < CTX_NFC_V_COUNT)
		return CTX_NFC_S + (l * CTX_NFC_V_COUNT + v) * CTX_NFC_T_COUNT;
	if (s < CTX_NFC_S_COUNT && s % CTX_NFC_T_COUNT == 0 && t > 0 &&
	    t < CTX_NFC_T_COUNT)
		return a + t;
	return 0;
}

/* Returns the character that NFC composes of a and b, or 0 if there is none. */
static uint32_t
compose_pair(const struct ctx_nfc_tables *t, uint32_t a, uint32_t b)
{
	const struct ctx_nfc_pair *pair;
	unsigned i;

	for (i = ctx_nfc_place(a, b);; i++) {
		pair = t->pairs + i % CTX_NFC_PAIRS;
		if (pair->whole == 0)
			return compose_hangul(a, b);
		if (pair->first == a && pair->second == b)
			return pair->whole;
	}
}

/* ---- a stretch (short part of a text) ------------------------------------ */

/* Appends a character to nfc->out, which has room for the whole normal form. */
static void
put_char(struct ctx_nfc *nfc, uint32_t cp)
{
	char *p = nfc->out.p + nfc->out.n;

	if (cp < NO_BYTE) {
		nfc->out.n += ctx_utf8_put(p, cp);
	} else {
		*p = (char)(cp & 0xff);
		nfc->out.n++;
	}
}

static int
add_mark(struct ctx_nfc *nfc, unsigned class, uint32_t cp, struct ctx_err *err)
{
	if (nfc->n == nfc->cap) {
		if (CTX_GROW(nfc->marks, nfc->cap, nfc->n + 1, err) < 0)
			return -1;
	}
	nfc->marks[nfc->n++] = (uint32_t) class << MARK_BITS | cp;
	return 0;
}

static void
sort_few(uint32_t *marks, size_t n)
{
	uint32_t mark;
	size_t i, k;

	for (i = 1; i < n; i++) {
		mark = marks[i];
		for (k = i;
		     k > 0 && marks[k - 1] >> MARK_BITS > mark >> MARK_BITS;
		     k--)
			marks[k] = marks[k - 1];
		marks[k] = mark;
	}
}

/* Sorts the marks by combining class in linear time.  Marks of the same class
 * stay in their order. */
static int
sort_many(struct ctx_nfc *nfc, struct ctx_err *err)
{
	size_t places[257] = {0}, i;

	if (nfc->sorted_cap < nfc->n) {
		if (CTX_GROW(nfc->sorted, nfc->sorted_cap, nfc->n, err) < 0)
			return -1;
	}
	for (i = 0; i < nfc->n; i++)
		places[(nfc->marks[i] >> MARK_BITS) + 1]++;
	for (i = 1; i < 256; i++)
		places[i] += places[i - 1];
	for (i = 0; i < nfc->n; i++)
		nfc->sorted[places[nfc->marks[i] >> MARK_BITS]++] =
		    nfc->marks[i];
	memcpy(nfc->marks, nfc->sorted, nfc->n * sizeof *nfc->marks);
	return 0;
}

/* Sorts the marks after a starter (a character of combining class 0) by their
 * class, and composes them with the starter if possible.  A mark is not
 * composed if an earlier mark of its class was not composed. */
static int
compose_marks(struct ctx_nfc *nfc, struct ctx_err *err)
{
	uint32_t mark, whole, last = 0;
	size_t left = 0, i;

	if (nfc->n > FEW && sort_many(nfc, err) < 0)
		return -1;
	sort_few(nfc->marks, nfc->n > FEW ? 0 : nfc->n);
	for (i = 0; i < nfc->n; i++) {
		mark = nfc->marks[i];
		whole = 0;
		if (nfc->begun && mark >> MARK_BITS != last)
			whole = compose_pair(nfc_tables(nfc), nfc->starter,
			    mark & ((1u << MARK_BITS) - 1));
		if (whole != 0) {
			nfc->starter = whole;
		} else {
			nfc->marks[left++] = mark;
			last = mark >> MARK_BITS;
		}
	}
	nfc->n = left;
	return 0;
}

/* Appends the starter and the remaining marks to nfc->out.  Called when later
 * characters cannot change the starter and these marks any more. */
static void
flush_stretch(struct ctx_nfc *nfc)
{
	size_t i;

	if (nfc->begun)
		put_char(nfc, nfc->starter);
	for (i = 0; i < nfc->n; i++)
		put_char(nfc, nfc->marks[i] & ((1u << MARK_BITS) - 1));
	nfc->n = 0;
	nfc->begun = false;
}

/* Adds a character without a decomposition to the stretch (short part of a
 * text) that is being normalized. */
static int
add_decomposed_char(struct ctx_nfc *nfc, uint32_t cp, struct ctx_err *err)
{
	const struct ctx_nfc_tables *t = nfc_tables(nfc);
	unsigned kind = nfc_kind_of(t, cp);
	uint32_t whole = 0;

	if (kind >= CTX_NFC_SAFE && t->kinds[kind].class > 0)
		return add_mark(nfc, t->kinds[kind].class, cp, err);
	if (compose_marks(nfc, err) < 0)
		return -1;
	if (nfc->begun && nfc->n == 0 && kind >= CTX_NFC_SAFE &&
	    (t->kinds[kind].flags & CTX_NFC_MAYBE) != 0)
		whole = compose_pair(t, nfc->starter, cp);
	if (whole == 0)
		flush_stretch(nfc);
	nfc->starter = whole == 0 ? cp : whole;
	nfc->begun = true;
	return 0;
}

/* Adds a character to the stretch (short part of a text) that is being
 * normalized.  If the character has a decomposition, adds its parts. */
static int
add_char(struct ctx_nfc *nfc, uint32_t cp, struct ctx_err *err)
{
	const struct ctx_nfc_tables *t = nfc_tables(nfc);
	unsigned kind = nfc_kind_of(t, cp), i;
	const uint32_t *parts;

	if (kind != CTX_NFC_COMPOSED &&
	    (kind < CTX_NFC_SAFE || (t->kinds[kind].flags & CTX_NFC_NO) == 0))
		return add_decomposed_char(nfc, cp, err);
	parts = decompose_char(t, cp);
	for (i = 0; i < CTX_NFC_PARTS && parts[i] != 0; i++)
		if (add_decomposed_char(nfc, parts[i], err) < 0)
			return -1;
	return 0;
}

/* Normalizes a stretch (a short part of a text), at whose ends the text can be
 * cut without changing its normal form.  Writes the normal form to nfc->out. */
static int
normalize_stretch(struct ctx_nfc *nfc, const char *p, size_t n,
    struct ctx_err *err)
{
	uint32_t cp;
	size_t at;

	nfc->out.n = nfc->n = 0;
	nfc->begun = false;
	if (n > SIZE_MAX / CTX_NFC_FACTOR)
		return ctx_err_nomem(err);
	if (ctx_buf_reserve(&nfc->out, CTX_NFC_FACTOR * n, err) < 0)
		return -1;
	for (at = 0; at < n;) {
		at += next_char(p + at, n - at, &cp);
		if (add_char(nfc, cp, err) < 0)
			return -1;
	}
	if (compose_marks(nfc, err) < 0)
		return -1;
	flush_stretch(nfc);
	return 0;
}

/* ---- texts --------------------------------------------------------------- */

/* Checks AT_ONCE bytes by the first byte of each character.  Returns true if
 * the text can be cut before each of the characters without changing its normal
 * form.  This is the case for Latin, Cyrillic, Han and most of Hangul. */
static bool
is_plain_run(const unsigned char *s)
{
	unsigned char other = 0, c;
	size_t i;

	for (i = 0; i < AT_ONCE; i++) {
		c = s[i];
		other |= (c >= BELOW_0300) & ((c & 0xfe) != 0xd0) &
		    ((c < 0xe4) | (c > 0xe9)) & ((c < 0xeb) | (c > 0xed));
	}
	return other == 0;
}

/* Checks AT_ONCE bytes like is_plain_run, but examines up to three bytes of
 * each character.  So it also returns true for U+1E00 to U+1EFF (Vietnamese),
 * punctuation from U+2002 on, kana without combining marks, the first Hangul
 * syllables, and symbols from U+1F000 on. */
static bool
is_plain_run_by_more(const unsigned char *s)
{
	unsigned char other = 0, c, d, e;
	size_t i;

	for (i = 0; i < AT_ONCE; i++) {
		c = s[i];
		d = s[i + 1];
		e = s[i + 2];
		other |= (c >= BELOW_0300) & ((c & 0xfe) != 0xd0) &
		    ((c < 0xe4) | (c > 0xe9)) & ((c < 0xeb) | (c > 0xed)) &
		    ((c != 0xe1) | ((d & 0xfc) != 0xb8)) &
		    ((c != 0xe2) | (d != 0x80) | (e < 0x82)) &
		    ((c != 0xe3) | ((d == 0x80) & (e >= 0xaa)) |
			((d == 0x82) & (e >= 0x99))) &
		    ((c != 0xea) | (d < 0xb0)) & ((c != 0xf0) | (d != 0x9f));
	}
	return other == 0;
}

/* Checks blocks of 64 bytes from p on.  Returns the number of bytes before the
 * first block that may not be in NFC. */
static size_t
pass_blocks(const char *p, size_t n)
{
	const unsigned char *s = (const unsigned char *)p;
	size_t at = 0;

	while (n - at >= AT_ONCE + 2 &&
	    (is_plain_run(s + at) || is_plain_run_by_more(s + at)))
		at += AT_ONCE;
	return at;
}

/* State of checking whether a text is in NFC.  All bytes before the offset "at"
 * are in NFC. */
struct nfc_check {
	const struct ctx_nfc_tables *tables;
	size_t from; /* offset at which the check began */
	size_t at;
	/* Offset after the last character before which the text can be cut
	 * without changing its normal form. */
	size_t safe;
	/* combining class of the last character that was checked */
	unsigned class;
	/* Says whether the last character of combining class 0 may be composed
	 * with a later character.  INERT: never.  NOT_INERT: with some
	 * characters.  UNKNOWN: this was not looked up yet. */
	enum { INERT, NOT_INERT, UNKNOWN } starter;
};

/* Checks characters of up to three bytes, as long as their ranks (see nfc.h)
 * show that the text is in NFC.  Most of the characters that pass are
 * characters before which the text can be cut, or combining marks in the order
 * of their classes.  The code has few branches, because the processor could not
 * predict the ranks. */
static void
pass_ranked(struct nfc_check *check, const char *p, size_t n)
{
	const struct ctx_nfc_tables *t = check->tables;
	const unsigned char *s = (const unsigned char *)p;
	size_t at = check->at, safe = check->safe, row = ROW, tries = 0, length;
	unsigned class = check->class, starter = check->starter, rank, block;
	unsigned more; /* top bits 0: continuation bytes follow */

	while (n - at >= 3) {
		length = s[at] < BELOW_0300;
		if (row-- == 0) {
			length = pass_blocks(p + at, n - at);
			tries = length > 0 ? 0 : tries + 1;
			row = (size_t)ROW << (tries < TRIES ? tries : TRIES);
			if (length == 0)
				continue;
		}
		if (length > 0) {
			at += length;
			safe = at;
			class = 0;
			starter = UNKNOWN;
			continue;
		}
		if (s[at] < 0xe0) {
			more = s[at + 1] ^ 0x80u;
			block = s[at] & 0x1fu;
			length = 2;
		} else if (s[at] < 0xf0) {
			more = (s[at + 1] ^ 0x80u) | (s[at + 2] ^ 0x80u);
			block = (s[at] & 0xfu) << 6 | (s[at + 1] & 0x3fu);
			length = 3;
		} else {
			break;
		}
		rank = t->rank_value[t->rank_block[block]]
				    [s[at + length - 1] & 0x3fu];
		if ((more & 0xc0) != 0 || rank < class ||
		    rank == CTX_NFC_RANK_NONE ||
		    (rank == CTX_NFC_RANK_MAYBE &&
			(class > 0 || starter != INERT)))
			break;
		at += length;
		safe = rank >= CTX_NFC_RANK_SAFE ? at : safe;
		class = rank >= CTX_NFC_RANK_MAYBE ? 0 : rank;
		starter = rank < CTX_NFC_RANK_MAYBE ? starter
		    : rank == CTX_NFC_RANK_INERT    ? INERT
						    : NOT_INERT;
	}
	check->at = at;
	check->safe = safe;
	check->class = class;
	check->starter = starter;
}

/* Returns the kind (see nfc.h) of the last character before the offset "at".
 * Sets *begin to the offset of this character. */
static unsigned
find_kind_before(const struct ctx_nfc_tables *t, const char *p, size_t at,
    size_t *begin)
{
	size_t next = at - 1;
	uint32_t cp = 0;

	while (next > 0 && at - next < 4 && (p[next] & 0xc0) == 0x80)
		next--;
	/* The bytes before the offset may be invalid UTF-8, so the loop decodes
	 * forward until it reaches the last character. */
	while (next < at) {
		*begin = next;
		next += next_char(p + next, at - next, &cp);
	}
	return nfc_kind_of(t, cp);
}

/* Returns true if the last character of combining class 0 is never composed
 * with a later character. */
static bool
is_inert(const struct nfc_check *check, const char *p)
{
	size_t begin;

	return check->starter != UNKNOWN
	    ? check->starter == INERT
	    : find_kind_before(check->tables, p, check->safe, &begin) ==
		CTX_NFC_INERT;
}

/* Checks a character before which the text cannot be cut, and moves check->at
 * to its end.  Returns false if the text may not be in NFC with this
 * character. */
static bool
pass_char(struct nfc_check *check, const char *p, unsigned kind)
{
	struct ctx_nfc_kind k = check->tables->kinds[kind];

	if (k.class < check->class || (k.flags & CTX_NFC_NO) != 0 ||
	    ((k.flags & CTX_NFC_MAYBE) != 0 && !is_inert(check, p)))
		return false;
	check->class = k.class;
	if (k.class == 0)
		check->starter = NOT_INERT;
	return true;
}

/* Checks the text from check->at on.  Returns true if all of this text is in
 * NFC.  Otherwise returns false, and check->at is the offset of the first
 * character that may not be in NFC. */
static bool
pass_all(struct nfc_check *check, const char *p, size_t n)
{
	size_t length;
	unsigned kind;
	uint32_t cp;

	for (;;) {
		pass_ranked(check, p, n);
		if (check->at == n)
			return true;
		length = next_char(p + check->at, n - check->at, &cp);
		kind = nfc_kind_of(check->tables, cp);
		if (kind < CTX_NFC_SAFE) {
			check->safe = check->at + length;
			check->class = 0;
			check->starter =
			    kind == CTX_NFC_INERT ? INERT : NOT_INERT;
		} else if (!pass_char(check, p, kind)) {
			return false;
		}
		check->at += length;
	}
}

/* Returns the first offset, "at" or later, at which the text can be cut without
 * changing its normal form. */
static size_t
find_next_safe(const struct ctx_nfc_tables *t, const char *p, size_t n,
    size_t at)
{
	size_t length;
	uint32_t cp;

	for (; at < n; at += length) {
		length = next_char(p + at, n - at, &cp);
		if (nfc_kind_of(t, cp) < CTX_NFC_SAFE)
			break;
	}
	return at;
}

int
ctx_nfc_find(struct ctx_nfc *nfc, const char *p, size_t n, size_t *at,
    size_t *end, struct ctx_err *err)
{
	const struct ctx_nfc_tables *t = nfc_tables(nfc);
	struct nfc_check check = {t, *at, *at, *at, 0, INERT};

	if (nfc->find != NULL)
		return nfc->find(nfc, p, n, at, end, err);
	while (!pass_all(&check, p, n)) {
		*at = check.safe;
		if (check.safe > check.from)
			(void)find_kind_before(t, p, check.safe, at);
		*end = find_next_safe(t, p, n, check.at);
		if (normalize_stretch(nfc, p + *at, *end - *at, err) < 0)
			return -1;
		if (nfc->out.n != *end - *at ||
		    memcmp(nfc->out.p, p + *at, nfc->out.n) != 0)
			return 1;
		check = (struct nfc_check){t, *end, *end, *end, 0, INERT};
	}
	*at = *end = n;
	return 0;
}

size_t
ctx_nfc_settled(const char *p, size_t n)
{
	while (n > 0 && find_kind_before(&ctx_nfc_9, p, n, &n) >= CTX_NFC_SAFE)
		;
	return n;
}

int
ctx_nfc_text(struct ctx_nfc *nfc, struct ctx_str *text, struct ctx_buf *out,
    bool *changed, struct ctx_err *err)
{
	size_t done = 0, at = 0, end = 0;
	int rc;

	*changed = nfc->prefix;
	out->n = 0;
	if (nfc->prefix && ctx_buf_add(out, " ", 1, err) < 0)
		return -1;
	while ((rc = ctx_nfc_find(nfc, text->p, text->n, &at, &end, err)) > 0) {
		*changed = true;
		if (ctx_buf_add(out, text->p + done, at - done, err) < 0 ||
		    ctx_buf_add(out, nfc->out.p, nfc->out.n, err) < 0)
			return -1;
		at = done = end;
	}
	if (rc < 0 || !*changed)
		return rc;
	if (ctx_buf_add(out, text->p + done, text->n - done, err) < 0)
		return -1;
	*text = (struct ctx_str){out->p, out->n};
	return 0;
}
