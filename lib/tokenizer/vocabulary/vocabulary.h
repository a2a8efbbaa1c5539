/*
 * vocabulary.h - packed vocabularies and lookups of tokens in them
 *
 * A packed vocabulary is one block of memory that contains offsets but no
 * pointers.  So the same bytes can be linked into read-only data or read from a
 * cache file.  Opening it fills struct ctx_vocab.  It is made by build.c.
 *
 * Tokens are numbered in merge order: of two pairs of tokens that can be
 * merged, the pair whose result has the lower number is merged first.  The ids
 * of tokens in the encoding may differ from these numbers (tables IDS, TOKENS).
 */
#ifndef CTX_TOKENIZER_VOCABULARY_VOCABULARY_H
#define CTX_TOKENIZER_VOCABULARY_VOCABULARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/base.h"
#include "tokenizer/pretokenizer.h"

#define CTX_VOCAB_NONE    UINT32_MAX
#define CTX_VOCAB_MAGIC   "ctxvocab"
#define CTX_VOCAB_VERSION 6
/* shows the byte order in which a packed vocabulary was written */
#define CTX_VOCAB_ORDER 0x01020304u
/* maximum number of tokens; pairs store 21 bits of each */
#define CTX_VOCAB_MAX    (1u << 21)
#define CTX_VOCAB_KEY    16 /* maximum bytes of a key */
#define CTX_DISORDER_MAX 8

enum ctx_vocab_section {
	/* key table: hash table of tokens of at most 16 bytes, in lines of 64
	 * bytes with four keys; then overflow lines */
	CTX_VOCAB_LINES,
	CTX_VOCAB_SLOTS, /* uint32_t: the token of each entry of LINES */
	/* uint16_t: the lengths that tokens with the same first bytes have */
	CTX_VOCAB_LENGTHS,
	CTX_VOCAB_LEAVES,  /* uint32_t[256]: the token of each single byte */
	CTX_VOCAB_DIGRAMS, /* uint32_t[65536]: the token of each two bytes */
	/* uint32_t: hash table of pairs of tokens that can merge, in lines of
	 * eight pairs */
	CTX_VOCAB_PAIRS,
	/* uint32_t[2]: the two parts of each token; twice itself if it is not
	 * merged */
	CTX_VOCAB_PARENTS,
	/* uint32_t: for each token, the longest token that is a proper prefix
	 * of it */
	CTX_VOCAB_SHORTER,
	/* struct ctx_vocab_group: tokens of more than 16 bytes, by their first
	 * 16 */
	CTX_VOCAB_GROUPS,
	/* uint32_t: the tokens of each entry of GROUPS, sorted from the
	 * longest to the shortest */
	CTX_VOCAB_LONG,
	/* bits for characters that are adjacent in a token: see
	 * ctx_vocab_crossing */
	CTX_VOCAB_CROSSING,
	CTX_VOCAB_OFFSETS, /* uint32_t: offset of each token in TEXT */
	CTX_VOCAB_TEXT,    /* the bytes of all tokens */
	/* uint32_t: the id of each token; empty if ids equal token numbers */
	CTX_VOCAB_IDS,
	/* uint32_t: the token of each id; empty if ids equal token numbers */
	CTX_VOCAB_TOKENS,
	/* struct ctx_vocab_special for each special token, then their names */
	CTX_VOCAB_SPECIALS,
	/* patterns of a vocabulary file that split text; see
	 * pretokenize_pcre2.h */
	CTX_VOCAB_PATTERNS,
	CTX_VOCAB_SECTIONS
};

