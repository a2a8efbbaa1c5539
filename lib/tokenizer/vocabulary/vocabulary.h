/*
 * vocabulary.h - packed vocabularies, and lookups of tokens in them
 *
 * A packed vocabulary is one block of memory with many tables.  It contains
 * offsets but no pointers, so it can be linked into read-only data or read from
 * a cache file.  build.c makes it.  ctx_vocab_view fills struct ctx_vocab with
 * pointers to its tables.
 *
 * Tokens are numbered in the order of their merges: if two pairs of tokens can
 * merge, the pair whose result has the lower number merges first.  The ids of
 * tokens in the encoding may be different numbers (tables IDS, TOKENS).
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
#define CTX_VOCAB_VERSION 8
/* A number by which the byte order of a packed vocabulary is recognised. */
#define CTX_VOCAB_ORDER 0x01020304u
/* maximum number of tokens; a pair stores each token number in 21 bits */
#define CTX_VOCAB_MAX    (1u << 21)
#define CTX_VOCAB_KEY    16 /* maximum bytes of a key */
#define CTX_DISORDER_MAX 8

enum ctx_vocab_section {
	/* uint32_t: hash table of tokens of at most 16 bytes, in lines of
	 * sixteen entries (CTX_KEY_LINE) */
	CTX_VOCAB_KEYS,
	/* uint16_t[65536]: which lengths tokens with certain first bytes have;
	 * see ctx_vocab_lengths */
	CTX_VOCAB_LENGTHS,
	CTX_VOCAB_LEAVES, /* uint32_t[256]: the token of each single byte */
	/* uint32_t[65536]: the token of each string of two bytes */
	CTX_VOCAB_DIGRAMS,
	/* uint32_t: hash table of pairs of tokens that can merge, in lines of
	 * eight pairs */
	CTX_VOCAB_PAIRS,
	/* The two tokens that merge to each token, as numbers of three bytes,
	 * the lowest byte first (ctx_vocab_parent).  A token that is not the
	 * result of a merge has itself, twice. */
	CTX_VOCAB_PARENTS,
	/* struct ctx_vocab_group: hash table of tokens of more than 16 bytes,
	 * by their first 16 bytes */
	CTX_VOCAB_GROUPS,
	/* uint32_t: for each entry of the table GROUPS the list of the tokens
	 * that begin with its 16 bytes, the longest token first */
	CTX_VOCAB_LONG,
	/* one bit for each hash of two characters that are adjacent in a token;
	 * see ctx_vocab_crossing */
	CTX_VOCAB_CROSSING,
	CTX_VOCAB_OFFSETS, /* uint32_t: offset of each token in TEXT */
	/* the bytes of all tokens, then CTX_VOCAB_KEY bytes, so that as many
	 * can be read from the start of any token */
	CTX_VOCAB_TEXT,
	/* uint32_t: the id of each token; empty if ids equal token numbers */
	CTX_VOCAB_IDS,
	/* uint32_t: for each id, the number of its token; empty if ids equal
	 * token numbers */
	CTX_VOCAB_TOKENS,
	/* struct ctx_vocab_special for each special token, then their names */
	CTX_VOCAB_SPECIALS,
	/* patterns of a vocabulary file that split text; see
	 * pretokenize_pcre2.h */
	CTX_VOCAB_PATTERNS,
	CTX_VOCAB_SECTIONS
};

enum {
	/* Some token is unreachable: merging its bytes gives other tokens.
	 * Such a token is still in the key table or GROUPS, because a pretoken
	 * of exactly its bytes may become this token. */
	CTX_VOCAB_UNREACHED = 1,
	/* A text is normalized (NFC) before it is split into pretokens. */
	CTX_VOCAB_NFC = 2,
	/* Some token has a lower number than one of the two tokens from which
	 * it is merged.  So the merge may come before both parts exist. */
	CTX_VOCAB_DISORDER = 4,
	/* Every run of ASCII digits that can be a pretoken is a token. */
	CTX_VOCAB_NUMBERS = 8,
	/* Only with CTX_PRETOKENIZER_CHARS: a blank is put before each text.
	 * It is also put before text that follows an added token, unless
	 * CTX_VOCAB_PREFIX_ONCE is set. */
	CTX_VOCAB_PREFIX = 16,
	/* Together with CTX_VOCAB_PREFIX: no blank is put before text that
	 * follows an added token. */
	CTX_VOCAB_PREFIX_ONCE = 32,
	/* Together with CTX_VOCAB_PREFIX: no blank is put before text that
	 * begins with a blank. */
	CTX_VOCAB_PREFIX_WORD = 64,
};

