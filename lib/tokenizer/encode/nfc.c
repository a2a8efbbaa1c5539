/*
 * nfc.c - Normalization Form C
 *
 * Nearly all text is in NFC, so what is fast is to see that.  Most scripts
 * have no marks of their own and are passed over by their bytes, many at a
 * time, others by the kinds of their characters; only where a mark may act on
 * what is before it is a stretch taken apart and composed (UAX #15), and
 * compared with what it was.  A stretch goes from one character that the text
 * can be cut before to the next.
 */
#include <stdlib.h>
#include <string.h>

#include "tokenizer/encode/nfc.h"
#include "tokenizer/unicode.h"

#define BELOW_0300 0xcc /* no byte of U+0000 to U+02FF is as much */
#define AT_ONCE    64
#define ROW        16       /* characters one by one, before many at once, */
#define TRIES      5        /* and twice as many after each try in vain */
#define FEW        24       /* marks that are sorted one by one */
#define MARK_BITS  21       /* of a mark, its class is above */
#define NO_BYTE    0x110000 /* a byte that is not UTF-8 is this and more */

void
ctx_nfc_release(struct ctx_nfc *nfc)
{
	ctx_buf_release(&nfc->out);
	free(nfc->marks);
	free(nfc->sorted);
	memset(nfc, 0, sizeof *nfc);
}

static unsigned
nfc_kind_of(uint32_t cp)
{
	if (cp >= NO_BYTE)
		return CTX_NFC_INERT;
	return ctx_nfc_value[ctx_nfc_block[cp / 128] * 128u + cp % 128];
}

/* The next character; a byte that is none is a number of its own. */
static size_t
next_char(const char *p, size_t n, uint32_t *cp)
{
	size_t length = ctx_char_next(p, n, cp);

	if (*cp == CTX_CHAR_BAD)
		*cp = NO_BYTE + (unsigned char)*p;
	return length;
}

/* ---- characters ---------------------------------------------------------- */

/* What a character of a kind that comes apart does so into. */
static const uint32_t *
decompose_char(uint32_t cp)
{
	size_t low = 0, high = ctx_nfc_n_apart, middle;

	while (low + 1 < high) {
		middle = low + (high - low) / 2;
		if (ctx_nfc_apart[middle].from <= cp)
			low = middle;
		else
			high = middle;
	}
	return ctx_nfc_apart[low].to;
}

/* Two characters as one, or 0. */
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

static uint32_t
compose_pair(uint32_t a, uint32_t b)
{
	const struct ctx_nfc_pair *pair;
	unsigned i;

	for (i = ctx_nfc_place(a, b);; i++) {
		pair = ctx_nfc_pairs + i % CTX_NFC_PAIRS;
		if (pair->whole == 0)
			return compose_hangul(a, b);
		if (pair->first == a && pair->second == b)
			return pair->whole;
	}
}

/* ---- a stretch ----------------------------------------------------------- */

