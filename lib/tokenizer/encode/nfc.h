/* nfc.h - Unicode Normalization Form C (NFC), for vocabularies that require
 * normalized text */
#ifndef CTX_TOKENIZER_ENCODE_NFC_H
#define CTX_TOKENIZER_ENCODE_NFC_H

#include "base/base.h"

/* There are tables for two versions of Unicode: 9.0, as in the tokenizers
 * library (0.23), and 15.0, as in Claude's encodings.  Newer combining marks
 * are taken for ordinary characters. */

/* The kind of a character says how NFC handles it.  lib/gen/make_nfc.c makes
 * the tables, in blocks of 128 code points.  A text can be cut before a
 * character whose kind is below CTX_NFC_SAFE: the two parts can then be
 * normalized separately.  Kinds from CTX_NFC_SAFE on are indices of the table
 * kinds.  "Class" is the property Canonical_Combining_Class; it is 0 for
 * characters that are not combining marks. */
enum {
	CTX_NFC_INERT, /* combining class 0; composes with no later character */
	/* combining class 0; composes with some later characters */
	CTX_NFC_FIRST,
	/* a composed character that NFC does not change */
	CTX_NFC_COMPOSED,
	CTX_NFC_SAFE
};

enum {
	/* NFC_Quick_Check is No: NFC replaces the character by its parts */
	CTX_NFC_NO = 1,
	CTX_NFC_MAYBE = 2, /* composes with some earlier characters */
};

struct ctx_nfc_kind {
	uint8_t class; /* Canonical_Combining_Class */
	uint8_t flags;
};

#define CTX_NFC_PARTS 4

/* The full decomposition of one character into up to CTX_NFC_PARTS characters.
 * Unused entries of the array are 0. */
struct ctx_nfc_apart {
	uint32_t from, to[CTX_NFC_PARTS];
};

struct ctx_nfc_pair {
	uint32_t first, second, whole;
};

/* The rank of a character decides for most text whether it is in NFC. Unlike
 * the kinds of characters (struct ctx_nfc_kind), ranks exist only below
 * U+10000, so that their table is small. The rank of many combining marks is
 * their combining class: they are in NFC after marks of the same class or of a
 * lower one.  Other characters have one of the ranks below. */
enum {
	CTX_NFC_RANK_MAYBE = 252, /* class 0, and CTX_NFC_MAYBE is set */
	/* The rank does not say whether a text is in NFC: the kind must be
	 * looked up. */
	CTX_NFC_RANK_NONE = 253,
	/* The kind is CTX_NFC_FIRST or CTX_NFC_COMPOSED. */
	CTX_NFC_RANK_SAFE = 254,
	CTX_NFC_RANK_INERT = 255, /* the kind is CTX_NFC_INERT */
};

/* Number of entries in the hash table of pairs that compose to one character.
 * The search for a pair begins at index ctx_nfc_place and ends at the pair or
 * at an empty entry. */
#define CTX_NFC_PAIRS 4096

/* The tables of one version of Unicode. */
struct ctx_nfc_tables {
	/* kinds of all characters: block has, for each 128 characters, an index
	 * into the blocks of value */
	const uint8_t *block, *value;
	const struct ctx_nfc_kind *kinds;  /* from CTX_NFC_SAFE on */
	const struct ctx_nfc_apart *apart; /* sorted by from */
	size_t n_apart;
	/* ranks of the characters below U+10000, by blocks of 64 */
	const uint8_t *rank_block;
	const uint8_t (*rank_value)[64];
	const struct ctx_nfc_pair *pairs; /* CTX_NFC_PAIRS */
};
extern const struct ctx_nfc_tables ctx_nfc_9, ctx_nfc_15;

static inline uint32_t
ctx_nfc_place(uint32_t first, uint32_t second)
{
	return (first * 0x9e3779b1u ^ second * 0x85ebca6bu) >> 20;
}

/* A normal form is always shorter than this number times its text, and the
 * other way round, in bytes.  For example, U+1D160 (4 bytes) becomes three
 * characters of 4 bytes.  U+1FBE (3 bytes), U+0308 and U+0301 (2 bytes each)
 * become U+0390 (2 bytes). */