struct ctx_vocab_head {
	char magic[8];
	uint32_t order, version;
	uint64_t size; /* size of the packed vocabulary in bytes */
	/* SHA-256 of the vocabulary file and its pretokenizer (load.c) */
	uint8_t source[32];
	struct ctx_pretokenizer pretokenizer;
	uint32_t flags;
	/* One more than the highest token number.  Some numbers below may have
	 * no token. */
	uint32_t n;
	/* one more than the highest token id of the encoding */
	uint32_t ids;
	uint32_t line_bits;  /* log2 of the number of lines of the key table */
	uint32_t pair_lines; /* number of lines of PAIRS */
	/* log2 of the number of entries of GROUPS */
	uint32_t group_bits;
	/* number of special tokens */
	uint32_t specials;
	uint32_t longest; /* bytes of the longest token */
	/* For each token with a lower number than one of its parts
	 * (CTX_VOCAB_DISORDER): its first two bytes, without repetitions.
	 * n_disorder: number of elements; CTX_DISORDER_MAX + 1 if there are too
	 * many. */
	uint32_t n_disorder;
	uint8_t disorder[CTX_DISORDER_MAX][2];
	/* For each table (enum ctx_vocab_section), its offset from the start of
	 * the packed vocabulary and its size, both in bytes. */
	uint64_t at[CTX_VOCAB_SECTIONS];
	uint64_t bytes[CTX_VOCAB_SECTIONS];
};

/* An entry of the table GROUPS: all tokens of more than 16 bytes that have the
 * same first 16 bytes. */
struct ctx_vocab_group {
	uint64_t key[2];
	/* The list of the tokens in the table LONG: index of the first one, and
	 * number of tokens.  n is 0 if the entry is empty. */
	uint32_t first, n;
};

struct ctx_vocab_special {
	uint32_t id;
	/* the token's name: offset in the table SPECIALS, and length in
	 * bytes */
	uint32_t at, n;
	/* 1 if the name is recognized even if the caller does not ask for
	 * special tokens */
	uint32_t added;
	/* 1 if the name is searched for in the text after normalization */
	uint32_t normal;
};

struct ctx_vocab {
	const struct ctx_vocab_head *head;
	const uint32_t *keys;
	const uint16_t *lengths;
	const uint32_t *leaves;
	const uint32_t *digrams;
	const uint32_t *pairs;
	const uint8_t *parents;
	const struct ctx_vocab_group *groups;
	const uint32_t *longs;
	const uint64_t *crossing;
	const uint32_t *offsets;
	const char *text;
	const uint32_t *ids;
	const uint32_t *tokens;
	const struct ctx_vocab_special *specials;
	/* Patterns that divide text first.  The built-in pretokenizer then
	 * divides the results further. */
	const char *patterns;
	/* Tokens from the number "end" on, and ids from the number "ids_end"
	 * on, are not used.  Both are the numbers of tokens and ids in the
	 * table, unless ctx_vocab_limit has lowered them. */
	uint32_t end, ids_end;
	/* ranks of merges (ctx_bpe_merge_rank) from this one on are not used */
	uint32_t merge_end;
	unsigned line_shift, group_shift;
	uint32_t line_mask, pair_lines;
	bool unreached;
	/* true if tokens are merged from characters, not from bytes */
	bool chars;
};

/* Fills vocab with pointers into a packed vocabulary, which must be valid: made
 * by build.c, or checked by ctx_vocab_validate. */
void ctx_vocab_view(struct ctx_vocab *vocab, const void *block);
/* Leaves out all tokens from the number n on.  Only for a vocabulary whose ids
 * equal token numbers, and in which no token has a lower number than one of its
 * parts: then the merges of the tokens left are those of a vocabulary that has
 * only them. */
void ctx_vocab_limit(struct ctx_vocab *vocab, uint32_t n);
/* Checks every offset and number in a packed vocabulary of n bytes that may
 * come from an attacker, then fills vocab.  The memory must be aligned like
 * that from malloc.  CTX_EFILE: it is not a valid packed vocabulary.  Defined
 * in validate.c. */
int ctx_vocab_validate(struct ctx_vocab *vocab, const void *block, size_t n,
    struct ctx_err *err);

/* The key of a token or pretoken in hash tables: its bytes, at most 16, padded
 * with 0xff.  Valid UTF-8 never contains 0xff, so texts of different lengths
 * have different keys.  Bytes that contain 0xff must not be made into a key. */
struct ctx_key {
	uint64_t lo, hi;
};