/* There is room for the normal form. */
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
	uint32_t *grown;

	if (nfc->n == nfc->cap) {
		grown = ctx_grow(nfc->marks, &nfc->cap, nfc->n + 1,
		    sizeof *nfc->marks, err);
		if (grown == NULL)
			return -1;
		nfc->marks = grown;
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

/* In time linear in their number. */
static int
sort_many(struct ctx_nfc *nfc, struct ctx_err *err)
{
	size_t places[257] = {0}, i;
	uint32_t *grown;

	if (nfc->sorted_cap < nfc->n) {
		grown = ctx_grow(nfc->sorted, &nfc->sorted_cap, nfc->n,
		    sizeof *nfc->sorted, err);
		if (grown == NULL)
			return -1;
		nfc->sorted = grown;
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

/* Puts the marks in the order of their classes, equal ones as they stand, and
 * composes them with the character they are on, as far as they can be: one is
 * blocked by another of its class that stays. */
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
			whole = compose_pair(nfc->starter,
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

/* Puts out what no character behind can change. */
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

/* Goes on by a character that does not come apart. */
static int
add_decomposed_char(struct ctx_nfc *nfc, uint32_t cp, struct ctx_err *err)
{
	unsigned kind = nfc_kind_of(cp);
	uint32_t whole = 0;

	if (kind >= CTX_NFC_SAFE && ctx_nfc_kinds[kind].class > 0)
		return add_mark(nfc, ctx_nfc_kinds[kind].class, cp, err);
	if (compose_marks(nfc, err) < 0)
		return -1;
	if (nfc->begun && nfc->n == 0)
		whole = compose_pair(nfc->starter, cp);
	if (whole == 0)
		flush_stretch(nfc);
	nfc->starter = whole == 0 ? cp : whole;
	nfc->begun = true;
	return 0;
}

static int
add_char(struct ctx_nfc *nfc, uint32_t cp, struct ctx_err *err)
{
	unsigned kind = nfc_kind_of(cp), i;
	const uint32_t *parts;

	if (kind != CTX_NFC_COMPOSED &&
	    (kind < CTX_NFC_SAFE ||
		(ctx_nfc_kinds[kind].flags & CTX_NFC_NO) == 0))
		return add_decomposed_char(nfc, cp, err);
	parts = decompose_char(cp);
	for (i = 0; i < CTX_NFC_PARTS && parts[i] != 0; i++)
		if (add_decomposed_char(nfc, parts[i], err) < 0)
			return -1;
	return 0;
}

/* Makes nfc->out the normal form of a stretch. */
static int
normalise_stretch(struct ctx_nfc *nfc, const char *p, size_t n,
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

/*
 * Are so many bytes of characters that the text can be cut before, or of none?
 * That is told by the first bytes of Latin, Cyrillic, Han and most of Hangul.
 */
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

/*
 * The same, by the bytes behind them too: U+1E00 to U+1EFF as in Vietnamese,
 * quotation marks and dashes from U+2002 on, kana but for their marks, the
 * first of Hangul, and pictures from U+1F000 on.
 */
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

/* How many bytes to pass over, by many. */
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

/* What is known of a text up to where it is looked at. */
struct look {
	size_t from; /* where it began */
	size_t at;
	size_t safe;    /* behind the last character it can be cut before */
	unsigned class; /* of the character before */
	/* May a mark be composed with the last character of class 0? */
	enum { INERT, NOT_INERT, UNKNOWN } starter;
};

/*
 * Passes characters of up to three bytes whose ranks say enough: those the
 * text can be cut before, and marks behind none of a higher class.  Which of
 * them comes next is as good as random, so no branch asks.
 */
static void
pass_ranked(struct look *look, const char *p, size_t n)
{
	const unsigned char *s = (const unsigned char *)p;
	size_t at = look->at, safe = look->safe, row = ROW, tries = 0, length;
	unsigned class = look->class, starter = look->starter, rank, block;
	unsigned more; /* 0: bytes go on */

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
		rank = ctx_nfc_rank_value[ctx_nfc_rank_block[block]]
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
	look->at = at;
	look->safe = safe;
	look->class = class;
	look->starter = starter;
}

/* The kind of the character that ends at byte at, and where it begins. */
static unsigned
find_kind_before(const char *p, size_t at, size_t *begin)
{
	size_t next = at - 1;
	uint32_t cp = 0;

	while (next > 0 && at - next < 4 && (p[next] & 0xc0) == 0x80)
		next--;
	/* There may be bytes in between that are no character. */
	while (next < at) {
		*begin = next;
		next += next_char(p + next, at - next, &cp);
	}
	return nfc_kind_of(cp);
}

/* Is it sure that no mark is composed with what is before it? */
static bool
is_inert(const struct look *look, const char *p)
{
	size_t begin;

	return look->starter != UNKNOWN
	    ? look->starter == INERT
	    : find_kind_before(p, look->safe, &begin) == CTX_NFC_INERT;
}

/* Passes a character that the text cannot be cut before, if it is in NFC as
 * it stands behind the others. */
static bool
pass_char(struct look *look, const char *p, unsigned kind)
{
	struct ctx_nfc_kind k = ctx_nfc_kinds[kind];

	if (k.class < look->class || (k.flags & CTX_NFC_NO) != 0 ||
	    ((k.flags & CTX_NFC_MAYBE) != 0 && !is_inert(look, p)))
		return false;
	look->class = k.class;
	if (k.class == 0)
		look->starter = NOT_INERT;
	return true;
}

/* Looks at the text up to a character that does not pass: false, or its
 * end: true. */
static bool
pass_all(struct look *look, const char *p, size_t n)
{
	size_t length;
	unsigned kind;
	uint32_t cp;

	for (;;) {
		pass_ranked(look, p, n);
		if (look->at == n)
			return true;
		length = next_char(p + look->at, n - look->at, &cp);
		kind = nfc_kind_of(cp);
		if (kind < CTX_NFC_SAFE) {
			look->safe = look->at + length;
			look->class = 0;
			look->starter =
			    kind == CTX_NFC_INERT ? INERT : NOT_INERT;
		} else if (!pass_char(look, p, kind)) {
			return false;
		}
		look->at += length;
	}
}

/* The next place from byte at on where the text can be cut. */
static size_t
find_next_safe(const char *p, size_t n, size_t at)
{
	size_t length;
	uint32_t cp;

	for (; at < n; at += length) {
		length = next_char(p + at, n - at, &cp);
		if (nfc_kind_of(cp) < CTX_NFC_SAFE)
			break;
	}
	return at;
}

int
ctx_nfc_find(struct ctx_nfc *nfc, const char *p, size_t n, size_t *at,
    size_t *end, struct ctx_err *err)
{
	struct look look = {.from = *at, .at = *at, .safe = *at};

	while (!pass_all(&look, p, n)) {
		*at = look.safe;
		if (look.safe > look.from)
			(void)find_kind_before(p, look.safe, at);
		*end = find_next_safe(p, n, look.at);
		if (normalise_stretch(nfc, p + *at, *end - *at, err) < 0)
			return -1;
		if (nfc->out.n != *end - *at ||
		    memcmp(nfc->out.p, p + *at, nfc->out.n) != 0)
			return 1;
		look = (struct look){.from = *end, .at = *end, .safe = *end};
	}
	*at = *end = n;
	return 0;
}

size_t
ctx_nfc_settled(const char *p, size_t n)
{
	while (n > 0 && find_kind_before(p, n, &n) >= CTX_NFC_SAFE)
		;
	return n;
}

int
ctx_nfc_text(struct ctx_nfc *nfc, struct ctx_str *text, struct ctx_buf *out,
    bool *changed, struct ctx_err *err)
{
	size_t done = 0, at = 0, end = 0;
	int rc;

	*changed = false;
	while ((rc = ctx_nfc_find(nfc, text->p, text->n, &at, &end, err)) > 0) {
		if (!*changed)
			out->n = 0;
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

/* ---- places -------------------------------------------------------------- */

/* Finds the next stretch. */
static int
find_next_stretch(struct ctx_nfc_map *map, struct ctx_err *err)
{
	size_t from = map->end;
	int rc;

	map->at = from;
	rc = ctx_nfc_find(map->nfc, map->text.p, map->text.n, &map->at,
	    &map->end, err);
	map->normal_at = map->normal_end + (map->at - from);
	/* Behind the last one there is no end. */
	map->normal_end = rc == 0 ? SIZE_MAX : map->normal_at + map->nfc->out.n;
	return rc < 0 ? -1 : 0;
}

int
ctx_nfc_map_init(struct ctx_nfc_map *map, struct ctx_nfc *nfc,
    struct ctx_str text, struct ctx_err *err)
{
	*map = (struct ctx_nfc_map){.nfc = nfc, .text = text};
	return find_next_stretch(map, err);
}

int
ctx_nfc_map_place(struct ctx_nfc_map *map, size_t normal, size_t *at,
    struct ctx_err *err)
{
	while (normal >= map->normal_end)
		if (find_next_stretch(map, err) < 0)
			return -1;
	if (normal <= map->normal_at) {
		*at = map->at - (map->normal_at - normal);
		return 1;
	}
	*at = map->end;
	return 0;
}
