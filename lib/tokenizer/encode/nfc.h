/* nfc.h - Normalization Form C (NFC), for vocabularies that require it */
#ifndef CTX_TOKENIZER_ENCODE_NFC_H
#define CTX_TOKENIZER_ENCODE_NFC_H

#include "base/base.h"

/* NFC by Unicode 9.0, the version of the tokenizers library (0.23).  Marks that
 * are newer are ordinary characters to it. */

/*
 * The kind of a character, from tables that lib/gen/make_nfc.c generates in
 * blocks of 128 code points.  Text can be cut before a character of a kind
 * below CTX_NFC_SAFE: neither side changes the normal form of the other.  Kinds
 * from CTX_NFC_SAFE on index ctx_nfc_kinds.  "Class" is
 * Canonical_Combining_Class.
 */
enum {
	CTX_NFC_INERT,    /* class 0, never composes with a later character */
	CTX_NFC_FIRST,    /* class 0, composes with some later characters */
	CTX_NFC_COMPOSED, /* has a decomposition, stays composed in NFC */
	CTX_NFC_SAFE
};

enum {
	CTX_NFC_NO = 1,    /* NFC_Quick_Check=No: always decomposed */
	CTX_NFC_MAYBE = 2, /* composes with some earlier characters */
};

struct ctx_nfc_kind {
	uint8_t class; /* Canonical_Combining_Class */
	uint8_t flags;
};

#define CTX_NFC_PARTS 4

/* The full decomposition of a character; 0 after the last. */
struct ctx_nfc_apart {
	uint32_t from, to[CTX_NFC_PARTS];
};

struct ctx_nfc_pair {
	uint32_t first, second, whole;
};

extern const uint8_t ctx_nfc_block[0x110000 / 128];
extern const uint8_t ctx_nfc_value[];
extern const struct ctx_nfc_kind ctx_nfc_kinds[]; /* by kind, from SAFE on */
extern const size_t ctx_nfc_n_apart;
extern const struct ctx_nfc_apart ctx_nfc_apart[]; /* sorted by from */
/*
 * Ranks, a shorter table that suffices for most text: characters below U+10000
 * in blocks of 64.  The rank of a mark is its class, if the mark is in NFC
 * after marks of its class and lower ones.  Other characters have one of these
 * ranks.
 */
enum {
	CTX_NFC_RANK_MAYBE = 252, /* CTX_NFC_MAYBE, of class 0 */
	CTX_NFC_RANK_NONE = 253,  /* see its kind */
	CTX_NFC_RANK_SAFE = 254,  /* of a kind below SAFE, not INERT */
	CTX_NFC_RANK_INERT = 255, /* of kind INERT */
};
extern const uint8_t ctx_nfc_rank_block[0x10000 / 64];
extern const uint8_t ctx_nfc_rank_value[][64];

/* Hash table of compositions: a pair is at ctx_nfc_place or in the entries
 * after it, up to the first empty one. */
#define CTX_NFC_PAIRS 4096
extern const struct ctx_nfc_pair ctx_nfc_pairs[CTX_NFC_PAIRS];

static inline uint32_t
ctx_nfc_place(uint32_t first, uint32_t second)
{
	return (first * 0x9e3779b1u ^ second * 0x85ebca6bu) >> 20;
}

/* No normal form is this many times as long as its text, or as short.  U+1D160
 * (4 bytes) becomes three characters of 4 bytes.  U+1FBE (3 bytes), U+0308 and
 * U+0301 (2 bytes each) become U+0390 (2 bytes). */
#define CTX_NFC_FACTOR 4

/* Hangul syllables (S) and the jamo that compose them (L, V, T). */
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

/* Working memory.  It takes four times the longest stretch that was normalized,
 * and eight bytes per mark of the longest run of marks.  Zero is valid. */
struct ctx_nfc {
	struct ctx_buf out; /* result of ctx_nfc_find */
	/* true if starter is set */
	bool begun;
	uint32_t starter;         /* last character of class 0 */
	uint32_t *marks, *sorted; /* marks after starter */
	size_t n, cap, sorted_cap;
};

void ctx_nfc_release(struct ctx_nfc *nfc);

/*
 * Finds the next stretch [*at, *end) from byte *at on that is not in NFC, and
 * writes its normal form to nfc->out.  Text can be cut at both ends of a
 * stretch; the given *at must be such a place too.  Returns 1, 0 if all the
 * rest is in NFC, or -1.  Bytes that are not UTF-8 are not changed.
 */
int ctx_nfc_find(struct ctx_nfc *nfc, const char *p, size_t n, size_t *at,
    size_t *end, struct ctx_err *err);

/* Returns the start of the last character before which the text can be cut; 0
 * if there is none.  No text after n changes the normal form before it.  n must
 * be the end of a character. */
size_t ctx_nfc_settled(const char *p, size_t n);

/* Normalizes *text.  If the normal form differs, sets *changed and *text, which
 * then is in out. */
int ctx_nfc_text(struct ctx_nfc *nfc, struct ctx_str *text, struct ctx_buf *out,
    bool *changed, struct ctx_err *err);

/* Maps offsets of a normal form to offsets of the text it was made from.
 * Offsets must be asked for in rising order. */
struct ctx_nfc_map {
	struct ctx_nfc *nfc;
	struct ctx_str text;
	size_t at, end; /* next stretch that differs, in the text */
	/* the same stretch, in the normal form */
	size_t normal_at, normal_end;
};

int ctx_nfc_map_init(struct ctx_nfc_map *map, struct ctx_nfc *nfc,
    struct ctx_str text, struct ctx_err *err);
/* Sets *at to the offset in the text of byte normal of the normal form.
 * Returns 1, 0 if the byte is within a stretch that differs (*at is the end of
 * the stretch), or -1. */
int ctx_nfc_map_place(struct ctx_nfc_map *map, size_t normal, size_t *at,
    struct ctx_err *err);

#endif