/* The key that marks an empty entry of the cache of pretokens.  No string has
 * this key, not even the empty one, whose key is 0xff only.  pretoken_batch.h
 * uses the key of the empty string for pretokens that are too long. */
#define CTX_KEY_EMPTY ((struct ctx_key){UINT64_MAX, 0})

/* 16 bytes of zero, then 16 bytes of 0xff.  Read from offset 16 - n on, it has
 * n bytes of zero, then 0xff: the padding of a key of n bytes. */
extern const unsigned char ctx_key_fill[2 * CTX_VOCAB_KEY];

/* Returns the key of the n bytes at p, n at most 16.  Faster than ctx_key_copy,
 * but reads 16 bytes, which must be readable. */
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

/* Constants of ctx_key_hash.  Only the high bits of the hash are well mixed.
 * The high word of the key is rotated, so that equal characters in both words
 * do not cancel out; for this, the rotation is not a multiple of eight. */
#define CTX_KEY_TURN   37
#define CTX_KEY_SPREAD 0xd6e8feb86659fd93u

static inline uint64_t
ctx_key_hash(struct ctx_key key)
{
	uint64_t turned =
	    key.hi << CTX_KEY_TURN | key.hi >> (64 - CTX_KEY_TURN);

	return (key.lo ^ turned) * CTX_KEY_SPREAD;
}

static inline size_t
ctx_vocab_length(const struct ctx_vocab *v, uint32_t token)
{
	return v->offsets[token + 1] - v->offsets[token];
}

/* Returns one of the two tokens that merge to a token: the left one if side is
 * 0, the right one if it is 1. */
static inline uint32_t
ctx_vocab_parent(const struct ctx_vocab *v, uint32_t token, unsigned side)
{
	const uint8_t *p = v->parents + 6 * (size_t)token + 3 * side;

	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16;
}

/*
 * The key table.  The hash of a key chooses a line; if it is full, the key is
 * in one of the lines after it.  An entry is the number of a token (21 bits)
 * below a tag of 11 bits, further bits of the hash.  The keys are not stored:
 * the key of an entry is that of its token's text, which is compared if the tag
 * is equal.
 */
#define CTX_KEY_LINE    16 /* number of entries of a line */
#define CTX_KEY_TAGS    11 /* bits of a tag */
#define CTX_KEY_NOTHING UINT32_MAX

/* Returns the tag of a hash, shifted to the bits that the tag has in an
 * entry. */
static inline uint32_t
ctx_key_tag(const struct ctx_vocab *v, uint64_t hash)
{
	return (uint32_t)(hash >> (v->line_shift - CTX_KEY_TAGS))
	    << (32 - CTX_KEY_TAGS);
}

/* Prefetches the line of the key table that the key's hash selects. */
static inline void
ctx_vocab_ask_key(const struct ctx_vocab *v, struct ctx_key key)
{
	__builtin_prefetch(
	    v->keys + CTX_KEY_LINE * (ctx_key_hash(key) >> v->line_shift));
}

/* A result of ctx_vocab_guess: the line does not tell whether the key has a
 * token. */
#define CTX_VOCAB_UNSURE (CTX_VOCAB_NONE - 1)

/* Four entries of the key table. */
typedef uint32_t ctx_key_entries __attribute__((vector_size(16)));

/* Guesses the token of a key from the line of the key table that the hash of
 * the key selects.  Returns the token of the entry that has the key's tag; the
 * token's text may be another one.  If no entry has the tag, returns
 * CTX_VOCAB_NONE if the key certainly has no token, or CTX_VOCAB_UNSURE if its
 * token may be in a later line.  Prefetches what ctx_vocab_ask_text needs. */
static inline uint32_t
ctx_vocab_guess(const struct ctx_vocab *v, struct ctx_key key)
{
	uint64_t hash = ctx_key_hash(key), half[2];
	const uint32_t *line = v->keys + CTX_KEY_LINE * (hash >> v->line_shift);
	uint32_t tag = ctx_key_tag(v, hash), token, i;
	ctx_key_entries found = {0}, entries, equal;

	/* The processor cannot predict which entry has the tag, so all are
	 * compared without a branch.  Entries are inverted, so that an empty
	 * one is 0. */
	for (i = 0; i < CTX_KEY_LINE; i += 4) {
		memcpy(&entries, line + i, sizeof entries);
		equal = (ctx_key_entries)((entries ^ tag) <
		    (UINT32_C(1) << (32 - CTX_KEY_TAGS)));
		found |= ~entries & equal;
	}
	memcpy(half, &found, sizeof half);
	half[0] |= half[1];
	token = (uint32_t)(half[0] | half[0] >> 32);
	if (token == 0)
		return line[CTX_KEY_LINE - 1] == CTX_KEY_NOTHING
		    ? CTX_VOCAB_NONE
		    : CTX_VOCAB_UNSURE;
	/* If several entries have the tag, this may be the token of none of
	 * them, but is not greater than any, and so is a valid token. */
	token = ~token & (CTX_VOCAB_MAX - 1);
	if (token >= v->end)
		return CTX_VOCAB_UNSURE;
	__builtin_prefetch(v->offsets + token);
	return token;
}