enum {
	/* Some token is unreachable: merging its bytes gives other tokens.  It
	 * is still in the key table or GROUPS, for a pretoken of exactly its
	 * bytes. */
	CTX_VOCAB_UNREACHED = 1,
	/* A text is normalized (NFC) before it is split into pretokens. */
	CTX_VOCAB_NFC = 2,
	/* Some token has a lower number than one of the two tokens that merge
	 * to it. */
	CTX_VOCAB_DISORDER = 4,
	/* Every run of ASCII digits that can be a pretoken is a token. */
	CTX_VOCAB_NUMBERS = 8,
	/* Only with CTX_PRETOKENIZER_CHARS: a blank is put before a text, and
	 * before each part of it that follows an added token. */
	CTX_VOCAB_PREFIX = 16,
	/* The blank is put only before a text, not after added tokens. */
	CTX_VOCAB_PREFIX_ONCE = 32,
	/* The blank is only put before text that does not begin with one. */
	CTX_VOCAB_PREFIX_WORD = 64,
};

struct ctx_vocab_head {
	char magic[8];
	uint32_t order, version;
	uint64_t size; /* size of the packed vocabulary in bytes */
	/* SHA-256 of the vocabulary file; see struct ctx_vocab_builder */
	uint8_t source[32];
	struct ctx_pretokenizer pretokenizer;
	uint32_t flags;
	/* number of tokens, including token numbers that are not used */
	uint32_t n;
	/* one more than the highest token id of the encoding */
	uint32_t ids;
	uint32_t line_bits; /* log2 of the number of lines of the key table */
	/* log2 of the number of overflow lines of the key table */
	uint32_t spill_bits;
	uint32_t pair_bits; /* log2 of the number of lines of PAIRS */
	/* log2 of the number of entries of GROUPS */
	uint32_t group_bits;
	/* number of special tokens */
	uint32_t specials;
	uint32_t longest; /* bytes of the longest token */
	/* The first two bytes of all tokens that CTX_VOCAB_DISORDER is about,
	 * and the number of these pairs.  If they are too many, the number is
	 * CTX_DISORDER_MAX + 1. */
	uint32_t n_disorder;
	uint8_t disorder[CTX_DISORDER_MAX][2];
	/* For each table (enum ctx_vocab_section), its offset from the start of
	 * the packed vocabulary and its size, both in bytes. */
	uint64_t at[CTX_VOCAB_SECTIONS];
	uint64_t bytes[CTX_VOCAB_SECTIONS];
};

/* The tokens of more than 16 bytes that have the same first 16 bytes. */
struct ctx_vocab_group {
	uint64_t key[2];
	/* first token and number of tokens in the table LONG; n is 0 for an
	 * empty entry */
	uint32_t first, n;
};

struct ctx_vocab_special {
	uint32_t id;
	/* the token's name: offset in the table SPECIALS, and length in
	 * bytes */
	uint32_t at, n;
	uint32_t added; /* 1 if the name is also recognized in ordinary text */
	/* 1 if the name is searched in the normal form (NFC) of the text */
	uint32_t normal;
};

struct ctx_vocab {
	const struct ctx_vocab_head *head;
	const uint64_t *lines, *spill;
	const uint32_t *slots;
	const uint16_t *lengths[3];
	const uint32_t *leaves;
	const uint32_t *digrams;
	const uint32_t *pairs;
	const uint32_t *parents;
	const uint32_t *shorter;
	const struct ctx_vocab_group *groups;
	const uint32_t *longs;
	const uint64_t *crossing;
	const uint32_t *offsets;
	const char *text;
	const uint32_t *ids;
	const uint32_t *tokens;
	const struct ctx_vocab_special *specials;
	/* patterns that split text before the built-in pretokenizer does */
	const char *patterns;
	unsigned line_shift, spill_shift, pair_shift, group_shift;
	uint32_t pair_mask;
	bool unreached;
	bool chars; /* true if tokens are merged from characters */
};

/* Fills vocab with pointers into a packed vocabulary, which must be valid: made
 * by build.c, or checked by ctx_vocab_validate. */
void ctx_vocab_view(struct ctx_vocab *vocab, const void *block);
/* Checks every offset and number in a packed vocabulary of n bytes that may
 * come from an attacker, then fills vocab.  The memory must be aligned like
 * that from malloc.  CTX_EFILE: it is not a valid packed vocabulary.  Defined
 * in validate.c. */
