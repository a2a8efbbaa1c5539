/* nfc.h - Unicode Normalization Form C (NFC), for vocabularies that require
 * normalized text */
#ifndef CTX_TOKENIZER_ENCODE_NFC_H
#define CTX_TOKENIZER_ENCODE_NFC_H

#include "base/base.h"

/* There are tables for two versions of Unicode: 9.0, which the tokenizers
 * library (0.23) uses, and 15.0, which Claude's encodings use.  Combining marks
 * of later versions are treated as ordinary characters. */

/* Kinds of characters, which say how NFC changes them.  lib/gen/make_nfc.c
 * makes the tables of kinds, in blocks of 128 code points.  Before a character
 * whose kind is below CTX_NFC_SAFE, a text can be cut and its two parts be
 * normalized independently.  A kind of at least CTX_NFC_SAFE is an index into
 * the table "kinds".  "Class" means the Unicode property
 * Canonical_Combining_Class; the class of characters that are not combining
 * marks is 0. */
enum {
	CTX_NFC_INERT, /* class 0; never composed with a later character */
	/* class 0; composed with some later characters */
	CTX_NFC_FIRST,
	/* a composed character that NFC leaves unchanged */
	CTX_NFC_COMPOSED,
	CTX_NFC_SAFE
};

enum {
	/* Unicode property NFC_Quick_Check = No: NFC replaces the character by
	 * its parts */
	CTX_NFC_NO = 1,
	CTX_NFC_MAYBE = 2, /* composed with some earlier characters */
};