/* Prefetches the text of a token. */
static inline void
ctx_vocab_ask_text(const struct ctx_vocab *v, uint32_t token)
{
	__builtin_prefetch(v->text + v->offsets[token]);
}

/* Returns true if the token has this key. */
static inline bool
ctx_vocab_has_key(const struct ctx_vocab *v, uint32_t token, struct ctx_key key)
{
	size_t n = ctx_vocab_length(v, token);
	struct ctx_key own;

	if (n > CTX_VOCAB_KEY)
		return false;
	own = ctx_key_read(v->text + v->offsets[token], n);
	return own.lo == key.lo && own.hi == key.hi;
}

/* Returns the token with this key; CTX_VOCAB_NONE if there is none. */
uint32_t ctx_vocab_find_key(const struct ctx_vocab *vocab, struct ctx_key key);
/* Returns the token with exactly these bytes; CTX_VOCAB_NONE if there is
 * none. */
uint32_t ctx_vocab_find(const struct ctx_vocab *vocab, const char *p, size_t n);
/* Returns the token with which merging of a text (the n bytes at p) begins, and
 * sets *length to the length of this token in bytes; n is at least 1.  That is
 * the token of the first byte.  If v->chars is true and the first character has
 * a token, it is the token of this character. */
uint32_t ctx_vocab_first(const struct ctx_vocab *vocab, const char *p, size_t n,
    size_t *length);
/* Returns the longest reachable token with which a text (the n bytes at p)
 * begins; n is at least 1.  A token is reachable if merging its bytes gives
 * it. */
uint32_t ctx_vocab_longest(const struct ctx_vocab *vocab, const char *p,
    size_t n);

/*
 * The hash table of pairs of tokens that can be merged.  A pair is a number of
 * 42 bits: two token numbers of 21 bits.  An invertible multiplication spreads
 * it over all numbers of 42 bits.  The product, divided by 2^42 and multiplied
 * by the number of lines, is the number of a line of the table, its home line.
 * The lower 29 bits of the product are a tag.  If the home line is full, the
 * pair is stored in one of the next 7 lines.  The distance from home is stored
 * above the tag.
 *
 * There are at least 2^13 lines.  So the products that have the same home line
 * are at most 2^29 consecutive numbers, whose lower 29 bits are different.
 * Therefore line, tag and distance identify a pair, and the pair itself is not
 * stored.
 */
#define CTX_PAIR_BITS   42
#define CTX_PAIR_SPREAD 0x9e3779b97f4a7c15u
#define CTX_PAIR_GATHER 0xf1de83e19937733du /* inverse of CTX_PAIR_SPREAD */
/* minimum and maximum number of lines */
#define CTX_PAIR_LINES_MIN (UINT32_C(1) << 13)
#define CTX_PAIR_LINES_MAX (UINT32_C(1) << 26)
/* The position of the lowest bit of the distance in an entry.  The distance is
 * the number of lines from the home line of a pair to the line where it is
 * stored. */
#define CTX_PAIR_AWAY     29
#define CTX_PAIR_AWAY_MAX 7
/* Number of words in a line of the table of pairs: the tags of eight pairs,
 * then the tokens to which these pairs merge, with all bits inverted.  A word
 * of zero in place of a token marks an empty entry.  The last two tokens are in
 * ascending order only if a pair was stored in a later line because this one is
 * full (ctx_pair_overflows). */
#define CTX_PAIR_LINE 16
/* A token number that is never given to a token.  It stands at both ends of a
 * pretoken, where there is no token, and merges with no token. */
#define CTX_PAIR_NOBODY (CTX_VOCAB_MAX - 1)

static inline uint64_t
ctx_pair_hash(uint32_t a, uint32_t b)
{
	return (((uint64_t)a << 21 | b) * CTX_PAIR_SPREAD) &
	    ((UINT64_C(1) << CTX_PAIR_BITS) - 1);
}