int ctx_vocab_validate(struct ctx_vocab *vocab, const void *block, size_t n,
    struct ctx_err *err);

/* The key of a pretoken or token of at most 16 bytes in a hash table: its
 * bytes, padded with 0xff.  Valid UTF-8 never has that byte, so the padding
 * also shows the length.  Callers must not make keys of bytes that contain
 * 0xff. */
struct ctx_key {
	uint64_t lo, hi;
};

/* The key of an empty entry in the key table.  No other key equals it.  The
 * key of no bytes at all, which is only padding (0xff), also differs from it;
 * pretoken_batch.h uses that key for pretokens that are too long. */
#define CTX_KEY_EMPTY ((struct ctx_key){UINT64_MAX, 0})

/* Returns key i of a line of the key table.  A line stores the low words of its
 * four keys, then their high words. */
static inline struct ctx_key
ctx_line_key(const uint64_t *line, unsigned i)
{
	return (struct ctx_key){line[i], line[4 + i]};
}

/* 16 bytes of zero, then 16 of 0xff, from which the padding of a key is
 * taken. */
extern const unsigned char ctx_key_fill[2 * CTX_VOCAB_KEY];

/* Returns the key of n bytes, at most 16.  All 16 bytes at p must be
 * readable. */
static inline struct ctx_key
ctx_key_read(const char *p, size_t n)
{
	struct ctx_key key, fill;

	memcpy(&key, p, sizeof key);
	memcpy(&fill, ctx_key_fill + CTX_VOCAB_KEY - n, sizeof fill);
	key.lo |= fill.lo;
	key.hi |= fill.hi;
	return key;
}

/* Returns the key of n bytes, at most 16.  Only these n bytes at p are read. */
static inline struct ctx_key
ctx_key_copy(const char *p, size_t n)
{
	struct ctx_key key = {UINT64_MAX, UINT64_MAX};

	memcpy(&key, p, n);
	return key;
}

/* Returns the hash of a key, in which only the high bits are well mixed.  The
 * rotation is not a multiple of eight, so that equal characters in both words
 * of the key do not cancel out. */
#define CTX_KEY_TURN   37
#define CTX_KEY_SPREAD 0xd6e8feb86659fd93u

static inline uint64_t
ctx_key_hash(struct ctx_key key)
{
	uint64_t turned =
	    key.hi << CTX_KEY_TURN | key.hi >> (64 - CTX_KEY_TURN);

	return (key.lo ^ turned) * CTX_KEY_SPREAD;
}

/* Returns a second hash of a key, which chooses its overflow line in the key
 * table. */
static inline uint64_t
ctx_key_rehash(uint64_t hash)
{
	return (hash ^ hash >> 29) * 0xbf58476d1ce4e5b9u;
}

static inline size_t
ctx_vocab_length(const struct ctx_vocab *v, uint32_t token)
{
	return v->offsets[token + 1] - v->offsets[token];
}

/* Prefetches the line of the key table where a key is searched first. */
static inline void
ctx_vocab_ask_key(const struct ctx_vocab *v, struct ctx_key key)
{
	__builtin_prefetch(v->lines + 8 * (ctx_key_hash(key) >> v->line_shift));
}

/* Returns true if the key is in the line of the key table where it is searched
 * first.  If not, prefetches its overflow line. */
static inline bool
ctx_vocab_in_line(const struct ctx_vocab *v, struct ctx_key key)
{
	uint64_t hash = ctx_key_hash(key);
	const uint64_t *line = v->lines + 8 * (hash >> v->line_shift);
	unsigned found = 0, i;

	for (i = 0; i < 4; i++)
		found |= (unsigned)(line[i] == key.lo) &
		    (unsigned)(line[4 + i] == key.hi);
	if (found == 0)
		__builtin_prefetch(
		    v->spill + 8 * (ctx_key_rehash(hash) >> v->spill_shift));
	return found != 0;
}