struct ctx_nfc_kind {
	uint8_t class; /* the property Canonical_Combining_Class */
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

/* The rank of a character says for most texts whether they are in NFC.  Ranks
 * exist only for characters below U+10000, so their table is small.  The rank
 * of many combining marks is their class: a text with such a mark is in NFC if
 * the mark before it has the same or a lower class.  Other characters have one
 * of the ranks below. */
enum {
	CTX_NFC_RANK_MAYBE = 252, /* class 0 with the flag CTX_NFC_MAYBE */
	/* The rank does not decide whether a text is in NFC; the kind of the
	 * character (struct ctx_nfc_kind) decides. */
	CTX_NFC_RANK_NONE = 253,
	/* The kind is CTX_NFC_FIRST or CTX_NFC_COMPOSED. */
	CTX_NFC_RANK_SAFE = 254,
	CTX_NFC_RANK_INERT = 255, /* the kind is CTX_NFC_INERT */
};

/* Number of entries of the hash table of pairs that are composed to one
 * character.  The search for a pair begins at the index ctx_nfc_place and ends
 * at the pair or at an empty entry. */
#define CTX_NFC_PAIRS 4096

/* The tables of one version of Unicode. */
struct ctx_nfc_tables {
	/* Kinds of all characters.  For each block of 128 characters, the table
	 * "block" contains the number of the block in the table "value". */
	const uint8_t *block, *value;
	/* the kinds of characters with the numbers from CTX_NFC_SAFE on */
	const struct ctx_nfc_kind *kinds;
	/* decompositions of characters, sorted by the member "from" */
	const struct ctx_nfc_apart *apart;
	size_t n_apart;
	/* ranks of the characters below U+10000, in blocks of 64 */
	const uint8_t *rank_block;
	const uint8_t (*rank_value)[64];
	/* hash table with CTX_NFC_PAIRS entries */
	const struct ctx_nfc_pair *pairs;
};
extern const struct ctx_nfc_tables ctx_nfc_9, ctx_nfc_15;

/* Returns the kind of a character (CTX_NFC_...). */
static inline unsigned
ctx_nfc_kind_of(const struct ctx_nfc_tables *tables, uint32_t cp)
{
	return tables->value[tables->block[cp / 128] * 128u + cp % 128];
}

static inline uint32_t
ctx_nfc_place(uint32_t first, uint32_t second)
{
	return (first * 0x9e3779b1u ^ second * 0x85ebca6bu) >> 20;
}

/* In bytes, a normal form is always shorter than this number times the text,
 * and the text is shorter than this number times the normal form.  For example,
 * U+1D160 (4 bytes) becomes three characters of 4 bytes; U+1FBE (3 bytes),
 * U+0308 and U+0301 (2 bytes each) become U+0390 (2 bytes). */
#define CTX_NFC_FACTOR 4

/* First code points of the Hangul syllables (S) and of the jamo of which they
 * are composed (L, V, T), and the numbers of these characters. */
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
 * Finds the next part of a text, from byte *at on, that differs from its normal
 * form.  Sets *at and *end to the beginning and the end of this part, and
 * writes the normal form of the part to nfc->out.  The caller must set *at to
 * an offset at which the text can be cut without changing its normal form; *at
 * and *end are then again such offsets.  Returns 1, or 0 if the text from *at
 * on is in normal form, or -1 with *err.
 */
typedef int ctx_normal_find_fn(struct ctx_nfc *nfc, const char *p, size_t n,
    size_t *at, size_t *end, struct ctx_err *err);

/* Working memory for normalizing texts.  The size of this memory is four times
 * the longest part of a text that normalization has changed, plus eight bytes
 * for each mark of the longest run of combining marks.  A struct of zeros is
 * valid. */
struct ctx_nfc {
	/* NULL if texts are normalized to NFC.  For another normal form: the
	 * function that finds the places of a text that this normal form
	 * changes.  The change of a character must not depend on the character
	 * after it. */
	ctx_normal_find_fn *find;
	/* True if a blank is put before the normal form of the next text. */
	bool prefix;
	const struct ctx_nfc_tables *tables; /* NULL means Unicode 9.0 */
	/* the normal form of the part of the text that ctx_nfc_find has
	 * found */
	struct ctx_buf out;
	/* true if "starter" contains a character */
	bool begun;
	/* the last character of class 0 (not a combining mark) that was read */
	uint32_t starter;
	/* the combining marks after the character "starter" */
	uint32_t *marks, *sorted;
	size_t n, cap, sorted_cap;
};

void ctx_nfc_release(struct ctx_nfc *nfc);

/* Finds the next part of a text that is not in NFC or, if nfc->find is not
 * NULL, calls nfc->find; see ctx_normal_find_fn.  Bytes that are not UTF-8 are
 * kept. */
ctx_normal_find_fn ctx_nfc_find;

/* Returns the last offset of the n bytes at p such that the normal form (by
 * Unicode 9.0) of the text before the offset is certain, whatever bytes come
 * after the n bytes.  Returns 0 if there is none.  The caller must pass an n
 * that is the end of a character. */
size_t ctx_nfc_settled(const char *p, size_t n);

/* Normalizes *text.  If the normal form differs from *text, sets *changed to
 * true, and *text to the normal form, which is stored in the buffer "out". */
int ctx_nfc_text(struct ctx_nfc *nfc, struct ctx_str *text, struct ctx_buf *out,
    bool *changed, struct ctx_err *err);

/* Converts offsets in the normal form of a text to offsets in the original
 * text.  The offsets must be given in ascending order. */
struct ctx_nfc_map {
	struct ctx_nfc *nfc;
	struct ctx_str text;
	/* beginning and end (offsets in the original text) of the next part of
	 * the text that normalization changes */
	size_t at, end;
	/* beginning and end of the same part in the normal form */
	size_t normal_at, normal_end;
};

int ctx_nfc_map_init(struct ctx_nfc_map *map, struct ctx_nfc *nfc,
    struct ctx_str text, struct ctx_err *err);
/* Converts an offset in the normal form to an offset in the original text: sets
 * *at and returns 1.  If the offset is inside a part that normalization has
 * changed, the original text has no such offset: sets *at to the end of this
 * part in the original text and returns 0.  Returns -1 on error. */
int ctx_nfc_map_place(struct ctx_nfc_map *map, size_t normal, size_t *at,
    struct ctx_err *err);

#endif