#define CTX_NFC_FACTOR 4

/* First code points of the Hangul syllables (S) and of the jamo that compose
 * them (L, V, T), and their numbers. */
enum {
	CTX_NFC_S = 0xac00,
	CTX_NFC_L = 0x1100,
	CTX_NFC_V = 0x1161,
	CTX_NFC_T = 0x11a7,
	CTX_NFC_L_COUNT = 19,
	CTX_NFC_V_COUNT = 21,
	CTX_NFC_T_COUNT = 28,
	CTX_NFC_S_COUNT = CTX_NFC_L_COUNT * CTX_NFC_V_COUNT * CTX_NFC_T_COUNT,
};

struct ctx_nfc;

/*
 * Finds the next stretch [*at, *end) of a text, from byte *at on, that differs
 * from its normal form, and writes its normal form to nfc->out.  The text can
 * be cut at both ends of the stretch without changing the normal form; the
 * given *at must be such a place too.  Returns 1, 0 if the rest of the text is
 * in normal form, or -1 with *err.
 */
typedef int ctx_normal_find_fn(struct ctx_nfc *nfc, const char *p, size_t n,
    size_t *at, size_t *end, struct ctx_err *err);

/* Working memory for normalizing.  It takes four times the longest stretch of
 * text that was normalized, and eight bytes per mark of the longest run of
 * combining marks.  A zeroed struct is valid. */
struct ctx_nfc {
	/* NULL: the normal form is NFC.  Otherwise a function that finds the
	 * places that another normal form changes.  What this form does to a
	 * character must not depend on the character after it. */
	ctx_normal_find_fn *find;
	/* True if the normal form of the next text gets a blank as prefix. */
	bool prefix;
	const struct ctx_nfc_tables *tables; /* NULL: Unicode 9.0 */
	/* the normal form of the part of a text that ctx_nfc_find has found */
	struct ctx_buf out;
	/* true if starter is set */
	bool begun;
	uint32_t starter;         /* the last character of combining class 0 */
	uint32_t *marks, *sorted; /* combining marks after starter */
	size_t n, cap, sorted_cap;
};

void ctx_nfc_release(struct ctx_nfc *nfc);

/* Finds the next stretch of a text that is not in NFC, or calls nfc->find; see
 * ctx_normal_find_fn.  Bytes that are not UTF-8 are kept. */
ctx_normal_find_fn ctx_nfc_find;

/* Returns the last offset at which the text can be cut.  No text after the n
 * bytes can change the normal form (by Unicode 9.0) before this offset.
 * Returns 0 if there is none.  n must be the end of a character. */
size_t ctx_nfc_settled(const char *p, size_t n);

/* Normalizes *text.  If the normal form differs from *text, sets *changed to
 * true, and *text to the normal form, which is in the buffer "out". */
int ctx_nfc_text(struct ctx_nfc *nfc, struct ctx_str *text, struct ctx_buf *out,
    bool *changed, struct ctx_err *err);

/* Converts offsets of the normal form of a text into offsets of the original
 * text.  Offsets must be given in rising order. */
struct ctx_nfc_map {
	struct ctx_nfc *nfc;
	struct ctx_str text;
	/* offsets in the original text of the next stretch that normalization
	 * changes */
	size_t at, end;
	/* offsets of the same stretch in the normal form */
	size_t normal_at, normal_end;
};

int ctx_nfc_map_init(struct ctx_nfc_map *map, struct ctx_nfc *nfc,
    struct ctx_str text, struct ctx_err *err);
/* Converts an offset in the normal form to the offset *at in the original text,
 * and returns 1.  If it is inside a stretch that normalization changed, no
 * offset corresponds: returns 0 and sets *at to the end of the stretch.
 * Returns -1 on error. */
int ctx_nfc_map_place(struct ctx_nfc_map *map, size_t normal, size_t *at,
    struct ctx_err *err);

#endif