/* Returns the token with this key; CTX_VOCAB_NONE if there is none. */
uint32_t ctx_vocab_find_key(const struct ctx_vocab *vocab, struct ctx_key key);
/* Returns the token with exactly these bytes; CTX_VOCAB_NONE if there is
 * none. */
uint32_t ctx_vocab_find(const struct ctx_vocab *vocab, const char *p, size_t n);
/* Returns the token from which merging of the text p, n starts, and sets
 * *length to its bytes; n is at least 1.  It is the token of the first byte.
 * If v->chars is true, it is the token of the first character, if there is
 * one. */
uint32_t ctx_vocab_first(const struct ctx_vocab *vocab, const char *p, size_t n,
    size_t *length);
/* Returns the longest reachable token that the text p, n begins with; n is at
 * least 1.  A token is reachable if merging its bytes gives it. */
uint32_t ctx_vocab_longest(const struct ctx_vocab *vocab, const char *p,
    size_t n);

/*
 * The hash table of pairs of tokens that can be merged.  A pair is a number of
 * 42 bits: two token numbers of 21 bits.  An invertible multiplication spreads
 * it over all numbers of 42 bits.  The upper bits of the product choose a line
 * of the table, its home line; the lower bits are a tag.  If the home line is
 * full, the pair is stored in one of the next 15 lines.  The distance from home
 * is stored above the tag.  So line, tag and distance identify a pair, and the
 * pair itself is not stored.
 */
#define CTX_PAIR_BITS   42
#define CTX_PAIR_SPREAD 0x9e3779b97f4a7c15u
#define CTX_PAIR_GATHER 0xf1de83e19937733du /* inverse of CTX_PAIR_SPREAD */
/* minimum log2 of the number of lines */
#define CTX_PAIR_LEAST 14
/* The position of the lowest bit of the distance in an entry.  The distance is
 * the number of lines from the home line of a pair to the line where it is
 * stored. */
#define CTX_PAIR_AWAY     28
#define CTX_PAIR_AWAY_MAX 15
/* A line of the table of pairs: the tags of eight pairs, then the tokens that
 * the pairs merge to, with all bits inverted.  A token of zero marks an empty
 * entry. */
#define CTX_PAIR_LINE 16
/* A token number that is never given to a token.  It stands at both ends of a
 * pretoken, where there is no token, and merges with no token. */
#define CTX_PAIR_NOBODY (CTX_VOCAB_MAX - 1)

_Static_assert(CTX_PAIR_BITS - CTX_PAIR_LEAST <= CTX_PAIR_AWAY,
    "a tag and a distance fit one number");

static inline uint64_t
ctx_pair_hash(uint32_t a, uint32_t b)
{
	return (((uint64_t)a << 21 | b) * CTX_PAIR_SPREAD) &
	    ((UINT64_C(1) << CTX_PAIR_BITS) - 1);
}

/* Returns the tag of a pair in the hash table of pairs.  shift is CTX_PAIR_BITS
 * minus the log2 of the number of lines (pair_shift). */
static inline uint32_t
ctx_pair_tag(uint64_t hash, unsigned shift)
{
	return (uint32_t)(hash & ((UINT64_C(1) << shift) - 1));
}

/* Returns the token that the pair with this hash merges to; CTX_VOCAB_NONE if
 * it cannot merge.  Looks in the pair's home line of the hash table, then in
 * the lines after it. */
static inline uint32_t
ctx_vocab_pair_far(const struct ctx_vocab *v, uint64_t hash)
{
	uint32_t line = (uint32_t)(hash >> v->pair_shift), found = 0;
	uint32_t tag = ctx_pair_tag(hash, v->pair_shift);
	const uint32_t *entry;
	unsigned away, i;

	/* The processor cannot predict which entry of a line has the pair, so
	 * all eight are compared without a branch.  Only after a full line the
	 * next one is searched. */
	for (away = 0; away <= CTX_PAIR_AWAY_MAX; away++) {
		entry = v->pairs + CTX_PAIR_LINE * (size_t)line;
		for (i = 0; i < 8; i++)
			found |= entry[i] == tag ? entry[8 + i] : 0;
		if (found != 0 || entry[15] == 0)
			break;
		line = (line + 1) & v->pair_mask;
		tag += 1u << CTX_PAIR_AWAY;
	}
	return ~found;
}