/* Returns the number of the home line of a pair, in a table with this number of
 * lines. */
static inline uint32_t
ctx_pair_home(uint64_t hash, uint32_t lines)
{
	return (uint32_t)((hash >> (CTX_PAIR_BITS - 32)) * lines >> 32);
}

/* Returns the tag of a pair in the hash table of pairs. */
static inline uint32_t
ctx_pair_tag(uint64_t hash)
{
	return hash & ((UINT32_C(1) << CTX_PAIR_AWAY) - 1);
}

/* Returns true if a pair that is not in this line of the table, but should be,
 * may be in the line after it. */
static inline bool
ctx_pair_overflows(const uint32_t *line)
{
	return line[CTX_PAIR_LINE - 2] < line[CTX_PAIR_LINE - 1];
}

/* Returns the token that the pair with this hash merges to; CTX_VOCAB_NONE if
 * it cannot merge.  Looks in the pair's home line of the hash table, then in
 * the lines after it. */
static inline uint32_t
ctx_vocab_pair_far(const struct ctx_vocab *v, uint64_t hash)
{
	uint32_t line = ctx_pair_home(hash, v->pair_lines), found = 0;
	uint32_t tag = ctx_pair_tag(hash);
	const uint32_t *entry;
	unsigned away, i;

	/* The processor cannot predict which entry of a line has the pair, so
	 * all eight are compared without a branch.  Only after a line that was
	 * too small the next one is searched. */
	for (away = 0; away <= CTX_PAIR_AWAY_MAX; away++) {
		entry = v->pairs + CTX_PAIR_LINE * (size_t)line;
		for (i = 0; i < 8; i++)
			found |= entry[i] == tag ? entry[8 + i] : 0;
		if (found != 0 || !ctx_pair_overflows(entry))
			break;
		line = line + 1 < v->pair_lines ? line + 1 : 0;
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

/* Returns an index into the table LENGTHS: a hash of the first bytes at p.
 * which: 0 for two bytes, 1 for four, 2 for eight. */
static inline uint32_t
ctx_lengths_index(const char *p, int which)
{
	uint64_t first = 0;
	uint16_t two;

	switch (which) {
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

/* The table LENGTHS says which lengths tokens with certain first bytes have.
 * Short tokens are in the entry for their first two bytes, longer ones in that
 * for their first four or eight.  Each constant is the mask of the lengths for
 * which this number of bytes is used, so one table serves all three.  Bits 1 to
 * 15 stand for 2 to 16 bytes, and bit 0 for more than 16 bytes. */
#define CTX_LENGTHS_2 0x0006u
#define CTX_LENGTHS_4 0x0078u
#define CTX_LENGTHS_8 0xff81u

/* Returns which lengths tokens with the first bytes of p may have.  Bits 1 to
 * 15 stand for 2 to 16 bytes, and bit 0 for more than 16 bytes.  A bit may be
 * set although no token has this length.  16 bytes must be readable at p. */
static inline uint32_t
ctx_vocab_lengths(const struct ctx_vocab *v, const char *p)
{
	return (v->lengths[ctx_lengths_index(p, 0)] & CTX_LENGTHS_2) |
	    (v->lengths[ctx_lengths_index(p, 1)] & CTX_LENGTHS_4) |
	    (v->lengths[ctx_lengths_index(p, 2)] & CTX_LENGTHS_8);
}

/* log2 of the number of bits in the table CROSSING that are for pairs of
 * characters */
#define CTX_CROSSING_BITS 19

/* Returns the index of a bit in the table CROSSING: the bit for the character
 * "a" followed by the character "b".  Several pairs may have the same bit. */
static inline uint64_t
ctx_crossing_bit(uint64_t a, uint64_t b)
{
	return (a * 0x9e3779b97f4a7c15u ^ b * 0xd6e8feb86659fd93u) >>
	    (64 - CTX_CROSSING_BITS);
}

/* Returns the index of a bit in the table CROSSING: the bit for the byte "last"
 * followed by the byte "first".  The bit is set for tokens that contain only a
 * part of the character before or after.  If v->chars is true, there are no
 * such tokens, and the bit is for two ASCII characters. */
static inline uint64_t
ctx_crossing_bytes(unsigned char last, unsigned char first)
{
	return (UINT64_C(1) << CTX_CROSSING_BITS) + last * 256u + first;
}

/* Returns false if no token contains the end of the character a and, after it,
 * the beginning of the character b.  May return true although there is no such
 * token, because several pairs have the same bit. last, first: the last byte of
 * a and the first byte of b. */
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
