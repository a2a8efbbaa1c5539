/* nfc.h - Normalization Form C, for vocabularies that were made for it */
#ifndef CTX_TOKENIZER_ENCODE_NFC_H
#define CTX_TOKENIZER_ENCODE_NFC_H

#include "base/base.h"

/*
 * Of Unicode 9.0, the version that the tokenizers library (0.23) normalises
 * by: marks that came later are ordinary characters to it.
 */

/*
 * What the tables (made by lib/gen/make_nfc.c, in blocks of 128 code points)
 * say about a character is a number.  Before those below SAFE the text can be
 * cut: nothing behind the cut acts on what is before it.
 */
enum {
	CTX_NFC_INERT,    /* class 0, never composed with what follows */
	CTX_NFC_FIRST,    /* class 0, composed with some that may follow */
	CTX_NFC_COMPOSED, /* itself composed of others */
	CTX_NFC_SAFE
};

enum {
	CTX_NFC_NO = 1,    /* NFC_Quick_Check is No: comes apart, for good */
	CTX_NFC_MAYBE = 2, /* is composed with some that may stand before */
};

struct ctx_nfc_kind {
	uint8_t class; /* Canonical_Combining_Class */
	uint8_t flags;
};

#define CTX_NFC_PARTS 4

/* What a character comes apart into, 0 behind the last. */
struct ctx_nfc_apart {
	uint32_t from, to[CTX_NFC_PARTS];
};

struct ctx_nfc_pair {
	uint32_t first, second, whole;
};

extern const uint8_t ctx_nfc_block[0x110000 / 128];
extern const uint8_t ctx_nfc_value[];
extern const struct ctx_nfc_kind ctx_nfc_kinds[]; /* from SAFE on */
extern const size_t ctx_nfc_n_apart;
extern const struct ctx_nfc_apart ctx_nfc_apart[]; /* sorted */
/*
 * Ranks, for characters below U+10000 in blocks of 64: the class of a mark
 * that is in NFC behind those of its class and of lower ones, or what else
 * is known of a character.  They are enough for most text.
 */
enum {
	CTX_NFC_RANK_MAYBE = 252, /* MAYBE and no mark */
	CTX_NFC_RANK_NONE = 253,  /* its kind says more */
	CTX_NFC_RANK_SAFE = 254,  /* below SAFE */
	CTX_NFC_RANK_INERT = 255, /* INERT */
};
extern const uint8_t ctx_nfc_rank_block[0x10000 / 64];
extern const uint8_t ctx_nfc_rank_value[][64];

/* A pair stands at its place or behind, before the next empty one. */
#define CTX_NFC_PAIRS 4096
extern const struct ctx_nfc_pair ctx_nfc_pairs[CTX_NFC_PAIRS];

static inline uint32_t
ctx_nfc_place(uint32_t first, uint32_t second)
{
	return (first * 0x9e3779b1u ^ second * 0x85ebca6bu) >> 20;
}

/* No normal form is so many times as long or as short as its text: U+1D160
 * becomes three characters of its size, and U+1FBE (3 bytes), U+0308 and U+0301
 * (2 each) are U+0390 (2). */
#define CTX_NFC_FACTOR 4

/* Syllables of Hangul, and the jamo they are composed of. */
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

/* Working memory: four times the longest stretch that was looked at, and eight
 * bytes for each mark in the longest row of them.  Zero is valid. */
struct ctx_nfc {
	struct ctx_buf out; /* see ctx_nfc_find */
	bool begun;
	uint32_t starter;         /* the last character of class 0, if begun */
	uint32_t *marks, *sorted; /* those behind it */
	size_t n, cap, sorted_cap;
};

void ctx_nfc_release(struct ctx_nfc *nfc);

/*
 * Finds the next stretch of a text, from byte *at on, that is not in NFC; its
 * normal form is nfc->out.  Stretches begin and end where text can be cut,
 * and *at is such a place.  1: it is [*at, *end); 0: there is none; -1.
 * Bytes that are not UTF-8 stay as they are.
 */
int ctx_nfc_find(struct ctx_nfc *nfc, const char *p, size_t n, size_t *at,
    size_t *end, struct ctx_err *err);

/* Where the last character begins before which the text can be cut, 0 if
 * there is none: no text behind n, which is the end of a character, changes
 * what is before. */
size_t ctx_nfc_settled(const char *p, size_t n);

/* Makes *text its normal form, which is in out if it is another; with
 * *changed set then. */
int ctx_nfc_text(struct ctx_nfc *nfc, struct ctx_str *text, struct ctx_buf *out,
    bool *changed, struct ctx_err *err);

/*
 * Places of a normal form in the text it was made from, asked for in rising
 * order.  Both texts are as long behind the last stretch that differs.
 */
struct ctx_nfc_map {
	struct ctx_nfc *nfc;
	struct ctx_str text;
	size_t at, end; /* the next stretch that differs */
	size_t normal_at, normal_end;
};

int ctx_nfc_map_init(struct ctx_nfc_map *map, struct ctx_nfc *nfc,
    struct ctx_str text, struct ctx_err *err);
/* Sets *at to the place of byte normal of the normal form; 1, 0 if it is
 * within a stretch that differs, then *at is where that ends, or -1. */
int ctx_nfc_map_place(struct ctx_nfc_map *map, size_t normal, size_t *at,
    struct ctx_err *err);

#endif