/* Returns the token that two adjacent tokens merge to; CTX_VOCAB_NONE if they
 * cannot merge. */
static inline uint32_t
ctx_vocab_pair(const struct ctx_vocab *v, uint32_t a, uint32_t b)
{
	return ctx_vocab_pair_far(v, ctx_pair_hash(a, b));
}

/* Returns an index into LENGTHS, a table that says which lengths tokens with
 * certain first bytes have.  The index is a hash of the first two, four or
 * eight bytes of p, for part 0, 1 or 2 of the table. */
static inline uint32_t
ctx_lengths_index(const char *p, int table)
{
	uint64_t first = 0;
	uint16_t two;

	switch (table) {
	case 0:
		memcpy(&two, p, 2);
		return two;
	case 1:
		memcpy(&first, p, 4);
		break;
	default:
		memcpy(&first, p, 8);
	}
	return (uint32_t)(first * 0x9e3779b97f4a7c15u >> 48);
}

/* The table LENGTHS has three parts, each for certain lengths of tokens.  Each
 * constant is the mask of the lengths in one part: bits 1 to 15 mean 2 to 16
 * bytes, and bit 0 means more than 16 bytes. */
#define CTX_LENGTHS_2 0x0006u
#define CTX_LENGTHS_4 0x0078u
#define CTX_LENGTHS_8 0xff81u

/* Returns the lengths that a token may have if it begins with the same bytes
 * as p.  Bits 1 to 15 mean 2 to 16 bytes, and bit 0 means more than 16 bytes.
 * 16 bytes must be readable at p. */
static inline uint32_t
ctx_vocab_lengths(const struct ctx_vocab *v, const char *p)
{
	return (v->lengths[0][ctx_lengths_index(p, 0)] & CTX_LENGTHS_2) |
	    (v->lengths[1][ctx_lengths_index(p, 1)] & CTX_LENGTHS_4) |
	    (v->lengths[2][ctx_lengths_index(p, 2)] & CTX_LENGTHS_8);
}

/* log2 of the number of bits in the table CROSSING that are for pairs of
 * characters */
#define CTX_CROSSING_BITS 19

/* Returns the index of the bit in the table CROSSING for two adjacent
 * characters. */
static inline uint64_t
ctx_crossing_bit(uint64_t a, uint64_t b)
{
	return (a * 0x9e3779b97f4a7c15u ^ b * 0xd6e8feb86659fd93u) >>
	    (64 - CTX_CROSSING_BITS);
}

/* Returns the index of the bit in the table CROSSING for two adjacent bytes.
 * These bits are for tokens that contain only the end of the first character,
 * or only the start of the second.  If v->chars is true, no token does, and
 * the bits are for two ASCII characters. */
static inline uint64_t
ctx_crossing_bytes(unsigned char last, unsigned char first)
{
	return (UINT64_C(1) << CTX_CROSSING_BITS) + last * 256u + first;
}

/* Returns false if no token contains the last byte of the character a and the
 * first byte of the character b after it.  If it returns true, there may still
 * be no such token, because characters share bits.  last and first are these
 * two bytes. */
static inline bool
ctx_vocab_crossing(const struct ctx_vocab *v, uint32_t a, uint32_t b,
    unsigned char last, unsigned char first)
{
	uint64_t chars = ctx_crossing_bit(a, b);
	uint64_t bytes = ctx_crossing_bytes(last, first);

	return ((v->crossing[chars / 64] >> chars % 64 |
		    v->crossing[bytes / 64] >> bytes % 64) &
		   1) != 0;
}

#endif
